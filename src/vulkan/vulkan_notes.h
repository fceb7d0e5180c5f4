/* vulkan_notes: what an engine's report tells: why dispatches ran elsewhere, and the faults of those that ran here.
 *
 *   vulkan_notes  the engine's; init, finish; its functions may be called from any thread.
 */
#ifndef VULKAN_VULKAN_NOTES_H
#define VULKAN_VULKAN_NOTES_H

#include <pthread.h>

#include "vulkan/vulkan_program.h"

enum { VULKAN_REASONS = 64 };

struct vulkan_notes {
    pthread_mutex_t lock; /* guards what follows */
    struct {
        char text[VULKAN_REASON_SIZE];
        uint64_t times;
    } reasons[VULKAN_REASONS];
    unsigned reason_count;
    uint64_t other_reasons;                          /* that found no room */
    struct wave_fault_total faults[WAVE_MAX_FAULTS]; /* the first of each site */
    unsigned fault_count;
};

void vulkan_notes_init(struct vulkan_notes *notes);
void vulkan_notes_finish(struct vulkan_notes *notes);
void vulkan_notes_reason(struct vulkan_notes *notes, const char *reason);
void vulkan_notes_faults(struct vulkan_notes *notes, uint64_t program, const struct wave_result *result);
/* Functions may be NULL. */
void vulkan_notes_tell(struct vulkan_notes *notes, void *user, void (*reason)(void *user, const char *reason, uint64_t times),
                       void (*fault)(void *user, const struct wave_fault_total *fault));

#endif
