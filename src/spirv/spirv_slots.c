/* Which accesses share a base, and so a slot; and what scalar loads read that the dispatcher can read before the dispatch. */
#include <stdlib.h>
#include <string.h>

#include "spirv/spirv_emit.h"
#include "spirv/spirv_layout.h"

/* Where a value comes from that the dispatcher can know. */
static struct spirv_source source_of(const struct spirv_emitter *e, uint32_t node)
{
    enum { USER = 31 };
    const struct ir_ssa_node *n = &e->ssa->nodes[node];
    unsigned users = e->options->rsrc2 >> 1 & USER;
    if (n->kind == IR_SSA_CONST)
        return (struct spirv_source){SPIRV_CONSTANT, n->value};
    if (n->kind == IR_SSA_ENTRY && n->var < users && !e->options->registers)
        return (struct spirv_source){SPIRV_USER_DATA, n->var};
    if (e->nodes[node].preloaded)
        return (struct spirv_source){SPIRV_WORD, e->nodes[node].preloaded - 1};
    return (struct spirv_source){SPIRV_UNKNOWN, 0};
}

static bool sources_of(const struct spirv_emitter *e, const uint32_t *nodes, unsigned count, struct spirv_source *out)
{
    bool known = true;
    for (unsigned n = 0; n < count; n++) {
        out[n] = source_of(e, nodes[n]);
        known &= out[n].kind != SPIRV_UNKNOWN;
    }
    return known;
}

/* A load from memory that the user data points at, or that such a load's words point at, by a known offset: the words are the same for all
 * waves, as long as nothing that the program stored before could be among them. */
static bool preload(struct spirv_emitter *e, uint32_t node, const struct ir_access *access, bool stored)
{
    const struct ir_ssa_node *n = &e->ssa->nodes[node];
    const struct ir_inst *inst = &e->func->insts[n->inst];
    const uint32_t *args = ir_ssa_args(e->ssa, n);
    bool buffer = access->space == IR_SPACE_SBUFFER, direct = true;
    unsigned span = buffer ? 4 : 2, words = access->bytes / 4u;
    struct spirv_preload p = {.pc = inst->pc, .buffer = buffer, .offset = access->offset, .words = words, .first = e->word_count};
    uint32_t soffset = 0;
    if (inst->op != IR_load || e->options->registers || e->word_count + words > WORDS_MAX || !sources_of(e, args, span, p.base))
        return false;
    for (unsigned k = 0; k < span; k++)
        direct &= p.base[k].kind != SPIRV_WORD;
    if ((stored && !direct) ||
        (!ir_is_none(inst->src[1]) && !spirv_is_constant(e, args[ir_src_span(e->func, inst, 0)], &soffset)))
        return false;
    p.soffset = soffset;
    struct spirv_preload *more = realloc(e->preloads, (e->preload_count + 1) * sizeof *more);
    e->out_of_memory |= !more;
    if (!more)
        return false;
    e->preloads = more;
    e->preloads[e->preload_count++] = p;
    e->word_count += words;
    if (n->results == 1)
        e->nodes[node].preloaded = p.first + 1;
    for (uint32_t i = node + 1; i < e->ssa->node_count && e->ssa->nodes[i].block == n->block; i++)
        if (e->ssa->nodes[i].kind == IR_SSA_WORD && ir_ssa_args(e->ssa, &e->ssa->nodes[i])[0] == node)
            e->nodes[i].preloaded = p.first + e->ssa->nodes[i].word + 1;
    e->nodes[node].preloaded = p.first + 1;
    return true;
}

/* The slot of accesses by these nodes; one more than its number, 0 where there are too many. */
static uint32_t slot_of(struct spirv_emitter *e, const uint32_t *nodes, unsigned count, bool buffer)
{
    for (uint32_t i = 0; i < e->slot_count; i++)
        if (e->slots[i].base_words == count && e->slots[i].buffer == buffer &&
            !memcmp(e->slot_nodes[i], nodes, count * sizeof *nodes))
            return i + 1;
    if (e->slot_count == SLOTS_MAX)
        return 0;
    struct spirv_slot *slot = &e->slots[e->slot_count];
    *slot = (struct spirv_slot){.first_site = UINT32_MAX, .base_words = count, .buffer = buffer};
    slot->known = count && sources_of(e, nodes, count, slot->base);
    memcpy(e->slot_nodes[e->slot_count], nodes, count * sizeof *nodes);
    return ++e->slot_count;
}

static void find_slot(struct spirv_emitter *e, uint32_t node, const struct ir_access *access)
{
    const struct ir_ssa_node *n = &e->ssa->nodes[node];
    const struct ir_inst *inst = &e->func->insts[n->inst];
    const uint32_t *args = ir_ssa_args(e->ssa, n);
    bool buffer = access->space == IR_SPACE_BUFFER || access->space == IR_SPACE_SBUFFER;
    struct spirv_address address;
    bool apart = spirv_find_address(e, node, access, &address);
    unsigned count = buffer ? 4 : access->space == IR_SPACE_SCALAR || apart ? 2 : 0;
    const uint32_t *base = apart && !buffer ? address.base : args;
    uint32_t slot = slot_of(e, base, count, buffer);
    e->nodes[node].slot = slot;
    if (!slot)
        return;
    struct spirv_slot *s = &e->slots[slot - 1];
    bool stores = inst->op != IR_load;
    s->loads |= inst->op != IR_store;
    s->stores |= stores;
    s->sub_words |= stores && (access->bytes < 4 || access->flags & IR_AC_FORMAT);
}

static bool has_slot(const struct ir_access *access)
{
    return access->space == IR_SPACE_GLOBAL || access->space == IR_SPACE_BUFFER || access->space == IR_SPACE_SCALAR ||
           access->space == IR_SPACE_SBUFFER;
}

static bool reaches_memory(const struct ir_access *access)
{
    return access->space != IR_SPACE_LDS && access->space != IR_SPACE_GDS;
}

static void add_reach(struct spirv_emitter *e, const struct ir_inst *inst, int32_t slot)
{
    if (e->reach_count && e->reaches[e->reach_count - 1].pc == inst->pc && e->reaches[e->reach_count - 1].slot == slot)
        return;
    struct spirv_reach *more = realloc(e->reaches, (e->reach_count + 1) * sizeof *more);
    e->out_of_memory |= !more;
    if (!more)
        return;
    e->reaches = more;
    e->reaches[e->reach_count++] = (struct spirv_reach){.pc = inst->pc,
                                                        .slot = slot,
                                                        .load = inst->op != IR_store,
                                                        .store = inst->op != IR_load,
                                                        .atomic = inst->op == IR_atomic};
}

static bool is_memory(const struct spirv_emitter *e, const struct ir_ssa_node *n, bool stores)
{
    if (n->kind != IR_SSA_OP || ir_ops[e->func->insts[n->inst].op].class != IR_C_MEMORY)
        return false;
    const struct ir_inst *inst = &e->func->insts[n->inst];
    const struct ir_access *access = ir_inst_access(e->func, inst);
    bool scalar = access && (access->space == IR_SPACE_SCALAR || access->space == IR_SPACE_SBUFFER);
    bool share = access && access->space == IR_SPACE_LDS;
    return !(share && e->in_step) && (stores ? inst->op != IR_load : !scalar);
}

unsigned char *spirv_find_before(const struct spirv_emitter *e, bool stores)
{
    unsigned char *found = calloc(e->func->block_count + 1, 1);
    for (uint32_t b = 0; found && b < e->func->block_count; b++)
        for (uint32_t i = e->ssa->blocks[b].first; i < e->ssa->blocks[b].first + e->ssa->blocks[b].count; i++)
            found[b] |= is_memory(e, &e->ssa->nodes[i], stores) ? SPIRV_WITHIN : 0;
    for (bool changed = found; changed;) {
        changed = false;
        for (uint32_t b = 0; b < e->func->block_count; b++)
            for (uint32_t p = 0; e->ssa->blocks[b].reachable && p < e->ssa->blocks[b].pred_count; p++) {
                uint32_t from = e->ssa->preds[e->ssa->blocks[b].first_pred + p];
                if (from != IR_SSA_NONE && found[from] && !(found[b] & SPIRV_BEFORE)) {
                    found[b] |= SPIRV_BEFORE;
                    changed = true;
                }
            }
    }
    return found;
}

static void find_in_block(struct spirv_emitter *e, uint32_t block, bool stored)
{
    const struct ir_ssa_block *b = &e->ssa->blocks[block];
    for (uint32_t i = b->first; i < b->first + b->count; i++) {
        const struct ir_ssa_node *n = &e->ssa->nodes[i];
        if (n->kind != IR_SSA_OP || ir_ops[e->func->insts[n->inst].op].class != IR_C_MEMORY)
            continue;
        const struct ir_inst *inst = &e->func->insts[n->inst];
        const struct ir_access *access = ir_inst_access(e->func, inst);
        bool scalar = access && (access->space == IR_SPACE_SCALAR || access->space == IR_SPACE_SBUFFER);
        stored |= inst->op != IR_load;
        if (!access || !reaches_memory(access))
            continue;
        if (!(scalar && preload(e, i, access, stored)) && has_slot(access))
            find_slot(e, i, access);
        add_reach(e, inst, e->nodes[i].preloaded ? (int32_t)SPIRV_PRELOADED : (int32_t)e->nodes[i].slot - 1);
    }
}

void spirv_find_slots(struct spirv_emitter *e)
{
    unsigned char *stored = spirv_find_before(e, true);
    e->slots = calloc(SLOTS_MAX, sizeof *e->slots);
    e->slot_nodes = calloc(SLOTS_MAX, sizeof *e->slot_nodes);
    e->out_of_memory |= !stored || !e->slots || !e->slot_nodes;
    for (uint32_t i = 0; !e->out_of_memory && !e->options->registers && i < e->ssa->order_count; i++)
        find_in_block(e, e->ssa->order[i], stored[e->ssa->order[i]] & SPIRV_BEFORE);
    free(stored);
}

/* At the start, where every invocation is: what is the same for all is read most cheaply there. */
void spirv_emit_slots(struct spirv_emitter *e)
{
    static const unsigned word[SPIRV_SLOT_IDS] = {SLOT_START,      SLOT_START + 1, SLOT_BYTES, SLOT_DEVICE,
                                                  SLOT_DEVICE + 1, SLOT_FLAGS,     SLOT_MASK,  SLOT_MASK + 1};
    for (uint32_t i = 0; i < e->slot_count; i++)
        for (unsigned n = 0; n < SPIRV_SLOT_IDS; n++)
            e->slot_ids[i][n] =
                n >= SPIRV_SLOT_IDS - 2 && (e->windows || !e->options->marks)
                    ? spirv_const(e, 0)
                    : spirv_call(e, "entry_scalar", 1, (uint32_t[]){spirv_const(e, P_SLOTS + i * SLOT_WORDS + word[n])});
    for (uint32_t n = 0; n < e->word_count && n < TOLD_LOADED; n++)
        e->word_ids[n] = spirv_call(e, "told_word", 1, (uint32_t[]){spirv_const(e, n)});
    for (uint32_t n = TOLD_LOADED; n < e->word_count; n++)
        e->word_ids[n] = spirv_call(e, "entry_scalar", 1, (uint32_t[]){spirv_const(e, P_WORDS + n)});
}
