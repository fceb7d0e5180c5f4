/* tenfold/gpu.h: virtual GPUs, the chips that they can be, and the host devices that carry their work out. */
#ifndef TENFOLD_GPU_H
#define TENFOLD_GPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tenfold/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A virtual GPU with an address space of its own. Its functions may be called from any thread; tf_dispatch_run's dispatches run
 * one at a time, queues (tenfold/queue.h) beside them, and memory may be mapped, read and written meanwhile. */
struct tf_gpu;
struct tf_hooks; /* tenfold/dispatch.h */

enum tf_log_level { TF_LOG_INFO, TF_LOG_WARNING, TF_LOG_ERROR };

struct tf_gpu_options {
    size_t size;      /* sizeof(struct tf_gpu_options) */
    const char *chip; /* "gfx1010", "gfx1013", "gfx1030" or "gfx1033"; NULL is an error */
    unsigned threads; /* host threads that run waves; 0: as many as the host has cores */
    const char *tier; /* host code to run waves with: "avx512", "avx2", "baseline"; NULL: the best of this host */
    /* Called with one line of text at a time, from the thread that calls into the library, or one of a queue's. NULL: silent. */
    void (*log)(void *user, enum tf_log_level level, const char *text);
    void *log_user;
    uint64_t window_bytes; /* host addresses to reserve for guest memory; 0: a terabyte, or what the host allows */
    /* What queues show as the GPU's clock: counts of 100 MHz. Called from any thread, once for each value that a packet writes.
     * NULL: the host's clock. */
    uint64_t (*clock)(void *user);
    void *clock_user;
    /* Seconds without progress after which a queue's work is a hang: of a dispatch, or of a wait for memory while nothing else
     * of the GPU gets on. 0: 60 seconds; negative: never. */
    double queue_timeout;
    bool queue_deterministic; /* one thread runs a dispatch's waves, groups in order, the same interleaving each time */
    /* Looks into the dispatches of queues; copied. break_offset counts from the first instruction of the program at the guest address
     * queue_break_program. NULL: none. */
    const struct tf_hooks *queue_hooks;
    uint64_t queue_break_program;
    /* What carries the work out: "cpu" (NULL too), "vulkan", "vulkan:N" by number, "vulkan:TEXT" by a part of its name. What a Vulkan
     * device cannot carry out, or not as fast because its program is not compiled yet, runs on the CPU device, with the reason in the
     * report. With queue_deterministic, and for tf_dispatch_run, compiling is waited for. A Vulkan device that there is and that cannot be
     * used (it lacks what is needed, or cannot be opened) is no failure: one line of warning goes to log, all work runs on the CPU device,
     * and reports have the reason. One that there is not, or any where the host has none, is TF_ERROR_ARGUMENT. */
    const char *device;
    /* Where the host's Vulkan drivers are looked for. NULL: where VK_DRIVER_FILES or VK_ICD_FILENAMES say, else where they are installed.
     * "": only where they are installed. Otherwise files that describe a driver each, separated by colons. */
    const char *vulkan_drivers;
    /* The folder that keeps what was compiled for a Vulkan device. NULL: the user's ($XDG_CACHE_HOME/tenfold/vulkan). "": none. */
    const char *cache;
    /* How a Vulkan device has guest memory: "shared", in place; "mirrored", as copies of its own, with results written back when somebody may
     * look. NULL: shared where the device can; "shared" where it cannot is TF_ERROR_ARGUMENT. */
    const char *memory;
    /* The caller says where it looks at guest memory and changes it, also through pointers: tf_memory_acquire before, tf_memory_changed behind a
     * change. A mirroring device then keeps results, and trusts its copies, from one submission to the next. Otherwise all of guest memory is up
     * to date when a submission's fence is done, and what changed is found when the next begins. */
    bool memory_told;
};

/* Creates a GPU. Fails with TF_ERROR_ARGUMENT for a chip, tier or device that there isn't, TF_ERROR_MEMORY. */
TF_API enum tf_status tf_gpu_create(const struct tf_gpu_options *options, struct tf_gpu **gpu, struct tf_error *error);
/* Destroys a GPU with all its memory. Its objects and queues must be gone and no call may be running. */
TF_API void tf_gpu_destroy(struct tf_gpu *gpu);
/* Ends what the GPU does on a host Vulkan device, after what runs there now; later work runs on the CPU device. For a process that ends with
 * its GPU at work: what the driver's libraries do at the end must find nothing of it running. False: after so many seconds the driver was
 * still at work. */
TF_API bool tf_gpu_leave_vulkan(struct tf_gpu *gpu, double timeout);
/* The chip's name; static. */
TF_API const char *tf_gpu_chip(const struct tf_gpu *gpu);

/* The chips that a GPU can be: names for index 0 and up, NULL past the last; static. */
TF_API const char *tf_chip_name(size_t index);

/* A host device that can carry a GPU's work out. */
struct tf_device_info {
    size_t size;           /* sizeof(struct tf_device_info), set by the caller */
    const char *name;      /* what --device calls it: "cpu", "vulkan:0"; static */
    char description[128]; /* the host's own name for it */
    unsigned cores;        /* host threads that it runs waves with by default; 0: it is no processor */
    char tiers[64];        /* the host code that it can use, best first, separated by spaces */
    char missing[256];     /* what it would have to have, separated by commas: it cannot be used. Empty: it can */
    char costs[512];       /* what else it has not: lines of what, and what that costs */
    const char *memory;    /* how it has guest memory: "shared" or "mirrored"; static */
};

/* Fills in the device of that index, from 0: the CPU device, then those of the host's Vulkan drivers. TF_ERROR_NOT_FOUND past the last. */
TF_API enum tf_status tf_device_describe(size_t index, struct tf_device_info *info, struct tf_error *error);

/* The library's version, "0.1.0"; static. */
TF_API const char *tf_version(void);

#ifdef __cplusplus
}
#endif

#endif
