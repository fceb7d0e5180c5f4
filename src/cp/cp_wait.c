/* cp_wait: comparisons, and a ring's waits: for a word of memory that others write, and for fences. */
#include <stdio.h>

#include "cp/cp_internal.h"

/* A word that another ring writes comes within microseconds or much later: a short spin, then sleep. Rings and API calls that
 * write wake the sleeper; what else writes (the program through a pointer, a dispatch that still runs) is seen at the end of a
 * nap. */
static const uint64_t spin_ns = 10000, first_nap_ns = 20000, longest_nap_ns = 1000000;
static const uint64_t tell_ns = 10000000000; /* of no progress, before the log names what a ring waits for */

bool cp_wait_compare(unsigned function, uint64_t value, uint64_t reference)
{
    switch (function) {
    case PM4_V_COMPARE_ALWAYS: return true;
    case PM4_V_COMPARE_LESS: return value < reference;
    case PM4_V_COMPARE_LESS_EQUAL: return value <= reference;
    case PM4_V_COMPARE_EQUAL: return value == reference;
    case PM4_V_COMPARE_NOT_EQUAL: return value != reference;
    case PM4_V_COMPARE_GREATER_EQUAL: return value >= reference;
    case PM4_V_COMPARE_GREATER: return value > reference;
    default: return false;
    }
}

/* What memory held when a wait last looked. */
struct look {
    bool mapped;
    uint64_t value;
};

static bool holds(struct cp_ring *ring, const struct cp_wait *wait, struct look *look)
{
    look->value = 0;
    look->mapped = cp_memory_peek(ring, wait->address, &look->value, wait->wide ? 8 : 4);
    if (wait->float_equal)
        return cp_atomic_floats_equal(wait->wide, look->value, wait->reference);
    return cp_wait_compare(wait->function, look->value & wait->mask, wait->reference);
}

/* "memory at 0x1000 & 0xff == 0x1; it holds 0x0" */
static void describe(const struct cp_wait *wait, const struct look *look, char *text, size_t size)
{
    static const char *const signs[] = {
        [PM4_V_COMPARE_ALWAYS] = "is anything", [PM4_V_COMPARE_LESS] = "<",       [PM4_V_COMPARE_LESS_EQUAL] = "<=",
        [PM4_V_COMPARE_EQUAL] = "==",           [PM4_V_COMPARE_NOT_EQUAL] = "!=", [PM4_V_COMPARE_GREATER_EQUAL] = ">=",
        [PM4_V_COMPARE_GREATER] = ">"};
    uint64_t whole = wait->wide ? UINT64_MAX : UINT32_MAX;
    char mask[32] = "", seen[64] = "which is not mapped";
    if ((wait->mask & whole) != whole)
        snprintf(mask, sizeof mask, " & %#llx", (unsigned long long)wait->mask);
    if (look->mapped)
        snprintf(seen, sizeof seen, "it holds %#llx", (unsigned long long)look->value);
    snprintf(text, size, "%s at %#llx%s %s %#llx; %s", wait->wide ? "64 bits" : "32 bits",
             (unsigned long long)submit_address(wait->address), mask, wait->float_equal ? "== (float)" : signs[wait->function],
             (unsigned long long)wait->reference, seen);
}

/* How long nobody of this GPU got on, nor was busy under a watchdog of its own. */
struct pulse {
    uint64_t progress, last, still_ns;
};

/* A look counts for no more than a few naps: while the process was stopped, nobody could have got on. */
static void beat(struct cp_gpu *gpu, struct pulse *pulse)
{
    const uint64_t longest_ns = 8 * longest_nap_ns;
    uint64_t progress = atomic_load_explicit(&gpu->progress, memory_order_relaxed), now = submit_now(),
             passed = now - pulse->last;
    pulse->last = now;
    pulse->still_ns += passed < longest_ns ? passed : longest_ns;
    if (progress != pulse->progress || atomic_load(&gpu->running))
        pulse->still_ns = 0;
    pulse->progress = progress;
}

/* Long before it is given up, a wait is named in the log: whoever looks at what seems to hang sees what it waits for. */
static void tell(struct cp_ring *ring, const struct cp_wait *wait, const struct look *look)
{
    char what[256], text[512];
    describe(wait, look, what, sizeof what);
    snprintf(text, sizeof text, "queue '%s', submission %llu: still waits for %s", ring->record->name,
             (unsigned long long)ring->work->number, what);
    cp_gpu_log(ring->gpu, false, text);
}

/* Sleeps between looks, longer and longer. */
static bool sleep_until(struct cp_ring *ring, const struct cp_wait *wait)
{
    struct cp_gpu *gpu = ring->gpu;
    double timeout_ns = gpu->options.timeout_s * 1e9;
    struct pulse pulse = {atomic_load(&gpu->progress), submit_now(), 0};
    struct look look;
    uint64_t nap = first_nap_ns;
    bool given_up = false, stop, told = false;
    char what[256];
    for (;;) {
        uint32_t seen = submit_bell_look(&gpu->written);
        stop = atomic_load(&ring->stop);
        if (holds(ring, wait, &look))
            return true;
        if (stop || given_up)
            break;
        if (!submit_bell_sleep(&gpu->written, seen, submit_deadline(nap)))
            nap = nap * 2 < longest_nap_ns ? nap * 2 : longest_nap_ns;
        beat(gpu, &pulse);
        if (!told && pulse.still_ns > tell_ns) {
            told = true;
            tell(ring, wait, &look);
        }
        given_up = gpu->options.timeout_s > 0 && (double)pulse.still_ns > timeout_ns;
    }
    describe(wait, &look, what, sizeof what);
    if (stop)
        return cp_ring_lose(ring, "given up while it waited for %s", what);
    return cp_ring_lose(ring, "waited %g s in vain for %s", gpu->options.timeout_s, what);
}

bool cp_wait_until(struct cp_ring *ring, const struct cp_wait *wait)
{
    struct cp_gpu *gpu = ring->gpu;
    struct look look;
    if (holds(ring, wait, &look)) {
        cp_ring_count_wait(ring, "memory", submit_address(wait->address), 0);
        return true;
    }
    if (wait->function > PM4_V_COMPARE_GREATER)
        return cp_ring_lose(ring, "there is no comparison %u", wait->function);
    uint64_t start = submit_now(), end = start + spin_ns;
    while (submit_now() < end)
        if (holds(ring, wait, &look)) {
            cp_ring_count_wait(ring, "memory", submit_address(wait->address), submit_now() - start);
            return true;
        }
    atomic_fetch_add(&gpu->watchers, 1);
    if (ring->work->entry)
        submit_ledger_block(&gpu->ledger, ring->work->entry, true);
    bool held = sleep_until(ring, wait);
    if (ring->work->entry)
        submit_ledger_block(&gpu->ledger, ring->work->entry, false);
    atomic_fetch_sub(&gpu->watchers, 1);
    cp_ring_count_wait(ring, "memory", submit_address(wait->address), submit_now() - start);
    return held;
}

bool cp_wait_fence(struct cp_ring *ring, struct submit_fence *fence)
{
    if (submit_fence_look(fence) != SUBMIT_FENCE_PENDING)
        return true;
    struct submit_listener listener = {.bell = &ring->queue.filled};
    uint64_t start = submit_now();
    if (ring->work->entry)
        submit_ledger_block(&ring->gpu->ledger, ring->work->entry, true);
    if (submit_fence_listen(fence, &listener)) {
        for (;;) {
            uint32_t seen = submit_bell_look(&ring->queue.filled);
            if (submit_fence_look(fence) != SUBMIT_FENCE_PENDING || atomic_load(&ring->stop))
                break;
            if (!submit_bell_spin(&ring->queue.filled, seen, spin_ns))
                submit_bell_sleep(&ring->queue.filled, seen, SUBMIT_FOREVER);
        }
        submit_fence_unlisten(fence, &listener);
    }
    if (ring->work->entry)
        submit_ledger_block(&ring->gpu->ledger, ring->work->entry, false);
    cp_ring_count_wait(ring, "fence", 0, submit_now() - start);
    return submit_fence_look(fence) != SUBMIT_FENCE_PENDING || cp_ring_lose(ring, "given up while it waited for a fence");
}
