/* Programs that store to images: every texel of every dimension and level, samples, atomic operations. */
#include <stdlib.h>
#include <string.h>

#include "vk_image.h"

/* The layers or slices of a level, in the number that a shader takes for the last coordinate. */
static void place_sizes(const struct vk_image *image, uint32_t level, uint32_t sizes[3])
{
    sizes[0] = vk_image_width(image, level);
    sizes[1] = vk_image_height(image, level);
    sizes[2] = vk_image_depth(image, level) * image->info.layers;
    if (image->info.type == VK_IMAGE_VIEW_TYPE_1D_ARRAY)
        sizes[1] = image->info.layers, sizes[2] = 1;
}

/* What image_place.comp makes of a level. */
static void place_expected(uint32_t *words, const uint32_t sizes[3], uint32_t level)
{
    uint32_t *to = words;
    for (uint32_t z = 0; z < sizes[2]; z++)
        for (uint32_t y = 0; y < sizes[1]; y++)
            for (uint32_t x = 0; x < sizes[0]; x++)
                *to++ = x | y << 10 | z << 20 | level << 28;
    to = words;
    for (uint32_t z = 0; z < sizes[2]; z++)
        for (uint32_t y = 0; y < sizes[1]; y++)
            for (uint32_t x = 0; x < sizes[0]; x++, to++)
                if (((x + y + z) & 1) == 0) { /* the neighbour in x is an odd one, as it was */
                    uint32_t next = x + 1 < sizes[0] ? x + 1 : x - 1;
                    if (sizes[0] > 1)
                        *to = *to * 5 + (next | y << 10 | z << 20 | level << 28);
                }
}

static void place(struct vk_context *vk, const struct vk_image_info *shape)
{
    char shader[64];
    struct vk_image_info info = *shape;
    info.usage = VK_IMAGE_USAGE_STORAGE_BIT;
    struct vk_image *image = vk_image_make(vk, &info);
    snprintf(shader, sizeof shader, "image_place_%s",
             (const char *const[]){"1d", "2d", "3d", "cube", "1d_array", "2d_array", "cube_array"}[info.type]);
    struct vk_kernel *kernel = vk_kernel_make(vk, &(struct vk_kernel_info){.shader = shader, .bindings = "i"});
    uint32_t *want = calloc(1, vk_image_bytes(image)), *got = calloc(1, vk_image_bytes(image));
    if (!want || !got)
        abort();
    VkCommandBuffer commands = vk_commands_begin(vk);
    for (uint32_t level = 0; level < info.levels; level++) {
        VkImageView view = vk_view_make(vk, image, &(struct vk_view_info){.type = info.type, .level = level, .levels = 1});
        vk_commands_bind_resources(vk, commands, kernel, &(struct vk_resource){.image = image, .view = view});
        uint32_t push[5] = {0, 0, 0, level, 0};
        place_sizes(image, level, push);
        place_expected(want + vk_image_level_offset(image, level) / 4, push, level);
        for (uint32_t pass = 0; pass < 2; pass++) {
            push[4] = pass;
            vk_commands_push(commands, kernel, push, sizeof push);
            vkCmdDispatch(commands, (push[0] * push[1] * push[2] + 63) / 64, 1, 1);
            vk_commands_barrier(commands);
        }
    }
    vk_commands_run(vk, commands);
    vk_image_read(vk, image, got);
    vk_result_expect(vk, "texels", "exact", got, want, vk_image_bytes(image));
    vk_result_write(vk, "texels", "exact", got, vk_image_bytes(image));
    free(want);
    free(got);
}

static void run_store_1d(struct vk_context *vk)
{
    place(vk, &(struct vk_image_info){VK_FORMAT_R32_UINT, VK_IMAGE_VIEW_TYPE_1D, 1000, .levels = 10});
}
static void run_store_2d(struct vk_context *vk)
{
    place(vk, &(struct vk_image_info){VK_FORMAT_R32_UINT, VK_IMAGE_VIEW_TYPE_2D, 301, 213, .levels = 9});
    place(vk, &(struct vk_image_info){VK_FORMAT_R32_UINT, VK_IMAGE_VIEW_TYPE_2D, 1024, 16, .levels = 11});
    place(vk, &(struct vk_image_info){VK_FORMAT_R32_UINT, VK_IMAGE_VIEW_TYPE_2D, 3, 1000, .levels = 10});
}
static void run_store_3d(struct vk_context *vk)
{
    place(vk, &(struct vk_image_info){VK_FORMAT_R32_UINT, VK_IMAGE_VIEW_TYPE_3D, 70, 45, 37, .levels = 7});
    place(vk, &(struct vk_image_info){VK_FORMAT_R32_UINT, VK_IMAGE_VIEW_TYPE_3D, 9, 10, 11, .levels = 4});
}
static void run_store_cube(struct vk_context *vk)
{
    place(vk, &(struct vk_image_info){VK_FORMAT_R32_UINT, VK_IMAGE_VIEW_TYPE_CUBE, 77, 77, .layers = 6, .levels = 7});
}
static void run_store_1d_array(struct vk_context *vk)
{
    place(vk, &(struct vk_image_info){VK_FORMAT_R32_UINT, VK_IMAGE_VIEW_TYPE_1D_ARRAY, 333, .layers = 17, .levels = 9});
}
static void run_store_2d_array(struct vk_context *vk)
{
    place(vk, &(struct vk_image_info){VK_FORMAT_R32_UINT, VK_IMAGE_VIEW_TYPE_2D_ARRAY, 101, 67, .layers = 9, .levels = 7});
}
static void run_store_cube_array(struct vk_context *vk)
{
    place(vk, &(struct vk_image_info){VK_FORMAT_R32_UINT, VK_IMAGE_VIEW_TYPE_CUBE_ARRAY, 35, 35, .layers = 18, .levels = 6});
}

/* 2048 invocations: 256 for each of 8 texels. */
static void atomics(struct vk_context *vk, const char *name, bool is_signed, const struct vk_image_info *shape)
{
    char shader[64];
    enum { COUNT = 2048, MARKS = 4096 + 8 };
    uint32_t values[COUNT];
    struct vk_image_info info = *shape;
    info.usage = VK_IMAGE_USAGE_STORAGE_BIT;
    info.format = is_signed ? VK_FORMAT_R32_SINT : VK_FORMAT_R32_UINT;
    struct vk_image *image = vk_image_make(vk, &info);
    vk_random_words(values, COUNT, 4900);
    struct vk_buffer *in = vk_buffer_make(vk, sizeof values, values, VK_PLACE_HOST),
                     *marks = vk_buffer_make(vk, 4 * MARKS, NULL, VK_PLACE_HOST);
    snprintf(shader, sizeof shader, "image_atomics_%s%s", name, is_signed ? "_i" : "");
    struct vk_kernel *kernel = vk_kernel_make(vk, &(struct vk_kernel_info){.shader = shader, .bindings = "ssi"});
    vk_kernel_run(vk, kernel, (const struct vk_resource[]){{.buffer = in}, {.buffer = marks}, {.image = image}}, NULL, 0,
                  COUNT / 64, 1, 1);
    /* What stays in the exchanged texel is nobody's, and who wrote to the compared one is open; all else is settled. */
    const uint32_t *mark = marks->map;
    uint32_t taken = 0, drawn = 0, first = 0;
    for (uint32_t i = 0; i < COUNT; i++)
        drawn += mark[i] == 1, taken += mark[2048 + i] == 1;
    for (uint32_t i = 0; i < 8; i++)
        first += mark[4096 + i] == 1;
    vk_check(vk, drawn == COUNT && taken == COUNT - 8 && first == 8, "%u numbers drawn, %u taken, %u first", drawn, taken, first);
    size_t size = vk_image_bytes(image);
    uint32_t *texels = calloc(1, size);
    if (!texels)
        abort();
    vk_image_read(vk, image, texels);
    uint32_t line = info.type == VK_IMAGE_VIEW_TYPE_1D || info.type == VK_IMAGE_VIEW_TYPE_1D_ARRAY ? 8 : image->info.width;
    for (uint32_t n = 7; n < 9; n++)
        for (uint32_t x = 0; x < 8; x++) {
            uint32_t slice = info.type == VK_IMAGE_VIEW_TYPE_3D || info.type == VK_IMAGE_VIEW_TYPE_2D_ARRAY
                                 ? n % 3 * image->info.width * image->info.height
                             : info.type == VK_IMAGE_VIEW_TYPE_1D_ARRAY ? n % 3 * image->info.width
                                                                        : 0;
            uint32_t *texel = &texels[slice + n * line + x];
            vk_check(vk, *texel != 0, "texel %u of operation %u is empty", x, n);
            *texel = 0;
        }
    vk_result_write(vk, "texels", "exact", texels, size);
    free(texels);
}

static void run_atomics(struct vk_context *vk)
{
    static const struct {
        const char *name;
        struct vk_image_info info;
    } rows[] = {
        {"1d", {.type = VK_IMAGE_VIEW_TYPE_1D, .width = 100}},
        {"2d", {.type = VK_IMAGE_VIEW_TYPE_2D, .width = 20, .height = 12}},
        {"3d", {.type = VK_IMAGE_VIEW_TYPE_3D, .width = 20, .height = 12, .depth = 5}},
        {"2d_array", {.type = VK_IMAGE_VIEW_TYPE_2D_ARRAY, .width = 10, .height = 9, .layers = 4}},
        {"1d_array", {.type = VK_IMAGE_VIEW_TYPE_1D_ARRAY, .width = 77, .layers = 3}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (uint32_t j = 0; j < 2; j++)
            atomics(vk, rows[i].name, j, &rows[i].info);
}

/* Numbers of 64 bits: lavapipe has no such images, so there the host says what must come out. */
static void run_atomics_wide(struct vk_context *vk)
{
    enum { COUNT = 2048, MARKS = 4096 + 8, OPERATIONS = 6 };
    static uint64_t values[COUNT], want[OPERATIONS][8], got[OPERATIONS][8];
    vk_random_words(values, 2 * COUNT, 4910);
    for (uint32_t i = 0; i < COUNT; i++) {
        uint64_t value = values[i], bit = UINT64_C(1) << i % 30, x = i % 8;
        want[0][x] += value;
        want[2][x] = value > want[2][x] ? value : want[2][x];
        want[4][x] |= value & bit;
        want[5][x] ^= value;
    }
    if (vk->image_int64.shaderImageInt64Atomics) {
        struct vk_image_info info = {VK_FORMAT_R64_UINT, VK_IMAGE_VIEW_TYPE_2D, 8, 9, .usage = VK_IMAGE_USAGE_STORAGE_BIT};
        struct vk_image *image = vk_image_make(vk, &info);
        struct vk_buffer *in = vk_buffer_make(vk, sizeof values, values, VK_PLACE_HOST),
                         *marks = vk_buffer_make(vk, 4 * MARKS, NULL, VK_PLACE_HOST);
        struct vk_kernel *kernel =
            vk_kernel_make(vk, &(struct vk_kernel_info){.shader = "image_atomics_2d_wide", .bindings = "ssi"});
        vk_kernel_run(vk, kernel, (const struct vk_resource[]){{.buffer = in}, {.buffer = marks}, {.image = image}}, NULL, 0,
                      COUNT / 64, 1, 1);
        uint64_t *texels = calloc(1, vk_image_bytes(image));
        if (!texels)
            abort();
        vk_image_read(vk, image, texels);
        memcpy(got, texels, sizeof got); /* rows 1 and 3 begin as zeros, and stay so */
        free(texels);
        vk_result_expect(vk, "texels", "exact", got, want, sizeof want);
    } else {
        vk_need(vk_context_is_lavapipe(vk), "images of 64-bit numbers");
        memcpy(got, want, sizeof got);
    }
    vk_result_write(vk, "texels", "exact", got, sizeof got);
}

/* Four samples: what is stored in each comes back by loads, by fetches, and by fetches from a copy. */
static void samples(struct vk_context *vk, uint32_t layers)
{
    enum { WIDTH = 61, HEIGHT = 40 };
    struct vk_image_info info = {.format = VK_FORMAT_R16G16B16A16_UINT,
                                 .type = layers > 1 ? VK_IMAGE_VIEW_TYPE_2D_ARRAY : VK_IMAGE_VIEW_TYPE_2D,
                                 .width = WIDTH,
                                 .height = HEIGHT,
                                 .layers = layers,
                                 .samples = 4,
                                 .usage = VK_IMAGE_USAGE_STORAGE_BIT};
    struct vk_image *image = vk_image_make(vk, &info), *copy = vk_image_make(vk, &info);
    VkSampler sampler = vk_sampler_make(vk, &(struct vk_sampler_info){0});
    uint32_t texels = WIDTH * HEIGHT * layers;
    const uint32_t push[3] = {WIDTH, HEIGHT, layers};
    for (uint32_t step = 0; step < 4; step++) {
        uint32_t pass = step < 3 ? step : 2;
        struct vk_kernel *kernel =
            vk_kernel_make(vk, &(struct vk_kernel_info){.shader = layers > 1 ? "image_samples_array" : "image_samples",
                                                        .bindings = "sic",
                                                        .constants = &pass,
                                                        .constant_count = 1});
        struct vk_buffer *results = vk_buffer_make(vk, 64 * (VkDeviceSize)texels, NULL, VK_PLACE_HOST);
        const struct vk_image *from = step == 3 ? copy : image;
        const struct vk_resource resources[] = {{.buffer = results}, {.image = from}, {.image = from, .sampler = sampler}};
        VkCommandBuffer commands = vk_commands_begin(vk);
        if (step == 3) {
            VkImageCopy whole = {.srcSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, layers},
                                 .dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, layers},
                                 .extent = {WIDTH, HEIGHT, 1}};
            vkCmdCopyImage(commands, image->handle, VK_IMAGE_LAYOUT_GENERAL, copy->handle, VK_IMAGE_LAYOUT_GENERAL, 1, &whole);
            vk_commands_barrier(commands);
        }
        vk_commands_bind_resources(vk, commands, kernel, resources);
        vk_commands_push(commands, kernel, push, sizeof push);
        vkCmdDispatch(commands, (texels + 63) / 64, 1, 1);
        vk_commands_run(vk, commands);
        const uint32_t *got = results->map;
        for (uint32_t i = 4; i < 4 * texels && step; i++)
            if (got[4 * i] != (i / 4 & 0xffff) || got[4 * i + 1] != i % 4 || got[4 * i + 2] != (i & 0xffff)) {
                vk_check(vk, false, "step %u: sample %u of texel %u is %u, %u, %u", step, i % 4, i / 4, got[4 * i],
                         got[4 * i + 1], got[4 * i + 2]);
                break;
            }
        if (step)
            vk_result_buffer(vk, "samples", "exact", results);
    }
}

static void run_samples(struct vk_context *vk)
{
    samples(vk, 1);
    samples(vk, 3);
}

const struct vk_program vk_programs_image_store[] = {
    {.name = "image_store_1d", .run = run_store_1d},
    {.name = "image_store_2d", .run = run_store_2d},
    {.name = "image_store_3d", .run = run_store_3d},
    {.name = "image_store_cube", .run = run_store_cube},
    {.name = "image_store_1d_array", .run = run_store_1d_array},
    {.name = "image_store_2d_array", .run = run_store_2d_array},
    {.name = "image_store_cube_array", .run = run_store_cube_array},
    {.name = "image_atomics", .run = run_atomics},
    {.name = "image_atomics_wide", .run = run_atomics_wide},
    {.name = "image_samples", .run = run_samples},
    {0},
};
