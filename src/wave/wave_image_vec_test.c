/* Images by vectors of lanes against the lanes' own path: random descriptors, samplers, coordinates and memory; equal to the
 * bit. */
#include "image/image_sampler.h"
#include "wave/wave_image.h"
#include "wave/wave_memory_testing.h"

enum {
    ROUNDS = 20000,
    LANES = 64,
    SLOT_X = 16,
    SLOT_Y,
    SLOT_Z,
    SLOT_LOD,
    SLOT_COMPARE,
    SLOT_OFFSETS,
    SLOT_CLAMP,
    SLOT_BIAS,
    SLOT_DX, /* of x, y and z; steps to the right, then down */
    SLOT_DY = SLOT_DX + 3,
    IMAGE_BYTES = 1 << 22
};

static const struct wave_tier *const tiers[] = {&wave_tier_avx512, &wave_tier_avx2, &wave_tier_baseline};

static uint64_t seed = 1;

static uint32_t random_below(uint32_t count)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((seed >> 33) % count);
}

static float random_float(float low, float high)
{
    return low + (high - low) * (float)random_below(1 << 24) / (1 << 24);
}

/* From texel to texel; none and immeasurable ones too. */
static float random_step(void)
{
    static const float odd[] = {0, INFINITY, NAN, 1e-30f, 1e30f, 0x1p-140f};
    if (random_below(20) == 0)
        return odd[random_below(sizeof odd / sizeof *odd)];
    return random_float(-1, 1) / (float)(1u << random_below(8));
}

struct trial {
    struct bench *b;
    struct wave_image_bound bound;
    struct ir_image image;
    struct wave_op op;
    uint8_t *memory;
    unsigned done[3]; /* by vectors: loads and stores, samples, gathers */
    unsigned shapes[IR_DIM_COUNT];
    uint64_t stamps;
};

static bool read_element(void *user, unsigned mip, uint32_t x, uint32_t y, uint32_t z, uint32_t sample, uint8_t *bytes)
{
    const struct trial *t = user;
    uint64_t at = image_view_address(&t->bound.view, mip, x, y, z, sample) - t->bound.view.base;
    memcpy(bytes, t->memory + at, t->bound.view.element_bytes);
    return true;
}

/* Formats of each number type and element size. */
static const uint16_t formats[] = {36,  43,  1,   2,   5,   7,   13,  14,  20,  22,  29,  36,  50,  55,  56,
                                   57,  60,  61,  63,  64,  65,  66,  71,  75,  77,  128, 130, 133, 134, 4,
                                   169, 170, 171, 172, 173, 174, 175, 176, 177, 178, 179, 180, 181, 182};

static bool set_descriptors(struct trial *t)
{
    static const uint8_t swizzles[] = {0, 9, 10, 27, 25, 26, 22};
    uint32_t format = formats[random_below(sizeof formats / sizeof *formats)], swizzle = swizzles[random_below(sizeof swizzles)];
    uint32_t width = random_below(3) ? 1 + random_below(90) : 1 + random_below(5), height = 1 + random_below(70),
             levels = random_below(5);
    static const uint8_t types[] = {IMAGE_TYPE_2D, IMAGE_TYPE_2D, IMAGE_TYPE_2D_ARRAY, IMAGE_TYPE_1D,  IMAGE_TYPE_1D_ARRAY,
                                    IMAGE_TYPE_3D, IMAGE_TYPE_3D, IMAGE_TYPE_CUBE,     IMAGE_TYPE_CUBE};
    uint32_t type = types[random_below(sizeof types)], select[4], layers = random_below(4), first = random_below(layers + 1);
    if (type == IMAGE_TYPE_1D || type == IMAGE_TYPE_1D_ARRAY) {
        height = 1;
        swizzle = 0;
    } else if (type == IMAGE_TYPE_3D) {
        layers = random_below(12); /* and one more: the depth */
        first = 0;
    } else if (type == IMAGE_TYPE_CUBE) {
        height = width;
        first = random_below(3);
        layers = first + (random_below(4) ? 6 * (1 + random_below(2)) - 1 : random_below(6)); /* some lack faces */
    } else if (type == IMAGE_TYPE_2D) {
        layers = first = 0;
    }
    for (unsigned n = 0; n < 4; n++)
        select[n] = random_below(4) ? 4 + n : (uint32_t[]){0, 1, 4, 5, 6, 7}[random_below(6)];
    const uint32_t image_words[8] = {
        (uint32_t)(bench_start >> 8),
        (uint32_t)(bench_start >> 40) | format << 20 | ((width - 1) & 3) << 30,
        (width - 1) >> 2 | (height - 1) << 14,
        select[0] | select[1] << 3 | select[2] << 6 | select[3] << 9 | random_below(levels + 1) << 12 | levels << 16 |
            swizzle << 20 | type << 28,
        layers | first << 16,
        levels << 4,
    };
    const uint32_t sampler_words[4] = {
        random_below(8) | random_below(8) << 3 | random_below(8) << 6 | (random_below(6) ? 0 : random_below(3)) << 29 |
            random_below(8) << 12 | (random_below(8) == 0) << 15 | random_below(2) << 27 | random_below(3) << 9,
        random_below(300) | (random_below(2) ? 0xfffu : random_below(1200)) << 12,
        (random_below(2) ? 0 : random_below(1 << 14)) | random_below(4) << 20 | random_below(4) << 22 |
            (random_below(4) ? 0 : random_below(3)) << 24 | random_below(3) << 26,
        random_below(3) << 30,
    };
    struct image_sampler sampler;
    memset(&t->bound, 0, sizeof t->bound);
    t->bound.sampled = true;
    if (image_view_decode(image_config_of(IMAGE_CHIP_NAVI21), image_words, false, &t->bound.view))
        return false;
    image_sampler_decode(sampler_words, &sampler);
    if (image_sampling_prepare(&t->bound.sampling, &t->bound.view, &sampler, NULL))
        return false;
    wave_image_plan_make(&t->bound);
    t->bound.stamp = ++t->stamps;
    return t->bound.plan.usable && t->bound.plan.extent <= IMAGE_BYTES;
}

static void set_operation(struct trial *t, unsigned kind)
{
    const struct image_view *view = &t->bound.view;
    struct ir_image *image = &t->image;
    bool sampled = kind == IR_IMAGE_SAMPLE || kind == IR_IMAGE_GATHER, level = random_below(2),
         steps = sampled && !level && random_below(2);
    memset(image, 0, sizeof *image);
    memset(image->at, IR_AT_NOWHERE, sizeof image->at);
    image->kind = (uint8_t)kind;
    image->dim = (uint8_t)(view->type - IMAGE_TYPE_1D); /* they have the same order */
    image->dmask = (uint8_t)(1 + random_below(15));
    image->result_words = image->data_words = (uint8_t)__builtin_popcount(image->dmask);
    if (kind == IR_IMAGE_GATHER)
        image->result_words = IMAGE_COMPONENTS;
    if (random_below(6) == 0) {
        image->flags |= IR_IM_D16;
        image->result_words = image->data_words = (uint8_t)((image->result_words + 1) / 2);
    }
    if (random_below(6) == 0)
        image->flags |= IR_IM_TFE;
    bool has_y = image->dim != IR_DIM_1D,
         has_z = image->dim == IR_DIM_3D || image->dim == IR_DIM_CUBE || image->dim == IR_DIM_2D_ARRAY,
         wide = image->dim != IR_DIM_1D && image->dim != IR_DIM_1D_ARRAY, deep = image->dim == IR_DIM_3D;
    const struct {
        uint8_t part, slot;
        bool has;
    } parts[] = {
        {IR_PART_X, SLOT_X, true},
        {IR_PART_Y, SLOT_Y, has_y},
        {IR_PART_Z, SLOT_Z, has_z},
        {IR_PART_LOD, SLOT_LOD, level},
        {IR_PART_BIAS, SLOT_BIAS, sampled && !level && random_below(4) == 0},
        {IR_PART_DX, SLOT_DX, steps},
        {IR_PART_DX + 1, SLOT_DX + 1, steps && wide},
        {IR_PART_DX + 2, SLOT_DX + 2, steps && deep},
        {IR_PART_DY, SLOT_DY, steps},
        {IR_PART_DY + 1, SLOT_DY + 1, steps && wide},
        {IR_PART_DY + 2, SLOT_DY + 2, steps && deep},
        {IR_PART_COMPARE, SLOT_COMPARE, sampled && random_below(4) == 0 && !image_format_integer(view->format)},
        {IR_PART_OFFSET, SLOT_OFFSETS, sampled && random_below(4) == 0},
        {IR_PART_CLAMP, SLOT_CLAMP, sampled && random_below(8) == 0},
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].has)
            image->at[parts[i].part] = (uint8_t)((parts[i].slot - SLOT_X) * IR_AT_WORD + IR_AT_WHOLE);
    if (sampled && !level && !steps && random_below(2))
        image->flags |= IR_IM_ZERO;
    unsigned halves = sampled && random_below(8) == 0 ? 1 + random_below(2) : 0;
    for (unsigned part = IR_PART_X; halves && part <= IR_PART_Z; part++)
        if (image->at[part] != IR_AT_NOWHERE)
            image->at[part] = (uint8_t)(image->at[part] / IR_AT_WORD * IR_AT_WORD + (halves == 1 ? IR_AT_LOW : IR_AT_HIGH));
    t->op = (struct wave_op){.d = wave_v_offset(SLOT_DATA, LANES),
                             .c = wave_v_offset(SLOT_DATA2, LANES),
                             .e = wave_v_offset(SLOT_X, LANES),
                             .m = wave_s_offset(IR_EXEC),
                             .aux = image};
}

static void put_float(struct trial *t, unsigned slot, unsigned lane, float x)
{
    memcpy(&bench_slot(t->b, slot)[lane], &x, sizeof x);
}

/* Coordinates of what is no flat image: faces with their origin and somewhat more, layers in y. */
static void set_shape_lane(struct trial *t, unsigned lane, bool same, uint32_t layer)
{
    const struct image_view *view = &t->bound.view;
    float scale = t->bound.sampling.sampler.unnormalized ? 64.0f : 1.0f;
    if (view->type == IMAGE_TYPE_CUBE) {
        bool edges = random_below(2);
        for (unsigned n = 0; n < 2; n++) {
            float at =
                random_below(3) || !edges ? random_float(edges ? -0.1f : 0.1f, edges ? 1.1f : 0.9f) : (float)random_below(2);
            put_float(t, SLOT_X + n, lane, 1 + at * scale);
        }
        put_float(t, SLOT_Z, lane, same ? (float)layer : random_float(-1, 20));
    } else if (view->type == IMAGE_TYPE_1D_ARRAY) {
        put_float(t, SLOT_Y, lane, same ? (float)layer : random_float(-1, 4));
    } else if (view->volume) {
        put_float(t, SLOT_Z, lane, random_float(-1.5f, 2.5f) * scale);
    }
}

static void set_lanes(struct trial *t)
{
    const struct image_view *view = &t->bound.view;
    bool sampled = wave_image_sampled(&t->image), same = random_below(2);
    uint32_t level = random_below(view->last_level - view->base_level + 1u),
             layer = random_below(view->last_slice - view->first_slice + 2u);
    float scale = t->bound.sampling.sampler.unnormalized ? 64.0f : 1.0f, lod = random_float(-1, 5);
    for (unsigned lane = 0; lane < LANES; lane++) {
        bench_slot(t->b, SLOT_OFFSETS)[lane] = random_below(64) | random_below(64) << 8;
        for (unsigned n = 0; n < 4; n++)
            bench_slot(t->b, SLOT_DATA2 + n)[lane] = random_below(2) ? (uint32_t)seed : 0x3f000000u + random_below(1 << 23);
        if (!sampled) {
            bench_slot(t->b, SLOT_X)[lane] = random_below(view->width + 3u);
            bench_slot(t->b, SLOT_Y)[lane] = random_below(view->height + 3u);
            bench_slot(t->b, SLOT_Z)[lane] = same ? layer : random_below(view->last_slice - view->first_slice + 2u);
            if (view->type == IMAGE_TYPE_1D_ARRAY)
                bench_slot(t->b, SLOT_Y)[lane] = bench_slot(t->b, SLOT_Z)[lane];
            bench_slot(t->b, SLOT_LOD)[lane] = level;
            continue;
        }
        put_float(t, SLOT_X, lane,
                  random_below(50) ? random_float(-1.5f, 2.5f) * scale
                                   : (float[]){NAN, INFINITY, -INFINITY, 1e30f}[random_below(4)]);
        put_float(t, SLOT_Y, lane, random_float(-1.5f, 2.5f) * scale);
        put_float(t, SLOT_Z, lane, same ? (float)layer : random_float(-1, 4));
        put_float(t, SLOT_LOD, lane, same ? lod : random_float(-1, 5));
        put_float(t, SLOT_COMPARE, lane, random_float(-0.5f, 1.5f));
        put_float(t, SLOT_CLAMP, lane, random_float(0, 3));
        put_float(t, SLOT_BIAS, lane, random_float(-2, 2));
        for (unsigned n = 0; n < 6; n++)
            put_float(t, SLOT_DX + n, lane, random_step());
        set_shape_lane(t, lane, same, layer);
    }
    t->b->w->s[IR_EXEC] = random_below(4) ? ~0u : (uint32_t)seed;
    t->b->w->s[IR_EXEC + 1] = random_below(4) ? ~0u : (uint32_t)(seed >> 32);
}

/* What a lane's components shall be. */
static struct image_texel expected_of(const struct trial *t, unsigned lane, const struct image_coordinates *at,
                                      const struct wave_image_address *address)
{
    struct image_fetch fetch = {(void *)(uintptr_t)t, read_element};
    struct image_request request = wave_image_request(&t->image);
    struct image_texel texel;
    if (t->image.kind == IR_IMAGE_SAMPLE) {
        image_sample_lane(&t->bound.sampling, &fetch, &request, &at[lane], &texel);
    } else if (t->image.kind == IR_IMAGE_GATHER) {
        image_gather_lane(&t->bound.sampling, &fetch, &request, &at[lane], &texel);
    } else {
        struct image_place place = wave_image_place(&t->image, &t->bound.view, address, lane);
        image_load_lane(&t->bound.sampling, &fetch, &place, &texel);
    }
    return texel;
}

static bool is_nan(uint32_t bits)
{
    return (bits & 0x7fffffffu) > 0x7f800000u;
}

/* Halves in place of floats: what the lanes' own path makes of results, and a half that stays. */
static void check_halves(const struct trial *t, unsigned lane, const struct image_texel *expected)
{
    const struct image_buffer_format *format = &t->bound.view.format->packed;
    unsigned word = 0, half = 0;
    for (unsigned k = 0; k < IMAGE_COMPONENTS; k++) {
        if (t->image.kind != IR_IMAGE_GATHER && !(t->image.dmask >> k & 1))
            continue;
        uint16_t got = (uint16_t)(bench_slot(t->b, SLOT_DATA + word)[lane] >> half * 16),
                 wanted = image_half_from_component(format, expected->c[k]);
        bool nans = !image_format_is_integer(format) && (got & 0x7fff) > 0x7c00 && (wanted & 0x7fff) > 0x7c00;
        if (got != wanted && !nans)
            fail_msg("format %s, lane %u, component %u: half %#x, not %#x", t->bound.view.format->name, lane, k, got, wanted);
        word += half;
        half ^= 1;
    }
    if (half)
        assert_int_equal(bench_slot(t->b, SLOT_DATA + word)[lane] >> 16, 0xdead);
}

static void check_results(const struct trial *t, unsigned lane, const struct image_texel *expected)
{
    if (t->image.flags & IR_IM_TFE)
        assert_int_equal(bench_slot(t->b, SLOT_DATA + t->image.result_words)[lane], 0);
    if (t->image.flags & IR_IM_D16) {
        check_halves(t, lane, expected);
        return;
    }
    for (unsigned k = 0, word = 0; k < IMAGE_COMPONENTS; k++) {
        if (t->image.kind != IR_IMAGE_GATHER && !(t->image.dmask >> k & 1))
            continue;
        uint32_t got = bench_slot(t->b, SLOT_DATA + word++)[lane];
        if (got != expected->c[k] && !(is_nan(got) && is_nan(expected->c[k])))
            fail_msg("format %s, lane %u, component %u: %#x, not %#x", t->bound.view.format->name, lane, k, got, expected->c[k]);
    }
}

static void try_reading(struct trial *t, const struct wave_tier *tier)
{
    struct wave_image_address address;
    struct image_coordinates at[LANES];
    struct image_texel expected[LANES];
    uint64_t lanes = wave_mask_lanes(t->b->w, &t->op);
    wave_image_read_address(t->b->w, &t->op, &address);
    wave_image_coordinates(t->b->w, &t->op, &address, at);
    for (unsigned lane = 0; lane < LANES; lane++) {
        if (lanes >> lane & 1)
            expected[lane] = expected_of(t, lane, at, &address);
        for (unsigned n = 0; n < 5; n++)
            bench_slot(t->b, SLOT_DATA + n)[lane] = 0xdeadbeefu;
    }
    bool done = tier->image(t->b->w, &t->op, &t->bound);
    if (done && random_below(2)) { /* again, by what the worker has kept */
        for (unsigned lane = 0; lane < LANES; lane++)
            for (unsigned n = 0; n < 5; n++)
                bench_slot(t->b, SLOT_DATA + n)[lane] = 0xdeadbeefu;
        done = tier->image(t->b->w, &t->op, &t->bound);
    }
    t->done[t->image.kind == IR_IMAGE_GATHER ? 2 : t->image.kind == IR_IMAGE_SAMPLE] += done;
    t->shapes[t->image.dim] += done;
    for (unsigned lane = 0; lane < LANES; lane++) {
        if (!done || !(lanes >> lane & 1))
            assert_int_equal(bench_slot(t->b, SLOT_DATA)[lane], 0xdeadbeefu);
        else
            check_results(t, lane, &expected[lane]);
    }
}

static void try_writing(struct trial *t, const struct wave_tier *tier)
{
    uint8_t *wanted = malloc(IMAGE_BYTES);
    assert_non_null(wanted);
    memcpy(wanted, t->memory, IMAGE_BYTES);
    struct wave_image_address address;
    wave_image_read_address(t->b->w, &t->op, &address);
    for (uint64_t left = wave_mask_lanes(t->b->w, &t->op); left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        struct image_place place = wave_image_place(&t->image, &t->bound.view, &address, lane);
        struct image_texel texel = wave_image_get(t->b->w, &t->op, t->bound.view.format, lane);
        if (image_place_resolve(&t->bound.view, &place))
            image_store_element(
                &t->bound.sampling, &texel,
                wanted + (image_view_address(&t->bound.view, place.mip, place.x, place.y, place.z, 0) - t->bound.view.base));
    }
    bool done = tier->image(t->b->w, &t->op, &t->bound);
    t->done[0] += done;
    if (done && memcmp(wanted, t->memory, IMAGE_BYTES))
        fail_msg("format %s is stored otherwise", t->bound.view.format->name);
    free(wanted);
}

static void vectors_do_what_lanes_do(void **state)
{
    static const uint8_t kinds[] = {IR_IMAGE_GATHER, IR_IMAGE_LOAD,   IR_IMAGE_STORE, IR_IMAGE_SAMPLE,
                                    IR_IMAGE_SAMPLE, IR_IMAGE_SAMPLE, IR_IMAGE_SAMPLE};
    (void)state;
    for (size_t n = 0; n < sizeof tiers / sizeof *tiers; n++) {
        struct trial *t = calloc(1, sizeof *t);
        assert_non_null(t);
        if (!tiers[n]->present()) {
            free(t);
            continue;
        }
        t->b = bench_create(LANES);
        t->memory = aligned_alloc(256, IMAGE_BYTES);
        assert_non_null(t->memory);
        assert_non_null(wave_image_cache_of(t->b->w));
        for (unsigned i = 0; i < IMAGE_BYTES; i++)
            t->memory[i] = (uint8_t)(random_below(1 << 16) >> 8);
        for (unsigned write = 0; write < 2; write++)
            for (unsigned slot = 0; slot < WAVE_RUN_SLOTS; slot++)
                t->b->worker.runs[write][slot] =
                    (struct wave_run){.start = bench_start, .size = IMAGE_BYTES, .host = t->memory, .writable = true};
        for (unsigned round = 0; round < ROUNDS; round++) {
            if (!set_descriptors(t))
                continue;
            set_operation(t, kinds[random_below(sizeof kinds)]);
            set_lanes(t);
            if (t->image.kind == IR_IMAGE_STORE) {
                if (round % 8 == 0) /* the comparison of memory takes its time */
                    try_writing(t, tiers[n]);
            } else {
                try_reading(t, tiers[n]);
            }
        }
        assert_true(t->done[0] > ROUNDS / 20 && t->done[1] > ROUNDS / 10 && t->done[2] > ROUNDS / 40);
        for (unsigned dim = 0; dim <= IR_DIM_2D_ARRAY; dim++)
            assert_true(t->shapes[dim] > ROUNDS / 40);
        free(t->memory);
        free(t->b->worker.images);
        bench_destroy(t->b);
        free(t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(vectors_do_what_lanes_do)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
