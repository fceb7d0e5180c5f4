/* shim_shared: files that processes share: a buffer's memory, or nothing but the page that says what a syncobj stands for. */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "shim/shim_shared.h"
#include "shim/shim_watch.h"

enum { SEALS = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL, METADATA_TRIES = 1000 };

struct shim_shared {
    struct shim_page *page;
    _Atomic unsigned holders; /* who has it open, and fences that will note their end in it */
    struct shim_user *own;    /* this process's among the page's users; NULL: none */
};

static struct shim_shared *map_page(int descriptor, uint64_t bytes, int *problem)
{
    struct shim_shared *shared = calloc(1, sizeof *shared);
    void *page = shared ? mmap(NULL, SHIM_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, (off_t)bytes) : MAP_FAILED;
    if (page == MAP_FAILED) {
        free(shared);
        *problem = -ENOMEM;
        return NULL;
    }
    *shared = (struct shim_shared){.page = page, .holders = 1};
    return shared;
}

struct shim_shared *shim_shared_create(enum shim_page_kind kind, uint64_t bytes, int *descriptor, int *problem)
{
    *descriptor =
        shim_descriptor_memory(kind == SHIM_PAGE_BUFFER ? "tenfold-buffer" : "tenfold-syncobj", bytes + SHIM_PAGE_BYTES);
    if (*descriptor < 0) {
        *problem = *descriptor;
        return NULL;
    }
    struct shim_shared *shared = map_page(*descriptor, bytes, problem);
    if (!shared || fcntl(*descriptor, F_ADD_SEALS, SEALS)) {
        if (shared)
            *problem = -errno;
        shim_shared_close(shared);
        close(*descriptor);
        return NULL;
    }
    struct shim_page *page = shared->page;
    page->version = SHIM_PAGE_VERSION;
    page->kind = kind;
    page->bytes = bytes;
    memcpy(page->magic, SHIM_PAGE_MAGIC, sizeof page->magic);
    return shared;
}

/* How long a file really is: the preloaded fstat, which is meant for programs, leaves the last page out. False when it is no
 * descriptor. */
static bool file_bytes(int descriptor, uint64_t *bytes)
{
    struct stat found;
    if (syscall(SYS_fstat, descriptor, &found))
        return false;
    *bytes = (uint64_t)found.st_size;
    return true;
}

struct shim_shared *shim_shared_open(enum shim_page_kind kind, int descriptor, uint64_t *bytes, int *problem)
{
    uint64_t whole;
    int seals = fcntl(descriptor, F_GET_SEALS);
    *problem = -EINVAL;
    if (!file_bytes(descriptor, &whole)) {
        *problem = -EBADF;
        return NULL;
    }
    /* What is not sealed against shrinking could take memory away under us. */
    if (seals < 0 || !(seals & F_SEAL_SHRINK) || whole < SHIM_PAGE_BYTES || whole % SHIM_PAGE_BYTES)
        return NULL;
    *bytes = whole - SHIM_PAGE_BYTES;
    struct shim_shared *shared = map_page(descriptor, *bytes, problem);
    if (shared && (memcmp(shared->page->magic, SHIM_PAGE_MAGIC, SHIM_PAGE_MAGIC_BYTES) ||
                   shared->page->version != SHIM_PAGE_VERSION || shared->page->kind != (uint32_t)kind)) {
        shim_shared_close(shared);
        *problem = -EINVAL;
        return NULL;
    }
    return shared;
}

struct shim_shared *shim_shared_hold(struct shim_shared *shared)
{
    atomic_fetch_add(&shared->holders, 1);
    return shared;
}

void shim_shared_close(struct shim_shared *shared)
{
    if (!shared || atomic_fetch_sub(&shared->holders, 1) != 1)
        return;
    if (shared->own)
        atomic_store(&shared->own->owner.process, 0);
    munmap(shared->page, SHIM_PAGE_BYTES);
    free(shared);
}

struct shim_page *shim_shared_page(struct shim_shared *shared)
{
    return shared->page;
}

void shim_shared_ring(struct shim_shared *shared)
{
    atomic_fetch_add(&shared->page->changes, 1);
    syscall(SYS_futex, &shared->page->changes, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

void shim_shared_set_metadata(struct shim_shared *shared, const struct shim_metadata *metadata)
{
    struct shim_page *page = shared->page;
    atomic_fetch_add(&page->metadata_changes, 1);
    page->metadata_flags = metadata->flags;
    page->metadata_tiling = metadata->tiling;
    page->metadata_bytes = metadata->bytes;
    memcpy(page->metadata, metadata->data, sizeof page->metadata);
    atomic_fetch_add(&page->metadata_changes, 1);
}

void shim_shared_get_metadata(struct shim_shared *shared, struct shim_metadata *metadata)
{
    struct shim_page *page = shared->page;
    for (int tries = 0; tries < METADATA_TRIES; tries++) {
        uint32_t before = atomic_load(&page->metadata_changes);
        *metadata = (struct shim_metadata){page->metadata_flags, page->metadata_tiling, page->metadata_bytes, {0}};
        memcpy(metadata->data, page->metadata, sizeof metadata->data);
        if (!(before & 1) && atomic_load(&page->metadata_changes) == before)
            break; /* else somebody writes; who died while writing is not waited for */
    }
    if (metadata->bytes > sizeof metadata->data)
        metadata->bytes = sizeof metadata->data;
}

/* When a process began, so that another one with its number is not taken for it. 0: it has ended, or nothing is known. */
static uint64_t birth_of(uint64_t process)
{
    char path[64], text[1024];
    unsigned long long born = 0;
    snprintf(path, sizeof path, "/proc/%llu/stat", (unsigned long long)process);
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = descriptor < 0 ? -1 : read(descriptor, text, sizeof text - 1);
    if (descriptor >= 0)
        close(descriptor);
    if (length <= 0)
        return 0;
    text[length] = 0;
    const char *at = strrchr(text, ')'); /* the name before it may hold anything */
    for (int field = 2; at && field < 22; field++)
        at = strchr(at + 1, ' ');
    return at && sscanf(at, "%llu", &born) == 1 ? born : 0;
}

static uint64_t own_space(void)
{
    struct stat found;
    return stat("/proc/self/ns/pid", &found) ? 0 : (uint64_t)found.st_ino;
}

void shim_owner_set(struct shim_owner *owner)
{
    uint64_t process = (uint64_t)getpid();
    atomic_store(&owner->born, birth_of(process));
    atomic_store(&owner->space, own_space());
    atomic_store(&owner->process, process);
}

bool shim_owner_is_self(const struct shim_owner *owner)
{
    return atomic_load(&owner->process) == (uint64_t)getpid() && atomic_load(&owner->space) == own_space();
}

bool shim_owner_lives(const struct shim_owner *owner)
{
    uint64_t process = atomic_load(&owner->process);
    if (!process)
        return false;
    if (atomic_load(&owner->space) != own_space())
        return true; /* a number of another namespace says nothing here */
    if (kill((pid_t)process, 0) && errno == ESRCH)
        return false;
    uint64_t born = birth_of(process);
    return !born || born == atomic_load(&owner->born);
}

/* This process's place among the page's users, taken from a dead one where there is no free one. */
static struct shim_user *own_user(struct shim_shared *shared)
{
    for (int pass = 0; !shared->own && pass < 2; pass++)
        for (unsigned n = 0; !shared->own && n < SHIM_PAGE_USERS; n++) {
            struct shim_user *user = &shared->page->users[n];
            uint64_t process = atomic_load(&user->owner.process);
            if (process && (!pass || shim_owner_lives(&user->owner)))
                continue;
            if (!atomic_compare_exchange_strong(&user->owner.process, &process, (uint64_t)getpid()))
                continue;
            shim_owner_set(&user->owner);
            atomic_store(&user->ended, atomic_load(&user->begun));
            shared->own = user;
        }
    return shared->own;
}

static void work_ended(void *of, enum tf_fence_state state)
{
    struct shim_shared *shared = of;
    (void)state;
    atomic_fetch_add(&shared->own->ended, 1);
    shim_shared_ring(shared);
    shim_shared_close(shared);
}

void shim_shared_begin(struct shim_shared *shared, struct tf_fence *done)
{
    if (!own_user(shared))
        return; /* more processes than the page has places for: they are not waited for */
    atomic_fetch_add(&shared->holders, 1);
    atomic_fetch_add(&shared->own->begun, 1);
    if (!tf_fence_notify(done, work_ended, shared))
        work_ended(shared, TF_FENCE_DONE);
}

/* What one wait is for: how much each user had begun when it was made. */
struct others {
    uint64_t begun[SHIM_PAGE_USERS];
};

static bool others_ended(struct shim_page *page, const void *what, bool look_closely)
{
    const struct others *others = what;
    for (unsigned n = 0; n < SHIM_PAGE_USERS; n++)
        if (others->begun[n] && atomic_load(&page->users[n].ended) < others->begun[n] &&
            (!look_closely || shim_owner_lives(&page->users[n].owner)))
            return false;
    return true;
}

struct tf_fence *shim_shared_others(struct shim_shared *shared)
{
    struct others others = {{0}};
    bool any = false;
    for (unsigned n = 0; n < SHIM_PAGE_USERS; n++) {
        struct shim_user *user = &shared->page->users[n];
        uint64_t begun = atomic_load(&user->begun);
        if (!atomic_load(&user->owner.process) || user == shared->own || atomic_load(&user->ended) >= begun)
            continue;
        others.begun[n] = begun;
        any = true;
    }
    return any ? shim_watch_page(shared->page, others_ended, &others, sizeof others) : NULL;
}
