/* cp: the command processor: carries queued submissions out, a thread for each ring.
 *
 * Roles and owners:
 *   cp_gpu    what the rings of a GPU share: memory, device, GDS, clock, what was refused and what failed. Created and
 *             destroyed by the caller, after its rings; what its options name is the caller's and outlives it.
 *   cp_ring   one queue: registers, a thread (started with the first submission), its works. Created and destroyed by the
 *             caller.
 *   cp_refusal, cp_ring_totals  what a report is made of; plain data, valid during the call that hands them out.
 *
 * What the guest does wrong is found when a packet's turn comes, and is one of three: a fault (counted, reported, the packet's
 * result is defined, the ring goes on), a refusal (something that is not built in, such as a draw: named once for each place,
 * the ring goes on without it), or the ring's end: it is lost from that packet on, with place and reason.
 */
#ifndef CP_CP_H
#define CP_CP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/base_error.h"
#include "device/device.h"
#include "memory/memory.h"
#include "pm4/pm4.h"
#include "submit/submit.h"

struct cp_gpu;
struct cp_ring;
struct image_config;

struct cp_options {
    struct device *device;
    enum isa_chip_bit chip; /* looked at where the device prepares ahead */
    uint8_t *gds;
    uint32_t gds_bytes;
    struct wave_apertures apertures;
    const struct image_config *images; /* how the chip lays images out; NULL: tiled copies are refused */
    unsigned render_backends;          /* that write a depth counter (ZPASS_DONE), 16 bytes apart */
    bool
        memory_told; /* cp_gpu_changed and the device's settle are called for the host's own accesses, and not around each submission */
    double timeout_s;              /* without progress: a dispatch hangs, a wait in a stream is in vain; 0: never */
    uint64_t (*clock)(void *user); /* counts of 100 MHz */
    void *clock_user;
    /* One line of text; serious: the guest's work failed. May be called from any thread. NULL: silent. */
    void (*log)(void *user, bool serious, const char *text);
    void *log_user;
};

struct cp_gpu *cp_gpu_create(const struct cp_options *options); /* NULL when out of memory */
void cp_gpu_destroy(struct cp_gpu *gpu);                        /* NULL is fine; its rings are gone */
uint64_t cp_gpu_clock(const struct cp_gpu *gpu);
bool cp_gpu_failed(const struct cp_gpu *gpu); /* some guest work did */
/* The host changed guest memory: programs and copies are looked at again, waits too. */
void cp_gpu_changed(struct cp_gpu *gpu, uint64_t start, uint64_t size);

/* NULL when out of memory. name is copied. */
struct cp_ring *cp_ring_create(struct cp_gpu *gpu, enum submit_ring kind, const char *name);
/* Waits until what was submitted is done or the deadline (CLOCK_MONOTONIC) has passed, then gives the rest up as lost. NULL is
 * fine. */
void cp_ring_destroy(struct cp_ring *ring, uint64_t deadline);

enum cp_submitted { CP_SUBMITTED, CP_LOST, CP_NO_MEMORY };
/* Queues a submission. request->ring is set here; its snapshot is taken over in any case. *done (or NULL) receives a reference
 * to the fence that ends with it. */
enum cp_submitted cp_ring_submit(struct cp_ring *ring, struct submit_request *request, struct submit_fence **done);
/* True once the ring was lost; text receives place and reason. */
bool cp_ring_lost(const struct cp_ring *ring, char *text, size_t size);

/* ---- reports ---- */

enum { CP_PACKETS = (int)PM4_PACKET_COUNT > (int)PM4_SDMA_COUNT ? (int)PM4_PACKET_COUNT : (int)PM4_SDMA_COUNT };

struct cp_ring_totals {
    const char *name;
    enum submit_ring kind;
    uint64_t submissions, ended, lost; /* queued; carried out; given up */
    uint64_t dispatches, groups, waves, failed_dispatches;
    uint64_t prepared_ahead, prepared_again;    /* on the caller's thread; and in their turn, because something had changed */
    uint64_t packets[CP_PACKETS];               /* by pm4_packet_id, or pm4_sdma_id on an SDMA ring */
    uint64_t unbounded[SUBMIT_UNBOUNDED_COUNT]; /* dispatches whose writes nobody could bound, by reason */
    double busy_s;                              /* carrying submissions out, waits included */
    const char *lost_text;                      /* NULL: it is not */
};

/* What a ring waited for: once for each kind and address. */
struct cp_wait_total {
    const char *kind; /* "memory", "register", "fence", "semaphore"; "other": all that found no room */
    uint64_t address;
    uint64_t times;
    double seconds, longest_s;
};

/* What became of one submission. */
enum { CP_SUBMISSIONS_KEPT = 256 }; /* of each ring, the last ones */
struct cp_submission {
    uint64_t number; /* in its ring, from 1 */
    uint64_t packets, dispatches, draws;
    double seconds, waited_s;     /* carrying it out; waits are in it */
    struct cp_wait_total longest; /* of its waits; kind is NULL where there was none */
    bool lost;
};

/* Dispatches of a program whose writes nobody could bound. */
struct cp_unbounded_total {
    uint64_t program; /* 0: of those that found no room */
    enum submit_unbounded reason;
    uint64_t times;
};

/* A fault, or something refused: once for each place. */
struct cp_refusal {
    const char *kind; /* "fault", "unsupported", "dispatch", "lost" */
    const char *text; /* what, with the first place */
    uint64_t times;
};

struct cp_report_sink {
    void *user;
    void (*ring)(void *user, const struct cp_ring_totals *totals, const struct cp_wait_total *waits, size_t wait_count);
    void (*refusal)(void *user, const struct cp_refusal *refusal);
    void (*submission)(void *user, const struct cp_submission *submission);    /* of the ring that was told last, oldest first */
    void (*unbounded)(void *user, const struct cp_unbounded_total *unbounded); /* likewise */
};

/* All rings that ever were, in the order of their creation, then the refusals. Rings may be at work. */
void cp_gpu_report(struct cp_gpu *gpu, const struct cp_report_sink *sink);

#endif
