/* Drops pure instructions whose results no path reads, in registers as in temporaries, and makes those narrower of which only the
 * low word is read: address arithmetic carries into words that are overwritten, compares and carries set masks for nobody. */
#include <stdlib.h>

#include "ir/ir_live.h"

/* What is left of an operation when nobody reads its second result, nor the high word of a 64-bit first one. */
static const struct {
    uint16_t op, narrow;
} narrower[] = {
    {IR_add_carry_u32, IR_add_u32},  {IR_sub_borrow_u32, IR_sub_u32}, {IR_mad_u64_u32, IR_mad_lo_u32},
    {IR_mad_i64_i32, IR_mad_lo_u32}, {IR_mul_u32_u64, IR_mul_lo_u32}, {IR_mul_i32_i64, IR_mul_lo_u32},
    {IR_add_u64, IR_add_u32},        {IR_sub_u64, IR_sub_u32},
};

static bool is_zero(const struct ir_func *func, ir_ref r)
{
    uint64_t value;
    return ir_const_value(func, r, &value) && (uint32_t)value == 0;
}

/* Sums with a carry in stay as they are. */
static bool has_carry_in(const struct ir_func *func, const struct ir_inst *inst)
{
    return (inst->op == IR_add_carry_u32 || inst->op == IR_sub_borrow_u32) && !is_zero(func, inst->src[2]);
}

static void make_narrower(const struct ir_func *func, const struct ir_live *live, struct ir_inst *inst)
{
    for (size_t i = 0; i < sizeof narrower / sizeof *narrower; i++) {
        if (inst->op != narrower[i].op || ir_is_none(inst->dst[0]) || has_carry_in(func, inst))
            continue;
        for (unsigned n = 0; n < 2; n++)
            for (unsigned word = n ? 0 : 1; word < ir_dst_span(func, inst, n); word++)
                if (ir_live_wants(live, inst, n, word))
                    return;
        inst->op = narrower[i].narrow;
        inst->src_count = ir_ops[inst->op].src_count;
        inst->dst[1] = (ir_ref){0};
        for (unsigned n = inst->src_count; n < 6; n++)
            inst->src[n] = (ir_ref){0};
        return;
    }
}

static bool is_dead(const struct ir_live *live, const struct ir_func *func, const struct ir_inst *inst)
{
    return ir_op_is_pure(inst->op) && !ir_live_wants_any(live, func, inst);
}

void ir_drop_dead_registers(struct ir_func *func, bool kept)
{
    struct ir_live_blocks *blocks = calloc(1, sizeof *blocks);
    bool *dead = calloc(func->inst_count + 1, sizeof *dead);
    if (blocks && dead && ir_live_init(blocks, func, kept)) {
        for (uint32_t number = 0; number < func->block_count; number++) {
            const struct ir_block *block = &func->blocks[number];
            struct ir_live live = ir_live_end(blocks, func, block);
            for (uint32_t i = block->first + block->count; i-- > block->first;) {
                dead[i] = is_dead(&live, func, &func->insts[i]);
                if (dead[i])
                    continue;
                make_narrower(func, &live, &func->insts[i]);
                ir_live_step(blocks, func, &func->insts[i], &live);
            }
        }
        ir_compact(func, dead);
    } /* else nothing is lost but speed */
    if (blocks)
        ir_live_finish(blocks);
    free(blocks);
    free(dead);
}
