/* Host runs: waves of every group, or of a sample of the groups, and what each of their memory instructions reaches (D883, D950). */
#include <stdlib.h>
#include <string.h>

#include "ir/ir_slots.h"
#include "trace/trace_internal.h"
#include "trace/trace_slice.h"
#include "wave/wave_track.h"

/* A dispatch whose waves take so many steps that all of them would take more than this, is sampled like one of too many waves. */
enum { MOST_STEPS = 1 << 21, WORD = 4 };

static const char own_mask[] = "the lanes that it runs in are not known";
static const char own_address[] = "a lane's address is not known";
static const char own_descriptor[] = "its descriptor is not known";
static const char other_descriptors[] = "waves use different descriptors";

/* What is known of a store's words so far. */
enum words { WORDS_NONE, WORDS_ONE, WORDS_MANY };

/* One memory instruction over all waves. */
struct record {
    struct trace_site site; /* place, covers and one_word only in the end; why: it is not known, and that is why */
    bool global;            /* waves are run for it */
    bool apart, memory;     /* some lane reached the one, some lane the other */
    bool described;         /* the descriptor is that of all waves so far */
    bool uncertain;         /* a store that may have stored less */
    enum words words;
    bool rounded; /* stored holds more than was stored */
    struct base_spans stored;
};

struct waves {
    const struct trace_subject *subject;
    struct trace_waves *out;
    struct trace_slice slice;
    struct record *records; /* by pc, ascending */
    uint32_t count, cap;
    bool *marked; /* by block: all that it leads to is marked as not known */
    uint64_t steps;
    bool out_of_memory;
};

/* 1. Records. */

static uint32_t record_at(const struct waves *w, uint64_t pc)
{
    uint32_t low = 0, high = w->count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (w->records[middle].site.pc < pc)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The instruction's record, added when there is none; NULL: out of memory. */
static struct record *record_of(struct waves *w, uint64_t pc, const struct ir_access *access, bool store, bool atomic)
{
    uint32_t at = record_at(w, pc);
    if (at < w->count && w->records[at].site.pc == pc)
        return &w->records[at];
    if (w->count == w->cap) {
        uint32_t cap = w->cap ? w->cap * 2 : 16;
        struct record *larger = realloc(w->records, cap * sizeof *larger);
        if (!larger) {
            w->out_of_memory = true;
            return NULL;
        }
        w->records = larger;
        w->cap = cap;
    }
    memmove(&w->records[at + 1], &w->records[at], (w->count - at) * sizeof *w->records);
    w->count++;
    bool global = access->space == IR_SPACE_GLOBAL || access->space == IR_SPACE_FLAT;
    w->records[at] = (struct record){
        .site =
            {.pc = pc, .space = access->space, .load = !store, .store = store && !atomic, .atomic = atomic, .start = UINT64_MAX},
        .global = global,
        .described = true};
    return &w->records[at];
}

static void fail(struct record *record, const char *why)
{
    if (!record->site.why)
        record->site.why = why;
}

static struct record *record_of_inst(struct waves *w, const struct ir_inst *inst)
{
    const struct ir_access *access = ir_inst_access(w->subject->func, inst);
    return access ? record_of(w, inst->pc, access, inst->op != IR_load, inst->op == IR_atomic) : NULL;
}

/* 2. One access of one wave. */

static void note_stored(struct waves *w, uint64_t start, uint64_t end)
{
    bool rounded;
    w->out_of_memory |= !trace_spans_add(&w->out->stored, start, end, &rounded);
}

static void note_descriptor(struct record *record, const struct wave_track_access *a)
{
    if ((a->descriptor_known[0] & a->descriptor_known[1] & a->descriptor_known[2] & a->descriptor_known[3]) != ~0u) {
        fail(record, own_descriptor);
        record->described = false;
    } else if (!record->site.described) {
        memcpy(record->site.descriptor, a->descriptor, sizeof record->site.descriptor);
        record->site.described = true;
    } else if (memcmp(record->site.descriptor, a->descriptor, sizeof record->site.descriptor) != 0) {
        fail(record, other_descriptors);
        record->described = false;
    }
}

/* Bytes that lie together, of lanes one after the other. */
static void note_bytes(struct waves *w, struct record *record, const struct wave_track_access *a, uint64_t start, uint64_t end)
{
    struct trace_site *site = &record->site;
    record->memory = true;
    site->start = start < site->start ? start : site->start;
    site->end = end > site->end ? end : site->end;
    if (!a->store)
        return;
    site->narrow |= (start | end) % WORD != 0;
    note_stored(w, start, end);
    if (site->store && !record->rounded)
        w->out_of_memory |= !trace_spans_add(&record->stored, start, end, &record->rounded);
}

static void note_spans(struct waves *w, struct record *record, const struct wave_track_access *a)
{
    const struct wave_track_span *span = a->spans;
    for (uint32_t i = 0; i < a->span_count;) {
        uint64_t start = span[i].address, end = start;
        for (; i < a->span_count && span[i].address == end && end >= start; i++) {
            record->site.narrow |= a->store && (span[i].bytes % WORD || span[i].address % WORD);
            end += span[i].bytes;
            if (a->scratch >> span[i].lane & 1)
                start = end;
        }
        if (start < end)
            note_bytes(w, record, a, start, end);
    }
}

static void note_words(struct record *record, const struct wave_track_access *a)
{
    if (!a->possible || record->words == WORDS_MANY)
        return;
    bool same = a->one_word && (record->words == WORDS_NONE || record->site.word == a->word);
    record->words = same ? WORDS_ONE : WORDS_MANY;
    record->site.word = a->word;
}

static void note_access(void *user, const struct wave_track_access *a)
{
    struct waves *w = user;
    if (a->bound_start < a->bound_end && a->bound_start == 0 && a->bound_end == UINT64_MAX)
        w->out->stored_anywhere = true;
    else if (a->bound_start < a->bound_end)
        note_stored(w, a->bound_start, a->bound_end);
    struct record *record = a->access ? record_of(w, a->pc, a->access, a->store, a->atomic) : NULL;
    if (!record)
        return;
    bool buffer = a->access->space == IR_SPACE_BUFFER || a->access->space == IR_SPACE_SBUFFER;
    if (buffer)
        note_descriptor(record, a);
    if (a->active != a->possible && !a->store)
        fail(record, own_mask);
    record->uncertain |= a->active != a->possible;
    if (a->possible & ~a->known)
        fail(record, own_address);
    record->apart |= (a->shared | a->scratch) != 0;
    note_spans(w, record, a);
    if (record->site.store)
        note_words(record, a);
}

static void note_read(void *user, uint64_t address, uint32_t bytes, bool scalar)
{
    struct waves *w = user;
    struct trace_reader *reader = w->subject->reader;
    trace_note_read(reader, scalar ? TRACE_READ_SCALAR : TRACE_READ_VECTOR, address, address + bytes);
}

/* 3. Where a wave ended before its time. */

/* Everything that may run from the block's instruction `from` on is not known. */
static void mark_block(struct waves *w, uint32_t number, uint32_t from, const char *why)
{
    const struct ir_func *func = w->subject->func;
    const struct ir_block *block = &func->blocks[number];
    for (uint32_t i = block->first + from; i < block->first + block->count; i++) {
        struct record *record = record_of_inst(w, &func->insts[i]);
        if (record)
            fail(record, why);
        if (trace_slice_reaches(func, &func->insts[i]) && func->insts[i].op != IR_load)
            w->out->stored_anywhere = true;
    }
    if (block->term == IR_TERM_SETPC)
        w->out->gap = why;
    unsigned ways = block->term == IR_TERM_BRANCH ? 2 : block->term == IR_TERM_JUMP ? 1 : 0;
    for (unsigned n = 0; n < ways; n++)
        if (block->succ[n] >= func->block_count)
            w->out->gap = why;
}

static void mark_from(struct waves *w, uint32_t number, const char *why)
{
    const struct ir_func *func = w->subject->func;
    uint32_t *work = malloc((func->block_count + 1) * sizeof *work), count = 0;
    if (!work) {
        w->out_of_memory = true;
        return;
    }
    work[count++] = number;
    while (count) {
        const struct ir_block *block = &func->blocks[work[--count]];
        unsigned ways = block->term == IR_TERM_BRANCH ? 2 : block->term == IR_TERM_JUMP ? 1 : 0;
        for (unsigned n = 0; n < ways; n++) {
            uint32_t to = block->succ[n];
            if (to >= func->block_count || w->marked[to])
                continue;
            w->marked[to] = true;
            mark_block(w, to, 0, why);
            work[count++] = to;
        }
    }
    free(work);
}

/* Everything that is not certain to have run after pc. */
static void mark_after(struct waves *w, uint64_t pc, const char *why)
{
    const struct ir_func *func = w->subject->func;
    bool found = false;
    for (uint32_t b = 0; b < func->block_count && !found; b++) {
        const struct ir_block *block = &func->blocks[b];
        if (pc < block->pc || pc >= block->end_pc)
            continue;
        uint32_t from = 0;
        while (from < block->count && func->insts[block->first + from].pc < pc)
            from++;
        found = true;
        mark_block(w, b, from, why);
        mark_from(w, b, why);
    }
    if (found)
        return;
    w->out->gap = why; /* in code that a computed jump led to */
    for (uint32_t b = 0; b < func->block_count; b++)
        mark_block(w, b, 0, why);
}

/* 4. The runs. */

/* Whether running more waves can still tell anything. */
static bool is_worth_it(const struct waves *w)
{
    bool worth = true;
    for (uint32_t i = 0; i < w->count; i++) {
        if (w->records[i].global && !w->records[i].site.why)
            return true;
        worth &= !w->records[i].global;
    }
    return worth && !w->out->gap;
}

/* What of the program has to be run: what data hangs on, only while some store may turn out to be of one word. */
static uint8_t wanted_of(const struct waves *w)
{
    bool met = false;
    for (uint32_t i = 0; i < w->count; i++) {
        met |= w->records[i].site.store;
        if (w->records[i].site.store && w->records[i].words != WORDS_MANY)
            return TRACE_SLICE_PLACE | TRACE_SLICE_DATA;
    }
    return met ? TRACE_SLICE_PLACE : TRACE_SLICE_PLACE | TRACE_SLICE_DATA;
}

static bool run_wave(struct waves *w, const uint32_t group[3], uint32_t wave, uint64_t most_steps)
{
    struct wave_track_options options = {.group = {group[0], group[1], group[2]},
                                         .wave = wave,
                                         .zeroed = true,
                                         .max_steps = most_steps,
                                         .instructions = w->slice.instructions,
                                         .enough = w->slice.enough,
                                         .wanted = wanted_of(w),
                                         .user = w,
                                         .access = note_access,
                                         .read = note_read};
    struct wave_track_result result;
    if (!wave_tracker_run(w->subject->tracker, &options, &result))
        return false;
    w->steps += result.steps;
    w->out->sample.waves++;
    if (result.end != WAVE_TRACK_ENDED && result.end != WAVE_TRACK_ENOUGH)
        mark_after(w, result.pc, wave_track_end_text(result.end));
    return true;
}

static uint32_t waves_in(const struct wave_dispatch *d)
{
    uint64_t threads = (uint64_t)d->threads[0] * d->threads[1] * d->threads[2];
    return threads ? (uint32_t)((threads + d->wave_size - 1) / d->wave_size) : 1;
}

/* How many waves may run, when one takes so many steps. */
static uint64_t most_waves(uint64_t steps)
{
    uint64_t most = steps ? MOST_STEPS / steps : TRACE_MOST_WAVES;
    return most < TRACE_MOST_WAVES ? most : TRACE_MOST_WAVES;
}

static void run_group(struct waves *w, const uint32_t group[3])
{
    for (uint32_t wave = 0; is_worth_it(w) && !w->out_of_memory; wave++) {
        uint64_t left = w->steps < MOST_STEPS ? MOST_STEPS - w->steps : 0;
        if (!run_wave(w, group, wave, left ? left : 1))
            break;
    }
    w->out->sample.groups++;
}

static void run_picks(struct waves *w, const struct trace_picks *picks)
{
    for (uint32_t z = 0; z < picks->count[2]; z++)
        for (uint32_t y = 0; y < picks->count[1]; y++)
            for (uint32_t x = 0; x < picks->count[0] && is_worth_it(w) && !w->out_of_memory; x++)
                run_group(w,
                          (uint32_t[3]){trace_picks_at(picks, 0, x), trace_picks_at(picks, 1, y), trace_picks_at(picks, 2, z)});
}

/* The first wave tells what one costs. */
static void run_all(struct waves *w)
{
    const struct wave_dispatch *d = w->subject->dispatch;
    uint64_t groups = trace_groups_of(d), steps;
    run_wave(w, (uint32_t[3]){0, 0, 0}, 0, MOST_STEPS);
    steps = w->steps;
    w->steps = 0;
    w->out->sample = (struct trace_sample){.groups = 1, .of = groups, .waves = 1};
    if (!is_worth_it(w) || (groups == 1 && waves_in(d) == 1))
        return;
    if (steps > MOST_STEPS / 2) { /* two corners are too many */
        mark_after(w, d->program, wave_track_end_text(WAVE_TRACK_TOO_LONG));
        return;
    }
    struct trace_picks picks = trace_picks_make(d, most_waves(steps) / waves_in(d));
    w->out->sample.groups = w->out->sample.waves = 0;
    run_picks(w, &picks);
}

/* 5. What came of it. */

static void conclude(struct waves *w, struct record *record, bool sampled)
{
    struct trace_site *site = &record->site;
    site->described &= record->described && !sampled;
    site->place = TRACE_UNKNOWN;
    if (site->why) {
        site->start = site->end = 0;
        site->place = site->described ? TRACE_BASED : TRACE_UNKNOWN;
        return;
    }
    site->sampled = sampled;
    site->loose = record->uncertain;
    site->place = record->memory || sampled ? TRACE_RANGE : TRACE_APART;
    if (!record->memory) {
        site->start = site->end = 0;
        return;
    }
    site->one_word = record->words == WORDS_ONE;
    site->covers = !sampled && !record->uncertain && !record->rounded && record->stored.count == 1;
    if (!site->store) /* from the word that the lowest address is in */
        site->start &= ~(uint64_t)(WORD - 1);
    struct trace_sample *sample = &w->out->sample;
    if (record->global && site->load) {
        bool first = sample->start == sample->end;
        sample->start = first || site->start < sample->start ? site->start : sample->start;
        sample->end = first || site->end > sample->end ? site->end : sample->end;
    }
}

static bool take_sites(struct waves *w)
{
    bool sampled = w->out->sample.groups < w->out->sample.of;
    w->out->stopped = !is_worth_it(w);
    if (sampled && !w->out->gap && trace_slice_leaves(w->subject->func))
        w->out->gap = "computed jumps were followed by a sample of the groups only";
    for (uint32_t i = 0; i < w->count; i++) {
        struct record *record = &w->records[i];
        conclude(w, record, sampled || w->out->stopped);
        struct trace_site *site = trace_table_add(&w->out->table, record->site.pc);
        if (!site)
            return false;
        *site = record->site;
    }
    return true;
}

/* Whether the flow's word on a site is not enough. */
bool trace_waves_need(const struct trace_memory *memory, const struct trace_site *site)
{
    bool nowhere = site->place == TRACE_UNKNOWN || site->place == TRACE_BASED;
    bool wide = site->place == TRACE_RANGE && site->load && site->loose;
    return nowhere || (wide && !trace_is_mapped(memory, (struct trace_range){site->start, site->end}));
}

/* Whether some instruction has to be run for. */
static bool is_needed(const struct trace_subject *subject, const struct trace_table *flow)
{
    const struct ir_func *func = subject->func;
    if (flow ? flow->leaves != NULL : trace_slice_leaves(func)) /* the flow sees nothing of what comes then */
        return true;
    for (uint32_t i = 0; i < func->inst_count; i++) {
        const struct ir_access *access = ir_inst_access(func, &func->insts[i]);
        if (!access || (access->space != IR_SPACE_GLOBAL && access->space != IR_SPACE_FLAT))
            continue;
        const struct trace_site *site = flow ? trace_table_find(flow, func->insts[i].pc) : NULL;
        if (!flow || (site && trace_waves_need(subject->reader->memory, site)))
            return true;
    }
    return false;
}

bool trace_waves_run(const struct trace_subject *subject, const struct trace_table *flow, struct trace_waves *waves)
{
    *waves = (struct trace_waves){.gap = NULL};
    if (!subject->func || !is_needed(subject, flow) || trace_groups_of(subject->dispatch) == 0)
        return true;
    struct waves w = {.subject = subject, .out = waves};
    w.marked = calloc(subject->func->block_count + 1, sizeof *w.marked);
    bool good = trace_slice_init(&w.slice, subject->func) && w.marked;
    if (good) {
        run_all(&w);
        good = !w.out_of_memory && take_sites(&w);
    }
    for (uint32_t i = 0; i < w.count; i++)
        base_spans_finish(&w.records[i].stored);
    free(w.records);
    free(w.marked);
    trace_slice_finish(&w.slice);
    return good;
}

void trace_waves_finish(struct trace_waves *waves)
{
    trace_table_finish(&waves->table);
    base_spans_finish(&waves->stored);
}
