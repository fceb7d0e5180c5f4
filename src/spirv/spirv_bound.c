/* Bounds of indexes: taken from a program's values, and followed. */
#include "spirv/spirv_bound.h"

#include <stdlib.h>

#include "spirv/spirv_emit.h"

enum { DEEPEST = 32, WORD_BITS = 32, WORD = 4 };

/* ---- following ---- */

/* What is known of a word: it is low at least, and most at most. */
struct range {
    uint64_t low, most;
};
static const struct range any = {0, UINT32_MAX};

/* All bits up to the highest one of x. */
static uint64_t ones_of(uint64_t x)
{
    return x ? UINT64_MAX >> __builtin_clzll(x) : 0;
}

static uint64_t least_of(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Either's bits are among the ones, and no carry makes a sum less. */
static uint64_t joined(uint64_t a, uint64_t b)
{
    return least_of(a + b, ones_of(a | b));
}

/* More than a word holds: it may wrap, and then is anything. */
static uint64_t shifted(uint64_t a, uint64_t by)
{
    return by >= WORD_BITS || a > UINT32_MAX >> by ? UINT64_MAX >> 1 : a << by;
}

static bool is_exact(const struct range *r)
{
    return r->low == r->most;
}

/* The most that a row's result can be, if it fits a word. */
static uint64_t most_of_row(unsigned op, const struct range *r)
{
    const uint64_t a = r[0].most, b = r[1].most, c = r[2].most, bits24 = 0xffffff;
    uint64_t down = is_exact(&r[1]) && b < WORD_BITS ? a >> b : a;
    switch (op) {
    case IR_mov_b32: return a;
    case IR_add_u32: return a + b;
    case IR_add3_u32: return a + b + c;
    case IR_mul_lo_u32: return a * b;
    case IR_mad_lo_u32: return a * b + c;
    case IR_mul_u24: return least_of(a, bits24) * least_of(b, bits24);
    case IR_mad_u24: return least_of(a, bits24) * least_of(b, bits24) + c;
    case IR_and_b32: return least_of(a, b);
    case IR_or_b32:
    case IR_xor_b32: return joined(a, b);
    case IR_or3_b32: return joined(joined(a, b), c);
    case IR_and_or_b32: return joined(least_of(a, b), c);
    case IR_shl_b32: return shifted(a, b);
    case IR_shl_add_u32: return shifted(a, b) + c;
    case IR_shl_or_b32: return joined(shifted(a, b), c);
    case IR_add_shl_u32: return shifted(a + b, c);
    case IR_shr_u32: return down;
    case IR_bfe_u32: return is_exact(&r[2]) && c < WORD_BITS ? least_of(down, (UINT64_C(1) << c) - 1) : down;
    case IR_min_u32: return least_of(a, b);
    case IR_choose_b32: return b > c ? b : c;
    default: return UINT32_MAX;
    }
}

static struct range exactly(uint32_t value)
{
    return (struct range){value, value};
}

static struct range up_to(uint64_t most)
{
    return most <= UINT32_MAX ? (struct range){0, most} : any;
}

/* Steps from disk may be anything. */
static bool is_sound(const struct spirv_bound_step *step, uint32_t number, const struct spirv_extent *extent)
{
    switch (step->kind) {
    case SPIRV_BOUND_ANY:
    case SPIRV_BOUND_CONST: return true;
    case SPIRV_BOUND_USER: return step->value < extent->user_count;
    case SPIRV_BOUND_WORD: return step->value < extent->word_count;
    case SPIRV_BOUND_GROUP:
    case SPIRV_BOUND_THREAD: return step->value < 3;
    case SPIRV_BOUND_COUNTER:
    case SPIRV_BOUND_ROUNDS: return step->value && step->args[0] < number && step->args[1] < number;
    case SPIRV_BOUND_GROWN: return step->args[0] < number && step->args[1] < number && step->args[2] < number;
    case SPIRV_BOUND_ROW: break;
    default: return false;
    }
    for (unsigned n = 0; n < SPIRV_BOUND_ARGS; n++)
        if (step->args[n] != SPIRV_NO_BOUND && step->args[n] >= number)
            return false;
    return true;
}

/* What a counter is at most where it is compared and the loop goes on, and how often that is so. False: it may wrap, or pass what it should
 * meet. */
static bool follow_counter(const struct spirv_bound_step *step, const struct range *from, const struct range *limit,
                           uint64_t *most, uint64_t *rounds)
{
    const uint64_t top = step->args[2] & SPIRV_BOUND_SIGNED ? INT32_MAX : UINT32_MAX, by = step->value;
    const bool before = step->args[2] & SPIRV_BOUND_BEFORE, unequal = step->args[2] & SPIRV_BOUND_UNEQUAL;
    const uint64_t end = limit->most + (step->args[2] & SPIRV_BOUND_EQUAL ? 1 : 0), first = from->low + (before ? 0 : by);
    if (unequal && (!is_exact(from) || !is_exact(limit) || first > limit->most || (limit->most - first) % by != 0))
        return false;
    if (from->most + by > top || end + by > top + 1)
        return false;
    *rounds = first < end ? (end - 1 - first) / by + 1 : 0;
    *most = end ? end - 1 : 0;
    return true;
}

static struct range follow_loop(const struct spirv_bound_step *step, const struct range *ranges, bool hopeful)
{
    const struct range *from = &ranges[step->args[0]];
    uint64_t most, rounds, each;
    if (step->kind == SPIRV_BOUND_GROWN) {
        rounds = ranges[step->args[1]].most;
        each = ranges[step->args[2]].most;
        return up_to(from->most + rounds * each);
    }
    if (!follow_counter(step, from, &ranges[step->args[1]], &most, &rounds))
        return hopeful ? exactly(0) : any;
    if (step->kind == SPIRV_BOUND_ROUNDS)
        return up_to(rounds);
    most += step->args[2] & SPIRV_BOUND_BEFORE ? step->value : 0;
    return up_to(most > from->most ? most : from->most);
}

static struct range follow_row(const struct spirv_bound_step *step, const struct range *ranges)
{
    struct range r[SPIRV_BOUND_ARGS] = {{0}};
    for (unsigned n = 0; n < SPIRV_BOUND_ARGS; n++)
        if (step->args[n] != SPIRV_NO_BOUND)
            r[n] = ranges[step->args[n]];
    return up_to(most_of_row(step->value, r));
}

bool spirv_bound_follow(const struct spirv_bound_step *steps, uint32_t count, const struct spirv_extent *extent, uint32_t *most)
{
    struct range ranges[SPIRV_MAX_BOUNDS];
    if (count > SPIRV_MAX_BOUNDS)
        return false;
    for (uint32_t n = 0; n < count; n++) {
        const struct spirv_bound_step *step = &steps[n];
        if (!is_sound(step, n, extent))
            return false;
        switch (step->kind) {
        case SPIRV_BOUND_CONST: ranges[n] = exactly(step->value); break;
        case SPIRV_BOUND_USER: ranges[n] = exactly(extent->user_data[step->value]); break;
        case SPIRV_BOUND_WORD: ranges[n] = exactly(extent->words[step->value]); break;
        case SPIRV_BOUND_GROUP: ranges[n] = up_to(extent->last_group[step->value]); break;
        case SPIRV_BOUND_THREAD: ranges[n] = up_to(extent->last_thread[step->value]); break;
        case SPIRV_BOUND_ROW: ranges[n] = follow_row(step, ranges); break;
        case SPIRV_BOUND_COUNTER:
        case SPIRV_BOUND_ROUNDS:
        case SPIRV_BOUND_GROWN: ranges[n] = follow_loop(step, ranges, extent->hopeful); break;
        default: ranges[n] = any; break;
        }
        most[n] = (uint32_t)ranges[n].most;
    }
    return true;
}

/* ---- taking ---- */

static uint32_t step_of(struct spirv_emitter *e, uint32_t node, unsigned depth);

static struct spirv_bound_step leaf(enum spirv_bound_way kind, uint32_t value)
{
    return (struct spirv_bound_step){kind, value, {SPIRV_NO_BOUND, SPIRV_NO_BOUND, SPIRV_NO_BOUND}};
}

/* As spirv_emit_entry has them. */
static struct spirv_bound_step take_entry(const struct spirv_emitter *e, uint32_t var)
{
    enum { USER_AT = 1, USER = 31, IDS_AT = 7, DIMENSIONS = 3, THREADS_AT = 11, THREADS = 3 };
    uint32_t rsrc2 = e->options->rsrc2, next = rsrc2 >> USER_AT & USER;
    if (var >= IR_SSA_V) {
        uint32_t dimension = var - IR_SSA_V, told = rsrc2 >> THREADS_AT & THREADS;
        return dimension < DIMENSIONS && (!dimension || told >= dimension) ? leaf(SPIRV_BOUND_THREAD, dimension)
                                                                           : leaf(SPIRV_BOUND_ANY, 0);
    }
    if (var < next)
        return leaf(SPIRV_BOUND_USER, var);
    for (uint32_t n = 0; n < DIMENSIONS; n++)
        if (rsrc2 >> (IDS_AT + n) & 1 && var == next++)
            return leaf(SPIRV_BOUND_GROUP, n);
    return leaf(SPIRV_BOUND_ANY, 0);
}

static struct spirv_bound_step take_row(struct spirv_emitter *e, const struct ir_ssa_node *n, unsigned depth)
{
    const struct ir_inst *inst = &e->func->insts[n->inst];
    const struct range unknown[SPIRV_BOUND_ARGS] = {{0}};
    struct spirv_bound_step step = leaf(SPIRV_BOUND_ROW, inst->op);
    if (n->results != 1 || inst->src_count > SPIRV_BOUND_ARGS || most_of_row(inst->op, unknown) >= UINT32_MAX)
        return leaf(SPIRV_BOUND_ANY, 0);
    for (unsigned k = 0; k < inst->src_count; k++)
        step.args[k] = step_of(e, ir_ssa_args(e->ssa, n)[k], depth);
    return step;
}

/* What goes round in a loop, or comes from either of two ways. */
static struct spirv_bound_step take_phi(struct spirv_emitter *e, uint32_t node, unsigned depth)
{
    const struct ir_ssa_node *n = &e->ssa->nodes[node];
    struct spirv_bound_step step;
    if (spirv_loop_latch(e, n->block) != IR_SSA_NONE)
        return spirv_bound_phi(e, node, &step) ? step : leaf(SPIRV_BOUND_ANY, 0);
    if (n->arg_count != 2)
        return leaf(SPIRV_BOUND_ANY, 0);
    step = leaf(SPIRV_BOUND_ROW, IR_choose_b32);
    for (unsigned k = 0; k < 2; k++) {
        uint32_t arg = ir_ssa_args(e->ssa, n)[k];
        uint32_t made = e->ssa->nodes[spirv_seen_through(e, arg)].block;
        if (made != IR_SSA_NONE && !spirv_comes_before(e, made, n->block))
            return leaf(SPIRV_BOUND_ANY, 0);
        step.args[1 + k] = step_of(e, arg, depth);
    }
    return step;
}

static struct spirv_bound_step take(struct spirv_emitter *e, uint32_t node, unsigned depth)
{
    const struct ir_ssa_node *n = &e->ssa->nodes[node];
    if (e->nodes[node].preloaded)
        return leaf(SPIRV_BOUND_WORD, e->nodes[node].preloaded - 1);
    if (n->kind == IR_SSA_CONST)
        return leaf(SPIRV_BOUND_CONST, n->value);
    if (n->kind == IR_SSA_ENTRY && !e->options->registers)
        return take_entry(e, n->var);
    if (n->kind == IR_SSA_PHI && depth < DEEPEST)
        return take_phi(e, node, depth + 1);
    return n->kind == IR_SSA_OP && depth < DEEPEST ? take_row(e, n, depth + 1) : leaf(SPIRV_BOUND_ANY, 0);
}

uint32_t spirv_bound_add(struct spirv_emitter *e, const struct spirv_bound_step *step)
{
    if (e->bound_step_count == SPIRV_MAX_BOUNDS)
        return SPIRV_NO_BOUND;
    e->bound_steps[e->bound_step_count] = *step;
    return e->bound_step_count++;
}

/* The number of the step that bounds the node, or none where there are too many. */
static uint32_t step_of(struct spirv_emitter *e, uint32_t node, unsigned depth)
{
    node = spirv_seen_through(e, node);
    if (e->bound_at[node])
        return e->bound_at[node] - 1;
    const struct spirv_bound_step step = take(e, node, depth);
    uint32_t number = spirv_bound_add(e, &step);
    e->bound_at[node] = number == SPIRV_NO_BOUND ? 0 : number + 1;
    return number;
}

uint32_t spirv_bound_of(struct spirv_emitter *e, uint32_t node)
{
    return step_of(e, node, 0);
}

/* What no dispatch can bound is not worth a module of its own; local memory is then looked at, and loops are counted. */
static bool may_hold(struct spirv_emitter *e)
{
    static const uint32_t nothing[IR_S_COUNT + WORDS_MAX];
    const struct spirv_extent least = {
        .user_data = nothing, .words = nothing, .user_count = IR_S_COUNT, .word_count = WORDS_MAX, .hopeful = true};
    uint32_t most[SPIRV_MAX_BOUNDS], kept = 0;
    if (!spirv_bound_follow(e->bound_steps, e->bound_step_count, &least, most))
        return false;
    for (uint32_t n = 0; n < e->bound_count; n++) {
        bool holds = most[e->bounds[n].step] != UINT32_MAX;
        if (!holds && e->bounds[n].near < SPIRV_BOUND_SHARE)
            return false;
        if (holds)
            e->bounds[kept++] = e->bounds[n];
    }
    e->bound_count = kept;
    return true;
}

/* What the access's own lanes have there: of a merge by the same mask what was merged. */
static uint32_t seen_by(const struct spirv_emitter *e, uint32_t access, uint32_t node)
{
    const struct ir_ssa_node *a = &e->ssa->nodes[access], *n = &e->ssa->nodes[node];
    const uint32_t *args = ir_ssa_args(e->ssa, n);
    if (n->kind != IR_SSA_MERGE)
        return node;
    for (uint32_t k = 0; k + 2 < n->arg_count; k++)
        if (a->mask_at + k >= a->unsaid_at || args[k] != ir_ssa_args(e->ssa, a)[a->mask_at + k])
            return node;
    return args[n->arg_count - 2];
}

static bool add_bound(struct spirv_emitter *e, uint32_t near, uint32_t step, uint32_t end)
{
    uint32_t n = 0;
    while (n < e->bound_count && (e->bounds[n].near != near || e->bounds[n].step != step))
        n++;
    if (step == SPIRV_NO_BOUND || n == SPIRV_MAX_BOUNDS)
        return false;
    if (n == e->bound_count)
        e->bounds[e->bound_count++] = (struct spirv_bound){near, step, end};
    e->bounds[n].end = e->bounds[n].end > end ? e->bounds[n].end : end;
    return true;
}

/* An access of a word whose lanes may bring any byte's address is looked at in any case. */
static bool bound_access(struct spirv_emitter *e, uint32_t node)
{
    enum { WORD_SCALE = 2 };
    const struct ir_access *access = ir_inst_access(e->func, &e->func->insts[e->ssa->nodes[node].inst]);
    struct spirv_address address;
    if (!spirv_find_address(e, node, access, &address))
        return false;
    uint32_t index = seen_by(e, node, address.index);
    if (access->bytes >= WORD && address.scale < WORD_SCALE && !e->nodes[index].aligned)
        return false;
    return add_bound(e, e->nodes[node].near - 1, step_of(e, index, 0), 0);
}

/* Where an access lies in the group's local memory: the node of its address, and how far behind that it goes. An address of a word that may be any
 * byte's for all that is known has a bound that is too far. */
static bool find_share(const struct spirv_emitter *e, uint32_t node, uint32_t *at, uint32_t *end)
{
    const struct ir_ssa_node *n = &e->ssa->nodes[node];
    const struct ir_access *access = n->kind == IR_SSA_OP ? ir_inst_access(e->func, &e->func->insts[n->inst]) : NULL;
    if (!access || access->space != IR_SPACE_LDS || access->flags & IR_AC_ADDTID || e->func->insts[n->inst].op == IR_atomic)
        return false;
    const int32_t last = access->elements > 1 && access->offset1 > access->offset ? access->offset1 : access->offset;
    *at = seen_by(e, node, ir_ssa_args(e->ssa, n)[0]);
    *end = (uint32_t)last + access->bytes;
    return access->bytes < WORD || e->nodes[*at].aligned;
}

/* Where there is no room for more, they are looked at. */
static void bound_shares(struct spirv_emitter *e)
{
    uint32_t at, end;
    for (uint32_t i = 0; i < e->ssa->node_count; i++)
        if (find_share(e, i, &at, &end))
            add_bound(e, SPIRV_BOUND_SHARE, step_of(e, at, 0), end);
    if (e->has_loops)
        add_bound(e, SPIRV_BOUND_LOOPS, spirv_bound_rounds(e), 0);
}

static bool is_bound(const struct spirv_emitter *e, uint32_t near, uint32_t step, uint32_t end)
{
    for (uint32_t n = 0; n < e->bound_count; n++)
        if (e->bounds[n].near == near && e->bounds[n].step == step && e->bounds[n].end >= end)
            return true;
    return false;
}

/* What needs no look. */
static void note_bounds(struct spirv_emitter *e)
{
    uint32_t at, end;
    for (uint32_t i = 0; i < e->ssa->node_count; i++)
        e->nodes[i].inside = find_share(e, i, &at, &end) && is_bound(e, SPIRV_BOUND_SHARE, step_of(e, at, 0), end);
    for (uint32_t n = 0; n < e->bound_count; n++)
        e->uncounted |= e->bounds[n].near == SPIRV_BOUND_LOOPS;
}

bool spirv_find_bounds(struct spirv_emitter *e)
{
    e->bound_at = calloc((size_t)e->ssa->node_count + 1, sizeof *e->bound_at);
    e->bounds = calloc(SPIRV_MAX_BOUNDS, sizeof *e->bounds);
    e->bound_steps = calloc(SPIRV_MAX_BOUNDS, sizeof *e->bound_steps);
    bool good = e->bound_at && e->bounds && e->bound_steps;
    e->out_of_memory |= !good;
    for (uint32_t i = 0; good && i < e->ssa->node_count; i++)
        good = !e->nodes[i].near || bound_access(e, i);
    if (good)
        bound_shares(e);
    good = good && may_hold(e);
    if (good)
        note_bounds(e);
    return good;
}
