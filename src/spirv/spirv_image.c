/* Image operations: the host's view of each one's descriptor, compared with what the program has, and calls by lanes. */
#include <stdlib.h>
#include <string.h>

#include "spirv/spirv_emit.h"
#include "spirv/spirv_layout.h"

enum { COMPONENTS = 4, DESCRIPTOR_WORDS = 8, SAMPLER_WORDS = 4 };

/* What all packs share of an operation. */
struct operation {
    const struct ir_image *image;
    const struct spirv_args *args;
    uint32_t view[2]; /* device address of its view */
    uint32_t holds;   /* the view is the descriptor's */
    uint32_t halves;
};

static bool is_sampled(const struct ir_image *image)
{
    return image->kind == IR_IMAGE_SAMPLE || image->kind == IR_IMAGE_GATHER || image->kind == IR_IMAGE_LOD;
}

static bool has(const struct ir_image *image, unsigned part)
{
    return image->at[part] != IR_AT_NOWHERE;
}

/* Part of the address in pack k, widened; 0 where there is none. */
static uint32_t part(struct spirv_emitter *e, const struct operation *o, unsigned part, unsigned k)
{
    unsigned at = o->image->at[part], half = at % IR_AT_WORD;
    uint32_t u = e->library->t_u32;
    bool is_float = is_sampled(o->image) || o->image->kind == IR_IMAGE_RAY;
    if (at == IR_AT_NOWHERE)
        return spirv_const(e, 0);
    uint32_t word = spirv_value(e, o->args->source[3][at / IR_AT_WORD], k);
    if (half == IR_AT_LOW)
        word = spirv_op2(e, OP_BITWISE_AND, u, word, spirv_const(e, 0xffff));
    if (half == IR_AT_HIGH)
        word = spirv_op2(e, OP_SHIFT_RIGHT_LOGICAL, u, word, spirv_const(e, 16));
    return half != IR_AT_WHOLE && is_float ? spirv_call(e, "widen_half", 1, &word) : word;
}

/* The module's record of the operation; its number. */
static uint32_t add_image(struct spirv_emitter *e, const struct spirv_args *args, const struct ir_image *image)
{
    const struct ir_inst *inst = args->inst;
    bool sampled = is_sampled(image);
    struct spirv_image *images = realloc(e->images, (e->image_count + 1) * sizeof *images);
    if (!images) {
        e->out_of_memory = true;
        return 0;
    }
    e->images = images;
    images[e->image_count] = (struct spirv_image){
        .pc = inst->pc,
        .r128 = image->flags & IR_IM_R128,
        .sampled = sampled,
        .raw = image->kind == IR_IMAGE_LOAD_RAW || image->kind == IR_IMAGE_STORE_RAW,
        .cube = image->dim == IR_DIM_CUBE,
        .says = image->kind == IR_IMAGE_SIZE || image->kind == IR_IMAGE_LOD,
        .stores = image->kind == IR_IMAGE_STORE || image->kind == IR_IMAGE_STORE_RAW || image->kind == IR_IMAGE_ATOMIC,
        .atomic_bytes = image->kind != IR_IMAGE_ATOMIC ? 0
                        : image->flags & IR_IM_WIDE    ? 8
                                                       : 4,
    };
    memset(images[e->image_count].descriptor, 0xff, sizeof images->descriptor);
    memset(images[e->image_count].sampler, 0xff, sizeof images->sampler);
    unsigned words = image->flags & IR_IM_R128 ? DESCRIPTOR_WORDS / 2 : DESCRIPTOR_WORDS;
    if (!spirv_recipe_take(e, args->source[0], words, images[e->image_count].descriptor) ||
        (sampled && !spirv_recipe_take(e, args->source[1], SAMPLER_WORDS, images[e->image_count].sampler)))
        spirv_refuse(e, inst, "takes a descriptor that may differ from wave to wave");
    return e->image_count++;
}

static struct operation begin(struct spirv_emitter *e, const struct spirv_args *args, const struct ir_image *image)
{
    struct operation o = {.image = image, .args = args, .halves = spirv_bool(e, image->flags & IR_IM_D16)};
    bool r128 = image->flags & IR_IM_R128;
    struct spirv_operands c = {.count = 0};
    uint32_t view = spirv_call(e, "view_of", 1, (uint32_t[]){spirv_const(e, add_image(e, args, image))});
    for (unsigned n = 0; n < 2; n++)
        spirv_push(&c, o.view[n] = spirv_word_of(e, view, n));
    for (unsigned n = 0; n < DESCRIPTOR_WORDS; n++)
        spirv_push(&c, r128 && n >= DESCRIPTOR_WORDS / 2 ? spirv_const(e, 0) : spirv_value(e, args->source[0][n], 0));
    spirv_push(&c, spirv_bool(e, r128));
    o.holds = spirv_call(e, "view_holds", c.count, c.operand);
    if (is_sampled(image)) {
        struct spirv_operands s = {.operand = {o.view[0], o.view[1]}, .count = 2};
        for (unsigned n = 0; n < SAMPLER_WORDS; n++)
            spirv_push(&s, spirv_value(e, args->source[1][n], 0));
        uint32_t sampler = spirv_call(e, "sampler_holds", s.count, s.operand);
        o.holds = spirv_op2(e, OP_LOGICAL_AND, e->library->t_bool, o.holds, sampler);
    }
    return o;
}

/* The lane's bit, and the view. */
static void push_view(struct spirv_emitter *e, const struct operation *o, unsigned k, struct spirv_operands *c)
{
    c->count = 0;
    spirv_push(c, spirv_op2(e, OP_LOGICAL_AND, e->library->t_bool, spirv_mask_bool(e, o->args->mask, k), o->holds));
    spirv_push(c, o->view[0]);
    spirv_push(c, o->view[1]);
}

/* x, y, slice, level, fragment. */
static void push_place(struct spirv_emitter *e, const struct operation *o, unsigned k, struct spirv_operands *c)
{
    bool line = o->image->dim == IR_DIM_1D_ARRAY;
    spirv_push(c, part(e, o, IR_PART_X, k));
    spirv_push(c, line ? spirv_const(e, 0) : part(e, o, IR_PART_Y, k));
    spirv_push(c, part(e, o, line ? IR_PART_Y : IR_PART_Z, k));
    spirv_push(c, part(e, o, IR_PART_LOD, k));
    spirv_push(c, part(e, o, IR_PART_FRAGMENT, k));
}

/* ---- results ---- */

/* Of all components that a call gives in pack k those that the instruction wants, in its registers. */
static void take_components(struct spirv_emitter *e, const struct operation *o, unsigned mask,
                            const struct spirv_results *components, struct spirv_results *r)
{
    const struct ir_image *image = o->image;
    unsigned per_word = image->flags & IR_IM_D16 ? 2 : 1;
    uint32_t u = e->library->t_u32;
    for (unsigned k = 0; k < e->packs; k++) {
        unsigned n = 0;
        if (!mask && image->result_words)
            r->id[0][k] = spirv_const(e, 0);
        for (unsigned c = 0; c < COMPONENTS && n / per_word < image->result_words; c++) {
            if (!(mask >> c & 1))
                continue;
            uint32_t value = components->id[c][k], *word = &r->id[n / per_word][k];
            if (per_word == 1) {
                *word = value;
            } else if (n % 2) {
                *word = spirv_op2(e, OP_BITWISE_AND, u, *word, spirv_const(e, 0xffff));
                *word = spirv_op2(e, OP_BITWISE_OR, u, *word, spirv_op2(e, OP_SHIFT_LEFT_LOGICAL, u, value, spirv_const(e, 16)));
            } else { /* a half that no component fills stays */
                uint32_t old = spirv_value(e, o->args->all[o->args->old + n / 2], k);
                *word = spirv_op2(e, OP_BITWISE_AND, u, old, spirv_const(e, 0xffff0000u));
                *word = spirv_op2(e, OP_BITWISE_OR, u, *word, value);
            }
            n++;
        }
        for (unsigned w = (n + per_word - 1) / per_word; w < image->result_words; w++)
            if (!r->id[w][k])
                r->id[w][k] = spirv_value(e, o->args->all[o->args->old + w], k);
    }
}

static void emit_load(struct spirv_emitter *e, const struct operation *o, struct spirv_results *r)
{
    static const char *const names[] = {
        [IR_IMAGE_LOAD] = "image_load", [IR_IMAGE_LOAD_RAW] = "image_load_raw", [IR_IMAGE_SAMPLES] = "image_samples"};
    const struct ir_image *image = o->image;
    struct spirv_operands calls[SPIRV_MAX_PACKS];
    struct spirv_results components;
    memset(&components, 0, sizeof components);
    for (unsigned k = 0; k < e->packs; k++) {
        struct spirv_operands *c = &calls[k];
        push_view(e, o, k, c);
        push_place(e, o, k, c);
        spirv_push(c, o->halves);
        if (image->kind == IR_IMAGE_LOAD_RAW)
            spirv_push(c, spirv_bool(e, image->flags & IR_IM_SIGNED));
        if (image->kind == IR_IMAGE_SAMPLES)
            spirv_push(c, spirv_const(e, image->dmask ? (uint32_t)__builtin_ctz(image->dmask) : 0));
    }
    spirv_call_packs(e, names[image->kind], calls, COMPONENTS, true, 0, &components);
    take_components(e, o, image->kind == IR_IMAGE_SAMPLES ? 15 : image->dmask, &components, r);
}

static void emit_size(struct spirv_emitter *e, const struct operation *o, struct spirv_results *r)
{
    struct spirv_operands calls[SPIRV_MAX_PACKS];
    struct spirv_results components;
    memset(&components, 0, sizeof components);
    for (unsigned k = 0; k < e->packs; k++) {
        push_view(e, o, k, &calls[k]);
        spirv_push(&calls[k], part(e, o, IR_PART_LOD, k));
        spirv_push(&calls[k], o->halves);
    }
    spirv_call_packs(e, "image_size", calls, COMPONENTS, true, 0, &components);
    take_components(e, o, o->image->dmask, &components, r);
}

/* ---- samples ---- */

enum { GRADIENTS = 6, COORDINATES = 3, RIGHT = 1, BELOW = 2 };

static uint32_t shuffle(struct spirv_emitter *e, uint32_t value, uint32_t invocation)
{
    return spirv_shuffle(e, value, invocation);
}

/* value in the quad's lane number `which`: quads lie in a pack, and in neighbouring invocations. */
static uint32_t of_quad(struct spirv_emitter *e, uint32_t value, unsigned which)
{
    uint32_t u = e->library->t_u32, first = spirv_op2(e, OP_BITWISE_AND, u, e->lane[0], spirv_const(e, e->subgroup - 4));
    return shuffle(e, value, spirv_op2(e, OP_BITWISE_OR, u, first, spirv_const(e, which)));
}

/* Which gradient belongs to coordinate n; slices have none. */
static bool has_gradient(const struct ir_image *image, unsigned n)
{
    static const uint8_t counts[IR_DIM_COUNT] = {1, 2, 3, 2, 1, 2, 2, 2};
    return n < counts[image->dim];
}

static bool derives(const struct ir_image *image)
{
    return !(image->flags & IR_IM_ZERO) && !has(image, IR_PART_LOD) && !has(image, IR_PART_DX);
}

/* The steps along x, then along y. */
static void take_gradients(struct spirv_emitter *e, const struct operation *o, unsigned k, uint32_t out[GRADIENTS])
{
    const struct ir_image *image = o->image;
    uint32_t leader = 0, u = e->library->t_u32;
    if (image->flags & IR_IM_COARSE) {
        uint32_t word = spirv_mask_word(e, o->args->mask, k);
        leader = spirv_call(e, "quad_leader", 2, (uint32_t[]){word, e->lane[k]});
        leader = spirv_op2(e, OP_BITWISE_AND, u, leader, spirv_const(e, e->subgroup - 1));
    }
    for (unsigned n = 0; n < GRADIENTS; n++) {
        unsigned axis = n % COORDINATES;
        out[n] = spirv_const(e, 0);
        if (!has_gradient(image, axis))
            continue;
        if (derives(image)) {
            uint32_t value = part(e, o, IR_PART_X + axis, k);
            out[n] = spirv_call(e, "difference_of", 2,
                                (uint32_t[]){of_quad(e, value, n < COORDINATES ? RIGHT : BELOW), of_quad(e, value, 0)});
        } else if (has(image, IR_PART_DX)) {
            out[n] = part(e, o, (n < COORDINATES ? IR_PART_DX : IR_PART_DY) + axis, k);
            if (leader)
                out[n] = shuffle(e, out[n], leader);
        }
    }
}

bool spirv_image_is_alone(const struct spirv_emitter *e, const struct ir_inst *inst)
{
    const struct ir_image *image = ir_inst_image(e->func, inst);
    return image && !(image->flags & IR_IM_COARSE) && !(is_sampled(image) && derives(image));
}

static uint32_t ask_of(const struct ir_image *image)
{
    enum { COMPONENT_SHIFT = 6 };
    uint32_t ask = image->flags & IR_IM_ZERO ? ASK_ZERO : has(image, IR_PART_LOD) ? ASK_GIVEN : ASK_DERIVED;
    ask |= (has(image, IR_PART_BIAS) ? ASK_BIAS : 0) | (has(image, IR_PART_CLAMP) ? ASK_CLAMP : 0);
    ask |= (has(image, IR_PART_COMPARE) ? ASK_COMPARE : 0) | (image->flags & IR_IM_UNORM ? ASK_UNNORMALIZED : 0);
    return ask | (image->dmask ? (uint32_t)__builtin_ctz(image->dmask) : 0) << COMPONENT_SHIFT;
}

static void emit_sample(struct spirv_emitter *e, const struct operation *o, struct spirv_results *r)
{
    const struct ir_image *image = o->image;
    bool line = image->dim == IR_DIM_1D_ARRAY, gather = image->kind == IR_IMAGE_GATHER;
    struct spirv_operands calls[SPIRV_MAX_PACKS];
    struct spirv_results components;
    memset(&components, 0, sizeof components);
    for (unsigned k = 0; k < e->packs; k++) {
        struct spirv_operands *c = &calls[k];
        uint32_t gradients[GRADIENTS];
        push_view(e, o, k, c);
        spirv_push(c, spirv_bool(e, image->dim == IR_DIM_CUBE));
        spirv_push(c, part(e, o, IR_PART_X, k));
        spirv_push(c, line ? spirv_const(e, 0) : part(e, o, IR_PART_Y, k));
        spirv_push(c, part(e, o, line ? IR_PART_Y : IR_PART_Z, k));
        spirv_push(c, part(e, o, has(image, IR_PART_BIAS) ? IR_PART_BIAS : IR_PART_LOD, k));
        spirv_push(c, part(e, o, IR_PART_CLAMP, k));
        spirv_push(c, part(e, o, IR_PART_COMPARE, k));
        take_gradients(e, o, k, gradients);
        for (unsigned n = 0; n < GRADIENTS; n++)
            spirv_push(c, gradients[n]);
        spirv_push(c, part(e, o, IR_PART_OFFSET, k));
        spirv_push(c, spirv_const(e, ask_of(image)));
        spirv_push(c, o->halves);
    }
    spirv_call_packs(e,
                     gather                        ? "image_gather"
                     : image->kind == IR_IMAGE_LOD ? "image_lod"
                                                   : "image_sample",
                     calls, COMPONENTS, true, 0, &components);
    take_components(e, o, gather ? 15 : image->dmask, &components, r);
    e->exact--;
    e->approximate++;
}

/* ---- stores ---- */

/* Component c of the data in pack k; 0 where the instruction has none. */
static uint32_t component(struct spirv_emitter *e, const struct operation *o, unsigned c, unsigned k)
{
    const struct ir_image *image = o->image;
    bool halves = image->flags & IR_IM_D16 && image->kind == IR_IMAGE_STORE;
    unsigned n = (unsigned)__builtin_popcount(image->dmask & ((1u << c) - 1)), word = halves ? n / 2 : n;
    uint32_t u = e->library->t_u32;
    if (!(image->dmask >> c & 1) || word >= image->data_words)
        return spirv_const(e, 0);
    uint32_t value = spirv_value(e, o->args->source[2][word], k);
    if (!halves)
        return value;
    return n % 2 ? spirv_op2(e, OP_SHIFT_RIGHT_LOGICAL, u, value, spirv_const(e, 16))
                 : spirv_op2(e, OP_BITWISE_AND, u, value, spirv_const(e, 0xffff));
}

static void emit_store(struct spirv_emitter *e, const struct operation *o)
{
    bool raw = o->image->kind == IR_IMAGE_STORE_RAW;
    struct spirv_operands calls[SPIRV_MAX_PACKS];
    for (unsigned k = 0; k < e->packs; k++) {
        struct spirv_operands *c = &calls[k];
        push_view(e, o, k, c);
        push_place(e, o, k, c);
        if (!raw)
            spirv_push(c, o->halves);
        for (unsigned n = 0; n < COMPONENTS; n++)
            spirv_push(c, component(e, o, n, k));
    }
    spirv_call_packs(e, raw ? "image_store_raw" : "image_store", calls, 0, true, 0, NULL);
}

static void emit_atomic(struct spirv_emitter *e, const struct operation *o, struct spirv_results *r)
{
    const struct ir_image *image = o->image;
    unsigned words = image->flags & IR_IM_WIDE ? 2 : 1;
    struct spirv_operands calls[SPIRV_MAX_PACKS];
    struct spirv_results old;
    memset(&old, 0, sizeof old);
    for (unsigned k = 0; k < e->packs; k++) {
        struct spirv_operands *c = &calls[k];
        push_view(e, o, k, c);
        push_place(e, o, k, c);
        spirv_push(c, spirv_const(e, image->atomic));
        for (unsigned n = 0; n < 2 * words; n++) /* a number of less registers than its width is 0 */
            spirv_push(c, (n / words + 1) * words <= image->data_words ? spirv_value(e, o->args->source[2][n], k)
                                                                       : spirv_const(e, 0));
    }
    spirv_call_packs(e, words == 2 ? "image_atomic64" : "image_atomic32", calls, words, words == 2, 0, &old);
    for (unsigned w = 0; w < image->result_words && !ir_is_none(o->args->inst->dst[0]); w++)
        for (unsigned k = 0; k < e->packs; k++)
            r->id[w][k] = w < words ? old.id[w][k] : spirv_const(e, 0);
}

/* A node of a hierarchy, by the descriptor that the wave has. */
static void emit_ray(struct spirv_emitter *e, const struct spirv_args *args, const struct ir_image *image,
                     struct spirv_results *r)
{
    enum { TREE_WORDS = 4, AXES = 3 };
    const struct operation o = {.image = image, .args = args};
    struct spirv_operands calls[SPIRV_MAX_PACKS];
    struct spirv_results components;
    memset(&components, 0, sizeof components);
    for (unsigned k = 0; k < e->packs; k++) {
        struct spirv_operands *c = &calls[k];
        c->count = 0;
        spirv_push(c, spirv_mask_bool(e, args->mask, k));
        for (unsigned n = 0; n < TREE_WORDS; n++)
            spirv_push(c, spirv_value(e, args->source[0][n], 0));
        spirv_push(c, part(e, &o, IR_PART_NODE, k));
        spirv_push(c, part(e, &o, IR_PART_NODE_HI, k));
        spirv_push(c, part(e, &o, IR_PART_EXTENT, k));
        for (unsigned n = 0; n < AXES; n++)
            spirv_push(c, part(e, &o, IR_PART_ORIGIN + n, k));
        for (unsigned n = 0; n < AXES; n++)
            spirv_push(c, part(e, &o, IR_PART_DIRECTION + n, k));
        for (unsigned n = 0; n < AXES; n++)
            spirv_push(c, part(e, &o, IR_PART_INVERSE + n, k));
        spirv_push(c, spirv_const(e, spirv_site(e, args->inst->pc)));
        spirv_push(c, e->lane[k]);
    }
    spirv_call_packs(e, "image_ray", calls, COMPONENTS, true, 0, &components);
    take_components(e, &o, image->dmask, &components, r);
    e->rays = true;
    e->exact--;
    e->approximate++;
}

static const char *refusal(const struct ir_image *image)
{
    if (image->kind == IR_IMAGE_ATOMIC &&
        (image->atomic == IR_A_CONDXCHG || (image->atomic == IR_A_FADD && image->flags & IR_IM_WIDE)))
        return "is an atomic of a kind that this device lacks";
    return NULL;
}

void spirv_emit_image(struct spirv_emitter *e, const struct spirv_args *args, struct spirv_results *r)
{
    const struct ir_image *image = ir_inst_image(e->func, args->inst);
    const char *what = !image ? "is no image operation" : !args->mask ? "runs without a mask of lanes" : refusal(image);
    if (what) {
        spirv_refuse(e, args->inst, what);
        return;
    }
    if (image->kind == IR_IMAGE_RAY) {
        emit_ray(e, args, image, r);
        return;
    }
    const struct operation o = begin(e, args, image);
    switch (image->kind) {
    case IR_IMAGE_STORE:
    case IR_IMAGE_STORE_RAW: emit_store(e, &o); break;
    case IR_IMAGE_ATOMIC: emit_atomic(e, &o, r); break;
    case IR_IMAGE_SAMPLE:
    case IR_IMAGE_GATHER:
    case IR_IMAGE_LOD: emit_sample(e, &o, r); break;
    case IR_IMAGE_SIZE: emit_size(e, &o, r); break;
    default: emit_load(e, &o, r); break;
    }
    /* The status word: nothing is ever missing of what has a view. */
    for (unsigned k = 0; image->flags & IR_IM_TFE && !ir_is_none(args->inst->dst[0]) && k < e->packs; k++)
        r->id[image->result_words][k] = spirv_const(e, 0);
}
