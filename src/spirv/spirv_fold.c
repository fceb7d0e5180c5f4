/* spirv_fold: rows by opcode. */
#include "spirv/spirv_fold.h"

#include <limits.h>

#include "spirv/spirv_words.h"

enum { NONE = UINT_MAX };

struct spirv_literals spirv_literals_of(unsigned opcode)
{
    static const struct {
        unsigned short opcode, first, every;
    } rows[] = {
        {OP_EXT_INST, 4, 1u << 15}, /* the instruction's number */
        {OP_FUNCTION, 3, 1u << 15},
        {OP_VARIABLE, 3, 1u << 15},
        {OP_LOAD, 4, 1},
        {OP_STORE, 3, 1},
        {OP_VECTOR_SHUFFLE, 5, 1},
        {OP_COMPOSITE_EXTRACT, 4, 1},
        {OP_COMPOSITE_INSERT, 5, 1},
        {OP_LOOP_MERGE, 3, 1},
        {OP_SELECTION_MERGE, 2, 1},
        {OP_SWITCH, 3, 2},
    };
    for (unsigned n = 0; n < sizeof rows / sizeof *rows; n++)
        if (rows[n].opcode == opcode)
            return (struct spirv_literals){rows[n].first, rows[n].every};
    return (struct spirv_literals){NONE, 1};
}

bool spirv_has_result(unsigned opcode)
{
    switch (opcode) {
    case OP_STORE:
    case OP_CONTROL_BARRIER:
    case OP_MEMORY_BARRIER:
    case OP_ATOMIC_STORE:
    case OP_LOOP_MERGE:
    case OP_SELECTION_MERGE:
    case OP_LABEL:
    case OP_BRANCH:
    case OP_BRANCH_CONDITIONAL:
    case OP_SWITCH:
    case OP_RETURN:
    case OP_RETURN_VALUE:
    case OP_UNREACHABLE:
    case OP_FUNCTION_END: return false;
    default: return true;
    }
}

static enum spirv_folded to_constant(struct spirv_fold *f, uint32_t value)
{
    f->result = value;
    return SPIRV_FOLDS_TO_CONSTANT;
}

static enum spirv_folded to_operand(struct spirv_fold *f, uint32_t number)
{
    f->result = number;
    return SPIRV_FOLDS_TO_OPERAND;
}

/* Of operands that are words, as the result is a word or a boolean. */
static bool fold_known(unsigned opcode, struct spirv_fold *f)
{
    uint32_t a = f->value[0], b = f->value[1];
    int32_t sa = (int32_t)a, sb = (int32_t)b;
    switch (opcode) {
    case OP_I_ADD: f->result = a + b; break;
    case OP_I_SUB: f->result = a - b; break;
    case OP_I_MUL: f->result = a * b; break;
    case OP_BITWISE_AND: f->result = a & b; break;
    case OP_BITWISE_OR: f->result = a | b; break;
    case OP_BITWISE_XOR: f->result = a ^ b; break;
    case OP_SHIFT_LEFT_LOGICAL: f->result = b < 32 ? a << b : 0; break;
    case OP_SHIFT_RIGHT_LOGICAL: f->result = b < 32 ? a >> b : 0; break;
    case OP_I_EQUAL: f->result = a == b; break;
    case OP_I_NOT_EQUAL: f->result = a != b; break;
    case OP_U_LESS_THAN: f->result = a < b; break;
    case OP_U_LESS_THAN_EQUAL: f->result = a <= b; break;
    case OP_U_GREATER_THAN: f->result = a > b; break;
    case OP_U_GREATER_THAN_EQUAL: f->result = a >= b; break;
    case OP_S_LESS_THAN: f->result = sa < sb; break;
    case OP_S_LESS_THAN_EQUAL: f->result = sa <= sb; break;
    case OP_S_GREATER_THAN: f->result = sa > sb; break;
    case OP_S_GREATER_THAN_EQUAL: f->result = sa >= sb; break;
    case OP_U_DIV: f->result = b ? a / b : 0; return b;
    case OP_U_MOD: f->result = b ? a % b : 0; return b;
    case OP_LOGICAL_EQUAL: f->result = a == b; break;
    case OP_LOGICAL_NOT_EQUAL: f->result = a != b; break;
    case OP_LOGICAL_AND: f->result = a & b; break;
    case OP_LOGICAL_OR: f->result = a | b; break;
    default: return false;
    }
    return true;
}

/* Where one operand decides. */
static enum spirv_folded fold_half(unsigned opcode, struct spirv_fold *f, unsigned known)
{
    uint32_t value = f->value[known], other = 1 - known, all = f->is_bool ? 1 : UINT32_MAX;
    switch (opcode) {
    case OP_LOGICAL_AND:
    case OP_BITWISE_AND: return value == 0 ? to_constant(f, 0) : value == all ? to_operand(f, other) : SPIRV_FOLDS_NOT;
    case OP_LOGICAL_OR:
    case OP_BITWISE_OR: return value == all ? to_constant(f, all) : value == 0 ? to_operand(f, other) : SPIRV_FOLDS_NOT;
    default: return SPIRV_FOLDS_NOT;
    }
}

enum spirv_folded spirv_fold(unsigned opcode, struct spirv_fold *f)
{
    switch (opcode) {
    case OP_SELECT: return f->known[0] ? to_operand(f, f->value[0] ? 1 : 2) : SPIRV_FOLDS_NOT;
    case OP_LOGICAL_NOT: return f->known[0] ? to_constant(f, !f->value[0]) : SPIRV_FOLDS_NOT;
    case OP_NOT: return f->known[0] ? to_constant(f, ~f->value[0]) : SPIRV_FOLDS_NOT;
    case OP_BITCAST: return f->known[0] && f->is_word ? to_constant(f, f->value[0]) : SPIRV_FOLDS_NOT;
    default: break;
    }
    if (f->known[0] && f->known[1] && fold_known(opcode, f))
        return SPIRV_FOLDS_TO_CONSTANT;
    return f->known[0] ? fold_half(opcode, f, 0) : f->known[1] ? fold_half(opcode, f, 1) : SPIRV_FOLDS_NOT;
}

bool spirv_folds(unsigned opcode)
{
    struct spirv_fold all = {.is_word = true, .known = {true, true, true}, .value = {1, 1, 1}};
    return spirv_fold(opcode, &all) != SPIRV_FOLDS_NOT;
}
