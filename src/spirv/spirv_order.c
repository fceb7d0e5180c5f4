/* What lanes that go alone lose: their wave does each access in all lanes before it begins the next one, and needs no barrier for that order.
 * It is not missed where the two accesses cannot touch the same memory from different lanes. That follows from their addresses, where both
 * are the same but for what the program adds in constants and for the lane's place in its wave; or else it is asked of each dispatch, for
 * which the module names the two. */
#include <stdlib.h>
#include <string.h>

#include "spirv/spirv_emit.h"

enum { MOST_ACCESSES = 1024, MOST_APARTS = 4096, MOST_LANES = 64, DEEPEST = 24 };

/* A lane's value: what one scalar value holds, plus k, plus what its place in the wave adds. */
struct shape {
    bool known;
    uint32_t root; /* IR_SSA_NONE: zero */
    uint32_t k, lane[MOST_LANES];
};

struct place {
    struct shape at;
    uint32_t base[4], soffset; /* nodes; IR_SSA_NONE where absent */
    uint32_t scale;
    bool is_signed, buffer;
    int32_t offset[2];
    uint32_t bytes, pieces;
};

struct access {
    const struct ir_inst *inst;
    const struct ir_access *access;
    uint32_t node;
    bool reads, writes, share, memory, other;
    struct place place;
};

struct order {
    struct spirv_emitter *e;
    struct access *list;
    uint32_t count, words;
    uint32_t *since; /* by block: sets of accesses that may have happened since the last barrier */
    uint32_t *asked; /* pairs */
    bool *turns;     /* by block: it is on a cycle */
    bool good;
};

/* ---- a lane's value ---- */

static struct shape shape_of(const struct order *o, uint32_t node, unsigned depth);

/* A scalar that a wave knows one value of. */
static bool is_steady(const struct order *o, uint32_t node)
{
    uint32_t block = node == IR_SSA_NONE ? IR_SSA_NONE : o->e->ssa->nodes[node].block;
    return block == IR_SSA_NONE || !o->turns[block];
}

static struct shape unknown_shape(void)
{
    return (struct shape){.known = false, .root = IR_SSA_NONE};
}

static struct shape scalar_shape(const struct order *o, uint32_t node)
{
    uint32_t value;
    if (spirv_is_constant(o->e, node, &value))
        return (struct shape){.known = true, .root = IR_SSA_NONE, .k = value};
    return (struct shape){.known = is_steady(o, node), .root = node};
}

/* Ids of threads: lanes are counted along x first. */
static struct shape thread_shape(const struct order *o, uint32_t node, unsigned dim)
{
    enum { IDS_AT = 11, IDS = 3 };
    const struct spirv_options *options = o->e->options;
    const uint32_t *threads = options->threads, lanes = o->e->lanes;
    struct shape s = {.known = true, .root = node};
    if (dim && (options->rsrc2 >> IDS_AT & IDS) < dim)
        return (struct shape){.known = true, .root = IR_SSA_NONE};
    if (options->line)
        s.root = dim ? IR_SSA_NONE : node;
    else if (!threads[0] || (threads[0] % lanes && lanes % threads[0]))
        return unknown_shape();
    uint32_t wide = options->line || threads[0] > lanes ? lanes : threads[0], rows = lanes / wide;
    if (!options->line && rows > 1 && threads[1] % rows)
        return unknown_shape();
    bool first = options->line ? options->waves == 1 : threads[0] <= lanes;
    if (!dim && first) /* the lane's number says it all */
        s.root = IR_SSA_NONE;
    for (uint32_t l = 0; l < lanes && dim < 2 && !(options->line && dim); l++)
        s.lane[l] = dim ? l / wide : l % wide;
    return s;
}

static struct shape sum(uint32_t node, const struct shape *a, const struct shape *b)
{
    struct shape s = {.known = a->known && b->known, .root = a->root == IR_SSA_NONE ? b->root : a->root, .k = a->k + b->k};
    if (a->root != IR_SSA_NONE && b->root != IR_SSA_NONE) {
        s.root = node;
        s.k = 0;
    }
    for (unsigned l = 0; l < MOST_LANES; l++)
        s.lane[l] = a->lane[l] + b->lane[l];
    return s;
}

static struct shape times(uint32_t node, const struct shape *a, uint32_t by)
{
    struct shape s = {.known = a->known, .root = a->root == IR_SSA_NONE ? IR_SSA_NONE : node, .k = a->k * by};
    if (s.root != IR_SSA_NONE)
        s.k = 0;
    for (unsigned l = 0; l < MOST_LANES; l++)
        s.lane[l] = a->lane[l] * by;
    return s;
}

static bool is_alike(const struct shape *a)
{
    bool alike = a->known;
    for (unsigned l = 0; l < MOST_LANES; l++)
        alike = alike && !a->lane[l];
    return alike;
}

/* A product: by a constant, or of what is alike in all lanes. */
static struct shape product(uint32_t node, const struct shape *a, const struct shape *b)
{
    if (a->known && b->known && b->root == IR_SSA_NONE && is_alike(b))
        return times(node, a, b->k);
    if (a->known && b->known && a->root == IR_SSA_NONE && is_alike(a))
        return times(node, b, a->k);
    if (is_alike(a) && is_alike(b))
        return (struct shape){.known = true, .root = node};
    return unknown_shape();
}

/* Bits that some lane's value of the node may have. */
static uint32_t bits_of(const struct order *o, uint32_t node, unsigned depth)
{
    node = spirv_seen_through(o->e, node);
    const struct ir_ssa_node *n = &o->e->ssa->nodes[node];
    const uint32_t *args = ir_ssa_args(o->e->ssa, n);
    uint32_t value, all = ~0u;
    if (spirv_is_constant(o->e, node, &value))
        return value;
    if (n->kind == IR_SSA_ENTRY && n->lane && n->var < IR_SSA_V + 3u) {
        uint32_t threads = o->e->options->threads[n->var - IR_SSA_V];
        return threads > 1 ? all >> __builtin_clz(threads - 1) : threads ? 0 : all;
    }
    if (!depth || n->kind != IR_SSA_OP || n->results != 1)
        return all;
    switch (o->e->func->insts[n->inst].op) {
    case IR_or_b32: return bits_of(o, args[0], depth - 1) | bits_of(o, args[1], depth - 1);
    case IR_and_b32: return bits_of(o, args[0], depth - 1) & bits_of(o, args[1], depth - 1);
    case IR_shl_b32:
        return spirv_is_constant(o->e, spirv_seen_through(o->e, args[1]), &value) ? bits_of(o, args[0], depth - 1) << (value & 31)
                                                                                  : all;
    default: return all;
    }
}

static struct shape sum_of_bits(const struct order *o, uint32_t node, const uint32_t *args, unsigned depth)
{
    if (bits_of(o, args[0], depth) & bits_of(o, args[1], depth))
        return unknown_shape();
    struct shape a = shape_of(o, args[0], depth), b = shape_of(o, args[1], depth);
    return sum(node, &a, &b);
}

static struct shape shifted(const struct order *o, uint32_t node, const uint32_t *args, unsigned depth)
{
    uint32_t by;
    if (!spirv_is_constant(o->e, spirv_seen_through(o->e, args[1]), &by))
        return unknown_shape();
    struct shape a = shape_of(o, args[0], depth);
    return times(node, &a, 1u << (by & 31));
}

static struct shape op_shape(const struct order *o, uint32_t node, const struct ir_ssa_node *op, uint32_t word, unsigned depth)
{
    const uint32_t *args = ir_ssa_args(o->e->ssa, op);
    struct shape a, b, c;
    uint32_t by;
    switch (o->e->func->insts[op->inst].op) {
    case IR_add_u32:
        a = shape_of(o, args[0], depth);
        b = shape_of(o, args[1], depth);
        return sum(node, &a, &b);
    case IR_add_carry_u32:
        if (word || !spirv_is_constant(o->e, spirv_seen_through(o->e, args[2]), &by) || by)
            return unknown_shape();
        a = shape_of(o, args[0], depth);
        b = shape_of(o, args[1], depth);
        return sum(node, &a, &b);
    case IR_add3_u32:
        a = shape_of(o, args[0], depth);
        b = shape_of(o, args[1], depth);
        c = shape_of(o, args[2], depth);
        a = sum(node, &a, &b);
        return sum(node, &a, &c);
    case IR_add_shl_u32:
        a = shape_of(o, args[0], depth);
        b = shape_of(o, args[1], depth);
        a = sum(node, &a, &b);
        return spirv_is_constant(o->e, spirv_seen_through(o->e, args[2]), &by) ? times(node, &a, 1u << (by & 31))
                                                                               : unknown_shape();
    case IR_shl_b32: return shifted(o, node, args, depth);
    case IR_shl_add_u32:
        a = shifted(o, node, args, depth);
        c = shape_of(o, args[2], depth);
        return sum(node, &a, &c);
    case IR_shl_or_b32:
        if (!spirv_is_constant(o->e, spirv_seen_through(o->e, args[1]), &by) ||
            bits_of(o, args[0], depth) << (by & 31) & bits_of(o, args[2], depth))
            return unknown_shape();
        a = shifted(o, node, args, depth);
        c = shape_of(o, args[2], depth);
        return sum(node, &a, &c);
    case IR_or_b32: return sum_of_bits(o, node, args, depth);
    case IR_mul_lo_u32:
        a = shape_of(o, args[0], depth);
        b = shape_of(o, args[1], depth);
        return product(node, &a, &b);
    case IR_mad_lo_u32:
    case IR_mad_u24:
    case IR_mad_u64_u32:
        a = shape_of(o, args[0], depth);
        b = shape_of(o, args[1], depth);
        c = shape_of(o, args[2], depth);
        if (word || (o->e->func->insts[op->inst].op == IR_mad_u24 && !(is_alike(&a) && is_alike(&b))))
            return unknown_shape();
        a = o->e->func->insts[op->inst].op == IR_mad_u24 ? (struct shape){.known = true, .root = node} : product(node, &a, &b);
        return sum(node, &a, &c);
    default: return unknown_shape();
    }
}

/* Roots that were made on the way are the node's own: two values have the same one only where they are made of the same node. */
static struct shape shape_of(const struct order *o, uint32_t node, unsigned depth)
{
    node = spirv_seen_through(o->e, node);
    const struct ir_ssa_node *n = &o->e->ssa->nodes[node];
    if (n->kind == IR_SSA_CONST || !n->lane)
        return scalar_shape(o, node);
    if (n->kind == IR_SSA_ENTRY && n->var >= IR_SSA_V && n->var < IR_SSA_V + 3u)
        return thread_shape(o, node, n->var - IR_SSA_V);
    if (!depth || !is_steady(o, node))
        return unknown_shape();
    if (n->kind == IR_SSA_OP && n->results == 1)
        return op_shape(o, node, n, 0, depth - 1);
    if (n->kind == IR_SSA_WORD)
        return op_shape(o, node, &o->e->ssa->nodes[ir_ssa_args(o->e->ssa, n)[0]], n->word, depth - 1);
    return unknown_shape();
}

/* ---- places ---- */

static void place_buffer(const struct order *o, struct access *a, const uint32_t *args)
{
    unsigned at = 4;
    struct place *p = &a->place;
    memcpy(p->base, args, sizeof p->base);
    if (a->access->flags & IR_AC_IDXEN || !ir_is_none(a->inst->src[1]) || ir_is_none(a->inst->src[2]))
        return;
    p->at = shape_of(o, args[at], DEEPEST);
    at += ir_src_span(o->e->func, a->inst, 2);
    p->soffset = ir_is_none(a->inst->src[3]) ? IR_SSA_NONE : args[at];
    p->buffer = true;
}

static void find_place(const struct order *o, struct access *a)
{
    const struct ir_access *access = a->access;
    const uint32_t *args = ir_ssa_args(o->e->ssa, &o->e->ssa->nodes[a->node]);
    struct spirv_address address;
    struct place *p = &a->place;
    *p = (struct place){.at = unknown_shape(),
                        .base = {IR_SSA_NONE, IR_SSA_NONE, IR_SSA_NONE, IR_SSA_NONE},
                        .soffset = IR_SSA_NONE,
                        .offset = {access->offset, access->offset1},
                        .bytes = access->bytes,
                        .pieces = access->elements == 2 ? 2 : 1};
    if (access->flags & (IR_AC_FORMAT | IR_AC_ADDTID | IR_AC_LDS_DMA | IR_AC_SRC2))
        return;
    if (access->space == IR_SPACE_LDS && !ir_is_none(a->inst->src[0])) {
        p->at = shape_of(o, args[0], DEEPEST);
    } else if (access->space == IR_SPACE_GLOBAL && spirv_find_address(o->e, a->node, access, &address)) {
        p->base[0] = address.base[0];
        p->base[1] = address.base[1];
        p->scale = address.scale;
        p->is_signed = address.is_signed;
        p->at = shape_of(o, address.index, DEEPEST);
    } else if (access->space == IR_SPACE_BUFFER) {
        place_buffer(o, a, args);
    }
    bool steady = is_steady(o, p->soffset);
    for (unsigned n = 0; n < 4; n++)
        steady = steady && is_steady(o, p->base[n]);
    p->at.known = p->at.known && steady;
}

static bool overlap(int64_t distance, uint32_t a_bytes, uint32_t b_bytes)
{
    return distance < (int64_t)b_bytes && -distance < (int64_t)a_bytes;
}

/* Wherever the wave is, no lane's bytes of a are another lane's of b. */
static bool lanes_differ(const struct order *o, const struct place *a, const struct place *b)
{
    bool same = a->at.known && b->at.known && a->at.root == b->at.root && a->scale == b->scale && a->is_signed == b->is_signed &&
                a->soffset == b->soffset && !memcmp(a->base, b->base, sizeof a->base);
    for (unsigned i = 0; same && i < o->e->lanes; i++)
        for (unsigned j = 0; j < o->e->lanes; j++)
            for (unsigned n = 0; n < a->pieces * b->pieces; n++) {
                uint32_t by = a->at.k + a->at.lane[i] - b->at.k - b->at.lane[j];
                int64_t distance =
                    (int64_t)(int32_t)by * ((int64_t)1 << a->scale) + a->offset[n % a->pieces] - b->offset[n / a->pieces];
                if (i != j && overlap(distance, a->bytes, b->bytes))
                    return false;
            }
    return same;
}

static bool same_nodes(const struct order *o, const uint32_t *a, const uint32_t *b, uint32_t count)
{
    bool same = true;
    for (uint32_t n = 0; same && n < count; n++) {
        uint32_t x = spirv_seen_through(o->e, a[n]);
        same = x == spirv_seen_through(o->e, b[n]) && is_steady(o, x);
    }
    return same;
}

/* One of them stores, in all lanes of the other and to the same bytes: two lanes that met would store to one word with nothing between, which
 * is a race already. */
static bool lanes_race(const struct order *o, const struct access *a, const struct access *b)
{
    enum {
        ADDRESS = 4,
        FORM = IR_AC_OFFEN | IR_AC_IDXEN | IR_AC_FORMAT | IR_AC_TYPED | IR_AC_SADDR | IR_AC_SIGNED_LANE,
        OTHERS = IR_AC_ADDTID | IR_AC_LDS_DMA | IR_AC_SRC2
    };
    const struct ir_ssa_node *x = &o->e->ssa->nodes[a->node], *y = &o->e->ssa->nodes[b->node];
    const struct ir_access *p = a->access, *q = b->access;
    if (a->inst->op != IR_store && b->inst->op != IR_store)
        return false;
    if (p->bytes != q->bytes || p->elements != q->elements || p->format != q->format || p->scale != q->scale ||
        p->offset != q->offset || p->offset1 != q->offset1 || (p->flags ^ q->flags) & FORM || (p->flags | q->flags) & OTHERS)
        return false;
    uint32_t span = 0, masks = x->unsaid_at - x->mask_at;
    for (unsigned n = 0; n < ADDRESS; n++) {
        if (ir_src_span(o->e->func, a->inst, n) != ir_src_span(o->e->func, b->inst, n))
            return false;
        span += ir_src_span(o->e->func, a->inst, n);
    }
    const uint32_t *l = ir_ssa_args(o->e->ssa, x), *r = ir_ssa_args(o->e->ssa, y);
    return masks == y->unsaid_at - y->mask_at && same_nodes(o, l, r, span) &&
           same_nodes(o, l + x->mask_at, r + y->mask_at, masks);
}

/* ---- pairs ---- */

static bool commute(const struct access *a, const struct access *b)
{
    enum {
        ANY_ORDER = 1 << IR_A_ADD | 1 << IR_A_SMIN | 1 << IR_A_UMIN | 1 << IR_A_SMAX | 1 << IR_A_UMAX | 1 << IR_A_AND |
                    1 << IR_A_OR | 1 << IR_A_XOR
    };
    return a->inst->op == IR_atomic && b->inst->op == IR_atomic && a->access->atomic == b->access->atomic &&
           a->access->bytes == b->access->bytes && ANY_ORDER >> a->access->atomic & 1 &&
           !((a->access->flags | b->access->flags) & IR_AC_RETURN);
}

static void ask(struct order *o, const struct access *a, const struct access *b, bool plain)
{
    struct spirv_emitter *e = o->e;
    if (a == b && !plain) {
        o->good = false;
        return;
    }
    if (e->apart_count == MOST_APARTS) {
        o->good = false;
        return;
    }
    if (!e->aparts)
        e->aparts = malloc(MOST_APARTS * sizeof *e->aparts);
    e->out_of_memory |= !e->aparts;
    if (e->aparts)
        e->aparts[e->apart_count++] = (struct spirv_apart){.pc = {a->inst->pc, b->inst->pc}, .plain = plain};
}

/* a may happen before b, in another lane, without a barrier between. */
static void compare(struct order *o, uint32_t before, uint32_t after)
{
    const struct access *a = &o->list[before], *b = &o->list[after];
    size_t pair = (size_t)before * o->count + after, mirrored = (size_t)after * o->count + before;
    if (o->asked[pair / 32] >> pair % 32 & 1)
        return;
    o->asked[pair / 32] |= 1u << pair % 32;
    o->asked[mirrored / 32] |= 1u << mirrored % 32;
    bool meet = (a->share && b->share) || (a->memory && b->memory) || (a->other && b->other);
    if (!meet || !(a->writes || b->writes) || commute(a, b))
        return;
    bool apart = a->access && b->access && a->access->space == b->access->space && lanes_differ(o, &a->place, &b->place);
    bool race = a->access && b->access && a->access->space == b->access->space && lanes_race(o, a, b);
    if (race || (apart && !a->place.buffer))
        return;
    if (!apart && ((a->share && b->share) || a->other || b->other))
        o->good = false;
    else
        ask(o, a, b, apart);
}

static void add_access(struct order *o, uint32_t node)
{
    const struct ir_ssa_node *n = &o->e->ssa->nodes[node];
    const struct ir_inst *inst = n->kind == IR_SSA_OP ? &o->e->func->insts[n->inst] : NULL;
    if (!inst || ir_ops[inst->op].class != IR_C_MEMORY || o->e->nodes[node].preloaded)
        return;
    struct access a = {.inst = inst, .node = node, .access = ir_inst_access(o->e->func, inst)};
    const struct ir_image *image = ir_inst_image(o->e->func, inst);
    if (a.access && a.access->space != IR_SPACE_SCRATCH) {
        unsigned space = a.access->space;
        a.reads = inst->op != IR_store;
        a.writes = inst->op != IR_load;
        a.share = space == IR_SPACE_LDS || space == IR_SPACE_FLAT;
        a.other = space == IR_SPACE_GDS;
        a.memory = space != IR_SPACE_LDS && space != IR_SPACE_GDS;
        find_place(o, &a);
    } else if (image && image->kind != IR_IMAGE_SIZE && image->kind != IR_IMAGE_LOD) {
        a.memory = true;
        a.writes = image->kind == IR_IMAGE_STORE || image->kind == IR_IMAGE_STORE_RAW || image->kind == IR_IMAGE_ATOMIC;
        a.reads = !a.writes || image->kind == IR_IMAGE_ATOMIC;
    } else {
        return;
    }
    if (o->count == MOST_ACCESSES)
        o->good = false;
    else
        o->list[o->count++] = a;
}

/* ---- ways ---- */

/* `at` of the list is the block's first access, and becomes the next block's. */
static void pass_block(struct order *o, uint32_t block, uint32_t *since, bool compares)
{
    const struct ir_ssa_block *b = &o->e->ssa->blocks[block];
    uint32_t at = 0;
    while (at < o->count && o->list[at].node < b->first)
        at++;
    for (uint32_t i = b->first; i < b->first + b->count; i++) {
        const struct ir_ssa_node *n = &o->e->ssa->nodes[i];
        if (n->kind == IR_SSA_OP && o->e->func->insts[n->inst].op == IR_barrier)
            memset(since, 0, o->words * sizeof *since);
        if (at == o->count || o->list[at].node != i)
            continue;
        for (uint32_t k = 0; compares && k < o->count && o->good; k++)
            if (since[k / 32] >> k % 32 & 1)
                compare(o, k, at);
        since[at / 32] |= 1u << at % 32;
        at++;
    }
}

static bool hand_on(struct order *o, uint32_t block, const uint32_t *since)
{
    const struct ir_block *plain = &o->e->func->blocks[block];
    unsigned edges = plain->term == IR_TERM_BRANCH ? 2 : plain->term == IR_TERM_JUMP ? 1 : 0;
    bool changed = false;
    for (unsigned n = 0; n < edges; n++)
        for (uint32_t w = 0; w < o->words; w++) {
            uint32_t *to = &o->since[plain->succ[n] * o->words + w];
            changed |= (since[w] & ~*to) != 0;
            *to |= since[w];
        }
    return changed;
}

static void follow(struct order *o)
{
    uint32_t *since = malloc(o->words * sizeof *since);
    bool last = false;
    o->good = o->good && since;
    for (bool changed = true; o->good && (changed || !last);) {
        last = !changed;
        changed = false;
        for (uint32_t i = 0; i < o->e->ssa->order_count; i++) {
            uint32_t block = o->e->ssa->order[i];
            memcpy(since, o->since + block * o->words, o->words * sizeof *since);
            pass_block(o, block, since, last);
            changed |= hand_on(o, block, since);
        }
    }
    free(since);
}

/* What leads to an edge's end `from` without passing its head is on a cycle with it: or on none, where there are other ways in. `left` has room
 * for all blocks. */
static void turn_back(struct order *o, uint32_t from, uint32_t head, uint32_t *left)
{
    const struct ir_ssa *ssa = o->e->ssa;
    uint32_t count = 0;
    bool *met = calloc(o->e->func->block_count + 1, sizeof *met);
    o->good = o->good && met;
    if (!met)
        return;
    met[head] = met[from] = true;
    left[count++] = from;
    while (count) {
        const struct ir_ssa_block *b = &ssa->blocks[left[--count]];
        o->turns[b - ssa->blocks] = true;
        for (uint32_t p = b->first_pred; b - ssa->blocks != head && p < b->first_pred + b->pred_count; p++) {
            uint32_t pred = ssa->preds[p];
            if (pred == IR_SSA_NONE || met[pred]) /* the way in leads from no block */
                continue;
            met[pred] = true;
            if (ssa->blocks[pred].reachable)
                left[count++] = pred;
        }
    }
    o->turns[head] = true;
    free(met);
}

/* Every cycle has an edge that leads back in the order of blocks, or to its own block. */
static void find_turns(struct order *o)
{
    uint32_t *left = calloc((size_t)o->e->func->block_count + 1, sizeof *left);
    o->good = o->good && left;
    for (uint32_t i = 0; left && i < o->e->ssa->order_count; i++) {
        uint32_t from = o->e->ssa->order[i];
        const struct ir_block *plain = &o->e->func->blocks[from];
        unsigned edges = plain->term == IR_TERM_BRANCH ? 2 : plain->term == IR_TERM_JUMP ? 1 : 0;
        for (unsigned n = 0; n < edges; n++)
            if (!spirv_comes_before(o->e, from, plain->succ[n]))
                turn_back(o, from, plain->succ[n], left);
    }
    free(left);
}

bool spirv_order_is_kept(struct spirv_emitter *e)
{
    struct order o = {.e = e, .good = true};
    o.list = malloc(MOST_ACCESSES * sizeof *o.list);
    o.turns = calloc(e->func->block_count + 1, sizeof *o.turns);
    o.good = o.list && o.turns;
    if (o.good)
        find_turns(&o);
    for (uint32_t i = 0; o.good && i < e->ssa->node_count; i++)
        if (e->ssa->nodes[i].kind == IR_SSA_OP && e->ssa->blocks[e->ssa->nodes[i].block].reachable)
            add_access(&o, i);
    o.words = o.count / 32 + 1;
    o.since = calloc((size_t)e->func->block_count * o.words + 1, sizeof *o.since);
    o.asked = calloc((size_t)o.count * o.count / 32 + 1, sizeof *o.asked);
    o.good = o.good && o.since && o.asked;
    follow(&o);
    free(o.list);
    free(o.turns);
    free(o.since);
    free(o.asked);
    return o.good;
}
