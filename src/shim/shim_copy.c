/* shim_copy: copies from and to addresses that a program gave, which may be wrong.
 *
 * The kernel is asked, once a page, whether it can read (or write) there: rt_sigprocmask reads or writes eight bytes and does
 * nothing else when it is asked for no change. (No pointer at all means no set to it: the first page is never there.) That is
 * several times cheaper than letting the kernel copy. */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "shim/shim_copy.h"

enum { PROBE_BYTES = 8, PAGE = 4096 };

/* Tells rt_sigprocmask to change nothing: it reads the set before it finds that this is no way to change a mask. */
static const int no_way = -1;

/* The eight aligned bytes around address, which are of one page. */
static bool can_read(uint64_t address)
{
    return address >= PAGE &&
           syscall(SYS_rt_sigprocmask, no_way, address & ~(uint64_t)(PROBE_BYTES - 1), NULL, PROBE_BYTES) == -1 &&
           errno != EFAULT;
}

/* Overwrites the eight bytes from address. */
static bool can_write(uint64_t address)
{
    return address >= PAGE && syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, address, PROBE_BYTES) == 0;
}

/* Asks at the start, at each page that begins in between, and at `last`. */
static bool can_all(bool (*probe)(uint64_t address), uint64_t start, uint64_t last)
{
    for (uint64_t at = start; at < last; at = (at & ~(uint64_t)(PAGE - 1)) + PAGE)
        if (!probe(at))
            return false;
    return probe(last);
}

/* A program's memory is not ours to judge: sanitizers, which would, do not look at these copies. */
#if defined(__has_feature)
#define HAS_SANITIZER (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_SANITIZER 1
#else
#define HAS_SANITIZER 0
#endif

__attribute__((no_sanitize("address", "thread"))) static void copy(void *to, const void *from, size_t bytes)
{
#if HAS_SANITIZER
    for (size_t n = 0; n < bytes; n++)
        ((volatile char *)to)[n] = ((const volatile char *)from)[n];
#else
    memcpy(to, from, bytes);
#endif
}

int shim_copy_in(void *to, uint64_t from, size_t bytes)
{
    int saved = errno;
    bool fine = from + bytes >= from;
    if (fine && bytes && (fine = can_all(can_read, from, from + bytes - 1)))
        copy(to, (const void *)(uintptr_t)from, bytes);
    errno = saved;
    return fine ? 0 : -EFAULT;
}

/* For what is smaller than a probe. */
static bool write_few(uint64_t to, const void *from, size_t bytes)
{
    char ours[PROBE_BYTES];
    struct iovec local = {memcpy(ours, from, bytes), bytes}, remote = {(void *)(uintptr_t)to, bytes};
    if (process_vm_writev(getpid(), &local, 1, &remote, 1, 0) == (ssize_t)bytes)
        return true;
    if (errno == EFAULT || !can_all(can_read, to, to + bytes - 1))
        return false;
    copy((void *)(uintptr_t)to, from, bytes); /* a host that forbids the call */
    return true;
}

int shim_copy_out(uint64_t to, const void *from, size_t bytes)
{
    int saved = errno;
    bool fine = to + bytes >= to;
    if (fine && bytes >= PROBE_BYTES) {
        if ((fine = can_all(can_write, to, to + bytes - PROBE_BYTES)))
            copy((void *)(uintptr_t)to, from, bytes);
    } else if (fine && bytes) {
        fine = write_few(to, from, bytes);
    }
    errno = saved;
    return fine ? 0 : -EFAULT;
}
