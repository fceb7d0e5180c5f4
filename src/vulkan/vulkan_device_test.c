/* The Vulkan device: dispatches, and what becomes of them when the host's device, its memory or its compiler fails; with the argument
 * `mirrored` or `staged`, on copies of memory. Failures are put in by standing in for the driver's functions. */
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "vulkan/vulkan_engine.h"
#include "vulkan/vulkan_testing.h"

/* Assembled with llvm-mc for gfx1030. */
static const uint32_t sleeps[] = {
    0xbf8e0001, /* s_sleep 1 */
    0xbf810000, /* s_endpgm */
};

/* Each lane counts in the global data share, in the second word of the 16 bytes from 16 on. */
static const uint32_t counts_in_gds[] = {
    0xbefc03ff, 0x00100010, /* s_mov_b32 m0, 0x100010 */
    0x7e020284,             /* v_mov_b32 v1, 4 */
    0x7e040281,             /* v_mov_b32 v2, 1 */
    0xd8020000, 0x00000201, /* ds_add_u32 v1, v2 gds */
    0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
    0xbf810000,             /* s_endpgm */
};

/* Each wave adds one to the word at 16 there, when it is its turn. */
static const uint32_t counts_in_order[] = {
    0xbefc03ff, 0x00100000, /* s_mov_b32 m0, 0x100000 */
    0x7e040281,             /* v_mov_b32 v2, 1 */
    0xd8fe0100, 0x03000002, /* ds_ordered_count v3, v2 offset:256 gds */
    0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
    0xbf810000,             /* s_endpgm */
};

/* All lanes of a group count in 64 bits of the local share, and store what has come of it. */
static const uint32_t counts_in_share[] = {
    0x7e020280,             /* v_mov_b32 v1, 0 */
    0x7e040280,             /* v_mov_b32 v2, 0 */
    0x7e060280,             /* v_mov_b32 v3, 0 */
    0x7d840080,             /* v_cmp_eq_u32 vcc_lo, 0, v0 */
    0xbe843c6a,             /* s_and_saveexec_b32 s4, vcc_lo */
    0xd9340000, 0x00000201, /* ds_write_b64 v1, v[2:3] */
    0xbefe0304,             /* s_mov_b32 exec_lo, s4 */
    0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
    0xbf8a0000,             /* s_barrier */
    0x7e040281,             /* v_mov_b32 v2, 1 */
    0xd9000000, 0x00000201, /* ds_add_u64 v1, v[2:3] */
    0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
    0xbf8a0000,             /* s_barrier */
    0xd9d80000, 0x04000001, /* ds_read_b64 v[4:5], v1 */
    0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
    0x8f058803,             /* s_lshl_b32 s5, s3, 8 */
    0x340c0082,             /* v_lshlrev_b32 v6, 2, v0 */
    0x4a0c0c05,             /* v_add_nc_u32 v6, s5, v6 */
    0xdc708000, 0x00000406, /* global_store_dword v6, v4, s[0:1] */
    0xbf810000,             /* s_endpgm */
};

/* The same with 32 bits, after lanes have stored once to eight times, and waited for their stores each time. */
static const uint32_t waits_for_stores[] = {
    0x7e020280,             /* v_mov_b32 v1, 0 */
    0x7e040281,             /* v_mov_b32 v2, 1 */
    0x8f058803,             /* s_lshl_b32 s5, s3, 8 */
    0x340c0082,             /* v_lshlrev_b32 v6, 2, v0 */
    0x4a0c0c05,             /* v_add_nc_u32 v6, s5, v6 */
    0x2c0a0083,             /* v_lshrrev_b32 v5, 3, v0 */
    0x7d840080,             /* v_cmp_eq_u32 vcc_lo, 0, v0 */
    0xbe843c6a,             /* s_and_saveexec_b32 s4, vcc_lo */
    0xd8340000, 0x00000101, /* ds_write_b32 v1, v1 */
    0xbefe0304,             /* s_mov_b32 exec_lo, s4 */
    0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
    0xbf8a0000,             /* s_barrier */
    0xdc708000, 0x00000106, /* global_store_dword v6, v1, s[0:1] */
    0xbbfd0000,             /* s_waitcnt_vscnt null, 0x0 */
    0x4a0a0ac1,             /* v_add_nc_u32 v5, -1, v5 */
    0x7d060a80,             /* v_cmp_le_i32 vcc_lo, 0, v5 */
    0x877e6a7e,             /* s_and_b32 exec_lo, exec_lo, vcc_lo */
    0xbf89fff9,             /* s_cbranch_execnz L */
    0xbefe0304,             /* s_mov_b32 exec_lo, s4 */
    0xd8000000, 0x00000201, /* ds_add_u32 v1, v2 */
    0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
    0xbf8a0000,             /* s_barrier */
    0xd8d80000, 0x04000001, /* ds_read_b32 v4, v1 */
    0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
    0xdc708000, 0x00000406, /* global_store_dword v6, v4, s[0:1] */
    0xbf810000,             /* s_endpgm */
};

static const uint32_t endless[] = {
    0x80048104, /* s_add_u32 s4, s4, 1 */
    0xbf82fffe, /* s_branch back to it */
};

/* Until the word at s[0:1] is another than 0. */
static const uint32_t spins[] = {
    0xf4010100, 0xfa000000, /* s_load_dword s4, s[0:1], 0x0 glc */
    0xbf8e0001,             /* s_sleep 1 */
    0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
    0xbf068004,             /* s_cmp_eq_u32 s4, 0 */
    0xbf85fffa,             /* s_cbranch_scc1 to the load */
    0xbf810000,             /* s_endpgm */
};

/* As many rounds as the word at s[0:1] says, 2^32 for 0, each with a load of what is there. */
static const uint32_t counts_down[] = {
    0xf4000100, 0xfa000000, /* s_load_dword s4, s[0:1], 0x0 */
    0x7e020280,             /* v_mov_b32 v1, 0 */
    0x34040082,             /* v_lshlrev_b32 v2, 2, v0 */
    0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
    0xdc308000, 0x03000002, /* global_load_dword v3, v2, s[0:1] */
    0xbf8c3f70,             /* s_waitcnt vmcnt(0) */
    0x4a020701,             /* v_add_nc_u32 v1, v1, v3 */
    0x80848104,             /* s_sub_u32 s4, s4, 1 */
    0xbf078004,             /* s_cmp_lg_u32 s4, 0 */
    0xbf85fff9,             /* s_cbranch_scc1 to the load */
    0xdc708400, 0x00000102, /* global_store_dword v2, v1, s[0:1] offset:1024 */
    0xbf810000,             /* s_endpgm */
};

/* 131072 rounds, then adds one: more than lavapipe gives. */
enum { LONG_LOOP_JUMP = 7 };
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
    testing_words(f)[0] = 1;
    testing_put_code(f, spins, sizeof spins);
    testing_run(f);
    assert_false(f->result.failed);
    assert_int_equal(f->result.waves, GROUPS * THREADS / 32);
    testing_assert_elsewhere(f, 0, 1, "waits for other waves");
}

static void a_sleep_by_itself_is_a_hint(void **state)
{
    struct fixture *f = *state;
    testing_put_code(f, sleeps, sizeof sleeps);
    testing_run(f);
    assert_false(f->result.failed);
    assert_int_equal(f->result.waves, GROUPS * THREADS / 32);
    testing_assert_elsewhere(f, 1, 0, "");
}

static void run_with_share(struct fixture *f, const uint32_t *code, size_t bytes)
{
    enum { SHARE = 512 };
    testing_put_code(f, code, bytes);
    struct device_dispatch dispatch = testing_dispatch(f);
    dispatch.registers.lds_bytes = SHARE;
    testing_run_only(f, &dispatch);
    assert_false(f->result.failed);
    testing_settle(f, DEVICE_EVERYTHING);
    testing_assert_words(f, THREADS);
    testing_assert_elsewhere(f, 1, 0, "");
}

static void waves_of_a_group_take_turns_with_64_bits_of_the_local_share(void **state)
{
    run_with_share(*state, counts_in_share, sizeof counts_in_share);
}

static void lanes_that_wait_for_their_stores_still_meet_the_others_at_a_barrier(void **state)
{
    run_with_share(*state, waits_for_stores, sizeof waits_for_stores);
}

/* ---- the global data share ---- */

static void run_with_gds(struct fixture *f, uint32_t *gds, uint32_t bytes)
{
    struct device_dispatch dispatch = testing_dispatch(f);
    dispatch.registers.gds = (uint8_t *)gds;
    dispatch.registers.gds_bytes = bytes;
    testing_run_only(f, &dispatch);
}

static void the_global_data_share_is_the_device_s_for_the_time_of_a_dispatch(void **state)
{
    enum { BEFORE = 1000, WORDS_OF_GDS = 16, PLACE = 5 };
    struct fixture *f = *state;
    uint32_t gds[WORDS_OF_GDS];
    for (unsigned n = 0; n < WORDS_OF_GDS; n++)
        gds[n] = BEFORE + n;
    testing_put_code(f, counts_in_gds, sizeof counts_in_gds);
    for (unsigned run = 1; run <= 2; run++) {
        run_with_gds(f, gds, sizeof gds);
        assert_false(f->result.failed);
        for (unsigned n = 0; n < WORDS_OF_GDS; n++)
            assert_int_equal(gds[n], BEFORE + n + (n == PLACE ? run * GROUPS * THREADS : 0));
    }
    testing_assert_elsewhere(f, 2, 0, "");
}

static void an_access_behind_the_global_data_share_fails_and_says_where(void **state)
{
    struct fixture *f = *state;
    uint32_t gds[4] = {0};
    testing_put_code(f, counts_in_gds, sizeof counts_in_gds);
    run_with_gds(f, gds, sizeof gds);
    assert_true(f->result.failed);
    assert_non_null(strstr(f->result.text, "ds_add_u32"));
}

static void what_counts_in_the_order_of_waves_runs_on_the_cpu_device(void **state)
{
    enum { PLACE = 4 };
    struct fixture *f = *state;
    uint32_t gds[8] = {0};
    testing_put_code(f, counts_in_order, sizeof counts_in_order);
    run_with_gds(f, gds, sizeof gds);
    assert_false(f->result.failed);
    assert_int_equal(gds[PLACE], GROUPS * THREADS / 32);
    testing_assert_elsewhere(f, 0, 1, "counts in an order of waves");
}

/* By its program, and by the jump that is so many words behind its start. */
static void assert_stopped_at(const struct fixture *f, const char *why, unsigned words, const char *jump)
{
    char place[64];
    const unsigned long long program = f->base + AT_CODE;
    snprintf(place, sizeof place, "program 0x%llx, pc 0x%llx:", program, program + words * sizeof(uint32_t));
    if (!strstr(f->result.text, place) || !strstr(f->result.text, why) || !strstr(f->result.text, jump))
        fail_msg("%s", f->result.text);
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
        assert_stopped_at(f, "it takes more rounds of loops than the host device gives", LONG_LOOP_JUMP,
                          "; the last jump back: s_cbranch_scc1");
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
    atomic_uint done;
} slow;

static VkResult compile_slowly(VkDevice device, VkPipelineCache cache, uint32_t count, const VkComputePipelineCreateInfo *infos,
                               const VkAllocationCallbacks *callbacks, VkPipeline *pipelines)
{
    while (atomic_load(&slow.held))
        usleep(1000);
    VkResult result = slow.real(device, cache, count, infos, callbacks, pipelines);
    atomic_fetch_add(&slow.done, 1);
    return result;
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

/* A device that waits for no pipeline has one for the very first dispatch, which was told ahead of its turn. */
static void a_program_is_compiled_ahead_of_its_dispatch_s_turn(void **state)
{
    enum { PATIENCE = 10000, PAUSE_US = 2000 };
    struct fixture *f = *state;
    char reason[VULKAN_REASON_SIZE];
    const struct device_reader reader = {.ahead = true};
    struct device_dispatch ahead = testing_dispatch(f);
    struct base_error error;
    slow.real = f->calls.vkCreateComputePipelines;
    atomic_store(&slow.held, true);
    atomic_store(&slow.done, 0);
    testing_driver(f)->vkCreateComputePipelines = compile_slowly;
    struct device_prepared *prepared = f->device->functions->prepare(f->device, &ahead, &reader, &error); /* waits for nothing */
    assert_non_null(prepared);
    f->device->functions->drop(f->device, prepared);
    atomic_store(&slow.held, false);
    for (unsigned n = 0; !atomic_load(&slow.done) && n < PATIENCE; n++)
        usleep(PAUSE_US);
    assert_int_equal(atomic_load(&slow.done), 1);
    /* The driver may do more before others see the pipeline. */
    struct vulkan_program *program = vulkan_programs_hold(f->engine->programs, ahead.snapshot, &ahead.registers, false);
    assert_non_null(program);
    assert_int_equal(vulkan_programs_await(f->engine->programs, program, 1, true, NULL, reason), VULKAN_READY);
    vulkan_programs_release(f->engine->programs, program);
    mem_snapshot_release(ahead.snapshot);
    testing_run(f);
    testing_assert_words(f, 1);
    testing_assert_elsewhere(f, 1, 0, "");
    assert_int_equal(atomic_load(&slow.done), 1);
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

/* ---- dispatches that are given up ---- */

/* 16384 rounds. */
static const uint32_t rounds[] = {
    0xbe8503ff, 0x00004000, /* s_mov_b32 s5, 0x4000 */
    0x80858105,             /* s_sub_u32 s5, s5, 1 */
    0xbf078005,             /* s_cmp_lg_u32 s5, 0 */
    0xbf85fffd,             /* s_cbranch_scc1 -3 */
    0x7e040280,             /* v_mov_b32 v2, 0 */
    0x7e060281,             /* v_mov_b32 v3, 1 */
    0xdcc88000, 0x00000302, /* global_atomic_add v2, v3, s[0:1] */
    0xbf810000,             /* s_endpgm */
};

struct canceller {
    const volatile uint32_t *counted; /* by groups that have run */
    _Atomic bool cancel;
};

static void *cancel_soon(void *user)
{
    enum { PATIENCE = 5000, PAUSE_US = 2000 };
    struct canceller *c = user;
    for (unsigned n = 0; !*c->counted && n < PATIENCE; n++)
        usleep(PAUSE_US);
    atomic_store(&c->cancel, true);
    return NULL;
}

static double run_for(struct fixture *f, struct device_dispatch *dispatch)
{
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    testing_run_only(f, dispatch);
    clock_gettime(CLOCK_MONOTONIC, &end);
    return (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) * 1e-9;
}

/* All its groups would take minutes. */
static void a_dispatch_that_is_cancelled_ends_between_its_groups(void **state)
{
    enum { GROUPS_MANY = 1 << 23 };
    struct fixture *f = *state;
    struct canceller canceller = {.counted = (const void *)(f->host + AT_DATA)};
    pthread_t thread;
    testing_put_code(f, rounds, sizeof rounds);
    testing_run(f); /* compiled */
    assert_false(f->result.failed);
    memset(f->host + AT_DATA, 0, WORDS * sizeof(uint32_t));
    struct device_dispatch dispatch = testing_dispatch(f);
    dispatch.registers.groups[0] = 2;
    dispatch.registers.groups[1] = GROUPS_MANY / 2;
    dispatch.registers.last_threads[0] = THREADS / 2;
    dispatch.registers.cancel = &canceller.cancel;
    assert_int_equal(pthread_create(&thread, NULL, cancel_soon, &canceller), 0);
    double seconds = run_for(f, &dispatch);
    pthread_join(thread, NULL);
    assert_true(seconds < 60);
    assert_true(f->result.failed);
    assert_false(f->result.hung);
    assert_non_null(strstr(f->result.text, "it was stopped from outside"));
    assert_true(f->result.groups < GROUPS_MANY);
    const uint64_t rows = f->result.groups / 2, waves = THREADS / 32; /* a row's last group has half as many */
    assert_int_equal(f->result.waves, rows * (waves + waves / 2) + f->result.groups % 2 * waves);
    testing_settle(f, DEVICE_EVERYTHING);
    memset(f->host + AT_DATA, 0, WORDS * sizeof(uint32_t));
    testing_put_code(f, testing_add_one, sizeof testing_add_one);
    testing_run(f); /* the device goes on */
    testing_assert_words(f, 1);
    assert_int_equal(testing_counts(f).elsewhere, 0);
}

/* Waves look now and then whether they are to end, and a device whose waves have ended is none that is lost. lavapipe ends the loop by itself. */
static void a_loop_without_end_is_stopped_and_the_device_goes_on(void **state)
{
    struct fixture *f = *state;
    bool few = vulkan_host_facts(vulkan_engine_host(f->engine))->few_rounds;
    testing_put_code(f, endless, sizeof endless);
    struct device_dispatch dispatch = testing_dispatch(f);
    dispatch.registers.timeout_s = 0.05;
    double seconds = run_for(f, &dispatch);
    assert_true(seconds < VULKAN_GRACE_S);
    assert_true(f->result.failed);
    if (few && vulkan_engine_mirrors(f->engine)) { /* the CPU device has run it instead */
        assert_true(f->result.hung);
    } else {
        assert_int_equal(f->result.hung, !few);
        assert_stopped_at(f, few ? "it takes more rounds of loops than" : "it took longer than it may, and was stopped", 1,
                          few ? "; the last jump back: s_branch" : "; s_branch");
    }
    testing_put_code(f, testing_add_one, sizeof testing_add_one);
    memset(f->host + AT_DATA, 0, WORDS * sizeof(uint32_t));
    testing_run(f);
    assert_false(f->result.failed);
    testing_assert_words(f, 1);
    assert_true(few || testing_counts(f).here == 2);
}

/* So many groups of the code that is there, which has no end, are stopped, and the device goes on. */
static void check_stopped(struct fixture *f, uint32_t groups)
{
    struct device_dispatch dispatch = testing_dispatch(f);
    dispatch.registers.groups[0] = groups;
    dispatch.registers.timeout_s = 0.05;
    testing_run_only(f, &dispatch);
    assert_true(f->result.failed);
    if (!strstr(f->result.text, "it took longer than it may, and was stopped"))
        fail_msg("%s", f->result.text);
    testing_put_code(f, testing_add_one, sizeof testing_add_one);
    testing_run(f);
    assert_false(f->result.failed);
}

static void groups_that_begin_when_all_are_to_end_do_so_soon(void **state)
{
    enum { MANY = 1000 };
    struct fixture *f = *state;
    if (vulkan_host_facts(vulkan_engine_host(f->engine))->few_rounds)
        skip(); /* nobody is told there */
    testing_put_code(f, endless, sizeof endless);
    check_stopped(f, MANY);
    testing_assert_words(f, 1);
}

/* A program that was quick is given many groups at once. */
static void groups_of_a_program_that_was_quick_end_soon_when_all_are_to_end(void **state)
{
    enum { MANY = 1 << 17, TIMES = 4 };
    struct fixture *f = *state;
    if (vulkan_host_facts(vulkan_engine_host(f->engine))->few_rounds)
        skip(); /* nobody is told there */
    testing_put_code(f, counts_down, sizeof counts_down);
    testing_words(f)[0] = 1;
    for (unsigned n = 0; n < TIMES; n++) {
        struct device_dispatch quick = testing_dispatch(f);
        quick.registers.groups[0] = MANY / TIMES;
        testing_run_only(f, &quick);
        assert_false(f->result.failed);
    }
    testing_words(f)[0] = 0;
    testing_changed(f, DEVICE_EVERYTHING);
    check_stopped(f, MANY);
    testing_assert_elsewhere(f, TIMES + 2, 0, "");
}

/* 2^28 rounds of one lane. */
static void a_loop_that_uses_up_its_budget_is_a_hang_with_its_place(void **state)
{
    struct fixture *f = *state;
    char place[32];
    if (vulkan_host_facts(vulkan_engine_host(f->engine))->few_rounds)
        skip(); /* it ends loops itself, long before */
    testing_put_code(f, endless, sizeof endless);
    struct device_dispatch dispatch = testing_dispatch(f);
    dispatch.registers.groups[0] = dispatch.registers.threads[0] = dispatch.registers.last_threads[0] = 1;
    dispatch.registers.timeout_s = 0;
    testing_run_only(f, &dispatch);
    assert_true(f->result.failed);
    assert_true(f->result.hung);
    snprintf(place, sizeof place, "pc 0x%llx: no progress", (unsigned long long)(f->base + AT_CODE + sizeof *endless));
    if (!strstr(f->result.text, place) || !strstr(f->result.text, "s_branch"))
        fail_msg("%s", f->result.text);
    assert_int_equal(testing_counts(f).here, 1);
}

static void a_dispatch_that_is_cancelled_already_does_not_begin(void **state)
{
    struct fixture *f = *state;
    _Atomic bool cancel = true;
    testing_run(f);
    struct device_dispatch dispatch = testing_dispatch(f);
    dispatch.registers.cancel = &cancel;
    testing_run_only(f, &dispatch);
    assert_true(f->result.failed);
    assert_non_null(strstr(f->result.text, "it was stopped from outside"));
    testing_assert_words(f, 1);
}

/* What runs comes to its end; only nobody is told while a dispatch waits for it. */
static VkResult wait_in_vain(VkDevice device, uint32_t count, const VkFence *fences, VkBool32 all, uint64_t timeout)
{
    VkResult result = real_wait(device, count, fences, all, timeout);
    return timeout == UINT64_MAX ? result : VK_TIMEOUT;
}

static void a_dispatch_that_the_device_does_not_end_is_given_up_by_name(void **state)
{
    struct fixture *f = *state;
    testing_run(f);
    real_wait = f->calls.vkWaitForFences;
    testing_driver(f)->vkWaitForFences = wait_in_vain;
    struct device_dispatch dispatch = testing_dispatch(f);
    dispatch.registers.timeout_s = 0.1;
    double seconds = run_for(f, &dispatch);
    assert_true(seconds > VULKAN_GRACE_S && seconds < VULKAN_GRACE_S + 5);
    assert_true(f->result.failed && f->result.hung);
    assert_non_null(strstr(f->result.text, "the host device is still at work on what it was given"));
    assert_non_null(strstr(f->log, "from now on the CPU device carries the work out"));
    assert_false(vulkan_engine_stop(f->engine, 0.1));
    *testing_driver(f) = f->calls;
    assert_true(vulkan_engine_stop(f->engine, 20));
    testing_run(f);
    assert_false(f->result.failed);
}

int main(int argc, char **argv)
{
    testing_choose(argc, argv);
#define HASTY(name) cmocka_unit_test_setup_teardown(name, set_up_hasty, testing_tear_down)
    const struct CMUnitTest always[] = {
        TEST(a_dispatch_works_on_guest_memory),
        TEST(code_that_has_changed_is_translated_anew),
        TEST(memory_that_was_mapped_meanwhile_is_seen),
        TEST(an_access_outside_of_memory_fails_and_says_where),
        TEST(what_waits_for_other_waves_runs_on_the_cpu_device),
        TEST(a_sleep_by_itself_is_a_hint),
        TEST(waves_of_a_group_take_turns_with_64_bits_of_the_local_share),
        TEST(lanes_that_wait_for_their_stores_still_meet_the_others_at_a_barrier),
        TEST(the_global_data_share_is_the_device_s_for_the_time_of_a_dispatch),
        TEST(an_access_behind_the_global_data_share_fails_and_says_where),
        TEST(what_counts_in_the_order_of_waves_runs_on_the_cpu_device),
        TEST(where_nobody_else_is_at_work_such_a_dispatch_has_not_happened),
        TEST(a_dispatch_that_finds_no_memory_runs_on_the_cpu_device_once),
        TEST(a_module_that_the_driver_refuses_runs_on_the_cpu_device),
        TEST(a_compiler_out_of_memory_leaves_the_work_to_the_cpu_device),
        HASTY(the_cpu_device_carries_dispatches_while_their_pipeline_is_compiled),
        HASTY(a_program_is_compiled_ahead_of_its_dispatch_s_turn),
        TEST(a_dispatch_that_is_cancelled_already_does_not_begin),
        TEST(a_loop_without_end_is_stopped_and_the_device_goes_on),
        TEST(groups_that_begin_when_all_are_to_end_do_so_soon),
        TEST(groups_of_a_program_that_was_quick_end_soon_when_all_are_to_end),
        TEST(a_loop_that_uses_up_its_budget_is_a_hang_with_its_place),
        TEST(a_dispatch_that_the_device_does_not_end_is_given_up_by_name),
        TEST(an_engine_that_was_stopped_leaves_everything_to_the_cpu_device),
    };
    const struct CMUnitTest in_place[] = {
        TEST(a_dispatch_that_is_cancelled_ends_between_its_groups),
        TEST(a_dispatch_whose_loops_the_host_ends_early_fails_by_name_and_its_program_moves_to_the_cpu_device),
        TEST(a_lost_device_fails_its_dispatch_by_name_and_the_cpu_device_carries_on),
        TEST(a_device_that_is_lost_while_it_works_is_the_same),
        TEST(memory_that_cannot_be_imported_leaves_the_work_to_the_cpu_device),
    };
    int failed = cmocka_run_group_tests(always, NULL, NULL);
    return failed + (testing_memory == VULKAN_MEMORY_SHARED ? cmocka_run_group_tests(in_place, NULL, NULL) : 0);
}
