/* cp_mirror_testing: a device with a copy of memory of its own, as a card with its own memory has it: what it needs is copied
 * over when a dispatch is bound, results stay with it until somebody settles the range. */
#include <stdlib.h>

#include "cp/cp_testing.h"

enum { PAGE = 4096, PAGES = TESTING_BYTES / PAGE };

struct device_prepared {
    struct device_dispatch *dispatch;
    bool read;
    uint32_t word; /* what user data 0 and 1 pointed at, as prepare read it */
};

struct mirror {
    struct device base;
    struct device_functions functions;
    struct wave_engine *engine;
    pthread_mutex_t lock; /* guards everything below */
    pthread_cond_t freed;
    bool held, changes_held;
    unsigned stale, prepared;
    uint64_t start; /* guest address of what is mirrored: the first run that is met */
    uint8_t *guest;
    bool valid[PAGES];            /* the copy is up to date, or newer than guest memory */
    uint8_t copy[TESTING_BYTES];  /* what dispatches work on */
    uint8_t known[TESTING_BYTES]; /* what guest memory is known to hold */
};

static enum wave_outcome find_copy(void *user, uint64_t address, struct wave_run *run)
{
    struct mirror *mirror = user;
    if (address < mirror->start || address - mirror->start >= TESTING_BYTES)
        return WAVE_UNMAPPED;
    *run = (struct wave_run){mirror->start, TESTING_BYTES, mirror->copy, true, false};
    return WAVE_DONE;
}

static uint64_t first_word(const struct device_dispatch *dispatch)
{
    return (uint64_t)dispatch->registers.user_data[1] << 32 | dispatch->registers.user_data[0];
}

static struct device_prepared *prepare(struct device *device, struct device_dispatch *dispatch,
                                       const struct device_reader *reader, struct base_error *error)
{
    struct mirror *mirror = (struct mirror *)device;
    struct device_prepared *prepared = calloc(1, sizeof *prepared);
    assert_non_null(prepared);
    prepared->dispatch = dispatch;
    prepared->read = reader->read(reader->user, first_word(dispatch), &prepared->word, sizeof prepared->word);
    if (!prepared->read) {
        free(prepared);
        base_error_set(error, "what it reads can't be known yet, or isn't mapped");
        return NULL;
    }
    pthread_mutex_lock(&mirror->lock);
    mirror->prepared++;
    pthread_mutex_unlock(&mirror->lock);
    return prepared;
}

/* Copies what is out of date. */
static void upload(struct mirror *mirror)
{
    for (size_t n = 0; n < PAGES; n++) {
        if (mirror->valid[n])
            continue;
        memcpy(mirror->copy + n * PAGE, mirror->guest + n * PAGE, PAGE);
        memcpy(mirror->known + n * PAGE, mirror->guest + n * PAGE, PAGE);
        mirror->valid[n] = true;
    }
}

static bool bind(struct device *device, struct device_prepared *prepared, struct base_error *error)
{
    struct mirror *mirror = (struct mirror *)device;
    struct mem_run run;
    pthread_mutex_lock(&mirror->lock);
    while (mirror->held)
        pthread_cond_wait(&mirror->freed, &mirror->lock);
    if (!mirror->guest && mem_snapshot_find(prepared->dispatch->snapshot, prepared->dispatch->registers.program, &run)) {
        mirror->start = run.start;
        mirror->guest = run.host;
    }
    if (mirror->guest)
        upload(mirror);
    pthread_mutex_unlock(&mirror->lock);
    return mirror->guest || base_error_set(error, "the program is not mapped");
}

/* One at a time: the copy is shared. */
static bool run(struct device *device, struct device_prepared *prepared, struct device_result *result)
{
    struct mirror *mirror = (struct mirror *)device;
    struct wave_memory memory = {.user = mirror, .find = find_copy};
    struct wave_brief brief;
    uint32_t now;
    pthread_mutex_lock(&mirror->lock);
    if (first_word(prepared->dispatch) - mirror->start < TESTING_BYTES) {
        memcpy(&now, mirror->copy + (first_word(prepared->dispatch) - mirror->start), sizeof now);
        mirror->stale += now != prepared->word;
    }
    bool ran = wave_engine_run(mirror->engine, &memory, &prepared->dispatch->registers, &brief);
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

static bool touches(const struct mirror *mirror, struct device_range range, size_t page)
{
    uint64_t start = mirror->start + page * PAGE;
    return start < range.start ? range.start - start < PAGE : start - range.start < range.size;
}

/* Results are the bytes that differ from what guest memory is known to hold. */
static void write_back_locked(struct mirror *mirror, size_t page)
{
    for (size_t at = page * PAGE; at < (page + 1) * PAGE; at++)
        if (mirror->copy[at] != mirror->known[at])
            mirror->guest[at] = mirror->known[at] = mirror->copy[at];
}

static void settle(struct device *device, struct mem_snapshot *snapshot, struct device_range range)
{
    struct mirror *mirror = (struct mirror *)device;
    (void)snapshot;
    pthread_mutex_lock(&mirror->lock);
    for (size_t n = 0; mirror->guest && n < PAGES; n++)
        if (mirror->valid[n] && touches(mirror, range, n))
            write_back_locked(mirror, n);
    pthread_mutex_unlock(&mirror->lock);
}

static void changed(struct device *device, struct device_range range)
{
    struct mirror *mirror = (struct mirror *)device;
    pthread_mutex_lock(&mirror->lock);
    while (mirror->changes_held)
        pthread_cond_wait(&mirror->freed, &mirror->lock);
    for (size_t n = 0; mirror->guest && n < PAGES; n++) {
        if (!mirror->valid[n] || !touches(mirror, range, n))
            continue;
        write_back_locked(mirror, n);
        mirror->valid[n] = false;
    }
    pthread_mutex_unlock(&mirror->lock);
}

static void destroy(struct device *device)
{
    struct mirror *mirror = (struct mirror *)device;
    pthread_mutex_destroy(&mirror->lock);
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
