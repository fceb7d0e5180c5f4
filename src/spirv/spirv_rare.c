/* Memory operations of forms that few programs have: scalar writes, pairs of atomics and atomics with an operand in the local share, loads that
 * tell whether memory was there or that go to the local share, counters. */
#include "spirv/spirv_emit.h"

enum { WORD = 4, MOST_WORDS = 4, SUBGROUP_SCOPE = 3, M0_ADDRESS = 0xffff };
enum { APPEND_OFFSET = 0xffff, APPEND_GDS = 1 << 16, APPEND_CONSUME = 1 << 17 }; /* of ds_append's imm (ir_ops.def) */

/* M0's low half. */
static uint32_t share_base(struct spirv_emitter *e, const struct spirv_args *args, uint32_t offset)
{
    uint32_t u = e->library->t_u32;
    uint32_t base = spirv_op2(e, OP_BITWISE_AND, u, spirv_value(e, args->all[args->m0], 0), spirv_const(e, M0_ADDRESS));
    return spirv_add(e, base, spirv_const(e, offset));
}

static uint32_t lane_words(struct spirv_emitter *e, unsigned pack)
{
    return spirv_op2(e, OP_SHIFT_LEFT_LOGICAL, e->library->t_u32, e->lane[pack], spirv_const(e, 2));
}

uint32_t spirv_share_by_lane(struct spirv_emitter *e, const struct spirv_args *args, uint32_t offset, unsigned pack)
{
    return spirv_add(e, share_base(e, args, offset), lane_words(e, pack));
}

uint32_t spirv_keeps_denormals(struct spirv_emitter *e, const struct spirv_args *args, unsigned bytes)
{
    uint32_t bit = bytes == 8 ? 1 << 6 : 1 << 4, mode;
    if (spirv_is_constant(e, args->all[args->mode], &mode))
        return spirv_bool(e, mode & bit);
    mode = spirv_op2(e, OP_BITWISE_AND, e->library->t_u32, spirv_value(e, args->all[args->mode], 0), spirv_const(e, bit));
    return spirv_op2(e, OP_I_NOT_EQUAL, e->library->t_bool, mode, spirv_const(e, 0));
}

uint32_t spirv_atomic_code(struct spirv_emitter *e, const struct ir_access *access)
{
    bool loses = access->atomic == IR_A_FADD && e->options->denormals >= SPIRV_DENORMALS_LOST;
    return spirv_const(e, loses ? A_FADD_KEPT : access->atomic);
}

bool spirv_needs_lock(const struct ir_func *func)
{
    for (uint32_t i = 0; i < func->inst_count; i++) {
        const struct ir_access *access = ir_inst_access(func, &func->insts[i]);
        if (access && func->insts[i].op == IR_atomic && access->bytes == 8 &&
            (access->space == IR_SPACE_LDS || access->space == IR_SPACE_FLAT))
            return true;
    }
    return false;
}

void spirv_call_told(struct spirv_emitter *e, const char *name, const struct spirv_operands *calls, unsigned words,
                     struct spirv_results *r)
{
    for (unsigned k = 0; k < e->packs; k++) {
        spirv_call(e, "begin_told", 0, NULL);
        uint32_t all = spirv_call(e, name, calls[k].count, calls[k].operand);
        for (unsigned w = 0; w < words; w++)
            r->id[w][k] = spirv_word_of(e, all, w);
        r->id[words][k] = spirv_call(e, "told", 0, NULL);
    }
}

void spirv_emit_to_share(struct spirv_emitter *e, const struct spirv_args *args, const struct ir_access *access,
                         const struct spirv_results *r)
{
    struct spirv_operands calls[SPIRV_MAX_PACKS];
    uint32_t zero = spirv_const(e, 0), site = spirv_const(e, spirv_site(e, args->inst->pc));
    e->uses_lds = true;
    for (unsigned k = 0; k < e->packs; k++)
        calls[k] = (struct spirv_operands){.count = 11,
                                           .operand = {spirv_access_runs(e, args, k),
                                                       spirv_share_by_lane(e, args, (uint32_t)access->offset, k),
                                                       spirv_const(e, WORD), r->id[0][k], zero, zero, zero, site, e->lane[k],
                                                       spirv_bool(e, false), spirv_const(e, SHARE_REPORTS)}};
    spirv_call_packs(e, "lds_store", calls, 0, true, 0, NULL);
}

/* What one invocation does for the wave is there for all. */
static void meet(struct spirv_emitter *e)
{
    enum { DEVICE = 1, ACQUIRE_RELEASE = 8, UNIFORM = 0x40 };
    uint32_t scope = spirv_const(e, DEVICE), semantics = spirv_const(e, ACQUIRE_RELEASE | UNIFORM);
    if (e->options->few_rounds) /* see spirv_called */
        spirv_call(e, "order_stores", 0, NULL);
    else if (e->paired) /* the other wave need not come by */
        spirv_put_op(&e->body, OP_MEMORY_BARRIER, 2, (uint32_t[]){scope, semantics});
    else
        spirv_put_op(&e->body, OP_CONTROL_BARRIER, 3, (uint32_t[]){spirv_const(e, SUBGROUP_SCOPE), scope, semantics});
}

static uint32_t is_first(struct spirv_emitter *e)
{
    return spirv_op2(e, OP_I_EQUAL, e->library->t_bool, e->lane[0], spirv_const(e, 0));
}

static void push_scalar_place(struct spirv_emitter *e, const struct spirv_args *args, const struct ir_access *access,
                              struct spirv_operands *c)
{
    spirv_push(c, is_first(e));
    for (unsigned n = 0; n < (access->space == IR_SPACE_SBUFFER ? 4 : 2); n++)
        spirv_push(c, spirv_value(e, args->source[0][n], 0));
    spirv_push(c, ir_is_none(args->inst->src[1]) ? spirv_const(e, 0) : spirv_value(e, args->source[1][0], 0));
    spirv_push(c, spirv_const(e, (uint32_t)access->offset));
}

static void scalar_store(struct spirv_emitter *e, const struct spirv_args *args, const struct ir_access *access)
{
    struct spirv_operands c = {.count = 0};
    push_scalar_place(e, args, access, &c);
    spirv_push(&c, spirv_const(e, access->bytes));
    for (unsigned w = 0; w < MOST_WORDS; w++)
        spirv_push(&c, w < access->bytes / WORD ? spirv_value(e, args->source[4][w], 0) : spirv_const(e, 0));
    spirv_push(&c, spirv_const(e, spirv_site(e, args->inst->pc)));
    spirv_push_slot(e, args, &c);
    spirv_call(e, access->space == IR_SPACE_SBUFFER ? "sbuffer_store" : "scalar_store", c.count, c.operand);
}

static void scalar_atomic(struct spirv_emitter *e, const struct spirv_args *args, const struct ir_access *access,
                          struct spirv_results *r)
{
    static const char *const names[2][2] = {{"scalar_atomic32", "scalar_atomic64"}, {"sbuffer_atomic32", "sbuffer_atomic64"}};
    unsigned words = access->bytes / WORD, count = access->atomic == IR_A_CMPSWAP ? 2 : 1;
    struct spirv_operands c = {.count = 0};
    push_scalar_place(e, args, access, &c);
    spirv_push(&c, spirv_const(e, access->atomic));
    for (unsigned w = 0; w < 2 * words; w++)
        spirv_push(&c, w < count * words ? spirv_value(e, args->source[4][w], 0) : spirv_const(e, 0));
    spirv_push(&c, spirv_const(e, spirv_site(e, args->inst->pc)));
    spirv_push_slot(e, args, &c);
    uint32_t old = spirv_call(e, names[access->space == IR_SPACE_SBUFFER][words > 1], c.count, c.operand);
    for (unsigned w = 0; w < words; w++)
        r->id[w][0] = spirv_told_by(e, words > 1 ? spirv_word_of(e, old, w) : old, 0);
}

void spirv_emit_scalar_write(struct spirv_emitter *e, const struct spirv_args *args, const struct ir_access *access,
                             struct spirv_results *r)
{
    meet(e);
    if (args->inst->op == IR_store)
        scalar_store(e, args, access);
    else
        scalar_atomic(e, args, access, r);
    meet(e);
}

void spirv_emit_swaps(struct spirv_emitter *e, const struct spirv_args *args, const struct ir_access *access,
                      struct spirv_results *r)
{
    struct spirv_operands calls[SPIRV_MAX_PACKS];
    unsigned words = access->bytes / WORD;
    uint32_t site = spirv_const(e, spirv_site(e, args->inst->pc));
    e->uses_lds = true;
    for (unsigned k = 0; k < e->packs; k++) {
        struct spirv_operands *c = &calls[k];
        uint32_t address = spirv_value(e, args->source[0][0], k);
        c->count = 0;
        spirv_push(c, spirv_access_runs(e, args, k));
        spirv_push(c, spirv_add(e, address, spirv_const(e, (uint32_t)access->offset)));
        spirv_push(c, spirv_add(e, address, spirv_const(e, (uint32_t)access->offset1)));
        for (unsigned n = 4; n <= 5; n++)
            for (unsigned w = 0; w < words; w++)
                spirv_push(c, spirv_value(e, args->source[n][w], k));
        spirv_push(c, site);
        spirv_push(c, e->lane[k]);
    }
    spirv_call_packs(e, words > 1 ? "lds_swap64" : "lds_swap32", calls, 2 * words, true, 0, r);
}

void spirv_emit_operand_atomic(struct spirv_emitter *e, const struct spirv_args *args, const struct ir_access *access,
                               struct spirv_results *r)
{
    struct spirv_operands calls[SPIRV_MAX_PACKS];
    uint32_t site = spirv_const(e, spirv_site(e, args->inst->pc)), keep = spirv_keeps_denormals(e, args, access->bytes);
    bool wide = access->bytes == 8;
    e->uses_lds = true;
    for (unsigned k = 0; k < e->packs; k++)
        calls[k] = (struct spirv_operands){.count = 7,
                                           .operand = {spirv_access_runs(e, args, k), spirv_value(e, args->source[0][0], k),
                                                       spirv_const(e, (uint32_t)access->offset), spirv_atomic_code(e, access),
                                                       keep, site, e->lane[k]}};
    spirv_call_packs(e, wide ? "lds_operand64" : "lds_operand32", calls, access->bytes / WORD, wide, 0, r);
}

void spirv_emit_append(struct spirv_emitter *e, const struct spirv_args *args, struct spirv_results *r)
{
    uint32_t imm = args->inst->imm, count = 0, zero = spirv_const(e, 0);
    bool gds = imm & APPEND_GDS;
    e->uses_lds |= !gds;
    e->uses_gds |= gds;
    for (unsigned n = 0; n < e->lanes / 32; n++) {
        uint32_t bits = spirv_call(e, "row_popcount_b32", 2, (uint32_t[]){zero, spirv_value(e, args->mask[n], 0)});
        count = n ? spirv_add(e, count, bits) : bits;
    }
    uint32_t some = spirv_op2(e, OP_I_NOT_EQUAL, e->library->t_bool, count, zero);
    uint32_t on = spirv_op2(e, OP_LOGICAL_AND, e->library->t_bool, is_first(e), some);
    uint32_t old = spirv_call(e, gds ? "gds_append" : "lds_append", 5,
                              (uint32_t[]){on, share_base(e, args, imm & APPEND_OFFSET), count,
                                           spirv_bool(e, imm & APPEND_CONSUME), spirv_const(e, spirv_site(e, args->inst->pc))});
    old = spirv_told_by(e, old, 0);
    for (unsigned k = 0; k < e->packs; k++)
        r->id[0][k] = old;
}
