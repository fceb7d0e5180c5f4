/* api_dispatch: runs one kernel: set up, run its waves, report. */
#include <stdio.h>
#include <string.h>

#include "api/api_internal.h"

static const double default_timeout = 60.0;

/* The caller's hooks in the terms of the waves that they look into. */
static struct wave_hooks wave_hooks_of(const struct tf_hooks *hooks, const struct tf_kernel *kernel)
{
    return (struct wave_hooks){
        .user = hooks->user,
        .trace = hooks->trace,
        .at_break = hooks->at_break,
        .break_pc = kernel->entry + hooks->break_offset,
        .break_group = hooks->break_group,
        .break_wave = hooks->break_wave,
        .progress = hooks->progress,
    };
}

/* What a Vulkan device made of the program. */
static void describe_program(struct api_launch *launch, const struct vulkan_try *try)
{
    launch->lanes = try->program->lanes;
    launch->exact = try->program->exact;
    launch->approximate = try->program->approximate;
    memcpy(launch->note, try->note, sizeof launch->note);
}

/* False: the CPU device must carry it out, for the launch's reason. */
static bool run_vulkan(struct api_launch *launch, const struct wave_options *options, const struct wave_dispatch *wave,
                       struct wave_result *result)
{
    struct tf_gpu *gpu = launch->gpu;
    struct wave_dispatch timed = *wave;
    struct vulkan_try try = {.patient = true, .alone = true};
    char why[VULKAN_REASON_SIZE];
    if (options->hooks && (options->hooks->trace || options->hooks->at_break)) {
        snprintf(launch->why_cpu, sizeof launch->why_cpu, "traces and breaks look into waves");
    } else {
        timed.timeout_s = options->timeout_s;
        vulkan_engine_changed(gpu->vulkan, DEVICE_EVERYTHING);
        launch->on_vulkan = vulkan_engine_run(gpu->vulkan, gpu->running, &timed, &try, result);
        launch->on_copies = launch->on_vulkan && vulkan_engine_mirrors(gpu->vulkan);
        if (launch->on_vulkan)
            describe_program(launch, &try);
        memcpy(launch->why_cpu, try.reason, sizeof launch->why_cpu);
        vulkan_engine_leave(gpu->vulkan, wave, &try, launch->on_vulkan ? result : NULL, 0);
        if (!vulkan_engine_settle(gpu->vulkan, gpu->running, DEVICE_EVERYTHING, why))
            api_log(gpu, TF_LOG_ERROR, "results that the device holds are not in memory: %s", why);
    }
    if (!launch->on_vulkan)
        api_log(gpu, TF_LOG_WARNING, "kernel '%s' runs on the CPU device: %s", launch->kernel->inner->name, launch->why_cpu);
    return launch->on_vulkan;
}

static enum tf_status run_locked(struct api_launch *launch, const struct tf_dispatch *dispatch, struct wave_result *result,
                                 struct tf_error *error)
{
    struct tf_gpu *gpu = launch->gpu;
    struct tf_hooks hooks;
    struct wave_hooks wave_hooks;
    struct wave_dispatch wave;
    struct wave_options options = {
        .threads = gpu->threads,
        .timeout_s = dispatch->timeout < 0   ? 0
                     : dispatch->timeout > 0 ? dispatch->timeout
                                             : default_timeout,
        .deterministic = dispatch->deterministic,
        .tier = gpu->tier,
    };
    if (api_copy_in(&hooks, sizeof hooks, dispatch->hooks)) {
        wave_hooks = wave_hooks_of(&hooks, launch->kernel);
        options.hooks = &wave_hooks;
    } else if (dispatch->hooks) {
        return api_fail(error, TF_ERROR_ARGUMENT, "tf_dispatch_run: the hooks' size is missing");
    }
    enum tf_status status = api_launch_registers(launch, &wave, error);
    if (status != TF_OK)
        return status;
    api_gpu_forget_stale_locked(gpu);
    gpu->running = mem_snapshot_acquire(gpu->space);
    mem_snapshot_settle(gpu->running); /* what the host would not put in place is unmapped to the waves */
    memcpy(launch->why_cpu, gpu->why_cpu, sizeof launch->why_cpu);
    bool ran =
        (gpu->vulkan && run_vulkan(launch, &options, &wave, result)) || wave_run_dispatch(gpu->cache, &wave, &options, result);
    mem_snapshot_release(gpu->running);
    gpu->running = NULL;
    return ran ? TF_OK : api_fail(error, TF_ERROR_MEMORY, "the host has no memory or threads to run waves");
}

static enum tf_status run(struct api_launch *launch, const struct tf_dispatch *dispatch, struct tf_report **report,
                          struct tf_error *error)
{
    struct wave_result result = {0};
    pthread_mutex_lock(&launch->gpu->run_lock);
    launch->dispatch_id = launch->gpu->dispatch_count++;
    enum tf_status status = api_launch_begin(launch, dispatch, error);
    if (status == TF_OK)
        status = run_locked(launch, dispatch, &result, error);
    api_launch_end(launch);
    pthread_mutex_unlock(&launch->gpu->run_lock);
    if (status == TF_OK) {
        *report = api_report_create(launch, &result);
        return *report ? TF_OK : api_fail(error, TF_ERROR_MEMORY, "out of memory");
    }
    wave_result_finish(&result);
    return status;
}

/* One line to the log about how it went. */
static void log_outcome(const struct tf_gpu *gpu, const struct tf_report *report)
{
    api_log(gpu, tf_report_failed(report) ? TF_LOG_ERROR : TF_LOG_INFO, "kernel '%s': %llu waves in %.3f s%s", report->kernel,
            (unsigned long long)report->result.waves, report->result.seconds, tf_report_failed(report) ? ", failed" : "");
}

enum tf_status tf_dispatch_run(struct tf_gpu *gpu, const struct tf_dispatch *dispatch, struct tf_report **report,
                               struct tf_error *error)
{
    struct tf_dispatch given;
    if (!gpu || !report || !api_copy_in(&given, sizeof given, dispatch))
        return api_fail(error, TF_ERROR_ARGUMENT, "tf_dispatch_run: GPU, report, dispatch or its size is missing");
    if (!given.kernel || given.kernel->object->gpu != gpu)
        return api_fail(error, TF_ERROR_ARGUMENT, "tf_dispatch_run: the kernel is missing or of another GPU");
    if (!given.kernarg && given.kernarg_size)
        return api_fail(error, TF_ERROR_ARGUMENT, "tf_dispatch_run: the argument bytes are missing");
    struct api_launch launch = {.gpu = gpu, .kernel = given.kernel};
    enum tf_status status = run(&launch, &given, report, error);
    if (status == TF_OK)
        log_outcome(gpu, *report);
    return status;
}
