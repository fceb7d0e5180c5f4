/* base_arena: memory that is handed out piece by piece and given back all at once. */
#ifndef BASE_BASE_ARENA_H
#define BASE_BASE_ARENA_H

#include <stddef.h>

struct base_arena_chunk;

/* Owned by whoever declared it; zero-initialised is empty. Pieces live until base_arena_finish. */
struct base_arena {
    struct base_arena_chunk *chunks;
};

/* Zeroed memory, aligned for any type; NULL when the host has none. */
void *base_arena_alloc(struct base_arena *arena, size_t size);
/* A zero-terminated copy of size bytes of text; zero bytes inside end it early. NULL when the host has no memory. */
char *base_arena_text(struct base_arena *arena, const char *text, size_t size);
/* Grows an array of `*capacity` items to hold at least `count`: returns the old place or a larger copy, NULL when the host has no
 * memory (the old array stays). The old copy stays in the arena, so growing doubles. */
void *base_arena_grow(struct base_arena *arena, void *items, size_t item_size, size_t count, size_t *capacity);
void base_arena_finish(struct base_arena *arena);

#endif
