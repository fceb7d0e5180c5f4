/* A wave's registers at its start: user data, ids, MODE, as the compute registers of the dispatch ask. */
#include <string.h>

#include "wave/wave_internal.h"

/* Fields of COMPUTE_PGM_RSRC1..3. */
static inline uint32_t field(uint32_t word, unsigned low, unsigned width) { return word >> low & ((1u << width) - 1); }
static unsigned rsrc1_vgprs(uint32_t r) { return field(r, 0, 6); }
static uint32_t rsrc1_float_mode(uint32_t r) { return field(r, 12, 8); }
static bool rsrc1_dx10_clamp(uint32_t r) { return field(r, 21, 1); }
static bool rsrc1_ieee(uint32_t r) { return field(r, 23, 1); }
static bool rsrc2_scratch(uint32_t r) { return field(r, 0, 1); }
static unsigned rsrc2_user_sgprs(uint32_t r) { return field(r, 1, 5); }
static bool rsrc2_group_id(uint32_t r, unsigned n) { return field(r, 7 + n, 1); }
static bool rsrc2_group_size(uint32_t r) { return field(r, 10, 1); }
static unsigned rsrc2_thread_ids(uint32_t r) { return field(r, 11, 2); }

unsigned wave_allocated_vgprs(const struct wave_dispatch *dispatch)
{
    /* Granules of 8 in wave32 and 4 in wave64; shared ones come on top. */
    unsigned own = (rsrc1_vgprs(dispatch->rsrc1) + 1) * (dispatch->wave_size == 32 ? 8 : 4);
    unsigned shared = dispatch->wave_size == 64 ? field(dispatch->rsrc3, 0, 4) * 8 : 0;
    return own + shared < 256 ? own + shared : 256;
}

static void group_threads(const struct wave_group *group, const struct wave_dispatch *dispatch, uint32_t threads[3])
{
    for (unsigned n = 0; n < 3; n++)
        threads[n] = group->id[n] + 1 == dispatch->groups[n] ? dispatch->last_threads[n] : dispatch->threads[n];
}

static void set_scalars(struct wave *w, const struct wave_dispatch *dispatch)
{
    const struct wave_group *group = w->group;
    uint32_t *s = w->s;
    memset(s, 0, sizeof w->s);
    unsigned n = rsrc2_user_sgprs(dispatch->rsrc2);
    memcpy(s, dispatch->user_data, n * sizeof *s);
    for (unsigned k = 0; k < 3; k++)
        if (rsrc2_group_id(dispatch->rsrc2, k))
            s[n++] = group->id[k];
    if (rsrc2_group_size(dispatch->rsrc2))
        s[n++] = group->wave_count | (w->index == 0 ? 1u << 31 : 0);
    if (rsrc2_scratch(dispatch->rsrc2))
        s[n] = (uint32_t)((group->scratch_slot + w->index) * (uint64_t)dispatch->scratch_wave_bytes);
    s[IR_SHARED_BASE] = dispatch->apertures.shared_base_hi;
    s[IR_PRIVATE_BASE] = dispatch->apertures.private_base_hi;
    s[IR_MODE] = rsrc1_float_mode(dispatch->rsrc1) | (uint32_t)rsrc1_dx10_clamp(dispatch->rsrc1) << 8 |
                 (uint32_t)rsrc1_ieee(dispatch->rsrc1) << 9;
    /* Hardware registers that programs may read: STATUS (VALID, IN_TG), what was allocated in the hardware's granules, the bases. */
    s[IR_STATUS] = 1u << 16 | (group->wave_count > 1 ? 1u << 11 : 0);
    s[IR_GPR_ALLOC] = rsrc1_vgprs(dispatch->rsrc1) << 8;
    s[IR_LDS_ALLOC] = (dispatch->lds_bytes + 511) / 512 << 12 | field(dispatch->rsrc3, 0, 4) << 24;
    s[IR_SH_MEM_BASES] = (dispatch->apertures.shared_base_hi & 0xffff0000u) | dispatch->apertures.private_base_hi >> 16;
    s[IR_ALL_LO] = ~0u;
    s[IR_ALL_HI] = w->halves == 2 ? ~0u : 0;
}

/* Thread ids, x fastest, and EXEC: the lanes that have a thread. */
static void set_lanes(struct wave *w, const struct wave_dispatch *dispatch)
{
    uint32_t threads[3];
    group_threads(w->group, dispatch, threads);
    unsigned lanes = w->halves * 32, first = w->index * lanes, ids = rsrc2_thread_ids(dispatch->rsrc2);
    uint32_t total = threads[0] * threads[1] * threads[2];
    uint32_t here = total - first < lanes ? total - first : lanes;
    w->s[IR_EXEC] = here >= 32 ? ~0u : (1u << here) - 1;
    if (w->halves == 2)
        w->s[IR_EXEC + 1] = here >= 64 ? ~0u : here > 32 ? (1u << (here - 32)) - 1 : 0;
    uint32_t x = first % threads[0], y = first / threads[0] % threads[1], z = first / threads[0] / threads[1];
    uint32_t *v0 = w->v, *v1 = v0 + lanes, *v2 = v1 + lanes;
    for (unsigned lane = 0; lane < here; lane++) {
        v0[lane] = x;
        if (ids >= 1)
            v1[lane] = y;
        if (ids >= 2)
            v2[lane] = z;
        if (++x == threads[0]) {
            x = 0;
            if (++y == threads[1]) {
                y = 0;
                z++;
            }
        }
    }
}

void wave_start(struct wave *w, struct wave_group *group, uint32_t index, struct wave_place place)
{
    struct wave_shared *shared = group->worker->shared;
    const struct wave_dispatch *dispatch = shared->dispatch;
    w->halves = dispatch->wave_size / 32;
    w->stride = dispatch->wave_size * 4;
    w->group = group;
    w->worker = group->worker;
    w->counts = group->worker->counts;
    w->lds = group->lds;
    w->lds_bytes = dispatch->lds_bytes;
    w->index = index;
    w->vgprs = shared->vgprs;
    w->scratch_base = dispatch->scratch_base + (group->scratch_slot + index) * (uint64_t)dispatch->scratch_wave_bytes;
    memset(w->runs, 0, sizeof w->runs);
    w->track = NULL;
    w->status = WAVE_RUNNING;
    w->resume = place.op;
    w->unit = place.unit;
    memset(w->v, 0, (size_t)shared->vgprs * w->stride);
    set_scalars(w, dispatch);
    set_lanes(w, dispatch);
    wave_cache_load_consts(shared->cache, w, place.unit->const_top);
    wave_apply_mode(w);
}
