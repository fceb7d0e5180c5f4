/* Operand spans: from the op's types, and for memory from the access or image. */
#include "ir/ir_slots.h"

const struct ir_access *ir_inst_access(const struct ir_func *func, const struct ir_inst *inst)
{
    if (!ir_op_has_access(inst->op) || inst->imm >= func->access_count)
        return NULL;
    return &func->accesses[inst->imm];
}

const struct ir_image *ir_inst_image(const struct ir_func *func, const struct ir_inst *inst)
{
    return inst->op == IR_image && inst->imm < func->image_count ? &func->images[inst->imm] : NULL;
}

static unsigned image_src_span(const struct ir_image *image, unsigned n)
{
    bool half = image->kind == IR_IMAGE_RAY || (image->flags & IR_IM_R128);
    const unsigned spans[] = {half ? 4 : 8, 4, image->data_words, image->address_words};
    return n < sizeof spans / sizeof *spans ? spans[n] : 1;
}

static unsigned type_span(const struct ir_func *func, unsigned type, bool lane)
{
    if (ir_type_is_wide(type))
        return 2;
    return type == IR_T_mask && lane ? ir_mask_span(func) : 1;
}

/* Words of one element (or of all components of a format) as registers hold them. */
static unsigned element_span(const struct ir_access *access)
{
    if (access->flags & IR_AC_FORMAT)
        return access->flags & (IR_AC_D16 | IR_AC_D16_HI) ? (access->elements + 1u) / 2 : access->elements;
    return access->bytes > 4 ? access->bytes / 4u : 1;
}

static unsigned loaded_span(const struct ir_access *access)
{
    unsigned parts = access->flags & IR_AC_FORMAT ? 1 : access->elements;
    return element_span(access) * parts + (access->flags & IR_AC_TFE ? 1 : 0);
}

static unsigned stored_span(const struct ir_access *access)
{
    bool pair = access->atomic == IR_A_CMPSWAP || access->atomic == IR_A_FCMPSWAP;
    /* LDS instructions name the comparand apart; the others take it from behind the data. */
    bool apart = access->space == IR_SPACE_LDS || access->space == IR_SPACE_GDS;
    return element_span(access) * (pair && !apart ? 2 : 1);
}

static unsigned address_span(const struct ir_access *access, unsigned n)
{
    switch (access->space) {
    case IR_SPACE_SCALAR: return n == 0 ? 2 : 1;
    case IR_SPACE_SBUFFER:
    case IR_SPACE_BUFFER: return n == 0 ? 4 : 1;
    case IR_SPACE_GLOBAL:
    case IR_SPACE_FLAT: return n == 0 && (access->flags & IR_AC_SADDR) ? 1 : n <= 1 ? 2 : 1;
    default: return 1;
    }
}

unsigned ir_dst_span(const struct ir_func *func, const struct ir_inst *inst, unsigned n)
{
    if (ir_is_none(inst->dst[n]))
        return 0;
    const struct ir_access *access = ir_inst_access(func, inst);
    if (access)
        return n == 0 ? loaded_span(access) : 1;
    const struct ir_image *image = ir_inst_image(func, inst);
    if (image)
        return image->result_words + (image->flags & IR_IM_TFE ? 1u : 0);
    return type_span(func, ir_ops[inst->op].dst_type[n], inst->lane);
}

unsigned ir_src_span(const struct ir_func *func, const struct ir_inst *inst, unsigned n)
{
    if (ir_is_none(inst->src[n]))
        return 0;
    const struct ir_access *access = ir_inst_access(func, inst);
    if (access)
        return n >= 4 ? stored_span(access) : address_span(access, n);
    const struct ir_image *image = ir_inst_image(func, inst);
    if (image)
        return image_src_span(image, n);
    return type_span(func, ir_ops[inst->op].src_type[n], inst->lane);
}
