/* tool_inspect: `tenfold inspect`: shows what a capture holds, as text or as one HTML page. */
#include "tool/tool_inspect.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/base_bytes.h"
#include "tool/tool.h"
#include "tool/tool_options.h"

enum { ANCHOR = 48 };

static const char help[] =
    "usage: tenfold inspect [--brief] [--large] [--html FILE] CAPTURE\n"
    "       tenfold inspect --ib graphics|compute|sdma FILE\n"
    "\n"
    "Shows what CAPTURE holds (a file of `tenfold run --capture`, or an RDNACAP1 stream): submissions with their packets, "
    "registers and\n"
    "fields; dispatches and draws with what they find set; programs in assembler text; buffers; the address space.\n"
    "\n"
    "Options:\n"
    "  --html FILE   write one HTML page that needs nothing else, instead of text to standard output\n"
    "  --brief       packets and registers on one line each, without their fields\n"
    "  --large       read a capture that is out of proportion: unpacked, hashed or touched pages against its size\n"
    "  --ib RING     FILE is no capture but the bare words of an indirect buffer for that ring\n"
    "  --help        this text\n"
    "\n"
    "The exit status is 1 when the file cannot be read, is damaged, or holds what is no packet or no program. 2: wrong usage.\n"
    "\n"
    "Examples:\n"
    "  tenfold inspect run.tfcap | less\n"
    "  tenfold inspect --html run.html run.tfcap\n";

struct options {
    const char *path, *html, *ring;
    bool is_brief, is_large, wants_help;
};

#define PLACE(member) NULL, offsetof(struct options, member), NULL

static const struct tool_option rows[] = {
    {"--html", NULL, "FILE", PLACE(html)},    {"--ib", NULL, "RING", PLACE(ring)},       {"--brief", NULL, NULL, PLACE(is_brief)},
    {"--large", NULL, NULL, PLACE(is_large)}, {"--help", "-h", NULL, PLACE(wants_help)},
};

static const struct tool_options known_options = TOOL_OPTIONS("inspect", rows);

static bool parse(int argc, char **argv, struct options *options)
{
    for (int n = 1; n < argc && !options->wants_help; n++) {
        if (tool_option_is(argv[n])) {
            if (!tool_option_take(&known_options, options, argc, argv, &n))
                return false;
        } else if (options->path) {
            tool_complain("one file at a time: '%s' is a second", argv[n]);
            return false;
        } else {
            options->path = argv[n];
        }
    }
    if (!options->path && !options->wants_help)
        tool_complain("which capture? Try tenfold inspect --help");
    return options->path || options->wants_help;
}

void *inspect_grow(void *items, size_t item_size, size_t count, size_t *capacity)
{
    if (count < *capacity)
        return items;
    size_t wanted = *capacity ? *capacity * 2 : 16;
    uint8_t *grown = realloc(items, wanted * item_size);
    if (grown) {
        memset(grown + count * item_size, 0, (wanted - count) * item_size);
        *capacity = wanted;
    }
    return grown;
}

void inspect_problem(struct inspect *inspect, const char *format, ...)
{
    struct base_error problem;
    char place[ANCHOR] = "";
    va_list list;
    va_start(list, format);
    vsnprintf(problem.text, sizeof problem.text, format, list);
    va_end(list);
    tool_document_open(inspect->document, TOOL_NODE_PROBLEM, "", "%s", problem.text);
    tool_document_close(inspect->document);
    if (inspect->ib)
        snprintf(place, sizeof place, ", IB at 0x%" PRIx64, inspect->ib);
    if (!inspect->problems++)
        base_error_set(&inspect->first, "submission %" PRIu32 "%s: %s", inspect->submission, place, problem.text);
}

/* ---- the walk ---- */

static void note_buffer(struct inspect *inspect)
{
    struct inspect_buffer *grown =
        inspect_grow(inspect->buffers, sizeof *grown, inspect->buffer_count, &inspect->buffer_capacity);
    if (!grown)
        return;
    inspect->buffers = grown;
    inspect->buffers[inspect->buffer_count++] = (struct inspect_buffer){.born = inspect->submission};
}

static void note_queue(struct inspect *inspect, const struct capture_event_queue *queue)
{
    struct inspect_ring *grown = inspect_grow(inspect->rings, sizeof *grown, inspect->ring_count, &inspect->ring_capacity);
    if (!grown)
        return;
    inspect->rings = grown;
    inspect->rings[inspect->ring_count++] = (struct inspect_ring){.kind = queue->kind};
}

static void note_mapping(struct inspect *inspect, const struct capture_event_va *va)
{
    if (!va->buffer || va->buffer > inspect->buffer_count ||
        (va->operation != CAPTURE_VA_MAP && va->operation != CAPTURE_VA_REPLACE))
        return;
    struct inspect_buffer *buffer = &inspect->buffers[va->buffer - 1];
    if (!buffer->is_mapped)
        buffer->address = va->address;
    buffer->is_mapped = true;
}

static void note_memory(struct inspect *inspect, const struct capture_event_memory *memory)
{
    for (size_t n = 0; n < memory->count; n++) {
        const struct capture_range *range = &memory->ranges[n];
        struct inspect_change *grown =
            inspect_grow(inspect->changes, sizeof *grown, inspect->change_count, &inspect->change_capacity);
        if (!grown || range->buffer > inspect->buffer_count)
            return;
        inspect->changes = grown;
        inspect->changes[inspect->change_count++] =
            (struct inspect_change){range->buffer, range->bytes, range->offset, memory->reason == CAPTURE_MEMORY_PROGRAM};
        inspect->buffers[range->buffer - 1].written += range->bytes;
    }
}

/* Changes one after the other are one node. */
static void show_memory(struct inspect *inspect)
{
    uint64_t bytes = 0;
    size_t count = inspect->change_count;
    for (size_t n = 0; n < count; n++)
        bytes += inspect->changes[n].bytes;
    inspect->change_count = 0;
    if (!count)
        return;
    tool_document_open(inspect->document, TOOL_NODE_MEMORY, "", "memory changed by %s: %" PRIu64 " bytes in %zu range%s",
                       inspect->changes[0].is_program ? "the program" : "submissions, or the program meanwhile", bytes, count,
                       count == 1 ? "" : "s");
    for (size_t n = 0; n < count; n++)
        tool_document_line(inspect->document, "buffer %" PRIu32 " from 0x%" PRIx64 ": %" PRIu32 " bytes",
                           inspect->changes[n].buffer, inspect->changes[n].offset, inspect->changes[n].bytes);
    tool_document_close(inspect->document);
}

static const char *queue_kind(enum tf_queue_kind kind)
{
    return kind == TF_QUEUE_GRAPHICS ? "graphics" : kind == TF_QUEUE_COMPUTE ? "compute" : "SDMA";
}

static void show_submission(struct inspect *inspect, const struct capture_event_submission *submission)
{
    char anchor[ANCHOR];
    if (submission->queue > inspect->ring_count)
        return;
    struct inspect_ring *ring = &inspect->rings[submission->queue - 1];
    inspect->submission = submission->number;
    inspect->work_count = 0;
    inspect->words_left = INSPECT_SUBMISSION_WORDS;
    inspect->ibs_left = INSPECT_SUBMISSION_IBS;
    snprintf(anchor, sizeof anchor, "submission-%" PRIu32, submission->number);
    tool_document_open(inspect->document, TOOL_NODE_SUBMISSION, anchor, "submission %" PRIu32 ": %s queue %" PRIu32,
                       submission->number, queue_kind(ring->kind), submission->queue);
    for (size_t n = 0; n < submission->wait_count; n++) {
        bool is_signal = submission->waits[n].signal;
        tool_document_fact(inspect->document, "waits for", "%s %" PRIu32, is_signal ? "the program's signal" : "submission",
                           is_signal ? submission->waits[n].signal : submission->waits[n].submission);
    }
    if (submission->fence_address)
        tool_document_fact(inspect->document, "fence", "0x%" PRIx64 " at 0x%" PRIx64, submission->fence_value,
                           submission->fence_address);
    for (size_t n = 0; n < submission->ib_count; n++)
        inspect_stream(inspect, ring, &submission->ibs[n]);
    tool_document_close(inspect->document);
}

static void show_event(struct inspect *inspect, const struct capture_event *event)
{
    bool goes_on = event->kind == CAPTURE_MEMORY && inspect->change_count &&
                   inspect->changes[0].is_program == (event->memory.reason == CAPTURE_MEMORY_PROGRAM);
    if (!goes_on)
        show_memory(inspect);
    switch (event->kind) {
    case CAPTURE_BUFFER: note_buffer(inspect); break;
    case CAPTURE_BUFFER_END:
        if (event->end.number <= inspect->buffer_count) {
            inspect->buffers[event->end.number - 1].is_gone = true;
            inspect->buffers[event->end.number - 1].gone = inspect->submission;
        }
        break;
    case CAPTURE_VA: note_mapping(inspect, &event->va); break;
    case CAPTURE_QUEUE: note_queue(inspect, &event->queue); break;
    case CAPTURE_MEMORY: note_memory(inspect, &event->memory); break;
    case CAPTURE_SUBMISSION: show_submission(inspect, &event->submission); break;
    case CAPTURE_ENDED:
        if (event->state.state == TF_FENCE_LOST)
            tool_document_line(inspect->document, "submission %" PRIu32 " was lost", event->state.number);
        break;
    case CAPTURE_STALLED:
        tool_document_line(inspect->document, "submission %" PRIu32 " waits: the program went on before it ended",
                           event->state.number);
        break;
    case CAPTURE_SIGNAL_GIVEN:
        tool_document_line(inspect->document, "the program gives signal %" PRIu32, event->state.number);
        break;
    case CAPTURE_NOTE: tool_document_line(inspect->document, "note: %s", event->note); break;
    case CAPTURE_DEVICE:
    case CAPTURE_SIGNAL:
    case CAPTURE_CLOCK:
    case CAPTURE_FINAL: break;
    }
}

static void show_device(struct inspect *inspect, const struct capture_reader *reader, const struct capture_event_device *device,
                        const char *path)
{
    tool_document_section(inspect->document, "Capture");
    tool_document_fact(inspect->document, "file", "%s", path);
    tool_document_fact(inspect->document, "format", "%s", capture_reader_format(reader));
    tool_document_fact(inspect->document, "chip", "%s", device->chip);
    if (device->program[0])
        tool_document_fact(inspect->document, "program", "%s", device->program);
    if (device->version[0])
        tool_document_fact(inspect->document, "recorded by", "tenfold %s", device->version);
    if (device->window_bytes)
        tool_document_fact(inspect->document, "window", "0x%" PRIx64 ", 0x%" PRIx64 " bytes", device->window_base,
                           device->window_bytes);
}

/* Walks to the end. *read says how it ended. False when the host has no memory. */
static bool walk(struct inspect *inspect, struct capture_reader *reader, const char *path, enum capture_read *read,
                 struct base_error *error)
{
    struct capture_event event;
    while ((*read = capture_reader_next(reader, &event, error)) == CAPTURE_READ_EVENT) {
        if (!capture_state_apply(&inspect->state, &event, error))
            return false;
        if (event.kind == CAPTURE_DEVICE) {
            inspect->chip = isa_chip_by_name(event.device.chip);
            inspect->chip = inspect->chip ? inspect->chip : ISA_GFX1030;
            show_device(inspect, reader, &event.device, path);
            tool_document_section(inspect->document, "Submissions");
        }
        show_event(inspect, &event);
    }
    show_memory(inspect);
    return true;
}

static void inspect_finish(struct inspect *inspect)
{
    for (size_t n = 0; n < inspect->ring_count; n++) {
        free(inspect->rings[n].values);
        free(inspect->rings[n].known);
    }
    for (size_t n = 0; n < inspect->program_count; n++)
        free(inspect->programs[n].words);
    free(inspect->rings);
    free(inspect->programs);
    free(inspect->buffers);
    free(inspect->changes);
    capture_state_finish(&inspect->state);
}

static bool show_capture(const struct options *options, struct tool_document *document)
{
    struct inspect inspect = {.document = document, .detail = options->is_brief ? PM4_BRIEF : PM4_FIELDS};
    struct base_error error;
    enum capture_read read = CAPTURE_READ_BAD;
    struct capture_limits limits = options->is_large ? capture_limits_large() : capture_limits_usual();
    struct capture_reader *reader = capture_reader_open(options->path, &limits, &error);
    if (!reader) {
        tool_complain("%s", error.text);
        return false;
    }
    bool is_good = walk(&inspect, reader, options->path, &read, &error) && read != CAPTURE_READ_BAD;
    if (!is_good) {
        tool_complain("'%s': %s", options->path, error.text);
        tool_document_line(document, "the capture cannot be read further: %s", error.text);
    }
    if (read == CAPTURE_READ_CUT) {
        tool_complain("'%s' is cut: it ends before its end", options->path);
        tool_document_line(document, "the capture is cut here: it ends before its end");
    }
    inspect_programs(&inspect);
    inspect_buffers(&inspect);
    inspect_space(&inspect);
    if (inspect.problems > 1)
        tool_complain("'%s': %s; and %" PRIu32 " more like it", options->path, inspect.first.text, inspect.problems - 1);
    else if (inspect.problems)
        tool_complain("'%s': %s", options->path, inspect.first.text);
    is_good = is_good && !inspect.problems;
    capture_reader_close(reader);
    inspect_finish(&inspect);
    return is_good;
}

/* Says what the first thing is that is no packet, and where. */
static void complain_of_words(const char *path, size_t ring, const uint32_t *words, uint32_t count)
{
    struct pm4_reader reader = pm4_reader_begin(words, count, ring == TF_QUEUE_COMPUTE ? PM4_RING_COMPUTE : PM4_RING_GRAPHICS);
    struct pm4_sdma_reader sdma_reader = pm4_sdma_reader_begin(words, count);
    struct pm4_packet packet;
    struct pm4_sdma_packet sdma_packet;
    struct base_error error = {"it cannot be shown"};
    enum pm4_result result;
    do
        result = ring == TF_QUEUE_SDMA ? pm4_sdma_reader_next(&sdma_reader, &sdma_packet, &error)
                                       : pm4_reader_next(&reader, &packet, &error);
    while (result == PM4_PACKET);
    tool_complain("'%s': %s", path, error.text);
}

/* Bare words of an IB. */
static int show_ib(const struct options *options)
{
    static const char *const rings[] = {"graphics", "compute", "sdma"};
    enum pm4_detail detail = options->is_brief ? PM4_BRIEF : PM4_FIELDS;
    size_t ring = 0, size;
    uint8_t *data;
    while (ring < sizeof rings / sizeof rings[0] && strcmp(rings[ring], options->ring))
        ring++;
    if (ring == sizeof rings / sizeof rings[0]) {
        tool_complain("--ib: there is no ring '%s'; there are graphics, compute and sdma", options->ring);
        return TOOL_USAGE;
    }
    if (!tool_file_read(options->path, &data, &size))
        return TOOL_FAILED;
    uint32_t count = size / sizeof(uint32_t) < INSPECT_IB_WORDS ? (uint32_t)(size / sizeof(uint32_t)) : INSPECT_IB_WORDS;
    uint32_t *words = malloc(count * sizeof *words + 1);
    for (uint32_t n = 0; words && n < count; n++)
        base_bytes_u32((struct base_bytes){data, size}, n * sizeof *words, &words[n]);
    bool is_good = words && (ring == TF_QUEUE_SDMA ? pm4_sdma_stream_print(stdout, words, count, 0, detail)
                                                   : pm4_stream_print(stdout, words, count, (enum pm4_ring)ring, 0, detail));
    if (!words)
        tool_complain("out of memory");
    else if (!is_good)
        complain_of_words(options->path, ring, words, count);
    if (size % sizeof(uint32_t) || size / sizeof(uint32_t) > count) {
        tool_complain("'%s': %zu bytes are no whole words of an IB, of which there are %d at most", options->path, size,
                      INSPECT_IB_WORDS);
        is_good = false;
    }
    free(words);
    free(data);
    return is_good ? TOOL_DONE : TOOL_FAILED;
}

int tool_inspect(int argc, char **argv)
{
    struct options options = {0};
    if (!parse(argc, argv, &options))
        return TOOL_USAGE;
    if (options.wants_help) {
        fputs(help, stdout);
        return TOOL_DONE;
    }
    if (options.ring)
        return show_ib(&options);
    if (options.html && tool_file_same(options.html, options.path)) {
        tool_complain("--html %s: that is the capture itself", options.html);
        return TOOL_USAGE;
    }
    FILE *file = options.html ? fopen(options.html, "w") : stdout;
    if (!file) {
        tool_complain("cannot write '%s': %s", options.html, strerror(errno));
        return TOOL_FAILED;
    }
    const char *name = strrchr(options.path, '/') ? strrchr(options.path, '/') + 1 : options.path;
    struct tool_document *document = options.html ? tool_document_html(file, name) : tool_document_text(file);
    bool is_good = document && show_capture(&options, document);
    bool is_written = tool_document_destroy(document);
    if ((options.html && fclose(file)) || !is_written) {
        tool_complain("cannot write '%s': %s", options.html ? options.html : "standard output", strerror(errno));
        return TOOL_FAILED;
    }
    return is_good ? TOOL_DONE : TOOL_FAILED;
}
