/* Loops that wait until another wave changes memory, which waves of a host device may do for ever: groups need not run at the same time there.
 *
 * A loop waits when nothing in it gets on: whether it is left hangs on a load or an atomic operation whose place and operands stay the same, and, as
 * long as that brings the same, on nothing that changes from round to round but bits that are set or cleared. An atomic operation that changes
 * memory each time gets on, and so does a comparison with what was there before: of those that try, one succeeds. The place may change from round to round
 * where it need not: where a lane that goes on may have it as it was. That is asked only of loads that pass caches by, and atomic operations. A loop that sleeps is taken to wait
 * unless it has a way out that hangs on no memory. What is not seen here has the loops' budget. */
#include <stdlib.h>
#include <string.h>

#include "spirv/spirv_emit.h"

enum { MOST_DEPTH = 8 };

struct loop {
    const struct spirv_emitter *e;
    uint32_t head;
    bool *body;     /* by block */
    uint8_t *state; /* by node: what of it is known */
    uint32_t *work, *stack, count;
    bool merges; /* a value hangs on which way was gone within the loop */
    bool advances, remembers, sleeps, stores[2];
    const struct ir_inst *waits;
};

enum { NEEDED = 1, CARRIED = 2 }; /* an exit hangs on it; it hangs on the round before */
enum { GUEST, SHARE };            /* of loop.stores: memory, the local share */

static const struct ir_ssa_node *node_of(const struct loop *l, uint32_t node)
{
    return &l->e->ssa->nodes[node];
}

static bool is_inside(const struct loop *l, uint32_t node)
{
    uint32_t block = node_of(l, node)->block;
    return block != IR_SSA_NONE && l->body[block];
}

static bool is_head_phi(const struct loop *l, uint32_t node)
{
    return node_of(l, node)->kind == IR_SSA_PHI && node_of(l, node)->block == l->head;
}

static const struct ir_inst *inst_of(const struct loop *l, const struct ir_ssa_node *n)
{
    return n->kind == IR_SSA_OP ? &l->e->func->insts[n->inst] : NULL;
}

static unsigned edges_of(const struct ir_block *block)
{
    return block->term == IR_TERM_BRANCH ? 2 : block->term == IR_TERM_JUMP ? 1 : 0;
}

/* ---- what stays the same ---- */

/* The same in each round, by its operands; in the lanes that run. */
static bool is_fixed(const struct loop *l, uint32_t node, unsigned depth)
{
    const struct ir_ssa_node *n = node_of(l, node);
    if (!is_inside(l, node))
        return true;
    if (n->kind == IR_SSA_WORD)
        return is_fixed(l, ir_ssa_args(l->e->ssa, n)[0], depth);
    if (n->kind == IR_SSA_MERGE) /* who uses it runs in the lanes that are written */
        return depth < MOST_DEPTH && is_fixed(l, ir_ssa_args(l->e->ssa, n)[n->arg_count - 2], depth + 1);
    if (n->kind != IR_SSA_OP || depth == MOST_DEPTH || ir_ops[inst_of(l, n)->op].class != IR_C_VALUE)
        return false;
    for (uint32_t k = 0; k < n->mask_at; k++)
        if (!is_fixed(l, ir_ssa_args(l->e->ssa, n)[k], depth + 1))
            return false;
    return true;
}

/* Whether all lanes of `few` are among those of `many`, both masks' low words. */
static bool is_within(const struct loop *l, uint32_t few, uint32_t many, unsigned depth)
{
    const struct ir_ssa_node *n = node_of(l, few);
    const struct ir_inst *inst = inst_of(l, n);
    const uint32_t *args = ir_ssa_args(l->e->ssa, n);
    if (few == many)
        return true;
    if (depth == MOST_DEPTH || !is_inside(l, few))
        return false;
    if (n->kind == IR_SSA_WORD && !n->word)
        return is_within(l, args[0], many, depth + 1);
    if (inst && (inst->op == IR_and_b32 || inst->op == IR_and_b64)) /* of pairs the low words stand first and third */
        return is_within(l, args[0], many, depth + 1) || is_within(l, args[inst->op == IR_and_b64 ? 2 : 1], many, depth + 1);
    return inst && (inst->op == IR_andn2_b32 || inst->op == IR_andn2_b64) && is_within(l, args[0], many, depth + 1);
}

/* Whether every lane that goes on from a latch is one of the mask. */
static bool goes_on_within(const struct loop *l, uint32_t mask)
{
    const struct ir_ssa *ssa = l->e->ssa;
    const struct ir_ssa_block *head = &ssa->blocks[l->head];
    uint32_t exec = IR_SSA_NONE;
    for (uint32_t i = head->first_phi; i < head->first_phi + head->phi_count; i++)
        if (ssa->nodes[i].kind == IR_SSA_PHI && ssa->nodes[i].var == IR_EXEC)
            exec = i;
    if (exec == IR_SSA_NONE)
        return !is_inside(l, mask);
    bool good = true;
    for (uint32_t p = 0; p < head->pred_count; p++) {
        uint32_t from = ssa->preds[head->first_pred + p];
        if (from != IR_SSA_NONE && l->body[from])
            good &= is_within(l, ir_ssa_args(ssa, node_of(l, exec))[p], mask, 0);
    }
    return good;
}

/* Whether a lane that goes on may have the head's phi in `node` as it is. */
static bool may_be(const struct loop *l, uint32_t node, uint32_t phi, unsigned depth)
{
    const struct ir_ssa_node *n = node_of(l, node);
    const struct ir_inst *inst = inst_of(l, n);
    const uint32_t *args = ir_ssa_args(l->e->ssa, n);
    bool chooses = inst && (inst->op == IR_select_b32 || inst->op == IR_choose_b32 || inst->op == IR_mov_b32);
    if (node == phi)
        return true;
    if (depth == MOST_DEPTH || !is_inside(l, node) || is_head_phi(l, node))
        return false;
    if (n->kind == IR_SSA_MERGE)
        return may_be(l, args[n->arg_count - 2], phi, depth + 1) ||
               (may_be(l, args[n->arg_count - 1], phi, depth + 1) && !goes_on_within(l, args[0]));
    for (uint32_t k = 0; k < n->arg_count && (chooses || n->kind == IR_SSA_PHI); k++)
        if (may_be(l, args[k], phi, depth + 1))
            return true;
    return false;
}

/* A value of the head that a round may leave as it is. */
static bool may_stay(const struct loop *l, uint32_t phi)
{
    const struct ir_ssa *ssa = l->e->ssa;
    const struct ir_ssa_block *head = &ssa->blocks[l->head];
    for (uint32_t p = 0; p < head->pred_count; p++) {
        uint32_t from = ssa->preds[head->first_pred + p];
        if (from != IR_SSA_NONE && l->body[from] && may_be(l, ir_ssa_args(ssa, node_of(l, phi))[p], phi, 0))
            return true;
    }
    return false;
}

/* The same as in the round before, for all that is known: made from nothing that changes in every round. */
static bool may_repeat(const struct loop *l, uint32_t node, unsigned depth)
{
    const struct ir_ssa_node *n = node_of(l, node);
    const struct ir_inst *inst = inst_of(l, n);
    if (!is_inside(l, node))
        return true;
    if (is_head_phi(l, node))
        return may_stay(l, node);
    if (depth == MOST_DEPTH || (inst && ir_ops[inst->op].class > IR_C_COMPARE && inst->op != IR_select_b32))
        return false;
    for (uint32_t k = 0; k < (inst ? n->mask_at : n->arg_count); k++)
        if (!may_repeat(l, ir_ssa_args(l->e->ssa, n)[k], depth + 1))
            return false;
    return true;
}

/* Words [first, end) of an instruction's operand n are. */
static bool is_operand_fixed(const struct loop *l, const struct ir_ssa_node *n, unsigned operand, uint32_t first, uint32_t end)
{
    uint32_t at = 0;
    for (unsigned k = 0; k < operand; k++)
        at += ir_src_span(l->e->func, inst_of(l, n), k);
    for (uint32_t k = first; k < end; k++)
        if (!is_fixed(l, ir_ssa_args(l->e->ssa, n)[at + k], 0))
            return false;
    return true;
}

/* An atomic operation that leaves memory as it is when done again. */
static bool is_repeated(const struct loop *l, const struct ir_ssa_node *n, const struct ir_access *access)
{
    const struct ir_inst *inst = inst_of(l, n);
    uint32_t data = ir_src_span(l->e->func, inst, 4), compared = ir_src_span(l->e->func, inst, 5);
    switch (access->atomic) {
    case IR_A_CMPSWAP:
    case IR_A_FCMPSWAP: return compared ? is_operand_fixed(l, n, 5, 0, compared) : is_operand_fixed(l, n, 4, data / 2, data);
    case IR_A_SWAP:
    case IR_A_AND:
    case IR_A_OR:
    case IR_A_SMIN:
    case IR_A_UMIN:
    case IR_A_SMAX:
    case IR_A_UMAX: return !(access->flags & IR_AC_SRC2) && is_operand_fixed(l, n, 4, 0, data);
    default: return false;
    }
}

/* A load or an atomic operation of the same place in each round. */
static bool is_same_place(const struct loop *l, const struct ir_ssa_node *n)
{
    const struct ir_inst *inst = inst_of(l, n);
    for (unsigned k = 0; k < 4; k++)
        if (!is_operand_fixed(l, n, k, 0, ir_src_span(l->e->func, inst, k)))
            return false;
    return true;
}

/* One that may go to the same place again, where it looks at what others store: compilers let loads by caches if they need not. */
static bool is_asked_again(const struct loop *l, const struct ir_ssa_node *n, const struct ir_access *access)
{
    const struct ir_inst *inst = inst_of(l, n);
    uint32_t words = 0;
    for (unsigned k = 0; k < 4; k++)
        words += ir_src_span(l->e->func, inst, k);
    if (inst->op == IR_load && !(access->flags & (IR_AC_GLC | IR_AC_DLC)))
        return false;
    for (uint32_t k = 0; k < words; k++)
        if (!may_repeat(l, ir_ssa_args(l->e->ssa, n)[k], 0))
            return false;
    return true;
}

/* ---- what a loop does ---- */

static void find_body(struct loop *l, const uint32_t *latches, uint32_t count)
{
    const struct ir_ssa *ssa = l->e->ssa;
    memset(l->body, 0, l->e->func->block_count);
    l->body[l->head] = true;
    uint32_t depth = 0;
    for (uint32_t n = 0; n < count; n++)
        l->stack[depth++] = latches[n];
    while (depth) {
        uint32_t b = l->stack[--depth];
        if (l->body[b])
            continue;
        l->body[b] = true;
        for (uint32_t p = 0; p < ssa->blocks[b].pred_count; p++) {
            uint32_t pred = ssa->preds[ssa->blocks[b].first_pred + p];
            if (pred != IR_SSA_NONE && !l->body[pred])
                l->stack[depth++] = pred;
        }
    }
}

static void look_at_block(struct loop *l, uint32_t number)
{
    const struct ir_func *func = l->e->func;
    for (uint32_t n = func->blocks[number].first; n < func->blocks[number].first + func->blocks[number].count; n++) {
        const struct ir_inst *inst = &func->insts[n];
        const struct ir_access *access = ir_inst_access(func, inst);
        l->sleeps |= inst->op == IR_sleep;
        bool share = access && (access->space == IR_SPACE_LDS || access->space == IR_SPACE_FLAT);
        bool guest = access ? access->space != IR_SPACE_LDS && access->space != IR_SPACE_GDS : inst->op == IR_image;
        bool changes = inst->op == IR_store || inst->op == IR_atomic || inst->op == IR_image;
        l->stores[SHARE] |= (share && changes) || inst->op == IR_ds_append;
        l->stores[GUEST] |= guest && changes;
    }
}

/* ---- what its ways out hang on ---- */

static void need(struct loop *l, uint32_t node)
{
    if (node == IR_SSA_NONE || l->state[node] & NEEDED || !is_inside(l, node))
        return;
    l->state[node] |= NEEDED;
    l->work[l->count++] = node;
}

static void need_access(struct loop *l, const struct ir_ssa_node *n)
{
    const struct ir_inst *inst = inst_of(l, n);
    const struct ir_access *access = ir_inst_access(l->e->func, inst);
    l->remembers = true;
    bool repeated = access && (inst->op == IR_load || (inst->op == IR_atomic && is_repeated(l, n, access)));
    if (repeated && is_asked_again(l, n, access)) {
        l->waits = inst;
        return;
    }
    if (!repeated || !is_same_place(l, n)) {
        l->advances = true;
        return;
    }
    bool share = access->space == IR_SPACE_LDS || access->space == IR_SPACE_FLAT, guest = access->space != IR_SPACE_LDS;
    bool own = (share && l->stores[SHARE]) || (guest && l->stores[GUEST]); /* the loop itself may store there */
    if (inst->op == IR_load && own)
        l->advances = true;
    else
        l->waits = inst;
}

static void need_node(struct loop *l, uint32_t node)
{
    const struct ir_ssa_node *n = node_of(l, node);
    const struct ir_inst *inst = inst_of(l, n);
    l->merges |= n->kind == IR_SSA_PHI && n->block != l->head;
    if (inst && ir_ops[inst->op].class == IR_C_MEMORY) {
        need_access(l, n);
        return;
    }
    l->advances |= inst && ir_ops[inst->op].flags & IR_F_EFFECT;
    for (uint32_t k = 0; k < n->arg_count; k++)
        need(l, ir_ssa_args(l->e->ssa, n)[k]);
}

static void need_all(struct loop *l)
{
    while (l->count)
        need_node(l, l->work[--l->count]);
}

static bool leads_out(const struct loop *l, uint32_t block)
{
    const struct ir_block *b = &l->e->func->blocks[block];
    bool out = false;
    for (unsigned n = 0; n < edges_of(b); n++)
        out |= b->succ[n] == IR_NO_BLOCK || !l->body[b->succ[n]];
    return out;
}

/* Operations that only set or clear bits, or tell whether some are set: done again with the same they bring the same. Arithmetic counts. */
static bool settles(const struct ir_inst *inst)
{
    switch (inst->op) {
    case IR_mov_b32:
    case IR_mov_b64:
    case IR_not_b32:
    case IR_not_b64:
    case IR_and_b32:
    case IR_and_b64:
    case IR_or_b32:
    case IR_or_b64:
    case IR_xor_b32:
    case IR_xor_b64:
    case IR_andn2_b32:
    case IR_andn2_b64:
    case IR_orn2_b32:
    case IR_orn2_b64:
    case IR_nand_b32:
    case IR_nand_b64:
    case IR_nor_b32:
    case IR_nor_b64:
    case IR_xnor_b32:
    case IR_xnor_b64:
    case IR_and_or_b32:
    case IR_or3_b32:
    case IR_bfi_b32:
    case IR_choose_b32:
    case IR_choose_b64:
    case IR_bit_b32:
    case IR_bit_b64:
    case IR_select_b32:
    case IR_readfirstlane: return true;
    default: return ir_ops[inst->op].class == IR_C_COMPARE;
    }
}

/* Whether something that the exits hang on counts rounds: is made from the round before by more than setting bits. */
static bool counts_rounds(struct loop *l)
{
    const struct ir_ssa *ssa = l->e->ssa;
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = ssa->first_made; i < ssa->node_count; i++) {
            const struct ir_ssa_node *n = node_of(l, i);
            const struct ir_inst *inst = inst_of(l, n);
            if (!(l->state[i] & NEEDED) || l->state[i] & CARRIED || (inst && ir_ops[inst->op].class == IR_C_MEMORY))
                continue;
            bool carried = is_head_phi(l, i) && !may_stay(l, i);
            for (uint32_t k = 0; k < n->arg_count && !carried; k++)
                carried = l->state[ir_ssa_args(ssa, n)[k]] & CARRIED;
            if (!carried)
                continue;
            if (inst && !settles(inst))
                return true;
            l->state[i] |= CARRIED;
            more = true;
        }
    }
    return false;
}

static void start(struct loop *l)
{
    memset(l->state, 0, l->e->ssa->node_count);
    l->count = 0;
    l->merges = l->advances = l->remembers = false;
    l->waits = NULL;
}

/* Nothing that the block's way out hangs on is memory of the loop's. */
static bool hangs_on_no_memory(struct loop *l, uint32_t block)
{
    start(l);
    need(l, l->e->ssa->blocks[block].cond[0]);
    need_all(l);
    return !l->remembers && !l->merges && counts_rounds(l);
}

/* The instruction that the loop waits at; NULL: it does not. */
static const struct ir_inst *waits_at(struct loop *l)
{
    const struct ir_ssa *ssa = l->e->ssa;
    l->sleeps = l->stores[GUEST] = l->stores[SHARE] = false;
    start(l);
    for (uint32_t b = 0; b < l->e->func->block_count; b++)
        if (l->body[b])
            look_at_block(l, b);
    for (uint32_t b = 0; b < l->e->func->block_count; b++)
        if (l->body[b] && leads_out(l, b))
            need(l, ssa->blocks[b].cond[0]);
    need_all(l);
    for (uint32_t b = 0; b < l->e->func->block_count && l->merges; b++)
        if (l->body[b])
            need(l, ssa->blocks[b].cond[0]);
    need_all(l);
    return l->waits && !l->advances && !counts_rounds(l) ? l->waits : NULL;
}

static bool leaves_without_memory(struct loop *l)
{
    for (uint32_t b = 0; b < l->e->func->block_count; b++)
        if (l->body[b] && leads_out(l, b) && hangs_on_no_memory(l, b))
            return true;
    return false;
}

/* ---- all loops, inner ones first ---- */

static const struct ir_inst *sleep_in(const struct ir_func *func, uint32_t block)
{
    const struct ir_block *b = &func->blocks[block];
    for (uint32_t n = b->first; n < b->first + b->count; n++)
        if (func->insts[n].op == IR_sleep)
            return &func->insts[n];
    return NULL;
}

/* judged: by block, whether a sleep there has been found harmless in the innermost of its loops. */
static const struct ir_inst *look_at_loop(struct loop *l, bool *judged)
{
    const struct ir_inst *found = waits_at(l);
    bool leaves = found || !l->sleeps || leaves_without_memory(l);
    for (uint32_t b = 0; b < l->e->func->block_count && !found; b++) {
        found = l->body[b] && !judged[b] && !leaves ? sleep_in(l->e->func, b) : NULL;
        judged[b] |= l->body[b];
    }
    return found;
}

/* Edges back to a block that dominates where they come from. */
static uint32_t find_latches(const struct loop *l, uint32_t *latches)
{
    const struct ir_ssa *ssa = l->e->ssa;
    uint32_t count = 0;
    for (uint32_t p = 0; p < ssa->blocks[l->head].pred_count; p++) {
        uint32_t from = ssa->preds[ssa->blocks[l->head].first_pred + p];
        if (from != IR_SSA_NONE && ssa->blocks[from].reachable && ir_ssa_dominates(ssa, l->head, from))
            latches[count++] = from;
    }
    return count;
}

/* Whether control comes back to a block; the loop's body is its scratch. */
static bool comes_back(struct loop *l, uint32_t block)
{
    const struct ir_ssa *ssa = l->e->ssa;
    uint32_t depth = 0;
    memset(l->body, 0, l->e->func->block_count);
    l->stack[depth++] = block;
    while (depth) {
        uint32_t b = l->stack[--depth];
        for (uint32_t p = 0; p < ssa->blocks[b].pred_count; p++) {
            uint32_t pred = ssa->preds[ssa->blocks[b].first_pred + p];
            if (pred == block)
                return true;
            if (pred != IR_SSA_NONE && !l->body[pred]) {
                l->body[pred] = true;
                l->stack[depth++] = pred;
            }
        }
    }
    return false;
}

static const struct ir_inst *look_at_loops(struct loop *l, uint32_t *latches, bool *judged)
{
    const struct ir_ssa *ssa = l->e->ssa;
    for (uint32_t i = ssa->order_count; i-- > 0;) {
        l->head = ssa->order[i];
        uint32_t count = find_latches(l, latches);
        if (!count)
            continue;
        find_body(l, latches, count);
        const struct ir_inst *found = look_at_loop(l, judged);
        if (found)
            return found;
    }
    for (uint32_t i = 0; i < ssa->order_count; i++) { /* loops that can be entered in their middle */
        const struct ir_inst *found = judged[ssa->order[i]] ? NULL : sleep_in(l->e->func, ssa->order[i]);
        if (found && comes_back(l, ssa->order[i]))
            return found;
    }
    return NULL;
}

const struct ir_inst *spirv_find_wait(struct spirv_emitter *e)
{
    size_t blocks = e->func->block_count + 1, nodes = e->ssa->node_count + 1, edges = e->ssa->pred_count + blocks;
    struct loop l = {.e = e,
                     .body = malloc(blocks * sizeof *l.body),
                     .state = malloc(nodes),
                     .work = malloc(nodes * sizeof *l.work),
                     .stack = malloc(edges * sizeof *l.stack)};
    uint32_t *latches = malloc(edges * sizeof *latches);
    bool *judged = calloc(blocks, sizeof *judged), good = l.body && l.state && l.work && l.stack && latches && judged;
    const struct ir_inst *found = good ? look_at_loops(&l, latches, judged) : NULL;
    e->out_of_memory |= !good;
    free(l.body);
    free(l.state);
    free(l.work);
    free(l.stack);
    free(latches);
    free(judged);
    return found;
}
