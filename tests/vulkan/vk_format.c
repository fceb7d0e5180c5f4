/* The formats of the image programs, and random contents that are numbers in each of them. */
#include <stdlib.h>
#include <string.h>

#include "vk_image.h"

#define FORMAT(name, number, bytes, r, g, b, a) {#name, VK_FORMAT_##name, VK_##number, bytes, {r, g, b, a}},
static const struct vk_format formats[] = {
#include "vk_formats.def"
};

enum { FORMAT_COUNT = sizeof formats / sizeof *formats };

const struct vk_format *vk_format_of(VkFormat format)
{
    for (uint32_t i = 0; i < FORMAT_COUNT; i++)
        if (formats[i].format == format)
            return &formats[i];
    return NULL;
}

enum vk_shader_type vk_format_shader_type(const struct vk_format *format)
{
    switch (format->number) {
    case VK_UINT:
    case VK_STENCIL: return VK_SHADER_UINT;
    case VK_SINT: return VK_SHADER_INT;
    default: return VK_SHADER_FLOAT;
    }
}

bool vk_format_has(const struct vk_context *vk, VkFormat format, VkFormatFeatureFlags features)
{
    VkFormatProperties properties;
    vkGetPhysicalDeviceFormatProperties(vk->physical, format, &properties);
    return (properties.optimalTilingFeatures & features) == features;
}

/* A multiple of 1/256 in [-2, 2) as a half: it has at most nine bits. */
static uint16_t half_of_step(uint32_t random)
{
    uint32_t size = random & 511, exponent = 0;
    if (size == 0)
        return (uint16_t)(random >> 1 & 0x8000);
    while (size < 1024)
        size <<= 1, exponent++;
    return (uint16_t)((random >> 1 & 0x8000) | (25 - 8 - exponent) << 10 | (size & 1023));
}

static void fill_floats(const struct vk_format *format, enum vk_fill fill, void *bytes, size_t size)
{
    uint16_t *halves = bytes;
    uint32_t *words = bytes;
    float *values = bytes;
    for (size_t i = 0; format->bits[0] == 16 && i < size / 2; i++) {
        uint16_t any = halves[i] & 0xbfff; /* finite */
        halves[i] = fill == VK_FILL_STEPS ? half_of_step(halves[i]) : any;
    }
    for (size_t i = 0; format->bits[0] == 32 && i < size / 4; i++)
        if (fill == VK_FILL_STEPS)
            values[i] = ((float)(words[i] >> 22) - 512) / 256;
        else if ((words[i] >> 23 & 255) == 255 || (words[i] >> 23 & 255) == 0)
            words[i] ^= 0x40000000; /* neither infinite nor denormal */
}

/* Depth in [0, 1]. */
static void fill_depth(const struct vk_format *format, enum vk_fill fill, void *bytes, size_t size)
{
    uint32_t *words = bytes;
    float *values = bytes;
    for (size_t i = 0; format->bits[0] == 32 && i < size / 4; i++)
        values[i] = fill == VK_FILL_STEPS ? (float)(words[i] % 257) / 256 : (float)(words[i] >> 8) * 0x1p-24f;
}

/* The first bits of a block say how the rest is meant, and some of their values are reserved. */
static void fill_blocks(const struct vk_format *format, uint8_t *bytes, size_t size)
{
    static const uint8_t hdr_modes[14] = {0, 1, 2, 6, 10, 14, 18, 22, 26, 30, 3, 7, 11, 15};
    bool hdr = format->number == VK_HDR_BLOCK;
    bool modes8 = format->format == VK_FORMAT_BC7_UNORM_BLOCK || format->format == VK_FORMAT_BC7_SRGB_BLOCK;
    for (size_t block = 0; block < size / format->bytes; block++) {
        uint8_t *first = bytes + block * format->bytes;
        uint8_t mode = hdr_modes[block % 14], keep = mode & 2 ? 0xe0 : 0xfc;
        if (hdr)
            *first = (*first & keep) | mode;
        if (modes8)
            *first = (uint8_t)((*first & 0xfe << block % 8) | 1u << block % 8);
    }
}

void vk_format_fill(const struct vk_format *format, enum vk_fill fill, void *bytes, size_t size, uint64_t seed)
{
    uint32_t *words = bytes, last;
    vk_random_words(words, size / 4, seed);
    vk_random_words(&last, 1, seed ^ 1);
    memcpy((uint8_t *)bytes + size / 4 * 4, &last, size % 4);
    switch (format->number) {
    case VK_SFLOAT: fill_floats(format, fill, bytes, size); break;
    case VK_DEPTH: fill_depth(format, fill, bytes, size); break;
    case VK_UFLOAT: /* the highest bit of each exponent stays clear */
        for (size_t i = 0; i < size / 4; i++)
            words[i] &= format->bits[0] == 11 ? ~(1u << 10 | 1u << 21 | 1u << 31) : ~(1u << 31);
        break;
    case VK_BLOCK:
    case VK_HDR_BLOCK: fill_blocks(format, bytes, size); break;
    default: break;
    }
}
