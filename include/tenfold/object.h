/* tenfold/object.h: code objects (ELF files that a compiler made for a gfx10 chip), their kernels and arguments. */
#ifndef TENFOLD_OBJECT_H
#define TENFOLD_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tenfold/gpu.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A code object in a GPU's memory. */
struct tf_object;
/* A kernel of an object; lives as long as its object. */
struct tf_kernel;

struct tf_object_info {
    size_t size;      /* sizeof(struct tf_object_info), set by the caller */
    char chip[32];    /* the chip that it was compiled for: "gfx1030" */
    unsigned version; /* code-object version: 4 or 5 */
};

/* Reads what an object says of itself, before there is a GPU to load it into. TF_ERROR_OBJECT when it is malformed. */
TF_API enum tf_status tf_object_identify(const void *bytes, size_t size, struct tf_object_info *info, struct tf_error *error);

/* Loads a code object of `size` bytes: allocates guest memory, copies the segments, relocates. The bytes are not needed afterwards.
 * TF_ERROR_OBJECT when it is malformed or for another chip; TF_ERROR_MEMORY. */
TF_API enum tf_status tf_object_load(struct tf_gpu *gpu, const void *bytes, size_t size, struct tf_object **object,
                                     struct tf_error *error);
/* Unloads an object and frees its guest memory; its kernels are gone. NULL is fine. Waits for a dispatch that is running. */
TF_API void tf_object_unload(struct tf_object *object);

/* Kernels, in the order of their names. tf_object_kernel returns NULL past the last. */
TF_API size_t tf_object_kernel_count(const struct tf_object *object);
TF_API const struct tf_kernel *tf_object_kernel(const struct tf_object *object, size_t index);
/* The kernel of that name. TF_ERROR_NOT_FOUND's text lists those that there are. */
TF_API enum tf_status tf_object_find_kernel(const struct tf_object *object, const char *name, const struct tf_kernel **kernel,
                                            struct tf_error *error);

struct tf_kernel_info {
    size_t size;                    /* sizeof(struct tf_kernel_info), set by the caller */
    const char *name;               /* lives as long as the object */
    uint64_t entry;                 /* guest address of the first instruction */
    unsigned wave_size;             /* 32 or 64 lanes */
    uint32_t kernarg_bytes;         /* all arguments, the implicit ones included */
    uint32_t group_segment_bytes;   /* static LDS a workgroup */
    uint32_t private_segment_bytes; /* scratch a work-item */
    uint32_t required_workgroup[3]; /* threads a workgroup must have; zeros: any */
    uint32_t max_workgroup;         /* threads a workgroup may have in all */
    bool dynamic_stack;             /* needs more scratch than private_segment_bytes says */
    bool has_args;                  /* the object says what the arguments are; otherwise arg_count is 0 and nobody knows */
    size_t arg_count;               /* explicit arguments */
};

/* Fills in info. Never fails for a valid kernel and a size that is set. */
TF_API enum tf_status tf_kernel_describe(const struct tf_kernel *kernel, struct tf_kernel_info *info, struct tf_error *error);

enum tf_arg_kind {
    TF_ARG_VALUE,       /* bytes, passed by value */
    TF_ARG_POINTER,     /* a guest address of global or constant memory */
    TF_ARG_LOCAL,       /* a pointer to LDS whose size the dispatch chooses */
    TF_ARG_UNSUPPORTED, /* an image, sampler, pipe or queue */
};

struct tf_arg_info {
    size_t size;           /* sizeof(struct tf_arg_info), set by the caller */
    const char *name;      /* "" where the compiler left it out */
    const char *type_name; /* the source's own spelling, or "" */
    const char *kind_name; /* as the object's metadata spells it: "global_buffer" */
    enum tf_arg_kind kind;
    uint32_t offset, bytes; /* where it stands among the argument bytes */
};

/* The explicit argument of that index, from 0. TF_ERROR_NOT_FOUND past the last. */
TF_API enum tf_status tf_kernel_arg(const struct tf_kernel *kernel, size_t index, struct tf_arg_info *info,
                                    struct tf_error *error);

/* A value for an explicit argument. */
struct tf_arg {
    enum tf_arg_kind kind;
    const void *data; /* TF_ARG_VALUE: `bytes` bytes, copied */
    uint64_t bytes;   /* TF_ARG_VALUE: how many; TF_ARG_LOCAL: bytes of LDS */
    uint64_t address; /* TF_ARG_POINTER */
};

/* Packs values for all explicit arguments of a kernel into `kernarg` (kernarg_size bytes, at least the kernel's kernarg_bytes; the
 * whole of it is zeroed first), each checked against the object's metadata. *dynamic_lds receives the LDS that the local arguments
 * need. Where the object lists no arguments, each value is laid at the next multiple of its own size. TF_ERROR_ARGUMENT for a wrong
 * count, kind or size; the text names the argument. The implicit arguments are tf_dispatch_run's work. */
TF_API enum tf_status tf_kernel_pack_args(const struct tf_kernel *kernel, const struct tf_arg *args, size_t count, void *kernarg,
                                          size_t kernarg_size, uint32_t *dynamic_lds, struct tf_error *error);

#ifdef __cplusplus
}
#endif

#endif
