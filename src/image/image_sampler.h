/* image_sampler: samplers, and what one lane reads through an image and a sampler.
 *
 * Roles and owners:
 *   image_sampler        a decoded S#; plain data, the caller's.
 *   image_sampling       an image and a sampler prepared once for all lanes; borrows the view; plain data, the caller's.
 *   image_fetch          how texels are read from memory; the caller's, used only during a call.
 *   image_coordinates    what one lane's address registers say; plain data, the caller's.
 *
 * Nothing here reads guest memory: every element comes through image_fetch.
 */
#ifndef IMAGE_IMAGE_SAMPLER_H
#define IMAGE_IMAGE_SAMPLER_H

#include "image/image_texel.h"

struct image_view;

/* How a coordinate outside the image is brought in (CLAMP_X, _Y, _Z). */
enum image_clamp {
    IMAGE_CLAMP_WRAP,
    IMAGE_CLAMP_MIRROR,
    IMAGE_CLAMP_LAST_TEXEL,
    IMAGE_CLAMP_MIRROR_ONCE_LAST_TEXEL,
    IMAGE_CLAMP_HALF_BORDER,
    IMAGE_CLAMP_MIRROR_ONCE_HALF_BORDER,
    IMAGE_CLAMP_BORDER,
    IMAGE_CLAMP_MIRROR_ONCE_BORDER,
};

/* XY_MAG_FILTER, XY_MIN_FILTER. */
enum image_filter { IMAGE_FILTER_POINT, IMAGE_FILTER_BILINEAR, IMAGE_FILTER_ANISO_POINT, IMAGE_FILTER_ANISO_BILINEAR };
/* Z_FILTER, MIP_FILTER. */
enum image_axis_filter { IMAGE_AXIS_NONE, IMAGE_AXIS_POINT, IMAGE_AXIS_LINEAR };
/* BORDER_COLOR_TYPE. */
enum image_border { IMAGE_BORDER_TRANSPARENT_BLACK, IMAGE_BORDER_OPAQUE_BLACK, IMAGE_BORDER_OPAQUE_WHITE, IMAGE_BORDER_TABLE };
/* FILTER_MODE: what becomes of the texels of a footprint. */
enum image_reduction { IMAGE_REDUCE_BLEND, IMAGE_REDUCE_MIN, IMAGE_REDUCE_MAX };
/* DEPTH_COMPARE_FUNC: reference OP texel. */
enum image_compare {
    IMAGE_COMPARE_NEVER,
    IMAGE_COMPARE_LESS,
    IMAGE_COMPARE_EQUAL,
    IMAGE_COMPARE_LESS_EQUAL,
    IMAGE_COMPARE_GREATER,
    IMAGE_COMPARE_NOT_EQUAL,
    IMAGE_COMPARE_GREATER_EQUAL,
    IMAGE_COMPARE_ALWAYS,
};

/* An S#. */
struct image_sampler {
    uint8_t clamp[3];               /* enum image_clamp, of x, y, z */
    uint8_t mag_filter, min_filter; /* enum image_filter */
    uint8_t z_filter, mip_filter;   /* enum image_axis_filter */
    uint8_t max_aniso_log2;         /* up to 2^this samples along the longer axis; 0 .. 4 */
    uint8_t compare;                /* enum image_compare */
    uint8_t border;                 /* enum image_border */
    uint8_t reduction;              /* enum image_reduction */
    uint16_t border_index;          /* of the table's entry, with IMAGE_BORDER_TABLE */
    bool unnormalized;              /* FORCE_UNNORMALIZED: coordinates are in texels */
    bool truncate;                  /* TRUNC_COORD: point sampling does not round */
    bool faces_apart;               /* DISABLE_CUBE_WRAP: filtering stops at a face's edge */
    bool force_degamma, skip_degamma;
    float min_lod, max_lod, lod_bias;
    float aniso_threshold, aniso_bias;
};

void image_sampler_decode(const uint32_t words[4], struct image_sampler *sampler);

/* Where elements come from. x and y count elements (blocks of compressed formats), z slices or depth, all inside the mip;
 * bytes has room for IMAGE_MAX_TEXEL_BYTES. False: not mapped; the texel is 0 then. */
struct image_fetch {
    void *user;
    bool (*element)(void *user, unsigned mip, uint32_t x, uint32_t y, uint32_t z, uint32_t sample, uint8_t *bytes);
};

/* An image with its sampler, made ready: everything that does not depend on the lane. */
struct image_sampling {
    const struct image_view *view; /* borrowed */
    const struct image_format
        *format; /* how texels are read: the view's, or the sampler's idea of it; NULL: unbound, all results are 0 */
    struct image_sampler sampler;
    struct image_texel border;  /* as a texel in memory would hold it */
    float width, height, depth; /* of the view's first level */
    float min_lod, max_lod;     /* of sampler and view, counted from the view's first level */
    uint8_t dimensions;         /* that coordinates are filtered along: 1, 2, 3; faces 2 */
    uint8_t levels;             /* past the first one */
    bool clamp_reference;       /* the format has no values outside 0 .. 1 */
};

/* Makes ready. sampler is NULL for loads; border_entry, the table's entry of sampler->border_index, may be NULL elsewhere
 * (black then). NULL when all is well, otherwise a sentence that names what is refused. */
const char *image_sampling_prepare(struct image_sampling *sampling, const struct image_view *view,
                                   const struct image_sampler *sampler, const uint32_t border_entry[4]);

/* Where the level of detail comes from. */
enum image_lod { IMAGE_LOD_DERIVED /* from derivatives, the quad's or the lane's own */, IMAGE_LOD_GIVEN, IMAGE_LOD_ZERO };

/* What the instruction asks, the same for all lanes. */
struct image_request {
    uint8_t lod;       /* enum image_lod */
    uint8_t component; /* that gather4 fetches: 0 .. 3 */
    bool bias;         /* coordinates->lod is added to the derived level */
    bool clamp;        /* coordinates->min_lod bounds the level from below */
    bool compare;      /* texels are compared with coordinates->reference first */
    bool unnormalized; /* the instruction's UNRM */
};

/* One lane's. Array layers are always in r, faces too: face + 8 * cube, with s and t from 1 to 2 over the face, as compilers
 * make them from v_cubeid, v_cubesc, v_cubetc and v_cubema. */
struct image_coordinates {
    float s, t, r;
    float lod; /* the level given, or the bias */
    float min_lod;
    float reference;
    float dx[3], dy[3]; /* of s, t, r along a step to the right and down */
    int8_t offset[3];   /* in texels, -32 .. 31 */
};

/* Which levels a lane reads, and how. */
struct image_levels {
    bool linear;         /* within a level */
    uint8_t first;       /* counted from the view's first */
    float second_weight; /* of the next level; 0: only one counts */
    uint8_t probes;      /* along the longer axis of an anisotropic footprint; 1 as a rule */
    float step[3];       /* the length of that axis, in coordinates */
};

struct image_levels image_levels_of(const struct image_sampling *sampling, const struct image_request *request,
                                    const struct image_coordinates *at);

void image_sample_lane(const struct image_sampling *sampling, const struct image_fetch *fetch,
                       const struct image_request *request, const struct image_coordinates *at, struct image_texel *out);
/* The four texels that bilinear filtering would read: (0,1), (1,1), (1,0), (0,0) in components X, Y, Z, W. */
void image_gather_lane(const struct image_sampling *sampling, const struct image_fetch *fetch,
                       const struct image_request *request, const struct image_coordinates *at, struct image_texel *out);
/* X: the level clamped to the view, Y: as computed; both floats. */
void image_lod_lane(const struct image_sampling *sampling, const struct image_request *request,
                    const struct image_coordinates *at, struct image_texel *out);

/* A texel of a cube's face. */
struct image_cube_place {
    int32_t face, x, y;
};

/* The texel next to a face's edge: one of x and y is -1 or size, the other inside. */
struct image_cube_place image_cube_neighbour(int32_t face, int32_t x, int32_t y, int32_t size);

/* A texel by integer coordinates. */
struct image_place {
    uint32_t x, y, z; /* z: depth, layer, or face + 6 * cube */
    uint32_t mip;     /* above the view's base level */
    uint32_t sample;
};

/* True when the view has that texel; stores and atomics elsewhere do nothing. On success place becomes absolute: the mip
 * counts from the resource's level 0, z from its first slice. */
bool image_place_resolve(const struct image_view *view, struct image_place *place);
/* What a load gives: zeros outside the image. place as the lane gives it. */
void image_load_lane(const struct image_sampling *sampling, const struct image_fetch *fetch, const struct image_place *place,
                     struct image_texel *out);
/* The element that a store of those registers leaves; false when the format cannot be stored to. */
bool image_store_element(const struct image_sampling *sampling, const struct image_texel *registers, uint8_t *element);
/* get_resinfo: width, height, depth or layers, and mip count. */
void image_resinfo_lane(const struct image_view *view, uint32_t mip, struct image_texel *out);

#endif
