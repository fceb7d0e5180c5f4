/* shim_arena: shared memory that many buffers lie in, so that a buffer costs no descriptor. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "shim/shim_arena.h"
#include "shim/shim_descriptor.h"

/* Files are sparse: a block costs nothing until its memory is touched. Offsets stay below those that stand for buffers in mmap. */
static const uint64_t block_bytes = UINT64_C(1) << 35;

struct shim_hole {
    uint64_t offset, bytes;
};

struct shim_block {
    int descriptor;
    struct base_identity identity;
    uint64_t bytes;
    struct shim_hole *holes; /* free pieces, ascending, never touching each other */
    size_t hole_count, hole_capacity;
};

static bool reserve_hole(struct shim_block *block)
{
    if (block->hole_count < block->hole_capacity)
        return true;
    size_t capacity = block->hole_capacity ? block->hole_capacity * 2 : 16;
    struct shim_hole *holes = realloc(block->holes, capacity * sizeof *holes);
    if (!holes)
        return false;
    block->holes = holes;
    block->hole_capacity = capacity;
    return true;
}

static uint64_t largest_file(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) || limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur > block_bytes)
        return block_bytes;
    return limit.rlim_cur & ~UINT64_C(0xffff);
}

static struct shim_block *add_block(struct shim_arena *arena, uint64_t bytes)
{
    uint64_t size = largest_file();
    struct shim_block *block = size < bytes ? NULL : calloc(1, sizeof *block);
    struct shim_block **blocks = block ? realloc(arena->blocks, (arena->block_count + 1) * sizeof *blocks) : NULL;
    if (blocks)
        arena->blocks = blocks;
    if (!blocks || !reserve_hole(block) || (block->descriptor = shim_descriptor_memory("tenfold-arena", size)) < 0) {
        if (block)
            free(block->holes);
        free(block);
        return NULL;
    }
    base_descriptor_identify(block->descriptor, &block->identity);
    block->bytes = size;
    block->holes[block->hole_count++] = (struct shim_hole){0, size};
    return arena->blocks[arena->block_count++] = block;
}

/* The first hole that is large enough. */
static bool take_from(struct shim_block *block, uint64_t bytes, struct shim_piece *piece)
{
    for (size_t n = 0; n < block->hole_count; n++) {
        struct shim_hole *hole = &block->holes[n];
        if (hole->bytes < bytes)
            continue;
        *piece = (struct shim_piece){block, hole->offset, bytes};
        hole->offset += bytes;
        hole->bytes -= bytes;
        if (!hole->bytes)
            memmove(hole, hole + 1, (--block->hole_count - n) * sizeof *hole);
        return true;
    }
    return false;
}

bool shim_arena_take(struct shim_arena *arena, uint64_t bytes, struct shim_piece *piece)
{
    for (size_t n = 0; n < arena->block_count; n++)
        if (take_from(arena->blocks[n], bytes, piece))
            return true;
    struct shim_block *block = add_block(arena, bytes);
    return block && take_from(block, bytes, piece);
}

/* Makes one hole of hole n and the next where they touch. */
static void join_next(struct shim_block *block, size_t n)
{
    struct shim_hole *left = &block->holes[n], *right = left + 1;
    if (n + 1 == block->hole_count || left->offset + left->bytes != right->offset)
        return;
    left->bytes += right->bytes;
    memmove(right, right + 1, (--block->hole_count - n - 1) * sizeof *right);
}

void shim_arena_give(struct shim_arena *arena, const struct shim_piece *piece)
{
    struct shim_block *block = piece->block;
    size_t n = 0;
    (void)arena;
    /* Memory that could not be emptied would show old contents to the next buffer: it is not handed out again. The same where
     * there is no memory for the list. */
    if (fallocate(block->descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)piece->offset, (off_t)piece->bytes) ||
        !reserve_hole(block))
        return;
    while (n < block->hole_count && block->holes[n].offset < piece->offset)
        n++;
    memmove(&block->holes[n + 1], &block->holes[n], (block->hole_count++ - n) * sizeof *block->holes);
    block->holes[n] = (struct shim_hole){piece->offset, piece->bytes};
    join_next(block, n);
    if (n)
        join_next(block, n - 1);
}

int shim_piece_descriptor(const struct shim_piece *piece)
{
    return piece->block->descriptor;
}

void shim_arena_finish(struct shim_arena *arena)
{
    for (size_t n = 0; n < arena->block_count; n++) {
        base_descriptor_close(arena->blocks[n]->descriptor, arena->blocks[n]->identity);
        free(arena->blocks[n]->holes);
        free(arena->blocks[n]);
    }
    free(arena->blocks);
    *arena = (struct shim_arena){0};
}
