/* Makes the value form: names each write, walking the dominator tree. */
#include <stdlib.h>
#include <string.h>

#include "ir/ir_ssa_flow.h"

/* The state of the walk: what each variable holds now, and how to get back to what it held above. */
struct walk {
    struct ir_ssa *ssa;
    uint32_t now[IR_SSA_VARS];
    struct undo {
        uint32_t var, node;
    } * undo;
    uint32_t undo_count, undo_cap;
    uint32_t *child, *sibling; /* the dominator tree */
    struct ir_ssa_shape shape;
};

static bool grow(struct ir_ssa *ssa, void **array, uint32_t count, uint32_t more, uint32_t *cap, size_t size)
{
    if (count + more <= *cap)
        return true;
    uint32_t wanted = *cap ? *cap : 256;
    while (wanted < count + more && wanted < UINT32_MAX / 2)
        wanted *= 2;
    void *larger = wanted >= count + more ? realloc(*array, wanted * size) : NULL;
    if (!larger) {
        ssa->out_of_memory = true;
        return false;
    }
    *array = larger;
    *cap = wanted;
    return true;
}

/* A node with room for its arguments; IR_SSA_NONE when memory is out. */
static uint32_t add_node(struct ir_ssa *ssa, enum ir_ssa_kind kind, uint32_t block, uint32_t arg_count)
{
    if (!grow(ssa, (void **)&ssa->nodes, ssa->node_count, 1, &ssa->node_cap, sizeof *ssa->nodes) ||
        !grow(ssa, (void **)&ssa->args, ssa->arg_count, arg_count, &ssa->arg_cap, sizeof *ssa->args))
        return IR_SSA_NONE;
    ssa->nodes[ssa->node_count] = (struct ir_ssa_node){
        .kind = (uint8_t)kind, .var = IR_SSA_VARS, .block = block, .first_arg = ssa->arg_count, .arg_count = arg_count};
    ssa->arg_count += arg_count;
    return ssa->node_count++;
}

static void set(struct walk *w, uint32_t var, uint32_t node)
{
    if (!grow(w->ssa, (void **)&w->undo, w->undo_count, 1, &w->undo_cap, sizeof *w->undo))
        return;
    w->undo[w->undo_count++] = (struct undo){var, w->now[var]};
    w->now[var] = node;
}

static uint32_t value_of(const struct walk *w, uint32_t read)
{
    return read < IR_SSA_VARS ? w->now[read] : w->ssa->first_const + (read - IR_SSA_VARS);
}

/* lanes of the mask from `made`, the others as they were. */
static uint32_t merge(struct walk *w, uint32_t block, uint32_t op, uint32_t var, uint32_t made)
{
    struct ir_ssa *ssa = w->ssa;
    uint32_t masks = ir_mask_span(ssa->func);
    uint32_t node = add_node(ssa, IR_SSA_MERGE, block, masks + 2);
    if (node == IR_SSA_NONE)
        return made;
    uint32_t *args = &ssa->args[ssa->nodes[node].first_arg];
    const uint32_t *from = &ssa->args[ssa->nodes[op].first_arg + ssa->nodes[op].mask_at];
    memcpy(args, from, masks * sizeof *args);
    args[masks] = made;
    args[masks + 1] = w->now[var];
    ssa->nodes[node].lane = true;
    ssa->nodes[node].var = (uint16_t)var;
    return node;
}

static uint32_t result_word(struct walk *w, uint32_t block, uint32_t op, uint32_t word, uint32_t var)
{
    struct ir_ssa *ssa = w->ssa;
    uint32_t node = ssa->nodes[op].results == 1 ? op : add_node(ssa, IR_SSA_WORD, block, 1);
    if (node == IR_SSA_NONE)
        return op;
    if (node != op) {
        ssa->args[ssa->nodes[node].first_arg] = op;
        ssa->nodes[node].word = word;
    }
    ssa->nodes[node].lane = var >= IR_SSA_V;
    ssa->nodes[node].var = (uint16_t)var;
    return node;
}

static void walk_inst(struct walk *w, uint32_t block, uint32_t number)
{
    struct ir_ssa *ssa = w->ssa;
    struct ir_ssa_shape *shape = &w->shape;
    ir_ssa_shape_of(ssa->func, &ssa->func->insts[number], shape);
    uint32_t op = add_node(ssa, IR_SSA_OP, block, shape->read_count);
    if (op == IR_SSA_NONE)
        return;
    struct ir_ssa_node *node = &ssa->nodes[op];
    node->inst = number;
    node->mask_at = shape->mask_at;
    node->unsaid_at = shape->unsaid_at;
    node->results = shape->write_count;
    for (uint32_t i = 0; i < shape->read_count; i++)
        ssa->args[node->first_arg + i] = value_of(w, shape->reads[i]);
    uint32_t first = ssa->node_count;
    /* The words first, so that nodes of one operation lie together; then what becomes of them. */
    for (uint32_t i = 0; i < shape->write_count; i++)
        result_word(w, block, op, i, shape->writes[i]);
    for (uint32_t i = 0; i < shape->write_count && !ssa->out_of_memory; i++) {
        uint32_t made = shape->write_count == 1 ? op : first + i;
        set(w, shape->writes[i], shape->merged[i] ? merge(w, block, op, shape->writes[i], made) : made);
    }
}

static void add_exits(struct walk *w, struct ir_ssa_block *block)
{
    struct ir_ssa *ssa = w->ssa;
    block->first_exit = ssa->exit_count;
    for (uint32_t var = 0; var < IR_SSA_VARS; var++) {
        if (!ir_ssa_is_guest_var(var) || w->now[var] == var)
            continue;
        if (!grow(ssa, (void **)&ssa->exits, ssa->exit_count, 1, &ssa->exit_cap, sizeof *ssa->exits))
            return;
        ssa->exits[ssa->exit_count++] = (struct ir_ssa_exit){var, w->now[var]};
        block->exit_count++;
    }
}

/* Gives the successors' phis what the variables hold at the end of this block. */
static void fill_phis(struct walk *w, uint32_t from, uint32_t to)
{
    struct ir_ssa *ssa = w->ssa;
    const struct ir_ssa_block *block = &ssa->blocks[to];
    for (uint32_t n = 0; n < block->pred_count; n++)
        if (ssa->preds[block->first_pred + n] == from)
            for (uint32_t i = 0; i < block->phi_count; i++) {
                const struct ir_ssa_node *phi = &ssa->nodes[block->first_phi + i];
                ssa->args[phi->first_arg + n] = w->now[phi->var];
            }
}

static void walk_block(struct walk *w, uint32_t number)
{
    struct ir_ssa *ssa = w->ssa;
    const struct ir_block *from = &ssa->func->blocks[number];
    struct ir_ssa_block *block = &ssa->blocks[number];
    for (uint32_t i = 0; i < block->phi_count; i++)
        set(w, ssa->nodes[block->first_phi + i].var, block->first_phi + i);
    block->first = ssa->node_count;
    for (uint32_t i = from->first; i < from->first + from->count && !ssa->out_of_memory; i++)
        walk_inst(w, number, i);
    block->count = ssa->node_count - block->first;
    uint32_t reads[2], succ[2];
    unsigned count = ir_ssa_terminator_reads(from, reads);
    for (unsigned n = 0; n < 2; n++)
        block->cond[n] = n < count ? value_of(w, reads[n]) : IR_SSA_NONE;
    if (ir_ssa_is_exit(from))
        add_exits(w, block);
    count = ir_ssa_succs(ssa->func, number, succ);
    for (unsigned n = 0; n < count; n++)
        fill_phis(w, number, succ[n]);
}

/* Down the dominator tree without recursion; on the way up variables get back what they held. */
static void walk_tree(struct walk *w)
{
    struct ir_ssa *ssa = w->ssa;
    struct level {
        uint32_t block, undo;
    } *stack = calloc(ssa->order_count, sizeof *stack);
    uint32_t depth = 0;
    if (!stack) {
        ssa->out_of_memory = true;
        return;
    }
    fill_phis(w, IR_SSA_NONE, ssa->entry);
    for (uint32_t next = ssa->entry; !ssa->out_of_memory;) {
        stack[depth++] = (struct level){next, w->undo_count};
        walk_block(w, next);
        next = w->child[next];
        while (next == IR_SSA_NONE && depth) {
            const struct level *top = &stack[--depth];
            while (w->undo_count > top->undo) {
                const struct undo *back = &w->undo[--w->undo_count];
                w->now[back->var] = back->node;
            }
            next = w->sibling[top->block];
        }
        if (next == IR_SSA_NONE)
            break;
    }
    free(stack);
}

static void make_tree(struct walk *w)
{
    const struct ir_ssa *ssa = w->ssa;
    for (uint32_t b = 0; b < ssa->func->block_count; b++)
        w->child[b] = w->sibling[b] = IR_SSA_NONE;
    for (uint32_t i = ssa->order_count; i-- > 1;) {
        uint32_t number = ssa->order[i], above = ssa->blocks[number].idom;
        w->sibling[number] = w->child[above];
        w->child[above] = number;
    }
}

/* Nodes that hold everywhere: each variable at the entry, each constant's two words. */
static void add_globals(struct ir_ssa *ssa)
{
    for (uint32_t var = 0; var < IR_SSA_VARS && !ssa->out_of_memory; var++) {
        uint32_t node = add_node(ssa, IR_SSA_ENTRY, IR_SSA_NONE, 0);
        if (node == IR_SSA_NONE)
            return;
        ssa->nodes[node].var = (uint16_t)var;
        ssa->nodes[node].lane = var >= IR_SSA_V;
    }
    ssa->first_const = ssa->node_count;
    for (uint32_t i = 0; i < 2 * ssa->func->const_count && !ssa->out_of_memory; i++) {
        uint32_t node = add_node(ssa, IR_SSA_CONST, IR_SSA_NONE, 0);
        if (node != IR_SSA_NONE)
            ssa->nodes[node].value = (uint32_t)(ssa->func->consts[i / 2] >> (i % 2 ? 32 : 0));
    }
    ssa->first_made = ssa->node_count;
}

static void add_phis(struct ir_ssa *ssa)
{
    ir_ssa_set *phis = ir_ssa_find_phis(ssa);
    if (!phis) {
        ssa->out_of_memory = true;
        return;
    }
    for (uint32_t i = 0; i < ssa->order_count; i++) {
        uint32_t number = ssa->order[i];
        struct ir_ssa_block *block = &ssa->blocks[number];
        block->first_phi = ssa->node_count;
        for (uint32_t var = 0; var < IR_SSA_VARS && !ssa->out_of_memory; var++) {
            if (!ir_ssa_set_has(&phis[number], var))
                continue;
            uint32_t node = add_node(ssa, IR_SSA_PHI, number, block->pred_count);
            if (node == IR_SSA_NONE)
                break;
            ssa->nodes[node].var = (uint16_t)var;
            ssa->nodes[node].lane = var >= IR_SSA_V;
            block->phi_count++;
        }
    }
    free(phis);
}

static void name_values(struct ir_ssa *ssa)
{
    struct walk *w = calloc(1, sizeof *w);
    if (w) {
        w->ssa = ssa;
        w->child = calloc(ssa->func->block_count, sizeof *w->child);
        w->sibling = calloc(ssa->func->block_count, sizeof *w->sibling);
        for (uint32_t var = 0; var < IR_SSA_VARS; var++)
            w->now[var] = var;
    }
    if (w && w->child && w->sibling) {
        make_tree(w);
        walk_tree(w);
    } else {
        ssa->out_of_memory = true;
    }
    if (w) {
        free(w->child);
        free(w->sibling);
        free(w->undo);
    }
    free(w);
}

struct ir_ssa *ir_ssa_create(const struct ir_func *func)
{
    uint32_t entry = 0;
    while (entry < func->block_count && func->blocks[entry].pc != func->entry)
        entry++;
    struct ir_ssa *ssa = entry < func->block_count ? calloc(1, sizeof *ssa) : NULL;
    if (!ssa)
        return NULL;
    ssa->func = func;
    ssa->entry = entry;
    ssa->blocks = calloc(func->block_count, sizeof *ssa->blocks);
    ssa->out_of_memory = !ssa->blocks;
    if (!ssa->out_of_memory)
        ir_ssa_find_flow(ssa);
    if (!ssa->out_of_memory)
        add_globals(ssa);
    if (!ssa->out_of_memory)
        add_phis(ssa);
    if (!ssa->out_of_memory)
        name_values(ssa);
    if (ssa->out_of_memory) {
        ir_ssa_destroy(ssa);
        return NULL;
    }
    return ssa;
}

void ir_ssa_destroy(struct ir_ssa *ssa)
{
    if (!ssa)
        return;
    free(ssa->nodes);
    free(ssa->args);
    free(ssa->blocks);
    free(ssa->preds);
    free(ssa->order);
    free(ssa->exits);
    free(ssa);
}
