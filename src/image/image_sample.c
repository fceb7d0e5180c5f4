/* image_sample: what one lane's sample and gather instructions return. */
#include <math.h>
#include <string.h>

#include "base/base_bits.h"
#include "image/image_sample.h"

/* What all texels of a lane's sample have in common. */
struct sample {
    const struct image_sampling *s;
    const struct image_fetch *fetch;
    const struct image_request *request;
    const struct image_coordinates *at;
    uint32_t layer; /* absolute; of cubes: the first face of the cube */
    int32_t face;
    float reference;
};

/* ---- texels ---- */

static bool passes(unsigned compare, float reference, float texel)
{
    switch (compare) {
    case IMAGE_COMPARE_NEVER: return false;
    case IMAGE_COMPARE_LESS: return reference < texel;
    case IMAGE_COMPARE_EQUAL: return reference == texel;
    case IMAGE_COMPARE_LESS_EQUAL: return reference <= texel;
    case IMAGE_COMPARE_GREATER: return reference > texel;
    case IMAGE_COMPARE_NOT_EQUAL: return reference != texel;
    case IMAGE_COMPARE_GREATER_EQUAL: return reference >= texel;
    default: return true;
    }
}

static struct image_texel texel_at(const struct sample *o, unsigned mip, int32_t x, int32_t y, int32_t z)
{
    const struct image_format *format = o->s->format;
    uint32_t across = format->block_width, down = format->block_height;
    uint8_t element[IMAGE_MAX_TEXEL_BYTES];
    struct image_texel texel = {{0}};
    if (x < 0 || y < 0 || z < 0)
        texel = o->s->border;
    else if (o->fetch->element(o->fetch->user, mip, (uint32_t)x / across, (uint32_t)y / down, (uint32_t)z, 0, element))
        texel = image_texel_decode(format, element, (uint32_t)x % across, (uint32_t)y % down);
    if (!o->request->compare)
        return texel;
    bool pass = passes(o->s->sampler.compare, o->reference, base_float_of(texel.c[0]));
    return (struct image_texel){{base_bits_of(pass ? 1.0f : 0.0f), 0, 0, base_bits_of(1.0f)}};
}

/* ---- mixing ---- */

static float mixed(unsigned reduction, float a, float b, float weight)
{
    switch (reduction) { /* of two that are equal the first, of a number and a NaN the number */
    case IMAGE_REDUCE_MIN: return b < a || a != a ? b : a;
    case IMAGE_REDUCE_MAX: return b > a || a != a ? b : a;
    default: return a + weight * (b - a);
    }
}

/* a becomes the mixture of both; a texel without weight does not count at all. */
static void mix(const struct sample *o, struct image_texel *a, const struct image_texel *b, float weight)
{
    if (weight == 0)
        return;
    for (unsigned n = 0; n < IMAGE_COMPONENTS; n++)
        a->c[n] = base_bits_of(mixed(o->s->sampler.reduction, base_float_of(a->c[n]), base_float_of(b->c[n]), weight));
}

/* ---- a level of a plain image ---- */

static struct image_texel row_of(const struct sample *o, unsigned mip, const struct image_axis *x, int32_t y, int32_t z)
{
    struct image_texel texel = texel_at(o, mip, x->at[0], y, z);
    if (x->weight != 0) {
        struct image_texel right = texel_at(o, mip, x->at[1], y, z);
        mix(o, &texel, &right, x->weight);
    }
    return texel;
}

static struct image_texel plane_of(const struct sample *o, unsigned mip, const struct image_axis axes[3], int32_t z)
{
    struct image_texel texel = row_of(o, mip, &axes[0], axes[1].at[0], z);
    if (axes[1].weight != 0) {
        struct image_texel below = row_of(o, mip, &axes[0], axes[1].at[1], z);
        mix(o, &texel, &below, axes[1].weight);
    }
    return texel;
}

static struct image_texel space_of(const struct sample *o, unsigned mip, const struct image_axis axes[3])
{
    struct image_texel texel = plane_of(o, mip, axes, axes[2].at[0]);
    if (axes[2].weight != 0) {
        struct image_texel behind = plane_of(o, mip, axes, axes[2].at[1]);
        mix(o, &texel, &behind, axes[2].weight);
    }
    return texel;
}

/* ---- a level of a cube ---- */

static bool outside(int32_t index, int32_t size)
{
    return index < 0 || index >= size;
}

static int32_t limited(int32_t index, int32_t least, int32_t most)
{
    return index < least ? least : index > most ? most : index;
}

static struct image_texel cube_texel(const struct sample *o, unsigned mip, int32_t x, int32_t y, int32_t size)
{
    struct image_cube_place place = {o->face, x, y};
    if (o->s->sampler.faces_apart) {
        place.x = image_axis_wrap(o->s->sampler.clamp[0], x, size);
        place.y = image_axis_wrap(o->s->sampler.clamp[1], y, size);
    } else if (outside(x, size) || outside(y, size)) {
        /* Coordinates end at the edge, so that a neighbour is a texel away (but where a descriptor says that a face is no square); of a
         * corner's two it is the one along x. */
        place.x = limited(x, -1, size);
        place.y = outside(x, size) ? limited(y, 0, size - 1) : limited(y, -1, size);
        place = image_cube_neighbour(o->face, place.x, place.y, size);
    }
    int32_t slice = (int32_t)o->layer + place.face, last = o->s->view->last_slice; /* a view may lack faces */
    return texel_at(o, mip, place.x, place.y, slice > last ? last : slice);
}

/* The footprint's texels: left and right of the upper row, then of the lower. Beyond a corner, where three faces meet, there
 * is none: what stands for it is the mean of the other three, or, of whole numbers, the one beside it. A footprint that is nowhere near the
 * face has more such places: they are taken for the nearest. */
static void cube_texels(const struct sample *o, unsigned mip, const struct image_axis axes[3], int32_t size,
                        struct image_texel texels[4])
{
    const int32_t *x = axes[0].raw, *y = axes[1].raw;
    unsigned corner = 4, corners = 0;
    for (unsigned n = 0; n < 4 && !o->s->sampler.faces_apart; n++)
        if (outside(x[n & 1], size) && outside(y[n >> 1], size))
            corner = n, corners++;
    for (unsigned n = 0; n < 4; n++)
        if (corners != 1 || n != corner)
            texels[n] = cube_texel(o, mip, x[n & 1], y[n >> 1], size);
    bool whole = image_format_integer(o->s->view->format);
    if (corners == 1 && whole)
        texels[corner] = texels[corner ^ 1];
    for (unsigned i = 0; corners == 1 && !whole && i < IMAGE_COMPONENTS; i++) {
        float sum = 0;
        for (unsigned n = 0; n < 4; n++)
            sum += n == corner ? 0 : base_float_of(texels[n].c[i]);
        texels[corner].c[i] = base_bits_of(sum / 3);
    }
}

static struct image_texel cube_of(const struct sample *o, unsigned mip, const struct image_axis axes[3], int32_t size)
{
    struct image_texel t[4];
    if (axes[0].weight == 0 && axes[1].weight == 0)
        return cube_texel(o, mip, axes[0].raw[0], axes[1].raw[0], size);
    cube_texels(o, mip, axes, size, t);
    mix(o, &t[0], &t[1], axes[0].weight);
    mix(o, &t[2], &t[3], axes[0].weight);
    mix(o, &t[0], &t[2], axes[1].weight);
    return t[0];
}

/* ---- a level ---- */

/* Filters along the axes of a level: z follows x and y unless the sampler has a rule of its own. */
static void axes_of(const struct sample *o, unsigned mip, bool linear, const float coordinates[3], struct image_axis axes[3])
{
    const struct image_sampler *sampler = &o->s->sampler;
    const struct image_mip *level = &o->s->view->mips[mip];
    const int32_t sizes[3] = {level->width, level->height, level->depth};
    bool cube = o->s->view->type == IMAGE_TYPE_CUBE;
    for (unsigned n = 0; n < 3; n++) {
        if (n >= o->s->dimensions) {
            axes[n] = (struct image_axis){{0, 0}, {0, 0}, 0};
            continue;
        }
        struct image_axis_rule rule = {
            .clamp = cube ? IMAGE_CLAMP_LAST_TEXEL : sampler->clamp[n],
            .linear = n == 2 && sampler->z_filter != IMAGE_AXIS_NONE ? sampler->z_filter == IMAGE_AXIS_LINEAR : linear,
            .truncate = sampler->truncate,
            .unnormalized = o->request->unnormalized || sampler->unnormalized,
            .face = cube && !sampler->faces_apart,
            .size = sizes[n],
        };
        axes[n] = image_axis_of(&rule, coordinates[n], o->at->offset[n]);
    }
    if (!o->s->view->volume)
        axes[2].at[0] = (int32_t)o->layer;
}

static struct image_texel level_of(const struct sample *o, unsigned level, bool linear, const float coordinates[3])
{
    unsigned mip = o->s->view->base_level + level;
    struct image_axis axes[3];
    axes_of(o, mip, linear, coordinates, axes);
    if (o->s->view->type == IMAGE_TYPE_CUBE)
        return cube_of(o, mip, axes, o->s->view->mips[mip].width);
    return space_of(o, mip, axes);
}

static struct image_texel levels_of(const struct sample *o, const struct image_levels *levels, const float coordinates[3])
{
    struct image_texel texel = level_of(o, levels->first, levels->linear, coordinates);
    if (levels->second_weight != 0) {
        struct image_texel next = level_of(o, levels->first + 1u, levels->linear, coordinates);
        mix(o, &texel, &next, levels->second_weight);
    }
    return texel;
}

/* Probes lie evenly along the longer axis of the footprint, around its middle; each counts the same. */
static struct image_texel probes_of(const struct sample *o, const struct image_levels *levels, const float coordinates[3])
{
    struct image_texel texel = {{0}};
    for (unsigned probe = 1; probe <= levels->probes; probe++) {
        float place[3], part = (float)probe / (float)(levels->probes + 1) - 0.5f;
        for (unsigned n = 0; n < 3; n++)
            place[n] = coordinates[n] + part * levels->step[n];
        struct image_texel next = levels_of(o, levels, place);
        if (probe == 1)
            texel = next;
        else
            mix(o, &texel, &next, 1.0f / (float)probe); /* the mean so far, and one more */
    }
    return texel;
}

/* ---- lanes ---- */

/* Layers are rounded to the nearest, and stay inside the view. NaN: 0, signalling ones too, which the library's maximum passes on. */
static uint32_t rounded_layer(float r, uint32_t top)
{
    r = r == r ? r : 0.0f;
    return (uint32_t)fminf(fmaxf(rintf(r), 0.0f), (float)top);
}

static void place_layer(struct sample *o)
{
    enum { FACES = 6, FACES_APART = 8 }; /* cubes are 8 faces apart in the coordinate, and 6 in memory */
    const struct image_view *view = o->s->view;
    uint32_t last = view->last_slice - view->first_slice;
    if (view->type == IMAGE_TYPE_CUBE) {
        uint32_t cubes = last / FACES, number = rounded_layer(o->at->r, cubes * FACES_APART + FACES_APART - 1);
        uint32_t face = number % FACES_APART, first = number / FACES_APART * FACES;
        face = face >= FACES ? FACES - 1 : face;
        o->face = (int32_t)(first + face <= last ? face : 0);
        o->layer = view->first_slice + first;
    } else if (view->array) {
        o->layer = view->first_slice + rounded_layer(o->at->r, last);
    } else {
        o->layer = view->volume ? 0 : view->first_slice;
    }
}

static struct sample sample_of(const struct image_sampling *s, const struct image_fetch *fetch,
                               const struct image_request *request, const struct image_coordinates *at)
{
    struct sample o = {.s = s, .fetch = fetch, .request = request, .at = at, .reference = at->reference};
    if (s->clamp_reference)
        o.reference = fminf(fmaxf(o.reference, 0.0f), 1.0f);
    place_layer(&o);
    return o;
}

/* Over a face s and t go from 1 to 2. */
static void coordinates_of(const struct sample *o, float coordinates[3])
{
    float origin = o->s->view->type == IMAGE_TYPE_CUBE ? 1.0f : 0.0f;
    coordinates[0] = o->at->s - origin;
    coordinates[1] = o->at->t - origin;
    coordinates[2] = o->at->r;
}

void image_sample_lane(const struct image_sampling *sampling, const struct image_fetch *fetch,
                       const struct image_request *request, const struct image_coordinates *at, struct image_texel *out)
{
    memset(out, 0, sizeof *out);
    if (!sampling->format)
        return;
    struct sample o = sample_of(sampling, fetch, request, at);
    struct image_levels levels = image_levels_of(sampling, request, at);
    if (image_format_integer(sampling->format)) { /* integers are not mixed */
        levels.linear = false;
        levels.second_weight = 0;
        levels.probes = 1;
    }
    float coordinates[3];
    coordinates_of(&o, coordinates);
    struct image_texel texel = levels.probes > 1 ? probes_of(&o, &levels, coordinates) : levels_of(&o, &levels, coordinates);
    *out = image_texel_select(sampling->format, sampling->view->select, &texel);
}

void image_gather_lane(const struct image_sampling *sampling, const struct image_fetch *fetch,
                       const struct image_request *request, const struct image_coordinates *at, struct image_texel *out)
{
    /* Of the footprint's texels, in the order of cube_texels: those of X, Y, Z and W. */
    static const uint8_t order[4] = {2, 3, 1, 0};
    memset(out, 0, sizeof *out);
    if (!sampling->format)
        return;
    struct sample o = sample_of(sampling, fetch, request, at);
    struct image_levels levels = image_levels_of(sampling, request, at);
    unsigned mip = sampling->view->base_level + levels.first;
    float coordinates[3];
    struct image_axis axes[3];
    struct image_texel texels[4];
    coordinates_of(&o, coordinates);
    axes_of(&o, mip, true, coordinates, axes);
    if (sampling->view->type == IMAGE_TYPE_CUBE)
        cube_texels(&o, mip, axes, sampling->view->mips[mip].width, texels);
    else
        for (unsigned n = 0; n < 4; n++)
            texels[n] = texel_at(&o, mip, axes[0].at[n & 1], axes[1].at[n >> 1], axes[2].at[0]);
    for (unsigned n = 0; n < 4; n++) {
        struct image_texel selected = image_texel_select(sampling->format, sampling->view->select, &texels[order[n]]);
        out->c[n] = selected.c[request->component & 3];
    }
}
