/* Counters in the data shares: append, consume, and the ordered count that waves pass in their order. */
#include <string.h>

#include "wave/wave_memory.h"

/* ds_append, ds_consume: how the instruction is packed into the operation's immediate. */
enum { APPEND_OFFSET = 0xffff, APPEND_GDS = 1 << 16, APPEND_CONSUME = 1 << 17 };

/* The counter's place in the host; NULL, and reported, when it has none. */
static uint8_t *counter(struct wave *w, const struct wave_op *o, bool gds, uint32_t at)
{
    const struct wave_dispatch *dispatch = w->worker->shared->dispatch;
    uint8_t *share = gds ? dispatch->gds : w->lds;
    uint64_t size = gds ? dispatch->gds_bytes : w->lds_bytes;
    if (!share || (uint64_t)at + 4 > size)
        wave_report_fault(w, o, gds ? WAVE_FAULT_UNMAPPED_WRITE : WAVE_FAULT_LDS_RANGE, -1, at);
    else if (at % 4)
        wave_report_fault(w, o, WAVE_FAULT_LDS_MISALIGNED, -1, at);
    else
        return share + at;
    return NULL;
}

static void put_lanes(struct wave *w, const struct wave_op *o, uint32_t value)
{
    for (uint64_t lanes = wave_mask_lanes(w, o); lanes; lanes &= lanes - 1)
        wave_at(w, o->d)[__builtin_ctzll(lanes)] = value;
}

const struct wave_op *wave_op_append(struct wave *w, const struct wave_op *o)
{
    uint64_t lanes = wave_mask_lanes(w, o);
    if (!lanes)
        return o + 1;
    uint32_t count = (uint32_t)__builtin_popcountll(lanes), old = 0;
    bool gds = o->imm & APPEND_GDS;
    /* M0's low half is the address, in the global share as well: compilers put it there for both. */
    uint8_t *host = counter(w, o, gds, (w->s[IR_M0] & 0xffffu) + (o->imm & APPEND_OFFSET));
    if (host)
        old = (uint32_t)wave_atomic_guest(o->imm & APPEND_CONSUME ? IR_A_SUB : IR_A_ADD, 4, host, count, 0);
    put_lanes(w, o, old);
    return o + 1;
}

/* ds_ordered_count's offset field: which counter, whether the wave gives its turn up, and what is done to the counter. */
struct ordered_form {
    unsigned word;
    bool release;
    unsigned operation;
};

static struct ordered_form ordered_form(uint32_t offset)
{
    return (struct ordered_form){.word = offset >> 2 & 63, .release = offset >> 8 & 1, .operation = offset >> 12 & 3};
}

/* Waves come in the order in which the dispatcher made them. */
static uint64_t turn_of(const struct wave *w)
{
    return w->group->linear * w->worker->shared->waves_per_group + w->index;
}

const struct wave_op *wave_op_ordered_count(struct wave *w, const struct wave_op *o)
{
    static const uint8_t operations[] = {IR_A_ADD, IR_A_SWAP, IR_A_NONE, IR_A_NONE};
    const struct ordered_form form = ordered_form(o->imm);
    struct wave_shared *shared = w->worker->shared;
    enum ir_atomic what = (enum ir_atomic)operations[form.operation];
    if (what == IR_A_NONE) { /* wrap and its kin: not known well enough */
        wave_report_fault(w, o, WAVE_FAULT_UNSUPPORTED_INSTRUCTION, -1, 0);
        w->status = WAVE_STOPPED;
        return NULL;
    }
    if (atomic_load_explicit(&shared->ordered_turn, memory_order_acquire) != turn_of(w)) {
        w->status = WAVE_YIELDED;
        w->resume = o;
        return NULL;
    }
    uint64_t lanes = wave_mask_lanes(w, o);
    uint32_t base = w->s[IR_M0] >> 16, old = 0;
    uint32_t data = wave_at(w, o->a)[lanes ? __builtin_ctzll(lanes) : 0];
    uint8_t *host = counter(w, o, true, base + form.word * 4);
    if (host)
        old = (uint32_t)wave_atomic_guest(what, 4, host, data, 0);
    put_lanes(w, o, old);
    /* The last wave of a partial group hands the turn on over those that a full group would have. */
    bool last = w->index + 1 == w->group->wave_count;
    if (form.release)
        atomic_fetch_add_explicit(&shared->ordered_turn, last ? shared->waves_per_group - w->index : 1, memory_order_release);
    return o + 1;
}
