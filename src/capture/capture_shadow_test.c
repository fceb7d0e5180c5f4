/* Tests of looks at memory: what differs is reported, no more than that, and the copy follows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "capture/capture_shadow.h"

enum { BYTES = 5 * 4096 + 100, MOST = 64 };

/* What a look reported. */
struct found {
    size_t count;
    uint64_t offsets[MOST];
    uint32_t bytes[MOST];
};

static bool note(void *user, uint64_t offset, const uint8_t *data, const uint8_t *was, uint32_t bytes)
{
    struct found *found = user;
    assert_true(found->count < MOST);
    assert_memory_not_equal(data, was, bytes);
    found->offsets[found->count] = offset;
    found->bytes[found->count++] = bytes;
    return true;
}

static void what_differs_is_reported_once(void **unused)
{
    uint8_t *live = calloc(1, BYTES);
    struct capture_shadow shadow;
    struct found found = {0};
    (void)unused;
    assert_true(capture_shadow_init(&shadow, live, BYTES));
    live[0] = 1;
    live[4096] = 2;
    live[4096 + 2000] = 3;
    live[BYTES - 1] = 4;
    assert_true(capture_shadow_collect(&shadow, note, &found));
    assert_int_equal(found.count, 4);
    assert_int_equal(found.offsets[0], 0);
    assert_int_equal(found.bytes[0], 16);
    assert_int_equal(found.offsets[2], 4096 + 2000);
    assert_int_equal(found.offsets[3] + found.bytes[3], BYTES);
    assert_memory_equal(shadow.copy, live, BYTES);
    found.count = 0;
    assert_true(capture_shadow_collect(&shadow, note, &found));
    assert_int_equal(found.count, 0);
    capture_shadow_finish(&shadow);
    free(live);
}

/* A file with a page of data between holes, mapped. */
static uint8_t *map_file(int *descriptor, uint64_t offset)
{
    *descriptor = memfd_create("test", MFD_CLOEXEC);
    assert_int_equal(ftruncate(*descriptor, 1 << 20), 0);
    uint8_t *live = mmap(NULL, 16 * 4096, PROT_READ | PROT_WRITE, MAP_SHARED, *descriptor, (off_t)offset);
    assert_ptr_not_equal(live, MAP_FAILED);
    return live;
}

static void holes_of_shared_memory_are_not_filled_by_a_look(void **unused)
{
    int descriptor;
    uint8_t *live = map_file(&descriptor, 8192);
    struct capture_shadow shadow;
    struct found found = {0};
    (void)unused;
    assert_true(capture_shadow_init(&shadow, live, 16 * 4096));
    shadow.descriptor = descriptor;
    shadow.file_offset = 8192;
    live[3 * 4096 + 5] = 1;
    live[9 * 4096] = 1;
    off_t before = lseek(descriptor, 8192, SEEK_DATA);
    assert_true(capture_shadow_collect(&shadow, note, &found));
    assert_int_equal(found.count, 2);
    assert_int_equal(found.offsets[0], 3 * 4096);
    assert_int_equal(found.offsets[1], 9 * 4096);
    assert_int_equal(lseek(descriptor, 8192, SEEK_DATA), before);
    assert_int_equal(lseek(descriptor, before + 4096, SEEK_DATA), 8192 + 9 * 4096);
    struct stat facts;
    assert_int_equal(fstat(descriptor, &facts), 0);
    assert_int_equal(facts.st_blocks * 512, 2 * 4096); /* the hole behind the last data as well */
    capture_shadow_finish(&shadow);
    munmap(live, 16 * 4096);
    close(descriptor);
}

static void a_page_that_became_a_hole_again_is_zero_again(void **unused)
{
    int descriptor;
    uint8_t *live = map_file(&descriptor, 0);
    struct capture_shadow shadow;
    struct found found = {0};
    (void)unused;
    assert_true(capture_shadow_init(&shadow, live, 16 * 4096));
    shadow.descriptor = descriptor;
    live[7 * 4096] = 9;
    assert_true(capture_shadow_collect(&shadow, note, &found));
    assert_int_equal(madvise(live + 7 * 4096, 4096, MADV_REMOVE), 0);
    found.count = 0;
    assert_true(capture_shadow_collect(&shadow, note, &found));
    assert_int_equal(found.count, 1);
    assert_int_equal(shadow.copy[7 * 4096], 0);
    capture_shadow_finish(&shadow);
    munmap(live, 16 * 4096);
    close(descriptor);
}

static void user_memory_that_went_away_is_as_it_was(void **unused)
{
    uint8_t *live = mmap(NULL, 16 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct capture_shadow shadow;
    struct found found = {0};
    (void)unused;
    assert_true(capture_shadow_init(&shadow, live, 16 * 4096));
    shadow.is_user = true;
    live[10] = 7;
    assert_true(capture_shadow_collect(&shadow, note, &found));
    assert_int_equal(found.count, 1);
    munmap(live, 16 * 4096);
    found.count = 0;
    assert_true(capture_shadow_collect(&shadow, note, &found));
    assert_int_equal(found.count, 0);
    assert_int_equal(shadow.copy[10], 7);
    capture_shadow_finish(&shadow);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_differs_is_reported_once),
        cmocka_unit_test(holes_of_shared_memory_are_not_filled_by_a_look),
        cmocka_unit_test(a_page_that_became_a_hole_again_is_zero_again),
        cmocka_unit_test(user_memory_that_went_away_is_as_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
