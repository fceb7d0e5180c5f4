/* submit_bell: a counter that threads wait on, by a futex. */
#include "submit/submit_bell.h"
#include "base/base_clock.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const uint64_t second = 1000000000;

uint64_t submit_now(void)
{
    return base_clock_ns();
}

uint64_t submit_deadline(uint64_t nanoseconds)
{
    uint64_t now = submit_now();
    return nanoseconds > SUBMIT_FOREVER - now ? SUBMIT_FOREVER : now + nanoseconds;
}

void submit_bell_ring(struct submit_bell *bell)
{
    atomic_fetch_add(&bell->count, 1);
    if (atomic_load(&bell->sleepers))
        syscall(SYS_futex, &bell->count, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

static void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#else
    sched_yield();
#endif
}

/* How many processors this thread may use; looked up on each spin's start would cost more than the spin saves, so a thread asks
 * once. */
static bool may_spin(void)
{
    static _Thread_local int processors;
    if (!processors) {
        cpu_set_t set;
        processors = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : (int)sysconf(_SC_NPROCESSORS_ONLN);
    }
    return processors != 1;
}

bool submit_bell_spin(const struct submit_bell *bell, uint32_t seen, uint64_t nanoseconds)
{
    enum { LOOKS = 64 }; /* between two looks at the clock */
    if (!may_spin())
        return submit_bell_look(bell) != seen;
    uint64_t start = submit_now(), now = start;
    do {
        for (unsigned n = 0; n < LOOKS; n++) {
            if (atomic_load_explicit(&bell->count, memory_order_acquire) != seen)
                return true;
            relax();
        }
        now = submit_now();
    } while (now - start < nanoseconds);
    return false;
}

bool submit_bell_sleep(struct submit_bell *bell, uint32_t seen, uint64_t deadline)
{
    struct timespec at = {.tv_sec = (time_t)(deadline / second), .tv_nsec = (long)(deadline % second)};
    atomic_fetch_add(&bell->sleepers, 1);
    long failed = 0;
    if (submit_bell_look(bell) == seen)
        failed = syscall(SYS_futex, &bell->count, FUTEX_WAIT_BITSET_PRIVATE, seen, deadline == SUBMIT_FOREVER ? NULL : &at, NULL,
                         FUTEX_BITSET_MATCH_ANY);
    bool late = failed && errno == ETIMEDOUT;
    atomic_fetch_sub(&bell->sleepers, 1);
    return !late || submit_bell_look(bell) != seen;
}
