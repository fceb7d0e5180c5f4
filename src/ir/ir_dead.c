/* Drops pure instructions whose results only temporaries hold that nobody reads. */
#include <stdlib.h>
#include <string.h>

#include "ir/ir_slots.h"

/* Which temporaries the rest of the guest instruction reads; temporaries do not outlive it. */
struct live {
    bool s[IR_S_COUNT - IR_S_TEMP], v[IR_V_COUNT - IR_V_TEMP];
    uint64_t pc;
};

static bool *slot_of(struct live *live, unsigned kind, unsigned index)
{
    if (kind == IR_S && index >= IR_S_TEMP && index < IR_S_COUNT)
        return &live->s[index - IR_S_TEMP];
    if (kind == IR_V && index >= IR_V_TEMP && index < IR_V_COUNT)
        return &live->v[index - IR_V_TEMP];
    return NULL;
}

static void set(struct live *live, ir_ref r, unsigned span, bool value)
{
    for (unsigned i = 0; i < span; i++) {
        bool *slot = slot_of(live, r.kind, r.index + i);
        if (slot)
            *slot = value;
    }
}

/* Guest registers count as read by what comes later. */
static bool is_read(struct live *live, ir_ref r, unsigned span)
{
    for (unsigned i = 0; i < span; i++) {
        const bool *slot = slot_of(live, r.kind, r.index + i);
        if (!slot || *slot)
            return true;
    }
    return false;
}

static bool is_dead(struct live *live, const struct ir_func *func, const struct ir_inst *inst)
{
    return ir_op_is_pure(inst->op) && !is_read(live, inst->dst[0], ir_dst_span(func, inst, 0)) &&
           !is_read(live, inst->dst[1], ir_dst_span(func, inst, 1));
}

/* Whether the whole of a destination is new: not under a mask that leaves lanes out, nor by an op that may write a part. */
static bool writes_all(const struct ir_inst *inst, unsigned n)
{
    return ir_op_is_pure(inst->op) && (!ir_is_lane(inst->dst[n]) || ir_same(inst->mask, ir_s(IR_ALL_LO)));
}

static void step_back(struct live *live, const struct ir_func *func, const struct ir_inst *inst)
{
    for (unsigned n = 0; n < 2; n++)
        if (writes_all(inst, n))
            set(live, inst->dst[n], ir_dst_span(func, inst, n), false);
    for (unsigned n = 0; n < inst->src_count; n++) {
        /* A source without a type may be the first of any number of slots. */
        bool open = ir_ops[inst->op].src_type[n] == IR_T_NONE && !ir_op_has_access(inst->op) && inst->op != IR_image;
        set(live, inst->src[n], open ? IR_MAX_SPAN : ir_src_span(func, inst, n), true);
    }
    set(live, inst->mask, ir_mask_span(func), true);
}

static void mark_block(const struct ir_func *func, const struct ir_block *block, bool *dead)
{
    struct live live = {0};
    if (block->count)
        live.pc = func->insts[block->first + block->count - 1].pc;
    set(&live, block->cond, 2, true);
    for (uint32_t i = block->first + block->count; i-- > block->first;) {
        const struct ir_inst *inst = &func->insts[i];
        if (inst->pc != live.pc)
            live = (struct live){.pc = inst->pc};
        dead[i] = is_dead(&live, func, inst);
        if (!dead[i])
            step_back(&live, func, inst);
    }
}

/* Closes the gaps; blocks tile the instructions in order. */
void ir_compact(struct ir_func *func, const bool *gone)
{
    uint32_t kept = 0;
    for (uint32_t n = 0; n < func->block_count; n++) {
        struct ir_block *block = &func->blocks[n];
        uint32_t first = kept;
        for (uint32_t i = block->first; i < block->first + block->count; i++)
            if (!gone[i])
                func->insts[kept++] = func->insts[i];
        block->first = first;
        block->count = kept - first;
    }
    func->inst_count = kept;
}

void ir_drop_dead(struct ir_func *func)
{
    bool *dead = calloc(func->inst_count ? func->inst_count : 1, sizeof *dead);
    if (!dead)
        return; /* the function is right as it stands, only longer */
    for (uint32_t n = 0; n < func->block_count; n++)
        mark_block(func, &func->blocks[n], dead);
    ir_compact(func, dead);
    free(dead);
}
