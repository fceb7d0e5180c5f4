/* Which pages were written. */
#include "memory/mem_track.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

enum { PAGE = 4096, PAGES = 600, BYTES = PAGES * PAGE };

struct fixture {
    struct mem_track *track;
    uint8_t *memory;
    bool written[PAGES];
    unsigned count;
};

static struct fixture f;

static int set_up(void **state)
{
    (void)state;
    f = (struct fixture){.track = mem_track_create()};
    f.memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(f.memory != MAP_FAILED);
    memset(f.memory, 1, BYTES);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    mem_track_destroy(f.track);
    return munmap(f.memory, BYTES);
}

/* On a kernel without it there is nothing to see. */
static void begin(void)
{
    if (!f.track)
        skip();
    assert_true(mem_track_begin(f.track, f.memory, BYTES));
}

static void note(void *user, uint64_t offset, uint64_t bytes)
{
    (void)user;
    assert_int_equal(offset % PAGE, 0);
    for (uint64_t at = offset; at < offset + bytes; at += PAGE) {
        assert_false(f.written[at / PAGE]);
        f.written[at / PAGE] = true;
        f.count++;
    }
}

static bool take(void)
{
    memset(f.written, 0, sizeof f.written);
    f.count = 0;
    return mem_track_take(f.track, f.memory, BYTES, note, NULL);
}

static void what_was_written_before_counts_as_not_written(void **state)
{
    (void)state;
    begin();
    assert_true(take());
    assert_int_equal(f.count, 0);
}

static void a_page_is_told_of_once_for_each_time_that_it_was_written(void **state)
{
    (void)state;
    begin();
    for (unsigned n = 0; n < 2; n++) {
        f.memory[7 * PAGE + 5] = 2;
        f.memory[8 * PAGE] = 2;
        f.memory[(PAGES - 1) * PAGE] = 2;
        assert_true(take());
        assert_int_equal(f.count, 3);
        assert_true(f.written[7] && f.written[8] && f.written[PAGES - 1]);
        assert_true(take());
        assert_int_equal(f.count, 0);
    }
}

static void what_is_read_is_not_written(void **state)
{
    (void)state;
    begin();
    unsigned sum = 0;
    for (unsigned n = 0; n < PAGES; n++)
        sum += f.memory[n * PAGE];
    assert_int_equal(sum, PAGES);
    assert_true(take());
    assert_int_equal(f.count, 0);
}

static void what_a_system_call_writes_is_seen(void **state)
{
    (void)state;
    begin();
    int zeros = open("/dev/zero", O_RDONLY);
    assert_int_equal(read(zeros, f.memory + 50 * PAGE + 8, PAGE), PAGE);
    close(zeros);
    assert_true(take());
    assert_int_equal(f.count, 2);
    assert_true(f.written[50] && f.written[51]);
}

static void scattered_pages_are_all_told_of(void **state)
{
    (void)state;
    begin();
    for (unsigned n = 0; n < PAGES; n += 2) /* more stretches than one question has answers */
        f.memory[n * PAGE]++;
    assert_true(take());
    assert_int_equal(f.count, PAGES / 2);
    for (unsigned n = 0; n < PAGES; n++)
        assert_int_equal(f.written[n], n % 2 == 0);
}

static void memory_that_was_never_touched_is_seen_when_it_is(void **state)
{
    (void)state;
    assert_int_equal(madvise(f.memory, BYTES, MADV_DONTNEED), 0);
    begin();
    f.memory[3 * PAGE] = 1;
    assert_true(take());
    assert_int_equal(f.count, 1);
    assert_true(f.written[3]);
}

static void what_is_mapped_in_the_place_of_watched_memory_is_not_known(void **state)
{
    (void)state;
    begin();
    assert_true(mmap(f.memory + PAGE, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) !=
                MAP_FAILED);
    assert_false(take());
}

static void what_is_watched_no_more_is_not_known(void **state)
{
    (void)state;
    begin();
    mem_track_end(f.track, f.memory, BYTES);
    assert_false(take());
    f.memory[0] = 3;
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(what_was_written_before_counts_as_not_written),
        TEST(a_page_is_told_of_once_for_each_time_that_it_was_written),
        TEST(what_is_read_is_not_written),
        TEST(what_a_system_call_writes_is_seen),
        TEST(scattered_pages_are_all_told_of),
        TEST(memory_that_was_never_touched_is_seen_when_it_is),
        TEST(what_is_mapped_in_the_place_of_watched_memory_is_not_known),
        TEST(what_is_watched_no_more_is_not_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
