/* The flow on small programs: what it says of each access against what every thread of the dispatch does, counted one by one. */
#include "trace/trace_testing.h"

#include "lower/lower.h"
#include "trace/trace_flow.h"
#include "trace/trace_flow_programs.h"
#include "trace/trace_internal.h"
#include "wave/wave_track.h"

/* 1. Running it. */

static const uint64_t far_away = UINT64_C(0x7f1234567000), elsewhere = UINT64_C(0x7f4300000000);

struct trial {
    struct trace_guest *g;
    struct ir_func *func;
    struct trace_flow_program *program;
    struct trace_reader reader;
    struct trace_table table;
};

static size_t read_code(void *user, uint64_t pc, uint32_t *words, size_t count)
{
    struct wave_run run;
    size_t n = 0;
    while (n < count && trace_guest_find(user, pc + 4 * n, &run) == WAVE_DONE) {
        memcpy(&words[n], run.host + (pc + 4 * n - run.start), 4);
        n++;
    }
    return n;
}

static void run(struct trial *t, struct trace_guest *g)
{
    const struct lower_config config = {.chip = ISA_GFX1030, .wave_size = g->dispatch.wave_size};
    const struct lower_fetch fetch = {g, read_code};
    *t = (struct trial){.g = g, .func = lower_program(&config, &fetch, TRACE_TEST_CODE), .reader = {.memory = &g->memory}};
    assert_non_null(t->func);
    t->program = trace_flow_program_create(t->func);
    assert_non_null(t->program);
    const struct trace_subject subject = {.dispatch = &g->dispatch, .func = t->func, .flow = t->program, .reader = &t->reader};
    assert_true(trace_flow_run(&subject, &t->table));
}

static void end(struct trial *t)
{
    trace_table_finish(&t->table);
    trace_reader_finish(&t->reader);
    trace_flow_program_destroy(t->program);
    ir_func_destroy(t->func);
    trace_guest_destroy(t->g);
}

/* The nth store, load or whatever `kind` says, in the order of the program; scalar loads count apart. */
enum kind { SCALAR, LOAD, STORE, ATOMIC };

static const struct trace_site *nth(const struct trial *t, enum kind kind, unsigned n)
{
    for (uint32_t i = 0; i < t->table.count; i++) {
        const struct trace_site *s = &t->table.sites[i];
        bool scalar = s->space == IR_SPACE_SCALAR || s->space == IR_SPACE_SBUFFER;
        enum kind is = s->atomic ? ATOMIC : s->store ? STORE : scalar ? SCALAR : LOAD;
        if (is == kind && n-- == 0)
            return s;
    }
    return NULL;
}

static const struct trace_site *site(const struct trial *t, enum kind kind, unsigned n)
{
    const struct trace_site *s = nth(t, kind, n);
    assert_non_null(s);
    return s;
}

/* 2. What every thread does. */

struct thread {
    uint32_t group[3], id[3];
};

/* Where the thread accesses memory; false: it does not. */
typedef bool (*access_fn)(const struct thread *thread, uint64_t *address);

struct reached {
    uint64_t start, end;
    bool gapless;
};

static bool next_thread(const struct wave_dispatch *d, struct thread *t)
{
    for (unsigned n = 0; n < 3; n++) {
        if (++t->id[n] < (t->group[n] + 1 == d->groups[n] ? d->last_threads[n] : d->threads[n]))
            return true;
        t->id[n] = 0;
    }
    for (unsigned n = 0; n < 3; n++) {
        if (++t->group[n] < d->groups[n])
            return true;
        t->group[n] = 0;
    }
    return false;
}

/* Goes over all threads of the dispatch; nothing here knows of ranges. */
static struct reached count(const struct wave_dispatch *d, access_fn access, uint32_t bytes)
{
    struct reached r = {.start = UINT64_MAX};
    struct thread t = {.group = {0}};
    uint64_t address;
    do
        if (access(&t, &address)) {
            r.start = address < r.start ? address : r.start;
            r.end = address + bytes > r.end ? address + bytes : r.end;
        }
    while (next_thread(d, &t));
    size_t size = r.end > r.start ? r.end - r.start : 0;
    uint8_t *seen = calloc(1, size + 1);
    assert_non_null(seen);
    do
        if (access(&t, &address))
            memset(seen + (address - r.start), 1, bytes);
    while (next_thread(d, &t));
    r.gapless = size && !memchr(seen, 0, size);
    free(seen);
    return r;
}

static void assert_reaches(const struct trial *t, const struct trace_site *s, access_fn access, uint32_t bytes)
{
    struct reached r = count(&t->g->dispatch, access, bytes);
    assert_int_equal(s->place, TRACE_RANGE);
    assert_int_equal(s->start, r.start);
    assert_int_equal(s->end, r.end);
    assert_false(s->loose);
    assert_int_equal(s->covers, s->store && r.gapless);
}

/* 3. Guests. */

static uint32_t arguments[16];

/* What clang's kernels take: a pointer to the arguments in s[4:5], the group's ids behind it. */
static struct trace_guest *kernel(const uint32_t *program, size_t size, unsigned wave_size, uint64_t first, uint64_t second)
{
    struct trace_guest *g = trace_guest_create(program, size, wave_size, 6, 7);
    trace_guest_point(g, 4, TRACE_TEST_TABLE);
    memset(arguments, 0, sizeof arguments);
    memcpy(&arguments[0], &first, sizeof first);
    memcpy(&arguments[2], &second, sizeof second);
    trace_guest_map(g, TRACE_TEST_TABLE, arguments, sizeof arguments, WAVE_DONE);
    return g;
}

#define KERNEL(name, wave_size, first, second) kernel(program_##name, sizeof program_##name, wave_size, first, second)

static uint64_t line(const struct thread *t, uint32_t size)
{
    return t->group[0] * (uint64_t)size + t->id[0];
}

/* 4. Ranges. */

static bool saxpy_y(const struct thread *t, uint64_t *address)
{
    *address = far_away + 4 * line(t, 256);
    return true;
}
static bool saxpy_x(const struct thread *t, uint64_t *address)
{
    *address = elsewhere + 4 * line(t, 256);
    return true;
}

static void an_affine_load_s_range_is_exact(void **state)
{
    (void)state;
    struct trial t;
    struct trace_guest *g = KERNEL(saxpy, 32, far_away, elsewhere);
    trace_guest_grid(g, 37, 1, 1);
    trace_guest_threads(g, 256, 1, 1);
    run(&t, g);
    assert_reaches(&t, site(&t, LOAD, 0), saxpy_x, 4);
    assert_reaches(&t, site(&t, LOAD, 1), saxpy_y, 4);
    assert_reaches(&t, site(&t, STORE, 0), saxpy_y, 4);
    assert_true(site(&t, STORE, 0)->covers);
    assert_false(site(&t, STORE, 0)->one_word);
    assert_true(site(&t, STORE, 0)->based);
    assert_int_equal(site(&t, STORE, 0)->base, far_away);
    assert_null(t.table.leaves);
    end(&t);
}

static bool border_x(const struct thread *t, uint64_t *address)
{
    *address = UINT64_C(0x7f42ffffe000) + 4 * line(t, 256);
    return true;
}

static void a_range_may_cross_a_border_of_four_gigabytes(void **state)
{
    (void)state;
    struct trial t;
    struct trace_guest *g = KERNEL(saxpy, 32, far_away, UINT64_C(0x7f42ffffe000));
    trace_guest_grid(g, 16, 1, 1);
    trace_guest_threads(g, 256, 1, 1);
    run(&t, g);
    assert_reaches(&t, site(&t, LOAD, 0), border_x, 4);
    end(&t);
}

static void the_last_group_s_missing_threads_reach_nothing(void **state)
{
    (void)state;
    struct trial t;
    struct trace_guest *g = KERNEL(saxpy, 32, far_away, elsewhere);
    trace_guest_grid(g, 5, 1, 1);
    trace_guest_threads(g, 256, 1, 1);
    g->dispatch.last_threads[0] = 77;
    run(&t, g);
    assert_reaches(&t, site(&t, STORE, 0), saxpy_y, 4);
    assert_true(site(&t, STORE, 0)->covers);
    end(&t);
}

static uint32_t limit_n;
static bool copy_to(const struct thread *t, uint64_t *address)
{
    *address = far_away + 16 * line(t, 64);
    return line(t, 64) < limit_n;
}
static bool copy_from(const struct thread *t, uint64_t *address)
{
    *address = elsewhere + 16 * line(t, 64);
    return line(t, 64) < limit_n;
}

static void lanes_that_a_compare_leaves_out_reach_nothing(void **state)
{
    (void)state;
    const uint32_t limits[] = {1, 63, 64, 65, 1000, 1024, 5000};
    for (unsigned n = 0; n < sizeof limits / sizeof *limits; n++)
        for (unsigned wave_size = 32; wave_size <= 64; wave_size += 32) {
            struct trial t;
            struct trace_guest *g =
                wave_size == 32 ? KERNEL(copy, 32, far_away, elsewhere) : KERNEL(copy64, 64, far_away, elsewhere);
            arguments[4] = limit_n = limits[n];
            trace_guest_grid(g, 16, 1, 1);
            trace_guest_threads(g, 64, 1, 1);
            g->dispatch.last_threads[0] = 33;
            run(&t, g);
            assert_reaches(&t, site(&t, LOAD, 0), copy_from, 16);
            assert_reaches(&t, site(&t, STORE, 0), copy_to, 16);
            assert_true(site(&t, STORE, 0)->covers);
            end(&t);
        }
}

static void a_compare_that_nobody_passes_leaves_nothing_to_reach(void **state)
{
    (void)state;
    struct trial t;
    struct trace_guest *g = KERNEL(copy, 32, far_away, elsewhere);
    trace_guest_threads(g, 64, 1, 1);
    run(&t, g); /* n is 0 */
    assert_null(nth(&t, STORE, 0));
    assert_null(nth(&t, LOAD, 0));
    end(&t);
}

static uint32_t image_width, image_height;
static bool image_word(const struct thread *t, uint64_t *address)
{
    uint64_t x = t->group[0] * 8 + t->id[0], y = t->group[1] * 8 + t->id[1];
    *address = far_away + 4 * (y * image_width + x);
    return x < image_width && y < image_height;
}

static void a_bounded_clear_of_an_image_covers_it(void **state)
{
    (void)state;
    const uint32_t sizes[][2] = {{3840, 2160}, {1917, 1079}, {8, 8}, {1, 1}, {13, 3}};
    for (unsigned n = 0; n < sizeof sizes / sizeof *sizes; n++)
        for (unsigned wave_size = 32; wave_size <= 64; wave_size += 32) {
            struct trial t;
            struct trace_guest *g = wave_size == 32 ? KERNEL(clear, 32, far_away, 0) : KERNEL(clear64, 64, far_away, 0);
            arguments[2] = image_width = sizes[n][0];
            arguments[3] = image_height = sizes[n][1];
            trace_guest_grid(g, (image_width + 7) / 8, (image_height + 7) / 8, 1);
            trace_guest_threads(g, 8, 8, 1);
            run(&t, g);
            assert_reaches(&t, site(&t, STORE, 0), image_word, 4);
            assert_true(site(&t, STORE, 0)->covers);
            assert_true(site(&t, STORE, 0)->one_word);
            assert_int_equal(site(&t, STORE, 0)->word, 0x11223344);
            end(&t);
        }
}

static bool strided_word(const struct thread *t, uint64_t *address)
{
    *address = far_away + 8 * line(t, 64);
    return true;
}

static void a_store_with_gaps_covers_nothing(void **state)
{
    (void)state;
    struct trial t;
    struct trace_guest *g = KERNEL(strided, 32, far_away, 0);
    trace_guest_grid(g, 9, 1, 1);
    trace_guest_threads(g, 64, 1, 1);
    run(&t, g);
    assert_reaches(&t, site(&t, STORE, 0), strided_word, 4);
    assert_false(site(&t, STORE, 0)->covers);
    end(&t);
}

static bool tenth_word(const struct thread *t, uint64_t *address)
{
    *address = far_away + 4 * line(t, 64);
    return true;
}

static void a_store_in_lanes_that_data_picks_is_loose_and_covers_nothing(void **state)
{
    (void)state;
    struct trial t;
    struct trace_guest *g = KERNEL(tenth, 32, far_away, elsewhere);
    trace_guest_grid(g, 9, 1, 1);
    trace_guest_threads(g, 64, 1, 1);
    run(&t, g);
    struct reached r = count(&g->dispatch, tenth_word, 4);
    const struct trace_site *s = site(&t, STORE, 0);
    assert_int_equal(s->place, TRACE_RANGE);
    assert_int_equal(s->start, r.start);
    assert_int_equal(s->end, r.end);
    assert_true(s->loose);
    assert_false(s->covers);
    assert_false(s->narrow);
    end(&t);
}

static void bytes_that_are_loaded_bound_an_index(void **state)
{
    (void)state;
    struct trial t;
    struct trace_guest *g = KERNEL(bins, 32, far_away, elsewhere);
    trace_guest_grid(g, 9, 1, 1);
    trace_guest_threads(g, 64, 1, 1);
    run(&t, g);
    const struct trace_site *s = site(&t, ATOMIC, 0);
    assert_int_equal(s->place, TRACE_RANGE);
    assert_int_equal(s->start, far_away);
    assert_int_equal(s->end, far_away + 4 * 256);
    assert_true(s->loose);
    assert_true(s->based);
    assert_int_equal(s->base, far_away);
    assert_int_equal(site(&t, LOAD, 0)->end - site(&t, LOAD, 0)->start, 9 * 64);
    end(&t);
}

static bool loop_word(const struct thread *t, uint64_t *address)
{
    *address = far_away + 4 * line(t, 64);
    return true;
}

static void a_store_behind_a_loop_is_placed(void **state)
{
    (void)state;
    struct trial t;
    struct trace_guest *g = KERNEL(loop, 32, far_away, elsewhere);
    arguments[4] = 1000;
    trace_guest_grid(g, 3, 1, 1);
    trace_guest_threads(g, 64, 1, 1);
    run(&t, g);
    assert_reaches(&t, site(&t, STORE, 0), loop_word, 4);
    assert_true(site(&t, STORE, 0)->covers);
    end(&t);
}

static void fields_with_copies_of_the_sign_are_not_mistaken_for_numbers(void **state)
{
    (void)state;
    struct trial t;
    struct trace_guest *g = TRACE_GUEST(sign_field, 32, 4, 0);
    trace_guest_point(g, 2, far_away);
    run(&t, g);
    /* -64 + thread, shifted right by 5 with its sign: -2 and -1, as lanes' offsets of 32 bits. */
    for (unsigned n = 0; n < 2; n++) {
        const struct trace_site *s = site(&t, STORE, n);
        assert_int_equal(s->base, far_away);
        assert_true(s->place == TRACE_BASED || (s->start <= far_away + 0xfffffffe && s->end >= far_away + UINT64_C(0x100000003)));
    }
    end(&t);
}

/* 5. Buffers. */

enum { FORMAT_32_UINT = 20, RAW = 3, STRUCTURED = 0 };

static void describe(uint32_t v[4], uint64_t base, uint32_t stride, uint32_t records, unsigned bounds)
{
    v[0] = (uint32_t)base;
    v[1] = (uint32_t)(base >> 32) | stride << 16;
    v[2] = records;
    v[3] = 4 | 5u << 3 | 6u << 6 | 7u << 9 | (uint32_t)FORMAT_32_UINT << 12 | bounds << 28;
}

static struct trace_guest *image(const uint32_t *program, size_t size, uint32_t stride, uint32_t records, unsigned bounds)
{
    struct trace_guest *g = trace_guest_create(program, size, 32, 4, 3);
    describe(g->dispatch.user_data, far_away, stride, records, bounds);
    trace_guest_grid(g, 480, 270, 1);
    trace_guest_threads(g, 8, 8, 1);
    image_width = 3840;
    image_height = 2160;
    return g;
}

#define IMAGE(name, stride, records, bounds) image(program_##name, sizeof program_##name, stride, records, bounds)

static void a_clear_through_a_descriptor_covers_the_buffer(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 2; n++) {
        struct trial t;
        run(&t, n ? IMAGE(image_raw, 0, 3840 * 2160 * 4, RAW) : IMAGE(image, 4, 3840 * 2160, STRUCTURED));
        const struct trace_site *s = site(&t, STORE, 0);
        assert_reaches(&t, s, image_word, 4);
        assert_true(s->covers);
        assert_true(s->described);
        assert_memory_equal(s->descriptor, t.g->dispatch.user_data, 16);
        assert_true(s->one_word);
        end(&t);
    }
}

static void what_a_descriptor_s_bounds_leave_out_is_not_reached(void **state)
{
    (void)state;
    const uint32_t rows[] = {1000, 2160, 3000};
    for (unsigned n = 0; n < 3; n++)
        for (unsigned raw = 0; raw < 2; raw++) {
            struct trial t;
            run(&t, raw ? IMAGE(image_raw, 0, 3840 * rows[n] * 4, RAW) : IMAGE(image, 4, 3840 * rows[n], STRUCTURED));
            image_height = rows[n] < 2160 ? rows[n] : 2160;
            assert_reaches(&t, site(&t, STORE, 0), image_word, 4);
            assert_true(site(&t, STORE, 0)->covers);
            end(&t);
        }
}

static bool row_word(const struct thread *t, uint64_t *address)
{
    *address = far_away + t->group[1] * 1024 + 4 * (t->group[0] * 8 + t->id[0]);
    return t->group[1] * 1024 + 4 * (t->group[0] * 8 + t->id[0]) + 4 <= 1024 * 200;
}

static void a_scalar_offset_takes_its_part_of_a_raw_buffer(void **state)
{
    (void)state;
    struct trial t;
    struct trace_guest *g = TRACE_GUEST(rows, 32, 4, 3);
    describe(g->dispatch.user_data, far_away, 0, 1024 * 200, RAW);
    trace_guest_grid(g, 32, 270, 1);
    trace_guest_threads(g, 8, 1, 1);
    run(&t, g);
    assert_reaches(&t, site(&t, STORE, 0), row_word, 4);
    assert_true(site(&t, STORE, 0)->covers);
    end(&t);
}

static void half_a_word_at_a_buffer_s_end_is_not_stored(void **state)
{
    (void)state;
    struct trial t;
    run(&t, IMAGE(image_raw, 0, 3840 * 1000 * 4 + 2, RAW));
    assert_false(site(&t, STORE, 0)->covers);
    end(&t);
}

static void an_unbound_buffer_reaches_nothing(void **state)
{
    (void)state;
    struct trial t;
    struct trace_guest *g = IMAGE(image, 4, 100, STRUCTURED);
    g->dispatch.user_data[3] &= ~(0x7fu << 12);
    run(&t, g);
    assert_int_equal(site(&t, STORE, 0)->place, TRACE_APART);
    end(&t);
}

static void an_index_from_memory_leaves_the_base_and_the_descriptor(void **state)
{
    (void)state;
    struct trial t;
    struct trace_guest *g = TRACE_GUEST(unknown_index, 32, 8, 1);
    trace_guest_point(g, 0, elsewhere);
    trace_guest_point(g, 2, far_away);
    describe(&g->dispatch.user_data[4], far_away + 0x100000, 0, 4096, RAW);
    run(&t, g);
    assert_int_equal(site(&t, LOAD, 1)->place, TRACE_BASED);
    assert_int_equal(site(&t, LOAD, 1)->base, far_away);
    assert_int_equal(site(&t, STORE, 0)->place, TRACE_BASED);
    assert_int_equal(site(&t, STORE, 0)->base, far_away);
    assert_true(site(&t, STORE, 0)->narrow);
    assert_int_equal(site(&t, STORE, 1)->place, TRACE_BASED);
    assert_true(site(&t, STORE, 1)->described);
    assert_non_null(site(&t, STORE, 1)->why);
    end(&t);
}

/* 6. Branches. */

static struct trace_guest *branch(const uint32_t *program, size_t size, enum wave_outcome outcome, uint32_t word)
{
    struct trace_guest *g = trace_guest_create(program, size, 32, 4, 0);
    trace_guest_point(g, 0, TRACE_TEST_TABLE);
    trace_guest_point(g, 2, far_away);
    arguments[0] = word;
    trace_guest_map(g, TRACE_TEST_TABLE, arguments, sizeof arguments, outcome);
    return g;
}

#define BRANCH(name, outcome, word) branch(program_##name, sizeof program_##name, outcome, word)

static void both_sides_of_an_unknown_branch_are_taken(void **state)
{
    (void)state;
    struct trial t;
    run(&t, BRANCH(sides, WAVE_NOT_READY, 0));
    assert_int_equal(site(&t, STORE, 0)->start, far_away);
    assert_int_equal(site(&t, STORE, 1)->start, far_away + 1024);
    for (unsigned n = 0; n < 2; n++) {
        assert_int_equal(site(&t, STORE, n)->end - site(&t, STORE, n)->start, 128);
        assert_true(site(&t, STORE, n)->loose);
        assert_false(site(&t, STORE, n)->covers);
    }
    end(&t);
}

static void what_paths_disagree_on_is_unknown(void **state)
{
    (void)state;
    struct trial t;
    run(&t, BRANCH(sides, WAVE_NOT_READY, 0));
    assert_int_equal(site(&t, SCALAR, 1)->place, TRACE_BASED);
    assert_int_equal(site(&t, SCALAR, 1)->base, far_away);
    end(&t);
}

static void what_paths_agree_on_stays_known(void **state)
{
    (void)state;
    struct trial t;
    run(&t, BRANCH(sides, WAVE_NOT_READY, 0));
    assert_int_equal(site(&t, SCALAR, 2)->place, TRACE_RANGE);
    assert_int_equal(site(&t, SCALAR, 2)->start, far_away + 64);
    assert_int_equal(site(&t, SCALAR, 2)->end, far_away + 68);
    end(&t);
}

static void only_the_side_that_is_known_to_be_taken_is_met(void **state)
{
    (void)state;
    for (uint32_t word = 0; word < 2; word++) {
        struct trial t;
        run(&t, BRANCH(known_branch, WAVE_DONE, word));
        assert_int_equal(site(&t, STORE, 0)->start, far_away + (word ? 0 : 1024));
        assert_null(nth(&t, STORE, 1));
        assert_false(site(&t, STORE, 0)->loose);
        assert_true(site(&t, STORE, 0)->covers);
        assert_true(
            base_spans_overlap(&t.reader.read[TRACE_READ_SCALAR], (struct base_span){TRACE_TEST_TABLE, TRACE_TEST_TABLE + 4}));
        end(&t);
    }
}

static void a_store_that_some_groups_skip_is_loose(void **state)
{
    (void)state;
    struct trial t;
    struct trace_guest *g = TRACE_GUEST(early_end, 32, 4, 1);
    trace_guest_point(g, 2, far_away);
    trace_guest_grid(g, 4, 1, 1);
    run(&t, g);
    assert_int_equal(site(&t, STORE, 0)->start, far_away);
    assert_int_equal(site(&t, STORE, 0)->end, far_away + 4 * 32 * 4);
    assert_true(site(&t, STORE, 0)->loose);
    assert_false(site(&t, STORE, 0)->covers);
    end(&t);
}

static void masks_of_if_and_else_come_together_again(void **state)
{
    (void)state;
    struct trial t;
    struct trace_guest *g = TRACE_GUEST(else, 32, 4, 0);
    trace_guest_point(g, 2, far_away);
    trace_guest_threads(g, 64, 1, 1);
    run(&t, g);
    assert_int_equal(site(&t, STORE, 0)->start, far_away);
    assert_int_equal(site(&t, STORE, 0)->end, far_away + 16 * 4);
    assert_true(site(&t, STORE, 0)->covers);
    assert_true(site(&t, STORE, 0)->one_word);
    assert_int_equal(site(&t, STORE, 0)->word, 5);
    assert_int_equal(site(&t, STORE, 1)->start, far_away + 16 * 4);
    assert_int_equal(site(&t, STORE, 1)->end, far_away + 64 * 4);
    assert_true(site(&t, STORE, 1)->covers);
    assert_true(site(&t, STORE, 1)->one_word);
    assert_int_equal(site(&t, STORE, 1)->word, 6);
    /* Behind it every thread runs again, with 5 or 6. */
    assert_int_equal(site(&t, STORE, 2)->start, far_away + 1024);
    assert_int_equal(site(&t, STORE, 2)->end, far_away + 1024 + 64 * 4);
    assert_true(site(&t, STORE, 2)->covers);
    assert_false(site(&t, STORE, 2)->one_word);
    end(&t);
}

static void lanes_without_a_thread_are_not_vouched_for(void **state)
{
    (void)state;
    for (unsigned threads = 31; threads <= 32; threads++) {
        struct trial t;
        struct trace_guest *g = TRACE_GUEST(all_lanes, 32, 4, 0);
        trace_guest_point(g, 2, far_away);
        trace_guest_threads(g, threads, 1, 1);
        run(&t, g);
        assert_int_equal(site(&t, STORE, 0)->place, threads == 32 ? TRACE_RANGE : TRACE_BASED);
        assert_int_equal(site(&t, STORE, 0)->covers, threads == 32);
        end(&t);
    }
}

/* Code that it leads to may come back to any instruction, with other registers. */
static void nothing_is_known_where_a_computed_jump_leaves_the_program(void **state)
{
    (void)state;
    struct trial t;
    struct trace_guest *g = TRACE_GUEST(jump, 32, 4, 0);
    trace_guest_point(g, 2, far_away);
    run(&t, g);
    assert_non_null(t.table.leaves);
    assert_int_equal(site(&t, STORE, 0)->place, TRACE_UNKNOWN);
    assert_true(site(&t, STORE, 0)->narrow);
    end(&t);
}

/* 7. Spaces. */

static void a_flat_address_clamped_into_an_aperture_is_apart(void **state)
{
    (void)state;
    struct trial t;
    struct trace_guest *g = TRACE_GUEST(clamped, 32, 4, 0);
    trace_guest_point(g, 2, elsewhere);
    run(&t, g);
    assert_int_equal(site(&t, STORE, 0)->space, IR_SPACE_FLAT);
    assert_int_equal(site(&t, STORE, 0)->place, TRACE_APART);
    end(&t);
}

static void a_flat_address_is_placed_where_it_is_known_to_miss_the_apertures(void **state)
{
    (void)state;
    const uint64_t bases[] = {far_away, UINT64_C(0x4000000000000000), UINT64_C(0x40000000ffffffc0)};
    const enum trace_place places[] = {TRACE_RANGE, TRACE_APART, TRACE_UNKNOWN};
    for (unsigned n = 0; n < 3; n++) {
        struct trial t;
        struct trace_guest *g = TRACE_GUEST(flat, 32, 4, 0);
        trace_guest_point(g, 2, bases[n]);
        g->dispatch.apertures = (struct wave_apertures){0x40000000, 0x50000000};
        run(&t, g);
        assert_int_equal(site(&t, STORE, 0)->place, places[n]);
        if (!n)
            assert_int_equal(site(&t, STORE, 0)->end, far_away + 128);
        end(&t);
    }
}

static void shares_and_scratch_are_apart(void **state)
{
    (void)state;
    struct trial t;
    run(&t, TRACE_GUEST(shares, 32, 4, 0));
    assert_int_equal(site(&t, STORE, 0)->place, TRACE_APART);
    assert_int_equal(site(&t, LOAD, 0)->place, TRACE_APART);
    assert_int_equal(site(&t, STORE, 1)->place, TRACE_APART);
    end(&t);
}

static void a_scalar_load_by_the_group_s_id_has_a_range(void **state)
{
    (void)state;
    struct trial t;
    struct trace_guest *g = TRACE_GUEST(scalar, 32, 4, 1);
    trace_guest_point(g, 0, UINT64_C(0x7f00fffffff0));
    trace_guest_grid(g, 10, 1, 1);
    run(&t, g);
    assert_int_equal(site(&t, SCALAR, 0)->place, TRACE_RANGE);
    assert_int_equal(site(&t, SCALAR, 0)->start, UINT64_C(0x7f0100000010));
    assert_int_equal(site(&t, SCALAR, 0)->end, UINT64_C(0x7f0100000010) + 9 * 16 + 16);
    assert_int_equal(site(&t, SCALAR, 1)->place, TRACE_UNKNOWN); /* of registers that nobody has set */
    end(&t);
}

static void what_the_dispatch_may_store_itself_is_not_read(void **state)
{
    (void)state;
    const uint64_t stores[] = {TRACE_TEST_TABLE + 8, TRACE_TEST_TABLE + 4, TRACE_TEST_TABLE - 128, TRACE_TEST_TABLE - 124};
    for (unsigned n = 0; n < sizeof stores / sizeof *stores; n++) {
        struct trial t;
        struct trace_guest *g = BRANCH(own_argument, WAVE_DONE, (uint32_t)elsewhere);
        arguments[1] = (uint32_t)(elsewhere >> 32);
        trace_guest_point(g, 2, stores[n]);
        run(&t, g);
        assert_int_equal(site(&t, STORE, 0)->start, stores[n]);
        assert_int_equal(site(&t, STORE, 1)->place, n % 2 ? TRACE_UNKNOWN : TRACE_RANGE);
        assert_int_equal(site(&t, STORE, 1)->start, n % 2 ? 0 : elsewhere);
        /* The trace hangs on what was used only. */
        assert_int_equal(base_spans_total(&t.reader.read[TRACE_READ_SCALAR]), n % 2 ? 0 : 8);
        end(&t);
    }
}

/* Each time round the loop, what is not known moves on by one register. */
static void a_program_that_takes_too_long_to_settle_is_given_up(void **state)
{
    (void)state;
    enum { REGISTERS = 240, VMOV = 0x7e000200 };
    static uint32_t program[3 * REGISTERS + 16];
    for (unsigned n = 2; n <= REGISTERS; n += REGISTERS - 2) { /* few registers settle */
        struct trial t;
        uint32_t count = 0;
        for (unsigned k = 1; k <= n; k++)
            program[count++] = VMOV | k << 17 | 0x80; /* v_mov_b32 vk, 0 */
        uint32_t loop = count;
        for (unsigned k = 1; k < n; k++)
            program[count++] = VMOV | k << 17 | (0x100 + k + 1); /* v_mov_b32 vk, vk+1 */
        program[count++] = 0xdc308000;                           /* global_load_dword vn, v0, s[0:1] */
        program[count++] = 0x00000000 | n << 24;
        program[count++] = 0xbf068004;                              /* s_cmp_eq_u32 s4, 0: of a register that nobody knows */
        program[count] = 0xbf850000 | (uint16_t)(loop - count - 1); /* s_cbranch_scc1 loop */
        count++;
        program[count++] = 0xdc708000; /* global_store_dword v1, v0, s[2:3] */
        program[count++] = 0x00020001;
        program[count++] = 0xbf810000;
        struct trace_guest *g = trace_guest_create(program, sizeof program, 32, 4, 0);
        trace_guest_point(g, 0, elsewhere);
        trace_guest_point(g, 2, far_away);
        run(&t, g);
        assert_int_equal(t.table.leaves != NULL, n == REGISTERS);
        assert_int_equal(site(&t, LOAD, 0)->place, n == REGISTERS ? TRACE_UNKNOWN : TRACE_RANGE);
        assert_int_equal(site(&t, STORE, 0)->place, n == REGISTERS ? TRACE_UNKNOWN : TRACE_BASED);
        end(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_affine_load_s_range_is_exact),
        cmocka_unit_test(a_range_may_cross_a_border_of_four_gigabytes),
        cmocka_unit_test(the_last_group_s_missing_threads_reach_nothing),
        cmocka_unit_test(lanes_that_a_compare_leaves_out_reach_nothing),
        cmocka_unit_test(a_compare_that_nobody_passes_leaves_nothing_to_reach),
        cmocka_unit_test(a_bounded_clear_of_an_image_covers_it),
        cmocka_unit_test(a_store_with_gaps_covers_nothing),
        cmocka_unit_test(a_store_in_lanes_that_data_picks_is_loose_and_covers_nothing),
        cmocka_unit_test(bytes_that_are_loaded_bound_an_index),
        cmocka_unit_test(a_store_behind_a_loop_is_placed),
        cmocka_unit_test(fields_with_copies_of_the_sign_are_not_mistaken_for_numbers),
        cmocka_unit_test(a_clear_through_a_descriptor_covers_the_buffer),
        cmocka_unit_test(what_a_descriptor_s_bounds_leave_out_is_not_reached),
        cmocka_unit_test(a_scalar_offset_takes_its_part_of_a_raw_buffer),
        cmocka_unit_test(half_a_word_at_a_buffer_s_end_is_not_stored),
        cmocka_unit_test(an_unbound_buffer_reaches_nothing),
        cmocka_unit_test(an_index_from_memory_leaves_the_base_and_the_descriptor),
        cmocka_unit_test(both_sides_of_an_unknown_branch_are_taken),
        cmocka_unit_test(what_paths_disagree_on_is_unknown),
        cmocka_unit_test(what_paths_agree_on_stays_known),
        cmocka_unit_test(only_the_side_that_is_known_to_be_taken_is_met),
        cmocka_unit_test(a_store_that_some_groups_skip_is_loose),
        cmocka_unit_test(masks_of_if_and_else_come_together_again),
        cmocka_unit_test(lanes_without_a_thread_are_not_vouched_for),
        cmocka_unit_test(nothing_is_known_where_a_computed_jump_leaves_the_program),
        cmocka_unit_test(a_flat_address_clamped_into_an_aperture_is_apart),
        cmocka_unit_test(a_flat_address_is_placed_where_it_is_known_to_miss_the_apertures),
        cmocka_unit_test(shares_and_scratch_are_apart),
        cmocka_unit_test(a_scalar_load_by_the_group_s_id_has_a_range),
        cmocka_unit_test(what_the_dispatch_may_store_itself_is_not_read),
        cmocka_unit_test(a_program_that_takes_too_long_to_settle_is_given_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
