/* Which lanes the cross-lane ops read: DPP controls, ds_swizzle offsets and lane selects as patterns of a 16-lane row. Shared
 * by every user of the ops, so that they cannot differ. */
#ifndef IR_IR_LANES_H
#define IR_IR_LANES_H

#include <stdbool.h>
#include <stdint.h>

/* Lane i of a row reads lane `source` nibble i; it reads nothing (a lane outside the row) where bit i of valid is clear. */
struct ir_row {
    uint64_t source;
    uint32_t valid;
};

#define IR_ROW_IDENTITY 0xfedcba9876543210u
#define IR_ROW_EACH     0x1111111111111111u /* times n: n in every nibble */
#define IR_ROW_QUADS    0xcccc888844440000u /* each lane's quad's first lane */

/* The dpp op's imm: the control and the fields beside it. */
enum {
    IR_DPP_CTRL = 0x1ff,
    IR_DPP_ROW_MASK_SHIFT = 12,
    IR_DPP_BANK_MASK_SHIFT = 16,
    IR_DPP_BOUND_CTRL = 1 << 20,
    IR_DPP_FETCH_INACTIVE = 1 << 21,
    IR_DPP8_FETCH_INACTIVE = 1 << 24, /* the dpp8 op's imm, above eight 3-bit selectors */
    IR_PERMLANE_FETCH_INACTIVE = 1,
    IR_PERMLANE_BOUND_CTRL = 2,
    IR_PERMLANE_OTHER_ROW = 4, /* the permlane16 op's */
};

/* Control groups: the control's upper five bits; the lower four are an amount. Below 16 all eight bits are a quad's pattern. */
enum { IR_DPP_ROW_SHL = 0x10, IR_DPP_ROW_SHR, IR_DPP_ROW_ROR, IR_DPP_MIRROR = 0x14, IR_DPP_ROW_SHARE, IR_DPP_ROW_XMASK };

static inline uint64_t ir_row_quad_perm(unsigned selectors)
{
    uint64_t quad = 0;
    for (unsigned i = 0; i < 4; i++)
        quad |= (uint64_t)(selectors >> (2 * i) & 3) << (4 * i);
    return quad * 0x0001000100010001u + IR_ROW_QUADS;
}

/* Whether gfx10 has the control (DPP's wave-wide shifts and broadcasts are gone). */
static inline bool ir_dpp_exists(unsigned ctrl)
{
    unsigned group = ctrl >> 4, amount = ctrl & 15;
    if (group < IR_DPP_ROW_SHL)
        return true;
    if (group <= IR_DPP_ROW_ROR)
        return amount != 0;
    if (group == IR_DPP_MIRROR)
        return amount <= 1;
    return group == IR_DPP_ROW_SHARE || group == IR_DPP_ROW_XMASK;
}

static inline struct ir_row ir_dpp_row(unsigned ctrl)
{
    unsigned n = ctrl & 15;
    struct ir_row row = {IR_ROW_IDENTITY, 0xffff};
    switch (ctrl >> 4) {
    case IR_DPP_ROW_SHL: return (struct ir_row){row.source >> (4 * n), 0xffffu >> n};
    case IR_DPP_ROW_SHR: return (struct ir_row){row.source << (4 * n), 0xffffu << n & 0xffff};
    case IR_DPP_ROW_ROR: row.source = row.source << (4 * n) | row.source >> (-4 * n & 63); break;
    case IR_DPP_MIRROR: row.source ^= n ? 7 * IR_ROW_EACH : 15 * IR_ROW_EACH; break;
    case IR_DPP_ROW_SHARE: row.source = n * IR_ROW_EACH; break;
    case IR_DPP_ROW_XMASK: row.source ^= n * IR_ROW_EACH; break;
    default: row.source = ir_row_quad_perm(ctrl & 0xff); break;
    }
    return row;
}

/* Rows and banks (a row's four quads) that may be written, as the lanes of half h. */
static inline uint32_t ir_dpp_written(uint32_t imm, unsigned h)
{
    uint32_t rows = imm >> (IR_DPP_ROW_MASK_SHIFT + 2 * h) & 3, banks = imm >> IR_DPP_BANK_MASK_SHIFT & 15;
    uint32_t row = 0;
    for (unsigned i = 0; i < 4; i++)
        row |= (banks >> i & 1) * (0xfu << (4 * i));
    return (rows & 1 ? row : 0) | (rows & 2 ? row << 16 : 0);
}

/* Whether every active lane is written whatever it reads. */
static inline bool ir_dpp_writes_all(uint32_t imm)
{
    uint32_t all = 0xfu << IR_DPP_ROW_MASK_SHIFT | 0xfu << IR_DPP_BANK_MASK_SHIFT | IR_DPP_BOUND_CTRL;
    return (imm & all) == all;
}

/* Eight lanes by eight selectors of three bits. */
static inline uint64_t ir_row_dpp8(uint32_t selectors)
{
    uint64_t eight = 0;
    for (unsigned i = 0; i < 8; i++)
        eight |= (uint64_t)(selectors >> (3 * i) & 7) << (4 * i);
    return eight | (eight | 0x88888888u) << 32;
}

/* ds_swizzle within 32 lanes: from is the lane that each lane reads. */
enum { IR_SWIZZLE_QUAD = 0x8000, IR_SWIZZLE_ROTATE = 0xc000, IR_SWIZZLE_FFT = 0xe000 };

static inline unsigned ir_swizzle_source(unsigned offset, unsigned lane)
{
    unsigned low = offset & 31, middle = offset >> 5 & 31, high = offset >> 10 & 31;
    if (offset >= IR_SWIZZLE_FFT) {
        unsigned reversed = (lane & 1) << 4 | (lane & 2) << 2 | (lane & 4) | (lane & 8) >> 2 | (lane & 16) >> 4;
        return (reversed >> __builtin_popcount(low)) | (lane & low);
    }
    if (offset >= IR_SWIZZLE_ROTATE) {
        unsigned moved = high & 1 ? lane - middle : lane + middle;
        return ((lane & low) | (moved & ~low)) & 31;
    }
    if (offset & IR_SWIZZLE_QUAD)
        return (lane & 28) | (offset >> (2 * (lane & 3)) & 3);
    return ((lane & low) | middle) ^ high;
}

#endif
