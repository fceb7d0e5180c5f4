/* The inside of wave/: a wave's registers, the operations that it runs, its group, and what a worker thread owns.
 *
 *   wave_op     one operation ready to run: a handler and byte offsets from the wave's start; part of a wave_unit.
 *   wave_unit   the operations of one lowered function; owned by the cache, immutable once published.
 *   wave        registers and state of one wave; owned by its group.
 *   wave_group  one resident workgroup: waves, LDS, barrier; owned by its worker.
 *   wave_worker one thread of a dispatch: run counters, memory run cache, resident groups.
 */
#ifndef WAVE_WAVE_INTERNAL_H
#define WAVE_WAVE_INTERNAL_H

#include <stdatomic.h>

#include "ir/ir.h"
#include "ir/ir_eval.h"
#include "lower/lower.h"
#include "wave/wave.h"

struct wave;
struct wave_group;
struct wave_shared;
struct wave_op;

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
    WAVE_CONST_WORDS = 1 << 13, /* room for constants in each wave */
    WAVE_MAX_BLOCKS = 1 << 20,  /* of one cache; counters are reserved for so many */
    WAVE_SLICE = 20000,         /* back edges before other waves get the core */
};

struct wave_unit {
    struct ir_func *func;
    struct wave_op *ops;
    uint64_t *pc_of;         /* of each op: the guest instruction it belongs to */
    uint32_t op_count;
    uint32_t *block_op;      /* of each block of func: its first op */
    uint32_t first_block;    /* cache-wide number of the unit's first block */
    uint32_t const_base, const_top; /* words of a wave's constant area that its constants take */
    uint32_t vgpr_top;       /* one past the highest vector register used; 256 when that can't be told */
    struct wave_unit *next;
};

/* Which of the cache's translations a dispatch wants. */
struct wave_variant {
    struct lower_config lower;
    const struct wave_tier *tier;
};

/* Where a program goes on. */
struct wave_place {
    const struct wave_unit *unit;
    const struct wave_op *op;
};

/* wave_translate.c: func becomes the unit's. NULL: out of memory (func is destroyed) . */
struct wave_unit *wave_translate(struct ir_func *func, const struct wave_variant *variant, uint32_t first_block, uint32_t const_base);
void wave_unit_destroy(struct wave_unit *unit);

/* wave_cache.c: where pc lies, lowering what starts there when it is not known yet; op NULL with a reason otherwise. */
struct wave_place wave_cache_find(struct wave_cache *cache, const struct wave_variant *variant, uint64_t pc, const char **why);
const struct wave_memory *wave_cache_memory(const struct wave_cache *cache);
enum isa_chip_bit wave_cache_chip(const struct wave_cache *cache);
/* Copies constants that w has not seen yet, up to word top. */
void wave_cache_load_consts(struct wave_cache *cache, struct wave *w, uint32_t top);
uint32_t wave_cache_block_count(struct wave_cache *cache);
/* Calls visit for each block of every unit, with the block's number. */
void wave_cache_visit(struct wave_cache *cache, void *user, void (*visit)(void *user, const struct wave_unit *unit, uint32_t block, uint32_t number));

/* wave_dispatch.c: which translations the dispatch wants; tier NULL: this host's best. Its tier is NULL when there is none. */
struct wave_variant wave_dispatch_variant(struct wave_cache *cache, const struct wave_dispatch *dispatch, const char *tier);

/* wave_setup.c: registers at the start of a wave, as the dispatch describes them. */
void wave_start(struct wave *w, struct wave_group *group, uint32_t index, struct wave_place place);
/* Starting points of a full group's waves, copied by wave_start when shared->images is set. NULL: out of memory. */
struct wave_images *wave_images_create(struct wave_shared *shared);
unsigned wave_allocated_vgprs(const struct wave_dispatch *dispatch);

/* wave_run.c: runs w until it gives up the core. */
void wave_run(struct wave *w);

/* wave_report.c */
struct wave_report;
struct wave_report *wave_report_create(struct wave_cache *cache, unsigned wave_size);
void wave_report_take(struct wave_report *report, struct wave_result *result); /* moves the faults over, and destroys report */
bool wave_report_add(struct wave_report *report, const struct wave_fault *fault); /* true: the first of its site */
void wave_report_count(struct wave_cache *cache, const uint64_t *counts, struct wave_result *result);

/* The instruction at pc in assembler text; false (and text untouched) when there is none. */
bool wave_inst_text(struct wave_cache *cache, unsigned wave_size, uint64_t pc, char *text, size_t size);

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
    uint64_t *counts;       /* the worker's, by block number */
    struct wave_group *group;
    struct wave_worker *worker;
    uint8_t *lds;           /* the group's */
    uint32_t lds_bytes;
    uint32_t index;         /* wave within the group */
    uint32_t vgprs;         /* vector registers that the wave has: relative ones end there */
    uint64_t scratch_base;  /* guest address of this wave's scratch */
    uint32_t consts_loaded; /* words of the constant area that are filled in */
    struct wave_run runs[2]; /* memory met last: [0] reads, [1] writes; size 0: none */
    void *track;            /* known/unknown state of a host run with partial knowledge, or NULL */
    _Alignas(64) uint32_t s[IR_S_COUNT];
    uint32_t k[WAVE_CONST_WORDS];
    _Alignas(64) uint32_t v[]; /* slot n, lane l: v[n * stride / 4 + l] */
};

struct wave_group {
    struct wave_worker *worker;
    uint32_t id[3];
    uint64_t linear;
    uint32_t wave_count, ended, waiting;
    struct wave **waves;
    uint8_t *lds;           /* dispatch->lds_bytes, 64-byte aligned, 64 bytes of slack behind */
    uint32_t scratch_slot;  /* first wave slot in the scratch ring */
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
    struct wave_place entry;
    struct wave_images *images;        /* or NULL: every start is worked out */
    unsigned waves_per_group, vgprs;   /* of a full group; zeroed and shown */
    uint64_t group_total;
    double start;                      /* seconds of the monotonic clock */
    _Atomic uint32_t scratch_next;
    _Alignas(64) _Atomic uint64_t next_group; /* not handed to a worker yet */
    struct wave_worker *workers;       /* all of them, for sums of what they count */
    unsigned worker_count;
    _Atomic uint64_t ordered_turn; /* the wave that may do its ordered count (wave_memory_share.c) */
    _Atomic bool cancel;         /* watchdog or a fatal condition: all waves stop at their next back edge */
    struct wave_report *report;  /* faults and counts; locked inside */
};

enum { WAVE_JUMPS = 64, WAVE_RUN_SLOTS = 64 };

struct wave_worker {
    struct wave_shared *shared;
    unsigned index;
    uint64_t *counts;                  /* executions by block number */
    struct wave_group *groups, *spare; /* resident; kept for reuse */
    unsigned resident;
    uint64_t group_next, group_end;    /* groups handed to this worker and not started yet */
    uint32_t csr;                      /* the host's MXCSR now, kept from wave to wave; 0: wave_run puts it back each time */
    /* Written by this worker alone, read by whoever watches. */
    _Atomic uint64_t groups_done, waves_done, barriers_passed;
    struct { uint64_t pc; struct wave_place place; } jumps[WAVE_JUMPS]; /* computed jumps met last */
    uint64_t ticks;                    /* the clock of deterministic runs: moves when it is read */
    struct wave_shadow *shadow;        /* registers before the traced instruction (wave_debug.c) */
    struct wave_run runs[2][WAVE_RUN_SLOTS]; /* memory that operations met last: reads, writes; by wave_run_slot */
};

double wave_now(void);

/* A wave's slot by its byte offset. */
static inline uint32_t *wave_at(struct wave *w, uint32_t offset) { return (uint32_t *)(void *)((char *)w + offset); }
static inline uint32_t wave_s_offset(unsigned slot) { return (uint32_t)(offsetof(struct wave, s) + slot * 4); }
static inline uint32_t wave_k_offset(unsigned word) { return (uint32_t)(offsetof(struct wave, k) + word * 4); }
static inline uint32_t wave_v_offset(unsigned slot, unsigned lanes) { return (uint32_t)(offsetof(struct wave, v) + slot * lanes * 4); }

/* One instantiation of the handlers for a host vector width. */
struct wave_tier {
    const char *name;
    bool (*present)(void);
    void (*leave)(void);     /* after handlers ran: the host's vector state as other code wants it */
    /* Fills op->fn (and may use op->aux) for an IR instruction whose offsets are set; kinds is the packed operand kinds: bit n
     * set when source n is a V slot. NULL: an irregular op of another file. */
    wave_fn (*handler)(const struct ir_inst *inst, unsigned kinds);
    wave_fn (*carry)(const struct ir_inst *inst, unsigned kinds); /* wave_carry.c: carries and selects; NULL for others */
    wave_fn (*lanes)(const struct ir_inst *inst, unsigned kinds); /* wave_lanes.c: operations across lanes; NULL for others */
    /* wave_memory_vec.c: the fast paths; NULL: take wave_memory_handler's. */
    wave_fn (*memory)(const struct ir_func *func, const struct ir_inst *inst, unsigned kinds);
    wave_fn jump, branch, end, setpc, stop;
};

wave_fn wave_lane_handler_avx512(const struct ir_inst *inst, unsigned kinds);
wave_fn wave_lane_handler_avx2(const struct ir_inst *inst, unsigned kinds);
wave_fn wave_lane_handler_baseline(const struct ir_inst *inst, unsigned kinds);
/* The regular rows: uniform values (wave_uniform.c), scalar rows run lane by lane (wave_lane_rows.c; NULL for the others). */
wave_fn wave_uniform_handler(unsigned op);
wave_fn wave_lane_row_handler_avx512(unsigned op);
wave_fn wave_lane_row_handler_avx2(unsigned op);
wave_fn wave_lane_row_handler_baseline(unsigned op);
wave_fn wave_carry_handler_avx512(const struct ir_inst *inst, unsigned kinds);
wave_fn wave_carry_handler_avx2(const struct ir_inst *inst, unsigned kinds);
wave_fn wave_carry_handler_baseline(const struct ir_inst *inst, unsigned kinds);
wave_fn wave_memory_vec_handler_avx512(const struct ir_func *func, const struct ir_inst *inst, unsigned kinds);
wave_fn wave_memory_vec_handler_avx2(const struct ir_func *func, const struct ir_inst *inst, unsigned kinds);
wave_fn wave_memory_vec_handler_baseline(const struct ir_func *func, const struct ir_inst *inst, unsigned kinds);

extern const struct wave_tier wave_tier_avx512, wave_tier_avx2, wave_tier_baseline;

/* Handlers that do not depend on the vector width, by op: NULL where a tier has it. (wave_irregular.c, wave_lanes.c) */
wave_fn wave_plain_handler(const struct ir_inst *inst, unsigned kinds);

/* Memory (wave_memory.c). */
wave_fn wave_memory_handler(const struct ir_func *func, const struct ir_inst *inst, unsigned kinds);

/* Reports a fault at operation o; returns whether it is the first of its site. Thread-safe. */
bool wave_report_fault(struct wave *w, const struct wave_op *o, enum wave_fault_kind kind, int lane, uint64_t address);
uint64_t wave_pc_of(const struct wave *w, const struct wave_op *o);
/* Floating-point environment from MODE: after MODE changed. */
void wave_apply_mode(struct wave *w);

/* The guest's memory. Guest programs may race: everything that touches it directly is marked with this. */
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define WAVE_RACY __attribute__((no_sanitize("thread"), noinline))
#endif
#elif defined(__SANITIZE_THREAD__)
#define WAVE_RACY __attribute__((no_sanitize("thread"), noinline))
#endif
#ifndef WAVE_RACY
#define WAVE_RACY
#endif

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
