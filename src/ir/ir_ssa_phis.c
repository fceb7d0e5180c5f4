/* Where phis are needed: liveness of variables, and the iterated dominance frontiers of their definitions. */
#include <stdlib.h>

#include "ir/ir_ssa_flow.h"

struct flow {
    struct ir_ssa *ssa;
    ir_ssa_set *exposed, *killed, *live; /* by block: read before written, written, live at its start */
    uint32_t *first, *frontier;          /* block b's frontier: frontier[first[b]] up to frontier[first[b + 1]] */
};

static void scan_reads(ir_ssa_set *exposed, const ir_ssa_set *killed, const uint32_t *reads, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (reads[i] < IR_SSA_VARS && !ir_ssa_set_has(killed, reads[i]))
            ir_ssa_set_add(exposed, reads[i]);
}

static void scan_block(const struct ir_func *func, const struct ir_block *block, ir_ssa_set *exposed, ir_ssa_set *killed)
{
    struct ir_ssa_shape shape;
    for (uint32_t i = block->first; i < block->first + block->count; i++) {
        ir_ssa_shape_of(func, &func->insts[i], &shape);
        scan_reads(exposed, killed, shape.reads, shape.read_count);
        for (uint32_t n = 0; n < shape.write_count; n++) {
            uint32_t var = shape.writes[n];
            if (shape.merged[n])
                scan_reads(exposed, killed, &var, 1);
            ir_ssa_set_add(killed, var);
        }
    }
    uint32_t reads[2];
    scan_reads(exposed, killed, reads, ir_ssa_terminator_reads(block, reads));
    for (uint32_t var = 0; ir_ssa_is_exit(block) && var < IR_SSA_VARS; var++)
        if (ir_ssa_is_guest_var(var))
            scan_reads(exposed, killed, &var, 1);
}

static void find_live(const struct flow *f)
{
    const struct ir_ssa *ssa = f->ssa;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = ssa->order_count; i-- > 0;) {
            uint32_t number = ssa->order[i], succ[2];
            unsigned succs = ir_ssa_succs(ssa->func, number, succ);
            for (unsigned w = 0; w < IR_SSA_SET_WORDS; w++) {
                uint64_t out = 0;
                for (unsigned n = 0; n < succs; n++)
                    out |= f->live[succ[n]].bits[w];
                uint64_t in = f->exposed[number].bits[w] | (out & ~f->killed[number].bits[w]);
                changed |= in != f->live[number].bits[w];
                f->live[number].bits[w] = in;
            }
        }
    }
}

/* Calls for each (block, member of its frontier). With frontier NULL it only counts into first[block + 1]. */
static void walk_frontiers(const struct flow *f, uint32_t *fill)
{
    const struct ir_ssa *ssa = f->ssa;
    for (uint32_t i = 0; i < ssa->order_count; i++) {
        uint32_t number = ssa->order[i];
        const struct ir_ssa_block *block = &ssa->blocks[number];
        for (uint32_t n = 0; block->pred_count > 1 && n < block->pred_count; n++)
            for (uint32_t at = ssa->preds[block->first_pred + n]; at != block->idom && at != IR_SSA_NONE;
                 at = ssa->blocks[at].idom) {
                if (fill)
                    f->frontier[fill[at]++] = number;
                else
                    f->first[at + 1]++;
            }
    }
}

static bool find_frontiers(struct flow *f)
{
    uint32_t count = f->ssa->func->block_count;
    f->first = calloc(count + 1, sizeof *f->first);
    uint32_t *fill = calloc(count + 1, sizeof *fill);
    bool good = f->first && fill;
    if (good) {
        walk_frontiers(f, NULL);
        for (uint32_t b = 0; b < count; b++) {
            f->first[b + 1] += f->first[b];
            fill[b + 1] = f->first[b + 1];
        }
        f->frontier = calloc(f->first[count] + 1, sizeof *f->frontier);
        good = f->frontier != NULL;
    }
    if (good)
        walk_frontiers(f, fill);
    free(fill);
    return good;
}

static void place_phis(const struct flow *f, unsigned var, ir_ssa_set *phis, uint32_t *work)
{
    const struct ir_ssa *ssa = f->ssa;
    uint32_t count = 0;
    for (uint32_t i = 0; i < ssa->order_count; i++)
        if (ir_ssa_set_has(&f->killed[ssa->order[i]], var))
            work[count++] = ssa->order[i];
    while (count) {
        uint32_t from = work[--count];
        for (uint32_t i = f->first[from]; i < f->first[from + 1]; i++) {
            uint32_t to = f->frontier[i];
            if (ir_ssa_set_has(&phis[to], var) || !ir_ssa_set_has(&f->live[to], var))
                continue;
            ir_ssa_set_add(&phis[to], var);
            if (!ir_ssa_set_has(&f->killed[to], var))
                work[count++] = to;
        }
    }
}

ir_ssa_set *ir_ssa_find_phis(struct ir_ssa *ssa)
{
    size_t count = ssa->func->block_count;
    struct flow f = {.ssa = ssa};
    ir_ssa_set *phis = calloc(count, sizeof *phis);
    uint32_t *work = calloc(count, sizeof *work);
    f.exposed = calloc(count, sizeof *f.exposed);
    f.killed = calloc(count, sizeof *f.killed);
    f.live = calloc(count, sizeof *f.live);
    bool good = phis && work && f.exposed && f.killed && f.live && find_frontiers(&f);
    if (good) {
        for (uint32_t i = 0; i < ssa->order_count; i++)
            scan_block(ssa->func, &ssa->func->blocks[ssa->order[i]], &f.exposed[ssa->order[i]], &f.killed[ssa->order[i]]);
        find_live(&f);
        for (unsigned var = 0; var < IR_SSA_VARS; var++)
            place_phis(&f, var, phis, work);
    }
    free(work);
    free(f.exposed);
    free(f.killed);
    free(f.live);
    free(f.first);
    free(f.frontier);
    if (!good) {
        free(phis);
        return NULL;
    }
    return phis;
}
