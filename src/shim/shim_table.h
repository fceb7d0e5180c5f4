/* shim_table: handles: small numbers from 1 that stand for objects. */
#ifndef SHIM_SHIM_TABLE_H
#define SHIM_SHIM_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zero-initialised is empty. Guarded by whoever owns it. */
struct shim_table {
    void **slots; /* slots[handle - 1]; NULL: free */
    uint32_t count, capacity;
    uint32_t lowest; /* no handle below lowest + 1 is free */
};

/* The lowest free handle, which stands for object (not NULL) from now on. 0 when out of memory. */
uint32_t shim_table_add(struct shim_table *table, void *object);
/* What a handle stands for, or NULL. */
void *shim_table_find(const struct shim_table *table, uint32_t handle);
/* Frees a handle and returns what it stood for, or NULL. */
void *shim_table_remove(struct shim_table *table, uint32_t handle);
/* Objects in the order of their handles: begin with *handle = 0; NULL past the last. */
void *shim_table_next(const struct shim_table *table, uint32_t *handle);
/* Frees the table, not the objects. */
void shim_table_finish(struct shim_table *table);

#endif
