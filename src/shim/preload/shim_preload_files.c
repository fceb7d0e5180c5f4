/* shim_preload_files: paths: whoever opens, looks at or lists what belongs to the node gets the run's own. */
#include <dirent.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "shim/preload/shim_preload.h"

/* Each function has a buffer for the path that it may have to make. */
#define PLACE      char place[SHIM_PATH_BYTES]
#define REAL(path) shim_preload_path(path, place)

/* -- open -- */

/* The mode is there only when a file may be made. */
#define MODE_OF(flags)                           \
    ({                                           \
        mode_t given = 0;                        \
        if ((flags) & (O_CREAT | __O_TMPFILE)) { \
            va_list arguments;                   \
            va_start(arguments, flags);          \
            given = va_arg(arguments, mode_t);   \
            va_end(arguments);                   \
        }                                        \
        given;                                   \
    })

SHIM_PRELOADED int open(const char *path, int flags, ...)
{
    PLACE;
    return SHIM_NEXT(open)(REAL(path), flags, MODE_OF(flags));
}

SHIM_PRELOADED int open64(const char *path, int flags, ...)
{
    PLACE;
    return SHIM_NEXT(open64)(REAL(path), flags, MODE_OF(flags));
}

SHIM_PRELOADED int openat(int folder, const char *path, int flags, ...)
{
    PLACE;
    return SHIM_NEXT(openat)(folder, REAL(path), flags, MODE_OF(flags));
}

SHIM_PRELOADED int openat64(int folder, const char *path, int flags, ...)
{
    PLACE;
    return SHIM_NEXT(openat64)(folder, REAL(path), flags, MODE_OF(flags));
}

/* What open becomes in a program that was built with checks of its buffers. */
int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int folder, const char *path, int flags);
int __openat64_2(int folder, const char *path, int flags);

SHIM_PRELOADED int __open_2(const char *path, int flags)
{
    PLACE;
    return SHIM_NEXT(__open_2)(REAL(path), flags);
}

SHIM_PRELOADED int __open64_2(const char *path, int flags)
{
    PLACE;
    return SHIM_NEXT(__open64_2)(REAL(path), flags);
}

SHIM_PRELOADED int __openat_2(int folder, const char *path, int flags)
{
    PLACE;
    return SHIM_NEXT(__openat_2)(folder, REAL(path), flags);
}

SHIM_PRELOADED int __openat64_2(int folder, const char *path, int flags)
{
    PLACE;
    return SHIM_NEXT(__openat64_2)(folder, REAL(path), flags);
}

SHIM_PRELOADED FILE *fopen(const char *path, const char *mode)
{
    PLACE;
    return SHIM_NEXT(fopen)(REAL(path), mode);
}

SHIM_PRELOADED FILE *fopen64(const char *path, const char *mode)
{
    PLACE;
    return SHIM_NEXT(fopen64)(REAL(path), mode);
}

/* -- folders -- */

SHIM_PRELOADED DIR *opendir(const char *path)
{
    PLACE;
    return SHIM_NEXT(opendir)(REAL(path));
}

SHIM_PRELOADED int scandir(const char *path, struct dirent ***list, int (*filter)(const struct dirent *entry),
                           int (*compare)(const struct dirent **a, const struct dirent **b))
{
    PLACE;
    return SHIM_NEXT(scandir)(REAL(path), list, filter, compare);
}

SHIM_PRELOADED int scandir64(const char *path, struct dirent64 ***list, int (*filter)(const struct dirent64 *entry),
                             int (*compare)(const struct dirent64 **a, const struct dirent64 **b))
{
    PLACE;
    return SHIM_NEXT(scandir64)(REAL(path), list, filter, compare);
}

SHIM_PRELOADED int inotify_add_watch(int descriptor, const char *path, uint32_t mask)
{
    PLACE;
    return SHIM_NEXT(inotify_add_watch)(descriptor, REAL(path), mask);
}

/* -- looking -- */

SHIM_PRELOADED int access(const char *path, int mode)
{
    PLACE;
    return SHIM_NEXT(access)(REAL(path), mode);
}

SHIM_PRELOADED int eaccess(const char *path, int mode)
{
    PLACE;
    return SHIM_NEXT(eaccess)(REAL(path), mode);
}

SHIM_PRELOADED int euidaccess(const char *path, int mode)
{
    PLACE;
    return SHIM_NEXT(euidaccess)(REAL(path), mode);
}

SHIM_PRELOADED int faccessat(int folder, const char *path, int mode, int flags)
{
    PLACE;
    return SHIM_NEXT(faccessat)(folder, REAL(path), mode, flags);
}

SHIM_PRELOADED ssize_t readlink(const char *path, char *text, size_t bytes)
{
    PLACE;
    return SHIM_NEXT(readlink)(REAL(path), text, bytes);
}

SHIM_PRELOADED ssize_t readlinkat(int folder, const char *path, char *text, size_t bytes)
{
    PLACE;
    return SHIM_NEXT(readlinkat)(folder, REAL(path), text, bytes);
}

ssize_t __readlink_chk(const char *path, char *text, size_t bytes, size_t room);
ssize_t __readlinkat_chk(int folder, const char *path, char *text, size_t bytes, size_t room);
char *__realpath_chk(const char *path, char *text, size_t room);

SHIM_PRELOADED ssize_t __readlink_chk(const char *path, char *text, size_t bytes, size_t room)
{
    PLACE;
    return SHIM_NEXT(__readlink_chk)(REAL(path), text, bytes, room);
}

SHIM_PRELOADED ssize_t __readlinkat_chk(int folder, const char *path, char *text, size_t bytes, size_t room)
{
    PLACE;
    return SHIM_NEXT(__readlinkat_chk)(folder, REAL(path), text, bytes, room);
}

/* A path inside the run's folder, as the program knows it. */
static char *as_known(char *text)
{
    const char *run = text ? shim_preload_run() : NULL;
    size_t length = run ? strlen(run) : 0;
    if (run && !strncmp(text, run, length) && text[length] == '/')
        memmove(text, text + length, strlen(text + length) + 1);
    return text;
}

SHIM_PRELOADED char *realpath(const char *restrict path, char *restrict text)
{
    PLACE;
    return as_known(SHIM_NEXT(realpath)(REAL(path), text));
}

SHIM_PRELOADED char *__realpath_chk(const char *path, char *text, size_t room)
{
    PLACE;
    return as_known(SHIM_NEXT(__realpath_chk)(REAL(path), text, room));
}

SHIM_PRELOADED char *canonicalize_file_name(const char *path)
{
    PLACE;
    return as_known(SHIM_NEXT(canonicalize_file_name)(REAL(path)));
}

/* -- stat -- */

/* The node's file shows itself as the character device that it stands for; a shared buffer does not show its last page. */
#define DISGUISE(result, found, descriptor)                                                                     \
    ({                                                                                                          \
        int did = (result);                                                                                     \
        if (!did)                                                                                               \
            disguise(&(found)->st_mode, &(found)->st_rdev, &(found)->st_size, (found)->st_dev, (found)->st_ino, \
                     (found)->st_nlink, descriptor);                                                            \
        did;                                                                                                    \
    })

static void disguise(mode_t *mode, dev_t *rdev, off_t *size, dev_t device, ino_t inode, nlink_t links, int descriptor)
{
    if (!shim_preload_run() || !S_ISREG(*mode))
        return;
    if (shim_preload_is_node(device, inode)) {
        *mode = S_IFCHR | (*mode & ~(mode_t)S_IFMT);
        *rdev = makedev(SHIM_NODE_MAJOR, SHIM_NODE_MINOR);
    } else if (descriptor >= 0) {
        struct stat found = {.st_mode = *mode, .st_size = *size, .st_nlink = links};
        *size -= (off_t)shim_preload_hidden(descriptor, &found);
    }
}

SHIM_PRELOADED int stat(const char *restrict path, struct stat *restrict found)
{
    PLACE;
    return DISGUISE(SHIM_NEXT(stat)(REAL(path), found), found, -1);
}

SHIM_PRELOADED int lstat(const char *restrict path, struct stat *restrict found)
{
    PLACE;
    return DISGUISE(SHIM_NEXT(lstat)(REAL(path), found), found, -1);
}

SHIM_PRELOADED int fstat(int descriptor, struct stat *found)
{
    return DISGUISE(SHIM_NEXT(fstat)(descriptor, found), found, descriptor);
}

SHIM_PRELOADED int fstatat(int folder, const char *restrict path, struct stat *restrict found, int flags)
{
    PLACE;
    return DISGUISE(SHIM_NEXT(fstatat)(folder, REAL(path), found, flags), found, -1);
}

SHIM_PRELOADED int stat64(const char *restrict path, struct stat64 *restrict found)
{
    PLACE;
    return DISGUISE(SHIM_NEXT(stat64)(REAL(path), found), found, -1);
}

SHIM_PRELOADED int lstat64(const char *restrict path, struct stat64 *restrict found)
{
    PLACE;
    return DISGUISE(SHIM_NEXT(lstat64)(REAL(path), found), found, -1);
}

SHIM_PRELOADED int fstat64(int descriptor, struct stat64 *found)
{
    return DISGUISE(SHIM_NEXT(fstat64)(descriptor, found), found, descriptor);
}

SHIM_PRELOADED int fstatat64(int folder, const char *restrict path, struct stat64 *restrict found, int flags)
{
    PLACE;
    return DISGUISE(SHIM_NEXT(fstatat64)(folder, REAL(path), found, flags), found, -1);
}

/* What stat was in programs built for an older libc. */
int __xstat(int version, const char *path, struct stat *found);
int __lxstat(int version, const char *path, struct stat *found);
int __fxstat(int version, int descriptor, struct stat *found);
int __fxstatat(int version, int folder, const char *path, struct stat *found, int flags);
int __xstat64(int version, const char *path, struct stat64 *found);
int __lxstat64(int version, const char *path, struct stat64 *found);
int __fxstat64(int version, int descriptor, struct stat64 *found);
int __fxstatat64(int version, int folder, const char *path, struct stat64 *found, int flags);

SHIM_PRELOADED int __xstat(int version, const char *path, struct stat *found)
{
    PLACE;
    return DISGUISE(SHIM_NEXT(__xstat)(version, REAL(path), found), found, -1);
}

SHIM_PRELOADED int __lxstat(int version, const char *path, struct stat *found)
{
    PLACE;
    return DISGUISE(SHIM_NEXT(__lxstat)(version, REAL(path), found), found, -1);
}

SHIM_PRELOADED int __fxstat(int version, int descriptor, struct stat *found)
{
    return DISGUISE(SHIM_NEXT(__fxstat)(version, descriptor, found), found, descriptor);
}

SHIM_PRELOADED int __fxstatat(int version, int folder, const char *path, struct stat *found, int flags)
{
    PLACE;
    return DISGUISE(SHIM_NEXT(__fxstatat)(version, folder, REAL(path), found, flags), found, -1);
}

SHIM_PRELOADED int __xstat64(int version, const char *path, struct stat64 *found)
{
    PLACE;
    return DISGUISE(SHIM_NEXT(__xstat64)(version, REAL(path), found), found, -1);
}

SHIM_PRELOADED int __lxstat64(int version, const char *path, struct stat64 *found)
{
    PLACE;
    return DISGUISE(SHIM_NEXT(__lxstat64)(version, REAL(path), found), found, -1);
}

SHIM_PRELOADED int __fxstat64(int version, int descriptor, struct stat64 *found)
{
    return DISGUISE(SHIM_NEXT(__fxstat64)(version, descriptor, found), found, descriptor);
}

SHIM_PRELOADED int __fxstatat64(int version, int folder, const char *path, struct stat64 *found, int flags)
{
    PLACE;
    return DISGUISE(SHIM_NEXT(__fxstatat64)(version, folder, REAL(path), found, flags), found, -1);
}

SHIM_PRELOADED int statx(int folder, const char *restrict path, int flags, unsigned mask, struct statx *restrict found)
{
    PLACE;
    int result = SHIM_NEXT(statx)(folder, REAL(path), flags, mask, found);
    if (!result && shim_preload_run() && S_ISREG(found->stx_mode) &&
        shim_preload_is_node(makedev(found->stx_dev_major, found->stx_dev_minor), found->stx_ino)) {
        found->stx_mode = (uint16_t)(S_IFCHR | (found->stx_mode & ~S_IFMT));
        found->stx_rdev_major = SHIM_NODE_MAJOR;
        found->stx_rdev_minor = SHIM_NODE_MINOR;
    }
    return result;
}
