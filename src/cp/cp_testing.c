/* cp_testing: a small GPU for tests, and streams built by hand. */
#include "cp/cp_testing.h"
#include "image/image_view.h"

#include <stdio.h>
#include <stdlib.h>

static const uint64_t window_bytes = UINT64_C(1) << 32;

const struct testing_devices *testing_devices;

/* Assembled with llvm-mc for gfx1030; they say the same in wave32 and wave64. */
static const struct {
    uint32_t words[12];
} programs[] = {
    [STORE_IDS] = {{
        0x93040203,             /* s_mul_i32 s4, s3, s2 */
        0x4a020004,             /* v_add_nc_u32 v1, s4, v0 */
        0x34040282,             /* v_lshlrev_b32 v2, 2, v1 */
        0x4a060281,             /* v_add_nc_u32 v3, 1, v1 */
        0xdc708000, 0x00000302, /* global_store_dword v2, v3, s[0:1] */
        0xbf810000,             /* s_endpgm */
    }},
    [ADD_ONE] = {{
        0x93040203,             /* s_mul_i32 s4, s3, s2 */
        0x4a020004,             /* v_add_nc_u32 v1, s4, v0 */
        0x34040282,             /* v_lshlrev_b32 v2, 2, v1 */
        0xdc308000, 0x03000002, /* global_load_dword v3, v2, s[0:1] */
        0xbf8c3f70,             /* s_waitcnt vmcnt(0) */
        0x4a060681,             /* v_add_nc_u32 v3, 1, v3 */
        0xdc708000, 0x00000302, /* global_store_dword v2, v3, s[0:1] */
        0xbf810000,             /* s_endpgm */
    }},
    [COUNT] = {{
        0x7e000280,             /* v_mov_b32 v0, 0 */
        0x7e020281,             /* v_mov_b32 v1, 1 */
        0xdcc88000, 0x00000100, /* global_atomic_add v0, v1, s[0:1] */
        0xbf810000,             /* s_endpgm */
    }},
    [WAIT_WORD] = {{
        0xf4010100, 0xfa000000, /* s_load_dword s4, s[0:1], 0 glc */
        0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
        0xbf068004,             /* s_cmp_eq_u32 s4, 0 */
        0xbf85fffb,             /* s_cbranch_scc1 -5 */
        0xbf810000,             /* s_endpgm */
    }},
    [LOOP] = {{
        0xbf82ffff, /* s_branch -1 */
        0xbf810000, /* s_endpgm */
    }},
    [SCRATCH] = {{
        0x7e020204,             /* v_mov_b32 v1, s4 */
        0x8f058203,             /* s_lshl_b32 s5, s3, 2 */
        0x7e040205,             /* v_mov_b32 v2, s5 */
        0xdc708000, 0x00000102, /* global_store_dword v2, v1, s[0:1] */
        0xbf810000,             /* s_endpgm */
    }},
    [SHARE] = {{
        0xbefe03c1,             /* s_mov_b32 exec_lo, -1 */
        0xbeff0380,             /* s_mov_b32 exec_hi, 0 */
        0x7e100300,             /* v_mov_b32 v8, v0 */
        0xbefe04c1,             /* s_mov_b64 exec, -1 */
        0x34040082,             /* v_lshlrev_b32 v2, 2, v0 */
        0x4a061081,             /* v_add_nc_u32 v3, 1, v8 */
        0xdc708000, 0x00000302, /* global_store_dword v2, v3, s[0:1] */
        0xbf810000,             /* s_endpgm */
    }},
    [POINT] = {{
        0x34080083,             /* v_lshlrev_b32 v4, 3, v0 */
        0xdc348000, 0x02000004, /* global_load_dwordx2 v[2:3], v4, s[0:1] */
        0xbf8c3f70,             /* s_waitcnt vmcnt(0) */
        0xdc708000, 0x007d0002, /* global_store_dword v[2:3], v0, off */
        0xbf810000,             /* s_endpgm */
    }},
    [FOLLOW] = {{
        0xf4040100, 0xfa000000, /* s_load_dwordx2 s[4:5], s[0:1], 0x0 */
        0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
        0x7e000280,             /* v_mov_b32 v0, 0 */
        0x7e020281,             /* v_mov_b32 v1, 1 */
        0xdcc88000, 0x00040100, /* global_atomic_add v0, v1, s[4:5] */
        0xbf810000,             /* s_endpgm */
    }},
    [WILD] = {{
        0x34040082,             /* v_lshlrev_b32 v2, 2, v0 */
        0xdc708000, 0x00000002, /* global_store_dword v2, v0, s[0:1] */
        0xbf810000,             /* s_endpgm */
    }},
};

/* How the cache reads instructions outside a dispatch. */
static enum wave_outcome find_run(void *user, uint64_t address, struct wave_run *run)
{
    struct testing_gpu *gpu = user;
    if (address < gpu->base || address - gpu->base >= TESTING_BYTES)
        return WAVE_UNMAPPED;
    *run = (struct wave_run){gpu->base, TESTING_BYTES, gpu->host, true, false};
    return WAVE_DONE;
}

static uint64_t tick(void *user)
{
    struct testing_gpu *gpu = user;
    return __atomic_add_fetch(&gpu->ticks, 1, __ATOMIC_RELAXED);
}

static void keep_line(void *user, bool serious, const char *text)
{
    struct testing_gpu *gpu = user;
    char *log = serious ? gpu->log : gpu->notes;
    pthread_mutex_lock(&gpu->lock);
    size_t used = strlen(log);
    snprintf(log + used, TESTING_LOG - used, "%s\n", text);
    gpu->lines += serious;
    pthread_mutex_unlock(&gpu->lock);
}

struct testing_gpu *testing_gpu_create(bool mirrored, double timeout_s)
{
    struct base_error error;
    struct testing_gpu *gpu = calloc(1, sizeof *gpu);
    assert_non_null(gpu);
    pthread_mutex_init(&gpu->lock, NULL);
    gpu->space = mem_space_create(window_bytes, &error);
    assert_non_null(gpu->space);
    if (testing_devices)
        mem_space_name_origins(gpu->space);
    assert_true(mem_space_alloc(gpu->space, TESTING_BYTES, 4096, NULL, 0, &gpu->base, &error));
    gpu->host = mem_space_pointer(gpu->space, gpu->base, TESTING_BYTES);
    gpu->memory = (struct wave_memory){.user = gpu, .find = find_run};
    gpu->cache = wave_cache_create(isa_chip_by_name("gfx1030"), &gpu->memory);
    gpu->options = (struct wave_options){.threads = 2, .timeout_s = timeout_s};
    gpu->engine = wave_engine_create(gpu->cache, &gpu->options);
    gpu->device = mirrored          ? mirror_create(gpu->engine, true)
                  : testing_devices ? testing_devices->create(gpu)
                                    : device_cpu_create(gpu->engine);
    gpu->is_foreign = !mirrored && testing_devices;
    struct cp_options options = {
        .device = gpu->device,
        .chip = isa_chip_by_name("gfx1030"),
        .images = image_config_of(IMAGE_CHIP_NAVI21),
        .gds = gpu->gds,
        .gds_bytes = sizeof gpu->gds,
        .render_backends = 4,
        .timeout_s = timeout_s,
        .clock = tick,
        .clock_user = gpu,
        .log = keep_line,
        .log_user = gpu,
    };
    gpu->cp = cp_gpu_create(&options);
    assert_non_null(gpu->cp);
    return gpu;
}

void testing_gpu_destroy(struct testing_gpu *gpu)
{
    cp_gpu_destroy(gpu->cp);
    if (gpu->is_foreign)
        testing_devices->destroy(gpu);
    else
        device_destroy(gpu->device);
    wave_engine_destroy(gpu->engine);
    wave_cache_destroy(gpu->cache);
    mem_space_destroy(gpu->space);
    pthread_mutex_destroy(&gpu->lock);
    free(gpu);
}

struct testing_stream testing_stream_begin(struct testing_gpu *gpu, uint32_t at)
{
    return (struct testing_stream){gpu, at, testing_words(gpu, at), 0};
}

void testing_put(struct testing_stream *stream, uint32_t word)
{
    stream->words[stream->count++] = word;
}

void testing_put_address(struct testing_stream *stream, uint64_t address)
{
    testing_put(stream, (uint32_t)address);
    testing_put(stream, (uint32_t)(address >> 32));
}

static void put_header(struct testing_stream *stream, unsigned opcode, unsigned count)
{
    testing_put(stream, 3u << 30 | ((count - 1) & 0x3fff) << 16 | opcode << 8);
}

void testing_packet(struct testing_stream *stream, enum pm4_packet_id id, unsigned count, ...)
{
    va_list args;
    put_header(stream, pm4_row(id)->opcode, count);
    va_start(args, count);
    for (unsigned n = 0; n < count; n++)
        testing_put(stream, va_arg(args, uint32_t));
    va_end(args);
}

void testing_set(struct testing_stream *stream, uint32_t offset, unsigned count, ...)
{
    static const enum pm4_packet_id setters[] = {
        [PM4_SPACE_CONTEXT] = PM4_SET_CONTEXT_REG, [PM4_SPACE_SH] = PM4_SET_SH_REG, [PM4_SPACE_UCONFIG] = PM4_SET_UCONFIG_REG};
    enum pm4_space space = offset >= PM4_UCONFIG_FIRST   ? PM4_SPACE_UCONFIG
                           : offset >= PM4_CONTEXT_FIRST ? PM4_SPACE_CONTEXT
                                                         : PM4_SPACE_SH;
    va_list args;
    put_header(stream, pm4_row(setters[space])->opcode, count + 1);
    testing_put(stream, offset - pm4_space_place(space).first);
    va_start(args, count);
    for (unsigned n = 0; n < count; n++)
        testing_put(stream, va_arg(args, uint32_t));
    va_end(args);
}

uint64_t testing_code(struct testing_gpu *gpu, enum testing_program program)
{
    uint32_t at = AT_CODE + 256 * (uint32_t)program;
    memcpy(gpu->host + at, programs[program].words, sizeof programs[program].words);
    return gpu->base + at;
}

void testing_use(struct testing_stream *stream, enum testing_program program, uint64_t address, uint32_t threads)
{
    enum { VGPRS_8 = 1, FLOAT_MODE = 0xc0 << 12, USER_SGPRS_3 = 3 << 1, TGID_X = 1 << 7 };
    uint64_t code = testing_code(stream->gpu, program);
    testing_set(stream, PM4_REG_COMPUTE_PGM_LO, 2, (uint32_t)(code >> 8), (uint32_t)(code >> 40));
    testing_set(stream, PM4_REG_COMPUTE_PGM_RSRC1, 2, (uint32_t)(VGPRS_8 | FLOAT_MODE), (uint32_t)(USER_SGPRS_3 | TGID_X));
    testing_set(stream, PM4_REG_COMPUTE_NUM_THREAD_X, 3, threads, 1u, 1u);
    testing_set(stream, PM4_REG_COMPUTE_USER_DATA_0, 3, (uint32_t)address, (uint32_t)(address >> 32), threads & 0xffff);
}

void testing_dispatch(struct testing_stream *stream, uint32_t groups)
{
    enum { COMPUTE_SHADER_EN = 1 << 0, FORCE_START_AT_000 = 1 << 2 };
    testing_packet(stream, PM4_DISPATCH_DIRECT, 4, groups, 1u, 1u, (uint32_t)(COMPUTE_SHADER_EN | FORCE_START_AT_000));
}

struct submit_fence *testing_submit(struct cp_ring *ring, const struct testing_stream *stream)
{
    struct submit_range ib = {stream->gpu->base + stream->at, stream->count * (uint32_t)sizeof(uint32_t)};
    struct submit_request request = {.ibs = &ib, .ib_count = 1, .snapshot = mem_snapshot_acquire(stream->gpu->space)};
    struct submit_fence *done = NULL;
    cp_ring_submit(ring, &request, &done);
    return done;
}

enum submit_fence_state testing_run(struct cp_ring *ring, const struct testing_stream *stream)
{
    struct submit_fence *done = testing_submit(ring, stream);
    if (!done)
        return SUBMIT_FENCE_LOST;
    submit_fence_wait(&done, 1, true, SUBMIT_FOREVER, NULL);
    enum submit_fence_state state = submit_fence_look(done);
    submit_fence_release(done);
    return state;
}

static int set_up_ring(void **state, enum submit_ring kind)
{
    struct testing_ring *f = calloc(1, sizeof *f);
    f->gpu = testing_gpu_create(false, 5);
    f->ring = cp_ring_create(f->gpu->cp, kind, "test");
    f->stream = testing_stream_begin(f->gpu, AT_STREAM);
    *state = f;
    return 0;
}

int testing_graphics_ring(void **state)
{
    return set_up_ring(state, SUBMIT_GRAPHICS);
}

int testing_compute_ring(void **state)
{
    return set_up_ring(state, SUBMIT_COMPUTE);
}

int testing_sdma_ring(void **state)
{
    return set_up_ring(state, SUBMIT_SDMA);
}

int testing_ring_tear_down(void **state)
{
    struct testing_ring *f = *state;
    cp_ring_destroy(f->ring, 0);
    testing_gpu_destroy(f->gpu);
    free(f);
    return 0;
}

void testing_ring_run(struct testing_ring *f)
{
    enum submit_fence_state state = testing_run(f->ring, &f->stream);
    assert_string_equal(f->gpu->log, "");
    assert_int_equal(state, SUBMIT_FENCE_DONE);
    assert_false(cp_gpu_failed(f->gpu->cp));
}

void testing_write(struct testing_stream *stream, uint64_t address, uint32_t value)
{
    testing_packet(stream, PM4_WRITE_DATA, 4, (uint32_t)(PM4_V_WRITE_DST_MEM << 8 | 1 << 20), low(address), high(address), value);
}
