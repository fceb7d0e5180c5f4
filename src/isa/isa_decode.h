/* isa_decode.h: the state of one decoding, and its steps. Internal to isa/. */
#ifndef ISA_ISA_DECODE_H
#define ISA_ISA_DECODE_H

#include "isa/isa_layout.h"

struct isa_decoding {
    enum isa_chip_bit chip;
    unsigned wave_size;
    const uint32_t *words;
    size_t count;
    uint64_t bits; /* the first two words */
    unsigned form; /* enum isa_encoding, or enum isa_form */
    const struct isa_layout *layout;
    const struct isa_row *row;
    struct isa_inst *inst;
    bool has_literal;
};

/* The row's sources that the words name (the others are implied: the destination's old value, VCC). */
unsigned isa_row_explicit_sources(const struct isa_row *row);

/* The steps that depend on the kind of form. Each is false when the words are no instruction. */
bool isa_decode_vector(struct isa_decoding *d); /* modifiers of the vector forms, after the operands are read */
bool isa_decode_memory(struct isa_decoding *d); /* operands of the memory forms */

/* Reads one operand of that type from a slot, spanning that many registers. */
bool isa_decode_operand(struct isa_decoding *d, struct isa_slot slot, enum isa_type type, unsigned dwords,
                        struct isa_operand *operand);

#endif
