/* memory: one guest address space: what is mapped where, and how the host reaches it.
 *
 * Roles and owners:
 *   mem_space     the address space; created and destroyed by its owner; its functions may be called from any thread.
 *   mem_snapshot  what was mapped at one moment, immutable; counted: each acquire needs a release. Memory that a snapshot shows stays
 *                 where it is until the last snapshot that shows it is released, even when it is unmapped meanwhile.
 *   mem_run       a piece of mapped guest memory, as a snapshot shows it; plain data.
 *   mem_faults    host faults met and recovered in guest memory; plain data.
 *
 * A space reserves a window of the process's addresses (nothing of the process itself can be inside it) and hands out guest memory
 * from it, so that a guest address in the window is also the host's, save for memory of the caller's that is shown there.
 *
 * Guest addresses have 48 bits. Those of the upper half may be given sign-extended (0xffff8000...) or as the 48 bits alone
 * (0x00008000...), as descriptors hold them; answers come in the form of the question. Any other address is mapped nowhere.
 *
 * Whoever runs guest work acquires a snapshot when the work is submitted, settles it before the work starts, works with that
 * snapshot alone, and releases it when the work is done: that is what orders changes of the address space with the work.
 */
#ifndef MEMORY_MEMORY_H
#define MEMORY_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/base_error.h"

struct mem_space;
struct mem_snapshot;

enum mem_outcome {
    MEM_DONE,
    MEM_UNMAPPED,  /* nothing is mapped there */
    MEM_NOT_READY, /* mapped, but older work still uses the place where its memory goes: mem_snapshot_settle waits for that */
    MEM_READ_ONLY, /* a write, and the guest may only read there */
};

struct mem_run {
    uint64_t start, size; /* guest addresses start .. start + size - 1; never wraps */
    uint8_t *host;        /* where start lies in the host; readable in any case */
    bool writable;        /* by the guest */
    bool discards;        /* writes vanish, without a fault, and must not reach host; reads are zero. Never writable */
};

/* What a stretch of an allocation is to the guest: pieces of one allocation may differ. */
struct mem_piece {
    uint64_t offset, size; /* inside the allocation; ascending, not overlapping */
    bool writable;
};

/* A new space with a window of about window_bytes (less where the host refuses so much), its base a multiple of 4 GiB. NULL when
 * it refuses any. */
struct mem_space *mem_space_create(uint64_t window_bytes, struct base_error *error);
/* Before anything is mapped, for who asks which addresses show the same memory: from now on each piece of the caller's memory is looked up in the
 * host's list of mappings, which takes the longer the longer that is. Else its origin is its host address. */
void mem_space_name_origins(struct mem_space *space);
/* NULL is fine. No snapshot may be held any more. */
void mem_space_destroy(struct mem_space *space);

/* Zeroed memory of size bytes (1 or more) inside the window, guarded on both sides by memory that is not mapped. align is a power
 * of two. The guest sees `pieces` of it, or all of it writable when piece_count is 0. Lies in the window's lowest quarter while
 * there is room, so that the rest stays free for mappings at addresses that others choose. */
bool mem_space_alloc(struct mem_space *space, uint64_t size, uint64_t align, const struct mem_piece *pieces, size_t piece_count,
                     uint64_t *address, struct base_error *error);
/* The caller's memory at host, shown to the guest at any address. It must stay until it is unmapped and no snapshot shows it any
 * more; when it does not, an access is a fault: work under mem_guard_run ends there (see mem_space_faults). */
bool mem_space_map(struct mem_space *space, uint64_t address, void *host, uint64_t size, bool writable, struct base_error *error);

enum mem_change {
    MEM_CHANGED,
    MEM_CHANGE_WRONG,   /* the request makes no sense, or something is mapped there already; nothing was changed */
    MEM_CHANGE_REFUSED, /* the host has no memory for it, or refuses the file; nothing was changed */
};

enum mem_map_flags {
    MEM_MAP_WRITABLE = 1 << 0, /* by the guest */
    MEM_MAP_REPLACE = 1 << 1,  /* whatever is mapped in the range goes in the same step; otherwise that is an error */
};

/* size bytes of a file from offset on, shown at address; all page-aligned. Inside the window they lie at the address itself. The
 * descriptor is not needed afterwards. Never waits: where older work still uses that place, snapshots show the mapping at once, as
 * not ready, and it moves in when that work is done. */
enum mem_change mem_space_map_file(struct mem_space *space, uint64_t address, int file, uint64_t offset, uint64_t size,
                                   unsigned flags, struct base_error *error);
/* A page-aligned range that is resident nowhere: reads are zero, writes vanish, neither is a fault. flags: MEM_MAP_REPLACE. */
enum mem_change mem_space_map_prt(struct mem_space *space, uint64_t address, uint64_t size, unsigned flags,
                                  struct base_error *error);
/* Takes away what mem_space_alloc returned at address, or what was mapped there; *size (when not NULL) is how much that was. When its
 * beginning was cleared before, nothing is found. */
bool mem_space_unmap(struct mem_space *space, uint64_t address, uint64_t *size, struct base_error *error);
/* Takes away whatever is mapped in a page-aligned range, also parts of mappings. Nothing there is fine. */
enum mem_change mem_space_clear(struct mem_space *space, uint64_t address, uint64_t size, struct base_error *error);

/* The host's own access to what is mapped now: all of the range must be mapped. Writes ignore that a run is read-only to the guest. */
bool mem_space_read(struct mem_space *space, uint64_t address, void *to, uint64_t size, struct base_error *error);
bool mem_space_write(struct mem_space *space, uint64_t address, const void *from, uint64_t size, struct base_error *error);
/* Where the host reaches [address, address + size), or NULL when that is not all inside one allocation or mapping. Waits when that is not
 * ready. */
void *mem_space_pointer(struct mem_space *space, uint64_t address, uint64_t size);

/* The window: nothing outside it was allocated by the space. */
void mem_space_window(const struct mem_space *space, uint64_t *base, uint64_t *size);

struct mem_snapshot *mem_snapshot_acquire(struct mem_space *space);
void mem_snapshot_release(struct mem_snapshot *snapshot); /* NULL is fine */
/* Waits until every mapping that the snapshot shows is in place: for the release of older snapshots that show something else there. False
 * when the host refused to put one in place: its range is then not ready for good. */
bool mem_snapshot_settle(struct mem_snapshot *snapshot);
/* The first address of a mapping that the snapshot shows and the host refused; false when there is none. */
bool mem_snapshot_refused(struct mem_snapshot *snapshot, uint64_t *address);
/* The run that holds address; *run is set only when done. Never MEM_READ_ONLY. */
enum mem_outcome mem_snapshot_lookup(const struct mem_snapshot *snapshot, uint64_t address, struct mem_run *run);
/* The same, true when done. */
bool mem_snapshot_find(const struct mem_snapshot *snapshot, uint64_t address, struct mem_run *run);
/* The first run that is ready and starts at or behind `from`; false when there is none. Addresses come sign-extended, ascending. */
bool mem_snapshot_next(const struct mem_snapshot *snapshot, uint64_t from, struct mem_run *run);
/* How far it is from an address that is not mapped to the next that is, or to the end of its half of the addresses (from
 * between the halves: to the upper one). */
uint64_t mem_snapshot_hole(const struct mem_snapshot *snapshot, uint64_t address);
/* What memory an address shows: addresses that show the same byte of the same file are the same memory. */
enum { MEM_FILE_NONE = 0 };         /* the process's own: offset is a host address */
#define MEM_FILE_UNKNOWN UINT64_MAX /* more than one, perhaps */
struct mem_origin {
    uint64_t file; /* its inode: two devices' files with one number are taken for one */
    uint64_t offset;
};
/* Which mapping shows an address. */
struct mem_mapping {
    uint64_t born; /* with where the run begins, names it: runs that are the same with the same number are the same memory */
    bool
        sole; /* nothing else in the process shows that memory, and it belongs to the space: what writes it does so by the run's host */
    struct mem_origin origin; /* of the address; of the caller's memory: as it was when it was mapped */
};
bool mem_snapshot_mapping(const struct mem_snapshot *snapshot, uint64_t address, struct mem_mapping *mapping);
/* Whether nothing was changed since. */
bool mem_snapshot_is_newest(struct mem_snapshot *snapshot);
/* Never 0; two snapshots of a space with the same number show the same runs. */
uint64_t mem_snapshot_version(const struct mem_snapshot *snapshot);
/* Access with the guest's rights, across runs that touch: all of the range or nothing (save where the caller took its memory away, which
 * is met on the way and MEM_UNMAPPED). *where (may be NULL) is the first address that
 * stood in the way. An aligned word of 4 or 8 bytes moves whole: a write is seen after all that this thread wrote before, a read comes
 * before all that it reads after. */
enum mem_outcome mem_snapshot_read(const struct mem_snapshot *snapshot, uint64_t address, void *to, uint64_t size,
                                   uint64_t *where);
enum mem_outcome mem_snapshot_write(const struct mem_snapshot *snapshot, uint64_t address, const void *from, uint64_t size,
                                    uint64_t *where);

/* Host faults inside mapped guest memory: a file that became shorter, memory of the caller's that went away or was protected. Nothing
 * crashes: the access got zeros or was dropped. */
enum { MEM_FAULTS_KEPT = 16 };
struct mem_faults {
    uint64_t count;                      /* since the space was created */
    uint64_t addresses[MEM_FAULTS_KEPT]; /* guest addresses (of the page, or nearer) of the first ones */
};
void mem_space_faults(const struct mem_space *space, struct mem_faults *faults);

/* Runs work so that a host fault in guest memory which cannot be mended in place (a write to memory that its owner protected) ends it
 * early instead of the process; false when that happened. Work must hold no lock and no memory of its own where it touches guest memory.
 * Costs some ten nanoseconds. A thread that touches guest memory keeps SIGSEGV and SIGBUS unblocked. */
bool mem_guard_run(void (*work)(void *user), void *user);

/* mem_signal: what the process asks for SIGSEGV and SIGBUS while the handler is ours; see tenfold/signal.h. */
struct sigaction;
bool mem_signal_forward(int number, const struct sigaction *action, struct sigaction *old);

#endif
