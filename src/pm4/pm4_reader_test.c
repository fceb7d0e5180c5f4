/* Tests of the readers: what they accept, and that hostile streams are refused with place and reason. */
#include "pm4/pm4.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (uint32_t)(sizeof(array) / sizeof((array)[0]))

static void expect_packet(struct pm4_reader *reader, struct pm4_packet *packet, unsigned id, uint32_t count)
{
    struct base_error error = {""};
    if (pm4_reader_next(reader, packet, &error) != PM4_PACKET)
        fail_msg("no packet: %s", error.text);
    assert_int_equal(packet->id, id);
    assert_int_equal(packet->count, count);
}

/* The stream's first packet is refused with these words in the text, and the reader does not move. */
static void expect_bad(const uint32_t *words, uint32_t count, enum pm4_ring ring, const char *part)
{
    struct pm4_reader reader = pm4_reader_begin(words, count, ring);
    struct pm4_packet packet;
    struct base_error error = {""};
    assert_int_equal(pm4_reader_next(&reader, &packet, &error), PM4_BAD);
    if (!strstr(error.text, part))
        fail_msg("'%s' does not say '%s'", error.text, part);
    assert_int_equal(reader.at, 0);
    assert_int_equal(pm4_reader_next(&reader, &packet, NULL), PM4_BAD);
}

static void packets_of_every_type_are_read_in_order(void **state)
{
    (void)state;
    static const uint32_t words[] = {
        0xffff1000,                                  /* a pad */
        0x80000000,                                  /* type 2 */
        0xc0021000, 1,     2,      3,                /* a NOP with a payload */
        0xc0031502, 16,    1,      1,          0x45, /* DISPATCH_DIRECT with the compute bit */
        0xc0012d01, 3,     2,                        /* DRAW_INDEX_AUTO, predicated */
        0x0001a000, 7,     8,                        /* type 0: two context registers from 0xa000 */
        0xc0004600, 0x407,                           /* EVENT_WRITE CS_PARTIAL_FLUSH */
        0xc0024600, 0x115, 0x1000, 0xffff8000,       /* EVENT_WRITE ZPASS_DONE with its address */
    };
    struct pm4_reader reader = pm4_reader_begin(words, COUNT(words), PM4_RING_GRAPHICS);
    struct pm4_packet packet;
    struct pm4_set set;
    expect_packet(&reader, &packet, PM4_NOP, 0);
    expect_packet(&reader, &packet, PM4_NOP, 0);
    assert_int_equal(packet.type, 2);
    expect_packet(&reader, &packet, PM4_NOP, 3);
    assert_int_equal(packet.words[2], 3);
    expect_packet(&reader, &packet, PM4_DISPATCH_DIRECT, 4);
    assert_true(packet.compute && !packet.predicate);
    assert_int_equal(packet.offset, 6);
    assert_int_equal(pm4_get(&packet, PM4_W_DISPATCH_DIRECT_X), 16);
    expect_packet(&reader, &packet, PM4_DRAW_INDEX_AUTO, 2);
    assert_true(packet.predicate && !packet.compute);
    expect_packet(&reader, &packet, PM4_PACKET_COUNT, 2);
    assert_null(packet.row);
    assert_true(pm4_packet_sets(&packet, &set));
    assert_int_equal(set.space, PM4_SPACE_CONTEXT);
    assert_int_equal(set.offset, 0xa000);
    assert_int_equal(set.count, 2);
    assert_int_equal(set.values[1], 8);
    expect_packet(&reader, &packet, PM4_EVENT_WRITE, 1);
    assert_int_equal(pm4_get_quad(&packet, PM4_W_EVENT_WRITE_ADDR), 0);
    expect_packet(&reader, &packet, PM4_EVENT_WRITE, 3);
    assert_true(pm4_get_quad(&packet, PM4_W_EVENT_WRITE_ADDR) == 0xffff800000001000);
    assert_int_equal(pm4_reader_next(&reader, &packet, NULL), PM4_END);
    assert_int_equal(pm4_reader_next(&reader, &packet, NULL), PM4_END);
}

static void an_empty_stream_ends_at_once(void **state)
{
    (void)state;
    struct pm4_reader reader = pm4_reader_begin(NULL, 0, PM4_RING_GRAPHICS);
    struct pm4_packet packet;
    assert_int_equal(pm4_reader_next(&reader, &packet, NULL), PM4_END);
}

static void a_stream_that_ends_inside_a_packet_is_refused(void **state)
{
    (void)state;
    static const uint32_t words[] = {0xc0055000, 0, 0, 0, 0, 0}; /* DMA_DATA needs one more */
    expect_bad(words, COUNT(words), PM4_RING_GRAPHICS, "DMA_DATA has 6 words after its header, and the stream ends after 5");
    expect_bad(words, 1, PM4_RING_GRAPHICS, "ends after 0");
    static const uint32_t longest[] = {0xfffe1000}; /* a NOP that says 0x3fff words follow */
    expect_bad(longest, 1, PM4_RING_GRAPHICS, "NOP has 16383 words");
    static const uint32_t registers[] = {0x0003a000, 1, 2};
    expect_bad(registers, COUNT(registers), PM4_RING_GRAPHICS, "type 0 has 4 words");
}

static void a_length_that_a_packet_cannot_have_is_refused(void **state)
{
    (void)state;
    static const uint32_t too_long[] = {0xc0043c00 + 0x20000, 0, 0, 0, 0, 0, 0, 0};
    expect_bad(too_long, COUNT(too_long), PM4_RING_GRAPHICS, "WAIT_REG_MEM has 7 words after its header; 6 to 6 are legal");
    static const uint32_t too_short[] = {0xc0023700, 0, 0, 0}; /* WRITE_DATA with nothing to write */
    expect_bad(too_short, COUNT(too_short), PM4_RING_GRAPHICS, "WRITE_DATA has 3 words");
    static const uint32_t no_values[] = {0xc0007600, 0};
    expect_bad(no_values, COUNT(no_values), PM4_RING_GRAPHICS, "SET_SH_REG has 1 words");
    static const uint32_t not_a_pad[] = {0xffff4200, 0}; /* the pad's count means one word for NOP alone */
    expect_bad(not_a_pad, COUNT(not_a_pad), PM4_RING_GRAPHICS, "PFP_SYNC_ME has 16384 words");
}

static void an_opcode_or_type_that_does_not_exist_is_refused(void **state)
{
    (void)state;
    static const uint32_t opcode[] = {0xc000ff00, 0};
    expect_bad(opcode, COUNT(opcode), PM4_RING_GRAPHICS, "word 0, header 0xc000ff00: its opcode is that of no packet");
    static const uint32_t type[] = {0x40000000};
    expect_bad(type, 1, PM4_RING_COMPUTE, "type 1 does not exist");
}

static void a_packet_of_another_ring_is_refused(void **state)
{
    (void)state;
    static const uint32_t draw[] = {0xc0012d00, 3, 2};
    expect_bad(draw, COUNT(draw), PM4_RING_COMPUTE, "DRAW_INDEX_AUTO is not legal on the compute ring");
    static const uint32_t context[] = {0xc0016900, 0, 0};
    expect_bad(context, COUNT(context), PM4_RING_COMPUTE, "SET_CONTEXT_REG is not legal on the compute ring");
    static const uint32_t queues[] = {0xc000a200, 0};
    expect_bad(queues, COUNT(queues), PM4_RING_GRAPHICS, "MAP_QUEUES is the kernel's own");
}

static void an_indirect_dispatch_has_a_form_for_each_ring(void **state)
{
    (void)state;
    static const uint32_t relative[] = {0xc0011602, 0x40, 0x45};
    static const uint32_t absolute[] = {0xc0021602, 0x1000, 0xffff8000, 0x45};
    struct pm4_packet packet;
    struct pm4_reader reader = pm4_reader_begin(relative, COUNT(relative), PM4_RING_GRAPHICS);
    expect_packet(&reader, &packet, PM4_DISPATCH_INDIRECT, 2);
    assert_int_equal(pm4_get(&packet, PM4_W_DISPATCH_INDIRECT_OFFSET), 0x40);
    reader = pm4_reader_begin(absolute, COUNT(absolute), PM4_RING_COMPUTE);
    expect_packet(&reader, &packet, PM4_DISPATCH_INDIRECT_MEC, 3);
    assert_true(pm4_get_quad(&packet, PM4_W_DISPATCH_INDIRECT_MEC_ADDR) == 0xffff800000001000);
    expect_bad(relative, COUNT(relative), PM4_RING_COMPUTE, "DISPATCH_INDIRECT_MEC has 2 words");
    expect_bad(absolute, COUNT(absolute), PM4_RING_GRAPHICS, "DISPATCH_INDIRECT has 3 words");
}

static void registers_outside_their_space_are_refused(void **state)
{
    (void)state;
    static const uint32_t last[] = {0xc0016900, 0x3ff, 1};
    static const uint32_t past[] = {0xc0026900, 0x3ff, 1, 2};
    static const uint32_t far[] = {0xc0017600, 0xffff, 1};
    static const uint32_t indexed[] = {0xc0017a00, 0x20000243, 1}; /* the selector's bits are no part of the place */
    static const uint32_t nowhere[] = {0x00000000, 1};             /* type 0 below every space */
    static const uint32_t across[] = {0x00012fff, 1, 2};           /* type 0 over the end of the SH space */
    struct pm4_packet packet;
    struct pm4_set set;
    struct pm4_reader reader = pm4_reader_begin(last, COUNT(last), PM4_RING_GRAPHICS);
    expect_packet(&reader, &packet, PM4_SET_CONTEXT_REG, 2);
    expect_bad(past, COUNT(past), PM4_RING_GRAPHICS, "sets 2 registers from 0xa3ff, which are not all in the context space");
    expect_bad(far, COUNT(far), PM4_RING_GRAPHICS, "not all in the SH space");
    expect_bad(nowhere, COUNT(nowhere), PM4_RING_GRAPHICS, "sets 1 registers from 0x0, which are not all in a register space");
    expect_bad(across, COUNT(across), PM4_RING_GRAPHICS, "not all in the SH space");
    reader = pm4_reader_begin(indexed, COUNT(indexed), PM4_RING_GRAPHICS);
    expect_packet(&reader, &packet, PM4_SET_UCONFIG_REG_INDEX, 2);
    assert_true(pm4_packet_sets(&packet, &set));
    assert_int_equal(set.offset, PM4_REG_VGT_INDEX_TYPE);
    assert_int_equal(set.index, 2);
}

static void absent_words_read_as_zero(void **state)
{
    (void)state;
    static const uint32_t words[] = {0xffffffff, 0xffffffff};
    struct pm4_packet packet = {.words = words, .count = 2};
    assert_int_equal(pm4_get(&packet, PM4_W_DMA_DATA_BYTE_COUNT), 0);
    assert_true(pm4_get_quad(&packet, PM4_W_DMA_DATA_SRC) == 0); /* its high word is missing */
    assert_true(pm4_get_quad(&packet, PM4_W_INDIRECT_BUFFER_BASE) == 0xfffffffffffffffc);
}

/* ---- SDMA ---- */

static void expect_sdma(struct pm4_sdma_reader *reader, unsigned id, uint32_t count)
{
    struct pm4_sdma_packet packet;
    struct base_error error = {""};
    if (pm4_sdma_reader_next(reader, &packet, &error) != PM4_PACKET)
        fail_msg("no packet: %s", error.text);
    assert_int_equal(packet.id, id);
    assert_int_equal(packet.count, count);
}

static void expect_sdma_bad(const uint32_t *words, uint32_t count, const char *part)
{
    struct pm4_sdma_reader reader = pm4_sdma_reader_begin(words, count);
    struct pm4_sdma_packet packet;
    struct base_error error = {""};
    assert_int_equal(pm4_sdma_reader_next(&reader, &packet, &error), PM4_BAD);
    if (!strstr(error.text, part))
        fail_msg("'%s' does not say '%s'", error.text, part);
    assert_int_equal(reader.at, 0);
}

static void sdma_lengths_come_from_opcode_and_fields(void **state)
{
    (void)state;
    static const uint32_t words[] = {
        0x00000000,                                                                  /* NOP */
        0x00020000, 9,      9,                                                       /* NOP with two words */
        0x00000001, 63,     0, 1, 2,          3,         4,                          /* COPY linear */
        0x08000001, 63,     0, 1, 2,          3,         4, 5, 6,                    /* the same to two destinations */
        0x00000002, 0x1000, 0, 1, 0xaa,       0xbb,                                  /* WRITE of two words */
        0x8000000b, 0x1000, 0, 0, 4095,                                              /* CONST_FILL */
        0x00000005, 0x1000, 0, 7,                                                    /* FENCE */
        0x00000006, 0,                                                               /* TRAP */
        0xb0000008, 0x1000, 0, 1, 0xffffffff, 0xfff000a,                             /* POLL_REGMEM on memory */
        0x0000020d, 0x1000, 0,                                                       /* TIMESTAMP get global */
        0x00000501, 1,      2, 3, 4,          5,         6, 7, 8, 9, 10, 11, 12, 13, /* COPY tiled sub-window */
        0x00080501, 1,      2, 3, 4,          5,         6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, /* and with DCC */
    };
    struct pm4_sdma_reader reader = pm4_sdma_reader_begin(words, COUNT(words));
    expect_sdma(&reader, PM4_SDMA_NOP, 1);
    expect_sdma(&reader, PM4_SDMA_NOP, 3);
    expect_sdma(&reader, PM4_SDMA_COPY_LINEAR, 7);
    expect_sdma(&reader, PM4_SDMA_COPY_LINEAR_BROADCAST, 9);
    expect_sdma(&reader, PM4_SDMA_WRITE_LINEAR, 6);
    expect_sdma(&reader, PM4_SDMA_CONST_FILL, 5);
    expect_sdma(&reader, PM4_SDMA_FENCE, 4);
    expect_sdma(&reader, PM4_SDMA_TRAP, 2);
    expect_sdma(&reader, PM4_SDMA_POLL_REGMEM, 6);
    expect_sdma(&reader, PM4_SDMA_TIMESTAMP_GET_GLOBAL, 3);
    expect_sdma(&reader, PM4_SDMA_COPY_TILED_SUB_WINDOW, 14);
    expect_sdma(&reader, PM4_SDMA_COPY_TILED_SUB_WINDOW, 17);
    struct pm4_sdma_packet packet;
    assert_int_equal(pm4_sdma_reader_next(&reader, &packet, NULL), PM4_END);
}

static void hostile_sdma_streams_are_refused(void **state)
{
    (void)state;
    static const uint32_t cut[] = {0x00000001, 63, 0, 1, 2, 3};
    expect_sdma_bad(cut, COUNT(cut), "COPY_LINEAR has 7 words, and the stream ends after 6");
    static const uint32_t huge[] = {0x00000002, 0x1000, 0, 0xfffff};
    expect_sdma_bad(huge, COUNT(huge), "WRITE_LINEAR has 1048580 words");
    expect_sdma_bad(huge, 3, "WRITE_LINEAR has 4 words"); /* its own count is not there to be read */
    static const uint32_t pads[] = {0x3fff0000};
    expect_sdma_bad(pads, 1, "NOP has 16384 words");
    static const uint32_t opcode[] = {0x000000ff};
    expect_sdma_bad(opcode, 1, "its opcode is that of no SDMA packet");
    static const uint32_t sub_op[] = {0x0000ff01};
    expect_sdma_bad(sub_op, 1, "its opcode is that of no SDMA packet");
    static const uint32_t kernel[] = {0x0000010c};
    expect_sdma_bad(kernel, 1, "PTEPDE_COPY is the kernel's own");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packets_of_every_type_are_read_in_order),
        cmocka_unit_test(an_empty_stream_ends_at_once),
        cmocka_unit_test(a_stream_that_ends_inside_a_packet_is_refused),
        cmocka_unit_test(a_length_that_a_packet_cannot_have_is_refused),
        cmocka_unit_test(an_opcode_or_type_that_does_not_exist_is_refused),
        cmocka_unit_test(a_packet_of_another_ring_is_refused),
        cmocka_unit_test(an_indirect_dispatch_has_a_form_for_each_ring),
        cmocka_unit_test(registers_outside_their_space_are_refused),
        cmocka_unit_test(absent_words_read_as_zero),
        cmocka_unit_test(sdma_lengths_come_from_opcode_and_fields),
        cmocka_unit_test(hostile_sdma_streams_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
