/* Tables of the words that the text form uses. */
#include "ir/ir_names.h"

#include <string.h>

const char *const ir_space_names[IR_SPACE_COUNT] = {
    [IR_SPACE_SCALAR] = "scalar",   [IR_SPACE_SBUFFER] = "sbuffer", [IR_SPACE_GLOBAL] = "global", [IR_SPACE_FLAT] = "flat",
    [IR_SPACE_SCRATCH] = "scratch", [IR_SPACE_BUFFER] = "buffer",   [IR_SPACE_LDS] = "lds",       [IR_SPACE_GDS] = "gds",
};

const char *const ir_atomic_names[IR_ATOMIC_COUNT] = {
    [IR_A_NONE] = "none",         [IR_A_SWAP] = "swap", [IR_A_CMPSWAP] = "cmpswap",   [IR_A_ADD] = "add",
    [IR_A_SUB] = "sub",           [IR_A_RSUB] = "rsub", [IR_A_SMIN] = "smin",         [IR_A_UMIN] = "umin",
    [IR_A_SMAX] = "smax",         [IR_A_UMAX] = "umax", [IR_A_AND] = "and",           [IR_A_OR] = "or",
    [IR_A_XOR] = "xor",           [IR_A_INC] = "inc",   [IR_A_DEC] = "dec",           [IR_A_CSUB] = "csub",
    [IR_A_FCMPSWAP] = "fcmpswap", [IR_A_FMIN] = "fmin", [IR_A_FMAX] = "fmax",         [IR_A_FADD] = "fadd",
    [IR_A_MSKOR] = "mskor",       [IR_A_WRAP] = "wrap", [IR_A_CONDXCHG] = "condxchg",
};

const struct ir_flag_name ir_flag_names[IR_FLAG_COUNT] = {
    {"signed", IR_AC_SIGNED}, {"d16", IR_AC_D16},     {"d16_hi", IR_AC_D16_HI},
    {"return", IR_AC_RETURN}, {"offen", IR_AC_OFFEN}, {"idxen", IR_AC_IDXEN},
    {"format", IR_AC_FORMAT}, {"typed", IR_AC_TYPED}, {"lds_dma", IR_AC_LDS_DMA},
    {"glc", IR_AC_GLC},       {"slc", IR_AC_SLC},     {"dlc", IR_AC_DLC},
    {"tfe", IR_AC_TFE},       {"store", IR_AC_STORE}, {"saddr", IR_AC_SADDR},
    {"addtid", IR_AC_ADDTID}, {"src2", IR_AC_SRC2},   {"signed_lane", IR_AC_SIGNED_LANE},
};

const char *const ir_access_sources[IR_SPACE_COUNT][IR_ACCESS_SOURCES] = {
    [IR_SPACE_SCALAR] = {"base", "offset", NULL, NULL, "data", "data1"},
    [IR_SPACE_SBUFFER] = {"desc", "offset", NULL, NULL, "data", "data1"},
    [IR_SPACE_GLOBAL] = {"addr", "base", NULL, NULL, "data", "data1"},
    [IR_SPACE_FLAT] = {"addr", "base", NULL, NULL, "data", "data1"},
    [IR_SPACE_SCRATCH] = {"addr", "base", NULL, NULL, "data", "data1"},
    [IR_SPACE_BUFFER] = {"desc", "index", "addr", "base", "data", "data1"},
    [IR_SPACE_LDS] = {"addr", NULL, NULL, NULL, "data", "data1"},
    [IR_SPACE_GDS] = {"addr", NULL, NULL, NULL, "data", "data1"},
};

const char *const ir_image_kind_names[IR_IMAGE_KIND_COUNT] = {
    [IR_IMAGE_LOAD] = "load",           [IR_IMAGE_LOAD_RAW] = "load_raw", [IR_IMAGE_STORE] = "store",
    [IR_IMAGE_STORE_RAW] = "store_raw", [IR_IMAGE_ATOMIC] = "atomic",     [IR_IMAGE_SAMPLES] = "samples",
    [IR_IMAGE_SAMPLE] = "sample",       [IR_IMAGE_GATHER] = "gather",     [IR_IMAGE_LOD] = "lod",
    [IR_IMAGE_SIZE] = "size",           [IR_IMAGE_RAY] = "ray",
};

const char *const ir_image_dim_names[IR_DIM_COUNT] = {
    [IR_DIM_1D] = "1d",
    [IR_DIM_2D] = "2d",
    [IR_DIM_3D] = "3d",
    [IR_DIM_CUBE] = "cube",
    [IR_DIM_1D_ARRAY] = "1d_array",
    [IR_DIM_2D_ARRAY] = "2d_array",
    [IR_DIM_2D_MSAA] = "2d_msaa",
    [IR_DIM_2D_MSAA_ARRAY] = "2d_msaa_array",
};

const struct ir_flag_name ir_image_flag_names[IR_IMAGE_FLAG_COUNT] = {
    {"d16", IR_IM_D16},       {"tfe", IR_IM_TFE},   {"lwe", IR_IM_LWE},       {"unorm", IR_IM_UNORM},   {"r128", IR_IM_R128},
    {"glc", IR_IM_GLC},       {"slc", IR_IM_SLC},   {"dlc", IR_IM_DLC},       {"return", IR_IM_RETURN}, {"wide", IR_IM_WIDE},
    {"signed", IR_IM_SIGNED}, {"zero", IR_IM_ZERO}, {"coarse", IR_IM_COARSE},
};

const char *const ir_image_part_names[IR_PART_COUNT] = {
    [IR_PART_OFFSET] = "offset",
    [IR_PART_BIAS] = "bias",
    [IR_PART_COMPARE] = "compare",
    [IR_PART_DX] = "dx0",
    [IR_PART_DX + 1] = "dx1",
    [IR_PART_DX + 2] = "dx2",
    [IR_PART_DY] = "dy0",
    [IR_PART_DY + 1] = "dy1",
    [IR_PART_DY + 2] = "dy2",
    [IR_PART_X] = "x",
    [IR_PART_Y] = "y",
    [IR_PART_Z] = "z",
    [IR_PART_FRAGMENT] = "fragment",
    [IR_PART_LOD] = "lod",
    [IR_PART_CLAMP] = "clamp",
    [IR_PART_NODE] = "node",
    [IR_PART_NODE_HI] = "node_hi",
    [IR_PART_EXTENT] = "extent",
    [IR_PART_ORIGIN] = "origin0",
    [IR_PART_ORIGIN + 1] = "origin1",
    [IR_PART_ORIGIN + 2] = "origin2",
    [IR_PART_DIRECTION] = "direction0",
    [IR_PART_DIRECTION + 1] = "direction1",
    [IR_PART_DIRECTION + 2] = "direction2",
    [IR_PART_INVERSE] = "inverse0",
    [IR_PART_INVERSE + 1] = "inverse1",
    [IR_PART_INVERSE + 2] = "inverse2",
};

const char *const ir_image_half_names[IR_AT_HIGH + 1] = {[IR_AT_WHOLE] = "", [IR_AT_LOW] = ".lo", [IR_AT_HIGH] = ".hi"};

const char *const ir_image_sources[IR_IMAGE_SOURCES] = {"desc", "sampler", "data", "addr"};

/* Scalar slots that have a name of their own; the rest are s0, s1, ... by number. */
struct slot_name {
    uint16_t slot;
    const char *name;
};

static const struct slot_name slot_names[] = {
    {IR_VCC, "vcc"},
    {IR_VCC + 1, "vcc_hi"},
    {IR_M0, "m0"},
    {IR_EXEC, "exec"},
    {IR_EXEC + 1, "exec_hi"},
    {IR_SCC, "scc"},
    {IR_MODE, "mode"},
    {IR_FLAT_SCR_LO, "flat_scr"},
    {IR_FLAT_SCR_HI, "flat_scr_hi"},
    {IR_ALL_LO, "all"},
    {IR_ALL_HI, "all_hi"},
    {IR_SHARED_BASE, "shared_base"},
    {IR_PRIVATE_BASE, "private_base"},
    {IR_SUBVECTOR, "subvector"},
    {IR_STATUS, "status"},
    {IR_TRAPSTS, "trapsts"},
    {IR_HW_ID1, "hw_id1"},
    {IR_HW_ID2, "hw_id2"},
    {IR_GPR_ALLOC, "gpr_alloc"},
    {IR_LDS_ALLOC, "lds_alloc"},
    {IR_IB_STS, "ib_sts"},
    {IR_SH_MEM_BASES, "sh_mem_bases"},
    {IR_XNACK_MASK, "xnack_mask"},
};

enum { NAMED = sizeof slot_names / sizeof *slot_names };

/* Numbered slots by class: guest registers and temporaries count from zero each. */
struct slot_range {
    const char *prefix;
    uint16_t kind, first, end;
};

static const struct slot_range slot_ranges[] = {
    {"s", IR_S, 0, IR_S_TEMP},
    {"st", IR_S, IR_S_TEMP, IR_S_COUNT},
    {"v", IR_V, 0, IR_V_TEMP},
    {"vt", IR_V, IR_V_TEMP, IR_V_COUNT},
    {"s_out_of_range", IR_S, IR_S_COUNT, UINT16_MAX},
    {"v_out_of_range", IR_V, IR_V_COUNT, UINT16_MAX},
};

enum { RANGES = sizeof slot_ranges / sizeof *slot_ranges };

const char *ir_slot_name(ir_ref r, char *text)
{
    for (size_t i = 0; i < NAMED; i++)
        if (r.kind == IR_S && slot_names[i].slot == r.index)
            return strcpy(text, slot_names[i].name);
    for (size_t i = 0; i < RANGES; i++) {
        const struct slot_range *range = &slot_ranges[i];
        if (range->kind == r.kind && r.index >= range->first && (r.index < range->end || range->end == UINT16_MAX)) {
            snprintf(text, IR_NAME_SIZE, "%s%u", range->prefix, (unsigned)(r.index - range->first));
            return text;
        }
    }
    return strcpy(text, "none");
}

/* The decimal number that is the whole of text, at most limit; false otherwise. */
static bool number(const char *text, size_t size, unsigned limit, unsigned *value)
{
    *value = 0;
    for (size_t i = 0; i < size; i++) {
        if (text[i] < '0' || text[i] > '9' || *value > limit)
            return false;
        *value = *value * 10 + (unsigned)(text[i] - '0');
    }
    return size && *value <= limit;
}

ir_ref ir_slot_by_name(const char *name, size_t size)
{
    for (size_t i = 0; i < NAMED; i++)
        if (strlen(slot_names[i].name) == size && !memcmp(slot_names[i].name, name, size))
            return ir_s(slot_names[i].slot);
    for (size_t i = 0; i < RANGES; i++) {
        const struct slot_range *range = &slot_ranges[i];
        size_t length = strlen(range->prefix);
        unsigned value;
        if (size > length && !memcmp(range->prefix, name, length) &&
            number(name + length, size - length, range->end - range->first - 1u, &value))
            return (ir_ref){range->kind, (uint16_t)(range->first + value)};
    }
    return (ir_ref){0};
}
