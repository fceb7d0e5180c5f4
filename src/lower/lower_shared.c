/* Vector registers that the two halves of a wave64 share: what writes one runs for the low half, then for the high half. The
 * wave keeps such a register twice, once in each half's lanes, and the two alike. */
#include <string.h>

#include "lower/lower_inst.h"

static ir_ref any_lane(void)
{
    return ir_s(IR_ALL_LO);
}

static void move(struct lower *l, ir_ref dst, ir_ref value)
{
    ir_assign(l->b, dst, value, any_lane());
}

static ir_ref copy(struct lower *l, ir_ref value)
{
    ir_ref kept = ir_s_temp(l->b, 1);
    move(l, kept, value);
    return kept;
}

bool lower_is_shared(const struct lower *l, unsigned reg)
{
    return lower_wave64(l) && l->config->private_vgprs && reg >= l->config->private_vgprs;
}

static bool touches_shared(const struct lower *l, const struct isa_operand *operand)
{
    return operand->kind == ISA_O_VREG && lower_is_shared(l, operand->reg + (operand->dwords ? operand->dwords - 1u : 0u));
}

static bool writes_shared(const struct lower *l)
{
    bool any = false;
    for (unsigned n = 0; n < l->inst->dst_count; n++)
        any |= touches_shared(l, &l->inst->dst[n]);
    return any;
}

/* Makes a half's lanes of every shared destination the other's: imm 0 the low half's go up, 1 the high half's down. */
static void mirror(struct lower *l, uint32_t from_high)
{
    for (unsigned n = 0; n < l->inst->dst_count; n++) {
        const struct isa_operand *dst = &l->inst->dst[n];
        for (unsigned k = 0; dst->kind == ISA_O_VREG && k < dst->dwords; k++) {
            if (!lower_is_shared(l, dst->reg + k))
                continue;
            struct ir_inst *inst = ir_append(l->b, IR_mirror);
            inst->lane = true;
            inst->dst[0] = ir_v(dst->reg + k);
            inst->imm = from_high;
        }
    }
}

static void lower_half(struct lower *l)
{
    memset(l->src, 0, sizeof l->src);
    l->write_mask = ir_s(IR_EXEC);
    lower_row(l);
}

/* The pair of a mask that the instruction writes beside its vector result (a carry); kind IR_NONE when it writes none. */
static ir_ref written_mask(struct lower *l)
{
    for (unsigned n = 0; n < l->inst->dst_count; n++) {
        ir_ref r = lower_raw(l, &l->inst->dst[n]);
        if (l->inst->dst[n].kind == ISA_O_SREG && r.kind == IR_S)
            return r;
    }
    return (ir_ref){0};
}

void lower_halves(struct lower *l)
{
    /* v_writelane sees to it itself: it knows no EXEC. */
    if (!writes_shared(l) || l->inst->row->id == ISA_v_writelane_b32) {
        lower_row(l);
        return;
    }
    ir_ref low = ir_s(IR_EXEC), high = ir_s(IR_EXEC + 1), none = lower_k(l, 0), mask = written_mask(l);
    ir_ref exec_low = copy(l, low), exec_high = copy(l, high), before[2], result = none;
    bool has_mask = !ir_is_none(mask);
    ir_ref mask_high = ir_hi(l->b, mask);
    if (has_mask) {
        before[0] = copy(l, mask);
        before[1] = copy(l, mask_high);
    }
    move(l, high, none);
    lower_half(l);
    mirror(l, 0);
    if (has_mask) { /* the high half starts from the mask as it was */
        result = copy(l, mask);
        move(l, mask, before[0]);
        move(l, mask_high, before[1]);
    }
    move(l, low, none);
    move(l, high, exec_high);
    lower_half(l);
    mirror(l, 1);
    if (has_mask)
        move(l, mask, result);
    move(l, low, exec_low);
}
