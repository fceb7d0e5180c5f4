/* vulkan_order: what instructions reach in a dispatch, two by two. */
#include "vulkan/vulkan_order.h"

#include "vulkan/vulkan_memory.h"

/* What an instruction reaches at most. */
struct reach {
    bool known;
    struct trace_range ranges[VULKAN_VIEW_REACHES]; /* empty ones are nothing */
};

static struct trace_range range_of(uint64_t start, uint64_t bytes)
{
    uint64_t from = vulkan_address(start);
    return (struct trace_range){from, from + bytes};
}

/* Words of a buffer's descriptor: a buffer without records, whose lanes' offsets all lie below its bytes. */
enum {
    BASE_HIGH = 0xffff,
    STRIDE_AT = 16,
    STRIDE = 0x3fff,
    SWIZZLED = 1u << 31,
    BY_LANE = 1 << 23,
    CHECK_AT = 28,
    CHECK = 3,
    RAW = 3
};

static bool is_plain(const uint32_t d[4])
{
    return !(d[1] & SWIZZLED) && !(d[3] & BY_LANE);
}

static bool is_raw(const uint32_t d[4])
{
    return is_plain(d) && !(d[1] >> STRIDE_AT & STRIDE) && (d[3] >> CHECK_AT & CHECK) == RAW;
}

static struct reach reach_of_site(const struct trace_site *site)
{
    if (!site || (site->place == TRACE_APART && !site->sampled))
        return (struct reach){.known = true};
    if (site->sampled)
        return (struct reach){.known = false};
    if (site->place == TRACE_RANGE)
        return (struct reach){.known = true, .ranges = {range_of(site->start, site->end - site->start)}};
    if (site->described && is_raw(site->descriptor)) {
        uint64_t base = site->descriptor[0] | (uint64_t)(site->descriptor[1] & BASE_HIGH) << 32;
        return (struct reach){.known = true, .ranges = {range_of(base, site->descriptor[2])}};
    }
    return (struct reach){.known = false};
}

static struct reach reach_of_image(const struct vulkan_view_reach *images)
{
    struct reach reach = {.known = true};
    for (unsigned k = 0; k < VULKAN_VIEW_REACHES; k++)
        reach.ranges[k] = range_of(images[k].start, images[k].end - images[k].start);
    return reach;
}

/* Pairs come in the order of their instructions, or nearly so: each is looked for from the last one on. */
struct finder {
    const struct spirv_module *module;
    const struct trace *trace; /* NULL: nothing is known */
    const struct vulkan_view_reach *images;
    uint32_t last[2];
};

static struct reach reach_of(struct finder *f, const struct spirv_apart *apart, unsigned side)
{
    const struct spirv_module *module = f->module;
    for (uint32_t n = 0; n < module->reach_count; n++) {
        uint32_t at = (f->last[side] + n) % module->reach_count;
        if (module->reaches[at].pc != apart->pc[side])
            continue;
        f->last[side] = at;
        return f->trace ? reach_of_site(trace_find(f->trace, apart->pc[side])) : (struct reach){.known = false};
    }
    for (uint32_t n = 0; n < module->image_count; n++)
        if (module->images[n].pc == apart->pc[side])
            return reach_of_image(&f->images[n * VULKAN_VIEW_REACHES]);
    return (struct reach){.known = false}; /* a ray's */
}

static bool is_nothing(const struct reach *reach)
{
    bool nothing = reach->known;
    for (unsigned n = 0; n < VULKAN_VIEW_REACHES; n++)
        nothing = nothing && reach->ranges[n].start == reach->ranges[n].end;
    return nothing;
}

static bool are_apart(const struct reach *a, const struct reach *b)
{
    if (is_nothing(a) || is_nothing(b))
        return true;
    bool apart = a->known && b->known;
    for (unsigned n = 0; n < VULKAN_VIEW_REACHES; n++)
        for (unsigned k = 0; k < VULKAN_VIEW_REACHES; k++) {
            const struct trace_range *x = &a->ranges[n], *y = &b->ranges[k];
            apart = apart && (x->start == x->end || y->start == y->end ||
                              (x->start < x->end && y->start < y->end && (x->end <= y->start || y->end <= x->start)));
        }
    return apart;
}

static bool both_are_plain(const struct trace *trace, const uint64_t pc[2])
{
    bool plain = trace;
    for (unsigned n = 0; plain && n < 2; n++) {
        const struct trace_site *site = trace_find(trace, pc[n]);
        plain = !site || (site->described && is_plain(site->descriptor));
    }
    return plain;
}

bool vulkan_order_is_kept(const struct spirv_module *module, const struct trace *trace, const struct vulkan_view_reach *images)
{
    struct finder finder = {module, trace && !trace_gap(trace) ? trace : NULL, images, {0, 0}};
    for (uint32_t n = 0; n < module->apart_count; n++) {
        const struct spirv_apart *apart = &module->aparts[n];
        struct reach a = reach_of(&finder, apart, 0), b = reach_of(&finder, apart, 1);
        if (!are_apart(&a, &b) && !(apart->plain && both_are_plain(finder.trace, apart->pc)))
            return false;
    }
    return true;
}
