/* Where the lanes of a vector memory operation lie: a plan for the wave, then offsets from one host address, vector by vector.
 * Included once for each tier. */
#ifndef WAVE_WAVE_MEMORY_PLAN_H
#define WAVE_WAVE_MEMORY_PLAN_H

#include "wave/wave_memory.h"
#include "wave/wave_memory_vec.h"

/* SADDR: a 32-bit lane offset and a scalar base. SCALED: the same, but the lane's word is an index that is shifted, or signed. */
enum mode { GLOBAL, SADDR, SCALED, FLAT, LDS, SCRATCH, BUFFER, MODE_COUNT };
/* Where the first lane's flat address leads; all have to. */
enum aperture { NO_APERTURE, SHARED, PRIVATE };

enum { LARGEST_OFFSET = 0x7fffffff, WORD = 4, MAX_RECORD = 4 };

/* How a wave's addresses become offsets from `host`. A lane's offset is good when it is at most `last`. */
struct plan {
    uint8_t *host;
    uint32_t last;
    uint64_t start;     /* GLOBAL: subtracted from the lane's address */
    uint32_t subtract;  /* SADDR */
    uint32_t sign, lowest, range; /* SCALED: indices from lowest on, range of them, once the sign bit is turned (or 0) */
    uint32_t add;       /* LDS, SCRATCH, BUFFER, SCALED: to the lane's own offset */
    enum aperture aperture; /* FLAT */
    uint32_t top;       /* FLAT, in an aperture: the upper word of addresses there */
    /* SCRATCH, and buffers that are used as it: words of lanes side by side, 1 << shift bytes from word to word of a lane. */
    bool swizzled;
    unsigned shift;     /* SCALED: of the index */
    uint32_t step;      /* bytes from word to word of one lane */
    /* BUFFER */
    bool indexed, add_tid;
    uint32_t stride, index_end; /* indices from index_end on are outside (`outside`) or too large for this path */
    uint32_t base_add;  /* linear: from host to the descriptor's base */
    bool check_index, check_offset, far_index;
    uint32_t offset_first, offset_last; /* largest record offset at which the first and the last word are inside */
    bool first_ever, last_ever;
};

struct lanes {
    vu32 at;        /* offsets from plan.host */
    uint32_t use;   /* lanes to move */
    uint32_t other; /* active lanes that this path cannot do */
};

VEC_INLINE vu32 slot(const struct wave *w, uint32_t offset, unsigned n)
{
    return *(const vu32 *)(const void *)((const char *)w + offset + n * VEC_BYTES);
}

VEC_INLINE uint64_t pair(struct wave *w, uint32_t offset)
{
    const uint32_t *p = wave_at(w, offset);
    return p[0] | (uint64_t)p[1] << 32;
}

VEC_INLINE uint32_t clip(uint64_t size)
{
    return size < LARGEST_OFFSET ? (uint32_t)size : LARGEST_OFFSET;
}

/* The run around address, cut to what 31-bit offsets reach, at bytes of its start before address. */
VEC_INLINE bool find_window(struct wave *w, const struct wave_op *o, bool write, uint64_t address, uint32_t bytes, struct plan *p)
{
    enum { BACK = 1 << 30 };
    const struct wave_run *run = wave_op_run(w, o, write);
    uint64_t at = address - run->start;
    if (__builtin_expect(at >= run->size, 0))
        return false;
    uint64_t skip = at > BACK ? at - BACK : 0;
    uint32_t size = clip(run->size - skip);
    p->host = run->host + skip;
    p->start = run->start + skip;
    p->last = size - bytes;
    return size >= bytes;
}

/* The run from base on. */
VEC_INLINE bool find_base(struct wave *w, const struct wave_op *o, bool write, uint64_t base, uint32_t *size, struct plan *p)
{
    const struct wave_run *run = wave_op_run(w, o, write);
    uint64_t at = base - run->start;
    if (__builtin_expect(at >= run->size, 0))
        return false;
    p->host = run->host + at;
    *size = clip(run->size - at);
    return true;
}

VEC_INLINE bool plan_global(struct wave *w, const struct wave_op *o, const struct ir_access *access, unsigned first, uint32_t bytes, bool write,
                            struct plan *p)
{
    const uint32_t *a = wave_at(w, o->a) + first;
    uint64_t offset = (uint64_t)(int64_t)access->offset;
    if (!find_window(w, o, write, (a[0] | (uint64_t)a[w->stride / 4] << 32) + offset, bytes, p))
        return false;
    p->start -= offset;
    return true;
}

/* Lane offsets are unsigned, the base lies before the window's start or in it. */
VEC_INLINE bool plan_saddr(struct wave *w, const struct wave_op *o, const struct ir_access *access, unsigned first, uint32_t bytes, bool write,
                           struct plan *p)
{
    uint64_t base = pair(w, o->b) + (uint64_t)(int64_t)access->offset;
    if (!find_window(w, o, write, base + wave_at(w, o->a)[first], bytes, p))
        return false;
    uint64_t before = p->start - base, inside = base - p->start;
    p->subtract = 0;
    if (before <= LARGEST_OFFSET) {
        p->subtract = (uint32_t)before;
        return true;
    }
    if (inside > p->last)
        return false;
    p->host += inside;
    p->last -= (uint32_t)inside;
    return true;
}

/* What turns a signed index into an unsigned one of the same order. */
VEC_INLINE uint32_t index_sign(const struct ir_access *access)
{
    return access->flags & IR_AC_SIGNED_LANE ? 1u << 31 : 0;
}

VEC_INLINE uint64_t scaled(const struct ir_access *access, uint32_t index)
{
    uint64_t wide = access->flags & IR_AC_SIGNED_LANE ? (uint64_t)(int64_t)(int32_t)index : index;
    return wide << access->scale;
}

/* Indices near the first lane's: their offsets fit in a word, and no index passes the end of its range in between. */
VEC_INLINE bool plan_scaled(struct wave *w, const struct wave_op *o, const struct ir_access *access, unsigned first, uint32_t bytes, bool write,
                            struct plan *p)
{
    enum { NEAR = 1 << 30 };
    uint32_t index = wave_at(w, o->a)[first], reach = NEAR >> access->scale;
    uint64_t address = pair(w, o->b) + (uint64_t)(int64_t)access->offset + scaled(access, index);
    if (!find_window(w, o, write, address, bytes, p))
        return false;
    p->sign = index_sign(access);
    p->shift = access->scale;
    uint32_t middle = index ^ p->sign;
    p->lowest = middle > reach ? middle - reach : 0;
    p->range = (UINT32_MAX - middle > reach ? middle + reach : UINT32_MAX) - p->lowest;
    p->add = (uint32_t)(address - p->start) - ((middle - p->lowest) << p->shift);
    return true;
}

VEC_INLINE bool plan_lds(struct wave *w, const struct ir_access *access, uint32_t bytes, struct plan *p)
{
    p->host = w->lds;
    p->add = (uint32_t)access->offset;
    p->last = w->lds_bytes - bytes;
    return w->lds_bytes >= bytes;
}

/* `last` is the highest word's number here. */
VEC_INLINE bool plan_swizzled(struct wave *w, const struct wave_op *o, bool write, uint64_t base, unsigned lanes_log2, uint32_t bytes, struct plan *p)
{
    uint32_t size, words = bytes < WORD ? 1 : bytes / WORD;
    if (!find_base(w, o, write, base, &size, p))
        return false;
    uint32_t lines = size >> (lanes_log2 + 2);
    p->swizzled = true;
    p->shift = lanes_log2;
    p->step = (uint32_t)WORD << lanes_log2;
    p->last = lines - words;
    return lines >= words;
}

VEC_INLINE bool plan_scratch(struct wave *w, const struct wave_op *o, const struct ir_access *access, uint32_t bytes, bool write, struct plan *p)
{
    uint64_t base = wave_flat_scratch(w);
    p->add = (o->b ? *wave_at(w, o->b) : 0) + (uint32_t)access->offset;
    return plan_swizzled(w, o, write, base, w->halves == 2 ? 6 : 5, bytes, p);
}

/* The largest offset at which a piece of payload bytes that starts `start` bytes on ends within size. */
VEC_INLINE bool offset_limit(uint64_t size, uint32_t start, uint32_t payload, uint32_t *limit)
{
    *limit = (uint32_t)(size - start - payload);
    return size >= (uint64_t)start + payload;
}

/* Decides how the descriptor's bounds are tested, and whether this path can. */
VEC_INLINE bool plan_bounds(const struct image_buffer *b, uint32_t soffset, uint32_t bytes, bool whole, struct plan *p)
{
    uint64_t size = b->stride;
    p->check_index = b->bounds == IMAGE_BOUNDS_STRUCTURED || b->bounds == IMAGE_BOUNDS_INDEX;
    p->check_offset = b->bounds == IMAGE_BOUNDS_STRUCTURED;
    if (b->bounds == IMAGE_BOUNDS_EMPTY && b->records == 0)
        return false;
    if (b->bounds == IMAGE_BOUNDS_RAW) {
        if (b->swizzle && b->stride)
            return false;
        p->check_offset = true;
        size = soffset > b->records ? 0 : b->records - soffset;
    }
    p->index_end = b->records;
    /* Products of index and stride must stay within 31 bits. */
    enum { SURE_INDEX = 0x10000 };
    p->far_index = p->indexed && b->stride && !(p->check_index && (uint64_t)b->records * b->stride <= LARGEST_OFFSET);
    if (p->far_index && p->check_index)
        return false;
    if (p->far_index)
        p->index_end = SURE_INDEX;
    uint32_t payload = whole || bytes < WORD ? bytes : WORD;
    p->first_ever = offset_limit(size, 0, payload, &p->offset_first);
    p->last_ever = offset_limit(size, bytes - payload, payload, &p->offset_last);
    return true;
}

VEC_INLINE bool plan_buffer(struct wave *w, const struct wave_op *o, const struct ir_access *access, uint32_t bytes, bool write, bool whole,
                            struct plan *p)
{
    struct image_buffer b = image_buffer_decode(wave_at(w, o->a));
    uint32_t soffset = *wave_at(w, o->e), size;
    p->indexed = (access->flags & IR_AC_IDXEN) || b.add_tid;
    p->add_tid = b.add_tid;
    p->stride = b.stride;
    p->add = (uint32_t)access->offset;
    if (b.format == 0 || !plan_bounds(&b, soffset, bytes, whole, p))
        return false;
    uint64_t base = b.base + soffset;
    if (b.swizzle) {
        /* Scratch: one record a lane, and lanes within one line of indices. */
        bool scratch = b.add_tid && !(access->flags & IR_AC_IDXEN) && b.index_stride >= w->halves * 32u && !p->check_index;
        return scratch && plan_swizzled(w, o, write, base, (unsigned)__builtin_ctz(b.index_stride), bytes, p);
    }
    if (!find_base(w, o, write, base, &size, p))
        return false;
    p->last = size - bytes;
    return size >= bytes;
}

/* Global memory, or the aperture that the first lane's address lies in: there the low words are used as the space's own. */
VEC_INLINE bool plan_flat(struct wave *w, const struct wave_op *o, const struct ir_access *access, unsigned first, uint32_t bytes, bool write,
                          struct plan *p)
{
    p->aperture = NO_APERTURE;
    if (__builtin_expect(plan_global(w, o, access, first, bytes, write, p), 1))
        return true;
    p->top = wave_at(w, o->a + w->stride)[first];
    if (p->top == w->s[IR_SHARED_BASE]) {
        p->aperture = SHARED;
        return plan_lds(w, access, bytes, p);
    }
    if (p->top != w->s[IR_PRIVATE_BASE])
        return false;
    p->aperture = PRIVATE;
    p->add = (uint32_t)access->offset;
    return plan_swizzled(w, o, write, wave_flat_scratch(w), w->halves == 2 ? 6 : 5, bytes, p);
}

VEC_INLINE bool make_plan(enum mode mode, struct wave *w, const struct wave_op *o, const struct ir_access *access, unsigned first,
                          uint32_t bytes, bool write, bool whole, struct plan *p)
{
    p->swizzled = false;
    p->shift = 0;
    p->step = WORD;
    p->start = 0;
    p->aperture = NO_APERTURE;
    switch (mode) {
    case GLOBAL: return plan_global(w, o, access, first, bytes, write, p);
    case SADDR: return plan_saddr(w, o, access, first, bytes, write, p);
    case SCALED: return plan_scaled(w, o, access, first, bytes, write, p);
    case FLAT: return plan_flat(w, o, access, first, bytes, write, p);
    case LDS: return plan_lds(w, access, bytes, p);
    case SCRATCH: return plan_scratch(w, o, access, bytes, write, p);
    default: return plan_buffer(w, o, access, bytes, write, whole, p);
    }
}

/* Lines of words: the lane's word number in its line, and the byte in the word, which must hold the access. */
VEC_INLINE struct lanes swizzled_lanes(const struct plan *p, vu32 offset, vu32 lane, uint32_t bits, uint32_t bytes)
{
    vu32 inside = offset & 3u;
    uint32_t good = vec_le(offset >> 2, vec_splat(p->last));
    good &= vec_le(inside, vec_splat(bytes < WORD ? WORD - bytes : 0));
    return (struct lanes){((offset - inside) << p->shift) + (lane << 2) + inside, bits & good, bits & ~good};
}

VEC_INLINE struct lanes buffer_lanes(struct wave *w, const struct wave_op *o, const struct ir_access *access, const struct plan *p,
                                     unsigned n, uint32_t bits, uint32_t bytes)
{
    vu32 offset = vec_splat(p->add), lane = vec_iota() + n * VEC_LANES;
    uint32_t wraps = 0;
    if (access->flags & IR_AC_OFFEN) {
        offset += slot(w, o->c, n);
        if (p->check_offset || !p->add_tid)
            wraps = bits & ~vec_le(slot(w, o->c, n), offset);
    }
    vu32 index = access->flags & IR_AC_IDXEN ? slot(w, o->b, n) : vec_splat(0);
    if (p->add_tid)
        index += lane;
    uint32_t first = bits, last = bits, near = bits;
    if (p->check_index)
        first &= ~vec_le(vec_splat(p->index_end), index);
    if (p->far_index)
        near &= ~vec_le(vec_splat(p->index_end), index);
    last = first;
    if (p->check_offset) {
        first &= p->first_ever ? vec_le(offset, vec_splat(p->offset_first)) : 0;
        last &= p->last_ever ? vec_le(offset, vec_splat(p->offset_last)) : 0;
    }
    struct lanes lanes;
    if (p->swizzled) {
        lanes = swizzled_lanes(p, offset, lane, last, bytes);
    } else {
        lanes.at = offset;
        if (p->indexed)
            lanes.at += index * p->stride;
        uint32_t good = near & vec_le(offset, vec_splat(p->last)) & vec_le(lanes.at, vec_splat(p->last));
        lanes.use = last & good;
        lanes.other = last & ~good;
    }
    /* Partly inside, or a sum of offsets that needs more than 32 bits. */
    lanes.other |= (first & ~last) | wraps;
    lanes.use &= ~wraps;
    return lanes;
}

/* An offset that carries into the upper word leaves the aperture: not here. */
VEC_INLINE struct lanes aperture_lanes(struct wave *w, const struct wave_op *o, const struct plan *p, unsigned n, uint32_t bits, uint32_t bytes)
{
    vu32 low = slot(w, o->a, n), at = low + p->add;
    uint32_t good = bits & vec_eq(slot(w, o->a + w->stride, n), vec_splat(p->top)) & vec_le(low, at);
    if (p->aperture == SHARED) {
        good &= vec_le(at, vec_splat(p->last));
        return (struct lanes){at, good, bits & ~good};
    }
    struct lanes lanes = swizzled_lanes(p, at, vec_iota() + n * VEC_LANES, good, bytes);
    lanes.other |= bits & ~good;
    return lanes;
}

VEC_INLINE struct lanes find_lanes(enum mode mode, struct wave *w, const struct wave_op *o, const struct ir_access *access,
                                   const struct plan *p, unsigned n, uint32_t bits, uint32_t bytes)
{
    uint32_t good;
    vu32 at;
    switch (mode) {
    case FLAT:
        if (__builtin_expect(p->aperture != NO_APERTURE, 0))
            return aperture_lanes(w, o, p, n, bits, bytes);
        __attribute__((fallthrough));
    case GLOBAL: {
        vu32 low = slot(w, o->a, n), high = slot(w, o->a + w->stride, n), start = vec_splat((uint32_t)p->start);
        uint32_t borrow = ~vec_le(start, low), top = (uint32_t)(p->start >> 32);
        at = low - start;
        good = vec_le(at, vec_splat(p->last)) & vec_eq(high, vec_select_bits(borrow, vec_splat(top + 1), vec_splat(top)));
        break;
    }
    case SADDR:
        at = slot(w, o->a, n) - p->subtract;
        good = vec_le(at, vec_splat(p->last));
        break;
    case SCALED: {
        vu32 index = (slot(w, o->a, n) ^ p->sign) - p->lowest;
        at = (index << p->shift) + p->add;
        good = vec_le(index, vec_splat(p->range)) & vec_le(at, vec_splat(p->last));
        break;
    }
    case LDS:
        at = slot(w, o->a, n) + p->add;
        good = vec_le(at, vec_splat(p->last));
        break;
    case SCRATCH: {
        vu32 offset = vec_splat(p->add), lane = vec_iota() + n * VEC_LANES;
        if (o->a)
            offset += slot(w, o->a, n);
        return swizzled_lanes(p, offset, lane, bits, bytes);
    }
    default:
        return buffer_lanes(w, o, access, p, n, bits, bytes);
    }
    return (struct lanes){at, bits & good, bits & ~good};
}

/* What the fast paths of global memory take from the operation itself (wave_translate fills it in for them): the shift and the sign bit of
 * indices in e, the instruction's offset in imm, the run met last in c. */
VEC_INLINE uint64_t lane_address(struct wave *w, const struct wave_op *o, enum mode mode, unsigned lane, uint32_t low)
{
    uint64_t address = (uint64_t)(int64_t)(int32_t)o->imm;
    if (mode == SADDR || mode == SCALED) {
        uint32_t sign = mode == SCALED ? o->e & 1u << 31 : 0;
        uint64_t wide = (uint64_t)(low ^ sign) - sign;
        return address + pair(w, o->b) + (mode == SCALED ? wide << (o->e & 31) : wide);
    }
    return address + (low | (uint64_t)wave_at(w, o->a)[w->stride / 4 + lane] << 32);
}

/* Whether span more can be added to a lane's address word (or index) without passing the end of its range. */
VEC_INLINE bool has_room(const struct wave_op *o, enum mode mode, uint32_t low, uint32_t span)
{
    return (mode == SCALED ? low ^ (o->e & 1u << 31) : low) <= UINT32_MAX - span;
}

VEC_INLINE uint8_t *fast_host(struct wave *w, const struct wave_op *o, uint64_t address, uint32_t length)
{
    const struct wave_run *run = (const void *)((const char *)w->worker + o->c);
    uint64_t at = address - run->start;
    if (__builtin_expect(at >= run->size || run->size - at < length, 0))
        return NULL;
    return run->host + at;
}

VEC_INLINE bool is_full(struct wave *w, const struct wave_op *o, unsigned halves)
{
    const uint32_t *mask = wave_at(w, o->m);
    return mask[0] == UINT32_MAX && (halves == 1 || mask[1] == UINT32_MAX);
}

/* The commonest access: all lanes of the wave are active and lie one after another in one run. The host address of lane 0, or NULL when
 * it is not so. halves: of the wave, known where this is compiled. */
VEC_INLINE uint8_t *whole_line(struct wave *w, const struct wave_op *o, enum mode mode, unsigned halves, uint32_t bytes)
{
    const uint32_t *a = wave_at(w, o->a), step = mode == SCALED ? 1 : bytes, lanes = halves * 32;
    vu32 expected = vec_iota() * step + a[0];
    bool line = has_room(o, mode, a[0], lanes * step);
    uint32_t wrong[2 * VEC_COUNT];
    for (unsigned n = 0; n < halves * VEC_COUNT; n++)
        wrong[n] = vec_ne(slot(w, o->a, n), expected + n * VEC_LANES * step);
    for (unsigned n = 0; n < halves * VEC_COUNT; n++)
        line &= !wrong[n];
    if (mode == GLOBAL || mode == FLAT)
        for (unsigned n = 0; n < halves * VEC_COUNT; n++)
            line &= !vec_ne(slot(w, o->a + w->stride, n), vec_splat(a[w->stride / 4]));
    if (__builtin_expect(!line, 0))
        return NULL;
    return fast_host(w, o, lane_address(w, o, mode, 0, a[0]), lanes * bytes);
}

/* Tiles: each row of lanes lies one after another. */
enum { ROW = VEC_LANES < 8 ? VEC_LANES : 8 };

VEC_INLINE vu32 first_of_row(vu32 x)
{
#if VEC_BYTES == 64
    return (vu32)_mm512_permutexvar_epi32(_mm512_setr_epi32(0, 0, 0, 0, 0, 0, 0, 0, 8, 8, 8, 8, 8, 8, 8, 8), (__m512i)x);
#else
    return vec_lane(x, 0);
#endif
}

VEC_INLINE bool are_rows(struct wave *w, const struct wave_op *o, enum mode mode, unsigned halves)
{
    const uint32_t step = mode == SCALED ? 1 : WORD;
    bool rows = true;
    for (unsigned n = 0; n < halves * VEC_COUNT; n++) {
        vu32 low = slot(w, o->a, n);
        rows &= !vec_ne(low, first_of_row(low) + (vec_iota() & (ROW - 1u)) * step);
        if (mode == GLOBAL || mode == FLAT) {
            vu32 high = slot(w, o->a + w->stride, n);
            rows &= !vec_ne(high, first_of_row(high));
        }
    }
    return rows;
}

/* The host addresses of the first lanes of rows; false when some row is not whole in the run. */
VEC_INLINE bool find_rows(struct wave *w, const struct wave_op *o, enum mode mode, unsigned halves, uint8_t **rows)
{
    const uint32_t *a = wave_at(w, o->a), step = mode == SCALED ? 1 : WORD;
    bool good = true;
    for (unsigned r = 0; r < halves * 32 / ROW; r++) {
        uint32_t low = a[r * ROW];
        rows[r] = fast_host(w, o, lane_address(w, o, mode, r * ROW, low), ROW * WORD);
        good &= rows[r] && has_room(o, mode, low, ROW * step);
    }
    return good;
}

#endif
