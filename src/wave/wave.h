/* wave: runs IR on the host's cores, 32 or 64 lanes at a time.
 *
 * Roles and owners:
 *   wave_memory    how waves reach guest memory; callbacks and their user pointer are the caller's, and must be thread-safe.
 *   wave_cache     the lowered programs of one chip; created and destroyed by the caller; shared by threads and engines.
 *   wave_engine    the worker threads of a GPU and what they keep from dispatch to dispatch; created and destroyed by the caller, after and
 *                  before its cache; several threads may run dispatches on it at once.
 *   wave_dispatch  what the hardware's compute registers say of one dispatch; plain data, the caller's.
 *   wave_result    what a dispatch did, in full; filled by wave_run_dispatch, freed with wave_result_finish.
 *   wave_brief     what a dispatch did, in short; plain data, filled by wave_engine_run.
 */
#ifndef WAVE_WAVE_H
#define WAVE_WAVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa/isa.h"

enum wave_outcome {
    WAVE_DONE,
    WAVE_UNMAPPED,  /* no mapping covers the address: zeros or dropped, and a fault */
    WAVE_NOT_READY, /* a host run with partial knowledge cannot know the contents */
};

/* A run of guest memory that the host can reach as one piece. */
struct wave_run {
    uint64_t start, size; /* guest addresses start .. start + size - 1; never wraps */
    uint8_t *host;        /* where guest address `start` lies in the host; NULL only where it discards */
    bool writable;
    bool discards; /* nothing is behind it (a hole of a sparse buffer): loads read zeros, stores and atomics vanish, no fault */
};

struct wave_memory {
    void *user;
    /* Finds the run that holds addr. Runs stay valid until the dispatch that asked has ended. */
    enum wave_outcome (*find)(void *user, uint64_t addr, struct wave_run *run);
    /* Two dispatches with the same number (not 0) see the same runs, and what one found stays valid in the other: the number of the
     * snapshot that both hold. 0: no such promise; each dispatch looks for everything anew. */
    uint64_t version;
    /* Calls work(worker) and returns true; false when it had to be left in the middle, because a write to guest memory hit what the host does not let
     * it write. The dispatch then ends, with a fault. No lock is held where work writes guest memory. NULL: no such help. */
    bool (*guard)(void (*work)(void *worker), void *worker);
};

/* The apertures through which flat addresses reach LDS and scratch: the high words of 64-bit addresses. */
struct wave_apertures {
    uint32_t shared_base_hi, private_base_hi;
};

/* One dispatch as the compute registers describe it. */
struct wave_dispatch {
    uint64_t program;             /* COMPUTE_PGM_LO/HI: byte address of the first instruction */
    uint32_t rsrc1, rsrc2, rsrc3; /* COMPUTE_PGM_RSRC1..3, as in a kernel descriptor */
    uint32_t user_data[32];       /* s0 and up; rsrc2.USER_SGPR of them are loaded (up to 32, so that exec may preload) */
    uint32_t groups[3];           /* grid in groups, at least 1 in each dimension for anything to run */
    uint32_t threads[3];          /* threads in a group, 1..1024 in all */
    uint32_t last_threads[3];     /* threads in the last group of each dimension, 1..threads[n] */
    uint32_t first_group[3];      /* added to the ids that the groups see (COMPUTE_START_X..Z) */
    unsigned wave_size;           /* 32 or 64 */
    uint32_t lds_bytes;           /* allocated to a group, at most 65536 */
    uint64_t scratch_base;        /* guest address of the scratch ring */
    uint32_t scratch_wave_bytes;  /* bytes of scratch a wave (COMPUTE_TMPRING_SIZE.WAVESIZE) */
    uint32_t scratch_waves;       /* how many waves the ring holds; residency never exceeds it (0: no scratch) */
    struct wave_apertures apertures;
    uint64_t border_colors; /* guest address of the table of border colours (TA_CS_BC_BASE_ADDR) */
    uint8_t *gds;           /* 64 KiB, shared by dispatches, or NULL: GDS accesses are reported faults */
    uint32_t gds_bytes;
    const char *name; /* for reports, or NULL */
    /* What is known of a program's words holds for one epoch: a program that was lowered, or last compared with memory, in another one is
     * compared before it runs (also where a computed jump first leads to it), and lowered anew when it changed. The caller counts it up whenever
     * code may have changed or memory was mapped anew: at least for each submission. Constant (0): who changes code says so (wave_cache_invalidate). */
    uint64_t code_epoch;
    double timeout_s;           /* seconds without progress that end it as a hang; 0: as the options say */
    const _Atomic bool *cancel; /* or NULL: once true, all waves stop soon, with a fault WAVE_FAULT_CANCELLED */
};

enum wave_fault_kind {
    WAVE_FAULT_UNMAPPED_READ,
    WAVE_FAULT_UNMAPPED_WRITE,
    WAVE_FAULT_READ_ONLY,
    WAVE_FAULT_LDS_MISALIGNED,
    WAVE_FAULT_LDS_RANGE, /* LDS range is defined (zeros, dropped); counted, never a failure by itself */
    WAVE_FAULT_ATOMIC_MISALIGNED,
    WAVE_FAULT_UNKNOWN_INSTRUCTION,
    WAVE_FAULT_UNSUPPORTED_INSTRUCTION,
    WAVE_FAULT_IMAGE, /* an image or sampler descriptor that cannot be used; the text says why */
    WAVE_FAULT_FETCH, /* pc in unmapped memory */
    WAVE_FAULT_FETCH_MISALIGNED,
    WAVE_FAULT_TRAP,
    WAVE_FAULT_HANG,
    WAVE_FAULT_CANCELLED,
    WAVE_FAULT_UNBOUND_READ, /* on a host device that works on copies: mapped memory that the dispatch was not given */
    WAVE_FAULT_UNBOUND_WRITE,
    WAVE_FAULT_KIND_COUNT
};

struct wave_fault {
    enum wave_fault_kind kind;
    uint64_t pc, address;    /* address: the guest address reached for, or the trap's number */
    uint32_t group[3], wave; /* wave within its group */
    int lane;                /* -1: not of one lane */
    char text[256];          /* the instruction in assembler text; a hang: with the registers it names */
};

enum wave_fidelity { WAVE_EXACT, WAVE_APPROXIMATE, WAVE_UNSUPPORTED, WAVE_FIDELITY_COUNT };

/* Executed wave-instructions of one instruction table row. */
struct wave_row_count {
    const struct isa_row *row;
    enum wave_fidelity fidelity;
    uint64_t count;
};

/* Executed wave-instructions of one basic block. */
struct wave_block_count {
    uint64_t pc;
    uint32_t instructions;
    uint64_t count;
};

enum { WAVE_MAX_FAULTS = 64 };

struct wave_result {
    bool failed;                                 /* some fault that ends in exit status 1 */
    uint64_t fault_count[WAVE_FAULT_KIND_COUNT]; /* all of them, also those past WAVE_MAX_FAULTS */
    struct wave_fault *faults;                   /* the first fault of each site (kind, pc), at most WAVE_MAX_FAULTS */
    size_t faults_kept;
    uint64_t instructions[WAVE_FIDELITY_COUNT]; /* executed wave-instructions */
    struct wave_row_count *rows;                /* most executed first */
    size_t row_count;
    struct wave_block_count *blocks; /* most instructions first */
    size_t block_count;
    uint64_t waves, groups;
    double seconds;
    const char *tier; /* "avx512", "avx2", "baseline" */
    unsigned threads;
};

/* Where --break and --trace look in. Called on the running thread; text is valid during the call only. */
struct wave_hooks {
    void *user;
    /* One line for every executed instruction: "pc: text" and the registers that it wrote. NULL: no tracing. */
    void (*trace)(void *user, const char *line);
    /* Called when a wave is about to run the instruction at break_pc (of break_group/break_wave, or any when -1), with the
     * wave's registers as text. NULL: no break. */
    void (*at_break)(void *user, const char *registers);
    uint64_t break_pc;
    int64_t break_group, break_wave;
    /* Called now and then with groups finished, from one thread. NULL: none. */
    void (*progress)(void *user, uint64_t groups_done, uint64_t groups_total);
};

struct wave_options {
    unsigned threads;               /* 0: as many as the host has cores */
    double timeout_s;               /* seconds without any wave ending or passing a barrier before it is a hang; 0: never */
    bool deterministic;             /* one thread, groups in order, fixed time slices */
    const char *tier;               /* NULL: the best of this host; or "avx512", "avx2", "baseline" */
    const struct wave_hooks *hooks; /* or NULL */
};

struct wave_cache;

/* A cache of lowered programs for a chip, reading instructions through memory. NULL when out of memory. */
struct wave_cache *wave_cache_create(enum isa_chip_bit chip, const struct wave_memory *memory);
void wave_cache_destroy(struct wave_cache *cache); /* NULL is fine; no dispatch may be running */
/* The code in guest range [start, start + size) may have changed: what was lowered from it is compared with memory before the next dispatch
 * that uses it. Dispatches may be running; they go on with what they have. */
void wave_cache_invalidate(struct wave_cache *cache, uint64_t start, uint64_t size);

/* One dispatch by an engine, in short. */
struct wave_brief {
    bool failed;               /* some fault that ends in exit status 1 */
    enum wave_fault_kind kind; /* when failed: of the first such fault, */
    char text[512];            /* and a sentence that says what, where, and which instruction */
    uint64_t groups, waves;    /* that ran to their end */
};

/* Threads are started when there is first something for them to do. options (and what it points at) must outlive the engine. NULL
 * when out of memory. */
struct wave_engine *wave_engine_create(struct wave_cache *cache, const struct wave_options *options);
void wave_engine_destroy(struct wave_engine *engine); /* NULL is fine; no dispatch may be running */
/* Runs a dispatch to its end; the calling thread runs waves itself, and others help where there is enough to do. May be called by several threads
 * at once: none waits for another's dispatch to end. Costs no allocation and no lock that others hold for long once its program is known. memory
 * is read through until it returns. False only when the host is out of memory; what the guest did wrong stands in brief. */
bool wave_engine_run(struct wave_engine *engine, const struct wave_memory *memory, const struct wave_dispatch *dispatch,
                     struct wave_brief *brief);

/* All dispatches of one program by engines so far. */
struct wave_program_total {
    uint64_t program; /* address of its first instruction */
    uint64_t hash;    /* FNV-1a of the words that were lowered for its start, whatever their address; 0: not current */
    unsigned wave_size;
    bool current; /* false: its code has changed since (the new code is a program of its own), or it stands for several such */
    uint64_t dispatches, groups, waves;
    uint64_t failed;                            /* dispatches that did */
    uint64_t instructions[WAVE_FIDELITY_COUNT]; /* executed wave-instructions */
    const struct wave_row_count *rows;          /* most executed first; none of programs that are not current */
    size_t row_count;
};

/* One site of a fault, over all dispatches of an engine. */
struct wave_fault_total {
    uint64_t program;
    uint64_t times;
    struct wave_fault first;
};

/* Who wants to know; functions are called in turn on the caller's thread, data is valid during the call only. NULL ones are left out. */
struct wave_report_sink {
    void *user;
    void (*program)(void *user, const struct wave_program_total *total);
    /* Executed wave-instructions by row and fidelity over all programs, also those that are not current, most executed first. */
    void (*row)(void *user, const struct wave_row_count *row);
    void (*fault)(void *user, const struct wave_fault_total *fault);
};

/* What was done so far; dispatches may be running (theirs is counted as far as it got). False: out of memory. */
bool wave_engine_report(struct wave_engine *engine, const struct wave_report_sink *sink);

/* Runs a dispatch to its end on the host's cores, in the cache's memory. Returns false only when the host is out of memory or threads; what the
 * guest did wrong stands in result. result must be finished in both cases. */
bool wave_run_dispatch(struct wave_cache *cache, const struct wave_dispatch *dispatch, const struct wave_options *options,
                       struct wave_result *result);
void wave_result_finish(struct wave_result *result);

/* The name of the best instruction-set tier that this host has. */
const char *wave_best_tier(void);

const char *wave_fault_name(enum wave_fault_kind kind);

#endif
