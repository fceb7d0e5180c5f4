/* vulkan_bind: from a trace to bounds, and what becomes of them around a run. */
#include "vulkan/vulkan_bind.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spirv/spirv_layout.h"
#include "vulkan/vulkan_words.h"

enum { WORD = sizeof(uint32_t), PIECES = 1024 };

/* ---- pieces: what single instructions reach ---- */

struct piece {
    uint64_t start, end;
    bool reads, writes, covers, one_word, sampled;
    uint32_t word;
    const struct trace_words *words; /* that it leaves; NULL: nobody knows, or there are others that write here */
};

struct pieces {
    struct piece list[PIECES];
    uint32_t count;
    struct vulkan_binding *binding;
};

/* As memory is mapped: sign-extended. False: addresses begin again on the way, or change sign. */
static bool range_from(uint64_t start, uint64_t end, struct trace_range *range)
{
    *range = (struct trace_range){vulkan_address(start), vulkan_address(start) + (end - start)};
    return start == end || (start < end && vulkan_address(end - 1) - range->start == end - 1 - start);
}

/* All that an instruction reaches: its bytes, or what its descriptor lets through. False: nobody knows. */
static bool extent_of(const struct trace_site *site, struct trace_range *range)
{
    bool let_through = site->place == TRACE_BASED && site->described && site->windowed;
    return (site->place == TRACE_RANGE || let_through) && range_from(site->start, site->end, range);
}

static bool may_write(const struct trace_site *site)
{
    return site->store || site->atomic;
}

static void add_unknown(struct vulkan_binding *binding, const struct trace_site *site, const char *why)
{
    binding->reads_all |= site->load || site->atomic;
    binding->writes_all |= may_write(site);
    binding->why = site->why ? site->why : why;
}

/* Where a store that a sample bounds has left its bound, all such stores go by address, and so does what the sample read of where they store. */
static bool is_by_address(const struct vulkan_binding *binding, const struct trace_site *site)
{
    uint32_t count;
    const struct trace_site *sites = trace_sites(binding->trace, &count);
    bool by_address = site->sampled && may_write(site);
    for (uint32_t n = 0; n < count && site->sampled; n++)
        by_address |= sites[n].sampled && may_write(&sites[n]) && sites[n].start < site->end && site->start < sites[n].end;
    return binding->scattered && by_address;
}

static void add_site(struct pieces *p, const struct trace_site *site)
{
    struct trace_range range;
    p->binding->scatters |= site->sampled && may_write(site);
    if (is_by_address(p->binding, site)) {
        add_unknown(p->binding, site, "stores reach outside what a sample of the groups does");
        return;
    }
    if (site->place == TRACE_APART || (site->place == TRACE_RANGE && site->start == site->end))
        return;
    if (!extent_of(site, &range) || p->count == PIECES) {
        add_unknown(p->binding, site, "which bytes it reaches");
        return;
    }
    bool partial = site->narrow || range.start % WORD || range.end % WORD;
    if (site->sampled) /* a slot begins with a word */
        range.start -= range.start % WORD;
    p->list[p->count++] = (struct piece){.start = range.start,
                                         .end = range.end,
                                         .reads = site->load || site->atomic || (site->store && partial),
                                         .writes = may_write(site),
                                         .covers = site->store && site->covers && site->place == TRACE_RANGE,
                                         .one_word = site->one_word,
                                         .sampled = site->sampled,
                                         .word = site->word,
                                         .words = site->told && !site->sampled ? &site->words : NULL};
}

/* Waves' scratch is nobody else's, but lies in guest memory: nothing of it is brought there, and what the waves leave in it is theirs. Command
 * streams say how large it is; where it is, only their programs: then all of memory is shown. */
static void add_scratch(struct pieces *p, const struct wave_dispatch *d, const struct trace_site *sites, uint32_t count)
{
    bool reached = false, by_base = false;
    for (uint32_t n = 0; n < count; n++) {
        reached |= sites[n].place == TRACE_APART && sites[n].space != IR_SPACE_LDS && sites[n].space != IR_SPACE_GDS;
        by_base |= sites[n].space == IR_SPACE_SCRATCH;
    }
    if (by_base && !d->scratch_base) {
        p->binding->reads_all = p->binding->writes_all = true;
        p->binding->why = "where the waves' scratch lies";
        return;
    }
    const uint64_t bytes = (uint64_t)d->scratch_waves * d->scratch_wave_bytes;
    struct trace_range ring;
    if (!reached || !bytes || p->count == PIECES || !range_from(d->scratch_base, d->scratch_base + bytes, &ring))
        return;
    p->list[p->count++] = (struct piece){.start = ring.start, .end = ring.end, .writes = true, .covers = true};
}

/* An image, whose elements are stored without marks: it is compared where it is stored to. */
static void add_image(struct pieces *p, const struct vulkan_view_reach *image)
{
    struct trace_range range;
    if (image->start == image->end)
        return;
    if (!range_from(image->start, image->end, &range) || p->count == PIECES) {
        p->binding->reads_all = true;
        p->binding->writes_all |= image->writes;
        p->binding->why = "more images than are bound";
        return;
    }
    p->list[p->count++] = (struct piece){.start = range.start, .end = range.end, .reads = true, .writes = image->writes};
}

static int by_start(const void *a, const void *b)
{
    const struct piece *one = a, *other = b;
    return one->start < other->start ? -1 : one->start > other->start;
}

/* Pieces that overlap are one buffer: how far it goes, and how far stores that certainly happen cover it from its beginning. */
struct joint {
    struct piece whole;
    uint64_t covered;
    bool same_word;
};

static void join(struct joint *joint, const struct piece *piece)
{
    struct piece *whole = &joint->whole;
    whole->end = piece->end > whole->end ? piece->end : whole->end;
    whole->reads |= piece->reads;
    whole->sampled |= piece->sampled;
    if (piece->writes && whole->writes) {
        joint->same_word = joint->same_word && piece->one_word && piece->word == whole->word;
        whole->words = NULL;
    } else if (piece->writes) {
        joint->same_word = piece->one_word;
        whole->word = piece->word;
        whole->words = piece->words;
    }
    whole->writes |= piece->writes;
    if (piece->covers && piece->start <= joint->covered)
        joint->covered = piece->end > joint->covered ? piece->end : joint->covered;
}

static void put_bound(struct vulkan_binding *binding, const struct joint *joint)
{
    const struct piece *whole = &joint->whole;
    if (binding->count == VULKAN_BOUNDS) {
        binding->reads_all = binding->writes_all = true;
        binding->why = "more ranges than are bound";
        return;
    }
    bool owned = joint->covered >= whole->end && !whole->sampled, same = owned && joint->same_word;
    const struct trace_words one = {.first = whole->word};
    binding->bounds[binding->count++] = (struct vulkan_bound){.range = {whole->start, whole->end - whole->start},
                                                              .use = !whole->writes ? VULKAN_READ
                                                                     : whole->reads ? VULKAN_COMPARED
                                                                     : owned        ? VULKAN_OWNED
                                                                                    : VULKAN_MARKED,
                                                              .escapes = whole->sampled,
                                                              .told = same || (owned && whole->words),
                                                              .words = same || !whole->words ? one : *whole->words};
}

static void join_pieces(struct vulkan_binding *binding, struct pieces *p)
{
    qsort(p->list, p->count, sizeof *p->list, by_start);
    for (uint32_t n = 0; n < p->count;) {
        struct joint joint = {.whole = {.start = p->list[n].start, .end = p->list[n].end}, .covered = p->list[n].start};
        do
            join(&joint, &p->list[n++]);
        while (n < p->count && p->list[n].start < joint.whole.end);
        put_bound(binding, &joint);
    }
}

/* ---- traces ---- */

enum { KEPT_BITS = 12, KEPT = 1 << KEPT_BITS };

struct vulkan_tracer {
    struct vulkan_mirror *mirror;  /* NULL: work goes on in place */
    struct mem_snapshot *snapshot; /* of the dispatch that is looked at */
    struct wave_memory memory;
    struct wave_cache *cache;
    uint64_t epoch;
    struct trace *kept[KEPT];
};

/* Memory as the dispatch will find it, page by page where the device holds results. */
static enum wave_outcome find(void *user, uint64_t address, struct wave_run *run)
{
    enum { PAGE = 4096 };
    struct vulkan_tracer *tracer = user;
    struct mem_run found;
    if (!mem_snapshot_find(tracer->snapshot, address, &found))
        return WAVE_UNMAPPED;
    *run = (struct wave_run){found.start, found.size, found.host, found.writable, found.discards};
    if (!tracer->mirror || !vulkan_mirror_busy(tracer->mirror, (struct device_range){found.start, found.size}))
        return WAVE_DONE;
    uint64_t skip = (address - found.start) / PAGE * PAGE, rest = found.size - skip;
    *run = (struct wave_run){found.start + skip, rest < PAGE ? rest : PAGE, found.host + skip, found.writable, found.discards};
    return vulkan_mirror_ready(tracer->mirror, tracer->snapshot, (struct device_range){run->start, run->size}) ? WAVE_DONE
                                                                                                               : WAVE_NOT_READY;
}

struct vulkan_tracer *vulkan_tracer_create(enum isa_chip_bit chip, struct vulkan_mirror *mirror)
{
    struct vulkan_tracer *tracer = calloc(1, sizeof *tracer);
    if (!tracer)
        return NULL;
    tracer->mirror = mirror;
    tracer->memory = (struct wave_memory){.user = tracer, .find = find};
    tracer->cache = wave_cache_create(chip, &tracer->memory);
    if (tracer->cache)
        return tracer;
    free(tracer);
    return NULL;
}

void vulkan_tracer_destroy(struct vulkan_tracer *tracer)
{
    if (!tracer)
        return;
    for (size_t n = 0; n < KEPT; n++)
        trace_destroy(tracer->kept[n]);
    wave_cache_destroy(tracer->cache);
    free(tracer);
}

static const struct trace *trace_of(struct vulkan_tracer *tracer, const struct wave_dispatch *d)
{
    static const uint64_t golden = UINT64_C(0x9e3779b97f4a7c15);
    const struct trace_memory memory = {tracer, find};
    uint64_t hash = d->program;
    for (size_t n = 0; n < sizeof d->user_data / sizeof d->user_data[0]; n++)
        hash = (hash ^ d->user_data[n]) * golden;
    struct trace **kept = &tracer->kept[hash >> (64 - KEPT_BITS)];
    if (tracer->epoch != d->code_epoch)
        wave_cache_invalidate(tracer->cache, 0, UINT64_MAX);
    tracer->epoch = d->code_epoch;
    if (*kept && trace_holds(*kept, d, &memory))
        return *kept;
    trace_destroy(*kept);
    *kept = tracer->mirror ? trace_create(tracer->cache, d, &memory) : trace_create_flow(tracer->cache, d, &memory);
    return *kept;
}

const struct trace *vulkan_tracer_trace(struct vulkan_tracer *tracer, struct mem_snapshot *snapshot,
                                        const struct wave_dispatch *dispatch)
{
    tracer->snapshot = snapshot;
    const struct trace *trace = trace_of(tracer, dispatch);
    tracer->snapshot = NULL;
    return trace;
}

/* ---- bindings ---- */

static struct trace_range around(struct trace_range a, struct trace_range b)
{
    return (struct trace_range){a.start < b.start ? a.start : b.start, a.end > b.end ? a.end : b.end};
}

/* The sample placed what it read; a margin around that is bound too. */
static void widen(struct pieces *p, const struct trace *trace, const struct trace_memory *memory)
{
    const struct trace_sample *sample = trace_sample_of(trace);
    struct trace_range others[PIECES];
    size_t count = 0;
    struct trace_range read = {UINT64_MAX, 0}, bound = {UINT64_MAX, 0};
    for (uint32_t n = 0; n < p->count; n++)
        if (!p->list[n].sampled || p->list[n].writes)
            others[count++] = (struct trace_range){p->list[n].start, p->list[n].end};
    for (uint32_t n = 0; n < p->count; n++) {
        struct piece *piece = &p->list[n];
        if (!piece->sampled || piece->writes)
            continue;
        struct trace_range found = {piece->start, piece->end}, wide = trace_widen(found, memory, others, count);
        piece->start = wide.start;
        piece->end = wide.end;
        read = around(read, found);
        bound = around(bound, wide);
    }
    if (bound.start < bound.end)
        snprintf(p->binding->sample, sizeof p->binding->sample,
                 "global loads are bound from a sample: %llu of %llu groups read 0x%llx to 0x%llx, bound is 0x%llx to 0x%llx",
                 (unsigned long long)sample->groups, (unsigned long long)sample->of, (unsigned long long)read.start,
                 (unsigned long long)read.end, (unsigned long long)bound.start, (unsigned long long)bound.end);
}

/* What an instruction reaches, as far as it is known; start == end: nothing, or nobody knows. */
static struct trace_range range_of(const struct trace_site *site)
{
    struct trace_range range;
    return site && extent_of(site, &range) ? range : (struct trace_range){0, 0};
}

static bool reaches_nothing(const struct trace_site *site)
{
    return site && (site->place == TRACE_APART || (site->place == TRACE_RANGE && site->start == site->end));
}

static struct vulkan_bound *find_bound(struct vulkan_binding *binding, struct trace_range range)
{
    for (uint32_t n = 0; n < binding->count && range.start < range.end; n++) {
        struct vulkan_bound *bound = &binding->bounds[n];
        uint64_t offset = range.start - bound->range.start;
        if (offset < bound->range.size && range.end - range.start <= bound->range.size - offset)
            return bound;
    }
    return NULL;
}

/* The bound that holds all that the accesses of a slot reach; NULL: there is none. */
static struct vulkan_bound *bound_of(struct vulkan_binding *binding, const struct spirv_module *module, int32_t slot)
{
    static const uint64_t most = UINT64_C(1) << 31;
    struct vulkan_bound *found = NULL;
    for (uint32_t n = 0; n < module->reach_count; n++) {
        const struct trace_site *site = NULL;
        if (module->reaches[n].slot == slot && binding->trace)
            site = trace_find(binding->trace, module->reaches[n].pc);
        if (site && is_by_address(binding, site))
            return NULL;
        if (module->reaches[n].slot != slot || reaches_nothing(site))
            continue;
        struct vulkan_bound *bound = find_bound(binding, range_of(site));
        if (!bound || (found && found != bound))
            return NULL;
        found = bound;
    }
    bool shown = found && found->device && found->device % WORD == 0 && found->range.size < most - WORD;
    return shown ? found : NULL;
}

/* An instruction that no wave of the sample came to: whatever it reaches in another is outside what is bound. */
static bool is_unmet(const struct trace_site *site)
{
    return site && site->sampled && site->place == TRACE_RANGE && site->start == site->end;
}

static void cannot_check(struct vulkan_binding *binding, const struct trace_site *site)
{
    binding->reads_all = true;
    binding->writes_all |= may_write(site);
    binding->why = "accesses that a sample bounds have no slot";
}

static bool is_unmet_slot(const struct vulkan_binding *binding, const struct spirv_module *module, int32_t slot)
{
    bool unmet = false;
    for (uint32_t n = 0; n < module->reach_count; n++) {
        const struct trace_site *site = NULL;
        if (module->reaches[n].slot == slot && binding->trace)
            site = trace_find(binding->trace, module->reaches[n].pc);
        if (module->reaches[n].slot == slot && (!reaches_nothing(site) || (site && is_by_address(binding, site))))
            return false;
        unmet |= is_unmet(site);
    }
    return unmet;
}

/* Accesses that are to be marked or checked go through slots, or else they are neither. */
static void check_slots(struct vulkan_binding *binding, const struct spirv_module *module)
{
    for (uint32_t n = 0; n < module->reach_count; n++) {
        const struct trace_site *site = binding->trace ? trace_find(binding->trace, module->reaches[n].pc) : NULL;
        int32_t slot = module->reaches[n].slot;
        struct vulkan_bound *bound = find_bound(binding, range_of(site)),
                            *whole = slot >= 0 ? bound_of(binding, module, slot) : NULL;
        if (is_unmet(site) && !binding->held) {
            bool apart = slot >= 0 && is_unmet_slot(binding, module, slot);
            binding->tells |= apart;
            if (whole)
                whole->escapes = true;
            else if (!apart && slot != SPIRV_PRELOADED)
                cannot_check(binding, site);
        }
        if (!bound || slot == SPIRV_PRELOADED || whole == bound)
            continue;
        if (bound->use == VULKAN_MARKED)
            bound->use = VULKAN_COMPARED;
        if (bound->escapes)
            cannot_check(binding, site);
        bound->escapes = false;
    }
}

/* That stores to scratch keep to it is known of those by descriptor only. What is beyond it is a fault, as long as nothing but bounds is shown. */
static void check_scratch(struct vulkan_binding *binding)
{
    uint32_t count = 0;
    const struct trace_site *sites = binding->trace ? trace_sites(binding->trace, &count) : NULL;
    for (uint32_t n = 0; n < count && binding->reads_all; n++)
        if (!sites[n].load && sites[n].place == TRACE_APART &&
            (sites[n].space == IR_SPACE_SCRATCH || sites[n].space == IR_SPACE_FLAT))
            binding->writes_all = true;
}

/* Whether some bound holds whatever each access can reach. */
static bool holds_all(struct vulkan_binding *binding, const struct device_range *reach, uint32_t count)
{
    for (uint32_t n = 0; n < count; n++)
        if (!find_bound(binding, (struct trace_range){reach[n].start, reach[n].start + reach[n].size}))
            return false;
    return true;
}

/* Whether a program does nothing that bounds do not tell of: the group's and the device's shares are changed, and misused, besides. */
static bool is_all_bound(const struct spirv_module *module)
{
    return !module->uses_lds && !module->gds;
}

/* What a dispatch that may read anything stores is compared with what was there, for it may read that too. */
static void conclude(struct vulkan_binding *binding, struct vulkan_mirror *mirror, const struct spirv_module *module, bool stops)
{
    for (uint32_t n = 0; n < binding->count; n++)
        binding->bounds[n].escapes &= !binding->held;
    for (uint32_t n = 0; n < binding->count; n++)
        binding->bounds[n].device = vulkan_mirror_place(mirror, binding->bounds[n].range, binding->bounds[n].use != VULKAN_READ);
    check_slots(binding, module);
    check_scratch(binding);
    binding->may_fail = stops || binding->reads_all || binding->writes_all || binding->tells;
    binding->fills = !binding->reads_all && !binding->writes_all && binding->count && is_all_bound(module);
    bool writes = false;
    for (uint32_t n = 0; n < binding->count; n++) {
        struct vulkan_bound *bound = &binding->bounds[n];
        bool apart = bound->device && bound->device % WORD == 0 && !binding->reads_all && !binding->writes_all;
        if (!apart && bound->use > VULKAN_COMPARED)
            bound->use = VULKAN_COMPARED;
        writes |= bound->use == VULKAN_OWNED;
        binding->fills = binding->fills && bound->device && !bound->escapes &&
                         (bound->use == VULKAN_READ || (bound->use == VULKAN_OWNED && bound->told &&
                                                        vulkan_mirror_can_fill(mirror, bound->range, &bound->words)));
        binding->may_fail |= !bound->device || bound->escapes;
        binding->checked |= bound->use == VULKAN_MARKED;
        binding->tells |= bound->escapes;
    }
    binding->checked |= binding->tells;
    binding->fills = binding->fills && writes;
}

/* What the dispatch's trace and its images say that it reaches. */
static void bind_pieces(struct vulkan_binding *binding, struct vulkan_tracer *tracer, struct mem_snapshot *snapshot,
                        const struct wave_dispatch *dispatch, const struct vulkan_view_reach *images, uint32_t image_count,
                        bool scattered)
{
    *binding = (struct vulkan_binding){.reads_all = scattered, .writes_all = scattered, .scattered = scattered};
    tracer->snapshot = snapshot;
    struct pieces *pieces = malloc(sizeof *pieces);
    binding->trace = pieces ? trace_of(tracer, dispatch) : NULL;
    const char *gap = binding->trace ? trace_gap(binding->trace) : "out of memory";
    binding->why = gap;
    binding->reads_all = binding->writes_all = gap || scattered;
    if (binding->trace) {
        uint32_t count;
        const struct trace_site *sites = trace_sites(binding->trace, &count);
        pieces->count = 0;
        pieces->binding = binding;
        for (uint32_t n = 0; n < count; n++)
            add_site(pieces, &sites[n]);
        add_scratch(pieces, dispatch, sites, count);
        for (uint32_t n = 0; n < image_count; n++)
            add_image(pieces, &images[n]);
        widen(pieces, binding->trace, &(struct trace_memory){tracer, find});
        join_pieces(binding, pieces);
    }
    free(pieces);
    tracer->snapshot = NULL;
}

void vulkan_binding_make(struct vulkan_binding *binding, struct vulkan_tracer *tracer, struct mem_snapshot *snapshot,
                         const struct wave_dispatch *dispatch, const struct spirv_module *module,
                         const struct vulkan_view_reach *images, bool stops, bool scattered, const struct device_range *reach)
{
    bind_pieces(binding, tracer, snapshot, dispatch, images, module->image_count * VULKAN_VIEW_REACHES, scattered);
    if (module->rays) {
        binding->reads_all = true;
        binding->why = "which nodes rays meet";
    }
    binding->held = reach && holds_all(binding, reach, module->near_count);
    conclude(binding, tracer->mirror, module, stops);
}

static bool open_bound(struct vulkan_bound *bound, struct vulkan_mirror *mirror, struct mem_snapshot *snapshot, char *reason)
{
    switch (bound->use) {
    case VULKAN_READ:
    case VULKAN_COMPARED: return vulkan_mirror_take(mirror, snapshot, bound->range, reason);
    case VULKAN_MARKED: return vulkan_mirror_mask(mirror, bound->range, &bound->mask, reason);
    case VULKAN_OWNED: return vulkan_mirror_yield(mirror, bound->range, reason);
    }
    return false;
}

bool vulkan_binding_open(struct vulkan_binding *binding, struct vulkan_mirror *mirror, struct mem_snapshot *snapshot,
                         char *reason)
{
    bool all = binding->reads_all || binding->writes_all;
    if (all && !vulkan_mirror_take(mirror, snapshot, DEVICE_EVERYTHING, reason))
        return false;
    if (binding->writes_all && !vulkan_mirror_guard(mirror, snapshot, DEVICE_EVERYTHING, reason))
        return false;
    for (uint32_t n = 0; n < binding->count; n++) {
        struct vulkan_bound *bound = &binding->bounds[n];
        bool guard = binding->may_fail && !binding->writes_all && bound->use != VULKAN_READ;
        if (guard && !vulkan_mirror_guard(mirror, snapshot, bound->range, reason))
            return false;
        if (!open_bound(bound, mirror, snapshot, reason)) {
            for (uint32_t before = 0; before < n; before++)
                if (binding->bounds[before].use == VULKAN_MARKED)
                    vulkan_mirror_marked(mirror, binding->bounds[before].range, false);
            return false;
        }
    }
    return true;
}

bool vulkan_binding_table(const struct vulkan_binding *binding, const struct vulkan_mirror *mirror, struct vulkan_table *table)
{
    struct device_range ranges[VULKAN_BOUNDS];
    for (uint32_t n = 0; n < binding->count; n++)
        ranges[n] = binding->bounds[n].range;
    return vulkan_mirror_parts(mirror, ranges, binding->count, table);
}

/* Accesses by a descriptor have addresses of 48 bits. */
static void put_slot(const struct vulkan_bound *bound, bool buffer, uint32_t *slot)
{
    static const uint64_t most = UINT64_C(1) << 31, low48 = (UINT64_C(1) << 48) - 1;
    uint64_t start = bound->range.start & ~(uint64_t)(WORD - 1), before = bound->range.start - start;
    uint64_t device = bound->device - before, size = bound->range.size + before;
    if (size >= most || device % WORD)
        return;
    start &= buffer ? low48 : ~UINT64_C(0);
    memset(slot, 0, SLOT_WORDS * sizeof *slot);
    memcpy(slot + SLOT_START, &start, sizeof start);
    memcpy(slot + SLOT_DEVICE, &device, sizeof device);
    memcpy(slot + SLOT_MASK, &bound->mask.address, sizeof bound->mask.address);
    slot[SLOT_BYTES] = (uint32_t)size;
    slot[SLOT_FLAGS] = (bound->use != VULKAN_READ ? SLOT_WRITABLE : 0) | (bound->use == VULKAN_MARKED ? SLOT_MARKS : 0) |
                       (bound->escapes ? SLOT_ESCAPES : 0);
}

/* Another module than that which the binding was made for may have other slots. */
static bool marks_all(struct vulkan_binding *binding, const struct spirv_module *module)
{
    bool marks = true;
    for (uint32_t n = 0; n < module->reach_count && binding->checked && marks; n++) {
        const struct trace_site *site = binding->trace ? trace_find(binding->trace, module->reaches[n].pc) : NULL;
        const struct vulkan_bound *bound = find_bound(binding, range_of(site));
        int32_t slot = module->reaches[n].slot;
        if (bound && bound->use == VULKAN_MARKED && slot != SPIRV_PRELOADED)
            marks = slot >= 0 && bound_of(binding, module, slot) == bound;
    }
    return marks;
}

bool vulkan_binding_slots(struct vulkan_binding *binding, const struct spirv_module *module, uint32_t *params)
{
    for (uint32_t n = 0; n < module->slot_count; n++) {
        const struct vulkan_bound *bound = bound_of(binding, module, (int32_t)n);
        uint32_t *slot = params + P_SLOTS + n * SLOT_WORDS;
        if (bound) {
            put_slot(bound, module->slots[n].buffer, slot);
        } else if (is_unmet_slot(binding, module, (int32_t)n)) {
            memset(slot, 0, SLOT_WORDS * sizeof *slot);
            slot[SLOT_FLAGS] = SLOT_ESCAPES;
        }
    }
    return marks_all(binding, module);
}

const struct vulkan_bound *vulkan_binding_bound(struct vulkan_binding *binding, const struct spirv_module *module, uint32_t slot)
{
    return bound_of(binding, module, (int32_t)slot);
}

/* What only stores is worth a trace, which is quickly made of it. */
static bool only_stores(const struct spirv_module *module)
{
    bool stores = !module->image_count && !module->rays && is_all_bound(module);
    for (uint32_t n = 0; n < module->reach_count; n++)
        stores &= module->reaches[n].slot == SPIRV_PRELOADED || (module->reaches[n].store && !module->reaches[n].load);
    return stores && module->reach_count;
}

/* Where the host has such a bound, which the guest may write; NULL: not in one piece. */
static uint8_t *place_of(struct mem_snapshot *snapshot, const struct vulkan_bound *bound)
{
    struct mem_run run;
    if (!mem_snapshot_find(snapshot, bound->range.start, &run) || !run.writable || run.discards)
        return NULL;
    uint64_t skip = bound->range.start - run.start;
    return bound->range.size <= run.size - skip ? run.host + skip : NULL;
}

bool vulkan_binding_fills_here(struct vulkan_binding *binding, struct vulkan_tracer *tracer, struct mem_snapshot *snapshot,
                               const struct wave_dispatch *dispatch, const struct spirv_module *module)
{
    bool writes = false;
    *binding = (struct vulkan_binding){0};
    if (!only_stores(module))
        return false;
    bind_pieces(binding, tracer, snapshot, dispatch, NULL, 0, false);
    bool fills = !binding->reads_all && !binding->writes_all;
    for (uint32_t n = 0; n < binding->count && fills; n++) {
        const struct vulkan_bound *bound = &binding->bounds[n];
        fills = bound->use == VULKAN_READ || (bound->use == VULKAN_OWNED && bound->told && place_of(snapshot, bound));
        writes |= bound->use == VULKAN_OWNED;
    }
    for (uint32_t n = 0; n < binding->count && fills && writes; n++)
        if (binding->bounds[n].use == VULKAN_OWNED)
            vulkan_words_put_guarded(place_of(snapshot, &binding->bounds[n]), binding->bounds[n].range.size,
                                     &binding->bounds[n].words);
    return fills && writes;
}

bool vulkan_binding_fill(const struct vulkan_binding *binding, struct vulkan_mirror *mirror, char *reason)
{
    for (uint32_t n = 0; n < binding->count; n++) {
        const struct vulkan_bound *bound = &binding->bounds[n];
        if (bound->use == VULKAN_OWNED && !vulkan_mirror_fill(mirror, bound->range, &bound->words, reason))
            return false;
    }
    return true;
}

bool vulkan_binding_close(const struct vulkan_binding *binding, struct vulkan_mirror *mirror, char *reason)
{
    bool good = true;
    if (binding->writes_all)
        vulkan_mirror_wrote(mirror, DEVICE_EVERYTHING);
    for (uint32_t n = 0; n < binding->count; n++) {
        const struct vulkan_bound *bound = &binding->bounds[n];
        if (bound->use == VULKAN_COMPARED)
            vulkan_mirror_wrote(mirror, bound->range);
        else if (bound->use == VULKAN_MARKED)
            vulkan_mirror_marked(mirror, bound->range, true);
        else if (bound->use == VULKAN_OWNED)
            good = vulkan_mirror_owns(mirror, bound->range, reason) && good;
    }
    return good;
}

void vulkan_binding_drop(const struct vulkan_binding *binding, struct vulkan_mirror *mirror)
{
    for (uint32_t n = 0; n < binding->count; n++)
        if (binding->bounds[n].use == VULKAN_MARKED)
            vulkan_mirror_marked(mirror, binding->bounds[n].range, false);
}

bool vulkan_binding_undo(const struct vulkan_binding *binding, struct vulkan_mirror *mirror, char *reason)
{
    bool good = true;
    if (!binding->may_fail)
        return false;
    vulkan_binding_drop(binding, mirror);
    if (binding->writes_all)
        return vulkan_mirror_undo(mirror, DEVICE_EVERYTHING, reason);
    for (uint32_t n = 0; n < binding->count; n++)
        if (binding->bounds[n].use != VULKAN_READ)
            good = vulkan_mirror_undo(mirror, binding->bounds[n].range, reason) && good;
    return good;
}
