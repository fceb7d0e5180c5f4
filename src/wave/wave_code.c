/* Program words: read through guest memory, kept beside what was lowered from them, and compared with memory later. */
#include <stdlib.h>

#include "wave/wave_program.h"

enum { WORD = 4, CHUNK_BYTES = WAVE_CHUNK_WORDS * WORD };

/* Words at pc that lie together in the host; 0: there is no code. */
static uint64_t words_at(const struct wave_memory *memory, uint64_t pc, const uint8_t **host)
{
    struct wave_run run;
    if (memory->find(memory->user, pc, &run) != WAVE_DONE || !run.host)
        return 0;
    *host = run.host + (pc - run.start);
    return (run.size - (pc - run.start)) / WORD;
}

/* Copies and compares code, which the guest may be writing at this moment. */
static BASE_RACY void copy_words(uint32_t *to, const uint8_t *from, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] = *(const volatile uint32_t *)(const void *)(from + i * WORD);
}

static BASE_RACY bool same_words(const uint32_t *kept, const uint8_t *memory, size_t count)
{
    const uint32_t *now = (const void *)memory;
    uint32_t different = 0;
    for (size_t i = 0; i < count; i++)
        different |= kept[i] ^ now[i];
    return !different;
}

static struct wave_code_chunk **slot_of(struct wave_code_reader *reader, uint64_t base)
{
    size_t slot = (size_t)(base / CHUNK_BYTES * 0x9e3779b97f4a7c15u >> 20) & (reader->cap - 1);
    while (reader->table[slot] && reader->table[slot]->base != base)
        slot = (slot + 1) & (reader->cap - 1);
    return &reader->table[slot];
}

static bool grow(struct wave_code_reader *reader)
{
    struct wave_code_reader larger = {.cap = reader->cap ? reader->cap * 2 : 16};
    larger.table = calloc(larger.cap, sizeof *larger.table);
    if (!larger.table)
        return false;
    for (size_t i = 0; i < reader->cap; i++)
        if (reader->table[i])
            *slot_of(&larger, reader->table[i]->base) = reader->table[i];
    free(reader->table);
    reader->table = larger.table;
    reader->cap = larger.cap;
    return true;
}

static struct wave_code_chunk *chunk_of(struct wave_code_reader *reader, uint64_t base)
{
    if (reader->count * 2 >= reader->cap && !grow(reader))
        return NULL;
    struct wave_code_chunk **slot = slot_of(reader, base);
    if (!*slot && (*slot = calloc(1, sizeof **slot))) {
        (*slot)->base = base;
        reader->count++;
    }
    return *slot;
}

/* The word at pc, which is then kept with its neighbours: what was read once is never read again, whatever memory does meanwhile. */
static const uint32_t *word_at(struct wave_code_reader *reader, uint64_t pc)
{
    uint64_t base = pc & ~(uint64_t)(CHUNK_BYTES - 1);
    struct wave_code_chunk *chunk = chunk_of(reader, base);
    if (!chunk)
        return NULL;
    unsigned n = (unsigned)((pc - base) / WORD);
    if (!(chunk->valid >> n & 1)) {
        const uint8_t *host;
        uint64_t here = words_at(reader->memory, pc, &host);
        for (unsigned i = n; here && i < WAVE_CHUNK_WORDS && !(chunk->valid >> i & 1); i++, here--) {
            copy_words(&chunk->words[i], host + (size_t)(i - n) * WORD, 1);
            chunk->valid |= (uint64_t)1 << i;
        }
    }
    return chunk->valid >> n & 1 ? &chunk->words[n] : NULL;
}

size_t wave_code_read(void *reader, uint64_t pc, uint32_t *words, size_t count)
{
    size_t done = 0;
    for (; done < count && pc + done * WORD >= pc; done++) {
        const uint32_t *word = word_at(reader, pc + done * WORD);
        if (!word)
            break;
        words[done] = *word;
    }
    return done;
}

void wave_code_reader_finish(struct wave_code_reader *reader)
{
    for (size_t i = 0; i < reader->cap; i++)
        free(reader->table[i]);
    free(reader->table);
}

/* A block's end, as far as its words decide: what makes an instruction unknown may stand in the words behind its first. */
static uint64_t end_of(const struct ir_func *func, const struct ir_block *block, bool *no_code)
{
    enum { LONGEST = 3 };
    const struct ir_inst *last = block->count ? &func->insts[block->first + block->count - 1] : NULL;
    *no_code = false;
    if (!last || last->op != IR_unknown)
        return block->end_pc;
    *no_code = last->imm == IR_UNKNOWN_NO_CODE;
    return *no_code ? last->pc : last->pc + (uint64_t)LONGEST * WORD;
}

bool wave_code_keep(struct wave_code_reader *reader, const struct ir_func *func, struct wave_code *code)
{
    size_t words = 0;
    for (uint32_t i = 0; i < func->block_count; i++) {
        bool no_code;
        uint64_t size = end_of(func, &func->blocks[i], &no_code) - func->blocks[i].pc;
        words += size / WORD;
    }
    code->pieces = calloc((size_t)func->block_count * 2 + 1, sizeof *code->pieces);
    code->words = calloc(words + 1, sizeof *code->words);
    code->block_first = calloc((size_t)func->block_count + 1, sizeof *code->block_first);
    if (!code->pieces || !code->words || !code->block_first)
        return false;
    uint32_t first = 0;
    for (uint32_t i = 0; i < func->block_count; i++) {
        const struct ir_block *block = &func->blocks[i];
        bool no_code;
        uint64_t end = end_of(func, block, &no_code);
        struct wave_code_piece *before = code->piece_count ? &code->pieces[code->piece_count - 1] : NULL;
        uint32_t count = (uint32_t)wave_code_read(reader, block->pc, code->words + first, (size_t)(end - block->pc) / WORD);
        if (before && before->count && before->pc + (uint64_t)before->count * WORD == block->pc)
            before->count += count;
        else if (count)
            code->pieces[code->piece_count++] = (struct wave_code_piece){block->pc, first, count};
        first += count;
        code->block_first[i + 1] = first;
        if (no_code)
            code->pieces[code->piece_count++] = (struct wave_code_piece){end, first, 0};
    }
    return true;
}

void wave_code_finish(struct wave_code *code)
{
    free(code->pieces);
    free(code->words);
    free(code->block_first);
}

/* Whether memory holds a piece's words, run by run. */
static bool same_piece(const struct wave_code_piece *piece, const uint32_t *words, const struct wave_memory *memory)
{
    const uint8_t *host;
    if (!piece->count)
        return piece->pc % WORD || !words_at(memory, piece->pc, &host);
    for (uint32_t done = 0; done < piece->count;) {
        uint64_t here = words_at(memory, piece->pc + (uint64_t)done * WORD, &host);
        if (!here)
            return false;
        uint32_t count = here < piece->count - done ? (uint32_t)here : piece->count - done;
        if (!same_words(words + done, host, count))
            return false;
        done += count;
    }
    return true;
}

bool wave_code_same(const struct wave_code *code, const struct wave_memory *memory)
{
    for (uint32_t i = 0; i < code->piece_count; i++)
        if (!same_piece(&code->pieces[i], code->words + code->pieces[i].first, memory))
            return false;
    return true;
}

bool wave_code_touches(const struct wave_code *code, uint64_t start, uint64_t size)
{
    for (uint32_t i = 0; i < code->piece_count; i++) {
        const struct wave_code_piece *piece = &code->pieces[i];
        uint64_t bytes = piece->count ? (uint64_t)piece->count * WORD : WORD;
        if (piece->pc - start < size || start - piece->pc < bytes)
            return true;
    }
    return false;
}

const uint32_t *wave_code_block(const struct wave_code *code, uint32_t block, size_t *count)
{
    *count = code->block_first[block + 1] - code->block_first[block];
    return code->words + code->block_first[block];
}
