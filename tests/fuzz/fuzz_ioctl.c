/* fuzz_ioctl: a client that makes arbitrary ioctls on a device: nothing of the process is touched but what a call may touch,
 * nothing hangs, and the device can be given up afterwards.
 *
 * The input is a page of memory at PAGE_AT (its first 2 KiB), then calls: a byte for the ioctl's number, a byte for its
 * structure's size in words of four bytes, and the structure. Pointers that a call writes through are led into the page; what
 * it reads through them may be anything. Buffers hold what the input says, and submissions carry it out.
 *
 * Built for libFuzzer it searches; otherwise it runs the files, or the folders of files, that it is given. */
#include <drm.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "shim/shim_device.h"
#include "shim/shim_ioctl.h"

enum { PAGE_AT = 0x20000000, PAGE_BYTES = 8192, FIXED_BYTES = 2048, CALL_BYTES = 512, MOST_CALLS = 64 };

/* Offsets of pointers that a call writes through, and of times until which it waits. */
static const struct special {
    unsigned number;
    enum { WRITES, WAITS, USER } what;
    size_t offset;
} specials[] = {
    {0x00, WRITES, offsetof(struct drm_version, name)},
    {0x00, WRITES, offsetof(struct drm_version, date)},
    {0x00, WRITES, offsetof(struct drm_version, desc)},
    {0xcb, WRITES, offsetof(struct drm_syncobj_timeline_array, points)},
    {0xc3, WAITS, offsetof(struct drm_syncobj_wait, timeout_nsec)},
    {0xca, WAITS, offsetof(struct drm_syncobj_timeline_wait, timeout_nsec)},
    {0x40 + DRM_AMDGPU_INFO, WRITES, offsetof(struct drm_amdgpu_info, return_pointer)},
    {0x40 + DRM_AMDGPU_GEM_OP, WRITES, offsetof(struct drm_amdgpu_gem_op, value)},
    {0x40 + DRM_AMDGPU_WAIT_CS, WAITS, offsetof(struct drm_amdgpu_wait_cs_in, timeout)},
    {0x40 + DRM_AMDGPU_GEM_WAIT_IDLE, WAITS, offsetof(struct drm_amdgpu_gem_wait_idle_in, timeout)},
    {0x40 + DRM_AMDGPU_WAIT_FENCES, WAITS, offsetof(struct drm_amdgpu_wait_fences_in, timeout_ns)},
    {0x40 + DRM_AMDGPU_GEM_USERPTR, USER, offsetof(struct drm_amdgpu_gem_userptr, addr)},
};

/* Calls that wait for what is not submitted yet, up to seconds. */
static bool takes_long(unsigned number, const uint8_t *call)
{
    const struct drm_syncobj_transfer *transfer = (const void *)call;
    return number == 0xcc && transfer->flags;
}

static void tame(unsigned number, uint8_t *call)
{
    for (size_t n = 0; n < sizeof specials / sizeof specials[0]; n++) {
        uint64_t value;
        if (specials[n].number != number)
            continue;
        memcpy(&value, call + specials[n].offset, sizeof value);
        if (specials[n].what == WAITS)
            value = 0;
        else if (specials[n].what == USER)
            value = PAGE_AT;
        else
            value = value % 4 ? PAGE_AT + FIXED_BYTES + value % FIXED_BYTES : value % 64;
        memcpy(call + specials[n].offset, &value, sizeof value);
    }
    if (number == 0x40 + DRM_AMDGPU_GEM_USERPTR)
        ((struct drm_amdgpu_gem_userptr *)(void *)call)->size = PAGE_BYTES;
    if (number == 0x40 + DRM_AMDGPU_INFO) {
        struct drm_amdgpu_info *info = (void *)call;
        info->return_size %= 1024;
    }
}

/* Descriptors that came out are closed; the input's own are those. */
static void close_descriptor(unsigned number, const uint8_t *call, int result)
{
    const struct drm_prime_handle *prime = (const void *)call;
    const struct drm_syncobj_handle *syncobj = (const void *)call;
    const union drm_amdgpu_fence_to_handle *fence = (const void *)call;
    if (result)
        return;
    if (number == 0x2d)
        close(prime->fd);
    if (number == 0xc1)
        close(syncobj->fd);
    if (number == 0x40 + DRM_AMDGPU_FENCE_TO_HANDLE && fence->out.handle > 2 &&
        !shim_table_find(&shim_device_look()->syncobjs, fence->out.handle))
        close((int)fence->out.handle);
}

/* Buffers begin with what the page holds, so that submissions have something to carry out. */
static void fill_buffer(struct shim_device *device, unsigned number, const uint8_t *call, int result, const uint8_t *data,
                        size_t size)
{
    const union drm_amdgpu_gem_create *create = (const void *)call;
    if (number != 0x40 + DRM_AMDGPU_GEM_CREATE || result)
        return;
    struct shim_buffer *buffer = shim_buffer_find(device, create->out.handle);
    void *view = buffer ? shim_buffer_view(buffer) : NULL;
    if (view)
        memcpy(view, data, size < buffer->bytes ? size : buffer->bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t *page;
    struct shim_options options = {.chip = "NAVI21", .threads = 1, .silent = true, .hang_seconds = 0.01};
    int problem;
    if (!page) {
        page =
            mmap((void *)PAGE_AT, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
        if (page == MAP_FAILED)
            abort();
    }
    size_t fixed = size < FIXED_BYTES ? size : FIXED_BYTES, at = fixed;
    memset(page, 0, PAGE_BYTES);
    memcpy(page, data, fixed);
    struct shim_device *device = shim_device_create(&options, &problem);
    if (!device)
        abort();
    shim_device_set(device);
    for (unsigned n = 0; n < MOST_CALLS && at + 2 <= size; n++) {
        uint8_t call[CALL_BYTES] __attribute__((aligned(16))) = {0};
        unsigned number = data[at], bytes = data[at + 1] % (CALL_BYTES / 4) * 4;
        at += 2;
        size_t there = bytes < size - at ? bytes : size - at;
        memcpy(call, data + at, there);
        at += there;
        if (number == 0x2e || number == 0xc2 || takes_long(number, call))
            continue; /* descriptors of the fuzzer's own are none of a client's */
        tame(number, call);
        int result = shim_ioctl_run(device, _IOC(_IOC_READ | _IOC_WRITE, DRM_IOCTL_BASE, number, CALL_BYTES), call);
        fill_buffer(device, number, call, result, data, fixed);
        close_descriptor(number, call, result);
    }
    shim_device_set(NULL);
    shim_device_destroy(device, 100);
    return 0;
}

#ifndef TENFOLD_LIBFUZZER
int main(int argc, char **argv)
{
    return fuzz_run_files(argc, argv);
}
#endif
