/* Scripts are walked beside the graphs they were made of: for the same decisions both must come through the same blocks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "spirv/spirv_structure.h"

enum { MAX = 24, STEPS = 400, NONE = -1 };

/* A graph: for each block its one or two followers; NONE twice: it ends the wave. */
struct graph {
    int count, to[MAX][2];
};

static struct ir_func *func_of(const struct graph *g)
{
    struct ir_func *func = ir_func_create(32, 0);
    assert_non_null(func);
    for (int i = 0; i < g->count; i++) {
        uint32_t b = ir_block_begin(func, (uint64_t)i * 4);
        struct ir_block *block = &func->blocks[b];
        block->end_pc = (uint64_t)i * 4 + 4;
        block->cond = ir_s(0);
        block->term = g->to[i][0] == NONE ? IR_TERM_END : g->to[i][1] == NONE ? IR_TERM_JUMP : IR_TERM_BRANCH;
        for (int n = 0; n < 2; n++)
            block->succ[n] = g->to[i][n] == NONE ? IR_NO_BLOCK : (uint32_t)g->to[i][n];
    }
    return func;
}

/* Decision number n of a seed. */
static unsigned decide(unsigned seed, unsigned n)
{
    unsigned x = seed * 2654435761u + n * 40503u;
    x ^= x >> 13;
    x *= 0x5bd1e995u;
    return (x ^ x >> 15) & 1;
}

static unsigned walk_graph(const struct graph *g, unsigned seed, uint32_t *path)
{
    unsigned count = 0, decisions = 0;
    for (int at = 0; at != NONE && count < STEPS;) {
        path[count++] = (uint32_t)at;
        bool branch = g->to[at][1] != NONE && g->to[at][0] != g->to[at][1];
        at = branch && !decide(seed, decisions++) ? g->to[at][1] : g->to[at][0];
    }
    return count;
}

/* The step that ends what step `at` opened (or the ELSE, when there is one and it is wanted). */
static uint32_t end_of(const struct spirv_script *s, uint32_t at, bool stop_at_else)
{
    int depth = 0;
    for (uint32_t i = at + 1; i < s->count; i++) {
        unsigned kind = s->steps[i].kind;
        if (depth == 0 && (kind == SPIRV_END_IF || kind == SPIRV_END_LOOP || (kind == SPIRV_ELSE && stop_at_else)))
            return i;
        depth += kind == SPIRV_IF || kind == SPIRV_GUARD || kind == SPIRV_LOOP;
        depth -= kind == SPIRV_END_IF || kind == SPIRV_END_LOOP;
    }
    fail_msg("a construct has no end");
    return 0;
}

static unsigned walk_script(const struct spirv_script *s, unsigned seed, uint32_t *path)
{
    uint32_t loops[MAX * MAX], target = IR_NO_BLOCK;
    unsigned count = 0, decisions = 0, depth = 0;
    for (uint32_t i = 0; i < s->count && count < STEPS; i++) {
        const struct spirv_step *step = &s->steps[i];
        switch (step->kind) {
        case SPIRV_BLOCK: path[count++] = step->block; break;
        case SPIRV_IF:
            if (!decide(seed, decisions++))
                i = end_of(s, i, true);
            break;
        case SPIRV_ELSE: i = end_of(s, i, false); break;
        case SPIRV_SET: target = step->to; break;
        case SPIRV_GUARD:
            if (target != step->to)
                i = end_of(s, i, false);
            break;
        case SPIRV_LOOP: loops[depth++] = i; break;
        case SPIRV_AGAIN_IF:
            if (target == step->to)
                i = loops[depth - 1];
            break;
        case SPIRV_CONTINUE: i = loops[depth - 1]; break;
        case SPIRV_BREAK: i = end_of(s, loops[--depth], false); break;
        case SPIRV_END_LOOP: depth--; break;
        case SPIRV_RETURN: return count;
        default: break;
        }
    }
    return count;
}

static void check(const struct graph *g)
{
    uint32_t want[STEPS], got[STEPS];
    struct ir_func *func = func_of(g);
    struct ir_ssa *ssa = ir_ssa_create(func);
    assert_non_null(ssa);
    struct spirv_script *script = spirv_script_create(ssa);
    assert_non_null(script);
    for (unsigned seed = 1; seed <= 50; seed++) {
        unsigned count = walk_graph(g, seed, want);
        assert_int_equal(walk_script(script, seed, got), count);
        assert_memory_equal(got, want, count * sizeof *want);
    }
    spirv_script_destroy(script);
    ir_ssa_destroy(ssa);
    ir_func_destroy(func);
}

static void a_choice_that_meets_again_keeps_its_paths(void **state)
{
    (void)state;
    check(&(struct graph){4, {{1, 2}, {3, NONE}, {3, NONE}, {NONE, NONE}}});
}

static void a_loop_left_from_its_middle_keeps_its_paths(void **state)
{
    (void)state;
    check(&(struct graph){6, {{1, NONE}, {2, 4}, {3, 5}, {1, NONE}, {5, NONE}, {NONE, NONE}}});
}

static void leaving_two_loops_at_once_keeps_its_paths(void **state)
{
    (void)state;
    check(&(struct graph){7, {{1, NONE}, {2, NONE}, {3, 6}, {2, 4}, {1, 5}, {NONE, NONE}, {NONE, NONE}}});
}

static void a_loop_with_two_entries_is_dispatched(void **state)
{
    (void)state;
    check(&(struct graph){5, {{1, 2}, {2, 3}, {1, 4}, {NONE, NONE}, {NONE, NONE}}});
}

static void a_loop_with_two_entries_inside_a_loop_is_dispatched(void **state)
{
    (void)state;
    check(&(struct graph){7, {{1, NONE}, {2, 3}, {3, 4}, {2, 4}, {1, 5}, {6, NONE}, {NONE, NONE}}});
}

static void random_graphs_keep_their_paths(void **state)
{
    (void)state;
    unsigned x = 12345;
    for (int round = 0; round < 4000; round++) {
        struct graph g = {.count = 2};
        x = x * 1103515245u + 12345u;
        g.count += (int)(x >> 16) % (MAX - 2);
        for (int i = 0; i < g.count; i++)
            for (int n = 0; n < 2; n++) {
                x = x * 1103515245u + 12345u;
                int to = (int)((x >> 16) % (unsigned)g.count);
                bool last = i == g.count - 1, jump = n == 1 && (x >> 8) % 4 == 0;
                g.to[i][n] = last || jump ? NONE : to ? to : i + 1; /* block 0 is the entry: a loop's head only by way of 1 */
            }
        check(&g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_choice_that_meets_again_keeps_its_paths),
        cmocka_unit_test(a_loop_left_from_its_middle_keeps_its_paths),
        cmocka_unit_test(leaving_two_loops_at_once_keeps_its_paths),
        cmocka_unit_test(a_loop_with_two_entries_is_dispatched),
        cmocka_unit_test(a_loop_with_two_entries_inside_a_loop_is_dispatched),
        cmocka_unit_test(random_graphs_keep_their_paths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
