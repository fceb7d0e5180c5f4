/* pm4: command streams as words to packets, registers and text: what a driver hands to the graphics, compute and SDMA rings.
 *
 * Roles, and who owns what:
 *   rows        constant tables in the program's own data, one row for each packet, register, field and named value (*.def)
 *   pm4_reader  walks words that the caller owns; hands out packets, or says at which word and why the stream can't go on
 *   pm4_packet  plain data that points into the reader's words; it lives as long as they do
 *   pm4_set     the registers that a packet writes, as a range inside a register space
 * The same for SDMA: pm4_sdma_row, pm4_sdma_reader, pm4_sdma_packet.
 *
 * The names, all generated from the tables:
 *   PM4_<PACKET>                      enum pm4_packet_id             PM4_DMA_DATA
 *   PM4_W_<PACKET>_<FIELD>            struct pm4_field or pm4_quad   PM4_W_DMA_DATA_SRC_SEL, PM4_W_DMA_DATA_SRC
 *   PM4_REG_<REGISTER>                dword offset in the machine    PM4_REG_COMPUTE_PGM_LO
 *   PM4_F_<REGISTER>_<FIELD>          struct base_field              PM4_F_COMPUTE_PGM_RSRC2_LDS_SIZE
 *   PM4_V_<LIST>_<VALUE>              a named value                  PM4_V_EVENT_CS_PARTIAL_FLUSH
 *   PM4_SDMA_<PACKET>, PM4_SDMA_W_<PACKET>_<FIELD>
 * Words of a packet's body count from 0: word 0 is the one after the header. SDMA's words count from the header.
 */
#ifndef PM4_PM4_H
#define PM4_PM4_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/base_bits.h"
#include "base/base_error.h"
#include "pm4/pm4_ids.h"

enum pm4_ring { PM4_RING_GRAPHICS, PM4_RING_COMPUTE, PM4_RING_COUNT };

const char *pm4_ring_name(enum pm4_ring ring);

/* ---- packets ---- */

enum pm4_flag {
    PM4_IGNORABLE = 1 << 0, /* an executor that works in order may skip it: caches, prefetches, hints */
    PM4_SETS = 1 << 1,      /* writes registers of `space`: word 0 is the place, the rest are the values */
    PM4_LOADS = 1 << 2,     /* loads registers of `space` from memory */
};

/* One row of pm4_packets.def. */
struct pm4_row {
    const char *name;
    uint16_t least, most; /* body words */
    uint8_t opcode;
    uint8_t rings; /* bit 1 << enum pm4_ring for each ring that may carry it; 0: the kernel's own, never in a guest's buffer */
    uint8_t flags; /* enum pm4_flag */
    uint8_t space; /* enum pm4_space */
};

const struct pm4_row *pm4_row(enum pm4_packet_id id);
/* The row of an opcode on a ring, whether it is legal there or not; NULL for an opcode that has none. */
const struct pm4_row *pm4_row_find(unsigned opcode, enum pm4_ring ring);
enum pm4_packet_id pm4_row_id(const struct pm4_row *row);

struct pm4_packet {
    const struct pm4_row *row; /* types 2 and 3 (type 2 is a NOP); NULL for type 0, which has no opcode */
    const uint32_t *words;     /* the body; borrowed from the stream */
    uint32_t count;            /* body words */
    uint32_t offset;           /* of the header, in words from the start of the stream */
    uint32_t header;
    uint16_t id; /* enum pm4_packet_id; PM4_PACKET_COUNT for type 0 */
    uint8_t type;
    uint8_t opcode;
    bool predicate; /* skipped while the predicate of SET_PREDICATION says so */
    bool compute;   /* the shader type bit: acts on compute state */
};

/* Bits of a body word; of an absent one 0, as for what a short form leaves out. */
static inline uint32_t pm4_get(const struct pm4_packet *packet, struct pm4_field field)
{
    return field.word < packet->count ? base_field_get(packet->words[field.word], field.bits) : 0;
}

/* A 64-bit field: an address or a number in two words. Addresses come as they stand; the caller makes them canonical. */
static inline uint64_t pm4_get_quad(const struct pm4_packet *packet, struct pm4_quad quad)
{
    if (quad.word + 1u >= packet->count)
        return 0;
    uint32_t low = packet->words[quad.word] >> quad.first << quad.first;
    uint64_t high = packet->words[quad.word + 1] & base_field_mask((struct base_field){0, quad.last});
    return high << 32 | low;
}

/* ---- reading ---- */

/* Borrowed words of one indirect buffer; `at` is the next packet's header. */
struct pm4_reader {
    const uint32_t *words;
    uint32_t count;
    uint32_t at;
    enum pm4_ring ring;
};

enum pm4_result { PM4_PACKET, PM4_END, PM4_BAD };

static inline struct pm4_reader pm4_reader_begin(const uint32_t *words, uint32_t count, enum pm4_ring ring)
{
    return (struct pm4_reader){words, count, 0, ring};
}

/* The next packet. PM4_BAD: the error names the word, the packet and the reason, and the reader stays where it is. */
enum pm4_result pm4_reader_next(struct pm4_reader *reader, struct pm4_packet *packet, struct base_error *error);

/* ---- registers ---- */

/* Where a space lies among the machine's registers, in dwords. */
struct pm4_space_place {
    uint32_t first, count;
    const char *name; /* as in a sentence: "the SH space" */
};

struct pm4_space_place pm4_space_place(enum pm4_space space);

/* One row of a register table. The name of an array's element is head, number, tail. */
struct pm4_register {
    const char *head, *tail;
    uint32_t offset; /* dwords, in the machine's register space: of element 0 */
    uint16_t count, stride;
    bool bare_first; /* element 0 has no number in its name: single registers, and arrays such as PA_CL_VPORT_XSCALE, ..._1 */
};

/* A register, and which element of an array it is. */
struct pm4_place {
    const struct pm4_register *row; /* NULL: no such register */
    uint32_t index;
};

struct pm4_place pm4_register_find(uint32_t offset);
/* By full name ("CB_COLOR3_INFO"); false when there is none. */
bool pm4_register_by_name(const char *name, uint32_t *offset);
/* The name of the register at an offset, or its offset in hexadecimal; cut to fit, always terminated. Returns text. */
const char *pm4_register_name(uint32_t offset, char *text, size_t size);

size_t pm4_register_count(void);
const struct pm4_register *pm4_register_row(size_t number);

/* A field of a register's row. */
struct pm4_register_field {
    const char *name;
    struct base_field bits;
    uint8_t list; /* enum pm4_list */
};

/* The fields of a row of the table; *count of them. */
const struct pm4_register_field *pm4_register_fields(const struct pm4_register *row, size_t *count);

/* What a packet writes into registers: the rows with PM4_SETS, and type 0. */
struct pm4_set {
    enum pm4_space space;
    uint32_t offset; /* of the first, in the machine's register space */
    uint32_t count;
    uint32_t index; /* the _INDEX forms' selector, in the top bits of word 0 */
    const uint32_t *values;
};

/* False when the packet is no such packet, or its range leaves the space. */
bool pm4_packet_sets(const struct pm4_packet *packet, struct pm4_set *set);

/* ---- names ---- */

/* The name of a value in a list (PM4_L_EVENT, ...), or NULL. */
const char *pm4_value_name(enum pm4_list list, uint32_t value);

/* ---- SDMA ---- */

struct pm4_sdma_row {
    const char *name;
    uint8_t op, sub_op;
    uint8_t words;      /* of the fixed part, with the header */
    uint8_t count_word; /* where the count of further words stands: in word count_word, bits `count`, */
    struct base_field count;
    uint8_t count_add;   /* plus this, */
    uint8_t count_scale; /* times this; 0: no further words */
    bool any_sub_op;     /* the second byte of the header does not tell packets apart */
    bool broadcast;      /* the form of its opcode with the header's broadcast bit */
    bool guest;          /* false: the kernel's own, never in a guest's buffer */
};

struct pm4_sdma_packet {
    const struct pm4_sdma_row *row;
    const uint32_t *words; /* with the header */
    uint32_t count;        /* with the header */
    uint32_t offset;       /* of the header, in words from the start of the stream */
    uint16_t id;           /* enum pm4_sdma_id */
};

struct pm4_sdma_reader {
    const uint32_t *words;
    uint32_t count;
    uint32_t at;
};

static inline struct pm4_sdma_reader pm4_sdma_reader_begin(const uint32_t *words, uint32_t count)
{
    return (struct pm4_sdma_reader){words, count, 0};
}

const struct pm4_sdma_row *pm4_sdma_row(enum pm4_sdma_id id);
enum pm4_result pm4_sdma_reader_next(struct pm4_sdma_reader *reader, struct pm4_sdma_packet *packet, struct base_error *error);

static inline uint32_t pm4_sdma_get(const struct pm4_sdma_packet *packet, struct pm4_field field)
{
    return field.word < packet->count ? base_field_get(packet->words[field.word], field.bits) : 0;
}

static inline uint64_t pm4_sdma_get_quad(const struct pm4_sdma_packet *packet, struct pm4_quad quad)
{
    if (quad.word + 1u >= packet->count)
        return 0;
    uint32_t low = packet->words[quad.word] >> quad.first << quad.first;
    uint64_t high = packet->words[quad.word + 1] & base_field_mask((struct base_field){0, quad.last});
    return high << 32 | low;
}

/* ---- printing ---- */

enum pm4_detail {
    PM4_BRIEF,  /* a line for each packet: its name and its words, or the registers that it sets */
    PM4_FIELDS, /* and a line for each field of the packet and of the registers; plain numbers that are 0 are left out */
};

/* A packet as lines of text, each `indent` spaces in. */
void pm4_packet_print(FILE *out, const struct pm4_packet *packet, unsigned indent, enum pm4_detail detail);
void pm4_sdma_packet_print(FILE *out, const struct pm4_sdma_packet *packet, unsigned indent, enum pm4_detail detail);
/* One register and its value, `NAME=0x...`, and with PM4_FIELDS a line for each field. */
void pm4_register_print(FILE *out, uint32_t offset, uint32_t value, unsigned indent, enum pm4_detail detail);
/* A whole stream; runs of one-word pads are counted in one line. What stops it is printed as the last line; then false. */
bool pm4_stream_print(FILE *out, const uint32_t *words, uint32_t count, enum pm4_ring ring, unsigned indent,
                      enum pm4_detail detail);
bool pm4_sdma_stream_print(FILE *out, const uint32_t *words, uint32_t count, unsigned indent, enum pm4_detail detail);

#endif
