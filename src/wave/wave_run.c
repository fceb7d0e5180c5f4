/* Runs one wave until it gives up the core: the floating-point environment, and jumps to computed addresses. */
#include <immintrin.h>

#include "wave/wave_internal.h"

enum { CSR_MASKED = 0x1f80, CSR_DAZ = 0x40, CSR_FTZ = 0x8000, CSR_ROUND_SHIFT = 13 };

/* MODE's rounding numbers to the host's: nearest, +inf, -inf, zero. */
static uint32_t host_csr(unsigned round, bool denorm_in, bool denorm_out)
{
    static const uint32_t host_round[4] = {0, 2, 1, 3};
    return CSR_MASKED | host_round[round] << CSR_ROUND_SHIFT | (denorm_in ? 0 : CSR_DAZ) | (denorm_out ? 0 : CSR_FTZ);
}

void wave_apply_mode(struct wave *w)
{
    w->mode_word = w->s[IR_MODE];
    w->mode = ir_mode_unpack(w->mode_word);
    w->mxcsr32 = host_csr(w->mode.round32, w->mode.denorm32_in, w->mode.denorm32_out);
    w->mxcsr64 = host_csr(w->mode.round64, w->mode.denorm64_in, w->mode.denorm64_out);
    w->split_mode = w->mxcsr32 != w->mxcsr64;
}

/* Where the wave goes on after a computed jump; NULL after reporting why it can't. */
static const struct wave_op *jump(struct wave *w)
{
    struct wave_worker *worker = w->worker;
    uint64_t pc = w->jump_pc;
    unsigned slot = (unsigned)(pc >> 2) % WAVE_JUMPS;
    if (worker->jumps[slot].pc != pc || !worker->jumps[slot].place.op) {
        const char *why = NULL;
        worker->jumps[slot].place = wave_cache_find(worker->shared->cache, &worker->shared->variant, pc, &why);
        worker->jumps[slot].pc = pc;
    }
    struct wave_place place = worker->jumps[slot].place;
    if (!place.op) {
        struct wave_fault fault = {.kind = WAVE_FAULT_FETCH, .pc = pc, .address = pc, .lane = -1, .wave = w->index,
                                   .text = "no room for the program that is jumped to"};
        wave_report_add(worker->shared->report, &fault);
        w->status = WAVE_STOPPED;
        return NULL;
    }
    wave_cache_load_consts(worker->shared->cache, w, place.unit->const_top);
    w->unit = place.unit;
    if (--w->budget < 0) {
        w->status = WAVE_YIELDED;
        w->resume = place.op;
        return NULL;
    }
    return place.op;
}

void wave_run(struct wave *w)
{
    struct wave_worker *worker = w->worker;
    uint32_t before = worker->csr ? 0 : _mm_getcsr();
    w->status = WAVE_RUNNING;
    w->budget = WAVE_SLICE;
    if (worker->csr != w->mxcsr32)
        _mm_setcsr(w->mxcsr32);
    const struct wave_op *op = w->resume;
    while (op) {
        op = op->fn(w, op);
        if (!op && w->status == WAVE_JUMPED)
            op = jump(w);
    }
    worker->shared->variant.tier->leave();
    if (before)
        _mm_setcsr(before);
    else
        worker->csr = w->mxcsr32;
}
