/* Windows: slots as buffers of their own; `at` counts what an access is made of: four words (whole), words, or bytes of loads of a byte.
 * In a fast module a lane whose access lies outside, before it has done anything that others see, does nothing at all, and says so: it is
 * run again by a module that searches. */
void begin_fast()
{
    nought = box.again >> 1;
    back_site = 0u;
    hang_site = 0u;
    missed = 0u;
    share_bytes = PARAM(LDS_BYTES);
}
/* All lanes of a group that goes in step: what one missed, all did. Nobody looks at the local share any more. */
void join_missed()
{
    barrier();
    if (gl_LocalInvocationID.x == 0u)
        lds[0] = 0u;
    barrier();
    if (missed != 0u)
        lds[0] = 1u;
    barrier();
    missed |= lds[0];
}
bool has_missed() { return missed != 0u; }
/* scanned: whoever dispatches looks at all bits anyway. */
void tell_missed(U32 lanes, U32 group_lanes, const bool scanned)
{
    u32 bit = group_number() * group_lanes + wave_number * lanes + wave_lane;
    if (missed != 0u)
        atomicOr(redo.w[bit >> 5], 1u << (bit & 31u));
    if (!scanned && missed != 0u)
        status.w[STATUS_MISSED] = 1u;
}
void tell_end()
{
    if (missed == 0u)
        tell_cut();
    tell_hang();
}
/* Whether a lane is among those that run this time. */
bool runs_again(U32 lanes, U32 group_lanes)
{
    u32 bit = group_number() * group_lanes + wave_number * lanes + wave_lane;
    bool again = true;
    if (box.again != 0u)
        again = (redo.w[bit >> 5] >> (bit & 31u) & 1u) != 0u;
    return again;
}
/* changes: what others see, so that nothing may have been missed. */
bool near_inside(const bool on, U32 index, U32 first, U32 count, const bool aligned, const bool changes)
{
    u32 there = u32(on), inside = u32(index - first < count) & u32(aligned) & there;
    missed |= inside ^ there;
    return (changes ? inside & ~missed : inside) != 0u;
}
#define WINDOW(n) \
    layout(set = 0, binding = 4 + n, std430) buffer Window##n { u32 w[]; } window##n; \
    layout(set = 0, binding = 4 + n, std430) buffer Wide##n { uvec4 w[]; } wide##n; \
    uvec4 window_load##n(const bool on, U32 at, U32 bytes, const bool whole, const bool is_signed) \
    { \
        uvec4 r = uvec4(0u); \
        if (on && whole) \
            r = wide##n.w[at]; \
        if (on && !whole) { \
            r.x = bytes < 4u ? window##n.w[at >> 2] >> (8u * (at & 3u)) : window##n.w[at]; \
            if (bytes >= 8u) \
                r.y = window##n.w[at + 1u]; \
            if (bytes >= 12u) \
                r.z = window##n.w[at + 2u]; \
            if (bytes >= 16u) \
                r.w = window##n.w[at + 3u]; \
        } \
        return narrow(r, bytes, is_signed); \
    } \
    void window_store##n(const bool on, U32 at, U32 bytes, const bool whole, U32 x, U32 y, U32 z, U32 w) \
    { \
        if (on && whole) \
            wide##n.w[at] = uvec4(x, y, z, w); \
        if (on && !whole) { \
            window##n.w[at] = x; \
            if (bytes >= 8u) \
                window##n.w[at + 1u] = y; \
            if (bytes >= 12u) \
                window##n.w[at + 2u] = z; \
            if (bytes >= 16u) \
                window##n.w[at + 3u] = w; \
        } \
    } \
    u32 window_change##n(U32 what, U32 at, U32 data, U32 data2) \
    { \
        ATOMIC_SIMPLE(window##n.w[at], u32, i32) \
        ATOMIC_LOOP(window##n.w[at], u32, signed_result(what, old, data, data2, true)) \
    } \
    u32 window_atomic##n(const bool on, U32 at, U32 what, U32 data, U32 data2) \
    { \
        u32 r = 0u; \
        if (on) \
            r = window_change##n(what, at, data, data2); \
        return r; \
    }
WINDOW(0)
WINDOW(1)
WINDOW(2)
WINDOW(3)
WINDOW(4)
WINDOW(5)
WINDOW(6)
WINDOW(7)
/* Masks: a byte for each of a window's words, which stores mark. Hosts without bytes in buffers do it by words, of which four lanes may mark one. */
#define MASK(n) \
    layout(set = 0, binding = 4 + n, std430) buffer Mask##n { uint8_t w[]; } mask##n; \
    void mask_store##n(const bool on, U32 at, U32 bytes, const bool whole, U32 one) \
    { \
        if (on && whole) \
            window##n.w[at] = one * 0x01010101u; \
        if (on && !whole) { \
            mask##n.w[at] = uint8_t(one); \
            if (bytes >= 8u) \
                mask##n.w[at + 1u] = uint8_t(one); \
            if (bytes >= 12u) \
                mask##n.w[at + 2u] = uint8_t(one); \
            if (bytes >= 16u) \
                mask##n.w[at + 3u] = uint8_t(one); \
        } \
    } \
    void mask_add##n(const bool on, U32 at, U32 bytes, const bool whole, U32 one) \
    { \
        u32 first = whole ? 4u * at : at; \
        for (u32 word = first; on && word < first + (bytes >> 2); word++) \
            atomicOr(window##n.w[word >> 2], one << (8u * (word & 3u))); \
    }
MASK(4)
MASK(5)
MASK(6)
MASK(7)
