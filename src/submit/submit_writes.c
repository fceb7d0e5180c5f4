/* submit_writes: what queued submissions will write, and waits for it. */
#include "submit/submit_writes.h"

#include <stdlib.h>

struct submit_entry {
    const struct submit_writes *writes;
    uint64_t order; /* entries are told apart by it after they are gone */
    bool blocked, distrusted;
    struct submit_entry *next, **link;
};

const char *submit_unbounded_name(enum submit_unbounded reason)
{
    static const char *const names[SUBMIT_UNBOUNDED_COUNT] = {[SUBMIT_NOT_TRACED] = "not traced",
                                                              [SUBMIT_IMAGE_STORE] = "image store",
                                                              [SUBMIT_FLAT_STORE] = "flat store",
                                                              [SUBMIT_GLOBAL_STORE] = "global store",
                                                              [SUBMIT_DEVICE_ADDRESSED] = "device-addressed",
                                                              [SUBMIT_INDIRECT_GRID] = "indirect grid",
                                                              [SUBMIT_COLOR_TARGET] = "colour target",
                                                              [SUBMIT_CHANGES] = "changes before its turn",
                                                              [SUBMIT_CONDITION] = "condition",
                                                              [SUBMIT_UNREAD] = "command memory not read",
                                                              [SUBMIT_NO_MEMORY] = "out of memory"};
    return names[reason];
}

void submit_writes_unbound(struct submit_writes *writes, enum submit_unbounded reason)
{
    writes->unbounded |= 1u << reason;
}

void submit_writes_add(struct submit_writes *writes, uint64_t start, uint64_t size)
{
    if (size && !base_spans_add(&writes->spans, base_span_make(start, size)))
        submit_writes_unbound(writes, SUBMIT_NO_MEMORY);
}

void submit_writes_join(struct submit_writes *writes, const struct submit_writes *more)
{
    writes->unbounded |= more->unbounded;
    if (!base_spans_add_all(&writes->spans, &more->spans))
        submit_writes_unbound(writes, SUBMIT_NO_MEMORY);
}

bool submit_writes_touch(const struct submit_writes *writes, uint64_t start, uint64_t size)
{
    return writes->unbounded || base_spans_overlap(&writes->spans, base_span_make(start, size));
}

void submit_writes_finish(struct submit_writes *writes)
{
    base_spans_finish(&writes->spans);
}

void submit_ledger_init(struct submit_ledger *ledger)
{
    pthread_mutex_init(&ledger->lock, NULL);
}

void submit_ledger_finish(struct submit_ledger *ledger)
{
    pthread_mutex_destroy(&ledger->lock);
}

struct submit_entry *submit_ledger_enter(struct submit_ledger *ledger, const struct submit_writes *writes)
{
    struct submit_entry *entry = calloc(1, sizeof *entry);
    if (!entry)
        return NULL;
    entry->writes = writes;
    pthread_mutex_lock(&ledger->lock);
    entry->order = ++ledger->entered;
    entry->next = ledger->first;
    entry->link = &ledger->first;
    if (entry->next)
        entry->next->link = &entry->next;
    ledger->first = entry;
    pthread_mutex_unlock(&ledger->lock);
    return entry;
}

void submit_ledger_retire(struct submit_ledger *ledger, struct submit_entry *entry)
{
    pthread_mutex_lock(&ledger->lock);
    *entry->link = entry->next;
    if (entry->next)
        entry->next->link = entry->link;
    pthread_mutex_unlock(&ledger->lock);
    free(entry);
    submit_bell_ring(&ledger->changed);
}

void submit_ledger_block(struct submit_ledger *ledger, struct submit_entry *entry, bool blocked)
{
    pthread_mutex_lock(&ledger->lock);
    entry->blocked = blocked;
    pthread_mutex_unlock(&ledger->lock);
    submit_bell_ring(&ledger->changed);
}

void submit_ledger_distrust(struct submit_ledger *ledger, struct submit_entry *entry)
{
    pthread_mutex_lock(&ledger->lock);
    entry->distrusted = true;
    atomic_fetch_add(&ledger->distrusts, 1);
    pthread_mutex_unlock(&ledger->lock);
}

/* The newest entry up to `limit` that may write there; 0: none. */
static uint64_t newest(struct submit_ledger *ledger, uint64_t limit, uint64_t start, uint64_t size, bool *blocked)
{
    uint64_t found = 0;
    pthread_mutex_lock(&ledger->lock);
    for (struct submit_entry *at = ledger->first; at; at = at->next) {
        *blocked |= at->blocked;
        if (!found && at->order <= limit && (at->distrusted || submit_writes_touch(at->writes, start, size)))
            found = at->order;
    }
    pthread_mutex_unlock(&ledger->lock);
    return found;
}

enum submit_ready submit_ledger_settle(struct submit_ledger *ledger, uint64_t start, uint64_t size)
{
    uint64_t limit = UINT64_MAX;
    for (;;) {
        uint32_t seen = submit_bell_look(&ledger->changed);
        bool blocked = false;
        uint64_t found = newest(ledger, limit, start, size, &blocked);
        if (!found)
            return limit == UINT64_MAX ? SUBMIT_READY : SUBMIT_WAITED;
        if (blocked)
            return SUBMIT_NOT_READY;
        limit = found;
        submit_bell_sleep(&ledger->changed, seen, SUBMIT_FOREVER);
    }
}
