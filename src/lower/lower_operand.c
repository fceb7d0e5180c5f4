/* Sources with their modifiers, and destinations with theirs. */
#include "ir/ir_lanes.h"
#include "lower/lower_inst.h"

enum { CODE_NULL = 125 };
enum {
    SPECIAL_SHARED_BASE = 235,
    SPECIAL_SHARED_LIMIT,
    SPECIAL_PRIVATE_BASE,
    SPECIAL_PRIVATE_LIMIT,
    SPECIAL_VCCZ = 251,
    SPECIAL_EXECZ,
    SPECIAL_SCC
};

static bool is_wide(unsigned type)
{
    return type == ISA_T_B64 || type == ISA_T_I64 || type == ISA_T_U64 || type == ISA_T_F64;
}

static bool is_half(unsigned type)
{
    return type == ISA_T_B16 || type == ISA_T_I16 || type == ISA_T_U16 || type == ISA_T_F16;
}

static bool is_float(unsigned type)
{
    return type == ISA_T_F16 || type == ISA_T_F32 || type == ISA_T_F64;
}

/* A pair of slots holding an aperture: zero below, its base (or the last address's word) above. */
static ir_ref aperture(struct lower *l, unsigned state, bool limit)
{
    ir_ref pair = ir_s_temp(l->b, 2);
    ir_assign(l->b, pair, lower_k(l, limit ? 0xffffffffu : 0), ir_s(IR_ALL_LO));
    ir_assign(l->b, (ir_ref){IR_S, (uint16_t)(pair.index + 1)}, ir_s(state), ir_s(IR_ALL_LO));
    return pair;
}

static ir_ref is_zero_mask(struct lower *l, unsigned code)
{
    struct ir_builder *b = l->b;
    ir_ref whole = lower_wave64(l) ? ir_or_b32(b, ir_s(code), ir_s(code + 1)) : ir_s(code);
    return ir_cmp_eq_u32(b, whole, lower_k(l, 0));
}

/* One word, zero-extended where the operand is a pair. */
static ir_ref widened(struct lower *l, const struct isa_operand *operand, ir_ref word)
{
    if (operand->dwords != 2)
        return word;
    ir_ref pair = ir_s_temp(l->b, 2);
    ir_assign(l->b, pair, word, ir_s(IR_ALL_LO));
    ir_assign(l->b, (ir_ref){IR_S, (uint16_t)(pair.index + 1)}, lower_k(l, 0), ir_s(IR_ALL_LO));
    return pair;
}

static ir_ref special(struct lower *l, const struct isa_operand *operand)
{
    switch (operand->reg) {
    case SPECIAL_SHARED_BASE: return aperture(l, IR_SHARED_BASE, false);
    case SPECIAL_SHARED_LIMIT: return aperture(l, IR_SHARED_BASE, true);
    case SPECIAL_PRIVATE_BASE: return aperture(l, IR_PRIVATE_BASE, false);
    case SPECIAL_PRIVATE_LIMIT: return aperture(l, IR_PRIVATE_BASE, true);
    case SPECIAL_VCCZ: return widened(l, operand, is_zero_mask(l, IR_VCC));
    case SPECIAL_EXECZ: return widened(l, operand, is_zero_mask(l, IR_EXEC));
    case SPECIAL_SCC: return widened(l, operand, ir_s(IR_SCC));
    default: /* LDS_DIRECT, POPS_EXITING_WAVE_ID: come with graphics */ lower_refuse(l); return lower_k(l, 0);
    }
}

ir_ref lower_raw(struct lower *l, const struct isa_operand *operand)
{
    switch (operand->kind) {
    case ISA_O_SREG: return operand->reg == CODE_NULL ? lower_k(l, 0) : ir_s(operand->reg);
    case ISA_O_VREG: return ir_v(operand->reg);
    case ISA_O_CONST:
    case ISA_O_LITERAL:
    case ISA_O_IMM: return lower_k(l, operand->value);
    case ISA_O_SPECIAL: return special(l, operand);
    default: return lower_k(l, 0);
    }
}

ir_ref lower_src_word(struct lower *l, unsigned n, unsigned k)
{
    const struct isa_operand *operand = &l->inst->src[n];
    ir_ref first = lower_raw(l, operand);
    if (first.kind == IR_K)
        return k ? lower_k(l, k == 1 ? operand->value >> 32 : 0) : first;
    return (ir_ref){first.kind, (uint16_t)(first.index + k)};
}

/* The DPP forms' first source: other lanes' values, and the lanes that may be written. */
static ir_ref dpp_source(struct lower *l, ir_ref raw)
{
    const struct isa_inst *inst = l->inst;
    struct ir_builder *b = l->b;
    ir_ref value = ir_v_temp(b, 1);
    struct ir_inst *op = ir_append(b, inst->encoding == ISA_DPP8 ? IR_dpp8 : IR_dpp);
    op->lane = true;
    op->src[0] = raw;
    op->dst[0] = value;
    if (inst->encoding == ISA_DPP8) {
        op->imm = inst->dpp8 | (inst->dpp_fi ? IR_DPP8_FETCH_INACTIVE : 0);
        return value;
    }
    op->imm = inst->dpp_ctrl | (uint32_t)inst->dpp_row_mask << IR_DPP_ROW_MASK_SHIFT |
              (uint32_t)inst->dpp_bank_mask << IR_DPP_BANK_MASK_SHIFT | (inst->dpp_bound_ctrl ? IR_DPP_BOUND_CTRL : 0) |
              (inst->dpp_fi ? IR_DPP_FETCH_INACTIVE : 0);
    if (!ir_dpp_exists(inst->dpp_ctrl) || is_wide(inst->row->src_type[0])) {
        lower_refuse(l);
    } else if (!ir_dpp_writes_all(op->imm)) {
        l->write_mask = ir_s_temp(b, 2);
        op->dst[1] = l->write_mask;
    }
    return value;
}

static ir_ref sdwa_select(struct lower *l, ir_ref value, unsigned sel, bool sext)
{
    struct ir_builder *b = l->b;
    if (sel == ISA_DWORD)
        return value;
    unsigned width = sel <= ISA_BYTE_3 ? 8 : 16;
    unsigned offset = sel <= ISA_BYTE_3 ? 8 * sel : 16 * (sel - ISA_WORD_0);
    ir_ref at = lower_k(l, offset), bits = lower_k(l, width);
    return sext ? ir_bfe_i32(b, value, at, bits) : ir_bfe_u32(b, value, at, bits);
}

/* Types whose sign bit abs and neg may change; the decoder sets the modifiers only where the form has them. */
static bool has_sign(unsigned type)
{
    return is_float(type) || type == ISA_T_B16 || type == ISA_T_B32 || type == ISA_T_B64;
}

/* abs, then neg. */
static ir_ref float_modifiers(struct lower *l, ir_ref value, unsigned type, bool abs, bool neg)
{
    struct ir_builder *b = l->b;
    if (!has_sign(type) || !(abs || neg))
        return value;
    uint32_t sign = is_half(type) ? 0x8000u : 0x80000000u;
    ir_ref word = is_wide(type) ? ir_hi(b, value) : value;
    if (abs)
        word = ir_and_b32(b, word, lower_k(l, ~sign));
    if (neg)
        word = ir_xor_b32(b, word, lower_k(l, sign));
    if (!is_wide(type))
        return word;
    uint64_t low, high;
    if (ir_const_value(b->func, value, &low) && ir_const_value(b->func, word, &high))
        return ir_const(b, (low & 0xffffffffu) | high << 32);
    ir_ref pair = ir_is_lane(word) ? ir_v_temp(b, 2) : ir_s_temp(b, 2);
    ir_assign(b, (ir_ref){pair.kind, (uint16_t)(pair.index + 1)}, word, ir_s(IR_ALL_LO));
    ir_assign(b, pair, value, ir_s(IR_ALL_LO));
    return pair;
}

static ir_ref fetch(struct lower *l, unsigned n)
{
    const struct isa_inst *inst = l->inst;
    unsigned type = inst->row->src_type[n], bit = 1u << n;
    ir_ref value = lower_raw(l, &inst->src[n]);
    /* A 32-bit read of a pair constant or aperture sees its low word. */
    if (n == 0 && (inst->encoding == ISA_DPP16 || inst->encoding == ISA_DPP8))
        value = dpp_source(l, value);
    if (inst->encoding == ISA_SDWA && n < 2 && inst->src[n].kind != ISA_O_NONE)
        value = sdwa_select(l, value, inst->sdwa_sel[n + 1], inst->sext & bit);
    else if (is_half(type) && (inst->op_sel & bit) && inst->encoding == ISA_VOP3)
        value = ir_shr_u32(l->b, value, lower_k(l, 16));
    return float_modifiers(l, value, type, inst->abs & bit, inst->neg & bit);
}

ir_ref lower_src(struct lower *l, unsigned n)
{
    if (ir_is_none(l->src[n]))
        l->src[n] = fetch(l, n);
    return l->src[n];
}

ir_ref lower_mask_op(struct lower *l, enum ir_op op32, enum ir_op op64, ir_ref x, ir_ref y)
{
    return ir_emit(l->b, lower_wave64(l) ? op64 : op32, 2, (ir_ref[]){x, y});
}

ir_ref lower_is_nonzero(struct lower *l, ir_ref value, bool wide)
{
    struct ir_builder *b = l->b;
    return wide ? ir_cmp_ne_u64(b, value, lower_k(l, 0)) : ir_cmp_ne_u32(b, value, lower_k(l, 0));
}

void lower_set_scc(struct lower *l, ir_ref value)
{
    ir_assign(l->b, ir_s(IR_SCC), value, ir_s(IR_ALL_LO));
}

void lower_write_sreg(struct lower *l, unsigned code, ir_ref value)
{
    if (code != CODE_NULL)
        ir_assign(l->b, ir_s(code), value, ir_s(IR_ALL_LO));
}

void lower_sdst(struct lower *l, unsigned n, ir_ref value)
{
    const struct isa_operand *dst = &l->inst->dst[n];
    if (dst->kind != ISA_O_SREG || dst->reg == CODE_NULL)
        return;
    if (dst->dwords == 2)
        ir_assign64(l->b, ir_s(dst->reg), value, ir_s(IR_ALL_LO));
    else
        ir_assign(l->b, ir_s(dst->reg), value, ir_s(IR_ALL_LO));
}

/* SCC is taken from the value before the destination is written: they may be the same register. */
void lower_salu_nz(struct lower *l, ir_ref value)
{
    bool wide = l->inst->dst[0].dwords == 2;
    lower_sdst(l, 0, value);
    const struct isa_operand *dst = &l->inst->dst[0];
    /* The value may have moved from its temporary into the destination. */
    bool written = dst->kind == ISA_O_SREG && dst->reg != CODE_NULL;
    lower_set_scc(l, lower_is_nonzero(l, written ? ir_s(dst->reg) : value, wide));
}

void lower_salu_scc(struct lower *l, ir_ref value, ir_ref scc)
{
    /* scc was computed from the sources, before this writes them. */
    lower_sdst(l, 0, value);
    lower_set_scc(l, scc);
}

void lower_cmp(struct lower *l, ir_ref mask)
{
    lower_sdst(l, 0, mask);
}

void lower_cmpx(struct lower *l, ir_ref mask)
{
    if (lower_wave64(l))
        ir_assign64(l->b, ir_s(IR_EXEC), mask, ir_s(IR_ALL_LO));
    else
        ir_assign(l->b, ir_s(IR_EXEC), mask, ir_s(IR_ALL_LO));
}

void lower_write_vreg(struct lower *l, unsigned reg, ir_ref value)
{
    ir_assign(l->b, ir_v(reg), value, l->write_mask);
}

static ir_ref finish_float(struct lower *l, ir_ref value, unsigned type)
{
    struct ir_builder *b = l->b;
    unsigned omod = l->inst->omod;
    if (type == ISA_T_F32) {
        if (omod)
            value = ir_fomod_f32(b, value, lower_k(l, omod));
        if (l->inst->clamp)
            value = ir_fclamp_f32(b, value, lower_k(l, 0x3f800000u)); /* to [0, 1] */
    } else if (type == ISA_T_F16) {
        if (omod)
            value = ir_fomod_f16(b, value, lower_k(l, omod));
        if (l->inst->clamp)
            value = ir_fclamp_f16(b, value);
    } else if (type == ISA_T_F64) {
        if (omod)
            value = ir_fomod_f64(b, value, lower_k(l, omod));
        if (l->inst->clamp)
            value = ir_fclamp_f64(b, value);
    }
    return value;
}

/* old with width bits of value put at offset. */
static ir_ref insert_field(struct lower *l, ir_ref old, ir_ref value, unsigned offset, unsigned width)
{
    struct ir_builder *b = l->b;
    uint32_t field = (width == 32 ? ~0u : (1u << width) - 1) << offset;
    ir_ref moved = offset ? ir_shl_b32(b, value, lower_k(l, offset)) : value;
    return ir_bfi_b32(b, lower_k(l, field), moved, old);
}

static ir_ref sdwa_result(struct lower *l, ir_ref value, ir_ref old)
{
    struct ir_builder *b = l->b;
    unsigned sel = l->inst->sdwa_sel[0];
    if (sel == ISA_DWORD)
        return value;
    unsigned width = sel <= ISA_BYTE_3 ? 8 : 16;
    unsigned offset = sel <= ISA_BYTE_3 ? 8 * sel : 16 * (sel - ISA_WORD_0);
    switch (l->inst->sdwa_unused) {
    case ISA_UNUSED_PRESERVE: return insert_field(l, old, value, offset, width);
    case ISA_UNUSED_SEXT: return ir_shl_b32(b, ir_bfe_i32(b, value, lower_k(l, 0), lower_k(l, width)), lower_k(l, offset));
    default: return ir_shl_b32(b, ir_and_b32(b, value, lower_k(l, (1u << width) - 1)), lower_k(l, offset));
    }
}

void lower_valu(struct lower *l, ir_ref value)
{
    const struct isa_inst *inst = l->inst;
    const struct isa_operand *dst = &inst->dst[0];
    unsigned type = inst->row->dst_type[0];
    value = finish_float(l, value, type);
    if (dst->kind != ISA_O_VREG) {
        lower_sdst(l, 0, value);
        return;
    }
    if (is_wide(type)) {
        ir_assign64(l->b, ir_v(dst->reg), value, l->write_mask);
        return;
    }
    ir_ref old = ir_v(dst->reg);
    if (inst->encoding == ISA_SDWA)
        value = sdwa_result(l, value, old);
    else if (is_half(type))
        value = insert_field(l, old, value, inst->encoding == ISA_VOP3 && inst->op_sel & 8 ? 16 : 0, 16);
    lower_write_vreg(l, dst->reg, value);
}
