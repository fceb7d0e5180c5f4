/* capture_writer: puts chunks of our own format into a file, compressed and hashed. */
#include "capture/capture_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xxhash.h>
#include <zstd.h>

#include "base/base_bytes.h"
#include "base/base_descriptor.h"

enum { SMALLEST_COMPRESSED = 128 }; /* a shorter payload would not become shorter */

struct capture_writer {
    int descriptor; /* in the process of a program that may close or replace it */
    struct base_identity file;
    int level;
    uint32_t chunk_number;
    uint64_t offset;
    ZSTD_CCtx *zstd;
    struct capture_pack out; /* the chunk being made: header and what is stored */
    bool is_failed;
    struct base_error failure;
};

static bool fail(struct capture_writer *writer, const char *what)
{
    if (!writer->is_failed)
        base_error_set(&writer->failure, "byte %llu of the capture: %s", (unsigned long long)writer->offset, what);
    writer->is_failed = true;
    return false;
}

/* A program that closes every descriptor has closed this one, and the number may name a file of its own by now. */
static bool is_ours(const struct capture_writer *writer)
{
    struct base_identity found;
    return base_descriptor_identify(writer->descriptor, &found) && base_identity_same(found, writer->file);
}

static bool write_all(struct capture_writer *writer, const uint8_t *data, size_t size)
{
    if (!is_ours(writer))
        return fail(writer, "the program closed its descriptor");
    while (size) {
        ssize_t done = write(writer->descriptor, data, size);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return fail(writer, strerror(done ? errno : ENOSPC));
        data += done;
        size -= (size_t)done;
        writer->offset += (uint64_t)done;
    }
    return true;
}

static bool write_header(struct capture_writer *writer)
{
    uint8_t header[CAPTURE_HEADER_BYTES] = {0};
    memcpy(header, CAPTURE_MAGIC, CAPTURE_MAGIC_BYTES);
    base_put_u32(header + 8, CAPTURE_VERSION);
    base_put_u32(header + 12, CAPTURE_HEADER_BYTES);
    base_put_u64(header + CAPTURE_HASHED_BYTES, XXH3_64bits(header, CAPTURE_HASHED_BYTES));
    return write_all(writer, header, sizeof header);
}

struct capture_writer *capture_writer_create(const char *path, int level, struct base_error *error)
{
    struct stat found;
    struct capture_writer *writer = calloc(1, sizeof *writer);
    if (!writer) {
        base_error_set(error, "'%s': out of memory", path);
        return NULL;
    }
    writer->level = level;
    writer->zstd = ZSTD_createCCtx();
    writer->descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (writer->descriptor < 0 && errno == EEXIST && !stat(path, &found) && !S_ISREG(found.st_mode))
        writer->descriptor = open(path, O_WRONLY | O_CLOEXEC); /* a pipe, a device */
    writer->descriptor = base_descriptor_hide(writer->descriptor);
    if (!base_descriptor_identify(writer->descriptor, &writer->file))
        base_error_set(error, "'%s': %s", path, strerror(errno));
    else if (!writer->zstd)
        base_error_set(error, "'%s': out of memory", path);
    else if (!write_header(writer))
        base_error_set(error, "'%s': %s", path, writer->failure.text);
    else
        return writer;
    capture_writer_destroy(writer);
    return NULL;
}

/* Appends what is to be stored of the payload to writer->out; *flags says how. */
static bool store(struct capture_writer *writer, const struct capture_pack *payload, uint32_t *flags)
{
    size_t bound = ZSTD_compressBound(payload->size), at = writer->out.size;
    if (payload->size >= SMALLEST_COMPRESSED) {
        uint8_t *room = capture_pack_room(&writer->out, bound);
        size_t size = room ? ZSTD_compressCCtx(writer->zstd, room, bound, payload->data, payload->size, writer->level) : 0;
        if (!room || ZSTD_isError(size))
            return fail(writer, room ? ZSTD_getErrorName(size) : "out of memory");
        if (size < payload->size) {
            writer->out.size = at + size;
            *flags |= CAPTURE_CHUNK_ZSTD;
            return true;
        }
        writer->out.size = at;
    }
    capture_pack_bytes(&writer->out, payload->data, payload->size);
    return !writer->out.is_bad || fail(writer, "out of memory");
}

bool capture_writer_put(struct capture_writer *writer, enum capture_chunk_type type, const struct capture_pack *payload)
{
    uint32_t flags = type == CAPTURE_CHUNK_NOTE ? CAPTURE_CHUNK_SKIPPABLE : 0;
    if (writer->is_failed || writer->descriptor < 0)
        return false;
    if (payload->is_bad || payload->size > CAPTURE_CHUNK_MOST)
        return fail(writer, payload->is_bad ? "out of memory" : "a record is larger than the format allows");
    capture_pack_reset(&writer->out);
    if (!capture_pack_room(&writer->out, CAPTURE_CHUNK_HEADER_BYTES) || !store(writer, payload, &flags))
        return fail(writer, "out of memory");
    uint8_t *header = writer->out.data;
    uint32_t stored = (uint32_t)(writer->out.size - CAPTURE_CHUNK_HEADER_BYTES);
    base_put_u32(header, type);
    base_put_u32(header + 4, flags);
    base_put_u32(header + 8, writer->chunk_number++);
    base_put_u32(header + 12, (uint32_t)payload->size);
    base_put_u32(header + 16, stored);
    base_put_u32(header + 20, 0);
    XXH64_hash_t seed = XXH3_64bits(header, CAPTURE_HASHED_BYTES);
    base_put_u64(header + CAPTURE_HASHED_BYTES, XXH3_64bits_withSeed(header + CAPTURE_CHUNK_HEADER_BYTES, stored, seed));
    return write_all(writer, writer->out.data, writer->out.size);
}

bool capture_writer_ok(const struct capture_writer *writer, struct base_error *error)
{
    return !writer->is_failed || base_error_set(error, "%s", writer->failure.text);
}

void capture_writer_close(struct capture_writer *writer)
{
    if (writer->descriptor >= 0 && !is_ours(writer))
        fail(writer, "the program closed its descriptor");
    else if (writer->descriptor >= 0 && close(writer->descriptor))
        fail(writer, strerror(errno)); /* what a file server says so late */
    writer->descriptor = -1;
}

void capture_writer_destroy(struct capture_writer *writer)
{
    if (!writer)
        return;
    capture_writer_close(writer);
    ZSTD_freeCCtx(writer->zstd);
    capture_pack_finish(&writer->out);
    free(writer);
}
