/* sweep_words: makes the words of the sweep: every opcode of every family, with operand and modifier bits of several kinds. */
#include <string.h>

#include "isa/isa_layout.h"
#include "sweep.h"

uint32_t sweep_random_next(struct sweep_random *random)
{
    random->state += UINT64_C(0x9e3779b97f4a7c15); /* splitmix64 */
    uint64_t z = random->state;
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)((z ^ z >> 31) >> 32);
}

static uint32_t below(struct sweep_random *random, uint32_t end)
{
    return (uint32_t)((uint64_t)sweep_random_next(random) * end >> 32);
}

/* form: whose fields they have; fixed, under mask: what makes a word one of this family; opcode: where its opcode stands. */
static const struct family {
    const char *name;
    unsigned form; /* enum isa_encoding, or enum isa_form */
    uint32_t mask, fixed;
    struct isa_bits opcode, opcode_high;
    uint32_t source; /* source 0's code, for the forms that it chooses */
} families[] = {
    {"sop1", ISA_SOP1, 0xff800000, 0xbe800000, {8, 8}, {0}, 0},
    {"sop2", ISA_SOP2, 0xc0000000, 0x80000000, {23, 7}, {0}, 0},
    {"sopc", ISA_SOPC, 0xff800000, 0xbf000000, {16, 7}, {0}, 0},
    {"sopk", ISA_SOPK, 0xf0000000, 0xb0000000, {23, 5}, {0}, 0},
    {"sopp", ISA_SOPP, 0xff800000, 0xbf800000, {16, 7}, {0}, 0},
    {"smem", ISA_SMEM, 0xfc000000, 0xf4000000, {18, 8}, {0}, 0},
    {"vop1", ISA_VOP1, 0xfe000000, 0x7e000000, {9, 8}, {0}, 0},
    {"vop2", ISA_VOP2, 0x80000000, 0x00000000, {25, 6}, {0}, 0},
    {"vopc", ISA_VOPC, 0xfe000000, 0x7c000000, {17, 8}, {0}, 0},
    {"vop3", ISA_VOP3, 0xfc000000, 0xd4000000, {16, 10}, {0}, 0},
    {"vop3p", ISA_VOP3P, 0xff000000, 0xcc000000, {16, 7}, {0}, 0},
    {"vop1-sdwa", ISA_SDWA, 0xfe000000, 0x7e000000, {9, 8}, {0}, 0xf9},
    {"vop2-sdwa", ISA_SDWA, 0x80000000, 0x00000000, {25, 6}, {0}, 0xf9},
    {"vopc-sdwa", ISA_FORM_SDWA_COMPARE, 0xfe000000, 0x7c000000, {17, 8}, {0}, 0xf9},
    {"vop1-dpp", ISA_DPP16, 0xfe000000, 0x7e000000, {9, 8}, {0}, 0xfa},
    {"vop2-dpp", ISA_DPP16, 0x80000000, 0x00000000, {25, 6}, {0}, 0xfa},
    {"vopc-dpp", ISA_DPP16, 0xfe000000, 0x7c000000, {17, 8}, {0}, 0xfa},
    {"vop1-dpp8", ISA_DPP8, 0xfe000000, 0x7e000000, {9, 8}, {0}, 0xe9},
    {"vop2-dpp8", ISA_DPP8, 0x80000000, 0x00000000, {25, 6}, {0}, 0xea},
    {"vopc-dpp8", ISA_DPP8, 0xfe000000, 0x7c000000, {17, 8}, {0}, 0xe9},
    {"vintrp", ISA_VINTRP, 0xfc000000, 0xc8000000, {16, 2}, {0}, 0},
    {"ds", ISA_DS, 0xfc000000, 0xd8000000, {18, 8}, {0}, 0},
    {"flat", ISA_FLAT, 0xfc00c000, 0xdc000000, {18, 7}, {0}, 0},
    {"scratch", ISA_SCRATCH, 0xfc00c000, 0xdc004000, {18, 7}, {0}, 0},
    {"global", ISA_GLOBAL, 0xfc00c000, 0xdc008000, {18, 7}, {0}, 0},
    {"flat-segment-3", ISA_GLOBAL, 0xfc00c000, 0xdc00c000, {18, 7}, {0}, 0},
    {"mubuf", ISA_MUBUF, 0xfc000000, 0xe0000000, {18, 7}, {25, 1}, 0},
    {"mtbuf", ISA_MTBUF, 0xfc000000, 0xe8000000, {16, 3}, {53, 1}, 0},
    {"mimg", ISA_MIMG, 0xfc000000, 0xf0000000, {18, 7}, {0, 1}, 0},
    {"exp", ISA_EXP, 0xfc000000, 0xf8000000, {0, 0}, {0}, 0},
    {"anything", ISA_FORM_COUNT, 0x00000000, 0, {23, 9}, {0}, 0},
};

unsigned sweep_family_count(void)
{
    return sizeof families / sizeof families[0];
}

const char *sweep_family_name(unsigned family)
{
    return families[family].name;
}

unsigned sweep_family_opcodes(unsigned family)
{
    return 1u << (families[family].opcode.width + families[family].opcode_high.width);
}

static void put(uint64_t *bits, struct isa_bits field, uint32_t value)
{
    uint64_t mask = ((UINT64_C(1) << field.width) - 1) << field.low;
    *bits = (*bits & ~mask) | ((uint64_t)value << field.low & mask);
}

/* The values at which an operand code changes its meaning, and some between. */
static uint32_t operand_code(struct sweep_random *random)
{
    static const uint16_t codes[] = {0,   1,   2,   3,   100, 104, 105, 106, 107, 108, 112, 116, 120, 123, 124, 125,
                                     126, 127, 128, 129, 192, 193, 208, 209, 235, 236, 237, 238, 239, 240, 241, 242,
                                     243, 244, 245, 246, 247, 248, 251, 252, 253, 254, 255, 256, 258, 260, 508, 511};
    return codes[below(random, sizeof codes / sizeof codes[0])];
}

static uint32_t slot_value(struct sweep_random *random, struct isa_slot slot)
{
    bool is_source = slot.kind == ISA_SLOT_SRC || slot.kind == ISA_SLOT_SSRC;
    switch (below(random, 5)) {
    case 0: return is_source ? operand_code(random) : below(random, 16);
    case 1:
    case 2: return slot.kind == ISA_SLOT_SRC ? 256 + below(random, 256) : sweep_random_next(random);
    case 3: return sweep_random_next(random);
    default: return slot.kind == ISA_SLOT_SREG ? 0x60 + below(random, 32) : operand_code(random);
    }
}

/* Modifiers are mostly zero, so that their few combinations with a valid meaning come up. */
static uint32_t modifier_value(struct sweep_random *random, unsigned odds)
{
    return below(random, odds) == 0 ? sweep_random_next(random) : 0;
}

static void put_slots(struct sweep_random *random, const struct isa_layout *layout, uint64_t *bits)
{
    unsigned used = below(random, 5); /* the others are zero, as a row with fewer operands wants */
    for (unsigned i = 0; i < ISA_MAX_DST; i++)
        put(bits, layout->dst[i].bits, below(random, 4) ? slot_value(random, layout->dst[i]) : 0);
    for (unsigned i = 0; i < ISA_MAX_SRC; i++)
        put(bits, layout->src[i].bits, i < used ? slot_value(random, layout->src[i]) : 0);
}

static void put_fields(struct sweep_random *random, const struct isa_layout *layout, uint64_t *bits)
{
    unsigned odds = 1 + below(random, 6);
#define X(member) put(bits, layout->member, modifier_value(random, odds));
#include "isa/isa_fields.def"
#undef X
    const struct isa_bits others[] = {layout->neg1,
                                      layout->abs1,
                                      layout->sext1,
                                      layout->op_sel_hi2,
                                      layout->src_is_scalar[0],
                                      layout->src_is_scalar[1],
                                      layout->dst_is_explicit,
                                      layout->must_be_zero};
    for (unsigned i = 0; i < sizeof others / sizeof others[0]; i++)
        put(bits, others[i], modifier_value(random, odds));
    for (unsigned i = 0; i < 3; i++)
        put(bits, layout->sdwa_sel[i], below(random, 7));
    put(bits, layout->address, below(random, 256));
}

/* Fields that must hold a certain value to be an instruction at all, often enough. */
static void put_favourites(struct sweep_random *random, const struct family *family, uint64_t *bits)
{
    bool is_flat = family->form >= ISA_FLAT && family->form <= ISA_SCRATCH;
    if (is_flat && below(random, 2))
        put(bits, (struct isa_bits){48, 8, false}, 0x7d);
    if (family->form == ISA_SMEM && below(random, 2))
        put(bits, (struct isa_bits){57, 7, false}, 0x7d);
    static const uint8_t masks[] = {1, 3, 15};
    if (family->form == ISA_DS && below(random, 2))
        put(bits, (struct isa_bits){17, 1, false}, 1);
    if (family->form == ISA_MIMG && below(random, 2))
        put(bits, (struct isa_bits){8, 4, false}, masks[below(random, sizeof masks)]);
    if (family->form == ISA_MIMG && below(random, 8) == 0) /* a ray test's fixed modifiers */
        put(bits, (struct isa_bits){3, 15, false}, 0x13e0);
}

static uint32_t literal_value(struct sweep_random *random)
{
    static const uint32_t values[] = {0,          1,          64,         65,         0xffffffff, 0xfffffff0, 0xffffffef,
                                      0x3f000000, 0xbf800000, 0x40800000, 0x3e22f983, 0x3c00,     0xb800,     0x3118,
                                      0x3ff00000, 0xc0100000, 0x3fc45f30, 0xffff,     0xfff0,     0x8000,     0x80000000};
    return below(random, 2) ? sweep_random_next(random) : values[below(random, sizeof values / sizeof values[0])];
}

void sweep_words_make(struct sweep_random *random, unsigned family, unsigned opcode, uint32_t words[SWEEP_WORDS])
{
    const struct family *f = &families[family];
    uint64_t bits = sweep_random_next(random) | (uint64_t)sweep_random_next(random) << 32;
    if (f->form != ISA_FORM_COUNT && below(random, 16) == 0) {
        bits = 0;
    } else if (f->form != ISA_FORM_COUNT && below(random, 8)) { /* field by field, over zeros or over noise */
        bits = below(random, 4) ? 0 : bits;
        put_slots(random, &isa_layouts[f->form], &bits);
        put_fields(random, &isa_layouts[f->form], &bits);
        put_favourites(random, f, &bits);
    }
    if (f->source)
        put(&bits, (struct isa_bits){0, 9, false}, f->source);
    bits = (bits & ~(uint64_t)f->mask) | f->fixed;
    put(&bits, f->opcode, opcode);
    put(&bits, f->opcode_high, opcode >> f->opcode.width);
    words[0] = (uint32_t)bits;
    words[1] = (uint32_t)(bits >> 32);
    for (unsigned i = 2; i < SWEEP_WORDS; i++)
        words[i] = literal_value(random);
    if (f->form != ISA_FORM_COUNT && isa_layouts[f->form].bytes == 4 && below(random, 4))
        words[1] = literal_value(random);
}

static bool has_impossible_select(const uint32_t words[2])
{
    bool is_sdwa = !(words[0] >> 31) && (words[0] & 0x1ff) == 0xf9;
    bool is_compare = words[0] >> 25 == 0x3e, is_one = words[0] >> 25 == 0x3f;
    unsigned dst = words[1] >> 8 & 7, unused = words[1] >> 11 & 3, src0 = words[1] >> 16 & 7, src1 = words[1] >> 24 & 7;
    return is_sdwa && (src0 == 7 || (!is_one && src1 == 7) || (!is_compare && (dst == 7 || unused == 3)));
}

static bool has_buffer_literal(const uint32_t words[2])
{
    return (words[0] >> 26 == 0x38 || words[0] >> 26 == 0x3a) && words[1] >> 24 == 0xff;
}

static bool has_sampled_fragments(const uint32_t words[2])
{
    unsigned opcode = words[0] >> 18 & 127, dim = words[0] >> 3 & 7, extra_words = words[0] >> 1 & 3;
    return words[0] >> 26 == 0x3c && opcode >= 0x20 && dim >= 6 && extra_words;
}

static bool has_mix_literal(const uint32_t words[2])
{
    bool is_mix = words[0] >> 18 == 0xcc20 >> 2, has_literal = false;
    for (unsigned shift = 0; shift < 27; shift += 9)
        has_literal |= (words[1] >> shift & 0x1ff) == 0xff;
    return is_mix && has_literal;
}

/* LLVM goes on behind an instruction that isa/ does not know, so the later words count as well. */
bool sweep_words_confuse_llvm(const uint32_t words[SWEEP_WORDS])
{
    for (unsigned i = 0; i + 1 < SWEEP_WORDS; i++) {
        if (has_impossible_select(words + i) || has_buffer_literal(words + i) || has_sampled_fragments(words + i) ||
            has_mix_literal(words + i))
            return true;
    }
    return false;
}
