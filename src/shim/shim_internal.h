/* shim_internal: what the files of the core share: the device and the objects that handles stand for. */
#ifndef SHIM_SHIM_INTERNAL_H
#define SHIM_SHIM_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <amdgpu_drm.h>

#include <tenfold/tenfold.h>

#include "base/base_error.h"
#include "shim/shim.h"
#include "shim/shim_arena.h"
#include "shim/shim_chip.h"
#include "shim/shim_descriptor.h"
#include "shim/shim_table.h"

struct capture_recorder;
struct shim_shared;
struct shim_status;
struct shim_refusal;

enum {
    SHIM_PAGE = 4096,
    SHIM_RINGS = 4,           /* of a kind, at most */
    SHIM_KINDS = 3,           /* graphics, compute, SDMA: amdgpu's first three IP types */
    SHIM_MAP_SHIFT = 36,      /* GEM_MMAP's offset of a buffer is its handle shifted by this */
    SHIM_VA_LOWEST = 2 << 20, /* drivers get no addresses below */
};

/* Work that uses something: a submission of a ring. */
struct shim_use {
    uint64_t ring; /* its number */
    uint64_t sequence;
};

/* The last submissions that use a buffer, one for each ring. */
struct shim_uses {
    struct shim_use *list;
    size_t count, capacity;
};

enum shim_backing {
    SHIM_BACKING_NONE,  /* GDS and its kin: no memory of the host's */
    SHIM_BACKING_ARENA, /* a piece of the arena */
    SHIM_BACKING_FILE,  /* a file of its own: exported or imported */
    SHIM_BACKING_USER,  /* the program's memory */
};

enum { SHIM_METADATA_BYTES = 256 };

/* What drivers attach to a buffer, for those that it is shared with. */
struct shim_metadata {
    uint64_t flags, tiling;
    uint32_t bytes;
    uint8_t data[SHIM_METADATA_BYTES];
};

struct shim_buffer {
    uint32_t handle;
    enum shim_backing backing;
    uint64_t bytes; /* a multiple of the page size */
    uint64_t alignment;
    uint32_t domains;
    uint64_t flags;
    struct shim_piece piece;       /* ARENA */
    int descriptor;                /* FILE: the buffer's; -1: none */
    struct base_identity file;     /* FILE */
    struct shim_shared *shared;    /* FILE: what processes tell each other; the buffer's */
    uint64_t user;                 /* USER: its address */
    bool user_read_only;           /* USER */
    bool is_imported;              /* FILE: another process made it */
    struct shim_metadata metadata; /* not FILE: there it lies in the shared memory */
    struct shim_uses uses;
    uint32_t shown;          /* ranges of guest addresses that show it */
    uint64_t shown_at;       /* where it was shown last */
    _Atomic uint32_t mapped; /* ranges of the program's that show it; changed with the views' lock held */
    bool seen;               /* the host's programs may reach its memory, or could once */
    bool hidden;             /* they cannot, and the GPU was told so, of the range that follows */
    uint64_t hidden_at, hidden_bytes;
    uint32_t recorded;        /* its number in the capture, 0: none */
    void *view;               /* the core's own mapping of it; NULL: none needed yet */
    struct shim_buffer *next; /* in the graveyard */
};

/* A range of guest addresses that shows a buffer, or (buffer NULL) a range that is resident nowhere. */
struct shim_va {
    uint64_t start, bytes;
    struct shim_buffer *buffer;
    uint64_t offset;
    uint32_t flags;
};

/* A range of the program's addresses that shows a buffer. */
struct shim_view {
    uint64_t start, bytes;
    struct shim_buffer *buffer;
    uint64_t offset;
};

/* All of them. The lock is the innermost one: nothing is called while it is held. */
struct shim_views {
    pthread_mutex_t lock;
    struct shim_view *list; /* by start, never overlapping */
    size_t count, capacity;
    _Atomic uint64_t lowest, end; /* all of them lie in [lowest, end) */
};

/* A queue of a context. */
struct shim_ring {
    uint64_t number; /* of all rings of the device, never used again */
    unsigned kind, index;
    struct tf_queue *queue;
    pthread_mutex_t lock; /* held while a submission gets its number and is queued, so that both have the same order */
    /* The rest is guarded by the device's lock. */
    uint64_t last;                  /* sequence number of the last submission; they count from 1 */
    struct tf_fence **fences;       /* of sequence number n at n % capacity; NULL: ended */
    uint64_t capacity;              /* a power of two */
    uint32_t recorded;              /* its number in the capture */
    uint32_t *recorded_submissions; /* of sequence number n at n % capacity */
    unsigned holders;               /* the context and submissions on their way */
    struct shim_ring *next;         /* of all rings of the device */
};

struct shim_context {
    uint32_t handle;
    int32_t priority;
    uint32_t stable_pstate;
    struct shim_ring *rings[SHIM_KINDS][SHIM_RINGS]; /* NULL: not used yet */
    bool lost_told;                                  /* QUERY_STATE said so already */
};

struct shim_device {
    pthread_mutex_t lock; /* guards what follows, unless a member says else */
    const struct shim_chip *chip;
    struct tf_gpu *gpu;
    uint32_t device_id;                 /* of PCI: the chip's where window_base is the usual one; fixed */
    uint64_t window_base, window_bytes; /* what drivers are told to allocate from; fixed */
    uint64_t low_end;                   /* drivers may allocate below it too, where memory is reached more slowly; fixed */
    uint64_t local_bytes, visible_bytes, host_bytes; /* sizes of the memory domains; fixed */
    struct tf_fence *ended;                          /* an ended fence for all who need one; fixed */
    struct capture_recorder *recorder;               /* NULL: none; fixed */
    struct shim_status *status;                      /* the run's; fixed */

    struct shim_arena arena;
    struct shim_table buffers, contexts, syncobjs, lists;
    struct shim_buffer *graveyard; /* closed buffers that the GPU may still use */
    struct shim_ring *rings;
    uint64_t ring_count; /* made so far */
    struct shim_va *vas; /* by start, never overlapping */
    size_t va_count, va_capacity;
    struct shim_views views; /* under its own lock */
    uint64_t local_used, host_used;

    _Atomic uint64_t *calls;       /* of each row of the ioctl table */
    pthread_mutex_t refusals_lock; /* guards the next two; innermost */
    struct shim_refusal *refusals; /* what was refused by name */
    size_t refusal_count;
    _Atomic uint64_t lost_submissions, submissions;
    _Atomic bool told_failed; /* the run's status knows */
    bool silent, quiet;       /* fixed */
    _Atomic bool left;        /* the process is ending; everything was written */
    pid_t process;            /* whose device it is; fixed */
    const char *report;       /* its file; NULL: none; fixed */
};

/* The device of this process, made now if there is none. NULL, with *problem a negative errno, when it cannot be. */
struct shim_device *shim_device_get(int *problem);
/* The device if there is one. */
struct shim_device *shim_device_look(void);

/* -- buffers -- */

struct shim_buffer *shim_buffer_find(struct shim_device *device, uint32_t handle);
/* A buffer of an arena's or no memory, without a handle. NULL when out of memory. */
struct shim_buffer *shim_buffer_create(struct shim_device *device, const struct drm_amdgpu_gem_create_in *wish);
/* Gives it a handle; 0 when there is none. */
uint32_t shim_buffer_publish(struct shim_device *device, struct shim_buffer *buffer);
/* Closes its handle; the memory goes when the GPU is done with it. */
void shim_buffer_close(struct shim_device *device, struct shim_buffer *buffer);
/* Frees one that was never published, or what is left of one. */
void shim_buffer_destroy(struct shim_device *device, struct shim_buffer *buffer);
/* Frees closed buffers that the GPU is done with. */
void shim_buffer_reap(struct shim_device *device);
/* Counts its memory in its domain; shim_buffer_destroy takes it out again. */
void shim_buffer_count(struct shim_device *device, const struct shim_buffer *buffer);
/* Puts it into other domains. */
void shim_buffer_place(struct shim_device *device, struct shim_buffer *buffer, uint32_t domains);
/* The file and offset that its memory lies at; -1 for those that have none. */
int shim_buffer_file(const struct shim_buffer *buffer, uint64_t *offset);
/* Where the core itself reaches the buffer's memory; NULL when the host refuses. */
void *shim_buffer_view(struct shim_buffer *buffer);
/* Notes that a submission uses the buffer. False when out of memory. */
bool shim_buffer_use(struct shim_device *device, struct shim_buffer *buffer, uint64_t ring, uint64_t sequence);
/* Fences (retained, *count of them, the caller frees the list) of what still uses the buffer. False when out of memory. */
bool shim_buffer_pending(struct shim_device *device, const struct shim_buffer *buffer, struct tf_fence ***fences, size_t *count);

/* -- sharing -- */

/* Makes the buffer a file of its own. 0 or -errno. The device's lock is held, and let go while the GPU finishes with the
 * buffer. */
int shim_share_buffer_locked(struct shim_device *device, uint32_t handle);

/* -- guest addresses -- */

int shim_va_operate(struct shim_device *device, const struct drm_amdgpu_gem_va *wish);
/* Takes a buffer out of the address space. */
void shim_va_forget(struct shim_device *device, struct shim_buffer *buffer);
/* Shows a buffer whose memory moved where it was shown before. False when the host refuses. */
bool shim_va_refresh(struct shim_device *device, struct shim_buffer *buffer);
/* A writable guest address of the buffer's byte at offset (eight bytes of it), or 0. */
uint64_t shim_va_address(const struct shim_device *device, const struct shim_buffer *buffer, uint64_t offset);

/* -- the program's own mappings -- */

void *shim_view_map(struct shim_device *device, void *address, size_t bytes, int protection, int flags, uint64_t offset,
                    int *error);
void shim_view_unmapped(struct shim_device *device, uint64_t start, uint64_t bytes);
/* Lets the program's mappings show the buffer's memory where it lies now. */
bool shim_view_refresh(struct shim_device *device, struct shim_buffer *buffer);

/* -- contexts and rings -- */

/* The ring, made if there is none. NULL with *problem set. Held until shim_ring_release. */
struct shim_ring *shim_ring_hold(struct shim_device *device, uint32_t context, uint32_t kind, uint32_t instance, uint32_t index,
                                 int *problem);
void shim_ring_release(struct shim_device *device, struct shim_ring *ring);
/* The fence of a submission: retained; the ended one when it has ended long ago; NULL when there never was such a submission. */
struct tf_fence *shim_ring_fence(struct shim_device *device, struct shim_ring *ring, uint64_t sequence);
/* How many rings of a kind a context has; 0: no such kind. */
unsigned shim_ring_count(uint32_t kind);
/* Room for one more submission. Both with the ring's own lock held too. */
bool shim_ring_reserve(struct shim_ring *ring);
/* One more submission was queued, and ends with `done`. */
void shim_ring_submitted(struct shim_ring *ring, struct tf_fence *done, uint32_t recorded);
struct shim_ring *shim_ring_find(struct shim_device *device, uint64_t number);
/* The fence that a program names by context, ring and sequence number; NULL with *problem set. */
struct tf_fence *shim_context_fence(struct shim_device *device, const struct drm_amdgpu_fence *name, int *problem);
void shim_context_destroy(struct shim_device *device, struct shim_context *context);
/* Drops a ring that is not idle: what was submitted to it is lost. */
void shim_ring_destroy_first(struct shim_device *device);
/* Drops what contexts left behind, as far as it has ended. */
void shim_ring_reap(struct shim_device *device);

/* -- fences -- */

/* One fence for the end of them all; retained. Takes the list's references, not the list. NULL when out of memory. */
struct tf_fence *shim_fence_join(struct shim_device *device, struct tf_fence **fences, size_t count);
/* A deadline of amdgpu's: nanoseconds of CLOCK_MONOTONIC, negative for ever. */
uint64_t shim_deadline_amdgpu(uint64_t timeout);
uint64_t shim_deadline_after(uint64_t milliseconds);
/* Waits without being cancelled. */
bool shim_fence_wait(struct tf_fence *const *fences, size_t count, bool all, uint64_t deadline, size_t *first);

/* -- sync objects, as submissions use them -- */

/* The fence of a point (0: the object itself): retained. NULL: nothing was submitted to it yet. */
struct tf_fence *shim_syncobj_fence(struct shim_device *device, uint32_t handle, uint64_t point, int *problem);
/* As above, but waits (the lock is let go meanwhile) until something was submitted, or the deadline passed. */
struct tf_fence *shim_syncobj_await(struct shim_device *device, uint32_t handle, uint64_t point, uint64_t deadline, int *problem);
/* Lets the object (or a point of it) stand for the fence, which is retained. */
int shim_syncobj_attach(struct shim_device *device, uint32_t handle, uint64_t point, struct tf_fence *fence);
/* A new object that stands for the fence; its handle, or 0. */
uint32_t shim_syncobj_publish(struct shim_device *device, struct tf_fence *fence);

/* -- what is told to people -- */

/* A call that is refused because it is not implemented (or never will be): once for each name a line, and all in the report. */
void shim_report_refuse(struct shim_device *device, int problem, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* A submission was lost. Without the device's lock too, on any thread. */
void shim_report_lost(struct shim_device *device);
/* Says that a file of the run (what: "the report") is missing or is not whole, and makes the run's status say so. */
void shim_report_unwritten(struct shim_device *device, const char *what, const struct base_error *why);
/* Writes the report, notes failure in the run's status, and tells of failed work on standard error. */
void shim_report_write(struct shim_device *device);
bool shim_report_failed(struct shim_device *device);
void shim_report_finish(struct shim_device *device);
/* Makes this process the one whose number lies there; false when another was first. */
bool shim_status_claim(_Atomic uint32_t *place);
/* One line to standard error. */
void shim_report_line(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* shim_hide: buffers that no program of the host reaches. The device's lock is held. */
/* The buffer is shown to the guest there now; hidden where that is the only place, and nothing else reaches it. */
void shim_hide_buffer(struct shim_device *device, struct shim_buffer *buffer, uint64_t start, uint64_t bytes);
/* What is shown there is about to change: what the GPU left in the buffer is in its memory when this returns. */
void shim_hide_end(struct shim_device *device, struct shim_buffer *buffer);
/* Somebody is about to reach its memory. */
void shim_hide_seen(struct shim_device *device, struct shim_buffer *buffer);

#endif
