/* device: what carries dispatches out: one interface, and its implementations (device_cpu.c here, a host Vulkan device in vulkan/).
 *
 * Roles and owners:
 *   device           a host device at work for one GPU; created by its implementation, destroyed with device_destroy. Its
 *                    functions may be called from the threads of several queues at once.
 *   device_dispatch  one dispatch as the registers say it, with the memory it runs in; the caller's, and in its place until
 *                    run or drop.
 *   device_reader    how a device reads guest memory while it prepares; the caller's, only during prepare.
 *   device_prepared  what a device worked out ahead for one dispatch; the device's; ended by run, or by drop.
 *   device_result    what a dispatch did; filled by run.
 *   device_report_sink  how a device tells what it did; the caller's, only during report.
 *
 * Life of a dispatch: prepare (may be on the submitting thread, ahead of its turn; reads guest memory through the reader that
 * it is given), bind (in its turn: the device takes over what guest memory it needs), run (in its turn; on return the device
 * may still hold results), then settle: before somebody reads or overwrites guest memory, the device writes back what it holds
 * over that range. A device that works in place leaves bind, settle and changed NULL.
 */
#ifndef DEVICE_DEVICE_H
#define DEVICE_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "memory/memory.h"
#include "wave/wave.h"

struct device;
struct device_prepared;

struct device_dispatch {
    struct wave_dispatch registers; /* with code_epoch, timeout_s and cancel set */
    struct mem_snapshot *snapshot;  /* what is mapped; held by the caller until run has returned */
};

struct device_reader {
    void *user;
    /* Guest memory as it will be when the dispatch's turn comes. False: unmapped, or nobody can know yet what it will hold. */
    bool (*read)(void *user, uint64_t address, void *to, uint64_t size);
    bool ahead; /* the dispatch's turn is still to come */
};

struct device_result {
    bool failed; /* a fault, a trap, something unsupported: text says what, where */
    bool hung;   /* it did not come to its end: whoever waits for it must not go on */
    char text[512];
    uint64_t groups, waves;
};

/* Guest memory [start, start + size); everything is {0, UINT64_MAX}. */
struct device_range {
    uint64_t start, size;
};

#define DEVICE_EVERYTHING ((struct device_range){0, UINT64_MAX})

/* What a device did for one program, as one set of registers runs it. */
struct device_program_total {
    uint64_t program;          /* address of its first instruction; 0: several that are not in memory any more */
    unsigned wave_size, lanes; /* lanes: of a wave, that one invocation of the host carries */
    uint64_t dispatches, failed, groups, waves;
    uint32_t exact, approximate; /* operations in the program, not executed ones */
    uint64_t elsewhere;          /* dispatches that the CPU device carried out instead */
    const char *reason;          /* why the last one was; empty: none was */
    const char *note;            /* how its global loads were bound from a sample of its groups; empty: they were not */
};

/* Who wants to know; functions are called in turn on the caller's thread, data is valid during the call only. */
struct device_report_sink {
    void *user;
    void (*program)(void *user, const struct device_program_total *total);
    void (*elsewhere)(void *user, const char *reason,
                      uint64_t times); /* why the CPU device carried dispatches out, all programs together */
    void (*fault)(void *user, const struct wave_fault_total *fault);
};

struct device_functions {
    const char *name;    /* as --device calls it */
    bool prepares_ahead; /* prepare reads, translates or uploads, so that it pays to do so before the dispatch's turn */
    /* Works ahead; NULL and a reason when the dispatch cannot be carried out: what is not supported is refused here by name. */
    struct device_prepared *(*prepare)(struct device *device, struct device_dispatch *dispatch,
                                       const struct device_reader *reader, struct base_error *error);
    bool (*bind)(struct device *device, struct device_prepared *prepared, struct base_error *error);
    /* False only when the host is out of memory or the device is gone; the prepared dispatch is ended in any case. */
    bool (*run)(struct device *device, struct device_prepared *prepared, struct device_result *result);
    void (*drop)(struct device *device, struct device_prepared *prepared);
    /* Results held over the range are in guest memory, as `snapshot` shows it, when this returns. */
    void (*settle)(struct device *device, struct mem_snapshot *snapshot, struct device_range range);
    /* Guest memory in the range was changed by somebody else (a copy, a packet, the host): copies of it are out of date, save
     * for results that the device still holds there. */
    void (*changed)(struct device *device, struct device_range range);
    /* Until it is shown again nobody reads the range or changes it but the guest's own work. The snapshot shows it as one run. NULL: makes no
     * difference. */
    void (*hide)(struct device *device, struct mem_snapshot *snapshot, struct device_range range, bool hidden);
    /* settle and changed of everything that is not hidden; where there is hide. */
    void (*publish)(struct device *device, struct mem_snapshot *snapshot);
    void (*doubt)(struct device *device);
    /* What was done so far, but for what the CPU device did: its engine tells that. NULL: nothing else was. */
    void (*report)(struct device *device, const struct device_report_sink *sink);
    const char *(*host)(const struct device *device); /* the host's own name for what the device is; NULL: it has no other */
    void (*destroy)(struct device *device);
};

/* What every device begins with. */
struct device {
    const struct device_functions *functions;
};

void device_destroy(struct device *device); /* NULL is fine */

/* The host's cores: waves run by an engine, in guest memory itself. The engine is the caller's and outlives the device. NULL
 * when out of memory. */
struct device *device_cpu_create(struct wave_engine *engine);

#endif
