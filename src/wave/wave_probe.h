/* wave_probe: one wave with given registers, run to its end, and its registers afterwards: for tests.
 *
 * Roles and owners:
 *   wave_probe  what the wave starts from and where its registers are left; every pointer is the caller's. */
#ifndef WAVE_WAVE_PROBE_H
#define WAVE_WAVE_PROBE_H

#include "wave/wave.h"

enum { WAVE_PROBE_VGPRS = 256, WAVE_PROBE_LDS_SLACK = 64 };

struct wave_probe {
    enum isa_chip_bit chip;
    unsigned wave_size, private_vgprs;
    const char *tier; /* one of wave_probe_tiers() */
    const struct wave_memory *memory;
    uint64_t program; /* address of the first instruction */
    uint64_t scratch_base;
    uint32_t scratch_bytes;
    struct wave_apertures apertures;
    uint8_t *lds; /* 64-byte aligned, WAVE_PROBE_LDS_SLACK bytes longer than lds_bytes */
    uint32_t lds_bytes;
    uint8_t *gds;
    uint32_t gds_bytes;
    uint32_t *s; /* IR_S_COUNT words: scalar registers and state, in and out */
    uint32_t *v; /* WAVE_PROBE_VGPRS registers of wave_size lanes each, in and out */
    /* For executors that cannot ask memory: all that it has mapped; and whether they refused the program, which is no failure. */
    const struct wave_run *runs;
    size_t run_count;
    bool *refused;
};

/* Names of the tiers that this host has, best first, ended by NULL. */
const char *const *wave_probe_tiers(void);

/* Runs the probe. False when the host is out of memory or the wave has not come to its end after very many steps. Faults
 * stand in result, which must be finished in both cases. */
bool wave_probe_run(const struct wave_probe *probe, struct wave_result *result);

#endif
