/* The inside of the flow: what is known of each value of a program, for all waves of a dispatch at once.
 *
 *   flow_value  what is known of one node; plain data, in the flow.
 *   flow        one evaluation; trace_flow_run's.
 *
 * A value of a lane speaks for the lanes that have a thread, or for those of them in the mask `under` (SSA nodes of its words): what an instruction
 * wrote under a mask is known for whoever reads it under the same mask or a smaller one, whatever the other lanes hold. */
#ifndef TRACE_TRACE_FLOW_INTERNAL_H
#define TRACE_TRACE_FLOW_INTERNAL_H

#include "ir/ir_slots.h"
#include "ir/ir_ssa.h"
#include "trace/trace_affine.h"
#include "trace/trace_flow.h"
#include "trace/trace_internal.h"

enum flow_kind {
    FLOW_NOTHING, /* not reached yet */
    FLOW_WORD,    /* is `word` everywhere */
    FLOW_SUM,     /* sums[word], modulo 2^32 */
    FLOW_THREADS, /* word `word` of the mask of all lanes that have a thread */
    FLOW_SUBSET,  /* of those lanes some, not known which; word as above */
    FLOW_UNKNOWN,
};

struct flow_value {
    uint32_t kind, word;
    uint32_t under[2]; /* IR_SSA_NONE: all lanes that have a thread; [1] in wave64 only */
};

struct trace_flow_program {
    const struct ir_func *func;
    struct ir_ssa *ssa;
    struct flow_value *start; /* of each node before a dispatch is known */
    bool loops;               /* some edge goes back */
};

/* Memory that a load was answered from. */
struct flow_read {
    uint32_t node;
    bool vector;
    uint64_t start, end;
};

enum { FLOW_REACHED = 1, FLOW_TAKEN = 2 /* << n: succ[n] */ };

struct flow {
    const struct trace_flow_program *program;
    const struct ir_ssa *ssa;
    const struct ir_func *func;
    const struct wave_dispatch *dispatch;
    const struct image_config *images; /* NULL: nobody says how they lie */
    struct trace_reader looked;        /* guest memory; what of it counts in the end is told to the trace's own */
    struct trace_domain domain;
    unsigned masks;             /* words of a lane mask */
    bool full;                  /* every lane has a thread */
    struct flow_value *values;  /* by node */
    uint32_t *wide;             /* by operation: its pair as a sum modulo 2^64, in sums; IR_SSA_NONE */
    uint8_t *changes, *blocked; /* by node: how often its value changed; a load that is not answered */
    uint8_t *blocks;            /* FLOW_REACHED .. */
    struct trace_affine *sums;
    uint32_t sum_count, sum_cap;
    struct flow_read *reads;
    uint32_t read_count, read_cap;
    uint64_t work_left;
    bool changed, out_of_memory;
    const char *leaves;
};

/* 1. Values (trace_flow.c). */

static inline const uint32_t *flow_args(const struct flow *f, uint32_t node)
{
    return ir_ssa_args(f->ssa, &f->ssa->nodes[node]);
}
static inline unsigned flow_op_of(const struct flow *f, const struct ir_ssa_node *node)
{
    return f->func->insts[node->inst].op;
}
struct flow_value flow_word(uint32_t word);
struct flow_value flow_unknown(void);
struct flow_value flow_sum(struct flow *f, const struct trace_affine *sum); /* of a word */
/* Every value has a sum, if only one that says nothing. */
struct trace_affine flow_sum_of(const struct flow *f, const struct flow_value *value);
void flow_set(struct flow *f, uint32_t node, struct flow_value value);
void flow_set_wide(struct flow *f, uint32_t op, const struct trace_affine *sum);
/* Result word of an operation: the operation itself where it has but one. */
static inline uint32_t flow_result(const struct flow *f, uint32_t op, uint32_t word)
{
    return f->ssa->nodes[op].results == 1 ? op : op + 1 + word;
}
static inline bool flow_is_everywhere(const uint32_t under[2])
{
    return under[0] == IR_SSA_NONE;
}

/* 2. Masks (trace_flow_masks.c). */

/* Whether the mask's lanes are among those of `of`. */
bool flow_is_within(const struct flow *f, const uint32_t mask[2], const uint32_t of[2]);
/* The smaller of two masks into `under`; false when neither is known to be. */
bool flow_meet_masks(const struct flow *f, uint32_t under[2], const uint32_t other[2]);
void flow_mask_of(const struct flow *f, const struct ir_ssa_node *node, uint32_t mask[2]); /* of an operation or merge */
bool flow_is_all(const struct flow *f, const uint32_t mask[2]);                            /* just the lanes that have a thread */
bool flow_is_none(const struct flow *f, const uint32_t mask[2]);
bool flow_is_inside(const struct flow *f, const struct flow_value *value, unsigned word); /* no lane without a thread */
/* A logical operation on words of masks; false: neither is one. */
bool flow_mask_logic(const struct flow *f, unsigned op, const struct flow_value *a, const struct flow_value *b,
                     struct flow_value *result);
/* The same of an or of the two parts that a mask was divided into. */
bool flow_mask_joined(const struct flow *f, uint32_t a, uint32_t b, struct flow_value *result);
/* Limits the domain to the mask's lanes; true when they are just those, false when there may be fewer. */
bool flow_limit(const struct flow *f, const uint32_t mask[2], struct trace_domain *domain);
/* Through the merges that a reader sees through: where the value was made. */
uint32_t flow_resolve(const struct flow *f, uint32_t node);
/* The mask whose being empty a branch on cond tells, and which successor is then taken. */
bool flow_empty_test(const struct flow *f, const uint32_t cond, uint32_t mask[2], unsigned *when_empty);

/* 3. Operations (trace_flow_values.c; sums of words and pairs: trace_flow_sums.h). */

void flow_operation(struct flow *f, uint32_t op);
/* Words low and high as one sum modulo 2^64. */
bool flow_pair(const struct flow *f, uint32_t low, uint32_t high, struct trace_affine *sum);
/* The base that scalars hold, where low and high are a lane's part added to one. */
bool flow_find_base(const struct flow *f, uint32_t low, uint32_t high, uint64_t *base);
/* As a pair: extended by zeros or the sign. False when that does not follow. */
bool flow_widen(const struct flow *f, const struct trace_affine *a, bool is_signed, struct trace_affine *wide);
/* a - b as integers (at: the constant); false where either may wrap. */
bool flow_difference(const struct flow *f, const struct trace_affine *a, const struct trace_affine *b, unsigned bits,
                     bool is_signed, struct trace_affine *difference, trace_wide *at);
enum flow_relation { FLOW_LT, FLOW_LE, FLOW_EQ, FLOW_NE, FLOW_GE, FLOW_GT, FLOW_RELATIONS };
struct flow_compare {
    enum flow_relation relation;
    uint8_t bits;
    bool is_signed;
};
/* False: not a compare of whole integers. */
bool flow_compare_of(unsigned op, struct flow_compare *compare);
/* A compare's operands as sums. */
bool flow_compare_sums(const struct flow *f, uint32_t op, const struct flow_compare *compare, struct trace_affine sums[2]);
/* What adds to a thread's number in its wave. */
struct trace_affine flow_lane(const struct flow *f);
uint64_t flow_group_waves(const struct flow *f);

/* 4. Memory (trace_flow_memory.c, trace_flow_sites.c). */

/* Where an access reaches. */
struct flow_place {
    enum trace_place place;
    bool based, described;
    uint64_t base;
    uint32_t descriptor[4];
    bool summed; /* the address is `address` modulo 2^64, within bounds that are of use; else only its alignment counts */
    struct trace_affine address;
    bool capped; /* lanes whose address is beyond cap access that instead */
    uint64_t cap;
    uint64_t low, high;    /* what lies outside [low, high) is not accessed, */
    bool partial;          /* and some of what lies inside may not be either */
    uint32_t bytes, piece; /* of one access; that are in or out as one */
    const char *why;
};
void flow_place_of(const struct flow *f, uint32_t op, struct flow_place *place);
bool flow_stores_image(const struct flow *f, const struct ir_ssa_node *node);
/* The words of an image operation's descriptor; false: they are not all known. */
bool flow_descriptor_of(const struct flow *f, uint32_t op, uint32_t *words, unsigned count);
/* The same of an image operation: all that its descriptor shows. */
void flow_image_place_of(const struct flow *f, uint32_t op, struct flow_place *place);
void flow_memory(struct flow *f, uint32_t op); /* what it leaves in registers */
/* What a lane under the mask finds in a node, where that is the lesser of a sum and a word, neither above 2^31: these, and nothing wraps
 * (trace_flow_capped.c). */
bool flow_capped(const struct flow *f, const uint32_t mask[2], uint32_t node, struct trace_affine *sum, uint64_t *cap);
/* Which words a store whose lanes are those of the domain leaves in [start, end), which it covers (trace_flow_words.c); false: that does not follow
 * from the ids of groups and threads alone. */
bool flow_words(const struct flow *f, uint32_t op, const struct flow_place *place, const struct trace_domain *domain,
                uint64_t start, uint64_t end, struct trace_words *words);
bool flow_sites(struct flow *f, struct trace_table *table);

#endif
