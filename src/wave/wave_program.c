/* One program: lowers the units that it consists of, and finds the block at an address. */
#include "wave/wave_program.h"

#include <stdlib.h>
#include <string.h>

struct wave_program *wave_program_create(struct wave_cache *cache, const struct wave_variant *variant, uint64_t pc, uint64_t id)
{
    struct wave_program *program = calloc(1, sizeof *program);
    if (program) {
        program->cache = cache;
        program->variant = *variant;
        program->pc = pc;
        program->id = id;
    }
    return program;
}

void wave_program_destroy(struct wave_program *program)
{
    if (!program)
        return;
    while (program->units) {
        struct wave_unit *unit = program->units;
        program->units = unit->next;
        wave_unit_destroy(unit);
    }
    free(program->blocks);
    free(program);
}

static struct wave_block_entry *entry_of(struct wave_block_entry *table, size_t cap, uint64_t pc)
{
    for (size_t slot = (size_t)((pc >> 2) * 0x9e3779b97f4a7c15u >> 24);; slot++) {
        struct wave_block_entry *entry = &table[slot & (cap - 1)];
        if (!entry->place.op || entry->pc == pc)
            return entry;
    }
}

const struct wave_block_entry *wave_program_block(const struct wave_program *program, uint64_t pc)
{
    return program->block_cap ? entry_of(program->blocks, program->block_cap, pc) : NULL;
}

static bool grow(struct wave_program *program)
{
    size_t cap = program->block_cap ? program->block_cap * 2 : 64;
    struct wave_block_entry *table = calloc(cap, sizeof *table);
    if (!table)
        return false;
    for (size_t i = 0; i < program->block_cap; i++)
        if (program->blocks[i].place.op)
            *entry_of(table, cap, program->blocks[i].pc) = program->blocks[i];
    free(program->blocks);
    program->blocks = table;
    program->block_cap = cap;
    return true;
}

/* An earlier unit keeps its blocks, but for one whose code has changed. */
static bool add_block(struct wave_program *program, uint64_t pc, struct wave_place place)
{
    if (program->block_count * 2 >= program->block_cap && !grow(program))
        return false;
    struct wave_block_entry *entry = entry_of(program->blocks, program->block_cap, pc);
    if (!entry->place.op)
        program->block_count++;
    else if (atomic_load_explicit(&entry->place.unit->verified, memory_order_relaxed) != WAVE_NEVER)
        return true;
    *entry = (struct wave_block_entry){pc, place};
    return true;
}

static struct ir_func *lower(const struct wave_variant *variant, struct wave_code_reader *reader, uint64_t pc)
{
    struct lower_fetch fetch = {reader, wave_code_read};
    struct ir_func *func = lower_program(&variant->lower, &fetch, pc);
    if (!func)
        return NULL;
    if (!variant->lower.marks) /* who looks in at every instruction wants to see SCC as it is */
        ir_drop_dead_scc(func);
    ir_drop_dead(func);
#ifndef NDEBUG
    uint32_t at;
    const char *bad = ir_validate(func, &at);
    if (bad) {
        fprintf(stderr, "tenfold: invalid IR after lowering 0x%llx, instruction %u: %s\n", (unsigned long long)pc, at, bad);
        abort();
    }
#endif
    return func;
}

/* The unit joins the program; false: out of memory (the unit stays with the program, as far as it got). */
static bool add_unit(struct wave_program *program, struct wave_unit *unit)
{
    unit->number = program->unit_count++;
    program->const_top = unit->const_top;
    unit->next = program->units;
    program->units = unit;
    for (uint32_t i = 0; i < unit->func->block_count; i++)
        if (!add_block(program, unit->func->blocks[i].pc, (struct wave_place){unit, &unit->ops[unit->block_op[i]]}))
            return false;
    return true;
}

struct wave_unit *wave_program_lower(struct wave_program *program, const struct wave_memory *memory, uint64_t epoch, uint64_t pc,
                                     const char **why)
{
    struct wave_code_reader reader = {.memory = memory};
    struct ir_func *func = lower(&program->variant, &reader, pc);
    struct wave_code code = {0};
    struct wave_unit *unit = NULL;
    bool fits = func && program->const_top + func->const_count * 2 <= WAVE_CONST_WORDS;
    *why = func && !fits ? "the program has more constants than the interpreter holds" : NULL;
    if (fits && wave_code_keep(&reader, func, &code)) {
        unit = wave_translate(func, &program->variant, program->const_top);
        func = NULL; /* the unit's, or gone */
    }
    wave_code_reader_finish(&reader);
    ir_func_destroy(func);
    if (!unit) {
        wave_code_finish(&code);
        return NULL;
    }
    unit->code = code;
    atomic_store_explicit(&unit->verified, epoch, memory_order_relaxed);
    return add_unit(program, unit) ? unit : NULL;
}

bool wave_unit_verify(struct wave_unit *unit, const struct wave_memory *memory, uint64_t epoch)
{
    if (atomic_load_explicit(&unit->verified, memory_order_relaxed) == epoch)
        return true;
    bool same = wave_code_same(&unit->code, memory);
    atomic_store_explicit(&unit->verified, same ? epoch : WAVE_NEVER, memory_order_relaxed);
    return same;
}
