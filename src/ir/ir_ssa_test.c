/* The value form: phis where definitions meet, merges where lanes do, and the same results as the register form. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "ir/ir_fold.h"
#include "ir/ir_ssa.h"
#include "ir/ir_testing.h"

static struct ir_func *parse(const char *text)
{
    char error[200];
    struct ir_func *func = ir_parse(text, strlen(text), error, sizeof error);
    if (!func)
        fail_msg("%s", error);
    assert_null(ir_validate(func, NULL));
    return func;
}

static void assert_valid(const struct ir_ssa *ssa)
{
    uint32_t node = 0;
    const char *wrong = ir_ssa_validate(ssa, &node);
    if (wrong)
        fail_msg("%s at %%%u", wrong, node - ssa->first_made);
}

enum passes { AS_MADE, SIMPLIFIED };

static void assert_form(const char *text, enum passes passes, const char *expected)
{
    struct ir_func *func = parse(text);
    struct ir_ssa *ssa = ir_ssa_create(func);
    assert_non_null(ssa);
    assert_valid(ssa);
    if (passes == SIMPLIFIED) {
        ir_ssa_simplify(ssa);
        assert_valid(ssa);
        ir_ssa_drop_dead(ssa);
        assert_valid(ssa);
    }
    char *printed = NULL;
    size_t size;
    FILE *out = open_memstream(&printed, &size);
    ir_ssa_print(out, ssa);
    fclose(out);
    assert_string_equal(printed, expected);
    free(printed);
    ir_ssa_destroy(ssa);
    ir_func_destroy(func);
}

#define BLOCK(n, pc) "block b" n " pc=" pc " end=0x100 guest=1\n"

static void a_straight_line_names_each_write(void **state)
{
    (void)state;
    assert_form("func wave32 entry=0x0\n" BLOCK("0", "0x0") "s0 = add_u32 s1, 0x5\ns0 = xor_b32 s0, s2\nsetpc s30:s31\n", AS_MADE,
                "ssa wave32 entry b0\n"
                "b0:\n"
                "  %0 = add_u32 ^s1, 0x5 -> s0\n"
                "  %1 = xor_b32 %0, ^s2 -> s0\n"
                "  setpc ^s30, ^s31 leaving s0 %1\n");
}

static void a_masked_write_merges_with_what_was_there(void **state)
{
    (void)state;
    assert_form(
        "func wave64 entry=0x0\n" BLOCK(
            "0",
            "0x0") "v0 = add_u32 v1, s2 if exec:exec_hi\nvt0 = mov_b32 v0\nv2 = mov_b32 vt0 if exec:exec_hi\nsetpc s30:s31\n",
        AS_MADE,
        "ssa wave64 entry b0\n"
        "b0:\n"
        "  %0 = add_u32.lane ^v1, ^s2 if ^exec, ^exec_hi -> v0\n"
        "  %1 = merge ^exec, ^exec_hi, %0, ^v0 -> v0\n"
        "  %2 = mov_b32.lane %1 -> vt0\n"
        "  %3 = mov_b32.lane %2 if ^exec, ^exec_hi -> v2\n"
        "  %4 = merge ^exec, ^exec_hi, %3, ^v2 -> v2\n"
        "  setpc ^s30, ^s31 leaving v0 %1, v2 %4\n");
}

static void pairs_are_words_side_by_side(void **state)
{
    (void)state;
    assert_form("func wave32 entry=0x0\n" BLOCK("0", "0x0") "s0:s1 = add_u64 s2:s3, 0x100000002\ns4 = mov_b32 s1\nsetpc s0:s1\n",
                AS_MADE,
                "ssa wave32 entry b0\n"
                "b0:\n"
                "  %0 = add_u64 ^s2, ^s3, 0x2, 0x1\n"
                "  %1 = word %0.0 -> s0\n"
                "  %2 = word %0.1 -> s1\n"
                "  %3 = mov_b32 %2 -> s4\n"
                "  setpc %1, %2 leaving s0 %1, s1 %2, s4 %3\n");
}

static void what_is_read_unsaid_is_an_argument(void **state)
{
    (void)state;
    assert_form("func wave32 entry=0x0\n" BLOCK("0", "0x0") "exec = mov_b32 s1\nst0 = fadd_f32 s2, s3\ns4 = readfirstlane "
                                                            "v0\nset_mode s5\nst1 = fadd_f32 s2, st0\nsetpc s30:s31\n",
                AS_MADE,
                "ssa wave32 entry b0\n"
                "b0:\n"
                "  %0 = mov_b32 ^s1 -> exec\n"
                "  %1 = fadd_f32 ^s2, ^s3 with ^mode -> st0\n"
                "  %2 = readfirstlane.lane ^v0 if ^all with %0, ^m0 -> s4\n"
                "  %3 = set_mode ^s5 with %0, ^m0 -> mode\n"
                "  %4 = fadd_f32 ^s2, %1 with %3 -> st1\n"
                "  setpc ^s30, ^s31 leaving s4 %2, exec %0, mode %3\n");
}

#define DIAMOND                                                                                                             \
    "func wave32 entry=0x0\n" BLOCK("0", "0x0") "branch scc ? b1@0x4 : b2@0x8\n" BLOCK(                                     \
        "1", "0x4") "s0 = mov_b32 0x1\ns1 = mov_b32 0x7\njump b3@0xc\n" BLOCK("2", "0x8") "s0 = mov_b32 0x2\ns2 = mov_b32 " \
                                                                                          "0x7\njump b3@0xc\n"

static void a_diamond_has_a_phi_for_what_is_read_below(void **state)
{
    (void)state;
    assert_form(DIAMOND BLOCK("3", "0xc") "st0 = add_u32 s0, s3\nbranch st0 ? b3@0xc back : b4@0x10\n" BLOCK("4", "0x10") "end\n",
                AS_MADE,
                "ssa wave32 entry b0\n"
                "b0:\n"
                "  branch ^scc b1 b2\n"
                "b1: below b0\n"
                "  %1 = mov_b32 0x1 -> s0\n"
                "  %2 = mov_b32 0x7 -> s1\n"
                "  jump b3\n"
                "b2: below b0\n"
                "  %3 = mov_b32 0x2 -> s0\n"
                "  %4 = mov_b32 0x7 -> s2\n"
                "  jump b3\n"
                "b3: below b0\n"
                "  %0 = phi b1: %1, b2: %3, b3: %0 -> s0\n"
                "  %5 = add_u32 %0, ^s3 -> st0\n"
                "  branch %5 b3 b4\n"
                "b4: below b3\n"
                "  end\n");
}

static void a_loop_has_phis_for_what_goes_round_only(void **state)
{
    (void)state;
    assert_form(
        "func wave32 entry=0x0\n" BLOCK("0", "0x0") "s0 = mov_b32 0x0\njump b1@0x4\n" BLOCK(
            "1",
            "0x4") "s0 = add_u32 s0, s1\nst0 = cmp_lt_u32 s0, s2\nbranch st0 ? b1@0x4 back : b2@0x8\n" BLOCK("2",
                                                                                                             "0x8") "setpc "
                                                                                                                    "s30:s31\n",
        SIMPLIFIED,
        "ssa wave32 entry b0\n"
        "b0:\n"
        "  jump b1\n"
        "b1: below b0\n"
        "  %0 = phi b0: 0x0, b1: %2 -> s0\n"
        "  %2 = add_u32 %0, ^s1 -> s0\n"
        "  %3 = cmp_lt_u32 %2, ^s2 -> st0\n"
        "  branch %3 b1 b2\n"
        "b2: below b1\n"
        "  setpc ^s30, ^s31 leaving s0 %2\n");
}

static void an_entry_in_a_loop_has_a_way_in(void **state)
{
    (void)state;
    assert_form("func wave32 entry=0x0\n" BLOCK("0", "0x0") "s0 = add_u32 s0, s1\nbranch s0 ? b0@0x0 back : b1@0x4\n" BLOCK(
                    "1", "0x4") "end\n",
                AS_MADE,
                "ssa wave32 entry b0\n"
                "b0:\n"
                "  %0 = phi in: ^s0, b0: %1 -> s0\n"
                "  %1 = add_u32 %0, ^s1 -> s0\n"
                "  branch %1 b0 b1\n"
                "b1: below b0\n"
                "  end\n");
}

static void an_irreducible_loop_has_phis_at_both_its_entries(void **state)
{
    (void)state;
    assert_form(
        "func wave32 entry=0x0\n" BLOCK("0", "0x0") "branch scc ? b1@0x4 : b2@0x8\n" BLOCK(
            "1", "0x4") "s0 = add_u32 s0, 0x1\njump b2@0x8\n" BLOCK("2", "0x8") "s0 = add_u32 s0, 0x2\nbranch s0 ? b1@0x4 back : "
                                                                                "b3@0xc\n" BLOCK("3", "0xc") "setpc s30:s31\n",
        AS_MADE,
        "ssa wave32 entry b0\n"
        "b0:\n"
        "  branch ^scc b1 b2\n"
        "b1: below b0\n"
        "  %1 = phi b0: ^s0, b2: %2 -> s0\n"
        "  %3 = add_u32 %1, 0x1 -> s0\n"
        "  jump b2\n"
        "b2: below b0\n"
        "  %0 = phi b0: ^s0, b1: %3 -> s0\n"
        "  %2 = add_u32 %0, 0x2 -> s0\n"
        "  branch %2 b1 b3\n"
        "b3: below b2\n"
        "  setpc ^s30, ^s31 leaving s0 %2\n");
}

static void unreachable_blocks_take_no_part(void **state)
{
    (void)state;
    assert_form("func wave32 entry=0x8\n" BLOCK("0", "0x0") "s0 = mov_b32 0x1\njump b2@0x8\n" BLOCK(
                    "1", "0x4") "jump b0@0x0 back\n" BLOCK("2", "0x8") "s1 = mov_b32 s0\nsetpc s30:s31\n",
                AS_MADE,
                "ssa wave32 entry b2\n"
                "b2:\n"
                "  %0 = mov_b32 ^s0 -> s1\n"
                "  setpc ^s30, ^s31 leaving s1 %0\n");
}

static void both_ways_of_a_branch_may_lead_to_one_block(void **state)
{
    (void)state;
    assert_form("func wave32 entry=0x0\n" BLOCK("0", "0x0") "s0 = mov_b32 0x1\nbranch scc ? b1@0x4 : b1@0x4\n" BLOCK(
                    "1", "0x4") "setpc s0:s1\n",
                AS_MADE,
                "ssa wave32 entry b0\n"
                "b0:\n"
                "  %0 = mov_b32 0x1 -> s0\n"
                "  branch ^scc b1 b1\n"
                "b1: below b0\n"
                "  setpc %0, ^s1 leaving s0 %0\n");
}

static void copies_constants_and_merges_of_nothing_go(void **state)
{
    (void)state;
    assert_form("func wave32 entry=0x0\n" BLOCK(
                    "0", "0x0") "st0 = mov_b32 0x3\nst1 = add_u32 st0, 0x4\nst2 = shl_b32 st1, 0x2\ns0 = mov_b32 st2\n"
                                "st4:st5 = mul_u32_u64 0xffffffff, st1\ns1 = mov_b32 st5\n"
                                "v0 = mov_b32 v0 if exec\nst3 = add_u32 s5, s6\nsetpc s30:s31\n",
                SIMPLIFIED,
                "ssa wave32 entry b0\n"
                "b0:\n"
                "  setpc ^s30, ^s31 leaving s0 0x1c, s1 0x6, v0 ^v0\n");
}

static void the_order_of_effects_stays(void **state)
{
    (void)state;
    assert_form(
        "func wave32 entry=0x0\n" BLOCK(
            "0",
            "0x0") "store lds bytes=4 store, addr v0, data v1 if exec\nvt0 = load lds bytes=4, addr v2 if exec\nbarrier\nend\n",
        SIMPLIFIED,
        "ssa wave32 entry b0\n"
        "b0:\n"
        "  store.lane ^v0, ^v1 if ^exec with ^mode, ^exec, ^m0, ^flat_scr, ^flat_scr_hi\n"
        "  %1 = load.lane ^v2 if ^exec with ^mode, ^exec, ^m0, ^flat_scr, ^flat_scr_hi, ^vt0 -> vt0\n"
        "  barrier with ^exec, ^m0\n"
        "  end\n");
}

static void a_register_written_by_number_may_be_any(void **state)
{
    (void)state;
    struct ir_func *func =
        parse("func wave32 entry=0x0\n" BLOCK("0", "0x0") "movreld v1, m0 imm=0x4 if exec\nv9 = mov_b32 v6\nsetpc s30:s31\n");
    struct ir_ssa *ssa = ir_ssa_create(func);
    assert_non_null(ssa);
    assert_valid(ssa);
    const struct ir_ssa_node *op = &ssa->nodes[ssa->blocks[0].first];
    assert_int_equal(op->results, IR_V_TEMP);
    const struct ir_ssa_node *move = op;
    for (uint32_t i = 0; i < ssa->blocks[0].count; i++)
        if (ssa->nodes[ssa->blocks[0].first + i].kind == IR_SSA_OP)
            move = &ssa->nodes[ssa->blocks[0].first + i];
    assert_ptr_not_equal(move, op);
    const struct ir_ssa_node *source = &ssa->nodes[ir_ssa_args(ssa, move)[0]];
    assert_int_equal(source->kind, IR_SSA_WORD);
    assert_int_equal(source->word, 6);
    ir_ssa_destroy(ssa);
    ir_func_destroy(func);
}

/* Random programs of scalar arithmetic, run in both forms. */

enum { REGS = 6, MAX_BLOCKS = 12, STEPS = 400 };

static ir_ref any_source(struct ir_builder *b, uint64_t *random)
{
    return testing_random(random) % 4 ? ir_s(testing_random(random) % REGS) : ir_const(b, testing_random(random) % 8);
}

static struct ir_func *random_flow(uint64_t *random)
{
    static const enum ir_op ops[] = {IR_add_u32, IR_sub_u32, IR_xor_b32, IR_and_b32, IR_mul_lo_u32, IR_cmp_lt_u32, IR_min_i32};
    struct ir_func *func = ir_func_create(32, 0);
    struct ir_builder b = {.func = func};
    unsigned count = 2 + testing_random(random) % (MAX_BLOCKS - 2);
    for (unsigned n = 0; n < count; n++) {
        uint32_t number = ir_block_begin(func, 4 * n);
        for (unsigned i = testing_random(random) % 4; i-- > 0;) {
            bool move = testing_random(random) % 3 == 0;
            struct ir_inst *inst = ir_append(&b, move ? IR_mov_b32 : ops[testing_random(random) % (sizeof ops / sizeof *ops)]);
            inst->dst[0] = ir_s(testing_random(random) % REGS);
            for (unsigned k = 0; k < inst->src_count; k++)
                inst->src[k] = any_source(&b, random);
        }
        struct ir_block *block = &func->blocks[number];
        block->count = func->inst_count - block->first;
        unsigned what = n + 1 == count ? 0 : testing_random(random) % 6;
        block->term = what == 0 ? IR_TERM_SETPC : what == 1 ? IR_TERM_JUMP : IR_TERM_BRANCH;
        block->cond = what == 0 ? ir_s(30) : ir_s(testing_random(random) % REGS);
        for (unsigned k = 0; k < 2; k++) {
            block->succ[k] = testing_random(random) % count;
            block->target[k] = 4 * block->succ[k];
        }
    }
    return func;
}

/* Runs the register form; false when it does not leave in time. */
static bool run_registers(const struct ir_func *func, uint32_t s[IR_S_COUNT], uint32_t path[STEPS], unsigned *steps)
{
    uint32_t number = 0;
    for (*steps = 0; *steps < STEPS; ++*steps) {
        const struct ir_block *block = &func->blocks[number];
        path[*steps] = number;
        for (uint32_t i = block->first; i < block->first + block->count; i++) {
            const struct ir_inst *inst = &func->insts[i];
            uint64_t values[6] = {0}, result;
            for (unsigned k = 0; k < inst->src_count; k++)
                if (!ir_const_value(func, inst->src[k], &values[k]))
                    values[k] = s[inst->src[k].index];
            assert_true(ir_fold_values((enum ir_op)inst->op, values, &result));
            s[inst->dst[0].index] = (uint32_t)result;
        }
        if (block->term == IR_TERM_SETPC)
            return true;
        number = block->term == IR_TERM_JUMP || s[block->cond.index] ? block->succ[0] : block->succ[1];
    }
    return false;
}

static uint32_t node_value(const struct ir_ssa *ssa, const uint32_t *values, uint32_t node, const uint32_t *at_entry)
{
    const struct ir_ssa_node *n = &ssa->nodes[node];
    return n->kind == IR_SSA_ENTRY ? at_entry[n->var] : n->kind == IR_SSA_CONST ? n->value : values[node];
}

static void enter_block(const struct ir_ssa *ssa, uint32_t *values, uint32_t from, uint32_t to, const uint32_t *at_entry)
{
    const struct ir_ssa_block *block = &ssa->blocks[to];
    uint32_t edge = 0, made[IR_S_COUNT] = {0};
    while (ssa->preds[block->first_pred + edge] != from)
        edge++;
    for (uint32_t i = 0; i < block->phi_count; i++)
        if (ssa->nodes[block->first_phi + i].kind == IR_SSA_PHI)
            made[i] = node_value(ssa, values, ir_ssa_args(ssa, &ssa->nodes[block->first_phi + i])[edge], at_entry);
    for (uint32_t i = 0; i < block->phi_count; i++)
        values[block->first_phi + i] = made[i];
}

static void run_nodes(const struct ir_ssa *ssa, uint32_t *values, uint32_t number, const uint32_t *at_entry)
{
    const struct ir_ssa_block *block = &ssa->blocks[number];
    for (uint32_t i = block->first; i < block->first + block->count; i++) {
        const struct ir_ssa_node *node = &ssa->nodes[i];
        uint64_t in[6] = {0}, result;
        if (node->kind != IR_SSA_OP)
            continue;
        for (uint32_t k = 0; k < node->mask_at; k++)
            in[k] = node_value(ssa, values, ir_ssa_args(ssa, node)[k], at_entry);
        assert_true(ir_fold_values((enum ir_op)ssa->func->insts[node->inst].op, in, &result));
        values[i] = (uint32_t)result;
    }
}

/* Follows the path that the register form took; every register must leave with the same value. */
static void assert_same_results(const struct ir_ssa *ssa, const uint32_t *path, unsigned steps, const uint32_t *at_entry,
                                const uint32_t *expected)
{
    uint32_t *values = calloc(ssa->node_count, sizeof *values), from = IR_SSA_NONE;
    for (unsigned i = 0; i <= steps; i++) {
        enter_block(ssa, values, from, path[i], at_entry);
        run_nodes(ssa, values, path[i], at_entry);
        from = path[i];
    }
    uint32_t left[IR_S_COUNT];
    memcpy(left, at_entry, sizeof left);
    const struct ir_ssa_block *last = &ssa->blocks[from];
    for (uint32_t i = 0; i < last->exit_count; i++)
        left[ssa->exits[last->first_exit + i].var] = node_value(ssa, values, ssa->exits[last->first_exit + i].node, at_entry);
    assert_memory_equal(left, expected, REGS * sizeof *left);
    free(values);
}

static void random_programs_give_the_same_results_in_both_forms(void **state)
{
    (void)state;
    uint64_t random = 0x2545f4914f6cdd1du;
    unsigned finished = 0;
    for (unsigned i = 0; i < 1500; i++) {
        struct ir_func *func = random_flow(&random);
        assert_null(ir_validate(func, NULL));
        struct ir_ssa *ssa = ir_ssa_create(func);
        assert_non_null(ssa);
        assert_valid(ssa);
        uint32_t at_entry[IR_S_COUNT] = {0}, s[IR_S_COUNT], path[STEPS];
        unsigned steps;
        for (unsigned r = 0; r < REGS; r++)
            at_entry[r] = testing_random(&random) % 4 ? testing_random(&random) : 0;
        memcpy(s, at_entry, sizeof s);
        bool left = run_registers(func, s, path, &steps);
        finished += left;
        if (left)
            assert_same_results(ssa, path, steps, at_entry, s);
        ir_ssa_simplify(ssa);
        assert_valid(ssa);
        if (left)
            assert_same_results(ssa, path, steps, at_entry, s);
        ir_ssa_drop_dead(ssa);
        assert_valid(ssa);
        if (left)
            assert_same_results(ssa, path, steps, at_entry, s);
        ir_ssa_destroy(ssa);
        ir_func_destroy(func);
    }
    assert_true(finished > 500);
}

static void random_instructions_of_every_kind_become_valid_values(void **state)
{
    (void)state;
    uint64_t random = 88172645463325252u;
    for (unsigned i = 0; i < 100; i++) {
        struct ir_func *func = testing_func(i & 1 ? 64 : 32, 1 + i % 40, &random);
        struct ir_ssa *ssa = ir_ssa_create(func);
        assert_valid(ssa);
        ir_ssa_simplify(ssa);
        assert_valid(ssa);
        ir_ssa_drop_dead(ssa);
        assert_valid(ssa);
        ir_ssa_destroy(ssa);
        ir_func_destroy(func);
    }
}

static void the_validator_names_what_is_broken(void **state)
{
    (void)state;
    struct ir_func *func = parse("func wave32 entry=0x0\n" BLOCK("0", "0x0") "s0 = mov_b32 0x0\njump b1@0x4\n" BLOCK(
        "1", "0x4") "s0 = add_u32 s0, s1\nbranch s0 ? b1@0x4 back : b2@0x8\n" BLOCK("2", "0x8") "s2:s3 = add_u64 s0:s1, "
                                                                                                "s4:s5\nsetpc s2:s3\n");
    struct ir_ssa *ssa = ir_ssa_create(func);
    assert_valid(ssa);
    uint32_t phi = ssa->blocks[1].first_phi, add = ssa->blocks[1].first, wide = ssa->blocks[2].first, kept;
    kept = ssa->args[ssa->nodes[add].first_arg];
    ssa->args[ssa->nodes[add].first_arg] = wide + 1;
    assert_string_equal(ir_ssa_validate(ssa, NULL), "an argument is not made before its use on every way there");
    ssa->args[ssa->nodes[add].first_arg] = kept;
    kept = ssa->args[ssa->nodes[phi].first_arg];
    ssa->args[ssa->nodes[phi].first_arg] = add;
    assert_string_equal(ir_ssa_validate(ssa, NULL), "a phi's argument does not hold at the end of its edge's block");
    ssa->args[ssa->nodes[phi].first_arg] = kept;
    ssa->nodes[phi].arg_count = 1;
    assert_string_equal(ir_ssa_validate(ssa, NULL), "a phi has not one argument for each edge");
    ssa->nodes[phi].arg_count = 2;
    ssa->nodes[wide + 1].word = 2;
    assert_string_equal(ir_ssa_validate(ssa, NULL), "a word is of no operation that has it");
    ssa->nodes[wide + 1].word = 0;
    ssa->blocks[0].cond[0] = add;
    assert_string_equal(ir_ssa_validate(ssa, NULL), "a terminator's operand does not hold there");
    ssa->blocks[0].cond[0] = IR_SSA_NONE;
    ssa->nodes[add].kind = IR_SSA_DEAD;
    assert_non_null(ir_ssa_validate(ssa, NULL));
    ssa->nodes[add].kind = IR_SSA_OP;
    assert_valid(ssa);
    ir_ssa_destroy(ssa);
    ir_func_destroy(func);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_straight_line_names_each_write),
        cmocka_unit_test(a_masked_write_merges_with_what_was_there),
        cmocka_unit_test(pairs_are_words_side_by_side),
        cmocka_unit_test(what_is_read_unsaid_is_an_argument),
        cmocka_unit_test(a_diamond_has_a_phi_for_what_is_read_below),
        cmocka_unit_test(a_loop_has_phis_for_what_goes_round_only),
        cmocka_unit_test(an_entry_in_a_loop_has_a_way_in),
        cmocka_unit_test(an_irreducible_loop_has_phis_at_both_its_entries),
        cmocka_unit_test(unreachable_blocks_take_no_part),
        cmocka_unit_test(both_ways_of_a_branch_may_lead_to_one_block),
        cmocka_unit_test(copies_constants_and_merges_of_nothing_go),
        cmocka_unit_test(the_order_of_effects_stays),
        cmocka_unit_test(a_register_written_by_number_may_be_any),
        cmocka_unit_test(random_programs_give_the_same_results_in_both_forms),
        cmocka_unit_test(random_instructions_of_every_kind_become_valid_values),
        cmocka_unit_test(the_validator_names_what_is_broken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
