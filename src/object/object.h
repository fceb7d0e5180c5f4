/* object: reads AMDGPU code objects (ELF files of code-object version 4 and 5) and lays their segments out for the guest.
 *
 * Roles and owners:
 *   obj_object      one code object; created by obj_open from bytes that it copies, destroyed by whoever opened it.
 *   obj_kernel      a kernel of the object: its metadata and descriptor; owned by the object.
 *   obj_arg         an argument of a kernel; owned by the object.
 *   obj_segment     a PT_LOAD part of the object's image; owned by the object.
 *   obj_descriptor  the 64 bytes that tell the hardware how to start a kernel; plain data.
 *
 * An object is immutable once it is open, so threads may share it.
 */
#ifndef OBJECT_OBJECT_H
#define OBJECT_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/base_bits.h"
#include "base/base_error.h"

/* What an argument is: the metadata's `.value_kind`. The hidden ones are filled in by whoever dispatches. */
enum obj_value_kind {
#define OBJ_VALUE_KIND(id, text) OBJ_KIND_##id,
#include "object/obj_value_kinds.def"
#undef OBJ_VALUE_KIND
    OBJ_KIND_COUNT
};

struct obj_arg {
    const char *name;      /* "" when the compiler left it out */
    const char *type_name; /* the source's own spelling, or "" */
    const char *address_space;
    const char *value_kind; /* as the metadata spells it */
    enum obj_value_kind kind;
    uint32_t offset, size;  /* bytes in the kernarg segment */
    uint32_t pointee_align; /* dynamic LDS: what its start is aligned to; 0: not said */
};

/* Bits of obj_descriptor.properties. */
enum obj_property {
    OBJ_USER_PRIVATE_SEGMENT_BUFFER = 1 << 0,
    OBJ_USER_DISPATCH_PTR = 1 << 1,
    OBJ_USER_QUEUE_PTR = 1 << 2,
    OBJ_USER_KERNARG_PTR = 1 << 3,
    OBJ_USER_DISPATCH_ID = 1 << 4,
    OBJ_USER_FLAT_SCRATCH_INIT = 1 << 5,
    OBJ_USER_PRIVATE_SEGMENT_SIZE = 1 << 6,
    OBJ_WAVEFRONT_SIZE32 = 1 << 10,
    OBJ_DYNAMIC_STACK = 1 << 11,
};

struct obj_descriptor {
    uint32_t group_segment_bytes;   /* LDS a group, without the dynamic part */
    uint32_t private_segment_bytes; /* scratch a work-item, without a dynamic stack */
    uint32_t kernarg_bytes;
    int64_t entry_offset; /* from the descriptor to the first instruction */
    uint32_t rsrc1, rsrc2, rsrc3;
    uint16_t properties; /* enum obj_property set */
    uint16_t kernarg_preload;
};

/* Fields of COMPUTE_PGM_RSRC2 that setting a dispatch up needs. */
static const struct base_field OBJ_RSRC1_FP16_OVFL = {26, 26};
static const struct base_field OBJ_RSRC2_SCRATCH_EN = {0, 0};
static const struct base_field OBJ_RSRC2_USER_SGPR = {1, 5};

struct obj_kernel {
    const char *name;
    const char *symbol; /* NAME.kd */
    uint64_t address;   /* of the descriptor in the object's image */
    uint64_t entry;     /* of the first instruction in the object's image */
    struct obj_descriptor descriptor;
    bool has_args;              /* the metadata lists the arguments; without it nobody knows them */
    const struct obj_arg *args; /* explicit ones first, as the metadata orders them */
    size_t arg_count;
    uint32_t kernarg_bytes, kernarg_align;
    uint32_t group_segment_bytes, private_segment_bytes;
    uint32_t wave_size;             /* 32 or 64 */
    uint32_t required_workgroup[3]; /* zeros: any */
    uint32_t max_workgroup;         /* work-items in a group, at most */
    bool dynamic_stack;
};

struct obj_segment {
    uint64_t address, size; /* in the object's image; segments do not overlap and are in ascending order */
    uint64_t file_offset, file_size;
    bool writable, executable;
};

struct obj_object {
    const char *chip;                 /* LLVM's name of the chip that the object was compiled for */
    unsigned version;                 /* code-object version, 4 or 5 */
    uint64_t image_size, image_align; /* of the memory that the segments take, from address 0 */
    const struct obj_segment *segments;
    size_t segment_count;
    const struct obj_kernel *kernels; /* sorted by name */
    size_t kernel_count;
};

/* Reads a code object from size bytes, which are copied. False (and error says where and why) when the bytes are no code object
 * that we can run; *object is NULL then. */
bool obj_open(const void *bytes, size_t size, struct obj_object **object, struct base_error *error);
void obj_close(struct obj_object *object); /* NULL is fine */

/* Fills image (object->image_size bytes, zeroed) with the segments and applies the relocations for an image that the guest sees at
 * load_address. */
bool obj_image_write(const struct obj_object *object, uint8_t *image, uint64_t load_address, struct base_error *error);

/* The kernel of that name, or NULL. */
const struct obj_kernel *obj_kernel_find(const struct obj_object *object, const char *name);

bool obj_kind_is_hidden(enum obj_value_kind kind);

#endif
