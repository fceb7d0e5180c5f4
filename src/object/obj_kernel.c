/* obj_kernel: joins metadata, symbols and kernel descriptors into the kernels of an object, and opens objects. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "object/obj_internal.h"

enum {
    DESCRIPTOR_BYTES = 64,
    /* Where the descriptor's fields stand. */
    AT_GROUP_SEGMENT = 0,
    AT_PRIVATE_SEGMENT = 4,
    AT_KERNARG = 8,
    AT_ENTRY = 16,
    AT_RSRC3 = 44,
    AT_RSRC1 = 48,
    AT_RSRC2 = 52,
    AT_PROPERTIES = 56,
    AT_PRELOAD = 58,
    MAX_KERNARG_BYTES = 1 << 20,
    MAX_WORKGROUP = 1024,
    INSTRUCTION_BYTES = 4,
};

static const char DESCRIPTOR_SUFFIX[] = ".kd";

static bool read_descriptor(struct base_bytes bytes, struct obj_descriptor *descriptor)
{
    uint64_t entry = 0;
    bool whole = base_bytes_u32(bytes, AT_GROUP_SEGMENT, &descriptor->group_segment_bytes) &&
                 base_bytes_u32(bytes, AT_PRIVATE_SEGMENT, &descriptor->private_segment_bytes) &&
                 base_bytes_u32(bytes, AT_KERNARG, &descriptor->kernarg_bytes) && base_bytes_u64(bytes, AT_ENTRY, &entry) &&
                 base_bytes_u32(bytes, AT_RSRC1, &descriptor->rsrc1) && base_bytes_u32(bytes, AT_RSRC2, &descriptor->rsrc2) &&
                 base_bytes_u32(bytes, AT_RSRC3, &descriptor->rsrc3) &&
                 base_bytes_u16(bytes, AT_PROPERTIES, &descriptor->properties) &&
                 base_bytes_u16(bytes, AT_PRELOAD, &descriptor->kernarg_preload);
    descriptor->entry_offset = (int64_t)entry;
    return whole;
}

static bool check_entry(struct obj_whole *whole, struct obj_kernel *kernel, struct base_error *error)
{
    kernel->entry = kernel->address + (uint64_t)kernel->descriptor.entry_offset;
    const struct obj_segment *segment = obj_elf_segment_at(whole, kernel->entry, INSTRUCTION_BYTES);
    if (!segment || !segment->executable || kernel->entry % INSTRUCTION_BYTES)
        return base_error_set(error, "kernel '%s': entry point 0x%" PRIx64 " is not in an executable segment", kernel->name,
                              kernel->entry);
    return true;
}

/* What the metadata left out comes from the descriptor, which the hardware believes anyway. */
static void fill_from_descriptor(struct obj_kernel *kernel)
{
    const struct obj_descriptor *descriptor = &kernel->descriptor;
    if (descriptor->kernarg_bytes > kernel->kernarg_bytes)
        kernel->kernarg_bytes = descriptor->kernarg_bytes;
    kernel->group_segment_bytes = descriptor->group_segment_bytes;
    kernel->private_segment_bytes = descriptor->private_segment_bytes;
    kernel->dynamic_stack |= (descriptor->properties & OBJ_DYNAMIC_STACK) != 0;
    if (!kernel->max_workgroup)
        kernel->max_workgroup = MAX_WORKGROUP;
}

/* kernarg_bytes: as the metadata has it, where it says so. */
static bool check_arg_places(const struct obj_kernel *kernel, uint32_t kernarg_bytes, struct base_error *error)
{
    for (size_t n = 0; n < kernel->arg_count; n++)
        if (!base_range_fits(kernel->args[n].offset, kernel->args[n].size, kernarg_bytes))
            return base_error_set(
                error, "kernel '%s': argument %zu at %" PRIu32 "+%" PRIu32 " is outside its %" PRIu32 " bytes of arguments",
                kernel->name, n, kernel->args[n].offset, kernel->args[n].size, kernarg_bytes);
    return true;
}

static int compare_places(const void *a, const void *b)
{
    const struct obj_arg *left = *(const struct obj_arg *const *)a, *right = *(const struct obj_arg *const *)b;
    if (left->offset != right->offset)
        return left->offset < right->offset ? -1 : 1;
    return (left->size > right->size) - (left->size < right->size); /* one of no bytes is in nobody's way */
}

/* No byte of the kernarg segment is two arguments'. */
static bool check_arg_overlaps(struct obj_whole *whole, const struct obj_kernel *kernel, struct base_error *error)
{
    const struct obj_arg **sorted = base_arena_alloc(&whole->arena, (kernel->arg_count + 1) * sizeof(struct obj_arg *));
    if (!sorted)
        return base_error_set(error, "out of memory");
    for (size_t n = 0; n < kernel->arg_count; n++)
        sorted[n] = &kernel->args[n];
    qsort(sorted, kernel->arg_count, sizeof(struct obj_arg *), compare_places);
    for (size_t n = 1; n < kernel->arg_count; n++)
        if (sorted[n]->offset - sorted[n - 1]->offset < sorted[n - 1]->size)
            return base_error_set(error, "kernel '%s': arguments %td and %td overlap at byte %" PRIu32 " of the arguments",
                                  kernel->name, sorted[n - 1] - kernel->args, sorted[n] - kernel->args, sorted[n]->offset);
    return true;
}

static bool check_kernel(struct obj_kernel *kernel, struct base_error *error)
{
    uint32_t wave_size = kernel->descriptor.properties & OBJ_WAVEFRONT_SIZE32 ? 32 : 64;
    if (kernel->wave_size && kernel->wave_size != wave_size)
        return base_error_set(error, "kernel '%s': metadata says wave%" PRIu32 ", descriptor wave%" PRIu32, kernel->name,
                              kernel->wave_size, wave_size);
    kernel->wave_size = wave_size;
    if (kernel->descriptor.kernarg_preload)
        return base_error_set(error, "kernel '%s': preloads arguments, which gfx10 cannot", kernel->name);
    if (kernel->kernarg_bytes > MAX_KERNARG_BYTES)
        return base_error_set(error, "kernel '%s': %" PRIu32 " bytes of arguments are over the limit of %d", kernel->name,
                              kernel->kernarg_bytes, MAX_KERNARG_BYTES);
    return true;
}

static bool finish_kernel(struct obj_whole *whole, struct obj_kernel *kernel, struct base_error *error)
{
    struct base_bytes bytes;
    const struct obj_symbol *symbol = obj_symbol_find(whole, kernel->symbol);
    if (!symbol)
        return base_error_set(error, "kernel '%s': its descriptor symbol '%s' is not defined", kernel->name, kernel->symbol);
    kernel->address = symbol->value;
    if (!obj_elf_bytes_at(whole, symbol->value, DESCRIPTOR_BYTES, &bytes) || !read_descriptor(bytes, &kernel->descriptor))
        return base_error_set(error, "kernel '%s': its descriptor at 0x%" PRIx64 " is outside the segments", kernel->name,
                              symbol->value);
    uint32_t said_bytes = kernel->kernarg_bytes;
    fill_from_descriptor(kernel);
    return check_entry(whole, kernel, error) && check_kernel(kernel, error) &&
           check_arg_places(kernel, said_bytes ? said_bytes : kernel->kernarg_bytes, error) &&
           check_arg_overlaps(whole, kernel, error);
}

/* Without metadata the descriptors' symbols are all that names kernels. */
static bool kernels_from_symbols(struct obj_whole *whole, struct obj_kernel **kernels, size_t *count, struct base_error *error)
{
    size_t capacity = 0;
    for (size_t n = 0; n < whole->by_name_count; n++) {
        const char *symbol = whole->symbols[whole->by_name[n]].name;
        size_t length = strlen(symbol), suffix = sizeof DESCRIPTOR_SUFFIX - 1;
        if (length <= suffix || strcmp(symbol + length - suffix, DESCRIPTOR_SUFFIX) != 0)
            continue;
        *kernels = base_arena_grow(&whole->arena, *kernels, sizeof **kernels, *count + 1, &capacity);
        const char *name = base_arena_text(&whole->arena, symbol, length - suffix);
        if (!*kernels || !name)
            return base_error_set(error, "out of memory");
        (*kernels)[(*count)++] = (struct obj_kernel){.name = name, .symbol = symbol};
    }
    return true;
}

static int compare_kernels(const void *a, const void *b)
{
    return strcmp(((const struct obj_kernel *)a)->name, ((const struct obj_kernel *)b)->name);
}

bool obj_kernels_read(struct obj_whole *whole, struct base_error *error)
{
    struct obj_kernel *kernels = NULL;
    size_t count = 0;
    bool read = whole->metadata.size ? obj_metadata_read(whole, &kernels, &count, error)
                                     : kernels_from_symbols(whole, &kernels, &count, error);
    if (!read)
        return false;
    for (size_t n = 0; n < count; n++)
        if (!finish_kernel(whole, &kernels[n], error))
            return false;
    if (count)
        qsort(kernels, count, sizeof *kernels, compare_kernels);
    whole->object.kernels = kernels;
    whole->object.kernel_count = count;
    return true;
}

const struct obj_kernel *obj_kernel_find(const struct obj_object *object, const char *name)
{
    for (size_t n = 0; n < object->kernel_count; n++)
        if (!strcmp(object->kernels[n].name, name))
            return &object->kernels[n];
    return NULL;
}

bool obj_kind_is_hidden(enum obj_value_kind kind)
{
    return kind >= OBJ_KIND_HIDDEN_NONE;
}

bool obj_open(const void *bytes, size_t size, struct obj_object **object, struct base_error *error)
{
    *object = NULL;
    struct obj_whole *whole = calloc(1, sizeof *whole);
    uint8_t *copy = whole ? base_arena_alloc(&whole->arena, size) : NULL;
    if (!copy) {
        free(whole);
        return base_error_set(error, "out of memory");
    }
    if (size)
        memcpy(copy, bytes, size);
    whole->file = (struct base_bytes){copy, size};
    if (!obj_elf_read(whole, error) || !obj_kernels_read(whole, error)) {
        obj_close(&whole->object);
        return false;
    }
    *object = &whole->object;
    return true;
}

void obj_close(struct obj_object *object)
{
    if (!object)
        return;
    struct obj_whole *whole = (struct obj_whole *)object;
    base_arena_finish(&whole->arena);
    free(whole);
}
