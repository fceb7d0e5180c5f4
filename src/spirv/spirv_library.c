/* The lane library's module taken apart: its functions by name, which of their parameters decide something, and the types that callers need. */
#include <stdlib.h>
#include <string.h>

#include "spirv/spirv.h"
#include "spirv/spirv_fold.h"
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
static void find_functions(struct spirv_library *l, struct spirv_function *room)
{
    struct spirv_function *f = NULL;
    l->function_count = 0;
    for (size_t at = l->functions; at < l->word_count; at += length_at(l, at)) {
        const uint32_t *w = l->words + at;
        switch (opcode_at(l, at)) {
        case OP_FUNCTION:
            f = room ? &room[l->function_count] : NULL;
            if (f) {
                f->id = w[2];
                f->result = w[1];
                f->first = (uint32_t)at;
                l->number[f->id] = (uint16_t)(l->function_count + 1);
            }
            l->function_count++;
            break;
        case OP_FUNCTION_PARAMETER:
            if (f)
                f->parameters++;
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
    enum { INPUT = 1, WORKGROUP = 4, STORAGE_BUFFER = 12 };
    uint32_t group_word = 0; /* a pointer to a word of the group's memory */
    unsigned inputs = 0;
    for (size_t at = l->types; at < l->functions; at += length_at(l, at)) {
        const uint32_t *w = l->words + at;
        switch (opcode_at(l, at)) {
        case OP_TYPE_VOID: l->t_void = w[1]; break;
        case OP_TYPE_BOOL: l->t_bool = w[1]; break;
        case OP_TYPE_INT:
            if (w[2] == 32)
                *(w[3] ? &l->t_i32 : &l->t_u32) = w[1];
            break;
        case OP_TYPE_VECTOR:
            if (w[2] == l->t_u32 && w[3] == 2)
                l->t_uvec2 = w[1];
            if (w[2] == l->t_u32 && w[3] == 4)
                l->t_uvec4 = w[1];
            break;
        case OP_TYPE_POINTER:
            if (w[2] == STORAGE_BUFFER && w[3] == l->t_u32)
                l->p_share = w[1];
            if (w[2] == WORKGROUP && w[3] == l->t_u32)
                group_word = w[1];
            break;
        case OP_TYPE_FUNCTION:
            if (length_at(l, at) == 3 && w[2] == l->t_void)
                l->t_entry = w[1];
            break;
        case OP_VARIABLE:
            if (w[3] == WORKGROUP) /* variables have no names there */
                *(w[1] == group_word ? &l->lock : &l->lds) = w[2];
            if (w[3] == INPUT && inputs < 4)
                l->builtins[inputs++] = w[2];
            break;
        default: break;
        }
    }
}

/* What the function that finds a group's part of the shares stores to. */
static void find_share_first(struct spirv_library *l)
{
    const struct spirv_function *f = spirv_library_function(l, "begin_spilled");
    for (uint32_t at = f ? f->first : 0; f && at < f->first + f->count; at += length_at(l, at))
        if (opcode_at(l, at) == OP_STORE)
            l->share_first = l->words[at + 1];
}

static void find_values(struct spirv_library *l)
{
    for (size_t at = l->types; at < l->functions; at += length_at(l, at)) {
        const uint32_t *w = l->words + at;
        unsigned op = opcode_at(l, at);
        bool word = op == OP_CONSTANT && (w[1] == l->t_u32 || w[1] == l->t_i32);
        if (!word && op != OP_CONSTANT_TRUE && op != OP_CONSTANT_FALSE)
            continue;
        l->is_value[w[2]] = true;
        l->value[w[2]] = word ? w[3] : op == OP_CONSTANT_TRUE;
    }
}

static void find_notes(struct spirv_library *l)
{
    enum { BINDING = 33, SHARE = 3 };
    for (uint32_t at = l->decorations; at < l->types; at += length_at(l, at))
        if (opcode_at(l, at) == OP_DECORATE) {
            if (l->words[at + 2] == BINDING && l->words[at + 3] == SHARE)
                l->share = l->words[at + 1];
            l->next_note[at - l->decorations] = l->note[l->words[at + 1]];
            l->note[l->words[at + 1]] = at;
        }
}

/* Marks what an instruction's result hangs on, where something hangs on that. False: that is known already. */
static bool mark(bool *decides, const uint32_t *w, unsigned first, unsigned every)
{
    bool more = false;
    for (unsigned n = first; n < *w >> 16; n += every) {
        more |= !decides[w[n]];
        decides[w[n]] = true;
    }
    return more;
}

static bool mark_called(const struct spirv_library *l, bool *decides, const uint32_t *w)
{
    enum { CALLED = 3, FIRST = 4 };
    const struct spirv_function *f = &l->function[l->number[w[CALLED]] - 1];
    bool more = false;
    for (unsigned n = 0; n < f->parameters; n++)
        if (f->decides >> n & 1 && !decides[w[FIRST + n]])
            more = decides[w[FIRST + n]] = true;
    return more;
}

/* One look at a function. False: it told nothing new. */
static bool look_for_deciders(const struct spirv_library *l, struct spirv_function *f, bool *decides)
{
    enum { FIRST = 3, CONDITION = 1 };
    bool more = false;
    unsigned parameter = 0;
    for (uint32_t at = f->first; at < f->first + f->count; at += length_at(l, at)) {
        const uint32_t *w = l->words + at;
        unsigned op = opcode_at(l, at);
        if (op == OP_FUNCTION_PARAMETER) {
            bool is_new = decides[w[2]] && !(f->decides >> parameter & 1);
            more |= is_new;
            f->decides |= (uint64_t)is_new << parameter++;
        } else if (op == OP_BRANCH_CONDITIONAL || op == OP_SWITCH) {
            more |= !decides[w[CONDITION]];
            decides[w[CONDITION]] = true;
        } else if (op == OP_FUNCTION_CALL) {
            more |= mark_called(l, decides, w);
        } else if (op == OP_SELECT && !decides[w[FIRST]]) {
            more = decides[w[FIRST]] = true;
        } else if (op == OP_PHI && decides[w[2]]) {
            more |= mark(decides, w, FIRST, 2);
        } else if (spirv_folds(op) && decides[w[2]]) {
            more |= mark(decides, w, FIRST, 1);
        }
    }
    return more;
}

static bool find_deciders(struct spirv_library *l)
{
    bool *decides = calloc(l->bound, sizeof *decides), good = decides;
    for (bool more = good; more;) {
        more = false;
        for (uint32_t n = 0; n < l->function_count; n++)
            more |= look_for_deciders(l, &l->function[n], decides);
    }
    free(decides);
    return good;
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
    find_functions(l, NULL);
    l->function = calloc(l->function_count, sizeof *l->function);
    l->value = calloc(l->bound, sizeof *l->value);
    l->is_value = calloc(l->bound, sizeof *l->is_value);
    l->note = calloc(l->bound, sizeof *l->note);
    l->next_note = calloc(l->types - l->decorations + 1, sizeof *l->next_note);
    l->inlined = spirv_inlined_sizes(l->words, l->word_count);
    if (!l->number || !l->function || !l->inlined || !l->value || !l->is_value || !l->note || !l->next_note) {
        spirv_library_destroy(l);
        return NULL;
    }
    find_functions(l, l->function);
    name_functions(l);
    find_share_first(l);
    find_values(l);
    find_notes(l);
    if (find_deciders(l))
        return l;
    spirv_library_destroy(l);
    return NULL;
}

void spirv_library_destroy(struct spirv_library *l)
{
    if (!l)
        return;
    free(l->inlined);
    free(l->number);
    free(l->function);
    free(l->value);
    free(l->is_value);
    free(l->note);
    free(l->next_note);
    free(l);
}

const struct spirv_function *spirv_library_function(const struct spirv_library *library, const char *name)
{
    for (uint32_t i = 0; i < library->function_count; i++)
        if (!strcmp(library->function[i].name, name))
            return &library->function[i];
    return NULL;
}
