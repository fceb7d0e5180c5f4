/* The chips' names. */
#include "isa/isa.h"

#include <string.h>

static const struct {
    enum isa_chip_bit chip;
    const char *name;
} chips[] = {
    {ISA_GFX1010, "gfx1010"},
    {ISA_GFX1013, "gfx1013"},
    {ISA_GFX1030, "gfx1030"},
    {ISA_GFX1033, "gfx1033"},
};

enum isa_chip_bit isa_chip_by_name(const char *name)
{
    for (unsigned i = 0; i < sizeof chips / sizeof chips[0]; i++) {
        if (strcmp(chips[i].name, name) == 0)
            return chips[i].chip;
    }
    return (enum isa_chip_bit)0;
}

const char *isa_chip_name(enum isa_chip_bit chip)
{
    for (unsigned i = 0; i < sizeof chips / sizeof chips[0]; i++) {
        if (chips[i].chip == chip)
            return chips[i].name;
    }
    return "unknown";
}
