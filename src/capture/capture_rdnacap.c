/* capture_rdnacap: reads RDNACAP1 streams (records of what a driver gave to a device that carried nothing out) into the same
 * events. */
#include <inttypes.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "capture/capture_reading.h"

#define RDNACAP_MAGIC "RDNACAP1"

enum {
    MAGIC_BYTES = 8,
    RECORD_HEAD = 8, /* u32 type, u32 payload bytes */
    ZSTD_FRAME = 0xfd2fb528,
    IN_PIECE = 64 << 10,
    OUT_PIECE = 1 << 20, /* payloads are unpacked piece by piece, so that a length alone claims no memory */
    RECORD_MOST = 1 << 28,
    RINGS_MOST = 32,
};

enum record_type {
    RECORD_DEVICE = 0,
    RECORD_BUFFER = 1,
    RECORD_VA = 2,
    RECORD_BUFFER_END = 3,
    RECORD_BYTES = 4,
    RECORD_SUBMISSION = 5,
    RECORD_IB = 7,
    RECORD_PROGRAM = 8,
};

/* Bytes of the records' fixed parts. */
enum { BUFFER_BYTES = 24, VA_BYTES = 40, BUFFER_END_BYTES = 4, BYTES_HEAD = 16, SUBMISSION_HEAD = 32, IB_BYTES = 16 };

/* Where struct drm_amdgpu_info_device has what names the chip. */
enum { INFO_EXTERNAL_REVISION = 8, INFO_FAMILY = 16, INFO_LEAST = 20 };

/* Chips by family and external revision, as the kernel numbers them; the code of each runs on the chip named. */
static const struct chip_range {
    uint32_t family, first_revision, last_revision;
    const char *chip;
} chip_ranges[] = {
    {143, 0x01, 0x09, "gfx1010"}, /* Navi 10 */
    {143, 0x28, 0x5a, "gfx1030"}, /* Navi 21 to 24 */
    {144, 0x01, 0xff, "gfx1033"}, /* Van Gogh */
};

static uint32_t u32_at(const struct capture_reader *reader, size_t offset)
{
    uint32_t value = 0;
    base_bytes_u32((struct base_bytes){reader->raw.data, reader->raw.size}, offset, &value);
    return value;
}

static uint64_t u64_at(const struct capture_reader *reader, size_t offset)
{
    uint64_t value = 0;
    base_bytes_u64((struct base_bytes){reader->raw.data, reader->raw.size}, offset, &value);
    return value;
}

enum stream_read { STREAM_ALL, STREAM_PART, STREAM_BAD };

static bool refill(struct capture_reader *reader)
{
    struct capture_stream *stream = &reader->stream;
    if (stream->in_used < stream->in.size)
        return true;
    capture_pack_reset(&stream->in);
    uint8_t *room = capture_pack_room(&stream->in, IN_PIECE);
    stream->in.size = room ? capture_source_read(&reader->source, reader->offset, room, IN_PIECE) : 0;
    stream->in_used = 0;
    reader->offset += stream->in.size;
    return stream->in.size;
}

/* Unpacks up to size bytes; *got says how many came. STREAM_PART: the file ended first. */
static enum stream_read stream_read(struct capture_reader *reader, uint8_t *to, size_t size, size_t *got,
                                    struct base_error *error)
{
    struct capture_stream *stream = &reader->stream;
    ZSTD_outBuffer out = {to, size, 0};
    *got = 0;
    if (!stream->is_packed) {
        *got = capture_source_read(&reader->source, reader->offset, to, size);
        reader->offset += *got;
        return *got == size ? STREAM_ALL : STREAM_PART;
    }
    while (out.pos < size && !stream->has_ended) {
        bool has_more = refill(reader);
        size_t before = out.pos;
        ZSTD_inBuffer in = {stream->in.data, stream->in.size, stream->in_used};
        size_t left = ZSTD_decompressStream(reader->zstd, &out, &in);
        stream->in_used = in.pos;
        *got = out.pos;
        if (ZSTD_isError(left)) {
            base_error_set(error, "cannot be unpacked: %s", ZSTD_getErrorName(left));
            return STREAM_BAD;
        }
        stream->has_ended = !left;
        if (!has_more && out.pos == before)
            break;
    }
    return *got == size ? STREAM_ALL : STREAM_PART;
}

/* Appends size bytes of the stream to reader->raw. */
static enum stream_read read_more(struct capture_reader *reader, size_t size, struct base_error *error)
{
    for (size_t done = 0, got = 0; done < size; done += got) {
        size_t piece = size - done < OUT_PIECE ? size - done : OUT_PIECE;
        if (!capture_reading_unpacks(reader, piece, error))
            return STREAM_BAD;
        uint8_t *room = capture_pack_room(&reader->raw, piece);
        if (!room) {
            base_error_set(error, "out of memory");
            return STREAM_BAD;
        }
        enum stream_read read = stream_read(reader, room, piece, &got, error);
        if (read != STREAM_ALL) {
            reader->raw.size -= piece - got;
            return read;
        }
    }
    return STREAM_ALL;
}

bool capture_rdnacap_begin(struct capture_reader *reader, struct base_error *error)
{
    uint8_t word[4] = {0};
    uint32_t magic = 0;
    capture_source_read(&reader->source, 0, word, sizeof word);
    base_bytes_u32((struct base_bytes){word, sizeof word}, 0, &magic);
    reader->stream.is_packed = magic == ZSTD_FRAME;
    enum stream_read read = read_more(reader, MAGIC_BYTES, error);
    if (read == STREAM_BAD)
        return false;
    if (read == STREAM_PART && reader->stream.is_packed && !reader->stream.has_ended)
        return base_error_set(error, "it is cut before anything can be unpacked");
    return (read == STREAM_ALL && !memcmp(reader->raw.data, RDNACAP_MAGIC, MAGIC_BYTES)) ||
           base_error_set(error, "this is no capture");
}

/* Reads the next record's type and payload into reader->raw. */
static enum capture_read read_record(struct capture_reader *reader, uint32_t *type, struct base_error *error)
{
    reader->place = reader->unpacked;
    capture_pack_reset(&reader->raw);
    enum stream_read read = read_more(reader, RECORD_HEAD, error);
    if (read == STREAM_PART && !reader->raw.size)
        return !reader->stream.is_packed || reader->stream.has_ended ? CAPTURE_READ_END : CAPTURE_READ_CUT;
    uint32_t bytes = u32_at(reader, 4);
    *type = u32_at(reader, 0);
    if (read == STREAM_ALL) {
        if (bytes > RECORD_MOST) {
            base_error_set(error, "a record of %" PRIu32 " bytes; at most %d are allowed", bytes, RECORD_MOST);
            return CAPTURE_READ_BAD;
        }
        capture_pack_reset(&reader->raw);
        read = read_more(reader, bytes, error);
    }
    return read == STREAM_ALL ? CAPTURE_READ_EVENT : read == STREAM_PART ? CAPTURE_READ_CUT : CAPTURE_READ_BAD;
}

static int compare_handles(const void *a, const void *b)
{
    const struct capture_handle *left = a, *right = b;
    return (left->handle > right->handle) - (left->handle < right->handle);
}

/* The number of the buffer that has the handle now; 0: none. */
static uint32_t handle_number(const struct capture_stream *stream, uint32_t handle)
{
    struct capture_handle **found = tfind(&(struct capture_handle){handle, 0}, &stream->handles, compare_handles);
    return found ? (*found)->number : 0;
}

static bool handle_add(struct capture_stream *stream, uint32_t handle, struct base_error *error)
{
    if (!handle || handle_number(stream, handle))
        return base_error_set(error, "handle %" PRIu32 " cannot be given to a new buffer", handle);
    struct capture_handle *added = malloc(sizeof *added);
    if (added)
        *added = (struct capture_handle){handle, stream->last_buffer + 1};
    if (!added || !tsearch(added, &stream->handles, compare_handles)) {
        free(added);
        return base_error_set(error, "out of memory");
    }
    stream->last_buffer++;
    return true;
}

static void handle_take(struct capture_stream *stream, uint32_t handle)
{
    struct capture_handle **found = tfind(&(struct capture_handle){handle, 0}, &stream->handles, compare_handles),
                          *taken = *found;
    tdelete(taken, &stream->handles, compare_handles);
    free(taken);
}

static bool take_device(struct capture_reader *reader, struct capture_event *event, struct base_error *error)
{
    uint32_t family = u32_at(reader, INFO_FAMILY), revision = u32_at(reader, INFO_EXTERNAL_REVISION);
    event->kind = CAPTURE_DEVICE;
    event->device = (struct capture_event_device){.info = reader->raw.data, .info_bytes = reader->raw.size};
    if (reader->raw.size < INFO_LEAST || reader->raw.size > CAPTURE_MOST_INFO)
        return base_error_set(error, "a device record of %zu bytes", reader->raw.size);
    for (size_t n = 0; n < sizeof chip_ranges / sizeof chip_ranges[0]; n++) {
        const struct chip_range *range = &chip_ranges[n];
        if (range->family == family && range->first_revision <= revision && revision <= range->last_revision)
            memcpy(event->device.chip, range->chip, strlen(range->chip) + 1);
    }
    return event->device.chip[0] ||
           base_error_set(error, "no chip of family %" PRIu32 ", revision %" PRIu32 " is known", family, revision);
}

static bool take_buffer(struct capture_reader *reader, struct capture_event *event, struct base_error *error)
{
    if (reader->raw.size != BUFFER_BYTES)
        return base_error_set(error, "a buffer record of %zu bytes", reader->raw.size);
    if (!handle_add(&reader->stream, u32_at(reader, 0), error))
        return false;
    event->kind = CAPTURE_BUFFER;
    event->buffer = (struct capture_event_buffer){.number = reader->stream.last_buffer,
                                                  .domains = u32_at(reader, 4),
                                                  .bytes = u64_at(reader, 8),
                                                  .flags = u64_at(reader, 16)};
    return true;
}

static bool take_buffer_end(struct capture_reader *reader, struct capture_event *event, struct base_error *error)
{
    uint32_t number = handle_number(&reader->stream, u32_at(reader, 0));
    if (reader->raw.size != BUFFER_END_BYTES || !number)
        return base_error_set(error, "the end of no buffer that there is");
    handle_take(&reader->stream, u32_at(reader, 0));
    event->kind = CAPTURE_BUFFER_END;
    event->end = (struct capture_event_end){.number = number};
    return true;
}

static bool take_va(struct capture_reader *reader, struct capture_event *event, struct base_error *error)
{
    uint32_t handle = u32_at(reader, 4), number = handle_number(&reader->stream, handle);
    if (reader->raw.size != VA_BYTES)
        return base_error_set(error, "a VA record of %zu bytes", reader->raw.size);
    if (handle && !number)
        return base_error_set(error, "there is no buffer of handle %" PRIu32, handle);
    event->kind = CAPTURE_VA;
    event->va = (struct capture_event_va){.operation = u32_at(reader, 0),
                                          .buffer = number,
                                          .address = capture_address_canonical(u64_at(reader, 8)),
                                          .bytes = u64_at(reader, 16),
                                          .offset = u64_at(reader, 24),
                                          .flags = u32_at(reader, 32)};
    return true;
}

static bool take_bytes(struct capture_reader *reader, struct capture_event *event, struct base_error *error)
{
    uint32_t length = u32_at(reader, 4);
    reader->range = (struct capture_range){.buffer = handle_number(&reader->stream, u32_at(reader, 0)),
                                           .bytes = length,
                                           .offset = u64_at(reader, 8),
                                           .data = reader->raw.data + BYTES_HEAD};
    if (reader->raw.size < BYTES_HEAD || reader->raw.size - BYTES_HEAD != length)
        return base_error_set(error, "a record of %zu bytes for %" PRIu32 " bytes of a buffer", reader->raw.size, length);
    event->kind = CAPTURE_MEMORY;
    event->memory = (struct capture_event_memory){.reason = CAPTURE_MEMORY_PROGRAM, .ranges = &reader->range, .count = 1};
    return true;
}

/* The queue of a submission's ring is made where the ring is first used; the submission then comes with the next call. */
static bool take_queue(struct capture_reader *reader, struct capture_event *event, uint32_t ip, uint32_t ring)
{
    struct capture_stream *stream = &reader->stream;
    if (stream->queues[ip] >> ring & 1)
        return false;
    stream->queues[ip] |= UINT32_C(1) << ring;
    stream->queue_numbers[ip][ring] = ++stream->last_queue;
    stream->has_record = true;
    event->kind = CAPTURE_QUEUE;
    event->queue = (struct capture_event_queue){.number = stream->last_queue, .kind = ip};
    return true;
}

static bool take_submission(struct capture_reader *reader, struct capture_event *event, struct base_error *error)
{
    struct capture_stream *stream = &reader->stream;
    uint32_t ip = u32_at(reader, 4), ring = u32_at(reader, 8), ib_count = u32_at(reader, 12), buffer_count = u32_at(reader, 16);
    if (reader->raw.size < SUBMISSION_HEAD || ib_count > CAPTURE_MOST_IBS ||
        reader->raw.size - SUBMISSION_HEAD != ib_count * (uint64_t)IB_BYTES + buffer_count * UINT64_C(4))
        return base_error_set(error, "a submission record of %zu bytes for %" PRIu32 " IBs and %" PRIu32 " buffers",
                              reader->raw.size, ib_count, buffer_count);
    if (ip > TF_QUEUE_SDMA || ring >= RINGS_MOST)
        return base_error_set(error, "there is no ring %" PRIu32 " of IP %" PRIu32, ring, ip);
    if (take_queue(reader, event, ip, ring))
        return true;
    struct tf_ib *ibs = capture_reading_items(reader, ib_count, sizeof *ibs);
    if (!ibs)
        return base_error_set(error, "out of memory");
    for (uint32_t n = 0; n < ib_count; n++) {
        size_t at = SUBMISSION_HEAD + n * (size_t)IB_BYTES;
        ibs[n] = (struct tf_ib){u64_at(reader, at), u32_at(reader, at + 8), u32_at(reader, at + 12)};
    }
    event->kind = CAPTURE_SUBMISSION;
    event->submission = (struct capture_event_submission){
        .number = ++stream->last_submission, .queue = stream->queue_numbers[ip][ring], .ibs = ibs, .ib_count = ib_count};
    stream->owes_end = true;
    return true;
}

/* The stream says nothing of ends; its device answered at once. */
static void take_end(struct capture_reader *reader, struct capture_event *event)
{
    reader->stream.owes_end = false;
    event->kind = CAPTURE_ENDED;
    event->state = (struct capture_event_state){reader->stream.last_submission, TF_FENCE_DONE};
}

enum capture_read capture_rdnacap_next(struct capture_reader *reader, struct capture_event *event, struct base_error *error)
{
    if (reader->stream.owes_end) {
        take_end(reader, event);
        return CAPTURE_READ_EVENT;
    }
    for (;;) {
        uint32_t type = RECORD_SUBMISSION;
        bool is_good;
        enum capture_read read = reader->stream.has_record ? CAPTURE_READ_EVENT : read_record(reader, &type, error);
        if (read != CAPTURE_READ_EVENT)
            return read;
        reader->stream.has_record = false;
        switch (type) {
        case RECORD_DEVICE: is_good = take_device(reader, event, error); break;
        case RECORD_BUFFER: is_good = take_buffer(reader, event, error); break;
        case RECORD_VA: is_good = take_va(reader, event, error); break;
        case RECORD_BUFFER_END: is_good = take_buffer_end(reader, event, error); break;
        case RECORD_BYTES: is_good = take_bytes(reader, event, error); break;
        case RECORD_SUBMISSION: is_good = take_submission(reader, event, error); break;
        case RECORD_IB:
        case RECORD_PROGRAM: continue; /* copies of what memory holds anyway */
        default: is_good = base_error_set(error, "a record of unknown type %" PRIu32, type); break;
        }
        return is_good ? CAPTURE_READ_EVENT : CAPTURE_READ_BAD;
    }
}

void capture_rdnacap_finish(struct capture_reader *reader)
{
    tdestroy(reader->stream.handles, free);
    capture_pack_finish(&reader->stream.in);
}
