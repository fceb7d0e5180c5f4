/* How far lanes' indexes go at most in any lane of a dispatch: steps that the emitter takes from the program, and that the host follows before
 * the dispatch runs. Where no index can leave its window, a module needs no look at any.
 *
 *   spirv_bound_step  bounds one word by constants, what is known of the dispatch, and steps before it; plain data without padding.
 *   spirv_extent      what is known of a dispatch; the caller's, during a call.
 */
#ifndef SPIRV_SPIRV_BOUND_H
#define SPIRV_SPIRV_BOUND_H

#include <stdbool.h>
#include <stdint.h>

enum spirv_bound_way {
    SPIRV_BOUND_ANY,    /* nothing is known */
    SPIRV_BOUND_CONST,  /* value */
    SPIRV_BOUND_USER,   /* scalar register number value */
    SPIRV_BOUND_WORD,   /* word number value of those that were loaded before */
    SPIRV_BOUND_GROUP,  /* the group's id in dimension value */
    SPIRV_BOUND_THREAD, /* the thread's */
    SPIRV_BOUND_ROW,    /* operation value of args */
    /* Of a loop whose rounds a number counts, by `value` each (enum spirv_bound_flags): args are what it begins with, and the limit that it is compared with. */
    SPIRV_BOUND_COUNTER, /* the number */
    SPIRV_BOUND_ROUNDS,  /* how often the loop goes back */
    SPIRV_BOUND_GROWN,   /* args[0], and so many rounds as args[1] says with args[2] more in each */
};

/* How a counter's loop goes on, in args[2]. */
enum spirv_bound_flags {
    SPIRV_BOUND_UNEQUAL = 1, /* as long as they differ; else as long as the counter is less */
    SPIRV_BOUND_SIGNED = 2,
    SPIRV_BOUND_EQUAL = 4,  /* or equal */
    SPIRV_BOUND_BEFORE = 8, /* compared before it is counted up */
};

enum { SPIRV_BOUND_ARGS = 3, SPIRV_MAX_BOUNDS = 256, SPIRV_NO_BOUND = 0xffffffff };

struct spirv_bound_step {
    uint32_t kind, value;
    uint32_t args[SPIRV_BOUND_ARGS]; /* numbers of steps before it */
};

struct spirv_extent {
    const uint32_t *user_data, *words;
    uint32_t user_count, word_count;
    uint64_t last_group[3], last_thread[3]; /* ids */
    bool hopeful;                           /* of no dispatch, but of what could be one: counters come to their limits */
};

/* The most that each step's word can be. False: the steps are none that an emitter takes. */
bool spirv_bound_follow(const struct spirv_bound_step *steps, uint32_t count, const struct spirv_extent *extent, uint32_t *most);

#endif
