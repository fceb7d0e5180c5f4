/* image_buffer: where the accesses through buffer descriptors lie, and which are out of bounds. */
#include "image/image.h"

/* RDNA 2 guide, "Range Checking": the table of OOB_SELECT. */
bool image_buffer_outside(const struct image_buffer *buffer, const struct image_buffer_access *access)
{
    uint64_t end = access->offset + access->payload;
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
    return (buffer->base + access->soffset + inside) & image_base_mask;
}
