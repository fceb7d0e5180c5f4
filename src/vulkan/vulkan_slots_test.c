/* Slots, windows and preloads as dispatches meet them: what lies outside is found all the same, and nothing happens twice. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lower/lower.h"
#include "spirv/spirv_layout.h"
#include "vulkan/vulkan_dispatch.h"

enum { MEMORY_BYTES = 1 << 20, AT_CODE = 0x1000, AT_DATA = 0x8000, THREADS = 64, GROUPS = 4, WORDS = THREADS * GROUPS };

/* Where a program's literal is the distance between the two parts of memory. */
#define DISTANCE 0x11223344

/* Assembled with llvm-mc for gfx1030. s[0:1]: an address; s2: threads of a group; s3: the group. Lanes of odd numbers reach the distant part. */
static const uint32_t add_one[] = {
    0x93040203,             /* s_mul_i32 s4, s3, s2 */
    0x4a020004,             /* v_add_nc_u32 v1, s4, v0 */
    0x36080281,             /* v_and_b32 v4, 1, v1 */
    0x34040282,             /* v_lshlrev_b32 v2, 2, v1 */
    0xbe8503ff, DISTANCE,   /* s_mov_b32 s5, distance */
    0xd5690004, 0x00000b04, /* v_mul_lo_u32 v4, v4, s5 */
    0x4a040902,             /* v_add_nc_u32 v2, v2, v4 */
    0xdc308000, 0x03000002, /* global_load_dword v3, v2, s[0:1] */
    0xbf8c3f70,             /* s_waitcnt vmcnt(0) */
    0x4a060681,             /* v_add_nc_u32 v3, 1, v3 */
    0xdc708000, 0x00000302, /* global_store_dword v2, v3, s[0:1] */
    0xbf810000,             /* s_endpgm */
};
/* The address holds another one, where a pointer's second word is to be found, and the words behind it are written. */
static const uint32_t follow[] = {
    0x93040203,             /* s_mul_i32 s4, s3, s2 */
    0x4a020004,             /* v_add_nc_u32 v1, s4, v0 */
    0x34040282,             /* v_lshlrev_b32 v2, 2, v1 */
    0xf4040180, 0xfa000000, /* s_load_dwordx2 s[6:7], s[0:1], 0x0 */
    0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
    0xf4000203, 0xfa000004, /* s_load_dword s8, s[6:7], 0x4 */
    0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
    0x7e060208,             /* v_mov_b32 v3, s8 */
    0xdc708008, 0x00060302, /* global_store_dword v2, v3, s[6:7] offset:8 */
    0xbf810000,             /* s_endpgm */
};
/* Each lane gives its neighbour what it found, in odd lanes of all groups but the first in the distant part. */
static const uint32_t exchange[] = {
    0x93040203,             /* s_mul_i32 s4, s3, s2 */
    0x4a020004,             /* v_add_nc_u32 v1, s4, v0 */
    0x36080281,             /* v_and_b32 v4, 1, v1 */
    0x34040282,             /* v_lshlrev_b32 v2, 2, v1 */
    0xbe8503ff, DISTANCE,   /* s_mov_b32 s5, distance */
    0x83868103,             /* s_min_u32 s6, s3, 1 */
    0x93050605,             /* s_mul_i32 s5, s5, s6 */
    0xd5690004, 0x00000b04, /* v_mul_lo_u32 v4, v4, s5 */
    0x4a0a0902,             /* v_add_nc_u32 v5, v2, v4 */
    0xdc308000, 0x03000005, /* global_load_dword v3, v5, s[0:1] */
    0x340c0082,             /* v_lshlrev_b32 v6, 2, v0 */
    0x3a0e0c84,             /* v_xor_b32 v7, 4, v6 */
    0xbf8c3f70,             /* s_waitcnt vmcnt(0) */
    0xd8340000, 0x00000306, /* ds_write_b32 v6, v3 */
    0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
    0xbf8a0000,             /* s_barrier */
    0xd8d80000, 0x08000007, /* ds_read_b32 v8, v7 */
    0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
    0x4a101081,             /* v_add_nc_u32 v8, 1, v8 */
    0xdc7087fc, 0x00000802, /* global_store_dword v2, v8, s[0:1] offset:2044 */
    0xbf810000,             /* s_endpgm */
};

/* The address holds a buffer's descriptor; each lane stores its number there. */
static const uint32_t store_to_buffer[] = {
    0xf4080100, 0xfa000000, /* s_load_dwordx4 s[4:7], s[0:1], 0x0 */
    0x93080203,             /* s_mul_i32 s8, s3, s2 */
    0x4a020008,             /* v_add_nc_u32 v1, s8, v0 */
    0x34040282,             /* v_lshlrev_b32 v2, 2, v1 */
    0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
    0xe0701008, 0x80010102, /* buffer_store_dword v1, v2, s[4:7], 0 offen offset:8 */
    0xbf810000,             /* s_endpgm */
};

/* Stores 5, but for the first ten lanes. */
static const uint32_t store_five[] = {
    0x93040203,             /* s_mul_i32 s4, s3, s2 */
    0x4a020004,             /* v_add_nc_u32 v1, s4, v0 */
    0x34040282,             /* v_lshlrev_b32 v2, 2, v1 */
    0x7d820289,             /* v_cmp_lt_u32 vcc_lo, 9, v1 */
    0xbe863c6a,             /* s_and_saveexec_b32 s6, vcc_lo */
    0x7e060285,             /* v_mov_b32 v3, 5 */
    0xdc708000, 0x00000302, /* global_store_dword v2, v3, s[0:1] */
    0xbf810000,             /* s_endpgm */
};

struct fixture {
    struct mem_space *space;
    uint64_t near, far; /* two parts of memory with a hole between */
    struct vulkan_engine *engine;
    struct wave_result result;
};

static uint32_t *words_at(struct fixture *f, uint64_t address)
{
    return mem_space_pointer(f->space, address, WORDS * sizeof(uint32_t));
}

static int set_up(void **state)
{
    struct base_error why;
    struct vulkan_failure failure;
    struct fixture *f = test_calloc(1, sizeof *f);
    const struct vulkan_engine_options options = {.chip = isa_chip_by_name("gfx1030"), .cache = ""};
    assert_non_null(f->space = mem_space_create(UINT64_C(1) << 32, &why));
    assert_true(mem_space_alloc(f->space, MEMORY_BYTES, 4096, NULL, 0, &f->near, &why));
    assert_true(mem_space_alloc(f->space, MEMORY_BYTES, 4096, NULL, 0, &f->far, &why));
    if (f->far < f->near) {
        uint64_t far = f->far;
        f->far = f->near;
        f->near = far;
    }
    assert_true(f->far - f->near > MEMORY_BYTES);
    f->engine = vulkan_engine_create(&options, &failure);
    if (!f->engine)
        fail_msg("%s", failure.text);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    vulkan_engine_destroy(f->engine);
    mem_space_destroy(f->space);
    test_free(f);
    return 0;
}

/* With data at that address; leaves the result to be finished. */
static void run_at(struct fixture *f, const uint32_t *code, size_t count, uint64_t data, struct vulkan_program *ran)
{
    enum {
        VGPRS_16 = 1,
        FLOAT_MODE = 0xc0 << 12,
        USER_SGPRS_3 = 3 << 1,
        TGID_X = 1 << 7,
        LDS_BYTES = THREADS * sizeof(uint32_t)
    };
    static uint64_t epoch;
    uint32_t *to = mem_space_pointer(f->space, f->near + AT_CODE, count * sizeof *code);
    for (size_t n = 0; n < count; n++)
        to[n] = code[n] == DISTANCE ? (uint32_t)(f->far - f->near) : code[n];
    const struct wave_dispatch dispatch = {.program = f->near + AT_CODE,
                                           .rsrc1 = VGPRS_16 | FLOAT_MODE,
                                           .rsrc2 = USER_SGPRS_3 | TGID_X,
                                           .user_data = {(uint32_t)data, (uint32_t)(data >> 32), THREADS},
                                           .groups = {GROUPS, 1, 1},
                                           .threads = {THREADS, 1, 1},
                                           .last_threads = {THREADS, 1, 1},
                                           .lds_bytes = LDS_BYTES,
                                           .wave_size = 32,
                                           .code_epoch = ++epoch,
                                           .timeout_s = 20};
    struct vulkan_try try = {.patient = true};
    struct mem_snapshot *snapshot = mem_snapshot_acquire(f->space);
    if (!vulkan_engine_run(f->engine, snapshot, &dispatch, &try, &f->result))
        fail_msg("%s", try.reason);
    assert_int_not_equal(vulkan_program_module(try.program)->near_count, 0); /* what is tried here is there */
    *ran = *try.program;
    vulkan_engine_leave(f->engine, &dispatch, &try, &f->result, 0);
    mem_snapshot_release(snapshot);
}

static void run(struct fixture *f, const uint32_t *code, size_t count)
{
    struct vulkan_program ran;
    run_at(f, code, count, f->near + AT_DATA, &ran);
    assert_false(f->result.failed);
    wave_result_finish(&f->result);
}
#define RUN(f, code) run(f, code, sizeof(code) / sizeof *(code))

static void lanes_that_leave_their_window_run_again_and_no_lane_does_twice_what_it_does(void **state)
{
    struct fixture *f = *state;
    const uint32_t *near = words_at(f, f->near + AT_DATA), *far = words_at(f, f->far + AT_DATA);
    for (uint32_t times = 1; times <= 5; times++) { /* the last ones without a fast module, which too many missed */
        RUN(f, add_one);
        for (unsigned n = 0; n < WORDS; n++) {
            assert_int_equal(near[n], n % 2 ? 0 : times);
            assert_int_equal(far[n], n % 2 ? times : 0);
        }
    }
}

static void a_group_that_goes_in_step_does_all_or_nothing(void **state)
{
    enum { OUT_WORDS = 2044 / 4 };
    struct fixture *f = *state;
    uint32_t *near = words_at(f, f->near + AT_DATA), *far = words_at(f, f->far + AT_DATA);
    const uint32_t *out = words_at(f, f->near + AT_DATA) + OUT_WORDS;
    for (uint32_t n = 0; n < WORDS; n++) {
        near[n] = 1000 + n;
        far[n] = 2000 + n;
    }
    RUN(f, exchange);
    for (uint32_t n = 0; n < WORDS; n++) {
        uint32_t from = n ^ 1;
        bool distant = from % 2 && n >= THREADS;
        assert_int_equal(out[n], (distant ? 2000 : 1000) + from + 1);
    }
}

static void scalar_loads_are_followed_before_the_dispatch(void **state)
{
    struct fixture *f = *state;
    uint32_t *near = words_at(f, f->near + AT_DATA), *far = words_at(f, f->far + AT_DATA);
    memcpy(near, &(uint64_t){f->far + AT_DATA}, sizeof(uint64_t));
    far[1] = 0xabcdef01;
    RUN(f, follow);
    for (unsigned n = 0; n < WORDS; n++)
        assert_int_equal(far[2 + n], 0xabcdef01);
    far[1] = 7;
    RUN(f, follow);
    assert_int_equal(far[2], 7);
    assert_int_equal(far[1 + WORDS], 7);
}

static void lanes_are_looked_at_only_where_some_can_leave_the_memory(void **state)
{
    enum { FIRST = 10, INSIDE = WORDS / 2 };
    const size_t code_words = sizeof store_five / sizeof *store_five;
    struct fixture *f = *state;
    struct vulkan_program ran;
    uint64_t last = f->near + MEMORY_BYTES - WORDS * sizeof(uint32_t), half = f->near + MEMORY_BYTES - INSIDE * sizeof(uint32_t);
    const uint32_t *words = words_at(f, last);
    run_at(f, store_five, code_words, last, &ran); /* up to the memory's end */
    assert_false(f->result.failed);
    wave_result_finish(&f->result);
    assert_true(ran.near[VULKAN_CERTAIN].module && ran.near[VULKAN_CERTAIN].module->certain);
    assert_null(ran.near[0].module);
    for (uint32_t n = 0; n < WORDS; n++)
        assert_int_equal(words[n], n < FIRST ? 0 : 5);
    memset(words_at(f, last), 0, WORDS * sizeof(uint32_t));
    run_at(f, store_five, code_words, half, &ran);
    assert_true(f->result.failed);
    assert_int_equal(f->result.fault_count[WAVE_FAULT_UNMAPPED_WRITE], WORDS - INSIDE);
    wave_result_finish(&f->result);
    assert_non_null(ran.near[0].module);
    assert_false(ran.near[0].module->certain);
    for (uint32_t n = 0; n < INSIDE; n++) {
        assert_int_equal(words[n], 0);
        assert_int_equal(words[INSIDE + n], n < FIRST ? 0 : 5);
    }
}

/* A buffer of so many bytes, with these bits in its fourth word. */
static void check_buffer(struct fixture *f, uint32_t bytes, uint32_t fourth, uint32_t written)
{
    enum { SKIPPED = 2 };
    uint32_t *near = words_at(f, f->near + AT_DATA), *far = words_at(f, f->far + AT_DATA);
    const uint64_t to = f->far + AT_DATA;
    memcpy(near, (uint32_t[]){(uint32_t)to, (uint32_t)(to >> 32), bytes, fourth}, 4 * sizeof *near);
    memset(far, 0xee, (SKIPPED + WORDS + 1) * sizeof *far);
    RUN(f, store_to_buffer);
    for (uint32_t n = 0; n <= WORDS + SKIPPED; n++)
        assert_int_equal(far[n], n >= SKIPPED && n - SKIPPED < written ? n - SKIPPED : 0xeeeeeeee);
}

static void a_buffers_bounds_and_not_its_windows_say_which_offsets_store(void **state)
{
    enum { RAW = 3 << 28, EMPTY_ONLY = 2 << 28, DATA_32 = 20 << 12 };
    check_buffer(*state, (WORDS + 2) * sizeof(uint32_t), RAW | DATA_32, WORDS);
    check_buffer(*state, 100 * sizeof(uint32_t), RAW | DATA_32, 98);
    check_buffer(*state, 100 * sizeof(uint32_t) + 3, RAW | DATA_32, 98);
    check_buffer(*state, 0, RAW | DATA_32, 0);
    check_buffer(*state, (WORDS + 2) * sizeof(uint32_t), RAW, 0); /* no format: it is not bound */
    check_buffer(*state, 1, EMPTY_ONLY | DATA_32, WORDS);
}

/* ---- modules with their parameters by hand ---- */

/* (a * b + c) + a * b of three words a lane, behind which it goes. */
static const uint32_t chain[] = {
    0x34020084,             /* v_lshlrev_b32 v1, 4, v0 */
    0xdc3c8000, 0x02000001, /* global_load_dwordx3 v[2:4], v1, s[0:1] */
    0xbf8c3f70,             /* s_waitcnt vmcnt(0) */
    0x100a0702,             /* v_mul_f32 v5, v2, v3 */
    0x060c0905,             /* v_add_f32 v6, v5, v4 */
    0x060e0b06,             /* v_add_f32 v7, v6, v5 */
    0xdc70800c, 0x00000701, /* global_store_dword v1, v7, s[0:1] offset:12 */
    0xbf810000,             /* s_endpgm */
};

struct code {
    const uint32_t *words;
    size_t count;
};
#define CODE(name) (&(struct code){name, sizeof(name) / sizeof *(name)})

static size_t fetch(void *user, uint64_t pc, uint32_t *words, size_t count)
{
    const struct code *code = user;
    const size_t at = (size_t)pc / sizeof *words;
    size_t n = 0;
    for (; n < count && at + n < code->count; n++)
        words[n] = code->words[at + n];
    return n;
}

static struct spirv_module *translate(struct code *code, const struct spirv_options *options)
{
    const struct lower_config config = {.chip = isa_chip_by_name("gfx1030"), .wave_size = 32};
    const struct lower_fetch from = {code, fetch};
    char reason[SPIRV_REASON_SIZE];
    struct spirv_library *library = spirv_library_create();
    struct ir_func *func = lower_program(&config, &from, 0);
    struct spirv_module *module = spirv_module_create(library, func, options, reason);
    if (!module)
        fail_msg("%s", reason);
    ir_func_destroy(func);
    spirv_library_destroy(library);
    return module;
}

static struct spirv_options options_for(const struct vulkan_host *host)
{
    enum { USER_SGPRS_3 = 3 << 1, TGID_X = 1 << 7 };
    return (struct spirv_options){.subgroup = vulkan_host_facts(host)->subgroup,
                                  .waves = THREADS / 32,
                                  .mode = 0xf0,
                                  .rsrc2 = USER_SGPRS_3 | TGID_X,
                                  .alone = vulkan_host_facts(host)->group_invocations,
                                  .threads = {THREADS, 1, 1},
                                  .gfx10_3 = true,
                                  .full = true,
                                  .denormals = vulkan_host_facts(host)->denormals,
                                  .narrow = vulkan_host_facts(host)->narrow,
                                  .marks = true};
}

static struct vulkan_pipeline *make_marking(struct vulkan_host *host)
{
    const struct spirv_options options = options_for(host);
    struct spirv_module *module = translate(CODE(store_five), &options);
    assert_false(module->fast);
    assert_int_equal(module->slot_count, 1);
    assert_true(module->slots[0].stores && !module->slots[0].loads && module->slots[0].known);
    assert_int_equal(module->slots[0].base[0].kind, SPIRV_USER_DATA);
    assert_int_equal(module->reach_count, 1);
    assert_int_equal(module->reaches[0].slot, 0);
    assert_int_equal(module->merged, 4);
    struct vulkan_pipeline *pipeline = vulkan_pipeline_create(host, module->words, module->word_count, 1, NULL);
    assert_non_null(pipeline);
    spirv_module_destroy(module);
    return pipeline;
}

static void put_slot(uint32_t *slot, uint64_t start, uint32_t bytes, uint64_t device, uint64_t mask)
{
    memcpy(slot + SLOT_START, &start, sizeof start);
    memcpy(slot + SLOT_DEVICE, &device, sizeof device);
    memcpy(slot + SLOT_MASK, &mask, sizeof mask);
    slot[SLOT_BYTES] = bytes;
    slot[SLOT_FLAGS] = SLOT_WRITABLE | SLOT_MARKS | SLOT_ESCAPES;
}

static void the_mask_marks_what_was_stored_and_neither_lanes_that_rest_nor_stores_outside_mark_anything(void **state)
{
    enum { PARAM_BYTES = (P_RUNS + P_RUN_WORDS) * sizeof(uint32_t), FIRST = 10, END = 100, GUEST = 0x10000000 };
    struct fixture *f = *state;
    struct vulkan_host *host = vulkan_engine_host(f->engine);
    struct vulkan_buffer params = {0}, status = {0}, data = {0}, mask = {0};
    assert_true(vulkan_buffer_create(host, PARAM_BYTES, &params));
    assert_true(vulkan_buffer_create(host, STATUS_WORDS * sizeof(uint32_t), &status));
    assert_true(vulkan_buffer_create(host, (WORDS + 1) * sizeof(uint32_t), &data));
    assert_true(vulkan_buffer_create(host, WORDS + 1, &mask));
    memset(params.at, 0, PARAM_BYTES);
    memset(status.at, 0, STATUS_WORDS * sizeof(uint32_t));
    memset(data.at, 0, (WORDS + 1) * sizeof(uint32_t));
    memset(mask.at, 0, WORDS + 1);
    uint32_t *w = params.at;
    memcpy(w, (uint32_t[]){GUEST, 0, THREADS}, 3 * sizeof *w);
    w[P_BUDGET] = 1 << 20;
    w[P_FIRST_ROUNDS] = BUDGET_FIRST;
    w[P_ROUNDS] = 1 << 4;
    w[P_WAVES] = THREADS / 32;
    put_slot(w + P_SLOTS, GUEST, END * sizeof(uint32_t), data.address, mask.address);
    struct vulkan_run run = {.pipeline = make_marking(host), .buffers = {&params, &status}, .count = {GROUPS, 1, 1}, .merged = 4};
    run.told[TOLD_GRID] = GROUPS;
    run.told[TOLD_GRID + 1] = 1;
    assert_int_equal(vulkan_host_run(host, &run), VULKAN_DONE);
    for (uint32_t n = 0; n <= WORDS; n++) {
        assert_int_equal(((uint32_t *)data.at)[n], n >= FIRST && n < END ? 5 : 0);
        /* The one past the buffer: what did not land. */
        assert_int_equal(((uint8_t *)mask.at)[n], n >= FIRST && n <= END ? 1 : 0);
    }
    assert_int_equal(((uint32_t *)status.at)[STATUS_ESCAPED], 1);
    vulkan_pipeline_destroy(host, run.pipeline);
    vulkan_buffer_finish(host, &params);
    vulkan_buffer_finish(host, &status);
    vulkan_buffer_finish(host, &data);
    vulkan_buffer_finish(host, &mask);
}

/* As the guide has it: the first operand that is a NaN, made quiet. */
static uint32_t nan_of(uint32_t a, uint32_t b, uint32_t otherwise)
{
    enum { INFINITE = 0x7f800000, QUIET = 0x00400000 };
    return (a & INT32_MAX) > INFINITE ? a | QUIET : (b & INT32_MAX) > INFINITE ? b | QUIET : otherwise;
}

/* On a host that is said to flush as MODE does, so that only NaNs need a second look: all three operations have one, at the last. */
static void the_nan_of_a_chain_of_sums_and_products_is_the_first_ones(void **state)
{
    enum { PARAM_BYTES = (P_RUNS + P_RUN_WORDS) * sizeof(uint32_t), GUEST = 0x10000000, LANE_WORDS = 4, IEEE_FLUSHED = 0x2c0 };
    static const uint32_t values[] = {0x3f800000, 0x7fc00001, 0xffc00022, 0x7f800333,
                                      0xff804444}; /* 1, and NaNs, of which two signal */
    enum { VALUES = sizeof values / sizeof *values };
    struct fixture *f = *state;
    struct vulkan_host *host = vulkan_engine_host(f->engine);
    struct spirv_options options = options_for(host);
    struct vulkan_buffer params = {0}, status = {0}, data = {0};
    options.mode = IEEE_FLUSHED;
    options.denormals = SPIRV_DENORMALS_FLUSHED;
    options.alike = true;
    options.marks = false;
    struct spirv_module *module = translate(CODE(chain), &options);
    assert_true(module->alone);
    const size_t data_bytes = THREADS * LANE_WORDS * sizeof(uint32_t);
    assert_true(vulkan_buffer_create(host, PARAM_BYTES, &params));
    assert_true(vulkan_buffer_create(host, STATUS_WORDS * sizeof(uint32_t), &status));
    assert_true(vulkan_buffer_create(host, data_bytes, &data));
    memset(params.at, 0, PARAM_BYTES);
    memset(status.at, 0, STATUS_WORDS * sizeof(uint32_t));
    memset(data.at, 0, data_bytes);
    uint32_t *w = params.at, *lane = data.at;
    for (uint32_t n = 0; n < THREADS; n++)
        for (uint32_t k = 0, rest = n; k < 3; k++, rest /= VALUES)
            lane[n * LANE_WORDS + k] = values[rest % VALUES];
    memcpy(w, (uint32_t[]){GUEST, 0, THREADS}, 3 * sizeof *w);
    w[P_BUDGET] = 1 << 20;
    w[P_FIRST_ROUNDS] = BUDGET_FIRST;
    w[P_ROUNDS] = 1 << 4;
    w[P_WAVES] = THREADS / 32;
    put_slot(w + P_SLOTS, GUEST, (uint32_t)data_bytes, data.address, 0);
    w[P_SLOTS + SLOT_FLAGS] = SLOT_WRITABLE;
    struct vulkan_run run = {.pipeline = vulkan_pipeline_create(host, module->words, module->word_count, 1, NULL),
                             .buffers = {&params, &status},
                             .count = {1, 1, 1},
                             .merged = module->merged};
    run.told[TOLD_GRID] = 1;
    run.told[TOLD_GRID + 1] = 1;
    assert_int_equal(vulkan_host_run(host, &run), VULKAN_DONE);
    for (uint32_t n = 0; n < THREADS; n++) {
        const uint32_t *own = lane + n * LANE_WORDS, product = nan_of(own[0], own[1], 0x3f800000);
        const uint32_t sum = nan_of(product, own[2], 0x40000000);
        assert_int_equal(own[3], nan_of(sum, product, 0x40400000)); /* 1 * 1 + 1, and 1 * 1 */
    }
    vulkan_pipeline_destroy(host, run.pipeline);
    spirv_module_destroy(module);
    vulkan_buffer_finish(host, &params);
    vulkan_buffer_finish(host, &status);
    vulkan_buffer_finish(host, &data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(lanes_that_leave_their_window_run_again_and_no_lane_does_twice_what_it_does, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_group_that_goes_in_step_does_all_or_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(
            the_mask_marks_what_was_stored_and_neither_lanes_that_rest_nor_stores_outside_mark_anything, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_nan_of_a_chain_of_sums_and_products_is_the_first_ones, set_up, tear_down),
        cmocka_unit_test_setup_teardown(lanes_are_looked_at_only_where_some_can_leave_the_memory, set_up, tear_down),
        cmocka_unit_test_setup_teardown(scalar_loads_are_followed_before_the_dispatch, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_buffers_bounds_and_not_its_windows_say_which_offsets_store, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
