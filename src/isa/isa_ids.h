/* The names of the instruction table's rows. */
#ifndef ISA_ISA_IDS_H
#define ISA_ISA_IDS_H

/* ISA_v_add_f32 and so on, in the order of isa_rows.def; isa_rows[id] is the row. */
enum isa_id {
#define I(encoding, opcode, name, ...) ISA_##name,
#include "isa_rows.def"
#undef I
    ISA_ID_COUNT
};

#endif
