/* shim_descriptor: memory files of the device's own. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "shim/shim_descriptor.h"

int shim_descriptor_memory(const char *name, uint64_t bytes)
{
    struct rlimit limit;
    /* Making a file larger than this limit would not only fail, but send a signal. */
    if (!getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur != RLIM_INFINITY && bytes > limit.rlim_cur)
        return -EFBIG;
    int descriptor = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (descriptor < 0)
        return -errno;
    if (ftruncate(descriptor, (off_t)bytes)) {
        int problem = errno;
        close(descriptor);
        return -problem;
    }
    return base_descriptor_hide(descriptor);
}
