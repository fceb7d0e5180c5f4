/* How blocks end: counted, then on to another one. For the handlers of terminators, and of operations that do a terminator's work too. */
#ifndef WAVE_WAVE_ENDS_H
#define WAVE_WAVE_ENDS_H

#include "wave/wave_internal.h"

static inline void wave_count_block(struct wave *w, const struct wave_op *o)
{
    w->counts[(uintptr_t)o->aux]++;
}

/* Distances are in operations; going back costs budget. */
static inline const struct wave_op *wave_go(struct wave *w, const struct wave_op *o, int32_t distance)
{
    const struct wave_op *to = o + distance;
    if (distance <= 0 && __builtin_expect(--w->budget < 0, 0)) {
        w->status = WAVE_YIELDED;
        w->resume = to;
        return NULL;
    }
    WAVE_GO(to);
}

/* The branch o, whose condition is the word `taken`. */
static inline const struct wave_op *wave_branch(struct wave *w, const struct wave_op *o, uint32_t taken)
{
    wave_count_block(w, o);
    return wave_go(w, o, (int32_t)(taken ? o->imm : o->x));
}

#endif
