/* shim_hide: buffers that no program of the host reaches: what the GPU leaves in them need not be in the host's memory when a fence ends. */
#include "shim/shim_internal.h"

/* Once its memory was reachable otherwise it counts as seen for good: another process's mappings, and those of children, are not counted. */
static bool is_unseen(const struct shim_device *device, const struct shim_buffer *buffer)
{
    return !device->recorder && !buffer->seen && buffer->backing == SHIM_BACKING_ARENA;
}

void shim_hide_buffer(struct shim_device *device, struct shim_buffer *buffer, uint64_t start, uint64_t bytes)
{
    struct tf_error error;
    if (buffer->hidden || buffer->shown != 1 || !is_unseen(device, buffer))
        return;
    buffer->hidden = tf_memory_hide(device->gpu, start, bytes, true, &error) == TF_OK;
    buffer->hidden_at = start;
    buffer->hidden_bytes = bytes;
}

/* What a lost device took with it has failed its dispatches already. */
void shim_hide_end(struct shim_device *device, struct shim_buffer *buffer)
{
    struct tf_error error;
    if (!buffer->hidden)
        return;
    buffer->hidden = false;
    tf_memory_hide(device->gpu, buffer->hidden_at, buffer->hidden_bytes, false, &error);
}

void shim_hide_seen(struct shim_device *device, struct shim_buffer *buffer)
{
    buffer->seen = true;
    shim_hide_end(device, buffer);
}
