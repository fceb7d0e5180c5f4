/* What the files of memory handlers share.
 *
 *   wave_piece   bytes of one lane's access that lie together in the host; part of a wave_pieces.
 *   wave_pieces  one lane's whole access, resolved; the caller's, valid until the operation ends.
 */
#ifndef WAVE_WAVE_MEMORY_H
#define WAVE_WAVE_MEMORY_H

#include "image/image.h"
#include "wave/wave_internal.h"

/* Which of a worker's run cache entries operation o uses: neighbours in a program have different ones. */
static inline unsigned wave_run_slot(const struct wave_op *o)
{
    return (unsigned)((uintptr_t)o->aux / _Alignof(struct ir_access)) % WAVE_RUN_SLOTS;
}

static inline struct wave_run *wave_op_run(struct wave *w, const struct wave_op *o, bool write)
{
    return &w->worker->runs[write][wave_run_slot(o)];
}

/* As wave_mem, through the run that this operation met last. */
uint8_t *wave_op_mem_slow(struct wave *w, const struct wave_op *o, uint64_t address, uint32_t size, bool write);
static inline uint8_t *wave_op_mem(struct wave *w, const struct wave_op *o, uint64_t address, uint32_t size, bool write)
{
    const struct wave_run *run = wave_op_run(w, o, write);
    uint64_t offset = address - run->start;
    if (__builtin_expect(offset < run->size && run->size - offset >= size, 1))
        return run->host + offset;
    return wave_op_mem_slow(w, o, address, size, write);
}

/* A lane's word of the consecutive slots at offset. */
static inline uint32_t *wave_lane_word(struct wave *w, uint32_t offset, unsigned lane, unsigned word)
{
    return wave_at(w, offset + word * w->stride) + lane;
}

/* Reports an access to memory that is not there, or not to be written; lane -1: a scalar one. */
void wave_mem_fault(struct wave *w, const struct wave_op *o, int lane, uint64_t address, bool write);

enum { WAVE_PIECES = 32 };

struct wave_piece {
    uint8_t *host; /* NULL: out of the descriptor's or the share's bounds: reads zero, writes vanish */
    uint8_t size;
};

struct wave_pieces {
    unsigned count;
    struct wave_piece piece[WAVE_PIECES];
    bool shared;      /* local data share: no other thread sees it */
    uint64_t address; /* guest address or share offset of the first byte, for reports */
};

/* Resolves bytes of lane's access o, element by element; false, and reported, when any byte of it is not mapped. */
bool wave_resolve(struct wave *w, const struct wave_op *o, unsigned lane, bool write, struct wave_pieces *pieces);
/* The address of lane's access o to global or flat memory, whatever lies there. */
uint64_t wave_global_address(struct wave *w, const struct wave_op *o, unsigned lane);
/* Copies all pieces to or from data. Whole words move whole. */
void wave_pieces_read(const struct wave_pieces *pieces, uint8_t *data);
void wave_pieces_write(const struct wave_pieces *pieces, const uint8_t *data);

/* Runs o lane by lane in those lanes of `lanes` that its mask holds; the general forms of load and store. They return the
 * next operation. */
const struct wave_op *wave_load_lanes(struct wave *w, const struct wave_op *o, uint64_t lanes);
const struct wave_op *wave_store_lanes(struct wave *w, const struct wave_op *o, uint64_t lanes);
const struct wave_op *wave_atomic_lanes(struct wave *w, const struct wave_op *o, uint64_t lanes);
/* The same with a format's conversion (wave_memory_format.c). */
const struct wave_op *wave_op_load_format(struct wave *w, const struct wave_op *o);
const struct wave_op *wave_op_store_format(struct wave *w, const struct wave_op *o);
/* wave_memory_scalar.c: handlers of the scalar spaces. */
wave_fn wave_scalar_handler(const struct ir_inst *inst, const struct ir_access *access);
/* Where a scalar access lies; returns its bytes that the descriptor allows. */
uint32_t wave_scalar_reach(struct wave *w, const struct wave_op *o, uint64_t *address);
/* wave_memory_share.c: counters in the data shares. */
const struct wave_op *wave_op_append(struct wave *w, const struct wave_op *o);
const struct wave_op *wave_op_ordered_count(struct wave *w, const struct wave_op *o);

/* What an atomic leaves in memory: old is the value there, data and data2 the operands (comparand, set bits, addend). Floats:
 * flush says that denormals compare (and add) as zeros. */
uint64_t wave_atomic_result(enum ir_atomic what, unsigned bytes, uint64_t old, uint64_t data, uint64_t data2, bool flush);
/* Does it on guest memory that other threads may reach; the value before. host is aligned to bytes. */
uint64_t wave_atomic_guest(enum ir_atomic what, unsigned bytes, uint8_t *host, uint64_t data, uint64_t data2);

/* The lanes that o's mask holds. */
static inline uint64_t wave_mask_lanes(struct wave *w, const struct wave_op *o)
{
    const uint32_t *mask = wave_at(w, o->m);
    return mask[0] | (w->halves == 2 ? (uint64_t)mask[1] << 32 : 0);
}

static inline bool wave_flushes32(const struct wave *w)
{
    return !w->mode.denorm32_in;
}
static inline bool wave_flushes64(const struct wave *w)
{
    return !w->mode.denorm64_in;
}

/* FLAT_SCRATCH as an address: 48 bits count, whatever a program has left above them. */
static inline uint64_t wave_flat_scratch(const struct wave *w)
{
    uint64_t written = w->s[IR_FLAT_SCR_LO] | (uint64_t)w->s[IR_FLAT_SCR_HI] << 32;
    return (uint64_t)((int64_t)(written << 16) >> 16);
}

#endif
