/* Data formats: components of elements in memory to and from registers, as image/image_format.c has them, in integers: a host's
 * divisions and conversions need not be exact. A format is a row (FORMAT_ROW); 0 is none. */
#define ROW_NUMBER(row) ((row) >> 29)
#define ROW_BYTES(row) ((row) >> 24 & 31u)
#define ROW_BITS(row, n) ((row) >> (6u * (n)) & 63u)

/* The unified format of that number. Formats whose components are as wide follow each other by number type, which a row has on top. */
u32 format_row(U32 number_)
{
    u32 r = 0u;
#define G(first, type, bytes, x, y, z, w) r = number_ >= first##u ? FORMAT_ROW(N_##type, bytes, x, y, z, w) - (first##u << 29) : r;
#include "shared_formats.def"
#undef G
    return number_ == 0u || number_ > LAST_FORMAT ? 0u : r + (number_ << 29);
}
bool is_integer(U32 row) { return ROW_NUMBER(row) == N_UINT || ROW_NUMBER(row) == N_SINT; }

u32 ones(U32 bits) { return ~0u >> (32u - bits); } /* 1 to 32 */

/* code / ones(bits), 1 to 24 bits, rounded to nearest: the quotient repeats the code's bits for ever, so there are no ties. */
u32 fraction_value(U32 code, U32 bits)
{
    u32 zeros = clz32(code) - (32u - bits);
    u32 p = ((code << zeros | code >> (bits - zeros)) & ones(bits)) << (32u - bits);
    p |= p >> bits;
    p |= p >> min(2u * bits, 31u);
    p |= p >> min(4u * bits, 31u);
    p |= p >> min(8u * bits, 31u);
    p |= p >> min(16u * bits, 31u);
    u32 r = ((125u - zeros) << 23) + (p >> 8) + (p >> 7 & 1u);
    return code == 0u ? 0u : r;
}
/* A float without sign with 5 bits of exponent and so many of mantissa, widened; a NaN keeps its payload. */
u32 widen_small(U32 code, U32 mantissa_bits)
{
    u32 mantissa = code & ones(mantissa_bits), exponent = code >> mantissa_bits & 31u, up = 23u - mantissa_bits;
    u32 top = 31u - clz32(mantissa | 1u); /* of a denormal */
    u32 denormal = ((top + 113u - mantissa_bits) << 23) + (mantissa << (23u - top) & 0x7fffffu);
    u32 r = exponent == 0u ? denormal : (exponent + 112u) << 23 | mantissa << up;
    r = exponent == 31u ? 0x7f800000u | mantissa << up : r;
    return exponent == 0u && mantissa == 0u ? 0u : r;
}
u32 widen_half(U32 half_) { return widen_small(half_ & 0x7fffu, 10u) | (half_ & 0x8000u) << 16; }
/* The reverse, to nearest even; a NaN becomes a quiet one. */
u32 narrow_small(U32 magnitude, U32 mantissa_bits)
{
    u32 drop = 23u - mantissa_bits, infinity = 31u << mantissa_bits;
    i32 exponent = i32(magnitude >> 23) - 112;
    u32 mantissa = (magnitude & 0x7fffffu) | (magnitude >> 23 != 0u ? 0x800000u : 0u);
    i32 down = exponent <= 0 ? min(1 - exponent, 25) : 0;
    u32 shift = min(drop + u32(down), 31u);
    u32 kept = mantissa >> shift, rest = mantissa & ((1u << shift) - 1u), half_ = 1u << (shift - 1u);
    kept += rest > half_ || (rest == half_ && (kept & 1u) != 0u) ? 1u : 0u;
    u32 r = (u32(max(exponent, 1) - 1) << mantissa_bits) + kept;
    r = exponent >= 31 ? infinity : r;
    return magnitude > 0x7f800000u ? infinity | 1u << (mantissa_bits - 1u) | (magnitude & 0x7fffffu) >> drop : r;
}
u32 narrow_half(U32 single) { return narrow_small(single & 0x7fffffffu, 10u) | (single >> 16 & 0x8000u); }

/* x * ones(bits), x of 0 to 1, to nearest even; more counts as 1, a NaN as 0. */
u32 fraction_code(U32 x, U32 bits)
{
    u32 exponent = x >> 23, shift = clamp(150u - exponent, 24u, 49u);
    u64 product = u64((x & 0x7fffffu) | 0x800000u) * u64(ones(bits)), rest = product & ((ONE64 << shift) - ONE64), half_ = ONE64 << (shift - 1u);
    u32 r = u32(product >> shift);
    r += rest > half_ || (rest == half_ && (r & 1u) != 0u) ? 1u : 0u;
    return x > 0x7f800000u || exponent < 101u ? 0u : x >= 0x3f800000u ? ones(bits) : r;
}

u32 component_load(U32 number_, U32 bits, U32 code)
{
    u32 up = 32u - bits;
    i32 value = i32(code << up) >> up;
    bool negative = value < 0;
    u32 top = ones(max(bits, 2u) - 1u);
    if (number_ == N_UNORM)
        return fraction_value(code, min(bits, 24u));
    if (number_ == N_SNORM)
        return fraction_value(min(u32(abs(value)), top), min(max(bits, 2u) - 1u, 24u)) | (negative ? 0x80000000u : 0u);
    if (number_ == N_USCALED)
        return as_u32(float(code));
    if (number_ == N_SSCALED)
        return as_u32(float(value));
    if (number_ == N_SINT)
        return u32(value);
    if (number_ == N_FLOAT && bits < 32u)
        return bits == 16u ? widen_half(code) : widen_small(code, bits - 5u);
    return code;
}
u32 component_store(U32 number_, U32 bits, U32 value)
{
    u32 magnitude = value & 0x7fffffffu;
    bool negative = (value >> 31) != 0u, not_number = magnitude > 0x7f800000u;
    u32 top = ones(max(bits, 2u) - 1u);
    i32 most = i32(top), integer = i32(value);
    if (number_ == N_UNORM)
        return negative ? 0u : fraction_code(value, bits);
    if (number_ == N_SNORM) {
        u32 r = fraction_code(magnitude, max(bits, 2u) - 1u);
        return negative ? 0u - r : r;
    }
    if (number_ == N_USCALED)
        return negative || not_number ? 0u : magnitude >= as_u32(float(ones(bits))) ? ones(bits) : u32(as_f32(magnitude));
    if (number_ == N_SSCALED) {
        u32 r = not_number ? 0u : magnitude >= as_u32(float(top)) ? top + (negative && magnitude >= as_u32(float(top) + 1.0) ? 1u : 0u)
                                                                  : u32(as_f32(magnitude));
        return negative ? 0u - r : r;
    }
    if (number_ == N_UINT)
        return min(value, ones(bits));
    if (number_ == N_SINT)
        return u32(clamp(integer, -most - 1, most));
    if (bits == 16u)
        return narrow_half(value);
    return bits == 32u ? value : negative && !not_number ? 0u : narrow_small(magnitude, bits - 5u);
}

/* The components of an element; those that the format lacks are 0. A component never crosses a word. */
uvec4 texel_load(U32 row, const uvec4 element)
{
    uvec4 r = uvec4(0u);
    u32 at = 0u;
    [[dont_unroll]] for (u32 n = 0u; n < 4u; n++) {
        u32 bits = ROW_BITS(row, n);
        u32 code = word_at(element, at >> 5) >> (at & 31u) & ones(max(bits, 1u));
        r = with_word(r, n, bits == 0u ? 0u : component_load(ROW_NUMBER(row), max(bits, 1u), code));
        at += bits;
    }
    return r;
}
uvec4 texel_store(U32 row, const uvec4 texel)
{
    uvec4 r = uvec4(0u);
    u32 at = 0u;
    [[dont_unroll]] for (u32 n = 0u; n < 4u; n++) {
        u32 bits = ROW_BITS(row, n);
        u32 code = component_store(ROW_NUMBER(row), max(bits, 1u), word_at(texel, n)) & ones(max(bits, 1u));
        r = bits == 0u ? r : with_word(r, at >> 5, code << (at & 31u));
        at += bits;
    }
    return r;
}

/* A descriptor's selects, three bits each. */
#define SELECT(selects, n) ((selects) >> (3u * (n)) & 7u)
uvec4 selected(U32 selects, const uvec4 texel, U32 one)
{
    uvec4 r;
    [[unroll]] for (u32 n = 0u; n < 4u; n++) {
        u32 select = SELECT(selects, n);
        r[n] = select >= 4u ? word_at(texel, select & 3u) : select == 1u ? one : 0u;
    }
    return r;
}
/* The reverse: a component of memory comes from the first of count registers that selects it. */
uvec4 unselected(U32 selects, const uvec4 from, U32 count)
{
    uvec4 r = uvec4(0u);
    [[unroll]] for (u32 k = 0u; k < 4u; k++) {
        u32 n = 3u - k, select = SELECT(selects, n);
        [[unroll]] for (u32 c = 0u; c < 4u; c++)
            r[c] = n < count && select == 4u + c ? from[n] : r[c];
    }
    return r;
}
/* 16-bit components, two to a word. */
u32 to_half(U32 row, U32 value) { return is_integer(row) ? value & 0xffffu : narrow_half(value); }
uvec4 to_halves(U32 row, const uvec4 r)
{
    return uvec4(to_half(row, r.x) | to_half(row, r.y) << 16, to_half(row, r.z) | to_half(row, r.w) << 16, 0u, 0u);
}
u32 from_half(U32 row, U32 half_)
{
    return !is_integer(row) ? widen_half(half_) : ROW_NUMBER(row) == N_SINT ? u32(i32(half_ << 16) >> 16) : half_;
}
uvec4 from_halves(U32 row, U32 low, U32 high)
{
    return uvec4(from_half(row, low & 0xffffu), from_half(row, low >> 16), from_half(row, high & 0xffffu), from_half(row, high >> 16));
}

/* Buffers. An element is in or out as a whole; swizzling takes it apart. */
bool buffer_apart(BUFFER_ARGS, U64 offset, U32 bytes) { return (d1 >> 31) != 0u && (u32(offset) & 3u) + bytes > 4u; }
u32 element_unit(BUFFER_ARGS, U64 offset, U32 bytes)
{
    if (!buffer_apart(BUFFER, offset, bytes))
        return bytes;
    return (u32(offset) & 3u) == 0u && (bytes & 3u) == 0u ? 4u : 1u;
}
uvec4 buffer_load_format(const bool on, BUFFER_ARGS, U32 row, U32 selects, const bool halves, U32 site, U32 lane, SLOT_ARGS)
{
    uvec4 r = uvec4(0u);
    u32 index = index0 + ((d3 >> 23 & 1u) != 0u ? lane : 0u), i = 0u, bytes = ROW_BYTES(row);
    u64 offset = buffer_offset(BUFFER);
    u32 unit = element_unit(BUFFER, offset, bytes);
    bool before = begin_parts();
    if (on && bytes != 0u && !buffer_outside(BUFFER, offset, index, bytes)) {
        do {
            u64 at = buffer_at(BUFFER, offset + u64(i), index);
            uvec4 part = near_load(at, unit, site, lane, slot_hint(SLOT, at, unit, false));
            r = unit == bytes ? part : with_word(r, i >> 2, part.x << (8u * (i & 3u)));
            i += unit;
        } while (i < bytes && !unmapped);
    }
    r = selected(selects, texel_load(row, end_parts(before, r)), is_integer(row) ? 1u : 0x3f800000u);
    return halves ? to_halves(row, r) : r;
}
void buffer_store_format(const bool on, BUFFER_ARGS, U32 row, U32 selects, U32 count, const bool halves, U32 x, U32 y, U32 z, U32 w,
                         U32 site, U32 lane, SLOT_ARGS)
{
    uvec4 from = uvec4(x, y, z, w);
    if (halves)
        from = from_halves(row, x, y);
    uvec4 data = texel_store(row, unselected(selects, from, count));
    u32 index = index0 + ((d3 >> 23 & 1u) != 0u ? lane : 0u), bytes = ROW_BYTES(row);
    u64 offset = buffer_offset(BUFFER);
    u32 unit = element_unit(BUFFER, offset, bytes), n = first_part(unit, bytes);
    bool can = true;
    if (on && bytes != 0u && !buffer_outside(BUFFER, offset, index, bytes)) {
        do {
            u32 i = part_at(n, bytes);
            uvec4 part = unit == bytes ? data : uvec4(word_at(data, i >> 2) >> (8u * (i & 3u)), 0u, 0u, 0u);
            u64 at = buffer_at(BUFFER, offset + u64(i), index);
            can = look_or_store(n < bytes, at, unit, part, site, lane, slot_hint(SLOT, at, unit, true));
            if (n >= bytes)
                slot_mark(true, SLOT, at, unit);
            n += unit;
        } while (n < 2u * bytes && can);
    } else {
        slot_mark(false, SLOT, 0ul, bytes);
    }
}
/* What a V#'s format and selects are. */
u32 buffer_row(U32 d3) { return format_row(d3 >> 12 & 127u); }
u32 buffer_selects(U32 d3) { return d3 & 0xfffu; }
