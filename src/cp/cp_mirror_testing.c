/* cp_mirror_testing: a device with a copy of memory of its own, as a card with its own memory has it: what it needs is copied
 * over when a dispatch is bound, results stay with it until somebody settles the range. */
#include <stdlib.h>

#include "cp/cp_testing.h"

enum { PAGE = 4096 };

struct device_prepared {
    struct device_dispatch *dispatch;
    bool read;
    uint32_t word; /* what user data 0 and 1 pointed at, as prepare read it */
};

/* One run of guest memory, and its copy. */
struct copied {
    struct copied *next;
    uint64_t start, size; /* guest addresses, sign-extended */
    uint8_t *guest;
    bool writable;
    bool *valid;    /* for each page: the copy is up to date, or newer than guest memory */
    uint8_t *copy;  /* what dispatches work on */
    uint8_t *known; /* what guest memory is known to hold */
};

struct mirror {
    struct device base;
    struct device_functions functions;
    struct wave_engine *engine;
    pthread_mutex_t lock; /* guards everything below, and the copies while nothing runs */
    pthread_cond_t freed;
    bool held, changes_held;
    unsigned stale, prepared;
    struct mem_snapshot *snapshot; /* of the dispatch that runs */
    pthread_mutex_t copies_lock;   /* guards the list; taken with the lock held by whoever runs a dispatch */
    struct copied *copies;
};

static uint64_t canonical(uint64_t address)
{
    return (uint64_t)((int64_t)(address << 16) >> 16);
}

static size_t pages_of(const struct copied *copied)
{
    return (size_t)((copied->size + PAGE - 1) / PAGE);
}

/* Copies what is out of date. */
static void upload(struct copied *copied)
{
    for (size_t n = 0; n < pages_of(copied); n++) {
        uint64_t at = n * PAGE, bytes = copied->size - at < PAGE ? copied->size - at : PAGE;
        if (copied->valid[n])
            continue;
        memcpy(copied->copy + at, copied->guest + at, bytes);
        memcpy(copied->known + at, copied->guest + at, bytes);
        copied->valid[n] = true;
    }
}

static struct copied *find_copied(const struct mirror *mirror, uint64_t address)
{
    struct copied *copied = mirror->copies;
    while (copied && address - copied->start >= copied->size)
        copied = copied->next;
    return copied;
}

/* The run that holds the address, copied when it is met for the first time; NULL: nothing is mapped there. */
static struct copied *reach_copied(struct mirror *mirror, uint64_t address)
{
    struct mem_run run;
    struct copied *copied = find_copied(mirror, address);
    if (copied || !mem_snapshot_find(mirror->snapshot, address, &run) || run.discards)
        return copied;
    copied = calloc(1, sizeof *copied);
    assert_non_null(copied);
    *copied = (struct copied){mirror->copies, run.start, run.size, run.host, run.writable, NULL, NULL, NULL};
    copied->valid = calloc(pages_of(copied), sizeof *copied->valid);
    copied->copy = calloc(pages_of(copied), PAGE);
    copied->known = calloc(pages_of(copied), PAGE);
    assert_true(copied->valid && copied->copy && copied->known);
    upload(copied);
    mirror->copies = copied;
    return copied;
}

static enum wave_outcome find_copy(void *user, uint64_t address, struct wave_run *run)
{
    struct mirror *mirror = user;
    pthread_mutex_lock(&mirror->copies_lock);
    const struct copied *copied = reach_copied(mirror, canonical(address));
    if (copied)
        *run = (struct wave_run){copied->start + (address - canonical(address)), copied->size, copied->copy, copied->writable,
                                 false};
    pthread_mutex_unlock(&mirror->copies_lock);
    return copied ? WAVE_DONE : WAVE_UNMAPPED;
}

static uint64_t first_word(const struct device_dispatch *dispatch)
{
    return canonical((uint64_t)dispatch->registers.user_data[1] << 32 | dispatch->registers.user_data[0]);
}

/* Reads what user data 0 and 1 point at, where they are a pointer. */
static struct device_prepared *prepare(struct device *device, struct device_dispatch *dispatch,
                                       const struct device_reader *reader, struct base_error *error)
{
    struct mirror *mirror = (struct mirror *)device;
    struct device_prepared *prepared = calloc(1, sizeof *prepared);
    struct mem_run run;
    assert_non_null(prepared);
    prepared->dispatch = dispatch;
    prepared->read = reader->read(reader->user, first_word(dispatch), &prepared->word, sizeof prepared->word);
    if (!prepared->read && mem_snapshot_find(dispatch->snapshot, first_word(dispatch), &run)) {
        free(prepared);
        base_error_set(error, "what it reads can't be known yet");
        return NULL;
    }
    pthread_mutex_lock(&mirror->lock);
    mirror->prepared++;
    pthread_mutex_unlock(&mirror->lock);
    return prepared;
}

static void drop_copied(struct copied *copied)
{
    free(copied->valid);
    free(copied->copy);
    free(copied->known);
    free(copied);
}

/* What is mapped no more, or is something else now, has no copy. */
static void forget_unmapped(struct mirror *mirror, const struct mem_snapshot *snapshot)
{
    for (struct copied **link = &mirror->copies; *link;) {
        struct copied *copied = *link;
        struct mem_run run;
        if (mem_snapshot_find(snapshot, copied->start, &run) && run.start == copied->start && run.size == copied->size &&
            run.host == copied->guest) {
            link = &copied->next;
            continue;
        }
        *link = copied->next;
        drop_copied(copied);
    }
}

static bool bind(struct device *device, struct device_prepared *prepared, struct base_error *error)
{
    struct mirror *mirror = (struct mirror *)device;
    struct mem_run run;
    pthread_mutex_lock(&mirror->lock);
    while (mirror->held)
        pthread_cond_wait(&mirror->freed, &mirror->lock);
    forget_unmapped(mirror, prepared->dispatch->snapshot);
    for (struct copied *copied = mirror->copies; copied; copied = copied->next)
        upload(copied);
    pthread_mutex_unlock(&mirror->lock);
    return mem_snapshot_find(prepared->dispatch->snapshot, prepared->dispatch->registers.program, &run) ||
           base_error_set(error, "the program is not mapped");
}

/* One at a time: the copies are shared. */
static bool run(struct device *device, struct device_prepared *prepared, struct device_result *result)
{
    struct mirror *mirror = (struct mirror *)device;
    struct wave_memory memory = {.user = mirror, .find = find_copy};
    struct wave_brief brief;
    struct wave_run word;
    uint32_t now;
    pthread_mutex_lock(&mirror->lock);
    mirror->snapshot = prepared->dispatch->snapshot;
    if (prepared->read && find_copy(mirror, first_word(prepared->dispatch), &word) == WAVE_DONE) {
        memcpy(&now, word.host + (first_word(prepared->dispatch) - word.start), sizeof now);
        mirror->stale += now != prepared->word;
    }
    bool ran = wave_engine_run(mirror->engine, &memory, &prepared->dispatch->registers, &brief);
    mirror->snapshot = NULL;
    pthread_mutex_unlock(&mirror->lock);
    *result = (struct device_result){.failed = brief.failed, .groups = brief.groups, .waves = brief.waves};
    free(prepared);
    return ran;
}

static void drop(struct device *device, struct device_prepared *prepared)
{
    (void)device;
    free(prepared);
}

static bool touches(const struct copied *copied, struct device_range range, size_t page)
{
    uint64_t start = copied->start + page * PAGE;
    return start < range.start ? range.start - start < PAGE : start - range.start < range.size;
}

/* Results are the bytes that differ from what guest memory is known to hold. */
static void write_back_locked(struct copied *copied, size_t page)
{
    for (size_t at = page * PAGE; at < (page + 1) * PAGE && at < copied->size; at++)
        if (copied->copy[at] != copied->known[at])
            copied->guest[at] = copied->known[at] = copied->copy[at];
}

static void write_back_range_locked(struct mirror *mirror, struct device_range range, bool stays_valid)
{
    for (struct copied *copied = mirror->copies; copied; copied = copied->next)
        for (size_t n = 0; n < pages_of(copied); n++) {
            if (!copied->valid[n] || !touches(copied, range, n))
                continue;
            write_back_locked(copied, n);
            copied->valid[n] = stays_valid;
        }
}

static void settle(struct device *device, struct mem_snapshot *snapshot, struct device_range range)
{
    struct mirror *mirror = (struct mirror *)device;
    (void)snapshot;
    pthread_mutex_lock(&mirror->lock);
    write_back_range_locked(mirror, range, true);
    pthread_mutex_unlock(&mirror->lock);
}

static void changed(struct device *device, struct device_range range)
{
    struct mirror *mirror = (struct mirror *)device;
    pthread_mutex_lock(&mirror->lock);
    while (mirror->changes_held)
        pthread_cond_wait(&mirror->freed, &mirror->lock);
    write_back_range_locked(mirror, range, false);
    pthread_mutex_unlock(&mirror->lock);
}

static void destroy(struct device *device)
{
    struct mirror *mirror = (struct mirror *)device;
    while (mirror->copies) {
        struct copied *copied = mirror->copies;
        mirror->copies = copied->next;
        drop_copied(copied);
    }
    pthread_mutex_destroy(&mirror->lock);
    pthread_mutex_destroy(&mirror->copies_lock);
    pthread_cond_destroy(&mirror->freed);
    free(mirror);
}

struct device *mirror_create(struct wave_engine *engine, bool prepares_ahead)
{
    struct mirror *mirror = calloc(1, sizeof *mirror);
    assert_non_null(mirror);
    mirror->functions = (struct device_functions){
        .name = "mirror",
        .prepares_ahead = prepares_ahead,
        .prepare = prepare,
        .bind = bind,
        .run = run,
        .drop = drop,
        .settle = settle,
        .changed = changed,
        .destroy = destroy,
    };
    mirror->base.functions = &mirror->functions;
    mirror->engine = engine;
    pthread_mutex_init(&mirror->lock, NULL);
    pthread_mutex_init(&mirror->copies_lock, NULL);
    pthread_cond_init(&mirror->freed, NULL);
    return &mirror->base;
}

void mirror_hold(struct device *device, bool held)
{
    struct mirror *mirror = (struct mirror *)device;
    pthread_mutex_lock(&mirror->lock);
    mirror->held = held;
    pthread_cond_broadcast(&mirror->freed);
    pthread_mutex_unlock(&mirror->lock);
}

void mirror_hold_changes(struct device *device, bool held)
{
    struct mirror *mirror = (struct mirror *)device;
    pthread_mutex_lock(&mirror->lock);
    mirror->changes_held = held;
    pthread_cond_broadcast(&mirror->freed);
    pthread_mutex_unlock(&mirror->lock);
}

unsigned mirror_stale(const struct device *device)
{
    return ((const struct mirror *)device)->stale;
}

unsigned mirror_prepared(const struct device *device)
{
    return ((const struct mirror *)device)->prepared;
}
