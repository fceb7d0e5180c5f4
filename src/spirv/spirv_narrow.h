/* spirv_narrow: finished modules for hosts without 64-bit integers, 64-bit floats and bytes in memory.
 *
 * A 64-bit integer or float becomes two words, the low one first; a byte of memory becomes a part of its word. What takes more than a few
 * instructions is a call of a function of the lane library's (library/narrow.glsl), which the module must have.
 */
#ifndef SPIRV_SPIRV_NARROW_H
#define SPIRV_SPIRV_NARROW_H

#include "spirv/spirv_words.h"

enum spirv_helper {
    SPIRV_LOADS_BYTE,
    SPIRV_STORES_BYTE,
    SPIRV_DIVIDES,
    SPIRV_ADDS_DOUBLES,
    SPIRV_MULTIPLIES_DOUBLES,
    SPIRV_DIVIDES_DOUBLES,
    SPIRV_TAKES_ROOT,
    SPIRV_COMPARES_DOUBLES,
    SPIRV_MAKES_OF_INT,
    SPIRV_MAKES_OF_UINT,
    SPIRV_MAKES_OF_SINGLE,
    SPIRV_MAKES_SINGLE,
    SPIRV_HELPERS
};

/* The library's functions for that. */
extern const char *const spirv_helper_names[SPIRV_HELPERS];

struct spirv_narrowing {
    uint32_t helpers[SPIRV_HELPERS]; /* ids of functions of the module; 0: it has none of these */
    uint32_t missing;                /* out: a bit for each that it would need */
    const char *refused;             /* out: what no such host can do; NULL: nothing */
};

/* The module in words: a good one, as this folder makes them. With something missing or refused, what is in out cannot be used. Out's own
 * out_of_memory says whether that was so. */
void spirv_narrow(const uint32_t *words, size_t count, struct spirv_narrowing *narrowing, struct spirv_words *out);

#endif
