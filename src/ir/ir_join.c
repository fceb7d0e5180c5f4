/* Joins bitwise operations on uniform words where one makes what only another one reads: compilers merge masks of lanes by an and, an andn2
 * and an or, which are one bfi. */
#include <limits.h>
#include <stdlib.h>

#include "ir/ir_live.h"

enum { REACH = 16 }; /* instructions that an operation's source may lie before it */

struct join {
    struct ir_func *func;
    bool *gone;                /* instructions that others have taken in */
    struct ir_ssa_shape shape; /* of the instruction between */
};

static bool is_word_of(const struct ir_func *func, const struct ir_inst *inst, ir_ref r)
{
    return !inst->lane && ir_same(inst->dst[0], r) && ir_is_none(inst->dst[1]) && ir_dst_span(func, inst, 0) == 1;
}

static bool reads(const struct ir_ssa_shape *shape, ir_ref r)
{
    for (uint32_t i = 0; i < shape->read_count; i++)
        if (shape->reads[i] == r.index)
            return true;
    return false;
}

static bool writes(const struct ir_ssa_shape *shape, ir_ref r)
{
    for (uint32_t i = 0; r.kind == IR_S && i < shape->write_count; i++)
        if (shape->writes[i] == r.index)
            return true;
    return false;
}

/* Whether what the instruction at `maker` reads is the same at `user`, but for its own result. */
static bool reads_the_same(struct join *t, uint32_t maker, uint32_t user)
{
    const struct ir_inst *insts = t->func->insts;
    for (uint32_t at = maker + 1; at < user; at++) {
        if (t->gone[at])
            continue;
        ir_ssa_shape_of(t->func, &insts[at], &t->shape);
        for (unsigned n = 0; n < insts[maker].src_count; n++)
            if (writes(&t->shape, insts[maker].src[n]))
                return false;
    }
    return true;
}

/* The instruction that made the word r, a source of the one at `user`, if it can as well be done there: what it reads is the same there,
 * but for r itself, which is then never written; and nobody else reads r. NULL: none. */
static const struct ir_inst *find_maker(struct join *t, uint32_t first, uint32_t user, ir_ref r)
{
    const struct ir_inst *insts = t->func->insts;
    uint32_t end = user - first > REACH ? user - REACH : first;
    for (uint32_t at = user; at-- > end;) {
        if (t->gone[at])
            continue;
        if (is_word_of(t->func, &insts[at], r))
            return reads_the_same(t, at, user) ? &insts[at] : NULL;
        ir_ssa_shape_of(t->func, &insts[at], &t->shape);
        if (reads(&t->shape, r) || writes(&t->shape, r))
            return NULL;
    }
    return NULL;
}

static void become(struct ir_inst *inst, unsigned op, ir_ref a, ir_ref b, ir_ref c)
{
    inst->op = (uint16_t)op;
    inst->src_count = 3;
    inst->src[0] = a;
    inst->src[1] = b;
    inst->src[2] = c;
}

/* Takes the maker of source n into inst; false when the two are no operation together. */
static bool take_in(struct ir_inst *inst, unsigned n, const struct ir_inst *maker)
{
    ir_ref a = maker->src[0], b = maker->src[1];
    if (inst->op == IR_or_b32 && maker->op == IR_and_b32)
        become(inst, IR_and_or_b32, a, b, inst->src[1 - n]);
    else if (inst->op == IR_or_b32 && maker->op == IR_or_b32)
        become(inst, IR_or3_b32, a, b, inst->src[1 - n]);
    else if (inst->op == IR_and_or_b32 && n == 2 && maker->op == IR_andn2_b32 && ir_same(b, inst->src[0]))
        become(inst, IR_bfi_b32, inst->src[0], inst->src[1], a);
    else if (inst->op == IR_and_or_b32 && n == 2 && maker->op == IR_andn2_b32 && ir_same(b, inst->src[1]))
        become(inst, IR_bfi_b32, inst->src[1], inst->src[0], a);
    else
        return false;
    return true;
}

static bool is_only_source(const struct ir_inst *inst, unsigned n)
{
    for (unsigned i = 0; i < inst->src_count; i++)
        if (i != n && ir_same(inst->src[i], inst->src[n]))
            return false;
    return true;
}

/* live: behind inst. */
static void join_sources(struct join *t, const struct ir_live *live, const struct ir_block *block, uint32_t at)
{
    struct ir_inst *inst = &t->func->insts[at];
    for (unsigned n = 0; n < inst->src_count; n++) {
        ir_ref r = inst->src[n];
        bool last = r.kind == IR_S && (ir_same(r, inst->dst[0]) || !(live->s[r.index / 64] >> r.index % 64 & 1));
        if (!last || !is_only_source(inst, n))
            continue;
        const struct ir_inst *maker = find_maker(t, block->first, at, r);
        if (!maker || !take_in(inst, n, maker))
            continue;
        t->gone[maker - t->func->insts] = true;
        n = UINT_MAX; /* its sources are others now */
    }
}

void ir_join_words(struct ir_func *func, bool kept)
{
    struct ir_live_blocks *blocks = calloc(1, sizeof *blocks);
    struct join *t = calloc(1, sizeof *t);
    bool *gone = calloc(func->inst_count + 1, sizeof *gone);
    if (blocks && t && gone && ir_live_init(blocks, func, kept)) {
        *t = (struct join){.func = func, .gone = gone};
        for (uint32_t number = 0; number < func->block_count; number++) {
            const struct ir_block *block = &func->blocks[number];
            struct ir_live live = ir_live_end(blocks, func, block);
            for (uint32_t i = block->first + block->count; i-- > block->first;) {
                if (gone[i])
                    continue;
                if (func->insts[i].op == IR_or_b32 && !func->insts[i].lane)
                    join_sources(t, &live, block, i);
                ir_live_step(blocks, func, &func->insts[i], &live);
            }
        }
        ir_compact(func, gone);
    } /* else nothing is lost but speed */
    if (blocks)
        ir_live_finish(blocks);
    free(blocks);
    free(t);
    free(gone);
}
