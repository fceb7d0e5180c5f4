/* The programs that a cache holds: what they were lowered from, where computed jumps in them lead, and what was counted.
 *
 *   wave_program      everything lowered for one entry address and variant: the entry's unit and those that computed jumps reached. Counted: the
 *                     cache's table holds one reference as long as the program is current, each worker that knows it another; units and
 *                     counts live as long as their program.
 *   wave_counts       executions of a unit's blocks as one worker counts them; the unit's.
 *   wave_code_reader  reads words to be lowered, each once, and remembers them; the caller's, from init to finish.
 *   wave_tally        counts added up by instruction row; the caller's, from init to finish.
 */
#ifndef WAVE_WAVE_PROGRAM_H
#define WAVE_WAVE_PROGRAM_H

#include <pthread.h>

#include "wave/wave_internal.h"

struct wave_counts {
    struct wave_counts *next;
    uint64_t engine;
    const struct wave_worker *worker;
    uint64_t count[]; /* by block; written by the worker alone */
};

/* One block of one unit, by address. */
struct wave_block_entry {
    uint64_t pc;
    struct wave_place place; /* op NULL: a free entry */
};

struct wave_program {
    struct wave_cache *cache;
    uint64_t pc, id; /* id: never given to another program of the cache */
    struct wave_variant variant;
    struct wave_place entry;
    _Atomic uint32_t refs;
    _Atomic bool retired; /* not in the table any more */
    /* Guarded by the cache's lock. */
    struct wave_program *chain, *next; /* in the table; among all of the cache's */
    struct wave_unit *units;
    uint32_t unit_count, const_top;
    bool crowded;                    /* a unit was lowered anew while the program ran: the next dispatch starts afresh */
    struct wave_block_entry *blocks; /* open addressing; capacity is a power of two */
    size_t block_count, block_cap;
    /* What engines did with it. */
    _Atomic uint64_t dispatches, failed, groups, waves;
};

/* wave_cache.c */
/* The program at pc as it is in memory in this epoch; one reference is the caller's. NULL with *why; *why NULL: out of memory. */
struct wave_program *wave_cache_program(struct wave_cache *cache, const struct wave_variant *variant,
                                        const struct wave_memory *memory, uint64_t epoch, uint64_t pc, const char **why);
void wave_program_release(struct wave_program *program); /* NULL is fine */
/* Where a computed jump to pc leads; op NULL with *why, as above. */
struct wave_place wave_program_find(struct wave_program *program, const struct wave_memory *memory, uint64_t epoch, uint64_t pc,
                                    const char **why);
/* The worker's counts for a unit, zero at first; NULL: out of memory. */
uint64_t *wave_program_counts(struct wave_program *program, struct wave_unit *unit, const struct wave_worker *worker);
/* Takes an engine's counts out of all units. */
void wave_program_drop_counts(struct wave_program *program, uint64_t engine);
/* A number that was never given before. */
uint64_t wave_cache_number(struct wave_cache *cache);
void wave_cache_lock(struct wave_cache *cache);
void wave_cache_unlock(struct wave_cache *cache);

/* What is left of programs that are gone. */
struct wave_past {
    struct wave_program_total *totals; /* one for each address, as far as they fit; the last stands for the rest */
    size_t count, cap;
    uint64_t *rows; /* [row][fidelity], or NULL: nothing yet */
};
/* Guarded by the cache's lock, like these. */
struct wave_past *wave_cache_past_locked(struct wave_cache *cache);
struct wave_program *wave_cache_programs_locked(struct wave_cache *cache);
void wave_past_add_locked(struct wave_past *past, struct wave_program *program); /* wave_count.c */

/* wave_program.c */
struct wave_program *wave_program_create(struct wave_cache *cache, const struct wave_variant *variant, uint64_t pc, uint64_t id);
void wave_program_destroy(struct wave_program *program);
/* Lowers what starts at pc into the program. NULL with *why, as above. */
struct wave_unit *wave_program_lower(struct wave_program *program, const struct wave_memory *memory, uint64_t epoch, uint64_t pc,
                                     const char **why);
/* The entry for pc: its place's op is NULL when pc is not known. NULL: nothing is known yet. */
const struct wave_block_entry *wave_program_block(const struct wave_program *program, uint64_t pc);
/* Whether memory still holds the unit's words; asked once an epoch. */
bool wave_unit_verify(struct wave_unit *unit, const struct wave_memory *memory, uint64_t epoch);

/* wave_code.c */
enum { WAVE_CHUNK_WORDS = 64 };

struct wave_code_chunk {
    uint64_t base;  /* address of its first word, a multiple of its size */
    uint64_t valid; /* words that were read, by bit */
    uint32_t words[WAVE_CHUNK_WORDS];
};

struct wave_code_reader {
    const struct wave_memory *memory;
    struct wave_code_chunk **table; /* open addressing; capacity is a power of two */
    size_t count, cap;
};

size_t wave_code_read(void *reader, uint64_t pc, uint32_t *words, size_t count); /* as lower_fetch's read */
void wave_code_reader_finish(struct wave_code_reader *reader);
/* The words that func was lowered from. False: out of memory. */
bool wave_code_keep(struct wave_code_reader *reader, const struct ir_func *func, struct wave_code *code);
void wave_code_finish(struct wave_code *code);
/* Whether memory holds the same. */
bool wave_code_same(const struct wave_code *code, const struct wave_memory *memory);
/* Whether any of it lies in [start, start + size). */
bool wave_code_touches(const struct wave_code *code, uint64_t start, uint64_t size);
/* The words of one of the unit's blocks. */
const uint32_t *wave_code_block(const struct wave_code *code, uint32_t block, size_t *count);

/* wave_count.c */
struct wave_tally {
    uint64_t instructions[WAVE_FIDELITY_COUNT];
    uint64_t *rows;                  /* [row][fidelity] */
    struct wave_block_count *blocks; /* only when wanted */
    size_t block_count, block_cap;
    bool wants_blocks;
};

bool wave_tally_init(struct wave_tally *tally, bool wants_blocks);
void wave_tally_finish(struct wave_tally *tally);
/* Adds up what the engine's workers (0: all workers) counted. The cache's lock is held. */
void wave_tally_add_locked(struct wave_tally *tally, const struct wave_program *program, uint64_t engine);
/* The rows that were executed, most first; the caller's to free. NULL, *count 0: none, or out of memory. */
struct wave_row_count *wave_rows_sorted(const uint64_t *rows, size_t *count);
/* Moves the tally over to a result. */
void wave_tally_take(struct wave_tally *tally, struct wave_result *result);

#endif
