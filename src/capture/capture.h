/* capture: records what a GPU was given and what became of it, reads such records back, and plays them again.
 *
 * Roles and owners:
 *   capture_recorder  writes one capture file while the GPU works; created and destroyed by whoever presents the GPU to a
 *                     program. Every function of it takes NULL, which means that nothing is recorded, and may be called from
 *                     any thread.
 *   capture_reader    reads a capture (ours, or RDNACAP1) as a sequence of checked events: capture_reader.h.
 *   capture_state     what a capture says up to some place: buffers with their contents, the address space: capture_state.h.
 *   capture_replay    carries a capture out on the public API: capture_replay.h.
 *
 * How a run becomes a capture. The recorder keeps a copy of every buffer as it last wrote it down. It looks at memory at two
 * kinds of places: before a submission (what differs from the copy was changed by the program) and when nothing is in flight
 * any more (what differs is the GPU's work, and what the program changed meanwhile). So that there are such places, it
 * serialises: a submission begins when the earlier ones have ended, and its caller waits until it has ended. Both waits have
 * a bound, after which the submission counts as stalled, because it may wait for something that the caller does only later.
 */
#ifndef CAPTURE_CAPTURE_H
#define CAPTURE_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tenfold/queue.h>

#include "base/base_error.h"

struct capture_recorder;

/* What a capture says of the GPU it comes from. Text is copied. */
struct capture_device {
    const char *chip;                   /* "gfx1030" */
    const char *program;                /* what ran, for people: a path or a command line; NULL: unknown */
    uint64_t window_base, window_bytes; /* guest addresses that were host addresses; 0 bytes: none */
    uint32_t va_alignment;              /* bytes; 0: 4096 */
    /* Facts of the device that the program saw, as amdgpu's struct drm_amdgpu_info_device has them; copied as they are, for
     * people and for comparison. */
    const void *info;
    size_t info_bytes;
};

enum { CAPTURE_STALL_MS = 2000 }; /* how long the recorder waits for a submission before it counts as stalled */

struct capture_recorder_options {
    uint32_t stall_ms; /* 0: CAPTURE_STALL_MS */
    unsigned level;    /* of compression, as zstd counts; 0: 3 */
};

/* Begins a capture at `path`, which must not exist yet (processes of one run choose names of their own). NULL after an
 * error. options may be NULL. */
struct capture_recorder *capture_recorder_create(const char *path, const struct capture_device *device,
                                                 const struct capture_recorder_options *options, struct base_error *error);
/* Waits (bounded) for what is in flight, writes the end with a hash of every buffer that is left, and closes the file. False
 * when the capture is not whole (a full disk, for example). All buffers' memory must still be there. Other threads may be in
 * calls of the recorder: those that come later do nothing. */
bool capture_recorder_finish(struct capture_recorder *recorder, struct base_error *error);
/* Finishes it where that was not done, and frees it: no call may be running or come later, and no fence's callback. */
bool capture_recorder_destroy(struct capture_recorder *recorder, struct base_error *error);
/* In a forked child: forgets the recorder, closes its copy of the file, writes nothing. (Calls that come from another
 * process than the one that created the recorder do nothing anyway.) */
void capture_recorder_abandon(struct capture_recorder *recorder);

/* Memory of a buffer object. */
struct capture_buffer {
    uint64_t bytes;
    uint64_t alignment;
    uint32_t domains; /* amdgpu's bits: 2 GTT, 4 VRAM, ... */
    uint64_t flags;   /* amdgpu's GEM creation flags */
    /* Where this process reads the memory, for as long as the buffer lives. is_user: the program's own pages, which may go
     * away: read through the checked path. */
    const void *host;
    bool is_user;
    /* The shared memory that holds it, so that pages that were never touched are not looked at; -1: unknown. Not closed,
     * must stay open while the buffer lives. */
    int descriptor;
    uint64_t descriptor_offset;
    bool is_imported; /* came from another process, which may change it at any time */
};

/* Notes a buffer and returns its number in the capture, from 1 (0: not recorded; all calls below take 0 as "no buffer").
 * Memory that is not zero already is written down with the next submission. */
uint32_t capture_buffer_created(struct capture_recorder *recorder, const struct capture_buffer *buffer);
/* The buffer's memory is elsewhere from now on, with the same contents: called while the old place is still there. */
void capture_buffer_moved(struct capture_recorder *recorder, uint32_t buffer, const void *host, int descriptor,
                          uint64_t descriptor_offset);
/* The memory is about to go away: called before it does, when no submission uses it any more. */
void capture_buffer_destroyed(struct capture_recorder *recorder, uint32_t buffer);

/* amdgpu's numbers for VA operations. */
enum capture_va_operation { CAPTURE_VA_MAP = 1, CAPTURE_VA_UNMAP = 2, CAPTURE_VA_CLEAR = 3, CAPTURE_VA_REPLACE = 4 };
enum {
    CAPTURE_VA_READABLE = 1 << 1,
    CAPTURE_VA_WRITEABLE = 1 << 2,
    CAPTURE_VA_EXECUTABLE = 1 << 3,
    CAPTURE_VA_PRT = 1 << 4
}; /* amdgpu's bits */

/* A VA operation that succeeded. address is what the program gave; buffer is 0 for a PRT range and for CLEAR. */
void capture_va(struct capture_recorder *recorder, enum capture_va_operation operation, uint32_t buffer, uint64_t address,
                uint64_t bytes, uint64_t offset, uint32_t flags);

/* A queue; returns its number in the capture, from 1. */
uint32_t capture_queue_created(struct capture_recorder *recorder, enum tf_queue_kind kind, const char *name);

/* Something that the program itself signals later (a syncobj, a timeline point), and that submissions may wait for. Returns
 * its number, from 1. */
uint32_t capture_signal_created(struct capture_recorder *recorder);
/* Called just before the signal is given (tf_fence_signal): what the program changed until now is written down first. */
void capture_signal_given(struct capture_recorder *recorder, uint32_t signal, enum tf_fence_state state);

/* What a submission waits for before it begins: one of the two is not 0. */
struct capture_wait {
    uint32_t submission, signal;
};

struct capture_submission {
    uint32_t queue;
    const struct tf_ib *ibs;
    size_t ib_count;
    const struct capture_wait *waits;
    size_t wait_count;
    uint64_t fence_address, fence_value; /* as tf_submission has them */
};

/* Around tf_queue_submit, in the same thread:
 *
 *     uint32_t number = capture_submission_begin(recorder, &submission);
 *     status = tf_queue_submit(queue, &..., &done, &error);
 *     capture_submission_end(recorder, number, done);            (done: NULL when tf_queue_submit failed)
 *
 * begin waits for what is in flight (bounded), writes down what the program changed and the submission; other threads' begin
 * blocks until end. end waits for the submission (bounded) and writes down what it did. The caller may hold no lock that
 * another thread needs to give a signal or to make the submission progress. begin returns the submission's number, from 1; 0
 * when nothing is recorded. */
uint32_t capture_submission_begin(struct capture_recorder *recorder, const struct capture_submission *submission);
void capture_submission_end(struct capture_recorder *recorder, uint32_t submission, struct tf_fence *done);

/* A clock value that the GPU showed to its guest (a timestamp, s_memtime), in the order of the calls; any thread. */
void capture_clock_read(struct capture_recorder *recorder, uint64_t value);

#endif
