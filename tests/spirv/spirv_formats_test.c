/* Conversions of all buffer and image formats in modules, on every code that components of up to 16 bits have, and on floats around every
 * place where a store rounds. */
#include <immintrin.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/base_bits.h"
#include "image/image.h"
#include "image/image_texel.h"
#include "ir/ir.h"
#include "lower/lower.h"
#include "spirv/spirv.h"
#include "spirv/spirv_layout.h"
#include "spirv/spirv_validate.h"
#include "vulkan/vulkan_host.h"
#include "vulkan/vulkan_views.h"

enum { LANES = 64, ELEMENTS = 1 << 16, WORDS = 4, PARAM_WORDS = 2048, BUDGET = 1000, LDS_WORDS = 1 };
enum {
    RAW_32 = 22,
    FORMAT_SHIFT = 12,
    IN_ORDER = 4 | 5 << 3 | 6 << 6 | 7 << 9,
    STRIDE_SHIFT = 16,
    USER_SGPRS = 8,
    IMAGE_SGPRS = 16,
    IMAGE_FORMATS_END = 300,
    SIDE = 256
};

struct program {
    const uint32_t *words;
    size_t count;
};
#define PROGRAM(array) ((struct program){array, sizeof(array) / sizeof *(array)})

static const uint64_t base_of[2] = {UINT64_C(0x100000000), UINT64_C(0x200000000)}; /* of elements, and of registers */

static struct {
    struct vulkan_host *host;
    struct spirv_library *library;
    struct vulkan_buffer params, status, memory[2], views;
} it;

/* Each lane takes its element by the V# in s[0:3], and its registers by the one in s[4:7]. Words as llvm-mc makes them for gfx1030. */
static const uint32_t load_words[] = {
    0x8f098608,             /* s_lshl_b32 s9, s8, 6 */
    0x4a040009,             /* v_add_nc_u32_e32 v2, s9, v0 */
    0xe00c2000, 0x80000402, /* buffer_load_format_xyzw v[4:7], v2, s[0:3], 0 idxen */
    0xbf8c3f70,             /* s_waitcnt vmcnt(0) */
    0xe0782000, 0x80010402, /* buffer_store_dwordx4 v[4:7], v2, s[4:7], 0 idxen */
    0xbf810000,             /* s_endpgm */
};
static const uint32_t store_words[] = {
    0x8f098608,             /* s_lshl_b32 s9, s8, 6 */
    0x4a040009,             /* v_add_nc_u32_e32 v2, s9, v0 */
    0xe0382000, 0x80010402, /* buffer_load_dwordx4 v[4:7], v2, s[4:7], 0 idxen */
    0xbf8c3f70,             /* s_waitcnt vmcnt(0) */
    0xe01c2000, 0x80000402, /* buffer_store_format_xyzw v[4:7], v2, s[0:3], 0 idxen */
    0xbf810000,             /* s_endpgm */
};

/* The same with a picture of 256 by 256 texels, whose T# is in s[0:7]; registers by s[8:11]. */
static const uint32_t image_load_words[] = {
    0x8f118610,             /* s_lshl_b32 s17, s16, 6 */
    0x4a040011,             /* v_add_nc_u32_e32 v2, s17, v0 */
    0x361004ff, 0x000000ff, /* v_and_b32_e32 v8, 0xff, v2 */
    0x2c120488,             /* v_lshrrev_b32_e32 v9, 8, v2 */
    0xf0001f08, 0x00000408, /* image_load v[4:7], v[8:9], s[0:7] dmask:0xf dim:SQ_RSRC_IMG_2D unorm */
    0xbf8c3f70,             /* s_waitcnt vmcnt(0) */
    0xe0782000, 0x80020402, /* buffer_store_dwordx4 v[4:7], v2, s[8:11], 0 idxen */
    0xbf810000,             /* s_endpgm */
};
static const uint32_t image_store_words[] = {
    0x8f118610,             /* s_lshl_b32 s17, s16, 6 */
    0x4a040011,             /* v_add_nc_u32_e32 v2, s17, v0 */
    0x361004ff, 0x000000ff, /* v_and_b32_e32 v8, 0xff, v2 */
    0x2c120488,             /* v_lshrrev_b32_e32 v9, 8, v2 */
    0xe0382000, 0x80020402, /* buffer_load_dwordx4 v[4:7], v2, s[8:11], 0 idxen */
    0xbf8c3f70,             /* s_waitcnt vmcnt(0) */
    0xf0201f08, 0x00000408, /* image_store v[4:7], v[8:9], s[0:7] dmask:0xf dim:SQ_RSRC_IMG_2D unorm */
    0xbf810000,             /* s_endpgm */
};

static size_t fetch(void *user, uint64_t pc, uint32_t *words, size_t count)
{
    const struct program *program = user;
    size_t at = (size_t)(pc / sizeof *words), there = at < program->count ? program->count - at : 0;
    count = count < there ? count : there;
    memcpy(words, program->words + at, count * sizeof *words);
    return count;
}

/* module: to be destroyed by the caller; its words are compiled. forms: enum spirv_form. */
static struct vulkan_pipeline *compile(struct program program, unsigned user_sgprs, uint32_t forms, struct spirv_module **module)
{
    const struct lower_config config = {.chip = ISA_GFX1030, .wave_size = LANES};
    const struct lower_fetch from = {&program, fetch};
    const struct spirv_options options = {.subgroup = vulkan_host_facts(it.host)->subgroup,
                                          .waves = 1,
                                          .rsrc2 = user_sgprs << 1 | 1 << 7,
                                          .forms = forms,
                                          .gfx10_3 = true,
                                          .denormals = vulkan_host_facts(it.host)->denormals,
                                          .narrow = vulkan_host_facts(it.host)->narrow,
                                          .full = true};
    struct ir_func *func = lower_program(&config, &from, 0);
    char reason[SPIRV_REASON_SIZE], error[256];
    assert_non_null(func);
    struct spirv_module *m = spirv_module_create(it.library, func, &options, reason);
    if (!m)
        fail_msg("%s", reason);
    if (!spirv_validate(m->words, m->word_count, error, sizeof error))
        fail_msg("%s", error);
    struct vulkan_pipeline *pipeline = vulkan_pipeline_create(it.host, m->words, m->word_count, LDS_WORDS, NULL);
    assert_non_null(pipeline);
    *module = m;
    ir_func_destroy(func);
    return pipeline;
}

static void put_descriptor(uint32_t *w, uint64_t base, unsigned stride, unsigned format)
{
    w[0] = (uint32_t)base;
    w[1] = (uint32_t)(base >> 32) | (uint32_t)stride << STRIDE_SHIFT;
    w[2] = ELEMENTS;
    w[3] = (uint32_t)format << FORMAT_SHIFT | IN_ORDER;
}

/* scalars: count user data words. */
static void start(struct vulkan_pipeline *pipeline, const uint32_t *scalars, unsigned count)
{
    uint32_t *w = it.params.at;
    const uint64_t table = it.params.address + P_RUNS * sizeof *w;
    const uint32_t one[] = {1, 1, 1};
    memset(w, 0, PARAM_WORDS * sizeof *w);
    memcpy(w, scalars, count * sizeof *w);
    memcpy(w + P_VIEWS, &it.views.address, sizeof it.views.address);
    memcpy(w + P_GROUPS, one, sizeof one);
    memcpy(w + P_THREADS, one, sizeof one);
    memcpy(w + P_LAST_THREADS, one, sizeof one);
    w[P_GROUPS] = ELEMENTS / LANES;
    w[P_THREADS] = w[P_LAST_THREADS] = LANES;
    w[P_WAVES] = 1;
    w[P_BUDGET] = BUDGET;
    w[P_FIRST_ROUNDS] = BUDGET_FIRST;
    w[P_ROUNDS] = 2;
    w[P_RUN_COUNT] = 2;
    memcpy(w + P_TABLE, &table, sizeof table);
    for (unsigned n = 0; n < 2; n++) {
        const uint64_t row[] = {base_of[n], it.memory[n].size, it.memory[n].address, 1};
        memcpy(w + P_RUNS + n * P_RUN_WORDS, row, sizeof row);
    }
    memset(it.status.at, 0, STATUS_WORDS * sizeof *w);
    const struct vulkan_run r = {.pipeline = pipeline,
                                 .buffers = {&it.params, &it.status},
                                 .count = {ELEMENTS / LANES, 1, 1},
                                 .told = {[TOLD_GRID] = ELEMENTS / LANES, [TOLD_GRID + 1] = 1},
                                 .merged = 1};
    assert_int_equal(vulkan_host_run(it.host, &r), VULKAN_DONE);
    assert_int_equal(((const uint32_t *)it.status.at)[STATUS_COUNT], 0);
}

static void run(struct vulkan_pipeline *pipeline, const uint32_t *scalars, unsigned count)
{
    start(pipeline, scalars, count);
    assert_int_equal(((const uint32_t *)it.status.at)[STATUS_VIEWS], 0);
}

static void run_buffer(struct vulkan_pipeline *pipeline, unsigned number)
{
    uint32_t scalars[USER_SGPRS];
    put_descriptor(scalars, base_of[0], image_buffer_format(number)->bytes, number);
    put_descriptor(scalars + WORDS, base_of[1], WORDS * sizeof *scalars, RAW_32);
    run(pipeline, scalars, USER_SGPRS);
}

/* ---- pictures ---- */

static uint64_t place(void *user, uint64_t start, uint64_t size, bool stores)
{
    (void)user, (void)stores;
    return start - base_of[0] + size <= it.memory[0].size ? it.memory[0].address + (start - base_of[0]) : 0;
}

/* A T# of gfx10.3: a linear picture. */
static void put_picture(uint32_t *w, unsigned format)
{
    enum { TYPE_2D = 9u, TYPE_SHIFT = 28, HEIGHT_SHIFT = 14, FORMAT_AT = 20, BASE_SHIFT = 8, WIDTH_LOW = 30 };
    memset(w, 0, 8 * sizeof *w);
    w[0] = (uint32_t)(base_of[0] >> BASE_SHIFT);
    w[1] = (uint32_t)(base_of[0] >> (BASE_SHIFT + 32)) | format << FORMAT_AT | (uint32_t)(SIDE - 1) << WIDTH_LOW;
    w[2] = (SIDE - 1) >> 2 | (uint32_t)(SIDE - 1) << HEIGHT_SHIFT;
    w[3] = IN_ORDER | TYPE_2D << TYPE_SHIFT;
}

/* NULL, or why the format has no picture for a module of those forms. */
static const char *run_picture(struct vulkan_pipeline *pipeline, const struct spirv_module *m, uint32_t have, unsigned format,
                               struct image_view *view)
{
    uint32_t scalars[IMAGE_SGPRS] = {0}, forms = 0;
    const struct vulkan_view_memory memory = {NULL, place};
    struct vulkan_view_source source = {
        .memory = &memory, .config = vulkan_views_config(ISA_GFX1030), .image = &m->images[0], .forms = &forms};
    put_picture(scalars, format);
    put_descriptor(scalars + 8, base_of[1], WORDS * sizeof *scalars, RAW_32);
    memcpy(source.descriptor, scalars, sizeof source.descriptor);
    assert_int_equal(m->image_count, 1);
    const char *refusal = vulkan_views_put(it.views.at, 0, &source, view);
    if (!refusal && forms & ~have)
        refusal = "forms that the module does not have";
    if (!refusal)
        run(pipeline, scalars, IMAGE_SGPRS);
    return refusal;
}

/* ---- inputs ---- */

static uint64_t random_state = 88172645463325252u;
static uint32_t random_word(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)(random_state >> 32);
}

/* Element i: each component of up to 16 bits takes all of its codes, in another order than the others. */
static void put_element(const struct image_buffer_format *f, uint32_t i, uint8_t *to)
{
    uint64_t words[2] = {0, 0};
    for (unsigned n = 0, at = 0; n < f->components; at += f->bits[n++]) {
        uint32_t code = f->bits[n] > 16 ? random_word() : (i * (2 * n + 1)) & ((1u << f->bits[n]) - 1);
        words[at / 64] |= (uint64_t)code << at % 64;
    }
    memcpy(to, words, f->bytes);
}

/* Components around each place where a store rounds or saturates, and anything. */
static uint32_t any_component(const struct image_buffer_format *f, unsigned n, uint32_t i)
{
    unsigned bits = f->bits[n] ? f->bits[n] : 8;
    bool fraction = f->number == IMAGE_UNORM || f->number == IMAGE_SNORM;
    double top = ldexp(1, (int)bits - (f->number == IMAGE_SNORM || f->number == IMAGE_SSCALED)) - 1;
    int32_t near = (int32_t)(i % 3) - 1;
    switch (i / 3 % 4) {
    case 0: return random_word();
    case 1: { /* a half of a step, and its neighbours */
        double step = floor(random_word() / 4294967296.0 * (top + 1)) + 0.5;
        uint32_t r = base_bits_of((float)(fraction ? step / top : step)) + (uint32_t)near;
        return i & 64 ? r | 0x80000000u : r;
    }
    case 2:
        return base_bits_of(
            (float)ldexp(random_word() / 2147483648.0 - 1, (int)(random_word() % 40) - 20)); /* floats of all sizes */
    default: /* halves of what narrow floats tell apart, and what lies around the ends of integers */
        return i & 64 ? (random_word() & 0x87ffe000u) + 0x38000000u + (random_word() & 1) * 0x1000u + (uint32_t)near
                      : (uint32_t)(int32_t)top + (uint32_t)near;
    }
}

/* ---- what an outside source says ---- */

/* A component of the element by the host's own division and half conversions; false: it says nothing of the kind. */
static bool outside(const struct image_buffer_format *f, uint32_t code, unsigned bits, uint32_t *value)
{
    int32_t number = (int32_t)(code << (32 - bits)) >> (32 - bits);
    switch (f->number) {
    case IMAGE_UNORM: *value = base_bits_of((float)code / (float)((1u << bits) - 1)); return true;
    case IMAGE_SNORM: *value = base_bits_of(fmaxf((float)number / (float)((1u << (bits - 1)) - 1), -1)); return true;
    case IMAGE_FLOAT:
        if (bits != 16 || (code & 0x7fff) > 0x7c00)
            return false;
        *value = base_bits_of(_mm_cvtss_f32(_mm_cvtph_ps(_mm_cvtsi32_si128((int)code))));
        return true;
    default: return false;
    }
}

static void check_outside(const struct image_buffer_format *f, uint32_t i, const uint8_t *element, const uint32_t *got)
{
    uint64_t words[2] = {0, 0};
    memcpy(words, element, f->bytes);
    for (unsigned n = 0, at = 0; n < f->components; at += f->bits[n++]) {
        uint32_t code = (uint32_t)(words[at / 64] >> at % 64), value;
        code = f->bits[n] < 32 ? code & ((1u << f->bits[n]) - 1) : code;
        if (outside(f, code, f->bits[n], &value) && got[n] != value)
            fail_msg("%s, component %u of element %u: %08x, and not %08x", f->name, n, i, got[n], value);
    }
}

/* ---- tests ---- */

static void every_code_of_every_format_loads_as_its_exact_value(void **state)
{
    (void)state;
    struct spirv_module *m;
    struct vulkan_pipeline *pipeline = compile(PROGRAM(load_words), USER_SGPRS, 0, &m);
    for (unsigned number = 1; number < IMAGE_BUFFER_FORMATS; number++) {
        const struct image_buffer_format *f = image_buffer_format(number);
        uint8_t *elements = it.memory[0].at;
        const uint32_t *got = it.memory[1].at;
        if (!f)
            continue;
        for (uint32_t i = 0; i < ELEMENTS; i++)
            put_element(f, i, elements + (size_t)i * f->bytes);
        memset(it.memory[1].at, 0xcc, it.memory[1].size);
        run_buffer(pipeline, number);
        for (uint32_t i = 0; i < ELEMENTS; i++, got += WORDS) {
            struct image_texel texel = image_texel_load(f, elements + (size_t)i * f->bytes);
            if (memcmp(texel.c, got, sizeof texel.c))
                fail_msg("%s, element %u: %08x %08x %08x %08x, and not %08x %08x %08x %08x", f->name, i, got[0], got[1], got[2],
                         got[3], texel.c[0], texel.c[1], texel.c[2], texel.c[3]);
            check_outside(f, i, elements + (size_t)i * f->bytes, got);
        }
    }
    spirv_module_destroy(m);
    vulkan_pipeline_destroy(it.host, pipeline);
}

static void stores_round_to_nearest_even_and_saturate_in_every_format(void **state)
{
    (void)state;
    struct spirv_module *m;
    struct vulkan_pipeline *pipeline = compile(PROGRAM(store_words), USER_SGPRS, 0, &m);
    for (unsigned number = 1; number < IMAGE_BUFFER_FORMATS; number++) {
        const struct image_buffer_format *f = image_buffer_format(number);
        uint32_t *registers = it.memory[1].at;
        if (!f)
            continue;
        for (uint32_t i = 0; i < ELEMENTS * WORDS; i++)
            registers[i] = any_component(f, i % WORDS, i / WORDS);
        memset(it.memory[0].at, 0xcc, it.memory[0].size);
        run_buffer(pipeline, number);
        const uint8_t *got = it.memory[0].at;
        for (uint32_t i = 0; i < ELEMENTS; i++, got += f->bytes) {
            struct image_texel texel;
            uint8_t expected[IMAGE_MAX_TEXEL_BYTES];
            memcpy(texel.c, registers + (size_t)i * WORDS, sizeof texel.c);
            image_texel_store(f, &texel, expected);
            if (memcmp(expected, got, f->bytes))
                fail_msg("%s, element %u of %08x %08x %08x %08x: byte 0 %02x, and not %02x", f->name, i, texel.c[0], texel.c[1],
                         texel.c[2], texel.c[3], got[0], expected[0]);
        }
    }
    spirv_module_destroy(m);
    vulkan_pipeline_destroy(it.host, pipeline);
}

static void every_code_of_every_image_format_loads_as_its_exact_value(void **state)
{
    (void)state;
    struct spirv_module *m;
    struct vulkan_pipeline *pipeline = compile(PROGRAM(image_load_words), IMAGE_SGPRS, 0, &m);
    unsigned formats = 0;
    for (unsigned number = 1; number < IMAGE_FORMATS_END; number++) {
        const struct image_format *f = image_format_of(number);
        uint8_t *elements = it.memory[0].at;
        const uint32_t *got = it.memory[1].at;
        struct image_view view;
        for (uint32_t i = 0; f && i < ELEMENTS; i++)
            put_element(&f->packed, i, elements + (size_t)i * f->packed.bytes);
        memset(it.memory[1].at, 0xcc, it.memory[1].size);
        if (!f || run_picture(pipeline, m, 0, number, &view))
            continue;
        formats++;
        for (uint32_t i = 0; i < ELEMENTS; i++, got += WORDS) {
            struct image_texel texel = image_texel_decode(f, elements + (size_t)i * f->packed.bytes, 0, 0);
            if (memcmp(texel.c, got, sizeof texel.c))
                fail_msg("%s, element %u: %08x %08x %08x %08x, and not %08x %08x %08x %08x", f->name, i, got[0], got[1], got[2],
                         got[3], texel.c[0], texel.c[1], texel.c[2], texel.c[3]);
        }
    }
    assert_in_range(formats, 100, IMAGE_FORMATS_END);
    spirv_module_destroy(m);
    vulkan_pipeline_destroy(it.host, pipeline);
}

/* Anything, but each mode of BC6H and BC7 as often as the others, and those that are none too. */
static void put_blocks(const struct image_format *f, uint8_t *bytes)
{
    enum { BC7_MODES = 8, BC6_CODES = 32 };
    uint32_t *words = (uint32_t *)(void *)bytes;
    bool bc7 = f->encoding == IMAGE_BC7 || f->encoding == IMAGE_BC7_SRGB;
    bool bc6 = f->encoding == IMAGE_BC6 || f->encoding == IMAGE_BC6_SIGNED;
    for (uint32_t i = 0; i < ELEMENTS * WORDS; i++)
        words[i] = random_word();
    for (uint32_t i = 0; i < ELEMENTS; i++) {
        uint32_t *first = &words[(size_t)i * WORDS], mode = i % (BC7_MODES + 1);
        if (bc7)
            *first = (*first & ~((2u << mode) - 1)) | (mode < BC7_MODES ? 1u << mode : 0);
        if (bc6)
            *first = (*first & ~(BC6_CODES - 1u)) | i % BC6_CODES;
    }
}

static void texels_of_elements_that_hold_several_are_what_the_host_makes_of_them(void **state)
{
    (void)state;
    const uint32_t forms = SPIRV_FORM_BLOCKS | SPIRV_FORM_BPTC;
    struct spirv_module *plain, *m;
    vulkan_pipeline_destroy(it.host, compile(PROGRAM(image_load_words), IMAGE_SGPRS, 0, &plain));
    struct vulkan_pipeline *pipeline = compile(PROGRAM(image_load_words), IMAGE_SGPRS, forms, &m);
    unsigned formats = 0;
    assert_true(plain->word_count < m->word_count);
    for (unsigned number = 1; number < IMAGE_FORMATS_END; number++) {
        const struct image_format *f = image_format_of(number);
        const uint8_t *elements = it.memory[0].at;
        const uint32_t *got = it.memory[1].at;
        struct image_view view;
        if (!f || f->block_width == 1)
            continue;
        put_blocks(f, it.memory[0].at);
        memset(it.memory[1].at, 0xcc, it.memory[1].size);
        assert_null(run_picture(pipeline, m, forms, number, &view));
        formats++;
        for (uint32_t i = 0; i < ELEMENTS; i++, got += WORDS) {
            uint32_t x = i % SIDE, y = i / SIDE;
            uint64_t at = image_view_address(&view, 0, x / f->block_width, y / f->block_height, 0, 0) - base_of[0];
            struct image_texel texel = image_texel_decode(f, elements + at, x % f->block_width, y % f->block_height);
            if (memcmp(texel.c, got, sizeof texel.c))
                fail_msg("%s at %u, %u: %08x %08x %08x %08x, and not %08x %08x %08x %08x", f->name, x, y, got[0], got[1], got[2],
                         got[3], texel.c[0], texel.c[1], texel.c[2], texel.c[3]);
        }
    }
    assert_int_equal(formats, 14 + 8 + 2); /* compressed blocks, pairs, bits */
    spirv_module_destroy(plain);
    spirv_module_destroy(m);
    vulkan_pipeline_destroy(it.host, pipeline);
}

static void stores_to_images_leave_what_the_host_would_store(void **state)
{
    (void)state;
    struct spirv_module *m;
    struct vulkan_pipeline *pipeline = compile(PROGRAM(image_store_words), IMAGE_SGPRS, 0, &m);
    unsigned formats = 0;
    for (unsigned number = 1; number < IMAGE_FORMATS_END; number++) {
        const struct image_format *f = image_format_of(number);
        uint32_t *registers = it.memory[1].at;
        struct image_view view;
        for (uint32_t i = 0; f && i < ELEMENTS * WORDS; i++)
            registers[i] = any_component(&f->packed, i % WORDS, i / WORDS);
        memset(it.memory[0].at, 0xcc, it.memory[0].size);
        if (!f || !f->writable || run_picture(pipeline, m, 0, number, &view))
            continue;
        formats++;
        const uint8_t *got = it.memory[0].at;
        for (uint32_t i = 0; i < ELEMENTS; i++, got += f->packed.bytes) {
            struct image_texel texel;
            uint8_t expected[IMAGE_MAX_TEXEL_BYTES];
            memcpy(texel.c, registers + (size_t)i * WORDS, sizeof texel.c);
            image_texel_encode(f, &texel, expected);
            if (memcmp(expected, got, f->packed.bytes))
                fail_msg("%s, element %u of %08x %08x %08x %08x: byte 0 %02x, and not %02x", f->name, i, texel.c[0], texel.c[1],
                         texel.c[2], texel.c[3], got[0], expected[0]);
        }
    }
    assert_in_range(formats, 100, IMAGE_FORMATS_END);
    spirv_module_destroy(m);
    vulkan_pipeline_destroy(it.host, pipeline);
}

static void a_wave_that_has_another_descriptor_than_its_view_stores_nothing_and_says_so(void **state)
{
    (void)state;
    struct spirv_module *m;
    struct vulkan_pipeline *pipeline = compile(PROGRAM(image_store_words), IMAGE_SGPRS, 0, &m);
    uint32_t *view = (uint32_t *)it.views.at + VIEWS_FIRST;
    for (unsigned word = 0; word < 8; word++) {
        uint8_t *elements = it.memory[0].at;
        uint32_t scalars[IMAGE_SGPRS];
        struct image_view unused;
        memset(elements, 0xcc, ELEMENTS);
        assert_null(run_picture(pipeline, m, 0, 1, &unused));
        assert_int_not_equal(elements[0], 0xcc);
        memset(elements, 0xcc, ELEMENTS);
        view[V_DESCRIPTOR + word] ^= 1u << word;
        put_picture(scalars, 1);
        put_descriptor(scalars + 8, base_of[1], WORDS * sizeof *scalars, RAW_32);
        start(pipeline, scalars, IMAGE_SGPRS);
        assert_int_not_equal(((const uint32_t *)it.status.at)[STATUS_VIEWS], 0);
        for (uint32_t i = 0; i < ELEMENTS; i++)
            assert_int_equal(elements[i], 0xcc);
    }
    spirv_module_destroy(m);
    vulkan_pipeline_destroy(it.host, pipeline);
}

static int open_device(void **state)
{
    struct vulkan_failure failure;
    (void)state;
    it.library = spirv_library_create();
    it.host = vulkan_host_create(getenv("TENFOLD_TEST_VULKAN"), &failure);
    if (!it.host)
        fprintf(stderr, "no Vulkan device: %s\n", failure.text);
    bool good = it.host && it.library && vulkan_buffer_create(it.host, vulkan_views_words(1) * 4, &it.views);
    if (good)
        vulkan_views_begin(it.views.at);
    return good && vulkan_buffer_create(it.host, PARAM_WORDS * 4, &it.params) &&
                   vulkan_buffer_create(it.host, STATUS_WORDS * 4, &it.status) &&
                   vulkan_buffer_create(it.host, ELEMENTS * 16, &it.memory[0]) &&
                   vulkan_buffer_create(it.host, ELEMENTS * 16, &it.memory[1])
               ? 0
               : -1;
}

static int close_device(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 2; n++)
        vulkan_buffer_finish(it.host, &it.memory[n]);
    vulkan_buffer_finish(it.host, &it.views);
    vulkan_buffer_finish(it.host, &it.params);
    vulkan_buffer_finish(it.host, &it.status);
    vulkan_host_destroy(it.host);
    spirv_library_destroy(it.library);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_code_of_every_format_loads_as_its_exact_value),
        cmocka_unit_test(every_code_of_every_image_format_loads_as_its_exact_value),
        cmocka_unit_test(texels_of_elements_that_hold_several_are_what_the_host_makes_of_them),
        cmocka_unit_test(stores_to_images_leave_what_the_host_would_store),
        cmocka_unit_test(a_wave_that_has_another_descriptor_than_its_view_stores_nothing_and_says_so),
        cmocka_unit_test(stores_round_to_nearest_even_and_saturate_in_every_format),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
