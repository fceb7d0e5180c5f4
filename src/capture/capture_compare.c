/* capture_compare: a replay's memory against what the capture says became of it. */
#include <stdlib.h>
#include <string.h>

#include "capture/capture_replaying.h"

static void note_difference(struct capture_replay *replay, uint32_t buffer, uint64_t offset, const uint8_t *expected,
                            const uint8_t *got, uint32_t bytes)
{
    struct capture_replay_result *result = replay->result;
    struct capture_difference difference = {.submission = replay->last_ended, .buffer = buffer};
    uint32_t first = 0, last = bytes;
    while (first < bytes && expected[first] == got[first])
        first++;
    while (last > first && expected[last - 1] == got[last - 1])
        last--;
    if (first == last)
        return;
    uint32_t kept = last - first < CAPTURE_DIFFERENCE_BYTES ? last - first : CAPTURE_DIFFERENCE_BYTES;
    difference.offset = offset + first;
    difference.bytes = last - first;
    memcpy(difference.expected, expected + first, kept);
    memcpy(difference.got, got + first, kept);
    for (uint32_t n = first; n < last; n++)
        result->difference_bytes += expected[n] != got[n];
    if (result->difference_count < CAPTURE_DIFFERENCES_KEPT)
        result->differences[result->difference_count] = difference;
    result->difference_count++;
}

/* The program's own changes: nothing was in flight, so they go where they were made. */
static void take_program(struct capture_replay *replay, const struct capture_range *range)
{
    struct capture_placed *placed = &replay->place.buffers[range->buffer - 1];
    memcpy(placed->live + range->offset, range->data, range->bytes);
    capture_shadow_set(&placed->shadow, range->offset, range->data, range->bytes);
    replay->result->program_bytes += range->bytes;
}

/* Work and the program's changes together. What the replay's work has not made so, and has not changed either, the program
 * did. What the replay changed to something else is a difference: at once where nothing is in flight here; otherwise it is
 * left to the next look. Returns bytes of the program's. */
static uint64_t settle(uint8_t *live, const uint8_t *before, const uint8_t *recorded, uint32_t bytes)
{
    uint64_t program = 0;
    for (uint32_t n = 0; n < bytes; n++) {
        if (live[n] == recorded[n] || live[n] != before[n])
            continue;
        live[n] = recorded[n];
        program++;
    }
    return program;
}

void capture_compare_mixed(struct capture_replay *replay, const struct capture_range *range)
{
    struct capture_placed *placed = &replay->place.buffers[range->buffer - 1];
    uint8_t *live = placed->live + range->offset;
    replay->result->meanwhile_bytes += settle(live, placed->shadow.copy + range->offset, range->data, range->bytes);
    capture_shadow_set(&placed->shadow, range->offset, range->data, range->bytes);
}

/* What differs from the capture is noted and made equal. */
static bool found_difference(void *user, uint64_t offset, const uint8_t *data, const uint8_t *was, uint32_t bytes)
{
    struct capture_replay *replay = user;
    struct capture_placed *placed = &replay->place.buffers[replay->compared_buffer];
    note_difference(replay, placed->buffer.number, offset, was, data, bytes);
    memcpy(placed->live + offset, was, bytes);
    capture_shadow_set(&placed->shadow, offset, was, bytes);
    return true;
}

static void compare_all(struct capture_replay *replay)
{
    for (size_t n = 0; n < replay->place.count; n++) {
        replay->compared_buffer = (uint32_t)n;
        if (replay->place.buffers[n].is_alive)
            capture_shadow_collect(&replay->place.buffers[n].shadow, found_difference, replay);
    }
}

void capture_compare_memory(struct capture_replay *replay, const struct capture_event_memory *memory)
{
    bool is_program = memory->reason == CAPTURE_MEMORY_PROGRAM, is_due = capture_due_any(replay);
    for (size_t n = 0; n < memory->count; n++) {
        if (is_due)
            capture_due_keep(replay, &memory->ranges[n]);
        else if (is_program)
            take_program(replay, &memory->ranges[n]);
        else
            capture_compare_mixed(replay, &memory->ranges[n]);
    }
    if (is_program || memory->has_more)
        return;
    if (is_due)
        capture_due_end(replay);
    if (!replay->pending_count)
        compare_all(replay);
}

bool capture_compare_hash(struct capture_replay *replay, uint32_t buffer, uint64_t hash, struct base_error *error)
{
    const struct capture_placed *placed = &replay->place.buffers[buffer - 1];
    uint64_t bytes = placed->buffer.bytes, own;
    uint64_t hole = capture_hash_hole(replay->place.descriptor, placed->file_offset, bytes);
    if (!capture_reader_hashes(replay->reader, capture_hash_cost(bytes, hole), error))
        return false;
    replay->result->hash_count++;
    if (!capture_hash_file(&replay->hasher, replay->place.descriptor, placed->file_offset, bytes, &own) || own != hash)
        replay->result->hash_misses++;
    return true;
}
