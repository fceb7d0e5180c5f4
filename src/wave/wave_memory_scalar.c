/* Scalar memory: one address for the wave, words to and from scalar registers. */
#include <string.h>

#include "wave/wave_memory.h"

enum { WORD = 4, MAX_WORDS = 16 };

/* The low two bits of every part of a scalar address count as zero. */
static uint32_t whole_words(uint32_t offset)
{
    return offset & ~(WORD - 1u);
}

static uint32_t offset_of(struct wave *w, const struct wave_op *o, const struct ir_access *access)
{
    return whole_words(o->b ? *wave_at(w, o->b) : 0) + whole_words((uint32_t)access->offset);
}

static uint64_t address_of(struct wave *w, const struct wave_op *o, const struct ir_access *access)
{
    const uint32_t *base = wave_at(w, o->a);
    uint64_t register_offset = whole_words(o->b ? *wave_at(w, o->b) : 0);
    return (whole_words(base[0]) | (uint64_t)base[1] << 32) + register_offset +
           (uint64_t)(int64_t)(int32_t)whole_words((uint32_t)access->offset);
}

static BASE_RACY void copy(void *to, const void *from, unsigned words)
{
    uint32_t *t = to;
    const uint32_t *f = from;
    for (unsigned k = 0; k < words; k++)
        t[k] = f[k];
}

/* Words that may lie in several runs: all of them, or false and a report. */
static bool read_words(struct wave *w, const struct wave_op *o, uint64_t address, uint32_t *to, unsigned words)
{
    for (unsigned k = 0; k < words; k++) {
        uint64_t at = address + k * WORD;
        const uint8_t *host = at >= address ? wave_op_mem(w, o, at, WORD, false) : NULL;
        if (!host) {
            wave_mem_fault(w, o, -1, at, false);
            return false;
        }
        copy(&to[k], host, 1);
    }
    return true;
}

static bool write_words(struct wave *w, const struct wave_op *o, uint64_t address, const uint32_t *from, unsigned words)
{
    uint8_t *host[MAX_WORDS];
    for (unsigned k = 0; k < words; k++) {
        uint64_t at = address + k * WORD;
        host[k] = at >= address ? wave_op_mem(w, o, at, WORD, true) : NULL;
        if (!host[k]) {
            wave_mem_fault(w, o, -1, at, true);
            return false;
        }
    }
    for (unsigned k = 0; k < words; k++)
        copy(host[k], &from[k], 1);
    return true;
}

static const struct wave_op *load_slow(struct wave *w, const struct wave_op *o)
{
    const struct ir_access *access = o->aux;
    uint32_t words[MAX_WORDS] = {0};
    if (!read_words(w, o, address_of(w, o, access), words, access->bytes / WORD))
        memset(words, 0, sizeof words);
    memcpy(wave_at(w, o->d), words, access->bytes);
    return o + 1;
}

/* Pairs of words move as one: who reads an address as a whole next need not wait for two stores to leave for the cache. */
static inline __attribute__((always_inline)) void copy_pairs(void *to, const void *from, unsigned words)
{
    typedef uint64_t pair __attribute__((aligned(WORD), may_alias));
    pair *t = to;
    const pair *f = from;
    if (words == 1)
        *(uint32_t *)to = *(const uint32_t *)from;
    _Pragma("GCC unroll 8") for (unsigned k = 0; k < words / 2; k++) t[k] = f[k];
}

/* One handler for each width: the copy is a few moves. */
#define LOAD(count)                                                                                 \
    static BASE_RACY const struct wave_op *op_load_##count(struct wave *w, const struct wave_op *o) \
    {                                                                                               \
        const struct wave_run *run = wave_op_run(w, o, false);                                      \
        uint64_t offset = address_of(w, o, o->aux) - run->start;                                    \
        if (__builtin_expect(offset >= run->size || run->size - offset < count * WORD, 0))          \
            return load_slow(w, o);                                                                 \
        copy_pairs(wave_at(w, o->d), run->host + offset, count);                                    \
        WAVE_GO(o + 1);                                                                             \
    }
LOAD(1)
LOAD(2)
LOAD(4)
LOAD(8)
LOAD(16)

/* What a scalar access to a buffer reaches: each word by itself is in or out. */
struct buffer_reach {
    uint64_t address;
    unsigned inside; /* words, from the first on */
};

static inline struct buffer_reach buffer_reach(struct wave *w, const struct wave_op *o, const struct ir_access *access)
{
    struct image_buffer buffer = image_buffer_decode(wave_at(w, o->a));
    uint64_t size = image_buffer_scalar_size(&buffer), offset = offset_of(w, o, access);
    uint64_t left = offset < size ? (size - offset) / WORD : 0, count = access->bytes / WORD;
    return (struct buffer_reach){(buffer.base & ~(uint64_t)(WORD - 1)) + offset, (unsigned)(left < count ? left : count)};
}

static BASE_RACY const struct wave_op *op_load_buffer(struct wave *w, const struct wave_op *o)
{
    const struct ir_access *access = o->aux;
    struct buffer_reach reach = buffer_reach(w, o, access);
    unsigned count = access->bytes / WORD;
    const struct wave_run *run = wave_op_run(w, o, false);
    uint64_t offset = reach.address - run->start;
    uint32_t *to = wave_at(w, o->d);
    if (__builtin_expect(reach.inside == count && offset < run->size && run->size - offset >= access->bytes, 1)) {
        copy(to, run->host + offset, count);
        return o + 1;
    }
    uint32_t words[MAX_WORDS] = {0};
    if (reach.inside && !read_words(w, o, reach.address, words, reach.inside))
        memset(words, 0, sizeof words);
    memcpy(to, words, access->bytes);
    return o + 1;
}

static const struct wave_op *op_store(struct wave *w, const struct wave_op *o)
{
    const struct ir_access *access = o->aux;
    write_words(w, o, address_of(w, o, access), wave_at(w, o->x), access->bytes / WORD);
    return o + 1;
}

static const struct wave_op *op_store_buffer(struct wave *w, const struct wave_op *o)
{
    struct buffer_reach reach = buffer_reach(w, o, o->aux);
    if (reach.inside)
        write_words(w, o, reach.address, wave_at(w, o->x), reach.inside);
    return o + 1;
}

/* The address, or false when the descriptor forbids it. */
static bool atomic_address(struct wave *w, const struct wave_op *o, const struct ir_access *access, uint64_t *address)
{
    if (access->space == IR_SPACE_SCALAR) {
        *address = address_of(w, o, access);
        return true;
    }
    struct buffer_reach reach = buffer_reach(w, o, access);
    *address = reach.address;
    return reach.inside * WORD == access->bytes;
}

static const struct wave_op *op_atomic(struct wave *w, const struct wave_op *o)
{
    const struct ir_access *access = o->aux;
    uint32_t *d = wave_at(w, o->d);
    const uint32_t *x = wave_at(w, o->x);
    uint64_t data = 0, data2 = 0, old = 0, address;
    memcpy(&data, x, access->bytes);
    if (access->atomic == IR_A_CMPSWAP)
        memcpy(&data2, x + access->bytes / WORD, access->bytes);
    if (atomic_address(w, o, access, &address)) {
        uint8_t *host = wave_op_mem(w, o, address, access->bytes, true);
        if (address % access->bytes)
            wave_report_fault(w, o, WAVE_FAULT_ATOMIC_MISALIGNED, -1, address);
        else if (!host)
            wave_mem_fault(w, o, -1, address, true);
        else
            old = wave_atomic_guest((enum ir_atomic)access->atomic, access->bytes, host, data, data2);
    }
    if (access->flags & IR_AC_RETURN)
        memcpy(d, &old, access->bytes);
    return o + 1;
}

uint32_t wave_scalar_reach(struct wave *w, const struct wave_op *o, uint64_t *address)
{
    const struct ir_access *access = o->aux;
    if (access->space == IR_SPACE_SCALAR) {
        *address = address_of(w, o, access);
        return access->bytes;
    }
    struct buffer_reach reach = buffer_reach(w, o, access);
    *address = reach.address;
    return reach.inside * WORD;
}

wave_fn wave_scalar_handler(const struct ir_inst *inst, const struct ir_access *access)
{
    bool buffer = access->space == IR_SPACE_SBUFFER;
    if (inst->op == IR_atomic)
        return op_atomic;
    if (inst->op == IR_store)
        return buffer ? op_store_buffer : op_store;
    if (buffer)
        return op_load_buffer;
    switch (access->bytes / WORD) {
    case 1: return op_load_1;
    case 2: return op_load_2;
    case 4: return op_load_4;
    case 8: return op_load_8;
    case 16: return op_load_16;
    default: return NULL;
    }
}
