/* The groups that a worker keeps: takes them into residence one after the other, and fits them to the dispatch at hand. */
#include <stdlib.h>
#include <string.h>

#include "wave/wave_program.h"

/* Spare groups that outlive a dispatch, in one worker. */
enum { MAX_SPARES = 16 };

static void group_free(struct wave_group *group)
{
    for (unsigned i = 0; i < group->wave_cap; i++)
        free(group->waves[i]);
    free(group->waves);
    free(group->lds);
    free(group);
}

/* Waves have room for every register in either wave size: what is not used takes no memory. */
static bool add_waves(struct wave_group *group, unsigned count)
{
    struct wave **waves = realloc(group->waves, count * sizeof *waves);
    if (!waves)
        return false;
    group->waves = waves;
    size_t bytes = sizeof(struct wave) + (size_t)IR_V_COUNT * WAVE_LANES_MAX * 4;
    for (; group->wave_cap < count; group->wave_cap++) {
        struct wave *w = waves[group->wave_cap] = aligned_alloc(64, (bytes + 63) & ~(size_t)63);
        if (!w)
            return false;
        memset(w, 0, sizeof *w);
    }
    return true;
}

static bool add_lds(struct wave_group *group, uint32_t bytes)
{
    enum { SLACK = 64 };
    free(group->lds);
    group->lds = aligned_alloc(64, ((size_t)bytes + SLACK + 63) & ~(size_t)63);
    group->lds_cap = group->lds ? bytes : 0;
    return group->lds != NULL;
}

/* Reserves the group's place in the scratch ring; false: there is none left. */
static bool take_scratch(struct wave_group *group, struct wave_shared *shared)
{
    uint32_t limit = shared->dispatch->scratch_waves, count = shared->waves_per_group;
    if (!limit)
        return true;
    uint32_t slot = atomic_load(&shared->scratch_next);
    do
        if (slot + count > limit || slot + count < slot) {
            atomic_store(&shared->scratch_full, true);
            return false;
        }
    while (!atomic_compare_exchange_weak(&shared->scratch_next, &slot, slot + count));
    group->scratch_slot = slot;
    return true;
}

/* Makes a group ready for the dispatch. */
static bool group_bind(struct wave_group *group, struct wave_worker *worker)
{
    struct wave_shared *shared = worker->shared;
    uint32_t lds = shared->dispatch->lds_bytes;
    group->scratch_slot = 0;
    if (!take_scratch(group, shared))
        return false;
    if ((group->wave_cap < shared->waves_per_group && !add_waves(group, shared->waves_per_group)) ||
        ((!group->lds || group->lds_cap < lds) && !add_lds(group, lds))) {
        atomic_store(&shared->out_of_memory, true);
        return false;
    }
    group->bound = worker->serial;
    return true;
}

static struct wave_group *group_new(struct wave_worker *worker)
{
    struct wave_group *group = calloc(1, sizeof *group);
    if (!group)
        atomic_store(&worker->shared->out_of_memory, true);
    else
        group->worker = worker;
    return group;
}

static void put_spare(struct wave_worker *worker, struct wave_group *group)
{
    group->next = worker->spare;
    worker->spare = group;
    worker->spares++;
}

/* A group to fill: one that has retired, or a new one. NULL: out of memory, or out of scratch. */
static struct wave_group *spare_group(struct wave_worker *worker)
{
    struct wave_group *group = worker->spare;
    if (group) {
        worker->spare = group->next;
        worker->spares--;
    } else if (!(group = group_new(worker))) {
        return NULL;
    }
    if (group->bound == worker->serial || group_bind(group, worker))
        return group;
    put_spare(worker, group);
    return NULL;
}

/* Groups are handed out in order, a few at a time: the shared counter is the workers' one meeting place. */
static bool next_share(struct wave_worker *worker)
{
    struct wave_shared *shared = worker->shared;
    enum { SHARES = 64, MOST = 32 };
    if (atomic_load_explicit(&shared->next_group, memory_order_relaxed) >= shared->group_total)
        return false;
    uint64_t share = shared->group_total / ((uint64_t)shared->worker_count * SHARES);
    share = share < 1 ? 1 : share > MOST ? MOST : share;
    uint64_t first = atomic_fetch_add_explicit(&shared->next_group, share, memory_order_relaxed);
    if (first >= shared->group_total)
        return false;
    wave_worker_add_up(worker);
    worker->group_next = first;
    worker->group_end = first + share < shared->group_total ? first + share : shared->group_total;
    const uint32_t *groups = shared->dispatch->groups;
    uint64_t rows = first / groups[0];
    worker->group_at[0] = (uint32_t)(first % groups[0]);
    worker->group_at[1] = (uint32_t)(rows % groups[1]);
    worker->group_at[2] = (uint32_t)(rows / groups[1]);
    return true;
}

bool wave_worker_group_left(const struct wave_worker *worker)
{
    return worker->group_next != worker->group_end ||
           atomic_load_explicit(&worker->shared->next_group, memory_order_relaxed) < worker->shared->group_total;
}

/* The group becomes the next of the worker's share. */
static void place_group(struct wave_group *group, struct wave_worker *worker)
{
    const struct wave_dispatch *dispatch = worker->shared->dispatch;
    uint32_t threads = 1, *at = worker->group_at;
    group->linear = worker->group_next++;
    group->full = true;
    for (unsigned n = 0; n < 3; n++) {
        bool last = at[n] + 1 == dispatch->groups[n];
        group->id[n] = at[n];
        threads *= last ? dispatch->last_threads[n] : dispatch->threads[n];
        group->full &= !last || dispatch->last_threads[n] == dispatch->threads[n];
    }
    group->wave_count = group->full ? worker->shared->waves_per_group : (threads + dispatch->wave_size - 1) / dispatch->wave_size;
    group->ended = group->waiting = 0;
    for (unsigned n = 0; n < 3 && ++at[n] == dispatch->groups[n]; n++)
        at[n] = 0;
}

bool wave_worker_take_group(struct wave_worker *worker)
{
    const struct wave_shared *shared = worker->shared;
    struct wave_group *group = wave_worker_group_left(worker) ? spare_group(worker) : NULL;
    if (!group)
        return false;
    if (worker->group_next == worker->group_end && !next_share(worker)) {
        put_spare(worker, group);
        return false;
    }
    place_group(group, worker);
    if (shared->dispatch->lds_bytes)
        memset(group->lds, 0, shared->dispatch->lds_bytes);
    for (uint32_t i = 0; i < group->wave_count; i++)
        wave_start(group->waves[i], group, i, shared->entry);
    group->next = worker->groups;
    worker->groups = group;
    worker->resident++;
    return true;
}

void wave_worker_retire_groups(struct wave_worker *worker)
{
    for (struct wave_group **at = &worker->groups; *at;) {
        struct wave_group *group = *at;
        if (group->ended < group->wave_count) {
            at = &group->next;
            continue;
        }
        *at = group->next;
        put_spare(worker, group);
        worker->resident--;
        worker->groups_done++;
    }
}

void wave_worker_add_up(struct wave_worker *worker)
{
    struct wave_shared *shared = worker->shared;
    atomic_fetch_add_explicit(&shared->groups_done, worker->groups_done, memory_order_relaxed);
    atomic_fetch_add_explicit(&shared->waves_done, worker->waves_done, memory_order_relaxed);
    atomic_fetch_add_explicit(&shared->barriers_passed, worker->barriers_passed, memory_order_relaxed);
    worker->groups_done = worker->waves_done = worker->barriers_passed = 0;
}

bool wave_worker_enter(struct wave_worker *worker, struct wave_shared *shared)
{
    worker->shared = shared;
    worker->serial++;
    worker->ticks = 0;
    worker->group_next = worker->group_end = 0;
    if (worker->memory_version != shared->memory->version || !worker->memory_version)
        memset(worker->runs, 0, sizeof worker->runs);
    worker->memory_version = shared->memory->version;
    if (worker->program_id == shared->program->id && worker->epoch == shared->dispatch->code_epoch)
        return true;
    worker->program_id = 0;
    worker->stamp++;
    worker->counts = wave_program_counts(shared->program, shared->entry.unit, worker);
    if (!worker->counts)
        return false;
    worker->program_id = shared->program->id;
    worker->epoch = shared->dispatch->code_epoch;
    return true;
}

void wave_worker_leave(struct wave_worker *worker)
{
    wave_worker_add_up(worker);
    while (worker->groups) { /* when it was cancelled */
        struct wave_group *group = worker->groups;
        worker->groups = group->next;
        put_spare(worker, group);
    }
    worker->resident = 0;
    while (worker->spares > MAX_SPARES) {
        struct wave_group *group = worker->spare;
        worker->spare = group->next;
        worker->spares--;
        group_free(group);
    }
}

void wave_worker_finish(struct wave_worker *worker)
{
    while (worker->spare) {
        struct wave_group *group = worker->spare;
        worker->spare = group->next;
        group_free(group);
    }
    free(worker->shadow);
    free(worker->images);
}
