/* A wave's registers at its start: user data, ids, MODE, as the compute registers of the dispatch ask. */
#include <stdlib.h>
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

/* Where the scalars behind the user data stand; -1: not asked for. */
struct sgprs {
    int group_id[3], group_size, scratch;
};

static struct sgprs place_sgprs(uint32_t rsrc2)
{
    struct sgprs at;
    int n = (int)rsrc2_user_sgprs(rsrc2);
    for (unsigned k = 0; k < 3; k++)
        at.group_id[k] = rsrc2_group_id(rsrc2, k) ? n++ : -1;
    at.group_size = rsrc2_group_size(rsrc2) ? n++ : -1;
    at.scratch = rsrc2_scratch(rsrc2) ? n : -1;
    return at;
}

/* What differs from group to group. */
static void set_group_scalars(struct wave *w, const struct wave_dispatch *dispatch, const struct sgprs *at)
{
    const struct wave_group *group = w->group;
    for (unsigned k = 0; k < 3; k++)
        if (at->group_id[k] >= 0)
            w->s[at->group_id[k]] = group->id[k];
    if (at->scratch >= 0)
        w->s[at->scratch] = (uint32_t)((group->scratch_slot + w->index) * (uint64_t)dispatch->scratch_wave_bytes);
}

static void set_scalars(struct wave *w, const struct wave_dispatch *dispatch)
{
    uint32_t *s = w->s;
    struct sgprs at = place_sgprs(dispatch->rsrc2);
    memset(s, 0, sizeof w->s);
    memcpy(s, dispatch->user_data, rsrc2_user_sgprs(dispatch->rsrc2) * sizeof *s);
    set_group_scalars(w, dispatch, &at);
    if (at.group_size >= 0)
        s[at.group_size] = w->group->wave_count | (w->index == 0 ? 1u << 31 : 0);
    s[IR_SHARED_BASE] = dispatch->apertures.shared_base_hi;
    s[IR_PRIVATE_BASE] = dispatch->apertures.private_base_hi;
    s[IR_MODE] = rsrc1_float_mode(dispatch->rsrc1) | (uint32_t)rsrc1_dx10_clamp(dispatch->rsrc1) << 8 |
                 (uint32_t)rsrc1_ieee(dispatch->rsrc1) << 9;
    /* Hardware registers that programs may read: STATUS (VALID, IN_TG), what was allocated, in the hardware's granules, the bases. */
    s[IR_STATUS] = 1u << 16 | (w->group->wave_count > 1 ? 1u << 11 : 0);
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

/* Waves of full groups differ only in their group's ids: each is a copy of what the first group's wave of that index was. */
struct image {
    uint32_t s[IR_S_TEMP];
    uint32_t v[3 * WAVE_LANES_MAX]; /* v0..v2: the thread ids, zero where not asked for */
};

struct wave_images {
    struct sgprs at;
    unsigned ids;                   /* registers that hold thread ids: 1..3 */
    size_t s_bytes, v_bytes;        /* of an image; variables, for the C library's copy beats an inlined string move */
    struct image waves[];
};

struct wave_images *wave_images_create(struct wave_shared *shared)
{
    const struct wave_dispatch *dispatch = shared->dispatch;
    unsigned count = shared->waves_per_group;
    struct wave_images *images = calloc(1, sizeof *images + count * sizeof *images->waves);
    struct wave *w = calloc(1, sizeof *w + 3 * WAVE_LANES_MAX * sizeof *w->v);
    struct wave_dispatch full = *dispatch;
    memcpy(full.last_threads, full.threads, sizeof full.threads);
    struct wave_group group = {.wave_count = count};
    for (unsigned i = 0; images && w && i < count; i++) {
        memset(w->v, 0, 3 * WAVE_LANES_MAX * sizeof *w->v);
        w->halves = full.wave_size / 32;
        w->group = &group;
        w->index = i;
        set_scalars(w, &full);
        set_lanes(w, &full);
        memcpy(images->waves[i].s, w->s, sizeof images->waves[i].s);
        memcpy(images->waves[i].v, w->v, sizeof images->waves[i].v);
    }
    if (images) {
        images->s_bytes = sizeof images->waves[0].s;
        images->at = place_sgprs(dispatch->rsrc2);
        images->ids = rsrc2_thread_ids(dispatch->rsrc2) + 1;
        images->ids = images->ids > 3 ? 3 : images->ids;
        images->v_bytes = (size_t)images->ids * dispatch->wave_size * 4;
    }
    if (!w) {
        free(images);
        images = NULL;
    }
    free(w);
    return images;
}

/* What a wave's place in its group fixes, however often the group is filled anew. */
static void bind(struct wave *w, struct wave_group *group, uint32_t index)
{
    const struct wave_dispatch *dispatch = group->worker->shared->dispatch;
    w->halves = dispatch->wave_size / 32;
    w->stride = dispatch->wave_size * 4;
    w->group = group;
    w->worker = group->worker;
    w->counts = group->worker->counts;
    w->lds = group->lds;
    w->lds_bytes = dispatch->lds_bytes;
    w->index = index;
    w->scratch_base = dispatch->scratch_base + (group->scratch_slot + index) * (uint64_t)dispatch->scratch_wave_bytes;
    w->vgprs = group->worker->shared->vgprs;
    w->track = NULL;
}

static void start_from_image(struct wave *w, const struct wave_shared *shared, const struct wave_images *images)
{
    const struct image *image = &images->waves[w->index];
    memcpy(w->s, image->s, images->s_bytes);
    set_group_scalars(w, shared->dispatch, &images->at);
    memcpy(w->v, image->v, images->v_bytes);
    if (shared->vgprs > images->ids)
        memset((char *)w->v + images->v_bytes, 0, (size_t)(shared->vgprs - images->ids) * w->stride);
}

void wave_start(struct wave *w, struct wave_group *group, uint32_t index, struct wave_place place)
{
    struct wave_shared *shared = group->worker->shared;
    if (w->group != group)
        bind(w, group, index);
    w->status = WAVE_RUNNING;
    w->resume = place.op;
    w->unit = place.unit;
    if (shared->images && group->full) {
        start_from_image(w, shared, shared->images);
    } else {
        memset(w->v, 0, (size_t)shared->vgprs * w->stride);
        set_scalars(w, shared->dispatch);
        set_lanes(w, shared->dispatch);
    }
    if (w->consts_loaded < place.unit->const_top)
        wave_cache_load_consts(shared->cache, w, place.unit->const_top);
    if (w->mode_word != w->s[IR_MODE] || !w->mxcsr32)
        wave_apply_mode(w);
}
