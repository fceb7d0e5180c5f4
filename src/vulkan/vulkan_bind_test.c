/* What a dispatch on copies is bound to: store-only buffers and their masks (D809), buffers that are read as well, and what lies outside of
 * descriptors; with the argument `staged`, moved as on a device with memory of its own. */
#include "vulkan/vulkan_testing.h"

#include "vulkan/vulkan_engine.h"
#include "vulkan/vulkan_resident.h"

#define RUN(f, code) testing_run_code(f, code, sizeof(code))

/* Assembled with llvm-mc for gfx1030, wave32. s[0:7] as the test has them, s8: the group. */
static const uint32_t store_even_of_buffer[] = {
    0x8f098608,             /* s_lshl_b32 s9, s8, 6 */
    0x4a020009,             /* v_add_nc_u32 v1, s9, v0 */
    0x34040282,             /* v_lshlrev_b32 v2, 2, v1 */
    0x36060081,             /* v_and_b32 v3, 1, v0 */
    0x4a0802ff, 0x00000100, /* v_add_nc_u32 v4, 0x100, v1 */
    0x7d840680,             /* v_cmp_eq_u32 vcc_lo, 0, v3 */
    0x877e6a7e,             /* s_and_b32 exec_lo, exec_lo, vcc_lo */
    0xe0701000, 0x80010402, /* buffer_store_dword v4, v2, s[4:7], 0 offen */
    0xbf810000,             /* s_endpgm */
};

static const uint32_t store_two_buffers[] = {
    0x8f098608,             /* s_lshl_b32 s9, s8, 6 */
    0x4a020009,             /* v_add_nc_u32 v1, s9, v0 */
    0x34040282,             /* v_lshlrev_b32 v2, 2, v1 */
    0x36060081,             /* v_and_b32 v3, 1, v0 */
    0x4a0802ff, 0x00000100, /* v_add_nc_u32 v4, 0x100, v1 */
    0x7d840680,             /* v_cmp_eq_u32 vcc_lo, 0, v3 */
    0xbe8a037e,             /* s_mov_b32 s10, exec_lo */
    0x877e6a7e,             /* s_and_b32 exec_lo, exec_lo, vcc_lo */
    0xdc708000, 0x00000402, /* global_store_dword v2, v4, s[0:1] */
    0x8a7e6a0a,             /* s_andn2_b32 exec_lo, s10, vcc_lo */
    0xdc708000, 0x00040402, /* global_store_dword v2, v4, s[4:5] */
    0xbf810000,             /* s_endpgm */
};

static const uint32_t copy_even[] = {
    0x8f098608,             /* s_lshl_b32 s9, s8, 6 */
    0x4a020009,             /* v_add_nc_u32 v1, s9, v0 */
    0x34040282,             /* v_lshlrev_b32 v2, 2, v1 */
    0x36060081,             /* v_and_b32 v3, 1, v0 */
    0x7d840680,             /* v_cmp_eq_u32 vcc_lo, 0, v3 */
    0x877e6a7e,             /* s_and_b32 exec_lo, exec_lo, vcc_lo */
    0xdc308000, 0x04040002, /* global_load_dword v4, v2, s[4:5] */
    0xbf8c3f70,             /* s_waitcnt vmcnt(0) */
    0xdc708000, 0x00000402, /* global_store_dword v2, v4, s[0:1] */
    0xbf810000,             /* s_endpgm */
};

static const uint32_t store_two_of_three_words[] = {
    0x8f098608,             /* s_lshl_b32 s9, s8, 6 */
    0x4a020009,             /* v_add_nc_u32 v1, s9, v0 */
    0x1604028c,             /* v_mul_u32_u24 v2, 12, v1 */
    0x4a0802ff, 0x00000100, /* v_add_nc_u32 v4, 0x100, v1 */
    0x4a0a02ff, 0x00000200, /* v_add_nc_u32 v5, 0x200, v1 */
    0xe0741000, 0x80010402, /* buffer_store_dwordx2 v[4:5], v2, s[4:7], 0 offen */
    0xbf810000,             /* s_endpgm */
};

static const uint32_t copy_from_buffer[] = {
    0x8f098608,             /* s_lshl_b32 s9, s8, 6 */
    0x4a020009,             /* v_add_nc_u32 v1, s9, v0 */
    0x34040282,             /* v_lshlrev_b32 v2, 2, v1 */
    0x7e080301,             /* v_mov_b32 v4, v1 */
    0xe0301000, 0x80010402, /* buffer_load_dword v4, v2, s[4:7], 0 offen */
    0xbf8c3f70,             /* s_waitcnt vmcnt(0) */
    0xdc708000, 0x00000402, /* global_store_dword v2, v4, s[0:1] */
    0xbf810000,             /* s_endpgm */
};

static const uint32_t add_to_records[] = {
    0x8f098608,             /* s_lshl_b32 s9, s8, 6 */
    0x4a020009,             /* v_add_nc_u32 v1, s9, v0 */
    0x34040282,             /* v_lshlrev_b32 v2, 2, v1 */
    0xdc308000, 0x03000002, /* global_load_dword v3, v2, s[0:1] */
    0xbf8c3f70,             /* s_waitcnt vmcnt(0) */
    0xe0302000, 0x02010503, /* buffer_load_dword v5, v3, s[4:7], s2 idxen */
    0xbf8c3f70,             /* s_waitcnt vmcnt(0) */
    0x4a0a0305,             /* v_add_nc_u32 v5, v5, v1 */
    0xe0702000, 0x02010503, /* buffer_store_dword v5, v3, s[4:7], s2 idxen */
    0xbf810000,             /* s_endpgm */
};

static const uint32_t store_beyond_scratch[] = {
    0x7e020280,             /* v_mov_b32 v1, 0 */
    0xdcc98000, 0x02020101, /* global_atomic_add v2, v1, v1, s[2:3] glc */
    0xbf8c3f70,             /* s_waitcnt vmcnt(0) */
    0x34040482,             /* v_lshlrev_b32 v2, 2, v2 */
    0xdc348000, 0x03000002, /* global_load_dwordx2 v[3:4], v2, s[0:1] */
    0xb984f814,             /* s_setreg_b32 hwreg(HW_REG_FLAT_SCR_LO), s4 */
    0xb985f815,             /* s_setreg_b32 hwreg(HW_REG_FLAT_SCR_HI), s5 */
    0xbf8c3f70,             /* s_waitcnt vmcnt(0) */
    0x4a060103,             /* v_add_nc_u32 v3, v3, v0 */
    0xdc704000, 0x007d0304, /* scratch_store_dword v4, v3, off */
    0xbf810000,             /* s_endpgm */
};

/* ---- what the device has ---- */

static void look(struct fixture *f, const struct vulkan_buffer *buffer, uint64_t offset, uint64_t size, void *bytes)
{
    struct vulkan_mover *mover = &vulkan_engine_mirror(f->engine)->mover;
    const uint8_t *at;
    assert_true(vulkan_mover_wait(mover));
    assert_true(vulkan_mover_get(mover, buffer, offset, size, &at));
    assert_true(vulkan_mover_wait(mover));
    memcpy(bytes, at, size);
}

static struct vulkan_resident *resident_of(struct fixture *f, uint64_t address)
{
    struct vulkan_resident *found = vulkan_resident_of(vulkan_engine_mirror(f->engine), (struct device_range){address, 4});
    assert_non_null(found);
    return found;
}

/* The mask over `count` words at an address. */
static void look_at_mask(struct fixture *f, uint64_t address, uint32_t count, uint8_t *mask)
{
    const struct vulkan_resident *resident = resident_of(f, address);
    uint64_t bytes = count * sizeof(uint32_t);
    for (uint32_t n = 0; n < resident->owed_count; n++) {
        const struct vulkan_owed *owed = &resident->owed[n];
        uint64_t skip = address - owed->start;
        if (!owed->mask || skip > owed->size || bytes > owed->size - skip)
            continue;
        look(f, &owed->mask->copy, owed->offset + owed->lead + skip / sizeof(uint32_t), count, mask);
        return;
    }
    fail_msg("nothing is owed at 0x%llx", (unsigned long long)address);
}

static void look_at_copy(struct fixture *f, uint64_t address, uint32_t count, uint32_t *words)
{
    const struct vulkan_resident *resident = resident_of(f, address);
    look(f, &resident->block->copy, resident->offset + resident->phase + (address - resident->run.start), count * sizeof *words,
         words);
}

/* The words of a store of every second lane end with that of the last but one. */
enum { EVEN_WORDS = WORDS - 1 };

/* ---- D809 ---- */

static void a_store_only_buffer_is_not_read(void **state)
{
    struct fixture *f = *state;
    testing_put_pattern(f);
    RUN(f, testing_store_even);
    assert_int_equal(vulkan_engine_moved(f->engine).uploaded, 0);
    testing_settle(f, DEVICE_EVERYTHING);
    assert_int_equal(vulkan_engine_moved(f->engine).uploaded, 0);
    testing_assert_elsewhere(f, 1, 0, "");
}

static void a_store_only_buffer_starts_at_zero_on_the_device(void **state)
{
    struct fixture *f = *state;
    uint32_t words[WORDS];
    testing_put_pattern(f);
    RUN(f, testing_store_even);
    look_at_copy(f, f->base + AT_DATA, WORDS, words);
    for (unsigned n = 0; n < WORDS; n++)
        assert_int_equal(words[n], testing_stores_even(n) ? 0x100 + n : 0);
}

static void the_mask_marks_exactly_what_was_stored(void **state)
{
    struct fixture *f = *state;
    uint8_t mask[WORDS + 1];
    RUN(f, testing_store_even);
    look_at_mask(f, f->base + AT_DATA, EVEN_WORDS, mask);
    for (unsigned n = 0; n < EVEN_WORDS; n++)
        assert_int_equal(mask[n], testing_stores_even(n));
}

static void a_store_in_a_lane_that_is_not_running_marks_nothing(void **state)
{
    struct fixture *f = *state;
    uint8_t mask[WORDS + 1];
    testing_put_pattern(f);
    RUN(f, testing_store_even);
    look_at_mask(f, f->base + AT_DATA, EVEN_WORDS, mask);
    for (unsigned n = 1; n < EVEN_WORDS; n += 2)
        assert_int_equal(mask[n], 0);
    testing_settle(f, DEVICE_EVERYTHING);
    for (unsigned n = 1; n < EVEN_WORDS; n += 2)
        assert_int_equal(testing_words(f)[n], PATTERN + n);
}

static void a_store_outside_the_buffer_marks_nothing(void **state)
{
    enum { HELD = WORDS / 2, RAW = 3 << 28, DATA_32 = 20 << 12 };
    struct fixture *f = *state;
    uint64_t data = f->base + AT_DATA;
    uint8_t mask[HELD + 1];
    /* s[4:7]: a raw buffer of half the words that the lanes store to */
    const uint64_t pairs[4] = {0, 0, data, (uint64_t)HELD * sizeof(uint32_t) | (uint64_t)(RAW | DATA_32) << 32};
    testing_put_pattern(f);
    testing_put_code(f, store_even_of_buffer, sizeof store_even_of_buffer);
    testing_run_on(f, pairs, GROUPS, THREADS);
    assert_false(f->result.failed);
    assert_int_equal(vulkan_engine_moved(f->engine).uploaded, 0);
    const struct vulkan_resident *resident = resident_of(f, data);
    assert_int_equal(resident->owed_count, 1);
    uint32_t words = (uint32_t)(resident->owed[0].size / sizeof(uint32_t));
    assert_true(words <= HELD);
    look(f, &resident->owed[0].mask->copy, resident->owed[0].offset + resident->owed[0].lead, words + 1, mask);
    for (unsigned n = 0; n < words; n++)
        assert_int_equal(mask[n], n % 2 == 0);
    assert_int_equal(mask[words], 1); /* where those that did not land are marked */
    testing_settle(f, DEVICE_EVERYTHING);
    for (unsigned n = 0; n < WORDS; n++)
        assert_int_equal(testing_words(f)[n], n < HELD && n % 2 == 0 ? 0x100 + n : PATTERN + n);
}

static void the_zeros_of_words_not_stored_never_reach_guest_memory(void **state)
{
    struct fixture *f = *state;
    testing_put_pattern(f);
    RUN(f, testing_store_even);
    testing_settle(f, DEVICE_EVERYTHING);
    for (unsigned n = 0; n < 2 * WORDS; n++)
        assert_int_equal(testing_words(f)[n], testing_stores_even(n) ? 0x100 + n : PATTERN + n);
}

static void the_host_writes_back_exactly_the_words_that_are_marked(void **state)
{
    struct fixture *f = *state;
    testing_put_pattern(f);
    RUN(f, testing_store_even);
    for (unsigned n = 0; n < WORDS; n++)
        testing_words(f)[n] = n; /* the guest goes on: what is marked is the device's, the rest is the guest's */
    testing_settle(f, DEVICE_EVERYTHING);
    for (unsigned n = 0; n < WORDS; n++)
        assert_int_equal(testing_words(f)[n], testing_stores_even(n) ? 0x100 + n : n);
    testing_words(f)[0] = 5; /* and once only */
    testing_settle(f, DEVICE_EVERYTHING);
    assert_int_equal(testing_words(f)[0], 5);
}

static void marks_of_one_dispatch_and_the_next_are_kept_together(void **state)
{
    struct fixture *f = *state;
    testing_put_pattern(f);
    RUN(f, testing_store_even);
    RUN(f, testing_store_even);
    assert_int_equal(resident_of(f, f->base + AT_DATA)->owed_count, 1);
    testing_settle(f, DEVICE_EVERYTHING);
    assert_int_equal(resident_of(f, f->base + AT_DATA)->owed_count, 0);
    testing_words(f)[2] = 9;
    testing_changed(f, DEVICE_EVERYTHING);
    RUN(f, testing_store_even);
    testing_words(f)[3] = 9;
    testing_settle(f, DEVICE_EVERYTHING);
    assert_int_equal(testing_words(f)[2], 0x102);
    assert_int_equal(testing_words(f)[3], 9);
}

static void each_buffer_has_its_mask(void **state)
{
    struct fixture *f = *state;
    uint64_t one = f->base + AT_DATA, other = one + 2 * PAGE;
    uint8_t mask[WORDS + 1];
    const uint64_t pairs[4] = {one, 0, other, 0};
    testing_put_code(f, store_two_buffers, sizeof store_two_buffers);
    testing_run_on(f, pairs, GROUPS, THREADS);
    assert_false(f->result.failed);
    look_at_mask(f, one, EVEN_WORDS, mask);
    for (unsigned n = 0; n < EVEN_WORDS; n++)
        assert_int_equal(mask[n], n % 2 == 0);
    look_at_mask(f, other + sizeof(uint32_t), EVEN_WORDS, mask); /* the lanes between */
    for (unsigned n = 0; n < EVEN_WORDS; n++)
        assert_int_equal(mask[n], n % 2 == 0);
}

/* Wherever the range begins in a page: marks are cleared by fours. */
static void a_page_that_is_written_back_leaves_the_marks_of_the_next(void **state)
{
    struct fixture *f = *state;
    testing_put_code(f, store_two_buffers, sizeof store_two_buffers);
    for (uint32_t before = 100; before < 108; before++) {
        const uint64_t page = f->base + AT_DATA + PAGE, one = page - before * sizeof(uint32_t);
        uint32_t *words = testing_words(f) + PAGE / sizeof(uint32_t) - before;
        uint8_t mask[EVEN_WORDS];
        for (uint32_t n = 0; n < WORDS; n++)
            words[n] = PATTERN + n;
        testing_changed(f, DEVICE_EVERYTHING);
        testing_run_on(f, (uint64_t[]){one, 0, page + 2 * PAGE, 0}, GROUPS, THREADS);
        assert_false(f->result.failed);
        testing_settle(f, (struct device_range){page - PAGE, PAGE});
        look_at_mask(f, one, EVEN_WORDS, mask);
        for (uint32_t n = 0; n < EVEN_WORDS; n++) {
            assert_int_equal(mask[n], n >= before && n % 2 == 0);
            assert_int_equal(words[n], n >= before || n % 2 ? PATTERN + n : 0x100 + n);
        }
        testing_settle(f, DEVICE_EVERYTHING);
        for (uint32_t n = 0; n < WORDS; n += 2)
            assert_int_equal(words[n], 0x100 + n);
    }
}

static void marks_land_in_the_mask_of_what_is_stored_where_another_buffer_is_read(void **state)
{
    struct fixture *f = *state;
    const uint64_t data = f->base + AT_DATA, read = data + 2 * PAGE;
    uint8_t mask[EVEN_WORDS];
    testing_put_pattern(f);
    for (unsigned n = 0; n < WORDS; n++)
        testing_words(f)[2 * PAGE / 4 + n] = 3 * n;
    testing_put_code(f, copy_even, sizeof copy_even);
    testing_run_on(f, (uint64_t[]){data, 0, read, 0}, GROUPS, THREADS);
    assert_false(f->result.failed);
    assert_int_equal(testing_bound_at(f, data)->use, VULKAN_MARKED);
    assert_int_equal(testing_bound_at(f, read)->use, VULKAN_READ);
    assert_int_equal(vulkan_engine_moved(f->engine).uploaded, PAGE); /* what is read, and nothing else */
    look_at_mask(f, data, EVEN_WORDS, mask);
    for (unsigned n = 0; n < EVEN_WORDS; n++)
        assert_int_equal(mask[n], n % 2 == 0);
    assert_int_equal(resident_of(f, data)->owed_count, 1); /* nothing of the other */
    testing_settle(f, DEVICE_EVERYTHING);
    for (unsigned n = 0; n < WORDS; n++) {
        assert_int_equal(testing_words(f)[n], testing_stores_even(n) ? 3 * n : PATTERN + n);
        assert_int_equal(testing_words(f)[2 * PAGE / 4 + n], 3 * n);
    }
}

/* Ranges are checked word by word: of the store that crosses the end the first word lands and is marked. */
static void of_a_store_that_is_partly_outside_what_lands_is_marked(void **state)
{
    enum { HELD_LANES = 100, HELD = 3 * HELD_LANES + 1, RAW = 3 << 28, DATA_32 = 20 << 12 };
    struct fixture *f = *state;
    const uint64_t data = f->base + AT_DATA;
    uint8_t mask[HELD];
    testing_put_pattern(f);
    testing_put_code(f, store_two_of_three_words, sizeof store_two_of_three_words);
    testing_run_on(f, (uint64_t[]){0, 0, data, HELD * sizeof(uint32_t) | (uint64_t)(RAW | DATA_32) << 32}, GROUPS, THREADS);
    assert_false(f->result.failed);
    assert_int_equal(vulkan_engine_moved(f->engine).uploaded, 0);
    look_at_mask(f, data, HELD, mask);
    for (unsigned n = 0; n < HELD; n++)
        assert_int_equal(mask[n], n % 3 < 2);
    testing_settle(f, DEVICE_EVERYTHING);
    for (unsigned n = 0; n < 2 * WORDS; n++)
        assert_int_equal(testing_words(f)[n], n >= HELD || n % 3 == 2 ? PATTERN + n : n / 3 + (n % 3 ? 0x200 : 0x100));
}

static void where_all_is_certainly_stored_there_is_no_mask(void **state)
{
    struct fixture *f = *state;
    testing_put_pattern(f);
    uint64_t data = f->base + AT_DATA;
    RUN(f, testing_store_all);
    const struct vulkan_resident *resident = resident_of(f, data);
    for (uint32_t n = 0; n < resident->owed_count; n++)
        assert_null(resident->owed[n].mask);
    assert_int_equal(vulkan_engine_moved(f->engine).uploaded, 0);
    testing_settle(f, DEVICE_EVERYTHING);
    for (unsigned n = 0; n < 2 * WORDS; n++)
        assert_int_equal(testing_words(f)[n], n < WORDS ? 0x100 + n : PATTERN + n);
}

static void a_buffer_also_read_is_written_back_by_comparing_its_words(void **state)
{
    struct fixture *f = *state;
    testing_put_pattern(f);
    RUN(f, testing_add_one);
    assert_int_equal(resident_of(f, f->base + AT_DATA)->owed_count, 0);
    for (unsigned n = WORDS; n < 2 * WORDS; n++)
        testing_words(f)[n] = n; /* in the same page; not the dispatch's */
    testing_settle(f, DEVICE_EVERYTHING);
    for (unsigned n = 0; n < 2 * WORDS; n++)
        assert_int_equal(testing_words(f)[n], n < WORDS ? PATTERN + n + 1 : n);
}

static void what_was_only_stored_is_there_for_who_reads_it_next(void **state)
{
    struct fixture *f = *state;
    testing_put_pattern(f);
    RUN(f, testing_store_even);
    RUN(f, testing_add_one);
    testing_settle(f, DEVICE_EVERYTHING);
    for (unsigned n = 0; n < WORDS; n++)
        assert_int_equal(testing_words(f)[n], (testing_stores_even(n) ? 0x100 + n : PATTERN + n) + 1);
    RUN(f, testing_store_all);
    RUN(f, testing_add_one);
    testing_settle(f, DEVICE_EVERYTHING);
    for (unsigned n = 0; n < WORDS; n++)
        assert_int_equal(testing_words(f)[n], 0x101 + n);
}

/* The copy holds the words already, and so does its shadow: neither says that the guest has others. */
static void what_is_stored_whole_reaches_a_guest_that_wrote_over_the_same_words_before(void **state)
{
    struct fixture *f = *state;
    testing_put_pattern(f);
    RUN(f, testing_add_one); /* the page is held from here on */
    RUN(f, testing_store_all);
    testing_settle(f, DEVICE_EVERYTHING);
    testing_put_pattern(f);
    testing_changed(f, DEVICE_EVERYTHING);
    RUN(f, testing_store_all);
    testing_settle(f, DEVICE_EVERYTHING);
    for (unsigned n = 0; n < 2 * WORDS; n++)
        assert_int_equal(testing_words(f)[n], n < WORDS ? 0x100 + n : PATTERN + n);
    testing_put_pattern(f);
    testing_changed(f, DEVICE_EVERYTHING);
    RUN(f, testing_store_all);
    RUN(f, testing_add_one);
    testing_settle(f, DEVICE_EVERYTHING);
    for (unsigned n = 0; n < 2 * WORDS; n++)
        assert_int_equal(testing_words(f)[n], n < WORDS ? 0x101 + n : PATTERN + n);
}

static void memory_whose_words_the_host_has_unaligned_is_stored_to_all_the_same(void **state)
{
    enum { BYTES = 2 * PAGE, SKIP = 1238 };
    struct fixture *f = *state;
    struct base_error why;
    uint64_t base, size, bytes = WORDS * sizeof(uint32_t);
    uint8_t *own = aligned_alloc(PAGE, BYTES);
    uint32_t word;
    assert_non_null(own);
    memset(own, 0x11, BYTES);
    mem_space_window(f->space, &base, &size);
    assert_true(mem_space_map(f->space, base + size, own + SKIP, bytes, true, &why));
    const uint32_t *codes[] = {testing_store_one_word, testing_store_even, testing_store_all};
    const size_t sizes[] = {sizeof testing_store_one_word, sizeof testing_store_even, sizeof testing_store_all};
    for (unsigned n = 0; n < 3; n++) {
        struct device_dispatch dispatch = testing_dispatch(f);
        dispatch.registers.user_data[0] = (uint32_t)(base + size);
        dispatch.registers.user_data[1] = (uint32_t)((base + size) >> 32);
        testing_put_code(f, codes[n], sizes[n]);
        testing_run_only(f, &dispatch);
        assert_false(f->result.failed);
        testing_settle(f, DEVICE_EVERYTHING);
        for (unsigned at = 0; at < WORDS; at++) {
            memcpy(&word, own + SKIP + at * sizeof word, sizeof word);
            assert_int_equal(word, n == 0 || (n == 1 && at % 2) ? 0x5eed : 0x100 + at);
        }
        for (unsigned at = 0; at < BYTES; at++)
            assert_true((at >= SKIP && at < SKIP + bytes) || own[at] == 0x11);
    }
    assert_true(mem_space_unmap(f->space, base + size, NULL, &why));
    RUN(f, testing_store_all);
    free(own);
}

/* ---- D746: a descriptor's own bounds ---- */

static void a_load_outside_its_descriptor_is_zero_and_no_escape(void **state)
{
    enum { HELD = WORDS / 2, RAW = 3 << 28, DATA_32 = 20 << 12 };
    struct fixture *f = *state;
    const uint64_t data = f->base + AT_DATA, read = data + 2 * PAGE;
    testing_put_pattern(f);
    for (unsigned n = 0; n < WORDS; n++)
        testing_words(f)[2 * PAGE / 4 + n] = 3 * n + 1;
    testing_put_code(f, copy_from_buffer, sizeof copy_from_buffer);
    testing_run_on(f, (uint64_t[]){data, 0, read, HELD * sizeof(uint32_t) | (uint64_t)(RAW | DATA_32) << 32}, GROUPS, THREADS);
    assert_false(f->result.failed);
    assert_int_equal(testing_bound_at(f, read)->range.size, HELD * sizeof(uint32_t));
    testing_settle(f, DEVICE_EVERYTHING);
    for (unsigned n = 0; n < 2 * WORDS; n++)
        assert_int_equal(testing_words(f)[n], n >= WORDS ? PATTERN + n : n < HELD ? 3 * n + 1 : 0);
    testing_assert_elsewhere(f, 1, 0, "");
}

/* ---- buffers whose accesses nobody knows ---- */

/* The records lie behind the descriptor's own bytes, where the scalar offset leads. */
static void a_structured_buffer_is_bound_where_its_scalar_offset_leads(void **state)
{
    enum { TABLE = 0x40000, FURTHER = 3 * PAGE, STRIDE_4 = 4 << 16, FORMAT = 20 << 12 | 4 };
    struct fixture *f = *state;
    const uint64_t data = f->base + AT_DATA;
    uint32_t *index = (uint32_t *)(void *)(f->host + TABLE), *words = testing_words(f) + FURTHER / sizeof *words;
    for (unsigned n = 0; n < WORDS; n++) {
        index[n] = WORDS - 1 - n;
        words[n] = PATTERN;
    }
    testing_put_code(f, add_to_records, sizeof add_to_records);
    testing_run_on(f, (uint64_t[]){f->base + TABLE, FURTHER, data | (uint64_t)STRIDE_4 << 32, WORDS | (uint64_t)FORMAT << 32},
                   GROUPS, THREADS);
    assert_false(f->result.failed);
    testing_settle(f, DEVICE_EVERYTHING);
    for (unsigned n = 0; n < WORDS; n++)
        assert_int_equal(words[n], PATTERN + WORDS - 1 - n);
    assert_true(vulkan_engine_moved(f->engine).uploaded <= 2 * PAGE); /* the table's and the records' */
    testing_assert_elsewhere(f, 1, 0, "");
}

/* The wave's scratch begins where the program says, and what is loaded is not known ahead: all of memory is shown to it, and it may store anywhere. */
static void a_store_to_scratch_that_leaves_it_is_written_back(void **state)
{
    enum { RING = 0x50000, COUNTER = 0x60000, AWAY = 0x70000, WAVE_BYTES = 1024 };
    struct fixture *f = *state;
    const uint32_t *away = (const uint32_t *)(const void *)(f->host + AWAY);
    testing_words(f)[0] = PATTERN;
    testing_words(f)[1] = 0; /* the offset */
    testing_put_code(f, store_beyond_scratch, sizeof store_beyond_scratch);
    struct device_dispatch dispatch =
        testing_dispatch_on(f, (uint64_t[]){f->base + AT_DATA, f->base + COUNTER, f->base + AWAY, 0}, 1, 32);
    dispatch.registers.scratch_base = f->base + RING;
    dispatch.registers.scratch_wave_bytes = WAVE_BYTES;
    dispatch.registers.scratch_waves = 4;
    testing_run_only(f, &dispatch);
    testing_settle(f, DEVICE_EVERYTHING);
    for (unsigned n = 0; n < 32; n++)
        assert_int_equal(away[n], PATTERN + n);
    testing_assert_elsewhere(f, 1, 0, "");
}

int main(int argc, char **argv)
{
    testing_choose(argc, argv);
    const struct CMUnitTest tests[] = {
        TEST(a_store_only_buffer_is_not_read),
        TEST(a_store_only_buffer_starts_at_zero_on_the_device),
        TEST(the_mask_marks_exactly_what_was_stored),
        TEST(a_store_in_a_lane_that_is_not_running_marks_nothing),
        TEST(a_store_outside_the_buffer_marks_nothing),
        TEST(the_zeros_of_words_not_stored_never_reach_guest_memory),
        TEST(the_host_writes_back_exactly_the_words_that_are_marked),
        TEST(marks_of_one_dispatch_and_the_next_are_kept_together),
        TEST(each_buffer_has_its_mask),
        TEST(a_page_that_is_written_back_leaves_the_marks_of_the_next),
        TEST(marks_land_in_the_mask_of_what_is_stored_where_another_buffer_is_read),
        TEST(of_a_store_that_is_partly_outside_what_lands_is_marked),
        TEST(where_all_is_certainly_stored_there_is_no_mask),
        TEST(a_buffer_also_read_is_written_back_by_comparing_its_words),
        TEST(what_was_only_stored_is_there_for_who_reads_it_next),
        TEST(what_is_stored_whole_reaches_a_guest_that_wrote_over_the_same_words_before),
        TEST(memory_whose_words_the_host_has_unaligned_is_stored_to_all_the_same),
        TEST(a_load_outside_its_descriptor_is_zero_and_no_escape),
        TEST(a_structured_buffer_is_bound_where_its_scalar_offset_leads),
        TEST(a_store_to_scratch_that_leaves_it_is_written_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
