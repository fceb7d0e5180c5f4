/* Instructions as LLVM's assembler text. */
#include "isa/isa_decode.h"
#include "isa/isa_text.h"
#include "isa/isa_type.h"

static bool has(const struct isa_inst *inst, uint64_t flag)
{
    return inst->row->flags & flag;
}

/* The suffix says which form a row of several is in; a row of one form has none. */
static const char *suffix(const struct isa_inst *inst)
{
    bool is_short = inst->row->encoding == ISA_VOP1 || inst->row->encoding == ISA_VOP2 || inst->row->encoding == ISA_VOPC ||
                    inst->row->encoding == ISA_VINTRP;
    bool has_operands = inst->dst_count || inst->src_count;
    switch ((enum isa_encoding)inst->encoding) {
    case ISA_SDWA: return "_sdwa";
    case ISA_DPP16:
    case ISA_DPP8: return "_dpp";
    case ISA_VOP3:
    case ISA_VOP3B: return is_short && has_operands ? "_e64" : "";
    default: return is_short && has_operands && !has(inst, ISA_F(NO_E64)) ? "_e32" : "";
    }
}

/* A minus before a number would be read as part of it. */
static void add_modified_source(struct isa_text *text, const struct isa_inst *inst, unsigned i)
{
    const struct isa_operand *operand = &inst->src[i];
    bool is_packed = inst->encoding == ISA_VOP3P && !has(inst, ISA_F(MIX));
    bool neg = inst->neg >> i & 1 && !is_packed, abs = inst->abs >> i & 1, sext = inst->sext >> i & 1;
    bool is_number = operand->kind == ISA_O_CONST || operand->kind == ISA_O_LITERAL;
    const char *open = sext ? "sext(" : !neg ? "" : is_number && !abs ? "neg(" : "-";
    isa_text_add(text, "%s%s", open, abs ? "|" : "");
    isa_text_operand(text, inst, operand);
    isa_text_add(text, "%s%s", abs ? "|" : "", sext || open[0] == 'n' ? ")" : "");
}

static void add_addresses(struct isa_text *text, const struct isa_inst *inst)
{
    if (!inst->nsa) {
        isa_text_vgprs(text, inst->addr[0], inst->addr_count);
        return;
    }
    for (unsigned i = 0; i < inst->addr_count; i++)
        isa_text_add(text, "%sv%u", i ? ", " : "[", inst->addr[i]);
    isa_text_add(text, "]");
}

static void add_attribute(struct isa_text *text, const struct isa_inst *inst)
{
    isa_text_add(text, "attr%u.%c", inst->attr, "xyzw"[inst->attr_chan]);
}

/* SMEM's offset is a register, a number, or both. */
static void add_scalar_offset(struct isa_text *text, const struct isa_inst *inst)
{
    const struct isa_operand *offset = &inst->src[inst->src_count - 1];
    const char *sign = inst->offset < 0 ? "-" : "";
    unsigned magnitude = (unsigned)(inst->offset < 0 ? -inst->offset : inst->offset);
    if (offset->kind == ISA_O_NONE) {
        if (inst->offset)
            isa_text_add(text, "%s0x%x", sign, magnitude);
        else
            isa_text_add(text, "null");
        return;
    }
    isa_text_operand(text, inst, offset);
    if (inst->offset)
        isa_text_add(text, " offset:%s0x%x", sign, magnitude);
}

static void add_source(struct isa_text *text, const struct isa_inst *inst, unsigned i, enum isa_chip_bit chip)
{
    static const char *const parameters[] = {"p10", "p20", "p0"};
    if (inst->src[i].kind == ISA_O_IMM && (inst->encoding == ISA_SOPP || inst->encoding == ISA_SOPK))
        isa_text_immediate(text, inst, chip);
    else if (inst->src[i].kind == ISA_O_IMM && has(inst, ISA_F(INTERP)))
        isa_text_add(text, "%s", parameters[inst->src[i].value]);
    else if (inst->encoding == ISA_SMEM && i + 1u == inst->src_count)
        add_scalar_offset(text, inst);
    else
        add_modified_source(text, inst, i);
}

/* Names each operand in turn, with what the syntax puts between them. */
struct list {
    struct isa_text *text;
    const char *separator;
};

static void next(struct list *list)
{
    isa_text_add(list->text, "%s", list->separator);
    list->separator = ", ";
}

/* An atomic's result goes where its data was; the text has that register once, unless it has a field of its own. */
static bool is_result_in_data(const struct isa_inst *inst)
{
    return has(inst, ISA_F(ATOMIC)) && (inst->encoding == ISA_SMEM || inst->encoding >= ISA_MUBUF);
}

static void add_destinations(struct list *list, const struct isa_inst *inst)
{
    if (has(inst, ISA_F(EXEC)) || is_result_in_data(inst))
        return;
    for (unsigned i = 0; i < inst->dst_count && !(i && has(inst, ISA_F(SWAP))); i++) {
        next(list);
        isa_text_operand(list->text, inst, &inst->dst[i]);
    }
}

static void add_sources(struct list *list, const struct isa_inst *inst, enum isa_chip_bit chip)
{
    unsigned count = isa_row_explicit_sources(inst->row);
    unsigned address = has(inst, ISA_F(STORE) | ISA_F(ATOMIC)) ? 1 : 0;
    for (unsigned i = 0; i < count; i++) {
        if (inst->encoding == ISA_MIMG && i == address) {
            next(list);
            add_addresses(list->text, inst);
        }
        next(list);
        add_source(list->text, inst, i, chip);
        if (i == 0 && has(inst, ISA_F(INTERP))) {
            next(list);
            add_attribute(list->text, inst);
        }
    }
}

static void add_operands(struct isa_text *text, const struct isa_inst *inst, enum isa_chip_bit chip)
{
    struct list list = {text, " "};
    if (inst->row->id == ISA_s_endpgm && !inst->simm16)
        return;
    add_destinations(&list, inst);
    add_sources(&list, inst, chip);
}

size_t isa_print(const struct isa_inst *inst, enum isa_chip_bit chip, unsigned wave_size, uint64_t pc, char *buffer, size_t size)
{
    struct isa_text text = {buffer, size, 0};
    (void)wave_size;
    (void)pc;
    if (size)
        buffer[0] = 0;
    isa_text_add(&text, "%s%s", inst->row->name, suffix(inst));
    if (inst->encoding == ISA_EXP) {
        isa_text_export(&text, inst);
        return text.used;
    }
    add_operands(&text, inst, chip);
    if (inst->attr_high)
        isa_text_add(&text, " high");
    isa_text_vector_modifiers(&text, inst);
    isa_text_memory_modifiers(&text, inst);
    return text.used;
}
