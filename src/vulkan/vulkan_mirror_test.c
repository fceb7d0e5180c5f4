/* Guest memory as copies on the device: what stays there, what comes back when, and what never does; with the argument `staged`, moved as on a
 * device with memory of its own. */
#include "vulkan/vulkan_testing.h"

#include <pthread.h>

#include "memory/mem_track.h"

/* As testing_add_one, but a byte at four times the thread: assembled with llvm-mc for gfx1030. */
static const uint32_t store_byte[] = {
    0x93040203,             /* s_mul_i32 s4, s3, s2 */
    0x4a020004,             /* v_add_nc_u32 v1, s4, v0 */
    0x34040282,             /* v_lshlrev_b32 v2, 2, v1 */
    0x7e0602ff, 0x0000005a, /* v_mov_b32 v3, 0x5a */
    0xdc608000, 0x00000302, /* global_store_byte v2, v3, s[0:1] */
    0xbf810000,             /* s_endpgm */
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

enum { PAGE_WORDS = 1024 };

static void run_within(struct fixture *f)
{
    struct device_dispatch dispatch = testing_dispatch(f);
    testing_run_only(f, &dispatch);
}

static struct device_range words_at(const struct fixture *f, unsigned first, unsigned count)
{
    return (struct device_range){f->base + AT_DATA + first * sizeof(uint32_t), count * sizeof(uint32_t)};
}

static void run_at(struct fixture *f, uint64_t address)
{
    struct device_dispatch dispatch = testing_dispatch(f);
    dispatch.registers.user_data[0] = (uint32_t)address;
    dispatch.registers.user_data[1] = (uint32_t)(address >> 32);
    testing_run_only(f, &dispatch);
}

/* ---- results ---- */

static void results_stay_on_the_device_until_somebody_asks(void **state)
{
    struct fixture *f = *state;
    run_within(f);
    testing_assert_words(f, 0);
    run_within(f);
    testing_assert_words(f, 0);
    testing_settle(f, DEVICE_EVERYTHING);
    testing_assert_words(f, 2);
    testing_assert_elsewhere(f, 2, 0, "");
}

static void only_what_is_asked_for_comes_back(void **state)
{
    struct fixture *f = *state;
    run_within(f);
    run_at(f, f->base + AT_DATA + PAGE_WORDS * sizeof(uint32_t));
    testing_settle(f, words_at(f, 0, 1));
    testing_assert_words(f, 1);
    assert_int_equal(testing_words(f)[PAGE_WORDS], 0);
    testing_settle(f, words_at(f, PAGE_WORDS, 1));
    assert_int_equal(testing_words(f)[PAGE_WORDS], 1);
}

static void memory_that_no_dispatch_wants_has_no_copy(void **state)
{
    struct fixture *f = *state;
    struct base_error why;
    uint64_t more;
    assert_true(mem_space_alloc(f->space, 8 << 20, 4096, NULL, 0, &more, &why));
    run_within(f);
    assert_int_equal(vulkan_engine_moved(f->engine).resident, MEMORY_BYTES);
    run_at(f, more);
    assert_int_equal(vulkan_engine_moved(f->engine).resident, MEMORY_BYTES + (8 << 20));
}

static void what_did_not_change_is_not_copied_again(void **state)
{
    struct fixture *f = *state;
    testing_run(f);
    uint64_t before = vulkan_engine_moved(f->engine).uploaded;
    assert_int_equal(before, 4096); /* what the dispatch reads */
    testing_words(f)[0] = 41;
    testing_run(f);
    assert_int_equal(vulkan_engine_moved(f->engine).uploaded - before, 4096);
    assert_int_equal(testing_words(f)[0], 42);
    assert_int_equal(testing_words(f)[1], 2);
}

static void where_writes_are_tracked_only_pages_that_were_written_are_looked_at(void **state)
{
    struct fixture *f = *state;
    struct mem_track *track = mem_track_create();
    if (!track)
        skip();
    mem_track_destroy(track);
    testing_run(f);
    testing_words(f)[0] = 41;
    testing_run(f);
    assert_int_equal(testing_words(f)[0], 42);
    assert_int_equal(vulkan_engine_moved(f->engine).checked, 4096); /* with results of the first in it */
}

static void only_pages_that_were_written_come_back(void **state)
{
    struct fixture *f = *state;
    testing_run(f);
    assert_int_equal(vulkan_engine_moved(f->engine).written_back, 4096);
}

static void words_that_the_guest_writes_beside_results_stay(void **state)
{
    struct fixture *f = *state;
    run_within(f);
    testing_words(f)[WORDS + 1] = 7; /* in the page of the results */
    testing_changed(f, words_at(f, WORDS + 1, 1));
    run_within(f);
    testing_words(f)[WORDS + 2] = 8;
    testing_settle(f, DEVICE_EVERYTHING);
    testing_assert_words(f, 2);
    assert_int_equal(testing_words(f)[WORDS + 1], 7);
    assert_int_equal(testing_words(f)[WORDS + 2], 8);
}

static void a_byte_store_into_a_patterned_buffer_leaves_the_other_three_bytes(void **state)
{
    struct fixture *f = *state;
    testing_put_code(f, store_byte, sizeof store_byte);
    for (unsigned n = 0; n < WORDS; n++)
        testing_words(f)[n] = 0x11223300 + n;
    testing_changed(f, DEVICE_EVERYTHING);
    run_within(f);
    for (unsigned n = 0; n < WORDS; n++)
        testing_words(f)[n] ^= 0xff0000; /* the guest goes on with the byte beside */
    testing_settle(f, DEVICE_EVERYTHING);
    for (unsigned n = 0; n < WORDS; n++)
        assert_int_equal(testing_words(f)[n], 0x11dd335a);
}

/* Another ring's packets read, and the host writes beside the results, while dispatches follow each other. */
static void *read_and_write_beside(void *user)
{
    enum { TIMES = 200 };
    struct fixture *f = user;
    uint32_t *beside = testing_words(f) + WORDS + 1;
    for (uint32_t n = 1; n <= TIMES; n++) {
        testing_settle(f, words_at(f, WORDS + 1, 1));
        __atomic_store_n(beside, n, __ATOMIC_RELAXED);
        testing_changed(f, n % 2 ? words_at(f, WORDS + 1, 1) : DEVICE_EVERYTHING);
        testing_settle(f, words_at(f, 0, 1));
    }
    return NULL;
}

static void several_threads_may_settle_and_change_memory_while_dispatches_run(void **state)
{
    enum { TIMES = 40, LAST = 200 };
    struct fixture *f = *state;
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, read_and_write_beside, f), 0);
    for (unsigned n = 0; n < TIMES; n++)
        run_within(f);
    assert_int_equal(pthread_join(thread, NULL), 0);
    testing_settle(f, DEVICE_EVERYTHING);
    testing_assert_words(f, TIMES);
    assert_int_equal(testing_words(f)[WORDS + 1], LAST);
}

/* ---- memory that comes and goes ---- */

static void results_in_memory_that_is_mapped_no_more_go_to_whoever_still_holds_it(void **state)
{
    struct fixture *f = *state;
    struct base_error why;
    uint64_t more;
    assert_true(mem_space_alloc(f->space, MEMORY_BYTES, 4096, NULL, 0, &more, &why));
    uint32_t *words = mem_space_pointer(f->space, more, MEMORY_BYTES);
    struct mem_snapshot *held = mem_snapshot_acquire(f->space);
    run_at(f, more);
    assert_true(mem_space_unmap(f->space, more, NULL, &why));
    run_within(f); /* shows the device what is mapped now */
    assert_int_equal(words[0], 0);
    f->device->functions->settle(f->device, held, DEVICE_EVERYTHING);
    assert_int_equal(words[0], 1);
    testing_assert_words(f, 1);
    mem_snapshot_release(held);
}

static void memory_that_is_mapped_in_the_place_of_other_memory_gets_none_of_its_results(void **state)
{
    struct fixture *f = *state;
    struct base_error why;
    uint64_t base, size, bytes = WORDS * sizeof(uint32_t);
    uint32_t *own = aligned_alloc(4096, 4096);
    assert_non_null(own);
    memset(own, 0, 4096);
    mem_space_window(f->space, &base, &size);
    for (unsigned n = 0; n < 2; n++) {
        assert_true(mem_space_map(f->space, base + size, own, bytes, true, &why));
        if (n)
            testing_settle(f, DEVICE_EVERYTHING);
        assert_int_equal(own[0], 0);
        run_at(f, base + size);
        if (!n)
            assert_true(mem_space_unmap(f->space, base + size, NULL, &why));
    }
    testing_settle(f, DEVICE_EVERYTHING);
    assert_int_equal(own[0], 1);
    assert_true(mem_space_unmap(f->space, base + size, NULL, &why));
    run_within(f);
    free(own);
}

static void memory_that_lies_anywhere_is_mirrored_too(void **state)
{
    enum { BYTES = 3 * 4096, SKIP = 1236, BEFORE = 64 };
    struct fixture *f = *state;
    struct base_error why;
    uint8_t *own = aligned_alloc(4096, BYTES);
    uint64_t base, size;
    assert_non_null(own);
    memset(own, 0, BYTES);
    mem_space_window(f->space, &base, &size);
    uint64_t address = base + size + SKIP;
    uint64_t bytes = WORDS * sizeof(uint32_t);
    assert_true(mem_space_map(f->space, address, own + SKIP, bytes, true, &why));
    run_at(f, address);
    run_at(f, address);
    testing_settle(f, DEVICE_EVERYTHING);
    for (unsigned n = 0; n < BYTES / sizeof(uint32_t); n++) {
        bool inside = n * 4 >= SKIP && n * 4 < SKIP + bytes;
        assert_int_equal(((uint32_t *)(void *)own)[n], inside ? 2 : 0);
    }
    assert_true(mem_space_unmap(f->space, address, NULL, &why));
    run_within(f);
    free(own);
}

/* ---- dispatches that fail ---- */

static void a_dispatch_that_leaves_mapped_memory_is_refused_and_leaves_nothing(void **state)
{
    struct fixture *f = *state;
    run_within(f);
    run_at(f, f->base + MEMORY_BYTES - WORDS / 2 * sizeof(uint32_t)); /* the second half is not mapped */
    assert_true(f->result.failed);
    assert_non_null(strstr(f->result.text, "read of unmapped memory"));
    testing_settle(f, DEVICE_EVERYTHING);
    assert_int_equal(*(const uint32_t *)(const void *)(f->host + MEMORY_BYTES - 4), 0);
    testing_assert_words(f, 1); /* of the dispatch before */
    run_within(f);
    testing_settle(f, DEVICE_EVERYTHING);
    testing_assert_words(f, 2);
}

static void a_dispatch_whose_loops_the_host_ends_early_has_not_happened(void **state)
{
    struct fixture *f = *state;
    bool few = vulkan_host_facts(vulkan_engine_host(f->engine))->few_rounds;
    run_within(f);
    testing_put_code(f, long_loop, sizeof long_loop);
    testing_changed(f, DEVICE_EVERYTHING);
    run_within(f);
    assert_false(f->result.failed);
    testing_settle(f, DEVICE_EVERYTHING);
    testing_assert_words(f, 2);
    testing_assert_elsewhere(f, few ? 1 : 2, few, few ? "more rounds of loops" : "");
}

/* ---- the CPU device beside it ---- */

static void what_runs_elsewhere_finds_results_and_leaves_what_is_copied_again(void **state)
{
    static const uint32_t looks_at_a_clock_then_adds[] = {
        0xf4900200, 0x00000000, /* s_memtime s[8:9] */
        0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
        0x93040203,             /* s_mul_i32 s4, s3, s2 */
        0x4a020004,             /* v_add_nc_u32 v1, s4, v0 */
        0x34040282,             /* v_lshlrev_b32 v2, 2, v1 */
        0xdc308000, 0x03000002, /* global_load_dword v3, v2, s[0:1] */
        0xbf8c3f70,             /* s_waitcnt vmcnt(0) */
        0x4a060681,             /* v_add_nc_u32 v3, 1, v3 */
        0xdc708000, 0x00000302, /* global_store_dword v2, v3, s[0:1] */
        0xbf810000,             /* s_endpgm */
    };
    struct fixture *f = *state;
    run_within(f);
    testing_put_code(f, looks_at_a_clock_then_adds, sizeof looks_at_a_clock_then_adds);
    run_within(f);
    testing_assert_words(f, 2);
    testing_put_code(f, testing_add_one, sizeof testing_add_one);
    run_within(f);
    testing_settle(f, DEVICE_EVERYTHING);
    testing_assert_words(f, 3);
    testing_assert_elsewhere(f, 2, 1, "reads a clock");
}

/* ---- failures of the device ---- */

static VkResult submit_lost(VkQueue queue, uint32_t count, const VkSubmitInfo *submits, VkFence fence)
{
    (void)queue;
    (void)count;
    (void)submits;
    (void)fence;
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

static void a_device_that_is_lost_without_results_harms_nothing(void **state)
{
    struct fixture *f = *state;
    testing_run(f);
    testing_driver(f)->vkQueueSubmit = submit_lost;
    testing_run(f);
    assert_false(f->result.failed);
    assert_non_null(strstr(f->log, "! "));
    assert_non_null(strstr(f->log, "is lost; from now on the CPU device carries the work out"));
    *testing_driver(f) = f->calls;
    testing_run(f);
    testing_assert_words(f, 3);
    testing_assert_elsewhere(f, 1, 1, "the host device is lost");
}

static void a_device_that_is_lost_with_results_fails_the_dispatch_by_name(void **state)
{
    struct fixture *f = *state;
    run_within(f);
    testing_driver(f)->vkQueueSubmit = submit_lost;
    run_within(f);
    assert_true(f->result.failed);
    assert_non_null(strstr(f->result.text, "the host device is lost, with results of earlier dispatches"));
    *testing_driver(f) = f->calls;
    testing_settle(f, DEVICE_EVERYTHING);
    testing_run(f);
    assert_false(f->result.failed);
    testing_assert_words(f, 1);
}

static void a_device_without_memory_for_copies_leaves_the_work_to_the_cpu_device(void **state)
{
    struct fixture *f = *state;
    struct base_error why;
    uint64_t more;
    run_within(f);
    testing_driver(f)->vkAllocateMemory = allocate_nothing;
    assert_true(mem_space_alloc(f->space, 8 << 20, 4096, NULL, 0, &more, &why));
    run_within(f); /* does not need it */
    run_at(f, more);
    assert_false(f->result.failed);
    assert_int_equal(*(uint32_t *)mem_space_pointer(f->space, more, 4), 1);
    testing_assert_words(f, 2);
    testing_assert_elsewhere(f, 2, 1, "the host device is out of memory");
    *testing_driver(f) = f->calls;
    run_at(f, more);
    testing_settle(f, DEVICE_EVERYTHING);
    assert_int_equal(*(uint32_t *)mem_space_pointer(f->space, more, 4), 2);
    testing_assert_elsewhere(f, 3, 1, "");
}

/* ---- memory that only dispatches look at ---- */

static void hide(struct fixture *f, uint64_t start, bool hidden)
{
    struct mem_snapshot *snapshot = mem_snapshot_acquire(f->space);
    f->device->functions->hide(f->device, snapshot, (struct device_range){start, MEMORY_BYTES}, hidden);
    mem_snapshot_release(snapshot);
}

/* A submission of its own: the host may have changed what it sees before, and sees what it sees behind. */
static void submit_at(struct fixture *f, uint64_t address)
{
    struct mem_snapshot *snapshot = mem_snapshot_acquire(f->space);
    f->device->functions->doubt(f->device);
    run_at(f, address);
    f->device->functions->publish(f->device, snapshot);
    mem_snapshot_release(snapshot);
}

static void what_nobody_else_sees_stays_on_the_device_when_a_submission_ends(void **state)
{
    struct fixture *f = *state;
    struct base_error why;
    uint64_t more;
    assert_true(mem_space_alloc(f->space, MEMORY_BYTES, 4096, NULL, 0, &more, &why));
    const uint32_t *unseen = mem_space_pointer(f->space, more, 4);
    submit_at(f, f->base + AT_DATA);
    testing_assert_words(f, 1);
    hide(f, more, true);
    uint64_t before = vulkan_engine_moved(f->engine).written_back, checked = vulkan_engine_moved(f->engine).checked;
    for (unsigned n = 0; n < 3; n++)
        submit_at(f, more);
    assert_int_equal(unseen[0], 0);
    assert_int_equal(vulkan_engine_moved(f->engine).written_back, before);
    assert_int_equal(vulkan_engine_moved(f->engine).checked, checked); /* nor is it looked through for changes */
    submit_at(f, f->base + AT_DATA);
    testing_assert_words(f, 2); /* what is seen comes back as ever */
    hide(f, more, false);
    testing_settle(f, (struct device_range){more, MEMORY_BYTES});
    for (unsigned n = 0; n < WORDS; n++)
        assert_int_equal(unseen[n], 3);
    submit_at(f, more);
    assert_int_equal(unseen[0], 4);
    testing_assert_elsewhere(f, 6, 0, "");
}

/* The CPU device, which works in guest memory itself, finds it all the same. */
static void what_runs_elsewhere_finds_results_that_nobody_else_sees(void **state)
{
    struct fixture *f = *state;
    hide(f, f->base, true);
    submit_at(f, f->base + AT_DATA);
    testing_assert_words(f, 0);
    assert_true(vulkan_engine_stop(f->engine, 20));
    submit_at(f, f->base + AT_DATA);
    testing_assert_words(f, 2);
}

/* Other memory in the place of what was hidden is not. */
static void memory_in_the_place_of_what_was_hidden_is_seen(void **state)
{
    struct fixture *f = *state;
    static uint8_t first[MEMORY_BYTES] __attribute__((aligned(4096))), second[MEMORY_BYTES] __attribute__((aligned(4096)));
    const uint64_t place = UINT64_C(0x123400000000);
    struct base_error why;
    uint64_t size;
    assert_true(mem_space_map(f->space, place, first, sizeof first, true, &why));
    hide(f, place, true);
    submit_at(f, place);
    assert_int_equal(*(uint32_t *)(void *)first, 0);
    assert_true(mem_space_unmap(f->space, place, &size, &why));
    assert_true(mem_space_map(f->space, place, second, sizeof second, true, &why));
    submit_at(f, place);
    assert_int_equal(*(uint32_t *)(void *)second, 1);
}

int main(int argc, char **argv)
{
    testing_choose(argc, argv);
#define TEST(name) cmocka_unit_test_setup_teardown(name, testing_set_up, testing_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(results_stay_on_the_device_until_somebody_asks),
        TEST(only_what_is_asked_for_comes_back),
        TEST(memory_that_no_dispatch_wants_has_no_copy),
        TEST(what_did_not_change_is_not_copied_again),
        TEST(where_writes_are_tracked_only_pages_that_were_written_are_looked_at),
        TEST(only_pages_that_were_written_come_back),
        TEST(words_that_the_guest_writes_beside_results_stay),
        TEST(a_byte_store_into_a_patterned_buffer_leaves_the_other_three_bytes),
        TEST(several_threads_may_settle_and_change_memory_while_dispatches_run),
        TEST(results_in_memory_that_is_mapped_no_more_go_to_whoever_still_holds_it),
        TEST(memory_that_is_mapped_in_the_place_of_other_memory_gets_none_of_its_results),
        TEST(memory_that_lies_anywhere_is_mirrored_too),
        TEST(a_dispatch_that_leaves_mapped_memory_is_refused_and_leaves_nothing),
        TEST(a_dispatch_whose_loops_the_host_ends_early_has_not_happened),
        TEST(what_runs_elsewhere_finds_results_and_leaves_what_is_copied_again),
        TEST(a_device_that_is_lost_without_results_harms_nothing),
        TEST(a_device_that_is_lost_with_results_fails_the_dispatch_by_name),
        TEST(what_nobody_else_sees_stays_on_the_device_when_a_submission_ends),
        TEST(what_runs_elsewhere_finds_results_that_nobody_else_sees),
        TEST(memory_in_the_place_of_what_was_hidden_is_seen),
        TEST(a_device_without_memory_for_copies_leaves_the_work_to_the_cpu_device),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
