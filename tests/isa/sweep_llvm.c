/* sweep_llvm: runs llvm-mc over a batch and reads back what it says of each case. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sweep.h"

/* Instructions that no case is: one follows each decoded case in its group, to tell its size; one stands between groups. */
#define END_WORD 0xbf807a5eu
#define END_TEXT "s_nop 0x7a5e"
#define GAP_WORD 0xbf807a5fu
#define GAP_TEXT "s_nop 0x7a5f"

static void write_group(FILE *file, const uint32_t *words, unsigned count, bool has_end)
{
    fputc('[', file);
    for (unsigned i = 0; i < count + has_end; i++) {
        uint32_t word = i < count ? words[i] : END_WORD;
        fprintf(file, "%s0x%02x,0x%02x,0x%02x,0x%02x", i ? "," : "", word & 255, word >> 8 & 255, word >> 16 & 255, word >> 24);
    }
    fputs("]\n", file);
}

/* LLVM stops in a group at what it does not know, so a group is one case. */
static bool write_cases(FILE *file, const struct sweep_batch *batch)
{
    static const uint32_t gap = GAP_WORD;
    for (size_t i = 0; i < batch->count; i++) {
        const struct sweep_case *one = &batch->cases[i];
        write_group(file, one->words, one->bytes / 4, one->is_known);
        write_group(file, &gap, 1, false);
    }
    return fflush(file) == 0;
}

static bool disassemble(const struct sweep_batch *batch, FILE *in, FILE *out)
{
    char cpu[32], attributes[40];
    snprintf(cpu, sizeof cpu, "--mcpu=%s", isa_chip_name(batch->chip));
    snprintf(attributes, sizeof attributes, "-mattr=+wavefrontsize%u", batch->wave_size);
    const char *tool = getenv("LLVM_MC");
    pid_t child = fork();
    if (child == 0) {
        rewind(in);
        dup2(fileno(in), STDIN_FILENO);
        dup2(fileno(out), STDOUT_FILENO);
        if (!freopen("/dev/null", "w", stderr))
            _exit(126);
        lseek(STDIN_FILENO, 0, SEEK_SET);
        execlp(tool ? tool : "llvm-mc-19", "llvm-mc", "--disassemble", "-triple=amdgcn", cpu, attributes, (char *)NULL);
        _exit(127);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child)
        return false;
    if (WIFEXITED(status) && WEXITSTATUS(status) <= 1) /* 1: some words were invalid */
        return true;
    fprintf(stderr, "llvm-mc for %s failed (status %#x)\n", cpu + 7, status);
    return false;
}

/* LLVM puts two spaces after some image mnemonics; one is enough. */
static void copy_text(char to[SWEEP_TEXT], const char *from)
{
    size_t length = 0;
    for (; *from && length < SWEEP_TEXT - 1; from++) {
        if (*from != ' ' || from[1] != ' ')
            to[length++] = *from;
    }
    to[length] = 0;
}

/* One case's lines, up to the gap. False at the end of the output. */
static bool read_case(FILE *out, struct sweep_case *one)
{
    char line[1024];
    unsigned lines = 0;
    one->llvm[0] = 0;
    one->is_sized = false;
    while (fgets(line, sizeof line, out)) {
        const char *text = line + strspn(line, "\t ");
        line[strcspn(line, "\n")] = 0;
        if (strcmp(text, GAP_TEXT) == 0) {
            one->is_sized &= lines == 2;
            return true;
        }
        if (text[0] == '.' || !text[0])
            continue;
        if (lines == 0)
            copy_text(one->llvm, text);
        one->is_sized = lines == 1 && strcmp(text, END_TEXT) == 0;
        lines++;
    }
    return false;
}

static bool read_cases(FILE *out, struct sweep_batch *batch)
{
    rewind(out);
    for (size_t i = 0; i < batch->count; i++) {
        if (!read_case(out, &batch->cases[i])) {
            fprintf(stderr, "llvm-mc stopped at case %zu of %zu\n", i, batch->count);
            return false;
        }
    }
    return true;
}

bool sweep_llvm_run(struct sweep_batch *batch)
{
    FILE *in = tmpfile(), *out = tmpfile();
    bool good = in && out && write_cases(in, batch) && disassemble(batch, in, out) && read_cases(out, batch);
    if (in)
        fclose(in);
    if (out)
        fclose(out);
    return good;
}
