/* capture_look: the recorder's looks at memory: what differs from what was last written down. */
#include "base/base_bytes.h"
#include "capture/capture_format.h"
#include "capture/capture_recorder.h"

enum { MEMORY_CHUNK_DATA = 8 << 20 }; /* a MEMORY chunk is written when it has that much */

static void put_ranges(struct capture_recorder *recorder, bool has_more)
{
    struct capture_pack *payload = &recorder->payload;
    capture_pack_reset(payload);
    capture_pack_u32(payload, recorder->reason);
    capture_pack_u32(payload, has_more);
    capture_pack_u32(payload, recorder->range_count);
    capture_pack_u32(payload, 0);
    capture_pack_bytes(payload, recorder->heads.data, recorder->heads.size);
    capture_pack_bytes(payload, recorder->data.data, recorder->data.size);
    payload->is_bad |= recorder->heads.is_bad | recorder->data.is_bad;
    capture_writer_put(recorder->writer, CAPTURE_CHUNK_MEMORY, payload);
    capture_pack_reset(&recorder->heads);
    capture_pack_reset(&recorder->data);
    recorder->range_count = 0;
}

/* A piece right behind the last one makes the last range longer. */
static bool add_range(void *user, uint64_t offset, const uint8_t *data, const uint8_t *was, uint32_t bytes)
{
    (void)was;
    struct capture_recorder *recorder = user;
    struct capture_pack *heads = &recorder->heads;
    if (recorder->range_count && recorder->range_end == offset && heads->size >= CAPTURE_RANGE_BYTES) {
        uint8_t *size = heads->data + heads->size - CAPTURE_RANGE_BYTES + 4;
        uint32_t before = 0;
        base_bytes_u32((struct base_bytes){size, sizeof before}, 0, &before);
        base_put_u32(size, before + bytes);
    } else {
        capture_pack_u32(heads, recorder->range_buffer);
        capture_pack_u32(heads, bytes);
        capture_pack_u64(heads, offset);
        recorder->range_count++;
    }
    capture_pack_bytes(&recorder->data, data, bytes);
    recorder->range_end = offset + bytes;
    if (recorder->data.size >= MEMORY_CHUNK_DATA || heads->size >= MEMORY_CHUNK_DATA)
        put_ranges(recorder, true);
    return capture_writer_ok(recorder->writer, NULL);
}

static void look(struct capture_recorder *recorder, struct capture_recorded *first, size_t count)
{
    recorder->reason = recorder->flight_count || recorder->has_worked ? CAPTURE_MEMORY_MIXED : CAPTURE_MEMORY_PROGRAM;
    for (size_t n = 0; n < count; n++) {
        recorder->range_buffer = first[n].number;
        recorder->range_end = UINT64_MAX;
        if (first[n].shadow.copy && !capture_shadow_collect(&first[n].shadow, add_range, recorder))
            return;
    }
    if (recorder->range_count || recorder->reason == CAPTURE_MEMORY_MIXED)
        put_ranges(recorder, false);
}

void capture_look_all(struct capture_recorder *recorder)
{
    capture_flights_sweep(recorder);
    look(recorder, recorder->buffers, recorder->buffer_count);
    recorder->has_worked = recorder->flight_count;
}

void capture_look_one(struct capture_recorder *recorder, struct capture_recorded *recorded)
{
    capture_flights_sweep(recorder);
    if (recorder->flight_count || recorder->has_worked)
        capture_look_all(recorder); /* replay compares all of memory where work has ended */
    else
        look(recorder, recorded, 1);
}
