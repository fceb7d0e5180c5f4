/* Adds up executed instructions by row and block, from what workers counted. */
#include <stdlib.h>
#include <string.h>

#include "wave/wave_program.h"

enum { PAST_PROGRAMS = 4096 };

static size_t cells(void)
{
    return (size_t)isa_row_count * WAVE_FIDELITY_COUNT;
}

bool wave_tally_init(struct wave_tally *tally, bool wants_blocks)
{
    *tally = (struct wave_tally){.rows = calloc(cells(), sizeof *tally->rows), .wants_blocks = wants_blocks};
    return tally->rows != NULL;
}

void wave_tally_finish(struct wave_tally *tally)
{
    free(tally->rows);
    free(tally->blocks);
}

/* Levels by derivatives, and rays, always; samples where they met a filter. */
static bool is_approximate_image(const struct wave_unit *unit, uint32_t number)
{
    unsigned kind = unit->func->images[number].kind;
    return kind == IR_IMAGE_LOD || kind == IR_IMAGE_RAY || atomic_load_explicit(&unit->filtered[number], memory_order_relaxed);
}

/* How exactly the instruction at pc is carried out, by the IR that it became: that from *at on, which moves past it. */
static enum wave_fidelity fidelity_of(const struct wave_unit *unit, const struct ir_block *block, uint64_t pc, uint32_t *at)
{
    const struct ir_func *func = unit->func;
    enum wave_fidelity fidelity = WAVE_EXACT;
    for (; *at < block->first + block->count && func->insts[*at].pc <= pc; ++*at) {
        unsigned op = func->insts[*at].op;
        bool approximate = ir_ops[op].flags & IR_F_APPROX || (op == IR_image && is_approximate_image(unit, func->insts[*at].imm));
        if (op == IR_unsupported || op == IR_unknown)
            fidelity = WAVE_UNSUPPORTED;
        else if (approximate && fidelity == WAVE_EXACT)
            fidelity = WAVE_APPROXIMATE;
    }
    return fidelity;
}

static void add_block(struct wave_tally *tally, const struct ir_block *block, uint64_t count)
{
    if (tally->block_count == tally->block_cap) {
        size_t cap = tally->block_cap ? tally->block_cap * 2 : 64;
        struct wave_block_count *blocks = realloc(tally->blocks, cap * sizeof *blocks);
        if (!blocks)
            return;
        tally->blocks = blocks;
        tally->block_cap = cap;
    }
    tally->blocks[tally->block_count++] = (struct wave_block_count){block->pc, block->guest_count, count};
}

static void count_block(struct wave_tally *tally, const struct wave_program *program, const struct wave_unit *unit,
                        uint32_t number, uint64_t count)
{
    const struct ir_block *block = &unit->func->blocks[number];
    size_t have;
    uint32_t inst_at = block->first;
    const uint32_t *words = wave_code_block(&unit->code, number, &have);
    if (tally->wants_blocks)
        add_block(tally, block, count);
    for (uint64_t pc = block->pc; pc < block->end_pc;) {
        struct isa_inst inst;
        size_t at = (size_t)(pc - block->pc) / 4;
        if (at >= have ||
            isa_decode(program->variant.lower.chip, program->variant.lower.wave_size, words + at, have - at, &inst) != ISA_OK) {
            tally->instructions[WAVE_UNSUPPORTED] += count;
            break;
        }
        enum wave_fidelity fidelity = fidelity_of(unit, block, pc, &inst_at);
        tally->instructions[fidelity] += count;
        tally->rows[inst.row->id * WAVE_FIDELITY_COUNT + fidelity] += count;
        pc += inst.size;
    }
}

/* Workers may be counting at this moment. */
static BASE_RACY uint64_t executions(const struct wave_unit *unit, uint64_t engine, uint32_t block)
{
    uint64_t sum = 0;
    for (const struct wave_counts *counts = unit->counts; counts; counts = counts->next)
        if (!engine || counts->engine == engine)
            sum += *(const volatile uint64_t *)&counts->count[block];
    return sum;
}

void wave_tally_add_locked(struct wave_tally *tally, const struct wave_program *program, uint64_t engine)
{
    for (const struct wave_unit *unit = program->units; unit; unit = unit->next)
        for (uint32_t i = 0; i < unit->func->block_count; i++) {
            uint64_t count = executions(unit, engine, i);
            if (count)
                count_block(tally, program, unit, i, count);
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

struct wave_row_count *wave_rows_sorted(const uint64_t *rows, size_t *count)
{
    *count = 0;
    size_t used = 0;
    for (size_t i = 0; i < cells(); i++)
        used += rows[i] != 0;
    struct wave_row_count *sorted = used ? calloc(used, sizeof *sorted) : NULL;
    if (!sorted)
        return NULL;
    for (size_t i = 0; i < cells(); i++)
        if (rows[i])
            sorted[(*count)++] = (struct wave_row_count){&isa_rows[i / WAVE_FIDELITY_COUNT],
                                                         (enum wave_fidelity)(i % WAVE_FIDELITY_COUNT), rows[i]};
    qsort(sorted, used, sizeof *sorted, by_row_count);
    return sorted;
}

void wave_tally_take(struct wave_tally *tally, struct wave_result *result)
{
    memcpy(result->instructions, tally->instructions, sizeof result->instructions);
    result->rows = wave_rows_sorted(tally->rows, &result->row_count);
    if (tally->block_count)
        qsort(tally->blocks, tally->block_count, sizeof *tally->blocks, by_block_work);
    result->blocks = tally->blocks;
    result->block_count = tally->block_count;
    tally->blocks = NULL;
    tally->block_count = tally->block_cap = 0;
}

/* The place for a program's sums; NULL: out of memory. */
static struct wave_program_total *past_total(struct wave_past *past, uint64_t pc, unsigned wave_size)
{
    for (size_t i = 0; i < past->count; i++)
        if (past->totals[i].program == pc && past->totals[i].wave_size == wave_size)
            return &past->totals[i];
    if (past->count == PAST_PROGRAMS)
        return &past->totals[past->count - 1];
    if (past->count == past->cap) {
        size_t cap = past->cap ? past->cap * 2 : 16;
        struct wave_program_total *totals = realloc(past->totals, cap * sizeof *totals);
        if (!totals)
            return NULL;
        past->totals = totals;
        past->cap = cap;
    }
    struct wave_program_total *total = &past->totals[past->count++];
    bool rest = past->count == PAST_PROGRAMS;
    *total = (struct wave_program_total){.program = rest ? 0 : pc, .wave_size = rest ? 0 : wave_size};
    return total;
}

void wave_past_add_locked(struct wave_past *past, struct wave_program *program)
{
    if (!atomic_load(&program->dispatches))
        return;
    struct wave_tally tally;
    struct wave_program_total *total = past_total(past, program->pc, program->variant.lower.wave_size);
    if (!past->rows)
        past->rows = calloc(cells(), sizeof *past->rows);
    if (!total || !past->rows || !wave_tally_init(&tally, false))
        return;
    wave_tally_add_locked(&tally, program, 0);
    total->dispatches += atomic_load(&program->dispatches);
    total->failed += atomic_load(&program->failed);
    total->groups += atomic_load(&program->groups);
    total->waves += atomic_load(&program->waves);
    for (unsigned i = 0; i < WAVE_FIDELITY_COUNT; i++)
        total->instructions[i] += tally.instructions[i];
    for (size_t i = 0; i < cells(); i++)
        past->rows[i] += tally.rows[i];
    wave_tally_finish(&tally);
}
