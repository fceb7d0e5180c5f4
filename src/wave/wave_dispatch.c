/* One worker's part of a dispatch: its resident groups share the thread by time slices, and somebody watches that something moves. */
#include <immintrin.h>
#include <sched.h>
#include <string.h>
#include <time.h>

#include "wave/wave_internal.h"

/* How many groups one thread keeps resident when waves spin on others: more come in only then. */
enum { MAX_RESIDENT = 256 };

double wave_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static const struct wave_tier *const tiers[] = {&wave_tier_avx512, &wave_tier_avx2, &wave_tier_baseline};

const struct wave_tier *wave_tier_choose(const char *name)
{
    for (size_t i = 0; i < sizeof tiers / sizeof *tiers; i++)
        if (tiers[i]->present() && (!name || !strcmp(name, tiers[i]->name)))
            return tiers[i];
    return NULL;
}

const char *wave_best_tier(void)
{
    const struct wave_tier *tier = wave_tier_choose(NULL);
    return tier ? tier->name : "none";
}

/* When every wave that still runs waits, all go on. */
static bool release_barrier(struct wave_group *group)
{
    if (!group->waiting || group->waiting + group->ended < group->wave_count)
        return false;
    for (uint32_t i = 0; i < group->wave_count; i++)
        if (group->waves[i]->status == WAVE_BARRIER)
            group->waves[i]->status = WAVE_RUNNING;
    group->waiting = 0;
    return true;
}

/* One slice for each wave of the group that can run; returns whether anything ended or passed a barrier. */
static bool run_group(struct wave_group *group)
{
    struct wave_worker *worker = group->worker;
    bool progress = false;
    for (uint32_t i = 0; i < group->wave_count; i++) {
        struct wave *w = group->waves[i];
        if (w->status != WAVE_RUNNING && w->status != WAVE_YIELDED)
            continue;
        wave_run(w);
        if (w->status == WAVE_ENDED || w->status == WAVE_STOPPED) {
            group->ended++;
            if (worker->shadow)
                wave_probe_end(w);
            progress = true;
            worker->waves_done++;
        } else if (w->status == WAVE_BARRIER) {
            group->waiting++;
        }
        if (atomic_load_explicit(&worker->shared->cancel, memory_order_relaxed))
            return true;
    }
    if (group->waiting && release_barrier(group)) {
        worker->barriers_passed++;
        return true;
    }
    return progress;
}

/* A wave that has made no progress for too long: names where it is and ends the dispatch. */
static void report_hang(struct wave_worker *worker)
{
    struct wave_shared *shared = worker->shared;
    for (struct wave_group *group = worker->groups; group; group = group->next)
        for (uint32_t i = 0; i < group->wave_count; i++) {
            struct wave *w = group->waves[i];
            if (w->status != WAVE_YIELDED)
                continue;
            if (!atomic_exchange(&shared->cancel, true))
                wave_report_fault(w, w->resume, WAVE_FAULT_HANG, -1, 0);
            return;
        }
}

/* The caller wants an end: the first worker that sees it says so. */
static void report_cancelled(struct wave_worker *worker)
{
    struct wave_shared *shared = worker->shared;
    struct wave_fault fault = {
        .kind = WAVE_FAULT_CANCELLED, .pc = shared->dispatch->program, .lane = -1, .text = "its waves were stopped from outside"};
    if (!atomic_exchange(&shared->cancel, true))
        wave_report_add(shared->report, &fault);
}

struct watch {
    uint64_t seen; /* waves ended and barriers passed when that last moved */
    double since;  /* 0: not looked yet */
    double shown;  /* progress callback */
};

/* Now and then: has anything moved, and what does the caller want to see? */
static void look(struct wave_worker *worker, struct watch *watch)
{
    struct wave_shared *shared = worker->shared;
    double now = wave_now();
    wave_worker_add_up(worker);
    uint64_t progress = atomic_load_explicit(&shared->waves_done, memory_order_relaxed) +
                        atomic_load_explicit(&shared->barriers_passed, memory_order_relaxed);
    if (watch->since <= 0 || progress != watch->seen) {
        watch->seen = progress;
        watch->since = now;
    } else if (shared->timeout_s > 0 && now - watch->since > shared->timeout_s) {
        report_hang(worker);
    }
    const struct wave_hooks *hooks = shared->options->hooks;
    if (worker->leads && hooks && hooks->progress && now - watch->shown > 0.1) {
        watch->shown = now;
        hooks->progress(hooks->user, atomic_load_explicit(&shared->groups_done, memory_order_relaxed), shared->group_total);
    }
}

static inline bool stops(struct wave_worker *worker)
{
    const _Atomic bool *cancel = worker->shared->dispatch->cancel;
    if (cancel && atomic_load_explicit(cancel, memory_order_relaxed))
        report_cancelled(worker);
    return atomic_load_explicit(&worker->shared->cancel, memory_order_relaxed);
}

static void run_groups(void *user)
{
    struct wave_worker *worker = user;
    struct wave_shared *shared = worker->shared;
    struct watch watch = {.since = 0};
    unsigned rounds = 0;
    while (!stops(worker)) {
        if (!worker->groups && !wave_worker_take_group(worker))
            break;
        bool progress = false;
        for (struct wave_group *group = worker->groups; group; group = group->next)
            progress |= run_group(group);
        wave_worker_retire_groups(worker);
        if (worker->leads && shared->offer_at != UINT64_MAX && __rdtsc() >= shared->offer_at)
            shared->offer(shared);
        if (progress && (++rounds & 255) != 0)
            continue;
        look(worker, &watch);
        if (progress)
            continue;
        /* All resident waves wait for something: perhaps for a group that is not here yet, or for what another queue does. */
        if (worker->resident < MAX_RESIDENT)
            wave_worker_take_group(worker);
        sched_yield();
    }
}

static void report_left(struct wave_worker *worker)
{
    struct wave_shared *shared = worker->shared;
    struct wave_fault fault = {
        .kind = WAVE_FAULT_READ_ONLY,
        .pc = shared->dispatch->program,
        .lane = -1,
        .text = "the host does not let the guest reach memory that is mapped: its owner took it away, or protected it"};
    atomic_store(&shared->cancel, true);
    wave_report_add(shared->report, &fault);
}

void wave_worker_work(struct wave_worker *worker)
{
    const struct wave_memory *memory = worker->shared->memory;
    uint32_t csr = worker->csr = _mm_getcsr();
    if (!memory->guard)
        run_groups(worker);
    else if (!memory->guard(run_groups, worker))
        report_left(worker);
    _mm_sfence(); /* streaming stores are done with the worker's share */
    _mm_setcsr(csr);
    worker->csr = 0;
}

static unsigned waves_in_group(const struct wave_dispatch *d)
{
    return (d->threads[0] * d->threads[1] * d->threads[2] + d->wave_size - 1) / d->wave_size;
}

static unsigned private_vgprs(const struct wave_dispatch *d)
{
    unsigned shared = d->wave_size == 64 ? (d->rsrc3 & 15) * 8 : 0;
    return shared ? wave_allocated_vgprs(d) - shared : 0;
}

struct wave_variant wave_dispatch_variant(struct wave_cache *cache, const struct wave_dispatch *dispatch, const char *tier)
{
    return (struct wave_variant){
        .lower = {.chip = wave_cache_chip(cache), .wave_size = dispatch->wave_size, .private_vgprs = private_vgprs(dispatch)},
        .tier = wave_tier_choose(tier)};
}

/* What the registers say may come from a hostile guest. */
static const char *impossible(const struct wave_dispatch *d)
{
    enum { MOST_THREADS = 1024, MOST_LDS = 1 << 16 };
    uint64_t threads = 1;
    for (unsigned n = 0; n < 3; n++) {
        if (!d->threads[n] || d->threads[n] > MOST_THREADS || !d->last_threads[n] || d->last_threads[n] > d->threads[n])
            return "a dimension of the group has no threads, or too many";
        threads *= d->threads[n];
    }
    if (threads > MOST_THREADS)
        return "a group of more than 1024 threads";
    if (d->wave_size != 32 && d->wave_size != 64)
        return "a wave size that is neither 32 nor 64";
    if (d->lds_bytes > MOST_LDS)
        return "more than 64 KiB of local data share";
    if (d->scratch_waves && d->scratch_waves < waves_in_group(d))
        return "a scratch ring for fewer waves than a group has";
    return NULL;
}

static uint64_t group_total(const struct wave_dispatch *d)
{
    const uint64_t most = (uint64_t)1 << 62; /* no counter of groups wraps; nobody sees the end of so many */
    unsigned __int128 total = (unsigned __int128)((uint64_t)d->groups[0] * d->groups[1]) * d->groups[2];
    return total < most ? (uint64_t)total : most;
}

const char *wave_shared_init(struct wave_shared *shared, struct wave_cache *cache, const struct wave_dispatch *dispatch,
                             const struct wave_options *options, const struct wave_tier *tier)
{
    shared->cache = cache;
    shared->dispatch = dispatch;
    shared->options = options;
    const char *wrong = impossible(dispatch);
    if (wrong)
        return wrong;
    const struct wave_hooks *hooks = options->hooks;
    shared->variant = (struct wave_variant){.lower = {.chip = wave_cache_chip(cache),
                                                      .wave_size = dispatch->wave_size,
                                                      .marks = hooks && (hooks->trace || hooks->at_break),
                                                      .private_vgprs = private_vgprs(dispatch)},
                                            .tier = tier,
                                            .tuning = WAVE_TUNED};
    shared->group_total = group_total(dispatch);
    shared->waves_per_group = waves_in_group(dispatch);
    shared->timeout_s = dispatch->timeout_s > 0 ? dispatch->timeout_s : options->timeout_s;
    shared->offer_at = UINT64_MAX;
    atomic_store_explicit(&shared->scratch_next, 0, memory_order_relaxed);
    atomic_store_explicit(&shared->scratch_full, false, memory_order_relaxed);
    atomic_store_explicit(&shared->cancel, false, memory_order_relaxed);
    atomic_store_explicit(&shared->out_of_memory, false, memory_order_relaxed);
    atomic_store_explicit(&shared->ordered_turn, 0, memory_order_relaxed);
    atomic_store_explicit(&shared->next_group, 0, memory_order_relaxed);
    atomic_store_explicit(&shared->groups_done, 0, memory_order_relaxed);
    atomic_store_explicit(&shared->waves_done, 0, memory_order_relaxed);
    atomic_store_explicit(&shared->barriers_passed, 0, memory_order_relaxed);
    return NULL;
}
