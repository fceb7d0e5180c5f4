/* Sources of packed 16-bit instructions: which half of the register each half of the operation reads. */
#include "lower/lower_inst.h"

ir_ref lower_packed_src(struct lower *l, unsigned n)
{
    struct ir_builder *b = l->b;
    const struct isa_inst *inst = l->inst;
    ir_ref word = lower_src(l, n);
    bool low_from_high = inst->op_sel >> n & 1, high_from_high = inst->op_sel_hi >> n & 1;
    if (!low_from_high)
        return high_from_high ? word : ir_pack_ll_b16(b, word, word);
    return high_from_high ? ir_pack_hh_b16(b, word, word) : ir_swap_b16(b, word);
}
