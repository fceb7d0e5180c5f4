/* Scalar memory, format conversion, and the forms of buffer loads that do more than load. */
#include "wave/wave_memory_testing.h"

static void set_scalar_pair(struct bench *b, unsigned slot, uint64_t value)
{
    b->w->s[slot] = (uint32_t)value;
    b->w->s[slot + 1] = (uint32_t)(value >> 32);
}

static uint32_t word_at(const struct bench *b, unsigned at)
{
    uint32_t word;
    memcpy(&word, b->bytes + at, 4);
    return word;
}

static void a_scalar_load_reads_its_address_before_it_writes(void **state)
{
    (void)state;
    for (unsigned words = 1; words <= 16; words *= 2) {
        struct bench *b = bench_create(32);
        set_scalar_pair(b, S_BASE, bench_start + 256);
        b->w->s[S_OFFSET] = 64;
        struct ir_access access = {.space = IR_SPACE_SCALAR, .bytes = (uint8_t)(words * 4), .elements = 1, .offset = -16};
        struct wave_op o = {.d = wave_s_offset(S_BASE), .a = wave_s_offset(S_BASE), .b = wave_s_offset(S_OFFSET)};
        assert_true(bench_run(b, wave_memory_handler, IR_load, &access, o));
        for (unsigned k = 0; k < words; k++)
            assert_int_equal(b->w->s[S_BASE + k], word_at(b, 256 + 64 - 16 + k * 4));
        bench_destroy(b);
    }
}

static void the_low_bits_of_each_part_of_a_scalar_address_are_dropped(void **state)
{
    (void)state;
    struct bench *b = bench_create(32);
    set_scalar_pair(b, S_BASE, bench_start + 256 + 3);
    b->w->s[S_OFFSET] = 64 + 3;
    struct ir_access access = {.space = IR_SPACE_SCALAR, .bytes = 4, .elements = 1, .offset = 2};
    struct wave_op o = {.d = wave_s_offset(S_DATA), .a = wave_s_offset(S_BASE), .b = wave_s_offset(S_OFFSET)};
    assert_true(bench_run(b, wave_memory_handler, IR_load, &access, o));
    assert_int_equal(b->w->s[S_DATA], word_at(b, 256 + 64));
    bench_destroy(b);
}

static void an_unmapped_scalar_load_gives_zeros_and_is_reported(void **state)
{
    (void)state;
    struct bench *b = bench_create(32);
    set_scalar_pair(b, S_BASE, bench_start + BENCH_BYTES - 8); /* half of it lies past the end */
    for (unsigned k = 0; k < 4; k++)
        b->w->s[S_DATA + k] = 7;
    struct ir_access access = {.space = IR_SPACE_SCALAR, .bytes = 16, .elements = 1};
    struct wave_op o = {.d = wave_s_offset(S_DATA), .a = wave_s_offset(S_BASE)};
    assert_true(bench_run(b, wave_memory_handler, IR_load, &access, o));
    for (unsigned k = 0; k < 4; k++)
        assert_int_equal(b->w->s[S_DATA + k], 0);
    assert_int_equal(b->faults, 1);
    assert_int_equal(b->lane, -1);
    assert_true(b->address == bench_start + BENCH_BYTES);
    bench_destroy(b);
}

static void scalar_loads_cross_from_run_to_run(void **state)
{
    (void)state;
    struct bench *b = bench_create(32);
    uint32_t second[4] = {11, 22, 33, 44};
    b->runs[0].size = 4096;
    b->runs[1] = (struct wave_run){bench_start + 4096, sizeof second, (uint8_t *)second, true};
    set_scalar_pair(b, S_BASE, bench_start + 4096 - 8);
    struct ir_access access = {.space = IR_SPACE_SCALAR, .bytes = 16, .elements = 1};
    struct wave_op o = {.d = wave_s_offset(S_DATA), .a = wave_s_offset(S_BASE)};
    assert_true(bench_run(b, wave_memory_handler, IR_load, &access, o));
    assert_int_equal(b->w->s[S_DATA + 1], word_at(b, 4092));
    assert_int_equal(b->w->s[S_DATA + 2], 11);
    assert_int_equal(b->w->s[S_DATA + 3], 22);
    assert_int_equal(b->faults, 0);
    bench_destroy(b);
}

static void set_descriptor(struct bench *b, uint64_t base, uint32_t stride, uint32_t records, uint32_t format,
                           const unsigned select[4], uint32_t bounds)
{
    uint32_t *s = &b->w->s[S_BASE];
    s[0] = (uint32_t)base;
    s[1] = (uint32_t)(base >> 32) | stride << 16;
    s[2] = records;
    s[3] = select[0] | select[1] << 3 | select[2] << 6 | select[3] << 9 | format << 12 | bounds << 28;
}

static const unsigned identity[4] = {IMAGE_SEL_X, IMAGE_SEL_Y, IMAGE_SEL_Z, IMAGE_SEL_W};

static void a_scalar_buffer_load_is_bounded_word_by_word_at_stride_times_records(void **state)
{
    (void)state;
    static const struct {
        uint32_t stride, records, offset;
        unsigned inside;
    } cases[] = {
        {0, 64, 56, 2}, {0, 64, 48, 4}, {0, 63, 56, 1}, {8, 8, 60, 1},
        {8, 8, 64, 0},  {16, 4, 48, 4}, {0, 0, 0, 0},   {0, 64, 0xfffffffcu, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bench *b = bench_create(32);
        set_descriptor(b, bench_start + 128, cases[i].stride, cases[i].records, 22, identity, 0);
        b->w->s[S_OFFSET] = cases[i].offset;
        struct ir_access access = {.space = IR_SPACE_SBUFFER, .bytes = 16, .elements = 1};
        struct wave_op o = {.d = wave_s_offset(S_DATA), .a = wave_s_offset(S_BASE), .b = wave_s_offset(S_OFFSET)};
        assert_true(bench_run(b, wave_memory_handler, IR_load, &access, o));
        for (unsigned k = 0; k < 4; k++)
            assert_int_equal(b->w->s[S_DATA + k], k < cases[i].inside ? word_at(b, 128 + cases[i].offset + k * 4) : 0);
        assert_int_equal(b->faults, 0);
        bench_destroy(b);
    }
}

static void scalar_stores_and_atomics_reach_memory(void **state)
{
    (void)state;
    struct bench *b = bench_create(32);
    set_scalar_pair(b, S_BASE, bench_start + 512);
    b->w->s[S_DATA] = 0x11223344;
    b->w->s[S_DATA + 1] = 0x55667788;
    struct ir_access store = {.space = IR_SPACE_SCALAR, .bytes = 8, .elements = 1, .flags = IR_AC_STORE, .offset = 8};
    struct wave_op o = {.d = wave_s_offset(S_DATA), .a = wave_s_offset(S_BASE), .x = wave_s_offset(S_DATA)};
    assert_true(bench_run(b, wave_memory_handler, IR_store, &store, o));
    assert_int_equal(word_at(b, 520), 0x11223344);
    assert_int_equal(word_at(b, 524), 0x55667788);
    /* compare and swap: data, then comparand */
    b->w->s[S_DATA] = 99;
    b->w->s[S_DATA + 1] = 0x11223344;
    struct ir_access swap = {
        .space = IR_SPACE_SCALAR, .atomic = IR_A_CMPSWAP, .bytes = 4, .elements = 1, .flags = IR_AC_RETURN, .offset = 8};
    assert_true(bench_run(b, wave_memory_handler, IR_atomic, &swap, o));
    assert_int_equal(word_at(b, 520), 99);
    assert_int_equal(b->w->s[S_DATA], 0x11223344);
    bench_destroy(b);
}

static struct wave_op format_op(unsigned lanes)
{
    return (struct wave_op){.d = wave_v_offset(SLOT_DATA, lanes),
                            .x = wave_v_offset(SLOT_DATA, lanes),
                            .a = wave_s_offset(S_BASE),
                            .b = wave_v_offset(SLOT_INDEX, lanes),
                            .c = wave_v_offset(SLOT_ADDRESS, lanes),
                            .e = wave_s_offset(S_OFFSET)};
}

enum { FORMAT_8_8_8_8_UNORM = 56, FORMAT_8_8_8_8_UINT = 60, FORMAT_32_FLOAT = 22, ONE = 0x3f800000 };

static void a_format_load_selects_components_and_gives_one_outside(void **state)
{
    (void)state;
    struct bench *b = bench_create(32);
    static const unsigned select[4] = {IMAGE_SEL_Z, IMAGE_SEL_Y, IMAGE_SEL_0, IMAGE_SEL_1};
    set_descriptor(b, bench_start, 4, 3, FORMAT_8_8_8_8_UNORM, select, 0);
    memcpy(b->bytes + 8, (const uint8_t[]){0, 51, 255, 7}, 4);
    b->w->s[IR_EXEC] = 3;
    bench_slot(b, SLOT_INDEX)[0] = 2;
    bench_slot(b, SLOT_INDEX)[1] = 3; /* no such record */
    bench_slot(b, SLOT_DATA)[2] = 5;
    struct ir_access access = {.space = IR_SPACE_BUFFER, .bytes = 4, .elements = 4, .flags = IR_AC_FORMAT | IR_AC_IDXEN};
    assert_true(bench_run(b, wave_memory_handler, IR_load, &access, format_op(32)));
    const uint32_t inside[4] = {ONE, 0x3e4ccccd /* 51 / 255 */, 0, ONE}, outside[4] = {0, 0, 0, ONE};
    for (unsigned k = 0; k < 4; k++) {
        assert_int_equal(bench_slot(b, SLOT_DATA + k)[0], inside[k]);
        assert_int_equal(bench_slot(b, SLOT_DATA + k)[1], outside[k]);
    }
    assert_int_equal(bench_slot(b, SLOT_DATA)[2], 5);
    set_descriptor(b, bench_start, 4, 3, FORMAT_8_8_8_8_UINT, select, 0);
    assert_true(bench_run(b, wave_memory_handler, IR_load, &access, format_op(32)));
    assert_int_equal(bench_slot(b, SLOT_DATA)[0], 255);
    assert_int_equal(bench_slot(b, SLOT_DATA + 3)[0], 1);
    assert_int_equal(b->faults, 0);
    bench_destroy(b);
}

static void a_format_store_puts_components_where_a_load_would_find_them(void **state)
{
    (void)state;
    struct bench *b = bench_create(32);
    static const unsigned swapped[4] = {IMAGE_SEL_Z, IMAGE_SEL_Y, IMAGE_SEL_X, IMAGE_SEL_W};
    set_descriptor(b, bench_start, 4, 100, FORMAT_8_8_8_8_UINT, swapped, 0);
    b->w->s[IR_EXEC] = 1;
    for (unsigned k = 0; k < 4; k++)
        bench_slot(b, SLOT_DATA + k)[0] = k + 1;
    struct ir_access access = {
        .space = IR_SPACE_BUFFER, .bytes = 4, .elements = 4, .flags = IR_AC_FORMAT | IR_AC_IDXEN | IR_AC_STORE};
    assert_true(bench_run(b, wave_memory_handler, IR_store, &access, format_op(32)));
    assert_memory_equal(b->bytes, ((const uint8_t[]){3, 2, 1, 4}), 4);
    /* Fewer components than the format has: the others become zero. */
    access.elements = 1;
    set_descriptor(b, bench_start, 4, 100, FORMAT_8_8_8_8_UINT, identity, 0);
    assert_true(bench_run(b, wave_memory_handler, IR_store, &access, format_op(32)));
    assert_memory_equal(b->bytes, ((const uint8_t[]){1, 0, 0, 0}), 4);
    bench_destroy(b);
}

static void sixteen_bit_formats_pack_two_components_in_a_register(void **state)
{
    (void)state;
    struct bench *b = bench_create(32);
    set_descriptor(b, bench_start, 4, 100, FORMAT_8_8_8_8_UNORM, identity, 0);
    memcpy(b->bytes, (const uint8_t[]){255, 0, 51, 255}, 4);
    b->w->s[IR_EXEC] = 1;
    struct ir_access access = {
        .space = IR_SPACE_BUFFER, .bytes = 4, .elements = 4, .flags = IR_AC_FORMAT | IR_AC_D16 | IR_AC_IDXEN};
    assert_true(bench_run(b, wave_memory_handler, IR_load, &access, format_op(32)));
    assert_int_equal(bench_slot(b, SLOT_DATA)[0], 0x00003c00);
    assert_int_equal(bench_slot(b, SLOT_DATA + 1)[0], 0x3c003266); /* 0.2 as a half */
    bench_slot(b, SLOT_DATA)[0] = 0x38003c00;                      /* 1, 0.5 */
    access.flags |= IR_AC_STORE;
    assert_true(bench_run(b, wave_memory_handler, IR_store, &access, format_op(32)));
    assert_memory_equal(b->bytes, ((const uint8_t[]){255, 128, 51, 255}), 4);
    /* the high half alone */
    access = (struct ir_access){
        .space = IR_SPACE_BUFFER, .bytes = 4, .elements = 1, .flags = IR_AC_FORMAT | IR_AC_D16_HI | IR_AC_IDXEN};
    bench_slot(b, SLOT_DATA)[0] = 0x1234;
    assert_true(bench_run(b, wave_memory_handler, IR_load, &access, format_op(32)));
    assert_int_equal(bench_slot(b, SLOT_DATA)[0], 0x3c001234);
    bench_destroy(b);
}

static void a_typed_load_uses_the_instructions_format_and_no_selects(void **state)
{
    (void)state;
    struct bench *b = bench_create(32);
    static const unsigned none[4] = {IMAGE_SEL_0, IMAGE_SEL_0, IMAGE_SEL_0, IMAGE_SEL_0};
    set_descriptor(b, bench_start, 0, 100, FORMAT_32_FLOAT, none, 3);
    memcpy(b->bytes + 4, (const uint8_t[]){1, 2, 3, 4}, 4);
    b->w->s[IR_EXEC] = 1;
    bench_slot(b, SLOT_ADDRESS)[0] = 2;
    struct ir_access access = {.space = IR_SPACE_BUFFER,
                               .bytes = 4,
                               .elements = 3,
                               .format = 18 /* 8_8_UINT */,
                               .flags = IR_AC_FORMAT | IR_AC_TYPED | IR_AC_OFFEN,
                               .offset = 2};
    for (unsigned k = 0; k < 3; k++)
        bench_slot(b, SLOT_DATA + k)[0] = 9;
    assert_true(bench_run(b, wave_memory_handler, IR_load, &access, format_op(32)));
    assert_int_equal(bench_slot(b, SLOT_DATA)[0], 1);
    assert_int_equal(bench_slot(b, SLOT_DATA + 1)[0], 2);
    assert_int_equal(bench_slot(b, SLOT_DATA + 2)[0], 0);
    bench_destroy(b);
}

/* All or nothing: an element that begins inside and ends outside is outside. */
static void a_format_access_is_in_bounds_as_a_whole(void **state)
{
    (void)state;
    struct bench *b = bench_create(32);
    set_descriptor(b, bench_start, 0, 12, 64 /* 32_32_FLOAT */, identity, 3);
    b->w->s[IR_EXEC] = 3;
    bench_slot(b, SLOT_ADDRESS)[0] = 4;
    bench_slot(b, SLOT_ADDRESS)[1] = 8;
    struct ir_access access = {.space = IR_SPACE_BUFFER, .bytes = 4, .elements = 2, .flags = IR_AC_FORMAT | IR_AC_OFFEN};
    assert_true(bench_run(b, wave_memory_handler, IR_load, &access, format_op(32)));
    assert_int_equal(bench_slot(b, SLOT_DATA)[0], word_at(b, 4));
    assert_int_equal(bench_slot(b, SLOT_DATA + 1)[0], word_at(b, 8));
    assert_int_equal(bench_slot(b, SLOT_DATA)[1], 0);
    bench_destroy(b);
}

static void an_unbound_buffer_loads_zeros(void **state)
{
    (void)state;
    struct bench *b = bench_create(32);
    set_descriptor(b, bench_start, 0, 100, 0, identity, 3);
    b->w->s[IR_EXEC] = 1;
    bench_slot(b, SLOT_DATA)[0] = 9;
    struct bench_tier tiers[4];
    unsigned tier_count = bench_tiers(tiers);
    for (unsigned t = 0; t < tier_count; t++) {
        struct ir_access access = {.space = IR_SPACE_BUFFER, .bytes = 4, .elements = 1};
        assert_true(bench_run(b, tiers[t].choose, IR_load, &access, format_op(32)));
        assert_int_equal(bench_slot(b, SLOT_DATA)[0], 0);
    }
    struct ir_access access = {.space = IR_SPACE_BUFFER, .bytes = 4, .elements = 1, .flags = IR_AC_FORMAT};
    assert_true(bench_run(b, wave_memory_handler, IR_load, &access, format_op(32)));
    assert_int_equal(bench_slot(b, SLOT_DATA)[0], 0);
    assert_int_equal(b->faults, 0);
    bench_destroy(b);
}

static void a_load_with_status_writes_one_word_more(void **state)
{
    (void)state;
    struct bench *b = bench_create(32);
    set_descriptor(b, bench_start, 0, 0xffffffffu, FORMAT_32_FLOAT, identity, 3);
    b->w->s[IR_EXEC] = 3;
    bench_slot(b, SLOT_ADDRESS)[0] = 16;
    bench_slot(b, SLOT_ADDRESS)[1] = BENCH_BYTES; /* not mapped */
    bench_slot(b, SLOT_DATA + 2)[0] = 9;
    struct ir_access access = {.space = IR_SPACE_BUFFER, .bytes = 8, .elements = 1, .flags = IR_AC_OFFEN | IR_AC_TFE};
    assert_true(bench_run(b, wave_memory_handler, IR_load, &access, format_op(32)));
    assert_int_equal(bench_slot(b, SLOT_DATA + 1)[0], word_at(b, 20));
    assert_int_equal(bench_slot(b, SLOT_DATA + 2)[0], 0);
    assert_int_equal(bench_slot(b, SLOT_DATA)[1], 0);
    assert_int_equal(bench_slot(b, SLOT_DATA + 2)[1], 1);
    assert_int_equal(b->faults, 1);
    bench_destroy(b);
}

static void a_load_to_lds_writes_a_word_for_each_lane(void **state)
{
    (void)state;
    struct bench *b = bench_create(32);
    set_descriptor(b, bench_start, 0, 0xffffffffu, FORMAT_32_FLOAT, identity, 3);
    b->w->s[IR_M0] = 128;
    b->w->s[IR_EXEC] = 0x80000001u;
    for (unsigned lane = 0; lane < 32; lane++)
        bench_slot(b, SLOT_ADDRESS)[lane] = 1000 + lane * 8;
    struct ir_access access = {
        .space = IR_SPACE_BUFFER, .bytes = 1, .elements = 1, .flags = IR_AC_OFFEN | IR_AC_LDS_DMA | IR_AC_SIGNED, .offset = 4};
    assert_true(bench_run(b, wave_memory_handler, IR_load, &access, format_op(32)));
    int32_t first, last;
    memcpy(&first, b->lds + 128 + 4, 4);
    memcpy(&last, b->lds + 128 + 4 + 31 * 4, 4);
    assert_int_equal(first, (int8_t)b->bytes[1004]);
    assert_int_equal(last, (int8_t)b->bytes[1004 + 31 * 8]);
    assert_int_equal(b->lds[128 + 8], bench_pattern(128 + 8 + 99));
    bench_destroy(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_scalar_load_reads_its_address_before_it_writes),
        cmocka_unit_test(the_low_bits_of_each_part_of_a_scalar_address_are_dropped),
        cmocka_unit_test(an_unmapped_scalar_load_gives_zeros_and_is_reported),
        cmocka_unit_test(scalar_loads_cross_from_run_to_run),
        cmocka_unit_test(a_scalar_buffer_load_is_bounded_word_by_word_at_stride_times_records),
        cmocka_unit_test(scalar_stores_and_atomics_reach_memory),
        cmocka_unit_test(a_format_load_selects_components_and_gives_one_outside),
        cmocka_unit_test(a_format_store_puts_components_where_a_load_would_find_them),
        cmocka_unit_test(sixteen_bit_formats_pack_two_components_in_a_register),
        cmocka_unit_test(a_typed_load_uses_the_instructions_format_and_no_selects),
        cmocka_unit_test(a_format_access_is_in_bounds_as_a_whole),
        cmocka_unit_test(an_unbound_buffer_loads_zeros),
        cmocka_unit_test(a_load_with_status_writes_one_word_more),
        cmocka_unit_test(a_load_to_lds_writes_a_word_for_each_lane),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
