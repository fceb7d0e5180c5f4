/* Runs one wave until it gives up the core: the floating-point environment, and jumps to computed addresses. */
#include <immintrin.h>

#include <stdio.h>
#include <string.h>

#include "wave/wave_program.h"

enum { CSR_MASKED = 0x1f80, CSR_DAZ = 0x40, CSR_FTZ = 0x8000, CSR_ROUND_SHIFT = 13 };

/* MODE's rounding numbers to the host's: nearest, +inf, -inf, zero. */
static uint32_t host_csr(unsigned round, bool denorm_in, bool denorm_out)
{
    static const uint32_t host_round[4] = {0, 2, 1, 3};
    return CSR_MASKED | host_round[round] << CSR_ROUND_SHIFT | (denorm_in ? 0 : CSR_DAZ) | (denorm_out ? 0 : CSR_FTZ);
}

void wave_load_consts(struct wave *w, const struct wave_unit *unit)
{
    enum { NUMBERS = 64 };
    uint64_t bit = unit->number < NUMBERS ? (uint64_t)1 << unit->number : 0;
    if (w->units_loaded & bit)
        return;
    /* A constant's two words stand in the host's order, which is the guest's. */
    if (unit->func->const_count)
        memcpy(w->k + unit->const_base, unit->func->consts, unit->func->const_count * sizeof *unit->func->consts);
    w->units_loaded |= bit;
}

void wave_apply_mode(struct wave *w)
{
    w->mode_word = w->s[IR_MODE];
    w->mode = ir_mode_unpack(w->mode_word);
    w->mxcsr32 = host_csr(w->mode.round32, w->mode.denorm32_in, w->mode.denorm32_out);
    w->mxcsr64 = host_csr(w->mode.round64, w->mode.denorm64_in, w->mode.denorm64_out);
    w->split_mode = w->mxcsr32 != w->mxcsr64;
}

/* Fills the worker's entry for pc; false, with *why (NULL: out of memory), when there is nothing. */
static bool find_jump(struct wave_worker *worker, struct wave_jump *jump, uint64_t pc, const char **why)
{
    struct wave_shared *shared = worker->shared;
    jump->stamp = 0;
    jump->place = wave_program_find(shared->program, shared->memory, shared->dispatch->code_epoch, pc, why);
    if (!jump->place.op)
        return false;
    jump->counts = wave_program_counts(shared->program, jump->place.unit, worker);
    jump->pc = pc;
    jump->stamp = worker->stamp;
    return jump->counts != NULL;
}

/* Where the wave goes on after a computed jump; NULL after reporting why it can't. */
static const struct wave_op *follow_jump(struct wave *w)
{
    struct wave_worker *worker = w->worker;
    uint64_t pc = w->jump_pc;
    struct wave_jump *jump = &worker->jumps[(pc >> 2) % WAVE_JUMPS];
    const char *why = NULL;
    if ((jump->pc != pc || jump->stamp != worker->stamp) && !find_jump(worker, jump, pc, &why)) {
        struct wave_fault fault = {.kind = wave_fetch_fault(pc), .pc = pc, .address = pc, .lane = -1, .wave = w->index};
        memcpy(fault.group, w->group->id, sizeof fault.group);
        snprintf(fault.text, sizeof fault.text, "%s", why ? why : "the host is out of memory");
        wave_report_add(worker->shared->report, &fault);
        w->status = WAVE_STOPPED;
        return NULL;
    }
    w->unit = jump->place.unit;
    w->counts = jump->counts;
    wave_load_consts(w, jump->place.unit);
    if (--w->budget < 0) {
        w->status = WAVE_YIELDED;
        w->resume = jump->place.op;
        return NULL;
    }
    return jump->place.op;
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
            op = follow_jump(w);
    }
    worker->shared->variant.tier->leave();
    if (before)
        _mm_setcsr(before);
    else
        worker->csr = w->mxcsr32;
}
