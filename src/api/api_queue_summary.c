/* api_queue_summary: what a GPU's queues did, in a few lines for people. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "api/api_internal.h"

enum { PROBLEMS_SHOWN = 4 };

struct summary {
    FILE *file;
    uint64_t programs, exact, approximate, unsupported;
    uint64_t host_programs, host_dispatches, elsewhere, longest;
    char why[160]; /* what most of elsewhere is for */
    unsigned problems;
};

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

static void print_count(FILE *file, uint64_t count, const char *noun)
{
    fprintf(file, "%" PRIu64 " %s%s", count, noun, plural(count));
}

/* What the queue waited for longest, if it is worth a word. */
static void print_waits(FILE *file, const struct cp_wait_total *waits, size_t count)
{
    const double shortest_s = 0.001;
    const struct cp_wait_total *longest = NULL;
    double seconds = 0;
    for (size_t n = 0; n < count; n++) {
        seconds += waits[n].seconds;
        if (!longest || waits[n].seconds > longest->seconds)
            longest = &waits[n];
    }
    if (!longest || seconds < shortest_s)
        return;
    fprintf(file, ", %.3f s of it waiting, longest for %s", seconds, longest->kind);
    if (longest->address)
        fprintf(file, " 0x%" PRIx64, longest->address);
}

static void print_queue(void *user, const struct cp_ring_totals *totals, const struct cp_wait_total *waits, size_t wait_count)
{
    struct summary *summary = user;
    FILE *file = summary->file;
    if (!totals->submissions)
        return;
    fprintf(file, "queue '%s': ", totals->name);
    print_count(file, totals->submissions, "submission");
    if (totals->lost)
        fprintf(file, " (%" PRIu64 " lost)", totals->lost);
    if (totals->kind != SUBMIT_SDMA) {
        fputs(", ", file);
        fprintf(file, "%" PRIu64 " dispatch%s, ", totals->dispatches, totals->dispatches == 1 ? "" : "es");
        print_count(file, totals->waves, "wave");
    }
    fprintf(file, ", %.3f s busy", totals->busy_s);
    print_waits(file, waits, wait_count);
    fputc('\n', file);
}

static void print_problem(void *user, const struct cp_refusal *refusal)
{
    struct summary *summary = user;
    if (summary->problems++ >= PROBLEMS_SHOWN)
        return;
    fprintf(summary->file, "%s: %s", refusal->kind, refusal->text);
    if (refusal->times > 1)
        fprintf(summary->file, " (%" PRIu64 " times)", refusal->times);
    fputc('\n', summary->file);
}

static void count_program(void *user, const struct wave_program_total *total)
{
    struct summary *summary = user;
    summary->programs++;
    summary->exact += total->instructions[WAVE_EXACT];
    summary->approximate += total->instructions[WAVE_APPROXIMATE];
    summary->unsupported += total->instructions[WAVE_UNSUPPORTED];
}

static void print_programs(const struct summary *summary)
{
    if (!summary->programs)
        return;
    print_count(summary->file, summary->programs, "program");
    fprintf(summary->file, ": %" PRIu64 " instructions exact, %" PRIu64 " approximate, %" PRIu64 " unsupported\n", summary->exact,
            summary->approximate, summary->unsupported);
}

static void count_host_program(void *user, const struct device_program_total *total)
{
    struct summary *summary = user;
    summary->host_programs += total->dispatches > 0;
    summary->host_dispatches += total->dispatches;
}

static void count_elsewhere(void *user, const char *reason, uint64_t times)
{
    struct summary *summary = user;
    summary->elsewhere += times;
    if (times <= summary->longest)
        return;
    summary->longest = times;
    snprintf(summary->why, sizeof summary->why, "%.*s", (int)sizeof summary->why - 1, reason);
}

static void print_host(struct summary *summary, struct tf_gpu *gpu)
{
    const struct device_functions *device = gpu->device->functions;
    if (*gpu->why_cpu)
        fprintf(summary->file, "not on the Vulkan device: %s\n", gpu->why_cpu);
    if (!device->report)
        return;
    device->report(gpu->device,
                   &(struct device_report_sink){.user = summary, .program = count_host_program, .elsewhere = count_elsewhere});
    fprintf(summary->file, "%s: ", device->host(gpu->device));
    print_count(summary->file, summary->host_programs, "program");
    fprintf(summary->file, ", %" PRIu64 " dispatch%s", summary->host_dispatches, summary->host_dispatches == 1 ? "" : "es");
    if (summary->elsewhere)
        fprintf(summary->file, "; %" PRIu64 " on the CPU device, most for: %s", summary->elsewhere, summary->why);
    fputc('\n', summary->file);
}

char *tf_gpu_summary(struct tf_gpu *gpu)
{
    char *text = NULL;
    size_t size;
    struct summary summary = {.file = open_memstream(&text, &size)};
    const struct cp_report_sink queues = {.user = &summary, .ring = print_queue},
                                problems = {.user = &summary, .refusal = print_problem};
    const struct wave_report_sink waves = {.user = &summary, .program = count_program};
    struct mem_faults faults;
    if (!summary.file)
        return NULL;
    cp_gpu_report(gpu->cp, &queues);
    bool whole = wave_engine_report(gpu->engine, &waves);
    print_programs(&summary);
    print_host(&summary, gpu);
    mem_space_faults(gpu->space, &faults);
    if (faults.count)
        fprintf(summary.file, "host memory: %" PRIu64 " faults mended, the first at 0x%" PRIx64 "\n", faults.count,
                faults.addresses[0]);
    cp_gpu_report(gpu->cp, &problems);
    if (summary.problems > PROBLEMS_SHOWN)
        fprintf(summary.file, "and %u more, see the report\n", summary.problems - PROBLEMS_SHOWN);
    if (fclose(summary.file) != 0 || !whole) {
        free(text);
        return NULL;
    }
    return text;
}
