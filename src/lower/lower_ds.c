/* The data share's own forms: pairs of elements, compare operands the other way round, second sources in LDS, counters. */
#include "lower/lower_memory.h"

enum { ST64 = 64 };

static bool returns(const struct lower *l)
{
    return l->inst->dst_count > 0;
}

static unsigned words_of(unsigned bytes)
{
    return bytes > 4 ? bytes / 4 : 1;
}

/* Two elements, each with its own 8-bit offset in elements, or in 64 elements. */
static void set_pair(struct lower *l, struct lower_access *a, unsigned bytes, bool st64)
{
    unsigned scale = st64 ? bytes * ST64 : bytes;
    a->access.elements = 2;
    a->access.offset = (int32_t)((uint32_t)l->inst->offset * scale);
    a->access.offset1 = (int32_t)(l->inst->offset1 * scale);
}

void lower_ds_read2(struct lower *l, unsigned bytes, bool st64)
{
    struct lower_access a = lower_begin_access(l, IR_load, bytes, 0);
    set_pair(l, &a, bytes, st64);
    a.dst = lower_raw(l, &l->inst->dst[0]);
    lower_emit_access(l, &a);
}

void lower_ds_write2(struct lower *l, unsigned bytes, bool st64)
{
    struct lower_access a = lower_begin_access(l, IR_store, bytes, IR_AC_STORE);
    set_pair(l, &a, bytes, st64);
    a.src[5] = lower_raw(l, &l->inst->src[2]);
    lower_emit_access(l, &a);
}

static void finish_atomic(struct lower *l, struct lower_access *a, enum ir_atomic what, unsigned bytes)
{
    a->access.atomic = (uint8_t)what;
    if (returns(l)) {
        a->access.flags |= IR_AC_RETURN;
        a->dst = lower_data_register(l, &l->inst->dst[0], words_of(bytes));
    }
    lower_emit_access(l, a);
}

void lower_ds_atomic(struct lower *l, enum ir_atomic what, unsigned bytes)
{
    struct lower_access a = lower_begin_access(l, IR_atomic, bytes, 0);
    finish_atomic(l, &a, what, bytes);
}

/* Two data operands: mskor (clear mask, set bits), wrap (subtrahend, addend). */
void lower_ds_atomic2(struct lower *l, enum ir_atomic what, unsigned bytes)
{
    struct lower_access a = lower_begin_access(l, IR_atomic, bytes, 0);
    a.src[5] = lower_raw(l, &l->inst->src[2]);
    finish_atomic(l, &a, what, bytes);
}

/* ds_cmpst: the comparand comes first, the new value second. */
void lower_ds_cmpst(struct lower *l, enum ir_atomic what, unsigned bytes)
{
    struct lower_access a = lower_begin_access(l, IR_atomic, bytes, 0);
    a.src[5] = a.src[4];
    a.src[4] = lower_raw(l, &l->inst->src[2]);
    finish_atomic(l, &a, what, bytes);
}

void lower_ds_wrxchg2(struct lower *l, unsigned bytes, bool st64)
{
    struct lower_access a = lower_begin_access(l, IR_atomic, bytes, 0);
    set_pair(l, &a, bytes, st64);
    a.src[5] = lower_raw(l, &l->inst->src[2]);
    finish_atomic(l, &a, IR_A_SWAP, bytes);
}

/* The operand is another word of LDS, whose distance the offset field gives. */
void lower_ds_src2(struct lower *l, enum ir_atomic what, unsigned bytes)
{
    struct lower_access a = lower_begin_access(l, IR_atomic, bytes, IR_AC_SRC2);
    finish_atomic(l, &a, what, bytes);
}

/* Counts active lanes in or out of the word at M0 + offset; all lanes get the value before. */
void lower_ds_append(struct lower *l, bool consume)
{
    ir_ref to = lower_raw(l, &l->inst->dst[0]);
    struct ir_inst *inst = ir_append(l->b, IR_ds_append);
    inst->lane = true;
    inst->mask = ir_s(IR_EXEC);
    inst->dst[0] = to;
    inst->imm = (uint32_t)l->inst->offset | (uint32_t)l->inst->gds << 16 | (uint32_t)consume << 17;
}

void lower_ds_ordered_count(struct lower *l)
{
    ir_ref to = lower_raw(l, &l->inst->dst[0]), from = lower_raw(l, &l->inst->src[0]);
    struct ir_inst *inst = ir_append(l->b, IR_ordered_count);
    inst->lane = true;
    inst->mask = ir_s(IR_EXEC);
    inst->dst[0] = to;
    inst->src[0] = from;
    inst->imm = (uint32_t)l->inst->offset;
}
