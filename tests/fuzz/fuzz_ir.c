/* fuzz_ir: fuzzes the IR's text form: whatever parses must print, parse back to the same text, validate without harm, and survive the
 * passes when it is valid.
 *
 * Built for libFuzzer it searches; otherwise it runs the files, or the folders of files, that it is given. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "ir/ir.h"
#include "ir/ir_ssa.h"

static char *print(const struct ir_func *func)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        abort();
    ir_print(out, func);
    fclose(out);
    return text;
}

static void check_round_trip(const struct ir_func *func)
{
    char error[200];
    char *text = print(func);
    struct ir_func *back = ir_parse(text, strlen(text), error, sizeof error);
    if (!back) {
        fprintf(stderr, "printed text does not parse: %s\n%s", error, text);
        abort();
    }
    char *again = print(back);
    if (strcmp(text, again)) {
        fprintf(stderr, "text changed:\n%s---\n%s", text, again);
        abort();
    }
    free(text);
    free(again);
    ir_func_destroy(back);
}

static void check_values(const struct ir_func *func)
{
    struct ir_ssa *ssa = ir_ssa_create(func);
    if (!ssa)
        return;
    if (ir_ssa_validate(ssa, NULL))
        abort();
    ir_ssa_simplify(ssa);
    if (ir_ssa_validate(ssa, NULL))
        abort();
    ir_ssa_drop_dead(ssa);
    if (ir_ssa_validate(ssa, NULL))
        abort();
    ir_ssa_destroy(ssa);
}

static void check_passes(struct ir_func *func)
{
    check_values(func);
    ir_drop_dead(func);
    if (ir_validate(func, NULL))
        abort();
    check_round_trip(func);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char error[200];
    struct ir_func *func = ir_parse((const char *)data, size, error, sizeof error);
    if (!func)
        return 0;
    check_round_trip(func);
    uint32_t at;
    if (!ir_validate(func, &at))
        check_passes(func);
    ir_func_destroy(func);
    return 0;
}

#ifndef TENFOLD_LIBFUZZER
int main(int argc, char **argv)
{
    return fuzz_run_files(argc, argv);
}
#endif
