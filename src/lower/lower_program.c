/* From words to a function: finds the blocks that can be reached, then lowers them in the order of their addresses. */
#include <stdlib.h>
#include <string.h>

#include "lower/lower_inst.h"
#include "lower/lower_whole.h"

/* A hostile program can point anywhere: no function grows past this many instructions. */
enum { MAX_INSTS = 1 << 18 };

/* One decoded instruction of the program. */
struct decoded {
    uint64_t pc;
    struct isa_inst inst;
    uint8_t status; /* enum isa_status */
    bool leader;    /* starts a block */
};

struct program {
    struct decoded *list; /* sorted by pc once discovery is over */
    size_t count, cap;
    uint64_t *work; /* addresses still to follow */
    size_t work_count, work_cap;
    uint64_t *seen; /* open-addressed set of pc + 1 */
    size_t seen_count, seen_cap;
    bool out_of_memory;
};

static bool grow(void **array, size_t count, size_t *cap, size_t size)
{
    if (count < *cap)
        return true;
    size_t wanted = *cap ? *cap * 2 : 64;
    void *larger = realloc(*array, wanted * size);
    if (!larger)
        return false;
    *array = larger;
    *cap = wanted;
    return true;
}

static void push(struct program *p, uint64_t pc)
{
    if (!grow((void **)&p->work, p->work_count, &p->work_cap, sizeof *p->work))
        p->out_of_memory = true;
    else
        p->work[p->work_count++] = pc;
}

static size_t slot_of(const struct program *p, uint64_t pc)
{
    size_t slot = (size_t)((pc >> 2) * 0x9e3779b97f4a7c15u >> 20) & (p->seen_cap - 1);
    while (p->seen[slot] && p->seen[slot] != pc + 1)
        slot = (slot + 1) & (p->seen_cap - 1);
    return slot;
}

/* True when pc is new. */
static bool mark_seen(struct program *p, uint64_t pc)
{
    if (p->seen_count * 2 >= p->seen_cap) {
        struct program larger = {.seen_cap = p->seen_cap ? p->seen_cap * 2 : 1024};
        larger.seen = calloc(larger.seen_cap, sizeof *larger.seen);
        if (!larger.seen) {
            p->out_of_memory = true;
            return false;
        }
        for (size_t i = 0; i < p->seen_cap; i++)
            if (p->seen[i])
                larger.seen[slot_of(&larger, p->seen[i] - 1)] = p->seen[i];
        free(p->seen);
        p->seen = larger.seen;
        p->seen_cap = larger.seen_cap;
    }
    size_t slot = slot_of(p, pc);
    if (p->seen[slot])
        return false;
    p->seen[slot] = pc + 1;
    p->seen_count++;
    return true;
}

/* Where a branch goes, and whether the instruction after it can be reached. */
static bool branch_of(const struct isa_inst *inst, uint64_t pc, uint64_t *target, bool *falls)
{
    uint16_t id = inst->row->id;
    *falls = true;
    *target = pc + 4 + (uint64_t)((int64_t)inst->simm16 * 4);
    switch (id) {
    case ISA_s_branch: *falls = false; return true;
    case ISA_s_cbranch_scc0:
    case ISA_s_cbranch_scc1:
    case ISA_s_cbranch_vccz:
    case ISA_s_cbranch_vccnz:
    case ISA_s_cbranch_execz:
    case ISA_s_cbranch_execnz:
    case ISA_s_cbranch_cdbgsys:
    case ISA_s_cbranch_cdbguser:
    case ISA_s_cbranch_cdbgsys_or_user:
    case ISA_s_cbranch_cdbgsys_and_user:
    case ISA_s_call_b64:
    case ISA_s_subvector_loop_begin:
    case ISA_s_subvector_loop_end: return true;
    default: return false;
    }
}

static bool ends_block(const struct isa_inst *inst)
{
    switch (inst->row->id) {
    case ISA_s_endpgm:
    case ISA_s_endpgm_saved:
    case ISA_s_endpgm_ordered_ps_done:
    case ISA_s_setpc_b64:
    case ISA_s_swappc_b64:
    case ISA_s_rfe_b64: return true;
    default: return false;
    }
}

/* Decodes straight on from pc until the flow ends or meets known ground. */
static void follow(struct program *p, const struct lower_config *config, const struct lower_fetch *fetch, uint64_t pc)
{
    enum { LONGEST = 6 }; /* words of the longest instruction, with room */
    while (!p->out_of_memory && p->count < MAX_INSTS && mark_seen(p, pc)) {
        if (!grow((void **)&p->list, p->count, &p->cap, sizeof *p->list)) {
            p->out_of_memory = true;
            return;
        }
        struct decoded *d = &p->list[p->count++];
        memset(d, 0, sizeof *d);
        d->pc = pc;
        uint32_t words[LONGEST];
        size_t have = pc & 3 ? 0 : fetch->read(fetch->user, pc, words, LONGEST);
        d->status = (uint8_t)(have ? isa_decode(config->chip, config->wave_size, words, have, &d->inst) : ISA_TRUNCATED);
        if (d->status != ISA_OK)
            return;
        uint64_t target, next = pc + d->inst.size;
        bool falls = true;
        if (branch_of(&d->inst, pc, &target, &falls)) {
            push(p, target);
            if (falls)
                push(p, next);
            return;
        }
        if (ends_block(&d->inst)) {
            /* A call comes back to the instruction after it: worth lowering with the rest. */
            if (d->inst.row->id == ISA_s_swappc_b64)
                push(p, next);
            return;
        }
        pc = next;
    }
}

static int by_pc(const void *x, const void *y)
{
    const struct decoded *a = x, *b = y;
    return a->pc < b->pc ? -1 : a->pc > b->pc;
}

static struct decoded *find(const struct program *p, uint64_t pc)
{
    struct decoded key = {.pc = pc};
    return bsearch(&key, p->list, p->count, sizeof *p->list, by_pc);
}

static void mark_leaders(struct program *p, const uint64_t *places, unsigned count)
{
    struct decoded *d;
    for (unsigned n = 0; n < count; n++)
        if ((d = find(p, places[n])))
            d->leader = true;
    for (size_t i = 0; i < p->count; i++) {
        uint64_t target;
        bool falls;
        if (p->list[i].status != ISA_OK)
            continue;
        bool ends = ends_block(&p->list[i].inst);
        if (branch_of(&p->list[i].inst, p->list[i].pc, &target, &falls)) {
            ends = true;
            if ((d = find(p, target)))
                d->leader = true;
        }
        d = find(p, p->list[i].pc + p->list[i].inst.size);
        /* An instruction that does not follow the one before it in memory starts a block as well (overlapping code). */
        if (d && (ends || d != &p->list[i] + 1))
            d->leader = true;
        if (i + 1 < p->count && (ends || p->list[i + 1].pc != p->list[i].pc + p->list[i].inst.size))
            p->list[i + 1].leader = true;
    }
}

/* Ends the open block. */
static void close_block(struct ir_func *func, uint32_t number, const struct lower *l, uint64_t end_pc)
{
    struct ir_block *block = &func->blocks[number];
    block->count = func->inst_count - block->first;
    block->end_pc = end_pc;
    block->term = l->term;
    block->cond = l->cond;
    bool branch = l->term == IR_TERM_BRANCH, swap = branch && l->when_zero;
    block->target[swap] = branch || l->term == IR_TERM_JUMP ? l->target : 0;
    block->target[!swap] = branch ? l->next_pc : 0;
}

/* Lowers one instruction; l->term says afterwards whether it ends its block. */
static void lower_one(struct lower *l, const struct decoded *d)
{
    struct ir_builder *b = l->b;
    ir_begin_inst(b, d->pc);
    if (l->config->marks) {
        ir_append(b, IR_mark);
        b->inst_start = b->func->inst_count;
    }
    l->inst = &d->inst;
    l->pc = d->pc;
    l->next_pc = d->pc + d->inst.size;
    l->write_mask = ir_s(IR_EXEC);
    memset(l->src, 0, sizeof l->src);
    l->failed = false;
    l->term = IR_TERM_NONE;
    l->cond = (ir_ref){0};
    l->when_zero = false;
    if (d->status != ISA_OK) {
        ir_append(b, IR_unknown)->imm = d->status == ISA_TRUNCATED ? IR_UNKNOWN_NO_CODE : 0;
        l->term = IR_TERM_STOP;
        return;
    }
    lower_halves(l);
    if (l->failed) {
        b->func->inst_count = b->inst_start;
        ir_append(b, IR_unsupported);
        l->term = IR_TERM_STOP;
    }
}

static void link_blocks(struct ir_func *func)
{
    for (uint32_t i = 0; i < func->block_count; i++) {
        struct ir_block *block = &func->blocks[i];
        unsigned ways = block->term == IR_TERM_BRANCH ? 2 : block->term == IR_TERM_JUMP ? 1 : 0;
        for (unsigned n = 0; n < ways; n++) {
            block->succ[n] = IR_NO_BLOCK;
            block->back[n] = block->target[n] <= block->pc;
            uint32_t low = 0, high = func->block_count;
            while (low < high) {
                uint32_t mid = (low + high) / 2;
                if (func->blocks[mid].pc < block->target[n])
                    low = mid + 1;
                else
                    high = mid;
            }
            if (low < func->block_count && func->blocks[low].pc == block->target[n])
                block->succ[n] = low;
        }
    }
}

static void lower_blocks(struct program *p, const struct lower_config *config, struct ir_func *func)
{
    struct ir_builder builder = {.func = func};
    struct lower l = {.b = &builder, .config = config};
    uint32_t open = IR_NO_BLOCK;
    for (size_t i = 0; i < p->count && !func->out_of_memory; i++) {
        const struct decoded *d = &p->list[i];
        if (open == IR_NO_BLOCK && (open = ir_block_begin(func, d->pc)) == IR_NO_BLOCK)
            return;
        lower_one(&l, d);
        func->blocks[open].guest_count++;
        bool last = i + 1 == p->count || p->list[i + 1].leader;
        if (l.term == IR_TERM_NONE && last) {
            l.term = IR_TERM_JUMP;
            l.target = l.next_pc;
        }
        if (l.term != IR_TERM_NONE) {
            close_block(func, open, &l, l.next_pc);
            open = IR_NO_BLOCK;
        }
    }
}

struct ir_func *lower_program(const struct lower_config *config, const struct lower_fetch *fetch, uint64_t entry)
{
    return lower_places(config, fetch, &entry, 1);
}

struct ir_func *lower_places(const struct lower_config *config, const struct lower_fetch *fetch, const uint64_t *places,
                             unsigned count)
{
    struct program p = {0};
    struct ir_func *func = ir_func_create(config->wave_size, places[0]);
    for (unsigned n = 0; n < count; n++)
        push(&p, places[n]);
    while (p.work_count && !p.out_of_memory)
        follow(&p, config, fetch, p.work[--p.work_count]);
    if (func && !p.out_of_memory) {
        qsort(p.list, p.count, sizeof *p.list, by_pc);
        mark_leaders(&p, places, count);
        lower_blocks(&p, config, func);
        link_blocks(func);
    }
    bool failed = p.out_of_memory || !func || func->out_of_memory;
    free(p.list);
    free(p.work);
    free(p.seen);
    if (failed) {
        ir_func_destroy(func);
        return NULL;
    }
    return func;
}
