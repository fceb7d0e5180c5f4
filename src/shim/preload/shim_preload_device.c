/* shim_preload_device: what a program does with a descriptor of the node: ioctl, mmap, and what undoes mmap; lseek of shared
 * buffers; handlers for the signals that the device handles too; the ends of a process that no destructor sees. */
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "shim/preload/shim_preload.h"

enum { DRM_TYPE = 'd', SYNC_TYPE = '>' };
static const uint64_t first_offset = UINT64_C(1) << 36; /* GEM_MMAP gives none below */

/* -- ioctl -- */

static int give_back(int result)
{
    if (result >= 0)
        return result;
    errno = -result;
    return -1;
}

static int node_ioctl(unsigned long request, void *argument)
{
    const struct shim_entry *core = shim_preload_core();
    return give_back(core ? core->ioctl(request, argument) : -ENODEV);
}

SHIM_PRELOADED int ioctl(int descriptor, unsigned long request, ...)
{
    va_list arguments;
    va_start(arguments, request);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    if (_IOC_TYPE(request) == DRM_TYPE && shim_preload_is_node_descriptor(descriptor))
        return node_ioctl(request, argument);
    if (_IOC_TYPE(request) == SYNC_TYPE && shim_preload_run()) {
        const struct shim_entry *core = shim_preload_core();
        int result = core ? core->sync_ioctl(descriptor, request, argument) : -ENOTTY;
        if (result != -ENOTTY)
            return give_back(result);
    }
    return SHIM_NEXT(ioctl)(descriptor, request, argument);
}

/* -- mmap -- */

static void *node_map(void *address, size_t bytes, int protection, int flags, uint64_t offset)
{
    const struct shim_entry *core = shim_preload_core();
    int error = ENODEV;
    void *place = core ? core->map(address, bytes, protection, flags, offset, &error) : MAP_FAILED;
    if (place == MAP_FAILED)
        errno = error;
    return place;
}

/* Something else lies there now. */
static void note_unmapped(const void *address, size_t bytes)
{
    const struct shim_entry *core = shim_preload_core_look();
    int saved = errno;
    if (core)
        core->unmapped(address, bytes);
    errno = saved;
}

static bool is_node_map(int flags, int descriptor, uint64_t offset)
{
    return descriptor >= 0 && !(flags & MAP_ANONYMOUS) && offset >= first_offset && shim_preload_is_node_descriptor(descriptor);
}

SHIM_PRELOADED void *mmap(void *address, size_t bytes, int protection, int flags, int descriptor, off_t offset)
{
    if (is_node_map(flags, descriptor, (uint64_t)offset))
        return node_map(address, bytes, protection, flags, (uint64_t)offset);
    void *place = SHIM_NEXT(mmap)(address, bytes, protection, flags, descriptor, offset);
    if (flags & MAP_FIXED && place != MAP_FAILED)
        note_unmapped(place, bytes);
    return place;
}

SHIM_PRELOADED void *mmap64(void *address, size_t bytes, int protection, int flags, int descriptor, off64_t offset)
{
    if (is_node_map(flags, descriptor, (uint64_t)offset))
        return node_map(address, bytes, protection, flags, (uint64_t)offset);
    void *place = SHIM_NEXT(mmap64)(address, bytes, protection, flags, descriptor, offset);
    if (flags & MAP_FIXED && place != MAP_FAILED)
        note_unmapped(place, bytes);
    return place;
}

SHIM_PRELOADED int munmap(void *address, size_t bytes)
{
    /* Noted first: as soon as the range is free, another thread may map a buffer there. */
    note_unmapped(address, bytes);
    return SHIM_NEXT(munmap)(address, bytes);
}

/* -- shared buffers -- */

/* Where lseek to the end of a shared buffer ends: before its last page. */
static off_t without_hidden(int descriptor, off_t end)
{
    struct stat found;
    if (end <= 0 || !shim_preload_run() || SHIM_NEXT(fstat)(descriptor, &found))
        return end;
    return end - (off_t)shim_preload_hidden(descriptor, &found);
}

SHIM_PRELOADED off_t lseek(int descriptor, off_t offset, int whence)
{
    off_t place = SHIM_NEXT(lseek)(descriptor, offset, whence);
    return whence == SEEK_END ? without_hidden(descriptor, place) : place;
}

SHIM_PRELOADED off64_t lseek64(int descriptor, off64_t offset, int whence)
{
    off64_t place = SHIM_NEXT(lseek64)(descriptor, offset, whence);
    return whence == SEEK_END ? without_hidden(descriptor, place) : place;
}

/* -- signals -- */

/* Whether the device took the wish: its own handlers stay in front of the program's then. */
static bool device_signal(int number, const struct sigaction *action, struct sigaction *old)
{
    const struct shim_entry *core = number == SIGSEGV || number == SIGBUS ? shim_preload_core_look() : NULL;
    return core && core->signal_action(number, action, old);
}

SHIM_PRELOADED int sigaction(int number, const struct sigaction *restrict action, struct sigaction *restrict old)
{
    return device_signal(number, action, old) ? 0 : SHIM_NEXT(sigaction)(number, action, old);
}

SHIM_PRELOADED sighandler_t signal(int number, sighandler_t handler)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART}, old;
    return device_signal(number, &action, &old) ? old.sa_handler : SHIM_NEXT(signal)(number, handler);
}

/* -- ends -- */

static void leave(void)
{
    const struct shim_entry *core = shim_preload_core_look();
    if (core)
        core->leave();
}

/* What the host's own driver wants done at the end of the process is left out: it would wait for threads that a forked child has not, and
 * take down what our threads are at work in. */
int __cxa_atexit(void (*function)(void *argument), void *argument, void *library);
SHIM_PRELOADED int __cxa_atexit(void (*function)(void *argument), void *argument, void *library)
{
    if (shim_preload_is_aside())
        return 0;
    int result = SHIM_NEXT(__cxa_atexit)(function, argument, library);
    const struct shim_entry *core = shim_preload_core_look();
    if (core)
        core->before_others();
    return result;
}

SHIM_PRELOADED __attribute__((noreturn)) void _exit(int status)
{
    leave();
    SHIM_NEXT(_exit)(status);
    abort();
}

SHIM_PRELOADED __attribute__((noreturn)) void _Exit(int status)
{
    leave();
    SHIM_NEXT(_Exit)(status);
    abort();
}

SHIM_PRELOADED __attribute__((noreturn)) void quick_exit(int status)
{
    leave();
    SHIM_NEXT(quick_exit)(status);
    abort();
}
