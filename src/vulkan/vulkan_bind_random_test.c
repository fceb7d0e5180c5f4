/* Random dispatches on copies, two at a time, beside the same on the CPU device: loads and stores of all widths at offsets from tables, under masks,
 * in grids that are run whole and ones that are sampled; with the argument `staged`, moved as on a device with memory of its own. */
#include "vulkan/vulkan_testing.h"

#include "vulkan/vulkan_engine.h"

/* Assembled with llvm-mc for gfx1030, wave32. s[0:1]: what is loaded from, s[2:3]: offsets of loads; s[4:5]: what is stored to, s[6:7]: offsets of
 * stores; a table has a word for each lane. Or s[4:7]: a buffer that is stored to. s8: the group. */
static const uint32_t lane_head[] = {
    0x8f0a8508, /* s_lshl_b32 s10, s8, 5 */
    0x4a00000a, /* v_add_nc_u32 v0, s10, v0 */
    0x34020082, /* v_lshlrev_b32 v1, 2, v0 */
};
static const uint32_t offsets_by_table[] = {
    0xdc308000, 0x02020001, /* global_load_dword v2, v1, s[2:3] */
    0xdc308000, 0x03060001, /* global_load_dword v3, v1, s[6:7] */
    0xbf8c3f70,             /* s_waitcnt vmcnt(0) */
};
enum { LOAD_STRIDE = 2, LOAD_AT = 4, STORE_STRIDE = 7, STORE_AT = 9 };
static const uint32_t offsets_by_lane[] = {
    0xd5690002, 0x000200ff, 0, /* v_mul_lo_u32 v2, LOAD_STRIDE, v0 */
    0x4a0404ff, 0,             /* v_add_nc_u32 v2, LOAD_AT, v2 */
    0xd5690003, 0x000200ff, 0, /* v_mul_lo_u32 v3, STORE_STRIDE, v0 */
    0x4a0606ff, 0,             /* v_add_nc_u32 v3, STORE_AT, v3 */
};
enum { MASK_OF = 0, MASK = 1, LIMIT = 3 };
static const uint32_t lane_mask[] = {
    0x361400ff, 0, /* v_and_b32 v10, MASK, v0 */
    0x7d8814ff, 0, /* v_cmp_gt_u32 vcc_lo, LIMIT, v10 */
    0x877e6a7e,    /* s_and_b32 exec_lo, exec_lo, vcc_lo */
};
enum { BY_OFFSET = 0x361404ff }; /* v_and_b32 v10, MASK, v2 */
static const uint32_t loaded_words[] = {
    0, 0x04000002, /* a load of v4 and on, v2, s[0:1] */
    0xbf8c3f70,    /* s_waitcnt vmcnt(0) */
    0x4a080104,    /* v_add_nc_u32 v4, v4, v0 */
};
static const uint32_t one_word[] = {0x7e0802ff, 0x00c0ffee}; /* v_mov_b32 v4, 0xc0ffee */
static const uint32_t global_tail[] = {
    0, 0x00040403, /* a store of v4 and on, v3, s[4:5] */
    0xbf810000,    /* s_endpgm */
};
static const uint32_t buffer_tail[] = {
    0xe0001000, 0x80010403, /* the same, v3, s[4:7], 0 offen */
    0xbf810000,             /* s_endpgm */
};
enum { CODE_WORDS = 40, STORE_OPCODE = 0x00ff0000 };

struct kind {
    uint32_t word;
    uint32_t bytes;
};

static const struct kind loads[] = {{0xdc208000, 1}, {0xdc248000, 1}, {0xdc288000, 2},  {0xdc948000, 2},
                                    {0xdc308000, 4}, {0xdc348000, 8}, {0xdc3c8000, 12}, {0xdc388000, 16}};
static const struct kind stores[] = {{0xdc608000, 1}, {0xdc688000, 2},  {0xdc708000, 4},
                                     {0xdc748000, 8}, {0xdc7c8000, 12}, {0xdc788000, 16}};
static const struct kind atomics[] = {{0xdcc88000, 4}, {0xdce08000, 4}, {0xdd488000, 8}}; /* add, umax, add_x2 */
#define COUNT(table) (uint32_t)(sizeof(table) / sizeof *(table))

enum {
    SLOT = 16, /* bytes of each lane */
    WAVE = 32,
    SMALL_GROUPS = 40,
    LARGE_GROUPS = 5120,
    MOST_LANES = LARGE_GROUPS * WAVE,
    SPAN = 1 << 16,
    FAR = 7 << 20,
};

/* What one dispatch does. */
struct plan {
    const struct kind *load, *store;
    bool atomic, in_place, by_offset, stray_load, stray_store;
    bool by_lane, masked, constant, buffer; /* without tables; stores one word; through a descriptor */
    uint32_t groups, last, mask, limit, load_at, store_at, grain, load_stride, store_stride, records;
};

struct world {
    struct fixture *f;
    uint64_t at[4]; /* memory that is loaded from and stored to; other memory that is stored to; the tables */
    uint8_t *host[4];
    uint8_t *before, *here[2];
    uint32_t seed;
};

static uint32_t below(struct world *w, uint32_t limit)
{
    w->seed = w->seed * 1664525 + 1013904223;
    return (uint32_t)(((uint64_t)(w->seed >> 4) * limit) >> 28);
}

static const struct kind *one_of(struct world *w, const struct kind *kinds, uint32_t count)
{
    return &kinds[below(w, count)];
}

static struct plan make_plan(struct world *w)
{
    struct plan p = {.load = one_of(w, loads, COUNT(loads)), .atomic = below(w, 4) == 0, .in_place = below(w, 3) == 0};
    p.store = p.atomic ? one_of(w, atomics, COUNT(atomics)) : one_of(w, stores, COUNT(stores));
    p.groups = below(w, 2) ? LARGE_GROUPS : SMALL_GROUPS;
    p.last = below(w, 3) ? WAVE : 1 + below(w, WAVE);
    p.by_offset = below(w, 4) == 0;
    p.mask = below(w, 3) ? 15 : 0;
    p.limit = p.mask ? below(w, 20) : 1;
    p.grain = 1u << below(w, 5);
    p.in_place = p.in_place && !p.atomic;
    p.load_at = p.in_place ? 0 : below(w, SPAN);
    p.store_at = below(w, 2) ? below(w, PAGE) * 4 : 0;
    p.by_lane = below(w, 2) == 0;
    p.masked = !p.by_lane || below(w, 2);
    p.constant = p.by_lane && !p.in_place && below(w, 4) == 0;
    p.buffer = p.by_lane && !p.atomic && below(w, 2);
    p.load_stride = p.in_place ? SLOT : 4 * below(w, 5);
    p.store_stride = p.in_place || p.atomic || p.store->bytes < 4 || below(w, 2) ? SLOT : p.store->bytes;
    if (p.by_lane && (p.atomic || (p.store->bytes >= 4 && below(w, 4))))
        p.store_at &= ~7u;
    if (p.in_place)
        p.load_at = p.store_at;
    p.records = p.store_at + below(w, 2 * p.groups * WAVE) * p.store_stride;
    if (p.by_lane)
        return p;
    p.stray_load = p.groups == LARGE_GROUPS && below(w, 6) == 0;
    p.stray_store = p.groups == LARGE_GROUPS && !p.in_place && below(w, 6) == 0;
    return p;
}

/* Each lane stores to a place of its own, or changes one that it shares with others in whatever order. */
static void fill_tables(struct world *w, const struct plan *p)
{
    enum { STRIDE = 7, SHARED = 64, STRAY = 2503 * WAVE + 5 };
    const uint32_t lanes = p->groups * WAVE;
    uint32_t *from = (uint32_t *)(void *)w->host[2], *to = (uint32_t *)(void *)w->host[3];
    for (uint32_t n = 0; n < lanes; n++) {
        const uint32_t slack = SLOT - (p->load->bytes > p->store->bytes ? p->load->bytes : p->store->bytes);
        uint32_t slot = (uint32_t)((uint64_t)n * STRIDE % lanes) * SLOT, inside = below(w, slack / p->grain + 1) * p->grain;
        from[n] = p->in_place ? slot + inside : p->load_at + below(w, SPAN / p->grain) * p->grain;
        to[n] = p->in_place ? slot + inside : p->store_at + slot + inside;
        if (p->by_lane) {
            from[n] = p->load_at + n * p->load_stride;
            to[n] = p->store_at + n * p->store_stride;
        } else if (p->atomic)
            to[n] = p->store_at / 8 * 8 + (n % 2 ? slot : n % SHARED * SLOT);
    }
    if (p->stray_load)
        from[STRAY] = FAR + 4;
    if (p->stray_store)
        to[STRAY] = FAR + 8;
}

static struct device_dispatch dispatch_of(struct world *w, const struct plan *p)
{
    enum { RAW = 3 << 28, DATA_32 = 20 << 12 };
    const uint64_t pairs[4] = {w->at[0], w->at[2], w->at[p->in_place ? 0 : 1], w->at[3]};
    struct device_dispatch dispatch = testing_dispatch_on(w->f, pairs, p->groups, WAVE);
    struct wave_dispatch *d = &dispatch.registers;
    if (p->buffer)
        memcpy(d->user_data + 6, (const uint32_t[]){p->records, RAW | DATA_32}, 2 * sizeof(uint32_t));
    d->last_threads[0] = p->last;
    return dispatch;
}

/* The words behind `at` that were put there. */
static uint32_t *put(uint32_t **at, const uint32_t *words, size_t bytes)
{
    uint32_t *first = memcpy(*at, words, bytes);
    *at += bytes / sizeof *words;
    return first;
}
#define PUT(at, words) put(&(at), words, sizeof(words))

static void make_code(const struct plan *p, uint32_t code[CODE_WORDS])
{
    uint32_t *at = code, *words;
    PUT(at, lane_head);
    words = p->by_lane ? PUT(at, offsets_by_lane) : PUT(at, offsets_by_table);
    if (p->by_lane) {
        words[LOAD_STRIDE] = p->load_stride;
        words[LOAD_AT] = p->load_at;
        words[STORE_STRIDE] = p->store_stride;
        words[STORE_AT] = p->store_at;
    }
    if (p->masked) {
        words = PUT(at, lane_mask);
        words[MASK_OF] = p->by_offset ? BY_OFFSET : words[MASK_OF];
        words[MASK] = p->mask;
        words[LIMIT] = p->limit;
    }
    words = p->constant ? PUT(at, one_word) : PUT(at, loaded_words);
    words[0] = p->constant ? words[0] : p->load->word;
    words = p->buffer ? PUT(at, buffer_tail) : PUT(at, global_tail);
    words[0] = p->buffer ? words[0] | (p->store->word & STORE_OPCODE) : p->store->word;
}

/* False: it was refused, as it may be where a lane of no sampled group loads from elsewhere. */
static bool run_plan(struct world *w, const struct plan *p)
{
    uint32_t code[CODE_WORDS] = {0};
    struct device_dispatch dispatch = dispatch_of(w, p);
    make_code(p, code);
    testing_put_code(w->f, code, sizeof code);
    testing_changed(w->f, (struct device_range){w->f->base, MEMORY_BYTES});
    for (unsigned n = 2; n < 4; n++)
        testing_changed(w->f, (struct device_range){w->at[n], REGION});
    testing_run_only(w->f, &dispatch);
    if (w->f->result.failed && !(p->stray_load && strstr(w->f->result.text, "outside what was bound")))
        fail_msg("%s", w->f->result.text);
    return !w->f->result.failed;
}

/* The guest goes on beside what the dispatch may have stored. */
static void write_beside(struct world *w, const struct plan *p)
{
    enum { WRITES = 200, AROUND = 8 * PAGE };
    const uint32_t *to = (const uint32_t *)(const void *)w->host[3];
    const unsigned stored = p->in_place ? 0 : 1;
    bool *may_be = calloc(REGION, sizeof *may_be);
    assert_non_null(may_be);
    for (uint32_t n = 0; n < p->groups * WAVE; n++)
        memset(may_be + to[n], true, p->store->bytes);
    for (uint32_t n = 0; n < WRITES; n++) {
        const unsigned region = below(w, 2);
        const uint32_t at = below(w, n % 2 ? AROUND : SPAN);
        if (region == stored && may_be[at])
            continue;
        w->host[region][at] ^= 0x55;
        testing_changed(w->f, (struct device_range){w->at[region] + at, 1});
    }
    free(may_be);
}

/* Both, one after the other, without anybody looking at results in between; the tables are the guest's at any time. */
static void run_plans(struct world *w, const struct plan plans[2], uint32_t seed, bool ran[2])
{
    w->seed = seed;
    for (unsigned n = 0; n < 2; n++) {
        struct world tables = *w;
        tables.seed = seed + n;
        fill_tables(&tables, &plans[n]);
        if (w->f->device != w->f->cpu || ran[n]) /* what was refused has left nothing */
            ran[n] = run_plan(w, &plans[n]);
        if (n == 0)
            write_beside(&tables, &plans[n]);
    }
    testing_settle(w->f, DEVICE_EVERYTHING);
}

static void check_case(struct world *w, uint32_t number)
{
    w->seed = number * 7919 + 1;
    const struct plan plans[2] = {make_plan(w), make_plan(w)};
    bool ran[2] = {true, true};
    for (uint32_t n = 0; n < REGION / 4; n++)
        for (unsigned region = 0; region < 2; region++)
            ((uint32_t *)(void *)w->host[region])[n] = (n + number) * 0x9e3779b1 + region;
    memcpy(w->before, w->host[0], REGION);
    memcpy(w->before + REGION, w->host[1], REGION);
    testing_changed(w->f, DEVICE_EVERYTHING);
    run_plans(w, plans, number, ran);
    for (unsigned region = 0; region < 2; region++) {
        memcpy(w->here[region], w->host[region], REGION);
        memcpy(w->host[region], w->before + (size_t)region * REGION, REGION);
    }
    struct device *device = w->f->device;
    w->f->device = w->f->cpu;
    run_plans(w, plans, number, ran);
    w->f->device = device;
    testing_changed(w->f, DEVICE_EVERYTHING);
    for (unsigned region = 0; region < 2; region++)
        for (uint32_t n = 0; n < REGION; n++)
            if (w->here[region][n] != w->host[region][n])
                fail_msg("case %u: byte 0x%x of region %u is 0x%02x, not 0x%02x", number, n, region, w->here[region][n],
                         w->host[region][n]);
}

static void random_dispatches_leave_what_they_leave_on_the_cpu_device(void **state)
{
    struct world w = {.f = *state};
    struct base_error why;
    const char *first = getenv("FIRST_CASE"), *cases = getenv("CASES");
    const uint32_t from = first ? (uint32_t)atoi(first) : 0, count = cases ? (uint32_t)atoi(cases) : 16;
    for (unsigned n = 0; n < 4; n++) {
        assert_true(mem_space_alloc(w.f->space, REGION, PAGE, NULL, 0, &w.at[n], &why));
        w.host[n] = mem_space_pointer(w.f->space, w.at[n], REGION);
    }
    assert_non_null(w.before = malloc(2 * (size_t)REGION));
    for (unsigned n = 0; n < 2; n++)
        assert_non_null(w.here[n] = malloc(REGION));
    for (uint32_t n = 0; n < count; n++)
        check_case(&w, from + n);
    struct counts counts = testing_counts(w.f);
    if (counts.elsewhere && !strstr(counts.reason, "64-bit atomics")) /* which a host may lack */
        fail_msg("%u ran elsewhere: %s", (unsigned)counts.elsewhere, counts.reason);
    free(w.before);
    free(w.here[0]);
    free(w.here[1]);
}

int main(int argc, char **argv)
{
    testing_choose(argc, argv);
    const struct CMUnitTest tests[] = {
        TEST(random_dispatches_leave_what_they_leave_on_the_cpu_device),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
