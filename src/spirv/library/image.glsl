/* Images by what the host made of their descriptors: where elements lie, texels to and from registers, loads, stores, atomics, sizes. */
#define VIEW_ARGS U32 view_lo, U32 view_hi
#define VIEW view_lo, view_hi
#define V_AT(n) Word(pair64(view_lo, view_hi) + u64(4u * (n))).v
/* Words by fours: on lavapipe a load is much code, whatever it loads. */
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Quad { uvec4 v; };
#define QUAD_AT(n) quad_at(VIEW, n)
#define MIP_AT(mip, n) QUAD_AT(V_MIPS + min(mip, 15u) * M_WORDS + (n))
/* A record's words as read by fours. */
#define FLAGS(what) (what).x
#define ROW(what) (what).y
#define ENCODING(what) (what).z
#define SELECTS(what) (what).w
#define ACROSS(flags) ((flags) >> VF_ACROSS & 3u)
#define DOWN(flags) ((flags) >> VF_DOWN & 3u)
/* Whole, whatever is taken of it: lavapipe has given the first word for another one that was read alone. */
uvec4 quad_at(VIEW_ARGS, U32 n) { return Quad(pair64(view_lo, view_hi) + u64(4u * n)).v; }
#define VIEWS_AT(n) Word(pair64(params.w[P_VIEWS], params.w[P_VIEWS + 1u]) + u64(4u * (n))).v

uvec2 view_of(U32 number_)
{
    return words64(pair64(params.w[P_VIEWS], params.w[P_VIEWS + 1u]) + u64(4u * (VIEWS_FIRST + number_ * VIEW_WORDS)));
}
/* The host made the view of the descriptor that the program has; otherwise it is told, and nothing is done. */
bool view_holds(VIEW_ARGS, U32 d0, U32 d1, U32 d2, U32 d3, U32 d4, U32 d5, U32 d6, U32 d7, const bool short_)
{
    uvec4 differ = QUAD_AT(V_DESCRIPTOR) ^ uvec4(d0, d1, d2, d3);
    if (!short_)
        differ |= QUAD_AT(V_DESCRIPTOR + 4u) ^ uvec4(d4, d5, d6, d7);
    bool holds = differ == uvec4(0u);
    if (!holds)
        atomicOr(status.w[STATUS_VIEWS], 1u);
    return holds;
}
bool sampler_holds(VIEW_ARGS, U32 s0, U32 s1, U32 s2, U32 s3)
{
    bool holds = QUAD_AT(V_SAMPLER) == uvec4(s0, s1, s2, s3);
    if (!holds)
        atomicOr(status.w[STATUS_VIEWS], 1u);
    return holds;
}

/* ---- places ---- */

u32 address_terms(VIEW_ARGS, U32 axis, U32 c)
{
    u32 at = V_TERMS + 512u * axis;
    return V_AT(at + (c & 255u)) ^ V_AT(at + 256u + (c >> 8 & 255u));
}
/* Device address of the element at x, y, slice z of the view's level mip, which has it; bytes: of an element. */
u64 element_at(VIEW_ARGS, U32 mip, U32 x0, U32 y0, U32 z0, U32 fragment, U32 bytes)
{
    uvec4 slices = QUAD_AT(V_SLICES), blocks = QUAD_AT(V_BLOCKS), block = QUAD_AT(V_BYTES), place = MIP_AT(mip, M_BASE), more = MIP_AT(mip, M_MORE);
    u32 x = x0 + more.z, y = y0 + more.w, z = z0 + slices.w;
    u64 at = pair64(place.x, place.y) + u64(z >> blocks.w) * pair64(slices.x, slices.y);
    if (block.x == 0u) {
        at += u64(y) * u64(place.z) + u64(x * bytes);
    } else {
        u64 number_ = u64(y >> blocks.z) * u64(place.z) + u64(x >> blocks.y);
        u32 terms = address_terms(VIEW, 0u, x) ^ address_terms(VIEW, 1u, y) ^ address_terms(VIEW, 2u, z);
        at += (number_ << block.x) + u64(terms ^ V_AT(V_SAMPLE_TERMS + (fragment & 7u)) ^ block.y);
    }
    return at;
}
/* The same by an instruction's coordinates; 0: the view has no such element. */
#define PLACE_ARGS U32 x, U32 y0, U32 z0, U32 mip, U32 fragment
#define PLACE x, y0, z0, mip, fragment
u64 place_of(VIEW_ARGS, const uvec4 what, PLACE_ARGS)
{
    uvec4 slices = QUAD_AT(V_SLICES), blocks = QUAD_AT(V_BLOCKS), place = MIP_AT(mip, M_BASE), more = MIP_AT(mip, M_MORE);
    u32 flags = FLAGS(what), y = (flags & VF_LINE) != 0u ? 0u : y0, z = (flags & VF_SLICES) != 0u ? z0 : 0u;
    bool there = (flags & VF_BOUND) != 0u && mip < slices.z && x < place.w && y < more.x && z < more.y &&
                 fragment >> blocks.x == 0u;
    u64 at = 0ul;
    if (there)
        at = element_at(VIEW, mip, x >> ACROSS(flags), y >> DOWN(flags), z, fragment, ROW_BYTES(ROW(what)));
    return at;
}
/* Which of its element's texels it is. */
u32 texel_number(U32 flags, U32 x, U32 y0)
{
    u32 y = (flags & VF_LINE) != 0u ? 0u : y0;
    return (x & ((1u << ACROSS(flags)) - 1u)) | (y & ((1u << DOWN(flags)) - 1u)) << ACROSS(flags);
}

/* An element's words: 1, 2, 4, 8, 12 or 16 bytes, aligned to themselves, three words to a word. */
uvec4 element_load(U64 at, U32 bytes)
{
    u32 inside = u32(at) & 3u;
    uvec4 r = uvec4(Word(at - u64(inside)).v >> (8u * inside), 0u, 0u, 0u); /* narrow ones lie in a word */
    if (bytes >= 8u)
        r.y = Word(at + u64(4u)).v;
    if (bytes >= 12u)
        r.z = Word(at + u64(8u)).v;
    if (bytes >= 16u)
        r.w = Word(at + u64(12u)).v;
    r.x &= bytes >= 4u ? ~0u : ones(8u * max(bytes, 1u));
    return r;
}
void element_store(U64 at, U32 bytes, const uvec4 data)
{
    if (bytes >= 4u) {
        Word(at).v = data.x;
        if (bytes >= 8u)
            Word(at + u64(4u)).v = data.y;
        if (bytes >= 12u)
            Word(at + u64(8u)).v = data.z;
        if (bytes >= 16u)
            Word(at + u64(12u)).v = data.w;
    } else {
        Byte(at).v = uint8_t(data.x);
        if (bytes == 2u)
            Byte(at + u64(1u)).v = uint8_t(data.x >> 8);
    }
}

/* ---- texels ---- */

/* A float of 10 bits without sign, infinities or NaNs. */
u32 tiny_value(U32 code, U32 mantissa_bits, U32 bias)
{
    u32 mantissa = code & ones(mantissa_bits), exponent = code >> mantissa_bits & ones(10u - mantissa_bits), top = 31u - clz32(mantissa | 1u);
    u32 denormal = mantissa == 0u ? 0u : ((top + 128u - bias - mantissa_bits) << 23) + (mantissa << (23u - top) & 0x7fffffu);
    return exponent == 0u ? denormal : (exponent + 127u - bias) << 23 | mantissa << (23u - mantissa_bits);
}
u32 tiny_code(U32 value, U32 mantissa_bits, U32 bias)
{
    i32 exponent = i32(value >> 23) - 127 + i32(bias), kept_exponent = max(exponent, 1);
    u32 mantissa = (value & 0x7fffffu) | (value >> 23 != 0u ? 0x800000u : 0u);
    u32 drop = min(23u - mantissa_bits + u32(kept_exponent - exponent), 31u);
    u32 kept = mantissa >> drop, rest = mantissa & ((1u << drop) - 1u), half_ = 1u << (drop - 1u);
    kept += rest > half_ || (rest == half_ && (kept & 1u) != 0u) ? 1u : 0u;
    u32 r = (u32(kept_exponent - 1) << mantissa_bits) + kept;
    return value > 0x7f800000u ? 0u : value >= tiny_value(1023u, mantissa_bits, bias) ? 1023u : r;
}
u32 limited_to_one(U32 x) { return x > 0x7f800000u ? 0u : min(x, 0x3f800000u); } /* negative ones and NaNs: 0 */
uvec4 tiny_load(U32 word, U32 mantissa_bits, U32 bias)
{
    return uvec4(tiny_value(word & 1023u, mantissa_bits, bias), tiny_value(word >> 10 & 1023u, mantissa_bits, bias),
                 tiny_value(word >> 20 & 1023u, mantissa_bits, bias), fraction_value(word >> 30, 2u));
}
u32 tiny_store(const uvec4 texel, U32 mantissa_bits, U32 bias)
{
    precise float w = as_f32(limited_to_one(texel.w)) * 3.0;
    return tiny_code(texel.x, mantissa_bits, bias) | tiny_code(texel.y, mantissa_bits, bias) << 10 |
           tiny_code(texel.z, mantissa_bits, bias) << 20 | u32(roundEven(w)) << 30;
}
/* Three mantissas of 9 bits with one exponent of bias 15 and no implied one. */
u32 shared_value(U32 mantissa, U32 exponent)
{
    u32 top = 31u - clz32(mantissa | 1u);
    return mantissa == 0u ? 0u : ((top + exponent + 103u) << 23) + (mantissa << (23u - top) & 0x7fffffu);
}
uvec4 shared_load(U32 word)
{
    u32 exponent = word >> 27;
    return uvec4(shared_value(word & 511u, exponent), shared_value(word >> 9 & 511u, exponent), shared_value(word >> 18 & 511u, exponent),
                 0x3f800000u);
}
u32 shared_code(U32 value, U32 exponent)
{
    u32 mantissa = (value & 0x7fffffu) | (value >> 23 != 0u ? 0x800000u : 0u), drop = min(exponent + 126u - (value >> 23), 31u);
    return (mantissa + (1u << (drop - 1u))) >> drop;
}
u32 shared_store(const uvec4 texel)
{
    const u32 top = 0x477f8000u; /* 511 * 2^7 */
    uvec3 c;
    [[unroll]] for (u32 n = 0u; n < 3u; n++)
        c[n] = texel[n] > 0x7f800000u ? 0u : min(texel[n], top);
    u32 largest = max(max(c.x, c.y), c.z), exponent = u32(max(i32(largest >> 23) - 111, 0));
    exponent += shared_code(largest, exponent) == 512u ? 1u : 0u;
    return shared_code(c.x, exponent) | shared_code(c.y, exponent) << 9 | shared_code(c.z, exponent) << 18 | exponent << 27;
}
u32 srgb_code(U32 value)
{
    u32 code = 0u;
    if (value <= 0x7f800000u) {
        [[dont_unroll]] for (u32 step = 128u; step != 0u; step >>= 1)
            code += VIEWS_AT(VIEWS_SRGB_CODES + code + step) <= value ? step : 0u;
    }
    return code;
}
/* Stands in for block_texel where a module has no need of it. */
uvec4 block_texel_absent(const uvec4 what, const uvec4 element, U32 n) { return uvec4(0u); }

/* Texel number n of an element that was read. Of what the format lacks W is 1. */
uvec4 texel_of(const uvec4 what, const uvec4 element, U32 n)
{
    u32 row = ROW(what), encoding = ENCODING(what);
    uvec4 r = texel_load(row, element);
    if (ROW_BITS(row, 3u) == 0u)
        r.w = is_integer(row) ? 1u : 0x3f800000u;
    if (encoding == E_SRGB) {
        r.x = VIEWS_AT(VIEWS_SRGB + (element.x & 255u));
        r.y = ROW_BITS(row, 1u) != 0u ? VIEWS_AT(VIEWS_SRGB + (element.x >> 8 & 255u)) : 0u;
        r.z = ROW_BITS(row, 2u) != 0u ? VIEWS_AT(VIEWS_SRGB + (element.x >> 16 & 255u)) : 0u;
    }
    if (encoding == E_6E4 || encoding == E_7E3)
        r = tiny_load(element.x, encoding == E_6E4 ? 6u : 7u, encoding == E_6E4 ? 7u : 3u);
    if (encoding == E_SHARED)
        r = shared_load(element.x);
    if (encoding >= E_BITS)
        r = block_texel_absent(what, element, n);
    return r;
}
uvec4 element_of(const uvec4 what, const uvec4 texel)
{
    u32 row = ROW(what), encoding = ENCODING(what);
    uvec4 r = texel_store(row, texel);
    if (encoding == E_SRGB) {
        u32 bits = ROW_BITS(row, 2u) != 0u ? 24u : ROW_BITS(row, 1u) != 0u ? 16u : 8u;
        u32 codes = srgb_code(texel.x) | srgb_code(texel.y) << 8 | srgb_code(texel.z) << 16;
        r.x = (r.x & ~ones(bits)) | (codes & ones(bits));
    }
    if (encoding == E_6E4 || encoding == E_7E3)
        r.x = tiny_store(texel, encoding == E_6E4 ? 6u : 7u, encoding == E_6E4 ? 7u : 3u);
    if (encoding == E_SHARED)
        r.x = shared_store(texel);
    return r;
}
uvec4 as_halves(U32 row, const uvec4 r) { return uvec4(to_half(row, r.x), to_half(row, r.y), to_half(row, r.z), to_half(row, r.w)); }

/* ---- operations ---- */

u32 one_of(const uvec4 what) { return (FLAGS(what) & VF_INTEGER) != 0u ? 1u : 0x3f800000u; }
/* Stands in for keyed_element where a module has no need of it. x and y count elements, z from the view's first slice. */
uvec4 keyed_element_absent(VIEW_ARGS, const uvec4 what, U64 at, U32 mip, U32 x, U32 y, U32 z) { return element_load(at, ROW_BYTES(ROW(what))); }
/* The element at an instruction's coordinates, which place_of found. */
uvec4 element_at_place(VIEW_ARGS, const uvec4 what, PLACE_ARGS, U64 at)
{
    u32 flags = FLAGS(what), y = (flags & VF_LINE) != 0u ? 0u : y0, z = (flags & VF_SLICES) != 0u ? z0 : 0u;
    return keyed_element_absent(VIEW, what, at, mip, x >> ACROSS(flags), y >> DOWN(flags), z);
}
uvec4 texel_at_place(VIEW_ARGS, const uvec4 what, PLACE_ARGS, U64 at)
{
    uvec4 element = element_at_place(VIEW, what, PLACE, at);
    return selected(SELECTS(what), texel_of(what, element, texel_number(FLAGS(what), x, y0)), one_of(what));
}
/* All components; halves: 16 bits of each. */
uvec4 image_load(const bool on, VIEW_ARGS, PLACE_ARGS, const bool halves)
{
    uvec4 r = uvec4(0u);
    if (on) {
        uvec4 what = QUAD_AT(V_WHAT);
        u64 at = place_of(VIEW, what, PLACE);
        if (at != 0ul)
            r = texel_at_place(VIEW, what, PLACE, at);
        if (halves)
            r = as_halves(ROW(what), r);
    }
    return r;
}
/* One component of four fragments. */
uvec4 image_samples(const bool on, VIEW_ARGS, PLACE_ARGS, const bool halves, U32 component)
{
    uvec4 r = uvec4(0u);
    if (on) {
        uvec4 what = QUAD_AT(V_WHAT);
        [[dont_unroll]] for (u32 n = 0u; n < 4u; n++) {
            u64 at = place_of(VIEW, what, x, y0, z0, mip, fragment + n);
            u32 c = 0u;
            if (at != 0ul)
                c = word_at(texel_at_place(VIEW, what, x, y0, z0, mip, fragment + n, at), component);
            r = with_word(r, n, c);
        }
        if (halves)
            r = as_halves(ROW(what), r);
    }
    return r;
}
/* The element's own words. */
uvec4 image_load_raw(const bool on, VIEW_ARGS, PLACE_ARGS, const bool halves, const bool is_signed)
{
    uvec4 r = uvec4(0u);
    if (on) {
        uvec4 what = QUAD_AT(V_WHAT);
        u64 at = place_of(VIEW, what, PLACE);
        u32 bytes = ROW_BYTES(ROW(what));
        if (at != 0ul)
            r = narrow(element_at_place(VIEW, what, PLACE, at), bytes, is_signed);
        if (halves)
            r = as_halves(0u, r);
    }
    return r;
}
/* Stands in for key_stored where a module has no need of it. */
void key_stored_absent(VIEW_ARGS, const uvec4 what, U32 mip, U32 x, U32 y, U32 z) { }
/* The element at an instruction's coordinates has been stored. */
void stored_at_place(VIEW_ARGS, const uvec4 what, PLACE_ARGS)
{
    u32 flags = FLAGS(what), y = (flags & VF_LINE) != 0u ? 0u : y0, z = (flags & VF_SLICES) != 0u ? z0 : 0u;
    key_stored_absent(VIEW, what, mip, x >> ACROSS(flags), y >> DOWN(flags), z);
}
void image_store(const bool on, VIEW_ARGS, PLACE_ARGS, const bool halves, U32 cx, U32 cy, U32 cz, U32 cw)
{
    if (on) {
        uvec4 what = QUAD_AT(V_WHAT);
        u64 at = place_of(VIEW, what, PLACE);
        if (at != 0ul && (FLAGS(what) & VF_WRITABLE) != 0u) {
            uvec4 from = uvec4(cx, cy, cz, cw);
            u32 row = ROW(what);
            if (halves)
                from = uvec4(from_half(row, cx), from_half(row, cy), from_half(row, cz), from_half(row, cw));
            element_store(at, ROW_BYTES(row), element_of(what, unselected(SELECTS(what), from, 4u)));
            stored_at_place(VIEW, what, PLACE);
        }
    }
}
void image_store_raw(const bool on, VIEW_ARGS, PLACE_ARGS, U32 cx, U32 cy, U32 cz, U32 cw)
{
    if (on) {
        uvec4 what = QUAD_AT(V_WHAT);
        u64 at = place_of(VIEW, what, PLACE);
        if (at != 0ul) {
            element_store(at, ROW_BYTES(ROW(what)), uvec4(cx, cy, cz, cw));
            stored_at_place(VIEW, what, PLACE);
        }
    }
}
u32 image_atomic32(const bool on, VIEW_ARGS, PLACE_ARGS, U32 what, U32 data, U32 data2)
{
    u64 at = 0ul;
    u32 old = 0u;
    if (on)
        at = place_of(VIEW, QUAD_AT(V_WHAT), PLACE);
    if (at != 0ul) {
        old = word_atomic(what, at, data, data2);
        stored_at_place(VIEW, QUAD_AT(V_WHAT), PLACE);
    }
    return old;
}
uvec2 image_atomic64(const bool on, VIEW_ARGS, PLACE_ARGS, U32 what, U32 dl, U32 dh, U32 el, U32 eh)
{
    u64 at = 0ul, old = 0ul;
    if (on)
        at = place_of(VIEW, QUAD_AT(V_WHAT), PLACE);
    if (at != 0ul) {
        old = long_atomic(what, at, pair64(dl, dh), pair64(el, eh));
        stored_at_place(VIEW, QUAD_AT(V_WHAT), PLACE);
    }
    return words64(old);
}
/* Width, height, depth or layers, levels. */
uvec4 image_size(const bool on, VIEW_ARGS, U32 mip, const bool halves)
{
    uvec4 r = uvec4(0u);
    if (on) {
        u32 levels = QUAD_AT(V_SLICES).z, said = MIP_AT(mip, M_REST).y, width = MIP_AT(mip, M_BASE).w;
        r = mip < levels ? uvec4(width, said & 0xffffu, said >> 16, levels) : uvec4(0u, 0u, 0u, levels);
    }
    return halves ? as_halves(0u, r) : r;
}
