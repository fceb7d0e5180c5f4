/* Clears of a target of words by dispatches, as PM4 has them: with one word, with a word of its own for each pixel that is a sum of where that is (a
 * gradient) or is not (a weave), and with a gradient but for a scattered tenth; by address and through a buffer's descriptor. */
#ifndef PM4_CLEARS_H
#define PM4_CLEARS_H

#include "stream.h"

enum { CLEAR_SIDE = 8, CLEAR_USER_WORDS = 8 };
/* Groups and threads in x and y. */
enum { CLEAR_RSRC1 = 0xc0001, CLEAR_RSRC2 = CLEAR_USER_WORDS << 1 | 1 << 7 | 1 << 8 | 1 << 11 };

/* Assembled with llvm-mc for gfx1030, wave32. s[0:1]: the target; s2: a word; s3: its width; s[4:7]: the target as a buffer; s8, s9: the
 * group. */
#define CLEAR_PLACE                                                              \
    0xd7460000, 0x04010608,                   /* v_lshl_add_u32 v0, s8, 3, v0 */ \
        0xd7460001, 0x04050609,               /* v_lshl_add_u32 v1, s9, 3, v1 */ \
        0xd5430002, 0x04000701,               /* v_mad_u32_u24 v2, v1, s3, v0 */ \
        0x34060482                            /* v_lshlrev_b32 v3, 2, v2 */
#define CLEAR_WORD     0x7e080202             /* v_mov_b32 v4, s2 */
#define CLEAR_GRADIENT 0xd76f0004, 0x04012101 /* v_lshl_or_b32 v4, v1, 16, v0 */
#define CLEAR_WEAVE    0x3a080300             /* v_xor_b32 v4, v0, v1 */
#define CLEAR_BUT_A_TENTH                                                                      \
    0xd5690005, 0x00000502,                          /* v_mul_lo_u32 v5, v2, s2 */             \
        0x7d860aff, 0x1999999a,                      /* v_cmp_le_u32 vcc_lo, 0x1999999a, v5 */ \
        0x877e6a7e                                   /* s_and_b32 exec_lo, exec_lo, vcc_lo */
#define CLEAR_STORE           0xdc708000, 0x00000403 /* global_store_dword v3, v4, s[0:1] */
#define CLEAR_STORE_TO_BUFFER 0xe0701000, 0x80010403 /* buffer_store_dword v4, v3, s[4:7], 0 offen */
#define CLEAR_END             0xbf810000             /* s_endpgm */

static const uint32_t clear_constant[] = {CLEAR_PLACE, CLEAR_WORD, CLEAR_STORE, CLEAR_END},
                      clear_constant_buffer[] = {CLEAR_PLACE, CLEAR_WORD, CLEAR_STORE_TO_BUFFER, CLEAR_END},
                      clear_gradient[] = {CLEAR_PLACE, CLEAR_GRADIENT, CLEAR_STORE, CLEAR_END},
                      clear_gradient_buffer[] = {CLEAR_PLACE, CLEAR_GRADIENT, CLEAR_STORE_TO_BUFFER, CLEAR_END},
                      clear_weave[] = {CLEAR_PLACE, CLEAR_WEAVE, CLEAR_STORE, CLEAR_END},
                      clear_weave_buffer[] = {CLEAR_PLACE, CLEAR_WEAVE, CLEAR_STORE_TO_BUFFER, CLEAR_END},
                      clear_scatter[] = {CLEAR_PLACE, CLEAR_GRADIENT, CLEAR_BUT_A_TENTH, CLEAR_STORE, CLEAR_END},
                      clear_scatter_buffer[] = {CLEAR_PLACE, CLEAR_GRADIENT, CLEAR_BUT_A_TENTH, CLEAR_STORE_TO_BUFFER, CLEAR_END};

/* What the scattered tenth is told by: pixels whose number times this is below a tenth of all words. */
#define CLEAR_SPREAD UINT32_C(0x9e3779b1)

/* A clear of width * height words, multiples of the groups' sides; bytes: of the buffer. */
static inline void clear_put(struct stream *stream, uint64_t code, uint64_t target, uint32_t width, uint32_t height,
                             uint32_t bytes, uint32_t word)
{
    enum { RAW = 3 << 28, DATA_32 = 20 << 12, HIGH = 0xffff };
    const uint32_t low = (uint32_t)target, high = (uint32_t)(target >> 32),
                   user[CLEAR_USER_WORDS] = {low, high, word, width, low, high & HIGH, bytes, RAW | DATA_32};
    stream_put_program(stream, code, CLEAR_RSRC1, CLEAR_RSRC2, CLEAR_SIDE, CLEAR_SIDE);
    stream_put_user_data(stream, CLEAR_USER_WORDS, user);
    stream_put_dispatch(stream, width / CLEAR_SIDE, height / CLEAR_SIDE, STREAM_WAVE32);
}

#endif
