/* vulkan_dispatch: dispatches on a host Vulkan device, in guest memory itself or on copies of it. */
#include "vulkan/vulkan_dispatch.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base_clock.h"
#include "spirv/spirv_layout.h"
#include "vulkan/vulkan_bind.h"
#include "vulkan/vulkan_memory.h"
#include "vulkan/vulkan_notes.h"
#include "vulkan/vulkan_slots.h"
#include "vulkan/vulkan_translate.h"
#include "vulkan/vulkan_views.h"

enum { BUDGET = 1 << 28, ROUNDS = 1 << 4, LONGEST = 8 };

struct vulkan_engine {
    struct vulkan_host *host;
    struct spirv_library *library;
    struct vulkan_cache *cache; /* or NULL */
    struct vulkan_programs *programs;
    struct vulkan_notes notes;
    enum isa_chip_bit chip;
    atomic_bool gone;                          /* the device is lost: everything runs elsewhere from now on */
    atomic_bool harmed;                        /* results were lost with it, and no dispatch has failed for that yet */
    atomic_bool stopped;                       /* the same, because the engine was told to stop */
    pthread_mutex_t lock;                      /* held through a run; guards what follows */
    struct vulkan_buffer views;                /* what modules are told of images; none until a program has some */
    struct vulkan_buffer params, status, redo; /* redo: a bit for each lane that is to run again; zeros between runs */
    struct vulkan_table table;
    struct vulkan_mirror *mirror;  /* or NULL: works in place */
    struct vulkan_tracer *tracer;  /* where there is a mirror */
    struct vulkan_binding binding; /* of the dispatch that runs on copies */
    unsigned aside;                /* dispatches that another device carries out in guest memory now */
    uint64_t shown;                /* the version of the table that is among the parameters */
    uint32_t run_count;            /* there */
};

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
static bool choose_memory(struct vulkan_engine *engine, const struct vulkan_engine_options *options, char *error)
{
    const struct vulkan_facts *facts = vulkan_host_facts(engine->host);
    if (options->memory == VULKAN_MEMORY_SHARED && !facts->works_in_place) {
        snprintf(error, VULKAN_ERROR_SIZE, "%.200s shares no memory with the host", facts->name);
        return false;
    }
    if (facts->works_in_place && options->memory != VULKAN_MEMORY_MIRRORED)
        return true;
    engine->mirror = vulkan_mirror_create(engine->host, facts->is_host && !options->staged);
    engine->tracer = engine->mirror ? vulkan_tracer_create(engine->chip, engine->mirror) : NULL;
    return engine->tracer;
}

static bool start(struct vulkan_engine *engine)
{
    const struct vulkan_workshop workshop = {engine->host, engine->library, engine->chip, engine->cache, engine->mirror != NULL};
    return vulkan_buffer_create(engine->host, STATUS_WORDS * sizeof(uint32_t), &engine->status) &&
           (engine->programs = vulkan_programs_create(&workshop));
}

struct vulkan_engine *vulkan_engine_create(const struct vulkan_engine_options *options, char error[VULKAN_ERROR_SIZE])
{
    struct vulkan_engine *engine = calloc(1, sizeof *engine);
    snprintf(error, VULKAN_ERROR_SIZE, "out of memory");
    if (!engine)
        return NULL;
    engine->chip = options->chip;
    pthread_mutex_init(&engine->lock, NULL);
    vulkan_notes_init(&engine->notes);
    engine->library = spirv_library_create();
    engine->host = engine->library ? vulkan_host_open(&options->choice, error) : NULL;
    if (engine->host && (!options->cache || *options->cache))
        engine->cache = vulkan_cache_create(options->cache, vulkan_translate_version);
    if (engine->cache)
        load_blob(engine);
    if (engine->host)
        snprintf(error, VULKAN_ERROR_SIZE, "%.200s is out of memory", vulkan_engine_name(engine));
    if (engine->host && choose_memory(engine, options, error) && start(engine))
        return engine;
    vulkan_engine_destroy(engine);
    return NULL;
}

void vulkan_engine_destroy(struct vulkan_engine *engine)
{
    if (!engine)
        return;
    vulkan_programs_destroy(engine->programs);
    if (engine->host) {
        if (engine->cache && engine->programs && !atomic_load(&engine->gone))
            save_blob(engine);
        vulkan_tracer_destroy(engine->tracer);
        vulkan_mirror_destroy(engine->mirror);
        vulkan_table_finish(&engine->table, engine->host);
        vulkan_buffer_finish(engine->host, &engine->params);
        vulkan_buffer_finish(engine->host, &engine->status);
        vulkan_buffer_finish(engine->host, &engine->redo);
        vulkan_buffer_finish(engine->host, &engine->views);
    }
    vulkan_cache_destroy(engine->cache);
    vulkan_host_destroy(engine->host);
    spirv_library_destroy(engine->library);
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
    return done;
}

struct vulkan_host *vulkan_engine_host(struct vulkan_engine *engine)
{
    return engine->host;
}

const char *vulkan_engine_name(const struct vulkan_engine *engine)
{
    return vulkan_host_facts(engine->host)->name;
}

static bool is_loss(const char *reason)
{
    return !strcmp(reason, vulkan_outcome_name(VULKAN_LOST));
}

/* ---- what a module is given ---- */

enum { RUN_START, RUN_SIZE, RUN_DEVICE, RUN_PAIRS, RUN_FLAGS = RUN_PAIRS * 2 };
enum { RUN_WRITABLE = 1, RUN_DISCARDS = 2 };

/* A run as a module finds it; one that goes on where the one before ends, for guest and device, is part of that. */
static void put_run(struct vulkan_engine *engine, const struct vulkan_import *import, uint64_t start)
{
    uint32_t *last = (uint32_t *)engine->params.at + P_RUNS + (size_t)engine->run_count * P_RUN_WORDS - P_RUN_WORDS;
    uint32_t flags = (import->run.writable ? RUN_WRITABLE : 0) | (import->run.discards ? RUN_DISCARDS : 0);
    uint64_t pairs[RUN_PAIRS];
    memcpy(pairs, last, sizeof pairs);
    if (engine->run_count && last[RUN_FLAGS] == flags && pairs[RUN_START] + pairs[RUN_SIZE] == start &&
        (import->run.discards || pairs[RUN_DEVICE] + pairs[RUN_SIZE] == import->buffer.address)) {
        pairs[RUN_SIZE] += import->run.size;
    } else {
        engine->run_count++;
        last += P_RUN_WORDS;
        pairs[RUN_START] = start;
        pairs[RUN_SIZE] = import->run.size;
        pairs[RUN_DEVICE] = import->buffer.address;
        last[RUN_FLAGS] = flags;
    }
    memcpy(last, pairs, sizeof pairs);
}

/* Addresses of the upper half come sign-extended, or as the 48 bits alone: such runs stand in the table in both forms, and it is ascending. */
static void put_runs(struct vulkan_engine *engine, const struct vulkan_table *table)
{
    static const uint64_t half = UINT64_C(1) << 47, low48 = (UINT64_C(1) << 48) - 1;
    uint32_t upper = 0;
    engine->run_count = 0;
    for (; upper < table->count && table->imports[upper].run.start < half; upper++)
        put_run(engine, &table->imports[upper], table->imports[upper].run.start);
    for (uint32_t n = upper; n < table->count; n++)
        put_run(engine, &table->imports[n], table->imports[n].run.start & low48);
    for (uint32_t n = upper; n < table->count; n++)
        put_run(engine, &table->imports[n], table->imports[n].run.start);
    engine->shown = table->version;
}

/* A table goes among the parameters. */
static bool put_table(struct vulkan_engine *engine, const struct vulkan_table *table, char reason[VULKAN_REASON_SIZE])
{
    uint64_t bytes = (P_RUNS + (2 * (uint64_t)table->count + 1) * P_RUN_WORDS) * sizeof(uint32_t);
    if (engine->params.size < bytes) {
        engine->shown = 0;
        if (engine->params.buffer)
            vulkan_buffer_finish(engine->host, &engine->params);
        if (!vulkan_buffer_place(engine->host, VULKAN_PLACE_NEAR, bytes * 2, &engine->params)) {
            snprintf(reason, VULKAN_REASON_SIZE, "%s", vulkan_outcome_name(VULKAN_NO_MEMORY));
            return false;
        }
    }
    if (!table->version || engine->shown != table->version)
        put_runs(engine, table);
    return true;
}

static bool make_views(struct vulkan_engine *engine, uint32_t images)
{
    uint64_t bytes = vulkan_views_words(images) * sizeof(uint32_t);
    if (engine->views.size >= bytes)
        return true;
    vulkan_buffer_finish(engine->host, &engine->views);
    if (!vulkan_buffer_create(engine->host, bytes, &engine->views))
        return false;
    vulkan_views_begin(engine->views.at);
    return true;
}

/* Runs that follow each other, for guest and device, are one. */
static uint64_t place(void *user, uint64_t start, uint64_t size, bool stores)
{
    static const uint64_t low48 = (UINT64_C(1) << 48) - 1;
    const struct vulkan_table *table = user;
    uint64_t device = 0, done = 0;
    for (uint32_t n = 0; n < table->count && done < size; n++) {
        const struct vulkan_import *import = &table->imports[n];
        uint64_t inside = start + done - (import->run.start & low48);
        if (inside >= import->run.size)
            continue;
        uint64_t here = import->buffer.address + inside;
        if (import->run.discards || (stores && !import->run.writable) || (done && device + done != here))
            return 0;
        device = here - done;
        done += import->run.size - inside;
    }
    return done >= size ? device : 0;
}

/* What the program's image operations will meet. */
static bool show_views(struct vulkan_engine *engine, struct mem_snapshot *snapshot, const struct wave_dispatch *d,
                       struct vulkan_try *try)
{
    const struct vulkan_program *program = try->program;
    const struct spirv_module *m = program->fast.module ? program->fast.module : program->searching.module;
    if (!m->image_count)
        return true;
    const struct vulkan_views_scene scene = {.images = m->images,
                                             .image_count = m->image_count,
                                             .steps = m->steps,
                                             .step_count = m->step_count,
                                             .chip = engine->chip,
                                             .memory = {&engine->table, place}};
    const char *refusal = NULL;
    if (engine->mirror)
        refusal = "images, on a device that works on copies";
    else if (!make_views(engine, m->image_count))
        refusal = vulkan_outcome_name(VULKAN_NO_MEMORY);
    if (!refusal)
        refusal = vulkan_views_fill(&scene, snapshot, d, engine->views.at);
    if (refusal)
        snprintf(try->reason, sizeof try->reason, "%s", refusal);
    return !refusal;
}

/* The snapshot's memory, for the device and among the parameters; on copies, what a dispatch is bound to comes there later. */
static bool show_memory(struct vulkan_engine *engine, struct mem_snapshot *snapshot, char reason[VULKAN_REASON_SIZE])
{
    if (engine->mirror)
        return vulkan_mirror_show(engine->mirror, snapshot, reason);
    return vulkan_table_show(&engine->table, engine->host, snapshot, reason, VULKAN_REASON_SIZE) &&
           put_table(engine, &engine->table, reason);
}

/* What a bound dispatch can reach: its bounds, or all that has a copy. */
static bool show_bounds(struct vulkan_engine *engine, char reason[VULKAN_REASON_SIZE])
{
    const struct vulkan_binding *binding = &engine->binding;
    struct vulkan_table bounds = {0};
    bool anything = binding->reads_all || binding->writes_all;
    bool good = vulkan_mirror_table(engine->mirror, &engine->table) &&
                (anything || vulkan_binding_table(binding, engine->mirror, &bounds));
    if (!good)
        snprintf(reason, VULKAN_REASON_SIZE, "out of memory");
    good = good && put_table(engine, anything ? &engine->table : &bounds, reason);
    free(bounds.imports);
    return good;
}

static void fill_params(struct vulkan_engine *engine, const struct wave_dispatch *d)
{
    enum { USER_SGPRS = 31, SIZE = 512 };
    uint32_t *w = engine->params.at;
    memset(w, 0, P_RUNS * sizeof *w);
    memcpy(w, d->user_data, (d->rsrc2 >> 1 & USER_SGPRS) * sizeof *w);
    w[IR_SHARED_BASE] = d->apertures.shared_base_hi;
    w[IR_PRIVATE_BASE] = d->apertures.private_base_hi;
    w[IR_STATUS] = 1u << 16 | (vulkan_group_waves(d) > 1 ? 1u << 11 : 0);
    w[IR_GPR_ALLOC] = (d->rsrc1 & 63) << 8;
    w[IR_LDS_ALLOC] = (d->lds_bytes + SIZE - 1) / SIZE << 12 | (d->rsrc3 & 15) << 24;
    w[IR_SH_MEM_BASES] = (d->apertures.shared_base_hi & 0xffff0000u) | d->apertures.private_base_hi >> 16;
    memcpy(w + P_GROUPS, d->groups, sizeof d->groups);
    memcpy(w + P_THREADS, d->threads, sizeof d->threads);
    memcpy(w + P_LAST_THREADS, d->last_threads, sizeof d->last_threads);
    w[P_WAVES] = vulkan_group_waves(d);
    w[P_LDS_BYTES] = d->lds_bytes;
    w[P_BUDGET] = BUDGET;
    w[P_ROUNDS] = ROUNDS;
    w[P_RUN_COUNT] = engine->run_count;
    const uint64_t run_table = engine->params.address + P_RUNS * sizeof *w;
    memcpy(w + P_TABLE, &run_table, sizeof run_table);
    memcpy(w + P_VIEWS, &engine->views.address, sizeof engine->views.address);
}

/* ---- what it leaves ---- */

static size_t fetch(void *user, uint64_t pc, uint32_t *words, size_t count)
{
    struct mem_run run;
    if (!mem_snapshot_find(user, pc, &run) || run.discards)
        return 0;
    uint64_t there = (run.size - (pc - run.start)) / 4;
    count = count < there ? count : (size_t)there;
    memcpy(words, run.host + (pc - run.start), count * 4);
    return count;
}

static void describe(struct vulkan_engine *engine, struct mem_snapshot *snapshot, const struct wave_dispatch *d,
                     struct wave_fault *fault)
{
    uint32_t words[LONGEST];
    struct isa_inst inst;
    size_t have = fetch(snapshot, fault->pc, words, LONGEST);
    if (have && isa_decode(engine->chip, d->wave_size, words, have, &inst) == ISA_OK)
        isa_print(&inst, engine->chip, d->wave_size, fault->pc, fault->text, sizeof fault->text);
}

/* The first record of each site, and all counts. */
static bool take_faults(struct vulkan_engine *engine, struct mem_snapshot *snapshot, const struct wave_dispatch *d,
                        const struct spirv_module *module, struct wave_result *result)
{
    const uint32_t *status = engine->status.at;
    uint32_t count = status[STATUS_COUNT] < STATUS_MAX ? status[STATUS_COUNT] : STATUS_MAX;
    for (unsigned kind = 0; kind < WAVE_FAULT_KIND_COUNT; kind++) {
        result->fault_count[kind] = status[STATUS_KINDS + kind];
        result->failed |= kind != WAVE_FAULT_LDS_RANGE && status[STATUS_KINDS + kind];
    }
    if (!count)
        return true;
    result->faults = calloc(WAVE_MAX_FAULTS, sizeof *result->faults);
    for (uint32_t i = 0; result->faults && i < count; i++) {
        const uint32_t *r = status + STATUS_RECORDS + i * STATUS_RECORD_WORDS;
        uint64_t pc = r[1] < module->site_count ? module->site_pc[r[1]] : 0;
        bool known = false;
        for (size_t n = 0; n < result->faults_kept; n++)
            known |= result->faults[n].kind == r[0] && result->faults[n].pc == pc;
        if (known)
            continue;
        struct wave_fault *fault = &result->faults[result->faults_kept++];
        *fault = (struct wave_fault){.kind = (enum wave_fault_kind)r[0],
                                     .pc = pc,
                                     .address = r[2] | (uint64_t)r[3] << 32,
                                     .lane = (int)r[4],
                                     .wave = r[6]};
        fault->group[0] = r[5] % d->groups[0];
        fault->group[1] = r[5] / d->groups[0] % d->groups[1];
        fault->group[2] = r[5] / d->groups[0] / d->groups[1];
        describe(engine, snapshot, d, fault);
    }
    return result->faults != NULL;
}

/* What the device itself has no room or means for. */
static bool fits(struct vulkan_engine *engine, const struct wave_dispatch *d, char reason[VULKAN_REASON_SIZE])
{
    const struct vulkan_facts *facts = vulkan_host_facts(engine->host);
    bool partial = memcmp(d->threads, d->last_threads, sizeof d->threads) != 0;
    uint32_t wave = facts->subgroup < d->wave_size ? facts->subgroup : d->wave_size, waves = vulkan_group_waves(d);
    if (facts->subgroup > d->wave_size)
        waves += waves & 1; /* two are a subgroup */
    *reason = 0;
    if (waves * wave > facts->group_invocations)
        snprintf(reason, VULKAN_REASON_SIZE, "groups of %u waves", vulkan_group_waves(d));
    else if (d->lds_bytes > facts->shared_bytes)
        snprintf(reason, VULKAN_REASON_SIZE, "%u bytes of local memory; the host device has %u", d->lds_bytes,
                 facts->shared_bytes);
    else if (partial && d->rsrc2 >> 10 & 1)
        snprintf(reason, VULKAN_REASON_SIZE, "partial groups that are told their size");
    else if ((uint64_t)d->groups[0] * d->groups[1] * d->groups[2] > UINT32_MAX)
        snprintf(reason, VULKAN_REASON_SIZE, "too many groups");
    return !*reason;
}

/* ---- running ---- */

static uint64_t group_count(const struct wave_dispatch *d)
{
    return (uint64_t)d->groups[0] * d->groups[1] * d->groups[2];
}

/* What runs: a program's variant, with its windows. */
struct variant_run {
    struct vulkan_variant variant;
    struct vulkan_window windows[VULKAN_WINDOWS];
    bool again; /* only lanes whose bits are set */
};

/* What of the parameters goes with each run, where modules reach it most cheaply. */
static void tell(const uint32_t *params, uint32_t *told)
{
    for (uint32_t n = 0; n < TOLD_NEARS; n++)
        memcpy(told + TOLD_NEAR + n * TOLD_NEAR_WORDS, params + P_NEAR + n * NEAR_WORDS, TOLD_NEAR_WORDS * sizeof *told);
    memcpy(told + TOLD_WORD, params + P_WORDS, TOLD_LOADED * sizeof *told);
}

/* How many groups of the dispatch, from `first` on, make a box of no more than `most`: rows and layers go whole. */
static void next_box(const struct wave_dispatch *d, uint64_t first, uint64_t most, struct vulkan_run *run)
{
    uint64_t row = d->groups[0], layer = row * d->groups[1], left = group_count(d) - first;
    uint64_t x = first % row, y = first / row % d->groups[1], z = first / layer;
    most = most < left ? most : left;
    run->first[0] = (uint32_t)x;
    run->first[1] = (uint32_t)y;
    run->first[2] = (uint32_t)z;
    run->count[0] = (uint32_t)(x || most < row ? (most < row - x ? most : row - x) : row);
    run->count[1] = (uint32_t)(x || most < row ? 1 : most / row < d->groups[1] - y ? most / row : d->groups[1] - y);
    run->count[2] = (uint32_t)(x || y || most < layer ? 1 : most / layer);
}

/* No more groups at once than the scratch ring has waves for. What ran out of memory behind the first step has happened in part. */
static enum vulkan_outcome run_groups(struct vulkan_engine *engine, const struct wave_dispatch *d, const struct variant_run *ran)
{
    uint64_t total = group_count(d), step = total, at_once = d->scratch_waves / vulkan_group_waves(d);
    enum vulkan_outcome outcome = VULKAN_DONE;
    if (d->scratch_waves && at_once < step)
        step = at_once ? at_once : 1;
    for (uint64_t first = 0; first < total && outcome == VULKAN_DONE;) {
        struct vulkan_run run = {.pipeline = ran->variant.pipeline,
                                 .buffers = {&engine->params, &engine->status, engine->redo.buffer ? &engine->redo : NULL},
                                 .merged = ran->variant.module->merged};
        memcpy(run.windows, ran->windows, sizeof run.windows);
        memcpy(run.told + TOLD_IDS, d->first_group, sizeof d->first_group);
        memcpy(run.told + TOLD_GRID, d->groups, 2 * sizeof *run.told);
        run.told[TOLD_AGAIN] = ran->again;
        tell(engine->params.at, run.told);
        next_box(d, first, step, &run);
        outcome = vulkan_host_run(engine->host, &run);
        if (first && outcome != VULKAN_DONE)
            outcome = VULKAN_LOST;
        first += (uint64_t)run.count[0] * run.count[1] * run.count[2];
    }
    return outcome;
}

/* Nobody can say what such a dispatch did: it has failed, and by name. */
static void fail(const struct wave_dispatch *d, const char *text, struct wave_result *result)
{
    result->failed = true;
    result->fault_count[WAVE_FAULT_CANCELLED] = 1;
    result->faults = calloc(1, sizeof *result->faults);
    if (!result->faults)
        return;
    result->faults_kept = 1;
    *result->faults = (struct wave_fault){.kind = WAVE_FAULT_CANCELLED, .pc = d->program, .lane = -1};
    snprintf(result->faults->text, sizeof result->faults->text, "%s", text);
}

/* The dispatch has not happened: what was kept of memory is put back, or copies are. False: that cannot be had. */
static bool take_back(struct vulkan_engine *engine, const uint8_t *kept)
{
    char reason[VULKAN_REASON_SIZE];
    if (engine->mirror)
        return vulkan_binding_undo(&engine->binding, engine->mirror, reason);
    if (kept)
        vulkan_table_restore(&engine->table, kept);
    return kept;
}

static void count_work(const struct wave_dispatch *d, struct wave_result *result)
{
    result->tier = "spirv";
    result->groups = group_count(d);
    result->waves = result->groups * vulkan_group_waves(d);
}

/* Mapped memory is not met only where it was not bound. */
static void name_escapes(struct vulkan_engine *engine, struct mem_snapshot *snapshot, const struct wave_dispatch *d,
                         struct wave_result *result)
{
    static const char what[] = "it reaches outside what was bound for it, and its result is refused";
    struct mem_run run;
    if (((const uint32_t *)engine->status.at)[STATUS_ESCAPED] && !result->failed)
        fail(d, what, result);
    for (size_t n = 0; n < result->faults_kept && engine->mirror; n++) {
        struct wave_fault *fault = &result->faults[n];
        size_t used = strlen(fault->text);
        bool unmapped = fault->kind == WAVE_FAULT_UNMAPPED_READ || fault->kind == WAVE_FAULT_UNMAPPED_WRITE;
        if (unmapped && mem_snapshot_find(snapshot, fault->address, &run))
            snprintf(fault->text + used, sizeof fault->text - used, "%s%s", used ? "; " : "", what);
    }
}

/* Why what the device did is not what was asked for; NULL: it is. */
static const char *broken_off(const struct vulkan_engine *engine)
{
    const uint32_t *status = engine->status.at;
    return status[STATUS_CUT]     ? "it takes more rounds of loops than the host device gives a wave"
           : status[STATUS_STRAY] ? "a jump led to an address that the program was not known to name"
           : status[STATUS_VIEWS] ? "an image descriptor changed while its dispatch ran"
                                  : NULL;
}

/* After everything ran: false where nothing has happened. */
static bool conclude(struct vulkan_engine *engine, struct mem_snapshot *snapshot, const struct wave_dispatch *d,
                     struct vulkan_try *try, const struct variant_run *ran, const uint8_t *kept, struct wave_result *result)
{
    const char *why = broken_off(engine);
    count_work(d, result);
    if (why) {
        vulkan_programs_refuse(engine->programs, try->program, why);
        snprintf(try->reason, sizeof try->reason, "%s", why);
        if (take_back(engine, kept))
            return false;
        fail(d, why, result);
        return true;
    }
    if (!take_faults(engine, snapshot, d, ran->variant.module, result))
        fail(d, "out of memory", result);
    name_escapes(engine, snapshot, d, result);
    return true;
}

/* The device is gone. Where it worked on copies, memory is as it was: only what it still held of earlier dispatches is lost. False: nothing is,
 * and nothing has happened. */
static bool break_down(struct vulkan_engine *engine, const struct wave_dispatch *d, struct vulkan_try *try,
                       struct wave_result *result)
{
    atomic_store(&engine->gone, true);
    atomic_store(&engine->harmed, false);
    try->broke = true;
    bool unharmed = engine->mirror && !vulkan_mirror_holds(engine->mirror);
    snprintf(try->reason, sizeof try->reason, "%s%s", vulkan_outcome_name(VULKAN_LOST),
             engine->mirror && !unharmed ? ", with results of earlier dispatches" : "");
    if (!unharmed)
        fail(d, try->reason, result);
    return !unharmed;
}

/* Room for a bit for each lane of the dispatch. */
static bool make_redo(struct vulkan_engine *engine, const struct wave_dispatch *d)
{
    const uint64_t lanes = group_count(d) * vulkan_group_waves(d) * d->wave_size, bytes = (lanes + 31) / 32 * sizeof(uint32_t);
    if (lanes > UINT32_MAX)
        return false;
    if (engine->redo.size >= bytes)
        return true;
    vulkan_buffer_finish(engine->host, &engine->redo);
    if (!vulkan_buffer_create(engine->host, bytes, &engine->redo))
        return false;
    memset(engine->redo.at, 0, bytes);
    return true;
}

/* A fast variant whose lanes often left their windows is given up. */
static bool begin_fast(struct vulkan_engine *engine, const struct wave_dispatch *d, const struct vulkan_program *program,
                       struct variant_run *run)
{
    enum { MISSES_MOST = 2 };
    const struct vulkan_variant *fast = &program->fast;
    *run = (struct variant_run){.variant = *fast};
    if (!fast->module || program->misses > MISSES_MOST || !make_redo(engine, d) ||
        !vulkan_windows_fill(fast->module, &engine->table, vulkan_host_facts(engine->host), d, engine->params.at, run->windows))
        return false;
    return true;
}

/* What runs first. */
static bool begin_run(struct vulkan_engine *engine, struct mem_snapshot *snapshot, const struct wave_dispatch *d,
                      struct vulkan_try *try, struct variant_run *run)
{
    struct vulkan_program *program = try->program;
    const struct spirv_module *module = program->fast.module ? program->fast.module : program->searching.module;
    bool mapped = vulkan_slots_fill(module, &engine->table, engine->mirror, snapshot, d, engine->params.at);
    if (mapped && !(engine->mirror && engine->binding.checked) && begin_fast(engine, d, program, run))
        return true;
    if (!vulkan_programs_search(engine->programs, program, try->reason))
        return false;
    *run = (struct variant_run){.variant = program->searching};
    mapped = vulkan_slots_fill(program->searching.module, &engine->table, engine->mirror, snapshot, d, engine->params.at);
    if (!mapped)
        snprintf(try->reason, sizeof try->reason, "scalar loads from memory that is not mapped");
    if (engine->mirror)
        vulkan_binding_slots(&engine->binding, program->searching.module, engine->params.at);
    return mapped;
}

/* Whether some lane's bit is set: on the host's own cores a module does not say so besides. */
static bool has_missed(const struct vulkan_engine *engine, const struct wave_dispatch *d)
{
    const uint32_t *bits = engine->redo.at;
    uint64_t words = (group_count(d) * vulkan_group_waves(d) * d->wave_size + 31) / 32;
    if (!vulkan_host_facts(engine->host)->is_host)
        return ((const uint32_t *)engine->status.at)[STATUS_MISSED];
    return bits[0] || memcmp(bits, bits + 1, (words - 1) * sizeof *bits) != 0;
}

/* The lanes that left their windows, and nothing but them. False: there is no variant for them, and they have not run. */
static bool run_again(struct vulkan_engine *engine, struct mem_snapshot *snapshot, const struct wave_dispatch *d,
                      struct vulkan_try *try, struct variant_run *run, enum vulkan_outcome *outcome)
{
    uint32_t *status = engine->status.at;
    if (*outcome != VULKAN_DONE || !run->variant.module->fast || !has_missed(engine, d))
        return true;
    try->program->misses++;
    status[STATUS_MISSED] = 0;
    bool there = vulkan_programs_search(engine->programs, try->program, try->reason);
    if (there) {
        *run = (struct variant_run){.variant = try->program->searching, .again = true};
        there = vulkan_slots_fill(run->variant.module, &engine->table, engine->mirror, snapshot, d, engine->params.at);
        if (engine->mirror)
            vulkan_binding_slots(&engine->binding, run->variant.module, engine->params.at);
        *outcome = there ? run_groups(engine, d, run) : VULKAN_DONE;
        if (*outcome == VULKAN_NO_MEMORY)
            *outcome = VULKAN_LOST; /* a part has happened */
    }
    memset(engine->redo.at, 0, engine->redo.size);
    return there;
}

static bool run_kept(struct vulkan_engine *engine, struct mem_snapshot *snapshot, const struct wave_dispatch *d,
                     struct vulkan_try *try, const uint8_t *kept, struct wave_result *result)
{
    struct variant_run run;
    fill_params(engine, d);
    if (!begin_run(engine, snapshot, d, try, &run))
        return false;
    memset(engine->status.at, 0, STATUS_WORDS * sizeof(uint32_t));
    uint64_t start = base_clock_ns();
    enum vulkan_outcome outcome = run_groups(engine, d, &run);
    bool whole = run_again(engine, snapshot, d, try, &run, &outcome);
    result->seconds = (double)(base_clock_ns() - start) * 1e-9;
    if (!whole && take_back(engine, kept))
        return false;
    if (!whole) {
        fail(d, try->reason, result);
        return true;
    }
    if (outcome == VULKAN_DONE)
        return conclude(engine, snapshot, d, try, &run, kept, result);
    if (outcome == VULKAN_LOST)
        return break_down(engine, d, try, result);
    snprintf(try->reason, sizeof try->reason, "%s", vulkan_outcome_name(outcome));
    return false;
}

/* What the program is bound to here. A fast module checks and marks nothing. */
static bool bind(struct vulkan_engine *engine, struct mem_snapshot *snapshot, const struct wave_dispatch *d,
                 struct vulkan_try *try)
{
    struct vulkan_program *program = try->program;
    struct vulkan_binding *binding = &engine->binding;
    bool few = vulkan_host_facts(engine->host)->few_rounds && program->loops;
    const struct spirv_module *module = program->fast.module ? program->fast.module : program->searching.module;
    vulkan_binding_make(binding, engine->tracer, snapshot, d, module, few);
    if (!binding->checked || module == program->searching.module)
        return true;
    if (!vulkan_programs_search(engine->programs, program, try->reason))
        return false;
    vulkan_binding_make(binding, engine->tracer, snapshot, d, program->searching.module, few);
    return true;
}

/* What has failed leaves no results, where that can be had. */
static bool run_bound(struct vulkan_engine *engine, struct mem_snapshot *snapshot, const struct wave_dispatch *d,
                      struct vulkan_try *try, struct wave_result *result)
{
    struct vulkan_mirror *mirror = engine->mirror;
    struct vulkan_binding *binding = &engine->binding;
    if (!vulkan_binding_open(binding, mirror, snapshot, try->reason))
        return is_loss(try->reason) && break_down(engine, d, try, result);
    if (!show_bounds(engine, try->reason) || !run_kept(engine, snapshot, d, try, NULL, result)) {
        if (!try->broke && !take_back(engine, NULL))
            vulkan_binding_drop(binding, mirror);
        return false;
    }
    if (!try->broke && !(result->failed && take_back(engine, NULL)) && !vulkan_binding_close(binding, mirror, try->reason))
        fail(d, try->reason, result);
    return true;
}

static bool run_mirrored(struct vulkan_engine *engine, struct mem_snapshot *snapshot, const struct wave_dispatch *d,
                         struct vulkan_try *try, struct wave_result *result)
{
    char reason[VULKAN_REASON_SIZE];
    if (!bind(engine, snapshot, d, try))
        return false;
    bool ran = false;
    memcpy(try->note, engine->binding.sample, sizeof try->note);
    if (engine->binding.fills && vulkan_binding_fill(&engine->binding, engine->mirror, try->reason)) {
        count_work(d, result);
        ran = true;
    } else {
        ran = run_bound(engine, snapshot, d, try, result);
    }
    if (ran && engine->aside)
        vulkan_mirror_settle(engine->mirror, snapshot, DEVICE_EVERYTHING, reason);
    return ran;
}

static bool run_locked(struct vulkan_engine *engine, struct mem_snapshot *snapshot, const struct wave_dispatch *d,
                       struct vulkan_try *try, struct wave_result *result)
{
    static const uint64_t kept_most = UINT64_C(1) << 30;
    if (!show_memory(engine, snapshot, try->reason) || !show_views(engine, snapshot, d, try))
        return false;
    if (engine->mirror)
        return run_mirrored(engine, snapshot, d, try, result);
    uint8_t *kept = try->alone && vulkan_host_facts(engine->host)->is_host ? vulkan_table_keep(&engine->table, kept_most) : NULL;
    bool ran = run_kept(engine, snapshot, d, try, kept, result);
    free(kept);
    return ran;
}

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
    bool failed = break_down(engine, d, try, result);
    pthread_mutex_unlock(&engine->lock);
    return failed;
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
    if (!fits(engine, d, try->reason))
        return false;
    if (!settle_code(engine, snapshot, d, try->reason))
        return atomic_load(&engine->harmed) && answer_for_results(engine, d, try, result);
    try->program = vulkan_programs_hold(engine->programs, snapshot, d);
    if (!try->program) {
        snprintf(try->reason, sizeof try->reason, "out of memory");
        return false;
    }
    uint64_t waves = group_count(d) * vulkan_group_waves(d);
    if (vulkan_programs_await(engine->programs, try->program, waves, try->patient, try->reason) != VULKAN_READY)
        return false;
    pthread_mutex_lock(&engine->lock);
    bool ran = !is_over(engine, try->reason) && run_locked(engine, snapshot, d, try, result);
    pthread_mutex_unlock(&engine->lock);
    return ran;
}

/* ---- copies ---- */

bool vulkan_engine_mirrors(const struct vulkan_engine *engine)
{
    return engine->mirror;
}

static bool settle_locked(struct vulkan_engine *engine, struct mem_snapshot *snapshot, struct device_range range, char *reason)
{
    if (atomic_load(&engine->gone) || vulkan_mirror_settle(engine->mirror, snapshot, range, reason))
        return true;
    if (is_loss(reason)) {
        atomic_store(&engine->gone, true);
        atomic_store(&engine->harmed, vulkan_mirror_holds(engine->mirror));
    }
    return false;
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
        vulkan_programs_time(engine->programs, try->program, group_count(d) * vulkan_group_waves(d), cpu_seconds);
    vulkan_programs_release(engine->programs, try->program);
    try->program = NULL;
}

void vulkan_engine_report(struct vulkan_engine *engine, const struct vulkan_engine_sink *sink)
{
    if (sink->program)
        vulkan_programs_tell(engine->programs, sink->program, sink->user);
    vulkan_notes_tell(&engine->notes, sink->user, sink->reason, sink->fault);
}
