/* capture_format: the numbers of Tenfold's own capture format; docs/capture-format.md describes it. */
#ifndef CAPTURE_CAPTURE_FORMAT_H
#define CAPTURE_CAPTURE_FORMAT_H

#include <stdint.h>

#define CAPTURE_MAGIC "TFCAPTUR"

enum {
    CAPTURE_VERSION = 1,
    CAPTURE_MAGIC_BYTES = 8,
    CAPTURE_HEADER_BYTES = 32, /* magic, u32 version, u32 header bytes, u64 zero, u64 hash of the 24 bytes before */
    CAPTURE_CHUNK_HEADER_BYTES =
        32,                    /* u32 type, flags, number, raw bytes, stored bytes, zero; u64 hash of these and what is stored */
    CAPTURE_HASHED_BYTES = 24, /* of either header */
    CAPTURE_CHUNK_MOST = 64 << 20, /* raw bytes of a chunk, at most */
    CAPTURE_PAGE = 4096,
};

enum capture_chunk_flag {
    CAPTURE_CHUNK_ZSTD = 1 << 0,      /* what is stored is one zstd frame of the raw bytes */
    CAPTURE_CHUNK_SKIPPABLE = 1 << 1, /* a reader that does not know the type may go on */
    CAPTURE_CHUNK_KNOWN_FLAGS = CAPTURE_CHUNK_ZSTD | CAPTURE_CHUNK_SKIPPABLE,
};

enum capture_chunk_type {
    CAPTURE_CHUNK_DEVICE = 1,
    CAPTURE_CHUNK_BUFFER,
    CAPTURE_CHUNK_BUFFER_END,
    CAPTURE_CHUNK_VA,
    CAPTURE_CHUNK_QUEUE,
    CAPTURE_CHUNK_MEMORY,
    CAPTURE_CHUNK_SUBMISSION,
    CAPTURE_CHUNK_ENDED,
    CAPTURE_CHUNK_SIGNAL,
    CAPTURE_CHUNK_SIGNAL_GIVEN,
    CAPTURE_CHUNK_CLOCK,
    CAPTURE_CHUNK_NOTE,
    CAPTURE_CHUNK_FINAL,
    CAPTURE_CHUNK_STALLED,
};

/* Bytes of the payloads' fixed parts. */
enum {
    CAPTURE_DEVICE_BYTES = 40,
    CAPTURE_BUFFER_BYTES = 40,
    CAPTURE_BUFFER_END_BYTES = 16,
    CAPTURE_VA_BYTES = 40,
    CAPTURE_QUEUE_BYTES = 16,
    CAPTURE_MEMORY_BYTES = 16,
    CAPTURE_RANGE_BYTES = 16,
    CAPTURE_SUBMISSION_BYTES = 32,
    CAPTURE_IB_BYTES = 16,
    CAPTURE_WAIT_BYTES = 8,
    CAPTURE_PAIR_BYTES = 8, /* ENDED, STALLED, SIGNAL, SIGNAL_GIVEN; the head of CLOCK and FINAL */
    CAPTURE_CLOCK_BYTES = 8,
    CAPTURE_HASH_BYTES = 16,
};

enum capture_buffer_trait { CAPTURE_BUFFER_USER = 1 << 0, CAPTURE_BUFFER_IMPORTED = 1 << 1 };

/* Why memory is written down. */
enum capture_memory_reason {
    CAPTURE_MEMORY_PROGRAM, /* nothing was in flight since the last look: the program's own changes */
    CAPTURE_MEMORY_MIXED,   /* what submissions did, and what the program changed meanwhile */
};

/* Sane bounds for what a capture may ask of its reader; counts of live things. */
enum {
    CAPTURE_MOST_BUFFERS = 1 << 20,
    CAPTURE_MOST_MAPPINGS = 1 << 18,
    CAPTURE_MOST_QUEUES = 1 << 10,
    CAPTURE_MOST_SIGNALS = 1 << 24,
    CAPTURE_MOST_SUBMISSIONS = 1 << 28,
    CAPTURE_MOST_IBS = 1 << 16,
    CAPTURE_MOST_INFO = 1 << 16,
};

#endif
