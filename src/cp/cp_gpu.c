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
    return gpu;
}

static void free_record(struct cp_record *record)
{
    pthread_mutex_destroy(&record->lock);
    free(record->name);
    free(record);
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
        free_record(gpu->records);
        gpu->records = next;
    }
    free_sites(&gpu->problems);
    free_sites(&gpu->unbounded);
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

struct cp_record *cp_record_create(struct cp_gpu *gpu, enum submit_ring kind, const char *name)
{
    struct cp_record *record = calloc(1, sizeof *record);
    if (!record)
        return NULL;
    pthread_mutex_init(&record->lock, NULL);
    record->kind = kind;
    record->name = strdup(name);
    if (!record->name) {
        free_record(record);
        return NULL;
    }
    pthread_mutex_lock(&gpu->lock);
    *gpu->last_record = record;
    gpu->last_record = &record->next;
    pthread_mutex_unlock(&gpu->lock);
    return record;
}

static uint64_t look(const cp_count *count)
{
    return atomic_load_explicit(count, memory_order_relaxed);
}

/* record->lock is held. */
static void report_record(const struct cp_record *record, const struct cp_report_sink *sink)
{
    struct cp_ring_totals totals = {
        .name = record->name,
        .kind = record->kind,
        .submissions = look(&record->submissions),
        .ended = look(&record->ended),
        .lost = look(&record->lost),
        .dispatches = look(&record->dispatches),
        .groups = look(&record->groups),
        .waves = look(&record->waves),
        .failed_dispatches = look(&record->failed_dispatches),
        .prepared_ahead = look(&record->prepared_ahead),
        .prepared_again = look(&record->prepared_again),
        .busy_s = (double)look(&record->busy_ns) * 1e-9,
        .lost_text = record->lost_text[0] ? record->lost_text : NULL,
    };
    for (unsigned n = 0; n < CP_PACKETS; n++)
        totals.packets[n] = look(&record->packets[n]);
    for (unsigned n = 0; n < SUBMIT_UNBOUNDED_COUNT; n++)
        totals.unbounded[n] = look(&record->unbounded[n]);
    sink->ring(sink->user, &totals, record->waits, record->wait_count);
}

void cp_gpu_report(struct cp_gpu *gpu, const struct cp_report_sink *sink)
{
    pthread_mutex_lock(&gpu->lock);
    for (struct cp_record *record = gpu->records; record && sink->ring; record = record->next) {
        pthread_mutex_lock(&record->lock);
        report_record(record, sink);
        pthread_mutex_unlock(&record->lock);
    }
    for (size_t n = 0; n < gpu->problems.count && sink->refusal; n++) {
        const struct cp_site *site = &gpu->problems.sites[n];
        struct cp_refusal refusal = {site->kind, site->text, site->times};
        sink->refusal(sink->user, &refusal);
    }
    pthread_mutex_unlock(&gpu->lock);
}
