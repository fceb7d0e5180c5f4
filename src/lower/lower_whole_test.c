/* Programs with their functions as one: direct calls, returns, calls by addresses from memory, and what names nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "lower/lower_whole.h"

enum { PC = 0x1000 };

/* Assembled with llvm-mc for gfx1030. */
static const uint32_t two_calls[] = {
    0xbe841f00,             /* s_getpc_b64 s[4:5] */
    0x8004ff04, 0x0000001c, /* s_add_u32 s4, s4, 28 */
    0x82058005,             /* s_addc_u32 s5, s5, 0 */
    0xbe880383,             /* s_mov_b32 s8, 3 */
    0xbe9e2104,             /* s_swappc_b64 s[30:31], s[4:5] */
    0xbe9e2104,             /* s_swappc_b64 s[30:31], s[4:5] */
    0xbf810000,             /* s_endpgm */
    0x80080808,             /* function: s_add_u32 s8, s8, s8 */
    0xbe80201e,             /* s_setpc_b64 s[30:31] */
};
static const uint32_t by_memory[] = {
    0xf4040100, 0xfa000000, /* s_load_dwordx2 s[4:5], s[0:1], 0x0 */
    0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
    0xbe861f00,             /* s_getpc_b64 s[6:7] */
    0x8006ff06, 0x00000014, /* s_add_u32 s6, s6, 20 */
    0x82078007,             /* s_addc_u32 s7, s7, 0 */
    0xbe9e2104,             /* s_swappc_b64 s[30:31], s[4:5] */
    0xbf810000,             /* s_endpgm */
    0x80080808,             /* function: s_add_u32 s8, s8, s8 */
    0xbe80201e,             /* s_setpc_b64 s[30:31] */
};
static const uint32_t away[] = {
    0xbe802000, /* s_setpc_b64 s[0:1] */
};

struct code {
    const uint32_t *words;
    size_t count;
};

static size_t read_code(void *user, uint64_t pc, uint32_t *words, size_t count)
{
    const struct code *code = user;
    size_t first = (pc - PC) / 4, left = pc >= PC && first < code->count ? code->count - first : 0;
    count = count < left ? count : left;
    memcpy(words, code->words + first, count * 4);
    return count;
}

static struct ir_func *whole(const uint32_t *words, size_t count)
{
    struct code code = {words, count};
    const struct lower_config config = {.chip = ISA_GFX1030, .wave_size = 32};
    const struct lower_fetch fetch = {&code, read_code};
    struct ir_func *func = lower_whole(&config, &fetch, PC);
    assert_non_null(func);
    assert_null(ir_validate(func, NULL));
    return func;
}
#define WHOLE(words) whole(words, sizeof(words) / sizeof *(words))

static unsigned jumps_left(const struct ir_func *func)
{
    unsigned left = 0;
    for (uint32_t n = 0; n < func->block_count; n++)
        left += func->blocks[n].term == IR_TERM_SETPC;
    return left;
}

static const struct ir_block *block_ending_at(const struct ir_func *func, uint64_t end_pc)
{
    for (uint32_t n = 0; n < func->block_count; n++)
        if (func->blocks[n].end_pc == end_pc)
            return &func->blocks[n];
    fail_msg("no block ends at %llx", (unsigned long long)end_pc);
    return &func->blocks[0];
}

static void a_call_goes_straight_to_its_function_which_returns_to_one_of_its_callers(void **state)
{
    enum { FIRST_CALL_END = PC + 24, SECOND_CALL_END = PC + 28, FUNCTION = PC + 32 };
    (void)state;
    struct ir_func *func = WHOLE(two_calls);
    assert_true(func->whole);
    assert_int_equal(jumps_left(func), 0);
    const struct ir_block *first = block_ending_at(func, FIRST_CALL_END), *second = block_ending_at(func, SECOND_CALL_END);
    assert_int_equal(first->term, IR_TERM_JUMP);
    assert_int_equal(func->blocks[first->succ[0]].pc, FUNCTION);
    assert_int_equal(first->succ[0], second->succ[0]);
    const struct ir_block *back = &func->blocks[func->blocks[first->succ[0]].succ[0]];
    assert_int_equal(back->term, IR_TERM_BRANCH);
    uint64_t ways[2] = {func->blocks[back->succ[0]].pc, func->blocks[back->succ[1]].pc};
    assert_true((ways[0] == FIRST_CALL_END && ways[1] == SECOND_CALL_END) ||
                (ways[0] == SECOND_CALL_END && ways[1] == FIRST_CALL_END));
    assert_true(back->back[0] && back->back[1]); /* so that what calls itself counts its rounds */
    ir_func_destroy(func);
}

static void an_address_from_memory_may_be_any_function_that_the_program_names_or_another_one(void **state)
{
    enum { FUNCTION = PC + 36 };
    (void)state;
    struct ir_func *func = WHOLE(by_memory);
    bool there = false;
    for (uint32_t n = 0; n < func->block_count; n++)
        there |= func->blocks[n].pc == FUNCTION;
    assert_true(func->whole && there);
    assert_int_equal(jumps_left(func), 1);
    ir_func_destroy(func);
}

static void a_jump_that_names_nothing_is_left_as_it_is(void **state)
{
    (void)state;
    struct ir_func *func = WHOLE(away);
    assert_false(func->whole);
    assert_int_equal(jumps_left(func), 1);
    ir_func_destroy(func);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_goes_straight_to_its_function_which_returns_to_one_of_its_callers),
        cmocka_unit_test(an_address_from_memory_may_be_any_function_that_the_program_names_or_another_one),
        cmocka_unit_test(a_jump_that_names_nothing_is_left_as_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
