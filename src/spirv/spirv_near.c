/* Fast modules: programs whose every access comes before anything that others see. Accesses reach windows by a lane's index, and a lane that
 * leaves its window does nothing, and asks to be run again by a module that searches: the search, which costs a host that runs both sides of
 * every condition more than all else, is not there at all.
 *
 * Where lanes hand things to each other at barriers, what one missed spoils others: a group that goes in step asks all of its lanes, before any
 * does something that others see, and does all or nothing.
 *
 * Where it is known before a dispatch that no lane of it leaves its windows, a module will do that looks at no index (spirv_bound.c). */
#include <stdio.h>
#include <stdlib.h>

#include "spirv/spirv_emit.h"

enum { NAME = 24 };

static bool is_near(const struct spirv_emitter *e, const struct ir_inst *inst, const struct ir_access *access,
                    const struct spirv_address *address, uint32_t slot)
{
    enum { MOST_BYTES = 16, OTHERS = IR_AC_LDS_DMA | IR_AC_ADDTID | IR_AC_TFE | IR_AC_SRC2 | IR_AC_D16_HI };
    bool word = access->bytes >= 4 && access->bytes <= MOST_BYTES;
    if (access->flags & OTHERS || access->elements > 1)
        return false;
    if (!slot || slot > (e->options->marks_near ? WINDOW_MASKS : WINDOWS) || !e->slots[slot - 1].known)
        return false;
    if (inst->op == IR_atomic)
        return access->bytes == 4 && address->scale <= 2;
    return word ? true : inst->op == IR_load && access->bytes == 1;
}

/* A load and a store of the same place share a row. */
static bool same_near(const struct spirv_near *a, const struct spirv_near *b)
{
    return a->slot == b->slot && a->offset == b->offset && a->scale == b->scale && a->bytes == b->bytes &&
           a->is_signed == b->is_signed && a->aligned == b->aligned;
}

static bool add_near(struct spirv_emitter *e, uint32_t node, const struct ir_access *access, const struct spirv_address *address,
                     bool stores)
{
    enum { WHOLE = 16, WHOLE_SCALE = 4 };
    struct spirv_near near = {.slot = e->nodes[node].slot - 1,
                              .offset = access->offset,
                              .scale = (uint8_t)address->scale,
                              .bytes = access->bytes,
                              .is_signed = address->is_signed,
                              .whole = access->bytes == WHOLE && address->scale >= WHOLE_SCALE,
                              .stores = stores,
                              .aligned = e->nodes[address->index].aligned};
    uint32_t i = 0;
    while (i < e->near_count && !same_near(&e->nears[i], &near))
        i++;
    if (i == NEAR_MAX)
        return false;
    if (i == e->near_count)
        e->nears[e->near_count++] = near;
    e->nears[i].stores |= stores;
    e->nodes[node].near = i + 1;
    return true;
}

static bool find_in_block(struct spirv_emitter *e, uint32_t block, bool stored)
{
    const struct ir_ssa_block *b = &e->ssa->blocks[block];
    for (uint32_t i = b->first; i < b->first + b->count; i++) {
        const struct ir_ssa_node *n = &e->ssa->nodes[i];
        if (n->kind != IR_SSA_OP)
            continue;
        const struct ir_inst *inst = &e->func->insts[n->inst];
        const struct ir_access *access = ir_inst_access(e->func, inst);
        struct spirv_address address;
        if (inst->op == IR_image || (access && access->flags & IR_AC_FORMAT) || (stored && inst->op == IR_barrier))
            return false;
        if (!access || e->nodes[i].preloaded)
            continue;
        if (!stored && e->in_step && access->space == IR_SPACE_LDS && inst->op != IR_atomic)
            continue;
        if (stored || !spirv_find_address(e, i, access, &address) || !is_near(e, inst, access, &address, e->nodes[i].slot) ||
            !add_near(e, i, access, &address, inst->op != IR_load))
            return false;
        e->nodes[address.index].escapes |= e->ssa->nodes[address.index].block != block; /* it may be used nowhere else there */
        stored = inst->op != IR_load;
    }
    return true;
}

static bool find_certain_in_block(struct spirv_emitter *e, uint32_t block)
{
    const struct ir_ssa_block *b = &e->ssa->blocks[block];
    for (uint32_t i = b->first; i < b->first + b->count; i++) {
        const struct ir_ssa_node *n = &e->ssa->nodes[i];
        if (n->kind != IR_SSA_OP || ir_ops[e->func->insts[n->inst].op].class != IR_C_MEMORY)
            continue;
        const struct ir_inst *inst = &e->func->insts[n->inst];
        const struct ir_access *access = ir_inst_access(e->func, inst);
        struct spirv_address address;
        if (inst->op == IR_image || (access && access->flags & IR_AC_FORMAT))
            return false;
        if (!access || e->nodes[i].preloaded || access->space == IR_SPACE_LDS)
            continue;
        if (!spirv_find_address(e, i, access, &address) || !is_near(e, inst, access, &address, e->nodes[i].slot) ||
            !add_near(e, i, access, &address, inst->op != IR_load))
            return false;
        e->nodes[address.index].escapes |= e->ssa->nodes[address.index].block != block;
    }
    return true;
}

bool spirv_find_certain_nears(struct spirv_emitter *e)
{
    bool good = !e->options->registers && (e->nears = calloc(NEAR_MAX, sizeof *e->nears));
    e->out_of_memory |= !e->options->registers && !e->nears;
    for (uint32_t i = 0; good && i < e->ssa->order_count; i++)
        good = find_certain_in_block(e, e->ssa->order[i]);
    if (good && e->near_count && spirv_find_bounds(e))
        return true;
    for (uint32_t i = 0; i < e->ssa->node_count; i++)
        e->nodes[i].near = 0;
    e->near_count = 0;
    return false;
}

/* Whether a scalar is the same for a whole group, provided that those said to be are. */
static bool stays_common(const struct spirv_emitter *e, const bool *common, uint32_t node)
{
    enum { USER = 31, IDS = 7, IDS_AT = 7 };
    const struct ir_ssa_node *n = &e->ssa->nodes[node];
    unsigned ids = (unsigned)__builtin_popcount(e->options->rsrc2 >> IDS_AT & IDS);
    if (n->kind == IR_SSA_CONST || e->nodes[node].preloaded)
        return true;
    if (n->kind == IR_SSA_ENTRY)
        return n->var < (e->options->rsrc2 >> 1 & USER) + ids;
    if (n->lane || (n->kind != IR_SSA_PHI && n->kind != IR_SSA_WORD && n->kind != IR_SSA_OP))
        return false;
    if (n->kind == IR_SSA_OP) {
        const struct ir_inst *inst = &e->func->insts[n->inst];
        if (inst->lane || (ir_ops[inst->op].class != IR_C_VALUE && ir_ops[inst->op].class != IR_C_COMPARE))
            return false;
    }
    for (uint32_t k = 0; k < (n->kind == IR_SSA_OP ? n->mask_at : n->arg_count); k++)
        if (!common[ir_ssa_args(e->ssa, n)[k]])
            return false;
    return true;
}

/* All lanes of a group take the same way, so that a barrier may be put anywhere. */
static bool goes_in_step(const struct spirv_emitter *e)
{
    bool *common = malloc(((size_t)e->ssa->node_count + 1) * sizeof *common), good = common;
    for (uint32_t i = 0; good && i < e->ssa->node_count; i++)
        common[i] = true;
    for (bool changed = good; changed;) {
        changed = false;
        for (uint32_t i = 0; i < e->ssa->node_count; i++)
            if (common[i] && !stays_common(e, common, i)) {
                common[i] = false;
                changed = true;
            }
    }
    for (uint32_t b = 0; good && b < e->func->block_count; b++)
        if (e->ssa->blocks[b].reachable && e->func->blocks[b].term == IR_TERM_BRANCH)
            good = common[e->ssa->blocks[b].cond[0]];
    free(common);
    return good;
}

bool spirv_find_nears(struct spirv_emitter *e)
{
    bool meets = spirv_has_barrier(e);
    if (!e->alone || (meets && !goes_in_step(e)))
        return false;
    e->in_step = meets;
    unsigned char *stored = spirv_find_before(e, true);
    e->near_before = spirv_find_before(e, false);
    if (!e->nears)
        e->nears = calloc(NEAR_MAX, sizeof *e->nears);
    bool good = stored && e->nears && e->near_before;
    e->out_of_memory |= !good;
    for (uint32_t i = 0; good && i < e->ssa->order_count; i++)
        good = find_in_block(e, e->ssa->order[i], stored[e->ssa->order[i]] & SPIRV_BEFORE);
    free(stored);
    return good;
}

void spirv_emit_nears(struct spirv_emitter *e)
{
    for (uint32_t i = 0; i < e->near_count && i < TOLD_NEARS; i++)
        for (uint32_t n = 0; n < TOLD_NEAR_WORDS; n++)
            e->near_ids[i][n] = spirv_call(e, "told_near", 1, (uint32_t[]){spirv_const(e, i * TOLD_NEAR_WORDS + n)});
    for (uint32_t i = 0; i < e->near_count; i++)
        for (uint32_t n = i < TOLD_NEARS ? TOLD_NEAR_WORDS : 0; n < (e->options->marks_near ? NEAR_WORDS : NEAR_MASK); n++)
            e->near_ids[i][n] = spirv_call(e, "entry_scalar", 1, (uint32_t[]){spirv_const(e, P_NEAR + i * NEAR_WORDS + n)});
}

/* The index in the unit that RELATIVE is in: of those that are not multiples of it, a unit of bytes is told. */
static uint32_t emit_scaled(struct spirv_emitter *e, uint32_t index, const struct spirv_near *near)
{
    uint32_t u = e->library->t_u32, unit = spirv_near_unit(near);
    if (near->scale == unit)
        return index;
    if (near->scale > unit)
        return spirv_op2(e, OP_SHIFT_LEFT_LOGICAL, u, index, spirv_const(e, near->scale - unit));
    return spirv_op2(e, near->is_signed ? OP_SHIFT_RIGHT_ARITHMETIC : OP_SHIFT_RIGHT_LOGICAL, u, index,
                     spirv_const(e, unit - near->scale));
}

/* Whether the access of pack k's lane happens, and its place in the window, in what it is made of. */
static uint32_t emit_place(struct spirv_emitter *e, const struct spirv_args *args, const struct ir_access *access, unsigned k,
                           uint32_t *at)
{
    enum { WORD_MASK = 3, WORD_SCALE = 2 };
    uint32_t u = e->library->t_u32, row = e->nodes[args->node - e->ssa->nodes].near - 1, *ids = e->near_ids[row];
    struct spirv_address address = {.scale = 0};
    spirv_find_address(e, (uint32_t)(args->node - e->ssa->nodes), access, &address);
    uint32_t index = spirv_value(e, address.index, k), aligned = e->id_true;
    *at = spirv_op2(e, OP_I_ADD, u, emit_scaled(e, index, &e->nears[row]), ids[NEAR_RELATIVE]);
    if (access->bytes >= 4 && !spirv_near_unit(&e->nears[row])) {
        uint32_t low = spirv_op2(e, OP_BITWISE_AND, u, *at, spirv_const(e, WORD_MASK));
        aligned = spirv_op2(e, OP_I_EQUAL, e->library->t_bool, low, spirv_const(e, 0));
        *at = spirv_op2(e, OP_SHIFT_RIGHT_LOGICAL, u, *at, spirv_const(e, WORD_SCALE));
    }
    if (e->certain)
        return spirv_access_runs(e, args, k);
    return spirv_call(e, "near_inside", 6,
                      (uint32_t[]){spirv_access_runs(e, args, k), index, ids[NEAR_FIRST], ids[NEAR_COUNT], aligned,
                                   spirv_bool(e, args->inst->op != IR_load)});
}

/* A one for each word that was stored. */
static void emit_marks(struct spirv_emitter *e, const struct spirv_near *near, uint32_t on, uint32_t at)
{
    uint32_t one = spirv_const(e, 1), bytes = spirv_const(e, near->bytes), whole = spirv_bool(e, near->whole),
             place = spirv_op2(e, OP_I_ADD, e->library->t_u32, at, e->near_ids[near - e->nears][NEAR_MASK]);
    char name[NAME];
    snprintf(name, sizeof name, e->options->narrow ? "mask_add%u" : "mask_store%u", near->slot + WINDOW_MASKS);
    spirv_call(e, name, 5, (uint32_t[]){on, place, bytes, whole, one});
}

static void emit_pack(struct spirv_emitter *e, const struct spirv_args *args, const struct ir_access *access, unsigned k,
                      struct spirv_results *r)
{
    enum { MOST_WORDS = 4 };
    const struct spirv_near *near = &e->nears[e->nodes[args->node - e->ssa->nodes].near - 1];
    uint32_t at, on = emit_place(e, args, access, k, &at), words = access->bytes < 4 ? 1 : access->bytes / 4u;
    uint32_t bytes = spirv_const(e, access->bytes), whole = spirv_bool(e, near->whole), zero = spirv_const(e, 0);
    char name[NAME];
    if (args->inst->op == IR_load) {
        snprintf(name, sizeof name, "window_load%u", near->slot);
        uint32_t all =
            spirv_call(e, name, 5, (uint32_t[]){on, at, bytes, whole, spirv_bool(e, (access->flags & IR_AC_SIGNED) != 0)});
        for (uint32_t w = 0; w < words; w++)
            r->id[w][k] = spirv_word_of(e, all, w);
    } else if (args->inst->op == IR_store) {
        uint32_t operand[] = {on, at, bytes, whole, zero, zero, zero, zero};
        for (uint32_t w = 0; w < words; w++)
            operand[MOST_WORDS + w] = spirv_value(e, args->source[4][w], k);
        snprintf(name, sizeof name, "window_store%u", near->slot);
        spirv_call(e, name, sizeof operand / sizeof *operand, operand);
        if (e->options->marks_near)
            emit_marks(e, near, on, at);
    } else {
        bool pair = access->atomic == IR_A_CMPSWAP || access->atomic == IR_A_FCMPSWAP || access->atomic == IR_A_MSKOR ||
                    access->atomic == IR_A_WRAP;
        bool there = !ir_is_none(args->inst->src[4]);
        snprintf(name, sizeof name, "window_atomic%u", near->slot);
        r->id[0][k] =
            spirv_call(e, name, 5,
                       (uint32_t[]){on, at, spirv_const(e, access->atomic), there ? spirv_value(e, args->source[4][0], k) : zero,
                                    there && pair ? spirv_value(e, args->source[4][1], k) : zero});
    }
}

void spirv_emit_near(struct spirv_emitter *e, const struct spirv_args *args, const struct ir_access *access,
                     struct spirv_results *r)
{
    if (e->fast && e->in_step && args->inst->op != IR_load) {
        e->uses_lds = true;
        spirv_call(e, "join_missed", 0, NULL);
    }
    for (unsigned k = 0; k < e->packs; k++)
        emit_pack(e, args, access, k, r);
}
