/* Knowledge of regular operations: bits of scalar results, lanes of vector ones, and operands that decide by themselves. */
#include "wave/wave_track_internal.h"

static uint64_t spread(uint64_t bits, unsigned span) { return span == 2 ? bits : bits & 0xffffffffu; }

/* A source as up to 64 bits. */
struct bits {
    uint64_t value, known;
    bool whole;  /* all of it is known */
};

static struct bits uniform_source(const struct track *t, const struct ir_inst *inst, unsigned n)
{
    if (n >= inst->src_count)
        return (struct bits){0, ~(uint64_t)0, true};
    unsigned span = ir_src_span(t->func, inst, n);
    uint64_t constant;
    if (ir_const_value(t->func, inst->src[n], &constant))
        return (struct bits){spread(constant, span), ~(uint64_t)0, true};
    struct bits r = {0};
    for (unsigned k = 0; k < span; k++) {
        uint32_t value, known = track_word(t, (ir_ref){inst->src[n].kind, (uint16_t)(inst->src[n].index + k)}, &value);
        r.value |= (uint64_t)value << (32 * k);
        r.known |= (uint64_t)known << (32 * k);
    }
    r.whole = r.known == spread(~(uint64_t)0, span);
    if (span == 1)
        r.known |= ~(uint64_t)0xffffffffu;
    return r;
}

/* 1. Operands that decide: when source n equals value (in the bits of mask), the result depends only on the sources in `left`. */
struct decider {
    uint16_t op;
    uint8_t n, left;
    uint64_t mask, value;
};

enum { S0 = 1, S1 = 2, S2 = 4 };
static const uint64_t all = ~(uint64_t)0;

static const struct decider deciders[] = {
    {IR_and_b32, 0, 0, all, 0}, {IR_and_b32, 1, 0, all, 0}, {IR_or_b32, 0, 0, all, 0xffffffffu}, {IR_or_b32, 1, 0, all, 0xffffffffu},
    {IR_andn2_b32, 0, 0, all, 0}, {IR_andn2_b32, 1, 0, all, 0xffffffffu}, {IR_orn2_b32, 0, 0, all, 0xffffffffu}, {IR_orn2_b32, 1, 0, all, 0},
    {IR_nand_b32, 0, 0, all, 0}, {IR_nand_b32, 1, 0, all, 0}, {IR_nor_b32, 0, 0, all, 0xffffffffu}, {IR_nor_b32, 1, 0, all, 0xffffffffu},
    {IR_and_or_b32, 0, S2, all, 0}, {IR_and_or_b32, 1, S2, all, 0}, {IR_and_or_b32, 2, 0, all, 0xffffffffu},
    {IR_or3_b32, 0, 0, all, 0xffffffffu}, {IR_or3_b32, 1, 0, all, 0xffffffffu}, {IR_or3_b32, 2, 0, all, 0xffffffffu},
    {IR_bfi_b32, 0, S2, all, 0}, {IR_bfi_b32, 0, S1, all, 0xffffffffu}, {IR_choose_b32, 0, S2, all, 0},
    {IR_shl_b32, 0, 0, all, 0}, {IR_shr_u32, 0, 0, all, 0}, {IR_shr_i32, 0, 0, all, 0}, {IR_shl_b64, 0, 0, all, 0}, {IR_shr_u64, 0, 0, all, 0},
    {IR_bfe_u32, 0, 0, all, 0}, {IR_bfe_i32, 0, 0, all, 0}, {IR_bfe_u32, 2, 0, 31, 0}, {IR_bfe_i32, 2, 0, 31, 0},
    {IR_mul_lo_u32, 0, 0, all, 0}, {IR_mul_lo_u32, 1, 0, all, 0}, {IR_mul_hi_u32, 0, 0, all, 0}, {IR_mul_hi_u32, 1, 0, all, 0},
    {IR_mul_hi_i32, 0, 0, all, 0}, {IR_mul_hi_i32, 1, 0, all, 0}, {IR_mul_u32_u64, 0, 0, all, 0}, {IR_mul_u32_u64, 1, 0, all, 0},
    {IR_mul_u24, 0, 0, 0xffffff, 0}, {IR_mul_u24, 1, 0, 0xffffff, 0}, {IR_mul_i24, 0, 0, 0xffffff, 0}, {IR_mul_i24, 1, 0, 0xffffff, 0},
    {IR_mad_u24, 0, S2, 0xffffff, 0}, {IR_mad_u24, 1, S2, 0xffffff, 0}, {IR_mad_i24, 0, S2, 0xffffff, 0}, {IR_mad_i24, 1, S2, 0xffffff, 0},
    {IR_min_u32, 0, 0, all, 0}, {IR_min_u32, 1, 0, all, 0}, {IR_max_u32, 0, 0, all, 0xffffffffu}, {IR_max_u32, 1, 0, all, 0xffffffffu},
    {IR_cmp_lt_u32, 1, 0, all, 0}, {IR_cmp_ge_u32, 1, 0, all, 0}, {IR_cmp_gt_u32, 0, 0, all, 0}, {IR_cmp_le_u32, 0, 0, all, 0},
};
enum { DECIDERS = sizeof deciders / sizeof *deciders };

/* The rows of an operation. */
struct rows {
    uint8_t row[8], count;
};

static struct rows rows_of(unsigned op)
{
    struct rows r = {.count = 0};
    for (unsigned i = 0; i < DECIDERS && r.count < sizeof r.row; i++)
        if (deciders[i].op == op)
            r.row[r.count++] = (uint8_t)i;
    return r;
}

/* Whether the result follows from the known sources (bit n of known); values of known sources are in value. */
static bool is_decided(const struct rows *rows, unsigned src_count, unsigned known, const uint64_t *value)
{
    unsigned needed = (1u << src_count) - 1;
    if ((known & needed) == needed)
        return true;
    for (unsigned i = 0; i < rows->count; i++) {
        const struct decider *d = &deciders[rows->row[i]];
        if (known >> d->n & 1 && (value[d->n] & d->mask) == d->value && (known & d->left) == d->left)
            return true;
    }
    return false;
}

/* A float's value also depends on MODE. */
static bool mode_known(const struct track *t, const struct ir_inst *inst)
{
    return !(ir_ops[inst->op].flags & (IR_F_FLOAT32 | IR_F_FLOAT64 | IR_F_APPROX)) || t->s[IR_MODE] == ~0u;
}

/* 2. Scalar results bit by bit. */

/* The low bits up to the first unknown one: what sums and products know. */
static uint64_t low_run(uint64_t known) { return known & ~(known + 1); }

static uint64_t shift_known(uint64_t known, struct bits by, unsigned width, bool left)
{
    if (!by.whole)
        return 0;
    unsigned n = (unsigned)by.value & (width - 1);
    uint64_t within = width == 64 ? all : 0xffffffffu;
    known &= within;
    if (!n)
        return known;
    return (left ? known << n | ((1ull << n) - 1) : known >> n | (within & ~(within >> n))) & within;
}

static uint64_t and_known(struct bits a, struct bits b) { return (a.known & b.known) | (a.known & ~a.value) | (b.known & ~b.value); }
static uint64_t or_known(struct bits a, struct bits b) { return (a.known & b.known) | (a.known & a.value) | (b.known & b.value); }
static struct bits inverted(struct bits a) { a.value = ~a.value; return a; }

static uint64_t choice_known(struct bits c, struct bits x, struct bits y)
{
    if (c.known & c.value & 0xffffffffu)
        return x.known;
    return c.whole ? y.known : x.known & y.known & ~(x.value ^ y.value);
}

/* bfi: each bit of the first chooses. */
static uint64_t insert_known(struct bits a, struct bits b, struct bits c)
{
    return (a.known & a.value & b.known) | (a.known & ~a.value & c.known) | (b.known & c.known & ~(b.value ^ c.value));
}

static uint64_t equality_known(struct bits a, struct bits b)
{
    bool differs = a.known & b.known & (a.value ^ b.value);
    return differs || (a.whole && b.whole) ? all : 0xfffffffeu;
}

static uint64_t uniform_known(const struct track *t, const struct ir_inst *inst)
{
    struct bits a = uniform_source(t, inst, 0), b = uniform_source(t, inst, 1), c = uniform_source(t, inst, 2);
    switch (inst->op) {
    case IR_mov_b32: case IR_mov_b64: case IR_not_b32: case IR_not_b64: return a.known;
    case IR_and_b32: case IR_and_b64: case IR_nand_b32: case IR_nand_b64: return and_known(a, b);
    case IR_or_b32: case IR_or_b64: case IR_nor_b32: case IR_nor_b64: return or_known(a, b);
    case IR_andn2_b32: case IR_andn2_b64: return and_known(a, inverted(b));
    case IR_orn2_b32: case IR_orn2_b64: return or_known(a, inverted(b));
    case IR_xor_b32: case IR_xor_b64: case IR_xnor_b32: case IR_xnor_b64: return a.known & b.known;
    case IR_bfi_b32: return insert_known(a, b, c);
    case IR_choose_b32: case IR_choose_b64: return choice_known(a, b, c);
    case IR_shl_b32: return shift_known(a.known, b, 32, true);
    case IR_shl_b64: return shift_known(a.known, b, 64, true);
    case IR_shr_u32: return shift_known(a.known, b, 32, false);
    case IR_shr_u64: return shift_known(a.known, b, 64, false);
    case IR_cmp_eq_u32: case IR_cmp_ne_u32: case IR_cmp_eq_u64: case IR_cmp_ne_u64: return equality_known(a, b);
    default: break;
    }
    const uint64_t value[] = {a.value, b.value, c.value, uniform_source(t, inst, 3).value};
    unsigned known = (unsigned)a.whole | (unsigned)b.whole << 1 | (unsigned)c.whole << 2 | (unsigned)uniform_source(t, inst, 3).whole << 3;
    struct rows rows = rows_of(inst->op);
    if (is_decided(&rows, inst->src_count, known, value))
        return all;
    bool carries_up = inst->op == IR_add_u32 || inst->op == IR_sub_u32 || inst->op == IR_add_u64 || inst->op == IR_sub_u64 ||
        inst->op == IR_mul_lo_u32;
    return carries_up ? low_run(a.known & b.known) : 0;
}

/* 3. Vector results lane by lane. */
static uint64_t lanes_known(const struct track *t, const struct ir_inst *inst)
{
    uint64_t source[6], together = t->lanes, any = 0;
    for (unsigned n = 0; n < inst->src_count; n++) {
        source[n] = track_lanes_of(t, inst->src[n], ir_src_span(t->func, inst, n));
        together &= source[n];
        any |= source[n];
    }
    uint64_t decided = together, open = t->lanes & any & ~together;
    struct rows rows = open ? rows_of(inst->op) : (struct rows){.count = 0};
    for (uint64_t left = rows.count ? open : 0; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left), known = 0;
        uint64_t value[6] = {0};
        for (unsigned n = 0; n < inst->src_count; n++) {
            known |= (unsigned)(source[n] >> lane & 1) << n;
            value[n] = track_value(t, inst->src[n], ir_src_span(t->func, inst, n), lane);
        }
        if (is_decided(&rows, inst->src_count, known, value))
            decided |= (uint64_t)1 << lane;
    }
    return decided;
}

/* A compare's mask: 0 in lanes that are certainly inactive, known where active and decided. */
static void set_mask(struct track *t, const struct ir_inst *inst, struct track_lanes mask, uint64_t known)
{
    uint64_t bits = ~mask.possible | (mask.sure & known);
    track_set_word(t, inst->dst[0], 0, (uint32_t)bits);
    if (t->func->wave_size == 64)
        track_set_word(t, inst->dst[0], 1, (uint32_t)(bits >> 32));
}

void track_regular(struct track *t, const struct ir_inst *inst, const struct wave_op *op)
{
    bool floats_known = mode_known(t, inst);
    if (!inst->lane) {
        uint64_t known = floats_known ? uniform_known(t, inst) : 0;
        unsigned span = ir_dst_span(t->func, inst, 0);
        track_run_op(t, op);
        for (unsigned k = 0; k < span; k++)
            track_set_word(t, inst->dst[0], k, (uint32_t)(known >> (32 * k)));
        return;
    }
    uint64_t known = floats_known ? lanes_known(t, inst) : 0;
    struct track_lanes mask = track_mask(t, inst->mask);
    track_run_op(t, op);
    if (ir_ops[inst->op].class == IR_C_COMPARE)
        set_mask(t, inst, mask, known);
    else
        track_set_lanes(t, inst->dst[0], ir_dst_span(t->func, inst, 0), mask, known);
}
