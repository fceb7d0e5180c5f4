/* base_arena: chunks of at least 4 KiB, handed out front to back. */
#include "base/base_arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK_BYTES = 4096, PIECE_ALIGN = alignof(max_align_t), FIRST_ITEMS = 8 };

struct base_arena_chunk {
    struct base_arena_chunk *next;
    size_t used, size;
    alignas(PIECE_ALIGN) uint8_t bytes[];
};

static struct base_arena_chunk *add_chunk(struct base_arena *arena, size_t size)
{
    size_t bytes = size > CHUNK_BYTES ? size : CHUNK_BYTES;
    if (bytes > SIZE_MAX - sizeof(struct base_arena_chunk))
        return NULL;
    struct base_arena_chunk *chunk = calloc(1, sizeof *chunk + bytes);
    if (!chunk)
        return NULL;
    chunk->size = bytes;
    chunk->next = arena->chunks;
    arena->chunks = chunk;
    return chunk;
}

void *base_arena_alloc(struct base_arena *arena, size_t size)
{
    if (size > SIZE_MAX / 2)
        return NULL;
    size = (size + PIECE_ALIGN - 1) / PIECE_ALIGN * PIECE_ALIGN;
    struct base_arena_chunk *chunk = arena->chunks;
    if (!chunk || chunk->size - chunk->used < size)
        chunk = add_chunk(arena, size);
    if (!chunk)
        return NULL;
    void *piece = chunk->bytes + chunk->used;
    chunk->used += size;
    return piece;
}

char *base_arena_text(struct base_arena *arena, const char *text, size_t size)
{
    if (size == SIZE_MAX)
        return NULL;
    char *copy = base_arena_alloc(arena, size + 1);
    if (copy && size)
        memcpy(copy, text, size);
    return copy;
}

void *base_arena_grow(struct base_arena *arena, void *items, size_t item_size, size_t count, size_t *capacity)
{
    if (count <= *capacity)
        return items;
    size_t wanted = *capacity ? *capacity : FIRST_ITEMS;
    while (wanted < count) {
        if (wanted > SIZE_MAX / 4 / item_size)
            return NULL;
        wanted *= 2;
    }
    void *larger = base_arena_alloc(arena, wanted * item_size);
    if (!larger)
        return NULL;
    if (*capacity)
        memcpy(larger, items, *capacity * item_size);
    *capacity = wanted;
    return larger;
}

void base_arena_finish(struct base_arena *arena)
{
    while (arena->chunks) {
        struct base_arena_chunk *next = arena->chunks->next;
        free(arena->chunks);
        arena->chunks = next;
    }
}
