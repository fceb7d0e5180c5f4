/* shim_watch: fences for what happens outside this process. One thread polls descriptors, one waits for changes in shared
 * memory; each is made at its first use and stays. */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "shim/shim_descriptor.h"
#include "shim/shim_page.h"
#include "shim/shim_watch.h"

enum { LOOK_CLOSELY_MS = 100, POLL_MS = 1, MOST_FUTEXES = 127 /* of one wait, ours not counted */ };

/* One thing that is waited for; its thread's, once it is in the list. */
struct item {
    struct item *next;
    struct tf_fence *fence;
    int descriptor;         /* of the descriptors' thread */
    struct shim_page *page; /* of the pages' thread */
    bool (*is_over)(struct shim_page *page, const void *what, bool look_closely);
    uint32_t seen;
    max_align_t what[];
};

/* A thread and what it waits for. */
struct watcher {
    pthread_mutex_t lock; /* guards items and runs */
    struct item *items;
    bool runs;
    int wake;              /* the descriptors' thread: an eventfd */
    _Atomic uint32_t rung; /* the pages' thread: a futex */
};

static struct watcher descriptors = {.lock = PTHREAD_MUTEX_INITIALIZER, .wake = -1},
                      pages = {.lock = PTHREAD_MUTEX_INITIALIZER, .wake = -1};

static void end_item(struct item *item)
{
    tf_fence_signal(item->fence, TF_FENCE_DONE);
    tf_fence_release(item->fence);
    if (item->descriptor >= 0)
        close(item->descriptor);
    if (item->page)
        munmap(item->page, SHIM_PAGE_BYTES);
    free(item);
}

/* -- descriptors -- */

static size_t count_items(const struct item *item)
{
    size_t count = 0;
    for (; item; item = item->next)
        count++;
    return count;
}

/* Ends the items whose descriptors polled ready; polled[0] is the wake-up. New items stand before those that were polled. */
static void end_ready(const struct pollfd *polled, size_t count)
{
    pthread_mutex_lock(&descriptors.lock);
    for (struct item **link = &descriptors.items; *link;) {
        struct item *item = *link;
        bool ready = false;
        for (size_t n = 1; n <= count && !ready; n++)
            ready = polled[n].fd == item->descriptor && polled[n].revents;
        if (ready) {
            *link = item->next;
            end_item(item);
        } else {
            link = &item->next;
        }
    }
    pthread_mutex_unlock(&descriptors.lock);
}

static void *poll_descriptors(void *none)
{
    uint64_t rings;
    (void)none;
    for (;;) {
        pthread_mutex_lock(&descriptors.lock);
        size_t count = count_items(descriptors.items), n = 1;
        struct pollfd *polled = malloc((count + 1) * sizeof *polled);
        for (struct item *item = polled ? descriptors.items : NULL; item; item = item->next)
            polled[n++] = (struct pollfd){.fd = item->descriptor, .events = POLLIN};
        pthread_mutex_unlock(&descriptors.lock);
        if (!polled) {
            usleep(POLL_MS * 1000);
            continue;
        }
        polled[0] = (struct pollfd){.fd = descriptors.wake, .events = POLLIN};
        poll(polled, count + 1, -1);
        if (polled[0].revents && read(descriptors.wake, &rings, sizeof rings) < 0 && errno == EBADF)
            usleep(POLL_MS * 1000); /* the program closed it: go on by looking */
        end_ready(polled, count);
        free(polled);
    }
    return NULL;
}

static void ring_descriptors(void)
{
    uint64_t one = 1;
    while (write(descriptors.wake, &one, sizeof one) < 0 && errno == EINTR)
        continue;
}

/* -- pages -- */

/* Ends the items that are over, and lists the futexes of the others. */
static size_t list_futexes(struct futex_waitv *waits, bool look_closely)
{
    size_t count = 1;
    pthread_mutex_lock(&pages.lock);
    for (struct item **link = &pages.items; *link;) {
        struct item *item = *link;
        item->seen = atomic_load(&item->page->changes);
        if (item->is_over(item->page, item->what, look_closely)) {
            *link = item->next;
            end_item(item);
            continue;
        }
        if (count <= MOST_FUTEXES)
            waits[count] = (struct futex_waitv){.val = item->seen, .uaddr = (uintptr_t)&item->page->changes, .flags = FUTEX_32};
        count++;
        link = &item->next;
    }
    pthread_mutex_unlock(&pages.lock);
    return count;
}

static void *wait_pages(void *none)
{
    static struct futex_waitv waits[MOST_FUTEXES + 1]; /* this one thread's */
    bool look_closely = false;
    (void)none;
    for (;;) {
        uint32_t rung = atomic_load(&pages.rung);
        size_t count = list_futexes(waits, look_closely);
        waits[0] = (struct futex_waitv){.val = rung, .uaddr = (uintptr_t)&pages.rung, .flags = FUTEX_32 | FUTEX_PRIVATE_FLAG};
        struct timespec until;
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += LOOK_CLOSELY_MS * 1000000L;
        until.tv_sec += until.tv_nsec / 1000000000L;
        until.tv_nsec %= 1000000000L;
        if (count == 1) { /* nothing but new items to wait for */
            syscall(SYS_futex, &pages.rung, FUTEX_WAIT_PRIVATE, rung, NULL, NULL, 0);
            continue;
        }
        long result = count > MOST_FUTEXES + 1 ? -1 : syscall(SYS_futex_waitv, waits, count, 0, &until, CLOCK_MONOTONIC);
        look_closely = result < 0 && errno == ETIMEDOUT;
        if (count > MOST_FUTEXES + 1 || (result < 0 && errno == ENOSYS)) {
            static unsigned polls;
            usleep(POLL_MS * 1000);
            look_closely = ++polls % LOOK_CLOSELY_MS == 0;
        }
    }
    return NULL;
}

static void ring_pages(void)
{
    atomic_fetch_add(&pages.rung, 1);
    syscall(SYS_futex, &pages.rung, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

/* -- both -- */

/* Signals of the program are none of these threads' business. */
static bool start_locked(struct watcher *watcher, void *(*run)(void *none))
{
    sigset_t all, before;
    pthread_t thread;
    if (watcher->runs)
        return true;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    watcher->runs = pthread_create(&thread, NULL, run, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (watcher->runs)
        pthread_detach(thread);
    return watcher->runs;
}

/* Hands the item (the caller's until then) to its thread. Returns a reference to its fence. */
static struct tf_fence *hand_over(struct watcher *watcher, struct item *item, void *(*run)(void *none), void (*ring)(void))
{
    struct tf_fence *fence = tf_fence_retain(item->fence);
    pthread_mutex_lock(&watcher->lock);
    bool fine = start_locked(watcher, run);
    if (fine) {
        item->next = watcher->items;
        watcher->items = item;
    }
    pthread_mutex_unlock(&watcher->lock);
    if (fine) {
        ring();
        return fence;
    }
    end_item(item);
    tf_fence_release(fence);
    return NULL;
}

static struct item *create_item(size_t what_bytes)
{
    struct item *item = calloc(1, sizeof *item + what_bytes);
    if (item && tf_fence_create(&item->fence, NULL) != TF_OK) {
        free(item);
        return NULL;
    }
    if (item)
        item->descriptor = -1;
    return item;
}

struct tf_fence *shim_watch_descriptor(int descriptor)
{
    pthread_mutex_lock(&descriptors.lock);
    if (descriptors.wake < 0)
        descriptors.wake = base_descriptor_hide(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    bool fine = descriptors.wake >= 0;
    pthread_mutex_unlock(&descriptors.lock);
    struct item *item = fine ? create_item(0) : NULL;
    if (!item)
        return NULL;
    item->descriptor = base_descriptor_hide(fcntl(descriptor, F_DUPFD_CLOEXEC, 3));
    if (item->descriptor < 0) {
        end_item(item);
        return NULL;
    }
    return hand_over(&descriptors, item, poll_descriptors, ring_descriptors);
}

struct tf_fence *shim_watch_page(struct shim_page *page,
                                 bool (*is_over)(struct shim_page *page, const void *what, bool look_closely), const void *what,
                                 size_t what_bytes)
{
    struct item *item = create_item(what_bytes);
    /* Remapping a shared mapping from size 0 makes a second one. */
    void *own = item ? mremap(page, 0, SHIM_PAGE_BYTES, MREMAP_MAYMOVE) : MAP_FAILED;
    if (own == MAP_FAILED) {
        if (item)
            end_item(item);
        return NULL;
    }
    item->page = own;
    item->is_over = is_over;
    memcpy(item->what, what, what_bytes);
    return hand_over(&pages, item, wait_pages, ring_pages);
}

void shim_watch_abandon(void)
{
    descriptors = (struct watcher){.lock = PTHREAD_MUTEX_INITIALIZER, .wake = -1};
    pages = (struct watcher){.lock = PTHREAD_MUTEX_INITIALIZER, .wake = -1};
}
