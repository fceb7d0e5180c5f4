/* Operand fields to operands: registers and their alignment, inline constants, literals. */
#include "isa/isa_operand.h"

#include "isa/isa_type.h"

unsigned isa_operand_dwords(enum isa_type type, unsigned wave_size)
{
    return type == ISA_T_MASK ? wave_size / 32 : isa_type_dwords(type);
}

/* A scalar operand of several registers begins at an even one, at a multiple of four from four registers on; the hardware
 * drops the low bits. It may not run out of its register file. */
static bool read_scalar(uint32_t code, struct isa_operand *operand)
{
    unsigned dwords = operand->dwords;
    operand->kind = ISA_O_SREG;
    operand->reg = (uint16_t)code;
    if (code == ISA_CODE_NULL || dwords == 1)
        return true;
    bool is_ttmp = code >= ISA_CODE_TTMP && code < ISA_CODE_M0;
    if (code >= ISA_CODE_SGPR_END && !is_ttmp)
        return dwords == 2 && (code == ISA_CODE_VCC || code == ISA_CODE_EXEC);
    unsigned first = is_ttmp ? ISA_CODE_TTMP : 0, end = is_ttmp ? ISA_CODE_M0 : ISA_CODE_SGPR_END;
    unsigned align = dwords >= 4 ? 4 : 2;
    operand->reg = (uint16_t)(first + (code - first) / align * align);
    return operand->reg + dwords <= end;
}

/* 0.5, -0.5, 1, -1, 2, -2, 4, -4 and 1/(2 pi), in each width. */
static uint64_t float_constant(uint32_t code, enum isa_type type)
{
    static const uint16_t half[] = {0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000, 0xc000, 0x4400, 0xc400, 0x3118};
    static const uint32_t single[] = {0x3f000000, 0xbf000000, 0x3f800000, 0xbf800000, 0x40000000,
                                      0xc0000000, 0x40800000, 0xc0800000, 0x3e22f983};
    static const uint64_t wide[] = {0x3fe0000000000000, 0xbfe0000000000000, 0x3ff0000000000000,
                                    0xbff0000000000000, 0x4000000000000000, 0xc000000000000000,
                                    0x4010000000000000, 0xc010000000000000, 0x3fc45f306dc9c882};
    unsigned i = code - ISA_CODE_HALF;
    if (isa_type_is_16(type) || type == ISA_T_V2F16)
        return half[i];
    return isa_type_dwords(type) == 2 ? wide[i] : single[i];
}

static uint64_t int_constant(uint32_t code, enum isa_type type)
{
    int64_t value = code < ISA_CODE_MINUS_ONE ? (int64_t)code - ISA_CODE_ZERO : (int64_t)ISA_CODE_MINUS_ONE - 1 - (int64_t)code;
    if (isa_type_is_16(type))
        return (uint16_t)value;
    return isa_type_dwords(type) == 2 ? (uint64_t)value : (uint32_t)value;
}

static bool read_constant(uint32_t code, struct isa_operand *operand)
{
    enum isa_type type = (enum isa_type)operand->type;
    operand->kind = ISA_O_CONST;
    operand->reg = (uint16_t)code;
    operand->value = code < ISA_CODE_INT_END ? int_constant(code, type) : float_constant(code, type);
    return true;
}

static bool read_source(uint32_t code, struct isa_operand *operand)
{
    if (code < ISA_CODE_ZERO)
        return read_scalar(code, operand);
    if (code < ISA_CODE_INT_END || (code >= ISA_CODE_HALF && code <= ISA_CODE_INV_2PI))
        return read_constant(code, operand);
    operand->reg = (uint16_t)code;
    operand->kind = code == ISA_CODE_LITERAL ? ISA_O_LITERAL : ISA_O_SPECIAL;
    if (code == ISA_CODE_LDS_DIRECT)
        return operand->dwords == 1;
    return code == ISA_CODE_LITERAL || (code >= ISA_CODE_SHARED_BASE && code < ISA_CODE_HALF) || code >= ISA_CODE_VCCZ;
}

static bool read_vector(uint32_t number, struct isa_operand *operand)
{
    operand->kind = ISA_O_VREG;
    operand->reg = (uint16_t)number;
    return number + operand->dwords <= 256;
}

bool isa_operand_read(enum isa_slot_kind kind, uint32_t bits, struct isa_operand *operand)
{
    switch (kind) {
    case ISA_SLOT_VGPR: return read_vector(bits, operand);
    case ISA_SLOT_SREG: return read_scalar(bits, operand);
    case ISA_SLOT_BASE: return read_scalar(bits * 2, operand);
    case ISA_SLOT_RSRC: return read_scalar(bits * 4, operand);
    case ISA_SLOT_SSRC: /* the scalar unit cannot read LDS */ return bits != ISA_CODE_LDS_DIRECT && read_source(bits, operand);
    case ISA_SLOT_SRC: return bits >= ISA_CODE_VGPR ? read_vector(bits - ISA_CODE_VGPR, operand) : read_source(bits, operand);
    case ISA_SLOT_IMM:
        operand->kind = ISA_O_IMM;
        operand->value = bits;
        return true;
    case ISA_SLOT_NONE: break;
    }
    return false;
}

void isa_operand_set_literal(struct isa_operand *operand, uint32_t literal)
{
    switch ((enum isa_type)operand->type) {
    case ISA_T_F64: operand->value = (uint64_t)literal << 32; break;
    case ISA_T_I64: operand->value = (uint64_t)(int64_t)(int32_t)literal; break;
    case ISA_T_B16:
    case ISA_T_I16:
    case ISA_T_U16:
    case ISA_T_F16: operand->value = (uint16_t)literal; break;
    default: operand->value = literal; break;
    }
}
