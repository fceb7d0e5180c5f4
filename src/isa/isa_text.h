/* isa_text.h: text built up in a caller's buffer, and the pieces that print into it. Internal to isa/. */
#ifndef ISA_ISA_TEXT_H
#define ISA_ISA_TEXT_H

#include "isa/isa.h"

/* What does not fit is counted, not written; the text stays terminated. */
struct isa_text {
    char *at;
    size_t size, used;
};

__attribute__((format(printf, 2, 3))) void isa_text_add(struct isa_text *text, const char *format, ...);

/* An operand without its modifiers. */
void isa_text_operand(struct isa_text *text, const struct isa_inst *inst, const struct isa_operand *operand);
void isa_text_vgprs(struct isa_text *text, unsigned first, unsigned count);

/* The 16-bit immediates that have a syntax of their own: s_waitcnt, s_sendmsg, hwreg, s_version, ... */
void isa_text_immediate(struct isa_text *text, const struct isa_inst *inst, enum isa_chip_bit chip);

/* What follows the operands. */
void isa_text_vector_modifiers(struct isa_text *text, const struct isa_inst *inst);
void isa_text_memory_modifiers(struct isa_text *text, const struct isa_inst *inst);
void isa_text_export(struct isa_text *text, const struct isa_inst *inst);

#endif
