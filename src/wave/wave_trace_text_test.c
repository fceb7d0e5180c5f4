/* A wave's registers as text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "wave/wave_internal.h"

static struct wave *make_wave(unsigned lanes)
{
    size_t bytes = sizeof(struct wave) + 4 * 64 * 4;
    struct wave *w = aligned_alloc(64, (bytes + 63) & ~(size_t)63);
    assert_non_null(w);
    memset(w, 0, bytes);
    w->halves = lanes / 32;
    w->stride = lanes * 4;
    w->s[IR_EXEC] = 0xfffffff0u;
    w->s[IR_EXEC + 1] = 0x12;
    w->s[IR_SCC] = 1;
    w->s[9] = 0xabc;
    for (unsigned i = 0; i < lanes; i++) {
        w->v[i] = i;
        w->v[lanes + i] = 7;
    }
    return w;
}

static void a_wave32_shows_its_mask_its_scalars_and_its_lanes(void **state)
{
    (void)state;
    struct wave *w = make_wave(32);
    char text[4096];
    size_t length = wave_registers_text(w, 2, text, sizeof text);
    assert_int_equal(length, strlen(text));
    assert_non_null(strstr(text, "exec fffffff0  vcc 00000000  scc 1"));
    assert_non_null(strstr(text, "exec_hi 00000012"));
    assert_non_null(strstr(text, "s8    00000000 00000abc 00000000"));
    assert_null(strstr(text, "s16 ")); /* nothing there */
    assert_non_null(strstr(text, "v0    00000000 00000001 00000002"));
    assert_non_null(strstr(text, " [24] 00000018 00000019"));
    assert_non_null(strstr(text, "v1    00000007 in every lane"));
    free(w);
}

static void a_wave64_shows_masks_of_64_bits(void **state)
{
    (void)state;
    struct wave *w = make_wave(64);
    char text[8192];
    wave_registers_text(w, 2, text, sizeof text);
    assert_non_null(strstr(text, "exec 00000012fffffff0"));
    assert_null(strstr(text, "exec_hi"));
    assert_non_null(strstr(text, " [56] 00000038"));
    free(w);
}

static void text_is_cut_to_its_room_and_its_length_told(void **state)
{
    (void)state;
    struct wave *w = make_wave(32);
    char whole[4096], part[40];
    size_t length = wave_registers_text(w, 2, whole, sizeof whole);
    memset(part, '#', sizeof part);
    assert_int_equal(wave_registers_text(w, 2, part, 20), length);
    assert_memory_equal(part, whole, 19);
    assert_int_equal(part[19], 0);
    assert_int_equal(part[20], '#');
    free(w);
}

static void an_instructions_registers_are_named_with_the_first_active_lane(void **state)
{
    (void)state;
    struct wave *w = make_wave(32);
    struct isa_inst inst = {.dst_count = 1,
                            .src_count = 3,
                            .dst = {{.kind = ISA_O_VREG, .dwords = 1, .reg = 1}},
                            .src = {{.kind = ISA_O_VREG, .dwords = 1, .reg = 0},
                                    {.kind = ISA_O_SREG, .dwords = 2, .reg = 8},
                                    {.kind = ISA_O_CONST, .value = 5}}};
    char text[256];
    wave_operands_text(w, &inst, text, sizeof text);
    assert_string_equal(text, "exec=fffffff0 vcc=00000000 v1[4]=00000007 v0[4]=00000004 s8=00000000 s9=00000abc");
    free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wave32_shows_its_mask_its_scalars_and_its_lanes),
        cmocka_unit_test(a_wave64_shows_masks_of_64_bits),
        cmocka_unit_test(text_is_cut_to_its_room_and_its_length_told),
        cmocka_unit_test(an_instructions_registers_are_named_with_the_first_active_lane),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
