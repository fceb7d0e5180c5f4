/* The text form's printer: what ir_parse reads back. */
#include <inttypes.h>

#include "ir/ir_names.h"
#include "ir/ir_slots.h"

static void print_ref(FILE *out, const struct ir_func *func, ir_ref r, unsigned span)
{
    char first[IR_NAME_SIZE], last[IR_NAME_SIZE];
    uint64_t value;
    if (r.kind == IR_K) {
        if (ir_const_value(func, r, &value))
            fprintf(out, "0x%" PRIx64, value);
        else
            fprintf(out, "constant_out_of_range%u", r.index);
        return;
    }
    fputs(ir_slot_name(r, first), out);
    if (span > 1 && r.kind != IR_NONE)
        fprintf(out, ":%s", ir_slot_name((ir_ref){r.kind, (uint16_t)(r.index + span - 1)}, last));
}

static void print_dsts(FILE *out, const struct ir_func *func, const struct ir_inst *inst)
{
    bool second = !ir_is_none(inst->dst[1]);
    if (ir_is_none(inst->dst[0]) && !second)
        return;
    print_ref(out, func, inst->dst[0], ir_dst_span(func, inst, 0));
    if (second) {
        fputs(", ", out);
        print_ref(out, func, inst->dst[1], ir_dst_span(func, inst, 1));
    }
    fputs(" = ", out);
}

/* The access's own words: space, widths, offsets, then its flags by name. */
static void print_access(FILE *out, const struct ir_access *access)
{
    fprintf(out, " %s", access->space < IR_SPACE_COUNT ? ir_space_names[access->space] : "space_out_of_range");
    if (access->atomic)
        fprintf(out, " %s", access->atomic < IR_ATOMIC_COUNT ? ir_atomic_names[access->atomic] : "atomic_out_of_range");
    fprintf(out, " bytes=%u", access->bytes);
    if (access->elements != 1)
        fprintf(out, " elements=%u", access->elements);
    if (access->format)
        fprintf(out, " format=%u", access->format);
    if (access->scale)
        fprintf(out, " scale=%u", access->scale);
    if (access->offset)
        fprintf(out, " at=%" PRId32, access->offset);
    if (access->offset1)
        fprintf(out, " at1=%" PRId32, access->offset1);
    for (size_t i = 0; i < IR_FLAG_COUNT; i++)
        if (access->flags & ir_flag_names[i].flag)
            fprintf(out, " %s", ir_flag_names[i].name);
}

static void print_access_sources(FILE *out, const struct ir_func *func, const struct ir_inst *inst,
                                 const struct ir_access *access)
{
    for (unsigned n = 0; n < IR_ACCESS_SOURCES; n++) {
        if (ir_is_none(inst->src[n]))
            continue;
        const char *name = access->space < IR_SPACE_COUNT ? ir_access_sources[access->space][n] : NULL;
        if (name)
            fprintf(out, ", %s ", name);
        else
            fprintf(out, ", src%u ", n);
        print_ref(out, func, inst->src[n], ir_src_span(func, inst, n));
    }
}

/* The image's own words, then where each part of the address lies, then its flags. */
static void print_image(FILE *out, const struct ir_image *image)
{
    fprintf(out, " %s", image->kind < IR_IMAGE_KIND_COUNT ? ir_image_kind_names[image->kind] : "kind_out_of_range");
    fprintf(out, " %s", image->dim < IR_DIM_COUNT ? ir_image_dim_names[image->dim] : "dim_out_of_range");
    if (image->atomic)
        fprintf(out, " %s", image->atomic < IR_ATOMIC_COUNT ? ir_atomic_names[image->atomic] : "atomic_out_of_range");
    fprintf(out, " dmask=%u results=%u stored=%u words=%u", image->dmask, image->result_words, image->data_words,
            image->address_words);
    for (unsigned part = 0; part < IR_PART_COUNT; part++)
        if (image->at[part] != IR_AT_NOWHERE)
            fprintf(out, " %s=%u%s", ir_image_part_names[part], image->at[part] / IR_AT_WORD,
                    image->at[part] % IR_AT_WORD <= IR_AT_HIGH ? ir_image_half_names[image->at[part] % IR_AT_WORD]
                                                               : ".half_out_of_range");
    for (size_t i = 0; i < IR_IMAGE_FLAG_COUNT; i++)
        if (image->flags & ir_image_flag_names[i].flag)
            fprintf(out, " %s", ir_image_flag_names[i].name);
}

static void print_image_sources(FILE *out, const struct ir_func *func, const struct ir_inst *inst)
{
    for (unsigned n = 0; n < IR_IMAGE_SOURCES; n++) {
        if (ir_is_none(inst->src[n]))
            continue;
        fprintf(out, ", %s ", ir_image_sources[n]);
        print_ref(out, func, inst->src[n], ir_src_span(func, inst, n));
    }
}

static void print_sources(FILE *out, const struct ir_func *func, const struct ir_inst *inst)
{
    for (unsigned n = 0; n < inst->src_count && n < 6; n++) {
        fputs(n ? ", " : " ", out);
        print_ref(out, func, inst->src[n], ir_src_span(func, inst, n));
    }
}

void ir_print_inst(FILE *out, const struct ir_func *func, const struct ir_inst *inst)
{
    if (inst->op >= IR_OP_COUNT) {
        fprintf(out, "op_out_of_range%u", inst->op);
        return;
    }
    const struct ir_access *access = ir_inst_access(func, inst);
    const struct ir_image *image = ir_inst_image(func, inst);
    print_dsts(out, func, inst);
    fputs(ir_ops[inst->op].name, out);
    if (ir_looks_per_lane(inst) != (inst->lane != 0))
        fputs(inst->lane ? ".lane" : ".uniform", out);
    if (access) {
        print_access(out, access);
        print_access_sources(out, func, inst, access);
    } else if (image) {
        print_image(out, image);
        print_image_sources(out, func, inst);
    } else {
        print_sources(out, func, inst);
        if (inst->imm)
            fprintf(out, " imm=0x%" PRIx32, inst->imm);
    }
    if (!ir_same(inst->mask, ir_s(IR_ALL_LO))) {
        fputs(" if ", out);
        print_ref(out, func, inst->mask, ir_mask_span(func));
    }
}

static void print_edge(FILE *out, const struct ir_block *block, unsigned n)
{
    if (block->succ[n] == IR_NO_BLOCK)
        fputs("outside", out);
    else
        fprintf(out, "b%" PRIu32, block->succ[n]);
    fprintf(out, "@0x%" PRIx64 "%s", block->target[n], block->back[n] ? " back" : "");
}

static void print_terminator(FILE *out, const struct ir_func *func, const struct ir_block *block)
{
    switch (block->term) {
    case IR_TERM_JUMP:
        fputs("  jump ", out);
        print_edge(out, block, 0);
        break;
    case IR_TERM_BRANCH:
        fputs("  branch ", out);
        print_ref(out, func, block->cond, 1);
        fputs(" ? ", out);
        print_edge(out, block, 0);
        fputs(" : ", out);
        print_edge(out, block, 1);
        break;
    case IR_TERM_SETPC:
        fputs("  setpc ", out);
        print_ref(out, func, block->cond, 2);
        break;
    case IR_TERM_END: fputs("  end", out); break;
    case IR_TERM_STOP: fputs("  stop", out); break;
    default: fputs("  open", out); break;
    }
    fputc('\n', out);
}

static void print_block(FILE *out, const struct ir_func *func, uint32_t number)
{
    const struct ir_block *block = &func->blocks[number];
    fprintf(out, "block b%" PRIu32 " pc=0x%" PRIx64 " end=0x%" PRIx64 " guest=%" PRIu32 "\n", number, block->pc, block->end_pc,
            block->guest_count);
    uint64_t pc = ~block->pc;
    for (uint32_t i = block->first; i < func->inst_count && i - block->first < block->count; i++) {
        const struct ir_inst *inst = &func->insts[i];
        if (i == block->first || inst->pc != pc)
            fprintf(out, "  @0x%" PRIx64 "\n", inst->pc);
        pc = inst->pc;
        fputs("    ", out);
        ir_print_inst(out, func, inst);
        fputc('\n', out);
    }
    print_terminator(out, func, block);
}

void ir_print(FILE *out, const struct ir_func *func)
{
    fprintf(out, "func wave%u entry=0x%" PRIx64 "\n", func->wave_size, func->entry);
    for (uint32_t i = 0; i < func->block_count; i++)
        print_block(out, func, i);
}
