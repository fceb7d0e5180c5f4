/* The flow: goes over a program's values once for all waves of a dispatch, taking branches that are known and both sides of the others. */
#include <stdlib.h>
#include <string.h>

#include "trace/trace_flow_internal.h"
#include "wave/wave_track.h"

/* A value that has changed so often, or a program of so many steps, is not going to settle. */
enum { MOST_CHANGES = 6, MOST_RUNS = 6, STEPS_EACH = 48, STEPS_FREE = 20000 };

/* 1. Values. */

struct flow_value flow_word(uint32_t word)
{
    return (struct flow_value){FLOW_WORD, word, {IR_SSA_NONE, IR_SSA_NONE}};
}

struct flow_value flow_unknown(void)
{
    return (struct flow_value){FLOW_UNKNOWN, 0, {IR_SSA_NONE, IR_SSA_NONE}};
}

static uint32_t keep_sum(struct flow *f, const struct trace_affine *sum)
{
    if (f->sum_count == f->sum_cap) {
        uint32_t cap = f->sum_cap ? 2 * f->sum_cap : 64;
        struct trace_affine *larger = realloc(f->sums, cap * sizeof *larger);
        if (!larger) {
            f->out_of_memory = true;
            return IR_SSA_NONE;
        }
        f->sums = larger;
        f->sum_cap = cap;
    }
    f->sums[f->sum_count] = *sum;
    return f->sum_count++;
}

struct flow_value flow_sum(struct flow *f, const struct trace_affine *sum)
{
    if (trace_affine_is_fixed(sum))
        return flow_word((uint32_t)sum->at);
    if (trace_affine_is_any(sum, TRACE_WORD))
        return flow_unknown();
    struct flow_value value = {FLOW_SUM, keep_sum(f, sum), {IR_SSA_NONE, IR_SSA_NONE}};
    return value.word == IR_SSA_NONE ? flow_unknown() : value;
}

struct trace_affine flow_sum_of(const struct flow *f, const struct flow_value *value)
{
    switch (value->kind) {
    case FLOW_WORD: return trace_affine_word(value->word);
    case FLOW_SUM: return f->sums[value->word];
    case FLOW_THREADS: return trace_affine_between(value->word == 0, UINT32_MAX, 0); /* a wave's first lane always has a thread */
    default: return trace_affine_any(TRACE_WORD, 0);
    }
}

static bool same(const struct flow *f, const struct flow_value *a, const struct flow_value *b)
{
    if (a->kind != b->kind || a->under[0] != b->under[0] || a->under[1] != b->under[1])
        return false;
    if (a->kind == FLOW_SUM)
        return a->word == b->word || trace_affine_same(&f->sums[a->word], &f->sums[b->word]);
    return a->kind == FLOW_UNKNOWN || a->word == b->word;
}

void flow_set(struct flow *f, uint32_t node, struct flow_value value)
{
    struct flow_value *now = &f->values[node];
    if (value.kind == FLOW_NOTHING || same(f, now, &value))
        return;
    if (f->changes[node] > MOST_CHANGES) {
        if (now->kind == FLOW_UNKNOWN)
            return;
        value = flow_unknown();
    } else {
        f->changes[node]++;
    }
    *now = value;
    f->changed = true;
}

void flow_set_wide(struct flow *f, uint32_t op, const struct trace_affine *sum)
{
    uint32_t *now = &f->wide[op];
    if (!sum) {
        f->changed |= *now != IR_SSA_NONE;
        *now = IR_SSA_NONE;
        return;
    }
    if (*now != IR_SSA_NONE && trace_affine_same(&f->sums[*now], sum))
        return;
    if (f->changes[op] > MOST_CHANGES) {
        flow_set_wide(f, op, NULL);
        return;
    }
    f->changes[op]++;
    *now = keep_sum(f, sum);
    f->changed = true;
}

/* 2. Where values meet. */

/* A mask that is made anew each time round a loop says nothing of a value from the time before. */
static bool outlives(struct flow *f, const struct flow_value *value, uint32_t block)
{
    const struct ir_ssa_block *blocks = f->ssa->blocks;
    for (unsigned n = 0; n < f->masks && !flow_is_everywhere(value->under); n++) {
        uint32_t made = f->ssa->nodes[value->under[n]].block;
        if (made == IR_SSA_NONE)
            continue;
        uint32_t up = blocks[block].depth > blocks[made].depth ? blocks[block].depth - blocks[made].depth : 0;
        if (!up || up > f->work_left || !ir_ssa_dominates(f->ssa, made, block))
            return false;
        f->work_left -= up;
    }
    return true;
}

static struct flow_value meet(const struct flow *f, const struct flow_value *a, const struct flow_value *b)
{
    if (a->kind == FLOW_NOTHING)
        return *b;
    if (same(f, a, b))
        return *a;
    struct flow_value result = flow_unknown();
    for (unsigned n = 0; n < f->masks; n++)
        if (!f->full &&
            (a->kind == FLOW_THREADS || a->kind == FLOW_SUBSET || b->kind == FLOW_THREADS || b->kind == FLOW_SUBSET) &&
            flow_is_inside(f, a, n) && flow_is_inside(f, b, n)) {
            result.kind = FLOW_SUBSET;
            result.word = n;
        }
    return result;
}

static bool comes_from(const struct flow *f, uint32_t from, uint32_t to)
{
    if (from == IR_SSA_NONE)
        return true;
    const struct ir_block *block = &f->func->blocks[from];
    for (unsigned n = 0; n < 2; n++)
        if ((f->blocks[from] & FLOW_TAKEN << n) && block->succ[n] == to)
            return true;
    return false;
}

static void eval_phi(struct flow *f, uint32_t number)
{
    const struct ir_ssa_node *node = &f->ssa->nodes[number];
    const struct ir_ssa_block *block = &f->ssa->blocks[node->block];
    struct flow_value value = {.kind = FLOW_NOTHING};
    for (uint32_t n = 0; n < node->arg_count; n++) {
        const struct flow_value *arg = &f->values[flow_args(f, number)[n]];
        if (arg->kind == FLOW_NOTHING || !comes_from(f, f->ssa->preds[block->first_pred + n], node->block))
            continue;
        value = outlives(f, arg, node->block) ? meet(f, &value, arg) : flow_unknown();
        if (value.kind == FLOW_UNKNOWN)
            break;
    }
    flow_set(f, number, value);
}

static void eval_merge(struct flow *f, uint32_t number)
{
    const struct ir_ssa_node *node = &f->ssa->nodes[number];
    const uint32_t *args = flow_args(f, number) + node->arg_count - 2;
    struct flow_value made = f->values[args[0]], old = f->values[args[1]];
    uint32_t mask[2];
    flow_mask_of(f, node, mask);
    if (flow_is_none(f, mask)) {
        flow_set(f, number, old);
        return;
    }
    if (made.kind == FLOW_NOTHING)
        return;
    bool all = flow_is_all(f, mask), alike = same(f, &made, &old) && flow_is_everywhere(made.under);
    if (!all && !alike && !flow_meet_masks(f, made.under, mask))
        made = flow_unknown();
    flow_set(f, number, made);
}

/* 3. Control. */

static void take(struct flow *f, uint32_t from, unsigned n)
{
    uint32_t to = f->func->blocks[from].succ[n];
    if (f->blocks[from] & FLOW_TAKEN << n)
        return;
    f->blocks[from] |= (uint8_t)(FLOW_TAKEN << n);
    f->changed = true;
    if (to == IR_NO_BLOCK)
        f->leaves = "a branch leads to code that was not lowered";
    else
        f->blocks[to] |= FLOW_REACHED;
}

static void follow(struct flow *f, uint32_t number)
{
    const struct ir_block *block = &f->func->blocks[number];
    uint32_t cond = f->ssa->blocks[number].cond[0];
    switch (block->term) {
    case IR_TERM_JUMP: take(f, number, 0); break;
    case IR_TERM_BRANCH: {
        const struct flow_value *value = &f->values[cond];
        if (value->kind == FLOW_NOTHING)
            break;
        struct trace_affine sum = flow_sum_of(f, value);
        struct trace_bounds bounds;
        trace_wide at;
        bool exact = trace_affine_exact(&sum, &f->domain, TRACE_WORD, false, &bounds, &at);
        if (!exact || bounds.high > 0)
            take(f, number, 0);
        if (!exact || bounds.low <= 0)
            take(f, number, 1);
        break;
    }
    case IR_TERM_SETPC: f->leaves = "a computed jump"; break;
    default: break;
    }
}

static void eval_node(struct flow *f, uint32_t number)
{
    switch (f->ssa->nodes[number].kind) {
    case IR_SSA_OP: flow_operation(f, number); break;
    case IR_SSA_MERGE: eval_merge(f, number); break;
    default: break; /* words are set with their operation */
    }
}

static void eval_block(struct flow *f, uint32_t number)
{
    const struct ir_ssa_block *block = &f->ssa->blocks[number];
    for (uint32_t n = 0; n < block->phi_count; n++)
        if (f->ssa->nodes[block->first_phi + n].kind == IR_SSA_PHI)
            eval_phi(f, block->first_phi + n);
    for (uint32_t n = 0; n < block->count; n++)
        eval_node(f, block->first + n);
    follow(f, number);
}

/* False: it takes too long. */
static bool settle(struct flow *f)
{
    do {
        f->changed = false;
        for (uint32_t n = 0; n < f->ssa->order_count; n++) {
            uint32_t number = f->ssa->order[n], steps = f->ssa->blocks[number].count + f->ssa->blocks[number].phi_count + 1;
            if (!(f->blocks[number] & FLOW_REACHED))
                continue;
            if (f->work_left < steps)
                return false;
            f->work_left -= steps;
            eval_block(f, number);
        }
    } while (f->changed && f->program->loops);
    return true;
}

/* 4. The start. */

static uint32_t field(uint32_t word, unsigned low, unsigned width)
{
    return word >> low & ((1u << width) - 1);
}

static void start_ids(struct flow *f)
{
    const struct wave_dispatch *d = f->dispatch;
    unsigned at = field(d->rsrc2, 1, 5), ids = field(d->rsrc2, 11, 2);
    for (unsigned n = 0; n < at; n++)
        f->values[n] = flow_word(d->user_data[n]);
    for (unsigned n = 0; n < TRACE_AXES; n++)
        if (field(d->rsrc2, 7 + n, 1)) {
            struct trace_affine id = trace_affine_id(n, d->first_group[n]);
            f->values[at++] = d->groups[n] == 1 ? flow_word(d->first_group[n]) : flow_sum(f, &id);
        }
    at += field(d->rsrc2, 10, 1); /* the group's size */
    if (field(d->rsrc2, 0, 1) && d->scratch_waves) {
        struct trace_affine offset = trace_affine_between(0, d->scratch_waves - 1u, 0);
        offset = trace_affine_scale(&offset, d->scratch_wave_bytes, TRACE_WORD);
        f->values[at] = flow_sum(f, &offset);
    }
    for (unsigned n = 0; n < TRACE_AXES && n <= ids; n++) {
        struct trace_affine id = trace_affine_id(TRACE_AXES + n, 0);
        f->values[IR_SSA_V + n] = d->threads[n] == 1 ? flow_word(0) : flow_sum(f, &id);
    }
}

static void start_state(struct flow *f)
{
    enum { DX10_CLAMP = 21, IEEE = 23, MODE_DX10_CLAMP = 8, MODE_IEEE = 9 };
    const struct wave_dispatch *d = f->dispatch;
    for (unsigned n = 0; n < f->masks; n++) {
        f->values[IR_EXEC + n] =
            f->full ? flow_word(UINT32_MAX) : (struct flow_value){FLOW_THREADS, n, {IR_SSA_NONE, IR_SSA_NONE}};
        f->values[IR_ALL_LO + n] = flow_word(UINT32_MAX);
    }
    f->values[IR_MODE] = flow_word(field(d->rsrc1, 12, 8) | field(d->rsrc1, DX10_CLAMP, 1) << MODE_DX10_CLAMP |
                                   field(d->rsrc1, IEEE, 1) << MODE_IEEE);
    f->values[IR_SHARED_BASE] = flow_word(d->apertures.shared_base_hi);
    f->values[IR_PRIVATE_BASE] = flow_word(d->apertures.private_base_hi);
}

static bool is_full(const struct wave_dispatch *d)
{
    uint64_t threads = (uint64_t)d->threads[0] * d->threads[1] * d->threads[2];
    return threads % d->wave_size == 0 && !memcmp(d->threads, d->last_threads, sizeof d->threads);
}

static void start(struct flow *f)
{
    const struct ir_ssa *ssa = f->ssa;
    memcpy(f->values, f->program->start, ssa->node_count * sizeof *f->values);
    memset(f->wide, 0xff, ssa->node_count * sizeof *f->wide);
    memset(f->changes, 0, ssa->node_count);
    memset(f->blocks, 0, f->func->block_count);
    f->sum_count = f->read_count = 0;
    f->leaves = NULL;
    start_ids(f);
    start_state(f);
    f->blocks[ssa->entry] = FLOW_REACHED;
}

static bool init(struct flow *f, const struct trace_subject *subject, const struct trace_flow_program *program)
{
    *f = (struct flow){.program = program,
                       .ssa = program->ssa,
                       .func = program->func,
                       .dispatch = subject->dispatch,
                       .images = subject->tracker ? wave_tracker_images(subject->tracker) : NULL,
                       .looked = {.memory = subject->reader->memory}};
    const struct wave_dispatch *d = subject->dispatch;
    f->domain = trace_domain_of(d->groups, d->threads, d->last_threads);
    f->masks = ir_mask_span(f->func);
    f->full = is_full(d);
    f->work_left = (uint64_t)STEPS_EACH * f->ssa->node_count + STEPS_FREE;
    size_t nodes = f->ssa->node_count;
    f->values = malloc(nodes * (sizeof *f->values + sizeof *f->wide + 2) + f->func->block_count);
    if (!f->values)
        return false;
    f->wide = (uint32_t *)(void *)(f->values + nodes);
    f->changes = (uint8_t *)(f->wide + nodes);
    f->blocked = f->changes + nodes;
    f->blocks = f->blocked + nodes;
    memset(f->blocked, 0, nodes);
    return true;
}

static void finish(struct flow *f)
{
    trace_reader_finish(&f->looked);
    free(f->values);
    free(f->sums);
    free(f->reads);
}

/* 5. What loads were answered with must not be what the dispatch itself stores. */

static bool may_store_at(const struct flow_place *place, const struct trace_domain *domain, const struct flow_read *read)
{
    switch (place->place) {
    case TRACE_APART: return false;
    case TRACE_RANGE: {
        if (!place->summed)
            return place->low < read->end && place->high > read->start;
        struct trace_bounds bounds;
        trace_wide at;
        if (!trace_affine_exact(&place->address, domain, TRACE_PAIR, false, &bounds, &at))
            return true;
        return bounds.low < (trace_wide)read->end && bounds.high + place->bytes > (trace_wide)read->start &&
               place->low < read->end && place->high > read->start;
    }
    /* Scalar loads are not coherent with stores: they see those for certain only where those are known to lie. */
    default:
        return place->described && place->high < UINT64_MAX ? place->low < read->end && place->high > read->start : read->vector;
    }
}

static bool is_store(const struct flow *f, const struct ir_ssa_node *node)
{
    return node->kind == IR_SSA_OP && (f->func->insts[node->inst].op == IR_store || f->func->insts[node->inst].op == IR_atomic);
}

bool flow_stores_image(const struct flow *f, const struct ir_ssa_node *node)
{
    const struct ir_image *image = node->kind == IR_SSA_OP ? ir_inst_image(f->func, &f->func->insts[node->inst]) : NULL;
    return image && (image->kind == IR_IMAGE_STORE || image->kind == IR_IMAGE_STORE_RAW || image->kind == IR_IMAGE_ATOMIC);
}

static bool block_reads(struct flow *f, const struct flow_place *place)
{
    bool any = false;
    for (uint32_t n = 0; n < f->read_count; n++)
        if (!f->blocked[f->reads[n].node] && may_store_at(place, &f->domain, &f->reads[n])) {
            f->blocked[f->reads[n].node] = 1;
            any = true;
        }
    return any;
}

/* Whether loads were answered that may not have been. */
static bool finds_stored(struct flow *f)
{
    bool any = false;
    for (uint32_t b = 0; b < f->ssa->order_count && f->read_count; b++) {
        const struct ir_ssa_block *block = &f->ssa->blocks[f->ssa->order[b]];
        if (!(f->blocks[f->ssa->order[b]] & FLOW_REACHED))
            continue;
        for (uint32_t n = block->first; n < block->first + block->count; n++) {
            struct flow_place place = {.place = TRACE_UNKNOWN};
            if (is_store(f, &f->ssa->nodes[n]))
                flow_place_of(f, n, &place);
            else if (flow_stores_image(f, &f->ssa->nodes[n]))
                flow_image_place_of(f, n, &place);
            else
                continue;
            any |= block_reads(f, &place);
        }
    }
    return any;
}

/* False: too long. */
static bool run(struct flow *f)
{
    for (unsigned n = 0;; n++) {
        if (n == MOST_RUNS) /* each run finds stores that the one before did not: no load is answered any more */
            memset(f->blocked, 1, f->ssa->node_count);
        start(f);
        if (!settle(f))
            return false;
        if (!finds_stored(f))
            return true;
    }
}

/* Where nothing can be said: every access there is. */
static void forget(struct flow *f)
{
    for (uint32_t n = 0; n < f->ssa->order_count; n++)
        f->blocks[f->ssa->order[n]] = FLOW_REACHED | FLOW_TAKEN | FLOW_TAKEN << 1;
    for (uint32_t n = 0; n < f->ssa->node_count; n++) {
        f->values[n] = flow_unknown();
        f->wide[n] = IR_SSA_NONE;
    }
    f->read_count = 0;
    f->leaves = "the program is too long for the flow";
}

bool trace_flow_run(const struct trace_subject *subject, struct trace_table *table)
{
    struct trace_flow_program *own = NULL;
    if (!subject->func || (!subject->flow && !(own = trace_flow_program_create(subject->func)))) {
        table->leaves = "the program can't be read";
        return true;
    }
    struct flow f;
    bool good = init(&f, subject, own ? own : subject->flow);
    if (good && !f.domain.empty) {
        if (!run(&f))
            forget(&f);
        good = !f.out_of_memory && flow_sites(&f, table);
        for (uint32_t n = 0; n < f.read_count; n++)
            trace_note_read(subject->reader, f.reads[n].vector ? TRACE_READ_VECTOR : TRACE_READ_SCALAR, f.reads[n].start,
                            f.reads[n].end);
        table->leaves = f.leaves;
    }
    finish(&f);
    trace_flow_program_destroy(own);
    return good;
}

/* 6. Programs. */

static bool has_loops(const struct ir_ssa *ssa, uint32_t *place)
{
    for (uint32_t n = 0; n < ssa->order_count; n++)
        place[ssa->order[n]] = n;
    for (uint32_t n = 0; n < ssa->order_count; n++) {
        const struct ir_ssa_block *block = &ssa->blocks[ssa->order[n]];
        for (uint32_t p = 0; p < block->pred_count; p++) {
            uint32_t pred = ssa->preds[block->first_pred + p];
            if (pred != IR_SSA_NONE && ssa->blocks[pred].reachable && place[pred] >= n)
                return true;
        }
    }
    return false;
}

static void fill_start(struct trace_flow_program *program)
{
    const struct ir_ssa *ssa = program->ssa;
    for (uint32_t n = 0; n < ssa->node_count; n++) {
        const struct ir_ssa_node *node = &ssa->nodes[n];
        program->start[n] = node->kind == IR_SSA_CONST   ? flow_word(node->value)
                            : node->kind == IR_SSA_ENTRY ? flow_unknown()
                                                         : (struct flow_value){.under = {IR_SSA_NONE, IR_SSA_NONE}};
    }
}

struct trace_flow_program *trace_flow_program_create(const struct ir_func *func)
{
    struct trace_flow_program *program = calloc(1, sizeof *program);
    uint32_t *place = calloc(func->block_count + 1u, sizeof *place);
    if (program && place && (program->ssa = ir_ssa_create(func))) {
        program->func = func;
        ir_ssa_simplify(program->ssa);
        ir_ssa_drop_dead(program->ssa);
        program->loops = has_loops(program->ssa, place);
        program->start = malloc(program->ssa->node_count * sizeof *program->start);
    }
    free(place);
    if (!program || !program->start) {
        trace_flow_program_destroy(program);
        return NULL;
    }
    fill_start(program);
    return program;
}

void trace_flow_program_destroy(struct trace_flow_program *program)
{
    if (!program)
        return;
    ir_ssa_destroy(program->ssa);
    free(program->start);
    free(program);
}
