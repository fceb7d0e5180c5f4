/* base_bits: named fields of a register or descriptor word, so that no place shifts by hand; floats as words. */
#ifndef BASE_BASE_BITS_H
#define BASE_BASE_BITS_H

#include <stdint.h>
#include <string.h>

/* Bits first..last (both included) of a word; last - first is at most 31. */
struct base_field {
    uint8_t first, last;
};

static inline uint64_t base_field_mask(struct base_field field)
{
    return (UINT64_C(2) << (field.last - field.first)) - 1;
}

static inline uint32_t base_field_get(uint64_t word, struct base_field field)
{
    return (uint32_t)(word >> field.first & base_field_mask(field));
}

/* The field's bits holding value; bits of value that do not fit are dropped. */
static inline uint64_t base_field_make(struct base_field field, uint64_t value)
{
    return (value & base_field_mask(field)) << field.first;
}

/* A float as its bits, and bits as the float that they are. */
static inline uint32_t base_bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline float base_float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* value rounded up to a multiple of align, a power of two; the caller knows that it does not wrap. */
static inline uint64_t base_align_up(uint64_t value, uint64_t align)
{
    return (value + align - 1) & ~(align - 1);
}

#endif
