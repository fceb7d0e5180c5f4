/* For the tests of float rows: runs rows of ir_ops.def by themselves, and makes correctly rounded results of every format with
 * MPFR, which shares nothing with them. */
#ifndef IR_IR_EVAL_ORACLE_H
#define IR_IR_EVAL_ORACLE_H

#include <immintrin.h>
#include <inttypes.h>
#include <mpfr.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ir/ir.h"
#include "ir/ir_eval.h"

/* The value row op gives for these sources in mode M: the expression, its check and its repair, in the host environment that
 * the row asks for. (ir_eval_oracle.c) */
u64 row(enum ir_op op, const struct ir_mode *M, u64 a, u64 b, u64 c, u64 d);
static inline u64 row1(enum ir_op op, const struct ir_mode *M, u64 a) { return row(op, M, a, 0, 0, 0); }
static inline u64 row2(enum ir_op op, const struct ir_mode *M, u64 a, u64 b) { return row(op, M, a, b, 0, 0); }
static inline u64 row3(enum ir_op op, const struct ir_mode *M, u64 a, u64 b, u64 c) { return row(op, M, a, b, c, 0); }

/* Rounding and denormals as an operation of one format sees them. */
struct oracle_mode {
    unsigned round;          /* MODE's encoding */
    bool keep_in, keep_out;
};

struct oracle_format {
    int bits, precision, min_exponent;
};
extern const struct oracle_format oracle_f16, oracle_f32, oracle_f64;

u64 oracle_sign(const struct oracle_format *F);
u64 oracle_inf(const struct oracle_format *F);
u64 oracle_quiet(const struct oracle_format *F);
u64 oracle_nan(const struct oracle_format *F); /* of an invalid operation */
bool oracle_is_nan(const struct oracle_format *F, u64 x);
u64 oracle_flush(const struct oracle_format *F, bool keep, u64 x);
/* The exact value of a number or infinity. */
void oracle_get(mpfr_t to, const struct oracle_format *F, u64 x);

/* Computes r from x, rounded once to r's precision; returns MPFR's ternary value. */
typedef int (*oracle_compute)(mpfr_t r, const mpfr_t *x, mpfr_rnd_t round);
/* The result of compute on n sources of format from, as format to; NaNs by the project's rule in IEEE mode: the first, but three
 * sources are two factors and an addend, and an invalid product comes before that. Signs of zeros are MPFR's, which follow IEEE 754. */
u64 oracle_result(const struct oracle_format *from, const struct oracle_format *to, struct oracle_mode mode, oracle_compute compute,
                  unsigned n, const u64 *source);

/* Sources that matter: zeros, denormals, neighbours of powers of two, midpoints, the largest, infinities, NaNs; then random. */
u64 oracle_pick(const struct oracle_format *F, u64 *random);
u64 oracle_random(u64 *state);

/* All 16 combinations of rounding and flushing, applied to both halves of MODE, in IEEE mode: number n of them. */
struct ir_mode oracle_ir_mode(unsigned n);
struct oracle_mode oracle_mode_of(const struct ir_mode *M);

#define assert_row(got, wanted, ...) \
    do { \
        u64 got_ = (got), wanted_ = (wanted); \
        if (got_ != wanted_) { \
            print_error("got %" PRIx64 ", wanted %" PRIx64 ": ", got_, wanted_); \
            print_error(__VA_ARGS__); \
            print_error("\n"); \
            fail(); \
        } \
    } while (0)

#endif
