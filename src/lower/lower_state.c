/* The wave's state as programs see it: hardware registers, MODE, clocks, messages, traps, barriers. */
#include "lower/lower_inst.h"

static ir_ref any_lane(void)
{
    return ir_s(IR_ALL_LO);
}

/* What can be read of hardware registers, and what a user program may write. */
enum { HWREG_STATUS = 2, HWREG_SHADER_CYCLES = 29 };

static const struct hwreg {
    uint8_t id, chips;
    uint16_t slot; /* IR_S_COUNT: a rule of its own */
    uint32_t writable;
    uint32_t unknown; /* bits that are not kept: reading them is refused */
} hwregs[] = {
    /* MODE: rounding, denormals, clamp, IEEE, LOD clamp; exceptions enabled; f16 overflow; performance counters off. */
    {1, ISA_ALL, IR_MODE, 0x089ff7ff, 0},
    {HWREG_STATUS, ISA_ALL, IR_STATUS, 0, 0},
    /* TRAPSTS: which floating-point exceptions occurred is not recorded. */
    {3, ISA_ALL, IR_TRAPSTS, 0xffffffff, 0x000071ff},
    {5, ISA_ALL, IR_GPR_ALLOC, 0, 0},
    {6, ISA_ALL, IR_LDS_ALLOC, 0, 0},
    {7, ISA_ALL, IR_IB_STS, 0, 0},
    {15, ISA_ALL, IR_SH_MEM_BASES, 0, 0},
    {20, ISA_ALL, IR_FLAT_SCR_LO, 0xffffffff, 0},
    {21, ISA_ALL, IR_FLAT_SCR_HI, 0xffffffff, 0},
    {22, ISA_GFX10_1, IR_XNACK_MASK, 0xffffffff, 0},
    {23, ISA_ALL, IR_HW_ID1, 0, 0},
    {24, ISA_ALL, IR_HW_ID2, 0, 0},
    {HWREG_SHADER_CYCLES, ISA_GFX10_3, IR_S_COUNT, 0, 0xfff00000},
};

/* The instruction's immediate: register, first bit, number of bits. */
struct hwreg_field {
    const struct hwreg *reg; /* NULL: none that there is */
    uint32_t offset, width, mask;
};

static struct hwreg_field hwreg_field(const struct lower *l)
{
    uint32_t imm = (uint32_t)l->inst->simm16 & 0xffff, id = imm & 63;
    struct hwreg_field field = {.offset = imm >> 6 & 31, .width = (imm >> 11 & 31) + 1};
    field.mask = (0xffffffffu >> (32 - field.width)) << field.offset;
    for (unsigned i = 0; i < sizeof hwregs / sizeof *hwregs; i++)
        if (hwregs[i].id == id && (hwregs[i].chips & l->config->chip))
            field.reg = &hwregs[i];
    return field;
}

static ir_ref zero_bit(struct lower *l, unsigned code, unsigned bit)
{
    struct ir_builder *b = l->b;
    ir_ref whole = lower_wave64(l) ? ir_or_b32(b, ir_s(code), ir_s(code + 1)) : ir_s(code);
    return ir_shl_b32(b, ir_cmp_eq_u32(b, whole, lower_k(l, 0)), lower_k(l, bit));
}

/* STATUS: what changes from instruction to instruction is put in as it is read. */
static ir_ref status(struct lower *l)
{
    enum { EXECZ = 9, VCCZ = 10 };
    struct ir_builder *b = l->b;
    ir_ref zeros = ir_or_b32(b, zero_bit(l, IR_EXEC, EXECZ), zero_bit(l, IR_VCC, VCCZ));
    return ir_or3_b32(b, ir_s(IR_STATUS), ir_s(IR_SCC), zeros);
}

static ir_ref read_clock(struct lower *l, unsigned which)
{
    struct ir_inst *inst = ir_append(l->b, IR_memtime);
    ir_ref time = ir_s_temp(l->b, 2);
    inst->dst[0] = time;
    inst->imm = which;
    return time;
}

static ir_ref hwreg_value(struct lower *l, const struct hwreg *reg)
{
    enum { CYCLES = 2 };
    switch (reg->id) {
    case HWREG_STATUS: return status(l);
    case HWREG_SHADER_CYCLES: return read_clock(l, CYCLES);
    default: return ir_s(reg->slot);
    }
}

void lower_s_getreg(struct lower *l)
{
    struct hwreg_field field = hwreg_field(l);
    if (!field.reg || (field.mask & field.reg->unknown)) {
        lower_refuse(l);
        return;
    }
    struct ir_builder *b = l->b;
    ir_ref value = ir_shr_u32(b, hwreg_value(l, field.reg), lower_k(l, field.offset));
    lower_sdst(l, 0, ir_and_b32(b, value, lower_k(l, field.mask >> field.offset)));
}

static void write_mode(struct lower *l, ir_ref value)
{
    struct ir_inst *inst = ir_append(l->b, IR_set_mode);
    inst->src[0] = value;
}

/* The bits of a register in mask become those of value, which has them in place. */
static void write_hwreg(struct lower *l, unsigned slot, ir_ref value, uint32_t mask)
{
    if (!mask)
        return;
    ir_ref merged = ir_bfi_b32(l->b, lower_k(l, mask), value, ir_s(slot));
    if (slot == IR_MODE)
        write_mode(l, merged);
    else
        ir_assign(l->b, ir_s(slot), merged, any_lane());
}

/* Bits that a user program can't write keep their value, as on hardware. */
void lower_s_setreg(struct lower *l)
{
    struct hwreg_field field = hwreg_field(l);
    if (!field.reg) {
        lower_refuse(l);
        return;
    }
    ir_ref value = ir_shl_b32(l->b, B, lower_k(l, field.offset));
    write_hwreg(l, field.reg->slot, value, field.mask & field.reg->writable);
}

/* s_round_mode, s_denorm_mode: four bits of MODE. */
void lower_s_mode_field(struct lower *l, unsigned offset)
{
    uint32_t bits = (uint32_t)l->inst->simm16 & 15;
    write_hwreg(l, IR_MODE, lower_k(l, bits << offset), 15u << offset);
}

void lower_s_barrier(struct lower *l)
{
    ir_append(l->b, IR_barrier);
}

/* However many may still be on their way: the host's streaming stores are waited for as a whole. */
void lower_s_waitcnt_stores(struct lower *l)
{
    ir_append(l->b, IR_store_wait);
}

void lower_s_sleep(struct lower *l)
{
    ir_append(l->b, IR_sleep);
}

/* Messages to the host that nothing here depends on; those of graphics stages and trap handlers are refused. */
void lower_s_sendmsg(struct lower *l)
{
    enum { INTERRUPT = 1, STALL_WAVE_GEN = 5, EARLY_PRIM_DEALLOC = 8 };
    switch (l->inst->simm16 & 15) {
    case INTERRUPT:
    case STALL_WAVE_GEN:
    case EARLY_PRIM_DEALLOC: return;
    default: lower_refuse(l);
    }
}

void lower_s_trap(struct lower *l)
{
    ir_append(l->b, IR_trap)->imm = (uint32_t)l->inst->simm16 & 0xff;
    l->term = IR_TERM_STOP; /* there is no trap handler to come back from */
}

/* Halting waits for a host that never comes. */
void lower_s_sethalt(struct lower *l)
{
    if (l->inst->simm16 & 1)
        lower_refuse(l);
}
