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
#elif VEC_BYTES == 32
/* Eight lanes out of a row's two vectors. */
static inline __m256i row_half(__m256i low, __m256i high, uint32_t nibbles)
{
    __m256i index = _mm256_srlv_epi32(_mm256_set1_epi32((int)nibbles), _mm256_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28));
    __m256 l = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(low, index)), h = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(high, index));
    return _mm256_castps_si256(_mm256_blendv_ps(l, h, _mm256_castsi256_ps(_mm256_slli_epi32(index, 28)))); /* by the index's bit 3 */
}

static inline __m256i keep(__m256i values, uint32_t bits) { return _mm256_and_si256(values, (__m256i)vec_from_bits(bits & 0xff)); }

static inline void permute_row(uint32_t *d, const uint32_t *s, uint64_t source, uint32_t from, uint32_t to)
{
    __m256i low = _mm256_loadu_si256((const __m256i_u *)(const void *)s), high = _mm256_loadu_si256((const __m256i_u *)(const void *)(s + 8));
    if (from != 0xffff) {
        low = keep(low, from);
        high = keep(high, from >> 8);
    }
    _mm256_storeu_si256((__m256i_u *)(void *)d, keep(row_half(low, high, (uint32_t)source), to));
    _mm256_storeu_si256((__m256i_u *)(void *)(d + 8), keep(row_half(low, high, (uint32_t)(source >> 32)), to >> 8));
}

static inline uint32_t permute_bits(uint32_t bits, uint64_t source)
{
    __m256i low = (__m256i)vec_from_bits(bits & 0xff), high = (__m256i)vec_from_bits(bits >> 8 & 0xff);
    return vec_bits((vcond)row_half(low, high, (uint32_t)source)) | vec_bits((vcond)row_half(low, high, (uint32_t)(source >> 32))) << 8;
}
#else
static inline void permute_row(uint32_t *d, const uint32_t *s, uint64_t source, uint32_t from, uint32_t to)
{
    if ((from & to) == 0xffff) {
        for (unsigned i = 0; i < ROW; i++, source >>= 4)
            d[i] = s[source & 15];
        return;
    }
    for (unsigned i = 0; i < ROW; i++, source >>= 4)
        d[i] = s[source & 15] & -(from >> (source & 15) & to >> i & 1);
}

static inline uint32_t permute_bits(uint32_t bits, uint64_t source)
{
    uint32_t r = 0;
    for (unsigned i = 0; i < ROW; i++, source >>= 4)
        r |= (bits >> (source & 15) & 1) << i;
    return r;
}
#endif

/* Both rows of a half by one pattern; bit r of rows is the row that row r reads. */
enum { OWN_ROW = 2, OTHER_ROW = 1 };

static inline void permute_rows(uint32_t *d, const uint32_t *s, struct ir_row row, unsigned rows, uint32_t from)
{
    for (unsigned r = 0; r < 2; r++) {
        unsigned at = (rows >> r & 1) * ROW;
        permute_row(d + r * ROW, s + at, row.source, from >> at & 0xffff, row.valid);
    }
}

/* The lanes of a half that read a valid lane of from. */
static inline uint32_t readable(struct ir_row row, unsigned rows, uint32_t from)
{
    uint32_t low = from & 0xffff, high = from >> ROW;
    if (from != ~0u) {
        low = permute_bits(low, row.source);
        high = permute_bits(high, row.source);
    }
    low &= row.valid;
    high &= row.valid;
    return rows == OTHER_ROW ? high | low << ROW : low | high << ROW;
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
        permute_rows(values, lanes_of(w, o->a, o->x & 1, h, room), row, OWN_ROW, from);
        merge(w, o, h, values);
        if (writes_all)
            continue;
        uint32_t valid = o->imm & IR_DPP_BOUND_CTRL ? ~0u : readable(row, OWN_ROW, from);
        wave_at(w, o->e)[h] = exec & valid & ir_dpp_written(o->imm, h);
    }
    WAVE_GO(o + 1);
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
        permute_rows(values, lanes_of(w, o->a, o->x & 1, h, room), row, OWN_ROW, from);
        merge(w, o, h, values);
    }
    return o + 1;
}

/* Lane selects in two scalars, four bits a lane, for every row alike. */
static const struct wave_op *op_permlane16(struct wave *w, const struct wave_op *o)
{
    const struct ir_row row = {*wave_at(w, o->b) | (uint64_t)*wave_at(w, o->c) << 32, 0xffff};
    unsigned rows = o->imm & IR_PERMLANE_OTHER_ROW ? OTHER_ROW : OWN_ROW;
    for (unsigned h = 0; h < w->halves; h++) {
        ROOM(room);
        ROOM(values);
        uint32_t exec = exec_of(w, h), from = o->imm & IR_PERMLANE_FETCH_INACTIVE ? ~0u : exec;
        permute_rows(values, lanes_of(w, o->a, o->x & 1, h, room), row, rows, from);
        merge(w, o, h, values);
        wave_at(w, o->e)[h] = exec & (o->imm & IR_PERMLANE_BOUND_CTRL ? ~0u : readable(row, rows, from));
    }
    return o + 1;
}

/* Any lane of the half: d[i] = s[index[i]], 0 where that lane is not in from. Indices are below 32. */
static inline void permute_half(uint32_t *d, const uint32_t *s, const uint32_t *index, uint32_t from)
{
#if VEC_BYTES == 64
    __m512i low = _mm512_maskz_loadu_epi32((__mmask16)from, s), high = _mm512_maskz_loadu_epi32((__mmask16)(from >> 16), s + ROW);
    for (unsigned r = 0; r < 2; r++)
        _mm512_storeu_si512(d + r * ROW, _mm512_permutex2var_epi32(low, _mm512_loadu_si512(index + r * ROW), high));
#elif VEC_BYTES == 32
    ROOM(active);
    for (unsigned i = 0; i < VEC_COUNT && from != ~0u; i++)
        ((vu32 *)(void *)active)[i] = ((const vu32 *)(const void *)s)[i] & (vu32)vec_from_bits(from >> (i * VEC_LANES) & 0xff);
    const int *base = (const int *)(const void *)(from != ~0u ? active : s);
    for (unsigned i = 0; i < VEC_COUNT; i++)
        ((vu32 *)(void *)d)[i] = (vu32)_mm256_i32gather_epi32(base, ((const __m256i *)(const void *)index)[i], 4);
#else
    for (unsigned i = 0; i < HALF; i++)
        d[i] = s[index[i]] & -(from >> index[i] & 1);
#endif
}

/* Swizzles that lanes of a row make alike: by quads, and by the bits of the lane's number. The others take an index a lane. */
static bool swizzle_rows(uint32_t offset, struct ir_row *row, unsigned *rows)
{
    uint32_t and = offset & 31, or = offset >> 5 & 31, xor = offset >> 10 & 31;
    *row = (struct ir_row){ir_row_quad_perm(offset & 0xff), 0xffff};
    *rows = OWN_ROW;
    if (offset >= IR_SWIZZLE_ROTATE)
        return false;
    if (offset & IR_SWIZZLE_QUAD)
        return true;
    row->source = ((IR_ROW_IDENTITY & (and & 15) * IR_ROW_EACH) | (or & 15) * IR_ROW_EACH) ^ (xor & 15) * IR_ROW_EACH;
    *rows = ((or ^ xor) >> 4 & 1) | (((and | or) ^ xor) >> 4 & 1) << 1;
    return true;
}

static const struct wave_op *op_ds_swizzle(struct wave *w, const struct wave_op *o)
{
    ROOM(index);
    struct ir_row row;
    unsigned rows;
    bool by_rows = swizzle_rows(o->imm & 0xffff, &row, &rows);
    for (unsigned i = 0; i < HALF && !by_rows; i++)
        index[i] = ir_swizzle_source(o->imm & 0xffff, i);
    for (unsigned h = 0; h < w->halves; h++) {
        ROOM(room);
        ROOM(values);
        const uint32_t *from = lanes_of(w, o->a, o->x & 1, h, room);
        if (by_rows)
            permute_rows(values, from, row, rows, exec_of(w, h));
        else
            permute_half(values, from, index, exec_of(w, h));
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
#if VEC_BYTES == 64
        for (unsigned r = 0; r < 2; r++) { /* a scatter stores in the order of lanes */
            __m512i to = _mm512_add_epi32(_mm512_loadu_si512(address + r * ROW), _mm512_set1_epi32((int)o->imm));
            to = _mm512_and_si512(_mm512_srli_epi32(to, 2), _mm512_set1_epi32(31));
            _mm512_mask_i32scatter_epi32(values, (__mmask16)(exec >> (r * ROW)), to, _mm512_loadu_si512(data + r * ROW), 4);
        }
#else
        for (unsigned i = 0; i < HALF; i++)
            if (exec >> i & 1)
                values[(address[i] + o->imm) >> 2 & 31] = data[i];
#endif
        merge(w, o, h, values);
    }
    return o + 1;
}

static inline vu32 popcount(vu32 x)
{
    x -= x >> 1 & 0x55555555u;
    x = (x & 0x33333333u) + (x >> 2 & 0x33333333u);
    x = (x + (x >> 4)) & 0x0f0f0f0fu;
    x += x >> 8;
    return (x + (x >> 16)) & 0x3fu;
}

/* The lanes before each one whose bit is set in its mask word; the low word counts for lanes 0-31, the high one for 32-63. */
static const struct wave_op *op_mbcnt(struct wave *w, const struct wave_op *o)
{
#define BEFORE4(i) (1u << (i)) - 1, (2u << (i)) - 1, (4u << (i)) - 1, (8u << (i)) - 1
    static const uint32_t before[HALF] __attribute__((aligned(64))) = {
        BEFORE4(0), BEFORE4(4), BEFORE4(8), BEFORE4(12), BEFORE4(16), BEFORE4(20), BEFORE4(24), BEFORE4(28)};
    for (unsigned h = 0; h < w->halves; h++) {
        ROOM(room);
        ROOM(add_room);
        ROOM(values);
        const vu32 *bits = (const vu32 *)(const void *)lanes_of(w, o->a, o->x & 1, h, room);
        const vu32 *add = (const vu32 *)(const void *)lanes_of(w, o->b, o->x & 2, h, add_room);
        for (unsigned i = 0; i < VEC_COUNT; i++) {
            vu32 counted = h == o->imm ? ((const vu32 *)(const void *)before)[i] : vec_splat(h > o->imm ? ~0u : 0);
            ((vu32 *)(void *)values)[i] = add[i] + popcount(bits[i] & counted);
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
    WAVE_GO(o + 1);
}

static const struct wave_op *op_readfirstlane(struct wave *w, const struct wave_op *o)
{
    uint64_t exec = exec_of(w, 0) | (w->halves == 2 ? (uint64_t)exec_of(w, 1) << HALF : 0);
    unsigned lane = exec && (o->x & 1) ? (unsigned)__builtin_ctzll(exec) : 0;
    *wave_at(w, o->d) = wave_at(w, o->a)[lane];
    WAVE_GO(o + 1);
}

static const struct wave_op *op_writelane(struct wave *w, const struct wave_op *o)
{
    uint32_t lane = *wave_at(w, o->b) & (w->halves * HALF - 1);
    wave_at(w, o->d)[lane] = *wave_at(w, o->a);
    WAVE_GO(o + 1);
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
