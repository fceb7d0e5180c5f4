/* mem_internal: what the files of memory/ share and nobody else sees. */
#ifndef MEMORY_MEM_INTERNAL_H
#define MEMORY_MEM_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "memory/memory.h"

/* One reservation of addresses, PROT_NONE wherever nothing is allocated. */
struct mem_window {
    uint64_t base, size;
};

/* An allocation or mapping. Counted: each snapshot that shows it holds one reference; the last one gives its memory back. */
struct mem_block {
    atomic_size_t references;
    struct mem_space *space;
    uint64_t start, size; /* guest addresses */
    uint8_t *host;
    bool ours;                             /* allocated in the window, so the last reference empties its pages */
    struct mem_block *previous, *next_one; /* the space's live blocks; guarded by the space's lock */
};

/* One entry of a snapshot. */
struct mem_entry {
    struct mem_run run;
    struct mem_block *block;
};

struct mem_snapshot {
    atomic_size_t references;
    size_t count;
    struct mem_entry entries[]; /* by ascending start; never overlapping */
};

struct mem_space {
    struct mem_window window;
    pthread_mutex_t lock;          /* guards what follows, not the snapshots themselves */
    struct mem_snapshot *snapshot; /* the newest; the space holds one reference */
    struct mem_block *blocks;      /* all that still exist, also those that only old snapshots show */
    uint64_t next;                 /* where the next allocation looks first */
};

/* mem_window: the reservation. */
bool mem_window_reserve(struct mem_window *window, uint64_t bytes);
void mem_window_release(struct mem_window *window);
bool mem_window_commit(uint64_t address, uint64_t size);
/* Back to PROT_NONE and empty. */
void mem_window_decommit(uint64_t address, uint64_t size);
bool mem_window_overlaps(const struct mem_window *window, uint64_t address, uint64_t size);
uint64_t mem_page_size(void);
/* Allocations of this size and up lie at a multiple of it, so that the host can back them with huge pages. */
static const uint64_t mem_huge_page = UINT64_C(2) << 20;

/* mem_snapshot: building the next one. */
struct mem_snapshot *mem_snapshot_empty(void);
/* before plus the entries (of one block, sorted, free of overlap with before). NULL when out of memory. */
struct mem_snapshot *mem_snapshot_with(const struct mem_snapshot *before, const struct mem_entry *entries, size_t count);
struct mem_snapshot *mem_snapshot_without(const struct mem_snapshot *before, const struct mem_block *block);
/* The entry that holds address, or NULL. */
const struct mem_entry *mem_snapshot_entry(const struct mem_snapshot *snapshot, uint64_t address);
bool mem_snapshot_overlaps(const struct mem_snapshot *snapshot, uint64_t address, uint64_t size);

/* mem_space: drops a reference to a block. */
void mem_block_release(struct mem_block *block);

#endif
