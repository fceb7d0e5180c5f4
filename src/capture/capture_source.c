/* capture_source: bytes of a file or of memory at an offset. */
#include "capture/capture_source.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool capture_source_open(struct capture_source *source, const char *path, struct base_error *error)
{
    struct stat status;
    *source = (struct capture_source){.descriptor = open(path, O_RDONLY | O_CLOEXEC)};
    if (source->descriptor < 0 || fstat(source->descriptor, &status))
        return base_error_set(error, "'%s': %s", path, strerror(errno));
    if (!S_ISREG(status.st_mode))
        return base_error_set(error, "'%s': not a regular file", path);
    source->size = (uint64_t)status.st_size;
    return true;
}

size_t capture_source_read(const struct capture_source *source, uint64_t offset, void *to, size_t size)
{
    size_t done = 0;
    if (offset >= source->size)
        return 0;
    size = size < source->size - offset ? size : (size_t)(source->size - offset);
    if (source->descriptor < 0) {
        memcpy(to, source->data + offset, size);
        return size;
    }
    while (done < size) {
        ssize_t got = pread(source->descriptor, (uint8_t *)to + done, size - done, (off_t)(offset + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        done += (size_t)got;
    }
    return done;
}

void capture_source_close(struct capture_source *source)
{
    if (source->descriptor >= 0)
        close(source->descriptor);
}
