/* The validator: good functions pass, each kind of broken one is named. */
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
        fail_msg("%s in:\n%s", error, text);
    return func;
}

static void random_valid_functions_pass(void **state)
{
    (void)state;
    uint64_t random = 2463534242u;
    for (unsigned i = 0; i < 300; i++) {
        struct ir_func *func = testing_func(i & 1 ? 64 : 32, 1 + i % 40, &random);
        uint32_t at;
        const char *wrong = ir_validate(func, &at);
        if (wrong)
            fail_msg("%s at instruction %u", wrong, at);
        ir_func_destroy(func);
    }
}

struct broken {
    const char *body; /* of one wave32 block, with its terminator */
    const char *wrong;
    uint32_t inst;
};

/* What text can say wrong; instruction 0 is at fault unless another is named. */
static const struct broken texts[] = {
    {"v1 = add_u32 v2\n end", "the instruction has not as many sources as its operation", 0},
    {"v1 = add_u32 v2, v3, v4\n end", "the instruction has not as many sources as its operation", 0},
    {"v1 = add_u32 v2, none\n end", "a regular operation lacks a source", 0},
    {"add_u32 v2, v3\n end", "a regular operation lacks its destination", 0},
    {"v1, s2 = add_u32 v2, v3\n end", "the operation has no such destination", 0},
    {"s1 = barrier\n end", "the operation has no such destination", 0},
    {"st95:s_out_of_range0 = add_u64 s0:s1, s2:s3\n end", "a destination is no slot of the wave", 0},
    {"vt127:v_out_of_range0 = add_u64 v0:v1, v2:v3\n end", "a destination is no slot of the wave", 0},
    {"0x5 = add_u32 s0, s1\n end", "a destination is no slot of the wave", 0},
    {"s1 = add_u32 s_out_of_range0, s1\n end", "a source is no slot or constant of the function", 0},
    {"s0:s1 = add_u64 st95:s_out_of_range0, s1:s2\n end", "a source is no slot or constant of the function", 0},
    {"v1 = add_u32 v2, v3 if v4\n end", "the mask of written lanes is no scalar slot", 0},
    {"v1 = add_u32 v2, v3 if 0x1\n end", "the mask of written lanes is no scalar slot", 0},
    {"s1 = add_u32.uniform v2, s3\n end", "a uniform operation reads a vector slot", 0},
    {"s1 = lane_id.uniform\n end", "an operation that exists only per lane is marked uniform", 0},
    {"s1 = add_u32 v2, s3\n end", "a per-lane result goes to a scalar slot", 0},
    {"v1 = add_u32.uniform s2, s3\n end", "a uniform result goes to a vector slot", 0},
    {"v1 = readlane v2, s3\n end", "a uniform result goes to a vector slot", 0},
    {"v1 = cmp_lt_u32 v2, s3\n end", "a mask goes to a vector slot", 0},
    {"v1 = select_b32 v2, v3, v4\n end", "a mask operand is a vector slot", 0},
    {"s1 = add_u32 s2, s3\n v1, v2 = add_carry_u32 v3, v4, s5\n end", "a mask goes to a vector slot", 1},
    {"v1 = image load 2d dmask=1 results=1 stored=0 words=2 x=0 y=2, desc s0:s7, addr v2:v3\n end",
     "a part of an image's address lies outside it", 0},
    {"v1 = image sample 2d dmask=1 results=1 stored=0 words=2 x=0 y=1, desc s0:s7, addr v2:v3\n end",
     "an image's descriptor or sampler is no scalar slot", 0},
    {"image store 1d dmask=1 results=0 stored=1 words=1 x=0, desc s0:s7, data s9, addr v2\n end",
     "what is stored to an image is no vector slot", 0},
    {"v1:v5 = image load 1d dmask=1 results=5 stored=0 words=1 x=0, desc s0:s7, addr v2\n end",
     "an image operation has more words than any instruction", 0},
    {"v1:v3 = load global bytes=12, addr s2:s3, base v4:v5\n end", "a uniform part of an address is a vector slot", 0},
    {"v1 = load global bytes=4 saddr, addr v2\n end", "an access with a scalar base lacks it", 0},
    {"v1 = load flat bytes=4\n end", "a global access lacks its address", 0},
    {"v1 = load buffer bytes=4, desc v2:v5\n end", "a descriptor or scalar base is no scalar slot", 0},
    {"v1 = load buffer bytes=4, desc s4:s7, base v5\n end", "a buffer's scalar offset is a vector slot", 0},
    {"s1 = load scalar bytes=4\n end", "a descriptor or scalar base is no scalar slot", 0},
    {"s1 = load.lane scalar bytes=4, base s2:s3\n end", "a scalar access is marked per lane", 0},
    {"v1 = load lds bytes=5, addr v2\n end", "an access is of no width that there is", 0},
    {"v1 = load lds bytes=0, addr v2\n end", "an access is of no width that there is", 0},
    {"store lds bytes=4 elements=0, addr v2, data v3\n end", "an access has none or more than four elements", 0},
    {"v1:v5 = load lds bytes=4 elements=5, addr v2\n end", "an access has none or more than four elements", 0},
    {"v1 = load buffer bytes=4 format=128, desc s4:s7\n end", "a format has more than 7 bits", 0},
    {"v1 = load lds bytes=4 at=1048576, addr v2\n end", "an access has an offset that no instruction can have", 0},
    {"v1 = load lds bytes=4 at1=-1048577, addr v2\n end", "an access has an offset that no instruction can have", 0},
    {"vt120:vt135 = load lds bytes=64, addr v2\n end", NULL, 0},
    {"open", "a block has no terminator", 0},
    {"jump b7@0x0", "a block goes on to one that is not there", 0},
    {"jump b0@0x4", "a block goes on to one at another address than its target", 0},
    {"branch s0 ? b0@0x0 : b1@0x4", "a block goes on to one that is not there", 0},
    {"branch v0 ? b0@0x0 : outside@0x4", "a terminator's condition or address is no scalar slot or constant", 0},
    {"setpc v0:v1", "a terminator's condition or address is no scalar slot or constant", 0},
    {"setpc st95:s_out_of_range0", "a terminator's condition or address is no scalar slot or constant", 0},
    {"stop", "a block stops without saying why", 0},
    {"unknown\n end", "a refused instruction does not end its block", 0},
    {"unsupported\n s0 = mov_b32 s1\n stop", "a refused instruction does not end its block", 0},
};

static void each_kind_of_broken_text_is_named(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const struct broken *c = &texts[i];
        char text[300], error[200];
        snprintf(text, sizeof text, "func wave32 entry=0x0\nblock b0 pc=0x0 end=0x4 guest=1\n%s\n", c->body);
        struct ir_func *func = ir_parse(text, strlen(text), error, sizeof error);
        if (!c->wrong) {
            assert_null(func); /* the parser already refuses it */
            continue;
        }
        if (!func)
            fail_msg("%s in:\n%s", error, text);
        uint32_t inst;
        const char *wrong = ir_validate(func, &inst);
        if (!wrong)
            fail_msg("passes:\n%s", text);
        assert_string_equal(wrong, c->wrong);
        assert_int_equal(inst, c->inst);
        ir_func_destroy(func);
    }
}

static const char good[] = "func wave32 entry=0x0\n"
                           "block b0 pc=0x0 end=0x4 guest=1\n"
                           "    v1 = load lds bytes=4, addr v2 if exec\n"
                           "    v1 = add_u32 v2, v3 if exec\n"
                           "    jump b1@0x4\n"
                           "block b1 pc=0x4 end=0x8 guest=1\n"
                           "    s0 = add_u32 s0, 0x5\n"
                           "    end\n";

static void break_op(struct ir_func *func)
{
    func->insts[1].op = IR_OP_COUNT;
}
static void break_access(struct ir_func *func)
{
    func->insts[0].imm = 1;
}
static void break_space(struct ir_func *func)
{
    func->accesses[0].space = IR_SPACE_GDS + 1;
}
static void break_atomic(struct ir_func *func)
{
    func->accesses[0].atomic = IR_A_CONDXCHG + 1;
}
static void break_kind(struct ir_func *func)
{
    func->insts[1].src[0].kind = 9;
}
static void break_constant(struct ir_func *func)
{
    func->insts[2].src[1].index = 7;
}
static void break_lane(struct ir_func *func)
{
    func->insts[1].lane = 2;
}
static void break_extra_source(struct ir_func *func)
{
    func->insts[1].src[5] = ir_s(3);
}
static void break_gap(struct ir_func *func)
{
    func->blocks[1].first = 1;
}
static void break_count(struct ir_func *func)
{
    func->blocks[1].count = 2;
}
static void break_tail(struct ir_func *func)
{
    func->blocks[1].count = 0;
}
static void break_wave(struct ir_func *func)
{
    func->wave_size = 33;
}
static void break_term(struct ir_func *func)
{
    func->blocks[0].term = IR_TERM_STOP + 1;
}
static void break_memory(struct ir_func *func)
{
    func->out_of_memory = true;
}

struct corruption {
    void (*apply)(struct ir_func *func);
    const char *wrong;
};

static const struct corruption corruptions[] = {
    {break_op, "there is no such operation"},
    {break_access, "a memory operation's access is not in the function"},
    {break_space, "an access reaches for no space that there is"},
    {break_atomic, "an access names no atomic that there is"},
    {break_kind, "a source is no slot or constant of the function"},
    {break_constant, "a source is no slot or constant of the function"},
    {break_lane, "the lane flag is neither 0 nor 1"},
    {break_extra_source, "a source past the operation's last one is set"},
    {break_gap, "the blocks do not lie one after another over the instructions"},
    {break_count, "the blocks do not lie one after another over the instructions"},
    {break_tail, "instructions lie past the last block"},
    {break_wave, "the wave size is neither 32 nor 64"},
    {break_term, "a block has no terminator"},
    {break_memory, "the function was built without enough memory"},
};

static void each_kind_of_corruption_is_named_and_still_prints(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof corruptions / sizeof *corruptions; i++) {
        struct ir_func *func = parse(good);
        assert_null(ir_validate(func, NULL));
        corruptions[i].apply(func);
        const char *wrong = ir_validate(func, NULL);
        assert_non_null(wrong);
        assert_string_equal(wrong, corruptions[i].wrong);
        free(testing_print(func));
        ir_func_destroy(func);
    }
}

static void a_mask_pair_must_fit_in_wave64(void **state)
{
    (void)state;
    struct ir_func *func =
        parse("func wave64 entry=0x0\nblock b0 pc=0x0 end=0x4 guest=1\nst94:st95 = cmp_lt_u32 v1, v2 if exec:exec_hi\nend\n");
    assert_null(ir_validate(func, NULL));
    func->insts[0].dst[0].index++;
    assert_string_equal(ir_validate(func, NULL), "a destination is no slot of the wave");
    ir_func_destroy(func);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_valid_functions_pass),
        cmocka_unit_test(each_kind_of_broken_text_is_named),
        cmocka_unit_test(each_kind_of_corruption_is_named_and_still_prints),
        cmocka_unit_test(a_mask_pair_must_fit_in_wave64),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
