/* vulkan_host: a host Vulkan device at work: its driver opened at run time, its facts, memory, pipelines and runs of translated programs.
 *
 * Roles and owners:
 *   vulkan_host      one open device; created once, destroyed after everything made from it; its functions may be called from several
 *                    threads.
 *   vulkan_facts     what the device can do; plain data, in the host.
 *   vulkan_failure   why there is no open device; plain data, the caller's.
 *   vulkan_buffer    memory that both sides see; finished by its owner.
 *   vulkan_pipeline  a module ready to run; destroyed by its owner.
 *   vulkan_run       one run's buffers and size; plain data, the caller's.
 */
#ifndef VULKAN_VULKAN_HOST_H
#define VULKAN_VULKAN_HOST_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <vulkan/vulkan_core.h>

enum { VULKAN_NAME_SIZE = 256, VULKAN_LACKS_SIZE = 256, VULKAN_COSTS_SIZE = 512, VULKAN_ERROR_SIZE = 1024 };

struct vulkan_facts {
    char name[VULKAN_NAME_SIZE];
    char lacks[VULKAN_LACKS_SIZE]; /* what translated programs need and it has not, by name; empty: it will do */
    char costs[VULKAN_COSTS_SIZE]; /* what it has not, or not enough of, and can do without: lines of what, and what that costs */
    uint32_t subgroup;
    uint32_t shared_bytes;
    uint32_t group_invocations;
    uint64_t window_bytes,
        window_alignment;      /* how much a binding may show, and where it may begin; bytes 0: too few bindings for windows */
    uint64_t import_alignment; /* 0: cannot import host memory */
    uint8_t denormals;         /* enum spirv_denormals */
    bool sets_subgroup;        /* the size can and must be asked for */
    bool long_atomics;
    bool narrow;         /* lacks 64-bit integers or floats, or bytes in storage buffers: modules do without */
    bool works_in_place; /* its memory is the host's */
    bool fused;          /* fma of f32 rounds once; whether it does is found out only where denormals are lost */
    bool alike;          /* results of f32 are flushed as MODE would flush them (vulkan_floats.h) */
    bool few_rounds;     /* it ends loops, without a word, when a wave has taken so many rounds in all */
    bool is_host;        /* it is the host's cores: imports are addresses, and hold on to nothing */
    uint8_t
        identity[2 *
                 VK_UUID_SIZE]; /* of the device and of the driver's version: what was compiled for another one is of no use */
};

struct vulkan_host;

/* Where drivers are looked for. NULL: where VK_DRIVER_FILES or VK_ICD_FILENAMES say, else in the places where drivers are installed. "":
 * only in those places. Otherwise files that describe a driver (ICD files), separated by colons. */
struct vulkan_choice {
    const char *drivers;
    const char *device; /* NULL or "": the first that will do; a number as vulkan_host_list counts, or a part of the name */
};

struct vulkan_failure {
    bool mistaken; /* what was asked for is not there; else the device is, and cannot be used */
    char text[VULKAN_ERROR_SIZE];
};

/* NULL with a failure, whose text lists the devices that there are where none is meant. */
struct vulkan_host *vulkan_host_open(const struct vulkan_choice *choice, struct vulkan_failure *failure);
/* The same with the usual drivers. */
struct vulkan_host *vulkan_host_create(const char *device, struct vulkan_failure *failure);
void vulkan_host_destroy(struct vulkan_host *host); /* NULL is fine */
const struct vulkan_facts *vulkan_host_facts(const struct vulkan_host *host);
/* Tells the facts of each device, in the numbering that a choice takes. */
void vulkan_host_list(const char *drivers, void (*each)(void *user, unsigned number, const struct vulkan_facts *facts),
                      void *user);

struct vulkan_buffer {
    VkBuffer buffer;
    VkDeviceMemory memory;
    void *at;         /* as the host sees it; NULL: it does not */
    uint64_t address; /* as the device sees it */
    uint64_t size;
};

enum vulkan_place {
    VULKAN_PLACE_HOST,   /* mapped and coherent, quick to read for the host */
    VULKAN_PLACE_NEAR,   /* mapped and coherent, quick to read for the device where it has such memory */
    VULKAN_PLACE_DEVICE, /* the device's own, not mapped */
};

/* Fresh memory. False: the device has none left. */
bool vulkan_buffer_place(struct vulkan_host *host, enum vulkan_place place, uint64_t size, struct vulkan_buffer *buffer);
/* The same in VULKAN_PLACE_HOST. */
bool vulkan_buffer_create(struct vulkan_host *host, uint64_t size, struct vulkan_buffer *buffer);
/* The host's own memory at `at`, both aligned to the facts' import_alignment. */
bool vulkan_buffer_import(struct vulkan_host *host, void *at, uint64_t size, struct vulkan_buffer *buffer);
void vulkan_buffer_finish(struct vulkan_host *host, struct vulkan_buffer *buffer); /* zeros are fine */

struct vulkan_pipeline;

enum vulkan_outcome {
    VULKAN_DONE,
    VULKAN_REFUSED,   /* the driver does not take the module */
    VULKAN_NO_MEMORY, /* the host or the device has none left; nothing has happened */
    VULKAN_LOST,      /* the device is gone; what was asked for may have happened in part */
    VULKAN_STOPPED,   /* given up, and it has ended since: a part of it has happened */
    VULKAN_STUCK,     /* it was waited for as long as it may be, and is still at work; from then on it counts as lost */
};

const char *vulkan_outcome_name(enum vulkan_outcome outcome); /* "the host device is lost" */

/* lds_words: what the module's constant 0 becomes. NULL with why it was (which may be NULL). */
struct vulkan_pipeline *vulkan_pipeline_create(struct vulkan_host *host, const uint32_t *words, size_t word_count,
                                               uint32_t lds_words, enum vulkan_outcome *why);
void vulkan_pipeline_destroy(struct vulkan_host *host, struct vulkan_pipeline *pipeline);

enum { VULKAN_BINDINGS = 4, VULKAN_WINDOWS = 8, VULKAN_TOLD = 26 };
/* A part of a buffer that a module sees as a binding, behind the others. */
struct vulkan_window {
    const struct vulkan_buffer *buffer; /* NULL: none */
    uint64_t offset, size;
};
/* How long a run is waited for; the caller's. Once it is given up, a word tells its waves, which look there now and then in loops; whether they have or not, it
 * has a little longer to end. */
struct vulkan_patience {
    const _Atomic bool *cancel; /* or NULL: given up once true */
    double seconds;             /* given up after so many; 0: never */
    uint32_t *stop;             /* set to 1 when it is given up; in memory that the device sees */
};
struct vulkan_run {
    const struct vulkan_patience *patience; /* NULL: without end */
    struct vulkan_pipeline *pipeline;
    const struct vulkan_buffer *buffers[VULKAN_BINDINGS]; /* NULL: the module does not look at it */
    struct vulkan_window windows[VULKAN_WINDOWS];
    uint32_t first[3], count[3]; /* groups; count 0 in z: none */
    uint32_t told[VULKAN_TOLD];  /* to the module, behind the groups of each of its parts */
    uint32_t merged;             /* neighbours in x that are one group of the module's; 0: 1 */
};

enum { VULKAN_GRACE_S = 2 }; /* after a run was given up */
/* Whether nothing that was given up is still at work, after so many seconds at most; negative: without end. Buffers and pipelines of such a run
 * must stay until then. */
bool vulkan_host_rests(struct vulkan_host *host, double seconds);
/* Runs to its end; with no groups it runs nothing, but has the driver do what it puts off until a pipeline's first run. */
enum vulkan_outcome vulkan_host_run(struct vulkan_host *host, const struct vulkan_run *run);

/* What the driver keeps of the pipelines that it has compiled, as one piece of memory that it understands itself: the caller's to free.
 * NULL: none, or out of memory. */
void *vulkan_host_save(struct vulkan_host *host, size_t *size);
/* Gives such a piece back, to be used by pipelines that are created from now on. It must be as it was saved, by a device of this identity. */
void vulkan_host_load(struct vulkan_host *host, const void *data, size_t size);

#endif
