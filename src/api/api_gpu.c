/* api_gpu: virtual GPUs and the host devices that they can run on. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "api/api_internal.h"

static const uint64_t default_window = UINT64_C(1) << 40;

/* The shared and private apertures lie between the two halves of the canonical addresses, where nothing can be mapped. */
const struct wave_apertures api_apertures = {.shared_base_hi = 0x00010000, .private_base_hi = 0x00020000};

static const char *const chip_names[] = {"gfx1010", "gfx1013", "gfx1030", "gfx1033"};

const char *tf_chip_name(size_t index)
{
    return index < sizeof chip_names / sizeof chip_names[0] ? chip_names[index] : NULL;
}

const char *tf_version(void)
{
    return TENFOLD_VERSION;
}

/* How waves reach guest memory: through what was mapped when their dispatch began. */
static enum wave_outcome find_run(void *user, uint64_t address, struct wave_run *run)
{
    const struct tf_gpu *gpu = user;
    struct mem_run found;
    if (!mem_snapshot_find(gpu->running, address, &found))
        return WAVE_UNMAPPED;
    *run = (struct wave_run){found.start, found.size, found.host, found.writable, found.discards};
    return WAVE_DONE;
}

/* What becomes of guest memory on a Vulkan device, by its name. */
static bool find_memory(const char *name, enum vulkan_memory *memory)
{
    static const char *const names[] = {
        [VULKAN_MEMORY_ANY] = "", [VULKAN_MEMORY_SHARED] = "shared", [VULKAN_MEMORY_MIRRORED] = "mirrored"};
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++)
        if (!strcmp(names[n], name ? name : "")) {
            *memory = (enum vulkan_memory)n;
            return true;
        }
    return false;
}

static enum tf_status check_options(const struct tf_gpu_options *options, struct tf_error *error)
{
    if (!options->chip || !isa_chip_by_name(options->chip))
        return api_fail(error, TF_ERROR_ARGUMENT, "chip '%s' is none of gfx1010, gfx1013, gfx1030, gfx1033",
                        options->chip ? options->chip : "");
    if (options->tier && !api_tier_is_here(options->tier))
        return api_fail(error, TF_ERROR_ARGUMENT, "tier '%s' is none that this host can run", options->tier);
    const char *choice;
    if (options->device && !api_device_is_vulkan(options->device, &choice) && strcmp(options->device, "cpu") != 0)
        return api_fail(error, TF_ERROR_ARGUMENT, "device '%s' is neither cpu nor vulkan[:NUMBER|:NAME]", options->device);
    enum vulkan_memory memory;
    if (!find_memory(options->memory, &memory))
        return api_fail(error, TF_ERROR_ARGUMENT, "memory '%s' is neither shared nor mirrored", options->memory);
    return TF_OK;
}

/* A device that there is and that cannot be used has the CPU device stand in for it, by name; one that there is not is a mistake. */
static enum tf_status open_vulkan(struct tf_gpu *gpu, const struct tf_gpu_options *options, struct tf_error *error)
{
    struct vulkan_engine_options vulkan = {.chip = gpu->chip, .choice.drivers = options->vulkan_drivers, .cache = options->cache};
    struct vulkan_failure failure;
    if (!options->device || !api_device_is_vulkan(options->device, &vulkan.choice.device))
        return TF_OK;
    find_memory(options->memory, &vulkan.memory);
    gpu->vulkan = vulkan_engine_create(&vulkan, &failure);
    if (gpu->vulkan)
        return TF_OK;
    if (failure.mistaken)
        return api_fail(error, TF_ERROR_ARGUMENT, "device '%.64s': %s", options->device, failure.text);
    snprintf(gpu->why_cpu, sizeof gpu->why_cpu, "%.*s", (int)sizeof gpu->why_cpu - 1, failure.text);
    api_log(gpu, TF_LOG_WARNING, "device '%.64s': %s; the CPU device carries all work out", options->device, failure.text);
    return TF_OK;
}

static enum tf_status fill_gpu(struct tf_gpu *gpu, const struct tf_gpu_options *options, struct tf_error *error)
{
    struct base_error why;
    gpu->chip = isa_chip_by_name(options->chip);
    gpu->threads = options->threads;
    gpu->memory_told = options->memory_told;
    gpu->log = options->log;
    gpu->log_user = options->log_user;
    gpu->memory = (struct wave_memory){.user = gpu, .find = find_run, .guard = mem_guard_run};
    gpu->gds = calloc(1, API_GDS_BYTES);
    if (options->tier)
        gpu->tier = strdup(options->tier);
    if (!gpu->gds || (options->tier && !gpu->tier))
        return api_fail(error, TF_ERROR_MEMORY, "out of memory");
    gpu->space = mem_space_create(options->window_bytes ? options->window_bytes : default_window, &why);
    if (!gpu->space)
        return api_fail(error, TF_ERROR_MEMORY, "%s", why.text);
    gpu->cache = wave_cache_create(gpu->chip, &gpu->memory);
    enum tf_status status = open_vulkan(gpu, options, error);
    if (status != TF_OK)
        return status;
    if (gpu->vulkan && vulkan_engine_mirrors(gpu->vulkan))
        mem_space_name_origins(gpu->space);
    return gpu->cache ? api_queues_init(gpu, options, error) : api_fail(error, TF_ERROR_MEMORY, "out of memory");
}

enum tf_status tf_gpu_create(const struct tf_gpu_options *options, struct tf_gpu **gpu, struct tf_error *error)
{
    struct tf_gpu_options given;
    if (!gpu || !api_copy_in(&given, sizeof given, options))
        return api_fail(error, TF_ERROR_ARGUMENT, "tf_gpu_create: options or their size are missing");
    enum tf_status status = check_options(&given, error);
    if (status != TF_OK)
        return status;
    struct tf_gpu *made = calloc(1, sizeof *made);
    if (!made)
        return api_fail(error, TF_ERROR_MEMORY, "out of memory");
    pthread_mutex_init(&made->run_lock, NULL);
    pthread_mutex_init(&made->stale_lock, NULL);
    status = fill_gpu(made, &given, error);
    if (status != TF_OK)
        tf_gpu_destroy(made);
    else
        *gpu = made;
    return status;
}

void tf_gpu_destroy(struct tf_gpu *gpu)
{
    if (!gpu)
        return;
    api_queues_finish(gpu);
    vulkan_engine_destroy(gpu->vulkan);
    wave_cache_destroy(gpu->cache);
    mem_space_destroy(gpu->space);
    pthread_mutex_destroy(&gpu->run_lock);
    pthread_mutex_destroy(&gpu->stale_lock);
    base_spans_finish(&gpu->stale);
    free(gpu->gds);
    free(gpu->tier);
    free(gpu);
}

bool tf_gpu_leave_vulkan(struct tf_gpu *gpu, double timeout)
{
    return !gpu || !gpu->vulkan || vulkan_engine_stop(gpu->vulkan, timeout);
}

const char *tf_gpu_chip(const struct tf_gpu *gpu)
{
    return isa_chip_name(gpu->chip);
}

void api_gpu_mark_stale(struct tf_gpu *gpu, uint64_t start, uint64_t size)
{
    pthread_mutex_lock(&gpu->stale_lock);
    gpu->all_stale |= !base_spans_add(&gpu->stale, base_span_make(start, size));
    pthread_mutex_unlock(&gpu->stale_lock);
    cp_gpu_changed(gpu->cp, start, size);
}

void api_gpu_forget_stale_locked(struct tf_gpu *gpu)
{
    pthread_mutex_lock(&gpu->stale_lock);
    if (gpu->all_stale)
        wave_cache_invalidate(gpu->cache, 0, UINT64_MAX);
    for (const struct base_span *span = base_spans_first(&gpu->stale, 0); span; span = base_spans_first(&gpu->stale, span->end))
        wave_cache_invalidate(gpu->cache, span->start, span->end - span->start);
    base_spans_clear(&gpu->stale);
    gpu->all_stale = false;
    pthread_mutex_unlock(&gpu->stale_lock);
}
