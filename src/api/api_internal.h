/* api_internal: what the files of api/ share: the insides of the public handles.
 *
 * Roles and owners:
 *   tf_gpu     owns the address space, the cache of lowered programs, GDS, and what its queues share (engine, device, command
 *              processor).
 *   tf_queue   owns a ring of the command processor; borrows the GPU.
 *   tf_fence   is a submit_fence.
 *   tf_object  owns the parsed code object, its copy in guest memory and its kernels; borrows the GPU.
 *   api_launch a dispatch being set up and run: the guest memory that only it needs; lives on tf_dispatch_run's stack.
 *   tf_report  owns the run's result and its JSON text; borrows nothing.
 */
#ifndef API_API_INTERNAL_H
#define API_API_INTERNAL_H

#include <pthread.h>

#include <tenfold/tenfold.h>

#include "base/base_span.h"
#include "cp/cp.h"
#include "device/device.h"
#include "memory/memory.h"
#include "object/object.h"
#include "vulkan/vulkan_device.h"
#include "wave/wave.h"

enum { API_GDS_BYTES = 64 << 10, API_LDS_BYTES = 64 << 10 };

struct tf_gpu {
    enum isa_chip_bit chip;
    unsigned threads;
    char *tier; /* or NULL */
    void (*log)(void *user, enum tf_log_level level, const char *text);
    void *log_user;
    struct mem_space *space;
    pthread_mutex_t run_lock; /* held through a dispatch; guards what follows */
    struct wave_memory memory;
    struct wave_cache *cache;
    bool memory_told;                 /* as tf_gpu_options has it */
    _Atomic bool hides;               /* some memory is hidden, or was */
    struct vulkan_engine *vulkan;     /* what is asked before the CPU device, or NULL; not guarded */
    char why_cpu[VULKAN_REASON_SIZE]; /* why there is none where one was asked for; empty: not so */
    struct mem_snapshot *running;     /* what the dispatch in progress sees; NULL between dispatches */
    uint64_t dispatch_count;
    uint8_t *gds;
    pthread_mutex_t stale_lock; /* guards stale */
    struct base_spans stale;    /* guest ranges whose programs must be forgotten before the next dispatch */
    bool all_stale;             /* the set could not grow: forget everything */
    /* of queues */
    struct wave_options engine_options;
    struct wave_hooks queue_hooks; /* what engine_options points at when somebody looks in */
    struct wave_engine *engine;
    struct device *cores;  /* the CPU device */
    struct device *device; /* what carries dispatches out: cores, or a Vulkan device with them behind it */
    struct cp_gpu *cp;
    uint64_t (*clock)(void *user); /* or NULL */
    void *clock_user;
};

struct tf_queue {
    struct tf_gpu *gpu;
    struct cp_ring *ring;
};

struct tf_kernel {
    struct tf_object *object;
    const struct obj_kernel *inner;
    uint64_t descriptor, entry; /* guest addresses */
    size_t arg_count;           /* explicit arguments */
};

struct tf_object {
    struct tf_gpu *gpu;
    struct obj_object *inner;
    uint64_t base; /* guest address of the image */
    struct tf_kernel *kernels;
};

/* The grid as numbers that the setup, the packet and the implicit arguments all take theirs from. */
struct api_grid {
    uint32_t threads[3], workgroup[3], groups[3], last[3];
    unsigned dimensions; /* that the caller gave */
    uint32_t group_threads;
};

/* One dispatch: its guest memory, and the words that come from it. */
struct api_launch {
    struct tf_gpu *gpu;
    const struct tf_kernel *kernel;
    struct api_grid grid;
    uint32_t lds_bytes;
    uint64_t dispatch_id;
    uint64_t block;         /* guest memory with packet, queue and arguments; 0: none yet */
    uint64_t packet, queue; /* guest addresses inside it */
    uint64_t kernarg;
    uint64_t scratch;       /* guest address of the ring; 0: none */
    uint32_t private_bytes; /* scratch a work-item */
    uint32_t scratch_wave_bytes, scratch_waves;
    bool on_vulkan, on_copies;
    unsigned lanes;                   /* of a wave, that one invocation of the host carried */
    uint32_t exact, approximate;      /* operations in the program that the Vulkan device ran */
    char note[VULKAN_NOTE_SIZE];      /* what a sample of its groups bound there; empty: nothing */
    char why_cpu[VULKAN_REASON_SIZE]; /* where a Vulkan device was asked for and the CPU device carried it out; empty: not so */
};

/* What the apertures of a GPU are: chosen so that no address in them is one that a process can map. */
extern const struct wave_apertures api_apertures;

/* api_error: fills error (when not NULL) and returns status. */
__attribute__((format(printf, 3, 4))) enum tf_status api_fail(struct tf_error *error, enum tf_status status, const char *format,
                                                              ...);
/* Takes over as much of a caller's sized structure as the caller knows of; the rest is zero. False for a size that is not set.
 * */
bool api_copy_in(void *ours, size_t our_size, const void *theirs);
/* Gives a caller's sized structure as much of ours as it has room for. False for a size that is not set. */
bool api_copy_out(void *theirs, const void *ours, size_t our_size);

__attribute__((format(printf, 3, 4))) void api_log(const struct tf_gpu *gpu, enum tf_log_level level, const char *format, ...);

/* api_device: whether waves can run with that tier on this host. */
bool api_tier_is_here(const char *name);
/* Whether text calls a Vulkan device; *choice is then which, in the terms of a vulkan_choice. */
bool api_device_is_vulkan(const char *text, const char **choice);

/* api_gpu: notes that programs in the range may have changed; done before the next dispatch. */
void api_gpu_mark_stale(struct tf_gpu *gpu, uint64_t start, uint64_t size);
void api_gpu_forget_stale_locked(struct tf_gpu *gpu);

/* api_queue: what a GPU's queues share; half-built is fine to finish. */
enum tf_status api_queues_init(struct tf_gpu *gpu, const struct tf_gpu_options *options, struct tf_error *error);
void api_queues_finish(struct tf_gpu *gpu);

/* api_fence: a fence as the layers below know it. */
struct submit_fence *api_fence_inner(struct tf_fence *fence);

/* api_grid: checks sizes against the kernel and works the grid out. */
enum tf_status api_grid_make(const struct tf_dispatch *dispatch, struct api_grid *grid, struct tf_error *error);

/* api_kernarg: writes the implicit arguments of a launch into its argument bytes. */
void api_kernarg_hide(const struct api_launch *launch, const struct tf_dispatch *dispatch, uint8_t *kernarg);

/* api_launch: guest memory for a dispatch, and the registers that the descriptor asks for. */
enum tf_status api_launch_begin(struct api_launch *launch, const struct tf_dispatch *dispatch, struct tf_error *error);
enum tf_status api_launch_registers(const struct api_launch *launch, struct wave_dispatch *wave, struct tf_error *error);
void api_launch_end(struct api_launch *launch);

/* api_report: takes result over. */
struct tf_report *api_report_create(const struct api_launch *launch, struct wave_result *result);
/* api_report_json: NULL when out of memory. */
char *api_report_print(const struct tf_report *report);

struct tf_report {
    char *kernel; /* its name */
    const char *chip;
    unsigned wave_size;
    uint64_t entry;
    struct api_grid grid;
    uint32_t lds_bytes, private_bytes;
    struct wave_result result;
    bool on_vulkan, on_copies;
    unsigned lanes;
    uint32_t exact, approximate;
    char note[VULKAN_NOTE_SIZE];
    char why_cpu[VULKAN_REASON_SIZE];
    char *json;
};

#endif
