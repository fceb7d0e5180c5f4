/* Operations of the regular classes, and the irregular ones that look at no other lane. */
#include <stdio.h>
#include <string.h>

#include "spirv/spirv_emit.h"
#include "spirv/spirv_layout.h"

/* Rows that are one instruction of the host's. */
static unsigned direct_opcode(unsigned op)
{
    switch (op) {
    case IR_and_b32: return OP_BITWISE_AND;
    case IR_or_b32: return OP_BITWISE_OR;
    case IR_xor_b32: return OP_BITWISE_XOR;
    case IR_add_u32: return OP_I_ADD;
    case IR_sub_u32: return OP_I_SUB;
    case IR_mul_lo_u32: return OP_I_MUL;
    default: return 0;
    }
}

static bool rounds_to_nearest(unsigned flags, uint32_t mode)
{
    enum { F32_ROUND = 3, F64_ROUND = 3 << 2, F64_DENORMALS = 3 << 6 };
    if (flags & IR_F_FLOAT64)
        return !(mode & F64_ROUND) && (mode & F64_DENORMALS) == F64_DENORMALS;
    return !(mode & F32_ROUND);
}

enum { NAME_SIZE = 64, LONGEST_FORM = sizeof "fused_flushed_", F32_DENORMALS = 3 << 4 };

static bool name_if_there(const struct spirv_emitter *e, const char *prefix, const char *row, size_t size, char *name)
{
    snprintf(name, size, "%s_%s", prefix, row);
    return spirv_library_function(e->library, name) != NULL;
}

/* On a host without 64-bit types, which may lose denormals besides. */
static void name_narrow_row(const struct spirv_emitter *e, const struct ir_op_info *info, bool nearest, bool keeps,
                            char name[NAME_SIZE])
{
    bool lost = keeps && e->options->denormals >= SPIRV_DENORMALS_LOST;
    bool named = (nearest && lost && name_if_there(e, "kept", info->name, NAME_SIZE, name)) ||
                 (nearest && name_if_there(e, "slim", info->name, NAME_SIZE, name)) ||
                 (lost && name_if_there(e, "kept_row", info->name, NAME_SIZE, name)) ||
                 (nearest && !(info->flags & IR_F_FLOAT64) && name_if_there(e, "fast", info->name, NAME_SIZE, name));
    if (!named)
        snprintf(name, NAME_SIZE, "row_%s", info->name);
}

/* What the host's f32 is to a row under its MODE. */
enum form { PLAIN, KEPT, FLUSHED };

/* Of a row's forms, the one for that and, where there is such, for fused products and sums. */
static void name_form(const struct spirv_emitter *e, const char *plain, enum form form, char name[NAME_SIZE])
{
    static const char *const forms[] = {"", "kept", "flushed"}, *const fused[] = {"fused", "fused_kept", "fused_flushed"};
    bool named = (e->options->fused && name_if_there(e, fused[form], plain, NAME_SIZE, name)) ||
                 (form != PLAIN && name_if_there(e, forms[form], plain, NAME_SIZE, name));
    if (!named)
        snprintf(name, NAME_SIZE, "%s", plain);
}

/* The library's function for a row under the MODE that is known here, on this host. */
static void name_row(struct spirv_emitter *e, const struct spirv_args *args, char name[NAME_SIZE])
{
    const struct ir_op_info *info = &ir_ops[args->inst->op];
    uint32_t mode = F32_DENORMALS;
    char plain[NAME_SIZE - LONGEST_FORM];
    bool known = args->mode != IR_SSA_NONE && spirv_is_constant(e, args->all[args->mode], &mode);
    bool nearest = known && rounds_to_nearest(info->flags, mode), keeps = mode & F32_DENORMALS;
    if (e->options->narrow) {
        name_narrow_row(e, info, nearest, keeps, name);
        return;
    }
    if (!nearest || !name_if_there(e, "fast", info->name, sizeof plain, plain))
        snprintf(plain, sizeof plain, "row_%s", info->name);
    bool lost = keeps && e->options->denormals >= SPIRV_DENORMALS_LOST;
    bool alike = known && !keeps && e->options->denormals == SPIRV_DENORMALS_FLUSHED;
    name_form(e, plain, lost ? KEPT : alike ? FLUSHED : PLAIN, name);
}

static uint32_t node_of(const struct spirv_emitter *e, const struct spirv_args *args)
{
    return (uint32_t)(args->node - e->ssa->nodes);
}

/* MODE, with what is known beyond it: whose NaN it is makes no difference, or there are no denormals that could be flushed. */
static uint32_t mode_for(const struct spirv_emitter *e, const struct spirv_args *args, uint32_t mode)
{
    enum { KEEPS_OPERANDS = 1 << 4 };
    const struct ir_op_info *info = &ir_ops[args->inst->op];
    bool flushed = (info->flags & IR_F_FLOAT32) != 0;
    bool seen = e->nodes[node_of(e, args)].nan_seen && !e->any_nan;
    if (info->flags & (IR_F_FLOAT32 | IR_F_APPROX) && args->node->results == 1 && !seen)
        mode |= M_NAN_ANY;
    for (uint32_t k = 0; k < args->node->mask_at; k++)
        flushed &= e->nodes[args->all[k]].flushed;
    if (e->options->alike && info->flags & IR_F_FLOAT32)
        mode |= M_ALIKE;
    return flushed ? mode | KEEPS_OPERANDS : mode;
}

static void push_row(struct spirv_emitter *e, const struct spirv_args *args, unsigned pack, struct spirv_operands *c)
{
    bool is_float = (ir_ops[args->inst->op].flags & (IR_F_FLOAT32 | IR_F_APPROX)) != 0;
    uint32_t mode = 0;
    c->count = 0;
    if (args->mode != IR_SSA_NONE && spirv_is_constant(e, args->all[args->mode], &mode))
        spirv_push(c, spirv_const(e, mode_for(e, args, mode)));
    else
        spirv_push(c, args->mode != IR_SSA_NONE ? spirv_value(e, args->all[args->mode], 0) : spirv_const(e, 0));
    for (unsigned n = 0; n < args->inst->src_count; n++)
        for (unsigned w = 0; w < ir_src_span(e->func, args->inst, n); w++)
            spirv_push(c, spirv_value_as(e, args->source[n][w], pack, is_float));
}

static uint32_t call_row(struct spirv_emitter *e, const struct spirv_args *args, const char *name, unsigned pack)
{
    struct spirv_operands c;
    push_row(e, args, pack, &c);
    return spirv_call(e, name, c.count, c.operand);
}

/* Hosts that lack things also put much code in the place of each call: there what is much code has one call for all packs. */
static bool is_much(const struct spirv_emitter *e, const char *name)
{
    enum { MUCH = 24 };
    const struct spirv_function *f = spirv_library_function(e->library, name);
    return e->options->narrow && f && e->library->inlined[f->id] >= MUCH;
}

/* The operations once more, each with the NaNs of those before it as they should be; last the one that was asked for. */
static uint32_t repeat(struct spirv_emitter *e, const struct spirv_args *args, const char *name, const uint32_t *before,
                       unsigned count)
{
    uint32_t first[SPIRV_NANS_MOST], result;
    for (unsigned n = count; n-- > 0;) {
        const struct spirv_node *own = &e->nodes[before[n]];
        struct spirv_args earlier = spirv_take_args(e, &e->ssa->nodes[before[n]]);
        char row[NAME_SIZE];
        name_row(e, &earlier, row);
        uint32_t id = call_row(e, &earlier, row, 0);
        first[n] = e->pool[own->value];
        e->pool[own->value] = id;
    }
    result = call_row(e, args, name, 0);
    for (unsigned n = 0; n < count; n++)
        e->pool[e->nodes[before[n]].value] = first[n];
    return result;
}

/* The host's result, unless it is a NaN: that may be another one's, from what is only looked at here. */
static uint32_t emit_last(struct spirv_emitter *e, const struct spirv_args *args, const char *name, const uint32_t *before,
                          unsigned count)
{
    e->any_nan = true;
    uint32_t fast = call_row(e, args, name, 0);
    e->any_nan = false;
    if (!e->looked_at)
        e->looked_at = spirv_variable(e, e->p_u32);
    spirv_store(e, e->looked_at, fast);
    spirv_begin_rare(e, spirv_call(e, "nan32", 1, &fast));
    spirv_store(e, e->looked_at, repeat(e, args, name, before, count));
    spirv_end_rare(e);
    return spirv_load(e, e->library->t_u32, e->looked_at);
}

/* A row whose result alone has a second look where it is a NaN. */
static uint32_t emit_row(struct spirv_emitter *e, const struct spirv_args *args, const char *name, unsigned pack)
{
    uint32_t before[SPIRV_NANS_MOST], node = node_of(e, args);
    unsigned count = e->alone && !e->nodes[node].nan_later ? spirv_nans_before(e, node, before) : 0;
    if (count)
        return emit_last(e, args, name, before, count);
    e->any_nan = e->nodes[node].nan_later;
    uint32_t result = call_row(e, args, name, pack);
    e->any_nan = false;
    return result;
}

static void emit_row_of_packs(struct spirv_emitter *e, const struct spirv_args *args, const char *name, struct spirv_results *r)
{
    struct spirv_operands calls[SPIRV_MAX_PACKS];
    for (unsigned k = 0; k < e->packs; k++)
        push_row(e, args, k, &calls[k]);
    spirv_call_packs(e, name, calls, args->node->results, args->node->results == 2, 0, r);
}

static void emit_value(struct spirv_emitter *e, const struct spirv_args *args, struct spirv_results *r)
{
    unsigned direct = direct_opcode(args->inst->op), packs = ir_is_lane(args->inst->dst[0]) ? e->packs : 1;
    char name[NAME_SIZE];
    name_row(e, args, name);
    if (packs > 1 && is_much(e, name)) {
        emit_row_of_packs(e, args, name, r);
        return;
    }
    for (unsigned k = 0; k < packs; k++) {
        if (args->inst->op == IR_mov_b32) {
            r->id[0][k] = spirv_value(e, args->source[0][0], k);
        } else if (direct) {
            r->id[0][k] = spirv_op2(e, direct, e->library->t_u32, spirv_value(e, args->source[0][0], k),
                                    spirv_value(e, args->source[1][0], k));
        } else if (args->node->results == 2) {
            uint32_t pair = call_row(e, args, name, k);
            r->id[0][k] = spirv_word_of(e, pair, 0);
            r->id[1][k] = spirv_word_of(e, pair, 1);
        } else {
            r->id[0][k] = emit_row(e, args, name, k);
        }
    }
}

/* Operations on masks, in booleans. */
static uint32_t combine(struct spirv_emitter *e, unsigned op, uint32_t a, uint32_t b)
{
    uint32_t t = e->library->t_bool;
    switch (op) {
    case IR_mov_b32:
    case IR_mov_b64: return a;
    case IR_not_b32:
    case IR_not_b64: return spirv_op1(e, OP_LOGICAL_NOT, t, a);
    case IR_and_b32:
    case IR_and_b64: return spirv_op2(e, OP_LOGICAL_AND, t, a, b);
    case IR_or_b32:
    case IR_or_b64: return spirv_op2(e, OP_LOGICAL_OR, t, a, b);
    case IR_xor_b32:
    case IR_xor_b64: return spirv_op2(e, OP_LOGICAL_NOT_EQUAL, t, a, b);
    case IR_andn2_b32:
    case IR_andn2_b64: return spirv_op2(e, OP_LOGICAL_AND, t, a, spirv_op1(e, OP_LOGICAL_NOT, t, b));
    case IR_orn2_b32:
    case IR_orn2_b64: return spirv_op2(e, OP_LOGICAL_OR, t, a, spirv_op1(e, OP_LOGICAL_NOT, t, b));
    case IR_nand_b32:
    case IR_nand_b64: return spirv_op1(e, OP_LOGICAL_NOT, t, spirv_op2(e, OP_LOGICAL_AND, t, a, b));
    case IR_nor_b32:
    case IR_nor_b64: return spirv_op1(e, OP_LOGICAL_NOT, t, spirv_op2(e, OP_LOGICAL_OR, t, a, b));
    default: return spirv_op2(e, OP_LOGICAL_EQUAL, t, a, b); /* xnor */
    }
}

static void emit_mask_word(struct spirv_emitter *e, const struct spirv_args *args, unsigned word, struct spirv_results *r)
{
    r->bools[word] = true;
    if (spirv_is_splat(e, args->node)) {
        uint32_t is_set = spirv_is_set(e, args->source[0][0]);
        uint32_t id = spirv_op3(e, OP_SELECT, e->library->t_bool, is_set, spirv_node_bool(e, args->source[1][word], 0),
                                spirv_node_bool(e, args->source[2][word], 0));
        for (unsigned n = 0; n < e->half; n++)
            r->id[word][n] = id;
        return;
    }
    for (unsigned n = 0; n < e->half; n++) {
        uint32_t a = spirv_node_bool(e, args->source[0][word], n);
        uint32_t b = args->inst->src_count > 1 ? spirv_node_bool(e, args->source[1][word], n) : 0;
        r->id[word][n] = combine(e, args->inst->op, a, b);
    }
}

/* Booleans of all packs as the words of a mask, from result word first on. */
static void put_mask(struct spirv_emitter *e, const uint32_t *bools, unsigned first, struct spirv_results *r)
{
    if (e->wide) {
        uint32_t words[2];
        spirv_ballot_words(e, bools[0], words);
        r->id[first][0] = words[0];
        r->id[first + 1][0] = words[1];
        return;
    }
    for (unsigned k = 0; k < e->packs; k++) {
        r->bools[first + k / e->half] = true;
        r->id[first + k / e->half][k % e->half] = bools[k];
    }
    if (e->alone && e->lanes == 64) {
        r->bools[first + 1] = true;
        r->id[first + 1][0] = bools[0];
    }
}

/* The result, or a word of it. */
static bool is_taken_out(const struct spirv_emitter *e, const struct ir_ssa_node *op)
{
    uint32_t node = (uint32_t)(op - e->ssa->nodes);
    bool out = e->nodes[node].taken_out;
    for (uint32_t i = node + 1; op->results > 1 && i < e->ssa->node_count && e->ssa->nodes[i].block == op->block; i++)
        if (e->ssa->nodes[i].kind == IR_SSA_WORD && ir_ssa_args(e->ssa, &e->ssa->nodes[i])[0] == node)
            out |= e->nodes[i].taken_out;
    return out;
}

static void emit_compare(struct spirv_emitter *e, const struct spirv_args *args, struct spirv_results *r)
{
    uint32_t bools[SPIRV_MAX_PACKS];
    char name[NAME_SIZE];
    name_row(e, args, name);
    if (!args->inst->lane) {
        r->id[0][0] =
            spirv_op3(e, OP_SELECT, e->library->t_u32, call_row(e, args, name, 0), spirv_const(e, 1), spirv_const(e, 0));
        return;
    }
    bool certain = e->alone && !is_taken_out(e, args->node) && spirv_runs_for_certain(e, args->node->block, args->mask[0]);
    for (unsigned k = 0; k < e->packs; k++) {
        bools[k] = call_row(e, args, name, k);
        if (!certain)
            bools[k] = spirv_op2(e, OP_LOGICAL_AND, e->library->t_bool, bools[k], spirv_mask_bool(e, args->mask, k));
    }
    put_mask(e, bools, 0, r);
}

static void emit_select(struct spirv_emitter *e, const struct spirv_args *args, struct spirv_results *r)
{
    for (unsigned k = 0; k < e->packs; k++)
        r->id[0][k] = spirv_op3(e, OP_SELECT, e->library->t_u32, spirv_mask_bool(e, args->source[0], k),
                                spirv_value_as(e, args->source[2][0], k, e->nodes[node_of(e, args)].is_float),
                                spirv_value_as(e, args->source[1][0], k, e->nodes[node_of(e, args)].is_float));
}

/* a + b + carry, or a - b - borrow, with the carry of the lanes that run. */
static void emit_carry(struct spirv_emitter *e, const struct spirv_args *args, struct spirv_results *r)
{
    uint32_t u = e->library->t_u32, t = e->library->t_bool, bools[SPIRV_MAX_PACKS];
    bool add = args->inst->op == IR_add_carry_u32;
    unsigned opcode = add ? OP_I_ADD : OP_I_SUB;
    for (unsigned k = 0; k < e->packs; k++) {
        uint32_t a = spirv_value(e, args->source[0][0], k), b = spirv_value(e, args->source[1][0], k);
        uint32_t in = spirv_op3(e, OP_SELECT, u, spirv_mask_bool(e, args->source[2], k), spirv_const(e, 1), spirv_const(e, 0));
        uint32_t part = spirv_op2(e, opcode, u, a, b), whole = spirv_op2(e, opcode, u, part, in);
        uint32_t first = add ? spirv_op2(e, OP_U_LESS_THAN, t, part, a) : spirv_op2(e, OP_U_LESS_THAN, t, a, b);
        uint32_t second = add ? spirv_op2(e, OP_U_LESS_THAN, t, whole, part) : spirv_op2(e, OP_U_LESS_THAN, t, part, in);
        r->id[0][k] = whole;
        bools[k] =
            spirv_op2(e, OP_LOGICAL_AND, t, spirv_op2(e, OP_LOGICAL_OR, t, first, second), spirv_mask_bool(e, args->mask, k));
    }
    put_mask(e, bools, 1, r);
}

static void emit_mad64(struct spirv_emitter *e, const struct spirv_args *args, struct spirv_results *r)
{
    uint32_t bools[SPIRV_MAX_PACKS], t = e->library->t_bool;
    for (unsigned k = 0; k < e->packs; k++) {
        uint32_t operand[4] = {spirv_value(e, args->source[0][0], k), spirv_value(e, args->source[1][0], k),
                               spirv_value(e, args->source[2][0], k), spirv_value(e, args->source[2][1], k)};
        uint32_t all = spirv_call(e, args->inst->op == IR_mad_u64_u32 ? "mad_unsigned" : "mad_signed", 4, operand);
        r->id[0][k] = spirv_word_of(e, all, 0);
        r->id[1][k] = spirv_word_of(e, all, 1);
        uint32_t carry = spirv_op2(e, OP_I_NOT_EQUAL, t, spirv_word_of(e, all, 2), spirv_const(e, 0));
        bools[k] = spirv_op2(e, OP_LOGICAL_AND, t, carry, spirv_mask_bool(e, args->mask, k));
    }
    put_mask(e, bools, 2, r);
}

static void emit_barrier(struct spirv_emitter *e, const struct spirv_args *args)
{
    enum { DEVICE = 1, WORKGROUP = 2, ACQUIRE_RELEASE = 8, UNIFORM = 0x40, SHARED = 0x100 };
    uint32_t semantics = spirv_const(e, ACQUIRE_RELEASE | UNIFORM | SHARED);
    if (args->inst->op == IR_barrier) {
        uint32_t group = spirv_const(e, WORKGROUP);
        spirv_put_op(&e->body, OP_CONTROL_BARRIER, 3, (uint32_t[]){group, group, semantics});
    } else {
        spirv_put_op(&e->body, OP_MEMORY_BARRIER, 2, (uint32_t[]){spirv_const(e, DEVICE), semantics});
    }
}

static void emit_irregular(struct spirv_emitter *e, const struct spirv_args *args, struct spirv_results *r)
{
    switch (args->inst->op) {
    case IR_select_b32: emit_select(e, args, r); break;
    case IR_add_carry_u32:
    case IR_sub_borrow_u32: emit_carry(e, args, r); break;
    case IR_mad_u64_u32:
    case IR_mad_i64_i32: emit_mad64(e, args, r); break;
    case IR_set_mode: r->id[0][0] = spirv_value(e, args->source[0][0], 0); break;
    case IR_barrier:
        if (e->options->waves > 1 || e->alone)
            emit_barrier(e, args);
        break;
    case IR_store_wait:
        if (e->options->few_rounds) /* see spirv_called */
            spirv_call(e, "order_stores", 0, NULL);
        else
            emit_barrier(e, args);
        break;
    case IR_sleep: /* who waits is refused (spirv_waits.c) */
    case IR_mark: break;
    default: spirv_emit_lanes(e, args, r); break;
    }
}

struct spirv_args spirv_take_args(const struct spirv_emitter *e, const struct ir_ssa_node *node)
{
    const uint32_t *all = ir_ssa_args(e->ssa, node);
    struct spirv_args args = {.inst = &e->func->insts[node->inst],
                              .node = node,
                              .all = all,
                              .mode = IR_SSA_NONE,
                              .exec = IR_SSA_NONE,
                              .m0 = IR_SSA_NONE,
                              .scratch = IR_SSA_NONE,
                              .old = IR_SSA_NONE};
    const struct ir_op_info *info = &ir_ops[args.inst->op];
    uint32_t at = 0;
    for (unsigned n = 0; n < args.inst->src_count; n++) {
        args.source[n] = all + at;
        at += ir_src_span(e->func, args.inst, n);
    }
    args.mask = node->unsaid_at > node->mask_at ? all + node->mask_at : NULL;
    at = node->unsaid_at;
    bool memory = info->class == IR_C_MEMORY;
    if ((info->flags & (IR_F_FLOAT32 | IR_F_FLOAT64 | IR_F_APPROX)) || memory)
        args.mode = at++;
    if (info->class == IR_C_IRREGULAR || memory) {
        args.exec = at;
        at += ir_mask_span(e->func);
        args.m0 = at++;
    }
    if (memory) {
        args.scratch = at;
        at += 2;
    }
    args.old = at;
    return args;
}

static bool makes_mask(const struct spirv_emitter *e, uint32_t node)
{
    const struct ir_ssa_node *n = &e->ssa->nodes[node];
    if (n->results == 1)
        return e->nodes[node].is_mask;
    for (uint32_t i = node + 1; i < e->ssa->node_count && e->ssa->nodes[i].block == n->block; i++)
        if (e->ssa->nodes[i].kind == IR_SSA_WORD && ir_ssa_args(e->ssa, &e->ssa->nodes[i])[0] == node && e->nodes[i].is_mask)
            return true;
    return false;
}

/* A result word becomes the node that stands for it. */
static void define_word(struct spirv_emitter *e, uint32_t node, unsigned word, const struct spirv_results *r)
{
    bool lane = e->ssa->nodes[node].lane;
    if (!r->bools[word]) {
        if (!r->id[word][0] && !*e->reason)
            snprintf(e->reason, SPIRV_REASON_SIZE, "an operation leaves a result open");
        spirv_define(e, node, r->id[word]);
    } else if (e->nodes[node].is_mask || !lane) {
        spirv_define_bools(e, node, r->id[word]);
        if (!e->nodes[node].is_mask) { /* as a word, by way of its booleans */
            e->nodes[node].is_mask = true;
            uint32_t id = spirv_value(e, node, 0);
            e->nodes[node].is_mask = false;
            spirv_define(e, node, &id);
        }
    }
}

void spirv_emit_op(struct spirv_emitter *e, uint32_t node)
{
    const struct ir_ssa_node *n = &e->ssa->nodes[node];
    struct spirv_args args = spirv_take_args(e, n);
    const struct ir_op_info *info = &ir_ops[args.inst->op];
    struct spirv_results r;
    memset(&r, 0, sizeof r);
    e->approximate += (info->flags & IR_F_APPROX) != 0;
    e->exact += !(info->flags & IR_F_APPROX);
    if (spirv_moves_by_number(args.inst)) {
        spirv_emit_moves(e, node, &args, &r);
        if (r.id[0][0])
            define_word(e, node, 0, &r);
        return;
    }
    bool mask = info->class == IR_C_VALUE && !ir_is_lane(args.inst->dst[0]) && makes_mask(e, node);
    if (mask)
        for (unsigned w = 0; w < n->results; w++)
            emit_mask_word(e, &args, w, &r);
    else if (info->class == IR_C_VALUE)
        emit_value(e, &args, &r);
    else if (info->class == IR_C_COMPARE)
        emit_compare(e, &args, &r);
    else if (args.inst->op == IR_image)
        spirv_emit_image(e, &args, &r);
    else if (info->class == IR_C_MEMORY)
        spirv_emit_memory(e, &args, &r);
    else
        emit_irregular(e, &args, &r);
    if (*e->reason)
        return;
    if (n->results == 1) {
        define_word(e, node, 0, &r);
        return;
    }
    for (uint32_t i = node + 1; i < e->ssa->node_count && e->ssa->nodes[i].block == n->block; i++)
        if (e->ssa->nodes[i].kind == IR_SSA_WORD && ir_ssa_args(e->ssa, &e->ssa->nodes[i])[0] == node)
            define_word(e, i, e->ssa->nodes[i].word, &r);
}
