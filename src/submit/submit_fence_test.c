/* Fences: states, waits for any and all with deadlines, callbacks, from several threads at once. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>

#include "submit/submit_fence.h"

static void end_and_release(struct submit_fence *fence, enum submit_fence_state state)
{
    submit_fence_end(fence, state);
    submit_fence_release(fence);
}

static void a_fence_ends_once(void **state)
{
    struct submit_fence *fence = submit_fence_create();
    (void)state;
    assert_int_equal(submit_fence_look(fence), SUBMIT_FENCE_PENDING);
    submit_fence_end(fence, SUBMIT_FENCE_PENDING);
    assert_int_equal(submit_fence_look(fence), SUBMIT_FENCE_PENDING);
    submit_fence_end(fence, SUBMIT_FENCE_LOST);
    submit_fence_end(fence, SUBMIT_FENCE_DONE);
    assert_int_equal(submit_fence_look(fence), SUBMIT_FENCE_LOST);
    submit_fence_release(fence);
}

static void a_deadline_of_zero_looks_once_and_others_are_kept(void **state)
{
    struct submit_fence *fences[2] = {submit_fence_create(), submit_fence_create()};
    size_t first = 9;
    (void)state;
    assert_false(submit_fence_wait(fences, 2, true, 0, NULL));
    assert_false(submit_fence_wait(fences, 2, false, 0, NULL));
    uint64_t start = submit_now();
    assert_false(submit_fence_wait(fences, 2, false, submit_deadline(20000000), NULL));
    assert_false(submit_fence_wait(fences, 1, true, submit_deadline(20000000), NULL));
    assert_true(submit_now() - start >= 40000000);
    submit_fence_end(fences[1], SUBMIT_FENCE_DONE);
    assert_true(submit_fence_wait(fences, 2, false, 0, &first));
    assert_int_equal(first, 1);
    assert_false(submit_fence_wait(fences, 2, true, 0, NULL));
    submit_fence_end(fences[0], SUBMIT_FENCE_DONE);
    assert_true(submit_fence_wait(fences, 2, true, 0, &first));
    submit_fence_release(fences[0]);
    submit_fence_release(fences[1]);
}

enum { MANY = 20 };

static void *end_one_later(void *user)
{
    usleep(20000);
    submit_fence_end(user, SUBMIT_FENCE_DONE);
    return NULL;
}

static void a_wait_for_any_of_many_wakes_for_one(void **state)
{
    struct submit_fence *fences[MANY];
    pthread_t thread;
    size_t first = 0;
    (void)state;
    for (size_t n = 0; n < MANY; n++)
        fences[n] = submit_fence_create();
    pthread_create(&thread, NULL, end_one_later, fences[13]);
    assert_true(submit_fence_wait(fences, MANY, false, SUBMIT_FOREVER, &first));
    assert_int_equal(first, 13);
    pthread_join(thread, NULL);
    for (size_t n = 0; n < MANY; n++)
        submit_fence_release(fences[n]);
}

struct calls {
    unsigned count;
    enum submit_fence_state state;
    char order[8];
};

static void note_first(void *user, enum submit_fence_state state)
{
    struct calls *calls = user;
    calls->order[calls->count++] = '1';
    calls->state = state;
}

static void note_second(void *user, enum submit_fence_state state)
{
    struct calls *calls = user;
    calls->order[calls->count++] = '2';
    calls->state = state;
}

static void callbacks_come_once_in_order_or_at_once(void **state)
{
    struct submit_fence *fence = submit_fence_create();
    struct calls calls = {0};
    (void)state;
    assert_true(submit_fence_notify(fence, note_first, &calls));
    assert_true(submit_fence_notify(fence, note_second, &calls));
    assert_int_equal(calls.count, 0);
    submit_fence_end(fence, SUBMIT_FENCE_LOST);
    submit_fence_end(fence, SUBMIT_FENCE_DONE);
    assert_int_equal(calls.count, 2);
    assert_int_equal(calls.state, SUBMIT_FENCE_LOST);
    assert_true(submit_fence_notify(fence, note_first, &calls));
    assert_string_equal(calls.order, "121");
    submit_fence_release(fence);
}

/* A waiter may drop the last reference the moment that it sees the end. */
static void *wait_and_release(void *user)
{
    struct submit_fence *fence = user;
    submit_fence_wait(&fence, 1, true, SUBMIT_FOREVER, NULL);
    submit_fence_release(fence);
    return NULL;
}

static void *listen_and_release(void *user)
{
    struct submit_fence *fence = user, *never = submit_fence_create(), *both[2] = {never, fence};
    submit_fence_wait(both, 2, false, SUBMIT_FOREVER, NULL);
    submit_fence_release(fence);
    submit_fence_release(never);
    return NULL;
}

static void waiters_and_enders_race_in_peace(void **state)
{
    enum { ROUNDS = 300, WAITERS = 4 };
    (void)state;
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct submit_fence *fence = submit_fence_create();
        pthread_t threads[WAITERS];
        for (unsigned n = 0; n < WAITERS; n++)
            pthread_create(&threads[n], NULL, n % 2 ? listen_and_release : wait_and_release, submit_fence_retain(fence));
        if (round % 3 == 0)
            usleep(100);
        end_and_release(fence, SUBMIT_FENCE_DONE);
        for (unsigned n = 0; n < WAITERS; n++)
            pthread_join(threads[n], NULL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fence_ends_once),
        cmocka_unit_test(a_deadline_of_zero_looks_once_and_others_are_kept),
        cmocka_unit_test(a_wait_for_any_of_many_wakes_for_one),
        cmocka_unit_test(callbacks_come_once_in_order_or_at_once),
        cmocka_unit_test(waiters_and_enders_race_in_peace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
