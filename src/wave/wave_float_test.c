/* Every float row on waves, on every tier of this host, in every rounding mode with denormals kept and flushed, against the row
 * run alone on each lane's values (which the tests of ir/ hold against MPFR). */
#include "ir/ir_eval_oracle.h"

#include <string.h>

#include "wave/wave_internal.h"

enum { SOURCE = 10, DST = 20, SCALAR = 8, MASK_OUT = 50, WRITTEN = 60, SLOTS = 32, GUARD = 0x5ca1ab1e, LANES = 64 };

static const struct wave_tier *const tiers[] = {&wave_tier_baseline, &wave_tier_avx2, &wave_tier_avx512};

static const struct wave_op *halt(struct wave *w, const struct wave_op *o)
{
    (void)w, (void)o;
    return NULL;
}

static unsigned host_csr(unsigned round, bool keep_in, bool keep_out)
{
    static const unsigned rounding[] = {_MM_ROUND_NEAREST, _MM_ROUND_UP, _MM_ROUND_DOWN, _MM_ROUND_TOWARD_ZERO};
    enum { MASKED = 0x1f80, DENORMALS_ZERO = 0x40, FLUSH = 0x8000 };
    return MASKED | rounding[round] | (keep_in ? 0 : DENORMALS_ZERO) | (keep_out ? 0 : FLUSH);
}

static struct wave *make_wave(const struct ir_mode *M)
{
    size_t size = (sizeof(struct wave) + SLOTS * LANES * 4 + 63) / 64 * 64;
    struct wave *w = aligned_alloc(64, size);
    assert_non_null(w);
    memset(w, 0, size);
    w->halves = 2;
    w->stride = LANES * 4;
    w->mode = *M;
    w->mxcsr32 = host_csr(M->round32, M->denorm32_in, M->denorm32_out);
    w->mxcsr64 = host_csr(M->round64, M->denorm64_in, M->denorm64_out);
    w->split_mode = w->mxcsr32 != w->mxcsr64;
    return w;
}

static bool is_wide(unsigned type)
{
    return type == IR_T_u64 || type == IR_T_i64 || type == IR_T_f64;
}
static ir_ref source_ref(unsigned n, bool vector)
{
    return vector ? ir_v(SOURCE + 2 * n) : ir_s(SCALAR + 2 * n);
}

/* The words of r in a lane. */
static uint32_t *word(struct wave *w, ir_ref r, unsigned lane, bool high)
{
    return r.kind == IR_V ? w->v + (r.index + high) * LANES + lane : &w->s[r.index + high];
}

static u64 value_of(struct wave *w, ir_ref r, unsigned type, unsigned lane)
{
    return *word(w, r, lane, false) | (is_wide(type) ? (u64)*word(w, r, lane, true) << 32 : 0);
}

/* calm: numbers of which a whole vector goes through without a repair; otherwise anything. */
static u64 pick(unsigned type, bool calm, u64 *random)
{
    const struct oracle_format *F = type == IR_T_f64 ? &oracle_f64 : type == IR_T_f16 ? &oracle_f16 : &oracle_f32;
    u64 x = oracle_pick(F, random);
    if (calm) {
        u64 hidden = 1ull << (F->precision - 1), one = (oracle_inf(F) >> 1) & ~(hidden - 1);
        x = (x & (oracle_sign(F) | (hidden - 1))) | (one + (oracle_random(random) % 16 - 8) * hidden);
        x &= 2 * oracle_sign(F) - 1;
    }
    bool is_float = type == IR_T_f16 || type == IR_T_f32 || type == IR_T_f64;
    u64 r = oracle_random(random);
    return is_float || r & 1 ? x : r >> 1 & (r & 2 ? ~0ull : 31);
}

static uint32_t offset_of(ir_ref r)
{
    return r.kind == IR_V ? wave_v_offset(r.index, LANES) : wave_s_offset(r.index);
}

static void run(struct wave *w, const struct wave_tier *tier, const struct ir_inst *inst, unsigned kinds)
{
    struct wave_op ops[2] = {{0}, {.fn = halt}};
    ops[0] = (struct wave_op){.fn = tier->handler(inst, kinds, w->halves),
                              .d = offset_of(inst->dst[0]),
                              .a = offset_of(inst->src[0]),
                              .b = offset_of(inst->src[1]),
                              .c = offset_of(inst->src[2]),
                              .m = offset_of(inst->mask),
                              .e = offset_of(inst->src[3]),
                              .x = kinds};
    assert_non_null(ops[0].fn);
    unsigned before = _mm_getcsr();
    _mm_setcsr(w->mxcsr32);
    for (const struct wave_op *o = ops; o;)
        o = o->fn(w, o);
    assert_int_equal(_mm_getcsr() & ~0x3fu, w->mxcsr32 & ~0x3fu); /* but for the exception flags */
    _mm_setcsr(before);
    if (tier->leave)
        tier->leave();
}

static void check(const struct wave_tier *tier, enum ir_op op, unsigned kinds, const struct ir_mode *M, bool calm, u64 *random)
{
    const struct ir_op_info *info = &ir_ops[op];
    bool compare = info->class == IR_C_COMPARE;
    struct wave *w = make_wave(M), *before = make_wave(M);
    struct ir_inst inst = {.op = (uint16_t)op, .lane = 1, .src_count = info->src_count, .mask = ir_s(WRITTEN)};
    for (unsigned n = 0; n < info->src_count; n++) {
        inst.src[n] = source_ref(n, kinds >> n & 1);
        for (unsigned lane = 0; lane < LANES; lane++) {
            u64 x = pick(info->src_type[n], calm, random);
            bool may_be_equal = n && info->src_type[n] == IR_T_f32 && info->src_type[0] == IR_T_f32;
            if (may_be_equal && !(oracle_random(random) & 3)) /* in size to the first */
                x = value_of(w, inst.src[0], IR_T_f32, lane) ^ (x & 0x80000000u);
            *word(w, inst.src[n], lane, false) = (uint32_t)x;
            *word(w, inst.src[n], lane, true) = (uint32_t)(x >> 32);
        }
    }
    for (unsigned lane = 0; lane < LANES; lane++)
        *word(w, ir_v(DST), lane, false) = *word(w, ir_v(DST), lane, true) = GUARD;
    w->s[WRITTEN] = calm ? ~0u : (uint32_t)oracle_random(random);
    w->s[WRITTEN + 1] = (uint32_t)oracle_random(random);
    inst.dst[0] = compare ? ir_s(MASK_OUT) : ir_v(DST);
    memcpy(before, w, sizeof *w + SLOTS * w->stride);
    run(w, tier, &inst, kinds);
    for (unsigned lane = 0; lane < LANES; lane++) {
        u64 x[4] = {0};
        for (unsigned n = 0; n < info->src_count; n++)
            x[n] = value_of(before, inst.src[n], info->src_type[n], lane);
        bool written = w->s[WRITTEN + lane / 32] >> lane % 32 & 1;
        u64 kept = compare ? 0 : is_wide(info->dst_type[0]) ? GUARD | (u64)GUARD << 32 : GUARD;
        u64 got = compare ? w->s[MASK_OUT + lane / 32] >> lane % 32 & 1 : value_of(w, inst.dst[0], info->dst_type[0], lane);
        assert_row(got, written ? row(op, M, x[0], x[1], x[2], x[3]) : kept,
                   "%s on %s, kinds %x, lane %u, (%" PRIx64 ", %" PRIx64 ", %" PRIx64 "), rounding %u, denormals %u%u",
                   info->name, tier->name, kinds, lane, x[0], x[1], x[2], M->round32, M->denorm32_in, M->denorm32_out);
    }
    free(before);
    free(w);
}

static bool is_float_row(const struct ir_op_info *info)
{
    bool regular = info->class == IR_C_VALUE || info->class == IR_C_COMPARE,
         floats = info->flags & (IR_F_FLOAT32 | IR_F_FLOAT64 | IR_F_APPROX);
    return regular && floats;
}

static void uniform_values_agree_with_single_rows_in_every_mode(void **state)
{
    (void)state;
    u64 random = 42;
    for (unsigned op = 0; op < IR_OP_COUNT; op++)
        for (unsigned n = 0; n < 3200 && is_float_row(&ir_ops[op]); n++) {
            const struct ir_op_info *info = &ir_ops[op];
            struct ir_mode M = oracle_ir_mode(n % 16), other = oracle_ir_mode(n / 16 % 16);
            M.round64 = other.round64, M.denorm64_in = other.denorm64_in, M.denorm64_out = other.denorm64_out;
            struct wave *w = make_wave(&M);
            struct ir_inst inst = {.op = (uint16_t)op, .src_count = info->src_count, .dst = {ir_s(MASK_OUT)}};
            u64 x[4] = {0};
            for (unsigned i = 0; i < info->src_count; i++) {
                inst.src[i] = source_ref(i, false);
                x[i] = pick(info->src_type[i], false, &random);
                *word(w, inst.src[i], 0, false) = (uint32_t)x[i];
                *word(w, inst.src[i], 0, true) = (uint32_t)(x[i] >> 32);
                x[i] = value_of(w, inst.src[i], info->src_type[i], 0);
            }
            run(w, tiers[0], &inst, 0);
            u64 got = value_of(w, inst.dst[0], info->class == IR_C_COMPARE ? IR_T_u32 : info->dst_type[0], 0);
            assert_row(got, row((enum ir_op)op, &M, x[0], x[1], x[2], x[3]), "%s(%" PRIx64 ", %" PRIx64 ", %" PRIx64 ")",
                       info->name, x[0], x[1], x[2]);
            free(w);
        }
}

static void waves_agree_with_single_rows_in_every_mode_and_shape(void **state)
{
    (void)state;
    u64 random = 41;
    for (unsigned t = 0; t < sizeof tiers / sizeof *tiers; t++)
        for (unsigned op = 0; op < IR_OP_COUNT && tiers[t]->present(); op++)
            for (unsigned n = 0; n < 32 && is_float_row(&ir_ops[op]); n++) {
                struct ir_mode M = oracle_ir_mode(n % 16);
                if (n & 16) { /* f64 and f16 under a mode of their own */
                    struct ir_mode other = oracle_ir_mode(n * 7 % 16);
                    M.round64 = other.round64, M.denorm64_in = other.denorm64_in, M.denorm64_out = other.denorm64_out;
                }
                M.ieee = n & 1, M.dx10_clamp = n & 2;
                for (unsigned kinds = 0; kinds < 1u << ir_ops[op].src_count; kinds++) {
                    check(tiers[t], (enum ir_op)op, kinds, &M, false, &random);
                    check(tiers[t], (enum ir_op)op, kinds, &M, true, &random);
                }
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(uniform_values_agree_with_single_rows_in_every_mode),
        cmocka_unit_test(waves_agree_with_single_rows_in_every_mode_and_shape),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
