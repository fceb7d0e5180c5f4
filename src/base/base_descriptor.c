/* base_descriptor: descriptors of our own in somebody else's process. */
#include "base/base_descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HIGHEST = 1000 }; /* below what select() can watch */

int base_descriptor_hide(int descriptor)
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

bool base_descriptor_identify(int descriptor, struct base_identity *identity)
{
    struct stat found;
    if (fstat(descriptor, &found))
        return false;
    *identity = (struct base_identity){found.st_dev, found.st_ino};
    return true;
}

void base_descriptor_close(int descriptor, struct base_identity identity)
{
    struct base_identity found;
    if (descriptor >= 0 && base_descriptor_identify(descriptor, &found) && base_identity_same(found, identity))
        close(descriptor);
}
