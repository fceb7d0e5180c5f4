/* spirv: programs in IR as SPIR-V compute modules for a Vulkan device, by lane packing: a wave is one subgroup of the host, and each of its
 * invocations carries wave size / subgroup size lanes; lane k * subgroup size + i is the k-th of invocation i. A program that provably
 * has no need of waves gets an invocation for each lane instead, whatever the host's subgroup.
 *
 * A module calls functions of the lane library (library/, compiled with the tree), which say what each row of ir_ops.def does.
 * Bindings of set 0: 0 parameters, 1 status, 2 registers (when kept); words as spirv_layout.h has them. Guest memory is reached by
 * device address, through the table of mapped runs among the parameters.
 *
 * Roles and owners:
 *   spirv_library  the lane library, taken apart; created once and shared by threads; outlives its modules.
 *   spirv_options  what a module is made for; plain data, the caller's.
 *   spirv_module   words ready for the host, and what reports need; create, destroy.
 */
#ifndef SPIRV_SPIRV_H
#define SPIRV_SPIRV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ir/ir.h"

struct spirv_library;

struct spirv_library *spirv_library_create(void);          /* NULL: out of memory */
void spirv_library_destroy(struct spirv_library *library); /* NULL is fine */

struct spirv_options {
    unsigned subgroup; /* invocations of the host's subgroup: 4, 8, 16, 32 */
    unsigned waves;    /* of a group */
    uint32_t mode;     /* MODE at the start */
    uint32_t rsrc2;    /* COMPUTE_PGM_RSRC2: which scalars and thread ids a wave starts with */
    uint32_t scratch_wave_bytes;
    unsigned vgprs; /* that a wave has */
    unsigned alone; /* invocations that a group may have where each lane is one; 0: lanes are packed always */
    bool gfx10_3;
    bool full;      /* all waves have all their lanes */
    bool registers; /* registers come from binding 2 and go back there, s slots first, then v slots */
};

enum { SPIRV_REASON_SIZE = 160 };

struct spirv_module {
    uint32_t *words;
    size_t word_count;
    uint64_t *site_pc; /* guest address of each site that status records name */
    uint32_t site_count;
    bool uses_lds;
    bool alone;                  /* an invocation is one lane */
    uint32_t exact, approximate; /* operations in the program, not executed ones */
};

/* Makes a module of func. NULL: out of memory (reason empty), or something that only another device carries out, named in reason. */
struct spirv_module *spirv_module_create(const struct spirv_library *library, const struct ir_func *func,
                                         const struct spirv_options *options, char reason[SPIRV_REASON_SIZE]);
void spirv_module_destroy(struct spirv_module *module); /* NULL is fine */

#endif
