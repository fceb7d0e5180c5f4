/* shim: presents an amdgpu render node to the process that it is loaded into, and carries out what a driver asks of it on a
 * tf_gpu.
 *
 * Two libraries are built from this folder. The preload library (preload/) is loaded into every process of a run: it redirects
 * the few paths of the node, recognises the node's descriptors, and loads the core when one of them is first used. A process
 * that never uses the node never sees more of it. The core (the files here) is the device.
 *
 * Roles and owners:
 *   shim_entry     what the core offers to the preload library; static.
 *   shim_device    the device of this process: its tf_gpu and everything that handles stand for; made at the first use, kept
 *                  until the process ends. A forked child makes its own.
 *   shim_chip      what a chip says of itself; a static row of shim_chips.def.
 *   shim_buffer    a GEM buffer: a piece of the device's arena, shared memory of its own (once exported, or imported), or the
 *                  program's memory; owned by the device's table until its handle is closed, then by the device's graveyard
 *                  until the GPU is done with it.
 *   shim_context   a context and its rings (each a tf_queue, made when first used); counted, because submissions hold them.
 *   shim_syncobj   a DRM synchronisation object; counted, because several handles may name one.
 *   shim_shared    memory that processes share to tell each other of work in flight; owned by the buffer or syncobj that it
 *                  belongs to.
 *   shim_status    one small file of the run, in which its processes note that GPU work failed.
 */
#ifndef SHIM_SHIM_H
#define SHIM_SHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct sigaction; /* of <signal.h> */

enum { SHIM_ENTRY_VERSION = 3 };

struct shim_entry {
    unsigned version; /* SHIM_ENTRY_VERSION: the two libraries of one build belong together */
    /* The ioctl of a descriptor of the node: 0 or more, or a negative errno. */
    int (*ioctl)(unsigned long request, void *argument);
    /* mmap of a descriptor of the node. MAP_FAILED with *error set, a positive errno. */
    void *(*map)(void *address, size_t bytes, int protection, int flags, uint64_t offset, int *error);
    /* The program unmapped (or mapped something else over) this range. */
    void (*unmapped)(const void *address, size_t bytes);
    /* ioctl of a sync file: as ioctl. -ENOTTY when the descriptor is none. */
    int (*sync_ioctl)(int descriptor, unsigned long request, void *argument);
    /* sigaction for SIGSEGV and SIGBUS, which the device's memory handles too. False: it does not now; call sigaction.
     * Signal-safe. */
    bool (*signal_action)(int number, const struct sigaction *action, struct sigaction *old);
    /* The process is about to end. */
    void (*leave)(void);
    /* Whether this thread is at work for the host's device: its paths are the host's. Signal-safe. */
    bool (*aside)(void);
    /* Something asked to be called at the end of the process: what the device does there comes before it. */
    void (*before_others)(void);
};

/* The core's only symbol, found with dlsym. */
#define SHIM_ENTRY_SYMBOL "tenfold_shim_entry"
__attribute__((visibility("default"))) const struct shim_entry *tenfold_shim_entry(void);

/* Names of the environment that `tenfold run` makes for the run's processes. */
#define SHIM_ENV_RUN    "TENFOLD_RUN"    /* the run's private folder: the node's files and the status */
#define SHIM_ENV_CHIP   "TENFOLD_CHIP"   /* "gfx1030", or a driver's name for it: "NAVI21" */
#define SHIM_ENV_DEVICE "TENFOLD_DEVICE" /* the host device, as --device names it; unset: cpu */
#define SHIM_ENV_MEMORY "TENFOLD_MEMORY" /* as --memory has it; unset: as the device can */
#define SHIM_ENV_DRIVERS \
    "TENFOLD_VULKAN_DRIVERS" /* the host's Vulkan drivers: files that describe them; empty or unset: those that are installed */
#define SHIM_ENV_CACHE \
    "TENFOLD_CACHE" /* the folder that keeps what was compiled for a Vulkan device; "none"; unset: the user's own */
#define SHIM_ENV_REPORT  "TENFOLD_REPORT"  /* the report's file; unset: none */
#define SHIM_ENV_CAPTURE "TENFOLD_CAPTURE" /* the capture's file; unset: none */
#define SHIM_ENV_THREADS "TENFOLD_THREADS" /* host threads; unset: as many as there are cores */
#define SHIM_ENV_TIMEOUT \
    "TENFOLD_TIMEOUT" /* seconds without progress that are a hang; unset: the library's own; negative: never */

#define SHIM_ENV_DETERMINISTIC "TENFOLD_DETERMINISTIC" /* set: as tf_gpu_options' queue_deterministic */
#define SHIM_ENV_QUIET         "TENFOLD_QUIET"         /* set: no lines about work that did not fail */

/* The high half of the addresses that drivers allocate from, where nothing was in the window's way. Drivers compile it into shaders, which
 * they and programs keep in files: where it is another one, the device has another identity (0170). A version of Tenfold that changes
 * it gives the chips other device_ids. */
enum { SHIM_USUAL_HIGH = 0x5040 };

/* Mesa's switch for its cache of shaders on disk: set in every process of a run, so that the core can turn it without the environment's
 * list of names changing. */
#define SHIM_ENV_NO_CACHE "MESA_SHADER_CACHE_DISABLE"

/* Files of the run's folder. */
#define SHIM_STATUS_FILE "status"

#endif
