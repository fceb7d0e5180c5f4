/* Runs the programs of vk_simple.def: one dispatch of one shader on buffers of known contents. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "vk_harness.h"

enum use { USE_R, USE_U, USE_W, USE_B };

enum contents { ZERO, WORDS, BYTES, UNIT, POSITIVE, HALVES, DOUBLES, ROOTS, SHA256 };

struct row_buffer {
    enum use use;
    enum contents contents;
    uint32_t words;
    const char *rule;
};

struct row {
    const char *name;
    uint32_t groups[3];
    struct row_buffer buffers[12]; /* ended by one of no words */
};

#define BUFFER(use, contents, words, rule) \
    {                                      \
        USE_##use, contents, words, rule   \
    }
#define PROGRAM(name, x, y, z, ...) {#name, {x, y, z}, {__VA_ARGS__}},
static const struct row rows[] = {
#include "vk_simple.def"
};

enum { ROW_COUNT = sizeof rows / sizeof *rows };

/* Halves between 1/16 and 16 in size, of both signs. */
static void fill_halves(uint32_t *words, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t low = words[i] & 0x83ff, high = words[i] >> 16 & 0x83ff;
        low |= (11 + (words[i] >> 10 & 7)) << 10;
        high |= (11 + (words[i] >> 26 & 7)) << 10;
        words[i] = low | high << 16;
    }
}

static void fill_doubles(uint32_t *words, uint32_t count, uint64_t seed)
{
    double *values = (double *)words;
    for (uint32_t i = 0; i < count / 2; i++) {
        double size = 0.25 + (double)(vk_random_next(&seed) >> 11) * 0x1p-48;
        values[i] = vk_random_next(&seed) & 1 ? size : -size;
    }
}

static void fill_roots(float *values, uint32_t count)
{
    const double turn = -2 * 3.14159265358979323846 / count;
    for (uint32_t i = 0; i < count / 2; i++) {
        values[2 * i] = (float)cos(i * turn);
        values[2 * i + 1] = (float)sin(i * turn);
    }
}

/* FIPS 180-4: the first bits of the fractions of the cube roots of the first primes. */
static void fill_sha256(uint32_t *words, uint32_t count)
{
    uint32_t found = 0;
    for (uint32_t candidate = 2; found < count; candidate++) {
        bool prime = true;
        for (uint32_t i = 2; i * i <= candidate && prime; i++)
            prime = candidate % i != 0;
        long double root = cbrtl(candidate);
        if (prime)
            words[found++] = (uint32_t)((root - floorl(root)) * 0x1p32L);
    }
}

static void fill(uint32_t *words, uint32_t count, enum contents contents, uint64_t seed)
{
    if (contents != ZERO)
        vk_random_words(words, count, seed);
    switch (contents) {
    case BYTES:
        for (uint32_t i = 0; i < count; i++)
            words[i] &= 255;
        break;
    case UNIT: vk_random_floats((float *)words, count, -1, 1, seed); break;
    case POSITIVE: vk_random_floats((float *)words, count, 0.1f, 4, seed); break;
    case HALVES: fill_halves(words, count); break;
    case DOUBLES: fill_doubles(words, count, seed); break;
    case ROOTS: fill_roots((float *)words, count); break;
    case SHA256: fill_sha256(words, count); break;
    case ZERO:
    case WORDS: break;
    }
}

static uint64_t name_seed(const char *name)
{
    uint64_t seed = 0;
    while (*name)
        seed = seed * 131 + (uint8_t)*name++;
    return seed;
}

static void run_row(struct vk_context *vk, const struct row *row)
{
    struct vk_buffer *buffers[12];
    char bindings[13] = {0};
    uint32_t count = 0;
    for (; row->buffers[count].words; count++) {
        const struct row_buffer *buffer = &row->buffers[count];
        uint32_t *words = calloc(buffer->words, 4);
        if (!words)
            abort();
        fill(words, buffer->words, buffer->contents, name_seed(row->name) + count);
        /* Every other program works in the device's own memory. */
        buffers[count] =
            vk_buffer_make(vk, 4 * (VkDeviceSize)buffer->words, words, (row - rows) & 1 ? VK_PLACE_LOCAL : VK_PLACE_HOST);
        free(words);
        bindings[count] = buffer->use == USE_U ? 'u' : 's';
    }
    struct vk_kernel *kernel = vk_kernel_make(vk, &(struct vk_kernel_info){.shader = row->name, .bindings = bindings});
    VkCommandBuffer commands = vk_commands_begin(vk);
    vk_commands_bind(vk, commands, kernel, buffers);
    vkCmdDispatch(commands, row->groups[0], row->groups[1], row->groups[2]);
    vk_commands_run(vk, commands);
    for (uint32_t i = 0; i < count; i++) {
        char name[16];
        snprintf(name, sizeof name, "buffer %u", i);
        if (row->buffers[i].use == USE_W || row->buffers[i].use == USE_B)
            vk_result_buffer(vk, name, row->buffers[i].rule, buffers[i]);
    }
}

bool vk_simple_run(struct vk_context *vk, const char *name)
{
    for (uint32_t i = 0; i < ROW_COUNT; i++)
        if (strcmp(rows[i].name, name) == 0) {
            run_row(vk, &rows[i]);
            return true;
        }
    return false;
}

void vk_simple_list(void (*each)(const char *name))
{
    for (uint32_t i = 0; i < ROW_COUNT; i++)
        each(rows[i].name);
}
