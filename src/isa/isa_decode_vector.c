/* Modifiers of the vector forms: which bits a row allows, ignores or forbids. */
#include "isa/isa_decode.h"

#include "isa/isa_type.h"

static bool has(const struct isa_decoding *d, uint64_t flag)
{
    return d->row->flags & flag;
}

static bool takes_float_modifiers(const struct isa_decoding *d, unsigned source)
{
    enum isa_type type = (enum isa_type)d->row->src_type[source];
    return isa_type_is_float(type) || (has(d, ISA_F(MODS)) && type != ISA_T_MASK);
}

static uint8_t float_sources(const struct isa_decoding *d, unsigned count)
{
    uint8_t set = 0;
    for (unsigned i = 0; i < count; i++)
        set |= (uint8_t)(takes_float_modifiers(d, i) << i);
    return set;
}

/* An integer source beside a float one (v_ldexp) has its neg bit read as sext, and no abs. */
static bool has_sext_sources(const struct isa_decoding *d, uint8_t floats)
{
    return floats && d->row->encoding != ISA_VOPC && !has(d, ISA_F(MODS)) && d->row->encoding != ISA_VOP3B;
}

static bool check_source_modifiers(struct isa_decoding *d)
{
    struct isa_inst *inst = d->inst;
    unsigned count = isa_row_explicit_sources(d->row);
    uint8_t all = (uint8_t)((1u << count) - 1u), floats = float_sources(d, count);
    uint8_t ints = (uint8_t)(all & ~floats);
    if ((inst->neg | inst->abs) & ~all)
        return false;
    if (has_sext_sources(d, floats)) {
        inst->sext |= inst->neg & ints;
        inst->neg &= floats;
        inst->abs &= floats;
    } else if (has(d, ISA_F(OPSEL) | ISA_F(LANE_SEL))) {
        inst->neg &= floats;
        inst->abs &= floats;
    }
    return !((inst->neg | inst->abs) & ints);
}

/* op_sel has a bit for each source and, in bit 3, one for the destination. */
static bool check_op_sel(struct isa_decoding *d)
{
    unsigned count = isa_row_explicit_sources(d->row);
    if (has(d, ISA_F(LANE_SEL)))
        d->inst->op_sel &= 3;
    else if (has(d, ISA_F(HALVES)))
        d->inst->op_sel &= (uint8_t)(8u | ((1u << count) - 1u));
    else if (!has(d, ISA_F(OPSEL)))
        d->inst->op_sel = 0;
    return !(d->inst->op_sel & 7u >> count << count);
}

static bool decode_vop3(struct isa_decoding *d)
{
    if ((d->inst->clamp && !has(d, ISA_F(CLAMP))) || (d->inst->omod && !has(d, ISA_F(OMOD))))
        return false;
    return check_source_modifiers(d) && check_op_sel(d);
}

static bool decode_vop3p(struct isa_decoding *d)
{
    struct isa_inst *inst = d->inst;
    unsigned count = isa_row_explicit_sources(d->row);
    uint8_t all = (uint8_t)((1u << count) - 1u);
    inst->op_sel_hi |= (uint8_t)(isa_bits_get(d->bits, d->layout->op_sel_hi2) << 2);
    inst->op_sel_hi &= all;
    if (has(d, ISA_F(MIX))) {
        inst->abs = inst->neg_hi;
        inst->neg_hi = 0;
    }
    return !((inst->neg | inst->neg_hi | inst->abs | inst->op_sel) & ~all);
}

/* The attribute stands in source 0's place, which can have no modifiers; only the f16 rows choose a half of it. */
static bool decode_interp(struct isa_decoding *d)
{
    if ((d->inst->neg | d->inst->abs) & 1 || (d->inst->attr_high && d->row->encoding == ISA_VINTRP))
        return false;
    d->inst->neg >>= 1;
    d->inst->abs >>= 1;
    return decode_vop3(d);
}

/* Puts the second source's bits beside the first one's. */
static void join_source_bits(struct isa_decoding *d)
{
    const struct isa_layout *layout = d->layout;
    d->inst->neg |= (uint8_t)(isa_bits_get(d->bits, layout->neg1) << 1);
    d->inst->abs |= (uint8_t)(isa_bits_get(d->bits, layout->abs1) << 1);
    d->inst->sext |= (uint8_t)(isa_bits_get(d->bits, layout->sext1) << 1);
}

static bool read_sdwa_selects(struct isa_decoding *d, unsigned sources)
{
    bool is_compare = d->form == ISA_FORM_SDWA_COMPARE;
    for (unsigned i = 0; i < 3; i++) {
        uint32_t sel = isa_bits_get(d->bits, d->layout->sdwa_sel[i]);
        bool is_used = i <= sources && !(is_compare && i == 0);
        if (sel > ISA_DWORD || (!is_used && sel))
            return false;
        d->inst->sdwa_sel[i] = (uint8_t)(is_compare && i == 0 ? ISA_DWORD : sel);
    }
    return d->inst->sdwa_unused <= ISA_UNUSED_PRESERVE;
}

static bool decode_sdwa(struct isa_decoding *d)
{
    struct isa_inst *inst = d->inst;
    unsigned count = isa_row_explicit_sources(d->row);
    if (count > 2)
        count = 2;
    uint8_t all = (uint8_t)((1u << count) - 1u), floats = float_sources(d, count);
    join_source_bits(d);
    if (!read_sdwa_selects(d, count) || (count < 2 && isa_bits_get(d->bits, d->layout->src_is_scalar[1])))
        return false;
    if (inst->omod && !isa_type_is_float((enum isa_type)d->row->dst_type[0]))
        return false;
    return !((inst->neg | inst->abs) & ~floats) && !(inst->sext & ~(all & ~floats));
}

static bool is_dpp_control(unsigned control)
{
    enum { QUAD_PERM_END = 0x100, ROW_MIRROR = 0x140, ROW_HALF_MIRROR, ROW_SHARE = 0x150, ROW_XMASK_END = 0x170 };
    bool is_shift = control > QUAD_PERM_END && control < 0x130 && control % 16;
    return control < QUAD_PERM_END || is_shift || control == ROW_MIRROR || control == ROW_HALF_MIRROR ||
           (control >= ROW_SHARE && control < ROW_XMASK_END);
}

static bool decode_dpp(struct isa_decoding *d)
{
    join_source_bits(d);
    if (has(d, ISA_F(NO_MODS)))
        d->inst->neg = d->inst->abs = 0;
    return is_dpp_control(d->inst->dpp_ctrl) && check_source_modifiers(d);
}

bool isa_decode_vector(struct isa_decoding *d)
{
    switch (d->form) {
    case ISA_VOP3:
    case ISA_VOP3B: return decode_vop3(d);
    case ISA_FORM_VOP3_INTERP: return decode_interp(d);
    case ISA_VOP3P: return decode_vop3p(d);
    case ISA_SDWA:
    case ISA_FORM_SDWA_COMPARE: return decode_sdwa(d);
    case ISA_DPP16: return decode_dpp(d);
    default: return true;
    }
}
