/* shim_watch: fences for what happens outside this process: a descriptor that becomes readable, a change in shared memory. A
 * thread of the core waits for them, made at the first use. */
#ifndef SHIM_SHIM_WATCH_H
#define SHIM_SHIM_WATCH_H

#include <stdbool.h>
#include <stddef.h>

#include <tenfold/queue.h>

struct shim_page;

/* A fence that ends when the descriptor (which is duplicated) is readable or its other end is closed. NULL when out of memory,
 * descriptors or threads. */
struct tf_fence *shim_watch_descriptor(int descriptor);

/* A fence that ends when is_over(page, what) holds; it is asked each time the page's counter of changes moves, and now and then
 * with look_closely, because who would change it may have died. `what` is copied. The page is kept mapped by a mapping of the
 * watch's own. NULL as above. */
struct tf_fence *shim_watch_page(struct shim_page *page,
                                 bool (*is_over)(struct shim_page *page, const void *what, bool look_closely), const void *what,
                                 size_t what_bytes);

/* In a forked child: forgets the threads, which are not there any more. */
void shim_watch_abandon(void);

#endif
