/* Dispatches: the groups and threads that run, indirect ones, partial groups, what is counted, and what no hardware could run. */
#include "cp/cp_testing.h"

enum { EN = 1, PARTIAL = 1 << 1, FORCE_START = 1 << 2, THREAD_DIMENSIONS = 1 << 5, W32 = 1 << 15 };

static void put_direct(struct testing_stream *stream, uint32_t x, uint32_t initiator)
{
    testing_packet(stream, PM4_DISPATCH_DIRECT, 4, x, 1u, 1u, initiator);
}

/* STORE_IDS leaves number + 1 in the word of each thread that ran; all others are zero. */
static void assert_ran(const struct testing_ring *f, uint32_t first, uint32_t count)
{
    for (uint32_t n = 0; n < 4096; n++)
        assert_int_equal(word(f, 0)[n], n >= first && n < first + count ? n + 1 : 0);
}

static void groups_and_threads_run_as_the_registers_say(void **state)
{
    struct testing_ring *f = *state;
    testing_use(&f->stream, STORE_IDS, data(f, 0), 64);
    put_direct(&f->stream, 5, EN | FORCE_START);
    testing_ring_run(f);
    assert_ran(f, 0, 5 * 64);
}

static void waves_of_32_lanes_run_the_same(void **state)
{
    struct testing_ring *f = *state;
    testing_use(&f->stream, STORE_IDS, data(f, 0), 48);
    put_direct(&f->stream, 3, EN | FORCE_START | W32);
    testing_ring_run(f);
    assert_ran(f, 0, 3 * 48);
}

static void the_last_group_is_as_small_as_num_thread_partial_says(void **state)
{
    struct testing_ring *f = *state;
    testing_use(&f->stream, STORE_IDS, data(f, 0), 64 | 10 << 16);
    put_direct(&f->stream, 3, EN | FORCE_START | PARTIAL);
    testing_ring_run(f);
    assert_ran(f, 0, 2 * 64 + 10);
}

static void without_the_bit_the_partial_size_means_nothing(void **state)
{
    struct testing_ring *f = *state;
    testing_use(&f->stream, STORE_IDS, data(f, 0), 64 | 10 << 16);
    put_direct(&f->stream, 2, EN | FORCE_START);
    testing_ring_run(f);
    assert_ran(f, 0, 2 * 64);
}

static void sizes_in_threads_end_in_a_partial_group(void **state)
{
    struct testing_ring *f = *state;
    testing_use(&f->stream, STORE_IDS, data(f, 0), 64);
    put_direct(&f->stream, 100, EN | FORCE_START | THREAD_DIMENSIONS);
    testing_ring_run(f);
    assert_ran(f, 0, 100);
}

/* The packet says where the grid ends, COMPUTE_START_X where it starts; FORCE_START_AT_000 takes it for zero. */
static void the_grid_starts_where_compute_start_says(void **state)
{
    struct testing_ring *f = *state;
    testing_use(&f->stream, STORE_IDS, data(f, 0), 64);
    testing_set(&f->stream, PM4_REG_COMPUTE_START_X, 3, 2u, 0u, 0u);
    put_direct(&f->stream, 5, EN);
    testing_ring_run(f);
    assert_ran(f, 2 * 64, 3 * 64);
}

static void a_dimension_of_zero_is_a_legal_dispatch_of_nothing(void **state)
{
    struct testing_ring *f = *state;
    word(f, 0x8000)[1] = 1; /* zero groups in x */
    testing_use(&f->stream, STORE_IDS, data(f, 0), 64);
    put_direct(&f->stream, 0, EN | FORCE_START);
    testing_packet(&f->stream, PM4_SET_BASE, 3, (uint32_t)PM4_V_BASE_INDIRECT_DATA, low(data(f, 0x8000)), high(data(f, 0x8000)));
    testing_packet(&f->stream, PM4_DISPATCH_INDIRECT, 2, 0u, (uint32_t)(EN | FORCE_START));
    testing_ring_run(f);
    assert_ran(f, 0, 0);
}

static void indirect_sizes_that_the_dispatch_before_wrote_are_seen(void **state)
{
    struct testing_ring *f = *state;
    word(f, 0x8000)[1] = word(f, 0x8000)[2] = 1;
    testing_use(&f->stream, ADD_ONE, data(f, 0x8000), 1); /* 0 groups become 1 */
    put_direct(&f->stream, 1, EN | FORCE_START);
    put_direct(&f->stream, 1, EN | FORCE_START); /* 2 */
    testing_use(&f->stream, STORE_IDS, data(f, 0), 64);
    testing_packet(&f->stream, PM4_SET_BASE, 3, (uint32_t)PM4_V_BASE_INDIRECT_DATA, low(data(f, 0)), high(data(f, 0)));
    testing_packet(&f->stream, PM4_DISPATCH_INDIRECT, 2, 0x8000u, (uint32_t)(EN | FORCE_START));
    testing_ring_run(f);
    for (uint32_t n = 0; n < 2 * 64; n++)
        assert_int_equal(word(f, 0)[n], n + 1);
    assert_int_equal(word(f, 0)[2 * 64], 0);
}

static void compute_rings_give_the_indirect_address_itself(void **state)
{
    struct testing_ring *f = *state;
    word(f, 0x8000)[0] = 3;
    word(f, 0x8000)[1] = word(f, 0x8000)[2] = 1;
    testing_use(&f->stream, STORE_IDS, data(f, 0), 64);
    testing_packet(&f->stream, PM4_DISPATCH_INDIRECT_MEC, 3, low(data(f, 0x8000)), high(data(f, 0x8000)),
                   (uint32_t)(EN | FORCE_START));
    testing_ring_run(f);
    for (uint32_t n = 0; n < 3 * 64; n++)
        assert_int_equal(word(f, 0)[n], n + 1);
}

/* CS_INVOCATIONS is the eleventh of SAMPLE_PIPELINESTAT's counters, and counts the threads that there are. */
static void pipeline_statistics_count_the_threads_between_start_and_stop(void **state)
{
    struct testing_ring *f = *state;
    enum { CS_INVOCATIONS = 10 * 2 };
    testing_use(&f->stream, COUNT, data(f, 0), 64 | 10 << 16);
    put_direct(&f->stream, 2, EN | FORCE_START);
    testing_packet(&f->stream, PM4_EVENT_WRITE, 1, (uint32_t)PM4_V_EVENT_PIPELINESTAT_START);
    put_direct(&f->stream, 3, EN | FORCE_START | PARTIAL);
    testing_packet(&f->stream, PM4_EVENT_WRITE, 1, (uint32_t)PM4_V_EVENT_PIPELINESTAT_STOP);
    put_direct(&f->stream, 2, EN | FORCE_START);
    testing_packet(&f->stream, PM4_EVENT_WRITE, 3,
                   (uint32_t)(PM4_V_EVENT_SAMPLE_PIPELINESTAT | PM4_V_EVENT_INDEX_SAMPLE_PIPELINESTAT << 8), low(data(f, 0x100)),
                   high(data(f, 0x100)));
    testing_ring_run(f);
    assert_int_equal(word(f, 0x100)[CS_INVOCATIONS], 2 * 64 + 10);
    assert_int_equal(word(f, 0)[0], 4 * 64 + 2 * 64 + 10);
}

/* COMPUTE_TMPRING_SIZE: two waves of 3 KiB; each wave gets its place in the ring behind the ids. */
static void waves_get_their_places_in_the_scratch_ring(void **state)
{
    struct testing_ring *f = *state;
    enum { SCRATCH_EN = 1, USER_SGPRS_3 = 3 << 1, TGID_X = 1 << 7, WAVES = 2, WAVE_KIB = 3, GROUPS = 16 };
    memset(word(f, 0), 0xff, GROUPS * sizeof(uint32_t));
    testing_use(&f->stream, SCRATCH, data(f, 0), 64);
    testing_set(&f->stream, PM4_REG_COMPUTE_PGM_RSRC2, 1, (uint32_t)(SCRATCH_EN | USER_SGPRS_3 | TGID_X));
    testing_set(&f->stream, PM4_REG_COMPUTE_TMPRING_SIZE, 1, (uint32_t)(WAVES | WAVE_KIB << 12));
    put_direct(&f->stream, GROUPS, EN | FORCE_START);
    testing_ring_run(f);
    for (uint32_t n = 0; n < GROUPS; n++)
        assert_true(word(f, 0)[n] == 0 || word(f, 0)[n] == WAVE_KIB * 1024);
}

/* ACQUIRE_MEM with an invalidation of instructions, and each new submission: changed code is run, not what was translated
 * before. */
/* 8 VGPRs of its own and 8 shared: v8 is one register for both halves of a wave of 64. */
static void shared_vgprs_are_common_to_both_halves_of_a_wave(void **state)
{
    enum { LANES = 64, HALF = 32, SHARED_8 = 1 };
    struct testing_ring *f = *state;
    testing_use(&f->stream, SHARE, data(f, 0), LANES);
    testing_set(&f->stream, PM4_REG_COMPUTE_PGM_RSRC3, 1, (uint32_t)SHARED_8);
    put_direct(&f->stream, 1, EN | FORCE_START);
    testing_ring_run(f);
    for (uint32_t n = 0; n < LANES; n++)
        assert_int_equal(word(f, 0)[n], n % HALF + 1);
}

static void changed_code_runs_after_an_invalidation(void **state)
{
    struct testing_ring *f = *state;
    enum { GLI_INV_ALL = 1, OTHER_WORD = 4 };
    static const uint32_t add_two = 0x4a060682; /* v_add_nc_u32 v3, 2, v3, in the place of + 1 */
    testing_use(&f->stream, ADD_ONE, data(f, 0), 1);
    put_direct(&f->stream, 1, EN | FORCE_START);
    testing_write(&f->stream, testing_code(f->gpu, ADD_ONE) + 6 * OTHER_WORD, add_two);
    testing_packet(&f->stream, PM4_ACQUIRE_MEM, 7, 0u, ~0u, 0xffffffu, 0u, 0u, 10u, (uint32_t)GLI_INV_ALL);
    put_direct(&f->stream, 1, EN | FORCE_START);
    testing_ring_run(f);
    assert_int_equal(word(f, 0)[0], 3);
}

/* ---- what goes wrong ---- */

static void a_fault_is_reported_with_program_and_instruction_and_the_ring_goes_on(void **state)
{
    struct testing_ring *f = *state;
    testing_use(&f->stream, WILD, UINT64_C(0x123400000000), 64);
    put_direct(&f->stream, 1, EN | FORCE_START);
    testing_write(&f->stream, data(f, 0), 1);
    assert_int_equal(testing_run(f->ring, &f->stream), SUBMIT_FENCE_DONE);
    assert_int_equal(word(f, 0)[0], 1);
    assert_true(cp_gpu_failed(f->gpu->cp));
    assert_non_null(strstr(f->gpu->log, "global_store_dword"));
    assert_non_null(strstr(f->gpu->log, "0x123400000000"));
}

static void groups_that_no_hardware_can_run_are_refused(void **state)
{
    struct testing_ring *f = *state;
    testing_use(&f->stream, STORE_IDS, data(f, 0), 1025);
    put_direct(&f->stream, 1, EN | FORCE_START);
    testing_use(&f->stream, COUNT, data(f, 0), 64);
    testing_set(&f->stream, PM4_REG_COMPUTE_PGM_RSRC1, 2, 1u << 26, 0u); /* FP16_OVFL */
    put_direct(&f->stream, 1, EN | FORCE_START);
    testing_set(&f->stream, PM4_REG_COMPUTE_PGM_RSRC1, 2, 1u, 129u << 15); /* 64.5 KiB of LDS */
    put_direct(&f->stream, 1, EN | FORCE_START);
    testing_set(&f->stream, PM4_REG_COMPUTE_PGM_RSRC1, 2, 1u, 1u); /* scratch, and no ring for it */
    put_direct(&f->stream, 1, EN | FORCE_START);
    testing_write(&f->stream, data(f, 0x8000), 1);
    assert_int_equal(testing_run(f->ring, &f->stream), SUBMIT_FENCE_DONE);
    assert_ran(f, 0, 0);
    assert_int_equal(word(f, 0x8000)[0], 1);
    assert_non_null(strstr(f->gpu->log, "1025 x 1 x 1 threads"));
    assert_non_null(strstr(f->gpu->log, "FP16_OVFL"));
}

int main(void)
{
#define G(name) cmocka_unit_test_setup_teardown(name, testing_graphics_ring, testing_ring_tear_down)
#define C(name) cmocka_unit_test_setup_teardown(name, testing_compute_ring, testing_ring_tear_down)
    const struct CMUnitTest tests[] = {
        G(groups_and_threads_run_as_the_registers_say),
        C(waves_of_32_lanes_run_the_same),
        G(the_last_group_is_as_small_as_num_thread_partial_says),
        G(without_the_bit_the_partial_size_means_nothing),
        C(sizes_in_threads_end_in_a_partial_group),
        C(the_grid_starts_where_compute_start_says),
        G(a_dimension_of_zero_is_a_legal_dispatch_of_nothing),
        G(indirect_sizes_that_the_dispatch_before_wrote_are_seen),
        C(compute_rings_give_the_indirect_address_itself),
        G(pipeline_statistics_count_the_threads_between_start_and_stop),
        C(waves_get_their_places_in_the_scratch_ring),
        G(shared_vgprs_are_common_to_both_halves_of_a_wave),
        C(shared_vgprs_are_common_to_both_halves_of_a_wave),
        G(changed_code_runs_after_an_invalidation),
        G(a_fault_is_reported_with_program_and_instruction_and_the_ring_goes_on),
        C(groups_that_no_hardware_can_run_are_refused),
    };
#undef G
#undef C
    return cmocka_run_group_tests(tests, NULL, NULL);
}
