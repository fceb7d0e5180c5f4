/* tool_file: whole files in and out, and how the command complains. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tool/tool.h"

enum { FIRST_BYTES = 64 << 10 };
/* More than any kernel is given; what never ends, such as a device, is an error and not a wait. */
static const size_t most_bytes = (size_t)8 << 30;

void tool_make_plain(char *text)
{
    for (; *text; text++)
        if (iscntrl((unsigned char)*text))
            *text = '?';
}

void tool_complain(const char *format, ...)
{
    char *text;
    va_list list;
    va_start(list, format);
    if (vasprintf(&text, format, list) >= 0) {
        tool_make_plain(text);
        fprintf(stderr, "tenfold: %s\n", text);
        free(text);
    }
    va_end(list);
}

/* Reads to the end; the file may be a pipe, so nothing is known of its size. */
static bool read_all(FILE *file, uint8_t **data, size_t *size)
{
    size_t capacity = FIRST_BYTES;
    *size = 0;
    *data = malloc(capacity);
    while (*data) {
        *size += fread(*data + *size, 1, capacity - *size, file);
        if (*size < capacity)
            return !ferror(file);
        if (capacity >= most_bytes) {
            errno = EFBIG;
            return false;
        }
        uint8_t *larger = realloc(*data, capacity *= 2);
        if (!larger)
            free(*data);
        *data = larger;
    }
    errno = ENOMEM;
    return false;
}

bool tool_file_read(const char *path, uint8_t **data, size_t *size)
{
    *data = NULL;
    FILE *file = fopen(path, "rb");
    bool done = file && read_all(file, data, size);
    if (!done)
        tool_complain("cannot read '%s': %s", path, strerror(errno));
    if (file)
        fclose(file);
    if (!done) {
        free(*data);
        *data = NULL;
    }
    return done;
}

bool tool_file_same(const char *path, const char *other)
{
    struct stat a, b;
    return !stat(path, &a) && !stat(other, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

bool tool_file_can_write(const char *path)
{
    struct stat before;
    bool was_there = stat(path, &before) == 0;
    if (was_there && S_ISFIFO(before.st_mode))
        return true; /* whoever reads from it would take the closing for the end */
    int descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
    if (descriptor < 0) {
        tool_complain("cannot write '%s': %s", path, strerror(errno));
        return false;
    }
    close(descriptor);
    if (!was_there)
        unlink(path);
    return true;
}

bool tool_file_write(const char *path, const void *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    bool done = file && fwrite(data, 1, size, file) == size;
    if (file && fclose(file) != 0)
        done = false;
    if (!done)
        tool_complain("cannot write '%s': %s", path, strerror(errno));
    return done;
}

void tool_leave_stuck(struct tf_gpu *gpu, int status)
{
    static const double patience_s = 1;
    if (status != TOOL_FAILED || tf_gpu_leave_vulkan(gpu, patience_s))
        return;
    fflush(NULL);
    _exit(status);
}
