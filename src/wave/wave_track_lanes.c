/* Knowledge of irregular operations: selects, carries, operations across lanes, relative registers, the wave's state. */
#include <string.h>

#include "ir/ir_lanes.h"
#include "wave/wave_track_internal.h"

static const uint64_t all = ~(uint64_t)0;

/* A mask operand that is no destination's mask: a slot, a pair, or a constant. */
static struct track_lanes source_mask(const struct track *t, ir_ref r)
{
    uint64_t constant;
    if (!ir_const_value(t->func, r, &constant))
        return track_mask(t, r);
    return (struct track_lanes){constant & t->lanes, constant & t->lanes};
}

static void set_mask_word(struct track *t, ir_ref dst, uint64_t known)
{
    if (ir_is_none(dst))
        return;
    track_set_word(t, dst, 0, (uint32_t)known);
    if (t->func->wave_size == 64)
        track_set_word(t, dst, 1, (uint32_t)(known >> 32));
}

/* Lanes in which two known sources hold the same. */
static uint64_t equal_lanes(const struct track *t, ir_ref x, ir_ref y, uint64_t lanes)
{
    uint64_t equal = 0;
    for (; lanes; lanes &= lanes - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(lanes);
        if (track_value(t, x, 1, lane) == track_value(t, y, 1, lane))
            equal |= (uint64_t)1 << lane;
    }
    return equal;
}

static void track_select(struct track *t, const struct ir_inst *inst, const struct wave_op *op)
{
    struct track_lanes choice = source_mask(t, inst->src[0]), mask = track_mask(t, inst->mask);
    uint64_t no = track_lanes_of(t, inst->src[1], 1), yes = track_lanes_of(t, inst->src[2], 1);
    uint64_t known = (choice.sure & yes) | (~choice.possible & no);
    known |= equal_lanes(t, inst->src[1], inst->src[2], no & yes & ~known);
    track_run_op(t, op);
    track_set_lanes(t, inst->dst[0], 1, mask, known);
}

/* Operations that work lane by lane on values and masks: carries, products with an overflow. Inactive lanes give 0 in a mask. */
static void track_lanewise(struct track *t, const struct ir_inst *inst, const struct wave_op *op)
{
    const struct ir_op_info *info = &ir_ops[inst->op];
    struct track_lanes mask = track_mask(t, inst->mask);
    uint64_t known = all;
    for (unsigned n = 0; n < inst->src_count; n++) {
        if (info->src_type[n] == IR_T_mask) {
            struct track_lanes bits = source_mask(t, inst->src[n]);
            known &= ~(bits.sure ^ bits.possible);
        } else {
            known &= track_lanes_of(t, inst->src[n], ir_src_span(t->func, inst, n));
        }
    }
    track_run_op(t, op);
    for (unsigned n = 0; n < 2; n++) {
        if (ir_is_lane(inst->dst[n]))
            track_set_lanes(t, inst->dst[n], ir_dst_span(t->func, inst, n), mask, known);
        else
            set_mask_word(t, inst->dst[n], ~mask.possible | (mask.sure & known));
    }
}

static void track_readlane(struct track *t, const struct ir_inst *inst, const struct wave_op *op)
{
    uint32_t lane, lane_known = track_word(t, inst->src[1], &lane), picks = t->func->wave_size - 1;
    uint64_t known = track_lanes_of(t, inst->src[0], 1);
    bool sure = (lane_known & picks) == picks ? known >> (lane & picks) & 1 : false;
    track_run_op(t, op);
    track_set_word(t, inst->dst[0], 0, sure ? ~0u : 0);
}

/* Known when the first active lane is, or when every lane that may be it holds the same. */
static void track_readfirstlane(struct track *t, const struct ir_inst *inst, const struct wave_op *op)
{
    struct track_lanes exec = track_mask(t, ir_s(IR_EXEC));
    uint64_t known = track_lanes_of(t, inst->src[0], 1);
    /* Candidates: possible lanes up to the first certain one; lane 0 when there may be none. */
    uint64_t candidates = exec.sure ? exec.possible & (exec.sure ^ (exec.sure - 1)) : exec.possible | 1;
    unsigned first = (unsigned)__builtin_ctzll(candidates);
    uint64_t value = track_value(t, inst->src[0], 1, first);
    bool sure = (candidates & ~known) == 0;
    for (uint64_t left = candidates; sure && left; left &= left - 1)
        sure = track_value(t, inst->src[0], 1, (unsigned)__builtin_ctzll(left)) == value;
    track_run_op(t, op);
    track_set_word(t, inst->dst[0], 0, sure ? ~0u : 0);
    if (sure) /* whatever lane the run took for the first */
        t->w->s[inst->dst[0].index] = (uint32_t)value;
}

static void track_writelane(struct track *t, const struct ir_inst *inst, const struct wave_op *op)
{
    uint32_t value, lane, value_known = track_word(t, inst->src[0], &value), lane_known = track_word(t, inst->src[1], &lane);
    unsigned picks = t->func->wave_size - 1;
    uint64_t bit = (uint64_t)1 << (lane & picks), *known = &t->v[inst->dst[0].index];
    track_run_op(t, op);
    if ((lane_known & picks) != picks)
        *known = 0;
    else
        *known = value_known == ~0u ? *known | bit : *known & ~bit;
}

/* Lane l counts mask bits below it: known when those are. */
static void track_mbcnt(struct track *t, const struct ir_inst *inst, const struct wave_op *op)
{
    struct track_lanes mask = track_mask(t, inst->mask);
    uint64_t add = track_lanes_of(t, inst->src[1], 1), known = 0;
    uint32_t value, bits = ir_is_lane(inst->src[0]) ? 0 : track_word(t, inst->src[0], &value);
    for (unsigned lane = 0; lane < t->func->wave_size; lane++) {
        uint64_t before = ((uint64_t)1 << lane) - 1;
        uint32_t part = (uint32_t)(inst->imm ? before >> 32 : before);
        if ((bits & part) == part)
            known |= (uint64_t)1 << lane;
    }
    if (ir_is_lane(inst->src[0]))
        known = track_lanes_of(t, inst->src[0], 1);
    track_run_op(t, op);
    track_set_lanes(t, inst->dst[0], 1, mask, known & add);
}

/* Permutes: what a lane gets is unknown where the lane it reads is. That is found by running the operation on a register that
 * holds ones in unknown lanes, and where activity matters and is not certain, with the uncertain lanes inactive and active. */
struct permuted {
    uint64_t unsure;                 /* lanes that get something unknown */
    uint64_t written, written_known; /* the second destination */
};

static void set_exec(struct track *t, uint64_t exec)
{
    t->w->s[IR_EXEC] = (uint32_t)exec;
    if (t->func->wave_size == 64)
        t->w->s[IR_EXEC + 1] = (uint32_t)(exec >> 32);
}

static uint64_t mask_at(const struct track *t, uint32_t offset)
{
    const uint32_t *p = wave_at(t->w, offset);
    return p[0] | (t->func->wave_size == 64 ? (uint64_t)p[1] << 32 : 0);
}

static void run_into(struct track *t, const struct wave_op *op, unsigned data, uint32_t from, uint32_t to)
{
    struct wave_op copy = *op;
    if (from) {
        *(data ? &copy.b : &copy.a) = from;
        copy.x |= 1u << data;
    }
    copy.d = to;
    copy.e = op->e ? t->spare_mask : 0;
    copy.m = t->spare_lanes;
    memset(wave_at(t->w, t->spare_lanes), 0xff, 8);
    track_run_op(t, &copy);
}

static struct permuted permute(struct track *t, const struct ir_inst *inst, const struct wave_op *op, unsigned data)
{
    struct track_lanes exec = track_mask(t, ir_s(IR_EXEC));
    uint64_t plain = t->w->s[IR_EXEC] | (t->func->wave_size == 64 ? (uint64_t)t->w->s[IR_EXEC + 1] << 32 : 0);
    uint64_t known = track_lanes_of(t, inst->src[data], 1);
    uint32_t *ones = wave_at(t->w, t->spare_v[0]), *mixed = wave_at(t->w, t->spare_v[1]);
    uint32_t *without = wave_at(t->w, t->spare_v[2]), *with = wave_at(t->w, t->spare_v[3]);
    struct permuted r = {.unsure = 0};
    for (unsigned lane = 0; lane < t->func->wave_size; lane++)
        ones[lane] = !(known >> lane & 1);
    set_exec(t, exec.possible);
    run_into(t, op, data, t->spare_v[0], t->spare_v[1]);
    run_into(t, op, data, 0, t->spare_v[3]);
    uint64_t written_with = op->e ? mask_at(t, t->spare_mask) : 0;
    set_exec(t, exec.sure);
    run_into(t, op, data, 0, t->spare_v[2]);
    r.written = op->e ? mask_at(t, t->spare_mask) : 0;
    r.written_known = ~(r.written ^ written_with);
    for (unsigned lane = 0; lane < t->func->wave_size; lane++)
        if (mixed[lane] || without[lane] != with[lane])
            r.unsure |= (uint64_t)1 << lane;
    set_exec(t, plain);
    return r;
}

static void track_permute(struct track *t, const struct ir_inst *inst, const struct wave_op *op, unsigned data, uint64_t known)
{
    struct track_lanes mask = track_mask(t, inst->mask);
    struct permuted r = permute(t, inst, op, data);
    track_run_op(t, op);
    track_set_lanes(t, inst->dst[0], 1, mask, known & ~r.unsure);
    if (!ir_is_none(inst->dst[1]))
        set_mask_word(t, inst->dst[1], known == all ? r.written_known : 0);
}

/* Lane selects in scalars must be known as a whole. */
static void track_permlane(struct track *t, const struct ir_inst *inst, const struct wave_op *op)
{
    uint32_t value;
    bool known = track_word(t, inst->src[1], &value) == ~0u && track_word(t, inst->src[2], &value) == ~0u;
    track_permute(t, inst, op, 0, known ? all : 0);
}

/* Pull: a lane whose own address is unknown gets something unknown. Push: one unknown address could go anywhere. */
static void track_ds_permute(struct track *t, const struct ir_inst *inst, const struct wave_op *op)
{
    uint64_t addressed = track_lanes_of(t, inst->src[0], 1), possible = track_mask(t, ir_s(IR_EXEC)).possible;
    if (inst->op == IR_ds_permute)
        addressed = possible & ~addressed ? 0 : all;
    track_permute(t, inst, op, 1, addressed);
}

/* Relative registers: slot base + index when it is there, slot 0 when not; -1 when the index is not known. */
static int relative(const struct track *t, ir_ref index, uint32_t base, unsigned count, bool *there)
{
    uint32_t value;
    if (track_word(t, index, &value) != ~0u)
        return -1;
    *there = (uint64_t)base + value < count;
    return *there ? (int)(base + value) : 0;
}

static void track_movrels(struct track *t, const struct ir_inst *inst, const struct wave_op *op)
{
    bool there;
    int slot = relative(t, inst->src[0], inst->imm, t->w->vgprs, &there);
    struct track_lanes mask = track_mask(t, inst->mask);
    uint64_t known = slot < 0 ? 0 : t->v[slot];
    track_run_op(t, op);
    track_set_lanes(t, inst->dst[0], 1, mask, known);
}

static void track_movreld(struct track *t, const struct ir_inst *inst, const struct wave_op *op)
{
    bool there = false;
    int slot = relative(t, inst->src[1], inst->imm, t->w->vgprs, &there);
    struct track_lanes mask = track_mask(t, inst->mask);
    uint64_t known = track_lanes_of(t, inst->src[0], 1);
    track_run_op(t, op);
    for (unsigned n = 0; slot < 0 && n < IR_V_TEMP; n++)
        track_set_lanes(t, ir_v(n), 1, mask, 0);
    if (slot >= 0 && there)
        track_set_lanes(t, ir_v((unsigned)slot), 1, mask, known);
}

/* Scalar ones: bits of imm over the base are wave_state.c's; an index that is not known makes every SGPR unknown. */
enum { SGPRS = 106, PAIR = 1 << 8, HIGH = 1 << 9 };

static void track_s_movrel(struct track *t, const struct ir_inst *inst, const struct wave_op *op, bool write)
{
    bool there = false;
    unsigned pair = inst->imm & PAIR ? 1 : 0, high = inst->imm & HIGH ? 1 : 0;
    int slot = relative(t, inst->src[write], inst->imm & 0xff, SGPRS - pair, &there);
    uint32_t value, known = 0;
    if (write)
        known = track_word(t, inst->src[0], &value);
    else if (slot >= 0)
        known = t->s[(unsigned)slot + high];
    track_run_op(t, op);
    if (!write)
        track_set_word(t, inst->dst[0], 0, known);
    else if (slot < 0)
        memset(t->s, 0, SGPRS * sizeof *t->s);
    else if (there)
        t->s[(unsigned)slot + high] = known;
}

static void track_set_mode(struct track *t, const struct ir_inst *inst, const struct wave_op *op, bool *refused)
{
    uint32_t value, known = track_word(t, inst->src[0], &value);
    t->s[IR_MODE] = known;
    if (known == ~0u) {
        track_run_op(t, op);
        *refused = t->w->status == WAVE_STOPPED;
    }
}

bool track_irregular(struct track *t, const struct ir_inst *inst, const struct wave_op *op, enum wave_track_end *end)
{
    bool refused = false;
    switch (inst->op) {
    case IR_select_b32: track_select(t, inst, op); break;
    case IR_add_carry_u32:
    case IR_sub_borrow_u32:
    case IR_mad_u64_u32:
    case IR_mad_i64_i32: track_lanewise(t, inst, op); break;
    case IR_readlane: track_readlane(t, inst, op); break;
    case IR_readfirstlane: track_readfirstlane(t, inst, op); break;
    case IR_writelane: track_writelane(t, inst, op); break;
    case IR_mbcnt: track_mbcnt(t, inst, op); break;
    case IR_dpp:
    case IR_dpp8:
    case IR_ds_swizzle: track_permute(t, inst, op, 0, all); break;
    case IR_permlane16: track_permlane(t, inst, op); break;
    case IR_ds_permute:
    case IR_ds_bpermute: track_ds_permute(t, inst, op); break;
    case IR_movrels: track_movrels(t, inst, op); break;
    case IR_movreld: track_movreld(t, inst, op); break;
    case IR_s_movrels: track_s_movrel(t, inst, op, false); break;
    case IR_s_movreld: track_s_movrel(t, inst, op, true); break;
    case IR_lane_id:
        track_run_op(t, op);
        track_set_lanes(t, inst->dst[0], 1, track_mask(t, inst->mask), all);
        break;
    case IR_mirror: {
        uint64_t *known = &t->v[inst->dst[0].index];
        track_run_op(t, op);
        *known = inst->imm ? *known >> 32 | (*known & ~(uint64_t)0xffffffffu) : (*known & 0xffffffffu) | *known << 32;
        break;
    }
    case IR_set_mode: track_set_mode(t, inst, op, &refused); break;
    case IR_trap: *end = WAVE_TRACK_TRAP; return false;
    case IR_unsupported:
    case IR_unknown: refused = true; break;
    case IR_barrier: /* other waves' writes are unknown in any case */
    case IR_store_wait:
    case IR_sleep:
    case IR_sendmsg: break;
    default: /* clocks, and what has no rule */
        track_run_op(t, op);
        track_set_unknown(t, inst);
        break;
    }
    *end = WAVE_TRACK_REFUSED;
    return !refused;
}
