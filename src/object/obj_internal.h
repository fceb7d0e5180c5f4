/* obj_internal: what the files of object/ share and nobody else sees. */
#ifndef OBJECT_OBJ_INTERNAL_H
#define OBJECT_OBJ_INTERNAL_H

#include "base/base_arena.h"
#include "base/base_bytes.h"
#include "object/object.h"

/* A symbol of the dynamic symbol table. */
struct obj_symbol {
    const char *name; /* points into the file's copy */
    uint64_t value, size;
    bool defined, weak;
};

/* A relocation of the dynamic tables. */
struct obj_relocation {
    uint64_t offset; /* in the image */
    uint32_t type, symbol;
    int64_t addend;
};

/* The whole of an object; obj_object is its first member. Everything it points at lies in the arena. */
struct obj_whole {
    struct obj_object object;
    struct base_arena arena;
    struct base_bytes file; /* our copy */
    struct obj_symbol *symbols;
    size_t symbol_count;
    uint32_t *by_name; /* indices of the named, defined symbols in the order of their names */
    size_t by_name_count;
    struct obj_relocation *relocations;
    size_t relocation_count;
    struct base_bytes metadata; /* the msgpack document; empty when there is none */
};

/* obj_elf: header, program headers, notes. */
bool obj_elf_read(struct obj_whole *whole, struct base_error *error);
/* The file's bytes behind [address, address + size) of the image, which must lie in one segment's file part. */
bool obj_elf_bytes_at(const struct obj_whole *whole, uint64_t address, uint64_t size, struct base_bytes *bytes);
/* The segment that holds all of [address, address + size), or NULL. */
const struct obj_segment *obj_elf_segment_at(const struct obj_whole *whole, uint64_t address, uint64_t size);

/* obj_dynamic: the dynamic section's symbols and relocations; table lies at [address, address + size) of the image. */
bool obj_dynamic_read(struct obj_whole *whole, uint64_t address, uint64_t size, struct base_error *error);
/* The defined symbol of that name, or NULL. */
const struct obj_symbol *obj_symbol_find(const struct obj_whole *whole, const char *name);

/* obj_metadata: kernels as the metadata describes them, without their descriptors. */
bool obj_metadata_read(struct obj_whole *whole, struct obj_kernel **kernels, size_t *count, struct base_error *error);

/* obj_kernel: kernels from metadata and symbols, each with its descriptor checked. */
bool obj_kernels_read(struct obj_whole *whole, struct base_error *error);

#endif
