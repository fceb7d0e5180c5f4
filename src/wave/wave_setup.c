/* A wave's registers at its start: user data, ids, MODE, as the compute registers of the dispatch ask. */
#include <stdlib.h>
#include <string.h>

#include "wave/wave_internal.h"

/* Fields of COMPUTE_PGM_RSRC1..3. */
static inline uint32_t field(uint32_t word, unsigned low, unsigned width)
{
    return word >> low & ((1u << width) - 1);
}
static unsigned rsrc1_vgprs(uint32_t r)
{
    return field(r, 0, 6);
}
static uint32_t rsrc1_float_mode(uint32_t r)
{
    return field(r, 12, 8);
}
static bool rsrc1_dx10_clamp(uint32_t r)
{
    return field(r, 21, 1);
}
static bool rsrc1_ieee(uint32_t r)
{
    return field(r, 23, 1);
}
static bool rsrc2_scratch(uint32_t r)
{
    return field(r, 0, 1);
}
static unsigned rsrc2_user_sgprs(uint32_t r)
{
    return field(r, 1, 5);
}
static bool rsrc2_group_id(uint32_t r, unsigned n)
{
    return field(r, 7 + n, 1);
}
static bool rsrc2_group_size(uint32_t r)
{
    return field(r, 10, 1);
}
static unsigned rsrc2_thread_ids(uint32_t r)
{
    return field(r, 11, 2);
}

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

/* The scalar that tells of the group: how many waves it has, the wave's number among them, and whether it is the first. */
static uint32_t group_word(enum isa_chip_bit chip, uint32_t waves, uint32_t index)
{
    /* Without ordered append, the ordered id is the wave's number; gfx10.3 tells the number itself as well. */
    uint32_t number = chip & ISA_GFX10_3 ? index << 20 : 0;
    return waves | index << 6 | number | (index == 0 ? 1u << 31 : 0);
}

/* What differs from group to group. */
static void set_group_scalars(struct wave *w, const struct wave_dispatch *dispatch, const struct sgprs *at)
{
    const struct wave_group *group = w->group;
    for (unsigned k = 0; k < 3; k++)
        if (at->group_id[k] >= 0)
            w->s[at->group_id[k]] = dispatch->first_group[k] + group->id[k];
    if (at->scratch >= 0)
        w->s[at->scratch] = (uint32_t)((group->scratch_slot + w->index) * (uint64_t)dispatch->scratch_wave_bytes);
}

/* What all waves of a group of so many waves have in common. */
static void set_scalars(uint32_t s[IR_S_TEMP], const struct wave_dispatch *dispatch, uint32_t waves)
{
    memset(s, 0, IR_S_TEMP * sizeof *s);
    memcpy(s, dispatch->user_data, rsrc2_user_sgprs(dispatch->rsrc2) * sizeof *s);
    s[IR_SHARED_BASE] = dispatch->apertures.shared_base_hi;
    s[IR_PRIVATE_BASE] = dispatch->apertures.private_base_hi;
    s[IR_MODE] = rsrc1_float_mode(dispatch->rsrc1) | (uint32_t)rsrc1_dx10_clamp(dispatch->rsrc1) << 8 |
                 (uint32_t)rsrc1_ieee(dispatch->rsrc1) << 9;
    /* Hardware registers that programs may read: STATUS (VALID, IN_TG), what was allocated, in the hardware's granules, the bases. */
    s[IR_STATUS] = 1u << 16 | (waves > 1 ? 1u << 11 : 0);
    s[IR_GPR_ALLOC] = rsrc1_vgprs(dispatch->rsrc1) << 8;
    s[IR_LDS_ALLOC] = (dispatch->lds_bytes + 511) / 512 << 12 | field(dispatch->rsrc3, 0, 4) << 24;
    s[IR_SH_MEM_BASES] = (dispatch->apertures.shared_base_hi & 0xffff0000u) | dispatch->apertures.private_base_hi >> 16;
    s[IR_ALL_LO] = ~0u;
    s[IR_ALL_HI] = dispatch->wave_size == 64 ? ~0u : 0;
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

/* Waves of full groups differ only in their group's ids: each starts as a copy of an image of the wave of that index. */
struct image {
    _Alignas(64) uint32_t v[3 * WAVE_LANES_MAX]; /* v0..v2: the thread ids, zero where not asked for */
    uint32_t exec[2], group_size;
};

struct wave_images {
    /* What the images were made for. */
    unsigned wave_size, ids; /* ids: registers that hold thread ids, 1..3 */
    uint32_t threads[3];
    unsigned count, cap;
    /* Made anew for each dispatch. */
    struct sgprs at;
    size_t ids_bytes, zero_bytes; /* of the vector registers, from v0 on */
    uint32_t s[IR_S_TEMP];
    struct image waves[];
};

void wave_images_destroy(struct wave_images *images)
{
    free(images);
}

static struct wave_images *make_room(struct wave_images *images, unsigned count)
{
    if (images && images->cap >= count)
        return images;
    free(images);
    size_t bytes = sizeof *images + count * sizeof *images->waves;
    images = aligned_alloc(_Alignof(struct image), (bytes + 63) & ~(size_t)63);
    if (images) {
        memset(images, 0, sizeof *images);
        images->cap = count;
    }
    return images;
}

/* Every wave's lanes. */
static bool make_lanes(struct wave_images *images, enum isa_chip_bit chip, const struct wave_dispatch *full, unsigned count)
{
    struct wave *w = aligned_alloc(64, (sizeof *w + 3 * WAVE_LANES_MAX * sizeof *w->v + 63) & ~(size_t)63);
    if (!w)
        return false;
    struct wave_group group = {.wave_count = count};
    w->halves = full->wave_size / 32;
    w->group = &group;
    for (unsigned i = 0; i < count; i++) {
        struct image *image = &images->waves[i];
        w->index = i;
        memset(w->v, 0, sizeof image->v);
        set_lanes(w, full);
        memcpy(image->v, w->v, sizeof image->v);
        image->exec[0] = w->s[IR_EXEC];
        image->exec[1] = full->wave_size == 64 ? w->s[IR_EXEC + 1] : 0;
        image->group_size = group_word(chip, count, i);
    }
    free(w);
    return true;
}

struct wave_images *wave_images_prepare(struct wave_images *images, const struct wave_shared *shared)
{
    const struct wave_dispatch *dispatch = shared->dispatch;
    unsigned count = shared->waves_per_group, ids = rsrc2_thread_ids(dispatch->rsrc2) + 1;
    ids = ids > 3 ? 3 : ids;
    images = make_room(images, count);
    if (!images)
        return NULL;
    if (images->wave_size != dispatch->wave_size || images->ids != ids || images->count != count ||
        memcmp(images->threads, dispatch->threads, sizeof images->threads) != 0) {
        struct wave_dispatch full = *dispatch;
        memcpy(full.last_threads, full.threads, sizeof full.threads);
        images->wave_size = dispatch->wave_size;
        images->ids = ids;
        images->count = count;
        memcpy(images->threads, dispatch->threads, sizeof images->threads);
        if (!make_lanes(images, shared->variant.lower.chip, &full, count)) {
            free(images);
            return NULL;
        }
    }
    images->at = place_sgprs(dispatch->rsrc2);
    images->ids_bytes = (size_t)ids * dispatch->wave_size * 4;
    images->zero_bytes = (size_t)(shared->vgprs > ids ? shared->vgprs - ids : 0) * dispatch->wave_size * 4;
    set_scalars(images->s, dispatch, count);
    return images;
}

/* What stays the same for all groups that the wave is used for in a dispatch. */
static void bind(struct wave *w, struct wave_group *group, uint32_t index)
{
    const struct wave_worker *worker = group->worker;
    const struct wave_dispatch *dispatch = worker->shared->dispatch;
    w->halves = dispatch->wave_size / 32;
    w->stride = dispatch->wave_size * 4;
    w->group = group;
    w->worker = group->worker;
    w->lds = group->lds;
    w->lds_bytes = dispatch->lds_bytes;
    w->index = index;
    w->scratch_base = dispatch->scratch_base + (group->scratch_slot + index) * (uint64_t)dispatch->scratch_wave_bytes;
    w->vgprs = worker->shared->vgprs;
    w->track = NULL;
    w->units_loaded = 0;
    memset(w->runs, 0, sizeof w->runs);
    w->bound = worker->serial;
}

/* Puts back what the wave that was here before may have changed, or everything. */
static void start_from_image(struct wave *w, const struct wave_shared *shared, const struct wave_images *images,
                             const struct wave_footprint *changed)
{
    const struct image *image = &images->waves[w->index];
    if (changed) {
        for (unsigned i = 0; i < changed->s_count; i++)
            w->s[changed->s[i]] = images->s[changed->s[i]];
    } else {
        memcpy(w->s, images->s, sizeof images->s);
    }
    if (images->at.group_size >= 0)
        w->s[images->at.group_size] = image->group_size;
    w->s[IR_EXEC] = image->exec[0];
    w->s[IR_EXEC + 1] = image->exec[1];
    set_group_scalars(w, shared->dispatch, &images->at);
    size_t zeros = images->zero_bytes, read = changed ? changed->v_top * (size_t)w->stride : SIZE_MAX;
    if (read < images->ids_bytes + zeros) /* the rest is written before it is read */
        zeros = read > images->ids_bytes ? read - images->ids_bytes : 0;
    shared->variant.tier->fill(w->v, image->v, images->ids_bytes, zeros);
}

/* Works everything out. */
static void start_anew(struct wave *w, const struct wave_shared *shared)
{
    const struct wave_dispatch *dispatch = shared->dispatch;
    struct sgprs at = place_sgprs(dispatch->rsrc2);
    memset(w->v, 0, (size_t)shared->vgprs * w->stride);
    set_scalars(w->s, dispatch, w->group->wave_count);
    if (at.group_size >= 0)
        w->s[at.group_size] = group_word(w->worker->shared->variant.lower.chip, w->group->wave_count, w->index);
    set_group_scalars(w, dispatch, &at);
    set_lanes(w, dispatch);
}

void wave_start(struct wave *w, struct wave_group *group, uint32_t index, struct wave_place place)
{
    const struct wave_worker *worker = group->worker;
    const struct wave_shared *shared = worker->shared;
    bool same = w->bound == worker->serial && w->bound;
    if (!same)
        bind(w, group, index);
    w->status = WAVE_RUNNING;
    w->resume = place.op;
    w->unit = place.unit;
    w->counts = worker->counts;
    if (shared->images && group->full) {
        start_from_image(w, shared, shared->images, same && place.unit->footprint.known ? &place.unit->footprint : NULL);
    } else {
        start_anew(w, shared);
        w->bound = 0; /* its scalars are not the image's */
    }
    wave_load_consts(w, place.unit);
    if (w->mode_word != w->s[IR_MODE] || !w->mxcsr32)
        wave_apply_mode(w);
}
