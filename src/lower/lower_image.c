/* Image instructions: which registers are address, descriptor and data, and what each part of the address is. */
#include <string.h>

#include "lower/lower_inst.h"

/* Coordinates of a dimension without its fragment, gradients along each screen axis, and whether it has fragments. RDNA ISA guide,
 * "Image addressing". */
static const struct {
    uint8_t coordinates, gradients, fragments;
} dimensions[IR_DIM_COUNT] = {
    [IR_DIM_1D] = {1, 1, 0},       [IR_DIM_2D] = {2, 2, 0},
    [IR_DIM_3D] = {3, 3, 0},       [IR_DIM_CUBE] = {3, 2, 0},
    [IR_DIM_1D_ARRAY] = {2, 1, 0}, [IR_DIM_2D_ARRAY] = {3, 2, 0},
    [IR_DIM_2D_MSAA] = {2, 0, 1},  [IR_DIM_2D_MSAA_ARRAY] = {3, 0, 1},
};

static bool has(const struct lower *l, uint64_t flag)
{
    return l->inst->row->flags & flag;
}

/* An address being laid out: the half registers taken so far. */
struct layout {
    struct ir_image *image;
    unsigned halves;
};

static void add_word(struct layout *at, unsigned part)
{
    at->halves += at->halves % 2;
    at->image->at[part] = (uint8_t)(at->halves / 2 * IR_AT_WORD + IR_AT_WHOLE);
    at->halves += 2;
}

static void add_half(struct layout *at, unsigned part)
{
    at->image->at[part] = (uint8_t)(at->halves / 2 * IR_AT_WORD + (at->halves % 2 ? IR_AT_HIGH : IR_AT_LOW));
    at->halves++;
}

static void add(struct layout *at, unsigned part, bool half)
{
    half ? add_half(at, part) : add_word(at, part);
}

/* What comes next begins a register. */
static void align(struct layout *at)
{
    at->halves += at->halves % 2;
}

static void add_gradients(const struct lower *l, struct layout *at)
{
    bool half = has(l, ISA_F(G16));
    for (unsigned axis = 0; axis < 2; axis++) {
        for (unsigned n = 0; n < dimensions[l->inst->dim].gradients; n++)
            add(at, (axis ? IR_PART_DY : IR_PART_DX) + n, half);
        align(at);
    }
}

/* last: what stands behind the coordinates where the row has something there. */
static void add_coordinates(const struct lower *l, struct layout *at, unsigned last)
{
    bool half = l->inst->a16;
    for (unsigned n = 0; n < dimensions[l->inst->dim].coordinates && !has(l, ISA_F(RESINFO)); n++)
        add(at, IR_PART_X + n, half);
    if (dimensions[l->inst->dim].fragments && !has(l, ISA_F(RESINFO)))
        add(at, IR_PART_FRAGMENT, half);
    if (has(l, ISA_F(LOD) | ISA_F(RESINFO)))
        add(at, last, half);
    align(at);
}

static void add_parts(const struct lower *l, struct layout *at, unsigned last)
{
    if (has(l, ISA_F(OFFSET)))
        add_word(at, IR_PART_OFFSET);
    if (has(l, ISA_F(BIAS)))
        add(at, IR_PART_BIAS, l->inst->a16);
    align(at);
    if (has(l, ISA_F(PCF)))
        add_word(at, IR_PART_COMPARE);
    if (has(l, ISA_F(GRAD)))
        add_gradients(l, at);
    add_coordinates(l, at, last);
}

static void add_ray(const struct lower *l, struct layout *at)
{
    add_word(at, IR_PART_NODE);
    if (l->inst->row->id == ISA_image_bvh64_intersect_ray)
        add_word(at, IR_PART_NODE_HI);
    add_word(at, IR_PART_EXTENT);
    for (unsigned n = 0; n < 3; n++)
        add_word(at, IR_PART_ORIGIN + n);
    for (unsigned n = 0; n < 6; n++) /* direction and its inverse follow each other */
        add(at, IR_PART_DIRECTION + n, l->inst->a16);
}

static bool is_consecutive(const struct isa_inst *inst)
{
    for (unsigned n = 1; n < inst->addr_count; n++)
        if (inst->addr[n] != inst->addr[0] + n)
            return false;
    return true;
}

/* The address in consecutive slots. Neighbours in a quad look at each other's, whether they are active or not. */
static ir_ref address_of(struct lower *l)
{
    const struct isa_inst *inst = l->inst;
    if (is_consecutive(inst))
        return ir_v(inst->addr[0]);
    ir_ref first = ir_v_temp(l->b, inst->addr_count);
    for (unsigned n = 0; n < inst->addr_count; n++)
        ir_assign(l->b, ir_v(first.index + n), ir_v(inst->addr[n]), ir_s(IR_ALL_LO));
    return first;
}

static uint32_t modifier_flags(const struct isa_inst *inst)
{
    return (inst->d16 ? IR_IM_D16 : 0) | (inst->unorm ? IR_IM_UNORM : 0) | (inst->r128 ? IR_IM_R128 : 0) |
           (inst->glc ? IR_IM_GLC : 0) | (inst->slc ? IR_IM_SLC : 0) | (inst->dlc ? IR_IM_DLC : 0) | (inst->lwe ? IR_IM_LWE : 0);
}

/* Registers that hold so many components. */
static unsigned words_of(const struct isa_inst *inst, unsigned components)
{
    components = components ? components : 1;
    return inst->d16 ? (components + 1) / 2 : components;
}

/* The operation with its modifiers, its address laid out, and its sources but for the data. */
static struct ir_image *begin(struct lower *l, struct ir_inst **made, enum ir_image_kind kind, unsigned last)
{
    const struct isa_inst *inst = l->inst;
    unsigned resource = has(l, ISA_F(STORE) | ISA_F(ATOMIC)) ? 1 : 0;
    ir_ref address = address_of(l), desc = lower_raw(l, &inst->src[resource]);
    ir_ref sampler = inst->src_count > resource + 1 ? lower_raw(l, &inst->src[resource + 1]) : (ir_ref){0};
    if (desc.kind != IR_S || (!ir_is_none(sampler) && sampler.kind != IR_S))
        lower_refuse(l); /* a descriptor of NULL */
    struct ir_image *image = ir_append_image(l->b, made, kind);
    struct layout at = {.image = image};
    if (kind == IR_IMAGE_RAY)
        add_ray(l, &at);
    else
        add_parts(l, &at, last);
    image->dim = inst->dim;
    image->dmask = inst->dmask;
    image->flags = (uint16_t)modifier_flags(inst);
    image->address_words = (uint8_t)((at.halves + 1) / 2);
    if (image->address_words != inst->addr_count)
        lower_refuse(l); /* the decoder counts by the same rule */
    (*made)->src[0] = desc;
    (*made)->src[1] = sampler;
    (*made)->src[3] = address;
    return image;
}

static void set_result(struct lower *l, struct ir_inst *made, struct ir_image *image, unsigned components)
{
    const struct isa_operand *dst = &l->inst->dst[0];
    unsigned words = words_of(l->inst, components), room = 256u - dst->reg;
    image->result_words = (uint8_t)(words < room ? words : room);
    if (l->inst->tfe && image->result_words < room)
        image->flags |= IR_IM_TFE;
    made->dst[0] = ir_v(dst->reg);
}

static void set_data(struct lower *l, struct ir_inst *made, struct ir_image *image, unsigned components)
{
    image->data_words = (uint8_t)words_of(l->inst, components);
    made->src[2] = lower_raw(l, &l->inst->src[0]);
}

static unsigned components_of(const struct lower *l)
{
    return (unsigned)__builtin_popcount(l->inst->dmask);
}

void lower_image_load(struct lower *l, enum ir_image_kind kind, uint32_t flags)
{
    struct ir_inst *made;
    struct ir_image *image = begin(l, &made, kind, IR_PART_LOD);
    image->flags |= (uint16_t)flags;
    /* Four fragments come back whatever the mask says. */
    set_result(l, made, image, kind == IR_IMAGE_SAMPLES ? 4 : components_of(l));
}

void lower_image_store(struct lower *l, enum ir_image_kind kind)
{
    struct ir_inst *made;
    struct ir_image *image = begin(l, &made, kind, IR_PART_LOD);
    set_data(l, made, image, components_of(l));
}

/* The mask counts registers: one or two for the data, and as many for the comparand behind it. */
void lower_image_atomic(struct lower *l, enum ir_atomic what)
{
    struct ir_inst *made;
    struct ir_image *image = begin(l, &made, IR_IMAGE_ATOMIC, IR_PART_LOD);
    bool pair = what == IR_A_CMPSWAP || what == IR_A_FCMPSWAP;
    unsigned words = components_of(l) / (pair ? 2 : 1);
    image->atomic = (uint8_t)what;
    image->flags |= words == 2 ? IR_IM_WIDE : 0;
    set_data(l, made, image, components_of(l));
    if (l->inst->glc && l->inst->dst_count) {
        image->flags |= IR_IM_RETURN;
        set_result(l, made, image, words);
    } else if (l->inst->tfe) {
        lower_refuse(l); /* where the status would go is not known */
    }
}

void lower_image_sample(struct lower *l, enum ir_image_kind kind, uint32_t flags)
{
    struct ir_inst *made;
    struct ir_image *image = begin(l, &made, kind, flags & LOWER_IMAGE_CLAMP ? IR_PART_CLAMP : IR_PART_LOD);
    image->flags |= (uint16_t)(flags & ~(uint32_t)LOWER_IMAGE_CLAMP);
    set_result(l, made, image, kind == IR_IMAGE_GATHER ? 4 : components_of(l));
}

void lower_image_size(struct lower *l)
{
    struct ir_inst *made;
    struct ir_image *image = begin(l, &made, IR_IMAGE_SIZE, IR_PART_LOD);
    set_result(l, made, image, components_of(l));
}

void lower_image_ray(struct lower *l)
{
    struct ir_inst *made;
    struct ir_image *image = begin(l, &made, IR_IMAGE_RAY, IR_PART_LOD);
    set_result(l, made, image, 4);
}
