/* The Vulkan device: dispatches, and what becomes of them when the host's device, its memory or its compiler fails; with the argument
 * `mirrored` or `staged`, on copies of memory. Failures are put in by standing in for the driver's functions. */
#include <stdatomic.h>
#include <unistd.h>

#include "vulkan/vulkan_testing.h"

/* Assembled with llvm-mc for gfx1030. */
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

static int set_up_hasty(void **state)
{
    *state = testing_make(false);
    return 0;
}

/* ---- in place ---- */

static void a_dispatch_works_on_guest_memory(void **state)
{
    struct fixture *f = *state;
    testing_run(f);
    testing_run(f);
    assert_false(f->result.failed);
    assert_int_equal(f->result.groups, GROUPS);
    assert_int_equal(f->result.waves, GROUPS * THREADS / 32);
    testing_assert_words(f, 2);
    testing_assert_elsewhere(f, 2, 0, "");
}

static void code_that_has_changed_is_translated_anew(void **state)
{
    struct fixture *f = *state;
    uint32_t add_two[sizeof testing_add_one / sizeof testing_add_one[0]];
    memcpy(add_two, testing_add_one, sizeof add_two);
    add_two[6] = 0x4a060682; /* v_add_nc_u32 v3, 2, v3 */
    testing_run(f);
    testing_put_code(f, add_two, sizeof add_two);
    testing_run(f);
    testing_put_code(f, testing_add_one, sizeof testing_add_one);
    testing_run(f);
    testing_assert_words(f, 4);
    testing_assert_elsewhere(f, 3, 0, "");
}

static void memory_that_was_mapped_meanwhile_is_seen(void **state)
{
    struct fixture *f = *state;
    struct base_error why;
    uint64_t more;
    testing_run(f);
    assert_true(mem_space_alloc(f->space, MEMORY_BYTES, 4096, NULL, 0, &more, &why));
    memcpy(mem_space_pointer(f->space, more, MEMORY_BYTES), f->host, MEMORY_BYTES);
    uint64_t before = f->base;
    f->base = more;
    testing_run(f);
    assert_false(f->result.failed);
    assert_int_equal(((uint32_t *)mem_space_pointer(f->space, more + AT_DATA, 4))[0], 2);
    f->base = before;
    testing_assert_words(f, 1);
}

static void an_access_outside_of_memory_fails_and_says_where(void **state)
{
    struct fixture *f = *state;
    uint32_t wild[sizeof testing_add_one / sizeof testing_add_one[0]];
    memcpy(wild, testing_add_one, sizeof wild);
    wild[2] = 0x34040296; /* v_lshlrev_b32 v2, 22, v1 */
    testing_put_code(f, wild, sizeof wild);
    testing_run(f);
    assert_true(f->result.failed);
    assert_false(f->result.hung);
    assert_non_null(strstr(f->result.text, "read of unmapped memory"));
    assert_non_null(strstr(f->result.text, "global_load_dword"));
}

static void what_waits_for_other_waves_runs_on_the_cpu_device(void **state)
{
    struct fixture *f = *state;
    testing_put_code(f, sleeps, sizeof sleeps);
    testing_run(f);
    assert_false(f->result.failed);
    assert_int_equal(f->result.waves, GROUPS * THREADS / 32);
    testing_assert_elsewhere(f, 0, 1, "waits for other waves");
}

/* ---- a host that ends loops early ---- */

static void a_dispatch_whose_loops_the_host_ends_early_fails_by_name_and_its_program_moves_to_the_cpu_device(void **state)
{
    struct fixture *f = *state;
    bool few = vulkan_host_facts(vulkan_engine_host(f->engine))->few_rounds;
    testing_put_code(f, long_loop, sizeof long_loop);
    testing_run(f);
    assert_int_equal(f->result.failed, few);
    if (few)
        assert_non_null(strstr(f->result.text, "more rounds of loops than the host device gives"));
    memset(f->host + AT_DATA, 0, WORDS * sizeof(uint32_t));
    testing_run(f);
    assert_false(f->result.failed);
    testing_assert_words(f, 1);
    testing_assert_elsewhere(f, few ? 1 : 2, few, few ? "more rounds of loops" : "");
}

static void where_nobody_else_is_at_work_such_a_dispatch_has_not_happened(void **state)
{
    struct fixture *f = *state;
    struct device_dispatch dispatch = testing_dispatch(f);
    struct vulkan_try try = {.patient = true, .alone = true};
    struct wave_result result;
    bool few = vulkan_host_facts(vulkan_engine_host(f->engine))->few_rounds;
    testing_put_code(f, long_loop, sizeof long_loop);
    bool ran = vulkan_engine_run(f->engine, dispatch.snapshot, &dispatch.registers, &try, &result);
    vulkan_engine_leave(f->engine, &dispatch.registers, &try, ran ? &result : NULL, 0);
    wave_result_finish(&result);
    mem_snapshot_release(dispatch.snapshot);
    assert_int_equal(ran, !few);
    if (!few)
        testing_settle(f, DEVICE_EVERYTHING);
    testing_assert_words(f, few ? 0 : 1);
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
    testing_run(f);
    testing_driver(f)->vkQueueSubmit = submit_lost;
    testing_run(f);
    assert_true(f->result.failed);
    assert_false(f->result.hung);
    assert_non_null(strstr(f->result.text, "the host device is lost"));
    assert_non_null(strstr(f->log, "! "));
    assert_non_null(strstr(f->log, "is lost; from now on the CPU device carries the work out"));
    *testing_driver(f) = f->calls;
    testing_run(f); /* a device that was lost stays so */
    assert_false(f->result.failed);
    testing_assert_words(f, 2);
    testing_assert_elsewhere(f, 2, 0, "the host device is lost");
    assert_int_equal(testing_counts(f).failed, 1);
}

static void a_device_that_is_lost_while_it_works_is_the_same(void **state)
{
    struct fixture *f = *state;
    testing_run(f);
    real_wait = f->calls.vkWaitForFences;
    testing_driver(f)->vkWaitForFences = wait_lost;
    testing_run(f);
    assert_true(f->result.failed);
    assert_non_null(strstr(f->result.text, "the host device is lost"));
    *testing_driver(f) = f->calls;
    testing_run(f);
    assert_false(f->result.failed);
}

static void a_dispatch_that_finds_no_memory_runs_on_the_cpu_device_once(void **state)
{
    struct fixture *f = *state;
    testing_run(f);
    testing_driver(f)->vkQueueSubmit = submit_without_memory;
    testing_run(f);
    assert_false(f->result.failed);
    testing_assert_words(f, 2);
    testing_assert_elsewhere(f, 1, 1, "the host device is out of memory");
    *testing_driver(f) = f->calls;
    testing_run(f);
    testing_assert_words(f, 3);
    testing_assert_elsewhere(f, 2, 1, "");
    assert_string_equal(f->log, "");
}

static void memory_that_cannot_be_imported_leaves_the_work_to_the_cpu_device(void **state)
{
    struct fixture *f = *state;
    struct base_error why;
    uint64_t more;
    testing_run(f);
    testing_driver(f)->vkAllocateMemory = allocate_nothing;
    assert_true(mem_space_alloc(f->space, 4096, 4096, NULL, 0, &more, &why));
    testing_run(f);
    assert_false(f->result.failed);
    testing_assert_elsewhere(f, 1, 1, "cannot import the memory at");
    *testing_driver(f) = f->calls;
    testing_run(f);
    testing_assert_words(f, 3);
    testing_assert_elsewhere(f, 2, 1, "");
}

static void check_refusal(struct fixture *f, VkResult result, const char *reason)
{
    compile_result = result;
    testing_driver(f)->vkCreateComputePipelines = compile_nothing;
    testing_run(f);
    testing_run(f);
    assert_false(f->result.failed);
    testing_assert_words(f, 2);
    testing_assert_elsewhere(f, 0, 2, reason);
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
    testing_driver(f)->vkCreateComputePipelines = compile_slowly;
    for (; times < 3; times++)
        testing_run(f);
    testing_assert_words(f, times);
    testing_assert_elsewhere(f, 0, times, "its pipeline is not ready yet");
    atomic_store(&slow.held, false);
    for (; !testing_counts(f).here && times < PATIENCE; times++) {
        testing_run(f);
        usleep(PAUSE_US);
    }
    testing_assert_words(f, times);
    testing_assert_elsewhere(f, 1, times - 1, "");
}

static void an_engine_that_was_stopped_leaves_everything_to_the_cpu_device(void **state)
{
    struct fixture *f = *state;
    testing_run(f);
    assert_true(vulkan_engine_stop(f->engine, 20));
    testing_run(f);
    assert_false(f->result.failed);
    testing_assert_words(f, 2);
    struct counts counts = testing_counts(f);
    assert_int_equal(counts.here, 1);
    assert_string_equal(counts.reason, "the process ends");
}

int main(int argc, char **argv)
{
    testing_choose(argc, argv);
#define TEST(name)  cmocka_unit_test_setup_teardown(name, testing_set_up, testing_tear_down)
#define HASTY(name) cmocka_unit_test_setup_teardown(name, set_up_hasty, testing_tear_down)
    const struct CMUnitTest always[] = {
        TEST(a_dispatch_works_on_guest_memory),
        TEST(code_that_has_changed_is_translated_anew),
        TEST(memory_that_was_mapped_meanwhile_is_seen),
        TEST(an_access_outside_of_memory_fails_and_says_where),
        TEST(what_waits_for_other_waves_runs_on_the_cpu_device),
        TEST(where_nobody_else_is_at_work_such_a_dispatch_has_not_happened),
        TEST(a_dispatch_that_finds_no_memory_runs_on_the_cpu_device_once),
        TEST(a_module_that_the_driver_refuses_runs_on_the_cpu_device),
        TEST(a_compiler_out_of_memory_leaves_the_work_to_the_cpu_device),
        HASTY(the_cpu_device_carries_dispatches_while_their_pipeline_is_compiled),
        TEST(an_engine_that_was_stopped_leaves_everything_to_the_cpu_device),
    };
    const struct CMUnitTest in_place[] = {
        TEST(a_dispatch_whose_loops_the_host_ends_early_fails_by_name_and_its_program_moves_to_the_cpu_device),
        TEST(a_lost_device_fails_its_dispatch_by_name_and_the_cpu_device_carries_on),
        TEST(a_device_that_is_lost_while_it_works_is_the_same),
        TEST(memory_that_cannot_be_imported_leaves_the_work_to_the_cpu_device),
    };
    int failed = cmocka_run_group_tests(always, NULL, NULL);
    return failed + (testing_memory == VULKAN_MEMORY_SHARED ? cmocka_run_group_tests(in_place, NULL, NULL) : 0);
}
