/* Makes scripts: places each block once, behind or inside what dominates it, and says at each edge how to get to the next one. */
#include "spirv/spirv_structure.h"

#include <stdlib.h>
#include <string.h>

/* Blocks that control may be on its way to; more than fit are `many`. */
enum { SET_MAX = 8 };
struct set {
    bool many;
    uint32_t count, at[SET_MAX];
};

enum { NOWHERE = 0xffffffffu };

struct maker {
    const struct ir_ssa *ssa;
    struct spirv_script *script;
    uint32_t blocks, words; /* words of a bit set of blocks */
    uint32_t *rank;         /* place in the order */
    uint32_t *loop_of;      /* number of the natural loop that a block heads, or NOWHERE */
    uint64_t *body;         /* bit set for each loop */
    uint32_t loops;
    uint32_t *home;       /* the block after (or after whose loop) a block is placed */
    bool *after;          /* after the loop */
    bool *inlined;        /* where its only predecessor's edge leads */
    uint32_t *depth_of;   /* loops open where a block is placed, once that is known */
    uint32_t *head_depth; /* loops open inside the loop that a block heads; 0: not open */
    uint32_t depth;
    struct set *breaks; /* for each open loop */
};

static struct set nothing(void)
{
    return (struct set){.count = 0};
}

static struct set only(uint32_t block)
{
    return (struct set){.count = 1, .at = {block}};
}

static bool has(const struct set *set, uint32_t block)
{
    for (uint32_t i = 0; i < set->count; i++)
        if (set->at[i] == block)
            return true;
    return set->many;
}

static void add(struct set *set, uint32_t block)
{
    if (has(set, block))
        return;
    if (set->count == SET_MAX)
        set->many = true;
    else
        set->at[set->count++] = block;
}

static void join(struct set *set, const struct set *other)
{
    set->many |= other->many;
    for (uint32_t i = 0; i < other->count; i++)
        add(set, other->at[i]);
}

static void drop(struct set *set, uint32_t block)
{
    for (uint32_t i = 0; i < set->count; i++)
        if (set->at[i] == block)
            set->at[i--] = set->at[--set->count];
}

static bool is_empty(const struct set *set)
{
    return !set->many && !set->count;
}

static void put(struct maker *m, enum spirv_step_kind kind, uint32_t block, uint32_t to)
{
    struct spirv_script *s = m->script;
    if (s->count == s->cap) {
        uint32_t cap = s->cap ? 2 * s->cap : 64;
        struct spirv_step *steps = realloc(s->steps, cap * sizeof *steps);
        if (!steps) {
            s->out_of_memory = true;
            return;
        }
        s->steps = steps;
        s->cap = cap;
    }
    s->steps[s->count++] = (struct spirv_step){(uint8_t)kind, block, to};
}

static bool in_loop(const struct maker *m, uint32_t loop, uint32_t block)
{
    return m->body[(size_t)loop * m->words + block / 64] >> block % 64 & 1;
}

static unsigned succs_of(const struct maker *m, uint32_t block, uint32_t succ[2])
{
    const struct ir_block *b = &m->ssa->func->blocks[block];
    unsigned count = b->term == IR_TERM_BRANCH ? 2 : b->term == IR_TERM_JUMP ? 1 : 0;
    for (unsigned n = 0; n < count; n++)
        succ[n] = b->succ[n];
    return count == 2 && succ[0] == succ[1] ? 1 : count;
}

/* A way back to a block that dominates where it comes from makes a natural loop; other ways back are for dispatch loops. */
static bool is_back_edge(const struct maker *m, uint32_t from, uint32_t to)
{
    return m->rank[to] <= m->rank[from] && ir_ssa_dominates(m->ssa, to, from);
}

/* The loop's blocks: those that lead to its way back without passing its head. */
static void grow(struct maker *m, uint32_t loop, uint32_t head, uint32_t from, uint32_t *stack)
{
    uint64_t *body = &m->body[(size_t)loop * m->words];
    uint32_t count = 0;
    body[head / 64] |= UINT64_C(1) << head % 64;
    stack[count++] = from;
    while (count) {
        uint32_t b = stack[--count];
        if (body[b / 64] >> b % 64 & 1)
            continue;
        body[b / 64] |= UINT64_C(1) << b % 64;
        const struct ir_ssa_block *block = &m->ssa->blocks[b];
        for (uint32_t i = 0; i < block->pred_count; i++)
            if (m->ssa->preds[block->first_pred + i] != IR_SSA_NONE)
                stack[count++] = m->ssa->preds[block->first_pred + i];
    }
}

static bool find_loops(struct maker *m)
{
    const struct ir_ssa *ssa = m->ssa;
    for (uint32_t i = 0; i < ssa->order_count; i++) {
        uint32_t b = ssa->order[i], succ[2];
        unsigned count = succs_of(m, b, succ);
        for (unsigned n = 0; n < count; n++)
            if (is_back_edge(m, b, succ[n]) && m->loop_of[succ[n]] == NOWHERE)
                m->loop_of[succ[n]] = m->loops++;
    }
    m->body = calloc((size_t)m->loops * m->words + 1, sizeof *m->body);
    uint32_t *stack = malloc(((size_t)ssa->pred_count + m->blocks + 1) * sizeof *stack);
    for (uint32_t i = 0; m->body && stack && i < ssa->order_count; i++) {
        uint32_t b = ssa->order[i], succ[2];
        unsigned count = succs_of(m, b, succ);
        for (unsigned n = 0; n < count; n++)
            if (is_back_edge(m, b, succ[n]))
                grow(m, m->loop_of[succ[n]], succ[n], b, stack);
    }
    free(stack);
    return m->body && stack;
}

/* A block that its dominator's loops do not hold goes behind the outermost of them, other ones behind the dominator. */
static void find_homes(struct maker *m)
{
    const struct ir_ssa *ssa = m->ssa;
    for (uint32_t i = 1; i < ssa->order_count; i++) {
        uint32_t b = ssa->order[i], d = ssa->blocks[b].idom, outermost = NOWHERE;
        for (uint32_t h = d; h != IR_SSA_NONE; h = h == ssa->entry ? IR_SSA_NONE : ssa->blocks[h].idom)
            if (m->loop_of[h] != NOWHERE && in_loop(m, m->loop_of[h], d) && !in_loop(m, m->loop_of[h], b))
                outermost = h;
        m->after[b] = outermost != NOWHERE;
        m->home[b] = m->after[b] ? outermost : d;
        m->inlined[b] = !m->after[b] && ssa->blocks[b].pred_count == 1;
    }
}

static struct set emit_tree(struct maker *m, uint32_t block);

static struct set emit_edge(struct maker *m, uint32_t from, uint32_t to)
{
    put(m, SPIRV_EDGE, from, to);
    if (m->inlined[to])
        return emit_tree(m, to);
    bool back = m->rank[to] <= m->rank[from];
    if (back)
        put(m, SPIRV_BACK, from, to);
    put(m, SPIRV_SET, from, to);
    if (back && m->head_depth[to] == m->depth) {
        put(m, SPIRV_CONTINUE, from, to);
        return nothing();
    }
    if ((back && m->head_depth[to]) || m->depth_of[to] < m->depth) {
        put(m, SPIRV_BREAK, from, to);
        add(&m->breaks[m->depth - 1], to);
        return nothing();
    }
    return only(to);
}

static struct set emit_ways_out(struct maker *m, uint32_t block)
{
    uint32_t succ[2];
    unsigned count = succs_of(m, block, succ);
    if (count == 0) {
        put(m, SPIRV_RETURN, block, block);
        return nothing();
    }
    if (count == 1)
        return emit_edge(m, block, succ[0]);
    put(m, SPIRV_IF, block, succ[0]);
    struct set flow = emit_edge(m, block, succ[0]);
    put(m, SPIRV_ELSE, block, succ[1]);
    struct set other = emit_edge(m, block, succ[1]);
    put(m, SPIRV_END_IF, block, block);
    join(&flow, &other);
    return flow;
}

static struct set emit_guarded(struct maker *m, uint32_t block, struct set flow)
{
    if (is_empty(&flow) || !has(&flow, block))
        return flow;
    if (!flow.many && flow.count == 1)
        return emit_tree(m, block);
    put(m, SPIRV_GUARD, block, block);
    struct set inside = emit_tree(m, block);
    put(m, SPIRV_END_IF, block, block);
    drop(&flow, block);
    join(&flow, &inside);
    return flow;
}

/* Opens a loop whose breaks are gathered. */
static void open_loop(struct maker *m, uint32_t block)
{
    put(m, SPIRV_LOOP, block, block);
    m->breaks[m->depth++] = nothing();
}

/* Closes it behind flow; control that is on its way to one of heads goes round again. */
static struct set close_loop(struct maker *m, struct set flow, const uint32_t *heads, uint32_t count)
{
    struct set out = m->breaks[--m->depth];
    for (uint32_t i = 0; i < count; i++) {
        if (has(&flow, heads[i]))
            put(m, SPIRV_AGAIN_IF, heads[i], heads[i]);
        drop(&flow, heads[i]);
    }
    put(m, SPIRV_END_LOOP, heads[0], heads[0]);
    join(&out, &flow);
    return out;
}

/* Which of list's blocks (the last such, or first - 1) leads back to list[first] though that one does not dominate it. */
static uint32_t last_way_back(const struct maker *m, const uint32_t *list, uint32_t count, uint32_t first)
{
    const struct ir_ssa_block *block = &m->ssa->blocks[list[first]];
    uint32_t last = first;
    for (uint32_t i = 0; i < block->pred_count; i++) {
        uint32_t p = m->ssa->preds[block->first_pred + i];
        if (p == IR_SSA_NONE || m->rank[p] < m->rank[list[first]] || ir_ssa_dominates(m->ssa, list[first], p))
            continue;
        for (uint32_t n = first + 1; n < count; n++)
            if (ir_ssa_dominates(m->ssa, list[n], p) && n > last)
                last = n;
    }
    return last;
}

static struct set emit_dispatch(struct maker *m, const uint32_t *list, uint32_t count, struct set flow)
{
    open_loop(m, list[0]);
    for (uint32_t i = 0; i < count; i++) {
        m->depth_of[list[i]] = m->depth;
        m->head_depth[list[i]] = m->depth;
        add(&flow, list[i]); /* control may come round to any of them */
    }
    struct set inside = flow;
    inside.many = true; /* so that each is guarded */
    for (uint32_t i = 0; i < count; i++)
        inside = emit_guarded(m, list[i], inside);
    for (uint32_t i = 0; i < count; i++)
        m->head_depth[list[i]] = 0;
    struct set out = close_loop(m, inside, list, count);
    return out;
}

/* Places the blocks whose home this is; flow says what control is on its way to. */
static struct set emit_list(struct maker *m, uint32_t home, bool after, struct set flow)
{
    const struct ir_ssa *ssa = m->ssa;
    uint32_t count = 0, *list = malloc((m->blocks + 1) * sizeof *list);
    if (!list) {
        m->script->out_of_memory = true;
        return nothing();
    }
    for (uint32_t i = m->rank[home] + 1; i < ssa->order_count; i++) {
        uint32_t b = ssa->order[i];
        if (!m->inlined[b] && m->home[b] == home && m->after[b] == after)
            list[count++] = b;
    }
    for (uint32_t i = 0; i < count;) {
        uint32_t last = last_way_back(m, list, count, i);
        for (uint32_t n = i; n <= last; n++) {
            uint32_t further = last_way_back(m, list, count, n);
            last = further > last ? further : last;
        }
        flow = last > i ? emit_dispatch(m, list + i, last - i + 1, flow) : emit_guarded(m, list[i], flow);
        i = last + 1;
    }
    free(list);
    return flow;
}

/* Says of the blocks of a list that they will be placed at this depth. */
static void announce(struct maker *m, uint32_t home, bool after)
{
    const struct ir_ssa *ssa = m->ssa;
    for (uint32_t i = m->rank[home] + 1; i < ssa->order_count; i++) {
        uint32_t b = ssa->order[i];
        if (!m->inlined[b] && m->home[b] == home && m->after[b] == after)
            m->depth_of[b] = m->depth;
    }
}

static struct set emit_tree(struct maker *m, uint32_t block)
{
    bool is_head = m->loop_of[block] != NOWHERE;
    uint32_t outer_head = m->head_depth[block];
    if (is_head) {
        announce(m, block, true);
        open_loop(m, block);
        m->head_depth[block] = m->depth;
    }
    announce(m, block, false);
    put(m, SPIRV_BLOCK, block, block);
    struct set flow = emit_list(m, block, false, emit_ways_out(m, block));
    if (!is_head)
        return flow;
    m->head_depth[block] = outer_head;
    /* A head that is also one of a dispatch loop's entries: its own way round comes first. */
    flow = close_loop(m, flow, &block, 1);
    return emit_list(m, block, true, flow);
}

static bool make_room(struct maker *m)
{
    m->words = (m->blocks + 63) / 64;
    m->rank = malloc(m->blocks * sizeof *m->rank);
    m->loop_of = malloc(m->blocks * sizeof *m->loop_of);
    m->home = malloc(m->blocks * sizeof *m->home);
    m->after = calloc(m->blocks, sizeof *m->after);
    m->inlined = calloc(m->blocks, sizeof *m->inlined);
    m->depth_of = calloc(m->blocks, sizeof *m->depth_of);
    m->head_depth = calloc(m->blocks, sizeof *m->head_depth);
    m->breaks = calloc(2 * (size_t)m->blocks + 1, sizeof *m->breaks);
    return m->rank && m->loop_of && m->home && m->after && m->inlined && m->depth_of && m->head_depth && m->breaks;
}

static void finish(struct maker *m)
{
    free(m->rank);
    free(m->loop_of);
    free(m->body);
    free(m->home);
    free(m->after);
    free(m->inlined);
    free(m->depth_of);
    free(m->head_depth);
    free(m->breaks);
}

struct spirv_script *spirv_script_create(const struct ir_ssa *ssa)
{
    struct maker m = {.ssa = ssa, .blocks = ssa->func->block_count};
    m.script = calloc(1, sizeof *m.script);
    bool done = m.script && make_room(&m);
    for (uint32_t i = 0; done && i < m.blocks; i++)
        m.rank[i] = m.loop_of[i] = m.home[i] = NOWHERE;
    for (uint32_t i = 0; done && i < ssa->order_count; i++)
        m.rank[ssa->order[i]] = i;
    done = done && find_loops(&m);
    if (done) {
        find_homes(&m);
        emit_tree(&m, ssa->entry);
        done = !m.script->out_of_memory;
    }
    finish(&m);
    if (done)
        return m.script;
    spirv_script_destroy(m.script);
    return NULL;
}

void spirv_script_destroy(struct spirv_script *script)
{
    if (script)
        free(script->steps);
    free(script);
}
