/* Recipes: taken from a program's values, and followed. */
#include "spirv/spirv_recipe.h"

#include <stdlib.h>
#include <string.h>

#include "ir/ir_fold.h"
#include "spirv/spirv_emit.h"

enum { ROW_SOURCES = 6, SPAN_BITS = 2, DEEPEST = 64 };

/* ---- taking ---- */

static uint32_t step_of(struct spirv_emitter *e, uint32_t node, unsigned depth);

static bool steps_of(struct spirv_emitter *e, const uint32_t *nodes, unsigned count, uint32_t *steps, unsigned depth)
{
    for (unsigned n = 0; n < count; n++)
        if ((steps[n] = step_of(e, nodes[n], depth)) == SPIRV_NO_STEP)
            return false;
    return true;
}

static bool take_load(struct spirv_emitter *e, const struct ir_inst *inst, const uint32_t *args, struct spirv_recipe_step *step,
                      unsigned depth)
{
    const struct ir_access *access = ir_inst_access(e->func, inst);
    if (inst->op != IR_load || !access || (access->space != IR_SPACE_SCALAR && access->space != IR_SPACE_SBUFFER) ||
        access->bytes < 4)
        return false;
    unsigned base = access->space == IR_SPACE_SBUFFER ? 4 : 2;
    step->kind = SPIRV_FROM_LOAD;
    step->what = access->space;
    step->value = (uint32_t)access->offset;
    return steps_of(e, args, base + (ir_is_none(inst->src[1]) ? 0 : 1), step->args, depth);
}

static bool take_row(struct spirv_emitter *e, const struct ir_ssa_node *op, struct spirv_recipe_step *step, unsigned depth)
{
    const struct ir_inst *inst = &e->func->insts[op->inst];
    const struct ir_op_info *info = &ir_ops[inst->op];
    const uint64_t ones[ROW_SOURCES] = {1, 1, 1, 1, 1, 1};
    uint64_t result;
    unsigned words = 0;
    if (inst->lane || info->class > IR_C_COMPARE || inst->src_count > ROW_SOURCES || !ir_is_none(inst->dst[1]) ||
        !ir_fold_values((enum ir_op)inst->op, ones, &result))
        return false;
    step->kind = SPIRV_FROM_ROW;
    step->what = inst->op;
    for (unsigned n = 0; n < inst->src_count; n++) {
        unsigned span = ir_src_span(e->func, inst, n);
        step->value |= span << n * SPAN_BITS;
        words += span;
    }
    return words <= SPIRV_STEP_ARGS && steps_of(e, ir_ssa_args(e->ssa, op), words, step->args, depth);
}

static bool take(struct spirv_emitter *e, uint32_t number, struct spirv_recipe_step *step, unsigned depth)
{
    enum { USER_SHIFT = 1, USER_MASK = 31 };
    const struct ir_ssa_node *node = &e->ssa->nodes[number], *op = node;
    memset(step, 0, sizeof *step);
    memset(step->args, 0xff, sizeof step->args);
    switch (node->kind) {
    case IR_SSA_CONST: step->value = node->value; return true;
    case IR_SSA_ENTRY:
        step->kind = SPIRV_FROM_USER;
        step->value = node->var;
        return node->var < IR_SSA_V && (e->options->registers || node->var < (e->options->rsrc2 >> USER_SHIFT & USER_MASK));
    case IR_SSA_WORD:
        op = &e->ssa->nodes[*ir_ssa_args(e->ssa, node)];
        step->word = node->word;
        if (op->kind != IR_SSA_OP)
            return false;
        break;
    case IR_SSA_OP: break;
    default: return false;
    }
    const struct ir_inst *inst = &e->func->insts[op->inst];
    return ir_ops[inst->op].class == IR_C_MEMORY ? take_load(e, inst, ir_ssa_args(e->ssa, op), step, depth)
                                                 : take_row(e, op, step, depth);
}

/* The step that makes node; SPIRV_NO_STEP: none does. */
static uint32_t step_of(struct spirv_emitter *e, uint32_t node, unsigned depth)
{
    struct spirv_recipe_step step;
    if (!e->step_at && !(e->step_at = calloc(e->ssa->node_count, sizeof *e->step_at))) {
        e->out_of_memory = true;
        return SPIRV_NO_STEP;
    }
    if (e->step_at[node])
        return e->step_at[node] - 1;
    if (depth >= DEEPEST || e->ssa->nodes[node].lane || !take(e, node, &step, depth + 1) || e->step_count >= SPIRV_MAX_STEPS)
        return SPIRV_NO_STEP;
    struct spirv_recipe_step *steps = realloc(e->steps, (e->step_count + 1) * sizeof *steps);
    if (!steps) {
        e->out_of_memory = true;
        return SPIRV_NO_STEP;
    }
    e->steps = steps;
    steps[e->step_count] = step;
    e->step_at[node] = ++e->step_count;
    return e->step_count - 1;
}

bool spirv_recipe_take(struct spirv_emitter *e, const uint32_t *nodes, unsigned count, uint32_t *steps)
{
    return steps_of(e, nodes, count, steps, 0);
}

/* ---- following ---- */

/* As the lane library's scalar loads go: each word by itself; the low two bits of every part of an address count as zero. */
static bool load(const struct spirv_recipe_step *step, const uint32_t *words, const struct spirv_recipe_source *source,
                 uint32_t *word)
{
    enum { LOW = 3, STRIDE_SHIFT = 16, STRIDE_MASK = 0x3fff, HIGH_BASE = 0xffff };
    bool buffer = step->what == IR_SPACE_SBUFFER;
    uint32_t index = step->args[buffer ? 4 : 2], offset = index == SPIRV_NO_STEP ? 0 : words[index] & ~(uint32_t)LOW;
    uint32_t low = words[step->args[0]] & ~(uint32_t)LOW, high = words[step->args[1]], said = step->value & ~(uint32_t)LOW;
    if (!buffer) {
        uint64_t base = low | (uint64_t)high << 32;
        return source->read(source->user, base + offset + (uint64_t)(int64_t)(int32_t)said + step->word * UINT64_C(4), word);
    }
    uint64_t stride = high >> STRIDE_SHIFT & STRIDE_MASK, records = words[step->args[2]], at = (uint64_t)(offset + said);
    at += step->word * UINT64_C(4);
    *word = 0;
    if (at + sizeof *word > (stride ? stride * records : records))
        return true;
    return source->read(source->user, (low | (uint64_t)(high & HIGH_BASE) << 32) + at, word);
}

static bool row(const struct spirv_recipe_step *step, const uint32_t *words, uint32_t *word)
{
    uint64_t values[ROW_SOURCES] = {0}, result;
    unsigned at = 0;
    for (unsigned n = 0; n < ROW_SOURCES; n++)
        for (unsigned k = 0; k < (step->value >> n * SPAN_BITS & ((1u << SPAN_BITS) - 1)); k++)
            values[n] |= (uint64_t)words[step->args[at++]] << 32 * k;
    if (!ir_fold_values((enum ir_op)step->what, values, &result))
        return false;
    *word = (uint32_t)(result >> 32 * (step->word & 1));
    return true;
}

/* A recipe from disk may hold anything. */
static bool is_sound(const struct spirv_recipe_step *step, uint32_t number)
{
    unsigned words = 0, least = 0;
    for (unsigned n = 0; n < SPIRV_STEP_ARGS && step->args[n] != SPIRV_NO_STEP; n++, words++)
        if (step->args[n] >= number)
            return false;
    if (step->kind == SPIRV_FROM_LOAD)
        least = step->what == IR_SPACE_SBUFFER ? 4 : 2;
    for (unsigned n = 0; step->kind == SPIRV_FROM_ROW && n < ROW_SOURCES; n++)
        least += step->value >> n * SPAN_BITS & ((1u << SPAN_BITS) - 1);
    return words >= least && (step->kind != SPIRV_FROM_ROW || step->what < IR_OP_COUNT) &&
           (step->kind != SPIRV_FROM_USER || step->value < IR_S_COUNT);
}

bool spirv_recipe_follow(const struct spirv_recipe_step *steps, uint32_t count, const struct spirv_recipe_source *source,
                         uint32_t *words)
{
    for (uint32_t n = 0; n < count; n++) {
        const struct spirv_recipe_step *step = &steps[n];
        bool good = is_sound(step, n);
        switch (step->kind) {
        case SPIRV_FROM_CONST: words[n] = step->value; break;
        case SPIRV_FROM_USER: words[n] = good ? source->scalars[step->value] : 0; break;
        case SPIRV_FROM_LOAD: good = good && load(step, words, source, &words[n]); break;
        default: good = good && row(step, words, &words[n]); break;
        }
        if (!good)
            return false;
    }
    return true;
}
