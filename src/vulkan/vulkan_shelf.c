/* vulkan_shelf: pipelines by module. */
#include "vulkan/vulkan_shelf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "spirv/spirv_validate.h"

void vulkan_shelf_init(struct vulkan_shelf *shelf)
{
    *shelf = (struct vulkan_shelf){0};
    pthread_mutex_init(&shelf->lock, NULL);
}

void vulkan_shelf_finish(struct vulkan_shelf *shelf)
{
    pthread_mutex_destroy(&shelf->lock);
}

static struct vulkan_compiled *find(struct vulkan_shelf *shelf, const struct vulkan_compiled *wanted)
{
    pthread_mutex_lock(&shelf->lock);
    struct vulkan_compiled *found = shelf->first;
    while (found && (memcmp(found->hash, wanted->hash, sizeof found->hash) != 0 || found->word_count != wanted->word_count ||
                     found->lds_words != wanted->lds_words))
        found = found->next;
    if (found)
        found->users++;
    pthread_mutex_unlock(&shelf->lock);
    return found;
}

#if TENFOLD_VALIDATE
/* Drivers do anything with an invalid module, and it is our own mistake: nobody shall overlook it. */
static bool is_valid(const struct spirv_module *module, char *reason, size_t reason_size)
{
    char why[512];
    if (spirv_validate(module->words, module->word_count, why, sizeof why))
        return true;
    fprintf(stderr, "tenfold: an invalid module, which no driver gets: %s\n", why);
    snprintf(reason, reason_size, "the module is invalid: %.*s", (int)strcspn(why, "\n"), why);
    return false;
}
#else
static bool is_valid(const struct spirv_module *module, char *reason, size_t reason_size)
{
    (void)module;
    (void)reason;
    (void)reason_size;
    return true;
}
#endif

/* Drivers put work off until the first run: a run of no groups has it done now. */
static enum vulkan_outcome compile(struct vulkan_host *host, const struct spirv_module *module, struct vulkan_compiled *made)
{
    enum vulkan_outcome outcome;
    made->pipeline = vulkan_pipeline_create(host, module->words, module->word_count, made->lds_words, &outcome);
    return made->pipeline ? vulkan_host_run(host, &(struct vulkan_run){.pipeline = made->pipeline}) : outcome;
}

struct vulkan_compiled *vulkan_shelf_take(struct vulkan_shelf *shelf, struct vulkan_host *host, const struct spirv_module *module,
                                          uint32_t lds_words, char *reason, size_t reason_size)
{
    XXH128_hash_t hash = XXH3_128bits(module->words, module->word_count * sizeof *module->words);
    struct vulkan_compiled wanted = {
        .hash = {hash.low64, hash.high64}, .word_count = module->word_count, .lds_words = lds_words, .users = 1};
    struct vulkan_compiled *found = find(shelf, &wanted), *made = found ? NULL : malloc(sizeof *made);
    if (found)
        return found;
    if (!is_valid(module, reason, reason_size)) {
        free(made);
        return NULL;
    }
    enum vulkan_outcome outcome = made ? compile(host, module, &wanted) : VULKAN_NO_MEMORY;
    if (outcome != VULKAN_DONE) {
        snprintf(reason, reason_size, "%s", made ? vulkan_outcome_name(outcome) : "out of memory");
        vulkan_pipeline_destroy(host, wanted.pipeline);
        free(made);
        return NULL;
    }
    *made = wanted;
    pthread_mutex_lock(&shelf->lock);
    made->next = shelf->first;
    shelf->first = made;
    pthread_mutex_unlock(&shelf->lock);
    return made;
}

void vulkan_shelf_give(struct vulkan_shelf *shelf, struct vulkan_host *host, struct vulkan_compiled *compiled)
{
    if (!compiled)
        return;
    pthread_mutex_lock(&shelf->lock);
    bool last = --compiled->users == 0;
    struct vulkan_compiled **at = &shelf->first;
    while (last && *at != compiled)
        at = &(*at)->next;
    if (last)
        *at = compiled->next;
    pthread_mutex_unlock(&shelf->lock);
    if (!last)
        return;
    vulkan_pipeline_destroy(host, compiled->pipeline);
    free(compiled);
}
