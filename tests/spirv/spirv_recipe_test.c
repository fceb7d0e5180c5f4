/* Descriptors of image operations known ahead: recipes from a program's values, followed through user data and memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "ir/ir.h"
#include "isa/isa.h"
#include "lower/lower.h"
#include "spirv/spirv.h"

enum { LANES = 64, SUBGROUP = 8, TGID_X = 1 << 7, USER_SHIFT = 1 };

/* Words as llvm-mc makes them for gfx1030. */
static const uint32_t two_loads[] = {
    0xf4040501, 0xfa000010, /* s_load_dwordx2 s[20:21], s[2:3], 0x10 */
    0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
    0xf40c010a, 0xfa000020, /* s_load_dwordx8 s[4:11], s[20:21], 0x20 */
    0x7e020280,             /* v_mov_b32_e32 v1, 0 */
    0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
    0xf0001108, 0x00010200, /* image_load v2, v[0:1], s[4:11] dmask:0x1 dim:SQ_RSRC_IMG_2D unorm */
    0xbf810000,             /* s_endpgm */
};
static const uint32_t indexed_load[] = {
    0x8f0c850c,             /* s_lshl_b32 s12, s12, 5 */
    0x7e020280,             /* v_mov_b32_e32 v1, 0 */
    0xf40c0101, 0x18000000, /* s_load_dwordx8 s[4:11], s[2:3], s12 */
    0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
    0xf0001108, 0x00010200, /* image_load v2, v[0:1], s[4:11] dmask:0x1 dim:SQ_RSRC_IMG_2D unorm */
    0xbf810000,             /* s_endpgm */
};

struct program {
    const uint32_t *words;
    size_t count;
};
#define PROGRAM(array) ((struct program){array, sizeof(array) / sizeof *(array)})

static size_t fetch(void *user, uint64_t pc, uint32_t *words, size_t count)
{
    const struct program *program = user;
    size_t at = (size_t)(pc / sizeof *words), there = at < program->count ? program->count - at : 0;
    count = count < there ? count : there;
    memcpy(words, program->words + at, count * sizeof *words);
    return count;
}

static struct spirv_module *make(struct program program, uint32_t rsrc2, char reason[SPIRV_REASON_SIZE])
{
    const struct lower_config config = {.chip = ISA_GFX1030, .wave_size = LANES};
    const struct lower_fetch from = {&program, fetch};
    const struct spirv_options options = {.subgroup = SUBGROUP, .waves = 1, .rsrc2 = rsrc2, .gfx10_3 = true};
    struct ir_func *func = lower_program(&config, &from, 0);
    struct spirv_library *library = spirv_library_create();
    assert_non_null(func);
    assert_non_null(library);
    struct spirv_module *m = spirv_module_create(library, func, &options, reason);
    spirv_library_destroy(library);
    ir_func_destroy(func);
    return m;
}

/* Each word of memory holds its address, but for a pointer at 0x1010 to 0x2000. */
static bool read_word(void *user, uint64_t address, uint32_t *word)
{
    (void)user;
    *word = address == 0x1010 ? 0x2000 : address == 0x1014 ? 0 : (uint32_t)address;
    return address < 0x4000;
}

static bool follow(const struct spirv_module *m, const uint32_t *scalars, uint32_t descriptor[8])
{
    uint32_t words[SPIRV_MAX_STEPS];
    const struct spirv_recipe_source source = {.scalars = scalars, .read = read_word};
    if (!spirv_recipe_follow(m->steps, m->step_count, &source, words))
        return false;
    for (unsigned n = 0; n < 8; n++)
        descriptor[n] = words[m->images[0].descriptor[n]];
    return true;
}

static void a_descriptor_is_found_through_a_pointer_in_memory(void **state)
{
    (void)state;
    char reason[SPIRV_REASON_SIZE];
    uint32_t scalars[IR_S_COUNT] = {[2] = 0x1000}, descriptor[8];
    struct spirv_module *m = make(PROGRAM(two_loads), 4 << USER_SHIFT, reason);
    assert_non_null(m);
    assert_int_equal(m->image_count, 1);
    assert_true(follow(m, scalars, descriptor));
    for (unsigned n = 0; n < 8; n++)
        assert_int_equal(descriptor[n], 0x2020 + 4 * n);
    spirv_module_destroy(m);
}

static void a_descriptor_in_memory_that_is_not_there_is_not_known(void **state)
{
    (void)state;
    char reason[SPIRV_REASON_SIZE];
    uint32_t scalars[IR_S_COUNT] = {[2] = 0x9000}, descriptor[8];
    struct spirv_module *m = make(PROGRAM(two_loads), 4 << USER_SHIFT, reason);
    assert_non_null(m);
    assert_false(follow(m, scalars, descriptor));
    spirv_module_destroy(m);
}

static void an_index_in_user_data_is_part_of_the_recipe(void **state)
{
    (void)state;
    char reason[SPIRV_REASON_SIZE];
    uint32_t scalars[IR_S_COUNT] = {[2] = 0x3000, [12] = 5}, descriptor[8];
    struct spirv_module *m = make(PROGRAM(indexed_load), 13 << USER_SHIFT, reason);
    assert_non_null(m);
    assert_true(follow(m, scalars, descriptor));
    for (unsigned n = 0; n < 8; n++)
        assert_int_equal(descriptor[n], 0x3000 + 5 * 32 + 4 * n);
    spirv_module_destroy(m);
}

static void a_descriptor_by_the_groups_number_is_refused_by_name(void **state)
{
    (void)state;
    char reason[SPIRV_REASON_SIZE];
    assert_null(make(PROGRAM(indexed_load), 12 << USER_SHIFT | TGID_X, reason)); /* s12 is the group's */
    assert_non_null(strstr(reason, "takes a descriptor that may differ from wave to wave"));
}

static void a_recipe_that_names_later_steps_is_not_followed(void **state)
{
    (void)state;
    uint32_t scalars[IR_S_COUNT] = {0}, words[2];
    const struct spirv_recipe_source source = {.scalars = scalars, .read = read_word};
    struct spirv_recipe_step steps[2] = {{.kind = SPIRV_FROM_LOAD, .what = IR_SPACE_SCALAR}, {.kind = SPIRV_FROM_CONST}};
    for (unsigned n = 0; n < 2; n++)
        memset(steps[n].args, 0xff, sizeof steps[n].args);
    steps[0].args[0] = steps[0].args[1] = 1;
    assert_false(spirv_recipe_follow(steps, 2, &source, words));
    steps[0].args[1] = SPIRV_NO_STEP; /* and one that lacks a word */
    assert_false(spirv_recipe_follow(steps, 2, &source, words));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_descriptor_is_found_through_a_pointer_in_memory),
        cmocka_unit_test(a_descriptor_in_memory_that_is_not_there_is_not_known),
        cmocka_unit_test(an_index_in_user_data_is_part_of_the_recipe),
        cmocka_unit_test(a_descriptor_by_the_groups_number_is_refused_by_name),
        cmocka_unit_test(a_recipe_that_names_later_steps_is_not_followed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
