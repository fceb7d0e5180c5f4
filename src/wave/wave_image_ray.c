/* Ray tests: a node of a bounding volume hierarchy for each lane. */
#include "wave/wave_image.h"

#include <string.h>
#include <xmmintrin.h>

#include "image/image_bvh.h"

static float as_float(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static struct image_ray ray_of(const struct wave_image_address *address, unsigned lane)
{
    struct image_ray ray = {.extent = as_float(address->at[IR_PART_EXTENT][lane])};
    for (unsigned n = 0; n < 3; n++) {
        ray.origin[n] = as_float(address->at[IR_PART_ORIGIN + n][lane]);
        ray.direction[n] = as_float(address->at[IR_PART_DIRECTION + n][lane]);
        ray.inverse[n] = as_float(address->at[IR_PART_INVERSE + n][lane]);
    }
    return ray;
}

/* The node's bytes; false, and reported, when some are not mapped. */
static bool read_node(struct wave *w, const struct wave_op *o, unsigned lane, uint64_t at, unsigned bytes, uint8_t *node)
{
    enum { WORD = 4 };
    if (w->may_read && !w->may_read(w, at, bytes))
        return false;
    const uint8_t *host = wave_op_mem(w, o, at, bytes, false);
    for (unsigned n = 0; n < bytes; n += WORD) { /* nodes are aligned, but runs may meet in one */
        const uint8_t *word = host ? host + n : wave_mem(w, at + n, WORD, false);
        if (!word) {
            wave_mem_fault(w, o, (int)lane, at + n, false);
            return false;
        }
        wave_image_read(node + n, word, WORD);
    }
    return true;
}

static void test_lane(struct wave *w, const struct wave_op *o, const struct image_bvh *bvh,
                      const struct wave_image_address *address, unsigned lane)
{
    uint64_t pointer = address->at[IR_PART_NODE][lane] | (uint64_t)address->at[IR_PART_NODE_HI][lane] << 32, at;
    struct image_ray ray = ray_of(address, lane);
    uint8_t node[IMAGE_BVH_MAX_NODE_BYTES];
    struct image_texel result;
    unsigned bytes;
    bool there = image_bvh_node(bvh, pointer, &at, &bytes) && bytes <= sizeof node && read_node(w, o, lane, at, bytes, node);
    image_bvh_intersect(bvh, pointer, there ? node : NULL, &ray, result.c);
    wave_image_put(w, o, NULL, lane, &result);
}

const struct wave_op *wave_op_image_ray(struct wave *w, const struct wave_op *o)
{
    struct image_bvh bvh;
    const char *wrong = image_bvh_decode(wave_at(w, o->a), &bvh);
    if (wrong)
        return wave_image_refuse(w, o, wrong);
    struct wave_image_address address;
    unsigned csr = _mm_getcsr();
    _mm_setcsr(WAVE_DEFAULT_CSR);
    wave_image_read_address(w, o, &address);
    for (uint64_t lanes = wave_mask_lanes(w, o); lanes; lanes &= lanes - 1)
        test_lane(w, o, &bvh, &address, (unsigned)__builtin_ctzll(lanes));
    _mm_setcsr(csr);
    return o + 1;
}
