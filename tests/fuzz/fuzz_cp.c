/* fuzz_cp: carries arbitrary command streams out on a small GPU whose device runs nothing: nothing outside its memory is
 * touched, every submission ends, and the ring ends when it is told to.
 *
 * The first byte chooses the ring (graphics, compute, SDMA); the rest are words, at guest address 0x200000, in 64 KiB that
 * they may read, write and call.
 *
 * Built for libFuzzer it searches; otherwise it runs the files, or the folders of files, that it is given. */
#include <stdlib.h>
#include <string.h>

#include "cp/cp.h"
#include "fuzz.h"

enum { BLOCK = 64 << 10, BLOCK_AT = 0x200000, READ_ONLY_AT = 0x300000, GDS_BYTES = 4096, PROGRAM_WORDS = 4 };

static const uint64_t longest_ns = 200000000;

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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t gds[GDS_BYTES];
    static const enum submit_ring rings[] = {SUBMIT_GRAPHICS, SUBMIT_COMPUTE, SUBMIT_SDMA};
    struct device device = {.functions = &functions};
    struct cp_options options = {
        .device = &device, .gds = gds, .gds_bytes = sizeof gds, .render_backends = 2, .timeout_s = 0.002, .clock = clock_zero};
    if (!size)
        return 0;
    map_memory();
    size_t bytes = (size - 1) / sizeof(uint32_t) * sizeof(uint32_t);
    bytes = bytes < BLOCK ? bytes : BLOCK;
    memset(memory.block, 0, BLOCK);
    memcpy(memory.block, data + 1, bytes);

    struct cp_gpu *gpu = cp_gpu_create(&options);
    require(gpu);
    struct cp_ring *ring = cp_ring_create(gpu, rings[data[0] % 3], "fuzz");
    require(ring);
    struct submit_range ib = {BLOCK_AT, (uint32_t)bytes};
    struct submit_request request = {.ibs = &ib, .ib_count = 1, .snapshot = mem_snapshot_acquire(memory.space)};
    struct submit_fence *done;
    require(cp_ring_submit(ring, &request, &done) == CP_SUBMITTED);
    cp_ring_destroy(ring, submit_deadline(longest_ns));
    require(submit_fence_look(done) != SUBMIT_FENCE_PENDING);
    submit_fence_release(done);
    cp_gpu_destroy(gpu);
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
