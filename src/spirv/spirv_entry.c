/* What a wave starts with, and where what it ends with goes. */
#include <stdlib.h>

#include "spirv/spirv_emit.h"

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

/* Scalars behind the user data, in this order, those that RSRC2 asks for. */
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

/* The last of an odd number of waves has none beside it; a group without all its threads may have fewer waves than there is room for. One
 * without any thread is none: it would do what hangs on no lane, and wait for ever for what no lane of it says. */
uint32_t spirv_is_wave(struct spirv_emitter *e)
{
    uint32_t waves = e->options->registers ? spirv_const(e, e->options->waves) : waves_here(e);
    return spirv_op2(e, OP_U_LESS_THAN, e->library->t_bool, spirv_call(e, "entry_wave", 0, NULL), waves);
}
