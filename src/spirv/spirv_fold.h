/* What SPIR-V instructions come to where their operands are known, and which of their words are no ids: one row for each opcode. */
#ifndef SPIRV_SPIRV_FOLD_H
#define SPIRV_SPIRV_FOLD_H

#include <stdbool.h>
#include <stdint.h>

enum { SPIRV_FOLD_OPERANDS = 3 };

/* An instruction whose result is a word of 32 bits or a boolean (0 or 1). */
struct spirv_fold {
    bool is_word, is_bool;
    uint32_t operand[SPIRV_FOLD_OPERANDS]; /* ids */
    bool known[SPIRV_FOLD_OPERANDS];
    uint32_t value[SPIRV_FOLD_OPERANDS];
    uint32_t result; /* the constant, or the number of the operand that it is */
};

enum spirv_folded { SPIRV_FOLDS_NOT, SPIRV_FOLDS_TO_CONSTANT, SPIRV_FOLDS_TO_OPERAND };
enum spirv_folded spirv_fold(unsigned opcode, struct spirv_fold *fold);

/* Whether known operands may decide what it comes to. */
bool spirv_folds(unsigned opcode);

/* Words of an instruction that are numbers: from `first` on, each `every`th. */
struct spirv_literals {
    unsigned first, every;
};
struct spirv_literals spirv_literals_of(unsigned opcode);

/* Of those that stand in functions of the library. */
bool spirv_has_result(unsigned opcode);

#endif
