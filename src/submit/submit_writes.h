/* submit_writes: what queued submissions will write, so that who reads ahead of them knows when to wait (D874, D876). */
#ifndef SUBMIT_SUBMIT_WRITES_H
#define SUBMIT_SUBMIT_WRITES_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/base_span.h"
#include "submit/submit_bell.h"

/* Why what is written may be anywhere. */
enum submit_unbounded {
    SUBMIT_NOT_TRACED,       /* a dispatch: its program can't be followed */
    SUBMIT_IMAGE_STORE,      /* a dispatch: a store to an image whose descriptor is not known, or does not place it */
    SUBMIT_FLAT_STORE,       /* a dispatch: a flat store whose addresses are not known */
    SUBMIT_GLOBAL_STORE,     /* a dispatch: a global store whose addresses are not known */
    SUBMIT_DEVICE_ADDRESSED, /* a dispatch: a store through a buffer whose descriptor is not known, or does not bound it */
    SUBMIT_INDIRECT_GRID,    /* a dispatch whose size stands in memory, and decides where it stores */
    SUBMIT_COLOR_TARGET,     /* a draw: one that has metadata, or is not placed */
    SUBMIT_CHANGES,          /* a dispatch of a program whose registers or memory were something else in its turn before */
    SUBMIT_CONDITION,        /* words that are read anew when they are skipped into (COND_EXEC) */
    SUBMIT_UNREAD,           /* command memory that could not be read ahead, or calls of SDMA */
    SUBMIT_NO_MEMORY,        /* the host's: for the list of ranges */
    SUBMIT_UNBOUNDED_COUNT
};
const char *submit_unbounded_name(enum submit_unbounded reason);

/* What one submission will write; its owner's, zero-initialised is nothing. */
struct submit_writes {
    struct base_spans spans;
    unsigned unbounded; /* bits by submit_unbounded: why the spans are not all of it; 0: they are */
};

void submit_writes_finish(struct submit_writes *writes);

void submit_writes_add(struct submit_writes *writes, uint64_t start, uint64_t size);
void submit_writes_unbound(struct submit_writes *writes, enum submit_unbounded reason);
/* All of more, the reasons too. */
void submit_writes_join(struct submit_writes *writes, const struct submit_writes *more);
/* True when something in [start, start + size) may be written. */
bool submit_writes_touch(const struct submit_writes *writes, uint64_t start, uint64_t size);

/* A queued work's entry; the ledger's. */
struct submit_entry;

/* The queued works of all rings of a GPU. */
struct submit_ledger {
    pthread_mutex_t lock; /* guards the list */
    struct submit_entry *first;
    uint64_t entered;
    struct submit_bell changed; /* rung when a work retires or blocks */
    _Atomic uint64_t distrusts; /* how often a work wrote other memory than its entry said */
};

void submit_ledger_init(struct submit_ledger *ledger);
void submit_ledger_finish(struct submit_ledger *ledger);
/* Enters a work's writes; NULL when out of memory, with which the caller must not queue it. writes must stay until it retires. */
struct submit_entry *submit_ledger_enter(struct submit_ledger *ledger, const struct submit_writes *writes);
void submit_ledger_retire(struct submit_ledger *ledger, struct submit_entry *entry);
/* A work that waits for something outside (a fence, a word in memory) is blocked: nobody may wait for it ahead of its turn,
 * since what it waits for may be the very thread that would wait. */
void submit_ledger_block(struct submit_ledger *ledger, struct submit_entry *entry, bool blocked);

/* A work whose turn it is is about to write other memory than it said: from now on it may write anything, and whatever was read ahead
 * before (submit_ledger_trust was less then) counts no more. */
void submit_ledger_distrust(struct submit_ledger *ledger, struct submit_entry *entry);
static inline uint64_t submit_ledger_trust(struct submit_ledger *ledger)
{
    return atomic_load(&ledger->distrusts);
}

enum submit_ready {
    SUBMIT_READY,     /* nothing that is queued writes there */
    SUBMIT_WAITED,    /* something that was queued did, and has been carried out meanwhile */
    SUBMIT_NOT_READY, /* something that is queued does, and is blocked */
};
/* Waits until what was queued at the call and may write in the range has been carried out. */
enum submit_ready submit_ledger_settle(struct submit_ledger *ledger, uint64_t start, uint64_t size);

#endif
