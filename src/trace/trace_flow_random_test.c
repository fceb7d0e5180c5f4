/* The flow on random programs of address arithmetic, against runs of every wave on the host: what the flow rules out, no wave does; where it
 * says that a range is tight or covered, it is. */
#include "trace/trace_testing.h"

#include "lower/lower.h"
#include "trace/trace_flow.h"
#include "trace/trace_internal.h"
#include "wave/wave_track.h"

enum { PROGRAMS = 4000, MOST_WORDS = 512, STORES_AT = 32, MOST_THREADS = 1 << 14 };

static const uint64_t base = UINT64_C(0x7f10fffff800);

/* 1. Programs. */

static uint64_t seed;

static uint32_t random_below(uint32_t count)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)((seed >> 16) % count);
}

/* Registers: s[2:3] the base, s0 and s1 numbers, s4..s6 the group's ids, s[8:9] a mask, s[10:11] EXEC as it was; v0..v2 the thread's ids,
 * above them what the program makes. Operands are coded as instructions do. */
enum { S0 = 0, S_BASE = 2, S_GROUP = 4, S_MASK = 8, S_SAVED = 10, S_COUNT = 20, S_OUTER = 22, EXEC = 126, CONST_0 = 128 };
enum { V0 = 256, FIRST_MADE = 3, MOST_MADE = 40, V_COUNT = 50 };

struct writer {
    uint32_t words[MOST_WORDS], count, made;
    bool wide;     /* wave64 */
    bool branches; /* registers are written again, under masks and in loops */
};

static void put(struct writer *w, uint32_t word)
{
    assert_true(w->count < MOST_WORDS);
    w->words[w->count++] = word;
}

static void vop3(struct writer *w, uint32_t op, uint32_t dst, uint32_t a, uint32_t b, uint32_t c)
{
    put(w, 0xd4000000u | op << 16 | dst);
    put(w, a | b << 9 | c << 18);
}

static uint32_t vector(const struct writer *w)
{
    return V0 + random_below(w->made);
}
static uint32_t number(void)
{
    return CONST_0 + random_below(65);
}
static uint32_t small(void)
{
    return CONST_0 + random_below(7);
}

static uint32_t source(const struct writer *w)
{
    switch (random_below(8)) {
    case 0: return number();
    case 1: return S0 + random_below(2);
    case 2:
    case 3: return S_GROUP + random_below(3);
    default: return vector(w);
    }
}

/* The kinds of operands that make most programs worth running. */
enum shape { TWO, SHIFTED, SCALED, THREE, SHIFT_MIDDLE, SHIFT_LAST, FIELD, SELECTED };

static const struct {
    uint16_t op;
    uint8_t shape;
} ops[] = {
    {0x125, TWO},                        /* v_add_nc_u32 */
    {0x125, TWO},          {0x126, TWO}, /* v_sub_nc_u32 */
    {0x11a, SHIFTED},                    /* v_lshlrev_b32 */
    {0x116, SHIFTED},                    /* v_lshrrev_b32 */
    {0x118, SHIFTED},                    /* v_ashrrev_i32 */
    {0x169, SCALED},                     /* v_mul_lo_u32 */
    {0x10b, SCALED},                     /* v_mul_u32_u24 */
    {0x143, THREE},                      /* v_mad_u32_u24 */
    {0x346, SHIFT_MIDDLE},               /* v_lshl_add_u32 */
    {0x347, SHIFT_LAST},                 /* v_add_lshl_u32 */
    {0x36d, THREE},                      /* v_add3_u32 */
    {0x36f, SHIFT_MIDDLE},               /* v_lshl_or_b32 */
    {0x371, THREE},                      /* v_and_or_b32 */
    {0x372, THREE},                      /* v_or3_b32 */
    {0x11b, TWO},                        /* v_and_b32 */
    {0x11c, TWO},                        /* v_or_b32 */
    {0x11d, TWO},                        /* v_xor_b32 */
    {0x148, FIELD},                      /* v_bfe_u32 */
    {0x149, FIELD},                      /* v_bfe_i32 */
    {0x113, TWO},                        /* v_min_u32 */
    {0x114, TWO},                        /* v_max_u32 */
    {0x111, TWO},                        /* v_min_i32 */
    {0x112, TWO},                        /* v_max_i32 */
    {0x157, THREE},                      /* v_med3_u32 */
    {0x156, THREE},                      /* v_med3_i32 */
    {0x14a, THREE},                      /* v_bfi_b32 */
    {0x16a, SCALED},                     /* v_mul_hi_u32 */
    {0x101, SELECTED},                   /* v_cndmask_b32 */
};

/* At most two of the operands may be scalar registers. */
static uint32_t third(const struct writer *w, uint32_t a, uint32_t b)
{
    uint32_t c = source(w);
    return (a < CONST_0) + (b < CONST_0) + (c < CONST_0) > 2 ? vector(w) : c;
}

static void put_random(struct writer *w)
{
    uint32_t n = random_below(sizeof ops / sizeof *ops), op = ops[n].op, a = source(w), b = source(w);
    bool again = w->branches && w->made > FIRST_MADE && (w->made == MOST_MADE || random_below(2));
    uint32_t dst = again ? FIRST_MADE + random_below(w->made - FIRST_MADE) : w->made;
    switch (ops[n].shape) {
    case TWO: vop3(w, op, dst, a, b, 0); break;
    case SHIFTED: vop3(w, op, dst, small(), b, 0); break;
    case SCALED: vop3(w, op, dst, random_below(2) ? number() : S0 + random_below(2), b, 0); break;
    case THREE: vop3(w, op, dst, a, random_below(2) ? number() : b, third(w, a, b)); break;
    case SHIFT_MIDDLE: vop3(w, op, dst, a, small(), third(w, a, small())); break;
    case SHIFT_LAST: vop3(w, op, dst, a, b, small()); break;
    case FIELD: vop3(w, op, dst, a, small(), number()); break;
    case SELECTED: vop3(w, op, dst, random_below(2) ? number() : vector(w), vector(w), S_MASK); break;
    }
    w->made += !again;
}

/* v_cmp_lt_u32 .. of s[8:9] or s8. */
static void put_compare(struct writer *w)
{
    const uint32_t compares[] = {0xc1, 0xc2, 0xc3, 0xc4, 0xc5, 0xc6, 0x81, 0x84};
    vop3(w, compares[random_below(8)], S_MASK, random_below(3) ? vector(w) : number(), random_below(3) ? number() : source(w), 0);
}

static void put_saveexec(struct writer *w)
{
    put(w, (w->wide ? 0xbe802400u : 0xbe803c00u) | S_SAVED << 16 | S_MASK);
}

/* 1a. Branches. */

static void put_randoms(struct writer *w, uint32_t most)
{
    for (uint32_t n = random_below(most + 1); n; n--)
        put_random(w);
}

/* s_and, s_or, s_xor (by their code of 32 bits) of EXEC. */
static void put_exec(struct writer *w, uint32_t op, uint32_t a, uint32_t b)
{
    put(w, (op + (w->wide ? 0x00800000u : 0)) | EXEC << 16 | b << 8 | a);
}

static void put_move(struct writer *w, uint32_t to, uint32_t from)
{
    put(w, (w->wide ? 0xbe800400u : 0xbe800300u) | to << 16 | from);
}

static void put_jump(struct writer *w, uint32_t op, uint32_t to)
{
    put(w, op | (uint16_t)(to - w->count - 1));
}

static void put_if(struct writer *w)
{
    put_compare(w);
    put_saveexec(w);
    uint32_t skip = w->count, skips = random_below(2);
    if (skips)
        put(w, 0xbf880000u); /* s_cbranch_execz */
    put_randoms(w, 3);
    if (skips)
        w->words[skip] |= w->count - skip - 1;
    switch (random_below(3)) {
    case 0:
        put_exec(w, 0x89000000u, EXEC, S_SAVED);
        put_randoms(w, 3);
        put_move(w, EXEC, S_SAVED);
        break;
    case 1: put_exec(w, 0x88000000u, EXEC, S_SAVED); break;
    default: put_move(w, EXEC, S_SAVED); break;
    }
}

static void put_loop(struct writer *w)
{
    put(w, 0xbe800300u | S_COUNT << 16 | (CONST_0 + 1 + random_below(3)));
    uint32_t again = w->count;
    put_randoms(w, 2);
    if (random_below(2))
        put_if(w);
    put(w, 0x80808100u | S_COUNT << 16 | S_COUNT); /* s_sub_u32 s20, s20, 1 */
    put(w, 0xbf078000u | S_COUNT);                 /* s_cmp_lg_u32 s20, 0 */
    put_jump(w, 0xbf850000u, again);               /* s_cbranch_scc1 */
}

/* Lanes leave one after the other. */
static void put_shrinking_loop(struct writer *w)
{
    vop3(w, 0x11b, V_COUNT, vector(w), CONST_0 + 3, 0); /* v_and_b32 */
    put_move(w, S_OUTER, EXEC);
    uint32_t again = w->count;
    put_randoms(w, 2);
    if (random_below(2))
        put_if(w);
    vop3(w, 0x126, V_COUNT, V0 + V_COUNT, CONST_0 + 1, 0); /* v_sub_nc_u32 */
    vop3(w, 0x84, S_MASK, V0 + V_COUNT, CONST_0, 0);       /* v_cmp_gt_i32 */
    put_exec(w, 0x87000000u, EXEC, S_MASK);
    put_jump(w, 0xbf890000u, again); /* s_cbranch_execnz */
    put_move(w, EXEC, S_OUTER);
}

static void put_branches(struct writer *w)
{
    for (uint32_t n = 1 + random_below(3); n; n--) {
        switch (random_below(4)) {
        case 0: put_loop(w); break;
        case 1: put_shrinking_loop(w); break;
        default: put_if(w); break;
        }
        put_randoms(w, 2);
    }
}

/* A program whose last word it is that is stored at base + what it makes of the ids; returns the store's place. */
static uint32_t put_program(struct writer *w)
{
    w->made = FIRST_MADE;
    put_compare(w);
    for (uint32_t n = 1 + random_below(6); n; n--)
        put_random(w);
    if (w->branches)
        put_branches(w);
    uint32_t last = w->branches ? FIRST_MADE + random_below(w->made - FIRST_MADE) : w->made - 1;
    if (random_below(2)) { /* v_and_b32: not too far away */
        vop3(w, 0x11b, w->made, V0 + last, S0, 0);
        last = w->made++;
    }
    if (random_below(2)) { /* v_lshlrev_b32 */
        vop3(w, 0x11a, w->made, CONST_0 + 2, V0 + last, 0);
        last = w->made++;
    }
    if (random_below(2)) {
        put_saveexec(w);
        for (uint32_t n = random_below(3); n; n--) {
            put_random(w);
            last = random_below(2) ? w->made - 1 : last;
        }
        if (random_below(3) == 0) {
            put_compare(w);
            put_saveexec(w);
        }
        if (random_below(3) == 0) /* s_xor: the lanes that were left out */
            put(w, (w->wide ? 0x89800000u : 0x89000000u) | EXEC << 16 | EXEC << 8 | S_SAVED);
    }
    if (random_below(2)) { /* by an index of 32 bits */
        uint32_t at = w->count;
        put(w, 0xdc708000u); /* global_store_dword v, v0, s[2:3] */
        put(w, last | S_BASE << 16);
        return at;
    }
    uint32_t pair = w->made + (w->made & 1), carry = S_MASK;
    vop3(w, 0x180 + 1, pair, V0 + last, 0, 0); /* v_mov_b32 */
    vop3(w, 0x180 + 1, pair + 1, CONST_0, 0, 0);
    vop3(w, 0x2ff, pair, small(), V0 + pair, 0); /* v_lshlrev_b64 */
    vop3(w, 0x30f, pair, S_BASE, V0 + pair, 0);  /* v_add_co_u32, the carry to the mask: */
    w->words[w->count - 2] |= carry << 8;
    vop3(w, 0x128, pair + 1, S_BASE + 1, V0 + pair + 1, carry); /* v_add_co_ci_u32 */
    w->words[w->count - 2] |= carry << 8;
    uint32_t at = w->count;
    put(w, 0xdc708000u); /* global_store_dword v[], v0, off */
    put(w, pair | 0x7du << 16);
    return at;
}

/* 2. What waves do. */

struct seen {
    uint64_t pc, start, end, count;
    struct wave_track_span *spans;
    bool unknown;
};

static void note(void *user, const struct wave_track_access *a)
{
    struct seen *s = user;
    if (a->pc != s->pc)
        return;
    s->unknown |= a->known != a->possible || a->active != a->possible;
    for (uint32_t i = 0; i < a->span_count; i++) {
        assert_true(s->count < MOST_THREADS * 2);
        s->spans[s->count++] = a->spans[i];
        s->start = a->spans[i].address < s->start ? a->spans[i].address : s->start;
        s->end = a->spans[i].address + a->spans[i].bytes > s->end ? a->spans[i].address + a->spans[i].bytes : s->end;
    }
}

static void run_waves(struct trace_guest *g, struct seen *s)
{
    const struct wave_dispatch *d = &g->dispatch;
    struct wave_tracker *tracker = wave_tracker_create(g->cache, d, NULL);
    assert_non_null(tracker);
    struct wave_track_options options = {.user = s, .access = note, .zeroed = true};
    struct wave_track_result result;
    for (options.group[2] = 0; options.group[2] < d->groups[2]; options.group[2]++)
        for (options.group[1] = 0; options.group[1] < d->groups[1]; options.group[1]++)
            for (options.group[0] = 0; options.group[0] < d->groups[0]; options.group[0]++)
                for (options.wave = 0; wave_tracker_run(tracker, &options, &result); options.wave++)
                    assert_int_equal(result.end, WAVE_TRACK_ENDED);
    wave_tracker_destroy(tracker);
}

static bool is_gapless(const struct seen *s)
{
    uint64_t size = s->end - s->start;
    if (!s->count || size > s->count * 4)
        return false;
    uint8_t *bytes = calloc(1, size);
    assert_non_null(bytes);
    for (uint64_t i = 0; i < s->count; i++)
        memset(bytes + (s->spans[i].address - s->start), 1, s->spans[i].bytes);
    bool all = !memchr(bytes, 0, size);
    free(bytes);
    return all;
}

/* 3. Both. */

static struct trace_guest *random_guest(struct writer *w, uint32_t *store, bool branches)
{
    static const uint32_t shapes[][3] = {{64, 1, 1}, {32, 1, 1}, {8, 8, 1},   {16, 4, 2},
                                         {48, 1, 1}, {4, 4, 4},  {128, 1, 1}, {7, 3, 1}};
    *w = (struct writer){.wide = random_below(2), .branches = branches};
    *store = put_program(w);
    put(w, 0xbf810000u); /* s_endpgm */
    struct trace_guest *g = trace_guest_create(w->words, sizeof w->words, w->wide ? 64 : 32, 4, 7);
    const uint32_t *threads = shapes[random_below(8)];
    trace_guest_grid(g, 1 + random_below(5), 1 + random_below(4), 1 + random_below(3));
    trace_guest_threads(g, threads[0], threads[1], threads[2]);
    g->dispatch.rsrc1 |= 63; /* registers */
    g->dispatch.rsrc2 |= 2u << 11;
    for (unsigned n = 0; n < 3; n++) {
        if (random_below(3) == 0)
            g->dispatch.last_threads[n] = 1 + random_below(threads[n]);
        if (random_below(4) == 0)
            g->dispatch.first_group[n] = random_below(9);
    }
    const uint32_t numbers[] = {0xfff, 0x3fffc, 64, 3840, 0x7ff0, 12, 0xffffffc0, 0xf0};
    g->dispatch.user_data[0] = numbers[random_below(8)];
    g->dispatch.user_data[1] = numbers[random_below(8)];
    trace_guest_point(g, S_BASE, base);
    return g;
}

static size_t read_words(void *user, uint64_t pc, uint32_t *words, size_t count)
{
    const struct writer *w = user;
    size_t first = (pc - TRACE_TEST_CODE) / 4, n = 0;
    for (; n < count && first + n < MOST_WORDS; n++)
        words[n] = w->words[first + n];
    return n;
}

static void run_flow(struct trace_guest *g, struct writer *w, struct trace_table *table)
{
    const struct lower_config config = {.chip = ISA_GFX1030, .wave_size = g->dispatch.wave_size};
    const struct lower_fetch fetch = {w, read_words};
    struct ir_func *func = lower_program(&config, &fetch, TRACE_TEST_CODE);
    struct trace_reader reader = {.memory = &g->memory};
    const struct trace_subject subject = {.dispatch = &g->dispatch, .func = func, .reader = &reader};
    assert_non_null(func);
    assert_true(trace_flow_run(&subject, table));
    trace_reader_finish(&reader);
    ir_func_destroy(func);
}

struct tally {
    unsigned ran, placed, tight, covered, gapless;
};

static void compare(const struct trace_site *site, const struct seen *s, struct tally *tally)
{
    tally->ran++;
    if (!site || site->place == TRACE_APART) {
        assert_int_equal(s->count, 0);
        return;
    }
    bool gapless = is_gapless(s);
    if (site->covers || site->place != TRACE_RANGE)
        assert_true(site->place == TRACE_RANGE ? gapless && site->start == s->start && site->end == s->end : !site->covers);
    if (site->place != TRACE_RANGE)
        return;
    tally->placed++;
    assert_true(!s->count || (site->start <= s->start && site->end >= s->end));
    tally->gapless += gapless;
    tally->covered += site->covers;
    if (site->loose)
        return;
    tally->tight++;
    assert_int_equal(site->start, s->start);
    assert_int_equal(site->end, s->end);
}

static struct tally run_programs(bool branches)
{
    struct tally tally = {0};
    struct seen s = {.spans = calloc(MOST_THREADS * 2, sizeof *s.spans)};
    assert_non_null(s.spans);
    for (unsigned n = 0; n < PROGRAMS; n++) {
        struct writer w;
        uint32_t store;
        seed = UINT64_C(0x9e3779b97f4a7c15) * (n + 77777);
        struct trace_guest *g = random_guest(&w, &store, branches);
        struct trace_table table = {0};
        s.pc = TRACE_TEST_CODE + 4 * store;
        s.start = UINT64_MAX;
        s.end = s.count = 0;
        s.unknown = false;
        run_flow(g, &w, &table);
        run_waves(g, &s);
        assert_false(s.unknown);
        if (getenv("TRACE_RANDOM_SHOW"))
            print_message("program %u\n", n);
        compare(trace_table_find(&table, s.pc), &s, &tally);
        trace_table_finish(&table);
        trace_guest_destroy(g);
    }
    free(s.spans);
    print_message("%u programs: %u placed, %u of them tight, %u covered of %u without gaps\n", tally.ran, tally.placed,
                  tally.tight, tally.covered, tally.gapless);
    return tally;
}

/* What is compared is of use only when the flow says something of most. */
static void random_programs_reach_what_the_flow_says(void **state)
{
    (void)state;
    struct tally tally = run_programs(false);
    assert_true(tally.placed > PROGRAMS / 2);
    assert_true(tally.tight > PROGRAMS / 4);
    assert_true(tally.covered > tally.gapless / 2);
}

static void random_programs_with_branches_reach_what_the_flow_says(void **state)
{
    (void)state;
    struct tally tally = run_programs(true);
    assert_true(tally.placed > PROGRAMS / 4);
    assert_true(tally.tight > PROGRAMS / 8);
    assert_true(tally.covered > tally.gapless / 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_programs_reach_what_the_flow_says),
        cmocka_unit_test(random_programs_with_branches_reach_what_the_flow_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
