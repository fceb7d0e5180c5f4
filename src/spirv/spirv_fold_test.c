/* What instructions with known operands come to, against C. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "spirv/spirv_fold.h"
#include "spirv/spirv_words.h"

static uint32_t next_random(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    return *state ^= *state << 5;
}

static uint32_t folded(unsigned opcode, uint32_t a, uint32_t b, bool is_bool)
{
    struct spirv_fold fold = {.is_word = !is_bool, .is_bool = is_bool, .known = {true, true}, .value = {a, b}};
    assert_int_equal(spirv_fold(opcode, &fold), SPIRV_FOLDS_TO_CONSTANT);
    return fold.result;
}

static void words_come_to_what_c_says(void **state)
{
    enum { ROUNDS = 2000 };
    uint32_t seed = 0x2545f491;
    (void)state;
    for (unsigned n = 0; n < ROUNDS; n++) {
        uint32_t a = next_random(&seed) >> n % 32, b = next_random(&seed) >> n % 29;
        assert_int_equal(folded(OP_I_ADD, a, b, false), a + b);
        assert_int_equal(folded(OP_I_SUB, a, b, false), a - b);
        assert_int_equal(folded(OP_I_MUL, a, b, false), a * b);
        assert_int_equal(folded(OP_BITWISE_AND, a, b, false), a & b);
        assert_int_equal(folded(OP_BITWISE_OR, a, b, false), a | b);
        assert_int_equal(folded(OP_BITWISE_XOR, a, b, false), a ^ b);
        assert_int_equal(folded(OP_SHIFT_LEFT_LOGICAL, a, b % 32, false), a << b % 32);
        assert_int_equal(folded(OP_SHIFT_RIGHT_LOGICAL, a, b % 32, false), a >> b % 32);
        assert_int_equal(folded(OP_U_LESS_THAN, a, b, true), a < b);
        assert_int_equal(folded(OP_U_GREATER_THAN_EQUAL, a, b, true), a >= b);
        assert_int_equal(folded(OP_S_LESS_THAN, a, b, true), (int32_t)a < (int32_t)b);
        assert_int_equal(folded(OP_S_GREATER_THAN_EQUAL, a, b, true), (int32_t)a >= (int32_t)b);
        assert_int_equal(folded(OP_I_EQUAL, a, a, true), 1);
        assert_int_equal(folded(OP_I_NOT_EQUAL, a, b, true), a != b);
    }
}

static void one_known_operand_may_decide(void **state)
{
    struct spirv_fold no = {.is_bool = true, .known = {false, true}, .value = {0, 0}}, yes = no,
                      word = {.is_word = true, .known = {true}};
    (void)state;
    assert_int_equal(spirv_fold(OP_LOGICAL_AND, &no), SPIRV_FOLDS_TO_CONSTANT);
    assert_int_equal(no.result, 0);
    yes.value[1] = 1;
    assert_int_equal(spirv_fold(OP_LOGICAL_AND, &yes), SPIRV_FOLDS_TO_OPERAND);
    assert_int_equal(yes.result, 0); /* the one that is not known */
    word.value[0] = UINT32_MAX;
    assert_int_equal(spirv_fold(OP_BITWISE_OR, &word), SPIRV_FOLDS_TO_CONSTANT);
    assert_int_equal(word.result, UINT32_MAX);
    word.value[0] = 3;
    assert_int_equal(spirv_fold(OP_BITWISE_AND, &word), SPIRV_FOLDS_NOT);
    struct spirv_fold choice = {.is_word = true, .known = {true}, .value = {0}};
    assert_int_equal(spirv_fold(OP_SELECT, &choice), SPIRV_FOLDS_TO_OPERAND);
    assert_int_equal(choice.result, 2);
}

static void what_may_fail_or_do_something_is_left_alone(void **state)
{
    struct spirv_fold zero = {.is_word = true, .known = {true, true}, .value = {1, 0}},
                      load = {.is_word = true, .known = {true, true}};
    (void)state;
    assert_int_equal(spirv_fold(OP_U_DIV, &zero), SPIRV_FOLDS_NOT);
    assert_int_equal(spirv_fold(OP_LOAD, &load), SPIRV_FOLDS_NOT);
    assert_int_equal(spirv_fold(OP_FUNCTION_CALL, &load), SPIRV_FOLDS_NOT);
    assert_false(spirv_has_result(OP_STORE));
    assert_true(spirv_has_result(OP_FUNCTION_CALL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_come_to_what_c_says),
        cmocka_unit_test(one_known_operand_may_decide),
        cmocka_unit_test(what_may_fail_or_do_something_is_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
