/* Sources and results of packed f16 instructions. */
#include "lower/lower_inst.h"

ir_ref lower_packed_float_src(struct lower *l, unsigned n)
{
    const struct isa_inst *inst = l->inst;
    ir_ref word = lower_packed_src(l, n);
    uint32_t signs = (inst->neg >> n & 1 ? 0x8000u : 0) | (inst->neg_hi >> n & 1 ? 0x80000000u : 0);
    return signs ? ir_xor_b32(l->b, word, lower_k(l, signs)) : word;
}

void lower_packed_float(struct lower *l, ir_ref value)
{
    lower_valu(l, l->inst->clamp ? ir_fpk_clamp_f16(l->b, value) : value);
}
