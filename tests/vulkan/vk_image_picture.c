/* Programs that make pictures of pictures: what images are for, several dispatches each. */
#include <stdlib.h>
#include <string.h>

#include "vk_image.h"

/* Commands of passes from one image to another and back; how many is the program's business. */
struct passes {
    struct vk_context *vk;
    const struct vk_kernel *kernel;
    VkCommandBuffer commands;
    uint32_t groups[2];
};

static void pass(const struct passes *p, const struct vk_resource *resources, const void *push, uint32_t size)
{
    vk_commands_bind_resources(p->vk, p->commands, p->kernel, resources);
    if (size)
        vk_commands_push(p->commands, p->kernel, push, size);
    vkCmdDispatch(p->commands, p->groups[0], p->groups[1], 1);
    vk_commands_barrier(p->commands);
}

static struct passes begin(struct vk_context *vk, const char *shader, const char *bindings, uint32_t x, uint32_t y)
{
    return (struct passes){.vk = vk,
                           .kernel = vk_kernel_make(vk, &(struct vk_kernel_info){.shader = shader, .bindings = bindings}),
                           .commands = vk_commands_begin(vk),
                           .groups = {x, y}};
}

static void run_blur(struct vk_context *vk)
{
    enum { WIDTH = 200, HEIGHT = 120 };
    struct vk_image_info info = {VK_FORMAT_R16G16B16A16_SFLOAT, VK_IMAGE_VIEW_TYPE_2D, WIDTH, HEIGHT,
                                 .usage = VK_IMAGE_USAGE_STORAGE_BIT};
    struct vk_image *a = vk_image_make_filled(vk, &info, VK_FILL_STEPS, 5700, NULL), *b = vk_image_make(vk, &info);
    struct passes p = begin(vk, "image_blur", "ii", 0, 0);
    for (int32_t across = 1; across >= 0; across--) {
        const int32_t push[3] = {WIDTH, HEIGHT, across};
        p.groups[0] = ((across ? WIDTH : HEIGHT) + 63) / 64, p.groups[1] = across ? HEIGHT : WIDTH;
        pass(&p, (const struct vk_resource[]){{.image = across ? a : b}, {.image = across ? b : a}}, push, sizeof push);
    }
    vk_commands_run(vk, p.commands);
    vk_image_result(vk, "picture", "exact", a);
}

/* A chain of levels, each made of the one before: sums of multiples of 1/256, exact down to the last. */
static void run_chain(struct vk_context *vk)
{
    struct vk_image_info info = {
        VK_FORMAT_R32_SFLOAT, VK_IMAGE_VIEW_TYPE_2D, 128, 128, .levels = 8, .usage = VK_IMAGE_USAGE_STORAGE_BIT};
    struct vk_image *image = vk_image_make_filled(vk, &info, VK_FILL_STEPS, 5710, NULL);
    VkSampler sampler =
        vk_sampler_make(vk, &(struct vk_sampler_info){.filter = VK_FILTER_LINEAR, .wrap = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE});
    struct passes p = begin(vk, "image_chain", "ci", 0, 0);
    for (uint32_t level = 1; level < info.levels; level++) {
        VkImageView views[2];
        for (uint32_t i = 0; i < 2; i++)
            views[i] = vk_view_make(vk, image,
                                    &(struct vk_view_info){.type = VK_IMAGE_VIEW_TYPE_2D, .level = level - 1 + i, .levels = 1});
        p.groups[0] = p.groups[1] = (vk_image_width(image, level) + 7) / 8;
        pass(&p,
             (const struct vk_resource[]){{.image = image, .view = views[0], .sampler = sampler},
                                          {.image = image, .view = views[1]}},
             NULL, 0);
    }
    vk_commands_run(vk, p.commands);
    vk_image_result(vk, "levels", "f32 abs 0.000001", image);
}

static void run_volume(struct vk_context *vk)
{
    struct vk_image_info deep = {VK_FORMAT_R16G16B16A16_SFLOAT, VK_IMAGE_VIEW_TYPE_3D, 64, 64, 16},
                         flat = {VK_FORMAT_R32G32B32A32_SFLOAT, VK_IMAGE_VIEW_TYPE_2D, 64, 64,
                                 .usage = VK_IMAGE_USAGE_STORAGE_BIT};
    struct vk_image *volume = vk_image_make_filled(vk, &deep, VK_FILL_STEPS, 5720, NULL), *picture = vk_image_make(vk, &flat);
    VkSampler sampler = vk_sampler_make(vk, &(struct vk_sampler_info){.filter = VK_FILTER_LINEAR});
    struct passes p = begin(vk, "image_volume", "ci", 8, 8);
    pass(&p, (const struct vk_resource[]){{.image = volume, .sampler = sampler}, {.image = picture}}, NULL, 0);
    vk_commands_run(vk, p.commands);
    vk_image_result(vk, "picture", "f32 abs 0.0001", picture);
}

static void run_flood(struct vk_context *vk)
{
    enum { SIDE = 128, SEEDS = 40 };
    static int16_t texels[SIDE * SIDE][2];
    struct vk_image_info info = {VK_FORMAT_R16G16_SINT, VK_IMAGE_VIEW_TYPE_2D, SIDE, SIDE, .usage = VK_IMAGE_USAGE_STORAGE_BIT};
    struct vk_image *images[2] = {vk_image_make(vk, &info), vk_image_make(vk, &info)};
    memset(texels, 0xff, sizeof texels);
    uint64_t seed = 5730;
    for (uint32_t i = 0; i < SEEDS; i++) {
        uint32_t at = (uint32_t)(vk_random_next(&seed) % (SIDE * SIDE));
        texels[at][0] = (int16_t)(at % SIDE), texels[at][1] = (int16_t)(at / SIDE);
    }
    vk_image_write(vk, images[0], texels);
    struct passes p = begin(vk, "image_flood", "ii", SIDE / 8, SIDE / 8);
    uint32_t from = 0;
    for (int32_t hop = SIDE / 2; hop; hop /= 2, from ^= 1)
        pass(&p, (const struct vk_resource[]){{.image = images[from]}, {.image = images[from ^ 1]}}, &hop, sizeof hop);
    vk_commands_run(vk, p.commands);
    vk_image_result(vk, "nearest seeds", "exact", images[from]);
}

static void run_life(struct vk_context *vk)
{
    enum { WIDTH = 100, HEIGHT = 60, STEPS = 24 };
    static uint8_t want[2][HEIGHT][WIDTH];
    struct vk_image_info info = {VK_FORMAT_R8_UINT, VK_IMAGE_VIEW_TYPE_2D, WIDTH, HEIGHT, .usage = VK_IMAGE_USAGE_STORAGE_BIT};
    struct vk_image *images[2] = {vk_image_make(vk, &info), vk_image_make(vk, &info)};
    vk_random_words(want[0], sizeof want[0] / 4, 5740);
    for (uint32_t i = 0; i < WIDTH * HEIGHT; i++)
        want[0][i / WIDTH][i % WIDTH] &= 1;
    vk_image_write(vk, images[0], want[0]);
    VkSampler sampler = vk_sampler_make(vk, &(struct vk_sampler_info){0});
    struct passes p = begin(vk, "image_life", "ci", (WIDTH + 15) / 16, HEIGHT / 4);
    for (uint32_t step = 0; step < STEPS; step++) {
        uint32_t from = step & 1;
        pass(&p, (const struct vk_resource[]){{.image = images[from], .sampler = sampler}, {.image = images[from ^ 1]}}, NULL, 0);
        for (uint32_t i = 0; i < WIDTH * HEIGHT; i++) {
            uint32_t x = i % WIDTH, y = i / WIDTH, count = 0;
            for (uint32_t n = 0; n < 9; n++)
                count += n == 4 ? 0 : want[from][(y + HEIGHT - 1 + n / 3) % HEIGHT][(x + WIDTH - 1 + n % 3) % WIDTH];
            want[from ^ 1][y][x] = count == 3 || (count == 2 && want[from][y][x]);
        }
    }
    vk_commands_run(vk, p.commands);
    static uint8_t got[HEIGHT * WIDTH + 16];
    vk_image_read(vk, images[0], got);
    vk_result_expect(vk, "cells", "exact", got, want[0], sizeof want[0]);
    vk_result_write(vk, "cells", "exact", got, sizeof want[0]);
}

const struct vk_program vk_programs_image_picture[] = {
    {.name = "image_blur", .run = run_blur},     {.name = "image_chain", .run = run_chain},
    {.name = "image_volume", .run = run_volume}, {.name = "image_flood", .run = run_flood},
    {.name = "image_life", .run = run_life},     {0},
};
