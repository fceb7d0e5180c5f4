/* A module's words, put together: its head, what it takes of the library, the program's function and its entry. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spirv/spirv_emit.h"
#include "spirv/spirv_narrow.h"

enum { BOUND_AT = 3 };

/* A function that a form of images needs, and what stands in for it elsewhere. */
static const struct {
    enum spirv_form form;
    const char *absent, *there;
} forms[] = {{SPIRV_FORM_BLOCKS, "block_texel_absent", "block_texel"},
             {SPIRV_FORM_BPTC, "bptc_texel_absent", "bptc_texel"},
             {SPIRV_FORM_KEYS, "keyed_element_absent", "keyed_element"},
             {SPIRV_FORM_KEYS, "key_stored_absent", "key_stored"},
             {SPIRV_FORM_ONCE, "once32", "once32_by_hand"}};

/* What is called where the library calls that function. */
uint32_t spirv_called(const struct spirv_emitter *e, uint32_t id)
{
    /* lavapipe lets a group's other subgroups go on at every barrier, of memory too, and leaves those behind that come by fewer of them. */
    if (e->options->few_rounds && id == spirv_library_function(e->library, "share_order")->id)
        return spirv_library_function(e->library, "share_order_absent")->id;
    for (size_t n = 0; n < sizeof forms / sizeof *forms; n++)
        if (e->options->forms & forms[n].form && id == spirv_library_function(e->library, forms[n].absent)->id)
            return spirv_library_function(e->library, forms[n].there)->id;
    return id;
}

static void put_head(struct spirv_emitter *e, struct spirv_words *out, uint32_t entry)
{
    enum { MAGIC = 0x07230203, VERSION = 0x10300, COMPUTE = 5, LOCAL_SIZE = 17, PHYSICAL64 = 5348, GLSL450 = 1 };
    enum {
        SHADER = 1,
        FLOAT64 = 10,
        INT64 = 11,
        INT64_ATOMICS = 12,
        SUBGROUP = 61,
        VOTE = 62,
        BALLOT = 64,
        SHUFFLE = 65,
        BYTES = 4448,
        PHYSICAL = 5347,
        KEEPS = 4466
    };
    enum {
        KEEP_ZERO_INF_NAN = 4461,
        KEEP_DENORMALS = 4459,
        KEEPS_DENORMALS = 4464
    }; /* signs of zeros too, which some compilers lose */
    static const char float_controls[24] = "SPV_KHR_float_controls";
    const struct spirv_library *l = e->library;
    static const uint32_t capabilities[] = {SHADER, FLOAT64, INT64, SUBGROUP, VOTE, BALLOT, SHUFFLE, BYTES, PHYSICAL, KEEPS};
    spirv_put_all(out, (uint32_t[]){MAGIC, VERSION, 0, e->next_id, 0}, 5);
    for (size_t i = 0; i < sizeof capabilities / sizeof *capabilities; i++)
        spirv_put_op(out, OP_CAPABILITY, 1, &capabilities[i]);
    if (spirv_uses(e, "long_atomic"))
        spirv_put_op(out, OP_CAPABILITY, 1, (uint32_t[]){INT64_ATOMICS});
    bool asks = e->options->denormals == SPIRV_DENORMALS_ASKED;
    if (asks)
        spirv_put_op(out, OP_CAPABILITY, 1, (uint32_t[]){KEEPS_DENORMALS});
    uint32_t extension[sizeof float_controls / 4];
    memcpy(extension, float_controls, sizeof float_controls);
    spirv_put_op(out, OP_EXTENSION, sizeof float_controls / 4, extension);
    for (size_t at = 5; at < l->decorations; at += l->words[at] >> 16) {
        unsigned op = l->words[at] & 0xffff;
        if (op == OP_EXTENSION || op == OP_EXT_INST_IMPORT)
            spirv_put_all(out, l->words + at, l->words[at] >> 16);
    }
    spirv_put_op(out, OP_MEMORY_MODEL, 2, (uint32_t[]){PHYSICAL64, GLSL450});
    uint32_t name[2] = {0x6e69616d, 0}; /* "main" */
    spirv_put_op(out, OP_ENTRY_POINT, 8,
                 (uint32_t[]){COMPUTE, entry, name[0], name[1], l->builtins[0], l->builtins[1], l->builtins[2], l->builtins[3]});
    unsigned waves = e->options->waves + (e->paired ? e->options->waves & 1 : 0);
    spirv_put_op(out, OP_EXECUTION_MODE, 5,
                 (uint32_t[]){entry, LOCAL_SIZE, (e->alone ? e->lanes : e->subgroup) * waves * e->merged, 1, 1});
    for (uint32_t bits = 32; bits <= 64; bits += 32)
        spirv_put_op(out, OP_EXECUTION_MODE, 3, (uint32_t[]){entry, KEEP_ZERO_INF_NAN, bits});
    for (uint32_t bits = 32; asks && bits <= 64; bits += 32)
        spirv_put_op(out, OP_EXECUTION_MODE, 3, (uint32_t[]){entry, KEEP_DENORMALS, bits});
}

/* Which of the library's ids functions name. */
static void find_named(const struct spirv_emitter *e, const struct spirv_words *functions, bool *named)
{
    for (size_t at = 0, next; at < functions->count; at = next) {
        next = at + (functions->at[at] >> 16);
        for (size_t n = at + 1; n < next; n++)
            if (functions->at[n] < e->library->bound)
                named[functions->at[n]] = true;
    }
}

/* A variable that no function names: it counts as memory of the group, or, as a buffer, as one more view of what others show, and some hosts then
 * keep the order of accesses that have nothing to do with each other. */
static bool is_left_out(const uint32_t *w, const bool *named)
{
    enum { WORKGROUP = 4, PRIVATE = 6, STORAGE_BUFFER = 12 };
    return (w[0] & 0xffff) == OP_VARIABLE && (w[3] == WORKGROUP || w[3] == PRIVATE || w[3] == STORAGE_BUFFER) && !named[w[2]];
}

/* The library's decorations, but for the size of its own groups. */
static void put_decorations(struct spirv_emitter *e, struct spirv_words *out, const bool *named)
{
    enum { BUILTIN = 11, ALIASED = 20, COHERENT = 23, WORKGROUP_SIZE = 25, BINDING = 33 };
    const struct spirv_library *l = e->library;
    bool *defined = calloc(l->bound, sizeof *defined);
    if (!defined) {
        e->out_of_memory = true;
        return;
    }
    for (size_t at = l->types; at < l->functions; at += l->words[at] >> 16) {
        unsigned op = l->words[at] & 0xffff;
        if (op >= OP_TYPE_VOID && op != OP_TYPE_FORWARD_POINTER && !is_left_out(l->words + at, named))
            defined[l->words[at + (op < OP_TYPE_FORWARD_POINTER ? 1 : 2)]] = true;
    }
    for (size_t at = l->decorations; at < l->types; at += l->words[at] >> 16) {
        const uint32_t *w = l->words + at;
        unsigned op = w[0] & 0xffff;
        bool decorates = op == OP_DECORATE || op == OP_MEMBER_DECORATE;
        bool size = op == OP_DECORATE && w[2] == BUILTIN && w[3] == WORKGROUP_SIZE;
        if (!decorates || size || !defined[w[1]])
            continue;
        spirv_put_all(out, w, w[0] >> 16);
        /* Windows may show the same memory, and others reach it by address. */
        if (op == OP_DECORATE && w[2] == BINDING && w[3] >= WINDOW_BINDING)
            spirv_put_op(out, OP_DECORATE, 2, (uint32_t[]){w[1], ALIASED});
    }
    if (e->spilled && named[l->share]) /* waves of a group see what the others do */
        spirv_put_op(out, OP_DECORATE, 2, (uint32_t[]){l->share, COHERENT});
    spirv_put_all(out, e->notes.at, e->notes.count);
    free(defined);
}

static void put_call(struct spirv_emitter *e, struct spirv_words *out, const char *name, unsigned count, const uint32_t *operands)
{
    const struct spirv_function *f = spirv_library_function(e->library, name);
    spirv_put_call(e, out, (uint32_t)(f - e->library->function), spirv_id(e), count, operands);
}

/* The program is a function of its own: it is left from many places, and what follows then is there once. */
static void put_functions(struct spirv_emitter *e, struct spirv_words *out, uint32_t entry)
{
    const struct spirv_library *l = e->library;
    uint32_t program = spirv_id(e), start = spirv_id(e), end = spirv_id(e);
    spirv_put_op(out, OP_FUNCTION, 4, (uint32_t[]){l->t_void, program, 0, l->t_entry});
    spirv_put_op(out, OP_LABEL, 1, &start);
    spirv_put_all(out, e->vars.at, e->vars.count);
    spirv_put_all(out, e->body.at, e->body.count);
    spirv_put(out, 1u << 16 | OP_FUNCTION_END);
    spirv_put_op(out, OP_FUNCTION, 4, (uint32_t[]){l->t_void, entry, 0, l->t_entry});
    spirv_put_op(out, OP_LABEL, 1, &end);
    for (uint32_t n = 0; n < e->turns; n++) {
        if (e->turns > 1)
            put_call(e, out, "begin_turn", 1, (uint32_t[]){spirv_const(e, n)});
        spirv_put_op(out, OP_FUNCTION_CALL, 3, (uint32_t[]){l->t_void, spirv_id(e), program});
    }
    if (e->fast)
        put_call(e, out, "tell_missed", 3,
                 (uint32_t[]){spirv_const(e, e->lanes), spirv_const(e, e->lanes * e->options->waves),
                              spirv_bool(e, e->options->scanned)});
    if (e->own)
        put_call(e, out, "tell_own", 0, NULL);
    if (e->reports || e->loops)
        put_call(e, out, e->reports ? "tell_faults" : "tell_end", 0, NULL);
    spirv_put(out, 1u << 16 | OP_RETURN);
    spirv_put(out, 1u << 16 | OP_FUNCTION_END);
}

/* The library's types, constants and variables. */
static void put_globals(const struct spirv_emitter *e, struct spirv_words *out, const bool *named)
{
    const struct spirv_library *l = e->library;
    for (size_t at = l->types; at < l->functions; at += l->words[at] >> 16)
        if (!is_left_out(l->words + at, named))
            spirv_put_all(out, l->words + at, l->words[at] >> 16);
}

/* What the functions of the module call, and the module, so far as it is known what that is. */
static void put_module(struct spirv_emitter *e, struct spirv_words *out, uint32_t entry)
{
    struct spirv_words program = {0};
    bool *named = calloc(e->library->bound, sizeof *named);
    e->out_of_memory |= !named;
    out->count = 0;
    put_functions(e, &program, entry);
    spirv_put_instances(e);
    put_head(e, out, entry);
    if (named) {
        find_named(e, &program, named);
        find_named(e, &e->functions, named);
        put_decorations(e, out, named);
        put_globals(e, out, named);
    }
    spirv_put_all(out, e->types.at, e->types.count);
    spirv_put_all(out, e->decls.at, e->decls.count);
    spirv_put_all(out, program.at, program.count);
    spirv_put_all(out, e->functions.at, e->functions.count);
    e->out_of_memory |= program.out_of_memory || e->types.out_of_memory || e->functions.out_of_memory || e->notes.out_of_memory;
    free(program.at);
    free(named);
    if (!out->out_of_memory)
        out->at[BOUND_AT] = e->next_id;
}

/* Compilers of hosts put each function in the place of its calls, and then take longer than in proportion: some programs without end. Hosts that
 * lack 64-bit types are compilers that take longer still. */
static void check_size(struct spirv_emitter *e, const struct spirv_words *module, uint32_t entry)
{
    enum { MOST = 1500000, MOST_NARROW = 16000 };
    bool narrow = e->options->narrow;
    uint32_t *sizes = spirv_inlined_sizes(module->at, module->count);
    if (sizes && sizes[entry] > (narrow ? MOST_NARROW : MOST))
        snprintf(e->reason, SPIRV_REASON_SIZE, "the program is too large for a host%s",
                 narrow ? " without 64-bit types and calls" : "'s compiler");
    e->out_of_memory |= !sizes;
    free(sizes);
}

/* The same for a host without 64-bit types. What stands for them in it turns out only here. */
static void put_narrow_module(struct spirv_emitter *e, struct spirv_words *out, uint32_t entry)
{
    struct spirv_narrowing narrowing = {0};
    struct spirv_words wide = {0};
    for (bool again = true; again && !wide.out_of_memory && !out->out_of_memory;) {
        put_module(e, &wide, entry);
        out->count = 0;
        if (!wide.out_of_memory)
            spirv_narrow(wide.at, wide.count, &narrowing, out);
        for (unsigned n = 0; n < SPIRV_HELPERS; n++)
            if (narrowing.missing >> n & 1)
                narrowing.helpers[n] = spirv_use(e, spirv_helper_names[n]);
        again = narrowing.missing && !narrowing.refused;
    }
    if (narrowing.refused)
        snprintf(e->reason, SPIRV_REASON_SIZE, "%s, which the host device lacks", narrowing.refused);
    out->out_of_memory |= wide.out_of_memory;
    free(wide.at);
}

void spirv_assemble(struct spirv_emitter *e, struct spirv_words *out)
{
    uint32_t entry = spirv_id(e);
    if (e->options->narrow)
        put_narrow_module(e, out, entry);
    else
        put_module(e, out, entry);
    if (!*e->reason && !out->out_of_memory && !e->out_of_memory)
        check_size(e, out, entry);
}
