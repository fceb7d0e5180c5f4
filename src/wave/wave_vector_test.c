/* Every value and compare row on vectors of lanes, on every tier of this host and in every shape of operands, against the
 * row's scalar reading; carries, selects and multiply-adds against wide arithmetic. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "wave/wave_internal.h"

enum { SOURCE = 10, DST = 20, SCALAR = 8, CARRY_IN = 40, MASK_OUT = 50, WRITTEN = 60, SLOTS = 32, GUARD = 0x5ca1ab1e };

static const struct wave_tier *const tiers[] = {&wave_tier_baseline, &wave_tier_avx2, &wave_tier_avx512};

static const struct wave_op *halt(struct wave *w, const struct wave_op *o)
{
    (void)w, (void)o;
    return NULL;
}

static uint32_t random32(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (uint32_t)(*state >> 16);
}

static uint32_t pick(uint64_t *state)
{
    static const uint32_t corners[] = {0, 1, 2, 31, 32, 63, 0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff, 0x80008000};
    uint32_t r = random32(state);
    return r & 1 ? corners[(r >> 1) % (sizeof corners / sizeof *corners)] : random32(state);
}

static struct wave *make_wave(unsigned lanes)
{
    size_t size = (sizeof(struct wave) + SLOTS * 64 * 4 + 63) / 64 * 64;
    struct wave *w = aligned_alloc(64, size);
    assert_non_null(w);
    memset(w, 0, size);
    w->halves = lanes / 32;
    w->stride = lanes * 4;
    w->mxcsr32 = w->mxcsr64 = 0x1f80;
    return w;
}

static uint32_t *v(struct wave *w, unsigned slot) { return w->v + slot * w->stride / 4; }

static void randomise(struct wave *w, uint64_t *random)
{
    for (unsigned slot = SOURCE; slot < DST; slot++)
        for (unsigned i = 0; i < w->stride / 4; i++)
            v(w, slot)[i] = pick(random);
    for (unsigned i = 0; i < w->stride / 4; i++)
        v(w, DST)[i] = v(w, DST + 1)[i] = GUARD;
    for (unsigned i = SCALAR; i < WRITTEN + 2; i++)
        w->s[i] = pick(random);
    w->s[WRITTEN] = random32(random) % 4 ? random32(random) : ~0u;
    w->s[WRITTEN + 1] = random32(random) % 4 ? random32(random) : 0;
}

static bool is_wide(unsigned type) { return type == IR_T_u64 || type == IR_T_i64 || type == IR_T_f64; }

/* Source n in a lane, as its type sees it. */
static uint64_t source_value(struct wave *w, ir_ref r, unsigned type, unsigned lane)
{
    bool vector = r.kind == IR_V;
    const uint32_t *p = vector ? v(w, r.index) + lane : &w->s[r.index];
    return p[0] | (is_wide(type) ? (uint64_t)p[vector ? w->stride / 4 : 1] << 32 : 0);
}

static ir_ref source_ref(unsigned n, bool vector) { return vector ? ir_v(SOURCE + 2 * n) : ir_s(SCALAR + 2 * n); }

static uint32_t offset_of(const struct wave *w, ir_ref r)
{
    return r.kind == IR_V ? wave_v_offset(r.index, w->stride / 4) : wave_s_offset(r.index);
}

static void run(struct wave *w, const struct wave_tier *tier, const struct ir_inst *inst)
{
    unsigned kinds = 0;
    for (unsigned n = 0; n < inst->src_count; n++)
        kinds |= (unsigned)ir_is_lane(inst->src[n]) << n;
    struct wave_op ops[2] = {{0}, {.fn = halt}};
    ops[0] = (struct wave_op){
        .d = offset_of(w, inst->dst[0]), .a = offset_of(w, inst->src[0]), .b = offset_of(w, inst->src[1]), .c = offset_of(w, inst->src[2]),
        .m = offset_of(w, inst->mask), .e = offset_of(w, inst->dst[1]), .x = kinds};
    ops[0].fn = tier->carry(inst, kinds);
    if (!ops[0].fn)
        ops[0].fn = tier->handler(inst, kinds, w->halves);
    assert_non_null(ops[0].fn);
    for (const struct wave_op *o = ops; o;)
        o = o->fn(w, o);
    if (tier->leave)
        tier->leave();
}

/* The row on constants: its scalar reading. */
static uint64_t scalar(enum ir_op op, unsigned count, const uint64_t *values)
{
    struct ir_func *func = ir_func_create(32, 0);
    struct ir_builder b = {.func = func};
    ir_begin_inst(&b, 0);
    ir_ref src[4];
    for (unsigned n = 0; n < count; n++)
        src[n] = ir_const(&b, values[n]);
    uint64_t result = 0;
    bool folded = ir_const_value(func, ir_emit(&b, op, count, src), &result);
    assert_true(folded);
    ir_func_destroy(func);
    return result;
}

static bool lane_in(const struct wave *w, unsigned slot, unsigned lane) { return w->s[slot + lane / 32] >> (lane % 32) & 1; }

static void check_row(const struct wave_tier *tier, enum ir_op op, unsigned lanes, unsigned kinds, uint64_t *random)
{
    const struct ir_op_info *info = &ir_ops[op];
    struct wave *w = make_wave(lanes), *before = make_wave(lanes);
    randomise(w, random);
    memcpy(before, w, sizeof *w + SLOTS * w->stride);
    bool compare = info->class == IR_C_COMPARE;
    struct ir_inst inst = {.op = (uint16_t)op, .lane = 1, .src_count = info->src_count, .mask = ir_s(WRITTEN)};
    for (unsigned n = 0; n < info->src_count; n++)
        inst.src[n] = source_ref(n, kinds >> n & 1);
    /* A compare's register is also a source where there is one. */
    inst.dst[0] = !compare ? ir_v(DST) : ir_is_lane(inst.src[0]) ? ir_s(MASK_OUT) : inst.src[0];
    run(w, tier, &inst);
    for (unsigned lane = 0; lane < lanes; lane++) {
        uint64_t values[4], got, expected = compare ? 0 : is_wide(info->dst_type[0]) ? GUARD | (uint64_t)GUARD << 32 : GUARD;
        for (unsigned n = 0; n < info->src_count; n++)
            values[n] = source_value(before, inst.src[n], info->src_type[n], lane);
        if (lane_in(w, WRITTEN, lane))
            expected = scalar(op, info->src_count, values);
        got = compare ? lane_in(w, inst.dst[0].index, lane) : source_value(w, inst.dst[0], info->dst_type[0], lane);
        if (got != expected)
            print_message("%s, %s, kinds %x, lane %u of %u: %llx, expected %llx\n", info->name, tier->name, kinds, lane, lanes,
                          (unsigned long long)got, (unsigned long long)expected);
        assert_true(got == expected);
    }
    if (compare && lanes == 32)
        assert_true(w->s[inst.dst[0].index + 1] == before->s[inst.dst[0].index + 1]);
    free(before);
    free(w);
}

#define EACH_TIER for (unsigned t = 0; t < sizeof tiers / sizeof *tiers; t++) if (tiers[t]->present())
#define EACH_SIZE for (unsigned lanes = 32; lanes <= 64; lanes += 32)

static void vector_readings_agree_with_scalar_ones_in_every_shape(void **state)
{
    (void)state;
    uint64_t random = 88172645463325252u;
    for (unsigned op = 0; op < IR_OP_COUNT; op++) {
        const struct ir_op_info *info = &ir_ops[op];
        bool regular = info->class == IR_C_VALUE || info->class == IR_C_COMPARE;
        if (!regular || (info->flags & (IR_F_FLOAT32 | IR_F_FLOAT64 | IR_F_APPROX)))
            continue;
        EACH_TIER
            EACH_SIZE
                for (unsigned kinds = 0; kinds < 1u << info->src_count; kinds++)
                    check_row(tiers[t], (enum ir_op)op, lanes, kinds, &random);
    }
}

struct sums {
    uint64_t value;
    bool out;
};
typedef unsigned __int128 u128;

static struct sums expected_of(enum ir_op op, uint64_t a, uint64_t b, uint64_t c)
{
    switch (op) {
    case IR_add_carry_u32: return (struct sums){(uint32_t)(a + b + c), (a + b + c) >> 32};
    case IR_sub_borrow_u32: return (struct sums){(uint32_t)(a - b - c), a < b + c};
    case IR_mad_u64_u32: {
        u128 sum = (u128)(a * b) + c;
        return (struct sums){(uint64_t)sum, (uint64_t)(sum >> 64)};
    }
    default: {
        __int128 sum = (__int128)((int64_t)(int32_t)a * (int32_t)b) + (int64_t)c;
        return (struct sums){(uint64_t)sum, sum < 0};
    }
    }
}

static void check_sum(const struct wave_tier *tier, enum ir_op op, unsigned lanes, unsigned kinds, uint64_t *random)
{
    struct wave *w = make_wave(lanes);
    randomise(w, random);
    bool wide = op == IR_mad_u64_u32 || op == IR_mad_i64_i32;
    struct ir_inst inst = {.op = (uint16_t)op, .lane = 1, .src_count = 3, .mask = ir_s(WRITTEN)};
    inst.dst[0] = ir_v(DST);
    /* The carry's register is also a source where there is one. */
    inst.dst[1] = kinds & 1 ? ir_s(MASK_OUT) : source_ref(0, false);
    inst.src[0] = source_ref(0, kinds & 1);
    inst.src[1] = source_ref(1, kinds & 2);
    inst.src[2] = wide ? source_ref(2, kinds & 4) : ir_s(CARRY_IN);
    struct wave *before = make_wave(lanes);
    memcpy(before, w, sizeof *w + SLOTS * w->stride);
    run(w, tier, &inst);
    for (unsigned lane = 0; lane < lanes; lane++) {
        uint64_t c = wide ? source_value(before, inst.src[2], IR_T_u64, lane) : lane_in(before, CARRY_IN, lane);
        struct sums expected = expected_of(op, source_value(before, inst.src[0], IR_T_u32, lane), source_value(before, inst.src[1], IR_T_u32, lane), c);
        bool written = lane_in(w, WRITTEN, lane);
        uint64_t kept = wide ? GUARD | (uint64_t)GUARD << 32 : GUARD;
        assert_true(source_value(w, inst.dst[0], wide ? IR_T_u64 : IR_T_u32, lane) == (written ? expected.value : kept));
        assert_int_equal(lane_in(w, inst.dst[1].index, lane), written && expected.out);
    }
    if (lanes == 32)
        assert_true(w->s[inst.dst[1].index + 1] == before->s[inst.dst[1].index + 1]);
    free(before);
    free(w);
}

static void carries_are_exact_and_zero_in_lanes_that_are_not_written(void **state)
{
    (void)state;
    static const enum ir_op ops[] = {IR_add_carry_u32, IR_sub_borrow_u32, IR_mad_u64_u32, IR_mad_i64_i32};
    uint64_t random = 4101842887655102017u;
    for (unsigned n = 0; n < sizeof ops / sizeof *ops; n++)
        EACH_TIER
            EACH_SIZE
                for (unsigned round = 0; round < 64; round++)
                    check_sum(tiers[t], ops[n], lanes, round & 7, &random);
}

static void a_select_takes_each_lane_by_its_mask_bit(void **state)
{
    (void)state;
    uint64_t random = 20240229u;
    EACH_TIER EACH_SIZE for (unsigned kinds = 0; kinds < 4; kinds++) {
        struct wave *w = make_wave(lanes);
        randomise(w, &random);
        struct ir_inst inst = {.op = IR_select_b32, .lane = 1, .src_count = 3, .mask = ir_s(WRITTEN), .dst = {ir_v(DST)}};
        inst.src[0] = ir_s(CARRY_IN);
        inst.src[1] = source_ref(1, kinds & 1);
        inst.src[2] = source_ref(2, kinds & 2);
        run(w, tiers[t], &inst);
        for (unsigned lane = 0; lane < lanes; lane++) {
            uint64_t chosen = source_value(w, inst.src[lane_in(w, CARRY_IN, lane) ? 2 : 1], IR_T_u32, lane);
            assert_true(v(w, DST)[lane] == (lane_in(w, WRITTEN, lane) ? (uint32_t)chosen : (uint32_t)GUARD));
        }
        free(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vector_readings_agree_with_scalar_ones_in_every_shape),
        cmocka_unit_test(carries_are_exact_and_zero_in_lanes_that_are_not_written),
        cmocka_unit_test(a_select_takes_each_lane_by_its_mask_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
