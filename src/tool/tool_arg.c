/* tool_arg: kernel arguments on the command line: reading them, and giving buffers their memory and files. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tool/tool.h"

enum number_type { NUMBER_UNSIGNED, NUMBER_SIGNED, NUMBER_FLOAT };

/* Every spelling of an argument, before its first colon. */
static const struct spelling {
    const char *prefix;
    enum tool_arg_spec spec;
    uint8_t bytes;                /* NUMBERS: of each value */
    uint8_t type;                 /* NUMBERS: enum number_type */
    bool has_bytes, loads, saves; /* LOCAL, BUFFER: what follows, in this order: BYTES, FILE to load, FILE to save */
} spellings[] = {
    {.prefix = "u32", .spec = TOOL_ARG_NUMBERS, .bytes = 4, .type = NUMBER_UNSIGNED},
    {.prefix = "i32", .spec = TOOL_ARG_NUMBERS, .bytes = 4, .type = NUMBER_SIGNED},
    {.prefix = "u64", .spec = TOOL_ARG_NUMBERS, .bytes = 8, .type = NUMBER_UNSIGNED},
    {.prefix = "i64", .spec = TOOL_ARG_NUMBERS, .bytes = 8, .type = NUMBER_SIGNED},
    {.prefix = "f32", .spec = TOOL_ARG_NUMBERS, .bytes = 4, .type = NUMBER_FLOAT},
    {.prefix = "f64", .spec = TOOL_ARG_NUMBERS, .bytes = 8, .type = NUMBER_FLOAT},
    {.prefix = "local", .spec = TOOL_ARG_LOCAL, .has_bytes = true},
    {.prefix = "buf", .spec = TOOL_ARG_BUFFER, .has_bytes = true},
    {.prefix = "in", .spec = TOOL_ARG_BUFFER, .loads = true},
    {.prefix = "out", .spec = TOOL_ARG_BUFFER, .has_bytes = true, .saves = true},
    {.prefix = "inout", .spec = TOOL_ARG_BUFFER, .loads = true, .saves = true},
};

static const struct spelling *find_spelling(const char *text, size_t length)
{
    for (size_t n = 0; n < sizeof spellings / sizeof spellings[0]; n++)
        if (strlen(spellings[n].prefix) == length && !memcmp(spellings[n].prefix, text, length))
            return &spellings[n];
    return NULL;
}

/* Past the suffixes that C allows on a number. */
static const char *skip_suffix(const char *end, bool is_float)
{
    return end + strspn(end, is_float ? "fF" : "uUlL");
}

static bool parse_float(const char *text, unsigned bytes, uint64_t *value, const char **end)
{
    char *after;
    if (bytes == sizeof(float)) {
        float narrow = strtof(text, &after);
        uint32_t bits;
        memcpy(&bits, &narrow, sizeof bits);
        *value = bits;
    } else {
        double wide = strtod(text, &after);
        memcpy(value, &wide, sizeof *value);
    }
    *end = after == text ? text : skip_suffix(after, true);
    return after != text;
}

/* An integer in C's spelling. Unsigned arguments take negative values as C's conversion does: u32:-1. */
static bool parse_integer(const char *text, const struct spelling *spelling, uint64_t *value, const char **end)
{
    char *after;
    bool negative = text[strspn(text, " \t")] == '-';
    unsigned bits = 8u * spelling->bytes;
    errno = 0;
    if (negative)
        *value = (uint64_t)strtoll(text, &after, 0);
    else
        *value = strtoull(text, &after, 0);
    *end = skip_suffix(after, false);
    if (after == text || errno)
        return false;
    if (negative)
        return (int64_t)*value >= (bits == 32 ? INT32_MIN : INT64_MIN);
    uint64_t most = spelling->type == NUMBER_SIGNED ? UINT64_MAX >> (65 - bits) : UINT64_MAX >> (64 - bits);
    return *value <= most;
}

static bool parse_numbers(const char *text, const struct spelling *spelling, struct tool_arg *arg)
{
    arg->value_bytes = spelling->bytes;
    arg->is_float = spelling->type == NUMBER_FLOAT;
    for (;;) {
        const char *end = text;
        uint64_t *value = &arg->values[arg->value_count];
        bool good = arg->value_count < TOOL_MAX_VALUES && (arg->is_float ? parse_float(text, spelling->bytes, value, &end)
                                                                         : parse_integer(text, spelling, value, &end));
        if (!good || (*end && *end != ','))
            break;
        arg->value_count++;
        if (!*end)
            return true;
        text = end + 1;
    }
    tool_complain("argument '%s': '%s' is no value of type %s (at most %d, separated by commas)", arg->text, text,
                  spelling->prefix, TOOL_MAX_VALUES);
    return false;
}

static bool parse_bytes(const char **text, struct tool_arg *arg, bool last)
{
    char *end;
    errno = 0;
    arg->bytes = strtoull(*text, &end, 0);
    bool good = end != *text && **text != '-' && !errno && (last ? !*end : *end == ':');
    if (!good)
        tool_complain("argument '%s': a number of bytes is due at '%s'", arg->text, *text);
    *text = last ? end : end + 1;
    return good;
}

/* What follows the colon of local, buf, in, out and inout. */
static bool parse_memory(const char *text, const struct spelling *spelling, struct tool_arg *arg)
{
    bool files = spelling->loads || spelling->saves;
    if (spelling->has_bytes && !parse_bytes(&text, arg, !files))
        return false;
    const char *colon = spelling->loads && spelling->saves ? strrchr(text, ':') : NULL;
    if (spelling->loads)
        arg->load = colon ? strndup(text, (size_t)(colon - text)) : strdup(text);
    if (spelling->saves)
        arg->save = strdup(colon ? colon + 1 : text);
    bool missing = (spelling->loads && spelling->saves && !colon) || (spelling->loads && !(arg->load && *arg->load)) ||
                   (spelling->saves && !(arg->save && *arg->save));
    if (missing)
        tool_complain("argument '%s': a file's name is missing", arg->text);
    return !missing;
}

bool tool_arg_parse(const char *text, struct tool_arg *arg)
{
    *arg = (struct tool_arg){.text = text};
    size_t length = strcspn(text, ":");
    const struct spelling *spelling = text[length] ? find_spelling(text, length) : NULL;
    if (!spelling) {
        tool_complain("argument '%s' is none of u32: i32: u64: i64: f32: f64: local: buf: in: out: inout:", text);
        return false;
    }
    arg->spec = spelling->spec;
    const char *rest = text + length + 1;
    return spelling->spec == TOOL_ARG_NUMBERS ? parse_numbers(rest, spelling, arg) : parse_memory(rest, spelling, arg);
}

void tool_arg_finish(struct tool_arg *arg)
{
    free(arg->load);
    free(arg->save);
    arg->load = arg->save = NULL;
}

/* True when an integer keeps its meaning in fewer bytes, signed or not. */
static bool narrows(uint64_t value, unsigned from_bytes, unsigned to_bytes)
{
    unsigned shift = 64 - 8 * from_bytes, bits = 8 * to_bytes;
    int64_t number = (int64_t)(value << shift) >> shift;
    return number >= -(INT64_C(1) << (bits - 1)) && number < INT64_C(1) << bits;
}

/* The bytes that each value takes in an argument of `wanted` bytes: as spelled, or narrow integers for char and short. */
static unsigned element_bytes(const struct tool_arg *arg, uint32_t wanted)
{
    unsigned spelled = arg->value_bytes, slots = arg->value_count == 3 ? 4 : arg->value_count; /* a vector of 3 takes 4 places */
    if (wanted == spelled * arg->value_count || wanted == spelled * slots)
        return spelled;
    bool narrow = !arg->is_float && (wanted == slots || wanted == 2 * slots);
    return narrow ? wanted / slots : 0;
}

bool tool_arg_pack(struct tool_arg *arg, const struct tf_arg_info *info)
{
    bool by_value = arg->spec == TOOL_ARG_NUMBERS && (!info || info->kind == TF_ARG_VALUE);
    unsigned bytes = !by_value ? 0 : info ? element_bytes(arg, info->bytes) : arg->value_bytes;
    if (!by_value)
        return true; /* the library says what is wrong with it */
    if (!bytes || (info && info->bytes > sizeof arg->packed)) {
        tool_complain("argument '%s' gives %u times %u bytes; the kernel's '%s%s%s' takes %u", arg->text, arg->value_count,
                      arg->value_bytes, info->type_name, info->name[0] ? " " : "", info->name, info->bytes);
        return false;
    }
    for (unsigned n = 0; n < arg->value_count; n++) {
        if (bytes < arg->value_bytes && !narrows(arg->values[n], arg->value_bytes, bytes)) {
            tool_complain("argument '%s': a value does not fit into %u bytes", arg->text, bytes);
            return false;
        }
        for (unsigned byte = 0; byte < bytes; byte++)
            arg->packed[n * bytes + byte] = (uint8_t)(arg->values[n] >> 8 * byte);
    }
    arg->packed_bytes = info ? info->bytes : (size_t)bytes * arg->value_count;
    return true;
}

bool tool_arg_place(struct tool_arg *arg, struct tf_gpu *gpu)
{
    struct tf_error error;
    uint8_t *contents = NULL;
    size_t size = 0;
    if (arg->spec != TOOL_ARG_BUFFER)
        return true;
    if (arg->load) {
        if (!tool_file_read(arg->load, &contents, &size))
            return false;
        arg->bytes = size;
    }
    bool placed = !arg->bytes || tf_memory_alloc(gpu, arg->bytes, 0, &arg->address, &error) == TF_OK;
    if (placed && contents && arg->bytes)
        placed = tf_memory_write(gpu, arg->address, contents, size, &error) == TF_OK;
    if (!placed)
        tool_complain("argument '%s': %s", arg->text, error.text);
    free(contents);
    return placed;
}

bool tool_arg_save(const struct tool_arg *arg, struct tf_gpu *gpu)
{
    static const uint8_t nothing[1];
    if (arg->spec != TOOL_ARG_BUFFER || !arg->save)
        return true;
    const void *contents = arg->bytes ? tf_memory_pointer(gpu, arg->address, arg->bytes) : nothing;
    return contents && tool_file_write(arg->save, contents, arg->bytes);
}

struct tf_arg tool_arg_value(const struct tool_arg *arg)
{
    switch (arg->spec) {
    case TOOL_ARG_LOCAL: return (struct tf_arg){.kind = TF_ARG_LOCAL, .bytes = arg->bytes};
    case TOOL_ARG_BUFFER: return (struct tf_arg){.kind = TF_ARG_POINTER, .address = arg->address};
    default: return (struct tf_arg){.kind = TF_ARG_VALUE, .data = arg->packed, .bytes = arg->packed_bytes};
    }
}
