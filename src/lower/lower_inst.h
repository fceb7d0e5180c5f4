/* What the semantics of single instructions are written with: the words of the .def files' last column, and the functions
 * that the irregular ones name. */
#ifndef LOWER_LOWER_INST_H
#define LOWER_LOWER_INST_H

#include "lower/lower.h"

/* The instruction being lowered. */
struct lower {
    struct ir_builder *b;
    const struct lower_config *config;
    const struct isa_inst *inst;
    uint64_t pc, next_pc;
    ir_ref write_mask;       /* lanes that the instruction writes: EXEC, less what DPP forbids */
    ir_ref src[ISA_MAX_SRC]; /* sources fetched so far, kind IR_NONE otherwise */
    bool failed;             /* the semantics refuse this form: becomes `unsupported` */
    /* How the instruction ends its block, for the control instructions; term IR_TERM_NONE otherwise. */
    uint8_t term;
    ir_ref cond;             /* IR_TERM_BRANCH, IR_TERM_SETPC */
    uint64_t target;         /* IR_TERM_BRANCH (taken), IR_TERM_JUMP */
    bool when_zero;          /* IR_TERM_BRANCH is taken when cond is zero */
};

/* The instruction's source n with its modifiers (SDWA select, DPP, abs, neg, op_sel) applied, as the row's type sees it. A
 * 64-bit source is a pair. Fetched once: asking again gives the same reference. */
ir_ref lower_src(struct lower *l, unsigned n);
/* The register or constant itself, without any modifier. */
ir_ref lower_raw(struct lower *l, const struct isa_operand *operand);
/* Slot k of a source that spans registers, unmodified (a V#'s words, store data). */
ir_ref lower_src_word(struct lower *l, unsigned n, unsigned k);

/* Writes value to destination n of a vector instruction as the row's type says: omod and clamp for floats, the chosen half
 * for 16 bits (the other half is kept, as on gfx10), SDWA's destination select; in the lanes of l->write_mask. */
void lower_valu(struct lower *l, ir_ref value);
/* Writes 32 or 64 bits to a scalar destination n; writes to NULL vanish. */
void lower_sdst(struct lower *l, unsigned n, ir_ref value);
/* The scalar destination by code, one word. */
void lower_write_sreg(struct lower *l, unsigned code, ir_ref value);
void lower_set_scc(struct lower *l, ir_ref value);
/* A vector compare's mask to its destination; cmpx to EXEC. */
void lower_cmp(struct lower *l, ir_ref mask);
void lower_cmpx(struct lower *l, ir_ref mask);
/* dst VGPR number reg = value in the written lanes. */
void lower_write_vreg(struct lower *l, unsigned reg, ir_ref value);

/* 0 or 1 whether a value is not zero: SCC's usual rule. */
ir_ref lower_is_nonzero(struct lower *l, ir_ref value, bool wide);
static inline bool lower_wave64(const struct lower *l) { return l->config->wave_size == 64; }
/* A mask value's AND, and so on, by wave size. */
ir_ref lower_mask_op(struct lower *l, enum ir_op op32, enum ir_op op64, ir_ref x, ir_ref y);
/* The lower n'th constant: short for ir_const. */
static inline ir_ref lower_k(struct lower *l, uint64_t value) { return ir_const(l->b, value); }

/* Refuses this form of the instruction by name. */
static inline void lower_refuse(struct lower *l) { l->failed = true; }

/* The words of the .def files' last column; each row becomes `static void sem_ROW(struct lower *l) { WORDS; }`. In them b is
 * the builder and A B C are the sources. */
#define A lower_src(l, 0)
#define B lower_src(l, 1)
#define C lower_src(l, 2)
#define VALU(...) lower_valu(l, __VA_ARGS__)                  /* vector result */
#define CMP(...) lower_cmp(l, __VA_ARGS__)                    /* vector compare: use LCMP for the value */
#define CMPX(...) lower_cmpx(l, __VA_ARGS__)
#define LCMP(op) ir_emit_lane(b, IR_##op, 2, (ir_ref[]){A, B}) /* compare per lane, also of uniform sources */
#define SALU(...) lower_sdst(l, 0, __VA_ARGS__)               /* scalar result, SCC kept */
#define SALU_NZ(...) lower_salu_nz(l, __VA_ARGS__)            /* scalar result, SCC = result is not zero */
#define SALU_SCC(value, scc) lower_salu_scc(l, value, scc)    /* scalar result and SCC */
#define SCMP(...) lower_set_scc(l, __VA_ARGS__)
#define FN(function) lower_##function(l)                      /* an irregular one: function of lower_*.c, in lower_fns.def */
#define FNX(function, ...) lower_##function(l, __VA_ARGS__)   /* the same with parameters from the row */
#define NOTHING ((void)l)                                     /* no effect on an in-order machine (waits, hints) */
#define UNSUPPORTED lower_refuse(l)                           /* decoded and refused by name */

void lower_salu_nz(struct lower *l, ir_ref value);
void lower_salu_scc(struct lower *l, ir_ref value, ir_ref scc);

/* Irregular instructions, by file. */
#include "lower/lower_fns.h"

/* Calls the row's semantics. */
void lower_row(struct lower *l);

#endif
