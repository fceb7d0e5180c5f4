/* The lowered programs of a chip: finds the operations at an address, lowering what is not known yet. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "wave/wave_internal.h"

/* One block of one unit, by address and variant. */
struct entry {
    uint64_t pc;
    struct wave_variant variant;
    struct wave_place place; /* op NULL: a free entry */
};

struct wave_cache {
    enum isa_chip_bit chip;
    struct wave_memory memory;
    pthread_mutex_t lock;    /* guards everything below */
    struct wave_unit *units;
    struct entry *table;     /* open addressing; capacity is a power of two */
    size_t count, cap;
    uint32_t blocks;         /* block numbers given out */
    uint32_t const_top;
    uint32_t consts[WAVE_CONST_WORDS];
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

static void drop_all(struct wave_cache *cache)
{
    while (cache->units) {
        struct wave_unit *unit = cache->units;
        cache->units = unit->next;
        wave_unit_destroy(unit);
    }
    free(cache->table);
    cache->table = NULL;
    cache->count = cache->cap = 0;
    cache->blocks = 0;
    cache->const_top = 0;
}

void wave_cache_destroy(struct wave_cache *cache)
{
    if (!cache)
        return;
    drop_all(cache);
    pthread_mutex_destroy(&cache->lock);
    free(cache);
}

const struct wave_memory *wave_cache_memory(const struct wave_cache *cache) { return &cache->memory; }
enum isa_chip_bit wave_cache_chip(const struct wave_cache *cache) { return cache->chip; }

/* Everything goes: constants of several units share one area, and programs are few. Only when some unit lies in the range. */
void wave_cache_invalidate(struct wave_cache *cache, uint64_t start, uint64_t size)
{
    pthread_mutex_lock(&cache->lock);
    bool touched = false;
    for (const struct wave_unit *unit = cache->units; unit && !touched; unit = unit->next)
        for (uint32_t i = 0; i < unit->func->block_count && !touched; i++) {
            const struct ir_block *block = &unit->func->blocks[i];
            touched = block->pc - start < size || (start >= block->pc && start < block->end_pc);
        }
    if (touched)
        drop_all(cache);
    pthread_mutex_unlock(&cache->lock);
}

static bool same_variant(const struct wave_variant *x, const struct wave_variant *y)
{
    return x->tier == y->tier && x->lower.marks == y->lower.marks && x->lower.chip == y->lower.chip &&
           x->lower.wave_size == y->lower.wave_size && x->lower.private_vgprs == y->lower.private_vgprs;
}

static struct entry *entry_of(struct entry *table, size_t cap, const struct wave_variant *variant, uint64_t pc)
{
    size_t slot = (size_t)((pc >> 2) * 0x9e3779b97f4a7c15u >> 24) + variant->lower.wave_size + variant->lower.marks;
    for (;; slot++) {
        struct entry *e = &table[slot & (cap - 1)];
        if (!e->place.op || (e->pc == pc && same_variant(&e->variant, variant)))
            return e;
    }
}

static bool add_entry(struct wave_cache *cache, const struct wave_variant *variant, uint64_t pc, struct wave_place place)
{
    if (cache->count * 2 >= cache->cap) {
        size_t cap = cache->cap ? cache->cap * 2 : 256;
        struct entry *table = calloc(cap, sizeof *table);
        if (!table)
            return false;
        for (size_t i = 0; i < cache->cap; i++)
            if (cache->table[i].place.op)
                *entry_of(table, cap, &cache->table[i].variant, cache->table[i].pc) = cache->table[i];
        free(cache->table);
        cache->table = table;
        cache->cap = cap;
    }
    struct entry *e = entry_of(cache->table, cache->cap, variant, pc);
    if (e->place.op)
        return true; /* an earlier unit has this block: that one stays */
    *e = (struct entry){pc, *variant, place};
    cache->count++;
    return true;
}

/* Program words through the guest's memory. */
static size_t read_words(void *user, uint64_t pc, uint32_t *words, size_t count)
{
    const struct wave_memory *memory = user;
    struct wave_run run;
    size_t done = 0;
    while (done < count) {
        uint64_t address = pc + done * 4;
        if (address < pc || memory->find(memory->user, address, &run) != WAVE_DONE)
            break;
        uint64_t left = run.size - (address - run.start);
        if (left < 4)
            break;
        size_t n = left / 4 < count - done ? (size_t)(left / 4) : count - done;
        memcpy(words + done, run.host + (address - run.start), n * 4);
        done += n;
    }
    return done;
}

static struct wave_unit *lower_unit(struct wave_cache *cache, const struct wave_variant *variant, uint64_t pc, const char **why)
{
    struct lower_fetch fetch = {&cache->memory, read_words};
    struct ir_func *func = lower_program(&variant->lower, &fetch, pc);
    *why = "out of memory";
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
    if (cache->const_top + func->const_count * 2 > WAVE_CONST_WORDS || cache->blocks + func->block_count > WAVE_MAX_BLOCKS) {
        ir_func_destroy(func);
        *why = "the program is larger than the interpreter holds (constants or blocks)";
        return NULL;
    }
    struct wave_unit *unit = wave_translate(func, variant, cache->blocks, cache->const_top);
    if (!unit)
        return NULL;
    for (uint32_t i = 0; i < unit->func->const_count; i++) {
        cache->consts[cache->const_top++] = (uint32_t)unit->func->consts[i];
        cache->consts[cache->const_top++] = (uint32_t)(unit->func->consts[i] >> 32);
    }
    cache->blocks += unit->func->block_count;
    unit->next = cache->units;
    cache->units = unit;
    for (uint32_t i = 0; i < unit->func->block_count; i++)
        if (!add_entry(cache, variant, unit->func->blocks[i].pc, (struct wave_place){unit, &unit->ops[unit->block_op[i]]}))
            return NULL;
    return unit;
}

struct wave_place wave_cache_find(struct wave_cache *cache, const struct wave_variant *variant, uint64_t pc, const char **why)
{
    struct wave_place place = {0};
    pthread_mutex_lock(&cache->lock);
    struct entry *e = cache->cap ? entry_of(cache->table, cache->cap, variant, pc) : NULL;
    if ((e && e->place.op) || lower_unit(cache, variant, pc, why))
        place = entry_of(cache->table, cache->cap, variant, pc)->place;
    pthread_mutex_unlock(&cache->lock);
    return place;
}

void wave_cache_load_consts(struct wave_cache *cache, struct wave *w, uint32_t top)
{
    if (w->consts_loaded >= top)
        return;
    pthread_mutex_lock(&cache->lock);
    memcpy(w->k + w->consts_loaded, cache->consts + w->consts_loaded, (cache->const_top - w->consts_loaded) * sizeof *w->k);
    w->consts_loaded = cache->const_top;
    pthread_mutex_unlock(&cache->lock);
}

uint32_t wave_cache_block_count(struct wave_cache *cache)
{
    pthread_mutex_lock(&cache->lock);
    uint32_t count = cache->blocks;
    pthread_mutex_unlock(&cache->lock);
    return count;
}

void wave_cache_visit(struct wave_cache *cache, void *user, void (*visit)(void *user, const struct wave_unit *unit, uint32_t block, uint32_t number))
{
    pthread_mutex_lock(&cache->lock);
    for (const struct wave_unit *unit = cache->units; unit; unit = unit->next)
        for (uint32_t i = 0; i < unit->func->block_count; i++)
            visit(user, unit, i, unit->first_block + i);
    pthread_mutex_unlock(&cache->lock);
}
