/* tool_replay_save: buffers of a replay as files in a folder. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tool/tool_replay.h"

enum { PIECE = 4096 };

static char *path_of(const char *folder, const char *name)
{
    char *path = NULL;
    if (asprintf(&path, "%s/%s", folder, name) < 0) {
        tool_complain("out of memory");
        return NULL;
    }
    return path;
}

static bool complain(const char *path)
{
    tool_complain("cannot write '%s': %s", path, strerror(errno));
    return false;
}

bool tool_replay_begin_folder(const char *folder)
{
    static const char head[] = "# file, buffer, bytes, domains, address, state\n";
    if (mkdir(folder, 0777) && errno != EEXIST)
        return complain(folder);
    char *path = path_of(folder, "index.txt");
    bool is_good = path && tool_file_write(path, head, sizeof head - 1);
    free(path);
    return is_good;
}

static bool is_zero(const uint8_t *data, size_t size)
{
    return !size || (!data[0] && !memcmp(data, data + 1, size - 1));
}

/* Zeros become holes. */
static bool write_sparse(int descriptor, const uint8_t *data, uint64_t bytes)
{
    if (ftruncate(descriptor, (off_t)bytes))
        return false;
    for (uint64_t at = 0; at < bytes; at += PIECE) {
        size_t size = bytes - at < PIECE ? (size_t)(bytes - at) : PIECE;
        if (!is_zero(data + at, size) && pwrite(descriptor, data + at, size, (off_t)at) != (ssize_t)size)
            return false;
    }
    return true;
}

static bool add_row(const char *folder, const char *name, const struct capture_replay_buffer *buffer)
{
    char *path = path_of(folder, "index.txt");
    FILE *file = path ? fopen(path, "a") : NULL;
    if (file)
        fprintf(file, "%s %" PRIu32 " %" PRIu64 " %" PRIu32 " 0x%" PRIx64 " %s\n", name, buffer->buffer.number,
                buffer->buffer.bytes, buffer->buffer.domains, buffer->address, buffer->is_alive ? "alive" : "ended");
    bool is_good = file && !fclose(file);
    if (path && !is_good)
        complain(path);
    free(path);
    return is_good;
}

bool tool_replay_save(const char *folder, const struct capture_replay_buffer *buffer)
{
    char name[48];
    snprintf(name, sizeof name, "buffer-%" PRIu32 ".bin", buffer->buffer.number);
    char *path = path_of(folder, name);
    if (!path)
        return false;
    int descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    bool is_good = descriptor >= 0 && write_sparse(descriptor, buffer->data, buffer->buffer.bytes);
    if (!is_good)
        complain(path);
    if (descriptor >= 0)
        close(descriptor);
    free(path);
    return is_good && add_row(folder, name, buffer);
}
