/* Where the accesses of the flow reach, by space, and what loads from known memory bring. */
#include <stdlib.h>
#include <string.h>

#include "image/image.h"
#include "image/image_view.h"
#include "trace/trace_flow_internal.h"

enum { WORD = 4, SOURCES = 6, LOADED_WORDS = 17, ADDRESS_BITS = 48 };

/* Sums that spread wider say nothing that is of use. */
static const uint64_t most_noise = UINT64_C(1) << 28;

/* An access and its sources. */
struct reach {
    const struct flow *f;
    uint32_t op;
    const struct ir_ssa_node *node;
    const struct ir_inst *inst;
    const struct ir_access *access;
    const uint32_t *args;
    uint32_t at[SOURCES], span[SOURCES];
    uint32_t mask[2];
};

static void take(const struct flow *f, uint32_t op, struct reach *r)
{
    *r = (struct reach){.f = f, .op = op, .node = &f->ssa->nodes[op], .args = flow_args(f, op)};
    r->inst = &f->func->insts[r->node->inst];
    r->access = ir_inst_access(f->func, r->inst);
    uint32_t at = 0;
    for (unsigned n = 0; n < r->inst->src_count && n < SOURCES; n++) {
        r->at[n] = at;
        r->span[n] = ir_src_span(f->func, r->inst, n);
        at += r->span[n];
    }
    if (r->inst->lane)
        flow_mask_of(f, r->node, r->mask);
}

/* 1. Sources. */

static bool speaks(const struct reach *r, uint32_t node)
{
    const uint32_t *under = r->f->values[node].under;
    return flow_is_everywhere(under) || (r->inst->lane && flow_is_within(r->f, r->mask, under));
}

static uint32_t node_of(const struct reach *r, unsigned n, unsigned k)
{
    return r->args[r->at[n] + k];
}

static struct trace_affine sum_of(const struct reach *r, unsigned n)
{
    if (!r->span[n])
        return trace_affine_word(0);
    uint32_t node = node_of(r, n, 0);
    return speaks(r, node) ? flow_sum_of(r->f, &r->f->values[node]) : trace_affine_any(TRACE_WORD, 0);
}

static bool word_of(const struct reach *r, unsigned n, unsigned k, uint32_t *value)
{
    *value = r->f->values[node_of(r, n, k)].word;
    return r->f->values[node_of(r, n, k)].kind == FLOW_WORD && speaks(r, node_of(r, n, k));
}

static bool pair_of(const struct reach *r, unsigned n, struct trace_affine *sum)
{
    return r->span[n] == 2 && speaks(r, node_of(r, n, 0)) && speaks(r, node_of(r, n, 1)) &&
           flow_pair(r->f, node_of(r, n, 0), node_of(r, n, 1), sum);
}

/* 64 bits from 32 that are not known to stay below 2^32: what is known of their low bits. */
static struct trace_affine widened(const struct reach *r, const struct trace_affine *a, bool is_signed, bool *exact)
{
    struct trace_affine wide;
    *exact = flow_widen(r->f, a, is_signed, &wide) && a->noise < most_noise;
    return *exact ? wide : trace_affine_any(TRACE_PAIR, trace_affine_align(a, TRACE_WORD));
}

static void add(struct trace_affine *to, const struct trace_affine *more)
{
    *to = trace_affine_add(to, more, TRACE_PAIR);
}

static void add_word(struct trace_affine *to, uint64_t more)
{
    struct trace_affine word = trace_affine_word(more);
    add(to, &word);
}

static void unknown(struct flow_place *place, const char *why)
{
    place->place = place->based || place->described ? TRACE_BASED : TRACE_UNKNOWN;
    place->summed = false;
    place->why = why;
}

static void nothing(struct flow_place *place)
{
    place->place = TRACE_APART;
}

/* 2. Scalar memory: the low two bits of every part count as zero. */

static uint32_t whole_words(uint32_t offset)
{
    return offset & ~(WORD - 1u);
}

static bool add_scalar_offset(const struct reach *r, struct flow_place *place)
{
    struct trace_affine offset = sum_of(r, 1);
    bool exact = true;
    if (trace_affine_is_fixed(&offset))
        offset.at = whole_words((uint32_t)offset.at);
    else
        exact = trace_affine_align(&offset, TRACE_WORD) >= 2;
    bool widens;
    offset = widened(r, &offset, false, &widens);
    add(&place->address, &offset);
    return exact && widens;
}

static void scalar_place(const struct reach *r, struct flow_place *place)
{
    struct trace_affine base;
    place->bytes = r->access->bytes;
    place->piece = WORD;
    place->address = trace_affine_any(TRACE_PAIR, 2);
    if (!pair_of(r, 0, &base)) {
        unknown(place, "the base is not known");
        return;
    }
    place->based = trace_affine_is_fixed(&base);
    place->base = base.at & ~(uint64_t)(WORD - 1);
    if (place->based)
        base.at = place->base;
    place->address = base;
    bool good = add_scalar_offset(r, place) && trace_affine_align(&base, TRACE_PAIR) >= 2;
    add_word(&place->address, (uint64_t)(int64_t)(int32_t)whole_words((uint32_t)r->access->offset));
    place->place = TRACE_RANGE;
    place->summed = good;
    if (!good)
        unknown(place, "the offset is not known");
}

static bool take_descriptor(const struct reach *r, struct flow_place *place)
{
    place->described = true;
    for (unsigned k = 0; k < 4; k++)
        place->described &= word_of(r, 0, k, &place->descriptor[k]);
    return place->described;
}

static void scalar_buffer_place(const struct reach *r, struct flow_place *place)
{
    place->bytes = r->access->bytes;
    place->piece = WORD;
    place->address = trace_affine_any(TRACE_PAIR, 2);
    if (!take_descriptor(r, place)) {
        unknown(place, "the descriptor is not known");
        return;
    }
    struct image_buffer buffer = image_buffer_decode(place->descriptor);
    place->based = true;
    place->base = buffer.base;
    place->low = whole_words((uint32_t)buffer.base) | (buffer.base >> TRACE_WORD << TRACE_WORD);
    place->high = place->low + (image_buffer_scalar_size(&buffer) & ~(uint64_t)(WORD - 1));
    place->address = trace_affine_word(place->low);
    place->place = TRACE_RANGE;
    place->summed = add_scalar_offset(r, place);
    add_word(&place->address, whole_words((uint32_t)r->access->offset));
    if (!place->summed)
        unknown(place, "the offset is not known");
}

/* 3. Global and flat memory. */

/* The lanes' part of an address by a scalar base. */
static void add_lanes(const struct reach *r, struct flow_place *place)
{
    const struct ir_access *access = r->access;
    const bool numbers = access->flags & IR_AC_ADDTID;
    const unsigned scale = numbers ? 2 : access->scale;
    struct trace_affine lane;
    uint64_t cap = 0;
    place->capped = !numbers && place->based && r->inst->lane && flow_capped(r->f, r->mask, node_of(r, 0, 0), &lane, &cap);
    if (!place->capped)
        lane = numbers ? flow_lane(r->f) : sum_of(r, 0);
    lane = widened(r, &lane, access->flags & IR_AC_SIGNED_LANE, &place->summed);
    lane = trace_affine_scale(&lane, INT64_C(1) << scale, TRACE_PAIR);
    place->cap = place->base + (cap << scale) + (uint64_t)(int64_t)access->offset;
    add(&place->address, &lane);
}

static void global_place(const struct reach *r, struct flow_place *place)
{
    const struct ir_access *access = r->access;
    struct trace_affine base, lane;
    uint64_t scalar;
    place->bytes = place->piece = access->bytes;
    place->address = trace_affine_any(TRACE_PAIR, 0);
    place->place = TRACE_RANGE;
    place->summed = true;
    if (access->flags & (IR_AC_SADDR | IR_AC_ADDTID)) {
        if (!pair_of(r, 1, &base)) {
            unknown(place, "the base is not known");
            return;
        }
        place->based = trace_affine_is_fixed(&base);
        place->base = base.at;
        place->address = base;
        add_lanes(r, place);
    } else {
        place->based = r->span[0] == 2 && speaks(r, node_of(r, 0, 0)) && speaks(r, node_of(r, 0, 1)) &&
                       flow_find_base(r->f, node_of(r, 0, 0), node_of(r, 0, 1), &scalar);
        place->base = place->based ? scalar : 0;
        place->summed = pair_of(r, 0, &place->address) && place->address.noise < most_noise;
        if (!place->summed) {
            lane = sum_of(r, 0);
            place->address = trace_affine_any(TRACE_PAIR, trace_affine_align(&lane, TRACE_WORD));
        }
    }
    add_word(&place->address, (uint64_t)(int64_t)access->offset);
    if (!place->summed)
        unknown(place, "the lanes' addresses are not known");
}

/* The high words that addresses may have; false: any. */
static bool high_words(const struct reach *r, const struct flow_place *place, struct trace_bounds *high)
{
    trace_wide at;
    if (place->summed && trace_affine_exact(&place->address, &r->f->domain, TRACE_PAIR, false, high, &at)) {
        *high = (struct trace_bounds){high->low >> TRACE_WORD, (high->high + place->bytes - 1) >> TRACE_WORD};
        return true;
    }
    /* The instruction's offset might carry. */
    if (r->access->offset || r->span[0] != 2 || !speaks(r, node_of(r, 0, 1)))
        return false;
    struct trace_affine sum = flow_sum_of(r->f, &r->f->values[node_of(r, 0, 1)]);
    return trace_affine_exact(&sum, &r->f->domain, TRACE_WORD, false, high, &at);
}

static void flat_place(const struct reach *r, struct flow_place *place)
{
    const struct wave_apertures *apertures = &r->f->dispatch->apertures;
    const uint32_t words[] = {apertures->shared_base_hi, apertures->private_base_hi};
    struct trace_bounds high;
    global_place(r, place);
    bool known = high_words(r, place, &high);
    for (unsigned n = 0; n < 2; n++) {
        bool outside = known && (high.high < (trace_wide)words[n] || high.low > (trace_wide)words[n]);
        bool inside = known && high.low == (trace_wide)words[n] && high.high == (trace_wide)words[n];
        if (inside) {
            nothing(place);
            return;
        }
        if (!outside) {
            place->based = false;
            unknown(place, "a flat address that may lie in an aperture or not");
            break;
        }
    }
    if (known && place->place != TRACE_RANGE && high.high < UINT32_MAX) {
        place->low = (uint64_t)high.low << TRACE_WORD;
        place->high = (uint64_t)(high.high + 1) << TRACE_WORD;
    }
}

/* 4. Buffers. */

struct lanes_part {
    struct trace_affine index, offset, scalar; /* widened; offset with the instruction's */
    bool index_known, offset_known, scalar_known;
    uint64_t scalar_low, scalar_high; /* bounds */
};

static struct lanes_part buffer_lanes(const struct reach *r, const struct image_buffer *buffer)
{
    struct lanes_part part;
    struct trace_affine index = r->access->flags & IR_AC_IDXEN ? sum_of(r, 1) : trace_affine_word(0);
    struct trace_affine offset = r->access->flags & IR_AC_OFFEN ? sum_of(r, 2) : trace_affine_word(0);
    if (buffer->add_tid) {
        struct trace_affine lane = flow_lane(r->f);
        index = trace_affine_add(&index, &lane, TRACE_WORD);
    }
    if (buffer->add_tid) { /* sums of offsets wrap here */
        struct trace_affine more = trace_affine_word((uint32_t)r->access->offset);
        offset = trace_affine_add(&offset, &more, TRACE_WORD);
    }
    part.index = widened(r, &index, false, &part.index_known);
    part.offset = widened(r, &offset, false, &part.offset_known);
    if (!buffer->add_tid)
        add_word(&part.offset, (uint32_t)r->access->offset);
    struct trace_affine scalar = sum_of(r, 3);
    struct trace_bounds bounds;
    trace_wide at;
    part.scalar = widened(r, &scalar, false, &part.scalar_known);
    if (!part.scalar_known || !trace_affine_exact(&part.scalar, &r->f->domain, TRACE_PAIR, false, &bounds, &at))
        bounds = (struct trace_bounds){0, UINT32_MAX};
    part.scalar_low = (uint64_t)bounds.low;
    part.scalar_high = (uint64_t)bounds.high;
    return part;
}

static uint32_t buffer_bytes(const struct reach *r, const struct image_buffer *buffer)
{
    if (!(r->access->flags & IR_AC_FORMAT))
        return r->access->bytes;
    const struct image_buffer_format *format =
        image_buffer_format(r->access->flags & IR_AC_TYPED ? r->access->format : buffer->format);
    return format ? format->bytes : 0;
}

/* What the bounds leave: RDNA 2 guide, "Range Checking". False: nothing. */
static bool bound(const struct image_buffer *b, const struct lanes_part *part, struct flow_place *place)
{
    uint64_t low = b->base + part->scalar_low, high = b->base + part->scalar_high, stride = b->stride, records = b->records;
    bool fixed = part->offset_known && trace_affine_is_fixed(&part->offset), one = part->scalar_low == part->scalar_high;
    uint64_t offset = part->offset.at, end = offset + place->bytes;
    bool lines = b->swizzle && b->stride;
    place->low = low;
    if (records == 0 && !(b->bounds == IMAGE_BOUNDS_RAW && !lines))
        return false;
    if (b->bounds == IMAGE_BOUNDS_STRUCTURED || (b->bounds == IMAGE_BOUNDS_RAW && lines)) {
        place->high = trace_buffer_end(b, part->scalar_high, false);
        place->partial = !fixed || !one || end > stride || lines;
        return !(fixed && offset + place->piece > stride);
    }
    if (b->bounds == IMAGE_BOUNDS_INDEX && fixed) {
        place->high = b->swizzle ? UINT64_MAX : high + (records - 1) * stride + end;
        place->partial = !one || place->bytes > stride || b->swizzle;
    } else if (b->bounds == IMAGE_BOUNDS_RAW) { /* the scalar offset takes its part of the buffer's bytes */
        bool plain = !stride || (trace_affine_is_fixed(&part->index) && part->index.at == 0);
        place->high = trace_buffer_end(b, part->scalar_high, plain);
        place->partial = !plain || b->swizzle;
        return part->scalar_low <= records && !(plain && place->high - low < place->piece);
    } else {
        place->partial = b->bounds != IMAGE_BOUNDS_EMPTY;
        place->low = 0;
    }
    return true;
}

static void buffer_place(const struct reach *r, struct flow_place *place)
{
    place->bytes = place->piece = r->access->bytes;
    place->address = trace_affine_any(TRACE_PAIR, 0);
    if (!take_descriptor(r, place)) {
        unknown(place, "the descriptor is not known");
        return;
    }
    struct image_buffer buffer = image_buffer_decode(place->descriptor);
    place->based = true;
    place->base = buffer.base;
    place->bytes = buffer_bytes(r, &buffer);
    bool by_word = !(r->access->flags & IR_AC_FORMAT) && !r->access->atomic && place->bytes > WORD;
    place->piece = by_word ? WORD : place->bytes;
    struct lanes_part part = buffer_lanes(r, &buffer);
    if (!place->bytes || (buffer.format == 0 && !(r->access->flags & IR_AC_TYPED))) { /* an unbound buffer */
        nothing(place);
        return;
    }
    if (!bound(&buffer, &part, place)) {
        nothing(place);
        return;
    }
    place->address = trace_affine_scale(&part.index, buffer.stride, TRACE_PAIR);
    add(&place->address, &part.offset);
    add(&place->address, &part.scalar);
    add_word(&place->address, buffer.base);
    place->place = TRACE_RANGE;
    place->summed = part.index_known && part.offset_known && part.scalar_known && !buffer.swizzle;
    struct trace_bounds bounds;
    trace_wide at;
    if (place->summed &&
        (!trace_affine_exact(&place->address, &r->f->domain, TRACE_PAIR, false, &bounds, &at) || bounds.high >> ADDRESS_BITS))
        place->summed = place->high <= UINT64_C(1) << ADDRESS_BITS && bounds.high >> TRACE_PAIR == 0;
    if (!place->summed)
        unknown(place, buffer.swizzle ? "a swizzled buffer" : "the offsets are not known");
}

/* A descriptor of the waves' scratch: its base hangs on where the wave's part of the ring is, which no access leaves. */
static bool is_scratch(const struct reach *r)
{
    const struct wave_dispatch *d = r->f->dispatch;
    uint32_t words[4] = {0}, soffset;
    struct trace_affine base;
    struct trace_bounds bounds, offset;
    trace_wide at;
    if (!word_of(r, 0, 2, &words[2]) || !word_of(r, 0, 3, &words[3]) || !word_of(r, 3, 0, &soffset) || !d->scratch_waves ||
        !flow_pair(r->f, node_of(r, 0, 0), node_of(r, 0, 1), &base))
        return false;
    base = trace_affine_wrap(&base, ADDRESS_BITS);
    words[1] = r->f->values[node_of(r, 0, 1)].kind == FLOW_WORD ? r->f->values[node_of(r, 0, 1)].word : 0;
    struct image_buffer buffer = image_buffer_decode(words);
    struct lanes_part part = buffer_lanes(r, &buffer);
    uint64_t ring = d->scratch_base + (uint64_t)d->scratch_waves * d->scratch_wave_bytes;
    if (trace_affine_is_fixed(&base) || !buffer.swizzle || !buffer.add_tid || (r->access->flags & IR_AC_IDXEN) ||
        !part.offset_known || !trace_affine_exact(&base, &r->f->domain, ADDRESS_BITS, false, &bounds, &at) ||
        !trace_affine_exact(&part.offset, &r->f->domain, TRACE_PAIR, false, &offset, &at))
        return false;
    /* The index is the lane's number: at most two lines of it. */
    trace_wide lines = 64 / buffer.index_stride,
               inside = (lines * buffer.stride + offset.high + r->access->bytes + WORD) * buffer.index_stride;
    return bounds.low >= (trace_wide)d->scratch_base && bounds.high + soffset + inside <= (trace_wide)ring;
}

/* 5. All of them. */

static bool only_threads(const struct reach *r)
{
    for (unsigned n = 0; n < r->f->masks; n++)
        if (!flow_is_inside(r->f, &r->f->values[r->mask[n]], n))
            return false;
    return true;
}

void flow_place_of(const struct flow *f, uint32_t op, struct flow_place *place)
{
    struct reach r;
    take(f, op, &r);
    *place = (struct flow_place){.high = UINT64_MAX};
    switch (r.access->space) {
    case IR_SPACE_LDS:
    case IR_SPACE_GDS:
    case IR_SPACE_SCRATCH: nothing(place); return;
    default: break;
    }
    if (r.inst->lane && flow_is_none(f, r.mask)) {
        nothing(place);
        return;
    }
    switch (r.access->space) {
    case IR_SPACE_SCALAR: scalar_place(&r, place); break;
    case IR_SPACE_SBUFFER: scalar_buffer_place(&r, place); break;
    case IR_SPACE_GLOBAL: global_place(&r, place); break;
    case IR_SPACE_FLAT: flat_place(&r, place); break;
    default:
        if (is_scratch(&r))
            nothing(place);
        else
            buffer_place(&r, place);
        break;
    }
    if (r.inst->lane && place->place == TRACE_RANGE && !only_threads(&r))
        unknown(place, "lanes that have no thread may take part");
}

bool flow_descriptor_of(const struct flow *f, uint32_t op, uint32_t *words, unsigned count)
{
    struct reach r;
    bool known = true;
    take(f, op, &r);
    for (unsigned k = 0; k < count; k++)
        known &= r.span[0] == count && word_of(&r, 0, k, &words[k]);
    return known;
}

void flow_image_place_of(const struct flow *f, uint32_t op, struct flow_place *place)
{
    enum { WORDS = 8 };
    struct reach r;
    struct image_view view;
    uint32_t words[WORDS] = {0};
    take(f, op, &r);
    *place = (struct flow_place){.high = UINT64_MAX};
    if (!f->images || r.span[0] > WORDS || !flow_descriptor_of(f, op, words, r.span[0])) {
        unknown(place, "the descriptor is not known");
        return;
    }
    nothing(place);
    if ((r.inst->lane && flow_is_none(f, r.mask)) || image_view_decode(f->images, words, r.span[0] < WORDS, &view) ||
        !view.format)
        return; /* what is refused, and what is unbound, is not reached */
    struct image_range range = image_view_range(&view);
    place->place = TRACE_RANGE;
    place->low = range.start;
    place->high = range.end;
}

/* 6. Loads. */

static void note_read(struct flow *f, uint32_t op, uint64_t start, uint64_t bytes, bool vector)
{
    if (f->read_count == f->read_cap) {
        uint32_t cap = f->read_cap ? 2 * f->read_cap : 16;
        struct flow_read *larger = realloc(f->reads, cap * sizeof *larger);
        if (!larger) {
            f->out_of_memory = true;
            return;
        }
        f->reads = larger;
        f->read_cap = cap;
    }
    f->reads[f->read_count++] = (struct flow_read){op, vector, start, start + bytes};
}

/* The words at one known address; those past the buffer are zero. */
static bool read_words(struct flow *f, uint32_t op, const struct flow_place *place, bool vector, uint32_t *words)
{
    uint64_t at = place->address.at, inside = place->bytes;
    if (place->partial || at < place->low || at + inside < at)
        return false;
    if (at >= place->high)
        inside = 0;
    else if (place->high - at < inside)
        inside = (place->high - at) / place->piece * place->piece;
    memset(words, 0, place->bytes);
    if (inside && !trace_read(&f->looked, vector ? TRACE_READ_VECTOR : TRACE_READ_SCALAR, at, words, inside))
        return false;
    note_read(f, op, at, inside, vector);
    return true;
}

static bool is_plain(const struct ir_access *access)
{
    return access->elements == 1 && access->bytes >= WORD && access->bytes % WORD == 0 &&
           access->bytes <= (LOADED_WORDS - 1) * WORD &&
           !(access->flags & (IR_AC_FORMAT | IR_AC_TFE | IR_AC_LDS_DMA | IR_AC_D16 | IR_AC_D16_HI));
}

void flow_memory(struct flow *f, uint32_t op)
{
    const struct ir_ssa_node *node = &f->ssa->nodes[op];
    const struct ir_inst *inst = &f->func->insts[node->inst];
    const struct ir_access *access = ir_inst_access(f->func, inst);
    uint32_t words[LOADED_WORDS] = {0};
    bool known = false;
    if (!node->results)
        return;
    if (inst->op == IR_load && !f->blocked[op] && is_plain(access)) {
        struct flow_place place;
        flow_place_of(f, op, &place);
        known = place.place == TRACE_RANGE && place.summed && trace_affine_is_fixed(&place.address) &&
                node->results * WORD == place.bytes && read_words(f, op, &place, inst->lane, words);
    }
    struct flow_value value = flow_unknown();
    bool narrow = inst->op == IR_load && access->bytes < WORD && access->elements == 1 && node->results == 1 &&
                  !(access->flags & (IR_AC_FORMAT | IR_AC_SIGNED | IR_AC_D16 | IR_AC_D16_HI | IR_AC_LDS_DMA));
    if (narrow) {
        struct trace_affine bounded = trace_affine_between(0, (UINT64_C(1) << (8 * access->bytes)) - 1, 0);
        value = flow_sum(f, &bounded);
    }
    for (uint32_t n = 0; n < node->results; n++)
        flow_set(f, flow_result(f, op, n), known ? flow_word(words[n]) : value);
}
