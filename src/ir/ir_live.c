/* Liveness of every slot, backwards over the blocks until nothing changes. */
#include "ir/ir_live.h"

#include <stdlib.h>
#include <string.h>

enum { S_WORDS = IR_S_COUNT / 64, V_WORDS = IR_V_COUNT / 64 };

static bool has(const uint64_t *set, unsigned n)
{
    return set[n / 64] >> n % 64 & 1;
}
static void add(uint64_t *set, unsigned n)
{
    set[n / 64] |= UINT64_C(1) << n % 64;
}
static void drop(uint64_t *set, unsigned n)
{
    set[n / 64] &= ~(UINT64_C(1) << n % 64);
}

static bool under_exec(const struct ir_inst *inst)
{
    return ir_same(inst->mask, ir_s(IR_EXEC));
}
static bool under_all(const struct ir_inst *inst)
{
    return ir_same(inst->mask, ir_s(IR_ALL_LO));
}

bool ir_live_wants(const struct ir_live *live, const struct ir_inst *inst, unsigned n, unsigned word)
{
    unsigned slot = inst->dst[n].index + word;
    if (inst->dst[n].kind == IR_S)
        return has(live->s, slot);
    return has(live->inside, slot) || (!under_exec(inst) && has(live->outside, slot));
}

bool ir_live_wants_any(const struct ir_live *live, const struct ir_func *func, const struct ir_inst *inst)
{
    for (unsigned n = 0; n < 2; n++)
        for (unsigned word = 0; word < ir_dst_span(func, inst, n); word++)
            if (ir_live_wants(live, inst, n, word))
                return true;
    return false;
}

bool ir_is_lane_by_lane(unsigned op)
{
    switch (op) {
    case IR_select_b32:
    case IR_add_carry_u32:
    case IR_sub_borrow_u32:
    case IR_mad_u64_u32:
    case IR_mad_i64_i32:
    case IR_load:
    case IR_store:
    case IR_atomic: return true;
    default: return ir_ops[op].class <= IR_C_COMPARE;
    }
}

/* Whether all of what inst names as destinations is new in the lanes of its mask, whatever happens. */
static bool writes_whole(const struct ir_func *func, const struct ir_inst *inst)
{
    if (inst->op == IR_load) {
        const struct ir_access *access = ir_inst_access(func, inst);
        return access && !(access->flags & (IR_AC_D16 | IR_AC_D16_HI | IR_AC_LDS_DMA | IR_AC_TFE));
    }
    return ir_op_is_pure(inst->op);
}

static void end_lives(struct ir_live *live, const struct ir_inst *inst, const struct ir_ssa_shape *shape)
{
    for (uint32_t i = 0; i < shape->write_count; i++) {
        unsigned var = shape->writes[i];
        if (var < IR_SSA_V) {
            drop(live->s, var);
            continue;
        }
        if (under_exec(inst) || under_all(inst))
            drop(live->inside, var - IR_SSA_V);
        if (under_all(inst))
            drop(live->outside, var - IR_SSA_V);
    }
}

/* Which lanes of its vector sources an instruction looks at. */
struct sides {
    bool inside, outside;
};

static struct sides sides_of(const struct ir_live *live, const struct ir_func *func, const struct ir_inst *inst)
{
    if (!ir_is_lane_by_lane(inst->op))
        return (struct sides){true, true};
    if (under_exec(inst))
        return (struct sides){true, false};
    /* Made for every lane, wanted perhaps for some. */
    struct sides sides = {false, false};
    for (unsigned n = 0; n < 2; n++)
        for (unsigned word = 0; word < ir_dst_span(func, inst, n); word++) {
            bool lane = inst->dst[n].kind == IR_V;
            sides.inside |= !lane || has(live->inside, inst->dst[n].index + word);
            sides.outside |= !lane || has(live->outside, inst->dst[n].index + word);
        }
    return sides;
}

static bool writes_exec(const struct ir_ssa_shape *shape)
{
    for (uint32_t i = 0; i < shape->write_count; i++)
        if (shape->writes[i] == IR_EXEC || shape->writes[i] == IR_EXEC + 1)
            return true;
    return false;
}

void ir_live_step(struct ir_live_blocks *blocks, const struct ir_func *func, const struct ir_inst *inst, struct ir_live *live)
{
    struct ir_ssa_shape *shape = &blocks->shape;
    ir_ssa_shape_of(func, inst, shape);
    if (inst->op == IR_trap && blocks->kept) /* may be the wave's end */
        memset(live, 0xff, sizeof *live);
    struct sides sides = sides_of(live, func, inst);
    bool whole = writes_whole(func, inst);
    if (whole)
        end_lives(live, inst, shape);
    if (writes_exec(shape)) {
        for (unsigned i = 0; i < V_WORDS; i++)
            live->inside[i] = live->outside[i] |= live->inside[i];
        sides = (struct sides){true, true};
    }
    for (uint32_t i = 0; i < shape->read_count; i++) {
        /* Loads are said to read what they may leave of their destination: those that leave nothing do not. */
        if (i >= shape->unsaid_at && whole && inst->op == IR_load && shape->reads[i] >= IR_SSA_V)
            continue;
        unsigned var = shape->reads[i];
        if (var < IR_SSA_V)
            add(live->s, var);
        else if (var < IR_SSA_VARS && sides.inside)
            add(live->inside, var - IR_SSA_V);
        if (var >= IR_SSA_V && var < IR_SSA_VARS && sides.outside)
            add(live->outside, var - IR_SSA_V);
    }
}

static void join(struct ir_live *to, const struct ir_live *from)
{
    for (unsigned i = 0; i < S_WORDS; i++)
        to->s[i] |= from->s[i];
    for (unsigned i = 0; i < V_WORDS; i++) {
        to->inside[i] |= from->inside[i];
        to->outside[i] |= from->outside[i];
    }
}

struct ir_live ir_live_end(const struct ir_live_blocks *blocks, const struct ir_func *func, const struct ir_block *block)
{
    struct ir_live live = {{0}, {0}, {0}};
    unsigned ways = block->term == IR_TERM_BRANCH ? 2 : block->term == IR_TERM_JUMP ? 1 : 0;
    bool everything = block->term == IR_TERM_SETPC || block->term == IR_TERM_STOP || (block->term == IR_TERM_END && blocks->kept);
    for (unsigned n = 0; n < ways; n++) {
        everything |= block->succ[n] >= func->block_count;
        if (block->succ[n] < func->block_count)
            join(&live, &blocks->in[block->succ[n]]);
    }
    if (everything)
        memset(&live, 0xff, sizeof live);
    for (unsigned word = 0; block->cond.kind == IR_S && word < (block->term == IR_TERM_SETPC ? 2 : 1); word++)
        add(live.s, block->cond.index + word);
    return live;
}

bool ir_live_init(struct ir_live_blocks *blocks, const struct ir_func *func, bool kept)
{
    blocks->kept = kept;
    blocks->in = calloc(func->block_count + 1, sizeof *blocks->in);
    if (!blocks->in)
        return false;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t number = func->block_count; number-- > 0;) {
            const struct ir_block *block = &func->blocks[number];
            struct ir_live live = ir_live_end(blocks, func, block);
            for (uint32_t i = block->first + block->count; i-- > block->first;)
                ir_live_step(blocks, func, &func->insts[i], &live);
            changed |= memcmp(&live, &blocks->in[number], sizeof live) != 0;
            blocks->in[number] = live;
        }
    }
    return true;
}

void ir_live_finish(struct ir_live_blocks *blocks)
{
    free(blocks->in);
    blocks->in = NULL;
}
