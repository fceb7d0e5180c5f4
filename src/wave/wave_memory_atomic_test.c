/* Atomics: what each leaves in memory, by the guide's definitions, and their running in every space and tier. */
#include "wave/wave_memory_testing.h"

struct result_case {
    enum ir_atomic what;
    unsigned bytes;
    uint64_t old, data, data2, expected;
    bool flush;
};

#define ALL64 UINT64_MAX
#define MIN64 (UINT64_C(1) << 63)

static const struct result_case result_cases[] = {
    {IR_A_SWAP, 4, 1, 2, 0, 2, false},
    {IR_A_CMPSWAP, 4, 5, 9, 5, 9, false}, {IR_A_CMPSWAP, 4, 5, 9, 6, 5, false},
    {IR_A_ADD, 4, 0xffffffffu, 2, 0, 1, false}, {IR_A_ADD, 8, ALL64, 2, 0, 1, false},
    {IR_A_SUB, 4, 1, 2, 0, 0xffffffffu, false}, {IR_A_RSUB, 4, 1, 3, 0, 2, false}, {IR_A_RSUB, 4, 3, 1, 0, 0xfffffffeu, false},
    {IR_A_SMIN, 4, 1, 0xffffffffu, 0, 0xffffffffu, false}, {IR_A_UMIN, 4, 1, 0xffffffffu, 0, 1, false},
    {IR_A_SMAX, 4, 1, 0xffffffffu, 0, 1, false}, {IR_A_UMAX, 4, 1, 0xffffffffu, 0, 0xffffffffu, false},
    {IR_A_SMIN, 8, 1, MIN64, 0, MIN64, false}, {IR_A_UMIN, 8, 1, MIN64, 0, 1, false},
    {IR_A_SMAX, 8, 1, MIN64, 0, 1, false}, {IR_A_UMAX, 8, 1, MIN64, 0, MIN64, false},
    {IR_A_AND, 4, 0xf0f0, 0xff00, 0, 0xf000, false}, {IR_A_OR, 4, 0xf0f0, 0xff00, 0, 0xfff0, false}, {IR_A_XOR, 4, 0xf0f0, 0xff00, 0, 0x0ff0, false},
    /* inc wraps to 0 at the limit and past it; dec wraps to the limit at 0 and past it */
    {IR_A_INC, 4, 4, 5, 0, 5, false}, {IR_A_INC, 4, 5, 5, 0, 0, false}, {IR_A_INC, 4, 9, 5, 0, 0, false},
    {IR_A_INC, 8, ALL64, ALL64, 0, 0, false},
    {IR_A_DEC, 4, 5, 5, 0, 4, false}, {IR_A_DEC, 4, 0, 5, 0, 5, false}, {IR_A_DEC, 4, 6, 5, 0, 5, false},
    {IR_A_CSUB, 4, 5, 3, 0, 2, false}, {IR_A_CSUB, 4, 2, 3, 0, 0, false},
    {IR_A_MSKOR, 4, 0xff, 0x0f, 0x100, 0x1f0, false},
    {IR_A_WRAP, 4, 7, 5, 100, 2, false}, {IR_A_WRAP, 4, 4, 5, 100, 104, false}, {IR_A_WRAP, 4, 5, 5, 100, 0, false},
    /* floats: 1, 2, -1, infinities, zeros, NaNs */
    {IR_A_FMIN, 4, 0x3f800000, 0x40000000, 0, 0x3f800000, false}, {IR_A_FMAX, 4, 0x3f800000, 0x40000000, 0, 0x40000000, false},
    {IR_A_FMIN, 4, 0x3f800000, 0xbf800000u, 0, 0xbf800000u, false}, {IR_A_FMAX, 4, 0xff800000u, 0xbf800000u, 0, 0xbf800000u, false},
    {IR_A_FMIN, 4, 0, 0x80000000u, 0, 0x80000000u, false}, {IR_A_FMAX, 4, 0x80000000u, 0, 0, 0, false},
    {IR_A_FMIN, 4, 0x7fc00001, 0x3f800000, 0, 0x3f800000, false}, {IR_A_FMAX, 4, 0x3f800000, 0x7fc00001, 0, 0x3f800000, false},
    {IR_A_FMIN, 4, 0x3f800000, 0x7f800001, 0, 0x7fc00001, false}, {IR_A_FMAX, 4, 0x7f800001, 0x3f800000, 0, 0x7fc00001, false},
    {IR_A_FMIN, 8, UINT64_C(0x3ff0000000000000), UINT64_C(0xbff0000000000000), 0, UINT64_C(0xbff0000000000000), false},
    {IR_A_FMAX, 8, UINT64_C(0x7ff8000000000000), UINT64_C(0xbff0000000000000), 0, UINT64_C(0xbff0000000000000), false},
    /* denormals: ordered as numbers, or as zeros and then left as they were */
    {IR_A_FMIN, 4, 2, 1, 0, 1, false}, {IR_A_FMIN, 4, 2, 1, 0, 2, true}, {IR_A_FMAX, 4, 0x80000001u, 1, 0, 1, true},
    {IR_A_FCMPSWAP, 4, 0x80000000u, 0x3f800000, 0, 0x3f800000, false}, {IR_A_FCMPSWAP, 4, 0x7fc00000, 0x3f800000, 0x7fc00000, 0x7fc00000, false},
    {IR_A_FCMPSWAP, 4, 0x3f800000, 0x40000000, 0x3f800000, 0x40000000, false}, {IR_A_FCMPSWAP, 4, 1, 0x40000000, 0, 1, false},
    {IR_A_FCMPSWAP, 4, 1, 0x40000000, 0, 0x40000000, true},
    {IR_A_FCMPSWAP, 8, MIN64, 7, 0, 7, false},
    {IR_A_FADD, 4, 0x3f800000, 0x40000000, 0, 0x40400000, false},
    {IR_A_FADD, 4, 0x3f800000, 0x33800000, 0, 0x3f800000, false}, /* 1 + 2^-24: halfway, to even */
    {IR_A_FADD, 4, 0x3f800001, 0x33800000, 0, 0x3f800002, false},
    {IR_A_FADD, 4, 0x7f800000, 0xff800000u, 0, 0xffc00000u, false},
    {IR_A_FADD, 4, 0x7f800001, 0x7fc00002, 0, 0x7fc00001, false}, {IR_A_FADD, 4, 0x3f800000, 0xff800002u, 0, 0xffc00002u, false},
    {IR_A_FADD, 4, 1, 2, 0, 3, false}, {IR_A_FADD, 4, 1, 2, 0, 0, true}, {IR_A_FADD, 4, 0x80000000u, 0, 0, 0, false},
    {IR_A_CONDXCHG, 8, UINT64_C(0x1111111122222222), UINT64_C(0x8000000500000007), 0, UINT64_C(0x0000000522222222), false},
    {IR_A_CONDXCHG, 8, UINT64_C(0x1111111122222222), UINT64_C(0x00000005ffffffff), 0, UINT64_C(0x111111117fffffff), false},
};

static void each_atomic_leaves_what_its_definition_says(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof result_cases / sizeof *result_cases; i++) {
        const struct result_case *t = &result_cases[i];
        uint64_t result = wave_atomic_result(t->what, t->bytes, t->old, t->data, t->data2, t->flush);
        if (result != t->expected)
            fail_msg("case %zu: %#llx, not %#llx", i, (unsigned long long)result, (unsigned long long)t->expected);
    }
}

static void guest_memory_gets_the_same_as_the_definition(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof result_cases / sizeof *result_cases; i++) {
        const struct result_case *t = &result_cases[i];
        _Alignas(8) uint64_t word = t->old;
        if (t->flush || t->what == IR_A_FADD)
            continue; /* of the local share alone */
        uint64_t old = wave_atomic_guest(t->what, t->bytes, (uint8_t *)&word, t->data, t->data2);
        assert_true(old == t->old);
        assert_true(word == t->expected);
    }
}

static void set_address(struct bench *b, unsigned lane, uint64_t value)
{
    bench_slot(b, SLOT_ADDRESS)[lane] = (uint32_t)value;
    bench_slot(b, SLOT_ADDRESS + 1)[lane] = (uint32_t)(value >> 32);
}

static struct wave_op make_op(unsigned lanes)
{
    return (struct wave_op){.d = wave_v_offset(SLOT_DATA2, lanes), .a = wave_v_offset(SLOT_ADDRESS, lanes), .x = wave_v_offset(SLOT_DATA, lanes)};
}

/* All lanes add their number and one to one word: the sum, and the running sums in lane order as old values. */
static void lanes_that_meet_are_each_counted(void **state)
{
    (void)state;
    struct bench_tier tiers[4];
    unsigned tier_count = bench_tiers(tiers);
    for (unsigned t = 0; t < tier_count; t++) {
        for (unsigned wide = 0; wide < 2; wide++) {
            for (unsigned lds = 0; lds < 2; lds++) {
                struct bench *b = bench_create(64);
                b->w->s[IR_EXEC + 1] = 0x0000ffff;
                uint8_t *memory = lds ? b->lds : b->bytes;
                memset(memory + 64, 0, 8);
                for (unsigned lane = 0; lane < 64; lane++) {
                    set_address(b, lane, lds ? 64 : bench_start + 64);
                    bench_slot(b, SLOT_DATA)[lane] = lane + 1;
                    bench_slot(b, SLOT_DATA2)[lane] = 0xdead;
                }
                struct ir_access access = {.space = lds ? IR_SPACE_LDS : IR_SPACE_GLOBAL, .atomic = IR_A_ADD, .bytes = wide ? 8 : 4,
                                           .elements = 1, .flags = IR_AC_RETURN};
                assert_true(bench_run(b, tiers[t].choose, IR_atomic, &access, make_op(64)));
                uint64_t sum;
                memcpy(&sum, memory + 64, 8);
                assert_int_equal(sum, 48 * 49 / 2);
                for (unsigned lane = 0; lane < 64; lane++)
                    assert_int_equal(bench_slot(b, SLOT_DATA2)[lane], lane < 48 ? lane * (lane + 1) / 2 : 0xdead);
                bench_destroy(b);
            }
        }
    }
}

static void a_misaligned_atomic_is_reported_and_does_nothing(void **state)
{
    (void)state;
    struct bench_tier tiers[4];
    unsigned tier_count = bench_tiers(tiers);
    for (unsigned t = 0; t < tier_count; t++) {
        for (unsigned lds = 0; lds < 2; lds++) {
            struct bench *b = bench_create(32);
            b->w->s[IR_EXEC] = 2;
            set_address(b, 1, lds ? 66 : bench_start + 66);
            bench_slot(b, SLOT_DATA)[1] = 1;
            struct ir_access access = {.space = lds ? IR_SPACE_LDS : IR_SPACE_GLOBAL, .atomic = IR_A_ADD, .bytes = 4, .elements = 1,
                                       .flags = IR_AC_RETURN};
            assert_true(bench_run(b, tiers[t].choose, IR_atomic, &access, make_op(32)));
            assert_int_equal(b->faults, 1);
            assert_int_equal(b->kind, lds ? WAVE_FAULT_LDS_MISALIGNED : WAVE_FAULT_ATOMIC_MISALIGNED);
            assert_int_equal(b->lane, 1);
            assert_int_equal(bench_slot(b, SLOT_DATA2)[1], 0);
            for (unsigned i = 60; i < 72; i++)
                assert_int_equal(b->bytes[i], bench_pattern(i));
            bench_destroy(b);
        }
    }
}

/* Buffers and flat take the comparand from behind the data, the local share from its own operand. */
static void compare_and_swap_finds_its_comparand(void **state)
{
    (void)state;
    struct bench_tier tiers[4];
    unsigned tier_count = bench_tiers(tiers);
    for (unsigned t = 0; t < tier_count; t++) {
        for (unsigned lds = 0; lds < 2; lds++) {
            struct bench *b = bench_create(32);
            uint8_t *memory = lds ? b->lds : b->bytes;
            for (unsigned lane = 0; lane < 32; lane++) {
                uint32_t value = lane % 2 ? 7 : 8;
                memcpy(memory + lane * 4, &value, 4);
                set_address(b, lane, lds ? lane * 4 : bench_start + lane * 4);
                bench_slot(b, SLOT_DATA)[lane] = 100 + lane;
                bench_slot(b, SLOT_DATA + 1)[lane] = lds ? 8 : 7;  /* where the other spaces look */
                bench_slot(b, SLOT_DATA2 + 1)[lane] = 7;           /* where the share looks */
            }
            struct wave_op o = make_op(32);
            if (lds)
                o.imm = wave_v_offset(SLOT_DATA2 + 1, 32);
            struct ir_access access = {.space = lds ? IR_SPACE_LDS : IR_SPACE_GLOBAL, .atomic = IR_A_CMPSWAP, .bytes = 4, .elements = 1,
                                       .flags = IR_AC_RETURN};
            assert_true(bench_run(b, tiers[t].choose, IR_atomic, &access, o));
            for (unsigned lane = 0; lane < 32; lane++) {
                uint32_t value;
                memcpy(&value, memory + lane * 4, 4);
                assert_int_equal(value, lane % 2 ? 100 + lane : 8);
                assert_int_equal(bench_slot(b, SLOT_DATA2)[lane], lane % 2 ? 7 : 8);
            }
            bench_destroy(b);
        }
    }
}

static uint32_t lds_word(struct bench *b, unsigned at)
{
    uint32_t value;
    memcpy(&value, b->lds + at, 4);
    return value;
}

static void put_lds(struct bench *b, unsigned at, uint32_t value)
{
    memcpy(b->lds + at, &value, 4);
}

/* Offset bits 14:0 are a signed distance in words; with bit 15 set the address's upper bits are. */
static void a_second_source_in_lds_lies_at_a_signed_distance(void **state)
{
    (void)state;
    struct bench *b = bench_create(32);
    b->w->s[IR_EXEC] = 1;
    put_lds(b, 400, 10);
    put_lds(b, 408, 32);
    put_lds(b, 392, 5);
    set_address(b, 0, 400);
    struct ir_access access = {.space = IR_SPACE_LDS, .atomic = IR_A_ADD, .bytes = 4, .elements = 1, .flags = IR_AC_SRC2, .offset = 2};
    struct wave_op o = {.a = wave_v_offset(SLOT_ADDRESS, 32)};
    assert_true(bench_run(b, wave_memory_vec_handler_baseline, IR_atomic, &access, o) == false);
    assert_true(bench_run(b, wave_memory_handler, IR_atomic, &access, o));
    assert_int_equal(lds_word(b, 400), 42);
    access.offset = 0x7ffe; /* -2 */
    assert_true(bench_run(b, wave_memory_handler, IR_atomic, &access, o));
    assert_int_equal(lds_word(b, 400), 47);
    set_address(b, 0, 400 | 0xfffc0000u); /* -2 in bits 31:17 */
    access.offset = 0x8000;
    assert_true(bench_run(b, wave_memory_handler, IR_atomic, &access, o));
    assert_int_equal(lds_word(b, 400), 52);
    assert_int_equal(b->faults, 0);
    bench_destroy(b);
}

static void an_exchange_of_two_elements_swaps_both(void **state)
{
    (void)state;
    struct bench *b = bench_create(32);
    b->w->s[IR_EXEC] = 4;
    put_lds(b, 100, 1);
    put_lds(b, 356, 2);
    set_address(b, 2, 96);
    bench_slot(b, SLOT_DATA)[2] = 11;
    bench_slot(b, SLOT_DATA + 1)[2] = 22;
    struct ir_access access = {.space = IR_SPACE_LDS, .atomic = IR_A_SWAP, .bytes = 4, .elements = 2, .flags = IR_AC_RETURN, .offset = 4, .offset1 = 260};
    struct wave_op o = make_op(32);
    o.imm = wave_v_offset(SLOT_DATA + 1, 32);
    assert_true(bench_run(b, wave_memory_handler, IR_atomic, &access, o));
    assert_int_equal(lds_word(b, 100), 11);
    assert_int_equal(lds_word(b, 356), 22);
    assert_int_equal(bench_slot(b, SLOT_DATA2)[2], 1);
    assert_int_equal(bench_slot(b, SLOT_DATA2 + 1)[2], 2);
    bench_destroy(b);
}

enum { GDS_FORM = 1 << 16, CONSUME_FORM = 1 << 17 };

static void append_counts_active_lanes_and_gives_all_the_value_before(void **state)
{
    (void)state;
    struct bench *b = bench_create(64);
    b->w->s[IR_EXEC] = 0xff;
    b->w->s[IR_EXEC + 1] = 1;
    b->w->s[IR_M0] = 0xabcd0010u; /* the low half counts */
    put_lds(b, 0x18, 100);
    struct ir_access none = {0};
    struct wave_op o = {.d = wave_v_offset(SLOT_DATA, 64), .imm = 8};
    assert_true(bench_run(b, wave_memory_handler, IR_ds_append, &none, o));
    assert_int_equal(lds_word(b, 0x18), 109);
    assert_int_equal(bench_slot(b, SLOT_DATA)[7], 100);
    assert_int_equal(bench_slot(b, SLOT_DATA)[32], 100);
    assert_int_equal(bench_slot(b, SLOT_DATA)[8], 0);
    o.imm |= CONSUME_FORM;
    assert_true(bench_run(b, wave_memory_handler, IR_ds_append, &none, o));
    assert_int_equal(lds_word(b, 0x18), 100);
    assert_int_equal(bench_slot(b, SLOT_DATA)[7], 109);
    o.imm = 4 | GDS_FORM;
    b->w->s[IR_M0] = 0xabcd0010u; /* there too */
    assert_true(bench_run(b, wave_memory_handler, IR_ds_append, &none, o));
    assert_int_equal(b->gds[20], 9);
    assert_int_equal(b->faults, 0);
    bench_destroy(b);
}

/* M0 holds the base above and the size below. */
static void the_global_share_is_based_and_bounded_by_m0(void **state)
{
    (void)state;
    struct bench *b = bench_create(32);
    b->w->s[IR_EXEC] = 3;
    b->w->s[IR_M0] = 16u << 16 | 8;
    b->gds[16 + 4] = 77;
    set_address(b, 0, 0);
    set_address(b, 1, 4); /* past the size with the offset */
    bench_slot(b, SLOT_DATA)[1] = 5;
    struct ir_access access = {.space = IR_SPACE_GDS, .bytes = 4, .elements = 1, .offset = 4};
    struct wave_op o = {.d = wave_v_offset(SLOT_DATA, 32), .a = wave_v_offset(SLOT_ADDRESS, 32)};
    assert_true(bench_run(b, wave_memory_handler, IR_load, &access, o));
    assert_int_equal(bench_slot(b, SLOT_DATA)[0], 77);
    assert_int_equal(bench_slot(b, SLOT_DATA)[1], 0);
    assert_int_equal(b->faults, 0);
    bench_destroy(b);
}

static void an_ordered_count_waits_for_the_waves_before(void **state)
{
    (void)state;
    enum { RELEASE = 1 << 8, COUNTER_1 = 1 << 2 };
    struct bench *b = bench_create(32);
    b->group.linear = 1;
    b->w->s[IR_M0] = 32u << 16;
    b->w->s[IR_EXEC] = 0xc;
    bench_slot(b, SLOT_DATA)[2] = 6;
    struct ir_access none = {0};
    struct wave_op o = {.d = wave_v_offset(SLOT_DATA2, 32), .a = wave_v_offset(SLOT_DATA, 32), .imm = RELEASE | COUNTER_1};
    assert_true(bench_run(b, wave_memory_handler, IR_ordered_count, &none, o));
    assert_int_equal(b->w->status, WAVE_YIELDED);
    assert_int_equal(b->gds[36], 0);
    b->w->status = WAVE_RUNNING;
    b->shared.ordered_turn = 1;
    b->gds[36] = 4;
    assert_true(bench_run(b, wave_memory_handler, IR_ordered_count, &none, o));
    assert_int_equal(b->w->status, WAVE_RUNNING);
    assert_int_equal(b->gds[36], 10);
    assert_int_equal(bench_slot(b, SLOT_DATA2)[2], 4);
    assert_int_equal(bench_slot(b, SLOT_DATA2)[3], 4);
    assert_int_equal(b->shared.ordered_turn, 2);
    bench_destroy(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_atomic_leaves_what_its_definition_says),
        cmocka_unit_test(guest_memory_gets_the_same_as_the_definition),
        cmocka_unit_test(lanes_that_meet_are_each_counted),
        cmocka_unit_test(a_misaligned_atomic_is_reported_and_does_nothing),
        cmocka_unit_test(compare_and_swap_finds_its_comparand),
        cmocka_unit_test(a_second_source_in_lds_lies_at_a_signed_distance),
        cmocka_unit_test(an_exchange_of_two_elements_swaps_both),
        cmocka_unit_test(append_counts_active_lanes_and_gives_all_the_value_before),
        cmocka_unit_test(the_global_share_is_based_and_bounded_by_m0),
        cmocka_unit_test(an_ordered_count_waits_for_the_waves_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
