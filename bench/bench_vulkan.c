/* tenfold-bench-vulkan: guest kernels translated for a Vulkan device against the same in GLSL on that device, back to back, results
 * checked. Kernels with floats run twice: with f32 denormals kept, as OpenCL C is compiled, and flushed, as graphics drivers compile. Prints
 * a line a kernel, and why it misses its goal where it does; exits with 1 when a result is wrong or a kernel did not run there. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tenfold/tenfold.h>

#include "native.h"

enum { MANDELBROT_SIDE = 1024, LINEAR_GROUP = 64, REDUCE_GROUP = 4096, TILE = 16, MANDELBROT_TILE = 8 };

/* How much work: on the host's own cores what takes some tenths of a second, on others what takes a device much longer than getting there. */
struct sizes {
    size_t words; /* of each buffer */
    uint32_t counted, rounds, side;
};
static const struct sizes host_sizes = {16 << 20, 4 << 20, 256, 512}, gpu_sizes = {128 << 20, 16 << 20, 16384, 2048};

struct row {
    const char *kernel, *native;
    float a;
    uint32_t n, groups[2], group[2];
    size_t words_x, words_y; /* that it reads, and that count of what it left */
    bool floats;             /* what x and y are filled with */
    /* NULL: both sides must have left the same */
    bool (*check)(const struct row *row, const float *x, const void *guest, const void *native);
    double goal_host,
        goal_gpu; /* of native's time over the guest's: where the device is the host's own cores, and elsewhere; 0: none */
    double moves; /* of rows that do nothing but move words: how many for each that they leave; else 0 */
    const char *why_host, *why_gpu; /* what is known of a miss there; NULL: nothing */
};

/* The guest's product is exactly what fused multiply-adds in order give; the native one is near it. */
static bool check_matmul(const struct row *row, const float *x, const void *guest, const void *native)
{
    enum { CHECKED = 1 << 24 }; /* multiplications */
    const size_t side = row->n, every = (side * side * side / CHECKED) | 1;
    const float *right = x + side * side, *g = guest, *n = native;
    for (size_t i = 0; i < side * side; i++) {
        float sum = 0;
        for (size_t k = 0; i % every == 0 && k < side; k++)
            sum = fmaf(x[i / side * side + k], right[k * side + i % side], sum);
        if ((i % every == 0 && memcmp(&sum, &g[i], sizeof sum) != 0) || fabsf(g[i] - n[i]) > 1e-3f * fabsf(g[i]) + 1e-3f)
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

/* The guest counts exactly as C does; the native compiler may round otherwise, which shows near the edge, and after many rounds anywhere. */
static bool check_mandelbrot(const struct row *row, const float *x, const void *guest, const void *native)
{
    enum { DIFFERENT_MOST = 2000, FEW_ROUNDS = 256, CHECKED = 1 << 25 };
    const size_t pixels = (size_t)MANDELBROT_SIDE * MANDELBROT_SIDE, every = (pixels * row->n / CHECKED) | 3;
    const uint32_t *g = guest, *n = native;
    size_t different = 0;
    (void)x;
    for (size_t at = 0; at < pixels; at++) {
        different += g[at] != n[at] && (g[at] < FEW_ROUNDS || n[at] < FEW_ROUNDS);
        if (at % every == 0 && rounds_at(row, at) != g[at])
            return false;
    }
    return different < DIFFERENT_MOST;
}

static struct row mandelbrot_row(const char *kernel, const char *native, const struct sizes *size,
                                 bool (*check)(const struct row *row, const float *x, const void *guest, const void *native),
                                 double goal_host, double goal_gpu, const char *why_host, const char *why_gpu)
{
    enum { TILES = MANDELBROT_SIDE / MANDELBROT_TILE };
    return (struct row){.kernel = kernel,
                        .native = native,
                        .n = size->rounds,
                        .groups = {TILES, TILES},
                        .group = {MANDELBROT_TILE, MANDELBROT_TILE},
                        .words_y = (size_t)MANDELBROT_SIDE * MANDELBROT_SIDE,
                        .floats = true,
                        .check = check,
                        .goal_host = goal_host,
                        .goal_gpu = goal_gpu,
                        .why_host = why_host,
                        .why_gpu = why_gpu};
}

/* All kernels, in work of that size; the number of them. */
enum { ROWS = 11 };
static void make_rows(const struct sizes *size, struct row rows[ROWS])
{
    const uint32_t words = (uint32_t)size->words, side = size->side;
    const size_t screen = 3840 * 2160;
    const struct row all[ROWS] = {
        {"saxpy", "saxpy", 2, words, {words / LINEAR_GROUP, 1}, {LINEAR_GROUP, 1}, words, words, true, NULL, 1, 2, 3},
        {"copy1", "copy1", 0, words, {words / LINEAR_GROUP, 1}, {LINEAR_GROUP, 1}, words, words, false, NULL, 1, 2, 2},
        {"copy4", "copy4", 0, words / 4, {words / 4 / LINEAR_GROUP, 1}, {LINEAR_GROUP, 1}, words, words, false, NULL, 1, 2, 2},
        {"clear1", "clear1", 0, 0x12345678, {480, 270}, {8, 8}, 0, screen, false, NULL, 1, 2},
        {"clear4", "clear4", 0, 0x12345678, {2073600 / LINEAR_GROUP, 1}, {LINEAR_GROUP, 1}, 0, screen, false, NULL, 1, 2},
        {"histogram",
         "histogram",
         0,
         size->counted,
         {size->counted / LINEAR_GROUP, 1},
         {LINEAR_GROUP, 1},
         size->counted,
         256,
         false,
         NULL,
         1,
         0},
        mandelbrot_row("mandelbrot", "mandelbrot", size, check_mandelbrot, 0.9, 0.95, NULL,
                       "native rounds a product and a sum as one, which the guest does not: see mandelbrot_exact (record 0244)"),
        /* Native rounds each sum and product, as the guest does: the same work to the bit. */
        mandelbrot_row("mandelbrot", "mandelbrot_exact", size, NULL, 0.9, 0.95, NULL,
                       "GLSL with its loop as the guest's compiler leaves it is at 0.93 to 0.98 of native, too (record 0244)"),
        /* Masks of lanes have no goal there. */
        mandelbrot_row("mandelbrot_waves", "mandelbrot", size, check_mandelbrot, 0.6, 0,
                       "lanes of a program that needs its waves are packed, and go by masks (records 0194 and 0195)", NULL),
        {"matmul",
         "matmul",
         0,
         side,
         {side / TILE, side / TILE},
         {TILE, TILE},
         2 * (size_t)side * side,
         (size_t)side * side,
         true,
         check_matmul,
         0.6,
         0.95,
         .why_gpu = "looks for NaNs, whose words are the guest's, are 3 % of it; the rest was looked for in vain (record 0244)"},
        {"reduce", "reduce", 0, words, {words / REDUCE_GROUP, 1}, {256, 1}, words, 1, false, NULL, 0, 0.95},
    };
    memcpy(rows, all, sizeof all);
}

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

static struct guest make_guest(const char *folder, const char *object, const char *device, size_t buffer_bytes)
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
    check_tf(tf_memory_alloc(g.gpu, buffer_bytes, 0, &g.x, &error), &error);
    check_tf(tf_memory_alloc(g.gpu, buffer_bytes, 0, &g.y, &error), &error);
    g.words_x = tf_memory_pointer(g.gpu, g.x, buffer_bytes);
    g.words_y = tf_memory_pointer(g.gpu, g.y, buffer_bytes);
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

/* What a row starts with: so many words, which then come again. */
struct pattern {
    uint32_t x[1 << 20], y[1 << 20];
};

static void fill_pattern(const struct row *row, struct pattern *pattern)
{
    uint32_t state = 0x2545f491;
    for (size_t i = 0; i < sizeof pattern->x / sizeof *pattern->x; i++) {
        uint32_t r = next_random(&state);
        float f = (float)(r >> 8) * 0x1p-24f - 0.5f;
        if (row->floats)
            memcpy(&pattern->x[i], &f, sizeof f);
        else
            pattern->x[i] = r;
        pattern->y[i] = row->floats ? pattern->x[i] ^ 0x80000000u : 0;
    }
}

static void repeat(const uint32_t *pattern, size_t words, void *to)
{
    const size_t most = sizeof((struct pattern *)0)->x, bytes = words * sizeof *pattern;
    for (size_t at = 0; at < bytes; at += most)
        memcpy((char *)to + at, pattern, bytes - at < most ? bytes - at : most);
}

struct bench {
    struct native *native;
    const char *folder;
    struct row rows[ROWS];
    unsigned rounds;
    bool is_host;           /* the device is the host's own cores */
    bool flushes;           /* native programs lose f32 denormals */
    struct pattern pattern; /* of the row that runs */
    unsigned wrong, missed;
};

/* Clocks of devices follow what they have to do. */
static void warm_up(const struct bench *bench, const struct native_kernel *kernel)
{
    static const double long_enough = 0.3;
    for (double spent = 0; spent < long_enough;)
        spent += native_run(bench->native, kernel);
}

static struct native_kernel *make_native(const struct bench *bench, const struct row *row)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.spv", bench->folder, row->native);
    return native_kernel_create(bench->native, path, row->a, row->n, row->groups, 1);
}

/* Half of the least normal float and nothing: what is left of them. */
static bool loses_denormals(const struct bench *bench)
{
    const struct row row = {.native = "saxpy", .a = 1, .n = LINEAR_GROUP, .groups = {1, 1}};
    const float half = 0x1p-127f, nothing = 0;
    struct native_kernel *kernel = make_native(bench, &row);
    float left;
    memcpy(native_x(bench->native), &half, sizeof half);
    memcpy(native_y(bench->native), &nothing, sizeof nothing);
    native_run(bench->native, kernel);
    memcpy(&left, native_result(bench->native, sizeof left), sizeof left);
    native_kernel_destroy(bench->native, kernel);
    return left == 0; /* NOLINT */
}

static bool is_right(const struct bench *bench, const struct row *row, const struct guest *g)
{
    const void *native = native_result(bench->native, row->words_y * sizeof(uint32_t));
    if (row->check)
        return row->check(row, (const float *)g->words_x, g->words_y, native);
    return !memcmp(g->words_y, native, row->words_y * sizeof(uint32_t));
}

/* Seconds that rounds took. */
struct times {
    double best, worst;
};
static const struct times no_times = {1e9, 0};

static void note(struct times *times, double seconds)
{
    times->best = seconds < times->best ? seconds : times->best;
    times->worst = seconds > times->worst ? seconds : times->worst;
}

/* The kernel is gone then. */
static double best_of(const struct bench *bench, struct native_kernel *kernel)
{
    struct times times = no_times;
    for (unsigned round = 0; round < bench->rounds; round++)
        note(&times, native_run(bench->native, kernel));
    native_kernel_destroy(bench->native, kernel);
    return times.best;
}

/* How near native comes to the fastest copy that is known: the device's own, or native's of four words each. */
static double share_of_copy(const struct bench *bench, const struct row *row, double native)
{
    enum { COPY_MOVES = 2 };
    const struct row *four = bench->rows;
    while (strcmp(four->kernel, "copy4") != 0)
        four++;
    double own = best_of(bench, native_copy_create(bench->native, row->words_y * sizeof(uint32_t)));
    double shader = best_of(bench, make_native(bench, four));
    return (own < shader ? own : shader) * row->moves / (COPY_MOVES * native);
}

/* Why a row misses its goal, measured where it can be: nobody moves words faster than the fastest copy, and a host on which others run says
 * little of small differences. */
static void print_why(const struct bench *bench, const struct row *row, const struct times *native, double ratio, double goal)
{
    const char *why = bench->is_host ? row->why_host : row->why_gpu;
    double share = row->moves > 0 ? share_of_copy(bench, row, native->best) : 0;
    if (share * goal > 1)
        printf("    why: native is at %.2f of the fastest copy there, which leaves a ratio of %.2f\n", share, 1 / share);
    else if (why)
        printf("    why: %s\n", why);
    else if (ratio * native->worst >= goal * native->best)
        printf("    why: no more than native's own rounds differ by, %.0f %%\n", (native->worst / native->best - 1) * 100);
    else
        printf("    why: not known\n");
}

static void run_row(struct bench *bench, const struct row *row, const struct guest *g, unsigned wave, bool flushed)
{
    char tier[32];
    size_t touched = row->words_y < 4096 ? 4096 : row->words_y;
    struct native_kernel *kernel = make_native(bench, row);
    fill_pattern(row, &bench->pattern);
    repeat(bench->pattern.x, row->words_x, native_x(bench->native));
    repeat(bench->pattern.x, row->words_x, g->words_x);
    repeat(bench->pattern.y, touched, native_y(bench->native));
    repeat(bench->pattern.y, touched, g->words_y);
    native_run(bench->native, kernel);
    run_guest(g, row, tier);
    bool there = !strcmp(tier, "spirv"), right = is_right(bench, row, g);
    struct times native = no_times, guest = no_times;
    if (!bench->is_host)
        warm_up(bench, kernel);
    for (unsigned round = 0; round < bench->rounds; round++) {
        note(&native, native_run(bench->native, kernel));
        note(&guest, run_guest(g, row, tier));
    }
    bool filled = guest.best <= 0; /* nothing ran: it is a fill that is owed until somebody reads */
    bool same = !row->floats || flushed == bench->flushes;
    double ratio = filled ? 0 : native.best / guest.best, goal = bench->is_host ? row->goal_host : row->goal_gpu;
    bool met = filled || ratio >= goal;
    char figure[16] = " fill";
    if (!filled)
        snprintf(figure, sizeof figure, "%5.2f", ratio);
    /* By whichever of the two is not the plain one. */
    const char *name = strlen(row->native) > strlen(row->kernel) ? row->native : row->kernel;
    printf("%-17s wave%u %-7s  native %9.3f ms  guest %9.3f ms  ratio %s  goal %4.2f %-4s  %s%s%s\n", name, wave,
           !row->floats ? ""
           : flushed    ? "flushed"
                        : "kept",
           native.best * 1e3, guest.best * 1e3, figure, goal,
           goal == 0 ? "-"
           : !same   ? "else"
           : met     ? "met"
                     : "MISS",
           right ? "result right" : "RESULT WRONG", there ? "" : ", and NOT RUN ON THE DEVICE",
           same             ? ""
           : bench->flushes ? "; native flushes denormals"
                            : "; native keeps denormals");
    if (same && !met)
        print_why(bench, row, &native, ratio, goal);
    fflush(stdout);
    bench->wrong += !right || !there;
    bench->missed += same && !met; /* what calculates otherwise than native is another thing */
    native_kernel_destroy(bench->native, kernel);
}

static void run_rows(struct bench *bench, const char *device, size_t buffer_bytes, unsigned wave, bool flushed, char **wanted)
{
    char object[32];
    snprintf(object, sizeof object, "kernels%s%s.co", wave == 64 ? "64" : "", flushed ? "_flushed" : "");
    struct guest g = make_guest(bench->folder, object, device, buffer_bytes);
    for (size_t i = 0; i < ROWS; i++) {
        bool runs = !*wanted;
        for (char **name = wanted; *name; name++)
            runs |= !strcmp(*name, bench->rows[i].kernel);
        if (runs && (bench->rows[i].floats || !flushed))
            run_row(bench, &bench->rows[i], &g, wave, flushed);
    }
    tf_object_unload(g.object);
    tf_gpu_destroy(g.gpu);
}

static int usage(int status)
{
    printf("usage: tenfold-bench-vulkan DIR ROUNDS [--device vulkan[:N|:NAME]] [KERNEL...]\n"
           "  DIR holds the kernels*.co and .spv files; `make bench` runs it.\n");
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
    static struct bench bench;
    struct native *native = native_open(which ? which + 1 : NULL);
    const struct sizes *sizes = native_is_host(native) ? &host_sizes : &gpu_sizes;
    const size_t buffer_bytes = sizes->words * sizeof(uint32_t);
    native_allocate(native, buffer_bytes);
    bench.native = native;
    bench.folder = argv[1];
    bench.rounds = rounds ? (unsigned)rounds : 1;
    bench.is_host = native_is_host(native);
    make_rows(sizes, bench.rows);
    bench.flushes = loses_denormals(&bench);
    printf("translated kernels on %s, whose native GLSL %s f32 denormals\n", native_device(bench.native),
           bench.flushes ? "flushes" : "keeps");
    for (unsigned wave = 32; wave <= 64; wave += 32)
        for (unsigned flushed = 0; flushed < 2; flushed++)
            run_rows(&bench, device, buffer_bytes, wave, flushed, argv + first);
    printf("%u results wrong, %u goals missed\n", bench.wrong, bench.missed);
    native_destroy(bench.native);
    return bench.wrong ? 1 : 0;
}
