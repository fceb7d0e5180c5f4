/* Traces: made from the flow and, where that does not see enough, from host runs; kept for dispatches that would give the same. */
#include "trace/trace.h"

#include <stdlib.h>
#include <string.h>

#include "image/image.h"
#include "trace/trace_flow.h"
#include "trace/trace_internal.h"
#include "wave/wave_track.h"

enum { MOST_THREADS = 1024, MOST_LDS = 1 << 16, MOST_HASHED = 1 << 26, WORD = 4 };

/* Memory that a trace hangs on. */
struct looked {
    uint64_t start, end, hash;
};

struct trace {
    struct trace_table table;
    struct trace_sample sample;
    const char *gap;
    struct wave_dispatch key; /* what of the dispatch the trace hangs on; the rest zero */
    struct looked *looked;
    size_t looked_count;
    bool passing; /* too much was looked at to compare it: holds for no other dispatch */
};

/* 1. What a trace hangs on. */

static struct wave_dispatch key_of(const struct wave_dispatch *d)
{
    struct wave_dispatch key;
    memset(&key, 0, sizeof key);
    key.program = d->program;
    key.rsrc1 = d->rsrc1;
    key.rsrc2 = d->rsrc2;
    key.rsrc3 = d->rsrc3;
    memcpy(key.user_data, d->user_data, (d->rsrc2 >> 1 & 31) * sizeof *key.user_data);
    memcpy(key.groups, d->groups, sizeof key.groups);
    memcpy(key.threads, d->threads, sizeof key.threads);
    memcpy(key.last_threads, d->last_threads, sizeof key.last_threads);
    memcpy(key.first_group, d->first_group, sizeof key.first_group);
    key.wave_size = d->wave_size;
    key.lds_bytes = d->lds_bytes;
    key.scratch_base = d->scratch_base;
    key.scratch_wave_bytes = d->scratch_wave_bytes;
    key.scratch_waves = d->scratch_waves;
    key.apertures = d->apertures;
    return key;
}

static void look_at_code(void *user, uint64_t start, uint64_t end)
{
    struct trace_reader *reader = user;
    reader->rounded |= start == end; /* no code there now: nothing to compare with later */
    trace_note_read(reader, TRACE_READ_CODE, start, end);
}

static bool keep_looked(struct trace *trace, const struct trace_reader *reader)
{
    size_t count = 0;
    uint64_t bytes = 0;
    for (unsigned kind = 0; kind < TRACE_READ_KINDS; kind++) {
        count += reader->read[kind].count;
        bytes += base_spans_total(&reader->read[kind]);
    }
    trace->passing = reader->rounded || bytes > MOST_HASHED;
    trace->looked = calloc(count + 1, sizeof *trace->looked);
    if (!trace->looked || trace->passing)
        return trace->looked != NULL;
    for (unsigned kind = 0; kind < TRACE_READ_KINDS; kind++)
        for (size_t i = 0; i < reader->read[kind].count; i++) {
            struct base_span span = reader->read[kind].items[i];
            struct looked *looked = &trace->looked[trace->looked_count++];
            *looked = (struct looked){span.start, span.end, 0};
            trace->passing |= !trace_hash(reader->memory, span.start, span.end, &looked->hash);
        }
    return true;
}

bool trace_holds(const struct trace *trace, const struct wave_dispatch *dispatch, const struct trace_memory *memory)
{
    struct wave_dispatch key = key_of(dispatch);
    if (trace->passing || memcmp(&key, &trace->key, sizeof key) != 0)
        return false;
    for (size_t i = 0; i < trace->looked_count; i++) {
        uint64_t hash;
        const struct looked *looked = &trace->looked[i];
        if (!trace_hash(memory, looked->start, looked->end, &hash) || hash != looked->hash)
            return false;
    }
    return true;
}

/* 2. Joining what both ways say. */

static bool is_vector(const struct trace_site *site)
{
    return site->space == IR_SPACE_GLOBAL || site->space == IR_SPACE_FLAT;
}

/* What a descriptor lets through of which nothing else is known: nor the scalar offset. */
static void set_window(struct trace_site *site)
{
    struct image_buffer buffer = image_buffer_decode(site->descriptor);
    bool scalar = site->space == IR_SPACE_SBUFFER;
    site->end = scalar ? buffer.base + image_buffer_scalar_size(&buffer) : trace_buffer_end(&buffer, UINT32_MAX, false);
    site->start = scalar ? buffer.base & ~(uint64_t)(WORD - 1) : buffer.base;
    site->windowed = site->end != UINT64_MAX;
}

/* The waves' word on a site. A sample stands for the rest only where a bound checks what the rest does: global and flat accesses. */
static void join_site(struct trace_site *site, const struct trace_site *seen, const struct trace_memory *memory)
{
    bool placed = seen->place == TRACE_RANGE || seen->place == TRACE_APART;
    bool found = site->place == TRACE_RANGE || site->place == TRACE_APART;
    if (placed && (!seen->sampled || ((!found || trace_waves_need(memory, site)) && is_vector(seen)))) {
        site->told = site->told && seen->place == TRACE_RANGE && seen->start == site->start && seen->end == site->end;
        site->place = seen->place;
        site->start = seen->start;
        site->end = seen->end;
        site->sampled = seen->sampled;
        site->loose = seen->loose;
        site->narrow = seen->narrow;
        site->covers |= seen->covers;
        site->one_word |= seen->one_word;
        site->word = seen->one_word ? seen->word : site->word;
        site->why = NULL;
    } else if (seen->why && is_vector(seen) && trace_waves_need(memory, site)) {
        site->place = site->based ? TRACE_BASED : TRACE_UNKNOWN;
        site->why = seen->why;
    }
    if (seen->described && !site->described) {
        site->described = true;
        memcpy(site->descriptor, seen->descriptor, sizeof site->descriptor);
        site->place = site->place == TRACE_UNKNOWN ? TRACE_BASED : site->place;
    }
}

/* A site that waves were run for and did not meet. */
static void join_unmet(struct trace_site *site, const struct trace_waves *waves, const struct trace_memory *memory)
{
    if (!trace_waves_need(memory, site))
        return;
    if (waves->stopped) {
        site->place = site->based ? TRACE_BASED : TRACE_UNKNOWN;
        site->why = "no wave that was run came by";
        return;
    }
    site->sampled = waves->sample.groups < waves->sample.of;
    site->place = site->sampled ? TRACE_RANGE : TRACE_APART;
    site->start = site->end = 0;
    site->loose = false;
    site->why = NULL;
}

/* Loads are placed from the word on that the lowest address is in. */
static void round_loads(struct trace *trace)
{
    for (uint32_t i = 0; i < trace->table.count; i++)
        if (trace->table.sites[i].load && is_vector(&trace->table.sites[i]))
            trace->table.sites[i].start &= ~(uint64_t)(WORD - 1);
}

static bool join(struct trace *trace, const struct trace_waves *waves, const struct trace_memory *memory)
{
    trace->sample = waves->sample;
    trace->gap = waves->stopped && !waves->gap ? trace->table.leaves : waves->gap;
    for (uint32_t i = 0; i < trace->table.count && waves->sample.groups; i++)
        if (is_vector(&trace->table.sites[i]) && !trace_table_find(&waves->table, trace->table.sites[i].pc))
            join_unmet(&trace->table.sites[i], waves, memory);
    for (uint32_t i = 0; i < waves->table.count; i++) {
        const struct trace_site *seen = &waves->table.sites[i];
        bool known = trace_table_find(&trace->table, seen->pc);
        struct trace_site *site = trace_table_add(&trace->table, seen->pc);
        if (!site)
            return false;
        if (known)
            join_site(site, seen, memory);
        else
            *site = *seen;
        if (seen->described && site->place == TRACE_BASED && !site->windowed)
            set_window(site);
    }
    round_loads(trace);
    return true;
}

/* 3. Whether what was read for addresses is what the dispatch itself stores. */

/* Where the flow's stores lie that waves did not look at; false: that has no bound. */
static bool store_range(const struct trace_site *site, struct base_span *span)
{
    *span = (struct base_span){site->start, site->end};
    return site->place == TRACE_RANGE || site->place == TRACE_APART || (site->windowed && site->space != IR_SPACE_FLAT);
}

/* Scalar loads do not wait for vector stores, so they count as reading those only where they are known to lie; vector loads also where
 * stores may lie anywhere. */
static bool reads_own_stores(const struct trace *trace, const struct trace_waves *waves, const struct trace_reader *reader)
{
    const struct base_spans *scalar = &reader->read[TRACE_READ_SCALAR], *vector = &reader->read[TRACE_READ_VECTOR];
    bool anywhere = waves->stored_anywhere;
    bool overlap = base_spans_overlap_any(scalar, &waves->stored) || base_spans_overlap_any(vector, &waves->stored);
    for (uint32_t i = 0; i < trace->table.count; i++) {
        const struct trace_site *site = &trace->table.sites[i];
        struct base_span span;
        if (!site->store && !site->atomic)
            continue;
        bool bounded = store_range(site, &span);
        anywhere |= !bounded || site->place == TRACE_BASED;
        overlap |= bounded && (base_spans_overlap(scalar, span) || base_spans_overlap(vector, span));
    }
    return overlap || (anywhere && vector->count);
}

static void doubt_all(struct trace *trace)
{
    static const char why[] = "what its address hangs on may be stored by the dispatch itself";
    for (uint32_t i = 0; i < trace->table.image_count; i++) {
        trace->table.images[i].known = false;
        trace->table.images[i].why = why;
    }
    for (uint32_t i = 0; i < trace->table.count; i++) {
        const struct trace_site *old = &trace->table.sites[i];
        if (old->space == IR_SPACE_LDS || old->space == IR_SPACE_GDS || old->space == IR_SPACE_SCRATCH)
            continue; /* apart whatever their addresses are */
        trace->table.sites[i] = (struct trace_site){.pc = old->pc,
                                                    .space = old->space,
                                                    .load = old->load,
                                                    .store = old->store,
                                                    .atomic = old->atomic,
                                                    .narrow = old->narrow,
                                                    .why = why};
    }
}

/* 4. Making one. */

/* What the registers say may come from a hostile guest. */
static bool is_possible(const struct wave_dispatch *d)
{
    uint64_t threads = 1;
    for (unsigned n = 0; n < 3; n++) {
        if (!d->threads[n] || d->threads[n] > MOST_THREADS || !d->last_threads[n] || d->last_threads[n] > d->threads[n])
            return false;
        threads *= d->threads[n];
    }
    return threads <= MOST_THREADS && (d->wave_size == 32 || d->wave_size == 64) && d->lds_bytes <= MOST_LDS;
}

static bool fill(struct trace *trace, struct trace_subject *subject, bool waves_too)
{
    struct trace_waves waves = {.gap = NULL};
    bool good = trace_flow_run(subject, &trace->table);
    if (good && waves_too)
        good = trace_waves_run(subject, &trace->table, &waves);
    else
        waves.gap = trace->table.leaves;
    good = good && join(trace, &waves, subject->reader->memory);
    if (good && reads_own_stores(trace, &waves, subject->reader))
        doubt_all(trace);
    trace_waves_finish(&waves);
    if (good)
        wave_tracker_code(subject->tracker, subject->reader, look_at_code);
    return good && keep_looked(trace, subject->reader) && !subject->reader->out_of_memory && !trace->table.out_of_memory;
}

static void *make_flow(const struct ir_func *func)
{
    return trace_flow_program_create(func);
}

static void drop_flow(void *program)
{
    trace_flow_program_destroy(program);
}

static bool fill_from(struct trace *trace, struct wave_cache *cache, const struct wave_dispatch *dispatch,
                      const struct trace_memory *memory, bool waves_too)
{
    struct wave_memory as_wave = {.user = memory->user, .find = memory->find};
    struct trace_reader reader = {.memory = memory};
    struct trace_subject subject = {.dispatch = dispatch, .reader = &reader};
    subject.tracker = wave_tracker_create(cache, dispatch, &as_wave);
    subject.func = subject.tracker ? wave_tracker_func(subject.tracker) : NULL;
    if (subject.func)
        subject.flow = wave_tracker_keep(subject.tracker, make_flow, drop_flow);
    bool good = subject.tracker != NULL;
    if (good && subject.func)
        good = fill(trace, &subject, waves_too);
    else
        trace->passing = true;
    if (good && !subject.func)
        trace->gap = "the program can't be read";
    trace_reader_finish(&reader);
    wave_tracker_destroy(subject.tracker);
    return good;
}

static struct trace *make(struct wave_cache *cache, const struct wave_dispatch *dispatch, const struct trace_memory *memory,
                          bool waves_too)
{
    struct trace *trace = calloc(1, sizeof *trace);
    if (!trace)
        return NULL;
    trace->key = key_of(dispatch);
    bool good = true;
    if (is_possible(dispatch))
        good = fill_from(trace, cache, dispatch, memory, waves_too);
    else
        trace->gap = "no dispatch can be as its registers say";
    if (good)
        return trace;
    trace_destroy(trace);
    return NULL;
}

struct trace *trace_create(struct wave_cache *cache, const struct wave_dispatch *dispatch, const struct trace_memory *memory)
{
    return make(cache, dispatch, memory, true);
}

struct trace *trace_create_flow(struct wave_cache *cache, const struct wave_dispatch *dispatch, const struct trace_memory *memory)
{
    return make(cache, dispatch, memory, false);
}

void trace_destroy(struct trace *trace)
{
    if (!trace)
        return;
    trace_table_finish(&trace->table);
    free(trace->looked);
    free(trace);
}

const struct trace_site *trace_find(const struct trace *trace, uint64_t pc)
{
    return trace_table_find(&trace->table, pc);
}

const struct trace_site *trace_sites(const struct trace *trace, uint32_t *count)
{
    *count = trace->table.count;
    return trace->table.sites;
}

const struct trace_image *trace_images(const struct trace *trace, uint32_t *count)
{
    *count = trace->table.image_count;
    return trace->table.images;
}

const struct trace_sample *trace_sample_of(const struct trace *trace)
{
    return &trace->sample;
}

const char *trace_gap(const struct trace *trace)
{
    return trace->gap;
}
