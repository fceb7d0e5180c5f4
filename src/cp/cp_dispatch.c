/* cp_dispatch: dispatches: from the registers to the device, and what is counted of them. */
#include <string.h>

#include "cp/cp_internal.h"

/* What the device reads to prepare a dispatch in its turn: memory as it is. */
static bool read_now(void *user, uint64_t address, void *to, uint64_t size)
{
    return cp_memory_peek(user, address, to, size);
}

/* CS_INVOCATIONS counts the threads that there are. */
static uint64_t thread_count(const struct wave_dispatch *d)
{
    uint64_t count = 1;
    for (unsigned n = 0; n < 3; n++)
        count *= (uint64_t)(d->groups[n] - 1) * d->threads[n] + d->last_threads[n];
    return count;
}

/* What was worked out on the caller's thread, when it is for exactly this dispatch and nothing that it read has changed. */
static struct device_prepared *take_ahead(struct cp_ring *ring, const struct wave_dispatch *registers)
{
    struct submit_ahead *ahead = submit_ahead_find(ring->ahead, registers, false);
    if (ahead && ahead->prepared && ahead->trust == submit_ledger_trust(&ring->gpu->ledger)) {
        struct device_prepared *prepared = ahead->prepared;
        ahead->prepared = NULL;
        ahead->dispatch.registers.code_epoch = registers->code_epoch;
        cp_count_add(&ring->record->prepared_ahead, 1);
        return prepared;
    }
    for (ahead = ring->ahead; ahead; ahead = ahead->same)
        if (ahead->prepared) {
            submit_ahead_drop(ring->gpu->device, ahead);
            cp_count_add(&ring->record->prepared_again, 1);
        }
    return NULL;
}

static void count_dispatch(struct cp_ring *ring)
{
    cp_count_add(&ring->record->dispatches, 1);
    ring->now.dispatches++;
}

static void count_result(struct cp_ring *ring, const struct device_dispatch *dispatch, const struct device_result *result)
{
    count_dispatch(ring);
    cp_count_add(&ring->record->groups, result->groups);
    cp_count_add(&ring->record->waves, result->waves);
    if (result->failed && !atomic_load(&ring->stop)) {
        cp_count_add(&ring->record->failed_dispatches, 1);
        cp_ring_failed_dispatch(ring, dispatch->registers.program, result->text);
    }
}

static bool run(struct cp_ring *ring, struct device_dispatch *dispatch)
{
    struct device *device = ring->gpu->device;
    struct device_reader reader = {.user = ring, .read = read_now};
    struct device_result result = {0};
    struct base_error error = {0};
    struct device_prepared *prepared = take_ahead(ring, &dispatch->registers);
    if (!prepared)
        prepared = device->functions->prepare(device, dispatch, &reader, &error);
    if (!prepared) {
        cp_count_add(&ring->record->failed_dispatches, 1);
        cp_ring_failed_dispatch(ring, dispatch->registers.program, error.text);
        return true;
    }
    if (device->functions->bind && !device->functions->bind(device, prepared, &error)) {
        device->functions->drop(device, prepared);
        return cp_ring_lose(ring, "the device can't take the dispatch over: %s", error.text);
    }
    atomic_fetch_add(&ring->gpu->running, 1);
    bool ran = device->functions->run(device, prepared, &result);
    atomic_fetch_sub(&ring->gpu->running, 1);
    if (!ran)
        return cp_ring_lose(ring, "the host has no memory or threads to run waves");
    count_result(ring, dispatch, &result);
    cp_memory_wake(ring->gpu);
    return !result.hung || cp_ring_lose(ring, "%s", result.text);
}

static bool dispatch_grid(struct cp_ring *ring, const struct submit_grid *grid, bool indirect)
{
    struct cp_gpu *gpu = ring->gpu;
    struct device_dispatch dispatch;
    struct base_error error;
    bool good = submit_state_dispatch(&ring->state, grid, &dispatch.registers, &error);
    struct wave_dispatch *registers = &dispatch.registers;
    if (!good) {
        cp_count_add(&ring->record->failed_dispatches, 1);
        cp_ring_failed_dispatch(ring, registers->program, error.text);
        return true;
    }
    if (!registers->groups[0] || !registers->groups[1] || !registers->groups[2]) {
        count_dispatch(ring);
        return true;
    }
    submit_dispatch_surround(registers, &ring->around);
    registers->code_epoch = atomic_load_explicit(&gpu->code_epoch, memory_order_relaxed);
    dispatch.snapshot = ring->work->snapshot;
    if (ring->counting || submit_state_get(&ring->state, PM4_REG_COMPUTE_PIPELINESTAT_ENABLE))
        ring->invocations += thread_count(registers);
    cp_reach_check(ring, registers, indirect);
    return run(ring, &dispatch);
}

/* ---- packets ---- */

bool cp_dispatch_direct(struct cp_ring *ring, const struct pm4_packet *packet)
{
    struct submit_grid grid = {
        .size = {pm4_get(packet, PM4_W_DISPATCH_DIRECT_X), pm4_get(packet, PM4_W_DISPATCH_DIRECT_Y),
                 pm4_get(packet, PM4_W_DISPATCH_DIRECT_Z)},
        .initiator = pm4_get(packet, PM4_W_DISPATCH_DIRECT_INITIATOR),
    };
    return dispatch_grid(ring, &grid, false);
}

static bool indirect(struct cp_ring *ring, uint64_t address, uint32_t initiator)
{
    struct submit_grid grid = {.initiator = initiator};
    return !cp_memory_read(ring, address, grid.size, sizeof grid.size) || dispatch_grid(ring, &grid, true);
}

bool cp_dispatch_indirect(struct cp_ring *ring, const struct pm4_packet *packet)
{
    return indirect(ring, ring->bases[PM4_V_BASE_INDIRECT_DATA] + pm4_get(packet, PM4_W_DISPATCH_INDIRECT_OFFSET),
                    pm4_get(packet, PM4_W_DISPATCH_INDIRECT_INITIATOR));
}

bool cp_dispatch_indirect_mec(struct cp_ring *ring, const struct pm4_packet *packet)
{
    return indirect(ring, pm4_get_quad(packet, PM4_W_DISPATCH_INDIRECT_MEC_ADDR),
                    pm4_get(packet, PM4_W_DISPATCH_INDIRECT_MEC_INITIATOR));
}

bool cp_dispatch_set_base(struct cp_ring *ring, const struct pm4_packet *packet)
{
    unsigned index = pm4_get(packet, PM4_W_SET_BASE_INDEX);
    if (index >= sizeof ring->bases / sizeof ring->bases[0])
        return cp_ring_lose(ring, "there is no base %u", index);
    ring->bases[index] = pm4_get_quad(packet, PM4_W_SET_BASE_ADDR);
    return true;
}
