/* Buffer loads and stores that convert between a format in memory and registers. */
#include <immintrin.h>
#include <string.h>

#include "wave/wave_memory.h"

/* What the conversion is, for the whole wave. */
struct conversion {
    const struct image_buffer_format *format; /* NULL: invalid, nothing is bound */
    uint8_t select[IMAGE_COMPONENTS];         /* enum image_select */
    bool packed;                              /* 16-bit components, two in a register */
};

static struct conversion conversion_of(struct wave *w, const struct wave_op *o, const struct ir_access *access)
{
    struct image_buffer buffer = image_buffer_decode(wave_at(w, o->a));
    bool typed = access->flags & IR_AC_TYPED;
    struct conversion c = {.format = image_buffer_format(typed ? access->format : buffer.format),
                           .packed = access->flags & (IR_AC_D16 | IR_AC_D16_HI)};
    for (unsigned n = 0; n < IMAGE_COMPONENTS; n++)
        c.select[n] = typed ? (uint8_t)(IMAGE_SEL_X + n) : buffer.select[n];
    return c;
}

static uint32_t one_of(const struct conversion *c)
{
    enum { ONE_F32 = 0x3f800000 };
    return c->format && image_format_is_integer(c->format) ? 1 : ONE_F32;
}

static uint32_t selected(const struct conversion *c, const struct image_texel *texel, unsigned n)
{
    unsigned select = c->select[n];
    return select == IMAGE_SEL_1 ? one_of(c) : select >= IMAGE_SEL_X ? texel->c[select - IMAGE_SEL_X] : 0;
}

/* Component n of the lane's data register by its place: words, packed halves, or the high half alone. */
static void put_component(struct wave *w, const struct wave_op *o, const struct conversion *c, unsigned lane, unsigned n,
                          uint32_t value)
{
    const struct ir_access *access = o->aux;
    if (!c->packed) {
        *wave_lane_word(w, o->d, lane, n) = value;
        return;
    }
    bool high = access->flags & IR_AC_D16_HI ? true : n % 2;
    uint32_t *slot = wave_lane_word(w, o->d, lane, n / 2), half = image_half_from_component(c->format, value);
    *slot = high ? (*slot & 0xffffu) | half << 16 : (*slot & 0xffff0000u) | half;
}

static uint32_t get_component(struct wave *w, const struct wave_op *o, const struct conversion *c, unsigned lane, unsigned n)
{
    const struct ir_access *access = o->aux;
    if (!c->packed)
        return *wave_lane_word(w, o->x, lane, n);
    bool high = access->flags & IR_AC_D16_HI ? true : n % 2;
    return image_component_from_half(c->format, (uint16_t)(*wave_lane_word(w, o->x, lane, n / 2) >> (high ? 16 : 0)));
}

static void load_lane(struct wave *w, const struct wave_op *o, const struct conversion *c, unsigned lane)
{
    const struct ir_access *access = o->aux;
    struct wave_pieces pieces;
    uint8_t data[IMAGE_MAX_TEXEL_BYTES] = {0};
    bool mapped = wave_resolve(w, o, lane, false, &pieces);
    if (mapped)
        wave_pieces_read(&pieces, data);
    struct image_texel texel = {{0}};
    /* Nothing read means zeros, not the conversion of zeros. */
    if (mapped && c->format && pieces.piece[0].host)
        texel = image_texel_load(c->format, data);
    if (access->flags & IR_AC_LDS_DMA) {
        uint32_t at = (w->s[IR_M0] & 0xffffu) + (uint32_t)access->offset + lane * 4, value = selected(c, &texel, 0);
        if ((uint64_t)at + 4 <= w->lds_bytes)
            memcpy(w->lds + at, &value, 4);
        else
            wave_report_fault(w, o, WAVE_FAULT_LDS_RANGE, (int)lane, at);
        return;
    }
    for (unsigned n = 0; n < access->elements; n++)
        put_component(w, o, c, lane, n, selected(c, &texel, n));
    unsigned words = c->packed ? (access->elements + 1u) / 2 : access->elements;
    if (access->flags & IR_AC_TFE)
        *wave_lane_word(w, o->d, lane, words) = !mapped;
}

/* Each component of memory takes the register component that a load would put it in; the rest becomes zero. */
static void store_lane(struct wave *w, const struct wave_op *o, const struct conversion *c, unsigned lane)
{
    const struct ir_access *access = o->aux;
    struct wave_pieces pieces;
    if (!c->format || !wave_resolve(w, o, lane, true, &pieces))
        return;
    struct image_texel texel = {{0}};
    for (unsigned n = access->elements; n-- > 0;)
        if (c->select[n] >= IMAGE_SEL_X)
            texel.c[c->select[n] - IMAGE_SEL_X] = get_component(w, o, c, lane, n);
    uint8_t data[IMAGE_MAX_TEXEL_BYTES];
    image_texel_store(c->format, &texel, data);
    wave_pieces_write(&pieces, data);
}

const struct wave_op *wave_op_load_format(struct wave *w, const struct wave_op *o)
{
    const struct conversion c = conversion_of(w, o, o->aux);
    unsigned csr = _mm_getcsr();
    _mm_setcsr(WAVE_DEFAULT_CSR);
    for (uint64_t lanes = wave_mask_lanes(w, o); lanes; lanes &= lanes - 1)
        load_lane(w, o, &c, (unsigned)__builtin_ctzll(lanes));
    _mm_setcsr(csr);
    return o + 1;
}

const struct wave_op *wave_op_store_format(struct wave *w, const struct wave_op *o)
{
    const struct conversion c = conversion_of(w, o, o->aux);
    unsigned csr = _mm_getcsr();
    _mm_setcsr(WAVE_DEFAULT_CSR);
    for (uint64_t lanes = wave_mask_lanes(w, o); lanes; lanes &= lanes - 1)
        store_lane(w, o, &c, (unsigned)__builtin_ctzll(lanes));
    _mm_setcsr(csr);
    return o + 1;
}
