/* shim_va: which guest addresses show which buffer: GEM_VA, and what else moves memory in the address space. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capture/capture.h"
#include "shim/shim_internal.h"

static const uint64_t hole_start = UINT64_C(1) << 47; /* addresses have 48 bits, the highest repeated above */
static const uint64_t hole_end = UINT64_C(0xffff800000000000);

/* The first range that ends above address. */
static size_t find_place(const struct shim_device *device, uint64_t address)
{
    size_t low = 0, high = device->va_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (device->vas[middle].start + (device->vas[middle].bytes - 1) < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Room for `more` ranges, so that what follows cannot fail half-way. */
static bool reserve(struct shim_device *device, size_t more)
{
    if (device->va_count + more <= device->va_capacity)
        return true;
    size_t capacity = device->va_capacity ? device->va_capacity * 2 : 256;
    struct shim_va *vas = realloc(device->vas, capacity * sizeof *vas);
    if (!vas)
        return false;
    device->vas = vas;
    device->va_capacity = capacity;
    return true;
}

static void insert(struct shim_device *device, size_t place, const struct shim_va *va)
{
    memmove(&device->vas[place + 1], &device->vas[place], (device->va_count++ - place) * sizeof *va);
    device->vas[place] = *va;
    if (va->buffer)
        va->buffer->shown++;
}

static void remove_at(struct shim_device *device, size_t place)
{
    if (device->vas[place].buffer)
        device->vas[place].buffer->shown--;
    memmove(&device->vas[place], &device->vas[place + 1], (--device->va_count - place) * sizeof *device->vas);
}

/* Takes [start, start + bytes) out of the list; what reaches over its ends is cut. Needs room for one range. */
static void cut(struct shim_device *device, uint64_t start, uint64_t bytes)
{
    uint64_t last = start + (bytes - 1);
    for (size_t place = find_place(device, start); place < device->va_count && device->vas[place].start <= last;) {
        struct shim_va *va = &device->vas[place], right = *va;
        uint64_t va_last = va->start + (va->bytes - 1);
        bool keep_left = va->start < start;
        if (va_last > last) {
            right.bytes = va_last - last;
            right.offset += last + 1 - va->start;
            right.start = last + 1;
            insert(device, place + 1, &right);
            va = &device->vas[place];
        }
        if (keep_left)
            (va->bytes = start - va->start, place++);
        else
            remove_at(device, place);
        if (va_last > last)
            break;
    }
}

/* replace: something is mapped there. */
static enum tf_status show(struct shim_device *device, const struct shim_va *va, bool replace, struct tf_error *error)
{
    unsigned flags = (va->flags & AMDGPU_VM_PAGE_WRITEABLE ? 0 : TF_MEMORY_READ_ONLY) | (replace ? TF_MEMORY_REPLACE : 0);
    uint64_t offset = 0;
    if (!va->buffer)
        return tf_memory_map_prt(device->gpu, va->start, va->bytes, error);
    if (va->buffer->backing == SHIM_BACKING_USER) {
        enum tf_status status = replace ? tf_memory_clear(device->gpu, va->start, va->bytes, error) : TF_OK;
        if (status != TF_OK)
            return status;
        flags &= ~(unsigned)TF_MEMORY_REPLACE;
        if (va->buffer->user_read_only)
            flags |= TF_MEMORY_READ_ONLY;
        return tf_memory_map(device->gpu, va->start, (void *)(uintptr_t)(va->buffer->user + va->offset), va->bytes, flags, error);
    }
    int descriptor = shim_buffer_file(va->buffer, &offset);
    return tf_memory_map_file(device->gpu, va->start, descriptor, offset + va->offset, va->bytes, flags, error);
}

static int problem_of(enum tf_status status)
{
    return status == TF_ERROR_ARGUMENT ? -EINVAL : -ENOMEM;
}

static bool is_mapped(const struct shim_device *device, uint64_t start, uint64_t bytes)
{
    size_t place = find_place(device, start);
    return place < device->va_count && device->vas[place].start <= start + (bytes - 1);
}

static void end_hiding(struct shim_device *device, uint64_t start, uint64_t bytes)
{
    for (size_t place = find_place(device, start); place < device->va_count && device->vas[place].start <= start + (bytes - 1);
         place++)
        if (device->vas[place].buffer)
            shim_hide_end(device, device->vas[place].buffer);
}

/* MAP, and REPLACE, which takes away what is mapped there in the same step. The list and the address space change together or
 * not at all. */
static int map(struct shim_device *device, const struct shim_va *va, bool replace)
{
    struct tf_error error;
    bool mapped = is_mapped(device, va->start, va->bytes);
    if (mapped && !replace)
        return -EINVAL;
    if (!reserve(device, 2))
        return -ENOMEM;
    if (mapped)
        end_hiding(device, va->start, va->bytes);
    if (va->buffer)
        shim_hide_end(device, va->buffer);
    enum tf_status status = show(device, va, mapped, &error);
    if (status != TF_OK) {
        shim_report_refuse(device, problem_of(status), "GEM_VA: %s", error.text);
        return problem_of(status);
    }
    if (mapped)
        cut(device, va->start, va->bytes);
    insert(device, find_place(device, va->start), va);
    if (va->buffer) {
        va->buffer->shown_at = va->start;
        shim_hide_buffer(device, va->buffer, va->start, va->bytes);
    }
    return 0;
}

static int clear(struct shim_device *device, uint64_t start, uint64_t bytes)
{
    struct tf_error error;
    if (!reserve(device, 1))
        return -ENOMEM;
    if (!is_mapped(device, start, bytes))
        return 0;
    end_hiding(device, start, bytes);
    enum tf_status status = tf_memory_clear(device->gpu, start, bytes, &error);
    if (status != TF_OK)
        return problem_of(status);
    cut(device, start, bytes);
    return 0;
}

static int unmap(struct shim_device *device, const struct shim_buffer *buffer, uint64_t start)
{
    size_t place = find_place(device, start);
    if (place == device->va_count || device->vas[place].start != start || device->vas[place].buffer != buffer)
        return -ENOENT;
    return clear(device, start, device->vas[place].bytes);
}

/* Whether [start, start + bytes) may be guest addresses at all. */
static bool is_allowed(uint64_t start, uint64_t bytes)
{
    uint64_t last = start + (bytes - 1);
    return bytes && !(start % SHIM_PAGE) && !(bytes % SHIM_PAGE) && start >= SHIM_VA_LOWEST && last >= start &&
           (last < hole_start || start >= hole_end);
}

static void record(struct shim_device *device, const struct drm_amdgpu_gem_va *wish, const struct shim_buffer *buffer)
{
    capture_va(device->recorder, (enum capture_va_operation)wish->operation, buffer ? buffer->recorded : 0, wish->va_address,
               wish->map_size, wish->offset_in_bo, wish->flags);
}

int shim_va_operate(struct shim_device *device, const struct drm_amdgpu_gem_va *wish)
{
    static const uint32_t known_flags = AMDGPU_VM_DELAY_UPDATE | AMDGPU_VM_PAGE_READABLE | AMDGPU_VM_PAGE_WRITEABLE |
                                        AMDGPU_VM_PAGE_EXECUTABLE | AMDGPU_VM_PAGE_PRT | AMDGPU_VM_MTYPE_MASK;
    bool is_prt = wish->flags & AMDGPU_VM_PAGE_PRT,
         shows = wish->operation == AMDGPU_VA_OP_MAP || wish->operation == AMDGPU_VA_OP_REPLACE;
    struct shim_buffer *buffer = NULL;
    int problem = -EINVAL;
    if (wish->flags & ~known_flags)
        return -EINVAL;
    if (wish->operation != AMDGPU_VA_OP_UNMAP && !is_allowed(wish->va_address, wish->map_size))
        return -EINVAL;
    if (wish->operation != AMDGPU_VA_OP_CLEAR && !is_prt && !(buffer = shim_buffer_find(device, wish->handle)))
        return -ENOENT;
    if (shows && buffer &&
        (wish->offset_in_bo % SHIM_PAGE || wish->offset_in_bo > buffer->bytes ||
         wish->map_size > buffer->bytes - wish->offset_in_bo || buffer->backing == SHIM_BACKING_NONE))
        return -EINVAL;
    struct shim_va va = {wish->va_address, wish->map_size, buffer, wish->offset_in_bo, wish->flags};
    switch (wish->operation) {
    case AMDGPU_VA_OP_MAP: problem = map(device, &va, false); break;
    case AMDGPU_VA_OP_UNMAP: problem = unmap(device, buffer, wish->va_address); break;
    case AMDGPU_VA_OP_CLEAR: problem = clear(device, wish->va_address, wish->map_size); break;
    case AMDGPU_VA_OP_REPLACE: problem = map(device, &va, true); break;
    }
    if (!problem)
        record(device, wish, buffer);
    return problem;
}

/* A range that shows the buffer, which is shown somewhere: where it was shown last, as a rule. */
static size_t find_shown(const struct shim_device *device, const struct shim_buffer *buffer)
{
    size_t place = find_place(device, buffer->shown_at);
    if (place < device->va_count && device->vas[place].buffer == buffer)
        return place;
    for (place = 0; device->vas[place].buffer != buffer;)
        place++;
    return place;
}

void shim_va_forget(struct shim_device *device, struct shim_buffer *buffer)
{
    struct tf_error error;
    shim_hide_end(device, buffer);
    while (buffer->shown) {
        size_t place = find_shown(device, buffer);
        struct shim_va va = device->vas[place];
        tf_memory_clear(device->gpu, va.start, va.bytes, &error);
        capture_va(device->recorder, CAPTURE_VA_CLEAR, 0, va.start, va.bytes, 0, 0);
        remove_at(device, place);
    }
}

bool shim_va_refresh(struct shim_device *device, struct shim_buffer *buffer)
{
    struct tf_error error;
    for (size_t place = 0; place < device->va_count; place++) {
        const struct shim_va *va = &device->vas[place];
        if (va->buffer == buffer && show(device, va, true, &error) != TF_OK)
            return false;
    }
    return true;
}

static bool shows_writable(const struct shim_va *va, const struct shim_buffer *buffer, uint64_t offset)
{
    return va->buffer == buffer && va->flags & AMDGPU_VM_PAGE_WRITEABLE && offset >= va->offset &&
           offset - va->offset <= va->bytes - 8;
}

uint64_t shim_va_address(const struct shim_device *device, const struct shim_buffer *buffer, uint64_t offset)
{
    if (!buffer->shown)
        return 0;
    size_t place = find_shown(device, buffer);
    for (; place < device->va_count; place++)
        if (shows_writable(&device->vas[place], buffer, offset))
            return device->vas[place].start + (offset - device->vas[place].offset);
    return 0;
}
