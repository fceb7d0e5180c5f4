/* vulkan_engine: an engine's life, what its callers ask of it, and its account. */
#include "vulkan/vulkan_engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spirv/spirv_layout.h"
#include "vulkan/vulkan_translate.h"

/* ---- life ---- */

static void make_blob_key(const struct vulkan_engine *engine, struct vulkan_bytes *key)
{
    static const char kind[] = "what the driver keeps";
    const struct vulkan_facts *facts = vulkan_host_facts(engine->host);
    *key = (struct vulkan_bytes){0};
    vulkan_bytes_put(key, kind, sizeof kind);
    vulkan_bytes_put(key, facts->name, strlen(facts->name));
    vulkan_bytes_put(key, facts->identity, sizeof facts->identity);
}

static void load_blob(struct vulkan_engine *engine)
{
    struct vulkan_bytes key;
    size_t size = 0;
    make_blob_key(engine, &key);
    uint8_t *data = vulkan_cache_load(engine->cache, &key, &size);
    if (data)
        vulkan_host_load(engine->host, data, size);
    free(data);
    vulkan_bytes_finish(&key);
}

/* Together with what other processes have kept meanwhile. */
static void save_blob(struct vulkan_engine *engine)
{
    struct vulkan_bytes key, data = {0};
    size_t size = 0;
    load_blob(engine);
    make_blob_key(engine, &key);
    void *blob = vulkan_host_save(engine->host, &size);
    if (blob)
        vulkan_bytes_put(&data, blob, size);
    if (data.size)
        vulkan_cache_save(engine->cache, &key, &data);
    free(blob);
    vulkan_bytes_finish(&data);
    vulkan_bytes_finish(&key);
}

/* Whether the memory is as it shall be. */
static bool choose_memory(struct vulkan_engine *engine, const struct vulkan_engine_options *options,
                          struct vulkan_failure *failure)
{
    const struct vulkan_facts *facts = vulkan_host_facts(engine->host);
    if (options->memory == VULKAN_MEMORY_SHARED && !facts->works_in_place) {
        failure->mistaken = true;
        snprintf(failure->text, sizeof failure->text, "%.200s shares no memory with the host", facts->name);
        return false;
    }
    bool mirrors = !facts->works_in_place || options->memory == VULKAN_MEMORY_MIRRORED;
    if (mirrors)
        engine->mirror = vulkan_mirror_create(engine->host, facts->is_host && !options->staged);
    if (mirrors && !engine->mirror)
        return false;
    engine->tracer = vulkan_tracer_create(engine->chip, engine->mirror);
    return engine->tracer;
}

static bool start(struct vulkan_engine *engine)
{
    const struct vulkan_workshop workshop = {engine->host, engine->library, engine->chip, engine->cache, engine->mirror != NULL};
    return vulkan_buffer_create(engine->host, STATUS_WORDS * sizeof(uint32_t), &engine->status) &&
           (engine->programs = vulkan_programs_create(&workshop));
}

struct vulkan_engine *vulkan_engine_create(const struct vulkan_engine_options *options, struct vulkan_failure *failure)
{
    struct vulkan_engine *engine = calloc(1, sizeof *engine);
    *failure = (struct vulkan_failure){.text = "out of memory"};
    if (!engine)
        return NULL;
    engine->chip = options->chip;
    pthread_mutex_init(&engine->lock, NULL);
    vulkan_notes_init(&engine->notes);
    engine->library = spirv_library_create();
    engine->host = engine->library ? vulkan_host_open(&options->choice, failure) : NULL;
    if (engine->host && (!options->cache || *options->cache))
        engine->cache = vulkan_cache_create(options->cache, vulkan_translate_version);
    if (engine->cache)
        load_blob(engine);
    if (engine->host)
        snprintf(failure->text, sizeof failure->text, "%.200s is out of memory", vulkan_engine_name(engine));
    if (engine->host && choose_memory(engine, options, failure) && start(engine))
        return engine;
    vulkan_engine_destroy(engine);
    return NULL;
}

void vulkan_engine_destroy(struct vulkan_engine *engine)
{
    if (!engine)
        return;
    if (engine->host)
        vulkan_host_rests(engine->host, -1);
    vulkan_programs_destroy(engine->programs);
    if (engine->host) {
        if (engine->cache && engine->programs && !atomic_load(&engine->gone))
            save_blob(engine);
        vulkan_tracer_destroy(engine->tracer);
        vulkan_mirror_destroy(engine->mirror);
        vulkan_table_finish(&engine->table, engine->host);
        vulkan_buffer_finish(engine->host, &engine->params);
        free(engine->words);
        vulkan_buffer_finish(engine->host, &engine->status);
        vulkan_buffer_finish(engine->host, &engine->redo);
        vulkan_buffer_finish(engine->host, &engine->gds);
        vulkan_buffer_finish(engine->host, &engine->share);
        vulkan_buffer_finish(engine->host, &engine->views);
    }
    vulkan_cache_destroy(engine->cache);
    vulkan_host_destroy(engine->host);
    spirv_library_destroy(engine->library);
    free(engine->reaches);
    vulkan_covers_finish(&engine->covers);
    vulkan_notes_finish(&engine->notes);
    pthread_mutex_destroy(&engine->lock);
    free(engine);
}

bool vulkan_engine_stop(struct vulkan_engine *engine, double timeout)
{
    const struct timespec until = vulkan_deadline(timeout), pause = {.tv_nsec = 1000000};
    struct timespec now;
    atomic_store(&engine->stopped, true);
    bool done = vulkan_programs_stop(engine->programs, &until), held = false;
    while (done && !(held = !pthread_mutex_trylock(&engine->lock))) { /* until the run that is under way has ended */
        clock_gettime(CLOCK_MONOTONIC, &now);
        done = now.tv_sec < until.tv_sec || (now.tv_sec == until.tv_sec && now.tv_nsec < until.tv_nsec);
        nanosleep(&pause, NULL);
    }
    if (held)
        pthread_mutex_unlock(&engine->lock);
    return done && vulkan_host_rests(engine->host, timeout);
}

struct vulkan_host *vulkan_engine_host(struct vulkan_engine *engine)
{
    return engine->host;
}

const char *vulkan_engine_name(const struct vulkan_engine *engine)
{
    return vulkan_host_facts(engine->host)->name;
}

/* ---- dispatches ---- */

static bool is_over(const struct vulkan_engine *engine, char reason[VULKAN_REASON_SIZE])
{
    bool gone = atomic_load(&engine->gone), stopped = atomic_load(&engine->stopped);
    if (gone || stopped)
        snprintf(reason, VULKAN_REASON_SIZE, "%s", gone ? vulkan_outcome_name(VULKAN_LOST) : "the process ends");
    return gone || stopped;
}

/* A program that dispatches before it wrote is read from guest memory. */
static bool settle_code(struct vulkan_engine *engine, struct mem_snapshot *snapshot, const struct wave_dispatch *d, char *reason)
{
    enum { LONGEST_PROGRAM = 64 << 10 };
    return vulkan_engine_settle(engine, snapshot, (struct device_range){d->program, LONGEST_PROGRAM}, reason);
}

/* Results of earlier dispatches were lost: one dispatch fails for them. */
static bool answer_for_results(struct vulkan_engine *engine, const struct wave_dispatch *d, struct vulkan_try *try,
                               struct wave_result *result)
{
    pthread_mutex_lock(&engine->lock);
    bool failed = vulkan_dispatch_break_down(engine, d, try, result);
    pthread_mutex_unlock(&engine->lock);
    return failed;
}

/* Others' dispatches may take long. False: this one was cancelled meanwhile. */
static bool lock_for(struct vulkan_engine *engine, const struct wave_dispatch *d, struct wave_result *result)
{
    const long slice_ns = 20000000, second_ns = 1000000000;
    while (pthread_mutex_trylock(&engine->lock)) {
        struct timespec until;
        if (vulkan_dispatch_cancelled(d, result))
            return false;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += slice_ns;
        until.tv_sec += until.tv_nsec / second_ns;
        until.tv_nsec %= second_ns;
        if (!pthread_mutex_timedlock(&engine->lock, &until))
            return true;
    }
    return true;
}

/* With the program that has or, packed, must have waves in step; try->packed is set where the former does not do. */
static bool run_program(struct vulkan_engine *engine, struct mem_snapshot *snapshot, const struct wave_dispatch *d,
                        struct vulkan_try *try, struct wave_result *result)
{
    if (try->program)
        vulkan_programs_release(engine->programs, try->program);
    try->program = vulkan_programs_hold(engine->programs, snapshot, d, try->packed);
    try->packed = false;
    if (!try->program) {
        snprintf(try->reason, sizeof try->reason, "out of memory");
        return false;
    }
    uint64_t waves = vulkan_dispatch_groups(d) * vulkan_group_waves(d);
    enum vulkan_stage stage = vulkan_programs_await(engine->programs, try->program, waves, try->patient, d->cancel, try->reason);
    if (vulkan_dispatch_cancelled(d, result))
        return true;
    if (stage != VULKAN_READY)
        return false;
    if (!lock_for(engine, d, result))
        return true;
    bool ran = !is_over(engine, try->reason) && vulkan_dispatch_run(engine, snapshot, d, try, result);
    pthread_mutex_unlock(&engine->lock);
    return ran;
}

bool vulkan_engine_run(struct vulkan_engine *engine, struct mem_snapshot *snapshot, const struct wave_dispatch *d,
                       struct vulkan_try *try, struct wave_result *result)
{
    memset(result, 0, sizeof *result);
    *try = (struct vulkan_try){.patient = try->patient, .alone = try->alone};
    if (atomic_load(&engine->harmed))
        return answer_for_results(engine, d, try, result);
    if (is_over(engine, try->reason))
        return false;
    if (!vulkan_dispatch_fits(engine, d, try->reason))
        return false;
    if (!settle_code(engine, snapshot, d, try->reason))
        return atomic_load(&engine->harmed) && answer_for_results(engine, d, try, result);
    bool ran = run_program(engine, snapshot, d, try, result);
    if (!ran && try->packed)
        ran = run_program(engine, snapshot, d, try, result);
    return ran;
}

void vulkan_engine_expect(struct vulkan_engine *engine, struct mem_snapshot *snapshot, const struct wave_dispatch *d)
{
    char reason[VULKAN_REASON_SIZE];
    if (!is_over(engine, reason) && vulkan_dispatch_fits(engine, d, reason))
        vulkan_programs_expect(engine->programs, snapshot, d);
}

/* ---- copies ---- */

static bool is_loss(const char *reason)
{
    return !strcmp(reason, vulkan_outcome_name(VULKAN_LOST));
}

bool vulkan_engine_mirrors(const struct vulkan_engine *engine)
{
    return engine->mirror;
}

static bool note_loss(struct vulkan_engine *engine, const char *reason)
{
    if (is_loss(reason)) {
        atomic_store(&engine->gone, true);
        atomic_store(&engine->harmed, vulkan_mirror_holds(engine->mirror));
    }
    return false;
}

static bool settle_locked(struct vulkan_engine *engine, struct mem_snapshot *snapshot, struct device_range range, char *reason)
{
    return atomic_load(&engine->gone) || vulkan_mirror_settle(engine->mirror, snapshot, range, reason) ||
           note_loss(engine, reason);
}

void vulkan_engine_hide(struct vulkan_engine *engine, struct mem_snapshot *snapshot, struct device_range range, bool hidden)
{
    if (engine->mirror)
        vulkan_mirror_hide(engine->mirror, snapshot, range, hidden);
}

bool vulkan_engine_publish(struct vulkan_engine *engine, struct mem_snapshot *snapshot, char *reason)
{
    if (!engine->mirror)
        return true;
    pthread_mutex_lock(&engine->lock);
    bool published =
        atomic_load(&engine->gone) || vulkan_mirror_publish(engine->mirror, snapshot, reason) || note_loss(engine, reason);
    pthread_mutex_unlock(&engine->lock);
    return published;
}

void vulkan_engine_doubt(struct vulkan_engine *engine)
{
    if (!engine->mirror)
        return;
    pthread_mutex_lock(&engine->lock);
    vulkan_mirror_doubt(engine->mirror);
    pthread_mutex_unlock(&engine->lock);
}

bool vulkan_engine_settle(struct vulkan_engine *engine, struct mem_snapshot *snapshot, struct device_range range, char *reason)
{
    if (!engine->mirror)
        return true;
    pthread_mutex_lock(&engine->lock);
    bool settled = settle_locked(engine, snapshot, range, reason);
    pthread_mutex_unlock(&engine->lock);
    return settled;
}

void vulkan_engine_changed(struct vulkan_engine *engine, struct device_range range)
{
    if (!engine->mirror)
        return;
    pthread_mutex_lock(&engine->lock);
    vulkan_mirror_changed(engine->mirror, range);
    pthread_mutex_unlock(&engine->lock);
}

bool vulkan_engine_step_aside(struct vulkan_engine *engine, struct mem_snapshot *snapshot, char *reason)
{
    if (!engine->mirror)
        return true;
    pthread_mutex_lock(&engine->lock);
    engine->aside++;
    bool settled = settle_locked(engine, snapshot, DEVICE_EVERYTHING, reason);
    pthread_mutex_unlock(&engine->lock);
    return settled;
}

void vulkan_engine_step_back(struct vulkan_engine *engine)
{
    if (!engine->mirror)
        return;
    pthread_mutex_lock(&engine->lock);
    engine->aside--;
    vulkan_mirror_changed(engine->mirror, DEVICE_EVERYTHING);
    pthread_mutex_unlock(&engine->lock);
}

struct vulkan_mirror *vulkan_engine_mirror(struct vulkan_engine *engine)
{
    return engine->mirror;
}

struct vulkan_mirror_counts vulkan_engine_moved(struct vulkan_engine *engine)
{
    pthread_mutex_lock(&engine->lock);
    struct vulkan_mirror_counts counts = engine->mirror ? vulkan_mirror_counts(engine->mirror) : (struct vulkan_mirror_counts){0};
    pthread_mutex_unlock(&engine->lock);
    return counts;
}

void vulkan_engine_leave(struct vulkan_engine *engine, const struct wave_dispatch *d, struct vulkan_try *try,
                         const struct wave_result *result, double cpu_seconds)
{
    struct vulkan_account more = {.elsewhere = !result};
    if (result) {
        more.dispatches = 1;
        more.failed = result->failed;
        more.groups = result->groups;
        more.waves = result->waves;
        memcpy(more.note, try->note, sizeof more.note);
        vulkan_notes_faults(&engine->notes, d->program, result);
    } else {
        memcpy(more.reason, try->reason, sizeof more.reason);
        vulkan_notes_reason(&engine->notes, try->reason);
    }
    if (!try->program)
        return;
    vulkan_programs_count(engine->programs, try->program, &more);
    if (cpu_seconds > 0)
        vulkan_programs_time(engine->programs, try->program, vulkan_dispatch_groups(d) * vulkan_group_waves(d), cpu_seconds);
    vulkan_programs_release(engine->programs, try->program);
    try->program = NULL;
}

void vulkan_engine_report(struct vulkan_engine *engine, const struct vulkan_engine_sink *sink)
{
    if (sink->program)
        vulkan_programs_tell(engine->programs, sink->program, sink->user);
    vulkan_notes_tell(&engine->notes, sink->user, sink->reason, sink->fault);
}
