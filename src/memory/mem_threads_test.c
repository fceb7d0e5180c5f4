/* mem_threads_test: mapping, unmapping, work and looks from several threads at once, and what very many changes cost. */
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "memory/mem_testing.h"

enum { MAPPERS = 3, PLACES = 16, ROUNDS = 400, MANY = 5000, PAIRS = 20000 };

/* Mapper n works on places of its own; workers look at all. Page k of a place's file is full of n + 1, so that any byte tells who mapped it. */
struct shared {
    struct mem_space *space;
    uint64_t place;
    atomic_uint running;
    atomic_bool bad;
};

struct mapper {
    struct shared *shared;
    unsigned index;
};

static uint64_t place_of(const struct shared *shared, unsigned mapper, unsigned n)
{
    return shared->place + (mapper * PLACES + n) * 4 * PAGE;
}

static void *map_and_unmap(void *user)
{
    struct mapper *mapper = user;
    struct shared *shared = mapper->shared;
    unsigned seed = mapper->index;
    uint8_t bytes[PAGE];
    int file = memfd_create("shared", MFD_CLOEXEC);
    memset(bytes, (int)mapper->index + 1, sizeof bytes);
    for (unsigned n = 0; n < 4; n++)
        shared->bad |= pwrite(file, bytes, sizeof bytes, (off_t)(n * PAGE)) != PAGE;
    for (unsigned n = 0; n < ROUNDS; n++) {
        uint64_t at = place_of(shared, mapper->index, (unsigned)rand_r(&seed) % PLACES), address;
        unsigned how = (unsigned)rand_r(&seed) % 4;
        bool done = true;
        if (how == 0)
            done = mem_space_clear(shared->space, at + PAGE, 2 * PAGE, NULL) == MEM_CHANGED;
        else if (how == 1)
            done = mem_space_alloc(shared->space, PAGE, 1, NULL, 0, &address, NULL) &&
                   mem_space_unmap(shared->space, address, NULL, NULL);
        else
            done =
                mem_space_map_file(shared->space, at, file, 0, 4 * PAGE, MEM_MAP_REPLACE | MEM_MAP_WRITABLE, NULL) == MEM_CHANGED;
        if (!done)
            shared->bad = true;
    }
    close(file);
    shared->running--;
    return NULL;
}

/* A submission: what it sees must hold from its beginning to its end. */
static void work_once(struct shared *shared, unsigned *seed)
{
    struct mem_snapshot *snapshot = mem_snapshot_acquire(shared->space);
    if (!mem_snapshot_settle(snapshot))
        shared->bad = true;
    for (unsigned n = 0; n < 32; n++) {
        unsigned mapper = (unsigned)rand_r(seed) % MAPPERS;
        uint64_t at = place_of(shared, mapper, (unsigned)rand_r(seed) % PLACES) + (unsigned)rand_r(seed) % (4 * PAGE);
        struct mem_run run;
        uint8_t byte = 0;
        enum mem_outcome outcome = mem_snapshot_lookup(snapshot, at, &run);
        if (outcome == MEM_UNMAPPED)
            continue;
        if (outcome != MEM_DONE || run.host[at - run.start] != mapper + 1)
            shared->bad = true;
        if (mem_snapshot_read(snapshot, at, &byte, 1, NULL) != MEM_DONE || byte != mapper + 1)
            shared->bad = true;
    }
    mem_snapshot_release(snapshot);
}

static void *work(void *user)
{
    struct shared *shared = user;
    unsigned seed = 99;
    while (shared->running)
        work_once(shared, &seed);
    return NULL;
}

/* The program itself, which reads through the space. */
static void *look(void *user)
{
    struct shared *shared = user;
    unsigned seed = 77;
    while (shared->running) {
        unsigned mapper = (unsigned)rand_r(&seed) % MAPPERS;
        int byte = testing_byte(shared->space, place_of(shared, mapper, (unsigned)rand_r(&seed) % PLACES));
        if (byte != -1 && byte != (int)mapper + 1)
            shared->bad = true;
    }
    return NULL;
}

static void work_sees_what_was_mapped_when_it_began_whatever_others_map(void **state)
{
    struct shared shared = {.space = *state, .place = testing_place(*state), .running = MAPPERS};
    struct mapper mappers[MAPPERS];
    pthread_t threads[MAPPERS + 3];
    for (unsigned n = 0; n < MAPPERS; n++) {
        mappers[n] = (struct mapper){&shared, n};
        assert_int_equal(pthread_create(&threads[n], NULL, map_and_unmap, &mappers[n]), 0);
    }
    assert_int_equal(pthread_create(&threads[MAPPERS], NULL, work, &shared), 0);
    assert_int_equal(pthread_create(&threads[MAPPERS + 1], NULL, work, &shared), 0);
    assert_int_equal(pthread_create(&threads[MAPPERS + 2], NULL, look, &shared), 0);
    for (unsigned n = 0; n < MAPPERS + 3; n++)
        assert_int_equal(pthread_join(threads[n], NULL), 0);
    assert_false(shared.bad);
}

static void *fault_often(void *user)
{
    struct shared *shared = user;
    int file = testing_file(0, 0);
    uint64_t at = testing_high + (atomic_fetch_add(&shared->running, 1) << 30);
    for (unsigned n = 0; n < 200; n++) {
        if (mem_space_map_file(shared->space, at, file, 0, PAGE, MEM_MAP_WRITABLE, NULL) != MEM_CHANGED)
            shared->bad = true;
        struct mem_snapshot *snapshot = mem_snapshot_acquire(shared->space);
        struct mem_run run = {0};
        if (!mem_snapshot_find(snapshot, at, &run) || *(volatile uint8_t *)run.host != 0)
            shared->bad = true;
        mem_snapshot_release(snapshot);
        mem_space_unmap(shared->space, at, NULL, NULL);
    }
    close(file);
    return NULL;
}

static void faults_are_mended_on_all_threads(void **state)
{
    struct shared shared = {.space = *state};
    struct mem_faults faults;
    pthread_t threads[4];
    for (unsigned n = 0; n < 4; n++)
        assert_int_equal(pthread_create(&threads[n], NULL, fault_often, &shared), 0);
    for (unsigned n = 0; n < 4; n++)
        assert_int_equal(pthread_join(threads[n], NULL), 0);
    assert_false(shared.bad);
    mem_space_faults(*state, &faults);
    assert_int_equal(faults.count, 800);
}

static double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static void thousands_of_mappings_are_found_and_changed_quickly(void **state)
{
    uint64_t place = testing_place(*state);
    unsigned seed = 5;
    int file = testing_file(1, 1);
    double begin = now_us();
    for (unsigned n = 0; n < MANY; n++)
        testing_map(*state, place + ((uint64_t)n * 7919 % MANY) * 16 * PAGE, file, 1, 0);
    double mapped = now_us();
    struct mem_snapshot *snapshot = mem_snapshot_acquire(*state);
    struct mem_run run;
    for (unsigned n = 0; n < 1000000; n++)
        assert_true(mem_snapshot_find(snapshot, place + (uint64_t)((unsigned)rand_r(&seed) % MANY) * 16 * PAGE, &run));
    double found = now_us();
    mem_snapshot_release(snapshot);
    double pairs = now_us();
    for (unsigned n = 0; n < PAIRS; n++) {
        testing_map(*state, place + 8 * PAGE, file, 1, 0);
        assert_true(mem_space_unmap(*state, place + 8 * PAGE, NULL, NULL));
    }
    double done = now_us();
    print_message("%d mappings: %.1f us each; a look among them: %.0f ns; a map and unmap among them: %.1f us\n", MANY,
                  (mapped - begin) / MANY, (found - mapped) * 1e3 / 1e6, (done - pairs) / PAIRS);
    close(file);
}

static void changes_without_end_leave_nothing_behind(void **state)
{
    uint64_t place = testing_place(*state);
    int file = testing_file(1, 1);
    size_t in_use[2];
    unsigned mappings[2];
    for (unsigned round = 0; round < 2; round++) {
        for (unsigned n = 0; n < PAIRS; n++) {
            struct mem_snapshot *snapshot = mem_snapshot_acquire(*state);
            testing_map(*state, place + n % 64 * PAGE, file, 1, MEM_MAP_REPLACE);
            mem_snapshot_release(snapshot);
            if (n % 3 == 0)
                mem_space_clear(*state, place + n % 64 * PAGE, PAGE, NULL);
        }
        in_use[round] = mallinfo2().uordblks;
        mappings[round] = testing_file_mappings();
    }
    assert_int_equal(mappings[1], mappings[0]);
    assert_true(in_use[1] <= in_use[0] + 4096);
    close(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        MAKE_TEST(work_sees_what_was_mapped_when_it_began_whatever_others_map),
        MAKE_TEST(faults_are_mended_on_all_threads),
        MAKE_TEST(thousands_of_mappings_are_found_and_changed_quickly),
        MAKE_TEST(changes_without_end_leave_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
