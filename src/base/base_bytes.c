/* base_bytes: checked reads and plain little-endian writes. */
#include "base/base_bytes.h"

#include <string.h>

bool base_bytes_slice(struct base_bytes bytes, uint64_t offset, uint64_t size, struct base_bytes *part)
{
    if (!base_range_fits(offset, size, bytes.size))
        return false;
    *part = (struct base_bytes){size ? bytes.data + offset : bytes.data, (size_t)size};
    return true;
}

bool base_bytes_copy(struct base_bytes bytes, uint64_t offset, void *to, size_t size)
{
    if (!base_range_fits(offset, size, bytes.size))
        return false;
    if (size)
        memcpy(to, bytes.data + offset, size);
    return true;
}

static bool read_number(struct base_bytes bytes, uint64_t offset, unsigned size, uint64_t *value)
{
    uint8_t raw[8];
    if (!base_bytes_copy(bytes, offset, raw, size))
        return false;
    *value = 0;
    for (unsigned n = size; n-- > 0;)
        *value = *value << 8 | raw[n];
    return true;
}

bool base_bytes_u16(struct base_bytes bytes, uint64_t offset, uint16_t *value)
{
    uint64_t wide;
    if (!read_number(bytes, offset, sizeof *value, &wide))
        return false;
    *value = (uint16_t)wide;
    return true;
}

bool base_bytes_u32(struct base_bytes bytes, uint64_t offset, uint32_t *value)
{
    uint64_t wide;
    if (!read_number(bytes, offset, sizeof *value, &wide))
        return false;
    *value = (uint32_t)wide;
    return true;
}

bool base_bytes_u64(struct base_bytes bytes, uint64_t offset, uint64_t *value)
{
    return read_number(bytes, offset, sizeof *value, value);
}

const char *base_bytes_text(struct base_bytes bytes, uint64_t offset)
{
    if (offset >= bytes.size || !memchr(bytes.data + offset, 0, bytes.size - offset))
        return NULL;
    return (const char *)bytes.data + offset;
}

static void write_number(uint8_t *at, unsigned size, uint64_t value)
{
    for (unsigned n = 0; n < size; n++)
        at[n] = (uint8_t)(value >> 8 * n);
}

void base_put_u16(uint8_t *at, uint16_t value)
{
    write_number(at, sizeof value, value);
}

void base_put_u32(uint8_t *at, uint32_t value)
{
    write_number(at, sizeof value, value);
}

void base_put_u64(uint8_t *at, uint64_t value)
{
    write_number(at, sizeof value, value);
}
