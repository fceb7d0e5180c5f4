/* memory: one guest address space: what is mapped where, and how the host reaches it.
 *
 * Roles and owners:
 *   mem_space     the address space; created and destroyed by its owner; its functions may be called from any thread.
 *   mem_snapshot  what was mapped at one moment, immutable; counted: each acquire needs a release. Memory that a snapshot shows stays
 *                 where it is until the last snapshot that shows it is released, even when it is unmapped meanwhile.
 *   mem_run       a piece of mapped guest memory, as a snapshot shows it; plain data.
 *
 * A space reserves a window of the process's addresses (nothing of the process itself can be inside it) and hands out guest memory
 * from it, so that a guest address in the window is also the host's. Memory of the caller's may be mapped at any address outside it.
 */
#ifndef MEMORY_MEMORY_H
#define MEMORY_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/base_error.h"

struct mem_space;
struct mem_snapshot;

struct mem_run {
    uint64_t start, size; /* guest addresses start .. start + size - 1; never wraps */
    uint8_t *host;        /* where start lies in the host */
    bool writable;        /* by the guest */
};

/* What a stretch of an allocation is to the guest: pieces of one allocation may differ. */
struct mem_piece {
    uint64_t offset, size; /* inside the allocation; ascending, not overlapping */
    bool writable;
};

/* A new space with a window of about window_bytes (less where the host refuses so much). NULL when it refuses any. */
struct mem_space *mem_space_create(uint64_t window_bytes, struct base_error *error);
/* NULL is fine. No snapshot may be held any more. */
void mem_space_destroy(struct mem_space *space);

/* Zeroed memory of size bytes (1 or more) inside the window, guarded on both sides by memory that is never mapped. align is a power
 * of two. The guest sees `pieces` of it, or all of it writable when piece_count is 0. */
bool mem_space_alloc(struct mem_space *space, uint64_t size, uint64_t align, const struct mem_piece *pieces, size_t piece_count,
                     uint64_t *address, struct base_error *error);
/* The caller's memory at host, shown to the guest at address, outside the window. It must stay until it is unmapped and no snapshot
 * shows it any more. */
bool mem_space_map(struct mem_space *space, uint64_t address, void *host, uint64_t size, bool writable, struct base_error *error);
/* Takes away what mem_space_alloc returned at address, or what was mapped there; *size (when not NULL) is how much that was. */
bool mem_space_unmap(struct mem_space *space, uint64_t address, uint64_t *size, struct base_error *error);

/* The host's own access: all of the range must be mapped. Writes ignore that a run is read-only to the guest. */
bool mem_space_read(struct mem_space *space, uint64_t address, void *to, uint64_t size, struct base_error *error);
bool mem_space_write(struct mem_space *space, uint64_t address, const void *from, uint64_t size, struct base_error *error);
/* Where the host reaches [address, address + size), or NULL when that is not all inside one allocation or mapping. */
void *mem_space_pointer(struct mem_space *space, uint64_t address, uint64_t size);

/* The window: nothing outside it was allocated by the space. */
void mem_space_window(const struct mem_space *space, uint64_t *base, uint64_t *size);

struct mem_snapshot *mem_snapshot_acquire(struct mem_space *space);
void mem_snapshot_release(struct mem_snapshot *snapshot); /* NULL is fine */
/* The run that holds address. */
bool mem_snapshot_find(const struct mem_snapshot *snapshot, uint64_t address, struct mem_run *run);
size_t mem_snapshot_count(const struct mem_snapshot *snapshot);

#endif
