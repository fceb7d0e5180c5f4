/* The lane library's module taken apart: its functions by name, whom they call, and the types that callers need. */
#include <stdlib.h>
#include <string.h>

#include "spirv/spirv.h"
#include "spirv/spirv_library_words.h"
#include "spirv/spirv_words.h"

void spirv_put(struct spirv_words *words, uint32_t word)
{
    if (words->count == words->cap) {
        size_t cap = words->cap ? 2 * words->cap : 1024;
        uint32_t *at = realloc(words->at, cap * sizeof *at);
        if (!at) {
            words->out_of_memory = true;
            return;
        }
        words->at = at;
        words->cap = cap;
    }
    words->at[words->count++] = word;
}

void spirv_put_all(struct spirv_words *words, const uint32_t *from, size_t count)
{
    for (size_t i = 0; i < count; i++)
        spirv_put(words, from[i]);
}

void spirv_put_op(struct spirv_words *words, unsigned opcode, unsigned count, const uint32_t *operands)
{
    spirv_put(words, (uint32_t)(count + 1) << 16 | opcode);
    spirv_put_all(words, operands, count);
}

enum { HEADER = 5 };

static unsigned opcode_at(const struct spirv_library *l, size_t at)
{
    return l->words[at] & 0xffff;
}
static unsigned length_at(const struct spirv_library *l, size_t at)
{
    return l->words[at] >> 16;
}

/* Counts first, with room NULL, then fills. */
static void find_functions(struct spirv_library *l, struct spirv_function *room, uint32_t *calls)
{
    struct spirv_function *f = NULL;
    l->function_count = l->call_count = 0;
    for (size_t at = l->functions; at < l->word_count; at += length_at(l, at)) {
        const uint32_t *w = l->words + at;
        switch (opcode_at(l, at)) {
        case OP_FUNCTION:
            f = room ? &room[l->function_count] : NULL;
            if (f) {
                f->id = w[2];
                f->result = w[1];
                f->first = (uint32_t)at;
                f->calls = l->call_count;
                l->number[f->id] = (uint16_t)(l->function_count + 1);
            }
            l->function_count++;
            break;
        case OP_FUNCTION_PARAMETER:
            if (f)
                f->parameters++;
            break;
        case OP_FUNCTION_CALL:
            if (f) {
                calls[l->call_count] = w[3];
                f->call_count++;
            }
            l->call_count++;
            break;
        case OP_FUNCTION_END:
            if (f)
                f->count = (uint32_t)(at + 1) - f->first;
            break;
        default: break;
        }
    }
}

static void name_functions(struct spirv_library *l)
{
    for (size_t at = HEADER; at < l->types; at += length_at(l, at)) {
        const uint32_t *w = l->words + at;
        if (opcode_at(l, at) == OP_NAME && !strcmp((const char *)(w + 2), "share_lock"))
            l->lock = w[1];
        if (opcode_at(l, at) != OP_NAME || !l->number[w[1]])
            continue;
        struct spirv_function *f = &l->function[l->number[w[1]] - 1];
        const char *name = (const char *)(w + 2);
        size_t length = strcspn(name, "(");
        if (length >= sizeof f->name)
            length = sizeof f->name - 1;
        memcpy(f->name, name, length);
    }
}

static void find_sections(struct spirv_library *l)
{
    for (size_t at = HEADER; at < l->word_count && !l->functions; at += length_at(l, at)) {
        unsigned op = opcode_at(l, at);
        if (op == OP_EXT_INST_IMPORT)
            l->glsl = l->words[at + 1];
        if ((op == OP_DECORATE || op == OP_MEMBER_DECORATE) && !l->decorations)
            l->decorations = (uint32_t)at;
        bool is_type = op == OP_TYPE_VOID || op == OP_TYPE_FORWARD_POINTER;
        if (is_type && !l->types)
            l->types = (uint32_t)at;
        if (op == OP_FUNCTION)
            l->functions = (uint32_t)at;
    }
}

static void find_types(struct spirv_library *l)
{
    enum { BUILTIN = 11, WORKGROUP = 4, INPUT = 1 };
    unsigned inputs = 0;
    for (size_t at = l->types; at < l->functions; at += length_at(l, at)) {
        const uint32_t *w = l->words + at;
        switch (opcode_at(l, at)) {
        case OP_TYPE_VOID: l->t_void = w[1]; break;
        case OP_TYPE_BOOL: l->t_bool = w[1]; break;
        case OP_TYPE_INT:
            if (w[2] == 32 && !w[3])
                l->t_u32 = w[1];
            break;
        case OP_TYPE_VECTOR:
            if (w[2] == l->t_u32 && w[3] == 2)
                l->t_uvec2 = w[1];
            if (w[2] == l->t_u32 && w[3] == 4)
                l->t_uvec4 = w[1];
            break;
        case OP_TYPE_FUNCTION:
            if (length_at(l, at) == 3 && w[2] == l->t_void)
                l->t_entry = w[1];
            break;
        case OP_VARIABLE:
            if (w[3] == WORKGROUP)
                l->lds = w[2];
            if (w[3] == INPUT && inputs < 4)
                l->builtins[inputs++] = w[2];
            break;
        default: break;
        }
    }
}

struct spirv_library *spirv_library_create(void)
{
    struct spirv_library *l = calloc(1, sizeof *l);
    if (!l)
        return NULL;
    l->words = spirv_library_words;
    l->word_count = sizeof spirv_library_words / sizeof *spirv_library_words;
    l->bound = l->words[3];
    find_sections(l);
    find_types(l);
    l->number = calloc(l->bound, sizeof *l->number);
    find_functions(l, NULL, NULL);
    l->function = calloc(l->function_count, sizeof *l->function);
    l->call = calloc(l->call_count, sizeof *l->call);
    l->inlined = spirv_inlined_sizes(l->words, l->word_count);
    if (!l->number || !l->function || !l->call || !l->inlined) {
        spirv_library_destroy(l);
        return NULL;
    }
    find_functions(l, l->function, l->call);
    name_functions(l);
    return l;
}

void spirv_library_destroy(struct spirv_library *l)
{
    if (!l)
        return;
    free(l->inlined);
    free(l->number);
    free(l->function);
    free(l->call);
    free(l);
}

const struct spirv_function *spirv_library_function(const struct spirv_library *library, const char *name)
{
    for (uint32_t i = 0; i < library->function_count; i++)
        if (!strcmp(library->function[i].name, name))
            return &library->function[i];
    return NULL;
}
