/* A module as a whole: what it refuses, and what is made until one is right. */
#include "spirv/spirv.h"

#include <stdio.h>
#include <stdlib.h>

#include "spirv/spirv_emit.h"

enum { MAX_BLOCKS = 4000, MAX_NODES = 200000 };

void spirv_refuse(struct spirv_emitter *e, const struct ir_inst *inst, const char *what)
{
    if (!*e->reason)
        snprintf(e->reason, SPIRV_REASON_SIZE, "the instruction at %#llx (%s) %s", (unsigned long long)inst->pc,
                 ir_ops[inst->op].name, what);
}

uint32_t spirv_site(struct spirv_emitter *e, uint64_t pc)
{
    if (e->site_count && e->site_pc[e->site_count - 1] == pc)
        return e->site_count - 1;
    if (e->site_count == e->site_cap) {
        uint32_t cap = e->site_cap ? 2 * e->site_cap : 64;
        uint64_t *sites = realloc(e->site_pc, cap * sizeof *sites);
        if (!sites) {
            e->out_of_memory = true;
            return 0;
        }
        e->site_pc = sites;
        e->site_cap = cap;
    }
    e->site_pc[e->site_count] = pc;
    return e->site_count++;
}

/* Where the jump is that a block ends with; all of them are one word long. */
uint64_t spirv_jump_of(const struct ir_block *block)
{
    return block->end_pc - sizeof(uint32_t);
}

/* What ends or leaves a wave in a way that reports show, which only the CPU device does. */
static const char *refusal_of(unsigned op)
{
    switch (op) {
    case IR_unsupported: return "is not supported, which the CPU device reports where it is met";
    case IR_unknown: return "is no instruction, which the CPU device reports where it is met";
    case IR_trap: return "traps";
    case IR_sendmsg: return "sends a message";
    case IR_memtime: return "reads a clock";
    default: return NULL;
    }
}

/* Blocks must end within the function, and nothing may be in it that needs what a host device lacks. */
static void check(struct spirv_emitter *e)
{
    for (uint32_t i = 0; i < e->ssa->order_count && !*e->reason; i++) {
        uint32_t b = e->ssa->order[i];
        const struct ir_block *block = &e->func->blocks[b];
        unsigned edges = block->term == IR_TERM_BRANCH ? 2 : block->term == IR_TERM_JUMP ? 1 : 0;
        /* A probe's program ends with a jump to where a register says that it began with. */
        bool ends = block->term == IR_TERM_SETPC && e->options->registers &&
                    e->ssa->nodes[e->ssa->blocks[b].cond[0]].kind == IR_SSA_ENTRY;
        bool outside = block->term == IR_TERM_SETPC && !ends && !e->func->whole;
        for (unsigned n = 0; n < edges; n++)
            outside |= block->succ[n] == IR_NO_BLOCK;
        if (outside)
            snprintf(e->reason, SPIRV_REASON_SIZE, "a jump at %#llx leads to an address that the program computes",
                     (unsigned long long)spirv_jump_of(block));
        for (uint32_t n = block->first; n < block->first + block->count && !*e->reason; n++) {
            const struct ir_inst *inst = &e->func->insts[n];
            if (refusal_of(inst->op))
                spirv_refuse(e, inst, refusal_of(inst->op));
        }
    }
    if (!*e->reason && (e->func->block_count > MAX_BLOCKS || e->ssa->node_count > MAX_NODES))
        snprintf(e->reason, SPIRV_REASON_SIZE, "the program is too large for a module");
    const struct ir_inst *waits = *e->reason ? NULL : spirv_find_wait(e);
    if (waits)
        spirv_refuse(e, waits, "waits for other waves, which a host device need not run at the same time");
}

/* Whether some block leads to no end of the program. A host's compiler takes what follows a loop without a way out for code that never runs, what is told at
 * the end among it, even where the host ends the loop. */
static bool is_endless(struct spirv_emitter *e)
{
    const struct ir_ssa *ssa = e->ssa;
    bool *ends = calloc(e->func->block_count + 1, sizeof *ends), endless = false;
    e->out_of_memory |= !ends;
    for (bool more = ends; more;) { /* from the last blocks on, so that a few turns do */
        more = false;
        for (uint32_t i = ssa->order_count; i-- > 0;) {
            const struct ir_block *b = &e->func->blocks[ssa->order[i]];
            unsigned edges = b->term == IR_TERM_BRANCH ? 2 : b->term == IR_TERM_JUMP ? 1 : 0;
            bool now = !edges;
            for (unsigned n = 0; n < edges; n++)
                now |= b->succ[n] != IR_NO_BLOCK && ends[b->succ[n]];
            more |= now && !ends[ssa->order[i]];
            ends[ssa->order[i]] |= now;
        }
    }
    for (uint32_t i = 0; ends && i < ssa->order_count; i++)
        endless |= !ends[ssa->order[i]];
    free(ends);
    return endless;
}

static void begin(struct spirv_emitter *e)
{
    enum { FUNCTION_CLASS = 7 };
    const struct spirv_library *l = e->library;
    e->id_true = spirv_id(e);
    e->id_false = spirv_id(e);
    e->p_u32 = spirv_id(e);
    e->p_bool = spirv_id(e);
    spirv_put_op(&e->decls, OP_CONSTANT_TRUE, 2, (uint32_t[]){l->t_bool, e->id_true});
    spirv_put_op(&e->decls, OP_CONSTANT_FALSE, 2, (uint32_t[]){l->t_bool, e->id_false});
    spirv_put_op(&e->decls, OP_TYPE_POINTER, 3, (uint32_t[]){e->p_u32, FUNCTION_CLASS, l->t_u32});
    spirv_put_op(&e->decls, OP_TYPE_POINTER, 3, (uint32_t[]){e->p_bool, FUNCTION_CLASS, l->t_bool});
    e->target = spirv_variable(e, e->p_u32);
    e->budget = spirv_variable(e, e->p_u32);
}

static struct spirv_module *join(struct spirv_emitter *e)
{
    struct spirv_module *m = calloc(1, sizeof *m);
    struct spirv_words out = {0};
    spirv_assemble(e, &out);
    if (!m || *e->reason || out.out_of_memory || e->decls.out_of_memory || e->vars.out_of_memory || e->body.out_of_memory ||
        e->out_of_memory) {
        free(out.at);
        free(m);
        return NULL;
    }
    *m = (struct spirv_module){.words = out.at,
                               .word_count = out.count,
                               .site_pc = e->site_pc,
                               .site_count = e->site_count,
                               .slots = e->slots,
                               .preloads = e->preloads,
                               .reaches = e->reaches,
                               .aparts = e->aparts,
                               .apart_count = e->apart_count,
                               .slot_count = e->slot_count,
                               .preload_count = e->preload_count,
                               .reach_count = e->reach_count,
                               .nears = e->windows ? e->nears : NULL,
                               .near_count = e->windows ? e->near_count : 0,
                               .fast = e->fast,
                               .certain = e->certain,
                               .bounds = e->certain ? e->bounds : NULL,
                               .bound_steps = e->certain ? e->bound_steps : NULL,
                               .bound_count = e->certain ? e->bound_count : 0,
                               .bound_step_count = e->certain ? e->bound_step_count : 0,
                               .merged = e->merged * e->turns,
                               .images = e->images,
                               .image_count = e->image_count,
                               .steps = e->steps,
                               .step_count = e->step_count,
                               .uses_lds = e->uses_lds,
                               .spills = e->spilled,
                               .gds = e->uses_gds,
                               .rays = e->rays,
                               .locks = e->locks,
                               .alone = e->alone,
                               .exact = e->exact,
                               .approximate = e->approximate};
    e->site_pc = NULL;
    e->slots = NULL;
    e->preloads = NULL;
    e->reaches = NULL;
    e->aparts = NULL;
    e->images = NULL;
    e->steps = NULL;
    if (e->windows)
        e->nears = NULL;
    if (e->certain) {
        e->bounds = NULL;
        e->bound_steps = NULL;
    }
    return m;
}

static void finish(struct spirv_emitter *e)
{
    free(e->decls.at);
    free(e->vars.at);
    free(e->body.at);
    spirv_special_finish(e);
    free(e->nodes);
    free(e->place);
    free(e->pool);
    free(e->site_pc);
    free(e->slots);
    free(e->slot_nodes);
    free(e->preloads);
    free(e->reaches);
    free(e->aparts);
    free(e->nears);
    free(e->near_before);
    free(e->bounds);
    free(e->bound_steps);
    free(e->bound_at);
    free(e->images);
    free(e->steps);
    free(e->step_at);
    free(e->twin);
}

/* Small groups that have nothing to do with each other make one of the host's: starting groups is what small ones cost. */
static uint32_t merged_groups(const struct spirv_emitter *e)
{
    enum { WANTED = 256 };
    unsigned lanes = e->lanes * e->options->waves, most = e->options->alone < WANTED ? e->options->alone : WANTED;
    for (uint32_t i = 0; i < e->func->inst_count; i++) {
        const struct ir_access *access = ir_inst_access(e->func, &e->func->insts[i]);
        if (access && (access->space == IR_SPACE_LDS || access->space == IR_SPACE_FLAT))
            return 1;
    }
    return !e->alone || spirv_has_barrier(e) || lanes > most ? 1 : most / lanes;
}

/* What takes little time is done several times by an invocation, as starting it is most of that. */
static uint32_t turns_of(const struct spirv_emitter *e)
{
    enum { WANTED = 4, SMALL = 64 };
    bool few = e->func->inst_count <= SMALL && !e->has_loops;
    return few && e->certain && !e->reports && e->merged > 1 ? WANTED : 1;
}

static struct spirv_module *make(struct spirv_emitter *e)
{
    if (!spirv_special_init(e))
        return NULL;
    for (uint32_t n = 0; n < e->func->block_count; n++)
        e->has_loops |= e->func->blocks[n].back[0] || e->func->blocks[n].back[1];
    begin(e);
    check(e);
    if (*e->reason || !spirv_values_init(e))
        return NULL;
    e->merged = merged_groups(e);
    e->endless = is_endless(e);
    e->turns = turns_of(e);
    e->locks = spirv_needs_lock(e->func);
    spirv_emit_body(e);
    return *e->reason || e->out_of_memory ? NULL : join(e);
}

/* What modules are made with, one after the other until one is right. */
struct maker {
    const struct spirv_library *library;
    struct spirv_emitter *e;
    char *reason;
    struct spirv_apart *aparts; /* that lanes keep as they go alone, found before joins were split */
    uint32_t apart_count;
    bool sure; /* that lanes go alone, for that reason */
};

static struct spirv_module *make_as(struct maker *maker, const struct ir_ssa *ssa, const struct spirv_options *options,
                                    bool splitting)
{
    const struct ir_func *func = ssa->func;
    struct spirv_emitter *e = maker->e;
    *e = (struct spirv_emitter){.library = maker->library,
                                .func = func,
                                .ssa = ssa,
                                .options = options,
                                .splitting = splitting,
                                .sure = maker->sure,
                                .aparts = maker->aparts,
                                .apart_count = maker->apart_count,
                                .lanes = func->wave_size,
                                .subgroup = options->subgroup < func->wave_size ? options->subgroup : func->wave_size,
                                .wide = options->subgroup == 64 && func->wave_size == 64,
                                .paired = options->subgroup > func->wave_size,
                                .next_id = maker->library->bound,
                                .edge_to = IR_SSA_NONE,
                                .reason = maker->reason};
    e->packs = e->lanes / e->subgroup;
    e->half = e->wide ? 1 : 32 / e->subgroup;
    e->subgroup_log2 = (unsigned)__builtin_ctz(e->subgroup);
    *maker->reason = 0;
    maker->aparts = NULL;
    maker->apart_count = 0;
    struct spirv_module *m = make(e);
    if (e->split_count) {
        maker->aparts = e->aparts;
        maker->apart_count = e->apart_count;
        e->aparts = NULL;
    }
    finish(e);
    return m;
}

static struct ir_ssa *ssa_of(const struct ir_func *func)
{
    struct ir_ssa *ssa = ir_ssa_create(func);
    if (ssa) {
        ir_ssa_simplify(ssa);
        spirv_follow_merges(ssa);
        ir_ssa_drop_dead(ssa);
    }
    return ssa;
}

/* Splits joins for as long as that shows more of them. NULL: no module came of it. */
static struct spirv_module *make_split(struct maker *maker, const struct ir_func *func, const struct spirv_options *options)
{
    enum { MOST_TIMES = 4 };
    struct ir_func *own = NULL;
    struct spirv_module *m = NULL;
    uint32_t splits = 0;
    maker->sure = true;
    for (unsigned n = 1; n <= MOST_TIMES && maker->e->split_count; n++) {
        splits += maker->e->split_count;
        struct ir_func *more = spirv_split_joins(own ? own : func, maker->e->splits, maker->e->split_count);
        struct ir_ssa *ssa = more ? ssa_of(more) : NULL;
        maker->e->split_count = 0;
        if (ssa)
            m = make_as(maker, ssa, options, n < MOST_TIMES);
        ir_ssa_destroy(ssa);
        ir_func_destroy(own);
        own = more;
    }
    ir_func_destroy(own);
    maker->sure = false;
    free(maker->aparts);
    maker->aparts = NULL;
    maker->apart_count = 0;
    if (m)
        m->splits = splits;
    return m;
}

struct spirv_module *spirv_module_create(const struct spirv_library *library, const struct ir_func *func,
                                         const struct spirv_options *options, char reason[SPIRV_REASON_SIZE])
{
    *reason = 0;
    if (options->subgroup > 64 || options->subgroup < 4 || options->subgroup & (options->subgroup - 1)) {
        snprintf(reason, SPIRV_REASON_SIZE, "subgroups of %u invocations", options->subgroup);
        return NULL;
    }
    struct ir_ssa *ssa = ssa_of(func);
    struct spirv_emitter *e = calloc(1, sizeof *e);
    struct maker maker = {.library = library, .e = e, .reason = reason};
    struct spirv_module *m = NULL;
    if (ssa && e) {
        m = make_as(&maker, ssa, options, !options->few_rounds); /* lavapipe runs ways out of loops by masks: a join is cheaper */
        bool splits = e->split_count != 0;
        if (splits)
            m = make_split(&maker, func, options);
        if (splits && !m && !e->meets)
            m = make_as(&maker, ssa, options, false);
        if (e->meets) {
            struct spirv_options packed = *options;
            packed.alone = 0;
            spirv_module_destroy(m);
            m = make_as(&maker, ssa, &packed, false);
        }
    }
    free(e);
    ir_ssa_destroy(ssa);
    return m;
}

void spirv_module_destroy(struct spirv_module *m)
{
    if (!m)
        return;
    free(m->words);
    free(m->site_pc);
    free(m->slots);
    free(m->preloads);
    free(m->reaches);
    free(m->aparts);
    free(m->images);
    free(m->steps);
    free(m->nears);
    free(m->bounds);
    free(m->bound_steps);
    free(m);
}
