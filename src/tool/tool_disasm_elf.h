/* tool_disasm_elf: finds the pieces of code in a file: an ELF object's functions, or all of a file of bare words.
 *
 * Roles and owners:
 *   tool_piece  code that belongs together; its name and bytes are borrowed from the file's bytes.
 *   tool_code   the pieces of a file, in the order of their addresses; owns the array.
 */
#ifndef TOOL_TOOL_DISASM_ELF_H
#define TOOL_TOOL_DISASM_ELF_H

#include "base/base_bytes.h"
#include "base/base_error.h"

struct tool_piece {
    const char *name; /* NULL: none is known */
    struct base_bytes bytes;
    uint64_t address;
    unsigned wave_size; /* 0: not said */
};

struct tool_code {
    const char *chip; /* LLVM's name, or NULL: not said */
    struct tool_piece *pieces;
    size_t count;
};

bool tool_disasm_is_elf(struct base_bytes file);

/* Reads an ELF file's functions; sections of code that have none are pieces of their own. False, and error says why, when it is none
 * that holds AMDGPU code. tool_disasm_code_finish is due in both cases. */
bool tool_disasm_read_elf(struct base_bytes file, struct tool_code *code, struct base_error *error);
void tool_disasm_code_finish(struct tool_code *code);

#endif
