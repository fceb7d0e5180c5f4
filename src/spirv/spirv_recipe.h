/* How words that are the same for a whole dispatch follow from its user data and memory: a recipe of steps that the emitter takes from the
 * program, and that the host follows before the dispatch runs.
 *
 *   spirv_recipe_step  makes one word of constants, user data, memory, and the words of steps before it; plain data without padding.
 *   spirv_recipe_source  user data and memory of a dispatch; the caller's, during a call.
 */
#ifndef SPIRV_SPIRV_RECIPE_H
#define SPIRV_SPIRV_RECIPE_H

#include <stdbool.h>
#include <stdint.h>

enum spirv_recipe_way {
    SPIRV_FROM_CONST, /* value */
    SPIRV_FROM_USER,  /* scalar register number value */
    SPIRV_FROM_LOAD,  /* word number `word` of a scalar load at offset value: from a base (args 0, 1) or a buffer (0 to 3), and an
                         offset (the next one) */
    SPIRV_FROM_ROW,   /* result word `word` of operation what; value: how many words each source has, two bits each */
};

enum { SPIRV_STEP_ARGS = 12, SPIRV_MAX_STEPS = 1024, SPIRV_NO_STEP = 0xffffffffu };

struct spirv_recipe_step {
    uint32_t kind, what, word, value;
    uint32_t args[SPIRV_STEP_ARGS]; /* numbers of steps; SPIRV_NO_STEP: 0 */
};

struct spirv_recipe_source {
    const uint32_t *scalars;
    void *user;
    bool (*read)(void *user, uint64_t address, uint32_t *word); /* false: not there, or not known */
};

/* Makes the words of all steps. False: one of them cannot be known. */
bool spirv_recipe_follow(const struct spirv_recipe_step *steps, uint32_t count, const struct spirv_recipe_source *source,
                         uint32_t *words);

#endif
