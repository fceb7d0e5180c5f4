/* The program's function: the script of its blocks as structured control flow, from what a wave starts with to its ends. */
#include <stdlib.h>

#include "spirv/spirv_emit.h"

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
    uint32_t site = spirv_const(e, spirv_site(e, spirv_jump_of(&e->func->blocks[block])));
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

void spirv_emit_body(struct spirv_emitter *e)
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
            ways(e, spirv_is_wave(e), yes, merge, merge);
        if (e->paired)
            label(e, yes);
    } else {
        uint32_t runs = spirv_call(e, "runs_group", 0, NULL);
        if (e->paired || (!e->alone && !e->options->threads[0] && e->options->waves > 1))
            runs = spirv_op2(e, OP_LOGICAL_AND, e->library->t_bool, runs, spirv_is_wave(e));
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
