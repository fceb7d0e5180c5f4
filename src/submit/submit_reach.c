/* submit_reach: what dispatches write, from traces of their programs; kept while it holds. */
#include "submit/submit_reach.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "image/image.h"
#include "image/image_view.h"
#include "submit/submit.h"
#include "trace/trace.h"

enum { PAGE = 4096, MOST_PAGES = 1024, KEPT_BITS = 12, KEPT = 1 << KEPT_BITS, DOUBTED = 64, ADDRESS_BITS = 48, USER_SGPRS = 31 };

struct submit_reach {
    _Atomic unsigned users;
    bool indirect;
    struct trace *trace;
    struct submit_writes writes;
    uint64_t place;
};

struct submit_tracer {
    const struct image_config *config; /* of images; NULL: nothing is known of the chip's */
    pthread_mutex_t lock;              /* guards what follows */
    struct wave_memory memory;         /* nothing: each trace brings its own */
    struct wave_cache *cache;
    uint64_t epoch; /* of programs in the cache: one for each trace, so that they are compared with what that trace sees */
    struct submit_reach *kept[KEPT];
    _Atomic uint64_t doubted[DOUBTED]; /* programs; no lock */
};

static uint64_t spread(uint64_t value)
{
    return value * UINT64_C(0x9e3779b97f4a7c15); /* 2^64 by the golden ratio */
}

/* ---- memory as a trace sees it ---- */

/* A page, or what of it one run has. */
struct page {
    struct page *next;
    uint64_t start, size;
    bool writable, discards;
    _Alignas(uint64_t) uint8_t bytes[PAGE]; /* aligned as guest memory is: code and words are read from it */
};

/* Copies, so that what is concluded from memory and what is compared with it later is the same, whoever writes meanwhile. */
struct sight {
    const struct mem_snapshot *snapshot;
    const struct submit_settle *settle; /* or NULL */
    bool brief;                         /* only the last page is of use: it is used again */
    struct page *pages;
    unsigned count;
};

static struct page *find_page(const struct sight *sight, uint64_t address)
{
    struct page *page = sight->pages;
    while (page && address - page->start >= page->size)
        page = page->next;
    return page;
}

/* The part of a page of the guest's, from where the run begins or the page does. */
static bool fill_page(const struct sight *sight, const struct mem_run *run, uint64_t address, struct page *page)
{
    uint64_t skip = run->start % PAGE, at = (address - run->start + skip) / PAGE * PAGE, first = at > skip ? at - skip : 0,
             end = at + PAGE - skip;
    page->start = run->start + first;
    page->size = (end < run->size ? end : run->size) - first;
    page->writable = run->writable;
    page->discards = run->discards;
    if (sight->settle)
        sight->settle->settle(sight->settle->user, page->start, page->size);
    return run->discards || submit_memory_read(sight->snapshot, page->start, page->bytes, page->size);
}

static struct page *add_page(struct sight *sight)
{
    if (sight->brief && sight->pages)
        return sight->pages;
    struct page *page = sight->count < MOST_PAGES ? malloc(sizeof *page) : NULL;
    if (!page)
        return NULL;
    sight->count++;
    page->size = 0;
    page->next = sight->pages;
    sight->pages = page;
    return page;
}

static enum wave_outcome find(void *user, uint64_t address, struct wave_run *run)
{
    struct sight *sight = user;
    struct mem_run found;
    uint64_t asked = address;
    address = submit_address(address);
    if (asked != address && asked >> ADDRESS_BITS)
        return WAVE_UNMAPPED;
    struct page *page = sight->brief ? NULL : find_page(sight, address);
    if (!page) {
        enum mem_outcome outcome = mem_snapshot_lookup(sight->snapshot, address, &found);
        if (outcome != MEM_DONE)
            return outcome == MEM_NOT_READY ? WAVE_NOT_READY : WAVE_UNMAPPED;
        page = add_page(sight);
        if (!page || !fill_page(sight, &found, address, page))
            return WAVE_NOT_READY;
    }
    *run = (struct wave_run){asked - (address - page->start), page->size, page->bytes, page->writable, page->discards};
    return WAVE_DONE;
}

static void finish_sight(struct sight *sight)
{
    while (sight->pages) {
        struct page *next = sight->pages->next;
        free(sight->pages);
        sight->pages = next;
    }
}

/* ---- from a trace to ranges ---- */

static void unbound(struct submit_reach *reach, enum submit_unbounded reason, uint64_t pc)
{
    if (!reach->writes.unbounded)
        reach->place = pc;
    submit_writes_unbound(&reach->writes, reason);
}

/* Addresses of the upper half may have 48 bits alone. Between the halves nothing can be mapped; apertures may lie there. */
static void add_range(struct submit_reach *reach, uint64_t start, uint64_t end)
{
    static const uint64_t half = UINT64_C(1) << 47, upper = UINT64_C(0xffff800000000000);
    if (start >= 2 * half && end <= upper)
        return;
    uint64_t first = submit_address(start);
    if (first == start || (start >= half && end <= 2 * half))
        submit_writes_add(&reach->writes, first, end - start);
    else if (start < half && end <= 2 * half) { /* across the middle */
        submit_writes_add(&reach->writes, start, half - start);
        submit_writes_add(&reach->writes, submit_address(half), end - half);
    } else {
        submit_writes_add(&reach->writes, start, end - start); /* between the halves, or out of them */
    }
}

static enum submit_unbounded reason_of(const struct trace_site *site)
{
    switch (site->space) {
    case IR_SPACE_FLAT: return SUBMIT_FLAT_STORE;
    case IR_SPACE_BUFFER:
    case IR_SPACE_SBUFFER: return SUBMIT_DEVICE_ADDRESSED;
    default: return SUBMIT_GLOBAL_STORE;
    }
}

/* Where a site's stores lie; false: that is not known. */
static bool range_of(const struct trace_site *site, uint64_t *start, uint64_t *end)
{
    const uint64_t most = UINT64_C(1) << ADDRESS_BITS; /* a window may reach over it, where addresses begin again */
    bool known = (site->place == TRACE_RANGE || (site->place != TRACE_APART && site->windowed)) &&
                 (site->start >= most || site->end <= most);
    *start = known ? site->start : 0;
    *end = known ? site->end : 0;
    return known || site->place == TRACE_APART;
}

/* one: the site in a grid of one group, where the grid is not known. A descriptor bounds its stores in any grid; others are bounded where
 * the grid does not decide it. */
static void add_site(struct submit_reach *reach, const struct trace_site *site, const struct trace_site *one)
{
    uint64_t start, end, start_one, end_one;
    if (!site->store && !site->atomic)
        return;
    bool known = range_of(site, &start, &end);
    if (!reach->indirect || site->described) {
        if (known)
            add_range(reach, start, end);
        else
            unbound(reach, reason_of(site), site->pc);
        return;
    }
    bool known_one = one && range_of(one, &start_one, &end_one);
    if (known && known_one && start == start_one && end == end_one)
        add_range(reach, start, end);
    else
        unbound(reach, known || known_one ? SUBMIT_INDIRECT_GRID : reason_of(site), site->pc);
}

static void add_sites(struct submit_reach *reach, const struct trace *one)
{
    uint32_t count;
    const struct trace_site *sites = trace_sites(reach->trace, &count);
    for (uint32_t n = 0; n < count; n++)
        add_site(reach, &sites[n], one ? trace_find(one, sites[n].pc) : NULL);
}

static void add_images(struct submit_reach *reach, const struct submit_tracer *tracer)
{
    uint32_t count;
    const struct trace_image *images = trace_images(reach->trace, &count);
    for (uint32_t n = 0; n < count; n++)
        if (!images[n].known || !submit_image_writes(&reach->writes, tracer->config, &images[n]))
            unbound(reach, SUBMIT_IMAGE_STORE, images[n].pc);
}

/* ---- making one ---- */

void submit_reach_widen(struct wave_dispatch *dispatch)
{
    for (unsigned n = 0; n < 3; n++) {
        dispatch->groups[n] = UINT32_MAX;
        dispatch->first_group[n] = 0;
        dispatch->last_threads[n] = dispatch->threads[n];
    }
}

static struct trace *make_trace(struct submit_tracer *tracer, const struct wave_dispatch *dispatch, struct sight *sight)
{
    struct wave_dispatch d = *dispatch;
    const struct trace_memory memory = {sight, find};
    d.code_epoch = ++tracer->epoch;
    return trace_create_flow(tracer->cache, &d, &memory);
}

static void fill(struct submit_reach *reach, struct submit_tracer *tracer, const struct wave_dispatch *dispatch,
                 struct sight *sight)
{
    struct trace *one = NULL;
    if (trace_gap(reach->trace)) {
        unbound(reach, SUBMIT_NOT_TRACED, 0);
        return;
    }
    if (reach->indirect) {
        struct wave_dispatch d = *dispatch;
        d.groups[0] = d.groups[1] = d.groups[2] = 1;
        one = make_trace(tracer, &d, sight);
    }
    add_sites(reach, one);
    add_images(reach, tracer);
    trace_destroy(one);
}

static struct submit_reach *make(struct submit_tracer *tracer, const struct mem_snapshot *snapshot,
                                 const struct wave_dispatch *dispatch, bool indirect)
{
    struct sight sight = {.snapshot = snapshot};
    struct submit_reach *reach = calloc(1, sizeof *reach);
    if (!reach)
        return NULL;
    atomic_init(&reach->users, 1);
    reach->indirect = indirect;
    reach->trace = make_trace(tracer, dispatch, &sight);
    if (reach->trace) {
        fill(reach, tracer, dispatch, &sight);
    } else {
        submit_reach_release(reach);
        reach = NULL;
    }
    finish_sight(&sight);
    return reach;
}

bool submit_tracer_doubts(const struct submit_tracer *tracer, uint64_t program)
{
    return atomic_load_explicit(&tracer->doubted[spread(program) % DOUBTED], memory_order_relaxed) == program;
}

static struct submit_reach **slot_of(struct submit_tracer *tracer, const struct wave_dispatch *d, bool indirect)
{
    uint64_t hash = spread(d->program + indirect);
    for (size_t n = 0; n < (d->rsrc2 >> 1 & USER_SGPRS); n++) /* those that waves see */
        hash = spread(hash ^ d->user_data[n]);
    for (unsigned n = 0; n < 3; n++)
        hash = spread(hash ^ d->groups[n]);
    return &tracer->kept[hash >> (64 - KEPT_BITS)];
}

struct submit_reach *submit_tracer_find(struct submit_tracer *tracer, const struct mem_snapshot *snapshot,
                                        const struct wave_dispatch *dispatch, bool indirect)
{
    struct wave_dispatch d = *dispatch;
    if (indirect)
        submit_reach_widen(&d);
    pthread_mutex_lock(&tracer->lock);
    struct submit_reach **kept = slot_of(tracer, &d, indirect), *reach = *kept;
    if (reach && (reach->indirect != indirect || !submit_reach_holds(reach, snapshot, &d, NULL)))
        reach = NULL;
    if (!reach && (reach = make(tracer, snapshot, &d, indirect))) {
        submit_reach_release(*kept);
        *kept = reach;
    }
    submit_reach_retain(reach);
    pthread_mutex_unlock(&tracer->lock);
    return reach;
}

struct submit_reach *submit_reach_retain(struct submit_reach *reach)
{
    if (reach)
        atomic_fetch_add_explicit(&reach->users, 1, memory_order_relaxed);
    return reach;
}

void submit_reach_release(struct submit_reach *reach)
{
    if (!reach || atomic_fetch_sub_explicit(&reach->users, 1, memory_order_acq_rel) > 1)
        return;
    trace_destroy(reach->trace);
    submit_writes_finish(&reach->writes);
    free(reach);
}

const struct submit_writes *submit_reach_writes(const struct submit_reach *reach)
{
    return &reach->writes;
}

uint64_t submit_reach_place(const struct submit_reach *reach)
{
    return reach->place;
}

bool submit_reach_holds(const struct submit_reach *reach, const struct mem_snapshot *snapshot,
                        const struct wave_dispatch *dispatch, const struct submit_settle *settle)
{
    struct sight sight = {.snapshot = snapshot, .settle = settle, .brief = true};
    const struct trace_memory memory = {&sight, find};
    struct wave_dispatch d = *dispatch;
    if (reach->indirect)
        submit_reach_widen(&d);
    bool holds = trace_holds(reach->trace, &d, &memory);
    finish_sight(&sight);
    return holds;
}

void submit_tracer_doubt(struct submit_tracer *tracer, uint64_t program)
{
    atomic_store_explicit(&tracer->doubted[spread(program) % DOUBTED], program, memory_order_relaxed);
}

/* ---- the tracer ---- */

static enum wave_outcome find_nothing(void *user, uint64_t address, struct wave_run *run)
{
    (void)user;
    (void)address;
    (void)run;
    return WAVE_UNMAPPED;
}

struct submit_tracer *submit_tracer_create(enum isa_chip_bit chip)
{
    struct submit_tracer *tracer = calloc(1, sizeof *tracer);
    if (!tracer)
        return NULL;
    pthread_mutex_init(&tracer->lock, NULL);
    tracer->config = image_config_by_target(isa_chip_name(chip));
    tracer->memory.find = find_nothing;
    tracer->cache = wave_cache_create(chip, &tracer->memory);
    if (tracer->cache)
        return tracer;
    submit_tracer_destroy(tracer);
    return NULL;
}

const struct image_config *submit_tracer_images(const struct submit_tracer *tracer)
{
    return tracer->config;
}

void submit_tracer_destroy(struct submit_tracer *tracer)
{
    if (!tracer)
        return;
    for (size_t n = 0; n < KEPT; n++)
        submit_reach_release(tracer->kept[n]);
    if (tracer->cache)
        wave_cache_destroy(tracer->cache);
    pthread_mutex_destroy(&tracer->lock);
    free(tracer);
}
