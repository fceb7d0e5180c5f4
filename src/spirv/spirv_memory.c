/* Memory operations: each lane's address, and the library's function for its space. */
#include <stdio.h>
#include <string.h>

#include "spirv/spirv_emit.h"

enum { WORD = 4, QUAD = 16, MOST_WORDS = 4 };

/* Operand n in the pack whose number is i: a choice among all packs' where they differ. Of the booleans only the first, whether
 * the lane takes part, may differ. */
static uint32_t choose_operand(struct spirv_emitter *e, const struct spirv_operands *calls, unsigned n, const uint32_t *is_pack)
{
    uint32_t id = calls[0].operand[n];
    for (unsigned k = 1; k < e->packs; k++)
        if (calls[k].operand[n] != calls[0].operand[n])
            id = spirv_op3(e, OP_SELECT, n ? e->library->t_u32 : e->library->t_bool, is_pack[k], calls[k].operand[n], id);
    return id;
}

static void keep_results(struct spirv_emitter *e, uint32_t all, unsigned words, bool vector, const uint32_t *is_pack)
{
    for (unsigned w = 0; w < words; w++) {
        uint32_t word = vector ? spirv_word_of(e, all, w) : all;
        for (unsigned k = 0; k < e->packs; k++) {
            uint32_t *variable = &e->pack_result[w * SPIRV_MAX_PACKS + k];
            if (!*variable)
                *variable = spirv_variable(e, e->p_u32);
            uint32_t old = spirv_load(e, e->library->t_u32, *variable);
            spirv_store(e, *variable, spirv_op3(e, OP_SELECT, e->library->t_u32, is_pack[k], word, old));
        }
    }
}

void spirv_call_packs(struct spirv_emitter *e, const char *name, const struct spirv_operands *calls, unsigned words, bool vector,
                      unsigned first, struct spirv_results *r)
{
    enum { DONT_UNROLL = 2 };
    uint32_t u = e->library->t_u32, t = e->library->t_bool, is_pack[SPIRV_MAX_PACKS];
    if (e->packs == 1) {
        uint32_t all = spirv_call(e, name, calls->count, calls->operand);
        for (unsigned w = 0; w < words; w++)
            r->id[first + w][0] = vector ? spirv_word_of(e, all, w) : all;
        return;
    }
    uint32_t head = spirv_id(e), body = spirv_id(e), again = spirv_id(e), end = spirv_id(e);
    if (!e->pack)
        e->pack = spirv_variable(e, e->p_u32);
    spirv_store(e, e->pack, spirv_const(e, 0));
    spirv_put_op(&e->body, OP_BRANCH, 1, &head);
    spirv_put_op(&e->body, OP_LABEL, 1, &head);
    spirv_put_op(&e->body, OP_LOOP_MERGE, 3, (uint32_t[]){end, again, DONT_UNROLL});
    spirv_put_op(&e->body, OP_BRANCH, 1, &body);
    spirv_put_op(&e->body, OP_LABEL, 1, &body);
    uint32_t i = spirv_load(e, u, e->pack);
    for (unsigned k = 0; k < e->packs; k++)
        is_pack[k] = spirv_op2(e, OP_I_EQUAL, t, i, spirv_const(e, k));
    struct spirv_operands chosen = {.count = calls->count};
    for (unsigned n = 0; n < calls->count; n++)
        chosen.operand[n] = choose_operand(e, calls, n, is_pack);
    uint32_t all = spirv_call(e, name, chosen.count, chosen.operand);
    keep_results(e, all, words, vector, is_pack);
    spirv_put_op(&e->body, OP_BRANCH, 1, &again);
    spirv_put_op(&e->body, OP_LABEL, 1, &again);
    uint32_t next = spirv_op2(e, OP_I_ADD, u, i, spirv_const(e, 1));
    spirv_store(e, e->pack, next);
    uint32_t more = spirv_op2(e, OP_U_LESS_THAN, t, next, spirv_const(e, e->packs));
    spirv_put_op(&e->body, OP_BRANCH_CONDITIONAL, 3, (uint32_t[]){more, head, end});
    spirv_put_op(&e->body, OP_LABEL, 1, &end);
    for (unsigned w = 0; w < words; w++)
        for (unsigned k = 0; k < e->packs; k++)
            r->id[first + w][k] = spirv_load(e, u, e->pack_result[w * SPIRV_MAX_PACKS + k]);
}

uint32_t spirv_add(struct spirv_emitter *e, uint32_t a, uint32_t b)
{
    return spirv_op2(e, OP_I_ADD, e->library->t_u32, a, b);
}

/* Base (64 bits) + offset, as two words. */
static void add64(struct spirv_emitter *e, uint32_t low, uint32_t high, uint32_t more_low, uint32_t more_high, uint32_t out[2])
{
    uint32_t sum = spirv_call(e, "row_add_u64", 5, (uint32_t[]){spirv_const(e, 0), low, high, more_low, more_high});
    out[0] = spirv_word_of(e, sum, 0);
    out[1] = spirv_word_of(e, sum, 1);
}

static void global_address(struct spirv_emitter *e, const struct spirv_args *args, const struct ir_access *access, unsigned k,
                           uint32_t out[2])
{
    if (access->flags & IR_AC_ADDTID) {
        uint32_t zero = spirv_const(e, 0);
        uint32_t at = spirv_op2(e, OP_SHIFT_LEFT_LOGICAL, e->library->t_u32, e->lane[k], spirv_const(e, 2));
        add64(e, spirv_value(e, args->source[1][0], 0), spirv_value(e, args->source[1][1], 0), at, zero, out);
    } else if (access->flags & IR_AC_SADDR) {
        uint32_t base[2] = {spirv_value(e, args->source[1][0], 0), spirv_value(e, args->source[1][1], 0)};
        uint32_t index = spirv_value(e, args->source[0][0], k), zero = spirv_const(e, 0), high = zero;
        if (access->flags & IR_AC_SIGNED_LANE)
            high = spirv_call(e, "row_shr_i32", 3, (uint32_t[]){zero, index, spirv_const(e, 31)});
        if (access->scale) {
            uint32_t scaled = spirv_call(e, "row_shl_b64", 4, (uint32_t[]){zero, index, high, spirv_const(e, access->scale)});
            index = spirv_word_of(e, scaled, 0);
            high = spirv_word_of(e, scaled, 1);
        }
        add64(e, base[0], base[1], index, high, out);
    } else {
        out[0] = spirv_value(e, args->source[0][0], k);
        out[1] = spirv_value(e, args->source[0][1], k);
    }
    if (access->offset)
        add64(e, out[0], out[1], spirv_const(e, (uint32_t)access->offset), spirv_const(e, access->offset < 0 ? ~0u : 0), out);
}

void spirv_push_slot(struct spirv_emitter *e, const struct spirv_args *args, struct spirv_operands *c)
{
    uint32_t slot = e->nodes[args->node - e->ssa->nodes].slot;
    if (slot && e->slots[slot - 1].first_site == UINT32_MAX)
        e->slots[slot - 1].first_site = e->site_count - 1;
    for (unsigned n = 0; n < SPIRV_SLOT_IDS; n++)
        spirv_push(c, slot ? e->slot_ids[slot - 1][n] : spirv_const(e, 0));
}

static bool takes_slot(const struct ir_access *access)
{
    return access->space == IR_SPACE_GLOBAL || access->space == IR_SPACE_BUFFER;
}

static void push_scratch(struct spirv_emitter *e, const struct spirv_args *args, struct spirv_operands *c)
{
    spirv_push(c, spirv_value(e, args->all[args->scratch], 0));
    spirv_push(c, spirv_value(e, args->all[args->scratch + 1], 0));
}

void spirv_push_buffer(struct spirv_emitter *e, const struct spirv_args *args, const struct ir_access *access, unsigned k,
                       uint32_t skip, struct spirv_operands *c)
{
    const struct ir_inst *inst = args->inst;
    for (unsigned n = 0; n < 4; n++)
        spirv_push(c, spirv_value(e, args->source[0][n], 0));
    bool indexed = access->flags & IR_AC_IDXEN && !ir_is_none(inst->src[1]);
    bool offset = access->flags & IR_AC_OFFEN && !ir_is_none(inst->src[2]);
    spirv_push(c, indexed ? spirv_value(e, args->source[1][0], k) : spirv_const(e, 0));
    spirv_push(c, offset ? spirv_value(e, args->source[2][0], k) : spirv_const(e, 0));
    spirv_push(c, ir_is_none(inst->src[3]) ? spirv_const(e, 0) : spirv_value(e, args->source[3][0], 0));
    spirv_push(c, spirv_const(e, (uint32_t)access->offset + skip));
}

/* Whether the pack's lane takes part: hosts themselves keep lanes that are not here from reaching memory. */
uint32_t spirv_access_runs(struct spirv_emitter *e, const struct spirv_args *args, unsigned pack)
{
    bool certain = e->alone && spirv_runs_for_certain(e, args->node->block, args->mask[0]);
    return certain ? e->id_true : spirv_mask_bool(e, args->mask, pack);
}

/* The address operands of an access's element in pack k, from byte skip on; the function's name up to the underscore. */
static const char *push_address(struct spirv_emitter *e, const struct spirv_args *args, const struct ir_access *access,
                                unsigned k, unsigned element, uint32_t skip, struct spirv_operands *c)
{
    const struct ir_inst *inst = args->inst;
    uint32_t address[2], offset;
    spirv_push(c, spirv_access_runs(e, args, k));
    switch (access->space) {
    case IR_SPACE_GLOBAL:
    case IR_SPACE_FLAT:
        global_address(e, args, access, k, address);
        if (skip)
            add64(e, address[0], address[1], spirv_const(e, skip), spirv_const(e, 0), address);
        spirv_push(c, address[0]);
        spirv_push(c, address[1]);
        return access->space == IR_SPACE_FLAT ? "flat" : "global";
    case IR_SPACE_LDS:
        e->uses_lds = true;
        offset = (uint32_t)(element ? access->offset1 : access->offset) + skip;
        spirv_push(c, access->flags & IR_AC_ADDTID ? spirv_share_by_lane(e, args, offset, k)
                                                   : spirv_add(e, spirv_value(e, args->source[0][0], k), spirv_const(e, offset)));
        return "lds";
    case IR_SPACE_GDS:
        e->uses_gds = true;
        offset = spirv_const(e, (uint32_t)(element ? access->offset1 : access->offset) + skip);
        spirv_push(c, spirv_add(e, spirv_value(e, args->source[0][0], k), offset));
        spirv_push(c, spirv_value(e, args->all[args->m0], 0));
        return "gds";
    case IR_SPACE_SCRATCH:
        push_scratch(e, args, c);
        offset = spirv_const(e, (uint32_t)access->offset + skip);
        if (!ir_is_none(inst->src[0]))
            offset = spirv_add(e, offset, spirv_value(e, args->source[0][0], k));
        if (!ir_is_none(inst->src[1]))
            offset = spirv_add(e, offset, spirv_value(e, args->source[1][0], 0));
        spirv_push(c, offset);
        spirv_push(c, spirv_const(e, e->lanes));
        return "scratch";
    default: spirv_push_buffer(e, args, access, k, skip, c); return "buffer";
    }
}

/* Flat accesses are told where the apertures and the lane's scratch lie. */
static void push_apertures(struct spirv_emitter *e, const struct spirv_args *args, struct spirv_operands *c)
{
    e->uses_lds = true;
    spirv_push(c, spirv_call(e, e->options->registers ? "saved_scalar" : "entry_scalar", 1,
                             (uint32_t[]){spirv_const(e, IR_SHARED_BASE)}));
    spirv_push(c, spirv_call(e, e->options->registers ? "saved_scalar" : "entry_scalar", 1,
                             (uint32_t[]){spirv_const(e, IR_PRIVATE_BASE)}));
    push_scratch(e, args, c);
    spirv_push(c, spirv_const(e, e->lanes));
}

static bool is_aligned(const struct spirv_emitter *e, const struct spirv_args *args, const struct ir_access *access,
                       unsigned element)
{
    int32_t offset = element ? access->offset1 : access->offset;
    return !(access->flags & IR_AC_ADDTID) && e->nodes[args->source[0][0]].aligned && offset % WORD == 0;
}

static void push_share(struct spirv_emitter *e, const struct spirv_args *args, const struct ir_access *access, unsigned element,
                       struct spirv_operands *c)
{
    spirv_push(c, spirv_bool(e, is_aligned(e, args, access, element)));
    bool inside = e->nodes[args->node - e->ssa->nodes].inside;
    spirv_push(c, spirv_const(e, inside ? SHARE_INSIDE : e->fast ? SHARE_MISSES : SHARE_REPORTS));
}

static void emit_load(struct spirv_emitter *e, const struct spirv_args *args, const struct ir_access *access,
                      struct spirv_results *r)
{
    unsigned words = access->bytes < WORD ? 1 : access->bytes / WORD;
    bool is_signed = access->flags & IR_AC_SIGNED;
    uint32_t site = spirv_const(e, spirv_site(e, args->inst->pc));
    for (unsigned n = 0; n < access->elements; n++) {
        struct spirv_operands calls[SPIRV_MAX_PACKS];
        char name[32];
        for (unsigned k = 0; k < e->packs; k++) {
            struct spirv_operands *c = &calls[k];
            c->count = 0;
            snprintf(name, sizeof name, "%s_load", push_address(e, args, access, k, n, 0, c));
            if (access->space == IR_SPACE_FLAT)
                push_apertures(e, args, c);
            spirv_push(c, spirv_const(e, access->bytes));
            spirv_push(c, spirv_bool(e, is_signed));
            spirv_push(c, site);
            spirv_push(c, e->lane[k]);
            if (takes_slot(access))
                spirv_push_slot(e, args, c);
            if (access->space == IR_SPACE_LDS)
                push_share(e, args, access, n, c);
        }
        if (access->flags & IR_AC_TFE)
            spirv_call_told(e, name, calls, words, r);
        else
            spirv_call_packs(e, name, calls, words, true, n * words, r);
    }
}

/* Half a register is loaded, the other one stays. */
static void merge_half(struct spirv_emitter *e, const struct spirv_args *args, const struct ir_access *access,
                       struct spirv_results *r)
{
    uint32_t u = e->library->t_u32;
    bool high = access->flags & IR_AC_D16_HI;
    for (unsigned k = 0; k < e->packs; k++) {
        uint32_t old =
            spirv_op2(e, OP_BITWISE_AND, u, spirv_value(e, args->all[args->old], k), spirv_const(e, high ? 0xffff : 0xffff0000u));
        uint32_t part = high ? spirv_op2(e, OP_SHIFT_LEFT_LOGICAL, u, r->id[0][k], spirv_const(e, 16))
                             : spirv_op2(e, OP_BITWISE_AND, u, r->id[0][k], spirv_const(e, 0xffff));
        r->id[0][k] = spirv_op2(e, OP_BITWISE_OR, u, old, part);
    }
}

static void emit_store(struct spirv_emitter *e, const struct spirv_args *args, const struct ir_access *access)
{
    unsigned words = access->bytes < WORD ? 1 : access->bytes / WORD;
    uint32_t site = spirv_const(e, spirv_site(e, args->inst->pc));
    for (unsigned n = 0; n < access->elements; n++) {
        struct spirv_operands calls[SPIRV_MAX_PACKS];
        char name[32];
        for (unsigned k = 0; k < e->packs; k++) {
            struct spirv_operands *c = &calls[k];
            c->count = 0;
            snprintf(name, sizeof name, "%s_store", push_address(e, args, access, k, n, 0, c));
            if (access->space == IR_SPACE_FLAT)
                push_apertures(e, args, c);
            spirv_push(c, spirv_const(e, access->bytes));
            for (unsigned w = 0; w < MOST_WORDS; w++) {
                uint32_t data = w < words ? spirv_value(e, args->source[n ? 5 : 4][w], k) : spirv_const(e, 0);
                if (w == 0 && access->flags & IR_AC_D16_HI)
                    data = spirv_op2(e, OP_SHIFT_RIGHT_LOGICAL, e->library->t_u32, data, spirv_const(e, 16));
                spirv_push(c, data);
            }
            spirv_push(c, site);
            spirv_push(c, e->lane[k]);
            if (takes_slot(access))
                spirv_push_slot(e, args, c);
            if (access->space == IR_SPACE_LDS)
                push_share(e, args, access, n, c);
        }
        spirv_call_packs(e, name, calls, 0, true, 0, NULL);
    }
}

static void emit_atomic(struct spirv_emitter *e, const struct spirv_args *args, const struct ir_access *access,
                        struct spirv_results *r)
{
    unsigned words = access->bytes / WORD;
    bool share = access->space == IR_SPACE_LDS, apart = share || access->space == IR_SPACE_GDS;
    bool pair = access->atomic == IR_A_CMPSWAP || access->atomic == IR_A_FCMPSWAP || access->atomic == IR_A_MSKOR ||
                access->atomic == IR_A_WRAP;
    bool flat = access->space == IR_SPACE_FLAT;
    uint32_t site = spirv_const(e, spirv_site(e, args->inst->pc)), zero = spirv_const(e, 0);
    uint32_t keep = share || flat ? spirv_keeps_denormals(e, args, access->bytes) : 0; /* the wave's: one for all packs */
    struct spirv_operands calls[SPIRV_MAX_PACKS];
    char name[32];
    for (unsigned k = 0; k < e->packs; k++) {
        struct spirv_operands *c = &calls[k];
        c->count = 0;
        snprintf(name, sizeof name, "%s_atomic%u", push_address(e, args, access, k, 0, 0, c), access->bytes * 8u);
        if (flat)
            push_apertures(e, args, c);
        spirv_push(c, spirv_atomic_code(e, access));
        for (unsigned n = 0; n < 2; n++)
            for (unsigned w = 0; w < words; w++) {
                const uint32_t *from = n == 0 ? args->source[4] : apart ? args->source[5] : args->source[4] + words;
                bool there = !ir_is_none(args->inst->src[n && apart ? 5 : 4]) && (n == 0 || pair);
                spirv_push(c, there ? spirv_value(e, from[w], k) : zero);
            }
        if (share || flat)
            spirv_push(c, keep);
        spirv_push(c, site);
        spirv_push(c, e->lane[k]);
        if (!apart && !flat)
            spirv_push_slot(e, args, c);
    }
    spirv_call_packs(e, name, calls, words, words > 1, 0, r);
}

static void push_scalar(struct spirv_emitter *e, const struct spirv_args *args, const struct ir_access *access,
                        struct spirv_operands *c)
{
    for (unsigned n = 0; n < (access->space == IR_SPACE_SBUFFER ? 4 : 2); n++)
        spirv_push(c, spirv_value(e, args->source[0][n], 0));
    spirv_push(c, ir_is_none(args->inst->src[1]) ? spirv_const(e, 0) : spirv_value(e, args->source[1][0], 0));
    spirv_push(c, spirv_const(e, (uint32_t)access->offset));
}

static void emit_scalar_alone(struct spirv_emitter *e, const struct spirv_args *args, const struct ir_access *access,
                              struct spirv_results *r)
{
    unsigned words = access->bytes / WORD;
    for (unsigned first = 0; first < words; first += MOST_WORDS) {
        unsigned count = words - first < MOST_WORDS ? words - first : MOST_WORDS;
        struct spirv_operands c = {.count = 0};
        push_scalar(e, args, access, &c);
        spirv_push(&c, spirv_const(e, first));
        spirv_push(&c, spirv_const(e, count));
        spirv_push(&c, spirv_const(e, spirv_site(e, args->inst->pc)));
        spirv_push_slot(e, args, &c);
        uint32_t all = spirv_call(e, access->space == IR_SPACE_SBUFFER ? "sbuffer_words" : "scalar_words", c.count, c.operand);
        for (unsigned w = 0; w < count; w++)
            r->id[first + w][0] = spirv_word_of(e, all, w);
    }
}

/* Each invocation loads one word, and tells the others. */
static void emit_scalar(struct spirv_emitter *e, const struct spirv_args *args, const struct ir_access *access,
                        struct spirv_results *r)
{
    bool buffer = access->space == IR_SPACE_SBUFFER;
    uint32_t site = spirv_const(e, spirv_site(e, args->inst->pc));
    unsigned words = access->bytes / WORD, first_word = e->nodes[args->node - e->ssa->nodes].preloaded;
    for (unsigned w = 0; first_word && w < words; w++)
        r->id[w][0] = e->word_ids[first_word - 1 + w];
    if (first_word)
        return;
    if (e->alone) {
        emit_scalar_alone(e, args, access, r);
        return;
    }
    for (unsigned first = 0; first < words; first += e->subgroup) {
        struct spirv_operands c = {.count = 0};
        spirv_push(&c, spirv_op2(e, OP_U_LESS_THAN, e->library->t_bool, e->lane[0], spirv_const(e, words - first)));
        push_scalar(e, args, access, &c);
        spirv_push(&c, spirv_add(e, e->lane[0], spirv_const(e, first)));
        spirv_push(&c, site);
        spirv_push_slot(e, args, &c);
        uint32_t own = spirv_call(e, buffer ? "sbuffer_load" : "scalar_load", c.count, c.operand);
        for (unsigned w = first; w < words && w < first + e->subgroup; w++)
            r->id[w][0] = spirv_told_by(e, own, w - first);
    }
}

/* What this device leaves to another one. */
static const char *refusal(const struct ir_inst *inst, const struct ir_access *access)
{
    bool scalar = access->space == IR_SPACE_SCALAR || access->space == IR_SPACE_SBUFFER;
    bool rare = access->flags & (IR_AC_SRC2 | IR_AC_ADDTID) || (inst->op == IR_atomic && access->elements > 1);
    if (access->space == IR_SPACE_GDS && rare)
        return "reaches the global data share in a way that no module does";
    bool wide_sum = access->atomic == IR_A_FADD && access->bytes == 8;
    bool exchange = access->atomic == IR_A_CONDXCHG && (access->bytes != 8 || access->space != IR_SPACE_LDS);
    bool two = access->elements > 1 && (access->space != IR_SPACE_LDS || access->atomic != IR_A_SWAP);
    if (inst->op == IR_atomic && (wide_sum || exchange || two || access->space == IR_SPACE_SCRATCH))
        return "is an atomic that no instruction asks for";
    if (!scalar && access->bytes > QUAD && !(access->flags & IR_AC_FORMAT))
        return "moves more than four words";
    return NULL;
}

void spirv_emit_memory(struct spirv_emitter *e, const struct spirv_args *args, struct spirv_results *r)
{
    const struct ir_inst *inst = args->inst;
    if (inst->op == IR_wave_id) {
        r->id[0][0] = spirv_call(e, "entry_wave", 0, NULL);
        return;
    }
    if (inst->op == IR_ds_append) {
        spirv_emit_append(e, args, r);
        return;
    }
    const struct ir_access *access = ir_inst_access(e->func, inst);
    const char *what = access ? refusal(inst, access) : "counts in an order of waves";
    if (what) {
        spirv_refuse(e, inst, what);
        return;
    }
    bool scalar = access->space == IR_SPACE_SCALAR || access->space == IR_SPACE_SBUFFER;
    if (!scalar && !args->mask)
        spirv_refuse(e, inst, "runs without a mask of lanes");
    else if (access->flags & IR_AC_FORMAT)
        spirv_emit_format(e, args, access, r);
    else if (scalar && inst->op != IR_load)
        spirv_emit_scalar_write(e, args, access, r);
    else if (scalar)
        emit_scalar(e, args, access, r);
    else if (access->flags & IR_AC_SRC2)
        spirv_emit_operand_atomic(e, args, access, r);
    else if (inst->op == IR_atomic && access->elements > 1)
        spirv_emit_swaps(e, args, access, r);
    else if (e->windows && access->space != IR_SPACE_LDS)
        spirv_emit_near(e, args, access, r);
    else if (e->own && access->space == IR_SPACE_SCRATCH)
        spirv_emit_own(e, args, access, r);
    else if (inst->op == IR_load)
        emit_load(e, args, access, r);
    else if (inst->op == IR_store)
        emit_store(e, args, access);
    else
        emit_atomic(e, args, access, r);
    if (!*e->reason && inst->op == IR_load && access->flags & (IR_AC_D16 | IR_AC_D16_HI) && access->bytes < WORD &&
        !(access->flags & (IR_AC_FORMAT | IR_AC_LDS_DMA)))
        merge_half(e, args, access, r);
    if (!*e->reason && access->flags & IR_AC_LDS_DMA)
        spirv_emit_to_share(e, args, access, r);
}
