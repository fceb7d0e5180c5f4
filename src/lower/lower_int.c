/* Integer instructions whose results go to two places (a value and SCC, a value and a carry mask) or that take several words. */
#include "lower/lower_inst.h"

enum { CODE_NULL = 125 };

/* The flag goes straight to SCC where the value does not read SCC; else it waits until the value is made. */
static void value_and_scc(struct lower *l, enum ir_op value, enum ir_op scc, unsigned count, const ir_ref *src)
{
    bool reads_scc = false;
    for (unsigned i = 0; i < count; i++)
        reads_scc |= ir_same(src[i], ir_s(IR_SCC));
    ir_ref flag = ir_emit(l->b, scc, count, src);
    if (!reads_scc)
        lower_set_scc(l, flag);
    lower_sdst(l, 0, ir_emit(l->b, value, count, src));
    if (reads_scc)
        lower_set_scc(l, flag);
}

void lower_s_pair(struct lower *l, enum ir_op value, enum ir_op scc)
{
    value_and_scc(l, value, scc, 2, (ir_ref[]){A, B});
}

void lower_s_with_carry(struct lower *l, enum ir_op value, enum ir_op scc)
{
    value_and_scc(l, value, scc, 3, (ir_ref[]){A, B, ir_s(IR_SCC)});
}

void lower_s_lshl_add(struct lower *l, unsigned shift)
{
    value_and_scc(l, IR_shl_add_u32, IR_carry_shl_add_u32, 3, (ir_ref[]){A, lower_k(l, shift), B});
}

/* One move of the pair, of constants too: mask saves and restores are made of these. */
void lower_s_mov_b64(struct lower *l)
{
    ir_ref source = A, made = ir_s_temp(l->b, 2);
    struct ir_inst *move = ir_append(l->b, IR_mov_b64);
    move->src[0] = source;
    move->dst[0] = made;
    lower_sdst(l, 0, made);
}

/* Where mask is set on, else off. */
static ir_ref select_value(struct lower *l, ir_ref mask, ir_ref off, uint32_t on)
{
    return ir_emit(l->b, IR_select_b32, 3, (ir_ref[]){mask, off, lower_k(l, on)});
}

/* Appends an op with a value and a mask; the mask is 0 in lanes that are not written. Straight into the destinations (true)
 * where nothing is left to do with the value. */
static bool emit_value_and_mask(struct lower *l, enum ir_op op, const ir_ref *src, ir_ref *value, ir_ref *mask)
{
    const struct isa_inst *inst = l->inst;
    *value = ir_emit2(l->b, op, true, 3, src, mask);
    if (l->b->func->inst_count <= l->b->inst_start)
        return true; /* out of memory */
    struct ir_inst *made = &l->b->func->insts[l->b->func->inst_count - 1];
    made->mask = l->write_mask;
    if (inst->clamp || inst->encoding == ISA_SDWA)
        return false;
    made->dst[0] = ir_v(inst->dst[0].reg);
    if (inst->dst[1].kind == ISA_O_SREG && inst->dst[1].reg != CODE_NULL)
        made->dst[1] = ir_s(inst->dst[1].reg);
    return true;
}

void lower_v_carry(struct lower *l, enum ir_op op, bool reversed, bool carry_in)
{
    ir_ref x = A, y = B, carry, value;
    ir_ref src[3] = {reversed ? y : x, reversed ? x : y, carry_in ? C : lower_k(l, 0)};
    if (emit_value_and_mask(l, op, src, &value, &carry))
        return;
    if (l->inst->clamp)
        value = select_value(l, carry, value, op == IR_add_carry_u32 ? ~0u : 0);
    lower_valu(l, value);
    lower_sdst(l, 1, carry);
}

static ir_ref high_of(ir_ref pair)
{
    return (ir_ref){pair.kind, (uint16_t)(pair.index + 1)};
}

static void write_pair(struct lower *l, ir_ref low, ir_ref high)
{
    ir_ref dst = ir_v(l->inst->dst[0].reg);
    ir_assign(l->b, high_of(dst), high, l->write_mask);
    ir_assign(l->b, dst, low, l->write_mask);
}

void lower_v_mad_u64_u32(struct lower *l)
{
    ir_ref src[3] = {A, B, C}, value, carry;
    if (emit_value_and_mask(l, IR_mad_u64_u32, src, &value, &carry))
        return;
    ir_ref low = select_value(l, carry, value, ~0u), high = select_value(l, carry, high_of(value), ~0u);
    write_pair(l, low, high);
    lower_sdst(l, 1, carry);
}

/* The sum has 65 bits; the mask is the topmost, its sign. It does not fit where that differs from the value's own sign. */
void lower_v_mad_i64_i32(struct lower *l)
{
    struct ir_builder *b = l->b;
    ir_ref src[3] = {A, B, C}, value, sign;
    if (emit_value_and_mask(l, IR_mad_i64_i32, src, &value, &sign))
        return;
    ir_ref own_sign = ir_emit_lane(b, IR_cmp_lt_i32, 2, (ir_ref[]){high_of(value), lower_k(l, 0)});
    ir_ref overflow = lower_mask_op(l, IR_xor_b32, IR_xor_b64, sign, own_sign);
    ir_ref negative = lower_mask_op(l, IR_and_b32, IR_and_b64, sign, overflow);
    ir_ref low = select_value(l, negative, select_value(l, overflow, value, ~0u), 0);
    ir_ref high = select_value(l, negative, select_value(l, overflow, high_of(value), 0x7fffffffu), 0x80000000u);
    write_pair(l, low, high);
    lower_sdst(l, 1, sign);
}

/* Four masked sums, the pair moving on by a byte each; all are made before any is written. */
void lower_v_mqsad_u32_u8(struct lower *l)
{
    enum { COUNT = 4 };
    struct ir_builder *b = l->b;
    ir_ref sums[COUNT];
    for (unsigned i = 0; i < COUNT; i++) {
        ir_ref window = ir_alignbyte_b32(b, lower_src_word(l, 0, 1), lower_src_word(l, 0, 0), lower_k(l, i));
        ir_ref sum = ir_msad_u8(b, window, B);
        sums[i] = SAT(add_u32, add_sat_u32, sum, lower_src_word(l, 2, i));
    }
    for (unsigned i = 0; i < COUNT; i++)
        lower_write_vreg(l, l->inst->dst[0].reg + i, sums[i]);
}
