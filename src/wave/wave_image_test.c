/* Image operations on a wave: metadata keys read and kept, descriptors refused by name, memory that is not known. */
#include "wave/wave_image.h"
#include "wave/wave_memory_testing.h"

enum {
    LANES = 32,
    SLOT_TEXEL = 2,
    SLOT_X = 10,
    DESCRIPTOR = 4,
    F_8_8_8_8_UNORM = 56,
    F_32_UINT = 20,
    SW_64KB_R_X = 27,
    SURFACE_BYTES = 1 << 16,
    KEY_BYTES = 1 << 13,
    COVER = 256,
    COMPRESSED = 1 << 21,
    PIPE_ALIGNED = 1 << 19,
    ALPHA_HIGH = 1 << 22,
    CLEAR_0000 = 0x00,
    CLEAR_FIRST = 0x10,
    CLEAR_REGISTER = 0x20,
    CLEAR_0001 = 0x40,
    CLEAR_1111 = 0xc0,
    UNCOMPRESSED = 0xff,
};

static const uint64_t surface_base = 0x10000000, keys_base = 0x20000000;
static const uint32_t one = 0x3f800000u;

/* A bench with a 64 x 64 image, and its keys, mapped. */
struct subject {
    struct bench *b;
    uint8_t *surface, *keys;
    struct ir_image image;
    struct wave_op op;
    struct wave_unit unit;
    _Atomic bool filtered[1];
};

static void describe(struct subject *s, unsigned format, uint32_t flags)
{
    uint32_t *words = &s->b->w->s[DESCRIPTOR];
    const uint32_t image[8] = {(uint32_t)(surface_base >> 8),
                               format << 20 | 3u << 30,
                               15 | 63u << 14,
                               0xfacu | SW_64KB_R_X << 20 | 9u << 28,
                               0,
                               0,
                               flags | (uint32_t)(keys_base >> 8 & 0xff) << 24,
                               (uint32_t)(keys_base >> 16)};
    memcpy(words, image, sizeof image);
}

static struct subject *create(enum ir_image_kind kind)
{
    struct subject *s = calloc(1, sizeof *s);
    assert_non_null(s);
    s->b = bench_create(LANES);
    s->surface = aligned_alloc(SURFACE_BYTES, SURFACE_BYTES);
    s->keys = aligned_alloc(KEY_BYTES, KEY_BYTES);
    assert_true(s->surface && s->keys);
    for (unsigned i = 0; i < SURFACE_BYTES; i++)
        s->surface[i] = bench_pattern(i);
    memset(s->keys, UNCOMPRESSED, KEY_BYTES);
    s->b->runs[1] = (struct wave_run){.start = surface_base, .size = SURFACE_BYTES, .host = s->surface, .writable = true};
    s->b->runs[2] = (struct wave_run){.start = keys_base, .size = KEY_BYTES, .host = s->keys, .writable = true};
    s->unit.filtered = s->filtered;
    s->b->w->unit = &s->unit;
    s->b->shared.variant.tier = &wave_tier_baseline;
    s->b->shared.variant.lower.chip = ISA_GFX1030;
    s->image = (struct ir_image){
        .kind = (uint8_t)kind, .dim = IR_DIM_2D, .dmask = 15, .data_words = 4, .result_words = 4, .address_words = 2};
    memset(s->image.at, IR_AT_NOWHERE, sizeof s->image.at);
    s->image.at[IR_PART_X] = 0;
    s->image.at[IR_PART_Y] = IR_AT_WORD;
    s->op = (struct wave_op){.d = wave_v_offset(SLOT_TEXEL, LANES),
                             .a = wave_s_offset(DESCRIPTOR),
                             .c = wave_v_offset(SLOT_TEXEL, LANES),
                             .e = wave_v_offset(SLOT_X, LANES),
                             .m = wave_s_offset(IR_EXEC),
                             .aux = &s->image};
    for (unsigned lane = 0; lane < LANES; lane++)
        bench_slot(s->b, SLOT_X)[lane] = bench_slot(s->b, SLOT_X + 1)[lane] = 0;
    describe(s, F_8_8_8_8_UNORM, COMPRESSED | PIPE_ALIGNED | ALPHA_HIGH);
    return s;
}

static void destroy(struct subject *s)
{
    free(s->b->worker.images);
    free(s->surface);
    free(s->keys);
    bench_destroy(s->b);
    free(s);
}

/* Whether the wave goes on behind the operation: as programs run it, by the tier's handler where that has one. */
static bool run(struct subject *s)
{
    struct ir_func func = {.wave_size = LANES, .images = &s->image, .image_count = 1};
    struct ir_inst inst = {.op = IR_image};
    struct wave_op ops[2] = {s->op, {.fn = bench_end}};
    wave_fn quick = wave_memory_vec_handler_baseline(&func, &inst, 0);
    s->b->w->status = WAVE_RUNNING;
    (void)(quick ? quick : wave_image_handler(&func, &inst))(s->b->w, ops);
    return s->b->w->status == WAVE_RUNNING;
}

static void assert_refused(struct subject *s)
{
    assert_false(run(s));
    assert_int_equal(s->b->w->status, WAVE_STOPPED);
    assert_int_equal(s->b->kind, WAVE_FAULT_IMAGE);
}

/* The first texel, which is the first of its 256 bytes' too. */
static void assert_texel(struct subject *s, unsigned lane, uint32_t x, uint32_t y, uint32_t z, uint32_t w)
{
    const uint32_t expected[] = {x, y, z, w};
    for (unsigned n = 0; n < 4; n++)
        assert_int_equal(bench_slot(s->b, SLOT_TEXEL + n)[lane], expected[n]);
}

static uint32_t unorm(uint8_t code)
{
    float value = (float)code / 255.0f;
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static void a_load_reads_memory_where_the_key_says_so(void **state)
{
    (void)state;
    struct subject *s = create(IR_IMAGE_LOAD);
    assert_true(run(s));
    assert_texel(s, 5, unorm(bench_pattern(0)), unorm(bench_pattern(1)), unorm(bench_pattern(2)), unorm(bench_pattern(3)));
    assert_int_equal(s->b->faults, 0);
    destroy(s);
}

static void a_cleared_key_stands_for_its_elements(void **state)
{
    (void)state;
    struct subject *s = create(IR_IMAGE_LOAD);
    memset(s->keys, CLEAR_0001, KEY_BYTES);
    assert_true(run(s));
    assert_texel(s, 0, 0, 0, 0, one);
    memset(s->keys, CLEAR_1111, KEY_BYTES);
    assert_true(run(s));
    assert_texel(s, 31, one, one, one, one);
    destroy(s);
}

static void elements_are_as_the_first_where_the_key_says_so(void **state)
{
    (void)state;
    struct subject *s = create(IR_IMAGE_LOAD);
    memset(s->keys, CLEAR_FIRST, KEY_BYTES);
    bench_slot(s->b, SLOT_X)[3] = 1; /* four bytes further: x's lowest bit */
    assert_true(run(s));
    assert_texel(s, 3, unorm(bench_pattern(0)), unorm(bench_pattern(1)), unorm(bench_pattern(2)), unorm(bench_pattern(3)));
    destroy(s);
}

static void keys_that_only_the_hardware_can_follow_stop_the_wave(void **state)
{
    (void)state;
    static const uint8_t keys[] = {CLEAR_REGISTER, 0x31};
    for (unsigned i = 0; i < sizeof keys; i++) {
        struct subject *s = create(i ? IR_IMAGE_STORE : IR_IMAGE_LOAD);
        memset(s->keys, keys[i], KEY_BYTES);
        assert_refused(s);
        for (unsigned at = 0; at < SURFACE_BYTES; at++)
            assert_int_equal(s->surface[at], bench_pattern(at));
        destroy(s);
    }
}

static void a_store_makes_memory_what_the_key_stood_for_and_says_so(void **state)
{
    (void)state;
    struct subject *s = create(IR_IMAGE_STORE);
    memset(s->keys, CLEAR_1111, KEY_BYTES);
    s->b->w->s[IR_EXEC] = 1;
    for (unsigned n = 0; n < 4; n++)
        bench_slot(s->b, SLOT_TEXEL + n)[0] = n == 1 ? one : 0;
    assert_true(run(s));
    static const uint8_t stored[] = {0, 255, 0, 0};
    assert_memory_equal(s->surface, stored, sizeof stored);
    for (unsigned at = sizeof stored; at < COVER; at++)
        assert_int_equal(s->surface[at], 255);
    for (unsigned at = COVER; at < SURFACE_BYTES; at++)
        assert_int_equal(s->surface[at], bench_pattern(at));
    unsigned marked = 0;
    for (unsigned at = 0; at < KEY_BYTES; at++) {
        assert_true(s->keys[at] == UNCOMPRESSED || s->keys[at] == CLEAR_1111);
        marked += s->keys[at] == UNCOMPRESSED;
    }
    assert_int_equal(marked, 1);
    assert_false(s->b->shared.keys_held);
    destroy(s);
}

static void keys_that_are_not_mapped_are_a_fault_and_zeros(void **state)
{
    (void)state;
    struct subject *s = create(IR_IMAGE_LOAD);
    s->b->runs[2].size = 0;
    assert_true(run(s));
    assert_texel(s, 0, 0, 0, 0, 0);
    assert_int_equal(s->b->kind, WAVE_FAULT_UNMAPPED_READ);
    destroy(s);
}

static void descriptors_that_cannot_be_used_stop_the_wave(void **state)
{
    (void)state;
    enum { TYPE_WORD = 3, TYPE_SHIFT = 28, SWIZZLE_SHIFT = 20, NO_SWIZZLE = 23 };
    struct subject *s = create(IR_IMAGE_LOAD);
    s->b->w->s[DESCRIPTOR + TYPE_WORD] = 0xfacu | 1u << TYPE_SHIFT;
    assert_refused(s);
    destroy(s);
    s = create(IR_IMAGE_LOAD);
    s->b->w->s[DESCRIPTOR + TYPE_WORD] = 0xfacu | NO_SWIZZLE << SWIZZLE_SHIFT | 9u << TYPE_SHIFT;
    assert_refused(s);
    destroy(s);
}

/* What is remembered of descriptors shares a few places: one that took another's is refused each time all the same. */
static void a_descriptor_that_cannot_be_used_stops_every_wave(void **state)
{
    (void)state;
    enum { TYPE_WORD = 3, SWIZZLE_SHIFT = 20, NO_SWIZZLE = 23, TRIES = 200 };
    struct subject *s = create(IR_IMAGE_LOAD);
    for (unsigned n = 0; n < TRIES; n++) {
        describe(s, F_32_UINT, 0);
        assert_true(run(s));
        s->b->w->s[DESCRIPTOR] += n;
        s->b->w->s[DESCRIPTOR + TYPE_WORD] = 0xfacu | NO_SWIZZLE << SWIZZLE_SHIFT | 9u << 28;
        assert_refused(s);
        assert_refused(s);
    }
    destroy(s);
}

static void an_atomic_wants_elements_of_its_own_width(void **state)
{
    (void)state;
    struct subject *s = create(IR_IMAGE_ATOMIC);
    s->image.flags = IR_IM_WIDE;
    s->image.atomic = IR_A_ADD;
    describe(s, F_32_UINT, 0);
    assert_refused(s);
    s->image.flags = 0;
    s->b->w->s[IR_EXEC] = 0x11;
    for (unsigned lane = 0; lane < LANES; lane++)
        bench_slot(s->b, SLOT_TEXEL)[lane] = lane + 1;
    uint32_t before, after;
    memcpy(&before, s->surface, sizeof before);
    assert_true(run(s));
    memcpy(&after, s->surface, sizeof after);
    assert_int_equal(after, before + 1 + 5);
    destroy(s);
}

static void a_hierarchy_of_another_type_stops_the_wave(void **state)
{
    (void)state;
    struct subject *s = create(IR_IMAGE_RAY);
    assert_refused(s);
    destroy(s);
}

static bool nothing_is_known(struct wave *w, uint64_t address, uint32_t bytes)
{
    (void)w, (void)address, (void)bytes;
    return false;
}

static void memory_that_is_not_known_is_not_read(void **state)
{
    (void)state;
    struct subject *s = create(IR_IMAGE_LOAD);
    describe(s, F_8_8_8_8_UNORM, 0);
    s->b->w->may_read = nothing_is_known;
    assert_true(run(s));
    assert_texel(s, 0, 0, 0, 0, 0);
    assert_int_equal(s->b->faults, 0);
    destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_load_reads_memory_where_the_key_says_so),
        cmocka_unit_test(a_cleared_key_stands_for_its_elements),
        cmocka_unit_test(elements_are_as_the_first_where_the_key_says_so),
        cmocka_unit_test(keys_that_only_the_hardware_can_follow_stop_the_wave),
        cmocka_unit_test(a_store_makes_memory_what_the_key_stood_for_and_says_so),
        cmocka_unit_test(keys_that_are_not_mapped_are_a_fault_and_zeros),
        cmocka_unit_test(descriptors_that_cannot_be_used_stop_the_wave),
        cmocka_unit_test(a_descriptor_that_cannot_be_used_stops_every_wave),
        cmocka_unit_test(an_atomic_wants_elements_of_its_own_width),
        cmocka_unit_test(a_hierarchy_of_another_type_stops_the_wave),
        cmocka_unit_test(memory_that_is_not_known_is_not_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
