/* vulkan_engine: an engine's insides, shared by the files that run its dispatches (vulkan_dispatch.c) and lead its life (vulkan_engine.c). */
#ifndef VULKAN_VULKAN_ENGINE_H
#define VULKAN_VULKAN_ENGINE_H

#include <pthread.h>
#include <stdatomic.h>

#include "vulkan/vulkan_bind.h"
#include "vulkan/vulkan_covers.h"
#include "vulkan/vulkan_dispatch.h"
#include "vulkan/vulkan_memory.h"
#include "vulkan/vulkan_notes.h"

struct vulkan_engine {
    struct vulkan_host *host;
    struct spirv_library *library;
    struct vulkan_cache *cache; /* or NULL */
    struct vulkan_programs *programs;
    struct vulkan_notes notes;
    enum isa_chip_bit chip;
    atomic_bool gone;                          /* the device is lost: everything runs elsewhere from now on */
    atomic_bool harmed;                        /* results were lost with it, and no dispatch has failed for that yet */
    atomic_bool stopped;                       /* the same, because the engine was told to stop */
    pthread_mutex_t lock;                      /* held through a run; guards what follows */
    struct vulkan_buffer views;                /* what modules are told of images; none until a program has some */
    struct vulkan_view_reach *reaches;         /* VULKAN_VIEW_REACHES of each operation that views has room for */
    struct vulkan_buffer params, status, redo; /* redo: a bit for each lane that is to run again; zeros between runs */
    struct vulkan_buffer gds; /* the global data share, and behind it as it was before the run; none until a program reaches it */
    struct vulkan_buffer share;  /* the local shares of groups that run at once, where modules have them there */
    struct vulkan_covers covers; /* of the dispatch that runs in guest memory itself */
    uint32_t *words;             /* of the parameters, until they are sent: reading the device's memory takes the host long */
    bool runs_sent;              /* the device has those of the table */
    struct vulkan_table table;
    struct vulkan_mirror *mirror;  /* or NULL: works in place */
    struct vulkan_tracer *tracer;  /* the engine's */
    struct vulkan_binding binding; /* of the dispatch that runs on copies */
    unsigned aside;                /* dispatches that another device carries out in guest memory now */
    uint64_t shown;                /* the version of the table that is among the parameters */
    uint32_t run_count;            /* there */
};

/* vulkan_dispatch: dispatches, under the engine's lock. */
uint64_t vulkan_dispatch_groups(const struct wave_dispatch *dispatch);
/* Whether the device has room and means for it; else a reason. Looks at nothing that the lock guards. */
bool vulkan_dispatch_fits(const struct vulkan_engine *engine, const struct wave_dispatch *dispatch,
                          char reason[VULKAN_REASON_SIZE]);
/* Whether whoever asked for it does not want it any more: then that is its result. */
bool vulkan_dispatch_cancelled(const struct wave_dispatch *dispatch, struct wave_result *result);
/* As vulkan_engine_run; the program is ready. */
bool vulkan_dispatch_run(struct vulkan_engine *engine, struct mem_snapshot *snapshot, const struct wave_dispatch *dispatch,
                         struct vulkan_try *try, struct wave_result *result);
/* The device is gone. Where it worked on copies, memory is as it was: only what it still held of earlier dispatches is lost. False: nothing is,
 * and nothing has happened. */
bool vulkan_dispatch_break_down(struct vulkan_engine *engine, const struct wave_dispatch *dispatch, struct vulkan_try *try,
                                struct wave_result *result);

#endif
