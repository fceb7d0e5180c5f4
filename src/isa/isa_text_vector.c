/* What follows a vector instruction's operands: op_sel, clamp, omod, SDWA selects, DPP controls. */
#include "isa/isa_decode.h"
#include "isa/isa_text.h"

/* " name:[a,b,c]", one bit of each source. */
static void add_bits(struct isa_text *text, const char *name, unsigned bits, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        isa_text_add(text, "%s%s%u", i ? "," : " ", i ? "" : name, bits >> i & 1);
    isa_text_add(text, "]");
}

static void add_output_modifiers(struct isa_text *text, const struct isa_inst *inst)
{
    static const char *const omods[] = {"", " mul:2", " mul:4", " div:2"};
    isa_text_add(text, "%s%s", inst->clamp ? " clamp" : "", omods[inst->omod]);
}

static void add_vop3(struct isa_text *text, const struct isa_inst *inst)
{
    unsigned sources = isa_row_explicit_sources(inst->row);
    if (inst->op_sel && inst->row->flags & ISA_F(LANE_SEL))
        add_bits(text, "op_sel:[", inst->op_sel, 2);
    else if (inst->op_sel && inst->row->flags & ISA_F(OPSEL))
        add_bits(text, "op_sel:[", (inst->op_sel & 7u) | (inst->op_sel & 8u ? 1u << sources : 0), sources + 1);
    add_output_modifiers(text, inst);
}

static void add_vop3p(struct isa_text *text, const struct isa_inst *inst)
{
    unsigned sources = isa_row_explicit_sources(inst->row), all = (1u << sources) - 1;
    bool is_mix = inst->row->flags & ISA_F(MIX);
    if (inst->op_sel)
        add_bits(text, "op_sel:[", inst->op_sel, sources);
    if (inst->op_sel_hi != (is_mix ? 0 : all))
        add_bits(text, "op_sel_hi:[", inst->op_sel_hi, sources);
    if (!is_mix && inst->neg)
        add_bits(text, "neg_lo:[", inst->neg, sources);
    if (inst->neg_hi)
        add_bits(text, "neg_hi:[", inst->neg_hi, sources);
    isa_text_add(text, "%s", inst->clamp ? " clamp" : "");
}

static const char *const select_names[] = {"BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1", "DWORD"};

static void add_sdwa(struct isa_text *text, const struct isa_inst *inst)
{
    static const char *const unused[] = {"UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE"};
    unsigned sources = isa_row_explicit_sources(inst->row);
    if (inst->row->encoding != ISA_VOPC) {
        add_output_modifiers(text, inst);
        isa_text_add(text, " dst_sel:%s dst_unused:%s", select_names[inst->sdwa_sel[0]], unused[inst->sdwa_unused]);
    }
    for (unsigned i = 0; i < sources && i < 2; i++)
        isa_text_add(text, " src%u_sel:%s", i, select_names[inst->sdwa_sel[i + 1]]);
}

static void add_dpp_control(struct isa_text *text, unsigned control)
{
    static const char *const rows[] = {[0x10] = "row_shl", "row_shr", "row_ror", [0x15] = "row_share", "row_xmask"};
    if (control < 0x100)
        isa_text_add(text, " quad_perm:[%u,%u,%u,%u]", control & 3, control >> 2 & 3, control >> 4 & 3, control >> 6);
    else if (control == 0x140 || control == 0x141)
        isa_text_add(text, " row_%smirror", control == 0x141 ? "half_" : "");
    else
        isa_text_add(text, " %s:%u", rows[control >> 4], control & 15);
}

static void add_dpp16(struct isa_text *text, const struct isa_inst *inst)
{
    add_dpp_control(text, inst->dpp_ctrl);
    isa_text_add(text, " row_mask:0x%x bank_mask:0x%x%s%s", inst->dpp_row_mask, inst->dpp_bank_mask,
                 inst->dpp_bound_ctrl ? " bound_ctrl:1" : "", inst->dpp_fi ? " fi:1" : "");
}

static void add_dpp8(struct isa_text *text, const struct isa_inst *inst)
{
    for (unsigned lane = 0; lane < 8; lane++)
        isa_text_add(text, "%s%u", lane ? "," : " dpp8:[", inst->dpp8 >> 3 * lane & 7);
    isa_text_add(text, "]%s", inst->dpp_fi ? " fi:1" : "");
}

void isa_text_vector_modifiers(struct isa_text *text, const struct isa_inst *inst)
{
    switch ((enum isa_encoding)inst->encoding) {
    case ISA_VOP3:
    case ISA_VOP3B: add_vop3(text, inst); break;
    case ISA_VOP3P: add_vop3p(text, inst); break;
    case ISA_SDWA: add_sdwa(text, inst); break;
    case ISA_DPP16: add_dpp16(text, inst); break;
    case ISA_DPP8: add_dpp8(text, inst); break;
    default: break;
    }
}
