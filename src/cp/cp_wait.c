/* cp_wait: comparisons, and a ring's waits: for a word of memory that others write, and for fences. */
#include "cp/cp_internal.h"

/* A word that another ring writes comes within microseconds or much later: a short spin, then sleep. Rings and API calls that
 * write wake the sleeper; what else writes (the program through a pointer, a dispatch that still runs) is seen at the end of a
 * nap. */
static const uint64_t spin_ns = 10000, first_nap_ns = 20000, longest_nap_ns = 1000000;

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

static bool holds(struct cp_ring *ring, const struct cp_wait *wait, bool *mapped)
{
    uint64_t value = 0;
    *mapped = cp_memory_peek(ring, wait->address, &value, wait->wide ? 8 : 4);
    return cp_wait_compare(wait->function, value & wait->mask, wait->reference);
}

/* Somebody of this GPU gets on, or is busy under a watchdog of its own. */
struct pulse {
    uint64_t progress, since;
};

static bool stalled(struct cp_gpu *gpu, struct pulse *pulse)
{
    uint64_t progress = atomic_load_explicit(&gpu->progress, memory_order_relaxed), now = submit_now();
    if (progress != pulse->progress || atomic_load(&gpu->running)) {
        *pulse = (struct pulse){progress, now};
        return false;
    }
    return gpu->options.timeout_s > 0 && (double)(now - pulse->since) > gpu->options.timeout_s * 1e9;
}

/* Sleeps between looks, longer and longer. */
static bool sleep_until(struct cp_ring *ring, const struct cp_wait *wait)
{
    struct cp_gpu *gpu = ring->gpu;
    struct pulse pulse = {atomic_load(&gpu->progress), submit_now()};
    uint64_t nap = first_nap_ns;
    bool mapped, given_up = false, stop;
    for (;;) {
        uint32_t seen = submit_bell_look(&gpu->written);
        stop = atomic_load(&ring->stop);
        if (holds(ring, wait, &mapped) || stop || given_up)
            break;
        if (!submit_bell_sleep(&gpu->written, seen, submit_deadline(nap)))
            nap = nap * 2 < longest_nap_ns ? nap * 2 : longest_nap_ns;
        given_up = stalled(gpu, &pulse);
    }
    if (holds(ring, wait, &mapped))
        return true;
    if (stop)
        return cp_ring_lose(ring, "given up while it waited for memory at %#llx",
                            (unsigned long long)submit_address(wait->address));
    return cp_ring_lose(ring, "waited %g s in vain for memory at %#llx%s", gpu->options.timeout_s,
                        (unsigned long long)submit_address(wait->address), mapped ? "" : ", which is not mapped");
}

bool cp_wait_until(struct cp_ring *ring, const struct cp_wait *wait)
{
    struct cp_gpu *gpu = ring->gpu;
    bool mapped;
    if (holds(ring, wait, &mapped)) {
        cp_ring_count_wait(ring, "memory", submit_address(wait->address), 0);
        return true;
    }
    if (wait->function > PM4_V_COMPARE_GREATER)
        return cp_ring_lose(ring, "there is no comparison %u", wait->function);
    uint64_t start = submit_now(), end = start + spin_ns;
    while (submit_now() < end)
        if (holds(ring, wait, &mapped)) {
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
