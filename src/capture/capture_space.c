/* capture_space: which buffer a guest address belongs to, as a capture's VA operations say. */
#include "capture/capture_space.h"

#include <inttypes.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "capture/capture_format.h"

static uint64_t last_of(const struct capture_mapping *mapping)
{
    return mapping->address + (mapping->bytes - 1);
}

/* Ranges that meet are equal to the tree: so a search finds what is in the way, and mappings have one order. */
static int compare(const void *a, const void *b)
{
    const struct capture_mapping *left = a, *right = b;
    if (last_of(left) < right->address)
        return -1;
    return left->address > last_of(right);
}

/* A mapping that meets the range, or NULL. */
static struct capture_space_node *meeting(const struct capture_space *space, uint64_t address, uint64_t bytes)
{
    struct capture_mapping range = {.address = address, .bytes = bytes};
    void *found = tfind(&range, &space->tree, compare);
    return found ? *(struct capture_space_node **)found : NULL;
}

static bool reserve_buffer(struct capture_space *space, uint32_t buffer)
{
    size_t capacity = space->buffer_capacity ? space->buffer_capacity : 64;
    if (buffer < space->buffer_capacity)
        return true;
    while (capacity <= buffer)
        capacity *= 2;
    struct capture_space_node **grown = realloc(space->buffers, capacity * sizeof(struct capture_space_node *));
    if (!grown)
        return false;
    memset(grown + space->buffer_capacity, 0, (capacity - space->buffer_capacity) * sizeof(struct capture_space_node *));
    for (size_t n = 0; n < space->buffer_capacity; n++)
        if (grown[n])
            grown[n]->link = &grown[n];
    space->buffers = grown;
    space->buffer_capacity = capacity;
    return true;
}

static bool insert(struct capture_space *space, const struct capture_mapping *mapping, struct base_error *error)
{
    if (space->count >= CAPTURE_MOST_MAPPINGS)
        return base_error_set(error, "more than %d mappings", CAPTURE_MOST_MAPPINGS);
    struct capture_space_node *node = reserve_buffer(space, mapping->buffer) ? malloc(sizeof *node) : NULL;
    if (node)
        node->mapping = *mapping;
    if (!node || !tsearch(node, &space->tree, compare)) {
        free(node);
        return base_error_set(error, "out of memory");
    }
    node->link = &space->buffers[mapping->buffer];
    node->next = *node->link;
    if (node->next)
        node->next->link = &node->next;
    *node->link = node;
    space->count++;
    return true;
}

static void take(struct capture_space *space, struct capture_space_node *node)
{
    tdelete(node, &space->tree, compare);
    *node->link = node->next;
    if (node->next)
        node->next->link = node->link;
    free(node);
    space->count--;
}

bool capture_space_map(struct capture_space *space, const struct capture_mapping *mapping, struct base_error *error)
{
    const struct capture_space_node *there = meeting(space, mapping->address, mapping->bytes);
    if (there)
        return base_error_set(error, "address 0x%" PRIx64 " is mapped already",
                              there->mapping.address > mapping->address ? there->mapping.address : mapping->address);
    return insert(space, mapping, error);
}

bool capture_space_unmap(struct capture_space *space, uint64_t address, uint32_t buffer, struct base_error *error)
{
    struct capture_space_node *node = meeting(space, address, 1);
    if (!node || node->mapping.address != address || (buffer && node->mapping.buffer != buffer))
        return base_error_set(error, "no mapping of buffer %" PRIu32 " begins at address 0x%" PRIx64, buffer, address);
    take(space, node);
    return true;
}

bool capture_space_clear(struct capture_space *space, uint64_t address, uint64_t bytes, struct base_error *error)
{
    uint64_t last = address + (bytes - 1);
    for (struct capture_space_node *node; (node = meeting(space, address, bytes));) {
        struct capture_mapping behind = node->mapping;
        uint64_t node_last = last_of(&behind);
        behind.bytes = node_last - last;
        behind.offset += behind.buffer ? last + 1 - behind.address : 0;
        behind.address = last + 1;
        if (node->mapping.address < address)
            node->mapping.bytes = address - node->mapping.address;
        else
            take(space, node);
        if (node_last > last && !insert(space, &behind, error))
            return false;
    }
    return true;
}

void capture_space_forget(struct capture_space *space, uint32_t buffer)
{
    while (buffer < space->buffer_capacity && space->buffers[buffer])
        take(space, space->buffers[buffer]);
}

bool capture_space_apply(struct capture_space *space, enum capture_va_operation operation, const struct capture_mapping *mapping,
                         struct base_error *error)
{
    switch (operation) {
    case CAPTURE_VA_MAP: return capture_space_map(space, mapping, error);
    case CAPTURE_VA_UNMAP: return capture_space_unmap(space, mapping->address, mapping->buffer, error);
    case CAPTURE_VA_CLEAR: return capture_space_clear(space, mapping->address, mapping->bytes, error);
    case CAPTURE_VA_REPLACE:
        return capture_space_clear(space, mapping->address, mapping->bytes, error) && capture_space_map(space, mapping, error);
    }
    return base_error_set(error, "there is no VA operation %d", (int)operation);
}

const struct capture_mapping *capture_space_find(const struct capture_space *space, uint64_t address)
{
    const struct capture_space_node *node = meeting(space, capture_address_canonical(address), 1);
    return node ? &node->mapping : NULL;
}

const struct capture_mapping *capture_space_of(const struct capture_space *space, uint32_t buffer)
{
    return buffer < space->buffer_capacity && space->buffers[buffer] ? &space->buffers[buffer]->mapping : NULL;
}

struct giving {
    void (*give)(const struct capture_mapping *mapping, void *user);
    void *user;
};

static void give_node(const void *place, VISIT visit, void *user)
{
    const struct giving *giving = user;
    if (visit == postorder || visit == leaf) /* between its branches, so in order */
        giving->give(&(*(struct capture_space_node *const *)place)->mapping, giving->user);
}

void capture_space_each(const struct capture_space *space, void (*give)(const struct capture_mapping *mapping, void *user),
                        void *user)
{
    struct giving giving = {give, user};
    twalk_r(space->tree, give_node, &giving);
}

void capture_space_finish(struct capture_space *space)
{
    tdestroy(space->tree, free);
    free(space->buffers);
    *space = (struct capture_space){0};
}
