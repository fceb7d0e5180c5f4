/* vulkan_views: records of images for modules, from what image/ makes of descriptors. */
#include "vulkan/vulkan_views.h"

#include <string.h>

#include "base/base_bits.h"
#include "base/base_racy.h"
#include "image/image_meta.h"
#include "image/image_sampler.h"
#include "image/image_texel.h"
#include "spirv/spirv_layout.h"
#include "vulkan/vulkan_covers.h"
#include "vulkan/vulkan_mirror.h"

enum { SRGB_CODES = 256, BYTE_VALUES = 256 };

_Static_assert(N_UNORM == IMAGE_UNORM && N_SNORM == IMAGE_SNORM && N_USCALED == IMAGE_USCALED && N_SSCALED == IMAGE_SSCALED &&
                   N_UINT == IMAGE_UINT && N_SINT == IMAGE_SINT && N_FLOAT == IMAGE_FLOAT,
               "number types are the same");
_Static_assert(V_MIPS + IMAGE_MIPS * M_WORDS <= V_TERMS && V_TERMS + 6 * BYTE_VALUES <= V_KEYS &&
                   V_KEY_TERMS + 2 * KEY_TERMS_MOST <= V_KEY_LEVELS && V_KEY_LEVELS + 4 * IMAGE_MIPS <= V_CLEARS &&
                   V_CLEARS + 16 <= VIEW_WORDS,
               "records have room for all levels and terms");

const struct image_config *vulkan_views_config(enum isa_chip_bit chip)
{
    switch (chip) {
    case ISA_GFX1010: return image_config_of(IMAGE_CHIP_NAVI10);
    case ISA_GFX1013: return image_config_of(IMAGE_CHIP_GFX1013);
    case ISA_GFX1033: return image_config_of(IMAGE_CHIP_VANGOGH);
    default: return image_config_of(IMAGE_CHIP_NAVI21);
    }
}

uint32_t vulkan_views_words(uint32_t images)
{
    return VIEWS_FIRST + images * VIEW_WORDS;
}

/* The least float that has that code or a greater one; the curve rises. */
static uint32_t least_of(unsigned code)
{
    uint32_t low = 0, high = base_bits_of(1.0f);
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (image_srgb_encode(base_float_of(middle)) >= code)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* ---- tables of compressed blocks, by image/'s own rows ---- */

static void put_partitions(uint32_t *words)
{
    enum { ROW = 4 };
    static const uint32_t partitions[][ROW] = {
#define P(number, two, anchor, three, second, third) [number] = {two, three, (anchor) | (second) << 8 | (third) << 16},
#include "image/image_block_partitions.def"
#undef P
    };
    memcpy(words + VIEWS_PARTITIONS, partitions, sizeof partitions);
}

static void put_bc7(uint32_t *words)
{
    static const uint32_t modes[] = {
#define M(number, ...) [number] = BC7_MODE(__VA_ARGS__),
#include "image/image_block_bc7.def"
#undef M
    };
    memcpy(words + VIEWS_BC7, modes, sizeof modes);
}

/* A mode whose code is shorter stands wherever the bits behind it are others. */
static void put_bc6(uint32_t *words)
{
    enum { CODES = 32, R = 0, G, B };
    static const struct {
        uint32_t code, code_bits, words[CODES];
    } modes[] = {
#define F(component, end, first, last) BC6_FIELD(component, end, first, last),
#define M(code, code_bits, deltas, partition, bits, r, g, b, ...) \
    {code, code_bits, {BC6_MODE(code_bits, deltas, partition, bits, r, g, b), __VA_ARGS__ BC6_NO_FIELD}},
#include "image/image_block_bc6.def"
#undef M
#undef F
    };
    memset(words + VIEWS_BC6, 0, CODES * sizeof modes->words);
    for (size_t n = 0; n < sizeof modes / sizeof *modes; n++)
        for (uint32_t code = 0; code < CODES; code++)
            if ((code & ((1u << modes[n].code_bits) - 1)) == modes[n].code)
                memcpy(words + VIEWS_BC6 + code * CODES, modes[n].words, sizeof modes->words);
}

void vulkan_views_begin(uint32_t *words)
{
    put_partitions(words);
    put_bc7(words);
    put_bc6(words);
    for (unsigned code = 0; code < SRGB_CODES; code++) {
        words[VIEWS_SRGB + code] = base_bits_of(image_srgb_decode((uint8_t)code));
        words[VIEWS_SRGB_CODES + code] = least_of(code);
    }
}

/* ---- formats ---- */

/* How modules read an encoding, and what they need for it. */
static const struct {
    uint32_t encoding, forms;
} encodings[IMAGE_VIDEO] = {
    [IMAGE_PACKED] = {E_PACKED, 0},
    [IMAGE_SRGB] = {E_SRGB, 0},
    [IMAGE_FLOAT_6E4] = {E_6E4, 0},
    [IMAGE_FLOAT_7E3] = {E_7E3, 0},
    [IMAGE_SHARED_EXPONENT] = {E_SHARED, 0},
    [IMAGE_BITS] = {E_BITS, SPIRV_FORM_BLOCKS},
    [IMAGE_BITS_REVERSED] = {E_BITS | E_SIGNED, SPIRV_FORM_BLOCKS},
    [IMAGE_PAIR_GB_GR] = {E_PAIR, SPIRV_FORM_BLOCKS},
    [IMAGE_PAIR_GB_GR_SRGB] = {E_PAIR | E_CURVE, SPIRV_FORM_BLOCKS},
    [IMAGE_PAIR_BG_RG] = {E_PAIR | E_GREEN_FIRST, SPIRV_FORM_BLOCKS},
    [IMAGE_PAIR_BG_RG_SRGB] = {E_PAIR | E_GREEN_FIRST | E_CURVE, SPIRV_FORM_BLOCKS},
    [IMAGE_BC1] = {E_BC1, SPIRV_FORM_BLOCKS},
    [IMAGE_BC1_SRGB] = {E_BC1 | E_CURVE, SPIRV_FORM_BLOCKS},
    [IMAGE_BC2] = {E_BC2, SPIRV_FORM_BLOCKS},
    [IMAGE_BC2_SRGB] = {E_BC2 | E_CURVE, SPIRV_FORM_BLOCKS},
    [IMAGE_BC3] = {E_BC3, SPIRV_FORM_BLOCKS},
    [IMAGE_BC3_SRGB] = {E_BC3 | E_CURVE, SPIRV_FORM_BLOCKS},
    [IMAGE_BC4] = {E_BC4, SPIRV_FORM_BLOCKS},
    [IMAGE_BC4_SIGNED] = {E_BC4 | E_SIGNED, SPIRV_FORM_BLOCKS},
    [IMAGE_BC5] = {E_BC5, SPIRV_FORM_BLOCKS},
    [IMAGE_BC5_SIGNED] = {E_BC5 | E_SIGNED, SPIRV_FORM_BLOCKS},
    [IMAGE_BC6] = {E_BC6, SPIRV_FORM_BLOCKS | SPIRV_FORM_BPTC},
    [IMAGE_BC6_SIGNED] = {E_BC6 | E_SIGNED, SPIRV_FORM_BLOCKS | SPIRV_FORM_BPTC},
    [IMAGE_BC7] = {E_BC7, SPIRV_FORM_BLOCKS | SPIRV_FORM_BPTC},
    [IMAGE_BC7_SRGB] = {E_BC7 | E_CURVE, SPIRV_FORM_BLOCKS | SPIRV_FORM_BPTC},
};

static uint32_t row_of(const struct image_buffer_format *f)
{
    enum { NUMBER_SHIFT = 29, BYTES_SHIFT = 24, WIDTH_BITS = 6 };
    uint32_t row = (uint32_t)f->number << NUMBER_SHIFT | (uint32_t)f->bytes << BYTES_SHIFT;
    for (unsigned n = 0; n < f->components; n++)
        row |= (uint32_t)f->bits[n] << n * WIDTH_BITS;
    return row;
}

/* ---- places ---- */

static void put_pair(uint32_t *at, uint64_t value)
{
    memcpy(at, &value, sizeof value);
}

/* Device address of view->base, which all that the view reaches lies around; 0: it does not lie together. Words lie where they do for the
 * guest. */
static uint64_t place_of(const struct image_view *view, const struct vulkan_view_source *source)
{
    const uint64_t alignment = view->compressed ? 256 : 8; /* a key covers bytes from such a multiple on */
    struct image_range range = image_view_range(view);
    uint64_t device = source->memory->place(source->memory->user, range.start, range.end - range.start, source->image->stores);
    return device && (device - range.start) % alignment == 0 ? device - (range.start - view->base) : 0;
}

static uint32_t layers_of(const struct image_view *view)
{
    return view->last_slice - view->first_slice + 1u;
}

/* What image_get_resinfo says behind the width. */
static uint32_t said_of(const struct image_view *view, const struct image_mip *level)
{
    bool flat = view->type == IMAGE_TYPE_1D || view->type == IMAGE_TYPE_1D_ARRAY;
    uint32_t y = view->type == IMAGE_TYPE_1D_ARRAY ? layers_of(view) : level->height;
    uint32_t z = flat ? 1 : view->volume ? level->depth : image_view_has_slices(view) ? layers_of(view) : 1;
    return y | z << 16;
}

/* base: device address of view->base. */
static void put_mip(const struct image_view *view, unsigned mip, uint64_t base, uint32_t *w)
{
    const struct image_mip *level = &view->mips[mip];
    bool tail = view->block_bytes && mip >= view->tail_mip;
    uint32_t layers = layers_of(view);
    if (view->volume)
        layers = level->depth > view->first_slice ? (uint32_t)level->depth - view->first_slice : 0;
    put_pair(w + M_BASE, base + level->offset);
    w[M_ROW] = tail ? 0 : level->row;
    w[M_WIDTH] = level->width;
    w[M_HEIGHT] = level->height;
    w[M_LAYERS] = image_view_has_slices(view) ? layers : 1;
    w[M_TAIL_X] = view->block_bytes ? level->tail_x : 0;
    w[M_TAIL_Y] = view->block_bytes ? level->tail_y : 0;
    w[M_DEPTH] = level->depth;
    w[M_SAID] = said_of(view, level);
}

static void put_terms(const uint16_t terms[IMAGE_NIBBLES][16], uint32_t *w)
{
    for (unsigned n = 0; n < IMAGE_NIBBLES; n += 2)
        for (unsigned value = 0; value < BYTE_VALUES; value++)
            *w++ = terms[n][value & 15] ^ terms[n + 1][value >> 4];
}

static void put_places(const struct image_view *view, uint64_t base, uint32_t *w)
{
    put_pair(w + V_SLICE_BYTES, view->slice_bytes);
    w[V_LEVELS] = view->last_level - view->base_level + 1u;
    w[V_FIRST_SLICE] = view->first_slice;
    w[V_SAMPLES] = view->samples;
    w[V_BLOCK_X] = view->block_x;
    w[V_BLOCK_Y] = view->block_y;
    w[V_BLOCK_Z] = view->block_z;
    w[V_BLOCK_BYTES] = view->block_bytes;
    w[V_XOR] = view->swizzle_xor;
    w[V_LAYERS] = layers_of(view) - 1;
    for (unsigned n = 0; n < sizeof view->sample_terms / sizeof *view->sample_terms; n++)
        w[V_SAMPLE_TERMS + n] = view->sample_terms[n];
    for (unsigned mip = view->base_level; mip <= view->last_level; mip++)
        put_mip(view, mip, base, w + V_MIPS + (mip - view->base_level) * M_WORDS);
    put_terms(view->x_terms, w + V_TERMS);
    put_terms(view->y_terms, w + V_TERMS + 2 * BYTE_VALUES);
    put_terms(view->z_terms, w + V_TERMS + 4 * BYTE_VALUES);
}

/* ---- samplers ---- */

static uint32_t bits_of_sampler(const struct image_sampler *s)
{
    uint32_t bits = (uint32_t)s->compare << SF_COMPARE | (uint32_t)s->mag_filter << SF_MAG | (uint32_t)s->min_filter << SF_MIN |
                    (uint32_t)s->z_filter << SF_Z | (uint32_t)s->mip_filter << SF_MIP | (uint32_t)s->reduction << SF_REDUCTION;
    for (unsigned n = 0; n < 3; n++)
        bits |= (uint32_t)s->clamp[n] << SF_CLAMP(n);
    bits |= (uint32_t)s->max_aniso_log2 << SF_ANISO;
    return bits | (s->truncate ? SF_TRUNCATE : 0) | (s->unnormalized ? SF_UNNORMALIZED : 0);
}

static const char *put_sampler(const struct vulkan_view_source *source, const struct image_view *view,
                               struct image_sampling *sampling, uint32_t *w)
{
    struct image_sampler sampler;
    image_sampler_decode(source->sampler, &sampler);
    const char *refusal = image_sampling_prepare(sampling, view, &sampler, source->border);
    if (refusal)
        return refusal;
    if ((view->type == IMAGE_TYPE_CUBE) != source->image->cube && !source->image->says)
        return "a cube that is sampled as another image, or the reverse";
    w[V_SF] = bits_of_sampler(&sampler);
    w[V_AXES] = sampling->dimensions;
    w[V_MIN_LOD] = base_bits_of(sampling->min_lod);
    w[V_MAX_LOD] = base_bits_of(sampling->max_lod);
    w[V_BIAS] = base_bits_of(sampler.lod_bias);
    w[V_SIZE] = base_bits_of(sampling->width);
    w[V_SIZE + 1] = base_bits_of(sampling->height);
    w[V_SIZE + 2] = base_bits_of(sampling->depth);
    memcpy(w + V_BORDER, sampling->border.c, sizeof sampling->border.c);
    w[V_FLAGS] |= (sampling->clamp_reference ? VF_REFERENCE : 0) | (sampler.faces_apart ? VF_FACES_APART : 0);
    return NULL;
}

static uint32_t flags_of(const struct image_view *view, const struct image_format *format)
{
    bool line = view->type == IMAGE_TYPE_1D || view->type == IMAGE_TYPE_1D_ARRAY;
    uint32_t across = (uint32_t)__builtin_ctz(format->block_width), down = (uint32_t)__builtin_ctz(format->block_height);
    return VF_BOUND | across << VF_ACROSS | down << VF_DOWN | (image_view_has_slices(view) ? VF_SLICES : 0) |
           (line ? VF_LINE : 0) | (view->volume ? VF_VOLUME : 0) | (view->array ? VF_ARRAY : 0) |
           (format->writable ? VF_WRITABLE : 0) | (image_format_integer(format) ? VF_INTEGER : 0);
}

const char *vulkan_views_put(uint32_t *words, uint32_t number, const struct vulkan_view_source *source, struct image_view *view)
{
    uint32_t *w = words + VIEWS_FIRST + (size_t)number * VIEW_WORDS;
    const char *refusal = image_view_decode(source->config, source->descriptor, source->image->r128, view);
    memset(w, 0, VIEW_WORDS * sizeof *w);
    memcpy(w + V_DESCRIPTOR, source->descriptor, sizeof source->descriptor);
    memcpy(w + V_SAMPLER, source->sampler, sizeof source->sampler);
    if (refusal || !view->format)
        return refusal;
    if (view->format->refusal)
        return view->format->refusal;
    struct image_sampling sampling = {.format = view->format};
    if (source->image->sampled && (refusal = put_sampler(source, view, &sampling, w)))
        return refusal;
    bool whole = source->image->raw || source->image->atomic_bytes;
    w[V_ENCODING] = encodings[sampling.format->encoding].encoding;
    *source->forms |= whole ? 0 : encodings[sampling.format->encoding].forms; /* as they are, elements have no texels */
    if (source->image->atomic_bytes && source->image->atomic_bytes != view->element_bytes)
        return "an atomic of another width than the image's elements";
    w[V_FLAGS] |= flags_of(view, sampling.format);
    w[V_ROW] = row_of(&sampling.format->packed);
    for (unsigned n = 0; n < IMAGE_COMPONENTS; n++)
        w[V_SELECTS] |= (uint32_t)view->select[n] << 3 * n;
    uint64_t base = source->image->says ? 0 : place_of(view, source);
    if (!base && !source->image->says)
        return "an image that does not lie together in memory, or cannot be stored to";
    put_places(view, base, w);
    return NULL;
}

/* ---- a dispatch's ---- */

static BASE_RACY bool read_bytes(struct mem_snapshot *snapshot, uint64_t address, void *bytes, size_t size)
{
    struct mem_run run;
    if (!mem_snapshot_find(snapshot, address, &run) || run.discards || run.size - (address - run.start) < size)
        return false;
    memcpy(bytes, run.host + (address - run.start), size);
    return true;
}

/* Whether guest memory is as the dispatch will find it, but for what cannot be known ahead. */
static bool is_ready(const struct vulkan_views_scene *scene, uint64_t start, uint64_t bytes)
{
    return !scene->mirror || vulkan_mirror_ready(scene->mirror, scene->snapshot, (struct device_range){start, bytes});
}

/* What the dispatch itself may write meanwhile, its waves compare with what was found here. */
static bool read_word(void *user, uint64_t address, uint32_t *word)
{
    const struct vulkan_views_scene *scene = user;
    return is_ready(scene, address, sizeof *word) && read_bytes(scene->snapshot, address, word, sizeof *word);
}

static void pick(const uint32_t *words, const uint32_t *steps, unsigned count, uint32_t *out)
{
    for (unsigned n = 0; n < count; n++)
        out[n] = steps[n] == SPIRV_NO_STEP ? 0 : words[steps[n]];
}

/* The entry of the table of border colours that a sampler names; NULL: it is not there. */
static const uint32_t *read_border(struct vulkan_views_scene *scene, uint64_t table, const uint32_t sampler[4],
                                   uint32_t entry[IMAGE_COMPONENTS])
{
    struct image_sampler decoded;
    bool good = true;
    image_sampler_decode(sampler, &decoded);
    for (unsigned n = 0; n < IMAGE_COMPONENTS; n++)
        good &= decoded.border == IMAGE_BORDER_TABLE &&
                read_word(scene, table + (decoded.border_index * UINT64_C(4) + n) * sizeof(uint32_t), &entry[n]);
    return good ? entry : NULL;
}

/* ---- metadata ---- */

enum { MOST_KEYS = 1 << 20 };

/* Log2 of the elements that a key covers. */
static void cover_of(const struct image_keys *keys, const struct image_view *view, unsigned *x, unsigned *y)
{
    enum { DCC_BYTES = 8, TILE = 3 };
    bool dcc = keys->kind == IMAGE_META_DCC || keys->kind == IMAGE_META_DCC_APART;
    unsigned bits = DCC_BYTES - (unsigned)__builtin_ctz(view->element_bytes);
    *x = dcc ? (bits + 1) / 2 : TILE;
    *y = dcc ? bits / 2 : TILE;
}

/* What loads have to do with a view's keys. */
enum key_use {
    KEYS_PLAIN,    /* nothing: all elements are what memory holds */
    KEYS_FOLLOWED, /* look at them */
    KEYS_UNKNOWN,  /* some say what nobody can follow */
};

static enum key_use use_of_key(const struct image_keys *keys, const struct image_key *key, struct mem_snapshot *snapshot)
{
    uint32_t value = 0;
    if (!read_bytes(snapshot, key->address, &value, key->bytes))
        return KEYS_UNKNOWN;
    switch (image_key_meaning(keys, key, value)) {
    case IMAGE_KEY_MEMORY: return KEYS_PLAIN;
    case IMAGE_KEY_CLEARED:
    case IMAGE_KEY_FIRST: return KEYS_FOLLOWED;
    default: return KEYS_UNKNOWN;
    }
}

/* Of too many nobody looks at all; the module will find what cannot be followed. */
static enum key_use use_of_level(const struct image_keys *keys, unsigned mip, uint32_t *left, struct mem_snapshot *snapshot)
{
    const struct image_view *view = keys->view;
    const struct image_mip *level = &view->mips[mip];
    uint32_t last = view->volume ? level->depth - 1u : view->last_slice;
    enum key_use worst = KEYS_PLAIN;
    unsigned x_bits, y_bits;
    cover_of(keys, view, &x_bits, &y_bits);
    for (uint32_t z = view->volume ? 0 : view->first_slice; z <= last; z++)
        for (uint32_t y = 0; y < level->rows; y += 1u << y_bits)
            for (uint32_t x = 0; x < level->columns; x += 1u << x_bits) {
                struct image_key key = image_key_find(keys, mip, x, y, z);
                enum key_use use = *left ? use_of_key(keys, &key, snapshot) : KEYS_FOLLOWED;
                worst = use > worst ? use : worst;
                if (!*left || worst == KEYS_UNKNOWN)
                    return worst;
                --*left;
            }
    return worst;
}

/* Bytes of one run in the host's memory; NULL: they are not, or not to be stored to. */
static uint8_t *find_bytes(struct mem_snapshot *snapshot, uint64_t address, size_t size)
{
    struct mem_run run;
    bool there =
        mem_snapshot_find(snapshot, address, &run) && run.writable && !run.discards && run.size - (address - run.start) >= size;
    return there ? run.host + (address - run.start) : NULL;
}

/* What a store to the elements of a key would have to do to memory; NULL: nothing, or it is among the covers now. */
static BASE_RACY const char *cover_key(const struct vulkan_views_scene *scene, const struct image_keys *keys,
                                       const struct image_key *key, uint64_t address)
{
    const struct image_view *view = keys->view;
    struct vulkan_cover cover = {.element_bytes = view->element_bytes, .key = find_bytes(scene->snapshot, key->address, 1)};
    if (!cover.key)
        return "metadata that cannot be stored to";
    cover.code = *cover.key;
    enum image_key_state state = image_key_meaning(keys, key, cover.code);
    if (state == IMAGE_KEY_MEMORY)
        return NULL;
    cover.host = find_bytes(scene->snapshot, address, VULKAN_COVER_BYTES);
    if (!cover.host || address % VULKAN_COVER_BYTES || VULKAN_COVER_BYTES % view->element_bytes)
        return "an image whose keys cover what does not lie together";
    if (state == IMAGE_KEY_CLEARED)
        image_key_clear(keys, cover.code, cover.element);
    else
        memcpy(cover.element, cover.host, view->element_bytes);
    return vulkan_covers_add(scene->covers, &cover) ? NULL : "a store to an image with too much metadata in use";
}

static const char *cover_level(const struct vulkan_views_scene *scene, const struct image_keys *keys, unsigned mip)
{
    const struct image_view *view = keys->view;
    const struct image_mip *level = &view->mips[mip];
    uint32_t last = view->volume ? level->depth - 1u : view->last_slice;
    unsigned x_bits, y_bits;
    const char *refusal = NULL;
    cover_of(keys, view, &x_bits, &y_bits);
    for (uint32_t z = view->volume ? 0 : view->first_slice; z <= last; z++)
        for (uint32_t y = 0; y < level->rows; y += 1u << y_bits)
            for (uint32_t x = 0; x < level->columns && !refusal; x += 1u << x_bits) {
                struct image_key key = image_key_find(keys, mip, x, y, z);
                refusal = cover_key(scene, keys, &key, image_view_address(view, mip, x, y, z, 0));
            }
    return refusal;
}

/* Stores through keys that do not say memory: what they need of it is done before they run. */
static const char *cover_stores(const struct vulkan_views_scene *scene, const struct image_keys *keys)
{
    const struct image_view *view = keys->view;
    const char *refusal = NULL;
    if (!scene->covers || keys->cover != VULKAN_COVER_BYTES)
        return "a store to an image whose metadata is in use";
    for (unsigned mip = view->base_level; mip <= view->last_level && !refusal; mip++)
        refusal = image_keys_cover(keys, mip) ? cover_level(scene, keys, mip) : NULL;
    return refusal;
}

static uint32_t kind_of_keys(const struct image_keys *keys)
{
    switch (keys->kind) {
    case IMAGE_META_CMASK: return KEYS_CMASK;
    case IMAGE_META_HTILE: return keys->stencil ? KEYS_STENCIL : KEYS_DEPTH;
    default: return KEYS_DCC;
    }
}

static void put_clears(const struct image_keys *keys, uint32_t *w)
{
    enum { CODES = 4, ELEMENT_WORDS = 4, CODE_SHIFT = 6 };
    static const uint32_t all_of_range = 0x3fffu << 18; /* of a tile's depths, the largest */
    for (uint32_t code = 0; code < CODES; code++) {
        uint8_t element[IMAGE_MAX_TEXEL_BYTES] = {0};
        bool colour = kind_of_keys(keys) == KEYS_DCC;
        image_key_clear(keys, colour ? code << CODE_SHIFT : code == CODES - 1 ? all_of_range : 0, element);
        memcpy(w + (size_t)code * ELEMENT_WORDS, element, sizeof element);
    }
}

/* device: address of the keys. */
static void put_keys(const struct image_keys *keys, uint64_t device, uint32_t *w)
{
    enum { LEVEL_WORDS = 4 };
    const struct image_view *view = keys->view;
    const struct image_meta_layout *layout = &keys->layout;
    w[V_FLAGS] |= VF_KEYS;
    put_pair(w + V_KEYS, device);
    put_pair(w + V_KEYS + 2, layout->slice_bytes);
    w[V_KEY_SHAPE] = layout->block_x;
    w[V_KEY_SHAPE + 1] = layout->block_y;
    w[V_KEY_SHAPE + 2] = layout->block_bytes;
    w[V_KEY_SHAPE + 3] = kind_of_keys(keys);
    w[V_KEY_XOR] = keys->pipe_xor;
    for (unsigned bit = 0; bit <= layout->block_bytes; bit++)
        put_pair(w + V_KEY_TERMS + 2 * (size_t)bit, layout->terms[bit]);
    for (unsigned mip = view->base_level; mip <= view->last_level; mip++) {
        uint32_t *level = w + V_KEY_LEVELS + (size_t)(mip - view->base_level) * LEVEL_WORDS;
        put_pair(level, layout->levels[mip].offset);
        level[2] = layout->levels[mip].row;
        level[3] = image_keys_cover(keys, mip);
    }
    put_clears(keys, w + V_CLEARS);
}

/* Stores leave keys that say memory as they are. */
static const char *follow_keys(const struct vulkan_views_scene *scene, const struct spirv_image *image,
                               const struct image_view *view, uint32_t *w, struct vulkan_view_reach *reach, uint32_t *forms)
{
    struct image_keys keys;
    uint32_t left = MOST_KEYS;
    enum key_use use = KEYS_PLAIN;
    const char *refusal = image_keys_make(view, &keys);
    if (refusal)
        return refusal;
    if (keys.layout.block_bytes >= KEY_TERMS_MOST || !is_ready(scene, keys.base, keys.layout.bytes))
        return "an image whose metadata is not known ahead";
    for (unsigned mip = view->base_level; mip <= view->last_level && use != KEYS_UNKNOWN; mip++) {
        enum key_use level = image_keys_cover(&keys, mip) ? use_of_level(&keys, mip, &left, scene->snapshot) : KEYS_PLAIN;
        use = level > use ? level : use;
    }
    if (use == KEYS_PLAIN)
        return NULL;
    if (use == KEYS_UNKNOWN)
        return "an image whose metadata says what only its hardware knows";
    if (image->stores && (refusal = cover_stores(scene, &keys)))
        return refusal;
    uint64_t device = scene->memory.place(scene->memory.user, keys.base, keys.layout.bytes, image->stores);
    if (!device)
        return "metadata that does not lie together in memory";
    *reach = (struct vulkan_view_reach){
        .start = keys.base, .end = keys.base + keys.layout.bytes, .reads = true, .writes = image->stores};
    *forms |= SPIRV_FORM_KEYS;
    put_keys(&keys, device, w);
    return NULL;
}

/* ---- all of them ---- */

/* Elements of less than a word are stored within words that are not the operation's alone. */
static struct vulkan_view_reach reach_of(const struct spirv_image *image, const struct image_view *view)
{
    if (!view->format || image->says)
        return (struct vulkan_view_reach){0};
    struct image_range range = image_view_range(view);
    return (struct vulkan_view_reach){
        .start = range.start, .end = range.end, .reads = !image->stores || image->atomic_bytes, .writes = image->stores};
}

static const char *fill_one(struct vulkan_views_scene *scene, const struct wave_dispatch *dispatch, uint32_t number,
                            const uint32_t *made, uint32_t *words, struct vulkan_view_reach *reach, uint32_t *forms)
{
    const struct spirv_image *image = &scene->images[number];
    struct vulkan_view_source source = {
        .config = vulkan_views_config(scene->chip), .image = image, .memory = &scene->memory, .forms = forms};
    struct image_view view;
    uint32_t border[IMAGE_COMPONENTS];
    pick(made, image->descriptor, sizeof source.descriptor / sizeof *source.descriptor, source.descriptor);
    pick(made, image->sampler, sizeof source.sampler / sizeof *source.sampler, source.sampler);
    source.border = image->sampled ? read_border(scene, dispatch->border_colors, source.sampler, border) : NULL;
    const char *refusal = vulkan_views_put(words, number, &source, &view);
    if (refusal)
        return refusal;
    reach[0] = reach_of(image, &view);
    reach[1] = (struct vulkan_view_reach){0};
    bool keyed = view.format && view.compressed && !image->says;
    return keyed ? follow_keys(scene, image, &view, words + VIEWS_FIRST + (size_t)number * VIEW_WORDS, &reach[1], forms) : NULL;
}

const char *vulkan_views_fill(const struct vulkan_views_scene *given, const struct wave_dispatch *dispatch, uint32_t *words,
                              struct vulkan_view_reach *reaches, uint32_t *forms)
{
    struct vulkan_views_scene scene = *given;
    uint32_t scalars[IR_S_COUNT] = {0}, made[SPIRV_MAX_STEPS];
    const struct spirv_recipe_source from = {.scalars = scalars, .user = &scene, .read = read_word};
    const char *refusal = NULL;
    memcpy(scalars, dispatch->user_data, sizeof dispatch->user_data);
    *forms = 0;
    if (scene.covers)
        vulkan_covers_clear(scene.covers);
    if (scene.step_count > SPIRV_MAX_STEPS || !spirv_recipe_follow(scene.steps, scene.step_count, &from, made))
        return "an image descriptor is not known ahead";
    for (uint32_t n = 0; n < scene.image_count && !refusal; n++)
        refusal = fill_one(&scene, dispatch, n, made, words, &reaches[(size_t)n * VULKAN_VIEW_REACHES], forms);
    return refusal;
}
