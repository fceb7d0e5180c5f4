/* submit_dispatch: what the compute registers and a dispatch packet say, as one dispatch for a device. */
#include <string.h>

#include "submit/submit.h"
#include "submit/submit_state.h"

enum {
    MAX_THREADS = 1024, /* of a group */
    LDS_GRAIN = 512,    /* bytes: 128 words */
    LDS_MAX = 64 << 10,
    SCRATCH_GRAIN = 1024, /* bytes: 256 words */
    USER_DATA_COUNT = 16,
    PROGRAM_SHIFT = 8, /* program addresses are multiples of 256 */
};

static const double max_groups = 1e18;

static uint64_t program_address(const struct submit_state *state)
{
    uint64_t low = submit_state_get(state, PM4_REG_COMPUTE_PGM_LO),
             high = base_field_get(submit_state_get(state, PM4_REG_COMPUTE_PGM_HI), PM4_F_COMPUTE_PGM_HI_DATA);
    return submit_address((high << 32 | low) << PROGRAM_SHIFT);
}

/* Groups from the first to the last of one dimension, and the threads of the last. */
static void fill_dimension(const struct submit_state *state, const struct submit_grid *grid, unsigned n, struct wave_dispatch *d)
{
    uint32_t word = submit_state_get(state, PM4_REG_COMPUTE_NUM_THREAD_X + n), size = grid->size[n];
    uint32_t full = base_field_get(word, PM4_F_COMPUTE_NUM_THREAD_X_NUM_THREAD_FULL),
             partial = base_field_get(word, PM4_F_COMPUTE_NUM_THREAD_X_NUM_THREAD_PARTIAL);
    bool in_threads = base_field_get(grid->initiator, PM4_F_COMPUTE_DISPATCH_INITIATOR_USE_THREAD_DIMENSIONS);
    uint32_t start = base_field_get(grid->initiator, PM4_F_COMPUTE_DISPATCH_INITIATOR_FORCE_START_AT_000)
                         ? 0
                         : submit_state_get(state, PM4_REG_COMPUTE_START_X + n);
    d->threads[n] = d->last_threads[n] = full;
    if (in_threads && full) {
        uint32_t groups = size / full + (size % full != 0);
        if (size % full)
            d->last_threads[n] = size % full;
        size = groups;
    } else if (base_field_get(grid->initiator, PM4_F_COMPUTE_DISPATCH_INITIATOR_PARTIAL_TG_EN) && partial && partial < full) {
        d->last_threads[n] = partial;
    }
    d->first_group[n] = start;
    d->groups[n] = size > start ? size - start : 0; /* the packet holds where the grid ends */
}

static bool check_threads(const struct wave_dispatch *d, struct base_error *error)
{
    uint64_t threads = (uint64_t)d->threads[0] * d->threads[1];
    if (!threads || !d->threads[2] || threads > MAX_THREADS || threads * d->threads[2] > MAX_THREADS)
        return base_error_set(error, "groups of %u x %u x %u threads; the hardware runs 1 to %d in a group", d->threads[0],
                              d->threads[1], d->threads[2], MAX_THREADS);
    return true;
}

static bool fill_scratch(const struct submit_state *state, struct wave_dispatch *d, struct base_error *error)
{
    if (!base_field_get(d->rsrc2, PM4_F_COMPUTE_PGM_RSRC2_SCRATCH_EN))
        return true;
    uint32_t word = submit_state_get(state, PM4_REG_COMPUTE_TMPRING_SIZE);
    uint32_t group_waves = (d->threads[0] * d->threads[1] * d->threads[2] + d->wave_size - 1) / d->wave_size;
    d->scratch_waves = base_field_get(word, PM4_F_COMPUTE_TMPRING_SIZE_WAVES);
    d->scratch_wave_bytes = base_field_get(word, PM4_F_COMPUTE_TMPRING_SIZE_WAVESIZE) * SCRATCH_GRAIN;
    if (d->scratch_waves < group_waves)
        return base_error_set(error, "the scratch ring has room for %u waves, a group has %u", d->scratch_waves, group_waves);
    return true;
}

/* The table of border colours, in units of 256 bytes. */
static uint64_t border_colors(const struct submit_state *state)
{
    enum { UNIT_LOG2 = 8 };
    uint64_t high = base_field_get(submit_state_get(state, PM4_REG_TA_CS_BC_BASE_ADDR_HI), PM4_F_TA_CS_BC_BASE_ADDR_HI_ADDRESS);
    return (submit_state_get(state, PM4_REG_TA_CS_BC_BASE_ADDR) | high << 32) << UNIT_LOG2;
}

bool submit_state_dispatch(const struct submit_state *state, const struct submit_grid *grid, struct wave_dispatch *d,
                           struct base_error *error)
{
    memset(d, 0, sizeof *d); /* padding too: dispatches are compared as bytes */
    d->program = program_address(state);
    d->rsrc1 = submit_state_get(state, PM4_REG_COMPUTE_PGM_RSRC1);
    d->rsrc2 = submit_state_get(state, PM4_REG_COMPUTE_PGM_RSRC2);
    d->rsrc3 = submit_state_get(state, PM4_REG_COMPUTE_PGM_RSRC3);
    d->wave_size = base_field_get(grid->initiator, PM4_F_COMPUTE_DISPATCH_INITIATOR_CS_W32_EN) ? 32 : 64;
    d->lds_bytes = base_field_get(d->rsrc2, PM4_F_COMPUTE_PGM_RSRC2_LDS_SIZE) * LDS_GRAIN;
    for (unsigned n = 0; n < 3; n++)
        fill_dimension(state, grid, n, d);
    d->border_colors = border_colors(state);
    memcpy(d->user_data, &state->sh[PM4_REG_COMPUTE_USER_DATA_0 - PM4_SH_FIRST], USER_DATA_COUNT * sizeof *d->user_data);
    if (!d->groups[0] || !d->groups[1] || !d->groups[2])
        return true;
    if (base_field_get(d->rsrc1, PM4_F_COMPUTE_PGM_RSRC1_FP16_OVFL))
        return base_error_set(error, "FP16_OVFL (f16 results stay finite) is not supported");
    if ((double)d->groups[0] * d->groups[1] * d->groups[2] > max_groups)
        return base_error_set(error, "%u x %u x %u groups: no dispatch of that size ends", d->groups[0], d->groups[1],
                              d->groups[2]);
    if (d->lds_bytes > LDS_MAX)
        return base_error_set(error, "%u bytes of LDS; a group has %d", d->lds_bytes, LDS_MAX);
    return check_threads(d, error) && fill_scratch(state, d, error);
}

void submit_dispatch_surround(struct wave_dispatch *dispatch, const struct submit_surroundings *around)
{
    dispatch->apertures = around->apertures;
    dispatch->gds = around->gds;
    dispatch->gds_bytes = around->gds_bytes;
    dispatch->timeout_s = around->timeout_s;
    dispatch->cancel = around->cancel;
}
