/* Image operations of a host run: results are known where descriptor, coordinates and memory are; stores are only noted. */
#include <string.h>

#include "wave/wave_image.h"
#include "wave/wave_track_internal.h"

/* Quads whose first three lanes are all in lanes: what derivatives are made of. */
static uint64_t whole_quads(uint64_t lanes)
{
    const uint64_t firsts = UINT64_C(0x1111111111111111);
    return (lanes & lanes >> 1 & lanes >> 2 & firsts) * 15;
}

/* A descriptor's words; false when one of them is not known. */
static bool words_known(const struct track *t, const struct ir_inst *inst, unsigned n, uint32_t *words)
{
    bool known = true;
    for (unsigned k = 0; k < ir_src_span(t->func, inst, n) && !ir_is_none(inst->src[n]); k++)
        known &= track_word(t, ir_s(inst->src[n].index + k), &words[k]) == ~0u;
    return known;
}

static uint64_t addressed(const struct track *t, const struct ir_inst *inst, const struct ir_image *image)
{
    if (ir_is_none(inst->src[3]))
        return t->lanes;
    uint64_t known = track_lanes_of(t, inst->src[3], image->address_words);
    return wave_image_derives(image) ? known & whole_quads(known) : known;
}

/* Runs the operation in one lane; whether all that it read is known. */
static bool run_lane(struct track *t, const struct wave_op *op, unsigned lane)
{
    struct wave_op copy = *op;
    uint32_t *mask = wave_at(t->w, t->spare_lanes);
    mask[0] = lane < 32 ? 1u << lane : 0;
    mask[1] = lane < 32 ? 0 : 1u << (lane - 32);
    copy.m = t->spare_lanes;
    t->read_unknown = false;
    struct wave_op alone[2] = {copy, {.fn = NULL}};
    const struct wave_op *next = alone[0].fn(t->w, alone);
    t->w->status = WAVE_RUNNING;
    return next && !t->read_unknown;
}

bool track_may_read(struct wave *w, uint64_t address, uint32_t bytes)
{
    struct track *t = w->track;
    bool may = track_readable(t, address, bytes);
    if (may && t->options->read)
        t->options->read(t->options->user, address, bytes, false);
    t->read_unknown |= !may;
    return may;
}

static void load(struct track *t, const struct ir_inst *inst, const struct wave_op *op, struct wave_track_access *a)
{
    const struct ir_image *image = op->aux;
    unsigned span = ir_dst_span(t->func, inst, 0);
    uint64_t kept = image->flags & IR_IM_D16 ? track_lanes_of(t, inst->dst[0], span) : ~UINT64_C(0); /* a half may stay */
    for (uint64_t left = a->known & a->active; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        if (run_lane(t, op, lane))
            a->loaded |= UINT64_C(1) << lane;
    }
    if (ir_is_lane(inst->dst[0]))
        track_set_lanes(t, inst->dst[0], span, (struct track_lanes){a->active, a->possible}, a->loaded & kept);
}

/* All that a view can reach may have been stored to. */
static void note_stores(struct track *t, const struct ir_image *image, struct wave_track_access *a, bool described)
{
    struct image_view view;
    if (!described) {
        track_stored_anywhere(t, a);
        return;
    }
    if (image_view_decode(wave_image_config(t->w), a->descriptor, image->flags & IR_IM_R128, &view) || !view.format)
        return; /* refused, or unbound: nothing is stored */
    struct image_range range = image_view_range(&view);
    a->bound_start = range.start;
    a->bound_end = range.end;
    track_note_stored(t, a->bound_start, a->bound_end);
}

void track_image(struct track *t, const struct ir_inst *inst, const struct wave_op *op)
{
    const struct ir_image *image = op->aux;
    struct track_lanes mask = track_mask(t, inst->mask);
    bool atomic = image->kind == IR_IMAGE_ATOMIC;
    bool stores = atomic || image->kind == IR_IMAGE_STORE || image->kind == IR_IMAGE_STORE_RAW;
    struct wave_track_access a = {
        .pc = inst->pc, .image = image, .store = stores, .atomic = atomic, .active = mask.sure, .possible = mask.possible};
    uint32_t sampler[WAVE_SAMPLER_WORDS];
    bool described = words_known(t, inst, 0, a.descriptor);
    memset(a.descriptor_known, described ? 0xff : 0, sizeof a.descriptor_known);
    described &= words_known(t, inst, 1, sampler);
    a.known = described ? a.possible & addressed(t, inst, image) : 0;
    if (stores && a.possible)
        note_stores(t, image, &a, described);
    if (stores)
        track_set_unknown(t, inst);
    else
        load(t, inst, op, &a);
    if (t->options->access)
        t->options->access(t->options->user, &a);
}
