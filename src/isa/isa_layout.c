/* The bit fields of every gfx10 encoding (RDNA ISA guides, chapter "Microcode formats"). */
#include "isa/isa_layout.h"

/* clang-format off */
#define VGPR(low) {ISA_SLOT_VGPR, {low, 8, false}}
#define SREG(low) {ISA_SLOT_SREG, {low, 7, false}}
#define SSRC(low) {ISA_SLOT_SSRC, {low, 8, false}}
#define SRC(low)  {ISA_SLOT_SRC, {low, 9, false}}
#define BASE(low) {ISA_SLOT_BASE, {low, 6, false}}
#define RSRC(low) {ISA_SLOT_RSRC, {low, 5, false}}
/* clang-format on */

const struct isa_layout isa_layouts[ISA_FORM_COUNT] = {
#include "isa_layouts.def"
};

/* The first word's top nine bits, at most what an encoding needs to be told from the others. */
#define NO_ENCODING ISA_ENCODING_COUNT
static const uint8_t encoding_of_top[512] = {
    [0x000 ... 0x0f7] = ISA_VOP2,
    [0x0f8 ... 0x0fb] = ISA_VOPC,
    [0x0fc ... 0x0ff] = ISA_VOP1,
    [0x100 ... 0x15f] = ISA_SOP2,
    [0x160 ... 0x17c] = ISA_SOPK,
    [0x17d] = ISA_SOP1,
    [0x17e] = ISA_SOPC,
    [0x17f] = ISA_SOPP,
    [0x180 ... 0x18f] = NO_ENCODING,
    [0x190 ... 0x197] = ISA_VINTRP,
    [0x198] = ISA_VOP3P,
    [0x199 ... 0x1a7] = NO_ENCODING,
    [0x1a8 ... 0x1af] = ISA_VOP3,
    [0x1b0 ... 0x1b7] = ISA_DS,
    [0x1b8 ... 0x1bf] = ISA_FLAT,
    [0x1c0 ... 0x1c7] = ISA_MUBUF,
    [0x1c8 ... 0x1cf] = NO_ENCODING,
    [0x1d0 ... 0x1d7] = ISA_MTBUF,
    [0x1d8 ... 0x1df] = NO_ENCODING,
    [0x1e0 ... 0x1e7] = ISA_MIMG,
    [0x1e8 ... 0x1ef] = ISA_SMEM,
    [0x1f0 ... 0x1f7] = ISA_EXP,
    [0x1f8 ... 0x1ff] = NO_ENCODING,
};

bool isa_encoding_of_word(uint32_t word, enum isa_encoding *encoding)
{
    uint8_t found = encoding_of_top[word >> 23];
    *encoding = (enum isa_encoding)found;
    return found != NO_ENCODING;
}
