/* wave_track: runs one wave of a dispatch on the host with partial knowledge: what memory it reaches, without reaching any.
 *
 * A register is known or not: scalar ones bit by bit, vector ones lane by lane. Values follow from known memory and known
 * registers; whatever depends on something unknown is unknown, and a branch on an unknown condition ends the run, by name. Guest
 * memory is only read: stores reach none, and a load of what the run has stored itself is unknown. The wave's own scratch is
 * kept aside and works. Local and global data shares are unknown, as other waves write them.
 *
 * Roles and owners:
 *   wave_tracker        runs waves of one dispatch, one after the other; created and destroyed by the caller. What it was created from must
 *                       outlive it.
 *   wave_track_options  which wave, and who hears of its accesses; the caller's.
 *   wave_track_access   one memory instruction as it was met; valid during the callback.
 *   wave_track_view     the registers where the run ended; valid during the callback.
 *   wave_track_result   how the run ended; plain data. */
#ifndef WAVE_WAVE_TRACK_H
#define WAVE_WAVE_TRACK_H

#include "ir/ir.h"
#include "wave/wave.h"

enum wave_track_end {
    WAVE_TRACK_ENDED,          /* the wave came to its end */
    WAVE_TRACK_UNKNOWN_BRANCH, /* the condition is not known */
    WAVE_TRACK_UNKNOWN_JUMP,   /* the address of a computed jump is not known */
    WAVE_TRACK_REFUSED,        /* an unsupported or unknown instruction, or code that can't be read */
    WAVE_TRACK_TRAP,
    WAVE_TRACK_TOO_LONG, /* options.max_steps */
    WAVE_TRACK_ENOUGH,   /* a block of options.enough */
    WAVE_TRACK_END_COUNT
};

/* Bytes of one lane's access that lie together. */
struct wave_track_span {
    uint64_t address;
    uint32_t bytes;
    uint8_t lane;
};

enum { WAVE_TRACK_SPANS = 64 * 32, WAVE_TRACK_ACCESS_STEPS = 16 };

struct wave_track_access {
    uint64_t pc;
    const struct ir_access *access; /* or NULL, */
    const struct ir_image *image;   /* of an image operation */
    bool store, atomic;
    bool uniform;              /* a scalar access: lane 0 stands for the wave */
    uint32_t bytes;            /* of one lane; formats: 0, see the descriptor */
    uint64_t active, possible; /* lanes that take part for certain, and those that do or might */
    uint64_t known;            /* possible lanes whose addresses are known */
    uint64_t shared;           /* known lanes that reach the local or global data share: no guest memory */
    uint64_t scratch;          /* known lanes that reach the wave's own scratch */
    uint64_t loaded;           /* loads: possible lanes whose data is known afterwards */
    bool one_word;             /* plain stores of whole words: all that the possible lanes store is known to be `word` */
    uint32_t word;
    uint64_t bound_start, bound_end; /* stores and atomics: where lanes that are not known store at most; equal: there are none */
    uint64_t address[64]; /* of each known lane's first byte within bounds; 0: all of it is out of the descriptor's bounds */
    const struct wave_track_span *spans; /* all that the known lanes reach of guest memory */
    uint32_t span_count;
    uint32_t descriptor[8]; /* buffers: the V#, images: the T#; only bits of descriptor_known are known */
    uint32_t descriptor_known[8];
};

struct wave_track_view {
    unsigned wave_size;
    const uint32_t *s, *s_known; /* IR_S_COUNT words: values, and their known bits */
    const uint32_t *v;           /* wave_size words a slot */
    const uint64_t *v_known;     /* a bit a lane, for each of IR_V_COUNT slots */
};

struct wave_track_options {
    uint32_t group[3], wave;    /* which wave of which group */
    uint32_t unknown_user_data; /* bit n: user_data[n] is not known */
    bool zeroed; /* vector registers that the hardware does not load are known to be zero, as wave_run_dispatch makes them */
    uint64_t max_steps; /* IR instructions, vector memory accesses as several; 0: a million */
    /* Of wave_tracker_func's: instructions (by number) without a bit of `wanted` may be left out, if they are pure or loads; what they
     * give is unknown then. NULL: none are. Blocks (by number) where the run has seen enough; NULL: none. */
    const uint8_t *instructions, *enough;
    uint8_t wanted;
    void *user;
    void (*access)(void *user, const struct wave_track_access *access); /* or NULL */
    /* Guest memory was read, and is known; or NULL. */
    void (*read)(void *user, uint64_t address, uint32_t bytes, bool scalar);
    void (*at_end)(void *user, const struct wave_track_view *view); /* or NULL */
};

struct wave_track_result {
    enum wave_track_end end;
    uint64_t pc; /* of the instruction where it ended */
    uint64_t steps;
};

/* memory: what the program and all else is read through; NULL: the cache's. NULL: out of memory. */
struct wave_tracker *wave_tracker_create(struct wave_cache *cache, const struct wave_dispatch *dispatch,
                                         const struct wave_memory *memory);
void wave_tracker_destroy(struct wave_tracker *tracker); /* NULL is fine */
/* The program as the runs go through it, from its entry on; NULL: it can't be read. The tracker's. */
const struct ir_func *wave_tracker_func(const struct wave_tracker *tracker);
/* What make makes of that function, once for all trackers: it lives as long as the function, and is destroyed by drop before it. All callers of a
 * process have the same make. NULL: there is no function, or make had none. */
void *wave_tracker_keep(struct wave_tracker *tracker, void *(*make)(const struct ir_func *func), void (*drop)(void *made));
/* What image layouts depend on of its chip. */
const struct image_config *wave_tracker_images(const struct wave_tracker *tracker);
/* Every piece of code that has been lowered for the program so far. */
void wave_tracker_code(const struct wave_tracker *tracker, void *user, void (*visit)(void *user, uint64_t start, uint64_t end));
/* Runs options' wave. False: there is no such wave, or no memory for it. */
bool wave_tracker_run(struct wave_tracker *tracker, const struct wave_track_options *options, struct wave_track_result *result);

/* Runs options' wave of dispatch, with a tracker of its own; programs and memory are cache's. Memory that the cache's callbacks call not ready, or do not
 * map, is unknown. False: out of memory, or there is no such wave. */
bool wave_track_run(struct wave_cache *cache, const struct wave_dispatch *dispatch, const struct wave_track_options *options,
                    struct wave_track_result *result);

/* A sentence for reports: "a branch on an unknown condition". */
const char *wave_track_end_text(enum wave_track_end end);

#endif
