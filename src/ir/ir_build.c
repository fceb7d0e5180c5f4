/* Appends to functions: temporaries, constants, instructions, assignments. */
#include "ir/ir.h"

#include <stdlib.h>
#include <string.h>

#include "ir/ir_fold.h"

#define IR_OP(nm, cl, fl, nd, ns, ...) [IR_##nm] = {#nm, cl, fl, nd, ns, __VA_ARGS__},
const struct ir_op_info ir_ops[IR_OP_COUNT] = {
#include "ir/ir_ops_list.h"
};
#undef IR_OP

struct ir_func *ir_func_create(unsigned wave_size, uint64_t entry)
{
    struct ir_func *func = calloc(1, sizeof *func);
    if (func) {
        func->wave_size = wave_size;
        func->entry = entry;
    }
    return func;
}

void ir_func_destroy(struct ir_func *func)
{
    if (!func)
        return;
    free(func->insts);
    free(func->blocks);
    free(func->accesses);
    free(func->images);
    free(func->consts);
    free(func);
}

static void *copy_of(const void *from, size_t count, size_t size)
{
    void *to = calloc(count + 1, size);
    if (to && count)
        memcpy(to, from, count * size);
    return to;
}

struct ir_func *ir_func_copy(const struct ir_func *func)
{
    struct ir_func *copy = malloc(sizeof *copy);
    if (!copy)
        return NULL;
    *copy = *func;
    copy->insts = copy_of(func->insts, copy->inst_cap = func->inst_count, sizeof *func->insts);
    copy->blocks = copy_of(func->blocks, copy->block_cap = func->block_count, sizeof *func->blocks);
    copy->accesses = copy_of(func->accesses, copy->access_cap = func->access_count, sizeof *func->accesses);
    copy->images = copy_of(func->images, copy->image_cap = func->image_count, sizeof *func->images);
    copy->consts = copy_of(func->consts, copy->const_cap = func->const_count, sizeof *func->consts);
    if (copy->insts && copy->blocks && copy->accesses && copy->images && copy->consts)
        return copy;
    ir_func_destroy(copy);
    return NULL;
}

/* Makes room for one more element; false (and the sticky flag) when memory is out. */
static bool grow(struct ir_func *func, void **array, uint32_t count, uint32_t *cap, size_t size)
{
    if (count < *cap)
        return true;
    uint32_t wanted = *cap ? *cap * 2 : 64;
    void *larger = wanted > *cap ? realloc(*array, wanted * size) : NULL;
    if (!larger) {
        func->out_of_memory = true;
        return false;
    }
    *array = larger;
    *cap = wanted;
    return true;
}

void ir_begin_inst(struct ir_builder *b, uint64_t pc)
{
    b->pc = pc;
    b->s_temp = IR_S_TEMP;
    b->v_temp = IR_V_TEMP;
    b->inst_start = b->func->inst_count;
}

ir_ref ir_hi(struct ir_builder *b, ir_ref r)
{
    uint64_t value;
    if (ir_const_value(b->func, r, &value))
        return ir_const(b, value >> 32);
    return (ir_ref){r.kind, (uint16_t)(r.index + 1)};
}

ir_ref ir_const(struct ir_builder *b, uint64_t value)
{
    struct ir_func *func = b->func;
    for (uint32_t i = func->const_count; i-- > 0;)
        if (func->consts[i] == value)
            return (ir_ref){IR_K, (uint16_t)i};
    if (func->const_count >= UINT16_MAX) {
        b->error = "more than 65535 different constants in one program";
        return (ir_ref){IR_K, 0};
    }
    if (!grow(func, (void **)&func->consts, func->const_count, &func->const_cap, sizeof *func->consts))
        return (ir_ref){IR_K, 0};
    func->consts[func->const_count] = value;
    return (ir_ref){IR_K, (uint16_t)func->const_count++};
}

bool ir_const_value(const struct ir_func *func, ir_ref r, uint64_t *value)
{
    if (r.kind != IR_K || r.index >= func->const_count)
        return false;
    *value = func->consts[r.index];
    return true;
}

ir_ref ir_s_temp(struct ir_builder *b, unsigned count)
{
    if (b->s_temp + count > IR_S_COUNT) {
        b->error = "an instruction needs more scalar temporaries than there are";
        b->s_temp = IR_S_TEMP;
    }
    ir_ref r = ir_s(b->s_temp);
    b->s_temp += count;
    return r;
}

ir_ref ir_v_temp(struct ir_builder *b, unsigned count)
{
    if (b->v_temp + count > IR_V_COPY) {
        b->error = "an instruction needs more vector temporaries than there are";
        b->v_temp = IR_V_TEMP;
    }
    ir_ref r = ir_v(b->v_temp);
    b->v_temp += count;
    return r;
}

struct ir_inst *ir_append(struct ir_builder *b, enum ir_op op)
{
    struct ir_func *func = b->func;
    static _Thread_local struct ir_inst lost; /* written by callers that only test for lack of memory at the end */
    struct ir_inst *inst = &lost;
    if (grow(func, (void **)&func->insts, func->inst_count, &func->inst_cap, sizeof *func->insts))
        inst = &func->insts[func->inst_count++];
    *inst = (struct ir_inst){.op = (uint16_t)op, .src_count = ir_ops[op].src_count, .pc = b->pc, .mask = ir_s(IR_ALL_LO)};
    return inst;
}

struct ir_access *ir_append_access(struct ir_builder *b, struct ir_inst **inst, enum ir_op op, enum ir_space space)
{
    struct ir_func *func = b->func;
    static _Thread_local struct ir_access lost;
    struct ir_access *access = &lost;
    *inst = ir_append(b, op);
    (*inst)->mask = ir_s(IR_EXEC);
    (*inst)->lane = space != IR_SPACE_SCALAR && space != IR_SPACE_SBUFFER;
    if (grow(func, (void **)&func->accesses, func->access_count, &func->access_cap, sizeof *func->accesses)) {
        (*inst)->imm = func->access_count;
        access = &func->accesses[func->access_count++];
    }
    *access = (struct ir_access){.space = (uint8_t)space, .bytes = 4, .elements = 1};
    return access;
}

struct ir_image *ir_append_image(struct ir_builder *b, struct ir_inst **inst, enum ir_image_kind kind)
{
    struct ir_func *func = b->func;
    static _Thread_local struct ir_image lost;
    struct ir_image *image = &lost;
    *inst = ir_append(b, IR_image);
    (*inst)->mask = ir_s(IR_EXEC);
    (*inst)->lane = true;
    if (grow(func, (void **)&func->images, func->image_count, &func->image_cap, sizeof *func->images)) {
        (*inst)->imm = func->image_count;
        image = &func->images[func->image_count++];
    }
    *image = (struct ir_image){.kind = (uint8_t)kind, .dim = IR_DIM_2D};
    memset(image->at, IR_AT_NOWHERE, sizeof image->at);
    return image;
}

static bool is_wide(enum ir_type type)
{
    return type == IR_T_u64 || type == IR_T_i64 || type == IR_T_f64;
}

static unsigned slots_of(const struct ir_func *func, enum ir_type type)
{
    return is_wide(type) || (type == IR_T_mask && func->wave_size == 64) ? 2 : 1;
}

static ir_ref emit(struct ir_builder *b, enum ir_op op, bool lane, unsigned src_count, const ir_ref *src, ir_ref *second)
{
    const struct ir_op_info *info = &ir_ops[op];
    ir_ref folded;
    if (!lane && !second && ir_fold(b, op, src_count, src, &folded))
        return folded;
    struct ir_inst *inst = ir_append(b, op);
    inst->lane = lane;
    inst->src_count = (uint8_t)src_count;
    memcpy(inst->src, src, src_count * sizeof *src);
    bool mask_result = info->class == IR_C_COMPARE;
    unsigned slots = mask_result && !lane ? 1 : slots_of(b->func, info->dst_type[0]);
    /* A lane op gives a lane value, but a compare gives a mask, and some ops always a uniform. */
    bool lane_result = lane && !mask_result && !(info->flags & IR_F_UNIFORM);
    inst->dst[0] = lane_result ? ir_v_temp(b, slots) : ir_s_temp(b, slots);
    ir_ref result = inst->dst[0];
    if (mask_result)
        inst->mask = ir_s(IR_EXEC);
    if (second) {
        inst->dst[1] = ir_s_temp(b, lane ? slots_of(b->func, info->dst_type[1]) : 1);
        *second = inst->dst[1];
    }
    return result;
}

ir_ref ir_emit(struct ir_builder *b, enum ir_op op, unsigned src_count, const ir_ref *src)
{
    bool lane = ir_ops[op].flags & IR_F_LANE;
    for (unsigned i = 0; i < src_count; i++)
        lane |= ir_is_lane(src[i]);
    return emit(b, op, lane, src_count, src, NULL);
}

ir_ref ir_emit_lane(struct ir_builder *b, enum ir_op op, unsigned src_count, const ir_ref *src)
{
    return emit(b, op, true, src_count, src, NULL);
}

ir_ref ir_emit2(struct ir_builder *b, enum ir_op op, bool lane, unsigned src_count, const ir_ref *src, ir_ref *second)
{
    return emit(b, op, lane, src_count, src, second);
}

/* The last instruction, when value is the temporary that it made and nothing of it has been used yet. */
static struct ir_inst *maker_of(struct ir_builder *b, ir_ref value, ir_ref dst, bool wide)
{
    struct ir_func *func = b->func;
    bool temp = (value.kind == IR_S && value.index >= IR_S_TEMP) || (value.kind == IR_V && value.index >= IR_V_TEMP);
    if (!temp || func->inst_count <= b->inst_start || value.kind != dst.kind)
        return NULL;
    struct ir_inst *last = &func->insts[func->inst_count - 1];
    const struct ir_op_info *info = &ir_ops[last->op];
    if (!ir_same(last->dst[0], value) || info->dst_count != 1)
        return NULL;
    /* Regular values, and compares assigned whole; irregular ops keep their temporaries. */
    if (info->class != IR_C_VALUE && info->class != IR_C_COMPARE)
        return NULL;
    bool made_wide = slots_of(func, info->dst_type[0]) == 2 && !(info->class == IR_C_COMPARE && !last->lane);
    return made_wide == wide ? last : NULL;
}

void ir_assign(struct ir_builder *b, ir_ref dst, ir_ref value, ir_ref mask)
{
    struct ir_inst *last = maker_of(b, value, dst, false);
    if (last) {
        last->dst[0] = dst;
        if (ir_is_lane(dst))
            last->mask = mask;
        return;
    }
    if (ir_same(dst, value))
        return;
    struct ir_inst *move = ir_append(b, IR_mov_b32);
    move->lane = ir_is_lane(dst);
    move->src_count = 1;
    move->src[0] = value;
    move->dst[0] = dst;
    if (ir_is_lane(dst))
        move->mask = mask;
}

void ir_assign64(struct ir_builder *b, ir_ref dst, ir_ref value, ir_ref mask)
{
    struct ir_inst *last = maker_of(b, value, dst, true);
    if (last) {
        last->dst[0] = dst;
        if (ir_is_lane(dst))
            last->mask = mask;
        return;
    }
    /* Overlapping pairs: copy through temporaries when the first move would destroy the second's source. */
    ir_ref high = ir_hi(b, value);
    if (ir_same(dst, high)) {
        ir_ref kept = ir_is_lane(high) ? ir_v_temp(b, 1) : ir_s_temp(b, 1);
        ir_assign(b, kept, high, ir_s(IR_ALL_LO));
        high = kept;
    }
    ir_assign(b, dst, value, mask);
    ir_assign(b, ir_hi(b, dst), high, mask);
}

uint32_t ir_block_begin(struct ir_func *func, uint64_t pc)
{
    if (!grow(func, (void **)&func->blocks, func->block_count, &func->block_cap, sizeof *func->blocks))
        return IR_NO_BLOCK;
    func->blocks[func->block_count] = (struct ir_block){.first = func->inst_count, .pc = pc, .succ = {IR_NO_BLOCK, IR_NO_BLOCK}};
    return func->block_count++;
}
