/* MIMG: how many registers an image instruction's data and address take, and where they are. */
#include "isa/isa_image.h"

#include "isa/isa_type.h"

static bool has(const struct isa_row *row, uint64_t flag)
{
    return row->flags & flag;
}

static bool has_sampler(const struct isa_row *row)
{
    return row->src_type[1] == ISA_T_B128;
}

enum { MSAA_2D = 6 }; /* this dimension and the next have fragments: no sampler reads them, they have no mip levels */

/* RDNA ISA guide, "Image addressing": coordinates with slice, face and fragment, and derivatives, of each dimension. */
static const struct {
    uint8_t coordinates, gradients;
} dimensions[8] = {
    {1, 2}, {2, 4}, {3, 6}, {3, 4}, {2, 2}, {3, 4}, {3, 4}, {4, 4},
};

/* A ray test takes node pointer (one word, or two), extent, origin, direction and inverse direction. */
static unsigned ray_address_count(const struct isa_row *row, bool a16)
{
    return (row->id == ISA_image_bvh64_intersect_ray ? 2 : 1) + (a16 ? 7 : 10);
}

unsigned isa_image_address_count(const struct isa_row *row, unsigned dim, bool a16)
{
    if (has(row, ISA_F(BVH_RAY)))
        return ray_address_count(row, a16);
    unsigned words = 0u + has(row, ISA_F(OFFSET)) + has(row, ISA_F(BIAS)) + has(row, ISA_F(PCF));
    unsigned coordinates = has(row, ISA_F(RESINFO)) ? 1 : dimensions[dim].coordinates + has(row, ISA_F(LOD));
    unsigned gradients = dimensions[dim].gradients;
    words += a16 ? (coordinates + 1) / 2 : coordinates;
    if (has(row, ISA_F(GRAD))) /* those for x and for y are packed apart */
        words += has(row, ISA_F(G16)) ? (gradients / 2 + 1) / 2 * 2 : gradients;
    return words;
}

static unsigned data_dwords(const struct isa_inst *inst)
{
    unsigned components = has(inst->row, ISA_F(GATHER)) ? 4 : (unsigned)__builtin_popcount(inst->dmask);
    if (components == 0)
        components = 1;
    if (inst->d16)
        components = (components + 1) / 2;
    return components + inst->tfe;
}

/* Extra words for that many separate addresses. */
static unsigned extra_words(unsigned addresses)
{
    return (addresses - 1 + 3) / 4;
}

/* Extra words that the row can need, for the dimension with most addresses. */
static unsigned max_extra_words(const struct isa_row *row)
{
    unsigned most = 0;
    for (unsigned dim = 0; dim < (has_sampler(row) ? MSAA_2D : 8); dim++) {
        unsigned count = isa_image_address_count(row, dim, false);
        most = count > most ? count : most;
    }
    return extra_words(most);
}

/* Addresses in consecutive registers, or (nsa) each its own: a byte each, in extra words after the first. */
static bool read_addresses(struct isa_decoding *d)
{
    struct isa_inst *inst = d->inst;
    unsigned first = isa_bits_get(d->bits, d->layout->address);
    inst->addr_count = (uint8_t)isa_image_address_count(d->row, inst->dim, inst->a16);
    inst->size = (uint8_t)(8 + 4 * inst->nsa);
    if (inst->nsa && (inst->addr_count > 1u + 4u * inst->nsa || inst->nsa > max_extra_words(d->row)))
        return false;
    if (d->count * 4 < inst->size)
        return true; /* truncated, which the caller tells */
    for (unsigned i = 0; i < inst->addr_count; i++) {
        if (inst->nsa && i)
            inst->addr[i] = (uint16_t)(d->words[2 + (i - 1) / 4] >> 8 * ((i - 1) % 4) & 0xff);
        else
            inst->addr[i] = (uint16_t)(first + i);
    }
    return inst->nsa || first + inst->addr_count <= 256;
}

/* The modifiers of a ray test are fixed. */
static bool is_ray_test(const struct isa_inst *inst)
{
    bool has_others = inst->dim || inst->glc || inst->slc || inst->dlc || inst->tfe || inst->lwe;
    return inst->dmask == 15 && inst->unorm && inst->r128 && !has_others &&
           (!inst->nsa || inst->nsa == extra_words(inst->addr_count));
}

/* One component, or two for 64 bits; twice that for a compare and swap. */
static bool is_atomic_mask(const struct isa_inst *inst)
{
    bool is_swap = inst->row->src_type[0] == ISA_T_B64;
    return is_swap ? inst->dmask == 3 || inst->dmask == 15 : inst->dmask == 1 || inst->dmask == 3;
}

static bool read_resources(struct isa_decoding *d, unsigned source)
{
    enum { RSRC_SLOT = 1, SAMPLER_SLOT = 2 };
    struct isa_inst *inst = d->inst;
    enum isa_type type = (enum isa_type)d->row->src_type[source]; /* r128 uses the first half */
    if (!isa_decode_operand(d, d->layout->src[RSRC_SLOT], type, isa_type_dwords(type), &inst->src[source]))
        return false;
    if (!has_sampler(d->row))
        return !isa_bits_get(d->bits, d->layout->src[SAMPLER_SLOT].bits);
    return isa_decode_operand(d, d->layout->src[SAMPLER_SLOT], ISA_T_B128, 4, &inst->src[source + 1]);
}

bool isa_decode_image(struct isa_decoding *d)
{
    struct isa_inst *inst = d->inst;
    bool has_data_source = has(d->row, ISA_F(STORE) | ISA_F(ATOMIC));
    unsigned dwords = data_dwords(inst);
    if (has(d->row, ISA_F(ATOMIC)) && !is_atomic_mask(inst))
        return false;
    if (inst->dim >= MSAA_2D && (has_sampler(d->row) || has(d->row, ISA_F(LOD))))
        return false;
    if (inst->d16 && !has(d->row, ISA_F(D16)))
        return false;
    if (!read_addresses(d) || (has(d->row, ISA_F(BVH_RAY)) && !is_ray_test(inst)))
        return false;
    if (inst->dst_count && !isa_decode_operand(d, d->layout->dst[0], (enum isa_type)d->row->dst_type[0], dwords, &inst->dst[0]))
        return false;
    if (has_data_source && !isa_decode_operand(d, d->layout->src[0], (enum isa_type)d->row->src_type[0], dwords, &inst->src[0]))
        return false;
    unsigned resource = has_data_source ? 1 : 0;
    return read_resources(d, resource);
}
