/* Texels of images that are not flat, a vector of lanes at a time: lines, volumes and cubes, as image_sample reads them lane by lane. */
#include "wave/wave_image_vec_texels.h"

/* 1. Edges of cubes. */

/* A coordinate on the neighbouring face by its kind in the table of edges. */
static inline vi32 beyond_edge(vu32 kind, vi32 along, vi32 last)
{
    vi32 back = -(vi32)(kind & vec_splat(1)), moves = -(vi32)(kind >> 1 & vec_splat(1));
    return (back & last) + (((along & moves) ^ back) - back);
}

INLINED vu32 texel_offset(const struct wave_image_plane *plane, vu32 x, vu32 y, vu32 z, bool blocks)
{
    struct columns column[2], row[2];
    unsigned shift = blocks ? BLOCK_SHIFT : 0;
    vu32 at_x[2], at_y[2];
    at_x[0] = at_x[1] = x >> shift;
    at_y[0] = at_y[1] = y >> shift;
    find_columns(plane, 1, at_x, column);
    find_rows(plane, 1, at_y, row);
    return element_offset(column[0], rows_of_slices(plane, row[0], z));
}

static inline vu32 face_slice(const struct job *job, vu32 first, vu32 face)
{
    return vec_least(first + face, vec_splat(job->bound->view.last_slice)); /* a view may lack faces */
}

/* Of footprints that lie over edges: each texel is on a face of its own. */
static __attribute__((noinline)) void cross_edges(const struct job *job, const struct wave_image_plane *plane, unsigned v,
                                                  bool linear, struct footprint *f)
{
    const vi32 last = (vi32)vec_splat((uint32_t)plane->size[0] - 1), none = {0};
    const vu32 face = job->faces->face[v], first = job->faces->first[v], one = vec_splat(1), two = vec_splat(2);
    vi32 mixes = ~none; /* without weights there is one texel, and no corner */
    if (!linear)
        mixes = none;
    else if (!job->rule.gathers)
        mixes = (f->x.weight != vec_float(0)) | (f->y.weight != vec_float(0));
    vi32 corners = none;
    for (unsigned k = 0; k < (linear ? 4 : 1); k++) {
        vi32 x = f->x.raw[linear ? k & 1 : 0], y = f->y.raw[linear ? k >> 1 : 0];
        vi32 past_x = (x < none) | (x > last), past_y = (y < none) | (y > last), past = past_x | past_y;
        f->corner[k] = past_x & past_y & mixes;
        corners |= f->corner[k];
        vi32 along = (vi32)vec_choose((vu32)past_x, (vu32)vec_within(y, plane->size[0] - 1), (vu32)x);
        vu32 edge = vec_choose((vu32)past_x, (vu32)(x > last) & one, two + ((vu32)(y > last) & one));
        vu32 entry = vec_gather((const uint8_t *)job->bound->plan.edges, (face * WAVE_IMAGE_EDGES + edge) << 2, VEC_ALL);
        vi32 to_x = beyond_edge(entry >> WAVE_IMAGE_EDGE_X, along, last),
             to_y = beyond_edge(entry >> WAVE_IMAGE_EDGE_Y, along, last);
        f->at_x[k] = vec_choose((vu32)past, (vu32)to_x, (vu32)x);
        f->at_y[k] = vec_choose((vu32)past, (vu32)to_y, (vu32)y);
        vu32 slice = face_slice(job, first, vec_choose((vu32)past, entry & vec_splat(WAVE_IMAGE_EDGE_FACE), face));
        f->offset[k] = texel_offset(plane, f->at_x[k], f->at_y[k], slice, job->rule.elements == WAVE_IMAGE_BLOCKS);
    }
    f->corners = vec_any((vu32)corners);
}

/* Whether a footprint of the lanes of active lies over an edge. */
INLINED bool crosses(const struct wave_image_plane *plane, const struct footprint *f, uint32_t active, struct way way)
{
    const vi32 last = (vi32)vec_splat((uint32_t)plane->size[0] - 1);
    unsigned end = way.linear;
    vi32 past = (f->x.raw[end] > last) | (f->y.raw[end] > last) | f->x.raw[0] >> 31 | f->y.raw[0] >> 31;
    return vec_bits(TO_COND((vi32)(past != 0))) & active;
}

/* 2. Planes. */

/* Filters along the third axis follow the other two unless the sampler has a rule of its own. */
INLINED bool filters_depth(const struct job *job, bool linear)
{
    unsigned filter = job->bound->sampling.sampler.z_filter;
    return filter != IMAGE_AXIS_NONE ? filter == IMAGE_AXIS_LINEAR : linear;
}

static inline vcond vec_all(void)
{
    return vec_not_zero(vec_float(1));
}

/* Each texel's own coordinates, which blocks want to know. */
INLINED void set_texels(struct footprint *f, struct way way)
{
    for (unsigned k = 0; k < (way.linear ? 4 : 1); k++) {
        f->at_x[k] = f->x.at[k & 1];
        f->at_y[k] = f->y.at[k >> 1];
    }
}

INLINED void read_plane(const struct job *job, const struct wave_image_plane *plane, const struct footprint *f, uint32_t active,
                        vu32 out[IMAGE_COMPONENTS], struct way way, bool gathers)
{
    if (gathers)
        gather_footprint(job, plane, f, active, out, way);
    else
        read_footprint(job, plane, f, active, out, way);
}

/* A volume's one or two planes. */
INLINED void read_planes(const struct job *job, const struct wave_image_plane *plane, const struct spots *at, unsigned v,
                         struct footprint *f, uint32_t active, vu32 out[IMAGE_COMPONENTS], struct way way)
{
    struct columns columns[2], rows[2], moved[2];
    vu32 behind[IMAGE_COMPONENTS];
    bool two = filters_depth(job, way.linear);
    struct axis z = axis_of(&job->rule, two, plane, 2, at->z[v], offset_of(job, 2, v));
    find_elements(plane, f, columns, rows, way);
    for (unsigned n = 0; n < 2; n++) {
        moved[0] = rows_of_slices(plane, rows[0], z.at[n]);
        if (way.linear)
            moved[1] = rows_of_slices(plane, rows[1], z.at[n]);
        set_offsets(f, columns, moved, way);
        if (job->rule.bordered)
            f->inside_z = z.inside[n];
        read_footprint(job, plane, f, active, n ? behind : out, way);
        if (!two || !(vec_bits(vec_not_zero(z.weight)) & active))
            return;
    }
    for (unsigned n = 0; n < IMAGE_COMPONENTS; n++)
        if (job->rule.need >> n & 1)
            out[n] = mixed(reduction_of(job, way), out[n], behind[n], z.weight, vec_not_zero(z.weight), true);
}

/* What vector v reads in a level. */
INLINED void read_vector(const struct job *job, const struct wave_image_plane *plane, const struct spots *at, unsigned v,
                         uint32_t active, vu32 out[IMAGE_COMPONENTS], struct way way, bool gathers)
{
    struct footprint f; /* not made empty as a whole, like that of flat images */
    struct columns columns[2], rows[2];
    find_axes(job, plane, at, v, &f, way);
    f.inside_z = vec_all();
    f.corners = false;
    if (job->rule.shape == WAVE_IMAGE_LINE) {
        f.y.at[0] = f.y.at[1] = vec_splat(0);
        f.y.inside[0] = f.y.inside[1] = vec_all();
        f.y.weight = vec_float(0);
    }
    set_texels(&f, way);
    if (job->rule.shape == WAVE_IMAGE_VOLUME) {
        read_planes(job, plane, at, v, &f, active, out, way);
        return;
    }
    if (job->rule.shape == WAVE_IMAGE_CUBE && crosses(plane, &f, active, way)) {
        cross_edges(job, plane, v, way.linear, &f);
    } else {
        find_elements(plane, &f, columns, rows, way);
        if (job->rule.shape == WAVE_IMAGE_CUBE) {
            vu32 slice = face_slice(job, job->faces->first[v], job->faces->face[v]);
            rows[0] = rows_of_slices(plane, rows[0], slice);
            if (way.linear)
                rows[1] = rows_of_slices(plane, rows[1], slice);
        }
        set_offsets(&f, columns, rows, way);
    }
    read_plane(job, plane, &f, active, out, way, gathers);
}

/* 3. Levels. */

INLINED void read_level(const struct job *restrict job, unsigned mip, uint32_t layer, const struct spots *at,
                        const uint32_t active[VECTORS], unsigned first, unsigned end, struct texels *out, struct way way,
                        bool gathers)
{
    uint32_t slice = job->rule.shape == WAVE_IMAGE_LINE ? job->bound->view.first_slice + layer : 0;
    struct wave_image_plane plane;
    find_plane(job, mip, slice, &plane);
    for (unsigned v = first; v < end; v++)
        if (active[v])
            read_vector(job, &plane, at, v, active[v], out->c[v], way, gathers);
}

#define WAY(name, elements, linear, gathers)                                                                            \
    static void read_##name(const struct job *job, unsigned mip, uint32_t layer, const struct spots *at,                \
                            const uint32_t active[VECTORS], unsigned first, unsigned end, struct texels *out)           \
    {                                                                                                                   \
        read_level(job, mip, layer, at, active, first, end, out, (struct way){elements, linear, true, false}, gathers); \
    }
WAY(part, WAVE_IMAGE_PARTS, false, false)
WAY(parts, WAVE_IMAGE_PARTS, true, false)
WAY(byte, WAVE_IMAGE_BYTES, false, false)
WAY(bytes, WAVE_IMAGE_BYTES, true, false)
WAY(half, WAVE_IMAGE_HALVES, false, false)
WAY(halves, WAVE_IMAGE_HALVES, true, false)
WAY(word, WAVE_IMAGE_WORDS32, false, false)
WAY(words, WAVE_IMAGE_WORDS32, true, false)
WAY(block, WAVE_IMAGE_BLOCKS, false, false)
WAY(blocks, WAVE_IMAGE_BLOCKS, true, false)
WAY(gathered, WAVE_IMAGE_PARTS, true, true)
WAY(gathered_blocks, WAVE_IMAGE_BLOCKS, true, true)

static const read_fn reads[][2] = {
    [WAVE_IMAGE_PARTS] = {read_part, read_parts},    [WAVE_IMAGE_BYTES] = {read_byte, read_bytes},
    [WAVE_IMAGE_HALVES] = {read_half, read_halves},  [WAVE_IMAGE_WORDS32] = {read_word, read_words},
    [WAVE_IMAGE_BLOCKS] = {read_block, read_blocks},
};

read_fn TIER(wave_image_vec_deep)(const struct job *job, bool linear)
{
    if (job->rule.gathers)
        return job->rule.elements == WAVE_IMAGE_BLOCKS ? read_gathered_blocks : read_gathered;
    return reads[job->rule.elements][linear];
}
