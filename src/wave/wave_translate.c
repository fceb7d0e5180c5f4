/* From IR to operations: a handler and byte offsets for each instruction, a terminator for each block. */
#include <stdlib.h>
#include <string.h>

#include "ir/ir_live.h"
#include "ir/ir_slots.h"
#include "wave/wave_program.h"

struct translation {
    struct wave_unit *unit;
    const struct wave_variant *variant;
    uint32_t cap;
    bool failed;
};

static struct wave_op *append(struct translation *t, uint64_t pc)
{
    struct wave_unit *unit = t->unit;
    static _Thread_local struct wave_op lost;
    if (unit->op_count == t->cap) {
        uint32_t cap = t->cap ? t->cap * 2 : 256;
        struct wave_op *ops = realloc(unit->ops, cap * sizeof *ops);
        if (ops)
            unit->ops = ops;
        uint64_t *pcs = realloc(unit->pc_of, cap * sizeof *pcs);
        if (pcs)
            unit->pc_of = pcs;
        if (!ops || !pcs) {
            t->failed = true;
            return &lost;
        }
        t->cap = cap;
    }
    struct wave_op *op = &unit->ops[unit->op_count];
    unit->pc_of[unit->op_count++] = pc;
    memset(op, 0, sizeof *op);
    return op;
}

static uint32_t offset_of(struct translation *t, ir_ref r)
{
    switch (r.kind) {
    case IR_S: return wave_s_offset(r.index);
    case IR_K: return wave_k_offset(t->unit->const_base + r.index * 2u);
    case IR_V: return wave_v_offset(r.index, t->variant->lower.wave_size);
    default: return 0;
    }
}

static void note_vgpr(struct wave_unit *unit, ir_ref r, unsigned span)
{
    if (r.kind == IR_V && r.index < IR_V_TEMP && r.index + span > unit->vgpr_top)
        unit->vgpr_top = r.index + span < IR_V_TEMP ? r.index + span : IR_V_TEMP;
}

static unsigned lane_kinds(const struct ir_inst *inst)
{
    unsigned kinds = 0;
    for (unsigned i = 0; i < inst->src_count; i++)
        kinds |= (unsigned)ir_is_lane(inst->src[i]) << i;
    return kinds;
}

static wave_fn handler_of(struct translation *t, const struct ir_inst *inst, unsigned kinds)
{
    const struct wave_tier *tier = t->variant->tier;
    wave_fn fn = NULL;
    switch (ir_ops[inst->op].class) {
    case IR_C_VALUE:
    case IR_C_COMPARE:
        fn = tier->carry(inst, kinds); /* 64-bit lanes on vectors */
        return fn ? fn : tier->handler(inst, kinds, t->variant->lower.wave_size / 32);
    case IR_C_MEMORY:
        fn = tier->memory(t->unit->func, inst, kinds);
        return fn ? fn : wave_memory_handler(t->unit->func, inst, kinds);
    default:
        fn = tier->carry(inst, kinds);
        fn = fn ? fn : tier->lanes(inst, kinds);
        return fn ? fn : wave_plain_handler(inst, kinds);
    }
}

static bool uses_access(unsigned op)
{
    return op == IR_load || op == IR_store || op == IR_atomic;
}

static void translate_inst(struct translation *t, const struct ir_inst *inst)
{
    enum { WIDEST = 16 }; /* slots that a memory instruction's data can span */
    unsigned kinds = lane_kinds(inst);
    struct wave_op *op = append(t, inst->pc);
    bool memory = uses_access(inst->op), image = inst->op == IR_image;
    op->d = offset_of(t, inst->dst[0]);
    op->a = offset_of(t, inst->src[0]);
    op->b = offset_of(t, inst->src[1]);
    op->c = offset_of(t, inst->src[2]);
    op->m = offset_of(t, inst->mask);
    op->imm = inst->imm;
    if (memory) {
        op->e = offset_of(t, inst->src[3]);
        op->x = offset_of(t, inst->src[4]);
        op->imm = offset_of(t, inst->src[5]);
        op->aux = &t->unit->func->accesses[inst->imm];
        wave_memory_hints(op, inst);
    } else {
        op->e = ir_is_none(inst->dst[1]) ? offset_of(t, inst->src[3]) : offset_of(t, inst->dst[1]);
        op->x = kinds;
        if (image)
            op->aux = &t->unit->func->images[inst->imm];
    }
    op->fn = handler_of(t, inst, kinds);
    if (!op->fn) {
        struct ir_inst refused = {.op = IR_unsupported, .pc = inst->pc};
        op->fn = wave_plain_handler(&refused, 0);
    }
    note_vgpr(t->unit, inst->dst[0], memory || image ? WIDEST : 2);
    for (unsigned i = 0; i < inst->src_count; i++)
        note_vgpr(t->unit, inst->src[i], memory || image ? WIDEST : 2);
    if (inst->op == IR_movrels || inst->op == IR_movreld)
        t->unit->vgpr_top = IR_V_TEMP;
}

static void translate_terminator(struct translation *t, uint32_t number)
{
    struct wave_unit *unit = t->unit;
    const struct wave_tier *tier = t->variant->tier;
    const struct ir_block *block = &unit->func->blocks[number];
    uint64_t pc = block->count ? unit->func->insts[block->first + block->count - 1].pc : block->pc;
    struct wave_op *op = append(t, pc);
    if (t->failed)
        return;
    op->aux = (const void *)(uintptr_t)number;
    op->a = offset_of(t, block->cond);
    switch (block->term) {
    case IR_TERM_JUMP: op->fn = tier->jump; break;
    case IR_TERM_BRANCH: op->fn = tier->branch; break;
    case IR_TERM_END: op->fn = tier->end; break;
    case IR_TERM_SETPC:
        op->fn = tier->setpc;
        unit->vgpr_top = IR_V_TEMP;
        break;
    default: op->fn = tier->stop; break;
    }
}

/* Goes to an address that the function does not hold (it was cut for its size): found, or lowered, when it is reached. */
static const struct wave_op *leave_op(struct wave *w, const struct wave_op *o)
{
    w->jump_pc = (uint64_t)(uintptr_t)o->aux;
    w->status = WAVE_JUMPED;
    return NULL;
}

/* A successor's distance from the terminator, in operations. */
static uint32_t distance_to(struct translation *t, const struct ir_block *block, unsigned n, uint32_t from)
{
    struct wave_unit *unit = t->unit;
    if (block->succ[n] < unit->func->block_count)
        return unit->block_op[block->succ[n]] - from;
    uint32_t stub = unit->op_count;
    struct wave_op *op = append(t, block->target[n]);
    op->fn = leave_op;
    op->aux = (const void *)(uintptr_t)block->target[n];
    return stub - from;
}

static void resolve(struct translation *t)
{
    struct wave_unit *unit = t->unit;
    uint32_t end = unit->op_count; /* stubs come behind */
    for (uint32_t number = 0; number < unit->func->block_count && !t->failed; number++) {
        const struct ir_block *block = &unit->func->blocks[number];
        uint32_t last = (number + 1 < unit->func->block_count ? unit->block_op[number + 1] : end) - 1;
        unsigned ways = block->term == IR_TERM_BRANCH ? 2 : block->term == IR_TERM_JUMP ? 1 : 0;
        for (unsigned n = 0; n < ways; n++) {
            uint32_t distance = distance_to(t, block, n, last);
            *(n ? &unit->ops[last].x : &unit->ops[last].imm) = distance;
        }
    }
}

/* What lives where the unit begins; everything, where that cannot be told. */
static struct ir_live find_first(const struct ir_func *func, bool kept)
{
    struct ir_live first;
    struct ir_live_blocks blocks;
    memset(&first, 0xff, sizeof first);
    if (ir_live_init(&blocks, func, kept) && func->block_count && func->blocks[0].pc == func->entry)
        first = blocks.in[0];
    ir_live_finish(&blocks);
    return first;
}

/* Not known where a slot is chosen at run time, or where the unit goes on to other units. */
static void find_footprint(struct wave_unit *unit, const struct wave_variant *variant)
{
    const struct ir_func *func = unit->func;
    const struct ir_live first = find_first(func, variant->tuning != WAVE_TUNED || variant->lower.marks);
    struct wave_footprint *footprint = &unit->footprint;
    bool written[IR_S_COUNT] = {[IR_EXEC] = true, [IR_EXEC + 1] = true}; /* these also differ from wave to wave */
    footprint->known = true;
    for (uint32_t i = 0; i < func->inst_count; i++) {
        const struct ir_inst *inst = &func->insts[i];
        footprint->known &= inst->op != IR_s_movreld && inst->op != IR_mark;
        written[IR_MODE] |= inst->op == IR_set_mode;
        for (unsigned n = 0; n < 2; n++)
            for (unsigned k = 0;
                 inst->dst[n].kind == IR_S && k < ir_dst_span(func, inst, n) && inst->dst[n].index + k < IR_S_COUNT; k++)
                written[inst->dst[n].index + k] = true;
    }
    for (uint32_t i = 0; i < func->block_count; i++) {
        const struct ir_block *block = &func->blocks[i];
        unsigned ways = block->term == IR_TERM_BRANCH ? 2 : block->term == IR_TERM_JUMP ? 1 : 0;
        footprint->known &= block->term != IR_TERM_SETPC;
        for (unsigned n = 0; n < ways; n++)
            footprint->known &= block->succ[n] < func->block_count;
    }
    for (unsigned slot = 0; slot < IR_S_TEMP; slot++)
        if (written[slot] && (slot == IR_MODE || first.s[slot / 64] >> slot % 64 & 1))
            footprint->s[footprint->s_count++] = (uint8_t)slot;
    for (unsigned slot = 0; slot < IR_V_TEMP; slot++)
        if ((first.inside[slot / 64] | first.outside[slot / 64]) >> slot % 64 & 1)
            footprint->v_top = (uint16_t)(slot + 1);
}

void wave_unit_destroy(struct wave_unit *unit)
{
    if (!unit)
        return;
    if (unit->kept)
        unit->drop(unit->kept); /* before func, which it may borrow */
    ir_func_destroy(unit->func);
    free(unit->ops);
    free(unit->pc_of);
    free(unit->block_op);
    free(unit->filtered);
    wave_code_finish(&unit->code);
    while (unit->counts) {
        struct wave_counts *counts = unit->counts;
        unit->counts = counts->next;
        free(counts);
    }
    free(unit);
}

static bool is_tuned(const struct wave_variant *variant)
{
    return variant->tuning != WAVE_AS_LOWERED && !variant->lower.marks;
}

/* What only the dispatch as a whole shows need not be done word by word. */
static void tune(struct ir_func *func, const struct wave_variant *variant)
{
    bool kept = variant->tuning == WAVE_TUNED_KEPT;
    if (!is_tuned(variant))
        return;
    ir_form_addresses(func);
    ir_drop_dead_registers(func, kept);
    ir_forward_copies(func);
    ir_drop_dead_registers(func, kept);
    ir_join_words(func, kept);
#ifndef NDEBUG
    uint32_t at;
    const char *bad = func->out_of_memory ? NULL : ir_validate(func, &at);
    if (bad) {
        fprintf(stderr, "tenfold: invalid IR after tuning 0x%llx, instruction %u: %s\n", (unsigned long long)func->entry, at,
                bad);
        abort();
    }
#endif
}

struct wave_unit *wave_translate(struct ir_func *func, const struct wave_variant *variant, uint32_t const_base)
{
    struct wave_unit *unit = calloc(1, sizeof *unit);
    if (!unit) {
        ir_func_destroy(func);
        return NULL;
    }
    tune(func, variant);
    unit->func = func;
    unit->const_base = const_base;
    unit->const_top = const_base + func->const_count * 2;
    unit->block_op = calloc(func->block_count + 1, sizeof *unit->block_op);
    unit->filtered = calloc(func->image_count + 1, sizeof *unit->filtered);
    struct translation t = {
        .unit = unit, .variant = variant, .failed = !unit->block_op || !unit->filtered || func->out_of_memory};
    for (uint32_t number = 0; number < func->block_count && !t.failed; number++) {
        const struct ir_block *block = &func->blocks[number];
        unit->block_op[number] = unit->op_count;
        for (uint32_t i = block->first; i < block->first + block->count; i++) {
            if (func->insts[i].op == IR_mark)
                append(&t, func->insts[i].pc)->fn = wave_probe_op;
            else
                translate_inst(&t, &func->insts[i]);
        }
        translate_terminator(&t, number);
    }
    if (!t.failed)
        resolve(&t);
    if (!t.failed && is_tuned(variant))
        wave_fuse(unit, variant);
    if (t.failed) {
        wave_unit_destroy(unit);
        return NULL;
    }
    find_footprint(unit, variant);
    return unit;
}
