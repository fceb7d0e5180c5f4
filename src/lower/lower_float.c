/* The irregular float instructions: division helpers with their mask operands, and mixed-precision fused multiply-add. */
#include "lower/lower_inst.h"

/* The flag depends on denominator and numerator alone. It is read off before the value is written: they may share registers. */
void lower_v_div_scale(struct lower *l, enum ir_op value, enum ir_op flag)
{
    struct ir_builder *b = l->b;
    ir_ref sources[] = {lower_src(l, 0), lower_src(l, 1), lower_src(l, 2)};
    ir_ref scale_back = ir_emit_lane(b, flag, 2, sources + 1);
    ir_ref scaled = ir_emit(b, value, 3, sources);
    lower_valu(l, scaled);
    lower_sdst(l, 1, scale_back);
}

void lower_v_div_fmas(struct lower *l, enum ir_op op)
{
    struct ir_builder *b = l->b;
    ir_ref flag = ir_emit_lane(b, IR_select_b32, 3, (ir_ref[]){lower_src(l, 3), lower_k(l, 0), lower_k(l, 1)});
    lower_valu(l, ir_emit(b, op, 4, (ir_ref[]){lower_src(l, 0), lower_src(l, 1), lower_src(l, 2), flag}));
}

ir_ref lower_every_lane(struct lower *l)
{
    (void)l;
    return ir_s(IR_EXEC);
}

/* A source of the mix instructions: f32, or the chosen half as f16. The modifiers act on the f32 value. */
static ir_ref mix_source(struct lower *l, unsigned n)
{
    struct ir_builder *b = l->b;
    const struct isa_inst *inst = l->inst;
    if (!(inst->op_sel_hi >> n & 1))
        return lower_src(l, n);
    if (inst->src[n].kind != ISA_O_VREG && inst->src[n].kind != ISA_O_SREG)
        lower_refuse(l); /* no public word says what half a constant has here */
    ir_ref half = lower_raw(l, &inst->src[n]);
    if (inst->op_sel >> n & 1)
        half = ir_shr_u32(b, half, lower_k(l, 16));
    ir_ref value = ir_cvt_f32_f16(b, half);
    if (inst->abs >> n & 1)
        value = ir_fabs_b32(b, value);
    return inst->neg >> n & 1 ? ir_fneg_b32(b, value) : value;
}

static ir_ref mix(struct lower *l)
{
    ir_ref a = mix_source(l, 0), x = mix_source(l, 1), c = mix_source(l, 2);
    return ir_ffma_f32(l->b, a, x, c);
}

void lower_v_fma_mix_f32(struct lower *l)
{
    lower_valu(l, mix(l));
}

/* Rounded to f32, then to f16, into one half of the destination. */
void lower_v_fma_mix_f16(struct lower *l, bool high)
{
    struct ir_builder *b = l->b;
    ir_ref value = ir_cvt_f16_f32(b, mix(l));
    if (l->inst->clamp)
        value = ir_fclamp_f16(b, value);
    unsigned reg = l->inst->dst[0].reg;
    ir_ref old = ir_v(reg), field = lower_k(l, high ? 0xffff0000u : 0xffffu);
    if (high)
        value = ir_shl_b32(b, value, lower_k(l, 16));
    lower_write_vreg(l, reg, ir_bfi_b32(b, field, value, old));
}
