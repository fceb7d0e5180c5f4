/* Buffer accesses that convert between a format in memory and registers. */
#include "spirv/spirv_emit.h"

enum { WORDS = 4, V_FORMAT_WORD = 3 };

/* Ids that all packs share: the format's row, the selects, the descriptor's last word, the site. */
struct conversion {
    uint32_t row, selects, word, site;
    bool halves;
};

static struct conversion conversion_of(struct spirv_emitter *e, const struct spirv_args *args, const struct ir_access *access)
{
    enum { IN_ORDER = 4 | 5 << 3 | 6 << 6 | 7 << 9, FORMAT_SHIFT = 12 };
    struct conversion c = {.word = spirv_value(e, args->source[0][V_FORMAT_WORD], 0),
                           .site = spirv_const(e, spirv_site(e, args->inst->pc)),
                           .halves = access->flags & (IR_AC_D16 | IR_AC_D16_HI)};
    if (access->flags & IR_AC_TYPED) {
        c.row = spirv_call(e, "format_row", 1, (uint32_t[]){spirv_const(e, access->format)});
        c.selects = spirv_const(e, IN_ORDER);
        /* The invalid format marks an unbound buffer, but for instructions with a format of their own. */
        c.word = spirv_op2(e, OP_BITWISE_OR, e->library->t_u32, c.word, spirv_const(e, 1u << FORMAT_SHIFT));
    } else {
        c.row = spirv_call(e, "buffer_row", 1, &c.word);
        c.selects = spirv_call(e, "buffer_selects", 1, &c.word);
    }
    return c;
}

static void push_place(struct spirv_emitter *e, const struct spirv_args *args, const struct ir_access *access,
                       const struct conversion *conversion, unsigned k, struct spirv_operands *c)
{
    c->count = 0;
    spirv_push(c, spirv_access_runs(e, args, k));
    spirv_push_buffer(e, args, access, k, 0, c);
    c->operand[1 + V_FORMAT_WORD] = conversion->word;
    spirv_push(c, conversion->row);
    spirv_push(c, conversion->selects);
}

/* A register whose other half the load does not write. */
static uint32_t merge(struct spirv_emitter *e, uint32_t old, uint32_t half, bool high)
{
    uint32_t u = e->library->t_u32;
    old = spirv_op2(e, OP_BITWISE_AND, u, old, spirv_const(e, high ? 0xffff : 0xffff0000u));
    half = high ? spirv_op2(e, OP_SHIFT_LEFT_LOGICAL, u, half, spirv_const(e, 16))
                : spirv_op2(e, OP_BITWISE_AND, u, half, spirv_const(e, 0xffff));
    return spirv_op2(e, OP_BITWISE_OR, u, old, half);
}

static void emit_load(struct spirv_emitter *e, const struct spirv_args *args, const struct ir_access *access,
                      const struct conversion *conversion, struct spirv_results *r)
{
    struct spirv_operands calls[SPIRV_MAX_PACKS];
    unsigned words = conversion->halves ? (access->elements + 1u) / 2 : access->elements;
    for (unsigned k = 0; k < e->packs; k++) {
        push_place(e, args, access, conversion, k, &calls[k]);
        spirv_push(&calls[k], spirv_bool(e, conversion->halves));
        spirv_push(&calls[k], conversion->site);
        spirv_push(&calls[k], e->lane[k]);
        spirv_push_slot(e, args, &calls[k]);
    }
    if (access->flags & IR_AC_TFE)
        spirv_call_told(e, "buffer_load_format", calls, words, r);
    else
        spirv_call_packs(e, "buffer_load_format", calls, words, true, 0, r);
    for (unsigned k = 0; conversion->halves && access->elements % 2 && k < e->packs; k++)
        r->id[words - 1][k] =
            merge(e, spirv_value(e, args->all[args->old + words - 1], k), r->id[words - 1][k], access->flags & IR_AC_D16_HI);
}

static void emit_store(struct spirv_emitter *e, const struct spirv_args *args, const struct ir_access *access,
                       const struct conversion *conversion)
{
    struct spirv_operands calls[SPIRV_MAX_PACKS];
    unsigned words = conversion->halves ? (access->elements + 1u) / 2 : access->elements;
    for (unsigned k = 0; k < e->packs; k++) {
        struct spirv_operands *c = &calls[k];
        push_place(e, args, access, conversion, k, c);
        spirv_push(c, spirv_const(e, access->elements));
        spirv_push(c, spirv_bool(e, conversion->halves));
        for (unsigned w = 0; w < WORDS; w++) {
            uint32_t data = w < words ? spirv_value(e, args->source[4][w], k) : spirv_const(e, 0);
            if (access->flags & IR_AC_D16_HI)
                data = spirv_op2(e, OP_SHIFT_RIGHT_LOGICAL, e->library->t_u32, data, spirv_const(e, 16));
            spirv_push(c, data);
        }
        spirv_push(c, conversion->site);
        spirv_push(c, e->lane[k]);
        spirv_push_slot(e, args, c);
    }
    spirv_call_packs(e, "buffer_store_format", calls, 0, true, 0, NULL);
}

void spirv_emit_format(struct spirv_emitter *e, const struct spirv_args *args, const struct ir_access *access,
                       struct spirv_results *r)
{
    const struct conversion conversion = conversion_of(e, args, access);
    if (args->inst->op == IR_load)
        emit_load(e, args, access, &conversion, r);
    else
        emit_store(e, args, access, &conversion);
}
