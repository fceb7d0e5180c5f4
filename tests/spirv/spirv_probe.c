/* wave_probe's interface on a host Vulkan device: instruction fixtures run through SPIR-V as they do on host waves. Programs that the emitter
 * refuses are counted by reason, which TENFOLD_REFUSALS=1 prints. */
#include "wave/wave_probe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xmmintrin.h>

#include "ir/ir.h"
#include "lower/lower.h"
#include "spirv/spirv.h"
#include "spirv/spirv_layout.h"
#include "spirv/spirv_validate.h"
#include "vulkan/vulkan_host.h"
#include "vulkan/vulkan_views.h"

enum {
    S_WORDS = 256,
    V_WORDS = WAVE_PROBE_VGPRS * 64,
    LDS_WORDS = 8192,
    GDS_MOST = 1 << 16,
    MEMORY_BYTES = 1 << 20,
    MOST_IMAGES = 16,
    PARAM_WORDS = 4096,
    BUDGET = 100000
};

/* What modules are made for: the host's own f32, one that may lose denormals, or one that flushes them and rounds fused products and sums once,
 * and perhaps is known to flush the same results as MODE. */
enum floats { AS_THE_HOST, LOSES, FLUSHES, FLUSHES_ALIKE };

static struct {
    enum floats floats;
    struct vulkan_host *host;
    struct spirv_library *library;
    struct vulkan_buffer params, status, registers, share, gds, memory, views;
    bool show, validate;
} it;

/* Threads begin with what their makers' processors do with denormals: those of a host that is made meanwhile flush them. */
static struct vulkan_host *make_host(bool flushes, struct vulkan_failure *failure)
{
    enum { INPUTS_ARE_ZEROS = 1 << 6, RESULTS_ARE_ZEROS = 1 << 15 };
    unsigned before = _mm_getcsr();
    if (flushes)
        _mm_setcsr(before | INPUTS_ARE_ZEROS | RESULTS_ARE_ZEROS);
    struct vulkan_host *host = vulkan_host_create(getenv("TENFOLD_TEST_VULKAN"), failure);
    _mm_setcsr(before);
    return host;
}

static bool open_host(void)
{
    struct vulkan_failure failure;
    const char *denormals = getenv("TENFOLD_DENORMALS");
    if (it.host)
        return true;
    it.floats = !denormals                      ? AS_THE_HOST
                : !strcmp(denormals, "flushed") ? FLUSHES
                : !strcmp(denormals, "alike")   ? FLUSHES_ALIKE
                                                : LOSES;
    it.show = getenv("TENFOLD_REFUSALS") != NULL;
    it.validate = !getenv("TENFOLD_NO_VALIDATION");
    it.library = spirv_library_create();
    it.host = make_host(it.floats >= FLUSHES, &failure);
    if (!it.host)
        fprintf(stderr, "no Vulkan device: %s\n", failure.text);
    return it.host && it.library && vulkan_buffer_create(it.host, PARAM_WORDS * 4, &it.params) &&
           vulkan_buffer_create(it.host, STATUS_WORDS * 4, &it.status) &&
           vulkan_buffer_create(it.host, (S_WORDS + V_WORDS) * 4, &it.registers) &&
           vulkan_buffer_create(it.host, LDS_WORDS * 4, &it.share) && vulkan_buffer_create(it.host, GDS_MOST, &it.gds) &&
           vulkan_buffer_create(it.host, MEMORY_BYTES, &it.memory) &&
           vulkan_buffer_create(it.host, vulkan_views_words(MOST_IMAGES) * 4, &it.views);
}

const char *const *wave_probe_tiers(void)
{
    static const char *const names[] = {"vulkan", NULL};
    return names;
}

static size_t fetch(void *user, uint64_t pc, uint32_t *words, size_t count)
{
    const struct wave_memory *memory = user;
    struct wave_run run;
    if (memory->find(memory->user, pc, &run) != WAVE_DONE)
        return 0;
    size_t there = (size_t)(run.start + run.size - pc) / 4;
    count = count < there ? count : there;
    memcpy(words, run.host + (pc - run.start), count * 4);
    return count;
}

static void refuse(const struct wave_probe *probe, const char *reason)
{
    if (it.show)
        printf("refused: %s\n", reason);
    if (probe->refused)
        *probe->refused = true;
}

static bool read_nothing(void *user, uint64_t address, uint32_t *word)
{
    (void)user, (void)address, (void)word;
    return false;
}

/* Where put_memory puts the runs. */
static uint64_t place(void *user, uint64_t start, uint64_t size, bool stores)
{
    const struct wave_probe *probe = user;
    uint64_t at = 0;
    (void)stores; /* all of them can be stored to */
    for (size_t i = 0; i < probe->run_count; i++) {
        uint64_t inside = start - probe->runs[i].start;
        if (inside < probe->runs[i].size && size <= probe->runs[i].size - inside)
            return it.memory.address + at + inside;
        at += (probe->runs[i].size + 63) & ~UINT64_C(63);
    }
    return 0;
}

static void pick(const uint32_t *words, const uint32_t *steps, unsigned count, uint32_t *out)
{
    for (unsigned n = 0; n < count; n++)
        out[n] = steps[n] == SPIRV_NO_STEP ? 0 : words[steps[n]];
}

/* A fixture's descriptors are in the registers that it begins with. Why there is no view; NULL: there is one. */
static const char *put_view(const struct wave_probe *probe, const struct spirv_module *m, uint32_t number, const uint32_t *words,
                            uint32_t *forms)
{
    const struct vulkan_view_memory memory = {(void *)(uintptr_t)probe, place};
    struct vulkan_view_source source = {
        .memory = &memory, .config = vulkan_views_config(probe->chip), .image = &m->images[number], .forms = forms};
    struct image_view view;
    pick(words, m->images[number].descriptor, 8, source.descriptor);
    pick(words, m->images[number].sampler, 4, source.sampler);
    const char *refusal = vulkan_views_put(it.views.at, number, &source, &view);
    return refusal ? refusal : view.format && view.compressed && !source.image->says ? "an image with metadata" : NULL;
}

static bool put_views(const struct wave_probe *probe, const struct spirv_module *m, uint32_t *forms)
{
    uint32_t words[SPIRV_MAX_STEPS];
    const struct spirv_recipe_source source = {.scalars = probe->s, .read = read_nothing};
    const char *refusal = m->image_count > MOST_IMAGES                                    ? "too many images"
                          : !spirv_recipe_follow(m->steps, m->step_count, &source, words) ? "a descriptor from memory"
                                                                                          : NULL;
    if (m->image_count)
        vulkan_views_begin(it.views.at);
    for (uint32_t n = 0; n < m->image_count && !refusal; n++)
        refusal = put_view(probe, m, n, words, forms);
    if (refusal)
        refuse(probe, refusal);
    return !refusal;
}

static uint8_t denormals(void)
{
    return it.floats >= FLUSHES ? SPIRV_DENORMALS_FLUSHED
           : it.floats == LOSES ? SPIRV_DENORMALS_LOST
                                : vulkan_host_facts(it.host)->denormals;
}

static struct spirv_module *translate_for(const struct wave_probe *probe, uint32_t forms)
{
    const struct lower_config config = {
        .chip = probe->chip, .wave_size = probe->wave_size, .private_vgprs = probe->private_vgprs};
    const struct lower_fetch from = {(void *)(uintptr_t)probe->memory, fetch};
    const struct spirv_options options = {.subgroup = vulkan_host_facts(it.host)->subgroup,
                                          .waves = 1,
                                          .mode = probe->s[IR_MODE],
                                          .vgprs = WAVE_PROBE_VGPRS,
                                          .forms = forms | (it.floats >= FLUSHES ? (uint32_t)SPIRV_FORM_ONCE : 0),
                                          .denormals = denormals(),
                                          .fused = it.floats >= FLUSHES || vulkan_host_facts(it.host)->fused,
                                          .alike = it.floats == FLUSHES_ALIKE || vulkan_host_facts(it.host)->alike,
                                          .narrow = vulkan_host_facts(it.host)->narrow,
                                          .registers = true};
    struct ir_func *func = lower_program(&config, &from, probe->program);
    char reason[SPIRV_REASON_SIZE];
    for (uint32_t n = 0; func && n < func->block_count; n++)
        if (func->blocks[n].term == IR_TERM_END) {
            refuse(probe, "an end of the wave, where modules keep no registers");
            ir_func_destroy(func);
            return NULL;
        }
    struct spirv_module *m = func ? spirv_module_create(it.library, func, &options, reason) : NULL;
    if (!m)
        refuse(probe, func ? reason : "out of memory");
    ir_func_destroy(func);
    return m;
}

/* A module for what the fixture's images are. */
static struct spirv_module *translate(const struct wave_probe *probe)
{
    uint32_t forms = 0, had;
    struct spirv_module *m;
    bool good;
    do {
        had = forms;
        m = translate_for(probe, forms);
        good = m && put_views(probe, m, &forms);
        if (!good || forms != had) {
            spirv_module_destroy(m);
            m = NULL;
        }
    } while (good && forms != had);
    return m;
}

/* The runs side by side in one buffer, and the table that says where each lies. */
static bool put_memory(const struct wave_probe *probe)
{
    uint32_t *w = it.params.at;
    uint64_t at = 0;
    memset(w, 0, PARAM_WORDS * 4);
    memcpy(w, probe->s, IR_S_TEMP * 4);
    w[P_WAVES] = 1;
    w[P_LDS_BYTES] = probe->lds_bytes;
    w[P_BUDGET] = BUDGET;
    w[P_FIRST_ROUNDS] = BUDGET_FIRST;
    w[P_RUN_COUNT] = (uint32_t)probe->run_count;
    const uint64_t table = it.params.address + P_RUNS * sizeof *w;
    memcpy(w + P_TABLE, &table, sizeof table);
    memcpy(w + P_VIEWS, &it.views.address, sizeof it.views.address);
    memcpy(w + P_GDS, &it.gds.address, sizeof it.gds.address);
    w[P_GDS_BYTES] = probe->gds_bytes;
    if (probe->gds)
        memcpy(it.gds.at, probe->gds, probe->gds_bytes);
    for (size_t i = 0; i < probe->run_count; i++) {
        const struct wave_run *run = &probe->runs[i];
        uint32_t *entry = w + P_RUNS + i * P_RUN_WORDS;
        uint64_t device = it.memory.address + at;
        const uint64_t words[] = {run->start, run->size, device};
        if (at + run->size > MEMORY_BYTES)
            return false;
        memcpy(entry, words, sizeof words);
        entry[6] = 1;
        memcpy((uint8_t *)it.memory.at + at, run->host, run->size);
        at += (run->size + 63) & ~UINT64_C(63);
    }
    return true;
}

static void get_memory(const struct wave_probe *probe)
{
    uint64_t at = 0;
    for (size_t i = 0; i < probe->run_count; i++) {
        memcpy(probe->runs[i].host, (uint8_t *)it.memory.at + at, probe->runs[i].size);
        at += (probe->runs[i].size + 63) & ~UINT64_C(63);
    }
}

static void get_faults(struct wave_result *result)
{
    const uint32_t *status = it.status.at;
    for (unsigned kind = 0; kind < WAVE_FAULT_KIND_COUNT; kind++)
        result->fault_count[kind] = status[STATUS_KINDS + kind];
}

static bool run_module(const struct wave_probe *probe, struct spirv_module *m, struct wave_result *result)
{
    uint32_t *registers = it.registers.at, lds_words = (probe->lds_bytes + 3) / 4;
    char error[256];
    if (it.validate && !spirv_validate(m->words, m->word_count, error, sizeof error)) {
        printf("invalid module: %s\n", error);
        return false;
    }
    struct vulkan_pipeline *pipeline = vulkan_pipeline_create(it.host, m->words, m->word_count, lds_words ? lds_words : 1, NULL);
    if (!pipeline)
        return false;
    memcpy(registers, probe->s, IR_S_TEMP * 4);
    registers[IR_SHARED_BASE] = probe->apertures.shared_base_hi;
    registers[IR_PRIVATE_BASE] = probe->apertures.private_base_hi;
    memcpy(registers + S_WORDS, probe->v, (size_t)WAVE_PROBE_VGPRS * probe->wave_size * 4);
    memcpy(it.share.at, probe->lds, lds_words * 4);
    memset(it.status.at, 0, STATUS_WORDS * 4);
    const struct vulkan_run run = {
        .pipeline = pipeline, .buffers = {&it.params, &it.status, &it.registers, &it.share}, .count = {1, 1, 1}};
    bool good = vulkan_host_run(it.host, &run) == VULKAN_DONE;
    if (((const uint32_t *)it.status.at)[STATUS_VIEWS])
        printf("a module met another descriptor than its registers hold\n");
    good &= !((const uint32_t *)it.status.at)[STATUS_VIEWS];
    uint32_t shared_base = probe->s[IR_SHARED_BASE], private_base = probe->s[IR_PRIVATE_BASE];
    memcpy(probe->s, registers, IR_S_TEMP * 4);
    probe->s[IR_SHARED_BASE] = shared_base;
    probe->s[IR_PRIVATE_BASE] = private_base;
    memcpy(probe->v, registers + S_WORDS, (size_t)WAVE_PROBE_VGPRS * probe->wave_size * 4);
    memcpy(probe->lds, it.share.at, lds_words * 4);
    if (probe->gds)
        memcpy(probe->gds, it.gds.at, probe->gds_bytes);
    get_memory(probe);
    get_faults(result);
    vulkan_pipeline_destroy(it.host, pipeline);
    return good;
}

bool wave_probe_run(const struct wave_probe *probe, struct wave_result *result)
{
    memset(result, 0, sizeof *result);
    if (!open_host())
        return false;
    if (probe->gds_bytes > GDS_MOST || probe->lds_bytes > LDS_WORDS * 4) {
        refuse(probe, "more than 32 KiB of the local share");
        return true;
    }
    struct spirv_module *m = translate(probe);
    bool good = !m || (put_memory(probe) && run_module(probe, m, result));
    spirv_module_destroy(m);
    return good;
}
