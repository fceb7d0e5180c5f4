/* shim_sync_test: sync objects and sync files, within a process. */
#include <errno.h>
#include <linux/sync_file.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "shim/shim_syncfile.h"
#include "shim/shim_testing.h"

/* A submission that ends when the program writes 1 to *word. */
struct blocked {
    struct client_buffer commands, data;
    int64_t sequence;
};

static struct blocked block(struct client *client, uint32_t syncobj, uint64_t point)
{
    struct blocked blocked = {client_buffer(client, 4096), client_buffer(client, 4096), 0};
    uint32_t words = (uint32_t)(client_wait(blocked.commands.words, blocked.data.address, 1) - blocked.commands.words);
    struct drm_amdgpu_cs_chunk_syncobj signal = {syncobj, 0, point};
    struct drm_amdgpu_cs_chunk chunk = {AMDGPU_CHUNK_ID_SYNCOBJ_TIMELINE_SIGNAL, sizeof signal / 4, (uintptr_t)&signal};
    blocked.sequence =
        client_submit(client, &blocked.commands, words, &(struct client_submit){AMDGPU_HW_IP_COMPUTE, 0, &chunk, 1});
    assert_true(blocked.sequence > 0);
    return blocked;
}

static void unblock(const struct blocked *blocked)
{
    __atomic_store_n(&blocked->data.words[0], 1, __ATOMIC_SEQ_CST);
}

static int set(struct client *client, unsigned long request, uint32_t handle)
{
    struct drm_syncobj_array call = {.handles = (uintptr_t)&handle, .count_handles = 1};
    return client_ioctl(client, request, &call);
}

static int signal_point(struct client *client, uint32_t handle, uint64_t point)
{
    struct drm_syncobj_timeline_array call = {.handles = (uintptr_t)&handle, .points = (uintptr_t)&point, .count_handles = 1};
    return client_ioctl(client, DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL, &call);
}

static uint64_t reached(struct client *client, uint32_t handle)
{
    uint64_t point = 12345;
    struct drm_syncobj_timeline_array call = {.handles = (uintptr_t)&handle, .points = (uintptr_t)&point, .count_handles = 1};
    assert_int_equal(client_ioctl(client, DRM_IOCTL_SYNCOBJ_QUERY, &call), 0);
    return point;
}

static int export_file(struct client *client, uint32_t handle)
{
    struct drm_syncobj_handle call = {handle, DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE, -1, 0};
    int problem = client_ioctl(client, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &call);
    return problem ? problem : call.fd;
}

static int import_file(struct client *client, uint32_t handle, int descriptor)
{
    struct drm_syncobj_handle call = {handle, DRM_SYNCOBJ_FD_TO_HANDLE_FLAGS_IMPORT_SYNC_FILE, descriptor, 0};
    return client_ioctl(client, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &call);
}

static bool is_readable(int descriptor, int milliseconds)
{
    struct pollfd polled = {descriptor, POLLIN, 0};
    return poll(&polled, 1, milliseconds) == 1 && polled.revents & POLLIN;
}

static void an_object_is_empty_signalled_reset(void **state)
{
    struct client *client = *state;
    uint32_t empty = client_syncobj(client, 0), full = client_syncobj(client, DRM_SYNCOBJ_CREATE_SIGNALED);
    assert_int_equal(client_wait_syncobj(client, empty, 0, 0, 0), -EINVAL);
    assert_int_equal(client_wait_syncobj(client, empty, 0, DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT, 5), -ETIME);
    assert_int_equal(client_wait_syncobj(client, full, 0, 0, 0), 0);
    assert_int_equal(set(client, DRM_IOCTL_SYNCOBJ_RESET, full), 0);
    assert_int_equal(client_wait_syncobj(client, full, 0, 0, 0), -EINVAL);
    assert_int_equal(set(client, DRM_IOCTL_SYNCOBJ_SIGNAL, empty), 0);
    assert_int_equal(client_wait_syncobj(client, empty, 0, 0, 0), 0);
    struct drm_syncobj_destroy destroy = {.handle = empty};
    assert_int_equal(client_ioctl(client, DRM_IOCTL_SYNCOBJ_DESTROY, &destroy), 0);
    assert_int_equal(client_ioctl(client, DRM_IOCTL_SYNCOBJ_DESTROY, &destroy), -EINVAL);
    assert_int_equal(client_wait_syncobj(client, empty, 0, 0, 0), -ENOENT);
}

static void a_timeline_goes_forward_in_order(void **state)
{
    struct client *client = *state;
    uint32_t timeline = client_syncobj(client, 0);
    assert_int_equal(reached(client, timeline), 0);
    assert_int_equal(signal_point(client, timeline, 4), 0);
    assert_int_equal(reached(client, timeline), 4);
    assert_int_equal(client_wait_syncobj(client, timeline, 3, 0, 0), 0);
    struct blocked first = block(client, timeline, 6);
    assert_int_equal(signal_point(client, timeline, 8), 0);
    /* 8 is signalled, but not reached: 6 is still on its way. */
    assert_int_equal(reached(client, timeline), 4);
    assert_int_equal(client_wait_syncobj(client, timeline, 8, 0, 10), -ETIME);
    assert_int_equal(client_wait_syncobj(client, timeline, 4, 0, 0), 0);
    unblock(&first);
    assert_int_equal(client_wait_syncobj(client, timeline, 8, 0, 20000), 0);
    assert_int_equal(reached(client, timeline), 8);
    /* A plain signal replaces the timeline. */
    assert_int_equal(set(client, DRM_IOCTL_SYNCOBJ_SIGNAL, timeline), 0);
    assert_int_equal(reached(client, timeline), 0);
}

static void waiting_for_any_tells_which(void **state)
{
    struct client *client = *state;
    uint32_t handles[3] = {client_syncobj(client, 0), client_syncobj(client, 0),
                           client_syncobj(client, DRM_SYNCOBJ_CREATE_SIGNALED)};
    struct drm_syncobj_wait call = {.handles = (uintptr_t)handles,
                                    .count_handles = 3,
                                    .flags = DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT,
                                    .timeout_nsec = (int64_t)shim_deadline_after(1000)};
    assert_int_equal(client_ioctl(client, DRM_IOCTL_SYNCOBJ_WAIT, &call), 0);
    assert_int_equal(call.first_signaled, 2);
    call.flags |= DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL;
    call.timeout_nsec = (int64_t)shim_deadline_after(10);
    assert_int_equal(client_ioctl(client, DRM_IOCTL_SYNCOBJ_WAIT, &call), -ETIME);
}

struct late {
    struct client *client;
    uint32_t handles[2];
};

static void *signal_late(void *of)
{
    struct late *late = of;
    for (unsigned n = 0; n < 2; n++) {
        usleep(10000);
        signal_point(late->client, late->handles[n], 7);
    }
    return NULL;
}

static void a_wait_for_all_sees_what_is_submitted_later(void **state)
{
    struct client *client = *state;
    struct late late = {client, {client_syncobj(client, 0), client_syncobj(client, 0)}};
    uint64_t points[2] = {7, 5};
    pthread_t thread;
    struct drm_syncobj_timeline_wait call = {.handles = (uintptr_t)late.handles,
                                             .points = (uintptr_t)points,
                                             .count_handles = 2,
                                             .flags = DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT | DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL,
                                             .timeout_nsec = (int64_t)shim_deadline_after(20000)};
    pthread_create(&thread, NULL, signal_late, &late);
    assert_int_equal(client_ioctl(client, DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, &call), 0);
    pthread_join(thread, NULL);
}

static void transfers_copy_what_a_point_stands_for(void **state)
{
    struct client *client = *state;
    uint32_t timeline = client_syncobj(client, 0), plain = client_syncobj(client, 0);
    struct blocked blocked = block(client, timeline, 3);
    struct drm_syncobj_transfer call = {timeline, plain, 2, 0, 0, 0};
    assert_int_equal(client_ioctl(client, DRM_IOCTL_SYNCOBJ_TRANSFER, &call), 0);
    assert_int_equal(client_wait_syncobj(client, plain, 0, 0, 10), -ETIME);
    call = (struct drm_syncobj_transfer){timeline, plain, 9, 0, 0, 0};
    assert_int_equal(client_ioctl(client, DRM_IOCTL_SYNCOBJ_TRANSFER, &call), -EINVAL);
    unblock(&blocked);
    assert_int_equal(client_wait_syncobj(client, plain, 0, 0, 20000), 0);
    call = (struct drm_syncobj_transfer){plain, timeline, 0, 20, 0, 0};
    assert_int_equal(client_ioctl(client, DRM_IOCTL_SYNCOBJ_TRANSFER, &call), 0);
    assert_int_equal(reached(client, timeline), 20);
}

static void a_sync_file_becomes_readable_and_can_be_imported_and_merged(void **state)
{
    struct client *client = *state;
    uint32_t source = client_syncobj(client, 0), copy = client_syncobj(client, 0),
             full = client_syncobj(client, DRM_SYNCOBJ_CREATE_SIGNALED);
    assert_int_equal(export_file(client, source), -EINVAL);
    struct blocked blocked = block(client, source, 0);
    int file = export_file(client, source), ended = export_file(client, full);
    assert_true(file >= 0 && ended >= 0);
    assert_false(is_readable(file, 0));
    assert_true(is_readable(ended, 0));
    assert_int_equal(import_file(client, copy, file), 0);
    assert_int_equal(client_wait_syncobj(client, copy, 0, 0, 10), -ETIME);
    struct sync_merge_data merge = {.name = "both", .fd2 = ended};
    assert_int_equal(shim_syncfile_ioctl(client->device, file, SYNC_IOC_MERGE, &merge), 0);
    struct sync_fence_info fence = {.status = 9};
    struct sync_file_info info = {.num_fences = 1, .sync_fence_info = (uintptr_t)&fence};
    assert_int_equal(shim_syncfile_ioctl(client->device, merge.fence, SYNC_IOC_FILE_INFO, &info), 0);
    assert_int_equal(info.status, 0);
    assert_int_equal(fence.status, 0);
    assert_false(is_readable(merge.fence, 0));
    unblock(&blocked);
    assert_true(is_readable(file, 20000));
    assert_true(is_readable(merge.fence, 20000));
    assert_int_equal(client_wait_syncobj(client, copy, 0, 0, 20000), 0);
    assert_int_equal(shim_syncfile_ioctl(client->device, merge.fence, SYNC_IOC_FILE_INFO, &info), 0);
    assert_int_equal(info.status, 1);
    close(file);
    close(ended);
    close(merge.fence);
}

static void what_is_no_sync_file_is_refused(void **state)
{
    struct client *client = *state;
    uint32_t object = client_syncobj(client, 0);
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(import_file(client, object, ends[0]), -EINVAL);
    assert_int_equal(import_file(client, object, -1), -EINVAL);
    assert_int_equal(import_file(client, object, 4000), -EINVAL);
    assert_int_equal(shim_syncfile_ioctl(client->device, ends[0], SYNC_IOC_FILE_INFO, NULL), -ENOTTY);
    close(ends[0]);
    close(ends[1]);
}

static void an_exported_object_is_the_same_object_under_another_handle(void **state)
{
    struct client *client = *state;
    uint32_t object = client_syncobj(client, 0);
    struct blocked blocked = block(client, object, 5);
    struct drm_syncobj_handle out = {object, 0, -1, 0};
    assert_int_equal(client_ioctl(client, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &out), 0);
    struct drm_syncobj_handle in = {.fd = out.fd};
    assert_int_equal(client_ioctl(client, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &in), 0);
    assert_int_not_equal(in.handle, object);
    assert_int_equal(client_wait_syncobj(client, in.handle, 5, 0, 10), -ETIME);
    assert_int_equal(reached(client, in.handle), 0);
    unblock(&blocked);
    assert_int_equal(client_wait_syncobj(client, in.handle, 5, 0, 20000), 0);
    assert_int_equal(reached(client, in.handle), 5);
    assert_int_equal(signal_point(client, in.handle, 9), 0);
    assert_int_equal(reached(client, object), 9);
    assert_int_equal(client_wait_syncobj(client, object, 9, 0, 0), 0);
    assert_int_equal(client_wait_syncobj(client, object, 10, DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT, 10), -ETIME);
    assert_int_equal(set(client, DRM_IOCTL_SYNCOBJ_RESET, object), 0);
    assert_int_equal(client_wait_syncobj(client, in.handle, 0, 0, 0), -EINVAL);
    /* More moments than the shared page has places. */
    for (uint64_t point = 1; point <= 100; point++)
        assert_int_equal(signal_point(client, object, point), 0);
    assert_int_equal(reached(client, in.handle), 100);
    assert_int_equal(client_wait_syncobj(client, in.handle, 50, 0, 0), 0);
    close(out.fd);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, client_setup, client_teardown)
    const struct CMUnitTest tests[] = {
        TEST(an_object_is_empty_signalled_reset),
        TEST(a_timeline_goes_forward_in_order),
        TEST(waiting_for_any_tells_which),
        TEST(a_wait_for_all_sees_what_is_submitted_later),
        TEST(transfers_copy_what_a_point_stands_for),
        TEST(a_sync_file_becomes_readable_and_can_be_imported_and_merged),
        TEST(what_is_no_sync_file_is_refused),
        TEST(an_exported_object_is_the_same_object_under_another_handle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
