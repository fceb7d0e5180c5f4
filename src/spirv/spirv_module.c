/* A module as a whole: what a wave starts with, the script of its blocks, and the library's functions that it calls. */
#include "spirv/spirv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spirv/spirv_emit.h"
#include "spirv/spirv_layout.h"
#include "spirv/spirv_narrow.h"

enum { MAX_BLOCKS = 4000, MAX_NODES = 200000, BOUND_AT = 3 };

void spirv_refuse(struct spirv_emitter *e, const struct ir_inst *inst, const char *what)
{
    if (!*e->reason)
        snprintf(e->reason, SPIRV_REASON_SIZE, "the instruction at %#llx (%s) %s", (unsigned long long)inst->pc,
                 ir_ops[inst->op].name, what);
}

uint32_t spirv_site(struct spirv_emitter *e, uint64_t pc)
{
    if (e->site_count && e->site_pc[e->site_count - 1] == pc)
        return e->site_count - 1;
    if (e->site_count == e->site_cap) {
        uint32_t cap = e->site_cap ? 2 * e->site_cap : 64;
        uint64_t *sites = realloc(e->site_pc, cap * sizeof *sites);
        if (!sites) {
            e->out_of_memory = true;
            return 0;
        }
        e->site_pc = sites;
        e->site_cap = cap;
    }
    e->site_pc[e->site_count] = pc;
    return e->site_count++;
}

/* Scalars behind the user data, in this order, those that RSRC2 asks for. */
static unsigned field(uint32_t word, unsigned low, unsigned width)
{
    return word >> low & ((1u << width) - 1);
}

/* Waves of the group at hand: the host's groups have room for those of a full one. */
static uint32_t waves_here(struct spirv_emitter *e)
{
    return spirv_call(e, "entry_waves", 2, (uint32_t[]){spirv_const(e, e->lanes), spirv_const(e, e->options->waves)});
}

static uint32_t group_word(struct spirv_emitter *e)
{
    enum { INDEX_AT = 6, NUMBER_AT = 20, FIRST_AT = 31 };
    uint32_t u = e->library->t_u32, wave = spirv_call(e, "entry_wave", 0, NULL);
    uint32_t factor = 1u << INDEX_AT | (e->options->gfx10_3 ? 1u << NUMBER_AT : 0);
    uint32_t word = spirv_op2(e, OP_I_MUL, u, wave, spirv_const(e, factor));
    word = spirv_op2(e, OP_BITWISE_OR, u, word, waves_here(e));
    uint32_t is_first = spirv_op2(e, OP_I_EQUAL, e->library->t_bool, wave, spirv_const(e, 0));
    uint32_t first = spirv_op3(e, OP_SELECT, u, is_first, spirv_const(e, 1u << FIRST_AT), spirv_const(e, 0));
    return spirv_op2(e, OP_BITWISE_OR, u, word, first);
}

/* Whether the group has several waves is the dispatch's own matter only where all its groups are full. */
static uint32_t status_word(struct spirv_emitter *e)
{
    enum { IN_TG = 1 << 11 };
    uint32_t u = e->library->t_u32, word = spirv_call(e, "entry_scalar", 1, (uint32_t[]){spirv_const(e, IR_STATUS)});
    if (e->options->waves == 1 || e->options->threads[0])
        return word;
    uint32_t several = spirv_op2(e, OP_U_LESS_THAN, e->library->t_bool, spirv_const(e, 1), waves_here(e));
    uint32_t rest = spirv_op2(e, OP_BITWISE_AND, u, word, spirv_const(e, ~(uint32_t)IN_TG));
    return spirv_op3(e, OP_SELECT, u, several, word, rest);
}

static uint32_t entry_scalar(struct spirv_emitter *e, unsigned slot)
{
    uint32_t r = e->options->rsrc2;
    unsigned next = field(r, 1, 5);
    if (slot == IR_ALL_LO || slot == IR_ALL_HI)
        return spirv_const(e, slot == IR_ALL_LO || e->lanes == 64 ? ~0u : 0);
    if (slot == IR_MODE)
        return spirv_const(e, e->options->mode);
    if (e->options->registers)
        return spirv_call(e, "saved_scalar", 1, (uint32_t[]){spirv_const(e, slot)});
    if (slot == IR_EXEC || slot == IR_EXEC + 1)
        return e->lanes == 32 && slot != IR_EXEC
                   ? spirv_const(e, 0)
                   : spirv_call(e, "entry_exec", 2, (uint32_t[]){spirv_const(e, e->lanes), spirv_const(e, slot - IR_EXEC)});
    for (unsigned n = 0; n < 3; n++)
        if (field(r, 7 + n, 1) && slot == next++)
            return spirv_call(e, "entry_group", 1, (uint32_t[]){spirv_const(e, n)});
    if (field(r, 10, 1) && slot == next++)
        return group_word(e);
    if (field(r, 0, 1) && slot == next)
        return spirv_op2(e, OP_I_MUL, e->library->t_u32, spirv_call(e, "entry_wave_slot", 0, NULL),
                         spirv_const(e, e->options->scratch_wave_bytes));
    if (slot == IR_STATUS)
        return status_word(e);
    return slot < IR_S_TEMP ? spirv_call(e, "entry_scalar", 1, (uint32_t[]){spirv_const(e, slot)}) : spirv_const(e, 0);
}

static uint32_t entry_lane(struct spirv_emitter *e, unsigned slot, unsigned pack)
{
    uint32_t operand[3] = {spirv_const(e, slot), spirv_const(e, e->lanes), e->lane[pack]};
    if (e->options->registers)
        return spirv_call(e, "saved_lane", 3, operand);
    return slot < 3 && (slot == 0 || field(e->options->rsrc2, 11, 2) >= slot) ? spirv_call(e, "entry_thread", 3, operand)
                                                                              : spirv_const(e, 0);
}

static bool *find_used(const struct ir_ssa *ssa)
{
    bool *used = calloc(ssa->node_count + 1, sizeof *used);
    for (uint32_t i = 0; used && i < ssa->node_count; i++) {
        const struct ir_ssa_node *n = &ssa->nodes[i];
        for (uint32_t k = 0; n->kind != IR_SSA_DEAD && k < n->arg_count; k++)
            used[ir_ssa_args(ssa, n)[k]] = true;
    }
    for (uint32_t b = 0; used && b < ssa->func->block_count; b++)
        if (ssa->blocks[b].reachable && ssa->func->blocks[b].term == IR_TERM_BRANCH)
            used[ssa->blocks[b].cond[0]] = true;
    for (uint32_t i = 0; used && i < ssa->exit_count; i++)
        used[ssa->exits[i].node] = true;
    return used;
}

void spirv_emit_entry(struct spirv_emitter *e)
{
    uint32_t u = e->library->t_u32, invocation = spirv_call(e, "first_lane_here", 0, NULL);
    for (unsigned k = 0; k < e->packs; k++)
        e->lane[k] = spirv_op2(e, OP_I_ADD, u, invocation, spirv_const(e, k * e->subgroup));
    bool *used = find_used(e->ssa);
    e->out_of_memory |= !used;
    for (uint32_t i = 0; used && i < e->ssa->node_count; i++) {
        const struct ir_ssa_node *n = &e->ssa->nodes[i];
        if (n->kind != IR_SSA_ENTRY || !used[i])
            continue;
        uint32_t ids[SPIRV_MAX_PACKS];
        if (e->alone && e->nodes[i].is_mask) {
            ids[0] = spirv_call(e, "entry_runs", 3, (uint32_t[]){spirv_const(e, e->lanes), e->lane[0], spirv_bool(e, e->hides)});
            spirv_define_bools(e, i, ids);
            continue;
        }
        for (unsigned k = 0; k < (n->lane ? e->packs : 1); k++)
            ids[k] = n->lane ? entry_lane(e, n->var - IR_SSA_V, k) : entry_scalar(e, n->var);
        bool is_mask = e->nodes[i].is_mask;
        e->nodes[i].is_mask = false;
        spirv_define(e, i, ids);
        if (is_mask)
            spirv_node_bool(e, i, 0); /* and so all of its booleans, which hold everywhere */
        e->nodes[i].is_mask = is_mask;
    }
    free(used);
}

void spirv_emit_exits(struct spirv_emitter *e, uint32_t block)
{
    const struct ir_ssa_block *b = &e->ssa->blocks[block];
    for (uint32_t i = 0; i < b->exit_count; i++) {
        const struct ir_ssa_exit *x = &e->ssa->exits[b->first_exit + i];
        if (x->var < IR_SSA_V) {
            spirv_call(e, "save_scalar", 2, (uint32_t[]){spirv_const(e, x->var), spirv_value(e, x->node, 0)});
            continue;
        }
        for (unsigned k = 0; k < e->packs; k++)
            spirv_call(e, "save_lane", 4,
                       (uint32_t[]){spirv_const(e, x->var - IR_SSA_V), spirv_const(e, e->lanes), e->lane[k],
                                    spirv_value(e, x->node, k)});
    }
}

/* Kept even where a lane that is here runs for certain: lavapipe goes on calculating for lanes that have left a loop, and what such a lane
 * takes out of it is saved by nothing but its mask. */
static void emit_merge(struct spirv_emitter *e, uint32_t node)
{
    const struct ir_ssa_node *n = &e->ssa->nodes[node];
    const uint32_t *args = ir_ssa_args(e->ssa, n), *data = args + n->arg_count - 2;
    uint32_t ids[SPIRV_MAX_PACKS];
    for (unsigned k = 0; k < e->packs; k++)
        ids[k] = e->nodes[node].passes ? spirv_value_as(e, data[0], k, e->nodes[node].is_float)
                                       : spirv_op3(e, OP_SELECT, e->library->t_u32, spirv_mask_bool(e, args, k),
                                                   spirv_value_as(e, data[0], k, e->nodes[node].is_float),
                                                   spirv_value_as(e, data[1], k, e->nodes[node].is_float));
    spirv_define(e, node, ids);
}

static void emit_block(struct spirv_emitter *e, uint32_t block)
{
    const struct ir_ssa_block *b = &e->ssa->blocks[block];
    e->block = block;
    e->stamp++;
    spirv_load_phis(e, block);
    spirv_place_own(e, block, IR_SSA_NONE);
    for (uint32_t i = b->first; i < b->first + b->count && !*e->reason; i++) {
        if (e->ssa->nodes[i].kind == IR_SSA_OP)
            spirv_emit_op(e, i);
        else if (e->ssa->nodes[i].kind == IR_SSA_MERGE)
            emit_merge(e, i);
        spirv_place_own(e, block, i);
    }
}

/* Labels that open constructs wait for. */
struct frame {
    uint32_t merge, other, head, again;
    bool arm_open; /* the first arm came to its end */
};

static void label(struct spirv_emitter *e, uint32_t id)
{
    spirv_put_op(&e->body, OP_LABEL, 1, &id);
    e->open = true;
    e->stamp++;
}

static void go(struct spirv_emitter *e, uint32_t to)
{
    if (e->open)
        spirv_put_op(&e->body, OP_BRANCH, 1, &to);
    e->open = false;
}

static void ways_as(struct spirv_emitter *e, uint32_t condition, uint32_t yes, uint32_t no, uint32_t merge, uint32_t hint)
{
    spirv_put_op(&e->body, OP_SELECTION_MERGE, 2, (uint32_t[]){merge, hint});
    spirv_put_op(&e->body, OP_BRANCH_CONDITIONAL, 3, (uint32_t[]){condition, yes, no});
    e->open = false;
}

static void ways(struct spirv_emitter *e, uint32_t condition, uint32_t yes, uint32_t no, uint32_t merge)
{
    ways_as(e, condition, yes, no, merge, 0);
}

void spirv_begin_rare(struct spirv_emitter *e, uint32_t condition)
{
    enum { DONT_FLATTEN = 2 };
    uint32_t yes = spirv_id(e);
    e->rare = spirv_id(e);
    ways_as(e, condition, yes, e->rare, e->rare, DONT_FLATTEN);
    label(e, yes);
}

void spirv_end_rare(struct spirv_emitter *e)
{
    go(e, e->rare);
    label(e, e->rare);
}

static void leave(struct spirv_emitter *e)
{
    if (e->open)
        spirv_put(&e->body, 1u << 16 | OP_RETURN);
    e->open = false;
}

/* Code that nothing leads to still needs an end. */
static void close_dead(struct spirv_emitter *e)
{
    spirv_put(&e->body, 1u << 16 | OP_UNREACHABLE);
    e->open = false;
}

static uint32_t targets(struct spirv_emitter *e, uint32_t block)
{
    uint32_t target = spirv_load(e, e->library->t_u32, e->target);
    return spirv_op2(e, OP_I_EQUAL, e->library->t_bool, target, spirv_const(e, block));
}

/* Where the jump is that a block ends with; all of them are one word long. */
static uint64_t jump_of(const struct ir_block *block)
{
    return block->end_pc - sizeof(uint32_t);
}

/* The budget of back edges: at its end, or when all waves are to end, the wave is given up, with its place. */
static void count_back(struct spirv_emitter *e, uint32_t block)
{
    if (e->uncounted)
        return;
    e->loops = true;
    if (e->fast && !e->in_step && e->near_before[block]) { /* what it calculates with means nothing */
        uint32_t out = spirv_id(e), in = spirv_id(e);
        ways(e, spirv_call(e, "has_missed", 0, NULL), out, in, in);
        label(e, out);
        leave(e);
        label(e, in);
    }
    uint32_t site = spirv_const(e, spirv_site(e, jump_of(&e->func->blocks[block])));
    if (e->options->few_rounds)
        spirv_call(e, "take_round", 1, &site);
    if (e->options->few_rounds && !e->endless)
        return;
    uint32_t u = e->library->t_u32, over = spirv_id(e), on = spirv_id(e);
    uint32_t left = spirv_op2(e, OP_I_SUB, u, spirv_load(e, u, e->budget), spirv_const(e, 1));
    spirv_store(e, e->budget, left);
    uint32_t none = spirv_op2(e, OP_I_EQUAL, e->library->t_bool, left, spirv_const(e, 0));
    ways(e, none, over, on, on);
    label(e, over);
    uint32_t ends = spirv_id(e), goes_on = spirv_id(e), more = spirv_call(e, "more_rounds", 0, NULL);
    spirv_store(e, e->budget, more);
    ways(e, spirv_op2(e, OP_I_EQUAL, e->library->t_bool, more, spirv_const(e, 0)), ends, goes_on, goes_on);
    label(e, ends);
    spirv_call(e, "out_of_budget", 1, &site);
    leave(e);
    label(e, goes_on);
    go(e, on);
    label(e, on);
}

/* lavapipe goes on calculating for invocations that have left a loop while others go round, out of variables some of which hold the next
 * round's values by then: what they take along is as of a round that they are not in. Where two ways lead out of a loop it keeps what each
 * took along when it left: this is the second one, which nobody takes. */
static void second_way_out(struct spirv_emitter *e, struct frame *loop)
{
    uint32_t out = spirv_id(e), on = spirv_id(e);
    ways(e, spirv_call(e, "never", 1, (uint32_t[]){spirv_const(e, 2 + e->second_ways++)}), out, on, on);
    label(e, out);
    go(e, loop->merge);
    label(e, on);
    loop->arm_open = true;
}

static void emit_step(struct spirv_emitter *e, const struct spirv_step *step, struct frame *stack, uint32_t *depth,
                      uint32_t *loops, uint32_t *loop_depth)
{
    struct frame *top = *depth ? &stack[*depth - 1] : NULL, *loop = *loop_depth ? &stack[loops[*loop_depth - 1]] : NULL;
    switch (step->kind) {
    case SPIRV_BLOCK: emit_block(e, step->block); break;
    case SPIRV_IF:
    case SPIRV_GUARD: {
        struct frame f = {.merge = spirv_id(e)};
        uint32_t yes = spirv_id(e), condition;
        f.other = step->kind == SPIRV_IF ? spirv_id(e) : f.merge;
        if (step->kind == SPIRV_IF)
            condition = spirv_is_set(e, e->ssa->blocks[step->block].cond[0]);
        else
            condition = targets(e, step->to);
        f.arm_open = step->kind == SPIRV_GUARD;
        ways(e, condition, yes, f.other, f.merge);
        label(e, yes);
        stack[(*depth)++] = f;
        break;
    }
    case SPIRV_ELSE:
        top->arm_open = e->open;
        go(e, top->merge);
        label(e, top->other);
        e->block = step->block;
        break;
    case SPIRV_END_IF: {
        bool open = e->open || top->arm_open;
        go(e, top->merge);
        label(e, top->merge);
        if (!open)
            close_dead(e);
        (*depth)--;
        break;
    }
    case SPIRV_EDGE:
        e->block = step->block;
        spirv_store_phis(e, step->block, step->to);
        break;
    case SPIRV_SET: spirv_store(e, e->target, spirv_const(e, step->to)); break;
    case SPIRV_BACK: count_back(e, step->block); break;
    case SPIRV_LOOP: {
        struct frame f = {.merge = spirv_id(e), .head = spirv_id(e), .again = spirv_id(e)};
        uint32_t body = spirv_id(e);
        go(e, f.head);
        label(e, f.head);
        spirv_put_op(&e->body, OP_LOOP_MERGE, 3, (uint32_t[]){f.merge, f.again, 0});
        go(e, body);
        label(e, body);
        if (e->options->few_rounds)
            second_way_out(e, &f);
        loops[(*loop_depth)++] = *depth;
        stack[(*depth)++] = f;
        break;
    }
    case SPIRV_AGAIN_IF:
        if (e->open) {
            uint32_t yes = spirv_id(e), on = spirv_id(e);
            ways(e, targets(e, step->to), yes, on, on);
            label(e, yes);
            go(e, top->again);
            label(e, on);
        }
        break;
    case SPIRV_CONTINUE: go(e, loop->again); break;
    case SPIRV_BREAK:
        loop->arm_open = true;
        go(e, loop->merge);
        break;
    case SPIRV_END_LOOP: {
        bool left = e->open || top->arm_open;
        go(e, top->merge);
        label(e, top->again);
        go(e, top->head);
        label(e, top->merge);
        if (!left)
            close_dead(e);
        (*depth)--;
        (*loop_depth)--;
        break;
    }
    default: /* SPIRV_RETURN */
        if (e->options->registers) {
            spirv_emit_exits(e, step->block);
            spirv_call(e, "save_share", 1, (uint32_t[]){spirv_const(e, e->subgroup)});
        }
        if (e->func->whole && e->func->blocks[step->block].term == IR_TERM_SETPC && e->open)
            spirv_call(e, "stray", 0, NULL);
        leave(e);
        break;
    }
}

static void emit_script(struct spirv_emitter *e, const struct spirv_script *script)
{
    struct frame *stack = malloc((script->count + 1) * sizeof *stack);
    uint32_t *loops = malloc((script->count + 1) * sizeof *loops), depth = 0, loop_depth = 0;
    e->out_of_memory |= !stack || !loops;
    for (uint32_t i = 0; stack && loops && i < script->count && !*e->reason && !e->out_of_memory; i++)
        emit_step(e, &script->steps[i], stack, &depth, loops, &loop_depth);
    free(stack);
    free(loops);
}

/* What ends or leaves a wave in a way that reports show, which only the CPU device does. */
static const char *refusal_of(unsigned op)
{
    switch (op) {
    case IR_unsupported: return "is not supported, which the CPU device reports where it is met";
    case IR_unknown: return "is no instruction, which the CPU device reports where it is met";
    case IR_trap: return "traps";
    case IR_sendmsg: return "sends a message";
    case IR_memtime: return "reads a clock";
    default: return NULL;
    }
}

/* Blocks must end within the function, and nothing may be in it that needs what a host device lacks. */
static void check(struct spirv_emitter *e)
{
    for (uint32_t i = 0; i < e->ssa->order_count && !*e->reason; i++) {
        uint32_t b = e->ssa->order[i];
        const struct ir_block *block = &e->func->blocks[b];
        unsigned edges = block->term == IR_TERM_BRANCH ? 2 : block->term == IR_TERM_JUMP ? 1 : 0;
        /* A probe's program ends with a jump to where a register says that it began with. */
        bool ends = block->term == IR_TERM_SETPC && e->options->registers &&
                    e->ssa->nodes[e->ssa->blocks[b].cond[0]].kind == IR_SSA_ENTRY;
        bool outside = block->term == IR_TERM_SETPC && !ends && !e->func->whole;
        for (unsigned n = 0; n < edges; n++)
            outside |= block->succ[n] == IR_NO_BLOCK;
        if (outside)
            snprintf(e->reason, SPIRV_REASON_SIZE, "a jump at %#llx leads to an address that the program computes",
                     (unsigned long long)jump_of(block));
        for (uint32_t n = block->first; n < block->first + block->count && !*e->reason; n++) {
            const struct ir_inst *inst = &e->func->insts[n];
            if (refusal_of(inst->op))
                spirv_refuse(e, inst, refusal_of(inst->op));
        }
    }
    if (!*e->reason && (e->func->block_count > MAX_BLOCKS || e->ssa->node_count > MAX_NODES))
        snprintf(e->reason, SPIRV_REASON_SIZE, "the program is too large for a module");
    const struct ir_inst *waits = *e->reason ? NULL : spirv_find_wait(e);
    if (waits)
        spirv_refuse(e, waits, "waits for other waves, which a host device need not run at the same time");
}

/* Whether some block leads to no end of the program. A host's compiler takes what follows a loop without a way out for code that never runs, what is told at
 * the end among it, even where the host ends the loop. */
static bool is_endless(struct spirv_emitter *e)
{
    const struct ir_ssa *ssa = e->ssa;
    bool *ends = calloc(e->func->block_count + 1, sizeof *ends), endless = false;
    e->out_of_memory |= !ends;
    for (bool more = ends; more;) { /* from the last blocks on, so that a few turns do */
        more = false;
        for (uint32_t i = ssa->order_count; i-- > 0;) {
            const struct ir_block *b = &e->func->blocks[ssa->order[i]];
            unsigned edges = b->term == IR_TERM_BRANCH ? 2 : b->term == IR_TERM_JUMP ? 1 : 0;
            bool now = !edges;
            for (unsigned n = 0; n < edges; n++)
                now |= b->succ[n] != IR_NO_BLOCK && ends[b->succ[n]];
            more |= now && !ends[ssa->order[i]];
            ends[ssa->order[i]] |= now;
        }
    }
    for (uint32_t i = 0; ends && i < ssa->order_count; i++)
        endless |= !ends[ssa->order[i]];
    free(ends);
    return endless;
}

static void begin(struct spirv_emitter *e)
{
    enum { FUNCTION_CLASS = 7 };
    const struct spirv_library *l = e->library;
    e->id_true = spirv_id(e);
    e->id_false = spirv_id(e);
    e->p_u32 = spirv_id(e);
    e->p_bool = spirv_id(e);
    spirv_put_op(&e->decls, OP_CONSTANT_TRUE, 2, (uint32_t[]){l->t_bool, e->id_true});
    spirv_put_op(&e->decls, OP_CONSTANT_FALSE, 2, (uint32_t[]){l->t_bool, e->id_false});
    spirv_put_op(&e->decls, OP_TYPE_POINTER, 3, (uint32_t[]){e->p_u32, FUNCTION_CLASS, l->t_u32});
    spirv_put_op(&e->decls, OP_TYPE_POINTER, 3, (uint32_t[]){e->p_bool, FUNCTION_CLASS, l->t_bool});
    e->target = spirv_variable(e, e->p_u32);
    e->budget = spirv_variable(e, e->p_u32);
}

/* The last of an odd number of waves has none beside it; a group without all its threads may have fewer waves than there is room for. One
 * without any thread is none: it would do what hangs on no lane, and wait for ever for what no lane of it says. */
static uint32_t is_wave(struct spirv_emitter *e)
{
    uint32_t waves = e->options->registers ? spirv_const(e, e->options->waves) : waves_here(e);
    return spirv_op2(e, OP_U_LESS_THAN, e->library->t_bool, spirv_call(e, "entry_wave", 0, NULL), waves);
}

static void emit_body(struct spirv_emitter *e)
{
    const uint32_t *t = e->options->threads;
    uint32_t merge = spirv_id(e), yes = spirv_id(e);
    e->open = true;
    e->block = IR_SSA_NONE;
    if (e->alone)
        spirv_call(e, "begin_alone", 7,
                   (uint32_t[]){spirv_const(e, e->lanes), spirv_const(e, e->lanes * e->options->waves), spirv_const(e, e->merged),
                                spirv_const(e, e->turns), spirv_const(e, t[0]), spirv_const(e, t[1]), spirv_const(e, t[2])});
    else
        spirv_call(e, e->paired ? "begin_paired" : "begin_packed", 3,
                   (uint32_t[]){spirv_const(e, t[0]), spirv_const(e, t[1]), spirv_const(e, t[2])});
    spirv_call(e, e->reports ? "begin_wave" : "begin_fast", 0, NULL);
    if (e->options->spills)
        spirv_call(e, "begin_spilled", 0, NULL);
    if (e->locks)
        spirv_call(e, "begin_lock", 0, NULL);
    for (uint32_t n = 0; n < 2; n++)
        e->nought[n] = spirv_call(e, "hidden", 1, (uint32_t[]){spirv_const(e, n << 31)});
    if (e->options->registers) {
        spirv_emit_entry(e);
        spirv_store(e, e->budget, spirv_call(e, "budget", 0, NULL));
        spirv_call(e, "restore_share", 1, (uint32_t[]){spirv_const(e, e->subgroup)});
        if (e->paired)
            ways(e, is_wave(e), yes, merge, merge);
        if (e->paired)
            label(e, yes);
    } else {
        uint32_t runs = spirv_call(e, "runs_group", 0, NULL);
        if (e->paired || (!e->alone && !e->options->threads[0] && e->options->waves > 1))
            runs = spirv_op2(e, OP_LOGICAL_AND, e->library->t_bool, runs, is_wave(e));
        if (e->alone && !spirv_has_barrier(e)) { /* lanes that never run leave at once */
            uint32_t lane = spirv_call(e, "first_lane_here", 0, NULL);
            uint32_t lane_runs =
                spirv_call(e, "entry_runs", 3, (uint32_t[]){spirv_const(e, e->lanes), lane, spirv_bool(e, e->hides)});
            runs = spirv_op2(e, OP_LOGICAL_AND, e->library->t_bool, runs, lane_runs);
        }
        if (e->alone && !e->windows) {
            uint32_t group_lanes = spirv_const(e, e->lanes * e->options->waves);
            uint32_t again = spirv_call(e, "runs_again", 2, (uint32_t[]){spirv_const(e, e->lanes), group_lanes});
            runs = spirv_op2(e, OP_LOGICAL_AND, e->library->t_bool, runs, again);
        }
        if (e->windows)
            spirv_emit_nears(e);
        spirv_emit_slots(e);
        spirv_emit_entry(e);
        spirv_store(e, e->budget, spirv_call(e, "budget", 0, NULL));
        ways(e, runs, yes, merge, merge);
        label(e, yes);
    }
    spirv_store(e, e->target, spirv_const(e, ~0u));
    e->block = IR_SSA_NONE; /* a program may come back to where it begins */
    spirv_store_phis(e, IR_SSA_NONE, e->ssa->entry);
    struct spirv_script *script = spirv_script_create(e->ssa);
    e->out_of_memory |= !script;
    if (script)
        emit_script(e, script);
    spirv_script_destroy(script);
    if (!e->options->registers || e->paired) {
        leave(e);
        label(e, merge);
        spirv_put(&e->body, 1u << 16 | OP_RETURN);
        e->open = false;
    }
    leave(e);
}

/* A function that a form of images needs, and what stands in for it elsewhere. */
static const struct {
    enum spirv_form form;
    const char *absent, *there;
} forms[] = {{SPIRV_FORM_BLOCKS, "block_texel_absent", "block_texel"},
             {SPIRV_FORM_BPTC, "bptc_texel_absent", "bptc_texel"},
             {SPIRV_FORM_KEYS, "keyed_element_absent", "keyed_element"},
             {SPIRV_FORM_KEYS, "key_stored_absent", "key_stored"},
             {SPIRV_FORM_ONCE, "once32", "once32_by_hand"}};

/* What is called where the library calls that function. */
uint32_t spirv_called(const struct spirv_emitter *e, uint32_t id)
{
    /* lavapipe lets a group's other subgroups go on at every barrier, of memory too, and leaves those behind that come by fewer of them. */
    if (e->options->few_rounds && id == spirv_library_function(e->library, "share_order")->id)
        return spirv_library_function(e->library, "share_order_absent")->id;
    for (size_t n = 0; n < sizeof forms / sizeof *forms; n++)
        if (e->options->forms & forms[n].form && id == spirv_library_function(e->library, forms[n].absent)->id)
            return spirv_library_function(e->library, forms[n].there)->id;
    return id;
}

static void put_head(struct spirv_emitter *e, struct spirv_words *out, uint32_t entry)
{
    enum { MAGIC = 0x07230203, VERSION = 0x10300, COMPUTE = 5, LOCAL_SIZE = 17, PHYSICAL64 = 5348, GLSL450 = 1 };
    enum {
        SHADER = 1,
        FLOAT64 = 10,
        INT64 = 11,
        INT64_ATOMICS = 12,
        SUBGROUP = 61,
        VOTE = 62,
        BALLOT = 64,
        SHUFFLE = 65,
        BYTES = 4448,
        PHYSICAL = 5347,
        KEEPS = 4466
    };
    enum {
        KEEP_ZERO_INF_NAN = 4461,
        KEEP_DENORMALS = 4459,
        KEEPS_DENORMALS = 4464
    }; /* signs of zeros too, which some compilers lose */
    static const char float_controls[24] = "SPV_KHR_float_controls";
    const struct spirv_library *l = e->library;
    static const uint32_t capabilities[] = {SHADER, FLOAT64, INT64, SUBGROUP, VOTE, BALLOT, SHUFFLE, BYTES, PHYSICAL, KEEPS};
    spirv_put_all(out, (uint32_t[]){MAGIC, VERSION, 0, e->next_id, 0}, 5);
    for (size_t i = 0; i < sizeof capabilities / sizeof *capabilities; i++)
        spirv_put_op(out, OP_CAPABILITY, 1, &capabilities[i]);
    if (spirv_uses(e, "long_atomic"))
        spirv_put_op(out, OP_CAPABILITY, 1, (uint32_t[]){INT64_ATOMICS});
    bool asks = e->options->denormals == SPIRV_DENORMALS_ASKED;
    if (asks)
        spirv_put_op(out, OP_CAPABILITY, 1, (uint32_t[]){KEEPS_DENORMALS});
    uint32_t extension[sizeof float_controls / 4];
    memcpy(extension, float_controls, sizeof float_controls);
    spirv_put_op(out, OP_EXTENSION, sizeof float_controls / 4, extension);
    for (size_t at = 5; at < l->decorations; at += l->words[at] >> 16) {
        unsigned op = l->words[at] & 0xffff;
        if (op == OP_EXTENSION || op == OP_EXT_INST_IMPORT)
            spirv_put_all(out, l->words + at, l->words[at] >> 16);
    }
    spirv_put_op(out, OP_MEMORY_MODEL, 2, (uint32_t[]){PHYSICAL64, GLSL450});
    uint32_t name[2] = {0x6e69616d, 0}; /* "main" */
    spirv_put_op(out, OP_ENTRY_POINT, 8,
                 (uint32_t[]){COMPUTE, entry, name[0], name[1], l->builtins[0], l->builtins[1], l->builtins[2], l->builtins[3]});
    unsigned waves = e->options->waves + (e->paired ? e->options->waves & 1 : 0);
    spirv_put_op(out, OP_EXECUTION_MODE, 5,
                 (uint32_t[]){entry, LOCAL_SIZE, (e->alone ? e->lanes : e->subgroup) * waves * e->merged, 1, 1});
    for (uint32_t bits = 32; bits <= 64; bits += 32)
        spirv_put_op(out, OP_EXECUTION_MODE, 3, (uint32_t[]){entry, KEEP_ZERO_INF_NAN, bits});
    for (uint32_t bits = 32; asks && bits <= 64; bits += 32)
        spirv_put_op(out, OP_EXECUTION_MODE, 3, (uint32_t[]){entry, KEEP_DENORMALS, bits});
}

/* The library's decorations, but for the size of its own groups. */
static void put_decorations(struct spirv_emitter *e, struct spirv_words *out)
{
    enum { BUILTIN = 11, ALIASED = 20, COHERENT = 23, WORKGROUP_SIZE = 25, BINDING = 33 };
    const struct spirv_library *l = e->library;
    bool *defined = calloc(l->bound, sizeof *defined);
    if (!defined) {
        e->out_of_memory = true;
        return;
    }
    for (size_t at = l->types; at < l->functions; at += l->words[at] >> 16) {
        unsigned op = l->words[at] & 0xffff;
        if (op >= OP_TYPE_VOID && op != OP_TYPE_FORWARD_POINTER)
            defined[l->words[at + (op < OP_TYPE_FORWARD_POINTER ? 1 : 2)]] = true;
    }
    for (size_t at = l->decorations; at < l->types; at += l->words[at] >> 16) {
        const uint32_t *w = l->words + at;
        unsigned op = w[0] & 0xffff;
        bool decorates = op == OP_DECORATE || op == OP_MEMBER_DECORATE;
        bool size = op == OP_DECORATE && w[2] == BUILTIN && w[3] == WORKGROUP_SIZE;
        if (!decorates || size || !defined[w[1]])
            continue;
        spirv_put_all(out, w, w[0] >> 16);
        /* Windows may show the same memory, and others reach it by address. */
        if (op == OP_DECORATE && w[2] == BINDING && w[3] >= WINDOW_BINDING)
            spirv_put_op(out, OP_DECORATE, 2, (uint32_t[]){w[1], ALIASED});
    }
    if (e->spilled) /* waves of a group see what the others do */
        spirv_put_op(out, OP_DECORATE, 2, (uint32_t[]){l->share, COHERENT});
    spirv_put_all(out, e->notes.at, e->notes.count);
    free(defined);
}

static void put_call(struct spirv_emitter *e, struct spirv_words *out, const char *name, unsigned count, const uint32_t *operands)
{
    const struct spirv_function *f = spirv_library_function(e->library, name);
    spirv_put_call(e, out, (uint32_t)(f - e->library->function), spirv_id(e), count, operands);
}

/* The program is a function of its own: it is left from many places, and what follows then is there once. */
static void put_functions(struct spirv_emitter *e, struct spirv_words *out, uint32_t entry)
{
    const struct spirv_library *l = e->library;
    uint32_t program = spirv_id(e), start = spirv_id(e), end = spirv_id(e);
    spirv_put_op(out, OP_FUNCTION, 4, (uint32_t[]){l->t_void, program, 0, l->t_entry});
    spirv_put_op(out, OP_LABEL, 1, &start);
    spirv_put_all(out, e->vars.at, e->vars.count);
    spirv_put_all(out, e->body.at, e->body.count);
    spirv_put(out, 1u << 16 | OP_FUNCTION_END);
    spirv_put_op(out, OP_FUNCTION, 4, (uint32_t[]){l->t_void, entry, 0, l->t_entry});
    spirv_put_op(out, OP_LABEL, 1, &end);
    for (uint32_t n = 0; n < e->turns; n++) {
        if (e->turns > 1)
            put_call(e, out, "begin_turn", 1, (uint32_t[]){spirv_const(e, n)});
        spirv_put_op(out, OP_FUNCTION_CALL, 3, (uint32_t[]){l->t_void, spirv_id(e), program});
    }
    if (e->fast)
        put_call(e, out, "tell_missed", 3,
                 (uint32_t[]){spirv_const(e, e->lanes), spirv_const(e, e->lanes * e->options->waves),
                              spirv_bool(e, e->options->scanned)});
    if (e->own)
        put_call(e, out, "tell_own", 0, NULL);
    if (e->reports || e->loops)
        put_call(e, out, e->reports ? "tell_faults" : "tell_end", 0, NULL);
    spirv_put(out, 1u << 16 | OP_RETURN);
    spirv_put(out, 1u << 16 | OP_FUNCTION_END);
}

/* The library's types, constants and variables, but for the lock where nobody takes it and a local share that is in a buffer: they count as
 * memory of the group. */
static void put_globals(const struct spirv_emitter *e, struct spirv_words *out)
{
    const struct spirv_library *l = e->library;
    for (size_t at = l->types; at < l->functions; at += l->words[at] >> 16) {
        uint32_t variable = (l->words[at] & 0xffff) == OP_VARIABLE ? l->words[at + 2] : 0;
        bool left_out = variable && ((variable == l->lock && !e->locks) || (variable == l->lds && e->options->spills));
        if (!left_out)
            spirv_put_all(out, l->words + at, l->words[at] >> 16);
    }
}

/* What the functions of the module call, and the module, so far as it is known what that is. */
static void put_module(struct spirv_emitter *e, struct spirv_words *out, uint32_t entry)
{
    struct spirv_words program = {0};
    out->count = 0;
    put_functions(e, &program, entry);
    spirv_put_instances(e);
    put_head(e, out, entry);
    put_decorations(e, out);
    put_globals(e, out);
    spirv_put_all(out, e->types.at, e->types.count);
    spirv_put_all(out, e->decls.at, e->decls.count);
    spirv_put_all(out, program.at, program.count);
    spirv_put_all(out, e->functions.at, e->functions.count);
    e->out_of_memory |= program.out_of_memory || e->types.out_of_memory || e->functions.out_of_memory || e->notes.out_of_memory;
    free(program.at);
    if (!out->out_of_memory)
        out->at[BOUND_AT] = e->next_id;
}

/* Compilers of hosts put each function in the place of its calls, and then take longer than in proportion: some programs without end. Hosts that
 * lack 64-bit types are compilers that take longer still. */
static void check_size(struct spirv_emitter *e, const struct spirv_words *module, uint32_t entry)
{
    enum { MOST = 1500000, MOST_NARROW = 16000 };
    bool narrow = e->options->narrow;
    uint32_t *sizes = spirv_inlined_sizes(module->at, module->count);
    if (sizes && sizes[entry] > (narrow ? MOST_NARROW : MOST))
        snprintf(e->reason, SPIRV_REASON_SIZE, "the program is too large for a host%s",
                 narrow ? " without 64-bit types and calls" : "'s compiler");
    e->out_of_memory |= !sizes;
    free(sizes);
}

/* The same for a host without 64-bit types. What stands for them in it turns out only here. */
static void put_narrow_module(struct spirv_emitter *e, struct spirv_words *out, uint32_t entry)
{
    struct spirv_narrowing narrowing = {0};
    struct spirv_words wide = {0};
    for (bool again = true; again && !wide.out_of_memory && !out->out_of_memory;) {
        put_module(e, &wide, entry);
        out->count = 0;
        if (!wide.out_of_memory)
            spirv_narrow(wide.at, wide.count, &narrowing, out);
        for (unsigned n = 0; n < SPIRV_HELPERS; n++)
            if (narrowing.missing >> n & 1)
                narrowing.helpers[n] = spirv_use(e, spirv_helper_names[n]);
        again = narrowing.missing && !narrowing.refused;
    }
    if (narrowing.refused)
        snprintf(e->reason, SPIRV_REASON_SIZE, "%s, which the host device lacks", narrowing.refused);
    out->out_of_memory |= wide.out_of_memory;
    free(wide.at);
}

static struct spirv_module *join(struct spirv_emitter *e)
{
    struct spirv_module *m = calloc(1, sizeof *m);
    struct spirv_words out = {0};
    uint32_t entry = spirv_id(e);
    if (e->options->narrow)
        put_narrow_module(e, &out, entry);
    else
        put_module(e, &out, entry);
    if (!*e->reason && !out.out_of_memory && !e->out_of_memory)
        check_size(e, &out, entry);
    if (!m || *e->reason || out.out_of_memory || e->decls.out_of_memory || e->vars.out_of_memory || e->body.out_of_memory ||
        e->out_of_memory) {
        free(out.at);
        free(m);
        return NULL;
    }
    *m = (struct spirv_module){.words = out.at,
                               .word_count = out.count,
                               .site_pc = e->site_pc,
                               .site_count = e->site_count,
                               .slots = e->slots,
                               .preloads = e->preloads,
                               .reaches = e->reaches,
                               .aparts = e->aparts,
                               .apart_count = e->apart_count,
                               .slot_count = e->slot_count,
                               .preload_count = e->preload_count,
                               .reach_count = e->reach_count,
                               .nears = e->windows ? e->nears : NULL,
                               .near_count = e->windows ? e->near_count : 0,
                               .fast = e->fast,
                               .certain = e->certain,
                               .bounds = e->certain ? e->bounds : NULL,
                               .bound_steps = e->certain ? e->bound_steps : NULL,
                               .bound_count = e->certain ? e->bound_count : 0,
                               .bound_step_count = e->certain ? e->bound_step_count : 0,
                               .merged = e->merged * e->turns,
                               .images = e->images,
                               .image_count = e->image_count,
                               .steps = e->steps,
                               .step_count = e->step_count,
                               .uses_lds = e->uses_lds,
                               .spills = e->spilled,
                               .gds = e->uses_gds,
                               .rays = e->rays,
                               .locks = e->locks,
                               .alone = e->alone,
                               .exact = e->exact,
                               .approximate = e->approximate};
    e->site_pc = NULL;
    e->slots = NULL;
    e->preloads = NULL;
    e->reaches = NULL;
    e->aparts = NULL;
    e->images = NULL;
    e->steps = NULL;
    if (e->windows)
        e->nears = NULL;
    if (e->certain) {
        e->bounds = NULL;
        e->bound_steps = NULL;
    }
    return m;
}

static void finish(struct spirv_emitter *e)
{
    free(e->decls.at);
    free(e->vars.at);
    free(e->body.at);
    spirv_special_finish(e);
    free(e->nodes);
    free(e->place);
    free(e->pool);
    free(e->site_pc);
    free(e->slots);
    free(e->slot_nodes);
    free(e->preloads);
    free(e->reaches);
    free(e->aparts);
    free(e->nears);
    free(e->near_before);
    free(e->bounds);
    free(e->bound_steps);
    free(e->bound_at);
    free(e->images);
    free(e->steps);
    free(e->step_at);
    free(e->twin);
}

/* Small groups that have nothing to do with each other make one of the host's: starting groups is what small ones cost. */
static uint32_t merged_groups(const struct spirv_emitter *e)
{
    enum { WANTED = 256 };
    unsigned lanes = e->lanes * e->options->waves, most = e->options->alone < WANTED ? e->options->alone : WANTED;
    for (uint32_t i = 0; i < e->func->inst_count; i++) {
        const struct ir_access *access = ir_inst_access(e->func, &e->func->insts[i]);
        if (access && (access->space == IR_SPACE_LDS || access->space == IR_SPACE_FLAT))
            return 1;
    }
    return !e->alone || spirv_has_barrier(e) || lanes > most ? 1 : most / lanes;
}

/* What takes little time is done several times by an invocation, as starting it is most of that. */
static uint32_t turns_of(const struct spirv_emitter *e)
{
    enum { WANTED = 4, SMALL = 64 };
    bool few = e->func->inst_count <= SMALL && !e->has_loops;
    return few && e->certain && !e->reports && e->merged > 1 ? WANTED : 1;
}

static struct spirv_module *make(struct spirv_emitter *e)
{
    if (!spirv_special_init(e))
        return NULL;
    for (uint32_t n = 0; n < e->func->block_count; n++)
        e->has_loops |= e->func->blocks[n].back[0] || e->func->blocks[n].back[1];
    begin(e);
    check(e);
    if (*e->reason || !spirv_values_init(e))
        return NULL;
    e->merged = merged_groups(e);
    e->endless = is_endless(e);
    e->turns = turns_of(e);
    e->locks = spirv_needs_lock(e->func);
    emit_body(e);
    return *e->reason || e->out_of_memory ? NULL : join(e);
}

/* What modules are made with, one after the other until one is right. */
struct maker {
    const struct spirv_library *library;
    struct spirv_emitter *e;
    char *reason;
    struct spirv_apart *aparts; /* that lanes keep as they go alone, found before joins were split */
    uint32_t apart_count;
    bool sure; /* that lanes go alone, for that reason */
};

static struct spirv_module *make_as(struct maker *maker, const struct ir_ssa *ssa, const struct spirv_options *options,
                                    bool splitting)
{
    const struct ir_func *func = ssa->func;
    struct spirv_emitter *e = maker->e;
    *e = (struct spirv_emitter){.library = maker->library,
                                .func = func,
                                .ssa = ssa,
                                .options = options,
                                .splitting = splitting,
                                .sure = maker->sure,
                                .aparts = maker->aparts,
                                .apart_count = maker->apart_count,
                                .lanes = func->wave_size,
                                .subgroup = options->subgroup < func->wave_size ? options->subgroup : func->wave_size,
                                .wide = options->subgroup == 64 && func->wave_size == 64,
                                .paired = options->subgroup > func->wave_size,
                                .next_id = maker->library->bound,
                                .edge_to = IR_SSA_NONE,
                                .reason = maker->reason};
    e->packs = e->lanes / e->subgroup;
    e->half = e->wide ? 1 : 32 / e->subgroup;
    e->subgroup_log2 = (unsigned)__builtin_ctz(e->subgroup);
    *maker->reason = 0;
    maker->aparts = NULL;
    maker->apart_count = 0;
    struct spirv_module *m = make(e);
    if (e->split_count) {
        maker->aparts = e->aparts;
        maker->apart_count = e->apart_count;
        e->aparts = NULL;
    }
    finish(e);
    return m;
}

static struct ir_ssa *ssa_of(const struct ir_func *func)
{
    struct ir_ssa *ssa = ir_ssa_create(func);
    if (ssa) {
        ir_ssa_simplify(ssa);
        spirv_follow_merges(ssa);
        ir_ssa_drop_dead(ssa);
    }
    return ssa;
}

/* Splits joins for as long as that shows more of them. NULL: no module came of it. */
static struct spirv_module *make_split(struct maker *maker, const struct ir_func *func, const struct spirv_options *options)
{
    enum { MOST_TIMES = 4 };
    struct ir_func *own = NULL;
    struct spirv_module *m = NULL;
    uint32_t splits = 0;
    maker->sure = true;
    for (unsigned n = 1; n <= MOST_TIMES && maker->e->split_count; n++) {
        splits += maker->e->split_count;
        struct ir_func *more = spirv_split_joins(own ? own : func, maker->e->splits, maker->e->split_count);
        struct ir_ssa *ssa = more ? ssa_of(more) : NULL;
        maker->e->split_count = 0;
        if (ssa)
            m = make_as(maker, ssa, options, n < MOST_TIMES);
        ir_ssa_destroy(ssa);
        ir_func_destroy(own);
        own = more;
    }
    ir_func_destroy(own);
    maker->sure = false;
    free(maker->aparts);
    maker->aparts = NULL;
    maker->apart_count = 0;
    if (m)
        m->splits = splits;
    return m;
}

struct spirv_module *spirv_module_create(const struct spirv_library *library, const struct ir_func *func,
                                         const struct spirv_options *options, char reason[SPIRV_REASON_SIZE])
{
    *reason = 0;
    if (options->subgroup > 64 || options->subgroup < 4 || options->subgroup & (options->subgroup - 1)) {
        snprintf(reason, SPIRV_REASON_SIZE, "subgroups of %u invocations", options->subgroup);
        return NULL;
    }
    struct ir_ssa *ssa = ssa_of(func);
    struct spirv_emitter *e = calloc(1, sizeof *e);
    struct maker maker = {.library = library, .e = e, .reason = reason};
    struct spirv_module *m = NULL;
    if (ssa && e) {
        m = make_as(&maker, ssa, options, !options->few_rounds); /* lavapipe runs ways out of loops by masks: a join is cheaper */
        bool splits = e->split_count != 0;
        if (splits)
            m = make_split(&maker, func, options);
        if (splits && !m && !e->meets)
            m = make_as(&maker, ssa, options, false);
        if (e->meets) {
            struct spirv_options packed = *options;
            packed.alone = 0;
            spirv_module_destroy(m);
            m = make_as(&maker, ssa, &packed, false);
        }
    }
    free(e);
    ir_ssa_destroy(ssa);
    return m;
}

void spirv_module_destroy(struct spirv_module *m)
{
    if (!m)
        return;
    free(m->words);
    free(m->site_pc);
    free(m->slots);
    free(m->preloads);
    free(m->reaches);
    free(m->aparts);
    free(m->images);
    free(m->steps);
    free(m->nears);
    free(m->bounds);
    free(m->bound_steps);
    free(m);
}
