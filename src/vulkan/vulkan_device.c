/* vulkan_device: the device interface over an engine, with the CPU device behind it. */
#include "vulkan/vulkan_device.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base_clock.h"

struct vulkan {
    struct device base;
    struct vulkan_device_options options;
};

/* Guest memory is read in the dispatch's turn: what is prepared is the dispatch itself. Ahead of that its program is translated and compiled
 * while other work runs, for the words that stand there now: its turn compares them. */
static struct device_prepared *prepare(struct device *device, struct device_dispatch *dispatch,
                                       const struct device_reader *reader, struct base_error *error)
{
    const struct vulkan *vulkan = (struct vulkan *)device;
    (void)error;
    if (reader && reader->ahead && !vulkan->options.looked_into)
        vulkan_engine_expect(vulkan->options.engine, dispatch->snapshot, &dispatch->registers);
    return (struct device_prepared *)dispatch;
}

/* The first failure in a sentence: what, where, which instruction. */
static void describe(const struct wave_result *result, uint64_t program, struct device_result *brief)
{
    const struct wave_fault *fault = NULL;
    for (size_t n = 0; n < result->faults_kept && !fault; n++)
        if (result->faults[n].kind != WAVE_FAULT_LDS_RANGE)
            fault = &result->faults[n];
    if (!fault) {
        snprintf(brief->text, sizeof brief->text, "the dispatch failed, and no place is known");
        return;
    }
    char lane[24] = "";
    if (fault->lane >= 0)
        snprintf(lane, sizeof lane, ", lane %d", fault->lane);
    snprintf(brief->text, sizeof brief->text,
             "program 0x%" PRIx64 ", pc 0x%" PRIx64 ": %s (0x%" PRIx64 ") in group %" PRIu32 ",%" PRIu32 ",%" PRIu32
             ", wave %" PRIu32 "%s: %s",
             program, fault->pc, wave_fault_name(fault->kind), fault->address, fault->group[0], fault->group[1], fault->group[2],
             fault->wave, lane, fault->text);
}

static void take_result(const struct wave_result *result, uint64_t program, struct device_result *brief)
{
    brief->failed = result->failed;
    brief->hung = result->fault_count[WAVE_FAULT_HANG] != 0;
    brief->groups = result->groups;
    brief->waves = result->waves;
    brief->text[0] = 0;
    if (result->failed)
        describe(result, program, brief);
}

/* The device is gone: what it left of this dispatch is anything, the next ones run elsewhere. */
static void tell_of_end(const struct vulkan *vulkan)
{
    char text[VULKAN_NAME_SIZE + 128];
    snprintf(text, sizeof text, "%s is lost; from now on the CPU device carries the work out",
             vulkan_engine_name(vulkan->options.engine));
    if (vulkan->options.log)
        vulkan->options.log(vulkan->options.log_user, true, text);
}

static void tell_of_results(const struct vulkan *vulkan, const char *reason)
{
    char text[VULKAN_REASON_SIZE + 64];
    snprintf(text, sizeof text, "results that the device holds are not in memory: %s", reason);
    if (vulkan->options.log)
        vulkan->options.log(vulkan->options.log_user, true, text);
}

static bool run_elsewhere(struct vulkan *vulkan, struct device_dispatch *dispatch, struct vulkan_try *try,
                          struct device_result *result)
{
    struct device *cpu = vulkan->options.cpu;
    char why[VULKAN_REASON_SIZE];
    if (try->broke)
        tell_of_end(vulkan);
    if (!vulkan_engine_step_aside(vulkan->options.engine, dispatch->snapshot, why))
        tell_of_results(vulkan, why);
    uint64_t start = base_clock_ns();
    bool ran = cpu->functions->run(cpu, (struct device_prepared *)dispatch, result);
    double seconds = (double)(base_clock_ns() - start) * 1e-9;
    vulkan_engine_step_back(vulkan->options.engine);
    vulkan_engine_leave(vulkan->options.engine, &dispatch->registers, try, NULL, seconds);
    return ran;
}

static bool run(struct device *device, struct device_prepared *prepared, struct device_result *result)
{
    struct vulkan *vulkan = (struct vulkan *)device;
    struct device_dispatch *dispatch = (struct device_dispatch *)prepared;
    struct vulkan_try try = {.patient = vulkan->options.patient};
    struct wave_result whole = {0};
    if (vulkan->options.looked_into) {
        snprintf(try.reason, sizeof try.reason, "traces and breaks look into waves");
        return run_elsewhere(vulkan, dispatch, &try, result);
    }
    if (!vulkan_engine_run(vulkan->options.engine, dispatch->snapshot, &dispatch->registers, &try, &whole))
        return run_elsewhere(vulkan, dispatch, &try, result);
    take_result(&whole, dispatch->registers.program, result);
    if (try.broke)
        tell_of_end(vulkan);
    vulkan_engine_leave(vulkan->options.engine, &dispatch->registers, &try, &whole, 0);
    wave_result_finish(&whole);
    return true;
}

static void drop(struct device *device, struct device_prepared *prepared)
{
    (void)device;
    (void)prepared;
}

static void settle(struct device *device, struct mem_snapshot *snapshot, struct device_range range)
{
    const struct vulkan *vulkan = (struct vulkan *)device;
    char why[VULKAN_REASON_SIZE];
    if (!vulkan_engine_settle(vulkan->options.engine, snapshot, range, why))
        tell_of_results(vulkan, why);
}

static void changed(struct device *device, struct device_range range)
{
    vulkan_engine_changed(((struct vulkan *)device)->options.engine, range);
}

static void hide(struct device *device, struct mem_snapshot *snapshot, struct device_range range, bool hidden)
{
    vulkan_engine_hide(((struct vulkan *)device)->options.engine, snapshot, range, hidden);
}

static void publish(struct device *device, struct mem_snapshot *snapshot)
{
    const struct vulkan *vulkan = (struct vulkan *)device;
    char why[VULKAN_REASON_SIZE];
    if (!vulkan_engine_publish(vulkan->options.engine, snapshot, why))
        tell_of_results(vulkan, why);
}

static void doubt(struct device *device)
{
    vulkan_engine_doubt(((struct vulkan *)device)->options.engine);
}

static void tell_program(void *user, const struct vulkan_program *program, const struct vulkan_account *account)
{
    const struct device_report_sink *sink = user;
    const struct device_program_total total = {
        .program = program ? program->address : 0,
        .wave_size = program ? program->wave_size : 0,
        .lanes = program ? program->lanes : 0,
        .dispatches = account->dispatches,
        .failed = account->failed,
        .groups = account->groups,
        .waves = account->waves,
        .exact = program ? program->exact : 0,
        .approximate = program ? program->approximate : 0,
        .elsewhere = account->elsewhere,
        .reason = account->reason,
        .note = account->note,
    };
    if (account->dispatches || account->elsewhere)
        sink->program(sink->user, &total);
}

static void report(struct device *device, const struct device_report_sink *sink)
{
    struct vulkan_engine *engine = ((const struct vulkan *)device)->options.engine;
    struct device_report_sink whole = *sink;
    if (sink->program)
        vulkan_engine_report(engine, &(struct vulkan_engine_sink){.user = &whole, .program = tell_program});
    vulkan_engine_report(engine,
                         &(struct vulkan_engine_sink){.user = sink->user, .reason = sink->elsewhere, .fault = sink->fault});
}

static const char *host(const struct device *device)
{
    return vulkan_engine_name(((const struct vulkan *)device)->options.engine);
}

static void destroy(struct device *device)
{
    free(device);
}

#define COMMON                                                                                                              \
    .name = "vulkan", .prepares_ahead = true, .prepare = prepare, .run = run, .drop = drop, .report = report, .host = host, \
    .destroy = destroy

static const struct device_functions in_place = {COMMON};
static const struct device_functions mirrored = {COMMON,       .settle = settle,   .changed = changed,
                                                 .hide = hide, .publish = publish, .doubt = doubt};

struct device *vulkan_device_create(const struct vulkan_device_options *options)
{
    struct vulkan *vulkan = malloc(sizeof *vulkan);
    if (!vulkan)
        return NULL;
    *vulkan =
        (struct vulkan){.base.functions = vulkan_engine_mirrors(options->engine) ? &mirrored : &in_place, .options = *options};
    return &vulkan->base;
}
