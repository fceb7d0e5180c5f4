/* submit_state: the registers of a ring, and the dispatch that they describe. */
#ifndef SUBMIT_SUBMIT_STATE_H
#define SUBMIT_SUBMIT_STATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/base_error.h"
#include "pm4/pm4.h"
#include "wave/wave.h"

/* What packets set and others read; plain data. The spaces of the SET_*_REG packets, from their first register on. */
struct submit_state {
    uint32_t context[PM4_CONTEXT_COUNT];
    uint32_t sh[PM4_SH_COUNT];
    uint32_t uconfig[PM4_UCONFIG_COUNT];
    uint32_t config[PM4_CONFIG_COUNT];
};

/* The register at an offset in the machine's register space; NULL when it lies in no space that a ring keeps. */
uint32_t *submit_state_register(struct submit_state *state, uint32_t offset);
uint32_t submit_state_get(const struct submit_state *state, uint32_t offset);
/* Carries out a packet that writes registers by itself (SET_*_REG and their _INDEX forms); false when it is none or leaves its
 * space. */
bool submit_state_set(struct submit_state *state, const struct pm4_packet *packet);
/* CLEAR_STATE: context registers as the hardware has them at its start. */
void submit_state_clear(struct submit_state *state);

/* The three sizes and the initiator word of a dispatch packet. */
struct submit_grid {
    uint32_t size[3];
    uint32_t initiator;
};

/* Fills in what the registers say of a dispatch; the whole of *dispatch is written, padding too. False and why when no hardware
 * could run it, or Tenfold can't. A dimension of zero groups is legal: nothing runs then. */
bool submit_state_dispatch(const struct submit_state *state, const struct submit_grid *grid, struct wave_dispatch *dispatch,
                           struct base_error *error);

/* What a dispatch gets from its GPU and ring, whatever the registers say. */
struct submit_surroundings {
    struct wave_apertures apertures;
    uint8_t *gds;
    uint32_t gds_bytes;
    double timeout_s;
    const _Atomic bool *cancel;
};
void submit_dispatch_surround(struct wave_dispatch *dispatch, const struct submit_surroundings *around);

#endif
