/* Checks what must hold in every function between passes. */
#include "ir/ir_slots.h"

#include <string.h>

/* An operand that is there lies within the slots of its kind. */
static bool in_range(const struct ir_func *func, ir_ref r, unsigned span)
{
    switch (r.kind) {
    case IR_NONE: return true;
    case IR_S: return r.index + span <= IR_S_COUNT;
    case IR_V: return r.index + span <= IR_V_COUNT;
    case IR_K: return r.index < func->const_count && span <= 2; /* a constant has two words */
    default: return false;
    }
}

static bool is_uniform(ir_ref r)
{
    return r.kind == IR_S || r.kind == IR_K;
}

static const char *check_counts(const struct ir_inst *inst, const struct ir_op_info *info)
{
    if (inst->src_count != info->src_count)
        return "the instruction has not as many sources as its operation";
    for (unsigned n = inst->src_count; n < 6; n++)
        if (!ir_is_none(inst->src[n]))
            return "a source past the operation's last one is set";
    for (unsigned n = info->dst_count; n < 2; n++)
        if (!ir_is_none(inst->dst[n]))
            return "the operation has no such destination";
    if (info->class != IR_C_VALUE && info->class != IR_C_COMPARE)
        return NULL;
    for (unsigned n = 0; n < inst->src_count; n++)
        if (ir_is_none(inst->src[n]))
            return "a regular operation lacks a source";
    return ir_is_none(inst->dst[0]) ? "a regular operation lacks its destination" : NULL;
}

static const char *check_ranges(const struct ir_func *func, const struct ir_inst *inst)
{
    for (unsigned n = 0; n < 2; n++)
        if (inst->dst[n].kind == IR_K || !in_range(func, inst->dst[n], ir_dst_span(func, inst, n)))
            return "a destination is no slot of the wave";
    for (unsigned n = 0; n < 6; n++)
        if (!in_range(func, inst->src[n], ir_src_span(func, inst, n)))
            return "a source is no slot or constant of the function";
    if (inst->mask.kind != IR_S || !in_range(func, inst->mask, ir_mask_span(func)))
        return "the mask of written lanes is no scalar slot";
    return NULL;
}

/* The kind of destination n: uniform, or per lane. */
static const char *check_dst(const struct ir_inst *inst, const struct ir_op_info *info, unsigned n)
{
    if (ir_is_none(inst->dst[n]))
        return NULL;
    bool mask = info->dst_type[n] == IR_T_mask;
    bool lane = inst->lane && !mask && !(info->flags & IR_F_UNIFORM);
    if (mask && ir_is_lane(inst->dst[n]))
        return "a mask goes to a vector slot";
    if (lane != ir_is_lane(inst->dst[n]))
        return lane ? "a per-lane result goes to a scalar slot" : "a uniform result goes to a vector slot";
    return NULL;
}

static const char *check_kinds(const struct ir_inst *inst, const struct ir_op_info *info)
{
    if (inst->lane > 1)
        return "the lane flag is neither 0 nor 1";
    if ((info->flags & IR_F_LANE) && !inst->lane)
        return "an operation that exists only per lane is marked uniform";
    for (unsigned n = 0; n < inst->src_count; n++) {
        if (ir_is_lane(inst->src[n]) && !inst->lane)
            return "a uniform operation reads a vector slot";
        if (ir_is_lane(inst->src[n]) && info->src_type[n] == IR_T_mask)
            return "a mask operand is a vector slot";
    }
    const char *wrong = check_dst(inst, info, 0);
    return wrong ? wrong : check_dst(inst, info, 1);
}

static bool is_access_size(unsigned bytes)
{
    static const uint8_t sizes[] = {1, 2, 4, 8, 12, 16, 32, 64};
    return memchr(sizes, (int)bytes, sizeof sizes) != NULL;
}

/* No instruction has an offset field of more than 21 bits, or scales a wider one. */
static bool is_access_offset(int32_t offset)
{
    return offset >= -(1 << 20) && offset < 1 << 20;
}

static const char *check_access_sources(const struct ir_inst *inst, const struct ir_access *access)
{
    bool scalar = access->space == IR_SPACE_SCALAR || access->space == IR_SPACE_SBUFFER;
    if (scalar && inst->lane)
        return "a scalar access is marked per lane";
    bool first_uniform = scalar || access->space == IR_SPACE_BUFFER;
    if (first_uniform && inst->src[0].kind != IR_S)
        return "a descriptor or scalar base is no scalar slot";
    bool global = access->space == IR_SPACE_GLOBAL || access->space == IR_SPACE_FLAT;
    if (global && ir_is_none(inst->src[0]) && !(access->flags & IR_AC_ADDTID))
        return "a global access lacks its address";
    bool second_uniform = access->space == IR_SPACE_SCRATCH || global || scalar;
    if (second_uniform && !ir_is_none(inst->src[1]) && !is_uniform(inst->src[1]))
        return "a uniform part of an address is a vector slot";
    if ((access->flags & IR_AC_SADDR) && ir_is_none(inst->src[1]))
        return "an access with a scalar base lacks it";
    if (access->space == IR_SPACE_BUFFER && !ir_is_none(inst->src[3]) && !is_uniform(inst->src[3]))
        return "a buffer's scalar offset is a vector slot";
    return NULL;
}

static const char *check_access(const struct ir_func *func, const struct ir_inst *inst)
{
    if (!ir_op_has_access(inst->op))
        return NULL;
    const struct ir_access *access = ir_inst_access(func, inst);
    if (!access)
        return "a memory operation's access is not in the function";
    if (access->space > IR_SPACE_GDS)
        return "an access reaches for no space that there is";
    if (access->atomic > IR_A_CONDXCHG)
        return "an access names no atomic that there is";
    if (!is_access_size(access->bytes))
        return "an access is of no width that there is";
    if (access->elements < 1 || access->elements > 4)
        return "an access has none or more than four elements";
    if (access->format > 127)
        return "a format has more than 7 bits";
    if (access->scale > 31)
        return "an access scales its index out of its word";
    if (!is_access_offset(access->offset) || !is_access_offset(access->offset1))
        return "an access has an offset that no instruction can have";
    return check_access_sources(inst, access);
}

enum { MAX_IMAGE_RESULTS = 4, MAX_IMAGE_DATA = 4, MAX_IMAGE_ADDRESS = 13 };

static const char *check_image_sources(const struct ir_inst *inst, const struct ir_image *image)
{
    bool sampled = image->kind == IR_IMAGE_SAMPLE || image->kind == IR_IMAGE_GATHER || image->kind == IR_IMAGE_LOD;
    if (inst->src[0].kind != IR_S || (sampled ? inst->src[1].kind != IR_S : !ir_is_none(inst->src[1])))
        return "an image's descriptor or sampler is no scalar slot";
    if (image->data_words ? inst->src[2].kind != IR_V : !ir_is_none(inst->src[2]))
        return "what is stored to an image is no vector slot";
    if (image->address_words ? inst->src[3].kind != IR_V : !ir_is_none(inst->src[3]))
        return "an image's address is no vector slot";
    if (!ir_is_none(inst->dst[0]) && !image->result_words)
        return "an image operation without a result has a destination";
    return NULL;
}

static const char *check_image(const struct ir_func *func, const struct ir_inst *inst)
{
    if (inst->op != IR_image)
        return NULL;
    const struct ir_image *image = ir_inst_image(func, inst);
    if (!image)
        return "an image operation's image is not in the function";
    if (image->kind >= IR_IMAGE_KIND_COUNT || image->dim >= IR_DIM_COUNT || image->atomic > IR_A_CONDXCHG || image->dmask > 15)
        return "an image operation does nothing that there is";
    if (image->flags >> IR_IMAGE_FLAG_BITS)
        return "an image operation has a flag that there is not";
    if (image->result_words > MAX_IMAGE_RESULTS || image->data_words > MAX_IMAGE_DATA || image->address_words > MAX_IMAGE_ADDRESS)
        return "an image operation has more words than any instruction";
    for (unsigned part = 0; part < IR_PART_COUNT; part++)
        if (image->at[part] != IR_AT_NOWHERE &&
            (image->at[part] / IR_AT_WORD >= image->address_words || image->at[part] % IR_AT_WORD > IR_AT_HIGH))
            return "a part of an image's address lies outside it";
    return check_image_sources(inst, image);
}

static const char *check_inst(const struct ir_func *func, const struct ir_inst *inst)
{
    if (inst->op >= IR_OP_COUNT)
        return "there is no such operation";
    const struct ir_op_info *info = &ir_ops[inst->op];
    const char *wrong = check_access(func, inst);
    if (!wrong)
        wrong = check_image(func, inst);
    if (!wrong)
        wrong = check_counts(inst, info);
    if (!wrong)
        wrong = check_ranges(func, inst);
    return wrong ? wrong : check_kinds(inst, info);
}

static const char *check_edge(const struct ir_func *func, const struct ir_block *block, unsigned n)
{
    uint32_t succ = block->succ[n];
    if (succ == IR_NO_BLOCK)
        return NULL;
    if (succ >= func->block_count)
        return "a block goes on to one that is not there";
    if (func->blocks[succ].pc != block->target[n])
        return "a block goes on to one at another address than its target";
    return NULL;
}

static const char *check_terminator(const struct ir_func *func, const struct ir_block *block)
{
    unsigned edges = block->term == IR_TERM_BRANCH ? 2 : block->term == IR_TERM_JUMP ? 1 : 0;
    bool has_cond = block->term == IR_TERM_BRANCH || block->term == IR_TERM_SETPC;
    if (block->term == IR_TERM_NONE || block->term > IR_TERM_STOP)
        return "a block has no terminator";
    if (has_cond && (!is_uniform(block->cond) || !in_range(func, block->cond, block->term == IR_TERM_SETPC ? 2 : 1)))
        return "a terminator's condition or address is no scalar slot or constant";
    for (unsigned n = 0; n < edges; n++) {
        const char *wrong = check_edge(func, block, n);
        if (wrong)
            return wrong;
    }
    return NULL;
}

static bool only_stops(unsigned op)
{
    return op == IR_unsupported || op == IR_unknown;
}

static bool may_stop(unsigned op)
{
    return only_stops(op) || op == IR_trap;
}

static const char *check_block(const struct ir_func *func, const struct ir_block *block, uint32_t *inst)
{
    for (uint32_t i = block->first; i < block->first + block->count; i++) {
        *inst = i;
        const char *wrong = check_inst(func, &func->insts[i]);
        if (wrong)
            return wrong;
        bool last = i + 1 == block->first + block->count;
        if (only_stops(func->insts[i].op) && !(last && block->term == IR_TERM_STOP))
            return "a refused instruction does not end its block";
    }
    const char *wrong = check_terminator(func, block);
    if (wrong)
        return wrong;
    if (block->term == IR_TERM_STOP && !(block->count && may_stop(func->insts[block->first + block->count - 1].op)))
        return "a block stops without saying why";
    return NULL;
}

const char *ir_validate(const struct ir_func *func, uint32_t *inst)
{
    uint32_t none, next = 0;
    inst = inst ? inst : &none;
    *inst = 0;
    if (func->out_of_memory)
        return "the function was built without enough memory";
    if (func->wave_size != 32 && func->wave_size != 64)
        return "the wave size is neither 32 nor 64";
    for (uint32_t n = 0; n < func->block_count; n++) {
        const struct ir_block *block = &func->blocks[n];
        *inst = next;
        if (block->first != next || block->count > func->inst_count - next)
            return "the blocks do not lie one after another over the instructions";
        next += block->count;
        const char *wrong = check_block(func, block, inst);
        if (wrong)
            return wrong;
    }
    *inst = next;
    return next == func->inst_count ? NULL : "instructions lie past the last block";
}
