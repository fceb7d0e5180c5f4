/* base_bytes_test: the checked reader, the arena and the bit fields. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/base_arena.h"
#include "base/base_bits.h"
#include "base/base_bytes.h"
#include "base/base_error.h"

static const uint8_t nine[9] = {0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09};
static const struct base_bytes bytes = {nine, sizeof nine};

static void numbers_are_read_low_byte_first(void **state)
{
    uint16_t half;
    uint32_t word;
    uint64_t pair;
    (void)state;
    assert_true(base_bytes_u16(bytes, 0, &half));
    assert_int_equal(half, 0x0201);
    assert_true(base_bytes_u32(bytes, 1, &word));
    assert_int_equal(word, 0x05040302);
    assert_true(base_bytes_u64(bytes, 1, &pair));
    assert_true(pair == UINT64_C(0x0908070605040302));
}

static void a_read_past_the_end_is_refused_also_when_it_wraps(void **state)
{
    uint32_t word = 7;
    uint64_t pair;
    struct base_bytes part;
    (void)state;
    assert_false(base_bytes_u64(bytes, 2, &pair));
    assert_false(base_bytes_u32(bytes, 6, &word));
    assert_false(base_bytes_u32(bytes, UINT64_MAX, &word));
    assert_false(base_bytes_slice(bytes, 4, UINT64_MAX - 2, &part));
    assert_int_equal(word, 7);
    assert_true(base_bytes_slice(bytes, 9, 0, &part));
    assert_int_equal(part.size, 0);
}

static void text_must_end_inside_its_bytes(void **state)
{
    static const uint8_t raw[] = {'a', 'b', 0, 'c'};
    struct base_bytes text = {raw, sizeof raw};
    (void)state;
    assert_string_equal(base_bytes_text(text, 1), "b");
    assert_string_equal(base_bytes_text(text, 2), "");
    assert_null(base_bytes_text(text, 3));
    assert_null(base_bytes_text(text, 4));
}

static void a_number_written_is_the_number_read(void **state)
{
    uint8_t raw[8];
    uint64_t pair;
    (void)state;
    base_put_u64(raw, UINT64_C(0xfedcba9876543210));
    assert_int_equal(raw[0], 0x10);
    assert_int_equal(raw[7], 0xfe);
    assert_true(base_bytes_u64((struct base_bytes){raw, sizeof raw}, 0, &pair));
    assert_true(pair == UINT64_C(0xfedcba9876543210));
}

static void a_field_is_cut_to_its_bits(void **state)
{
    static const struct base_field low = {0, 5}, high = {29, 31}, whole = {0, 31};
    (void)state;
    assert_int_equal(base_field_get(0xffffffff, low), 0x3f);
    assert_int_equal(base_field_get(0xa0000000, high), 5);
    assert_int_equal(base_field_get(0x12345678, whole), 0x12345678);
    assert_int_equal(base_field_make(high, 0xf), UINT64_C(0xe0000000));
}

static void arena_pieces_keep_their_contents_while_it_grows(void **state)
{
    struct base_arena arena = {0};
    size_t capacity = 0;
    uint32_t *items = NULL;
    (void)state;
    char *text = base_arena_text(&arena, "wave64", 4);
    for (uint32_t n = 0; n < 5000; n++) {
        items = base_arena_grow(&arena, items, sizeof *items, n + 1, &capacity);
        assert_non_null(items);
        items[n] = n;
    }
    for (uint32_t n = 0; n < 5000; n++)
        assert_int_equal(items[n], n);
    assert_string_equal(text, "wave");
    assert_null(base_arena_alloc(&arena, SIZE_MAX));
    base_arena_finish(&arena);
}

static void an_error_is_cut_to_fit_and_always_false(void **state)
{
    struct base_error error;
    char longer[2 * BASE_ERROR_TEXT];
    (void)state;
    memset(longer, 'x', sizeof longer);
    longer[sizeof longer - 1] = 0;
    assert_false(base_error_set(&error, "%s", longer));
    assert_int_equal(strlen(error.text), BASE_ERROR_TEXT - 1);
    assert_false(base_error_set(NULL, "nobody asks"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_read_low_byte_first),
        cmocka_unit_test(a_read_past_the_end_is_refused_also_when_it_wraps),
        cmocka_unit_test(text_must_end_inside_its_bytes),
        cmocka_unit_test(a_number_written_is_the_number_read),
        cmocka_unit_test(a_field_is_cut_to_its_bits),
        cmocka_unit_test(arena_pieces_keep_their_contents_while_it_grows),
        cmocka_unit_test(an_error_is_cut_to_fit_and_always_false),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
