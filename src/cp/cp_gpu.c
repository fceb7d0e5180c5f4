/* cp_gpu: what the rings of a GPU share, and its report. */
#include <stdlib.h>
#include <string.h>

#include "cp/cp_internal.h"

struct cp_gpu *cp_gpu_create(const struct cp_options *options)
{
    struct cp_gpu *gpu = calloc(1, sizeof *gpu);
    if (!gpu)
        return NULL;
    gpu->options = *options;
    gpu->device = options->device;
    gpu->last_record = &gpu->records;
    pthread_mutex_init(&gpu->lock, NULL);
    submit_ledger_init(&gpu->ledger);
    if (!gpu->device->functions->prepares_ahead || (gpu->tracer = submit_tracer_create(options->chip)))
        return gpu;
    cp_gpu_destroy(gpu);
    return NULL;
}

static void free_sites(struct cp_sites *sites)
{
    for (size_t n = 0; n < sites->count; n++) {
        free(sites->sites[n].text);
        free(sites->sites[n].key);
    }
}

void cp_gpu_destroy(struct cp_gpu *gpu)
{
    if (!gpu)
        return;
    while (gpu->records) {
        struct cp_record *next = gpu->records->next;
        cp_record_destroy(gpu->records);
        gpu->records = next;
    }
    free_sites(&gpu->problems);
    submit_tracer_destroy(gpu->tracer);
    submit_ledger_finish(&gpu->ledger);
    pthread_mutex_destroy(&gpu->lock);
    free(gpu);
}

uint64_t cp_gpu_clock(const struct cp_gpu *gpu)
{
    return gpu->options.clock(gpu->options.clock_user);
}

bool cp_gpu_failed(const struct cp_gpu *gpu)
{
    return atomic_load(&gpu->failed);
}

void cp_gpu_changed(struct cp_gpu *gpu, uint64_t start, uint64_t size)
{
    atomic_fetch_add(&gpu->code_epoch, 1);
    if (gpu->device->functions->changed)
        gpu->device->functions->changed(gpu->device, (struct device_range){start, size});
    cp_memory_wake(gpu);
}

void cp_gpu_log(const struct cp_gpu *gpu, bool serious, const char *text)
{
    if (gpu->options.log)
        gpu->options.log(gpu->options.log_user, serious, text);
}

void cp_gpu_report(struct cp_gpu *gpu, const struct cp_report_sink *sink)
{
    pthread_mutex_lock(&gpu->lock);
    for (struct cp_record *record = gpu->records; record; record = record->next)
        cp_record_report(record, sink);
    for (size_t n = 0; n < gpu->problems.count && sink->refusal; n++) {
        const struct cp_site *site = &gpu->problems.sites[n];
        struct cp_refusal refusal = {site->kind, site->text, site->times};
        sink->refusal(sink->user, &refusal);
    }
    pthread_mutex_unlock(&gpu->lock);
}
