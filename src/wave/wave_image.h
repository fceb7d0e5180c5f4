/* What the files of image handlers share.
 *
 *   wave_image_bound    a descriptor (and sampler) that a worker has met, decoded; in the worker's cache, valid until the operation ends.
 *   wave_image_kept     how an operation samples such an image; in the worker's cache.
 *   wave_image_address  the parts of an operation's address, each by lanes; the caller's, valid until the operation writes registers.
 *   wave_image_memory   how one lane's elements are read, and what came of it; the caller's.
 */
#ifndef WAVE_WAVE_IMAGE_H
#define WAVE_WAVE_IMAGE_H

#include <string.h>
#include <xmmintrin.h>

#include "image/image_meta.h"
#include "image/image_sampler.h"
#include "image/image_view.h"
#include "wave/wave_image_plan.h"
#include "wave/wave_memory.h"

enum { WAVE_IMAGE_WORDS = 8, WAVE_SAMPLER_WORDS = 4, WAVE_IMAGE_SLOTS = 16, WAVE_IMAGE_PLANES = 2 };

struct wave_image_bound {
    uint32_t words[WAVE_IMAGE_WORDS + WAVE_SAMPLER_WORDS]; /* zeros where the short form, or no sampler, has none */
    bool used, r128, sampled;
    bool approximate;    /* what it samples is blended, or from a level that has to be found */
    uint64_t stamp;      /* what no other descriptor that the worker decodes has; 0: nobody keeps anything for it */
    uint64_t serial;     /* of the dispatch that it was decoded for; matters where memory was read to */
    const char *refused; /* why the descriptor cannot be used, or NULL */
    struct image_view view;
    struct image_keys keys; /* where the view is compressed */
    struct image_sampling sampling;
    struct wave_image_plan plan;
};

/* What a worker made of an operation and the image that it met last. */
struct wave_image_kept {
    const void *operation;  /* its struct ir_image */
    uint64_t stamp, serial; /* the image's; the dispatch's, as programs come and go */
    struct wave_image_rule rule;
    struct wave_image_plane
        planes[WAVE_IMAGE_PLANES]; /* of levels that it sampled last, by the lowest bit of their number; host NULL: none */
};

/* A block of BC6H or BC7 that was read lately. What its bits and its format are says all: there is nothing that could get old. */
struct wave_image_block {
    uint64_t words[2];
    const struct image_format *format; /* NULL: none */
    struct image_texel texels[IMAGE_BLOCK_TEXELS];
};

enum { WAVE_IMAGE_BLOCK_BITS = 7 };

struct wave_image_cache {
    struct wave_image_bound slots[WAVE_IMAGE_SLOTS];
    struct wave_image_block blocks[1 << WAVE_IMAGE_BLOCK_BITS]; /* by a hash of their words */
    uint32_t srgb[IMAGE_SRGB_RANGES];                           /* image_srgb_ranges; made when they are first wanted */
    const struct wave_image_bound *recent[WAVE_RUN_SLOTS];      /* what operations met last, by wave_run_slot; some other's too */
    struct wave_image_kept kept[WAVE_RUN_SLOTS];                /* the same */
    uint64_t decoded;                                           /* descriptors so far */
};

static inline bool wave_image_sampled(const struct ir_image *image)
{
    return image->kind == IR_IMAGE_SAMPLE || image->kind == IR_IMAGE_GATHER || image->kind == IR_IMAGE_LOD;
}

/* The sampler's border comes from the dispatch. */
static inline bool wave_image_needs_table(const struct wave_image_bound *bound)
{
    return bound->sampled && bound->sampling.sampler.border == IMAGE_BORDER_TABLE;
}

/* What blends texels, or chooses a level by derivatives, has rules that the guide does not give to the bit: how such an instruction ran is
 * counted by the samplers that it met. */
static inline void wave_image_note(struct wave *w, const struct wave_op *o, const struct wave_image_bound *bound)
{
    if (!bound->approximate)
        return;
    _Atomic bool *filtered = &w->unit->filtered[o->imm];
    if (!atomic_load_explicit(filtered, memory_order_relaxed))
        atomic_store_explicit(filtered, true, memory_order_relaxed);
}

/* The worker's; NULL, and the dispatch is told, when memory is out. */
struct wave_image_cache *wave_image_cache_of(struct wave *w);
/* The cache's ranges of the sRGB curve; NULL as above. */
const uint32_t *wave_image_curve_of(struct wave *w);
/* Fills in a block of the cache. */
void wave_image_block_fill(struct wave_image_block *block, const struct image_format *format, const uint64_t words[2]);

/* The image (and sampler) of operation o, decoded. NULL, and the wave is stopped with a fault, when they cannot be used. */
const struct wave_image_bound *wave_image_bind(struct wave *w, const struct wave_op *o);
const struct image_config *wave_image_config_of(enum isa_chip_bit chip);
const struct image_config *wave_image_config(struct wave *w);
/* Stops the wave at o because of reason. */
const struct wave_op *wave_image_refuse(struct wave *w, const struct wave_op *o, const char *reason);

/* Carries the operation out lane by lane; the next one, or NULL when the wave is stopped. */
const struct wave_op *wave_image_by_lanes(struct wave *w, const struct wave_op *o, const struct wave_image_bound *bound);
/* Whether vectors may work under the wave's own floating-point environment, csr, as it is quicker not to change it: where it is the default
 * one but for exceptions, or where elements move without arithmetic that could make or meet a denormal. */
static inline bool wave_image_suits(const struct wave_image_bound *bound, const struct ir_image *image, unsigned csr)
{
    bool moves = !wave_image_sampled(image) && !(image->flags & IR_IM_D16);
    bool steady = bound->plan.steady && moves && !(csr & _MM_ROUND_MASK);
    return steady || (csr & ~(unsigned)_MM_EXCEPT_MASK) == (WAVE_DEFAULT_CSR & ~(unsigned)_MM_EXCEPT_MASK);
}

/* Parts by lanes; those that the address lacks are zeros. */
struct wave_image_address {
    const uint32_t *at[IR_PART_COUNT];
    uint32_t widened[IR_PART_COUNT][WAVE_LANES_MAX]; /* of parts in half registers */
};

void wave_image_read_address(struct wave *w, const struct wave_op *o, struct wave_image_address *address);
/* Which coordinate says the slice, face or depth: the one behind those that lie in a slice. IR_PART_COUNT: none, as the descriptor has no such
 * thing, whatever the instruction's dimension is; drivers copy flat images by instructions of volumes. */
unsigned wave_image_slice_part(const struct ir_image *image, const struct image_view *view);
/* Where a load, store or atomic of a lane goes. */
struct image_place wave_image_place(const struct ir_image *image, const struct image_view *view,
                                    const struct wave_image_address *address, unsigned lane);
/* What every lane of the wave samples with; lanes of a quad that derives its level look at each other. */
void wave_image_coordinates(struct wave *w, const struct wave_op *o, const struct wave_image_address *address,
                            struct image_coordinates *at);
/* What all lanes ask for. */
struct image_request wave_image_request(const struct ir_image *image);
bool wave_image_derives(const struct ir_image *image); /* the level comes from the neighbours in the quad */

struct wave_image_memory {
    struct wave *w;
    const struct wave_op *o;
    const struct image_view *view;
    const struct image_keys *keys; /* or NULL: memory is as it stands */
    unsigned lane;
    bool missing;        /* some element of the lane was not there */
    const char *refused; /* why the operation has to be given up, or NULL */
};

/* wave_image_keys.c: what a key makes of a read: go to memory (at *address, which may have changed), or the element is given, or it is
 * not to be had. */
enum wave_image_way { WAVE_IMAGE_MEMORY, WAVE_IMAGE_GIVEN, WAVE_IMAGE_NOWHERE };
enum wave_image_way wave_image_read_key(struct wave_image_memory *memory, const struct image_place *place, uint64_t *address,
                                        uint8_t *element);
/* Before a store to address: false when there can be none. */
bool wave_image_write_key(struct wave_image_memory *memory, const struct image_place *place, uint64_t address);

/* In a hole of a sparse image, where what operation o reads is: reads are zeros there, and the status says so. */
static inline bool wave_image_is_hole(struct wave *w, const struct wave_op *o, uint64_t address, const uint8_t *host)
{
    const struct wave_run *run = wave_op_run(w, o, false);
    uint64_t beyond = (uint64_t)(host - w->worker->nothing);
    return beyond < sizeof w->worker->nothing || (run->discards && address - run->start < run->size);
}

/* An image_fetch that reads for memory->lane. */
struct image_fetch wave_image_fetch(struct wave_image_memory *memory);
/* Guest address and bytes of an element; host memory that holds all of it, or NULL after reporting. */
uint8_t *wave_image_element(struct wave_image_memory *memory, const struct image_place *place, bool write);
/* Copies an element of that many bytes to or from guest memory. */
void wave_image_read(uint8_t *to, const uint8_t *from, unsigned bytes);
void wave_image_write(uint8_t *to, const uint8_t *from, unsigned bytes);

/* wave_image_result.c: components to and from a lane's registers. */
void wave_image_put(struct wave *w, const struct wave_op *o, const struct image_format *format, unsigned lane,
                    const struct image_texel *texel);
void wave_image_put_status(struct wave *w, const struct wave_op *o, unsigned lane, bool missing);
struct image_texel wave_image_get(struct wave *w, const struct wave_op *o, const struct image_format *format, unsigned lane);

/* wave_image_ray.c */
const struct wave_op *wave_op_image_ray(struct wave *w, const struct wave_op *o);

/* The handler of an image operation. */
wave_fn wave_image_handler(const struct ir_func *func, const struct ir_inst *inst);

#endif
