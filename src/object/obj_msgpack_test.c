/* obj_msgpack_test: the msgpack reader against documents written by hand from the msgpack specification. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "object/obj_msgpack.h"

static struct obj_msgpack open_bytes(const void *data, size_t size)
{
    return (struct obj_msgpack){.document = {data, size}};
}

static void numbers_of_every_width_are_read(void **state)
{
    static const uint8_t raw[] = {
        0x7f,                                                 /* 127 */
        0xcc, 0xff,                                           /* u8 255 */
        0xcd, 0x01, 0x02,                                     /* u16 0x102 */
        0xce, 0xff, 0xff, 0xff, 0xfe,                         /* u32 */
        0xcf, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, /* u64 */
        0xff,                                                 /* -1 */
        0xd0, 0x80,                                           /* i8 -128 */
        0xd1, 0xff, 0x00,                                     /* i16 -256 */
        0xd2, 0x80, 0x00, 0x00, 0x00,                         /* i32 least */
        0xd3, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe, /* i64 -2 */
    };
    static const struct {
        enum obj_msgpack_kind kind;
        int64_t number;
    } expected[] = {
        {OBJ_MSGPACK_UINT, 127},
        {OBJ_MSGPACK_UINT, 255},
        {OBJ_MSGPACK_UINT, 0x102},
        {OBJ_MSGPACK_UINT, 0xfffffffe},
        {OBJ_MSGPACK_UINT, 0x0102030405060708},
        {OBJ_MSGPACK_SINT, -1},
        {OBJ_MSGPACK_SINT, -128},
        {OBJ_MSGPACK_SINT, -256},
        {OBJ_MSGPACK_SINT, INT32_MIN},
        {OBJ_MSGPACK_SINT, -2},
    };
    struct obj_msgpack reader = open_bytes(raw, sizeof raw);
    struct obj_msgpack_item item;
    (void)state;
    for (size_t n = 0; n < sizeof expected / sizeof expected[0]; n++) {
        assert_true(obj_msgpack_next(&reader, &item));
        assert_int_equal(item.kind, expected[n].kind);
        assert_true((int64_t)item.number == expected[n].number);
    }
    assert_false(obj_msgpack_next(&reader, &item));
}

static void text_lies_inside_the_document(void **state)
{
    static const uint8_t raw[] = {0xa2, 'h', 'i', 0xd9, 0x01, '!', 0xda, 0x00, 0x00};
    struct obj_msgpack reader = open_bytes(raw, sizeof raw);
    struct obj_msgpack_item item;
    (void)state;
    assert_true(obj_msgpack_next(&reader, &item));
    assert_int_equal(item.kind, OBJ_MSGPACK_TEXT);
    assert_int_equal(item.size, 2);
    assert_memory_equal(item.text, "hi", 2);
    assert_true(obj_msgpack_next(&reader, &item));
    assert_int_equal(item.size, 1);
    assert_true(obj_msgpack_next(&reader, &item));
    assert_int_equal(item.size, 0);
}

static void text_longer_than_the_document_is_refused(void **state)
{
    static const uint8_t raw[] = {0xdb, 0xff, 0xff, 0xff, 0xff, 'x'};
    struct obj_msgpack reader = open_bytes(raw, sizeof raw);
    struct obj_msgpack_item item;
    (void)state;
    assert_false(obj_msgpack_next(&reader, &item));
}

static void a_head_cut_short_is_refused(void **state)
{
    static const uint8_t raw[] = {0xcf, 0x01, 0x02};
    struct obj_msgpack_item item;
    (void)state;
    for (size_t size = 0; size <= sizeof raw; size++) {
        struct obj_msgpack reader = open_bytes(raw, size);
        assert_false(obj_msgpack_next(&reader, &item));
    }
}

static void skipping_a_map_lands_behind_all_of_it(void **state)
{
    /* {"a": [1, {"b": nil}], "c": true}, 5 */
    static const uint8_t raw[] = {0x82, 0xa1, 'a', 0x92, 0x01, 0x81, 0xa1, 'b', 0xc0, 0xa1, 'c', 0xc3, 0x05};
    struct obj_msgpack reader = open_bytes(raw, sizeof raw);
    struct obj_msgpack_item item;
    (void)state;
    assert_true(obj_msgpack_next(&reader, &item));
    assert_int_equal(item.kind, OBJ_MSGPACK_MAP);
    assert_int_equal(item.count, 2);
    assert_true(obj_msgpack_skip(&reader, &item));
    assert_true(obj_msgpack_next(&reader, &item));
    assert_int_equal(item.number, 5);
}

static void an_array_that_claims_four_thousand_million_items_is_refused_at_once(void **state)
{
    static const uint8_t raw[] = {0xdd, 0xff, 0xff, 0xff, 0xff, 0x01};
    struct obj_msgpack reader = open_bytes(raw, sizeof raw);
    struct obj_msgpack_item item;
    (void)state;
    assert_true(obj_msgpack_next(&reader, &item));
    assert_false(obj_msgpack_skip(&reader, &item));
}

static void nesting_without_end_is_refused(void **state)
{
    uint8_t raw[100000];
    struct obj_msgpack reader = open_bytes(raw, sizeof raw);
    struct obj_msgpack_item item;
    (void)state;
    memset(raw, 0x91, sizeof raw); /* arrays of one */
    assert_true(obj_msgpack_next(&reader, &item));
    assert_false(obj_msgpack_skip(&reader, &item));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_of_every_width_are_read),
        cmocka_unit_test(text_lies_inside_the_document),
        cmocka_unit_test(text_longer_than_the_document_is_refused),
        cmocka_unit_test(a_head_cut_short_is_refused),
        cmocka_unit_test(skipping_a_map_lands_behind_all_of_it),
        cmocka_unit_test(an_array_that_claims_four_thousand_million_items_is_refused_at_once),
        cmocka_unit_test(nesting_without_end_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
