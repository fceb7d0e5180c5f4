/* tenfold-bench: guest kernels on the virtual GPU against the same in GLSL on the host's Vulkan device, back to back, results
 * checked. Prints a line a kernel and exits with 1 when a result is wrong; a goal that is missed is shown with where time went. */
#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <tenfold/tenfold.h>
#include <time.h>

#include "native.h"

enum { BUFFER_BYTES = 128 << 20, WORDS = BUFFER_BYTES / 4, SIDE = 512, MANDELBROT_SIDE = 1024 };

/* What is put into x (and y) before a kernel. */
enum fill { FILL_FLOATS, FILL_WORDS };

enum { PROFILE_ROWS = 8, PROFILE_BLOCKS = 4 };

struct bench {
    const char *name, *what;
    float a;
    uint32_t n, groups[2], group[2];
    enum fill fill;
    double work; /* of the unit, in one run; 0: counted from the result */
    const char *unit;
    double goal;     /* of the ratio */
    size_t compared; /* words of y that both sides must agree on */
    bool (*check)(const struct bench *bench, const void *x, const void *guest, const void *native, char *why, size_t size);
    double rate_avx512, rate_avx2; /* goals of M wave instructions/s/thread on those tiers; 0: none */
};

static bool fail(char *why, size_t size, const char *text, size_t at)
{
    snprintf(why, size, "%s at word %zu", text, at);
    return false;
}

/* Both sides give the same words. */
static bool same(const struct bench *bench, const void *x, const void *guest, const void *native, char *why, size_t size)
{
    (void)x;
    const uint32_t *g = guest, *n = native;
    for (size_t i = 0; i < bench->compared; i++)
        if (g[i] != n[i])
            return fail(why, size, "guest and native differ", i);
    return true;
}

/* The guest's product is exactly what fused multiply-adds in order give; the native one is near it (it need not fuse). */
static bool check_matmul(const struct bench *bench, const void *x, const void *guest, const void *native, char *why, size_t size)
{
    (void)bench;
    const float *a = x, *b = a + SIDE * SIDE, *g = guest, *n = native;
    for (size_t i = 0; i < SIDE * SIDE; i++) {
        if (i % 7 == 0) {
            float sum = 0;
            for (size_t k = 0; k < SIDE; k++)
                sum = fmaf(a[i / SIDE * SIDE + k], b[k * SIDE + i % SIDE], sum);
            if (memcmp(&sum, &g[i], 4))
                return fail(why, size, "guest differs from the host's fused product", i);
        }
        if (fabsf(g[i] - n[i]) > 1e-3f * fabsf(g[i]) + 1e-3f)
            return fail(why, size, "guest and native differ", i);
    }
    return true;
}

/* The guest counts exactly as C does; the native compiler may round otherwise, near the edge. */
static bool check_mandelbrot(const struct bench *bench, const void *x, const void *guest, const void *native, char *why,
                             size_t size)
{
    (void)x;
    const uint32_t *g = guest, *n = native;
    size_t different = 0;
    for (size_t at = 0; at < MANDELBROT_SIDE * MANDELBROT_SIDE; at++) {
        different += g[at] != n[at];
        if (at % 11)
            continue;
        float cx = (float)(at % MANDELBROT_SIDE) * (3.0f / 1024.0f) - 2.0f,
              cy = (float)(at / MANDELBROT_SIDE) * (2.0f / 1024.0f) - 1.0f;
        float zx = 0, zy = 0;
        uint32_t i = 0;
        for (; i < bench->n; i++) {
            float x2 = zx * zx, y2 = zy * zy;
            if (x2 + y2 > 4.0f)
                break;
            zy = 2.0f * zx * zy + cy;
            zx = x2 - y2 + cx;
        }
        if (i != g[at])
            return fail(why, size, "guest differs from C", at);
    }
    return different < 2000 || fail(why, size, "guest and native differ in 2000 places or more, by", different);
}

#define GROUP64 .group = {64, 1}
static const struct bench benches[] = {
    {"saxpy",
     "2 x 128 MB, one word a thread",
     2.0f,
     WORDS,
     {WORDS / 64, 1},
     GROUP64,
     FILL_FLOATS,
     3e-9 * BUFFER_BYTES,
     "GB/s",
     3,
     WORDS,
     same},
    {"copy1",
     "128 MB, one word a thread",
     0,
     WORDS,
     {WORDS / 64, 1},
     GROUP64,
     FILL_WORDS,
     2e-9 * BUFFER_BYTES,
     "GB/s",
     3,
     WORDS,
     same},
    {"copy4",
     "128 MB, four words a thread",
     0,
     WORDS / 4,
     {WORDS / 256, 1},
     GROUP64,
     FILL_WORDS,
     2e-9 * BUFFER_BYTES,
     "GB/s",
     3,
     WORDS,
     same},
    {"clear1",
     "3840 x 2160, 8 x 8 groups",
     0,
     0x12345678,
     {480, 270},
     {8, 8},
     FILL_WORDS,
     4e-9 * 3840 * 2160,
     "GB/s",
     3,
     3840 * 2160,
     same},
    {"clear4",
     "3840 x 2160, four words a thread",
     0,
     0x12345678,
     {32400, 1},
     GROUP64,
     FILL_WORDS,
     4e-9 * 3840 * 2160,
     "GB/s",
     3,
     3840 * 2160,
     same},
    {"matmul",
     "512 x 512 in 16 x 16 tiles",
     0,
     SIDE,
     {SIDE / 16, SIDE / 16},
     {16, 16},
     FILL_FLOATS,
     2e-9 * SIDE *SIDE *SIDE,
     "GFLOP/s",
     4,
     0,
     check_matmul},
    {"mandelbrot",
     "1024 x 1024, 256 iterations",
     0,
     256,
     {128, 128},
     {8, 8},
     FILL_WORDS,
     0,
     "G iterations/s",
     0.8,
     0,
     check_mandelbrot,
     350,
     150},
    {"reduce", "128 MB", 0, WORDS, {WORDS / 4096, 1}, {256, 1}, FILL_WORDS, 1e-9 * BUFFER_BYTES, "GB/s", 0.8, 1, same},
    {"histogram",
     "16 M global atomics",
     0,
     1 << 24,
     {(1 << 24) / 64, 1},
     GROUP64,
     FILL_WORDS,
     1e-9 * (1 << 24),
     "G atomics/s",
     1,
     256,
     same},
};

static uint32_t next_random(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    return *state ^= *state << 5;
}

/* Numbers that a kernel can't guess; y starts with zeros where it counts up, and with other numbers elsewhere. */
static void fill(const struct bench *bench, uint32_t *x, uint32_t *y)
{
    uint32_t state = 0x2545f491;
    for (size_t i = 0; i < WORDS; i++) {
        uint32_t r = next_random(&state);
        float f = (float)(r >> 8) * 0x1p-24f - 0.5f;
        if (bench->fill == FILL_FLOATS)
            memcpy(&x[i], &f, 4);
        else
            x[i] = r;
        y[i] = bench->fill == FILL_FLOATS ? x[i] ^ 0x80000000u : 0;
    }
}

struct guest {
    struct tf_gpu *gpu;
    struct tf_object *object;
    uint64_t x, y;
};

static void check_tf(enum tf_status status, const struct tf_error *error)
{
    if (status == TF_OK)
        return;
    fprintf(stderr, "bench: %s\n", error->text);
    exit(1);
}

static struct guest make_guest(const char *object_path, const char *tier)
{
    struct guest g = {0};
    struct tf_error error;
    static char bytes[1 << 20];
    FILE *file = fopen(object_path, "rb");
    size_t size = file ? fread(bytes, 1, sizeof bytes, file) : 0;
    if (file)
        fclose(file);
    struct tf_gpu_options options = {.size = sizeof options, .chip = "gfx1030", .tier = tier};
    check_tf(tf_gpu_create(&options, &g.gpu, &error), &error);
    check_tf(tf_object_load(g.gpu, bytes, size, &g.object, &error), &error);
    check_tf(tf_memory_alloc(g.gpu, BUFFER_BYTES, 0, &g.x, &error), &error);
    check_tf(tf_memory_alloc(g.gpu, BUFFER_BYTES, 0, &g.y, &error), &error);
    return g;
}

/* One run; the report is the caller's. */
static struct tf_report *run_guest(const struct guest *g, const struct bench *bench)
{
    struct tf_error error;
    const struct tf_kernel *kernel;
    check_tf(tf_object_find_kernel(g->object, bench->name, &kernel, &error), &error);
    struct tf_arg args[4] = {
        {.kind = TF_ARG_POINTER, .address = g->x},
        {.kind = TF_ARG_POINTER, .address = g->y},
        {.kind = TF_ARG_VALUE, .data = &bench->a, .bytes = 4},
        {.kind = TF_ARG_VALUE, .data = &bench->n, .bytes = 4},
    };
    unsigned char kernarg[4096];
    uint32_t dynamic_lds;
    check_tf(tf_kernel_pack_args(kernel, args, 4, kernarg, sizeof kernarg, &dynamic_lds, &error), &error);
    struct tf_dispatch dispatch = {
        .size = sizeof dispatch,
        .kernel = kernel,
        .kernarg = kernarg,
        .kernarg_size = sizeof kernarg,
        .grid = {bench->groups[0] * bench->group[0], bench->groups[1] * bench->group[1], 1},
        .workgroup = {bench->group[0], bench->group[1], 1},
    };
    struct tf_report *report;
    check_tf(tf_dispatch_run(g->gpu, &dispatch, &report, &error), &error);
    if (tf_report_failed(report)) {
        fprintf(stderr, "bench: %s failed on the virtual GPU: %s\n", bench->name, tf_report_json(report));
        exit(1);
    }
    return report;
}

static double report_seconds(struct tf_report *report, struct tf_report_info *info)
{
    struct tf_error error;
    info->size = sizeof *info;
    check_tf(tf_report_describe(report, info, &error), &error);
    return info->seconds;
}

/* Where the time went: the instructions and the blocks of the kernel that ran most, from the report. */
static void print_profile(struct tf_report *report)
{
    cJSON *json = cJSON_Parse(tf_report_json(report));
    const cJSON *program = cJSON_GetArrayItem(cJSON_GetObjectItem(json, "programs"), 0);
    const cJSON *rows = cJSON_GetObjectItem(program, "by_instruction"), *blocks = cJSON_GetObjectItem(program, "hot_blocks");
    if (!cJSON_GetArraySize(rows) || !cJSON_GetArraySize(blocks)) {
        fprintf(stderr, "bench: the report does not say what ran\n");
        exit(1);
    }
    for (int n = 0; n < PROFILE_ROWS && n < cJSON_GetArraySize(rows); n++) {
        const cJSON *row = cJSON_GetArrayItem(rows, n);
        printf("        %-28s %14.0f times\n", cJSON_GetStringValue(cJSON_GetObjectItem(row, "name")),
               cJSON_GetNumberValue(cJSON_GetObjectItem(row, "count")));
    }
    for (int n = 0; n < PROFILE_BLOCKS && n < cJSON_GetArraySize(blocks); n++) {
        const cJSON *block = cJSON_GetArrayItem(blocks, n);
        printf("        block of %3.0f at %-12s %14.0f times\n", cJSON_GetNumberValue(cJSON_GetObjectItem(block, "instructions")),
               cJSON_GetStringValue(cJSON_GetObjectItem(block, "offset")),
               cJSON_GetNumberValue(cJSON_GetObjectItem(block, "runs")));
    }
    cJSON_Delete(json);
}

/* Millions of wave instructions a second and thread that are due on that tier; 0: none are. */
static double rate_goal(const struct bench *bench, const char *tier)
{
    return !strcmp(tier, "avx512") ? bench->rate_avx512 : !strcmp(tier, "avx2") ? bench->rate_avx2 : 0;
}

struct total {
    unsigned wrong, missed;
};

static void run_bench(const struct bench *bench, struct native *native, const struct guest *g, const char *spirv_dir,
                      unsigned rounds, struct total *total)
{
    struct tf_error error;
    char path[4096], why[256] = "";
    snprintf(path, sizeof path, "%s/%s.spv", spirv_dir, bench->name);
    struct native_kernel *kernel = native_kernel_create(native, path, bench->a, bench->n, bench->groups, 1);
    void *gx = tf_memory_pointer(g->gpu, g->x, BUFFER_BYTES), *gy = tf_memory_pointer(g->gpu, g->y, BUFFER_BYTES);
    fill(bench, native_x(native), native_y(native));
    memcpy(gx, native_x(native), BUFFER_BYTES);
    memcpy(gy, native_y(native), BUFFER_BYTES);
    native_run(native, kernel);
    struct tf_report *report = run_guest(g, bench);
    bool right = bench->check(bench, gx, gy, native_y(native), why, sizeof why);
    double work = bench->work;
    if (work == 0)
        for (size_t i = 0; i < MANDELBROT_SIDE * MANDELBROT_SIDE; i++)
            work += 1e-9 * ((uint32_t *)gy)[i];
    double best_native = 1e9, best_guest = 1e9;
    struct tf_report_info info;
    for (unsigned round = 0; round < rounds; round++) {
        double native_seconds = native_run(native, kernel);
        tf_report_destroy(report);
        report = run_guest(g, bench);
        double guest_seconds = report_seconds(report, &info);
        best_native = native_seconds < best_native ? native_seconds : best_native;
        best_guest = guest_seconds < best_guest ? guest_seconds : best_guest;
    }
    double ratio = best_native / best_guest, wave_rate = (double)(info.exact + info.approximate) / best_guest / info.threads;
    double rate_due = rate_goal(bench, info.tier);
    bool met = ratio >= bench->goal, fast = wave_rate >= rate_due * 1e6;
    printf(
        "%-11s %-34s native %9.3f  guest %9.3f %-14s  ratio %6.2f  goal %4.1f %-4s  %4.0f M wave-instructions/s/thread  %s%s\n",
        bench->name, bench->what, work / best_native, work / best_guest, bench->unit, ratio, bench->goal, met ? "met" : "MISS",
        wave_rate * 1e-6, right ? "result right" : "RESULT WRONG: ", why);
    if (rate_due > 0)
        printf("%-11s %-34s %4.0f M wave-instructions/s/thread on %s  goal %3.0f  %s\n", bench->name, "rate", wave_rate * 1e-6,
               info.tier, rate_due, fast ? "met" : "MISS");
    if (!met || !fast)
        print_profile(report);
    fflush(stdout);
    total->wrong += !right;
    total->missed += (unsigned)!met + (unsigned)!fast;
    tf_report_destroy(report);
    native_kernel_destroy(native, kernel);
    (void)error;
}

static double processor_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* The guest's side alone, as profilers want it. */
static void run_alone(const struct bench *bench, const struct guest *g, unsigned rounds)
{
    uint32_t *x = tf_memory_pointer(g->gpu, g->x, BUFFER_BYTES), *y = tf_memory_pointer(g->gpu, g->y, BUFFER_BYTES);
    double best = 1e9, least = 1e9;
    struct tf_report_info info = {0};
    fill(bench, x, y);
    for (unsigned round = 0; round < rounds; round++) {
        double before = processor_seconds();
        struct tf_report *report = run_guest(g, bench);
        double used = processor_seconds() - before, seconds = report_seconds(report, &info);
        best = seconds < best ? seconds : best;
        least = used < least ? used : least;
        tf_report_destroy(report);
    }
    double instructions = (double)(info.exact + info.approximate);
    printf("%-11s %9.3f ms  %9.3f ms of processor time  %6.2f ns a wave-instruction  %7.1f a wave\n", bench->name, best * 1e3,
           least * 1e3, least / instructions * 1e9, least / (double)info.waves * 1e9);
}

static void print_host(const struct native *native)
{
    char model[256] = "unknown processor", line[512];
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "model name : %255[^\n]", model) == 1)
            break;
    if (file)
        fclose(file);
    struct utsname os;
    uname(&os);
    struct tf_error error;
    struct tf_device_info device = {.size = sizeof device};
    tf_device_describe(0, &device, &error);
    printf("host: %s, %u threads, %s %s\nguest: tenfold %s, gfx1030, %s\nnative: %s\n", model, device.cores, os.sysname,
           os.release, tf_version(), device.tiers, native_device(native));
}

int main(int argc, char **argv)
{
    if (argc < 3 || !strcmp(argv[1], "--help")) {
        printf("usage: tenfold-bench DIR ROUNDS [TIER [KERNEL [alone]]]\n  DIR holds kernels.co and the .spv files; `make bench` "
               "runs it.\n"
               "  alone: only the guest's side, unchecked, for a profiler.\n  example: tenfold-bench build/bench 5 avx2 saxpy\n");
        return argc < 3 ? 2 : 0;
    }
    char object[4096];
    snprintf(object, sizeof object, "%s/kernels.co", argv[1]);
    unsigned rounds = (unsigned)strtoul(argv[2], NULL, 10);
    struct guest g = make_guest(object, argc > 3 && *argv[3] ? argv[3] : NULL);
    if (argc > 5) {
        for (size_t i = 0; i < sizeof benches / sizeof *benches; i++)
            if (!strcmp(argv[4], benches[i].name))
                run_alone(&benches[i], &g, rounds);
        return 0;
    }
    struct native *native = native_create(BUFFER_BYTES);
    print_host(native);
    struct total total = {0};
    for (size_t i = 0; i < sizeof benches / sizeof *benches; i++)
        if (argc <= 4 || !strcmp(argv[4], benches[i].name))
            run_bench(&benches[i], native, &g, argv[1], rounds ? rounds : 1, &total);
    printf("%u results wrong, %u goals missed\n", total.wrong, total.missed);
    tf_object_unload(g.object);
    tf_gpu_destroy(g.gpu);
    native_destroy(native);
    return total.wrong ? 1 : 0;
}
