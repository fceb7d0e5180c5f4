/* The inside of wave/: a wave's registers, the operations that it runs, its group, and what a worker thread owns.
 *
 *   wave_op     one operation ready to run: a handler and byte offsets from the wave's start; part of a wave_unit.
 *   wave_unit   the operations of one lowered function; owned by its program (wave_program.h), immutable once published but for what is
 *               counted and when its words were compared.
 *   wave        registers and state of one wave; owned by its group.
 *   wave_group  one resident workgroup: waves, LDS, barrier; owned by its worker, which keeps it for the next group and the next dispatch.
 *   wave_worker one thread at dispatches: memory run cache, resident groups; kept by the engine from dispatch to dispatch.
 *   wave_shared what all threads of one dispatch share; the engine's.
 */
#ifndef WAVE_WAVE_INTERNAL_H
#define WAVE_WAVE_INTERNAL_H

#include <stdatomic.h>

#include "base/base_racy.h"
#include "ir/ir.h"
#include "ir/ir_eval.h"
#include "lower/lower.h"
#include "wave/wave.h"

struct wave;
struct wave_group;
struct wave_shared;
struct wave_program;
struct wave_op;
struct wave_image_bound;

/* Runs one operation and goes on with the next. Small handlers call the next one themselves in tail position; the others
 * return it. NULL: the wave gives up the core, w->status says why. */
typedef const struct wave_op *(*wave_fn)(struct wave *w, const struct wave_op *o);

/* Goes on with operation `to`: by a call in tail position, which costs no stack where the compiler makes a jump of it, and by
 * returning it to wave_run's loop where it may not (unoptimised and sanitized builds). */
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(undefined_behavior_sanitizer)
#define WAVE_RETURNS 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__OPTIMIZE__)
#define WAVE_RETURNS 1
#endif
#ifdef WAVE_RETURNS
#define WAVE_GO(to) return (to)
#else
#define WAVE_GO(to) return (to)->fn(w, to)
#endif

struct wave_op {
    wave_fn fn;
    uint32_t d, a, b, c; /* byte offsets of slots from the wave's start; what they are is the op's business */
    uint32_t m;          /* offset of the mask's first word */
    uint32_t e;          /* second destination, or a fourth source */
    uint32_t imm;        /* the IR instruction's, or a branch's taken distance in operations */
    uint32_t x;          /* a branch's other distance; block terminators: see imm */
    const void *aux;     /* ir_access, block number (terminators), ... */
};

enum {
    WAVE_LANES_MAX = 64,
    WAVE_DEFAULT_CSR = 0x1f80, /* the host's MXCSR by default: to nearest, nothing flushed or trapped */
    WAVE_CONST_WORDS = 1 << 13, /* room for constants in each wave */
    WAVE_SLICE = 20000,         /* back edges before other waves get the core */
};

/* Words of a program as they were when it was lowered: pieces in the order of their addresses. */
struct wave_code {
    struct wave_code_piece {
        uint64_t pc;
        uint32_t first, count; /* in words; count 0: there was no code */
    } *pieces;
    uint32_t piece_count;
    uint32_t *words;
    uint32_t *block_first; /* of each block, and one past the last: its first word */
};

/* Registers that a unit may change and whose first values it may read: what has to be put back before the next group's wave starts in
 * the same place. */
struct wave_footprint {
    bool known;              /* false: it goes on to other units, or changes registers by number */
    uint8_t s_count;
    uint8_t s[IR_S_TEMP];
    uint16_t v_top;          /* one past the highest vector register whose first value it may read */
};

struct wave_unit {
    struct ir_func *func;
    struct wave_op *ops;
    uint64_t *pc_of;         /* of each op: the guest instruction it belongs to */
    uint32_t op_count;
    uint32_t *block_op;      /* of each block of func: its first op */
    uint32_t number;         /* within its program */
    uint32_t const_base, const_top; /* words of a wave's constant area that its constants take */
    _Atomic bool *filtered;  /* of each image operation: whether it has met a sampler whose results are approximate */
    uint32_t vgpr_top;       /* one past the highest vector register used; 256 when that can't be told */
    struct wave_footprint footprint;
    struct wave_code code;
    _Atomic uint64_t verified; /* the epoch in which code was last found in memory; WAVE_NEVER: it has to be looked for */
    struct wave_counts *counts; /* executions by block, one for each worker; the list is guarded by the cache's lock */
    struct wave_unit *next;
    _Atomic(void *) kept;       /* what somebody made of func, once (wave_tracker_keep), and how it is destroyed */
    void (*drop)(void *kept);
};

#define WAVE_NEVER UINT64_MAX

/* How much of a program need not be as it was lowered. */
enum wave_tuning {
    WAVE_AS_LOWERED,  /* one operation for each IR instruction: for who looks in between */
    WAVE_TUNED_KEPT,  /* registers are right at the end */
    WAVE_TUNED,       /* only effects count */
};

/* Which of the cache's translations a dispatch wants. */
struct wave_variant {
    struct lower_config lower;
    const struct wave_tier *tier;
    enum wave_tuning tuning; /* as lowered where lower.marks is set */
};

/* Where a program goes on. */
struct wave_place {
    struct wave_unit *unit;
    const struct wave_op *op;
};

/* wave_translate.c: func becomes the unit's. NULL: out of memory (func is destroyed) . */
struct wave_unit *wave_translate(struct ir_func *func, const struct wave_variant *variant, uint32_t const_base);
void wave_unit_destroy(struct wave_unit *unit);
/* wave_fuse.c: lets operations do their neighbours' work. */
void wave_fuse(struct wave_unit *unit, const struct wave_variant *variant);

const struct wave_memory *wave_cache_memory(const struct wave_cache *cache);
enum isa_chip_bit wave_cache_chip(const struct wave_cache *cache);

/* wave_dispatch.c: which translations the dispatch wants; tier NULL: this host's best. Its tier is NULL when there is none. */
struct wave_variant wave_dispatch_variant(struct wave_cache *cache, const struct wave_dispatch *dispatch, const char *tier);

/* wave_setup.c: registers at the start of a wave, as the dispatch describes them; w's slots are the worker's for this dispatch. */
void wave_start(struct wave *w, struct wave_group *group, uint32_t index, struct wave_place place);
/* Starting points of a full group's waves, which wave_start copies when shared->images is set. Made anew where shared's dispatch differs
 * from the one they were made for; images NULL: new ones. NULL: out of memory (images are destroyed). */
struct wave_images *wave_images_prepare(struct wave_images *images, const struct wave_shared *shared);
void wave_images_destroy(struct wave_images *images);
unsigned wave_allocated_vgprs(const struct wave_dispatch *dispatch);

/* wave_run.c: runs w until it gives up the core. */
void wave_run(struct wave *w);
/* Fills in the unit's constants, unless w has them. */
void wave_load_consts(struct wave *w, const struct wave_unit *unit);

/* wave_report.c */
struct wave_report;
struct wave_report *wave_report_create(void);
void wave_report_destroy(struct wave_report *report);
void wave_report_take(struct wave_report *report, struct wave_result *result); /* copies the faults, and destroys report */
bool wave_report_add(struct wave_report *report, const struct wave_fault *fault); /* true: the first of its site */
bool wave_report_any(const struct wave_report *report);
void wave_report_clear(struct wave_report *report);
void wave_report_brief(const struct wave_report *report, uint64_t program, struct wave_brief *brief);
void wave_report_each(const struct wave_report *report, void *user, void (*visit)(void *user, const struct wave_fault *fault, uint64_t times));

/* The instruction at pc in assembler text; false (and text untouched) when there is none. */
bool wave_inst_text(const struct wave_shared *shared, uint64_t pc, char *text, size_t size);

/* wave_debug.c: the probe op's handler. */
const struct wave_op *wave_probe_op(struct wave *w, const struct wave_op *o);
/* The wave has ended: its last instruction's line. */
void wave_probe_end(struct wave *w);
/* wave_trace_text.c: registers in use, as lines of text. */
size_t wave_registers_text(const struct wave *w, unsigned vgprs, char *text, size_t size);
/* The registers that inst names, on one line; of vector ones the first active lane. */
size_t wave_operands_text(const struct wave *w, const struct isa_inst *inst, char *text, size_t size);

enum wave_status {
    WAVE_RUNNING,
    WAVE_YIELDED,  /* time slice over, or s_sleep: resume later */
    WAVE_BARRIER,  /* waits for the group's other waves */
    WAVE_ENDED,
    WAVE_JUMPED,   /* to w->jump_pc, which this unit does not hold */
    WAVE_STOPPED,  /* a fault that the wave cannot go on after; already reported */
};

struct wave {
    uint32_t halves;        /* 32-lane halves: 1 or 2 */
    uint32_t stride;        /* bytes of a V slot: 128 or 256 */
    int32_t budget;         /* back edges left in this time slice */
    uint8_t status;         /* enum wave_status */
    uint8_t mem_outcome;    /* enum wave_outcome of the last look for memory (wave_mem_slow) */
    bool split_mode;        /* f64/f16 need another floating-point environment than f32 */
    uint32_t mxcsr32, mxcsr64;
    uint32_t mode_word;     /* the MODE that these and `mode` were made from */
    struct ir_mode mode;
    const struct wave_op *resume;
    const struct wave_unit *unit;
    uint64_t jump_pc;
    uint64_t *counts;       /* the worker's for `unit`, by block number */
    struct wave_group *group;
    struct wave_worker *worker;
    uint8_t *lds;           /* the group's */
    uint32_t lds_bytes;
    uint32_t index;         /* wave within the group */
    uint32_t vgprs;         /* vector registers that the wave has: relative ones end there */
    uint64_t scratch_base;  /* guest address of this wave's scratch */
    uint64_t bound;         /* the worker's serial number when what stays the same in a dispatch was set; 0: not set */
    uint64_t units_loaded;  /* of the program's units, by number: those whose constants are filled in */
    struct wave_run runs[2]; /* memory met last: [0] reads, [1] writes; size 0: none */
    void *track;            /* known/unknown state of a host run with partial knowledge, or NULL */
    bool (*may_read)(struct wave *w, uint64_t address, uint32_t bytes); /* in such a run: whether memory there is known, else not to be read */
    _Alignas(64) uint32_t s[IR_S_COUNT];
    uint32_t k[WAVE_CONST_WORDS];
    _Alignas(64) uint32_t v[]; /* slot n, lane l: v[n * stride / 4 + l] */
};

struct wave_group {
    struct wave_worker *worker;
    uint32_t id[3];
    uint64_t linear;
    uint32_t wave_count, ended, waiting;
    uint32_t wave_cap;      /* waves allocated */
    struct wave **waves;
    uint8_t *lds;           /* dispatch->lds_bytes, 64-byte aligned, 64 bytes of slack behind */
    uint32_t lds_cap;
    uint32_t scratch_slot;  /* first wave slot in the scratch ring */
    uint64_t bound;         /* the worker's serial number when this was made ready for its dispatch */
    bool full;              /* no dimension's partial last group */
    struct wave_group *next;
};

/* What all threads of one dispatch share. */
struct wave_shared {
    struct wave_cache *cache;
    const struct wave_dispatch *dispatch;
    const struct wave_options *options;
    struct wave_variant variant;
    const struct wave_memory *memory;
    struct wave_program *program;      /* what runs; held by the calling thread's worker */
    struct wave_place entry;
    struct wave_images *images;        /* or NULL: every start is worked out */
    unsigned waves_per_group, vgprs;   /* of a full group; zeroed and shown */
    uint64_t group_total;
    unsigned worker_count;             /* that there may be */
    double timeout_s;
    uint64_t offer_at;                 /* the host's time stamp counter: when others are asked to help; UINT64_MAX: never, or they were */
    void (*offer)(struct wave_shared *shared);
    struct wave_report *report;        /* faults; locked inside */
    _Atomic uint32_t scratch_next;
    _Atomic bool scratch_full;         /* a worker found no place in the ring: no more are needed */
    _Atomic bool cancel;               /* watchdog or a fatal condition: all waves stop at their next back edge */
    _Atomic bool out_of_memory;
    _Atomic bool keys_held;            /* a wave is changing an image's keys (wave_image_keys.c) */
    _Atomic uint64_t ordered_turn;     /* the wave that may do its ordered count (wave_memory_share.c) */
    _Alignas(64) _Atomic uint64_t next_group; /* not handed to a worker yet */
    /* Sums of what workers did; each adds its own now and then. */
    _Alignas(64) _Atomic uint64_t groups_done;
    _Atomic uint64_t waves_done, barriers_passed;
};

enum { WAVE_JUMPS = 64, WAVE_RUN_SLOTS = 64, WAVE_NOTHING = 256 };

/* Where a computed jump leads, and the counts of the blocks there. */
struct wave_jump {
    uint64_t pc, stamp; /* valid while the stamp is the worker's */
    struct wave_place place;
    uint64_t *counts;
};

/* How far a store's lines have gone forward in memory without coming back. */
struct wave_stream {
    uintptr_t end; /* host address behind the furthest of them */
    size_t length;
};

struct wave_worker {
    struct wave_shared *shared;
    uint64_t engine;                   /* whose it is: counts are kept by engine and worker */
    bool leads;                        /* the thread that called for the dispatch */
    uint64_t serial;                   /* counts the dispatches: what is bound to an older one has to be bound anew */
    uint64_t *counts;                  /* of the entry's unit, by block */
    struct wave_group *groups, *spare; /* resident; kept for reuse */
    unsigned resident, spares;
    uint64_t group_next, group_end;    /* groups handed to this worker and not started yet */
    uint32_t group_at[3];              /* the coordinates of group_next */
    uint32_t csr;                      /* the host's MXCSR now, kept from wave to wave; 0: wave_run puts it back each time */
    uint64_t groups_done, waves_done, barriers_passed; /* not yet added to the shared sums */
    uint64_t ticks;                    /* the clock of deterministic runs: moves when it is read */
    struct wave_shadow *shadow;        /* registers before the traced instruction (wave_debug.c) */
    /* What the entries of `jumps` and `counts` were found for. */
    uint64_t program_id, epoch, stamp;
    uint64_t memory_version;           /* what `runs` were found in; 0: nothing that lasts */
    struct wave_jump jumps[WAVE_JUMPS]; /* computed jumps met last */
    struct wave_run runs[2][WAVE_RUN_SLOTS]; /* memory that operations met last: reads, writes; by wave_run_slot */
    uint8_t nothing[WAVE_NOTHING + 2 * 64]; /* what memory that discards looks like for the moment of one access */
    struct wave_stream streams[WAVE_RUN_SLOTS];
    struct wave_image_cache *images;   /* descriptors met, decoded; NULL until there are some */
    bool streamed;                     /* streaming stores may be on their way: IR_store_wait, and the end of the worker's share */
};

/* wave_group.c: the groups that a worker keeps. */
/* Makes worker ready for shared's dispatch. False: out of memory. */
bool wave_worker_enter(struct wave_worker *worker, struct wave_shared *shared);
/* After its part of the dispatch: what it did is added up; groups are kept. */
void wave_worker_leave(struct wave_worker *worker);
void wave_worker_finish(struct wave_worker *worker); /* frees what it keeps */
void wave_worker_add_up(struct wave_worker *worker);
/* Takes the next group of the grid, if there is one, into residence. */
bool wave_worker_take_group(struct wave_worker *worker);
bool wave_worker_group_left(const struct wave_worker *worker);
void wave_worker_retire_groups(struct wave_worker *worker);

/* wave_dispatch.c: runs groups until none is left that nobody runs. */
void wave_worker_work(struct wave_worker *worker);
/* The dispatch's shape in shared; a sentence when it is impossible, else NULL. */
const char *wave_shared_init(struct wave_shared *shared, struct wave_cache *cache, const struct wave_dispatch *dispatch, const struct wave_options *options,
                             const struct wave_tier *tier);
const struct wave_tier *wave_tier_choose(const char *name); /* NULL: the best; NULL when this host has none */

double wave_now(void);

/* A wave's slot by its byte offset. */
static inline uint32_t *wave_at(struct wave *w, uint32_t offset) { return (uint32_t *)(void *)((char *)w + offset); }
static inline uint32_t wave_s_offset(unsigned slot) { return (uint32_t)(offsetof(struct wave, s) + slot * 4); }
static inline uint32_t wave_k_offset(unsigned word) { return (uint32_t)(offsetof(struct wave, k) + word * 4); }
static inline uint32_t wave_v_offset(unsigned slot, unsigned lanes) { return (uint32_t)(offsetof(struct wave, v) + slot * lanes * 4); }

struct wave_image_bound;

/* One instantiation of the handlers for a host vector width. */
struct wave_tier {
    const char *name;
    bool (*present)(void);
    void (*leave)(void);     /* after handlers ran: the host's vector state as other code wants it */
    void (*fill)(void *to, const void *from, size_t copied, size_t zeroed); /* copies, then zeroes behind it; in units of 64 bytes, aligned */
    /* Fills op->fn (and may use op->aux) for an IR instruction whose offsets are set; kinds is the packed operand kinds: bit n
     * set when source n is a V slot; halves: of the wave. NULL: an irregular op of another file. */
    wave_fn (*handler)(const struct ir_inst *inst, unsigned kinds, unsigned halves);
    wave_fn (*carry)(const struct ir_inst *inst, unsigned kinds); /* wave_carry.c: carries and selects; NULL for others */
    wave_fn (*lanes)(const struct ir_inst *inst, unsigned kinds); /* wave_lanes.c: operations across lanes; NULL for others */
    /* wave_memory_vec.c: the fast paths; NULL: take wave_memory_handler's. */
    wave_fn (*memory)(const struct ir_func *func, const struct ir_inst *inst, unsigned kinds);
    /* wave_image_vec.c: carries an image operation out; false, and nothing was done: lane by lane, then. */
    bool (*image)(struct wave *w, const struct wave_op *o, const struct wave_image_bound *bound);
    /* A compare of 32 lanes that makes EXEC too, and goes where the branch behind it does (wave_fuse.c); NULL: there is none. */
    wave_fn (*compare_branch)(const struct ir_inst *inst, unsigned kinds);
    wave_fn jump, branch, end, setpc, stop;
};

void wave_fill_avx512(void *to, const void *from, size_t copied, size_t zeroed);
void wave_fill_avx2(void *to, const void *from, size_t copied, size_t zeroed);
void wave_fill_baseline(void *to, const void *from, size_t copied, size_t zeroed);
wave_fn wave_lane_handler_avx512(const struct ir_inst *inst, unsigned kinds);
wave_fn wave_lane_handler_avx2(const struct ir_inst *inst, unsigned kinds);
wave_fn wave_lane_handler_baseline(const struct ir_inst *inst, unsigned kinds);
/* The regular rows: uniform values (wave_uniform.c), scalar rows run lane by lane (wave_lane_rows.c; NULL for the others). */
wave_fn wave_uniform_handler(unsigned op);
wave_fn wave_uniform_branch_handler(unsigned op); /* and branches on the result, by the operation behind it; NULL for most */
wave_fn wave_lane_row_handler_avx512(unsigned op);
wave_fn wave_lane_row_handler_avx2(unsigned op);
wave_fn wave_lane_row_handler_baseline(unsigned op);
wave_fn wave_carry_handler_avx512(const struct ir_inst *inst, unsigned kinds);
wave_fn wave_carry_handler_avx2(const struct ir_inst *inst, unsigned kinds);
wave_fn wave_carry_handler_baseline(const struct ir_inst *inst, unsigned kinds);
wave_fn wave_memory_vec_handler_avx512(const struct ir_func *func, const struct ir_inst *inst, unsigned kinds);
wave_fn wave_memory_vec_handler_avx2(const struct ir_func *func, const struct ir_inst *inst, unsigned kinds);
wave_fn wave_memory_vec_handler_baseline(const struct ir_func *func, const struct ir_inst *inst, unsigned kinds);

bool wave_image_vec_avx512(struct wave *w, const struct wave_op *o, const struct wave_image_bound *bound);
bool wave_image_vec_avx2(struct wave *w, const struct wave_op *o, const struct wave_image_bound *bound);
bool wave_image_vec_baseline(struct wave *w, const struct wave_op *o, const struct wave_image_bound *bound);
wave_fn wave_image_vec_handler_avx512(const struct ir_func *func, const struct ir_inst *inst);
wave_fn wave_image_vec_handler_avx2(const struct ir_func *func, const struct ir_inst *inst);
wave_fn wave_image_vec_handler_baseline(const struct ir_func *func, const struct ir_inst *inst);

extern const struct wave_tier wave_tier_avx512, wave_tier_avx2, wave_tier_baseline;

/* Handlers that do not depend on the vector width, by op: NULL where a tier has it. (wave_irregular.c, wave_lanes.c) */
wave_fn wave_plain_handler(const struct ir_inst *inst, unsigned kinds);

/* Memory (wave_memory.c). */
/* Works out what the fast paths want to find in the operation itself. */
void wave_memory_hints(struct wave_op *o, const struct ir_inst *inst);
wave_fn wave_memory_handler(const struct ir_func *func, const struct ir_inst *inst, unsigned kinds);

/* Reports a fault at operation o; returns whether it is the first of its site. Thread-safe. */
bool wave_report_fault(struct wave *w, const struct wave_op *o, enum wave_fault_kind kind, int lane, uint64_t address);
/* The same, with a sentence behind the instruction that says why. */
bool wave_report_reason(struct wave *w, const struct wave_op *o, enum wave_fault_kind kind, int lane, uint64_t address, const char *reason);
/* What a fetch from there is, where there is nothing to run. */
enum wave_fault_kind wave_fetch_fault(uint64_t pc);
uint64_t wave_pc_of(const struct wave *w, const struct wave_op *o);
/* Floating-point environment from MODE: after MODE changed. */
void wave_apply_mode(struct wave *w);

/* The guest's memory. Guest programs may race: everything that touches it directly is BASE_RACY. */

/* Host address of guest [address, address + size), or NULL when it is not within one run (or not writable, for a write). The one
 * place that asks for memory; w->mem_outcome says what came of it. */
uint8_t *wave_mem_slow(struct wave *w, uint64_t address, uint32_t size, bool write);
static inline uint8_t *wave_mem(struct wave *w, uint64_t address, uint32_t size, bool write)
{
    const struct wave_run *run = &w->runs[write];
    uint64_t offset = address - run->start;
    if (__builtin_expect(offset < run->size && run->size - offset >= size, 1))
        return run->host + offset;
    return wave_mem_slow(w, address, size, write);
}

#endif
