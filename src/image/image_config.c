/* image_config: the chips' rows. */
#include <string.h>

#include "base/base_bits.h"
#include "image/image_view.h"

static const struct image_config configs[IMAGE_CHIP_COUNT] = {
#define CHIP(chip, target_name, address_config, tables, has_gfx103, late_tail) \
    [IMAGE_CHIP_##chip] = {.name = #chip,                                      \
                           .target = target_name,                              \
                           .gb_addr_config = address_config,                   \
                           .equations = IMAGE_EQUATIONS_##tables,              \
                           .gfx103 = has_gfx103,                               \
                           .late_stencil_tail = late_tail},
#include "image/image_configs.def"
#undef CHIP
};

const struct image_config *image_config_of(enum image_chip chip)
{
    return (unsigned)chip < IMAGE_CHIP_COUNT ? &configs[chip] : NULL;
}

const struct image_config *image_config_by_target(const char *target)
{
    for (unsigned n = 0; n < IMAGE_CHIP_COUNT; n++)
        if (*target && strcmp(configs[n].target, target) == 0)
            return &configs[n];
    return NULL;
}

/* GB_ADDR_CONFIG. */
unsigned image_config_pipes(const struct image_config *config)
{
    const struct base_field pipes = {0, 2};
    return base_field_get(config->gb_addr_config, pipes);
}

unsigned image_config_compressed_fragments(const struct image_config *config)
{
    const struct base_field fragments = {6, 7};
    return base_field_get(config->gb_addr_config, fragments);
}
