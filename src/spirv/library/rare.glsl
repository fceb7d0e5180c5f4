/* Accesses of forms that compilers seldom make: scalar stores and atomics, atomics by flat addresses, of 64 bits in the local share, of pairs
 * and of words that tell where their operand lies, and counters. */

/* The local share has no operations of 64 bits: a group does them one after another. Whoever has the lock gives it back in the same round of
 * the loop, so that lanes which go in step do not wait for each other. */
shared u32 share_lock;
/* What was done to the share before is seen by who comes behind; absent where atomic operations see to that. */
void share_order() { memoryBarrierShared(); }
void share_order_absent() { }
/* The same of all memory, where a barrier does more than that. */
void order_stores() { atomicOr(status.w[STATUS_STOP], nought); }
void begin_lock()
{
    if (gl_LocalInvocationID.x == 0u)
        share_lock = 0u;
    barrier();
}
u64 exchanged(U64 old, U64 data)
{
    u32 ol = u32(old), oh = u32(old >> 32), dl = u32(data), dh = u32(data >> 32);
    return pair64(i32(dl) < 0 ? dl & 0x7fffffffu : ol, i32(dh) < 0 ? dh & 0x7fffffffu : oh);
}
u64 share_result64(U32 what, U64 old, U64 data, U64 data2, const bool keep)
{
    switch (what) {
    case A_SWAP: return data;
    case A_ADD: return old + data;
    case A_AND: return old & data;
    case A_OR: return old | data;
    case A_XOR: return old ^ data;
    case A_UMIN: return data < old ? data : old;
    case A_UMAX: return data > old ? data : old;
    case A_CONDXCHG: return exchanged(old, data);
    default: return signed_result64(what, old, data, data2, keep);
    }
}
u64 share_atomic64(U32 what, U32 at, U64 data, U64 data2, const bool keep)
{
    u64 old = 0ul;
    bool waits = true;
    do {
        if (atomicCompSwap(share_lock, 0u, 1u) == 0u) {
            share_order();
            old = pair64(atomicOr(lds[at], 0u), atomicOr(lds[at + 1u], 0u));
            uvec2 r = words64(share_result64(what, old, data, data2, keep));
            atomicExchange(lds[at], r.x);
            atomicExchange(lds[at + 1u], r.y);
            share_order();
            atomicExchange(share_lock, 0u);
            waits = false;
        }
    } while (waits);
    return old;
}
uvec2 lds_atomic64(const bool on, U32 at, U32 what, U32 dl, U32 dh, U32 el, U32 eh, const bool keep, U32 site, U32 lane)
{
    uvec2 r = uvec2(0u);
    if (on && share_usable(at, 8u, site, lane))
        r = words64(share_atomic64(what, at >> 2, pair64(dl, dh), pair64(el, eh), keep));
    return r;
}
/* Two places at once: a part outside the share drops out, a misaligned one spoils both. */
bool share_pair_usable(U32 at0, U32 at1, U32 bytes, U32 site, U32 lane, out bool first, out bool second)
{
    first = in_share(at0, bytes, site, lane, SHARE_REPORTS);
    second = in_share(at1, bytes, site, lane, SHARE_REPORTS);
    bool misaligned = (first && (at0 & (bytes - 1u)) != 0u) || (second && (at1 & (bytes - 1u)) != 0u);
    if (misaligned)
        report(KIND_LDS_MISALIGNED, site, lane, u64(at0));
    return !misaligned;
}
uvec4 lds_swap32(const bool on, U32 at0, U32 at1, U32 x, U32 y, U32 site, U32 lane)
{
    uvec4 r = uvec4(0u);
    bool first = false, second = false;
    if (on && share_pair_usable(at0, at1, 4u, site, lane, first, second)) {
        if (first)
            r.x = atomicExchange(lds[at0 >> 2], x);
        if (second)
            r.y = atomicExchange(lds[at1 >> 2], y);
    }
    return r;
}
uvec4 lds_swap64(const bool on, U32 at0, U32 at1, U32 xl, U32 xh, U32 yl, U32 yh, U32 site, U32 lane)
{
    uvec4 r = uvec4(0u);
    bool first = false, second = false;
    if (on && share_pair_usable(at0, at1, 8u, site, lane, first, second)) {
        if (first)
            r.xy = words64(share_atomic64(A_SWAP, at0 >> 2, pair64(xl, xh), 0ul, true));
        if (second)
            r.zw = words64(share_atomic64(A_SWAP, at1 >> 2, pair64(yl, yh), 0ul, true));
    }
    return r;
}
/* The operand is a word of the share: so many words on as the instruction says, or, with its top bit, the address. */
uvec2 operand_places(U32 address, U32 field)
{
    bool far = (field & 0x8000u) != 0u;
    i32 distance = far ? i32(address) >> 17 : i32(field << 17) >> 17;
    u32 first = far ? address & 0x1ffffu : address;
    return uvec2(first, first + u32(distance) * 4u);
}
u32 lds_operand32(const bool on, U32 address, U32 field, U32 what, const bool keep, U32 site, U32 lane)
{
    uvec2 at = operand_places(address, field);
    u32 r = 0u;
    bool first = false, second = false;
    if (on && share_pair_usable(at.x, at.y, 4u, site, lane, first, second) && first)
        r = share_atomic(what, at.x >> 2, second ? lds[at.y >> 2] : 0u, 0u, keep);
    return r;
}
uvec2 lds_operand64(const bool on, U32 address, U32 field, U32 what, const bool keep, U32 site, U32 lane)
{
    uvec2 at = operand_places(address, field), r = uvec2(0u);
    bool first = false, second = false;
    if (on && share_pair_usable(at.x, at.y, 8u, site, lane, first, second) && first) {
        u64 data = second ? pair64(lds[at.y >> 2], lds[(at.y >> 2) + 1u]) : 0ul;
        r = words64(share_atomic64(what, at.x >> 2, data, 0ul, keep));
    }
    return r;
}
/* One invocation counts for the wave. */
u32 lds_append(const bool on, U32 at, U32 count, const bool consume, U32 site)
{
    u32 r = 0u;
    if (on && share_usable(at, 4u, site, ~0u))
        r = atomicAdd(lds[at >> 2], consume ? 0u - count : count);
    return r;
}

/* The global data share, which the device has beside guest memory; M0: where the program's part begins, above, and its bytes, below. 0: not there. */
u64 gds_spot(const bool on, U32 at, U32 m0, U32 bytes, const bool stores, U32 site, U32 lane)
{
    u32 limit = m0 & 0xffffu, place = (m0 >> 16) + at;
    bool inside = on && at <= limit && bytes <= limit - at, there = place + bytes <= PARAM(GDS_BYTES);
    if (inside && !there)
        report(stores ? KIND_WRITE : KIND_READ, site, lane, u64(place));
    return inside && there ? pair64(params.w[P_GDS], params.w[P_GDS + 1u]) + u64(place) : 0ul;
}
bool gds_is_whole(U64 device, U32 bytes) { return bytes < 4u || (u32(device) & 3u) == 0u; }
uvec4 gds_load(const bool on, U32 at, U32 m0, U32 bytes, const bool is_signed, U32 site, U32 lane)
{
    u64 device = gds_spot(on, at, m0, bytes, false, site, lane);
    uvec4 r = uvec4(0u);
    if (device != 0ul && gds_is_whole(device, bytes))
        r = near_load(0ul, bytes, site, lane, hint(device, 1u, false));
    else if (device != 0ul)
        for (u32 i = 0u; i < bytes; i++)
            r = with_word(r, i >> 2, u32(Byte(device + u64(i)).v) << (8u * (i & 3u)));
    return narrow(r, bytes, is_signed);
}
void gds_store(const bool on, U32 at, U32 m0, U32 bytes, U32 x, U32 y, U32 z, U32 w, U32 site, U32 lane)
{
    u64 device = gds_spot(on, at, m0, bytes, true, site, lane);
    uvec4 data = uvec4(x, y, z, w);
    if (device != 0ul && gds_is_whole(device, bytes))
        near_store(0ul, bytes, data, site, lane, hint(device, 1u, false));
    else if (device != 0ul)
        for (u32 i = 0u; i < bytes; i++)
            Byte(device + u64(i)).v = uint8_t(word_at(data, i >> 2) >> (8u * (i & 3u)));
}
u64 gds_atomic_spot(const bool on, U32 at, U32 m0, U32 bytes, U32 site, U32 lane)
{
    u64 device = gds_spot(on, at, m0, bytes, true, site, lane);
    bool aligned = (u32(device) & (bytes - 1u)) == 0u;
    if (!aligned)
        report(KIND_ATOMIC_MISALIGNED, site, lane, u64((m0 >> 16) + at));
    return aligned ? device : 0ul;
}
u32 gds_atomic32(const bool on, U32 at, U32 m0, U32 what, U32 data, U32 data2, U32 site, U32 lane)
{
    return at_word(gds_atomic_spot(on, at, m0, 4u, site, lane), what, data, data2);
}
uvec2 gds_atomic64(const bool on, U32 at, U32 m0, U32 what, U32 dl, U32 dh, U32 el, U32 eh, U32 site, U32 lane)
{
    return at_long(gds_atomic_spot(on, at, m0, 8u, site, lane), what, pair64(dl, dh), pair64(el, eh));
}
/* Of counters M0's low half is the address. */
u32 gds_append(const bool on, U32 at, U32 count, const bool consume, U32 site)
{
    bool there = at <= PARAM(GDS_BYTES) && 4u <= PARAM(GDS_BYTES) - at, aligned = (at & 3u) == 0u;
    if (on && !(there && aligned))
        report(there ? KIND_LDS_MISALIGNED : KIND_WRITE, site, ~0u, u64(at));
    u64 device = pair64(params.w[P_GDS], params.w[P_GDS + 1u]) + u64(at);
    return at_word(on && there && aligned ? device : 0ul, A_ADD, consume ? 0u - count : count, 0u);
}

/* Flat addresses: the local share, or global memory, or a lane's own, where a word lies alone and two do not lie side by side. */
#define FLAT_ARGS U32 lo, U32 hi, U32 shared_hi, U32 private_hi, U32 scratch_lo, U32 scratch_hi, U32 lanes
u64 flat_place(const bool on, FLAT_ARGS, U32 bytes, U32 site, U32 lane)
{
    bool own = hi == private_hi;
    u64 at = own ? scratch_at(scratch_lo, scratch_hi, lo, lane, lanes) : pair64(lo, hi), r = 0ul;
    if (on && own && (bytes != 4u || (lo & 3u) != 0u))
        report(KIND_ATOMIC_MISALIGNED, site, lane, at);
    else if (on)
        r = atomic_place(at, bytes, site, lane, NO_HINT);
    return r;
}
u32 flat_atomic32(const bool on, FLAT_ARGS, U32 what, U32 data, U32 data2, const bool keep, U32 site, U32 lane)
{
    u32 r = 0u;
    if (hi == shared_hi) {
        r = lds_atomic32(on, lo, what, data, data2, keep, site, lane);
    } else {
        r = at_word(flat_place(on, lo, hi, shared_hi, private_hi, scratch_lo, scratch_hi, lanes, 4u, site, lane), what, data, data2);
    }
    return r;
}
uvec2 flat_atomic64(const bool on, FLAT_ARGS, U32 what, U32 dl, U32 dh, U32 el, U32 eh, const bool keep, U32 site, U32 lane)
{
    uvec2 r = uvec2(0u);
    if (hi == shared_hi) {
        r = lds_atomic64(on, lo, what, dl, dh, el, eh, keep, site, lane);
    } else {
        u64 device = flat_place(on, lo, hi, shared_hi, private_hi, scratch_lo, scratch_hi, lanes, 8u, site, lane);
        r = at_long(device, what, pair64(dl, dh), pair64(el, eh));
    }
    return r;
}

/* Scalar memory, by one invocation for the wave: words all or none; what lies in a buffer, word by word. */
void scalar_store(const bool on, U32 base_lo, U32 base_hi, U32 offset, U32 inst_offset, U32 bytes, U32 x, U32 y, U32 z, U32 w, U32 site, SLOT_ARGS)
{
    u64 at = scalar_at(base_lo, base_hi, offset, inst_offset);
    hint near = slot_hint(SLOT, at, bytes, true);
    if (on)
        near_store(at, bytes, uvec4(x, y, z, w), site, ~0u, near);
    slot_mark(on, SLOT, at, bytes);
}
void sbuffer_store(const bool on, U32 d0, U32 d1, U32 d2, U32 d3, U32 offset, U32 inst_offset, U32 bytes, U32 x, U32 y, U32 z, U32 w, U32 site,
                   SLOT_ARGS)
{
    u64 first = sbuffer_first(offset, inst_offset), at = pair64(d0 & ~3u, d1 & 0xffffu) + first;
    u32 inside = sbuffer_inside(d1, d2, first, bytes >> 2) * 4u;
    hint near = slot_hint(SLOT, at, inside, true);
    if (on && inside != 0u)
        near_store(at, inside, uvec4(x, y, z, w), site, ~0u, near);
    slot_mark(on && inside != 0u, SLOT, at, inside);
}
u64 scalar_place(const bool on, U64 at, U32 bytes, U32 site, SLOT_ARGS)
{
    u64 r = 0ul;
    if (on && (u32(at) & (bytes - 1u)) != 0u)
        report(KIND_ATOMIC_MISALIGNED, site, ~0u, at);
    else if (on)
        r = atomic_place(at, bytes, site, ~0u, slot_hint(SLOT, at, bytes, true));
    return r;
}
u64 sbuffer_place(const bool on, U32 d0, U32 d1, U32 d2, U32 offset, U32 inst_offset, U32 bytes, U32 site, SLOT_ARGS)
{
    u64 first = sbuffer_first(offset, inst_offset);
    bool inside = sbuffer_inside(d1, d2, first, bytes >> 2) * 4u == bytes;
    return scalar_place(on && inside, pair64(d0 & ~3u, d1 & 0xffffu) + first, bytes, site, SLOT);
}
u32 scalar_atomic32(const bool on, U32 base_lo, U32 base_hi, U32 offset, U32 inst_offset, U32 what, U32 data, U32 data2, U32 site, SLOT_ARGS)
{
    return at_word(scalar_place(on, scalar_at(base_lo, base_hi, offset, inst_offset), 4u, site, SLOT), what, data, data2);
}
uvec2 scalar_atomic64(const bool on, U32 base_lo, U32 base_hi, U32 offset, U32 inst_offset, U32 what, U32 dl, U32 dh, U32 el, U32 eh, U32 site,
                      SLOT_ARGS)
{
    u64 device = scalar_place(on, scalar_at(base_lo, base_hi, offset, inst_offset), 8u, site, SLOT);
    return at_long(device, what, pair64(dl, dh), pair64(el, eh));
}
u32 sbuffer_atomic32(const bool on, U32 d0, U32 d1, U32 d2, U32 d3, U32 offset, U32 inst_offset, U32 what, U32 data, U32 data2, U32 site, SLOT_ARGS)
{
    return at_word(sbuffer_place(on, d0, d1, d2, offset, inst_offset, 4u, site, SLOT), what, data, data2);
}
uvec2 sbuffer_atomic64(const bool on, U32 d0, U32 d1, U32 d2, U32 d3, U32 offset, U32 inst_offset, U32 what, U32 dl, U32 dh, U32 el, U32 eh,
                       U32 site, SLOT_ARGS)
{
    return at_long(sbuffer_place(on, d0, d1, d2, offset, inst_offset, 8u, site, SLOT), what, pair64(dl, dh), pair64(el, eh));
}

/* Whether an access has met memory that is not there. */
void begin_told() { unmapped = false; }
u32 told() { return unmapped ? 1u : 0u; }
