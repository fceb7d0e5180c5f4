/* api_object: loads code objects into guest memory and finds their kernels. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/api_internal.h"
#include "base/base_bits.h"

static const uint64_t widened_load = 16;

enum tf_status tf_object_identify(const void *bytes, size_t size, struct tf_object_info *info, struct tf_error *error)
{
    struct base_error why;
    struct obj_object *object;
    struct tf_object_info found = {0};
    if (!bytes || !obj_open(bytes, size, &object, &why))
        return api_fail(error, TF_ERROR_OBJECT, "%s", bytes ? why.text : "no bytes");
    snprintf(found.chip, sizeof found.chip, "%s", object->chip);
    found.version = object->version;
    obj_close(object);
    if (!api_copy_out(info, &found, sizeof found))
        return api_fail(error, TF_ERROR_ARGUMENT, "tf_object_identify: info or its size is missing");
    return TF_OK;
}

/* What the guest sees of a segment: a little past its end, where a compiler's widened load may reach, but never the next one. */
static struct mem_piece segment_piece(const struct obj_object *inner, size_t index)
{
    const struct obj_segment *segment = &inner->segments[index];
    uint64_t end = base_align_up(segment->address + segment->size, widened_load);
    if (index + 1 < inner->segment_count && inner->segments[index + 1].address < end)
        end = inner->segments[index + 1].address;
    return (struct mem_piece){segment->address, end - segment->address, segment->writable};
}

/* Gives the image a place: the guest sees the segments, and may write only those that say so. */
static bool place_image(struct tf_object *object, struct base_error *why)
{
    const struct obj_object *inner = object->inner;
    struct mem_piece *pieces = calloc(inner->segment_count, sizeof *pieces);
    if (!pieces)
        return base_error_set(why, "out of memory");
    for (size_t n = 0; n < inner->segment_count; n++)
        pieces[n] = segment_piece(inner, n);
    bool placed = mem_space_alloc(object->gpu->space, inner->image_size, inner->image_align, pieces, inner->segment_count,
                                  &object->base, why);
    free(pieces);
    if (!placed)
        return false;
    uint8_t *image = mem_space_pointer(object->gpu->space, object->base + inner->segments[0].address, 1);
    if (!image)
        return base_error_set(why, "the image of 0x%llx bytes is not mapped", (unsigned long long)inner->image_size);
    return obj_image_write(inner, image - inner->segments[0].address, object->base, why);
}

static size_t count_explicit(const struct obj_kernel *kernel)
{
    size_t count = 0;
    while (count < kernel->arg_count && !obj_kind_is_hidden(kernel->args[count].kind))
        count++;
    return count;
}

static bool make_kernels(struct tf_object *object)
{
    const struct obj_object *inner = object->inner;
    object->kernels = calloc(inner->kernel_count + 1, sizeof *object->kernels);
    if (!object->kernels)
        return false;
    for (size_t n = 0; n < inner->kernel_count; n++)
        object->kernels[n] = (struct tf_kernel){
            .object = object,
            .inner = &inner->kernels[n],
            .descriptor = object->base + inner->kernels[n].address,
            .entry = object->base + inner->kernels[n].entry,
            .arg_count = count_explicit(&inner->kernels[n]),
        };
    return true;
}

static enum tf_status load(struct tf_object *object, const void *bytes, size_t size, struct tf_error *error)
{
    struct base_error why;
    if (!obj_open(bytes, size, &object->inner, &why))
        return api_fail(error, TF_ERROR_OBJECT, "%s", why.text);
    if (strcmp(object->inner->chip, tf_gpu_chip(object->gpu)) != 0)
        return api_fail(error, TF_ERROR_OBJECT, "the object was compiled for %s and this GPU is a %s", object->inner->chip,
                        tf_gpu_chip(object->gpu));
    if (!place_image(object, &why))
        return api_fail(error, object->base ? TF_ERROR_OBJECT : TF_ERROR_MEMORY, "%s", why.text);
    api_gpu_mark_stale(object->gpu, object->base, object->inner->image_size);
    return make_kernels(object) ? TF_OK : api_fail(error, TF_ERROR_MEMORY, "out of memory");
}

enum tf_status tf_object_load(struct tf_gpu *gpu, const void *bytes, size_t size, struct tf_object **object,
                              struct tf_error *error)
{
    if (!gpu || !bytes || !object)
        return api_fail(error, TF_ERROR_ARGUMENT, "tf_object_load: needs a GPU, bytes, and a place for the object");
    struct tf_object *made = calloc(1, sizeof *made);
    if (!made)
        return api_fail(error, TF_ERROR_MEMORY, "out of memory");
    made->gpu = gpu;
    enum tf_status status = load(made, bytes, size, error);
    if (status != TF_OK) {
        tf_object_unload(made);
        return status;
    }
    api_log(gpu, TF_LOG_INFO, "loaded a version %u object of %zu kernels at 0x%llx", made->inner->version,
            made->inner->kernel_count, (unsigned long long)made->base);
    *object = made;
    return TF_OK;
}

void tf_object_unload(struct tf_object *object)
{
    if (!object)
        return;
    if (object->base) {
        pthread_mutex_lock(&object->gpu->run_lock);
        tf_memory_free(object->gpu, object->base, NULL);
        pthread_mutex_unlock(&object->gpu->run_lock);
    }
    obj_close(object->inner);
    free(object->kernels);
    free(object);
}

size_t tf_object_kernel_count(const struct tf_object *object)
{
    return object->inner->kernel_count;
}

const struct tf_kernel *tf_object_kernel(const struct tf_object *object, size_t index)
{
    return index < object->inner->kernel_count ? &object->kernels[index] : NULL;
}

/* Names of all kernels, as many as fit. */
static void list_kernels(const struct tf_object *object, char *text, size_t size)
{
    size_t used = 0;
    text[0] = 0;
    for (size_t n = 0; n < object->inner->kernel_count && used < size; n++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", n ? ", " : "", object->inner->kernels[n].name);
}

enum tf_status tf_object_find_kernel(const struct tf_object *object, const char *name, const struct tf_kernel **kernel,
                                     struct tf_error *error)
{
    char names[TF_ERROR_TEXT - 200];
    const struct obj_kernel *found = obj_kernel_find(object->inner, name);
    if (found) {
        *kernel = &object->kernels[found - object->inner->kernels];
        return TF_OK;
    }
    if (!object->inner->kernel_count)
        return api_fail(error, TF_ERROR_NOT_FOUND, "the object has no kernels");
    list_kernels(object, names, sizeof names);
    if (!*name)
        return api_fail(error, TF_ERROR_NOT_FOUND, "no kernel is named; the object has: %s", names);
    return api_fail(error, TF_ERROR_NOT_FOUND, "the object has no kernel '%.100s'; it has: %s", name, names);
}
