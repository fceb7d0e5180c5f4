/* cp_record: what is counted of a ring: totals, waits, the programs that are not bounded, the last submissions. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cp/cp_internal.h"

void cp_record_destroy(struct cp_record *record)
{
    while (record->unbounded_programs) {
        struct cp_unbounded *next = record->unbounded_programs->next;
        free(record->unbounded_programs);
        record->unbounded_programs = next;
    }
    pthread_mutex_destroy(&record->lock);
    free(record->kept);
    free(record->name);
    free(record);
}

struct cp_record *cp_record_create(struct cp_gpu *gpu, enum submit_ring kind, const char *name)
{
    struct cp_record *record = calloc(1, sizeof *record);
    if (!record)
        return NULL;
    pthread_mutex_init(&record->lock, NULL);
    record->kind = kind;
    record->name = strdup(name);
    record->kept = calloc(CP_SUBMISSIONS_KEPT, sizeof *record->kept);
    if (!record->name || !record->kept) {
        cp_record_destroy(record);
        return NULL;
    }
    pthread_mutex_lock(&gpu->lock);
    *gpu->last_record = record;
    gpu->last_record = &record->next;
    pthread_mutex_unlock(&gpu->lock);
    return record;
}

/* ---- counting ---- */

void cp_ring_count_wait(struct cp_ring *ring, const char *kind, uint64_t address, uint64_t nanoseconds)
{
    struct cp_record *record = ring->record;
    double seconds = (double)nanoseconds * 1e-9;
    pthread_mutex_lock(&record->lock);
    size_t n = 0;
    while (n < record->wait_count && (record->waits[n].address != address || strcmp(record->waits[n].kind, kind) != 0))
        n++;
    if (n == record->wait_count && n < CP_WAIT_SITES)
        record->waits[record->wait_count++] = (struct cp_wait_total){.kind = kind, .address = address};
    if (n == CP_WAIT_SITES) { /* the last site stands for all that found no room */
        n--;
        record->waits[n] =
            (struct cp_wait_total){"other", 0, record->waits[n].times, record->waits[n].seconds, record->waits[n].longest_s};
    }
    struct cp_wait_total *wait = &record->waits[n];
    wait->times++;
    wait->seconds += seconds;
    wait->longest_s = seconds > wait->longest_s ? seconds : wait->longest_s;
    pthread_mutex_unlock(&record->lock);
    struct cp_submission *now = &ring->now;
    now->waited_s += seconds;
    if (seconds > now->longest.seconds) /* what held at once was no wait */
        now->longest = (struct cp_wait_total){kind, address, 1, seconds, seconds};
}

void cp_ring_keep_submission(struct cp_ring *ring, uint64_t number, uint64_t nanoseconds, bool done)
{
    struct cp_record *record = ring->record;
    ring->now.number = number;
    ring->now.seconds = (double)nanoseconds * 1e-9;
    ring->now.lost = !done;
    pthread_mutex_lock(&record->lock);
    record->kept[record->kept_count++ % CP_SUBMISSIONS_KEPT] = ring->now;
    pthread_mutex_unlock(&record->lock);
    ring->now = (struct cp_submission){0};
}

/* The record's count of a program and a reason; *is_new: it had none yet. NULL when out of memory. */
static struct cp_unbounded *find_unbounded(struct cp_record *record, enum submit_unbounded reason, uint64_t program, bool *is_new)
{
    pthread_mutex_lock(&record->lock);
    struct cp_unbounded *found = record->unbounded_programs;
    if (record->unbounded_count >= CP_UNBOUNDED_MOST)
        program = 0;
    while (found && (found->program != program || found->reason != reason))
        found = found->next;
    *is_new = !found;
    if (!found && (found = calloc(1, sizeof *found))) {
        found->program = program;
        found->reason = reason;
        found->next = record->unbounded_programs;
        record->unbounded_programs = found;
        record->unbounded_count++;
    }
    pthread_mutex_unlock(&record->lock);
    return found;
}

static void tell_unbounded(struct cp_ring *ring, enum submit_unbounded reason, uint64_t program, uint64_t pc)
{
    char place[CP_PLACE_TEXT], at[32] = "", text[CP_LOST_TEXT];
    if (pc)
        snprintf(at, sizeof at, " at %#" PRIx64, pc);
    cp_ring_place(ring, place, sizeof place);
    snprintf(text, sizeof text, "%s, program %#" PRIx64 ": its writes are not bounded: %s%s", place, program,
             submit_unbounded_name(reason), at);
    cp_gpu_log(ring->gpu, false, text);
}

/* Dispatches are many and their programs few: what was counted lately is found without a lock. */
void cp_ring_note_unbounded(struct cp_ring *ring, enum submit_unbounded reason, uint64_t program, uint64_t pc)
{
    enum { ENTRY_BITS = 8 };
    _Static_assert(1 << ENTRY_BITS == CP_UNBOUNDED_SEEN, "the entry's number is that many bits of the hash");
    const uint64_t spread = UINT64_C(0x9e3779b97f4a7c15); /* 2^64 by the golden ratio */
    struct cp_unbounded **seen = &ring->unbounded_seen[(program * SUBMIT_UNBOUNDED_COUNT + reason) * spread >> (64 - ENTRY_BITS)];
    bool is_new = false;
    cp_count_add(&ring->record->unbounded[reason], 1);
    if (!*seen || (*seen)->program != program || (*seen)->reason != reason)
        *seen = find_unbounded(ring->record, reason, program, &is_new);
    if (*seen)
        cp_count_add(&(*seen)->times, 1);
    if (is_new)
        tell_unbounded(ring, reason, program, pc);
}

/* ---- telling ---- */

static uint64_t look(const cp_count *count)
{
    return atomic_load_explicit(count, memory_order_relaxed);
}

static void report_totals_locked(const struct cp_record *record, const struct cp_report_sink *sink)
{
    struct cp_ring_totals totals = {
        .name = record->name,
        .kind = record->kind,
        .submissions = look(&record->submissions),
        .ended = look(&record->ended),
        .lost = look(&record->lost),
        .dispatches = look(&record->dispatches),
        .groups = look(&record->groups),
        .waves = look(&record->waves),
        .failed_dispatches = look(&record->failed_dispatches),
        .prepared_ahead = look(&record->prepared_ahead),
        .prepared_again = look(&record->prepared_again),
        .busy_s = (double)look(&record->busy_ns) * 1e-9,
        .lost_text = record->lost_text[0] ? record->lost_text : NULL,
    };
    for (unsigned n = 0; n < CP_PACKETS; n++)
        totals.packets[n] = look(&record->packets[n]);
    for (unsigned n = 0; n < SUBMIT_UNBOUNDED_COUNT; n++)
        totals.unbounded[n] = look(&record->unbounded[n]);
    sink->ring(sink->user, &totals, record->waits, record->wait_count);
}

static void report_kept_locked(const struct cp_record *record, const struct cp_report_sink *sink)
{
    uint64_t first = record->kept_count > CP_SUBMISSIONS_KEPT ? record->kept_count - CP_SUBMISSIONS_KEPT : 0;
    for (uint64_t n = first; n < record->kept_count; n++)
        sink->submission(sink->user, &record->kept[n % CP_SUBMISSIONS_KEPT]);
}

void cp_record_report(struct cp_record *record, const struct cp_report_sink *sink)
{
    pthread_mutex_lock(&record->lock);
    if (sink->ring)
        report_totals_locked(record, sink);
    if (sink->submission)
        report_kept_locked(record, sink);
    for (const struct cp_unbounded *item = record->unbounded_programs; item && sink->unbounded; item = item->next) {
        struct cp_unbounded_total total = {item->program, item->reason, look(&item->times)};
        sink->unbounded(sink->user, &total);
    }
    pthread_mutex_unlock(&record->lock);
}
