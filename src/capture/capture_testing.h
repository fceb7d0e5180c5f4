/* capture_testing: captures spelled byte by byte, as docs/capture-format.md says, without the code that writes them. For
 * tests. */
#ifndef CAPTURE_CAPTURE_TESTING_H
#define CAPTURE_CAPTURE_TESTING_H

#include <stdarg.h>
#include <string.h>

#include <xxhash.h>

#include "base/base_bytes.h"

enum { TESTING_MOST = 1 << 16 };

/* A file being spelled. */
struct testing_file {
    uint8_t bytes[TESTING_MOST];
    size_t size;
    uint32_t chunks;
};

static inline void testing_begin(struct testing_file *file)
{
    memset(file, 0, sizeof *file);
    memcpy(file->bytes, "TFCAPTUR", 8);
    base_put_u32(file->bytes + 8, 1);
    base_put_u32(file->bytes + 12, 32);
    base_put_u64(file->bytes + 24, XXH3_64bits(file->bytes, 24));
    file->size = 32;
}

/* A chunk with everything given: what is stored, and how large it says that it is unpacked. */
static inline void testing_chunk_full(struct testing_file *file, uint32_t type, uint32_t flags, uint32_t raw, const void *stored,
                                      uint32_t size)
{
    uint8_t *at = file->bytes + file->size;
    base_put_u32(at, type);
    base_put_u32(at + 4, flags);
    base_put_u32(at + 8, file->chunks++);
    base_put_u32(at + 12, raw);
    base_put_u32(at + 16, size);
    base_put_u32(at + 20, 0);
    if (size)
        memcpy(at + 32, stored, size);
    base_put_u64(at + 24, XXH3_64bits_withSeed(at + 32, size, XXH3_64bits(at, 24)));
    file->size += 32 + size;
}

/* A chunk of words: 'w' a 32-bit one, 'q' a 64-bit one, 's' text without its end. */
static inline void testing_chunk(struct testing_file *file, uint32_t type, const char *layout, ...)
{
    uint8_t payload[1024];
    uint32_t size = 0;
    va_list list;
    va_start(list, layout);
    for (; *layout; layout++) {
        if (*layout == 'w') {
            base_put_u32(payload + size, va_arg(list, unsigned));
            size += 4;
        } else if (*layout == 'q') {
            base_put_u64(payload + size, va_arg(list, unsigned long long));
            size += 8;
        } else {
            const char *text = va_arg(list, const char *);
            memcpy(payload + size, text, strlen(text));
            size += (uint32_t)strlen(text);
        }
    }
    va_end(list);
    testing_chunk_full(file, type, 0, size, payload, size);
}

static inline void testing_device(struct testing_file *file)
{
    testing_chunk(file, 1, "qqwwwwwwsss", 0ull, 0ull, 4096u, 0u, 7u, 4u, 3u, 0u, "gfx1030", "prog", "0.1");
}

static inline void testing_buffer(struct testing_file *file, unsigned number, unsigned long long bytes)
{
    testing_chunk(file, 2, "wwqqqww", number, 4u, bytes, 4096ull, 0ull, 0u, 0u);
}

static inline void testing_map(struct testing_file *file, unsigned operation, unsigned buffer, unsigned long long address,
                               unsigned long long bytes, unsigned long long offset)
{
    testing_chunk(file, 4, "wwqqqww", operation, buffer, address, bytes, offset, 14u, 0u);
}

#endif
