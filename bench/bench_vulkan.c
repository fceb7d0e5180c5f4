/* tenfold-bench-vulkan: guest kernels translated for a Vulkan device against the same in GLSL on that device, back to back, results
 * checked. Prints a line a kernel; exits with 1 when a result is wrong or a kernel did not run there. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tenfold/tenfold.h>

#include "native.h"

enum { BUFFER_BYTES = 64 << 20, WORDS = BUFFER_BYTES / 4, SIDE = 512, MANDELBROT_SIDE = 1024 };

struct row {
    const char *kernel, *native;
    float a;
    uint32_t n, groups[2], group[2];
    bool floats;     /* what x and y are filled with */
    size_t compared; /* words of y that both sides must agree on; 0: check */
    bool (*check)(const struct row *row, const float *x, const void *guest, const void *native);
    double goal_host,
        goal_gpu; /* of native's time over the guest's: where the device is the host's own cores, and elsewhere; 0: none */
};

/* The guest's product is exactly what fused multiply-adds in order give; the native one is near it. */
static bool check_matmul(const struct row *row, const float *x, const void *guest, const void *native)
{
    const float *right = x + SIDE * SIDE, *g = guest, *n = native;
    (void)row;
    for (size_t i = 0; i < SIDE * SIDE; i++) {
        float sum = 0;
        for (size_t k = 0; i % 7 == 0 && k < SIDE; k++)
            sum = fmaf(x[i / SIDE * SIDE + k], right[k * SIDE + i % SIDE], sum);
        if ((i % 7 == 0 && memcmp(&sum, &g[i], sizeof sum) != 0) || fabsf(g[i] - n[i]) > 1e-3f * fabsf(g[i]) + 1e-3f)
            return false;
    }
    return true;
}

static uint32_t rounds_at(const struct row *row, size_t at)
{
    float cx = (float)(at % MANDELBROT_SIDE) * (3.0f / 1024.0f) - 2.0f,
          cy = (float)(at / MANDELBROT_SIDE) * (2.0f / 1024.0f) - 1.0f;
    float zx = 0, zy = 0;
    uint32_t i = 0;
    for (; i < row->n; i++) {
        float x2 = zx * zx, y2 = zy * zy;
        if (x2 + y2 > 4.0f)
            break;
        zy = 2.0f * zx * zy + cy;
        zx = x2 - y2 + cx;
    }
    return i;
}

/* The guest counts exactly as C does; the native compiler may round otherwise, near the edge. */
static bool check_mandelbrot(const struct row *row, const float *x, const void *guest, const void *native)
{
    enum { DIFFERENT_MOST = 2000, EVERY = 11 };
    const uint32_t *g = guest, *n = native;
    size_t different = 0;
    (void)x;
    for (size_t at = 0; at < MANDELBROT_SIDE * MANDELBROT_SIDE; at++) {
        different += g[at] != n[at];
        if (at % EVERY == 0 && rounds_at(row, at) != g[at])
            return false;
    }
    return different < DIFFERENT_MOST;
}

#define LINEAR(words)  \
    {(words) / 64, 1}, \
    {                  \
        64, 1          \
    }
static const struct row rows[] = {
    {"saxpy", "saxpy", 2, WORDS, LINEAR(WORDS), true, WORDS, NULL, 1, 2},
    {"copy1", "copy1", 0, WORDS, LINEAR(WORDS), false, WORDS, NULL, 1, 2},
    {"copy4", "copy4", 0, WORDS / 4, LINEAR(WORDS / 4), false, WORDS, NULL, 1, 2},
    {"clear1", "clear1", 0, 0x12345678, {480, 270}, {8, 8}, false, 3840 * 2160, NULL, 1, 2},
    {"clear4", "clear4", 0, 0x12345678, LINEAR(2073600), false, 3840 * 2160, NULL, 1, 2},
    {"histogram", "histogram", 0, 1 << 22, LINEAR(1 << 22), false, 256, NULL, 1, 0},
    {"mandelbrot", "mandelbrot", 0, 256, {128, 128}, {8, 8}, false, 0, check_mandelbrot, 0.9, 0.95},
    {"mandelbrot_waves", "mandelbrot", 0, 256, {128, 128}, {8, 8}, false, 0, check_mandelbrot, 0.6, 0.95},
    {"matmul", "matmul", 0, SIDE, {SIDE / 16, SIDE / 16}, {16, 16}, true, 0, check_matmul, 0.6, 0.95},
    {"reduce", "reduce", 0, WORDS, {WORDS / 4096, 1}, {256, 1}, false, 1, NULL, 0, 0.95},
};

struct guest {
    struct tf_gpu *gpu;
    struct tf_object *object;
    uint64_t x, y;
    uint32_t *words_x, *words_y;
};

static void check_tf(enum tf_status status, const struct tf_error *error)
{
    if (status == TF_OK)
        return;
    fprintf(stderr, "bench: %s\n", error->text);
    exit(1);
}

static struct guest make_guest(const char *folder, const char *object, const char *device)
{
    static char bytes[1 << 20];
    struct guest g = {0};
    struct tf_error error;
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, object);
    FILE *file = fopen(path, "rb");
    size_t size = file ? fread(bytes, 1, sizeof bytes, file) : 0;
    if (file)
        fclose(file);
    struct tf_gpu_options options = {.size = sizeof options, .chip = "gfx1030", .device = device, .cache = ""};
    check_tf(tf_gpu_create(&options, &g.gpu, &error), &error);
    check_tf(tf_object_load(g.gpu, bytes, size, &g.object, &error), &error);
    check_tf(tf_memory_alloc(g.gpu, BUFFER_BYTES, 0, &g.x, &error), &error);
    check_tf(tf_memory_alloc(g.gpu, BUFFER_BYTES, 0, &g.y, &error), &error);
    g.words_x = tf_memory_pointer(g.gpu, g.x, BUFFER_BYTES);
    g.words_y = tf_memory_pointer(g.gpu, g.y, BUFFER_BYTES);
    return g;
}

/* Seconds; what it ran on. */
static double run_guest(const struct guest *g, const struct row *row, char tier[32])
{
    struct tf_error error;
    const struct tf_kernel *kernel;
    check_tf(tf_object_find_kernel(g->object, row->kernel, &kernel, &error), &error);
    struct tf_arg args[4] = {
        {.kind = TF_ARG_POINTER, .address = g->x},
        {.kind = TF_ARG_POINTER, .address = g->y},
        {.kind = TF_ARG_VALUE, .data = &row->a, .bytes = 4},
        {.kind = TF_ARG_VALUE, .data = &row->n, .bytes = 4},
    };
    unsigned char kernarg[4096];
    uint32_t dynamic_lds;
    check_tf(tf_kernel_pack_args(kernel, args, 4, kernarg, sizeof kernarg, &dynamic_lds, &error), &error);
    struct tf_dispatch dispatch = {.size = sizeof dispatch,
                                   .kernel = kernel,
                                   .kernarg = kernarg,
                                   .kernarg_size = sizeof kernarg,
                                   .grid = {row->groups[0] * row->group[0], row->groups[1] * row->group[1], 1},
                                   .workgroup = {row->group[0], row->group[1], 1}};
    struct tf_report *report;
    struct tf_report_info info = {.size = sizeof info};
    check_tf(tf_dispatch_run(g->gpu, &dispatch, &report, &error), &error);
    check_tf(tf_report_describe(report, &info, &error), &error);
    if (tf_report_failed(report))
        fprintf(stderr, "bench: %s failed: %s\n", row->kernel, tf_report_json(report));
    snprintf(tier, 32, "%s", info.tier);
    tf_report_destroy(report);
    return info.seconds;
}

static uint32_t next_random(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    return *state ^= *state << 5;
}

static void fill(const struct row *row, uint32_t *x, uint32_t *y)
{
    uint32_t state = 0x2545f491;
    for (size_t i = 0; i < WORDS; i++) {
        uint32_t r = next_random(&state);
        float f = (float)(r >> 8) * 0x1p-24f - 0.5f;
        if (row->floats)
            memcpy(&x[i], &f, sizeof f);
        else
            x[i] = r;
        y[i] = row->floats ? x[i] ^ 0x80000000u : 0;
    }
}

struct total {
    unsigned wrong, missed;
};

/* Clocks of devices follow what they have to do. */
static void warm_up(struct native *native, const struct native_kernel *kernel)
{
    static const double long_enough = 0.3;
    for (double spent = 0; spent < long_enough;)
        spent += native_run(native, kernel);
}

static bool is_host(const struct native *native)
{
    return strstr(native_device(native), "llvmpipe") != NULL;
}

static bool is_right(const struct row *row, const struct guest *g, struct native *native)
{
    if (row->check)
        return row->check(row, native_x(native), g->words_y, native_y(native));
    return !memcmp(g->words_y, native_y(native), row->compared * sizeof(uint32_t));
}

static void run_row(const struct row *row, const struct guest *g, struct native *native, const char *folder, unsigned wave,
                    unsigned rounds, struct total *total)
{
    char path[4096], tier[32];
    snprintf(path, sizeof path, "%s/%s.spv", folder, row->native);
    struct native_kernel *kernel = native_kernel_create(native, path, row->a, row->n, row->groups, 1);
    fill(row, native_x(native), native_y(native));
    memcpy(g->words_x, native_x(native), BUFFER_BYTES);
    memcpy(g->words_y, native_y(native), BUFFER_BYTES);
    native_run(native, kernel);
    run_guest(g, row, tier);
    bool there = !strcmp(tier, "spirv"), right = is_right(row, g, native);
    double best_native = 1e9, best_guest = 1e9;
    if (!is_host(native))
        warm_up(native, kernel);
    for (unsigned round = 0; round < rounds; round++) {
        double seconds = native_run(native, kernel);
        best_native = seconds < best_native ? seconds : best_native;
        seconds = run_guest(g, row, tier);
        best_guest = seconds < best_guest ? seconds : best_guest;
    }
    bool filled = best_guest <= 0; /* nothing ran: it is a fill that is owed until somebody reads */
    double ratio = filled ? 0 : best_native / best_guest, goal = is_host(native) ? row->goal_host : row->goal_gpu;
    bool met = filled || ratio >= goal;
    char figure[16] = " fill";
    if (!filled)
        snprintf(figure, sizeof figure, "%5.2f", ratio);
    printf("%-17s wave%u  native %9.3f ms  guest %9.3f ms  ratio %s  goal %4.2f %-4s  %s%s\n", row->kernel, wave,
           best_native * 1e3, best_guest * 1e3, figure, goal,
           goal == 0 ? "-"
           : met     ? "met"
                     : "MISS",
           right ? "result right" : "RESULT WRONG", there ? "" : ", and NOT RUN ON THE DEVICE");
    fflush(stdout);
    total->wrong += !right || !there;
    total->missed += !met;
    native_kernel_destroy(native, kernel);
}

static int usage(int status)
{
    printf("usage: tenfold-bench-vulkan DIR ROUNDS [--device vulkan[:N|:NAME]] [KERNEL...]\n"
           "  DIR holds kernels.co, kernels64.co and the .spv files; `make bench` runs it.\n");
    return status;
}

int main(int argc, char **argv)
{
    const char *device = "vulkan";
    int first = 3;
    if (argc > 1 && !strcmp(argv[1], "--help"))
        return usage(0);
    if (argc < 3)
        return usage(2);
    if (argc > first + 1 && !strcmp(argv[first], "--device")) {
        device = argv[first + 1];
        first += 2;
    }
    unsigned long rounds = strtoul(argv[2], NULL, 10);
    const char *which = strchr(device, ':');
    struct native *native = native_create_on(BUFFER_BYTES, which ? which + 1 : NULL);
    struct total total = {0};
    printf("translated kernels on %s\n", native_device(native));
    for (unsigned wave = 32; wave <= 64; wave += 32) {
        struct guest g = make_guest(argv[1], wave == 32 ? "kernels.co" : "kernels64.co", device);
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            bool wanted = argc <= first;
            for (int n = first; n < argc; n++)
                wanted |= !strcmp(argv[n], rows[i].kernel);
            if (wanted)
                run_row(&rows[i], &g, native, argv[1], wave, rounds ? (unsigned)rounds : 1, &total);
        }
        tf_object_unload(g.object);
        tf_gpu_destroy(g.gpu);
    }
    printf("%u results wrong, %u goals missed\n", total.wrong, total.missed);
    native_destroy(native);
    return total.wrong ? 1 : 0;
}
