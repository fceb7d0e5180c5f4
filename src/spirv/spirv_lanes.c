/* Operations across lanes, out of the host's shuffles: lane L is carried by invocation L mod S as its lane number L / S. */
#include "ir/ir_lanes.h"
#include "spirv/spirv_emit.h"

enum { ROW = 16, HALF = 32 };

/* value's word in lane index (an id, a lane number), which lies in packs first .. first + count - 1. */
static uint32_t gather(struct spirv_emitter *e, uint32_t node, uint32_t index, unsigned first, unsigned count)
{
    uint32_t u = e->library->t_u32;
    if (!e->ssa->nodes[node].lane)
        return spirv_value(e, node, 0);
    uint32_t invocation = spirv_op2(e, OP_BITWISE_AND, u, index, spirv_const(e, e->subgroup - 1));
    uint32_t pack = spirv_op2(e, OP_SHIFT_RIGHT_LOGICAL, u, index, spirv_const(e, e->subgroup_log2)), r = 0;
    for (unsigned p = first; p < first + count; p++) {
        uint32_t got = spirv_shuffle(e, spirv_value(e, node, p), invocation);
        uint32_t here = p > first ? spirv_op2(e, OP_I_EQUAL, e->library->t_bool, pack, spirv_const(e, p)) : 0;
        r = r ? spirv_op3(e, OP_SELECT, u, here, got, r) : got;
    }
    return r;
}

/* Whether lane index of EXEC runs. */
static uint32_t runs(struct spirv_emitter *e, const struct spirv_args *args, unsigned pack, uint32_t index)
{
    const uint32_t *exec = &args->all[args->exec];
    uint32_t word = spirv_value(e, exec[e->wide ? 0 : pack / e->half], 0);
    if (e->wide) {
        uint32_t high = spirv_op2(e, OP_U_GREATER_THAN, e->library->t_bool, index, spirv_const(e, HALF - 1));
        word = spirv_op3(e, OP_SELECT, e->library->t_u32, high, spirv_value(e, exec[1], 0), word);
    }
    return spirv_call(e, "bit_of", 2, (uint32_t[]){word, index});
}

static uint32_t both(struct spirv_emitter *e, uint32_t a, uint32_t b)
{
    return !a ? b : !b ? a : spirv_op2(e, OP_LOGICAL_AND, e->library->t_bool, a, b);
}

/* What a pack's lanes read from lane index, 0 where `valid` (0: always) fails. */
static uint32_t read_where(struct spirv_emitter *e, uint32_t node, uint32_t index, unsigned first, unsigned count, uint32_t valid)
{
    uint32_t got = gather(e, node, index, first, count);
    return valid ? spirv_op3(e, OP_SELECT, e->library->t_u32, valid, got, spirv_const(e, 0)) : got;
}

/* Of the lanes that a DPP control writes, whether the pack's is one; 0: all are. */
static uint32_t is_written(struct spirv_emitter *e, const struct ir_inst *inst, unsigned pack)
{
    unsigned half = pack / e->half;
    uint32_t low = ir_dpp_written(inst->imm, half), high = e->wide ? ir_dpp_written(inst->imm, 1) : low;
    if (low == ~0u && high == ~0u)
        return 0;
    uint32_t word = spirv_const(e, low);
    if (e->wide)
        word = spirv_op3(e, OP_SELECT, e->library->t_u32, spirv_in_high_half(e), spirv_const(e, high), word);
    return spirv_call(e, "bit_of", 2, (uint32_t[]){word, e->lane[e->wide ? 0 : pack % e->half]});
}

/* The second result: the lanes that are written. */
static void put_written(struct spirv_emitter *e, const struct spirv_args *args, unsigned pack, uint32_t readable,
                        struct spirv_results *r)
{
    if (args->node->results < 2)
        return;
    uint32_t id = both(e, spirv_mask_bool(e, &args->all[args->exec], pack), readable);
    uint32_t written = args->inst->op == IR_dpp ? is_written(e, args->inst, pack) : 0;
    if (written)
        id = both(e, id, written);
    if (e->wide) {
        uint32_t words[2];
        spirv_ballot_words(e, id, words);
        r->id[1][0] = words[0];
        r->id[2][0] = words[1];
        return;
    }
    r->bools[1 + pack / e->half] = true;
    r->id[1 + pack / e->half][pack % e->half] = id;
}

/* Lane numbers of a row's pattern: source[L mod 16] in L's own row, or the one beside it. */
static uint32_t row_index(struct spirv_emitter *e, unsigned pack, uint32_t low, uint32_t high, bool other)
{
    uint32_t u = e->library->t_u32;
    uint32_t nibble = spirv_call(e, "row_source", 3, (uint32_t[]){low, high, e->lane[pack]});
    uint32_t row = spirv_op2(e, OP_BITWISE_AND, u, e->lane[pack], spirv_const(e, ~(uint32_t)(ROW - 1)));
    if (other)
        row = spirv_op2(e, OP_BITWISE_XOR, u, row, spirv_const(e, ROW));
    return spirv_op2(e, OP_BITWISE_OR, u, row, nibble);
}

static void emit_row(struct spirv_emitter *e, const struct spirv_args *args, struct spirv_results *r)
{
    const struct ir_inst *inst = args->inst;
    bool dpp = inst->op == IR_dpp, lanes16 = inst->op == IR_permlane16, other = lanes16 && inst->imm & IR_PERMLANE_OTHER_ROW;
    struct ir_row row = dpp ? ir_dpp_row(inst->imm & IR_DPP_CTRL) : (struct ir_row){ir_row_dpp8(inst->imm), 0xffff};
    uint32_t fetch = dpp ? IR_DPP_FETCH_INACTIVE : lanes16 ? IR_PERMLANE_FETCH_INACTIVE : IR_DPP8_FETCH_INACTIVE;
    uint32_t bound = dpp ? IR_DPP_BOUND_CTRL : lanes16 ? IR_PERMLANE_BOUND_CTRL : 0;
    uint32_t low = lanes16 ? spirv_value(e, args->source[1][0], 0) : spirv_const(e, (uint32_t)row.source);
    uint32_t high = lanes16 ? spirv_value(e, args->source[2][0], 0) : spirv_const(e, (uint32_t)(row.source >> 32));
    for (unsigned k = 0; k < e->packs; k++) {
        unsigned count = other ? e->half : e->subgroup < ROW ? ROW / e->subgroup : 1, first = k / count * count;
        uint32_t index = row_index(e, k, low, high, other), valid = 0;
        if (row.valid != 0xffff)
            valid = spirv_call(e, "bit_of", 2, (uint32_t[]){spirv_const(e, row.valid * 0x10001u), e->lane[k]});
        if (!(inst->imm & fetch))
            valid = both(e, valid, runs(e, args, k, index));
        r->id[0][k] = read_where(e, args->source[0][0], index, first, count, valid);
        put_written(e, args, k, inst->imm & bound ? 0 : valid, r);
    }
}

/* The first lane of the lane's half, in a wide wave. */
static uint32_t own_half(struct spirv_emitter *e)
{
    return spirv_op2(e, OP_BITWISE_AND, e->library->t_u32, e->lane[0], spirv_const(e, HALF));
}

/* Lanes of the same half by a number each. */
static void emit_pull(struct spirv_emitter *e, const struct spirv_args *args, struct spirv_results *r)
{
    uint32_t u = e->library->t_u32;
    bool swizzle = args->inst->op == IR_ds_swizzle;
    for (unsigned k = 0; k < e->packs; k++) {
        unsigned first = k / e->half * e->half;
        uint32_t within = spirv_op2(e, OP_BITWISE_AND, u, e->lane[k], spirv_const(e, 31)), index;
        if (swizzle) {
            index = spirv_call(e, "swizzle_source", 2, (uint32_t[]){spirv_const(e, args->inst->imm & 0xffff), within});
        } else {
            index = spirv_op2(e, OP_I_ADD, u, spirv_value(e, args->source[0][0], k), spirv_const(e, args->inst->imm));
            index = spirv_op2(e, OP_SHIFT_RIGHT_LOGICAL, u, index, spirv_const(e, 2));
            index = spirv_op2(e, OP_BITWISE_AND, u, index, spirv_const(e, 31));
        }
        if (e->wide)
            index = spirv_op2(e, OP_BITWISE_OR, u, index, own_half(e));
        uint32_t valid = runs(e, args, k, index);
        index = spirv_op2(e, OP_BITWISE_OR, u, index, spirv_const(e, first * e->subgroup));
        r->id[0][k] = read_where(e, args->source[swizzle ? 0 : 1][0], index, first, e->half, valid);
    }
}

/* The lanes push in their order, so that the highest one wins. */
static void emit_push(struct spirv_emitter *e, const struct spirv_args *args, struct spirv_results *r)
{
    uint32_t u = e->library->t_u32, t = e->library->t_bool;
    for (unsigned k = 0; k < e->packs; k++)
        r->id[0][k] = spirv_const(e, 0);
    for (unsigned lane = 0; lane < e->lanes; lane++) {
        unsigned pack = lane / e->subgroup, first = pack / e->half * e->half;
        uint32_t index = spirv_const(e, lane);
        uint32_t to = gather(e, args->source[0][0], index, pack, 1), data = gather(e, args->source[1][0], index, pack, 1);
        to = spirv_op2(e, OP_I_ADD, u, to, spirv_const(e, args->inst->imm));
        to = spirv_op2(e, OP_SHIFT_RIGHT_LOGICAL, u, to, spirv_const(e, 2));
        to = spirv_op2(e, OP_BITWISE_AND, u, to, spirv_const(e, 31));
        if (e->wide)
            to = spirv_op2(e, OP_BITWISE_OR, u, to, spirv_const(e, lane & HALF));
        uint32_t on = runs(e, args, pack, index);
        for (unsigned k = first; k < first + e->half; k++) {
            uint32_t mine = spirv_op2(e, OP_I_EQUAL, t, to, e->lane[k % e->half]);
            r->id[0][k] = spirv_op3(e, OP_SELECT, u, both(e, on, mine), data, r->id[0][k]);
        }
    }
}

/* How many of all lanes lie below: `imm` says whether the mask's high word is meant. */
static uint32_t lanes_below(struct spirv_emitter *e, const struct spirv_args *args)
{
    uint32_t u = e->library->t_u32, high = spirv_in_high_half(e);
    uint32_t within = spirv_op2(e, OP_BITWISE_AND, u, e->lane[0], spirv_const(e, 31));
    bool upper = args->inst->imm != 0;
    return spirv_op3(e, OP_SELECT, u, high, upper ? within : spirv_const(e, HALF), upper ? spirv_const(e, 0) : within);
}

static void count_alone(struct spirv_emitter *e, const struct spirv_args *args, struct spirv_results *r)
{
    r->id[0][0] = spirv_op2(e, OP_I_ADD, e->library->t_u32, lanes_below(e, args), spirv_value(e, args->source[1][0], 0));
}

/* Of the mask's bits, those that belong to lanes below. */
static void count_wide(struct spirv_emitter *e, const struct spirv_args *args, struct spirv_results *r)
{
    uint32_t bits = spirv_call(e, "low_bits", 2, (uint32_t[]){spirv_value(e, args->source[0][0], 0), lanes_below(e, args)});
    r->id[0][0] =
        spirv_call(e, "row_popcount_add_u32", 3, (uint32_t[]){spirv_const(e, 0), bits, spirv_value(e, args->source[1][0], 0)});
}

static void emit_count(struct spirv_emitter *e, const struct spirv_args *args, struct spirv_results *r)
{
    uint32_t u = e->library->t_u32;
    for (unsigned k = 0; k < e->packs; k++) {
        unsigned half = k / e->half;
        uint32_t bits = spirv_value(e, args->source[0][0], k), add = spirv_value(e, args->source[1][0], k), counted;
        if (half == args->inst->imm) {
            uint32_t within = spirv_op2(e, OP_BITWISE_AND, u, e->lane[k], spirv_const(e, 31));
            counted = spirv_op2(e, OP_SHIFT_LEFT_LOGICAL, u, spirv_const(e, 1), within);
            counted = spirv_op2(e, OP_I_SUB, u, counted, spirv_const(e, 1));
        } else {
            counted = spirv_const(e, half > args->inst->imm ? ~0u : 0);
        }
        bits = spirv_op2(e, OP_BITWISE_AND, u, bits, counted);
        r->id[0][k] = spirv_call(e, "row_popcount_add_u32", 3, (uint32_t[]){spirv_const(e, 0), bits, add});
    }
}

static void emit_readlane(struct spirv_emitter *e, const struct spirv_args *args, struct spirv_results *r)
{
    uint32_t u = e->library->t_u32, value, index;
    if (args->inst->op == IR_readfirstlane) {
        uint32_t low = spirv_value(e, args->all[args->exec], 0);
        uint32_t high = e->lanes == 64 ? spirv_value(e, args->all[args->exec + 1], 0) : spirv_const(e, 0);
        index = spirv_call(e, "first_lane", 2, (uint32_t[]){low, high});
    } else if (spirv_is_constant(e, args->source[1][0], &value)) {
        value &= e->lanes - 1;
        r->id[0][0] = gather(e, args->source[0][0], spirv_const(e, value), value / e->subgroup, 1);
        return;
    } else {
        index = spirv_op2(e, OP_BITWISE_AND, u, spirv_value(e, args->source[1][0], 0), spirv_const(e, e->lanes - 1));
    }
    r->id[0][0] = gather(e, args->source[0][0], index, 0, e->packs);
}

static void emit_writelane(struct spirv_emitter *e, const struct spirv_args *args, struct spirv_results *r)
{
    uint32_t u = e->library->t_u32;
    uint32_t index = spirv_op2(e, OP_BITWISE_AND, u, spirv_value(e, args->source[1][0], 0), spirv_const(e, e->lanes - 1));
    for (unsigned k = 0; k < e->packs; k++) {
        uint32_t here = spirv_op2(e, OP_I_EQUAL, e->library->t_bool, e->lane[k], index);
        r->id[0][k] =
            spirv_op3(e, OP_SELECT, u, here, spirv_value(e, args->source[0][0], 0), spirv_value(e, args->all[args->old], k));
    }
}

static void emit_mirror(struct spirv_emitter *e, const struct spirv_args *args, struct spirv_results *r)
{
    if (e->wide) {
        uint32_t u = e->library->t_u32, old = spirv_value(e, args->all[args->old], 0), high = spirv_in_high_half(e);
        uint32_t other = spirv_shuffle(e, old, spirv_op2(e, OP_BITWISE_XOR, u, e->lane[0], spirv_const(e, HALF)));
        bool from_high = args->inst->imm != 0;
        r->id[0][0] = spirv_op3(e, OP_SELECT, u, high, from_high ? old : other, from_high ? other : old);
        return;
    }
    for (unsigned k = 0; k < e->packs; k++) {
        unsigned half = k / e->half, from = k;
        if (e->lanes == 64 && half != args->inst->imm)
            from = args->inst->imm ? k + e->half : k - e->half;
        r->id[0][k] = spirv_value(e, args->all[args->old], from);
    }
}

void spirv_emit_lanes(struct spirv_emitter *e, const struct spirv_args *args, struct spirv_results *r)
{
    switch (args->inst->op) {
    case IR_dpp:
    case IR_dpp8:
    case IR_permlane16: emit_row(e, args, r); break;
    case IR_ds_swizzle:
    case IR_ds_bpermute: emit_pull(e, args, r); break;
    case IR_ds_permute: emit_push(e, args, r); break;
    case IR_mbcnt:
        if (e->alone)
            count_alone(e, args, r);
        else if (e->wide)
            count_wide(e, args, r);
        else
            emit_count(e, args, r);
        break;
    case IR_readlane:
    case IR_readfirstlane: emit_readlane(e, args, r); break;
    case IR_writelane: emit_writelane(e, args, r); break;
    case IR_mirror: emit_mirror(e, args, r); break;
    case IR_lane_id:
        for (unsigned k = 0; k < e->packs; k++)
            r->id[0][k] = e->lane[k];
        break;
    default: spirv_refuse(e, args->inst, "is not carried out by this device"); break;
    }
}
