/* vulkan_cache: entries on disk. */
#include "vulkan/vulkan_cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <xxhash.h>

#include "base/base_bytes.h"

/* An entry: a line that says what it is, three sizes, version, key, data, and the checksum of all that. */
static const char magic[] = "tenfold vulkan 1";
enum { SIZES = 3, HEAD = sizeof magic + SIZES * sizeof(uint64_t), SUM = sizeof(uint64_t) };
static const size_t entry_most = 64 << 20;
static const uint64_t folder_most = 256 << 20; /* bytes; past it the entries that were used longest ago go, to half of it */
static const char unfinished[] = ".new-";
enum { UNFINISHED_S = 3600 }; /* a file that is being written for so long has lost its writer */

struct vulkan_cache {
    char *version;
    char folder[PATH_MAX];
};

/* ---- bytes ---- */

void vulkan_bytes_put(struct vulkan_bytes *bytes, const void *data, size_t size)
{
    if (!bytes->failed && size > bytes->capacity - bytes->size) {
        size_t capacity = (bytes->size + size) * 2;
        uint8_t *grown = realloc(bytes->data, capacity);
        bytes->failed = !grown;
        if (grown) {
            bytes->data = grown;
            bytes->capacity = capacity;
        }
    }
    if (bytes->failed || !size)
        return;
    memcpy(bytes->data + bytes->size, data, size);
    bytes->size += size;
}

void vulkan_bytes_put_u32(struct vulkan_bytes *bytes, uint32_t value)
{
    uint8_t low_first[sizeof value];
    base_put_u32(low_first, value);
    vulkan_bytes_put(bytes, low_first, sizeof low_first);
}

void vulkan_bytes_put_u64(struct vulkan_bytes *bytes, uint64_t value)
{
    uint8_t low_first[sizeof value];
    base_put_u64(low_first, value);
    vulkan_bytes_put(bytes, low_first, sizeof low_first);
}

void vulkan_bytes_finish(struct vulkan_bytes *bytes)
{
    free(bytes->data);
    *bytes = (struct vulkan_bytes){0};
}

/* ---- the folder ---- */

static bool make_folders(char *path)
{
    struct stat found;
    for (char *end = strchr(path + 1, '/'); end; end = strchr(end + 1, '/')) {
        *end = 0;
        mkdir(path, 0700);
        *end = '/';
    }
    mkdir(path, 0700);
    return !stat(path, &found) && S_ISDIR(found.st_mode) && !access(path, W_OK | X_OK);
}

static bool name_folder(const char *given, char path[PATH_MAX])
{
    const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int length = -1;
    if (given)
        length = snprintf(path, PATH_MAX, "%s", given);
    else if (base && *base == '/')
        length = snprintf(path, PATH_MAX, "%s/tenfold/vulkan", base);
    else if (home && *home == '/')
        length = snprintf(path, PATH_MAX, "%s/.cache/tenfold/vulkan", home);
    return length > 0 && length < PATH_MAX;
}

struct file {
    char name[NAME_MAX + 1];
    uint64_t bytes;
    time_t used;
};

static int by_use(const void *a, const void *b)
{
    const struct file *x = a, *y = b;
    return (x->used > y->used) - (x->used < y->used);
}

static bool is_unfinished(const char *name)
{
    return strncmp(name, unfinished, sizeof unfinished - 1) == 0;
}

/* The folder's files but for those that lost their writer, which go. */
static struct file *list_files(int folder, DIR *stream, size_t *count)
{
    struct file *files = NULL;
    time_t now = time(NULL);
    *count = 0;
    for (struct dirent *entry; (entry = readdir(stream));) {
        struct stat what;
        if (fstatat(folder, entry->d_name, &what, AT_SYMLINK_NOFOLLOW) || !S_ISREG(what.st_mode))
            continue;
        if (is_unfinished(entry->d_name)) {
            if (now - what.st_mtime > UNFINISHED_S)
                unlinkat(folder, entry->d_name, 0);
            continue;
        }
        struct file *grown = realloc(files, (*count + 1) * sizeof *files);
        if (!grown)
            break;
        files = grown;
        files[*count] = (struct file){.bytes = (uint64_t)what.st_size, .used = what.st_mtime};
        snprintf(files[*count].name, sizeof files[*count].name, "%s", entry->d_name);
        ++*count;
    }
    return files;
}

static void keep_small(const char *path)
{
    DIR *stream = opendir(path);
    size_t count = 0;
    uint64_t bytes = 0;
    if (!stream)
        return;
    struct file *files = list_files(dirfd(stream), stream, &count);
    for (size_t n = 0; n < count; n++)
        bytes += files[n].bytes;
    bool large = bytes > folder_most;
    if (large)
        qsort(files, count, sizeof *files, by_use);
    for (size_t n = 0; large && n < count && bytes > folder_most / 2; n++) {
        unlinkat(dirfd(stream), files[n].name, 0);
        bytes -= files[n].bytes;
    }
    free(files);
    closedir(stream);
}

struct vulkan_cache *vulkan_cache_create(const char *folder, const char *version)
{
    struct vulkan_cache *cache = calloc(1, sizeof *cache);
    if (cache && name_folder(folder, cache->folder) && make_folders(cache->folder) && (cache->version = strdup(version))) {
        keep_small(cache->folder);
        return cache;
    }
    vulkan_cache_destroy(cache);
    return NULL;
}

void vulkan_cache_destroy(struct vulkan_cache *cache)
{
    if (cache)
        free(cache->version);
    free(cache);
}

/* ---- entries ---- */

static bool name_entry(const struct vulkan_cache *cache, const struct vulkan_bytes *key, char path[PATH_MAX])
{
    XXH3_state_t *state = XXH3_createState();
    if (!state)
        return false;
    XXH3_128bits_reset(state);
    XXH3_128bits_update(state, cache->version, strlen(cache->version) + 1);
    XXH3_128bits_update(state, key->data, key->size);
    XXH128_hash_t hash = XXH3_128bits_digest(state);
    XXH3_freeState(state);
    int length = snprintf(path, PATH_MAX, "%s/%016llx%016llx", cache->folder, (unsigned long long)hash.high64,
                          (unsigned long long)hash.low64);
    return length > 0 && length < PATH_MAX;
}

/* A checksum finds damage and not intent, and a module is code: nobody else may have written it. */
static bool is_ours(const struct stat *what)
{
    return (what->st_uid == geteuid() || !what->st_uid) && !(what->st_mode & (S_IWGRP | S_IWOTH));
}

static uint8_t *read_file(const char *path, size_t *size)
{
    struct stat what;
    uint8_t *data = NULL;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return NULL;
    bool good = !fstat(file, &what) && S_ISREG(what.st_mode) && is_ours(&what) && what.st_size >= HEAD + SUM &&
                (uint64_t)what.st_size <= entry_most;
    *size = good ? (size_t)what.st_size : 0;
    if (good)
        data = malloc(*size);
    for (size_t done = 0; data && done < *size;) {
        ssize_t more = read(file, data + done, *size - done);
        if (more > 0) {
            done += (size_t)more;
        } else if (!more || errno != EINTR) {
            free(data);
            data = NULL;
        }
    }
    if (data)
        futimens(file, (const struct timespec[]){{.tv_nsec = UTIME_OMIT}, {.tv_nsec = UTIME_NOW}}); /* it is of use */
    close(file);
    return data;
}

/* Where the data lies in a file that is whole and is this key's; 0: it is not. */
static size_t check_entry(const struct vulkan_cache *cache, const struct vulkan_bytes *key, struct base_bytes file,
                          size_t *data_size)
{
    size_t version_size = strlen(cache->version), body = file.size - HEAD - SUM;
    uint64_t sizes[SIZES], sum;
    base_bytes_u64(file, file.size - SUM, &sum);
    for (size_t n = 0; n < SIZES; n++)
        base_bytes_u64(file, sizeof magic + n * sizeof sizes[n], &sizes[n]);
    if (memcmp(file.data, magic, sizeof magic) != 0 || sizes[0] != version_size || sizes[1] != key->size ||
        version_size + key->size > body || sizes[2] != body - version_size - key->size ||
        XXH3_64bits(file.data, file.size - SUM) != sum)
        return 0;
    if (memcmp(file.data + HEAD, cache->version, version_size) != 0 ||
        memcmp(file.data + HEAD + version_size, key->data, key->size) != 0)
        return 0;
    *data_size = (size_t)sizes[2];
    return HEAD + version_size + key->size;
}

uint8_t *vulkan_cache_load(const struct vulkan_cache *cache, const struct vulkan_bytes *key, size_t *size)
{
    char path[PATH_MAX];
    size_t file_size;
    if (!cache || key->failed || !name_entry(cache, key, path))
        return NULL;
    uint8_t *file = read_file(path, &file_size);
    size_t at = file ? check_entry(cache, key, (struct base_bytes){file, file_size}, size) : 0;
    if (at) {
        memmove(file, file + at, *size);
        return file;
    }
    free(file);
    return NULL;
}

static bool write_all(int file, const uint8_t *data, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t more = write(file, data + done, size - done);
        if (more > 0)
            done += (size_t)more;
        else if (errno != EINTR)
            return false;
    }
    return true;
}

static void write_file(const struct vulkan_cache *cache, const char *path, const struct vulkan_bytes *entry)
{
    char beside[PATH_MAX];
    int length = snprintf(beside, sizeof beside, "%s/%sXXXXXX", cache->folder, unfinished);
    int file = length > 0 && length < PATH_MAX ? mkostemp(beside, O_CLOEXEC) : -1;
    if (file < 0)
        return;
    bool good = write_all(file, entry->data, entry->size);
    good = !close(file) && good;
    if (!good || rename(beside, path))
        unlink(beside);
}

void vulkan_cache_save(const struct vulkan_cache *cache, const struct vulkan_bytes *key, const struct vulkan_bytes *data)
{
    struct vulkan_bytes entry = {0};
    char path[PATH_MAX];
    if (!cache || key->failed || data->failed || !name_entry(cache, key, path))
        return;
    vulkan_bytes_put(&entry, magic, sizeof magic);
    vulkan_bytes_put_u64(&entry, strlen(cache->version));
    vulkan_bytes_put_u64(&entry, key->size);
    vulkan_bytes_put_u64(&entry, data->size);
    vulkan_bytes_put(&entry, cache->version, strlen(cache->version));
    vulkan_bytes_put(&entry, key->data, key->size);
    vulkan_bytes_put(&entry, data->data, data->size);
    vulkan_bytes_put_u64(&entry, entry.failed ? 0 : XXH3_64bits(entry.data, entry.size));
    if (!entry.failed && entry.size <= entry_most)
        write_file(cache, path, &entry);
    vulkan_bytes_finish(&entry);
}
