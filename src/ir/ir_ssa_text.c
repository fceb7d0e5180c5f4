/* Prints the value form, for tests and people: values count from %0, `^s4` is what s4 holds at the entry. */
#include <inttypes.h>

#include "ir/ir_names.h"
#include "ir/ir_slots.h"
#include "ir/ir_ssa.h"

static void print_var(FILE *out, unsigned var)
{
    char name[IR_NAME_SIZE];
    ir_ref r = var < IR_SSA_V ? ir_s(var) : ir_v(var - IR_SSA_V);
    fputs(ir_slot_name(r, name), out);
}

static void print_value(FILE *out, const struct ir_ssa *ssa, uint32_t number)
{
    if (number >= ssa->node_count) {
        fputs("none", out);
        return;
    }
    const struct ir_ssa_node *node = &ssa->nodes[number];
    if (node->kind == IR_SSA_ENTRY) {
        fputc('^', out);
        print_var(out, node->var);
    } else if (node->kind == IR_SSA_CONST) {
        fprintf(out, "0x%" PRIx32, node->value);
    } else {
        fprintf(out, "%%%" PRIu32, number - ssa->first_made);
    }
}

static void print_args(FILE *out, const struct ir_ssa *ssa, const struct ir_ssa_node *node, uint32_t from, uint32_t to,
                       const char *before)
{
    for (uint32_t i = from; i < to; i++) {
        fputs(i == from ? before : ", ", out);
        print_value(out, ssa, ir_ssa_args(ssa, node)[i]);
    }
}

static void print_phi(FILE *out, const struct ir_ssa *ssa, const struct ir_ssa_node *node)
{
    const struct ir_ssa_block *block = &ssa->blocks[node->block];
    fputs("phi", out);
    for (uint32_t i = 0; i < node->arg_count; i++) {
        uint32_t pred = ssa->preds[block->first_pred + i];
        fputs(i ? ", " : " ", out);
        if (pred == IR_SSA_NONE)
            fputs("in: ", out);
        else
            fprintf(out, "b%" PRIu32 ": ", pred);
        print_value(out, ssa, ir_ssa_args(ssa, node)[i]);
    }
}

static void print_op(FILE *out, const struct ir_ssa *ssa, const struct ir_ssa_node *node)
{
    const struct ir_inst *inst = &ssa->func->insts[node->inst];
    fprintf(out, "%s%s", ir_ops[inst->op].name, inst->lane ? ".lane" : "");
    print_args(out, ssa, node, 0, node->mask_at, " ");
    print_args(out, ssa, node, node->mask_at, node->unsaid_at, " if ");
    print_args(out, ssa, node, node->unsaid_at, node->arg_count, " with ");
    if (inst->imm && !ir_op_has_access(inst->op) && inst->op != IR_image)
        fprintf(out, " imm=0x%" PRIx32, inst->imm);
}

static void print_node(FILE *out, const struct ir_ssa *ssa, uint32_t number)
{
    const struct ir_ssa_node *node = &ssa->nodes[number];
    if (node->kind == IR_SSA_DEAD)
        return;
    fputs("  ", out);
    if (node->kind != IR_SSA_OP || node->results) {
        print_value(out, ssa, number);
        fputs(" = ", out);
    }
    switch (node->kind) {
    case IR_SSA_PHI: print_phi(out, ssa, node); break;
    case IR_SSA_OP: print_op(out, ssa, node); break;
    case IR_SSA_WORD:
        print_args(out, ssa, node, 0, 1, "word ");
        fprintf(out, ".%" PRIu32, node->word);
        break;
    default: print_args(out, ssa, node, 0, node->arg_count, "merge "); break;
    }
    if (node->var < IR_SSA_VARS) {
        fputs(" -> ", out);
        print_var(out, node->var);
    }
    fputc('\n', out);
}

static void print_end(FILE *out, const struct ir_ssa *ssa, uint32_t number)
{
    static const char *const names[] = {[IR_TERM_NONE] = "open", [IR_TERM_JUMP] = "jump",   [IR_TERM_BRANCH] = "branch",
                                        [IR_TERM_END] = "end",   [IR_TERM_SETPC] = "setpc", [IR_TERM_STOP] = "stop"};
    const struct ir_block *from = &ssa->func->blocks[number];
    const struct ir_ssa_block *block = &ssa->blocks[number];
    fprintf(out, "  %s", names[from->term]);
    for (unsigned n = 0; n < 2 && block->cond[n] != IR_SSA_NONE; n++) {
        fputs(n ? ", " : " ", out);
        print_value(out, ssa, block->cond[n]);
    }
    for (unsigned n = 0; n < (from->term == IR_TERM_BRANCH ? 2 : from->term == IR_TERM_JUMP ? 1 : 0); n++)
        if (from->succ[n] == IR_NO_BLOCK)
            fputs(" outside", out);
        else
            fprintf(out, " b%" PRIu32, from->succ[n]);
    for (uint32_t i = 0; i < block->exit_count; i++) {
        const struct ir_ssa_exit *leaving = &ssa->exits[block->first_exit + i];
        fputs(i ? ", " : " leaving ", out);
        print_var(out, leaving->var);
        fputs(" ", out);
        print_value(out, ssa, leaving->node);
    }
    fputc('\n', out);
}

void ir_ssa_print(FILE *out, const struct ir_ssa *ssa)
{
    fprintf(out, "ssa wave%u entry b%" PRIu32 "\n", ssa->func->wave_size, ssa->entry);
    for (uint32_t number = 0; number < ssa->func->block_count; number++) {
        const struct ir_ssa_block *block = &ssa->blocks[number];
        if (!block->reachable)
            continue;
        if (block->idom == IR_SSA_NONE)
            fprintf(out, "b%" PRIu32 ":\n", number);
        else
            fprintf(out, "b%" PRIu32 ": below b%" PRIu32 "\n", number, block->idom);
        for (uint32_t i = 0; i < block->phi_count; i++)
            print_node(out, ssa, block->first_phi + i);
        for (uint32_t i = 0; i < block->count; i++)
            print_node(out, ssa, block->first + i);
        print_end(out, ssa, number);
    }
}
