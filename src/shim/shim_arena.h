/* shim_arena: shared memory that many buffers lie in, so that a buffer costs no descriptor. */
#ifndef SHIM_SHIM_ARENA_H
#define SHIM_SHIM_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct shim_block; /* one memory file; the arena's */

struct shim_arena {
    struct shim_block **blocks;
    size_t block_count;
};

/* A piece of an arena's memory. */
struct shim_piece {
    struct shim_block *block;
    uint64_t offset, bytes;
};

/* Zeroed memory, bytes (a multiple of the page size). False when the host refuses. */
bool shim_arena_take(struct shim_arena *arena, uint64_t bytes, struct shim_piece *piece);
/* Gives the memory back to the host. Nobody may use it any more. */
void shim_arena_give(struct shim_arena *arena, const struct shim_piece *piece);
/* The memory file that the piece lies in, at piece->offset; the arena's. */
int shim_piece_descriptor(const struct shim_piece *piece);
/* Closes what is there; for a process that gives the arena up. Mappings stay. */
void shim_arena_finish(struct shim_arena *arena);

#endif
