/* submit_ahead: what the caller's thread works out for a submission's packets before it is queued: its writes, and its
 * dispatches prepared. */
#ifndef SUBMIT_SUBMIT_AHEAD_H
#define SUBMIT_SUBMIT_AHEAD_H

#include "submit/submit.h"
#include "submit/submit_state.h"

/* A dispatch prepared ahead of its turn; the work's. */
struct submit_ahead {
    struct device_dispatch dispatch;  /* as the registers were thought to be */
    struct device_prepared *prepared; /* NULL: taken, or dropped */
    struct submit_ahead *next;
};

/* Walks a parsed work in the order in which it will be carried out. Notes what it will write, and where the device wants it,
 * prepares its dispatches: with the registers that `shadow` thinks they will see, and after waits for what queued works still
 * write of what it reads. What only the command processor can know (predicates, memory that the stream itself writes) it does
 * not guess: such a dispatch is prepared in its turn. */
void submit_ahead_walk(struct submit_work *work, struct submit_state *shadow, const struct submit_surroundings *around,
                       struct device *device, struct submit_ledger *ledger);
/* True when what was prepared is for exactly these registers. */
bool submit_ahead_holds(const struct submit_ahead *ahead, const struct wave_dispatch *registers);
void submit_ahead_drop(struct device *device, struct submit_ahead *ahead);
/* Drops all that were not taken. */
void submit_ahead_finish(struct device *device, struct submit_work *work);

/* submit_bounds: what one packet will write, other than a dispatch's stores. */
void submit_bounds_pm4(struct submit_writes *writes, const struct pm4_packet *packet);
void submit_bounds_sdma(struct submit_writes *writes, const struct pm4_sdma_packet *packet);

#endif
