/* capture_reader: opens a capture of either format and hands out its events, checked. */
#include "capture/capture_reader.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "capture/capture_reading.h"

struct capture_limits capture_limits_usual(void)
{
    return (struct capture_limits){.buffer_bytes = UINT64_C(16) << 30,
                                   .total_bytes = UINT64_C(64) << 30,
                                   .unpacked_bytes = UINT64_C(4) << 30,
                                   .unpacked_times = 1024,
                                   .spread_bytes = UINT64_C(512) << 20,
                                   .spread_times = 64};
}

struct capture_limits capture_limits_large(void)
{
    struct capture_limits limits = capture_limits_usual();
    limits.unpacked_bytes = UINT64_C(1) << 40;
    limits.spread_bytes = UINT64_C(1) << 40;
    return limits;
}

void *capture_reading_items(struct capture_reader *reader, size_t count, size_t size)
{
    capture_pack_reset(&reader->items);
    return capture_pack_room(&reader->items, count * size + 1);
}

bool capture_reading_unpacks(struct capture_reader *reader, uint64_t bytes, struct base_error *error)
{
    const struct capture_limits *limits = &reader->check.limits;
    uint64_t size = reader->source.size, most = capture_check_most(limits->unpacked_bytes, limits->unpacked_times, size);
    if (bytes > most - reader->unpacked)
        return base_error_set(error,
                              "a file of %" PRIu64 " bytes unpacks to more than %" PRIu64
                              ", as only large captures do; --large reads it nevertheless",
                              size, most);
    reader->unpacked += bytes;
    return true;
}

static struct capture_reader *create(const struct capture_limits *limits)
{
    struct capture_reader *reader = calloc(1, sizeof *reader);
    if (reader) {
        reader->source.descriptor = -1;
        reader->check.limits = limits ? *limits : capture_limits_usual();
        reader->zstd = ZSTD_createDCtx();
    }
    return reader;
}

/* Finds out which format it is. False after an error. */
static bool begin(struct capture_reader *reader, struct base_error *error)
{
    uint8_t magic[CAPTURE_MAGIC_BYTES] = {0};
    if (!reader->zstd)
        return base_error_set(error, "out of memory");
    reader->check.file_bytes = reader->source.size;
    capture_source_read(&reader->source, 0, magic, sizeof magic);
    reader->is_own = !memcmp(magic, CAPTURE_MAGIC, sizeof magic);
    return reader->is_own ? capture_own_begin(reader, error) : capture_rdnacap_begin(reader, error);
}

struct capture_reader *capture_reader_open_bytes(const uint8_t *data, size_t size, const struct capture_limits *limits,
                                                 struct base_error *error)
{
    struct capture_reader *reader = create(limits);
    if (!reader) {
        base_error_set(error, "out of memory");
        return NULL;
    }
    reader->source.data = data;
    reader->source.size = size;
    if (begin(reader, error))
        return reader;
    capture_reader_close(reader);
    return NULL;
}

struct capture_reader *capture_reader_open(const char *path, const struct capture_limits *limits, struct base_error *error)
{
    struct capture_reader *reader = create(limits);
    struct base_error reason;
    if (!reader) {
        base_error_set(error, "'%s': out of memory", path);
        return NULL;
    }
    if (!capture_source_open(&reader->source, path, error)) {
        capture_reader_close(reader);
        return NULL;
    }
    if (begin(reader, &reason))
        return reader;
    base_error_set(error, "'%s': %s", path, reason.text);
    capture_reader_close(reader);
    return NULL;
}

void capture_reader_close(struct capture_reader *reader)
{
    if (!reader)
        return;
    capture_rdnacap_finish(reader);
    capture_source_close(&reader->source);
    capture_check_finish(&reader->check);
    capture_pack_finish(&reader->stored);
    capture_pack_finish(&reader->raw);
    capture_pack_finish(&reader->items);
    ZSTD_freeDCtx(reader->zstd);
    free(reader);
}

enum capture_read capture_reader_next(struct capture_reader *reader, struct capture_event *event, struct base_error *error)
{
    struct base_error reason = {"an earlier record was bad"};
    enum capture_read read = CAPTURE_READ_BAD;
    if (!reader->is_bad)
        read = reader->is_own ? capture_own_next(reader, event, &reason) : capture_rdnacap_next(reader, event, &reason);
    if (read == CAPTURE_READ_EVENT) {
        event->offset = reader->place;
        if (!capture_check_event(&reader->check, event, &reason))
            read = CAPTURE_READ_BAD;
    }
    if (read == CAPTURE_READ_BAD) {
        reader->is_bad = true;
        base_error_set(error, "byte %" PRIu64 ": %s", reader->place, reason.text);
    }
    return read;
}

bool capture_reader_hashes(struct capture_reader *reader, uint64_t bytes, struct base_error *error)
{
    struct capture_check *check = &reader->check;
    uint64_t most = capture_check_most(check->limits.unpacked_bytes, check->limits.unpacked_times, check->file_bytes);
    if (bytes > most - check->hashed_bytes)
        return base_error_set(error,
                              "byte %" PRIu64 ": a file of %" PRIu64 " bytes has hashes of more than %" PRIu64
                              ", as only large captures do; --large reads it nevertheless",
                              reader->place, check->file_bytes, most);
    check->hashed_bytes += bytes;
    return true;
}

bool capture_reader_has_results(const struct capture_reader *reader)
{
    return reader->is_own;
}

const char *capture_reader_format(const struct capture_reader *reader)
{
    return reader->is_own ? "Tenfold capture, version 1" : "RDNACAP1 stream";
}

double capture_reader_progress(const struct capture_reader *reader)
{
    return reader->source.size ? (double)reader->offset / (double)reader->source.size : 1.0;
}
