/* wave_probe's interface without a device: instruction fixtures become modules for subgroups of every size, each is validated, and none runs.
 * Programs that the emitter refuses are counted by reason, which TENFOLD_REFUSALS=1 prints. */
#include "wave/wave_probe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/ir.h"
#include "lower/lower.h"
#include "spirv/spirv.h"
#include "spirv/spirv_validate.h"

const char *const *wave_probe_tiers(void)
{
    static const char *const names[] = {"4", "8", "16", "32", "64", NULL};
    return names;
}

static size_t fetch(void *user, uint64_t pc, uint32_t *words, size_t count)
{
    const struct wave_memory *memory = user;
    struct wave_run run;
    if (memory->find(memory->user, pc, &run) != WAVE_DONE)
        return 0;
    size_t there = (size_t)(run.start + run.size - pc) / 4;
    count = count < there ? count : there;
    memcpy(words, run.host + (pc - run.start), count * 4);
    return count;
}

static bool is_valid(const struct spirv_module *m)
{
    char error[256];
    bool good = spirv_validate(m->words, m->word_count, error, sizeof error);
    if (!good)
        printf("invalid module: %s\n", error);
    return good;
}

bool wave_probe_run(const struct wave_probe *probe, struct wave_result *result)
{
    static struct spirv_library *library;
    library = library ? library : spirv_library_create();
    memset(result, 0, sizeof *result);
    const struct lower_config config = {
        .chip = probe->chip, .wave_size = probe->wave_size, .private_vgprs = probe->private_vgprs};
    const struct lower_fetch from = {(void *)(uintptr_t)probe->memory, fetch};
    /* What hosts do with denormals comes by with the sizes. */
    const unsigned subgroup = (unsigned)atoi(probe->tier);
    const struct spirv_options options = {.subgroup = subgroup,
                                          .denormals = subgroup == 16   ? SPIRV_DENORMALS_ASKED
                                                       : subgroup == 32 ? SPIRV_DENORMALS_LOST
                                                                        : SPIRV_DENORMALS_KEPT,
                                          .waves = 3,
                                          .mode = probe->s[IR_MODE],
                                          .vgprs = WAVE_PROBE_VGPRS,
                                          .registers = true};
    char reason[SPIRV_REASON_SIZE] = "out of memory";
    struct ir_func *func = library ? lower_program(&config, &from, probe->program) : NULL;
    struct spirv_module *m = func ? spirv_module_create(library, func, &options, reason) : NULL;
    if (!m && getenv("TENFOLD_REFUSALS"))
        printf("refused for %s: %s\n", probe->tier, reason);
    bool good = !m || is_valid(m);
    *probe->refused = good; /* nothing ran that could be compared */
    spirv_module_destroy(m);
    ir_func_destroy(func);
    return good;
}
