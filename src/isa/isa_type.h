/* isa_type.h: what the operand types mean, from isa_types.def. Internal to isa/. */
#ifndef ISA_ISA_TYPE_H
#define ISA_ISA_TYPE_H

#include "isa/isa.h"

static inline unsigned isa_type_dwords(enum isa_type type)
{
    static const uint8_t dwords[ISA_T_COUNT] = {
#define X(name, count, is_float) count,
#include "isa_types.def"
#undef X
    };
    return dwords[type];
}

static inline bool isa_type_is_float(enum isa_type type)
{
    static const bool floats[ISA_T_COUNT] = {
#define X(name, count, is_float) is_float,
#include "isa_types.def"
#undef X
    };
    return floats[type];
}

static inline bool isa_type_is_16(enum isa_type type)
{
    return type >= ISA_T_B16 && type <= ISA_T_F16;
}

static inline bool isa_type_is_packed(enum isa_type type)
{
    return type >= ISA_T_V2B16 && type <= ISA_T_V2F16;
}

#endif
