/* Words of a store that follow from the ids of groups and threads alone: which word each place of its range is left with. */
#include <stdlib.h>

#include "trace/trace_flow_internal.h"

enum { WORD = 4, DATA = 4, MOST_WORDS = 4 };

/* 1. What is stored. */

static bool same_steps(const struct trace_affine *a, const struct trace_affine *b)
{
    bool same = true;
    for (unsigned n = 0; n < TRACE_VARS; n++)
        same &= (uint32_t)a->c[n] == (uint32_t)b->c[n];
    return same;
}

/* The words that one lane stores: the first, and what is between one and the next. */
static bool data_of(const struct flow *f, uint32_t op, struct trace_affine *first, uint32_t *step, uint32_t *count)
{
    const struct ir_ssa_node *node = &f->ssa->nodes[op];
    const struct ir_inst *inst = &f->func->insts[node->inst];
    uint32_t at = 0, mask[2];
    *count = ir_src_span(f->func, inst, DATA);
    *step = 0;
    if (ir_inst_access(f->func, inst)->flags & (IR_AC_D16 | IR_AC_D16_HI | IR_AC_FORMAT) || !*count || *count > MOST_WORDS)
        return false;
    flow_mask_of(f, node, mask);
    for (unsigned n = 0; n < DATA; n++)
        at += ir_src_span(f->func, inst, n);
    for (uint32_t n = 0; n < *count; n++) {
        const struct flow_value *value = &f->values[flow_args(f, op)[at + n]];
        bool sum = value->kind == FLOW_WORD || value->kind == FLOW_SUM;
        if (!sum || (!flow_is_everywhere(value->under) && !flow_is_within(f, mask, value->under)))
            return false;
        struct trace_affine word = flow_sum_of(f, value);
        if (n == 0)
            *first = word;
        if (n == 1)
            *step = (uint32_t)(word.at - first->at);
        if (word.noise || !same_steps(&word, first) || (uint32_t)(word.at - first->at) != n * *step)
            return false;
    }
    return true;
}

/* 2. Where the lanes are, one digit of a place's number after the other. */

struct digit {
    uint64_t stride, count; /* in bytes */
    uint32_t step;          /* of the words */
};

struct digits {
    struct digit list[TRACE_DIGITS];
    unsigned count;
    uint64_t origin; /* the place of the first lane, */
    uint32_t word;   /* and its word */
};

static void add_digit(struct digits *d, const struct trace_limit *limit, int64_t stride, int64_t step)
{
    d->origin += (uint64_t)stride * (uint64_t)limit->low;
    d->word += (uint32_t)step * (uint32_t)limit->low;
    if (limit->high > limit->low)
        d->list[d->count++] = (struct digit){(uint64_t)stride, (uint64_t)(limit->high - limit->low) + 1, (uint32_t)step};
}

/* The groups and threads of one dimension, which are one digit where threads of a group go on where the group before ends, or two where all of
 * these pairs are there. */
static bool add_axis(struct digits *d, const struct trace_affine *place, const struct trace_affine *word,
                     const struct trace_axis *axis, unsigned n)
{
    const int64_t threads = (int64_t)axis->threads;
    const int64_t group[2] = {place->c[n], word->c[n]}, thread[2] = {place->c[TRACE_AXES + n], word->c[TRACE_AXES + n]};
    bool all = axis->t.low == 0 && axis->t.high == threads - 1;
    bool on = (uint64_t)group[0] == (uint64_t)thread[0] * (uint64_t)threads &&
              (uint32_t)group[1] == (uint32_t)thread[1] * (uint32_t)threads;
    bool pairs = axis->u.low <= threads * axis->g.low + axis->t.low && axis->u.high >= threads * axis->g.high + axis->t.high;
    if (threads > 1 && all && on) {
        add_digit(d, &axis->u, thread[0], thread[1]);
        return true;
    }
    add_digit(d, &axis->g, group[0], group[1]);
    add_digit(d, &axis->t, thread[0], thread[1]);
    return pairs;
}

static int by_stride(const void *a, const void *b)
{
    const struct digit *one = a, *other = b;
    return one->stride < other->stride ? -1 : one->stride > other->stride;
}

/* Whether each word has a lane of its own: places are numbers, without a gap and without two alike. */
static bool are_numbers(const struct digits *d, uint64_t bytes)
{
    unsigned __int128 stride = WORD;
    for (unsigned n = 0; n < d->count; n++) {
        if (d->list[n].stride != stride)
            return false;
        stride *= d->list[n].count;
    }
    return stride >= bytes;
}

/* Digits whose words go on where those of the one before end are one. */
static void put_words(const struct digits *d, struct trace_words *words)
{
    *words = (struct trace_words){.first = d->word};
    for (unsigned n = 0; n < d->count; n++) {
        const struct digit *digit = &d->list[n];
        unsigned last = words->digits - 1;
        if (words->digits && digit->step == words->step[last] * (uint32_t)words->count[last]) {
            words->count[last] *= digit->count;
        } else {
            words->count[words->digits] = digit->count;
            words->step[words->digits++] = digit->step;
        }
    }
}

bool flow_words(const struct flow *f, uint32_t op, const struct flow_place *place, const struct trace_domain *domain,
                uint64_t start, uint64_t end, struct trace_words *words)
{
    const struct trace_affine *address = &place->address;
    struct trace_affine word;
    uint32_t step, count;
    struct digits d = {.count = 0};
    if (place->capped || address->noise || start % WORD || end % WORD || !data_of(f, op, &word, &step, &count) ||
        place->bytes != count * WORD)
        return false;
    d.origin = address->at;
    d.word = (uint32_t)word.at;
    add_digit(&d, &(struct trace_limit){0, (int64_t)count - 1}, WORD, step);
    for (unsigned n = 0; n < TRACE_AXES; n++)
        if (!add_axis(&d, address, &word, &domain->axis[n], n))
            return false;
    qsort(d.list, d.count, sizeof *d.list, by_stride);
    if (d.origin != start || !are_numbers(&d, end - start))
        return false;
    put_words(&d, words);
    return true;
}
