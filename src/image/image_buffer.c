/* image_buffer: decodes buffer descriptors, and says where their accesses lie and which are out of bounds. */
#include "base/base_bits.h"
#include "image/image.h"

/* The descriptor's 128 bits as two words of 64. */
static const struct base_field low_stride = {48, 61}, low_swizzle = {63, 63};
static const struct base_field high_records = {0, 31}, high_select[IMAGE_COMPONENTS] = {{32, 34}, {35, 37}, {38, 40}, {41, 43}},
                               high_format = {44, 50}, high_index_stride = {53, 54}, high_add_tid = {55, 55},
                               high_bounds = {60, 61};

static const uint64_t base_mask = (UINT64_C(1) << 48) - 1;

struct image_buffer image_buffer_decode(const uint32_t words[4])
{
    uint64_t low = words[0] | (uint64_t)words[1] << 32, high = words[2] | (uint64_t)words[3] << 32;
    struct image_buffer buffer = {
        .base = low & base_mask,
        .records = base_field_get(high, high_records),
        .stride = (uint16_t)base_field_get(low, low_stride),
        .format = (uint8_t)base_field_get(high, high_format),
        .index_stride = (uint8_t)(8u << base_field_get(high, high_index_stride)),
        .bounds = (uint8_t)base_field_get(high, high_bounds),
        .swizzle = base_field_get(low, low_swizzle),
        .add_tid = base_field_get(high, high_add_tid),
    };
    for (unsigned n = 0; n < IMAGE_COMPONENTS; n++)
        buffer.select[n] = (uint8_t)base_field_get(high, high_select[n]);
    return buffer;
}

/* RDNA 2 guide, "Range Checking": the table of OOB_SELECT. */
bool image_buffer_outside(const struct image_buffer *buffer, const struct image_buffer_access *access)
{
    uint64_t end = (uint64_t)access->offset + access->payload;
    bool record_outside = access->index >= buffer->records;
    switch (buffer->bounds) {
    case IMAGE_BOUNDS_STRUCTURED: return record_outside || end > buffer->stride;
    case IMAGE_BOUNDS_INDEX: return record_outside;
    case IMAGE_BOUNDS_EMPTY: return buffer->records == 0;
    default:
        if (buffer->swizzle && buffer->stride)
            return record_outside || end > buffer->stride;
        /* The scalar offset takes its part of a raw buffer's bytes. */
        return access->soffset > buffer->records || end > buffer->records - access->soffset;
    }
}

uint64_t image_buffer_address(const struct image_buffer *buffer, const struct image_buffer_access *access)
{
    uint64_t stride = buffer->stride, offset = access->offset, index = access->index, inside;
    if (buffer->swizzle) {
        uint64_t lines = buffer->index_stride;
        inside = (index / lines * stride + offset / IMAGE_ELEMENT_BYTES * IMAGE_ELEMENT_BYTES) * lines +
                 index % lines * IMAGE_ELEMENT_BYTES + offset % IMAGE_ELEMENT_BYTES;
    } else {
        inside = index * stride + offset;
    }
    return (buffer->base + access->soffset + inside) & base_mask;
}

uint64_t image_buffer_scalar_size(const struct image_buffer *buffer)
{
    return buffer->stride ? (uint64_t)buffer->stride * buffer->records : buffer->records;
}
