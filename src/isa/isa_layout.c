/* The bit fields of every gfx10 encoding (RDNA ISA guides, chapter "Microcode formats"). */
#include "isa/isa_layout.h"

#define VGPR(low)         \
    {                     \
        ISA_SLOT_VGPR,    \
        {                 \
            low, 8, false \
        }                 \
    }
#define SREG(low)         \
    {                     \
        ISA_SLOT_SREG,    \
        {                 \
            low, 7, false \
        }                 \
    }
#define SSRC(low)         \
    {                     \
        ISA_SLOT_SSRC,    \
        {                 \
            low, 8, false \
        }                 \
    }
#define SRC(low)          \
    {                     \
        ISA_SLOT_SRC,     \
        {                 \
            low, 9, false \
        }                 \
    }
#define BASE(low)         \
    {                     \
        ISA_SLOT_BASE,    \
        {                 \
            low, 6, false \
        }                 \
    }
#define RSRC(low)         \
    {                     \
        ISA_SLOT_RSRC,    \
        {                 \
            low, 5, false \
        }                 \
    }
#define IMM(low, width)       \
    {                         \
        ISA_SLOT_IMM,         \
        {                     \
            low, width, false \
        }                     \
    }

/* A second word's bit n is bit 32 + n. Memory forms list their slots in the order in which the rows list operands. */
const struct isa_layout isa_layouts[ISA_FORM_COUNT] = {
    [ISA_SOP1] = {.bytes = 4, .op = {8, 8}, .dst = {SREG(16)}, .src = {SSRC(0)}},
    [ISA_SOP2] = {.bytes = 4, .op = {23, 7}, .dst = {SREG(16)}, .src = {SSRC(0), SSRC(8)}},
    [ISA_SOPC] = {.bytes = 4, .op = {16, 7}, .src = {SSRC(0), SSRC(8)}},
    [ISA_SOPK] = {.bytes = 4, .op = {23, 5}, .dst = {SREG(16)}, .simm16 = {0, 16, true}},
    [ISA_SOPP] = {.bytes = 4, .op = {16, 7}, .simm16 = {0, 16, true}},
    [ISA_SMEM] = {.bytes = 8,
                  .op = {18, 8},
                  .dst = {SREG(6)},
                  .src = {SREG(6), BASE(0), SREG(57)},
                  .glc = {16, 1},
                  .dlc = {14, 1},
                  .offset = {32, 21, true}},

    [ISA_VOP1] = {.bytes = 4, .op = {9, 8}, .dst = {VGPR(17)}, .src = {SRC(0)}},
    [ISA_VOP2] = {.bytes = 4, .op = {25, 6}, .dst = {VGPR(17)}, .src = {SRC(0), VGPR(9)}},
    [ISA_VOPC] = {.bytes = 4, .op = {17, 8}, .src = {SRC(0), VGPR(9)}},
    [ISA_VOP3] = {.bytes = 8,
                  .op = {16, 10},
                  .dst = {VGPR(0)},
                  .src = {SRC(32), SRC(41), SRC(50)},
                  .abs = {8, 3},
                  .op_sel = {11, 4},
                  .clamp = {15, 1},
                  .omod = {59, 2},
                  .neg = {61, 3}},
    [ISA_VOP3B] = {.bytes = 8,
                   .op = {16, 10},
                   .dst = {VGPR(0), SREG(8)},
                   .src = {SRC(32), SRC(41), SRC(50)},
                   .clamp = {15, 1},
                   .omod = {59, 2},
                   .neg = {61, 3}},
    [ISA_VOP3P] = {.bytes = 8,
                   .op = {16, 7},
                   .dst = {VGPR(0)},
                   .src = {SRC(32), SRC(41), SRC(50)},
                   .neg_hi = {8, 3},
                   .op_sel = {11, 3},
                   .op_sel_hi2 = {14, 1},
                   .clamp = {15, 1},
                   .op_sel_hi = {59, 2},
                   .neg = {61, 3}},
    [ISA_FORM_VOP3_INTERP] = {.bytes = 8,
                              .op = {16, 10},
                              .dst = {VGPR(0)},
                              .src = {SRC(41), SRC(50)},
                              .abs = {8, 3},
                              .clamp = {15, 1},
                              .omod = {59, 2},
                              .neg = {61, 3},
                              .attr = {32, 6},
                              .attr_chan = {38, 2},
                              .attr_high = {40, 1}},

    [ISA_SDWA] = {.bytes = 8,
                  .dst = {VGPR(17)},
                  .src = {VGPR(32), VGPR(9)},
                  .sdwa_sel = {{40, 3}, {48, 3}, {56, 3}},
                  .sdwa_unused = {43, 2},
                  .clamp = {45, 1},
                  .omod = {46, 2},
                  .sext = {51, 1},
                  .neg = {52, 1},
                  .abs = {53, 1},
                  .sext1 = {59, 1},
                  .neg1 = {60, 1},
                  .abs1 = {61, 1},
                  .src_is_scalar = {{55, 1}, {63, 1}}},
    [ISA_FORM_SDWA_COMPARE] = {.bytes = 8,
                               .dst = {SREG(40)},
                               .src = {VGPR(32), VGPR(9)},
                               .sdwa_sel = {{0, 0}, {48, 3}, {56, 3}},
                               .sext = {51, 1},
                               .neg = {52, 1},
                               .abs = {53, 1},
                               .sext1 = {59, 1},
                               .neg1 = {60, 1},
                               .abs1 = {61, 1},
                               .src_is_scalar = {{55, 1}, {63, 1}},
                               .dst_is_explicit = {47, 1}},
    [ISA_DPP16] = {.bytes = 8,
                   .dst = {VGPR(17)},
                   .src = {VGPR(32), VGPR(9)},
                   .dpp_ctrl = {40, 9},
                   .dpp_fi = {50, 1},
                   .dpp_bound_ctrl = {51, 1},
                   .neg = {52, 1},
                   .abs = {53, 1},
                   .neg1 = {54, 1},
                   .abs1 = {55, 1},
                   .dpp_bank_mask = {56, 4},
                   .dpp_row_mask = {60, 4}},
    [ISA_DPP8] = {.bytes = 8,
                  .dst = {VGPR(17)},
                  .src = {VGPR(32), VGPR(9)},
                  .dpp8 = {40, 24},
                  .dpp_fi = {1, 1}}, /* source codes 233 and 234 differ in this bit */

    [ISA_VINTRP] = {.bytes = 4, .op = {16, 2}, .dst = {VGPR(18)}, .src = {VGPR(0)}, .attr = {10, 6}, .attr_chan = {8, 2}},
    [ISA_DS] =
        {.bytes = 8, .op = {18, 8}, .dst = {VGPR(56)}, .src = {VGPR(32), VGPR(40), VGPR(48)}, .offset = {0, 16}, .gds = {17, 1}},
    [ISA_FLAT] = {.bytes = 8,
                  .op = {18, 7},
                  .dst = {VGPR(56)},
                  .src = {VGPR(32), VGPR(40)},
                  .offset = {0, 12},
                  .dlc = {12, 1},
                  .lds = {13, 1},
                  .glc = {16, 1},
                  .slc = {17, 1}},
    [ISA_GLOBAL] = {.bytes = 8,
                    .op = {18, 7},
                    .dst = {VGPR(56)},
                    .src = {VGPR(32), VGPR(40), SREG(48)},
                    .offset = {0, 12, true},
                    .dlc = {12, 1},
                    .lds = {13, 1},
                    .glc = {16, 1},
                    .slc = {17, 1}},
    [ISA_SCRATCH] = {.bytes = 8,
                     .op = {18, 7},
                     .dst = {VGPR(56)},
                     .src = {VGPR(32), VGPR(40), SREG(48)},
                     .offset = {0, 12, true},
                     .dlc = {12, 1},
                     .lds = {13, 1},
                     .glc = {16, 1},
                     .slc = {17, 1}},
    [ISA_MUBUF] = {.bytes = 8,
                   .op = {18, 7},
                   .op_high = {25, 1},
                   .dst = {VGPR(40)},
                   .src = {VGPR(40), VGPR(32), RSRC(48), SSRC(56)},
                   .offset = {0, 12},
                   .offen = {12, 1},
                   .idxen = {13, 1},
                   .glc = {14, 1},
                   .dlc = {15, 1},
                   .lds = {16, 1},
                   .slc = {54, 1},
                   .tfe = {55, 1}},
    [ISA_MTBUF] = {.bytes = 8,
                   .op = {16, 3},
                   .op_high = {53, 1},
                   .dst = {VGPR(40)},
                   .src = {VGPR(40), VGPR(32), RSRC(48), SSRC(56)},
                   .offset = {0, 12},
                   .offen = {12, 1},
                   .idxen = {13, 1},
                   .glc = {14, 1},
                   .dlc = {15, 1},
                   .format = {19, 7},
                   .slc = {54, 1},
                   .tfe = {55, 1}},
    [ISA_MIMG] = {.bytes = 8,
                  .op = {18, 7},
                  .op_high = {0, 1},
                  .dst = {VGPR(40)},
                  .src = {VGPR(40), RSRC(48), RSRC(53)},
                  .nsa = {1, 2},
                  .dim = {3, 3},
                  .dlc = {7, 1},
                  .dmask = {8, 4},
                  .unorm = {12, 1},
                  .glc = {13, 1},
                  .r128 = {15, 1},
                  .tfe = {16, 1},
                  .lwe = {17, 1},
                  .slc = {25, 1},
                  .a16 = {62, 1},
                  .d16 = {63, 1}},
    [ISA_EXP] = {.bytes = 8,
                 .src = {VGPR(32), VGPR(40), VGPR(48), VGPR(56)},
                 .exp_en = {0, 4},
                 .exp_target = {4, 6},
                 .exp_compr = {10, 1},
                 .exp_done = {11, 1},
                 .exp_vm = {12, 1}},
};

/* The first word's top nine bits, at most what an encoding needs to be told from the others. */
#define NO_ENCODING ISA_ENCODING_COUNT
static const uint8_t encoding_of_top[512] = {
    [0x000 ... 0x0f7] = ISA_VOP2,
    [0x0f8 ... 0x0fb] = ISA_VOPC,
    [0x0fc ... 0x0ff] = ISA_VOP1,
    [0x100 ... 0x15f] = ISA_SOP2,
    [0x160 ... 0x17c] = ISA_SOPK,
    [0x17d] = ISA_SOP1,
    [0x17e] = ISA_SOPC,
    [0x17f] = ISA_SOPP,
    [0x180 ... 0x18f] = NO_ENCODING,
    [0x190 ... 0x197] = ISA_VINTRP,
    [0x198] = ISA_VOP3P,
    [0x199 ... 0x1a7] = NO_ENCODING,
    [0x1a8 ... 0x1af] = ISA_VOP3,
    [0x1b0 ... 0x1b7] = ISA_DS,
    [0x1b8 ... 0x1bf] = ISA_FLAT,
    [0x1c0 ... 0x1c7] = ISA_MUBUF,
    [0x1c8 ... 0x1cf] = NO_ENCODING,
    [0x1d0 ... 0x1d7] = ISA_MTBUF,
    [0x1d8 ... 0x1df] = NO_ENCODING,
    [0x1e0 ... 0x1e7] = ISA_MIMG,
    [0x1e8 ... 0x1ef] = ISA_SMEM,
    [0x1f0 ... 0x1f7] = ISA_EXP,
    [0x1f8 ... 0x1ff] = NO_ENCODING,
};

bool isa_encoding_of_word(uint32_t word, enum isa_encoding *encoding)
{
    uint8_t found = encoding_of_top[word >> 23];
    *encoding = (enum isa_encoding)found;
    return found != NO_ENCODING;
}
