/* What a dispatch did and what went wrong: faults by site, and executed instructions by row and block. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "wave/wave_internal.h"

struct wave_report {
    struct wave_cache *cache;
    unsigned wave_size;
    pthread_mutex_t lock;
    uint64_t count[WAVE_FAULT_KIND_COUNT];
    struct wave_fault faults[WAVE_MAX_FAULTS];
    size_t kept;
};

static const char *const fault_names[WAVE_FAULT_KIND_COUNT] = {
    [WAVE_FAULT_UNMAPPED_READ] = "read of unmapped memory",
    [WAVE_FAULT_UNMAPPED_WRITE] = "write to unmapped memory",
    [WAVE_FAULT_READ_ONLY] = "write to read-only memory",
    [WAVE_FAULT_LDS_MISALIGNED] = "misaligned LDS access",
    [WAVE_FAULT_ATOMIC_MISALIGNED] = "misaligned atomic",
    [WAVE_FAULT_LDS_RANGE] = "LDS access past the allocation",
    [WAVE_FAULT_UNKNOWN_INSTRUCTION] = "unknown instruction",
    [WAVE_FAULT_UNSUPPORTED_INSTRUCTION] = "unsupported instruction",
    [WAVE_FAULT_FETCH] = "instruction fetch from unmapped memory",
    [WAVE_FAULT_TRAP] = "trap",
    [WAVE_FAULT_HANG] = "no progress",
    [WAVE_FAULT_CANCELLED] = "cancelled",
};

const char *wave_fault_name(enum wave_fault_kind kind)
{
    return (unsigned)kind < WAVE_FAULT_KIND_COUNT ? fault_names[kind] : "unknown fault";
}

struct wave_report *wave_report_create(struct wave_cache *cache, unsigned wave_size)
{
    struct wave_report *report = calloc(1, sizeof *report);
    if (report && pthread_mutex_init(&report->lock, NULL)) {
        free(report);
        return NULL;
    }
    if (report) {
        report->cache = cache;
        report->wave_size = wave_size;
    }
    return report;
}

bool wave_report_add(struct wave_report *report, const struct wave_fault *fault)
{
    pthread_mutex_lock(&report->lock);
    report->count[fault->kind]++;
    bool first = true;
    for (size_t i = 0; i < report->kept && first; i++)
        first = report->faults[i].kind != fault->kind || report->faults[i].pc != fault->pc;
    if (first && report->kept < WAVE_MAX_FAULTS)
        report->faults[report->kept++] = *fault;
    pthread_mutex_unlock(&report->lock);
    return first;
}

/* Decodes the instruction at pc; false when there is none. */
static bool decode_at(struct wave_cache *cache, unsigned wave_size, uint64_t pc, struct isa_inst *inst)
{
    enum { LONGEST = 6 };
    const struct wave_memory *memory = wave_cache_memory(cache);
    uint32_t words[LONGEST];
    size_t have = 0;
    struct wave_run run;
    while (have < LONGEST && memory->find(memory->user, pc + have * 4, &run) == WAVE_DONE && run.size - (pc + have * 4 - run.start) >= 4) {
        memcpy(&words[have], run.host + (pc + have * 4 - run.start), 4);
        have++;
    }
    return have && isa_decode(wave_cache_chip(cache), wave_size, words, have, inst) == ISA_OK;
}

bool wave_inst_text(struct wave_cache *cache, unsigned wave_size, uint64_t pc, char *text, size_t size)
{
    struct isa_inst inst;
    if (!decode_at(cache, wave_size, pc, &inst))
        return false;
    isa_print(&inst, wave_cache_chip(cache), wave_size, pc, text, size);
    return true;
}

static void describe(struct wave_report *report, struct wave *w, struct wave_fault *fault)
{
    wave_inst_text(report->cache, report->wave_size, fault->pc, fault->text, sizeof fault->text);
    size_t length = strlen(fault->text);
    struct isa_inst inst;
    if (fault->kind == WAVE_FAULT_HANG && length + 2 < sizeof fault->text && decode_at(report->cache, report->wave_size, fault->pc, &inst)) {
        memcpy(fault->text + length, "; ", 3);
        wave_operands_text(w, &inst, fault->text + length + 2, sizeof fault->text - length - 2);
    }
}

uint64_t wave_pc_of(const struct wave *w, const struct wave_op *o)
{
    const struct wave_unit *unit = w->unit;
    return o >= unit->ops && o < unit->ops + unit->op_count ? unit->pc_of[o - unit->ops] : 0;
}

bool wave_report_fault(struct wave *w, const struct wave_op *o, enum wave_fault_kind kind, int lane, uint64_t address)
{
    struct wave_report *report = w->worker->shared->report;
    struct wave_fault fault = {.kind = kind, .pc = wave_pc_of(w, o), .address = address, .wave = w->index, .lane = lane};
    if (w->group)
        memcpy(fault.group, w->group->id, sizeof fault.group);
    /* Only the first of a site is worth its text; the others are counted. */
    pthread_mutex_lock(&report->lock);
    bool first = report->kept < WAVE_MAX_FAULTS;
    for (size_t i = 0; i < report->kept && first; i++)
        first = report->faults[i].kind != kind || report->faults[i].pc != fault.pc;
    if (!first)
        report->count[kind]++;
    pthread_mutex_unlock(&report->lock);
    if (!first)
        return false;
    describe(report, w, &fault);
    return wave_report_add(report, &fault);
}

void wave_report_take(struct wave_report *report, struct wave_result *result)
{
    memcpy(result->fault_count, report->count, sizeof result->fault_count);
    for (unsigned kind = 0; kind < WAVE_FAULT_KIND_COUNT; kind++)
        result->failed |= kind != WAVE_FAULT_LDS_RANGE && report->count[kind];
    result->faults = report->kept ? malloc(report->kept * sizeof *result->faults) : NULL;
    if (result->faults) {
        memcpy(result->faults, report->faults, report->kept * sizeof *result->faults);
        result->faults_kept = report->kept;
    }
    pthread_mutex_destroy(&report->lock);
    free(report);
}

/* Adding up: per row and fidelity, and per block. */
struct tally {
    struct wave_cache *cache;
    const uint64_t *counts;
    struct wave_result *result;
    struct wave_row_count *rows; /* [row][fidelity] */
    size_t block_cap;
};

/* How exactly the instruction at pc is carried out, by the IR that it became. */
static enum wave_fidelity fidelity_of(const struct ir_func *func, const struct ir_block *block, uint64_t pc)
{
    enum wave_fidelity fidelity = WAVE_EXACT;
    for (uint32_t i = block->first; i < block->first + block->count; i++) {
        if (func->insts[i].pc != pc)
            continue;
        if (func->insts[i].op == IR_unsupported || func->insts[i].op == IR_unknown)
            return WAVE_UNSUPPORTED;
        if (ir_ops[func->insts[i].op].flags & IR_F_APPROX)
            fidelity = WAVE_APPROXIMATE;
    }
    return fidelity;
}

static void count_block(void *user, const struct wave_unit *unit, uint32_t number, uint32_t counter)
{
    struct tally *t = user;
    uint64_t count = t->counts[counter];
    if (!count)
        return;
    const struct ir_block *block = &unit->func->blocks[number];
    struct wave_result *result = t->result;
    if (result->block_count == t->block_cap) {
        size_t cap = t->block_cap ? t->block_cap * 2 : 64;
        struct wave_block_count *blocks = realloc(result->blocks, cap * sizeof *blocks);
        if (!blocks)
            return;
        result->blocks = blocks;
        t->block_cap = cap;
    }
    result->blocks[result->block_count++] = (struct wave_block_count){block->pc, block->guest_count, count};
    for (uint64_t pc = block->pc; pc < block->end_pc;) {
        struct isa_inst inst;
        if (!decode_at(t->cache, unit->func->wave_size, pc, &inst)) {
            result->instructions[WAVE_UNSUPPORTED] += count;
            break;
        }
        enum wave_fidelity fidelity = fidelity_of(unit->func, block, pc);
        result->instructions[fidelity] += count;
        t->rows[inst.row->id * WAVE_FIDELITY_COUNT + fidelity].count += count;
        t->rows[inst.row->id * WAVE_FIDELITY_COUNT + fidelity].row = inst.row;
        pc += inst.size;
    }
}

static int by_row_count(const void *x, const void *y)
{
    uint64_t a = ((const struct wave_row_count *)x)->count, b = ((const struct wave_row_count *)y)->count;
    return a < b ? 1 : a > b ? -1 : 0;
}

static int by_block_work(const void *x, const void *y)
{
    const struct wave_block_count *a = x, *b = y;
    uint64_t wa = a->count * a->instructions, wb = b->count * b->instructions;
    return wa < wb ? 1 : wa > wb ? -1 : 0;
}

void wave_report_count(struct wave_cache *cache, const uint64_t *counts, struct wave_result *result)
{
    size_t cells = (size_t)isa_row_count * WAVE_FIDELITY_COUNT;
    struct tally t = {cache, counts, result, calloc(cells, sizeof *t.rows), 0};
    if (!t.rows)
        return;
    wave_cache_visit(cache, &t, count_block);
    for (size_t i = 0; i < cells; i++)
        if (t.rows[i].count) {
            t.rows[i].fidelity = (enum wave_fidelity)(i % WAVE_FIDELITY_COUNT);
            t.rows[result->row_count++] = t.rows[i];
        }
    qsort(t.rows, result->row_count, sizeof *t.rows, by_row_count);
    result->rows = t.rows;
    if (result->block_count)
        qsort(result->blocks, result->block_count, sizeof *result->blocks, by_block_work);
}

void wave_result_finish(struct wave_result *result)
{
    free(result->faults);
    free(result->rows);
    free(result->blocks);
    memset(result, 0, sizeof *result);
}
