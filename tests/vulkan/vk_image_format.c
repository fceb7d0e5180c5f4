/* Programs about formats: what a shader sees of every bit pattern, what filters make of it, and what a store leaves.
 *
 * Rules: a normalised number is a quotient of whole numbers, rounded once more or less (2 ULP); lavapipe filters 8-bit formats in
 * 8 bits (1/255), and decodes blocks to 8 bits, rounding down twice (up to 2/255; as much of 127 with a
 * sign), and takes a polynomial for sRGB (half a step of 8 bits). BC6H and BC7 are defined to the bit. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "vk_image_spots.h"

enum { SPOTS = 256 };

struct row {
    VkFormat format;
    const char *fetched, *filtered; /* rules; NULL: not filtered */
};

static const char *const suffixes[] = {"", "_u", "_i"};

static void fetch_all(struct vk_context *vk, const struct row *row, const struct vk_image *image)
{
    char shader[64];
    snprintf(shader, sizeof shader, "image_fetch_2d%s", suffixes[vk_format_shader_type(image->format)]);
    struct vk_kernel *kernel = vk_kernel_make(vk, &(struct vk_kernel_info){.shader = shader, .bindings = "sc"});
    uint32_t count = 0;
    for (uint32_t level = 0; level < image->info.levels; level++)
        count += vk_image_width(image, level) * vk_image_height(image, level);
    struct vk_buffer *results = vk_buffer_make(vk, 16 * (VkDeviceSize)count, NULL, VK_PLACE_HOST);
    const struct vk_resource resources[] = {{.buffer = results},
                                            {.image = image, .sampler = vk_sampler_make(vk, &(struct vk_sampler_info){0})}};
    VkCommandBuffer commands = vk_commands_begin(vk);
    vk_commands_bind_resources(vk, commands, kernel, resources);
    for (uint32_t level = 0, first = 0; level < image->info.levels; level++) {
        uint32_t width = vk_image_width(image, level), height = vk_image_height(image, level);
        const uint32_t push[5] = {width, height, 1, level, first};
        vk_commands_push(commands, kernel, push, sizeof push);
        vkCmdDispatch(commands, (width * height + 63) / 64, 1, 1);
        first += width * height;
    }
    vk_commands_run(vk, commands);
    vk_result_buffer(vk, image->format->name, row->fetched, results);
}

static void filter(struct vk_context *vk, const struct row *row)
{
    struct vk_image_info info = {row->format, VK_IMAGE_VIEW_TYPE_2D, 32, 16, .levels = 3};
    struct vk_image *image = vk_image_make_filled(vk, &info, VK_FILL_STEPS, 3300, NULL);
    for (uint32_t i = 0; i < 2; i++) {
        struct vk_spot_rule rule = {.above = 1, .lod_high = 3, .lod_steps = i ? 4 : 1};
        struct vk_buffer *spots = vk_spots_make(vk, image, &rule, SPOTS, 3301);
        vk_sampling_run(vk, &(struct vk_sampling){.name = image->format->name,
                                                  .rule = row->filtered,
                                                  .shader = "image_sample",
                                                  .image = image,
                                                  .sampler = {.filter = VK_FILTER_LINEAR, .mip = (VkSamplerMipmapMode)i},
                                                  .places = spots,
                                                  .count = SPOTS});
    }
}

static void look(struct vk_context *vk, const struct row *rows, size_t count, uint32_t width, uint32_t height, uint64_t seed)
{
    for (size_t i = 0; i < count; i++) {
        struct vk_image_info info = {rows[i].format, VK_IMAGE_VIEW_TYPE_2D, width, height, .levels = 4};
        fetch_all(vk, &rows[i], vk_image_make_filled(vk, &info, VK_FILL_ANY, seed + i, NULL));
        if (rows[i].filtered)
            filter(vk, &rows[i]);
    }
}

#define NORMALISED   "f32 ulp 2"
#define EIGHT_BITS   "f32 abs 0.006"
#define SIXTEEN_BITS "f32 abs 0.00005"
#define SUMS         "f32 abs 0.00001"
#define CURVE        "f32 abs 0.0025"

static void run_formats_8(struct vk_context *vk)
{
    static const struct row rows[] = {
        {VK_FORMAT_R8_UNORM, NORMALISED, EIGHT_BITS},
        {VK_FORMAT_R8_SNORM, NORMALISED, "f32 abs 0.01"},
        {VK_FORMAT_R8_UINT, "exact", NULL},
        {VK_FORMAT_R8_SINT, "exact", NULL},
        {VK_FORMAT_R8G8_UNORM, NORMALISED, EIGHT_BITS},
        {VK_FORMAT_R8G8_SNORM, NORMALISED, "f32 abs 0.01"},
        {VK_FORMAT_R8G8_UINT, "exact", NULL},
        {VK_FORMAT_R8G8_SINT, "exact", NULL},
        {VK_FORMAT_R8G8B8A8_UNORM, NORMALISED, EIGHT_BITS},
        {VK_FORMAT_R8G8B8A8_SNORM, NORMALISED, "f32 abs 0.01"},
        {VK_FORMAT_R8G8B8A8_UINT, "exact", NULL},
        {VK_FORMAT_R8G8B8A8_SINT, "exact", NULL},
        {VK_FORMAT_B8G8R8A8_UNORM, NORMALISED, EIGHT_BITS},
    };
    look(vk, rows, sizeof rows / sizeof *rows, 37, 30, 3400);
}

static void run_formats_16(struct vk_context *vk)
{
    static const struct row rows[] = {
        {VK_FORMAT_R16_UNORM, NORMALISED, SIXTEEN_BITS},
        {VK_FORMAT_R16_SNORM, NORMALISED, SIXTEEN_BITS},
        {VK_FORMAT_R16_UINT, "exact", NULL},
        {VK_FORMAT_R16_SINT, "exact", NULL},
        {VK_FORMAT_R16_SFLOAT, "exact", SUMS},
        {VK_FORMAT_R16G16_UNORM, NORMALISED, SIXTEEN_BITS},
        {VK_FORMAT_R16G16_SNORM, NORMALISED, SIXTEEN_BITS},
        {VK_FORMAT_R16G16_UINT, "exact", NULL},
        {VK_FORMAT_R16G16_SINT, "exact", NULL},
        {VK_FORMAT_R16G16_SFLOAT, "exact", SUMS},
        {VK_FORMAT_R16G16B16A16_UNORM, NORMALISED, SIXTEEN_BITS},
        {VK_FORMAT_R16G16B16A16_SNORM, NORMALISED, SIXTEEN_BITS},
        {VK_FORMAT_R16G16B16A16_UINT, "exact", NULL},
        {VK_FORMAT_R16G16B16A16_SINT, "exact", NULL},
        {VK_FORMAT_R16G16B16A16_SFLOAT, "exact", SUMS},
    };
    look(vk, rows, sizeof rows / sizeof *rows, 41, 26, 3500);
}

static void run_formats_32(struct vk_context *vk)
{
    static const struct row rows[] = {
        {VK_FORMAT_R32_UINT, "exact", NULL},
        {VK_FORMAT_R32_SINT, "exact", NULL},
        {VK_FORMAT_R32_SFLOAT, "exact", SUMS},
        {VK_FORMAT_R32G32_UINT, "exact", NULL},
        {VK_FORMAT_R32G32_SINT, "exact", NULL},
        {VK_FORMAT_R32G32_SFLOAT, "exact", SUMS},
        {VK_FORMAT_R32G32B32A32_UINT, "exact", NULL},
        {VK_FORMAT_R32G32B32A32_SINT, "exact", NULL},
        {VK_FORMAT_R32G32B32A32_SFLOAT, "exact", SUMS},
    };
    look(vk, rows, sizeof rows / sizeof *rows, 50, 19, 3600);
}

static void run_formats_packed(struct vk_context *vk)
{
    static const struct row rows[] = {
        {VK_FORMAT_R5G6B5_UNORM_PACK16, NORMALISED, EIGHT_BITS},
        {VK_FORMAT_B5G6R5_UNORM_PACK16, NORMALISED, EIGHT_BITS},
        {VK_FORMAT_R5G5B5A1_UNORM_PACK16, NORMALISED, EIGHT_BITS},
        {VK_FORMAT_A1R5G5B5_UNORM_PACK16, NORMALISED, EIGHT_BITS},
        {VK_FORMAT_B4G4R4A4_UNORM_PACK16, NORMALISED, EIGHT_BITS},
        {VK_FORMAT_A4R4G4B4_UNORM_PACK16, NORMALISED, EIGHT_BITS},
        {VK_FORMAT_A4B4G4R4_UNORM_PACK16, NORMALISED, EIGHT_BITS},
        {VK_FORMAT_A2R10G10B10_UNORM_PACK32, NORMALISED, "f32 abs 0.00005"},
        {VK_FORMAT_A2B10G10R10_UNORM_PACK32, NORMALISED, "f32 abs 0.00005"},
        {VK_FORMAT_A2R10G10B10_UINT_PACK32, "exact", NULL},
        {VK_FORMAT_A2B10G10R10_UINT_PACK32, "exact", NULL},
        {VK_FORMAT_B10G11R11_UFLOAT_PACK32, "exact", SUMS},
        {VK_FORMAT_E5B9G9R9_UFLOAT_PACK32, "exact", SUMS},
    };
    look(vk, rows, sizeof rows / sizeof *rows, 44, 23, 3700);
}

static void run_formats_srgb(struct vk_context *vk)
{
    static const struct row rows[] = {{VK_FORMAT_R8G8B8A8_SRGB, CURVE, EIGHT_BITS}, {VK_FORMAT_B8G8R8A8_SRGB, CURVE, EIGHT_BITS}};
    look(vk, rows, sizeof rows / sizeof *rows, 64, 31, 3800);
}

static void run_formats_depth(struct vk_context *vk)
{
    static const struct row rows[] = {{VK_FORMAT_D16_UNORM, NORMALISED, NULL},
                                      {VK_FORMAT_D32_SFLOAT, "exact", NULL},
                                      {VK_FORMAT_D32_SFLOAT_S8_UINT, "exact", NULL},
                                      {VK_FORMAT_S8_UINT, "exact", NULL}};
    look(vk, rows, sizeof rows / sizeof *rows, 77, 60, 3900);
}

#define DOWN "f32 abs 0.006"

static void run_bc1(struct vk_context *vk)
{
    static const struct row rows[] = {{VK_FORMAT_BC1_RGB_UNORM_BLOCK, DOWN, "f32 abs 0.009"},
                                      {VK_FORMAT_BC1_RGBA_UNORM_BLOCK, DOWN, "f32 abs 0.009"},
                                      {VK_FORMAT_BC1_RGBA_SRGB_BLOCK, "f32 abs 0.01", "f32 abs 0.015"}};
    look(vk, rows, sizeof rows / sizeof *rows, 59, 38, 4000);
}
static void run_bc2(struct vk_context *vk)
{
    static const struct row rows[] = {{VK_FORMAT_BC2_UNORM_BLOCK, DOWN, "f32 abs 0.009"},
                                      {VK_FORMAT_BC2_SRGB_BLOCK, "f32 abs 0.01", "f32 abs 0.015"}};
    look(vk, rows, sizeof rows / sizeof *rows, 59, 38, 4100);
}
static void run_bc3(struct vk_context *vk)
{
    static const struct row rows[] = {{VK_FORMAT_BC3_UNORM_BLOCK, DOWN, "f32 abs 0.009"},
                                      {VK_FORMAT_BC3_SRGB_BLOCK, "f32 abs 0.01", "f32 abs 0.015"}};
    look(vk, rows, sizeof rows / sizeof *rows, 64, 40, 4200);
}
static void run_bc4(struct vk_context *vk)
{
    static const struct row rows[] = {{VK_FORMAT_BC4_UNORM_BLOCK, "f32 abs 0.0079", "f32 abs 0.009"},
                                      {VK_FORMAT_BC4_SNORM_BLOCK, "f32 abs 0.016", "f32 abs 0.017"}};
    look(vk, rows, sizeof rows / sizeof *rows, 63, 41, 4300);
}
static void run_bc5(struct vk_context *vk)
{
    static const struct row rows[] = {{VK_FORMAT_BC5_UNORM_BLOCK, "f32 abs 0.0079", "f32 abs 0.009"},
                                      {VK_FORMAT_BC5_SNORM_BLOCK, "f32 abs 0.016", "f32 abs 0.017"}};
    look(vk, rows, sizeof rows / sizeof *rows, 62, 43, 4400);
}
static void run_bc6h(struct vk_context *vk)
{
    static const struct row rows[] = {{VK_FORMAT_BC6H_UFLOAT_BLOCK, "exact", "f32 rel 0.00001"},
                                      {VK_FORMAT_BC6H_SFLOAT_BLOCK, "exact", "f32 abs 0.1"}};
    look(vk, rows, sizeof rows / sizeof *rows, 64, 64, 4500);
}
static void run_bc7(struct vk_context *vk)
{
    static const struct row rows[] = {{VK_FORMAT_BC7_UNORM_BLOCK, NORMALISED, EIGHT_BITS},
                                      {VK_FORMAT_BC7_SRGB_BLOCK, CURVE, "f32 abs 0.01"}};
    look(vk, rows, sizeof rows / sizeof *rows, 64, 64, 4600);
}

/* Values that a format holds, moved by up to a quarter of what lies between two of them, and some beyond its ends. */
static void choose_values(const struct vk_format *format, uint32_t *words, uint32_t count, uint64_t seed)
{
    float *values = (float *)words;
    vk_random_words(words, 4 * (size_t)count, seed);
    for (uint32_t i = 0; i < 4 * count; i++) {
        uint32_t bits = format->bits[i % 4] ? format->bits[i % 4] : 8, random = words[i];
        double most = ldexp(1, (int)bits - (format->number == VK_SNORM)) - 1;
        double code = floor(most * random / 0x1p32), quarter = (random % 3 - 1.0) / 4;
        switch (format->number) {
        case VK_UNORM: values[i] = (float)((code + quarter) / most); break;
        case VK_SNORM: values[i] = (float)((random & 8 ? -1 : 1) * (code + quarter) / most); break;
        case VK_UINT: words[i] = random >> (32 - bits); break;
        case VK_SINT: words[i] = (uint32_t)((int32_t)random >> (32 - bits)); break;
        case VK_UFLOAT: values[i] = (float)(random % 32 + 32) * exp2f((float)(random >> 8 & 15) - 12); break;
        default: values[i] = (float)((int)(random >> 20) - 2048) / 1024; break; /* eleven bits and a sign */
        }
        if (i % 61 == 60 && (format->number == VK_UNORM || format->number == VK_SNORM))
            values[i] = random & 1 ? 1.75f : -1.5f;
    }
}

/* Stores without a format in the shader: the descriptor's counts. */
static void store(struct vk_context *vk, const VkFormat *formats, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char shader[64];
        enum { WIDTH = 45, HEIGHT = 37 };
        static uint32_t words[4 * WIDTH * HEIGHT];
        struct vk_image_info info = {formats[i], VK_IMAGE_VIEW_TYPE_2D, WIDTH, HEIGHT, .usage = VK_IMAGE_USAGE_STORAGE_BIT};
        struct vk_image *image = vk_image_make(vk, &info);
        choose_values(image->format, words, WIDTH * HEIGHT, 4700 + i);
        struct vk_buffer *values = vk_buffer_make(vk, sizeof words, words, VK_PLACE_HOST);
        snprintf(shader, sizeof shader, "image_store_2d%s", suffixes[vk_format_shader_type(image->format)]);
        struct vk_kernel *kernel = vk_kernel_make(vk, &(struct vk_kernel_info){.shader = shader, .bindings = "si"});
        const uint32_t push[5] = {WIDTH, HEIGHT, 1, 0, 0};
        vk_kernel_run(vk, kernel, (const struct vk_resource[]){{.buffer = values}, {.image = image}}, push, sizeof push,
                      (WIDTH * HEIGHT + 63) / 64, 1, 1);
        vk_image_result(vk, image->format->name, "exact", image);
    }
}

static void run_store_normalised(struct vk_context *vk)
{
    static const VkFormat formats[] = {
        VK_FORMAT_R8_UNORM,           VK_FORMAT_R8_SNORM,
        VK_FORMAT_R8G8_UNORM,         VK_FORMAT_R8G8_SNORM,
        VK_FORMAT_R16_UNORM,          VK_FORMAT_R16_SNORM,
        VK_FORMAT_R8G8B8A8_UNORM,     VK_FORMAT_R8G8B8A8_SNORM,
        VK_FORMAT_R16G16_UNORM,       VK_FORMAT_R16G16_SNORM,
        VK_FORMAT_R16G16B16A16_UNORM, VK_FORMAT_R16G16B16A16_SNORM,
        VK_FORMAT_B8G8R8A8_UNORM,     VK_FORMAT_A2B10G10R10_UNORM_PACK32,
    };
    store(vk, formats, sizeof formats / sizeof *formats);
}
static void run_store_whole(struct vk_context *vk)
{
    static const VkFormat formats[] = {
        VK_FORMAT_R8_UINT,           VK_FORMAT_R8_SINT,           VK_FORMAT_R8G8_UINT,
        VK_FORMAT_R8G8_SINT,         VK_FORMAT_R8G8B8A8_UINT,     VK_FORMAT_R8G8B8A8_SINT,
        VK_FORMAT_R16_UINT,          VK_FORMAT_R16_SINT,          VK_FORMAT_R16G16_UINT,
        VK_FORMAT_R16G16_SINT,       VK_FORMAT_R16G16B16A16_UINT, VK_FORMAT_R16G16B16A16_SINT,
        VK_FORMAT_R32_UINT,          VK_FORMAT_R32_SINT,          VK_FORMAT_R32G32_UINT,
        VK_FORMAT_R32G32B32A32_UINT, VK_FORMAT_R32G32B32A32_SINT, VK_FORMAT_A2B10G10R10_UINT_PACK32,
    };
    store(vk, formats, sizeof formats / sizeof *formats);
}
static void run_store_floats(struct vk_context *vk)
{
    static const VkFormat formats[] = {
        VK_FORMAT_R16_SFLOAT,    VK_FORMAT_R16G16_SFLOAT,       VK_FORMAT_R16G16B16A16_SFLOAT,     VK_FORMAT_R32_SFLOAT,
        VK_FORMAT_R32G32_SFLOAT, VK_FORMAT_R32G32B32A32_SFLOAT, VK_FORMAT_B10G11R11_UFLOAT_PACK32,
    };
    store(vk, formats, sizeof formats / sizeof *formats);
}

/* Loads by a format in the shader; what is loaded is stored again, turned around, and nothing may change. */
static void run_load_store(struct vk_context *vk)
{
    static const struct {
        const char *shader;
        VkFormat format;
        const char *rule;
    } rows[] = {
        {"rgba8", VK_FORMAT_R8G8B8A8_UNORM, NORMALISED},
        {"rgba8_snorm", VK_FORMAT_R8G8B8A8_SNORM, NORMALISED},
        {"rg8", VK_FORMAT_R8G8_UNORM, NORMALISED},
        {"r8", VK_FORMAT_R8_UNORM, NORMALISED},
        {"r8_snorm", VK_FORMAT_R8_SNORM, NORMALISED},
        {"rgba16", VK_FORMAT_R16G16B16A16_UNORM, NORMALISED},
        {"rgba16_snorm", VK_FORMAT_R16G16B16A16_SNORM, NORMALISED},
        {"rg16", VK_FORMAT_R16G16_UNORM, NORMALISED},
        {"r16", VK_FORMAT_R16_UNORM, NORMALISED},
        {"rgba16f", VK_FORMAT_R16G16B16A16_SFLOAT, "exact"},
        {"rg16f", VK_FORMAT_R16G16_SFLOAT, "exact"},
        {"r16f", VK_FORMAT_R16_SFLOAT, "exact"},
        {"rgba32f", VK_FORMAT_R32G32B32A32_SFLOAT, "exact"},
        {"rg32f", VK_FORMAT_R32G32_SFLOAT, "exact"},
        {"r32f", VK_FORMAT_R32_SFLOAT, "exact"},
        {"r11f_g11f_b10f", VK_FORMAT_B10G11R11_UFLOAT_PACK32, "exact"},
        {"rgb10_a2", VK_FORMAT_A2B10G10R10_UNORM_PACK32, NORMALISED},
        {"rgba8ui", VK_FORMAT_R8G8B8A8_UINT, "exact"},
        {"rg8ui", VK_FORMAT_R8G8_UINT, "exact"},
        {"r8ui", VK_FORMAT_R8_UINT, "exact"},
        {"rgba16ui", VK_FORMAT_R16G16B16A16_UINT, "exact"},
        {"rg16ui", VK_FORMAT_R16G16_UINT, "exact"},
        {"r16ui", VK_FORMAT_R16_UINT, "exact"},
        {"rgba32ui", VK_FORMAT_R32G32B32A32_UINT, "exact"},
        {"rg32ui", VK_FORMAT_R32G32_UINT, "exact"},
        {"r32ui", VK_FORMAT_R32_UINT, "exact"},
        {"rgb10_a2ui", VK_FORMAT_A2B10G10R10_UINT_PACK32, "exact"},
        {"rgba8i", VK_FORMAT_R8G8B8A8_SINT, "exact"},
        {"rg8i", VK_FORMAT_R8G8_SINT, "exact"},
        {"r8i", VK_FORMAT_R8_SINT, "exact"},
        {"rgba16i", VK_FORMAT_R16G16B16A16_SINT, "exact"},
        {"rg16i", VK_FORMAT_R16G16_SINT, "exact"},
        {"r16i", VK_FORMAT_R16_SINT, "exact"},
        {"rgba32i", VK_FORMAT_R32G32B32A32_SINT, "exact"},
        {"rg32i", VK_FORMAT_R32G32_SINT, "exact"},
        {"r32i", VK_FORMAT_R32_SINT, "exact"},
    };
    enum { WIDTH = 51, HEIGHT = 22 };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char shader[64];
        struct vk_image_info info = {rows[i].format, VK_IMAGE_VIEW_TYPE_2D, WIDTH, HEIGHT, .usage = VK_IMAGE_USAGE_STORAGE_BIT};
        struct vk_image *from = vk_image_make_filled(vk, &info, VK_FILL_ANY, 4800 + i, NULL), *to = vk_image_make(vk, &info);
        struct vk_buffer *results = vk_buffer_make(vk, 16 * WIDTH * HEIGHT, NULL, VK_PLACE_HOST);
        snprintf(shader, sizeof shader, "image_load_%s", rows[i].shader);
        struct vk_kernel *kernel = vk_kernel_make(vk, &(struct vk_kernel_info){.shader = shader, .bindings = "sii"});
        const uint32_t push[2] = {WIDTH, HEIGHT};
        vk_kernel_run(vk, kernel, (const struct vk_resource[]){{.buffer = results}, {.image = from}, {.image = to}}, push,
                      sizeof push, (WIDTH * HEIGHT + 63) / 64, 1, 1);
        vk_result_buffer(vk, rows[i].shader, rows[i].rule, results);
        vk_image_result(vk, rows[i].shader, "exact", to);
    }
}

const struct vk_program vk_programs_image_format[] = {
    {.name = "image_formats_8", .run = run_formats_8},
    {.name = "image_formats_16", .run = run_formats_16},
    {.name = "image_formats_32", .run = run_formats_32},
    {.name = "image_formats_packed", .run = run_formats_packed},
    {.name = "image_formats_srgb", .run = run_formats_srgb},
    {.name = "image_formats_depth", .run = run_formats_depth},
    {.name = "image_bc1", .run = run_bc1},
    {.name = "image_bc2", .run = run_bc2},
    {.name = "image_bc3", .run = run_bc3},
    {.name = "image_bc4", .run = run_bc4},
    {.name = "image_bc5", .run = run_bc5},
    {.name = "image_bc6h", .run = run_bc6h},
    {.name = "image_bc7", .run = run_bc7},
    {.name = "image_store_normalised", .run = run_store_normalised},
    {.name = "image_store_whole", .run = run_store_whole},
    {.name = "image_store_floats", .run = run_store_floats},
    {.name = "image_load_store", .run = run_load_store},
    {0},
};
