/* shim_chip: what a chip says of itself to drivers, as rows. */
#ifndef SHIM_SHIM_CHIP_H
#define SHIM_SHIM_CHIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct shim_chip {
    const char *name;   /* "gfx1030" */
    const char *driver; /* "NAVI21" */
    uint32_t device_id, pci_revision, family, external_revision;
    uint32_t engines, arrays, units, backends, slices;
    uint32_t memory_type, memory_bits;
    uint64_t memory_bytes;
    bool is_apu;
    uint32_t gb_addr_config;
    uint32_t gfx_major, gfx_minor, sdma_major, sdma_minor;
};

/* By either of its names, letters of any case. NULL: there is none. */
const struct shim_chip *shim_chip_find(const char *name);
/* Rows from index 0; NULL past the last. */
const struct shim_chip *shim_chip_at(size_t index);

#endif
