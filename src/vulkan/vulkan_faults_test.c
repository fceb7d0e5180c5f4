/* What a device says of accesses at the ends of a mapping, in place and on copies: the CPU device's kind and address; with the argument `staged`,
 * moved as on a device with memory of its own. */
#include "vulkan/vulkan_testing.h"

/* Assembled with llvm-mc for gfx1030, wave32: one access at s[0:1] + s2, with data in v[3:4]. */
enum { ACCESS_AT = 2, CODE_WORDS = 6, MOST_BYTES = 16, TEXT_SIZE = 512 };
static const uint32_t access_once[CODE_WORDS] = {
    0x7e020202,    /* v_mov_b32 v1, s2 */
    0x7e060281,    /* v_mov_b32 v3, 1 */
    0,          0, /* the access */
    0xbf8c0070,    /* s_waitcnt vmcnt(0) lgkmcnt(0) */
    0xbf810000,    /* s_endpgm */
};

static const struct {
    const char *text;
    uint32_t words[2];
} accesses[] = {
    {"global_atomic_add v1, v3, s[0:1]", {0xdcc88000, 0x00000301}},
    {"global_atomic_add v4, v1, v3, s[0:1] glc", {0xdcc98000, 0x04000301}},
    {"global_atomic_add_x2 v1, v[3:4], s[0:1]", {0xdd488000, 0x00000301}},
    {"global_atomic_cmpswap v1, v[3:4], s[0:1]", {0xdcc48000, 0x00000301}},
    {"global_load_ushort v4, v1, s[0:1]", {0xdc288000, 0x04000001}},
    {"global_load_dword v4, v1, s[0:1]", {0xdc308000, 0x04000001}},
    {"global_load_dwordx2 v[4:5], v1, s[0:1]", {0xdc348000, 0x04000001}},
    {"global_load_dwordx4 v[4:7], v1, s[0:1]", {0xdc388000, 0x04000001}},
    {"global_store_short v1, v3, s[0:1]", {0xdc688000, 0x00000301}},
    {"global_store_dword v1, v3, s[0:1]", {0xdc708000, 0x00000301}},
    {"global_store_dwordx2 v1, v[3:4], s[0:1]", {0xdc748000, 0x00000301}},
};

enum { STORE_WORD = 9 };

static void run_access(struct fixture *f, unsigned access, uint64_t base, uint32_t offset, char text[TEXT_SIZE])
{
    uint32_t code[CODE_WORDS];
    struct device_dispatch dispatch = testing_dispatch(f);
    struct wave_dispatch *d = &dispatch.registers;
    memcpy(code, access_once, sizeof code);
    memcpy(code + ACCESS_AT, accesses[access].words, sizeof accesses->words);
    testing_put_code(f, code, sizeof code);
    testing_changed(f, DEVICE_EVERYTHING);
    d->user_data[0] = (uint32_t)base;
    d->user_data[1] = (uint32_t)(base >> 32);
    d->user_data[2] = offset;
    d->groups[0] = d->threads[0] = d->last_threads[0] = 1;
    d->first_group[0] = 3;
    d->first_group[1] = 5;
    testing_run_only(f, &dispatch);
    testing_settle(f, DEVICE_EVERYTHING);
    snprintf(text, TEXT_SIZE, "%s", f->result.failed ? f->result.text : "nothing");
}

static void check_around(struct fixture *f, uint64_t border)
{
    for (unsigned access = 0; access < sizeof accesses / sizeof *accesses; access++)
        for (uint32_t offset = 0; offset <= 2 * MOST_BYTES; offset++) {
            struct device *device = f->device;
            char here[TEXT_SIZE], cpu[TEXT_SIZE];
            run_access(f, access, border - MOST_BYTES, offset, here);
            f->device = f->cpu;
            run_access(f, access, border - MOST_BYTES, offset, cpu);
            f->device = device;
            if (strcmp(here, cpu) != 0)
                fail_msg("%s at %+d:\n  %s\n  %s", accesses[access].text, (int)offset - MOST_BYTES, here, cpu);
        }
}

static void accesses_at_the_end_of_a_mapping_say_what_they_say_on_the_cpu_device(void **state)
{
    struct fixture *f = *state;
    check_around(f, f->base + MEMORY_BYTES);
}

static void accesses_at_the_beginning_of_a_mapping_say_what_they_say_on_the_cpu_device(void **state)
{
    struct fixture *f = *state;
    check_around(f, f->base);
}

/* Of memory that lies apart. */
static void accesses_across_two_mappings_say_what_they_say_on_the_cpu_device(void **state)
{
    static uint8_t own[4 * PAGE] __attribute__((aligned(PAGE)));
    static const uint64_t border = UINT64_C(0x123400000000);
    struct fixture *f = *state;
    struct base_error why;
    for (unsigned n = 0; n < 2; n++)
        assert_true(
            mem_space_map(f->space, border - PAGE + (uint64_t)n * PAGE, own + (size_t)(1 - n) * 2 * PAGE, PAGE, true, &why));
    check_around(f, border);
}

/* What lies in front of the border vanishes, and what lies behind it does not. */
static void accesses_across_the_end_of_memory_that_discards_do_what_they_do_on_the_cpu_device(void **state)
{
    enum { WORD = 4 };
    static uint8_t own[PAGE] __attribute__((aligned(PAGE)));
    static const uint64_t border = UINT64_C(0x123400000000);
    struct fixture *f = *state;
    struct base_error why;
    assert_int_equal(mem_space_map_prt(f->space, border - PAGE, PAGE, 0, &why), MEM_CHANGED);
    assert_true(mem_space_map(f->space, border, own, PAGE, true, &why));
    check_around(f, border);
    for (unsigned access = 0; access < sizeof accesses / sizeof *accesses; access++)
        for (uint32_t offset = 1; offset < MOST_BYTES; offset++) {
            struct device *device = f->device;
            uint8_t here[2 * MOST_BYTES];
            char text[TEXT_SIZE];
            memset(own, 0x55, sizeof own);
            run_access(f, access, border - MOST_BYTES, offset, text);
            memcpy(here, own, sizeof here);
            memset(own, 0x55, sizeof own);
            f->device = f->cpu;
            run_access(f, access, border - MOST_BYTES, offset, text);
            f->device = device;
            assert_memory_equal(here, own, sizeof here);
        }
    struct device *device = f->device;
    char text[TEXT_SIZE];
    f->device = f->cpu; /* the last two bytes of 00000001 lie behind the border */
    memset(own, 0x55, sizeof own);
    run_access(f, STORE_WORD, border - WORD / 2, 0, text);
    f->device = device;
    assert_string_equal(text, "nothing");
    assert_int_equal(own[0], 0);
    assert_int_equal(own[1], 0);
    assert_int_equal(own[2], 0x55);
}

int main(int argc, char **argv)
{
    testing_choose(argc, argv);
    const struct CMUnitTest tests[] = {
        TEST(accesses_at_the_end_of_a_mapping_say_what_they_say_on_the_cpu_device),
        TEST(accesses_at_the_beginning_of_a_mapping_say_what_they_say_on_the_cpu_device),
        TEST(accesses_across_the_end_of_memory_that_discards_do_what_they_do_on_the_cpu_device),
        TEST(accesses_across_two_mappings_say_what_they_say_on_the_cpu_device),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
