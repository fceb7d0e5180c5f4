/* obj_image: lays the segments out in memory and applies the relocations. */
#include <inttypes.h>
#include <string.h>

#include "object/obj_internal.h"

/* What a relocation computes before it is cut to its width: S symbol, A addend, P place, B load address. */
enum reloc_base { RELOC_NONE, RELOC_ABSOLUTE /* S + A */, RELOC_RELATIVE /* S + A - P */, RELOC_LOAD /* B + A */ };

/* Every R_AMDGPU relocation that a linked object may carry. */
static const struct reloc_kind {
    const char *name;
    uint8_t base;  /* enum reloc_base */
    uint8_t bytes; /* written */
    uint8_t shift; /* of the value: 32 takes the high word */
    bool cut;      /* takes the low word of a 64-bit value; otherwise the value must fit */
} reloc_kinds[] = {
    [0] = {"R_AMDGPU_NONE", RELOC_NONE, 0, 0, false},          [1] = {"R_AMDGPU_ABS32_LO", RELOC_ABSOLUTE, 4, 0, true},
    [2] = {"R_AMDGPU_ABS32_HI", RELOC_ABSOLUTE, 4, 32, true},  [3] = {"R_AMDGPU_ABS64", RELOC_ABSOLUTE, 8, 0, false},
    [4] = {"R_AMDGPU_REL32", RELOC_RELATIVE, 4, 0, false},     [5] = {"R_AMDGPU_REL64", RELOC_RELATIVE, 8, 0, false},
    [6] = {"R_AMDGPU_ABS32", RELOC_ABSOLUTE, 4, 0, false},     [10] = {"R_AMDGPU_REL32_LO", RELOC_RELATIVE, 4, 0, true},
    [11] = {"R_AMDGPU_REL32_HI", RELOC_RELATIVE, 4, 32, true}, [13] = {"R_AMDGPU_RELATIVE64", RELOC_LOAD, 8, 0, false},
};

static const struct reloc_kind *kind_of(uint32_t type)
{
    bool known = type < sizeof reloc_kinds / sizeof reloc_kinds[0] && reloc_kinds[type].name;
    return known ? &reloc_kinds[type] : NULL;
}

/* The guest address that a relocation's symbol stands for. */
static bool resolve_symbol(const struct obj_whole *whole, const struct obj_relocation *reloc, uint64_t load_address,
                           uint64_t *value, struct base_error *error)
{
    *value = 0;
    if (!reloc->symbol)
        return true;
    if (reloc->symbol >= whole->symbol_count)
        return base_error_set(error, "relocation at 0x%" PRIx64 ": symbol %" PRIu32 " of %zu", reloc->offset, reloc->symbol,
                              whole->symbol_count);
    const struct obj_symbol *symbol = &whole->symbols[reloc->symbol];
    if (!symbol->defined && !symbol->weak)
        return base_error_set(error, "relocation at 0x%" PRIx64 ": symbol '%s' is defined nowhere", reloc->offset, symbol->name);
    if (symbol->defined)
        *value = load_address + symbol->value;
    return true;
}

static bool value_fits(const struct reloc_kind *kind, uint64_t value)
{
    if (kind->cut || kind->bytes == 8)
        return true;
    return kind->base == RELOC_RELATIVE ? (int64_t)value == (int32_t)value : value == (uint32_t)value;
}

static bool apply(const struct obj_whole *whole, const struct obj_relocation *reloc, uint8_t *image, uint64_t load_address,
                  struct base_error *error)
{
    const struct reloc_kind *kind = kind_of(reloc->type);
    if (!kind)
        return base_error_set(error, "relocation at 0x%" PRIx64 ": type %" PRIu32 " is not supported", reloc->offset,
                              reloc->type);
    if (!obj_elf_segment_at(whole, reloc->offset, kind->bytes))
        return base_error_set(error, "relocation at 0x%" PRIx64 ": its place is outside the segments", reloc->offset);
    uint64_t symbol;
    if (!resolve_symbol(whole, reloc, load_address, &symbol, error))
        return false;
    uint64_t value = (kind->base == RELOC_LOAD ? load_address : symbol) + (uint64_t)reloc->addend;
    if (kind->base == RELOC_RELATIVE)
        value -= load_address + reloc->offset;
    if (!value_fits(kind, value))
        return base_error_set(error, "relocation at 0x%" PRIx64 ": %s cannot hold 0x%" PRIx64, reloc->offset, kind->name, value);
    value >>= kind->shift;
    if (kind->bytes == 8)
        base_put_u64(image + reloc->offset, value);
    else if (kind->bytes == 4)
        base_put_u32(image + reloc->offset, (uint32_t)value);
    return true;
}

bool obj_image_write(const struct obj_object *object, uint8_t *image, uint64_t load_address, struct base_error *error)
{
    const struct obj_whole *whole = (const struct obj_whole *)object;
    for (size_t n = 0; n < object->segment_count; n++) {
        const struct obj_segment *segment = &object->segments[n];
        if (segment->file_size)
            memcpy(image + segment->address, whole->file.data + segment->file_offset, segment->file_size);
    }
    for (size_t n = 0; n < whole->relocation_count; n++)
        if (!apply(whole, &whole->relocations[n], image, load_address, error))
            return false;
    return true;
}
