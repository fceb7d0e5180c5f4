/* Host runs with partial knowledge: sets a wave up, steps through its instructions, follows known branches. */
#include <immintrin.h>
#include <stdlib.h>
#include <string.h>

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

/* Where the wave is: a block of a unit. */
struct place {
    const struct wave_unit *unit;
    uint32_t block;
};

static bool find_place(struct track *t, uint64_t pc, struct place *place)
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
    t->func = found.unit->func;
    wave_load_consts(t->w, found.unit);
    t->w->unit = found.unit;
    return place->block < found.unit->func->block_count;
}

static bool step(struct track *t, const struct ir_inst *inst, const struct wave_op *op, enum wave_track_end *end)
{
    switch (ir_ops[inst->op].class) {
    case IR_C_VALUE:
    case IR_C_COMPARE: track_regular(t, inst, op); return true;
    case IR_C_MEMORY: track_memory(t, inst, op); return true;
    default: return track_irregular(t, inst, op, end);
    }
}

/* A block's instructions; false: the run ended at *pc. */
static bool run_block(struct track *t, struct place place, struct wave_track_result *result)
{
    const struct ir_block *block = &place.unit->func->blocks[place.block];
    const struct wave_op *ops = &place.unit->ops[place.unit->block_op[place.block]];
    uint64_t most = t->options->max_steps ? t->options->max_steps : DEFAULT_STEPS;
    result->pc = block->pc;
    for (uint32_t i = 0; i < block->count; i++) {
        const struct ir_inst *inst = &place.unit->func->insts[block->first + i];
        result->pc = inst->pc;
        if (!step(t, inst, &ops[i], &result->end))
            return false;
        if (++result->steps >= most) {
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
static bool follow(struct track *t, struct place *place, struct wave_track_result *result)
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
        return find_place(t, target, place);
    }
    case IR_TERM_END: result->end = WAVE_TRACK_ENDED; return false;
    default: result->end = WAVE_TRACK_REFUSED; return false;
    }
}

static void run(struct track *t, struct place place, struct wave_track_result *result)
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
    for (unsigned n = 0; n <= ids && n < 3; n++)
        t->v[n] = here;
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

static bool start(struct track *t, struct wave_group *group, struct place *place, struct wave_track_result *result)
{
    result->pc = t->shared->dispatch->program;
    result->end = WAVE_TRACK_REFUSED;
    const char *why;
    t->shared->program =
        wave_cache_program(t->shared->cache, &t->shared->variant, t->guest, t->shared->dispatch->code_epoch, result->pc, &why);
    if (!t->shared->program)
        return false;
    wave_start(t->w, group, t->options->wave, t->shared->program->entry);
    t->w->track = t;
    t->w->may_read = track_may_read;
    if (!find_place(t, result->pc, place))
        return false;
    know_start(t);
    return true;
}

static void show_end(const struct track *t)
{
    struct wave_track_view view = {t->shared->dispatch->wave_size, t->w->s, t->s, t->w->v, t->v};
    if (t->options->at_end)
        t->options->at_end(t->options->user, &view);
}

bool wave_track_run(struct wave_cache *cache, const struct wave_dispatch *dispatch, const struct wave_track_options *options,
                    struct wave_track_result *result)
{
    memset(result, 0, sizeof *result);
    struct wave_options run_options = {.threads = 1};
    struct wave_shared shared = {.cache = cache, .dispatch = dispatch, .options = &run_options, .waves_per_group = 1};
    shared.vgprs = wave_allocated_vgprs(dispatch);
    shared.variant = wave_dispatch_variant(cache, dispatch, NULL);
    struct wave_group group = {.wave_count = 1};
    struct track *t = calloc(1, sizeof *t);
    struct wave_worker *worker = calloc(1, sizeof *worker);
    bool good = t && worker && find_group(dispatch, options, &group);
    if (good) {
        t->shared = &shared;
        t->options = options;
        t->lanes = dispatch->wave_size == 64 ? ~(uint64_t)0 : 0xffffffffu;
        t->guest = wave_cache_memory(cache);
        worker->shared = &shared;
        group.worker = worker;
        group.lds = aligned_alloc(64, (dispatch->lds_bytes + 127u) & ~63u);
        shared.report = wave_report_create();
        shared.memory = &t->memory;
        good = group.lds && shared.report && make_wave(t, dispatch) && track_memory_init(t);
    }
    struct place place;
    if (good && start(t, &group, &place, result)) {
        run(t, place, result);
        show_end(t);
    }
    if (shared.report) {
        struct wave_result dropped = {0}; /* faults of plain values that are not known mean nothing */
        wave_report_take(shared.report, &dropped);
        wave_result_finish(&dropped);
    }
    if (t) {
        wave_program_release(shared.program);
        track_memory_finish(t);
        free(t->w);
    }
    free(group.lds);
    if (worker)
        free(worker->images);
    free(worker);
    free(t);
    return good;
}
