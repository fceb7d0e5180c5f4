/* submit: submissions: what the caller's thread works out for one before it is queued, and the queue itself.
 *
 * Roles and owners:
 *   submit_bell    a counter that threads wait on; part of what owns it (submit_bell.h).
 *   submit_fence   something that happens once; counted (submit_fence.h).
 *   submit_state   the registers of a ring, and what else its packets leave behind; the ring's, and a copy of the caller's
 *                  thread (submit_state.h).
 *   submit_work    one submission with all that is known of it: its command memory parsed, what it will write, what was
 *                  prepared for its dispatches. Made by the caller's thread, the ring's from then on; everything in it lives
 *                  in its arena, and it is used by one thread at a time.
 *   submit_ib      a stretch of command memory as it was read, with its packets; the work's.
 *   submit_queue   the works of one ring in order, between its callers and its command processor; the ring's.
 *   submit_tracer  what dispatches write, worked out ahead (submit_reach.h); the GPU's.
 *   submit_ledger  what all queued works of a GPU will write (submit_writes.h); the GPU's.
 */
#ifndef SUBMIT_SUBMIT_H
#define SUBMIT_SUBMIT_H

#include <pthread.h>

#include "base/base_arena.h"
#include "device/device.h"
#include "memory/memory.h"
#include "pm4/pm4.h"
#include "submit/submit_bell.h"
#include "submit/submit_fence.h"
#include "submit/submit_writes.h"

enum submit_ring { SUBMIT_GRAPHICS, SUBMIT_COMPUTE, SUBMIT_SDMA };

enum {
    SUBMIT_IB_WORDS = 1 << 20,   /* an indirect buffer's size has 20 bits */
    SUBMIT_WORK_WORDS = 1 << 23, /* command memory of one submission, each stretch counted once */
    SUBMIT_WORK_IBS = 1 << 16,   /* stretches in it */
    SUBMIT_BUCKETS = 64,
};

/* Guest addresses have 48 bits; this is the form in which they are kept: sign-extended. */
static inline uint64_t submit_address(uint64_t given)
{
    return (uint64_t)((int64_t)(given << 16) >> 16);
}

struct submit_ahead;

/* A packet of a stretch. Pads of one word are left out. */
struct submit_packet {
    union {
        struct pm4_packet pm4;
        struct pm4_sdma_packet sdma;
    };
    struct submit_ahead *ahead; /* a dispatch as the caller's thread met it, the last time; or NULL */
};

struct submit_ib {
    uint64_t address;
    uint32_t count;  /* words */
    bool mapped;     /* its words could be read */
    bool walked;     /* submit_ahead_walk has seen its packets */
    const char *bad; /* why the packets end before the words do, with place; NULL: they don't */
    uint32_t *words;
    struct submit_packet *packets; /* in ascending order of their offsets */
    size_t packet_count, packet_capacity;
    uint32_t pads;                  /* one-word packets that are left out */
    unsigned users;                 /* who are in the middle of it: it is not read anew in its place then */
    struct submit_ib *next, *chain; /* in the order in which they were read; of the same bucket, newest first */
};

/* Where a submission asks for command memory. */
struct submit_range {
    uint64_t address;
    uint32_t bytes;
};

struct submit_request {
    enum submit_ring ring;
    const struct submit_range *ibs;
    size_t ib_count;
    struct submit_fence *const *waits;
    size_t wait_count;
    uint64_t fence_address, fence_value; /* address 0: none */
    struct mem_snapshot *snapshot;       /* passed on to the work in any case */
};

struct submit_work {
    struct base_arena arena;
    enum submit_ring ring;
    uint64_t number; /* in its queue, from 1 */
    struct mem_snapshot *snapshot;
    struct submit_range *ibs;
    size_t ib_count;
    struct submit_fence **waits;
    size_t wait_count;
    uint64_t fence_address, fence_value;
    struct submit_fence *done;
    struct submit_ib *first, *last;            /* all stretches that were read so far */
    struct submit_ib *buckets[SUBMIT_BUCKETS]; /* the same by address */
    uint32_t words, stretches;                 /* in all of them; how many they are */
    struct submit_writes writes;
    struct submit_ahead *aheads; /* all dispatches that the caller's thread met */
    struct submit_entry *entry;  /* in the GPU's ledger */
    struct submit_work *next;    /* in its queue */
};

/* A work that knows its request and nothing else; reads no guest memory. NULL when out of memory (the snapshot is released
 * then). */
struct submit_work *submit_work_create(const struct submit_request *request);
/* Gives everything back; does not end the fence. NULL is fine. */
void submit_work_destroy(struct submit_work *work);
/* Reads and parses the command memory as it is now, calls and chains too, as far as it goes. What is wrong is found when its
 * turn comes. */
void submit_work_parse(struct submit_work *work);
/* The stretch at address as memory holds it now: parsed before and unchanged, or parsed anew. NULL and the reason when it can't
 * be had. */
struct submit_ib *submit_work_ib(struct submit_work *work, uint64_t address, uint32_t count, struct base_error *error);

/* Copies guest memory that must be all mapped. */
bool submit_memory_read(const struct mem_snapshot *snapshot, uint64_t address, void *to, uint64_t size);

/* The works of one ring. Zero-initialised and submit_queue_init is ready. */
struct submit_queue {
    pthread_mutex_t lock; /* guards what follows up to the bells */
    struct submit_work *first, *last;
    uint64_t pushed;
    bool closed;
    int caller;                 /* the processor that last pushed */
    struct submit_bell filled;  /* rung by push and close */
    struct submit_bell emptied; /* rung when the last work is gone */
};

void submit_queue_init(struct submit_queue *queue);
void submit_queue_finish(struct submit_queue *queue); /* it must be empty */
/* Numbers the work and queues it. */
void submit_queue_push(struct submit_queue *queue, struct submit_work *work);
/* The oldest work, which stays queued, after a wait for one; NULL once the queue is closed and empty. */
struct submit_work *submit_queue_front(struct submit_queue *queue);
/* Takes the oldest work out of the queue; it is the caller's again. */
void submit_queue_pop(struct submit_queue *queue);
void submit_queue_close(struct submit_queue *queue);
/* Until it is empty (true) or the deadline has passed. */
bool submit_queue_drain(struct submit_queue *queue, uint64_t deadline);

#endif
