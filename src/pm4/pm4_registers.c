/* The table of registers, and finding rows in it by offset and by name. */
#include "pm4/pm4_internal.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static const struct pm4_register rows[] = {
#define R(offset, name)                      {#name, "", offset, 1, 1, true},
#define A(offset, count, stride, head, tail) {#head, #tail, offset, count, stride, false},
#define N(offset, count, stride, name)       {#name, "", offset, count, stride, true},
#define F(...)
#include "pm4/pm4_registers_list.h"
#undef R
#undef A
#undef N
#undef F
};

enum { ROW_COUNT = sizeof rows / sizeof rows[0] };

/* The fields of all registers lie one after the other; FIRST is the number of a register's first one (as in pm4_rows.c). */
enum {
#define R(offset, name)                      FIRST_##name, BACK_##name = FIRST_##name - 1,
#define A(offset, count, stride, head, tail) FIRST_##head##0##tail, BACK_##head##0##tail = FIRST_##head##0##tail - 1,
#define N(offset, count, stride, name)       FIRST_##name, BACK_##name = FIRST_##name - 1,
#define F(reg, name, first, last, list)      NUMBER_##reg##_##name,
#include "pm4/pm4_registers_list.h"
#undef R
#undef A
#undef N
#undef F
    FIELD_COUNT
};

static const uint16_t first_fields[ROW_COUNT + 1] = {
#define R(offset, name)                      FIRST_##name,
#define A(offset, count, stride, head, tail) FIRST_##head##0##tail,
#define N(offset, count, stride, name)       FIRST_##name,
#define F(...)
#include "pm4/pm4_registers_list.h"
#undef R
#undef A
#undef N
#undef F
    FIELD_COUNT,
};

static const struct pm4_register_field fields[FIELD_COUNT] = {
#define R(...)
#define A(...)
#define N(...)
#define F(reg, name, first, last, list) {#name, {first, last}, PM4_L_##list},
#include "pm4/pm4_registers_list.h"
#undef R
#undef A
#undef N
#undef F
};

size_t pm4_register_count(void)
{
    return ROW_COUNT;
}

const struct pm4_register *pm4_register_row(size_t number)
{
    return number < ROW_COUNT ? &rows[number] : NULL;
}

const struct pm4_register_field *pm4_register_fields(const struct pm4_register *row, size_t *count)
{
    size_t number = (size_t)(row - rows);
    *count = (size_t)(first_fields[number + 1] - first_fields[number]);
    return fields + first_fields[number];
}

/* From an offset to its row's number plus 1, for the four spaces one after the other; built once from the table. */
enum {
    CONTEXT_SLOT = 0,
    SH_SLOT = CONTEXT_SLOT + PM4_CONTEXT_COUNT,
    UCONFIG_SLOT = SH_SLOT + PM4_SH_COUNT,
    CONFIG_SLOT = UCONFIG_SLOT + PM4_UCONFIG_COUNT,
    SLOT_COUNT = CONFIG_SLOT + PM4_CONFIG_COUNT,
};

static const struct {
    uint32_t first, count, slot;
} spaces[] = {
    {PM4_CONTEXT_FIRST, PM4_CONTEXT_COUNT, CONTEXT_SLOT},
    {PM4_SH_FIRST, PM4_SH_COUNT, SH_SLOT},
    {PM4_UCONFIG_FIRST, PM4_UCONFIG_COUNT, UCONFIG_SLOT},
    {PM4_CONFIG_FIRST, PM4_CONFIG_COUNT, CONFIG_SLOT},
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static uint16_t row_of[SLOT_COUNT];

static uint32_t slot_of(uint32_t offset)
{
    for (size_t n = 0; n < sizeof spaces / sizeof spaces[0]; n++) {
        if (offset >= spaces[n].first && offset - spaces[n].first < spaces[n].count)
            return spaces[n].slot + offset - spaces[n].first;
    }
    return SLOT_COUNT;
}

static void build(void)
{
    for (uint16_t number = 0; number < ROW_COUNT; number++) {
        for (uint32_t index = 0; index < rows[number].count; index++) {
            uint32_t slot = slot_of(rows[number].offset + index * rows[number].stride);
            if (slot < SLOT_COUNT)
                row_of[slot] = (uint16_t)(number + 1);
        }
    }
}

struct pm4_place pm4_register_find(uint32_t offset)
{
    pthread_once(&once, build);
    uint32_t slot = slot_of(offset);
    if (slot >= SLOT_COUNT || !row_of[slot])
        return (struct pm4_place){NULL, 0};
    const struct pm4_register *row = &rows[row_of[slot] - 1];
    return (struct pm4_place){row, (offset - row->offset) / row->stride};
}

const char *pm4_register_name(uint32_t offset, char *text, size_t size)
{
    struct pm4_place place = pm4_register_find(offset);
    const struct pm4_register *row = place.row;
    if (!row)
        snprintf(text, size, "0x%x", offset);
    else if (!row->bare_first)
        snprintf(text, size, "%s%u%s", row->head, place.index, row->tail);
    else if (place.index)
        snprintf(text, size, "%s_%u", row->head, place.index);
    else
        snprintf(text, size, "%s", row->head);
    return text;
}

/* Reads what stands between a row's head and tail; false when the name is not of this row. */
static bool index_in(const struct pm4_register *row, const char *name, uint32_t *index)
{
    size_t head = strlen(row->head);
    if (strncmp(name, row->head, head) != 0)
        return false;
    name += head;
    *index = 0;
    if (row->bare_first && !*name)
        return true;
    if (row->count < 2 || (row->bare_first && *name++ != '_'))
        return false;
    if (*name < '0' || *name > '9')
        return false;
    bool leading_zero = name[0] == '0' && name[1] >= '0' && name[1] <= '9';
    char *end;
    unsigned long number = strtoul(name, &end, 10);
    *index = (uint32_t)number;
    return !leading_zero && number < row->count && (number || !row->bare_first) && strcmp(end, row->tail) == 0;
}

bool pm4_register_by_name(const char *name, uint32_t *offset)
{
    for (size_t number = 0; number < ROW_COUNT; number++) {
        uint32_t index;
        if (index_in(&rows[number], name, &index)) {
            *offset = rows[number].offset + index * rows[number].stride;
            return true;
        }
    }
    return false;
}
