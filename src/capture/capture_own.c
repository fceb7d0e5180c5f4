/* capture_own: reads chunks of our own format into events; docs/capture-format.md describes it. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <xxhash.h>

#include "capture/capture_reading.h"

struct chunk {
    uint32_t type, flags, number, raw_bytes, stored_bytes, zero;
    uint64_t hash;
};

static uint32_t u32_at(struct base_bytes bytes, size_t offset)
{
    uint32_t value = 0;
    base_bytes_u32(bytes, offset, &value);
    return value;
}

static uint64_t u64_at(struct base_bytes bytes, size_t offset)
{
    uint64_t value = 0;
    base_bytes_u64(bytes, offset, &value);
    return value;
}

bool capture_own_begin(struct capture_reader *reader, struct base_error *error)
{
    uint8_t header[CAPTURE_HEADER_BYTES] = {0};
    struct base_bytes bytes = {header, sizeof header};
    if (capture_source_read(&reader->source, 0, header, sizeof header) < sizeof header)
        return base_error_set(error, "the file ends inside its header");
    if (u32_at(bytes, 8) != CAPTURE_VERSION)
        return base_error_set(error, "format version %" PRIu32 "; this version of Tenfold reads version %d", u32_at(bytes, 8),
                              CAPTURE_VERSION);
    if (u32_at(bytes, 12) != CAPTURE_HEADER_BYTES || u64_at(bytes, 16) ||
        u64_at(bytes, CAPTURE_HASHED_BYTES) != XXH3_64bits(header, CAPTURE_HASHED_BYTES))
        return base_error_set(error, "the header is damaged");
    reader->offset = CAPTURE_HEADER_BYTES;
    return true;
}

static bool check_chunk(struct capture_reader *reader, const struct chunk *chunk, struct base_error *error)
{
    if (chunk->raw_bytes > CAPTURE_CHUNK_MOST || chunk->stored_bytes > CAPTURE_CHUNK_MOST)
        return base_error_set(error, "a chunk of %" PRIu32 " bytes, stored in %" PRIu32 "; at most %d are allowed",
                              chunk->raw_bytes, chunk->stored_bytes, CAPTURE_CHUNK_MOST);
    if (chunk->flags & ~(uint32_t)CAPTURE_CHUNK_KNOWN_FLAGS || chunk->zero)
        return base_error_set(error, "a chunk with unknown flags 0x%" PRIx32, chunk->flags);
    if (!(chunk->flags & CAPTURE_CHUNK_ZSTD) && chunk->stored_bytes != chunk->raw_bytes)
        return base_error_set(error, "a chunk of %" PRIu32 " bytes, stored as it is in %" PRIu32, chunk->raw_bytes,
                              chunk->stored_bytes);
    if (chunk->number != reader->chunk_number)
        return base_error_set(error, "chunk %" PRIu32 " comes where %" PRIu32 " is due", chunk->number, reader->chunk_number);
    return capture_reading_unpacks(reader, chunk->raw_bytes, error);
}

/* Gives the raw bytes of the chunk whose stored bytes have been read and found whole. */
static bool unpack(struct capture_reader *reader, const struct chunk *chunk, struct base_bytes *raw, struct base_error *error)
{
    if (!(chunk->flags & CAPTURE_CHUNK_ZSTD)) {
        *raw = (struct base_bytes){reader->stored.data, reader->stored.size};
        return true;
    }
    if (ZSTD_getFrameContentSize(reader->stored.data, reader->stored.size) != chunk->raw_bytes)
        return base_error_set(error, "what is packed has another size than %" PRIu32 " bytes", chunk->raw_bytes);
    capture_pack_reset(&reader->raw);
    uint8_t *room = capture_pack_room(&reader->raw, chunk->raw_bytes + 1u);
    size_t size = room ? ZSTD_decompressDCtx(reader->zstd, room, chunk->raw_bytes, reader->stored.data, reader->stored.size) : 0;
    if (!room || ZSTD_isError(size))
        return base_error_set(error, "%s", room ? ZSTD_getErrorName(size) : "out of memory");
    *raw = (struct base_bytes){room, size};
    return size == chunk->raw_bytes || base_error_set(error, "%zu bytes unpacked instead of %" PRIu32, size, chunk->raw_bytes);
}

/* Reads the next chunk. CAPTURE_READ_EVENT: it is whole and unpacked. */
static enum capture_read read_chunk(struct capture_reader *reader, struct chunk *chunk, struct base_bytes *raw,
                                    struct base_error *error)
{
    uint8_t header[CAPTURE_CHUNK_HEADER_BYTES] = {0};
    struct base_bytes bytes = {header, sizeof header};
    size_t got = capture_source_read(&reader->source, reader->offset, header, sizeof header);
    reader->place = reader->offset;
    if (got < sizeof header)
        return !got && reader->check.has_final ? CAPTURE_READ_END : CAPTURE_READ_CUT;
    *chunk = (struct chunk){u32_at(bytes, 0),
                            u32_at(bytes, 4),
                            u32_at(bytes, 8),
                            u32_at(bytes, 12),
                            u32_at(bytes, 16),
                            u32_at(bytes, 20),
                            u64_at(bytes, CAPTURE_HASHED_BYTES)};
    if (!check_chunk(reader, chunk, error))
        return CAPTURE_READ_BAD;
    if (!base_range_fits(reader->offset + sizeof header, chunk->stored_bytes, reader->source.size))
        return CAPTURE_READ_CUT;
    capture_pack_reset(&reader->stored);
    uint8_t *room = chunk->stored_bytes ? capture_pack_room(&reader->stored, chunk->stored_bytes) : NULL;
    if (chunk->stored_bytes && !room) {
        base_error_set(error, "out of memory");
        return CAPTURE_READ_BAD;
    }
    if (room &&
        capture_source_read(&reader->source, reader->offset + sizeof header, room, chunk->stored_bytes) < chunk->stored_bytes)
        return CAPTURE_READ_CUT;
    XXH64_hash_t seed = XXH3_64bits(header, CAPTURE_HASHED_BYTES);
    if (XXH3_64bits_withSeed(reader->stored.data, chunk->stored_bytes, seed) != chunk->hash) {
        base_error_set(error, "the chunk is damaged: its hash is another");
        return CAPTURE_READ_BAD;
    }
    reader->offset += sizeof header + chunk->stored_bytes;
    reader->chunk_number++;
    return unpack(reader, chunk, raw, error) ? CAPTURE_READ_EVENT : CAPTURE_READ_BAD;
}

static bool parse_device(struct capture_reader *reader, struct base_bytes raw, struct capture_event *event)
{
    struct capture_event_device *device = &event->device;
    uint64_t info = u32_at(raw, 20), chip = u32_at(raw, 24), program = u32_at(raw, 28), version = u32_at(raw, 32);
    (void)reader;
    if (raw.size < CAPTURE_DEVICE_BYTES || CAPTURE_DEVICE_BYTES + info + chip + program + version != raw.size ||
        info > CAPTURE_MOST_INFO)
        return false;
    const char *text = (const char *)raw.data + CAPTURE_DEVICE_BYTES;
    *device = (struct capture_event_device){.window_base = u64_at(raw, 0), .window_bytes = u64_at(raw, 8), .info_bytes = info};
    snprintf(device->chip, sizeof device->chip, "%.*s", (int)chip, text);
    snprintf(device->program, sizeof device->program, "%.*s", (int)program, text + chip);
    snprintf(device->version, sizeof device->version, "%.*s", (int)version, text + chip + program);
    device->info = raw.data + raw.size - info;
    return true;
}

static bool parse_buffer(struct capture_reader *reader, struct base_bytes raw, struct capture_event *event)
{
    (void)reader;
    event->buffer = (struct capture_event_buffer){.number = u32_at(raw, 0),
                                                  .domains = u32_at(raw, 4),
                                                  .bytes = u64_at(raw, 8),
                                                  .alignment = u64_at(raw, 16),
                                                  .flags = u64_at(raw, 24),
                                                  .traits = u32_at(raw, 32)};
    return raw.size == CAPTURE_BUFFER_BYTES;
}

static bool parse_buffer_end(struct capture_reader *reader, struct base_bytes raw, struct capture_event *event)
{
    (void)reader;
    event->end = (struct capture_event_end){u32_at(raw, 0), u32_at(raw, 4), u64_at(raw, 8)};
    return raw.size == CAPTURE_BUFFER_END_BYTES;
}

static bool parse_va(struct capture_reader *reader, struct base_bytes raw, struct capture_event *event)
{
    (void)reader;
    event->va = (struct capture_event_va){.operation = u32_at(raw, 0),
                                          .buffer = u32_at(raw, 4),
                                          .address = u64_at(raw, 8),
                                          .bytes = u64_at(raw, 16),
                                          .offset = u64_at(raw, 24),
                                          .flags = u32_at(raw, 32)};
    event->va.address = capture_address_canonical(event->va.address);
    return raw.size == CAPTURE_VA_BYTES;
}

/* Queues' names go into messages and reports as they are. */
static void make_plain(char *text)
{
    for (; *text; text++)
        if (*text < ' ' || *text > '~')
            *text = '?';
}

static bool parse_queue(struct capture_reader *reader, struct base_bytes raw, struct capture_event *event)
{
    uint32_t kind = u32_at(raw, 4), length = u32_at(raw, 8);
    (void)reader;
    if (raw.size < CAPTURE_QUEUE_BYTES || raw.size - CAPTURE_QUEUE_BYTES != length || kind > TF_QUEUE_SDMA)
        return false;
    event->queue = (struct capture_event_queue){.number = u32_at(raw, 0), .kind = kind};
    snprintf(event->queue.name, sizeof event->queue.name, "%.*s", (int)length, (const char *)raw.data + CAPTURE_QUEUE_BYTES);
    make_plain(event->queue.name);
    return true;
}

static bool parse_memory(struct capture_reader *reader, struct base_bytes raw, struct capture_event *event)
{
    uint64_t count = u32_at(raw, 8), data = CAPTURE_MEMORY_BYTES + count * CAPTURE_RANGE_BYTES;
    if (raw.size < CAPTURE_MEMORY_BYTES || data > raw.size || u32_at(raw, 0) > CAPTURE_MEMORY_MIXED || u32_at(raw, 4) > 1)
        return false;
    struct capture_range *ranges = capture_reading_items(reader, count, sizeof *ranges);
    if (!ranges)
        return false;
    for (uint64_t n = 0; n < count; n++) {
        size_t at = CAPTURE_MEMORY_BYTES + n * CAPTURE_RANGE_BYTES;
        ranges[n] = (struct capture_range){u32_at(raw, at), u32_at(raw, at + 4), u64_at(raw, at + 8), raw.data + data};
        if (!base_range_fits(data, ranges[n].bytes, raw.size))
            return false;
        data += ranges[n].bytes;
    }
    event->memory = (struct capture_event_memory){u32_at(raw, 0), u32_at(raw, 4), ranges, count};
    return data == raw.size;
}

static bool parse_submission(struct capture_reader *reader, struct base_bytes raw, struct capture_event *event)
{
    uint64_t ib_count = u32_at(raw, 8), wait_count = u32_at(raw, 12), at = CAPTURE_SUBMISSION_BYTES;
    if (raw.size < at || at + ib_count * CAPTURE_IB_BYTES + wait_count * CAPTURE_WAIT_BYTES != raw.size ||
        ib_count > CAPTURE_MOST_IBS)
        return false;
    struct tf_ib *ibs = capture_reading_items(reader, ib_count + wait_count, sizeof *ibs);
    if (!ibs)
        return false;
    struct capture_wait *waits = (struct capture_wait *)(void *)(ibs + ib_count);
    for (uint64_t n = 0; n < ib_count; n++, at += CAPTURE_IB_BYTES)
        ibs[n] = (struct tf_ib){u64_at(raw, at), u32_at(raw, at + 8), u32_at(raw, at + 12)};
    for (uint64_t n = 0; n < wait_count; n++, at += CAPTURE_WAIT_BYTES)
        waits[n] = (struct capture_wait){u32_at(raw, at), u32_at(raw, at + 4)};
    event->submission = (struct capture_event_submission){.number = u32_at(raw, 0),
                                                          .queue = u32_at(raw, 4),
                                                          .ibs = ibs,
                                                          .ib_count = ib_count,
                                                          .waits = waits,
                                                          .wait_count = wait_count,
                                                          .fence_address = u64_at(raw, 16),
                                                          .fence_value = u64_at(raw, 24)};
    return true;
}

static bool parse_state(struct capture_reader *reader, struct base_bytes raw, struct capture_event *event)
{
    (void)reader;
    event->state = (struct capture_event_state){u32_at(raw, 0), u32_at(raw, 4)};
    return raw.size == CAPTURE_PAIR_BYTES && event->state.state <= TF_FENCE_LOST;
}

static bool parse_signal(struct capture_reader *reader, struct base_bytes raw, struct capture_event *event)
{
    (void)reader;
    event->signal = u32_at(raw, 0);
    return raw.size == CAPTURE_PAIR_BYTES;
}

static bool parse_clock(struct capture_reader *reader, struct base_bytes raw, struct capture_event *event)
{
    (void)reader;
    if (raw.size < CAPTURE_PAIR_BYTES || (raw.size - CAPTURE_PAIR_BYTES) / CAPTURE_CLOCK_BYTES != u32_at(raw, 0) ||
        raw.size % CAPTURE_CLOCK_BYTES)
        return false;
    event->clock = (struct capture_event_clock){u32_at(raw, 0), raw.data + CAPTURE_PAIR_BYTES, u32_at(raw, 4)};
    return true;
}

static bool parse_note(struct capture_reader *reader, struct base_bytes raw, struct capture_event *event)
{
    (void)reader;
    snprintf(event->note, sizeof event->note, "%.*s", (int)raw.size, (const char *)raw.data);
    return true;
}

static bool parse_final(struct capture_reader *reader, struct base_bytes raw, struct capture_event *event)
{
    uint64_t count = u32_at(raw, 0);
    if (raw.size < CAPTURE_PAIR_BYTES || raw.size - CAPTURE_PAIR_BYTES != count * CAPTURE_HASH_BYTES)
        return false;
    struct capture_final_hash *hashes = capture_reading_items(reader, count, sizeof *hashes);
    if (!hashes)
        return false;
    for (uint64_t n = 0; n < count; n++) {
        size_t at = CAPTURE_PAIR_BYTES + n * CAPTURE_HASH_BYTES;
        hashes[n] = (struct capture_final_hash){u32_at(raw, at), u64_at(raw, at + 8)};
    }
    event->final = (struct capture_event_final){u32_at(raw, 4), hashes, count};
    return true;
}

static const struct parser {
    uint32_t type;
    enum capture_event_kind kind;
    const char *name;
    bool (*parse)(struct capture_reader *reader, struct base_bytes raw, struct capture_event *event);
} parsers[] = {
    {CAPTURE_CHUNK_DEVICE, CAPTURE_DEVICE, "device", parse_device},
    {CAPTURE_CHUNK_BUFFER, CAPTURE_BUFFER, "buffer", parse_buffer},
    {CAPTURE_CHUNK_BUFFER_END, CAPTURE_BUFFER_END, "buffer's end", parse_buffer_end},
    {CAPTURE_CHUNK_VA, CAPTURE_VA, "VA operation", parse_va},
    {CAPTURE_CHUNK_QUEUE, CAPTURE_QUEUE, "queue", parse_queue},
    {CAPTURE_CHUNK_MEMORY, CAPTURE_MEMORY, "memory", parse_memory},
    {CAPTURE_CHUNK_SUBMISSION, CAPTURE_SUBMISSION, "submission", parse_submission},
    {CAPTURE_CHUNK_ENDED, CAPTURE_ENDED, "submission's end", parse_state},
    {CAPTURE_CHUNK_SIGNAL, CAPTURE_SIGNAL, "signal", parse_signal},
    {CAPTURE_CHUNK_SIGNAL_GIVEN, CAPTURE_SIGNAL_GIVEN, "given signal", parse_state},
    {CAPTURE_CHUNK_CLOCK, CAPTURE_CLOCK, "clock", parse_clock},
    {CAPTURE_CHUNK_NOTE, CAPTURE_NOTE, "note", parse_note},
    {CAPTURE_CHUNK_STALLED, CAPTURE_STALLED, "stalled submission", parse_state},
    {CAPTURE_CHUNK_FINAL, CAPTURE_FINAL, "end", parse_final},
};

enum capture_read capture_own_next(struct capture_reader *reader, struct capture_event *event, struct base_error *error)
{
    struct chunk chunk;
    struct base_bytes raw;
    for (;;) {
        enum capture_read read = read_chunk(reader, &chunk, &raw, error);
        if (read != CAPTURE_READ_EVENT)
            return read;
        for (size_t n = 0; n < sizeof parsers / sizeof parsers[0]; n++) {
            if (parsers[n].type != chunk.type)
                continue;
            event->kind = parsers[n].kind;
            if (parsers[n].parse(reader, raw, event))
                return CAPTURE_READ_EVENT;
            base_error_set(error, "the %s record's sizes or values do not fit", parsers[n].name);
            return CAPTURE_READ_BAD;
        }
        if (!(chunk.flags & CAPTURE_CHUNK_SKIPPABLE)) {
            base_error_set(error, "a chunk of unknown type %" PRIu32, chunk.type);
            return CAPTURE_READ_BAD;
        }
    }
}
