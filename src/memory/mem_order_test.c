/* mem_order_test: changes of the address space in the order of the work that uses it: what older snapshots show stays, what is new waits. */
#include <pthread.h>
#include <time.h>

#include "memory/mem_testing.h"

/* What a snapshot shows at an address: a byte, or minus an outcome. */
static int shown(const struct mem_snapshot *snapshot, uint64_t address)
{
    uint8_t byte = 0;
    enum mem_outcome outcome = mem_snapshot_read(snapshot, address, &byte, 1, NULL);
    return outcome == MEM_DONE ? byte : -(int)outcome;
}

static void unmapped_memory_goes_when_the_last_snapshot_that_shows_it_does(void **state)
{
    uint64_t place = testing_place(*state), accessible;
    int file = testing_file(1, 10);
    testing_map(*state, place, file, 1, 0);
    struct mem_snapshot *first = mem_snapshot_acquire(*state), *second = mem_snapshot_acquire(*state);
    testing_map(*state, place + PAGE, file, 1, 0);
    struct mem_snapshot *third = mem_snapshot_acquire(*state);
    assert_true(mem_space_unmap(*state, place, NULL, NULL));
    mem_snapshot_release(third);
    mem_snapshot_release(first);
    assert_int_equal(shown(second, place), 10);
    testing_host_mappings(place, PAGE, &accessible);
    assert_int_equal(accessible, PAGE);
    mem_snapshot_release(second);
    testing_host_mappings(place, PAGE, &accessible);
    assert_int_equal(accessible, 0);
    close(file);
}

static void snapshots_made_before_or_after_a_mapping_do_not_keep_it(void **state)
{
    uint64_t place = testing_place(*state), accessible;
    int file = testing_file(1, 10);
    struct mem_snapshot *before = mem_snapshot_acquire(*state);
    testing_map(*state, place, file, 1, 0);
    assert_true(mem_space_unmap(*state, place, NULL, NULL));
    struct mem_snapshot *after = mem_snapshot_acquire(*state);
    testing_host_mappings(place, PAGE, &accessible);
    assert_int_equal(accessible, 0);
    mem_snapshot_release(before);
    mem_snapshot_release(after);
    close(file);
}

static void a_new_mapping_is_shown_at_once_and_ready_when_the_old_one_is_gone(void **state)
{
    uint64_t place = testing_place(*state);
    int old_file = testing_file(2, 10), new_file = testing_file(2, 20);
    struct mem_run run;
    testing_map(*state, place, old_file, 2, 0);
    struct mem_snapshot *old = mem_snapshot_acquire(*state);
    assert_true(mem_snapshot_settle(old));
    testing_map(*state, place, new_file, 2, MEM_MAP_REPLACE);
    struct mem_snapshot *now = mem_snapshot_acquire(*state);
    assert_int_equal(mem_snapshot_lookup(now, place + PAGE, &run), MEM_NOT_READY);
    assert_false(mem_snapshot_find(now, place + PAGE, &run));
    assert_int_equal(shown(now, place), -MEM_NOT_READY);
    assert_int_equal(shown(old, place), 10);
    /* The host, which runs on, sees and changes the new file. */
    assert_int_equal(testing_byte(*state, place), 20);
    assert_true(mem_space_write(*state, place, "n", 1, NULL));
    assert_int_equal(shown(old, place), 10);
    mem_snapshot_release(old);
    assert_true(mem_snapshot_settle(now));
    assert_int_equal(mem_snapshot_lookup(now, place + PAGE, &run), MEM_DONE);
    assert_ptr_equal(run.host, (void *)(uintptr_t)place);
    assert_int_equal(shown(now, place), 'n');
    assert_int_equal(shown(now, place + PAGE), 21);
    mem_snapshot_release(now);
    close(old_file);
    close(new_file);
}

static void mappings_that_follow_each_other_in_one_place_come_in_their_order(void **state)
{
    enum { GENERATIONS = 20 };
    uint64_t place = testing_place(*state);
    struct mem_snapshot *snapshots[GENERATIONS];
    for (unsigned n = 0; n < GENERATIONS; n++) {
        int file = testing_file(1, n);
        testing_map(*state, place, file, 1, n ? MEM_MAP_REPLACE : 0);
        close(file);
        snapshots[n] = mem_snapshot_acquire(*state);
    }
    for (unsigned n = 0; n < GENERATIONS; n++) {
        assert_true(mem_snapshot_settle(snapshots[n]));
        assert_int_equal(shown(snapshots[n], place), n);
        for (unsigned later = n + 1; later < GENERATIONS; later++)
            assert_int_equal(shown(snapshots[later], place), -MEM_NOT_READY);
        mem_snapshot_release(snapshots[n]);
    }
    assert_int_equal(testing_byte(*state, place), GENERATIONS - 1);
}

static void a_mapping_taken_away_before_it_was_in_place_leaves_nothing(void **state)
{
    uint64_t place = testing_place(*state), accessible;
    int old_file = testing_file(4, 10), new_file = testing_file(4, 20), last_file = testing_file(4, 30);
    testing_map(*state, place, old_file, 4, 0);
    struct mem_snapshot *old = mem_snapshot_acquire(*state);
    testing_map(*state, place, new_file, 4, MEM_MAP_REPLACE);
    testing_map(*state, place, last_file, 4, MEM_MAP_REPLACE);
    assert_true(mem_space_unmap(*state, place, NULL, NULL));
    assert_int_equal(testing_file_mappings(), 1); /* the old one */
    mem_snapshot_release(old);
    testing_host_mappings(place, 4 * PAGE, &accessible);
    assert_int_equal(accessible, 0);
    close(old_file);
    close(new_file);
    close(last_file);
}

static void a_waiting_mapping_can_be_cleared_in_parts(void **state)
{
    uint64_t place = testing_place(*state);
    int old_file = testing_file(6, 10), new_file = testing_file(6, 20);
    testing_map(*state, place, old_file, 6, 0);
    struct mem_snapshot *old = mem_snapshot_acquire(*state);
    testing_map(*state, place, new_file, 6, MEM_MAP_REPLACE);
    struct mem_snapshot *whole = mem_snapshot_acquire(*state);
    assert_int_equal(mem_space_clear(*state, place + 2 * PAGE, 2 * PAGE, NULL), MEM_CHANGED);
    struct mem_snapshot *parts = mem_snapshot_acquire(*state);
    for (unsigned n = 0; n < 6; n++)
        assert_int_equal(testing_byte(*state, place + n * PAGE), n == 2 || n == 3 ? -1 : (int)(20 + n));
    mem_snapshot_release(old);
    assert_true(mem_snapshot_settle(whole));
    assert_true(mem_snapshot_settle(parts));
    for (unsigned n = 0; n < 6; n++) {
        assert_int_equal(shown(whole, place + n * PAGE), 20 + n);
        assert_int_equal(shown(parts, place + n * PAGE), n == 2 || n == 3 ? -MEM_UNMAPPED : (int)(20 + n));
    }
    mem_snapshot_release(whole);
    mem_snapshot_release(parts);
    close(old_file);
    close(new_file);
}

static void an_allocation_never_takes_a_place_that_somebody_waits_for(void **state)
{
    uint64_t base, size, address;
    int old_file = testing_file(1, 10), new_file = testing_file(64, 20);
    mem_space_window(*state, &base, &size);
    uint64_t place = base + (UINT64_C(1) << 20);
    testing_map(*state, place, old_file, 1, 0);
    struct mem_snapshot *old = mem_snapshot_acquire(*state);
    testing_map(*state, place, new_file, 64, MEM_MAP_REPLACE);
    struct mem_snapshot *waiting = mem_snapshot_acquire(*state);
    assert_true(mem_space_unmap(*state, place, NULL, NULL));
    for (unsigned n = 0; n < 64; n++) {
        assert_true(mem_space_alloc(*state, PAGE, 1, NULL, 0, &address, NULL));
        assert_true(address + PAGE <= place || address >= place + 64 * PAGE);
    }
    mem_snapshot_release(old);
    assert_true(mem_snapshot_settle(waiting));
    assert_int_equal(shown(waiting, place + 63 * PAGE), 83);
    mem_snapshot_release(waiting);
    close(old_file);
    close(new_file);
}

static void outside_the_window_nothing_waits(void **state)
{
    int old_file = testing_file(1, 10), new_file = testing_file(1, 20);
    testing_map(*state, testing_high, old_file, 1, 0);
    struct mem_snapshot *old = mem_snapshot_acquire(*state);
    testing_map(*state, testing_high, new_file, 1, MEM_MAP_REPLACE);
    struct mem_snapshot *now = mem_snapshot_acquire(*state);
    assert_int_equal(shown(old, testing_high), 10);
    assert_int_equal(shown(now, testing_high), 20);
    mem_snapshot_release(old);
    mem_snapshot_release(now);
    close(old_file);
    close(new_file);
}

struct settler {
    struct mem_snapshot *snapshot;
    _Atomic bool done;
};

static void *settle(void *user)
{
    struct settler *settler = user;
    mem_snapshot_settle(settler->snapshot);
    settler->done = true;
    return NULL;
}

static void settling_waits_for_older_work_and_the_mapper_does_not(void **state)
{
    uint64_t place = testing_place(*state);
    int old_file = testing_file(1, 10), new_file = testing_file(1, 20);
    pthread_t thread;
    testing_map(*state, place, old_file, 1, 0);
    struct mem_snapshot *old = mem_snapshot_acquire(*state);
    testing_map(*state, place, new_file, 1, MEM_MAP_REPLACE);
    struct settler settler = {.snapshot = mem_snapshot_acquire(*state)};
    assert_int_equal(pthread_create(&thread, NULL, settle, &settler), 0);
    nanosleep(&(struct timespec){.tv_nsec = 30000000}, NULL);
    assert_false(settler.done);
    mem_snapshot_release(old);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_true(settler.done);
    assert_int_equal(shown(settler.snapshot, place), 20);
    mem_snapshot_release(settler.snapshot);
    close(old_file);
    close(new_file);
}

static void numbers_of_snapshots_change_when_what_they_show_does(void **state)
{
    int file = testing_file(1, 1);
    struct mem_snapshot *first = mem_snapshot_acquire(*state), *same = mem_snapshot_acquire(*state);
    testing_map(*state, testing_high, file, 1, 0);
    struct mem_snapshot *other = mem_snapshot_acquire(*state);
    assert_int_equal(mem_snapshot_version(first), mem_snapshot_version(same));
    assert_int_not_equal(mem_snapshot_version(first), mem_snapshot_version(other));
    assert_int_not_equal(mem_snapshot_version(first), 0);
    mem_snapshot_release(first);
    mem_snapshot_release(same);
    mem_snapshot_release(other);
    close(file);
}

/* A plain idea of an address space: which file each page shows (0: none, -1: sparse). */
enum { MODEL_PAGES = 48, MODEL_HELD = 6 };

struct model {
    int pages[MODEL_PAGES];
};

struct held {
    struct mem_snapshot *snapshot;
    struct model model;
};

static int expected(const struct model *model, unsigned page)
{
    return model->pages[page] > 0 ? model->pages[page] : model->pages[page] ? 0 : -1;
}

static void check_model(struct mem_space *space, uint64_t place, const struct model *model)
{
    for (unsigned n = 0; n < MODEL_PAGES; n++)
        assert_int_equal(testing_byte(space, place + n * PAGE + n), expected(model, n));
}

/* Pages that wait are not ready; all others are as they were when the snapshot was taken. */
static void check_held(const struct held *held, uint64_t place, bool oldest)
{
    for (unsigned n = 0; n < MODEL_PAGES; n++) {
        int byte = shown(held->snapshot, place + n * PAGE + n);
        if (!oldest && byte == -MEM_NOT_READY)
            assert_int_not_equal(held->model.pages[n], 0);
        else
            assert_int_equal(byte, expected(&held->model, n));
    }
}

static void change_randomly(struct mem_space *space, uint64_t place, struct model *model, unsigned *seed)
{
    unsigned first = (unsigned)rand_r(seed) % MODEL_PAGES, what = (unsigned)rand_r(seed) % 5;
    unsigned count = 1 + (unsigned)rand_r(seed) % (MODEL_PAGES - first), value = 1 + (unsigned)rand_r(seed) % 200;
    uint64_t at = place + first * PAGE;
    if (what == 0) {
        assert_int_equal(mem_space_clear(space, at, count * PAGE, NULL), MEM_CHANGED);
    } else if (what == 1) {
        assert_int_equal(mem_space_map_prt(space, at, count * PAGE, MEM_MAP_REPLACE, NULL), MEM_CHANGED);
    } else {
        uint8_t bytes[PAGE];
        int file = memfd_create("model", MFD_CLOEXEC);
        memset(bytes, (int)value, sizeof bytes);
        for (unsigned n = 0; n < count; n++)
            assert_int_equal(pwrite(file, bytes, sizeof bytes, (off_t)(n * PAGE)), PAGE);
        testing_map(space, at, file, count, MEM_MAP_REPLACE);
        close(file);
    }
    for (unsigned n = first; n < first + count; n++)
        model->pages[n] = what == 0 ? 0 : what == 1 ? -1 : (int)value;
}

static void random_changes_agree_with_a_plain_model(void **state)
{
    uint64_t places[] = {testing_place(*state), testing_high}, accessible;
    unsigned seed = 11, before = testing_host_mappings(0, UINT64_MAX, &accessible);
    for (unsigned round = 0; round < 2; round++) {
        struct held held[MODEL_HELD];
        struct model now = {0};
        unsigned count = 0;
        for (unsigned step = 0; step < 1500; step++) {
            change_randomly(*state, places[round], &now, &seed);
            check_model(*state, places[round], &now);
            if (count == MODEL_HELD || (count && rand_r(&seed) % 3 == 0)) {
                unsigned n = (unsigned)rand_r(&seed) % count;
                mem_snapshot_release(held[n].snapshot);
                memmove(&held[n], &held[n + 1], (--count - n) * sizeof held[0]);
            }
            if (count < MODEL_HELD && rand_r(&seed) % 2)
                held[count++] = (struct held){mem_snapshot_acquire(*state), now};
            for (unsigned n = 0; n < count; n++)
                check_held(&held[n], places[round], n == 0);
        }
        while (count)
            mem_snapshot_release(held[--count].snapshot);
        assert_int_equal(mem_space_clear(*state, places[round], MODEL_PAGES * PAGE, NULL), MEM_CHANGED);
    }
    /* Nothing is left behind, in the window or elsewhere; a sanitizer maps some more for itself. */
    assert_int_equal(testing_file_mappings(), 0);
    assert_true(testing_host_mappings(0, UINT64_MAX, &accessible) <= before + 100);
    testing_host_mappings(places[0], MODEL_PAGES * PAGE, &accessible);
    assert_int_equal(accessible, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        MAKE_TEST(unmapped_memory_goes_when_the_last_snapshot_that_shows_it_does),
        MAKE_TEST(snapshots_made_before_or_after_a_mapping_do_not_keep_it),
        MAKE_TEST(a_new_mapping_is_shown_at_once_and_ready_when_the_old_one_is_gone),
        MAKE_TEST(mappings_that_follow_each_other_in_one_place_come_in_their_order),
        MAKE_TEST(a_mapping_taken_away_before_it_was_in_place_leaves_nothing),
        MAKE_TEST(a_waiting_mapping_can_be_cleared_in_parts),
        MAKE_TEST(an_allocation_never_takes_a_place_that_somebody_waits_for),
        MAKE_TEST(outside_the_window_nothing_waits),
        MAKE_TEST(settling_waits_for_older_work_and_the_mapper_does_not),
        MAKE_TEST(numbers_of_snapshots_change_when_what_they_show_does),
        MAKE_TEST(random_changes_agree_with_a_plain_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
