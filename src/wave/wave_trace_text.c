/* A wave's registers as text, for --break and for reports of a wave that stands still. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "wave/wave_internal.h"

enum { SGPRS = 106, COLUMNS = 8 };

/* Text under way; keeps counting past the end of the room. */
struct text {
    char *at;
    size_t size, used;
};

__attribute__((format(printf, 2, 3))) static void put(struct text *t, const char *format, ...)
{
    size_t left = t->used < t->size ? t->size - t->used : 0;
    va_list args;
    va_start(args, format);
    int length = vsnprintf(left ? t->at + t->used : NULL, left, format, args);
    va_end(args);
    t->used += length > 0 ? (size_t)length : 0;
}

static uint64_t mask_of(const struct wave *w, unsigned slot)
{
    return w->s[slot] | (w->halves == 2 ? (uint64_t)w->s[slot + 1] << 32 : 0);
}

static void put_state(struct text *t, const struct wave *w)
{
    int digits = w->halves == 2 ? 16 : 8;
    put(t, "exec %0*" PRIx64 "  vcc %0*" PRIx64 "  scc %" PRIu32 "  m0 %08" PRIx32 "  mode %08" PRIx32 "\n", digits,
        mask_of(w, IR_EXEC), digits, mask_of(w, IR_VCC), w->s[IR_SCC], w->s[IR_M0], w->s[IR_MODE]);
    if (w->halves == 1) /* plain scalars there */
        put(t, "exec_hi %08" PRIx32 "  vcc_hi %08" PRIx32 "\n", w->s[IR_EXEC + 1], w->s[IR_VCC + 1]);
}

/* Which scalar registers the program names or was given. */
static void mark_sgprs(const struct wave *w, bool used[SGPRS])
{
    const struct ir_func *func = w->unit ? w->unit->func : NULL;
    for (unsigned n = 0; n < SGPRS; n++)
        used[n] = w->s[n] != 0;
    for (uint32_t i = 0; func && i < func->inst_count; i++) {
        const struct ir_inst *inst = &func->insts[i];
        const ir_ref refs[] = {inst->dst[0], inst->dst[1], inst->src[0], inst->src[1], inst->src[2]};
        for (unsigned n = 0; n < sizeof refs / sizeof *refs; n++)
            if (refs[n].kind == IR_S && refs[n].index < SGPRS)
                used[refs[n].index] = true;
    }
}

static void put_sgprs(struct text *t, const struct wave *w)
{
    bool used[SGPRS];
    mark_sgprs(w, used);
    for (unsigned first = 0; first < SGPRS; first += COLUMNS) {
        bool any = false;
        for (unsigned n = first; n < first + COLUMNS && n < SGPRS; n++)
            any |= used[n];
        if (!any)
            continue;
        put(t, "s%-4u", first);
        for (unsigned n = first; n < first + COLUMNS && n < SGPRS; n++)
            put(t, " %08" PRIx32, w->s[n]);
        put(t, "\n");
    }
}

/* One line when every lane holds the same, else eight lanes a line, with the line's first lane. */
static void put_vgpr(struct text *t, const struct wave *w, unsigned reg)
{
    unsigned lanes = w->halves * 32;
    const uint32_t *v = w->v + (size_t)reg * lanes;
    bool same = true;
    for (unsigned i = 1; i < lanes; i++)
        same &= v[i] == v[0];
    if (same) {
        put(t, "v%-4u %08" PRIx32 " in every lane\n", reg, v[0]);
        return;
    }
    for (unsigned first = 0; first < lanes; first += COLUMNS) {
        if (first == 0)
            put(t, "v%-4u", reg);
        else
            put(t, " [%2u]", first);
        for (unsigned i = first; i < first + COLUMNS; i++)
            put(t, " %08" PRIx32, v[i]);
        put(t, "\n");
    }
}

size_t wave_registers_text(const struct wave *w, unsigned vgprs, char *text, size_t size)
{
    struct text t = {text, size, 0};
    put_state(&t, w);
    put_sgprs(&t, w);
    for (unsigned reg = 0; reg < vgprs && reg < IR_V_TEMP; reg++)
        put_vgpr(&t, w, reg);
    return t.used;
}

static void put_sreg(struct text *t, unsigned reg)
{
    static const char *const names[] = {
        [IR_VCC] = "vcc_lo", [IR_VCC + 1] = "vcc_hi", [IR_M0] = "m0", [IR_EXEC] = "exec_lo", [IR_EXEC + 1] = "exec_hi"};
    if (reg >= SGPRS && names[reg])
        put(t, " %s=", names[reg]);
    else
        put(t, " s%u=", reg);
}

static void put_operand(struct text *t, const struct wave *w, const struct isa_operand *operand)
{
    unsigned lanes = w->halves * 32;
    uint64_t exec = mask_of(w, IR_EXEC);
    unsigned lane = exec ? (unsigned)__builtin_ctzll(exec) : 0;
    for (unsigned k = 0; k < operand->dwords; k++) {
        unsigned reg = operand->reg + k;
        if (operand->kind == ISA_O_SREG && reg <= IR_EXEC + 1) {
            put_sreg(t, reg);
            put(t, "%08" PRIx32, w->s[reg]);
        } else if (operand->kind == ISA_O_VREG && reg < IR_V_TEMP) {
            put(t, " v%u[%u]=%08" PRIx32, reg, lane, w->v[(size_t)reg * lanes + lane]);
        }
    }
}

size_t wave_operands_text(const struct wave *w, const struct isa_inst *inst, char *text, size_t size)
{
    struct text t = {text, size, 0};
    int digits = w->halves == 2 ? 16 : 8;
    put(&t, "exec=%0*" PRIx64 " vcc=%0*" PRIx64, digits, mask_of(w, IR_EXEC), digits, mask_of(w, IR_VCC));
    for (unsigned n = 0; n < inst->dst_count; n++)
        put_operand(&t, w, &inst->dst[n]);
    for (unsigned n = 0; n < inst->src_count; n++)
        put_operand(&t, w, &inst->src[n]);
    return t.used;
}
