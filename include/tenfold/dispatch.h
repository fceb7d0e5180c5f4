/* tenfold/dispatch.h: running a kernel over a grid. */
#ifndef TENFOLD_DISPATCH_H
#define TENFOLD_DISPATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tenfold/object.h>

#ifdef __cplusplus
extern "C" {
#endif

struct tf_report;

/* Places where the caller looks into a dispatch. They are called on the threads that run waves, perhaps on several at once; text is
 * valid during the call only. They may not call into the library. */
struct tf_hooks {
    size_t size; /* sizeof(struct tf_hooks) */
    void *user;
    /* One line for every executed instruction: its address and text, and the registers that it wrote. NULL: none. */
    void (*trace)(void *user, const char *line);
    /* A wave is about to run the instruction break_offset bytes after the kernel's first; its registers as text. NULL: none. */
    void (*at_break)(void *user, const char *registers);
    uint64_t break_offset;
    int64_t break_group, break_wave; /* only there: the group's number counted x first, and the wave in it; -1: in any */
    /* Now and then, from one thread: groups finished, and in all. NULL: none. */
    void (*progress)(void *user, uint64_t groups_done, uint64_t groups_total);
};

struct tf_dispatch {
    size_t size; /* sizeof(struct tf_dispatch) */
    const struct tf_kernel *kernel;
    uint32_t grid[3]; /* threads in each dimension, 1 or more; 0 is taken as 1 in y and z */
    uint32_t workgroup
        [3]; /* threads in a group likewise; all zeros: the required size, or 64 x 1 x 1. The last group may be partial. */
    uint64_t global_offset[3];
    const void *kernarg;  /* explicit arguments, as tf_kernel_pack_args lays them out; copied */
    size_t kernarg_size;  /* at most the kernel's kernarg_bytes are used */
    uint32_t dynamic_lds; /* bytes of LDS on top of the kernel's own */
    double timeout;       /* seconds without progress in any wave that end the run as a hang; 0: 60 seconds; negative: never */
    bool deterministic;   /* one thread, groups in order, the same interleaving each time */
    const struct tf_hooks *hooks; /* or NULL */
};

/* Runs a kernel to its end and returns what it did. What the guest does wrong (faults, hangs, unsupported instructions) is no error
 * of this call: see tf_report_failed. *report is the caller's, destroyed with tf_report_destroy, and independent of GPU and object.
 * TF_ERROR_ARGUMENT for sizes that the kernel does not take, TF_ERROR_LIMIT for too much LDS, scratch or arguments,
 * TF_ERROR_MEMORY. */
TF_API enum tf_status tf_dispatch_run(struct tf_gpu *gpu, const struct tf_dispatch *dispatch, struct tf_report **report,
                                      struct tf_error *error);

#ifdef __cplusplus
}
#endif

#endif
