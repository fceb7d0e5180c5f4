/* Tests of the printer: recorded streams print as an independent decoder printed them, and fields carry their names. */
#include "pm4/pm4.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { LINE_SIZE = 1024, STREAM_WORDS = 4096 };

static const char *data_folder;

static FILE *open_data(const char *name, const char *suffix)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.%s", data_folder, name, suffix);
    FILE *file = fopen(path, "r");
    if (!file)
        fail_msg("%s cannot be opened", path);
    return file;
}

/* The next buffer of a .words file: `IB ADDRESS`, then words. False at the end. */
static bool read_stream(FILE *file, char *head, uint32_t *words, uint32_t *count)
{
    char line[LINE_SIZE];
    *count = 0;
    if (!fgets(head, LINE_SIZE, file))
        return false;
    head[strcspn(head, "\n")] = 0;
    for (long at = ftell(file); fgets(line, sizeof line, file); at = ftell(file)) {
        if (strncmp(line, "IB", 2) == 0) {
            fseek(file, at, SEEK_SET);
            break;
        }
        char *rest = line;
        for (char *word = strtok_r(line, " \n", &rest); word; word = strtok_r(NULL, " \n", &rest)) {
            assert_true(*count < STREAM_WORDS);
            words[(*count)++] = (uint32_t)strtoul(word, NULL, 16);
        }
    }
    return true;
}

/* One packet as the other decoder has it: it does not show the selector of the _INDEX forms. */
static void print_plain(char *line, const struct pm4_packet *packet)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    pm4_packet_print(out, packet, 0, PM4_BRIEF);
    fclose(out);
    text[strcspn(text, "\n")] = 0;
    const char *index = strstr(text, " [INDEX ");
    const char *after = index ? strchr(index, ']') + 1 : "";
    snprintf(line, LINE_SIZE, "%.*s%s", (int)(index ? (size_t)(index - text) : strlen(text)), text, after);
    free(text);
}

static void expect_line(FILE *expected, const char *line)
{
    char want[LINE_SIZE];
    assert_non_null(fgets(want, sizeof want, expected));
    want[strcspn(want, "\n")] = 0;
    assert_string_equal(line, want);
}

static void expect_stream(FILE *expected, const uint32_t *words, uint32_t count)
{
    struct pm4_reader reader = pm4_reader_begin(words, count, PM4_RING_GRAPHICS);
    struct pm4_packet packet;
    struct base_error error = {""};
    enum pm4_result result;
    while ((result = pm4_reader_next(&reader, &packet, &error)) == PM4_PACKET) {
        char line[LINE_SIZE];
        if (packet.id == PM4_NOP)
            continue;
        print_plain(line, &packet);
        expect_line(expected, line);
    }
    if (result != PM4_END)
        fail_msg("%s", error.text);
}

static void recorded_streams_print_as_another_decoder_printed_them(void **state)
{
    (void)state;
    static const char *const names[] = {"vk-comp-navi21", "vk-tri-navi21", "vk-tri-simple"};
    static uint32_t words[STREAM_WORDS];
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
        FILE *streams = open_data(names[n], "words"), *expected = open_data(names[n], "packets");
        char head[LINE_SIZE];
        uint32_t count, buffers = 0;
        for (; read_stream(streams, head, words, &count); buffers++) {
            expect_line(expected, head);
            expect_stream(expected, words, count);
        }
        assert_int_equal(buffers, 3);
        assert_int_equal(fgetc(expected), EOF);
        fclose(streams);
        fclose(expected);
    }
}

/* The caller frees the text. */
static char *print_stream(const uint32_t *words, uint32_t count, int ring, bool expected)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    bool whole = ring == PM4_RING_COUNT ? pm4_sdma_stream_print(out, words, count, 2, PM4_FIELDS)
                                        : pm4_stream_print(out, words, count, (enum pm4_ring)ring, 2, PM4_FIELDS);
    fclose(out);
    assert_int_equal(whole, expected);
    return text;
}

static void expect_text(const uint32_t *words, uint32_t count, int ring, bool whole, const char *want)
{
    char *text = print_stream(words, count, ring, whole);
    assert_string_equal(text, want);
    free(text);
}

/* The words of a recorded copy, wait and release; what the fields are called and mean is the register reference's. */
static void fields_print_with_their_names_and_values(void **state)
{
    (void)state;
    static const uint32_t copy[] = {0xc0055000, 0x60200000, 0x00000e00, 0xffff8000, 0x00000e00, 0xffff8000, 0x800001a0};
    expect_text(copy, 7, PM4_RING_GRAPHICS, true,
                "  DMA_DATA\n    ENGINE = ME\n    SRC_CACHE_POLICY = LRU\n    DST_SEL = NOWHERE\n    DST_CACHE_POLICY = LRU\n"
                "    SRC_SEL = ADDRESS_L2\n    SRC = 0xffff800000000e00\n    DST = 0xffff800000000e00\n    BYTE_COUNT = 0x1a0\n"
                "    SAS = MEMORY\n    DAS = MEMORY\n    DISABLE_WR_CONFIRM = 1\n");
    static const uint32_t wait[] = {0xc0053c00, 0x00000013, 0x000c0004, 0xffff8000, 0x00000001, 0xffffffff, 0x00000004};
    expect_text(wait, 7, PM4_RING_COMPUTE, true,
                "  WAIT_REG_MEM\n    FUNCTION = EQUAL\n    MEM_SPACE = MEMORY\n    OPERATION = WAIT\n    ENGINE_SEL = ME\n"
                "    CACHE_POLICY = LRU\n    ADDR = 0xffff8000000c0004\n    REFERENCE = 1\n    MASK = 0xffffffff\n"
                "    POLL_INTERVAL = 4\n");
    static const uint32_t release[] = {0xc0064900, 0x00703514, 0x23000000, 0x000c0004, 0xffff8000, 1, 0, 0};
    expect_text(
        release, 8, PM4_RING_GRAPHICS, true,
        "  RELEASE_MEM\n    EVENT_TYPE = CACHE_FLUSH_AND_INV_TS_EVENT\n    EVENT_INDEX = END_OF_PIPE\n    GLM_WB = 1\n"
        "    GLM_INV = 1\n    GL2_RANGE = ALL\n    GL2_INV = 1\n    GL2_WB = 1\n    SEQ = FORWARD\n    CACHE_POLICY = LRU\n"
        "    DST_SEL = MEM\n    INT_SEL = WRITE_CONFIRMED\n    DATA_SEL = VALUE_32\n    ADDR = 0xffff8000000c0004\n"
        "    DATA = 0x1\n");
}

static void registers_print_with_their_fields(void **state)
{
    (void)state;
    static const uint32_t words[] = {0xc0017600, 0x213, 0x0000808a};
    expect_text(words, 3, PM4_RING_COMPUTE, true,
                "  SET_SH_REG\n    COMPUTE_PGM_RSRC2=0x808a\n      USER_SGPR = 5\n      TGID_X_EN = 1\n      LDS_SIZE = 1\n");
    static const uint32_t dispatch[] = {0xc0031502, 16, 1, 1, 0x8045};
    expect_text(
        dispatch, 5, PM4_RING_COMPUTE, true,
        "  DISPATCH_DIRECT [CS]\n    X = 0x10\n    Y = 1\n    Z = 1\n    INITIATOR = 0x8045\n      COMPUTE_SHADER_EN = 1\n"
        "      FORCE_START_AT_000 = 1\n      ORDER_MODE = 1\n      CS_W32_EN = 1\n");
}

static void pads_are_counted_and_the_reason_for_a_stop_comes_last(void **state)
{
    (void)state;
    static const uint32_t words[] = {0xffff1000, 0xffff1000, 0x80000000, 0xc0012f00, 1, 2};
    expect_text(words, 6, PM4_RING_GRAPHICS, false,
                "  NOP x 3\n  STOP: word 3, header 0xc0012f00: NUM_INSTANCES has 2 words after its header; 1 to 1 are legal\n");
}

/* The copy that the software present path makes. */
static void sdma_packets_print_with_their_fields(void **state)
{
    (void)state;
    static const uint32_t words[] = {0x80000501, 0x00140000, 1,          0, 0x01f30000, 0x000001f3, 0x000002da, 0x00040000, 1, 0,
                                     0x01f30000, 0x0003d08f, 0x01f301f3, 0, 0};
    expect_text(words, 15, PM4_RING_COUNT, true,
                "  COPY_TILED_SUB_WINDOW\n    DETILE = 1\n    TILED = 0x100140000\n    WIDTH = 0x1f3\n    HEIGHT = 0x1f3\n"
                "    ELEMENT_SIZE = 2\n    SWIZZLE_MODE = 0x1b\n    DIMENSION = 1\n    LINEAR = 0x100040000\n"
                "    LINEAR_PITCH = 0x1f3\n    LINEAR_SLICE_PITCH = 0x3d08f\n    RECT_X = 0x1f3\n    RECT_Y = 0x1f3\n  NOP\n");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recorded_streams_print_as_another_decoder_printed_them),
        cmocka_unit_test(fields_print_with_their_names_and_values),
        cmocka_unit_test(registers_print_with_their_fields),
        cmocka_unit_test(pads_are_counted_and_the_reason_for_a_stop_comes_last),
        cmocka_unit_test(sdma_packets_print_with_their_fields),
    };
    data_folder = argc > 1 ? argv[1] : ".";
    return cmocka_run_group_tests(tests, NULL, NULL);
}
