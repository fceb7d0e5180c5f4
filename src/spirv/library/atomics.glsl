/* Atomics: numbers as enum ir_atomic has them, which the generator hands in. */
u64 float_order(const format F, U64 x) { return (x & F.sign) != 0ul ? ~x & (F.sign | (F.sign - ONE64)) : x | F.sign; }
u64 float_extreme(const format F, U64 old, U64 data, const bool larger, const bool keep)
{
    u64 x = float_order(F, flush(F, keep, old)), y = float_order(F, flush(F, keep, data));
    u64 r = (larger ? y > x : y < x) ? data : old;
    r = is_nan(F, old) ? data : is_nan(F, data) ? old : r;
    return is_snan(F, old) ? old | F.quiet : is_snan(F, data) ? data | F.quiet : r;
}
bool float_equal(const format F, U64 x0, U64 y0, const bool keep)
{
    u64 x = flush(F, keep, x0), y = flush(F, keep, y0);
    return !is_nan(F, x) && !is_nan(F, y) && equal_numbers(F, x, y);
}
u32 float_sum(U32 old, U32 data, const bool keep)
{
    u32 m = 0x200u | (keep ? 0x30u : 0u);
    u32 r = fast_fadd_f32(m, old, data);
    return nan32(old) || nan32(data) ? (nan32(old) ? old : data) | 0x400000u : nan32(r) ? 0xffc00000u : r;
}
/* The same where the host's own sums may lose denormals. */
u32 float_sum_kept(U32 old, U32 data, const bool keep)
{
    u32 r = u32(fused(SINGLE, control(NEAREST, keep, keep, true), u64(keep ? old : flushed32(old)), u64(ONE32), u64(keep ? data : flushed32(data)), 0));
    return nan32(old) || nan32(data) ? (nan32(old) ? old : data) | 0x400000u : nan32(r) ? 0xffc00000u : r;
}
u32 atomic_result32(U32 what, U32 old, U32 data, U32 data2, const bool keep)
{
    switch (what) {
    case A_CMPSWAP: return old == data2 ? data : old;
    case A_RSUB: return data - old;
    case A_SUB: return old - data;
    case A_INC: return old >= data ? 0u : old + 1u;
    case A_DEC: return old == 0u || old > data ? data : old - 1u;
    case A_CSUB: return old >= data ? old - data : 0u;
    case A_MSKOR: return (old & ~data) | data2;
    case A_WRAP: return old >= data ? old - data : old + data2;
    case A_FMIN: return u32(float_extreme(SINGLE, u64(old), u64(data), false, keep));
    case A_FMAX: return u32(float_extreme(SINGLE, u64(old), u64(data), true, keep));
    case A_FCMPSWAP: return float_equal(SINGLE, u64(old), u64(data2), keep) ? u32(flush(SINGLE, keep, u64(data))) : old;
    case A_FADD: return float_sum(old, data, keep);
    case A_FADD_KEPT: return float_sum_kept(old, data, keep);
    default: return old;
    }
}
u64 atomic_result64(U32 what, U64 old, U64 data, U64 data2, const bool keep)
{
    switch (what) {
    case A_CMPSWAP: return old == data2 ? data : old;
    case A_RSUB: return data - old;
    case A_SUB: return old - data;
    case A_INC: return old >= data ? 0ul : old + ONE64;
    case A_DEC: return old == 0ul || old > data ? data : old - ONE64;
    case A_CSUB: return old >= data ? old - data : 0ul;
    case A_MSKOR: return (old & ~data) | data2;
    case A_WRAP: return old >= data ? old - data : old + data2;
    case A_FMIN: return float_extreme(DOUBLE, old, data, false, keep);
    case A_FMAX: return float_extreme(DOUBLE, old, data, true, keep);
    case A_FCMPSWAP: return float_equal(DOUBLE, old, data2, keep) ? flush(DOUBLE, keep, data) : old;
    default: return old;
    }
}
#define ATOMIC_SIMPLE(place, T, I) \
    switch (what) { \
    case A_SWAP: return atomicExchange(place, data); \
    case A_ADD: return atomicAdd(place, data); \
    case A_AND: return atomicAnd(place, data); \
    case A_OR: return atomicOr(place, data); \
    case A_XOR: return atomicXor(place, data); \
    case A_UMIN: return atomicMin(place, data); \
    case A_UMAX: return atomicMax(place, data); \
    default: break; \
    }
#define ATOMIC_LOOP(place, T, result) \
    T old = place; \
    for (;;) { \
        T seen = atomicCompSwap(place, old, result); \
        if (seen == old) \
            return old; \
        old = seen; \
    }
u32 signed_result(U32 what, U32 old, U32 data, U32 data2, const bool keep)
{
    return what == A_SMIN ? u32(min(i32(old), i32(data))) : what == A_SMAX ? u32(max(i32(old), i32(data)))
         : atomic_result32(what, old, data, data2, keep);
}
u64 signed_result64(U32 what, U64 old, U64 data, U64 data2, const bool keep)
{
    bool less = i64(data) < i64(old);
    return what == A_SMIN ? (less ? data : old) : what == A_SMAX ? (less ? old : data) : atomic_result64(what, old, data, data2, keep);
}
u32 word_atomic(U32 what, U64 device, U32 data, U32 data2)
{
    ATOMIC_SIMPLE(Word(device).v, u32, i32)
    ATOMIC_LOOP(Word(device).v, u32, signed_result(what, old, data, data2, true))
}
u64 long_atomic(U32 what, U64 device, U64 data, U64 data2)
{
    ATOMIC_SIMPLE(Long(device).v, u64, i64)
    ATOMIC_LOOP(Long(device).v, u64, signed_result64(what, old, data, data2, true))
}
u32 share_atomic(U32 what, U32 at, U32 data, U32 data2, const bool keep)
{
    ATOMIC_SIMPLE(lds[at], u32, i32)
    ATOMIC_LOOP(lds[at], u32, signed_result(what, old, data, data2, keep))
}
/* Where an atomic may go; 0: nowhere. */
u64 atomic_place(U64 at, U32 bytes, U32 site, U32 lane, const hint near)
{
    spot s = find(at, near);
    escaped = escaped || near.escapes;
    bool there = s.room >= u64(bytes), stores = !discards(s), aligned = ((stores ? u32(s.device) : u32(at)) & (bytes - 1u)) == 0u;
    if (there && (writable(s) || !stores) && aligned)
        return stores ? s.device : 0ul;
    report(!there ? KIND_WRITE : !writable(s) && stores ? KIND_READ_ONLY : KIND_ATOMIC_MISALIGNED, site, lane, at);
    return 0ul;
}
/* Device address 0: nothing happens. */
u32 at_word(U64 device, U32 what, U32 data, U32 data2) { return device != 0ul ? word_atomic(what, device, data, data2) : 0u; }
uvec2 at_long(U64 device, U32 what, U64 data, U64 data2) { return device != 0ul ? words64(long_atomic(what, device, data, data2)) : uvec2(0u); }
u32 global_atomic32(const bool on, U32 lo, U32 hi, U32 what, U32 data, U32 data2, U32 site, U32 lane, SLOT_ARGS)
{
    u64 device = on ? atomic_place(pair64(lo, hi), 4u, site, lane, slot_hint(SLOT, pair64(lo, hi), 4u, true)) : 0ul;
    return at_word(device, what, data, data2);
}
uvec2 global_atomic64(const bool on, U32 lo, U32 hi, U32 what, U32 dl, U32 dh, U32 el, U32 eh, U32 site, U32 lane, SLOT_ARGS)
{
    u64 device = on ? atomic_place(pair64(lo, hi), 8u, site, lane, slot_hint(SLOT, pair64(lo, hi), 8u, true)) : 0ul;
    return at_long(device, what, pair64(dl, dh), pair64(el, eh));
}
bool share_usable(U32 at, U32 bytes, U32 site, U32 lane)
{
    bool inside = in_share(at, bytes, site, lane, SHARE_REPORTS), aligned = (at & (bytes - 1u)) == 0u;
    if (inside && !aligned)
        report(KIND_LDS_MISALIGNED, site, lane, u64(at));
    return inside && aligned;
}
u32 lds_atomic32(const bool on, U32 at, U32 what, U32 data, U32 data2, const bool keep, U32 site, U32 lane)
{
    u32 r = 0u;
    if (on && share_usable(at, 4u, site, lane))
        r = share_atomic(what, at >> 2, data, data2, keep);
    return r;
}
u32 buffer_atomic32(const bool on, BUFFER_ARGS, U32 what, U32 data, U32 data2, U32 site, U32 lane, SLOT_ARGS)
{
    u32 index = index0 + ((d3 >> 23 & 1u) != 0u ? lane : 0u);
    u64 offset = buffer_offset(BUFFER);
    bool inside = on && !buffer_outside(BUFFER, offset, index, 4u);
    uvec2 at = words64(buffer_at(BUFFER, offset, index));
    return global_atomic32(inside, at.x, at.y, what, data, data2, site, lane, SLOT);
}
uvec2 buffer_atomic64(const bool on, BUFFER_ARGS, U32 what, U32 dl, U32 dh, U32 el, U32 eh, U32 site, U32 lane, SLOT_ARGS)
{
    u32 index = index0 + ((d3 >> 23 & 1u) != 0u ? lane : 0u);
    u64 offset = buffer_offset(BUFFER);
    bool inside = on && !buffer_outside(BUFFER, offset, index, 8u), apart = (d1 >> 31) != 0u; /* swizzling parts two words */
    uvec2 at = words64(buffer_at(BUFFER, offset, index));
    if (inside && apart)
        report(KIND_ATOMIC_MISALIGNED, site, lane, pair64(at.x, at.y));
    return global_atomic64(inside && !apart, at.x, at.y, what, dl, dh, el, eh, site, lane, SLOT);
}
