/* The instruction table as data: the .def files expanded into isa_rows[]. */
#include "isa/isa.h"

/* The words of the .def files' cells, which carry no prefix there. */
enum cell_chips { ALL = ISA_ALL, GFX10_1 = ISA_GFX10_1, GFX10_3 = ISA_GFX10_3, BVH = ISA_BVH };
enum cell_type {
#define X(name, dwords, is_float) name = ISA_T_##name,
#include "isa_types.def"
#undef X
};
enum cell_flag {
#define X(name) name = ISA_F(name),
#include "isa_flags.def"
#undef X
    FLOAT = CLAMP | OMOD,
    E32_ONLY = NO_E64 | NO_SDWA | NO_DPP
};

/* clang-format off */
#define D(...) {__VA_ARGS__}
#define S(...) {__VA_ARGS__}
#define I(row_encoding, row_opcode, row_name, row_chips, row_flags, dst, src, ...)                                                \
    [ISA_##row_name] = {.name = #row_name, .id = ISA_##row_name, .encoding = ISA_##row_encoding, .chips = row_chips,             \
                        .opcode = row_opcode, .flags = row_flags, .dst_type = dst, .src_type = src},
/* clang-format on */

const struct isa_row isa_rows[] = {
#include "isa_rows.def"
};
#undef I
#undef S
#undef D

const unsigned isa_row_count = ISA_ID_COUNT;
