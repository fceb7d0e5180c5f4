/* Vector instructions across lanes and registers: readlane and its kin, permutes, lane counts, swaps, relative registers. */
#include "ir/ir_lanes.h"
#include "lower/lower_inst.h"

static ir_ref any_lane(void)
{
    return ir_s(IR_ALL_LO);
}

/* Whether the result goes to its register as it is: then a lane operation may write it itself. */
static bool is_plain(const struct lower *l)
{
    const struct isa_inst *inst = l->inst;
    return inst->dst[0].kind == ISA_O_VREG && inst->encoding != ISA_SDWA && !inst->omod && !inst->clamp;
}

/* Appends a lane operation; its result goes where the instruction says. */
static struct ir_inst *lane_op(struct lower *l, enum ir_op op, unsigned count, const ir_ref *src)
{
    struct ir_inst *inst = ir_append(l->b, op);
    inst->lane = true;
    for (unsigned i = 0; i < count; i++)
        inst->src[i] = src[i];
    inst->mask = any_lane();
    return inst;
}

static void lane_result(struct lower *l, enum ir_op op, uint32_t imm, unsigned count, const ir_ref *src)
{
    struct ir_inst *inst = lane_op(l, op, count, src);
    inst->imm = imm;
    if (is_plain(l)) {
        inst->dst[0] = ir_v(l->inst->dst[0].reg);
        inst->mask = l->write_mask;
        return;
    }
    ir_ref result = ir_v_temp(l->b, 1);
    inst->dst[0] = result;
    lower_valu(l, result);
}

/* src[2]: the lanes that get source 1. */
void lower_v_cndmask(struct lower *l)
{
    ir_ref no = A, yes = B, lanes = lower_raw(l, &l->inst->src[2]);
    lane_result(l, IR_select_b32, 0, 3, (ir_ref[]){lanes, no, yes});
}

void lower_v_mbcnt(struct lower *l, bool high)
{
    ir_ref bits = A, add = B;
    lane_result(l, IR_mbcnt, high, 2, (ir_ref[]){bits, add});
}

void lower_ds_swizzle(struct lower *l)
{
    ir_ref data = A;
    lane_result(l, IR_ds_swizzle, (uint32_t)l->inst->offset & 0xffff, 1, &data);
}

/* op: IR_ds_permute or IR_ds_bpermute. */
void lower_ds_permute(struct lower *l, enum ir_op op)
{
    ir_ref address = A, data = B;
    lane_result(l, op, (uint32_t)l->inst->offset & 0xffff, 2, (ir_ref[]){address, data});
}

/* op_sel says what becomes of lanes that read an inactive one: bit 0 fetch it, bit 1 write 0 for it. */
void lower_v_permlane16(struct lower *l, bool other_row)
{
    ir_ref data = lower_raw(l, &l->inst->src[0]), low = lower_raw(l, &l->inst->src[1]), high = lower_raw(l, &l->inst->src[2]);
    if (ir_is_lane(low) || ir_is_lane(high)) {
        lower_refuse(l);
        return;
    }
    struct ir_inst *inst = lane_op(l, IR_permlane16, 3, (ir_ref[]){data, low, high});
    ir_ref result = ir_v_temp(l->b, 1), written = ir_s_temp(l->b, 2);
    inst->dst[0] = result;
    inst->dst[1] = written;
    inst->imm = (l->inst->op_sel & 1 ? IR_PERMLANE_FETCH_INACTIVE : 0) | (l->inst->op_sel & 2 ? IR_PERMLANE_BOUND_CTRL : 0) |
                (other_row ? IR_PERMLANE_OTHER_ROW : 0);
    l->write_mask = written;
    lower_write_vreg(l, l->inst->dst[0].reg, result);
}

/* The lane's value to a scalar register, whatever EXEC is. */
static void read_lane(struct lower *l, enum ir_op op, unsigned count, const ir_ref *src)
{
    const struct isa_operand *dst = &l->inst->dst[0];
    if (!ir_is_lane(src[0])) { /* the same in every lane */
        lower_sdst(l, 0, src[0]);
        return;
    }
    if (dst->kind != ISA_O_SREG)
        return;
    ir_ref to = lower_raw(l, dst);
    struct ir_inst *inst = lane_op(l, op, count, src);
    inst->dst[0] = to.kind == IR_S ? to : ir_s_temp(l->b, 1);
}

void lower_v_readlane(struct lower *l)
{
    ir_ref lane = lower_raw(l, &l->inst->src[1]);
    if (ir_is_lane(lane)) {
        lower_refuse(l);
        return;
    }
    read_lane(l, IR_readlane, 2, (ir_ref[]){lower_raw(l, &l->inst->src[0]), lane});
}

void lower_v_readfirstlane(struct lower *l)
{
    read_lane(l, IR_readfirstlane, 1, (ir_ref[]){lower_raw(l, &l->inst->src[0])});
}

/* A register shared by the halves is written for both. */
void lower_v_writelane(struct lower *l)
{
    ir_ref value = lower_raw(l, &l->inst->src[0]), lane = lower_raw(l, &l->inst->src[1]);
    unsigned reg = l->inst->dst[0].reg;
    if (ir_is_lane(value) || ir_is_lane(lane)) {
        lower_refuse(l);
        return;
    }
    lane_op(l, IR_writelane, 2, (ir_ref[]){value, lane})->dst[0] = ir_v(reg);
    if (lower_is_shared(l, reg)) {
        ir_ref twin = ir_xor_b32(l->b, lane, lower_k(l, 32));
        lane_op(l, IR_writelane, 2, (ir_ref[]){value, twin})->dst[0] = ir_v(reg);
    }
}

static ir_ref copy_lanes(struct lower *l, ir_ref value)
{
    ir_ref copy = ir_v_temp(l->b, 1);
    ir_assign(l->b, copy, value, any_lane());
    return copy;
}

void lower_v_swap(struct lower *l)
{
    unsigned x = l->inst->dst[0].reg, y = l->inst->dst[1].reg;
    ir_ref old = copy_lanes(l, ir_v(x));
    lower_write_vreg(l, x, ir_v(y));
    lower_write_vreg(l, y, old);
}

/* Relative registers: an index past the wave's registers reads v0 and writes nothing. The forms that select parts of the
 * registers, and waves that share some, are refused. */
static bool can_be_relative(struct lower *l)
{
    bool plain = l->inst->encoding != ISA_SDWA && l->inst->encoding != ISA_DPP16 && l->inst->encoding != ISA_DPP8;
    if (!plain || l->config->private_vgprs)
        lower_refuse(l);
    return !l->failed;
}

static ir_ref index_m0(void)
{
    return ir_s(IR_M0);
}
/* The _2 and swap forms have two indices of ten bits in M0. */
static ir_ref index_src(struct lower *l)
{
    return ir_bfe_u32(l->b, ir_s(IR_M0), lower_k(l, 0), lower_k(l, 10));
}
static ir_ref index_dst(struct lower *l)
{
    return ir_bfe_u32(l->b, ir_s(IR_M0), lower_k(l, 16), lower_k(l, 10));
}

static ir_ref read_relative(struct lower *l, const struct isa_operand *base, ir_ref index)
{
    if (base->kind != ISA_O_VREG)
        return lower_raw(l, base);
    struct ir_inst *inst = lane_op(l, IR_movrels, 1, &index);
    ir_ref result = ir_v_temp(l->b, 1);
    inst->dst[0] = result;
    inst->imm = base->reg;
    return result;
}

static void write_relative(struct lower *l, unsigned base, ir_ref value, ir_ref index)
{
    struct ir_inst *inst = lane_op(l, IR_movreld, 2, (ir_ref[]){value, index});
    inst->imm = base;
    inst->mask = l->write_mask;
}

void lower_v_movreld(struct lower *l)
{
    if (can_be_relative(l))
        write_relative(l, l->inst->dst[0].reg, lower_raw(l, &l->inst->src[0]), index_m0());
}

void lower_v_movrels(struct lower *l)
{
    if (can_be_relative(l))
        lower_write_vreg(l, l->inst->dst[0].reg, read_relative(l, &l->inst->src[0], index_m0()));
}

void lower_v_movrelsd(struct lower *l)
{
    if (can_be_relative(l))
        write_relative(l, l->inst->dst[0].reg, read_relative(l, &l->inst->src[0], index_m0()), index_m0());
}

void lower_v_movrelsd_2(struct lower *l)
{
    if (can_be_relative(l))
        write_relative(l, l->inst->dst[0].reg, read_relative(l, &l->inst->src[0], index_src(l)), index_dst(l));
}

void lower_v_swaprel(struct lower *l)
{
    const struct isa_operand *dst = &l->inst->dst[0], *src = &l->inst->src[0];
    if (!can_be_relative(l))
        return;
    ir_ref from = index_src(l), to = index_dst(l);
    ir_ref x = read_relative(l, dst, to), y = read_relative(l, src, from);
    write_relative(l, dst->reg, y, to);
    write_relative(l, src->reg, x, from);
}

/* Relative scalar registers. Bits of s_movrels' and s_movreld's imm over the base register. */
enum { PAIR = 1 << 8, HIGH = 1 << 9 };

static ir_ref read_sreg(struct lower *l, uint32_t imm, ir_ref index, ir_ref to)
{
    struct ir_inst *inst = ir_append(l->b, IR_s_movrels);
    inst->src[0] = index;
    inst->imm = imm;
    inst->dst[0] = to;
    return to;
}

static void write_sreg(struct lower *l, uint32_t imm, ir_ref value, ir_ref index)
{
    struct ir_inst *inst = ir_append(l->b, IR_s_movreld);
    inst->src[0] = value;
    inst->src[1] = index;
    inst->imm = imm;
}

static bool are_sregs(struct lower *l, const struct isa_operand *operand)
{
    if (operand->kind != ISA_O_SREG)
        lower_refuse(l);
    return !l->failed;
}

void lower_s_movrels(struct lower *l)
{
    const struct isa_operand *dst = &l->inst->dst[0], *src = &l->inst->src[0];
    if (!are_sregs(l, src))
        return;
    if (dst->dwords != 2) {
        lower_sdst(l, 0, read_sreg(l, src->reg, index_m0(), ir_s_temp(l->b, 1)));
        return;
    }
    ir_ref pair = ir_s_temp(l->b, 2);
    read_sreg(l, src->reg | PAIR, index_m0(), pair);
    read_sreg(l, src->reg | PAIR | HIGH, index_m0(), ir_hi(l->b, pair));
    lower_sdst(l, 0, pair);
}

/* A pair is read as a whole before its first word is written: it may overlap where it goes. */
void lower_s_movreld(struct lower *l)
{
    const struct isa_operand *dst = &l->inst->dst[0];
    if (!are_sregs(l, dst))
        return;
    ir_ref value = A;
    if (dst->dwords != 2) {
        write_sreg(l, dst->reg, value, index_m0());
        return;
    }
    ir_ref pair = ir_s_temp(l->b, 2);
    ir_assign64(l->b, pair, value, any_lane());
    write_sreg(l, dst->reg | PAIR, pair, index_m0());
    write_sreg(l, dst->reg | PAIR | HIGH, ir_hi(l->b, pair), index_m0());
}

void lower_s_movrelsd_2(struct lower *l)
{
    const struct isa_operand *dst = &l->inst->dst[0], *src = &l->inst->src[0];
    if (!are_sregs(l, src) || !are_sregs(l, dst))
        return;
    ir_ref value = read_sreg(l, src->reg, index_src(l), ir_s_temp(l->b, 1));
    write_sreg(l, dst->reg, value, index_dst(l));
}
