/* sweep: compares isa/ with LLVM's disassembler over generated words.
 *
 * Roles and owners:
 *   sweep_case   some words, what isa/ makes of them, and what LLVM does; plain data.
 *   sweep_batch  the cases that one run of llvm-mc sees, all of one chip and wave size; its arrays are owned by it.
 */
#ifndef TESTS_ISA_SWEEP_H
#define TESTS_ISA_SWEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa/isa.h"

enum { SWEEP_WORDS = 6, SWEEP_TEXT = 256 };

struct sweep_case {
    uint32_t words[SWEEP_WORDS];
    unsigned bytes;                          /* that isa/ says the instruction has; all of them when it says that it is none */
    uint16_t row;                            /* enum isa_id, when isa/ decoded it */
    bool is_known, is_sized;                 /* isa/ decoded it; LLVM's instruction ended where ours does */
    char ours[SWEEP_TEXT], llvm[SWEEP_TEXT]; /* "" for no instruction */
};

struct sweep_batch {
    enum isa_chip_bit chip;
    unsigned wave_size;
    struct sweep_case *cases;
    size_t count, capacity;
};

/* A small generator of its own, so that a seed means the same cases everywhere. */
struct sweep_random {
    uint64_t state;
};

uint32_t sweep_random_next(struct sweep_random *random);

/* The families of words: first words with an opcode range. */
unsigned sweep_family_count(void);
const char *sweep_family_name(unsigned family);
unsigned sweep_family_opcodes(unsigned family);
void sweep_words_make(struct sweep_random *random, unsigned family, unsigned opcode, uint32_t words[SWEEP_WORDS]);
/* Words that LLVM gets wrong in a way that its text does not show, or from which it does not come back:
 *   - an SDWA select or unused-destination mode that does not exist runs into unreachable code;
 *   - a sampler with separate addresses and a multisampled dimension crashes it;
 *   - a buffer's scalar offset takes a literal, which the encoding does not have;
 *   - a literal of v_fma_mix loses its high half in the text, though the operand has 32 bits. */
bool sweep_words_confuse_llvm(const uint32_t words[SWEEP_WORDS]);

/* Fills in every case's llvm and is_sized. False after complaining. */
bool sweep_llvm_run(struct sweep_batch *batch);

/* The listed differences: whether what LLVM says of this case is known to be its fault. */
bool sweep_differences_load(const char *path);
bool sweep_differences_has(const struct sweep_case *one);
/* Complains of lines that no case needed; false if there are some. */
bool sweep_differences_all_used(void);
void sweep_differences_finish(void);

#endif
