/* Operands of the memory forms: which registers an access names depends on its modifiers. */
#include "isa/isa_decode.h"

#include "isa/isa_image.h"
#include "isa/isa_operand.h"
#include "isa/isa_type.h"

static bool has(const struct isa_decoding *d, uint64_t flag)
{
    return d->row->flags & flag;
}

static enum isa_type source_type(const struct isa_decoding *d, unsigned i)
{
    return (enum isa_type)d->row->src_type[i];
}

/* Reads source i of the row from that slot of the layout. */
static bool read_source(struct isa_decoding *d, unsigned i, unsigned slot, unsigned dwords)
{
    return isa_decode_operand(d, d->layout->src[slot], source_type(d, i), dwords, &d->inst->src[i]);
}

/* An operand that is off: its type stands, it has no register. */
static void set_off(struct isa_decoding *d, unsigned i)
{
    d->inst->src[i] = (struct isa_operand){.kind = ISA_O_NONE, .type = d->row->src_type[i]};
}

/* A field that the row does not use must be zero. */
static bool is_zero(const struct isa_decoding *d, struct isa_slot slot)
{
    return !isa_bits_get(d->bits, slot.bits);
}

static bool read_destination(struct isa_decoding *d, unsigned dwords)
{
    return isa_decode_operand(d, d->layout->dst[0], (enum isa_type)d->row->dst_type[0], dwords, &d->inst->dst[0]);
}

/* An atomic writes a register only when glc asks for the old value. */
static void drop_unreturned(struct isa_decoding *d)
{
    if (has(d, ISA_F(ATOMIC)) && !d->inst->glc)
        d->inst->dst_count = 0;
}

static bool is_m0_or_exec(const struct isa_operand *operand)
{
    return operand->kind == ISA_O_SREG && (operand->reg == ISA_CODE_M0 || operand->reg >= ISA_CODE_EXEC);
}

static bool decode_smem(struct isa_decoding *d)
{
    struct isa_inst *inst = d->inst;
    unsigned count = inst->src_count;
    drop_unreturned(d);
    if (inst->dst_count) {
        unsigned dwords = isa_type_dwords((enum isa_type)d->row->dst_type[0]);
        if (!read_destination(d, dwords) || is_m0_or_exec(&inst->dst[0]))
            return false;
    }
    for (unsigned i = 0; i < count; i++) {
        struct isa_slot slot = d->layout->src[3 - count + i];
        bool is_probe = i == 0 && count == 3 && !has(d, ISA_F(STORE) | ISA_F(ATOMIC));
        if (is_probe)
            slot.kind = ISA_SLOT_IMM;
        if (!isa_decode_operand(d, slot, source_type(d, i), isa_type_dwords(source_type(d, i)), &inst->src[i]))
            return false;
    }
    if (has(d, ISA_F(STORE) | ISA_F(ATOMIC)) && is_m0_or_exec(&inst->src[0]))
        return false;
    if (count == 0)
        inst->offset = 0;
    if (!has(d, ISA_F(LOAD) | ISA_F(STORE) | ISA_F(ATOMIC)))
        inst->glc = inst->dlc = false;
    if (count && inst->src[count - 1].reg == ISA_CODE_NULL)
        set_off(d, count - 1);
    return true;
}

static bool decode_ds(struct isa_decoding *d)
{
    struct isa_inst *inst = d->inst;
    unsigned first = has(d, ISA_F(ADDTID)) ? 1 : 0;
    if (inst->gds ? has(d, ISA_F(NO_GDS)) : has(d, ISA_F(GDS)))
        return false;
    if (d->row->id == ISA_ds_nop && inst->offset)
        return false;
    if (has(d, ISA_F(OFFSET2))) {
        inst->offset1 = (uint8_t)(inst->offset >> 8);
        inst->offset &= 0xff;
    }
    if (inst->dst_count ? !read_destination(d, isa_type_dwords((enum isa_type)d->row->dst_type[0]))
                        : !is_zero(d, d->layout->dst[0]))
        return false;
    for (unsigned slot = 0; slot < 3; slot++) {
        bool is_used = slot >= first && slot - first < inst->src_count;
        if (!is_used ? !is_zero(d, d->layout->src[slot])
                     : !read_source(d, slot - first, slot, isa_type_dwords(source_type(d, slot - first))))
            return false;
    }
    return true;
}

/* The scalar base of FLAT, GLOBAL and SCRATCH, and what its code says about the address. */
struct base {
    bool is_register, is_stack; /* is_stack: scratch without any register, from gfx10.3 on */
};

static bool read_base(const struct isa_decoding *d, struct base *base)
{
    uint32_t code = isa_bits_get(d->bits, d->layout->src[2].bits);
    base->is_stack = d->row->encoding == ISA_SCRATCH && code == ISA_CODE_EXEC + 1;
    base->is_register = code != ISA_CODE_NULL && !base->is_stack;
    return base->is_stack ? d->chip & ISA_GFX10_3 : d->row->encoding != ISA_FLAT || !base->is_register;
}

/* Scratch has one address register or a base; the others' address is 64 bits wide, or 32 beside a base. */
static bool read_flat_address(struct isa_decoding *d, unsigned i, const struct base *base)
{
    bool is_scratch = d->row->encoding == ISA_SCRATCH;
    if (base->is_stack || (is_scratch && base->is_register)) {
        set_off(d, i);
        return true;
    }
    return read_source(d, i, 0, base->is_register || is_scratch ? 1 : 2);
}

/* FLAT, GLOBAL and SCRATCH: address, data, scalar base. */
static bool decode_flat(struct isa_decoding *d)
{
    struct isa_inst *inst = d->inst;
    unsigned i = 0;
    struct base base;
    drop_unreturned(d);
    if (!read_base(d, &base) || (inst->lds && !has(d, ISA_F(LDS))))
        return false;
    if (inst->lds)
        inst->dst_count = 0;
    if (inst->dst_count && !read_destination(d, isa_type_dwords((enum isa_type)d->row->dst_type[0])))
        return false;
    if (!has(d, ISA_F(ADDTID)) && !read_flat_address(d, i++, &base))
        return false;
    if (has(d, ISA_F(STORE) | ISA_F(ATOMIC)) && !read_source(d, i, 1, isa_type_dwords(source_type(d, i))))
        return false;
    unsigned last = inst->src_count - 1u;
    if (base.is_register)
        return read_source(d, last, 2, isa_type_dwords(source_type(d, last)));
    if (d->row->encoding != ISA_FLAT)
        set_off(d, last);
    return true;
}

/* MUBUF and MTBUF: data, vector address, resource, scalar offset. */
static bool decode_buffer(struct isa_decoding *d)
{
    struct isa_inst *inst = d->inst;
    unsigned first = has(d, ISA_F(LOAD)) ? 1 : 0, address = 1 - first;
    unsigned address_dwords = (unsigned)inst->offen + inst->idxen;
    drop_unreturned(d);
    if (inst->src_count == 0) {
        inst->offset = 0;
        inst->slc = false;
        return !(inst->offen || inst->idxen || inst->glc || inst->dlc || inst->lds || inst->tfe);
    }
    bool is_atomic = has(d, ISA_F(ATOMIC)), is_typed = d->row->encoding == ISA_MTBUF;
    if ((inst->lds && !has(d, ISA_F(LDS))) || (inst->tfe && (is_atomic || is_typed || inst->lds)) || (inst->dlc && is_atomic))
        return false;
    if (inst->lds)
        inst->dst_count = 0;
    if (inst->dst_count && !read_destination(d, isa_type_dwords((enum isa_type)d->row->dst_type[0]) + inst->tfe))
        return false;
    for (unsigned i = 0; i < inst->src_count; i++) {
        unsigned dwords = isa_type_dwords(source_type(d, i));
        if (i == address)
            dwords = address_dwords;
        else if (i < address)
            dwords += inst->tfe;
        if (i == address && !address_dwords)
            set_off(d, i);
        else if (!read_source(d, i, i + first, dwords))
            return false;
    }
    return !d->has_literal;
}

bool isa_decode_memory(struct isa_decoding *d)
{
    switch (d->form) {
    case ISA_SMEM: return decode_smem(d);
    case ISA_DS: return decode_ds(d);
    case ISA_FLAT:
    case ISA_GLOBAL:
    case ISA_SCRATCH: return decode_flat(d);
    case ISA_MUBUF:
    case ISA_MTBUF: return decode_buffer(d);
    default: drop_unreturned(d); return isa_decode_image(d);
    }
}
