/* fuzz_capture: feeds arbitrary bytes to the capture reader, both formats; whatever it accepts is taken into a state and
 * read back.
 *
 * The first byte says how the rest is meant: 0 a file as it is; otherwise chunks (u8 type, u8 flags, u16 payload bytes,
 * payload) that are put into a file of our own format with sound hashes, so that what lies behind them is reached. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "base/base_bytes.h"
#include "capture/capture_reader.h"
#include "capture/capture_state.h"
#include "fuzz.h"

enum { HEAD = 32, HASHED = 24, SMALL_HEAD = 4 };

static const struct capture_limits limits = {.buffer_bytes = 1 << 24, .total_bytes = 1 << 26, .unpacked_bytes = 1 << 26};

/* Puts chunks into a file, which the caller frees. */
static uint8_t *wrap(const uint8_t *data, size_t size, size_t *wrapped)
{
    uint8_t *file = calloc(1, HEAD + size * (HEAD / SMALL_HEAD + 1) + HEAD), *at = file;
    uint32_t number = 0;
    if (!file)
        return NULL;
    memcpy(at, "TFCAPTUR", 8);
    base_put_u32(at + 8, 1);
    base_put_u32(at + 12, HEAD);
    base_put_u64(at + HASHED, XXH3_64bits(at, HASHED));
    at += HEAD;
    while (size >= SMALL_HEAD) {
        uint32_t bytes = data[2] | (uint32_t)data[3] << 8;
        bytes = bytes <= size - SMALL_HEAD ? bytes : (uint32_t)(size - SMALL_HEAD);
        uint32_t raw = data[1] & 1 ? bytes * 4 : bytes;
        base_put_u32(at, data[0]);
        base_put_u32(at + 4, data[1]);
        base_put_u32(at + 8, number++);
        base_put_u32(at + 12, raw);
        base_put_u32(at + 16, bytes);
        memcpy(at + HEAD, data + SMALL_HEAD, bytes);
        base_put_u64(at + HASHED, XXH3_64bits_withSeed(at + HEAD, bytes, XXH3_64bits(at, HASHED)));
        at += HEAD + bytes;
        data += SMALL_HEAD + bytes;
        size -= SMALL_HEAD + bytes;
    }
    *wrapped = (size_t)(at - file);
    return file;
}

/* What a mapping shows can be read, as far as it goes. */
static void read_mapping(const struct capture_mapping *mapping, void *user)
{
    const struct capture_state *state = user;
    uint8_t bytes[64];
    uint64_t last = mapping->address + (mapping->bytes - sizeof bytes);
    if (capture_state_read(state, mapping->address, bytes, sizeof bytes) != sizeof bytes ||
        capture_state_read(state, last, bytes, sizeof bytes) != sizeof bytes)
        abort();
}

static void read_file(const uint8_t *data, size_t size)
{
    struct base_error error = {0};
    struct capture_reader *reader = capture_reader_open_bytes(data, size, &limits, &error);
    struct capture_state state = {0};
    struct capture_event event;
    enum capture_read read;
    if (!reader) {
        if (!error.text[0])
            abort();
        return;
    }
    while ((read = capture_reader_next(reader, &event, &error)) == CAPTURE_READ_EVENT)
        if (!capture_state_apply(&state, &event, &error))
            break;
    if (read == CAPTURE_READ_BAD && !strstr(error.text, "byte "))
        abort();
    capture_space_each(&state.space, read_mapping, &state);
    capture_state_finish(&state);
    capture_reader_close(reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size)
        return 0;
    if (!data[0]) {
        read_file(data + 1, size - 1);
        return 0;
    }
    size_t wrapped;
    uint8_t *file = wrap(data + 1, size - 1, &wrapped);
    if (file)
        read_file(file, wrapped);
    free(file);
    return 0;
}

#ifndef TENFOLD_LIBFUZZER
int main(int argc, char **argv)
{
    return fuzz_run_files(argc, argv);
}
#endif
