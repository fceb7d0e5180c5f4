/* layout_table: reads the tables of layouts: lines of fields, compressed. */
#ifndef LAYOUT_TABLE_H
#define LAYOUT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A whole table in memory; the caller finishes it. */
struct layout_table {
    char *text, *at;
};

enum { LAYOUT_MOST_FIELDS = 32 };

/* One line, borrowed from the table; numbers that a record lacks read as 0. */
struct layout_record {
    const char *fields[LAYOUT_MOST_FIELDS]; /* the first says what it is */
    unsigned count;
};

/* Ends the program, with the reason, when the file cannot be read. */
void layout_table_init(struct layout_table *table, const char *folder, const char *config, const char *part);
void layout_table_finish(struct layout_table *table);
bool layout_table_next(struct layout_table *table, struct layout_record *record);

uint64_t layout_number(const struct layout_record *record, unsigned field);
uint64_t layout_hex(const struct layout_record *record, unsigned field);
/* The record's line again, for messages; the buffer is the caller's. */
const char *layout_line(const struct layout_record *record, char *text, size_t size);

#endif
