/* api_kernel: what a kernel says of itself, and packing values for its arguments. */
#include <inttypes.h>
#include <string.h>

#include "api/api_internal.h"
#include "base/base_bytes.h"

enum { POINTER_BYTES = 8, LDS_ALIGN = 16 };

enum tf_status tf_kernel_describe(const struct tf_kernel *kernel, struct tf_kernel_info *info, struct tf_error *error)
{
    const struct obj_kernel *inner = kernel->inner;
    struct tf_kernel_info found = {
        .name = inner->name,
        .entry = kernel->entry,
        .wave_size = inner->wave_size,
        .kernarg_bytes = inner->kernarg_bytes,
        .group_segment_bytes = inner->group_segment_bytes,
        .private_segment_bytes = inner->private_segment_bytes,
        .max_workgroup = inner->max_workgroup,
        .dynamic_stack = inner->dynamic_stack,
        .has_args = inner->has_args,
        .arg_count = kernel->arg_count,
    };
    memcpy(found.required_workgroup, inner->required_workgroup, sizeof found.required_workgroup);
    if (!api_copy_out(info, &found, sizeof found))
        return api_fail(error, TF_ERROR_ARGUMENT, "tf_kernel_describe: info or its size is missing");
    return TF_OK;
}

/* What each of the metadata's kinds is to the caller; what stands in no row is not supported. */
static enum tf_arg_kind public_kind(enum obj_value_kind kind)
{
    static const struct {
        enum obj_value_kind inner;
        enum tf_arg_kind outer;
    } rows[] = {
        {OBJ_KIND_BY_VALUE, TF_ARG_VALUE},
        {OBJ_KIND_GLOBAL_BUFFER, TF_ARG_POINTER},
        {OBJ_KIND_DYNAMIC_SHARED_POINTER, TF_ARG_LOCAL},
    };
    for (size_t n = 0; n < sizeof rows / sizeof rows[0]; n++)
        if (rows[n].inner == kind)
            return rows[n].outer;
    return TF_ARG_UNSUPPORTED;
}

enum tf_status tf_kernel_arg(const struct tf_kernel *kernel, size_t index, struct tf_arg_info *info, struct tf_error *error)
{
    if (index >= kernel->arg_count)
        return api_fail(error, TF_ERROR_NOT_FOUND, "kernel '%s' has %zu arguments", kernel->inner->name, kernel->arg_count);
    const struct obj_arg *arg = &kernel->inner->args[index];
    struct tf_arg_info found = {
        .name = arg->name,
        .type_name = arg->type_name,
        .kind_name = arg->value_kind,
        .kind = public_kind(arg->kind),
        .offset = arg->offset,
        .bytes = arg->size,
    };
    if (!api_copy_out(info, &found, sizeof found))
        return api_fail(error, TF_ERROR_ARGUMENT, "tf_kernel_arg: info or its size is missing");
    return TF_OK;
}

static const char *kind_text(enum tf_arg_kind kind)
{
    static const char *const texts[] = {
        [TF_ARG_VALUE] = "a value",
        [TF_ARG_POINTER] = "a pointer to a buffer",
        [TF_ARG_LOCAL] = "a pointer to local memory",
        [TF_ARG_UNSUPPORTED] = "an image, sampler, pipe or queue, which are not supported",
    };
    return (unsigned)kind < sizeof texts / sizeof texts[0] ? texts[kind] : "of no known kind";
}

/* One packing in progress. */
struct packing {
    const struct obj_kernel *kernel;
    uint8_t *kernarg;
    size_t size;
    uint64_t lds; /* where the next local argument's memory starts, past the kernel's own */
    struct tf_error *error;
};

static enum tf_status bad_arg(const struct packing *packing, size_t index, const struct obj_arg *arg, const char *have)
{
    enum tf_arg_kind kind = public_kind(arg->kind);
    return api_fail(packing->error, TF_ERROR_ARGUMENT, "kernel '%s', argument %zu%s%s (%s%s%" PRIu32 " bytes) is %s, not %s",
                    packing->kernel->name, index + 1, arg->name[0] ? " " : "", arg->name, arg->type_name,
                    arg->type_name[0] ? ", " : "", arg->size, kind_text(kind), have);
}

static void put_number(uint8_t *at, uint64_t value, size_t bytes)
{
    uint8_t raw[sizeof value];
    base_put_u64(raw, value);
    memcpy(at, raw, bytes < sizeof raw ? bytes : sizeof raw);
}

/* Local memory starts where the pointee's alignment, or the widest there is, allows. */
static uint64_t place_local(struct packing *packing, uint32_t align, uint64_t bytes)
{
    if (!align || (align & (align - 1)) || align > API_LDS_BYTES)
        align = LDS_ALIGN;
    uint64_t start = base_align_up(packing->lds, align);
    packing->lds = bytes > API_LDS_BYTES ? UINT32_MAX : start + bytes;
    return start;
}

/* Packs by the metadata. */
static enum tf_status pack_known(struct packing *packing, size_t index, const struct obj_arg *arg, const struct tf_arg *value)
{
    if (public_kind(arg->kind) != value->kind)
        return bad_arg(packing, index, arg, kind_text(value->kind));
    uint8_t *at = packing->kernarg + arg->offset;
    switch (value->kind) {
    case TF_ARG_VALUE:
        if (value->bytes != arg->size)
            return api_fail(packing->error, TF_ERROR_ARGUMENT,
                            "kernel '%s', argument %zu %s: takes %" PRIu32 " bytes, not %" PRIu64, packing->kernel->name,
                            index + 1, arg->name, arg->size, value->bytes);
        memcpy(at, value->data, arg->size);
        return TF_OK;
    case TF_ARG_POINTER:
        if (arg->size != POINTER_BYTES)
            return api_fail(packing->error, TF_ERROR_OBJECT,
                            "kernel '%s', argument %zu %s: a pointer of %" PRIu32 " bytes is none of this GPU's",
                            packing->kernel->name, index + 1, arg->name, arg->size);
        put_number(at, value->address, arg->size);
        return TF_OK;
    case TF_ARG_LOCAL: put_number(at, place_local(packing, arg->pointee_align, value->bytes), arg->size); return TF_OK;
    default: return bad_arg(packing, index, arg, kind_text(value->kind));
    }
}

/* Without metadata: each value at the next multiple of its own size. */
static enum tf_status pack_unknown(struct packing *packing, size_t index, size_t *offset, const struct tf_arg *value)
{
    uint64_t bytes = value->kind == TF_ARG_VALUE ? value->bytes : value->kind == TF_ARG_LOCAL ? sizeof(uint32_t) : POINTER_BYTES;
    uint64_t start = bytes ? (*offset + bytes - 1) / bytes * bytes : *offset;
    if (!base_range_fits(start, bytes, packing->size))
        return api_fail(packing->error, TF_ERROR_ARGUMENT,
                        "kernel '%s', argument %zu: %" PRIu64 " bytes at %" PRIu64 " are past the kernel's %" PRIu32
                        " argument bytes",
                        packing->kernel->name, index + 1, bytes, start, packing->kernel->kernarg_bytes);
    uint8_t *at = packing->kernarg + start;
    if (value->kind == TF_ARG_VALUE && bytes)
        memcpy(at, value->data, bytes);
    else if (value->kind == TF_ARG_LOCAL)
        put_number(at, place_local(packing, 0, value->bytes), bytes);
    else
        put_number(at, value->address, bytes);
    *offset = start + bytes;
    return TF_OK;
}

static enum tf_status check_count(const struct tf_kernel *kernel, size_t count, struct tf_error *error)
{
    if (kernel->inner->has_args && count != kernel->arg_count)
        return api_fail(error, TF_ERROR_ARGUMENT, "kernel '%s' takes %zu arguments, not %zu", kernel->inner->name,
                        kernel->arg_count, count);
    return TF_OK;
}

enum tf_status tf_kernel_pack_args(const struct tf_kernel *kernel, const struct tf_arg *args, size_t count, void *kernarg,
                                   size_t kernarg_size, uint32_t *dynamic_lds, struct tf_error *error)
{
    const struct obj_kernel *inner = kernel->inner;
    struct packing packing = {inner, kernarg, kernarg_size, inner->group_segment_bytes, error};
    size_t offset = 0;
    if (kernarg_size < inner->kernarg_bytes || (!kernarg && kernarg_size))
        return api_fail(error, TF_ERROR_ARGUMENT, "kernel '%s' needs %" PRIu32 " argument bytes, not %zu", inner->name,
                        inner->kernarg_bytes, kernarg_size);
    enum tf_status status = check_count(kernel, count, error);
    if (status == TF_OK && kernarg_size)
        memset(kernarg, 0, kernarg_size);
    for (size_t n = 0; n < count && status == TF_OK; n++) {
        if (args[n].kind == TF_ARG_VALUE && !args[n].data && args[n].bytes)
            return api_fail(error, TF_ERROR_ARGUMENT, "kernel '%s', argument %zu has no bytes", inner->name, n + 1);
        status =
            inner->has_args ? pack_known(&packing, n, &inner->args[n], &args[n]) : pack_unknown(&packing, n, &offset, &args[n]);
    }
    if (status == TF_OK && packing.lds > API_LDS_BYTES)
        return api_fail(error, TF_ERROR_LIMIT,
                        "kernel '%s' needs more local memory than a workgroup has: %" PRIu32 " bytes of its own and the local "
                        "arguments, of %d",
                        inner->name, inner->group_segment_bytes, API_LDS_BYTES);
    if (status == TF_OK && dynamic_lds)
        *dynamic_lds = (uint32_t)(packing.lds - inner->group_segment_bytes);
    return status;
}
