/* mem_fault_test: host faults inside guest memory are mended or end the access; all other signals are whose they were. */
#include <setjmp.h>
#include <signal.h>
#include <sys/wait.h>

#include "memory/mem_testing.h"

/* One byte of host memory, touched in a way that no compiler moves or removes. */
static uint8_t peek(const void *at)
{
    return *(const volatile uint8_t *)at;
}
static void poke(void *at, uint8_t value)
{
    *(volatile uint8_t *)at = value;
}

static uint8_t *host_of(struct mem_space *space, uint64_t address)
{
    struct mem_run run = {0};
    struct mem_snapshot *snapshot = mem_snapshot_acquire(space);
    assert_true(mem_snapshot_find(snapshot, address, &run));
    mem_snapshot_release(snapshot);
    return run.host + (address - run.start);
}

static uint8_t *map_pages(unsigned pages, int rights)
{
    void *place = mmap(NULL, pages * PAGE, rights, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(place, MAP_FAILED);
    return place;
}

static uint64_t count_faults(struct mem_space *space)
{
    struct mem_faults faults;
    mem_space_faults(space, &faults);
    return faults.count;
}

/* The test runner has handlers of its own, set after the space was made. */
static void come_to_the_front(struct mem_space *space)
{
    struct mem_snapshot *snapshot = mem_snapshot_acquire(space);
    assert_true(mem_snapshot_settle(snapshot));
    mem_snapshot_release(snapshot);
}

static void a_file_that_became_shorter_reads_zeros_and_drops_writes(void **state)
{
    uint64_t places[] = {testing_place(*state), testing_high};
    for (unsigned n = 0; n < 2; n++) {
        int file = testing_file(4, 10);
        testing_map(*state, places[n], file, 4, 0);
        uint8_t *host = host_of(*state, places[n]);
        uint64_t before = count_faults(*state);
        assert_int_equal(ftruncate(file, PAGE), 0);
        assert_int_equal(peek(host + 2 * PAGE + 8), 0);
        poke(host + 3 * PAGE + 8, 1);
        assert_int_equal(testing_byte(*state, places[n] + PAGE), 0);
        assert_true(mem_space_write(*state, places[n] + PAGE, "x", 1, NULL));
        assert_int_equal(peek(host), 10);
        assert_int_equal(count_faults(*state), before + 3);
        /* What was dropped is not in the file when it grows again. */
        assert_int_equal(ftruncate(file, 4 * PAGE), 0);
        uint8_t byte = 7;
        assert_int_equal(pread(file, &byte, 1, 3 * PAGE + 8), 1);
        assert_int_equal(byte, 0);
        close(file);
    }
}

static void a_recovered_fault_is_known_by_its_guest_address(void **state)
{
    struct mem_faults faults;
    int file = testing_file(2, 10);
    testing_map(*state, testing_high, file, 2, 0);
    uint8_t *host = host_of(*state, testing_high);
    assert_int_equal(ftruncate(file, 0), 0);
    peek(host + PAGE + 100);
    mem_space_faults(*state, &faults);
    assert_int_equal(faults.count, 1);
    assert_int_equal(faults.addresses[0] / PAGE, (testing_high + PAGE) / PAGE);
    close(file);
}

static void more_faults_than_are_kept_are_still_counted(void **state)
{
    struct mem_faults faults;
    int file = testing_file(1, 10);
    testing_map(*state, testing_place(*state), file, 2 * MEM_FAULTS_KEPT, 0);
    for (unsigned n = 1; n < 2 * MEM_FAULTS_KEPT; n++)
        peek(host_of(*state, testing_place(*state) + n * PAGE));
    mem_space_faults(*state, &faults);
    assert_int_equal(faults.count, 2 * MEM_FAULTS_KEPT - 1);
    for (unsigned n = 0; n < MEM_FAULTS_KEPT; n++)
        assert_int_equal(faults.addresses[n] / PAGE, testing_place(*state) / PAGE + n + 1);
    close(file);
}

static void pages_put_under_faults_go_with_the_mapping(void **state)
{
    uint64_t place = testing_place(*state), accessible;
    int file = testing_file(1, 10);
    testing_map(*state, place, file, 2, 0);
    poke(host_of(*state, place) + PAGE, 77);
    assert_true(mem_space_unmap(*state, place, NULL, NULL));
    testing_host_mappings(place, 2 * PAGE, &accessible);
    assert_int_equal(accessible, 0);
    assert_int_equal(ftruncate(file, 2 * PAGE), 0);
    testing_map(*state, place, file, 2, 0);
    assert_int_equal(testing_byte(*state, place + PAGE), 0);
    close(file);
}

static void the_callers_memory_that_is_gone_reads_zeros(void **state)
{
    uint8_t *mine = map_pages(3, PROT_READ | PROT_WRITE);
    memset(mine, 9, 3 * PAGE);
    assert_true(mem_space_map(*state, testing_high, mine, 3 * PAGE, true, NULL));
    munmap(mine + PAGE, PAGE);
    assert_int_equal(testing_byte(*state, testing_high + PAGE), 0);
    poke(mine + PAGE + 5, 1); /* with nowhere to go back to */
    assert_int_equal(peek(mine), 9);
    assert_int_equal(peek(mine + 2 * PAGE), 9);
    assert_int_equal(count_faults(*state), 2);
    munmap(mine, 3 * PAGE);
}

static void write_there(void *at)
{
    poke(at, 1);
}

static void read_there(void *at)
{
    peek(at);
}

static bool is_there(void *page)
{
    return msync(page, PAGE, MS_ASYNC) == 0;
}

/* Work ends, each time, and nothing comes to lie there; what the caller maps there later is the guest's again. */
static void guarded_work_ends_at_the_callers_memory_that_is_gone(void **state)
{
    uint8_t *mine = map_pages(2, PROT_READ | PROT_WRITE);
    memset(mine, 9, 2 * PAGE);
    assert_true(mem_space_map(*state, testing_high, mine, 2 * PAGE, true, NULL));
    munmap(mine + PAGE, PAGE);
    struct mem_snapshot *snapshot = mem_snapshot_acquire(*state);
    uint64_t where = 0;
    for (unsigned n = 0; n < 3; n++) {
        assert_false(mem_guard_run(write_there, mine + PAGE));
        assert_false(mem_guard_run(read_there, mine + PAGE));
        assert_int_equal(mem_snapshot_write(snapshot, testing_high + PAGE, "12345678", 8, &where), MEM_UNMAPPED);
        assert_true(where == testing_high + PAGE);
        assert_false(is_there(mine + PAGE));
    }
    assert_int_equal(count_faults(*state), 9);
    assert_ptr_equal(mmap(mine + PAGE, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0),
                     mine + PAGE);
    assert_int_equal(mem_snapshot_write(snapshot, testing_high + PAGE, "12345678", 8, NULL), MEM_DONE);
    assert_int_equal(mine[PAGE], '1');
    mem_snapshot_release(snapshot);
    munmap(mine, 2 * PAGE);
}

static void memory_that_the_caller_protected_is_not_written(void **state)
{
    uint8_t *mine = map_pages(2, PROT_READ | PROT_WRITE);
    memset(mine, 9, 2 * PAGE);
    assert_true(mem_space_map(*state, testing_high, mine, 2 * PAGE, true, NULL));
    mprotect(mine, PAGE, PROT_READ);
    struct mem_snapshot *snapshot = mem_snapshot_acquire(*state);
    assert_int_equal(mem_snapshot_write(snapshot, testing_high + 8, "12345678", 8, NULL), MEM_UNMAPPED);
    assert_int_equal(peek(mine + 8), 9);
    assert_int_equal(count_faults(*state), 1);
    mprotect(mine, PAGE, PROT_NONE);
    assert_int_equal(testing_byte(*state, testing_high + 8), 0);
    assert_int_equal(count_faults(*state), 2);
    mprotect(mine, PAGE, PROT_READ | PROT_WRITE);
    assert_int_equal(testing_byte(*state, testing_high + 8), 9);
    mem_snapshot_release(snapshot);
    munmap(mine, 2 * PAGE);
}

static void the_callers_own_mapping_of_a_shortened_file_is_left_alone(void **state)
{
    int file = testing_file(1, 6);
    uint8_t *mine = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    assert_ptr_not_equal(mine, MAP_FAILED);
    assert_true(mem_space_map(*state, testing_high, mine, PAGE, true, NULL));
    assert_int_equal(ftruncate(file, 0), 0);
    assert_int_equal(testing_byte(*state, testing_high), 0);
    assert_true(mem_space_write(*state, testing_high, "x", 1, NULL));
    assert_int_equal(count_faults(*state), 2);
    assert_int_equal(pwrite(file, "y", 1, 0), 1);
    assert_int_equal(testing_byte(*state, testing_high), 'y');
    munmap(mine, PAGE);
    close(file);
}

struct nested {
    void *bad;
    volatile bool inner, went_on;
};

static void guard_inside(void *user)
{
    struct nested *nested = user;
    nested->inner = mem_guard_run(write_there, nested->bad);
    nested->went_on = true;
    poke(nested->bad, 2);
    nested->went_on = false;
}

static void guarded_work_ends_at_a_fault_that_cannot_be_mended(void **state)
{
    uint8_t *mine = map_pages(1, PROT_READ);
    struct nested nested = {.bad = mine, .inner = true};
    assert_true(mem_space_map(*state, testing_high, mine, PAGE, true, NULL));
    assert_true(mem_guard_run(read_there, mine));
    assert_false(mem_guard_run(write_there, mine));
    assert_false(mem_guard_run(guard_inside, &nested));
    assert_true(!nested.inner && nested.went_on);
    assert_int_equal(count_faults(*state), 3);
    munmap(mine, PAGE);
}

static void what_the_caller_mapped_anew_is_left_as_it_is(void **state)
{
    uint8_t *mine = map_pages(1, PROT_READ | PROT_WRITE);
    assert_true(mem_space_map(*state, testing_high, mine, PAGE, true, NULL));
    munmap(mine, PAGE);
    void *again = mmap(mine, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    assert_ptr_equal(again, mine);
    memset(mine, 4, PAGE);
    assert_int_equal(testing_byte(*state, testing_high), 4);
    assert_int_equal(count_faults(*state), 0);
    munmap(mine, PAGE);
}

/* Handlers of a program's own. */
static sigjmp_buf back;
static volatile sig_atomic_t mine_called, lower_called;
static void *volatile seen_address;
static struct sigaction found_before;

static void jump_back(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)context;
    mine_called++;
    seen_address = info->si_addr;
    siglongjmp(back, 1);
}

static void jump_back_from_below(int number, siginfo_t *info, void *context)
{
    lower_called++;
    jump_back(number, info, context);
}

static void pass_to_what_was_there(int number, siginfo_t *info, void *context)
{
    mine_called++;
    found_before.sa_sigaction(number, info, context);
}

static void set_handler(void (*handler)(int, siginfo_t *, void *), struct sigaction *before)
{
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
    sigemptyset(&action.sa_mask);
    assert_int_equal(sigaction(SIGSEGV, &action, before), 0);
    mine_called = lower_called = 0;
}

static void fault_and_come_back(void *bad)
{
    if (sigsetjmp(back, 1) == 0)
        poke(bad, 1);
    assert_ptr_equal(seen_address, bad);
    seen_address = NULL;
}

static void check_still_mends(struct mem_space *space, uint64_t place)
{
    int file = testing_file(0, 0);
    uint64_t before = count_faults(space);
    testing_map(space, place, file, 1, 0);
    assert_int_equal(peek(host_of(space, place)), 0);
    assert_int_equal(count_faults(space), before + 1);
    assert_true(mem_space_unmap(space, place, NULL, NULL));
    close(file);
}

static void a_fault_that_is_not_the_guests_reaches_the_handler_that_was_there(void **state)
{
    struct sigaction before;
    uint8_t *bad = map_pages(1, PROT_NONE);
    set_handler(jump_back, &before);
    struct mem_space *space = mem_space_create(testing_window_bytes, NULL);
    assert_non_null(space);
    for (unsigned n = 0; n < 3; n++) {
        fault_and_come_back(bad + n);
        check_still_mends(space, testing_place(space));
    }
    assert_int_equal(mine_called, 3);
    mem_space_destroy(space);
    /* And it is the handler again. */
    fault_and_come_back(bad);
    assert_int_equal(mine_called, 4);
    sigaction(SIGSEGV, &before, NULL);
    munmap(bad, PAGE);
    (void)state;
}

static void a_handler_installed_later_works_and_so_does_mending(void **state)
{
    struct sigaction before;
    uint8_t *bad = map_pages(1, PROT_NONE);
    struct mem_space *space = mem_space_create(testing_window_bytes, NULL);
    set_handler(jump_back, &before);
    fault_and_come_back(bad);
    for (unsigned n = 0; n < 10; n++) {
        check_still_mends(space, testing_place(space)); /* mapping puts ours in front again */
        fault_and_come_back(bad + n);
        set_handler(jump_back, NULL);
        fault_and_come_back(bad + n);
    }
    come_to_the_front(space); /* so does the beginning of work */
    struct sigaction now;
    sigaction(SIGSEGV, NULL, &now);
    assert_ptr_not_equal(now.sa_sigaction, jump_back);
    mem_space_destroy(space);
    sigaction(SIGSEGV, &before, NULL);
    munmap(bad, PAGE);
    (void)state;
}

static void a_handler_that_calls_the_one_it_found_reaches_those_before_it(void **state)
{
    struct sigaction before;
    uint8_t *bad = map_pages(1, PROT_NONE);
    set_handler(jump_back_from_below, &before);
    struct mem_space *space = mem_space_create(testing_window_bytes, NULL);
    set_handler(pass_to_what_was_there, &found_before);
    check_still_mends(space, testing_place(space));
    for (unsigned n = 0; n < 3; n++) {
        fault_and_come_back(bad + n);
        assert_int_equal(lower_called, n + 1);
        assert_int_equal(mine_called, 2 * (n + 1));
    }
    mem_space_destroy(space);
    sigaction(SIGSEGV, &before, NULL);
    munmap(bad, PAGE);
    (void)state;
}

static void forwarding_acts_as_sigaction_would(void **state)
{
    struct sigaction action = {.sa_sigaction = jump_back, .sa_flags = SA_SIGINFO | SA_RESETHAND}, old, first;
    uint8_t *bad = map_pages(1, PROT_NONE);
    come_to_the_front(*state);
    assert_true(mem_signal_forward(SIGSEGV, NULL, &first));
    assert_true(mem_signal_forward(SIGSEGV, &action, &old));
    assert_ptr_equal(old.sa_sigaction, first.sa_sigaction);
    assert_true(mem_signal_forward(SIGSEGV, NULL, &old));
    assert_ptr_equal(old.sa_sigaction, jump_back);
    check_still_mends(*state, testing_place(*state));
    fault_and_come_back(bad);
    assert_true(mem_signal_forward(SIGSEGV, &first, &old));
    assert_ptr_equal(old.sa_handler, SIG_DFL); /* SA_RESETHAND */
    assert_false(mem_signal_forward(SIGUSR1, NULL, &old));
    munmap(bad, PAGE);
}

static void nothing_is_forwarded_without_a_space(void **state)
{
    struct sigaction old;
    (void)state;
    assert_false(mem_signal_forward(SIGSEGV, NULL, &old));
    assert_false(mem_signal_forward(SIGBUS, NULL, &old));
}

/* Does something in a child that has the default actions; returns its wait status. */
static int in_child(void (*what)(void *), void *user)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct sigaction plain = {.sa_handler = SIG_DFL};
        mem_signal_forward(SIGSEGV, &plain, NULL);
        mem_signal_forward(SIGBUS, &plain, NULL);
        what(user);
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void guard_a_fault_of_the_programs_own(void *bad)
{
    mem_guard_run(write_there, bad);
}

static void send_to_itself(void *user)
{
    (void)user;
    kill(getpid(), SIGSEGV);
}

static void ignore_one_sent(void *user)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    mem_signal_forward(SIGSEGV, &ignore, NULL);
    send_to_itself(user);
}

static void ignore_one_of_the_cpu(void *bad)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    mem_signal_forward(SIGSEGV, &ignore, NULL);
    poke(bad, 1);
}

static void without_a_handler_the_signal_ends_the_process(void **state)
{
    uint8_t *bad = map_pages(1, PROT_NONE);
    come_to_the_front(*state);
    void (*const ways[])(void *) = {write_there, guard_a_fault_of_the_programs_own, send_to_itself, ignore_one_of_the_cpu};
    for (unsigned n = 0; n < sizeof ways / sizeof ways[0]; n++) {
        int status = in_child(ways[n], bad);
        assert_true(WIFSIGNALED(status));
        assert_int_equal(WTERMSIG(status), SIGSEGV);
    }
    assert_int_equal(in_child(ignore_one_sent, bad), 0);
    munmap(bad, PAGE);
}

static void a_hole_of_the_window_is_no_guest_memory(void **state)
{
    come_to_the_front(*state);
    int status = in_child(write_there, (void *)(uintptr_t)testing_place(*state));
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGSEGV);
}

static void each_space_counts_its_own_faults(void **state)
{
    struct mem_space *other = mem_space_create(testing_window_bytes, NULL);
    assert_non_null(other);
    check_still_mends(other, testing_place(other));
    check_still_mends(other, testing_high);
    check_still_mends(*state, testing_high);
    assert_int_equal(count_faults(other), 2);
    assert_int_equal(count_faults(*state), 1);
    mem_space_destroy(other);
    check_still_mends(*state, testing_place(*state));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        MAKE_TEST(a_file_that_became_shorter_reads_zeros_and_drops_writes),
        MAKE_TEST(a_recovered_fault_is_known_by_its_guest_address),
        MAKE_TEST(more_faults_than_are_kept_are_still_counted),
        MAKE_TEST(pages_put_under_faults_go_with_the_mapping),
        MAKE_TEST(the_callers_memory_that_is_gone_reads_zeros),
        MAKE_TEST(guarded_work_ends_at_the_callers_memory_that_is_gone),
        MAKE_TEST(memory_that_the_caller_protected_is_not_written),
        MAKE_TEST(the_callers_own_mapping_of_a_shortened_file_is_left_alone),
        MAKE_TEST(guarded_work_ends_at_a_fault_that_cannot_be_mended),
        MAKE_TEST(what_the_caller_mapped_anew_is_left_as_it_is),
        cmocka_unit_test(a_fault_that_is_not_the_guests_reaches_the_handler_that_was_there),
        cmocka_unit_test(a_handler_installed_later_works_and_so_does_mending),
        cmocka_unit_test(a_handler_that_calls_the_one_it_found_reaches_those_before_it),
        MAKE_TEST(forwarding_acts_as_sigaction_would),
        cmocka_unit_test(nothing_is_forwarded_without_a_space),
        MAKE_TEST(without_a_handler_the_signal_ends_the_process),
        MAKE_TEST(a_hole_of_the_window_is_no_guest_memory),
        MAKE_TEST(each_space_counts_its_own_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
