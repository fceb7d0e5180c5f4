/* Narrowed modules: what stands for an instruction on 64 bits is carried out here, word by word, and compared with what C makes of the same
 * numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "spirv/spirv_narrow.h"

enum {
    VOID = 1,
    BOOL,
    U32,
    PAIR,
    U64,
    I64,
    F64,
    ENTRY_TYPE,
    MAIN,
    START,
    A,
    B,
    N,
    RESULT,
    U8,
    BYTE,
    BYTE_PLACE,
    LONG_PLACE,
    FIRST_FREE
};
enum { HEADER = 5, PHYSICAL = 5349, MOST_IDS = 400 };

/* ---- modules ---- */

static void put(struct spirv_words *m, unsigned opcode, unsigned count, const uint32_t *operands)
{
    spirv_put_op(m, opcode, count, operands);
}
#define PUT(m, opcode, ...) put(m, opcode, sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t), (uint32_t[]){__VA_ARGS__})

static void put_long(struct spirv_words *m, unsigned type, unsigned id, uint64_t value)
{
    PUT(m, OP_CONSTANT, type, id, (uint32_t)value, (uint32_t)(value >> 32));
}

/* Types, two constants of 64 bits and one of 32, and the beginning of a function. */
static void begin(struct spirv_words *m, unsigned type, uint64_t a, uint64_t b, uint32_t n)
{
    enum { INT64 = 11, FLOAT64 = 10, SHADER = 1 };
    spirv_put_all(m, (uint32_t[]){0x07230203, 0x10300, 0, FIRST_FREE, 0}, HEADER);
    PUT(m, OP_CAPABILITY, SHADER);
    PUT(m, OP_CAPABILITY, INT64);
    PUT(m, OP_CAPABILITY, FLOAT64);
    PUT(m, OP_TYPE_VOID, VOID);
    PUT(m, OP_TYPE_BOOL, BOOL);
    PUT(m, OP_TYPE_INT, U32, 32, 0);
    PUT(m, OP_TYPE_VECTOR, PAIR, U32, 2);
    PUT(m, OP_TYPE_INT, U64, 64, 0);
    PUT(m, OP_TYPE_INT, I64, 64, 1);
    PUT(m, OP_TYPE_FLOAT, F64, 64);
    PUT(m, OP_TYPE_INT, U8, 8, 0);
    PUT(m, OP_TYPE_STRUCT, BYTE, U8);
    PUT(m, OP_TYPE_POINTER, BYTE_PLACE, PHYSICAL, BYTE);
    PUT(m, OP_TYPE_POINTER, LONG_PLACE, PHYSICAL, U64);
    PUT(m, OP_TYPE_FUNCTION, ENTRY_TYPE, VOID);
    put_long(m, type, A, a);
    put_long(m, type, B, b);
    PUT(m, OP_CONSTANT, U32, N, n);
    PUT(m, OP_FUNCTION, VOID, MAIN, 0, ENTRY_TYPE);
    PUT(m, OP_LABEL, START);
}

static struct spirv_words end(struct spirv_words *m, struct spirv_narrowing *narrowing)
{
    struct spirv_words out = {0};
    put(m, OP_RETURN, 0, NULL);
    put(m, OP_FUNCTION_END, 0, NULL);
    spirv_narrow(m->at, m->count, narrowing, &out);
    assert_false(out.out_of_memory);
    free(m->at);
    return out;
}

/* ---- carrying out ---- */

struct machine {
    uint32_t value[MOST_IDS][2];
};

static uint32_t word_of(unsigned opcode, uint32_t a, uint32_t b)
{
    switch (opcode) {
    case OP_I_ADD: return a + b;
    case OP_I_SUB: return a - b;
    case OP_I_MUL: return a * b;
    case OP_BITWISE_AND: return a & b;
    case OP_BITWISE_OR: return a | b;
    case OP_BITWISE_XOR: return a ^ b;
    case OP_NOT: return ~a;
    case OP_SHIFT_LEFT_LOGICAL: assert_true(b < 32); return a << b;
    case OP_SHIFT_RIGHT_LOGICAL: assert_true(b < 32); return a >> b;
    case OP_SHIFT_RIGHT_ARITHMETIC: assert_true(b < 32); return (uint32_t)((int32_t)a >> b);
    case OP_I_EQUAL: return a == b;
    case OP_I_NOT_EQUAL: return a != b;
    case OP_U_LESS_THAN: return a < b;
    case OP_S_LESS_THAN: return (int32_t)a < (int32_t)b;
    case OP_LOGICAL_AND: return a && b;
    case OP_LOGICAL_OR: return a || b;
    case OP_LOGICAL_NOT: return !a;
    case OP_COPY_OBJECT: return a;
    default: fail_msg("opcode %u is not one of 32 bits", opcode); return 0;
    }
}

static void carry_out(struct machine *m, const uint32_t *w)
{
    unsigned opcode = *w & 0xffff;
    uint32_t *r = m->value[w[2]];
    const uint32_t *a = m->value[w[3] < MOST_IDS ? w[3] : 0], *b = m->value[*w >> 16 > 4 && w[4] < MOST_IDS ? w[4] : 0];
    assert_true(w[2] < MOST_IDS);
    switch (opcode) {
    case OP_CONSTANT: r[0] = w[3]; break;
    case OP_CONSTANT_COMPOSITE:
    case OP_COMPOSITE_CONSTRUCT: memcpy(r, (uint32_t[]){a[0], b[0]}, sizeof m->value[0]); break;
    case OP_COMPOSITE_EXTRACT: r[0] = a[w[4]]; break;
    case OP_SELECT: memcpy(r, a[0] ? b : m->value[w[5]], sizeof m->value[0]); break;
    case OP_U_MUL_EXTENDED:
        r[0] = (uint32_t)((uint64_t)a[0] * b[0]);
        r[1] = (uint32_t)((uint64_t)a[0] * b[0] >> 32);
        break;
    default:
        for (unsigned n = 0; n < 2; n++)
            r[n] = word_of(opcode, a[n], b[n]);
        break;
    }
}

static bool has_result(unsigned opcode)
{
    return opcode == OP_CONSTANT || opcode == OP_CONSTANT_COMPOSITE ||
           (opcode >= OP_COMPOSITE_CONSTRUCT && opcode <= OP_NOT && opcode != OP_FUNCTION_END);
}

static uint64_t value_of(const struct spirv_words *module, uint32_t id)
{
    static struct machine m;
    memset(&m, 0, sizeof m);
    for (size_t at = HEADER; at < module->count; at += module->at[at] >> 16)
        if (has_result(module->at[at] & 0xffff))
            carry_out(&m, module->at + at);
    return m.value[id][0] | (uint64_t)m.value[id][1] << 32;
}

static const uint64_t corners[] = {0,
                                   1,
                                   2,
                                   UINT32_MAX,
                                   UINT64_C(1) << 32,
                                   INT64_MAX,
                                   UINT64_C(1) << 63,
                                   UINT64_MAX,
                                   UINT64_C(0x123456789abcdef0),
                                   UINT64_C(0xfedcba9800000001),
                                   UINT64_C(0xffffffff80000000)};
enum { CORNERS = sizeof corners / sizeof *corners };

static uint64_t narrowed(unsigned type, unsigned result, unsigned opcode, uint64_t a, uint64_t b, uint32_t n, unsigned second)
{
    struct spirv_words m = {0};
    struct spirv_narrowing narrowing = {0};
    begin(&m, type, a, b, n);
    if (second)
        PUT(&m, opcode, result, RESULT, A, second);
    else
        PUT(&m, opcode, result, RESULT, A);
    struct spirv_words out = end(&m, &narrowing);
    assert_null(narrowing.refused);
    assert_int_equal(narrowing.missing, 0);
    uint64_t value = value_of(&out, RESULT);
    free(out.at);
    return value;
}

#define CHECK(type, result, opcode, expected)                                                  \
    for (unsigned i = 0; i < CORNERS; i++)                                                     \
        for (unsigned k = 0; k < CORNERS; k++) {                                               \
            uint64_t a = corners[i], b = corners[k];                                           \
            assert_int_equal((result) == BOOL ? narrowed(type, result, opcode, a, b, 0, B) & 1 \
                                              : narrowed(type, result, opcode, a, b, 0, B),    \
                             expected);                                                        \
        }

static void sums_differences_and_products_are_those_of_64_bits(void **state)
{
    (void)state;
    CHECK(U64, U64, OP_I_ADD, a + b)
    CHECK(U64, U64, OP_I_SUB, a - b)
    CHECK(U64, U64, OP_I_MUL, a * b)
    CHECK(I64, I64, OP_I_ADD, a + b)
    for (unsigned i = 0; i < CORNERS; i++)
        assert_int_equal(narrowed(I64, I64, OP_S_NEGATE, corners[i], 0, 0, 0), 0 - corners[i]);
}

static void bits_are_taken_word_by_word(void **state)
{
    (void)state;
    CHECK(U64, U64, OP_BITWISE_AND, (a & b))
    CHECK(U64, U64, OP_BITWISE_OR, (a | b))
    CHECK(U64, U64, OP_BITWISE_XOR, (a ^ b))
    for (unsigned i = 0; i < CORNERS; i++)
        assert_int_equal(narrowed(U64, U64, OP_NOT, corners[i], 0, 0, 0), ~corners[i]);
}

static void comparisons_look_at_the_high_words_first_and_at_signs_where_there_are_some(void **state)
{
    (void)state;
    CHECK(U64, BOOL, OP_I_EQUAL, a == b)
    CHECK(U64, BOOL, OP_I_NOT_EQUAL, a != b)
    CHECK(U64, BOOL, OP_U_LESS_THAN, a < b)
    CHECK(U64, BOOL, OP_U_LESS_THAN_EQUAL, a <= b)
    CHECK(U64, BOOL, OP_U_GREATER_THAN, a > b)
    CHECK(U64, BOOL, OP_U_GREATER_THAN_EQUAL, a >= b)
    CHECK(I64, BOOL, OP_S_LESS_THAN, (int64_t)a < (int64_t)b)
    CHECK(I64, BOOL, OP_S_LESS_THAN_EQUAL, (int64_t)a <= (int64_t)b)
    CHECK(I64, BOOL, OP_S_GREATER_THAN, (int64_t)a > (int64_t)b)
    CHECK(I64, BOOL, OP_S_GREATER_THAN_EQUAL, (int64_t)a >= (int64_t)b)
}

/* By a constant, which is known, and by what follows from one, which is not. */
static uint64_t shifted(unsigned type, unsigned opcode, uint64_t a, uint32_t by, bool known)
{
    struct spirv_words m = {0};
    struct spirv_narrowing narrowing = {0};
    uint32_t hidden = FIRST_FREE;
    begin(&m, type, a, 0, by);
    m.at[3]++;
    PUT(&m, OP_BITWISE_OR, U32, hidden, N, N);
    PUT(&m, opcode, type, RESULT, A, known ? N : hidden);
    struct spirv_words out = end(&m, &narrowing);
    assert_null(narrowing.refused);
    uint64_t value = value_of(&out, RESULT);
    free(out.at);
    return value;
}

static void shifts_carry_bits_from_word_to_word_whether_their_distance_is_known_or_not(void **state)
{
    (void)state;
    for (unsigned i = 0; i < CORNERS; i++)
        for (unsigned by = 0; by < 64; by++)
            for (unsigned known = 0; known < 2; known++) {
                uint64_t a = corners[i];
                assert_int_equal(shifted(U64, OP_SHIFT_LEFT_LOGICAL, a, by, known), a << by);
                assert_int_equal(shifted(U64, OP_SHIFT_RIGHT_LOGICAL, a, by, known), a >> by);
                assert_int_equal(shifted(I64, OP_SHIFT_RIGHT_ARITHMETIC, a, by, known), (uint64_t)((int64_t)a >> by));
            }
}

static uint64_t converted(unsigned opcode, unsigned type, unsigned from)
{
    struct spirv_words m = {0};
    struct spirv_narrowing narrowing = {0};
    begin(&m, U64, UINT64_C(0x12345678deadbeef), 0, 0x80000001);
    PUT(&m, opcode, type, RESULT, from);
    struct spirv_words out = end(&m, &narrowing);
    assert_null(narrowing.refused);
    uint64_t value = value_of(&out, RESULT);
    free(out.at);
    return value;
}

static void conversions_widen_with_zeros_or_signs_and_cut_the_high_word_off(void **state)
{
    (void)state;
    assert_int_equal(converted(OP_U_CONVERT, U64, N), 0x80000001);
    assert_int_equal(converted(OP_S_CONVERT, I64, N), UINT64_C(0xffffffff80000001));
    assert_int_equal((uint32_t)converted(OP_U_CONVERT, U32, A), 0xdeadbeef);
    assert_int_equal(converted(OP_BITCAST, I64, A), UINT64_C(0x12345678deadbeef));
    assert_int_equal(converted(OP_BITCAST, PAIR, A), UINT64_C(0x12345678deadbeef));
}

/* ---- what is left of a module ---- */

static unsigned count_of(const struct spirv_words *m, unsigned opcode, unsigned word, uint32_t is)
{
    unsigned count = 0;
    for (size_t at = HEADER; at < m->count; at += m->at[at] >> 16)
        count += (m->at[at] & 0xffff) == opcode && (!word || m->at[at + word] == is);
    return count;
}

static void no_type_of_64_or_8_bits_is_left_and_no_capability_for_one(void **state)
{
    struct spirv_words m = {0};
    struct spirv_narrowing narrowing = {0};
    (void)state;
    begin(&m, U64, 1, 2, 3);
    struct spirv_words out = end(&m, &narrowing);
    assert_int_equal(count_of(&out, OP_TYPE_INT, 2, 64), 0);
    assert_int_equal(count_of(&out, OP_TYPE_INT, 2, 8), 0);
    assert_int_equal(count_of(&out, OP_TYPE_FLOAT, 2, 64), 0);
    assert_int_equal(count_of(&out, OP_CAPABILITY, 1, 11), 0);
    assert_int_equal(count_of(&out, OP_CAPABILITY, 1, 10), 0);
    assert_int_equal(count_of(&out, OP_CAPABILITY, 1, 1), 1);
    free(out.at);
}

static void types_of_functions_that_become_the_same_are_there_once(void **state)
{
    enum { OF_U64 = FIRST_FREE, OF_I64, OF_PAIR, F };
    struct spirv_words m = {0}, out = {0};
    struct spirv_narrowing narrowing = {0};
    (void)state;
    begin(&m, U64, 1, 2, 3);
    m.count -= 7; /* the function that was begun */
    PUT(&m, OP_TYPE_FUNCTION, OF_U64, U64, U64);
    PUT(&m, OP_TYPE_FUNCTION, OF_I64, I64, I64);
    PUT(&m, OP_TYPE_FUNCTION, OF_PAIR, PAIR, PAIR);
    PUT(&m, OP_FUNCTION, I64, F, 0, OF_I64);
    put(&m, OP_FUNCTION_END, 0, NULL);
    m.at[3] = F + 1;
    spirv_narrow(m.at, m.count, &narrowing, &out);
    assert_null(narrowing.refused);
    assert_int_equal(count_of(&out, OP_TYPE_FUNCTION, 0, 0), 2);
    assert_int_equal(count_of(&out, OP_FUNCTION, 4, OF_U64), 1);
    free(m.at);
    free(out.at);
}

static void bytes_and_doubles_ask_for_the_functions_that_stand_for_them(void **state)
{
    enum { ADDRESS = FIRST_FREE, PLACE, CHAIN, LOADED, SUM };
    struct spirv_words m = {0};
    struct spirv_narrowing narrowing = {.helpers = {[SPIRV_LOADS_BYTE] = MAIN}};
    (void)state;
    begin(&m, F64, 1, 2, 0);
    m.at[3] = SUM + 1;
    PUT(&m, OP_BITCAST, U64, ADDRESS, A);
    PUT(&m, OP_CONVERT_U_TO_PTR, BYTE_PLACE, PLACE, ADDRESS);
    PUT(&m, OP_ACCESS_CHAIN, BYTE_PLACE, CHAIN, PLACE, N);
    PUT(&m, OP_LOAD, U8, LOADED, CHAIN, 2, 1);
    PUT(&m, OP_STORE, CHAIN, LOADED, 2, 1);
    PUT(&m, OP_F_ADD, F64, SUM, A, B);
    struct spirv_words out = end(&m, &narrowing);
    assert_null(narrowing.refused);
    assert_int_equal(count_of(&out, OP_FUNCTION_CALL, 0, 0), 3);
    assert_int_equal(count_of(&out, OP_FUNCTION_CALL, 3, MAIN), 1);
    assert_int_equal(count_of(&out, OP_STORE, 0, 0), 0);
    assert_int_equal(narrowing.missing, 1u << SPIRV_STORES_BYTE | 1u << SPIRV_ADDS_DOUBLES);
    free(out.at);
}

static const char *refusal(unsigned opcode, unsigned type, unsigned count)
{
    struct spirv_words m = {0};
    struct spirv_narrowing narrowing = {0};
    const uint32_t operands[] = {type, RESULT, A, N, N, B};
    begin(&m, type == F64 ? F64 : U64, 1, 2, 0);
    put(&m, opcode, count, operands);
    struct spirv_words out = end(&m, &narrowing);
    free(out.at);
    return narrowing.refused;
}

static void what_has_no_pairs_is_refused_by_name(void **state)
{
    enum { ATOMIC_I_ADD = 234, F_REM = 140, S_DIV = 135 };
    (void)state;
    assert_string_equal(refusal(ATOMIC_I_ADD, U64, 6), "64-bit atomics");
    assert_string_equal(refusal(F_REM, F64, 4), "64-bit floats");
    assert_string_equal(refusal(S_DIV, U64, 4), "64-bit integers");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_differences_and_products_are_those_of_64_bits),
        cmocka_unit_test(bits_are_taken_word_by_word),
        cmocka_unit_test(comparisons_look_at_the_high_words_first_and_at_signs_where_there_are_some),
        cmocka_unit_test(shifts_carry_bits_from_word_to_word_whether_their_distance_is_known_or_not),
        cmocka_unit_test(conversions_widen_with_zeros_or_signs_and_cut_the_high_word_off),
        cmocka_unit_test(no_type_of_64_or_8_bits_is_left_and_no_capability_for_one),
        cmocka_unit_test(types_of_functions_that_become_the_same_are_there_once),
        cmocka_unit_test(bytes_and_doubles_ask_for_the_functions_that_stand_for_them),
        cmocka_unit_test(what_has_no_pairs_is_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
