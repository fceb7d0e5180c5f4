/* Follows values backwards from addresses, lane masks, branches and stored data to the instructions that make them. */
#include "trace/trace_slice.h"

#include <stdlib.h>
#include <string.h>

#include "ir/ir_live.h"
#include "ir/ir_slots.h"
#include "ir/ir_ssa.h"

struct slicer {
    struct trace_slice *slice;
    const struct ir_ssa *ssa;
    uint8_t *seen;   /* bits, by node */
    uint32_t *stack; /* nodes whose arguments are still to be followed, each with its bit */
    size_t depth;
};

enum { STACK_DATA = 1u << 31 };

static void push(struct slicer *s, uint32_t node, uint8_t bit)
{
    if (node == IR_SSA_NONE || s->seen[node] & bit)
        return;
    s->seen[node] |= bit;
    s->stack[s->depth++] = node | (bit == TRACE_SLICE_DATA ? STACK_DATA : 0);
}

static void push_args(struct slicer *s, const struct ir_ssa_node *node, uint32_t from, uint32_t to, uint8_t bit)
{
    for (uint32_t i = from; i < to; i++)
        push(s, ir_ssa_args(s->ssa, node)[i], bit);
}

/* Whether every lane of mask word `inner` is one of `outer`: the same, or made from it by leaving lanes out. */
static bool is_within(const struct ir_ssa *ssa, uint32_t inner, uint32_t outer, unsigned depth)
{
    if (inner == outer)
        return true;
    const struct ir_ssa_node *node = &ssa->nodes[inner];
    uint32_t word = node->kind == IR_SSA_WORD ? node->word : 0, words = node->kind == IR_SSA_WORD ? 2 : 1;
    if (node->kind == IR_SSA_WORD)
        node = &ssa->nodes[ir_ssa_args(ssa, node)[0]];
    if (node->kind != IR_SSA_OP || !depth)
        return false;
    unsigned op = ssa->func->insts[node->inst].op;
    const uint32_t *args = ir_ssa_args(ssa, node) + word;
    bool both = op == (words == 2 ? IR_and_b64 : IR_and_b32);
    bool first = both || op == (words == 2 ? IR_andn2_b64 : IR_andn2_b32) || op == (words == 2 ? IR_mov_b64 : IR_mov_b32);
    return (first && is_within(ssa, args[0], outer, depth - 1)) || (both && is_within(ssa, args[words], outer, depth - 1));
}

/* Of a merge that user looks at: only what was written, when the lanes that it kept are none of those that the user works in. */
static uint32_t seen_through(const struct ir_ssa *ssa, const struct ir_ssa_node *user, uint32_t arg)
{
    enum { DEPTH = 8 };
    const struct ir_ssa_node *merge = &ssa->nodes[arg];
    uint32_t words = merge->arg_count - 2;
    if (merge->kind != IR_SSA_MERGE || user->unsaid_at - user->mask_at != words ||
        !ir_is_lane_by_lane(ssa->func->insts[user->inst].op))
        return arg;
    for (uint32_t i = 0; i < words; i++)
        if (!is_within(ssa, ir_ssa_args(ssa, user)[user->mask_at + i], ir_ssa_args(ssa, merge)[i], DEPTH))
            return arg;
    return ir_ssa_args(ssa, merge)[words];
}

static void push_operands(struct slicer *s, const struct ir_ssa_node *node, uint32_t from, uint32_t to, uint8_t bit)
{
    for (uint32_t i = from; i < to; i++)
        push(s, seen_through(s->ssa, node, ir_ssa_args(s->ssa, node)[i]), bit);
}

/* A memory instruction: where it reaches, and what it stores. Scratch keeps what is stored: addresses may hang on that. */
static void push_access(struct slicer *s, const struct ir_ssa_node *node)
{
    const struct ir_func *func = s->ssa->func;
    const struct ir_inst *inst = &func->insts[node->inst];
    uint32_t data = 0;
    for (unsigned n = 0; n < 4; n++)
        data += ir_src_span(func, inst, n);
    push_operands(s, node, 0, data, TRACE_SLICE_PLACE);
    push_args(s, node, node->mask_at, node->unsaid_at, TRACE_SLICE_PLACE);
    bool scratch = ir_inst_access(func, inst)->space == IR_SPACE_SCRATCH;
    push_operands(s, node, data, node->mask_at, scratch ? TRACE_SLICE_PLACE : TRACE_SLICE_DATA);
    for (uint32_t i = node->unsaid_at; i < node->arg_count;
         i++) /* M0 and the like; lanes are what a load leaves of its destination */
        if (!s->ssa->nodes[ir_ssa_args(s->ssa, node)[i]].lane)
            push(s, ir_ssa_args(s->ssa, node)[i], TRACE_SLICE_PLACE);
}

/* An image operation that stores: which image it is. */
static void push_image(struct slicer *s, const struct ir_ssa_node *node)
{
    push_args(s, node, 0, ir_src_span(s->ssa->func, &s->ssa->func->insts[node->inst], 0), TRACE_SLICE_PLACE);
    push_args(s, node, node->mask_at, node->unsaid_at, TRACE_SLICE_PLACE);
}

static bool stores_image(const struct ir_func *func, const struct ir_inst *inst)
{
    const struct ir_image *image = ir_inst_image(func, inst);
    return image && (image->kind == IR_IMAGE_STORE || image->kind == IR_IMAGE_STORE_RAW || image->kind == IR_IMAGE_ATOMIC);
}

static void push_roots(struct slicer *s, uint32_t number)
{
    const struct ir_ssa_block *block = &s->ssa->blocks[number];
    for (uint32_t i = block->first; i < block->first + block->count; i++) {
        const struct ir_ssa_node *node = &s->ssa->nodes[i];
        const struct ir_inst *inst = node->kind == IR_SSA_OP ? &s->ssa->func->insts[node->inst] : NULL;
        if (inst && ir_inst_access(s->ssa->func, inst))
            push_access(s, node);
        else if (inst && stores_image(s->ssa->func, inst))
            push_image(s, node);
    }
    const struct ir_block *own = &s->ssa->func->blocks[number];
    for (unsigned n = 0; own->cond.kind == IR_S && n < 2; n++)
        if (block->cond[n] < s->ssa->node_count)
            push(s, block->cond[n], TRACE_SLICE_PLACE);
}

static void follow(struct slicer *s)
{
    while (s->depth) {
        uint32_t top = s->stack[--s->depth];
        uint8_t bit = top & STACK_DATA ? TRACE_SLICE_DATA : TRACE_SLICE_PLACE;
        const struct ir_ssa_node *node = &s->ssa->nodes[top & ~STACK_DATA];
        if (node->kind != IR_SSA_OP) {
            push_args(s, node, 0, node->arg_count, bit);
            continue;
        }
        const struct ir_inst *inst = &s->ssa->func->insts[node->inst];
        bool vector_memory = ir_ops[inst->op].class == IR_C_MEMORY && inst->lane;
        if (bit == TRACE_SLICE_DATA && vector_memory)
            continue; /* what is loaded is no constant */
        s->slice->instructions[node->inst] |= bit;
        push_operands(s, node, 0, node->arg_count, bit);
    }
}

static bool leaves(const struct ir_func *func, const struct ir_block *block)
{
    bool out = block->term == IR_TERM_SETPC;
    unsigned ways = block->term == IR_TERM_BRANCH ? 2 : block->term == IR_TERM_JUMP ? 1 : 0;
    for (unsigned n = 0; n < ways; n++)
        out |= block->succ[n] >= func->block_count;
    return out;
}

bool trace_slice_leaves(const struct ir_func *func)
{
    for (uint32_t i = 0; i < func->block_count; i++)
        if (leaves(func, &func->blocks[i]))
            return true;
    return false;
}

bool trace_slice_reaches(const struct ir_func *func, const struct ir_inst *inst)
{
    const struct ir_access *access = ir_inst_access(func, inst);
    if (!access)
        return stores_image(func, inst);
    bool addressed = access->space == IR_SPACE_GLOBAL || access->space == IR_SPACE_FLAT;
    return addressed || (access->space == IR_SPACE_BUFFER && inst->op != IR_load);
}

static bool reaches_itself(const struct ir_func *func, const struct ir_block *block)
{
    for (uint32_t i = block->first; i < block->first + block->count; i++)
        if (trace_slice_reaches(func, &func->insts[i]))
            return true;
    return leaves(func, block);
}

static void find_enough(struct trace_slice *slice, const struct ir_func *func)
{
    for (uint32_t i = 0; i < func->block_count; i++)
        slice->enough[i] = !reaches_itself(func, &func->blocks[i]);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = func->block_count; i-- > 0;) {
            const struct ir_block *block = &func->blocks[i];
            unsigned ways = block->term == IR_TERM_BRANCH ? 2 : block->term == IR_TERM_JUMP ? 1 : 0;
            for (unsigned n = 0; n < ways && slice->enough[i]; n++)
                if (!slice->enough[block->succ[n]]) {
                    slice->enough[i] = 0;
                    changed = true;
                }
        }
    }
}

bool trace_slice_init(struct trace_slice *slice, const struct ir_func *func)
{
    *slice = (struct trace_slice){calloc(func->inst_count + 1, 1), calloc(func->block_count + 1, 1)};
    struct ir_ssa *ssa = ir_ssa_create(func);
    struct slicer s = {slice, ssa, NULL, NULL, 0};
    if (ssa) {
        s.seen = calloc(ssa->node_count + 1, sizeof *s.seen);
        s.stack = calloc(ssa->node_count + 1, 2 * sizeof *s.stack); /* a node comes once for each bit */
    }
    bool good = slice->instructions && slice->enough && s.seen && s.stack;
    if (good) {
        for (uint32_t i = 0; i < ssa->order_count; i++)
            push_roots(&s, ssa->order[i]);
        follow(&s);
        find_enough(slice, func);
        if (trace_slice_leaves(func)) /* what comes then may want anything */
            memset(slice->instructions, TRACE_SLICE_PLACE, func->inst_count);
    }
    free(s.seen);
    free(s.stack);
    ir_ssa_destroy(ssa);
    return good;
}

void trace_slice_finish(struct trace_slice *slice)
{
    free(slice->instructions);
    free(slice->enough);
    *slice = (struct trace_slice){NULL, NULL};
}
