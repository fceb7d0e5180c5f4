/* vulkan_words: rows of words that each go on by a step, past the caches where they are many. */
#include "vulkan/vulkan_words.h"

#include <emmintrin.h>
#include <string.h>
#include <wchar.h>

#include "base/base_racy.h"
#include "memory/memory.h"

enum { WORD = 4, LINE = 16 /* words */, VECTOR = 4, MANY_BYTES = 4 << 20 };

struct putting {
    uint8_t *to;
    uint64_t size;
    const struct trace_words *words;
    bool past; /* the caches: there is more than they hold */
};

static BASE_RACY uint32_t put_one(uint8_t **to, uint32_t word, uint32_t step)
{
    memcpy(*to, &word, sizeof word);
    *to += sizeof word;
    return word + step;
}

/* The words of whole lines. */
static BASE_RACY void put_lines(uint8_t *to, uint64_t lines, uint32_t word, uint32_t step, bool past)
{
    enum { VECTORS = LINE / VECTOR };
    const __m128i on = _mm_set1_epi32((int)(step * LINE));
    __m128i at[VECTORS];
    for (unsigned v = 0; v < VECTORS; v++)
        at[v] = _mm_add_epi32(_mm_set1_epi32((int)(word + v * VECTOR * step)),
                              _mm_set_epi32((int)(3 * step), (int)(2 * step), (int)step, 0));
    for (; lines; lines--, to += LINE * WORD)
        for (unsigned v = 0; v < VECTORS; v++) {
            __m128i *place = (__m128i *)(void *)to + v;
            if (past)
                _mm_stream_si128(place, at[v]);
            else
                _mm_store_si128(place, at[v]);
            at[v] = _mm_add_epi32(at[v], on);
        }
}

static BASE_RACY void put_row(const struct putting *p, uint8_t *to, uint64_t count, uint32_t word, uint32_t step)
{
    bool aligned = (uintptr_t)to % WORD == 0;
    while (count && (!aligned || (uintptr_t)to % (LINE * WORD))) {
        word = put_one(&to, word, step);
        count--;
    }
    put_lines(to, count / LINE, word, step, p->past);
    word += step * (uint32_t)(count / LINE * LINE);
    to += count / LINE * LINE * WORD;
    for (count %= LINE; count; count--)
        word = put_one(&to, word, step);
}

/* The words that the first `digits` digits count, from `word` on, as far as there is room; returns how many. */
static BASE_RACY uint64_t put_digits(const struct putting *p, uint8_t *to, uint64_t room, unsigned digits, uint32_t word)
{
    const struct trace_words *words = p->words;
    const unsigned last = digits - 1;
    uint64_t done = 0;
    if (!last) {
        done = words->count[0] < room ? words->count[0] : room;
        put_row(p, to, done, word, words->step[0]);
        return done;
    }
    for (uint64_t n = 0; n < words->count[last] && done < room; n++)
        done += put_digits(p, to + done * WORD, room - done, last, word + (uint32_t)n * words->step[last]);
    return done;
}

/* The host's library does it as fast, as long as the caches hold it. */
static BASE_RACY void put_one_word(const struct putting *p)
{
    _Static_assert(sizeof(wchar_t) == WORD, "wide characters are words");
    if (!p->past && (uintptr_t)p->to % WORD == 0)
        wmemset((wchar_t *)(void *)p->to, (wchar_t)p->words->first, p->size / WORD);
    else
        put_row(p, p->to, p->size / WORD, p->words->first, 0);
}

static BASE_RACY void put(void *user)
{
    const struct putting *p = user;
    if (p->words->digits)
        put_digits(p, p->to, p->size / WORD, p->words->digits, p->words->first);
    else
        put_one_word(p);
    if (p->past)
        _mm_sfence(); /* before anybody is told */
}

void vulkan_words_put(uint8_t *to, uint64_t size, const struct trace_words *words)
{
    put(&(struct putting){to, size, words, size >= MANY_BYTES});
}

void vulkan_words_put_guarded(uint8_t *to, uint64_t size, const struct trace_words *words)
{
    struct putting putting = {to, size, words, size >= MANY_BYTES};
    mem_guard_run(put, &putting);
}
