/* Image operations: descriptors met and decoded, then lane by lane. */
#include "wave/wave_image.h"

#include <stdlib.h>
#include <string.h>

/* 1. Descriptors. */

const struct image_config *wave_image_config_of(enum isa_chip_bit chip)
{
    switch (chip) {
    case ISA_GFX1010: return image_config_of(IMAGE_CHIP_NAVI10);
    case ISA_GFX1013: return image_config_of(IMAGE_CHIP_GFX1013);
    case ISA_GFX1033: return image_config_of(IMAGE_CHIP_VANGOGH);
    default: return image_config_of(IMAGE_CHIP_NAVI21);
    }
}

const struct image_config *wave_image_config(struct wave *w)
{
    return wave_image_config_of(w->worker->shared->variant.lower.chip);
}

/* The sampler's colour in the table that the dispatch names. */
static bool read_border(struct wave *w, const struct image_sampler *sampler, uint32_t entry[IMAGE_COMPONENTS])
{
    enum { ENTRY = 16 };
    uint64_t address = w->worker->shared->dispatch->border_colors + (uint64_t)sampler->border_index * ENTRY;
    const uint8_t *host = wave_mem(w, address, ENTRY, false);
    if (host)
        memcpy(entry, host, ENTRY);
    return host != NULL;
}

static bool is_approximate(const struct image_sampler *sampler)
{
    return sampler->mag_filter != IMAGE_FILTER_POINT || sampler->min_filter != IMAGE_FILTER_POINT ||
           sampler->mip_filter != IMAGE_AXIS_NONE || sampler->z_filter == IMAGE_AXIS_LINEAR;
}

static void decode(struct wave *w, struct wave_image_bound *bound)
{
    uint32_t entry[IMAGE_COMPONENTS];
    struct image_sampler sampler;
    const uint32_t *border = NULL;
    bound->serial = w->worker->serial;
    bound->refused = image_view_decode(wave_image_config(w), bound->words, bound->r128, &bound->view);
    if (!bound->refused && bound->view.format && bound->view.compressed)
        bound->refused = image_keys_make(&bound->view, &bound->keys);
    if (bound->refused)
        return;
    if (bound->sampled) {
        image_sampler_decode(bound->words + WAVE_IMAGE_WORDS, &sampler);
        if (sampler.border == IMAGE_BORDER_TABLE && read_border(w, &sampler, entry))
            border = entry;
    }
    bound->refused = image_sampling_prepare(&bound->sampling, &bound->view, bound->sampled ? &sampler : NULL, border);
    if (bound->refused)
        return;
    bound->approximate = bound->sampled && is_approximate(&bound->sampling.sampler);
    wave_image_plan_make(bound);
}

enum { KEY_WORDS = WAVE_IMAGE_WORDS + WAVE_SAMPLER_WORDS };

/* Descriptors differ mostly in their first words. */
static unsigned slot_of(const uint32_t words[KEY_WORDS])
{
    uint64_t hash = 0;
    for (size_t i = 0; i < KEY_WORDS; i++)
        hash += (uint64_t)words[i] << 2 * i;
    return (unsigned)(hash * 0x9e3779b97f4a7c15u >> 60);
}

static bool same_words(const uint32_t x[KEY_WORDS], const uint32_t y[KEY_WORDS])
{
    uint32_t differ = 0;
    for (size_t i = 0; i < KEY_WORDS; i++)
        differ |= x[i] ^ y[i];
    return !differ;
}

_Static_assert(WAVE_IMAGE_SLOTS == 1 << 4, "a slot's number is the hash's upper four bits");

struct wave_image_cache *wave_image_cache_of(struct wave *w)
{
    struct wave_worker *worker = w->worker;
    if (!worker->images)
        worker->images = calloc(1, sizeof *worker->images);
    if (!worker->images)
        atomic_store(&worker->shared->out_of_memory, true);
    return worker->images;
}

const uint32_t *wave_image_curve_of(struct wave *w)
{
    struct wave_image_cache *images = wave_image_cache_of(w);
    if (images && !images->srgb[0])
        image_srgb_ranges(images->srgb);
    return images ? images->srgb : NULL;
}

void wave_image_block_fill(struct wave_image_block *block, const struct image_format *format, const uint64_t words[2])
{
    uint8_t bytes[sizeof block->words];
    memcpy(bytes, words, sizeof bytes);
    memcpy(block->words, words, sizeof block->words);
    block->format = format;
    image_block_decode(format, bytes, block->texels);
}

static const struct wave_image_bound *find(struct wave *w, const struct wave_op *o, bool sampled)
{
    const struct ir_image *image = o->aux;
    struct wave_worker *worker = w->worker;
    uint32_t words[KEY_WORDS] = {0};
    bool r128 = image->flags & IR_IM_R128;
    memcpy(words, wave_at(w, o->a), (r128 ? WAVE_IMAGE_WORDS / 2 : WAVE_IMAGE_WORDS) * sizeof *words);
    if (sampled)
        memcpy(words + WAVE_IMAGE_WORDS, wave_at(w, o->b), WAVE_SAMPLER_WORDS * sizeof *words);
    struct wave_image_cache *images = wave_image_cache_of(w);
    if (!images)
        return NULL;
    struct wave_image_bound *bound = &images->slots[slot_of(words)];
    if (bound->used && bound->r128 == r128 && bound->sampled == sampled && same_words(bound->words, words) &&
        (!wave_image_needs_table(bound) || bound->serial == worker->serial))
        return bound;
    *bound = (struct wave_image_bound){.used = true, .r128 = r128, .sampled = sampled, .stamp = ++images->decoded};
    memcpy(bound->words, words, sizeof words);
    decode(w, bound);
    return bound;
}

const struct wave_op *wave_image_refuse(struct wave *w, const struct wave_op *o, const char *reason)
{
    wave_report_reason(w, o, WAVE_FAULT_IMAGE, -1, 0, reason);
    w->status = WAVE_STOPPED;
    return NULL;
}

const struct wave_image_bound *wave_image_bind(struct wave *w, const struct wave_op *o)
{
    const struct ir_image *image = o->aux;
    const struct wave_image_bound *bound = find(w, o, wave_image_sampled(image));
    if (bound && !bound->refused) {
        w->worker->images->recent[wave_run_slot(o)] = bound;
        return bound;
    }
    wave_image_refuse(w, o, bound ? bound->refused : "out of memory");
    return NULL;
}

/* 2. Lane by lane. Conversions want the host's default floating-point environment. */

/* Carries one operation out for its active lanes. */
struct job {
    struct wave *w;
    const struct wave_op *o;
    const struct ir_image *image;
    const struct wave_image_bound *bound;
    struct wave_image_address address;
    struct wave_image_memory memory;
    struct image_request request; /* of those that sample, and where */
    struct image_coordinates coordinates[WAVE_LANES_MAX];
};

static void load_lane(struct job *job, unsigned lane)
{
    struct image_place place = wave_image_place(job->image, &job->bound->view, &job->address, lane);
    struct image_fetch fetch = wave_image_fetch(&job->memory);
    struct image_texel texel;
    image_load_lane(&job->bound->sampling, &fetch, &place, &texel);
    wave_image_put(job->w, job->o, job->bound->view.format, lane, &texel);
    wave_image_put_status(job->w, job->o, lane, job->memory.missing);
}

/* The place of a lane's element, when the image has it. */
static bool find_place(const struct job *job, unsigned lane, struct image_place *place)
{
    *place = wave_image_place(job->image, &job->bound->view, &job->address, lane);
    const struct image_view *view = &job->bound->view;
    if (!view->format || !image_place_resolve(view, place))
        return false;
    place->x /= view->texels_x;
    place->y /= view->texels_y;
    return true;
}

/* The element's own words; less than a word is extended to one. */
static void load_raw_lane(struct job *job, unsigned lane)
{
    struct image_place place;
    struct image_texel texel = {{0}};
    unsigned bytes = job->bound->view.element_bytes;
    uint8_t data[IMAGE_MAX_TEXEL_BYTES] = {0};
    struct image_fetch fetch = wave_image_fetch(&job->memory);
    if (find_place(job, lane, &place) && fetch.element(fetch.user, place.mip, place.x, place.y, place.z, place.sample, data)) {
        memcpy(texel.c, data, sizeof texel.c);
        if (bytes < 4 && job->image->flags & IR_IM_SIGNED)
            texel.c[0] = (uint32_t)((int32_t)(texel.c[0] << (32 - bytes * 8)) >> (32 - bytes * 8));
    }
    wave_image_put(job->w, job->o, NULL, lane, &texel);
    wave_image_put_status(job->w, job->o, lane, job->memory.missing);
}

/* One component of four fragments. */
static void load_samples_lane(struct job *job, unsigned lane)
{
    struct image_fetch fetch = wave_image_fetch(&job->memory);
    unsigned component = job->image->dmask ? (unsigned)__builtin_ctz(job->image->dmask) : 0;
    struct image_texel result;
    for (unsigned n = 0; n < IMAGE_COMPONENTS; n++) {
        struct image_place place = wave_image_place(job->image, &job->bound->view, &job->address, lane);
        struct image_texel texel;
        place.sample += n;
        image_load_lane(&job->bound->sampling, &fetch, &place, &texel);
        result.c[n] = texel.c[component];
    }
    wave_image_put(job->w, job->o, job->bound->view.format, lane, &result);
    wave_image_put_status(job->w, job->o, lane, job->memory.missing);
}

static void store_lane(struct job *job, unsigned lane)
{
    struct image_place place;
    struct image_texel texel = wave_image_get(job->w, job->o, job->bound->view.format, lane);
    uint8_t data[IMAGE_MAX_TEXEL_BYTES], *host;
    if (find_place(job, lane, &place) && image_store_element(&job->bound->sampling, &texel, data) &&
        (host = wave_image_element(&job->memory, &place, true)))
        wave_image_write(host, data, job->bound->view.element_bytes);
}

static void store_raw_lane(struct job *job, unsigned lane)
{
    struct image_place place;
    uint8_t data[IMAGE_MAX_TEXEL_BYTES], *host;
    for (unsigned k = 0, n = 0; k < IMAGE_COMPONENTS; k++) {
        bool has = n < job->image->data_words && job->image->dmask >> k & 1;
        uint32_t word = has ? wave_at(job->w, job->o->c + n++ * job->w->stride)[lane] : 0;
        memcpy(data + k * sizeof word, &word, sizeof word);
    }
    if (find_place(job, lane, &place) && (host = wave_image_element(&job->memory, &place, true)))
        wave_image_write(host, data, job->bound->view.element_bytes);
}

static uint64_t data_of(const struct job *job, unsigned first, unsigned bytes, unsigned lane)
{
    const struct wave *w = job->w;
    if (first * 4 + bytes > job->image->data_words * 4u)
        return 0;
    const uint32_t *low = wave_at(job->w, job->o->c + first * w->stride);
    return low[lane] | (bytes == 8 ? (uint64_t)wave_at(job->w, job->o->c + (first + 1) * w->stride)[lane] << 32 : 0);
}

static void atomic_lane(struct job *job, unsigned lane)
{
    struct image_place place;
    unsigned bytes = job->image->flags & IR_IM_WIDE ? 8 : 4;
    uint64_t data = data_of(job, 0, bytes, lane), data2 = data_of(job, bytes / 4, bytes, lane), old = 0;
    uint8_t *host = find_place(job, lane, &place) ? wave_image_element(&job->memory, &place, true) : NULL;
    if (host && (uintptr_t)host % bytes)
        wave_report_fault(job->w, job->o, WAVE_FAULT_ATOMIC_MISALIGNED, (int)lane, 0);
    else if (host)
        old = wave_atomic_guest((enum ir_atomic)job->image->atomic, bytes, host, data, data2);
    for (unsigned k = 0; job->image->flags & IR_IM_RETURN && k < job->image->result_words; k++)
        wave_at(job->w, job->o->d + k * job->w->stride)[lane] = k < bytes / 4 ? (uint32_t)(old >> k * 32) : 0;
    wave_image_put_status(job->w, job->o, lane, job->memory.missing);
}

static void size_lane(struct job *job, unsigned lane)
{
    struct image_texel texel = {{0}};
    if (job->bound->view.format)
        image_resinfo_lane(&job->bound->view, job->address.at[IR_PART_LOD][lane], &texel);
    wave_image_put(job->w, job->o, NULL, lane, &texel);
    wave_image_put_status(job->w, job->o, lane, false);
}

static void sample_lane(struct job *job, unsigned lane)
{
    struct image_fetch fetch = wave_image_fetch(&job->memory);
    struct image_texel texel;
    image_sample_lane(&job->bound->sampling, &fetch, &job->request, &job->coordinates[lane], &texel);
    wave_image_put(job->w, job->o, job->bound->view.format, lane, &texel);
    wave_image_put_status(job->w, job->o, lane, job->memory.missing);
}

static void gather_lane(struct job *job, unsigned lane)
{
    struct image_fetch fetch = wave_image_fetch(&job->memory);
    struct image_texel texel;
    image_gather_lane(&job->bound->sampling, &fetch, &job->request, &job->coordinates[lane], &texel);
    wave_image_put(job->w, job->o, job->bound->view.format, lane, &texel);
    wave_image_put_status(job->w, job->o, lane, job->memory.missing);
}

static void lod_lane(struct job *job, unsigned lane)
{
    struct image_texel texel;
    image_lod_lane(&job->bound->sampling, &job->request, &job->coordinates[lane], &texel);
    wave_image_put(job->w, job->o, NULL, lane, &texel);
    wave_image_put_status(job->w, job->o, lane, false);
}

static void (*const lane_of[IR_IMAGE_KIND_COUNT])(struct job *job, unsigned lane) = {
    [IR_IMAGE_LOAD] = load_lane,           [IR_IMAGE_LOAD_RAW] = load_raw_lane, [IR_IMAGE_STORE] = store_lane,
    [IR_IMAGE_STORE_RAW] = store_raw_lane, [IR_IMAGE_ATOMIC] = atomic_lane,     [IR_IMAGE_SAMPLES] = load_samples_lane,
    [IR_IMAGE_SAMPLE] = sample_lane,       [IR_IMAGE_GATHER] = gather_lane,     [IR_IMAGE_LOD] = lod_lane,
    [IR_IMAGE_SIZE] = size_lane,
};

/* Why the operation cannot be done to that image; NULL when it can. */
static const char *forbids(const struct ir_image *image, const struct image_view *view)
{
    unsigned bytes = image->flags & IR_IM_WIDE ? 8 : 4;
    if (image->kind == IR_IMAGE_ATOMIC && view->format && view->element_bytes != bytes)
        return "an atomic of another width than the image's elements";
    return NULL;
}

/* Lane after lane. All lanes' addresses are read before a result is written: it may take the address's registers. */
static const char *run_lanes(struct wave *w, const struct wave_op *o, const struct wave_image_bound *bound)
{
    const struct ir_image *image = o->aux;
    bool keyed = bound->view.format && bound->view.compressed;
    struct job job;
    job.w = w;
    job.o = o;
    job.image = image;
    job.bound = bound;
    job.memory = (struct wave_image_memory){.w = w, .o = o, .view = &bound->view, .keys = keyed ? &bound->keys : NULL};
    wave_image_read_address(w, o, &job.address);
    if (wave_image_sampled(image)) {
        job.request = wave_image_request(image);
        wave_image_coordinates(w, o, &job.address, job.coordinates);
    }
    for (uint64_t lanes = wave_mask_lanes(w, o); lanes; lanes &= lanes - 1) {
        job.memory.lane = (unsigned)__builtin_ctzll(lanes);
        job.memory.missing = false;
        lane_of[image->kind](&job, job.memory.lane);
    }
    return job.memory.refused;
}

const struct wave_op *wave_image_by_lanes(struct wave *w, const struct wave_op *o, const struct wave_image_bound *bound)
{
    const char *wrong = forbids(o->aux, &bound->view);
    if (wrong)
        return wave_image_refuse(w, o, wrong);
    unsigned csr = _mm_getcsr();
    _mm_setcsr(WAVE_DEFAULT_CSR);
    wrong = run_lanes(w, o, bound);
    _mm_setcsr(csr);
    return wrong ? wave_image_refuse(w, o, wrong) : o + 1;
}

/* Tiers have a handler of their own that comes to vectors more quickly. */
static const struct wave_op *op_image(struct wave *w, const struct wave_op *o)
{
    const struct wave_image_bound *bound = wave_image_bind(w, o);
    if (!bound)
        return NULL;
    if (wave_image_sampled(o->aux))
        wave_image_note(w, o, bound);
    unsigned csr = _mm_getcsr();
    bool fits = wave_image_suits(bound, o->aux, csr);
    if (!fits)
        _mm_setcsr(WAVE_DEFAULT_CSR);
    bool done = w->worker->shared->variant.tier->image(w, o, bound);
    if (!fits)
        _mm_setcsr(csr);
    return done ? o + 1 : wave_image_by_lanes(w, o, bound);
}

wave_fn wave_image_handler(const struct ir_func *func, const struct ir_inst *inst)
{
    const struct ir_image *image = &func->images[inst->imm];
    return image->kind == IR_IMAGE_RAY ? wave_op_image_ray : op_image;
}
