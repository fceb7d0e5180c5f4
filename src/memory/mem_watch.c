/* mem_watch: the host memory in which faults are the guest's, in a form that a signal handler can read, and what it does about a fault.
 *
 * This is state of the process, because signal handlers are. Watches are in one list that only ever grows: a handler walks it without a
 * lock. One that is not used any more stays and is used again. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "memory/mem_internal.h"

/* What a watch says: the fields change between two odd counts of `changes`. */
struct mem_watch {
    struct mem_watch *next; /* never changes */
    struct mem_watch *next_free;
    atomic_uint changes;
    _Atomic uintptr_t host;
    atomic_uint_fast64_t size, guest;
    _Atomic(struct mem_fault_log *) log;
    atomic_int kind;
};

/* A watch as a handler copied it. */
struct watched {
    uintptr_t host;
    uint64_t size, guest;
    struct mem_fault_log *log;
    enum mem_watch_kind kind;
};

static _Atomic(struct mem_watch *) first_watch;
static pthread_mutex_t free_lock = PTHREAD_MUTEX_INITIALIZER; /* guards what follows, and changes of the list */
static struct mem_watch *free_watches;

static struct mem_watch *take_watch_locked(void)
{
    struct mem_watch *watch = free_watches;
    if (watch) {
        free_watches = watch->next_free;
        return watch;
    }
    watch = calloc(1, sizeof *watch);
    if (watch) {
        watch->next = atomic_load(&first_watch);
        atomic_store(&first_watch, watch);
    }
    return watch;
}

static void set_watch_locked(struct mem_watch *watch, const struct watched *to)
{
    atomic_fetch_add(&watch->changes, 1);
    atomic_store(&watch->host, to->host);
    atomic_store(&watch->size, to->size);
    atomic_store(&watch->guest, to->guest);
    atomic_store(&watch->log, to->log);
    atomic_store(&watch->kind, (int)to->kind);
    atomic_fetch_add(&watch->changes, 1);
}

struct mem_watch *mem_watch_add(enum mem_watch_kind kind, const void *host, uint64_t size, uint64_t guest,
                                struct mem_fault_log *log)
{
    struct watched to = {(uintptr_t)host, size, guest, log, kind};
    pthread_mutex_lock(&free_lock);
    struct mem_watch *watch = take_watch_locked();
    if (watch)
        set_watch_locked(watch, &to);
    pthread_mutex_unlock(&free_lock);
    return watch;
}

void mem_watch_remove(struct mem_watch *watch)
{
    if (!watch)
        return;
    pthread_mutex_lock(&free_lock);
    set_watch_locked(watch, &(struct watched){0});
    watch->next_free = free_watches;
    free_watches = watch;
    pthread_mutex_unlock(&free_lock);
}

void mem_watch_hold_still(void)
{
    pthread_mutex_lock(&free_lock);
}

void mem_watch_move_on(void)
{
    pthread_mutex_unlock(&free_lock);
}

/* The watch over a host address. One that changes just now is none of an access that is under way. */
static bool find_watched(uintptr_t address, struct watched *found)
{
    for (struct mem_watch *watch = atomic_load(&first_watch); watch; watch = watch->next) {
        unsigned before = atomic_load(&watch->changes);
        *found = (struct watched){atomic_load(&watch->host), atomic_load(&watch->size), atomic_load(&watch->guest),
                                  atomic_load(&watch->log), (enum mem_watch_kind)atomic_load(&watch->kind)};
        if (before % 2 == 0 && address - found->host < found->size && atomic_load(&watch->changes) == before)
            return true;
    }
    return false;
}

void mem_fault_note(struct mem_fault_log *log, uint64_t guest)
{
    uint64_t index = atomic_fetch_add(&log->count, 1);
    if (index < MEM_FAULTS_KEPT)
        atomic_store(&log->addresses[index], guest);
}

/* Puts a page of zeros of its own where the access goes. By system call: a sanitizer's mmap is not for signal handlers. */
static bool put_page(uintptr_t address, int how)
{
    uintptr_t page = address & ~(uintptr_t)(mem_page_size() - 1);
    long place = syscall(SYS_mmap, page, mem_page_size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | how, -1, 0L);
    return place != -1;
}

/* Whether the access can go on, with a page of zeros under it. The caller's mappings stay as they are, unless the process would end. */
static bool fill_in(const struct watched *watched, int number, int code, uintptr_t address, bool guarded)
{
    if (number == SIGBUS && (watched->kind == MEM_WATCH_OURS || !guarded))
        return put_page(address, MAP_FIXED);
    /* Nothing is mapped there; if something is by now, the access meets that. Only where the process would end otherwise: a page
     * that stays would hide every access after this one. */
    if (number == SIGSEGV && watched->kind == MEM_WATCH_USER && code == SEGV_MAPERR && !guarded)
        return put_page(address, MAP_FIXED_NOREPLACE) || errno == EEXIST;
    return false;
}

enum mem_mend mem_watch_mend(int number, int code, uintptr_t address, bool guarded)
{
    struct watched watched;
    if (!find_watched(address, &watched))
        return MEM_MEND_NOT_OURS;
    bool filled = fill_in(&watched, number, code, address, guarded);
    if (filled || guarded)
        mem_fault_note(watched.log, watched.guest + (address - watched.host));
    return filled ? MEM_MEND_DONE : MEM_MEND_END;
}
