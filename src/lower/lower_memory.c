/* Memory instructions of all encodings: which operands are address and data, and what the access is. */
#include "lower/lower_memory.h"

#include <string.h>

enum { CODE_NULL = 125, SCALAR_SCRATCH_UNIT_LOG2 = 6 };

static bool is_absent(const struct isa_operand *operand)
{
    return operand->kind == ISA_O_NONE || (operand->kind == ISA_O_SREG && operand->reg == CODE_NULL);
}

/* The operand, or no reference when the instruction leaves it out. */
static ir_ref optional(struct lower *l, unsigned n)
{
    const struct isa_operand *operand = &l->inst->src[n];
    return n >= l->inst->src_count || is_absent(operand) ? (ir_ref){0} : lower_raw(l, operand);
}

static bool has(const struct lower *l, uint64_t flag)
{
    return l->inst->row->flags & flag;
}

/* The address is the lane's number. */
static bool is_addtid(const struct lower *l)
{
    uint16_t id = l->inst->row->id;
    return has(l, ISA_F(ADDTID)) || id == ISA_ds_read_addtid_b32 || id == ISA_ds_write_addtid_b32;
}

static bool has_data(const struct lower *l)
{
    return has(l, ISA_F(STORE) | ISA_F(ATOMIC));
}

/* s_scratch_*: a register's offset counts 64-byte units. */
static bool is_scalar_scratch(uint16_t id)
{
    switch (id) {
    case ISA_s_scratch_load_dword:
    case ISA_s_scratch_load_dwordx2:
    case ISA_s_scratch_load_dwordx4:
    case ISA_s_scratch_store_dword:
    case ISA_s_scratch_store_dwordx2:
    case ISA_s_scratch_store_dwordx4: return true;
    default: return false;
    }
}

static void address_scalar(struct lower *l, struct lower_access *a, unsigned first)
{
    bool descriptor = l->inst->row->src_type[first] == ISA_T_B128;
    a->access.space = descriptor ? IR_SPACE_SBUFFER : IR_SPACE_SCALAR;
    a->src[0] = lower_raw(l, &l->inst->src[first]);
    a->src[1] = optional(l, first + 1);
    if (!ir_is_none(a->src[1]) && is_scalar_scratch(l->inst->row->id))
        a->src[1] = ir_shl_b32(l->b, a->src[1], lower_k(l, SCALAR_SCRATCH_UNIT_LOG2));
    if (a->src[0].kind != IR_S)
        lower_refuse(l); /* a base of NULL */
}

static void address_flat(struct lower *l, struct lower_access *a)
{
    a->access.space = IR_SPACE_FLAT;
    a->src[0] = lower_raw(l, &l->inst->src[0]);
}

/* The scalar base is the last source. */
static void address_global(struct lower *l, struct lower_access *a)
{
    bool addtid = is_addtid(l);
    unsigned base = addtid ? has_data(l) : has_data(l) ? 2 : 1;
    a->access.space = IR_SPACE_GLOBAL;
    if (!addtid)
        a->src[0] = lower_raw(l, &l->inst->src[0]);
    a->src[1] = optional(l, base);
    if (addtid)
        a->access.flags |= IR_AC_ADDTID;
    if (!ir_is_none(a->src[1]))
        a->access.flags |= IR_AC_SADDR;
    else if (addtid)
        lower_refuse(l); /* nothing gives an address */
}

static void address_scratch(struct lower *l, struct lower_access *a)
{
    a->access.space = IR_SPACE_SCRATCH;
    a->src[0] = optional(l, 0);
    a->src[1] = optional(l, has_data(l) ? 2 : 1);
}

static void address_ds(struct lower *l, struct lower_access *a)
{
    a->access.space = l->inst->gds || has(l, ISA_F(GDS)) ? IR_SPACE_GDS : IR_SPACE_LDS;
    if (is_addtid(l))
        a->access.flags |= IR_AC_ADDTID;
    else
        a->src[0] = lower_raw(l, &l->inst->src[0]);
}

/* With both an index and an offset, the index comes first. */
static void address_buffer(struct lower *l, struct lower_access *a, unsigned first)
{
    const struct isa_inst *inst = l->inst;
    a->access.space = IR_SPACE_BUFFER;
    a->src[0] = lower_raw(l, &inst->src[first + 1]);
    if (inst->idxen) {
        a->src[1] = lower_raw(l, &inst->src[first]);
        a->access.flags |= IR_AC_IDXEN;
    }
    if (inst->offen) {
        a->src[2] = ir_v(inst->src[first].reg + (inst->idxen ? 1u : 0));
        a->access.flags |= IR_AC_OFFEN;
    }
    a->src[3] = lower_raw(l, &inst->src[first + 2]);
    if (inst->encoding == ISA_MTBUF) {
        a->access.flags |= IR_AC_TYPED;
        a->access.format = inst->format;
    }
}

/* Which source is the data: the encodings differ in whether it precedes the address. */
static unsigned data_source(const struct lower *l)
{
    switch (l->inst->row->encoding) {
    case ISA_SMEM:
    case ISA_MUBUF:
    case ISA_MTBUF: return 0;
    default: return is_addtid(l) ? 0 : 1;
    }
}

static void set_address(struct lower *l, struct lower_access *a)
{
    unsigned first = has_data(l) ? 1 : 0;
    switch (l->inst->row->encoding) {
    case ISA_SMEM: address_scalar(l, a, first); break;
    case ISA_FLAT: address_flat(l, a); break;
    case ISA_GLOBAL: address_global(l, a); break;
    case ISA_SCRATCH: address_scratch(l, a); break;
    case ISA_DS: address_ds(l, a); break;
    case ISA_MUBUF:
    case ISA_MTBUF: address_buffer(l, a, first); break;
    default: lower_refuse(l);
    }
}

ir_ref lower_data_register(struct lower *l, const struct isa_operand *operand, unsigned words)
{
    if (!is_absent(operand))
        return lower_raw(l, operand);
    return ir_s_temp(l->b, words); /* loads into NULL still happen */
}

struct lower_access lower_begin_access(struct lower *l, enum ir_op op, unsigned bytes, uint32_t flags)
{
    const struct isa_inst *inst = l->inst;
    struct lower_access a = {.op = op, .access = {.bytes = (uint8_t)bytes, .elements = 1, .offset = inst->offset}};
    a.access.flags = flags | (inst->glc ? IR_AC_GLC : 0) | (inst->slc ? IR_AC_SLC : 0) | (inst->dlc ? IR_AC_DLC : 0) |
                     (has(l, ISA_F(D16)) ? IR_AC_D16 : 0) | (has(l, ISA_F(D16_HI)) ? IR_AC_D16_HI : 0);
    set_address(l, &a);
    if (has_data(l) && !(flags & IR_AC_SRC2))
        a.src[4] = lower_data_register(l, &inst->src[data_source(l)], bytes > 4 ? bytes / 4 : 1);
    return a;
}

void lower_emit_access(struct lower *l, const struct lower_access *a)
{
    struct ir_inst *inst;
    struct ir_access *access = ir_append_access(l->b, &inst, a->op, (enum ir_space)a->access.space);
    *access = a->access;
    inst->dst[0] = a->dst;
    memcpy(inst->src, a->src, sizeof a->src);
}

static void finish_load(struct lower *l, struct lower_access *a, unsigned words)
{
    if (l->inst->lds)
        a->access.flags |= IR_AC_LDS_DMA;
    else
        a->dst = lower_data_register(l, &l->inst->dst[0], words);
    if (l->inst->tfe)
        a->access.flags |= IR_AC_TFE;
    if (l->inst->lds && l->inst->tfe)
        lower_refuse(l); /* where the status would go is not known */
    lower_emit_access(l, a);
}

void lower_load(struct lower *l, unsigned bytes, uint32_t flags)
{
    struct lower_access a = lower_begin_access(l, IR_load, bytes, flags);
    finish_load(l, &a, bytes > 4 ? bytes / 4 : 1);
}

void lower_store(struct lower *l, unsigned bytes)
{
    struct lower_access a = lower_begin_access(l, IR_store, bytes, IR_AC_STORE);
    if (is_absent(&l->inst->src[data_source(l)]))
        lower_refuse(l); /* a store of NULL */
    lower_emit_access(l, &a);
}

/* Formats: bytes is nominal, the format says how many there are. */
void lower_load_format(struct lower *l, unsigned components)
{
    struct lower_access a = lower_begin_access(l, IR_load, 4, IR_AC_FORMAT);
    a.access.elements = (uint8_t)components;
    finish_load(l, &a, components);
}

void lower_store_format(struct lower *l, unsigned components)
{
    struct lower_access a = lower_begin_access(l, IR_store, 4, IR_AC_FORMAT | IR_AC_STORE);
    a.access.elements = (uint8_t)components;
    lower_emit_access(l, &a);
}

/* Without DS: there the name says whether the old value comes back, elsewhere GLC does. The comparand of a compare-and-swap
 * follows the data. */
void lower_atomic(struct lower *l, enum ir_atomic what, unsigned bytes)
{
    struct lower_access a = lower_begin_access(l, IR_atomic, bytes, 0);
    a.access.atomic = (uint8_t)what;
    if (l->inst->glc) {
        a.access.flags |= IR_AC_RETURN;
        const struct isa_operand *dst = l->inst->dst_count ? &l->inst->dst[0] : &l->inst->src[data_source(l)];
        a.dst = lower_data_register(l, dst, bytes / 4);
    }
    if (l->inst->tfe)
        lower_refuse(l);
    lower_emit_access(l, &a);
}

void lower_s_memtime(struct lower *l, unsigned clock)
{
    ir_ref to = lower_data_register(l, &l->inst->dst[0], 2);
    struct ir_inst *inst = ir_append(l->b, IR_memtime);
    inst->imm = clock;
    inst->dst[0] = to;
}

void lower_s_wave_id(struct lower *l)
{
    ir_ref to = lower_data_register(l, &l->inst->dst[0], 1);
    ir_append(l->b, IR_wave_id)->dst[0] = to;
}
