/* The flow on small programs: buffers by their descriptors, apertures, shares and scratch, and memory that values come from. */
#include "trace/trace_flow_programs.h"
#include "trace/trace_flow_testing.h"

#include "image/image.h"

/* 1. Buffers. */

enum { FORMAT_32_UINT = 20, RAW = 3, STRUCTURED = 0 };

static void describe(uint32_t v[4], uint64_t base, uint32_t stride, uint32_t records, unsigned bounds)
{
    v[0] = (uint32_t)base;
    v[1] = (uint32_t)(base >> 32) | stride << 16;
    v[2] = records;
    v[3] = 4 | 5u << 3 | 6u << 6 | 7u << 9 | (uint32_t)FORMAT_32_UINT << 12 | bounds << 28;
}

static struct trace_guest *image(const uint32_t *program, size_t size, uint32_t stride, uint32_t records, unsigned bounds)
{
    struct trace_guest *g = trace_guest_create(program, size, 32, 4, 3);
    describe(g->dispatch.user_data, far_away, stride, records, bounds);
    trace_guest_grid(g, 480, 270, 1);
    trace_guest_threads(g, 8, 8, 1);
    image_width = 3840;
    image_height = 2160;
    return g;
}

#define IMAGE(name, stride, records, bounds) image(program_##name, sizeof program_##name, stride, records, bounds)

static void a_clear_through_a_descriptor_covers_the_buffer(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 2; n++) {
        struct trial t;
        run(&t, n ? IMAGE(image_raw, 0, 3840 * 2160 * 4, RAW) : IMAGE(image, 4, 3840 * 2160, STRUCTURED));
        const struct trace_site *s = site(&t, STORE, 0);
        assert_reaches(&t, s, image_word, 4);
        assert_true(s->covers);
        assert_true(s->described);
        assert_memory_equal(s->descriptor, t.g->dispatch.user_data, 16);
        assert_true(s->one_word);
        end(&t);
    }
}

static void what_a_descriptor_s_bounds_leave_out_is_not_reached(void **state)
{
    (void)state;
    const uint32_t rows[] = {1000, 2160, 3000};
    for (unsigned n = 0; n < 3; n++)
        for (unsigned raw = 0; raw < 2; raw++) {
            struct trial t;
            run(&t, raw ? IMAGE(image_raw, 0, 3840 * rows[n] * 4, RAW) : IMAGE(image, 4, 3840 * rows[n], STRUCTURED));
            image_height = rows[n] < 2160 ? rows[n] : 2160;
            assert_reaches(&t, site(&t, STORE, 0), image_word, 4);
            assert_true(site(&t, STORE, 0)->covers);
            end(&t);
        }
}

static bool row_word(const struct thread *t, uint64_t *address)
{
    *address = far_away + t->group[1] * 1024 + 4 * (t->group[0] * 8 + t->id[0]);
    return t->group[1] * 1024 + 4 * (t->group[0] * 8 + t->id[0]) + 4 <= 1024 * 200;
}

static void a_scalar_offset_takes_its_part_of_a_raw_buffer(void **state)
{
    (void)state;
    struct trial t;
    struct trace_guest *g = TRACE_GUEST(rows, 32, 4, 3);
    describe(g->dispatch.user_data, far_away, 0, 1024 * 200, RAW);
    trace_guest_grid(g, 32, 270, 1);
    trace_guest_threads(g, 8, 1, 1);
    run(&t, g);
    assert_reaches(&t, site(&t, STORE, 0), row_word, 4);
    assert_true(site(&t, STORE, 0)->covers);
    end(&t);
}

static void half_a_word_at_a_buffer_s_end_is_not_stored(void **state)
{
    (void)state;
    struct trial t;
    run(&t, IMAGE(image_raw, 0, 3840 * 1000 * 4 + 2, RAW));
    assert_false(site(&t, STORE, 0)->covers);
    end(&t);
}

enum { FORMAT_8_8_8_8_UNORM = 56 };

static void the_word_of_a_clear_is_as_the_format_makes_it(void **state)
{
    (void)state;
    struct trial t;
    struct trace_guest *g = IMAGE(image_format, 4, 3840 * 2160, STRUCTURED);
    g->dispatch.user_data[3] = (g->dispatch.user_data[3] & ~(0x7fu << 12)) | (uint32_t)FORMAT_8_8_8_8_UNORM << 12;
    run(&t, g);
    assert_reaches(&t, site(&t, STORE, 0), image_word, 4);
    assert_true(site(&t, STORE, 0)->one_word);
    assert_int_equal(site(&t, STORE, 0)->word, 0x00ff00ff); /* 1, 0, 1, 0 */
    end(&t);
}

static void an_unbound_buffer_reaches_nothing(void **state)
{
    (void)state;
    struct trial t;
    struct trace_guest *g = IMAGE(image, 4, 100, STRUCTURED);
    g->dispatch.user_data[3] &= ~(0x7fu << 12);
    run(&t, g);
    assert_int_equal(site(&t, STORE, 0)->place, TRACE_APART);
    end(&t);
}

static void an_index_from_memory_leaves_the_base_and_the_descriptor(void **state)
{
    (void)state;
    struct trial t;
    struct trace_guest *g = TRACE_GUEST(unknown_index, 32, 8, 1);
    trace_guest_point(g, 0, elsewhere);
    trace_guest_point(g, 2, far_away);
    describe(&g->dispatch.user_data[4], far_away + 0x100000, 0, 4096, RAW);
    run(&t, g);
    assert_int_equal(site(&t, LOAD, 1)->place, TRACE_BASED);
    assert_int_equal(site(&t, LOAD, 1)->base, far_away);
    assert_int_equal(site(&t, STORE, 0)->place, TRACE_BASED);
    assert_int_equal(site(&t, STORE, 0)->base, far_away);
    assert_true(site(&t, STORE, 0)->narrow);
    assert_int_equal(site(&t, STORE, 1)->place, TRACE_BASED);
    assert_true(site(&t, STORE, 1)->described);
    assert_non_null(site(&t, STORE, 1)->why);
    end(&t);
}

/* Words at any index and offset of a descriptor: the first and the last byte that one of them has. */
static struct trace_range let_through(const uint32_t descriptor[4], uint32_t soffset)
{
    struct image_buffer b = image_buffer_decode(descriptor);
    struct trace_range range = {UINT64_MAX, 0};
    for (uint32_t index = 0; index < 200; index++)
        for (uint32_t offset = 0; offset < 400; offset++) {
            struct image_buffer_access word = {.index = index, .offset = offset, .soffset = soffset, .payload = 4};
            bool outside = image_buffer_outside(&b, &word);
            for (unsigned byte = 0; byte < 4 && !outside; byte++, word.offset++) {
                uint64_t at = image_buffer_address(&b, &word);
                range.start = at < range.start ? at : range.start;
                range.end = at + 1 > range.end ? at + 1 : range.end;
            }
        }
    return range;
}

/* Records, and then a line's indices, that make no whole line. */
static void every_word_that_a_descriptor_lets_through_lies_in_its_window(void **state)
{
    (void)state;
    enum { SWIZZLE = 1u << 31, LINES_OF_32 = 2 << 21, RECORDS = 100, SOFFSET = 0x10000 };
    static const struct {
        uint32_t stride, swizzle, soffset;
        unsigned bounds;
    } rows[] = {
        {12, 0, SOFFSET, STRUCTURED}, {6, 0, 0, STRUCTURED},          {12, SWIZZLE, SOFFSET, STRUCTURED},
        {5, SWIZZLE, 0, STRUCTURED},  {5, SWIZZLE, SOFFSET + 4, RAW}, {0, 0, 16, RAW},
        {0, SWIZZLE, 16, RAW},
    };
    for (unsigned n = 0; n < sizeof rows / sizeof *rows; n++) {
        struct trial t;
        struct trace_guest *g = TRACE_GUEST(unknown_record, 32, 8, 1);
        uint32_t *descriptor = &g->dispatch.user_data[4];
        trace_guest_point(g, 0, elsewhere);
        g->dispatch.user_data[2] = rows[n].soffset;
        describe(descriptor, far_away, rows[n].stride, RECORDS, rows[n].bounds);
        descriptor[1] |= rows[n].swizzle;
        descriptor[3] |= LINES_OF_32;
        run(&t, g);
        const struct trace_site *s = site(&t, STORE, 0);
        struct trace_range all = let_through(descriptor, rows[n].soffset);
        assert_int_equal(s->place, TRACE_BASED);
        assert_true(s->windowed);
        assert_true(all.start == s->start && all.end <= s->end && all.start < all.end);
        if (!rows[n].swizzle)
            assert_int_equal(s->end, all.end);
        end(&t);
    }
}

/* Index only, or not at all; bytes that count, of records at an index that nobody knows. */
static void a_descriptor_that_bounds_no_offset_has_no_window(void **state)
{
    (void)state;
    for (unsigned bounds = 1; bounds <= RAW; bounds++) {
        struct trial t;
        struct trace_guest *g = TRACE_GUEST(unknown_record, 32, 8, 1);
        trace_guest_point(g, 0, elsewhere);
        describe(&g->dispatch.user_data[4], far_away, 16, 100, bounds);
        run(&t, g);
        assert_int_equal(site(&t, STORE, 0)->place, TRACE_BASED);
        assert_false(site(&t, STORE, 0)->windowed);
        end(&t);
    }
}

/* 2. Spaces. */

static void a_flat_address_clamped_into_an_aperture_is_apart(void **state)
{
    (void)state;
    struct trial t;
    struct trace_guest *g = TRACE_GUEST(clamped, 32, 4, 0);
    trace_guest_point(g, 2, elsewhere);
    run(&t, g);
    assert_int_equal(site(&t, STORE, 0)->space, IR_SPACE_FLAT);
    assert_int_equal(site(&t, STORE, 0)->place, TRACE_APART);
    end(&t);
}

static void a_flat_address_is_placed_where_it_is_known_to_miss_the_apertures(void **state)
{
    (void)state;
    const uint64_t bases[] = {far_away, UINT64_C(0x4000000000000000), UINT64_C(0x40000000ffffffc0)};
    const enum trace_place places[] = {TRACE_RANGE, TRACE_APART, TRACE_UNKNOWN};
    for (unsigned n = 0; n < 3; n++) {
        struct trial t;
        struct trace_guest *g = TRACE_GUEST(flat, 32, 4, 0);
        trace_guest_point(g, 2, bases[n]);
        g->dispatch.apertures = (struct wave_apertures){0x40000000, 0x50000000};
        run(&t, g);
        assert_int_equal(site(&t, STORE, 0)->place, places[n]);
        if (!n)
            assert_int_equal(site(&t, STORE, 0)->end, far_away + 128);
        end(&t);
    }
}

static void shares_and_scratch_are_apart(void **state)
{
    (void)state;
    struct trial t;
    run(&t, TRACE_GUEST(shares, 32, 4, 0));
    assert_int_equal(site(&t, STORE, 0)->place, TRACE_APART);
    assert_int_equal(site(&t, LOAD, 0)->place, TRACE_APART);
    assert_int_equal(site(&t, STORE, 1)->place, TRACE_APART);
    end(&t);
}

static void private_memory_through_a_descriptor_is_apart(void **state)
{
    (void)state;
    enum { SWIZZLE = 1u << 31, ADD_TID = 1 << 23, INDEX_STRIDE_32 = 2 << 21, SCRATCH = 0x900000 };
    struct trial t;
    struct trace_guest *g = TRACE_GUEST(private, 32, 4, 0);
    g->dispatch.rsrc2 |= 1; /* the wave's offset in the ring comes behind the user data */
    g->dispatch.scratch_base = SCRATCH;
    g->dispatch.scratch_waves = 16;
    g->dispatch.scratch_wave_bytes = 1024;
    g->dispatch.user_data[0] = SCRATCH;
    g->dispatch.user_data[1] = SWIZZLE;
    g->dispatch.user_data[2] = UINT32_MAX;
    g->dispatch.user_data[3] = (uint32_t)FORMAT_32_UINT << 12 | INDEX_STRIDE_32 | ADD_TID;
    run(&t, g);
    assert_int_equal(site(&t, STORE, 0)->place, TRACE_APART);
    assert_int_equal(site(&t, STORE, 1)->place, TRACE_UNKNOWN); /* past the end of what a wave has */
    end(&t);
}

static struct trace_guest *pointers(const uint32_t *program, size_t size)
{
    struct trace_guest *g = branch(program, size, WAVE_DONE, (uint32_t)elsewhere);
    arguments[1] = (uint32_t)(elsewhere >> 32);
    return g;
}

static void a_pointer_that_all_lanes_load_is_followed(void **state)
{
    (void)state;
    struct trial t;
    run(&t, pointers(program_pointer, sizeof program_pointer));
    assert_int_equal(site(&t, STORE, 0)->place, TRACE_RANGE);
    assert_int_equal(site(&t, STORE, 0)->start, elsewhere);
    assert_int_equal(site(&t, STORE, 0)->end, elsewhere + 128);
    assert_int_equal(base_spans_total(&t.reader.read[TRACE_READ_VECTOR]), 8);
    end(&t);
}

static void a_vector_load_is_not_known_where_stores_may_lie_anywhere(void **state)
{
    (void)state;
    struct trial t;
    run(&t, pointers(program_pointer_stored, sizeof program_pointer_stored));
    assert_int_equal(site(&t, STORE, 0)->place, TRACE_UNKNOWN);
    assert_int_equal(site(&t, STORE, 1)->place, TRACE_BASED);
    assert_int_equal(base_spans_total(&t.reader.read[TRACE_READ_VECTOR]), 0);
    end(&t);
}

static void a_scalar_load_by_the_group_s_id_has_a_range(void **state)
{
    (void)state;
    struct trial t;
    struct trace_guest *g = TRACE_GUEST(scalar, 32, 4, 1);
    trace_guest_point(g, 0, UINT64_C(0x7f00fffffff0));
    trace_guest_grid(g, 10, 1, 1);
    run(&t, g);
    assert_int_equal(site(&t, SCALAR, 0)->place, TRACE_RANGE);
    assert_int_equal(site(&t, SCALAR, 0)->start, UINT64_C(0x7f0100000010));
    assert_int_equal(site(&t, SCALAR, 0)->end, UINT64_C(0x7f0100000010) + 9 * 16 + 16);
    assert_int_equal(site(&t, SCALAR, 1)->place, TRACE_UNKNOWN); /* of registers that nobody has set */
    end(&t);
}

static void what_the_dispatch_may_store_itself_is_not_read(void **state)
{
    (void)state;
    const uint64_t stores[] = {TRACE_TEST_TABLE + 8, TRACE_TEST_TABLE + 4, TRACE_TEST_TABLE - 128, TRACE_TEST_TABLE - 124};
    for (unsigned n = 0; n < sizeof stores / sizeof *stores; n++) {
        struct trial t;
        struct trace_guest *g = BRANCH(own_argument, WAVE_DONE, (uint32_t)elsewhere);
        arguments[1] = (uint32_t)(elsewhere >> 32);
        trace_guest_point(g, 2, stores[n]);
        run(&t, g);
        assert_int_equal(site(&t, STORE, 0)->start, stores[n]);
        assert_int_equal(site(&t, STORE, 1)->place, n % 2 ? TRACE_UNKNOWN : TRACE_RANGE);
        assert_int_equal(site(&t, STORE, 1)->start, n % 2 ? 0 : elsewhere);
        /* The trace hangs on what was used only. */
        assert_int_equal(base_spans_total(&t.reader.read[TRACE_READ_SCALAR]), n % 2 ? 0 : 8);
        end(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_clear_through_a_descriptor_covers_the_buffer),
        cmocka_unit_test(what_a_descriptor_s_bounds_leave_out_is_not_reached),
        cmocka_unit_test(a_scalar_offset_takes_its_part_of_a_raw_buffer),
        cmocka_unit_test(half_a_word_at_a_buffer_s_end_is_not_stored),
        cmocka_unit_test(the_word_of_a_clear_is_as_the_format_makes_it),
        cmocka_unit_test(an_unbound_buffer_reaches_nothing),
        cmocka_unit_test(an_index_from_memory_leaves_the_base_and_the_descriptor),
        cmocka_unit_test(every_word_that_a_descriptor_lets_through_lies_in_its_window),
        cmocka_unit_test(a_descriptor_that_bounds_no_offset_has_no_window),
        cmocka_unit_test(a_flat_address_clamped_into_an_aperture_is_apart),
        cmocka_unit_test(a_flat_address_is_placed_where_it_is_known_to_miss_the_apertures),
        cmocka_unit_test(shares_and_scratch_are_apart),
        cmocka_unit_test(private_memory_through_a_descriptor_is_apart),
        cmocka_unit_test(a_pointer_that_all_lanes_load_is_followed),
        cmocka_unit_test(a_vector_load_is_not_known_where_stores_may_lie_anywhere),
        cmocka_unit_test(a_scalar_load_by_the_group_s_id_has_a_range),
        cmocka_unit_test(what_the_dispatch_may_store_itself_is_not_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
