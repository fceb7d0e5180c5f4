/* Elements of images with metadata, as image/image_key.c has it: a key is read before the elements that it covers. A module has this where images of
 * its dispatches need it (SPIRV_FORM_KEYS). */

/* Device address of an element's key, as its bits in units of four. Coordinates count the tail's offsets in. */
u64 key_unit(VIEW_ARGS, const uvec4 level, const uvec4 shape, U64 slice_bytes, U32 x, U32 y, U32 z)
{
    u32 block = (y >> shape.y) * level.z + (x >> shape.x), inside = 0u, across = x & 0xffffu | y << 16;
    [[dont_unroll]] for (u32 bit = 0u; bit <= shape.z; bit++) {
        u32 ones_ = bitCount(across & V_AT(V_KEY_TERMS + 2u * bit)) + bitCount(z & V_AT(V_KEY_TERMS + 2u * bit + 1u));
        inside |= (ones_ & 1u) << bit;
    }
    return (u64(z) * slice_bytes + pair64(level.x, level.y) + (u64(block) << shape.z)) * u64(2u) + u64(inside);
}
#define KEY_MEMORY 4u
#define KEY_FIRST 5u
#define KEY_UNKNOWN 6u
/* What a key says: which of the four clear elements, or one of the above. */
u32 colour_key(U32 code)
{
    return (code & 63u) == 0u ? code >> 6 : code == 0xffu ? KEY_MEMORY : code == 0x10u ? KEY_FIRST : KEY_UNKNOWN;
}
u32 depth_key(U32 word, const bool stencil)
{
    u32 state = stencil ? word >> 8 & 3u : word & 15u, most = word >> 18; /* of depth, in the tile */
    if (state != 0u)
        return state == (stencil ? 3u : 15u) ? KEY_MEMORY : KEY_UNKNOWN;
    return stencil || most == 0u ? 0u : most == 0x3fffu ? 3u : KEY_UNKNOWN;
}
u32 fragment_key(U32 nibble) { return nibble == 0u ? 0u : nibble >> 2 == 3u ? KEY_MEMORY : KEY_UNKNOWN; }

/* The unit of an element's key, which the level has; *address: device address of its byte. */
u64 key_place(VIEW_ARGS, const uvec4 level, const uvec4 shape, U32 mip, U32 x, U32 y, U32 z, out u64 address)
{
    uvec4 keys = QUAD_AT(V_KEYS), tail = MIP_AT(mip, M_MORE), slices = QUAD_AT(V_SLICES);
    u64 unit = key_unit(VIEW, level, shape, pair64(keys.z, keys.w), x + tail.z, y + tail.w, z + slices.w);
    address = pair64(keys.x, keys.y) + (unit >> 1 ^ u64(V_AT(V_KEY_XOR)));
    return unit;
}
bool has_key(const uvec4 what, const uvec4 level) { return (FLAGS(what) & VF_KEYS) != 0u && level.w != 0u; }

/* The element is in memory now, with all that its key covers: the dispatcher has seen to those before (vulkan_covers.h). Of colours only. */
void key_stored(VIEW_ARGS, const uvec4 what, U32 mip, U32 x, U32 y, U32 z)
{
    uvec4 level = QUAD_AT(V_KEY_LEVELS + 4u * min(mip, 15u));
    if (has_key(what, level)) {
        u64 address = 0ul;
        key_place(VIEW, level, QUAD_AT(V_KEY_SHAPE), mip, x, y, z, address);
        u32 shift = 8u * (u32(address) & 3u);
        atomicOr(Word(address & ~u64(3u)).v, 0xffu << shift);
    }
}

uvec4 keyed_element(VIEW_ARGS, const uvec4 what, U64 at, U32 mip, U32 x, U32 y, U32 z)
{
    u32 says = KEY_MEMORY, bytes = ROW_BYTES(ROW(what));
    uvec4 level = QUAD_AT(V_KEY_LEVELS + 4u * min(mip, 15u));
    if (has_key(what, level)) {
        uvec4 shape = QUAD_AT(V_KEY_SHAPE);
        u64 address = 0ul, unit = key_place(VIEW, level, shape, mip, x, y, z, address);
        if (shape.w >= KEYS_DEPTH)
            says = depth_key(Word(address).v, shape.w == KEYS_STENCIL);
        else if (shape.w == KEYS_CMASK)
            says = fragment_key(u32(Byte(address).v) >> (4u * (u32(unit) & 1u)) & 15u);
        else
            says = colour_key(u32(Byte(address).v));
    }
    if (says < KEY_MEMORY)
        return QUAD_AT(V_CLEARS + 4u * says);
    if (says == KEY_UNKNOWN)
        atomicOr(status.w[STATUS_VIEWS], STATUS_NO_KEY);
    return element_load(says == KEY_FIRST ? at & ~u64(255u) : at, bytes);
}
