/* vulkan_dispatch: dispatches on a host Vulkan device: one that shares memory with the host imports guest memory and works in place, another
 * works on copies (vulkan_mirror).
 *
 * Roles and owners:
 *   vulkan_engine          a host device with its programs and the guest memory that it sees; created and destroyed by the caller; its
 *                          functions may be called from any thread, dispatches run one at a time.
 *   vulkan_engine_options  what an engine is made for; plain data, the caller's.
 *   vulkan_try             an attempt to run a dispatch here; the caller's, between vulkan_engine_run and vulkan_engine_leave.
 *   vulkan_engine_sink     who wants to know what was done; the caller's, during the call.
 */
#ifndef VULKAN_VULKAN_DISPATCH_H
#define VULKAN_VULKAN_DISPATCH_H

#include "device/device.h"
#include "vulkan/vulkan_mirror.h"
#include "vulkan/vulkan_program.h"

struct vulkan_engine;

enum vulkan_memory {
    VULKAN_MEMORY_ANY,      /* shared where the device can */
    VULKAN_MEMORY_SHARED,   /* in place */
    VULKAN_MEMORY_MIRRORED, /* on copies */
};

struct vulkan_engine_options {
    enum isa_chip_bit chip;
    struct vulkan_choice choice;
    enum vulkan_memory memory;
    bool staged;       /* mirrored memory is moved as on a device of its own, whatever the device is */
    const char *cache; /* folder of what is kept on disk; NULL: the user's own for such things; "": nothing is kept */
};

/* NULL with a failure. */
struct vulkan_engine *vulkan_engine_create(const struct vulkan_engine_options *options, struct vulkan_failure *failure);
void vulkan_engine_destroy(struct vulkan_engine *engine); /* NULL is fine */
/* Ends for good what it does on the device, after what runs there now; every dispatch is refused from then on. False: after so many seconds
 * the device was still at work. */
bool vulkan_engine_stop(struct vulkan_engine *engine, double timeout);
struct vulkan_host *vulkan_engine_host(struct vulkan_engine *engine); /* the engine's */
const char *vulkan_engine_name(const struct vulkan_engine *engine);

/* Such a dispatch is to come: its program is made ready meanwhile. Waits for nothing, and changes nothing else. */
void vulkan_engine_expect(struct vulkan_engine *engine, struct mem_snapshot *snapshot, const struct wave_dispatch *dispatch);

struct vulkan_try {
    /* Set by the caller: */
    bool patient; /* pipelines are waited for, whatever the CPU device would take */
    bool alone;   /* nobody else looks at guest memory or writes it meanwhile: what went wrong can be taken back */
    /* Filled in: */
    struct vulkan_program *program;  /* or NULL */
    char reason[VULKAN_REASON_SIZE]; /* why another device must carry it out */
    bool packed;                     /* nothing has happened: the program must be one whose lanes go in step */
    char note[VULKAN_NOTE_SIZE];     /* what a sample of its groups bound */
    bool scattered;                  /* a store left what a sample bound: it was begun anew */
    bool broke;                      /* the device broke down in the middle of it: what it left in shared memory is anything */
};

/* Runs a dispatch to its end: true, with what happened in result (to be finished with wave_result_finish). False, with a reason, when
 * another device must carry it out: nothing has happened then. vulkan_engine_leave is due in both cases. */
bool vulkan_engine_run(struct vulkan_engine *engine, struct mem_snapshot *snapshot, const struct wave_dispatch *dispatch,
                       struct vulkan_try *try, struct wave_result *result);
/* What came of it: result of a run here, or NULL and how long the CPU device took for the waves (0: not known). */
void vulkan_engine_leave(struct vulkan_engine *engine, const struct wave_dispatch *dispatch, struct vulkan_try *try,
                         const struct wave_result *result, double cpu_seconds);

/* ---- copies; nothing has to be done for an engine that works in place ---- */

bool vulkan_engine_mirrors(const struct vulkan_engine *engine);
/* device.h's settle and changed. False with a reason (VULKAN_REASON_SIZE): results are not there, and where the device is lost never will be. */
bool vulkan_engine_settle(struct vulkan_engine *engine, struct mem_snapshot *snapshot, struct device_range range, char *reason);
void vulkan_engine_changed(struct vulkan_engine *engine, struct device_range range);
/* device.h's hide, publish and doubt; hide waits for nothing. */
void vulkan_engine_hide(struct vulkan_engine *engine, struct mem_snapshot *snapshot, struct device_range range, bool hidden);
bool vulkan_engine_publish(struct vulkan_engine *engine, struct mem_snapshot *snapshot, char *reason);
void vulkan_engine_doubt(struct vulkan_engine *engine);
/* Between these another device works in guest memory: what is here is settled before, and out of date after. Meanwhile results go to guest
 * memory at once, since who works there may wait for them. */
bool vulkan_engine_step_aside(struct vulkan_engine *engine, struct mem_snapshot *snapshot, char *reason);
void vulkan_engine_step_back(struct vulkan_engine *engine);
struct vulkan_mirror *
vulkan_engine_mirror(struct vulkan_engine *engine); /* the engine's, and only while nothing runs; NULL: none */
struct vulkan_mirror_counts vulkan_engine_moved(struct vulkan_engine *engine);

struct vulkan_engine_sink {
    void *user;
    void (*program)(void *user, const struct vulkan_program *program,
                    const struct vulkan_account *account); /* NULL: all that are gone */
    void (*reason)(void *user, const char *reason,
                   uint64_t times); /* why dispatches ran on the CPU device, in the order of the first ones */
    void (*fault)(void *user, const struct wave_fault_total *fault);
};

void vulkan_engine_report(struct vulkan_engine *engine, const struct vulkan_engine_sink *sink);

#endif
