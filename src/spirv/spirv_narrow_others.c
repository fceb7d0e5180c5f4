/* Instructions on 64-bit floats, which are calls, and on bytes in memory, which are parts of words. */
#include "spirv/spirv_narrow_pass.h"

/* ---- floats ---- */

#define SIGN 0x80000000u

static void write_call(struct narrow_pass *p, const uint32_t *w, enum spirv_helper helper)
{
    unsigned count = (*w >> 16) - NARROW_FIRST;
    narrow_call(p, helper, p->t_pair, w[NARROW_RESULT], count, w + NARROW_FIRST);
}

static void write_sum(struct narrow_pass *p, const uint32_t *w)
{
    write_call(p, w, SPIRV_ADDS_DOUBLES);
}

static void write_product(struct narrow_pass *p, const uint32_t *w)
{
    write_call(p, w, SPIRV_MULTIPLIES_DOUBLES);
}

static void write_quotient(struct narrow_pass *p, const uint32_t *w)
{
    write_call(p, w, SPIRV_DIVIDES_DOUBLES);
}

static void negate(struct narrow_pass *p, uint32_t id, uint32_t from)
{
    uint32_t high = narrow_word(p, OP_BITWISE_XOR, narrow_part(p, from, 1), narrow_const(p, SIGN));
    narrow_pair(p, id, narrow_part(p, from, 0), high);
}

static void write_negation(struct narrow_pass *p, const uint32_t *w)
{
    negate(p, w[NARROW_RESULT], w[NARROW_FIRST]);
}

static void write_difference(struct narrow_pass *p, const uint32_t *w)
{
    uint32_t negative = narrow_new_id(p);
    negate(p, negative, w[NARROW_SECOND]);
    narrow_call(p, SPIRV_ADDS_DOUBLES, p->t_pair, w[NARROW_RESULT], 2, (uint32_t[]){w[NARROW_FIRST], negative});
}

static void write_of_int(struct narrow_pass *p, const uint32_t *w)
{
    write_call(p, w, SPIRV_MAKES_OF_INT);
}

static void write_of_uint(struct narrow_pass *p, const uint32_t *w)
{
    write_call(p, w, SPIRV_MAKES_OF_UINT);
}

static void write_conversion(struct narrow_pass *p, const uint32_t *w)
{
    if (p->ids[w[1]].kind == NARROW_DOUBLE) {
        uint32_t bits = narrow_put(p, OP_BITCAST, p->t_u32, 0, 1, w + NARROW_FIRST);
        narrow_call(p, SPIRV_MAKES_OF_SINGLE, p->t_pair, w[NARROW_RESULT], 1, &bits);
    } else {
        uint32_t bits = narrow_new_id(p);
        narrow_call(p, SPIRV_MAKES_SINGLE, p->t_u32, bits, 1, w + NARROW_FIRST);
        narrow_put(p, OP_BITCAST, narrow_type(p, w[1]), w[NARROW_RESULT], 1, &bits);
    }
}

/* What the helper says of two floats. */
enum { LESS = 1, EQUAL = 2, GREATER = 4, UNORDERED = 8 };

static const struct {
    uint16_t opcode, holds;
} comparisons[] = {
    {OP_F_ORD_EQUAL, EQUAL},
    {OP_F_ORD_LESS_THAN, LESS},
    {OP_F_ORD_LESS_THAN_EQUAL, LESS | EQUAL},
    {OP_F_ORD_GREATER_THAN, GREATER},
    {OP_F_ORD_GREATER_THAN_EQUAL, GREATER | EQUAL},
    {OP_F_UNORD_NOT_EQUAL, LESS | GREATER | UNORDERED},
    {OP_IS_NAN, UNORDERED},
};

static uint32_t holds(struct narrow_pass *p, uint32_t id, uint32_t a, uint32_t b, uint32_t what)
{
    uint32_t order = narrow_new_id(p);
    narrow_call(p, SPIRV_COMPARES_DOUBLES, p->t_u32, order, 2, (uint32_t[]){a, b});
    uint32_t bits = narrow_word(p, OP_BITWISE_AND, order, narrow_const(p, what));
    return narrow_put(p, OP_I_NOT_EQUAL, p->t_bool, id, 2, (uint32_t[]){bits, narrow_const(p, 0)});
}

static void write_comparison(struct narrow_pass *p, const uint32_t *w)
{
    unsigned n = 0, opcode = *w & 0xffff;
    while (comparisons[n].opcode != opcode)
        n++;
    holds(p, w[NARROW_RESULT], w[NARROW_FIRST], w[opcode == OP_IS_NAN ? NARROW_FIRST : NARROW_SECOND], comparisons[n].holds);
}

static void write_clamped(struct narrow_pass *p, uint32_t id, const uint32_t *operand)
{
    uint32_t below = holds(p, 0, operand[0], operand[1], LESS);
    uint32_t high = narrow_put(p, OP_SELECT, p->t_pair, 0, 3, (uint32_t[]){below, operand[1], operand[0]});
    uint32_t above = holds(p, 0, high, operand[2], GREATER);
    narrow_put(p, OP_SELECT, p->t_pair, id, 3, (uint32_t[]){above, operand[2], high});
}

static void write_extended(struct narrow_pass *p, const uint32_t *w)
{
    enum { INSTRUCTION = 4, OPERANDS = 5, SQRT = 31, CLAMP = 43, PACK = 59, UNPACK = 65 };
    const uint32_t *operand = w + OPERANDS;
    switch (w[INSTRUCTION]) {
    case SQRT: narrow_call(p, SPIRV_TAKES_ROOT, p->t_pair, w[NARROW_RESULT], 1, operand); break;
    case CLAMP: write_clamped(p, w[NARROW_RESULT], operand); break;
    case PACK:
    case UNPACK: narrow_put(p, OP_COPY_OBJECT, p->t_pair, w[NARROW_RESULT], 1, operand); break;
    default: narrow_refuse(p, "64-bit floats"); break;
    }
}

static const struct narrow_row double_rows[] = {
    {OP_F_ADD, write_sum},
    {OP_F_SUB, write_difference},
    {OP_F_MUL, write_product},
    {OP_F_DIV, write_quotient},
    {OP_F_NEGATE, write_negation},
    {OP_CONVERT_S_TO_F, write_of_int},
    {OP_CONVERT_U_TO_F, write_of_uint},
    {OP_F_CONVERT, write_conversion},
    {OP_F_ORD_EQUAL, write_comparison},
    {OP_F_ORD_LESS_THAN, write_comparison},
    {OP_F_ORD_LESS_THAN_EQUAL, write_comparison},
    {OP_F_ORD_GREATER_THAN, write_comparison},
    {OP_F_ORD_GREATER_THAN_EQUAL, write_comparison},
    {OP_F_UNORD_NOT_EQUAL, write_comparison},
    {OP_IS_NAN, write_comparison},
    {OP_EXT_INST, write_extended},
};

/* ---- smallest and largest ---- */

/* As comparisons and choices. SPIRV-Tools' optimiser, which SwiftShader runs, takes what these instructions make of constants for unknown and
 * never comes back to it, where a module wants signs of zeros kept; a variable that is set on two ways then has what the other way sets. */
static const struct bound {
    uint8_t number;
    bool clamps, larger;
    uint16_t less;
} bounds[] = {
    {37, false, false, OP_F_ORD_LESS_THAN}, {38, false, false, OP_U_LESS_THAN}, {39, false, false, OP_S_LESS_THAN},
    {40, false, true, OP_F_ORD_LESS_THAN},  {41, false, true, OP_U_LESS_THAN},  {42, false, true, OP_S_LESS_THAN},
    {43, true, false, OP_F_ORD_LESS_THAN},  {44, true, false, OP_U_LESS_THAN},  {45, true, false, OP_S_LESS_THAN},
};

static uint32_t bounded(struct narrow_pass *p, const struct bound *b, bool larger, uint32_t type, uint32_t id, uint32_t x,
                        uint32_t y)
{
    uint32_t other = larger ? narrow_test(p, b->less, x, y) : narrow_test(p, b->less, y, x);
    return narrow_put(p, OP_SELECT, type, id, 3, (uint32_t[]){other, y, x});
}

bool narrow_write_bound(struct narrow_pass *p, const uint32_t *w)
{
    enum { INSTRUCTION = 4, X = 5, Y = 6, HIGH = 7 };
    if ((*w & 0xffff) != OP_EXT_INST)
        return false;
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
        const struct bound *b = &bounds[i];
        if (b->number != w[INSTRUCTION])
            continue;
        uint32_t x = w[X];
        if (b->clamps)
            x = bounded(p, b, true, w[1], 0, x, w[Y]);
        bounded(p, b, b->larger, w[1], w[NARROW_RESULT], x, w[b->clamps ? HIGH : Y]);
        return true;
    }
    return false;
}

/* ---- bytes ---- */

static void write_load(struct narrow_pass *p, const uint32_t *w)
{
    narrow_call(p, SPIRV_LOADS_BYTE, p->t_u32, w[NARROW_RESULT], 1, w + NARROW_FIRST);
}

static void write_store(struct narrow_pass *p, const uint32_t *w)
{
    narrow_call(p, SPIRV_STORES_BYTE, p->t_void, 0, 2, w + 1);
}

/* A byte in a word is what it was as a byte: its other bits are zeros. */
static void write_byte_conversion(struct narrow_pass *p, const uint32_t *w)
{
    if (p->ids[w[1]].kind == NARROW_BYTE)
        narrow_put(p, OP_BITWISE_AND, p->t_u32, w[NARROW_RESULT], 2, (uint32_t[]){w[NARROW_FIRST], narrow_const(p, 0xff)});
    else
        narrow_copy(p, w);
}

static const struct narrow_row byte_rows[] = {
    {OP_LOAD, write_load},
    {OP_STORE, write_store},
    {OP_ACCESS_CHAIN, narrow_copy}, /* the byte that is all of what the pointer points to */
    {OP_U_CONVERT, write_byte_conversion},
};

static bool write_row(struct narrow_pass *p, const uint32_t *w, const struct narrow_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (rows[i].opcode == (*w & 0xffff)) {
            rows[i].write(p, w);
            return true;
        }
    return false;
}

bool narrow_write_double(struct narrow_pass *p, const uint32_t *w)
{
    return write_row(p, w, double_rows, sizeof double_rows / sizeof *double_rows);
}

bool narrow_write_byte(struct narrow_pass *p, const uint32_t *w)
{
    return write_row(p, w, byte_rows, sizeof byte_rows / sizeof *byte_rows);
}
