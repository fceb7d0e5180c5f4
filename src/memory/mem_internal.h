/* mem_internal: what the files of memory/ share and nobody else sees.
 *
 * Roles and owners:
 *   mem_entry   one run as the tables hold it; plain data, copied from table to table.
 *   mem_chunk   some entries, shared by the snapshots that have them in common; counted, guarded by the space's lock.
 *   mem_tenant  host memory that is not simply what the newest snapshot shows: it is leaving (older snapshots still show it) or waiting
 *               for its place (another tenant is there). Owned by the list it is in; one that does both is owned by the leaving list.
 *   mem_watch   host memory in which host faults are ours; in the process's list for good, used again and again (mem_watch.c).
 */
#ifndef MEMORY_MEM_INTERNAL_H
#define MEMORY_MEM_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/base_span.h"
#include "memory/memory.h"

/* One reservation of addresses, PROT_NONE wherever nothing is allocated. */
struct mem_window {
    uint64_t base, size;
};

enum mem_kind {
    MEM_KIND_PAGES, /* allocated in the window */
    MEM_KIND_FILE,
    MEM_KIND_PRT,
    MEM_KIND_USER, /* the caller's */
};

struct mem_watch;

/* Entries of one mapping lie side by side and cover all of it, save for what was cleared. Addresses are keys (mem_key). */
struct mem_entry {
    struct mem_run run;
    enum mem_kind kind;
    bool hidden;                          /* part of an allocation that the guest does not see */
    uint64_t mapping_start, mapping_size; /* of the whole mapping that this is a part of */
    uint64_t born;            /* the number of the first snapshot that shows it: with mapping_start, names the mapping */
    struct mem_origin origin; /* of mapping_start */
    struct mem_watch *watch;  /* of exactly this run; NULL inside the window, which is watched whole */
};

enum { MEM_CHUNK_ENTRIES = 128 };

struct mem_chunk {
    unsigned references, count;
    struct mem_entry entries[MEM_CHUNK_ENTRIES]; /* by ascending start; never overlapping */
};

struct mem_slot {
    uint64_t first; /* where the chunk's first entry starts */
    struct mem_chunk *chunk;
};

struct mem_tenant {
    struct mem_tenant *next_leaving, *next_waiting;
    struct base_span span; /* guest addresses */
    uint64_t born, died;   /* snapshots numbered born .. died - 1 show it; died is UINT64_MAX while the newest does */
    enum mem_kind kind;
    bool in_window;          /* its place is its guest address */
    bool waiting;            /* not there yet: host is where it is held meanwhile */
    bool refused;            /* the host would not move it there */
    uint8_t *host;           /* of what is not in_window, or not there yet */
    struct mem_watch *watch; /* of what is not in_window, else NULL */
};

struct mem_snapshot {
    atomic_size_t references;
    struct mem_space *space;
    uint64_t number;
    struct mem_snapshot *older, *newer; /* the next ones that still exist; guarded by the space's lock */
    struct mem_tenant *leaving;         /* what no newer existing snapshot shows; guarded by the space's lock */
    atomic_bool settled;                /* all that it shows is in place */
    size_t count, slot_count;           /* entries, and chunks */
    /* Slots at either end whose chunks are another's: of a new snapshot, not published yet, the one's before; of one that was given
     * up when the next was published, the next's. */
    size_t borrowed_left, borrowed_right;
    struct mem_slot slots[]; /* by ascending first; no chunk is empty */
};

/* Where recovered host faults are counted; written by signal handlers. */
struct mem_fault_log {
    atomic_uint_fast64_t count;
    atomic_uint_fast64_t addresses[MEM_FAULTS_KEPT];
};

struct mem_space {
    struct mem_window window;
    struct mem_watch *watch; /* of the window */
    struct mem_fault_log faults;
    pthread_mutex_t lock;          /* guards what follows, and building and ending snapshots */
    pthread_cond_t moved;          /* a waiting tenant found its place, or will not */
    struct mem_snapshot *snapshot; /* the newest; the space holds one reference */
    struct base_spans occupied;    /* pages in the window with host memory: shown, or leaving and not waiting */
    size_t leaving_count;          /* over all snapshots; with the newest's entries, bounds what occupied can come apart into */
    struct mem_tenant *waiting;    /* by ascending birth */
    uint64_t next;                 /* where the next allocation looks first */
    bool names_origins;            /* of the caller's memory */
};

/* mem_window: what is asked of the host. Sizes are in whole pages. */
bool mem_window_reserve(struct mem_window *window, uint64_t bytes);
void mem_window_release(struct mem_window *window);
/* Fresh zeroed memory, or zeros that nobody may write. */
bool mem_window_commit(uint64_t address, uint64_t size, bool writable);
/* A file's bytes at address; 0: anywhere. NULL when the host refuses: an address may then be reserved no more, see decommit. */
uint8_t *mem_window_file(uint64_t address, int file, uint64_t offset, uint64_t size, bool may_be_read_only);
/* Zeros that nobody may write, anywhere; NULL when the host refuses. */
uint8_t *mem_window_zeros(uint64_t size);
bool mem_window_move(uint8_t *from, uint64_t address, uint64_t size);
/* Back to PROT_NONE and empty. */
void mem_window_decommit(uint64_t address, uint64_t size);
void mem_window_unmap(uint8_t *host, uint64_t size);
bool mem_window_overlaps(const struct mem_window *window, struct base_span span);
bool mem_window_contains(const struct mem_window *window, struct base_span span);
uint64_t mem_page_size(void);
/* Allocations of this size and up lie at a multiple of it, so that the host can back them with huge pages. */
static const uint64_t mem_huge_page = UINT64_C(2) << 20;

/* mem_table: the entries of snapshots. */
/* The one form of a guest address that tables hold: its 48 bits, so that what ends with the last address has an end. False for an
 * address whose upper bits are neither all clear nor all set (0082). */
bool mem_key(uint64_t address, uint64_t *key);
uint64_t mem_key_canonical(uint64_t key); /* sign-extended, as reports have it */
/* How many addresses there are from a key to the end of its half. */
uint64_t mem_key_rest(uint64_t key);
/* A range in that form; false when it is empty, or not all in one half of the guest's addresses. */
bool mem_key_span(uint64_t address, uint64_t size, struct base_span *span);
/* A place in a snapshot's entries. */
struct mem_cursor {
    const struct mem_snapshot *snapshot;
    size_t slot, index;
};
/* At the first entry that ends after key. */
struct mem_cursor mem_cursor_at(const struct mem_snapshot *snapshot, uint64_t key);
const struct mem_entry *mem_cursor_entry(const struct mem_cursor *cursor); /* NULL behind the last */
void mem_cursor_next(struct mem_cursor *cursor);
/* The entry that holds key, hidden or not, or NULL. */
const struct mem_entry *mem_table_find(const struct mem_snapshot *snapshot, uint64_t key);
bool mem_table_overlaps(const struct mem_snapshot *snapshot, struct base_span span);
struct base_span mem_entry_span(const struct mem_entry *entry);
bool mem_entry_same_mapping(const struct mem_entry *a, const struct mem_entry *b);
/* A snapshot with no entries; NULL when out of memory. */
struct mem_snapshot *mem_table_empty(struct mem_space *space);
/* before's entries, with those that start in span replaced by `with` (sorted, and starting in span). NULL when out of memory. */
struct mem_snapshot *mem_table_splice_locked(const struct mem_snapshot *before, struct base_span span,
                                             const struct mem_entry *with, size_t count);
void mem_table_free_locked(struct mem_snapshot *snapshot);
/* newer, which was spliced from before, is published: the chunks that both have are counted, or simply change hands where nobody
 * but the space has before. */
void mem_table_succeed_locked(struct mem_snapshot *newer, struct mem_snapshot *before);

/* mem_tenant: coming and going of host memory. */
/* Makes newer the space's snapshot, and lets go of the one before. `leaving` is what newer shows no more; occupied has room for
 * what it may come apart into. */
void mem_tenants_publish_locked(struct mem_space *space, struct mem_snapshot *newer, struct mem_tenant *leaving);
/* The last reference to a snapshot is gone. */
void mem_tenants_retire_locked(struct mem_snapshot *snapshot);
void mem_tenants_wait_locked(struct mem_space *space, struct mem_tenant *tenant);
/* The waiting tenant that this snapshot shows at key, or in all of its addresses (UINT64_MAX), or NULL. */
struct mem_tenant *mem_tenants_waiting_locked(const struct mem_snapshot *snapshot, uint64_t key);
/* The end of a waiting tenant that is in the way of span, or 0. */
uint64_t mem_tenants_in_the_way_locked(const struct mem_space *space, struct base_span span);
/* Cuts the part that `part` (leaving) is off the waiting tenant that it belongs to, if it does; *spare is used up where it becomes two. */
void mem_tenants_part_locked(struct mem_space *space, struct mem_tenant *part, struct mem_tenant **spare);
/* Those that the host never put in their places go with the space; nobody else waits any more. */
void mem_tenants_finish_refused(struct mem_space *space);
/* What host memory an entry of the newest snapshot has goes with the space. */
void mem_tenants_finish_entry(const struct mem_entry *entry, const struct mem_window *window);

/* mem_origin: what file, if any, is behind the caller's memory. */
struct mem_origin mem_origin_of(const void *host, uint64_t size);

/* mem_watch: which host memory is the guest's, as signal handlers see it. */
enum mem_watch_kind {
    MEM_WATCH_OURS, /* mapped by us: a page of it may be replaced */
    MEM_WATCH_USER, /* the caller's: only what is mapped no more may be filled in */
};
/* NULL when out of memory. */
struct mem_watch *mem_watch_add(enum mem_watch_kind kind, const void *host, uint64_t size, uint64_t guest,
                                struct mem_fault_log *log);
void mem_watch_remove(struct mem_watch *watch); /* NULL is fine */
/* Between these two, no other thread changes watches: for fork(). */
void mem_watch_hold_still(void);
void mem_watch_move_on(void);
enum mem_mend {
    MEM_MEND_NOT_OURS,
    MEM_MEND_DONE, /* the access can be tried again */
    MEM_MEND_END,  /* ours, but the access cannot be made to work */
};
/* In a signal handler: what can be done for a fault, which is counted then. guarded: the work has a recovery point. */
enum mem_mend mem_watch_mend(int number, int code, uintptr_t address, bool guarded);
void mem_fault_note(struct mem_fault_log *log, uint64_t guest);

/* mem_signal: one hold for each space; the first installs the handlers, the last takes them away. */
bool mem_signal_hold(void);
void mem_signal_drop(void);
/* Puts the handlers back in front when somebody else installed theirs. */
void mem_signal_check(void);
/* As mem_guard_run; a fault at a host address in span ends the work whether that is watched or not. */
bool mem_guard_over(void (*work)(void *user), void *user, struct base_span span);

#endif
