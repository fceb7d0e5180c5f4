/* The emitter's insides: shared by its files, and by nobody else.
 *
 * A per-lane value is `packs` ids, one for each lane that an invocation carries; a uniform one is a single id, the same in every
 * invocation. A lane mask is, where that pays, a boolean for each of an invocation's lanes instead of a word;
 * where lanes go alone, both words of a long mask are the same boolean. What is needed in other
 * blocks than its own lies in variables of the function, which the host's compiler makes registers again.
 *
 * Roles and owners:
 *   spirv_emitter  one module in the making; on its maker's stack; spirv_emitter_finish.
 */
#ifndef SPIRV_SPIRV_EMIT_H
#define SPIRV_SPIRV_EMIT_H

#include "ir/ir_slots.h"
#include "ir/ir_ssa.h"
#include "spirv/spirv.h"
#include "spirv/spirv_layout.h"
#include "spirv/spirv_structure.h"
#include "spirv/spirv_words.h"

enum { SPIRV_MAX_PACKS = 16, SPIRV_MAX_WORDS = 2 * IR_MAX_SPAN + 8, SPIRV_CONST_SLOTS = 1 << 12, SPIRV_SLOT_IDS = 8 };

/* What is known of a mask's bit. */
enum spirv_bit { SPIRV_BIT_0, SPIRV_BIT_1, SPIRV_BIT_OPEN, SPIRV_BIT_NOT_YET };

/* A node's place among the arrays of ids. */
struct spirv_node {
    bool is_mask;   /* booleans are its own form */
    bool escapes;   /* needed in other blocks: has variables */
    bool nan_seen;  /* which NaN it is makes a difference */
    uint32_t alias; /* the low word of a long mask that this is the high word of, plus one: one boolean serves both */
    uint8_t bit;    /* of a mask: enum spirv_bit, as it is for every lane wherever the mask holds */
    uint8_t proved; /* the same, for spirv_find_bits */
    bool taken_out; /* of a loop that it is made in, to where that has ended */
    bool passes;    /* a merge that keeps nothing of the old value */
    bool aligned;   /* a multiple of four */
    bool inside;    /* an access of a certain module that does not leave the group's local memory */
    bool flushed;   /* a float that is no denormal */
    bool is_float;  /* calculated with */
    bool nan_later; /* a NaN shows in what follows in its block, where it is then made what it should be */
    uint32_t stamp; /* when value was last derived or loaded */
    uint32_t bool_stamp;
    uint32_t load_stamp;
    uint32_t slot;                            /* of an access, plus one */
    uint32_t near;                            /* of an access in a fast module: its row, plus one */
    uint32_t preloaded;                       /* the word that a preload leaves it in, plus one; of a load: the first one */
    uint32_t value, bools, loaded, variables; /* first of its ids in the pool; 0: none yet */
};

struct spirv_known {
    uint32_t id, value;
};

/* Who comes to a join from block `from` leaves it by its edge number `edge`. */
struct spirv_split {
    uint32_t join, from, edge;
};
enum { SPIRV_MAX_SPLITS = 16 };

struct spirv_emitter {
    const struct spirv_library *library;
    const struct ir_func *func;
    const struct ir_ssa *ssa;
    const struct spirv_options *options;
    unsigned lanes, subgroup, packs, half; /* subgroup: invocations of a wave; half: packs of 32 lanes */
    bool alone;                            /* an invocation is one lane */
    bool wide;                             /* an invocation is one lane of 64: one pack for two halves; masks are words */
    bool paired;                           /* a subgroup of 64 is two waves of 32 */
    bool meets;                            /* it turned out that lanes cannot go alone */
    bool sure;                             /* lanes go alone, as a program with fewer ways did of which this one was made */
    bool splitting;                        /* joins whose ways are known are to be named, in place of a module */
    struct spirv_split splits[SPIRV_MAX_SPLITS];
    unsigned split_count;
    uint32_t *place; /* of each block in the order of blocks; of one that nothing reaches: behind all */
    uint32_t *twin;  /* by node, plus one: the high word of the mask whose low word it is */
    unsigned subgroup_log2;
    struct spirv_words decls, vars, body;
    struct spirv_words functions, types, notes; /* of the library as they are here, types of functions, decorations */
    uint32_t next_id;
    struct {
        uint32_t id, value;
    } consts[SPIRV_CONST_SLOTS];
    uint32_t const_count;
    struct spirv_known *known; /* constants of ours, by id */
    uint32_t known_count, known_cap;
    uint32_t *first_instance; /* by function of the library, plus one */
    struct spirv_instance *instances;
    uint32_t instance_count, instance_cap, instances_put;
    struct spirv_special *special; /* by id of the library */
    uint32_t special_stamp;
    struct spirv_node *nodes;
    uint32_t *pool;
    size_t pool_count, pool_cap;
    uint32_t block, stamp;                     /* being emitted */
    uint32_t edge_to;                          /* of the block's edge that is being emitted; IR_SSA_NONE: none is */
    bool open;                                 /* the SPIR-V block has no end yet */
    uint32_t lane[SPIRV_MAX_PACKS];            /* lane numbers */
    uint32_t id_true, id_false, p_u32, p_bool; /* constants, pointer types */
    uint32_t target, budget, pack, looked_at;  /* variables; looked_at: what turned out to be no NaN, or was made the right one */
    uint32_t nought[2];                        /* zeros that no compiler knows: of either sign */
    uint32_t pack_result[4 * SPIRV_MAX_PACKS]; /* variables: what a loop over packs leaves, by word and pack */
    struct spirv_slot *slots;
    uint32_t (*slot_nodes)[4]; /* of each slot's base */
    struct spirv_preload *preloads;
    struct spirv_reach *reaches;
    struct spirv_near *nears;
    struct spirv_apart *aparts;
    uint32_t apart_count;
    uint32_t slot_count, preload_count, reach_count, near_count, word_count;
    uint32_t near_ids[NEAR_MAX][NEAR_WORDS];
    bool hides;                 /* some merge in a loop needs its mask: no compiler may take it for set */
    unsigned char *near_before; /* spirv_find_before */
    bool in_step;               /* a fast module with barriers: all lanes of a group take the same way */
    bool fast, loops;           /* loops: some edge that leads back has been emitted */
    bool has_loops;             /* some edge leads back */
    uint32_t second_ways;       /* out of loops, that nobody takes */
    bool certain;               /* accesses reach windows, and look at no index */
    uint32_t bit_work;          /* how often spirv_find_bits and those who ask it have looked on, which ends */
    bool uncounted;             /* it is known how often loops go round */
    bool windows;               /* fast or certain */
    bool reports;               /* the wave tells of faults at its end */
    struct spirv_bound *bounds;
    struct spirv_bound_step *bound_steps;
    uint32_t bound_count, bound_step_count, *bound_at; /* by node: its step, plus one */
    uint32_t slot_ids[SLOTS_MAX][SPIRV_SLOT_IDS], word_ids[WORDS_MAX];
    uint32_t merged, turns; /* turns: how often an invocation goes through the program, for other groups */
    uint64_t *site_pc;
    uint32_t site_count, site_cap;
    uint32_t exact, approximate;
    struct spirv_image *images;
    uint32_t image_count;
    struct spirv_recipe_step *steps; /* that the descriptors of images are made by */
    uint32_t step_count, *step_at;   /* by node, plus one */
    bool uses_lds, uses_gds, rays, out_of_memory;
    bool any_nan;  /* it makes no difference which NaN the row that is being emitted makes */
    uint32_t rare; /* the label behind code that hardly ever runs */
    bool endless;  /* some way through the program has no end */
    bool spilled;  /* something reaches the local share, and that is in a buffer */
    bool locks;    /* spirv_needs_lock */
    bool own;      /* scratch is looked for once: its base, as two nodes, is known in the program's first block */
    uint32_t own_base[2];
    char *reason; /* empty: all is well */
};

/* spirv_waits.c: where the program waits for what another wave stores, which a host device need not run at the same time; NULL: nowhere that can be seen. */
const struct ir_inst *spirv_find_wait(struct spirv_emitter *e);
void spirv_refuse(struct spirv_emitter *e, const struct ir_inst *inst, const char *what);

/* Ids and code. */
uint32_t spirv_id(struct spirv_emitter *e);
uint32_t spirv_const(struct spirv_emitter *e, uint32_t value);
uint32_t spirv_bool(struct spirv_emitter *e, bool value);
/* An instruction with a result: its id. */
uint32_t spirv_op(struct spirv_emitter *e, unsigned opcode, uint32_t type, unsigned count, const uint32_t *operands);
uint32_t spirv_op1(struct spirv_emitter *e, unsigned opcode, uint32_t type, uint32_t a);
uint32_t spirv_op2(struct spirv_emitter *e, unsigned opcode, uint32_t type, uint32_t a, uint32_t b);
uint32_t spirv_add(struct spirv_emitter *e, uint32_t a, uint32_t b); /* words */
uint32_t spirv_op3(struct spirv_emitter *e, unsigned opcode, uint32_t type, uint32_t a, uint32_t b, uint32_t c);
/* Calls the library's function of that name, which must exist. */
uint32_t spirv_call(struct spirv_emitter *e, const char *name, unsigned count, const uint32_t *operands);

/* The library's functions as this module has them. */
bool spirv_special_init(struct spirv_emitter *e); /* false: out of memory */
void spirv_special_finish(struct spirv_emitter *e);
void spirv_note_constant(struct spirv_emitter *e, uint32_t id, uint32_t value);
/* Of 32 bits, or a boolean. */
bool spirv_constant_of(const struct spirv_emitter *e, uint32_t id, uint32_t *value);
/* A call of the library's function of that number. */
void spirv_put_call(struct spirv_emitter *e, struct spirv_words *out, uint32_t function, uint32_t result, unsigned count,
                    const uint32_t *operands);
void spirv_put_instances(struct spirv_emitter *e); /* of all that has been called, beside those that are there */
bool spirv_uses(const struct spirv_emitter *e, const char *name);
uint32_t spirv_use(struct spirv_emitter *e,
                   const char *name); /* makes it part of the module, with all of its parameters: its id there */
/* What is called in the place of a library's function. */
uint32_t spirv_called(const struct spirv_emitter *e, uint32_t id);

/* Code up to the end that runs only where the condition holds, which is hardly ever; it makes no values for what follows. */
void spirv_begin_rare(struct spirv_emitter *e, uint32_t condition);
void spirv_end_rare(struct spirv_emitter *e);
uint32_t spirv_word_of(struct spirv_emitter *e, uint32_t vector, unsigned n);
uint32_t spirv_variable(struct spirv_emitter *e, uint32_t pointer_type);
uint32_t spirv_load(struct spirv_emitter *e, uint32_t type, uint32_t variable);
void spirv_store(struct spirv_emitter *e, uint32_t variable, uint32_t value);
uint32_t spirv_site(struct spirv_emitter *e, uint64_t pc);

/* Values. */
bool spirv_values_init(struct spirv_emitter *e);                              /* false: out of memory */
uint32_t spirv_value(struct spirv_emitter *e, uint32_t node, unsigned pack);  /* a word */
uint32_t spirv_node_bool(struct spirv_emitter *e, uint32_t node, unsigned n); /* bit of a mask's word: pack n of its 32 lanes */
uint32_t spirv_mask_bool(struct spirv_emitter *e, const uint32_t *words, unsigned pack); /* of a mask's word(s) */
uint32_t spirv_value_as(struct spirv_emitter *e, uint32_t node, unsigned pack,
                        bool is_float); /* no compiler sees that a float is zero */
/* The word of a mask's that the pack's lane has its bit in. */
uint32_t spirv_mask_word(struct spirv_emitter *e, const uint32_t *words, unsigned pack);
/* A lane's booleans as the two words of a mask, in a wide wave. */
void spirv_ballot_words(struct spirv_emitter *e, uint32_t boolean, uint32_t words[2]);
/* value in another of the wave's invocations. */
uint32_t spirv_shuffle(struct spirv_emitter *e, uint32_t value, uint32_t invocation);
uint32_t spirv_told_by(struct spirv_emitter *e, uint32_t value, unsigned invocation); /* the same for all */
uint32_t spirv_in_high_half(struct spirv_emitter *e); /* the lane of an invocation with one lane of 64 */
bool spirv_is_constant(const struct spirv_emitter *e, uint32_t node, uint32_t *value);
void spirv_define(struct spirv_emitter *e, uint32_t node, const uint32_t *ids); /* packs ids, or one when uniform */
void spirv_define_bools(struct spirv_emitter *e, uint32_t node, const uint32_t *ids);
bool spirv_is_bit_op(unsigned op);
/* A scalar's truth as a mask of all lanes or none. */
bool spirv_is_splat(const struct spirv_emitter *e, const struct ir_ssa_node *op);
bool spirv_entry_is_zero(const struct spirv_emitter *e, uint32_t node);
/* The other word of the pair of scalars that a wave starts with, which 64-bit operands take together; IR_SSA_NONE: there is none. */
uint32_t spirv_entry_pair(const struct spirv_emitter *e, uint32_t node);
/* A node, a mask's word or not, is not zero: for the wave, or for the lane that goes alone. */
uint32_t spirv_is_set(struct spirv_emitter *e, uint32_t node);
void spirv_load_phis(struct spirv_emitter *e, uint32_t block);
void spirv_store_phis(struct spirv_emitter *e, uint32_t from, uint32_t to);

/* Operations. An operation's results: for each word packs ids (masks: half booleans), which its words then become. */
struct spirv_results {
    uint32_t id[SPIRV_MAX_WORDS][SPIRV_MAX_PACKS];
    bool bools[SPIRV_MAX_WORDS];
};
/* The arguments of an operation: where each source's words, the mask's and the unsaid ones stand. */
struct spirv_args {
    const struct ir_inst *inst;
    const struct ir_ssa_node *node;
    const uint32_t *source[6], *mask;      /* mask: NULL when the operation does not look at one */
    uint32_t mode, exec, m0, scratch, old; /* indexes into all, IR_SSA_NONE where absent */
    const uint32_t *all;
};
struct spirv_args spirv_take_args(const struct spirv_emitter *e, const struct ir_ssa_node *node);
void spirv_emit_op(struct spirv_emitter *e, uint32_t node);
void spirv_emit_lanes(struct spirv_emitter *e, const struct spirv_args *args, struct spirv_results *r);
void spirv_emit_memory(struct spirv_emitter *e, const struct spirv_args *args, struct spirv_results *r);
uint32_t spirv_access_runs(struct spirv_emitter *e, const struct spirv_args *args, unsigned pack);
/* Rare forms. */
bool spirv_needs_lock(const struct ir_func *func); /* some operation takes the group's lock */
uint32_t spirv_keeps_denormals(struct spirv_emitter *e, const struct spirv_args *args,
                               unsigned bytes); /* floats in the local share keep them: a boolean */
uint32_t spirv_atomic_code(struct spirv_emitter *e, const struct ir_access *access);
/* A lane's address that M0 and its number make. */
uint32_t spirv_share_by_lane(struct spirv_emitter *e, const struct spirv_args *args, uint32_t offset, unsigned pack);
void spirv_emit_scalar_write(struct spirv_emitter *e, const struct spirv_args *args, const struct ir_access *access,
                             struct spirv_results *r);
void spirv_emit_swaps(struct spirv_emitter *e, const struct spirv_args *args, const struct ir_access *access,
                      struct spirv_results *r);
void spirv_emit_operand_atomic(struct spirv_emitter *e, const struct spirv_args *args, const struct ir_access *access,
                               struct spirv_results *r);
void spirv_emit_append(struct spirv_emitter *e, const struct spirv_args *args, struct spirv_results *r);
/* What was loaded goes to the local share. */
void spirv_emit_to_share(struct spirv_emitter *e, const struct spirv_args *args, const struct ir_access *access,
                         const struct spirv_results *r);
void spirv_emit_near(struct spirv_emitter *e, const struct spirv_args *args, const struct ir_access *access,
                     struct spirv_results *r);

/* Scratch that is looked for once. */
void spirv_find_own(struct spirv_emitter *e);
/* To be called before the block's first operation (IR_SSA_NONE), and behind each of its nodes. */
void spirv_place_own(struct spirv_emitter *e, uint32_t block, uint32_t node);
void spirv_emit_own(struct spirv_emitter *e, const struct spirv_args *args, const struct ir_access *access,
                    struct spirv_results *r);

void spirv_follow_merges(struct ir_ssa *ssa); /* a pass */
void spirv_find_certain(struct spirv_emitter *e);
void spirv_find_bits(struct spirv_emitter *e);
/* The bit of whoever is in the block, or takes the edge. */
enum spirv_bit spirv_bit_in(struct spirv_emitter *e, uint32_t block, uint32_t node);
enum spirv_bit spirv_bit_on(struct spirv_emitter *e, uint32_t from, uint32_t to, uint32_t node);
/* Of a join's row or phi, for those who come by its edge number `way`. */
enum spirv_bit spirv_bit_by(struct spirv_emitter *e, uint32_t join, uint32_t way, uint32_t node);
/* The edge by which whoever has that bit of a phi came; IR_SSA_NONE: who knows. */
uint32_t spirv_way_in(const struct spirv_emitter *e, uint32_t phi, enum spirv_bit bit);
/* A scalar is not zero, or a comparison's bit is set, for whoever takes the edge. */
enum spirv_bit spirv_truth_on(struct spirv_emitter *e, uint32_t from, uint32_t to, uint32_t node);
bool spirv_runs_for_certain(struct spirv_emitter *e, uint32_t block, uint32_t mask); /* whoever is in the block is in the mask */
uint32_t spirv_combine_bits(unsigned op, uint32_t x, uint32_t y); /* a row on bits; what is not known is SPIRV_BIT_OPEN */
/* Names the edges into joins whose lanes are known to go on one way; whether there are any. */
bool spirv_find_splits(struct spirv_emitter *e);
/* A function that differs in having those edges lead to joins of their own; NULL: out of memory. */
struct ir_func *spirv_split_joins(const struct ir_func *func, const struct spirv_split *splits, unsigned count);
void spirv_find_floats(struct spirv_emitter *e);
void spirv_find_nans(struct spirv_emitter *e);
/* The operations before it, latest first, whose NaNs are to be looked at with the node's own; how many. */
enum { SPIRV_NANS_MOST = 64 };
unsigned spirv_nans_before(const struct spirv_emitter *e, uint32_t node, uint32_t before[SPIRV_NANS_MOST]);
void spirv_find_aligned(struct spirv_emitter *e);

/* A lane's address: base + (index << scale), the index widened. Of a buffer's access: the descriptor's, as it is where it neither swizzles nor
 * adds lanes' numbers, and where the offset lies within its bounds. */
struct spirv_address {
    uint32_t base[2], index; /* nodes; the base's are scalars */
    uint32_t scale;
    bool is_signed;
};
uint32_t spirv_seen_through(const struct spirv_emitter *e, uint32_t node); /* what a value is where the lane runs */
/* False: it is not known to be such an address. */
bool spirv_find_address(const struct spirv_emitter *e, uint32_t node, const struct ir_access *access, struct spirv_address *out);

/* Bases of accesses. */
enum { SPIRV_BEFORE = 1, SPIRV_WITHIN = 2 };
/* By block, whether on some way to it, or in it, lanes reach memory, or store there. The caller's to free; NULL: out of memory. */
unsigned char *spirv_find_before(const struct spirv_emitter *e, bool stores);
void spirv_find_slots(struct spirv_emitter *e);
void spirv_emit_slots(struct spirv_emitter *e);
bool spirv_find_nears(struct spirv_emitter *e); /* false: the program is not one for a fast module */
void spirv_emit_nears(struct spirv_emitter *e);
/* The same where a dispatch can be such that no index leaves its window, and how far indexes go; whatever the program does when. */
bool spirv_find_certain_nears(struct spirv_emitter *e);
bool spirv_find_bounds(struct spirv_emitter *e); /* of all nears; false: a dispatch cannot be */
/* While spirv_find_bounds is at work; numbers of steps, or SPIRV_NO_BOUND where there are too many. */
uint32_t spirv_bound_of(struct spirv_emitter *e, uint32_t node);
uint32_t spirv_bound_add(struct spirv_emitter *e, const struct spirv_bound_step *step);
bool spirv_bound_phi(struct spirv_emitter *e, uint32_t node,
                     struct spirv_bound_step *step); /* at a loop's head; false: it may be anything */
uint32_t spirv_bound_rounds(
    struct spirv_emitter *e); /* one more than a lane goes back in all, at most; SPIRV_NO_BOUND too: nobody knows */
/* The block that alone leads back to a loop's head, which has one way in besides; IR_SSA_NONE: it is none such. */
uint32_t spirv_loop_latch(const struct spirv_emitter *e, uint32_t head);
bool spirv_comes_before(const struct spirv_emitter *e, uint32_t block,
                        uint32_t other); /* in the order of blocks, in which only loops lead back */

/* What a function is called with; operand 0 is the mask where it is called for every pack. */
enum { SPIRV_MAX_OPERANDS = 48 };
struct spirv_operands {
    uint32_t operand[SPIRV_MAX_OPERANDS];
    unsigned count;
};
static inline void spirv_push(struct spirv_operands *c, uint32_t id)
{
    c->operand[c->count++] = id;
}
/* The function's call for every pack, in a loop rather than side by side: an access is much code. Its result's words become r's from
 * `first` on; vector: it has several, or none is wanted. */
void spirv_call_packs(struct spirv_emitter *e, const char *name, const struct spirv_operands *calls, unsigned words, bool vector,
                      unsigned first, struct spirv_results *r);
/* The same one after another, of a load that tells: behind its words, whether memory was missing. */
void spirv_call_told(struct spirv_emitter *e, const char *name, const struct spirv_operands *calls, unsigned words,
                     struct spirv_results *r);
/* A buffer access's descriptor, indexes and offsets in pack k. */
void spirv_push_buffer(struct spirv_emitter *e, const struct spirv_args *args, const struct ir_access *access, unsigned k,
                       uint32_t skip, struct spirv_operands *c);
/* The words of the access's slot; without one nothing is bound. */
void spirv_push_slot(struct spirv_emitter *e, const struct spirv_args *args, struct spirv_operands *c);
void spirv_emit_format(struct spirv_emitter *e, const struct spirv_args *args, const struct ir_access *access,
                       struct spirv_results *r);
/* The steps that make words of the dispatch's user data and memory; false: they may differ from wave to wave. */
bool spirv_recipe_take(struct spirv_emitter *e, const uint32_t *nodes, unsigned count, uint32_t *steps);
/* An image operation that looks at no other lane. */
bool spirv_image_is_alone(const struct spirv_emitter *e, const struct ir_inst *inst);
void spirv_emit_image(struct spirv_emitter *e, const struct spirv_args *args, struct spirv_results *r);

/* Registers that are reached by number. */
bool spirv_moves_by_number(const struct ir_inst *inst);
/* Reads leave their result in r, writes define all their words. */
void spirv_emit_moves(struct spirv_emitter *e, uint32_t node, const struct spirv_args *args, struct spirv_results *r);

/* Lanes that go alone. */
bool spirv_lanes_go_alone(struct spirv_emitter *e);
bool spirv_lanes_meet_well(const struct spirv_emitter *e); /* none looks at another */
/* Memory is as it would be if they went in step, given what e->aparts asks of dispatches. After spirv_find_slots. */
bool spirv_order_is_kept(struct spirv_emitter *e);
bool spirv_has_barrier(const struct spirv_emitter *e);
bool spirv_words_are_one(struct spirv_emitter *e, const uint32_t *words); /* a mask's words hold the same bit of a lane */

void spirv_emit_entry(struct spirv_emitter *e);
void spirv_emit_exits(struct spirv_emitter *e, uint32_t block);
uint32_t spirv_is_wave(struct spirv_emitter *e); /* whether the group has it: a boolean */
uint64_t spirv_jump_of(const struct ir_block *block);
/* The program's function, into the emitter's body, and the module around it. */
void spirv_emit_body(struct spirv_emitter *e);
void spirv_assemble(struct spirv_emitter *e, struct spirv_words *out);

#endif
