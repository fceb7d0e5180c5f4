/* The library's functions as a module has them: one for each set of constants that it is called with, from which what the constants decide has
 * gone. Hosts put functions where they are called, and what they then spend on conditions that are known grows with the square of a module. */
#include <stdlib.h>
#include <string.h>

#include "spirv/spirv_emit.h"
#include "spirv/spirv_fold.h"

enum { MOST_PARAMETERS = SPIRV_MAX_OPERANDS };

struct spirv_instance {
    uint32_t function, id; /* the library's; ours */
    uint32_t next;         /* of those of the same function, plus one */
    bool given[MOST_PARAMETERS];
    uint32_t value[MOST_PARAMETERS];
};

static unsigned opcode_of(const uint32_t *w)
{
    return *w & 0xffff;
}
static unsigned length_of(const uint32_t *w)
{
    return *w >> 16;
}

/* ---- constants ---- */

bool spirv_constant_of(const struct spirv_emitter *e, uint32_t id, uint32_t *value)
{
    if (id == e->id_true || id == e->id_false) {
        *value = id == e->id_true;
        return true;
    }
    if (id < e->library->bound) {
        *value = e->library->value[id];
        return e->library->is_value[id];
    }
    uint32_t low = 0, high = e->known_count; /* ids ascend */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (e->known[middle].id <= id)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low || e->known[low - 1].id != id)
        return false;
    *value = e->known[low - 1].value;
    return true;
}

void spirv_note_constant(struct spirv_emitter *e, uint32_t id, uint32_t value)
{
    if (e->known_count == e->known_cap) {
        uint32_t cap = e->known_cap ? 2 * e->known_cap : 256;
        struct spirv_known *more = realloc(e->known, cap * sizeof *more);
        e->out_of_memory |= !more;
        if (!more)
            return;
        e->known = more;
        e->known_cap = cap;
    }
    e->known[e->known_count++] = (struct spirv_known){id, value};
}

static uint32_t constant(struct spirv_emitter *e, uint32_t type, uint32_t value)
{
    if (type == e->library->t_bool)
        return spirv_bool(e, value);
    if (type == e->library->t_u32)
        return spirv_const(e, value);
    uint32_t id = spirv_id(e);
    spirv_put_op(&e->decls, OP_CONSTANT, 3, (uint32_t[]){type, id, value});
    spirv_note_constant(e, id, value);
    return id;
}

/* ---- instances ---- */

static struct spirv_instance *instance_of(struct spirv_emitter *e, uint32_t function, const struct spirv_instance *wanted)
{
    const struct spirv_function *f = &e->library->function[function];
    for (uint32_t n = e->first_instance[function]; n; n = e->instances[n - 1].next) {
        struct spirv_instance *there = &e->instances[n - 1];
        if (!memcmp(there->given, wanted->given, f->parameters * sizeof *wanted->given) &&
            !memcmp(there->value, wanted->value, f->parameters * sizeof *wanted->value))
            return there;
    }
    if (e->instance_count == e->instance_cap) {
        uint32_t cap = e->instance_cap ? 2 * e->instance_cap : 64;
        struct spirv_instance *more = realloc(e->instances, cap * sizeof *more);
        e->out_of_memory |= !more;
        if (!more)
            return NULL;
        e->instances = more;
        e->instance_cap = cap;
    }
    struct spirv_instance *made = &e->instances[e->instance_count++];
    *made = *wanted;
    made->function = function;
    made->id = spirv_id(e);
    made->next = e->first_instance[function];
    e->first_instance[function] = e->instance_count;
    return made;
}

void spirv_put_call(struct spirv_emitter *e, struct spirv_words *out, uint32_t function, uint32_t result, unsigned count,
                    const uint32_t *operands)
{
    const struct spirv_function *f = &e->library->function[function];
    struct spirv_instance wanted = {0};
    struct spirv_operands kept = {.count = 0};
    spirv_push(&kept, f->result);
    spirv_push(&kept, result);
    spirv_push(&kept, 0);
    for (unsigned n = 0; n < count; n++) {
        wanted.given[n] = f->decides >> n & 1 && spirv_constant_of(e, operands[n], &wanted.value[n]);
        if (!wanted.given[n]) {
            wanted.value[n] = 0;
            spirv_push(&kept, operands[n]);
        }
    }
    const struct spirv_instance *instance = instance_of(e, function, &wanted);
    if (!instance)
        return;
    kept.operand[2] = instance->id;
    spirv_put_op(out, OP_FUNCTION_CALL, kept.count, kept.operand);
}

/* ---- types of functions, each of which a module has once ---- */

static bool is_type(const uint32_t *w, unsigned count, const uint32_t *wanted)
{
    return opcode_of(w) == OP_TYPE_FUNCTION && length_of(w) == count + 2 && !memcmp(w + 2, wanted, count * sizeof *wanted);
}

static uint32_t function_type(struct spirv_emitter *e, unsigned count, const uint32_t *wanted)
{
    const struct spirv_library *l = e->library;
    for (size_t at = l->types; at < l->functions; at += length_of(l->words + at))
        if (is_type(l->words + at, count, wanted))
            return l->words[at + 1];
    for (size_t at = 0; at < e->types.count; at += length_of(e->types.at + at))
        if (is_type(e->types.at + at, count, wanted))
            return e->types.at[at + 1];
    uint32_t id = spirv_id(e);
    spirv_put(&e->types, (count + 2) << 16 | OP_TYPE_FUNCTION);
    spirv_put(&e->types, id);
    spirv_put_all(&e->types, wanted, count);
    return id;
}

/* ---- what the constants decide ---- */

/* Of a library's id, while its function is looked at. */
struct spirv_special {
    uint32_t stamp;
    uint32_t id;     /* ours, or that of the constant or the value that it comes to */
    uint32_t head;   /* a label: the loop's that this continues */
    uint32_t chosen; /* a label: the one of several ways that is taken */
    bool replaced;   /* nothing makes it */
    bool live;       /* a label: something leads there */
    bool needed;     /* a label: a construct that stays names it */
};

static struct spirv_special *special_of(struct spirv_emitter *e, uint32_t id)
{
    struct spirv_special *s = &e->special[id];
    if (s->stamp != e->special_stamp)
        *s = (struct spirv_special){.stamp = e->special_stamp};
    return s;
}

/* What an id of the function is here; those of the module stay. */
static uint32_t here(const struct spirv_emitter *e, uint32_t id)
{
    return id < e->library->bound && e->special[id].stamp == e->special_stamp && e->special[id].id ? e->special[id].id : id;
}

static void replace(struct spirv_emitter *e, uint32_t id, uint32_t by)
{
    struct spirv_special *s = special_of(e, id);
    s->id = by;
    s->replaced = true;
}

/* A way that is open from one block to another, as far as has been looked. */
static bool leads(struct spirv_emitter *e, uint32_t from, uint32_t to)
{
    const struct spirv_special *s = special_of(e, from);
    return s->live && (!s->chosen || s->chosen == to);
}

/* The one value that comes along all open ways; 0: there are several, or a way is one back. */
static uint32_t only_value(struct spirv_emitter *e, const uint32_t *w, uint32_t block)
{
    enum { FIRST = 3 };
    uint32_t value = 0;
    for (unsigned n = FIRST; n + 1 < length_of(w); n += 2) {
        const struct spirv_special *from = special_of(e, w[n + 1]);
        if (!from->id)
            return 0;
        if (!leads(e, w[n + 1], block))
            continue;
        uint32_t comes = here(e, w[n]);
        if (value && value != comes)
            return 0;
        value = comes;
    }
    return value;
}

static void look_at_end(struct spirv_emitter *e, const uint32_t *w, uint32_t block)
{
    enum { CONDITION = 1, YES = 2, NO = 3, ELSE = 2, CASES = 3 };
    struct spirv_special *s = special_of(e, block);
    uint32_t value, chosen = 0;
    bool known = opcode_of(w) != OP_BRANCH && spirv_constant_of(e, here(e, w[CONDITION]), &value);
    switch (opcode_of(w)) {
    case OP_BRANCH: special_of(e, w[1])->live = true; break;
    case OP_BRANCH_CONDITIONAL:
        if (known)
            chosen = value ? w[YES] : w[NO];
        else
            special_of(e, w[YES])->live = special_of(e, w[NO])->live = true;
        break;
    default: /* OpSwitch */
        chosen = known ? w[ELSE] : 0;
        for (unsigned n = CASES; n + 1 < length_of(w); n += 2) {
            if (known && w[n] == value)
                chosen = w[n + 1];
            else if (!known)
                special_of(e, w[n + 1])->live = true;
        }
        if (!known)
            special_of(e, w[ELSE])->live = true;
        break;
    }
    if (chosen)
        special_of(e, chosen)->live = true;
    s->chosen = chosen;
}

/* Constructs that stay name blocks which then have to be there. */
static void look_at_merge(struct spirv_emitter *e, const uint32_t *w, uint32_t block)
{
    const uint32_t *end = w + length_of(w);
    uint32_t value;
    if (opcode_of(w) == OP_LOOP_MERGE) {
        special_of(e, w[1])->needed = special_of(e, w[2])->needed = true;
        special_of(e, w[2])->head = block;
    } else if (!spirv_constant_of(e, here(e, end[1]), &value)) {
        special_of(e, w[1])->needed = true;
    }
}

static void look_at_result(struct spirv_emitter *e, const uint32_t *w, uint32_t block)
{
    struct spirv_fold fold = {.is_word = w[1] == e->library->t_u32 || w[1] == e->library->t_i32,
                              .is_bool = w[1] == e->library->t_bool};
    uint32_t by = 0;
    if (opcode_of(w) == OP_PHI) {
        by = only_value(e, w, block);
    } else if (fold.is_word || fold.is_bool) {
        for (unsigned n = 0; n < SPIRV_FOLD_OPERANDS && n + 3 < length_of(w); n++) {
            fold.operand[n] = here(e, w[n + 3]);
            fold.known[n] = spirv_constant_of(e, fold.operand[n], &fold.value[n]);
        }
        switch (spirv_fold(opcode_of(w), &fold)) {
        case SPIRV_FOLDS_TO_CONSTANT: by = constant(e, w[1], fold.result); break;
        case SPIRV_FOLDS_TO_OPERAND: by = fold.operand[fold.result]; break;
        default: break;
        }
    }
    if (by)
        replace(e, w[2], by);
    else
        special_of(e, w[2])->id = spirv_id(e);
}

/* Blocks come in an order in which whatever leads to one, but ways back, is before it. */
static void look(struct spirv_emitter *e, const struct spirv_function *f, const struct spirv_instance *instance)
{
    const uint32_t *w = e->library->words + f->first, *end = w + f->count;
    unsigned parameter = 0;
    uint32_t block = 0;
    bool live = true;
    for (; w < end; w += length_of(w)) {
        unsigned op = opcode_of(w);
        if (op == OP_FUNCTION_PARAMETER) {
            if (instance->given[parameter])
                replace(e, w[2], constant(e, w[1], instance->value[parameter]));
            else
                special_of(e, w[2])->id = spirv_id(e);
            parameter++;
        } else if (op == OP_LABEL) {
            struct spirv_special *s = special_of(e, w[1]);
            s->live |= !block; /* the first one is */
            s->id = spirv_id(e);
            block = w[1];
            live = s->live;
        } else if (!live || op == OP_FUNCTION) {
            continue;
        } else if (op == OP_BRANCH || op == OP_BRANCH_CONDITIONAL || op == OP_SWITCH) {
            look_at_end(e, w, block);
        } else if (op == OP_LOOP_MERGE || op == OP_SELECTION_MERGE) {
            look_at_merge(e, w, block);
        } else if (spirv_has_result(op)) {
            look_at_result(e, w, block);
        }
    }
}

/* ---- what stays ---- */

static void put_mapped(struct spirv_emitter *e, const uint32_t *w)
{
    const struct spirv_literals literals = spirv_literals_of(opcode_of(w));
    spirv_put(&e->functions, w[0]);
    for (unsigned n = 1; n < length_of(w); n++) {
        bool literal = n >= literals.first && (n - literals.first) % literals.every == 0;
        spirv_put(&e->functions, literal ? w[n] : here(e, w[n]));
    }
}

/* Ways that are closed bring nothing. A continue that nothing leads to any more still leads back: with what was there before. */
static void put_phi(struct spirv_emitter *e, const uint32_t *w, uint32_t block)
{
    enum { FIRST = 3 };
    struct spirv_operands o = {.count = 0};
    spirv_push(&o, w[1]);
    spirv_push(&o, here(e, w[2]));
    uint32_t before = 0;
    for (unsigned n = FIRST; n + 1 < length_of(w); n += 2)
        if (leads(e, w[n + 1], block))
            before = here(e, w[n]);
    for (unsigned n = FIRST; n + 1 < length_of(w) && o.count + 2 <= SPIRV_MAX_OPERANDS; n += 2) {
        const struct spirv_special from = *special_of(e, w[n + 1]);
        bool back = !from.live && from.needed && from.head == block;
        if (!back && !leads(e, w[n + 1], block))
            continue;
        spirv_push(&o, back ? before : here(e, w[n]));
        spirv_push(&o, from.id);
    }
    spirv_put_op(&e->functions, OP_PHI, o.count, o.operand);
}

static void put_called(struct spirv_emitter *e, const uint32_t *w)
{
    enum { CALLED = 3, FIRST = 4 };
    uint32_t operand[MOST_PARAMETERS];
    unsigned count = length_of(w) - FIRST;
    for (unsigned n = 0; n < count; n++)
        operand[n] = here(e, w[FIRST + n]);
    spirv_put_call(e, &e->functions, e->library->number[spirv_called(e, w[CALLED])] - 1u, here(e, w[2]), count, operand);
}

static void put_notes(struct spirv_emitter *e, uint32_t id)
{
    const struct spirv_library *l = e->library;
    for (uint32_t at = l->note[id]; at; at = l->next_note[at - l->decorations]) {
        const uint32_t *w = l->words + at;
        spirv_put(&e->notes, w[0]);
        spirv_put(&e->notes, here(e, id));
        spirv_put_all(&e->notes, w + 2, length_of(w) - 2);
    }
}

static void put_block_end(struct spirv_emitter *e, const uint32_t *w, uint32_t block)
{
    uint32_t chosen = special_of(e, block)->chosen;
    if (chosen)
        spirv_put_op(&e->functions, OP_BRANCH, 1, (uint32_t[]){here(e, chosen)});
    else
        put_mapped(e, w);
}

/* The label, and all of a block that only a construct needs. False: nothing follows. */
static bool put_label(struct spirv_emitter *e, uint32_t block)
{
    const struct spirv_special s = *special_of(e, block);
    if (!s.live && !s.needed)
        return false;
    spirv_put_op(&e->functions, OP_LABEL, 1, &s.id);
    if (s.live)
        return true;
    if (s.head)
        spirv_put_op(&e->functions, OP_BRANCH, 1, (uint32_t[]){here(e, s.head)});
    else
        spirv_put(&e->functions, 1u << 16 | OP_UNREACHABLE);
    return false;
}

/* ---- a local share that is a part of a buffer ---- */

static bool reaches_share(const struct spirv_emitter *e, const uint32_t *w)
{
    enum { BASE = 3 };
    return e->options->spills && opcode_of(w) == OP_ACCESS_CHAIN && w[BASE] == e->library->lds;
}

static void put_spilled(struct spirv_emitter *e, const uint32_t *w)
{
    enum { INDEX = 4 };
    const struct spirv_library *l = e->library;
    uint32_t first = spirv_id(e), at = spirv_id(e);
    e->spilled = true;
    spirv_put_op(&e->functions, OP_LOAD, 3, (uint32_t[]){l->t_u32, first, l->share_first});
    spirv_put_op(&e->functions, OP_I_ADD, 4, (uint32_t[]){l->t_u32, at, first, here(e, w[INDEX])});
    spirv_put_op(&e->functions, OP_ACCESS_CHAIN, 5, (uint32_t[]){l->p_share, here(e, w[2]), l->share, spirv_const(e, 0), at});
}

/* Barriers of the library count for its local share, wherever that is. */
static void put_barrier(struct spirv_emitter *e, const uint32_t *w)
{
    enum { UNIFORM = 0x40, CONTROL_SEMANTICS = 3, MEMORY_SEMANTICS = 2 };
    bool control = opcode_of(w) == OP_CONTROL_BARRIER;
    unsigned last = control ? CONTROL_SEMANTICS : MEMORY_SEMANTICS;
    uint32_t operand[CONTROL_SEMANTICS], semantics = e->library->value[w[last]];
    memcpy(operand, w + 1, last * sizeof *operand);
    operand[last - 1] = spirv_const(e, semantics | UNIFORM);
    spirv_put_op(&e->functions, opcode_of(w), last, operand);
}

static void put_body(struct spirv_emitter *e, const uint32_t *w, const uint32_t *end)
{
    uint32_t block = 0;
    bool stays = true;
    for (; w < end; w += length_of(w)) {
        unsigned op = opcode_of(w);
        if (op == OP_LABEL) {
            block = w[1];
            stays = put_label(e, block);
        } else if (op == OP_FUNCTION_END) {
            spirv_put(&e->functions, w[0]);
        } else if (!stays || op == OP_FUNCTION || op == OP_FUNCTION_PARAMETER ||
                   (op == OP_SELECTION_MERGE && special_of(e, block)->chosen)) {
            continue;
        } else if (op == OP_BRANCH || op == OP_BRANCH_CONDITIONAL || op == OP_SWITCH) {
            put_block_end(e, w, block);
        } else if (e->options->spills && (op == OP_CONTROL_BARRIER || op == OP_MEMORY_BARRIER)) {
            put_barrier(e, w);
        } else if (!spirv_has_result(op)) {
            put_mapped(e, w);
        } else if (!special_of(e, w[2])->replaced) {
            put_notes(e, w[2]);
            if (reaches_share(e, w))
                put_spilled(e, w);
            else if (op == OP_PHI)
                put_phi(e, w, block);
            else if (op == OP_FUNCTION_CALL)
                put_called(e, w);
            else
                put_mapped(e, w);
        }
    }
}

static void put_instance(struct spirv_emitter *e, const struct spirv_instance *instance)
{
    const struct spirv_function *f = &e->library->function[instance->function];
    const uint32_t *w = e->library->words + f->first, *end = w + f->count;
    struct spirv_operands type = {.count = 0}, parameters = {.count = 0};
    spirv_push(&type, f->result);
    e->special_stamp++;
    look(e, f, instance);
    for (const uint32_t *p = w; opcode_of(p) != OP_LABEL; p += length_of(p))
        if (opcode_of(p) == OP_FUNCTION_PARAMETER && !special_of(e, p[2])->replaced) {
            spirv_push(&type, p[1]);
            spirv_push(&parameters, here(e, p[2]));
        }
    spirv_put_op(&e->functions, OP_FUNCTION, 4,
                 (uint32_t[]){f->result, instance->id, 0, function_type(e, type.count, type.operand)});
    for (unsigned n = 0; n < parameters.count; n++)
        spirv_put_op(&e->functions, OP_FUNCTION_PARAMETER, 2, (uint32_t[]){type.operand[n + 1], parameters.operand[n]});
    put_body(e, w, end);
}

bool spirv_special_init(struct spirv_emitter *e)
{
    e->special = calloc(e->library->bound, sizeof *e->special);
    e->first_instance = calloc(e->library->function_count + 1, sizeof *e->first_instance);
    return e->special && e->first_instance;
}

void spirv_put_instances(struct spirv_emitter *e)
{
    while (e->instances_put < e->instance_count && !e->out_of_memory) {
        const struct spirv_instance instance = e->instances[e->instances_put++]; /* more come while it is put */
        put_instance(e, &instance);
    }
}

uint32_t spirv_use(struct spirv_emitter *e, const char *name)
{
    const struct spirv_instance all = {0};
    const struct spirv_instance *instance =
        instance_of(e, (uint32_t)(spirv_library_function(e->library, name) - e->library->function), &all);
    return instance ? instance->id : 0;
}

bool spirv_uses(const struct spirv_emitter *e, const char *name)
{
    const struct spirv_function *f = spirv_library_function(e->library, name);
    return f && e->first_instance[f - e->library->function];
}

void spirv_special_finish(struct spirv_emitter *e)
{
    free(e->special);
    free(e->first_instance);
    free(e->instances);
    free(e->known);
    free(e->functions.at);
    free(e->types.at);
    free(e->notes.at);
}
