/* capture_reading: the reader's insides, shared by the two formats. */
#ifndef CAPTURE_CAPTURE_READING_H
#define CAPTURE_CAPTURE_READING_H

#include <zstd.h>

#include "base/base_bytes.h"
#include "capture/capture_check.h"
#include "capture/capture_pack.h"
#include "capture/capture_source.h"

/* The buffer that an RDNACAP1 handle names at the moment. */
struct capture_handle {
    uint32_t handle, number;
};

/* State of the RDNACAP1 stream: unpacking, and what its records mean in our terms. */
struct capture_stream {
    bool is_packed; /* zstd */
    bool has_ended; /* the zstd frame is whole */
    struct capture_pack in;
    size_t in_used;
    void *handles; /* of struct capture_handle, as tsearch() keeps them */
    uint32_t last_buffer, last_submission;
    uint32_t queues[3]; /* a bit for each ring of graphics, compute, SDMA that has a queue; queue_numbers say which */
    uint32_t queue_numbers[3][32], last_queue;
    bool has_record; /* the last record is not done with: its queue came first */
    bool owes_end;   /* the last submission's end comes next */
};

struct capture_reader {
    struct capture_source source;
    struct capture_check check;
    bool is_own;       /* our format */
    uint64_t offset;   /* of the next chunk; of the next byte to unpack */
    uint64_t place;    /* of the record being read, for errors */
    uint64_t unpacked; /* bytes so far */
    uint32_t chunk_number;
    bool is_bad;
    ZSTD_DCtx *zstd;
    struct capture_pack stored, raw; /* of the chunk; raw: of the record */
    struct capture_pack items;       /* arrays of the event */
    struct capture_range range;
    struct tf_ib *ibs; /* in items */
    struct capture_stream stream;
};

/* `count` items of the event that is being made, uninitialised; NULL when the host has no memory. */
void *capture_reading_items(struct capture_reader *reader, size_t count, size_t size);
/* Counts bytes that are about to be unpacked against the limit. */
bool capture_reading_unpacks(struct capture_reader *reader, uint64_t bytes, struct base_error *error);

bool capture_own_begin(struct capture_reader *reader, struct base_error *error);
enum capture_read capture_own_next(struct capture_reader *reader, struct capture_event *event, struct base_error *error);
bool capture_rdnacap_begin(struct capture_reader *reader, struct base_error *error);
enum capture_read capture_rdnacap_next(struct capture_reader *reader, struct capture_event *event, struct base_error *error);
void capture_rdnacap_finish(struct capture_reader *reader);

#endif
