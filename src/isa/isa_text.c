/* Operands as text: registers, constants, literals. */
#include "isa/isa_text.h"

#include "isa/isa_operand.h"
#include "isa/isa_type.h"

#include <stdarg.h>
#include <stdio.h>

void isa_text_add(struct isa_text *text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    size_t left = text->used < text->size ? text->size - text->used : 0;
    int length = vsnprintf(left ? text->at + text->used : NULL, left, format, args);
    va_end(args);
    if (length > 0)
        text->used += (size_t)length;
}

static void add_range(struct isa_text *text, const char *file, unsigned first, unsigned count)
{
    if (count <= 1)
        isa_text_add(text, "%s%u", file, first);
    else
        isa_text_add(text, "%s[%u:%u]", file, first, first + count - 1);
}

void isa_text_vgprs(struct isa_text *text, unsigned first, unsigned count)
{
    add_range(text, "v", first, count);
}

static void add_scalar(struct isa_text *text, const struct isa_operand *operand)
{
    static const char *const low[] = {"vcc_lo", "vcc_hi"}, *const high[] = {"m0", "null", "exec_lo", "exec_hi"};
    unsigned code = operand->reg;
    if (code < ISA_CODE_SGPR_END)
        add_range(text, "s", code, operand->dwords);
    else if (code >= ISA_CODE_TTMP && code < ISA_CODE_M0)
        add_range(text, "ttmp", code - ISA_CODE_TTMP, operand->dwords);
    else if (operand->dwords == 2 && code != ISA_CODE_NULL)
        isa_text_add(text, "%s", code == ISA_CODE_VCC ? "vcc" : "exec");
    else
        isa_text_add(text, "%s", code < ISA_CODE_TTMP ? low[code - ISA_CODE_VCC] : high[code - ISA_CODE_M0]);
}

static const char *special_name(unsigned code)
{
    static const char *const apertures[] = {"src_shared_base", "src_shared_limit", "src_private_base", "src_private_limit",
                                            "src_pops_exiting_wave_id"};
    static const char *const flags[] = {"src_vccz", "src_execz", "src_scc", "src_lds_direct"};
    return code < ISA_CODE_HALF ? apertures[code - ISA_CODE_SHARED_BASE] : flags[code - ISA_CODE_VCCZ];
}

static const char *const float_names[] = {"0.5", "-0.5", "1.0", "-1.0", "2.0", "-2.0", "4.0", "-4.0"};

static const char *float_name(unsigned code, bool is_wide)
{
    if (code == ISA_CODE_INV_2PI)
        return is_wide ? "0.15915494309189532" : "0.15915494";
    return float_names[code - ISA_CODE_HALF];
}

/* The type that an operand has in the text: the assembler takes v_ldexp_f16's exponent for a float. */
static enum isa_type text_type(const struct isa_inst *inst, const struct isa_operand *operand)
{
    return inst->row->id == ISA_v_ldexp_f16 ? ISA_T_F16 : (enum isa_type)operand->type;
}

/* Integers of 16 bits have no float constants; theirs are written as the bits. */
static void add_constant(struct isa_text *text, const struct isa_operand *operand, enum isa_type type)
{
    unsigned code = operand->reg;
    if (code < ISA_CODE_MINUS_ONE)
        isa_text_add(text, "%u", code - ISA_CODE_ZERO);
    else if (code < ISA_CODE_INT_END)
        isa_text_add(text, "-%u", code - ISA_CODE_MINUS_ONE + 1);
    else if (isa_type_is_16(type) && type != ISA_T_F16)
        isa_text_add(text, "0x%x", (unsigned)operand->value);
    else
        isa_text_add(text, "%s", float_name(code, isa_type_dwords(type) == 2));
}

/* The code of the inline constant with that value in an operand of that type, or 0. */
static unsigned constant_of_value(uint64_t value, enum isa_type type, unsigned first, unsigned last)
{
    struct isa_operand trial = {.type = (uint8_t)type, .dwords = (uint8_t)isa_type_dwords(type)};
    for (unsigned code = first; code <= last; code++) {
        if (isa_operand_read(ISA_SLOT_SRC, code, &trial) && trial.value == value)
            return code;
    }
    return 0;
}

/* A literal that has an inline constant's value prints as that. Integers of 16 and of 64 bits and packed ones are compared
 * as the literal stands. */
static unsigned constant_of_literal(const struct isa_inst *inst, const struct isa_operand *operand)
{
    enum isa_type type = text_type(inst, operand);
    bool is_float = isa_type_is_float(type);
    bool is_whole = (isa_type_is_16(type) && !is_float) || isa_type_is_packed(type);
    enum isa_type int_type = is_whole ? ISA_T_B32 : type, float_type = is_whole && !is_float ? ISA_T_B32 : type;
    uint64_t int_value = is_whole || type == ISA_T_I64 ? inst->literal : operand->value;
    uint64_t float_value = float_type == ISA_T_B32 ? inst->literal : operand->value;
    unsigned code = constant_of_value(int_value, int_type, ISA_CODE_ZERO, ISA_CODE_INT_END - 1);
    return code ? code : constant_of_value(float_value, float_type, ISA_CODE_HALF, ISA_CODE_INV_2PI);
}

/* The literal of v_fmamk and v_fmaak is always a number in hexadecimal. */
static bool is_k(const struct isa_inst *inst, const struct isa_operand *operand)
{
    return inst->encoding == ISA_VOP2 && inst->row->flags & (ISA_F(K1) | ISA_F(K2)) && operand != &inst->src[0];
}

static void add_literal(struct isa_text *text, const struct isa_inst *inst, const struct isa_operand *operand)
{
    enum isa_type type = (enum isa_type)operand->type;
    unsigned code = is_k(inst, operand) ? 0 : constant_of_literal(inst, operand);
    if (code) {
        struct isa_operand constant = {.reg = (uint16_t)code};
        add_constant(text, &constant, isa_type_dwords(type) == 2 ? type : ISA_T_B32);
    } else {
        isa_text_add(text, "0x%x", isa_type_is_16(type) && !is_k(inst, operand) ? (uint16_t)inst->literal : inst->literal);
    }
}

/* A number field: small ones in decimal, as an assembler writes an inline constant. */
static void add_number(struct isa_text *text, uint64_t value)
{
    isa_text_add(text, value <= 64 ? "%u" : "0x%x", (unsigned)value);
}

void isa_text_operand(struct isa_text *text, const struct isa_inst *inst, const struct isa_operand *operand)
{
    switch ((enum isa_operand_kind)operand->kind) {
    case ISA_O_SREG: add_scalar(text, operand); break;
    case ISA_O_VREG: isa_text_vgprs(text, operand->reg, operand->dwords); break;
    case ISA_O_CONST: add_constant(text, operand, text_type(inst, operand)); break;
    case ISA_O_LITERAL: add_literal(text, inst, operand); break;
    case ISA_O_SPECIAL: isa_text_add(text, "%s", special_name(operand->reg)); break;
    case ISA_O_IMM: add_number(text, operand->value); break;
    case ISA_O_NONE: isa_text_add(text, "off"); break;
    }
}
