/* shim_device: the device of this process: made, found again, given up after a fork. */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <time.h>
#include <unistd.h>

#include "base/base_clock.h"
#include "capture/capture.h"
#include "shim/shim_device.h"
#include "shim/shim_ioctl.h"
#include "shim/shim_status.h"
#include "shim/shim_syncobj.h"
#include "shim/shim_tree.h"
#include "shim/shim_watch.h"

static const uint64_t gib = UINT64_C(1) << 30;
static const uint64_t clock_rate = 100000000, second_ns = 1000000000; /* counts of the GPU's clock a second */
static const char default_chip[] = "gfx1030";

/* -- making -- */

struct shim_options shim_options_read(void)
{
    const char *threads = getenv(SHIM_ENV_THREADS), *hang = getenv(SHIM_ENV_TIMEOUT);
    const char *drivers = getenv(SHIM_ENV_DRIVERS), *cache = getenv(SHIM_ENV_CACHE);
    return (struct shim_options){.run = getenv(SHIM_ENV_RUN),
                                 .chip = getenv(SHIM_ENV_CHIP),
                                 .device = getenv(SHIM_ENV_DEVICE),
                                 .memory = getenv(SHIM_ENV_MEMORY),
                                 .drivers = drivers ? drivers : "",
                                 .cache = cache && !strcmp(cache, "none") ? "" : cache,
                                 .report = getenv(SHIM_ENV_REPORT),
                                 .capture = getenv(SHIM_ENV_CAPTURE),
                                 .quiet = getenv(SHIM_ENV_QUIET),
                                 .deterministic = getenv(SHIM_ENV_DETERMINISTIC),
                                 .threads = threads ? (unsigned)strtoul(threads, NULL, 10) : 0,
                                 .hang_seconds = hang ? strtod(hang, NULL) : 0};
}

static void log_line(void *user, enum tf_log_level level, const char *text)
{
    const struct shim_device *device = user;
    if (level != TF_LOG_INFO && !device->silent)
        shim_report_line("%s", text);
}

/* The addresses that drivers allocate from: the window, without its lowest quarter, which is left to the library's own
 * allocations. It begins at a multiple of 4 GiB, because the driver counts the addresses whose high half is fixed from there. */
static void choose_addresses(struct shim_device *device)
{
    uint64_t base, bytes, part = 4 * gib;
    tf_memory_window(device->gpu, &base, &bytes);
    uint64_t own = (bytes / 4 + part - 1) / part * part;
    if (own >= bytes)
        own = bytes / 4 & ~(uint64_t)(SHIM_PAGE - 1);
    device->window_base = base + own;
    device->window_bytes = bytes - own;
    device->low_end = base < 512 * gib ? base : 512 * gib;
}

/* Shaders that drivers compiled for one high half of the addresses are wrong with another. Data that a program saved (VkPipelineCache)
 * names the device, so the device is another one then. Mesa's own cache does not: it is off in this process. */
static void choose_identity(struct shim_device *device)
{
    enum { NOBODYS_IDS = 0x8000 }; /* and the 15 bits that a high half has */
    uint64_t high = device->window_base / (4 * gib);
    device->device_id = device->chip->device_id;
    if (high == SHIM_USUAL_HIGH)
        return;
    device->device_id = NOBODYS_IDS | (uint32_t)(high % NOBODYS_IDS);
    if (getenv(SHIM_ENV_NO_CACHE))
        setenv(SHIM_ENV_NO_CACHE, "true", 1);
}

/* Three quarters of the host's memory, the chip's own share of it as large as the chip has it. */
static void choose_sizes(struct shim_device *device)
{
    struct sysinfo info;
    uint64_t all = sysinfo(&info) ? 4 * gib : (uint64_t)info.totalram * info.mem_unit;
    all = all / 4 * 3;
    device->local_bytes = (device->chip->memory_bytes < all / 2 ? device->chip->memory_bytes : all / 2) & ~(gib / 4 - 1);
    device->visible_bytes = device->local_bytes;
    device->host_bytes = (all - device->local_bytes) & ~(uint64_t)(SHIM_PAGE - 1);
}

bool shim_status_claim(_Atomic uint32_t *place)
{
    uint32_t nobody = 0;
    return atomic_compare_exchange_strong(place, &nobody, (uint32_t)getpid()) || nobody == (uint32_t)getpid();
}

/* The first process of a run has the name that was asked for, others add their number. What a process recorded stays when it becomes
 * another program, whose capture is one more. */
static bool name_capture(const struct shim_device *device, const char *wanted, char *path, size_t bytes)
{
    struct stat found;
    bool first = !device->status || shim_status_claim(&device->status->capture);
    int length = first ? snprintf(path, bytes, "%s", wanted) : snprintf(path, bytes, "%s.%d", wanted, (int)getpid());
    for (int more = 1; length < (int)bytes && !stat(path, &found) && S_ISREG(found.st_mode); more++)
        length = snprintf(path, bytes, "%s.%d.%d", wanted, (int)getpid(), more);
    return length < (int)bytes;
}

static void start_recorder(struct shim_device *device, const char *wanted)
{
    struct base_error error;
    struct drm_amdgpu_info_device info;
    char path[4096];
    shim_info_device(device, &info);
    struct capture_device facts = {.chip = tf_gpu_chip(device->gpu),
                                   .program = program_invocation_name,
                                   .va_alignment = SHIM_PAGE,
                                   .info = &info,
                                   .info_bytes = sizeof info};
    tf_memory_window(device->gpu, &facts.window_base, &facts.window_bytes);
    if (!name_capture(device, wanted, path, sizeof path))
        base_error_set(&error, "its name is too long");
    else
        device->recorder = capture_recorder_create(path, &facts, NULL, &error);
    if (!device->recorder)
        shim_report_unwritten(device, "the capture", &error);
}

uint64_t shim_device_clock(void)
{
    return base_clock_ns() / (second_ns / clock_rate);
}

/* What the GPU shows to its guest; a replay must show the same. */
static uint64_t read_clock(void *user)
{
    struct shim_device *device = user;
    uint64_t clock = shim_device_clock();
    capture_clock_read(device->recorder, clock);
    return clock;
}

/* Reached in signal handlers, where it may not happen lazily. */
static _Thread_local bool aside __attribute__((tls_model("initial-exec")));

bool shim_device_is_aside(void)
{
    return aside;
}

/* How long a process that ends waits: for what it submitted, as others may be waiting for it, and for the host's driver. */
enum { LEAVE_MS = 2000, LEAVE_HOST_S = 5 };

/* The process ends. Libraries that the host's driver shares with the program's are about to be taken down: nothing of ours may be at work in
 * them. A driver that is at work on a pipeline and does not come to an end of it in time is not waited for, nor is anything taken down then. */
static void leave_host(int status, void *unused)
{
    struct shim_device *device = shim_device_look();
    (void)unused;
    if (!device || device->process != getpid() || tf_gpu_leave_vulkan(device->gpu, LEAVE_HOST_S))
        return;
    fflush(NULL);
    shim_device_leave();
    _exit(status);
}

/* Set once there is a driver of the host to leave. */
static atomic_bool host_to_leave;

/* Who asked last is called first, and compilers that are at work for the host's driver ask for the end of their variables when they first need
 * them: in the middle of their work, which must be over before that. Leaving twice takes no time. */
void shim_device_before_others(void)
{
    if (atomic_load(&host_to_leave))
        on_exit(leave_host, NULL);
}

/* A driver of the host that looks for devices while ours is made would find the node, and wait for us. */
static bool create_gpu(struct shim_device *device, const struct tf_gpu_options *gpu)
{
    struct tf_error error;
    aside = true;
    bool good = tf_gpu_create(gpu, &device->gpu, &error) == TF_OK;
    aside = false;
    if (!good)
        shim_report_line("no virtual GPU: %s", error.text);
    if (!good || !gpu->device || !strcmp(gpu->device, "cpu"))
        return good;
    atomic_store(&host_to_leave, true);
    return !on_exit(leave_host, NULL);
}

static bool make_gpu(struct shim_device *device, const struct shim_options *options)
{
    struct tf_error error;
    struct tf_gpu_options gpu = {.size = sizeof gpu,
                                 .chip = device->chip->name,
                                 .threads = options->threads,
                                 .log = log_line,
                                 .log_user = device,
                                 .queue_timeout = options->hang_seconds,
                                 .queue_deterministic = options->deterministic,
                                 .device = options->device,
                                 .memory = options->memory,
                                 .vulkan_drivers = options->drivers,
                                 .cache = options->cache};
    if (options->capture) {
        gpu.clock = read_clock;
        gpu.clock_user = device;
        gpu.queue_deterministic = true; /* what depends on the order of waves is the same in a replay */
    }
    if (!create_gpu(device, &gpu))
        return false;
    if (tf_fence_create(&device->ended, &error) != TF_OK)
        return false;
    tf_fence_signal(device->ended, TF_FENCE_DONE);
    return true;
}

struct shim_device *shim_device_create(const struct shim_options *options, int *problem)
{
    struct shim_device *device = calloc(1, sizeof *device);
    *problem = -ENOMEM;
    if (!device)
        return NULL;
    pthread_mutex_init(&device->lock, NULL);
    pthread_mutex_init(&device->views.lock, NULL);
    pthread_mutex_init(&device->refusals_lock, NULL);
    device->views.lowest = UINT64_MAX;
    device->calls = calloc(shim_ioctl_rows(), sizeof *device->calls);
    device->silent = options->silent;
    device->chip = shim_chip_find(options->chip ? options->chip : default_chip);
    if (!device->chip) {
        shim_report_line("there is no chip '%s'", options->chip);
        *problem = -ENODEV;
    }
    if (!device->chip || !device->calls || !make_gpu(device, options)) {
        shim_device_destroy(device, 0);
        return NULL;
    }
    choose_addresses(device);
    choose_identity(device);
    choose_sizes(device);
    device->report = options->report;
    device->quiet = options->quiet;
    device->process = getpid();
    device->status = options->run ? shim_tree_status(options->run) : NULL;
    if (device->status)
        atomic_fetch_add(&device->status->used, 1);
    if (options->capture)
        start_recorder(device, options->capture);
    *problem = 0;
    return device;
}

/* -- ending -- */

bool shim_device_drain(struct shim_device *device, uint64_t wait_ms)
{
    uint64_t deadline = shim_deadline_after(wait_ms);
    bool drained = true;
    pthread_mutex_lock(&device->lock);
    size_t count = 0, most = 0;
    for (struct shim_ring *ring = device->rings; ring; ring = ring->next)
        most++;
    struct tf_fence **fences = calloc(most + 1, sizeof *fences);
    for (struct shim_ring *ring = device->rings; fences && ring; ring = ring->next)
        if ((fences[count] = shim_ring_fence(device, ring, ring->last)))
            count++;
    pthread_mutex_unlock(&device->lock);
    if (count)
        drained = shim_fence_wait(fences, count, true, deadline, NULL);
    for (size_t n = 0; n < count; n++)
        tf_fence_release(fences[n]);
    free(fences);
    return drained;
}

static void drop_objects(struct shim_device *device)
{
    uint32_t handle = 0;
    for (struct shim_buffer *buffer; (buffer = shim_table_next(&device->buffers, &handle));)
        shim_buffer_close(device, buffer);
    handle = 0;
    for (struct shim_syncobj *object; (object = shim_table_next(&device->syncobjs, &handle));)
        shim_syncobj_release(object);
    handle = 0;
    for (struct shim_context *context; (context = shim_table_next(&device->contexts, &handle));)
        shim_context_destroy(device, context);
    handle = 0;
    for (void *list; (list = shim_table_next(&device->lists, &handle));)
        shim_list_destroy(list);
}

void shim_device_destroy(struct shim_device *device, uint64_t wait_ms)
{
    struct base_error error;
    if (device->gpu) {
        shim_device_drain(device, wait_ms);
        drop_objects(device);
        while (device->rings) {
            device->rings->holders = 0;
            shim_ring_destroy_first(device);
        }
        while (device->graveyard) {
            struct shim_buffer *buffer = device->graveyard;
            device->graveyard = buffer->next;
            shim_buffer_destroy(device, buffer);
        }
        capture_recorder_destroy(device->recorder, &error);
        tf_fence_release(device->ended);
        tf_gpu_destroy(device->gpu);
    }
    shim_table_finish(&device->buffers);
    shim_table_finish(&device->contexts);
    shim_table_finish(&device->syncobjs);
    shim_table_finish(&device->lists);
    shim_arena_finish(&device->arena);
    if (device->status)
        munmap(device->status, sizeof *device->status);
    shim_report_finish(device);
    free(device->vas);
    free(device->views.list);
    free(device->calls);
    pthread_mutex_destroy(&device->refusals_lock);
    pthread_mutex_destroy(&device->views.lock);
    pthread_mutex_destroy(&device->lock);
    free(device);
}

/* -- the process's own -- */

enum mark { MARK_NONE, MARK_MADE, MARK_MAKING };

static struct {
    pthread_mutex_t lock; /* held while a device is made */
    struct shim_device *_Atomic device;
    int problem; /* why there is none; kept, so that not every call tries again */
    /* A page that is zero again in a forked child: there, what the parent made is not the child's. A child that shares memory
     * with its parent (vfork) sees the parent's. NULL: none yet. */
    _Atomic uint32_t *_Atomic mark;
} process = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void clear_mark(void)
{
    if (process.mark)
        atomic_store(process.mark, MARK_NONE);
}

static bool make_mark(void)
{
    void *page = process.mark ? NULL : mmap(NULL, SHIM_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return false;
    if (page && madvise(page, SHIM_PAGE, MADV_WIPEONFORK) && pthread_atfork(NULL, NULL, clear_mark))
        return false;
    if (page)
        process.mark = page;
    atomic_store(process.mark, MARK_MADE);
    return true;
}

/* Closes what a child inherited, so that it does not keep the parent's memory. Where another thread was changing the lists when
 * the process forked, they cannot be trusted, and everything stays. */
static void close_inherited(struct shim_device *device)
{
    uint32_t handle = 0;
    if (pthread_mutex_trylock(&device->lock))
        return;
    for (struct shim_buffer *buffer; (buffer = shim_table_next(&device->buffers, &handle));)
        if (buffer->backing == SHIM_BACKING_FILE)
            base_descriptor_close(buffer->descriptor, buffer->file);
    handle = 0;
    for (struct shim_syncobj *object; (object = shim_table_next(&device->syncobjs, &handle));)
        base_descriptor_close(object->descriptor, object->file);
    shim_arena_finish(&device->arena);
}

/* In a forked child, on the first thread that comes here: the parent's device is left alone (its threads are not here, its
 * locks may be held), but for its window, which a fresh one takes over, so that addresses that drivers remember stay right. */
static void abandon(void)
{
    struct shim_device *device = process.device;
    uint64_t base, bytes;
    process.device = NULL;
    process.problem = 0;
    pthread_mutex_init(&process.lock, NULL);
    shim_watch_abandon();
    if (!device)
        return;
    capture_recorder_abandon(device->recorder);
    tf_memory_window(device->gpu, &base, &bytes);
    syscall(SYS_munmap, base, bytes);
    close_inherited(device);
}

/* True in a child until its first thread has given up what was the parent's. */
static bool is_child(void)
{
    return process.mark && atomic_load(process.mark) != MARK_MADE;
}

static void settle_child(void)
{
    uint32_t none = MARK_NONE;
    if (atomic_compare_exchange_strong(process.mark, &none, MARK_MAKING)) {
        abandon();
        atomic_store(process.mark, MARK_MADE);
    }
    while (atomic_load(process.mark) != MARK_MADE)
        sched_yield();
}

struct shim_device *shim_device_get(int *problem)
{
    if (is_child())
        settle_child();
    struct shim_device *device = process.device;
    if (device)
        return device;
    pthread_mutex_lock(&process.lock);
    if (!process.device && !process.problem) {
        struct shim_options options = shim_options_read();
        if (make_mark())
            process.device = shim_device_create(&options, &process.problem);
        else
            process.problem = -ENOMEM;
    }
    device = process.device;
    *problem = process.problem;
    pthread_mutex_unlock(&process.lock);
    return device;
}

struct shim_device *shim_device_look(void)
{
    return is_child() ? NULL : process.device;
}

void shim_device_set(struct shim_device *device)
{
    process.device = device;
}

void shim_device_leave(void)
{
    struct shim_device *device = shim_device_look();
    struct base_error error;
    /* A child that shares our memory until it runs another program (vfork) is not this process's end. */
    if (!device || device->process != getpid() || atomic_exchange(&device->left, true))
        return;
    shim_device_drain(device, LEAVE_MS);
    if (!capture_recorder_finish(device->recorder, &error)) /* not destroyed: other threads may be in it to the end */
        shim_report_unwritten(device, "the capture", &error);
    shim_report_write(device);
}
