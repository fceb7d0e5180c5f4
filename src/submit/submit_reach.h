/* submit_reach: the guest memory that dispatches write, worked out ahead of their turn by trace/'s flow, and checked in their turn.
 *
 * What is worked out hangs on registers as the caller's thread guesses them, and on memory as it is while it looks: code, and the tables
 * that descriptors come from. It looks at copies, never waits, and believes nobody: when the dispatch's turn comes, the command processor
 * compares both with what they are then (submit_reach_holds). Where that is something else, nothing that was prepared meanwhile counts
 * (submit_ledger_distrust).
 *
 * Roles and owners:
 *   submit_tracer  works reaches out and keeps those that may be of use again; the GPU's; for any thread.
 *   submit_reach   what one dispatch writes; immutable, counted: each find needs a release.
 */
#ifndef SUBMIT_SUBMIT_REACH_H
#define SUBMIT_SUBMIT_REACH_H

#include "isa/isa.h"
#include "memory/memory.h"
#include "submit/submit_writes.h"
#include "wave/wave.h"

struct submit_tracer;
struct submit_reach;

struct submit_tracer *submit_tracer_create(enum isa_chip_bit chip); /* NULL: out of memory */
void submit_tracer_destroy(struct submit_tracer *tracer);           /* NULL is fine; no reach is in use */

/* The dispatch that stands for an indirect one: its grid is the largest that there is. */
void submit_reach_widen(struct wave_dispatch *dispatch);

/* indirect: the size of the grid stands in memory, and what is in the dispatch does not count. NULL: out of memory. */
struct submit_reach *submit_tracer_find(struct submit_tracer *tracer, const struct mem_snapshot *snapshot,
                                        const struct wave_dispatch *dispatch, bool indirect);
struct submit_reach *submit_reach_retain(struct submit_reach *reach);
void submit_reach_release(struct submit_reach *reach); /* NULL is fine */

/* What it writes; its owner's. */
const struct submit_writes *submit_reach_writes(const struct submit_reach *reach);
/* Where it is not bounded: the program, and the first instruction that is not (0: none in particular). */
uint64_t submit_reach_place(const struct submit_reach *reach);

/* Memory that is being compared is settled first. */
struct submit_settle {
    void *user;
    void (*settle)(void *user, uint64_t address, uint64_t size);
};
/* Whether it is what the dispatch (of an indirect one whatever its grid is) writes, for memory as it is now. settle may be NULL. */
bool submit_reach_holds(const struct submit_reach *reach, const struct mem_snapshot *snapshot,
                        const struct wave_dispatch *dispatch, const struct submit_settle *settle);
/* It did not hold in its turn: nobody should bound that program again, for a while at least. */
void submit_tracer_doubt(struct submit_tracer *tracer, uint64_t program);
bool submit_tracer_doubts(const struct submit_tracer *tracer, uint64_t program);

/* submit_image: adds what a store to an image writes. False: the descriptor does not say where that is. */
struct image_config;
struct trace_image;
struct image_view;
bool submit_image_writes(struct submit_writes *writes, const struct image_config *config, const struct trace_image *image);
/* One level of a view, in its slices. */
bool submit_image_level(struct submit_writes *writes, const struct image_view *view, unsigned level);

/* submit_target: adds what a draw writes of its colour targets (D874). */
struct submit_state;
void submit_target_writes(struct submit_writes *writes, const struct image_config *config, const struct submit_state *state);
/* How the tracer's chip lays images out; NULL: nothing is known of that. */
const struct image_config *submit_tracer_images(const struct submit_tracer *tracer);

#endif
