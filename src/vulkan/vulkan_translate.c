/* vulkan_translate: programs to modules, and modules to and from the cache on disk. */
#include "vulkan/vulkan_translate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base_bytes.h"
#include "vulkan/vulkan_version.h"
#include "wave/wave_program.h"

const char vulkan_translate_version[] = "modules of " VULKAN_SOURCES;

/* COMPUTE_PGM_RSRC1's MODE, as the wave's register has it. */
static uint32_t mode_of(uint32_t rsrc1)
{
    return (rsrc1 >> 12 & 0xff) | (rsrc1 >> 21 & 1) << 8 | (rsrc1 >> 23 & 1) << 9;
}

static struct spirv_options options_of(const struct vulkan_workshop *workshop, const struct vulkan_source *source)
{
    return (struct spirv_options){.subgroup = vulkan_host_facts(workshop->host)->subgroup,
                                  .waves = source->waves,
                                  .mode = mode_of(source->rsrc1),
                                  .rsrc2 = source->rsrc2,
                                  .scratch_wave_bytes = source->scratch_wave_bytes,
                                  .gfx10_3 = (workshop->chip & ISA_GFX10_3) != 0,
                                  .vgprs = wave_allocated_vgprs(&(struct wave_dispatch){
                                      .rsrc1 = source->rsrc1, .rsrc3 = source->rsrc3, .wave_size = source->wave_size}),
                                  .alone = vulkan_host_facts(workshop->host)->group_invocations,
                                  .full = source->full};
}

/* ---- keys ---- */

/* All of options but `registers`, which no dispatch has. */
static void put_options(struct vulkan_bytes *key, const struct spirv_options *options)
{
    _Static_assert(sizeof *options == 32, "each option that a module depends on is part of its key");
    vulkan_bytes_put_u32(key, options->subgroup);
    vulkan_bytes_put_u32(key, options->waves);
    vulkan_bytes_put_u32(key, options->mode);
    vulkan_bytes_put_u32(key, options->rsrc2);
    vulkan_bytes_put_u32(key, options->scratch_wave_bytes);
    vulkan_bytes_put_u32(key, options->vgprs);
    vulkan_bytes_put_u32(key, options->alone);
    vulkan_bytes_put_u32(key, options->gfx10_3);
    vulkan_bytes_put_u32(key, options->full);
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

enum { KEPT_USES_LDS = 1, KEPT_ALONE = 2 };

static void put_module(struct vulkan_bytes *data, const struct spirv_module *m)
{
    vulkan_bytes_put_u64(data, m->word_count);
    vulkan_bytes_put_u32(data, m->site_count);
    vulkan_bytes_put_u32(data, (m->uses_lds ? KEPT_USES_LDS : 0) | (m->alone ? KEPT_ALONE : 0));
    vulkan_bytes_put_u32(data, m->exact);
    vulkan_bytes_put_u32(data, m->approximate);
    for (uint32_t n = 0; n < m->site_count; n++)
        vulkan_bytes_put_u64(data, m->site_pc[n]);
    for (size_t n = 0; n < m->word_count; n++)
        vulkan_bytes_put_u32(data, m->words[n]);
}

static bool get_module(struct base_bytes data, struct spirv_module *m)
{
    enum { HEAD = 24 };
    uint64_t words = 0;
    uint32_t flags = 0;
    bool good = base_bytes_u64(data, 0, &words) && base_bytes_u32(data, 8, &m->site_count) && base_bytes_u32(data, 12, &flags) &&
                base_bytes_u32(data, 16, &m->exact) && base_bytes_u32(data, 20, &m->approximate) && words <= data.size &&
                HEAD + m->site_count * (uint64_t)sizeof *m->site_pc + words * sizeof *m->words == data.size;
    if (!good)
        return false;
    m->uses_lds = flags & KEPT_USES_LDS;
    m->alone = flags & KEPT_ALONE;
    m->word_count = words;
    m->site_pc = calloc((size_t)m->site_count + 1, sizeof *m->site_pc);
    m->words = calloc(m->word_count + 1, sizeof *m->words);
    for (uint32_t n = 0; m->site_pc && n < m->site_count; n++)
        base_bytes_u64(data, HEAD + n * sizeof *m->site_pc, &m->site_pc[n]);
    for (size_t n = 0; m->words && n < m->word_count; n++)
        base_bytes_u32(data, HEAD + m->site_count * sizeof *m->site_pc + n * sizeof *m->words, &m->words[n]);
    return m->site_pc && m->words;
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

struct spirv_module *vulkan_translate(const struct vulkan_workshop *workshop, const struct vulkan_source *source,
                                      char reason[VULKAN_REASON_SIZE])
{
    enum { INT64_ATOMICS = 12 };
    const struct spirv_options options = options_of(workshop, source);
    struct vulkan_bytes key;
    make_key(workshop, source, &options, &key);
    struct spirv_module *m = load(workshop->cache, &key);
    if (!m) {
        *reason = 0;
        m = spirv_module_create(workshop->library, source->func, &options, reason);
        if (m)
            save(workshop->cache, &key, m);
        else if (!*reason)
            snprintf(reason, VULKAN_REASON_SIZE, "out of memory");
    }
    vulkan_bytes_finish(&key);
    if (m && needs(m, INT64_ATOMICS) && !vulkan_host_facts(workshop->host)->long_atomics) {
        snprintf(reason, VULKAN_REASON_SIZE, "64-bit atomics, which the host device lacks");
        spirv_module_destroy(m);
        return NULL;
    }
    return m;
}
