/* The Vulkan device: dispatches in place, and what becomes of them when the host's device, its memory or its compiler fails. Failures are put
 * in by standing in for the driver's functions. */
#include "vulkan/vulkan_device.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "vulkan/vulkan_internal.h"

enum { MEMORY_BYTES = 1 << 20, AT_CODE = 0x1000, AT_DATA = 0x8000, THREADS = 64, GROUPS = 4, WORDS = THREADS * GROUPS };

/* Assembled with llvm-mc for gfx1030. s[0:1]: an address; s2: threads of a group; s3: the group. */
static const uint32_t add_one[] = {
    0x93040203,             /* s_mul_i32 s4, s3, s2 */
    0x4a020004,             /* v_add_nc_u32 v1, s4, v0 */
    0x34040282,             /* v_lshlrev_b32 v2, 2, v1 */
    0xdc308000, 0x03000002, /* global_load_dword v3, v2, s[0:1] */
    0xbf8c3f70,             /* s_waitcnt vmcnt(0) */
    0x4a060681,             /* v_add_nc_u32 v3, 1, v3 */
    0xdc708000, 0x00000302, /* global_store_dword v2, v3, s[0:1] */
    0xbf810000,             /* s_endpgm */
};
static const uint32_t sleeps[] = {
    0xbf8e0001, /* s_sleep 1 */
    0xbf810000, /* s_endpgm */
};

/* 131072 rounds, then adds one: more than lavapipe gives. */
static const uint32_t long_loop[] = {
    0x93040203,             /* s_mul_i32 s4, s3, s2 */
    0x4a020004,             /* v_add_nc_u32 v1, s4, v0 */
    0x34040282,             /* v_lshlrev_b32 v2, 2, v1 */
    0xbe8503ff, 0x00020000, /* s_mov_b32 s5, 0x20000 */
    0x80858105,             /* s_sub_u32 s5, s5, 1 */
    0xbf078005,             /* s_cmp_lg_u32 s5, 0 */
    0xbf85fffd,             /* s_cbranch_scc1 -3 */
    0xdc308000, 0x03000002, /* global_load_dword v3, v2, s[0:1] */
    0xbf8c3f70,             /* s_waitcnt vmcnt(0) */
    0x4a060681,             /* v_add_nc_u32 v3, 1, v3 */
    0xdc708000, 0x00000302, /* global_store_dword v2, v3, s[0:1] */
    0xbf810000,             /* s_endpgm */
};

struct fixture {
    struct mem_space *space;
    uint64_t base;
    uint8_t *host;
    struct wave_memory memory;
    struct wave_cache *cache;
    struct wave_options wave_options;
    struct wave_engine *waves;
    struct device *cpu, *device;
    struct vulkan_engine *engine;
    struct vulkan_calls calls; /* the driver's own */
    struct device_result result;
    char log[1024];
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

static void put_code(struct fixture *f, const uint32_t *words, size_t bytes)
{
    memcpy(f->host + AT_CODE, words, bytes);
}

/* patient: whether pipelines are waited for. */
static struct fixture *make(bool patient)
{
    struct base_error why;
    char error[VULKAN_ERROR_SIZE];
    struct fixture *f = test_calloc(1, sizeof *f);
    const struct vulkan_engine_options options = {.chip = isa_chip_by_name("gfx1030"), .cache = ""};
    assert_non_null(f->space = mem_space_create(UINT64_C(1) << 32, &why));
    assert_true(mem_space_alloc(f->space, MEMORY_BYTES, 4096, NULL, 0, &f->base, &why));
    f->host = mem_space_pointer(f->space, f->base, MEMORY_BYTES);
    f->memory = (struct wave_memory){.user = f, .find = find_run};
    f->cache = wave_cache_create(options.chip, &f->memory);
    f->wave_options = (struct wave_options){.threads = 1, .timeout_s = 20};
    f->waves = wave_engine_create(f->cache, &f->wave_options);
    f->cpu = device_cpu_create(f->waves);
    f->engine = vulkan_engine_create(&options, error);
    if (!f->engine)
        fail_msg("%s", error);
    f->calls = vulkan_engine_host(f->engine)->vk;
    f->device = vulkan_device_create(
        &(struct vulkan_device_options){.engine = f->engine, .cpu = f->cpu, .patient = patient, .log = keep_line, .log_user = f});
    put_code(f, add_one, sizeof add_one);
    return f;
}

static int set_up(void **state)
{
    *state = make(true);
    return 0;
}

static int set_up_hasty(void **state)
{
    *state = make(false);
    return 0;
}

static struct vulkan_calls *driver(struct fixture *f)
{
    return &vulkan_engine_host(f->engine)->vk;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    *driver(f) = f->calls;
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
static struct device_dispatch dispatch_of(struct fixture *f)
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

static void run(struct fixture *f)
{
    struct device_dispatch dispatch = dispatch_of(f);
    const struct device_functions *functions = f->device->functions;
    struct base_error error;
    memset(&f->result, 0, sizeof f->result);
    struct device_prepared *prepared = functions->prepare(f->device, &dispatch, NULL, &error);
    assert_non_null(prepared);
    assert_true(functions->run(f->device, prepared, &f->result));
    mem_snapshot_release(dispatch.snapshot);
}

static void assert_words(const struct fixture *f, uint32_t expected)
{
    const uint32_t *words = (const uint32_t *)(const void *)(f->host + AT_DATA);
    for (unsigned n = 0; n < WORDS; n++)
        if (words[n] != expected)
            fail_msg("word %u is %u, not %u", n, words[n], expected);
    assert_int_equal(words[WORDS], 0);
}

struct counts {
    uint64_t here, elsewhere, failed;
    char reason[VULKAN_REASON_SIZE];
};

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

static struct counts counts_of(const struct fixture *f)
{
    struct counts counts = {0};
    f->device->functions->report(
        f->device, &(struct device_report_sink){.user = &counts, .program = count_program, .elsewhere = note_reason});
    return counts;
}

static void assert_elsewhere(const struct fixture *f, uint64_t here, uint64_t elsewhere, const char *reason)
{
    struct counts counts = counts_of(f);
    assert_int_equal(counts.here, here);
    assert_int_equal(counts.elsewhere, elsewhere);
    if (!strstr(counts.reason, reason))
        fail_msg("the reason is: %s", counts.reason);
}

/* ---- in place ---- */

static void a_dispatch_works_on_guest_memory_in_place(void **state)
{
    struct fixture *f = *state;
    run(f);
    run(f);
    assert_false(f->result.failed);
    assert_int_equal(f->result.groups, GROUPS);
    assert_int_equal(f->result.waves, GROUPS * THREADS / 32);
    assert_words(f, 2);
    assert_elsewhere(f, 2, 0, "");
}

static void code_that_has_changed_is_translated_anew(void **state)
{
    struct fixture *f = *state;
    uint32_t add_two[sizeof add_one / sizeof add_one[0]];
    memcpy(add_two, add_one, sizeof add_two);
    add_two[6] = 0x4a060682; /* v_add_nc_u32 v3, 2, v3 */
    run(f);
    put_code(f, add_two, sizeof add_two);
    run(f);
    put_code(f, add_one, sizeof add_one);
    run(f);
    assert_words(f, 4);
    assert_elsewhere(f, 3, 0, "");
}

static void memory_that_was_mapped_meanwhile_is_seen(void **state)
{
    struct fixture *f = *state;
    struct base_error why;
    uint64_t more;
    run(f);
    assert_true(mem_space_alloc(f->space, MEMORY_BYTES, 4096, NULL, 0, &more, &why));
    memcpy(mem_space_pointer(f->space, more, MEMORY_BYTES), f->host, MEMORY_BYTES);
    uint64_t before = f->base;
    f->base = more;
    run(f);
    assert_false(f->result.failed);
    assert_int_equal(((uint32_t *)mem_space_pointer(f->space, more + AT_DATA, 4))[0], 2);
    f->base = before;
    assert_words(f, 1);
}

static void an_access_outside_of_memory_fails_and_says_where(void **state)
{
    struct fixture *f = *state;
    uint32_t wild[sizeof add_one / sizeof add_one[0]];
    memcpy(wild, add_one, sizeof wild);
    wild[2] = 0x34040296; /* v_lshlrev_b32 v2, 22, v1 */
    put_code(f, wild, sizeof wild);
    run(f);
    assert_true(f->result.failed);
    assert_false(f->result.hung);
    assert_non_null(strstr(f->result.text, "read of unmapped memory"));
    assert_non_null(strstr(f->result.text, "global_load_dword"));
}

static void what_waits_for_other_waves_runs_on_the_cpu_device(void **state)
{
    struct fixture *f = *state;
    put_code(f, sleeps, sizeof sleeps);
    run(f);
    assert_false(f->result.failed);
    assert_int_equal(f->result.waves, GROUPS * THREADS / 32);
    assert_elsewhere(f, 0, 1, "waits for other waves");
}

/* ---- a host that ends loops early ---- */

static void a_dispatch_whose_loops_the_host_ends_early_fails_by_name_and_its_program_moves_to_the_cpu_device(void **state)
{
    struct fixture *f = *state;
    bool few = vulkan_host_facts(vulkan_engine_host(f->engine))->few_rounds;
    put_code(f, long_loop, sizeof long_loop);
    run(f);
    assert_int_equal(f->result.failed, few);
    if (few)
        assert_non_null(strstr(f->result.text, "more rounds of loops than the host device gives"));
    memset(f->host + AT_DATA, 0, WORDS * sizeof(uint32_t));
    run(f);
    assert_false(f->result.failed);
    assert_words(f, 1);
    assert_elsewhere(f, few ? 1 : 2, few, few ? "more rounds of loops" : "");
}

static void where_nobody_else_is_at_work_such_a_dispatch_has_not_happened(void **state)
{
    struct fixture *f = *state;
    struct device_dispatch dispatch = dispatch_of(f);
    struct vulkan_try try = {.patient = true, .alone = true};
    struct wave_result result;
    bool few = vulkan_host_facts(vulkan_engine_host(f->engine))->few_rounds;
    put_code(f, long_loop, sizeof long_loop);
    bool ran = vulkan_engine_run(f->engine, dispatch.snapshot, &dispatch.registers, &try, &result);
    vulkan_engine_leave(f->engine, &dispatch.registers, &try, ran ? &result : NULL, 0);
    wave_result_finish(&result);
    mem_snapshot_release(dispatch.snapshot);
    assert_int_equal(ran, !few);
    assert_words(f, few ? 0 : 1);
}

/* ---- failures ---- */

static VkResult submit_lost(VkQueue queue, uint32_t count, const VkSubmitInfo *submits, VkFence fence)
{
    (void)queue;
    (void)count;
    (void)submits;
    (void)fence;
    return VK_ERROR_DEVICE_LOST;
}

static VkResult submit_without_memory(VkQueue queue, uint32_t count, const VkSubmitInfo *submits, VkFence fence)
{
    (void)queue;
    (void)count;
    (void)submits;
    (void)fence;
    return VK_ERROR_OUT_OF_DEVICE_MEMORY;
}

/* What runs comes to its end, so that it may be taken down; only nobody is told. */
static PFN_vkWaitForFences real_wait;
static VkResult wait_lost(VkDevice device, uint32_t count, const VkFence *fences, VkBool32 all, uint64_t timeout)
{
    real_wait(device, count, fences, all, timeout);
    return VK_ERROR_DEVICE_LOST;
}

static VkResult allocate_nothing(VkDevice device, const VkMemoryAllocateInfo *info, const VkAllocationCallbacks *callbacks,
                                 VkDeviceMemory *memory)
{
    (void)device;
    (void)info;
    (void)callbacks;
    (void)memory;
    return VK_ERROR_OUT_OF_DEVICE_MEMORY;
}

static VkResult compile_result;
static VkResult compile_nothing(VkDevice device, VkPipelineCache cache, uint32_t count, const VkComputePipelineCreateInfo *infos,
                                const VkAllocationCallbacks *callbacks, VkPipeline *pipelines)
{
    (void)device;
    (void)cache;
    (void)count;
    (void)infos;
    (void)callbacks;
    (void)pipelines;
    return compile_result;
}

static void a_lost_device_fails_its_dispatch_by_name_and_the_cpu_device_carries_on(void **state)
{
    struct fixture *f = *state;
    run(f);
    driver(f)->vkQueueSubmit = submit_lost;
    run(f);
    assert_true(f->result.failed);
    assert_false(f->result.hung);
    assert_non_null(strstr(f->result.text, "the host device is lost"));
    assert_non_null(strstr(f->log, "! "));
    assert_non_null(strstr(f->log, "is lost; from now on the CPU device carries the work out"));
    *driver(f) = f->calls;
    run(f); /* a device that was lost stays so */
    assert_false(f->result.failed);
    assert_words(f, 2);
    assert_elsewhere(f, 2, 0, "the host device is lost");
    assert_int_equal(counts_of(f).failed, 1);
}

static void a_device_that_is_lost_while_it_works_is_the_same(void **state)
{
    struct fixture *f = *state;
    run(f);
    real_wait = f->calls.vkWaitForFences;
    driver(f)->vkWaitForFences = wait_lost;
    run(f);
    assert_true(f->result.failed);
    assert_non_null(strstr(f->result.text, "the host device is lost"));
    *driver(f) = f->calls;
    run(f);
    assert_false(f->result.failed);
}

static void a_dispatch_that_finds_no_memory_runs_on_the_cpu_device_once(void **state)
{
    struct fixture *f = *state;
    run(f);
    driver(f)->vkQueueSubmit = submit_without_memory;
    run(f);
    assert_false(f->result.failed);
    assert_words(f, 2);
    assert_elsewhere(f, 1, 1, "the host device is out of memory");
    *driver(f) = f->calls;
    run(f);
    assert_words(f, 3);
    assert_elsewhere(f, 2, 1, "");
    assert_string_equal(f->log, "");
}

static void memory_that_cannot_be_imported_leaves_the_work_to_the_cpu_device(void **state)
{
    struct fixture *f = *state;
    struct base_error why;
    uint64_t more;
    run(f);
    driver(f)->vkAllocateMemory = allocate_nothing;
    assert_true(mem_space_alloc(f->space, 4096, 4096, NULL, 0, &more, &why));
    run(f);
    assert_false(f->result.failed);
    assert_elsewhere(f, 1, 1, "cannot import the memory at");
    *driver(f) = f->calls;
    run(f);
    assert_words(f, 3);
    assert_elsewhere(f, 2, 1, "");
}

static void check_refusal(struct fixture *f, VkResult result, const char *reason)
{
    compile_result = result;
    driver(f)->vkCreateComputePipelines = compile_nothing;
    run(f);
    run(f);
    assert_false(f->result.failed);
    assert_words(f, 2);
    assert_elsewhere(f, 0, 2, reason);
}

static void a_module_that_the_driver_refuses_runs_on_the_cpu_device(void **state)
{
    check_refusal(*state, VK_ERROR_INITIALIZATION_FAILED, "the host device refuses the module");
}

static void a_compiler_out_of_memory_leaves_the_work_to_the_cpu_device(void **state)
{
    check_refusal(*state, VK_ERROR_OUT_OF_HOST_MEMORY, "the host device is out of memory");
}

/* ---- pipelines that are not ready ---- */

static struct {
    PFN_vkCreateComputePipelines real;
    atomic_bool held;
} slow;

static VkResult compile_slowly(VkDevice device, VkPipelineCache cache, uint32_t count, const VkComputePipelineCreateInfo *infos,
                               const VkAllocationCallbacks *callbacks, VkPipeline *pipelines)
{
    while (atomic_load(&slow.held))
        usleep(1000);
    return slow.real(device, cache, count, infos, callbacks, pipelines);
}

static void the_cpu_device_carries_dispatches_while_their_pipeline_is_compiled(void **state)
{
    enum { PATIENCE = 20000, PAUSE_US = 5000 };
    struct fixture *f = *state;
    uint32_t times = 0;
    slow.real = f->calls.vkCreateComputePipelines;
    atomic_store(&slow.held, true);
    driver(f)->vkCreateComputePipelines = compile_slowly;
    for (; times < 3; times++)
        run(f);
    assert_words(f, times);
    assert_elsewhere(f, 0, times, "its pipeline is not ready yet");
    atomic_store(&slow.held, false);
    for (; !counts_of(f).here && times < PATIENCE; times++) {
        run(f);
        usleep(PAUSE_US);
    }
    assert_words(f, times);
    assert_elsewhere(f, 1, times - 1, "");
}

static void an_engine_that_was_stopped_leaves_everything_to_the_cpu_device(void **state)
{
    struct fixture *f = *state;
    run(f);
    assert_true(vulkan_engine_stop(f->engine, 20));
    run(f);
    assert_false(f->result.failed);
    assert_words(f, 2);
    struct counts counts = counts_of(f);
    assert_int_equal(counts.here, 1);
    assert_string_equal(counts.reason, "the process ends");
}

int main(void)
{
#define TEST(name)  cmocka_unit_test_setup_teardown(name, set_up, tear_down)
#define HASTY(name) cmocka_unit_test_setup_teardown(name, set_up_hasty, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_dispatch_works_on_guest_memory_in_place),
        TEST(code_that_has_changed_is_translated_anew),
        TEST(memory_that_was_mapped_meanwhile_is_seen),
        TEST(an_access_outside_of_memory_fails_and_says_where),
        TEST(what_waits_for_other_waves_runs_on_the_cpu_device),
        TEST(a_dispatch_whose_loops_the_host_ends_early_fails_by_name_and_its_program_moves_to_the_cpu_device),
        TEST(where_nobody_else_is_at_work_such_a_dispatch_has_not_happened),
        TEST(a_lost_device_fails_its_dispatch_by_name_and_the_cpu_device_carries_on),
        TEST(a_device_that_is_lost_while_it_works_is_the_same),
        TEST(a_dispatch_that_finds_no_memory_runs_on_the_cpu_device_once),
        TEST(memory_that_cannot_be_imported_leaves_the_work_to_the_cpu_device),
        TEST(a_module_that_the_driver_refuses_runs_on_the_cpu_device),
        TEST(a_compiler_out_of_memory_leaves_the_work_to_the_cpu_device),
        HASTY(the_cpu_device_carries_dispatches_while_their_pipeline_is_compiled),
        TEST(an_engine_that_was_stopped_leaves_everything_to_the_cpu_device),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
