/* Random stores without a look at what was there, beside the same on the CPU device: from any word of memory that lies anywhere in the host's pages on,
 * over and beside each other, with words left out by data; the guest writes between what is stored, and looks at parts of it now and then. With the
 * argument `staged`, moved as on a device with memory of its own. */
#include "vulkan/vulkan_testing.h"

#include "vulkan/vulkan_engine.h"

/* Assembled with llvm-mc for gfx1030, wave32. s[0:1]: a word for each lane; s[2:3]: an offset for each lane; s[4:5] or s[4:7]: what is stored to; s8: the
 * group. */
static const uint32_t head[] = {
    0x8f0a8508,             /* s_lshl_b32 s10, s8, 5 */
    0x4a00000a,             /* v_add_nc_u32 v0, s10, v0 */
    0x34020082,             /* v_lshlrev_b32 v1, 2, v0 */
    0xdc308000, 0x02000001, /* global_load_dword v2, v1, s[0:1] */
};
static const uint32_t offset_by_lane[] = {
    0xd5690003, 0x000200ff, 0, /* v_mul_lo_u32 v3, STRIDE, v0 */
    0x4a0606ff, 0,             /* v_add_nc_u32 v3, AT, v3 */
    0xbf8c3f70,                /* s_waitcnt vmcnt(0) */
};
static const uint32_t offset_by_table[] = {
    0xdc308000, 0x03020001, /* global_load_dword v3, v1, s[2:3] */
    0xbf8c3f70,             /* s_waitcnt vmcnt(0) */
};
enum { STRIDE = 2, AT = 4, MASK_OF = 0, MASK = 1, LIMIT = 3, BY_DATA = 0x361404ff, BY_LANE = 0x361400ff };
static const uint32_t lane_mask[] = {
    0,          0, /* v_and_b32 v10, MASK, v0 or v2 */
    0x7d8814ff, 0, /* v_cmp_gt_u32 vcc_lo, LIMIT, v10 */
    0x877e6a7e,    /* s_and_b32 exec_lo, exec_lo, vcc_lo */
};
static const uint32_t four_words[] = {
    0x4a080102, /* v_add_nc_u32 v4, v2, v0 */
    0x4a0a0104, /* v_add_nc_u32 v5, v4, v0 */
    0x4a0c0105, /* v_add_nc_u32 v6, v5, v0 */
    0x4a0e0106, /* v_add_nc_u32 v7, v6, v0 */
};
static const uint32_t global_tail[] = {0, 0x00040403, 0xbf810000};          /* a store of v4 and on, v3, s[4:5] */
static const uint32_t buffer_tail[] = {0xe0001000, 0x80010403, 0xbf810000}; /* the same, v3, s[4:7], 0 offen */
enum { CODE_WORDS = 40, STORE_OPCODE = 0x00ff0000 };
static const uint32_t stores[] = {0xdc708000, 0xdc748000, 0xdc7c8000, 0xdc788000};
static const uint32_t store_words[] = {1, 2, 3, 4};

enum {
    WAVE = 32,
    MOST_GROUPS = 48,
    MOST_LANES = WAVE * MOST_GROUPS,
    RUNS = 3,
    RUN_MOST = 8 * PAGE,
    OPERATIONS = 14,
    APART = 1 << 20,
};

struct run {
    uint8_t *memory, *host, *before;
    uint64_t at;
    uint32_t size;
    bool *dirty; /* stored, and not yet the guest's */
};

struct world {
    struct fixture *f;
    struct run run[RUNS];
    uint64_t words, offsets; /* of lanes */
    uint32_t *word, *offset;
    uint32_t seed;
    uint8_t *seen; /* what the guest saw */
    size_t seen_bytes, seen_at;
    bool again; /* on the CPU device */
    uint32_t number, operation;
};

static uint32_t below(struct world *w, uint32_t limit)
{
    w->seed = w->seed * 1664525 + 1013904223;
    return (uint32_t)(((uint64_t)(w->seed >> 4) * limit) >> 28);
}

static uint32_t *put(uint32_t **at, const uint32_t *words, size_t bytes)
{
    uint32_t *first = memcpy(*at, words, bytes);
    *at += bytes / sizeof *words;
    return first;
}
#define PUT(at, words) put(&(at), words, sizeof(words))

/* A store, none of whose lanes reaches beyond its run. */
static void store(struct world *w)
{
    enum { RAW = 3 << 28, DATA_32 = 20 << 12 };
    struct run *run = &w->run[below(w, RUNS)];
    uint32_t code[CODE_WORDS] = {0}, *at = code, *words;
    const uint32_t kind = below(w, 4), bytes = 4 * store_words[kind];
    const bool table = below(w, 3) == 0, buffer = below(w, 3) == 0, by_data = below(w, 3) != 0, reverse = below(w, 2);
    uint32_t stride = below(w, 2) ? bytes : bytes + 4 * below(w, 4),
             first = below(w, 3) ? 4 * below(w, run->size / 4) : 16 * below(w, run->size / 16);
    if (first + bytes > run->size)
        return;
    uint32_t lanes = (run->size - first - bytes) / stride + 1;
    uint32_t groups = 1 + below(w, MOST_GROUPS), last = below(w, 2) ? WAVE : 1 + below(w, WAVE);
    if (groups * WAVE > lanes) {
        groups = (lanes + WAVE - 1) / WAVE;
        last = lanes - (groups - 1) * WAVE < last ? lanes - (groups - 1) * WAVE : last;
    }
    lanes = (groups - 1) * WAVE + last;
    const uint32_t mask = below(w, 4) ? 15 : 0, limit = mask ? below(w, 18) : 1;
    for (uint32_t n = 0; n < MOST_LANES; n++) {
        w->word[n] = below(w, 1 << 28);
        w->offset[n] = n < lanes ? first + (reverse ? lanes - 1 - n : n) * stride : 0;
    }
    testing_changed(w->f, (struct device_range){w->words, MOST_LANES * 4});
    testing_changed(w->f, (struct device_range){w->offsets, MOST_LANES * 4});
    PUT(at, head);
    words = table ? PUT(at, offset_by_table) : PUT(at, offset_by_lane);
    if (!table) {
        words[STRIDE] = stride;
        words[AT] = first;
    }
    words = PUT(at, lane_mask);
    words[MASK_OF] = by_data ? BY_DATA : BY_LANE;
    words[MASK] = mask;
    words[LIMIT] = limit;
    PUT(at, four_words);
    words = buffer ? PUT(at, buffer_tail) : PUT(at, global_tail);
    words[0] = buffer ? words[0] | (stores[kind] & STORE_OPCODE) : stores[kind];
    const uint64_t pairs[4] = {w->words, w->offsets, run->at, 0};
    struct device_dispatch dispatch = testing_dispatch_on(w->f, pairs, groups, WAVE);
    struct wave_dispatch *d = &dispatch.registers;
    uint32_t records = below(w, 3) ? first + lanes * stride : first + below(w, lanes * stride);
    if (records > run->size)
        records = run->size;
    if (buffer)
        memcpy(d->user_data + 6, (const uint32_t[]){records, RAW | DATA_32}, 2 * sizeof(uint32_t));
    d->last_threads[0] = last;
    testing_put_code(w->f, code, sizeof code);
    testing_changed(w->f, (struct device_range){w->f->base + AT_CODE, sizeof code});
    testing_run_only(w->f, &dispatch);
    if (w->f->result.failed)
        fail_msg("case %u: %s", w->number, w->f->result.text);
    for (uint32_t n = 0; n < lanes; n++) {
        const uint32_t place = table ? w->offset[n] : first + n * stride;
        if (((by_data ? w->word[n] : n) & mask) < limit)
            for (uint32_t k = 0; k < bytes; k += 4)
                if (!buffer || place + k + 4 <= records)
                    memset(run->dirty + place + k, true, 4);
    }
}

/* Of one run into another, words one behind the other. */
static void copy(struct world *w)
{
    struct run *from = &w->run[below(w, RUNS)], *to = &w->run[below(w, RUNS)];
    const uint32_t first = 4 * below(w, from->size / 4), second = 4 * below(w, to->size / 4);
    uint32_t room = from->size - first < to->size - second ? from->size - first : to->size - second, groups = room / 4 / THREADS;
    if (!groups || from == to)
        return;
    groups = 1 + below(w, groups);
    const uint64_t pairs[4] = {to->at + second, 0, from->at + first, 0};
    testing_put_code(w->f, testing_copy_all, sizeof testing_copy_all);
    testing_changed(w->f, (struct device_range){w->f->base + AT_CODE, sizeof testing_copy_all});
    testing_run_on(w->f, pairs, groups, THREADS);
    assert_false(w->f->result.failed);
    memset(to->dirty + second, true, groups * THREADS * 4);
}

static void write_beside(struct world *w)
{
    for (unsigned n = 1 + below(w, 100); n; n--) {
        struct run *run = &w->run[below(w, RUNS)];
        const uint32_t at = below(w, run->size), count = below(w, 2) ? 1 : below(w, 32);
        for (uint32_t i = at; i < at + count && i < run->size && !run->dirty[i]; i++) {
            run->host[i] ^= (uint8_t)(1 + below(w, 255));
            testing_changed(w->f, (struct device_range){run->at + i, 1});
        }
    }
}

static void look(struct world *w, struct run *run, uint32_t from, uint32_t size)
{
    testing_settle(w->f, (struct device_range){run->at + from, size});
    if (!w->again)
        memcpy(w->seen + w->seen_at, run->host + from, size);
    for (uint32_t n = 0; n < size && w->again; n++)
        if (w->seen[w->seen_at + n] != run->host[from + n])
            fail_msg("case %u, operation %u: byte 0x%x of run %d is 0x%02x, not 0x%02x", w->number, w->operation, from + n,
                     (int)(run - w->run), w->seen[w->seen_at + n], run->host[from + n]);
    memset(run->dirty + from, false, size);
    w->seen_at += size;
    assert_true(w->seen_at <= w->seen_bytes);
}

static void look_at_part(struct world *w)
{
    struct run *run = &w->run[below(w, RUNS)];
    const uint32_t from = below(w, run->size), size = 1 + below(w, below(w, 2) ? 64 : run->size);
    look(w, run, from, size < run->size - from ? size : run->size - from);
}

static void go(struct world *w)
{
    w->seed = w->number * 7919 + 1;
    w->seen_at = 0;
    for (w->operation = 0; w->operation < OPERATIONS; w->operation++) {
        const uint32_t what = below(w, 10);
        if (what < 5)
            store(w);
        else if (what < 6)
            copy(w);
        else if (what < 8)
            write_beside(w);
        else
            look_at_part(w);
    }
    for (unsigned n = 0; n < RUNS; n++)
        look(w, &w->run[n], 0, w->run[n].size);
}

static void map(struct world *w, unsigned n)
{
    struct base_error why;
    struct run *run = &w->run[n];
    const uint32_t phase = below(w, 3) ? 4 * below(w, PAGE / 4) : below(w, 4) ? 0 : below(w, PAGE);
    run->size = below(w, 8) ? 64 + below(w, RUN_MOST) : 4 + below(w, 64);
    if (below(w, 2))
        run->size = (run->size + PAGE) / PAGE * PAGE - phase;
    if (run->size > RUN_MOST)
        run->size = RUN_MOST;
    run->host = run->memory + phase;
    run->at = (UINT64_C(7) << 36) + n * APART + (below(w, 2) ? 0 : 4 * below(w, PAGE / 4));
    if (!mem_space_map(w->f->space, run->at, run->host, run->size, true, &why))
        fail_msg("%s", why.text);
    for (uint32_t i = 0; i < run->size; i++)
        run->host[i] = (uint8_t)((i + w->number) * 0x9e37 >> 5);
    memcpy(run->before, run->host, run->size);
    memset(run->dirty, false, RUN_MOST);
}

static void check_case(struct world *w, uint32_t number)
{
    struct base_error why;
    w->number = number;
    w->seed = number * 104729 + 7;
    for (unsigned n = 0; n < RUNS; n++)
        map(w, n);
    testing_changed(w->f, DEVICE_EVERYTHING);
    w->again = false;
    go(w);
    for (unsigned n = 0; n < RUNS; n++) {
        memcpy(w->run[n].host, w->run[n].before, w->run[n].size);
        memset(w->run[n].dirty, false, RUN_MOST);
    }
    struct device *device = w->f->device;
    w->f->device = w->f->cpu;
    w->again = true;
    go(w);
    w->f->device = device;
    testing_changed(w->f, DEVICE_EVERYTHING);
    for (unsigned n = 0; n < RUNS; n++) {
        uint64_t size;
        assert_true(mem_space_unmap(w->f->space, w->run[n].at, &size, &why));
    }
}

static void random_stores_leave_what_they_leave_on_the_cpu_device(void **state)
{
    struct world w = {.f = *state};
    struct base_error why;
    const char *first = getenv("FIRST_CASE"), *cases = getenv("CASES");
    const uint32_t from = first ? (uint32_t)atoi(first) : 0, count = cases ? (uint32_t)atoi(cases) : 20;
    assert_true(mem_space_alloc(w.f->space, 4 * MOST_LANES, PAGE, NULL, 0, &w.words, &why));
    assert_true(mem_space_alloc(w.f->space, 4 * MOST_LANES, PAGE, NULL, 0, &w.offsets, &why));
    w.word = mem_space_pointer(w.f->space, w.words, 4 * MOST_LANES);
    w.offset = mem_space_pointer(w.f->space, w.offsets, 4 * MOST_LANES);
    for (unsigned n = 0; n < RUNS; n++) {
        assert_non_null(w.run[n].memory = aligned_alloc(PAGE, RUN_MOST + 2 * PAGE));
        assert_non_null(w.run[n].before = malloc(RUN_MOST));
        assert_non_null(w.run[n].dirty = calloc(RUN_MOST, sizeof(bool)));
    }
    w.seen_bytes = (OPERATIONS + RUNS) * (size_t)RUN_MOST;
    assert_non_null(w.seen = malloc(w.seen_bytes));
    for (uint32_t n = 0; n < count; n++)
        check_case(&w, from + n);
    struct counts counts = testing_counts(w.f);
    if (counts.elsewhere)
        fail_msg("%u ran elsewhere: %s", (unsigned)counts.elsewhere, counts.reason);
    assert_true(vulkan_engine_moved(w.f->engine).masked);
    for (unsigned n = 0; n < RUNS; n++) {
        free(w.run[n].memory);
        free(w.run[n].before);
        free(w.run[n].dirty);
    }
    free(w.seen);
}

int main(int argc, char **argv)
{
    testing_choose(argc, argv);
    const struct CMUnitTest tests[] = {
        TEST(random_stores_leave_what_they_leave_on_the_cpu_device),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
