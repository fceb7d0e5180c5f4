/* Runs a dispatch: threads take groups in order; each thread's resident groups share it by time slices. */
#include <immintrin.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "wave/wave_internal.h"

/* How many groups one thread keeps resident when waves spin on others: more come in only then. */
enum { MAX_RESIDENT = 256, MAX_THREADS = 256 };

double wave_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static const struct wave_tier *const tiers[] = {&wave_tier_avx512, &wave_tier_avx2, &wave_tier_baseline};

static const struct wave_tier *choose_tier(const char *name)
{
    for (size_t i = 0; i < sizeof tiers / sizeof *tiers; i++)
        if (tiers[i]->present() && (!name || !strcmp(name, tiers[i]->name)))
            return tiers[i];
    return NULL;
}

const char *wave_best_tier(void)
{
    const struct wave_tier *tier = choose_tier(NULL);
    return tier ? tier->name : "none";
}

static void group_free(struct wave_group *group, unsigned waves)
{
    if (!group)
        return;
    for (unsigned i = 0; group->waves && i < waves; i++)
        free(group->waves[i]);
    free(group->waves);
    free(group->lds);
    free(group);
}

static struct wave_group *group_new(struct wave_worker *worker)
{
    struct wave_shared *shared = worker->shared;
    enum { SLACK = 64 };
    struct wave_group *group = calloc(1, sizeof *group);
    if (!group)
        return NULL;
    group->worker = worker;
    group->waves = calloc(shared->waves_per_group, sizeof *group->waves);
    size_t lds = (shared->dispatch->lds_bytes + SLACK + 63) & ~(size_t)63;
    group->lds = aligned_alloc(64, lds);
    bool ok = group->waves && group->lds;
    size_t bytes = sizeof(struct wave) + (size_t)IR_V_COUNT * shared->dispatch->wave_size * 4;
    for (unsigned i = 0; ok && i < shared->waves_per_group; i++) {
        struct wave *w = group->waves[i] = aligned_alloc(64, (bytes + 63) & ~(size_t)63);
        ok = w != NULL;
        if (ok)
            memset(w, 0, sizeof *w);
    }
    if (!ok) {
        group_free(group, shared->waves_per_group);
        return NULL;
    }
    group->scratch_slot = atomic_fetch_add(&shared->scratch_next, shared->waves_per_group);
    return group;
}

/* Groups are handed out in order, a few at a time: the shared counter is the workers' one meeting place. */
static bool next_number(struct wave_worker *worker, uint64_t *number)
{
    struct wave_shared *shared = worker->shared;
    enum { SHARES = 64, MOST = 32 };
    if (worker->group_next == worker->group_end) {
        if (atomic_load_explicit(&shared->next_group, memory_order_relaxed) >= shared->group_total)
            return false;
        uint64_t share = shared->group_total / ((uint64_t)shared->worker_count * SHARES);
        share = share < 1 ? 1 : share > MOST ? MOST : share;
        uint64_t first = atomic_fetch_add_explicit(&shared->next_group, share, memory_order_relaxed);
        if (first >= shared->group_total)
            return false;
        worker->group_next = first;
        worker->group_end = first + share < shared->group_total ? first + share : shared->group_total;
    }
    *number = worker->group_next++;
    return true;
}

static bool group_left(const struct wave_worker *worker)
{
    return worker->group_next != worker->group_end ||
           atomic_load_explicit(&worker->shared->next_group, memory_order_relaxed) < worker->shared->group_total;
}

/* A group to fill: one that has retired, or a new one. NULL: out of memory, or out of scratch. */
static struct wave_group *spare_group(struct wave_worker *worker)
{
    struct wave_shared *shared = worker->shared;
    struct wave_group *group = worker->spare;
    if (group) {
        worker->spare = group->next;
        return group;
    }
    uint32_t limit = shared->dispatch->scratch_waves;
    if (limit && atomic_load(&shared->scratch_next) + shared->waves_per_group > limit)
        return NULL;
    return group_new(worker);
}

static void place_group(struct wave_group *group, const struct wave_dispatch *dispatch, uint64_t number)
{
    group->linear = number;
    uint64_t rest = number / dispatch->groups[0];
    group->id[0] = (uint32_t)(number - rest * dispatch->groups[0]);
    group->id[1] = (uint32_t)(rest % dispatch->groups[1]);
    group->id[2] = (uint32_t)(rest / dispatch->groups[1]);
    uint32_t threads = 1;
    group->full = true;
    for (unsigned n = 0; n < 3; n++) {
        bool last = group->id[n] + 1 == dispatch->groups[n];
        threads *= last ? dispatch->last_threads[n] : dispatch->threads[n];
        group->full &= !last || dispatch->last_threads[n] == dispatch->threads[n];
    }
    group->wave_count = (threads + dispatch->wave_size - 1) / dispatch->wave_size;
    group->ended = group->waiting = 0;
}

/* Takes the next group of the grid, if there is one, into residence. */
static bool take_group(struct wave_worker *worker)
{
    struct wave_shared *shared = worker->shared;
    const struct wave_dispatch *dispatch = shared->dispatch;
    uint64_t number;
    struct wave_group *group = group_left(worker) ? spare_group(worker) : NULL;
    if (!group)
        return false;
    if (!next_number(worker, &number)) {
        group->next = worker->spare;
        worker->spare = group;
        return false;
    }
    place_group(group, dispatch, number);
    if (dispatch->lds_bytes)
        memset(group->lds, 0, dispatch->lds_bytes);
    for (uint32_t i = 0; i < group->wave_count; i++)
        wave_start(group->waves[i], group, i, shared->entry);
    group->next = worker->groups;
    worker->groups = group;
    worker->resident++;
    return true;
}

/* One more of what only this worker counts. */
static void count_one(_Atomic uint64_t *counter)
{
    atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + 1, memory_order_relaxed);
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
    struct wave_shared *shared = group->worker->shared;
    bool progress = false;
    for (uint32_t i = 0; i < group->wave_count; i++) {
        struct wave *w = group->waves[i];
        if (w->status != WAVE_RUNNING && w->status != WAVE_YIELDED)
            continue;
        wave_run(w);
        if (w->status == WAVE_BARRIER) {
            group->waiting++;
        } else if (w->status == WAVE_ENDED || w->status == WAVE_STOPPED) {
            group->ended++;
            wave_probe_end(w);
            progress = true;
            count_one(&group->worker->waves_done);
        }
        if (atomic_load_explicit(&shared->cancel, memory_order_relaxed))
            return true;
    }
    if (release_barrier(group)) {
        count_one(&group->worker->barriers_passed);
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

struct watch {
    uint64_t seen;   /* waves ended and barriers passed when that last moved */
    double since;
    double shown;    /* progress callback */
};

struct sums {
    uint64_t groups, waves, barriers;
};

static struct sums sum_up(const struct wave_shared *shared)
{
    struct sums sums = {0};
    for (unsigned t = 0; t < shared->worker_count; t++) {
        const struct wave_worker *worker = &shared->workers[t];
        sums.groups += atomic_load_explicit(&worker->groups_done, memory_order_relaxed);
        sums.waves += atomic_load_explicit(&worker->waves_done, memory_order_relaxed);
        sums.barriers += atomic_load_explicit(&worker->barriers_passed, memory_order_relaxed);
    }
    return sums;
}

/* Now and then: has anything moved, and what does the caller want to see? */
static void look(struct wave_worker *worker, struct watch *watch)
{
    struct wave_shared *shared = worker->shared;
    const struct wave_options *options = shared->options;
    double now = wave_now();
    struct sums sums = sum_up(shared);
    uint64_t progress = sums.waves + sums.barriers;
    if (progress != watch->seen) {
        watch->seen = progress;
        watch->since = now;
    } else if (options->timeout_s > 0 && now - watch->since > options->timeout_s) {
        report_hang(worker);
    }
    const struct wave_hooks *hooks = options->hooks;
    if (worker->index == 0 && hooks && hooks->progress && now - watch->shown > 0.1) {
        watch->shown = now;
        hooks->progress(hooks->user, sums.groups, shared->group_total);
    }
}

static void retire_groups(struct wave_worker *worker)
{
    for (struct wave_group **at = &worker->groups; *at;) {
        struct wave_group *group = *at;
        if (group->ended < group->wave_count) {
            at = &group->next;
            continue;
        }
        *at = group->next;
        group->next = worker->spare;
        worker->spare = group;
        worker->resident--;
        count_one(&worker->groups_done);
    }
}

static void *work(void *arg)
{
    struct wave_worker *worker = arg;
    struct wave_shared *shared = worker->shared;
    struct watch watch = {.since = wave_now()};
    unsigned rounds = 0;
    watch.shown = watch.since;
    uint32_t csr = worker->csr = _mm_getcsr();
    while (!atomic_load_explicit(&shared->cancel, memory_order_relaxed)) {
        if (!worker->groups && !take_group(worker))
            break;
        bool progress = false;
        for (struct wave_group *group = worker->groups; group; group = group->next)
            progress |= run_group(group);
        retire_groups(worker);
        /* When all resident waves wait for something, it may be for a group that is not here yet. */
        if (!progress && worker->resident < MAX_RESIDENT)
            take_group(worker);
        if (!progress || (++rounds & 255) == 0)
            look(worker, &watch);
    }
    _mm_setcsr(csr);
    worker->csr = 0;
    return NULL;
}

/* The groups of every thread, when all have stopped. */
static void worker_finish(struct wave_worker *worker, unsigned waves)
{
    struct wave_group *lists[2] = {worker->groups, worker->spare};
    for (unsigned i = 0; i < 2; i++)
        while (lists[i]) {
            struct wave_group *group = lists[i];
            lists[i] = group->next;
            group_free(group, waves);
        }
    free(worker->shadow);
    if (worker->counts)
        munmap(worker->counts, WAVE_MAX_BLOCKS * sizeof *worker->counts);
}

static bool worker_init(struct wave_worker *worker, struct wave_shared *shared, unsigned index)
{
    worker->shared = shared;
    worker->index = index;
    /* Reserved for as many blocks as there can be; only what is touched takes memory. */
    void *counts = mmap(NULL, WAVE_MAX_BLOCKS * sizeof *worker->counts, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    worker->counts = counts == MAP_FAILED ? NULL : counts;
    return worker->counts != NULL;
}

static unsigned thread_count(const struct wave_options *options, uint64_t groups)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    unsigned threads = options->deterministic ? 1 : options->threads ? options->threads : cores > 0 ? (unsigned)cores : 1;
    if (threads > MAX_THREADS)
        threads = MAX_THREADS;
    return threads < groups ? threads : groups ? (unsigned)groups : 1;
}

/* Sums the threads' block counts into the first's. */
static void sum_counts(struct wave_worker *workers, unsigned threads, uint32_t blocks)
{
    for (unsigned t = 1; t < threads; t++)
        for (uint32_t i = 0; i < blocks; i++)
            workers[0].counts[i] += workers[t].counts[i];
}

static void run_threads(struct wave_worker *workers, unsigned threads)
{
    pthread_t handles[MAX_THREADS];
    unsigned started = 1;
    while (started < threads && !pthread_create(&handles[started], NULL, work, &workers[started]))
        started++;
    work(&workers[0]); /* the others' share is taken over when they could not start */
    for (unsigned t = 1; t < started; t++)
        pthread_join(handles[t], NULL);
}

static unsigned waves_in_group(const struct wave_dispatch *d)
{
    uint64_t threads = (uint64_t)d->threads[0] * d->threads[1] * d->threads[2];
    return (unsigned)((threads + d->wave_size - 1) / d->wave_size);
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
        .tier = choose_tier(tier)};
}

bool wave_run_dispatch(struct wave_cache *cache, const struct wave_dispatch *dispatch, const struct wave_options *options,
                       struct wave_result *result)
{
    memset(result, 0, sizeof *result);
    const struct wave_tier *tier = choose_tier(options->tier);
    struct wave_report *report = wave_report_create(cache, dispatch->wave_size);
    if (!tier || !report)
        return false;
    struct wave_shared shared = {
        .cache = cache, .dispatch = dispatch, .options = options, .memory = wave_cache_memory(cache), .report = report,
        .variant = {.lower = {.chip = wave_cache_chip(cache), .wave_size = dispatch->wave_size, .private_vgprs = private_vgprs(dispatch),
                              .marks = options->hooks && (options->hooks->trace || options->hooks->at_break)},
                    .tier = tier},
        .group_total = (uint64_t)dispatch->groups[0] * dispatch->groups[1] * dispatch->groups[2],
        .waves_per_group = waves_in_group(dispatch),
        .start = wave_now(),
    };
    const char *why = NULL;
    shared.entry = wave_cache_find(cache, &shared.variant, dispatch->program, &why);
    unsigned threads = thread_count(options, shared.group_total);
    struct wave_worker *workers = calloc(threads, sizeof *workers);
    bool ok = workers && shared.entry.op;
    shared.workers = workers;
    shared.worker_count = threads;
    for (unsigned t = 0; ok && t < threads; t++)
        ok = worker_init(&workers[t], &shared, t);
    if (ok) {
        unsigned allocated = wave_allocated_vgprs(dispatch);
        shared.vgprs = shared.entry.unit->vgpr_top < allocated ? shared.entry.unit->vgpr_top : allocated;
        if (shared.vgprs < 3)
            shared.vgprs = 3; /* thread ids go there in any case */
        shared.images = wave_images_create(&shared);
        run_threads(workers, threads);
        uint32_t blocks = wave_cache_block_count(cache);
        sum_counts(workers, threads, blocks);
        wave_report_count(cache, workers[0].counts, result);
        ok = sum_up(&shared).groups == shared.group_total || atomic_load(&shared.cancel);
    }
    if (workers) {
        struct sums sums = sum_up(&shared);
        result->waves = sums.waves;
        result->groups = sums.groups;
    }
    result->tier = tier->name;
    result->threads = threads;
    for (unsigned t = 0; workers && t < threads; t++)
        worker_finish(&workers[t], shared.waves_per_group);
    free(workers);
    free(shared.images);
    wave_report_take(report, result);
    result->seconds = wave_now() - shared.start;
    return ok;
}
