/* base_bytes: a checked reader over bytes that someone else wrote: every look is inside or refused.
 *
 * The numbers are little-endian, as everything that the guest hands over is. */
#ifndef BASE_BASE_BYTES_H
#define BASE_BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A range of bytes; borrowed from whoever owns the memory. */
struct base_bytes {
    const uint8_t *data;
    size_t size;
};

/* True when [offset, offset + size) lies inside a range of `whole` bytes; never wraps. */
static inline bool base_range_fits(uint64_t offset, uint64_t size, uint64_t whole)
{
    return offset <= whole && size <= whole - offset;
}

/* The part [offset, offset + size) of bytes, or false and *part untouched. */
bool base_bytes_slice(struct base_bytes bytes, uint64_t offset, uint64_t size, struct base_bytes *part);

/* Copies size bytes at offset, or returns false and copies none. */
bool base_bytes_copy(struct base_bytes bytes, uint64_t offset, void *to, size_t size);

bool base_bytes_u16(struct base_bytes bytes, uint64_t offset, uint16_t *value);
bool base_bytes_u32(struct base_bytes bytes, uint64_t offset, uint32_t *value);
bool base_bytes_u64(struct base_bytes bytes, uint64_t offset, uint64_t *value);

/* The zero-terminated string at offset, or NULL when it does not end inside bytes. */
const char *base_bytes_text(struct base_bytes bytes, uint64_t offset);

/* Little-endian stores, for what we lay out in guest memory. */
void base_put_u16(uint8_t *at, uint16_t value);
void base_put_u32(uint8_t *at, uint32_t value);
void base_put_u64(uint8_t *at, uint64_t value);

#endif
