/* The sample of groups and the margin around what it read, as D950 describes them. */
#include "trace/trace_testing.h"

#include "trace/trace_internal.h"

enum { PAGE = 4096, MEGABYTE = 1 << 20 };

static struct wave_dispatch grid(uint32_t x, uint32_t y, uint32_t z)
{
    return (struct wave_dispatch){.groups = {x, y, z}, .threads = {8, 8, 8}, .last_threads = {8, 8, 8}};
}

static const struct {
    uint32_t groups[3];
    uint64_t most;
} grids[] = {
    {{240, 135, 1}, 4096},
    {{32400, 1, 1}, 4096},
    {{1, 1, 100000}, 4096},
    {{17, 16, 16}, 4096},
    {{5, 100000, 3}, 128},
    {{1000, 1000, 1000}, 128},
    {{UINT32_MAX, UINT32_MAX, UINT32_MAX}, 4096},
    {{2, 2, 5000}, 512},
};
enum { GRIDS = sizeof grids / sizeof *grids };

static void the_sample_holds_the_corners(void **state)
{
    (void)state;
    for (unsigned i = 0; i < GRIDS; i++) {
        struct wave_dispatch d = grid(grids[i].groups[0], grids[i].groups[1], grids[i].groups[2]);
        struct trace_picks picks = trace_picks_make(&d, grids[i].most);
        for (unsigned n = 0; n < 3; n++) {
            assert_int_equal(trace_picks_at(&picks, n, 0), 0);
            assert_int_equal(trace_picks_at(&picks, n, picks.count[n] - 1), d.groups[n] - 1);
        }
    }
}

static void corners_are_sampled_also_where_the_bound_has_no_room_for_them(void **state)
{
    (void)state;
    struct wave_dispatch d = grid(100, 100, 100);
    for (uint64_t most = 0; most < 8; most++) {
        struct trace_picks picks = trace_picks_make(&d, most);
        assert_int_equal(trace_picks_total(&picks), 8);
        for (unsigned n = 0; n < 3; n++) {
            assert_int_equal(trace_picks_at(&picks, n, 0), 0);
            assert_int_equal(trace_picks_at(&picks, n, 1), 99);
        }
    }
}

static void groups_between_the_corners_are_evenly_spaced(void **state)
{
    (void)state;
    for (unsigned i = 0; i < GRIDS; i++) {
        struct wave_dispatch d = grid(grids[i].groups[0], grids[i].groups[1], grids[i].groups[2]);
        struct trace_picks picks = trace_picks_make(&d, grids[i].most);
        for (unsigned n = 0; n < 3; n++) {
            uint32_t least = UINT32_MAX, widest = 0;
            for (uint32_t k = 1; k < picks.count[n]; k++) {
                uint32_t step = trace_picks_at(&picks, n, k) - trace_picks_at(&picks, n, k - 1);
                least = step < least ? step : least;
                widest = step > widest ? step : widest;
            }
            if (picks.count[n] > 1) {
                assert_true(least >= 1);
                assert_true(widest - least <= 1);
            }
        }
    }
}

static void the_sample_is_as_large_as_the_bound_allows(void **state)
{
    (void)state;
    for (unsigned i = 0; i < GRIDS; i++) {
        struct wave_dispatch d = grid(grids[i].groups[0], grids[i].groups[1], grids[i].groups[2]);
        struct trace_picks picks = trace_picks_make(&d, grids[i].most);
        uint64_t total = trace_picks_total(&picks);
        assert_true(total <= grids[i].most);
        for (unsigned n = 0; n < 3; n++) /* one more group in any dimension is too many */
            assert_true(picks.count[n] == d.groups[n] || total / picks.count[n] * (picks.count[n] + 1) > grids[i].most);
    }
}

static void a_grid_within_the_bound_is_run_whole(void **state)
{
    (void)state;
    struct wave_dispatch d = grid(16, 16, 16);
    d.last_threads[1] = 3;
    struct trace_picks picks = trace_picks_make(&d, 4096);
    assert_int_equal(trace_picks_total(&picks), 4096);
    for (unsigned n = 0; n < 3; n++)
        for (uint32_t k = 0; k < 16; k++)
            assert_int_equal(trace_picks_at(&picks, n, k), k);
}

static void the_last_full_group_is_sampled_beside_a_partial_last_one(void **state)
{
    (void)state;
    struct wave_dispatch d = grid(1000, 1000, 1);
    d.last_threads[0] = 1;
    struct trace_picks picks = trace_picks_make(&d, 1000);
    uint32_t count = picks.count[0];
    assert_int_equal(trace_picks_at(&picks, 0, 0), 0);
    assert_int_equal(trace_picks_at(&picks, 0, count - 2), 998);
    assert_int_equal(trace_picks_at(&picks, 0, count - 1), 999);
    assert_true(trace_picks_total(&picks) <= 1000);
}

/* The margin. */

struct map {
    struct trace_range mapped[2];
    enum wave_outcome outcome;
};

static enum wave_outcome find(void *user, uint64_t address, struct wave_run *run)
{
    static uint8_t nothing;
    const struct map *map = user;
    for (unsigned i = 0; i < 2; i++)
        if (address >= map->mapped[i].start && address < map->mapped[i].end) {
            *run = (struct wave_run){map->mapped[i].start, map->mapped[i].end - map->mapped[i].start, &nothing, true};
            return map->outcome;
        }
    return WAVE_UNMAPPED;
}

static struct trace_range widen(const struct map *map, uint64_t start, uint64_t end, const struct trace_range *others,
                                size_t count)
{
    struct trace_memory memory = {(void *)(uintptr_t)map, find};
    return trace_widen((struct trace_range){start, end}, &memory, others, count);
}

static void assert_widened(struct trace_range r, uint64_t start, uint64_t end)
{
    assert_int_equal(r.start, start);
    assert_int_equal(r.end, end);
}

static const struct map everything = {{{0, UINT64_MAX}}, WAVE_DONE};

static void the_margin_is_an_eighth_of_the_bytes_on_each_side(void **state)
{
    (void)state;
    assert_widened(widen(&everything, 0x1000000, 0x1000000 + 64 * PAGE, NULL, 0), 0x1000000 - 8 * PAGE, 0x1000000 + 72 * PAGE);
}

static void the_margin_is_in_whole_pages(void **state)
{
    (void)state;
    assert_widened(widen(&everything, 0x1000010, 0x1000010 + 12 * PAGE, NULL, 0), 0x1000010 - 2 * PAGE, 0x1000010 + 14 * PAGE);
    assert_widened(widen(&everything, 0x1000010, 0x1000050, NULL, 0), 0x1000010 - PAGE, 0x1000050 + PAGE);
}

static void the_margin_is_at_most_a_megabyte(void **state)
{
    (void)state;
    const uint64_t start = UINT64_C(1) << 33;
    assert_widened(widen(&everything, start, start + 64 * MEGABYTE, NULL, 0), start - MEGABYTE, start + 65 * MEGABYTE);
}

static void the_margin_is_kept_only_where_memory_is_mapped_across_it(void **state)
{
    (void)state;
    const uint64_t start = 0x1000000, end = start + 64 * PAGE;
    const struct map below = {{{start - 8 * PAGE, end + 8 * PAGE - 1}}, WAVE_DONE};
    assert_widened(widen(&below, start, end, NULL, 0), start - 8 * PAGE, end);
    const struct map above = {{{start - 8 * PAGE + 1, end + 8 * PAGE}}, WAVE_DONE};
    assert_widened(widen(&above, start, end, NULL, 0), start, end + 8 * PAGE);
    const struct map parts = {{{start - 8 * PAGE, start - PAGE}, {start - PAGE, end + 8 * PAGE}}, WAVE_DONE};
    assert_widened(widen(&parts, start, end, NULL, 0), start - 8 * PAGE, end + 8 * PAGE);
    const struct map hole = {{{start - 8 * PAGE, start - 2 * PAGE}, {start - PAGE, end}}, WAVE_DONE};
    assert_widened(widen(&hole, start, end, NULL, 0), start, end);
}

static void memory_that_nobody_can_know_yet_is_mapped(void **state)
{
    (void)state;
    const uint64_t start = 0x1000000, end = start + 64 * PAGE;
    const struct map later = {{{start - 8 * PAGE, end + 8 * PAGE}}, WAVE_NOT_READY};
    assert_widened(widen(&later, start, end, NULL, 0), start - 8 * PAGE, end + 8 * PAGE);
    const struct map less = {{{start - 8 * PAGE, end + 7 * PAGE}}, WAVE_NOT_READY};
    assert_widened(widen(&less, start, end, NULL, 0), start - 8 * PAGE, end);
}

static void the_margin_gives_way_where_it_would_overlap_another_buffer(void **state)
{
    (void)state;
    const uint64_t start = 0x1000000, end = start + 64 * PAGE;
    const struct trace_range below = {start - 0x10000, start - PAGE}, above = {end + PAGE, end + 2 * PAGE};
    assert_widened(widen(&everything, start, end, &below, 1), start, end + 8 * PAGE);
    assert_widened(widen(&everything, start, end, &above, 1), start - 8 * PAGE, end);
    assert_widened(widen(&everything, start, end, (struct trace_range[]){below, above}, 2), start, end);
    const struct trace_range touching[] = {{start - 9 * PAGE, start - 8 * PAGE}, {end + 8 * PAGE, end + 9 * PAGE}};
    assert_widened(widen(&everything, start, end, touching, 2), start - 8 * PAGE, end + 8 * PAGE);
}

static void the_margin_stays_where_what_was_read_overlaps_that_buffer_itself(void **state)
{
    (void)state;
    const uint64_t start = 0x1000000, end = start + 64 * PAGE;
    const struct trace_range other = {end - 4, end + PAGE};
    assert_widened(widen(&everything, start, end, &other, 1), start - 8 * PAGE, end + 8 * PAGE);
}

static void nothing_read_has_no_margin_and_no_margin_wraps(void **state)
{
    (void)state;
    assert_widened(widen(&everything, 0x1000, 0x1000, NULL, 0), 0x1000, 0x1000);
    assert_widened(widen(&everything, 16, 0x2000, NULL, 0), 16, 0x3000);
    assert_widened(widen(&everything, UINT64_MAX - 0x1fff, UINT64_MAX, NULL, 0), UINT64_MAX - 0x2fff, UINT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_sample_holds_the_corners),
        cmocka_unit_test(corners_are_sampled_also_where_the_bound_has_no_room_for_them),
        cmocka_unit_test(groups_between_the_corners_are_evenly_spaced),
        cmocka_unit_test(the_sample_is_as_large_as_the_bound_allows),
        cmocka_unit_test(a_grid_within_the_bound_is_run_whole),
        cmocka_unit_test(the_last_full_group_is_sampled_beside_a_partial_last_one),
        cmocka_unit_test(the_margin_is_an_eighth_of_the_bytes_on_each_side),
        cmocka_unit_test(the_margin_is_in_whole_pages),
        cmocka_unit_test(the_margin_is_at_most_a_megabyte),
        cmocka_unit_test(the_margin_is_kept_only_where_memory_is_mapped_across_it),
        cmocka_unit_test(memory_that_nobody_can_know_yet_is_mapped),
        cmocka_unit_test(the_margin_gives_way_where_it_would_overlap_another_buffer),
        cmocka_unit_test(the_margin_stays_where_what_was_read_overlaps_that_buffer_itself),
        cmocka_unit_test(nothing_read_has_no_margin_and_no_margin_wraps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
