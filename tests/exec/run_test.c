/* run_test: running kernels through the public API, as an embedder does: whose memory is reached, what is reported, threads.
 *
 *     run_test CODE-OBJECT      (kernels.cl, compiled for gfx1030) */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <pthread.h>

#include <cmocka.h>

#include <tenfold/tenfold.h>

enum { MAX_OBJECT = 256 << 10, MAX_ARGS = 4, KERNARG = 1024 };

static uint8_t object_bytes[MAX_OBJECT];
static size_t object_size;
static uint32_t own_data = 0x600d;

/* A GPU with the kernels. */
struct machine {
    struct tf_gpu *gpu;
    struct tf_object *object;
};

static bool power_on(struct machine *machine)
{
    struct tf_gpu_options options = {.size = sizeof options, .chip = "gfx1030", .threads = 2, .window_bytes = UINT64_C(1) << 36};
    *machine = (struct machine){0};
    return tf_gpu_create(&options, &machine->gpu, NULL) == TF_OK &&
           tf_object_load(machine->gpu, object_bytes, object_size, &machine->object, NULL) == TF_OK;
}

static void power_off(struct machine *machine)
{
    tf_object_unload(machine->object);
    tf_gpu_destroy(machine->gpu);
}

static int set_up(void **state)
{
    static struct machine machine;
    *state = &machine;
    return power_on(&machine) ? 0 : -1;
}

static int tear_down(void **state)
{
    power_off(*state);
    return 0;
}

static struct tf_arg pointer(uint64_t address)
{
    return (struct tf_arg){.kind = TF_ARG_POINTER, .address = address};
}

static struct tf_arg value(const void *data, size_t bytes)
{
    return (struct tf_arg){.kind = TF_ARG_VALUE, .data = data, .bytes = bytes};
}

/* Runs a kernel; NULL with error filled in when the call itself fails. */
static struct tf_report *run(struct machine *machine, const char *name, uint32_t threads, const struct tf_arg *args, size_t count,
                             double timeout, struct tf_error *error)
{
    struct tf_report *report = NULL;
    uint8_t kernarg[KERNARG];
    struct tf_dispatch dispatch = {.size = sizeof dispatch,
                                   .grid = {threads},
                                   .workgroup = {64},
                                   .kernarg = kernarg,
                                   .kernarg_size = sizeof kernarg,
                                   .timeout = timeout};
    if (tf_object_find_kernel(machine->object, name, &dispatch.kernel, error) != TF_OK ||
        tf_kernel_pack_args(dispatch.kernel, args, count, kernarg, sizeof kernarg, &dispatch.dynamic_lds, error) != TF_OK ||
        tf_dispatch_run(machine->gpu, &dispatch, &report, error) != TF_OK)
        return NULL;
    return report;
}

static uint64_t alloc(struct machine *machine, uint64_t bytes, unsigned flags)
{
    uint64_t address = 0;
    assert_int_equal(tf_memory_alloc(machine->gpu, bytes, flags, &address, NULL), TF_OK);
    return address;
}

/* store_at(address, 5) by every lane of one wave; the first fault, if any. */
static bool store_faults(struct machine *machine, uint64_t address, struct tf_fault *fault)
{
    const uint32_t five = 5;
    const struct tf_arg args[] = {value(&address, sizeof address), value(&five, sizeof five)};
    struct tf_report *report = run(machine, "store_at", 64, args, 2, 0, NULL);
    assert_non_null(report);
    bool failed = tf_report_failed(report);
    fault->size = sizeof *fault;
    assert_int_equal(tf_report_fault(report, 0, fault, NULL), failed ? TF_OK : TF_ERROR_NOT_FOUND);
    fault->kind = fault->instruction = NULL; /* they go with the report */
    tf_report_destroy(report);
    return failed;
}

static void a_store_to_the_address_of_the_librarys_own_data_is_a_fault_and_not_a_store(void **state)
{
    struct tf_fault fault;
    uint32_t on_stack = 0x600d;
    uint32_t *on_heap = malloc(sizeof *on_heap);
    *on_heap = 0x600d;
    const struct {
        uint32_t *place;
    } places[] = {{&own_data}, {&on_stack}, {on_heap}, {(uint32_t *)(uintptr_t)tf_version()}, {(uint32_t *)*state}};
    for (size_t n = 0; n < sizeof places / sizeof places[0]; n++) {
        uint64_t address = (uintptr_t)places[n].place & ~UINT64_C(3);
        uint32_t before = *(uint32_t *)(uintptr_t)address;
        assert_true(store_faults(*state, address, &fault));
        assert_true(fault.address == address);
        assert_int_equal(*(uint32_t *)(uintptr_t)address, before);
    }
    free(on_heap);
}

static void a_store_to_read_only_memory_is_dropped_and_reported(void **state)
{
    struct tf_fault fault;
    uint64_t address = alloc(*state, 64, TF_MEMORY_READ_ONLY);
    const uint32_t before = 0x77;
    struct machine *machine = *state;
    uint32_t after = 0;
    assert_int_equal(tf_memory_write(machine->gpu, address, &before, sizeof before, NULL), TF_OK);
    assert_true(store_faults(machine, address, &fault));
    assert_int_equal(tf_memory_read(machine->gpu, address, &after, sizeof after, NULL), TF_OK);
    assert_int_equal(after, before);
}

static void the_callers_memory_is_reached_at_the_address_it_is_shown_at(void **state)
{
    static uint32_t mine[16];
    struct tf_fault fault;
    struct machine *machine = *state;
    const uint64_t address = UINT64_C(0x40000000);
    assert_int_equal(tf_memory_map(machine->gpu, address, mine, sizeof mine, 0, NULL), TF_OK);
    assert_false(store_faults(machine, address + 12, &fault));
    assert_int_equal(mine[3], 5);
    assert_true(store_faults(machine, address + 64, &fault));
    assert_int_equal(tf_memory_unmap(machine->gpu, address, NULL), TF_OK);
    assert_true(store_faults(machine, address, &fault));
}

static void a_store_to_memory_that_its_owner_protected_ends_the_dispatch_and_not_the_process(void **state)
{
    struct tf_fault fault;
    struct machine *machine = *state;
    const uint64_t address = UINT64_C(0x40000000);
    uint32_t *mine = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(mine, MAP_FAILED);
    mine[0] = 77;
    assert_int_equal(tf_memory_map(machine->gpu, address, mine, 4096, 0, NULL), TF_OK);
    assert_int_equal(mprotect(mine, 4096, PROT_READ), 0);
    assert_true(store_faults(machine, address, &fault));
    assert_int_equal(mine[0], 77);
    assert_int_equal(mprotect(mine, 4096, PROT_READ | PROT_WRITE), 0);
    assert_false(store_faults(machine, address, &fault));
    assert_int_equal(mine[0], 5);
    assert_int_equal(tf_memory_unmap(machine->gpu, address, NULL), TF_OK);
    munmap(mine, 4096);
}

static void a_store_behind_the_end_of_a_file_that_was_cut_short_is_dropped(void **state)
{
    struct tf_fault fault;
    struct machine *machine = *state;
    uint64_t base, bytes;
    uint32_t word = 1;
    int file = memfd_create("cut", MFD_CLOEXEC);
    tf_memory_window(machine->gpu, &base, &bytes);
    assert_int_equal(ftruncate(file, 4096), 0);
    assert_int_equal(tf_memory_map_file(machine->gpu, base + bytes / 2, file, 0, 4096, 0, NULL), TF_OK);
    assert_int_equal(ftruncate(file, 0), 0);
    assert_false(store_faults(machine, base + bytes / 2, &fault));
    assert_int_equal(ftruncate(file, 4096), 0);
    assert_int_equal(pread(file, &word, sizeof word, 0), sizeof word);
    assert_int_equal(word, 0);
    close(file);
}

static void a_store_to_a_sparse_range_vanishes_without_a_fault(void **state)
{
    struct tf_fault fault;
    struct machine *machine = *state;
    const uint64_t address = UINT64_C(0xffff900000000000);
    uint32_t word = 1;
    assert_int_equal(tf_memory_map_prt(machine->gpu, address, UINT64_C(1) << 30, NULL), TF_OK);
    assert_false(store_faults(machine, address + 4096, &fault));
    assert_int_equal(tf_memory_read(machine->gpu, address + 4096, &word, sizeof word, NULL), TF_OK);
    assert_int_equal(word, 0);
}

static void a_store_reaches_the_upper_half_of_the_addresses(void **state)
{
    struct tf_fault fault;
    struct machine *machine = *state;
    const uint64_t address = UINT64_C(0xffff800100000000), narrow = UINT64_C(0x0000800100000000);
    uint32_t word = 0;
    int file = memfd_create("upper", MFD_CLOEXEC);
    assert_int_equal(ftruncate(file, 8192), 0);
    assert_int_equal(tf_memory_map_file(machine->gpu, address, file, 0, 8192, 0, NULL), TF_OK);
    assert_false(store_faults(machine, address + 4096, &fault));
    assert_false(store_faults(machine, narrow, &fault));
    assert_int_equal(pread(file, &word, sizeof word, 4096), sizeof word);
    assert_int_equal(word, 5);
    assert_int_equal(pread(file, &word, sizeof word, 0), sizeof word);
    assert_int_equal(word, 5);
    assert_true(store_faults(machine, address + 8192, &fault));
    close(file);
}

static void freed_memory_faults(void **state)
{
    struct tf_fault fault;
    struct machine *machine = *state;
    uint64_t address = alloc(machine, 4096, 0);
    assert_false(store_faults(machine, address, &fault));
    assert_int_equal(tf_memory_free(machine->gpu, address, NULL), TF_OK);
    assert_true(store_faults(machine, address, &fault));
    assert_int_equal(tf_memory_free(machine->gpu, address, NULL), TF_ERROR_NOT_FOUND);
}

static void a_fault_says_who_where_and_what(void **state)
{
    struct machine *machine = *state;
    const uint64_t address = 0x123450;
    const uint32_t five = 5;
    const struct tf_arg args[] = {value(&address, sizeof address), value(&five, sizeof five)};
    struct tf_report *report = run(machine, "store_at", 64, args, 2, 0, NULL);
    struct tf_fault fault = {.size = sizeof fault};
    struct tf_report_info info = {.size = sizeof info};
    assert_true(tf_report_failed(report));
    assert_int_equal(tf_report_fault(report, 0, &fault, NULL), TF_OK);
    assert_non_null(strstr(fault.instruction, "global_store_dword"));
    assert_true(fault.address == address);
    assert_in_range(fault.lane, 0, 63);
    assert_int_equal(tf_report_describe(report, &info, NULL), TF_OK);
    assert_true(fault.pc % 4 == 0 && fault.offset < 256);
    assert_int_equal(info.fault_total, 64);
    assert_int_equal(info.fault_sites, 1);
    assert_string_equal(info.kernel, "store_at");
    assert_non_null(strstr(tf_report_json(report), "\"0x123450\""));
    tf_report_destroy(report);
}

static void an_endless_loop_ends_at_the_timeout(void **state)
{
    struct machine *machine = *state;
    const struct tf_arg flag = pointer(alloc(machine, 64, 0));
    struct tf_report *report = run(machine, "spin", 128, &flag, 1, 0.5, NULL);
    assert_non_null(report);
    assert_true(tf_report_failed(report));
    tf_report_destroy(report);
}

/* What the guest waits for comes from another host thread. */
static void *set_flag(void *flag)
{
    struct timespec pause = {.tv_nsec = 50000000};
    nanosleep(&pause, NULL);
    __atomic_store_n((uint32_t *)flag, 1, __ATOMIC_RELAXED);
    return NULL;
}

static void a_wave_that_waits_sees_what_the_host_writes_meanwhile(void **state)
{
    struct machine *machine = *state;
    uint64_t address = alloc(machine, 64, 0);
    const struct tf_arg flag = pointer(address);
    pthread_t thread;
    pthread_create(&thread, NULL, set_flag, tf_memory_pointer(machine->gpu, address, 64));
    struct tf_report *report = run(machine, "spin", 128, &flag, 1, 30, NULL);
    pthread_join(thread, NULL);
    assert_non_null(report);
    assert_false(tf_report_failed(report));
    tf_report_destroy(report);
}

static void code_that_the_host_changes_is_run_anew(void **state)
{
    struct machine *machine = *state;
    struct tf_fault fault;
    const struct tf_kernel *kernel = NULL;
    struct tf_kernel_info info = {.size = sizeof info};
    const uint32_t s_endpgm = 0xbf810000;
    assert_true(store_faults(machine, 0x1000, &fault));
    assert_int_equal(tf_object_find_kernel(machine->object, "store_at", &kernel, NULL), TF_OK);
    assert_int_equal(tf_kernel_describe(kernel, &info, NULL), TF_OK);
    assert_int_equal(tf_memory_write(machine->gpu, info.entry, &s_endpgm, sizeof s_endpgm, NULL), TF_OK);
    assert_false(store_faults(machine, 0x1000, &fault));
}

static void a_report_outlives_its_gpu(void **state)
{
    struct machine machine;
    struct tf_report_info info = {.size = sizeof info};
    (void)state;
    assert_true(power_on(&machine));
    const struct tf_arg args[] = {pointer(alloc(&machine, 256, 0)), value(&own_data, sizeof own_data)};
    struct tf_report *report = run(&machine, "scratch", 64, args, 2, 0, NULL);
    power_off(&machine);
    assert_int_equal(tf_report_describe(report, &info, NULL), TF_OK);
    assert_string_equal(info.kernel, "scratch");
    assert_string_equal(info.chip, "gfx1030");
    assert_true(info.exact > 0);
    tf_report_destroy(report);
}

/* One of several threads that use GPUs at once. Returns NULL when all went well. */
static void *scratch_runs(void *state)
{
    enum { THREADS = 1024, RUNS = 4 };
    struct machine *machine = state;
    const uint32_t k = 3;
    bool good = true;
    for (unsigned n = 0; n < RUNS && good; n++) {
        uint64_t address = 0;
        good = tf_memory_alloc(machine->gpu, THREADS * 4, 0, &address, NULL) == TF_OK;
        const struct tf_arg args[] = {pointer(address), value(&k, sizeof k)};
        struct tf_report *report = good ? run(machine, "scratch", THREADS, args, 2, 0, NULL) : NULL;
        const uint32_t *y = tf_memory_pointer(machine->gpu, address, THREADS * 4);
        good = report && !tf_report_failed(report);
        for (uint32_t i = 0; i < THREADS && good; i++)
            good = y[i] == (i & 31) * k + i + ((i + 1) & 31) * k + i;
        tf_report_destroy(report);
        good = tf_memory_free(machine->gpu, address, NULL) == TF_OK && good;
    }
    return good ? NULL : state;
}

static void run_on_threads(struct machine *const machines[3])
{
    pthread_t threads[3];
    for (size_t n = 0; n < 3; n++)
        assert_int_equal(pthread_create(&threads[n], NULL, scratch_runs, machines[n]), 0);
    for (size_t n = 0; n < 3; n++) {
        void *result;
        assert_int_equal(pthread_join(threads[n], &result), 0);
        assert_null(result);
    }
}

static void threads_may_share_a_gpu(void **state)
{
    run_on_threads((struct machine *const[]){*state, *state, *state});
}

static void gpus_of_several_threads_do_not_disturb_each_other(void **state)
{
    struct machine second, third;
    assert_true(power_on(&second) && power_on(&third));
    run_on_threads((struct machine *const[]){*state, &second, &third});
    power_off(&second);
    power_off(&third);
}

static void dispatches_that_make_no_sense_are_refused(void **state)
{
    struct machine *machine = *state;
    struct machine other;
    struct tf_report *report = NULL;
    struct tf_error error = {0};
    struct tf_dispatch dispatch = {.size = sizeof dispatch, .grid = {1}};
    assert_int_equal(tf_dispatch_run(machine->gpu, &dispatch, &report, &error), TF_ERROR_ARGUMENT);
    assert_true(power_on(&other));
    assert_int_equal(tf_object_find_kernel(other.object, "spin", &dispatch.kernel, NULL), TF_OK);
    assert_int_equal(tf_dispatch_run(machine->gpu, &dispatch, &report, &error), TF_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "another GPU"));
    power_off(&other);
    assert_int_equal(tf_object_find_kernel(machine->object, "spin", &dispatch.kernel, NULL), TF_OK);
    dispatch.kernarg_size = 8;
    assert_int_equal(tf_dispatch_run(machine->gpu, &dispatch, &report, &error), TF_ERROR_ARGUMENT);
    dispatch = (struct tf_dispatch){.kernel = dispatch.kernel, .grid = {1}};
    assert_int_equal(tf_dispatch_run(machine->gpu, &dispatch, &report, &error), TF_ERROR_ARGUMENT);
    assert_null(report);
}

#define MACHINE_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        MACHINE_TEST(a_store_to_the_address_of_the_librarys_own_data_is_a_fault_and_not_a_store),
        MACHINE_TEST(a_store_to_read_only_memory_is_dropped_and_reported),
        MACHINE_TEST(the_callers_memory_is_reached_at_the_address_it_is_shown_at),
        MACHINE_TEST(a_store_to_memory_that_its_owner_protected_ends_the_dispatch_and_not_the_process),
        MACHINE_TEST(a_store_behind_the_end_of_a_file_that_was_cut_short_is_dropped),
        MACHINE_TEST(a_store_to_a_sparse_range_vanishes_without_a_fault),
        MACHINE_TEST(a_store_reaches_the_upper_half_of_the_addresses),
        MACHINE_TEST(freed_memory_faults),
        MACHINE_TEST(a_fault_says_who_where_and_what),
        MACHINE_TEST(an_endless_loop_ends_at_the_timeout),
        MACHINE_TEST(a_wave_that_waits_sees_what_the_host_writes_meanwhile),
        MACHINE_TEST(code_that_the_host_changes_is_run_anew),
        MACHINE_TEST(threads_may_share_a_gpu),
        MACHINE_TEST(gpus_of_several_threads_do_not_disturb_each_other),
        MACHINE_TEST(dispatches_that_make_no_sense_are_refused),
        cmocka_unit_test(a_report_outlives_its_gpu),
    };
    FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
    if (!file) {
        fprintf(stderr, "usage: run_test CODE-OBJECT\n");
        return 2;
    }
    object_size = fread(object_bytes, 1, sizeof object_bytes, file);
    fclose(file);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
