/* For ir/'s own tests: functions made from the op table, and text in and out of strings. */
#ifndef IR_IR_TESTING_H
#define IR_IR_TESTING_H

#include <stdlib.h>
#include <string.h>

#include "ir/ir_slots.h"

/* xorshift: the same numbers on every host. */
static inline uint32_t testing_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (uint32_t)(*state >> 16);
}

/* The text form; the caller frees it. */
static inline char *testing_print(const struct ir_func *func)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    ir_print(out, func);
    fclose(out);
    return text;
}

static inline ir_ref testing_uniform(struct ir_builder *b, uint64_t *random)
{
    if (testing_random(random) % 4 == 0)
        return ir_const(b, testing_random(random) * (uint64_t)testing_random(random));
    return ir_s(testing_random(random) % (IR_S_COUNT - 4));
}

static inline ir_ref testing_lane(uint64_t *random)
{
    return ir_v(testing_random(random) % (IR_V_COUNT - IR_MAX_SPAN));
}

static inline struct ir_access testing_access(uint64_t *random)
{
    static const uint8_t sizes[] = {1, 2, 4, 8, 12, 16};
    struct ir_access access = {.space = (uint8_t)(testing_random(random) % (IR_SPACE_GDS + 1)), .elements = 1};
    access.bytes = sizes[testing_random(random) % sizeof sizes];
    access.elements = (uint8_t)(1 + testing_random(random) % 2);
    access.format = (uint8_t)(testing_random(random) % 128);
    access.offset = (int32_t)(testing_random(random) % 8192) - 4096;
    access.offset1 = (int32_t)(testing_random(random) % 2048);
    access.atomic = (uint8_t)(testing_random(random) % (IR_A_CONDXCHG + 1));
    access.flags = testing_random(random) & 0xffff;
    return access;
}

static inline void testing_sources(struct ir_builder *b, struct ir_inst *inst, const struct ir_access *access, uint64_t *random)
{
    for (unsigned n = 0; n < inst->src_count; n++) {
        bool uniform = !inst->lane || ir_ops[inst->op].src_type[n] == IR_T_mask || testing_random(random) % 2;
        if (access && n == 0 && access->space != IR_SPACE_GLOBAL && access->space != IR_SPACE_FLAT)
            inst->src[n] = ir_s(testing_random(random) % 100);
        else if (access && n < 4)
            inst->src[n] = testing_uniform(b, random);
        else
            inst->src[n] = uniform ? testing_uniform(b, random) : testing_lane(random);
        /* A constant has two words; wider data is in slots. */
        if (inst->src[n].kind == IR_K && ir_src_span(b->func, inst, n) > 2)
            inst->src[n] = ir_s(testing_random(random) % (IR_S_COUNT - IR_MAX_SPAN));
    }
}

static inline void testing_image(struct ir_builder *b, uint64_t *random)
{
    struct ir_inst *inst;
    struct ir_image *image = ir_append_image(b, &inst, (enum ir_image_kind)(testing_random(random) % IR_IMAGE_KIND_COUNT));
    image->dim = (uint8_t)(testing_random(random) % IR_DIM_COUNT);
    image->atomic = (uint8_t)(testing_random(random) % (IR_A_CONDXCHG + 1));
    image->dmask = (uint8_t)(testing_random(random) % 16);
    image->result_words = (uint8_t)(1 + testing_random(random) % 4);
    image->data_words = (uint8_t)(testing_random(random) % 5);
    image->address_words = (uint8_t)(1 + testing_random(random) % 13);
    image->flags = (uint16_t)(testing_random(random) & ((1u << IR_IMAGE_FLAG_BITS) - 1));
    for (unsigned part = 0; part < IR_PART_COUNT; part++)
        if (testing_random(random) % 2)
            image->at[part] = (uint8_t)(testing_random(random) % image->address_words * IR_AT_WORD + testing_random(random) % 3);
    bool sampled = image->kind == IR_IMAGE_SAMPLE || image->kind == IR_IMAGE_GATHER || image->kind == IR_IMAGE_LOD;
    inst->src[0] = ir_s(testing_random(random) % 100);
    inst->src[1] = sampled ? ir_s(testing_random(random) % 100) : (ir_ref){0};
    inst->src[2] = image->data_words ? testing_lane(random) : (ir_ref){0};
    inst->src[3] = testing_lane(random);
    inst->dst[0] = testing_random(random) % 4 ? testing_lane(random) : (ir_ref){0};
}

/* Appends a valid instruction of that op with random operands. */
static inline void testing_append(struct ir_builder *b, enum ir_op op, bool lane, uint64_t *random)
{
    if (op == IR_image) {
        testing_image(b, random);
        return;
    }
    const struct ir_op_info *info = &ir_ops[op];
    struct ir_access shape = testing_access(random);
    struct ir_inst *inst;
    struct ir_access *access = NULL;
    if (ir_op_has_access(op)) {
        access = ir_append_access(b, &inst, op, (enum ir_space)shape.space);
        *access = shape;
        lane = inst->lane;
    } else {
        inst = ir_append(b, op);
        inst->imm = testing_random(random) % 3 ? 0 : testing_random(random);
    }
    lane |= (info->flags & IR_F_LANE) != 0;
    inst->lane = lane;
    testing_sources(b, inst, access, random);
    for (unsigned n = 0; n < info->dst_count; n++) {
        bool vector = lane && info->dst_type[n] != IR_T_mask && !(info->flags & IR_F_UNIFORM);
        inst->dst[n] = vector ? testing_lane(random) : ir_s(testing_random(random) % (IR_S_COUNT - IR_MAX_SPAN));
    }
    inst->mask = testing_random(random) % 2 ? ir_s(IR_EXEC) : ir_s(IR_ALL_LO);
}

/* One block, ended, with count random instructions of every op that does not end a block by itself. */
static inline struct ir_func *testing_func(unsigned wave_size, unsigned count, uint64_t *random)
{
    struct ir_func *func = ir_func_create(wave_size, 0x1000);
    struct ir_builder b = {.func = func};
    ir_block_begin(func, 0x1000);
    for (unsigned i = 0; i < count; i++) {
        ir_begin_inst(&b, 0x1000 + 4 * (i / 2));
        enum ir_op op = (enum ir_op)(testing_random(random) % IR_OP_COUNT);
        if (op != IR_unknown && op != IR_unsupported)
            testing_append(&b, op, testing_random(random) % 2, random);
    }
    struct ir_block *block = &func->blocks[0];
    block->count = func->inst_count;
    block->term = IR_TERM_END;
    block->end_pc = 0x1000 + 4 * count;
    return func;
}

#endif
