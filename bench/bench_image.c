/* Sampled and stored texels a second of a Vulkan program, by format and filter. Run natively and under `tenfold run`, the same program says
 * both sides: the first run leaves its rates and sums in a file, the second compares its own with them.
 * usage: tenfold-bench-image DIRECTORY FILE write|compare [PART] (DIRECTORY holds the shaders; PART: only what has that in its name) */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "vk_image.h"

enum { SIDE = 1024, PLACES = 512, SAMPLES = 16, ROUNDS = 5 };

/* What an image is, and how it is sampled. */
struct shape {
    const char *shader;
    VkImageViewType type;
    VkImageCreateFlags flags;
    uint32_t side, depth, layers, levels;
    float scale;      /* from an invocation to the next, in coordinates */
    unsigned filters; /* how many of them are measured */
};

static const struct shape
    flat = {"sample", VK_IMAGE_VIEW_TYPE_2D, 0, SIDE, 1, 1, 11, 1.0f / SIDE, 4},
    volume = {"sample_volume", VK_IMAGE_VIEW_TYPE_3D, 0, 128, 128, 1, 8, 1.0f / 128, 3},
    cube = {"sample_cube", VK_IMAGE_VIEW_TYPE_CUBE, VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT, 256, 1, 6, 9, 1.0f / PLACES, 3};

struct kind {
    const char *name;
    const struct shape *shape;
    VkFormat format;
    bool stored;
};

static const struct kind kinds[] = {
    {"rgba8", &flat, VK_FORMAT_R8G8B8A8_UNORM, true},
    {"r32f", &flat, VK_FORMAT_R32_SFLOAT, true},
    {"rgba16f", &flat, VK_FORMAT_R16G16B16A16_SFLOAT, true},
    {"bc1", &flat, VK_FORMAT_BC1_RGBA_UNORM_BLOCK, false},
    {"r8", &flat, VK_FORMAT_R8_UNORM, true},
    {"rg16f", &flat, VK_FORMAT_R16G16_SFLOAT, true},
    {"rgba32f", &flat, VK_FORMAT_R32G32B32A32_SFLOAT, true},
    {"srgb", &flat, VK_FORMAT_R8G8B8A8_SRGB, false},
    {"volume-rgba8", &volume, VK_FORMAT_R8G8B8A8_UNORM, false},
    {"volume-rgba16f", &volume, VK_FORMAT_R16G16B16A16_SFLOAT, false},
    {"cube-rgba8", &cube, VK_FORMAT_R8G8B8A8_UNORM, false},
    {"cube-rgba16f", &cube, VK_FORMAT_R16G16B16A16_SFLOAT, false},
};

static const struct filter {
    const char *name;
    uint32_t how;
    float level;
    struct vk_sampler_info sampler;
} filters[] = {
    {"nearest", 0, 0, {.filter = VK_FILTER_NEAREST}},
    {"bilinear", 0, 0, {.filter = VK_FILTER_LINEAR}},
    {"trilinear", 0, 0.5f, {.filter = VK_FILTER_LINEAR, .mip = VK_SAMPLER_MIPMAP_MODE_LINEAR}},
    {"aniso", 1, 0, {.filter = VK_FILTER_LINEAR, .mip = VK_SAMPLER_MIPMAP_MODE_LINEAR, .anisotropy = 4}},
};

/* What a run measured: megatexels a second, and the mean of what it sampled. */
struct measure {
    char name[32];
    double rate, mean;
};

struct bench {
    struct vk_context vk;
    const char *part; /* of the names of what is measured */
    struct measure measures[64];
    unsigned count;
};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median of several runs, the first of them left out. */
static double median_run(struct vk_context *vk, const struct vk_kernel *kernel, const struct vk_resource *resources,
                         const void *push, uint32_t push_size, uint32_t groups)
{
    double seconds[ROUNDS];
    vk_kernel_run(vk, kernel, resources, push, push_size, groups, groups, 1);
    for (unsigned i = 0; i < ROUNDS; i++) {
        double start = now();
        vk_kernel_run(vk, kernel, resources, push, push_size, groups, groups, 1);
        seconds[i] = now() - start;
    }
    qsort(seconds, ROUNDS, sizeof *seconds, by_value);
    return seconds[ROUNDS / 2];
}

/* The next measure, under its name; NULL where the run leaves it out. */
static struct measure *next_measure(struct bench *bench, const char *kind, const char *what)
{
    struct measure *measure = &bench->measures[bench->count];
    snprintf(measure->name, sizeof measure->name, "%s-%s", kind, what);
    if (!strstr(measure->name, bench->part))
        return NULL;
    bench->count++;
    return measure;
}

static void note(struct measure *measure, double texels, double seconds, double mean)
{
    measure->rate = texels / seconds * 1e-6;
    measure->mean = mean;
}

static double mean_of(const float *values, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += (double)values[i];
    return sum / (double)count;
}

static void bench_samples(struct bench *bench, const struct kind *kind)
{
    struct vk_context *vk = &bench->vk;
    const struct shape *shape = kind->shape;
    struct vk_image_info info = {kind->format, shape->type,   shape->side,   shape->side,
                                 shape->depth, shape->layers, shape->levels, .flags = shape->flags};
    struct vk_image *image = vk_image_make_filled(vk, &info, VK_FILL_STEPS, 1, NULL);
    struct vk_buffer *sums = vk_buffer_make(vk, 16 * PLACES * PLACES, NULL, VK_PLACE_HOST);
    for (size_t i = 0; i < shape->filters; i++) {
        const struct filter *filter = &filters[i];
        struct measure *measure = next_measure(bench, kind->name, filter->name);
        if (!measure)
            continue;
        struct vk_kernel *kernel = vk_kernel_make(
            vk,
            &(struct vk_kernel_info){.shader = shape->shader, .bindings = "sc", .constants = &filter->how, .constant_count = 1});
        const struct vk_resource resources[] = {{.buffer = sums},
                                                {.image = image, .sampler = vk_sampler_make(vk, &filter->sampler)}};
        const struct {
            float scale, level;
            uint32_t width;
        } push = {shape->scale, filter->level, PLACES};
        double seconds = median_run(vk, kernel, resources, &push, sizeof push, PLACES / 8);
        note(measure, (double)PLACES * PLACES * SAMPLES, seconds, mean_of(sums->map, (size_t)4 * PLACES * PLACES));
    }
}

static void bench_stores(struct bench *bench, const struct kind *kind)
{
    struct vk_context *vk = &bench->vk;
    struct measure *measure = next_measure(bench, kind->name, "store");
    if (!measure)
        return;
    struct vk_image_info info = {kind->format, VK_IMAGE_VIEW_TYPE_2D, SIDE, SIDE, .usage = VK_IMAGE_USAGE_STORAGE_BIT};
    struct vk_image *image = vk_image_make(vk, &info);
    struct vk_kernel *kernel = vk_kernel_make(vk, &(struct vk_kernel_info){.shader = "store", .bindings = "i"});
    double seconds = median_run(vk, kernel, &(struct vk_resource){.image = image}, NULL, 0, SIDE / 32);
    uint8_t *bytes = malloc(vk_image_bytes(image));
    if (!bytes)
        abort();
    vk_image_read(vk, image, bytes);
    double sum = 0;
    for (size_t i = 0; i < vk_image_bytes(image); i++)
        sum += bytes[i];
    free(bytes);
    note(measure, (double)SIDE * SIDE, seconds, sum / (SIDE * SIDE));
}

static bool write_measures(const struct bench *bench, const char *path)
{
    FILE *file = fopen(path, "w");
    for (unsigned i = 0; file && i < bench->count; i++)
        fprintf(file, "%s %.17g %.17g\n", bench->measures[i].name, bench->measures[i].rate, bench->measures[i].mean);
    return file && fclose(file) == 0;
}

/* What the file says of that name; false: nothing. */
static bool find_measure(FILE *file, const char *name, struct measure *found)
{
    rewind(file);
    while (fscanf(file, "%31s %lf %lf", found->name, &found->rate, &found->mean) == 3)
        if (strcmp(found->name, name) == 0)
            return true;
    return false;
}

/* Prints both sides; false where the file is another's or what was sampled differs by more than rounding to 8 bits explains. */
static bool compare_measures(const struct bench *bench, const char *path)
{
    FILE *file = fopen(path, "r");
    bool good = file != NULL;
    for (unsigned i = 0; good && i < bench->count; i++) {
        const struct measure *measure = &bench->measures[i];
        struct measure other;
        good = find_measure(file, measure->name, &other);
        if (!good)
            break;
        bool same = fabs(other.mean - measure->mean) <= 0.01 * fabs(other.mean) + 0.05;
        printf("%-24s %9.1f Mtexel/s   native %9.1f   ratio %6.3f%s\n", measure->name, measure->rate, other.rate,
               measure->rate / other.rate, same ? "" : "   DIFFERENT RESULT");
        good = same;
    }
    if (file)
        fclose(file);
    return good;
}

int main(int argc, char **argv)
{
    if (argc < 4 || argc > 5 || (strcmp(argv[3], "write") != 0 && strcmp(argv[3], "compare") != 0)) {
        fprintf(stderr, "usage: tenfold-bench-image DIRECTORY FILE write|compare [PART]\n");
        return 2;
    }
    static struct bench bench;
    bench.part = argc == 5 ? argv[4] : "";
    bool compares = strcmp(argv[3], "compare") == 0;
    vk_context_init(
        &bench.vk, &(struct vk_options){.shaders = argv[1], .driver = compares ? "radv" : "llvmpipe", .compute_queue = compares});
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        bench_samples(&bench, &kinds[i]);
        if (kinds[i].stored)
            bench_stores(&bench, &kinds[i]);
    }
    bool good = compares ? compare_measures(&bench, argv[2]) : write_measures(&bench, argv[2]);
    vk_context_finish(&bench.vk);
    return good ? 0 : 1;
}
