/* Loads and stores lane by lane, in every space; the way to guest memory; and which handler a memory operation gets. */
#include "wave/wave_image.h"

#include <string.h>

/* Zeros to read, and a place to write to that nobody looks at again: as aligned as the address is. The run is not remembered: no handler may
 * take the address for one of memory. */
static uint8_t *nothing(struct wave_worker *worker, uint64_t address, uint32_t size)
{
    enum { LINE = 64 };
    if (size > WAVE_NOTHING)
        return NULL;
    uint8_t *place = worker->nothing + (0 - (uintptr_t)worker->nothing) % LINE + address % LINE;
    memset(place, 0, size);
    return place;
}

uint8_t *wave_mem_slow(struct wave *w, uint64_t address, uint32_t size, bool write)
{
    const struct wave_memory *memory = w->worker->shared->memory;
    struct wave_run run = {0};
    w->mem_outcome = (uint8_t)memory->find(memory->user, address, &run);
    uint64_t offset = address - run.start;
    if (w->mem_outcome == WAVE_DONE && run.discards && (write || !run.host))
        return run.size - offset >= size ? nothing(w->worker, address, size) : NULL;
    if (w->mem_outcome != WAVE_DONE || (write && !run.writable))
        return NULL;
    w->runs[write] = run;
    return run.size - offset >= size ? run.host + offset : NULL;
}

uint8_t *wave_op_mem_slow(struct wave *w, const struct wave_op *o, uint64_t address, uint32_t size, bool write)
{
    uint8_t *host = wave_mem(w, address, size, write);
    const struct wave_run *run = &w->runs[write];
    if (host && address - run->start < run->size)
        *wave_op_run(w, o, write) = *run;
    return host;
}

void wave_mem_fault(struct wave *w, const struct wave_op *o, int lane, uint64_t address, bool write)
{
    enum wave_fault_kind kind = WAVE_FAULT_UNMAPPED_READ;
    if (write)
        kind = wave_mem(w, address, 1, false) ? WAVE_FAULT_READ_ONLY : WAVE_FAULT_UNMAPPED_WRITE;
    wave_report_fault(w, o, kind, lane, address);
}

enum { WORD = 4, MAX_DATA = 32 };

static uint32_t *lane_slot(struct wave *w, uint32_t offset, unsigned lane, unsigned word)
{
    return wave_at(w, offset + word * w->stride) + lane;
}

static uint32_t extended(uint32_t value, unsigned bytes, bool is_signed)
{
    unsigned shift = 32 - bytes * 8;
    return is_signed ? (uint32_t)((int32_t)(value << shift) >> shift) : value << shift >> shift;
}

/* Data of less than a word, into a whole register or one half of it. */
static void put_narrow(struct wave *w, const struct wave_op *o, const struct ir_access *access, unsigned lane, uint32_t value)
{
    uint32_t *slot = lane_slot(w, o->d, lane, 0);
    if (access->flags & IR_AC_D16_HI)
        *slot = (*slot & 0xffffu) | value << 16;
    else if (access->flags & IR_AC_D16)
        *slot = (*slot & 0xffff0000u) | (value & 0xffffu);
    else
        *slot = value;
}

/* buffer_load ... lds: a word for each lane, from M0 on. */
static void put_local(struct wave *w, const struct wave_op *o, const struct ir_access *access, unsigned lane, uint32_t value)
{
    uint32_t at = (w->s[IR_M0] & 0xffffu) + (uint32_t)access->offset + lane * WORD;
    if ((uint64_t)at + WORD <= w->lds_bytes)
        memcpy(w->lds + at, &value, WORD);
    else
        wave_report_fault(w, o, WAVE_FAULT_LDS_RANGE, (int)lane, at);
}

static void load_lane(struct wave *w, const struct wave_op *o, const struct ir_access *access, unsigned lane)
{
    struct wave_pieces pieces;
    uint8_t data[MAX_DATA] = {0};
    bool mapped = wave_resolve(w, o, lane, false, &pieces);
    if (mapped)
        wave_pieces_read(&pieces, data);
    unsigned words = access->bytes < WORD ? 1 : access->bytes / WORD * access->elements;
    uint32_t value[MAX_DATA / WORD];
    memcpy(value, data, sizeof value);
    if (access->bytes < WORD)
        value[0] = extended(value[0], access->bytes, access->flags & IR_AC_SIGNED);
    if (access->flags & IR_AC_LDS_DMA)
        put_local(w, o, access, lane, value[0]);
    else if (access->bytes < WORD)
        put_narrow(w, o, access, lane, value[0]);
    else
        for (unsigned k = 0; k < words; k++)
            *lane_slot(w, o->d, lane, k) = value[k];
    if (access->flags & IR_AC_TFE)
        *lane_slot(w, o->d, lane, words) = !mapped;
}

static void store_lane(struct wave *w, const struct wave_op *o, const struct ir_access *access, unsigned lane)
{
    struct wave_pieces pieces;
    if (!wave_resolve(w, o, lane, true, &pieces))
        return;
    uint32_t value[MAX_DATA / WORD] = {0};
    unsigned words = access->bytes < WORD ? 1 : access->bytes / WORD;
    for (unsigned k = 0; k < words; k++) {
        value[k] = *lane_slot(w, o->x, lane, k);
        if (access->elements == 2)
            value[words + k] = *lane_slot(w, o->imm, lane, k);
    }
    if (access->flags & IR_AC_D16_HI)
        value[0] >>= 16;
    wave_pieces_write(&pieces, (const uint8_t *)value);
}

const struct wave_op *wave_load_lanes(struct wave *w, const struct wave_op *o, uint64_t lanes)
{
    for (lanes &= wave_mask_lanes(w, o); lanes; lanes &= lanes - 1)
        load_lane(w, o, o->aux, (unsigned)__builtin_ctzll(lanes));
    return o + 1;
}

const struct wave_op *wave_store_lanes(struct wave *w, const struct wave_op *o, uint64_t lanes)
{
    for (lanes &= wave_mask_lanes(w, o); lanes; lanes &= lanes - 1)
        store_lane(w, o, o->aux, (unsigned)__builtin_ctzll(lanes));
    return o + 1;
}

static const struct wave_op *op_load(struct wave *w, const struct wave_op *o)
{
    return wave_load_lanes(w, o, ~UINT64_C(0));
}
static const struct wave_op *op_store(struct wave *w, const struct wave_op *o)
{
    return wave_store_lanes(w, o, ~UINT64_C(0));
}
static const struct wave_op *op_atomic(struct wave *w, const struct wave_op *o)
{
    return wave_atomic_lanes(w, o, ~UINT64_C(0));
}

static const struct wave_op *op_wave_id(struct wave *w, const struct wave_op *o)
{
    *wave_at(w, o->d) = w->index;
    return o + 1;
}

/* Plain accesses to global memory leave these words free. */
void wave_memory_hints(struct wave_op *o, const struct ir_inst *inst)
{
    const struct ir_access *access = o->aux;
    bool plain =
        inst->op != IR_atomic && (access->space == IR_SPACE_GLOBAL || access->space == IR_SPACE_FLAT) && ir_is_none(inst->src[5]);
    if (!plain)
        return;
    size_t slot = (inst->op == IR_store ? WAVE_RUN_SLOTS : 0) + wave_run_slot(o);
    o->c = (uint32_t)(offsetof(struct wave_worker, runs) + slot * sizeof(struct wave_run));
    if (inst->op == IR_store)
        o->d = (uint32_t)(offsetof(struct wave_worker, streams) + wave_run_slot(o) * sizeof(struct wave_stream));
    o->e = access->scale | (access->flags & IR_AC_SIGNED_LANE ? 1u << 31 : 0);
    o->imm = (uint32_t)access->offset;
}

wave_fn wave_memory_handler(const struct ir_func *func, const struct ir_inst *inst, unsigned kinds)
{
    (void)kinds;
    switch (inst->op) {
    case IR_ds_append: return wave_op_append;
    case IR_ordered_count: return wave_op_ordered_count;
    case IR_wave_id: return op_wave_id;
    case IR_image: return wave_image_handler(func, inst);
    default: break;
    }
    const struct ir_access *access = &func->accesses[inst->imm];
    if (access->space == IR_SPACE_SCALAR || access->space == IR_SPACE_SBUFFER)
        return wave_scalar_handler(inst, access);
    bool format = access->flags & IR_AC_FORMAT;
    if (access->bytes > MAX_DATA / 2 || access->elements > (format ? IMAGE_COMPONENTS : 2))
        return NULL; /* no instruction moves so much for one lane */
    switch (inst->op) {
    case IR_load: return format ? wave_op_load_format : op_load;
    case IR_store: return format ? wave_op_store_format : op_store;
    case IR_atomic: return op_atomic;
    default: return NULL;
    }
}
