/* --trace and --break: what runs at the mark before each guest instruction. */
#include <stdlib.h>
#include <string.h>

#include "wave/wave_internal.h"

/* The traced wave's registers before the instruction that runs now. */
struct wave_shadow {
    const struct wave *wave;
    uint64_t pc;
    char line[512];
    uint32_t s[IR_SCC + 1];
    uint32_t v[IR_V_TEMP * WAVE_LANES_MAX];
};

static size_t add(char *line, size_t length, size_t size, const char *format, unsigned a, unsigned b)
{
    if (length >= size)
        return length;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    int n = snprintf(line + length, size - length, format, a, b);
#pragma GCC diagnostic pop
    return n < 0 ? length : length + (size_t)n;
}

/* What the instruction before this probe wrote, behind its text. */
static void finish_line(struct wave *w, struct wave_shadow *shadow, const struct wave_hooks *hooks)
{
    char line[1024];
    size_t length = (size_t)snprintf(line, sizeof line, "%s", shadow->line);
    for (unsigned i = 0; i <= IR_SCC; i++)
        if (w->s[i] != shadow->s[i])
            length = i == IR_SCC ? add(line, length, sizeof line, "  scc=%u", w->s[i], 0)
                                 : add(line, length, sizeof line, "  s%u=%08x", i, w->s[i]);
    unsigned lanes = w->halves * 32;
    for (unsigned slot = 0; slot < w->worker->shared->vgprs; slot++)
        for (unsigned lane = 0; lane < lanes; lane++)
            if (w->v[slot * lanes + lane] != shadow->v[slot * lanes + lane]) {
                /* The first lane that changed stands for the register. */
                length = add(line, length, sizeof line, "  v%u[%u]", slot, lane);
                length = add(line, length, sizeof line, "=%08x", w->v[slot * lanes + lane], 0);
                break;
            }
    hooks->trace(hooks->user, line);
}

static void trace(struct wave *w, uint64_t pc, const struct wave_hooks *hooks)
{
    struct wave_worker *worker = w->worker;
    struct wave_shadow *shadow = worker->shadow;
    if (!shadow && !(shadow = worker->shadow = calloc(1, sizeof *shadow)))
        return;
    if (shadow->wave == w)
        finish_line(w, shadow, hooks);
    shadow->wave = w;
    shadow->pc = pc;
    memcpy(shadow->s, w->s, sizeof shadow->s);
    memcpy(shadow->v, w->v, (size_t)worker->shared->vgprs * w->stride);
    char text[256] = "?";
    wave_inst_text(worker->shared, pc, text, sizeof text);
    snprintf(shadow->line, sizeof shadow->line, "group %llu wave %u  %llx: %s", (unsigned long long)w->group->linear, w->index,
             (unsigned long long)pc, text);
}

static void stop_here(struct wave *w, const struct wave_hooks *hooks)
{
    enum { SIZE = 1 << 16 };
    char *text = malloc(SIZE);
    if (!text)
        return;
    wave_registers_text(w, w->worker->shared->vgprs, text, SIZE);
    hooks->at_break(hooks->user, text);
    free(text);
}

const struct wave_op *wave_probe_op(struct wave *w, const struct wave_op *o)
{
    const struct wave_hooks *hooks = w->worker->shared->options->hooks;
    uint64_t pc = wave_pc_of(w, o);
    if (hooks->trace)
        trace(w, pc, hooks);
    bool here = pc == hooks->break_pc && (hooks->break_group < 0 || (uint64_t)hooks->break_group == w->group->linear) &&
                (hooks->break_wave < 0 || hooks->break_wave == w->index);
    if (hooks->at_break && here)
        stop_here(w, hooks);
    return o + 1;
}

void wave_probe_end(struct wave *w)
{
    struct wave_shadow *shadow = w->worker->shadow;
    if (!shadow || shadow->wave != w)
        return;
    finish_line(w, shadow, w->worker->shared->options->hooks);
    shadow->wave = NULL;
}
