/* submit_target: where a draw's colour targets lie, from the registers in force. */
#include "image/image_layout.h"
#include "submit/submit_reach.h"
#include "submit/submit_state.h"

enum { TARGETS = 8, TARGET_REGISTERS = PM4_REG_CB_COLOR0_DCC_BASE - PM4_REG_CB_COLOR0_BASE + 2, MASK_BITS = 4, BASE_SHIFT = 8 };

/* Registers of a target: most lie together, those that came later each in a row of their own. */
static uint32_t together(const struct submit_state *state, uint32_t of_first, unsigned target)
{
    return submit_state_get(state, of_first + target * TARGET_REGISTERS);
}

static uint32_t in_row(const struct submit_state *state, uint32_t of_first, unsigned target)
{
    return submit_state_get(state, of_first + target);
}

static uint8_t element_bytes(unsigned format)
{
    static const uint8_t bytes[] = {
        [PM4_V_COLOR_FORMAT_8] = 1,
        [PM4_V_COLOR_FORMAT_16] = 2,
        [PM4_V_COLOR_FORMAT_8_8] = 2,
        [PM4_V_COLOR_FORMAT_32] = 4,
        [PM4_V_COLOR_FORMAT_16_16] = 4,
        [PM4_V_COLOR_FORMAT_10_11_11] = 4,
        [PM4_V_COLOR_FORMAT_11_11_10] = 4,
        [PM4_V_COLOR_FORMAT_10_10_10_2] = 4,
        [PM4_V_COLOR_FORMAT_2_10_10_10] = 4,
        [PM4_V_COLOR_FORMAT_8_8_8_8] = 4,
        [PM4_V_COLOR_FORMAT_32_32] = 8,
        [PM4_V_COLOR_FORMAT_16_16_16_16] = 8,
        [PM4_V_COLOR_FORMAT_32_32_32_32] = 16,
        [PM4_V_COLOR_FORMAT_5_6_5] = 2,
        [PM4_V_COLOR_FORMAT_1_5_5_5] = 2,
        [PM4_V_COLOR_FORMAT_5_5_5_1] = 2,
        [PM4_V_COLOR_FORMAT_4_4_4_4] = 2,
        [PM4_V_COLOR_FORMAT_8_24] = 4,
        [PM4_V_COLOR_FORMAT_24_8] = 4,
        [PM4_V_COLOR_FORMAT_X24_8_32_FLOAT] = 8,
        [PM4_V_COLOR_FORMAT_5_9_9_9] = 4,
    };
    return format < sizeof bytes ? bytes[format] : 0;
}

static bool has_metadata(uint32_t info)
{
    return base_field_get(info, PM4_F_CB_COLOR0_INFO_FAST_CLEAR) || base_field_get(info, PM4_F_CB_COLOR0_INFO_COMPRESSION) ||
           base_field_get(info, PM4_F_CB_COLOR0_INFO_DCC_ENABLE);
}

static struct image_surface surface_of(const struct submit_state *state, const struct image_config *config, unsigned target)
{
    uint32_t info = together(state, PM4_REG_CB_COLOR0_INFO, target), size = in_row(state, PM4_REG_CB_COLOR0_ATTRIB2, target),
             attributes = together(state, PM4_REG_CB_COLOR0_ATTRIB, target),
             layout = in_row(state, PM4_REG_CB_COLOR0_ATTRIB3, target);
    return (struct image_surface){
        .config = config,
        .width = base_field_get(size, PM4_F_CB_COLOR0_ATTRIB2_MIP0_WIDTH) + 1,
        .height = base_field_get(size, PM4_F_CB_COLOR0_ATTRIB2_MIP0_HEIGHT) + 1,
        .slices = base_field_get(layout, PM4_F_CB_COLOR0_ATTRIB3_MIP0_DEPTH) + 1,
        .dimensions = (uint8_t)(base_field_get(layout, PM4_F_CB_COLOR0_ATTRIB3_RESOURCE_TYPE) + 1),
        .swizzle = (uint8_t)base_field_get(layout, PM4_F_CB_COLOR0_ATTRIB3_COLOR_SW_MODE),
        .element_bytes = element_bytes(base_field_get(info, PM4_F_CB_COLOR0_INFO_FORMAT)),
        .samples = (uint8_t)base_field_get(attributes, PM4_F_CB_COLOR0_ATTRIB_NUM_FRAGMENTS),
        .levels = (uint8_t)(base_field_get(size, PM4_F_CB_COLOR0_ATTRIB2_MAX_MIP) + 1),
    };
}

/* False: where it lies is not known. */
static bool add_target(struct submit_writes *writes, const struct image_config *config, const struct submit_state *state,
                       unsigned target)
{
    uint32_t seen = together(state, PM4_REG_CB_COLOR0_VIEW, target), info = together(state, PM4_REG_CB_COLOR0_INFO, target);
    uint64_t high = base_field_get(in_row(state, PM4_REG_CB_COLOR0_BASE_EXT, target), PM4_F_CB_COLOR0_BASE_EXT_BASE_256B),
             base = (high << 32 | together(state, PM4_REG_CB_COLOR0_BASE, target)) << BASE_SHIFT;
    unsigned level = base_field_get(seen, PM4_F_CB_COLOR0_VIEW_MIP_LEVEL),
             first = base_field_get(seen, PM4_F_CB_COLOR0_VIEW_SLICE_START),
             last = base_field_get(seen, PM4_F_CB_COLOR0_VIEW_SLICE_MAX);
    struct image_surface surface = surface_of(state, config, target);
    struct image_view view;
    if (!config || !surface.element_bytes || surface.dimensions > 3 || level >= surface.levels || first > last ||
        last >= surface.slices || has_metadata(info) || image_view_make(&surface, base, 0, &view))
        return false;
    view.sliced = view.volume;
    view.first_slice = (uint16_t)first;
    view.last_slice = (uint16_t)last;
    return submit_image_level(writes, &view, level);
}

void submit_target_writes(struct submit_writes *writes, const struct image_config *config, const struct submit_state *state)
{
    uint32_t mask = submit_state_get(state, PM4_REG_CB_TARGET_MASK);
    for (unsigned target = 0; target < TARGETS; target++) {
        uint32_t format = base_field_get(together(state, PM4_REG_CB_COLOR0_INFO, target), PM4_F_CB_COLOR0_INFO_FORMAT);
        bool drawn = mask >> MASK_BITS * target & ((1u << MASK_BITS) - 1) && format != PM4_V_COLOR_FORMAT_INVALID;
        if (drawn && !add_target(writes, config, state, target))
            submit_writes_unbound(writes, SUBMIT_COLOR_TARGET);
    }
}
