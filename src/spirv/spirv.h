/* spirv: programs in IR as SPIR-V compute modules for a Vulkan device, by lane packing: a wave is one subgroup of the host, and each of its
 * invocations carries wave size / subgroup size lanes; lane k * subgroup size + i is the k-th of invocation i. A program that provably
 * has no need of waves gets an invocation for each lane instead, whatever the host's subgroup.
 *
 * A module calls functions of the lane library (library/, compiled with the tree), which say what each row of ir_ops.def does.
 * Bindings of set 0: 0 parameters, 1 status, 2 registers (when kept) or bits of lanes, 3 local shares (when spilled); words as spirv_layout.h has them. Guest memory is reached by
 * device address, through the table of mapped runs among the parameters.
 *
 * Roles and owners:
 *   spirv_library  the lane library, taken apart; created once and shared by threads; outlives its modules.
 *   spirv_options  what a module is made for; plain data, the caller's.
 *   spirv_image    an image operation of a module; the module's.
 *   spirv_module   words ready for the host, and what reports need; create, destroy.
 */
#ifndef SPIRV_SPIRV_H
#define SPIRV_SPIRV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ir/ir.h"
#include "spirv/spirv_bound.h"
#include "spirv/spirv_recipe.h"

struct spirv_library;

struct spirv_library *spirv_library_create(void);          /* NULL: out of memory */
void spirv_library_destroy(struct spirv_library *library); /* NULL is fine */

/* What images of a dispatch may be that most are not: modules are larger by what they have for it. */
enum spirv_form {
    SPIRV_FORM_BLOCKS = 1, /* elements of several texels */
    SPIRV_FORM_BPTC = 2,   /* of BC6H and BC7; together with the former */
    SPIRV_FORM_KEYS = 4,   /* metadata that says something of elements */
    SPIRV_FORM_ONCE = 8,   /* of no images: an fma that the host is said to round once is made by hand, for trials */
};

/* What the host does with denormals of f32. */
enum spirv_denormals {
    SPIRV_DENORMALS_KEPT,    /* it keeps them, as long as nobody says otherwise */
    SPIRV_DENORMALS_ASKED,   /* it keeps them where a module asks for it */
    SPIRV_DENORMALS_LOST,    /* its operations may take them for zeros, and make zeros of them */
    SPIRV_DENORMALS_FLUSHED, /* they always do */
};

struct spirv_options {
    unsigned subgroup; /* invocations of the host's subgroup: 4, 8, 16, 32, 64 */
    unsigned waves;    /* of a group */
    uint32_t mode;     /* MODE at the start */
    uint32_t rsrc2;    /* COMPUTE_PGM_RSRC2: which scalars and thread ids a wave starts with */
    uint32_t scratch_wave_bytes;
    unsigned vgprs;      /* that a wave has */
    unsigned alone;      /* invocations that a group may have where each lane is one; 0: lanes are packed always */
    uint32_t forms;      /* enum spirv_form, as bits */
    uint32_t threads[3]; /* of every group, where that is known and all waves have all their lanes; else zeros */
    uint8_t denormals;   /* enum spirv_denormals */
    bool gfx10_3;
    bool line;       /* groups extend along x alone */
    bool full;       /* all waves have all their lanes */
    bool alike;      /* the host flushes results of f32 as MODE does, where it flushes */
    bool fused;      /* the host rounds a fused product and sum of f32 once */
    bool few_rounds; /* the host ends loops itself, and early: no budget is counted */
    bool scanned;    /* whoever dispatches looks at all lanes' bits after a fast module */
    bool marks;      /* stores look for slots with a write mask (SLOT_MARKS), but for a fast module's */
    bool fast;    /* where the program allows it, accesses reach windows alone, and lanes that leave them ask to be run again */
    bool certain; /* where a dispatch can be known to have no lane that leaves its windows: a module for such */
    bool marks_near; /* with either: stores mark in windows of their own, behind those of slots (WINDOW_MASKS) */
    bool narrow;     /* the host has no 64-bit types, or no bytes in memory */
    bool spills;     /* the host has too little memory for a group's local share, which is a part of binding 3 then */
    bool registers;  /* registers come from binding 2 and go back there, s slots first, then v slots */
};

enum { SPIRV_REASON_SIZE = 160 };

/* A word that whoever dispatches can know before. */
enum spirv_source_kind {
    SPIRV_UNKNOWN,
    SPIRV_CONSTANT,
    SPIRV_USER_DATA, /* user_data[value] */
    SPIRV_WORD,      /* what a preload left in word `value` */
};
struct spirv_source {
    enum spirv_source_kind kind;
    uint32_t value;
};

/* Accesses that share a base: the same address, or the same descriptor. What lies around it is described in the slot of the same number among
 * the parameters (spirv_layout.h). */
struct spirv_slot {
    uint32_t first_site;
    struct spirv_source
        base[4]; /* base_words of them: none where each lane brings its own address, 2: an address, 4: a V# (buffer) */
    uint32_t base_words;
    bool buffer, known;            /* known: all of base is */
    bool loads, stores, sub_words; /* sub_words: stores less than a word */
};

/* A scalar load that happens before the dispatch, once: `words` words of memory at base + offset become words of the parameters from
 * P_WORDS + first on. Base and offset count as the instruction counts them. */
struct spirv_preload {
    uint64_t pc;
    struct spirv_source base[4]; /* an address of two words, or a V# (buffer) */
    bool buffer;
    uint32_t soffset;
    int32_t offset;
    uint32_t words, first;
};

/* An access of a fast or certain module, in the order of rows from P_NEAR on (spirv_layout.h). Its slot has a window: the binding WINDOW_BINDING + slot. */
struct spirv_near {
    uint32_t slot;
    int32_t offset; /* the instruction's */
    uint8_t scale, bytes;
    bool is_signed; /* the lane's index */
    bool whole;     /* goes as four words at once, which must lie at multiples of 16 from the window's start on */
    bool stores;
    bool aligned; /* the lane's index is a multiple of four */
};
/* log2 of the bytes that its place counts by: of what it is made of, so that a host need not take an address apart; of words by an index that may be
 * no multiple of them, bytes. */
static inline unsigned spirv_near_unit(const struct spirv_near *near)
{
    enum { WORD = 2, WHOLE = 4 };
    return near->whole ? WHOLE : near->bytes >= 4 && (near->scale >= WORD || near->aligned) ? WORD : 0;
}

/* An index of accesses of row `near`, by the step that bounds it; or an address in the group's local memory, of whose accesses `end` is how far
 * behind it they go; or one more than how often a lane goes back in loops, which are not counted then. */
enum { SPIRV_BOUND_SHARE = 0xfffffffe, SPIRV_BOUND_LOOPS = 0xffffffff };
struct spirv_bound {
    uint32_t near, step, end;
};

/* Two instructions, of which one stores: lanes may go alone only in dispatches where they reach no byte in common. plain: only that the buffer
 * of both is no swizzled one. */
struct spirv_apart {
    uint64_t pc[2];
    bool plain;
};

enum { SPIRV_NO_SLOT = -1, SPIRV_PRELOADED = -2 };
/* An instruction that reaches memory. */
struct spirv_reach {
    uint64_t pc;
    int32_t slot; /* or SPIRV_NO_SLOT, SPIRV_PRELOADED */
    bool load, store, atomic;
};

/* An image operation, for which the host has to make a view of the descriptor that it will meet (spirv_layout.h). */
struct spirv_image {
    uint64_t pc;
    bool r128, sampled, stores;
    bool raw;                           /* an element goes as it is */
    bool cube;                          /* its coordinates are a face's */
    bool says;                          /* reaches no element: what it says follows from the descriptors */
    uint8_t atomic_bytes;               /* of an element that it changes in one step; 0: no atomic */
    uint32_t descriptor[8], sampler[4]; /* steps of the recipe that make the words; SPIRV_NO_STEP: none */
};

struct spirv_module {
    uint32_t *words;
    size_t word_count;
    uint64_t *site_pc; /* guest address of each site that status records name */
    uint32_t site_count;
    struct spirv_slot *slots;
    struct spirv_preload *preloads; /* each after those that it takes words from */
    struct spirv_reach *reaches;
    struct spirv_near *nears; /* of a fast or certain module */
    /* Accesses reach windows, and no index is looked at: all bounds must hold in its dispatches. */
    bool certain;
    struct spirv_bound *bounds;
    struct spirv_bound_step *bound_steps;
    uint32_t bound_count, bound_step_count;
    struct spirv_apart *aparts; /* where lanes go alone */
    uint32_t slot_count, preload_count, reach_count, near_count, apart_count;
    uint32_t splits;                 /* ways into joins that lead on by themselves, as it was known where to */
    uint32_t merged;                 /* guest groups, neighbours in x, that are one group of the host */
    struct spirv_image *images;      /* in the order of their views */
    struct spirv_recipe_step *steps; /* of the recipe that descriptors are made by */
    uint32_t image_count, step_count;
    bool uses_lds;
    bool spills; /* groups that run at once have a local share each in binding 3, of as many words as constant 0 says */
    bool gds;    /* it reaches the global data share */
    bool rays;   /* it reads nodes of hierarchies, wherever these are */
    bool locks;  /* has a word of the group's memory beyond what its constant 0 says */
    bool fast;
    bool alone;                  /* an invocation is one lane */
    uint32_t exact, approximate; /* operations in the program, not executed ones */
};

/* Makes a module of func. NULL: out of memory (reason empty), or something that only another device carries out, named in reason. */
struct spirv_module *spirv_module_create(const struct spirv_library *library, const struct ir_func *func,
                                         const struct spirv_options *options, char reason[SPIRV_REASON_SIZE]);
void spirv_module_destroy(struct spirv_module *module); /* NULL is fine */

#endif
