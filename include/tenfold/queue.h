/* tenfold/queue.h: submitting command buffers, and waiting for them. */
#ifndef TENFOLD_QUEUE_H
#define TENFOLD_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tenfold/gpu.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Something that happens once: a submission's end, or what the host signals. Counted: each create, retain and out parameter is
 * one reference. All its functions may be called from any thread. */
struct tf_fence;

enum tf_fence_state {
    TF_FENCE_PENDING,
    TF_FENCE_DONE,
    TF_FENCE_LOST, /* what it stands for ended without being carried out: its queue was lost */
};

TF_API enum tf_status tf_fence_create(struct tf_fence **fence, struct tf_error *error); /* pending */
TF_API struct tf_fence *tf_fence_retain(struct tf_fence *fence);
TF_API void tf_fence_release(struct tf_fence *fence); /* NULL is fine */
/* Ends a fence that tf_fence_create made; later calls change nothing. */
TF_API void tf_fence_signal(struct tf_fence *fence, enum tf_fence_state state);
TF_API enum tf_fence_state tf_fence_state(const struct tf_fence *fence);
/* Waits until all (or any) of the fences have ended. deadline_ns is of CLOCK_MONOTONIC; 0 looks once, UINT64_MAX waits for
 * ever. *first (may be NULL) is an index of an ended one. False when the deadline passed. */
TF_API bool tf_fence_wait(struct tf_fence *const *fences, size_t count, bool all, uint64_t deadline_ns, size_t *first);
/* Calls back once when the fence ends, on the thread that ends it, or at once on this one when it has ended. The callback may
 * not block and may not submit. False when out of memory: it will not be called. */
TF_API bool tf_fence_notify(struct tf_fence *fence, void (*callback)(void *user, enum tf_fence_state state), void *user);

enum tf_queue_kind { TF_QUEUE_GRAPHICS, TF_QUEUE_COMPUTE, TF_QUEUE_SDMA };

/* A ring of a GPU: submissions to it are carried out in order, and independently of other queues. It has registers of its own. */
struct tf_queue;

/* Fails with TF_ERROR_ARGUMENT, TF_ERROR_MEMORY. name (may be NULL) stands in reports: "graphics 0". */
TF_API enum tf_status tf_queue_create(struct tf_gpu *gpu, enum tf_queue_kind kind, const char *name, struct tf_queue **queue,
                                      struct tf_error *error);
/* Waits for what was submitted, no longer than `timeout` seconds (negative: for ever), then gives up the rest as lost. NULL is
 * fine. */
TF_API void tf_queue_destroy(struct tf_queue *queue, double timeout);

/* An indirect buffer: words of PM4 (or SDMA packets) in guest memory. */
struct tf_ib {
    uint64_t address; /* a multiple of 4 */
    uint32_t bytes;   /* a multiple of 4 */
    uint32_t flags;   /* none yet */
};

struct tf_submission {
    size_t size; /* sizeof(struct tf_submission) */
    const struct tf_ib *ibs;
    size_t ib_count;
    struct tf_fence *const *waits; /* carried out after all of these have ended; a lost one loses nothing here */
    size_t wait_count;
    uint64_t fence_address; /* guest address that gets fence_value (64 bits) after the last IB; 0: none */
    uint64_t fence_value;
};

/* Checks and queues a submission and returns; it runs on a thread of the library's. *done (may be NULL) ends when it has been
 * carried out and its memory is up to date, and is a reference of the caller's. An IB that is not mapped, not aligned, or holds
 * what is no packet is found when the queue gets there: the queue is then lost from that packet on, with a log line and an
 * entry in the report, and so are later submissions to it. Fails with TF_ERROR_ARGUMENT, TF_ERROR_MEMORY, TF_ERROR_LOST. */
TF_API enum tf_status tf_queue_submit(struct tf_queue *queue, const struct tf_submission *submission, struct tf_fence **done,
                                      struct tf_error *error);
/* True once the queue was lost; text (may be NULL) receives where and why, zero-terminated. */
TF_API bool tf_queue_lost(const struct tf_queue *queue, char *text, size_t text_size);

/* The GPU's clock, counts of 100 MHz: what timestamps and s_memtime show. */
TF_API uint64_t tf_gpu_clock(const struct tf_gpu *gpu);
/* Everything that queues did so far, as JSON: submissions, packets, dispatches, programs, faults. The caller frees it with
 * free(). NULL when out of memory. docs/report.md describes its members. */
TF_API char *tf_gpu_report(struct tf_gpu *gpu);
/* The same in a few lines for people, each with its newline: a line for each queue that did something, the programs in one line,
 * then what went wrong, the first of it. The caller frees it. NULL when out of memory. */
TF_API char *tf_gpu_summary(struct tf_gpu *gpu);
/* True when some guest work of a queue failed so far: a lost queue, a fault, a hang, something unsupported. */
TF_API bool tf_gpu_failed(const struct tf_gpu *gpu);

#ifdef __cplusplus
}
#endif

#endif
