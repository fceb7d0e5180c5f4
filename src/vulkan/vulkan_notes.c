/* vulkan_notes: reasons and faults, each once, with how often. */
#include "vulkan/vulkan_notes.h"

#include <stdio.h>
#include <string.h>

void vulkan_notes_init(struct vulkan_notes *notes)
{
    memset(notes, 0, sizeof *notes);
    pthread_mutex_init(&notes->lock, NULL);
}

void vulkan_notes_finish(struct vulkan_notes *notes)
{
    pthread_mutex_destroy(&notes->lock);
}

void vulkan_notes_reason(struct vulkan_notes *notes, const char *reason)
{
    pthread_mutex_lock(&notes->lock);
    unsigned n = 0;
    while (n < notes->reason_count && strcmp(notes->reasons[n].text, reason) != 0)
        n++;
    if (n == notes->reason_count && n < VULKAN_REASONS) {
        snprintf(notes->reasons[n].text, sizeof notes->reasons[n].text, "%s", reason);
        notes->reason_count++;
    }
    ++*(n < VULKAN_REASONS ? &notes->reasons[n].times : &notes->other_reasons);
    pthread_mutex_unlock(&notes->lock);
}

static void add_fault_locked(struct vulkan_notes *notes, uint64_t program, const struct wave_fault *fault)
{
    unsigned n = 0;
    while (n < notes->fault_count && (notes->faults[n].program != program || notes->faults[n].first.kind != fault->kind ||
                                      notes->faults[n].first.pc != fault->pc))
        n++;
    if (n == notes->fault_count && n < WAVE_MAX_FAULTS)
        notes->faults[notes->fault_count++] = (struct wave_fault_total){.program = program, .first = *fault};
    if (n < WAVE_MAX_FAULTS)
        notes->faults[n].times++;
}

void vulkan_notes_faults(struct vulkan_notes *notes, uint64_t program, const struct wave_result *result)
{
    if (!result->faults_kept)
        return;
    pthread_mutex_lock(&notes->lock);
    for (size_t n = 0; n < result->faults_kept; n++)
        add_fault_locked(notes, program, &result->faults[n]);
    pthread_mutex_unlock(&notes->lock);
}

void vulkan_notes_tell(struct vulkan_notes *notes, void *user, void (*reason)(void *user, const char *reason, uint64_t times),
                       void (*fault)(void *user, const struct wave_fault_total *fault))
{
    pthread_mutex_lock(&notes->lock);
    for (unsigned n = 0; reason && n < notes->reason_count; n++)
        reason(user, notes->reasons[n].text, notes->reasons[n].times);
    if (reason && notes->other_reasons)
        reason(user, "others", notes->other_reasons);
    for (unsigned n = 0; fault && n < notes->fault_count; n++)
        fault(user, &notes->faults[n]);
    pthread_mutex_unlock(&notes->lock);
}
