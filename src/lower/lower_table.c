/* The last column of the instruction table, expanded: one function a row. */
#include <string.h>

#include "lower/lower_inst.h"

/* Unnamed helpers of the rows: b is the builder. */
#define I(encoding, opcode, name, chips, flags, dst, src, ...) \
    static void sem_##name(struct lower *l)                    \
    {                                                          \
        struct ir_builder *b = l->b;                           \
        (void)b;                                               \
        __VA_ARGS__;                                           \
    }
#define I_AS(encoding, opcode, id, name, chips, flags, dst, src, ...) I(encoding, opcode, id, chips, flags, dst, src, __VA_ARGS__)
#include "isa/isa_rows.def"
#undef I
#undef I_AS

static void (*const semantics[])(struct lower *l) = {
#define I(encoding, opcode, name, ...)  [ISA_##name] = sem_##name,
#define I_AS(encoding, opcode, id, ...) [ISA_##id] = sem_##id,
#include "isa/isa_rows.def"
#undef I
#undef I_AS
};

void lower_row(struct lower *l)
{
    semantics[l->inst->row->id](l);
}

/* The words themselves, to tell the rows that are refused from the rest. */
static const char *const words[] = {
#define I(encoding, opcode, name, chips, flags, dst, src, ...)        [ISA_##name] = #__VA_ARGS__,
#define I_AS(encoding, opcode, id, name, chips, flags, dst, src, ...) [ISA_##id] = #__VA_ARGS__,
#include "isa/isa_rows.def"
#undef I
#undef I_AS
};

bool lower_supports(const struct isa_row *row)
{
    return strcmp(words[row->id], "UNSUPPORTED") != 0;
}
