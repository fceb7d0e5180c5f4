/* vulkan_program: programs made ready for the host device: found again by address and registers, translated and compiled by a thread of
 * their own, kept in memory and on disk.
 *
 * Roles and owners:
 *   vulkan_programs  all of an engine's; created and destroyed by it; its functions may be called from any thread.
 *   vulkan_program   one program as one set of registers runs it; the programs'; held by whoever looked it up, until released.
 *   vulkan_account   what dispatches of a program came to; plain data.
 */
#ifndef VULKAN_VULKAN_PROGRAM_H
#define VULKAN_VULKAN_PROGRAM_H

#include <time.h>

#include "isa/isa.h"
#include "memory/memory.h"
#include "spirv/spirv.h"
#include "vulkan/vulkan_cache.h"
#include "vulkan/vulkan_host.h"
#include "wave/wave.h"

enum { VULKAN_REASON_SIZE = 256, VULKAN_NOTE_SIZE = 192 };

/* What programs are made with; the caller's, and outlives them. */
struct vulkan_workshop {
    struct vulkan_host *host;
    const struct spirv_library *library;
    enum isa_chip_bit chip;
    const struct vulkan_cache *cache; /* or NULL */
    bool marks;                       /* work goes on copies: stores may have to be marked */
};

enum vulkan_stage {
    VULKAN_WAITING, /* not compiled yet */
    VULKAN_READY,
    VULKAN_NEVER, /* the device does not carry it out; reason says why */
};

struct vulkan_account {
    uint64_t dispatches, failed, groups, waves; /* on the device */
    uint64_t elsewhere;                         /* dispatches that the CPU device carried out, for the reason below */
    char reason[VULKAN_REASON_SIZE];            /* the last one */
    char note[VULKAN_NOTE_SIZE]; /* how global loads were bound from a sample of groups, the first time; empty: none were */
};

/* Modules that reach windows alone; of none of these: a fast one. */
enum vulkan_kind {
    VULKAN_MARKS = 1,   /* it marks what it stores */
    VULKAN_CERTAIN = 2, /* it looks at no index */
    VULKAN_KINDS = 4
};

/* A module and its pipeline; NULLs: not there. */
struct vulkan_variant {
    struct vulkan_pipeline *pipeline;
    const struct spirv_module *module;
};

struct vulkan_program {
    uint64_t address;
    unsigned wave_size;
    bool loops, strays; /* it has loops; jumps to where registers say, or reaches scratch */
    /* Once ready; one of them is there. */
    struct vulkan_variant near[VULKAN_KINDS]; /* by enum vulkan_kind, added up; see vulkan_programs_near */
    struct vulkan_variant searching;          /* see vulkan_programs_search */
    double wave_seconds;                      /* what a wave of late took here; 0: not known; the engine's, in a run */
    uint32_t forms;                           /* that searching has: enum spirv_form */
    unsigned misses;                          /* dispatches whose lanes left their windows; the engine's, in a run */
    unsigned scattered;                       /* dispatches whose stores left what a sample bound; the engine's, in a run */
    unsigned lanes;                           /* of a wave, that one invocation carries */
    uint32_t exact, approximate;              /* operations in it */
};

struct vulkan_programs;

struct vulkan_programs *vulkan_programs_create(const struct vulkan_workshop *workshop); /* NULL: out of memory or threads */
/* Ends compiling, after what is being compiled now: programs that are not ready then never will be. False: that took too long. until: by
 * CLOCK_MONOTONIC; NULL: for ever. */
bool vulkan_programs_stop(struct vulkan_programs *programs, const struct timespec *until);
/* So many seconds from now. */
struct timespec vulkan_deadline(double seconds);
/* NULL is fine; none may be held. */
void vulkan_programs_destroy(struct vulkan_programs *programs);

/* The program of a dispatch as it is in memory; its translation has begun. packed: lanes go in step with their waves, whatever the program.
 * NULL: out of memory. */
struct vulkan_program *vulkan_programs_hold(struct vulkan_programs *programs, struct mem_snapshot *snapshot,
                                            const struct wave_dispatch *dispatch, bool packed);
/* Begins translating a program that was not met yet, whatever becomes of the words that it has now. */
void vulkan_programs_expect(struct vulkan_programs *programs, struct mem_snapshot *snapshot,
                            const struct wave_dispatch *dispatch);
void vulkan_programs_release(struct vulkan_programs *programs, struct vulkan_program *program);

/* Waits until the program is ready or never will be, or, unless patient, until what is left of the wait is longer than the CPU device would
 * take, or cancel (or NULL) is true. */
enum vulkan_stage vulkan_programs_await(struct vulkan_programs *programs, struct vulkan_program *program, uint64_t waves,
                                        bool patient, const _Atomic bool *cancel, char reason[VULKAN_REASON_SIZE]);

/* Has the program's searching variant ready, compiling it now if need be; only in a run. False with a reason. */
bool vulkan_programs_search(struct vulkan_programs *programs, struct vulkan_program *program, char reason[VULKAN_REASON_SIZE]);

/* The same of a module that reaches windows alone. NULL for good: the program allows none of that kind (enum vulkan_kind, added up). */
const struct vulkan_variant *vulkan_programs_near(struct vulkan_programs *programs, struct vulkan_program *program,
                                                  unsigned kind);
/* The module that tells best what a dispatch reaches. */
const struct spirv_module *vulkan_program_module(const struct vulkan_program *program);

/* The same of a program with image operations and those forms of images. */
bool vulkan_programs_allow(struct vulkan_programs *programs, struct vulkan_program *program, uint32_t forms,
                           char reason[VULKAN_REASON_SIZE]);

/* The device does not carry the program out after all. */
void vulkan_programs_refuse(struct vulkan_programs *programs, struct vulkan_program *program, const char *reason);

/* Adds to the program's account; its reason counts where it has one. cpu_seconds: what the CPU device took. */
void vulkan_programs_count(struct vulkan_programs *programs, struct vulkan_program *program, const struct vulkan_account *more);
void vulkan_programs_time(struct vulkan_programs *programs, struct vulkan_program *program, uint64_t waves, double cpu_seconds);
/* Tells of every program that is still in memory as it was, and at the end of all others together (program NULL). */
void vulkan_programs_tell(struct vulkan_programs *programs,
                          void (*each)(void *user, const struct vulkan_program *program, const struct vulkan_account *account),
                          void *user);

/* A dispatch's waves in a group. */
unsigned vulkan_group_waves(const struct wave_dispatch *dispatch);

#endif
