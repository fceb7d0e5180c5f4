/* What dispatches write, worked out ahead: ranges by descriptors and addresses, and reasons by name where there are none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "image/image_meta.h"
#include "image/image_view.h"
#include "submit/submit_reach.h"
#include "trace/trace.h"

enum { BYTES = 1 << 20, AT_CODE = 0, AT_TABLE = 0x4000 };

/* Words as LLVM's assembler makes them for gfx1030, wave32. s[0:1]: the table; s2: the group's id. */

/* Descriptor from the table. */
static const uint32_t store_image[] = {
    0xf40c0200, 0xfa000000, /* s_load_dwordx8 s[8:15], s[0:1], 0x0 */
    0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
    0x7e020280,             /* v_mov_b32_e32 v1, 0 */
    0x7e0402f2,             /* v_mov_b32_e32 v2, 1.0 */
    0xf0201108, 0x00020200, /* image_store v2, v[0:1], s[8:15] dmask:0x1 dim:SQ_RSRC_IMG_2D unorm */
    0xbf810000,             /* s_endpgm */
};

static const uint32_t store_image_mip[] = {
    0xf40c0200, 0xfa000000, /* s_load_dwordx8 s[8:15], s[0:1], 0x0 */
    0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
    0x7e020280,             /* v_mov_b32_e32 v1, 0 */
    0x7e0602f2,             /* v_mov_b32_e32 v3, 1.0 */
    0xf0241108, 0x00020300, /* image_store_mip v3, v[0:2], s[8:15] dmask:0x1 dim:SQ_RSRC_IMG_2D unorm */
    0xbf810000,             /* s_endpgm */
};

/* Low words of addresses from nowhere, high words from memory, clamped. */
static const uint32_t store_clamped[] = {
    0xbe8403ff, 0x00010000, /* s_mov_b32 s4, 0x10000 */
    0xbe8503ff, 0x00020000, /* s_mov_b32 s5, 0x20000 */
    0xdc308000, 0x01000000, /* global_load_dword v1, v0, s[0:1] */
    0xbf8c3f70,             /* s_waitcnt vmcnt(0) */
    0xd5590003, 0x00140901, /* v_med3_u32 v3, v1, s4, s5 */
    0xdc700000, 0x007d0002, /* flat_store_dword v[2:3], v0 */
    0xbf810000,             /* s_endpgm */
};

static const uint32_t store_flat[] = {
    0xdc348000, 0x02000000, /* global_load_dwordx2 v[2:3], v0, s[0:1] */
    0xbf8c3f70,             /* s_waitcnt vmcnt(0) */
    0xdc700000, 0x007d0002, /* flat_store_dword v[2:3], v0 */
    0xbf810000,             /* s_endpgm */
};

/* Clamped in a few lanes only, and stored by in all. */
static const uint32_t store_clamped_in_part[] = {
    0xbe8403ff, 0x00010000, /* s_mov_b32 s4, 0x10000 */
    0xbe8503ff, 0x00020000, /* s_mov_b32 s5, 0x20000 */
    0xdc348000, 0x02000000, /* global_load_dwordx2 v[2:3], v0, s[0:1] */
    0x7d880085,             /* v_cmp_gt_u32_e32 vcc_lo, 5, v0 */
    0xbf8c3f70,             /* s_waitcnt vmcnt(0) */
    0xbe863c6a,             /* s_and_saveexec_b32 s6, vcc_lo */
    0xd5590003, 0x00140903, /* v_med3_u32 v3, v3, s4, s5 */
    0xbefe0306,             /* s_mov_b32 exec_lo, s6 */
    0xdc700000, 0x007d0002, /* flat_store_dword v[2:3], v0 */
    0xbf810000,             /* s_endpgm */
};

static const uint32_t store_scratch[] = {
    0x34020082,             /* v_lshlrev_b32_e32 v1, 2, v0 */
    0xdc704000, 0x007d0001, /* scratch_store_dword v1, v0, off */
    0xbf810000,             /* s_endpgm */
};

static const uint32_t store_global[] = {
    0xdc348000, 0x02000000, /* global_load_dwordx2 v[2:3], v0, s[0:1] */
    0xbf8c3f70,             /* s_waitcnt vmcnt(0) */
    0xdc708000, 0x007d0002, /* global_store_dword v[2:3], v0, off */
    0xbf810000,             /* s_endpgm */
};

/* Follows pointers from memory, and stores through a buffer of the table at offsets from there. */
static const uint32_t store_buffer[] = {
    0xf4080200, 0xfa000000, /* s_load_dwordx4 s[8:11], s[0:1], 0x0 */
    0xdc348010, 0x02000000, /* global_load_dwordx2 v[2:3], v0, s[0:1] offset:16 */
    0xbf8c3f70,             /* s_waitcnt vmcnt(0) */
    0xdc308000, 0x047d0002, /* global_load_dword v4, v[2:3], off */
    0xbf8c0070,             /* s_waitcnt vmcnt(0) lgkmcnt(0) */
    0xe0701000, 0x80020004, /* buffer_store_dword v0, v4, s[8:11], 0 offen */
    0xbf810000,             /* s_endpgm */
};

/* The descriptor is what some lane loaded. */
static const uint32_t store_unresolved[] = {
    0xdc388000, 0x04000000, /* global_load_dwordx4 v[4:7], v0, s[0:1] */
    0xbf8c3f70,             /* s_waitcnt vmcnt(0) */
    0x7e100504,             /* v_readfirstlane_b32 s8, v4 */
    0x7e120505,             /* v_readfirstlane_b32 s9, v5 */
    0x7e140506,             /* v_readfirstlane_b32 s10, v6 */
    0x7e160507,             /* v_readfirstlane_b32 s11, v7 */
    0xe0701000, 0x80020000, /* buffer_store_dword v0, v0, s[8:11], 0 offen */
    0xbf810000,             /* s_endpgm */
};

/* Word s2 of the table. */
static const uint32_t store_by_group[] = {
    0x8f048202,             /* s_lshl_b32 s4, s2, 2 */
    0x7e020204,             /* v_mov_b32_e32 v1, s4 */
    0xdc708000, 0x00000101, /* global_store_dword v1, v1, s[0:1] */
    0xbf810000,             /* s_endpgm */
};

struct guest {
    struct mem_space *space;
    struct mem_snapshot *snapshot;
    uint64_t base;
    uint8_t *host;
    struct submit_tracer *tracer;
    struct wave_dispatch dispatch;
};

static int set_up(void **state)
{
    enum { USER = 2, TGID_X = 1 << 7, FLOAT_MODE = 0xc0 << 12 };
    struct base_error error;
    struct guest *g = calloc(1, sizeof *g);
    assert_non_null(g);
    g->space = mem_space_create(UINT64_C(1) << 32, &error);
    assert_non_null(g->space);
    assert_true(mem_space_alloc(g->space, BYTES, 4096, NULL, 0, &g->base, &error));
    g->host = mem_space_pointer(g->space, g->base, BYTES);
    g->snapshot = mem_snapshot_acquire(g->space);
    g->tracer = submit_tracer_create(ISA_GFX1030);
    assert_non_null(g->tracer);
    uint64_t table = g->base + AT_TABLE;
    g->dispatch = (struct wave_dispatch){.program = g->base + AT_CODE,
                                         .rsrc1 = 1 | FLOAT_MODE,
                                         .rsrc2 = USER << 1 | TGID_X,
                                         .user_data = {(uint32_t)table, (uint32_t)(table >> 32)},
                                         .groups = {4, 1, 1},
                                         .threads = {32, 1, 1},
                                         .last_threads = {32, 1, 1},
                                         .wave_size = 32,
                                         .apertures = {0x10000, 0x20000}};
    *state = g;
    return 0;
}

static int tear_down(void **state)
{
    struct guest *g = *state;
    submit_tracer_destroy(g->tracer);
    mem_snapshot_release(g->snapshot);
    mem_space_destroy(g->space);
    free(g);
    return 0;
}

#define USE(g, program) memcpy((g)->host + AT_CODE, program, sizeof program)

static void put_table(struct guest *g, const uint32_t *words, size_t bytes)
{
    memcpy(g->host + AT_TABLE, words, bytes);
}

static struct submit_reach *find(struct guest *g, bool indirect)
{
    struct submit_reach *reach = submit_tracer_find(g->tracer, g->snapshot, &g->dispatch, indirect);
    assert_non_null(reach);
    return reach;
}

/* It writes [start, start + size), and nothing else. */
static void assert_writes(struct guest *g, bool indirect, uint64_t start, uint64_t size)
{
    struct submit_reach *reach = find(g, indirect);
    const struct submit_writes *writes = submit_reach_writes(reach);
    assert_int_equal(writes->unbounded, 0);
    assert_int_equal(writes->spans.count, size ? 1 : 0);
    if (size) {
        assert_int_equal(writes->spans.items[0].start, start);
        assert_int_equal(writes->spans.items[0].end, start + size);
    }
    submit_reach_release(reach);
}

/* It may write anything, for that reason, at that word of the program. */
static void assert_unbounded(struct guest *g, bool indirect, enum submit_unbounded reason, unsigned word)
{
    struct submit_reach *reach = find(g, indirect);
    assert_int_equal(submit_reach_writes(reach)->unbounded, 1u << reason);
    assert_int_equal(submit_reach_place(reach), g->base + AT_CODE + word * 4);
    submit_reach_release(reach);
}

/* ---- images ---- */

/* What RADV wrote for a linear texture of 256 x 256 that it allocated 0x40000 bytes for, */
static const uint32_t linear[8] = {0x01007000, 0xc3800000, 0x803fc03f, 0x90000fac, 0, 0x00400000, 0, 0};
/* and for a colour target of that size, tiled in blocks of 64 KiB: 0x40000 bytes. */
static const uint32_t tiled[8] = {0x01001400, 0xc3c00080, 0x803fc03f, 0x91b00fac, 0, 0x00400000, 0, 0};

/* Levels of 256 x 256 texels of four bytes, two of the chain of four in the view: words by the RDNA 2 guide's bit positions. */
static void make_chain(uint32_t words[8], unsigned swizzle, unsigned base_level, unsigned last_level)
{
    enum { R8G8B8A8_UINT = 60, TYPE_2D = 9, SIZE = 256, MAX_MIP = 3 };
    memset(words, 0, 8 * sizeof *words);
    words[0] = 0x01007000;
    words[1] = (uint32_t)R8G8B8A8_UINT << 20 | (SIZE - 1u) << 30;
    words[2] = (SIZE - 1u) >> 2 | (SIZE - 1u) << 14;
    words[3] = 0xfacu | base_level << 12 | last_level << 16 | swizzle << 20 | (uint32_t)TYPE_2D << 28;
    words[5] = MAX_MIP << 4;
}

/* Whether each element of a level is in the ranges (inside), or none is. */
static void assert_level(const struct submit_writes *writes, const uint32_t words[8], unsigned mip, bool inside)
{
    struct image_view view;
    assert_null(image_view_decode(image_config_of(IMAGE_CHIP_NAVI21), words, false, &view));
    for (uint32_t y = 0; y < view.mips[mip].rows; y++)
        for (uint32_t x = 0; x < view.mips[mip].columns; x++) {
            uint64_t address = image_view_address(&view, mip, x, y, 0, 0);
            assert_int_equal(base_spans_cover(&writes->spans, base_span_make(address, view.element_bytes)), inside);
        }
}

static void a_stored_image_writes_the_level_its_descriptor_places(void **state)
{
    struct guest *g = *state;
    static const unsigned swizzles[] = {IMAGE_SW_LINEAR, IMAGE_SW_4KB_S, IMAGE_SW_64KB_S, IMAGE_SW_64KB_R_X};
    USE(g, store_image);
    put_table(g, linear, sizeof linear);
    assert_writes(g, false, 0x100700000, 0x40000);
    put_table(g, tiled, sizeof tiled);
    assert_writes(g, false, UINT64_C(0xffff800100140000), 0x40000); /* an address of the upper half, as memory is mapped there */
    for (unsigned n = 0; n < sizeof swizzles / sizeof swizzles[0]; n++) {
        uint32_t words[8];
        make_chain(words, swizzles[n], 1, 2);
        put_table(g, words, sizeof words);
        USE(g, store_image);
        struct submit_reach *reach = find(g, false);
        assert_int_equal(submit_reach_writes(reach)->unbounded, 0);
        assert_level(submit_reach_writes(reach), words, 0, false);
        assert_level(submit_reach_writes(reach), words, 1, true);
        submit_reach_release(reach);
        USE(g, store_image_mip); /* names the level itself: any of the view's */
        reach = find(g, false);
        assert_int_equal(submit_reach_writes(reach)->unbounded, 0);
        assert_level(submit_reach_writes(reach), words, 0, false);
        assert_level(submit_reach_writes(reach), words, 1, true);
        assert_level(submit_reach_writes(reach), words, 2, true);
        submit_reach_release(reach);
    }
}

/* A program is known by its own words, so its first dispatch is bounded already; its descriptor is read each time. */
static void a_queued_image_store_is_bounded_once_its_program_is_translated(void **state)
{
    enum { STORE = 5 };
    struct guest *g = *state;
    uint32_t words[8];
    USE(g, store_image);
    put_table(g, linear, sizeof linear);
    assert_writes(g, false, 0x100700000, 0x40000);
    memcpy(words, linear, sizeof words);
    words[0] += 0x10000;
    put_table(g, words, sizeof words);
    assert_writes(g, false, 0x101700000, 0x40000);
    words[3] |= 31u << 20; /* no layout has that number */
    put_table(g, words, sizeof words);
    assert_unbounded(g, false, SUBMIT_IMAGE_STORE, STORE);
    g->dispatch.user_data[1] = 0x7abc; /* nothing is mapped there */
    assert_unbounded(g, false, SUBMIT_IMAGE_STORE, STORE);
}

/* An image with DCC, by the guide's bit positions: a store below keys changes them, and all that they cover. */
static void a_store_to_a_compressed_image_writes_its_keys(void **state)
{
    enum { SIZE = 256, WRITE_COMPRESS = 1 << 21, COMPRESSED = 1 << 20, PIPE_ALIGNED = 1 << 22 };
    (void)state;
    struct trace_image image = {.known = true};
    uint32_t *words = image.descriptor;
    make_chain(words, IMAGE_SW_64KB_R_X, 0, 0);
    words[5] = 0;
    words[6] = (uint32_t)(COMPRESSED | WRITE_COMPRESS | 2u << 15 | 2u << 17 | PIPE_ALIGNED);
    words[7] = 0x02000000;
    const struct image_config *config = image_config_of(IMAGE_CHIP_NAVI21);
    struct image_view view;
    struct image_keys keys;
    struct submit_writes writes = {0};
    assert_null(image_view_decode(config, words, false, &view));
    assert_true(view.compressed);
    assert_null(image_keys_make(&view, &keys));
    assert_true(submit_image_writes(&writes, config, &image));
    assert_int_equal(writes.unbounded, 0);
    assert_level(&writes, words, 0, true);
    for (uint32_t y = 0; y < SIZE; y++)
        for (uint32_t x = 0; x < SIZE; x++) {
            struct image_key key = image_key_find(&keys, 0, x, y, 0);
            assert_true(base_spans_cover(&writes.spans, base_span_make(key.address, key.bytes)));
        }
    submit_writes_finish(&writes);
}

/* ---- addresses ---- */

static void a_flat_store_clamped_to_the_apertures_reaches_no_guest_memory(void **state)
{
    enum { STORE = 3 };
    struct guest *g = *state;
    USE(g, store_clamped);
    assert_writes(g, false, 0, 0);
    USE(g, store_flat);
    assert_unbounded(g, false, SUBMIT_FLAT_STORE, STORE);
}

/* The limits are those of a title's ray traversal; below the smaller of them an address is never. */
static void a_clamp_is_as_good_as_the_smaller_of_its_limits(void **state)
{
    enum { LOW = 1, HIGH = 3, STORE = 9 };
    static const uint32_t limits[][2] = {
        {0x70000000, 0x80000000}, {0x80000000, 0x70000000}, {0x100, 0x80000000}, {0x80000000, 0}};
    struct guest *g = *state;
    uint32_t code[sizeof store_clamped / sizeof *store_clamped];
    memcpy(code, store_clamped, sizeof code);
    for (unsigned n = 0; n < sizeof limits / sizeof *limits; n++) {
        code[LOW] = limits[n][0];
        code[HIGH] = limits[n][1];
        USE(g, code);
        if (n < 2)
            assert_writes(g, false, 0, 0);
        else
            assert_unbounded(g, false, SUBMIT_FLAT_STORE, STORE);
    }
}

static void a_clamp_under_another_mask_proves_nothing(void **state)
{
    enum { STORE = 12 };
    struct guest *g = *state;
    USE(g, store_clamped_in_part);
    assert_unbounded(g, false, SUBMIT_FLAT_STORE, STORE);
}

static void a_store_in_the_scratch_segment_writes_no_guest_memory(void **state)
{
    struct guest *g = *state;
    USE(g, store_scratch);
    assert_writes(g, false, 0, 0);
}

static void a_global_store_by_addresses_from_memory_is_named(void **state)
{
    enum { STORE = 3 };
    struct guest *g = *state;
    USE(g, store_global);
    assert_unbounded(g, false, SUBMIT_GLOBAL_STORE, STORE);
}

static void put_buffer(struct guest *g, uint64_t start, uint32_t bytes)
{
    /* A raw buffer: no stride, as many bytes as it has records; OOB_SELECT 3, 32_UINT. */
    const uint32_t words[4] = {(uint32_t)start, (uint32_t)(start >> 32), bytes, 0x31016fac};
    put_table(g, words, sizeof words);
}

static void a_device_addressed_dispatch_writes_the_buffers_it_resolves(void **state)
{
    enum { STORE = 7 };
    struct guest *g = *state;
    USE(g, store_buffer);
    put_buffer(g, g->base + 0x8000, 0x1230);
    assert_writes(g, false, g->base + 0x8000, 0x1230);
    USE(g, store_unresolved);
    assert_unbounded(g, false, SUBMIT_DEVICE_ADDRESSED, STORE);
}

/* ---- grids ---- */

static void an_indirect_dispatch_is_bounded_where_its_grid_does_not_decide(void **state)
{
    enum { STORE = 2 };
    struct guest *g = *state;
    USE(g, store_buffer);
    put_buffer(g, g->base + 0x8000, 0x1230);
    assert_writes(g, true, g->base + 0x8000, 0x1230);
    USE(g, store_by_group);
    assert_writes(g, false, g->base + AT_TABLE, 4 * 4);
    assert_unbounded(g, true, SUBMIT_INDIRECT_GRID, STORE);
}

/* ---- what is kept ---- */

static void what_a_dispatch_writes_holds_while_what_it_hangs_on_is_the_same(void **state)
{
    struct guest *g = *state;
    USE(g, store_buffer);
    put_buffer(g, g->base + 0x8000, 0x1230);
    struct submit_reach *reach = find(g, false), *again = find(g, false);
    assert_ptr_equal(reach, again);
    submit_reach_release(again);
    assert_true(submit_reach_holds(reach, g->snapshot, &g->dispatch, NULL));
    g->host[AT_TABLE + 64] ^= 1; /* beside the descriptor */
    assert_true(submit_reach_holds(reach, g->snapshot, &g->dispatch, NULL));
    g->host[AT_TABLE] ^= 16;
    assert_false(submit_reach_holds(reach, g->snapshot, &g->dispatch, NULL));
    g->host[AT_TABLE] ^= 16;
    g->host[AT_CODE + 4 * 10] ^= 1;
    assert_false(submit_reach_holds(reach, g->snapshot, &g->dispatch, NULL));
    g->host[AT_CODE + 4 * 10] ^= 1;
    struct wave_dispatch other = g->dispatch;
    other.user_data[0] += 16;
    assert_false(submit_reach_holds(reach, g->snapshot, &other, NULL));
    submit_reach_release(reach);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        T(a_stored_image_writes_the_level_its_descriptor_places),
        T(a_queued_image_store_is_bounded_once_its_program_is_translated),
        T(a_store_to_a_compressed_image_writes_its_keys),
        T(a_flat_store_clamped_to_the_apertures_reaches_no_guest_memory),
        T(a_clamp_is_as_good_as_the_smaller_of_its_limits),
        T(a_clamp_under_another_mask_proves_nothing),
        T(a_store_in_the_scratch_segment_writes_no_guest_memory),
        T(a_global_store_by_addresses_from_memory_is_named),
        T(a_device_addressed_dispatch_writes_the_buffers_it_resolves),
        T(an_indirect_dispatch_is_bounded_where_its_grid_does_not_decide),
        T(what_a_dispatch_writes_holds_while_what_it_hangs_on_is_the_same),
    };
#undef T
    return cmocka_run_group_tests(tests, NULL, NULL);
}
