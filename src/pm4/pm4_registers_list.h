/* All registers, in one place (no include guard: each includer gives the macros their meaning).
 *
 *     R(offset, NAME)                       a register
 *     A(offset, count, stride, HEAD, TAIL)  an array: HEAD number TAIL, from 0; what constants name is element 0, HEAD 0 TAIL
 *     N(offset, count, stride, NAME)        an array whose element 0 is NAME and whose others are NAME_1, NAME_2, ...
 *     F(REGISTER, NAME, first, last, LIST)  bits of the register before it; LIST names their values (pm4_values.def)
 *
 * Offsets and strides are in dwords, offsets in the machine's register space. A register that is one 32-bit number has no fields.
 * Where gfx10.1 and gfx10.3 differ, the registers and fields of both stand here; where they contradict each other, gfx10.3's.
 */
#include "pm4_registers_config.def"
#include "pm4_registers_context_cb.def"
#include "pm4_registers_context_db.def"
#include "pm4_registers_context_pa.def"
#include "pm4_registers_context_spi.def"
#include "pm4_registers_context_vgt.def"
#include "pm4_registers_sh_compute.def"
#include "pm4_registers_sh_graphics.def"
#include "pm4_registers_uconfig.def"
#include "pm4_registers_uconfig_perf.def"
