/* Results of the Vulkan programs: written for the comparison of devices, and compared with what the host worked out. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "vk_harness.h"

uint64_t vk_random_next(uint64_t *state)
{
    /* A counter through a mixing function: any seed is good. */
    uint64_t value = (*state += 0x9e3779b97f4a7c15);
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
    value = (value ^ value >> 27) * 0x94d049bb133111eb;
    return value ^ value >> 31;
}

void vk_random_words(void *words, size_t count, uint64_t seed)
{
    uint32_t *word = words;
    for (size_t i = 0; i < count; i++)
        word[i] = (uint32_t)(vk_random_next(&seed) >> 32);
}

void vk_random_floats(float *values, size_t count, float low, float high, uint64_t seed)
{
    for (size_t i = 0; i < count; i++)
        values[i] = low + (high - low) * (float)(vk_random_next(&seed) >> 40) * 0x1p-24f;
}

void vk_result_write(struct vk_context *vk, const char *name, const char *rule, const void *data, size_t size)
{
    if (!vk->out)
        return;
    fprintf(vk->out, "%s|%s|%zu\n", name, rule, size);
    fwrite(data, 1, size, vk->out);
    fputc('\n', vk->out);
}

void vk_result_buffer(struct vk_context *vk, const char *name, const char *rule, struct vk_buffer *buffer)
{
    void *data = malloc(buffer->size);
    if (!data)
        abort();
    vk_buffer_read(vk, buffer, data);
    vk_result_write(vk, name, rule, data, buffer->size);
    free(data);
}

/* A float's bits as a number that grows with the float by one from each to the next. */
static int64_t ordered(uint64_t bits, unsigned width)
{
    uint64_t sign = 1ull << (width - 1);
    return bits & sign ? -(int64_t)(bits & (sign - 1)) : (int64_t)bits;
}

static double half_value(uint16_t half)
{
    int exponent = half >> 10 & 31, fraction = half & 1023;
    double value = exponent == 31 ? (fraction ? (double)NAN : (double)INFINITY)
                                  : ldexp(fraction + (exponent ? 1024 : 0), (exponent ? exponent : 1) - 25);
    return half >> 15 ? -value : value;
}

/* The value of an element and its order among the floats. */
static double element(const void *data, size_t index, unsigned width, int64_t *order)
{
    uint64_t bits = 0;
    memcpy(&bits, (const uint8_t *)data + index * width / 8, width / 8);
    *order = ordered(bits, width);
    float single;
    double value;
    switch (width) {
    case 16: return half_value((uint16_t)bits);
    case 32: memcpy(&single, &bits, 4); return (double)single;
    default: memcpy(&value, &bits, 8); return value;
    }
}

struct rule {
    unsigned width; /* 0: exact */
    char kind;      /* u ulp, a abs, r rel */
    double limit;
};

static struct rule read_rule(const char *text)
{
    struct rule rule = {0};
    char kind[8];
    if (strcmp(text, "exact") != 0) {
        if (sscanf(text, "f%u %7s %lf", &rule.width, kind, &rule.limit) != 3)
            abort();
        rule.kind = kind[0];
    }
    return rule;
}

static bool element_close(const struct rule *rule, const void *got, const void *want, size_t index)
{
    int64_t order_got, order_want;
    double a = element(got, index, rule->width, &order_got), b = element(want, index, rule->width, &order_want);
    if (isnan(a) || isnan(b))
        return isnan(a) && isnan(b);
    if (a == b) /* zeros of both signs, and infinities */
        return true;
    switch (rule->kind) {
    case 'u': return fabs((double)(order_got - order_want)) <= rule->limit;
    case 'a': return fabs(a - b) <= rule->limit;
    default: return fabs(a - b) <= rule->limit * fmax(fabs(a), fabs(b));
    }
}

void vk_result_expect(struct vk_context *vk, const char *name, const char *rule_text, const void *got, const void *want,
                      size_t size)
{
    struct rule rule = read_rule(rule_text);
    unsigned step = rule.width ? rule.width / 8 : 1;
    size_t bad = 0, first = 0;
    for (size_t i = 0; i < size / step; i++) {
        bool close = rule.width ? element_close(&rule, got, want, i) : ((const uint8_t *)got)[i] == ((const uint8_t *)want)[i];
        if (!close && bad++ == 0)
            first = i;
    }
    if (bad == 0)
        return;
    if (rule.width) {
        int64_t order;
        double a = element(got, first, rule.width, &order), b = element(want, first, rule.width, &order);
        vk_check(vk, false, "%s: %zu of %zu elements, the first %zu: got %.17g, expected %.17g (%s)", name, bad, size / step,
                 first, a, b, rule_text);
    } else {
        uint32_t a = 0, b = 0;
        size_t at = first & ~(size_t)3, rest = size - at < 4 ? size - at : 4;
        memcpy(&a, (const uint8_t *)got + at, rest);
        memcpy(&b, (const uint8_t *)want + at, rest);
        vk_check(vk, false, "%s: %zu of %zu bytes, the first in word %zu: got 0x%08x, expected 0x%08x", name, bad, size, at / 4,
                 a, b);
    }
}
