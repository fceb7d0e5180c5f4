/* The 16-bit immediates of SOPP and SOPK as text. */
#include "isa/isa_layout.h"
#include "isa/isa_text.h"

/* A number packed into some bits of an immediate, shown as name(value) when it is not its greatest. */
struct counter {
    const char *name;
    struct isa_bits bits, high;
    uint8_t chips;
};

static unsigned counter_get(const struct counter *counter, uint32_t imm)
{
    return isa_bits_get(imm, counter->bits) | isa_bits_get(imm, counter->high) << counter->bits.width;
}

static unsigned counter_max(const struct counter *counter)
{
    return (1u << (counter->bits.width + counter->high.width)) - 1;
}

/* All counters, or only those that wait for something, unless none does. */
static void add_counters(struct isa_text *text, const struct counter *counters, unsigned count, uint32_t imm,
                         enum isa_chip_bit chip)
{
    bool any = false;
    for (unsigned i = 0; i < count; i++)
        any |= (counters[i].chips & chip) && counter_get(&counters[i], imm) != counter_max(&counters[i]);
    const char *separator = "";
    for (unsigned i = 0; i < count; i++) {
        unsigned value = counter_get(&counters[i], imm);
        if (!(counters[i].chips & chip) || (any && value == counter_max(&counters[i])))
            continue;
        isa_text_add(text, "%s%s(%u)", separator, counters[i].name, value);
        separator = " ";
    }
}

static void add_waitcnt(struct isa_text *text, uint32_t imm, enum isa_chip_bit chip)
{
    static const struct counter counters[] = {
        {"vmcnt", {0, 4, false}, {14, 2, false}, ISA_ALL},
        {"expcnt", {4, 3, false}, {0, 0, false}, ISA_ALL},
        {"lgkmcnt", {8, 6, false}, {0, 0, false}, ISA_ALL},
    };
    add_counters(text, counters, sizeof counters / sizeof counters[0], imm, chip);
}

static void add_depctr(struct isa_text *text, uint32_t imm, enum isa_chip_bit chip)
{
    static const struct counter counters[] = {
        {"depctr_hold_cnt", {7, 1, false}, {0, 0, false}, ISA_GFX10_3}, {"depctr_sa_sdst", {0, 1, false}, {0, 0, false}, ISA_ALL},
        {"depctr_va_vdst", {12, 4, false}, {0, 0, false}, ISA_ALL},     {"depctr_va_sdst", {9, 3, false}, {0, 0, false}, ISA_ALL},
        {"depctr_va_ssrc", {8, 1, false}, {0, 0, false}, ISA_ALL},      {"depctr_va_vcc", {1, 1, false}, {0, 0, false}, ISA_ALL},
        {"depctr_vm_vsrc", {2, 3, false}, {0, 0, false}, ISA_ALL},
    };
    unsigned count = sizeof counters / sizeof counters[0];
    uint32_t known = 0;
    for (unsigned i = 0; i < count; i++) {
        if (counters[i].chips & chip)
            known |= counter_max(&counters[i]) << counters[i].bits.low;
    }
    if (imm & ~known)
        isa_text_add(text, "0x%x", imm);
    else
        add_counters(text, counters, count, imm, chip);
}

/* What a message takes beside its number. */
enum message_kind { MESSAGE_UNKNOWN, MESSAGE_PLAIN, MESSAGE_GS, MESSAGE_GS_DONE, MESSAGE_SYSTEM };

static const struct {
    const char *name;
    enum message_kind kind;
} messages[16] = {
    [1] = {"MSG_INTERRUPT", MESSAGE_PLAIN},       [2] = {"MSG_GS", MESSAGE_GS},
    [3] = {"MSG_GS_DONE", MESSAGE_GS_DONE},       [4] = {"MSG_SAVEWAVE", MESSAGE_PLAIN},
    [5] = {"MSG_STALL_WAVE_GEN", MESSAGE_PLAIN},  [6] = {"MSG_HALT_WAVES", MESSAGE_PLAIN},
    [7] = {"MSG_ORDERED_PS_DONE", MESSAGE_PLAIN}, [8] = {"MSG_EARLY_PRIM_DEALLOC", MESSAGE_PLAIN},
    [9] = {"MSG_GS_ALLOC_REQ", MESSAGE_PLAIN},    [10] = {"MSG_GET_DOORBELL", MESSAGE_PLAIN},
    [11] = {"MSG_GET_DDID", MESSAGE_PLAIN},       [15] = {"MSG_SYSMSG", MESSAGE_SYSTEM},
};

static const char *operation_name(enum message_kind kind, unsigned operation)
{
    static const char *const gs[8] = {"GS_OP_NOP", "GS_OP_CUT", "GS_OP_EMIT", "GS_OP_EMIT_CUT"};
    static const char *const sys[8] = {[1] = "SYSMSG_OP_ECC_ERR_INTERRUPT", "SYSMSG_OP_REG_RD", [4] = "SYSMSG_OP_TTRACE_PC"};
    if (kind == MESSAGE_SYSTEM)
        return sys[operation];
    if (kind == MESSAGE_GS_DONE || (kind == MESSAGE_GS && operation))
        return gs[operation];
    return NULL;
}

static void add_message(struct isa_text *text, uint32_t imm)
{
    static const struct isa_bits id_bits = {0, 4, false}, operation_bits = {4, 3, false}, stream_bits = {8, 2, false};
    unsigned id = isa_bits_get(imm, id_bits), operation = isa_bits_get(imm, operation_bits);
    unsigned stream = isa_bits_get(imm, stream_bits);
    enum message_kind kind = messages[id].kind;
    const char *name = operation_name(kind, operation);
    bool has_stream = (kind == MESSAGE_GS || kind == MESSAGE_GS_DONE) && operation;
    bool is_plain = kind == MESSAGE_PLAIN && !operation && !stream;
    if (is_plain)
        isa_text_add(text, "sendmsg(%s)", messages[id].name);
    else if (name && has_stream)
        isa_text_add(text, "sendmsg(%s, %s, %u)", messages[id].name, name, stream);
    else if (name && !stream)
        isa_text_add(text, "sendmsg(%s, %s)", messages[id].name, name);
    else if (imm == (id | operation << operation_bits.low | stream << stream_bits.low))
        isa_text_add(text, "sendmsg(%u, %u, %u)", id, operation, stream);
    else
        isa_text_add(text, "%u", imm);
}

static const struct {
    const char *name;
    uint8_t chips;
} hardware_registers[64] = {
    [1] = {"HW_REG_MODE", ISA_ALL},          [2] = {"HW_REG_STATUS", ISA_ALL},
    [3] = {"HW_REG_TRAPSTS", ISA_ALL},       [5] = {"HW_REG_GPR_ALLOC", ISA_ALL},
    [6] = {"HW_REG_LDS_ALLOC", ISA_ALL},     [7] = {"HW_REG_IB_STS", ISA_ALL},
    [15] = {"HW_REG_SH_MEM_BASES", ISA_ALL}, [16] = {"HW_REG_TBA_LO", ISA_ALL},
    [17] = {"HW_REG_TBA_HI", ISA_ALL},       [18] = {"HW_REG_TMA_LO", ISA_ALL},
    [19] = {"HW_REG_TMA_HI", ISA_ALL},       [20] = {"HW_REG_FLAT_SCR_LO", ISA_ALL},
    [21] = {"HW_REG_FLAT_SCR_HI", ISA_ALL},  [22] = {"HW_REG_XNACK_MASK", ISA_GFX10_1},
    [23] = {"HW_REG_HW_ID1", ISA_ALL},       [24] = {"HW_REG_HW_ID2", ISA_ALL},
    [25] = {"HW_REG_POPS_PACKER", ISA_ALL},  [29] = {"HW_REG_SHADER_CYCLES", ISA_GFX10_3},
};

static void add_hardware_register(struct isa_text *text, uint32_t imm, enum isa_chip_bit chip)
{
    static const struct isa_bits id_bits = {0, 6, false}, offset_bits = {6, 5, false}, width_bits = {11, 5, false};
    unsigned id = isa_bits_get(imm, id_bits), offset = isa_bits_get(imm, offset_bits), width = isa_bits_get(imm, width_bits) + 1;
    if (hardware_registers[id].chips & chip)
        isa_text_add(text, "hwreg(%s", hardware_registers[id].name);
    else
        isa_text_add(text, "hwreg(%u", id);
    if (offset || width != 32)
        isa_text_add(text, ", %u, %u", offset, width);
    isa_text_add(text, ")");
}

/* A microcode version with flags, as an expression. */
static void add_version(struct isa_text *text, uint32_t imm)
{
    static const char *const names[16] = {
        [0] = "UC_VERSION_GFX7", [4] = "UC_VERSION_GFX10", [6] = "UC_VERSION_GFX11", [9] = "UC_VERSION_GFX12"};
    static const char *const flags[] = {"UC_VERSION_W64_BIT", "UC_VERSION_W32_BIT", "UC_VERSION_MDP_BIT"};
    static const struct isa_bits version_bits = {0, 8, false}, unused_bits = {8, 5, false}, flag_bits = {13, 3, false};
    unsigned version = isa_bits_get(imm, version_bits), set = isa_bits_get(imm, flag_bits);
    if (isa_bits_get(imm, unused_bits)) {
        isa_text_add(text, "0x%x", imm);
        return;
    }
    for (int i = __builtin_popcount(set); i > 1; i--)
        isa_text_add(text, "(");
    if (version < 16 && names[version])
        isa_text_add(text, "%s", names[version]);
    else
        isa_text_add(text, "%u", version);
    bool is_first = true;
    for (unsigned i = 0; i < 3; i++) {
        if (!(set & 1u << i))
            continue;
        isa_text_add(text, "%s|%s", is_first ? "" : ")", flags[i]);
        is_first = false;
    }
}

static void add_other(struct isa_text *text, const struct isa_inst *inst, uint32_t imm)
{
    bool is_bits = inst->encoding == ISA_SOPK || inst->row->id == ISA_s_inst_prefetch || inst->row->id == ISA_s_clause ||
                   inst->row->id == ISA_s_round_mode || inst->row->id == ISA_s_ttracedata_imm;
    if (inst->row->flags & ISA_F(BRANCH) || (imm <= 64 && !is_bits))
        isa_text_add(text, "%u", imm);
    else
        isa_text_add(text, "0x%x", imm);
}

void isa_text_immediate(struct isa_text *text, const struct isa_inst *inst, enum isa_chip_bit chip)
{
    uint32_t imm = (uint16_t)inst->simm16;
    switch (inst->row->id) {
    case ISA_s_waitcnt: add_waitcnt(text, imm, chip); break;
    case ISA_s_waitcnt_depctr: add_depctr(text, imm, chip); break;
    case ISA_s_endpgm: isa_text_add(text, "%u", imm); break;
    case ISA_s_sendmsg:
    case ISA_s_sendmsghalt: add_message(text, imm); break;
    case ISA_s_getreg_b32:
    case ISA_s_setreg_b32:
    case ISA_s_setreg_imm32_b32: add_hardware_register(text, imm, chip); break;
    case ISA_s_version: add_version(text, imm); break;
    default: add_other(text, inst, imm); break;
    }
}
