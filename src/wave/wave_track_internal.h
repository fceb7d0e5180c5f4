/* The inside of host runs with partial knowledge.
 *
 *   track  a tracker's runs: the wave, and what of its registers is known; part of a wave_tracker. */
#ifndef WAVE_WAVE_TRACK_INTERNAL_H
#define WAVE_WAVE_TRACK_INTERNAL_H

#include "ir/ir_slots.h"
#include "wave/wave_internal.h"
#include "wave/wave_track.h"

/* A stored range of guest memory: [start, end). */
struct track_range {
    uint64_t start, end;
};

enum { TRACK_RANGES = 256, TRACK_MAX_SCRATCH = 1 << 20 };

/* Where a wave is: a block of a unit. */
struct track_place {
    struct wave_unit *unit;
    uint32_t block;
};

struct track {
    struct wave *w;
    struct wave_shared *shared;
    const struct wave_track_options *options;
    struct wave_memory memory;      /* the cache's, with scratch in front of it */
    const struct wave_memory *guest; /* the cache's */
    uint32_t s[IR_S_COUNT];         /* known bits */
    uint64_t v[IR_V_COUNT];         /* known lanes */
    uint64_t lanes;                 /* a bit for each lane of the wave */
    const struct ir_func *func;     /* where the wave is */
    struct track_place entry;       /* where waves begin; unit NULL: the program can't be read */
    /* Work slots behind the wave's own: byte offsets from the wave's start. */
    uint32_t spare_v[4], spare_mask, spare_lanes;
    /* What the run has stored. */
    struct track_range stored[TRACK_RANGES];
    uint32_t stored_count;
    bool stored_anywhere;           /* also to places that are not known */
    bool read_unknown;              /* an image operation read what is not known */
    /* The wave's scratch, with a flag for each byte that is known. */
    uint8_t *scratch, *scratch_known;
    uint32_t scratch_bytes;
    bool scratch_touched;           /* since the run began */
    bool skips;                     /* the instruction's results are not wanted */
    struct wave_worker *recorder;   /* a worker whose memory is everywhere: pointers are the addresses themselves */
    struct wave_shared recorder_shared;
    struct wave_memory everywhere;
    struct wave_track_span *spans;  /* WAVE_TRACK_SPANS of them */
};

/* A mask's lanes that are set for certain, and those that are or might be. */
struct track_lanes {
    uint64_t sure, possible;
};

struct track_lanes track_mask(const struct track *t, ir_ref mask);
static inline bool track_mask_known(struct track_lanes m) { return m.sure == m.possible; }

/* Known bits of the 32 bits of a uniform source word, and its value. */
uint32_t track_word(const struct track *t, ir_ref r, uint32_t *value);
/* Lanes in which source r (of span slots) is known. */
uint64_t track_lanes_of(const struct track *t, ir_ref r, unsigned span);
/* The value of r (of span slots) in lane. */
uint64_t track_value(const struct track *t, ir_ref r, unsigned span, unsigned lane);

/* After a write under mask: in lanes that are written for certain known as `known` says, elsewhere as before. */
void track_set_lanes(struct track *t, ir_ref dst, unsigned span, struct track_lanes mask, uint64_t known);
void track_set_word(struct track *t, ir_ref dst, unsigned word, uint32_t known);
/* Nothing of inst's destinations is known afterwards (lanes not written keep what they are). */
void track_set_unknown(struct track *t, const struct ir_inst *inst);

/* Runs op by itself. */
void track_run_op(struct track *t, const struct wave_op *op);

/* One instruction: its values and the knowledge of them. False: the run ends here, *end says how. */
void track_regular(struct track *t, const struct ir_inst *inst, const struct wave_op *op);                             /* wave_track_rules.c */
bool track_irregular(struct track *t, const struct ir_inst *inst, const struct wave_op *op, enum wave_track_end *end); /* wave_track_lanes.c */
void track_memory(struct track *t, const struct ir_inst *inst, const struct wave_op *op);                              /* wave_track_memory.c */

void track_image(struct track *t, const struct ir_inst *inst, const struct wave_op *op);                               /* wave_track_image.c */

/* Whether a vector load from there gives what is known; notes that [start, end) may have been stored to. */
bool track_readable(struct track *t, uint64_t address, uint32_t bytes);
bool track_may_read(struct wave *w, uint64_t address, uint32_t bytes);
void track_note_stored(struct track *t, uint64_t start, uint64_t end);
void track_stored_anywhere(struct track *t, struct wave_track_access *a);

bool track_memory_init(struct track *t);
void track_memory_finish(struct track *t);

#endif
