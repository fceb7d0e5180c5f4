/* api_memory_test: the public calls on guest memory, their statuses, and what the guest and the host see. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include <tenfold/tenfold.h>

enum { PAGE = 4096 };

static int make_gpu(void **state)
{
    struct tf_gpu_options options = {.size = sizeof options, .chip = "gfx1010", .window_bytes = UINT64_C(1) << 36};
    struct tf_gpu *gpu = NULL;
    enum tf_status status = tf_gpu_create(&options, &gpu, NULL);
    *state = gpu;
    return status == TF_OK ? 0 : -1;
}

static int end_gpu(void **state)
{
    tf_gpu_destroy(*state);
    return 0;
}

static int make_file(unsigned pages, char first)
{
    int file = memfd_create("api", MFD_CLOEXEC);
    assert_true(file >= 0);
    assert_int_equal(ftruncate(file, (off_t)pages * PAGE), 0);
    for (unsigned n = 0; n < pages; n++)
        assert_int_equal(pwrite(file, &(char){(char)(first + (char)n)}, 1, (off_t)n * PAGE), 1);
    return file;
}

static uint64_t place_in(struct tf_gpu *gpu)
{
    uint64_t base = 0, bytes = 0;
    tf_memory_window(gpu, &base, &bytes);
    assert_true(bytes >= UINT64_C(1) << 30);
    return base + bytes / 2;
}

static int byte_at(struct tf_gpu *gpu, uint64_t address)
{
    uint8_t byte = 0;
    enum tf_status status = tf_memory_read(gpu, address, &byte, 1, NULL);
    return status == TF_OK ? byte : -(int)status;
}

static void files_are_mapped_replaced_and_cleared_by_pages(void **state)
{
    struct tf_gpu *gpu = *state;
    uint64_t place = place_in(gpu);
    int first = make_file(3, 'a'), second = make_file(1, 'x');
    assert_int_equal(tf_memory_map_file(gpu, place, first, 0, 3 * PAGE, 0, NULL), TF_OK);
    assert_ptr_equal(tf_memory_pointer(gpu, place, 3 * PAGE), (void *)(uintptr_t)place);
    assert_int_equal(tf_memory_map_file(gpu, place + PAGE, second, 0, PAGE, 0, NULL), TF_ERROR_ARGUMENT);
    assert_int_equal(tf_memory_map_file(gpu, place + PAGE, second, 0, PAGE, TF_MEMORY_REPLACE, NULL), TF_OK);
    close(first);
    close(second);
    assert_int_equal(byte_at(gpu, place), 'a');
    assert_int_equal(byte_at(gpu, place + PAGE), 'x');
    assert_int_equal(byte_at(gpu, place + 2 * PAGE), 'c');
    assert_int_equal(tf_memory_clear(gpu, place + 2 * PAGE, PAGE, NULL), TF_OK);
    assert_int_equal(byte_at(gpu, place + 2 * PAGE), -TF_ERROR_UNMAPPED);
    assert_int_equal(tf_memory_unmap(gpu, place, NULL), TF_OK);
    assert_int_equal(byte_at(gpu, place), -TF_ERROR_UNMAPPED);
    assert_int_equal(byte_at(gpu, place + PAGE), 'x');
}

static void a_sparse_range_takes_the_place_of_what_was_there(void **state)
{
    struct tf_gpu *gpu = *state;
    uint64_t place = place_in(gpu);
    int file = make_file(1, 'a');
    assert_int_equal(tf_memory_map_file(gpu, place, file, 0, PAGE, 0, NULL), TF_OK);
    assert_int_equal(tf_memory_map_prt(gpu, place, 4 * PAGE, NULL), TF_OK);
    assert_int_equal(byte_at(gpu, place), 0);
    assert_int_equal(tf_memory_write(gpu, place, "w", 1, NULL), TF_OK);
    assert_int_equal(byte_at(gpu, place), 0);
    close(file);
}

static void what_is_wrong_and_what_the_host_refuses_are_told_apart(void **state)
{
    struct tf_gpu *gpu = *state;
    struct tf_error error;
    uint64_t place = place_in(gpu);
    int file = make_file(1, 'a');
    assert_int_equal(tf_memory_map_file(gpu, place + 1, file, 0, PAGE, 0, &error), TF_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "pages"));
    assert_int_equal(tf_memory_map_file(gpu, place, -1, 0, PAGE, 0, &error), TF_ERROR_MEMORY);
    assert_int_equal(tf_memory_map_prt(gpu, place, 1, &error), TF_ERROR_ARGUMENT);
    assert_int_equal(tf_memory_clear(gpu, place, PAGE - 1, &error), TF_ERROR_ARGUMENT);
    assert_int_equal(tf_memory_map_file(NULL, place, file, 0, PAGE, 0, &error), TF_ERROR_ARGUMENT);
    assert_int_equal(tf_memory_map_prt(NULL, place, PAGE, &error), TF_ERROR_ARGUMENT);
    assert_int_equal(tf_memory_clear(NULL, place, PAGE, &error), TF_ERROR_ARGUMENT);
    close(file);
}

static void memory_of_the_callers_may_be_shown_in_the_window(void **state)
{
    static _Alignas(4096) char mine[PAGE] = "mine";
    struct tf_gpu *gpu = *state;
    uint64_t place = place_in(gpu);
    assert_int_equal(tf_memory_map(gpu, place, mine, sizeof mine, 0, NULL), TF_OK);
    assert_ptr_equal(tf_memory_pointer(gpu, place, sizeof mine), mine);
    assert_int_equal(tf_memory_map(gpu, place + 16, mine, 16, 0, NULL), TF_ERROR_ARGUMENT);
    assert_int_equal(tf_memory_unmap(gpu, place, NULL), TF_OK);
}

static void signals_are_answered_for_while_there_is_a_gpu(void **state)
{
    struct sigaction now;
    (void)state;
    assert_true(tf_signal_action(SIGSEGV, NULL, &now));
    assert_true(tf_signal_action(SIGBUS, NULL, &now));
    assert_false(tf_signal_action(SIGILL, NULL, &now));
}

#define GPU_TEST(name) cmocka_unit_test_setup_teardown(name, make_gpu, end_gpu)

int main(void)
{
    const struct CMUnitTest tests[] = {
        GPU_TEST(files_are_mapped_replaced_and_cleared_by_pages),
        GPU_TEST(a_sparse_range_takes_the_place_of_what_was_there),
        GPU_TEST(what_is_wrong_and_what_the_host_refuses_are_told_apart),
        GPU_TEST(memory_of_the_callers_may_be_shown_in_the_window),
        GPU_TEST(signals_are_answered_for_while_there_is_a_gpu),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
