/* obj_metadata: the kernels and arguments that a code object's msgpack note describes. */
#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "object/obj_internal.h"
#include "object/obj_msgpack.h"

/* One reading of a metadata document. */
struct parse {
    struct obj_msgpack reader;
    struct base_arena *arena;
    struct base_error *error;
};

enum field_type { FIELD_TEXT, FIELD_U32, FIELD_U32X3, FIELD_BOOL, FIELD_ARGS };

/* A key that we read, and where its value goes. Keys that no table names are skipped. */
struct field {
    const char *key;
    enum field_type type;
    size_t offset;
};

static const struct field arg_fields[] = {
    {".name", FIELD_TEXT, offsetof(struct obj_arg, name)},
    {".type_name", FIELD_TEXT, offsetof(struct obj_arg, type_name)},
    {".address_space", FIELD_TEXT, offsetof(struct obj_arg, address_space)},
    {".value_kind", FIELD_TEXT, offsetof(struct obj_arg, value_kind)},
    {".offset", FIELD_U32, offsetof(struct obj_arg, offset)},
    {".size", FIELD_U32, offsetof(struct obj_arg, size)},
    {".pointee_align", FIELD_U32, offsetof(struct obj_arg, pointee_align)},
};

static const struct field kernel_fields[] = {
    {".name", FIELD_TEXT, offsetof(struct obj_kernel, name)},
    {".symbol", FIELD_TEXT, offsetof(struct obj_kernel, symbol)},
    {".kernarg_segment_size", FIELD_U32, offsetof(struct obj_kernel, kernarg_bytes)},
    {".kernarg_segment_align", FIELD_U32, offsetof(struct obj_kernel, kernarg_align)},
    {".group_segment_fixed_size", FIELD_U32, offsetof(struct obj_kernel, group_segment_bytes)},
    {".private_segment_fixed_size", FIELD_U32, offsetof(struct obj_kernel, private_segment_bytes)},
    {".wavefront_size", FIELD_U32, offsetof(struct obj_kernel, wave_size)},
    {".reqd_workgroup_size", FIELD_U32X3, offsetof(struct obj_kernel, required_workgroup)},
    {".max_flat_workgroup_size", FIELD_U32, offsetof(struct obj_kernel, max_workgroup)},
    {".uses_dynamic_stack", FIELD_BOOL, offsetof(struct obj_kernel, dynamic_stack)},
    {".args", FIELD_ARGS, 0},
};

static const char *const kind_names[] = {
#define OBJ_VALUE_KIND(id, text) text,
#include "object/obj_value_kinds.def"
#undef OBJ_VALUE_KIND
};

static bool malformed(struct parse *parse, const char *what)
{
    return base_error_set(parse->error, "metadata: %s at byte 0x%zx", what, parse->reader.at);
}

static bool next(struct parse *parse, enum obj_msgpack_kind kind, const char *what, struct obj_msgpack_item *item)
{
    if (!obj_msgpack_next(&parse->reader, item))
        return malformed(parse, "not msgpack, or cut short,");
    return item->kind == kind || malformed(parse, what);
}

static bool skip_value(struct parse *parse)
{
    struct obj_msgpack_item item;
    if (!obj_msgpack_next(&parse->reader, &item) || !obj_msgpack_skip(&parse->reader, &item))
        return malformed(parse, "not msgpack, cut short, or nested too deep,");
    return true;
}

static bool read_text(struct parse *parse, const char **text)
{
    struct obj_msgpack_item item;
    if (!next(parse, OBJ_MSGPACK_TEXT, "text expected", &item))
        return false;
    *text = base_arena_text(parse->arena, item.text, item.size);
    return *text || base_error_set(parse->error, "out of memory");
}

static bool read_u32(struct parse *parse, uint32_t *value)
{
    struct obj_msgpack_item item;
    if (!next(parse, OBJ_MSGPACK_UINT, "unsigned number expected", &item))
        return false;
    *value = (uint32_t)item.number;
    return item.number == *value || malformed(parse, "number over 32 bits");
}

static bool read_u32x3(struct parse *parse, uint32_t *values)
{
    struct obj_msgpack_item item;
    if (!next(parse, OBJ_MSGPACK_ARRAY, "array expected", &item))
        return false;
    if (item.count != 3)
        return malformed(parse, "array of three expected");
    return read_u32(parse, &values[0]) && read_u32(parse, &values[1]) && read_u32(parse, &values[2]);
}

static bool read_bool(struct parse *parse, bool *value)
{
    struct obj_msgpack_item item;
    if (!next(parse, OBJ_MSGPACK_BOOL, "true or false expected", &item))
        return false;
    *value = item.number != 0;
    return true;
}

static bool read_args(struct parse *parse, struct obj_kernel *kernel);

static bool read_field(struct parse *parse, const struct field *field, void *into)
{
    void *value = (char *)into + field->offset;
    switch (field->type) {
    case FIELD_TEXT: return read_text(parse, value);
    case FIELD_U32: return read_u32(parse, value);
    case FIELD_U32X3: return read_u32x3(parse, value);
    case FIELD_BOOL: return read_bool(parse, value);
    case FIELD_ARGS: return read_args(parse, into);
    }
    return false;
}

/* Reads a map's known keys into a struct. */
static bool read_map(struct parse *parse, const struct field *fields, size_t field_count, void *into)
{
    struct obj_msgpack_item map, key;
    if (!next(parse, OBJ_MSGPACK_MAP, "map expected", &map))
        return false;
    for (uint32_t pair = 0; pair < map.count; pair++) {
        if (!next(parse, OBJ_MSGPACK_TEXT, "key expected", &key))
            return false;
        const struct field *field = NULL;
        for (size_t n = 0; n < field_count; n++)
            if (strlen(fields[n].key) == key.size && !memcmp(fields[n].key, key.text, key.size))
                field = &fields[n];
        if (!(field ? read_field(parse, field, into) : skip_value(parse)))
            return false;
    }
    return true;
}

static bool finish_arg(struct parse *parse, struct obj_arg *arg)
{
    for (arg->kind = 0; arg->kind < OBJ_KIND_COUNT; arg->kind++)
        if (!strcmp(arg->value_kind, kind_names[arg->kind]))
            return true;
    return base_error_set(parse->error, "metadata: value kind '%s' of an argument is unknown", arg->value_kind);
}

static bool read_args(struct parse *parse, struct obj_kernel *kernel)
{
    struct obj_msgpack_item array;
    struct obj_arg *args = NULL;
    size_t capacity = 0;
    if (!next(parse, OBJ_MSGPACK_ARRAY, "array of arguments expected", &array))
        return false;
    for (uint32_t n = 0; n < array.count; n++) {
        args = base_arena_grow(parse->arena, args, sizeof *args, n + (size_t)1, &capacity);
        if (!args)
            return base_error_set(parse->error, "out of memory");
        args[n] = (struct obj_arg){.name = "", .type_name = "", .address_space = "", .value_kind = ""};
        if (!read_map(parse, arg_fields, sizeof arg_fields / sizeof arg_fields[0], &args[n]) || !finish_arg(parse, &args[n]))
            return false;
    }
    kernel->args = args;
    kernel->arg_count = array.count;
    kernel->has_args = true;
    return true;
}

static bool read_kernels(struct parse *parse, struct obj_kernel **kernels, size_t *count)
{
    struct obj_msgpack_item array;
    size_t capacity = 0;
    if (!next(parse, OBJ_MSGPACK_ARRAY, "array of kernels expected", &array))
        return false;
    *kernels = NULL;
    for (uint32_t n = 0; n < array.count; n++) {
        *kernels = base_arena_grow(parse->arena, *kernels, sizeof **kernels, n + (size_t)1, &capacity);
        if (!*kernels)
            return base_error_set(parse->error, "out of memory");
        (*kernels)[n] = (struct obj_kernel){.name = "", .symbol = ""};
        if (!read_map(parse, kernel_fields, sizeof kernel_fields / sizeof kernel_fields[0], &(*kernels)[n]))
            return false;
    }
    *count = array.count;
    return true;
}

/* Code-object version 4 has metadata 1.1, version 5 has 1.2. */
static bool read_version(struct parse *parse, unsigned object_version)
{
    enum { MAJOR = 1, MINOR_OF_4 = 1 };
    struct obj_msgpack_item array;
    uint32_t major, minor, due = MINOR_OF_4 + object_version - 4;
    if (!next(parse, OBJ_MSGPACK_ARRAY, "version expected", &array))
        return false;
    if (array.count != 2)
        return malformed(parse, "version of two numbers expected");
    if (!read_u32(parse, &major) || !read_u32(parse, &minor))
        return false;
    return (major == MAJOR && minor == due) ||
           base_error_set(parse->error, "metadata: version %" PRIu32 ".%" PRIu32 "; code-object version %u has %d.%" PRIu32,
                          major, minor, object_version, MAJOR, due);
}

static bool read_entry(struct parse *parse, const struct obj_msgpack_item *key, unsigned object_version,
                       struct obj_kernel **kernels, size_t *count)
{
    static const char version_key[] = "amdhsa.version", kernels_key[] = "amdhsa.kernels";
    if (key->size == sizeof version_key - 1 && !memcmp(key->text, version_key, key->size))
        return read_version(parse, object_version);
    if (key->size == sizeof kernels_key - 1 && !memcmp(key->text, kernels_key, key->size))
        return read_kernels(parse, kernels, count);
    return skip_value(parse);
}

bool obj_metadata_read(struct obj_whole *whole, struct obj_kernel **kernels, size_t *count, struct base_error *error)
{
    struct parse parse = {.reader = {.document = whole->metadata}, .arena = &whole->arena, .error = error};
    struct obj_msgpack_item map, key;
    *kernels = NULL;
    *count = 0;
    if (!next(&parse, OBJ_MSGPACK_MAP, "map expected", &map))
        return false;
    for (uint32_t pair = 0; pair < map.count; pair++) {
        if (!next(&parse, OBJ_MSGPACK_TEXT, "key expected", &key))
            return false;
        if (!read_entry(&parse, &key, whole->object.version, kernels, count))
            return false;
    }
    return true;
}
