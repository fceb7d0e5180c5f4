/* capture_space: which buffer a guest address belongs to, as a capture's VA operations say. */
#ifndef CAPTURE_CAPTURE_SPACE_H
#define CAPTURE_CAPTURE_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/base_error.h"
#include "capture/capture.h"

struct capture_mapping {
    uint64_t address; /* canonical: 48 bits, sign-extended */
    uint64_t bytes;
    uint32_t buffer; /* 0: a PRT range */
    uint32_t flags;
    uint64_t offset; /* in the buffer */
};

/* A mapping in its places: the tree of all, and the list of its buffer's. Owned by the space. */
struct capture_space_node {
    struct capture_mapping mapping; /* first: what the tree compares */
    struct capture_space_node *next, **link;
};

/* Mappings, which do not overlap: a balanced tree, so that a hostile number of them costs no more than any. Owned by whoever
 * declared it; zero-initialised is empty. */
struct capture_space {
    void *tree; /* of struct capture_space_node, as tsearch() keeps them */
    size_t count;
    struct capture_space_node **buffers; /* buffer n: its mappings */
    size_t buffer_capacity;
};

/* The address with bit 47 repeated above it. */
static inline uint64_t capture_address_canonical(uint64_t address)
{
    return (uint64_t)((int64_t)(address << 16) >> 16);
}

/* False (and nothing changes) where something is mapped already, or there are too many mappings. */
bool capture_space_map(struct capture_space *space, const struct capture_mapping *mapping, struct base_error *error);
/* Ends the mapping that begins at address; false when none does, or it is of another buffer (0: of any). */
bool capture_space_unmap(struct capture_space *space, uint64_t address, uint32_t buffer, struct base_error *error);
/* Takes everything in the range away; mappings at its borders keep their other parts. */
bool capture_space_clear(struct capture_space *space, uint64_t address, uint64_t bytes, struct base_error *error);
/* Ends all mappings of a buffer. */
void capture_space_forget(struct capture_space *space, uint32_t buffer);
/* Carries out one VA operation whose numbers were checked by themselves. */
bool capture_space_apply(struct capture_space *space, enum capture_va_operation operation, const struct capture_mapping *mapping,
                         struct base_error *error);
/* The mapping that holds the address (in either form), or NULL. */
const struct capture_mapping *capture_space_find(const struct capture_space *space, uint64_t address);
/* A mapping of the buffer, or NULL. */
const struct capture_mapping *capture_space_of(const struct capture_space *space, uint32_t buffer);
/* Gives all mappings in the order of their addresses. */
void capture_space_each(const struct capture_space *space, void (*give)(const struct capture_mapping *mapping, void *user),
                        void *user);
void capture_space_finish(struct capture_space *space);

#endif
