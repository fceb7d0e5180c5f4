/* Sums over the ids of groups and threads: the ring they live in, bounds over the ids that there are, gaps between accesses. */
#include "trace/trace_affine.h"

#include <string.h>

static uint64_t ones(unsigned bits)
{
    return bits >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << bits) - 1;
}

static int64_t sign_extend(uint64_t value, unsigned bits)
{
    unsigned unused = 64 - bits;
    return (int64_t)(value << unused) >> unused;
}

static unsigned zeros_below(uint64_t value, unsigned bits)
{
    unsigned count = value ? (unsigned)__builtin_ctzll(value) : bits;
    return count < bits ? count : bits;
}

/* 1. Ids. */

static struct trace_axis axis_of(uint32_t groups, uint32_t threads, uint32_t last)
{
    int64_t most = (int64_t)(groups - 1) * threads + last - 1;
    return (struct trace_axis){.threads = threads,
                               .g = {0, (int64_t)groups - 1},
                               .t = {0, (groups > 1 ? (int64_t)threads : (int64_t)last) - 1},
                               .u = {0, most}};
}

struct trace_domain trace_domain_of(const uint32_t groups[3], const uint32_t threads[3], const uint32_t last_threads[3])
{
    struct trace_domain domain = {.empty = false};
    for (unsigned n = 0; n < TRACE_AXES; n++) {
        domain.axis[n] = axis_of(groups[n], threads[n], last_threads[n]);
        domain.empty |= !groups[n] || !threads[n] || !last_threads[n];
    }
    return domain;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}
static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static trace_wide floor_div(trace_wide a, trace_wide b) /* b > 0 */
{
    return a / b - (a % b < 0);
}

/* What each range says of the others; false: nobody is left. */
static bool tighten(struct trace_axis *x)
{
    int64_t threads = (int64_t)x->threads;
    x->u.low = most(x->u.low, threads * x->g.low + x->t.low);
    x->u.high = least(x->u.high, threads * x->g.high + x->t.high);
    x->g.low = most(x->g.low, (int64_t)-floor_div(-((trace_wide)x->u.low - x->t.high), threads));
    x->g.high = least(x->g.high, (int64_t)floor_div((trace_wide)x->u.high - x->t.low, threads));
    if (x->g.low == x->g.high) {
        x->t.low = most(x->t.low, x->u.low - threads * x->g.low);
        x->t.high = least(x->t.high, x->u.high - threads * x->g.low);
    }
    x->u.low = most(x->u.low, threads * x->g.low + x->t.low);
    x->u.high = least(x->u.high, threads * x->g.high + x->t.high);
    return x->g.low <= x->g.high && x->t.low <= x->t.high && x->u.low <= x->u.high;
}

/* k * what + at >= 0. */
static void limit(struct trace_limit *what, int64_t k, trace_wide at)
{
    trace_wide edge = k > 0 ? -floor_div(at, k) : floor_div(at, -(trace_wide)k);
    if (k > 0 && edge > what->low)
        what->low = edge > what->high ? what->high + 1 : (int64_t)edge;
    if (k < 0 && edge < what->high)
        what->high = edge < what->low ? what->low - 1 : (int64_t)edge;
}

static bool follows_u(const struct trace_axis *x, int64_t g, int64_t t)
{
    return (trace_wide)g == (trace_wide)t * (trace_wide)x->threads || (x->g.low == x->g.high && !g);
}

bool trace_domain_limit(struct trace_domain *domain, const struct trace_affine *a, trace_wide at)
{
    unsigned axis = TRACE_AXES;
    for (unsigned n = 0; n < TRACE_AXES; n++)
        if (a->c[n] || a->c[TRACE_AXES + n]) {
            if (axis != TRACE_AXES)
                return false;
            axis = n;
        }
    if (axis == TRACE_AXES) {
        if (at + (trace_wide)a->noise < 0)
            domain->empty = true;
        return a->noise == 0;
    }
    struct trace_axis *x = &domain->axis[axis];
    int64_t g = a->c[axis], t = a->c[TRACE_AXES + axis];
    bool alone = !g || !t;
    if (domain->empty)
        return true;
    if (!alone && !follows_u(x, g, t))
        return false;
    struct trace_limit before = alone ? (t ? x->t : x->g) : x->u, *what = alone ? (t ? &x->t : &x->g) : &x->u;
    limit(what, t ? t : g, at + (trace_wide)a->noise);
    if (what->low > what->high || !tighten(x)) {
        *what = before;
        domain->empty = true;
    }
    return a->noise == 0;
}

/* 2. The ring. */

struct trace_affine trace_affine_word(uint64_t value)
{
    return (struct trace_affine){.at = value};
}

struct trace_affine trace_affine_id(unsigned var, uint32_t first)
{
    struct trace_affine a = {.at = first};
    a.c[var] = 1;
    return a;
}

struct trace_affine trace_affine_between(uint64_t low, uint64_t high, unsigned align)
{
    return (struct trace_affine){.at = low, .noise = (high - low) & ~ones(align), .align = (uint8_t)align};
}

struct trace_affine trace_affine_any(unsigned bits, unsigned align)
{
    return trace_affine_between(0, ones(bits), align < bits ? align : bits);
}

bool trace_affine_is_any(const struct trace_affine *a, unsigned bits)
{
    return a->noise == ones(bits);
}

bool trace_affine_same(const struct trace_affine *a, const struct trace_affine *b)
{
    return !memcmp(a->c, b->c, sizeof a->c) && a->at == b->at && a->noise == b->noise && (a->align == b->align || !a->noise);
}

struct trace_affine trace_affine_wrap(const struct trace_affine *a, unsigned bits)
{
    struct trace_affine r = *a;
    for (unsigned n = 0; n < TRACE_VARS; n++)
        r.c[n] = sign_extend((uint64_t)a->c[n], bits);
    r.at &= ones(bits);
    if (a->noise > ones(bits))
        return trace_affine_any(bits, trace_affine_align(a, bits));
    return r;
}

unsigned trace_affine_align(const struct trace_affine *a, unsigned bits)
{
    uint64_t all = a->at;
    for (unsigned n = 0; n < TRACE_VARS; n++)
        all |= (uint64_t)a->c[n];
    unsigned align = zeros_below(all, bits);
    return a->noise && a->align < align ? a->align : align;
}

/* Noise of so much, a multiple of 1 << align, on top of r's sum. */
static struct trace_affine with_noise(struct trace_affine r, trace_wide noise, unsigned align, unsigned bits)
{
    r.noise = noise > (trace_wide)ones(bits) ? 1 : (uint64_t)noise;
    r.align = noise ? (uint8_t)align : 0;
    if (noise > (trace_wide)ones(bits))
        return trace_affine_any(bits, trace_affine_align(&r, bits));
    return r;
}

struct trace_affine trace_affine_add(const struct trace_affine *a, const struct trace_affine *b, unsigned bits)
{
    struct trace_affine r = {.at = (a->at + b->at) & ones(bits)};
    for (unsigned n = 0; n < TRACE_VARS; n++)
        r.c[n] = sign_extend((uint64_t)a->c[n] + (uint64_t)b->c[n], bits);
    unsigned align = !a->noise || (b->noise && b->align < a->align) ? b->align : a->align;
    return with_noise(r, (trace_wide)a->noise + b->noise, align, bits);
}

struct trace_affine trace_affine_scale(const struct trace_affine *a, int64_t k, unsigned bits)
{
    k = sign_extend((uint64_t)k, bits);
    struct trace_affine r = {.at = a->at * (uint64_t)k & ones(bits)};
    for (unsigned n = 0; n < TRACE_VARS; n++)
        r.c[n] = sign_extend((uint64_t)a->c[n] * (uint64_t)k, bits);
    if (!a->noise || !k)
        return r;
    uint64_t size = k < 0 ? 0 - (uint64_t)k : (uint64_t)k;
    unsigned align = a->align + zeros_below(size, bits);
    if (k < 0)
        r.at = (r.at - size * a->noise) & ones(bits);
    unsigned __int128 noise = (unsigned __int128)a->noise * size;
    trace_wide bounded = noise > ones(64) ? (trace_wide)ones(64) + 1 : (trace_wide)noise;
    return with_noise(r, bounded, align < bits ? align : bits, bits);
}

struct trace_affine trace_affine_sub(const struct trace_affine *a, const struct trace_affine *b, unsigned bits)
{
    struct trace_affine minus = trace_affine_scale(b, -1, bits);
    return trace_affine_add(a, &minus, bits);
}

/* 3. Bounds. */

static void include(struct trace_bounds *bounds, trace_wide value)
{
    bounds->low = value < bounds->low ? value : bounds->low;
    bounds->high = value > bounds->high ? value : bounds->high;
}

/* g * cg + t * ct over an axis: its ranges are tight, so only the first and the last group may lack threads. */
static struct trace_bounds axis_extent(const struct trace_axis *x, int64_t cg, int64_t ct)
{
    if (cg && follows_u(x, cg, ct)) {
        trace_wide a = (trace_wide)ct * x->u.low, b = (trace_wide)ct * x->u.high;
        return a < b ? (struct trace_bounds){a, b} : (struct trace_bounds){b, a};
    }
    const int64_t groups[] = {x->g.low, least(x->g.low + 1, x->g.high), most(x->g.high - 1, x->g.low), x->g.high};
    struct trace_bounds bounds;
    bool any = false;
    for (unsigned n = 0; n < sizeof groups / sizeof *groups; n++) {
        int64_t first = groups[n] * (int64_t)x->threads;
        int64_t low = most(x->t.low, x->u.low - first), high = least(x->t.high, x->u.high - first);
        if (low > high)
            continue;
        trace_wide at = (trace_wide)cg * groups[n];
        if (!any)
            bounds = (struct trace_bounds){at + (trace_wide)ct * low, at + (trace_wide)ct * low};
        any = true;
        include(&bounds, at + (trace_wide)ct * low);
        include(&bounds, at + (trace_wide)ct * high);
    }
    return any ? bounds : (struct trace_bounds){0, 0};
}

struct trace_bounds trace_affine_extent(const struct trace_affine *a, trace_wide at, const struct trace_domain *domain)
{
    struct trace_bounds sum = {at, at + (trace_wide)a->noise};
    for (unsigned n = 0; n < TRACE_AXES; n++) {
        if (!a->c[n] && !a->c[TRACE_AXES + n])
            continue;
        struct trace_bounds part = axis_extent(&domain->axis[n], a->c[n], a->c[TRACE_AXES + n]);
        sum.low += part.low;
        sum.high += part.high;
    }
    return sum;
}

bool trace_affine_exact(const struct trace_affine *a, const struct trace_domain *domain, unsigned bits, bool is_signed,
                        struct trace_bounds *bounds, trace_wide *at)
{
    trace_wide size = (trace_wide)1 << bits, bias = is_signed ? size / 2 : 0;
    *bounds = trace_affine_extent(a, (trace_wide)a->at, domain);
    trace_wide back = ((bounds->low + bias) >> bits) * size;
    bounds->low -= back;
    bounds->high -= back;
    *at = (trace_wide)a->at - back;
    return bounds->high < size - bias;
}

bool trace_affine_split(const struct trace_affine *a, const struct trace_domain *domain, unsigned bits, unsigned shift,
                        struct trace_affine *low, struct trace_affine *high)
{
    struct trace_bounds bounds;
    trace_wide at, size = (trace_wide)1 << shift;
    if (shift >= bits || shift > 62 || !trace_affine_exact(a, domain, bits, false, &bounds, &at))
        return false;
    trace_wide high_at = at >> shift;
    *low = (struct trace_affine){.at = (uint64_t)(at - high_at * size)};
    *high = (struct trace_affine){.at = (uint64_t)high_at};
    for (unsigned n = 0; n < TRACE_VARS; n++) {
        bool below = (uint64_t)a->c[n] & ones(shift);
        low->c[n] = below ? a->c[n] : 0;
        high->c[n] = below ? 0 : a->c[n] / (int64_t)size;
    }
    bool below = a->align < shift;
    low->noise = below ? a->noise : 0;
    low->align = below ? a->align : 0;
    high->noise = below ? 0 : a->noise >> shift;
    high->align = below ? 0 : (uint8_t)(a->align - shift);
    *high = trace_affine_wrap(high, bits);
    bounds = trace_affine_extent(low, (trace_wide)low->at, domain);
    return bounds.low >= 0 && bounds.high < size;
}

struct trace_affine trace_affine_uniform(const struct trace_affine *a, const struct trace_domain *domain, unsigned bits)
{
    struct trace_affine groups = *a, threads = {.at = 0};
    unsigned align = bits;
    for (unsigned n = TRACE_AXES; n < TRACE_VARS; n++) {
        threads.c[n] = a->c[n];
        groups.c[n] = 0;
        unsigned zeros = zeros_below((uint64_t)a->c[n], bits);
        align = zeros < align ? zeros : align;
    }
    struct trace_bounds part = trace_affine_extent(&threads, 0, domain);
    if (part.low == part.high && part.low == 0)
        return *a;
    if (part.high - part.low > (trace_wide)ones(bits))
        return trace_affine_any(bits, 0);
    struct trace_affine noise = trace_affine_between(0, (uint64_t)(part.high - part.low), align);
    groups.at = (groups.at + (uint64_t)part.low) & ones(bits);
    return trace_affine_add(&groups, &noise, bits);
}

/* 4. Gaps. */

struct term {
    trace_wide stride;
    uint64_t steps; /* one less than the values */
};

static void add_term(struct term *terms, unsigned *count, int64_t stride, int64_t low, int64_t high)
{
    if (stride && high > low)
        terms[(*count)++] = (struct term){stride < 0 ? -(trace_wide)stride : stride, (uint64_t)(high - low)};
}

/* Groups with all threads of the range. */
static bool is_whole(const struct trace_axis *x, int64_t g)
{
    int64_t first = g * (int64_t)x->threads;
    return x->u.low <= first + x->t.low && x->u.high >= first + x->t.high;
}

static bool add_axis(struct term *terms, unsigned *count, const struct trace_axis *x, int64_t cg, int64_t ct)
{
    if (cg && follows_u(x, cg, ct)) {
        bool all = x->t.low == 0 && x->t.high == (int64_t)x->threads - 1;
        add_term(terms, count, ct, x->u.low, x->u.high);
        return all || x->g.low == x->g.high;
    }
    bool box = is_whole(x, x->g.low) && is_whole(x, x->g.high);
    bool some_whole = box || x->g.high - x->g.low >= 2 || is_whole(x, x->g.low) || is_whole(x, x->g.high);
    add_term(terms, count, cg, x->g.low, x->g.high);
    add_term(terms, count, ct, x->t.low, x->t.high);
    return cg && ct ? box : !ct || some_whole;
}

bool trace_affine_gapless(const struct trace_affine *a, const struct trace_domain *domain, uint32_t bytes)
{
    struct term terms[TRACE_VARS];
    unsigned count = 0;
    if (a->noise || domain->empty)
        return false;
    for (unsigned n = 0; n < TRACE_AXES; n++)
        if (!add_axis(terms, &count, &domain->axis[n], a->c[n], a->c[TRACE_AXES + n]))
            return false;
    for (unsigned i = 1; i < count; i++)
        for (unsigned k = i; k && terms[k - 1].stride > terms[k].stride; k--) {
            struct term other = terms[k];
            terms[k] = terms[k - 1];
            terms[k - 1] = other;
        }
    trace_wide span = bytes;
    for (unsigned i = 0; i < count; i++) {
        if (terms[i].stride > span)
            return false;
        span += terms[i].stride * terms[i].steps;
    }
    return true;
}
