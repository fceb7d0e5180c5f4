/* For tests of what traces tell of words: the words themselves, one by one. */
#ifndef TRACE_TRACE_WORDS_TESTING_H
#define TRACE_TRACE_WORDS_TESTING_H

#include "trace/trace.h"

static inline uint32_t trace_word_at(const struct trace_words *words, uint64_t n)
{
    uint32_t word = words->first;
    for (uint32_t k = 0; k < words->digits; k++) {
        word += (uint32_t)(n % words->count[k]) * words->step[k];
        n /= words->count[k];
    }
    return word;
}

#endif
