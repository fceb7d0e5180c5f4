/* cp_reach: what was said of a submission's writes when it was queued, compared with what its turn shows. */
#include "cp/cp_internal.h"

static void settle(void *user, uint64_t address, uint64_t size)
{
    cp_memory_settle(user, address, size);
}

static bool holds(struct cp_ring *ring, const struct submit_reach *reach, const struct wave_dispatch *registers)
{
    const struct submit_settle settled = {ring, settle};
    bool mirrors = ring->gpu->device->functions->settle;
    return submit_reach_holds(reach, ring->work->snapshot, registers, mirrors ? &settled : NULL);
}

/* Where everything waits for it anyhow, it makes no difference. */
void cp_reach_distrust(struct cp_ring *ring)
{
    if (!ring->shadow || ring->work->writes.unbounded || ring->distrusted)
        return;
    ring->distrusted = true;
    submit_ledger_distrust(&ring->gpu->ledger, ring->work->entry);
}

static enum submit_unbounded first_reason(unsigned reasons)
{
    return (enum submit_unbounded)__builtin_ctz(reasons);
}

void cp_reach_check(struct cp_ring *ring, const struct wave_dispatch *registers, bool indirect)
{
    if (!ring->shadow)
        return;
    const struct submit_ahead *ahead = submit_ahead_find(ring->ahead, registers, indirect);
    const struct submit_reach *reach = ahead ? ahead->reach : NULL;
    unsigned reasons = reach ? submit_reach_writes(reach)->unbounded : 1u << SUBMIT_CHANGES;
    if (!reasons && !holds(ring, reach, registers))
        reasons = 1u << SUBMIT_CHANGES;
    if (!reasons)
        return;
    cp_ring_note_unbounded(ring, first_reason(reasons), registers->program, reach ? submit_reach_place(reach) : 0);
    if (reasons & 1u << SUBMIT_CHANGES)
        submit_tracer_doubt(ring->gpu->tracer, registers->program);
    cp_reach_distrust(ring);
}
