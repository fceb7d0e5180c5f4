/* api_queue: the public queues, and what the queues of a GPU share. */
#include <stdlib.h>
#include <time.h>

#include "api/api_internal.h"
#include "base/base_clock.h"
#include "image/image_view.h"

static const double default_queue_timeout = 60.0;

/* 100 MHz of the host's clock; what s_memrealtime shows too. */
static uint64_t host_clock(void *user)
{
    enum { TICK_NS = 10 };
    (void)user;
    return base_clock_ns() / TICK_NS;
}

static void log_line(void *user, bool serious, const char *text)
{
    api_log(user, serious ? TF_LOG_ERROR : TF_LOG_INFO, "%s", text);
}

/* Render backends of the chip, each of which leaves a count for a pixel query. */
static unsigned render_backends(enum isa_chip_bit chip)
{
    return chip == isa_chip_by_name("gfx1033") ? 2 : 16;
}

/* Lets the caller look into the dispatches of queues. */
static bool take_hooks(struct tf_gpu *gpu, const struct tf_gpu_options *options)
{
    struct tf_hooks hooks;
    if (!options->queue_hooks)
        return true;
    if (!api_copy_in(&hooks, sizeof hooks, options->queue_hooks))
        return false;
    gpu->queue_hooks = (struct wave_hooks){.user = hooks.user,
                                           .trace = hooks.trace,
                                           .at_break = hooks.at_break,
                                           .break_pc = options->queue_break_program + hooks.break_offset,
                                           .break_group = hooks.break_group,
                                           .break_wave = hooks.break_wave,
                                           .progress = hooks.progress};
    gpu->engine_options.hooks = &gpu->queue_hooks;
    return true;
}

static struct device *choose_device(struct tf_gpu *gpu)
{
    const struct vulkan_device_options options = {
        .engine = gpu->vulkan,
        .cpu = gpu->cores,
        .patient = gpu->engine_options.deterministic,
        .looked_into = gpu->engine_options.hooks && (gpu->queue_hooks.trace || gpu->queue_hooks.at_break),
        .log = log_line,
        .log_user = gpu,
    };
    return gpu->vulkan ? vulkan_device_create(&options) : gpu->cores;
}

enum tf_status api_queues_init(struct tf_gpu *gpu, const struct tf_gpu_options *options, struct tf_error *error)
{
    double timeout = options->queue_timeout < 0 ? 0 : options->queue_timeout > 0 ? options->queue_timeout : default_queue_timeout;
    gpu->clock = options->clock ? options->clock : host_clock;
    gpu->clock_user = options->clock_user;
    gpu->engine_options = (struct wave_options){
        .threads = gpu->threads, .timeout_s = timeout, .deterministic = options->queue_deterministic, .tier = gpu->tier};
    if (!take_hooks(gpu, options))
        return api_fail(error, TF_ERROR_ARGUMENT, "tf_gpu_create: the hooks' size is missing");
    gpu->engine = wave_engine_create(gpu->cache, &gpu->engine_options);
    gpu->cores = gpu->engine ? device_cpu_create(gpu->engine) : NULL;
    gpu->device = gpu->cores ? choose_device(gpu) : NULL;
    struct cp_options shared = {
        .device = gpu->device,
        .chip = gpu->chip,
        .gds = gpu->gds,
        .gds_bytes = API_GDS_BYTES,
        .apertures = api_apertures,
        .images = image_config_by_target(isa_chip_name(gpu->chip)),
        .render_backends = render_backends(gpu->chip),
        .memory_told = options->memory_told,
        .timeout_s = timeout,
        .clock = gpu->clock,
        .clock_user = gpu->clock_user,
        .log = log_line,
        .log_user = gpu,
    };
    gpu->cp = gpu->device ? cp_gpu_create(&shared) : NULL;
    return gpu->cp ? TF_OK : api_fail(error, TF_ERROR_MEMORY, "out of memory");
}

void api_queues_finish(struct tf_gpu *gpu)
{
    cp_gpu_destroy(gpu->cp);
    if (gpu->device != gpu->cores)
        device_destroy(gpu->device);
    device_destroy(gpu->cores);
    wave_engine_destroy(gpu->engine);
}

enum tf_status tf_queue_create(struct tf_gpu *gpu, enum tf_queue_kind kind, const char *name, struct tf_queue **queue,
                               struct tf_error *error)
{
    static const struct {
        enum submit_ring ring;
        const char *name;
    } kinds[] = {
        [TF_QUEUE_GRAPHICS] = {SUBMIT_GRAPHICS, "graphics"},
        [TF_QUEUE_COMPUTE] = {SUBMIT_COMPUTE, "compute"},
        [TF_QUEUE_SDMA] = {SUBMIT_SDMA, "sdma"},
    };
    if (!gpu || !queue || (unsigned)kind >= sizeof kinds / sizeof kinds[0])
        return api_fail(error, TF_ERROR_ARGUMENT, "tf_queue_create: needs a GPU, a kind, and a place for the queue");
    struct tf_queue *made = calloc(1, sizeof *made);
    if (made) {
        made->gpu = gpu;
        made->ring = cp_ring_create(gpu->cp, kinds[kind].ring, name ? name : kinds[kind].name);
    }
    if (!made || !made->ring) {
        free(made);
        return api_fail(error, TF_ERROR_MEMORY, "out of memory");
    }
    *queue = made;
    return TF_OK;
}

void tf_queue_destroy(struct tf_queue *queue, double timeout)
{
    static const double longest_s = 1e9;
    if (!queue)
        return;
    cp_ring_destroy(queue->ring,
                    timeout < 0 || timeout > longest_s ? SUBMIT_FOREVER : submit_deadline((uint64_t)(timeout * 1e9)));
    free(queue);
}

/* The caller's buffers as the layers below take them: in few, or in memory that the caller frees. */
static struct submit_range *copy_ibs(const struct tf_submission *submission, struct submit_range *few, size_t few_count)
{
    struct submit_range *ranges = submission->ib_count <= few_count ? few : calloc(submission->ib_count, sizeof *ranges);
    for (size_t n = 0; ranges && n < submission->ib_count; n++)
        ranges[n] = (struct submit_range){submit_address(submission->ibs[n].address), submission->ibs[n].bytes};
    return ranges;
}

static enum tf_status check_submission(const struct tf_submission *given, struct tf_error *error)
{
    if ((given->ib_count && !given->ibs) || (given->wait_count && !given->waits))
        return api_fail(error, TF_ERROR_ARGUMENT, "tf_queue_submit: buffers or fences are missing");
    for (size_t n = 0; n < given->wait_count; n++)
        if (!given->waits[n])
            return api_fail(error, TF_ERROR_ARGUMENT, "tf_queue_submit: fence %zu is missing", n);
    return TF_OK;
}

enum tf_status tf_queue_submit(struct tf_queue *queue, const struct tf_submission *submission, struct tf_fence **done,
                               struct tf_error *error)
{
    enum { FEW = 16 };
    struct submit_range few[FEW];
    struct submit_fence *fence;
    struct tf_submission given;
    if (!queue || !api_copy_in(&given, sizeof given, submission))
        return api_fail(error, TF_ERROR_ARGUMENT, "tf_queue_submit: queue, submission or its size is missing");
    enum tf_status status = check_submission(&given, error);
    if (status != TF_OK)
        return status;
    struct submit_range *ranges = copy_ibs(&given, few, FEW);
    if (!ranges)
        return api_fail(error, TF_ERROR_MEMORY, "out of memory");
    struct submit_request request = {
        .ibs = ranges,
        .ib_count = given.ib_count,
        .waits = (struct submit_fence *const *)given.waits,
        .wait_count = given.wait_count,
        .fence_address = given.fence_address,
        .fence_value = given.fence_value,
        .snapshot = mem_snapshot_acquire(queue->gpu->space),
    };
    enum cp_submitted submitted = cp_ring_submit(queue->ring, &request, &fence);
    if (ranges != few)
        free(ranges);
    if (submitted == CP_LOST)
        return api_fail(error, TF_ERROR_LOST, "the queue was lost earlier");
    if (submitted == CP_NO_MEMORY)
        return api_fail(error, TF_ERROR_MEMORY, "out of memory or threads");
    if (done)
        *done = (struct tf_fence *)fence;
    else
        submit_fence_release(fence);
    return TF_OK;
}

bool tf_queue_lost(const struct tf_queue *queue, char *text, size_t text_size)
{
    return queue && cp_ring_lost(queue->ring, text, text_size);
}

uint64_t tf_gpu_clock(const struct tf_gpu *gpu)
{
    return gpu->clock(gpu->clock_user);
}

bool tf_gpu_failed(const struct tf_gpu *gpu)
{
    return cp_gpu_failed(gpu->cp);
}
