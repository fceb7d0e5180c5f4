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

/* What an operand's bits mean; decides modifiers, inline constants and register counts. */
enum isa_type {
#define X(name, dwords, is_float) ISA_T_##name,
#include "isa_types.def"
#undef X
    ISA_T_COUNT
};

/* What a row needs said beyond its encoding and its types; a row's flags are a set of ISA_F(name). */
enum isa_flag_bit {
#define X(name) ISA_F_BIT_##name,
#include "isa_flags.def"
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
    uint8_t kind; /* enum isa_operand_kind */
    uint8_t type; /* enum isa_type, from the row */
    /* Registers that the operand spans: by its type, the wave size (MASK) and the modifiers (a global address beside a scalar base is
     * 1, a buffer's vector address offen + idxen, an image's data by its dmask, d16 and tfe). */
    uint8_t dwords;
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
    /* Explicit and implied registers alike, in the order of the row: v_add_co_ci's VCC is dst[1] and src[2], v_fmac's accumulator is
     * src[2], s_cmp's SCC is not listed (the row's semantics say so). What an instruction leaves out has kind NONE: SMEM's offset
     * register, GLOBAL's and SCRATCH's scalar base, SCRATCH's address beside a base, a buffer's vector address without offen and
     * idxen. An atomic that does not return its old value, and a load into LDS, have no dst. */
    struct isa_operand dst[ISA_MAX_DST], src[ISA_MAX_SRC];

    /* Source modifiers, bit n for src[n]; only set where the form and the type have them. */
    uint8_t neg, abs, sext;
    uint8_t op_sel, op_sel_hi, neg_hi; /* VOP3 op_sel: bit 3 is the destination; VOP3P: per source; v_permlane: fi, bound_ctrl */
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
    uint8_t format;             /* MTBUF: the 7-bit unified format */
    uint8_t dmask, dim;         /* MIMG */
    bool unorm, r128, a16, d16; /* r128: the resource is the first half of its operand */
    uint8_t nsa;                /* extra address words */
    uint8_t addr_count;         /* address registers, at most 12 */
    uint16_t addr[13];          /* which they are: consecutive ones when nsa is 0 */

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
 * instruction's address; it does not show, as LLVM writes branches by their distance. */
size_t isa_print(const struct isa_inst *inst, enum isa_chip_bit chip, unsigned wave_size, uint64_t pc, char *text, size_t size);

/* The chip of that LLVM name ("gfx1030"), or 0. */
enum isa_chip_bit isa_chip_by_name(const char *name);
const char *isa_chip_name(enum isa_chip_bit chip);

/* The table, for tools and tests. */
extern const struct isa_row isa_rows[];
extern const unsigned isa_row_count;

#endif
