/* vulkan_translate: a program's module, from disk where an earlier process kept it.
 *
 *   vulkan_source  all that a translation depends on; plain data, the caller's.
 */
#ifndef VULKAN_VULKAN_TRANSLATE_H
#define VULKAN_VULKAN_TRANSLATE_H

#include "vulkan/vulkan_program.h"

struct wave_code;

struct vulkan_source {
    const struct ir_func *func;
    const struct wave_code *code; /* the words that func was lowered from */
    uint32_t rsrc1, rsrc2, rsrc3;
    unsigned wave_size, waves;
    uint32_t lds_words, scratch_wave_bytes;
    uint32_t threads[3]; /* of a group */
    uint32_t forms;      /* of its images: enum spirv_form */
    bool line;           /* groups extend along x alone */
    bool packed;         /* lanes go in step with their waves, whatever the program */
    bool full;           /* all waves have all their lanes */
    bool fast;           /* where the program allows that: a module without search */
    bool certain;        /* and, where it allows that, for dispatches that are known not to need it */
    bool marks_near;     /* with either: whose stores mark */
};

/* The version of what translations look like: another build's are of no use. */
extern const char vulkan_translate_version[];

/* NULL with a reason when the device does not carry the program out. */
struct spirv_module *vulkan_translate(const struct vulkan_workshop *workshop, const struct vulkan_source *source,
                                      char reason[VULKAN_REASON_SIZE]);

#endif
