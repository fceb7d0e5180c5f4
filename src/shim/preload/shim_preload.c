/* shim_preload: finds libc's own functions, the run's folder, the node's file, and the core. */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shim/preload/shim_preload.h"
#include "shim/shim_page.h"

#define CORE_NAME "libtenfold-amdgpu.so"
#define NODE_PATH "/dev/dri/renderD128"

void *shim_preload_next(void *_Atomic *place, const char *name)
{
    void *found = atomic_load_explicit(place, memory_order_relaxed);
    if (!found) {
        int saved = errno;
        found = dlsym(RTLD_NEXT, name);
        errno = saved;
        atomic_store_explicit(place, found, memory_order_relaxed);
    }
    return found;
}

/* -- the run -- */

static const char no_run[] = "";
static const char *_Atomic run_folder; /* NULL: not looked for yet; no_run: there is none */

bool shim_preload_is_aside(void)
{
    const struct shim_entry *entry = shim_preload_core_look();
    return entry && entry->aside();
}

const char *shim_preload_run(void)
{
    const char *run = atomic_load_explicit(&run_folder, memory_order_acquire);
    if (!run) {
        const char *found = getenv(SHIM_ENV_RUN);
        /* setenv may move the original */
        char *copy = found && found[0] == '/' && strlen(found) < SHIM_PATH_BYTES / 2 ? strdup(found) : NULL;
        run = copy ? copy : no_run;
        const char *nothing = NULL;
        if (!atomic_compare_exchange_strong(&run_folder, &nothing, run)) {
            free(copy);
            run = nothing;
        }
    }
    return run == no_run || shim_preload_is_aside() ? NULL : run;
}

/* What the run's folder has its own of. */
static const struct redirected {
    const char *path;
    size_t length;
} redirected[] = {
#define PATH(path)             \
    {                          \
        path, sizeof(path) - 1 \
    }
    PATH("/dev/dri"),
    PATH("/sys/dev/char/226:128"),
    PATH("/sys/class/drm"),
    PATH("/usr/share/libdrm/amdgpu.ids"),
#undef PATH
};

const char *shim_preload_path(const char *path, char place[SHIM_PATH_BYTES])
{
    if (!path || path[0] != '/' || (path[1] != 'd' && path[1] != 's' && path[1] != 'u'))
        return path;
    for (size_t n = 0; n < sizeof redirected / sizeof redirected[0]; n++) {
        if (strncmp(path, redirected[n].path, redirected[n].length) ||
            (path[redirected[n].length] && path[redirected[n].length] != '/'))
            continue;
        const char *run = shim_preload_run();
        if (run && snprintf(place, SHIM_PATH_BYTES, "%s%s", run, path) < SHIM_PATH_BYTES)
            return place;
    }
    return path;
}

/* -- the node's file -- */

static _Atomic uint64_t node_device, node_inode; /* inode 0: not looked at yet; all ones: there is none */

static void look_at_node(void)
{
    char path[SHIM_PATH_BYTES];
    struct stat found = {0};
    int saved = errno;
    const char *run = shim_preload_run();
    bool there = run && snprintf(path, sizeof path, "%s%s", run, NODE_PATH) < (int)sizeof path && !SHIM_NEXT(stat)(path, &found);
    errno = saved;
    atomic_store(&node_device, found.st_dev);
    atomic_store(&node_inode, there ? found.st_ino : UINT64_MAX);
}

bool shim_preload_is_node(dev_t device, ino_t inode)
{
    if (!shim_preload_run())
        return false;
    if (!atomic_load_explicit(&node_inode, memory_order_acquire))
        look_at_node();
    return inode == atomic_load_explicit(&node_inode, memory_order_relaxed) &&
           device == atomic_load_explicit(&node_device, memory_order_relaxed);
}

bool shim_preload_is_node_descriptor(int descriptor)
{
    struct stat found;
    int saved = errno;
    bool is_node =
        shim_preload_run() && !SHIM_NEXT(fstat)(descriptor, &found) && shim_preload_is_node(found.st_dev, found.st_ino);
    errno = saved;
    return is_node;
}

uint64_t shim_preload_hidden(int descriptor, const struct stat *found)
{
    char magic[SHIM_PAGE_MAGIC_BYTES];
    int saved = errno;
    if (!shim_preload_run() || !S_ISREG(found->st_mode) || found->st_nlink || found->st_size < SHIM_PAGE_BYTES ||
        found->st_size % SHIM_PAGE_BYTES)
        return 0;
    ssize_t got = pread(descriptor, magic, sizeof magic, found->st_size - SHIM_PAGE_BYTES);
    errno = saved;
    return got == (ssize_t)sizeof magic && !memcmp(magic, SHIM_PAGE_MAGIC, sizeof magic) ? SHIM_PAGE_BYTES : 0;
}

/* -- the core -- */

static const struct shim_entry *_Atomic core;
static pthread_mutex_t core_lock = PTHREAD_MUTEX_INITIALIZER;
static bool core_failed;

/* The core lies beside this library. */
static const struct shim_entry *load_core(void)
{
    char path[SHIM_PATH_BYTES];
    Dl_info here;
    if (!dladdr((void *)(uintptr_t)&shim_preload_core, &here) || !here.dli_fname)
        return NULL;
    const char *slash = strrchr(here.dli_fname, '/');
    int folder = slash ? (int)(slash - here.dli_fname) + 1 : 0;
    if (snprintf(path, sizeof path, "%.*s%s", folder, here.dli_fname, CORE_NAME) >= (int)sizeof path)
        return NULL;
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    void *symbol = library ? dlsym(library, SHIM_ENTRY_SYMBOL) : NULL;
    const struct shim_entry *entry = symbol ? ((const struct shim_entry *(*)(void))symbol)() : NULL;
    if (!entry || entry->version != SHIM_ENTRY_VERSION) {
        dprintf(STDERR_FILENO, "tenfold: cannot load %s: %s\n", path, entry ? "it is of another build" : dlerror());
        return NULL;
    }
    return entry;
}

const struct shim_entry *shim_preload_core_look(void)
{
    return atomic_load_explicit(&core, memory_order_acquire);
}

const struct shim_entry *shim_preload_core(void)
{
    const struct shim_entry *entry = shim_preload_core_look();
    if (entry)
        return entry;
    int saved = errno;
    pthread_mutex_lock(&core_lock);
    entry = shim_preload_core_look();
    if (!entry && !core_failed) {
        entry = load_core();
        core_failed = !entry;
        atomic_store_explicit(&core, entry, memory_order_release);
    }
    pthread_mutex_unlock(&core_lock);
    errno = saved;
    return entry;
}

/* The program's own handlers have run by now. */
__attribute__((destructor)) static void leave(void)
{
    const struct shim_entry *entry = shim_preload_core_look();
    if (entry)
        entry->leave();
}
