/* Registers that are reached by number: a choice among all that the wave has, as ids cannot be indexed. A number that wraps around
 * is below the first register that the instruction can mean, and so means none. */
#include "spirv/spirv_emit.h"

enum { SGPRS = 106, PAIR = 1 << 8, HIGH = 1 << 9, BASE = 0xff };

static uint32_t is_number(struct spirv_emitter *e, uint32_t number, unsigned n)
{
    return spirv_op2(e, OP_I_EQUAL, e->library->t_bool, number, spirv_const(e, n));
}

/* The node that holds register n of those that the operation reads unsaid. */
static uint32_t read_node(const struct spirv_args *args, unsigned n)
{
    return args->all[args->old + n];
}

static uint32_t number_of(struct spirv_emitter *e, uint32_t index, uint32_t base)
{
    uint32_t at = spirv_value(e, index, 0);
    return base ? spirv_op2(e, OP_I_ADD, e->library->t_u32, at, spirv_const(e, base)) : at;
}

/* V[imm + index]; V[0] where there is no such register. */
static void emit_read(struct spirv_emitter *e, const struct spirv_args *args, struct spirv_results *r)
{
    uint32_t number = number_of(e, args->source[0][0], args->inst->imm);
    for (unsigned k = 0; k < e->packs; k++)
        r->id[0][k] = spirv_value(e, read_node(args, 0), k);
    for (unsigned n = args->inst->imm ? args->inst->imm : 1; n < e->options->vgprs; n++) {
        uint32_t here = is_number(e, number, n);
        for (unsigned k = 0; k < e->packs; k++)
            r->id[0][k] = spirv_op3(e, OP_SELECT, e->library->t_u32, here, spirv_value(e, read_node(args, n), k), r->id[0][k]);
    }
}

/* S[base + index], S[0] past the last; of a pair, the word that is asked for. */
static void emit_scalar_read(struct spirv_emitter *e, const struct spirv_args *args, struct spirv_results *r)
{
    uint32_t imm = args->inst->imm, base = imm & BASE, word = imm & HIGH ? 1 : 0, last = imm & PAIR ? 1 : 0;
    uint32_t number = number_of(e, args->source[0][0], base);
    uint32_t id = spirv_value(e, read_node(args, word), 0);
    for (unsigned n = base ? base : 1; n + last < SGPRS; n++)
        id =
            spirv_op3(e, OP_SELECT, e->library->t_u32, is_number(e, number, n), spirv_value(e, read_node(args, n + word), 0), id);
    r->id[0][0] = id;
}

/* Result word n of a write is what register n holds afterwards. */
static uint32_t written(struct spirv_emitter *e, const struct spirv_args *args, unsigned n, unsigned pack, uint32_t here)
{
    uint32_t old = spirv_value(e, read_node(args, n), pack);
    return here ? spirv_op3(e, OP_SELECT, e->library->t_u32, here, spirv_value(e, args->source[0][0], pack), old) : old;
}

static void write_vector(struct spirv_emitter *e, const struct spirv_args *args, unsigned n, uint32_t ids[SPIRV_MAX_PACKS])
{
    uint32_t number = number_of(e, args->source[1][0], args->inst->imm);
    bool reachable = n >= args->inst->imm && n < e->options->vgprs;
    uint32_t here = reachable ? is_number(e, number, n) : 0;
    for (unsigned k = 0; k < e->packs; k++) {
        uint32_t runs = here ? spirv_op2(e, OP_LOGICAL_AND, e->library->t_bool, here, spirv_mask_bool(e, args->mask, k)) : 0;
        ids[k] = written(e, args, n, k, runs);
    }
}

static void write_scalar(struct spirv_emitter *e, const struct spirv_args *args, unsigned n, uint32_t ids[SPIRV_MAX_PACKS])
{
    uint32_t imm = args->inst->imm, base = imm & BASE, word = imm & HIGH ? 1 : 0, last = imm & PAIR ? 1 : 0;
    bool reachable = n >= base + word && n - word + last < SGPRS;
    ids[0] = written(e, args, n, 0, reachable ? is_number(e, number_of(e, args->source[1][0], base), n - word) : 0);
}

bool spirv_moves_by_number(const struct ir_inst *inst)
{
    return inst->op == IR_movrels || inst->op == IR_movreld || inst->op == IR_s_movrels || inst->op == IR_s_movreld;
}

void spirv_emit_moves(struct spirv_emitter *e, uint32_t node, const struct spirv_args *args, struct spirv_results *r)
{
    bool vector = args->inst->op == IR_movreld;
    uint32_t ids[SPIRV_MAX_PACKS];
    if (args->inst->op == IR_movrels) {
        emit_read(e, args, r);
    } else if (args->inst->op == IR_s_movrels) {
        emit_scalar_read(e, args, r);
    } else {
        for (uint32_t i = node + 1; i < e->ssa->node_count && e->ssa->nodes[i].block == args->node->block; i++) {
            const struct ir_ssa_node *n = &e->ssa->nodes[i];
            if (n->kind != IR_SSA_WORD || ir_ssa_args(e->ssa, n)[0] != node)
                continue;
            if (vector)
                write_vector(e, args, n->word, ids);
            else
                write_scalar(e, args, n->word, ids);
            spirv_define(e, i, ids);
        }
    }
}
