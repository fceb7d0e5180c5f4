/* submit_ahead: the walk of the caller's thread over a submission: bounds its writes, prepares its dispatches. */
#include "submit/submit_ahead.h"

#include <string.h>

/* More than drivers make. What goes on longer is left to the stream's turn: the caller's thread cannot be stopped. */
enum { MOST_STRETCHES = 1024, MOST_WORDS = 1 << 20, MAX_LEVEL = 8 };

struct walk {
    struct submit_work *work;
    struct submit_state *shadow;
    const struct submit_surroundings *around;
    struct device *device;
    struct submit_ledger *ledger;
    unsigned stretches; /* entered so far: a chain may go round in circles */
    uint32_t words;     /* in them */
};

/* Guest memory as the dispatch will find it: after what is queued, and not where this very submission writes before it. */
static bool read_ahead(void *user, uint64_t address, void *to, uint64_t size)
{
    struct walk *walk = user;
    return !submit_writes_touch(&walk->work->writes, address, size) &&
           submit_ledger_settle(walk->ledger, address, size) != SUBMIT_NOT_READY &&
           submit_memory_read(walk->work->snapshot, address, to, size);
}

static void prepare(struct walk *walk, struct submit_packet *packet)
{
    const struct pm4_packet *pm4 = &packet->pm4;
    struct submit_grid grid = {
        .size = {pm4_get(pm4, PM4_W_DISPATCH_DIRECT_X), pm4_get(pm4, PM4_W_DISPATCH_DIRECT_Y),
                 pm4_get(pm4, PM4_W_DISPATCH_DIRECT_Z)},
        .initiator = pm4_get(pm4, PM4_W_DISPATCH_DIRECT_INITIATOR),
    };
    struct submit_ahead *ahead = base_arena_alloc(&walk->work->arena, sizeof *ahead);
    struct device_reader reader = {walk, read_ahead};
    struct base_error error;
    if (!ahead || packet->ahead || !submit_state_dispatch(walk->shadow, &grid, &ahead->dispatch.registers, &error))
        return;
    const uint32_t *groups = ahead->dispatch.registers.groups;
    if (!groups[0] || !groups[1] || !groups[2])
        return;
    submit_dispatch_surround(&ahead->dispatch.registers, walk->around);
    ahead->dispatch.snapshot = walk->work->snapshot;
    ahead->prepared = walk->device->functions->prepare(walk->device, &ahead->dispatch, &reader, &error);
    if (!ahead->prepared)
        return; /* its turn will show whether that was for good */
    packet->ahead = ahead;
    ahead->next = walk->work->aheads;
    walk->work->aheads = ahead;
}

static bool walk_stretch(struct walk *walk, uint64_t address, uint32_t count, unsigned level);

/* False when the stream goes on elsewhere. */
static bool walk_packet(struct walk *walk, struct submit_packet *packet, unsigned level)
{
    const struct pm4_packet *pm4 = &packet->pm4;
    submit_state_set(walk->shadow, pm4);
    if (pm4->id == PM4_DISPATCH_DIRECT && walk->device->functions->prepares_ahead)
        prepare(walk, packet);
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

void submit_ahead_walk(struct submit_work *work, struct submit_state *shadow, const struct submit_surroundings *around,
                       struct device *device, struct submit_ledger *ledger)
{
    struct walk walk = {work, shadow, around, device, ledger, 0, 0};
    for (size_t n = 0; n < work->ib_count; n++)
        if (!walk_stretch(&walk, work->ibs[n].address, work->ibs[n].bytes / (uint32_t)sizeof(uint32_t), 0))
            submit_writes_unbound(&work->writes, SUBMIT_UNREAD);
    if (work->fence_address)
        submit_writes_add(&work->writes, work->fence_address, sizeof work->fence_value);
}

bool submit_ahead_holds(const struct submit_ahead *ahead, const struct wave_dispatch *registers)
{
    struct wave_dispatch now = *registers;
    now.code_epoch = ahead->dispatch.registers.code_epoch;
    return memcmp(&now, &ahead->dispatch.registers, sizeof now) == 0;
}

void submit_ahead_drop(struct device *device, struct submit_ahead *ahead)
{
    if (ahead->prepared)
        device->functions->drop(device, ahead->prepared);
    ahead->prepared = NULL;
}

void submit_ahead_finish(struct device *device, struct submit_work *work)
{
    for (struct submit_ahead *ahead = work->aheads; ahead; ahead = ahead->next)
        submit_ahead_drop(device, ahead);
    work->aheads = NULL;
}
