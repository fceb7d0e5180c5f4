/* The lowered programs of a chip: finds them by address, compares them with memory, and lowers what is new or has changed. */
#include <stdlib.h>
#include <string.h>

#include "wave/wave_program.h"

struct wave_cache {
    enum isa_chip_bit chip;
    struct wave_memory memory;
    pthread_mutex_t lock;        /* guards everything below */
    struct wave_program **table; /* the current ones: chains; capacity is a power of two */
    size_t count, cap;
    struct wave_program *programs; /* all that are alive */
    struct wave_past past;
    _Atomic uint64_t numbers; /* given out */
};

struct wave_cache *wave_cache_create(enum isa_chip_bit chip, const struct wave_memory *memory)
{
    struct wave_cache *cache = calloc(1, sizeof *cache);
    if (!cache)
        return NULL;
    cache->chip = chip;
    cache->memory = *memory;
    if (pthread_mutex_init(&cache->lock, NULL)) {
        free(cache);
        return NULL;
    }
    return cache;
}

void wave_cache_destroy(struct wave_cache *cache)
{
    if (!cache)
        return;
    while (cache->programs) {
        struct wave_program *program = cache->programs;
        cache->programs = program->next;
        wave_program_destroy(program);
    }
    free(cache->table);
    free(cache->past.totals);
    free(cache->past.rows);
    pthread_mutex_destroy(&cache->lock);
    free(cache);
}

const struct wave_memory *wave_cache_memory(const struct wave_cache *cache)
{
    return &cache->memory;
}
enum isa_chip_bit wave_cache_chip(const struct wave_cache *cache)
{
    return cache->chip;
}
uint64_t wave_cache_number(struct wave_cache *cache)
{
    return atomic_fetch_add(&cache->numbers, 1) + 1;
}
void wave_cache_lock(struct wave_cache *cache)
{
    pthread_mutex_lock(&cache->lock);
}
void wave_cache_unlock(struct wave_cache *cache)
{
    pthread_mutex_unlock(&cache->lock);
}
struct wave_past *wave_cache_past_locked(struct wave_cache *cache)
{
    return &cache->past;
}
struct wave_program *wave_cache_programs_locked(struct wave_cache *cache)
{
    return cache->programs;
}

/* Workers see it as well: who knows a unit looks at the epoch that it was found in. */
void wave_cache_invalidate(struct wave_cache *cache, uint64_t start, uint64_t size)
{
    wave_cache_lock(cache);
    for (struct wave_program *program = cache->programs; program; program = program->next)
        for (struct wave_unit *unit = program->units; unit; unit = unit->next)
            if (wave_code_touches(&unit->code, start, size))
                atomic_store_explicit(&unit->verified, WAVE_NEVER, memory_order_relaxed);
    wave_cache_unlock(cache);
}

static bool same_variant(const struct wave_variant *x, const struct wave_variant *y)
{
    return x->tier == y->tier && x->tuning == y->tuning && x->lower.marks == y->lower.marks && x->lower.chip == y->lower.chip &&
           x->lower.wave_size == y->lower.wave_size && x->lower.private_vgprs == y->lower.private_vgprs;
}

static struct wave_program **chain_of(struct wave_program **table, size_t cap, uint64_t pc)
{
    return &table[(size_t)((pc >> 2) * 0x9e3779b97f4a7c15u >> 24) & (cap - 1)];
}

static bool grow_locked(struct wave_cache *cache)
{
    size_t cap = cache->cap ? cache->cap * 2 : 64;
    struct wave_program **table = calloc(cap, sizeof *table);
    if (!table)
        return false;
    for (size_t i = 0; i < cache->cap; i++)
        for (struct wave_program *program = cache->table[i], *next; program; program = next) {
            struct wave_program **chain = chain_of(table, cap, program->pc);
            next = program->chain;
            program->chain = *chain;
            *chain = program;
        }
    free(cache->table);
    cache->table = table;
    cache->cap = cap;
    return true;
}

static struct wave_program *find_locked(struct wave_cache *cache, const struct wave_variant *variant, uint64_t pc)
{
    struct wave_program *program = cache->cap ? *chain_of(cache->table, cache->cap, pc) : NULL;
    while (program && !(program->pc == pc && same_variant(&program->variant, variant)))
        program = program->chain;
    return program;
}

/* The last reference is gone: what was counted stays. */
static void bury_locked(struct wave_cache *cache, struct wave_program *program)
{
    struct wave_program **at = &cache->programs;
    while (*at != program)
        at = &(*at)->next;
    *at = program->next;
    wave_past_add_locked(&cache->past, program);
    wave_program_destroy(program);
}

static void drop_locked(struct wave_cache *cache, struct wave_program *program)
{
    if (atomic_fetch_sub(&program->refs, 1) == 1)
        bury_locked(cache, program);
}

void wave_program_release(struct wave_program *program)
{
    if (!program)
        return;
    struct wave_cache *cache = program->cache;
    wave_cache_lock(cache);
    drop_locked(cache, program);
    wave_cache_unlock(cache);
}

/* Its code has changed: who runs it goes on, nobody starts it any more. */
static void retire_locked(struct wave_cache *cache, struct wave_program *program)
{
    struct wave_program **at = chain_of(cache->table, cache->cap, program->pc);
    while (*at != program)
        at = &(*at)->chain;
    *at = program->chain;
    cache->count--;
    atomic_store(&program->retired, true);
    drop_locked(cache, program);
}

static struct wave_program *make_locked(struct wave_cache *cache, const struct wave_variant *variant,
                                        const struct wave_memory *memory, uint64_t epoch, uint64_t pc, const char **why)
{
    *why = NULL;
    if (cache->count >= cache->cap && !grow_locked(cache))
        return NULL;
    struct wave_program *program = wave_program_create(cache, variant, pc, wave_cache_number(cache));
    const struct wave_unit *unit = program ? wave_program_lower(program, memory, epoch, pc, why) : NULL;
    if (!unit) {
        wave_program_destroy(program);
        return NULL;
    }
    program->entry = wave_program_block(program, pc)->place;
    program->next = cache->programs;
    cache->programs = program;
    struct wave_program **chain = chain_of(cache->table, cache->cap, pc);
    program->chain = *chain;
    *chain = program;
    cache->count++;
    atomic_store(&program->refs, 1);
    return program;
}

struct wave_program *wave_cache_program(struct wave_cache *cache, const struct wave_variant *variant,
                                        const struct wave_memory *memory, uint64_t epoch, uint64_t pc, const char **why)
{
    wave_cache_lock(cache);
    struct wave_program *program = find_locked(cache, variant, pc);
    if (program && (program->crowded || !wave_unit_verify(program->entry.unit, memory, epoch))) {
        retire_locked(cache, program);
        program = NULL;
    }
    if (!program)
        program = make_locked(cache, variant, memory, epoch, pc, why);
    if (program)
        atomic_fetch_add(&program->refs, 1);
    wave_cache_unlock(cache);
    return program;
}

struct wave_place wave_program_find(struct wave_program *program, const struct wave_memory *memory, uint64_t epoch, uint64_t pc,
                                    const char **why)
{
    struct wave_place place = {0};
    *why = NULL;
    wave_cache_lock(program->cache);
    const struct wave_block_entry *entry = wave_program_block(program, pc);
    bool known = entry && entry->place.op;
    if (known && wave_unit_verify(entry->place.unit, memory, epoch)) {
        place = entry->place;
    } else {
        program->crowded |= known;
        if (wave_program_lower(program, memory, epoch, pc, why))
            place = wave_program_block(program, pc)->place;
    }
    wave_cache_unlock(program->cache);
    return place;
}

uint64_t *wave_program_counts(struct wave_program *program, struct wave_unit *unit, const struct wave_worker *worker)
{
    wave_cache_lock(program->cache);
    struct wave_counts *counts = unit->counts;
    while (counts && !(counts->engine == worker->engine && counts->worker == worker))
        counts = counts->next;
    if (!counts) {
        size_t line = 64, size = sizeof *counts + unit->func->block_count * sizeof *counts->count;
        counts = aligned_alloc(line, (size + line - 1) / line * line); /* no line is another worker's as well */
        if (counts) {
            memset(counts, 0, size);
            *counts = (struct wave_counts){.next = unit->counts, .engine = worker->engine, .worker = worker};
            unit->counts = counts;
        }
    }
    wave_cache_unlock(program->cache);
    return counts ? counts->count : NULL;
}

void wave_program_drop_counts(struct wave_program *program, uint64_t engine)
{
    wave_cache_lock(program->cache);
    for (struct wave_unit *unit = program->units; unit; unit = unit->next)
        for (struct wave_counts **at = &unit->counts; *at;) {
            struct wave_counts *counts = *at;
            if (counts->engine != engine) {
                at = &counts->next;
                continue;
            }
            *at = counts->next;
            free(counts);
        }
    wave_cache_unlock(program->cache);
}
