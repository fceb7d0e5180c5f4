/* vulkan_dispatch: one dispatch on a host Vulkan device, in guest memory itself or on copies of it: what its module is given, its run, and what
 * that leaves. */
#include "vulkan/vulkan_dispatch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base_clock.h"
#include "spirv/spirv_layout.h"
#include "vulkan/vulkan_engine.h"
#include "vulkan/vulkan_order.h"
#include "vulkan/vulkan_slots.h"
#include "vulkan/vulkan_views.h"

enum { BUDGET = 1 << 28, ROUNDS = 1 << 4, LONGEST = 8, GDS_BYTES = 1 << 16 };

_Static_assert(KIND_READ == WAVE_FAULT_UNMAPPED_READ && KIND_WRITE == WAVE_FAULT_UNMAPPED_WRITE &&
                   KIND_READ_ONLY == WAVE_FAULT_READ_ONLY && KIND_LDS_MISALIGNED == WAVE_FAULT_LDS_MISALIGNED &&
                   KIND_LDS_RANGE == WAVE_FAULT_LDS_RANGE && KIND_ATOMIC_MISALIGNED == WAVE_FAULT_ATOMIC_MISALIGNED &&
                   KIND_HANG == WAVE_FAULT_HANG && STATUS_KINDS + WAVE_FAULT_KIND_COUNT <= STATUS_STRAY,
               "modules and waves mean the same faults");

/* ---- what a module is given ---- */

enum { RUN_START, RUN_SIZE, RUN_DEVICE, RUN_PAIRS, RUN_FLAGS = RUN_PAIRS * 2 };
enum { RUN_WRITABLE = 1, RUN_DISCARDS = 2 };

/* A run as a module finds it; one that goes on where the one before ends, for guest and device, is part of that. */
static void put_run(struct vulkan_engine *engine, const struct vulkan_import *import, uint64_t start)
{
    uint32_t *last = engine->words + P_RUNS + (size_t)engine->run_count * P_RUN_WORDS - P_RUN_WORDS;
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
    engine->runs_sent = false;
}

/* What was worked out goes to where modules look. */
static void send_words(struct vulkan_engine *engine)
{
    uint32_t *to = engine->params.at;
    const size_t words = P_RUNS + (engine->runs_sent ? 0 : (size_t)engine->run_count * P_RUN_WORDS);
    memcpy(to, engine->words, words * sizeof *to);
    engine->runs_sent = true;
}

/* A table goes among the parameters. */
static bool put_table(struct vulkan_engine *engine, const struct vulkan_table *table, char reason[VULKAN_REASON_SIZE])
{
    uint64_t bytes = (P_RUNS + (2 * (uint64_t)table->count + 1) * P_RUN_WORDS) * sizeof(uint32_t);
    if (engine->params.size < bytes) {
        engine->shown = 0;
        if (engine->params.buffer)
            vulkan_buffer_finish(engine->host, &engine->params);
        free(engine->words);
        engine->words = calloc(1, bytes * 2);
        if (!engine->words || !vulkan_buffer_place(engine->host, VULKAN_PLACE_NEAR, bytes * 2, &engine->params)) {
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
    free(engine->reaches);
    engine->reaches = calloc((size_t)images * VULKAN_VIEW_REACHES, sizeof *engine->reaches);
    if (!engine->reaches || !vulkan_buffer_create(engine->host, bytes, &engine->views))
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

/* The same of copies, which are made for it. */
static uint64_t place_copy(void *user, uint64_t start, uint64_t size, bool stores)
{
    return vulkan_mirror_place(user, (struct device_range){vulkan_address(start), size}, stores);
}

/* What the program's image operations will meet. */
static bool show_views(struct vulkan_engine *engine, struct mem_snapshot *snapshot, const struct wave_dispatch *d,
                       struct vulkan_try *try)
{
    const struct vulkan_program *program = try->program;
    const struct spirv_module *m = vulkan_program_module(program);
    if (!m->image_count)
        return true;
    const struct vulkan_views_scene scene = {
        .images = m->images,
        .image_count = m->image_count,
        .steps = m->steps,
        .step_count = m->step_count,
        .chip = engine->chip,
        .memory = {engine->mirror ? (void *)engine->mirror : &engine->table, engine->mirror ? place_copy : place},
        .snapshot = snapshot,
        .mirror = engine->mirror,
        .covers = engine->mirror ? NULL : &engine->covers};
    const char *refusal = NULL;
    uint32_t forms = 0;
    if (!make_views(engine, m->image_count))
        refusal = vulkan_outcome_name(VULKAN_NO_MEMORY);
    if (!refusal)
        refusal = vulkan_views_fill(&scene, d, engine->views.at, engine->reaches, &forms);
    if (refusal)
        snprintf(try->reason, sizeof try->reason, "%s", refusal);
    return !refusal && vulkan_programs_allow(engine->programs, try->program, forms, try->reason);
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
    uint32_t *w = engine->words;
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
    w[P_FIRST_ROUNDS] =
        vulkan_host_facts(engine->host)->is_host ? 1 : BUDGET_FIRST; /* cores run waves one by one: the others wait that long */
    w[P_ROUNDS] = ROUNDS;
    w[P_RUN_COUNT] = engine->run_count;
    const uint64_t run_table = engine->params.address + P_RUNS * sizeof *w;
    memcpy(w + P_TABLE, &run_table, sizeof run_table);
    memcpy(w + P_VIEWS, &engine->views.address, sizeof engine->views.address);
}

/* A device has the global data share for the time of a run. Without one, all of it is outside. */
static bool show_gds(struct vulkan_engine *engine, const struct wave_dispatch *d, char reason[VULKAN_REASON_SIZE])
{
    uint32_t *w = engine->words, bytes = d->gds ? d->gds_bytes : 0;
    bool good = bytes <= GDS_BYTES && (engine->gds.at || vulkan_buffer_create(engine->host, 2 * GDS_BYTES, &engine->gds));
    if (!good) {
        snprintf(reason, VULKAN_REASON_SIZE, "a global data share of %u bytes", bytes);
        return false;
    }
    for (unsigned n = 0; n < 2 && bytes; n++)
        memcpy((uint8_t *)engine->gds.at + (size_t)n * GDS_BYTES, d->gds, bytes);
    w[P_GDS_BYTES] = bytes;
    memcpy(w + P_GDS, &engine->gds.address, sizeof engine->gds.address);
    return true;
}

/* What the run has changed; other words may be others' by now. */
static void take_gds(const struct vulkan_engine *engine, const struct wave_dispatch *d)
{
    const uint8_t *now = engine->gds.at, *before = now + GDS_BYTES;
    for (uint32_t n = 0; d->gds && n < d->gds_bytes; n++)
        if (now[n] != before[n])
            d->gds[n] = now[n];
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

/* A module tells of an atomic that crosses the end of its run by where it begins, as of memory that is not mapped. What is not is its first byte
 * behind the run; where there is another run, the atomic is just misaligned. */
static void find_crossing(struct mem_snapshot *snapshot, struct wave_fault *fault, uint64_t counts[WAVE_FAULT_KIND_COUNT])
{
    enum { MOST_BYTES = 8 };
    struct mem_run run, next;
    if (fault->kind != WAVE_FAULT_UNMAPPED_WRITE || !mem_snapshot_find(snapshot, fault->address, &run))
        return;
    const uint64_t end = run.start + run.size;
    if (end - fault->address >= MOST_BYTES)
        return;
    if (!mem_snapshot_find(snapshot, end, &next)) {
        fault->address = end;
        return;
    }
    fault->kind = WAVE_FAULT_ATOMIC_MISALIGNED;
    counts[WAVE_FAULT_UNMAPPED_WRITE]--;
    counts[WAVE_FAULT_ATOMIC_MISALIGNED]++;
}

static struct wave_fault record_of(const uint32_t *status, uint32_t number, const struct wave_dispatch *d,
                                   const struct spirv_module *module)
{
    const uint32_t *r = status + STATUS_RECORDS + number * STATUS_RECORD_WORDS;
    return (struct wave_fault){
        .kind = (enum wave_fault_kind)r[0],
        .pc = r[1] < module->site_count ? module->site_pc[r[1]] : 0,
        .address = r[2] | (uint64_t)r[3] << 32,
        .lane = (int)r[4],
        .group = {r[5] % d->groups[0], r[5] / d->groups[0] % d->groups[1], r[5] / d->groups[0] / d->groups[1]},
        .wave = r[6]};
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
        struct wave_fault found = record_of(status, i, d, module);
        if (!status[STATUS_ESCAPED])
            find_crossing(snapshot, &found, result->fault_count);
        bool known = false;
        for (size_t n = 0; n < result->faults_kept; n++)
            known |= result->faults[n].kind == found.kind && result->faults[n].pc == found.pc;
        if (known)
            continue;
        struct wave_fault *fault = &result->faults[result->faults_kept++];
        *fault = found;
        describe(engine, snapshot, d, fault);
    }
    return result->faults != NULL;
}

bool vulkan_dispatch_fits(const struct vulkan_engine *engine, const struct wave_dispatch *d, char reason[VULKAN_REASON_SIZE])
{
    const struct vulkan_facts *facts = vulkan_host_facts(engine->host);
    uint32_t wave = facts->subgroup < d->wave_size ? facts->subgroup : d->wave_size, waves = vulkan_group_waves(d);
    if (facts->subgroup > d->wave_size)
        waves += waves & 1; /* two are a subgroup */
    *reason = 0;
    if (waves * wave > facts->group_invocations)
        snprintf(reason, VULKAN_REASON_SIZE, "groups of %u waves", vulkan_group_waves(d));
    else if ((uint64_t)d->groups[0] * d->groups[1] * d->groups[2] > UINT32_MAX)
        snprintf(reason, VULKAN_REASON_SIZE, "too many groups");
    return !*reason;
}

/* ---- running ---- */

uint64_t vulkan_dispatch_groups(const struct wave_dispatch *d)
{
    return (uint64_t)d->groups[0] * d->groups[1] * d->groups[2];
}

/* Waves of a box of groups: the last group of each dimension may have fewer than the others. */
static uint64_t count_waves(const struct wave_dispatch *d, const uint32_t first[3], const uint32_t count[3])
{
    uint64_t waves = 0;
    /* A bit for each dimension in which a group is the last. */
    for (unsigned last = 0; count[0] && count[1] && count[2] && last < 8; last++) {
        uint64_t groups = 1;
        uint32_t threads = 1;
        for (unsigned n = 0; n < 3; n++) {
            bool is_last = last >> n & 1, has_last = first[n] + count[n] == d->groups[n];
            groups *= is_last ? has_last : count[n] - has_last;
            threads *= is_last ? d->last_threads[n] : d->threads[n];
        }
        waves += groups * ((threads + d->wave_size - 1) / d->wave_size);
    }
    return waves;
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
    uint64_t row = d->groups[0], layer = row * d->groups[1], left = vulkan_dispatch_groups(d) - first;
    uint64_t x = first % row, y = first / row % d->groups[1], z = first / layer;
    most = most < left ? most : left;
    run->first[0] = (uint32_t)x;
    run->first[1] = (uint32_t)y;
    run->first[2] = (uint32_t)z;
    run->count[0] = (uint32_t)(x || most < row ? (most < row - x ? most : row - x) : row);
    run->count[1] = (uint32_t)(x || most < row ? 1 : most / row < d->groups[1] - y ? most / row : d->groups[1] - y);
    run->count[2] = (uint32_t)(x || y || most < layer ? 1 : most / layer);
}

static bool is_cancelled(const struct wave_dispatch *d)
{
    return d->cancel && atomic_load(d->cancel);
}

/* Groups that run at once: no more than the scratch ring has waves for, and than run in a short while, so that whoever gives the dispatch up
 * gets an answer. */
static uint64_t step_of(const struct vulkan_program *program, const struct wave_dispatch *d)
{
    enum { FIRST_WAVES = 1024 };
    static const double wanted_seconds = 0.2, most_waves = 1e12;
    double waves = program->wave_seconds > 0 ? wanted_seconds / program->wave_seconds : FIRST_WAVES;
    uint64_t step = (uint64_t)(waves < most_waves ? waves : most_waves) / vulkan_group_waves(d),
             fit = d->scratch_waves / vulkan_group_waves(d);
    if (d->scratch_waves && fit < step)
        step = fit;
    return step ? step : 1;
}

/* Few waves say little: they may have left the device idle. */
static void learn(struct vulkan_program *program, uint64_t waves, uint64_t ns)
{
    enum { ENOUGH = 1024 };
    double seconds = (double)ns * 1e-9 / (double)waves;
    if (waves >= ENOUGH || program->wave_seconds <= 0 || seconds < program->wave_seconds)
        program->wave_seconds = seconds;
}

static struct vulkan_run make_run(struct vulkan_engine *engine, const struct wave_dispatch *d, const struct variant_run *ran)
{
    struct vulkan_run run = {.pipeline = ran->variant.pipeline,
                             .buffers = {&engine->params, &engine->status, engine->redo.buffer ? &engine->redo : NULL,
                                         engine->share.buffer ? &engine->share : NULL},
                             .merged = ran->variant.module->merged};
    memcpy(run.windows, ran->windows, sizeof run.windows);
    memcpy(run.told + TOLD_IDS, d->first_group, sizeof d->first_group);
    memcpy(run.told + TOLD_GRID, d->groups, 2 * sizeof *run.told);
    run.told[TOLD_AGAIN] = ran->again;
    send_words(engine);
    tell(engine->words, run.told);
    return run;
}

static bool has_hung(const struct vulkan_engine *engine)
{
    return ((const uint32_t *)engine->status.at)[STATUS_KINDS + WAVE_FAULT_HANG];
}

/* Room for the local shares of groups that run at once: of all, or of as many as a bounded buffer takes. How many: 0: there is no memory. */
static uint64_t make_share(struct vulkan_engine *engine, const struct wave_dispatch *d)
{
    static const uint64_t most_bytes = UINT64_C(32) << 20;
    uint64_t part = (d->lds_bytes + sizeof(uint32_t) - 1) / sizeof(uint32_t) * sizeof(uint32_t);
    uint64_t groups = vulkan_dispatch_groups(d), fit = most_bytes / part;
    if (groups > fit)
        groups = fit ? fit : 1;
    if (engine->share.size < groups * part) {
        vulkan_buffer_finish(engine->host, &engine->share);
        if (!vulkan_buffer_place(engine->host, VULKAN_PLACE_DEVICE, groups * part, &engine->share) &&
            !vulkan_buffer_create(engine->host, groups * part, &engine->share))
            return 0;
    }
    return groups;
}

/* Ends early where the dispatch is cancelled: *left is what has not run then. What ran out of memory behind the first step has happened in
 * part. */
static enum vulkan_outcome run_groups(struct vulkan_engine *engine, const struct wave_dispatch *d, struct vulkan_program *program,
                                      const struct variant_run *ran, uint64_t *left)
{
    uint32_t *stop = (uint32_t *)engine->params.at + P_STOP;
    const struct vulkan_patience patience = {d->cancel, d->timeout_s, stop};
    uint64_t first = 0, total = vulkan_dispatch_groups(d), most = ran->variant.module->spills ? make_share(engine, d) : total;
    struct vulkan_run run = make_run(engine, d, ran);
    enum vulkan_outcome outcome = most || !total ? VULKAN_DONE : VULKAN_NO_MEMORY;
    bool looks = program->loops && !vulkan_host_facts(engine->host)->few_rounds; /* whether waves are told to stop */
    run.patience = &patience;
    while (first < total && outcome == VULKAN_DONE && !is_cancelled(d)) {
        uint64_t step = step_of(program, d);
        next_box(d, first, step < most ? step : most, &run);
        uint64_t groups = (uint64_t)run.count[0] * run.count[1] * run.count[2], start = base_clock_ns();
        outcome = vulkan_host_run(engine->host, &run);
        if (first && outcome == VULKAN_NO_MEMORY)
            outcome = VULKAN_LOST;
        if (outcome == VULKAN_STOPPED && !looks)
            outcome = VULKAN_DONE; /* it came to its end by itself */
        if (outcome == VULKAN_DONE)
            first = has_hung(engine) ? total : first + groups; /* after a hang no other group runs */
        if (!ran->again && outcome == VULKAN_DONE)
            learn(program, groups * vulkan_group_waves(d), base_clock_ns() - start);
    }
    *left = total - first;
    return outcome;
}

/* Nobody can say what such a dispatch did: it has failed, and by name. */
static void fail_as(const struct wave_dispatch *d, enum wave_fault_kind kind, const char *text, struct wave_result *result)
{
    result->failed = true;
    result->fault_count[kind] = 1;
    result->faults = calloc(1, sizeof *result->faults);
    if (!result->faults)
        return;
    result->faults_kept = 1;
    *result->faults = (struct wave_fault){.kind = kind, .pc = d->program, .lane = -1};
    snprintf(result->faults->text, sizeof result->faults->text, "%s", text);
}

static void fail(const struct wave_dispatch *d, const char *text, struct wave_result *result)
{
    fail_as(d, WAVE_FAULT_CANCELLED, text, result);
}

bool vulkan_dispatch_cancelled(const struct wave_dispatch *d, struct wave_result *result)
{
    bool cancelled = is_cancelled(d);
    if (cancelled)
        fail(d, "it was stopped from outside before it began", result);
    return cancelled;
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
    result->groups = vulkan_dispatch_groups(d);
    result->waves = count_waves(d, (const uint32_t[3]){0}, d->groups);
}

/* What met no memory met memory that was not bound. Of each place only the first one is known: the others are counted as `from` until all
 * places of that kind turn out to be such. */
static void name_unbound(struct mem_snapshot *snapshot, struct wave_result *result, enum wave_fault_kind from,
                         enum wave_fault_kind to, const char *what)
{
    struct mem_run run;
    bool any = false, all = true;
    for (size_t n = 0; n < result->faults_kept; n++) {
        struct wave_fault *fault = &result->faults[n];
        size_t used = strlen(fault->text);
        bool mapped = fault->kind == from && mem_snapshot_find(snapshot, fault->address, &run);
        any |= mapped;
        all &= mapped || fault->kind != from;
        if (!mapped)
            continue;
        fault->kind = to;
        result->fault_count[from]--;
        result->fault_count[to]++;
        snprintf(fault->text + used, sizeof fault->text - used, "%s%s", used ? "; " : "", what);
    }
    if (any && all) {
        result->fault_count[to] += result->fault_count[from];
        result->fault_count[from] = 0;
    }
}

/* Mapped memory is not met only where it was not bound. */
static void name_escapes(struct vulkan_engine *engine, struct mem_snapshot *snapshot, const struct wave_dispatch *d,
                         struct wave_result *result)
{
    static const char what[] = "it reaches outside what was bound for it, and its result is refused";
    if (((const uint32_t *)engine->status.at)[STATUS_ESCAPED] && !result->failed)
        fail(d, what, result);
    if (!engine->mirror)
        return;
    name_unbound(snapshot, result, WAVE_FAULT_UNMAPPED_READ, WAVE_FAULT_UNBOUND_READ, what);
    name_unbound(snapshot, result, WAVE_FAULT_UNMAPPED_WRITE, WAVE_FAULT_UNBOUND_WRITE, what);
}

/* Why what the device did is not what was asked for; NULL: it is. */
static const char *broken_off(const struct vulkan_engine *engine)
{
    const uint32_t *status = engine->status.at;
    return status[STATUS_CUT]                       ? "it takes more rounds of loops than the host device gives a wave"
           : status[STATUS_STRAY] == STATUS_SCRATCH ? "a lane's scratch reached out of the memory that its base is in"
           : status[STATUS_STRAY]                   ? "a jump led to an address that the program was not known to name"
           : status[STATUS_VIEWS] & STATUS_NO_TREE  ? "the descriptor's type is none of a bounding volume hierarchy"
           : status[STATUS_VIEWS]                   ? "an image descriptor changed while its dispatch ran"
                                                    : NULL;
}

/* A store left the bound that a sample of the groups gave it. */
static bool has_scattered(const struct vulkan_engine *engine)
{
    const uint32_t *status = engine->status.at;
    bool escaped = status[STATUS_ESCAPED] && status[STATUS_KINDS + WAVE_FAULT_UNMAPPED_WRITE];
    return engine->mirror && escaped && engine->binding.scatters && !engine->binding.scattered;
}

/* Where a wave was in a loop when it was told to end, or when the host ended its loops, and by which instruction. */
static void place_stop(struct vulkan_engine *engine, struct mem_snapshot *snapshot, const struct wave_dispatch *d,
                       const struct spirv_module *module, struct wave_fault *fault)
{
    const uint32_t *status = engine->status.at;
    const char *what = status[STATUS_CUT] ? "the last jump back: " : ""; /* a host that ends loops goes on behind them */
    uint32_t count = status[STATUS_COUNT] < STATUS_MAX ? status[STATUS_COUNT] : STATUS_MAX;
    for (uint32_t n = 0; n < count; n++) {
        struct wave_fault found = record_of(status, n, d, module);
        if (found.kind != WAVE_FAULT_HANG)
            continue;
        describe(engine, snapshot, d, &found);
        fault->pc = found.pc;
        fault->wave = found.wave;
        memcpy(fault->group, found.group, sizeof fault->group);
        size_t used = strlen(fault->text);
        snprintf(fault->text + used, sizeof fault->text - used, "; %s%s", what, found.text);
        return;
    }
}

/* After everything ran: false where nothing has happened, or is to have happened. */
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
        if (result->faults)
            place_stop(engine, snapshot, d, ran->variant.module, result->faults);
        return true;
    }
    if (has_scattered(engine)) {
        try->scattered = true;
        return false;
    }
    if (!take_faults(engine, snapshot, d, ran->variant.module, result))
        fail(d, "out of memory", result);
    name_escapes(engine, snapshot, d, result);
    return true;
}

bool vulkan_dispatch_break_down(struct vulkan_engine *engine, const struct wave_dispatch *d, struct vulkan_try *try,
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

/* The device is still at work on it, and on the memory that it was given: nothing else is asked of it any more. */
static void give_up(struct vulkan_engine *engine, const struct wave_dispatch *d, struct vulkan_try *try,
                    struct wave_result *result)
{
    atomic_store(&engine->gone, true);
    atomic_store(&engine->harmed, false);
    try->broke = true;
    snprintf(try->reason, sizeof try->reason, "%s", vulkan_outcome_name(VULKAN_STUCK));
    fail_as(d, is_cancelled(d) ? WAVE_FAULT_CANCELLED : WAVE_FAULT_HANG, try->reason, result);
}

/* Waves of so many groups, in the order in which they run. */
static uint64_t waves_of(const struct wave_dispatch *d, uint64_t groups)
{
    uint64_t waves = 0;
    struct vulkan_run box;
    for (uint64_t first = 0; first < groups; first += (uint64_t)box.count[0] * box.count[1] * box.count[2]) {
        next_box(d, first, groups - first, &box);
        waves += count_waves(d, box.first, box.count);
    }
    return waves;
}

/* Some of its groups have run, others perhaps in part. */
static void stop_short(struct vulkan_engine *engine, struct mem_snapshot *snapshot, const struct wave_dispatch *d,
                       const struct spirv_module *module, uint64_t left, struct wave_result *result)
{
    char text[VULKAN_REASON_SIZE];
    bool cancelled = is_cancelled(d);
    snprintf(text, sizeof text, "%s: %llu of %llu groups have not run",
             cancelled ? "it was stopped from outside" : "it took longer than it may, and was stopped", (unsigned long long)left,
             (unsigned long long)vulkan_dispatch_groups(d));
    fail_as(d, cancelled ? WAVE_FAULT_CANCELLED : WAVE_FAULT_HANG, text, result);
    if (result->faults)
        place_stop(engine, snapshot, d, module, result->faults);
    result->groups = vulkan_dispatch_groups(d) - left;
    result->waves = waves_of(d, result->groups);
}

/* Room for a bit for each lane of the dispatch. */
static bool make_redo(struct vulkan_engine *engine, const struct wave_dispatch *d)
{
    const uint64_t lanes = vulkan_dispatch_groups(d) * vulkan_group_waves(d) * d->wave_size,
                   bytes = (lanes + 31) / 32 * sizeof(uint32_t);
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

/* The masks of a module that marks. False: it stores where there is none. */
static bool find_masks(struct vulkan_engine *engine, const struct spirv_module *module, struct vulkan_marked *marked)
{
    for (uint32_t n = 0; n < module->near_count; n++) {
        uint32_t slot = module->nears[n].slot;
        const struct vulkan_bound *bound = module->nears[n].stores ? vulkan_binding_bound(&engine->binding, module, slot) : NULL;
        if (module->nears[n].stores && (!bound || bound->use != VULKAN_MARKED))
            return false;
        if (bound)
            marked[slot] = (struct vulkan_marked){bound->range, bound->mask};
    }
    return true;
}

/* Whether windows can show all that a dispatch reaches by a variant. */
static bool show_windows(struct vulkan_engine *engine, struct mem_snapshot *snapshot, const struct wave_dispatch *d,
                         const struct vulkan_variant *variant, bool marks, struct variant_run *run, bool *certain)
{
    const struct spirv_module *module = variant->module;
    struct vulkan_marked marked[WINDOW_MASKS];
    *run = (struct variant_run){.variant = *variant};
    return (!marks || find_masks(engine, module, marked)) &&
           vulkan_slots_fill(module, &engine->table, engine->mirror, snapshot, d, engine->words) &&
           vulkan_windows_fill(module, &engine->table, vulkan_host_facts(engine->host), d, engine->words, marks ? marked : NULL,
                               run->windows, certain);
}

/* A variant that reaches windows alone; what the windows of a certain one do not show, others' do not either. A fast one whose lanes often left
 * them is given up. */
static bool begin_near(struct vulkan_engine *engine, struct mem_snapshot *snapshot, const struct wave_dispatch *d,
                       struct vulkan_program *program, bool marks, struct variant_run *run)
{
    enum { MISSES_MOST = 2 };
    const unsigned kind = marks ? VULKAN_MARKS : 0;
    const struct vulkan_variant *near = vulkan_programs_near(engine->programs, program, kind | VULKAN_CERTAIN);
    bool certain = false;
    if (near && !show_windows(engine, snapshot, d, near, marks, run, &certain))
        return false;
    if (certain)
        return true;
    if (program->misses > MISSES_MOST || !make_redo(engine, d))
        return false;
    near = vulkan_programs_near(engine->programs, program, kind);
    return near && show_windows(engine, snapshot, d, near, marks, run, &certain);
}

/* What a module that searches is told. */
static bool fill_slots(struct vulkan_engine *engine, struct mem_snapshot *snapshot, const struct wave_dispatch *d,
                       const struct spirv_module *module, char reason[VULKAN_REASON_SIZE])
{
    const char *why = NULL;
    if (!vulkan_slots_fill(module, &engine->table, engine->mirror, snapshot, d, engine->words))
        why = "scalar loads from memory that is not mapped";
    else if (engine->mirror && !vulkan_binding_slots(&engine->binding, module, engine->words))
        why = "stores that are to be marked have no slot";
    if (why)
        snprintf(reason, VULKAN_REASON_SIZE, "%s", why);
    return !why;
}

/* What runs first. */
static bool begin_run(struct vulkan_engine *engine, struct mem_snapshot *snapshot, const struct wave_dispatch *d,
                      struct vulkan_try *try, struct variant_run *run)
{
    struct vulkan_program *program = try->program;
    bool checked = engine->mirror && engine->binding.checked;
    if (!(checked && engine->binding.tells) && begin_near(engine, snapshot, d, program, checked, run))
        return true;
    if (!vulkan_programs_search(engine->programs, program, try->reason))
        return false;
    *run = (struct variant_run){.variant = program->searching};
    return fill_slots(engine, snapshot, d, run->variant.module, try->reason);
}

/* Whether some lane's bit is set: on the host's own cores a module does not say so besides. */
static bool has_missed(const struct vulkan_engine *engine, const struct wave_dispatch *d)
{
    const uint32_t *bits = engine->redo.at;
    uint64_t words = (vulkan_dispatch_groups(d) * vulkan_group_waves(d) * d->wave_size + 31) / 32;
    if (!vulkan_host_facts(engine->host)->is_host)
        return ((const uint32_t *)engine->status.at)[STATUS_MISSED];
    return bits[0] || memcmp(bits, bits + 1, (words - 1) * sizeof *bits) != 0;
}

/* The lanes that left their windows, and nothing but them. False: there is no variant for them, and they have not run. */
static bool run_again(struct vulkan_engine *engine, struct mem_snapshot *snapshot, const struct wave_dispatch *d,
                      struct vulkan_try *try, struct variant_run *run, enum vulkan_outcome *outcome, uint64_t *left)
{
    uint32_t *status = engine->status.at;
    if (*outcome != VULKAN_DONE || !run->variant.module->fast || !has_missed(engine, d))
        return true;
    if (*left || status[STATUS_CUT] || has_hung(engine)) { /* what is done again is all of it, or none */
        memset(engine->redo.at, 0, engine->redo.size);
        return true;
    }
    try->program->misses++;
    status[STATUS_MISSED] = 0;
    bool there = vulkan_programs_search(engine->programs, try->program, try->reason);
    if (there) {
        *run = (struct variant_run){.variant = try->program->searching, .again = true};
        there = fill_slots(engine, snapshot, d, run->variant.module, try->reason);
        *outcome = there ? run_groups(engine, d, try->program, run, left) : VULKAN_DONE;
        if (*outcome == VULKAN_NO_MEMORY)
            *outcome = VULKAN_LOST; /* a part has happened */
    }
    memset(engine->redo.at, 0, engine->redo.size);
    return there;
}

/* What a module that looks at no index carries out, and that neither loops nor jumps anywhere, comes to its end. */
static bool may_break_off(const struct vulkan_program *program, const struct variant_run *run)
{
    return !run->variant.module->certain || program->loops || program->strays;
}

static bool run_begun(struct vulkan_engine *engine, struct mem_snapshot *snapshot, const struct wave_dispatch *d,
                      struct vulkan_try *try, struct variant_run *begun, const uint8_t *kept, struct wave_result *result)
{
    struct variant_run run = *begun;
    bool gds = run.variant.module->gds;
    if (gds && !show_gds(engine, d, try->reason))
        return false;
    memset(engine->status.at, 0, STATUS_WORDS * sizeof(uint32_t));
    uint64_t start = base_clock_ns();
    uint64_t left;
    enum vulkan_outcome outcome = run_groups(engine, d, try->program, &run, &left);
    bool whole = run_again(engine, snapshot, d, try, &run, &outcome, &left);
    result->seconds = (double)(base_clock_ns() - start) * 1e-9;
    if (!whole && take_back(engine, kept))
        return false;
    if (!whole) {
        fail(d, try->reason, result);
        return true;
    }
    if (outcome == VULKAN_STUCK || outcome == VULKAN_STOPPED || (outcome == VULKAN_DONE && left)) {
        result->tier = "spirv";
        if (outcome == VULKAN_STUCK)
            give_up(engine, d, try, result);
        else
            stop_short(engine, snapshot, d, run.variant.module, left, result);
        if (gds && outcome != VULKAN_STUCK)
            take_gds(engine, d);
        if (outcome == VULKAN_STOPPED && engine->redo.at)
            memset(engine->redo.at, 0, engine->redo.size);
        return true;
    }
    if (outcome == VULKAN_DONE) {
        bool happened = conclude(engine, snapshot, d, try, &run, kept, result);
        if (gds && happened)
            take_gds(engine, d);
        return happened;
    }
    if (outcome == VULKAN_LOST)
        return vulkan_dispatch_break_down(engine, d, try, result);
    snprintf(try->reason, sizeof try->reason, "%s", vulkan_outcome_name(outcome));
    return false;
}

static bool can_mark(struct vulkan_engine *engine, struct vulkan_program *program)
{
    return vulkan_programs_near(engine->programs, program, VULKAN_CERTAIN | VULKAN_MARKS) ||
           vulkan_programs_near(engine->programs, program, VULKAN_MARKS);
}

/* What the program is bound to here. A fast module checks nothing, and one that marks is another. */
static bool bind(struct vulkan_engine *engine, struct mem_snapshot *snapshot, const struct wave_dispatch *d,
                 struct vulkan_try *try, bool scattered)
{
    struct vulkan_program *program = try->program;
    struct vulkan_binding *binding = &engine->binding;
    bool stops = program->strays || (vulkan_host_facts(engine->host)->few_rounds && program->loops);
    const struct spirv_module *module = vulkan_program_module(program);
    struct device_range reach[NEAR_MAX];
    vulkan_binding_make(binding, engine->tracer, snapshot, d, module, engine->reaches, stops, scattered, NULL);
    if (binding->tells && vulkan_slots_reach(module, engine->mirror, snapshot, d, reach))
        vulkan_binding_make(binding, engine->tracer, snapshot, d, module, engine->reaches, stops, scattered, reach);
    if (!binding->checked || module == program->searching.module || (!binding->tells && can_mark(engine, program)))
        return true;
    if (!vulkan_programs_search(engine->programs, program, try->reason))
        return false;
    vulkan_binding_make(binding, engine->tracer, snapshot, d, program->searching.module, engine->reaches, stops, scattered, NULL);
    return true;
}

static bool run_on_copies(struct vulkan_engine *engine, struct mem_snapshot *snapshot, const struct wave_dispatch *d,
                          struct vulkan_try *try, struct wave_result *result)
{
    struct variant_run run;
    fill_params(engine, d);
    return begin_run(engine, snapshot, d, try, &run) && run_begun(engine, snapshot, d, try, &run, NULL, result);
}

/* What has failed leaves no results, where that can be had. False: nothing has happened. */
static bool run_bound(struct vulkan_engine *engine, struct mem_snapshot *snapshot, const struct wave_dispatch *d,
                      struct vulkan_try *try, struct wave_result *result)
{
    struct vulkan_mirror *mirror = engine->mirror;
    struct vulkan_binding *binding = &engine->binding;
    if (!vulkan_binding_open(binding, mirror, snapshot, try->reason))
        return !strcmp(try->reason, vulkan_outcome_name(VULKAN_LOST)) && vulkan_dispatch_break_down(engine, d, try, result);
    if (!show_bounds(engine, try->reason) || !run_on_copies(engine, snapshot, d, try, result)) {
        if (!try->broke && !take_back(engine, NULL))
            vulkan_binding_drop(binding, mirror);
        return false;
    }
    if (!try->broke && !(result->failed && take_back(engine, NULL)) && !vulkan_binding_close(binding, mirror, try->reason))
        fail(d, try->reason, result);
    return true;
}

/* A device that is still at work may yet store to what keys cover: it stays as it is. */
static bool run_covered(struct vulkan_engine *engine, struct mem_snapshot *snapshot, const struct wave_dispatch *d,
                        struct vulkan_try *try, struct variant_run *begun, const uint8_t *kept, struct wave_result *result)
{
    if (!vulkan_covers_fill(&engine->covers)) {
        snprintf(try->reason, sizeof try->reason, "stores to images whose metadata says different things of the same memory");
        return false;
    }
    bool ran = run_begun(engine, snapshot, d, try, begun, kept, result);
    if (try->broke)
        vulkan_covers_clear(&engine->covers);
    else
        vulkan_covers_restore(&engine->covers);
    return ran;
}

/* What loops may never end, and is run. */
static bool fill_in_place(struct vulkan_engine *engine, struct mem_snapshot *snapshot, const struct wave_dispatch *d,
                          const struct vulkan_program *program)
{
    const struct spirv_module *module = vulkan_program_module(program);
    engine->binding = (struct vulkan_binding){0}; /* that of the dispatch before says nothing here */
    return !program->loops && vulkan_binding_fills_here(&engine->binding, engine->tracer, snapshot, d, module);
}

static bool run_in_place(struct vulkan_engine *engine, struct mem_snapshot *snapshot, const struct wave_dispatch *d,
                         struct vulkan_try *try, struct wave_result *result)
{
    static const uint64_t kept_most = UINT64_C(1) << 30;
    bool keeps = try->alone && vulkan_host_facts(engine->host)->is_host;
    const uint64_t start = base_clock_ns();
    struct variant_run run;
    if (fill_in_place(engine, snapshot, d, try->program)) {
        result->seconds = (double)(base_clock_ns() - start) * 1e-9;
        count_work(d, result);
        return true;
    }
    fill_params(engine, d);
    if (!begin_run(engine, snapshot, d, try, &run))
        return false;
    uint8_t *kept = keeps && may_break_off(try->program, &run) ? vulkan_table_keep(&engine->table, kept_most) : NULL;
    bool ran = run_covered(engine, snapshot, d, try, &run, kept, result);
    free(kept);
    return ran;
}

/* Copies of one memory at two addresses would not see each other's stores. */
static bool stores_once(const struct vulkan_engine *engine, struct vulkan_try *try)
{
    const struct vulkan_binding *binding = &engine->binding;
    bool twice = binding->writes_all && vulkan_mirror_is_twice(engine->mirror, DEVICE_EVERYTHING);
    for (uint32_t n = 0; n < binding->count && !twice; n++)
        twice = binding->bounds[n].use != VULKAN_READ && vulkan_mirror_is_twice(engine->mirror, binding->bounds[n].range);
    if (twice)
        snprintf(try->reason, sizeof try->reason, "stores to memory that is mapped at two addresses");
    return !twice;
}

/* Where a store leaves what a sample bound, all is done again with its stores by address; a program that did so time and again goes that way at
 * once. */
static bool run_mirrored(struct vulkan_engine *engine, struct mem_snapshot *snapshot, const struct wave_dispatch *d,
                         struct vulkan_try *try, struct wave_result *result)
{
    enum { SCATTERED_MOST = 2 };
    struct vulkan_program *program = try->program;
    char reason[VULKAN_REASON_SIZE];
    if (!bind(engine, snapshot, d, try, program->scattered > SCATTERED_MOST) || !stores_once(engine, try))
        return false;
    bool ran = false;
    memcpy(try->note, engine->binding.sample, sizeof try->note);
    if (engine->binding.fills && !try->program->loops && vulkan_binding_fill(&engine->binding, engine->mirror, try->reason)) {
        count_work(d, result);
        ran = true;
    } else {
        ran = run_bound(engine, snapshot, d, try, result);
    }
    if (try->scattered && !try->broke) {
        program->scattered++;
        ran = bind(engine, snapshot, d, try, true) && stores_once(engine, try) && run_bound(engine, snapshot, d, try, result);
    }
    if (ran && engine->aside)
        vulkan_mirror_settle(engine->mirror, snapshot, DEVICE_EVERYTHING, reason);
    return ran;
}

/* Lanes that go alone do so only where nobody can tell. */
static bool keep_order(struct vulkan_engine *engine, struct mem_snapshot *snapshot, const struct wave_dispatch *d,
                       struct vulkan_try *try)
{
    const struct spirv_module *module = vulkan_program_module(try->program);
    if (!module->apart_count)
        return true;
    try->packed = !vulkan_order_is_kept(module, vulkan_tracer_trace(engine->tracer, snapshot, d), engine->reaches);
    return !try->packed;
}

bool vulkan_dispatch_run(struct vulkan_engine *engine, struct mem_snapshot *snapshot, const struct wave_dispatch *d,
                         struct vulkan_try *try, struct wave_result *result)
{
    if (!show_memory(engine, snapshot, try->reason) || !show_views(engine, snapshot, d, try) ||
        !keep_order(engine, snapshot, d, try))
        return false;
    return engine->mirror ? run_mirrored(engine, snapshot, d, try, result) : run_in_place(engine, snapshot, d, try, result);
}
