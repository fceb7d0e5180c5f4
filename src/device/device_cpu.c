/* device_cpu: carries dispatches out on the host's cores, in guest memory itself. */
#include <stdio.h>
#include <stdlib.h>

#include "device/device.h"

struct cpu {
    struct device base;
    struct wave_engine *engine;
};

/* How waves reach guest memory: through what was mapped when their submission was made. */
static enum wave_outcome find_run(void *user, uint64_t address, struct wave_run *run)
{
    const struct mem_snapshot *snapshot = user;
    struct mem_run found;
    if (!mem_snapshot_find(snapshot, address, &found))
        return WAVE_UNMAPPED;
    *run = (struct wave_run){found.start, found.size, found.host, found.writable, found.discards};
    return WAVE_DONE;
}

/* Nothing has to be worked out ahead: what is prepared is the dispatch itself, which stays in its place. */
static struct device_prepared *prepare(struct device *device, struct device_dispatch *dispatch,
                                       const struct device_reader *reader, struct base_error *error)
{
    (void)device;
    (void)reader;
    (void)error;
    return (struct device_prepared *)dispatch;
}

static bool run(struct device *device, struct device_prepared *prepared, struct device_result *result)
{
    struct cpu *cpu = (struct cpu *)device;
    struct device_dispatch *dispatch = (struct device_dispatch *)prepared;
    struct wave_memory memory = {.user = dispatch->snapshot,
                                 .find = find_run,
                                 .version = mem_snapshot_version(dispatch->snapshot),
                                 .guard = mem_guard_run};
    struct wave_brief brief;
    if (!wave_engine_run(cpu->engine, &memory, &dispatch->registers, &brief))
        return false;
    result->failed = brief.failed;
    result->hung = brief.failed && (brief.kind == WAVE_FAULT_HANG || brief.kind == WAVE_FAULT_CANCELLED);
    result->groups = brief.groups;
    result->waves = brief.waves;
    result->text[0] = 0;
    if (brief.failed)
        snprintf(result->text, sizeof result->text, "%s", brief.text);
    return true;
}

static void drop(struct device *device, struct device_prepared *prepared)
{
    (void)device;
    (void)prepared;
}

static void destroy(struct device *device)
{
    free(device);
}

static const struct device_functions functions = {
    .name = "cpu",
    .prepare = prepare,
    .run = run,
    .drop = drop,
    .destroy = destroy,
};

struct device *device_cpu_create(struct wave_engine *engine)
{
    struct cpu *cpu = malloc(sizeof *cpu);
    if (!cpu)
        return NULL;
    *cpu = (struct cpu){.base.functions = &functions, .engine = engine};
    return &cpu->base;
}

void device_destroy(struct device *device)
{
    if (device)
        device->functions->destroy(device);
}
