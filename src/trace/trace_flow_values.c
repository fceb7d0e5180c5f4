/* What the flow knows of operations' results. Words that are known fold by the rows' own expressions, the rest goes by sums. */
#include "ir/ir_fold.h"
#include "trace/trace_flow_sums.h"

enum { SOURCES = 6, SOURCE_WORDS = 16 };

/* An operation's sources. */
struct operands {
    uint32_t op;
    const struct ir_ssa_node *node;
    const struct ir_inst *inst;
    const uint32_t *args;
    struct flow_value value[SOURCE_WORDS]; /* source words, as far as they speak for all lanes that the operation is done in */
    uint32_t at[SOURCES];                  /* of each source: its first word */
    uint32_t under[2];                     /* what the result speaks for */
    uint32_t mask[2], lost;                /* source words that do not */
    bool masked;
};

/* 1. Results. */

static void set_result(struct flow *f, const struct operands *o, uint32_t number, struct flow_value value)
{
    if (number >= o->node->results)
        return;
    value.under[0] = o->under[0];
    value.under[1] = o->under[1];
    flow_set(f, flow_result(f, o->op, number), value);
}

static void set_sum(struct flow *f, const struct operands *o, uint32_t number, const sum *a)
{
    set_result(f, o, number, flow_sum(f, a));
}

/* A pair that is known as a whole, or (wide NULL) only its low word. */
static void set_pair(struct flow *f, const struct operands *o, const sum *low, const sum *wide)
{
    sum high = wide ? flow_high(f, wide) : any(), part = wide ? trace_affine_wrap(wide, TRACE_WORD) : *low;
    set_sum(f, o, 0, &part);
    set_sum(f, o, 1, &high);
    flow_set_wide(f, o->op, wide);
}

static void set_unknown(struct flow *f, const struct operands *o)
{
    for (uint32_t n = 0; n < o->node->results; n++)
        set_result(f, o, n, flow_unknown());
    flow_set_wide(f, o->op, NULL);
}

static sum source(const struct flow *f, const struct operands *o, unsigned n)
{
    return flow_sum_of(f, &o->value[o->at[n]]);
}

/* Whether the operands' own words may be used for their pair, and it. */
static bool source_pair(const struct flow *f, const struct operands *o, unsigned n, sum *wide)
{
    const uint32_t at = o->at[n];
    return !(o->lost >> at & 3) && flow_pair(f, o->args[at], o->args[at + 1], wide);
}

static bool known(const struct operands *o, unsigned n, uint32_t *value)
{
    *value = o->value[o->at[n]].word;
    return o->value[o->at[n]].kind == FLOW_WORD;
}

/* 2. Compares. */

static int decide_sources(const struct flow *f, const struct operands *o)
{
    struct flow_compare compare;
    sum sums[2];
    if (!flow_compare_of(o->inst->op, &compare))
        return -1;
    for (unsigned n = 0; n < 2; n++) {
        sums[n] = source(f, o, n);
        if (compare.bits == TRACE_PAIR && !source_pair(f, o, n, &sums[n]))
            return -1;
    }
    return flow_decide(f, &compare, sums);
}

/* A mask of the active lanes in which something holds: all, none, or not known which. */
static void set_mask(struct flow *f, const struct operands *o, uint32_t first, int holds)
{
    for (unsigned n = 0; n < f->masks; n++) {
        const struct flow_value *active = &f->values[o->mask[n]];
        struct flow_value value = flow_unknown();
        if (holds == 0)
            value = flow_word(0);
        else if (holds > 0)
            value = *active;
        else if (!f->full && flow_is_inside(f, active, n))
            value = (struct flow_value){.kind = FLOW_SUBSET, .word = n};
        if (active->kind == FLOW_WORD && !active->word)
            value = flow_word(0);
        value.under[0] = value.under[1] = IR_SSA_NONE;
        if (first + n < o->node->results)
            flow_set(f, flow_result(f, o->op, first + n), value);
    }
}

static void compare(struct flow *f, const struct operands *o)
{
    int holds = decide_sources(f, o);
    if (o->inst->lane) {
        set_mask(f, o, 0, holds);
        return;
    }
    sum result = holds < 0 ? flow_between(0, 1, 0) : word((uint64_t)holds);
    if (o->inst->op == IR_carry_u32) {
        sum a = source(f, o, 0), b = source(f, o, 1);
        struct trace_bounds x = flow_bounds(f, &a), y = flow_bounds(f, &b);
        result = flow_between((x.low + y.low) >> TRACE_WORD, (x.high + y.high) >> TRACE_WORD, 0);
    }
    set_sum(f, o, 0, &result);
}

/* 3. Values of one word. */

static sum of_bits(const struct flow *f, const sum *a, unsigned from, unsigned count)
{
    sum part = flow_right(f, a, from & 31);
    return flow_low_bits(f, &part, count);
}

static sum field_of(const struct flow *f, const struct operands *o, bool is_signed)
{
    uint32_t from, count;
    sum a = source(f, o, 0);
    if (!known(o, 1, &from) || !known(o, 2, &count))
        return any();
    from &= 31;
    count &= 31;
    if (is_signed && from + count > TRACE_WORD && !flow_fits(f, &a, TRACE_WORD - 1, false)) /* takes copies of the sign in */
        return any();
    sum part = of_bits(f, &a, from, count);
    return is_signed && count && !flow_fits(f, &part, count - 1, false) ? any() : part;
}

static sum extended(const struct flow *f, const sum *a, unsigned bits)
{
    return flow_fits(f, a, bits, true) ? *a : any();
}

/* The sign of all, or of each. */
static sum signs(const struct flow *f, const sum *a, unsigned by)
{
    struct trace_bounds bounds;
    if (!flow_signed_bounds(f, a, &bounds))
        return any();
    if (bounds.low >= 0)
        return flow_right(f, a, by);
    sum at = word((uint64_t)(bounds.low >> by) & UINT32_MAX),
        noise = flow_between(0, (bounds.high >> by) - (bounds.low >> by), 0);
    return add(&at, &noise);
}

static sum chosen(const struct flow *f, const struct operands *o)
{
    sum c = source(f, o, 0), x = source(f, o, 1), y = source(f, o, 2);
    struct trace_bounds bounds = flow_bounds(f, &c);
    return bounds.low > 0 ? x : bounds.high == 0 ? y : flow_join(f, &x, &y);
}

static sum inserted(const struct flow *f, const struct operands *o)
{
    uint32_t mask;
    sum b = source(f, o, 1), c = source(f, o, 2);
    if (!known(o, 0, &mask))
        return any();
    b = flow_masked(f, &b, mask);
    c = flow_masked(f, &c, ~mask);
    return flow_or(f, &b, &c);
}

static sum aligned(const struct flow *f, const struct operands *o)
{
    uint32_t high, by;
    sum b = source(f, o, 1);
    return known(o, 0, &high) && known(o, 2, &by) && !high ? flow_right(f, &b, by & 31) : any();
}

static sum scalar_field(const struct flow *f, const struct operands *o)
{
    enum { WIDTH_AT = 16, WIDTH_BITS = 0x7f };
    uint32_t what;
    sum a = source(f, o, 0);
    return known(o, 1, &what) ? of_bits(f, &a, what & 31, what >> WIDTH_AT & WIDTH_BITS) : any();
}

static sum packed(const struct flow *f, const sum *a, const sum *b)
{
    sum low = flow_low_bits(f, a, 16), high = flow_left(b, 16);
    return add(&low, &high);
}

/* Shifts by what is not known, of what is: at most so much. */
static sum shift(const struct flow *f, const struct operands *o)
{
    uint32_t by;
    sum a = source(f, o, 0);
    bool fixed = known(o, 1, &by);
    struct trace_bounds bounds = flow_bounds(f, &a);
    switch (o->inst->op) {
    case IR_shl_b32: return fixed ? flow_left(&a, by & 31) : trace_affine_any(TRACE_WORD, trace_affine_align(&a, TRACE_WORD));
    case IR_shr_u32: return fixed ? flow_right(f, &a, by & 31) : flow_between(0, bounds.high, 0);
    default: return fixed ? signs(f, &a, by & 31) : any();
    }
}

static sum one_word(const struct flow *f, const struct operands *o)
{
    sum s[SOURCES];
    uint32_t by = 0;
    for (unsigned n = 0; n < o->inst->src_count; n++)
        s[n] = source(f, o, n);
    const sum *a = &s[0], *b = &s[1], *c = &s[2];
    sum t;
    switch (o->inst->op) {
    case IR_mov_b32: return *a;
    case IR_not_b32: return flow_not(a);
    case IR_and_b32: return flow_and(f, a, b);
    case IR_or_b32: return flow_or(f, a, b);
    case IR_xor_b32: return flow_xor(f, a, b);
    case IR_andn2_b32: t = flow_not(b); return flow_and(f, a, &t);
    case IR_and_or_b32: t = flow_and(f, a, b); return flow_or(f, &t, c);
    case IR_or3_b32: t = flow_or(f, a, b); return flow_or(f, &t, c);
    case IR_bfi_b32: return inserted(f, o);
    case IR_shl_b32:
    case IR_shr_u32:
    case IR_shr_i32: return shift(f, o);
    case IR_shl_add_u32: t = known(o, 1, &by) ? flow_left(a, by & 31) : any(); return add(&t, c);
    case IR_add_shl_u32: t = add(a, b); return known(o, 2, &by) ? flow_left(&t, by & 31) : any();
    case IR_shl_or_b32: t = known(o, 1, &by) ? flow_left(a, by & 31) : any(); return flow_or(f, &t, c);
    case IR_xor_add_u32: t = flow_xor(f, a, b); return add(&t, c);
    case IR_alignbit_b32: return aligned(f, o);
    case IR_bfe_u32: return field_of(f, o, false);
    case IR_bfe_i32: return field_of(f, o, true);
    case IR_bit_b32: return known(o, 1, &by) ? of_bits(f, a, by & 31, 1) : flow_between(0, 1, 0);
    case IR_s_bfe_u32: return scalar_field(f, o);
    case IR_choose_b32: return chosen(f, o);
    case IR_sext_i8: return extended(f, a, 8);
    case IR_sext_i16: return extended(f, a, 16);
    case IR_pack_ll_b16: return packed(f, a, b);
    case IR_add_u32: return add(a, b);
    case IR_sub_u32: return sub(a, b);
    case IR_add3_u32: t = add(a, b); return add(&t, c);
    case IR_sub3_u32: t = sub(a, b); return sub(&t, c);
    case IR_add_u16: t = add(a, b); return flow_low_bits(f, &t, 16);
    case IR_mul_lo_u16: t = flow_product(f, a, b); return flow_low_bits(f, &t, 16);
    case IR_mul_lo_u32: return flow_product(f, a, b);
    case IR_mad_lo_u32: t = flow_product(f, a, b); return add(&t, c);
    case IR_mul_u24: return flow_narrow_product(f, a, b, 24, false);
    case IR_mul_i24: return flow_narrow_product(f, a, b, 24, true);
    case IR_mad_u24: t = flow_narrow_product(f, a, b, 24, false); return add(&t, c);
    case IR_mad_i24: t = flow_narrow_product(f, a, b, 24, true); return add(&t, c);
    case IR_mul_u16_u32: return flow_narrow_product(f, a, b, 16, false);
    case IR_mul_i16_i32: return flow_narrow_product(f, a, b, 16, true);
    case IR_mul_hi_u32: return flow_product_high(f, a, b);
    case IR_mul_hi_i32: return flow_fits(f, a, 31, false) && flow_fits(f, b, 31, false) ? flow_product_high(f, a, b) : any();
    case IR_min_u32: return flow_extreme(f, a, b, false, false);
    case IR_max_u32: return flow_extreme(f, a, b, false, true);
    case IR_min_i32: return flow_extreme(f, a, b, true, false);
    case IR_max_i32: return flow_extreme(f, a, b, true, true);
    case IR_min3_u32: t = flow_extreme(f, a, b, false, false); return flow_extreme(f, &t, c, false, false);
    case IR_max3_u32: t = flow_extreme(f, a, b, false, true); return flow_extreme(f, &t, c, false, true);
    case IR_med3_u32: return flow_medium(f, a, b, c, false);
    case IR_med3_i32: return flow_medium(f, a, b, c, true);
    case IR_carry3_u32:
    case IR_borrow3_u32: return flow_between(0, 1, 0);
    case IR_popcount_b32: return flow_between(0, 32, 0);
    default: return any();
    }
}

static void logic(struct flow *f, const struct operands *o, unsigned op, unsigned number, unsigned a, unsigned b)
{
    struct flow_value value;
    if ((op == IR_or_b32 && flow_mask_joined(f, o->args[a], o->args[b], &value)) ||
        flow_mask_logic(f, op, &o->value[a], &o->value[b], &value)) {
        set_result(f, o, number, value);
        return;
    }
    sum x = flow_sum_of(f, &o->value[a]), y = flow_sum_of(f, &o->value[b]), t = flow_not(&y);
    sum result = op == IR_and_b32   ? flow_and(f, &x, &y)
                 : op == IR_or_b32  ? flow_or(f, &x, &y)
                 : op == IR_xor_b32 ? flow_xor(f, &x, &y)
                                    : flow_and(f, &x, &t);
    set_sum(f, o, number, &result);
}

/* 4. Values of two words. */

static sum low_sum(const struct flow *f, const struct operands *o)
{
    sum a = source(f, o, 0), b = o->inst->src_count > 1 ? source(f, o, 1) : any();
    uint32_t by;
    switch (o->inst->op) {
    case IR_mov_b64: return a;
    case IR_add_u64: return add(&a, &b);
    case IR_sub_u64: return sub(&a, &b);
    case IR_mul_u32_u64:
    case IR_mul_i32_i64: return flow_product(f, &a, &b);
    case IR_shl_b64: return known(o, 1, &by) ? flow_left(&a, by & 63) : any();
    default: return any();
    }
}

static bool pair_of(const struct flow *f, const struct operands *o, sum *wide)
{
    uint32_t by;
    sum a, b;
    switch (o->inst->op) {
    case IR_mov_b64: return source_pair(f, o, 0, wide);
    case IR_add_u64:
    case IR_sub_u64:
        if (!source_pair(f, o, 0, &a) || !source_pair(f, o, 1, &b))
            return false;
        *wide = o->inst->op == IR_add_u64 ? trace_affine_add(&a, &b, TRACE_PAIR) : trace_affine_sub(&a, &b, TRACE_PAIR);
        return true;
    case IR_mul_u32_u64:
    case IR_mul_i32_i64:
        a = source(f, o, 0);
        b = source(f, o, 1);
        return flow_wide_product(f, &a, &b, o->inst->op == IR_mul_i32_i64, wide);
    case IR_shl_b64:
        if (!known(o, 1, &by) || !source_pair(f, o, 0, &a))
            return false;
        *wide = trace_affine_scale(&a, (int64_t)(UINT64_C(1) << (by & 63)), TRACE_PAIR);
        return true;
    case IR_shr_u64:
    case IR_shr_i64:
        return known(o, 1, &by) && source_pair(f, o, 0, &a) && flow_wide_right(f, &a, by & 63, o->inst->op == IR_shr_i64, wide);
    default: return false;
    }
}

static void two_words(struct flow *f, const struct operands *o)
{
    static const struct {
        uint16_t wide, word;
    } logics[] = {{IR_and_b64, IR_and_b32}, {IR_or_b64, IR_or_b32}, {IR_xor_b64, IR_xor_b32}, {IR_andn2_b64, IR_andn2_b32}};
    for (unsigned n = 0; n < sizeof logics / sizeof *logics; n++)
        if (logics[n].wide == o->inst->op) {
            for (unsigned k = 0; k < 2; k++)
                logic(f, o, logics[n].word, k, k, 2 + k);
            return;
        }
    if (o->inst->op == IR_mov_b64) { /* masks keep what they are */
        set_result(f, o, 0, o->value[0]);
        set_result(f, o, 1, o->value[1]);
        sum whole;
        bool good = source_pair(f, o, 0, &whole);
        flow_set_wide(f, o->op, good ? &whole : NULL);
        return;
    }
    sum low = low_sum(f, o), wide;
    bool good = pair_of(f, o, &wide);
    set_pair(f, o, &low, good ? &wide : NULL);
}

/* 5. Operations with rules of their own. */

uint64_t flow_group_waves(const struct flow *f)
{
    const struct wave_dispatch *d = f->dispatch;
    return ((uint64_t)d->threads[0] * d->threads[1] * d->threads[2] + d->wave_size - 1) / d->wave_size;
}

struct trace_affine flow_lane(const struct flow *f)
{
    const struct wave_dispatch *d = f->dispatch;
    sum lane = word(0);
    bool line = d->threads[1] == 1 && d->threads[2] == 1;
    if (flow_group_waves(f) > 1 || !(f->full || line))
        return flow_between(0, d->wave_size - 1, 0);
    int64_t step = 1;
    for (unsigned n = 0; n < TRACE_AXES; step *= d->threads[n++])
        lane.c[TRACE_AXES + n] = d->threads[n] > 1 ? step : 0;
    return lane;
}

/* Whether a word speaks for all lanes that the operation is done in. */
static bool speaks(const struct flow *f, const struct operands *o, uint32_t node)
{
    const uint32_t *under = f->values[node].under;
    return flow_is_everywhere(under) || (o->masked && flow_is_within(f, o->mask, under));
}

/* The sum of two pairs whose low words low_op adds, and their high words this operation. */
static bool sums_of_halves(const struct flow *f, const struct operands *o, uint32_t low_op, sum *wide)
{
    const uint32_t *low = flow_args(f, low_op), *high = o->args;
    sum a, b;
    if (!speaks(f, o, low[0]) || !speaks(f, o, low[1]))
        return false;
    for (unsigned n = 0; n < 2; n++)
        if (flow_pair(f, low[0], high[n], &a) && flow_pair(f, low[1], high[1 - n], &b)) {
            *wide = trace_affine_add(&a, &b, TRACE_PAIR);
            return true;
        }
    return false;
}

static void add_carry(struct flow *f, const struct operands *o)
{
    sum a = source(f, o, 0), b = source(f, o, 1), low = add(&a, &b), carry = flow_between(0, 1, 0), wide;
    struct trace_bounds x = flow_bounds(f, &a), y = flow_bounds(f, &b);
    uint32_t low_op, into[2] = {o->args[o->at[2]], f->masks == 2 ? o->args[o->at[2] + 1] : IR_SSA_NONE};
    bool lanes, none = flow_is_none(f, into);
    if (none || (o->masked && flow_is_within(f, o->mask, into)))
        carry = word(!none);
    low = add(&low, &carry);
    trace_wide at_most = x.high + y.high + (none ? 0 : 1), at_least = x.low + y.low + (trace_wide)carry.at;
    set_mask(f, o, 1, at_most <= UINT32_MAX ? 0 : at_least > UINT32_MAX ? 1 : -1);
    bool found = flow_find_low_sum(f, o->op, &low_op, &lanes) && lanes && !(o->lost & 3) && sums_of_halves(f, o, low_op, &wide);
    if (found) {
        sum high = flow_high(f, &wide);
        low = none || trace_affine_is_any(&high, TRACE_WORD) ? low : high;
    }
    set_sum(f, o, 0, &low);
    flow_set_wide(f, o->op, found ? &wide : NULL);
}

/* As add_carry's, of scalars: the high half of a sum of pairs. */
static bool scalar_high(struct flow *f, const struct operands *o)
{
    uint32_t low_op;
    bool lanes;
    sum wide;
    if (o->inst->lane || !flow_find_low_sum(f, o->op, &low_op, &lanes) || lanes || !sums_of_halves(f, o, low_op, &wide))
        return false;
    sum high = flow_high(f, &wide);
    set_sum(f, o, 0, &high);
    flow_set_wide(f, o->op, &wide);
    return true;
}

static void multiply_add(struct flow *f, const struct operands *o)
{
    sum a = source(f, o, 0), b = source(f, o, 1), c = source(f, o, 2), low = flow_product(f, &a, &b), wide, added;
    bool is_signed = o->inst->op == IR_mad_i64_i32;
    low = add(&low, &c);
    bool good = flow_wide_product(f, &a, &b, is_signed, &wide) && source_pair(f, o, 2, &added);
    if (good)
        wide = trace_affine_add(&wide, &added, TRACE_PAIR);
    set_pair(f, o, &low, good ? &wide : NULL);
    set_mask(f, o, 2, -1);
}

static void select_lanes(struct flow *f, const struct operands *o)
{
    uint32_t by[2] = {o->args[0], f->masks == 2 ? o->args[1] : IR_SSA_NONE};
    sum zero = source(f, o, 1), one = source(f, o, 2);
    bool all = o->masked && flow_is_within(f, o->mask, by);
    sum result = flow_is_none(f, by) ? zero : all ? one : flow_join(f, &zero, &one);
    set_sum(f, o, 0, &result);
}

/* One lane's value, which is not known to be active: it has a thread, the wave's first always, others where all have. */
static void one_lane(struct flow *f, const struct operands *o)
{
    const struct flow_value *value = &f->values[o->args[0]];
    sum a = any();
    if (flow_is_everywhere(value->under) && (f->full || o->inst->op == IR_readfirstlane)) {
        a = flow_sum_of(f, value);
        a = trace_affine_uniform(&a, &f->domain, TRACE_WORD);
    }
    set_sum(f, o, 0, &a);
}

static void count_lanes(struct flow *f, const struct operands *o)
{
    uint32_t mask, base;
    sum a = source(f, o, 1), count = flow_between(0, 32, 0);
    /* All lanes below: in wave32 the number of the lane. */
    if (known(o, 0, &mask) && mask == UINT32_MAX && o->inst->imm == 0 && f->dispatch->wave_size == 32)
        count = flow_lane(f);
    if (o->inst->imm && f->dispatch->wave_size == 32)
        count = word(0);
    if (known(o, 0, &base) && !mask)
        count = word(0);
    a = add(&a, &count);
    set_sum(f, o, 0, &a);
}

static void irregular(struct flow *f, const struct operands *o)
{
    sum a;
    switch (o->inst->op) {
    case IR_add_carry_u32: add_carry(f, o); break;
    case IR_mad_u64_u32:
    case IR_mad_i64_i32: multiply_add(f, o); break;
    case IR_select_b32: select_lanes(f, o); break;
    case IR_readlane:
    case IR_readfirstlane: one_lane(f, o); break;
    case IR_mbcnt: count_lanes(f, o); break;
    case IR_lane_id:
        a = flow_lane(f);
        set_sum(f, o, 0, &a);
        break;
    case IR_wave_id:
        a = flow_between(0, (trace_wide)flow_group_waves(f) - 1, 0);
        set_sum(f, o, 0, &a);
        break;
    case IR_sub_borrow_u32:
        set_unknown(f, o);
        set_mask(f, o, 1, -1);
        break;
    default: set_unknown(f, o); break;
    }
}

/* 6. Sources. */

static bool fold(struct flow *f, const struct operands *o)
{
    uint64_t values[SOURCES] = {0}, result;
    const struct ir_op_info *info = &ir_ops[o->inst->op];
    if (info->class > IR_C_COMPARE || (info->class == IR_C_COMPARE && o->inst->lane))
        return false;
    for (uint32_t n = 0; n < o->node->mask_at; n++)
        if (o->value[n].kind != FLOW_WORD)
            return false;
    for (unsigned n = 0; n < o->inst->src_count; n++) {
        values[n] = o->value[o->at[n]].word;
        if (ir_type_is_wide(info->src_type[n]))
            values[n] |= (uint64_t)o->value[o->at[n] + 1].word << TRACE_WORD;
    }
    if (!ir_fold_values((enum ir_op)o->inst->op, values, &result))
        return false;
    for (uint32_t n = 0; n < o->node->results; n++)
        set_result(f, o, n, flow_word((uint32_t)(result >> (TRACE_WORD * n))));
    return true;
}

/* A lane's value that does not speak for all lanes here says nothing, or the result speaks for just its lanes. */
static void narrow(const struct flow *f, struct operands *o, unsigned n)
{
    const struct flow_value *value = &o->value[n];
    if (flow_is_everywhere(value->under) || !o->inst->lane)
        return;
    if (o->masked ? flow_is_within(f, o->mask, value->under) : flow_meet_masks(f, o->under, value->under))
        return;
    o->value[n] = flow_unknown();
    o->lost |= 1u << n;
}

/* False: a source is not reached yet. */
static bool take_sources(struct flow *f, uint32_t op, struct operands *o)
{
    *o = (struct operands){.op = op, .node = &f->ssa->nodes[op], .args = flow_args(f, op), .under = {IR_SSA_NONE, IR_SSA_NONE}};
    o->inst = &f->func->insts[o->node->inst];
    o->masked = o->node->unsaid_at > o->node->mask_at;
    if (o->masked)
        flow_mask_of(f, o->node, o->mask);
    uint32_t at = 0;
    for (unsigned n = 0; n < o->inst->src_count && n < SOURCES; n++) {
        o->at[n] = at;
        at += ir_src_span(f->func, o->inst, n);
    }
    for (uint32_t n = 0; n < o->node->mask_at && n < SOURCE_WORDS; n++) {
        o->value[n] = f->values[o->args[n]];
        if (o->value[n].kind == FLOW_NOTHING)
            return false;
        narrow(f, o, n);
    }
    return true;
}

void flow_operation(struct flow *f, uint32_t op)
{
    struct operands o;
    const struct ir_op_info *info = &ir_ops[f->func->insts[f->ssa->nodes[op].inst].op];
    if (info->class == IR_C_MEMORY && ir_op_has_access(f->func->insts[f->ssa->nodes[op].inst].op)) {
        flow_memory(f, op);
        return;
    }
    if (!f->ssa->nodes[op].results || !take_sources(f, op, &o))
        return;
    if (info->class == IR_C_COMPARE && !fold(f, &o)) {
        compare(f, &o);
    } else if (info->class == IR_C_VALUE && !fold(f, &o)) {
        bool logical =
            o.inst->op == IR_and_b32 || o.inst->op == IR_or_b32 || o.inst->op == IR_xor_b32 || o.inst->op == IR_andn2_b32;
        if (logical && !o.inst->lane) {
            logic(f, &o, o.inst->op, 0, 0, 1);
        } else if (o.inst->op == IR_mov_b32) {
            set_result(f, &o, 0, o.value[0]);
        } else if (o.node->results == 2) {
            two_words(f, &o);
        } else if (o.inst->op != IR_add3_u32 || !scalar_high(f, &o)) {
            sum result = ir_type_is_wide(info->src_type[0]) ? any() : one_word(f, &o);
            set_sum(f, &o, 0, &result);
        }
    } else if (info->class > IR_C_COMPARE) {
        irregular(f, &o);
    }
}
