/* The tables of packets, their fields and named values, and finding rows in them. */
#include "pm4/pm4_internal.h"

enum { MANY = 0x4000, G = 1 << PM4_RING_GRAPHICS, C = 1 << PM4_RING_COMPUTE };

#define RINGS_G      G
#define RINGS_C      C
#define RINGS_GC     (G | C)
#define RINGS_MEC    C
#define RINGS_KERNEL 0

/* A flags column is 0 or the name of one flag. */
#define FLAGS_0         0
#define FLAGS_IGNORABLE PM4_IGNORABLE
#define FLAGS_SETS      PM4_SETS
#define FLAGS_LOADS     PM4_LOADS

static const struct pm4_row rows[] = {
#define P(name, opcode, least, most, rings, flags, space) \
    {#name, least, most, opcode, RINGS_##rings, FLAGS_##flags, PM4_SPACE_##space},
#define F(...)
#define Q(...)
#define R(...)
#include "pm4/pm4_packets_list.h"
#undef P
#undef F
#undef Q
#undef R
};

/* From an opcode to its row's number plus 1; the MEC rows have a table of their own, as their opcodes have two rows. */
#define SHARED_G(opcode, name)      [opcode] = PM4_##name + 1,
#define SHARED_C(opcode, name)      [opcode] = PM4_##name + 1,
#define SHARED_GC(opcode, name)     [opcode] = PM4_##name + 1,
#define SHARED_KERNEL(opcode, name) [opcode] = PM4_##name + 1,
#define SHARED_MEC(opcode, name)
#define ONLY_MEC_G(opcode, name)
#define ONLY_MEC_C(opcode, name)
#define ONLY_MEC_GC(opcode, name)
#define ONLY_MEC_KERNEL(opcode, name)
#define ONLY_MEC_MEC(opcode, name) [opcode] = PM4_##name + 1,

#define F(...)
#define Q(...)
#define R(...)
static const uint8_t shared_rows[256] = {
#define P(name, opcode, least, most, rings, flags, space) SHARED_##rings(opcode, name)
#include "pm4/pm4_packets_list.h"
#undef P
};
static const uint8_t compute_rows[256] = {
#define P(name, opcode, least, most, rings, flags, space) ONLY_MEC_##rings(opcode, name)
#include "pm4/pm4_packets_list.h"
#undef P
};
#undef F
#undef Q
#undef R

_Static_assert(PM4_PACKET_COUNT < 255, "a row's number plus 1 fits a byte");

const struct pm4_row *pm4_row(enum pm4_packet_id id)
{
    return &rows[id];
}

enum pm4_packet_id pm4_row_id(const struct pm4_row *row)
{
    return (enum pm4_packet_id)(row - rows);
}

const struct pm4_row *pm4_row_find(unsigned opcode, enum pm4_ring ring)
{
    if (opcode > 255)
        return NULL;
    unsigned number = ring == PM4_RING_COMPUTE ? compute_rows[opcode] : 0;
    if (!number)
        number = shared_rows[opcode];
    return number ? &rows[number - 1] : NULL;
}

const char *pm4_ring_name(enum pm4_ring ring)
{
    return ring == PM4_RING_GRAPHICS ? "graphics" : "compute";
}

/* The fields of all packets lie one after the other. FIRST is the number of a packet's first field: an enumerator of its own,
 * which the next one takes back. */
enum {
#define P(name, ...)         FIRST_##name, BACK_##name = FIRST_##name - 1,
#define F(packet, name, ...) NUMBER_##packet##_##name,
#define Q(packet, name, ...) NUMBER_##packet##_##name,
#define R(packet, name, ...) NUMBER_##packet##_##name,
#include "pm4/pm4_packets_list.h"
#undef P
#undef F
#undef Q
#undef R
    FIELD_COUNT
};

static const uint16_t first_fields[PM4_PACKET_COUNT + 1] = {
#define P(name, ...) FIRST_##name,
#define F(...)
#define Q(...)
#define R(...)
#include "pm4/pm4_packets_list.h"
#undef P
#undef F
#undef Q
#undef R
    FIELD_COUNT,
};

static const struct pm4_field_row fields[] = {
#define P(...)
#define F(packet, name, word, first, last, list) {#name, 0, PM4_KIND_BITS, word, first, last, PM4_L_##list},
#define Q(packet, name, word, first, last)       {#name, 0, PM4_KIND_QUAD, word, first, last, PM4_L_NONE},
#define R(packet, name, word, reg)               {#name, PM4_REG_##reg, PM4_KIND_REGISTER, word, 0, 31, PM4_L_NONE},
#include "pm4/pm4_packets_list.h"
#undef P
#undef F
#undef Q
#undef R
};

struct pm4_fields pm4_packet_fields(enum pm4_packet_id id)
{
    return (struct pm4_fields){fields + first_fields[id], (size_t)(first_fields[id + 1] - first_fields[id])};
}
