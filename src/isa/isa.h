/* isa: words of a gfx10 program to decoded instructions, and back to assembler text.
 *
 * Roles and owners:
 *   isa_chip   a chip's instruction set as data (which rows exist, what their opcodes are); static, never freed.
 *   isa_row    one row of the instruction table (the .def files of this folder); static, never freed.
 *   isa_inst   one decoded instruction; plain data, owned by whoever declared it; points only at static rows.
 */
#ifndef ISA_ISA_H
#define ISA_ISA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A chip is a bit, so that a row can say in one field where it exists. */
enum isa_chip_bit {
    ISA_GFX1010 = 1u << 0, /* Navi 10 */
    ISA_GFX1013 = 1u << 1, /* the console's: gfx10.1 code, BVH, MSAA load */
    ISA_GFX1030 = 1u << 2, /* Navi 21 */
    ISA_GFX1033 = 1u << 3, /* Van Gogh */
    ISA_GFX10_1 = ISA_GFX1010 | ISA_GFX1013,
    ISA_GFX10_3 = ISA_GFX1030 | ISA_GFX1033,
    ISA_BVH = ISA_GFX1013 | ISA_GFX10_3,
    ISA_ALL = ISA_GFX10_1 | ISA_GFX10_3,
};

/* The encoding that an instruction's words use. SDWA, DPP and VOP3 are forms of VOP1/VOP2/VOPC rows as well. */
enum isa_encoding {
    ISA_SOP1,
    ISA_SOP2,
    ISA_SOPC,
    ISA_SOPK,
    ISA_SOPP,
    ISA_SMEM,
    ISA_VOP1,
    ISA_VOP2,
    ISA_VOPC,
    ISA_VOP3,
    ISA_VOP3B,
    ISA_VOP3P,
    ISA_SDWA,
    ISA_DPP16,
    ISA_DPP8,
    ISA_VINTRP,
    ISA_DS,
    ISA_FLAT,
    ISA_GLOBAL,
    ISA_SCRATCH,
    ISA_MUBUF,
    ISA_MTBUF,
    ISA_MIMG,
    ISA_EXP,
    ISA_ENCODING_COUNT
};

/* What an operand's bits mean; decides modifiers, inline constants and register counts.
 *   X(name, dwords, is it a float) */
#define ISA_TYPES(X)                                                                                                        \
    X(NONE, 0, 0)                                                                                                           \
    X(B16, 1, 0)                                                                                                            \
    X(I16, 1, 0) X(U16, 1, 0) X(F16, 1, 1) X(B32, 1, 0) X(I32, 1, 0) X(U32, 1, 0) X(F32, 1, 1) X(B64, 2, 0) X(I64, 2, 0)    \
        X(U64, 2, 0) X(F64, 2, 1) X(V2B16, 1, 0) X(V2I16, 1, 0) X(V2U16, 1, 0) X(V2F16, 1, 1) /* packed, in one register */ \
        X(B96, 3, 0) X(B128, 4, 0) X(B256, 8, 0) X(B512, 16, 0)                                                             \
            X(MASK, 1, 0) /* a lane mask: one register in wave32, two in wave64 */

enum isa_type {
#define X(name, dwords, is_float) ISA_T_##name,
    ISA_TYPES(X)
#undef X
        ISA_T_COUNT
};

/* What a row needs said beyond its encoding and its types. FLOAT stands for CLAMP and OMOD. */
#define ISA_FLAGS(X)                                                                    \
    X(CLAMP)    /* the VOP3 form takes clamp */                                         \
    X(OMOD)     /* and an output modifier */                                            \
    X(OPSEL)    /* and half-register selects */                                         \
    X(LANE_SEL) /* its op_sel bits are v_permlane's fetch-inactive and bound-control */ \
    X(MODS)     /* sources have neg and abs, though the type is no float's */           \
    X(NO_MODS)  /* a DPP form's neg and abs bits mean nothing */                        \
    X(TIED)     /* the last source is the destination's old value */                    \
    X(VCC)      /* the last source is VCC, unwritten in the text */                     \
    X(EXEC)     /* the destination is EXEC, unwritten in the text */                    \
    X(SDST)     /* a vector instruction whose destination is scalar */                  \
    X(SWAP)     /* both operands are written */                                         \
    X(NO_E64)   /* no VOP3 form */                                                      \
    X(NO_SDWA)                                                                          \
    X(NO_DPP)                                                                           \
    X(K1)      /* source 1 is a literal that always follows */                          \
    X(K2)      /* source 2 is */                                                        \
    X(VGPR0)   /* source 0 must be a vector register */                                 \
    X(REG0)    /* source 0 must not be a number */                                      \
    X(SCALAR0) /* source n must be scalar */                                            \
    X(SCALAR1)                                                                          \
    X(SCALAR2)                                                                          \
    X(INTERP) /* has an attribute and channel */                                        \
    X(MIX)    /* op_sel_hi chooses f16 or f32 for each source */                        \
    X(BRANCH) /* may continue elsewhere */                                              \
    X(END)    /* ends the wave */                                                       \
    X(LOAD)                                                                             \
    X(STORE)                                                                            \
    X(ATOMIC)                                                                           \
    X(FORMAT)  /* the data passes through a buffer format */                            \
    X(D16)     /* 16-bit data in the low half (formats: packed; MIMG: if d16 is set) */ \
    X(D16_HI)  /* 16-bit data in the high half */                                       \
    X(OFFSET2) /* DS: two 8-bit offsets */                                              \
    X(GDS)     /* DS: always the global data share */                                   \
    X(NO_GDS)  /* DS: never */                                                          \
    X(LDS)     /* may load into LDS */                                                  \
    X(ADDTID)  /* the address is the lane's number */                                   \
    X(SAMPLE)  /* MIMG: has a sampler */                                                \
    X(GATHER)  /* MIMG: four texels, whatever dmask says */                             \
    X(RESINFO) /* MIMG: its one address is the mip level */                             \
    X(BVH_RAY) /* MIMG: a node and a ray instead of coordinates */                      \
    X(OFFSET)  /* MIMG: the address begins with packed offsets, */                      \
    X(BIAS)    /* then the LOD bias, */                                                 \
    X(PCF)     /* then the depth to compare with, */                                    \
    X(GRAD)    /* then the gradients, */                                                \
    X(G16)     /* of 16 bits each; the coordinates, */                                  \
    X(LOD)     /* then the LOD, its clamp or the mip level */

enum isa_flag_bit {
#define X(name) ISA_F_BIT_##name,
    ISA_FLAGS(X)
#undef X
        ISA_F_BIT_COUNT
};
#define ISA_F(name) (UINT64_C(1) << ISA_F_BIT_##name)

enum isa_operand_kind {
    ISA_O_NONE,
    ISA_O_SREG,    /* scalar register by its 7-bit code: 0-105 SGPR, 106/107 VCC, 108-123 TTMP, 124 M0, 125 NULL, 126/127 EXEC */
    ISA_O_VREG,    /* vector register 0-255 */
    ISA_O_CONST,   /* inline constant; value holds its bits as this operand's type sees them */
    ISA_O_LITERAL, /* 32-bit literal; value holds it as this operand's type sees it (f64: the high word) */
    ISA_O_SPECIAL, /* 235 SHARED_BASE, 236 SHARED_LIMIT, 237 PRIVATE_BASE, 238 PRIVATE_LIMIT, 239 POPS_EXITING_WAVE_ID,
                      251 VCCZ, 252 EXECZ, 253 SCC, 254 LDS_DIRECT; reg holds the code */
    ISA_O_IMM,     /* an immediate field (simm16, offset, ...); value holds it, sign-extended to 64 bits where signed */
};

struct isa_operand {
    uint8_t kind;   /* enum isa_operand_kind */
    uint8_t type;   /* enum isa_type, from the row */
    uint8_t dwords; /* registers that the operand spans (MASK: depends on the wave size, see isa_decode) */
    uint16_t reg;   /* register code or number; CONST: the code that the instruction has for it (128-248) */
    uint64_t value; /* CONST, LITERAL, IMM */
};

enum { ISA_MAX_DST = 2, ISA_MAX_SRC = 5 };

struct isa_row;

/* Scalar names of SDWA selects: sel[0] destination, sel[1], sel[2] the sources. */
enum isa_sdwa_sel { ISA_BYTE_0, ISA_BYTE_1, ISA_BYTE_2, ISA_BYTE_3, ISA_WORD_0, ISA_WORD_1, ISA_DWORD };
enum isa_sdwa_unused { ISA_UNUSED_PAD, ISA_UNUSED_SEXT, ISA_UNUSED_PRESERVE };

struct isa_inst {
    const struct isa_row *row; /* never NULL in an instruction that isa_decode returned */
    uint8_t encoding;          /* enum isa_encoding: the form the words use */
    uint8_t size;              /* bytes: 4, 8, 12, ... */
    uint8_t dst_count, src_count;
    /* Explicit and implied registers alike, in the assembler's order: v_addc's VCC is dst[1] and src[2],
     * v_fmac's accumulator is src[2], s_cmp's SCC is not listed (the row's semantics say so). */
    struct isa_operand dst[ISA_MAX_DST], src[ISA_MAX_SRC];

    /* Source modifiers, bit n for src[n]; only set where the form and the type have them. */
    uint8_t neg, abs, sext;
    uint8_t op_sel, op_sel_hi, neg_hi; /* VOP3 op_sel: bit 3 is the destination; VOP3P: per source */
    uint8_t omod;                      /* 0 none, 1 *2, 2 *4, 3 /2 */
    bool clamp;
    uint8_t sdwa_sel[3], sdwa_unused; /* encoding == ISA_SDWA */
    /* DPP: ctrl as encoded (0x000-0x1ff); dpp8: 8 selectors of 3 bits, first lane in the low bits. */
    uint16_t dpp_ctrl;
    uint8_t dpp_row_mask, dpp_bank_mask;
    bool dpp_bound_ctrl, dpp_fi;
    uint32_t dpp8;

    /* Memory forms. */
    int32_t offset;  /* byte offset, signed where the form's is; DS: offset0 when the row has two */
    uint8_t offset1; /* DS rows with two offsets */
    bool glc, slc, dlc, offen, idxen, lds, tfe, lwe, gds;
    uint8_t format;     /* MTBUF: the 7-bit unified format */
    uint8_t dmask, dim; /* MIMG */
    bool unorm, r128, a16, d16;
    uint8_t nsa;        /* MIMG: count of extra address words */
    uint8_t addr_count; /* MIMG: address registers */
    uint16_t addr[13];  /* MIMG: the registers, consecutive when nsa is 0 */

    /* EXP and VINTRP. */
    uint8_t exp_target, exp_en;
    bool exp_compr, exp_done, exp_vm;
    uint8_t attr, attr_chan;
    bool attr_high; /* VOP3 v_interp of f16: the attribute's high half */

    int32_t simm16;   /* SOPP, SOPK: the immediate, sign-extended */
    uint32_t literal; /* the literal word, when an operand is ISA_O_LITERAL */
};

/* Which instruction a row is: ISA_v_add_f32 and so on, in the order of isa_rows.def. */
#include "isa_ids.h"

/* One row of the table: everything that the decoder and the printer need. The row's semantics stand in the same line of
 * the .def file and are expanded by lower/. */
struct isa_row {
    const char *name; /* the mnemonic without an encoding suffix */
    uint16_t id;      /* enum isa_id */
    uint8_t encoding; /* the row's own encoding (a VOP2 row may be met in VOP3, SDWA or DPP form) */
    uint8_t chips;    /* enum isa_chip_bit set */
    uint16_t opcode;
    uint64_t flags; /* ISA_F(name) set */
    uint8_t dst_type[ISA_MAX_DST], src_type[ISA_MAX_SRC];
};

enum isa_status {
    ISA_OK,
    ISA_UNKNOWN,   /* these words are no instruction of the chip */
    ISA_TRUNCATED, /* the instruction needs more words than there are */
};

/* Decodes the instruction at words[0]; count is the number of words available. wave_size (32 or 64) sets the width of mask
 * operands. Reads at most count words. On ISA_OK *inst is whole; otherwise inst->size is the number of bytes to step over. */
enum isa_status isa_decode(enum isa_chip_bit chip, unsigned wave_size, const uint32_t *words, size_t count,
                           struct isa_inst *inst);

/* Prints inst in LLVM's syntax into text (always terminated when size > 0); returns the length that it needs. pc is the
 * instruction's address, for branch targets. */
size_t isa_print(const struct isa_inst *inst, enum isa_chip_bit chip, unsigned wave_size, uint64_t pc, char *text, size_t size);

/* The chip of that LLVM name ("gfx1030"), or 0. */
enum isa_chip_bit isa_chip_by_name(const char *name);
const char *isa_chip_name(enum isa_chip_bit chip);

/* The table, for tools and tests. */
extern const struct isa_row isa_rows[];
extern const unsigned isa_row_count;

#endif
