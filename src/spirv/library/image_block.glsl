/* Texels of elements that hold several of them, as image/ has them: compressed blocks of 4 x 4, pairs that share colour, bits. A module has these
 * functions where images of its dispatches need them (SPIRV_FORM_); elsewhere those that do nothing stand in for them. */
#define VIEWS_QUAD(n) Quad(pair64(params.w[P_VIEWS], params.w[P_VIEWS + 1u]) + u64(4u * (n))).v

/* a / b, rounded to nearest even; a at most b, which is below 2^11 and not 0. Whole numbers: a host's division of floats may be off. */
u32 ratio_value(U32 a, U32 b)
{
    u32 up = clz32(a) - clz32(b);
    up += a << up < b ? 1u : 0u; /* now a << up is b to 2 b */
    u32 head = a << up << 12, tail = head % b << 12;
    u32 quotient = head / b << 12 | tail / b, kept = quotient >> 1; /* 25 bits */
    kept += (quotient & 1u) != 0u && (tail % b != 0u || (kept & 1u) != 0u) ? 1u : 0u;
    return a == 0u ? 0u : ((127u - up) << 23) + (kept - 0x800000u);
}

/* ---- one component: two ends of 8 bits, and an index of 3 bits a texel ---- */

u32 single_texel(U32 low, U32 high, U32 n, const bool is_signed)
{
    i32 a = is_signed ? i32(low << 24) >> 24 : i32(low & 255u), b = is_signed ? i32(low << 16) >> 24 : i32(low >> 8 & 255u);
    i32 top = is_signed ? 127 : 255, bottom = is_signed ? -127 : 0;
    bool sevenths = a > b;
    a = max(a, bottom); /* -128 means -127 */
    b = max(b, bottom);
    i32 index = i32(u32(pair64(low, high) >> (16u + 3u * n)) & 7u), steps = sevenths ? 7 : 5;
    i32 numerator = (steps + 1 - index) * a + (index - 1) * b, denominator = steps * top;
    if (index < 2 || (!sevenths && index >= 6)) {
        numerator = index == 0 ? a : index == 1 ? b : index == 6 ? bottom : top;
        denominator = top;
    }
    return ratio_value(u32(abs(numerator)), u32(denominator)) | (numerator < 0 ? 0x80000000u : 0u);
}

/* ---- colour: two ends of 5, 6 and 5 bits, and an index of 2 bits a texel ---- */

uvec3 colour_end(U32 code)
{
    u32 red = code >> 11 & 31u, green = code >> 5 & 63u, blue = code & 31u;
    return uvec3(red << 3 | red >> 2, green << 2 | green >> 4, blue << 3 | blue >> 2);
}
/* Codes of 8 bits; in w whether the texel shows. */
uvec4 colour_codes(U32 ends, U32 indices, U32 n, const bool only_thirds)
{
    u32 first = ends & 0xffffu, second = ends >> 16, index = indices >> (2u * n) & 3u;
    bool in_thirds = only_thirds || first > second;
    u32 parts = in_thirds ? 3u : 2u;
    u32 from_first = index == 0u ? parts : index == 1u ? 0u : in_thirds ? 4u - index : index == 2u ? 1u : 0u;
    u32 from_second = index == 0u ? 0u : index == 1u ? parts : in_thirds ? index - 1u : index == 2u ? 1u : 0u;
    uvec3 sum = from_first * colour_end(first) + from_second * colour_end(second);
    return uvec4((sum + parts / 2u) / parts, !in_thirds && index == 3u ? 0u : 1u);
}
u32 code_value(U32 code, const bool srgb)
{
    if (srgb)
        return VIEWS_AT(VIEWS_SRGB + code);
    return fraction_value(code, 8u);
}
uvec3 code_values(const uvec3 codes, const bool srgb)
{
    return uvec3(code_value(codes.x, srgb), code_value(codes.y, srgb), code_value(codes.z, srgb));
}

/* ---- bits of a block ---- */

u32 block_bits(const uvec4 block, U32 at, U32 count)
{
    u32 n = at >> 5;
    u64 both = pair64(word_at(block, n), n < 3u ? word_at(block, n + 1u) : 0u);
    return u32(both >> (at & 31u)) & ((1u << count) - 1u);
}

/* ---- partitions and indices of BC6H and BC7 ---- */

/* Two bits for each texel. */
u32 subset_of(U32 subsets, const uvec4 split, U32 n)
{
    return subsets == 1u ? 0u : (subsets == 2u ? split.x : split.y) >> (2u * n) & 3u;
}
/* What of the second end a texel takes, in 64ths. Indices of so many bits begin at `at`; those of anchors have one bit less. */
u32 block_weight(const uvec4 block, U32 at, U32 width, U32 subsets, const uvec4 split, U32 n)
{
    u32 second = subsets == 2u ? split.z & 255u : subsets == 3u ? split.z >> 8 & 255u : 16u, third = subsets == 3u ? split.z >> 16 : 16u;
    u32 before = (n > 0u ? 1u : 0u) + (n > second ? 1u : 0u) + (n > third ? 1u : 0u);
    bool anchor = n == 0u || n == second || n == third;
    u32 index = block_bits(block, at + n * width - before, width - (anchor ? 1u : 0u)), top = (1u << width) - 1u;
    return (128u * index + top) / (2u * top);
}
ivec3 between(const ivec3 a, const ivec3 b, U32 weight) { return (i32(64u - weight) * a + i32(weight) * b + 32) >> 6; }

/* ---- BC7 ---- */

/* Component number i of both ends of a subset. */
uvec2 bc7_ends(const uvec4 block, U32 mode, U32 at, U32 subset, U32 i)
{
    u32 subsets = BC7_SUBSETS(mode), colour = BC7_COLOUR(mode), width = i < 3u ? colour : BC7_ALPHA(mode);
    u32 first = at + 2u * (i * subsets * colour + subset * width), low = at + 2u * subsets * (3u * colour + BC7_ALPHA(mode));
    uvec2 ends = uvec2(block_bits(block, first, width), block_bits(block, first + width, width));
    uvec2 lows = BC7_OWN(mode) != 0u ? uvec2(block_bits(block, low + 2u * subset, 1u), block_bits(block, low + 2u * subset + 1u, 1u))
                                     : uvec2(block_bits(block, low + subset, 1u));
    bool more = (BC7_OWN(mode) | BC7_SHARED(mode)) != 0u;
    u32 wide = width + (more ? 1u : 0u);
    ends = (more ? ends << 1u | lows : ends) << (8u - wide);
    return width == 0u ? uvec2(255u) : ends | ends >> wide;
}
uvec4 bc7_codes(const uvec4 block, U32 n)
{
    if ((block.x & 255u) == 0u)
        return uvec4(0u);
    u32 number_ = u32(findLSB(block.x)), mode = VIEWS_AT(VIEWS_BC7 + number_), at = number_ + 1u;
    uvec4 split = VIEWS_QUAD(VIEWS_PARTITIONS + 4u * block_bits(block, at, BC7_PARTITION(mode)));
    at += BC7_PARTITION(mode);
    u32 rotation = block_bits(block, at, BC7_ROTATION(mode));
    at += BC7_ROTATION(mode);
    bool swapped = block_bits(block, at, BC7_SELECTION(mode)) != 0u;
    at += BC7_SELECTION(mode);
    u32 subsets = BC7_SUBSETS(mode), subset = subset_of(subsets, split, n);
    u32 lows = BC7_OWN(mode) != 0u ? 2u * subsets : BC7_SHARED(mode) != 0u ? subsets : 0u;
    u32 indices = at + 2u * subsets * (3u * BC7_COLOUR(mode) + BC7_ALPHA(mode)) + lows;
    u32 first = block_weight(block, indices, BC7_INDEX(mode), subsets, split, n), second = first;
    if (BC7_SECOND(mode) != 0u)
        second = block_weight(block, indices + 16u * BC7_INDEX(mode) - subsets, BC7_SECOND(mode), 1u, split, n);
    uvec4 r = uvec4(0u);
    [[dont_unroll]] for (u32 i = 0u; i < 4u; i++) {
        uvec2 ends = bc7_ends(block, mode, at, subset, i);
        u32 weight = swapped == (i < 3u) ? second : first;
        r = with_word(r, i, ((64u - weight) * ends.x + weight * ends.y + 32u) >> 6);
    }
    return rotation == 1u ? r.wyzx : rotation == 2u ? r.xwzy : rotation == 3u ? r.xywz : r; /* alpha changes places */
}

/* ---- BC6H ---- */

i32 sign_extended(const i32 value, U32 bits) { return bitfieldExtract(value, 0, i32(bits)); }
ivec3 sign_extended3(const ivec3 v, U32 bits) { return ivec3(sign_extended(v.x, bits), sign_extended(v.y, bits), sign_extended(v.z, bits)); }
/* An end behind the first: a number, or what is added to the first, modulo its width. */
ivec3 bc6_end(const ivec3 first, const ivec3 end, U32 mode, const bool is_signed)
{
    u32 bits = BC6_BITS(mode);
    ivec3 r = end;
    if (BC6_DELTAS(mode) != 0u)
        r = first + ivec3(sign_extended(end.x, BC6_RED(mode)), sign_extended(end.y, BC6_GREEN(mode)), sign_extended(end.z, BC6_BLUE(mode)));
    return is_signed ? sign_extended3(r, bits) : r & ((1 << bits) - 1);
}
i32 bc6_widened(const i32 value, U32 bits, const bool is_signed)
{
    i32 magnitude = abs(value), top = (1 << (bits - 1u)) - 1;
    if (value == 0 || bits >= (is_signed ? 16u : 15u))
        return value;
    if (!is_signed)
        return value == (1 << bits) - 1 ? 0xffff : ((value << 16) + 0x8000) >> bits;
    magnitude = magnitude >= top ? 0x7fff : ((magnitude << 15) + 0x4000) >> (bits - 1u);
    return value < 0 ? -magnitude : magnitude;
}
ivec3 bc6_widened3(const ivec3 v, U32 bits, const bool is_signed)
{
    return ivec3(bc6_widened(v.x, bits, is_signed), bc6_widened(v.y, bits, is_signed), bc6_widened(v.z, bits, is_signed));
}
/* As a float: scaled by 31/64 (31/32 when signed), as a half. */
u32 bc6_value(const i32 value, const bool is_signed)
{
    u32 half_ = is_signed ? u32(abs(value) * 31 >> 5) | (value < 0 ? 0x8000u : 0u) : u32(value * 31 >> 6);
    return widen_half(half_);
}
uvec4 bc6_texel(const uvec4 block, U32 n, const bool is_signed)
{
    u32 table = VIEWS_BC6 + 32u * (block.x & 31u), mode = VIEWS_AT(table), at = BC6_CODE(mode);
    if (mode == 0u)
        return uvec4(0u, 0u, 0u, 0x3f800000u);
    u32 subsets = BC6_PARTITION(mode) != 0u ? 2u : 1u;
    uvec4 split = VIEWS_QUAD(VIEWS_PARTITIONS + 4u * block_bits(block, BC6_TWO, BC6_PARTITION(mode)));
    u32 pair = 2u * subset_of(subsets, split, n);
    ivec3 first = ivec3(0), a = ivec3(0), b = ivec3(0);
    [[dont_unroll]] for (u32 f = 1u; f <= BC6_FIELDS; f++) {
        u32 field = VIEWS_AT(table + f), from = BC6_FROM(field), to = BC6_TO(field), count = u32(abs(i32(to) - i32(from))) + 1u;
        if (field == BC6_NO_FIELD)
            break;
        u32 bits = block_bits(block, at, count);
        i32 value = i32((to < from ? bitfieldReverse(bits) >> (32u - count) : bits) << min(from, to));
        u32 c = BC6_COMPONENT(field), end = BC6_END(field);
        ivec3 part = ivec3(c == 0u ? value : 0, c == 1u ? value : 0, c == 2u ? value : 0);
        first |= end == 0u ? part : ivec3(0);
        a |= end == pair ? part : ivec3(0);
        b |= end == pair + 1u ? part : ivec3(0);
        at += count;
    }
    u32 width = BC6_BITS(mode), weight = block_weight(block, at + BC6_PARTITION(mode), subsets == 2u ? 3u : 4u, subsets, split, n);
    first = is_signed ? sign_extended3(first, width) : first;
    a = pair == 0u ? first : bc6_end(first, a, mode, is_signed);
    b = bc6_end(first, b, mode, is_signed);
    ivec3 r = between(bc6_widened3(a, width, is_signed), bc6_widened3(b, width, is_signed), weight);
    return uvec4(bc6_value(r.x, is_signed), bc6_value(r.y, is_signed), bc6_value(r.z, is_signed), 0x3f800000u);
}

/* ---- all of them ---- */

/* BC6H and BC7. */
uvec4 bptc_texel(U32 encoding, const uvec4 element, U32 n)
{
    if (E_KIND(encoding) == E_BC6)
        return bc6_texel(element, n, (encoding & E_SIGNED) != 0u);
    uvec4 codes = bc7_codes(element, n);
    return uvec4(code_values(codes.xyz, (encoding & E_CURVE) != 0u), fraction_value(codes.w, 8u));
}
uvec4 bptc_texel_absent(U32 encoding, const uvec4 element, U32 n) { return uvec4(0u); }

/* Red, the first texel's green, the second's, blue. */
uvec4 pair_texel(const uvec4 what, U32 encoding, U32 word, U32 n)
{
    u32 r = (encoding & E_GREEN_FIRST) != 0u ? word >> 8 : word, b = word >> ((encoding & E_GREEN_FIRST) != 0u ? 24u : 16u);
    u32 g = word >> ((encoding & E_GREEN_FIRST) != 0u ? 16u * n : n == 0u ? 8u : 24u);
    uvec3 codes = uvec3(r, g, b) & 255u;
    uvec4 texel = texel_load(ROW(what), uvec4(codes.x | codes.y << 8 | codes.z << 16, 0u, 0u, 0u));
    if ((encoding & E_CURVE) != 0u)
        texel.xyz = code_values(codes, true);
    texel.w = is_integer(ROW(what)) ? 1u : 0x3f800000u;
    return texel;
}
/* Texel number n of an element, row by row. */
uvec4 block_texel(const uvec4 what, const uvec4 element, U32 n)
{
    u32 encoding = ENCODING(what), kind = E_KIND(encoding);
    bool srgb = (encoding & E_CURVE) != 0u, is_signed = (encoding & E_SIGNED) != 0u;
    const u32 one = 0x3f800000u;
    if (kind >= E_BC6)
        return bptc_texel_absent(encoding, element, n);
    if (kind == E_BITS)
        return uvec4((element.x >> (is_signed ? 7u - n : n) & 1u) != 0u ? one : 0u, 0u, 0u, one);
    if (kind == E_PAIR)
        return pair_texel(what, encoding, element.x, n);
    if (kind == E_BC4 || kind == E_BC5)
        return uvec4(single_texel(element.x, element.y, n, is_signed), kind == E_BC5 ? single_texel(element.z, element.w, n, is_signed) : 0u, 0u, one);
    bool apart = kind != E_BC1; /* alpha before the colour */
    uvec4 codes = colour_codes(apart ? element.z : element.x, apart ? element.w : element.y, n, apart);
    u32 alpha = codes.w * one;
    if (kind == E_BC2)
        alpha = fraction_value((n < 8u ? element.x : element.y) >> (4u * (n & 7u)) & 15u, 4u);
    if (kind == E_BC3)
        alpha = single_texel(element.x, element.y, n, false);
    return uvec4(code_values(codes.xyz, srgb), alpha);
}
