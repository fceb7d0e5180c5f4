/* vulkan_bind: what a dispatch on a mirroring device is bound to, from its trace: the ranges that it reads are brought up to date, those that it
 * only stores to are not read, and what the trace does not know goes by address through the table of runs.
 *
 * Roles and owners:
 *   vulkan_tracer   traces of an engine's dispatches, kept while they hold; created and destroyed by it; under its lock.
 *   vulkan_bound    a range of guest memory and what becomes of it; plain data.
 *   vulkan_binding  all of one dispatch; finished by whoever made it.
 *
 * Life: vulkan_binding_make, _open (copies are ready, the parameters' slots are filled), the run, _close.
 */
#ifndef VULKAN_VULKAN_BIND_H
#define VULKAN_VULKAN_BIND_H

#include "spirv/spirv.h"
#include "trace/trace.h"
#include "vulkan/vulkan_mirror.h"
#include "vulkan/vulkan_views.h"

struct vulkan_tracer;

/* The mirror's results are in guest memory before the tracer looks there; without one (NULL) work goes on in place, and traces are those of the flow
 * alone. NULL: out of memory. */
struct vulkan_tracer *vulkan_tracer_create(enum isa_chip_bit chip, struct vulkan_mirror *mirror);
/* What a dispatch reaches: the tracer's, until its next; NULL: out of memory. */
const struct trace *vulkan_tracer_trace(struct vulkan_tracer *tracer, struct mem_snapshot *snapshot,
                                        const struct wave_dispatch *dispatch);
void vulkan_tracer_destroy(struct vulkan_tracer *tracer); /* NULL is fine */

enum vulkan_use {
    VULKAN_READ,     /* and not stored to */
    VULKAN_COMPARED, /* read and stored to: written back by comparing its words */
    VULKAN_MARKED,   /* only stored to: a mask says which words */
    VULKAN_OWNED,    /* stored whole, and not read */
};

struct vulkan_bound {
    struct device_range range;
    enum vulkan_use use;
    uint64_t device;         /* where the device has it; 0: in more than one place */
    struct vulkan_mask mask; /* MARKED, once open */
    bool escapes;            /* bound from a sample: what leaves it is told */
    bool told;               /* OWNED: its words are `words` */
    struct trace_words words;
};

enum { VULKAN_BOUNDS = 64 };
struct vulkan_binding {
    struct vulkan_bound bounds[VULKAN_BOUNDS]; /* by address, not overlapping */
    uint32_t count;
    bool reads_all, writes_all;    /* some access may go anywhere */
    bool may_fail;                 /* its results may have to be taken back */
    bool checked;                  /* accesses must go through slots: some are marked, or escape what is bound */
    bool tells;                    /* some escape */
    bool held;                     /* a sample bounds it, and it is known that nothing escapes */
    bool fills;                    /* it does nothing but fill: nothing need run */
    bool scatters;                 /* a sample bounds some of its stores or atomics */
    bool scattered;                /* those go by address all the same: others than the sampled leave that bound */
    const char *why;               /* reads_all or writes_all: what is not known; static */
    char sample[VULKAN_NOTE_SIZE]; /* what a sample bound, in words; empty: nothing */
    const struct trace *trace;     /* the tracer's, until its next; NULL: there is none */
};

/* Out of memory, or too many ranges: everything is bound. images: VULKAN_VIEW_REACHES for each of the module's image operations. stops: the dispatch may be
 * cut short, or turn out to be none for its module. scattered: stores and atomics that only a sample bounds go by address. reach: what each of the module's nears can reach at most, where
 * that is known of all (vulkan_slots_reach), else NULL: nothing escapes a sample's bounds that holds all of that. */
void vulkan_binding_make(struct vulkan_binding *binding, struct vulkan_tracer *tracer, struct mem_snapshot *snapshot,
                         const struct wave_dispatch *dispatch, const struct spirv_module *module,
                         const struct vulkan_view_reach *images, bool stops, bool scattered, const struct device_range *reach);
/* False with a reason: the device is out of memory or lost; nothing has happened. */
bool vulkan_binding_open(struct vulkan_binding *binding, struct vulkan_mirror *mirror, struct mem_snapshot *snapshot,
                         char *reason);
/* What a dispatch may reach where it may not reach anything: its bounds. False: out of memory. */
bool vulkan_binding_table(const struct vulkan_binding *binding, const struct vulkan_mirror *mirror, struct vulkan_table *table);
/* The slots of a module whose accesses all have bounds, among the words of the parameters. False: it does not mark all that is to be marked. */
bool vulkan_binding_slots(struct vulkan_binding *binding, const struct spirv_module *module, uint32_t *params);
/* The bound that all of a slot's accesses reach; NULL: there is none. */
const struct vulkan_bound *vulkan_binding_bound(struct vulkan_binding *binding, const struct spirv_module *module, uint32_t slot);
/* For work in place: fills guest memory where that is all that the dispatch does. False: it is not, and nothing is done. */
bool vulkan_binding_fills_here(struct vulkan_binding *binding, struct vulkan_tracer *tracer, struct mem_snapshot *snapshot,
                               const struct wave_dispatch *dispatch, const struct spirv_module *module);
/* Carries out what only fills. */
bool vulkan_binding_fill(const struct vulkan_binding *binding, struct vulkan_mirror *mirror, char *reason);
/* The dispatch has come to its end: its results are the device's. */
bool vulkan_binding_close(const struct vulkan_binding *binding, struct vulkan_mirror *mirror, char *reason);
/* It has not run at all. */
void vulkan_binding_drop(const struct vulkan_binding *binding, struct vulkan_mirror *mirror);
/* It is to be as if it had not. False: that cannot be had, and nothing is done. */
bool vulkan_binding_undo(const struct vulkan_binding *binding, struct vulkan_mirror *mirror, char *reason);

#endif
