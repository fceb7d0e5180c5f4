/* shim_chip: the table of chips that the node can be. */
#include <strings.h>

#include <amdgpu_drm.h>

#include "shim/shim_chip.h"

/* What the layouts of the same chip follow from. */
enum gb_addr_config {
#define CHIP(chip, target, value, ...) GB_ADDR_CONFIG_##chip = value,
#include "image/image_configs.def"
#undef CHIP
};

#define GIB(count)             (UINT64_C(count) << 30)
#define CHIP(chip, label, ...) {.name = #chip, .driver = #label, .gb_addr_config = GB_ADDR_CONFIG_##label, __VA_ARGS__},
static const struct shim_chip chips[] = {
#include "shim/shim_chips.def"
};
#undef CHIP
#undef GIB

const struct shim_chip *shim_chip_at(size_t index)
{
    return index < sizeof chips / sizeof chips[0] ? &chips[index] : NULL;
}

const struct shim_chip *shim_chip_find(const char *name)
{
    for (size_t n = 0; n < sizeof chips / sizeof chips[0]; n++)
        if (!strcasecmp(name, chips[n].name) || !strcasecmp(name, chips[n].driver))
            return &chips[n];
    return NULL;
}
