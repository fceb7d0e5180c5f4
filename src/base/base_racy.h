/* base_racy: functions that touch guest memory, which guests write while we read it: that is not for the thread sanitizer to judge, and a
 * host fault in one may not leave the sanitizer's own code half-way, with its locks held. */
#ifndef BASE_BASE_RACY_H
#define BASE_BASE_RACY_H

#if defined(__SANITIZE_THREAD__)
#define BASE_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define BASE_THREAD_SANITIZER 1
#endif
#endif

#ifdef BASE_THREAD_SANITIZER
#include <sanitizer/tsan_interface.h>
#define BASE_RACY __attribute__((no_sanitize("thread"), noinline))
/* What is said of an atomic word that a racy function stores or loads, outside it: before the store, behind the load. */
static inline void base_racy_release(void *word)
{
    __tsan_release(word);
}
static inline void base_racy_acquire(void *word)
{
    __tsan_acquire(word);
}
#else
#define BASE_RACY
static inline void base_racy_release(void *word)
{
    (void)word;
}
static inline void base_racy_acquire(void *word)
{
    (void)word;
}
#endif

#endif
