/* All type-3 packets of the generation, in one place (no include guard: each includer gives the macros their meaning).
 *
 *     P(NAME, opcode, least, most, RINGS, FLAGS, SPACE)
 *
 *   least, most  body words that are legal; MANY: as many as a header can say
 *   RINGS        which rings may carry it: G graphics, C compute, GC both, KERNEL neither; MEC: the compute ring's own form of an
 *                opcode that another row has for the graphics ring
 *   FLAGS        enum pm4_flag without PM4_, or 0
 *   SPACE        enum pm4_space without PM4_SPACE_: the registers that it sets or loads
 *
 * and after it a row for each of its fields:
 *
 *     F(PACKET, NAME, word, first, last, LIST)  bits of a word; LIST names their values (pm4_values.def), NONE: a number,
 *                                               ALSO: another reading of bits that a row before it has, not printed
 *     Q(PACKET, NAME, word, first, last)        64 bits of word and word + 1, from bit first of the low one to last of the high
 *     R(PACKET, NAME, word, REGISTER)           a word laid out as a register of the tables is
 *
 * Words that a packet has and no row names (the values of SET_*_REG, the data of WRITE_DATA) are printed as data.
 */
#include "pm4_packets_kernel.def"
#include "pm4_packets_memory.def"
#include "pm4_packets_state.def"
#include "pm4_packets_work.def"
