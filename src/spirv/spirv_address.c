/* Lanes' addresses taken apart: a scalar base and a lane's index, widened and shifted, as compilers add them up in two halves. */
#include "spirv/spirv_emit.h"

/* What a value is where the lane runs. */
uint32_t spirv_seen_through(const struct spirv_emitter *e, uint32_t node)
{
    for (;;) {
        const struct ir_ssa_node *n = &e->ssa->nodes[node];
        const uint32_t *args = ir_ssa_args(e->ssa, n);
        if (n->kind == IR_SSA_MERGE && e->nodes[node].passes)
            node = args[n->arg_count - 2];
        else if (n->kind == IR_SSA_OP && n->results == 1 && e->func->insts[n->inst].op == IR_mov_b32)
            node = args[0];
        else
            return node;
    }
}

/* The operation whose result word this is; NULL: of no such operation. */
static const struct ir_ssa_node *word_of(const struct spirv_emitter *e, uint32_t node, unsigned op, uint32_t word)
{
    const struct ir_ssa_node *n = &e->ssa->nodes[node];
    if (n->kind != IR_SSA_WORD || n->word != word)
        return NULL;
    const struct ir_ssa_node *of = &e->ssa->nodes[ir_ssa_args(e->ssa, n)[0]];
    return of->kind == IR_SSA_OP && e->func->insts[of->inst].op == op ? of : NULL;
}

static bool is_zero(const struct spirv_emitter *e, uint32_t node)
{
    uint32_t value;
    return spirv_is_constant(e, spirv_seen_through(e, node), &value) && !value;
}

static bool is_sign_of(const struct spirv_emitter *e, uint32_t node, uint32_t of)
{
    enum { SIGN_BIT = 31 };
    uint32_t by, sign = spirv_seen_through(e, node);
    const struct ir_ssa_node *n = &e->ssa->nodes[sign];
    return n->kind == IR_SSA_OP && e->func->insts[n->inst].op == IR_shr_i32 &&
           spirv_is_constant(e, ir_ssa_args(e->ssa, n)[1], &by) && by == SIGN_BIT &&
           spirv_seen_through(e, ir_ssa_args(e->ssa, n)[0]) == spirv_seen_through(e, of);
}

/* The widened and shifted index that two words are. */
static bool find_index(const struct spirv_emitter *e, uint32_t low, uint32_t high, struct spirv_address *out)
{
    low = spirv_seen_through(e, low);
    high = spirv_seen_through(e, high);
    const struct ir_ssa_node *shift = word_of(e, low, IR_shl_b64, 0);
    uint32_t by = 0;
    out->scale = 0;
    if (shift && shift == word_of(e, high, IR_shl_b64, 1)) {
        const uint32_t *args = ir_ssa_args(e->ssa, shift);
        if (!spirv_is_constant(e, args[2], &by) || by > 31)
            return false;
        low = spirv_seen_through(e, args[0]);
        high = spirv_seen_through(e, args[1]);
        out->scale = by;
    }
    out->index = low;
    out->is_signed = is_sign_of(e, high, low);
    return out->is_signed || is_zero(e, high);
}

/* The second sum takes over what the first one, which takes nothing, carries: in both words of a long mask. */
static bool carries_on(const struct spirv_emitter *e, const struct ir_ssa_node *sum, const struct ir_ssa_node *more)
{
    enum { CARRY = 2 };
    const uint32_t *from = ir_ssa_args(e->ssa, sum) + CARRY, *to = ir_ssa_args(e->ssa, more) + CARRY;
    unsigned words = ir_src_span(e->func, &e->func->insts[sum->inst], CARRY);
    for (unsigned w = 0; w < (e->alone ? 1 : words); w++)
        if (!is_zero(e, from[w]) || word_of(e, to[w], IR_add_carry_u32, 1 + w) != sum)
            return false;
    return true;
}

static bool find_sum(const struct spirv_emitter *e, uint32_t low, uint32_t high, struct spirv_address *out)
{
    const struct ir_ssa_node *sum = word_of(e, spirv_seen_through(e, low), IR_add_carry_u32, 0);
    const struct ir_ssa_node *more = word_of(e, spirv_seen_through(e, high), IR_add_carry_u32, 0);
    if (!sum || !more)
        return false;
    const uint32_t *l = ir_ssa_args(e->ssa, sum), *h = ir_ssa_args(e->ssa, more);
    if (!carries_on(e, sum, more))
        return false;
    for (unsigned n = 0; n < 2; n++)
        for (unsigned k = 0; k < 2; k++) {
            out->base[0] = l[n];
            out->base[1] = h[k];
            if (!e->ssa->nodes[l[n]].lane && !e->ssa->nodes[h[k]].lane && find_index(e, l[!n], h[!k], out))
                return true;
        }
    return false;
}

/* A lane's offset and nothing else: what the descriptor makes of it is for whoever dispatches to see. */
static bool find_offset(const struct spirv_emitter *e, const struct ir_inst *inst, const uint32_t *args,
                        const struct ir_access *access, struct spirv_address *out)
{
    enum { DESCRIPTOR, INDEX, OFFSET, SCALAR_OFFSET };
    uint32_t at[SCALAR_OFFSET + 1] = {0}, scalar = 0;
    for (unsigned n = 1; n <= SCALAR_OFFSET; n++)
        at[n] = at[n - 1] + (ir_is_none(inst->src[n - 1]) ? 0 : ir_src_span(e->func, inst, n - 1));
    if (!(access->flags & IR_AC_OFFEN) || access->flags & IR_AC_IDXEN || ir_is_none(inst->src[OFFSET]))
        return false;
    if (!ir_is_none(inst->src[SCALAR_OFFSET]) && (!spirv_is_constant(e, args[at[SCALAR_OFFSET]], &scalar) || scalar))
        return false;
    *out = (struct spirv_address){.base = {args[0], args[1]}, .index = args[at[OFFSET]]};
    return true;
}

bool spirv_find_address(const struct spirv_emitter *e, uint32_t node, const struct ir_access *access, struct spirv_address *out)
{
    const struct ir_ssa_node *n = &e->ssa->nodes[node];
    const uint32_t *args = ir_ssa_args(e->ssa, n);
    if (access->space == IR_SPACE_BUFFER)
        return find_offset(e, &e->func->insts[n->inst], args, access, out);
    if (access->space != IR_SPACE_GLOBAL)
        return false;
    if (!(access->flags & IR_AC_SADDR))
        return find_sum(e, args[0], args[1], out);
    const uint32_t *base = args + ir_src_span(e->func, &e->func->insts[n->inst], 0);
    *out = (struct spirv_address){.base = {base[0], base[1]},
                                  .index = args[0],
                                  .scale = access->scale,
                                  .is_signed = (access->flags & IR_AC_SIGNED_LANE) != 0};
    return true;
}
