/* Scratch, lanes' own memory: where all of it is reached by one base that the program's first block knows, as compilers have it, the run of
 * memory that the base is in is looked for once, and no access searches. One that leaves that run is told, and the dispatch is none for
 * such a module. Programs of any kind are smaller by their searches, and by the rounds of loops that those take. */
#include "spirv/spirv_emit.h"

enum { WORD = 4, WORDS = 4 };

/* Its value is known when the first block has been gone through. */
static bool comes_first(const struct spirv_emitter *e, uint32_t node)
{
    const struct ir_ssa_node *n = &e->ssa->nodes[node];
    return !n->lane && (n->kind == IR_SSA_CONST || n->kind == IR_SSA_ENTRY || n->block == e->ssa->entry);
}

static bool is_plain(const struct ir_inst *inst, const struct ir_access *access)
{
    enum { OTHERS = IR_AC_FORMAT | IR_AC_LDS_DMA | IR_AC_ADDTID | IR_AC_TFE | IR_AC_SRC2 };
    return inst->op != IR_atomic && !(access->flags & OTHERS) && access->elements == 1 && access->bytes <= WORDS * WORD;
}

void spirv_find_own(struct spirv_emitter *e)
{
    bool any = false, all = !e->options->registers;
    for (uint32_t i = 0; all && i < e->ssa->node_count; i++) {
        const struct ir_ssa_node *n = &e->ssa->nodes[i];
        const struct ir_inst *inst = n->kind == IR_SSA_OP ? &e->func->insts[n->inst] : NULL;
        const struct ir_access *access = inst ? ir_inst_access(e->func, inst) : NULL;
        if (!access || access->space != IR_SPACE_SCRATCH || !e->ssa->blocks[n->block].reachable)
            continue;
        struct spirv_args args = spirv_take_args(e, n);
        const uint32_t *base = args.all + args.scratch;
        for (unsigned w = 0; w < 2; w++) {
            all = all && comes_first(e, base[w]) && (!any || base[w] == e->own_base[w]);
            e->own_base[w] = base[w];
        }
        all = all && args.mask && is_plain(inst, access);
        any = true;
    }
    e->own = any && all;
}

void spirv_place_own(struct spirv_emitter *e, uint32_t block, uint32_t node)
{
    if (!e->own || block != e->ssa->entry)
        return;
    const struct ir_ssa_block *b = &e->ssa->blocks[block];
    uint32_t last = IR_SSA_NONE; /* of the base's words, the one that is made last here */
    for (unsigned w = 0; w < 2; w++)
        if (e->own_base[w] >= b->first && e->own_base[w] < b->first + b->count && (last == IR_SSA_NONE || e->own_base[w] > last))
            last = e->own_base[w];
    if (node == last)
        spirv_call(e, "own_find", 2, (uint32_t[]){spirv_value(e, e->own_base[0], 0), spirv_value(e, e->own_base[1], 0)});
}

/* The lane's byte offset; aligned: it is a multiple of four. */
static uint32_t offset_of(struct spirv_emitter *e, const struct spirv_args *args, const struct ir_access *access, unsigned k,
                          bool *aligned)
{
    uint32_t offset = spirv_const(e, (uint32_t)access->offset);
    *aligned = access->offset % WORD == 0;
    for (unsigned n = 0; n < 2; n++)
        if (!ir_is_none(args->inst->src[n])) {
            offset = spirv_add(e, offset, spirv_value(e, args->source[n][0], n ? 0 : k));
            *aligned = *aligned && e->nodes[args->source[n][0]].aligned;
        }
    return offset;
}

void spirv_emit_own(struct spirv_emitter *e, const struct spirv_args *args, const struct ir_access *access,
                    struct spirv_results *r)
{
    unsigned words = access->bytes < WORD ? 1 : access->bytes / WORD;
    for (unsigned k = 0; k < e->packs; k++) {
        bool aligned;
        uint32_t offset = offset_of(e, args, access, k, &aligned), on = spirv_access_runs(e, args, k);
        uint32_t lanes = spirv_const(e, e->lanes), bytes = spirv_const(e, access->bytes), whole = spirv_bool(e, aligned);
        if (args->inst->op == IR_load) {
            uint32_t is_signed = spirv_bool(e, (access->flags & IR_AC_SIGNED) != 0);
            uint32_t all = spirv_call(e, "own_load", 7, (uint32_t[]){on, offset, lanes, bytes, is_signed, whole, e->lane[k]});
            for (unsigned w = 0; w < words; w++)
                r->id[w][k] = spirv_word_of(e, all, w);
            continue;
        }
        uint32_t data[WORDS];
        for (unsigned w = 0; w < WORDS; w++)
            data[w] = w < words ? spirv_value(e, args->source[4][w], k) : spirv_const(e, 0);
        if (access->flags & IR_AC_D16_HI)
            data[0] = spirv_op2(e, OP_SHIFT_RIGHT_LOGICAL, e->library->t_u32, data[0], spirv_const(e, 16));
        spirv_call(e, "own_store", 10,
                   (uint32_t[]){on, offset, lanes, bytes, whole, data[0], data[1], data[2], data[3], e->lane[k]});
    }
}
