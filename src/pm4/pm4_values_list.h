/* All lists of named values (no include guard: each includer gives the macros L and V their meaning; see pm4_values.def). */
#include "pm4_values.def"
#include "pm4_values_registers.def"
