/* Global addresses as compilers make them for an array - a lane's index widened, shifted, added to a scalar base in two halves -
 * told by the access itself: by its base, its index and the shift. What made the address is then often dead.
 *
 * Looks at one block at a time, and within it at stretches in which EXEC does not change: what is known of a vector register is
 * known of its active lanes. A register that is overwritten after an address was made of it is copied first. */
#include <stdlib.h>
#include <string.h>

#include "ir/ir_live.h"

enum { MOST_VALUES = 256, NO_COPY = 0xffff };

/* A 64-bit value of each lane: base (where there is one) plus the widened index, shifted. */
struct value {
    uint16_t index; /* V slot */
    uint32_t index_version;
    bool is_signed, wide; /* wide: the index is widened (else it is not known yet how) */
    uint8_t shift;
    ir_ref base; /* S slot, or none */
    uint32_t base_version[2];
    uint32_t root;    /* the value without a base that this one was made of, or itself: the copy is that one's */
    uint32_t made_at; /* instruction before which the index is intact */
    uint16_t copy;    /* the slot that the index is copied to there, or NO_COPY */
};

/* What is known of a V slot. */
struct known {
    enum { NOTHING, CONSTANT, SIGN, LOW, HIGH } kind;
    uint32_t word; /* CONSTANT: itself; SIGN: the version of `of`; LOW, HIGH: number of the value */
    uint16_t of;   /* SIGN: the slot whose sign fills it */
};

struct scan {
    struct ir_func *func;
    struct known v[IR_V_COUNT];
    uint32_t s_version[IR_S_COUNT], v_version[IR_V_COUNT];
    struct value values[MOST_VALUES];
    uint32_t value_count;
    /* The sum of low halves that was made last: its value, what was added to the base, and the mask with its carries. */
    struct {
        uint32_t value, addend;
        bool addend_known;
        ir_ref mask;
        uint32_t mask_version[2];
    } carry;
    uint32_t copies;
    struct ir_ssa_shape shape;
};

static bool constant_of(const struct scan *t, ir_ref r, uint32_t *value)
{
    uint64_t wide;
    if (r.kind == IR_V && t->v[r.index].kind == CONSTANT) {
        *value = t->v[r.index].word;
        return true;
    }
    bool known = ir_const_value(t->func, r, &wide);
    *value = known ? (uint32_t)wide : 0;
    return known;
}

static bool is_zero(const struct scan *t, ir_ref r)
{
    uint32_t value;
    return constant_of(t, r, &value) && value == 0;
}

/* Whether r fills with the sign of slot `of`, as that is now. */
static bool is_sign_of(const struct scan *t, ir_ref r, uint16_t of, uint32_t version)
{
    return r.kind == IR_V && t->v[r.index].kind == SIGN && t->v[r.index].of == of && t->v[r.index].word == version;
}

static struct value *add_value(struct scan *t, uint32_t *number)
{
    if (t->value_count == MOST_VALUES)
        return NULL;
    *number = t->value_count++;
    t->values[*number] = (struct value){.root = *number, .copy = NO_COPY};
    return &t->values[*number];
}

static bool same_version(const struct scan *t, ir_ref s, const uint32_t version[2])
{
    return t->s_version[s.index] == version[0] && t->s_version[s.index + 1] == version[1];
}

static void note_version(const struct scan *t, ir_ref s, uint32_t version[2])
{
    version[0] = t->s_version[s.index];
    version[1] = t->s_version[s.index + 1];
}

/* What an instruction adds to what is known: found before its writes count, kept here until they have. */
struct result {
    struct known low, high; /* of dst[0]'s slots */
    bool carries;           /* a sum of low halves: what scan.carry says of it */
    uint32_t value, addend;
    bool addend_known;
};

static void see_shift(struct scan *t, uint32_t at, const struct ir_inst *inst, struct result *result)
{
    uint32_t count, number;
    ir_ref low = inst->src[0], high = {low.kind, (uint16_t)(low.index + 1)};
    if (low.kind != IR_V || !constant_of(t, inst->src[1], &count) || count > 31)
        return;
    bool is_signed = is_sign_of(t, high, low.index, t->v_version[low.index]);
    if (!is_signed && !is_zero(t, high))
        return;
    struct value *value = add_value(t, &number);
    if (!value)
        return;
    value->index = low.index;
    value->index_version = t->v_version[low.index];
    value->is_signed = is_signed;
    value->wide = true;
    value->shift = (uint8_t)count;
    value->made_at = at;
    result->low = (struct known){LOW, number, 0};
    result->high = (struct known){HIGH, number, 0};
}

/* base + low half. */
static void see_sum(struct scan *t, uint32_t at, const struct ir_inst *inst, struct result *result)
{
    bool first_is_base = inst->src[0].kind == IR_S;
    ir_ref base = inst->src[first_is_base ? 0 : 1], lane = inst->src[first_is_base ? 1 : 0];
    uint32_t number;
    if (base.kind != IR_S || lane.kind != IR_V || base.index + 1 >= IR_S_COUNT || ir_is_none(inst->dst[1]) ||
        !is_zero(t, inst->src[2]))
        return;
    const struct known *known = &t->v[lane.index];
    bool shifted = known->kind == LOW && ir_is_none(t->values[known->word].base);
    if (known->kind == LOW && !shifted)
        return;
    struct value *value = add_value(t, &number);
    if (!value)
        return;
    if (shifted) {
        *value = t->values[known->word];
    } else {
        value->index = lane.index;
        value->index_version = t->v_version[lane.index];
        value->made_at = at;
    }
    value->base = base;
    note_version(t, base, value->base_version);
    result->low = (struct known){LOW, number, 0};
    result->carries = true;
    result->value = number;
    result->addend = shifted ? known->word : 0;
    result->addend_known = shifted;
}

/* base's high word + high half + the carry of the sum before. */
static void see_carry(struct scan *t, const struct ir_inst *inst, struct result *result)
{
    bool first_is_base = inst->src[0].kind == IR_S;
    ir_ref base = inst->src[first_is_base ? 0 : 1], high = inst->src[first_is_base ? 1 : 0];
    if (ir_is_none(t->carry.mask) || !ir_same(inst->src[2], t->carry.mask) ||
        !same_version(t, t->carry.mask, t->carry.mask_version))
        return;
    struct value *value = &t->values[t->carry.value];
    if (base.kind != IR_S || base.index != value->base.index + 1 || !same_version(t, value->base, value->base_version))
        return;
    if (t->carry.addend_known) {
        if (high.kind != IR_V || t->v[high.index].kind != HIGH || t->v[high.index].word != t->carry.addend)
            return;
    } else {
        bool is_signed = is_sign_of(t, high, value->index, value->index_version);
        if ((!is_signed && !is_zero(t, high)) || (value->wide && is_signed != value->is_signed))
            return;
        value->is_signed = is_signed;
        value->wide = true;
    }
    result->low = (struct known){HIGH, t->carry.value, 0};
}

static void see(struct scan *t, uint32_t at, const struct ir_inst *inst, struct result *result)
{
    uint32_t value;
    if (!inst->lane || inst->dst[0].kind != IR_V || !ir_same(inst->mask, ir_s(IR_EXEC)))
        return;
    switch (inst->op) {
    case IR_mov_b32:
        if (inst->src[0].kind == IR_V)
            result->low = t->v[inst->src[0].index];
        else if (constant_of(t, inst->src[0], &value))
            result->low = (struct known){CONSTANT, value, 0};
        break;
    case IR_shr_i32:
        if (inst->src[0].kind == IR_V && constant_of(t, inst->src[1], &value) && value == 31)
            result->low = (struct known){SIGN, t->v_version[inst->src[0].index], inst->src[0].index};
        break;
    case IR_shl_b64: see_shift(t, at, inst, result); break;
    case IR_add_carry_u32:
        if (is_zero(t, inst->src[2]))
            see_sum(t, at, inst, result);
        else
            see_carry(t, inst, result);
        break;
    default: break;
    }
}

/* Everything that inst writes is new. */
static void age(struct scan *t, const struct ir_inst *inst)
{
    bool exec = false;
    ir_ssa_shape_of(t->func, inst, &t->shape);
    for (uint32_t i = 0; i < t->shape.write_count; i++) {
        unsigned var = t->shape.writes[i];
        if (var < IR_SSA_V) {
            t->s_version[var]++;
            exec |= var == IR_EXEC || var == IR_EXEC + 1;
        } else {
            t->v_version[var - IR_SSA_V]++;
            t->v[var - IR_SSA_V] = (struct known){0};
        }
    }
    if (exec) {
        memset(t->v, 0, sizeof t->v);
        t->carry.mask = (ir_ref){0};
    }
}

static void keep(struct scan *t, const struct ir_inst *inst, const struct result *result)
{
    if (result->low.kind != NOTHING)
        t->v[inst->dst[0].index] = result->low;
    if (result->high.kind != NOTHING)
        t->v[inst->dst[0].index + 1] = result->high;
    if (!result->carries)
        return;
    t->carry.value = result->value;
    t->carry.addend = result->addend;
    t->carry.addend_known = result->addend_known;
    t->carry.mask = inst->dst[1];
    note_version(t, inst->dst[1], t->carry.mask_version);
}

/* The slot that holds the value's index at this point; none when there is none and no room for a copy. */
static ir_ref index_of(struct scan *t, const struct value *value)
{
    struct value *root = &t->values[value->root];
    if (t->v_version[root->index] == root->index_version)
        return ir_v(root->index);
    if (root->copy == NO_COPY && IR_V_COPY + t->copies < IR_V_COUNT)
        root->copy = (uint16_t)(IR_V_COPY + t->copies++);
    return root->copy == NO_COPY ? (ir_ref){0} : ir_v(root->copy);
}

static void rewrite(struct scan *t, struct ir_inst *inst)
{
    struct ir_access *access = &t->func->accesses[inst->imm];
    ir_ref address = inst->src[0];
    enum { NOT_THESE = IR_AC_SADDR | IR_AC_ADDTID };
    if (access->space != IR_SPACE_GLOBAL || (access->flags & NOT_THESE) || address.kind != IR_V)
        return;
    const struct known *low = &t->v[address.index], *high = &t->v[address.index + 1];
    if (low->kind != LOW || high->kind != HIGH || low->word != high->word)
        return;
    const struct value *value = &t->values[low->word];
    if (ir_is_none(value->base) || !value->wide || !same_version(t, value->base, value->base_version))
        return;
    ir_ref index = index_of(t, value);
    if (ir_is_none(index))
        return;
    inst->src[0] = index;
    inst->src[1] = value->base;
    access->flags |= IR_AC_SADDR | (value->is_signed ? IR_AC_SIGNED_LANE : 0);
    access->scale = value->shift;
}

/* Where the block's copies go, in the order of their places. */
struct copy {
    uint32_t before;
    uint16_t from, to;
};

static void scan_block(struct scan *t, const struct ir_block *block)
{
    memset(t->v, 0, sizeof t->v);
    t->value_count = 0;
    t->carry.mask = (ir_ref){0};
    for (uint32_t i = block->first; i < block->first + block->count; i++) {
        struct ir_inst *inst = &t->func->insts[i];
        if (ir_op_has_access(inst->op) && inst->lane)
            rewrite(t, inst);
        struct result result = {.carries = false};
        see(t, i, inst, &result);
        age(t, inst);
        keep(t, inst, &result);
    }
}

static int by_place(const void *x, const void *y)
{
    const struct copy *a = x, *b = y;
    return a->before < b->before ? -1 : a->before > b->before;
}

static uint32_t list_copies(const struct scan *t, struct copy *copies)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < t->value_count; i++)
        if (t->values[i].copy != NO_COPY)
            copies[count++] = (struct copy){t->values[i].made_at, t->values[i].index, t->values[i].copy};
    qsort(copies, count, sizeof *copies, by_place);
    return count;
}

/* Puts the copies into the block and moves everything behind; false when memory is out. */
static bool insert_copies(struct ir_func *func, uint32_t number, const struct copy *copies, uint32_t count)
{
    struct ir_inst *insts = malloc((func->inst_count + (size_t)count) * sizeof *insts);
    if (!insts)
        return false;
    uint32_t to = 0, next = 0;
    for (uint32_t i = 0; i < func->inst_count; i++) {
        for (; next < count && copies[next].before == i; next++)
            insts[to++] = (struct ir_inst){.op = IR_mov_b32,
                                           .lane = 1,
                                           .src_count = 1,
                                           .dst = {ir_v(copies[next].to)},
                                           .src = {ir_v(copies[next].from)},
                                           .mask = ir_s(IR_EXEC),
                                           .pc = func->insts[i].pc};
        insts[to++] = func->insts[i];
    }
    free(func->insts);
    func->insts = insts;
    func->inst_count = func->inst_cap = to;
    func->blocks[number].count += count;
    for (uint32_t b = number + 1; b < func->block_count; b++)
        func->blocks[b].first += count;
    return true;
}

/* Accesses that already read a copy cannot be left without it. */
static void give_up(struct ir_func *func)
{
    func->out_of_memory = true;
}

void ir_form_addresses(struct ir_func *func)
{
    struct scan *t = calloc(1, sizeof *t);
    if (!t)
        return; /* nothing is lost but speed */
    t->func = func;
    for (uint32_t number = 0; number < func->block_count; number++) {
        struct copy copies[MOST_VALUES];
        t->copies = 0;
        scan_block(t, &func->blocks[number]);
        uint32_t count = list_copies(t, copies);
        if (count && !insert_copies(func, number, copies, count)) {
            give_up(func);
            break;
        }
    }
    free(t);
}
