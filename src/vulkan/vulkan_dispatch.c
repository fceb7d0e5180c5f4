/* Dispatches on a host Vulkan device, in guest memory itself. */
#include "vulkan/vulkan_dispatch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "vulkan/vulkan_host.h"
#include "lower/lower.h"
#include "spirv/spirv.h"
#include "spirv/spirv_layout.h"

enum { MAX_RUNS = 512, BUDGET = 1 << 28, LONGEST = 8 };

/* A module that was made before; found again by its words. */
struct kept {
    struct kept *next;
    uint32_t *words;
    size_t word_count;
    uint32_t lds_words;
    struct vulkan_pipeline *pipeline;
};

struct vulkan_engine {
    struct vulkan_host *host;
    struct spirv_library *library;
    enum isa_chip_bit chip;
    struct kept *kept;
    struct vulkan_buffer params, status;
    /* Guest memory as the device has it, of the snapshot with this number. */
    uint64_t version;
    struct vulkan_buffer imports[MAX_RUNS];
    struct mem_run runs[MAX_RUNS];
    uint32_t run_count;
};

struct vulkan_engine *vulkan_engine_create(enum isa_chip_bit chip, const char *choice, char error[VULKAN_REASON_SIZE])
{
    struct vulkan_engine *engine = calloc(1, sizeof *engine);
    snprintf(error, VULKAN_REASON_SIZE, "out of memory");
    if (!engine)
        return NULL;
    engine->chip = chip;
    engine->library = spirv_library_create();
    engine->host = engine->library ? vulkan_host_create(choice, error) : NULL;
    if (engine->host && vulkan_buffer_create(engine->host, (P_RUNS + MAX_RUNS * P_RUN_WORDS) * 4, &engine->params) &&
        vulkan_buffer_create(engine->host, STATUS_WORDS * 4, &engine->status))
        return engine;
    vulkan_engine_destroy(engine);
    return NULL;
}

static void drop_imports(struct vulkan_engine *engine)
{
    for (uint32_t i = 0; i < engine->run_count; i++)
        vulkan_buffer_finish(engine->host, &engine->imports[i]);
    engine->run_count = 0;
    engine->version = 0;
}

void vulkan_engine_destroy(struct vulkan_engine *engine)
{
    if (!engine)
        return;
    if (engine->host) {
        drop_imports(engine);
        vulkan_buffer_finish(engine->host, &engine->params);
        vulkan_buffer_finish(engine->host, &engine->status);
        for (struct kept *k = engine->kept, *next; k; k = next) {
            next = k->next;
            vulkan_pipeline_destroy(engine->host, k->pipeline);
            free(k->words);
            free(k);
        }
    }
    vulkan_host_destroy(engine->host);
    spirv_library_destroy(engine->library);
    free(engine);
}

const char *vulkan_engine_name(const struct vulkan_engine *engine)
{
    return vulkan_host_facts(engine->host)->name;
}

/* The device works on guest memory where it lies: every run is imported, whole host pages of it. */
static bool import_memory(struct vulkan_engine *engine, struct mem_snapshot *snapshot, char reason[VULKAN_REASON_SIZE])
{
    uint64_t version = mem_snapshot_version(snapshot), page = vulkan_host_facts(engine->host)->import_alignment;
    struct mem_run run;
    if (engine->version == version)
        return true;
    drop_imports(engine);
    for (uint64_t at = 0; mem_snapshot_next(snapshot, at, &run); at = run.start + run.size) {
        if (engine->run_count == MAX_RUNS) {
            snprintf(reason, VULKAN_REASON_SIZE, "more than %d runs of memory are mapped", MAX_RUNS);
            return false;
        }
        struct vulkan_buffer *b = &engine->imports[engine->run_count];
        memset(b, 0, sizeof *b);
        uint64_t host = (uint64_t)(uintptr_t)run.host, first = host & ~(page - 1), end = (host + run.size + page - 1) & ~(page - 1);
        if (!run.discards && !vulkan_buffer_import(engine->host, (void *)(uintptr_t)first, end - first, b)) {
            snprintf(reason, VULKAN_REASON_SIZE, "the host device cannot import the memory at %#llx", (unsigned long long)run.start);
            return false;
        }
        b->address += host - first;
        engine->runs[engine->run_count++] = run;
        if (run.start + run.size == 0)
            break;
    }
    engine->version = version;
    return true;
}

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

/* COMPUTE_PGM_RSRC1's MODE, as the wave's register has it. */
static uint32_t mode_of(uint32_t rsrc1)
{
    return (rsrc1 >> 12 & 0xff) | (rsrc1 >> 21 & 1) << 8 | (rsrc1 >> 23 & 1) << 9;
}

static unsigned waves_of(const struct wave_dispatch *d)
{
    return (d->threads[0] * d->threads[1] * d->threads[2] + d->wave_size - 1) / d->wave_size;
}

static struct spirv_module *translate(struct vulkan_engine *engine, struct mem_snapshot *snapshot, const struct wave_dispatch *d,
                                      char reason[VULKAN_REASON_SIZE])
{
    enum { SHARED_VGPRS = 15, VGPRS = 63 };
    unsigned shared = d->wave_size == 64 ? d->rsrc3 & SHARED_VGPRS : 0;
    const struct lower_config config = {.chip = engine->chip, .wave_size = d->wave_size,
                                        .private_vgprs = shared ? ((d->rsrc1 & VGPRS) + 1) * 4 : 0};
    const struct lower_fetch from = {snapshot, fetch};
    const struct spirv_options options = {.subgroup = vulkan_host_facts(engine->host)->subgroup, .waves = waves_of(d),
                                          .mode = mode_of(d->rsrc1), .rsrc2 = d->rsrc2, .scratch_wave_bytes = d->scratch_wave_bytes,
                                          .gfx10_3 = (engine->chip & ISA_GFX10_3) != 0};
    struct ir_func *func = lower_program(&config, &from, d->program);
    snprintf(reason, VULKAN_REASON_SIZE, "out of memory");
    struct spirv_module *m = func ? spirv_module_create(engine->library, func, &options, reason) : NULL;
    ir_func_destroy(func);
    return m;
}

static struct vulkan_pipeline *pipeline_for(struct vulkan_engine *engine, struct spirv_module *m, uint32_t lds_words)
{
    for (struct kept *k = engine->kept; k; k = k->next)
        if (k->word_count == m->word_count && k->lds_words == lds_words && !memcmp(k->words, m->words, m->word_count * sizeof *m->words))
            return k->pipeline;
    struct kept *k = calloc(1, sizeof *k);
    struct vulkan_pipeline *pipeline = k ? vulkan_pipeline_create(engine->host, m->words, m->word_count, lds_words) : NULL;
    if (!pipeline) {
        free(k);
        return NULL;
    }
    *k = (struct kept){engine->kept, m->words, m->word_count, lds_words, pipeline};
    m->words = NULL; /* kept */
    engine->kept = k;
    return pipeline;
}

static void fill_params(struct vulkan_engine *engine, const struct wave_dispatch *d)
{
    enum { USER_SGPRS = 31, SIZE = 512 };
    uint32_t *w = engine->params.at;
    memset(w, 0, P_RUNS * sizeof *w);
    memcpy(w, d->user_data, (d->rsrc2 >> 1 & USER_SGPRS) * sizeof *w);
    w[IR_SHARED_BASE] = d->apertures.shared_base_hi;
    w[IR_PRIVATE_BASE] = d->apertures.private_base_hi;
    w[IR_STATUS] = 1u << 16 | (waves_of(d) > 1 ? 1u << 11 : 0);
    w[IR_GPR_ALLOC] = (d->rsrc1 & 63) << 8;
    w[IR_LDS_ALLOC] = (d->lds_bytes + SIZE - 1) / SIZE << 12 | (d->rsrc3 & 15) << 24;
    w[IR_SH_MEM_BASES] = (d->apertures.shared_base_hi & 0xffff0000u) | d->apertures.private_base_hi >> 16;
    memcpy(w + P_GROUPS, d->groups, sizeof d->groups);
    memcpy(w + P_THREADS, d->threads, sizeof d->threads);
    memcpy(w + P_LAST_THREADS, d->last_threads, sizeof d->last_threads);
    memcpy(w + P_FIRST_GROUP, d->first_group, sizeof d->first_group);
    w[P_WAVES] = waves_of(d);
    w[P_LDS_BYTES] = d->lds_bytes;
    w[P_BUDGET] = BUDGET;
    w[P_RUN_COUNT] = engine->run_count;
    for (uint32_t i = 0; i < engine->run_count; i++) {
        const uint64_t words[] = {engine->runs[i].start, engine->runs[i].size, engine->imports[i].address};
        memcpy(w + P_RUNS + i * P_RUN_WORDS, words, sizeof words);
        w[P_RUNS + i * P_RUN_WORDS + 6] = (engine->runs[i].writable ? 1u : 0) | (engine->runs[i].discards ? 2u : 0);
    }
}

static void describe(struct vulkan_engine *engine, struct mem_snapshot *snapshot, const struct wave_dispatch *d, struct wave_fault *fault)
{
    uint32_t words[LONGEST];
    struct isa_inst inst;
    size_t have = fetch(snapshot, fault->pc, words, LONGEST);
    if (have && isa_decode(engine->chip, d->wave_size, words, have, &inst) == ISA_OK)
        isa_print(&inst, engine->chip, d->wave_size, fault->pc, fault->text, sizeof fault->text);
}

/* The first record of each site, and all counts. */
static bool take_faults(struct vulkan_engine *engine, struct mem_snapshot *snapshot, const struct wave_dispatch *d,
                        const struct spirv_module *m, struct wave_result *result)
{
    const uint32_t *status = engine->status.at;
    uint32_t count = status[STATUS_COUNT] < STATUS_MAX ? status[STATUS_COUNT] : STATUS_MAX;
    result->faults = calloc(WAVE_MAX_FAULTS, sizeof *result->faults);
    for (unsigned kind = 0; kind < WAVE_FAULT_KIND_COUNT; kind++) {
        result->fault_count[kind] = status[STATUS_KINDS + kind];
        result->failed |= kind != WAVE_FAULT_LDS_RANGE && status[STATUS_KINDS + kind];
    }
    for (uint32_t i = 0; result->faults && i < count; i++) {
        const uint32_t *r = status + STATUS_RECORDS + i * STATUS_RECORD_WORDS;
        uint64_t pc = r[1] < m->site_count ? m->site_pc[r[1]] : 0;
        bool known = false;
        for (size_t n = 0; n < result->faults_kept; n++)
            known |= result->faults[n].kind == r[0] && result->faults[n].pc == pc;
        if (known)
            continue;
        struct wave_fault *fault = &result->faults[result->faults_kept++];
        *fault = (struct wave_fault){.kind = (enum wave_fault_kind)r[0], .pc = pc, .address = r[2] | (uint64_t)r[3] << 32,
                                     .lane = (int)r[4], .wave = r[6]};
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
    *reason = 0;
    if (waves_of(d) * facts->subgroup > facts->group_invocations)
        snprintf(reason, VULKAN_REASON_SIZE, "groups of %u waves", waves_of(d));
    else if (d->lds_bytes > facts->shared_bytes)
        snprintf(reason, VULKAN_REASON_SIZE, "%u bytes of local memory; the host device has %u", d->lds_bytes, facts->shared_bytes);
    else if (partial && d->rsrc2 >> 10 & 1)
        snprintf(reason, VULKAN_REASON_SIZE, "partial groups that are told their size");
    else if ((uint64_t)d->groups[0] * d->groups[1] * d->groups[2] > UINT32_MAX)
        snprintf(reason, VULKAN_REASON_SIZE, "too many groups");
    return !*reason;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* No more groups at once than the scratch ring has waves for. */
static bool run_groups(struct vulkan_engine *engine, const struct wave_dispatch *d, struct vulkan_pipeline *pipeline)
{
    uint32_t total = d->groups[0] * d->groups[1] * d->groups[2], step = total;
    if (d->scratch_waves && d->scratch_waves / waves_of(d) < step)
        step = d->scratch_waves / waves_of(d) ? d->scratch_waves / waves_of(d) : 1;
    for (uint32_t first = 0; first < total; first += step) {
        struct vulkan_run run = {.pipeline = pipeline, .buffers = {&engine->params, &engine->status}, .first_group = first,
                                 .group_count = total - first < step ? total - first : step};
        if (!vulkan_host_run(engine->host, &run))
            return false;
    }
    return true;
}

bool vulkan_engine_run(struct vulkan_engine *engine, struct mem_snapshot *snapshot, const struct wave_dispatch *d,
                       struct wave_result *result, char reason[VULKAN_REASON_SIZE])
{
    uint64_t groups = (uint64_t)d->groups[0] * d->groups[1] * d->groups[2];
    memset(result, 0, sizeof *result);
    if (!fits(engine, d, reason) || !import_memory(engine, snapshot, reason))
        return false;
    struct spirv_module *m = translate(engine, snapshot, d, reason);
    uint32_t lds_words = d->lds_bytes < 4 ? 1 : (d->lds_bytes + 3) / 4;
    struct vulkan_pipeline *pipeline = m ? pipeline_for(engine, m, lds_words) : NULL;
    if (m && !pipeline)
        snprintf(reason, VULKAN_REASON_SIZE, "the host device refuses the module");
    bool good = pipeline != NULL;
    if (good) {
        double start = now();
        fill_params(engine, d);
        memset(engine->status.at, 0, STATUS_WORDS * sizeof(uint32_t));
        good = run_groups(engine, d, pipeline) && take_faults(engine, snapshot, d, m, result);
        result->seconds = now() - start;
        result->tier = "spirv";
        result->groups = groups;
        result->waves = groups * waves_of(d);
        if (!good) { /* groups may have run: no other device can take over */
            result->failed = true;
            result->fault_count[WAVE_FAULT_HANG] = 1;
            good = true;
        }
    }
    spirv_module_destroy(m);
    return good;
}
