/* Tests of the reader: whole, cut, damaged and hostile captures of both formats. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <zstd.h>

#include "capture/capture_reader.h"
#include "capture/capture_state.h"
#include "capture/capture_testing.h"

static struct testing_file file;

/* A capture with one of everything. */
static void spell_whole(void)
{
    testing_begin(&file);
    testing_device(&file);
    testing_buffer(&file, 1, 8192);
    testing_map(&file, 1, 1, 0xffff800000010000ull, 8192, 0);
    testing_chunk(&file, 5, "wwwws", 1u, 1u, 3u, 0u, "ace");
    testing_chunk(&file, 9, "ww", 1u, 0u);
    testing_chunk(&file, 6, "wwwwwwqs", 0u, 0u, 1u, 0u, 1u, 4u, 4094ull, "abcd");
    testing_chunk(&file, 7, "wwwwqqqwwww", 1u, 1u, 1u, 1u, 0x1000ull, 7ull, 0x800000010000ull, 16u, 0u, 0u, 1u);
    testing_chunk(&file, 10, "ww", 1u, 1u);
    testing_chunk(&file, 11, "wwq", 1u, 0u, 1234ull);
    testing_chunk(&file, 8, "ww", 1u, 1u);
    testing_chunk(&file, 6, "wwww", 1u, 0u, 0u, 0u);
    testing_chunk(&file, 13, "wwwwq", 1u, 0u, 1u, 0u, 99ull);
}

static enum capture_read read_through(const uint8_t *data, size_t size, size_t *events, struct base_error *error)
{
    struct capture_reader *reader = capture_reader_open_bytes(data, size, NULL, error);
    struct capture_event event;
    enum capture_read read = CAPTURE_READ_BAD;
    *events = 0;
    if (!reader)
        return CAPTURE_READ_BAD;
    while ((read = capture_reader_next(reader, &event, error)) == CAPTURE_READ_EVENT)
        ++*events;
    capture_reader_close(reader);
    return read;
}

/* The file as it is spelled is refused, with that reason. */
static void expect_refused(const char *reason)
{
    struct base_error error = {""};
    size_t events;
    assert_int_equal(read_through(file.bytes, file.size, &events, &error), CAPTURE_READ_BAD);
    if (!strstr(error.text, reason))
        fail_msg("'%s' does not say '%s'", error.text, reason);
    assert_non_null(strstr(error.text, "byte "));
}

static void a_whole_capture_gives_its_events_in_order(void **unused)
{
    static const enum capture_event_kind kinds[] = {CAPTURE_DEVICE, CAPTURE_BUFFER, CAPTURE_VA,         CAPTURE_QUEUE,
                                                    CAPTURE_SIGNAL, CAPTURE_MEMORY, CAPTURE_SUBMISSION, CAPTURE_SIGNAL_GIVEN,
                                                    CAPTURE_CLOCK,  CAPTURE_ENDED,  CAPTURE_MEMORY,     CAPTURE_FINAL};
    struct capture_event event;
    struct base_error error;
    (void)unused;
    spell_whole();
    struct capture_reader *reader = capture_reader_open_bytes(file.bytes, file.size, NULL, &error);
    assert_non_null(reader);
    for (size_t n = 0; n < sizeof kinds / sizeof kinds[0]; n++) {
        assert_int_equal(capture_reader_next(reader, &event, &error), CAPTURE_READ_EVENT);
        assert_int_equal(event.kind, kinds[n]);
        if (event.kind == CAPTURE_DEVICE) {
            assert_string_equal(event.device.chip, "gfx1030");
            assert_string_equal(event.device.program, "prog");
        } else if (event.kind == CAPTURE_MEMORY && event.memory.count) {
            assert_int_equal(event.memory.ranges[0].offset, 4094);
            assert_memory_equal(event.memory.ranges[0].data, "abcd", 4);
        } else if (event.kind == CAPTURE_SUBMISSION) {
            assert_int_equal(event.submission.fence_address, 0x1000);
            assert_int_equal(event.submission.ibs[0].address, 0x800000010000);
            assert_int_equal(event.submission.waits[0].signal, 1);
        } else if (event.kind == CAPTURE_FINAL) {
            assert_int_equal(event.final.hashes[0].hash, 99);
        }
    }
    assert_int_equal(capture_reader_next(reader, &event, &error), CAPTURE_READ_END);
    capture_reader_close(reader);
}

static void a_capture_cut_anywhere_is_read_to_the_cut_and_said_to_be_cut(void **unused)
{
    struct base_error error;
    size_t events, before = 0;
    (void)unused;
    spell_whole();
    for (size_t size = 32; size < file.size; size++) {
        assert_int_equal(read_through(file.bytes, size, &events, &error), CAPTURE_READ_CUT);
        assert_true(events >= before);
        before = events;
    }
    assert_int_equal(before, 11);
}

static void a_changed_byte_anywhere_is_noticed(void **unused)
{
    struct base_error error;
    size_t events;
    (void)unused;
    spell_whole();
    for (size_t at = 0; at < file.size; at++) {
        file.bytes[at] ^= 0x10;
        assert_int_not_equal(read_through(file.bytes, file.size, &events, &error), CAPTURE_READ_END);
        file.bytes[at] ^= 0x10;
    }
}

static void what_is_behind_the_end_is_refused(void **unused)
{
    (void)unused;
    spell_whole();
    testing_chunk(&file, 12, "s", "note");
    expect_refused("behind the end");
}

static void lengths_over_the_limits_are_refused(void **unused)
{
    (void)unused;
    testing_begin(&file);
    testing_device(&file);
    testing_chunk_full(&file, 6, 1, (64u << 20) + 1, "", 0);
    expect_refused("at most");
    testing_begin(&file);
    testing_device(&file);
    testing_buffer(&file, 1, 1ull << 60);
    expect_refused("bytes");
    testing_begin(&file);
    testing_device(&file);
    for (unsigned n = 1; n <= 5; n++)
        testing_buffer(&file, n, 16ull << 30);
    expect_refused("in all");
}

static void what_unpacks_to_another_size_than_it_says_is_refused(void **unused)
{
    static uint8_t zeros[1 << 20], packed[1 << 12];
    size_t size = ZSTD_compress(packed, sizeof packed, zeros, sizeof zeros, 19);
    (void)unused;
    assert_false(ZSTD_isError(size));
    testing_begin(&file);
    testing_device(&file);
    testing_chunk_full(&file, 6, 1, 64, packed, (uint32_t)size);
    expect_refused("another size");
    testing_begin(&file);
    testing_device(&file);
    testing_chunk_full(&file, 6, 1, sizeof zeros, packed, (uint32_t)size - 4);
    struct base_error error;
    size_t events;
    assert_int_equal(read_through(file.bytes, file.size, &events, &error), CAPTURE_READ_BAD);
}

static void what_unpacks_to_far_more_than_the_file_has_is_refused(void **unused)
{
    enum { BYTES = 1 << 20, TIMES = 16 };
    static const struct capture_limits limits = {.buffer_bytes = 2 * BYTES,
                                                 .total_bytes = 2 * BYTES,
                                                 .unpacked_bytes = BYTES,
                                                 .unpacked_times = TIMES,
                                                 .spread_bytes = BYTES};
    static uint8_t looks[BYTES], packed[BYTES];
    struct capture_event event;
    struct base_error error = {""};
    enum capture_read read;
    uint64_t unpacked = 0;
    (void)unused;
    testing_begin(&file);
    testing_device(&file);
    testing_buffer(&file, 1, 2 * BYTES);
    base_put_u32(looks + 8, 1);
    base_put_u32(looks + 16, 1);
    base_put_u32(looks + 20, BYTES - 32);
    size_t size = ZSTD_compress(packed, sizeof packed, looks, sizeof looks, 3);
    for (unsigned n = 0; n < 4; n++)
        testing_chunk_full(&file, 6, 1, BYTES, packed, (uint32_t)size);
    struct capture_reader *reader = capture_reader_open_bytes(file.bytes, file.size, &limits, &error);
    assert_non_null(reader);
    while ((read = capture_reader_next(reader, &event, &error)) == CAPTURE_READ_EVENT)
        unpacked += event.kind == CAPTURE_MEMORY ? BYTES : 0;
    capture_reader_close(reader);
    assert_int_equal(read, CAPTURE_READ_BAD);
    assert_non_null(strstr(error.text, "--large"));
    assert_int_equal(unpacked, BYTES); /* the file's own bytes, times 16, are less than another look */
    assert_int_equal(read_through(file.bytes, file.size, &(size_t){0}, &error), CAPTURE_READ_CUT);
}

/* Ranges of one byte, one in each page of a buffer of PAGES, twice over; then all of another buffer. */
static void spell_spread(unsigned pages)
{
    testing_begin(&file);
    testing_device(&file);
    testing_buffer(&file, 1, pages * 4096ull);
    for (unsigned n = 0; n < 2 * pages; n++)
        testing_chunk(&file, 6, "wwwwwwqs", 0u, 0u, 1u, 0u, 1u, 1u, n % pages * 4096ull + n, "x");
}

static void pages_that_hold_little_of_the_capture_are_bounded_by_its_size(void **unused)
{
    enum { PAGES = 40 };
    struct capture_limits limits = capture_limits_usual();
    struct capture_event event;
    struct base_error error = {""};
    enum capture_read read;
    size_t looks = 0;
    (void)unused;
    spell_spread(PAGES);
    limits.spread_times = 0;
    for (unsigned short_of = 0; short_of < 2; short_of++) {
        limits.spread_bytes = PAGES * 4095 - short_of;
        struct capture_reader *reader = capture_reader_open_bytes(file.bytes, file.size, &limits, &error);
        assert_non_null(reader);
        for (looks = 0; (read = capture_reader_next(reader, &event, &error)) == CAPTURE_READ_EVENT;)
            looks += event.kind == CAPTURE_MEMORY;
        capture_reader_close(reader);
        assert_int_equal(read, short_of ? CAPTURE_READ_BAD : CAPTURE_READ_CUT);
        assert_int_equal(looks, short_of ? PAGES - 1 : 2 * PAGES); /* what is touched again costs nothing */
    }
    assert_non_null(strstr(error.text, "byte "));
    assert_non_null(strstr(error.text, "unfilled"));
    assert_non_null(strstr(error.text, "--large"));
    assert_int_equal(read_through(file.bytes, file.size, &looks, &error), CAPTURE_READ_CUT);
}

static void hashes_are_bounded_by_the_files_size(void **unused)
{
    struct capture_limits limits = capture_limits_usual();
    struct base_error error = {""};
    (void)unused;
    spell_whole();
    limits.unpacked_bytes = 1000000;
    limits.unpacked_times = 10;
    uint64_t most = 1000000 + 10 * file.size;
    struct capture_reader *reader = capture_reader_open_bytes(file.bytes, file.size, &limits, &error);
    assert_non_null(reader);
    assert_true(capture_reader_hashes(reader, most - 1, &error));
    assert_false(capture_reader_hashes(reader, 2, &error));
    assert_non_null(strstr(error.text, "has hashes of more than"));
    assert_non_null(strstr(error.text, "--large"));
    assert_true(capture_reader_hashes(reader, 1, &error));
    capture_reader_close(reader);
}

static void ranges_outside_their_buffer_are_refused(void **unused)
{
    (void)unused;
    testing_begin(&file);
    testing_device(&file);
    testing_buffer(&file, 1, 8192);
    testing_chunk(&file, 6, "wwwwwwqs", 0u, 0u, 1u, 0u, 1u, 4u, 8189ull, "abcd");
    expect_refused("not inside buffer 1");
    testing_begin(&file);
    testing_device(&file);
    testing_buffer(&file, 1, 8192);
    testing_chunk(&file, 6, "wwwwwwqs", 0u, 0u, 1u, 0u, 1u, 4u, ~0ull - 1, "abcd");
    expect_refused("not inside buffer 1");
    testing_begin(&file);
    testing_device(&file);
    testing_buffer(&file, 1, 8192);
    testing_chunk(&file, 6, "wwwwwwqs", 0u, 0u, 1u, 0u, 1u, 5u, 0ull, "abcd");
    expect_refused("do not fit");
    testing_begin(&file);
    testing_device(&file);
    testing_buffer(&file, 1, 8192);
    testing_map(&file, 1, 1, 0x10000, 8192, 4096);
    expect_refused("not inside buffer 1");
}

static void addresses_that_wrap_or_are_no_pages_are_refused(void **unused)
{
    static const struct {
        unsigned long long address, bytes;
    } ranges[] = {{0x10001, 4096}, {0x10000, 100}, {0x10000, 0}, {0x7ffffffff000, 8192}, {0xfffffffffffff000, 8192}};
    (void)unused;
    for (size_t n = 0; n < sizeof ranges / sizeof ranges[0]; n++) {
        testing_begin(&file);
        testing_device(&file);
        testing_buffer(&file, 1, 8192);
        testing_map(&file, 1, 1, ranges[n].address, ranges[n].bytes, 0);
        expect_refused("page");
    }
}

static void mappings_that_overlap_are_refused(void **unused)
{
    (void)unused;
    testing_begin(&file);
    testing_device(&file);
    testing_buffer(&file, 1, 65536);
    testing_map(&file, 1, 1, 0x20000, 8192, 0);
    testing_map(&file, 1, 1, 0x1f000, 8192, 0);
    expect_refused("mapped already");
}

static void numbers_that_were_not_given_are_refused(void **unused)
{
    (void)unused;
    testing_begin(&file);
    testing_device(&file);
    testing_map(&file, 1, 1, 0x10000, 4096, 0);
    expect_refused("no buffer 1");
    testing_begin(&file);
    testing_device(&file);
    testing_buffer(&file, 2, 4096);
    expect_refused("buffer 2 comes where 1 is due");
    testing_begin(&file);
    testing_device(&file);
    testing_chunk(&file, 7, "wwwwqq", 1u, 1u, 0u, 0u, 0ull, 0ull);
    expect_refused("no queue 1");
    testing_begin(&file);
    testing_device(&file);
    testing_chunk(&file, 5, "wwww", 1u, 0u, 0u, 0u);
    testing_chunk(&file, 7, "wwwwqqww", 1u, 1u, 0u, 1u, 0ull, 0ull, 1u, 0u);
    expect_refused("neither came before");
    testing_begin(&file);
    testing_device(&file);
    testing_chunk(&file, 8, "ww", 1u, 1u);
    expect_refused("no submission 1");
    testing_begin(&file);
    testing_buffer(&file, 1, 4096);
    expect_refused("begins with its device");
}

static void counts_that_their_chunk_does_not_hold_are_refused(void **unused)
{
    (void)unused;
    testing_begin(&file);
    testing_device(&file);
    testing_chunk(&file, 6, "wwww", 0u, 0u, 0xffffffffu, 0u);
    expect_refused("do not fit");
    testing_begin(&file);
    testing_device(&file);
    testing_chunk(&file, 7, "wwwwqq", 1u, 1u, 0xffffffffu, 0xffffffffu, 0ull, 0ull);
    expect_refused("do not fit");
    testing_begin(&file);
    testing_chunk(&file, 1, "qqwwwwww", 0ull, 0ull, 4096u, 0u, 0xffffffffu, 0u, 0u, 0u);
    expect_refused("do not fit");
}

static void an_unknown_chunk_is_passed_over_only_where_it_says_so(void **unused)
{
    struct base_error error;
    size_t events;
    (void)unused;
    testing_begin(&file);
    testing_device(&file);
    testing_chunk_full(&file, 77, 2, 1, "x", 1);
    testing_chunk(&file, 13, "ww", 0u, 0u);
    assert_int_equal(read_through(file.bytes, file.size, &events, &error), CAPTURE_READ_END);
    assert_int_equal(events, 2);
    testing_begin(&file);
    testing_device(&file);
    testing_chunk_full(&file, 77, 0, 1, "x", 1);
    expect_refused("unknown type 77");
}

/* ---- RDNACAP1 ---- */

static size_t spell_record(uint8_t *to, uint32_t type, const uint8_t *payload, uint32_t size)
{
    base_put_u32(to, type);
    base_put_u32(to + 4, size);
    memcpy(to + 8, payload, size);
    return 8 + size;
}

/* A stream with a device of that family and revision, and two buffers that have the same handle one after the other. */
static size_t spell_stream(uint8_t *to, uint32_t family, uint32_t revision)
{
    uint8_t payload[64] = {0};
    size_t size = 8;
    memcpy(to, "RDNACAP1", 8);
    base_put_u32(payload + 8, revision);
    base_put_u32(payload + 16, family);
    size += spell_record(to + size, 0, payload, 64);
    memset(payload, 0, sizeof payload);
    base_put_u32(payload, 5);
    base_put_u64(payload + 8, 4096);
    size += spell_record(to + size, 1, payload, 24);
    size += spell_record(to + size, 3, payload, 4);
    size += spell_record(to + size, 1, payload, 24);
    return size;
}

static void a_handle_that_is_used_again_names_a_new_buffer(void **unused)
{
    uint8_t stream[1024];
    struct capture_event event;
    struct base_error error;
    (void)unused;
    size_t size = spell_stream(stream, 144, 1);
    struct capture_reader *reader = capture_reader_open_bytes(stream, size, NULL, &error);
    assert_non_null(reader);
    assert_int_equal(capture_reader_next(reader, &event, &error), CAPTURE_READ_EVENT);
    assert_string_equal(event.device.chip, "gfx1033");
    assert_int_equal(capture_reader_next(reader, &event, &error), CAPTURE_READ_EVENT);
    assert_int_equal(event.buffer.number, 1);
    assert_int_equal(capture_reader_next(reader, &event, &error), CAPTURE_READ_EVENT);
    assert_int_equal(event.end.number, 1);
    assert_int_equal(capture_reader_next(reader, &event, &error), CAPTURE_READ_EVENT);
    assert_int_equal(event.buffer.number, 2);
    assert_int_equal(capture_reader_next(reader, &event, &error), CAPTURE_READ_END);
    capture_reader_close(reader);
}

static void a_stream_cut_inside_a_record_is_said_to_be_cut(void **unused)
{
    uint8_t stream[1024], packed[1024];
    struct base_error error;
    size_t events, size = spell_stream(stream, 143, 0x28);
    (void)unused;
    assert_int_equal(read_through(stream, size - 3, &events, &error), CAPTURE_READ_CUT);
    assert_int_equal(events, 3);
    size_t packed_size = ZSTD_compress(packed, sizeof packed, stream, size, 3);
    assert_int_equal(read_through(packed, packed_size, &events, &error), CAPTURE_READ_END);
    assert_int_equal(events, 4);
    assert_int_equal(read_through(packed, packed_size - 1, &events, &error), CAPTURE_READ_BAD);
    assert_non_null(strstr(error.text, "cut"));
}

static void a_stream_of_an_unknown_chip_or_record_is_refused(void **unused)
{
    uint8_t stream[1024];
    struct base_error error;
    size_t events, size = spell_stream(stream, 141, 1);
    (void)unused;
    assert_int_equal(read_through(stream, size, &events, &error), CAPTURE_READ_BAD);
    assert_non_null(strstr(error.text, "family 141"));
    size = spell_stream(stream, 143, 1);
    size += spell_record(stream + size, 6, stream, 0);
    assert_int_equal(read_through(stream, size, &events, &error), CAPTURE_READ_BAD);
    assert_non_null(strstr(error.text, "unknown type 6"));
    size = spell_stream(stream, 143, 1);
    base_put_u32(stream + size, 4);
    base_put_u32(stream + size + 4, 0xfffffff0);
    assert_int_equal(read_through(stream, size + 8, &events, &error), CAPTURE_READ_BAD);
    assert_non_null(strstr(error.text, "at most"));
}

static void bytes_that_are_no_capture_are_refused(void **unused)
{
    struct base_error error;
    (void)unused;
    assert_null(capture_reader_open_bytes((const uint8_t *)"", 0, NULL, &error));
    assert_null(capture_reader_open_bytes((const uint8_t *)"\x7f"
                                                           "ELF and so on and on and on and on",
                                          35, NULL, &error));
    assert_non_null(strstr(error.text, "no capture"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_capture_gives_its_events_in_order),
        cmocka_unit_test(a_capture_cut_anywhere_is_read_to_the_cut_and_said_to_be_cut),
        cmocka_unit_test(a_changed_byte_anywhere_is_noticed),
        cmocka_unit_test(what_is_behind_the_end_is_refused),
        cmocka_unit_test(lengths_over_the_limits_are_refused),
        cmocka_unit_test(what_unpacks_to_another_size_than_it_says_is_refused),
        cmocka_unit_test(what_unpacks_to_far_more_than_the_file_has_is_refused),
        cmocka_unit_test(pages_that_hold_little_of_the_capture_are_bounded_by_its_size),
        cmocka_unit_test(hashes_are_bounded_by_the_files_size),
        cmocka_unit_test(ranges_outside_their_buffer_are_refused),
        cmocka_unit_test(addresses_that_wrap_or_are_no_pages_are_refused),
        cmocka_unit_test(mappings_that_overlap_are_refused),
        cmocka_unit_test(numbers_that_were_not_given_are_refused),
        cmocka_unit_test(counts_that_their_chunk_does_not_hold_are_refused),
        cmocka_unit_test(an_unknown_chunk_is_passed_over_only_where_it_says_so),
        cmocka_unit_test(a_handle_that_is_used_again_names_a_new_buffer),
        cmocka_unit_test(a_stream_cut_inside_a_record_is_said_to_be_cut),
        cmocka_unit_test(a_stream_of_an_unknown_chip_or_record_is_refused),
        cmocka_unit_test(bytes_that_are_no_capture_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
