/* Operations on the wave itself: barriers, sleep, clocks, MODE, traps, refusals, and relative scalar registers. */
#include <immintrin.h>

#include "base/base_clock.h"
#include "wave/wave_internal.h"

static const struct wave_op *give_up(struct wave *w, const struct wave_op *o, enum wave_status status)
{
    w->status = (uint8_t)status;
    w->resume = o + 1;
    return NULL;
}

static const struct wave_op *op_barrier(struct wave *w, const struct wave_op *o)
{
    return give_up(w, o, WAVE_BARRIER);
}
static const struct wave_op *op_sleep(struct wave *w, const struct wave_op *o)
{
    return give_up(w, o, WAVE_YIELDED);
}

/* Streaming stores pass by the caches, and by each other. */
static const struct wave_op *op_store_wait(struct wave *w, const struct wave_op *o)
{
    if (w->worker->streamed)
        _mm_sfence();
    w->worker->streamed = false;
    return o + 1;
}

/* What stops a wave ends its block as a rule: that was executed then. */
static void count_block(struct wave *w, const struct wave_op *o)
{
    const struct wave_unit *unit = w->unit;
    if ((o + 1)->fn != w->worker->shared->variant.tier->stop)
        return;
    uint32_t low = 0, high = unit->func->block_count, at = (uint32_t)(o - unit->ops);
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (unit->block_op[middle] <= at)
            low = middle;
        else
            high = middle;
    }
    w->counts[low]++;
}

static const struct wave_op *stop(struct wave *w, const struct wave_op *o, enum wave_fault_kind kind, uint64_t what)
{
    if (kind != WAVE_FAULT_FETCH && kind != WAVE_FAULT_FETCH_MISALIGNED)
        count_block(w, o);
    wave_report_fault(w, o, kind, -1, what);
    return give_up(w, o, WAVE_STOPPED);
}

static const struct wave_op *op_trap(struct wave *w, const struct wave_op *o)
{
    return stop(w, o, WAVE_FAULT_TRAP, o->imm);
}
static const struct wave_op *op_unsupported(struct wave *w, const struct wave_op *o)
{
    return stop(w, o, WAVE_FAULT_UNSUPPORTED_INSTRUCTION, 0);
}

static const struct wave_op *op_unknown(struct wave *w, const struct wave_op *o)
{
    if (o->imm == IR_UNKNOWN_NO_CODE)
        return stop(w, o, wave_fetch_fault(wave_pc_of(w, o)), wave_pc_of(w, o));
    return stop(w, o, WAVE_FAULT_UNKNOWN_INSTRUCTION, 0);
}

/* Messages that reach the handler are those that change nothing here; lower/ refuses the others. */
static const struct wave_op *op_sendmsg(struct wave *w, const struct wave_op *o)
{
    (void)w;
    return o + 1;
}

/* The host's clock, or one that moves only when it is read, so that runs can be repeated. */
static uint64_t nanoseconds(struct wave *w)
{
    enum { READ_TAKES = 100 };
    if (w->worker->shared->options->deterministic)
        return w->worker->ticks += READ_TAKES;
    return base_clock_ns();
}

static const struct wave_op *op_memtime(struct wave *w, const struct wave_op *o)
{
    enum { CORE, REFERENCE, CYCLES };
    uint64_t ns = nanoseconds(w);
    uint64_t time =
        o->imm == REFERENCE ? ns / 10 : ns; /* the reference clock runs at 100 MHz; the core is taken to run at 1 GHz */
    if (o->imm == CYCLES)
        time &= 0xfffff;
    uint32_t *d = wave_at(w, o->d);
    d[0] = (uint32_t)time;
    d[1] = (uint32_t)(time >> 32);
    return o + 1;
}

static const struct wave_op *op_set_mode(struct wave *w, const struct wave_op *o)
{
    enum { FP16_OVFL = 1 << 23 }; /* f16 overflow to the largest number: not done, so not accepted */
    uint32_t mode = *wave_at(w, o->a);
    if (mode & FP16_OVFL)
        return op_unsupported(w, o);
    w->s[IR_MODE] = mode;
    wave_apply_mode(w);
    _mm_setcsr(w->mxcsr32); /* what the rows run under from here on */
    return o + 1;
}

/* s_movrel: register base + index, within SGPRs; a pair must lie in them as a whole. Past them *there is false. */
static uint32_t *relative(struct wave *w, uint32_t imm, uint32_t index, bool *there)
{
    enum { SGPRS = 106, PAIR = 1 << 8, HIGH = 1 << 9 };
    uint64_t number = (uint64_t)(imm & 0xff) + index, last = number + (imm & PAIR ? 1 : 0);
    *there = last < SGPRS;
    return &w->s[(*there ? number : 0) + (imm & HIGH ? 1 : 0)];
}

static const struct wave_op *op_s_movrels(struct wave *w, const struct wave_op *o)
{
    bool there;
    *wave_at(w, o->d) = *relative(w, o->imm, *wave_at(w, o->a), &there);
    return o + 1;
}

static const struct wave_op *op_s_movreld(struct wave *w, const struct wave_op *o)
{
    bool there;
    uint32_t *to = relative(w, o->imm, *wave_at(w, o->b), &there);
    if (there)
        *to = *wave_at(w, o->a);
    return o + 1;
}

static const wave_fn handlers[IR_OP_COUNT] = {
    [IR_barrier] = op_barrier,     [IR_store_wait] = op_store_wait,   [IR_sleep] = op_sleep,
    [IR_memtime] = op_memtime,     [IR_set_mode] = op_set_mode,       [IR_trap] = op_trap,
    [IR_sendmsg] = op_sendmsg,     [IR_unsupported] = op_unsupported, [IR_unknown] = op_unknown,
    [IR_s_movrels] = op_s_movrels, [IR_s_movreld] = op_s_movreld,
};

wave_fn wave_plain_handler(const struct ir_inst *inst, unsigned kinds)
{
    (void)kinds;
    return handlers[inst->op];
}
