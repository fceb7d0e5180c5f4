/* Runs a single wave from given registers and reads them back. */
#include "wave/wave_probe.h"

#include <stdlib.h>
#include <string.h>

#include "wave/wave_program.h"

enum { MOST_SLICES = 64, ALL_VGPRS = 63 /* RSRC1.VGPRS: 256 of them in both wave sizes */ };

static const struct wave_tier *const tiers[] = {&wave_tier_avx512, &wave_tier_avx2, &wave_tier_baseline};
enum { TIERS = sizeof tiers / sizeof *tiers };

const char *const *wave_probe_tiers(void)
{
    static _Thread_local const char *names[TIERS + 1];
    size_t count = 0;
    for (size_t i = 0; i < TIERS; i++)
        if (tiers[i]->present())
            names[count++] = tiers[i]->name;
    names[count] = NULL;
    return names;
}

static const struct wave_tier *tier_of(const char *name)
{
    for (size_t i = 0; i < TIERS; i++)
        if (tiers[i]->present() && !strcmp(tiers[i]->name, name))
            return tiers[i];
    return NULL;
}

/* State that the probe gives: the scalar registers and what instructions can read or write beside them. */
static bool is_given(unsigned slot)
{
    return slot <= IR_FLAT_SCR_HI || slot == IR_SUBVECTOR;
}

static void copy_in(struct wave *w, const struct wave_probe *probe)
{
    for (unsigned slot = 0; slot < IR_S_TEMP; slot++)
        if (is_given(slot))
            w->s[slot] = probe->s[slot];
    memcpy(w->v, probe->v, (size_t)WAVE_PROBE_VGPRS * probe->wave_size * sizeof *w->v);
    wave_apply_mode(w);
}

static void copy_out(const struct wave *w, const struct wave_probe *probe)
{
    memcpy(probe->s, w->s, sizeof w->s);
    memcpy(probe->v, w->v, (size_t)WAVE_PROBE_VGPRS * probe->wave_size * sizeof *w->v);
}

/* The group's only wave passes barriers by itself. */
static bool run_to_end(struct wave *w)
{
    for (unsigned slice = 0; slice < MOST_SLICES; slice++) {
        wave_run(w);
        if (w->status == WAVE_ENDED || w->status == WAVE_STOPPED)
            return true;
    }
    return false;
}

static bool run_wave(struct wave *w, struct wave_group *group, struct wave_shared *shared, const struct wave_probe *probe)
{
    const char *why = NULL;
    shared->program = wave_cache_program(shared->cache, &shared->variant, shared->memory, 0, probe->program, &why);
    if (!shared->program)
        return false;
    shared->entry = shared->program->entry;
    group->worker->counts = wave_program_counts(shared->program, shared->entry.unit, group->worker);
    group->worker->stamp = 1;
    if (!group->worker->counts)
        return false;
    memset(w, 0, sizeof *w);
    wave_start(w, group, 0, shared->entry);
    copy_in(w, probe);
    bool ended = run_to_end(w);
    copy_out(w, probe);
    return ended;
}

bool wave_probe_run(const struct wave_probe *probe, struct wave_result *result)
{
    memset(result, 0, sizeof *result);
    struct wave_dispatch dispatch = {.program = probe->program,
                                     .rsrc1 = ALL_VGPRS,
                                     .groups = {1, 1, 1},
                                     .threads = {probe->wave_size, 1, 1},
                                     .last_threads = {probe->wave_size, 1, 1},
                                     .wave_size = probe->wave_size,
                                     .lds_bytes = probe->lds_bytes,
                                     .scratch_base = probe->scratch_base,
                                     .scratch_wave_bytes = probe->scratch_bytes,
                                     .scratch_waves = 1,
                                     .apertures = probe->apertures,
                                     .gds = probe->gds,
                                     .gds_bytes = probe->gds_bytes};
    struct wave_options options = {.threads = 1, .tier = probe->tier};
    struct wave_shared shared = {
        .dispatch = &dispatch,
        .options = &options,
        .memory = probe->memory,
        .waves_per_group = 1,
        .vgprs = WAVE_PROBE_VGPRS,
        .variant = {.lower = {.chip = probe->chip, .wave_size = probe->wave_size, .private_vgprs = probe->private_vgprs},
                    .tier = tier_of(probe->tier),
                    .tuning = WAVE_TUNED_KEPT},
        .group_total = 1};
    size_t wave_bytes = sizeof(struct wave) + (size_t)IR_V_COUNT * probe->wave_size * 4;
    struct wave *w = aligned_alloc(64, (wave_bytes + 63) & ~(size_t)63);
    struct wave_worker *worker = calloc(1, sizeof *worker);
    struct wave_group group = {.worker = worker, .wave_count = 1, .waves = &w, .lds = probe->lds};
    shared.cache = wave_cache_create(probe->chip, probe->memory);
    shared.report = shared.cache ? wave_report_create() : NULL;
    bool good = w && worker && shared.report && shared.variant.tier;
    if (good) {
        worker->shared = &shared;
        good = run_wave(w, &group, &shared, probe);
    }
    if (shared.report)
        wave_report_take(shared.report, result);
    wave_program_release(shared.program);
    wave_cache_destroy(shared.cache);
    if (worker)
        free(worker->images);
    free(worker);
    free(w);
    return good;
}
