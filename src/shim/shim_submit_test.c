/* shim_submit_test: submissions, what they wait for and what they signal, driven as a driver does. */
#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include "shim/shim_testing.h"

static void a_submission_writes_memory_and_its_number_can_be_waited_for(void **state)
{
    struct client *client = *state;
    struct client_buffer commands = client_buffer(client, 4096), data = client_buffer(client, 4096);
    uint32_t words = (uint32_t)(client_write(commands.words, data.address + 16, 0x1234) - commands.words);
    assert_int_equal(client_submit(client, &commands, words, NULL), 1);
    assert_true(client_finish(client, AMDGPU_HW_IP_GFX, 0, 1));
    assert_int_equal(data.words[4], 0x1234);
    assert_int_equal(client_submit(client, &commands, words, NULL), 2);
    assert_true(client_finish(client, AMDGPU_HW_IP_GFX, 0, UINT64_MAX));
    assert_true(client_finish(client, AMDGPU_HW_IP_GFX, 0, 0));
}

static void waiting_for_a_number_that_was_never_given_is_refused(void **state)
{
    struct client *client = *state;
    union drm_amdgpu_wait_cs call = {.in = {.handle = 1, .ctx_id = client->context}};
    assert_int_equal(client_ioctl(client, DRM_IOCTL_AMDGPU_WAIT_CS, &call), -EINVAL);
    call.in = (struct drm_amdgpu_wait_cs_in){.handle = 1, .ctx_id = 77};
    assert_int_equal(client_ioctl(client, DRM_IOCTL_AMDGPU_WAIT_CS, &call), -EINVAL);
}

static void a_submission_that_waits_for_memory_is_busy_until_the_program_writes_it(void **state)
{
    struct client *client = *state;
    struct client_buffer commands = client_buffer(client, 4096), data = client_buffer(client, 4096);
    uint32_t words = (uint32_t)(client_wait(commands.words, data.address, 7) - commands.words);
    assert_int_equal(client_submit(client, &commands, words, NULL), 1);
    union drm_amdgpu_wait_cs call = {.in = {.handle = 1, .timeout = shim_deadline_after(30), .ctx_id = client->context}};
    assert_int_equal(client_ioctl(client, DRM_IOCTL_AMDGPU_WAIT_CS, &call), 0);
    assert_int_equal(call.out.status, 1);
    union drm_amdgpu_gem_wait_idle idle = {.in = {.handle = commands.handle, .timeout = 0}};
    assert_int_equal(client_ioctl(client, DRM_IOCTL_AMDGPU_GEM_WAIT_IDLE, &idle), 0);
    assert_int_equal(idle.out.status, 1);
    __atomic_store_n(&data.words[0], 7, __ATOMIC_SEQ_CST);
    assert_true(client_finish(client, AMDGPU_HW_IP_GFX, 0, 1));
    idle.in = (struct drm_amdgpu_gem_wait_idle_in){.handle = commands.handle, .timeout = 0};
    assert_int_equal(client_ioctl(client, DRM_IOCTL_AMDGPU_GEM_WAIT_IDLE, &idle), 0);
    assert_int_equal(idle.out.status, 0);
    assert_int_equal(idle.out.domain, AMDGPU_GEM_DOMAIN_VRAM);
}

static void the_user_fence_gets_the_number_also_in_a_buffer_that_the_guest_cannot_see(void **state)
{
    struct client *client = *state;
    struct client_buffer commands = client_buffer(client, 4096), seen = client_buffer(client, 4096);
    uint32_t unseen = client_create(client, 4096, 0),
             words = (uint32_t)(client_write(commands.words, seen.address, 1) - commands.words);
    int error;
    struct drm_amdgpu_cs_chunk_fence fence = {seen.handle, 64};
    struct drm_amdgpu_cs_chunk chunk = {AMDGPU_CHUNK_ID_FENCE, sizeof fence / 4, (uintptr_t)&fence};
    struct client_submit more = {.chunks = &chunk, .chunk_count = 1};
    assert_int_equal(client_submit(client, &commands, words, &more), 1);
    assert_true(client_finish(client, AMDGPU_HW_IP_GFX, 0, 1));
    assert_int_equal(seen.words[16], 1);
    fence = (struct drm_amdgpu_cs_chunk_fence){unseen, 8};
    assert_int_equal(client_submit(client, &commands, words, &more), 2);
    assert_true(client_finish(client, AMDGPU_HW_IP_GFX, 0, 2));
    assert_true(shim_device_drain(client->device, 1000));
    uint32_t *view = shim_view_map(client->device, NULL, 4096, PROT_READ, MAP_SHARED, (uint64_t)unseen << SHIM_MAP_SHIFT, &error);
    for (unsigned n = 0; n < 1000 && !__atomic_load_n(&view[2], __ATOMIC_SEQ_CST); n++)
        usleep(1000);
    assert_int_equal(view[2], 2);
    fence.offset = 4092;
    assert_int_equal(client_submit(client, &commands, words, &more), -EINVAL);
    fence = (struct drm_amdgpu_cs_chunk_fence){99, 0};
    assert_int_equal(client_submit(client, &commands, words, &more), -ENOENT);
}

static void a_submission_waits_for_another_ring_and_for_sync_objects(void **state)
{
    struct client *client = *state;
    struct client_buffer first = client_buffer(client, 4096), second = client_buffer(client, 4096),
                         data = client_buffer(client, 4096);
    uint32_t *end = client_write(client_wait(first.words, data.address, 1), data.address + 4, 10);
    uint32_t out = client_syncobj(client, 0);
    struct drm_amdgpu_cs_chunk_sem signal = {out};
    struct drm_amdgpu_cs_chunk chunk = {AMDGPU_CHUNK_ID_SYNCOBJ_OUT, 1, (uintptr_t)&signal};
    assert_int_equal(
        client_submit(client, &first, (uint32_t)(end - first.words), &(struct client_submit){AMDGPU_HW_IP_COMPUTE, 1, &chunk, 1}),
        1);
    /* The graphics ring's submission overwrites what the compute ring's has written: after it, or the value is wrong. */
    end = client_write(second.words, data.address + 4, 20);
    struct drm_amdgpu_cs_chunk_dep dependency = {AMDGPU_HW_IP_COMPUTE, 0, 1, client->context, 1};
    struct drm_amdgpu_cs_chunk chunks[] = {{AMDGPU_CHUNK_ID_DEPENDENCIES, sizeof dependency / 4, (uintptr_t)&dependency},
                                           {AMDGPU_CHUNK_ID_SYNCOBJ_IN, 1, (uintptr_t)&signal}};
    assert_int_equal(
        client_submit(client, &second, (uint32_t)(end - second.words), &(struct client_submit){AMDGPU_HW_IP_GFX, 0, chunks, 2}),
        1);
    assert_int_equal(client_wait_syncobj(client, out, 0, 0, 20), -ETIME);
    __atomic_store_n(&data.words[0], 1, __ATOMIC_SEQ_CST);
    assert_true(client_finish(client, AMDGPU_HW_IP_GFX, 0, 1));
    assert_int_equal(client_wait_syncobj(client, out, 0, 0, 0), 0);
    assert_int_equal(data.words[1], 20);
}

static void timeline_points_are_signalled_and_waited_for(void **state)
{
    struct client *client = *state;
    struct client_buffer commands = client_buffer(client, 4096), data = client_buffer(client, 4096);
    uint32_t timeline = client_syncobj(client, 0);
    uint32_t words = (uint32_t)(client_wait(commands.words, data.address, 1) - commands.words);
    struct drm_amdgpu_cs_chunk_syncobj signal = {timeline, 0, 5};
    struct drm_amdgpu_cs_chunk chunk = {AMDGPU_CHUNK_ID_SYNCOBJ_TIMELINE_SIGNAL, sizeof signal / 4, (uintptr_t)&signal};
    assert_int_equal(client_submit(client, &commands, words, &(struct client_submit){AMDGPU_HW_IP_GFX, 0, &chunk, 1}), 1);
    uint64_t point = 99;
    struct drm_syncobj_timeline_array query = {.handles = (uintptr_t)&timeline, .points = (uintptr_t)&point, .count_handles = 1};
    assert_int_equal(client_ioctl(client, DRM_IOCTL_SYNCOBJ_QUERY, &query), 0);
    assert_int_equal(point, 0);
    query.flags = DRM_SYNCOBJ_QUERY_FLAGS_LAST_SUBMITTED;
    assert_int_equal(client_ioctl(client, DRM_IOCTL_SYNCOBJ_QUERY, &query), 0);
    assert_int_equal(point, 5);
    assert_int_equal(client_wait_syncobj(client, timeline, 3, 0, 10), -ETIME);
    assert_int_equal(client_wait_syncobj(client, timeline, 5, DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE, 1000), 0);
    assert_int_equal(client_wait_syncobj(client, timeline, 6, 0, 10), -EINVAL);
    assert_int_equal(client_wait_syncobj(client, timeline, 6, DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT, 10), -ETIME);
    __atomic_store_n(&data.words[0], 1, __ATOMIC_SEQ_CST);
    assert_int_equal(client_wait_syncobj(client, timeline, 5, 0, 20000), 0);
    query.flags = 0;
    assert_int_equal(client_ioctl(client, DRM_IOCTL_SYNCOBJ_QUERY, &query), 0);
    assert_int_equal(point, 5);
}

static void what_is_no_packet_loses_the_context_and_no_other(void **state)
{
    struct client *client = *state;
    struct client_buffer commands = client_buffer(client, 4096), data = client_buffer(client, 4096);
    union drm_amdgpu_ctx query = {.in = {.op = AMDGPU_CTX_OP_QUERY_STATE2, .ctx_id = client->context}};
    commands.words[0] = UINT32_C(1) << 30; /* type 1: there is none */
    assert_int_equal(client_submit(client, &commands, 1, NULL), 1);
    assert_true(client_finish(client, AMDGPU_HW_IP_GFX, 0, 1));
    assert_int_equal(client_ioctl(client, DRM_IOCTL_AMDGPU_CTX, &query), 0);
    assert_int_equal(query.out.state.flags, AMDGPU_CTX_QUERY2_FLAGS_RESET | AMDGPU_CTX_QUERY2_FLAGS_GUILTY);
    uint32_t words = (uint32_t)(client_write(commands.words, data.address, 3) - commands.words);
    assert_int_equal(client_submit(client, &commands, words, NULL), -ECANCELED);
    query = (union drm_amdgpu_ctx){.in.op = AMDGPU_CTX_OP_ALLOC_CTX};
    assert_int_equal(client_ioctl(client, DRM_IOCTL_AMDGPU_CTX, &query), 0);
    client->context = query.out.alloc.ctx_id;
    assert_int_equal(client_submit(client, &commands, words, NULL), 1);
    assert_true(client_finish(client, AMDGPU_HW_IP_GFX, 0, 1));
    assert_int_equal(data.words[0], 3);
    assert_true(shim_report_failed(client->device));
}

static void a_buffer_closed_while_a_submission_uses_it_lives_until_that_ends(void **state)
{
    struct client *client = *state;
    struct client_buffer commands = client_buffer(client, 4096), data = client_buffer(client, 4096);
    uint32_t *end = client_wait(commands.words, data.address, 1);
    end = client_write(end, data.address + 4, 77);
    uint32_t words = (uint32_t)(end - commands.words);
    assert_int_equal(client_submit(client, &commands, words, NULL), 1);
    client_close(client, &commands);
    /* New buffers that would get its memory, were it given back, are filled with what is no packet. */
    for (unsigned n = 0; n < 4; n++) {
        struct client_buffer other = client_buffer(client, 4096);
        for (unsigned w = 0; w < 1024; w++)
            other.words[w] = UINT32_C(1) << 30;
    }
    __atomic_store_n(&data.words[0], 1, __ATOMIC_SEQ_CST);
    assert_true(client_finish(client, AMDGPU_HW_IP_GFX, 0, 1));
    assert_int_equal(data.words[1], 77);
    assert_false(shim_report_failed(client->device));
}

static void fences_are_waited_for_in_lists_and_become_handles(void **state)
{
    struct client *client = *state;
    struct client_buffer commands = client_buffer(client, 4096), data = client_buffer(client, 4096),
                         blocked = client_buffer(client, 4096);
    uint32_t words = (uint32_t)(client_write(commands.words, data.address + 4, 1) - commands.words);
    uint32_t wait_words = (uint32_t)(client_wait(blocked.words, data.address, 1) - blocked.words);
    assert_int_equal(client_submit(client, &blocked, wait_words, &(struct client_submit){.kind = AMDGPU_HW_IP_COMPUTE}), 1);
    assert_int_equal(client_submit(client, &commands, words, NULL), 1);
    struct drm_amdgpu_fence fences[2] = {{client->context, AMDGPU_HW_IP_COMPUTE, 0, 0, 1},
                                         {client->context, AMDGPU_HW_IP_GFX, 0, 0, 1}};
    union drm_amdgpu_wait_fences any = {.in = {(uintptr_t)fences, 2, 0, shim_deadline_after(20000)}};
    assert_int_equal(client_ioctl(client, DRM_IOCTL_AMDGPU_WAIT_FENCES, &any), 0);
    assert_int_equal(any.out.status, 1);
    assert_int_equal(any.out.first_signaled, 1);
    union drm_amdgpu_wait_fences all = {.in = {(uintptr_t)fences, 2, 1, shim_deadline_after(20)}};
    assert_int_equal(client_ioctl(client, DRM_IOCTL_AMDGPU_WAIT_FENCES, &all), 0);
    assert_int_equal(all.out.status, 0);
    union drm_amdgpu_fence_to_handle handle = {.in = {fences[0], AMDGPU_FENCE_TO_HANDLE_GET_SYNCOBJ, 0}};
    assert_int_equal(client_ioctl(client, DRM_IOCTL_AMDGPU_FENCE_TO_HANDLE, &handle), 0);
    uint32_t syncobj = handle.out.handle;
    assert_int_equal(client_wait_syncobj(client, syncobj, 0, 0, 10), -ETIME);
    __atomic_store_n(&data.words[0], 1, __ATOMIC_SEQ_CST);
    assert_int_equal(client_wait_syncobj(client, syncobj, 0, 0, 20000), 0);
}

/* -- many threads -- */

enum { THREADS = 4, ROUNDS = 200 };

struct worker {
    struct client client; /* a context of its own, the device shared */
    struct client_buffer commands, data;
    const char *complaint; /* NULL: none */
};

static const char *work_rounds(struct worker *worker)
{
    uint32_t timeline = client_syncobj(&worker->client, 0);
    for (uint32_t round = 1; round <= ROUNDS; round++) {
        uint32_t words = (uint32_t)(client_write(worker->commands.words, worker->data.address, round) - worker->commands.words);
        struct drm_amdgpu_cs_chunk_syncobj signal = {timeline, 0, round};
        struct drm_amdgpu_cs_chunk chunk = {AMDGPU_CHUNK_ID_SYNCOBJ_TIMELINE_SIGNAL, sizeof signal / 4, (uintptr_t)&signal};
        uint32_t extra = client_create(&worker->client, 8192, 0);
        if (client_submit(&worker->client, &worker->commands, words, &(struct client_submit){round % 2, 0, &chunk, 1}) < 1)
            return "a submission was refused";
        if (client_wait_syncobj(&worker->client, timeline, round, DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT, 20000))
            return "a wait failed";
        if (worker->data.words[0] != round)
            return "memory has another value";
        client_ioctl(&worker->client, DRM_IOCTL_GEM_CLOSE, &(struct drm_gem_close){extra, 0});
    }
    return NULL;
}

static void *work(void *of)
{
    struct worker *worker = of;
    worker->complaint = work_rounds(worker);
    return NULL;
}

static void threads_with_contexts_of_their_own_do_not_disturb_each_other(void **state)
{
    struct client *client = *state;
    struct worker workers[THREADS];
    pthread_t threads[THREADS];
    for (unsigned n = 0; n < THREADS; n++) {
        union drm_amdgpu_ctx context = {.in.op = AMDGPU_CTX_OP_ALLOC_CTX};
        assert_int_equal(client_ioctl(client, DRM_IOCTL_AMDGPU_CTX, &context), 0);
        workers[n] = (struct worker){.commands = client_buffer(client, 4096), .data = client_buffer(client, 4096)};
        workers[n].client = (struct client){client->device, context.out.alloc.ctx_id, 0};
        pthread_create(&threads[n], NULL, work, &workers[n]);
    }
    for (unsigned n = 0; n < THREADS; n++) {
        pthread_join(threads[n], NULL);
        if (workers[n].complaint)
            fail_msg("%s", workers[n].complaint);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, client_setup, client_teardown)
    const struct CMUnitTest tests[] = {
        TEST(a_submission_writes_memory_and_its_number_can_be_waited_for),
        TEST(waiting_for_a_number_that_was_never_given_is_refused),
        TEST(a_submission_that_waits_for_memory_is_busy_until_the_program_writes_it),
        TEST(the_user_fence_gets_the_number_also_in_a_buffer_that_the_guest_cannot_see),
        TEST(a_submission_waits_for_another_ring_and_for_sync_objects),
        TEST(timeline_points_are_signalled_and_waited_for),
        TEST(what_is_no_packet_loses_the_context_and_no_other),
        TEST(a_buffer_closed_while_a_submission_uses_it_lives_until_that_ends),
        TEST(fences_are_waited_for_in_lists_and_become_handles),
        TEST(threads_with_contexts_of_their_own_do_not_disturb_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
