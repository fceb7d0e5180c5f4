/* api_memory: the public calls on guest memory, and on the signals that it needs. */
#include <tenfold/signal.h>

#include "api/api_internal.h"

static enum tf_status finish(bool done, enum tf_status status, const struct base_error *why, struct tf_error *error)
{
    return done ? TF_OK : api_fail(error, status, "%s", why->text);
}

enum tf_status tf_memory_alloc(struct tf_gpu *gpu, uint64_t bytes, unsigned flags, uint64_t *address, struct tf_error *error)
{
    struct base_error why;
    if (!gpu || !address || !bytes)
        return api_fail(error, TF_ERROR_ARGUMENT, "tf_memory_alloc: needs a GPU, a size over 0, and a place for the address");
    struct mem_piece read_only = {.size = bytes};
    bool restricted = flags & TF_MEMORY_READ_ONLY;
    bool done = mem_space_alloc(gpu->space, bytes, 1, restricted ? &read_only : NULL, restricted, address, &why);
    return finish(done, TF_ERROR_MEMORY, &why, error);
}

/* What a mirroring device holds over the range goes where it belongs. */
static enum tf_status settle_always(struct tf_gpu *gpu, uint64_t address, uint64_t bytes, struct tf_error *error)
{
    char why[VULKAN_REASON_SIZE];
    if (!gpu->vulkan)
        return TF_OK;
    struct mem_snapshot *snapshot = mem_snapshot_acquire(gpu->space);
    bool settled = vulkan_engine_settle(gpu->vulkan, snapshot, (struct device_range){address, bytes}, why);
    mem_snapshot_release(snapshot);
    return settled ? TF_OK : api_fail(error, TF_ERROR_LOST, "results that the device holds are not in memory: %s", why);
}

/* The host that asks for what it looks at cannot ask any more for what is mapped otherwise; others may have that memory too. */
static void leave(struct tf_gpu *gpu, uint64_t address, uint64_t bytes)
{
    if (gpu->memory_told)
        settle_always(gpu, address, bytes, NULL);
}

/* The same of all of a mapping. What the space allocated nobody else has. */
static void leave_mapping(struct tf_gpu *gpu, uint64_t address)
{
    struct mem_mapping first, mapping;
    struct mem_run run;
    struct mem_snapshot *snapshot = gpu->memory_told ? mem_snapshot_acquire(gpu->space) : NULL;
    uint64_t end = address;
    if (snapshot && mem_snapshot_mapping(snapshot, address, &first) && !first.sole)
        while (mem_snapshot_mapping(snapshot, end, &mapping) && mapping.born == first.born &&
               mem_snapshot_find(snapshot, end, &run))
            end = run.start + run.size;
    mem_snapshot_release(snapshot);
    if (end != address)
        leave(gpu, address, end - address);
}

enum tf_status tf_memory_free(struct tf_gpu *gpu, uint64_t address, struct tf_error *error)
{
    return tf_memory_unmap(gpu, address, error);
}

enum tf_status tf_memory_map(struct tf_gpu *gpu, uint64_t address, void *host, uint64_t bytes, unsigned flags,
                             struct tf_error *error)
{
    struct base_error why;
    if (!gpu || !host)
        return api_fail(error, TF_ERROR_ARGUMENT, "tf_memory_map: needs a GPU and host memory");
    bool done = mem_space_map(gpu->space, address, host, bytes, !(flags & TF_MEMORY_READ_ONLY), &why);
    if (done)
        api_gpu_mark_stale(gpu, address, bytes);
    return finish(done, TF_ERROR_ARGUMENT, &why, error);
}

enum tf_status tf_memory_unmap(struct tf_gpu *gpu, uint64_t address, struct tf_error *error)
{
    struct base_error why;
    uint64_t size = 0;
    if (!gpu)
        return api_fail(error, TF_ERROR_ARGUMENT, "no GPU");
    leave_mapping(gpu, address);
    bool done = mem_space_unmap(gpu->space, address, &size, &why);
    if (done)
        api_gpu_mark_stale(gpu, address, size);
    return finish(done, TF_ERROR_NOT_FOUND, &why, error);
}

void tf_memory_window(const struct tf_gpu *gpu, uint64_t *base, uint64_t *bytes)
{
    uint64_t unused;
    mem_space_window(gpu->space, base ? base : &unused, bytes ? bytes : &unused);
}

/* What became of a change of the address space; programs in the range may be others now. */
static enum tf_status finish_change(struct tf_gpu *gpu, enum mem_change change, uint64_t address, uint64_t bytes,
                                    const struct base_error *why, struct tf_error *error)
{
    if (change == MEM_CHANGED)
        api_gpu_mark_stale(gpu, address, bytes);
    return finish(change == MEM_CHANGED, change == MEM_CHANGE_WRONG ? TF_ERROR_ARGUMENT : TF_ERROR_MEMORY, why, error);
}

enum tf_status tf_memory_map_file(struct tf_gpu *gpu, uint64_t address, int descriptor, uint64_t offset, uint64_t bytes,
                                  unsigned flags, struct tf_error *error)
{
    struct base_error why;
    if (!gpu)
        return api_fail(error, TF_ERROR_ARGUMENT, "no GPU");
    if (flags & TF_MEMORY_REPLACE)
        leave(gpu, address, bytes);
    unsigned how = (flags & TF_MEMORY_READ_ONLY ? 0 : MEM_MAP_WRITABLE) | (flags & TF_MEMORY_REPLACE ? MEM_MAP_REPLACE : 0);
    enum mem_change change = mem_space_map_file(gpu->space, address, descriptor, offset, bytes, how, &why);
    return finish_change(gpu, change, address, bytes, &why, error);
}

enum tf_status tf_memory_map_prt(struct tf_gpu *gpu, uint64_t address, uint64_t bytes, struct tf_error *error)
{
    struct base_error why;
    if (!gpu)
        return api_fail(error, TF_ERROR_ARGUMENT, "no GPU");
    leave(gpu, address, bytes);
    enum mem_change change = mem_space_map_prt(gpu->space, address, bytes, MEM_MAP_REPLACE, &why);
    return finish_change(gpu, change, address, bytes, &why, error);
}

enum tf_status tf_memory_clear(struct tf_gpu *gpu, uint64_t address, uint64_t bytes, struct tf_error *error)
{
    struct base_error why;
    if (!gpu)
        return api_fail(error, TF_ERROR_ARGUMENT, "no GPU");
    leave(gpu, address, bytes);
    enum mem_change change = mem_space_clear(gpu->space, address, bytes, &why);
    return finish_change(gpu, change, address, bytes, &why, error);
}

bool tf_signal_action(int number, const struct sigaction *action, struct sigaction *old)
{
    return mem_signal_forward(number, action, old);
}

static enum tf_status settle(struct tf_gpu *gpu, uint64_t address, uint64_t bytes, struct tf_error *error)
{
    return gpu->memory_told || atomic_load(&gpu->hides) ? settle_always(gpu, address, bytes, error) : TF_OK;
}

enum tf_status tf_memory_hide(struct tf_gpu *gpu, uint64_t address, uint64_t bytes, bool hidden, struct tf_error *error)
{
    if (!gpu)
        return api_fail(error, TF_ERROR_ARGUMENT, "no GPU");
    if (!gpu->device->functions->hide)
        return TF_OK;
    struct mem_snapshot *snapshot = mem_snapshot_acquire(gpu->space);
    atomic_store(&gpu->hides, true);
    gpu->device->functions->hide(gpu->device, snapshot, (struct device_range){address, bytes}, hidden);
    mem_snapshot_release(snapshot);
    return hidden ? TF_OK : settle_always(gpu, address, bytes, error);
}

enum tf_status tf_memory_acquire(struct tf_gpu *gpu, uint64_t address, uint64_t bytes, struct tf_error *error)
{
    if (!gpu)
        return api_fail(error, TF_ERROR_ARGUMENT, "no GPU");
    return settle(gpu, address, bytes, error);
}

enum tf_status tf_memory_read(struct tf_gpu *gpu, uint64_t address, void *to, uint64_t bytes, struct tf_error *error)
{
    struct base_error why;
    if (!gpu || (!to && bytes))
        return api_fail(error, TF_ERROR_ARGUMENT, "tf_memory_read: needs a GPU and a place for the bytes");
    enum tf_status settled = settle(gpu, address, bytes, error);
    if (settled != TF_OK)
        return settled;
    return finish(mem_space_read(gpu->space, address, to, bytes, &why), TF_ERROR_UNMAPPED, &why, error);
}

enum tf_status tf_memory_write(struct tf_gpu *gpu, uint64_t address, const void *from, uint64_t bytes, struct tf_error *error)
{
    struct base_error why;
    if (!gpu || (!from && bytes))
        return api_fail(error, TF_ERROR_ARGUMENT, "tf_memory_write: needs a GPU and bytes");
    enum tf_status settled = settle(gpu, address, bytes, error);
    if (settled != TF_OK)
        return settled;
    bool done = mem_space_write(gpu->space, address, from, bytes, &why);
    if (done)
        api_gpu_mark_stale(gpu, address, bytes);
    return finish(done, TF_ERROR_UNMAPPED, &why, error);
}

void *tf_memory_pointer(struct tf_gpu *gpu, uint64_t address, uint64_t bytes)
{
    return gpu ? mem_space_pointer(gpu->space, address, bytes) : NULL;
}

void tf_memory_changed(struct tf_gpu *gpu, uint64_t address, uint64_t bytes)
{
    if (gpu)
        api_gpu_mark_stale(gpu, address, bytes);
}
