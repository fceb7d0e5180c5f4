/* submit_ahead: what the caller's thread works out for a submission's packets before it is queued: its writes, and its
 * dispatches prepared. */
#ifndef SUBMIT_SUBMIT_AHEAD_H
#define SUBMIT_SUBMIT_AHEAD_H

#include "submit/submit.h"
#include "submit/submit_reach.h"
#include "submit/submit_state.h"

/* A dispatch as it was met ahead of its turn; the work's. */
struct submit_ahead {
    struct device_dispatch dispatch; /* as the registers were thought to be; an indirect one's as submit_reach_widen has it */
    bool indirect;
    struct device_prepared *prepared; /* NULL: never was, taken, or dropped */
    uint64_t trust;                   /* the ledger's before anything was read for it */
    struct submit_reach *reach;       /* what it writes; NULL: nobody worked that out */
    struct submit_ahead *same, *next; /* met before at the same packet, in other registers; all of the work's */
};

/* Walks a parsed work in the order in which it will be carried out. Notes what it will write, and where the device wants it,
 * prepares its dispatches: with the registers that `shadow` thinks they will see, and after waits for what queued works still
 * write of what it reads. What only the command processor can know (predicates, memory that the stream itself writes) it does
 * not guess: such a dispatch is prepared in its turn. */
struct submit_ahead_tools {
    const struct submit_surroundings *around;
    struct device *device;
    struct submit_ledger *ledger;
    struct submit_tracer *tracer;
};
void submit_ahead_walk(struct submit_work *work, struct submit_state *shadow, const struct submit_ahead_tools *tools);
/* What the grid of an indirect dispatch is thought to be, with the initiator that its packet has: some size. */
struct submit_grid submit_ahead_grid(uint32_t initiator);
/* Of what was met at the packet (`ahead`, which may be NULL), that which is for exactly these registers (indirect: whatever the grid is); NULL: none. */
struct submit_ahead *submit_ahead_find(struct submit_ahead *ahead, const struct wave_dispatch *registers, bool indirect);
void submit_ahead_drop(struct device *device, struct submit_ahead *ahead);
/* Drops all that were not taken. */
void submit_ahead_finish(struct device *device, struct submit_work *work);

/* submit_bounds: what one packet will write, other than a dispatch's stores. */
void submit_bounds_pm4(struct submit_writes *writes, const struct pm4_packet *packet);
void submit_bounds_sdma(struct submit_writes *writes, const struct pm4_sdma_packet *packet);

#endif
