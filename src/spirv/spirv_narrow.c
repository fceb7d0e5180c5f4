/* A module without 64-bit types and bytes: its types and constants, and what becomes of each instruction. */
#include "spirv/spirv_narrow.h"

#include <stdlib.h>
#include <string.h>

#include "spirv/spirv_narrow_pass.h"

enum { HEADER = 5, VERSION_AT = 1, BOUND_AT = 3, VERSION = 0x10500, ALWAYS = UINT32_MAX };
enum { INPUT = 1, FUNCTION_CLASS = 7, PHYSICAL_STORAGE = 5349 };
enum { WORD_BITS = 32, LONG_BITS = 64, BYTE_BITS = 8 };

const char *const spirv_helper_names[SPIRV_HELPERS] = {
    [SPIRV_LOADS_BYTE] = "narrow_load_byte",
    [SPIRV_STORES_BYTE] = "narrow_store_byte",
    [SPIRV_DIVIDES] = "narrow_divide",
    [SPIRV_ADDS_DOUBLES] = "narrow_add_doubles",
    [SPIRV_MULTIPLIES_DOUBLES] = "narrow_multiply_doubles",
    [SPIRV_DIVIDES_DOUBLES] = "narrow_divide_doubles",
    [SPIRV_TAKES_ROOT] = "narrow_root",
    [SPIRV_COMPARES_DOUBLES] = "narrow_compare_doubles",
    [SPIRV_MAKES_OF_INT] = "narrow_double_of_int",
    [SPIRV_MAKES_OF_UINT] = "narrow_double_of_uint",
    [SPIRV_MAKES_OF_SINGLE] = "narrow_double_of_single",
    [SPIRV_MAKES_SINGLE] = "narrow_single",
};

static unsigned opcode_of(const uint32_t *w)
{
    return *w & 0xffff;
}

static unsigned length_of(const uint32_t *w)
{
    return *w >> 16;
}

/* ---- what the instructions are written with ---- */

static bool has_room(struct narrow_pass *p, uint32_t count)
{
    if (count <= p->id_cap)
        return true;
    uint32_t cap = count + count / 2 + 1024;
    struct narrow_id *ids = realloc(p->ids, cap * sizeof *ids);
    if (!ids) {
        p->out_of_memory = true;
        return false;
    }
    memset(ids + p->id_cap, 0, (cap - p->id_cap) * sizeof *ids);
    p->ids = ids;
    p->id_cap = cap;
    return true;
}

/* Out of memory: one that is there already, in a module that nobody will see. */
uint32_t narrow_new_id(struct narrow_pass *p)
{
    return has_room(p, p->id_count + 1) ? p->id_count++ : p->id_count - 1;
}

uint32_t narrow_const(struct narrow_pass *p, uint32_t value)
{
    uint32_t *slot = &p->constants[value * 2654435761u >> (WORD_BITS - NARROW_CONSTANT_BITS)];
    uint32_t known;
    if (*slot && narrow_known(p, *slot, &known) && known == value)
        return *slot;
    uint32_t id = narrow_new_id(p);
    spirv_put_op(&p->types, OP_CONSTANT, 3, (uint32_t[]){p->t_u32, id, value});
    p->ids[id] = (struct narrow_id){.type = p->t_u32, .is_constant = true, .value = value};
    return *slot = id;
}

bool narrow_known(const struct narrow_pass *p, uint32_t id, uint32_t *value)
{
    *value = p->ids[id].value;
    return p->ids[id].is_constant;
}

uint32_t narrow_type(const struct narrow_pass *p, uint32_t type)
{
    return p->ids[type].same ? p->ids[type].same : type;
}

enum narrow_kind narrow_kind_of(const struct narrow_pass *p, uint32_t value)
{
    return value < p->id_count ? (enum narrow_kind)p->ids[p->ids[value].type].kind : NARROW_PLAIN;
}

void narrow_refuse(struct narrow_pass *p, const char *what)
{
    if (!p->narrowing->refused)
        p->narrowing->refused = what;
}

uint32_t narrow_put(struct narrow_pass *p, unsigned opcode, uint32_t type, uint32_t id, unsigned count, const uint32_t *operands)
{
    if (!id)
        id = narrow_new_id(p);
    p->ids[id].type = p->ids[id].type ? p->ids[id].type : type;
    spirv_put(p->at, (uint32_t)(count + NARROW_FIRST) << 16 | opcode);
    spirv_put(p->at, type);
    spirv_put(p->at, id);
    spirv_put_all(p->at, operands, count);
    return id;
}

uint32_t narrow_word(struct narrow_pass *p, unsigned opcode, uint32_t a, uint32_t b)
{
    return narrow_put(p, opcode, p->t_u32, 0, 2, (uint32_t[]){a, b});
}

uint32_t narrow_test(struct narrow_pass *p, unsigned opcode, uint32_t a, uint32_t b)
{
    return narrow_put(p, opcode, p->t_bool, 0, 2, (uint32_t[]){a, b});
}

uint32_t narrow_choose(struct narrow_pass *p, uint32_t condition, uint32_t yes, uint32_t no)
{
    return narrow_put(p, OP_SELECT, p->t_u32, 0, 3, (uint32_t[]){condition, yes, no});
}

static bool has_parts(const struct narrow_pass *p, uint32_t pair)
{
    return p->ids[pair].block == ALWAYS || (p->block && p->ids[pair].block == p->block);
}

uint32_t narrow_part(struct narrow_pass *p, uint32_t pair, unsigned n)
{
    if (!has_parts(p, pair)) {
        p->ids[pair].block = p->block;
        p->ids[pair].part[0] = p->ids[pair].part[1] = 0;
    }
    if (!p->ids[pair].part[n]) {
        uint32_t part = narrow_put(p, OP_COMPOSITE_EXTRACT, p->t_u32, 0, 2, (uint32_t[]){pair, n});
        p->ids[pair].part[n] = part;
    }
    return p->ids[pair].part[n];
}

void narrow_pair(struct narrow_pass *p, uint32_t id, uint32_t low, uint32_t high)
{
    narrow_put(p, OP_COMPOSITE_CONSTRUCT, p->t_pair, id, 2, (uint32_t[]){low, high});
    p->ids[id].block = p->block;
    p->ids[id].part[0] = low;
    p->ids[id].part[1] = high;
}

void narrow_copy(struct narrow_pass *p, const uint32_t *w)
{
    uint32_t from = w[NARROW_FIRST], to = w[NARROW_RESULT];
    narrow_put(p, OP_COPY_OBJECT, narrow_type(p, w[1]), to, 1, &from);
    if (has_parts(p, from)) {
        p->ids[to].block = p->ids[from].block;
        memcpy(p->ids[to].part, p->ids[from].part, sizeof p->ids[to].part);
    }
}

void narrow_call(struct narrow_pass *p, enum spirv_helper helper, uint32_t type, uint32_t id, unsigned count,
                 const uint32_t *operands)
{
    uint32_t all[4] = {p->narrowing->helpers[helper]};
    if (!*all)
        p->narrowing->missing |= 1u << helper;
    memcpy(all + 1, operands, count * sizeof *operands);
    narrow_put(p, OP_FUNCTION_CALL, type, id, count + 1, all);
}

void narrow_keep(struct narrow_pass *p, const uint32_t *w)
{
    narrow_put(p, opcode_of(w), narrow_type(p, w[1]), w[NARROW_RESULT], length_of(w) - NARROW_FIRST, w + NARROW_FIRST);
}

/* ---- instructions in general ---- */

/* Where the result's id stands: behind its type, in place of it, or nowhere (0). */
static unsigned result_at(unsigned opcode)
{
    bool declares =
        (opcode >= OP_TYPE_VOID && opcode < OP_TYPE_FORWARD_POINTER) || opcode == OP_LABEL || opcode == OP_EXT_INST_IMPORT;
    static const uint16_t none[] = {
        OP_NAME,           OP_MEMBER_NAME, OP_SOURCE,          OP_SOURCE_EXTENSION, OP_EXTENSION,
        OP_MEMORY_MODEL,   OP_ENTRY_POINT, OP_EXECUTION_MODE,  OP_CAPABILITY,       OP_TYPE_FORWARD_POINTER,
        OP_FUNCTION_END,   OP_STORE,       OP_DECORATE,        OP_MEMBER_DECORATE,  OP_CONTROL_BARRIER,
        OP_MEMORY_BARRIER, OP_LOOP_MERGE,  OP_SELECTION_MERGE, OP_BRANCH,           OP_BRANCH_CONDITIONAL,
        OP_SWITCH,         OP_RETURN,      OP_RETURN_VALUE,    OP_UNREACHABLE};
    if (declares)
        return 1;
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        if (none[i] == opcode)
            return 0;
    return NARROW_RESULT;
}

/* Instructions that carry values, of whatever type, and do nothing with them. */
static bool carries(unsigned opcode)
{
    static const uint16_t all[] = {OP_UNDEF,
                                   OP_CONSTANT_COMPOSITE,
                                   OP_CONSTANT_NULL,
                                   OP_FUNCTION,
                                   OP_FUNCTION_PARAMETER,
                                   OP_FUNCTION_CALL,
                                   OP_VARIABLE,
                                   OP_LOAD,
                                   OP_ACCESS_CHAIN,
                                   OP_COMPOSITE_CONSTRUCT,
                                   OP_COMPOSITE_EXTRACT,
                                   OP_COMPOSITE_INSERT,
                                   OP_COPY_OBJECT,
                                   OP_SELECT,
                                   OP_PHI};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i] == opcode)
            return true;
    return false;
}

/* ---- what there is ---- */

static void look_at_type(struct narrow_pass *p, const uint32_t *w)
{
    struct narrow_id *t = &p->ids[w[1]];
    switch (opcode_of(w)) {
    case OP_TYPE_VOID: p->t_void = w[1]; break;
    case OP_TYPE_BOOL: p->t_bool = w[1]; break;
    case OP_TYPE_INT:
        t->kind = w[2] == LONG_BITS ? NARROW_LONG : w[2] == BYTE_BITS ? NARROW_BYTE : NARROW_PLAIN;
        if (w[2] == WORD_BITS && !w[3])
            p->t_u32 = w[1];
        break;
    case OP_TYPE_FLOAT: t->kind = w[2] == LONG_BITS ? NARROW_DOUBLE : NARROW_PLAIN; break;
    case OP_TYPE_VECTOR:
        if (w[2] == p->t_u32 && w[3] == 2)
            p->t_pair = w[1];
        if (p->ids[w[2]].kind != NARROW_PLAIN)
            narrow_refuse(p, "vectors of 64-bit numbers or of bytes");
        break;
    case OP_TYPE_STRUCT: /* remembered by its only member, for a pointer to it */
        if (length_of(w) == 3 && p->ids[w[2]].kind == NARROW_BYTE)
            t->value = NARROW_BYTE;
        break;
    case OP_TYPE_POINTER:
        if (w[2] == PHYSICAL_STORAGE && (p->ids[w[3]].kind == NARROW_BYTE || p->ids[w[3]].value == NARROW_BYTE))
            t->kind = NARROW_PLACE;
        break;
    default: break;
    }
}

static void look(struct narrow_pass *p)
{
    for (size_t at = HEADER; at < p->in_count && !p->narrowing->refused; at += length_of(p->in + at)) {
        const uint32_t *w = p->in + at;
        unsigned opcode = opcode_of(w);
        if (opcode == OP_FUNCTION && !p->functions)
            p->functions = at;
        if (result_at(opcode) == NARROW_RESULT)
            p->ids[w[NARROW_RESULT]].type = w[1];
        else if (result_at(opcode))
            look_at_type(p, w);
    }
    for (uint32_t id = 0; id < p->id_count; id++) {
        uint8_t kind = p->ids[id].kind;
        p->ids[id].same = kind == NARROW_PLAIN ? 0 : kind == NARROW_BYTE ? p->t_u32 : p->t_pair;
        p->ids[id].value = 0;
    }
}

/* ---- head, types and constants ---- */

static void write_entry_point(struct narrow_pass *p, const uint32_t *w)
{
    /* From this version on all variables of the module are named, not only those of its inputs. */
    size_t start = p->head.count;
    spirv_put_all(&p->head, w, length_of(w));
    for (size_t at = HEADER; at < p->functions; at += length_of(p->in + at)) {
        const uint32_t *v = p->in + at;
        if (opcode_of(v) == OP_VARIABLE && v[3] != INPUT)
            spirv_put(&p->head, v[NARROW_RESULT]);
    }
    if (!p->head.out_of_memory)
        p->head.at[start] = (uint32_t)(p->head.count - start) << 16 | OP_ENTRY_POINT;
}

static void write_head(struct narrow_pass *p, const uint32_t *w)
{
    enum { FLOAT64 = 10, INT64 = 11, BYTES = 4448, KEEP_ZERO_INF_NAN = 4461 };
    enum { NO_CONTRACTION = 42, RESTRICT_POINTER = 5355, ALIASED_POINTER = 5356 };
    switch (opcode_of(w)) {
    case OP_CAPABILITY:
        if (w[1] == FLOAT64 || w[1] == INT64 || w[1] == BYTES)
            return;
        break;
    case OP_EXTENSION:
        if (!strcmp((const char *)(w + 1), "SPV_KHR_8bit_storage"))
            return;
        break;
    case OP_EXECUTION_MODE:
        if (w[2] == KEEP_ZERO_INF_NAN && w[3] == LONG_BITS)
            return;
        break;
    case OP_ENTRY_POINT: write_entry_point(p, w); return;
    case OP_DECORATE:
        if (narrow_kind_of(p, w[1]) != NARROW_PLAIN &&
            (w[2] == NO_CONTRACTION || w[2] == RESTRICT_POINTER || w[2] == ALIASED_POINTER))
            return;
        break;
    default: break;
    }
    spirv_put_all(&p->head, w, length_of(w));
}

/* One that has come to be the same as an earlier one must not be there twice. */
static void write_function_type(struct narrow_pass *p, const uint32_t *w)
{
    unsigned length = length_of(w);
    size_t start = p->types.count;
    spirv_put(&p->types, *w);
    spirv_put(&p->types, w[1]);
    for (unsigned n = 2; n < length; n++)
        spirv_put(&p->types, narrow_type(p, w[n]));
    if (p->types.out_of_memory)
        return;
    for (size_t at = 0; at < start; at += length_of(p->types.at + at)) {
        const uint32_t *other = p->types.at + at;
        if (*other == *w && !memcmp(other + 2, p->types.at + start + 2, (length - 2) * sizeof *other)) {
            p->ids[w[1]].same = other[1];
            p->types.count = start;
            return;
        }
    }
}

static void write_types_of(struct narrow_pass *p, const uint32_t *w, unsigned first, unsigned end)
{
    for (unsigned n = 0; n < length_of(w); n++)
        spirv_put(&p->types, n >= first && n < end ? narrow_type(p, w[n]) : w[n]);
}

static void write_constant(struct narrow_pass *p, const uint32_t *w)
{
    enum { LOW = 3, HIGH = 4 };
    uint32_t id = w[NARROW_RESULT];
    if (p->ids[w[1]].kind == NARROW_PLAIN || p->ids[w[1]].kind == NARROW_BYTE) {
        uint32_t type = narrow_type(p, w[1]);
        spirv_put_op(&p->types, OP_CONSTANT, 3, (uint32_t[]){type, id, w[LOW]});
        p->ids[id].is_constant = true;
        p->ids[id].value = w[LOW];
        return;
    }
    uint32_t low = narrow_const(p, w[LOW]), high = narrow_const(p, w[HIGH]);
    spirv_put_op(&p->types, OP_CONSTANT_COMPOSITE, 4, (uint32_t[]){p->t_pair, id, low, high});
    p->ids[id].block = ALWAYS;
    p->ids[id].part[0] = low;
    p->ids[id].part[1] = high;
}

static void write_type(struct narrow_pass *p, const uint32_t *w)
{
    unsigned length = length_of(w);
    bool is_type = result_at(opcode_of(w)) == 1;
    if (is_type && (p->ids[w[1]].same || w[1] == p->t_u32 || w[1] == p->t_pair))
        return;
    switch (opcode_of(w)) {
    case OP_TYPE_FORWARD_POINTER:
        if (p->ids[w[1]].kind == NARROW_PLAIN)
            spirv_put_all(&p->types, w, length);
        break;
    case OP_TYPE_ARRAY:
    case OP_TYPE_RUNTIME_ARRAY: write_types_of(p, w, 2, 3); break;
    case OP_TYPE_POINTER: write_types_of(p, w, 3, 4); break;
    case OP_TYPE_STRUCT: write_types_of(p, w, 2, length); break;
    case OP_TYPE_FUNCTION: write_function_type(p, w); break;
    case OP_CONSTANT: write_constant(p, w); break;
    default:
        if (is_type || carries(opcode_of(w)))
            write_types_of(p, w, is_type ? length : 1, 2);
        else if (result_at(opcode_of(w)) && p->ids[w[1]].kind != NARROW_PLAIN)
            narrow_refuse(p, "constants of 64 bits that are not known");
        else
            spirv_put_all(&p->types, w, length);
        break;
    }
}

/* ---- functions ---- */

static bool is_atomic(unsigned opcode)
{
    enum { OP_ATOMIC_LOAD = 227, OP_ATOMIC_XOR = 242 };
    return opcode >= OP_ATOMIC_LOAD && opcode <= OP_ATOMIC_XOR;
}

/* An instruction that does something: by the kinds of its result and of its operands. */
static void write_action(struct narrow_pass *p, const uint32_t *w)
{
    unsigned opcode = opcode_of(w), first = opcode == OP_EXT_INST ? 5 : NARROW_FIRST, length = length_of(w);
    unsigned kinds = 1u << p->ids[w[1]].kind;
    for (unsigned n = first; n < length && n < first + 2; n++)
        kinds |= 1u << narrow_kind_of(p, w[n]);
    kinds &= ~(1u << NARROW_PLAIN);
    if (!kinds && narrow_write_bound(p, w))
        return;
    if (!kinds)
        spirv_put_all(p->at, w, length);
    else if (is_atomic(opcode))
        narrow_refuse(p, "64-bit atomics");
    else if (kinds & 1u << NARROW_LONG     ? !narrow_write_long(p, w)
             : kinds & 1u << NARROW_DOUBLE ? !narrow_write_double(p, w)
                                           : !narrow_write_byte(p, w))
        narrow_refuse(p, kinds & 1u << NARROW_DOUBLE ? "64-bit floats" : "64-bit integers");
}

static bool touches_byte(const struct narrow_pass *p, const uint32_t *w)
{
    switch (opcode_of(w)) {
    case OP_LOAD: return narrow_kind_of(p, w[NARROW_FIRST]) == NARROW_PLACE;
    case OP_STORE: return narrow_kind_of(p, w[1]) == NARROW_PLACE;
    case OP_ACCESS_CHAIN: return p->ids[w[1]].kind == NARROW_PLACE;
    default: return false;
    }
}

static void write_instruction(struct narrow_pass *p, const uint32_t *w)
{
    enum { TYPE_OF_FUNCTION = 4 };
    unsigned opcode = opcode_of(w);
    size_t start = p->at->count;
    if (opcode == OP_LABEL)
        p->block = w[1];
    if (touches_byte(p, w)) {
        narrow_write_byte(p, w);
    } else if (carries(opcode)) {
        narrow_keep(p, w);
        if (opcode == OP_FUNCTION && !p->at->out_of_memory)
            p->at->at[start + TYPE_OF_FUNCTION] = narrow_type(p, w[TYPE_OF_FUNCTION]);
    } else if (result_at(opcode) == NARROW_RESULT) {
        write_action(p, w);
    } else if (opcode == OP_SWITCH && narrow_kind_of(p, w[1]) != NARROW_PLAIN) {
        narrow_refuse(p, "64-bit integers");
    } else {
        spirv_put_all(p->at, w, length_of(w));
    }
}

static void write_all(struct narrow_pass *p)
{
    enum { UNSIGNED = 0 };
    p->at = &p->types;
    spirv_put_op(&p->types, OP_TYPE_INT, 3, (uint32_t[]){p->t_u32, WORD_BITS, UNSIGNED});
    spirv_put_op(&p->types, OP_TYPE_VECTOR, 3, (uint32_t[]){p->t_pair, p->t_u32, 2});
    for (size_t at = HEADER; at < p->in_count && !p->narrowing->refused && !p->out_of_memory; at += length_of(p->in + at)) {
        const uint32_t *w = p->in + at;
        unsigned opcode = opcode_of(w);
        bool declares = result_at(opcode) || opcode == OP_TYPE_FORWARD_POINTER;
        if (at >= p->functions) {
            p->at = &p->body;
            write_instruction(p, w);
        } else if (declares && opcode != OP_EXT_INST_IMPORT) {
            write_type(p, w);
        } else {
            write_head(p, w);
        }
    }
}

void spirv_narrow(const uint32_t *words, size_t count, struct spirv_narrowing *narrowing, struct spirv_words *out)
{
    struct narrow_pass p = {.in = words, .in_count = count, .narrowing = narrowing, .id_count = words[BOUND_AT]};
    narrowing->missing = 0;
    narrowing->refused = NULL;
    if (has_room(&p, p.id_count)) {
        look(&p);
        if (!p.t_u32 || !p.t_pair || !p.t_bool || !p.t_void)
            narrow_refuse(&p, "a module without words");
        if (!narrowing->refused)
            write_all(&p);
    }
    spirv_put_all(out, words, HEADER);
    spirv_put_all(out, p.head.at, p.head.count);
    spirv_put_all(out, p.types.at, p.types.count);
    spirv_put_all(out, p.body.at, p.body.count);
    out->out_of_memory |= p.out_of_memory || p.head.out_of_memory || p.types.out_of_memory || p.body.out_of_memory;
    if (!out->out_of_memory) {
        out->at[VERSION_AT] = VERSION;
        out->at[BOUND_AT] = p.id_count;
    }
    free(p.head.at);
    free(p.types.at);
    free(p.body.at);
    free(p.ids);
}
