/* vulkan_resident: copies of guest memory in the device's own memory, as the files of the mirror share them.
 *
 * Roles and owners:
 *   vulkan_block     buffers that one large or several small copies lie in; counted by them.
 *   vulkan_hidden    a run that nobody but dispatches looks at; in the mirror's list.
 *   vulkan_resident  the copy of one run; in the mirror's list, or, while it holds results of a run that the snapshot shown has not, among
 *                    its ghosts.
 *
 * A copy has three buffers at the same offset: what the device works on; the shadow, which is what the guest is known to hold; and, made
 * when it is first needed, what was there before the dispatch that runs.
 */
#ifndef VULKAN_VULKAN_RESIDENT_H
#define VULKAN_VULKAN_RESIDENT_H

#include <pthread.h>

#include "base/base_span.h"
#include "memory/mem_track.h"
#include "vulkan/vulkan_compare.h"
#include "vulkan/vulkan_mirror.h"
#include "vulkan/vulkan_mover.h"

struct vulkan_block {
    struct vulkan_buffer copy, shadow, before; /* shadow: none where nothing is writable */
    uint64_t used;
    unsigned residents;
};

/* What dispatches stored where nothing was read: words that a mask marks. */
struct vulkan_owed {
    uint64_t start, size;      /* of guest memory, in one run */
    struct vulkan_block *mask; /* a byte for each word, and one more */
    uint64_t offset;           /* in the block, of what holds the mask from byte `lead` on */
    uint32_t lead;             /* below 4, so that each page's marks begin with a whole word */
    bool marking;              /* a dispatch has it, and what that stores is not yet among the pages' states */
};

/* What is known of a page of a copy. */
enum {
    PAGE_HELD = 1,   /* the shadow is what the guest had, and the copy too but for what the device wrote */
    PAGE_DOUBT = 2,  /* the guest may have changed it since */
    PAGE_MAYBE = 4,  /* the device may have written to the copy */
    PAGE_WROTE = 8,  /* the copy differs from the shadow */
    PAGE_OWED = 16,  /* some of what the device owes lies in it; the copy is of no use beside, unless it is HELD */
    PAGE_WHOLE = 32, /* the copy is what the guest is to have, all of it; none of the others */
};

/* Pages are those of the host: the run begins `phase` bytes into the first. */
struct vulkan_resident {
    struct mem_run run;
    struct mem_mapping mapping;
    struct vulkan_block *block; /* NULL: it has no copy yet */
    uint64_t offset, phase;     /* of the first page in the block; of the run in it */
    uint64_t pages;
    bool sole;      /* as created with */
    bool tracked;   /* what the guest writes is found by the mirror's track */
    bool results;   /* some pages may be MAYBE, WROTE, OWED or WHOLE */
    bool twice;     /* another run that is shown is, in part, the same memory: the device writes to neither */
    uint8_t *state; /* for each page */
    uint64_t *hash; /* of each page as the guest had it */
    struct vulkan_owed *owed;
    uint32_t owed_count;
    struct base_spans parts; /* of pages that are OWED, what dispatches stored all of; from the run's start on */
};

/* A run that nobody but dispatches looks at: that mapping, and none that comes in its place. */
struct vulkan_hidden {
    uint64_t start, size, born;
};
struct vulkan_hidden_runs {
    pthread_mutex_t lock;       /* guards what follows */
    struct vulkan_hidden *list; /* by start */
    size_t count, capacity;
};

struct vulkan_mirror {
    struct vulkan_host *host;
    struct vulkan_mover mover;
    struct vulkan_compare compare;
    struct mem_track *track; /* or NULL: the host has none */
    uint64_t version;        /* of the snapshot that is shown; 0: none is */
    uint64_t generation;     /* counts changes of which copies there are */
    struct vulkan_resident **shown, **ghosts;
    uint32_t shown_count, ghost_count;
    uint32_t twice_count;                   /* of those shown */
    struct vulkan_block *open, *open_masks; /* where small copies and masks go */
    struct vulkan_mirror_counts counts;
    bool seen_only; /* hidden runs are passed over just now */
    struct vulkan_hidden_runs hidden;
};

/* vulkan_hidden */
void vulkan_hidden_init(struct vulkan_hidden_runs *hidden);
void vulkan_hidden_finish(struct vulkan_hidden_runs *hidden);
/* Whether the run is hidden and those are passed over. */
bool vulkan_hidden_passes(struct vulkan_mirror *mirror, const struct vulkan_resident *resident);

/* vulkan_resident */
/* Of a run that may get a copy. sole: its pages are written by its host address alone, and hold nothing else. NULL: out of memory. */
struct vulkan_resident *vulkan_resident_create(const struct mem_run *run, const struct mem_mapping *mapping, bool sole);
/* It has a copy now. False: the device or the host is out of memory. */
bool vulkan_resident_make(struct vulkan_mirror *mirror, struct vulkan_resident *resident);
void vulkan_resident_destroy(struct vulkan_mirror *mirror, struct vulkan_resident *resident);
void vulkan_resident_finish(struct vulkan_mirror *mirror); /* when all of them are gone */
/* The pages that a range touches. False: none. */
bool vulkan_resident_touches(const struct vulkan_resident *resident, struct device_range range, uint64_t *first, uint64_t *end);
/* The bytes of the run in a page: where they begin in it, and how many they are. */
uint64_t vulkan_resident_bytes(const struct vulkan_resident *resident, uint64_t page, uint64_t *skip);
/* How many pages from `first` to `end` are in one of the states in `mask` (0: have none of them). */
uint64_t vulkan_resident_stretch(const struct vulkan_resident *resident, uint64_t first, uint64_t end, uint8_t mask,
                                 uint8_t wanted, uint64_t most);
/* The host's memory under a page's part of the run. */
uint8_t *vulkan_resident_guest(const struct vulkan_resident *resident, uint64_t page);
/* Whether the snapshot shows exactly this run. */
bool vulkan_resident_is_in(const struct vulkan_resident *resident, const struct mem_snapshot *snapshot);

/* Room in a block, which is held until it is left. shadow: for a copy with one; otherwise for a mask. NULL: out of memory. */
struct vulkan_block *vulkan_block_take(struct vulkan_mirror *mirror, uint64_t bytes, bool mask, bool shadow, uint64_t *offset);
void vulkan_block_leave(struct vulkan_mirror *mirror, struct vulkan_block *block);
/* The run that holds all of a range, whether it has a copy or not; the same where it has; NULL: none. */
struct vulkan_resident *vulkan_resident_find(const struct vulkan_mirror *mirror, struct device_range range);
struct vulkan_resident *vulkan_resident_of(const struct vulkan_mirror *mirror, struct device_range range);

/* vulkan_twice */
/* Finds the runs shown that are the same memory as others. What they hold goes to the guest, and what they have is in doubt. */
bool vulkan_twice_find(struct vulkan_mirror *mirror);
/* Results in the memory that a range shows go to the guest, by whatever address they were made. any: it becomes true where there are some that
 * were made by another. */
bool vulkan_twice_settle(struct vulkan_mirror *mirror, struct mem_snapshot *snapshot, struct device_range range, bool *any);
/* The guest may have changed its memory in the range: so may others of that memory. */
void vulkan_twice_doubt(struct vulkan_mirror *mirror, struct device_range range);

/* vulkan_owed */
/* Pages that are OWED or WHOLE, and neither MAYBE nor WROTE, are written back. */
bool vulkan_owed_settle(struct vulkan_mirror *mirror, struct vulkan_resident *resident, uint64_t first, uint64_t end);
void vulkan_owed_finish(struct vulkan_mirror *mirror, struct vulkan_resident *resident);

/* vulkan_settle */
/* MAYBE pages of everything become WROTE, or neither. */
bool vulkan_mirror_resolve(struct vulkan_mirror *mirror, struct device_range range);
/* All results in some pages are written back; of the first, those that are resolved. */
bool vulkan_mirror_settle_one(struct vulkan_mirror *mirror, struct vulkan_resident *resident, uint64_t first, uint64_t end);

bool vulkan_mirror_settle_pages(struct vulkan_mirror *mirror, struct vulkan_resident *resident, uint64_t first, uint64_t end);

/* vulkan_mirror */
bool vulkan_mirror_failed(const struct vulkan_mirror *mirror, char *reason); /* false always, with the mover's outcome in words */

#endif
