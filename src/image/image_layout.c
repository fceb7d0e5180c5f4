/* image_layout: blocks, sizes, mip chains and tails of surfaces. The rules are record 0150's. */
#include <string.h>

#include "base/base_bits.h"
#include "image/image_layout.h"
#include "image/image_swizzle.h"

enum { LINEAR_ALIGNMENT = 256, MICRO_BYTES_LOG2 = 8, LARGE_BLOCK = 16, SMALL_BLOCK = 12 };

static unsigned log2_of(unsigned power)
{
    return (unsigned)__builtin_ctz(power);
}

static uint32_t level_size(uint32_t size, unsigned level)
{
    return (size + (1u << level) - 1) >> level;
}

/* Log2 of a block's sides. Whoever is first gets the bit that the others lack. */
struct sides {
    uint8_t x, y, z;
};

static struct sides split_in_two(unsigned bits)
{
    return (struct sides){.x = (uint8_t)((bits + 1) / 2), .y = (uint8_t)(bits / 2)};
}

static struct sides split_in_three(unsigned bits, unsigned block_bytes)
{
    uint8_t most = (uint8_t)((bits + 2) / 3), middle = (uint8_t)((bits + 1) / 3), least = (uint8_t)(bits / 3);
    switch (block_bytes) {
    case LARGE_BLOCK: return (struct sides){most, middle, least};
    case SMALL_BLOCK: return (struct sides){least, most, middle};
    default: return (struct sides){middle, least, most};
    }
}

static struct sides sides_of(unsigned block_bytes, bool thick, unsigned element, unsigned samples)
{
    if (thick)
        return split_in_three(block_bytes - element, block_bytes);
    struct sides sides = split_in_two(block_bytes - element);
    sides.x = (uint8_t)(sides.x - (samples + 1) / 2);
    sides.y = (uint8_t)(sides.y - samples / 2);
    return sides;
}

/* All pipe bits, and as many of the bank bits that follow two column bits as the block has room for. */
static uint16_t pipe_bank_mask(const struct image_config *config, unsigned block_bytes)
{
    enum { COLUMN_BITS = 2, MOST_BANK_BITS = 4 };
    int pipe_bits = (int)image_config_pipes(config);
    int bank_bits = (int)block_bytes - MICRO_BYTES_LOG2 - pipe_bits - COLUMN_BITS;
    bank_bits = bank_bits < 0 ? 0 : bank_bits > MOST_BANK_BITS ? MOST_BANK_BITS : bank_bits;
    uint32_t pipes = (1u << pipe_bits) - 1, banks = ((1u << bank_bits) - 1) << (pipe_bits + COLUMN_BITS);
    return (uint16_t)((pipes | banks) << MICRO_BYTES_LOG2 & ((1u << block_bytes) - 1));
}

/* ---- the tail: the levels that share the chain's first block ---- */

/* Its seven smallest slots have 256 bytes each, every other as much as all before it. */
enum { EQUAL_SLOTS = 7, WORD_ELEMENT = 2 /* log2 */ };

static uint32_t slot_offset(unsigned slot)
{
    return slot < EQUAL_SLOTS ? slot << MICRO_BYTES_LOG2 : 1u << (slot + 4);
}

struct tail {
    uint32_t width, height;           /* of the largest slot */
    uint32_t most_width, most_height; /* of a level that goes in */
    unsigned slots;                   /* 0: there is no tail */
    struct sides micro;
};

static struct tail tail_of(const struct image_surface *surface, const struct image_mode *mode, const struct image_layout *layout,
                           bool thick, unsigned element)
{
    struct tail tail = {.width = 1u << layout->block_x, .height = 1u << layout->block_y};
    if (mode->block_bytes == MICRO_BYTES_LOG2)
        return tail;
    bool small = mode->block_bytes == SMALL_BLOCK;
    tail.slots = thick ? (small ? 5 : 10) : (small ? 8 : 12);
    tail.micro = sides_of(MICRO_BYTES_LOG2, thick, element, 0);
    if (thick && small)
        tail.height /= 2;
    else
        tail.width /= 2;
    tail.most_width = tail.width;
    tail.most_height = tail.height;
    if (mode->family == IMAGE_FAMILY_Z_X && surface->config->late_stencil_tail && element < WORD_ELEMENT) {
        struct sides word = sides_of(mode->block_bytes, thick, WORD_ELEMENT, 0);
        tail.most_width = 1u << (word.x - 1);
        tail.most_height = 1u << word.y;
    }
    return tail;
}

static unsigned first_in_tail(const struct image_surface *surface, const struct tail *tail)
{
    for (unsigned level = 0; level < surface->levels && tail->slots && surface->levels > 1; level++)
        if (level_size(surface->width, level) <= tail->most_width && level_size(surface->height, level) <= tail->most_height &&
            surface->levels - level <= tail->slots)
            return level;
    return surface->levels;
}

/* Every second bit of a number of 256-byte units, from bit `from` on, is a coordinate of micro tiles. */
static uint32_t every_second_bit(uint32_t units, unsigned from)
{
    uint32_t value = 0;
    for (unsigned bit = 0; units >> (from + 2 * bit); bit++)
        value |= (units >> (from + 2 * bit) & 1) << bit;
    return value;
}

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static void place_in_tail(struct image_level *level, const struct tail *tail, unsigned number)
{
    uint32_t offset = slot_offset(tail->slots - 1 - number), units = offset >> MICRO_BYTES_LOG2;
    *level = (struct image_level){
        .pitch = larger(tail->width >> number, 1u << tail->micro.x),
        .height = larger(tail->height >> number, 1u << tail->micro.y),
        .tail_offset = offset,
        .tail_x = (uint16_t)(every_second_bit(units, 1) << tail->micro.x),
        .tail_y = (uint16_t)(every_second_bit(units, 0) << tail->micro.y),
    };
}

/* ---- chains ---- */

/* Levels stand behind the tail, the largest last. */
static void place_levels(const struct image_surface *surface, const struct image_mode *mode, struct image_layout *layout,
                         bool thick, unsigned element)
{
    struct tail tail = tail_of(surface, mode, layout, thick, element);
    layout->tail_level = (uint8_t)first_in_tail(surface, &tail);
    uint64_t block = UINT64_C(1) << layout->block_bytes, offset = layout->tail_level < surface->levels ? block : 0;
    for (unsigned n = surface->levels; n-- > 0;) {
        struct image_level *level = &layout->levels[n];
        if (n >= layout->tail_level) {
            place_in_tail(level, &tail, n - layout->tail_level);
            continue;
        }
        level->pitch = (uint32_t)base_align_up(level_size(surface->width, n), 1u << layout->block_x);
        level->height = (uint32_t)base_align_up(level_size(surface->height, n), 1u << layout->block_y);
        level->offset = offset;
        offset += ((uint64_t)(level->pitch >> layout->block_x) * (level->height >> layout->block_y)) << layout->block_bytes;
    }
    layout->slices = (uint32_t)base_align_up(surface->slices, 1u << layout->block_z);
    layout->slice_bytes = offset >> layout->block_z;
    layout->bytes = layout->slice_bytes * layout->slices;
}

static void place_linear(const struct image_surface *surface, struct image_layout *layout)
{
    uint64_t offset = 0;
    for (unsigned n = surface->levels; n-- > 0;) {
        struct image_level *level = &layout->levels[n];
        uint64_t row = base_align_up((uint64_t)level_size(surface->width, n) * surface->element_bytes, LINEAR_ALIGNMENT);
        if (surface->pitch && surface->levels == 1)
            row = (uint64_t)surface->pitch * surface->element_bytes;
        *level = (struct image_level){
            .pitch = (uint32_t)(row / surface->element_bytes),
            .height = level_size(surface->height, n),
            .row_bytes = (uint32_t)row,
            .offset = offset,
        };
        offset += row * level->height;
    }
    layout->alignment = LINEAR_ALIGNMENT;
    layout->slices = surface->slices;
    layout->slice_bytes = offset;
    layout->bytes = offset * surface->slices;
}

static const char *refuse(const struct image_surface *surface, const struct image_mode *mode)
{
    if (surface->levels < 1 || surface->levels > IMAGE_MIPS)
        return "a chain of more levels than there are";
    if (!surface->width || !surface->height || !surface->slices)
        return "a surface without extent";
    if (surface->samples && surface->levels > 1)
        return "a multisampled surface with levels";
    if (mode->family == IMAGE_FAMILY_NONE)
        return surface->samples ? "a linear multisampled surface" : NULL;
    if (surface->dimensions == 1 && mode->family != IMAGE_FAMILY_Z_X && mode->family != IMAGE_FAMILY_R_X)
        return "a swizzle mode that has no one-dimensional surfaces";
    return surface->dimensions == 3 && mode->volume == IMAGE_VOLUME_NONE ? "a swizzle mode that has no volumes" : NULL;
}

const char *image_layout_make(const struct image_surface *surface, struct image_layout *layout)
{
    const struct image_mode *mode = image_mode_of(surface->swizzle);
    if (!mode)
        return "a reserved swizzle mode";
    const char *refusal = refuse(surface, mode);
    if (refusal)
        return refusal;
    memset(layout, 0, sizeof *layout);
    layout->tail_level = surface->levels;
    if (mode->family == IMAGE_FAMILY_NONE) {
        place_linear(surface, layout);
        return NULL;
    }
    bool thick = surface->dimensions == 3 && mode->volume == IMAGE_VOLUME_THICK;
    layout->terms =
        image_equation_find(surface->config->equations, thick, mode->family, surface->element_bytes, 1u << surface->samples);
    if (!layout->terms)
        return "a swizzle mode that has no such elements or samples";
    unsigned element = log2_of(surface->element_bytes);
    struct sides sides = sides_of(mode->block_bytes, thick, element, surface->samples);
    layout->block_bytes = mode->block_bytes;
    layout->block_x = sides.x;
    layout->block_y = sides.y;
    layout->block_z = sides.z;
    if (mode->pipe_xor)
        layout->pipe_bank_mask = pipe_bank_mask(surface->config, mode->block_bytes);
    layout->alignment = 1u << mode->block_bytes;
    place_levels(surface, mode, layout, thick, element);
    return NULL;
}
