/* The engine: worker threads, and what they and the callers keep from dispatch to dispatch. */
#include <immintrin.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "wave/wave_program.h"

enum {
    MAX_HELPERS = 255,
    KNOWN_PROGRAMS = 64,
    FAULT_SITES = 256,    /* kept over all dispatches */
    ALONE_CYCLES = 20000, /* a dispatch that takes longer than this is worth waking others: they take about as long to come */
};

/* A program that a caller's worker ran lately; it holds a reference. */
struct known {
    uint64_t pc;
    struct wave_program *program;
};

/* What one calling thread needs for one dispatch at a time; any thread may take one that is not busy. */
struct job {
    _Alignas(64) struct wave_shared shared;
    struct wave_worker worker;
    struct wave_engine *engine;
    _Atomic bool busy;
    struct job *next; /* among all of the engine's; never changes */
    struct known known[KNOWN_PROGRAMS];
    /* Guarded by the engine's lock. */
    struct job *open_next;
    bool open;
    unsigned helping;
    pthread_cond_t left; /* the last helper has left */
};

struct helper {
    struct wave_worker worker;
    struct wave_engine *engine;
    pthread_t thread;
};

struct wave_engine {
    struct wave_cache *cache;
    struct wave_options options;
    const struct wave_tier *tier;
    uint64_t id;
    unsigned max_helpers;
    bool totals; /* sums by program are wanted */
    struct job *_Atomic jobs;
    pthread_mutex_t lock; /* guards everything below */
    pthread_cond_t work;
    struct job *open; /* dispatches that want help */
    struct helper *helpers[MAX_HELPERS];
    unsigned helper_count, idle;
    bool ending;
    struct wave_fault_total *faults;
    size_t fault_count;
};

/* 1. Helpers. */

static bool wants_help(const struct job *job)
{
    const struct wave_shared *shared = &job->shared;
    return atomic_load_explicit(&shared->next_group, memory_order_relaxed) < shared->group_total &&
           !atomic_load_explicit(&shared->scratch_full, memory_order_relaxed) &&
           !atomic_load_explicit(&shared->cancel, memory_order_relaxed);
}

/* The dispatch with the fewest helpers. */
static struct job *choose_job_locked(struct wave_engine *engine)
{
    struct job *best = NULL;
    for (struct job *job = engine->open; job; job = job->open_next)
        if (wants_help(job) && (!best || job->helping < best->helping))
            best = job;
    return best;
}

static void help(struct wave_worker *worker, struct wave_shared *shared)
{
    if (wave_worker_enter(worker, shared))
        wave_worker_work(worker);
    else
        atomic_store(&shared->scratch_full, true); /* no memory to help with: the others do it */
    wave_worker_leave(worker);
}

static void *helper_main(void *arg)
{
    struct helper *helper = arg;
    struct wave_engine *engine = helper->engine;
    pthread_mutex_lock(&engine->lock);
    while (!engine->ending) {
        struct job *job = choose_job_locked(engine);
        if (!job) {
            engine->idle++;
            pthread_cond_wait(&engine->work, &engine->lock);
            engine->idle--;
            continue;
        }
        job->helping++;
        pthread_mutex_unlock(&engine->lock);
        help(&helper->worker, &job->shared);
        pthread_mutex_lock(&engine->lock);
        if (--job->helping == 0)
            pthread_cond_signal(&job->left);
    }
    pthread_mutex_unlock(&engine->lock);
    return NULL;
}

/* One more thread. It takes no signals: those are for the threads of the program that we are in. */
static bool start_helper_locked(struct wave_engine *engine)
{
    struct helper *helper = aligned_alloc(_Alignof(struct helper), sizeof *helper);
    if (!helper)
        return false;
    memset(helper, 0, sizeof *helper);
    helper->engine = engine;
    helper->worker.engine = engine->id;
    sigset_t all, before;
    sigfillset(&all);
    sigdelset(&all, SIGSEGV);
    sigdelset(&all, SIGBUS);
    sigdelset(&all, SIGFPE);
    sigdelset(&all, SIGILL);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = !pthread_create(&helper->thread, NULL, helper_main, helper);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (started)
        engine->helpers[engine->helper_count++] = helper;
    else
        free(helper);
    return started;
}

/* The dispatch has run for a while and groups are left: others may come. */
static void offer(struct wave_shared *shared)
{
    struct job *job = (struct job *)shared; /* its first member */
    struct wave_engine *engine = job->engine;
    shared->offer_at = UINT64_MAX;
    uint64_t next = atomic_load_explicit(&shared->next_group, memory_order_relaxed);
    uint64_t left = next < shared->group_total ? shared->group_total - next : 0;
    if (!left)
        return;
    pthread_mutex_lock(&engine->lock);
    job->open = true;
    job->open_next = engine->open;
    engine->open = job;
    while (engine->idle < left && engine->helper_count < engine->max_helpers && start_helper_locked(engine))
        left--;
    if (left >= engine->idle)
        pthread_cond_broadcast(&engine->work);
    else
        while (left--)
            pthread_cond_signal(&engine->work);
    pthread_mutex_unlock(&engine->lock);
}

/* Nobody else comes, and those who came have left. */
static void close_job(struct job *job)
{
    struct wave_engine *engine = job->engine;
    if (!job->open) /* only this thread changes it */
        return;
    pthread_mutex_lock(&engine->lock);
    struct job **at = &engine->open;
    while (*at != job)
        at = &(*at)->open_next;
    *at = job->open_next;
    job->open = false;
    while (job->helping)
        pthread_cond_wait(&job->left, &engine->lock);
    pthread_mutex_unlock(&engine->lock);
}

/* 2. Callers. */

static struct job *make_job(struct wave_engine *engine)
{
    struct job *job = aligned_alloc(_Alignof(struct job), sizeof *job);
    if (!job)
        return NULL;
    memset(job, 0, sizeof *job);
    job->engine = engine;
    job->worker.engine = engine->id;
    job->worker.leads = true;
    job->shared.offer = offer;
    job->shared.report = wave_report_create();
    if (!job->shared.report || pthread_cond_init(&job->left, NULL)) {
        wave_report_destroy(job->shared.report);
        free(job);
        return NULL;
    }
    atomic_store(&job->busy, true);
    job->next = atomic_load(&engine->jobs);
    while (!atomic_compare_exchange_weak(&engine->jobs, &job->next, job))
        ;
    return job;
}

static struct job *take_job(struct wave_engine *engine)
{
    for (struct job *job = atomic_load_explicit(&engine->jobs, memory_order_acquire); job; job = job->next)
        if (!atomic_load_explicit(&job->busy, memory_order_relaxed) &&
            !atomic_exchange_explicit(&job->busy, true, memory_order_acquire))
            return job;
    return make_job(engine);
}

static void give_job(struct job *job)
{
    atomic_store_explicit(&job->busy, false, memory_order_release);
}

static void destroy_job(struct job *job)
{
    for (unsigned i = 0; i < KNOWN_PROGRAMS; i++)
        wave_program_release(job->known[i].program);
    wave_worker_finish(&job->worker);
    wave_images_destroy(job->shared.images);
    wave_report_destroy(job->shared.report);
    pthread_cond_destroy(&job->left);
    free(job);
}

/* The dispatch's program, without a lock when this job ran it lately and nothing says that its code may have changed. */
static struct wave_program *find_program(struct job *job, const char **why)
{
    struct wave_shared *shared = &job->shared;
    const struct wave_dispatch *dispatch = shared->dispatch;
    struct known *known = &job->known[(dispatch->program >> 8 ^ dispatch->program >> 14) % KNOWN_PROGRAMS];
    struct wave_program *program = known->program;
    const struct lower_config *wanted = &shared->variant.lower;
    if (program && known->pc == dispatch->program && !atomic_load_explicit(&program->retired, memory_order_relaxed) &&
        program->variant.lower.wave_size == wanted->wave_size && program->variant.lower.private_vgprs == wanted->private_vgprs &&
        program->variant.lower.marks == wanted->marks &&
        atomic_load_explicit(&program->entry.unit->verified, memory_order_relaxed) == dispatch->code_epoch)
        return program;
    program =
        wave_cache_program(job->engine->cache, &shared->variant, shared->memory, dispatch->code_epoch, dispatch->program, why);
    if (!program)
        return NULL;
    wave_program_release(known->program);
    *known = (struct known){dispatch->program, program};
    return program;
}

/* Vector registers that a wave starts with zeros in. */
static unsigned start_vgprs(const struct wave_shared *shared)
{
    enum { FEWEST = 3 }; /* thread ids go there in any case */
    unsigned allocated = wave_allocated_vgprs(shared->dispatch), used = shared->entry.unit->vgpr_top;
    unsigned least = used < allocated ? used : allocated;
    return least < FEWEST ? FEWEST : least;
}

/* A dispatch that cannot be begun. */
static void refuse(struct job *job, const char *why)
{
    struct wave_fault fault = {.kind = WAVE_FAULT_UNSUPPORTED_INSTRUCTION, .pc = job->shared.dispatch->program, .lane = -1};
    snprintf(fault.text, sizeof fault.text, "%s", why);
    wave_report_add(job->shared.report, &fault);
}

/* False: out of memory. *program stays NULL when the dispatch was refused. */
static bool run_job(struct job *job, const struct wave_memory *memory, const struct wave_dispatch *dispatch,
                    struct wave_program **program)
{
    struct wave_shared *shared = &job->shared;
    struct wave_engine *engine = job->engine;
    wave_report_clear(shared->report);
    const char *why = wave_shared_init(shared, engine->cache, dispatch, &engine->options, engine->tier);
    shared->memory = memory;
    if (!why)
        *program = find_program(job, &why);
    if (!*program) {
        if (why)
            refuse(job, why);
        return why != NULL;
    }
    shared->program = *program;
    shared->entry = (*program)->entry;
    shared->vgprs = start_vgprs(shared);
    shared->worker_count = engine->max_helpers + 1;
    shared->images = wave_images_prepare(shared->images, shared);
    if (engine->max_helpers && shared->group_total > 1)
        shared->offer_at = __rdtsc() + ALONE_CYCLES;
    if (!shared->images || !wave_worker_enter(&job->worker, shared))
        return false;
    wave_worker_work(&job->worker);
    wave_worker_leave(&job->worker);
    close_job(job);
    bool complete = atomic_load_explicit(&shared->groups_done, memory_order_relaxed) == shared->group_total;
    return complete || atomic_load_explicit(&shared->cancel, memory_order_relaxed);
}

/* 3. What was done. */

struct fault_visit {
    struct wave_engine *engine;
    uint64_t program;
};

static void add_fault_locked(void *user, const struct wave_fault *fault, uint64_t times)
{
    struct fault_visit *visit = user;
    struct wave_engine *engine = visit->engine;
    for (size_t i = 0; i < engine->fault_count; i++) {
        struct wave_fault_total *total = &engine->faults[i];
        if (total->program == visit->program && total->first.pc == fault->pc && total->first.kind == fault->kind) {
            total->times += times;
            return;
        }
    }
    if (!engine->faults)
        engine->faults = calloc(FAULT_SITES, sizeof *engine->faults);
    if (engine->faults && engine->fault_count < FAULT_SITES)
        engine->faults[engine->fault_count++] = (struct wave_fault_total){visit->program, times, *fault};
}

static void note_totals(struct job *job, struct wave_program *program, const struct wave_brief *brief)
{
    struct wave_engine *engine = job->engine;
    if (program) {
        atomic_fetch_add_explicit(&program->dispatches, 1, memory_order_relaxed);
        atomic_fetch_add_explicit(&program->failed, brief->failed, memory_order_relaxed);
        atomic_fetch_add_explicit(&program->groups, brief->groups, memory_order_relaxed);
        atomic_fetch_add_explicit(&program->waves, brief->waves, memory_order_relaxed);
    }
    if (!wave_report_any(job->shared.report))
        return;
    struct fault_visit visit = {engine, job->shared.dispatch->program};
    pthread_mutex_lock(&engine->lock);
    wave_report_each(job->shared.report, &visit, add_fault_locked);
    pthread_mutex_unlock(&engine->lock);
}

bool wave_engine_run(struct wave_engine *engine, const struct wave_memory *memory, const struct wave_dispatch *dispatch,
                     struct wave_brief *brief)
{
    struct job *job = take_job(engine);
    struct wave_program *program = NULL;
    *brief = (struct wave_brief){.failed = false};
    if (!job)
        return false;
    bool ok = run_job(job, memory, dispatch, &program);
    if (program) {
        brief->groups = atomic_load_explicit(&job->shared.groups_done, memory_order_relaxed);
        brief->waves = atomic_load_explicit(&job->shared.waves_done, memory_order_relaxed);
    }
    if (wave_report_any(job->shared.report))
        wave_report_brief(job->shared.report, dispatch->program, brief);
    note_totals(job, program, brief);
    give_job(job);
    return ok;
}

/* The programs of now; each is held. NULL, *count 0: none, or out of memory (*ok false). */
static struct wave_program **hold_programs(struct wave_cache *cache, size_t *count, bool *ok)
{
    *count = 0;
    wave_cache_lock(cache);
    size_t all = 0;
    for (struct wave_program *program = wave_cache_programs_locked(cache); program; program = program->next)
        all++;
    struct wave_program **held = calloc(all + 1, sizeof *held);
    *ok = held != NULL;
    for (struct wave_program *program = wave_cache_programs_locked(cache); held && program; program = program->next)
        if (atomic_load(&program->dispatches)) {
            atomic_fetch_add(&program->refs, 1);
            held[(*count)++] = program;
        }
    wave_cache_unlock(cache);
    return held;
}

/* FNV-1a, 64 bits, byte by byte from each word's lowest on. The cache is locked. */
static uint64_t hash_locked(const struct wave_code *code)
{
    const uint64_t start = UINT64_C(0xcbf29ce484222325), prime = UINT64_C(0x100000001b3);
    uint64_t hash = start;
    for (uint32_t p = 0; p < code->piece_count; p++)
        for (uint32_t i = 0; i < code->pieces[p].count; i++)
            for (unsigned shift = 0; shift < 32; shift += 8)
                hash = (hash ^ (code->words[code->pieces[p].first + i] >> shift & 0xff)) * prime;
    return hash;
}

/* One program's sums; its rows go to *all as well. */
static bool report_program(const struct wave_engine *engine, const struct wave_program *program, struct wave_tally *all,
                           const struct wave_report_sink *sink)
{
    struct wave_tally tally;
    if (!wave_tally_init(&tally, false))
        return false;
    wave_cache_lock(engine->cache);
    wave_tally_add_locked(&tally, program, engine->id);
    uint64_t hash = program->entry.unit ? hash_locked(&program->entry.unit->code) : 0;
    wave_cache_unlock(engine->cache);
    struct wave_program_total total = {.program = program->pc,
                                       .hash = hash,
                                       .wave_size = program->variant.lower.wave_size,
                                       .current = !atomic_load(&program->retired),
                                       .dispatches = atomic_load(&program->dispatches),
                                       .groups = atomic_load(&program->groups),
                                       .waves = atomic_load(&program->waves),
                                       .failed = atomic_load(&program->failed)};
    struct wave_row_count *rows = wave_rows_sorted(tally.rows, &total.row_count);
    total.rows = rows;
    memcpy(total.instructions, tally.instructions, sizeof total.instructions);
    if (sink->program)
        sink->program(sink->user, &total);
    for (size_t i = 0; i < (size_t)isa_row_count * WAVE_FIDELITY_COUNT; i++)
        all->rows[i] += tally.rows[i];
    free(rows);
    wave_tally_finish(&tally);
    return true;
}

/* A copy of what is left of those that are gone. */
static bool report_past(struct wave_engine *engine, struct wave_tally *all, const struct wave_report_sink *sink)
{
    wave_cache_lock(engine->cache);
    const struct wave_past *past = wave_cache_past_locked(engine->cache);
    size_t count = past->count;
    struct wave_program_total *totals = malloc((count + 1) * sizeof *totals);
    if (totals && count)
        memcpy(totals, past->totals, count * sizeof *totals);
    for (size_t i = 0; past->rows && i < (size_t)isa_row_count * WAVE_FIDELITY_COUNT; i++)
        all->rows[i] += past->rows[i];
    wave_cache_unlock(engine->cache);
    for (size_t i = 0; totals && sink->program && i < count; i++)
        sink->program(sink->user, &totals[i]);
    free(totals);
    return totals != NULL;
}

static bool report_faults(struct wave_engine *engine, const struct wave_report_sink *sink)
{
    pthread_mutex_lock(&engine->lock);
    size_t count = engine->fault_count;
    struct wave_fault_total *faults = malloc((count + 1) * sizeof *faults);
    if (faults && count)
        memcpy(faults, engine->faults, count * sizeof *faults);
    pthread_mutex_unlock(&engine->lock);
    for (size_t i = 0; faults && sink->fault && i < count; i++)
        sink->fault(sink->user, &faults[i]);
    free(faults);
    return faults != NULL;
}

bool wave_engine_report(struct wave_engine *engine, const struct wave_report_sink *sink)
{
    struct wave_tally all;
    if (!wave_tally_init(&all, false))
        return false;
    size_t count, row_count;
    bool ok;
    struct wave_program **held = hold_programs(engine->cache, &count, &ok);
    for (size_t i = 0; i < count; i++) {
        ok &= report_program(engine, held[i], &all, sink);
        wave_program_release(held[i]);
    }
    free(held);
    ok &= report_past(engine, &all, sink);
    struct wave_row_count *rows = wave_rows_sorted(all.rows, &row_count);
    for (size_t i = 0; sink->row && i < row_count; i++)
        sink->row(sink->user, &rows[i]);
    free(rows);
    wave_tally_finish(&all);
    return report_faults(engine, sink) && ok;
}

/* 4. Life. */

static unsigned helpers_of(const struct wave_options *options)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    unsigned threads = options->deterministic ? 1 : options->threads ? options->threads : cores > 0 ? (unsigned)cores : 1;
    return threads - 1 < MAX_HELPERS ? threads - 1 : MAX_HELPERS;
}

static struct wave_engine *create(struct wave_cache *cache, const struct wave_options *options)
{
    struct wave_engine *engine = calloc(1, sizeof *engine);
    if (!engine)
        return NULL;
    engine->cache = cache;
    engine->options = *options;
    engine->tier = wave_tier_choose(options->tier);
    engine->id = wave_cache_number(cache);
    engine->max_helpers = helpers_of(options);
    pthread_mutex_init(&engine->lock, NULL);
    pthread_cond_init(&engine->work, NULL);
    if (!engine->tier) {
        wave_engine_destroy(engine);
        return NULL;
    }
    return engine;
}

struct wave_engine *wave_engine_create(struct wave_cache *cache, const struct wave_options *options)
{
    return create(cache, options);
}

void wave_engine_destroy(struct wave_engine *engine)
{
    if (!engine)
        return;
    pthread_mutex_lock(&engine->lock);
    engine->ending = true;
    pthread_cond_broadcast(&engine->work);
    pthread_mutex_unlock(&engine->lock);
    for (unsigned i = 0; i < engine->helper_count; i++) {
        pthread_join(engine->helpers[i]->thread, NULL);
        wave_worker_finish(&engine->helpers[i]->worker);
        free(engine->helpers[i]);
    }
    for (struct job *job = atomic_load(&engine->jobs), *next; job; job = next) {
        next = job->next;
        destroy_job(job);
    }
    pthread_cond_destroy(&engine->work);
    pthread_mutex_destroy(&engine->lock);
    free(engine->faults);
    free(engine);
}

/* A dispatch with everything counted for itself: an engine of its own, whose counts are taken out of the cache afterwards. */
bool wave_run_dispatch(struct wave_cache *cache, const struct wave_dispatch *dispatch, const struct wave_options *options,
                       struct wave_result *result)
{
    memset(result, 0, sizeof *result);
    double start = wave_now();
    struct wave_engine *engine = create(cache, options);
    struct job *job = engine ? take_job(engine) : NULL;
    struct wave_program *program = NULL;
    struct wave_tally tally;
    bool ok = job && run_job(job, wave_cache_memory(cache), dispatch, &program);
    if (program) {
        result->groups = atomic_load(&job->shared.groups_done);
        result->waves = atomic_load(&job->shared.waves_done);
        if (wave_tally_init(&tally, true)) {
            wave_cache_lock(cache);
            wave_tally_add_locked(&tally, program, engine->id);
            wave_cache_unlock(cache);
            wave_tally_take(&tally, result);
            wave_tally_finish(&tally);
        }
        wave_program_drop_counts(program, engine->id);
    }
    if (job) {
        wave_report_take(job->shared.report, result);
        job->shared.report = NULL;
        result->tier = engine->tier->name;
        uint64_t groups = program ? job->shared.group_total : 1, threads = engine->max_helpers + 1;
        result->threads = (unsigned)(groups && groups < threads ? groups : threads);
    }
    wave_engine_destroy(engine);
    result->seconds = wave_now() - start;
    return ok;
}
