/* capture_due: submissions whose end the capture shows, and which here wait for what the program wrote meanwhile.
 *
 * What the program wrote is in the next look at memory, together with what the submission did. So the submission is first
 * let go on without it (capture_release.c); what it leaves alone and the look has anew is the program's. Where there is
 * such, memory is put back to what it was before the submission, with the program's part in it, and the submission is
 * carried out again. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "capture/capture_replaying.h"

enum { MOST_RELEASES = 64, MOST_DEFERRED = 1 << 30 };

static const double release_patience = 0.1; /* seconds */

struct capture_deferred *capture_deferred_items(struct capture_replay *replay, size_t *count)
{
    *count = replay->deferred.size / sizeof(struct capture_deferred);
    return (struct capture_deferred *)(void *)replay->deferred.data;
}

bool capture_due_any(const struct capture_replay *replay)
{
    for (size_t n = 0; n < replay->pending_count; n++)
        if (replay->pending[n].is_due)
            return true;
    return false;
}

void capture_due_keep(struct capture_replay *replay, const struct capture_range *range)
{
    struct capture_deferred deferred = {range->buffer, range->bytes, range->offset, replay->deferred_data.size};
    if (replay->deferred_data.size > MOST_DEFERRED) {
        replay->deferred_data.is_bad = true;
        capture_replay_fail(replay, "more memory changed while a submission waited than can be kept");
        return;
    }
    capture_pack_bytes(&replay->deferred, &deferred, sizeof deferred);
    capture_pack_bytes(&replay->deferred_data, range->data, range->bytes);
    if (replay->deferred.is_bad || replay->deferred_data.is_bad)
        capture_replay_fail(replay, "out of memory");
}

/* Lets a submission go on, wait by wait, until it has ended or its time is over. */
static void let_go(struct capture_replay *replay, struct capture_pending *pending)
{
    bool has_ended = capture_replay_wait(replay, pending->fence, release_patience);
    for (unsigned steps = 0; !has_ended && steps < MOST_RELEASES && capture_release_step(replay, pending); steps++)
        has_ended = capture_replay_wait(replay, pending->fence, release_patience);
    if (!has_ended)
        capture_replay_wait(replay, pending->fence, 0.0);
}

/* Finds the program's bytes of a kept range: the look has them anew, and the submission left them alone. Marks them in
 * `program`, a byte for each, and returns how many there are. */
static uint64_t find_program(struct capture_replay *replay, const struct capture_deferred *range, uint8_t *program)
{
    const struct capture_placed *placed = &replay->place.buffers[range->buffer - 1];
    const uint8_t *live = placed->live + range->offset, *before = placed->shadow.copy + range->offset,
                  *recorded = replay->deferred_data.data + range->at;
    uint64_t count = 0;
    for (uint32_t n = 0; n < range->bytes; n++) {
        program[n] = live[n] == before[n] && recorded[n] != before[n];
        count += program[n];
    }
    return count;
}

static bool restore(void *user, uint64_t offset, const uint8_t *data, const uint8_t *was, uint32_t bytes)
{
    struct capture_placed *placed = user;
    (void)data;
    memcpy(placed->live + offset, was, bytes);
    capture_shadow_set(&placed->shadow, offset, was, bytes);
    return true;
}

/* Memory as it was before the submission, with the program's bytes in it. */
static void put_back(struct capture_replay *replay, const uint8_t *program)
{
    size_t count;
    const struct capture_deferred *items = capture_deferred_items(replay, &count);
    for (size_t n = 0; n < replay->place.count; n++)
        if (replay->place.buffers[n].is_alive)
            capture_shadow_collect(&replay->place.buffers[n].shadow, restore, &replay->place.buffers[n]);
    for (size_t n = 0; n < count; n++) {
        uint8_t *live = replay->place.buffers[items[n].buffer - 1].live + items[n].offset;
        for (uint32_t at = 0; at < items[n].bytes; at++)
            if (program[items[n].at + at])
                live[at] = replay->deferred_data.data[items[n].at + at];
    }
}

/* Carries the submission out once more; its waits have ended. */
static void again(struct capture_replay *replay, struct capture_pending *pending)
{
    struct tf_error reason;
    struct tf_submission submission = {.size = sizeof submission,
                                       .ibs = pending->ibs,
                                       .ib_count = pending->ib_count,
                                       .fence_address = pending->fence_address,
                                       .fence_value = pending->fence_value};
    struct tf_fence *fence;
    if (tf_queue_submit(replay->queues[pending->queue - 1], &submission, &fence, &reason) != TF_OK) {
        capture_replay_fail(replay, "submission %" PRIu32 ": %s", pending->number, reason.text);
        return;
    }
    tf_fence_release(pending->fence);
    pending->fence = fence;
    pending->released = 0;
    capture_clock_back(replay, pending->clocks_before);
    let_go(replay, pending);
}

/* The only submission in flight: when it has ended without the program's part, it is carried out again with it. */
static void let_go_alone(struct capture_replay *replay, struct capture_pending *pending)
{
    size_t count;
    const struct capture_deferred *items = capture_deferred_items(replay, &count);
    uint8_t *program = malloc(replay->deferred_data.size + 1);
    uint64_t found = 0;
    let_go(replay, pending);
    for (size_t n = 0; program && n < count; n++)
        found += find_program(replay, &items[n], program + items[n].at);
    if (found && tf_fence_state(pending->fence) == TF_FENCE_DONE) {
        put_back(replay, program);
        replay->result->meanwhile_bytes += found;
        again(replay, pending);
    }
    free(program);
}

void capture_due_end(struct capture_replay *replay)
{
    size_t count;
    const struct capture_deferred *items = capture_deferred_items(replay, &count);
    bool is_kept = !replay->deferred.is_bad && !replay->deferred_data.is_bad, is_alone = is_kept && replay->pending_count == 1;
    for (size_t n = 0; n < replay->pending_count;) {
        struct capture_pending *pending = &replay->pending[n];
        if (!pending->is_due) {
            n++;
            continue;
        }
        if (is_alone)
            let_go_alone(replay, pending);
        else
            let_go(replay, pending);
        capture_replay_end(replay, pending);
    }
    for (size_t n = 0; is_kept && n < count; n++) {
        struct capture_range range = {items[n].buffer, items[n].bytes, items[n].offset, replay->deferred_data.data + items[n].at};
        capture_compare_mixed(replay, &range);
    }
    capture_pack_reset(&replay->deferred);
    capture_pack_reset(&replay->deferred_data);
}
