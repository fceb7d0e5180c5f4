/* Branches, calls, subvector loops, the end of programs, and changes of EXEC by scalar instructions. */
#include "lower/lower_inst.h"

static ir_ref exec_word(unsigned n)
{
    return ir_s(IR_EXEC + n);
}
static ir_ref any_lane(void)
{
    return ir_s(IR_ALL_LO);
}

static uint64_t branch_target(const struct lower *l)
{
    return l->pc + 4 + (uint64_t)((int64_t)l->inst->simm16 * 4);
}

void lower_s_branch(struct lower *l)
{
    l->term = IR_TERM_JUMP;
    l->target = branch_target(l);
}

/* The condition is the whole wave's word: SCC, or whether a mask has any bit. */
void lower_s_cbranch(struct lower *l, unsigned what, bool sense)
{
    struct ir_builder *b = l->b;
    ir_ref value = ir_s(IR_SCC);
    if (what) {
        unsigned code = what == 1 ? IR_VCC : IR_EXEC;
        value = lower_wave64(l) ? ir_or_b32(b, ir_s(code), ir_s(code + 1)) : ir_s(code);
    }
    l->cond = value;
    l->when_zero = !sense;
    l->term = IR_TERM_BRANCH;
    l->target = branch_target(l);
}

void lower_s_endpgm(struct lower *l)
{
    l->term = IR_TERM_END;
}

void lower_s_setkill(struct lower *l)
{
    if (l->inst->simm16 & 1)
        l->term = IR_TERM_END;
}

void lower_s_getpc(struct lower *l)
{
    lower_sdst(l, 0, lower_k(l, l->next_pc));
}

void lower_s_setpc(struct lower *l)
{
    l->cond = A;
    l->term = IR_TERM_SETPC;
}

/* The target is read before the return address is written: they may share registers. */
void lower_s_swappc(struct lower *l)
{
    ir_ref target = A;
    if (target.kind == IR_S) {
        target = ir_s_temp(l->b, 2);
        ir_assign64(l->b, target, A, any_lane());
    }
    lower_s_getpc(l);
    l->cond = target;
    l->term = IR_TERM_SETPC;
}

void lower_s_call(struct lower *l)
{
    lower_s_getpc(l);
    lower_s_branch(l);
}

/* Runs a block of code for the low half of the lanes, then for the high half; the register keeps the half that waits.
 * Begin: no lane at all skips the block; only high ones run alone; else the low half runs first, the high one waits. */
static void subvector_begin(struct lower *l, ir_ref saved)
{
    struct ir_builder *b = l->b;
    ir_ref low = exec_word(0), high = exec_word(1);
    ir_ref none = ir_cmp_eq_u32(b, ir_or_b32(b, low, high), lower_k(l, 0));
    ir_ref waits = ir_choose_b32(b, low, high, lower_k(l, 0));
    ir_ref kept = ir_choose_b32(b, none, saved, waits);
    ir_ref left = ir_choose_b32(b, low, lower_k(l, 0), high);
    ir_assign(b, high, left, any_lane());
    lower_sdst(l, 0, kept);
    l->cond = none;
}

/* End: behind the high half the low lanes come back; behind the low half the high one runs, if it has lanes. */
static void subvector_end(struct lower *l, ir_ref saved)
{
    struct ir_builder *b = l->b;
    ir_ref low = exec_word(0), high = exec_word(1), zero = lower_k(l, 0);
    ir_ref again = ir_choose_b32(b, high, zero, ir_cmp_ne_u32(b, saved, zero));
    ir_ref new_low = ir_choose_b32(b, high, saved, ir_choose_b32(b, again, zero, low));
    ir_ref new_saved = ir_choose_b32(b, again, low, saved);
    ir_ref new_high = ir_choose_b32(b, again, saved, high);
    ir_assign(b, high, new_high, any_lane());
    ir_assign(b, low, new_low, any_lane());
    lower_sdst(l, 0, new_saved);
    l->cond = again;
}

void lower_s_subvector_loop(struct lower *l, bool end)
{
    const struct isa_operand *dst = &l->inst->dst[0];
    if (!lower_wave64(l) || dst->kind != ISA_O_SREG) { /* the halves of a wave32 are none */
        lower_refuse(l);
        return;
    }
    ir_ref saved = lower_raw(l, dst);
    if (end)
        subvector_end(l, saved);
    else
        subvector_begin(l, saved);
    l->term = IR_TERM_BRANCH;
    l->target = branch_target(l);
}

/* What the saveexec and wrexec families make of their source S and EXEC E. */
static const struct {
    uint16_t op32, op64;
    bool exec_first; /* E op S */
} exec_rules[] = {
    [LOWER_EXEC_AND] = {IR_and_b32, IR_and_b64, false},      [LOWER_EXEC_OR] = {IR_or_b32, IR_or_b64, false},
    [LOWER_EXEC_XOR] = {IR_xor_b32, IR_xor_b64, false},      [LOWER_EXEC_NAND] = {IR_nand_b32, IR_nand_b64, false},
    [LOWER_EXEC_NOR] = {IR_nor_b32, IR_nor_b64, false},      [LOWER_EXEC_XNOR] = {IR_xnor_b32, IR_xnor_b64, false},
    [LOWER_EXEC_ANDN1] = {IR_andn2_b32, IR_andn2_b64, true}, [LOWER_EXEC_ANDN2] = {IR_andn2_b32, IR_andn2_b64, false},
    [LOWER_EXEC_ORN1] = {IR_orn2_b32, IR_orn2_b64, true},    [LOWER_EXEC_ORN2] = {IR_orn2_b32, IR_orn2_b64, false},
};

static bool is_wide(const struct lower *l)
{
    return l->inst->dst[0].dwords == 2;
}

static ir_ref new_exec(struct lower *l, enum lower_exec_rule rule)
{
    ir_ref s = A, e = exec_word(0);
    bool swap = exec_rules[rule].exec_first;
    return ir_emit(l->b, is_wide(l) ? exec_rules[rule].op64 : exec_rules[rule].op32, 2, (ir_ref[]){swap ? e : s, swap ? s : e});
}

static void assign(struct lower *l, ir_ref dst, ir_ref value)
{
    if (!is_wide(l)) {
        ir_assign(l->b, dst, value, any_lane());
    } else if (value.kind == IR_S && value.index < IR_S_TEMP) { /* a register pair, moved as one */
        ir_assign64(l->b, dst, ir_mov_b64(l->b, value), any_lane());
    } else {
        ir_assign64(l->b, dst, value, any_lane());
    }
}

/* The register gets the old EXEC, EXEC the result; both are made from the values before. */
void lower_s_saveexec(struct lower *l, enum lower_exec_rule rule)
{
    const struct isa_operand *dst = &l->inst->dst[0];
    ir_ref s = A, d = lower_raw(l, dst);
    bool overlap = s.kind == IR_S && d.kind == IR_S && s.index + dst->dwords > d.index && d.index + dst->dwords > s.index;
    if (d.kind != IR_S) { /* to null */
        assign(l, exec_word(0), new_exec(l, rule));
    } else if (overlap || d.index + dst->dwords > IR_EXEC) {
        ir_ref value = ir_s_temp(l->b, 2);
        assign(l, value, new_exec(l, rule));
        ir_ref old = ir_s_temp(l->b, 2);
        assign(l, old, exec_word(0));
        assign(l, exec_word(0), value);
        assign(l, d, old);
    } else {
        assign(l, d, exec_word(0));
        assign(l, exec_word(0), new_exec(l, rule));
    }
    lower_set_scc(l, lower_is_nonzero(l, exec_word(0), is_wide(l)));
}

/* EXEC and the register both get the result. */
void lower_s_wrexec(struct lower *l, enum lower_exec_rule rule)
{
    assign(l, exec_word(0), new_exec(l, rule));
    lower_set_scc(l, lower_is_nonzero(l, exec_word(0), is_wide(l)));
    ir_ref d = lower_raw(l, &l->inst->dst[0]);
    if (d.kind == IR_S && d.index != IR_EXEC)
        assign(l, d, exec_word(0));
}
