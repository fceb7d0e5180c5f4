/* mem_track: which pages of the host's memory were written since somebody last asked: by the kernel's asynchronous write protection
 * (userfaultfd, and PAGEMAP_SCAN of Linux 6.7), which also sees what system calls write.
 *
 * Roles and owners:
 *   mem_track  the process's memory under watch, for one owner; create, destroy; its functions may be called from any thread.
 *
 * Memory is watched where it is mapped: writes through another mapping of the same file are not seen, nor memory that is given back to the
 * host (madvise) and reads as zeros then. Memory that is unmapped is watched no more.
 */
#ifndef MEMORY_MEM_TRACK_H
#define MEMORY_MEM_TRACK_H

#include <stdbool.h>
#include <stdint.h>

struct mem_track;

struct mem_track *mem_track_create(void);        /* NULL: the host has no such thing */
void mem_track_destroy(struct mem_track *track); /* NULL is fine */

/* Whole host pages, which count as not written from now on. False: the host can't watch them. */
bool mem_track_begin(struct mem_track *track, void *host, uint64_t size);
void mem_track_end(struct mem_track *track, void *host, uint64_t size); /* it may be unmapped already */
/* Tells of each stretch inside [host, host + size) that was written since the last call or the beginning. False: nobody knows, for instance
 * because something else is mapped there now. */
bool mem_track_take(struct mem_track *track, void *host, uint64_t size,
                    void (*written)(void *user, uint64_t offset, uint64_t bytes), void *user);

#endif
