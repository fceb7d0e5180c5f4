/* A function's values as ids: in their own block, from variables elsewhere, as words or as a mask's booleans. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spirv/spirv_emit.h"

enum { FUNCTION_CLASS = 7 };

uint32_t spirv_id(struct spirv_emitter *e)
{
    return e->next_id++;
}

uint32_t spirv_const(struct spirv_emitter *e, uint32_t value)
{
    uint32_t at = value * 0x9e3779b1u >> 20;
    while (e->consts[at].id && e->consts[at].value != value)
        at = (at + 1) & (SPIRV_CONST_SLOTS - 1);
    if (e->consts[at].id)
        return e->consts[at].id;
    uint32_t id = spirv_id(e);
    spirv_put_op(&e->decls, OP_CONSTANT, 3, (uint32_t[]){e->library->t_u32, id, value});
    spirv_note_constant(e, id, value);
    if (e->const_count < SPIRV_CONST_SLOTS / 2) {
        e->const_count++;
        e->consts[at].id = id;
        e->consts[at].value = value;
    }
    return id;
}

uint32_t spirv_bool(struct spirv_emitter *e, bool value)
{
    return value ? e->id_true : e->id_false;
}

uint32_t spirv_op(struct spirv_emitter *e, unsigned opcode, uint32_t type, unsigned count, const uint32_t *operands)
{
    uint32_t id = spirv_id(e);
    spirv_put(&e->body, (count + 3) << 16 | opcode);
    spirv_put(&e->body, type);
    spirv_put(&e->body, id);
    spirv_put_all(&e->body, operands, count);
    return id;
}

uint32_t spirv_op1(struct spirv_emitter *e, unsigned opcode, uint32_t type, uint32_t a)
{
    return spirv_op(e, opcode, type, 1, &a);
}

uint32_t spirv_op2(struct spirv_emitter *e, unsigned opcode, uint32_t type, uint32_t a, uint32_t b)
{
    return spirv_op(e, opcode, type, 2, (uint32_t[]){a, b});
}

uint32_t spirv_op3(struct spirv_emitter *e, unsigned opcode, uint32_t type, uint32_t a, uint32_t b, uint32_t c)
{
    return spirv_op(e, opcode, type, 3, (uint32_t[]){a, b, c});
}

uint32_t spirv_call(struct spirv_emitter *e, const char *name, unsigned count, const uint32_t *operands)
{
    const struct spirv_function *f = spirv_library_function(e->library, name);
    if (!f || f->parameters != count) {
        if (!*e->reason)
            snprintf(e->reason, SPIRV_REASON_SIZE, "the lane library has no %s of %u operands", name, count);
        return spirv_const(e, 0);
    }
    uint32_t id = spirv_id(e);
    spirv_put_call(e, &e->body, (uint32_t)(f - e->library->function), id, count, operands);
    return id;
}

uint32_t spirv_word_of(struct spirv_emitter *e, uint32_t vector, unsigned n)
{
    return spirv_op(e, OP_COMPOSITE_EXTRACT, e->library->t_u32, 2, (uint32_t[]){vector, n});
}

uint32_t spirv_variable(struct spirv_emitter *e, uint32_t pointer_type)
{
    uint32_t id = spirv_id(e);
    spirv_put_op(&e->vars, OP_VARIABLE, 3, (uint32_t[]){pointer_type, id, FUNCTION_CLASS});
    return id;
}

uint32_t spirv_load(struct spirv_emitter *e, uint32_t type, uint32_t variable)
{
    return spirv_op1(e, OP_LOAD, type, variable);
}

void spirv_store(struct spirv_emitter *e, uint32_t variable, uint32_t value)
{
    spirv_put_op(&e->body, OP_STORE, 2, (uint32_t[]){variable, value});
}

/* Room for ids, all 0; index 0 is never handed out. */
static uint32_t take(struct spirv_emitter *e, unsigned count)
{
    if (!e->pool_count)
        e->pool_count = 1;
    if (e->pool_count + count > e->pool_cap) {
        size_t cap = 2 * (e->pool_cap + count) + 1024;
        uint32_t *pool = realloc(e->pool, cap * sizeof *pool);
        if (!pool) {
            e->out_of_memory = true;
            return 0;
        }
        e->pool = pool;
        e->pool_cap = cap;
    }
    uint32_t at = (uint32_t)e->pool_count;
    memset(e->pool + at, 0, count * sizeof *e->pool);
    e->pool_count += count;
    return at;
}

bool spirv_is_bit_op(unsigned op)
{
    switch (op) {
    case IR_mov_b32:
    case IR_not_b32:
    case IR_and_b32:
    case IR_or_b32:
    case IR_xor_b32:
    case IR_andn2_b32:
    case IR_orn2_b32:
    case IR_nand_b32:
    case IR_nor_b32:
    case IR_xnor_b32:
    case IR_mov_b64:
    case IR_not_b64:
    case IR_and_b64:
    case IR_or_b64:
    case IR_xor_b64:
    case IR_andn2_b64:
    case IR_orn2_b64:
    case IR_nand_b64:
    case IR_nor_b64:
    case IR_xnor_b64: return true;
    default: return false;
    }
}

bool spirv_is_splat(const struct spirv_emitter *e, const struct ir_ssa_node *op)
{
    unsigned code = e->func->insts[op->inst].op;
    if (op->kind != IR_SSA_OP || (code != IR_choose_b32 && code != IR_choose_b64) || e->func->insts[op->inst].lane)
        return false;
    for (uint32_t i = 1; i < op->mask_at; i++) {
        const struct ir_ssa_node *n = &e->ssa->nodes[ir_ssa_args(e->ssa, op)[i]];
        const struct ir_ssa_node *other = &e->ssa->nodes[ir_ssa_args(e->ssa, op)[i <= op->results ? 1 : op->results + 1]];
        if (n->kind != IR_SSA_CONST || (n->value != 0 && n->value != ~0u) || n->value != other->value)
            return false;
    }
    return true;
}

/* Scalars behind those that a wave starts with. */
bool spirv_entry_is_zero(const struct spirv_emitter *e, uint32_t node)
{
    enum { USER = 31, GENERAL_END = 104, OTHERS = 0x781 }; /* bits that ask for one more each */
    unsigned slot = e->ssa->nodes[node].var,
             first = (e->options->rsrc2 >> 1 & USER) + (unsigned)__builtin_popcount(e->options->rsrc2 & OTHERS);
    return !e->options->registers && e->ssa->nodes[node].kind == IR_SSA_ENTRY && slot >= first && slot < GENERAL_END;
}

uint32_t spirv_entry_pair(const struct spirv_emitter *e, uint32_t node)
{
    enum { GENERAL_END = 104 };
    const struct ir_ssa_node *n = &e->ssa->nodes[node];
    return n->kind == IR_SSA_ENTRY && n->var < GENERAL_END ? node ^ 1 : IR_SSA_NONE;
}

static bool may_be_mask(const struct spirv_emitter *e, uint32_t node)
{
    const struct ir_ssa_node *n = &e->ssa->nodes[node];
    if (n->kind == IR_SSA_CONST)
        return n->value == 0 || n->value == ~0u;
    return e->nodes[node].is_mask;
}

/* The destination of an operation that a result word belongs to. */
static bool word_is_mask(const struct spirv_emitter *e, const struct ir_ssa_node *op, uint32_t word)
{
    const struct ir_inst *inst = &e->func->insts[op->inst];
    if (!inst->lane)
        return false;
    if (ir_ops[inst->op].class == IR_C_COMPARE)
        return true;
    uint32_t first = ir_dst_span(e->func, inst, 0);
    unsigned type = ir_ops[inst->op].dst_type[word < first ? 0 : 1];
    return ir_ops[inst->op].class == IR_C_IRREGULAR && type == IR_T_mask;
}

static bool stays_mask(const struct spirv_emitter *e, uint32_t node)
{
    const struct ir_ssa_node *n = &e->ssa->nodes[node];
    const uint32_t *args = ir_ssa_args(e->ssa, n);
    const struct ir_ssa_node *op = n->kind == IR_SSA_WORD ? &e->ssa->nodes[args[0]] : n;
    if (n->kind == IR_SSA_ENTRY)
        return n->var == IR_EXEC || (n->var == IR_EXEC + 1 && e->lanes == 64);
    if (n->lane || (n->kind != IR_SSA_PHI && n->kind != IR_SSA_OP && n->kind != IR_SSA_WORD))
        return false;
    if (n->kind == IR_SSA_PHI) {
        for (uint32_t i = 0; i < n->arg_count; i++)
            if (!may_be_mask(e, args[i]) && (e->ssa->nodes[args[i]].kind != IR_SSA_ENTRY || e->ssa->nodes[args[i]].lane))
                return false;
        return true;
    }
    if (n->kind == IR_SSA_OP && n->results != 1)
        return false; /* its words may be */
    const struct ir_inst *inst = &e->func->insts[op->inst];
    if (spirv_is_splat(e, op))
        return true;
    if (!spirv_is_bit_op(inst->op) || inst->lane)
        return word_is_mask(e, op, n->kind == IR_SSA_WORD ? n->word : 0);
    args = ir_ssa_args(e->ssa, op);
    unsigned step = op->results, word = n->kind == IR_SSA_WORD ? n->word : 0;
    bool some = false;
    for (uint32_t i = word; i < op->mask_at; i += step) {
        if (!may_be_mask(e, args[i]))
            return false;
        some |= e->ssa->nodes[args[i]].kind != IR_SSA_CONST;
    }
    return some;
}

static void find_masks(struct spirv_emitter *e)
{
    for (uint32_t i = 0; i < e->ssa->node_count; i++) {
        const struct ir_ssa_node *n = &e->ssa->nodes[i];
        e->nodes[i].is_mask = !n->lane && n->kind != IR_SSA_CONST && n->kind != IR_SSA_DEAD && n->kind != IR_SSA_MERGE;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < e->ssa->node_count; i++)
            if (e->nodes[i].is_mask && !stays_mask(e, i)) {
                e->nodes[i].is_mask = false;
                changed = true;
            }
    }
}

static void note_use(struct spirv_emitter *e, uint32_t node, uint32_t block)
{
    const struct ir_ssa_node *n = &e->ssa->nodes[node];
    if (n->block != IR_SSA_NONE && n->block != block)
        e->nodes[e->nodes[node].alias ? e->nodes[node].alias - 1 : node].escapes = true;
}

static void find_escapes(struct spirv_emitter *e)
{
    const struct ir_ssa *ssa = e->ssa;
    for (uint32_t i = 0; i < ssa->node_count; i++) {
        const struct ir_ssa_node *n = &ssa->nodes[i];
        if (n->kind == IR_SSA_DEAD || n->kind == IR_SSA_ENTRY || n->kind == IR_SSA_CONST)
            continue;
        e->nodes[i].escapes |= n->kind == IR_SSA_PHI && !e->nodes[i].alias;
        for (uint32_t k = 0; k < n->arg_count; k++) {
            uint32_t user = n->kind == IR_SSA_PHI ? ssa->preds[ssa->blocks[n->block].first_pred + k] : n->block;
            note_use(e, ir_ssa_args(ssa, n)[k], user);
        }
    }
    for (uint32_t b = 0; b < e->func->block_count; b++) {
        const struct ir_ssa_block *block = &ssa->blocks[b];
        if (!block->reachable)
            continue;
        if (e->func->blocks[b].term == IR_TERM_BRANCH)
            note_use(e, block->cond[0], b);
        for (uint32_t i = 0; i < block->exit_count; i++)
            note_use(e, ssa->exits[block->first_exit + i].node, b);
    }
}

static unsigned id_count(const struct spirv_emitter *e, uint32_t node)
{
    return e->nodes[node].is_mask ? e->half : e->ssa->nodes[node].lane ? e->packs : 1;
}

static uint32_t form_type(const struct spirv_emitter *e, uint32_t node)
{
    return e->nodes[node].is_mask ? e->library->t_bool : e->library->t_u32;
}

static uint32_t *ids_of(struct spirv_emitter *e, uint32_t *where, unsigned count)
{
    if (!*where)
        *where = take(e, count);
    return e->pool + *where;
}

static bool branches_on_masks(const struct spirv_emitter *e)
{
    for (uint32_t b = 0; b < e->func->block_count; b++)
        if (e->ssa->blocks[b].reachable && e->func->blocks[b].term == IR_TERM_BRANCH &&
            e->nodes[e->ssa->blocks[b].cond[0]].is_mask)
            return true;
    return false;
}

/* A barrier wants all invocations on one way; who knows where they meet again is the host, so that none may leave it. */
static bool may_go_alone(const struct spirv_emitter *e)
{
    const struct spirv_options *o = e->options;
    bool meets = spirv_has_barrier(e);
    return !o->registers && e->lanes * o->waves <= o->alone && (!meets || (o->full && !branches_on_masks(e)));
}

/* Lanes that go alone have one bit for both words of a long mask. */
static void join_words(struct spirv_emitter *e)
{
    for (uint32_t i = 0; e->alone && e->lanes == 64 && i + 1 < e->ssa->node_count; i++) {
        const struct ir_ssa_node *n = &e->ssa->nodes[i], *next = n + 1;
        bool beside = n->kind == next->kind && n->block == next->block && e->nodes[i].is_mask && e->nodes[i + 1].is_mask;
        bool kind = n->kind == IR_SSA_PHI || (n->kind == IR_SSA_WORD && n->word + 1 == next->word);
        if (beside && kind && !e->nodes[i].alias && spirv_words_are_one(e, (uint32_t[]){i, i + 1}))
            e->nodes[i + 1].alias = i + 1;
    }
}

/* What it does there may be a fault. */
static bool uses_share(const struct spirv_emitter *e)
{
    for (uint32_t i = 0; i < e->ssa->node_count; i++) {
        const struct ir_ssa_node *n = &e->ssa->nodes[i];
        const struct ir_access *access = n->kind == IR_SSA_OP ? ir_inst_access(e->func, &e->func->insts[n->inst]) : NULL;
        if (access && access->space == IR_SPACE_LDS && !e->nodes[i].inside)
            return true;
    }
    return false;
}

bool spirv_values_init(struct spirv_emitter *e)
{
    e->nodes = calloc(e->ssa->node_count + 1, sizeof *e->nodes);
    e->place = malloc(((size_t)e->func->block_count + 1) * sizeof *e->place);
    if (!e->nodes || !e->place)
        return false;
    memset(e->place, 0xff, e->func->block_count * sizeof *e->place);
    for (uint32_t i = 0; i < e->ssa->order_count; i++)
        e->place[e->ssa->order[i]] = i;
    find_masks(e);
    e->alone = e->sure || (may_go_alone(e) && spirv_lanes_go_alone(e));
    if (e->alone) {
        e->packs = e->half = 1;
        e->wide = e->paired = false;
    }
    for (uint32_t i = 0; e->wide && i < e->ssa->node_count; i++)
        e->nodes[i].is_mask = false;
    join_words(e);
    spirv_find_bits(e);
    spirv_find_certain(e);
    spirv_find_floats(e);
    spirv_find_nans(e);
    spirv_find_aligned(e);
    spirv_find_slots(e);
    spirv_find_own(e);
    e->meets |= e->alone && !e->sure && !spirv_order_is_kept(e);
    if (e->meets || (e->alone && e->splitting && spirv_find_splits(e))) /* another module is made */
        return false;
    e->certain = e->options->certain && spirv_find_certain_nears(e);
    e->fast = !e->certain && e->options->fast && spirv_find_nears(e);
    e->windows = e->fast || e->certain;
    e->reports = !e->fast && !(e->certain && e->alone && !uses_share(e));
    find_escapes(e);
    for (uint32_t i = 0; i < e->ssa->node_count; i++) {
        struct spirv_node *n = &e->nodes[i];
        if (!n->escapes || n->preloaded)
            continue;
        unsigned count = id_count(e, i);
        n->variables = take(e, count);
        for (unsigned k = 0; k < count && !e->out_of_memory; k++)
            e->pool[n->variables + k] = spirv_variable(e, n->is_mask ? e->p_bool : e->p_u32);
    }
    return !e->out_of_memory;
}

/* Where the ids of the node's own form lie: as it was defined in its own block or for everywhere, elsewhere as loaded. */
static uint32_t own_form(struct spirv_emitter *e, uint32_t node)
{
    const struct ir_ssa_node *n = &e->ssa->nodes[node];
    struct spirv_node *own = &e->nodes[node];
    if (n->block == IR_SSA_NONE || n->block == e->block || !own->variables)
        return own->is_mask ? own->bools : own->value;
    if (own->load_stamp == e->stamp)
        return own->loaded;
    unsigned count = id_count(e, node);
    ids_of(e, &own->loaded, count);
    for (unsigned k = 0; k < count && !e->out_of_memory; k++) {
        uint32_t id = spirv_load(e, form_type(e, node), e->pool[own->variables + k]);
        e->pool[own->loaded + k] = id;
    }
    own->load_stamp = e->stamp;
    return own->loaded;
}

bool spirv_is_constant(const struct spirv_emitter *e, uint32_t node, uint32_t *value)
{
    const struct ir_ssa_node *n = &e->ssa->nodes[node];
    if (n->kind == IR_SSA_CONST) {
        *value = n->value;
        return true;
    }
    if (n->kind == IR_SSA_ENTRY && n->var == IR_MODE) {
        *value = e->options->mode;
        return true;
    }
    if (n->kind == IR_SSA_OP && e->func->insts[n->inst].op == IR_set_mode)
        return spirv_is_constant(e, ir_ssa_args(e->ssa, n)[0], value);
    return false;
}

uint32_t spirv_in_high_half(struct spirv_emitter *e)
{
    return spirv_op2(e, OP_U_GREATER_THAN, e->library->t_bool, e->lane[0], spirv_const(e, 31));
}

static uint32_t ballot(struct spirv_emitter *e, uint32_t boolean)
{
    enum { SUBGROUP = 3 };
    return spirv_op2(e, OP_GROUP_NON_UNIFORM_BALLOT, e->library->t_uvec4, spirv_const(e, SUBGROUP), boolean);
}

void spirv_ballot_words(struct spirv_emitter *e, uint32_t boolean, uint32_t words[2])
{
    uint32_t all = ballot(e, boolean);
    for (unsigned n = 0; n < 2; n++)
        words[n] = spirv_word_of(e, all, n);
}

/* Whether the invocation is of the second of a subgroup's two waves. */
static uint32_t is_second(struct spirv_emitter *e)
{
    return spirv_op2(e, OP_I_NOT_EQUAL, e->library->t_bool, spirv_call(e, "wave_base", 0, NULL), spirv_const(e, 0));
}

uint32_t spirv_shuffle(struct spirv_emitter *e, uint32_t value, uint32_t invocation)
{
    enum { SUBGROUP = 3 };
    if (e->paired)
        invocation = spirv_op2(e, OP_BITWISE_OR, e->library->t_u32, invocation, spirv_call(e, "wave_base", 0, NULL));
    return spirv_op3(e, OP_GROUP_NON_UNIFORM_SHUFFLE, e->library->t_u32, spirv_const(e, SUBGROUP), value, invocation);
}

uint32_t spirv_told_by(struct spirv_emitter *e, uint32_t value, unsigned invocation)
{
    enum { SUBGROUP = 3 };
    uint32_t from = spirv_const(e, invocation);
    return e->paired ? spirv_shuffle(e, value, from)
                     : spirv_op3(e, OP_GROUP_NON_UNIFORM_BROADCAST, e->library->t_u32, spirv_const(e, SUBGROUP), value, from);
}

/* A mask's word: the ballots of its packs side by side. */
static uint32_t word_of_bools(struct spirv_emitter *e, uint32_t node)
{
    uint32_t word = 0;
    if (e->alone) {
        e->meets = true;
        return spirv_const(e, 0);
    }
    for (unsigned n = 0; n < e->half; n++) {
        uint32_t all = ballot(e, spirv_node_bool(e, node, n)), bits = spirv_word_of(e, all, 0);
        if (e->paired)
            bits = spirv_op3(e, OP_SELECT, e->library->t_u32, is_second(e), spirv_word_of(e, all, 1), bits);
        if (n)
            bits = spirv_op2(e, OP_SHIFT_LEFT_LOGICAL, e->library->t_u32, bits, spirv_const(e, n * e->subgroup));
        word = word ? spirv_op2(e, OP_BITWISE_OR, e->library->t_u32, word, bits) : bits;
    }
    return word;
}

uint32_t spirv_value(struct spirv_emitter *e, uint32_t node, unsigned pack)
{
    const struct ir_ssa_node *n = &e->ssa->nodes[node];
    struct spirv_node *own = &e->nodes[node];
    if (n->kind == IR_SSA_CONST)
        return spirv_const(e, n->value);
    if (own->preloaded && n->results <= 1)
        return e->word_ids[own->preloaded - 1];
    if (own->is_mask) {
        if (own->stamp != e->stamp || !own->value) {
            uint32_t word = word_of_bools(e, node);
            ids_of(e, &own->value, 1);
            if (!e->out_of_memory)
                e->pool[own->value] = word;
            own->stamp = e->stamp;
        }
        return e->out_of_memory ? 0 : e->pool[own->value];
    }
    uint32_t at = own_form(e, node), id = at ? e->pool[at + (n->lane ? pack : 0)] : 0;
    if (!id && !*e->reason && !e->out_of_memory)
        snprintf(e->reason, SPIRV_REASON_SIZE, "value %u is not known in block %u", node, e->block);
    return id ? id : spirv_const(e, 0);
}

/* Whether a compiler can work the value out: it hangs on constants alone, by a few operations. */
static bool is_fixed(const struct spirv_emitter *e, uint32_t node, unsigned most)
{
    const struct ir_ssa_node *n = &e->ssa->nodes[node];
    bool fixed = n->kind == IR_SSA_OP && most;
    for (uint32_t k = 0; fixed && k < n->mask_at; k++)
        fixed = is_fixed(e, ir_ssa_args(e->ssa, n)[k], most - 1);
    return fixed || n->kind == IR_SSA_CONST;
}

/* lavapipe drops the sign of a product with a zero that it knows, and adds one not at all. It knows zeros that an operation gives, too, and
 * what MODE makes zeros of. */
uint32_t spirv_value_as(struct spirv_emitter *e, uint32_t node, unsigned pack, bool is_float)
{
    enum { SIGN = 0x80000000u, EXPONENT = 0x7f800000, DEPTH = 3 };
    const struct ir_ssa_node *n = &e->ssa->nodes[node];
    bool constant = n->kind == IR_SSA_CONST;
    if (is_float && constant && (n->value & ~(uint32_t)SIGN) == 0)
        return e->nought[n->value != 0];
    uint32_t value = spirv_value(e, node, pack);
    bool hides = is_float && is_fixed(e, node, DEPTH) && !(constant && n->value & EXPONENT);
    return hides ? spirv_op2(e, OP_BITWISE_OR, e->library->t_u32, value, e->nought[0]) : value;
}

/* Whether the bit is known where code is being emitted. Not where a host goes on calculating for lanes that have left a loop: what these take
 * along is saved by their masks. */
static bool is_told(struct spirv_emitter *e, uint32_t node, enum spirv_bit *bit)
{
    *bit = e->edge_to == IR_SSA_NONE ? spirv_bit_in(e, e->block, node) : spirv_bit_on(e, e->block, e->edge_to, node);
    return *bit <= SPIRV_BIT_1 && !(e->options->few_rounds && e->has_loops);
}

uint32_t spirv_node_bool(struct spirv_emitter *e, uint32_t node, unsigned n)
{
    if (e->nodes[node].alias)
        node = e->nodes[node].alias - 1;
    const struct ir_ssa_node *what = &e->ssa->nodes[node];
    struct spirv_node *own = &e->nodes[node];
    enum spirv_bit told;
    if (what->kind == IR_SSA_CONST && (what->value == 0 || what->value == ~0u))
        return spirv_bool(e, what->value != 0);
    if (own->is_mask && is_told(e, node, &told))
        return spirv_bool(e, told == SPIRV_BIT_1);
    if (own->is_mask) {
        uint32_t at = own_form(e, node);
        return at && e->pool[at + n] ? e->pool[at + n] : e->id_false;
    }
    uint32_t word = spirv_value(e, node, 0), pair = e->alone && e->lanes == 64 ? spirv_entry_pair(e, node) : IR_SSA_NONE;
    if (pair != IR_SSA_NONE && e->nodes[pair].value) {
        uint32_t high = spirv_op2(e, OP_U_GREATER_THAN, e->library->t_bool, e->lane[0], spirv_const(e, 31));
        word = spirv_op3(e, OP_SELECT, e->library->t_u32, high, spirv_value(e, node | 1, 0), spirv_value(e, node & ~1u, 0));
    }
    if (own->bool_stamp != e->stamp || !own->bools) {
        uint32_t ids[SPIRV_MAX_PACKS];
        for (unsigned k = 0; k < e->half; k++) {
            uint32_t at = e->lane[k];
            if (e->wide || (e->alone && e->lanes == 64))
                at = spirv_op2(e, OP_BITWISE_AND, e->library->t_u32, at, spirv_const(e, 31));
            uint32_t bit = spirv_op2(e, OP_SHIFT_RIGHT_LOGICAL, e->library->t_u32, word, at);
            bit = spirv_op2(e, OP_BITWISE_AND, e->library->t_u32, bit, spirv_const(e, 1));
            ids[k] = spirv_op2(e, OP_I_NOT_EQUAL, e->library->t_bool, bit, spirv_const(e, 0));
        }
        ids_of(e, &own->bools, e->half);
        if (!e->out_of_memory)
            memcpy(e->pool + own->bools, ids, e->half * sizeof *ids);
        own->bool_stamp = e->stamp;
    }
    return e->out_of_memory ? 0 : e->pool[own->bools + n];
}

uint32_t spirv_is_set(struct spirv_emitter *e, uint32_t node)
{
    enum { SUBGROUP = 3 };
    uint32_t any = 0;
    if (!e->nodes[node].is_mask || e->paired) /* the other wave's lanes have no say */
        return spirv_op2(e, OP_I_NOT_EQUAL, e->library->t_bool, spirv_value(e, node, 0), spirv_const(e, 0));
    for (unsigned n = 0; n < e->half; n++) {
        uint32_t bit = spirv_node_bool(e, node, n);
        any = any ? spirv_op2(e, OP_LOGICAL_OR, e->library->t_bool, any, bit) : bit;
    }
    return e->alone ? any : spirv_op2(e, OP_GROUP_NON_UNIFORM_ANY, e->library->t_bool, spirv_const(e, SUBGROUP), any);
}

static uint32_t bool_of_half(struct spirv_emitter *e, const uint32_t *words)
{
    uint32_t high = spirv_in_high_half(e);
    return spirv_op3(e, OP_SELECT, e->library->t_bool, high, spirv_node_bool(e, words[1], 0), spirv_node_bool(e, words[0], 0));
}

static uint32_t bool_alone(struct spirv_emitter *e, const uint32_t *words)
{
    bool masks = e->nodes[words[0]].is_mask || (e->lanes == 64 && e->nodes[words[1]].is_mask);
    if (e->lanes == 32 || masks || words[0] == words[1]) {
        e->meets |= masks && !spirv_words_are_one(e, words);
        return spirv_node_bool(e, words[0], 0);
    }
    return bool_of_half(e, words);
}

uint32_t spirv_mask_word(struct spirv_emitter *e, const uint32_t *words, unsigned pack)
{
    if (!e->wide)
        return spirv_value(e, words[pack / e->half], 0);
    return spirv_op3(e, OP_SELECT, e->library->t_u32, spirv_in_high_half(e), spirv_value(e, words[1], 0),
                     spirv_value(e, words[0], 0));
}

uint32_t spirv_mask_bool(struct spirv_emitter *e, const uint32_t *words, unsigned pack)
{
    if (e->alone)
        return bool_alone(e, words);
    if (e->wide)
        return words[0] == words[1] ? spirv_node_bool(e, words[0], 0) : bool_of_half(e, words);
    return spirv_node_bool(e, words[pack / e->half], pack % e->half);
}

static void store_variables(struct spirv_emitter *e, uint32_t node, const uint32_t *ids)
{
    struct spirv_node *own = &e->nodes[node];
    for (unsigned k = 0; own->variables && k < id_count(e, node); k++)
        spirv_store(e, e->pool[own->variables + k], ids[k]);
}

void spirv_define(struct spirv_emitter *e, uint32_t node, const uint32_t *ids)
{
    struct spirv_node *own = &e->nodes[node];
    unsigned count = e->ssa->nodes[node].lane ? e->packs : 1;
    ids_of(e, &own->value, count);
    if (e->out_of_memory)
        return;
    memcpy(e->pool + own->value, ids, count * sizeof *ids);
    own->stamp = e->stamp;
    store_variables(e, node, ids);
}

void spirv_define_bools(struct spirv_emitter *e, uint32_t node, const uint32_t *ids)
{
    struct spirv_node *own = &e->nodes[node];
    if (own->alias)
        return;
    ids_of(e, &own->bools, e->half);
    if (e->out_of_memory)
        return;
    memcpy(e->pool + own->bools, ids, e->half * sizeof *ids);
    own->bool_stamp = e->stamp;
    if (own->is_mask)
        store_variables(e, node, ids);
}

void spirv_load_phis(struct spirv_emitter *e, uint32_t block)
{
    const struct ir_ssa_block *b = &e->ssa->blocks[block];
    for (uint32_t i = b->first_phi; i < b->first_phi + b->phi_count; i++) {
        struct spirv_node *own = &e->nodes[i];
        if (e->ssa->nodes[i].kind != IR_SSA_PHI || own->alias)
            continue;
        unsigned count = id_count(e, i);
        uint32_t *where = own->is_mask ? &own->bools : &own->value;
        ids_of(e, where, count);
        for (unsigned k = 0; k < count && !e->out_of_memory; k++)
            e->pool[*where + k] = spirv_load(e, form_type(e, i), e->pool[own->variables + k]);
        *(own->is_mask ? &own->bool_stamp : &own->stamp) = e->stamp;
    }
}

/* All arguments are read before the first is written: a phi may be another one's argument. */
void spirv_store_phis(struct spirv_emitter *e, uint32_t from, uint32_t to)
{
    const struct ir_ssa_block *b = &e->ssa->blocks[to];
    uint32_t edge = IR_SSA_NONE;
    for (uint32_t i = 0; i < b->pred_count; i++)
        if (e->ssa->preds[b->first_pred + i] == from)
            edge = i;
    if (edge == IR_SSA_NONE)
        return;
    uint32_t *ids = malloc(((size_t)b->phi_count * SPIRV_MAX_PACKS + 1) * sizeof *ids);
    e->out_of_memory |= !ids;
    e->edge_to = to;
    for (int writing = 0; ids && writing < 2; writing++) {
        size_t at = 0;
        for (uint32_t i = b->first_phi; i < b->first_phi + b->phi_count; i++) {
            const struct ir_ssa_node *n = &e->ssa->nodes[i];
            if (n->kind != IR_SSA_PHI || e->nodes[i].alias)
                continue;
            uint32_t arg = ir_ssa_args(e->ssa, n)[edge];
            for (unsigned k = 0; k < id_count(e, i); k++, at++) {
                if (writing)
                    spirv_store(e, e->pool[e->nodes[i].variables + k], ids[at]);
                else
                    ids[at] = e->nodes[i].is_mask ? spirv_node_bool(e, arg, k) : spirv_value_as(e, arg, k, e->nodes[i].is_float);
            }
        }
    }
    e->edge_to = IR_SSA_NONE;
    free(ids);
}
