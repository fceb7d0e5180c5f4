/* tool_inspect_work: what dispatches and draws find set: their programs and the registers that matter to them. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tool/tool_inspect.h"

enum { LDS_WORDS_UNIT = 128, BYTES_WORD = 4, VGPR_UNIT = 8, SCRATCH_WORDS_UNIT = 256, PROGRAM_SHIFT = 8, USER_DATA_MOST = 16 };

static uint32_t value(const struct inspect_ring *ring, uint32_t offset)
{
    return ring->values[offset];
}

static uint32_t field(const struct inspect_ring *ring, uint32_t offset, struct base_field bits)
{
    return base_field_get(ring->values[offset], bits);
}

static uint64_t program_address(const struct inspect_ring *ring, uint32_t low, uint32_t high)
{
    return capture_address_canonical(((uint64_t)value(ring, high) << 32 | value(ring, low)) << PROGRAM_SHIFT);
}

/* Packets that start work, by what they start. */
static const struct work {
    enum pm4_packet_id id;
    bool is_dispatch;
} works[] = {
    {PM4_DISPATCH_DIRECT, true},
    {PM4_DISPATCH_INDIRECT, true},
    {PM4_DISPATCH_INDIRECT_MEC, true},
    {PM4_DRAW_INDEX_2, false},
    {PM4_DRAW_INDEX_AUTO, false},
    {PM4_DRAW_INDEX_OFFSET_2, false},
    {PM4_DRAW_INDEX_MULTI_AUTO, false},
    {PM4_DRAW_INDIRECT, false},
    {PM4_DRAW_INDEX_INDIRECT, false},
    {PM4_DRAW_INDIRECT_MULTI, false},
    {PM4_DRAW_INDEX_INDIRECT_MULTI, false},
};

static const struct work *find_work(const struct pm4_packet *packet)
{
    for (size_t n = 0; n < sizeof works / sizeof works[0]; n++)
        if (packet->row && works[n].id == packet->id)
            return &works[n];
    return NULL;
}

bool inspect_is_work(const struct pm4_packet *packet)
{
    return find_work(packet);
}

/* Registers as the printer shows them, those that were set. */
static void show_registers(struct inspect *inspect, const struct inspect_ring *ring, const uint32_t *offsets, size_t count)
{
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    if (!file)
        return;
    for (size_t n = 0; n < count; n++)
        if (ring->known[offsets[n]])
            pm4_register_print(file, offsets[n], value(ring, offsets[n]), 0, inspect->detail);
    if (!fclose(file))
        tool_document_block(inspect->document, text);
    free(text);
}

static void show_grid(struct inspect *inspect, const struct inspect_ring *ring, const struct pm4_packet *packet,
                      uint32_t initiator)
{
    const char *unit = base_field_get(initiator, PM4_F_COMPUTE_DISPATCH_INITIATOR_USE_THREAD_DIMENSIONS) ? "threads" : "groups";
    uint32_t grid[3] = {0};
    uint64_t address = 0;
    bool is_known = true;
    if (packet->id == PM4_DISPATCH_DIRECT) {
        grid[0] = pm4_get(packet, PM4_W_DISPATCH_DIRECT_X);
        grid[1] = pm4_get(packet, PM4_W_DISPATCH_DIRECT_Y);
        grid[2] = pm4_get(packet, PM4_W_DISPATCH_DIRECT_Z);
    } else {
        address = packet->id == PM4_DISPATCH_INDIRECT ? ring->indirect_base + pm4_get(packet, PM4_W_DISPATCH_INDIRECT_OFFSET)
                                                      : pm4_get_quad(packet, PM4_W_DISPATCH_INDIRECT_MEC_ADDR);
        is_known = capture_state_read(&inspect->state, address, grid, sizeof grid) == sizeof grid;
        tool_document_fact(inspect->document, "indirect from", "0x%" PRIx64 "%s", capture_address_canonical(address),
                           is_known ? ", as memory holds it at the submission" : ", which is not mapped");
    }
    if (is_known)
        tool_document_fact(inspect->document, "grid", "%" PRIu32 " x %" PRIu32 " x %" PRIu32 " %s", grid[0], grid[1], grid[2],
                           unit);
    tool_document_fact(inspect->document, "group", "%" PRIu32 " x %" PRIu32 " x %" PRIu32 " threads",
                       field(ring, PM4_REG_COMPUTE_NUM_THREAD_X, PM4_F_COMPUTE_NUM_THREAD_X_NUM_THREAD_FULL),
                       field(ring, PM4_REG_COMPUTE_NUM_THREAD_Y, PM4_F_COMPUTE_NUM_THREAD_Y_NUM_THREAD_FULL),
                       field(ring, PM4_REG_COMPUTE_NUM_THREAD_Z, PM4_F_COMPUTE_NUM_THREAD_Z_NUM_THREAD_FULL));
}

static void show_user_data(struct inspect *inspect, const struct inspect_ring *ring)
{
    char text[USER_DATA_MOST * 16] = "";
    uint32_t count = field(ring, PM4_REG_COMPUTE_PGM_RSRC2, PM4_F_COMPUTE_PGM_RSRC2_USER_SGPR);
    for (uint32_t n = 0; n < count && n < USER_DATA_MOST; n++) {
        size_t length = strlen(text);
        snprintf(text + length, sizeof text - length, "%s%08" PRIx32, n ? " " : "", value(ring, PM4_REG_COMPUTE_USER_DATA_0 + n));
    }
    if (count)
        tool_document_fact(inspect->document, "user SGPRs", "%s", text);
}

static void show_dispatch(struct inspect *inspect, struct inspect_ring *ring, const struct pm4_packet *packet)
{
    static const uint32_t offsets[] = {PM4_REG_COMPUTE_PGM_RSRC1,    PM4_REG_COMPUTE_PGM_RSRC2,      PM4_REG_COMPUTE_PGM_RSRC3,
                                       PM4_REG_COMPUTE_NUM_THREAD_X, PM4_REG_COMPUTE_NUM_THREAD_Y,   PM4_REG_COMPUTE_NUM_THREAD_Z,
                                       PM4_REG_COMPUTE_TMPRING_SIZE, PM4_REG_COMPUTE_RESOURCE_LIMITS};
    uint32_t initiator = packet->words[packet->count - 1];
    unsigned wave_size = base_field_get(initiator, PM4_F_COMPUTE_DISPATCH_INITIATOR_CS_W32_EN) ? 32 : 64;
    show_grid(inspect, ring, packet, initiator);
    tool_document_fact(inspect->document, "wave", "%u lanes, %" PRIu32 " VGPRs", wave_size,
                       (field(ring, PM4_REG_COMPUTE_PGM_RSRC1, PM4_F_COMPUTE_PGM_RSRC1_VGPRS) + 1) *
                           (wave_size == 32 ? VGPR_UNIT : VGPR_UNIT / 2));
    tool_document_fact(inspect->document, "LDS", "%" PRIu32 " bytes",
                       field(ring, PM4_REG_COMPUTE_PGM_RSRC2, PM4_F_COMPUTE_PGM_RSRC2_LDS_SIZE) * LDS_WORDS_UNIT * BYTES_WORD);
    if (field(ring, PM4_REG_COMPUTE_PGM_RSRC2, PM4_F_COMPUTE_PGM_RSRC2_SCRATCH_EN))
        tool_document_fact(inspect->document, "scratch", "%" PRIu32 " bytes a wave",
                           field(ring, PM4_REG_COMPUTE_TMPRING_SIZE, PM4_F_COMPUTE_TMPRING_SIZE_WAVESIZE) * SCRATCH_WORDS_UNIT *
                               BYTES_WORD);
    show_user_data(inspect, ring);
    inspect_use_program(inspect, program_address(ring, PM4_REG_COMPUTE_PGM_LO, PM4_REG_COMPUTE_PGM_HI), "compute", wave_size);
    show_registers(inspect, ring, offsets, sizeof offsets / sizeof offsets[0]);
}

/* Programs of draws: where their addresses are, and which bit makes their waves 32 lanes wide. */
static const struct stage {
    const char *name;
    uint32_t low, high, wave_register;
    struct base_field wave_bit;
} stages[] = {
    {"hull", PM4_REG_SPI_SHADER_PGM_LO_LS, PM4_REG_SPI_SHADER_PGM_HI_LS, PM4_REG_VGT_SHADER_STAGES_EN, {21, 21}},
    {"geometry", PM4_REG_SPI_SHADER_PGM_LO_ES, PM4_REG_SPI_SHADER_PGM_HI_ES, PM4_REG_VGT_SHADER_STAGES_EN, {22, 22}},
    {"vertex", PM4_REG_SPI_SHADER_PGM_LO_VS, PM4_REG_SPI_SHADER_PGM_HI_VS, PM4_REG_VGT_SHADER_STAGES_EN, {23, 23}},
    {"pixel", PM4_REG_SPI_SHADER_PGM_LO_PS, PM4_REG_SPI_SHADER_PGM_HI_PS, PM4_REG_SPI_PS_IN_CONTROL, {15, 15}},
};

static void show_draw(struct inspect *inspect, struct inspect_ring *ring)
{
    static const uint32_t offsets[] = {PM4_REG_VGT_SHADER_STAGES_EN, PM4_REG_VGT_PRIMITIVE_TYPE, PM4_REG_SPI_PS_IN_CONTROL};
    for (size_t n = 0; n < sizeof stages / sizeof stages[0]; n++) {
        const struct stage *stage = &stages[n];
        if (!ring->known[stage->low] || !value(ring, stage->low))
            continue;
        bool is_narrow = field(ring, stage->wave_register, stage->wave_bit);
        inspect_use_program(inspect, program_address(ring, stage->low, stage->high), stage->name, is_narrow ? 32 : 64);
    }
    show_registers(inspect, ring, offsets, sizeof offsets / sizeof offsets[0]);
}

void inspect_work(struct inspect *inspect, struct inspect_ring *ring, const struct pm4_packet *packet)
{
    const struct work *work = find_work(packet);
    if (!work)
        return;
    inspect->work_count++;
    tool_document_open(inspect->document, TOOL_NODE_WORK, "", "%s %" PRIu32 " of submission %" PRIu32,
                       work->is_dispatch ? "dispatch" : "draw", inspect->work_count, inspect->submission);
    if (work->is_dispatch)
        show_dispatch(inspect, ring, packet);
    else
        show_draw(inspect, ring);
    tool_document_close(inspect->document);
}
