/* The text form: what is printed is read back the same, and text that nobody printed is refused with its place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "ir/ir_testing.h"

static struct ir_func *parse(const char *text)
{
    char error[256];
    struct ir_func *func = ir_parse(text, strlen(text), error, sizeof error);
    if (!func)
        print_message("%s\nin:\n%s\n", error, text);
    return func;
}

static void assert_same_ref(const struct ir_func *x, ir_ref a, const struct ir_func *y, ir_ref b)
{
    uint64_t value_a, value_b;
    assert_int_equal(a.kind, b.kind);
    if (!ir_const_value(x, a, &value_a))
        assert_int_equal(a.index, b.index);
    else if (ir_const_value(y, b, &value_b))
        assert_true(value_a == value_b);
}

static void assert_same_inst(const struct ir_func *x, const struct ir_inst *a, const struct ir_func *y, const struct ir_inst *b)
{
    assert_int_equal(a->op, b->op);
    assert_int_equal(a->lane, b->lane);
    assert_int_equal(a->src_count, b->src_count);
    for (unsigned n = 0; n < 2; n++)
        assert_same_ref(x, a->dst[n], y, b->dst[n]);
    for (unsigned n = 0; n < 6; n++)
        assert_same_ref(x, a->src[n], y, b->src[n]);
    assert_same_ref(x, a->mask, y, b->mask);
    assert_true(a->pc == b->pc);
    if (ir_op_has_access(a->op))
        assert_memory_equal(&x->accesses[a->imm], &y->accesses[b->imm], sizeof(struct ir_access));
    else
        assert_int_equal(a->imm, b->imm);
}

/* Printing and parsing gives the same instructions; printing again the same text. */
static void assert_round_trip(const struct ir_func *func)
{
    char *text = testing_print(func);
    struct ir_func *back = parse(text);
    assert_non_null(back);
    char *again = testing_print(back);
    assert_string_equal(text, again);
    assert_int_equal(func->inst_count, back->inst_count);
    for (uint32_t i = 0; i < func->inst_count; i++)
        assert_same_inst(func, &func->insts[i], back, &back->insts[i]);
    free(text);
    free(again);
    ir_func_destroy(back);
}

static void every_op_prints_and_parses_back(void **state)
{
    (void)state;
    uint64_t random = 88172645463325252u;
    for (unsigned op = 0; op < IR_OP_COUNT; op++)
        for (unsigned shape = 0; shape < 8; shape++) {
            struct ir_func *func = ir_func_create(shape & 1 ? 64 : 32, 0x100);
            struct ir_builder b = {.func = func};
            ir_block_begin(func, 0x100);
            ir_begin_inst(&b, 0x104);
            testing_append(&b, (enum ir_op)op, shape & 2, &random);
            func->blocks[0].count = 1;
            func->blocks[0].term = op == IR_unknown || op == IR_unsupported ? IR_TERM_STOP : IR_TERM_END;
            assert_null(ir_validate(func, NULL));
            assert_round_trip(func);
            ir_func_destroy(func);
        }
}

static void random_functions_print_and_parse_back(void **state)
{
    (void)state;
    uint64_t random = 362436069u;
    for (unsigned i = 0; i < 300; i++) {
        struct ir_func *func = testing_func(i & 1 ? 64 : 32, 1 + i % 40, &random);
        assert_round_trip(func);
        ir_func_destroy(func);
    }
}

static void an_access_is_spelled_out_with_its_flags_by_name(void **state)
{
    (void)state;
    struct ir_func *func = ir_func_create(32, 0);
    struct ir_builder b = {.func = func};
    struct ir_inst *inst;
    struct ir_access *access = ir_append_access(&b, &inst, IR_load, IR_SPACE_GLOBAL);
    *access =
        (struct ir_access){.space = IR_SPACE_GLOBAL, .bytes = 8, .elements = 1, .offset = -16, .flags = IR_AC_GLC | IR_AC_SADDR};
    inst->dst[0] = ir_v(5);
    inst->src[0] = ir_v(3);
    inst->src[1] = ir_s(4);
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    ir_print_inst(out, func, inst);
    fclose(out);
    assert_string_equal(text, "v5:v6 = load global bytes=8 at=-16 glc saddr, addr v3, base s4:s5 if exec");
    free(text);
    ir_func_destroy(func);
}

static const char whole[] = "func wave64 entry=0x1000\n"
                            "block b0 pc=0x1000 end=0x1010 guest=3\n"
                            "  @0x1000\n"
                            "    v12 = add_u32 v3, s4 if exec:exec_hi\n"
                            "    vcc:vcc_hi = cmp_lt_u32.lane s1, 0x7 if exec:exec_hi\n"
                            "  @0x1008\n"
                            "    vt3 = select_b32 vcc:vcc_hi, 0x3f800000, v12\n"
                            "    st0 = or_b32 vcc, vcc_hi\n"
                            "  branch st0 ? b0@0x1000 back : outside@0x1010\n"
                            "block b1 pc=0x2000 end=0x2004 guest=1\n"
                            "  @0x2000\n"
                            "    unknown\n"
                            "  stop\n"
                            "block b2 pc=0x3000 end=0x3004 guest=1\n"
                            "  setpc s30:s31\n";

static void a_format_by_the_descriptor_is_a_flag_wherever_it_stands(void **state)
{
    (void)state;
    struct ir_func *func = parse("func wave32 entry=0x0\nblock b0 pc=0x0 end=0x8 guest=1\n  @0x0\n"
                                 "    v1:v4 = load buffer bytes=4 elements=4 format glc, desc s4:s7, index v18 if exec\n  end\n");
    assert_non_null(func);
    assert_int_equal(func->accesses[0].flags, IR_AC_FORMAT | IR_AC_GLC);
    assert_round_trip(func);
    ir_func_destroy(func);
}

static void text_is_read_as_it_stands(void **state)
{
    (void)state;
    struct ir_func *func = parse(whole);
    assert_non_null(func);
    uint32_t at;
    assert_null(ir_validate(func, &at));
    char *text = testing_print(func);
    assert_string_equal(text, whole);
    free(text);
    assert_int_equal(func->wave_size, 64);
    assert_int_equal(func->insts[1].lane, 1);
    assert_int_equal(func->insts[1].dst[0].index, IR_VCC);
    assert_true(func->blocks[0].back[0]);
    assert_int_equal(func->blocks[0].succ[1], IR_NO_BLOCK);
    ir_func_destroy(func);
}

struct refused {
    const char *from, *to, *error;
};

static void what_is_wrong_is_refused_with_line_and_column(void **state)
{
    (void)state;
    static const struct refused cases[] = {
        {"func wave64", "func wave16", "line 1, column 6: expected 'wave32'"},
        {"block b0", "block b1", "line 2, column 7: blocks are numbered from b0 up, this one is b0"},
        {"add_u32", "add_u33", "line 4, column 11: expected an operation"},
        {"s4 if", "s400 if", "line 4, column 23: no operand is called 's400'"},
        {"s4 if", "q4 if", "line 4, column 23: no operand is called 'q4'"},
        {"v12 = add_u32 v3, s4", "v12:v13 = add_u32 v3, s4", "line 4, column 5: the operand spans 1 slots, not 2"},
        {"if exec:exec_hi\n    vcc", "if exec\n    vcc", "line 4, column 29: the operand spans 2 slots, not 1"},
        {"guest=3", "guest=3 x", "line 2, column 39: more text than the line should have"},
        {"0x3f800000", "0x13f80000000000000", "line 7, column 34: expected a number up to 18446744073709551615"},
        {"0x3f800000, v12", "0x3f800000, v12, v1, v2, v3, v4, v5", "line 7, column 63: more than six sources"},
        {"branch st0", "branch st0:st1", "line 9, column 10: the operand spans 1 slots, not 2"},
        {"  setpc s30:s31\n", "", "line 15, column 1: expected an instruction or a terminator"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct refused *c = &cases[i];
        const char *at = strstr(whole, c->from);
        assert_non_null(at);
        char text[sizeof whole + 64], error[200];
        snprintf(text, sizeof text, "%.*s%s%s", (int)(at - whole), whole, c->to, at + strlen(c->from));
        assert_null(ir_parse(text, strlen(text), error, sizeof error));
        assert_string_equal(error, c->error);
    }
}

static void text_cut_anywhere_or_with_a_changed_byte_never_breaks_the_parser(void **state)
{
    (void)state;
    char error[8];
    for (size_t size = 0; size < sizeof whole; size++) {
        struct ir_func *func = ir_parse(whole, size, error, sizeof error);
        /* Only a text cut between two blocks (or after the last line's last word) is whole. */
        if (func)
            ir_validate(func, NULL);
        ir_func_destroy(func);
    }
    uint64_t random = 521288629u;
    for (unsigned i = 0; i < 20000; i++) {
        char text[sizeof whole];
        memcpy(text, whole, sizeof text);
        for (unsigned n = 0; n <= i % 3; n++)
            text[testing_random(&random) % (sizeof text - 1)] = whole[testing_random(&random) % sizeof whole];
        struct ir_func *func = ir_parse(text, sizeof text - 1, error, sizeof error);
        if (func) {
            ir_validate(func, NULL);
            char *printed = testing_print(func);
            struct ir_func *back = ir_parse(printed, strlen(printed), error, sizeof error);
            assert_non_null(back);
            ir_func_destroy(back);
            free(printed);
        }
        ir_func_destroy(func);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_op_prints_and_parses_back),
        cmocka_unit_test(random_functions_print_and_parse_back),
        cmocka_unit_test(an_access_is_spelled_out_with_its_flags_by_name),
        cmocka_unit_test(a_format_by_the_descriptor_is_a_flag_wherever_it_stands),
        cmocka_unit_test(text_is_read_as_it_stands),
        cmocka_unit_test(what_is_wrong_is_refused_with_line_and_column),
        cmocka_unit_test(text_cut_anywhere_or_with_a_changed_byte_never_breaks_the_parser),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
