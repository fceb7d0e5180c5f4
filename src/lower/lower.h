/* lower: what each instruction does, in terms of IR ops: the one semantics that every executor shares.
 *
 * Roles and owners:
 *   lower_config  what of a program's set-up changes the meaning of its words; plain data, the caller's.
 *   lower_fetch   reads program words; the caller's callback.
 */
#ifndef LOWER_LOWER_H
#define LOWER_LOWER_H

#include "ir/ir.h"
#include "isa/isa.h"

struct lower_config {
    enum isa_chip_bit chip;
    unsigned wave_size;     /* 32 or 64 */
    bool marks;             /* an op `mark` before each instruction, also those that do nothing */
    unsigned private_vgprs; /* with shared VGPRs: how many a lane has of its own; those past them are shared. 0: none shared */
};

struct lower_fetch {
    void *user;
    /* Copies up to count words at pc into words; returns how many could be read. */
    size_t (*read)(void *user, uint64_t pc, uint32_t *words, size_t count);
};

/* Lowers everything that can be reached from entry by branches. Instructions that are unknown or have no semantics yet end
 * their block with IR_TERM_STOP behind an `unknown` or `unsupported` op. Never fails but for lack of memory (NULL). */
struct ir_func *lower_program(const struct lower_config *config, const struct lower_fetch *fetch, uint64_t entry);

/* True when the row has semantics. */
bool lower_supports(const struct isa_row *row);

#endif
