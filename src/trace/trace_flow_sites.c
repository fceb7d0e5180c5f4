/* What the flow knows of each memory instruction, as the trace's sites. */
#include <stdlib.h>
#include <string.h>

#include "image/image.h"
#include "trace/trace_flow_internal.h"

enum { WORD = 4, DATA = 4, MOST_VISITS = 1 << 17 };

struct sites {
    struct flow *f;
    struct trace_table *table;
    uint8_t *seen; /* by block, of a walk */
    uint32_t *work;
    uint32_t visits; /* of blocks, in all walks */
};

/* 1. Whether every wave comes by. */

/* A branch round a block for waves that have no lane to run in it is none for those that have. */
static bool skips(const struct flow *f, uint32_t block, unsigned way, const uint32_t mask[2])
{
    uint32_t tested[2];
    unsigned when_empty;
    return mask && f->func->blocks[block].term == IR_TERM_BRANCH &&
           flow_empty_test(f, f->ssa->blocks[block].cond[0], tested, &when_empty) && way == when_empty &&
           flow_is_within(f, mask, tested);
}

/* Whether a wave with a lane in mask (NULL: any wave) may end without having been in block; adds what follows `from` to the work. */
static bool may_end(struct sites *s, uint32_t from, uint32_t block, const uint32_t mask[2], uint32_t *count)
{
    const struct flow *f = s->f;
    bool on = false;
    for (unsigned n = 0; n < 2; n++) {
        uint32_t to = f->func->blocks[from].succ[n];
        if (!(f->blocks[from] & FLOW_TAKEN << n) || skips(f, from, n, mask))
            continue;
        on = true;
        if (to == IR_NO_BLOCK)
            return true;
        if (to != block && !s->seen[to]) {
            s->seen[to] = 1;
            s->work[(*count)++] = to;
        }
    }
    return !on;
}

static bool is_certain(struct sites *s, uint32_t block, const uint32_t mask[2])
{
    const struct flow *f = s->f;
    uint32_t count = 0;
    if (block == f->ssa->entry)
        return true;
    memset(s->seen, 0, f->func->block_count);
    s->seen[f->ssa->entry] = 1;
    s->work[count++] = f->ssa->entry;
    while (count)
        if (++s->visits > MOST_VISITS || may_end(s, s->work[--count], block, mask, &count))
            return false;
    return true;
}

/* 2. Stores. */

/* Whether the lanes of the domain leave no byte of the range out. Those that are capped leave none before the cap that others do not. */
static bool covers(const struct flow_place *place, const struct trace_domain *domain, bool clamped)
{
    if (place->partial || !trace_affine_gapless(&place->address, domain, place->bytes))
        return false;
    if (!clamped)
        return true;
    struct trace_affine left = place->address;
    left.at -= place->high;
    return !(place->piece & (place->piece - 1)) && trace_affine_align(&left, TRACE_PAIR) >= (unsigned)__builtin_ctz(place->piece);
}

/* Components into an element as its format has it; returns its bytes, 0: none. Each component of memory takes the register that a
 * load would put it in. */
static uint32_t convert(const struct ir_access *access, const struct flow_place *place, uint32_t data[IMAGE_COMPONENTS],
                        uint32_t count)
{
    struct image_buffer buffer = image_buffer_decode(place->descriptor);
    bool typed = access->flags & IR_AC_TYPED;
    const struct image_buffer_format *format = image_buffer_format(typed ? access->format : buffer.format);
    struct image_texel texel = {{0}};
    uint8_t bytes[IMAGE_MAX_TEXEL_BYTES] = {0};
    if (!format)
        return 0;
    for (uint32_t n = count; n-- > 0;) {
        unsigned select = typed ? IMAGE_SEL_X + n : buffer.select[n];
        if (select >= IMAGE_SEL_X)
            texel.c[select - IMAGE_SEL_X] = data[n];
    }
    image_texel_store(format, &texel, bytes);
    memcpy(data, bytes, sizeof bytes);
    return format->bytes;
}

/* The one word of all that is stored. */
static bool one_word(const struct flow *f, uint32_t op, const struct flow_place *place, uint32_t *word)
{
    const struct ir_ssa_node *node = &f->ssa->nodes[op];
    const struct ir_inst *inst = &f->func->insts[node->inst];
    const struct ir_access *access = ir_inst_access(f->func, inst);
    uint32_t at = 0, mask[2], data[IMAGE_COMPONENTS] = {0}, count = ir_src_span(f->func, inst, DATA);
    if (!inst->lane || !count || count > IMAGE_COMPONENTS || access->flags & (IR_AC_D16 | IR_AC_D16_HI))
        return false;
    flow_mask_of(f, node, mask);
    for (unsigned n = 0; n < DATA; n++)
        at += ir_src_span(f->func, inst, n);
    for (uint32_t n = 0; n < count; n++) {
        const struct flow_value *value = &f->values[flow_args(f, op)[at + n]];
        if (value->kind != FLOW_WORD || (!flow_is_everywhere(value->under) && !flow_is_within(f, mask, value->under)))
            return false;
        data[n] = value->word;
    }
    uint32_t bytes = access->flags & IR_AC_FORMAT ? convert(access, place, data, count) : place->bytes;
    *word = data[0];
    for (uint32_t n = 1; n < bytes / WORD; n++)
        if (data[n] != *word)
            return false;
    return bytes && bytes % WORD == 0;
}

/* 3. Sites. */

static void set_range(struct sites *s, uint32_t op, const struct flow_place *place, struct trace_site *site)
{
    struct trace_domain domain = s->f->domain;
    const struct ir_inst *inst = &s->f->func->insts[s->f->ssa->nodes[op].inst];
    uint32_t mask[2];
    bool exact = false, clamped = false;
    if (inst->lane) {
        flow_mask_of(s->f, &s->f->ssa->nodes[op], mask);
        exact = flow_limit(s->f, mask, &domain);
    }
    struct trace_bounds bounds;
    trace_wide at;
    if (!trace_affine_exact(&place->address, &s->f->domain, TRACE_PAIR, false, &bounds, &at)) {
        site->place = site->based ? TRACE_BASED : TRACE_UNKNOWN;
        site->why = "addresses that may wrap";
        return;
    }
    if (domain.empty) { /* none of its lanes ever runs */
        site->place = TRACE_APART;
        return;
    }
    bounds = trace_affine_extent(&place->address, at, &domain);
    if (place->capped) {
        bounds.low = bounds.low < (trace_wide)place->cap ? bounds.low : (trace_wide)place->cap;
        bounds.high = bounds.high < (trace_wide)place->cap ? bounds.high : (trace_wide)place->cap;
    }
    bounds.high += place->bytes;
    clamped = bounds.high > (trace_wide)place->high;
    bounds.low = bounds.low < (trace_wide)place->low ? (trace_wide)place->low : bounds.low;
    bounds.high = clamped ? (trace_wide)place->high : bounds.high;
    if (bounds.high >> TRACE_PAIR) {
        site->place = site->based ? TRACE_BASED : TRACE_UNKNOWN;
        site->why = "addresses at the end of memory";
        return;
    }
    site->start = (uint64_t)bounds.low;
    site->end = bounds.high > bounds.low ? (uint64_t)bounds.high : site->start;
    bool certain = (exact || !inst->lane) && is_certain(s, s->f->ssa->nodes[op].block, inst->lane ? mask : NULL);
    site->loose = !certain || place->partial || place->address.noise;
    if (site->store && inst->lane && site->end > site->start && certain)
        site->covers = covers(place, &domain, clamped);
    if (site->covers)
        site->told = flow_words(s->f, op, place, &domain, site->start, site->end, &site->words);
}

/* Of the group or the wave, whatever registers hold. */
static bool is_own(enum ir_space space)
{
    return space == IR_SPACE_LDS || space == IR_SPACE_GDS || space == IR_SPACE_SCRATCH;
}

static struct trace_site make_site(struct sites *s, uint32_t op)
{
    const struct flow *f = s->f;
    const struct ir_inst *inst = &f->func->insts[f->ssa->nodes[op].inst];
    struct flow_place place;
    flow_place_of(f, op, &place);
    struct trace_site site = {
        .pc = inst->pc,
        .place = place.place,
        .space = (enum ir_space)ir_inst_access(f->func, inst)->space,
        .load = inst->op == IR_load,
        .store = inst->op == IR_store,
        .atomic = inst->op == IR_atomic,
        .based = place.based,
        .base = place.base,
        .described = place.described,
        .why = place.place == TRACE_UNKNOWN || place.place == TRACE_BASED ? place.why : NULL,
    };
    memcpy(site.descriptor, place.descriptor, sizeof site.descriptor);
    if (f->leaves && !is_own(site.space)) { /* control may come back with other registers */
        site.place = TRACE_UNKNOWN;
        site.based = site.described = false;
        site.why = f->leaves;
    }
    if (site.place == TRACE_RANGE)
        set_range(s, op, &place, &site);
    bool window = (site.place == TRACE_BASED && site.described) || site.space == IR_SPACE_FLAT;
    if (window && !f->leaves && (site.place == TRACE_BASED || site.place == TRACE_UNKNOWN) && place.high != UINT64_MAX) {
        site.windowed = true;
        site.start = place.low;
        site.end = place.high;
    }
    if (site.store && site.place != TRACE_APART) {
        site.narrow =
            place.bytes % WORD || trace_affine_align(&place.address, TRACE_PAIR) < 2 || (place.capped && place.cap % WORD);
        site.one_word = !f->leaves && one_word(f, op, &place, &site.word);
        site.narrow |= f->leaves != NULL;
    }
    return site;
}

/* Two accesses of one instruction, or of one that was lowered twice: nobody knows which of them runs. */
static void join(struct trace_site *site, const struct trace_site *more)
{
    bool same_base = site->based == more->based && site->base == more->base && site->described == more->described &&
                     !memcmp(site->descriptor, more->descriptor, sizeof site->descriptor);
    site->load |= more->load;
    site->store |= more->store;
    site->atomic |= more->atomic;
    site->narrow |= more->narrow;
    site->loose = true;
    site->covers = site->told = false;
    site->windowed = site->windowed && more->windowed;
    site->one_word = site->one_word && more->one_word && site->word == more->word;
    if (site->space == more->space && site->place == more->place && same_base) {
        site->start = more->start < site->start ? more->start : site->start;
        site->end = more->end > site->end ? more->end : site->end;
        return;
    }
    *site = (struct trace_site){.pc = site->pc,
                                .space = site->space,
                                .load = site->load,
                                .store = site->store,
                                .atomic = site->atomic,
                                .narrow = true,
                                .why = "accesses of one instruction that differ"};
}

static bool add_site(struct sites *s, uint32_t op)
{
    struct trace_site site = make_site(s, op), *known = trace_table_find(s->table, site.pc);
    if (known) {
        join(known, &site);
        return true;
    }
    known = trace_table_add(s->table, site.pc);
    if (known)
        *known = site;
    return known != NULL;
}

/* Which image an operation stores to; of one that was lowered twice, both times the same. */
static bool add_image(struct sites *s, uint32_t op)
{
    const struct flow *f = s->f;
    const struct ir_inst *inst = &f->func->insts[f->ssa->nodes[op].inst];
    const struct ir_image *image = ir_inst_image(f->func, inst);
    enum { WHOLE = 8, SHORT = 4 };
    uint32_t words[WHOLE] = {0};
    bool met, r128 = image->flags & IR_IM_R128, known = !f->leaves && flow_descriptor_of(f, op, words, r128 ? SHORT : WHOLE);
    struct trace_image *to = trace_table_add_image(s->table, inst->pc, &met);
    if (!to)
        return false;
    to->any_level |= image->at[IR_PART_LOD] != IR_AT_NOWHERE;
    to->known = known && (!met || (to->known && !memcmp(to->descriptor, words, sizeof words)));
    to->why = to->known ? NULL : f->leaves ? f->leaves : "the descriptor is not known";
    to->r128 = r128;
    memcpy(to->descriptor, words, sizeof words);
    return true;
}

static bool add_sites(struct sites *s)
{
    const struct flow *f = s->f;
    for (uint32_t n = 0; n < f->ssa->order_count; n++) {
        const struct ir_ssa_block *block = &f->ssa->blocks[f->ssa->order[n]];
        if (!(f->blocks[f->ssa->order[n]] & FLOW_REACHED))
            continue;
        for (uint32_t k = block->first; k < block->first + block->count; k++) {
            const struct ir_ssa_node *node = &f->ssa->nodes[k];
            bool access = node->kind == IR_SSA_OP && ir_inst_access(f->func, &f->func->insts[node->inst]);
            if ((access && !add_site(s, k)) || (flow_stores_image(f, node) && !add_image(s, k)))
                return false;
        }
    }
    return true;
}

bool flow_sites(struct flow *f, struct trace_table *table)
{
    struct sites s = {
        .f = f, .table = table, .seen = malloc(f->func->block_count), .work = malloc(f->func->block_count * sizeof *s.work)};
    bool good = s.seen && s.work && add_sites(&s);
    free(s.seen);
    free(s.work);
    return good;
}
