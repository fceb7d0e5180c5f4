/* Finds programs that need no waves: each lane may go its own way, as an invocation of its own.
 *
 * A lane that goes alone takes a branch on a mask by its own bit, where its wave goes by any lane's. The two differ only where the bit
 * is 0 and the wave goes on for others. There the lane, at rest, is followed in both: along its own way, and along all ways that its
 * wave may take. Where the two come together, before either did what can be seen, whatever is still needed must be the same. All
 * states of a lane's masks that its own way can lead to are looked at so. */
#include <stdlib.h>
#include <string.h>

#include "spirv/spirv_emit.h"

/* What a node holds for the lane that is followed: a bit of a mask, what it held when the lane came to rest (from FROZEN on), or neither. */
enum { BIT_0 = SPIRV_BIT_0, BIT_1 = SPIRV_BIT_1, UNKNOWN = SPIRV_BIT_OPEN, FROZEN };
enum { MAX_STATES = 1024, BLOCK_STATES = 8, MAX_STEPS = 16, MAX_WORK = 100000000 };

/* States, each a block and what a lane's nodes hold at its entry; those to be looked at are queued. */
struct set {
    uint32_t *values[MAX_STATES], block[MAX_STATES], queue[MAX_STATES], count, queue_count;
    bool queued[MAX_STATES];
};

struct alone {
    const struct spirv_emitter *e;
    const struct ir_ssa *ssa;
    uint32_t nodes, set_words, work;
    uint32_t *live; /* sets of nodes, by block: needed at its entry */
    uint32_t *low;  /* of a long mask's high word the low one, whose bit for a lane is the same; of other nodes the node itself */
    struct set own, wave; /* of a lane that goes alone; of one at rest while its wave goes on */
    bool failed;
};

static bool is_mask(const struct alone *a, uint32_t node)
{
    return a->e->nodes[node].is_mask;
}

static bool in_set(const uint32_t *set, uint32_t n)
{
    return set[n / 32] >> n % 32 & 1;
}
static void add_to(uint32_t *set, uint32_t n)
{
    set[n / 32] |= 1u << n % 32;
}

static uint32_t *copy_values(struct alone *a, const uint32_t *from)
{
    uint32_t *values = malloc((a->nodes + 1) * sizeof *values);
    if (values)
        memcpy(values, from, a->nodes * sizeof *values);
    a->failed |= !values;
    return values;
}

/* ---- what is needed where ---- */

static void use_all(struct alone *a, uint32_t *set, const struct ir_ssa_node *n)
{
    for (uint32_t k = 0; k < n->arg_count; k++)
        add_to(set, ir_ssa_args(a->ssa, n)[k]);
}

static unsigned edges_of(const struct ir_block *block)
{
    return block->term == IR_TERM_BRANCH ? 2 : block->term == IR_TERM_JUMP ? 1 : 0;
}

static void need_for_edge(struct alone *a, uint32_t *set, uint32_t from, uint32_t to)
{
    const struct ir_ssa_block *b = &a->ssa->blocks[to];
    for (uint32_t w = 0; w < a->set_words; w++)
        set[w] |= a->live[to * a->set_words + w];
    for (uint32_t p = 0; p < b->pred_count; p++)
        for (uint32_t i = b->first_phi; a->ssa->preds[b->first_pred + p] == from && i < b->first_phi + b->phi_count; i++)
            if (a->ssa->nodes[i].kind == IR_SSA_PHI)
                add_to(set, ir_ssa_args(a->ssa, &a->ssa->nodes[i])[p]);
}

static bool need_at(struct alone *a, uint32_t block, uint32_t *set)
{
    const struct ir_ssa_block *b = &a->ssa->blocks[block];
    const struct ir_block *plain = &a->e->func->blocks[block];
    memset(set, 0, a->set_words * sizeof *set);
    for (unsigned n = 0; n < edges_of(plain); n++)
        need_for_edge(a, set, block, plain->succ[n]);
    if (plain->term == IR_TERM_BRANCH)
        add_to(set, b->cond[0]);
    for (uint32_t i = b->first; i < b->first + b->count; i++)
        if (a->ssa->nodes[i].kind != IR_SSA_DEAD)
            use_all(a, set, &a->ssa->nodes[i]);
    for (uint32_t i = 0; i < b->phi_count + b->count; i++) {
        uint32_t own = i < b->phi_count ? b->first_phi + i : b->first + i - b->phi_count;
        set[own / 32] &= ~(1u << own % 32);
    }
    uint32_t *old = &a->live[block * a->set_words];
    bool grew = memcmp(old, set, a->set_words * sizeof *set) != 0;
    memcpy(old, set, a->set_words * sizeof *set);
    return grew;
}

static void find_live(struct alone *a)
{
    uint32_t *set = calloc(a->set_words + 1, sizeof *set);
    a->failed |= !set;
    for (bool changed = true; changed && !a->failed;) {
        changed = false;
        for (uint32_t i = a->ssa->order_count; i-- > 0;)
            changed |= need_at(a, a->ssa->order[i], set);
    }
    free(set);
}

/* ---- following a lane through a block ---- */

static uint32_t opposite(uint32_t bit)
{
    return bit == BIT_0 ? BIT_1 : bit == BIT_1 ? BIT_0 : UNKNOWN;
}
static uint32_t bit_and(uint32_t x, uint32_t y)
{
    return x == BIT_0 || y == BIT_0 ? BIT_0 : x == BIT_1 ? y : y == BIT_1 || x == y ? x : UNKNOWN;
}
static uint32_t bit_or(uint32_t x, uint32_t y)
{
    return x == BIT_1 || y == BIT_1 ? BIT_1 : x == BIT_0 ? y : y == BIT_0 || x == y ? x : UNKNOWN;
}
static uint32_t bit_xor(uint32_t x, uint32_t y)
{
    return x == BIT_0               ? y
           : y == BIT_0             ? x
           : x == BIT_1             ? opposite(y)
           : y == BIT_1             ? opposite(x)
           : x == y && x != UNKNOWN ? BIT_0
                                    : UNKNOWN;
}

uint32_t spirv_combine_bits(unsigned op, uint32_t x, uint32_t y)
{
    switch (op) {
    case IR_mov_b32:
    case IR_mov_b64: return x;
    case IR_not_b32:
    case IR_not_b64: return opposite(x);
    case IR_and_b32:
    case IR_and_b64: return bit_and(x, y);
    case IR_or_b32:
    case IR_or_b64: return bit_or(x, y);
    case IR_xor_b32:
    case IR_xor_b64: return bit_xor(x, y);
    case IR_andn2_b32:
    case IR_andn2_b64: return bit_and(x, opposite(y));
    case IR_orn2_b32:
    case IR_orn2_b64: return bit_or(x, opposite(y));
    case IR_nand_b32:
    case IR_nand_b64: return opposite(bit_and(x, y));
    case IR_nor_b32:
    case IR_nor_b64: return opposite(bit_or(x, y));
    case IR_xnor_b32:
    case IR_xnor_b64: return opposite(bit_xor(x, y));
    default: return UNKNOWN;
    }
}

static uint32_t value_of(const struct alone *a, const uint32_t *values, uint32_t node)
{
    const struct ir_ssa_node *n = &a->ssa->nodes[node];
    if (n->kind == IR_SSA_CONST && (n->value == 0 || n->value == ~0u))
        return n->value ? BIT_1 : BIT_0;
    return n->kind == IR_SSA_CONST ? FROZEN + node : values[a->low[node]];
}

/* A bit of the mask among an operation's arguments; both words of a long one hold the same for a lane. */
static uint32_t op_bit(const struct alone *a, const uint32_t *values, const struct ir_ssa_node *op)
{
    return op->unsaid_at > op->mask_at ? value_of(a, values, ir_ssa_args(a->ssa, op)[op->mask_at]) : BIT_1;
}

static uint32_t mask_result(const struct alone *a, const uint32_t *values, const struct ir_ssa_node *op, uint32_t word)
{
    const struct ir_inst *inst = &a->e->func->insts[op->inst];
    const uint32_t *args = ir_ssa_args(a->ssa, op);
    if (inst->lane)
        return op_bit(a, values, op) == BIT_0 ? BIT_0 : UNKNOWN;
    if (!spirv_is_bit_op(inst->op))
        return UNKNOWN;
    uint32_t y = inst->src_count > 1 ? value_of(a, values, args[op->results + word]) : UNKNOWN;
    return spirv_combine_bits(inst->op, value_of(a, values, args[word]), y);
}

/* Other lanes, the host or the guest could tell: memory, and a barrier. */
static bool can_be_seen(const struct alone *a, const uint32_t *values, const struct ir_ssa_node *op)
{
    const struct ir_inst *inst = &a->e->func->insts[op->inst];
    if (inst->op == IR_barrier)
        return true;
    const struct ir_access *access = ir_ops[inst->op].class == IR_C_MEMORY ? ir_inst_access(a->e->func, inst) : NULL;
    bool scalar = access && (access->space == IR_SPACE_SCALAR || access->space == IR_SPACE_SBUFFER);
    return ((access && !scalar) || inst->op == IR_image) && op_bit(a, values, op) != BIT_0;
}

static uint32_t merged(const struct alone *a, const uint32_t *values, const struct ir_ssa_node *n)
{
    const uint32_t *args = ir_ssa_args(a->ssa, n), *data = args + n->arg_count - 2;
    uint32_t bit = value_of(a, values, args[0]), fresh = value_of(a, values, data[0]), old = value_of(a, values, data[1]);
    return bit == BIT_0 ? old : bit == BIT_1 || fresh == old ? fresh : UNKNOWN;
}

/* True: the block does what can be seen. */
static bool follow_block(struct alone *a, uint32_t *values, uint32_t block)
{
    const struct ir_ssa_block *b = &a->ssa->blocks[block];
    bool seen = false;
    a->work += b->count + 1;
    for (uint32_t i = b->first; i < b->first + b->count; i++) {
        const struct ir_ssa_node *n = &a->ssa->nodes[i];
        const struct ir_ssa_node *op = n->kind == IR_SSA_WORD ? &a->ssa->nodes[ir_ssa_args(a->ssa, n)[0]] : n;
        if (n->kind == IR_SSA_OP)
            seen |= can_be_seen(a, values, n);
        if (n->kind == IR_SSA_MERGE)
            values[i] = merged(a, values, n);
        else
            values[i] = is_mask(a, i) ? mask_result(a, values, op, n->kind == IR_SSA_WORD ? n->word : 0) : UNKNOWN;
    }
    return seen;
}

/* The phis of block `to`, all at once. */
static void follow_edge(struct alone *a, uint32_t *values, uint32_t from, uint32_t to)
{
    const struct ir_ssa_block *b = &a->ssa->blocks[to];
    uint32_t p = 0, *fresh = malloc((b->phi_count + 1) * sizeof *fresh);
    a->failed |= !fresh;
    while (p < b->pred_count && a->ssa->preds[b->first_pred + p] != from)
        p++;
    for (uint32_t i = 0; fresh && i < b->phi_count; i++) {
        const struct ir_ssa_node *n = &a->ssa->nodes[b->first_phi + i];
        fresh[i] = n->kind == IR_SSA_PHI && p < b->pred_count ? value_of(a, values, ir_ssa_args(a->ssa, n)[p]) : UNKNOWN;
    }
    for (uint32_t i = 0; fresh && i < b->phi_count; i++)
        values[b->first_phi + i] = fresh[i];
    free(fresh);
}

/* The branch's mask as the lane has it; UNKNOWN too where it is no mask. */
static uint32_t branch_bit(const struct alone *a, const uint32_t *values, uint32_t block)
{
    uint32_t cond = a->ssa->blocks[block].cond[0];
    return is_mask(a, cond) ? value_of(a, values, cond) : UNKNOWN;
}

/* ---- a lane at rest in its wave ---- */

/* The masks that matter from the block on are the same. */
static bool same_state(const struct alone *a, uint32_t block, const uint32_t *x, const uint32_t *y)
{
    for (uint32_t i = 0; i < a->nodes; i++) {
        bool matters =
            in_set(&a->live[block * a->set_words], i) || (a->ssa->nodes[i].kind == IR_SSA_PHI && a->ssa->nodes[i].block == block);
        if (matters && is_mask(a, i) && value_of(a, x, i) != value_of(a, y, i))
            return false;
    }
    return true;
}

static bool join(uint32_t nodes, uint32_t *into, const uint32_t *values)
{
    bool changed = false;
    for (uint32_t i = 0; i < nodes; i++) {
        if (into[i] == values[i] || into[i] == UNKNOWN)
            continue;
        into[i] = UNKNOWN;
        changed = true;
    }
    return changed;
}

/* Whatever the block or what follows it needs is the same in both. */
static bool agree(const struct alone *a, uint32_t block, const uint32_t *x, const uint32_t *y)
{
    const struct ir_ssa_block *b = &a->ssa->blocks[block];
    for (uint32_t i = 0; i < a->nodes; i++)
        if (in_set(&a->live[block * a->set_words], i) && (value_of(a, x, i) != value_of(a, y, i) || value_of(a, x, i) == UNKNOWN))
            return false;
    for (uint32_t i = b->first_phi; i < b->first_phi + b->phi_count; i++)
        if (a->ssa->nodes[i].kind == IR_SSA_PHI && (value_of(a, x, i) != value_of(a, y, i) || value_of(a, x, i) == UNKNOWN))
            return false;
    return true;
}

static void queue_state(struct set *set, uint32_t n)
{
    if (!set->queued[n])
        set->queue[set->queue_count++] = n;
    set->queued[n] = true;
}

/* Moved along an edge, values become a state of block `to`, or part of one that is there; taken over. joins: what is no mask does not
 * tell states apart. Where a block has many, one stands for all others. */
static void add_state(struct alone *a, struct set *set, uint32_t *values, uint32_t to, bool joins)
{
    uint32_t found = set->count, same_block = 0;
    for (uint32_t n = 0; n < set->count && found == set->count; n++) {
        if (set->block[n] != to)
            continue;
        a->work += a->nodes / 4;
        same_block++;
        if (same_block == BLOCK_STATES || same_state(a, to, set->values[n], values))
            found = n;
    }
    if (found < set->count) {
        if ((joins || same_block == BLOCK_STATES) && join(a->nodes, set->values[found], values))
            queue_state(set, found);
        free(values);
        return;
    }
    if (set->count == MAX_STATES || a->work > MAX_WORK) {
        a->failed = true;
        free(values);
        return;
    }
    set->block[set->count] = to;
    set->values[set->count] = values;
    queue_state(set, set->count++);
}

static void empty_set(struct set *set)
{
    for (uint32_t n = 0; n < set->count; n++)
        free(set->values[n]);
    memset(set, 0, sizeof *set);
}

/* The wave goes along an edge, with the lane at rest. False: where the edge leads to `stop`, the lane differs from what it is alone. */
static bool arrive(struct alone *a, const uint32_t *values, uint32_t from, uint32_t to, uint32_t stop, const uint32_t *own)
{
    uint32_t *moved = copy_values(a, values);
    if (!moved)
        return false;
    follow_edge(a, moved, from, to);
    if (to != stop) {
        add_state(a, &a->wave, moved, to, true);
        return true;
    }
    bool good = agree(a, stop, moved, own);
    free(moved);
    return good;
}

/* All ways of a wave from the edge on, up to block stop, where the lane is as `own` has it. False: a way does what can be seen of the
 * lane, ends before, or leads to a lane that differs. */
static bool follow_wave(struct alone *a, const uint32_t *values, uint32_t from, uint32_t to, uint32_t stop, const uint32_t *own)
{
    bool quiet = arrive(a, values, from, to, stop, own);
    while (quiet && a->wave.queue_count && !a->failed) {
        uint32_t n = a->wave.queue[--a->wave.queue_count], block = a->wave.block[n];
        const struct ir_block *plain = &a->e->func->blocks[block];
        a->wave.queued[n] = false;
        uint32_t *here = copy_values(a, a->wave.values[n]);
        if (!here)
            break;
        quiet = !follow_block(a, here, block) && (edges_of(plain) || stop == IR_SSA_NONE);
        bool taken = plain->term == IR_TERM_BRANCH && branch_bit(a, here, block) == BIT_1;
        for (unsigned i = 0; quiet && i < (taken ? 1 : edges_of(plain)); i++)
            quiet = arrive(a, here, block, plain->succ[i], stop, own);
        free(here);
        a->failed |= a->work > MAX_WORK;
    }
    empty_set(&a->wave);
    return quiet && !a->failed;
}

/* The lane's way on from a block that does nothing to be seen, where only one is possible; IR_SSA_NONE: there is none. */
static uint32_t own_way(struct alone *a, uint32_t *values, uint32_t block)
{
    const struct ir_block *plain = &a->e->func->blocks[block];
    if (follow_block(a, values, block) || !edges_of(plain))
        return IR_SSA_NONE;
    uint32_t bit = plain->term == IR_TERM_BRANCH ? branch_bit(a, values, block) : BIT_1;
    return bit == BIT_1 ? plain->succ[0] : bit == BIT_0 ? plain->succ[1] : IR_SSA_NONE;
}

/* The lane leaves block by its second edge, its bit being 0; its wave may take the first. */
static bool comes_together(struct alone *a, const uint32_t *bits, uint32_t block)
{
    const struct ir_block *plain = &a->e->func->blocks[block];
    uint32_t *rest = copy_values(a, bits), *own = rest ? copy_values(a, bits) : NULL, from = block, at = plain->succ[1];
    bool good = false;
    for (uint32_t i = 0; own && i < a->nodes; i++)
        if (!is_mask(a, i) || rest[i] == UNKNOWN)
            rest[i] = own[i] = FROZEN + i;
    for (unsigned step = 0; own && !good && step < MAX_STEPS && at != IR_SSA_NONE && !a->failed; step++) {
        follow_edge(a, own, from, at);
        good = follow_wave(a, rest, block, plain->succ[0], at, own);
        from = at;
        at = good ? IR_SSA_NONE : own_way(a, own, at);
    }
    free(rest);
    free(own);
    return good && !a->failed;
}

/* ---- all states of a lane that goes alone ---- */

static void go_alone(struct alone *a, const uint32_t *values, uint32_t from, uint32_t to)
{
    uint32_t *moved = copy_values(a, values);
    if (!moved)
        return;
    if (from != IR_SSA_NONE)
        follow_edge(a, moved, from, to);
    add_state(a, &a->own, moved, to, false);
}

/* A node turns out to hold bit: what follows for those that it was made from in this block. */
static void learn(struct alone *a, uint32_t *values, uint32_t node, uint32_t bit, uint32_t block)
{
    const struct ir_ssa_node *n = &a->ssa->nodes[node];
    if (n->kind == IR_SSA_CONST || !is_mask(a, node))
        return;
    values[a->low[node]] = bit;
    const struct ir_ssa_node *op = n->kind == IR_SSA_WORD ? &a->ssa->nodes[ir_ssa_args(a->ssa, n)[0]] : n;
    if (n->block != block || op->kind != IR_SSA_OP || a->e->func->insts[op->inst].lane ||
        !spirv_is_bit_op(a->e->func->insts[op->inst].op))
        return;
    const struct ir_inst *inst = &a->e->func->insts[op->inst];
    uint32_t word = n->kind == IR_SSA_WORD ? n->word : 0, two = inst->src_count > 1;
    uint32_t arg[2] = {ir_ssa_args(a->ssa, op)[word], ir_ssa_args(a->ssa, op)[two ? op->results + word : word]};
    if (two && a->low[arg[0]] == a->low[arg[1]]) {
        arg[1] = arg[0]; /* the two words of a long mask, for a test of all */
        two = 0;
        inst = inst->op == IR_or_b32 || inst->op == IR_and_b32 ? inst : NULL;
    }
    for (unsigned i = 0; inst && i < 2; i++) { /* an argument that only one bit explains has that one */
        uint32_t x = value_of(a, values, arg[i]), y = value_of(a, values, arg[!i]), may = 0;
        for (uint32_t guess = BIT_0; guess <= BIT_1; guess++) {
            uint32_t r = i == 0 ? spirv_combine_bits(inst->op, guess, two ? y : guess) : spirv_combine_bits(inst->op, y, guess);
            may |= (r == bit || (r != BIT_0 && r != BIT_1)) ? 1u << guess : 0;
        }
        if (x != BIT_0 && x != BIT_1 && (may == 1 || may == 2) && (i == 0 || two))
            learn(a, values, arg[i], may == 1 ? BIT_0 : BIT_1, block);
    }
}

/* What was learnt goes on to what was made from it. */
static void learn_on(struct alone *a, uint32_t *values, uint32_t block)
{
    const struct ir_ssa_block *b = &a->ssa->blocks[block];
    for (uint32_t i = b->first; i < b->first + b->count; i++) {
        const struct ir_ssa_node *n = &a->ssa->nodes[i];
        const struct ir_ssa_node *op = n->kind == IR_SSA_WORD ? &a->ssa->nodes[ir_ssa_args(a->ssa, n)[0]] : n;
        if (is_mask(a, i) && values[i] == UNKNOWN)
            values[i] = mask_result(a, values, op, n->kind == IR_SSA_WORD ? n->word : 0);
    }
}

static void take_branch(struct alone *a, const uint32_t *values, uint32_t block, uint32_t bit)
{
    uint32_t *known = copy_values(a, values);
    if (!known)
        return;
    learn(a, known, a->ssa->blocks[block].cond[0], bit, block);
    learn_on(a, known, block);
    if (bit == BIT_0 && !comes_together(a, known, block))
        a->failed = true;
    go_alone(a, known, block, a->e->func->blocks[block].succ[bit == BIT_0]);
    free(known);
}

static void leave_state(struct alone *a, uint32_t block, const uint32_t *entry)
{
    const struct ir_block *plain = &a->e->func->blocks[block];
    uint32_t *values = copy_values(a, entry);
    if (!values)
        return;
    follow_block(a, values, block);
    if (plain->term == IR_TERM_BRANCH && is_mask(a, a->ssa->blocks[block].cond[0])) {
        uint32_t bit = branch_bit(a, values, block);
        for (uint32_t way = BIT_0; way <= BIT_1; way++)
            if ((bit != BIT_0 && bit != BIT_1) || bit == way)
                take_branch(a, values, block, way);
    } else {
        for (unsigned n = 0; n < edges_of(plain); n++)
            go_alone(a, values, block, plain->succ[n]);
    }
    free(values);
}

static void enter(struct alone *a, uint32_t bit)
{
    uint32_t *values = malloc((a->nodes + 1) * sizeof *values);
    a->failed |= !values;
    for (uint32_t i = 0; values && i < a->nodes; i++) {
        const struct ir_ssa_node *n = &a->ssa->nodes[i];
        values[i] = n->kind == IR_SSA_ENTRY && is_mask(a, i) ? bit : UNKNOWN;
    }
    if (values && bit == BIT_1)
        go_alone(a, values, IR_SSA_NONE, a->ssa->entry);
    else if (values && !follow_wave(a, values, IR_SSA_NONE, a->ssa->entry, IR_SSA_NONE, NULL))
        a->failed = true; /* a lane that never ran does something */
    free(values);
}

/* Pairs words of long masks: of one operation, or phis side by side. */
static void find_lows(struct alone *a, struct spirv_emitter *e)
{
    for (uint32_t i = 0; i < a->nodes; i++)
        a->low[i] = i;
    for (uint32_t i = 0; e->lanes == 64 && i + 1 < a->nodes; i++) {
        const struct ir_ssa_node *n = &a->ssa->nodes[i], *next = n + 1;
        uint32_t pair[2] = {i, i + 1};
        bool beside = n->kind == next->kind && n->block == next->block && is_mask(a, i) && is_mask(a, i + 1);
        if (beside && n->kind != IR_SSA_OP && spirv_words_are_one(e, pair))
            a->low[i + 1] = i;
    }
}

bool spirv_lanes_go_alone(struct spirv_emitter *e)
{
    struct alone *a = calloc(1, sizeof *a);
    if (!a)
        return false;
    *a = (struct alone){.e = e, .ssa = e->ssa, .nodes = e->ssa->node_count, .set_words = e->ssa->node_count / 32 + 1};
    a->live = calloc((size_t)e->func->block_count * a->set_words, sizeof *a->live);
    a->low = calloc(a->nodes + 1, sizeof *a->low);
    a->failed = !a->live || !a->low || !spirv_lanes_meet_well(e);
    if (!a->failed)
        find_live(a);
    if (!a->failed)
        find_lows(a, e);
    if (!a->failed && !spirv_has_barrier(e))
        enter(a, BIT_0);
    if (!a->failed)
        enter(a, BIT_1);
    while (a->own.queue_count && !a->failed) {
        uint32_t n = a->own.queue[--a->own.queue_count];
        a->own.queued[n] = false;
        leave_state(a, a->own.block[n], a->own.values[n]);
    }
    empty_set(&a->own);
    bool good = !a->failed;
    free(a->live);
    free(a->low);
    free(a);
    return good;
}
