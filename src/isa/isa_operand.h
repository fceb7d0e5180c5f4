/* isa_operand.h: operand fields to operands. Internal to isa/. */
#ifndef ISA_ISA_OPERAND_H
#define ISA_ISA_OPERAND_H

#include "isa/isa_layout.h"

/* Operand codes that are no registers. */
enum {
    ISA_CODE_SGPR_END = 106,
    ISA_CODE_VCC = 106,
    ISA_CODE_TTMP = 108,
    ISA_CODE_M0 = 124,
    ISA_CODE_NULL = 125,
    ISA_CODE_EXEC = 126,
    ISA_CODE_ZERO = 128,
    ISA_CODE_MINUS_ONE = 193,
    ISA_CODE_INT_END = 209,
    ISA_CODE_DPP8 = 233,
    ISA_CODE_DPP8_FI = 234,
    ISA_CODE_SHARED_BASE = 235,
    ISA_CODE_HALF = 240,
    ISA_CODE_INV_2PI = 248,
    ISA_CODE_SDWA = 249,
    ISA_CODE_DPP = 250,
    ISA_CODE_VCCZ = 251,
    ISA_CODE_LDS_DIRECT = 254,
    ISA_CODE_LITERAL = 255,
    ISA_CODE_VGPR = 256
};

/* Reads the bits as that kind of slot names it. False when they name nothing that an operand of this type can be. The
 * operand's type and dwords must be set; a literal's value is filled in later, by isa_operand_set_literal. */
bool isa_operand_read(enum isa_slot_kind kind, uint32_t bits, struct isa_operand *operand);

void isa_operand_set_literal(struct isa_operand *operand, uint32_t literal);

/* Registers that an operand of this type spans. */
unsigned isa_operand_dwords(enum isa_type type, unsigned wave_size);

#endif
