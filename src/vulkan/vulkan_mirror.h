/* vulkan_mirror: guest memory on a device with memory of its own: a copy of each mapped run, brought up to date before a dispatch, its results
 * written back when somebody asks.
 *
 * Roles and owners:
 *   vulkan_mirror         the copies of one engine; created and destroyed by it; under the engine's lock.
 *   vulkan_mirror_counts  what was moved so far; plain data.
 *
 * Life of a dispatch: vulkan_mirror_show, vulkan_mirror_take (what it may read is as the guest has it), vulkan_mirror_guard, the run, then
 * vulkan_mirror_wrote, or vulkan_mirror_undo where nothing of it shall have happened. Results stay on the device until
 * vulkan_mirror_settle, which writes back only through a snapshot that shows the run that they were made in.
 *
 * Functions return false with a reason (VULKAN_REASON_SIZE) when the device is out of memory or lost.
 */
#ifndef VULKAN_VULKAN_MIRROR_H
#define VULKAN_VULKAN_MIRROR_H

#include "device/device.h"
#include "memory/memory.h"
#include "trace/trace.h"
#include "vulkan/vulkan_memory.h"
#include "vulkan/vulkan_program.h"

struct vulkan_mirror;

struct vulkan_mirror_counts {
    uint64_t uploaded, written_back; /* bytes that went to the device; that came back into guest memory */
    uint64_t checked;                /* bytes of guest memory that may have changed and were looked through */
    uint64_t masked, filled;         /* bytes of ranges that dispatches marked; that were filled, and nothing ran */
    uint64_t resident;               /* bytes of guest memory that have a copy now */
};

/* direct: the copies are in the host's memory, and moved by the host. NULL: out of memory. */
struct vulkan_mirror *vulkan_mirror_create(struct vulkan_host *host, bool direct);
void vulkan_mirror_destroy(struct vulkan_mirror *mirror); /* NULL is fine */

/* The runs of the snapshot are those that may have copies; each gets one when it is first wanted. */
bool vulkan_mirror_show(struct vulkan_mirror *mirror, struct mem_snapshot *snapshot, char *reason);
/* The runs with copies, or that discard, become the table. False: out of memory. */
bool vulkan_mirror_table(const struct vulkan_mirror *mirror, struct vulkan_table *table);
/* The same for those of them, or parts, that lie in the ranges, which are ascending and apart. */
bool vulkan_mirror_parts(const struct vulkan_mirror *mirror, const struct device_range *ranges, uint32_t count,
                         struct vulkan_table *table);
/* The copies of what the snapshot shown has in the range hold what the guest has, with the results that the device holds. */
bool vulkan_mirror_take(struct vulkan_mirror *mirror, struct mem_snapshot *snapshot, struct device_range range, char *reason);
/* What was taken is on its way; what a dispatch that comes next does to the range can be undone. */
bool vulkan_mirror_guard(struct vulkan_mirror *mirror, struct mem_snapshot *snapshot, struct device_range range, char *reason);
/* The dispatch may have written all in the range that the guest may write. */
void vulkan_mirror_wrote(struct vulkan_mirror *mirror, struct device_range range);
/* Copies are as they were before. */
bool vulkan_mirror_undo(struct vulkan_mirror *mirror, struct device_range range, char *reason);

/* ---- memory that a dispatch stores to and does not read: ranges of whole words in one run that the guest may write ---- */

/* Whether the guest may write there, and the same memory is mapped at another address too: a copy of it is no place for stores. */
bool vulkan_mirror_is_twice(const struct vulkan_mirror *mirror, struct device_range range);
/* Where the device has a range, which gets a copy. 0: not in one piece, or the guest may not write there and shall. */
uint64_t vulkan_mirror_place(struct vulkan_mirror *mirror, struct device_range range, bool writes);
struct vulkan_mask {
    uint64_t address;                   /* of a byte for each word of the range, and of one more */
    const struct vulkan_buffer *buffer; /* which has `size` bytes from `offset` on, of which the mask begins with byte `lead` */
    uint64_t offset, size;
    uint32_t lead;
};
/* A mask that the dispatch is to mark what it stores in. Copies that hold nothing start at zero. */
bool vulkan_mirror_mask(struct vulkan_mirror *mirror, struct device_range range, struct vulkan_mask *mask, char *reason);
/* The dispatch has marked it, or it has not happened. */
void vulkan_mirror_marked(struct vulkan_mirror *mirror, struct device_range range, bool happened);
/* A dispatch that comes next stores all of the range. */
bool vulkan_mirror_yield(struct vulkan_mirror *mirror, struct device_range range, char *reason);
/* It has. */
bool vulkan_mirror_owns(struct vulkan_mirror *mirror, struct device_range range, char *reason);
/* Such words, put there without a dispatch; owned then. Where the copies are not the host's, only one word over and over and long rows of words can be
 * had. */
bool vulkan_mirror_can_fill(const struct vulkan_mirror *mirror, struct device_range range, const struct trace_words *words);
bool vulkan_mirror_fill(struct vulkan_mirror *mirror, struct device_range range, const struct trace_words *words, char *reason);

/* Results in the range are in guest memory: exactly the bytes that the device changed. */
bool vulkan_mirror_settle(struct vulkan_mirror *mirror, struct mem_snapshot *snapshot, struct device_range range, char *reason);
/* The same for what the host is about to read there, in the middle of preparing a dispatch; costs little where no results are. */
bool vulkan_mirror_ready(struct vulkan_mirror *mirror, struct mem_snapshot *snapshot, struct device_range range);
/* Whether some results may be in the range. */
bool vulkan_mirror_busy(const struct vulkan_mirror *mirror, struct device_range range);
/* The guest may have changed its memory in the range. */
void vulkan_mirror_changed(struct vulkan_mirror *mirror, struct device_range range);
/* Until it is shown again (hidden false) nobody reads a run, which the snapshot shows, or changes it, but dispatches and those that settle it
 * first. At any time, also while something runs. */
void vulkan_mirror_hide(struct vulkan_mirror *mirror, struct mem_snapshot *snapshot, struct device_range run, bool hidden);
/* vulkan_mirror_settle, and vulkan_mirror_changed, of everything that is not hidden. */
bool vulkan_mirror_publish(struct vulkan_mirror *mirror, struct mem_snapshot *snapshot, char *reason);
void vulkan_mirror_doubt(struct vulkan_mirror *mirror);
/* Whether the device holds results, or may: what would be lost with it. */
bool vulkan_mirror_holds(const struct vulkan_mirror *mirror);

struct vulkan_mirror_counts vulkan_mirror_counts(const struct vulkan_mirror *mirror);

#endif
