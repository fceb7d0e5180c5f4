/* fuzz_isa: fuzzes the decoder and the printer: whatever decodes has a size that was there, names registers that exist, and prints.
 *
 * The first byte chooses chip and wave size; the rest are words.
 *
 * Built for libFuzzer it searches; otherwise it runs the files, or the folders of files, that it is given. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "isa/isa.h"

static void require(bool condition)
{
    if (!condition)
        abort();
}

static void check_operand(const struct isa_operand *operand)
{
    require(operand->type < ISA_T_COUNT);
    if (operand->kind == ISA_O_VREG)
        require(operand->reg + operand->dwords <= 256);
    if (operand->kind == ISA_O_SREG)
        require(operand->reg + (operand->reg == 125 ? 1 : operand->dwords) <= 128);
}

/* Prints with room and without: the length is the same, and what does not fit is not written. */
static void check_text(const struct isa_inst *inst, enum isa_chip_bit chip, unsigned wave_size)
{
    char whole[512], cut[16];
    size_t length = isa_print(inst, chip, wave_size, 0, whole, sizeof whole);
    require(length < sizeof whole && strlen(whole) == length);
    memset(cut, '#', sizeof cut);
    require(isa_print(inst, chip, wave_size, 0, cut, sizeof cut - 1) == length);
    require(memchr(cut, 0, sizeof cut - 1) && cut[sizeof cut - 1] == '#');
    require(isa_print(inst, chip, wave_size, 0, NULL, 0) == length);
}

static void check_instruction(const struct isa_inst *inst, enum isa_chip_bit chip, unsigned wave_size, size_t count)
{
    require(inst->row && inst->row->chips & chip && inst->encoding < ISA_ENCODING_COUNT);
    require(inst->size % 4 == 0 && inst->size >= 4 && inst->size <= count * 4);
    require(inst->dst_count <= ISA_MAX_DST && inst->src_count <= ISA_MAX_SRC);
    for (unsigned n = 0; n < inst->dst_count; n++)
        check_operand(&inst->dst[n]);
    for (unsigned n = 0; n < inst->src_count; n++)
        check_operand(&inst->src[n]);
    for (unsigned n = 0; n < inst->addr_count; n++)
        require(inst->addr[n] < 256);
    check_text(inst, chip, wave_size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1)
        return 0;
    size_t count = (size - 1) / 4;
    enum isa_chip_bit chip = (enum isa_chip_bit)(1u << (data[0] & 3));
    unsigned wave_size = data[0] & 4 ? 64 : 32;
    uint32_t *words = malloc(count * sizeof *words + 1); /* exactly as many as there are, so that a sanitizer sees each overrun */
    require(words);
    memcpy(words, data + 1, count * sizeof *words);
    for (size_t at = 0; at < count;) {
        struct isa_inst inst;
        if (isa_decode(chip, wave_size, words + at, count - at, &inst) == ISA_OK)
            check_instruction(&inst, chip, wave_size, count - at);
        require(inst.size);
        at += inst.size / 4;
    }
    free(words);
    return 0;
}

#ifndef TENFOLD_LIBFUZZER
int main(int argc, char **argv)
{
    return fuzz_run_files(argc, argv);
}
#endif
