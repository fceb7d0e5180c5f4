/* An image operation's address registers: parts, coordinates, derivatives. */
#include <string.h>

#include "wave/wave_image.h"

enum { QUAD = 4, RIGHT = 1, BELOW = 2, OFFSET_BITS = 6, OFFSET_STEP = 8 };

static const uint32_t zeros[WAVE_LANES_MAX];

/* Coordinates and levels are floats where there is a sampler, else unsigned. The ray's halves are floats. */
static bool is_float(const struct ir_image *image)
{
    return image->kind == IR_IMAGE_SAMPLE || image->kind == IR_IMAGE_GATHER || image->kind == IR_IMAGE_LOD ||
           image->kind == IR_IMAGE_RAY;
}

static void widen(uint32_t *to, const uint32_t *from, unsigned lanes, bool high, bool as_float)
{
    for (unsigned lane = 0; lane < lanes; lane++) {
        uint16_t half = (uint16_t)(from[lane] >> (high ? 16 : 0));
        to[lane] = as_float ? image_f32_from_f16(half) : half;
    }
}

void wave_image_read_address(struct wave *w, const struct wave_op *o, struct wave_image_address *address)
{
    const struct ir_image *image = o->aux;
    bool as_float = is_float(image);
    for (unsigned part = 0; part < IR_PART_COUNT; part++) {
        unsigned at = image->at[part], half = at % IR_AT_WORD;
        address->at[part] = zeros;
        if (at == IR_AT_NOWHERE)
            continue;
        const uint32_t *word = wave_at(w, o->e + at / IR_AT_WORD * w->stride);
        address->at[part] = half == IR_AT_WHOLE ? word : address->widened[part];
        if (half != IR_AT_WHOLE)
            widen(address->widened[part], word, w->halves * 32, half == IR_AT_HIGH, as_float);
    }
}

static unsigned slice_part(const struct ir_image *image)
{
    return image->dim == IR_DIM_1D_ARRAY ? IR_PART_Y : IR_PART_Z;
}

unsigned wave_image_slice_part(const struct ir_image *image, const struct image_view *view)
{
    return image_view_has_slices(view) ? slice_part(image) : IR_PART_COUNT;
}

struct image_place wave_image_place(const struct ir_image *image, const struct image_view *view,
                                    const struct wave_image_address *address, unsigned lane)
{
    unsigned slice = wave_image_slice_part(image, view);
    bool line = image->dim == IR_DIM_1D_ARRAY || view->type == IMAGE_TYPE_1D || view->type == IMAGE_TYPE_1D_ARRAY;
    return (struct image_place){
        .x = address->at[IR_PART_X][lane],
        .y = line ? 0 : address->at[IR_PART_Y][lane],
        .z = slice == IR_PART_COUNT ? 0 : address->at[slice][lane],
        .mip = address->at[IR_PART_LOD][lane],
        .sample = address->at[IR_PART_FRAGMENT][lane],
    };
}

bool wave_image_derives(const struct ir_image *image)
{
    bool sampled = image->kind == IR_IMAGE_SAMPLE || image->kind == IR_IMAGE_GATHER || image->kind == IR_IMAGE_LOD;
    return sampled && !(image->flags & IR_IM_ZERO) && image->at[IR_PART_LOD] == IR_AT_NOWHERE &&
           image->at[IR_PART_DX] == IR_AT_NOWHERE;
}

struct image_request wave_image_request(const struct ir_image *image)
{
    bool given = image->at[IR_PART_LOD] != IR_AT_NOWHERE;
    return (struct image_request){
        .lod = image->flags & IR_IM_ZERO ? IMAGE_LOD_ZERO
               : given                   ? IMAGE_LOD_GIVEN
                                         : IMAGE_LOD_DERIVED,
        .component = image->dmask ? (uint8_t)__builtin_ctz(image->dmask) : 0,
        .bias = image->at[IR_PART_BIAS] != IR_AT_NOWHERE,
        .clamp = image->at[IR_PART_CLAMP] != IR_AT_NOWHERE,
        .compare = image->at[IR_PART_COMPARE] != IR_AT_NOWHERE,
        .unnormalized = image->flags & IR_IM_UNORM,
    };
}

static float as_float(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static int8_t offset_of(uint32_t packed, unsigned n)
{
    return (int8_t)((int32_t)(packed << (32 - OFFSET_BITS - n * OFFSET_STEP)) >> (32 - OFFSET_BITS));
}

/* Which gradient belongs to coordinate n of s, t, r; slices have none. */
static bool has_gradient(const struct ir_image *image, unsigned n)
{
    static const uint8_t counts[IR_DIM_COUNT] = {1, 2, 3, 2, 1, 2, 2, 2};
    return n < counts[image->dim];
}

/* The lane whose gradients count for a whole quad: its first active one. */
static unsigned leader_of(unsigned lane, uint64_t active)
{
    unsigned first = lane / QUAD * QUAD;
    uint64_t quad = active >> first & ((1u << QUAD) - 1);
    return quad ? first + (unsigned)__builtin_ctzll(quad) : lane;
}

static void set_gradients(const struct ir_image *image, const struct wave_image_address *address, unsigned lane, unsigned from,
                          struct image_coordinates *at)
{
    bool derives = wave_image_derives(image);
    unsigned first = lane / QUAD * QUAD;
    for (unsigned n = 0; n < 3; n++) {
        if (!has_gradient(image, n))
            continue;
        if (derives) {
            const uint32_t *c = address->at[IR_PART_X + n];
            at->dx[n] = as_float(c[first + RIGHT]) - as_float(c[first]);
            at->dy[n] = as_float(c[first + BELOW]) - as_float(c[first]);
        } else {
            at->dx[n] = as_float(address->at[IR_PART_DX + n][from]);
            at->dy[n] = as_float(address->at[IR_PART_DY + n][from]);
        }
    }
}

void wave_image_coordinates(struct wave *w, const struct wave_op *o, const struct wave_image_address *address,
                            struct image_coordinates *at)
{
    const struct ir_image *image = o->aux;
    uint64_t active = wave_mask_lanes(w, o);
    bool line = image->dim == IR_DIM_1D_ARRAY;
    unsigned level = image->at[IR_PART_BIAS] != IR_AT_NOWHERE ? IR_PART_BIAS : IR_PART_LOD;
    for (uint64_t left = active; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        struct image_coordinates *c = &at[lane];
        *c = (struct image_coordinates){
            .s = as_float(address->at[IR_PART_X][lane]),
            .t = line ? 0 : as_float(address->at[IR_PART_Y][lane]),
            .r = as_float(address->at[slice_part(image)][lane]),
            .lod = as_float(address->at[level][lane]),
            .min_lod = as_float(address->at[IR_PART_CLAMP][lane]),
            .reference = as_float(address->at[IR_PART_COMPARE][lane]),
        };
        for (unsigned n = 0; n < 3; n++)
            c->offset[n] = offset_of(address->at[IR_PART_OFFSET][lane], n);
        set_gradients(image, address, lane, image->flags & IR_IM_COARSE ? leader_of(lane, active) : lane, c);
    }
}
