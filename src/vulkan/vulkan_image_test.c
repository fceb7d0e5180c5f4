/* Image operations on a device, in place and on copies: what is brought there, what stays, and what comes back; with the argument `staged`, moved
 * as on a device with memory of its own. */
#include "vulkan/vulkan_testing.h"

#include "image/image_meta.h"
#include "image/image_texel.h"
#include "vulkan/vulkan_views.h"

/* Assembled with llvm-mc for gfx1030, wave32. Lanes are columns, groups are rows. */
static const uint32_t copy_and_add[] = {
    0x7e020210,             /* v_mov_b32 v1, s16 */
    0xf0001108, 0x00000200, /* image_load v2, v[0:1], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D unorm */
    0xbf8c3f70,             /* s_waitcnt vmcnt(0) */
    0x4a040481,             /* v_add_nc_u32 v2, 1, v2 */
    0xf0201108, 0x00020200, /* image_store v2, v[0:1], s[8:15] dmask:0x1 dim:SQ_RSRC_IMG_2D unorm */
    0xbf810000,             /* s_endpgm */
};

static const uint32_t copy_raw_and_add[] = {
    0x7e020210,             /* v_mov_b32 v1, s16 */
    0xf0081308, 0x00000200, /* image_load_pck v[2:3], v[0:1], s[0:7] dmask:0x3 dim:SQ_RSRC_IMG_2D unorm */
    0xbf8c3f70,             /* s_waitcnt vmcnt(0) */
    0x4a040481,             /* v_add_nc_u32 v2, 1, v2 */
    0xf0281308, 0x00020200, /* image_store_pck v[2:3], v[0:1], s[8:15] dmask:0x3 dim:SQ_RSRC_IMG_2D unorm */
    0xbf810000,             /* s_endpgm */
};

static const uint32_t store_by_table[] = {
    0x7e020202,             /* v_mov_b32 v1, s2 */
    0xf40c0200, 0xfa000000, /* s_load_dwordx8 s[8:15], s[0:1], 0x0 */
    0x7e0402ff, 0x00005eed, /* v_mov_b32 v2, 0x5eed */
    0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
    0xf0201108, 0x00020200, /* image_store v2, v[0:1], s[8:15] dmask:0x1 dim:SQ_RSRC_IMG_2D unorm */
    0xbf810000,             /* s_endpgm */
};

/* A ray from the origin along x meets the tree at s[4:7]; what each lane is told goes to s[0:1]. s8: the group. */
static const uint32_t test_ray[] = {
    0x34020084,             /* v_lshlrev_b32_e32 v1, 4, v0 */
    0x8f098908,             /* s_lshl_b32 s9, s8, 9 */
    0x4a020209,             /* v_add_nc_u32_e32 v1, s9, v1 */
    0x7e140285,             /* v_mov_b32_e32 v10, 5 */
    0x7e1602ff, 0x42c80000, /* v_mov_b32_e32 v11, 0x42c80000 */
    0x7e180280,             /* v_mov_b32_e32 v12, 0 */
    0x7e1a0280,             /* v_mov_b32_e32 v13, 0 */
    0x7e1c0280,             /* v_mov_b32_e32 v14, 0 */
    0x7e1e02f2,             /* v_mov_b32_e32 v15, 1.0 */
    0x7e200280,             /* v_mov_b32_e32 v16, 0 */
    0x7e220280,             /* v_mov_b32_e32 v17, 0 */
    0x7e2402f2,             /* v_mov_b32_e32 v18, 1.0 */
    0x7e2602ff, 0x7f800000, /* v_mov_b32_e32 v19, 0x7f800000 */
    0x7e2802ff, 0x7f800000, /* v_mov_b32_e32 v20, 0x7f800000 */
    0xf1989f01, 0x0001020a, /* image_bvh_intersect_ray v[2:5], v[10:20], s[4:7] */
    0xbf8c3f70,             /* s_waitcnt vmcnt(0) */
    0xdc788000, 0x00000201, /* global_store_dwordx4 v1, v[2:5], s[0:1] */
    0xbf810000,             /* s_endpgm */
};

enum {
    COLUMNS = 32,
    ROWS = 64,
    PITCH = 64, /* words: rows of linear images begin at multiples of 256 bytes */
    IMAGE_WORDS = ROWS * PITCH,
    FROM = AT_DATA + 0x10000,
    TO = FROM + 0x10000,
    LAST_ROWS = MEMORY_BYTES - ROWS / 2 * PITCH * 4, /* half of an image */
    FORMAT_32_UINT = 20,
    TYPE_2D = 9,
    TGID_X = 1 << 7,
};

static bool on_copies(void)
{
    return testing_memory == VULKAN_MEMORY_MIRRORED;
}

/* A T# as the guide has it; linear. */
static void put_descriptor(uint64_t base, uint32_t width, uint32_t height, uint32_t level, uint32_t levels, uint32_t words[8])
{
    enum { SELECT_X001 = 4 | 1 << 9 };
    memset(words, 0, 8 * sizeof *words);
    words[0] = (uint32_t)(base >> 8);
    words[1] = (uint32_t)(base >> 40) | (uint32_t)FORMAT_32_UINT << 20 | (width - 1) << 30;
    words[2] = (width - 1) >> 2 | (height - 1) << 14;
    words[3] = SELECT_X001 | level << 12 | level << 16 | (uint32_t)TYPE_2D << 28;
    words[5] = (levels - 1) << 4;
}

static uint32_t *words_at(const struct fixture *f, uint64_t offset)
{
    return (uint32_t *)(void *)(f->host + offset);
}

static void put_pattern(const struct fixture *f, uint64_t offset, uint32_t count)
{
    for (uint32_t n = 0; n < count; n++)
        words_at(f, offset)[n] = PATTERN + n;
}

static void run_words(struct fixture *f, const uint32_t *code, size_t bytes, const uint32_t *user, unsigned count, uint32_t rows)
{
    struct device_dispatch dispatch = testing_dispatch(f);
    struct wave_dispatch *d = &dispatch.registers;
    testing_put_code(f, code, bytes);
    d->rsrc2 = count << 1 | TGID_X;
    memcpy(d->user_data, user, count * sizeof *user);
    d->groups[0] = rows;
    d->threads[0] = d->last_threads[0] = COLUMNS;
    testing_run_only(f, &dispatch);
}

static void copy_words(struct fixture *f, const uint32_t from[8], const uint32_t to[8], uint32_t rows)
{
    uint32_t user[16];
    memcpy(user, from, 8 * sizeof *user);
    memcpy(user + 8, to, 8 * sizeof *user);
    run_words(f, copy_and_add, sizeof copy_and_add, user, 16, rows);
    assert_false(f->result.failed);
}

/* From the image at one offset to that at another. */
static void copy(struct fixture *f, uint64_t from, uint64_t to)
{
    uint32_t one[8], other[8];
    put_descriptor(f->base + from, COLUMNS, ROWS, 0, 1, one);
    put_descriptor(f->base + to, COLUMNS, ROWS, 0, 1, other);
    copy_words(f, one, other, ROWS);
}

static void assert_copied(const struct fixture *f, uint64_t offset, uint32_t added, uint32_t beside)
{
    for (uint32_t n = 0; n < IMAGE_WORDS; n++) {
        uint32_t expected = n % PITCH < COLUMNS ? PATTERN + n + added : beside;
        if (words_at(f, offset)[n] != expected)
            fail_msg("word %u is 0x%x, not 0x%x", n, words_at(f, offset)[n], expected);
    }
}

/* ---- tests ---- */

static void texels_that_are_read_and_stored_are_those_of_guest_memory(void **state)
{
    struct fixture *f = *state;
    put_pattern(f, FROM, IMAGE_WORDS);
    copy(f, FROM, TO);
    testing_settle(f, DEVICE_EVERYTHING);
    assert_copied(f, TO, 1, 0);
    testing_assert_elsewhere(f, 1, 0, "");
}

static void only_the_images_of_a_dispatch_are_brought_to_the_device(void **state)
{
    struct fixture *f = *state;
    put_pattern(f, FROM, IMAGE_WORDS);
    copy(f, FROM, TO);
    if (on_copies())
        assert_int_equal(vulkan_engine_moved(f->engine).uploaded, 2 * IMAGE_WORDS * sizeof(uint32_t));
    testing_assert_elsewhere(f, 1, 0, "");
}

static void stored_texels_stay_on_the_device_until_somebody_asks(void **state)
{
    struct fixture *f = *state;
    put_pattern(f, FROM, IMAGE_WORDS);
    copy(f, FROM, TO);
    if (on_copies())
        assert_int_equal(words_at(f, TO)[0], 0);
    testing_settle(f, (struct device_range){f->base + TO, PAGE});
    assert_int_equal(words_at(f, TO)[0], PATTERN + 1);
    if (on_copies())
        assert_int_equal(words_at(f, TO)[IMAGE_WORDS - PITCH], 0);
    testing_settle(f, DEVICE_EVERYTHING);
    assert_copied(f, TO, 1, 0);
}

static void a_dispatch_reads_the_texels_that_the_one_before_stored(void **state)
{
    struct fixture *f = *state;
    put_pattern(f, FROM, IMAGE_WORDS);
    copy(f, FROM, TO);
    uint64_t before = vulkan_engine_moved(f->engine).uploaded;
    copy(f, TO, FROM);
    assert_int_equal(vulkan_engine_moved(f->engine).uploaded, before); /* both are there */
    testing_settle(f, DEVICE_EVERYTHING);
    for (uint32_t n = 0; n < IMAGE_WORDS; n++)
        assert_int_equal(words_at(f, FROM)[n], PATTERN + n + (n % PITCH < COLUMNS ? 2 : 0));
}

static void texels_that_the_guest_wrote_since_are_read(void **state)
{
    struct fixture *f = *state;
    copy(f, FROM, TO);
    testing_settle(f, DEVICE_EVERYTHING);
    put_pattern(f, FROM, IMAGE_WORDS);
    testing_changed(f, DEVICE_EVERYTHING);
    copy(f, FROM, TO);
    testing_settle(f, DEVICE_EVERYTHING);
    assert_copied(f, TO, 1, 0);
}

static void what_the_guest_writes_between_rows_stays(void **state)
{
    struct fixture *f = *state;
    put_pattern(f, FROM, IMAGE_WORDS);
    copy(f, FROM, TO);
    for (uint32_t n = 0; n < IMAGE_WORDS; n++)
        if (n % PITCH >= COLUMNS)
            words_at(f, TO)[n] = 5;
    testing_settle(f, DEVICE_EVERYTHING);
    assert_copied(f, TO, 1, 5);
}

static void of_an_image_only_the_levels_of_the_view_are_brought_to_the_device(void **state)
{
    enum { WIDTH = 128, HEIGHT = 128, LEVELS = 3, LEVEL = 2 };
    struct fixture *f = *state;
    uint32_t from[8], to[8];
    struct image_view view;
    put_descriptor(f->base + FROM, WIDTH, HEIGHT, LEVEL, LEVELS, from);
    put_descriptor(f->base + TO + 0x20000, COLUMNS, ROWS, 0, 1, to);
    assert_null(image_view_decode(vulkan_views_config(ISA_GFX1030), from, false, &view));
    uint64_t at = image_view_address(&view, LEVEL, 0, 0, 0, 0) - f->base, bytes = 0;
    put_pattern(f, at, HEIGHT / 4 * PITCH);
    copy_words(f, from, to, HEIGHT / 4);
    for (uint64_t page = at / PAGE; page <= (at + HEIGHT / 4 * PITCH * 4 - 1) / PAGE; page++)
        bytes += PAGE;
    if (on_copies())
        assert_int_equal(vulkan_engine_moved(f->engine).uploaded, bytes + IMAGE_WORDS * sizeof(uint32_t));
    testing_settle(f, DEVICE_EVERYTHING);
    for (uint32_t n = 0; n < HEIGHT / 4 * PITCH; n++)
        assert_int_equal(words_at(f, TO + 0x20000)[n], n % PITCH < COLUMNS ? PATTERN + n + 1 : 0);
}

static void a_descriptor_that_a_dispatch_before_wrote_is_followed(void **state)
{
    struct fixture *f = *state;
    uint32_t words[8], user[2] = {(uint32_t)(f->base + AT_DATA), (uint32_t)((f->base + AT_DATA) >> 32)};
    put_descriptor(f->base + TO, COLUMNS, ROWS, 0, 1, words);
    for (unsigned n = 0; n < 8; n++)
        words_at(f, AT_DATA)[n] = words[n] - 1;
    struct device_dispatch add = testing_dispatch(f);
    testing_run_only(f, &add);
    run_words(f, store_by_table, sizeof store_by_table, user, 2, ROWS);
    assert_false(f->result.failed);
    testing_settle(f, DEVICE_EVERYTHING);
    for (uint32_t n = 0; n < IMAGE_WORDS; n++)
        assert_int_equal(words_at(f, TO)[n], n % PITCH < COLUMNS ? 0x5eed : 0);
    testing_assert_elsewhere(f, 2, 0, "");
}

/* A row of blocks is 256 bytes. All texels of a block with two equal ends and no indices are of that colour. */
static void compressed_blocks_are_read_where_a_program_read_others_before(void **state)
{
    enum { FORMAT_BC1_UNORM = 169, FORMAT_MASK = 0x1ff, RED = 31 << 11, BLOCK_ROW = 256 / sizeof(uint32_t), ONE = 0x3f800000 };
    struct fixture *f = *state;
    uint32_t from[8], to[8];
    put_pattern(f, FROM, IMAGE_WORDS);
    copy(f, FROM, TO);
    testing_settle(f, DEVICE_EVERYTHING);
    assert_copied(f, TO, 1, 0);
    memset(words_at(f, FROM), 0, IMAGE_WORDS * sizeof(uint32_t));
    for (uint32_t y = 0; y < ROWS / 4; y++)
        for (uint32_t x = 0; x < COLUMNS / 4; x++)
            words_at(f, FROM)[y * BLOCK_ROW + 2 * x] = (x + y) % 2 ? RED | (uint32_t)RED << 16 : 0;
    testing_changed(f, DEVICE_EVERYTHING);
    put_descriptor(f->base + FROM, COLUMNS, ROWS, 0, 1, from);
    put_descriptor(f->base + TO, COLUMNS, ROWS, 0, 1, to);
    from[1] = (from[1] & ~((uint32_t)FORMAT_MASK << 20)) | (uint32_t)FORMAT_BC1_UNORM << 20;
    copy_words(f, from, to, ROWS);
    copy(f, TO, FROM); /* others, once more */
    testing_settle(f, DEVICE_EVERYTHING);
    for (uint32_t y = 0; y < ROWS; y++)
        for (uint32_t x = 0; x < COLUMNS; x++) {
            assert_int_equal(words_at(f, TO)[y * PITCH + x], ((x / 4 + y / 4) % 2 ? ONE : 0) + 1);
            assert_int_equal(words_at(f, FROM)[y * PITCH + x], ((x / 4 + y / 4) % 2 ? ONE : 0) + 2);
        }
    testing_assert_elsewhere(f, 3, 0, "");
}

/* Texels of a block name the same element. */
static void compressed_blocks_are_taken_as_they_are(void **state)
{
    enum { FORMAT_BC1_UNORM = 169, FORMAT_MASK = 0x1ff, BLOCK_ROW = 256 / sizeof(uint32_t), BLOCK_WORDS = 2 };
    struct fixture *f = *state;
    uint32_t user[16];
    put_pattern(f, FROM, IMAGE_WORDS);
    put_descriptor(f->base + FROM, COLUMNS, ROWS, 0, 1, user);
    put_descriptor(f->base + TO, COLUMNS, ROWS, 0, 1, user + 8);
    for (unsigned n = 1; n < 16; n += 8)
        user[n] = (user[n] & ~((uint32_t)FORMAT_MASK << 20)) | (uint32_t)FORMAT_BC1_UNORM << 20;
    run_words(f, copy_raw_and_add, sizeof copy_raw_and_add, user, 16, ROWS);
    assert_false(f->result.failed);
    testing_settle(f, DEVICE_EVERYTHING);
    for (uint32_t y = 0; y < ROWS / 4; y++)
        for (uint32_t n = 0; n < BLOCK_ROW; n++) {
            uint32_t inside = PATTERN + y * BLOCK_ROW + n + (n % BLOCK_WORDS == 0);
            assert_int_equal(words_at(f, TO)[y * BLOCK_ROW + n], n < COLUMNS / 4 * BLOCK_WORDS ? inside : 0);
        }
    testing_assert_elsewhere(f, 1, 0, "");
}

static void an_image_that_is_mapped_in_part_belongs_to_the_cpu_device(void **state)
{
    struct fixture *f = *state;
    uint32_t from[8], to[8];
    put_pattern(f, FROM, IMAGE_WORDS);
    put_descriptor(f->base + FROM, COLUMNS, ROWS, 0, 1, from);
    put_descriptor(f->base + LAST_ROWS, COLUMNS, ROWS, 0, 1, to);
    copy_words(f, from, to, ROWS / 2);
    testing_settle(f, DEVICE_EVERYTHING);
    for (uint32_t n = 0; n < IMAGE_WORDS / 2; n++)
        assert_int_equal(words_at(f, LAST_ROWS)[n], n % PITCH < COLUMNS ? PATTERN + n + 1 : 0);
    testing_assert_elsewhere(f, 0, 1, "an image that does not lie together in memory");
}

/* Two mappings side by side, of memory that lies apart: an image with half of its rows in each. */
static void an_image_in_several_mapped_runs_belongs_to_the_cpu_device(void **state)
{
    enum { HALF = IMAGE_WORDS / 2, BETWEEN = 2 * PAGE / 4, TURNS = 3 };
    static uint32_t own[2 * HALF + BETWEEN] __attribute__((aligned(PAGE)));
    static const uint64_t place = UINT64_C(0x123400000000);
    struct fixture *f = *state;
    struct base_error why;
    uint32_t images[TURNS + 1][8];
    uint32_t *halves[] = {own + HALF + BETWEEN, own}; /* and the other way round */
    memset(own, 0, sizeof own);
    for (uint32_t n = 0; n < 2; n++)
        assert_true(mem_space_map(f->space, place + n * HALF * 4, (uint8_t *)halves[n], HALF * 4, true, &why));
    put_pattern(f, FROM, IMAGE_WORDS);
    put_descriptor(f->base + FROM, COLUMNS, ROWS, 0, 1, images[0]);
    put_descriptor(f->base + TO, COLUMNS, ROWS, 0, 1, images[1]);
    put_descriptor(place, COLUMNS, ROWS, 0, 1, images[2]);
    put_descriptor(f->base + FROM, COLUMNS, ROWS, 0, 1, images[3]);
    for (uint32_t n = 0; n < TURNS; n++) /* what the one stores, the next reads */
        copy_words(f, images[n], images[n + 1], ROWS);
    testing_settle(f, DEVICE_EVERYTHING);
    for (uint32_t n = 0; n < IMAGE_WORDS; n++) {
        const bool inside = n % PITCH < COLUMNS;
        assert_int_equal(halves[n / HALF][n % HALF], inside ? PATTERN + n + 2 : 0);
        assert_int_equal(words_at(f, FROM)[n], PATTERN + n + (inside ? 3 : 0));
    }
    for (uint32_t n = 0; n < BETWEEN; n++)
        assert_int_equal(own[HALF + n], 0);
    testing_assert_elsewhere(f, 1, 2, "an image that does not lie together in memory");
}

/* ---- metadata ---- */

enum { KEY_SIDE = 8 }; /* a key of DCC covers so many elements of four bytes each way */

/* A tiled image of 32 x 64 words whose keys lie behind it. */
static void put_keyed_as(const struct fixture *f, uint32_t swizzle, uint32_t words[8], struct image_view *view,
                         struct image_keys *keys)
{
    enum { BLOCK = 64 << 10, PIPE_ALIGNED = 1 << 19, COMPRESSED = 1 << 21, ALPHA_HIGH = 1 << 22 };
    const uint64_t base = (f->base + TO + BLOCK + BLOCK - 1) / BLOCK * BLOCK, metadata = base + BLOCK;
    put_descriptor(base, COLUMNS, ROWS, 0, 1, words);
    words[3] |= swizzle << 20;
    words[6] = PIPE_ALIGNED | COMPRESSED | ALPHA_HIGH | (uint32_t)(metadata >> 8 & 0xff) << 24;
    words[7] = (uint32_t)(metadata >> 16);
    assert_null(image_view_decode(vulkan_views_config(ISA_GFX1030), words, false, view));
    assert_null(image_keys_make(view, keys));
    put_pattern(f, base - f->base, BLOCK / sizeof(uint32_t));
}

static void put_keyed(const struct fixture *f, uint32_t words[8], struct image_view *view, struct image_keys *keys)
{
    put_keyed_as(f, IMAGE_SW_64KB_R_X, words, view, keys);
}

static void put_key(const struct fixture *f, const struct image_keys *keys, uint32_t x, uint32_t y, uint8_t code)
{
    f->host[image_key_find(keys, 0, x, y, 0).address - f->base] = code;
}

/* What is uncompressed, cleared to 0, with alpha alone 1 (the one component), without, all 1, and all as its first element. */
static const uint8_t codes[] = {0xff, 0x00, 0x40, 0x80, 0xc0, 0x10};
enum { CODES = sizeof codes, CODE_MEMORY = 0, CODE_FIRST = 5 };

static void assert_keyed(const struct fixture *f, const struct image_view *view, uint32_t x, uint32_t y, unsigned code)
{
    static const uint32_t cleared[CODES] = {[2] = UINT32_MAX, [4] = UINT32_MAX};
    enum { COVER = 256 };
    uint64_t at = image_view_address(view, 0, x, y, 0, 0);
    at = code == CODE_FIRST ? at / COVER * COVER : at;
    uint32_t expected = code == CODE_MEMORY || code == CODE_FIRST ? *words_at(f, at - f->base) : cleared[code];
    if (words_at(f, TO)[y * PITCH + x] != expected + 1)
        fail_msg("texel %u, %u of key 0x%02x is 0x%x, not 0x%x", x, y, codes[code], words_at(f, TO)[y * PITCH + x], expected + 1);
}

static void texels_are_what_their_keys_say(void **state)
{
    struct fixture *f = *state;
    uint32_t from[8], to[8];
    struct image_view view;
    struct image_keys keys;
    put_keyed(f, from, &view, &keys);
    put_descriptor(f->base + TO, COLUMNS, ROWS, 0, 1, to);
    for (unsigned turn = 0; turn < 2; turn++) { /* at first all are uncompressed */
        for (uint32_t y = 0; y < ROWS; y += KEY_SIDE)
            for (uint32_t x = 0; x < COLUMNS; x += KEY_SIDE)
                put_key(f, &keys, x, y, codes[turn * (x + y) / KEY_SIDE % CODES]);
        testing_changed(f, DEVICE_EVERYTHING);
        copy_words(f, from, to, ROWS);
        testing_settle(f, DEVICE_EVERYTHING);
        for (uint32_t y = 0; y < ROWS; y++)
            for (uint32_t x = 0; x < COLUMNS; x++)
                assert_keyed(f, &view, x, y, turn * (x / KEY_SIDE + y / KEY_SIDE) % CODES);
    }
    testing_assert_elsewhere(f, 2, 0, "");
}

static void assert_stores_with_keys_ran(struct fixture *f)
{
    if (on_copies())
        testing_assert_elsewhere(f, 0, 1, "a store to an image whose metadata is in use");
    else
        testing_assert_elsewhere(f, 1, 0, "");
}

static void what_is_stored_to_an_image_that_was_cleared_is_in_memory(void **state)
{
    struct fixture *f = *state;
    uint32_t from[8], to[8];
    struct image_view view;
    struct image_keys keys;
    put_keyed(f, to, &view, &keys);
    put_descriptor(f->base + FROM, COLUMNS, ROWS, 0, 1, from);
    put_pattern(f, FROM, IMAGE_WORDS);
    for (uint32_t y = 0; y < ROWS; y += KEY_SIDE)
        for (uint32_t x = 0; x < COLUMNS; x += KEY_SIDE)
            put_key(f, &keys, x, y, 0);
    copy_words(f, from, to, ROWS);
    testing_settle(f, DEVICE_EVERYTHING);
    for (uint32_t y = 0; y < ROWS; y++)
        for (uint32_t x = 0; x < COLUMNS; x++)
            assert_int_equal(*words_at(f, image_view_address(&view, 0, x, y, 0, 0) - f->base), PATTERN + y * PITCH + x + 1);
    assert_stores_with_keys_ran(f);
}

/* The first rows are stored, of some keys all elements, of others a part. What a store leaves: docs/decisions/0153. */
static void a_store_makes_memory_what_its_key_stood_for_and_leaves_other_keys_alone(void **state)
{
    static const uint32_t cleared[CODES] = {[2] = UINT32_MAX, [4] = UINT32_MAX};
    enum { STORED = ROWS / 2 + KEY_SIDE / 2, COVER = 256, BYTES = 64 << 10 }; /* the image takes a block of so many */
    struct fixture *f = *state;
    uint32_t from[8], to[8];
    struct image_view view;
    struct image_keys keys;
    put_keyed(f, to, &view, &keys);
    put_descriptor(f->base + FROM, COLUMNS, ROWS, 0, 1, from);
    put_pattern(f, FROM, IMAGE_WORDS);
    for (uint32_t y = 0; y < ROWS; y += KEY_SIDE)
        for (uint32_t x = 0; x < COLUMNS; x += KEY_SIDE)
            put_key(f, &keys, x, y, codes[(x + y) / KEY_SIDE % CODES]);
    const uint64_t base = view.base - f->base;
    uint32_t *before = malloc(BYTES);
    memcpy(before, words_at(f, base), BYTES);
    copy_words(f, from, to, STORED);
    testing_settle(f, DEVICE_EVERYTHING);
    for (uint32_t y = 0; y < ROWS; y++)
        for (uint32_t x = 0; x < COLUMNS; x++) {
            const uint64_t at = image_view_address(&view, 0, x, y, 0, 0) - view.base, first = at / COVER * COVER;
            const unsigned code = (x / KEY_SIDE + y / KEY_SIDE) % CODES;
            const bool touched = y / KEY_SIDE * KEY_SIDE < STORED;
            uint32_t there = code == CODE_MEMORY ? before[at / 4] : code == CODE_FIRST ? before[first / 4] : cleared[code];
            uint32_t expected = y < STORED ? PATTERN + y * PITCH + x + 1 : touched ? there : before[at / 4];
            assert_int_equal(*words_at(f, base + at), expected);
            assert_int_equal(f->host[image_key_find(&keys, 0, x, y, 0).address - f->base], touched ? 0xff : codes[code]);
        }
    free(before);
    assert_stores_with_keys_ran(f);
}

static void an_image_that_only_its_hardware_can_read_is_refused_by_name(void **state)
{
    enum { PACKED = 0x31 };
    struct fixture *f = *state;
    uint32_t from[8], to[8], user[16];
    struct image_view view;
    struct image_keys keys;
    put_keyed(f, from, &view, &keys);
    put_descriptor(f->base + TO, COLUMNS, ROWS, 0, 1, to);
    for (uint32_t y = 0; y < ROWS; y += KEY_SIDE)
        for (uint32_t x = 0; x < COLUMNS; x += KEY_SIDE)
            put_key(f, &keys, x, y, x || y ? 0 : PACKED);
    memcpy(user, from, sizeof from);
    memcpy(user + 8, to, sizeof to);
    run_words(f, copy_and_add, sizeof copy_and_add, user, 16, ROWS);
    assert_true(f->result.failed);
    testing_assert_elsewhere(f, 0, 1, "metadata says what only its hardware knows");
}

/* No driver makes such stores, and nothing says what they leave in the keys of depth. */
static void a_store_to_depth_with_keys_is_refused_by_name(void **state)
{
    enum { KEPT = 64 << 10 };
    struct fixture *f = *state;
    uint32_t from[8], to[8], user[16];
    struct image_view view;
    struct image_keys keys;
    put_keyed_as(f, IMAGE_SW_64KB_Z_X, to, &view, &keys);
    put_descriptor(f->base + FROM, COLUMNS, ROWS, 0, 1, from);
    put_pattern(f, FROM, IMAGE_WORDS);
    memcpy(user, from, sizeof from);
    memcpy(user + 8, to, sizeof to);
    for (uint32_t y = 0; y < ROWS; y += KEY_SIDE)
        for (uint32_t x = 0; x < COLUMNS; x += KEY_SIDE)
            put_key(f, &keys, x, y, 0); /* cleared */
    run_words(f, copy_and_add, sizeof copy_and_add, user, 16, ROWS);
    assert_true(f->result.failed);
    if (!strstr(f->result.text, "image_store"))
        fail_msg("%s", f->result.text);
    testing_settle(f, DEVICE_EVERYTHING);
    for (uint32_t n = 0; n < KEPT / 4; n++)
        assert_int_equal(words_at(f, view.base - f->base)[n], PATTERN + n);
    testing_assert_elsewhere(f, 0, 1, "an image whose metadata");
}

/* ---- rays ---- */

/* A node of four boxes of unit size whose least corners are at x[n], y[n], -0.5: in front of the ray where y is -0.5. */
static void put_boxes(const struct fixture *f, const float x[4], const float y[4])
{
    enum { BOX_WORDS = 6, CHILDREN = 4 };
    uint32_t *node = words_at(f, FROM);
    for (uint32_t n = 0; n < CHILDREN; n++) {
        const float box[BOX_WORDS] = {x[n], y[n], -0.5f, x[n] + 1, y[n] + 1, 0.5f};
        node[n] = 0x100 + n;
        memcpy(node + CHILDREN + (size_t)n * BOX_WORDS, box, sizeof box);
    }
}

static void run_ray(struct fixture *f, uint32_t type)
{
    enum { SORT = 1u << 31, UNITS = 2 };
    const uint64_t to = f->base + TO, base = (f->base + FROM) >> 8;
    const uint32_t user[8] = {(uint32_t)to,   (uint32_t)(to >> 32),          0,         0,
                              (uint32_t)base, (uint32_t)(base >> 32) | SORT, UNITS - 1, type << 28};
    run_words(f, test_ray, sizeof test_ray, user, 8, ROWS);
    testing_settle(f, DEVICE_EVERYTHING);
}

static void a_ray_meets_the_boxes_of_a_node_in_guest_memory(void **state)
{
    enum { TREE = 8 };
    struct fixture *f = *state;
    const uint32_t expected[4] = {0x103, 0x101, 0x100, UINT32_MAX}; /* nearest first; one is missed */
    put_boxes(f, (const float[]){8, 4, 2, 1}, (const float[]){-0.5f, -0.5f, 3, -0.5f});
    run_ray(f, TREE);
    assert_false(f->result.failed);
    for (uint32_t n = 0; n < ROWS * COLUMNS; n++)
        assert_memory_equal(words_at(f, TO) + (size_t)4 * n, expected, sizeof expected);
    testing_assert_elsewhere(f, 1, 0, "");
}

static void a_ray_whose_descriptor_is_no_tree_s_has_failed_by_name(void **state)
{
    enum { IMAGE = 9 };
    struct fixture *f = *state;
    run_ray(f, IMAGE);
    assert_true(f->result.failed);
    assert_non_null(strstr(f->result.text, "none of a bounding volume hierarchy"));
}

int main(int argc, char **argv)
{
    testing_choose(argc, argv);
    const struct CMUnitTest tests[] = {
        TEST(texels_that_are_read_and_stored_are_those_of_guest_memory),
        TEST(only_the_images_of_a_dispatch_are_brought_to_the_device),
        TEST(stored_texels_stay_on_the_device_until_somebody_asks),
        TEST(a_dispatch_reads_the_texels_that_the_one_before_stored),
        TEST(texels_that_the_guest_wrote_since_are_read),
        TEST(what_the_guest_writes_between_rows_stays),
        TEST(of_an_image_only_the_levels_of_the_view_are_brought_to_the_device),
        TEST(a_descriptor_that_a_dispatch_before_wrote_is_followed),
        TEST(compressed_blocks_are_read_where_a_program_read_others_before),
        TEST(compressed_blocks_are_taken_as_they_are),
        TEST(an_image_that_is_mapped_in_part_belongs_to_the_cpu_device),
        TEST(an_image_in_several_mapped_runs_belongs_to_the_cpu_device),
        TEST(texels_are_what_their_keys_say),
        TEST(what_is_stored_to_an_image_that_was_cleared_is_in_memory),
        TEST(a_store_makes_memory_what_its_key_stood_for_and_leaves_other_keys_alone),
        TEST(an_image_that_only_its_hardware_can_read_is_refused_by_name),
        TEST(a_store_to_depth_with_keys_is_refused_by_name),
        TEST(a_ray_meets_the_boxes_of_a_node_in_guest_memory),
        TEST(a_ray_whose_descriptor_is_no_tree_s_has_failed_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
