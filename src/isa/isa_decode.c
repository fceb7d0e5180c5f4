/* Words to instructions: finds the form and the row, then reads fields, operands, modifiers and literals. */
#include "isa/isa_decode.h"

#include "isa/isa_operand.h"
#include "isa/isa_type.h"

#include <string.h>

static bool has(const struct isa_decoding *d, uint64_t flag)
{
    return d->row->flags & flag;
}

static unsigned count_types(const uint8_t *types, unsigned max)
{
    unsigned count = 0;
    while (count < max && types[count] != ISA_T_NONE)
        count++;
    return count;
}

unsigned isa_row_explicit_sources(const struct isa_row *row)
{
    unsigned implied = row->flags & (ISA_F(TIED) | ISA_F(VCC) | ISA_F(SWAP)) ? 1 : 0;
    return count_types(row->src_type, ISA_MAX_SRC) - implied;
}

static bool is_vector_short(enum isa_encoding encoding)
{
    return encoding == ISA_VOP1 || encoding == ISA_VOP2 || encoding == ISA_VOPC;
}

/* SDWA and DPP work on one register a side. */
static bool is_narrow(const struct isa_row *row)
{
    for (unsigned i = 0; i < ISA_MAX_SRC; i++) {
        if (isa_type_dwords((enum isa_type)row->src_type[i]) > 1)
            return false;
    }
    return isa_type_dwords((enum isa_type)row->dst_type[0]) <= 1;
}

/* The form of a row that was found by its short opcode: source 0's code may say that it is another. */
static bool pick_short_form(struct isa_decoding *d, enum isa_encoding encoding)
{
    uint32_t code = isa_bits_get(d->bits, d->layout->src[0].bits);
    bool is_compare = encoding == ISA_VOPC, narrow = is_narrow(d->row);
    d->form = encoding;
    if (code == ISA_CODE_SDWA) {
        d->form = is_compare ? ISA_FORM_SDWA_COMPARE : ISA_SDWA;
        d->inst->encoding = ISA_SDWA;
        return narrow && !has(d, ISA_F(NO_SDWA));
    }
    if (code == ISA_CODE_DPP || code == ISA_CODE_DPP8 || code == ISA_CODE_DPP8_FI) {
        d->form = (code == ISA_CODE_DPP ? ISA_DPP16 : ISA_DPP8);
        d->inst->encoding = (uint8_t)d->form;
        return narrow && !is_compare && !has(d, ISA_F(NO_DPP));
    }
    return true;
}

static void pick_vop3_form(struct isa_decoding *d)
{
    bool is_b = d->row->dst_type[1] == ISA_T_MASK;
    if (is_b)
        d->inst->encoding = ISA_VOP3B;
    d->form = has(d, ISA_F(INTERP)) ? ISA_FORM_VOP3_INTERP : d->inst->encoding;
}

/* FLAT's three segments share their first bits. */
static bool pick_segment(uint32_t word, enum isa_encoding *encoding)
{
    static const enum isa_encoding segments[] = {ISA_FLAT, ISA_SCRATCH, ISA_GLOBAL};
    unsigned segment = isa_bits_get(word, (struct isa_bits){14, 2, false});
    if (segment >= sizeof segments / sizeof segments[0])
        return false;
    *encoding = segments[segment];
    return true;
}

static bool find_row(struct isa_decoding *d)
{
    enum isa_encoding encoding;
    if (!isa_encoding_of_word(d->words[0], &encoding))
        return false;
    if (encoding == ISA_FLAT && !pick_segment(d->words[0], &encoding))
        return false;
    d->layout = &isa_layouts[encoding];
    d->inst->encoding = (uint8_t)encoding;
    unsigned opcode = isa_bits_get(d->bits, d->layout->op) | isa_bits_get(d->bits, d->layout->op_high) << d->layout->op.width;
    d->row = isa_row_find(d->chip, encoding, opcode);
    if (!d->row)
        return false;
    d->inst->row = d->row;
    d->form = encoding;
    if (encoding == ISA_VOP3)
        pick_vop3_form(d);
    else if (is_vector_short(encoding) && !pick_short_form(d, encoding))
        return false;
    d->layout = &isa_layouts[d->form];
    return true;
}

static void read_plain_fields(struct isa_decoding *d)
{
#define X(member) d->inst->member = (__typeof__(d->inst->member))isa_bits_get_signed(d->bits, d->layout->member);
#include "isa_fields.def"
#undef X
}

bool isa_decode_operand(struct isa_decoding *d, struct isa_slot slot, enum isa_type type, unsigned dwords,
                        struct isa_operand *operand)
{
    operand->type = (uint8_t)type;
    operand->dwords = (uint8_t)dwords;
    if (!isa_operand_read(slot.kind, isa_bits_get(d->bits, slot.bits), operand))
        return false;
    d->has_literal |= operand->kind == ISA_O_LITERAL;
    return true;
}

/* v_interp_mov's source is one of the three parameters. */
static bool read_parameter(struct isa_decoding *d, struct isa_slot slot, struct isa_operand *operand)
{
    slot.kind = ISA_SLOT_IMM;
    return isa_decode_operand(d, slot, ISA_T_B32, 1, operand) && operand->value < 3;
}

static bool read_typed(struct isa_decoding *d, struct isa_slot slot, enum isa_type type, struct isa_operand *operand)
{
    return isa_decode_operand(d, slot, type, isa_operand_dwords(type, d->wave_size), operand);
}

/* An operand that no field names. */
static void set_implied(struct isa_decoding *d, enum isa_type type, unsigned code, struct isa_operand *operand)
{
    *operand = (struct isa_operand){.kind = ISA_O_SREG,
                                    .type = (uint8_t)type,
                                    .reg = (uint16_t)code,
                                    .dwords = (uint8_t)isa_operand_dwords(type, d->wave_size)};
}

static bool read_destination(struct isa_decoding *d, unsigned i)
{
    struct isa_slot slot = d->layout->dst[i];
    enum isa_type type = (enum isa_type)d->row->dst_type[i];
    struct isa_operand *operand = &d->inst->dst[i];
    bool is_mask = type == ISA_T_MASK;
    bool is_explicit = isa_bits_get(d->bits, d->layout->dst_is_explicit);
    if (has(d, ISA_F(EXEC))) {
        set_implied(d, type, ISA_CODE_EXEC, operand);
        return !is_explicit;
    }
    bool is_default = d->form == ISA_FORM_SDWA_COMPARE && !is_explicit;
    if (is_mask && (is_default || slot.kind == ISA_SLOT_NONE)) {
        set_implied(d, type, ISA_CODE_VCC, operand);
        return true;
    }
    if (has(d, ISA_F(SDST)) || is_mask) {
        slot.kind = ISA_SLOT_SREG;
        if (isa_bits_get(d->bits, slot.bits) >= ISA_CODE_ZERO)
            return false;
    }
    return read_typed(d, slot, type, operand);
}

/* Scalar-only and vector-only sources. */
static bool suits(const struct isa_decoding *d, unsigned i)
{
    static const uint64_t scalar[] = {ISA_F(SCALAR0), ISA_F(SCALAR1), ISA_F(SCALAR2)};
    const struct isa_operand *operand = &d->inst->src[i];
    if (i == 0 && has(d, ISA_F(VGPR0)))
        return operand->kind == ISA_O_VREG || (has(d, ISA_F(SDST)) && operand->reg == ISA_CODE_LDS_DIRECT);
    if (i == 0 && has(d, ISA_F(REG0)))
        return operand->kind == ISA_O_SREG || operand->kind == ISA_O_SPECIAL;
    if (operand->type == ISA_T_MASK)
        return operand->kind == ISA_O_SREG && operand->reg < ISA_CODE_EXEC;
    if (d->form == ISA_FORM_VOP3_INTERP || (d->form == ISA_VOP3 && operand->dwords > 2))
        return operand->kind == ISA_O_VREG;
    bool is_lds = operand->kind == ISA_O_SPECIAL && operand->reg == ISA_CODE_LDS_DIRECT;
    return i >= 3 || !has(d, scalar[i]) || !(operand->kind == ISA_O_VREG || (is_lds && i > 0));
}

static bool read_source(struct isa_decoding *d, unsigned i)
{
    enum isa_type type = (enum isa_type)d->row->src_type[i];
    struct isa_operand *operand = &d->inst->src[i];
    unsigned field = i;
    if ((i == 1 && has(d, ISA_F(K1))) || (i == 2 && has(d, ISA_F(K2)))) {
        *operand = (struct isa_operand){.kind = ISA_O_LITERAL, .type = (uint8_t)type, .dwords = 1};
        d->has_literal = true;
        return true;
    }
    if (i == 2 && has(d, ISA_F(K1)))
        field = 1;
    struct isa_slot slot = d->layout->src[field];
    if (d->row->id == ISA_v_interp_mov_f32)
        return read_parameter(d, slot, operand);
    if (type == ISA_T_MASK && slot.kind == ISA_SLOT_NONE) {
        set_implied(d, type, ISA_CODE_VCC, operand);
        return true;
    }
    if (field < 2 && isa_bits_get(d->bits, d->layout->src_is_scalar[field]))
        slot.kind = ISA_SLOT_SRC;
    bool is_sdwa = d->inst->encoding == ISA_SDWA; /* which no literal can follow */
    return read_typed(d, slot, type, operand) && suits(d, i) && !(is_sdwa && operand->kind == ISA_O_LITERAL);
}

/* SOPK's register field is a destination or a source; its immediate is the source of 16 bits. */
static bool read_sopk_source(struct isa_decoding *d, unsigned i)
{
    enum isa_type type = (enum isa_type)d->row->src_type[i];
    struct isa_operand *operand = &d->inst->src[i];
    if (!isa_type_is_16(type)) {
        if (has(d, ISA_F(K1))) {
            *operand = (struct isa_operand){.kind = ISA_O_LITERAL, .type = (uint8_t)type, .dwords = 1};
            d->has_literal = true;
            return true;
        }
        return read_typed(d, d->layout->dst[0], type, operand);
    }
    *operand = (struct isa_operand){.kind = ISA_O_IMM, .type = (uint8_t)type};
    operand->value = type == ISA_T_I16 ? (uint64_t)(int64_t)d->inst->simm16 : (uint16_t)d->inst->simm16;
    return true;
}

/* Fields that a row leaves unused must be zero in some forms. */
static bool unused_fields_are_zero(const struct isa_decoding *d, unsigned used)
{
    bool is_vop3 = d->layout->src[0].kind == ISA_SLOT_SRC && d->layout->bytes == 8;
    bool is_empty = used == 0 && d->inst->dst_count == 0;
    if (is_empty && d->form == ISA_SOPP)
        return d->inst->simm16 == 0;
    if (!is_vop3 && !(is_empty && d->form == ISA_VOP1))
        return true;
    for (unsigned i = used; i < ISA_MAX_SRC; i++) {
        if (isa_bits_get(d->bits, d->layout->src[i].bits))
            return false;
    }
    return d->inst->dst_count || !isa_bits_get(d->bits, d->layout->dst[0].bits);
}

static bool read_sources(struct isa_decoding *d)
{
    unsigned used = isa_row_explicit_sources(d->row);
    bool is_immediate = d->form == ISA_SOPK || d->form == ISA_SOPP;
    for (unsigned i = 0; i < used; i++) {
        if (is_immediate ? !read_sopk_source(d, i) : !read_source(d, i))
            return false;
    }
    return unused_fields_are_zero(d, used);
}

static void add_implied_sources(struct isa_decoding *d)
{
    struct isa_operand *last = &d->inst->src[d->inst->src_count - 1];
    if (has(d, ISA_F(TIED) | ISA_F(SWAP))) {
        *last = d->inst->dst[0];
        last->type = d->row->src_type[d->inst->src_count - 1];
    }
    if (has(d, ISA_F(VCC)))
        set_implied(d, ISA_T_MASK, ISA_CODE_VCC, last);
    if (has(d, ISA_F(SWAP)))
        d->inst->dst[1] = d->inst->src[0];
}

static bool read_operands(struct isa_decoding *d)
{
    unsigned destinations = has(d, ISA_F(SWAP)) ? 1 : d->inst->dst_count;
    for (unsigned i = 0; i < destinations; i++) {
        if (!read_destination(d, i))
            return false;
    }
    return read_sources(d);
}

/* RDNA ISA guide, "Export targets". */
static bool is_export_target(unsigned target)
{
    return target <= 9 || (target >= 12 && target <= 16) || target == 20 || target >= 32;
}

static bool is_memory(unsigned form)
{
    return form == ISA_SMEM || (form >= ISA_DS && form <= ISA_MIMG);
}

static bool read_all_operands(struct isa_decoding *d)
{
    d->inst->dst_count = (uint8_t)count_types(d->row->dst_type, ISA_MAX_DST);
    d->inst->src_count = (uint8_t)count_types(d->row->src_type, ISA_MAX_SRC);
    if (is_memory(d->form))
        return isa_decode_memory(d);
    if (d->form == ISA_EXP && !is_export_target(d->inst->exp_target))
        return false;
    if (!read_operands(d) || !isa_decode_vector(d))
        return false;
    if (d->inst->src_count)
        add_implied_sources(d);
    return true;
}

static enum isa_status read_literal(struct isa_decoding *d)
{
    unsigned at = d->inst->size / 4;
    if (!d->has_literal)
        return ISA_OK;
    if (at >= d->count)
        return ISA_TRUNCATED;
    d->inst->literal = d->words[at];
    d->inst->size += 4;
    for (unsigned i = 0; i < d->inst->src_count; i++) {
        if (d->inst->src[i].kind == ISA_O_LITERAL)
            isa_operand_set_literal(&d->inst->src[i], d->inst->literal);
    }
    return ISA_OK;
}

static enum isa_status decode(struct isa_decoding *d)
{
    if (!find_row(d))
        return ISA_UNKNOWN;
    if (d->count * 4 < d->layout->bytes)
        return ISA_TRUNCATED;
    if (isa_bits_get(d->bits, d->layout->must_be_zero))
        return ISA_UNKNOWN;
    d->inst->size = d->layout->bytes;
    read_plain_fields(d);
    if (!read_all_operands(d))
        return ISA_UNKNOWN;
    if (d->inst->nsa)
        return d->inst->size > d->count * 4 ? ISA_TRUNCATED : ISA_OK;
    return read_literal(d);
}

enum isa_status isa_decode(enum isa_chip_bit chip, unsigned wave_size, const uint32_t *words, size_t count, struct isa_inst *inst)
{
    *inst = (struct isa_inst){.size = 4};
    if (count == 0)
        return ISA_TRUNCATED;
    struct isa_decoding d = {.chip = chip, .wave_size = wave_size, .words = words, .count = count, .inst = inst};
    d.bits = words[0] | (count > 1 ? (uint64_t)words[1] << 32 : 0);
    enum isa_status status = decode(&d);
    if (status != ISA_OK)
        *inst = (struct isa_inst){.size = 4};
    return status;
}
