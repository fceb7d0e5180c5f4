/* A program with the functions that it calls, as one function: jumps to computed addresses become choices among the places that their values
 * name. For devices that cannot look for code while a program runs. */
#include <stdlib.h>
#include <string.h>

#include "ir/ir_ssa.h"
#include "lower/lower_inst.h"
#include "lower/lower_whole.h"

/* A hostile program may name anything anywhere: what takes more than this is left as it is. */
enum { ROUNDS = 24, MOST_SITES = 512, MOST_PLACES = 256, MOST_BLOCKS = 8192, MOST_TRIES = 512 };

struct places {
    uint64_t pc[MOST_PLACES];
    unsigned count;
    bool open; /* some value may name others */
};

/* A jump to an address, by the instruction's end. */
struct site {
    uint64_t end_pc;
    uint32_t head; /* its first block of choices in the function at hand */
    struct places places;
};

struct whole {
    const struct lower_config *config;
    const struct lower_fetch *fetch;
    struct site sites[MOST_SITES];
    unsigned site_count;
    uint32_t blocks;     /* of the function at hand that are the program's own; behind them lie choices */
    struct places known; /* where code is: the entry first, then what jumps may lead to */
    unsigned tries;      /* addresses that were looked at as functions */
    bool full;
};

static bool add_place(struct places *places, uint64_t pc)
{
    for (unsigned n = 0; n < places->count; n++)
        if (places->pc[n] == pc)
            return false;
    if (places->count == MOST_PLACES) {
        places->open = true;
        return false;
    }
    places->pc[places->count++] = pc;
    return true;
}

static bool is_code(const struct whole *w, uint64_t pc)
{
    enum { LONGEST = 6 };
    uint32_t words[LONGEST];
    struct isa_inst inst;
    size_t have = pc & 3 ? 0 : w->fetch->read(w->fetch->user, pc, words, LONGEST);
    return have && isa_decode(w->config->chip, w->config->wave_size, words, have, &inst) == ISA_OK;
}

static struct site *site_of(struct whole *w, uint64_t end_pc)
{
    for (unsigned n = 0; n < w->site_count; n++)
        if (w->sites[n].end_pc == end_pc)
            return &w->sites[n];
    if (w->site_count == MOST_SITES) {
        w->full = true;
        return NULL;
    }
    w->sites[w->site_count] = (struct site){.end_pc = end_pc};
    return &w->sites[w->site_count++];
}

/* ---- choices ---- */

static uint32_t block_at(const struct ir_func *func, uint32_t blocks, uint64_t pc)
{
    for (uint32_t n = 0; n < blocks; n++)
        if (func->blocks[n].pc == pc)
            return n;
    return IR_NO_BLOCK;
}

static uint32_t new_block(struct ir_func *func, uint64_t pc)
{
    uint32_t number = ir_block_begin(func, pc);
    if (number != IR_NO_BLOCK)
        func->blocks[number].end_pc = pc;
    return number;
}

/* A place and its block. */
struct way {
    uint64_t pc;
    uint32_t block;
};

/* A block that compares the address with one place. */
static void fill_choice(struct ir_func *func, uint32_t number, ir_ref address, struct way yes, struct way no)
{
    struct ir_builder b = {.func = func};
    struct ir_block *block = &func->blocks[number];
    ir_begin_inst(&b, block->pc);
    while (address.kind == IR_S && address.index >= IR_S_TEMP && b.s_temp <= address.index + 1u)
        ir_s_temp(&b, 1); /* which is read again later */
    block->first = func->inst_count;
    ir_ref same = ir_emit(&b, IR_cmp_eq_u64, 2, (ir_ref[]){address, ir_const(&b, yes.pc)});
    block = &func->blocks[number];
    block->count = func->inst_count - block->first;
    block->term = IR_TERM_BRANCH;
    block->cond = same;
    block->succ[0] = yes.block;
    block->succ[1] = no.block;
    block->target[0] = yes.pc;
    block->target[1] = no.pc;
    block->back[0] = yes.pc < block->pc;
    block->back[1] = no.pc < block->pc;
}

/* What remains where none fits: the jump as it was. */
static uint32_t rest_of(struct ir_func *func, uint64_t pc, ir_ref address)
{
    uint32_t number = new_block(func, pc);
    if (number == IR_NO_BLOCK)
        return number;
    struct ir_block *block = &func->blocks[number];
    block->first = func->inst_count;
    block->term = IR_TERM_SETPC;
    block->cond = address;
    return number;
}

/* A block that does nothing with the address's words but to need them. */
static uint32_t show(struct ir_func *func, uint64_t pc, ir_ref address, uint32_t next)
{
    struct ir_builder b = {.func = func};
    uint32_t number = new_block(func, pc), first = func->inst_count;
    if (number == IR_NO_BLOCK)
        return number;
    ir_begin_inst(&b, pc);
    for (unsigned word = 0; word < 2; word++) {
        struct ir_inst *inst = ir_append(&b, IR_sendmsg);
        inst->src[0] = word ? ir_hi(&b, address) : address;
    }
    struct ir_block *block = &func->blocks[number];
    block->first = first;
    block->count = func->inst_count - first;
    block->term = IR_TERM_JUMP;
    block->succ[0] = next;
    block->target[0] = pc;
    return number;
}

/* final: the last place that a closed site names needs no question. Without that each site begins with a block that shows its address. */
static void choose(struct whole *w, struct ir_func *func, uint32_t number, bool final)
{
    const uint32_t blocks = w->blocks;
    const uint64_t pc = func->blocks[number].end_pc;
    const ir_ref address = func->blocks[number].cond;
    struct site *site = site_of(w, pc);
    w->full |= func->block_count > MOST_BLOCKS;
    if (!site || w->full || func->out_of_memory)
        return;
    const struct places *places = site->places.open ? &w->known : &site->places;
    bool sure = final && !site->places.open && places->count;
    uint32_t next = sure ? block_at(func, blocks, places->pc[places->count - 1]) : rest_of(func, pc, address);
    unsigned first = site->places.open ? 1 : 0, last = sure ? places->count - 1 : places->count;
    uint64_t next_pc = sure ? places->pc[places->count - 1] : pc;
    for (unsigned n = last; n-- > first && next != IR_NO_BLOCK;) {
        uint32_t there = block_at(func, blocks, places->pc[n]), choice = there == IR_NO_BLOCK ? there : new_block(func, pc);
        if (choice == IR_NO_BLOCK)
            continue;
        fill_choice(func, choice, address, (struct way){places->pc[n], there}, (struct way){next_pc, next});
        next = choice;
        next_pc = pc;
    }
    if (next == IR_NO_BLOCK) {
        func->out_of_memory |= !sure;
        return;
    }
    if (!final)
        next = show(func, pc, address, next);
    if (next == IR_NO_BLOCK)
        return;
    site->head = next;
    struct ir_block *block = &func->blocks[number];
    block->term = IR_TERM_JUMP;
    block->succ[0] = next;
    block->target[0] = next_pc;
    block->back[0] = next_pc < pc;
}

static struct ir_func *make(struct whole *w, bool final)
{
    struct ir_func *func = lower_places(w->config, w->fetch, w->known.pc, w->known.count);
    w->blocks = func ? func->block_count : 0;
    for (uint32_t n = 0; n < w->blocks; n++)
        if (func->blocks[n].term == IR_TERM_SETPC)
            choose(w, func, n, final);
    if (func && func->out_of_memory) {
        ir_func_destroy(func);
        func = NULL;
    }
    return func;
}

/* ---- what a value may be ---- */

struct slice {
    const struct ir_ssa *ssa;
    bool *seen;
    uint32_t *work, work_count;
    uint32_t value[MOST_PLACES];
    unsigned count;
    bool open;
};

static void want(struct slice *s, uint32_t node)
{
    if (!s->seen[node]) {
        s->seen[node] = true;
        s->work[s->work_count++] = node;
    }
}

/* Word `word` of an operation that moves values; others leave the question open. */
static void look_through(struct slice *s, const struct ir_ssa_node *op, uint32_t word)
{
    const uint32_t *args = ir_ssa_args(s->ssa, op);
    switch (s->ssa->func->insts[op->inst].op) {
    case IR_mov_b32:
    case IR_readlane:
    case IR_readfirstlane: want(s, args[0]); break;
    case IR_mov_b64: want(s, args[word]); break;
    case IR_choose_b32:
        want(s, args[1]);
        want(s, args[2]);
        break;
    case IR_choose_b64:
        want(s, args[1 + word]);
        want(s, args[3 + word]);
        break;
    case IR_select_b32:
        want(s, args[op->mask_at - 1]);
        want(s, args[op->mask_at - 2]);
        break;
    case IR_writelane: /* and what the other lanes held */
        want(s, args[0]);
        want(s, args[op->arg_count - 1]);
        break;
    default: s->open = true; break;
    }
}

static void look(struct slice *s, uint32_t node)
{
    const struct ir_ssa_node *n = &s->ssa->nodes[node];
    const uint32_t *args = ir_ssa_args(s->ssa, n);
    switch (n->kind) {
    case IR_SSA_CONST:
        if (s->count < MOST_PLACES)
            s->value[s->count++] = n->value;
        else
            s->open = true;
        break;
    case IR_SSA_PHI:
        for (uint32_t k = 0; k < n->arg_count; k++)
            want(s, args[k]);
        break;
    case IR_SSA_MERGE:
        want(s, args[n->arg_count - 1]);
        want(s, args[n->arg_count - 2]);
        break;
    case IR_SSA_WORD: look_through(s, &s->ssa->nodes[args[0]], n->word); break;
    case IR_SSA_OP: look_through(s, n, 0); break;
    default: s->open = true; break;
    }
}

/* False: out of memory. */
static bool find_values(const struct ir_ssa *ssa, uint32_t node, struct slice *s)
{
    *s = (struct slice){
        .ssa = ssa, .seen = calloc(ssa->node_count + 1, sizeof *s->seen), .work = calloc(ssa->node_count + 1, sizeof *s->work)};
    bool good = s->seen && s->work;
    if (good)
        want(s, node);
    while (good && s->work_count)
        look(s, s->work[--s->work_count]);
    free(s->seen);
    free(s->work);
    return good;
}

/* The places that a site's address names, of which some may be new. */
static bool look_at_site(struct whole *w, const struct ir_ssa *ssa, struct site *site, bool *changed)
{
    const struct ir_block *head = &ssa->func->blocks[site->head];
    const struct ir_ssa_block *block = &ssa->blocks[site->head];
    struct slice low, high;
    if (!block->reachable || !head->count || !block->count)
        return true;
    const struct ir_ssa_node *shown = &ssa->nodes[block->first];
    if (!find_values(ssa, ir_ssa_args(ssa, shown)[0], &low) || !find_values(ssa, ir_ssa_args(ssa, shown + 1)[0], &high))
        return false;
    bool was_open = site->places.open;
    site->places.open |= low.open || high.open;
    for (unsigned n = 0; n < low.count; n++)
        for (unsigned k = 0; k < high.count; k++) {
            uint64_t pc = low.value[n] | (uint64_t)high.value[k] << 32;
            if (!is_code(w, pc)) {
                site->places.open = true;
                continue;
            }
            *changed |= add_place(&site->places, pc);
            *changed |= add_place(&w->known, pc);
        }
    *changed |= was_open != site->places.open;
    return true;
}

/* What follows a call is where it comes back to. */
static void know_returns(struct whole *w, const struct ir_func *func, bool *changed)
{
    for (unsigned n = 0; n < w->site_count; n++)
        if (block_at(func, w->blocks, w->sites[n].end_pc) != IR_NO_BLOCK)
            *changed |= add_place(&w->known, w->sites[n].end_pc);
}

/* Whether all that can be reached from there by branches is code that can be lowered. */
static bool is_function(const struct whole *w, uint64_t pc)
{
    struct ir_func *func = is_code(w, pc) ? lower_places(w->config, w->fetch, &pc, 1) : NULL;
    bool good = func != NULL;
    for (uint32_t n = 0; good && n < func->block_count; n++)
        good = func->blocks[n].term != IR_TERM_STOP;
    ir_func_destroy(func);
    return good;
}

static bool is_number(const struct isa_operand *operand)
{
    return operand->kind == ISA_O_CONST || operand->kind == ISA_O_LITERAL;
}

/* An address that a program makes of its own: of s_getpc, an addition to the low word, and one to the high word. */
struct naming {
    uint16_t reg;
    uint64_t value;
    unsigned parts;
};

/* True: the address is whole. */
static bool name(struct naming *naming, const struct isa_inst *inst, uint64_t next_pc)
{
    uint16_t id = inst->row->id, reg = inst->dst_count ? inst->dst[0].reg : 0;
    if (id == ISA_s_getpc_b64)
        *naming = (struct naming){reg, next_pc, 1};
    bool adds = naming->parts && inst->src_count > 1 && inst->src[0].reg == reg && is_number(&inst->src[1]);
    if (adds && naming->parts == 1 && id == ISA_s_add_u32 && reg == naming->reg) {
        uint64_t sum = (naming->value & UINT32_MAX) + (uint32_t)inst->src[1].value;
        naming->value = (naming->value & ~(uint64_t)UINT32_MAX) + sum; /* with the carry */
        naming->parts = 2;
    } else if (adds && naming->parts == 2 && id == ISA_s_addc_u32 && reg == naming->reg + 1u) {
        naming->value += inst->src[1].value << 32;
        naming->parts = 0;
        return true;
    }
    return false;
}

/* Functions whose addresses the program makes, wherever it keeps them. */
static void know_named(struct whole *w, const struct ir_func *func, bool *changed)
{
    enum { LONGEST = 6 };
    for (uint32_t n = 0; n < w->blocks; n++) {
        struct naming naming = {0};
        uint32_t words[LONGEST];
        struct isa_inst inst;
        for (uint64_t pc = func->blocks[n].pc; pc < func->blocks[n].end_pc; pc += inst.size) {
            size_t have = w->fetch->read(w->fetch->user, pc, words, LONGEST);
            if (!have || isa_decode(w->config->chip, w->config->wave_size, words, have, &inst) != ISA_OK)
                break;
            if (name(&naming, &inst, pc + inst.size) && w->tries++ < MOST_TRIES && is_function(w, naming.value))
                *changed |= add_place(&w->known, naming.value);
        }
    }
}

/* False: out of memory. */
static bool look_around(struct whole *w, const struct ir_func *func, bool *changed)
{
    struct ir_ssa *ssa = ir_ssa_create(func);
    bool good = ssa != NULL, open = false;
    if (good)
        ir_ssa_simplify(ssa);
    for (unsigned n = 0; n < w->site_count && good; n++) {
        good = look_at_site(w, ssa, &w->sites[n], changed);
        open |= w->sites[n].places.open;
    }
    if (open) {
        know_returns(w, func, changed);
        know_named(w, func, changed);
    }
    ir_ssa_destroy(ssa);
    return good;
}

/* Whether every site has somewhere to go. */
static bool leads_somewhere(const struct whole *w)
{
    for (unsigned n = 0; n < w->site_count; n++)
        if (!w->sites[n].places.count && !(w->sites[n].places.open && w->known.count > 1))
            return false;
    return !w->full;
}

static struct ir_func *follow_jumps(struct whole *w)
{
    bool changed = true, good = true;
    for (unsigned round = 0; round < ROUNDS && changed && good && !w->full; round++) {
        struct ir_func *func = make(w, false);
        changed = false;
        good = func && (w->full || look_around(w, func, &changed));
        ir_func_destroy(func);
    }
    if (!good)
        return NULL;
    if (changed || !leads_somewhere(w))
        return lower_places(w->config, w->fetch, w->known.pc, 1);
    struct ir_func *func = make(w, true);
    if (func)
        func->whole = !w->full;
    return func;
}

struct ir_func *lower_whole(const struct lower_config *config, const struct lower_fetch *fetch, uint64_t entry)
{
    struct ir_func *func = lower_places(config, fetch, &entry, 1);
    bool jumps = false;
    for (uint32_t n = 0; func && n < func->block_count; n++)
        jumps |= func->blocks[n].term == IR_TERM_SETPC;
    struct whole *w = jumps ? calloc(1, sizeof *w) : NULL;
    if (!jumps)
        return func;
    ir_func_destroy(func);
    func = NULL;
    if (w) {
        w->config = config;
        w->fetch = fetch;
        w->known = (struct places){.pc = {entry}, .count = 1};
        func = follow_jumps(w);
    }
    free(w);
    return func;
}
