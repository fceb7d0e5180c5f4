/* shim_entry: what the preload library calls. */
#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include "shim/shim_device.h"
#include "shim/shim_ioctl.h"
#include "shim/shim_syncfile.h"

static int run_ioctl(unsigned long request, void *argument)
{
    int problem = -ENODEV, state;
    struct shim_device *device = shim_device_get(&problem);
    if (!device)
        return problem;
    /* ioctl is no place where a thread is cancelled. */
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    int result = shim_ioctl_run(device, request, argument);
    pthread_setcancelstate(state, NULL);
    return result;
}

static void *run_map(void *address, size_t bytes, int protection, int flags, uint64_t offset, int *error)
{
    int problem = -ENODEV;
    struct shim_device *device = shim_device_get(&problem);
    if (!device) {
        *error = -problem;
        return MAP_FAILED;
    }
    pthread_mutex_lock(&device->lock);
    void *place = shim_view_map(device, address, bytes, protection, flags, offset, error);
    pthread_mutex_unlock(&device->lock);
    return place;
}

static void run_unmapped(const void *address, size_t bytes)
{
    struct shim_device *device = shim_device_look();
    if (device)
        shim_view_unmapped(device, (uintptr_t)address, (bytes + SHIM_PAGE - 1) & ~(uint64_t)(SHIM_PAGE - 1));
}

static int run_sync_ioctl(int descriptor, unsigned long request, void *argument)
{
    int problem = -ENODEV;
    if (!shim_syncfile_is(descriptor))
        return -ENOTTY;
    struct shim_device *device = shim_device_get(&problem);
    return device ? shim_syncfile_ioctl(device, descriptor, request, argument) : problem;
}

const struct shim_entry *tenfold_shim_entry(void)
{
    static const struct shim_entry entry = {.version = SHIM_ENTRY_VERSION,
                                            .ioctl = run_ioctl,
                                            .map = run_map,
                                            .unmapped = run_unmapped,
                                            .sync_ioctl = run_sync_ioctl,
                                            .signal_action = tf_signal_action,
                                            .leave = shim_device_leave,
                                            .aside = shim_device_is_aside,
                                            .before_others = shim_device_before_others};
    return &entry;
}
