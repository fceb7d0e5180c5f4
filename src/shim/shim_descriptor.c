/* shim_descriptor: descriptors of the device's own, kept out of the program's way. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shim/shim_descriptor.h"

enum { HIGHEST = 1000 }; /* below what select() can watch */

int shim_descriptor_hide(int descriptor)
{
    struct rlimit limit;
    int saved = errno, wanted = HIGHEST;
    if (descriptor < 0)
        return descriptor;
    if (!getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur < (rlim_t)wanted * 2)
        wanted = (int)(limit.rlim_cur / 2);
    int hidden = fcntl(descriptor, F_DUPFD_CLOEXEC, wanted);
    if (hidden >= 0)
        close(descriptor);
    errno = saved;
    return hidden >= 0 ? hidden : descriptor;
}

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
    return shim_descriptor_hide(descriptor);
}

bool shim_descriptor_identify(int descriptor, struct shim_identity *identity)
{
    struct stat found;
    if (fstat(descriptor, &found))
        return false;
    *identity = (struct shim_identity){found.st_dev, found.st_ino};
    return true;
}

void shim_descriptor_close(int descriptor, struct shim_identity identity)
{
    struct shim_identity found;
    if (descriptor >= 0 && shim_descriptor_identify(descriptor, &found) && shim_identity_same(found, identity))
        close(descriptor);
}
