/* capture_replay: carries a capture out on a GPU, through the public API, and compares what becomes of memory with what the
 * capture says.
 *
 * The replay follows the capture's order: the program's changes of memory are made where they were seen, submissions are
 * queued where they were queued, with the same waits, and an end that the capture shows is waited for before anything behind
 * it happens. Where the capture tells what memory held when nothing was in flight, the replay's own memory is compared with
 * it byte by byte. A byte that differs is counted as a difference, named by submission, buffer and offset, and then made
 * equal, so that later differences are those of later submissions.
 */
#ifndef CAPTURE_CAPTURE_REPLAY_H
#define CAPTURE_CAPTURE_REPLAY_H

#include "capture/capture_reader.h"

/* One replay; owned by whoever created it. It borrows the GPU. */
struct capture_replay;

enum { CAPTURE_DIFFERENCE_BYTES = 16, CAPTURE_DIFFERENCES_KEPT = 64 };

/* A range of a buffer that the capture has otherwise. */
struct capture_difference {
    uint32_t submission; /* the last one that ended before it was seen */
    uint32_t buffer;
    uint64_t offset;
    uint32_t bytes;                                                            /* from the first to the last byte that differs */
    uint8_t expected[CAPTURE_DIFFERENCE_BYTES], got[CAPTURE_DIFFERENCE_BYTES]; /* the first ones */
};

struct capture_replay_result {
    bool is_cut;     /* the capture ends before its end */
    bool is_checked; /* the capture says what became of memory */
    bool has_failed; /* a submission was lost or didn't end, or something could not be carried out: failure says what */
    struct base_error failure;
    uint32_t submissions, ended;
    uint64_t program_bytes; /* changed by the program, between submissions */
    /* Changed while submissions were in flight, and not by their replay: taken as the program's own changes. */
    uint64_t meanwhile_bytes;
    uint64_t difference_bytes;
    size_t difference_count; /* ranges in all; the first CAPTURE_DIFFERENCES_KEPT are kept */
    struct capture_difference differences[CAPTURE_DIFFERENCES_KEPT];
    uint64_t hash_count, hash_misses;  /* buffers whose contents at their end were compared by hash */
    uint64_t clock_reads, clock_extra; /* clock values shown to the guest; those beyond what the capture has */
};

/* A buffer's contents, at its end or at the end of the capture. */
struct capture_replay_buffer {
    struct capture_event_buffer buffer;
    bool is_alive;    /* at the end of the capture */
    uint64_t address; /* where it is mapped, its first mapping; 0: nowhere */
    const uint8_t *data;
};

struct capture_replay_options {
    double timeout; /* seconds that a submission may take; 0: 60; negative: no end */
    /* Called for every buffer at its end, and at the end of the capture for those that are left. NULL: not. False ends the
     * replay with a failure. */
    bool (*on_buffer)(void *user, const struct capture_replay_buffer *buffer);
    /* Called now and then, from this thread. NULL: not. */
    void (*on_progress)(void *user, double done, uint32_t submissions);
    void *user;
    /* Records the replay as a capture of its own: numbers are the same. NULL: not. The caller's, destroyed after the run and
     * before the replay. */
    struct capture_recorder *recorder;
};

/* Opens a capture and reads what device it is for. NULL after an error. */
struct capture_replay *capture_replay_create(const char *path, const struct capture_limits *limits, struct base_error *error);
const struct capture_event_device *capture_replay_device(const struct capture_replay *replay);
/* True when the capture says what became of memory. */
bool capture_replay_has_results(const struct capture_replay *replay);
const char *capture_replay_format(const struct capture_replay *replay);
/* The clock that the guest sees, from the capture; for tf_gpu_options.clock. Any thread. */
uint64_t capture_replay_clock(struct capture_replay *replay);
/* Carries everything out. False after an error of the capture itself (a damaged record) or of the host; what the guest's
 * work did wrong is in the result. */
bool capture_replay_run(struct capture_replay *replay, struct tf_gpu *gpu, const struct capture_replay_options *options,
                        struct capture_replay_result *result, struct base_error *error);
/* After the GPU's last use of its memory, before or after tf_gpu_destroy. NULL is fine. */
void capture_replay_destroy(struct capture_replay *replay);

#endif
