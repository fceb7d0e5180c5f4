/* The names that the tables give to packets, fields, registers and values. */
#ifndef PM4_PM4_IDS_H
#define PM4_PM4_IDS_H

#include <stdint.h>

#include "base/base_bits.h"

/* Bits of one word of a packet. */
struct pm4_field {
    uint8_t word;
    struct base_field bits;
};

/* 64 bits in word and word + 1: bits first.. of the low one (those below read as 0), and ..last of the high one. */
struct pm4_quad {
    uint8_t word, first, last;
};

/* The register spaces of the SET_*_REG packets, and what else a number in a packet may be an offset into. */
enum pm4_space { PM4_SPACE_NONE, PM4_SPACE_CONTEXT, PM4_SPACE_SH, PM4_SPACE_UCONFIG, PM4_SPACE_CONFIG, PM4_SPACE_COUNT };

enum {
    PM4_CONTEXT_FIRST = 0xa000,
    PM4_CONTEXT_COUNT = 0x400,
    PM4_SH_FIRST = 0x2c00,
    PM4_SH_COUNT = 0x400,
    PM4_UCONFIG_FIRST = 0xc000,
    PM4_UCONFIG_COUNT = 0x4000,
    PM4_CONFIG_FIRST = 0x2000,
    PM4_CONFIG_COUNT = 0xc00,
};

/* Lists of named values; the first ones are kinds of numbers. */
enum pm4_list {
    PM4_L_NONE,
    PM4_L_ALSO,             /* another reading of bits that have a name already: not printed */
    PM4_L_REGISTER,         /* a register's offset in the machine's register space */
    PM4_L_CONTEXT_REGISTER, /* in its space */
    PM4_L_SH_REGISTER,
    PM4_L_UCONFIG_REGISTER,
#define L(list) PM4_L_##list,
#define V(...)
#include "pm4_values_list.h"
#undef L
#undef V
    PM4_LIST_COUNT
};

enum pm4_value {
#define L(list)
#define V(list, number, name) PM4_V_##list##_##name = (number),
#include "pm4_values_list.h"
#undef L
#undef V
};

enum pm4_packet_id {
#define P(name, ...) PM4_##name,
#define F(...)
#define Q(...)
#define R(...)
#include "pm4_packets_list.h"
#undef P
#undef F
#undef Q
#undef R
    PM4_PACKET_COUNT
};

#define P(...)
#define F(packet, name, at, first_bit, last_bit, list) \
    static const struct pm4_field PM4_W_##packet##_##name = {at, {first_bit, last_bit}};
#define Q(packet, name, at, first_bit, last_bit) static const struct pm4_quad PM4_W_##packet##_##name = {at, first_bit, last_bit};
#define R(packet, name, at, reg)                 static const struct pm4_field PM4_W_##packet##_##name = {at, {0, 31}};
#include "pm4_packets_list.h"
#undef P
#undef F
#undef Q
#undef R

enum pm4_sdma_id {
#define P(name, ...) PM4_SDMA_##name,
#define F(...)
#define Q(...)
#include "pm4_sdma.def"
#undef P
#undef F
#undef Q
    PM4_SDMA_COUNT
};

#define P(...)
#define F(packet, name, at, first_bit, last_bit, list) \
    static const struct pm4_field PM4_SDMA_W_##packet##_##name = {at, {first_bit, last_bit}};
#define Q(packet, name, at, first_bit, last_bit) \
    static const struct pm4_quad PM4_SDMA_W_##packet##_##name = {at, first_bit, last_bit};
#include "pm4_sdma.def"
#undef P
#undef F
#undef Q

enum pm4_register_offset {
#define R(at, name)                      PM4_REG_##name = (at),
#define A(at, count, stride, head, tail) PM4_REG_##head##0##tail = (at),
#define N(at, count, stride, name)       PM4_REG_##name = (at),
#define F(...)
#include "pm4_registers_list.h"
#undef R
#undef A
#undef N
#undef F
};

#define R(...)
#define A(...)
#define N(...)
#define F(reg, name, first_bit, last_bit, list) static const struct base_field PM4_F_##reg##_##name = {first_bit, last_bit};
#include "pm4_registers_list.h"
#undef R
#undef A
#undef N
#undef F

#endif
