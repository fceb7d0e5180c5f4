/* What pm4's own files share: the rows of packets' fields. */
#ifndef PM4_PM4_INTERNAL_H
#define PM4_PM4_INTERNAL_H

#include "pm4/pm4.h"

enum pm4_field_kind { PM4_KIND_BITS, PM4_KIND_QUAD, PM4_KIND_REGISTER };

/* One field of a packet, as its row says. */
struct pm4_field_row {
    const char *name;
    uint32_t reg; /* PM4_KIND_REGISTER: whose layout the word has */
    uint8_t kind; /* enum pm4_field_kind */
    uint8_t word, first, last;
    uint8_t list; /* enum pm4_list */
};

/* Rows that belong together; borrowed from the tables. */
struct pm4_fields {
    const struct pm4_field_row *rows;
    size_t count;
};

struct pm4_fields pm4_packet_fields(enum pm4_packet_id id);
struct pm4_fields pm4_sdma_fields(enum pm4_sdma_id id);

#endif
