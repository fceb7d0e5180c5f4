/* submit_ahead: the walk of the caller's thread over a submission: bounds its writes, prepares its dispatches. */
#include "submit/submit_ahead.h"

#include <string.h>

/* More than drivers make. What goes on longer is left to the stream's turn: the caller's thread cannot be stopped. */
enum { MOST_STRETCHES = 1024, MOST_WORDS = 1 << 20, MAX_LEVEL = 8 };

struct walk {
    struct submit_work *work;
    struct submit_state *shadow;
    const struct submit_ahead_tools *tools;
    uint64_t trust;
    unsigned stretches; /* entered so far: a chain may go round in circles */
    uint32_t words;     /* in them */
};

/* Guest memory as the dispatch will find it: after what is queued, and not where this very submission writes before it. */
static bool read_ahead(void *user, uint64_t address, void *to, uint64_t size)
{
    struct walk *walk = user;
    return !submit_writes_touch(&walk->work->writes, address, size) &&
           submit_ledger_settle(walk->tools->ledger, address, size) != SUBMIT_NOT_READY &&
           submit_memory_read(walk->work->snapshot, address, to, size);
}

static void prepare(struct walk *walk, struct submit_ahead *ahead)
{
    struct device *device = walk->tools->device;
    struct device_reader reader = {.user = walk, .read = read_ahead, .ahead = true};
    struct base_error error;
    ahead->prepared = device->functions->prepare(device, &ahead->dispatch, &reader, &error);
    /* Where it is refused, its turn will show whether that is for good. */
}

/* What it writes joins what the submission does. */
static void bound(struct walk *walk, struct submit_ahead *ahead)
{
    struct submit_tracer *tracer = walk->tools->tracer;
    const struct wave_dispatch *registers = &ahead->dispatch.registers;
    struct submit_writes *writes = &walk->work->writes;
    if (submit_tracer_doubts(tracer, registers->program)) {
        submit_writes_unbound(writes, SUBMIT_CHANGES);
        return;
    }
    ahead->reach = submit_tracer_find(tracer, walk->work->snapshot, registers, ahead->indirect);
    if (ahead->reach)
        submit_writes_join(writes, submit_reach_writes(ahead->reach));
    else
        submit_writes_unbound(writes, SUBMIT_NO_MEMORY);
}

/* A dispatch that its turn will refuse, and one of no groups, write nothing. */
static void meet(struct walk *walk, struct submit_packet *packet, const struct submit_grid *grid, bool indirect)
{
    struct submit_ahead *ahead = base_arena_alloc(&walk->work->arena, sizeof *ahead);
    struct base_error error;
    if (!ahead) {
        submit_writes_unbound(&walk->work->writes, SUBMIT_NO_MEMORY);
        return;
    }
    *ahead = (struct submit_ahead){.indirect = indirect, .trust = walk->trust, .same = packet->ahead};
    struct wave_dispatch *registers = &ahead->dispatch.registers;
    if (!submit_state_dispatch(walk->shadow, grid, registers, &error) || !registers->groups[0] || !registers->groups[1] ||
        !registers->groups[2])
        return;
    submit_dispatch_surround(registers, walk->tools->around);
    if (indirect)
        submit_reach_widen(registers);
    if (submit_ahead_find(packet->ahead, registers, indirect))
        return;
    ahead->dispatch.snapshot = walk->work->snapshot;
    if (!indirect && !packet->ahead)
        prepare(walk, ahead);
    bound(walk, ahead);
    packet->ahead = ahead;
    ahead->next = walk->work->aheads;
    walk->work->aheads = ahead;
}

struct submit_grid submit_ahead_grid(uint32_t initiator)
{
    initiator &= ~(uint32_t)base_field_make(PM4_F_COMPUTE_DISPATCH_INITIATOR_USE_THREAD_DIMENSIONS, 1);
    initiator |= (uint32_t)base_field_make(PM4_F_COMPUTE_DISPATCH_INITIATOR_FORCE_START_AT_000, 1);
    return (struct submit_grid){.size = {1, 1, 1}, .initiator = initiator};
}

static void meet_direct(struct walk *walk, struct submit_packet *packet)
{
    const struct pm4_packet *pm4 = &packet->pm4;
    const struct submit_grid grid = {
        .size = {pm4_get(pm4, PM4_W_DISPATCH_DIRECT_X), pm4_get(pm4, PM4_W_DISPATCH_DIRECT_Y),
                 pm4_get(pm4, PM4_W_DISPATCH_DIRECT_Z)},
        .initiator = pm4_get(pm4, PM4_W_DISPATCH_DIRECT_INITIATOR),
    };
    meet(walk, packet, &grid, false);
}

static void meet_indirect(struct walk *walk, struct submit_packet *packet)
{
    const struct pm4_packet *pm4 = &packet->pm4;
    uint32_t initiator = pm4_get(pm4, pm4->id == PM4_DISPATCH_INDIRECT ? PM4_W_DISPATCH_INDIRECT_INITIATOR
                                                                       : PM4_W_DISPATCH_INDIRECT_MEC_INITIATOR);
    const struct submit_grid grid = submit_ahead_grid(initiator);
    meet(walk, packet, &grid, true);
}

static bool walk_stretch(struct walk *walk, uint64_t address, uint32_t count, unsigned level);

static bool draws(const struct pm4_packet *packet)
{
    switch (packet->id) {
    case PM4_DRAW_INDEX_2:
    case PM4_DRAW_INDEX_AUTO:
    case PM4_DRAW_INDEX_OFFSET_2:
    case PM4_DRAW_INDEX_MULTI_AUTO:
    case PM4_DRAW_INDIRECT:
    case PM4_DRAW_INDEX_INDIRECT:
    case PM4_DRAW_INDIRECT_MULTI:
    case PM4_DRAW_INDEX_INDIRECT_MULTI:
    case PM4_DISPATCH_MESH_INDIRECT_MULTI:
    case PM4_DISPATCH_TASKMESH_GFX: return true;
    default: return false;
    }
}

/* False when the stream goes on elsewhere. */
static bool walk_packet(struct walk *walk, struct submit_packet *packet, unsigned level)
{
    const struct pm4_packet *pm4 = &packet->pm4;
    submit_state_set(walk->shadow, pm4);
    if (pm4->id == PM4_DISPATCH_DIRECT)
        meet_direct(walk, packet);
    else if (pm4->id == PM4_DISPATCH_INDIRECT || pm4->id == PM4_DISPATCH_INDIRECT_MEC)
        meet_indirect(walk, packet);
    else if (draws(pm4))
        submit_target_writes(&walk->work->writes, submit_tracer_images(walk->tools->tracer), walk->shadow);
    submit_bounds_pm4(&walk->work->writes, pm4);
    if (pm4->id != PM4_INDIRECT_BUFFER)
        return true;
    bool chain = pm4_get(pm4, PM4_W_INDIRECT_BUFFER_CHAIN);
    if (!walk_stretch(walk, submit_address(pm4_get_quad(pm4, PM4_W_INDIRECT_BUFFER_BASE)),
                      pm4_get(pm4, PM4_W_INDIRECT_BUFFER_SIZE), chain ? level : level + 1))
        submit_writes_unbound(&walk->work->writes, SUBMIT_UNREAD);
    return !chain;
}

/* False when it can't be had. */
static bool walk_stretch(struct walk *walk, uint64_t address, uint32_t count, unsigned level)
{
    if (!count)
        return true;
    if (level >= MAX_LEVEL || walk->stretches++ >= MOST_STRETCHES || count > MOST_WORDS - walk->words)
        return false;
    walk->words += count;
    struct submit_ib *ib = submit_work_ib(walk->work, address, count, NULL);
    if (!ib)
        return false;
    ib->walked = true;
    if (walk->work->ring == SUBMIT_SDMA) {
        for (size_t n = 0; n < ib->packet_count; n++)
            submit_bounds_sdma(&walk->work->writes, &ib->packets[n].sdma);
        return true;
    }
    ib->users++;
    for (size_t n = 0; n < ib->packet_count && walk_packet(walk, &ib->packets[n], level); n++)
        ;
    ib->users--;
    return true;
}

void submit_ahead_walk(struct submit_work *work, struct submit_state *shadow, const struct submit_ahead_tools *tools)
{
    struct walk walk = {.work = work, .shadow = shadow, .tools = tools, .trust = submit_ledger_trust(tools->ledger)};
    for (size_t n = 0; n < work->ib_count; n++)
        if (!walk_stretch(&walk, work->ibs[n].address, work->ibs[n].bytes / (uint32_t)sizeof(uint32_t), 0))
            submit_writes_unbound(&work->writes, SUBMIT_UNREAD);
    if (work->fence_address)
        submit_writes_add(&work->writes, work->fence_address, sizeof work->fence_value);
}

struct submit_ahead *submit_ahead_find(struct submit_ahead *ahead, const struct wave_dispatch *registers, bool indirect)
{
    struct wave_dispatch now = *registers;
    if (indirect)
        submit_reach_widen(&now);
    for (; ahead; ahead = ahead->same) {
        now.code_epoch = ahead->dispatch.registers.code_epoch;
        if (ahead->indirect == indirect && !memcmp(&now, &ahead->dispatch.registers, sizeof now))
            return ahead;
    }
    return NULL;
}

void submit_ahead_drop(struct device *device, struct submit_ahead *ahead)
{
    if (ahead->prepared)
        device->functions->drop(device, ahead->prepared);
    ahead->prepared = NULL;
}

void submit_ahead_finish(struct device *device, struct submit_work *work)
{
    for (struct submit_ahead *ahead = work->aheads; ahead; ahead = ahead->next) {
        submit_ahead_drop(device, ahead);
        submit_reach_release(ahead->reach);
        ahead->reach = NULL;
    }
    work->aheads = NULL;
}
