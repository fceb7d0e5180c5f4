/* The shapes that integer instructions are lowered to: one operation for the frequent ones, and what must come before what. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "lower/lower.h"

enum { END = (int)0xbf810000, PC = 0x1000 };

struct code {
    uint32_t words[4];
    size_t count;
};

static size_t read_code(void *user, uint64_t pc, uint32_t *words, size_t count)
{
    const struct code *code = user;
    size_t first = (pc - PC) / 4, left = first < code->count ? code->count - first : 0;
    count = count < left ? count : left;
    memcpy(words, code->words + first, count * 4);
    return count;
}

/* One instruction and s_endpgm. */
static struct ir_func *lowered(unsigned wave_size, uint32_t first, uint32_t second)
{
    struct code code = {{first, second, (uint32_t)END, 0}, 3};
    if (!second)
        code = (struct code){{first, (uint32_t)END, 0, 0}, 2};
    const struct lower_config config = {.chip = ISA_GFX1030, .wave_size = wave_size};
    const struct lower_fetch fetch = {&code, read_code};
    struct ir_func *func = lower_program(&config, &fetch, PC);
    assert_non_null(func);
    assert_null(ir_validate(func, NULL));
    assert_int_not_equal(func->insts[0].op, IR_unknown);
    assert_int_not_equal(func->insts[0].op, IR_unsupported);
    return func;
}

static const struct {
    const char *text;
    uint32_t words[2];
    unsigned operations;
} shapes[] = {
    {"v_add_co_u32 v0, vcc_lo, v1, v2", {0xd70f6a00, 0x00020501}, 1},
    {"v_add_co_ci_u32 v0, vcc_lo, v1, v2, vcc_lo", {0x50000501}, 1},
    {"v_sub_co_u32 v0, s4, s5, v2", {0xd7100400, 0x00020405}, 1},
    {"v_mad_u64_u32 v[0:1], null, v2, s3, v[4:5]", {0xd5767d00, 0x04100702}, 1},
    {"v_mad_i64_i32 v[0:1], s4, v2, s3, v[4:5]", {0xd5770400, 0x04100702}, 1},
    {"v_cndmask_b32 v0, v1, v2, vcc_lo", {0x02000501}, 1},
    {"v_lshlrev_b64 v[0:1], 3, v[2:3]", {0xd6ff0000, 0x00020483}, 1},
    {"v_cmp_lt_u32 vcc_lo, v0, v1", {0x7d820300}, 1},
    {"v_cmpx_eq_u64 v[0:1], v[2:3]", {0x7de40500}, 1},
    {"v_add3_u32 v0, v1, v2, s3", {0xd76d0000, 0x000e0501}, 1},
    {"v_lshl_add_u32 v0, v1, 2, v3", {0xd7460000, 0x040d0501}, 1},
    {"v_pk_add_u16 v0, v1, v2", {0xcc0a4000, 0x18020501}, 1},
    {"s_add_u32 s0, s0, s1", {0x80000100}, 2},
    {"s_addc_u32 s1, s1, s2", {0x82010201}, 3},
    {"s_mov_b64 s[0:1], -1", {0xbe8004c1}, 1},
    {"s_mov_b64 exec, s[2:3]", {0xbefe0402}, 1},
    {"s_and_b64 s[0:1], s[0:1], s[2:3]", {0x87800200}, 2},
    {"s_lshl_b32 s0, s0, 2", {0x8f008200}, 2},
    {"s_cmp_lt_i32 s0, s1", {0xbf040100}, 1},
};

static void frequent_instructions_are_one_operation_or_two(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (unsigned wave_size = 32; wave_size <= 64; wave_size += 32) {
            struct ir_func *func = lowered(wave_size, shapes[i].words[0], shapes[i].words[1]);
            if (func->inst_count != shapes[i].operations) {
                print_message("%s, wave%u:\n", shapes[i].text, wave_size);
                ir_print(stderr, func);
            }
            assert_int_equal(func->inst_count, shapes[i].operations);
            ir_func_destroy(func);
        }
}

static uint32_t index_of_write(const struct ir_func *func, ir_ref slot)
{
    for (uint32_t i = 0; i < func->inst_count; i++)
        if (ir_same(func->insts[i].dst[0], slot))
            return i;
    fail_msg("nothing writes the slot");
    return 0;
}

static void scc_is_written_after_the_value_that_reads_it(void **state)
{
    (void)state;
    const uint32_t s_add_u32_s0_scc_s1 = 0x800001fd, s_subb_u32_s0_s1_s2 = 0x82800201, s_lshl2_add_u32_s0_scc_s1 = 0x978001fd;
    const uint32_t words[] = {s_add_u32_s0_scc_s1, s_subb_u32_s0_s1_s2, s_lshl2_add_u32_s0_scc_s1};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        struct ir_func *func = lowered(32, words[i], 0);
        assert_true(index_of_write(func, ir_s(IR_SCC)) > index_of_write(func, ir_s(0)));
        ir_func_destroy(func);
    }
}

static void a_scalar_sum_into_its_own_source_keeps_the_carry(void **state)
{
    (void)state;
    const uint32_t s_add_u32_s0_s0_s1 = 0x80000100;
    struct ir_func *func = lowered(32, s_add_u32_s0_s0_s1, 0);
    assert_true(index_of_write(func, ir_s(IR_SCC)) < index_of_write(func, ir_s(0)));
    ir_func_destroy(func);
}

static void one_word_of_state_is_zero_extended_where_a_pair_is_read(void **state)
{
    (void)state;
    const uint32_t s_mov_b64_s0_scc = 0xbe8004fd;
    struct ir_func *func = lowered(32, s_mov_b64_s0_scc, 0);
    const struct ir_inst *move = &func->insts[index_of_write(func, ir_s(0))];
    ir_ref pair = move->src[0];
    assert_int_equal(move->op, IR_mov_b64);
    const struct ir_inst *low = &func->insts[index_of_write(func, pair)];
    assert_true(ir_same(low->src[0], ir_s(IR_SCC)));
    const struct ir_inst *high = &func->insts[index_of_write(func, ir_s(pair.index + 1u))];
    uint64_t value = 1;
    assert_true(ir_const_value(func, high->src[0], &value));
    assert_true(value == 0);
    ir_func_destroy(func);
}

static void a_saturated_sum_still_gives_the_carry_of_the_exact_one(void **state)
{
    (void)state;
    const uint32_t words[] = {0xd70fea00, 0x00020501}; /* v_add_co_u32 v0, vcc_lo, v1, v2 clamp */
    struct ir_func *func = lowered(32, words[0], words[1]);
    const struct ir_inst *sum = &func->insts[0], *carry = &func->insts[index_of_write(func, ir_s(IR_VCC))];
    assert_int_equal(sum->op, IR_add_carry_u32);
    assert_true(ir_same(sum->mask, ir_s(IR_EXEC)));
    assert_true(ir_same(carry->src[0], sum->dst[1]));
    ir_func_destroy(func);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frequent_instructions_are_one_operation_or_two),
        cmocka_unit_test(scc_is_written_after_the_value_that_reads_it),
        cmocka_unit_test(a_scalar_sum_into_its_own_source_keeps_the_carry),
        cmocka_unit_test(one_word_of_state_is_zero_extended_where_a_pair_is_read),
        cmocka_unit_test(a_saturated_sum_still_gives_the_carry_of_the_exact_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
