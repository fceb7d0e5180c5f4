/* fuzz_cp: carries arbitrary command streams out on a small GPU: nothing outside its memory is touched, every submission ends,
 * and the ring ends when it is told to.
 *
 * The first byte chooses the ring (graphics, compute, SDMA) and, from 3 on, the device: one that prepares ahead and runs
 * nothing, or the host's cores, on which the dispatches' programs run. The rest are words, at guest address 0x200000, in 64 KiB
 * that they may read, write, call and run.
 *
 * Built for libFuzzer it searches; otherwise it runs the files, or the folders of files, that it is given. */
#include <stdlib.h>
#include <string.h>

#include "cp/cp.h"
#include "fuzz.h"
#include "image/image_view.h"

enum { BLOCK = 64 << 10, BLOCK_AT = 0x200000, READ_ONLY_AT = 0x300000, GDS_BYTES = 4096, PROGRAM_WORDS = 4, RINGS = 3 };

static const uint64_t longest_ns = 200000000;
static const double timeout_s = 0.002;

static void require(bool condition)
{
    if (!condition)
        abort();
}

/* ---- a device that prepares and runs nothing ---- */

struct device_prepared {
    uint32_t words[PROGRAM_WORDS];
};

static struct device_prepared *prepare(struct device *device, struct device_dispatch *dispatch,
                                       const struct device_reader *reader, struct base_error *error)
{
    struct device_prepared *prepared = calloc(1, sizeof *prepared);
    (void)device;
    require(prepared);
    uint64_t threads = (uint64_t)dispatch->registers.threads[0] * dispatch->registers.threads[1] * dispatch->registers.threads[2];
    require(threads >= 1 && threads <= 1024 && dispatch->registers.lds_bytes <= 65536);
    for (unsigned n = 0; n < 3; n++)
        require(dispatch->registers.groups[n] && dispatch->registers.last_threads[n] >= 1 &&
                dispatch->registers.last_threads[n] <= dispatch->registers.threads[n]);
    if (reader->read(reader->user, dispatch->registers.program, prepared->words, sizeof prepared->words))
        return prepared;
    free(prepared);
    base_error_set(error, "no program");
    return NULL;
}

static bool run(struct device *device, struct device_prepared *prepared, struct device_result *result)
{
    (void)device;
    free(prepared);
    *result = (struct device_result){.groups = 1, .waves = 1};
    return true;
}

static void drop(struct device *device, struct device_prepared *prepared)
{
    (void)device;
    free(prepared);
}

static const struct device_functions functions = {
    .name = "nothing", .prepares_ahead = true, .prepare = prepare, .run = run, .drop = drop};

static uint64_t clock_zero(void *user)
{
    (void)user;
    return 0;
}

/* ---- the host's cores ---- */

/* An engine of its own for each input: what was lowered for one says nothing of the next. */
struct cores {
    struct wave_memory memory;
    struct wave_cache *cache;
    struct wave_options options;
    struct wave_engine *engine;
    struct device *device;
};

/* ---- memory, once for the process ---- */

static struct memory {
    struct mem_space *space;
    uint8_t *block, *read_only;
} memory;

static void map_memory(void)
{
    struct base_error error;
    if (memory.space)
        return;
    memory.space = mem_space_create(UINT64_C(1) << 30, &error);
    memory.block = aligned_alloc(4096, BLOCK);
    memory.read_only = aligned_alloc(4096, BLOCK);
    require(memory.space && memory.block && memory.read_only);
    memset(memory.read_only, 0, BLOCK);
    require(mem_space_map(memory.space, BLOCK_AT, memory.block, BLOCK, true, &error));
    require(mem_space_map(memory.space, READ_ONLY_AT, memory.read_only, BLOCK, false, &error));
}

static enum wave_outcome find_run(void *user, uint64_t address, struct wave_run *run)
{
    (void)user;
    if (address < BLOCK_AT || address - BLOCK_AT >= BLOCK)
        return WAVE_UNMAPPED;
    *run = (struct wave_run){BLOCK_AT, BLOCK, memory.block, true, false};
    return WAVE_DONE;
}

static void start_cores(struct cores *cores)
{
    cores->memory = (struct wave_memory){.find = find_run};
    cores->options = (struct wave_options){.threads = 1, .timeout_s = timeout_s};
    cores->cache = wave_cache_create(isa_chip_by_name("gfx1030"), &cores->memory);
    require(cores->cache);
    cores->engine = wave_engine_create(cores->cache, &cores->options);
    require(cores->engine);
    cores->device = device_cpu_create(cores->engine);
    require(cores->device);
}

static void stop_cores(struct cores *cores)
{
    device_destroy(cores->device);
    wave_engine_destroy(cores->engine);
    wave_cache_destroy(cores->cache);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t gds[GDS_BYTES];
    static const enum submit_ring rings[RINGS] = {SUBMIT_GRAPHICS, SUBMIT_COMPUTE, SUBMIT_SDMA};
    struct device device = {.functions = &functions};
    struct cores cores = {0};
    if (!size)
        return 0;
    map_memory();
    bool runs = data[0] / RINGS % 2;
    if (runs)
        start_cores(&cores);
    struct cp_options options = {.device = runs ? cores.device : &device,
                                 .chip = ISA_GFX1030,
                                 .images = image_config_of(IMAGE_CHIP_NAVI21),
                                 .gds = gds,
                                 .gds_bytes = sizeof gds,
                                 .render_backends = 2,
                                 .timeout_s = timeout_s,
                                 .clock = clock_zero};
    size_t bytes = (size - 1) / sizeof(uint32_t) * sizeof(uint32_t);
    bytes = bytes < BLOCK ? bytes : BLOCK;
    memset(memory.block, 0, BLOCK);
    memcpy(memory.block, data + 1, bytes);

    struct cp_gpu *gpu = cp_gpu_create(&options);
    require(gpu);
    struct cp_ring *ring = cp_ring_create(gpu, rings[data[0] % RINGS], "fuzz");
    require(ring);
    struct submit_range ib = {BLOCK_AT, (uint32_t)bytes};
    struct submit_request request = {.ibs = &ib, .ib_count = 1, .snapshot = mem_snapshot_acquire(memory.space)};
    struct submit_fence *done;
    require(cp_ring_submit(ring, &request, &done) == CP_SUBMITTED);
    cp_ring_destroy(ring, submit_deadline(longest_ns));
    require(submit_fence_look(done) != SUBMIT_FENCE_PENDING);
    submit_fence_release(done);
    cp_gpu_destroy(gpu);
    if (runs)
        stop_cores(&cores);
    for (size_t n = 0; n < BLOCK; n++)
        require(memory.read_only[n] == 0);
    return 0;
}

#ifndef TENFOLD_LIBFUZZER
int main(int argc, char **argv)
{
    return fuzz_run_files(argc, argv);
}
#endif
