/* Instructions on 64-bit integers, on pairs of words. */
#include "spirv/spirv_narrow_pass.h"

enum { TOP_BIT = 31, HALF_BIT = 32, LAST = 31 };

struct pair {
    uint32_t low, high;
};

static struct pair pair_of(struct narrow_pass *p, uint32_t id)
{
    return (struct pair){narrow_part(p, id, 0), narrow_part(p, id, 1)};
}

static bool is_zero(const struct narrow_pass *p, uint32_t id)
{
    uint32_t value;
    return narrow_known(p, id, &value) && !value;
}

static uint32_t one_if(struct narrow_pass *p, uint32_t condition)
{
    return narrow_choose(p, condition, narrow_const(p, 1), narrow_const(p, 0));
}

static struct pair sum(struct narrow_pass *p, struct pair a, struct pair b)
{
    struct pair r;
    r.low = narrow_word(p, OP_I_ADD, a.low, b.low);
    uint32_t carry = one_if(p, narrow_test(p, OP_U_LESS_THAN, r.low, a.low));
    r.high = narrow_word(p, OP_I_ADD, narrow_word(p, OP_I_ADD, a.high, b.high), carry);
    return r;
}

static struct pair difference(struct narrow_pass *p, struct pair a, struct pair b)
{
    struct pair r;
    r.low = narrow_word(p, OP_I_SUB, a.low, b.low);
    uint32_t borrow = one_if(p, narrow_test(p, OP_U_LESS_THAN, a.low, b.low));
    r.high = narrow_word(p, OP_I_SUB, narrow_word(p, OP_I_SUB, a.high, b.high), borrow);
    return r;
}

/* The product's low 64 bits. */
static struct pair product(struct narrow_pass *p, struct pair a, struct pair b)
{
    const uint32_t both[] = {a.low, b.low};
    if (!p->t_extended) {
        p->t_extended = narrow_new_id(p);
        spirv_put_op(&p->types, OP_TYPE_STRUCT, 3, (uint32_t[]){p->t_extended, p->t_u32, p->t_u32});
    }
    uint32_t whole = narrow_put(p, OP_U_MUL_EXTENDED, p->t_extended, 0, 2, both);
    struct pair r = {narrow_put(p, OP_COMPOSITE_EXTRACT, p->t_u32, 0, 2, (uint32_t[]){whole, 0}),
                     narrow_put(p, OP_COMPOSITE_EXTRACT, p->t_u32, 0, 2, (uint32_t[]){whole, 1})};
    if (!is_zero(p, a.high))
        r.high = narrow_word(p, OP_I_ADD, r.high, narrow_word(p, OP_I_MUL, a.high, b.low));
    if (!is_zero(p, b.high))
        r.high = narrow_word(p, OP_I_ADD, r.high, narrow_word(p, OP_I_MUL, a.low, b.high));
    return r;
}

typedef struct pair (*pair_of_two)(struct narrow_pass *p, struct pair a, struct pair b);

static void write_two(struct narrow_pass *p, const uint32_t *w, pair_of_two make)
{
    struct pair a = pair_of(p, w[NARROW_FIRST]), b = pair_of(p, w[NARROW_SECOND]), r = make(p, a, b);
    narrow_pair(p, w[NARROW_RESULT], r.low, r.high);
}

static void write_sum(struct narrow_pass *p, const uint32_t *w)
{
    write_two(p, w, sum);
}

static void write_difference(struct narrow_pass *p, const uint32_t *w)
{
    write_two(p, w, difference);
}

static void write_product(struct narrow_pass *p, const uint32_t *w)
{
    write_two(p, w, product);
}

static void write_negation(struct narrow_pass *p, const uint32_t *w)
{
    uint32_t zero = narrow_const(p, 0);
    struct pair r = difference(p, (struct pair){zero, zero}, pair_of(p, w[NARROW_FIRST]));
    narrow_pair(p, w[NARROW_RESULT], r.low, r.high);
}

static void write_quotient(struct narrow_pass *p, const uint32_t *w)
{
    narrow_call(p, SPIRV_DIVIDES, p->t_pair, w[NARROW_RESULT], 2, w + NARROW_FIRST);
}

static void write_rest(struct narrow_pass *p, const uint32_t *w)
{
    uint32_t quotient = narrow_new_id(p);
    narrow_call(p, SPIRV_DIVIDES, p->t_pair, quotient, 2, w + NARROW_FIRST);
    struct pair b = pair_of(p, w[NARROW_SECOND]), whole = product(p, pair_of(p, quotient), b),
                r = difference(p, pair_of(p, w[NARROW_FIRST]), whole);
    narrow_pair(p, w[NARROW_RESULT], r.low, r.high);
}

/* ---- shifts ---- */

/* The low word of how far, which may be a pair too. */
static uint32_t distance(struct narrow_pass *p, uint32_t id)
{
    return narrow_kind_of(p, id) == NARROW_LONG ? narrow_part(p, id, 0) : id;
}

/* A shift as it comes: `near` is the word that bits leave, `far` the one that they come to. What lies behind near is `filler`. */
struct shift {
    unsigned out, in; /* opcodes: of the shift itself, and of the other direction */
    bool left, is_signed;
};

static struct pair shifted(struct narrow_pass *p, const struct shift *s, struct pair a, uint32_t by)
{
    uint32_t from = s->left ? a.low : a.high, to = s->left ? a.high : a.low, value, zero = narrow_const(p, 0);
    unsigned keeps = s->is_signed ? OP_SHIFT_RIGHT_ARITHMETIC : s->out;
    uint32_t filler = s->is_signed ? narrow_word(p, OP_SHIFT_RIGHT_ARITHMETIC, a.high, narrow_const(p, TOP_BIT)) : zero;
    uint32_t new_from, new_to;
    if (narrow_known(p, by, &value)) {
        value &= 2 * HALF_BIT - 1;
        if (!value)
            return a;
        uint32_t within = narrow_const(p, value % HALF_BIT);
        uint32_t moved = value % HALF_BIT ? narrow_word(p, keeps, from, within) : from;
        if (value >= HALF_BIT) {
            new_from = filler;
            new_to = moved;
        } else {
            uint32_t across = narrow_word(p, s->in, from, narrow_const(p, HALF_BIT - value));
            new_from = moved;
            new_to = narrow_word(p, OP_BITWISE_OR, narrow_word(p, s->out, to, within), across);
        }
    } else {
        uint32_t last = narrow_const(p, LAST), within = narrow_word(p, OP_BITWISE_AND, by, last);
        uint32_t one_over = narrow_word(p, s->in, from, narrow_const(p, 1));
        uint32_t across = narrow_word(p, s->in, one_over, narrow_word(p, OP_BITWISE_XOR, within, last));
        uint32_t near = narrow_word(p, OP_BITWISE_OR, narrow_word(p, s->out, to, within), across);
        uint32_t moved = narrow_word(p, keeps, from, within);
        uint32_t bit = narrow_word(p, OP_BITWISE_AND, by, narrow_const(p, HALF_BIT));
        uint32_t far = narrow_test(p, OP_I_NOT_EQUAL, bit, zero);
        new_from = narrow_choose(p, far, filler, moved);
        new_to = narrow_choose(p, far, moved, near);
    }
    return s->left ? (struct pair){new_from, new_to} : (struct pair){new_to, new_from};
}

static void write_shift(struct narrow_pass *p, const uint32_t *w, const struct shift *s)
{
    struct pair r = shifted(p, s, pair_of(p, w[NARROW_FIRST]), distance(p, w[NARROW_SECOND]));
    narrow_pair(p, w[NARROW_RESULT], r.low, r.high);
}

static void write_left(struct narrow_pass *p, const uint32_t *w)
{
    write_shift(p, w, &(struct shift){OP_SHIFT_LEFT_LOGICAL, OP_SHIFT_RIGHT_LOGICAL, true, false});
}

static void write_right(struct narrow_pass *p, const uint32_t *w)
{
    write_shift(p, w, &(struct shift){OP_SHIFT_RIGHT_LOGICAL, OP_SHIFT_LEFT_LOGICAL, false, false});
}

static void write_signed_right(struct narrow_pass *p, const uint32_t *w)
{
    write_shift(p, w, &(struct shift){OP_SHIFT_RIGHT_LOGICAL, OP_SHIFT_LEFT_LOGICAL, false, true});
}

/* ---- comparisons ---- */

static void write_equality(struct narrow_pass *p, const uint32_t *w)
{
    struct pair a = pair_of(p, w[NARROW_FIRST]), b = pair_of(p, w[NARROW_SECOND]);
    uint32_t low = narrow_word(p, OP_BITWISE_XOR, a.low, b.low), high = narrow_word(p, OP_BITWISE_XOR, a.high, b.high);
    uint32_t differs = narrow_word(p, OP_BITWISE_OR, low, high);
    narrow_put(p, *w & 0xffff, p->t_bool, w[NARROW_RESULT], 2, (uint32_t[]){differs, narrow_const(p, 0)});
}

/* a < b: what `high` is of the high words, or of the low ones where these are equal. */
static uint32_t less(struct narrow_pass *p, struct pair a, struct pair b, unsigned high, uint32_t id)
{
    uint32_t above = narrow_test(p, high, a.high, b.high), below = narrow_test(p, OP_U_LESS_THAN, a.low, b.low);
    uint32_t equal = narrow_test(p, OP_I_EQUAL, a.high, b.high);
    uint32_t both = narrow_put(p, OP_LOGICAL_AND, p->t_bool, 0, 2, (uint32_t[]){equal, below});
    return narrow_put(p, OP_LOGICAL_OR, p->t_bool, id, 2, (uint32_t[]){above, both});
}

static const struct order {
    uint16_t opcode, high;
    bool swaps, negates;
} orders[] = {
    {OP_U_LESS_THAN, OP_U_LESS_THAN, false, false},     {OP_U_GREATER_THAN, OP_U_LESS_THAN, true, false},
    {OP_U_LESS_THAN_EQUAL, OP_U_LESS_THAN, true, true}, {OP_U_GREATER_THAN_EQUAL, OP_U_LESS_THAN, false, true},
    {OP_S_LESS_THAN, OP_S_LESS_THAN, false, false},     {OP_S_GREATER_THAN, OP_S_LESS_THAN, true, false},
    {OP_S_LESS_THAN_EQUAL, OP_S_LESS_THAN, true, true}, {OP_S_GREATER_THAN_EQUAL, OP_S_LESS_THAN, false, true},
};

static void write_order(struct narrow_pass *p, const uint32_t *w)
{
    const struct order *o = orders;
    while (o->opcode != (*w & 0xffff))
        o++;
    struct pair a = pair_of(p, w[o->swaps ? NARROW_SECOND : NARROW_FIRST]),
                b = pair_of(p, w[o->swaps ? NARROW_FIRST : NARROW_SECOND]);
    uint32_t is_less = less(p, a, b, o->high, o->negates ? 0 : w[NARROW_RESULT]);
    if (o->negates)
        narrow_put(p, OP_LOGICAL_NOT, p->t_bool, w[NARROW_RESULT], 1, &is_less);
}

/* ---- conversions ---- */

static bool becomes_long(const struct narrow_pass *p, const uint32_t *w)
{
    return p->ids[w[1]].kind == NARROW_LONG;
}

/* Both ways, and between integers of 64 bits, which are one type now. */
static void widen_or_cut(struct narrow_pass *p, const uint32_t *w, bool is_signed)
{
    bool from_long = narrow_kind_of(p, w[NARROW_FIRST]) == NARROW_LONG;
    if (from_long && becomes_long(p, w)) {
        narrow_copy(p, w);
    } else if (!from_long) {
        uint32_t low = w[NARROW_FIRST], top = narrow_const(p, TOP_BIT), zero = narrow_const(p, 0);
        if (p->ids[low].type != p->t_u32) /* the words of a pair are unsigned */
            low = narrow_put(p, OP_BITCAST, p->t_u32, 0, 1, w + NARROW_FIRST);
        narrow_pair(p, w[NARROW_RESULT], low, is_signed ? narrow_word(p, OP_SHIFT_RIGHT_ARITHMETIC, low, top) : zero);
    } else {
        uint32_t low = narrow_part(p, w[NARROW_FIRST], 0), type = narrow_type(p, w[1]);
        if (p->ids[w[1]].kind == NARROW_BYTE)
            narrow_put(p, OP_BITWISE_AND, type, w[NARROW_RESULT], 2, (uint32_t[]){low, narrow_const(p, 0xff)});
        else
            narrow_put(p, type == p->t_u32 ? OP_COPY_OBJECT : OP_BITCAST, type, w[NARROW_RESULT], 1, &low);
    }
}

static void write_unsigned_conversion(struct narrow_pass *p, const uint32_t *w)
{
    widen_or_cut(p, w, false);
}

static void write_signed_conversion(struct narrow_pass *p, const uint32_t *w)
{
    widen_or_cut(p, w, true);
}

/* Pairs and pointers are cast, which keeps the bits; pairs and what also has become one are the same. */
static void write_cast(struct narrow_pass *p, const uint32_t *w)
{
    uint32_t type = narrow_type(p, w[1]), from = narrow_type(p, p->ids[w[NARROW_FIRST]].type);
    if (type == from)
        narrow_copy(p, w);
    else
        narrow_put(p, OP_BITCAST, type, w[NARROW_RESULT], 1, w + NARROW_FIRST);
}

static const struct narrow_row rows[] = {
    {OP_I_ADD, write_sum},
    {OP_I_SUB, write_difference},
    {OP_I_MUL, write_product},
    {OP_U_DIV, write_quotient},
    {OP_U_MOD, write_rest},
    {OP_S_NEGATE, write_negation},
    {OP_SHIFT_LEFT_LOGICAL, write_left},
    {OP_SHIFT_RIGHT_LOGICAL, write_right},
    {OP_SHIFT_RIGHT_ARITHMETIC, write_signed_right},
    {OP_I_EQUAL, write_equality},
    {OP_I_NOT_EQUAL, write_equality},
    {OP_U_LESS_THAN, write_order},
    {OP_U_LESS_THAN_EQUAL, write_order},
    {OP_U_GREATER_THAN, write_order},
    {OP_U_GREATER_THAN_EQUAL, write_order},
    {OP_S_LESS_THAN, write_order},
    {OP_S_LESS_THAN_EQUAL, write_order},
    {OP_S_GREATER_THAN, write_order},
    {OP_S_GREATER_THAN_EQUAL, write_order},
    {OP_U_CONVERT, write_unsigned_conversion},
    {OP_S_CONVERT, write_signed_conversion},
    {OP_BITCAST, write_cast},
    {OP_CONVERT_U_TO_PTR, write_cast},
    {OP_CONVERT_PTR_TO_U, write_cast},
    /* Word by word, as they stand. */
    {OP_BITWISE_AND, narrow_keep},
    {OP_BITWISE_OR, narrow_keep},
    {OP_BITWISE_XOR, narrow_keep},
    {OP_NOT, narrow_keep},
};

bool narrow_write_long(struct narrow_pass *p, const uint32_t *w)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].opcode == (*w & 0xffff)) {
            rows[i].write(p, w);
            return true;
        }
    return false;
}
