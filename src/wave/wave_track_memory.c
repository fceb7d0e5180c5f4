/* Memory instructions of a host run: what known lanes reach, which loads are known, the wave's own scratch. */
#include <stdlib.h>
#include <string.h>

#include "wave/wave_memory.h"
#include "wave/wave_track_internal.h"

static const uint64_t all = ~(uint64_t)0;

/* 1. Memory as the run sees it. */

/* The wave's scratch lies in front of the guest's memory. */
static bool in_scratch(const struct track *t, uint64_t address, uint32_t bytes)
{
    uint64_t offset = address - t->w->scratch_base, size = t->shared->dispatch->scratch_wave_bytes;
    return offset < size && bytes <= size - offset;
}

/* What is too large has no bytes here: nothing in it is known. */
static bool has_scratch(const struct track *t, uint64_t address, uint32_t bytes)
{
    return t->scratch_bytes && in_scratch(t, address, bytes);
}

static enum wave_outcome find_run(void *user, uint64_t address, struct wave_run *run)
{
    struct track *t = user;
    if (has_scratch(t, address, 1)) {
        *run = (struct wave_run){t->w->scratch_base, t->scratch_bytes, t->scratch, true};
        return WAVE_DONE;
    }
    enum wave_outcome outcome = t->guest->find(t->guest->user, address, run);
    run->writable = false;
    return outcome;
}

/* All of memory is one run whose host pointers are the addresses: resolving an access then tells where it lies. */
static enum wave_outcome find_everywhere(void *user, uint64_t address, struct wave_run *run)
{
    (void)user, (void)address;
    *run = (struct wave_run){1, UINT64_MAX - 1, (uint8_t *)1, true};
    return WAVE_DONE;
}

bool track_memory_init(struct track *t)
{
    uint32_t bytes = t->shared->dispatch->scratch_wave_bytes;
    t->scratch_bytes = bytes <= TRACK_MAX_SCRATCH ? bytes : 0;
    t->memory = (struct wave_memory){t, find_run};
    t->everywhere = (struct wave_memory){t, find_everywhere};
    t->scratch = calloc(1, t->scratch_bytes + 1u);
    t->scratch_known = calloc(1, t->scratch_bytes + 1u);
    t->recorder = calloc(1, sizeof *t->recorder);
    t->spans = malloc(WAVE_TRACK_SPANS * sizeof *t->spans);
    if (!t->scratch || !t->scratch_known || !t->recorder || !t->spans)
        return false;
    t->recorder_shared = (struct wave_shared){
        .cache = t->shared->cache, .dispatch = t->shared->dispatch, .options = t->shared->options, .variant = t->shared->variant,
        .memory = &t->everywhere, .report = t->shared->report};
    t->recorder->shared = &t->recorder_shared;
    return true;
}

void track_memory_finish(struct track *t)
{
    free(t->scratch);
    free(t->scratch_known);
    free(t->recorder);
    free(t->spans);
}

/* 2. What was stored. */

static void add_stored(struct track *t, uint64_t start, uint64_t end)
{
    for (uint32_t i = 0; i < t->stored_count; i++) {
        struct track_range *r = &t->stored[i];
        if (start <= r->end && end >= r->start) {
            r->start = start < r->start ? start : r->start;
            r->end = end > r->end ? end : r->end;
            return;
        }
    }
    if (t->stored_count == TRACK_RANGES) { /* too many to tell apart */
        t->stored[0] = (struct track_range){0, UINT64_MAX};
        t->stored_count = 1;
        return;
    }
    t->stored[t->stored_count++] = (struct track_range){start, end};
}

static bool was_stored(const struct track *t, uint64_t address, uint32_t bytes)
{
    for (uint32_t i = 0; i < t->stored_count; i++)
        if (address < t->stored[i].end && address + bytes > t->stored[i].start)
            return true;
    return false;
}

static void set_scratch(struct track *t, uint64_t address, uint32_t bytes, bool known)
{
    t->scratch_touched = true;
    memset(t->scratch_known + (address - t->w->scratch_base), known, bytes);
}

/* 3. What lanes reach. */

static void push_span(struct track *t, struct wave_track_access *a, unsigned lane, uint64_t address, uint32_t bytes)
{
    if (a->address[lane] == 0)
        a->address[lane] = address;
    struct wave_track_span *last = a->span_count ? &t->spans[a->span_count - 1] : NULL;
    if (last && last->lane == lane && last->address + last->bytes == address)
        last->bytes += bytes;
    else
        t->spans[a->span_count++] = (struct wave_track_span){address, bytes, (uint8_t)lane};
}

/* Whether the lane reaches no plain guest memory: an aperture, or what cannot be an access. */
static bool is_odd(const struct track *t, const struct ir_access *access, uint64_t address)
{
    const uint32_t *s = t->w->s;
    bool aperture = address >> 32 == s[IR_SHARED_BASE] || address >> 32 == s[IR_PRIVATE_BASE];
    return address == 0 || address + access->bytes < address || (access->space == IR_SPACE_FLAT && aperture);
}

/* Lanes with plain 64-bit addresses, which lie in one piece; returns the lanes that are left. */
static uint64_t reach_plain_lanes(struct track *t, const struct wave_op *op, struct wave_track_access *a)
{
    const struct ir_access *access = a->access;
    bool plain = access->space == IR_SPACE_GLOBAL || access->space == IR_SPACE_FLAT;
    uint64_t odd = plain ? 0 : a->known;
    for (uint64_t left = a->known & ~odd; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        uint64_t address = wave_global_address(t->w, op, lane);
        if (is_odd(t, access, address))
            odd |= left & -left;
        else
            push_span(t, a, lane, address, access->bytes);
    }
    return odd;
}

/* Lane by lane, through the executor's own addressing. */
static void reach_lanes(struct track *t, const struct wave_op *op, struct wave_track_access *a)
{
    struct wave *w = t->w;
    uint64_t odd = reach_plain_lanes(t, op, a);
    if (!odd)
        return;
    struct wave_worker *worker = w->worker;
    struct wave_run kept[2] = {w->runs[0], w->runs[1]};
    w->worker = t->recorder;
    memset(w->runs, 0, sizeof w->runs);
    for (uint64_t left = odd; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        struct wave_pieces pieces;
        if (!wave_resolve(w, op, lane, false, &pieces)) {
            a->known &= ~((uint64_t)1 << lane);
            continue;
        }
        if (pieces.shared) {
            a->shared |= (uint64_t)1 << lane;
            continue;
        }
        for (unsigned i = 0; i < pieces.count; i++)
            if (pieces.piece[i].host)
                push_span(t, a, lane, (uint64_t)(uintptr_t)pieces.piece[i].host, pieces.piece[i].size);
    }
    w->worker = worker;
    memcpy(w->runs, kept, sizeof kept);
}

static void reach(struct track *t, const struct wave_op *op, struct wave_track_access *a)
{
    a->spans = t->spans;
    if (a->access->space == IR_SPACE_LDS || a->access->space == IR_SPACE_GDS) {
        a->shared = a->known;
        return;
    }
    if (a->uniform) {
        uint64_t address;
        uint32_t bytes = a->known ? wave_scalar_reach(t->w, op, &address) : 0;
        if (bytes)
            push_span(t, a, 0, address, bytes);
    } else {
        reach_lanes(t, op, a);
    }
    uint64_t elsewhere = 0, here = 0;
    for (uint32_t i = 0; i < a->span_count; i++)
        *(in_scratch(t, t->spans[i].address, t->spans[i].bytes) ? &here : &elsewhere) |= (uint64_t)1 << t->spans[i].lane;
    a->scratch = here & ~elsewhere;
}

/* Lanes in which every register that the address is made of is known. */
static uint64_t addressed(const struct track *t, const struct ir_inst *inst, const struct ir_access *access)
{
    uint64_t known = all;
    for (unsigned n = 0; n < 4; n++)
        if (!ir_is_none(inst->src[n]))
            known &= track_lanes_of(t, inst->src[n], ir_src_span(t->func, inst, n));
    bool scratch = access->space == IR_SPACE_SCRATCH || access->space == IR_SPACE_FLAT;
    bool uses_m0 = access->space == IR_SPACE_GDS || (access->space == IR_SPACE_LDS && (access->flags & IR_AC_ADDTID));
    if (scratch && (t->s[IR_FLAT_SCR_LO] & t->s[IR_FLAT_SCR_HI]) != ~0u)
        known = 0;
    if (uses_m0 && t->s[IR_M0] != ~0u)
        known = 0;
    return known;
}

static void describe(const struct track *t, const struct ir_inst *inst, struct wave_track_access *a)
{
    if (a->access->space != IR_SPACE_BUFFER && a->access->space != IR_SPACE_SBUFFER)
        return;
    for (unsigned k = 0; k < 4; k++)
        a->descriptor_known[k] = track_word(t, ir_s(inst->src[0].index + k), &a->descriptor[k]);
}

/* 4. Loads. */

static bool is_readable(struct track *t, const struct wave_track_span *span, bool scalar)
{
    if (in_scratch(t, span->address, span->bytes)) {
        if (!t->scratch_bytes)
            return false;
        const uint8_t *known = t->scratch_known + (span->address - t->w->scratch_base);
        return memchr(known, 0, span->bytes) == NULL;
    }
    /* Scalar loads are not coherent with a program's own vector stores: they see those only where they are known to lie. */
    if (was_stored(t, span->address, span->bytes) || (t->stored_anywhere && !scalar))
        return false;
    uint64_t at = span->address, end = span->address + span->bytes;
    while (at < end) {
        struct wave_run run;
        if (t->guest->find(t->guest->user, at, &run) != WAVE_DONE)
            return false;
        at = run.start + run.size;
        if (at <= run.start) /* the run ends with the address space */
            return true;
    }
    return end >= span->address;
}

bool track_readable(struct track *t, uint64_t address, uint32_t bytes)
{
    return is_readable(t, &(struct wave_track_span){address, bytes, 0}, false);
}

void track_note_stored(struct track *t, uint64_t start, uint64_t end)
{
    add_stored(t, start, end);
    if (start < t->w->scratch_base + t->scratch_bytes && end > t->w->scratch_base)
        memset(t->scratch_known, 0, t->scratch_bytes);
}

static uint64_t loadable(struct track *t, const struct wave_track_access *a)
{
    uint64_t lanes = a->known & ~a->shared;
    for (uint32_t i = 0; i < a->span_count; i++)
        if (!is_readable(t, &t->spans[i], a->uniform))
            lanes &= ~((uint64_t)1 << t->spans[i].lane);
    return lanes;
}

static void tell_reads(struct track *t, const struct wave_track_access *a)
{
    for (uint32_t i = 0; i < a->span_count; i++) {
        const struct wave_track_span *span = &t->spans[i];
        if (a->loaded >> span->lane & 1 && !in_scratch(t, span->address, span->bytes))
            t->options->read(t->options->user, span->address, span->bytes, a->uniform);
    }
}

/* Runs a memory operation's general form in some of its lanes. */
static void run_lanes(struct track *t, const struct ir_inst *inst, const struct wave_op *op, uint64_t lanes)
{
    struct wave_op copy = *op;
    uint32_t *mask = wave_at(t->w, t->spare_lanes);
    lanes &= wave_mask_lanes(t->w, op);
    mask[0] = (uint32_t)lanes;
    mask[1] = (uint32_t)(lanes >> 32);
    copy.m = t->spare_lanes;
    const struct ir_access *access = op->aux;
    if (inst->op == IR_store)
        access->flags & IR_AC_FORMAT ? wave_op_store_format(t->w, &copy) : wave_store_lanes(t->w, &copy, lanes);
    else
        access->flags & IR_AC_FORMAT ? wave_op_load_format(t->w, &copy) : wave_load_lanes(t->w, &copy, lanes);
}

static void load(struct track *t, const struct ir_inst *inst, const struct wave_op *op, struct wave_track_access *a)
{
    unsigned span = ir_dst_span(t->func, inst, 0);
    a->loaded = t->skips ? 0 : loadable(t, a);
    if (a->loaded && t->options->read)
        tell_reads(t, a);
    if (a->uniform) {
        if (a->loaded)
            track_run_op(t, op);
        for (unsigned k = 0; k < span; k++)
            track_set_word(t, inst->dst[0], k, a->loaded ? ~0u : 0);
        return;
    }
    uint64_t known = a->loaded;
    if (a->access->flags & (IR_AC_D16 | IR_AC_D16_HI)) /* the register's other half stays */
        known &= track_lanes_of(t, inst->dst[0], span);
    struct track_lanes mask = {a->active, a->possible};
    if (a->loaded)
        run_lanes(t, inst, op, a->loaded);
    if (ir_is_lane(inst->dst[0]))
        track_set_lanes(t, inst->dst[0], span, mask, known);
}

/* 5. Stores: only scratch takes them. */

static uint64_t data_known(const struct track *t, const struct ir_inst *inst)
{
    uint64_t known = all;
    for (unsigned n = 4; n < 6; n++)
        if (!ir_is_none(inst->src[n]))
            known &= track_lanes_of(t, inst->src[n], ir_src_span(t->func, inst, n));
    return known;
}

void track_stored_anywhere(struct track *t, struct wave_track_access *a)
{
    t->stored_anywhere = true;
    a->bound_start = 0;
    a->bound_end = UINT64_MAX;
}

/* A store to a place that is not known: as far as that can be bounded. */
static void store_somewhere(struct track *t, const struct ir_inst *inst, struct wave_track_access *a)
{
    const struct ir_access *access = a->access;
    const uint32_t *known = a->descriptor_known;
    switch (access->space) {
    case IR_SPACE_LDS:
    case IR_SPACE_GDS: return;
    case IR_SPACE_SCRATCH: memset(t->scratch_known, 0, t->scratch_bytes); return;
    case IR_SPACE_FLAT:
        memset(t->scratch_known, 0, t->scratch_bytes);
        track_stored_anywhere(t, a);
        return;
    case IR_SPACE_BUFFER:
        if ((known[0] & known[1] & known[2] & known[3]) == ~0u) {
            struct image_buffer buffer = image_buffer_decode(a->descriptor);
            uint64_t size = buffer.stride ? ((uint64_t)buffer.records + buffer.index_stride) * buffer.stride : buffer.records;
            /* The scalar offset lies outside the bounds. */
            uint32_t soffset, soffset_known = track_word(t, inst->src[3], &soffset);
            bool offset = soffset_known == ~0u;
            uint64_t base = buffer.base + (offset ? soffset : 0), limit = base + size + (offset ? 0 : UINT32_MAX);
            add_stored(t, base, limit);
            a->bound_start = base;
            a->bound_end = limit;
            if (base < t->w->scratch_base + t->scratch_bytes && limit > t->w->scratch_base)
                memset(t->scratch_known, 0, t->scratch_bytes);
            return;
        }
        __attribute__((fallthrough));
    default: track_stored_anywhere(t, a); /* scratch is reached by its own instructions and descriptors only */
    }
}

static void note_stores(struct track *t, const struct wave_track_access *a, uint64_t known_data)
{
    enum { FEW = 16 };
    uint64_t low = UINT64_MAX, high = 0;
    for (uint32_t i = 0; i < a->span_count; i++) {
        const struct wave_track_span *span = &t->spans[i];
        uint64_t end = span->address + span->bytes, bit = (uint64_t)1 << span->lane;
        if (in_scratch(t, span->address, span->bytes)) {
            if (t->scratch_bytes)
                set_scratch(t, span->address, span->bytes, a->active & known_data & bit);
            continue;
        }
        low = span->address < low ? span->address : low;
        high = end > high ? end : high;
        if (a->span_count <= FEW)
            add_stored(t, span->address, end);
    }
    if (a->span_count > FEW && high)
        add_stored(t, low, high);
}

/* Whether every word that may be stored is known, and the same. */
static bool stores_one_word(const struct track *t, const struct ir_inst *inst, const struct wave_track_access *a, uint32_t *word)
{
    unsigned span = ir_src_span(t->func, inst, 4), first = (unsigned)__builtin_ctzll(a->possible);
    bool plain = inst->op == IR_store && !(a->access->flags & (IR_AC_FORMAT | IR_AC_D16_HI)) && a->access->bytes == 4 * span &&
                 ir_is_none(inst->src[5]);
    if (!plain || a->uniform || a->possible & ~track_lanes_of(t, inst->src[4], span))
        return false;
    *word = (uint32_t)track_value(t, inst->src[4], 1, first);
    for (unsigned k = 0; k < span; k++) {
        ir_ref r = {inst->src[4].kind, (uint16_t)(inst->src[4].index + k)};
        if (r.kind == IR_K && span > 1)
            return false;
        for (uint64_t left = a->possible; left; left &= left - 1)
            if ((uint32_t)track_value(t, r, 1, (unsigned)__builtin_ctzll(left)) != *word)
                return false;
    }
    return true;
}

static void store(struct track *t, const struct ir_inst *inst, const struct wave_op *op, struct wave_track_access *a)
{
    if (a->possible)
        a->one_word = stores_one_word(t, inst, a, &a->word);
    if (inst->op == IR_store && !a->uniform && a->scratch && t->scratch_bytes)
        run_lanes(t, inst, op, a->scratch & a->active);
    note_stores(t, a, inst->op == IR_store ? data_known(t, inst) : 0);
    if (a->possible & ~a->known)
        store_somewhere(t, inst, a);
    if (inst->op == IR_atomic)
        track_set_unknown(t, inst);
}

static void track_access(struct track *t, const struct ir_inst *inst, const struct wave_op *op)
{
    const struct ir_access *access = ir_inst_access(t->func, inst);
    struct wave_track_access a = {.pc = inst->pc, .access = access, .store = inst->op != IR_load, .atomic = inst->op == IR_atomic,
                                  .uniform = !inst->lane, .bytes = access->flags & IR_AC_FORMAT ? 0 : access->bytes * (uint32_t)access->elements};
    struct track_lanes mask = inst->lane ? track_mask(t, inst->mask) : (struct track_lanes){1, 1};
    a.active = mask.sure;
    a.possible = mask.possible;
    a.known = a.possible & addressed(t, inst, access);
    describe(t, inst, &a);
    reach(t, op, &a);
    if (inst->op == IR_load)
        load(t, inst, op, &a);
    else
        store(t, inst, op, &a);
    if (t->options->access)
        t->options->access(t->options->user, &a);
}

void track_memory(struct track *t, const struct ir_inst *inst, const struct wave_op *op)
{
    if (ir_op_has_access(inst->op)) {
        track_access(t, inst, op);
    } else if (inst->op == IR_image) {
        track_image(t, inst, op);
    } else if (inst->op == IR_wave_id) {
        track_run_op(t, op);
        track_set_word(t, inst->dst[0], 0, ~0u);
    } else {
        track_set_unknown(t, inst);
    }
}
