/* SPIR-V as words: opcodes that this folder reads or writes, growing arrays of words, and the lane library taken apart. */
#ifndef SPIRV_SPIRV_WORDS_H
#define SPIRV_SPIRV_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum spirv_opcode {
    OP_UNDEF = 1,
    OP_SOURCE = 3,
    OP_SOURCE_EXTENSION = 4,
    OP_NAME = 5,
    OP_MEMBER_NAME = 6,
    OP_EXTENSION = 10,
    OP_EXT_INST_IMPORT = 11,
    OP_EXT_INST = 12,
    OP_MEMORY_MODEL = 14,
    OP_ENTRY_POINT = 15,
    OP_EXECUTION_MODE = 16,
    OP_CAPABILITY = 17,
    OP_TYPE_VOID = 19,
    OP_TYPE_BOOL = 20,
    OP_TYPE_INT = 21,
    OP_TYPE_FLOAT = 22,
    OP_TYPE_VECTOR = 23,
    OP_TYPE_ARRAY = 28,
    OP_TYPE_RUNTIME_ARRAY = 29,
    OP_TYPE_STRUCT = 30,
    OP_TYPE_POINTER = 32,
    OP_TYPE_FUNCTION = 33,
    OP_TYPE_FORWARD_POINTER = 39,
    OP_CONSTANT_TRUE = 41,
    OP_CONSTANT_FALSE = 42,
    OP_CONSTANT = 43,
    OP_CONSTANT_COMPOSITE = 44,
    OP_CONSTANT_NULL = 46,
    OP_FUNCTION = 54,
    OP_FUNCTION_PARAMETER = 55,
    OP_FUNCTION_END = 56,
    OP_FUNCTION_CALL = 57,
    OP_VARIABLE = 59,
    OP_LOAD = 61,
    OP_STORE = 62,
    OP_ACCESS_CHAIN = 65,
    OP_DECORATE = 71,
    OP_MEMBER_DECORATE = 72,
    OP_VECTOR_SHUFFLE = 79,
    OP_COMPOSITE_CONSTRUCT = 80,
    OP_COMPOSITE_EXTRACT = 81,
    OP_COMPOSITE_INSERT = 82,
    OP_COPY_OBJECT = 83,
    OP_CONVERT_S_TO_F = 111,
    OP_CONVERT_U_TO_F = 112,
    OP_U_CONVERT = 113,
    OP_S_CONVERT = 114,
    OP_F_CONVERT = 115,
    OP_CONVERT_PTR_TO_U = 117,
    OP_CONVERT_U_TO_PTR = 120,
    OP_BITCAST = 124,
    OP_S_NEGATE = 126,
    OP_F_NEGATE = 127,
    OP_I_ADD = 128,
    OP_F_ADD = 129,
    OP_I_SUB = 130,
    OP_F_SUB = 131,
    OP_I_MUL = 132,
    OP_F_MUL = 133,
    OP_U_DIV = 134,
    OP_F_DIV = 136,
    OP_U_MOD = 137,
    OP_U_MUL_EXTENDED = 151,
    OP_IS_NAN = 156,
    OP_LOGICAL_EQUAL = 164,
    OP_LOGICAL_NOT_EQUAL = 165,
    OP_LOGICAL_OR = 166,
    OP_LOGICAL_AND = 167,
    OP_LOGICAL_NOT = 168,
    OP_SELECT = 169,
    OP_I_EQUAL = 170,
    OP_I_NOT_EQUAL = 171,
    OP_U_GREATER_THAN = 172,
    OP_S_GREATER_THAN = 173,
    OP_U_GREATER_THAN_EQUAL = 174,
    OP_S_GREATER_THAN_EQUAL = 175,
    OP_U_LESS_THAN = 176,
    OP_S_LESS_THAN = 177,
    OP_U_LESS_THAN_EQUAL = 178,
    OP_S_LESS_THAN_EQUAL = 179,
    OP_F_ORD_EQUAL = 180,
    OP_F_UNORD_NOT_EQUAL = 183,
    OP_F_ORD_LESS_THAN = 184,
    OP_F_ORD_GREATER_THAN = 186,
    OP_F_ORD_LESS_THAN_EQUAL = 188,
    OP_F_ORD_GREATER_THAN_EQUAL = 190,
    OP_SHIFT_RIGHT_LOGICAL = 194,
    OP_SHIFT_RIGHT_ARITHMETIC = 195,
    OP_SHIFT_LEFT_LOGICAL = 196,
    OP_BITWISE_OR = 197,
    OP_BITWISE_XOR = 198,
    OP_BITWISE_AND = 199,
    OP_NOT = 200,
    OP_CONTROL_BARRIER = 224,
    OP_MEMORY_BARRIER = 225,
    OP_ATOMIC_STORE = 228,
    OP_PHI = 245,
    OP_LOOP_MERGE = 246,
    OP_SELECTION_MERGE = 247,
    OP_LABEL = 248,
    OP_BRANCH = 249,
    OP_BRANCH_CONDITIONAL = 250,
    OP_SWITCH = 251,
    OP_RETURN = 253,
    OP_RETURN_VALUE = 254,
    OP_UNREACHABLE = 255,
    OP_GROUP_NON_UNIFORM_ANY = 335,
    OP_GROUP_NON_UNIFORM_BROADCAST = 337,
    OP_GROUP_NON_UNIFORM_BALLOT = 339,
    OP_GROUP_NON_UNIFORM_SHUFFLE = 345,
};

struct spirv_words {
    uint32_t *at;
    size_t count, cap;
    bool out_of_memory;
};

void spirv_put(struct spirv_words *words, uint32_t word);
void spirv_put_all(struct spirv_words *words, const uint32_t *from, size_t count);
/* An instruction of count operand words. */
void spirv_put_op(struct spirv_words *words, unsigned opcode, unsigned count, const uint32_t *operands);

/* By id of a function of the module, its instructions and those of all that it calls, at each call anew; for the caller to free. NULL: out of
 * memory. */
enum { SPIRV_INLINED_MOST = 1 << 30 };
uint32_t *spirv_inlined_sizes(const uint32_t *words, size_t count);

/* A function of the library: words[first .. first + count) of its module. */
struct spirv_function {
    char name[32];
    uint32_t id, first, count, parameters;
    uint32_t result;  /* type */
    uint64_t decides; /* parameters, by bit, that some condition hangs on */
};

struct spirv_library {
    const uint32_t *words;
    size_t word_count;
    uint32_t bound;
    uint32_t decorations, types, functions, glsl; /* where sections begin; id of the extended instructions */
    struct spirv_function *function;              /* by id */
    uint32_t function_count;
    uint32_t *inlined; /* by id of a function */
    uint16_t *number;  /* of the function with this id, plus one */
    uint32_t *value;   /* of a constant of 32 bits or a boolean with this id, where is_value */
    bool *is_value;
    uint32_t *note,
        *next_note; /* where the first decoration of an id stands, and by decoration (from `decorations` on) the next; 0: there is none */
    /* Types and variables by what they are. */
    uint32_t t_void, t_bool, t_u32, t_i32, t_uvec2, t_uvec4, t_entry, builtins[4];
    uint32_t lds, lock;
    uint32_t share, share_first, p_share; /* the buffer that lds may be a part of, where that begins, a pointer to its words */
};

/* NULL: there is no such function. */
const struct spirv_function *spirv_library_function(const struct spirv_library *library, const char *name);

#endif
