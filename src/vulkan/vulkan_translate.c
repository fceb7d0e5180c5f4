/* vulkan_translate: programs to modules, and modules to and from the cache on disk. */
#include "vulkan/vulkan_translate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base_bytes.h"
#include "spirv/spirv_layout.h"
#include "vulkan/vulkan_version.h"
#include "wave/wave_program.h"

const char vulkan_translate_version[] = "modules of " VULKAN_SOURCES;

/* COMPUTE_PGM_RSRC1's MODE, as the wave's register has it. */
static uint32_t mode_of(uint32_t rsrc1)
{
    return (rsrc1 >> 12 & 0xff) | (rsrc1 >> 21 & 1) << 8 | (rsrc1 >> 23 & 1) << 9;
}

static uint64_t shared_bytes(const struct vulkan_source *source, uint32_t more_words)
{
    return ((uint64_t)source->lds_words + more_words) * sizeof(uint32_t);
}

static struct spirv_options options_of(const struct vulkan_workshop *workshop, const struct vulkan_source *source)
{
    bool full = source->full;
    return (struct spirv_options){
        .threads = {full ? source->threads[0] : 0, full ? source->threads[1] : 0, full ? source->threads[2] : 0},
        .subgroup = vulkan_host_facts(workshop->host)->subgroup,
        .waves = source->waves,
        .mode = mode_of(source->rsrc1),
        .rsrc2 = source->rsrc2,
        .scratch_wave_bytes = source->scratch_wave_bytes,
        .vgprs = wave_allocated_vgprs(
            &(struct wave_dispatch){.rsrc1 = source->rsrc1, .rsrc3 = source->rsrc3, .wave_size = source->wave_size}),
        .gfx10_3 = (workshop->chip & ISA_GFX10_3) != 0,
        .alone = source->packed ? 0 : vulkan_host_facts(workshop->host)->group_invocations,
        .line = source->line,
        .full = source->full,
        .fused = vulkan_host_facts(workshop->host)->fused,
        .alike = vulkan_host_facts(workshop->host)->alike,
        .few_rounds = vulkan_host_facts(workshop->host)->few_rounds,
        .denormals = vulkan_host_facts(workshop->host)->denormals,
        .scanned = vulkan_host_facts(workshop->host)->is_host,
        .marks = workshop->marks,
        .forms = source->forms,
        .fast = source->fast,
        .certain = source->certain,
        .marks_near = source->marks_near,
        .narrow = vulkan_host_facts(workshop->host)->narrow,
        .spills = shared_bytes(source, 0) > vulkan_host_facts(workshop->host)->shared_bytes};
}

/* ---- keys ---- */

/* All of options but `registers`, which no dispatch has. */
static void put_options(struct vulkan_bytes *key, const struct spirv_options *options)
{
    _Static_assert(sizeof *options == 60, "each option that a module depends on is part of its key");
    vulkan_bytes_put_u32(key, options->subgroup);
    vulkan_bytes_put_u32(key, options->waves);
    vulkan_bytes_put_u32(key, options->mode);
    vulkan_bytes_put_u32(key, options->rsrc2);
    vulkan_bytes_put_u32(key, options->scratch_wave_bytes);
    vulkan_bytes_put_u32(key, options->vgprs);
    vulkan_bytes_put_u32(key, options->alone);
    for (unsigned n = 0; n < 3; n++)
        vulkan_bytes_put_u32(key, options->threads[n]);
    vulkan_bytes_put_u32(key, options->forms);
    vulkan_bytes_put_u32(key, options->denormals);
    vulkan_bytes_put_u32(key, options->gfx10_3);
    vulkan_bytes_put_u32(key, options->line);
    vulkan_bytes_put_u32(key, options->full);
    vulkan_bytes_put_u32(key, options->fused);
    vulkan_bytes_put_u32(key, options->alike);
    vulkan_bytes_put_u32(key, options->few_rounds);
    vulkan_bytes_put_u32(key, options->scanned);
    vulkan_bytes_put_u32(key, options->marks);
    vulkan_bytes_put_u32(key, options->fast);
    vulkan_bytes_put_u32(key, options->certain);
    vulkan_bytes_put_u32(key, options->marks_near);
    vulkan_bytes_put_u32(key, options->narrow);
    vulkan_bytes_put_u32(key, options->spills);
}

/* The words with their addresses: programs look at their own. */
static void put_code(struct vulkan_bytes *key, const struct wave_code *code)
{
    vulkan_bytes_put_u32(key, code->piece_count);
    for (uint32_t n = 0; n < code->piece_count; n++) {
        const struct wave_code_piece *piece = &code->pieces[n];
        vulkan_bytes_put_u64(key, piece->pc);
        vulkan_bytes_put_u32(key, piece->count);
        for (uint32_t word = 0; word < piece->count; word++)
            vulkan_bytes_put_u32(key, code->words[piece->first + word]);
    }
}

static void make_key(const struct vulkan_workshop *workshop, const struct vulkan_source *source,
                     const struct spirv_options *options, struct vulkan_bytes *key)
{
    *key = (struct vulkan_bytes){0};
    vulkan_bytes_put_u32(key, workshop->chip);
    vulkan_bytes_put_u64(key, source->func->entry);
    vulkan_bytes_put_u32(key, source->wave_size);
    vulkan_bytes_put_u32(key, source->rsrc1);
    vulkan_bytes_put_u32(key, source->rsrc3);
    put_options(key, options);
    put_code(key, source->code);
}

/* ---- what is kept ---- */

enum {
    KEPT_USES_LDS = 1,
    KEPT_ALONE = 2,
    KEPT_FAST = 4,
    KEPT_RAYS = 8,
    KEPT_LOCKS = 16,
    KEPT_GDS = 32,
    KEPT_CERTAIN = 64,
    KEPT_SPILLS = 128
};

static void put_sources(struct vulkan_bytes *data, const struct spirv_source source[4])
{
    for (unsigned n = 0; n < 4; n++) {
        vulkan_bytes_put_u32(data, source[n].kind);
        vulkan_bytes_put_u32(data, source[n].value);
    }
}

enum { KEPT_BUFFER = 1, KEPT_KNOWN = 2, KEPT_LOADS = 4, KEPT_STORES = 8, KEPT_SUB_WORDS = 16 };
enum { NEAR_SIGNED = 1, NEAR_WHOLE = 2, NEAR_STORES = 4, NEAR_ALIGNED = 8 };
enum { REACH_LOAD = 1, REACH_STORE = 2, REACH_ATOMIC = 4 };

static void put_reaches(struct vulkan_bytes *data, const struct spirv_module *m)
{
    for (uint32_t n = 0; n < m->slot_count; n++) {
        const struct spirv_slot *s = &m->slots[n];
        vulkan_bytes_put_u32(data, s->first_site);
        put_sources(data, s->base);
        vulkan_bytes_put_u32(data, s->base_words);
        vulkan_bytes_put_u32(data, (s->buffer ? KEPT_BUFFER : 0) | (s->known ? KEPT_KNOWN : 0) | (s->loads ? KEPT_LOADS : 0) |
                                       (s->stores ? KEPT_STORES : 0) | (s->sub_words ? KEPT_SUB_WORDS : 0));
    }
    for (uint32_t n = 0; n < m->preload_count; n++) {
        const struct spirv_preload *p = &m->preloads[n];
        vulkan_bytes_put_u64(data, p->pc);
        put_sources(data, p->base);
        vulkan_bytes_put_u32(data, p->buffer);
        vulkan_bytes_put_u32(data, p->soffset);
        vulkan_bytes_put_u32(data, (uint32_t)p->offset);
        vulkan_bytes_put_u32(data, p->words);
        vulkan_bytes_put_u32(data, p->first);
    }
    for (uint32_t n = 0; n < m->near_count; n++) {
        const struct spirv_near *near = &m->nears[n];
        vulkan_bytes_put_u32(data, near->slot);
        vulkan_bytes_put_u32(data, (uint32_t)near->offset);
        vulkan_bytes_put_u32(data, near->scale);
        vulkan_bytes_put_u32(data, near->bytes);
        vulkan_bytes_put_u32(data, (near->is_signed ? NEAR_SIGNED : 0) | (near->whole ? NEAR_WHOLE : 0) |
                                       (near->stores ? NEAR_STORES : 0) | (near->aligned ? NEAR_ALIGNED : 0));
    }
    for (uint32_t n = 0; n < m->reach_count; n++) {
        const struct spirv_reach *r = &m->reaches[n];
        vulkan_bytes_put_u64(data, r->pc);
        vulkan_bytes_put_u32(data, (uint32_t)r->slot);
        vulkan_bytes_put_u32(data, (r->load ? REACH_LOAD : 0) | (r->store ? REACH_STORE : 0) | (r->atomic ? REACH_ATOMIC : 0));
    }
}

enum {
    IMAGE_R128 = 1,
    IMAGE_SAMPLED = 2,
    IMAGE_STORES = 4,
    IMAGE_CUBE = 8,
    IMAGE_SAYS = 16,
    IMAGE_RAW = 32,
    IMAGE_ATOMIC_SHIFT = 8
};
enum { IMAGE_SIZE = 60, STEP_SIZE = 64 };

static void put_images(struct vulkan_bytes *data, const struct spirv_module *m)
{
    for (uint32_t n = 0; n < m->image_count; n++) {
        const struct spirv_image *image = &m->images[n];
        vulkan_bytes_put_u64(data, image->pc);
        vulkan_bytes_put_u32(data, (image->r128 ? IMAGE_R128 : 0) | (image->sampled ? IMAGE_SAMPLED : 0) |
                                       (image->stores ? IMAGE_STORES : 0) | (image->cube ? IMAGE_CUBE : 0) |
                                       (image->says ? IMAGE_SAYS : 0) | (image->raw ? IMAGE_RAW : 0) |
                                       (uint32_t)image->atomic_bytes << IMAGE_ATOMIC_SHIFT);
        for (unsigned k = 0; k < sizeof image->descriptor / sizeof *image->descriptor; k++)
            vulkan_bytes_put_u32(data, image->descriptor[k]);
        for (unsigned k = 0; k < sizeof image->sampler / sizeof *image->sampler; k++)
            vulkan_bytes_put_u32(data, image->sampler[k]);
    }
    for (uint32_t n = 0; n < m->step_count; n++) {
        vulkan_bytes_put_u32(data, m->steps[n].kind);
        vulkan_bytes_put_u32(data, m->steps[n].what);
        vulkan_bytes_put_u32(data, m->steps[n].word);
        vulkan_bytes_put_u32(data, m->steps[n].value);
        for (unsigned k = 0; k < SPIRV_STEP_ARGS; k++)
            vulkan_bytes_put_u32(data, m->steps[n].args[k]);
    }
}

static void put_bounds(struct vulkan_bytes *data, const struct spirv_module *m)
{
    for (uint32_t n = 0; n < m->bound_count; n++) {
        vulkan_bytes_put_u32(data, m->bounds[n].near);
        vulkan_bytes_put_u32(data, m->bounds[n].step);
        vulkan_bytes_put_u32(data, m->bounds[n].end);
    }
    for (uint32_t n = 0; n < m->bound_step_count; n++) {
        vulkan_bytes_put_u32(data, m->bound_steps[n].kind);
        vulkan_bytes_put_u32(data, m->bound_steps[n].value);
        for (unsigned k = 0; k < SPIRV_BOUND_ARGS; k++)
            vulkan_bytes_put_u32(data, m->bound_steps[n].args[k]);
    }
}

static void put_aparts(struct vulkan_bytes *data, const struct spirv_module *m)
{
    for (uint32_t n = 0; n < m->apart_count; n++) {
        vulkan_bytes_put_u64(data, m->aparts[n].pc[0]);
        vulkan_bytes_put_u64(data, m->aparts[n].pc[1]);
        vulkan_bytes_put_u32(data, m->aparts[n].plain);
    }
}

static void put_module(struct vulkan_bytes *data, const struct spirv_module *m)
{
    vulkan_bytes_put_u64(data, m->word_count);
    vulkan_bytes_put_u32(data, m->site_count);
    vulkan_bytes_put_u32(data, (m->uses_lds ? KEPT_USES_LDS : 0) | (m->alone ? KEPT_ALONE : 0) | (m->fast ? KEPT_FAST : 0) |
                                   (m->rays ? KEPT_RAYS : 0) | (m->locks ? KEPT_LOCKS : 0) | (m->gds ? KEPT_GDS : 0) |
                                   (m->certain ? KEPT_CERTAIN : 0) | (m->spills ? KEPT_SPILLS : 0));
    vulkan_bytes_put_u32(data, m->exact);
    vulkan_bytes_put_u32(data, m->approximate);
    vulkan_bytes_put_u32(data, m->merged);
    vulkan_bytes_put_u32(data, m->slot_count);
    vulkan_bytes_put_u32(data, m->preload_count);
    vulkan_bytes_put_u32(data, m->reach_count);
    vulkan_bytes_put_u32(data, m->near_count);
    vulkan_bytes_put_u32(data, m->apart_count);
    vulkan_bytes_put_u32(data, m->image_count);
    vulkan_bytes_put_u32(data, m->step_count);
    vulkan_bytes_put_u32(data, m->bound_count);
    vulkan_bytes_put_u32(data, m->bound_step_count);
    for (uint32_t n = 0; n < m->site_count; n++)
        vulkan_bytes_put_u64(data, m->site_pc[n]);
    put_reaches(data, m);
    put_aparts(data, m);
    put_images(data, m);
    put_bounds(data, m);
    for (size_t n = 0; n < m->word_count; n++)
        vulkan_bytes_put_u32(data, m->words[n]);
}

/* Reads one after the other; good as long as there was something to read. */
struct taker {
    struct base_bytes data;
    size_t at;
    bool good;
};

static uint32_t take_u32(struct taker *t)
{
    uint32_t value = 0;
    t->good = t->good && base_bytes_u32(t->data, t->at, &value);
    t->at += sizeof value;
    return value;
}

static uint64_t take_u64(struct taker *t)
{
    uint64_t low = take_u32(t), high = take_u32(t);
    return low | high << 32;
}

/* An array whose parts take so many bytes each in the file; NULL: it cannot be there, or out of memory. */
static void *take_room(struct taker *t, uint64_t count, size_t part, size_t size)
{
    t->good = t->good && t->at <= t->data.size && count <= (t->data.size - t->at) / part;
    void *room = t->good ? calloc((size_t)count + 1, size) : NULL;
    t->good = t->good && room;
    return room;
}

static void take_sources(struct taker *t, uint32_t words, struct spirv_source source[4])
{
    for (unsigned n = 0; n < 4; n++) {
        source[n].kind = (enum spirv_source_kind)take_u32(t);
        source[n].value = take_u32(t);
        t->good = t->good && (source[n].kind != SPIRV_WORD || source[n].value < words);
    }
}

/* The number of a step, or none. */
static uint32_t take_step(struct taker *t, uint32_t steps)
{
    uint32_t step = take_u32(t);
    t->good = t->good && (step < steps || step == SPIRV_NO_STEP);
    return step;
}

/* What the steps themselves say is looked at when they are followed. */
static void take_images(struct taker *t, struct spirv_module *m)
{
    t->good = t->good && m->step_count <= SPIRV_MAX_STEPS;
    m->images = take_room(t, m->image_count, IMAGE_SIZE, sizeof *m->images);
    for (uint32_t n = 0; t->good && n < m->image_count; n++) {
        struct spirv_image *image = &m->images[n];
        image->pc = take_u64(t);
        uint32_t flags = take_u32(t);
        image->r128 = flags & IMAGE_R128;
        image->sampled = flags & IMAGE_SAMPLED;
        image->stores = flags & IMAGE_STORES;
        image->cube = flags & IMAGE_CUBE;
        image->says = flags & IMAGE_SAYS;
        image->raw = flags & IMAGE_RAW;
        image->atomic_bytes = (uint8_t)(flags >> IMAGE_ATOMIC_SHIFT);
        for (unsigned k = 0; k < sizeof image->descriptor / sizeof *image->descriptor; k++)
            image->descriptor[k] = take_step(t, m->step_count);
        for (unsigned k = 0; k < sizeof image->sampler / sizeof *image->sampler; k++)
            image->sampler[k] = take_step(t, m->step_count);
    }
    m->steps = take_room(t, m->step_count, STEP_SIZE, sizeof *m->steps);
    for (uint32_t n = 0; t->good && n < m->step_count; n++) {
        struct spirv_recipe_step *step = &m->steps[n];
        step->kind = take_u32(t);
        step->what = take_u32(t);
        step->word = take_u32(t);
        step->value = take_u32(t);
        for (unsigned k = 0; k < SPIRV_STEP_ARGS; k++)
            step->args[k] = take_u32(t);
    }
}

static void take_reaches(struct taker *t, struct spirv_module *m)
{
    enum { SLOT_SIZE = 44, PRELOAD_SIZE = 60, NEAR_SIZE = 20, REACH_SIZE = 16 };
    m->slots = take_room(t, m->slot_count, SLOT_SIZE, sizeof *m->slots);
    for (uint32_t n = 0; t->good && n < m->slot_count; n++) {
        struct spirv_slot *s = &m->slots[n];
        s->first_site = take_u32(t);
        take_sources(t, WORDS_MAX, s->base);
        s->base_words = take_u32(t);
        uint32_t flags = take_u32(t);
        s->buffer = flags & KEPT_BUFFER;
        s->known = flags & KEPT_KNOWN;
        s->loads = flags & KEPT_LOADS;
        s->stores = flags & KEPT_STORES;
        s->sub_words = flags & KEPT_SUB_WORDS;
    }
    m->preloads = take_room(t, m->preload_count, PRELOAD_SIZE, sizeof *m->preloads);
    for (uint32_t n = 0; t->good && n < m->preload_count; n++) {
        struct spirv_preload *p = &m->preloads[n];
        p->pc = take_u64(t);
        take_sources(t, WORDS_MAX, p->base);
        p->buffer = take_u32(t);
        p->soffset = take_u32(t);
        p->offset = (int32_t)take_u32(t);
        p->words = take_u32(t);
        p->first = take_u32(t);
        t->good = t->good && p->words <= WORDS_MAX && p->first <= WORDS_MAX - p->words;
    }
    m->nears = take_room(t, m->near_count, NEAR_SIZE, sizeof *m->nears);
    for (uint32_t n = 0; t->good && n < m->near_count; n++) {
        struct spirv_near *near = &m->nears[n];
        near->slot = take_u32(t);
        near->offset = (int32_t)take_u32(t);
        near->scale = (uint8_t)take_u32(t);
        near->bytes = (uint8_t)take_u32(t);
        uint32_t flags = take_u32(t);
        near->is_signed = flags & NEAR_SIGNED;
        near->whole = flags & NEAR_WHOLE;
        near->stores = flags & NEAR_STORES;
        near->aligned = flags & NEAR_ALIGNED;
        t->good = t->good && near->slot < m->slot_count && near->slot < WINDOWS && near->scale < 32;
    }
    m->reaches = take_room(t, m->reach_count, REACH_SIZE, sizeof *m->reaches);
    for (uint32_t n = 0; t->good && n < m->reach_count; n++) {
        struct spirv_reach *r = &m->reaches[n];
        r->pc = take_u64(t);
        r->slot = (int32_t)take_u32(t);
        uint32_t flags = take_u32(t);
        r->load = flags & REACH_LOAD;
        r->store = flags & REACH_STORE;
        r->atomic = flags & REACH_ATOMIC;
    }
}

/* What the steps say is looked at when they are followed. */
static void take_bounds(struct taker *t, struct spirv_module *m)
{
    enum { BOUND_SIZE = 12, BOUND_STEP_SIZE = 20 };
    m->bounds = take_room(t, m->bound_count, BOUND_SIZE, sizeof *m->bounds);
    for (uint32_t n = 0; t->good && n < m->bound_count; n++) {
        m->bounds[n].near = take_u32(t);
        m->bounds[n].step = take_u32(t);
        m->bounds[n].end = take_u32(t);
        bool near = m->bounds[n].near < m->near_count || m->bounds[n].near >= SPIRV_BOUND_SHARE;
        t->good = t->good && near && m->bounds[n].step < m->bound_step_count;
    }
    m->bound_steps = take_room(t, m->bound_step_count, BOUND_STEP_SIZE, sizeof *m->bound_steps);
    for (uint32_t n = 0; t->good && n < m->bound_step_count; n++) {
        m->bound_steps[n].kind = take_u32(t);
        m->bound_steps[n].value = take_u32(t);
        for (unsigned k = 0; k < SPIRV_BOUND_ARGS; k++)
            m->bound_steps[n].args[k] = take_u32(t);
    }
}

static void take_aparts(struct taker *t, struct spirv_module *m)
{
    enum { APART_SIZE = 20 };
    m->aparts = take_room(t, m->apart_count, APART_SIZE, sizeof *m->aparts);
    for (uint32_t n = 0; t->good && n < m->apart_count; n++) {
        m->aparts[n].pc[0] = take_u64(t);
        m->aparts[n].pc[1] = take_u64(t);
        m->aparts[n].plain = take_u32(t);
    }
}

static bool get_module(struct base_bytes data, struct spirv_module *m)
{
    struct taker t = {.data = data, .good = true};
    uint64_t words = take_u64(&t);
    m->site_count = take_u32(&t);
    uint32_t flags = take_u32(&t);
    m->uses_lds = flags & KEPT_USES_LDS;
    m->spills = flags & KEPT_SPILLS;
    m->alone = flags & KEPT_ALONE;
    m->fast = flags & KEPT_FAST;
    m->rays = flags & KEPT_RAYS;
    m->locks = flags & KEPT_LOCKS;
    m->gds = flags & KEPT_GDS;
    m->certain = flags & KEPT_CERTAIN;
    m->exact = take_u32(&t);
    m->approximate = take_u32(&t);
    m->merged = take_u32(&t);
    m->slot_count = take_u32(&t);
    m->preload_count = take_u32(&t);
    m->reach_count = take_u32(&t);
    m->near_count = take_u32(&t);
    m->apart_count = take_u32(&t);
    m->image_count = take_u32(&t);
    m->step_count = take_u32(&t);
    m->bound_count = take_u32(&t);
    m->bound_step_count = take_u32(&t);
    t.good =
        t.good && m->merged && m->slot_count <= SLOTS_MAX && m->near_count <= NEAR_MAX && m->bound_step_count <= SPIRV_MAX_BOUNDS;
    m->site_pc = take_room(&t, m->site_count, sizeof *m->site_pc, sizeof *m->site_pc);
    for (uint32_t n = 0; t.good && n < m->site_count; n++)
        m->site_pc[n] = take_u64(&t);
    take_reaches(&t, m);
    take_aparts(&t, m);
    take_images(&t, m);
    take_bounds(&t, m);
    m->words = take_room(&t, words, sizeof *m->words, sizeof *m->words);
    m->word_count = words;
    for (size_t n = 0; t.good && n < words; n++)
        m->words[n] = take_u32(&t);
    return t.good && t.at == data.size;
}

static struct spirv_module *load(const struct vulkan_cache *cache, const struct vulkan_bytes *key)
{
    size_t size = 0;
    uint8_t *data = vulkan_cache_load(cache, key, &size);
    struct spirv_module *m = data ? calloc(1, sizeof *m) : NULL;
    if (m && !get_module((struct base_bytes){data, size}, m)) {
        spirv_module_destroy(m);
        m = NULL;
    }
    free(data);
    return m;
}

static void save(const struct vulkan_cache *cache, const struct vulkan_bytes *key, const struct spirv_module *m)
{
    struct vulkan_bytes data = {0};
    if (cache)
        put_module(&data, m);
    vulkan_cache_save(cache, key, &data);
    vulkan_bytes_finish(&data);
}

/* ---- what the device has not ---- */

/* Instructions of a module begin behind its head; the first ones say what it needs. */
static bool needs(const struct spirv_module *m, uint32_t capability)
{
    enum { HEAD_WORDS = 5, OP_CAPABILITY = 17, OP_MASK = 0xffff, COUNT_SHIFT = 16 };
    for (size_t at = HEAD_WORDS; at + 1 < m->word_count && (m->words[at] & OP_MASK) == OP_CAPABILITY;
         at += m->words[at] >> COUNT_SHIFT)
        if (m->words[at + 1] == capability)
            return true;
    return false;
}

/* Why the device cannot take the module; NULL: it can. */
static const char *lacks(const struct vulkan_facts *facts, const struct spirv_module *m)
{
    enum { INT64_ATOMICS = 12 };
    return needs(m, INT64_ATOMICS) && !facts->long_atomics ? "64-bit atomics, which the host device lacks" : NULL;
}

static struct spirv_module *make(const struct vulkan_workshop *workshop, const struct vulkan_source *source,
                                 const struct spirv_options *options, char reason[VULKAN_REASON_SIZE])
{
    struct vulkan_bytes key;
    make_key(workshop, source, options, &key);
    struct spirv_module *m = load(workshop->cache, &key);
    if (!m) {
        *reason = 0;
        m = spirv_module_create(workshop->library, source->func, options, reason);
        if (m)
            save(workshop->cache, &key, m);
        else if (!*reason)
            snprintf(reason, VULKAN_REASON_SIZE, "out of memory");
    }
    vulkan_bytes_finish(&key);
    return m;
}

struct spirv_module *vulkan_translate(const struct vulkan_workshop *workshop, const struct vulkan_source *source,
                                      char reason[VULKAN_REASON_SIZE])
{
    const struct vulkan_facts *facts = vulkan_host_facts(workshop->host);
    struct spirv_options options = options_of(workshop, source);
    struct spirv_module *m = make(workshop, source, &options, reason);
    if (m && m->locks && !options.spills && shared_bytes(source, 1) > facts->shared_bytes) { /* no room for the lock */
        spirv_module_destroy(m);
        options.spills = true;
        m = make(workshop, source, &options, reason);
    }
    const char *lack = m ? lacks(facts, m) : NULL;
    if (!lack)
        return m;
    snprintf(reason, VULKAN_REASON_SIZE, "%s", lack);
    spirv_module_destroy(m);
    return NULL;
}
