/* shim_shared: files that processes share: a buffer's memory, or nothing but the page that says what a syncobj stands for. */
#ifndef SHIM_SHIM_SHARED_H
#define SHIM_SHIM_SHARED_H

#include <stdbool.h>
#include <stdint.h>

#include "shim/shim_descriptor.h"
#include "shim/shim_internal.h"
#include "shim/shim_page.h"

struct shim_shared; /* a mapped page */

/* A new file of bytes + one page, sealed so that it keeps its size; *descriptor is the caller's. NULL with *problem set. */
struct shim_shared *shim_shared_create(enum shim_page_kind kind, uint64_t bytes, int *descriptor, int *problem);
/* The page of a file that came from elsewhere; *bytes is the file's size without it. NULL with *problem set (-EINVAL: it is no
 * such file). */
struct shim_shared *shim_shared_open(enum shim_page_kind kind, int descriptor, uint64_t *bytes, int *problem);
struct shim_shared *shim_shared_hold(struct shim_shared *shared); /* one more closing is due */
void shim_shared_close(struct shim_shared *shared);               /* NULL is fine */
struct shim_page *shim_shared_page(struct shim_shared *shared);

void shim_shared_set_metadata(struct shim_shared *shared, const struct shim_metadata *metadata);
void shim_shared_get_metadata(struct shim_shared *shared, struct shim_metadata *metadata);

/* This process, as owner of something in shared memory. */
void shim_owner_set(struct shim_owner *owner);
/* Whether a process is this one. */
bool shim_owner_is_self(const struct shim_owner *owner);
/* False when it certainly has ended. */
bool shim_owner_lives(const struct shim_owner *owner);

/* Tells who waits that something changed. */
void shim_shared_ring(struct shim_shared *shared);

/* -- work on a shared buffer -- */

/* Work of this process on the buffer begins, and ends with the fence. */
void shim_shared_begin(struct shim_shared *shared, struct tf_fence *done);
/* A fence that ends when the work that other processes have begun on the buffer has ended; retained; NULL when there is none. */
struct tf_fence *shim_shared_others(struct shim_shared *shared);

#endif
