/* tool_inspect_program: the programs that a capture's work uses, from their first instruction to their last. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tool/tool_inspect.h"

enum { PROGRAM_WORDS = 1 << 16, INSTRUCTION_WORDS = 5, ANCHOR = 64, BRANCH_UNIT = 4 };

static void name_anchor(const struct inspect *inspect, size_t number, char anchor[ANCHOR])
{
    snprintf(anchor, ANCHOR, "program-%zu-%" PRIx64, number + 1, inspect->programs[number].address);
}

/* Reads code and finds where it ends: behind the s_endpgm that no branch passes. Returns the words of the program. */
static size_t find_end(const struct inspect *inspect, unsigned wave_size, const uint32_t *words, size_t count)
{
    size_t at = 0, furthest = 0;
    while (at < count) {
        struct isa_inst inst;
        size_t left = count - at < INSTRUCTION_WORDS ? count - at : INSTRUCTION_WORDS;
        if (isa_decode(inspect->chip, wave_size, words + at, left, &inst) != ISA_OK)
            return at;
        at += inst.size / sizeof *words;
        if (inst.row->flags & ISA_F(BRANCH) && inst.encoding == ISA_SOPP && inst.simm16 > 0 &&
            at + (size_t)inst.simm16 > furthest)
            furthest = at + (size_t)inst.simm16;
        if (inst.row->flags & ISA_F(END) && at > furthest)
            return at;
    }
    return count;
}

static struct inspect_program *find_program(struct inspect *inspect, uint64_t address, unsigned wave_size, const uint32_t *words,
                                            size_t count)
{
    for (size_t n = 0; n < inspect->program_count; n++) {
        struct inspect_program *program = &inspect->programs[n];
        if (program->address == address && program->wave_size == wave_size && program->count == count &&
            !memcmp(program->words, words, count * sizeof *words))
            return program;
    }
    return NULL;
}

/* Keeps the words, which are freed in any case when they can't be kept. */
static struct inspect_program *keep_program(struct inspect *inspect, uint64_t address, unsigned wave_size, uint32_t *words,
                                            size_t count)
{
    uint32_t *kept = malloc(count * sizeof *kept);
    if (kept)
        memcpy(kept, words, count * sizeof *kept);
    free(words);
    struct inspect_program *grown =
        inspect_grow(inspect->programs, sizeof *grown, inspect->program_count, &inspect->program_capacity);
    inspect->programs = grown ? grown : inspect->programs;
    if (!grown || !kept) {
        free(kept);
        return NULL;
    }
    struct inspect_program *program = &inspect->programs[inspect->program_count++];
    *program = (struct inspect_program){
        .address = address, .wave_size = wave_size, .words = kept, .count = count, .submission = inspect->submission};
    return program;
}

void inspect_use_program(struct inspect *inspect, uint64_t address, const char *stage, unsigned wave_size)
{
    char anchor[ANCHOR], title[128];
    uint32_t *words = malloc(PROGRAM_WORDS * sizeof *words);
    size_t got = words ? capture_state_read(&inspect->state, address, words, PROGRAM_WORDS * sizeof *words) / sizeof *words : 0;
    size_t count = find_end(inspect, wave_size, words, got);
    if (!count) {
        inspect_problem(inspect, "%s program at 0x%" PRIx64 ": %s", stage, address,
                        got ? "its first words are no instruction" : "it is not mapped");
        free(words);
        return;
    }
    struct inspect_program *program = find_program(inspect, address, wave_size, words, count);
    if (program) {
        free(words);
    } else {
        program = keep_program(inspect, address, wave_size, words, count);
    }
    if (!program)
        return;
    program->stage = stage;
    program->uses++;
    name_anchor(inspect, (size_t)(program - inspect->programs), anchor);
    snprintf(title, sizeof title, "%s program %zu at 0x%" PRIx64 ", %zu bytes", stage, (size_t)(program - inspect->programs) + 1,
             address, program->count * sizeof *words);
    tool_document_refer(inspect->document, anchor, title);
}

static void print_instruction(const struct inspect *inspect, const struct inspect_program *program, size_t at,
                              const struct isa_inst *inst, FILE *file)
{
    char text[256];
    isa_print(inst, inspect->chip, program->wave_size, program->address + at * sizeof *program->words, text, sizeof text);
    fprintf(file, "%6zx  %-62s //", at * sizeof *program->words, text);
    for (size_t n = 0; n < inst->size / sizeof *program->words; n++)
        fprintf(file, " %08" PRIx32, program->words[at + n]);
    fputc('\n', file);
}

static void show_program(struct inspect *inspect, size_t number)
{
    const struct inspect_program *program = &inspect->programs[number];
    char anchor[ANCHOR], *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    if (!file)
        return;
    name_anchor(inspect, number, anchor);
    for (size_t at = 0; at < program->count;) {
        struct isa_inst inst;
        isa_decode(inspect->chip, program->wave_size, program->words + at, program->count - at, &inst);
        print_instruction(inspect, program, at, &inst, file);
        at += inst.size / sizeof *program->words;
    }
    tool_document_open(inspect->document, TOOL_NODE_PROGRAM, anchor, "program %zu: %s, at 0x%" PRIx64, number + 1, program->stage,
                       program->address);
    tool_document_line(inspect->document, "%zu bytes, wave%u, used %" PRIu32 " time%s, first in submission %" PRIu32,
                       program->count * sizeof *program->words, program->wave_size, program->uses, program->uses == 1 ? "" : "s",
                       program->submission);
    if (!fclose(file))
        tool_document_block(inspect->document, text);
    tool_document_close(inspect->document);
    free(text);
}

void inspect_programs(struct inspect *inspect)
{
    tool_document_section(inspect->document, "Programs");
    if (!inspect->program_count)
        tool_document_line(inspect->document, "none");
    for (size_t n = 0; n < inspect->program_count; n++)
        show_program(inspect, n);
}
