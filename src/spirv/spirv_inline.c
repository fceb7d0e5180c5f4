/* How much code a module is where the host's compiler puts every function in the place of its calls. */
#include <stdlib.h>

#include "spirv/spirv_words.h"

enum { HEADER = 5, BOUND_AT = 3, ENTERED = UINT32_MAX };

struct inlining {
    const uint32_t *words;
    size_t count;
    uint32_t *start, *size; /* by id of a function: where it begins, and its instructions */
    uint32_t bound;
};

static uint32_t sum(uint32_t a, uint32_t b)
{
    return a > SPIRV_INLINED_MOST - b ? SPIRV_INLINED_MOST : a + b;
}

/* Functions call no function that calls them. */
static uint32_t size_of(struct inlining *in, uint32_t id)
{
    enum { CALLED = 3 };
    if (id >= in->bound || !in->start[id] || in->size[id] == ENTERED)
        return 0;
    if (in->size[id])
        return in->size[id];
    uint32_t size = 0;
    in->size[id] = ENTERED;
    for (size_t at = in->start[id]; at < in->count && (in->words[at] & 0xffff) != OP_FUNCTION_END; at += in->words[at] >> 16)
        size = sum(size, (in->words[at] & 0xffff) == OP_FUNCTION_CALL ? size_of(in, in->words[at + CALLED]) : 1);
    return in->size[id] = size;
}

uint32_t *spirv_inlined_sizes(const uint32_t *words, size_t count)
{
    struct inlining in = {.words = words, .count = count, .bound = words[BOUND_AT]};
    in.start = calloc(in.bound, sizeof *in.start);
    in.size = calloc(in.bound, sizeof *in.size);
    if (in.start && in.size) {
        for (size_t at = HEADER; at < count; at += words[at] >> 16)
            if ((words[at] & 0xffff) == OP_FUNCTION)
                in.start[words[at + 2]] = (uint32_t)at;
        for (uint32_t id = 0; id < in.bound; id++)
            size_of(&in, id);
    } else {
        free(in.size);
        in.size = NULL;
    }
    free(in.start);
    return in.size;
}
