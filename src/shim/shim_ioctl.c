/* shim_ioctl: finds an ioctl's row, copies its structure in, runs it, copies it out. */
#include <errno.h>
#include <string.h>

#include "shim/shim_copy.h"
#include "shim/shim_ioctl.h"

enum { NUMBERS = 256, LARGEST = 512 };
enum lock { FREE, LOCKED };

static const struct row {
    const char *name;
    uint8_t number;
    size_t bytes;
    int (*run)(struct shim_device *device, void *argument);
    enum lock lock;
} rows[] = {
#define IOCTL(number, name, type, function, lock) {#name, number, sizeof(type), function, lock},
#include "shim/shim_ioctls.def"
#undef IOCTL
};

enum { ROWS = sizeof rows / sizeof rows[0] };

#define IOCTL(number, name, type, function, lock) _Static_assert(sizeof(type) <= LARGEST, #name);
#include "shim/shim_ioctls.def"
#undef IOCTL

/* Where an ioctl's row is, counted from 1. */
enum { FIRST_ROW = __COUNTER__ };
#define IOCTL(number, name, type, function, lock) [number] = __COUNTER__ - FIRST_ROW,
static const uint8_t row_of[NUMBERS] = {
#include "shim/shim_ioctls.def"
};
#undef IOCTL

size_t shim_ioctl_rows(void)
{
    return ROWS;
}

const char *shim_ioctl_name(size_t row)
{
    return row < ROWS ? rows[row].name : NULL;
}

unsigned shim_ioctl_number(size_t row)
{
    return rows[row].number;
}

/* DRM has ioctls that a render node does not take, and numbers that stand for nothing. */
static int refuse(struct shim_device *device, unsigned number)
{
    bool is_display = number >= DRM_COMMAND_END || number < DRM_COMMAND_BASE;
    int problem = is_display ? -EACCES : -EINVAL;
    shim_report_refuse(device, problem,
                       is_display ? "ioctl 0x%02x: not on a render node" : "ioctl 0x%02x: no such call of amdgpu's", number);
    return problem;
}

int shim_ioctl_run(struct shim_device *device, unsigned long request, void *argument)
{
    union {
        uint8_t bytes[LARGEST];
        max_align_t align;
    } call;
    unsigned number = _IOC_NR(request), place = row_of[number];
    const struct row *row = place ? &rows[place - 1] : NULL;
    if (_IOC_TYPE(request) != DRM_IOCTL_BASE)
        return -ENOTTY;
    if (!row)
        return refuse(device, number);
    /* A caller built with other headers may have a shorter or longer structure; what it does not have is zero. */
    size_t bytes = _IOC_SIZE(request) < row->bytes ? _IOC_SIZE(request) : row->bytes;
    memset(call.bytes, 0, row->bytes);
    int problem = shim_copy_in(call.bytes, (uintptr_t)argument, bytes);
    if (problem)
        return problem;
    atomic_fetch_add_explicit(&device->calls[place - 1], 1, memory_order_relaxed);
    if (row->lock == LOCKED)
        pthread_mutex_lock(&device->lock);
    int result = row->run(device, call.bytes);
    if (row->lock == LOCKED)
        pthread_mutex_unlock(&device->lock);
    if (_IOC_DIR(request) & _IOC_READ && (problem = shim_copy_out((uintptr_t)argument, call.bytes, bytes)))
        return problem;
    return result;
}
