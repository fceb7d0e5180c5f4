/* The named values of fields. */
#include "pm4/pm4_internal.h"

static const struct {
    uint32_t number;
    const char *name;
} values[] = {
#define L(list)
#define V(list, number, name) {number, #name},
#include "pm4/pm4_values_list.h"
#undef L
#undef V
};

/* The values of all lists lie one after the other; FIRST is the number of a list's first one (as in pm4_rows.c). */
enum {
#define L(list)               FIRST_##list, BACK_##list = FIRST_##list - 1,
#define V(list, number, name) NUMBER_##list##_##name,
#include "pm4/pm4_values_list.h"
#undef L
#undef V
    VALUE_COUNT
};

static const uint16_t first_values[PM4_LIST_COUNT + 1] = {
#define L(list) [PM4_L_##list] = FIRST_##list,
#define V(...)
#include "pm4/pm4_values_list.h"
#undef L
#undef V
    [PM4_LIST_COUNT] = VALUE_COUNT,
};

const char *pm4_value_name(enum pm4_list list, uint32_t value)
{
    if ((unsigned)list >= PM4_LIST_COUNT)
        return NULL;
    for (unsigned number = first_values[list]; number < first_values[list + 1]; number++) {
        if (values[number].number == value)
            return values[number].name;
    }
    return NULL;
}
