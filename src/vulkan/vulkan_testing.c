/* vulkan_testing: a device with all that it needs. */
#include "vulkan/vulkan_testing.h"

#include "vulkan/vulkan_engine.h"

/* Assembled with llvm-mc. */
const uint32_t testing_copy_all[TESTING_COPY_WORDS] = {
    0x8f098608,             /* s_lshl_b32 s9, s8, 6 */
    0x4a020009,             /* v_add_nc_u32 v1, s9, v0 */
    0x34040282,             /* v_lshlrev_b32 v2, 2, v1 */
    0xdc308000, 0x04040002, /* global_load_dword v4, v2, s[4:5] */
    0xbf8c3f70,             /* s_waitcnt vmcnt(0) */
    0xdc708000, 0x00000402, /* global_store_dword v2, v4, s[0:1] */
    0xbf810000,             /* s_endpgm */
};

enum vulkan_memory testing_memory = VULKAN_MEMORY_SHARED;
bool testing_staged;

void testing_choose(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "shared";
    testing_staged = !strcmp(how, "staged");
    if (strcmp(how, "shared") != 0)
        testing_memory = VULKAN_MEMORY_MIRRORED;
}

const uint32_t testing_add_one[ADD_ONE_WORDS] = {
    0x93040203,             /* s_mul_i32 s4, s3, s2 */
    0x4a020004,             /* v_add_nc_u32 v1, s4, v0 */
    0x34040282,             /* v_lshlrev_b32 v2, 2, v1 */
    0xdc308000, 0x03000002, /* global_load_dword v3, v2, s[0:1] */
    0xbf8c3f70,             /* s_waitcnt vmcnt(0) */
    0x4a060681,             /* v_add_nc_u32 v3, 1, v3 */
    0xdc708000, 0x00000302, /* global_store_dword v2, v3, s[0:1] */
    0xbf810000,             /* s_endpgm */
};

const uint32_t testing_store_even[TESTING_EVEN_WORDS] = {
    0x93040203,             /* s_mul_i32 s4, s3, s2 */
    0x4a020004,             /* v_add_nc_u32 v1, s4, v0 */
    0x34040282,             /* v_lshlrev_b32 v2, 2, v1 */
    0x36060081,             /* v_and_b32 v3, 1, v0 */
    0x4a0802ff, 0x00000100, /* v_add_nc_u32 v4, 0x100, v1 */
    0x7d840680,             /* v_cmp_eq_u32 vcc_lo, 0, v3 */
    0x877e6a7e,             /* s_and_b32 exec_lo, exec_lo, vcc_lo */
    0xdc708000, 0x00000402, /* global_store_dword v2, v4, s[0:1] */
    0xbf810000,             /* s_endpgm */
};

const uint32_t testing_store_all[TESTING_ALL_WORDS] = {
    0x93040203,             /* s_mul_i32 s4, s3, s2 */
    0x4a020004,             /* v_add_nc_u32 v1, s4, v0 */
    0x34040282,             /* v_lshlrev_b32 v2, 2, v1 */
    0x4a0802ff, 0x00000100, /* v_add_nc_u32 v4, 0x100, v1 */
    0xdc708000, 0x00000402, /* global_store_dword v2, v4, s[0:1] */
    0xbf810000,             /* s_endpgm */
};

const uint32_t testing_store_one_word[TESTING_ALL_WORDS] = {
    0x93040203,             /* s_mul_i32 s4, s3, s2 */
    0x4a020004,             /* v_add_nc_u32 v1, s4, v0 */
    0x34040282,             /* v_lshlrev_b32 v2, 2, v1 */
    0x7e0802ff, 0x00005eed, /* v_mov_b32 v4, 0x5eed */
    0xdc708000, 0x00000402, /* global_store_dword v2, v4, s[0:1] */
    0xbf810000,             /* s_endpgm */
};

static enum wave_outcome find_run(void *user, uint64_t address, struct wave_run *run)
{
    struct fixture *f = user;
    if (address < f->base || address - f->base >= MEMORY_BYTES)
        return WAVE_UNMAPPED;
    *run = (struct wave_run){f->base, MEMORY_BYTES, f->host, true, false};
    return WAVE_DONE;
}

static void keep_line(void *user, bool serious, const char *text)
{
    struct fixture *f = user;
    size_t used = strlen(f->log);
    snprintf(f->log + used, sizeof f->log - used, "%s%s\n", serious ? "! " : "", text);
}

void testing_put_code(struct fixture *f, const uint32_t *words, size_t bytes)
{
    memcpy(f->host + AT_CODE, words, bytes);
}

/* patient: whether pipelines are waited for. */
struct fixture *testing_make(bool patient)
{
    struct base_error why;
    struct vulkan_failure failure;
    struct fixture *f = test_calloc(1, sizeof *f);
    const struct vulkan_engine_options options = {
        .chip = isa_chip_by_name("gfx1030"), .memory = testing_memory, .staged = testing_staged, .cache = ""};
    assert_non_null(f->space = mem_space_create(UINT64_C(1) << 32, &why));
    mem_space_name_origins(f->space);
    assert_true(mem_space_alloc(f->space, MEMORY_BYTES, 4096, NULL, 0, &f->base, &why));
    f->host = mem_space_pointer(f->space, f->base, MEMORY_BYTES);
    f->memory = (struct wave_memory){.user = f, .find = find_run};
    f->cache = wave_cache_create(options.chip, &f->memory);
    f->wave_options = (struct wave_options){.threads = 1, .timeout_s = 20};
    f->waves = wave_engine_create(f->cache, &f->wave_options);
    f->cpu = device_cpu_create(f->waves);
    f->engine = vulkan_engine_create(&options, &failure);
    if (!f->engine)
        fail_msg("%s", failure.text);
    f->calls = vulkan_engine_host(f->engine)->vk;
    f->device = vulkan_device_create(
        &(struct vulkan_device_options){.engine = f->engine, .cpu = f->cpu, .patient = patient, .log = keep_line, .log_user = f});
    testing_put_code(f, testing_add_one, sizeof testing_add_one);
    return f;
}

int testing_set_up(void **state)
{
    *state = testing_make(true);
    return 0;
}

struct vulkan_calls *testing_driver(struct fixture *f)
{
    return &vulkan_engine_host(f->engine)->vk;
}

int testing_tear_down(void **state)
{
    struct fixture *f = *state;
    *testing_driver(f) = f->calls;
    device_destroy(f->device);
    vulkan_engine_destroy(f->engine);
    device_destroy(f->cpu);
    wave_engine_destroy(f->waves);
    wave_cache_destroy(f->cache);
    mem_space_destroy(f->space);
    test_free(f);
    return 0;
}

/* A dispatch of the code, each with an epoch of its own, on the words at AT_DATA. */
struct device_dispatch testing_dispatch(struct fixture *f)
{
    enum { VGPRS_8 = 1, FLOAT_MODE = 0xc0 << 12, USER_SGPRS_3 = 3 << 1, TGID_X = 1 << 7 };
    static uint64_t epoch;
    uint64_t data = f->base + AT_DATA;
    return (struct device_dispatch){.registers = {.program = f->base + AT_CODE,
                                                  .rsrc1 = VGPRS_8 | FLOAT_MODE,
                                                  .rsrc2 = USER_SGPRS_3 | TGID_X,
                                                  .user_data = {(uint32_t)data, (uint32_t)(data >> 32), THREADS},
                                                  .groups = {GROUPS, 1, 1},
                                                  .threads = {THREADS, 1, 1},
                                                  .last_threads = {THREADS, 1, 1},
                                                  .wave_size = 32,
                                                  .code_epoch = ++epoch,
                                                  .timeout_s = 20},
                                    .snapshot = mem_snapshot_acquire(f->space)};
}

void testing_changed(struct fixture *f, struct device_range range)
{
    if (f->device->functions->changed)
        f->device->functions->changed(f->device, range);
}

void testing_settle(struct fixture *f, struct device_range range)
{
    struct mem_snapshot *snapshot = mem_snapshot_acquire(f->space);
    if (f->device->functions->settle)
        f->device->functions->settle(f->device, snapshot, range);
    mem_snapshot_release(snapshot);
}

void testing_run_only(struct fixture *f, struct device_dispatch *dispatch)
{
    const struct device_functions *functions = f->device->functions;
    struct base_error error;
    memset(&f->result, 0, sizeof f->result);
    struct device_prepared *prepared = functions->prepare(f->device, dispatch, NULL, &error);
    assert_non_null(prepared);
    assert_true(functions->run(f->device, prepared, &f->result));
    mem_snapshot_release(dispatch->snapshot);
}

void testing_run_code(struct fixture *f, const uint32_t *code, size_t bytes)
{
    struct device_dispatch dispatch = testing_dispatch(f);
    testing_put_code(f, code, bytes);
    testing_run_only(f, &dispatch);
    assert_false(f->result.failed);
}

struct device_dispatch testing_dispatch_on(struct fixture *f, const uint64_t pairs[4], uint32_t groups, uint32_t threads)
{
    enum { USER_SGPRS_8 = 8 << 1, TGID_X = 1 << 7 };
    struct device_dispatch dispatch = testing_dispatch(f);
    struct wave_dispatch *d = &dispatch.registers;
    d->rsrc2 = USER_SGPRS_8 | TGID_X;
    memcpy(d->user_data, pairs, 4 * sizeof *pairs);
    d->groups[0] = groups;
    d->threads[0] = d->last_threads[0] = threads;
    return dispatch;
}

void testing_run_on(struct fixture *f, const uint64_t pairs[4], uint32_t groups, uint32_t threads)
{
    struct device_dispatch dispatch = testing_dispatch_on(f, pairs, groups, threads);
    testing_run_only(f, &dispatch);
}

void testing_run(struct fixture *f)
{
    struct device_dispatch dispatch = testing_dispatch(f);
    testing_changed(f, DEVICE_EVERYTHING);
    testing_run_only(f, &dispatch);
    testing_settle(f, DEVICE_EVERYTHING);
}

uint32_t *testing_words(const struct fixture *f)
{
    return (uint32_t *)(void *)(f->host + AT_DATA);
}

void testing_assert_words(const struct fixture *f, uint32_t expected)
{
    const uint32_t *words = (const uint32_t *)(const void *)(f->host + AT_DATA);
    for (unsigned n = 0; n < WORDS; n++)
        if (words[n] != expected)
            fail_msg("word %u is %u, not %u", n, words[n], expected);
    assert_int_equal(words[WORDS], 0);
}

void testing_put_pattern(struct fixture *f)
{
    for (unsigned n = 0; n < 2 * WORDS; n++)
        testing_words(f)[n] = PATTERN + n;
}

bool testing_stores_even(unsigned n)
{
    return n < WORDS && n % 2 == 0;
}

static uint32_t *allocate(struct fixture *f, uint64_t *at)
{
    struct base_error why;
    assert_true(mem_space_alloc(f->space, REGION, PAGE, NULL, 0, at, &why));
    return mem_space_pointer(f->space, *at, REGION);
}

struct testing_regions testing_make_regions(struct fixture *f)
{
    struct testing_regions r = {.f = f};
    r.data_words = allocate(f, &r.data);
    r.table_words = allocate(f, &r.table);
    r.out_words = allocate(f, &r.out);
    for (uint32_t n = 0; n < REGION_WORDS; n++)
        r.data_words[n] = PATTERN + n;
    return r;
}

const struct vulkan_bound *testing_bound_at(const struct fixture *f, uint64_t address)
{
    const struct vulkan_binding *binding = &f->engine->binding;
    for (uint32_t n = 0; n < binding->count; n++)
        if (address - binding->bounds[n].range.start < binding->bounds[n].range.size)
            return &binding->bounds[n];
    fail_msg("nothing is bound at 0x%llx", (unsigned long long)address);
    return NULL;
}

static void count_program(void *user, const struct device_program_total *total)
{
    struct counts *counts = user;
    counts->here += total->dispatches;
    counts->failed += total->failed;
    counts->elsewhere += total->elsewhere;
}

static void note_reason(void *user, const char *reason, uint64_t times)
{
    struct counts *counts = user;
    assert_true(times > 0);
    snprintf(counts->reason, sizeof counts->reason, "%s", reason); /* the last one */
}

struct counts testing_counts(const struct fixture *f)
{
    struct counts counts = {0};
    f->device->functions->report(
        f->device, &(struct device_report_sink){.user = &counts, .program = count_program, .elsewhere = note_reason});
    return counts;
}

void testing_assert_elsewhere(const struct fixture *f, uint64_t here, uint64_t elsewhere, const char *reason)
{
    struct counts counts = testing_counts(f);
    assert_int_equal(counts.here, here);
    assert_int_equal(counts.elsewhere, elsewhere);
    if (!strstr(counts.reason, reason))
        fail_msg("the reason is: %s", counts.reason);
}
