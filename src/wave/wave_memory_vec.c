/* The fast paths of vector memory, built once for each host vector width: plain loads, stores and atomics whose lanes all lie
 * in one run of memory (or in the local share). Whatever does not fit goes on lane by lane in wave_memory.c.
 *
 * Each handler finds, vector by vector, the lanes' byte offsets from one host address (a plan says how for the space), then
 * moves the words in the cheapest way that their pattern allows. */
#include "wave/wave_memory_plan.h"

#define NEXT WAVE_GO(o + 1)

/* How the lanes of `bits` (not none) lie: one after another, all at the same place, or anyhow. */
struct pattern {
    bool line, same;
    uint32_t base; /* of lane 0, were it there; or of all */
};

VEC_INLINE struct pattern pattern_of(vu32 at, uint32_t bits, uint32_t bytes)
{
    unsigned f = (unsigned)__builtin_ctz(bits);
    vu32 first = vec_lane(at, f), apart = at - first;
    struct pattern pattern = {.base = vec_first(first)};
    pattern.line = !(bits & ~vec_eq(apart, vec_iota() * bytes - f * bytes));
    if (pattern.line)
        pattern.base -= f * bytes;
    else
        pattern.same = !(bits & ~vec_eq(apart, vec_splat(0)));
    return pattern;
}

/* The place of a lane before the first active one may lie before the run: never touched, but computed without pointer rules. */
VEC_INLINE uint8_t *place(uint8_t *host, uint32_t base)
{
    return (uint8_t *)((uintptr_t)host + (uintptr_t)(intptr_t)(int32_t)base);
}

VEC_INLINE vu32 load_word(uint8_t *host, vu32 at, uint32_t bits)
{
    struct pattern pattern = pattern_of(at, bits, WORD);
    if (pattern.line)
        return vec_load_bits(place(host, pattern.base), bits);
    if (pattern.same)
        return vec_splat(get32(host + pattern.base));
    return vec_gather(host, at, bits);
}

/* Records of n words, step bytes between the words of one. */
VEC_INLINE void load_record(const struct plan *p, vu32 at, uint32_t bits, unsigned n, vu32 *v)
{
    if (n == 1 || p->swizzled) {
        for (unsigned k = 0; k < n; k++)
            v[k] = load_word(p->host + k * p->step, at, bits);
        return;
    }
    struct pattern pattern = pattern_of(at, bits, n * WORD);
    if (pattern.line && bits == VEC_ALL && n != 3) {
        vec_load_records(p->host + pattern.base, n, v);
    } else if (pattern.same) {
        for (unsigned k = 0; k < n; k += 2) {
            uint64_t words = k + 1 < n ? get64(p->host + pattern.base + k * WORD) : get32(p->host + pattern.base + k * WORD);
            v[k] = vec_splat((uint32_t)words);
            if (k + 1 < n)
                v[k + 1] = vec_splat((uint32_t)(words >> 32));
        }
    } else {
        vec_gather2(p->host, at, bits, &v[0], &v[1]);
        if (n == 3)
            v[2] = vec_gather(p->host + 8, at, bits);
        if (n == 4)
            vec_gather2(p->host + 8, at, bits, &v[2], &v[3]);
    }
}

VEC_INLINE void store_word(uint8_t *host, vu32 at, uint32_t bits, vu32 value)
{
    struct pattern pattern = pattern_of(at, bits, WORD);
    if (pattern.line)
        vec_store_bits(place(host, pattern.base), value, bits);
    else
        vec_scatter(host, at, value, bits);
}

VEC_INLINE void store_record(const struct plan *p, vu32 at, uint32_t bits, unsigned n, const vu32 *v)
{
    if (n == 1 || p->swizzled) {
        for (unsigned k = 0; k < n; k++)
            store_word(p->host + k * p->step, at, bits, v[k]);
        return;
    }
    struct pattern pattern = pattern_of(at, bits, n * WORD);
    if (pattern.line && bits == VEC_ALL && n != 3) {
        vec_store_records(p->host + pattern.base, n, v, false);
        return;
    }
    vec_scatter2(p->host, at, v[0], v[1], bits);
    if (n == 3)
        vec_scatter(p->host + 8, at, v[2], bits);
    if (n == 4)
        vec_scatter2(p->host + 8, at, v[2], v[3], bits);
}

/* The mask's bits for vector n, and the first lane of all; lanes from vector n on. */
VEC_INLINE uint32_t mask_bits(struct wave *w, const struct wave_op *o, unsigned n)
{
    return wave_at(w, o->m)[n / VEC_COUNT] >> n % VEC_COUNT * VEC_LANES & VEC_ALL;
}

VEC_INLINE uint64_t lanes_from(unsigned n)
{
    return ~UINT64_C(0) << n * VEC_LANES;
}

#define EACH_VECTOR _Pragma("GCC unroll 1") for (unsigned n = 0, end = w->halves * VEC_COUNT; n < end; n++)

VEC_INLINE void merge(struct wave *w, uint32_t offset, unsigned n, vu32 value, uint32_t bits)
{
    vec_merge((char *)w + offset + n * VEC_BYTES, value, bits);
}

/* Lanes outside a descriptor's bounds load zero. */
VEC_INLINE vu32 only(enum mode mode, vu32 value, uint32_t use)
{
    return mode == BUFFER && use != VEC_ALL ? vec_select_bits(use, value, vec_splat(0)) : value;
}

VEC_INLINE void load_line(struct wave *w, const struct wave_op *o, const uint8_t *from, unsigned halves, unsigned words)
{
    _Pragma("GCC unroll 16") for (unsigned n = 0; n < halves * VEC_COUNT; n++) {
        vu32 v[MAX_RECORD];
        const uint8_t *p = from + n * VEC_LANES * words * WORD;
        if (words == 1)
            v[0] = vec_load(p);
        else
            vec_load_records(p, words, v);
        for (unsigned k = 0; k < words; k++)
            *(vu32 *)(void *)((char *)w + o->d + k * halves * 128 + n * VEC_BYTES) = v[k];
    }
}

VEC_INLINE void store_line(const struct wave *w, const struct wave_op *o, uint8_t *to, unsigned halves, unsigned words, bool stream)
{
    _Pragma("GCC unroll 16") for (unsigned n = 0; n < halves * VEC_COUNT; n++) {
        vu32 v[MAX_RECORD];
        uint8_t *p = to + n * VEC_LANES * words * WORD;
        for (unsigned k = 0; k < words; k++)
            v[k] = slot(w, o->x + k * halves * 128, n);
        if (words == 1)
            vec_store(p, v[0]);
        else
            vec_store_records(p, words, v, stream);
    }
}

/* Whether lines of length bytes go past the caches: where they fill the host's lines, and the operation has gone forward in memory by more
 * than caches hold, coming back by no more than they do. */
VEC_INLINE bool is_stream(struct wave *w, const struct wave_op *o, const uint8_t *to, uint32_t length)
{
    enum { HOST_LINE = 64, BACK = 1 << 20, LONG = 2 << 20 };
    struct wave_stream *stream = (void *)((char *)w->worker + o->d);
    uintptr_t at = (uintptr_t)to, forward = at + length - stream->end;
    if (forward > BACK && -forward > BACK) /* far away: elsewhere, or over again */
        *stream = (struct wave_stream){at, 0};
    if (stream->end < at + length) {
        stream->length += at + length - stream->end;
        stream->end = at + length;
    }
    return stream->length > LONG && at % HOST_LINE == 0;
}

VEC_INLINE const struct wave_op *load_words(struct wave *w, const struct wave_op *o, enum mode mode, unsigned words)
{
    const struct ir_access *access = o->aux;
    uint64_t mask = wave_mask_lanes(w, o);
    struct plan p;
    if (!mask)
        NEXT;
    if (__builtin_expect(!make_plan(mode, w, o, access, (unsigned)__builtin_ctzll(mask), words * WORD, false, false, &p), 0))
        return wave_load_lanes(w, o, ~UINT64_C(0));
    EACH_VECTOR {
        uint32_t bits = mask_bits(w, o, n);
        if (!bits)
            continue;
        struct lanes lanes = find_lanes(mode, w, o, access, &p, n, bits, words * WORD);
        if (__builtin_expect(lanes.other, 0))
            return wave_load_lanes(w, o, lanes_from(n));
        vu32 v[MAX_RECORD] = {{0}};
        if (mode != BUFFER || lanes.use)
            load_record(&p, lanes.at, lanes.use, words, v);
        for (unsigned k = 0; k < words; k++)
            merge(w, o->d + k * w->stride, n, only(mode, v[k], lanes.use), bits);
    }
    NEXT;
}

VEC_INLINE const struct wave_op *store_words(struct wave *w, const struct wave_op *o, enum mode mode, unsigned words)
{
    const struct ir_access *access = o->aux;
    uint64_t mask = wave_mask_lanes(w, o);
    struct plan p;
    if (!mask)
        NEXT;
    if (__builtin_expect(!make_plan(mode, w, o, access, (unsigned)__builtin_ctzll(mask), words * WORD, true, false, &p), 0))
        return wave_store_lanes(w, o, ~UINT64_C(0));
    EACH_VECTOR {
        uint32_t bits = mask_bits(w, o, n);
        if (!bits)
            continue;
        struct lanes lanes = find_lanes(mode, w, o, access, &p, n, bits, words * WORD);
        if (__builtin_expect(lanes.other, 0))
            return wave_store_lanes(w, o, lanes_from(n));
        vu32 v[MAX_RECORD];
        for (unsigned k = 0; k < words; k++)
            v[k] = slot(w, o->x + k * w->stride, n);
        if (mode != BUFFER || lanes.use)
            store_record(&p, lanes.at, lanes.use, words, v);
    }
    NEXT;
}

/* Waves that follow take the lines that follow: asked for in time, as one wave is too short for the host to see the next one's. */
VEC_INLINE void expect_more(const uint8_t *line, uint32_t length, bool write)
{
    enum { AHEAD = 1024, HOST_LINE = 64 };
    for (uint32_t at = 0; at < length && length <= 4 * HOST_LINE; at += HOST_LINE) {
        const void *next = (const void *)((uintptr_t)line + AHEAD + at);
        if (write)
            __builtin_prefetch(next, 1);
        else
            __builtin_prefetch(next, 0);
    }
}

/* The handlers of the modes that have lines, and rows of single words: anything else is the next handler's, kept apart so that this one needs
 * no stack. */
VEC_INLINE const struct wave_op *load_or(struct wave *w, const struct wave_op *o, enum mode mode, unsigned halves, unsigned words, wave_fn next)
{
    uint8_t *line = __builtin_expect(is_full(w, o, halves), 1) ? whole_line(w, o, mode, halves, words * WORD) : NULL;
    if (__builtin_expect(!line, 0))
        return next(w, o);
    expect_more(line, halves * 32 * words * WORD, false);
    load_line(w, o, line, halves, words);
    NEXT;
}

VEC_INLINE const struct wave_op *store_or(struct wave *w, const struct wave_op *o, enum mode mode, unsigned halves, unsigned words, wave_fn next)
{
    uint8_t *line = __builtin_expect(is_full(w, o, halves), 1) ? whole_line(w, o, mode, halves, words * WORD) : NULL;
    if (__builtin_expect(!line, 0))
        return next(w, o);
    if (words == MAX_RECORD && __builtin_expect(is_stream(w, o, line, halves * 32 * MAX_RECORD * WORD), 0)) {
        w->worker->streamed = true;
        store_line(w, o, line, halves, words, true);
        NEXT;
    }
    expect_more(line, halves * 32 * words * WORD, true);
    store_line(w, o, line, halves, words, false);
    NEXT;
}

enum { MAX_ROWS = 64 / ROW };

VEC_INLINE const struct wave_op *load_rows_or(struct wave *w, const struct wave_op *o, enum mode mode, unsigned halves, wave_fn next)
{
    uint8_t *rows[MAX_ROWS];
    if (!is_full(w, o, halves) || !are_rows(w, o, mode, halves) || !find_rows(w, o, mode, halves, rows))
        return next(w, o);
    for (unsigned r = 0; r < halves * 32 / ROW; r++)
        vec_load_row((char *)w + o->d + r * ROW * WORD, rows[r]);
    NEXT;
}

VEC_INLINE const struct wave_op *store_rows_or(struct wave *w, const struct wave_op *o, enum mode mode, unsigned halves, wave_fn next)
{
    uint8_t *rows[MAX_ROWS];
    if (!is_full(w, o, halves) || !are_rows(w, o, mode, halves) || !find_rows(w, o, mode, halves, rows))
        return next(w, o);
    for (unsigned r = 0; r < halves * 32 / ROW; r++)
        vec_store_row(rows[r], (const char *)w + o->x + r * ROW * WORD);
    NEXT;
}

/* Bytes and half-words. A gather takes whole words, so lanes near the run's end go the other way. */
VEC_INLINE vu32 extend(vu32 value, unsigned bytes, bool is_signed)
{
    unsigned shift = 32 - bytes * 8;
    return is_signed ? (vu32)((vi32)(value << shift) >> (int)shift) : value << shift >> shift;
}

VEC_INLINE const struct wave_op *load_narrow(struct wave *w, const struct wave_op *o, enum mode mode)
{
    const struct ir_access *access = o->aux;
    uint64_t mask = wave_mask_lanes(w, o);
    const unsigned bytes = access->bytes;
    struct plan p;
    if (!mask)
        NEXT;
    if (__builtin_expect(!make_plan(mode, w, o, access, (unsigned)__builtin_ctzll(mask), bytes, false, false, &p), 0))
        return wave_load_lanes(w, o, ~UINT64_C(0));
    /* Offsets at which a whole word can be read; a swizzled place lies within one. */
    uint32_t room = p.swizzled || p.last + bytes < WORD ? 0 : p.last + bytes - WORD;
    EACH_VECTOR {
        uint32_t bits = mask_bits(w, o, n);
        if (!bits)
            continue;
        struct lanes lanes = find_lanes(mode, w, o, access, &p, n, bits, bytes);
        if (__builtin_expect(lanes.other, 0))
            return wave_load_lanes(w, o, lanes_from(n));
        vu32 v = {0};
        if (lanes.use) {
            struct pattern pattern = pattern_of(lanes.at, lanes.use, bytes);
            if (p.swizzled) {
                vu32 inside = lanes.at & 3u;
                v = vec_gather(p.host, lanes.at - inside, lanes.use) >> (inside << 3);
            } else if (pattern.line && lanes.use == VEC_ALL) {
                v = vec_load_narrow(p.host + pattern.base, bytes);
            } else if (!(lanes.use & ~vec_le(lanes.at, vec_splat(room)))) {
                v = vec_gather(p.host, lanes.at, lanes.use);
            } else {
                return wave_load_lanes(w, o, lanes_from(n));
            }
        }
        v = only(mode, extend(v, bytes, access->flags & IR_AC_SIGNED), lanes.use);
        if (access->flags & (IR_AC_D16 | IR_AC_D16_HI)) {
            vu32 old = slot(w, o->d, n);
            v = access->flags & IR_AC_D16 ? (old & 0xffff0000u) | (v & 0xffffu) : (old & 0xffffu) | v << 16;
        }
        merge(w, o->d, n, v, bits);
    }
    NEXT;
}

VEC_INLINE const struct wave_op *store_narrow(struct wave *w, const struct wave_op *o, enum mode mode)
{
    const struct ir_access *access = o->aux;
    uint64_t mask = wave_mask_lanes(w, o);
    const unsigned bytes = access->bytes;
    struct plan p;
    if (!mask)
        NEXT;
    if (__builtin_expect(!make_plan(mode, w, o, access, (unsigned)__builtin_ctzll(mask), bytes, true, false, &p), 0))
        return wave_store_lanes(w, o, ~UINT64_C(0));
    EACH_VECTOR {
        uint32_t bits = mask_bits(w, o, n);
        if (!bits)
            continue;
        struct lanes lanes = find_lanes(mode, w, o, access, &p, n, bits, bytes);
        if (__builtin_expect(lanes.other, 0))
            return wave_store_lanes(w, o, lanes_from(n));
        if (!lanes.use)
            continue;
        vu32 v = slot(w, o->x, n);
        if (access->flags & IR_AC_D16_HI)
            v >>= 16;
        struct pattern pattern = pattern_of(lanes.at, lanes.use, bytes);
        if (pattern.line && lanes.use == VEC_ALL) {
            vec_store_narrow(p.host + pattern.base, v, bytes);
            continue;
        }
        for (uint32_t left = lanes.use; left; left &= left - 1) {
            unsigned i = (unsigned)__builtin_ctz(left);
            uint8_t *to = p.host + lanes.at[i];
            uint32_t value = v[i];
            if (bytes == 1)
                *to = (uint8_t)value;
            else
                memcpy(to, &value, 2);
        }
    }
    NEXT;
}

/* Two elements of the local share; the plan is the first's, the second lies `apart` from it. */
VEC_INLINE bool plan_two(struct wave *w, const struct ir_access *access, uint32_t bytes, struct plan *p, struct plan *q)
{
    *p = (struct plan){.step = WORD};
    if (!plan_lds(w, access, bytes, p))
        return false;
    *q = *p;
    q->add = (uint32_t)access->offset1;
    return true;
}

VEC_INLINE const struct wave_op *load_two(struct wave *w, const struct wave_op *o, unsigned words)
{
    const struct ir_access *access = o->aux;
    struct plan p, q;
    if (!wave_mask_lanes(w, o))
        NEXT;
    if (__builtin_expect(!plan_two(w, access, words * WORD, &p, &q), 0))
        return wave_load_lanes(w, o, ~UINT64_C(0));
    EACH_VECTOR {
        uint32_t bits = mask_bits(w, o, n);
        if (!bits)
            continue;
        struct lanes one = find_lanes(LDS, w, o, access, &p, n, bits, words * WORD);
        struct lanes two = find_lanes(LDS, w, o, access, &q, n, bits, words * WORD);
        if (__builtin_expect(one.other | two.other, 0))
            return wave_load_lanes(w, o, lanes_from(n));
        vu32 v[MAX_RECORD] = {{0}};
        load_record(&p, one.at, bits, words, v);
        load_record(&q, two.at, bits, words, v + words);
        for (unsigned k = 0; k < words * 2; k++)
            merge(w, o->d + k * w->stride, n, v[k], bits);
    }
    NEXT;
}

VEC_INLINE const struct wave_op *store_two(struct wave *w, const struct wave_op *o, unsigned words)
{
    const struct ir_access *access = o->aux;
    struct plan p, q;
    if (!wave_mask_lanes(w, o))
        NEXT;
    if (__builtin_expect(!plan_two(w, access, words * WORD, &p, &q), 0))
        return wave_store_lanes(w, o, ~UINT64_C(0));
    EACH_VECTOR {
        uint32_t bits = mask_bits(w, o, n);
        if (!bits)
            continue;
        struct lanes one = find_lanes(LDS, w, o, access, &p, n, bits, words * WORD);
        struct lanes two = find_lanes(LDS, w, o, access, &q, n, bits, words * WORD);
        if (__builtin_expect(one.other | two.other, 0))
            return wave_store_lanes(w, o, lanes_from(n));
        vu32 v[MAX_RECORD];
        for (unsigned k = 0; k < words; k++) {
            v[k] = slot(w, o->x + k * w->stride, n);
            v[words + k] = slot(w, o->imm + k * w->stride, n);
        }
        store_record(&p, one.at, bits, words, v);
        store_record(&q, two.at, bits, words, v + words);
    }
    NEXT;
}

/* what: the operation where it is fixed (IR_A_ADD), IR_A_NONE to take it from the access. */
VEC_INLINE uint64_t atomic_one(struct wave *w, const struct ir_access *access, bool local, enum ir_atomic what, unsigned bytes, uint8_t *host,
                               uint64_t data, uint64_t data2)
{
    enum ir_atomic operation = what ? what : (enum ir_atomic)access->atomic;
    if (local) { /* of this thread alone */
        uint64_t old = bytes == 8 ? get64(host) : get32(host), result;
        bool flush = bytes == 8 ? wave_flushes64(w) : wave_flushes32(w);
        switch (operation) { /* the usual ones without a call */
        case IR_A_ADD: result = old + data; break;
        case IR_A_UMIN: result = data < old ? data : old; break;
        case IR_A_UMAX: result = data > old ? data : old; break;
        case IR_A_AND: result = old & data; break;
        case IR_A_OR: result = old | data; break;
        case IR_A_XOR: result = old ^ data; break;
        case IR_A_SWAP: result = data; break;
        default: result = wave_atomic_result(operation, bytes, old, data, data2, flush); break;
        }
        if (bytes == 8)
            put64(host, result);
        else
            put32(host, (uint32_t)result);
        return old;
    }
    if (what == IR_A_ADD && bytes == 4)
        return __atomic_fetch_add((uint32_t *)(void *)host, (uint32_t)data, __ATOMIC_SEQ_CST);
    return wave_atomic_guest(operation, bytes, host, data, data2);
}

VEC_INLINE uint64_t lane_data(struct wave *w, uint32_t offset, unsigned lane, unsigned bytes)
{
    uint64_t low = wave_at(w, offset)[lane];
    return bytes == 8 ? low | (uint64_t)wave_at(w, offset + w->stride)[lane] << 32 : low;
}

/* Sums of lanes of `use` that add to one word go there together, by the first of them: the order of additions is nobody's business, and the word
 * may be another core's. Returns the lanes that are left; x holds what they add. Costs little beside a single atomic. */
enum { HOST_LINE = 64 };

VEC_INLINE uint32_t combine_adds(vu32 at, uint32_t use, vu32 *x)
{
    if (!(use & ~vec_eq(at, vec_lane(at, (unsigned)__builtin_ctz(use))))) {
        uint32_t sum = 0;
        for (uint32_t left = use; left; left &= left - 1)
            sum += (*x)[__builtin_ctz(left)];
        (*x)[__builtin_ctz(use)] = sum;
        return use & -use;
    }
#if VEC_BYTES == 64
    /* For each lane, the lanes before it that have its place. */
    vu32 before = (vu32)_mm512_conflict_epi32((__m512i)at) & use;
    for (uint32_t again = use & vec_ne(before, vec_splat(0)); again;) {
        unsigned last = 31u - (unsigned)__builtin_clz(again);
        (*x)[31 - __builtin_clz(before[last])] += (*x)[last];
        again ^= 1u << last;
        use ^= 1u << last;
    }
#endif
    return use;
}

VEC_INLINE const struct wave_op *atomic_lanes(struct wave *w, const struct wave_op *o, enum mode mode, enum ir_atomic what, unsigned bytes,
                                              bool returns)
{
    const struct ir_access *access = o->aux;
    uint64_t mask = wave_mask_lanes(w, o);
    const uint32_t second = mode == LDS ? o->imm : o->x + bytes / WORD * w->stride;
    struct plan p;
    bool local = mode == LDS;
    if (!mask)
        NEXT;
    if (__builtin_expect(!make_plan(mode, w, o, access, (unsigned)__builtin_ctzll(mask), bytes, true, true, &p), 0) || p.swizzled)
        return wave_atomic_lanes(w, o, ~UINT64_C(0));
    if (mode == FLAT)
        local = p.aperture == SHARED;
    EACH_VECTOR {
        uint32_t bits = mask_bits(w, o, n);
        if (!bits)
            continue;
        struct lanes lanes = find_lanes(mode, w, o, access, &p, n, bits, bytes);
        vu32 misaligned = (lanes.at + (uint32_t)(uintptr_t)p.host) & (bytes - 1);
        if (__builtin_expect(lanes.other | (lanes.use & ~vec_eq(misaligned, vec_splat(0))), 0))
            return wave_atomic_lanes(w, o, lanes_from(n));
        if (what == IR_A_ADD && !returns && !local && lanes.use) {
            vu32 x = slot(w, o->x, n);
            const vu32 line = (lanes.at + (uint32_t)(uintptr_t)p.host) / HOST_LINE;
            for (uint32_t left = combine_adds(lanes.at, lanes.use, &x); left;) {
                uint32_t together = left & vec_eq(line, vec_lane(line, (unsigned)__builtin_ctz(left)));
                left ^= together;
                for (; together; together &= together - 1) {
                    unsigned i = (unsigned)__builtin_ctz(together);
                    __atomic_fetch_add((uint32_t *)(void *)(p.host + lanes.at[i]), x[i], __ATOMIC_SEQ_CST);
                }
            }
            continue;
        }
        vu32 low = {0}, high = {0};
        for (uint32_t left = lanes.use; left; left &= left - 1) {
            unsigned i = (unsigned)__builtin_ctz(left), lane = n * VEC_LANES + i;
            uint64_t data2 = what == IR_A_NONE && second ? lane_data(w, second, lane, bytes) : 0;
            uint64_t old = atomic_one(w, access, local, what, bytes, p.host + lanes.at[i], lane_data(w, o->x, lane, bytes), data2);
            if (returns) {
                low[i] = (uint32_t)old;
                high[i] = (uint32_t)(old >> 32);
            }
        }
        if (returns) {
            merge(w, o->d, n, low, bits);
            if (bytes == 8)
                merge(w, o->d + w->stride, n, high, bits);
        }
    }
    NEXT;
}

#define HANDLER_BODY(name, body) BASE_RACY const struct wave_op *name(struct wave *w, const struct wave_op *o) { return body; }
#define HANDLER(name, body) static HANDLER_BODY(name, body)
/* line_*: through whole lines first, single words then through rows, then the general handler; one for each wave size. */
#define LINE_HANDLER(mode, size, what, words, next) HANDLER(line_##what##_##words##_##mode##_##size, what##_or(w, o, mode, size / 32, words, next))
#define ROW_HANDLER(mode, size, what) \
    static __attribute__((noinline)) HANDLER_BODY(rows_##what##_##mode##_##size, what##_rows_or(w, o, mode, size / 32, what##_1_##mode))
#define LINE_HANDLERS(mode, size) \
    ROW_HANDLER(mode, size, load) ROW_HANDLER(mode, size, store) \
    LINE_HANDLER(mode, size, load, 1, rows_load_##mode##_##size) LINE_HANDLER(mode, size, load, 2, load_2_##mode) \
    LINE_HANDLER(mode, size, load, 4, load_4_##mode) \
    LINE_HANDLER(mode, size, store, 1, rows_store_##mode##_##size) LINE_HANDLER(mode, size, store, 2, store_2_##mode) \
    LINE_HANDLER(mode, size, store, 4, store_4_##mode)
#define MODE_HANDLERS(mode) \
    __attribute__((noinline)) HANDLER(load_1_##mode, load_words(w, o, mode, 1)) \
    __attribute__((noinline)) HANDLER(load_2_##mode, load_words(w, o, mode, 2)) \
    __attribute__((noinline)) HANDLER(load_3_##mode, load_words(w, o, mode, 3)) \
    __attribute__((noinline)) HANDLER(load_4_##mode, load_words(w, o, mode, 4)) \
    HANDLER(load_narrow_##mode, load_narrow(w, o, mode)) \
    __attribute__((noinline)) HANDLER(store_1_##mode, store_words(w, o, mode, 1)) \
    __attribute__((noinline)) HANDLER(store_2_##mode, store_words(w, o, mode, 2)) \
    __attribute__((noinline)) HANDLER(store_3_##mode, store_words(w, o, mode, 3)) \
    __attribute__((noinline)) HANDLER(store_4_##mode, store_words(w, o, mode, 4)) \
    HANDLER(store_narrow_##mode, store_narrow(w, o, mode)) \
    HANDLER(add_##mode, atomic_lanes(w, o, mode, IR_A_ADD, 4, false)) \
    HANDLER(add_return_##mode, atomic_lanes(w, o, mode, IR_A_ADD, 4, true)) \
    HANDLER(atomic_4_##mode, atomic_lanes(w, o, mode, IR_A_NONE, 4, false)) \
    HANDLER(atomic_4_return_##mode, atomic_lanes(w, o, mode, IR_A_NONE, 4, true)) \
    HANDLER(atomic_8_##mode, atomic_lanes(w, o, mode, IR_A_NONE, 8, false)) \
    HANDLER(atomic_8_return_##mode, atomic_lanes(w, o, mode, IR_A_NONE, 8, true))
MODE_HANDLERS(GLOBAL)
MODE_HANDLERS(SADDR)
MODE_HANDLERS(SCALED)
MODE_HANDLERS(FLAT)
MODE_HANDLERS(LDS)
MODE_HANDLERS(SCRATCH)
MODE_HANDLERS(BUFFER)
LINE_HANDLERS(GLOBAL, 32) LINE_HANDLERS(GLOBAL, 64)
LINE_HANDLERS(SADDR, 32) LINE_HANDLERS(SADDR, 64)
LINE_HANDLERS(SCALED, 32) LINE_HANDLERS(SCALED, 64)
LINE_HANDLERS(FLAT, 32) LINE_HANDLERS(FLAT, 64)
HANDLER(load_two_1, load_two(w, o, 1))
HANDLER(load_two_2, load_two(w, o, 2))
HANDLER(store_two_1, store_two(w, o, 1))
HANDLER(store_two_2, store_two(w, o, 2))

/* By mode: words 1 to 4 (narrow at 0), and atomics by width and whether the old value is wanted. */
struct mode_handlers {
    wave_fn load[MAX_RECORD + 1], store[MAX_RECORD + 1], add[2], atomic[2][2];
};

#define MODE_ROW(mode) \
    [mode] = {{load_narrow_##mode, load_1_##mode, load_2_##mode, load_3_##mode, load_4_##mode}, \
              {store_narrow_##mode, store_1_##mode, store_2_##mode, store_3_##mode, store_4_##mode}, \
              {add_##mode, add_return_##mode}, \
              {{atomic_4_##mode, atomic_4_return_##mode}, {atomic_8_##mode, atomic_8_return_##mode}}}
static const struct mode_handlers handlers[MODE_COUNT] = {
    MODE_ROW(GLOBAL), MODE_ROW(SADDR), MODE_ROW(SCALED), MODE_ROW(FLAT), MODE_ROW(LDS), MODE_ROW(SCRATCH), MODE_ROW(BUFFER),
};

/* By mode and halves: one, two and four words. */
#define LINE_ROW(mode, size) \
    {{[1] = line_load_1_##mode##_##size, [2] = line_load_2_##mode##_##size, [4] = line_load_4_##mode##_##size}, \
     {[1] = line_store_1_##mode##_##size, [2] = line_store_2_##mode##_##size, [4] = line_store_4_##mode##_##size}}
static const struct {
    wave_fn load[MAX_RECORD + 1], store[MAX_RECORD + 1];
} lines[FLAT + 1][2] = {
    [GLOBAL] = {LINE_ROW(GLOBAL, 32), LINE_ROW(GLOBAL, 64)}, [SADDR] = {LINE_ROW(SADDR, 32), LINE_ROW(SADDR, 64)},
    [SCALED] = {LINE_ROW(SCALED, 32), LINE_ROW(SCALED, 64)}, [FLAT] = {LINE_ROW(FLAT, 32), LINE_ROW(FLAT, 64)},
};

/* The handler of lines, where there is one: an index must count whole records. */
static wave_fn line_handler(const struct ir_func *func, const struct ir_inst *inst, const struct ir_access *access, enum mode mode)
{
    unsigned words = access->bytes / WORD;
    if (inst->op == IR_atomic || mode > FLAT || (mode == SCALED && access->bytes != 1u << access->scale))
        return NULL;
    return inst->op == IR_load ? lines[mode][func->wave_size == 64].load[words] : lines[mode][func->wave_size == 64].store[words];
}

static bool mode_of(const struct ir_access *access, enum mode *mode)
{
    switch (access->space) {
    case IR_SPACE_GLOBAL:
        *mode = !(access->flags & IR_AC_SADDR) ? GLOBAL : access->scale || (access->flags & IR_AC_SIGNED_LANE) ? SCALED : SADDR;
        return true;
    case IR_SPACE_FLAT: *mode = FLAT; return true;
    case IR_SPACE_LDS: *mode = LDS; return true;
    case IR_SPACE_SCRATCH: *mode = SCRATCH; return true;
    case IR_SPACE_BUFFER: *mode = BUFFER; return true;
    default: return false;
    }
}

static wave_fn two_handler(const struct ir_inst *inst, const struct ir_access *access, enum mode mode)
{
    if (mode != LDS || access->bytes > 8 || inst->op == IR_atomic)
        return NULL;
    bool wide = access->bytes == 8;
    return inst->op == IR_load ? (wide ? load_two_2 : load_two_1) : (wide ? store_two_2 : store_two_1);
}

/* Names a handler for each tier; NULL: no fast path. */
wave_fn TIER(wave_memory_vec_handler)(const struct ir_func *func, const struct ir_inst *inst, unsigned kinds)
{
    (void)kinds;
    if (inst->op == IR_image)
        return TIER(wave_image_vec_handler)(func, inst);
    if (inst->op != IR_load && inst->op != IR_store && inst->op != IR_atomic)
        return NULL;
    const struct ir_access *access = &func->accesses[inst->imm];
    enum mode mode;
    if (!mode_of(access, &mode) || access->flags & (IR_AC_FORMAT | IR_AC_LDS_DMA | IR_AC_TFE | IR_AC_ADDTID | IR_AC_SRC2))
        return NULL;
    const struct mode_handlers *row = &handlers[mode];
    unsigned words = access->bytes / WORD;
    if (access->elements == 2)
        return two_handler(inst, access, mode);
    if (words > MAX_RECORD)
        return NULL;
    bool returns = access->flags & IR_AC_RETURN;
    wave_fn line = line_handler(func, inst, access, mode);
    if (line)
        return line;
    switch (inst->op) {
    case IR_load: return row->load[words];
    case IR_store: return row->store[words];
    default:
        if (access->atomic == IR_A_ADD && words == 1)
            return row->add[returns];
        return words == 1 || words == 2 ? row->atomic[words - 1][returns] : NULL;
    }
}
