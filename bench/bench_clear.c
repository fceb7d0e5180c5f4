/* tenfold-bench-clear: clears of a 3840x2160 target by dispatches, frame after frame through PM4, against the same in GLSL and the device's own
 * fill, and what masks cost many small copies, and why where a goal is missed; results compared with the CPU device's. Exits with 1 when one
 * is wrong, or guest memory was read. */
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tenfold/tenfold.h>
#include <time.h>

#include "clears.h"
#include "native.h"
#include "stream.h"

enum { WIDTH = 3840, HEIGHT = 2160, TARGET_BYTES = WIDTH * HEIGHT * 4 };
enum { STREAM_BYTES = 1 << 20, CODE_BYTES = 4096, BATCHES = 5, PATTERN = 0x5a5a0000 };

/* ---- programs ---- */

/* Assembled with llvm-mc for gfx1030, wave32. s[0:1]: to; s[2:3]: from; s4: words; s5: a word that is not there; s6: the last word's number; s8: the
 * group. */
#define COPY_NUMBER 0xd7460000, 0x04010c08 /* v_lshl_add_u32 v0, s8, 6, v0 */
#define COPY_LEAST  0x26000006             /* v_min_u32 v0, s6, v0 */
#define COPY_LOAD                                                                               \
    0x34020082,                                          /* v_lshlrev_b32 v1, 2, v0 */          \
        0xdc308000, 0x02020001,                          /* global_load_dword v2, v1, s[2:3] */ \
        0xbf8c3f70                                       /* s_waitcnt vmcnt(0) */
#define COPY_BY_COUNT 0x7d880004, 0x877e6a7e             /* v_cmp_gt_u32 vcc_lo, s4, v0; s_and_b32 exec_lo, exec_lo, vcc_lo */
#define COPY_BY_DATA  0x7d8a0405, 0x877e6a7e             /* v_cmp_ne_u32 vcc_lo, s5, v2; s_and_b32 exec_lo, exec_lo, vcc_lo */
#define COPY_STORE    0xdc708000, 0x00000201, 0xbf810000 /* global_store_dword v1, v2, s[0:1]; s_endpgm */

static const uint32_t copy_by_count[] = {COPY_NUMBER, COPY_LOAD, COPY_BY_COUNT, COPY_STORE},
                      copy_within[] = {COPY_NUMBER, COPY_LEAST, COPY_LOAD, COPY_STORE},
                      copy_by_data[] = {COPY_NUMBER, COPY_LEAST, COPY_LOAD, COPY_BY_DATA, COPY_STORE};

struct program {
    const uint32_t *code;
    size_t bytes;
};
#define CODE(words)          \
    {                        \
        words, sizeof(words) \
    }

/* What a mask costs where no trace knows which words are stored. */
static const char marks[] = "each word stored is marked, too (records 0226 and 0240)";

struct clear {
    const char *name, *native;
    uint32_t word;
    struct program program;
    bool covers;     /* all of the target, as its trace knows */
    const char *why; /* what is known of it where it is slower than native; NULL: nothing */
};

static const struct clear clears[] = {
    {"constant", "clear_constant", 0x12345678, CODE(clear_constant), true},
    {"constant, V#", "clear_constant", 0x12345678, CODE(clear_constant_buffer), true},
    {"gradient", "clear_gradient", CLEAR_SPREAD, CODE(clear_gradient), true},
    {"gradient, V#", "clear_gradient", CLEAR_SPREAD, CODE(clear_gradient_buffer), true},
    {"weave", "clear_weave", CLEAR_SPREAD, CODE(clear_weave), true},
    {"weave, V#", "clear_weave", CLEAR_SPREAD, CODE(clear_weave_buffer), true},
    {"but a tenth", "clear_scatter", CLEAR_SPREAD, CODE(clear_scatter), false, marks},
    {"but a tenth, V#", "clear_scatter", CLEAR_SPREAD, CODE(clear_scatter_buffer), false, marks},
};

/* Small copies. That all of the range is stored follows from the first two programs, but not from the third, whose condition no trace knows. The
 * last words are lanes' of which some have none. */
enum { COPIES_BY_COUNT, COPIES_WITHIN, COPIES_NEW, COPIES_BY_DATA, COPIES_KINDS };
static const struct copies {
    const char *name;
    struct program program;
    bool marks, moves; /* moves: each frame's go elsewhere, and none was seen before */
    const char *why;   /* what is known of its cost; NULL: nothing */
} copies[COPIES_KINDS] = {
    [COPIES_BY_COUNT] = {"lanes below a count", CODE(copy_by_count), false, false},
    [COPIES_WITHIN] = {"last lanes kept within", CODE(copy_within), false, false},
    [COPIES_NEW] = {"none seen before", CODE(copy_by_count), false, true, "a trace is made of each (record 0240)"},
    [COPIES_BY_DATA] = {"as data says", CODE(copy_by_data), true, false, marks},
};

/* ---- a GPU with what the streams need ---- */

struct side {
    struct tf_gpu *gpu;
    struct tf_queue *queue;
    uint64_t code, target, source, stream;
    struct stream words;
};

static void check(enum tf_status status, const struct tf_error *error)
{
    if (status == TF_OK)
        return;
    fprintf(stderr, "bench: %s\n", error->text);
    exit(1);
}

static void log_line(void *user, enum tf_log_level level, const char *text)
{
    (void)user;
    if (level != TF_LOG_INFO)
        fprintf(stderr, "%s\n", text);
}

/* False: the device does not have memory that way. */
static bool open_side(struct side *side, const char *device, const char *memory)
{
    const struct tf_gpu_options options = {.size = sizeof options,
                                           .chip = "gfx1030",
                                           .log = log_line,
                                           .device = device,
                                           .memory = memory,
                                           .cache = "",
                                           .memory_told = true,
                                           .queue_deterministic = strcmp(device, "cpu") != 0}; /* pipelines are waited for */
    struct tf_error error;
    *side = (struct side){0};
    if (tf_gpu_create(&options, &side->gpu, &error) != TF_OK) {
        printf("%s memory: %s\n", memory ? memory : "any", error.text);
        return false;
    }
    check(tf_memory_alloc(side->gpu, CODE_BYTES, 0, &side->code, &error), &error);
    check(tf_memory_alloc(side->gpu, TARGET_BYTES, 0, &side->target, &error), &error);
    check(tf_memory_alloc(side->gpu, TARGET_BYTES, 0, &side->source, &error), &error);
    check(tf_memory_alloc(side->gpu, STREAM_BYTES, 0, &side->stream, &error), &error);
    check(tf_queue_create(side->gpu, TF_QUEUE_COMPUTE, NULL, &side->queue, &error), &error);
    side->words.words = tf_memory_pointer(side->gpu, side->stream, STREAM_BYTES);
    return true;
}

static void close_side(struct side *side)
{
    tf_queue_destroy(side->queue, -1);
    tf_gpu_destroy(side->gpu);
}

static void fill_words(struct side *side, uint64_t address, uint32_t first, uint32_t step)
{
    struct tf_error error;
    check(tf_memory_acquire(side->gpu, address, TARGET_BYTES, &error), &error);
    uint32_t *words = tf_memory_pointer(side->gpu, address, TARGET_BYTES);
    for (uint32_t n = 0; n < WIDTH * HEIGHT; n++)
        words[n] = first + n * step;
    tf_memory_changed(side->gpu, address, TARGET_BYTES);
}

static const uint32_t *look(struct side *side, uint64_t address)
{
    struct tf_error error;
    check(tf_memory_acquire(side->gpu, address, TARGET_BYTES, &error), &error);
    return tf_memory_pointer(side->gpu, address, TARGET_BYTES);
}

static void put_code(struct side *side, uint64_t at, struct program program)
{
    memcpy(tf_memory_pointer(side->gpu, at, program.bytes), program.code, program.bytes);
    tf_memory_changed(side->gpu, at, program.bytes);
}

static void put_clear(struct side *side, const struct clear *clear)
{
    put_code(side, side->code, clear->program);
    side->words.count = 0;
    clear_put(&side->words, side->code, side->target, WIDTH, HEIGHT, TARGET_BYTES, clear->word);
}

static void run(struct side *side)
{
    stream_run(side->queue, side->stream, &side->words);
}

/* ---- figures ---- */

/* Of the process where the device is the host's own cores, which others may use as well. */
static clockid_t clock_used = CLOCK_MONOTONIC;

static double now(void)
{
    struct timespec t;
    clock_gettime(clock_used, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double run_frames(struct side *side, unsigned frames)
{
    double start = now();
    for (unsigned n = 0; n < frames; n++)
        run(side);
    return (now() - start) / frames;
}

static double run_native(struct native *native, const struct native_kernel *kernel, unsigned frames)
{
    double start = now();
    for (unsigned n = 0; n < frames; n++)
        native_run(native, kernel);
    return (now() - start) / frames;
}

/* Clocks of devices follow what they have to do. */
static void warm_up(struct native *native, const struct native_kernel *kernel)
{
    static const double long_enough = 0.3;
    for (double start = now(); clock_used == CLOCK_MONOTONIC && now() - start < long_enough;)
        native_run(native, kernel);
}

static double least(double a, double b)
{
    return a < b ? a : b;
}

/* A count of the report's copies; 0 where the device works in place. */
struct counts {
    double uploaded, checked, masked, filled, dispatches, elsewhere;
};

static double number(const cJSON *object, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    return item ? cJSON_GetNumberValue(item) : 0;
}

static struct counts count(struct side *side)
{
    char *text = tf_gpu_report(side->gpu);
    cJSON *root = cJSON_Parse(text);
    const cJSON *moved = cJSON_GetObjectItemCaseSensitive(root, "copies"), *item;
    struct counts counts = {.uploaded = number(moved, "uploaded"),
                            .checked = number(moved, "checked"),
                            .masked = number(moved, "masked"),
                            .filled = number(moved, "filled")};
    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(root, "on_cpu")) counts.elsewhere += number(item, "times");
    cJSON_Delete(root);
    free(text);
    return counts;
}

struct total {
    unsigned wrong, missed;
};

struct bench {
    struct native *native;
    struct side cpu;
    const char *folder, *device, *memory;
    unsigned frames;
    struct total total;
};

static const char *verdict(struct total *total, bool met)
{
    total->missed += !met;
    return met ? "met" : "MISS";
}

static void print_why(bool missed, const char *why)
{
    if (missed)
        printf("    why: %s\n", why ? why : "not known");
}

/* ---- clears ---- */

/* guest / fill of what stores all of its target. */
static const double fill_goal = 1.5;

/* What of a shader's stores costs more than the device's own fill is seen by native's. */
static void print_clear_whys(const struct clear *clear, double native, double filled, double guest)
{
    print_why(guest > native, clear->why);
    if (clear->covers && guest > fill_goal * filled)
        printf("    why: a shader's stores are slower, native takes %.2f times as long as the fill\n", native / filled);
}

static void run_clear(struct bench *bench, struct side *side, const struct clear *clear)
{
    const uint32_t groups[2] = {WIDTH / CLEAR_SIDE, HEIGHT / CLEAR_SIDE};
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.spv", bench->folder, clear->native);
    struct native_kernel *kernel = native_kernel_create(bench->native, path, 0, clear->word, groups, 1),
                         *fill = native_fill_create(bench->native, clear->word, TARGET_BYTES);
    struct side *const sides[] = {&bench->cpu, side};
    for (unsigned n = 0; n < 2; n++) {
        fill_words(sides[n], sides[n]->target, PATTERN, 1);
        put_clear(sides[n], clear);
    }
    run(&bench->cpu);
    const struct counts before = count(side);
    double native = 1e9, filled = 1e9, guest = 1e9;
    run(side);
    warm_up(bench->native, kernel);
    for (unsigned batch = 0; batch < BATCHES; batch++) {
        filled = least(filled, run_native(bench->native, fill, bench->frames));
        native = least(native, run_native(bench->native, kernel, bench->frames));
        guest = least(guest, run_frames(side, bench->frames));
    }
    const struct counts after = count(side);
    bool right = !memcmp(look(&bench->cpu, bench->cpu.target), look(side, side->target), TARGET_BYTES),
         there = after.elsewhere == before.elsewhere,
         unread = after.uploaded == before.uploaded && after.checked == before.checked;
    printf("%-16s native %8.3f ms  fill %8.3f ms  guest %8.3f ms  native/guest %6.2f goal 1.00 %-4s", clear->name, native * 1e3,
           filled * 1e3, guest * 1e3, native / guest, verdict(&bench->total, guest <= native));
    if (clear->covers)
        printf("  guest/fill %6.2f goal %4.2f %-4s", guest / filled, fill_goal,
               verdict(&bench->total, guest <= fill_goal * filled));
    else
        printf("  guest/fill %6.2f               ", guest / filled);
    printf("  %s%s%s%s%s\n", right ? "right" : "WRONG", there ? "" : ", and NOT RUN ON THE DEVICE",
           unread ? ", nothing read" : ", GUEST MEMORY WAS READ", after.filled > before.filled ? ", filled" : "",
           after.masked > before.masked ? ", masked" : "");
    print_clear_whys(clear, native, filled, guest);
    fflush(stdout);
    bench->total.wrong += !right || !there || !unread;
    native_kernel_destroy(bench->native, kernel);
    native_kernel_destroy(bench->native, fill);
}

/* ---- small copies ---- */

enum { COPIES = 1000, SIZES = 9, GROUP_WORDS = 64, SHORT_BY = 3 /* words */, COPY_CODE = 256 /* bytes */ };
enum { COPY_BATCHES = 21, MOVES = 1024 };

/* Each of 61 to 16381 words, one behind the other but for what they are short by; `moved` words further on. */
static void put_copies(struct side *side, unsigned kind, uint32_t moved)
{
    uint64_t at = 0;
    side->words.count = 0;
    stream_put_program(&side->words, side->code + (1 + kind) * (uint64_t)COPY_CODE, CLEAR_RSRC1, CLEAR_RSRC2, GROUP_WORDS, 1);
    for (unsigned n = 0; n < COPIES; n++) {
        const uint32_t groups = 1u << n % SIZES, room = groups * GROUP_WORDS, words = room - SHORT_BY;
        const uint64_t to = side->target + at + moved * sizeof(uint32_t), from = side->source + at;
        const uint32_t user[] = {(uint32_t)to, (uint32_t)(to >> 32),     (uint32_t)from, (uint32_t)(from >> 32),
                                 words,        PATTERN /* in no word */, words - 1};
        stream_put_user_data(&side->words, sizeof user / sizeof *user, user);
        stream_put_dispatch(&side->words, groups, 1, STREAM_WAVE32);
        at += room * sizeof(uint32_t);
    }
}

/* A frame whose results stay on the device, or are looked at. */
static double run_copies(struct side *side, unsigned kind, uint32_t moved, bool looked_at)
{
    put_copies(side, kind, moved);
    double start = now();
    run(side);
    if (looked_at)
        look(side, side->target);
    return now() - start;
}

static bool copies_right(struct bench *bench, struct side *side, unsigned kind)
{
    struct side *const sides[] = {&bench->cpu, side};
    for (unsigned n = 0; n < 2; n++) {
        fill_words(sides[n], sides[n]->target, PATTERN, 1);
        put_code(sides[n], sides[n]->code + (1 + kind) * (uint64_t)COPY_CODE, copies[kind].program);
        run_copies(sides[n], kind, 0, true);
    }
    return !memcmp(look(&bench->cpu, bench->cpu.target), look(side, side->target), TARGET_BYTES);
}

static int by_value(const void *a, const void *b)
{
    const double *one = a, *other = b;
    return *one < *other ? -1 : *one > *other;
}

static double median(double *values)
{
    qsort(values, COPY_BATCHES, sizeof *values, by_value);
    return values[COPY_BATCHES / 2];
}

/* All kinds in turn, each compared with the first of the same turn. */
static void run_small_copies(struct bench *bench, struct side *side, bool looked_at)
{
    double seconds[COPIES_KINDS][COPY_BATCHES], cost[COPIES_KINDS][COPY_BATCHES];
    static uint32_t moved;
    for (unsigned kind = 0; kind < COPIES_KINDS; kind++)
        run_copies(side, kind, 0, looked_at);
    for (unsigned batch = 0; batch < COPY_BATCHES; batch++)
        for (unsigned kind = 0; kind < COPIES_KINDS; kind++) {
            const double before = count(side).masked;
            seconds[kind][batch] = run_copies(side, kind, copies[kind].moves ? ++moved % MOVES : 0, looked_at);
            cost[kind][batch] = (seconds[kind][batch] / seconds[0][batch] - 1) * 100;
            bench->total.wrong += (count(side).masked > before) != copies[kind].marks;
        }
    for (unsigned kind = 0; kind < COPIES_KINDS; kind++) {
        const double middle = median(cost[kind]);
        printf("%d copies, %-16s %-24s %8.3f ms", COPIES, looked_at ? "read each frame" : "kept", copies[kind].name,
               median(seconds[kind]) * 1e3);
        printf(kind ? "  cost %6.1f %%  goal 2.0 %% %-4s" : "                             ", middle,
               kind ? verdict(&bench->total, middle <= 2) : "");
        printf("  %s\n", copies[kind].marks ? "marked" : "no mask");
        print_why(kind && middle > 2, copies[kind].why);
    }
    fflush(stdout);
}

static void run_memory(struct bench *bench, const char *memory)
{
    struct side side;
    if (!open_side(&side, bench->device, memory))
        return;
    printf("%s memory\n", memory);
    for (size_t n = 0; n < sizeof clears / sizeof *clears; n++)
        run_clear(bench, &side, &clears[n]);
    if (!strcmp(memory, "mirrored")) {
        fill_words(&bench->cpu, bench->cpu.source, 1, 3);
        fill_words(&side, side.source, 1, 3);
        bool right = true;
        for (unsigned kind = 0; kind < COPIES_KINDS; kind++)
            right = copies_right(bench, &side, kind) && right;
        printf("small copies %s\n", right ? "right" : "WRONG");
        bench->total.wrong += !right;
        run_small_copies(bench, &side, false);
        run_small_copies(bench, &side, true);
    }
    close_side(&side);
}

static int usage(int status)
{
    printf("usage: tenfold-bench-clear DIR FRAMES [--device vulkan[:N|:NAME]] [--memory shared|mirrored]\n"
           "  DIR holds the .spv files; `make bench` runs it. FRAMES: in a batch, of which the best of %d counts.\n",
           BATCHES);
    return status;
}

int main(int argc, char **argv)
{
    struct bench bench = {.device = "vulkan"};
    if (argc > 1 && !strcmp(argv[1], "--help"))
        return usage(0);
    if (argc < 3 || argc % 2 == 0)
        return usage(2);
    for (int n = 3; n < argc; n += 2)
        if (!strcmp(argv[n], "--device"))
            bench.device = argv[n + 1];
        else if (!strcmp(argv[n], "--memory"))
            bench.memory = argv[n + 1];
        else
            return usage(2);
    unsigned long frames = strtoul(argv[2], NULL, 10);
    const char *which = strchr(bench.device, ':');
    bench.folder = argv[1];
    bench.frames = frames ? (unsigned)frames : 1;
    bench.native = native_open(which ? which + 1 : NULL);
    native_allocate(bench.native, TARGET_BYTES);
    bool is_host = strstr(native_device(bench.native), "llvmpipe") != NULL;
    clock_used = is_host ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC;
    printf("clears through PM4 on %s%s\n", native_device(bench.native), is_host ? ", processor time" : "");
    if (!open_side(&bench.cpu, "cpu", NULL))
        return 1;
    static const char *const memories[] = {"shared", "mirrored"};
    for (unsigned n = 0; n < 2; n++)
        if (!bench.memory || !strcmp(bench.memory, memories[n]))
            run_memory(&bench, memories[n]);
    printf("%u results wrong, %u goals missed\n", bench.total.wrong, bench.total.missed);
    close_side(&bench.cpu);
    native_destroy(bench.native);
    return bench.total.wrong ? 1 : 0;
}
