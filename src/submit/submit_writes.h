/* submit_writes: what queued submissions will write, so that who reads ahead of them knows when to wait (D874, D876). */
#ifndef SUBMIT_SUBMIT_WRITES_H
#define SUBMIT_SUBMIT_WRITES_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/base_span.h"
#include "submit/submit_bell.h"

/* Why what is written may be anywhere. */
enum submit_unbounded {
    SUBMIT_NOT_TRACED,    /* a dispatch: nobody worked out what its program's stores reach */
    SUBMIT_INDIRECT_GRID, /* a dispatch whose size stands in memory */
    SUBMIT_CONDITION,     /* words that are read anew when they are skipped into (COND_EXEC) */
    SUBMIT_UNREAD,        /* command memory that could not be read ahead, or calls of SDMA */
    SUBMIT_NO_MEMORY,     /* the host's: for the list of ranges */
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
};

void submit_ledger_init(struct submit_ledger *ledger);
void submit_ledger_finish(struct submit_ledger *ledger);
/* Enters a work's writes; NULL when out of memory, with which the caller must not queue it. writes must stay until it retires. */
struct submit_entry *submit_ledger_enter(struct submit_ledger *ledger, const struct submit_writes *writes);
void submit_ledger_retire(struct submit_ledger *ledger, struct submit_entry *entry);
/* A work that waits for something outside (a fence, a word in memory) is blocked: nobody may wait for it ahead of its turn,
 * since what it waits for may be the very thread that would wait. */
void submit_ledger_block(struct submit_ledger *ledger, struct submit_entry *entry, bool blocked);

enum submit_ready {
    SUBMIT_READY,     /* nothing that is queued writes there */
    SUBMIT_WAITED,    /* something that was queued did, and has been carried out meanwhile */
    SUBMIT_NOT_READY, /* something that is queued does, and is blocked */
};
/* Waits until what was queued at the call and may write in the range has been carried out. */
enum submit_ready submit_ledger_settle(struct submit_ledger *ledger, uint64_t start, uint64_t size);

#endif
