/* shim_table: handles: small numbers from 1 that stand for objects. */
#include <stdlib.h>

#include "shim/shim_table.h"

enum { FIRST_CAPACITY = 64 };
static const uint32_t most_handles = UINT32_C(1) << 24; /* GEM_MMAP's offsets have room for this many */

static bool grow(struct shim_table *table)
{
    uint32_t capacity = table->capacity ? table->capacity * 2 : FIRST_CAPACITY;
    void **slots = capacity > most_handles ? NULL : realloc(table->slots, capacity * sizeof *slots);
    if (!slots)
        return false;
    table->slots = slots;
    table->capacity = capacity;
    return true;
}

uint32_t shim_table_add(struct shim_table *table, void *object)
{
    uint32_t place = table->lowest;
    while (place < table->count && table->slots[place])
        place++;
    if (place == table->capacity && !grow(table))
        return 0;
    if (place == table->count)
        table->count++;
    table->slots[place] = object;
    table->lowest = place + 1;
    return place + 1;
}

void *shim_table_find(const struct shim_table *table, uint32_t handle)
{
    return handle && handle <= table->count ? table->slots[handle - 1] : NULL;
}

void *shim_table_remove(struct shim_table *table, uint32_t handle)
{
    void *object = shim_table_find(table, handle);
    if (object) {
        table->slots[handle - 1] = NULL;
        if (handle - 1 < table->lowest)
            table->lowest = handle - 1;
    }
    return object;
}

void *shim_table_next(const struct shim_table *table, uint32_t *handle)
{
    while (*handle < table->count)
        if (table->slots[(*handle)++])
            return table->slots[*handle - 1];
    return NULL;
}

void shim_table_finish(struct shim_table *table)
{
    free(table->slots);
    *table = (struct shim_table){0};
}
