/* capture_reader: a capture, ours or an RDNACAP1 stream, as a sequence of checked events.
 *
 * The file is hostile: every length, number and range is checked before it is used, against the file and against what the
 * capture said before (a buffer that lives, a mapping that is there, a submission that came earlier), and what is unpacked
 * is bounded. What comes out of capture_reader_next therefore needs no further checks.
 */
#ifndef CAPTURE_CAPTURE_READER_H
#define CAPTURE_CAPTURE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tenfold/queue.h>

#include "base/base_error.h"
#include "capture/capture.h"
#include "capture/capture_format.h"

struct capture_reader;

struct capture_limits {
    uint64_t buffer_bytes;   /* of one buffer, at most */
    uint64_t total_bytes;    /* of all buffers that live at a time */
    uint64_t unpacked_bytes; /* of the whole file, at most, and besides that ... */
    uint64_t unpacked_times; /* ... so many for each byte that the file has; hashes of contents go over as many */
    uint64_t spread_bytes;   /* of pages that the capture has some bytes of, without those bytes; and besides that ... */
    uint64_t spread_times;   /* ... so many for each byte that the file has */
};

/* Bounds of captures that nobody vouches for: 64 GiB of buffers; unpacked 4 GiB, and a thousand times what the file has;
 * memory around its bytes 512 MiB, and 64 times that. */
struct capture_limits capture_limits_usual(void);
/* Bounds of a capture that is known to be large. */
struct capture_limits capture_limits_large(void);

enum capture_event_kind {
    CAPTURE_DEVICE, /* always first, and once */
    CAPTURE_BUFFER,
    CAPTURE_BUFFER_END,
    CAPTURE_VA,
    CAPTURE_QUEUE,
    CAPTURE_MEMORY,
    CAPTURE_SUBMISSION,
    CAPTURE_ENDED,
    CAPTURE_SIGNAL,
    CAPTURE_SIGNAL_GIVEN,
    CAPTURE_CLOCK,
    CAPTURE_NOTE,
    CAPTURE_STALLED, /* the recorder went on before a submission ended: it may wait for what the program does later */
    CAPTURE_FINAL,   /* last, in a capture of our own that is whole */
};

/* Text and bytes of an event live until the next capture_reader_next. */
struct capture_event_device {
    char chip[32];
    char program[256]; /* cut to fit */
    char version[32];  /* of what recorded it */
    uint64_t window_base, window_bytes;
    const uint8_t *info; /* struct drm_amdgpu_info_device as the program saw it */
    size_t info_bytes;
};

struct capture_event_buffer {
    uint32_t number; /* from 1, never used again */
    uint32_t domains;
    uint64_t bytes, alignment, flags;
    uint32_t traits; /* enum capture_buffer_trait */
};

struct capture_event_end {
    uint32_t number;
    bool has_hash;
    uint64_t hash; /* of its contents */
};

struct capture_event_va {
    enum capture_va_operation operation;
    uint32_t buffer;        /* 0: none */
    uint64_t address;       /* canonical */
    uint64_t bytes, offset; /* whole pages; MAP and REPLACE of a buffer: inside it */
    uint32_t flags;
};

struct capture_event_queue {
    uint32_t number;
    enum tf_queue_kind kind;
    char name[64]; /* cut to fit */
};

struct capture_range {
    uint32_t buffer, bytes;
    uint64_t offset;
    const uint8_t *data;
};

struct capture_event_memory {
    enum capture_memory_reason reason;
    bool has_more; /* the next event goes on with the same look at memory */
    const struct capture_range *ranges;
    size_t count;
};

struct capture_event_submission {
    uint32_t number; /* 1, 2, ... */
    uint32_t queue;
    const struct tf_ib *ibs;
    size_t ib_count;
    const struct capture_wait *waits; /* of earlier submissions, and of signals */
    size_t wait_count;
    uint64_t fence_address, fence_value;
};

/* ENDED and STALLED: of a submission; SIGNAL_GIVEN: of a signal. */
struct capture_event_state {
    uint32_t number;
    enum tf_fence_state state;
};

struct capture_event_clock {
    size_t count;
    const uint8_t *values; /* 64-bit each, little-endian */
    uint32_t lost;         /* further values that were not kept */
};

struct capture_final_hash {
    uint32_t buffer;
    uint64_t hash;
};

struct capture_event_final {
    uint32_t unfinished; /* submissions that had not ended */
    const struct capture_final_hash *hashes;
    size_t count; /* one for each buffer that lives */
};

struct capture_event {
    enum capture_event_kind kind;
    uint64_t offset; /* of its record in the file (RDNACAP1: in the unpacked stream) */
    union {
        struct capture_event_device device;
        struct capture_event_buffer buffer;
        struct capture_event_end end;
        struct capture_event_va va;
        struct capture_event_queue queue;
        struct capture_event_memory memory;
        struct capture_event_submission submission;
        struct capture_event_state state;
        struct capture_event_clock clock;
        struct capture_event_final final;
        uint32_t signal;
        char note[256];
    };
};

enum capture_read {
    CAPTURE_READ_EVENT,
    CAPTURE_READ_END, /* the capture is whole */
    CAPTURE_READ_CUT, /* it ends before its end: the program was killed, or the file was cut; all that came before holds */
    CAPTURE_READ_BAD, /* the error says where and why; nothing more can be read */
};

/* Opens a file. NULL after an error: not there, or no capture. limits may be NULL: the usual ones. */
struct capture_reader *capture_reader_open(const char *path, const struct capture_limits *limits, struct base_error *error);
/* The same for bytes in memory, which must outlive the reader. */
struct capture_reader *capture_reader_open_bytes(const uint8_t *data, size_t size, const struct capture_limits *limits,
                                                 struct base_error *error);
void capture_reader_close(struct capture_reader *reader);

enum capture_read capture_reader_next(struct capture_reader *reader, struct capture_event *event, struct base_error *error);

/* Counts bytes that are about to be hashed, for the event that was read last, against the limit. False after an error that says
 * where. */
bool capture_reader_hashes(struct capture_reader *reader, uint64_t bytes, struct base_error *error);

/* True for a format that says what became of memory, so that a replay can be compared with it. */
bool capture_reader_has_results(const struct capture_reader *reader);
/* "Tenfold capture, version 1" or "RDNACAP1 stream". */
const char *capture_reader_format(const struct capture_reader *reader);
/* How much of the file has been read, for a display of progress: 0 to 1. */
double capture_reader_progress(const struct capture_reader *reader);

#endif
