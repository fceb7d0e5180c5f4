/* isa_layout.h: where the bits of each encoding stand, as data. Internal to isa/.
 *
 * An instruction's first two words are read as one 64-bit number, words[0] in the low half; a field is a range of its bits.
 * A field that a form lacks has width 0 and reads as 0.
 */
#ifndef ISA_ISA_LAYOUT_H
#define ISA_ISA_LAYOUT_H

#include "isa/isa.h"

struct isa_bits {
    uint8_t low, width;
    bool is_signed;
};

static inline uint32_t isa_bits_get(uint64_t words, struct isa_bits bits)
{
    return (uint32_t)(words >> bits.low) & ((1u << bits.width) - 1u);
}

static inline int32_t isa_bits_get_signed(uint64_t words, struct isa_bits bits)
{
    uint32_t value = isa_bits_get(words, bits);
    uint32_t sign = bits.is_signed ? 1u << (bits.width - 1u) : 0;
    return (int32_t)((value ^ sign) - sign);
}

/* How the bits of an operand field name an operand. */
enum isa_slot_kind {
    ISA_SLOT_NONE,
    ISA_SLOT_VGPR, /* 8 bits: a vector register */
    ISA_SLOT_SREG, /* 7 bits: a scalar register */
    ISA_SLOT_SSRC, /* 8 bits: a scalar register, a constant or a special value */
    ISA_SLOT_SRC,  /* 9 bits: the same, or a vector register */
    ISA_SLOT_BASE, /* 6 bits: a scalar register, in units of two */
    ISA_SLOT_RSRC, /* 5 bits: in units of four */
    ISA_SLOT_IMM,  /* a number */
};

struct isa_slot {
    enum isa_slot_kind kind;
    struct isa_bits bits;
};

/* The forms that an instruction's words take: the encodings, and those that differ from their encoding in fields only. */
enum isa_form {
    ISA_FORM_SDWA_COMPARE = ISA_ENCODING_COUNT, /* SDWA with a scalar destination */
    ISA_FORM_VOP3_INTERP,                       /* VOP3 with an attribute in source 0's place */
    ISA_FORM_COUNT
};

struct isa_layout {
    uint8_t bytes; /* before literals and extra addresses */
    struct isa_bits op, op_high;
    struct isa_slot dst[ISA_MAX_DST], src[ISA_MAX_SRC];
    /* Where a modifier has a bit of its own for each source, the second one's. */
    struct isa_bits neg1, abs1, sext1, op_sel_hi2;
    struct isa_bits sdwa_sel[3], src_is_scalar[2], dst_is_explicit;
    struct isa_bits address;              /* MIMG: the first address register */
    struct isa_bits must_be_zero;         /* no instruction has this bit */
#define X(member) struct isa_bits member; /* what goes into isa_inst as it is */
#include "isa_fields.def"
#undef X
};

extern const struct isa_layout isa_layouts[ISA_FORM_COUNT];

/* The encoding that a first word begins; false when none does. FLAT stands for its three segments. */
bool isa_encoding_of_word(uint32_t word, enum isa_encoding *encoding);

/* The row of that opcode on that chip, in the row's own or (encoding VOP3) in any vector row's VOP3 form; NULL when there
 * is none. */
const struct isa_row *isa_row_find(enum isa_chip_bit chip, enum isa_encoding encoding, unsigned opcode);

#endif
