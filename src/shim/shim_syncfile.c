/* shim_syncfile: sync files: descriptors that stand for a fence, in any process, and become readable when it has ended.
 *
 * A sync file is one end of a pair of sockets. The process whose work it stands for keeps the other end, and closes it when the
 * work has ended; when that process dies, the kernel does. A receive time-out that nobody else asks for marks the end that is
 * given away. */
#include <errno.h>
#include <linux/sync_file.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "shim/shim_copy.h"
#include "shim/shim_syncfile.h"
#include "shim/shim_watch.h"

enum { MARK_SECONDS = 1010101 };

/* The end that is kept, as the fence's callback gets it. */
struct kept {
    int descriptor;
    struct base_identity identity;
};

static void close_kept(void *user, enum tf_fence_state state)
{
    struct kept *kept = user;
    (void)state;
    base_descriptor_close(kept->descriptor, kept->identity);
    free(kept);
}

int shim_syncfile_create(struct tf_fence *fence)
{
    struct timeval mark = {.tv_sec = MARK_SECONDS};
    struct kept *kept = malloc(sizeof *kept);
    int ends[2];
    if (!kept || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) {
        int problem = kept ? errno : ENOMEM;
        free(kept);
        return -problem;
    }
    setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &mark, sizeof mark);
    kept->descriptor = base_descriptor_hide(ends[1]);
    base_descriptor_identify(kept->descriptor, &kept->identity);
    if (!tf_fence_notify(fence, close_kept, kept)) {
        close_kept(kept, TF_FENCE_DONE);
        close(ends[0]);
        return -ENOMEM;
    }
    return ends[0];
}

bool shim_syncfile_is(int descriptor)
{
    struct timeval mark = {0};
    socklen_t size = sizeof mark;
    return !getsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &mark, &size) && mark.tv_sec == MARK_SECONDS;
}

static bool has_ended(int descriptor)
{
    struct pollfd polled = {.fd = descriptor, .events = POLLIN};
    return poll(&polled, 1, 0) > 0;
}

struct tf_fence *shim_syncfile_fence(struct shim_device *device, int descriptor, int *problem)
{
    *problem = -EINVAL;
    if (!shim_syncfile_is(descriptor))
        return NULL;
    struct tf_fence *fence = has_ended(descriptor) ? tf_fence_retain(device->ended) : shim_watch_descriptor(descriptor);
    *problem = fence ? 0 : -ENOMEM;
    return fence;
}

static int merge(struct shim_device *device, int descriptor, uint64_t address)
{
    struct sync_merge_data data;
    struct tf_fence *fences[2], *whole;
    int problem = shim_copy_in(&data, address, sizeof data);
    if (problem)
        return problem;
    if (data.flags || data.pad)
        return -EINVAL;
    if (!(fences[0] = shim_syncfile_fence(device, descriptor, &problem)))
        return problem;
    if (!(fences[1] = shim_syncfile_fence(device, data.fd2, &problem))) {
        tf_fence_release(fences[0]);
        return problem == -EINVAL ? -ENOENT : problem;
    }
    whole = shim_fence_join(device, fences, 2);
    data.fence = whole ? shim_syncfile_create(whole) : -ENOMEM;
    tf_fence_release(whole);
    if (data.fence < 0)
        return data.fence;
    problem = shim_copy_out(address, &data, sizeof data);
    if (problem)
        close(data.fence);
    return problem;
}

static int tell(int descriptor, uint64_t address)
{
    struct sync_file_info info;
    struct sync_fence_info part = {.obj_name = "ring", .driver_name = "amdgpu", .status = has_ended(descriptor)};
    int problem = shim_copy_in(&info, address, sizeof info);
    if (problem)
        return problem;
    if (info.flags || info.pad)
        return -EINVAL;
    if (info.num_fences && (problem = shim_copy_out(info.sync_fence_info, &part, sizeof part)))
        return problem;
    memset(info.name, 0, sizeof info.name);
    strcpy(info.name, "tenfold");
    info.status = part.status;
    info.num_fences = 1;
    return shim_copy_out(address, &info, sizeof info);
}

int shim_syncfile_ioctl(struct shim_device *device, int descriptor, unsigned long request, void *argument)
{
    if (!shim_syncfile_is(descriptor))
        return -ENOTTY;
    if (request == SYNC_IOC_MERGE)
        return merge(device, descriptor, (uintptr_t)argument);
    if (request == SYNC_IOC_FILE_INFO)
        return tell(descriptor, (uintptr_t)argument);
    return -ENOTTY;
}
