/* What follows a memory instruction's operands, and exports. */
#include "isa/isa_text.h"

static void add_flag(struct isa_text *text, bool is_set, const char *name)
{
    if (is_set)
        isa_text_add(text, " %s", name);
}

static void add_cache(struct isa_text *text, const struct isa_inst *inst)
{
    add_flag(text, inst->glc, "glc");
    add_flag(text, inst->slc, "slc");
    add_flag(text, inst->dlc, "dlc");
}

static void add_offset(struct isa_text *text, const struct isa_inst *inst)
{
    if (inst->offset)
        isa_text_add(text, " offset:%d", inst->offset);
}

/* A lane's number passes through (and | or) ^ xor; each of its bits becomes 0, 1, itself or its inverse. */
static void add_swizzle_bits(struct isa_text *text, unsigned and_mask, unsigned or_mask, unsigned xor_mask)
{
    unsigned of_zeros = or_mask ^ xor_mask, of_ones = (and_mask | or_mask) ^ xor_mask;
    isa_text_add(text, "swizzle(BITMASK_PERM,\"");
    for (int bit = 4; bit >= 0; bit--) {
        unsigned zero = of_zeros >> bit & 1, one = of_ones >> bit & 1;
        isa_text_add(text, "%c", zero == one ? (zero ? '1' : '0') : zero ? 'i' : 'p');
    }
    isa_text_add(text, "\")");
}

static bool is_power_of_two(unsigned value)
{
    return value && !(value & (value - 1));
}

static void add_swizzle(struct isa_text *text, unsigned offset)
{
    enum { ALL = 31 };
    unsigned and_mask = offset & ALL, or_mask = offset >> 5 & ALL, xor_mask = offset >> 10 & ALL;
    unsigned group = ALL - and_mask + 1;
    bool is_xor = and_mask == ALL && or_mask == 0;
    isa_text_add(text, " offset:");
    if ((offset & 0xff00) == 0x8000)
        isa_text_add(text, "swizzle(QUAD_PERM,%u,%u,%u,%u)", offset & 3, offset >> 2 & 3, offset >> 4 & 3, offset >> 6 & 3);
    else if (offset & 0x8000)
        isa_text_add(text, "%u", offset);
    else if (is_xor && is_power_of_two(xor_mask))
        isa_text_add(text, "swizzle(SWAP,%u)", xor_mask);
    else if (is_xor && xor_mask && is_power_of_two(xor_mask + 1))
        isa_text_add(text, "swizzle(REVERSE,%u)", xor_mask + 1);
    else if (group > 1 && is_power_of_two(group) && or_mask < group && xor_mask == 0)
        isa_text_add(text, "swizzle(BROADCAST,%u,%u)", group, or_mask);
    else
        add_swizzle_bits(text, and_mask, or_mask, xor_mask);
}

static void add_ds(struct isa_text *text, const struct isa_inst *inst)
{
    if (inst->row->flags & ISA_F(OFFSET2)) {
        if (inst->offset)
            isa_text_add(text, " offset0:%d", inst->offset);
        if (inst->offset1)
            isa_text_add(text, " offset1:%u", inst->offset1);
    } else if (inst->row->id == ISA_ds_swizzle_b32 && inst->offset) {
        add_swizzle(text, (unsigned)inst->offset);
    } else {
        add_offset(text, inst);
    }
    add_flag(text, inst->gds, "gds");
}

static const char *const formats[] = {
#define F(number, name) [number] = "BUF_FMT_" #name,
#include "isa_formats.def"
#undef F
};

/* Format 1, 8_UNORM, is the one that goes without saying. */
static void add_format(struct isa_text *text, unsigned format)
{
    if (format >= sizeof formats / sizeof formats[0])
        isa_text_add(text, " format:%u", format);
    else if (format != 1)
        isa_text_add(text, " format:[%s]", formats[format]);
}

static void add_buffer(struct isa_text *text, const struct isa_inst *inst)
{
    if (inst->encoding == ISA_MTBUF)
        add_format(text, inst->format);
    add_flag(text, inst->idxen, "idxen");
    add_flag(text, inst->offen, "offen");
    add_offset(text, inst);
    add_cache(text, inst);
    add_flag(text, inst->tfe, "tfe");
    add_flag(text, inst->lds, "lds");
}

static void add_image(struct isa_text *text, const struct isa_inst *inst)
{
    static const char *const dims[] = {"1D", "2D", "3D", "CUBE", "1D_ARRAY", "2D_ARRAY", "2D_MSAA", "2D_MSAA_ARRAY"};
    if (inst->row->flags & ISA_F(BVH_RAY)) {
        add_flag(text, inst->a16, "a16");
        return;
    }
    if (inst->dmask)
        isa_text_add(text, " dmask:0x%x", inst->dmask);
    isa_text_add(text, " dim:SQ_RSRC_IMG_%s", dims[inst->dim]);
    add_flag(text, inst->unorm, "unorm");
    add_cache(text, inst);
    add_flag(text, inst->r128, "r128");
    add_flag(text, inst->a16, "a16");
    add_flag(text, inst->tfe, "tfe");
    add_flag(text, inst->lwe, "lwe");
    add_flag(text, inst->d16, "d16");
}

void isa_text_memory_modifiers(struct isa_text *text, const struct isa_inst *inst)
{
    switch ((enum isa_encoding)inst->encoding) {
    case ISA_SMEM: add_cache(text, inst); break;
    case ISA_DS: add_ds(text, inst); break;
    case ISA_FLAT:
    case ISA_GLOBAL:
    case ISA_SCRATCH:
        add_offset(text, inst);
        add_cache(text, inst);
        add_flag(text, inst->lds, "lds");
        break;
    case ISA_MUBUF:
    case ISA_MTBUF: add_buffer(text, inst); break;
    case ISA_MIMG: add_image(text, inst); break;
    default: break;
    }
}

static void add_target(struct isa_text *text, unsigned target)
{
    static const struct {
        uint8_t first, count;
        const char *name;
    } ranges[] = {{0, 8, "mrt"}, {12, 5, "pos"}, {32, 32, "param"}};
    for (unsigned i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        if (target >= ranges[i].first && target - ranges[i].first < ranges[i].count)
            isa_text_add(text, " %s%u", ranges[i].name, target - ranges[i].first);
    }
    if (target == 8 || target == 9 || target == 20)
        isa_text_add(text, " %s", target == 8 ? "mrtz" : target == 9 ? "null" : "prim");
}

/* Compressed exports name each register twice, for its halves. */
void isa_text_export(struct isa_text *text, const struct isa_inst *inst)
{
    add_target(text, inst->exp_target);
    for (unsigned i = 0; i < 4; i++) {
        isa_text_add(text, i ? ", " : " ");
        if (inst->exp_en & 1u << i)
            isa_text_operand(text, inst, &inst->src[inst->exp_compr ? i / 2 : i]);
        else
            isa_text_add(text, "off");
    }
    add_flag(text, inst->exp_done, "done");
    add_flag(text, inst->exp_compr, "compr");
    add_flag(text, inst->exp_vm, "vm");
}
