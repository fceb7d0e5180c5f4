/* Operations between the lanes of a wave: the machine's own on the guest, a model of them on the host.
 *
 * The host's model lets every work item offer its value and then read the others', so all items of a group must come
 * by together. Lanes past the end of a partly filled wave are inactive. The rules are those of the RDNA instruction
 * set guides; a 64-lane wave does all of these but reading a lane and balloting in two halves of 32.
 */
#ifndef TENFOLD_TESTS_WAVE_H
#define TENFOLD_TESTS_WAVE_H

#include "kernel.h"

#define ROW 16
#define HALF_WAVE 32

/* DPP controls. */
#define DPP_QUAD(a, b, c, d) ((a) | (b) << 2 | (c) << 4 | (d) << 6)
#define DPP_ROW_SHL(n) (0x100 | (n))
#define DPP_ROW_SHR(n) (0x110 | (n))
#define DPP_ROW_ROR(n) (0x120 | (n))
#define DPP_ROW_MIRROR 0x140
#define DPP_ROW_HALF_MIRROR 0x141
#define DPP_ROW_SHARE(n) (0x150 | (n))
#define DPP_ROW_XMASK(n) (0x160 | (n))

/* ds_swizzle patterns: within quads, or of 32 lanes by masks. */
#define SWIZZLE_QUAD(a, b, c, d) (0x8000 | (a) | (b) << 2 | (c) << 4 | (d) << 6)
#define SWIZZLE_MASKS(and, or, xor) ((and) | (or) << 5 | (xor) << 10)

#ifdef __AMDGCN__

#define WAVE __AMDGCN_WAVEFRONT_SIZE
INLINE uint lane_id(void) { return __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0)); }
INLINE uint count_below(ulong mask) { return __builtin_amdgcn_mbcnt_hi((uint)(mask >> 32), __builtin_amdgcn_mbcnt_lo((uint)mask, 0)); }
#if WAVE == 64
INLINE ulong wave_ballot(bool x) { return __builtin_amdgcn_ballot_w64(x); }
#else
INLINE ulong wave_ballot(bool x) { return __builtin_amdgcn_ballot_w32(x); }
#endif
INLINE uint wave_first(uint x) { return __builtin_amdgcn_readfirstlane(x); }
INLINE uint wave_lane(uint x, uint lane) { return __builtin_amdgcn_readlane(x, lane); }
INLINE uint wave_pull(uint x, uint from) { return (uint)__builtin_amdgcn_ds_bpermute((int)(from * 4), (int)x); }
INLINE uint wave_push(uint x, uint to) { return (uint)__builtin_amdgcn_ds_permute((int)(to * 4), (int)x); }
#define wave_swizzle(x, pattern) ((uint)__builtin_amdgcn_ds_swizzle((int)(x), pattern))
#define wave_dpp(old, x, control, rows, banks, bound) ((uint)__builtin_amdgcn_update_dpp((int)(old), (int)(x), control, rows, banks, bound))
#define wave_permlane16(old, x, low, high, fetch, bound) __builtin_amdgcn_permlane16(old, x, low, high, fetch, bound)
#define wave_permlanex16(old, x, low, high, fetch, bound) __builtin_amdgcn_permlanex16(old, x, low, high, fetch, bound)
#if __has_builtin(__builtin_amdgcn_mov_dpp8)
#define wave_dpp8(x, selectors) __builtin_amdgcn_mov_dpp8(x, selectors)
#endif

#else

uint host_lane(void);
void host_wave_offer(ulong value);
bool host_wave_read(uint lane, ulong *value);

#define WAVE HOST_WAVE
INLINE uint lane_id(void) { return host_lane(); }
INLINE uint count_below(ulong mask) { return popcount(mask & ((1ul << lane_id()) - 1)); }

INLINE ulong wave_ballot(bool x)
{
    ulong mask = 0, other;
    host_wave_offer(x);
    for (uint k = 0; k < WAVE; k++)
        if (host_wave_read(k, &other) && other)
            mask |= 1ul << k;
    return mask;
}

INLINE uint wave_lane(uint x, uint lane)
{
    ulong other = 0;
    host_wave_offer(x);
    host_wave_read(lane, &other);
    return (uint)other;
}

INLINE uint wave_first(uint x) { return wave_lane(x, 0); }

/* A lane of this lane's half; inactive ones give zero. */
INLINE uint wave_pull(uint x, uint from)
{
    ulong other = 0;
    host_wave_offer(x);
    host_wave_read((lane_id() & HALF_WAVE) | (from & (HALF_WAVE - 1)), &other);
    return (uint)other;
}

INLINE uint wave_push(uint x, uint to)
{
    uint own = lane_id(), result = 0;
    ulong other;
    host_wave_offer((ulong)to << 32 | x);
    for (uint k = 0; k < HALF_WAVE; k++)
        if (host_wave_read((own & HALF_WAVE) | k, &other) && ((uint)(other >> 32) & (HALF_WAVE - 1)) == (own & (HALF_WAVE - 1)))
            result = (uint)other;
    return result;
}

INLINE uint wave_swizzle(uint x, uint pattern)
{
    uint own = lane_id(), from;
    ulong other = 0;
    if (pattern & 0x8000)
        from = (own & ~3u) | (pattern >> 2 * (own & 3) & 3);
    else
        from = (own & HALF_WAVE) | ((((own & pattern) | pattern >> 5) ^ pattern >> 10) & 31);
    host_wave_offer(x);
    host_wave_read(from, &other);
    return (uint)other;
}

/* The lane a DPP control reads, or -1 for none. */
INLINE int dpp_source(uint control, uint own)
{
    uint row = own & ~(ROW - 1u), at = own & (ROW - 1u), n = control & 15;
    switch (control >> 4) {
    case 0x10:
        return at + n < ROW ? (int)(own + n) : -1;
    case 0x11:
        return at >= n ? (int)(own - n) : -1;
    case 0x12:
        return (int)(row | ((at - n) & (ROW - 1)));
    case 0x14:
        return (int)(own ^ (control & 1 ? 7 : 15));
    case 0x15:
        return (int)(row | n);
    case 0x16:
        return (int)(own ^ n);
    default:
        return (int)((own & ~3u) | (control >> 2 * (own & 3) & 3));
    }
}

INLINE uint wave_dpp(uint old, uint x, uint control, uint rows, uint banks, bool bound)
{
    uint own = lane_id();
    int from = dpp_source(control, own);
    ulong other = 0;
    host_wave_offer(x);
    bool there = from >= 0 && host_wave_read((uint)from, &other);
    if (!(rows >> (own / ROW) & 1) || !(banks >> (own / 4 % 4) & 1))
        return old;
    return there ? (uint)other : bound ? 0 : old;
}

INLINE uint permlane(uint old, uint x, uint low, uint high, bool fetch, bool bound, uint flip)
{
    uint own = lane_id(), at = own & (ROW - 1), select = (at < 8 ? low >> 4 * at : high >> 4 * (at - 8)) & 15;
    ulong other = 0;
    host_wave_offer(x);
    bool there = host_wave_read(((own & ~(ROW - 1u)) ^ flip) | select, &other);
    return there || fetch ? (uint)other : bound ? 0 : old;
}

INLINE uint wave_permlane16(uint old, uint x, uint low, uint high, bool fetch, bool bound) { return permlane(old, x, low, high, fetch, bound, 0); }
INLINE uint wave_permlanex16(uint old, uint x, uint low, uint high, bool fetch, bool bound) { return permlane(old, x, low, high, fetch, bound, ROW); }

INLINE uint wave_dpp8(uint x, uint selectors)
{
    uint own = lane_id();
    ulong other = 0;
    host_wave_offer(x);
    host_wave_read((own & ~7u) | (selectors >> 3 * (own & 7) & 7), &other);
    return (uint)other;
}

#endif
#endif
