/* shim_tree: the run's folder: the files that stand for the node, and the run's status.
 *
 * What is here is what drivers and libdrm look at to find a render node and the PCI device behind it. The node itself is an
 * ordinary empty file: the preload library knows it by its inode, so that a descriptor of it is known after dup, fork, exec and
 * after it was sent to another process. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "shim/shim.h"
#include "shim/shim_tree.h"

enum { PATH_BYTES = 4096, VENDOR = 0x1002, SUBSYSTEM = 0x0e3a, TREE_DEPTH = 16, BASES = 3, BEGINNING_SECONDS = 3600 };

#define FOLDER_PREFIX "tenfold-run-"

#define NODE   "sys/dev/char/226:128"
#define DEVICE NODE "/device"

static const char *const folders[] = {
    "dev",
    "dev/dri",
    "sys",
    "sys/dev",
    "sys/dev/char",
    NODE,
    DEVICE,
    DEVICE "/drm",
    DEVICE "/drm/renderD128",
    "sys/class",
    "sys/class/drm",
    "sys/bus",
    "sys/bus/pci",
    "usr",
    "usr/share",
    "usr/share/libdrm",
};

static const struct link {
    const char *path, *target;
} links[] = {
    {NODE "/subsystem", "../../../class/drm"},
    {DEVICE "/subsystem", "../../../../bus/pci"},
    {"sys/class/drm/renderD128", "../../dev/char/226:128"},
};

static bool join(char path[PATH_BYTES], const char *run, const char *inside)
{
    if (snprintf(path, PATH_BYTES, "%s/%s", run, inside) < PATH_BYTES)
        return true;
    errno = ENAMETOOLONG;
    return false;
}

__attribute__((format(printf, 4, 5))) static bool write_file(const char *run, const char *inside, mode_t mode, const char *format,
                                                             ...)
{
    char path[PATH_BYTES];
    int descriptor = join(path, run, inside) ? open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode) : -1;
    if (descriptor < 0)
        return false;
    va_list arguments;
    va_start(arguments, format);
    bool fine = vdprintf(descriptor, format, arguments) >= 0;
    va_end(arguments);
    fine &= !fchmod(descriptor, mode);
    close(descriptor);
    return fine;
}

static bool write_files(const char *run, const struct shim_chip *chip)
{
    static const char minor[] = "MAJOR=226\nMINOR=128\nDEVNAME=dri/renderD128\nDEVTYPE=drm_minor\n";
    return write_file(run, "dev/dri/renderD128", 0660, "%s", "") && write_file(run, NODE "/uevent", 0444, "%s", minor) &&
           write_file(run, NODE "/dev", 0444, "226:128\n") && write_file(run, DEVICE "/vendor", 0444, "0x%04x\n", VENDOR) &&
           write_file(run, DEVICE "/device", 0444, "0x%04x\n", chip->device_id) &&
           write_file(run, DEVICE "/subsystem_vendor", 0444, "0x%04x\n", VENDOR) &&
           write_file(run, DEVICE "/subsystem_device", 0444, "0x%04x\n", SUBSYSTEM) &&
           write_file(run, DEVICE "/revision", 0444, "0x%02x\n", chip->pci_revision) &&
           write_file(run, DEVICE "/class", 0444, "0x030000\n") &&
           write_file(run, DEVICE "/uevent", 0444,
                      "DRIVER=amdgpu\nPCI_CLASS=30000\nPCI_ID=%04X:%04X\nPCI_SUBSYS_ID=%04X:%04X\nPCI_SLOT_NAME=0000:10:00.0\n",
                      VENDOR, chip->device_id, VENDOR, SUBSYSTEM) &&
           write_file(run, "sys/class/drm/version", 0444, "drm 1.1.0 20060810\n") &&
           /* libdrm's list of what cards are called */
           write_file(run, "usr/share/libdrm/amdgpu.ids", 0444, "1.0.0\n%04X,\t%02X,\tTenfold\n", chip->device_id,
                      chip->pci_revision);
}

/* The status is locked before it has its name: a folder with a status that nobody locks is nobody's. The descriptor stays open for that. */
static bool write_status(const char *run)
{
    char fresh[PATH_BYTES], path[PATH_BYTES];
    int descriptor = join(path, run, SHIM_STATUS_FILE) && join(fresh, run, SHIM_STATUS_FILE ".new")
                         ? open(fresh, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600)
                         : -1;
    bool fine = descriptor >= 0 && !ftruncate(descriptor, sizeof(struct shim_status)) && !flock(descriptor, LOCK_EX | LOCK_NB) &&
                !rename(fresh, path);
    if (descriptor >= 0 && !fine)
        close(descriptor);
    return fine;
}

static bool fill(const char *run, const struct shim_chip *chip)
{
    char path[PATH_BYTES];
    for (size_t n = 0; n < sizeof folders / sizeof folders[0]; n++)
        if (!join(path, run, folders[n]) || mkdir(path, 0755))
            return false;
    for (size_t n = 0; n < sizeof links / sizeof links[0]; n++)
        if (!join(path, run, links[n].path) || symlink(links[n].target, path))
            return false;
    return write_files(run, chip) && write_status(run);
}

/* Where folders of runs are made, in the first that can be written; NULL where there is no such place. */
static const char *base_at(size_t n)
{
    const char *base = n == 0 ? getenv("XDG_RUNTIME_DIR") : n == 1 ? getenv("TMPDIR") : "/tmp";
    return base && base[0] == '/' ? base : NULL;
}

bool shim_tree_create(const struct shim_chip *chip, char *path, size_t path_bytes)
{
    for (size_t n = 0; n < BASES; n++) {
        const char *base = base_at(n);
        if (!base || snprintf(path, path_bytes, "%s/" FOLDER_PREFIX "XXXXXX", base) >= (int)path_bytes || !mkdtemp(path))
            continue;
        if (fill(path, chip))
            return true;
        int problem = errno;
        shim_tree_remove(path);
        errno = problem;
    }
    return false;
}

static int remove_one(const char *path, const struct stat *found, int kind, struct FTW *place)
{
    (void)found;
    (void)kind;
    (void)place;
    remove(path);
    return 0;
}

void shim_tree_remove(const char *path)
{
    nftw(path, remove_one, TREE_DEPTH, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

/* Whether a run made the folder and is no more. Until it has its status, a run is only beginning: that does not take long. */
static bool is_left_behind(const char *folder, int *lock)
{
    char path[PATH_BYTES];
    struct stat found;
    *lock = -1;
    if (lstat(folder, &found) || !S_ISDIR(found.st_mode) || found.st_uid != getuid() || !join(path, folder, SHIM_STATUS_FILE))
        return false;
    *lock = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (*lock < 0)
        return errno == ENOENT && time(NULL) - found.st_mtime > BEGINNING_SECONDS;
    return !flock(*lock, LOCK_EX | LOCK_NB);
}

static void clean_one(const char *base, const char *name)
{
    char path[PATH_BYTES];
    int lock = -1;
    if (strncmp(name, FOLDER_PREFIX, sizeof FOLDER_PREFIX - 1) || !join(path, base, name))
        return;
    if (is_left_behind(path, &lock))
        shim_tree_remove(path);
    if (lock >= 0)
        close(lock);
}

void shim_tree_clean(void)
{
    for (size_t n = 0; n < BASES; n++) {
        DIR *folder = base_at(n) ? opendir(base_at(n)) : NULL;
        for (struct dirent *entry; folder && (entry = readdir(folder));)
            clean_one(base_at(n), entry->d_name);
        if (folder)
            closedir(folder);
    }
}

struct shim_status *shim_tree_status(const char *run)
{
    char path[PATH_BYTES];
    int descriptor = join(path, run, SHIM_STATUS_FILE) ? open(path, O_RDWR | O_CLOEXEC) : -1;
    void *status =
        descriptor < 0 ? MAP_FAILED : mmap(NULL, sizeof(struct shim_status), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (descriptor >= 0)
        close(descriptor);
    return status == MAP_FAILED ? NULL : status;
}
