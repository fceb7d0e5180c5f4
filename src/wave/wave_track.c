/* Host runs with partial knowledge: sets a wave up, steps through its instructions, follows known branches. */
#include <immintrin.h>
#include <stdlib.h>
#include <string.h>

#include "wave/wave_image.h"
#include "wave/wave_program.h"
#include "wave/wave_track_internal.h"

enum { DEFAULT_STEPS = 1000000, SPARE_SLOTS = 4, MASK_BYTES = 64 };

const char *wave_track_end_text(enum wave_track_end end)
{
    static const char *const texts[WAVE_TRACK_END_COUNT] = {
        [WAVE_TRACK_ENDED] = "the wave's end",
        [WAVE_TRACK_UNKNOWN_BRANCH] = "a branch on an unknown condition",
        [WAVE_TRACK_UNKNOWN_JUMP] = "a jump to an unknown address",
        [WAVE_TRACK_REFUSED] = "an instruction that is not supported, or no instruction",
        [WAVE_TRACK_TRAP] = "a trap",
        [WAVE_TRACK_TOO_LONG] = "more steps than a host run may take",
        [WAVE_TRACK_ENOUGH] = "the last instruction that was asked for",
    };
    return end < WAVE_TRACK_END_COUNT ? texts[end] : "?";
}

/* 1. What is known. */

static uint64_t word_lanes(const struct track *t, unsigned slot)
{
    uint64_t high = t->func->wave_size == 64 ? (uint64_t)t->w->s[slot + 1] << 32 : 0;
    return t->w->s[slot] | high;
}

struct track_lanes track_mask(const struct track *t, ir_ref mask)
{
    uint64_t value = word_lanes(t, mask.index), known = t->s[mask.index];
    known |= t->func->wave_size == 64 ? (uint64_t)t->s[mask.index + 1] << 32 : 0;
    return (struct track_lanes){value & known & t->lanes, (value | ~known) & t->lanes};
}

uint32_t track_word(const struct track *t, ir_ref r, uint32_t *value)
{
    uint64_t constant;
    if (ir_const_value(t->func, r, &constant)) {
        *value = (uint32_t)constant;
        return ~0u;
    }
    *value = r.kind == IR_S ? t->w->s[r.index] : 0;
    return r.kind == IR_S ? t->s[r.index] : 0;
}

uint64_t track_lanes_of(const struct track *t, ir_ref r, unsigned span)
{
    uint64_t known = t->lanes;
    for (unsigned k = 0; k < span; k++) {
        if (r.kind == IR_V)
            known &= t->v[r.index + k];
        else if (r.kind == IR_S && t->s[r.index + k] != ~0u)
            known = 0;
    }
    return known;
}

static uint32_t lane_word(const struct track *t, ir_ref r, unsigned k, unsigned lane)
{
    return r.kind == IR_V ? t->w->v[(size_t)(r.index + k) * t->func->wave_size + lane] : t->w->s[r.index + k];
}

uint64_t track_value(const struct track *t, ir_ref r, unsigned span, unsigned lane)
{
    uint64_t value = 0;
    if (ir_const_value(t->func, r, &value))
        return span == 2 ? value : (uint32_t)value;
    for (unsigned k = 0; k < span; k++)
        value |= (uint64_t)lane_word(t, r, k, lane) << (32 * k);
    return value;
}

void track_set_lanes(struct track *t, ir_ref dst, unsigned span, struct track_lanes mask, uint64_t known)
{
    for (unsigned k = 0; k < span; k++) {
        uint64_t *slot = &t->v[dst.index + k];
        *slot = ((mask.sure & known) | (~mask.possible & *slot)) & t->lanes;
    }
}

void track_set_word(struct track *t, ir_ref dst, unsigned word, uint32_t known)
{
    if (dst.kind == IR_S)
        t->s[dst.index + word] = known;
}

void track_set_unknown(struct track *t, const struct ir_inst *inst)
{
    struct track_lanes mask = track_mask(t, inst->mask);
    for (unsigned n = 0; n < 2; n++) {
        unsigned span = ir_dst_span(t->func, inst, n);
        if (ir_is_lane(inst->dst[n]))
            track_set_lanes(t, inst->dst[n], span, mask, 0);
        else
            for (unsigned k = 0; k < span; k++)
                track_set_word(t, inst->dst[n], k, 0);
    }
}

/* 2. Steps. */

static const struct wave_op *halt(struct wave *w, const struct wave_op *o)
{
    (void)w, (void)o;
    return NULL;
}

void track_run_op(struct track *t, const struct wave_op *op)
{
    struct wave_op alone[2] = {*op, {.fn = halt}};
    alone[0].fn(t->w, alone);
}

/* The unit's code is what the wave goes through from here on. */
static void enter(struct track *t, const struct wave_unit *unit)
{
    t->func = unit->func;
    t->w->unit = unit;
    wave_load_consts(t->w, unit);
}

static bool find_place(struct track *t, uint64_t pc, struct track_place *place)
{
    const char *why;
    struct wave_place found = wave_program_find(t->shared->program, t->guest, t->shared->dispatch->code_epoch, pc, &why);
    if (!found.op)
        return false;
    uint32_t op = (uint32_t)(found.op - found.unit->ops);
    place->unit = found.unit;
    for (place->block = 0; place->block < found.unit->func->block_count; place->block++)
        if (found.unit->block_op[place->block] == op)
            break;
    return place->block < found.unit->func->block_count;
}

/* Whether nobody wants what the instruction gives. */
static bool is_skipped(const struct track *t, const struct ir_inst *inst)
{
    const struct wave_track_options *o = t->options;
    return o->instructions && t->func == t->entry.unit->func && !(o->instructions[inst - t->func->insts] & o->wanted);
}

static bool step(struct track *t, const struct ir_inst *inst, const struct wave_op *op, enum wave_track_end *end)
{
    t->skips = is_skipped(t, inst);
    if (t->skips && ir_ops[inst->op].class <= IR_C_COMPARE) {
        track_set_unknown(t, inst);
        return true;
    }
    switch (ir_ops[inst->op].class) {
    case IR_C_VALUE:
    case IR_C_COMPARE: track_regular(t, inst, op); return true;
    case IR_C_MEMORY: track_memory(t, inst, op); return true;
    default: return track_irregular(t, inst, op, end);
    }
}

/* A block's instructions; false: the run ended at *pc. */
static bool run_block(struct track *t, struct track_place place, struct wave_track_result *result)
{
    const struct ir_block *block = &place.unit->func->blocks[place.block];
    const struct wave_op *ops = &place.unit->ops[place.unit->block_op[place.block]];
    uint64_t most = t->options->max_steps ? t->options->max_steps : DEFAULT_STEPS;
    result->pc = block->pc;
    if (t->options->enough && place.unit == t->entry.unit && t->options->enough[place.block]) {
        result->end = WAVE_TRACK_ENOUGH;
        return false;
    }
    for (uint32_t i = 0; i < block->count; i++) {
        const struct ir_inst *inst = &place.unit->func->insts[block->first + i];
        result->pc = inst->pc;
        if (!step(t, inst, &ops[i], &result->end))
            return false;
        result->steps += inst->lane && ir_ops[inst->op].class == IR_C_MEMORY ? WAVE_TRACK_ACCESS_STEPS : 1;
        if (result->steps >= most) {
            result->end = WAVE_TRACK_TOO_LONG;
            return false;
        }
    }
    return true;
}

/* Which way a branch goes: 0 taken, 1 not, -1 not known. One certain bit is enough to be not zero. */
static int branch_way(const struct track *t, ir_ref cond)
{
    uint32_t value, known = track_word(t, cond, &value);
    if (value & known)
        return 0;
    return known == ~0u ? 1 : -1;
}

/* On to the next block; false: the run ends. */
static bool follow(struct track *t, struct track_place *place, struct wave_track_result *result)
{
    const struct ir_block *block = &place->unit->func->blocks[place->block];
    uint32_t low, high;
    int way = 0;
    if (block->term == IR_TERM_BRANCH || block->term == IR_TERM_SETPC || block->term == IR_TERM_END)
        result->pc = block->end_pc - 4; /* all of them are one word long */
    switch (block->term) {
    case IR_TERM_BRANCH:
        way = branch_way(t, block->cond);
        result->end = WAVE_TRACK_UNKNOWN_BRANCH;
        if (way < 0)
            return false;
        __attribute__((fallthrough));
    case IR_TERM_JUMP:
        result->end = WAVE_TRACK_REFUSED;
        place->block = block->succ[way];
        return place->block < place->unit->func->block_count;
    case IR_TERM_SETPC: {
        result->end = WAVE_TRACK_UNKNOWN_JUMP;
        ir_ref cond = block->cond;
        uint64_t target = 0;
        if (!ir_const_value(t->func, cond, &target)) {
            if (track_word(t, cond, &low) != ~0u || track_word(t, ir_s(cond.index + 1u), &high) != ~0u)
                return false;
            target = low | (uint64_t)high << 32;
        }
        result->end = WAVE_TRACK_REFUSED;
        if (!find_place(t, target, place))
            return false;
        enter(t, place->unit);
        return true;
    }
    case IR_TERM_END: result->end = WAVE_TRACK_ENDED; return false;
    default: result->end = WAVE_TRACK_REFUSED; return false;
    }
}

static void run(struct track *t, struct track_place place, struct wave_track_result *result)
{
    uint32_t before = _mm_getcsr();
    _mm_setcsr(t->w->mxcsr32);
    while (run_block(t, place, result) && follow(t, &place, result))
        if (++result->steps >= (t->options->max_steps ? t->options->max_steps : DEFAULT_STEPS)) { /* empty blocks count as well */
            result->end = WAVE_TRACK_TOO_LONG;
            break;
        }
    t->shared->variant.tier->leave();
    _mm_setcsr(before);
}

/* 3. The start. */

static uint32_t field(uint32_t word, unsigned low, unsigned width)
{
    return word >> low & ((1u << width) - 1);
}

/* Scalar registers that the hardware loads (RSRC2): user data, group ids, group size, scratch offset. */
static unsigned loaded_sgprs(const struct wave_dispatch *d)
{
    return field(d->rsrc2, 1, 5) + (unsigned)__builtin_popcount(field(d->rsrc2, 7, 3)) + field(d->rsrc2, 10, 1) +
           field(d->rsrc2, 0, 1);
}

static void know_start(struct track *t)
{
    static const uint8_t state[] = {
        IR_EXEC,   IR_EXEC + 1,    IR_MODE,         IR_FLAT_SCR_LO, IR_FLAT_SCR_HI, IR_ALL_LO,
        IR_ALL_HI, IR_SHARED_BASE, IR_PRIVATE_BASE, IR_GPR_ALLOC,   IR_LDS_ALLOC,   IR_SH_MEM_BASES,
    };
    const struct wave_dispatch *d = t->shared->dispatch;
    unsigned user = field(d->rsrc2, 1, 5), loaded = loaded_sgprs(d), ids = field(d->rsrc2, 11, 2);
    for (unsigned n = 0; n < loaded && n < IR_VCC; n++)
        t->s[n] = n < user && n < 32 && t->options->unknown_user_data >> n & 1 ? 0 : ~0u;
    for (unsigned n = 0; n < sizeof state; n++)
        t->s[state[n]] = ~0u;
    uint64_t here = track_mask(t, ir_s(IR_EXEC)).sure;
    for (unsigned n = 0; t->options->zeroed && n < t->shared->vgprs; n++)
        t->v[n] = t->lanes;
    for (unsigned n = 0; n <= ids && n < 3; n++)
        t->v[n] |= here;
}

static bool find_group(const struct wave_dispatch *d, const struct wave_track_options *options, struct wave_group *group)
{
    uint32_t threads = 1;
    for (unsigned n = 0; n < 3; n++) {
        if (options->group[n] >= d->groups[n])
            return false;
        group->id[n] = options->group[n];
        threads *= options->group[n] + 1 == d->groups[n] ? d->last_threads[n] : d->threads[n];
    }
    group->linear = group->id[0] + d->groups[0] * (group->id[1] + (uint64_t)d->groups[1] * group->id[2]);
    group->wave_count = (threads + d->wave_size - 1) / d->wave_size;
    return options->wave < group->wave_count;
}

/* A wave, and work slots behind its own. */
static bool make_wave(struct track *t, const struct wave_dispatch *d)
{
    size_t slots = sizeof *t->w + (size_t)IR_V_COUNT * d->wave_size * 4, slot = d->wave_size * 4;
    size_t bytes = (slots + SPARE_SLOTS * slot + 2 * MASK_BYTES + 63) & ~(size_t)63;
    t->w = aligned_alloc(64, bytes);
    if (!t->w)
        return false;
    memset(t->w, 0, bytes);
    for (unsigned n = 0; n < SPARE_SLOTS; n++)
        t->spare_v[n] = (uint32_t)(slots + n * slot);
    t->spare_mask = (uint32_t)(slots + SPARE_SLOTS * slot);
    t->spare_lanes = t->spare_mask + MASK_BYTES;
    return true;
}

/* Where runs begin; false: the program can't be read. */
static bool find_entry(struct track *t)
{
    const char *why;
    struct wave_shared *shared = t->shared;
    uint64_t pc = shared->dispatch->program;
    shared->program = wave_cache_program(shared->cache, &shared->variant, t->guest, shared->dispatch->code_epoch, pc, &why);
    return shared->program && find_place(t, pc, &t->entry);
}

static void start(struct track *t, struct wave_group *group)
{
    memset(t->s, 0, sizeof t->s);
    memset(t->v, 0, sizeof t->v);
    t->stored_count = 0;
    t->stored_anywhere = false;
    if (t->scratch_touched)
        memset(t->scratch_known, 0, t->scratch_bytes);
    if (t->scratch_bytes) /* the last wave's scratch lay elsewhere */
        memset(group->worker->runs, 0, sizeof group->worker->runs);
    t->scratch_touched = false;
    wave_start(t->w, group, t->options->wave, (struct wave_place){t->entry.unit, NULL});
    t->w->track = t;
    t->w->may_read = track_may_read;
    enter(t, t->entry.unit);
    know_start(t);
}

static void show_end(const struct track *t)
{
    struct wave_track_view view = {t->shared->dispatch->wave_size, t->w->s, t->s, t->w->v, t->v};
    if (t->options->at_end)
        t->options->at_end(t->options->user, &view);
}

/* 4. Trackers. */

struct wave_tracker {
    struct track track;
    struct wave_shared shared;
    struct wave_options options;
    struct wave_worker worker;
    struct wave_group group;
    struct wave_memory memory;
};

static bool set_up(struct wave_tracker *tracker, struct wave_cache *cache, const struct wave_dispatch *dispatch)
{
    struct track *t = &tracker->track;
    struct wave_shared *shared = &tracker->shared;
    tracker->options.threads = 1;
    shared->cache = cache;
    shared->dispatch = dispatch;
    shared->options = &tracker->options;
    shared->waves_per_group = 1;
    shared->vgprs = wave_allocated_vgprs(dispatch);
    shared->variant = wave_dispatch_variant(cache, dispatch, NULL);
    shared->memory = &t->memory;
    t->shared = shared;
    t->lanes = dispatch->wave_size == 64 ? ~(uint64_t)0 : 0xffffffffu;
    t->guest = &tracker->memory;
    tracker->worker.shared = shared;
    tracker->group.worker = &tracker->worker;
    tracker->group.lds = aligned_alloc(64, (dispatch->lds_bytes + 127u) & ~63u);
    return tracker->group.lds;
}

/* A tracker that only the function is wanted of needs no wave. */
static bool get_ready(struct track *t)
{
    if (t->w)
        return true;
    track_memory_finish(t); /* what an attempt that ran out of memory left */
    if (!t->shared->report)
        t->shared->report = wave_report_create();
    return t->shared->report && track_memory_init(t) && make_wave(t, t->shared->dispatch);
}

struct wave_tracker *wave_tracker_create(struct wave_cache *cache, const struct wave_dispatch *dispatch,
                                         const struct wave_memory *memory)
{
    struct wave_tracker *tracker = aligned_alloc(64, (sizeof *tracker + 63) & ~(size_t)63);
    if (!tracker)
        return NULL;
    memset(tracker, 0, sizeof *tracker);
    tracker->memory = memory ? *memory : *wave_cache_memory(cache);
    if (!set_up(tracker, cache, dispatch)) {
        wave_tracker_destroy(tracker);
        return NULL;
    }
    if (!find_entry(&tracker->track))
        tracker->track.entry.unit = NULL;
    return tracker;
}

void wave_tracker_destroy(struct wave_tracker *tracker)
{
    if (!tracker)
        return;
    wave_report_destroy(tracker->shared.report); /* faults of plain values that are not known mean nothing */
    wave_program_release(tracker->shared.program);
    track_memory_finish(&tracker->track);
    free(tracker->track.w);
    free(tracker->group.lds);
    free(tracker->worker.images);
    free(tracker);
}

const struct ir_func *wave_tracker_func(const struct wave_tracker *tracker)
{
    return tracker->track.entry.unit ? tracker->track.entry.unit->func : NULL;
}

/* Of two threads that make one at once, one lets go of its own. */
void *wave_tracker_keep(struct wave_tracker *tracker, void *(*make)(const struct ir_func *func), void (*drop)(void *made))
{
    struct wave_unit *unit = tracker->track.entry.unit;
    void *kept = unit ? atomic_load(&unit->kept) : NULL, *made;
    if (!unit || kept || !(made = make(unit->func)))
        return kept;
    wave_cache_lock(tracker->shared.cache);
    kept = atomic_load(&unit->kept);
    if (!kept) {
        unit->drop = drop;
        atomic_store(&unit->kept, made);
    }
    wave_cache_unlock(tracker->shared.cache);
    if (kept)
        drop(made);
    return kept ? kept : made;
}

const struct image_config *wave_tracker_images(const struct wave_tracker *tracker)
{
    return wave_image_config_of(tracker->shared.variant.lower.chip);
}

void wave_tracker_code(const struct wave_tracker *tracker, void *user, void (*visit)(void *user, uint64_t start, uint64_t end))
{
    struct wave_program *program = tracker->shared.program;
    if (!program)
        return;
    wave_cache_lock(tracker->shared.cache);
    for (const struct wave_unit *unit = program->units; unit; unit = unit->next)
        for (uint32_t i = 0; i < unit->code.piece_count; i++) {
            const struct wave_code_piece *piece = &unit->code.pieces[i];
            visit(user, piece->pc, piece->pc + piece->count * sizeof *unit->code.words);
        }
    wave_cache_unlock(tracker->shared.cache);
}

bool wave_tracker_run(struct wave_tracker *tracker, const struct wave_track_options *options, struct wave_track_result *result)
{
    struct track *t = &tracker->track;
    *result = (struct wave_track_result){WAVE_TRACK_REFUSED, t->shared->dispatch->program, 0};
    if (!find_group(t->shared->dispatch, options, &tracker->group))
        return false;
    t->options = options;
    if (!t->entry.unit)
        return true;
    if (!get_ready(t))
        return false;
    start(t, &tracker->group);
    run(t, t->entry, result);
    show_end(t);
    return true;
}

bool wave_track_run(struct wave_cache *cache, const struct wave_dispatch *dispatch, const struct wave_track_options *options,
                    struct wave_track_result *result)
{
    memset(result, 0, sizeof *result);
    struct wave_tracker *tracker = wave_tracker_create(cache, dispatch, NULL);
    bool good = tracker && wave_tracker_run(tracker, options, result);
    wave_tracker_destroy(tracker);
    return good;
}
