/* Operations across lanes: DPP, permutes, swizzles, lane counts and relative registers. Built once for each tier. */
#include <string.h>

#include "ir/ir_lanes.h"
#include "wave/wave_internal.h"
#include "wave/wave_vec.h"

enum { HALF = 32, ROW = 16 }; /* lanes */

static inline uint32_t *half_at(struct wave *w, uint32_t offset, unsigned h) { return wave_at(w, offset) + h * HALF; }
static inline uint32_t exec_of(const struct wave *w, unsigned h) { return w->s[IR_EXEC + h]; }

/* A source as 32 words: the half of a V slot itself, or a uniform spread into room. */
static inline const uint32_t *lanes_of(struct wave *w, uint32_t offset, bool lane, unsigned h, uint32_t *room)
{
    if (lane)
        return half_at(w, offset, h);
    for (unsigned i = 0; i < HALF; i++)
        room[i] = *wave_at(w, offset);
    return room;
}

/* The half's lanes of mask o->m become values. */
static inline void merge(struct wave *w, const struct wave_op *o, unsigned h, const uint32_t *values)
{
    uint32_t mask = wave_at(w, o->m)[h];
    char *d = (char *)half_at(w, o->d, h);
    for (unsigned i = 0; i < VEC_COUNT; i++)
        vec_merge(d + i * VEC_BYTES, *(const vu32 *)(const void *)(values + i * VEC_LANES), mask >> (i * VEC_LANES));
}

#define ROOM(name) uint32_t name[HALF] __attribute__((aligned(64)))

/* Rows: d[i] = s[nibble i of source], or 0 where bit i of to is clear or the lane read is not in from. */
#if VEC_BYTES == 64
static inline __m512i row_index(uint64_t source)
{
    const __m512i shifts = _mm512_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28, 0, 4, 8, 12, 16, 20, 24, 28);
    __m512i halves = _mm512_mask_set1_epi32(_mm512_set1_epi32((int)(uint32_t)source), 0xff00, (int)(uint32_t)(source >> 32));
    return _mm512_srlv_epi32(halves, shifts); /* the permute looks at four bits */
}

static inline void permute_row(uint32_t *d, const uint32_t *s, uint64_t source, uint32_t from, uint32_t to)
{
    __m512i values = _mm512_maskz_loadu_epi32((__mmask16)from, s);
    _mm512_storeu_si512(d, _mm512_maskz_permutexvar_epi32((__mmask16)to, row_index(source), values));
}

/* Which lanes of a row read one of bits. */
static inline uint32_t permute_bits(uint32_t bits, uint64_t source)
{
    __m512i set = _mm512_maskz_set1_epi32((__mmask16)bits, -1);
    return _mm512_movepi32_mask(_mm512_permutexvar_epi32(row_index(source), set));
}
#else
static inline uint32_t permute_bits(uint32_t bits, uint64_t source)
{
    uint32_t r = 0;
    for (unsigned i = 0; i < ROW; i++)
        r |= (bits >> (source >> (4 * i) & 15) & 1) << i;
    return r;
}

#if VEC_BYTES == 32
/* Eight lanes out of a row's two vectors. */
static inline __m256i row_half(__m256i low, __m256i high, uint32_t nibbles, __m256i keep)
{
    __m256i index = _mm256_srlv_epi32(_mm256_set1_epi32((int)nibbles), _mm256_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28));
    __m256i l = _mm256_permutevar8x32_epi32(low, index), h = _mm256_permutevar8x32_epi32(high, index);
    __m256i upper = _mm256_slli_epi32(index, 28); /* bit 3 to the sign */
    return _mm256_and_si256(_mm256_castps_si256(_mm256_blendv_ps(_mm256_castsi256_ps(l), _mm256_castsi256_ps(h), _mm256_castsi256_ps(upper))), keep);
}

static inline void permute_row(uint32_t *d, const uint32_t *s, uint64_t source, uint32_t from, uint32_t to)
{
    __m256i low = _mm256_loadu_si256((const __m256i_u *)(const void *)s), high = _mm256_loadu_si256((const __m256i_u *)(const void *)(s + 8));
    if (from != 0xffff) {
        low = _mm256_and_si256(low, (__m256i)vec_from_bits(from & 0xff));
        high = _mm256_and_si256(high, (__m256i)vec_from_bits(from >> 8));
    }
    _mm256_storeu_si256((__m256i_u *)(void *)d, row_half(low, high, (uint32_t)source, (__m256i)vec_from_bits(to & 0xff)));
    _mm256_storeu_si256((__m256i_u *)(void *)(d + 8), row_half(low, high, (uint32_t)(source >> 32), (__m256i)vec_from_bits(to >> 8)));
}
#else
static inline void permute_row(uint32_t *d, const uint32_t *s, uint64_t source, uint32_t from, uint32_t to)
{
    for (unsigned i = 0; i < ROW; i++) {
        unsigned lane = source >> (4 * i) & 15;
        d[i] = (from >> lane & to >> i & 1) ? s[lane] : 0;
    }
}
#endif
#endif

/* Both rows of a half by one pattern; row r reads row r ^ other. */
static inline void permute_rows(uint32_t *d, const uint32_t *s, struct ir_row row, unsigned other, uint32_t from)
{
    for (unsigned r = 0; r < 2; r++)
        permute_row(d + r * ROW, s + (r ^ other) * ROW, row.source, from >> ((r ^ other) * ROW) & 0xffff, row.valid);
}

/* The lanes of a half that read a valid lane of from. */
static inline uint32_t readable(struct ir_row row, unsigned other, uint32_t from)
{
    uint32_t low = from & 0xffff, high = from >> ROW;
    if (from != ~0u) {
        low = permute_bits(low, row.source);
        high = permute_bits(high, row.source);
    }
    low &= row.valid;
    high &= row.valid;
    return other ? high | low << ROW : low | high << ROW;
}

/* DPP. A lane that is outside the row, or inactive when inactive lanes are not to be fetched, reads as 0; without bound_ctrl
 * who reads it is not written at all. */
static inline const struct wave_op *dpp(struct wave *w, const struct wave_op *o, bool writes_all)
{
    const struct ir_row row = ir_dpp_row(o->imm & IR_DPP_CTRL);
    for (unsigned h = 0; h < w->halves; h++) {
        ROOM(room);
        ROOM(values);
        uint32_t exec = exec_of(w, h), from = o->imm & IR_DPP_FETCH_INACTIVE ? ~0u : exec;
        permute_rows(values, lanes_of(w, o->a, o->x & 1, h, room), row, 0, from);
        merge(w, o, h, values);
        if (writes_all)
            continue;
        uint32_t valid = o->imm & IR_DPP_BOUND_CTRL ? ~0u : readable(row, 0, from);
        wave_at(w, o->e)[h] = exec & valid & ir_dpp_written(o->imm, h);
    }
    return (o + 1)->fn(w, o + 1);
}

static const struct wave_op *op_dpp(struct wave *w, const struct wave_op *o) { return dpp(w, o, false); }
static const struct wave_op *op_dpp_all(struct wave *w, const struct wave_op *o) { return dpp(w, o, true); }

static const struct wave_op *op_dpp8(struct wave *w, const struct wave_op *o)
{
    const struct ir_row row = {ir_row_dpp8(o->imm), 0xffff};
    for (unsigned h = 0; h < w->halves; h++) {
        ROOM(room);
        ROOM(values);
        uint32_t from = o->imm & IR_DPP8_FETCH_INACTIVE ? ~0u : exec_of(w, h);
        permute_rows(values, lanes_of(w, o->a, o->x & 1, h, room), row, 0, from);
        merge(w, o, h, values);
    }
    return o + 1;
}

/* Lane selects in two scalars, four bits a lane, for every row alike. */
static const struct wave_op *op_permlane16(struct wave *w, const struct wave_op *o)
{
    const struct ir_row row = {*wave_at(w, o->b) | (uint64_t)*wave_at(w, o->c) << 32, 0xffff};
    unsigned other = o->imm & IR_PERMLANE_OTHER_ROW ? 1 : 0;
    for (unsigned h = 0; h < w->halves; h++) {
        ROOM(room);
        ROOM(values);
        uint32_t exec = exec_of(w, h), from = o->imm & IR_PERMLANE_FETCH_INACTIVE ? ~0u : exec;
        permute_rows(values, lanes_of(w, o->a, o->x & 1, h, room), row, other, from);
        merge(w, o, h, values);
        wave_at(w, o->e)[h] = exec & (o->imm & IR_PERMLANE_BOUND_CTRL ? ~0u : readable(row, other, from));
    }
    return o + 1;
}

/* Any lane of the half: d[i] = s[index[i]], 0 where that lane is not in from. */
static inline void permute_half(uint32_t *d, const uint32_t *s, const uint32_t *index, uint32_t from)
{
#if VEC_BYTES == 64
    __m512i low = _mm512_maskz_loadu_epi32((__mmask16)from, s), high = _mm512_maskz_loadu_epi32((__mmask16)(from >> 16), s + ROW);
    for (unsigned r = 0; r < 2; r++)
        _mm512_storeu_si512(d + r * ROW, _mm512_permutex2var_epi32(low, _mm512_loadu_si512(index + r * ROW), high));
#else
    for (unsigned i = 0; i < HALF; i++)
        d[i] = from >> (index[i] & 31) & 1 ? s[index[i] & 31] : 0;
#endif
}

static const struct wave_op *op_ds_swizzle(struct wave *w, const struct wave_op *o)
{
    ROOM(index);
    for (unsigned i = 0; i < HALF; i++)
        index[i] = ir_swizzle_source(o->imm & 0xffff, i);
    for (unsigned h = 0; h < w->halves; h++) {
        ROOM(room);
        ROOM(values);
        permute_half(values, lanes_of(w, o->a, o->x & 1, h, room), index, exec_of(w, h));
        merge(w, o, h, values);
    }
    return o + 1;
}

static const struct wave_op *op_ds_bpermute(struct wave *w, const struct wave_op *o)
{
    for (unsigned h = 0; h < w->halves; h++) {
        ROOM(room);
        ROOM(data_room);
        ROOM(index);
        ROOM(values);
        const uint32_t *address = lanes_of(w, o->a, o->x & 1, h, room);
        for (unsigned i = 0; i < HALF; i++)
            index[i] = (address[i] + o->imm) >> 2 & 31;
        permute_half(values, lanes_of(w, o->b, o->x & 2, h, data_room), index, exec_of(w, h));
        merge(w, o, h, values);
    }
    return o + 1;
}

/* Lanes that nobody pushes to get 0; of several pushers the highest lane wins. */
static const struct wave_op *op_ds_permute(struct wave *w, const struct wave_op *o)
{
    for (unsigned h = 0; h < w->halves; h++) {
        ROOM(room);
        ROOM(data_room);
        ROOM(values);
        const uint32_t *address = lanes_of(w, o->a, o->x & 1, h, room), *data = lanes_of(w, o->b, o->x & 2, h, data_room);
        uint32_t exec = exec_of(w, h);
        memset(values, 0, sizeof values);
        for (unsigned i = 0; i < HALF; i++)
            if (exec >> i & 1)
                values[(address[i] + o->imm) >> 2 & 31] = data[i];
        merge(w, o, h, values);
    }
    return o + 1;
}

/* The lanes before each one whose bit is set in its mask word; the low word counts for lanes 0-31, the high one for 32-63. */
static const struct wave_op *op_mbcnt(struct wave *w, const struct wave_op *o)
{
    for (unsigned h = 0; h < w->halves; h++) {
        ROOM(room);
        ROOM(add_room);
        ROOM(values);
        const uint32_t *bits = lanes_of(w, o->a, o->x & 1, h, room), *add = lanes_of(w, o->b, o->x & 2, h, add_room);
        for (unsigned i = 0; i < HALF; i++) {
            uint32_t before = h == o->imm ? (1u << i) - 1 : h > o->imm ? ~0u : 0;
            values[i] = add[i] + (uint32_t)__builtin_popcount(bits[i] & before);
        }
        merge(w, o, h, values);
    }
    return o + 1;
}

static const struct wave_op *op_lane_id(struct wave *w, const struct wave_op *o)
{
    for (unsigned h = 0; h < w->halves; h++) {
        ROOM(values);
        for (unsigned i = 0; i < HALF; i++)
            values[i] = h * HALF + i;
        merge(w, o, h, values);
    }
    return o + 1;
}

static const struct wave_op *op_readlane(struct wave *w, const struct wave_op *o)
{
    uint32_t lane = *wave_at(w, o->b) & (w->halves * HALF - 1);
    *wave_at(w, o->d) = wave_at(w, o->a)[o->x & 1 ? lane : 0];
    return (o + 1)->fn(w, o + 1);
}

static const struct wave_op *op_readfirstlane(struct wave *w, const struct wave_op *o)
{
    uint64_t exec = exec_of(w, 0) | (w->halves == 2 ? (uint64_t)exec_of(w, 1) << HALF : 0);
    unsigned lane = exec && (o->x & 1) ? (unsigned)__builtin_ctzll(exec) : 0;
    *wave_at(w, o->d) = wave_at(w, o->a)[lane];
    return (o + 1)->fn(w, o + 1);
}

static const struct wave_op *op_writelane(struct wave *w, const struct wave_op *o)
{
    uint32_t lane = *wave_at(w, o->b) & (w->halves * HALF - 1);
    wave_at(w, o->d)[lane] = *wave_at(w, o->a);
    return (o + 1)->fn(w, o + 1);
}

/* Register imm + index when the wave has it; *there says so. */
static inline uint32_t *relative(struct wave *w, uint32_t imm, uint32_t index, bool *there)
{
    uint64_t number = (uint64_t)imm + index;
    *there = number < w->vgprs;
    return wave_at(w, wave_v_offset(*there ? (unsigned)number : 0, w->stride / 4));
}

static const struct wave_op *op_movrels(struct wave *w, const struct wave_op *o)
{
    bool there;
    const uint32_t *from = relative(w, o->imm, *wave_at(w, o->a), &there);
    for (unsigned h = 0; h < w->halves; h++)
        merge(w, o, h, from + h * HALF);
    return o + 1;
}

static const struct wave_op *op_movreld(struct wave *w, const struct wave_op *o)
{
    bool there;
    uint32_t *to = relative(w, o->imm, *wave_at(w, o->b), &there);
    struct wave_op target = *o;
    target.d = (uint32_t)((char *)to - (char *)w);
    for (unsigned h = 0; h < w->halves && there; h++) {
        ROOM(room);
        merge(w, &target, h, lanes_of(w, o->a, o->x & 1, h, room));
    }
    return o + 1;
}

static const struct wave_op *op_mirror(struct wave *w, const struct wave_op *o)
{
    if (w->halves == 2)
        memcpy(half_at(w, o->d, !o->imm), half_at(w, o->d, o->imm), HALF * sizeof(uint32_t));
    return o + 1;
}

static const wave_fn handlers[IR_OP_COUNT] = {
    [IR_dpp] = op_dpp, [IR_dpp8] = op_dpp8, [IR_permlane16] = op_permlane16,
    [IR_ds_swizzle] = op_ds_swizzle, [IR_ds_permute] = op_ds_permute, [IR_ds_bpermute] = op_ds_bpermute,
    [IR_mbcnt] = op_mbcnt, [IR_lane_id] = op_lane_id,
    [IR_readlane] = op_readlane, [IR_readfirstlane] = op_readfirstlane, [IR_writelane] = op_writelane,
    [IR_movrels] = op_movrels, [IR_movreld] = op_movreld, [IR_mirror] = op_mirror,
};

wave_fn TIER(wave_lane_handler)(const struct ir_inst *inst, unsigned kinds)
{
    (void)kinds;
    if (inst->op == IR_dpp && ir_is_none(inst->dst[1]))
        return op_dpp_all;
    return handlers[inst->op];
}
