/* shim_prime: buffers that leave the process, or come into it, as descriptors.
 *
 * A buffer that is exported gets a file of its own: what others get must be this buffer, and nothing but it. Its contents move
 * there from the arena, and everything that showed the buffer (guest addresses, the program's mappings) shows the file from
 * then on. That happens once in a buffer's life, when the GPU is done with it; as a rule nothing has been written yet. */
#include <drm.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "capture/capture.h"
#include "shim/shim_ioctl.h"
#include "shim/shim_shared.h"

/* -- moving -- */

/* What a move copies, and keeps to find late writes. */
struct move {
    struct shim_buffer *buffer;
    uint8_t *old, *fresh; /* the core's own views of both places */
    uint8_t *first;       /* the contents as first copied; NULL: nobody could have written meanwhile */
};

/* Copies the pages that exist; the others are zero in both places. */
static void copy_pages(const struct move *move, int descriptor, uint64_t start)
{
    uint64_t bytes = move->buffer->bytes;
    for (off_t at = (off_t)start; at < (off_t)(start + bytes);) {
        off_t data = lseek(descriptor, at, SEEK_DATA), hole = data < 0 ? -1 : lseek(descriptor, data, SEEK_HOLE);
        if (data < 0 || data >= (off_t)(start + bytes))
            break;
        if (hole < 0 || hole > (off_t)(start + bytes))
            hole = (off_t)(start + bytes);
        size_t offset = (size_t)data - start, size = (size_t)(hole - data);
        memcpy(move->fresh + offset, move->old + offset, size);
        if (move->first)
            memcpy(move->first + offset, move->fresh + offset, size);
        at = hole;
    }
}

/* What another thread wrote to the old place after it was copied, and before its mapping showed the new one. */
static void carry_late_writes(const struct move *move)
{
    for (uint64_t at = 0; move->first && at < move->buffer->bytes; at += SHIM_PAGE)
        if (memcmp(move->first + at, move->old + at, SHIM_PAGE))
            for (unsigned n = 0; n < SHIM_PAGE; n++)
                if (move->first[at + n] != move->old[at + n])
                    move->fresh[at + n] = move->old[at + n];
}

/* Makes the buffer a file. Its guest addresses and mappings follow. */
static int move_to_file(struct shim_device *device, struct shim_buffer *buffer)
{
    int descriptor, problem = 0;
    shim_hide_seen(device, buffer);
    struct shim_shared *shared = shim_shared_create(SHIM_PAGE_BUFFER, buffer->bytes, &descriptor, &problem);
    if (!shared)
        return problem;
    struct move move = {.buffer = buffer, .old = shim_buffer_view(buffer)};
    move.fresh = mmap(NULL, buffer->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    move.first = buffer->mapped
                     ? mmap(NULL, buffer->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
                     : NULL;
    if (!move.old || move.fresh == MAP_FAILED || move.first == MAP_FAILED)
        problem = -ENOMEM;
    if (!problem) {
        struct shim_piece piece = buffer->piece;
        struct shim_page *page = shim_shared_page(shared);
        page->alignment = buffer->alignment;
        page->flags = buffer->flags;
        page->domains = buffer->domains;
        shim_shared_set_metadata(shared, &buffer->metadata);
        copy_pages(&move, shim_piece_descriptor(&piece), piece.offset);
        buffer->backing = SHIM_BACKING_FILE;
        buffer->descriptor = descriptor;
        buffer->shared = shared;
        base_descriptor_identify(descriptor, &buffer->file);
        if (!shim_va_refresh(device, buffer) || !shim_view_refresh(device, buffer))
            problem = -ENOMEM; /* what could not be shown anew is not mapped; the buffer itself is whole */
        carry_late_writes(&move);
        capture_buffer_moved(device->recorder, buffer->recorded, move.fresh, descriptor, 0);
        munmap(move.old, buffer->bytes);
        buffer->view = move.fresh;
        shim_arena_give(&device->arena, &piece);
    } else {
        if (move.fresh != MAP_FAILED)
            munmap(move.fresh, buffer->bytes);
        shim_shared_close(shared);
        close(descriptor);
    }
    if (move.first && move.first != MAP_FAILED)
        munmap(move.first, buffer->bytes);
    return problem;
}

/* Waits until the GPU is done with the buffer; the lock is let go meanwhile. */
static int wait_idle_locked(struct shim_device *device, const struct shim_buffer *buffer)
{
    struct tf_fence **fences;
    size_t count;
    if (!shim_buffer_pending(device, buffer, &fences, &count))
        return -ENOMEM;
    pthread_mutex_unlock(&device->lock);
    if (count)
        shim_fence_wait(fences, count, true, UINT64_MAX, NULL);
    pthread_mutex_lock(&device->lock);
    for (size_t n = 0; n < count; n++)
        tf_fence_release(fences[n]);
    free(fences);
    return count ? -EAGAIN : 0;
}

int shim_share_buffer_locked(struct shim_device *device, uint32_t handle)
{
    for (;;) {
        struct shim_buffer *buffer = shim_buffer_find(device, handle);
        if (!buffer)
            return -ENOENT;
        if (buffer->backing == SHIM_BACKING_FILE)
            return 0;
        if (buffer->backing != SHIM_BACKING_ARENA || buffer->flags & AMDGPU_GEM_CREATE_VM_ALWAYS_VALID)
            return -EPERM;
        int problem = wait_idle_locked(device, buffer);
        if (!problem)
            return move_to_file(device, buffer);
        if (problem != -EAGAIN)
            return problem;
    }
}

int shim_prime_ioctl_export(struct shim_device *device, void *argument)
{
    struct drm_prime_handle *call = argument;
    if (call->flags & ~(uint32_t)(DRM_CLOEXEC | DRM_RDWR))
        return -EINVAL;
    int problem = shim_share_buffer_locked(device, call->handle);
    if (problem)
        return problem;
    const struct shim_buffer *buffer = shim_buffer_find(device, call->handle);
    call->fd = fcntl(buffer->descriptor, call->flags & DRM_CLOEXEC ? F_DUPFD_CLOEXEC : F_DUPFD, 0);
    return call->fd < 0 ? -errno : 0;
}

/* -- coming in -- */

static struct shim_buffer *find_by_file(struct shim_device *device, struct base_identity file)
{
    uint32_t handle = 0;
    for (struct shim_buffer *buffer; (buffer = shim_table_next(&device->buffers, &handle));)
        if (buffer->backing == SHIM_BACKING_FILE && base_identity_same(buffer->file, file))
            return buffer;
    return NULL;
}

/* What the page says is taken only as far as it can be true. */
static struct shim_buffer *import(int descriptor, struct base_identity file, int *problem)
{
    static const uint32_t domains = AMDGPU_GEM_DOMAIN_CPU | AMDGPU_GEM_DOMAIN_GTT | AMDGPU_GEM_DOMAIN_VRAM;
    uint64_t bytes = 0;
    struct shim_shared *shared = shim_shared_open(SHIM_PAGE_BUFFER, descriptor, &bytes, problem);
    struct shim_buffer *buffer = shared && bytes ? calloc(1, sizeof *buffer) : NULL;
    if (!buffer) {
        shim_shared_close(shared);
        return NULL;
    }
    const struct shim_page *page = shim_shared_page(shared);
    *buffer = (struct shim_buffer){.backing = SHIM_BACKING_FILE,
                                   .bytes = bytes,
                                   .alignment = page->alignment,
                                   .domains = page->domains & domains,
                                   .flags = page->flags & ~(uint64_t)AMDGPU_GEM_CREATE_VM_ALWAYS_VALID,
                                   .file = file,
                                   .shared = shared,
                                   .is_imported = true};
    if (!buffer->domains)
        buffer->domains = AMDGPU_GEM_DOMAIN_GTT;
    buffer->descriptor = base_descriptor_hide(fcntl(descriptor, F_DUPFD_CLOEXEC, 3));
    *problem = -EMFILE;
    return buffer;
}

int shim_prime_ioctl_import(struct shim_device *device, void *argument)
{
    struct drm_prime_handle *call = argument;
    struct base_identity file;
    int problem = 0;
    if (!base_descriptor_identify(call->fd, &file))
        return -EBADF;
    struct shim_buffer *buffer = find_by_file(device, file);
    if (!buffer) {
        if (!(buffer = import(call->fd, file, &problem)))
            return problem;
        shim_buffer_count(device, buffer);
        if (buffer->descriptor < 0 || !shim_buffer_publish(device, buffer)) {
            shim_buffer_destroy(device, buffer);
            return problem;
        }
    }
    call->handle = buffer->handle;
    return 0;
}
