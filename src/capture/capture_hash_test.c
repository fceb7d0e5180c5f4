/* Tests of hashes of contents: holes and zeros give what all bytes one after the other give, and cost little. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>
#include <xxhash.h>

#include "capture/capture_hash.h"
#include "capture/capture_shadow.h"

enum { PAGE = 4096, BYTES = 3 * CAPTURE_HASH_STEP + 5 * PAGE + 100, START = 2 * PAGE };

static const size_t lengths[] = {1, 100, PAGE, CAPTURE_HASH_STEP - 1, CAPTURE_HASH_STEP, 2 * CAPTURE_HASH_STEP + 77, BYTES};
static const size_t places[] = {0, 5 * PAGE + 3, CAPTURE_HASH_STEP + 9 * PAGE, BYTES - 1};

static void zeros_hash_as_their_bytes_in_any_order_of_lengths(void **unused)
{
    struct capture_hasher hasher = {0};
    uint8_t *zeros = calloc(1, BYTES);
    (void)unused;
    for (size_t n = 0; n < 2 * sizeof lengths / sizeof lengths[0]; n++) {
        size_t length = lengths[n * 3 % (sizeof lengths / sizeof lengths[0])];
        uint64_t hash;
        capture_hasher_begin(&hasher, length);
        assert_true(capture_hasher_end(&hasher, &hash));
        assert_int_equal(hash, XXH3_64bits(zeros, length));
    }
    assert_int_equal(hasher.step_count, BYTES / CAPTURE_HASH_STEP);
    capture_hasher_finish(&hasher);
    free(zeros);
}

static void a_file_with_holes_hashes_as_its_bytes(void **unused)
{
    struct capture_hasher hasher = {0};
    int file = memfd_create("hash test", MFD_CLOEXEC);
    uint8_t *bytes = calloc(1, BYTES);
    (void)unused;
    assert_return_code(ftruncate(file, START + BYTES + PAGE), 0);
    assert_int_equal(pwrite(file, "after", 5, START + BYTES + 100), 5);
    for (size_t n = sizeof places / sizeof places[0]; n--;) {
        uint64_t hash;
        assert_true(capture_hash_file(&hasher, file, START, BYTES, &hash));
        assert_int_equal(hash, XXH3_64bits(bytes, BYTES));
        bytes[places[n]] = 7;
        assert_int_equal(pwrite(file, bytes + places[n], 1, (off_t)(START + places[n])), 1);
        assert_int_equal(capture_hash_hole(file, START, BYTES), places[n] / PAGE * PAGE);
        assert_true(capture_hash_file(&hasher, file, START, BYTES, &hash));
        assert_int_equal(hash, XXH3_64bits(bytes, BYTES));
    }
    capture_hasher_finish(&hasher);
    free(bytes);
    close(file);
}

static void a_copy_hashes_as_its_bytes(void **unused)
{
    struct capture_hasher hasher = {0};
    uint8_t *bytes = calloc(1, BYTES);
    struct capture_shadow shadow;
    (void)unused;
    assert_true(capture_shadow_init(&shadow, bytes, BYTES));
    assert_int_equal(capture_shadow_hash(&shadow, &hasher), XXH3_64bits(bytes, BYTES));
    for (size_t n = sizeof places / sizeof places[0]; n--;) {
        bytes[places[n]] = 9;
        capture_shadow_set(&shadow, places[n], bytes + places[n], 1);
        assert_int_equal(capture_shadow_hash(&shadow, &hasher), XXH3_64bits(bytes, BYTES));
    }
    capture_shadow_finish(&shadow);
    capture_hasher_finish(&hasher);
    free(bytes);
}

static void zeros_at_the_start_cost_one_step_at_most(void **unused)
{
    (void)unused;
    assert_int_equal(capture_hash_cost(BYTES, 0), BYTES);
    assert_int_equal(capture_hash_cost(UINT64_C(16) << 30, UINT64_C(16) << 30), 0);
    assert_int_equal(capture_hash_cost((UINT64_C(16) << 30) - 1, (UINT64_C(16) << 30) - 1), CAPTURE_HASH_STEP - 1);
    assert_int_equal(capture_hash_cost(UINT64_C(4) * CAPTURE_HASH_STEP, PAGE), UINT64_C(4) * CAPTURE_HASH_STEP);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zeros_hash_as_their_bytes_in_any_order_of_lengths),
        cmocka_unit_test(a_file_with_holes_hashes_as_its_bytes),
        cmocka_unit_test(a_copy_hashes_as_its_bytes),
        cmocka_unit_test(zeros_at_the_start_cost_one_step_at_most),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
