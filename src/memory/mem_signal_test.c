/* mem_signal_test: a process where somebody stands in front of sigaction, as a preloaded library would. */
#include <dlfcn.h>
#include <setjmp.h>
#include <signal.h>

#include "memory/mem_testing.h"

static unsigned asked; /* how often the program's own calls came here */

int sigaction(int number, const struct sigaction *action, struct sigaction *old)
{
    int (*next)(int, const struct sigaction *, struct sigaction *);
    asked++;
    if (mem_signal_forward(number, action, old))
        return 0;
    void *symbol = dlsym(RTLD_NEXT, "sigaction");
    memcpy(&next, &symbol, sizeof next);
    return next(number, action, old);
}

static sigjmp_buf back;
static void *volatile seen;

static void jump_back(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)context;
    seen = info->si_addr;
    siglongjmp(back, 1);
}

static void *no_access(void)
{
    void *place = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(place, MAP_FAILED);
    return place;
}

static void mend_one(struct mem_space *space)
{
    struct mem_faults before, after;
    struct mem_run run = {0};
    int file = testing_file(0, 0);
    mem_space_faults(space, &before);
    testing_map(space, testing_high, file, 1, 0);
    struct mem_snapshot *snapshot = mem_snapshot_acquire(space);
    assert_true(mem_snapshot_find(snapshot, testing_high, &run));
    assert_int_equal(*(volatile uint8_t *)run.host, 0);
    mem_snapshot_release(snapshot);
    mem_space_faults(space, &after);
    assert_int_equal(after.count, before.count + 1);
    assert_true(mem_space_unmap(space, testing_high, NULL, NULL));
    close(file);
}

static void the_program_sees_its_own_handlers_and_the_guest_its_memory(void **state)
{
    struct sigaction action = {.sa_sigaction = jump_back, .sa_flags = SA_SIGINFO}, old = {0};
    void *bad = no_access();
    struct mem_snapshot *snapshot = mem_snapshot_acquire(*state);
    assert_true(mem_snapshot_settle(snapshot)); /* before the test runner's handlers */
    mem_snapshot_release(snapshot);
    unsigned before = asked;
    mend_one(*state);
    assert_int_equal(asked, before); /* the library does not go through whoever is in front */
    for (unsigned n = 0; n < 3; n++) {
        assert_int_equal(sigaction(SIGSEGV, &action, n ? NULL : &old), 0);
        mend_one(*state);
        seen = NULL;
        if (sigsetjmp(back, 1) == 0)
            *(volatile uint8_t *)bad = 1;
        assert_ptr_equal(seen, bad);
        struct sigaction now;
        assert_int_equal(sigaction(SIGSEGV, NULL, &now), 0);
        assert_ptr_equal(now.sa_sigaction, jump_back);
    }
    assert_int_equal(sigaction(SIGSEGV, &old, NULL), 0);
    munmap(bad, PAGE);
}

static void other_signals_are_not_forwarded(void **state)
{
    struct sigaction action = {.sa_handler = SIG_IGN}, now;
    (void)state;
    assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
    assert_int_equal(sigaction(SIGUSR1, NULL, &now), 0);
    assert_ptr_equal(now.sa_handler, SIG_IGN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        MAKE_TEST(the_program_sees_its_own_handlers_and_the_guest_its_memory),
        MAKE_TEST(other_signals_are_not_forwarded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
