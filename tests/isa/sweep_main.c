/* isa_sweep: says whether isa/ and LLVM's disassembler agree on what words mean, and on which mean nothing.
 *
 *     isa_sweep [--count N] [--seed N] [--family NAME] [--chip NAME] [--show N] [--stale] DIFFERENCES
 *
 * Every row must agree on each of its chips. --count: cases for each opcode of each family, on each chip, in each wave size, which takes
 * some tens. --show: disagreements shown, over all.
 * --stale: a listed difference that no case showed is a failure too, which takes a count of some hundreds.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sweep.h"

struct options {
    unsigned count, show;
    uint64_t seed;
    const char *family, *chip, *differences;
    bool stale;
};

static bool take_value(struct options *options, const char *name, const char *value)
{
    if (strcmp(name, "--count") == 0)
        options->count = (unsigned)strtoul(value, NULL, 0);
    else if (strcmp(name, "--seed") == 0)
        options->seed = strtoull(value, NULL, 0);
    else if (strcmp(name, "--show") == 0)
        options->show = (unsigned)strtoul(value, NULL, 0);
    else if (strcmp(name, "--family") == 0)
        options->family = value;
    else if (strcmp(name, "--chip") == 0)
        options->chip = value;
    else
        return false;
    return true;
}

static bool parse(int argc, char **argv, struct options *options)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--stale") == 0)
            options->stale = true;
        else if (argv[i][0] != '-')
            options->differences = argv[i];
        else if (i + 1 == argc || !take_value(options, argv[i], argv[i + 1]))
            return false;
        else
            i++;
    }
    return options->differences && options->count;
}

/* What isa/ makes of the words. */
static void decode(const struct sweep_batch *batch, struct sweep_case *one)
{
    struct isa_inst inst;
    one->is_known = isa_decode(batch->chip, batch->wave_size, one->words, SWEEP_WORDS, &inst) == ISA_OK;
    one->bytes = one->is_known ? inst.size : 4 * SWEEP_WORDS;
    one->ours[0] = 0;
    one->row = one->is_known ? inst.row->id : 0;
    if (one->is_known)
        isa_print(&inst, batch->chip, batch->wave_size, 0, one->ours, sizeof one->ours);
}

/* Makes one case; half of them are drawn again until isa/ takes them for an instruction, for a while. */
static bool make_case(const struct sweep_batch *batch, struct sweep_random *random, unsigned family, unsigned opcode,
                      struct sweep_case *one)
{
    unsigned draws = sweep_random_next(random) & 1 ? 1 : 60;
    for (unsigned i = 0; i < draws; i++) {
        sweep_words_make(random, family, opcode, one->words);
        decode(batch, one);
        if (one->is_known)
            break;
    }
    return !sweep_words_confuse_llvm(one->words);
}

static void add_family(struct sweep_batch *batch, struct sweep_random *random, unsigned family, unsigned count)
{
    for (unsigned opcode = 0; opcode < sweep_family_opcodes(family); opcode++) {
        for (unsigned i = 0; i < count && batch->count < batch->capacity; i++)
            batch->count += make_case(batch, random, family, opcode, &batch->cases[batch->count]);
    }
}

static void show(const struct sweep_batch *batch, const struct sweep_case *one)
{
    printf("%s wave%u:", isa_chip_name(batch->chip), batch->wave_size);
    for (unsigned i = 0; i < one->bytes / 4; i++)
        printf(" %08x", one->words[i]);
    printf("\n    ours: %s\n    llvm: %s%s\n", one->is_known ? one->ours : "(no instruction)",
           one->llvm[0] ? one->llvm : "(no instruction)", one->is_known && !one->is_sized ? "   [size differs]" : "");
}

struct totals {
    size_t cases, known, listed, wrong;
    uint8_t agreed[ISA_ID_COUNT]; /* of each row: the chips on which a case of it agreed */
};

static void compare(const struct sweep_batch *batch, unsigned show_limit, struct totals *totals)
{
    for (size_t i = 0; i < batch->count; i++) {
        const struct sweep_case *one = &batch->cases[i];
        bool is_size_right = one->is_sized || !one->is_known || !one->llvm[0];
        totals->cases++;
        totals->known += one->is_known;
        if (strcmp(one->ours, one->llvm) == 0 && is_size_right) {
            if (one->is_known)
                totals->agreed[one->row] |= (uint8_t)batch->chip;
            continue;
        }
        if (sweep_differences_has(one) && is_size_right) {
            totals->listed++;
            continue;
        }
        if (totals->wrong++ < show_limit)
            show(batch, one);
    }
}

/* One family on one chip, in one wave size, each opcode count times. */
static bool sweep(const struct options *options, unsigned family, enum isa_chip_bit chip, unsigned wave_size,
                  struct totals *totals)
{
    size_t capacity = (size_t)sweep_family_opcodes(family) * options->count;
    struct sweep_batch batch = {chip, wave_size, calloc(capacity, sizeof *batch.cases), 0, capacity};
    struct sweep_random random = {options->seed ^ (uint64_t)family << 32 ^ (uint64_t)chip << 48 ^ (uint64_t)wave_size << 56};
    if (!batch.cases)
        return false;
    add_family(&batch, &random, family, options->count);
    bool good = sweep_llvm_run(&batch);
    if (good)
        compare(&batch, options->show, totals);
    free(batch.cases);
    return good;
}

static bool sweep_all(const struct options *options, struct totals *totals)
{
    bool good = true;
    for (unsigned family = 0; family < sweep_family_count(); family++) {
        if (options->family && strcmp(options->family, sweep_family_name(family)) != 0)
            continue;
        for (unsigned chip = ISA_GFX1010; chip <= ISA_GFX1033; chip <<= 1) {
            if (options->chip && strcmp(options->chip, isa_chip_name((enum isa_chip_bit)chip)) != 0)
                continue;
            good = sweep(options, family, (enum isa_chip_bit)chip, 32, totals) && good;
            good = sweep(options, family, (enum isa_chip_bit)chip, 64, totals) && good;
        }
    }
    return good;
}

/* Complains of rows that agreed nowhere on some chip that has them. */
static bool all_rows_agreed(const struct totals *totals)
{
    bool good = true;
    for (unsigned i = 0; i < isa_row_count; i++) {
        if (isa_rows[i].chips & ~totals->agreed[i])
            fprintf(stderr, "no case of %s agreed on every chip\n", isa_rows[i].name);
        good &= !(isa_rows[i].chips & ~totals->agreed[i]);
    }
    return good;
}

int main(int argc, char **argv)
{
    struct options options = {.count = 4, .show = 20, .seed = 1};
    struct totals totals = {0};
    if (!parse(argc, argv, &options)) {
        fprintf(stderr,
                "usage: isa_sweep [--count N] [--seed N] [--family NAME] [--chip NAME] [--show N] [--stale] DIFFERENCES\n");
        return 2;
    }
    if (!sweep_differences_load(options.differences))
        return 2;
    bool good = sweep_all(&options, &totals) && !totals.wrong;
    good = (options.family || options.chip || all_rows_agreed(&totals)) && good;
    good = (!options.stale || sweep_differences_all_used()) && good;
    printf("%zu cases, %zu of them instructions, %zu listed differences, %zu others\n", totals.cases, totals.known, totals.listed,
           totals.wrong);
    sweep_differences_finish();
    return good ? 0 : 1;
}
