/* cp_stream: walks the packets of a stretch of command memory and has each carried out. */
#include "cp/cp_internal.h"

bool cp_stream_skip(struct cp_ring *ring, uint32_t end, uint32_t count)
{
    if (count > ring->ib->count - end)
        return cp_ring_lose(ring, "skips %u words, %u are left", count, ring->ib->count - end);
    if (count)
        ring->skip_to = end + count;
    return true;
}

void cp_stream_read_on(struct cp_ring *ring, uint32_t end)
{
    ring->chain = (struct cp_chain){true, ring->ib->address + end * sizeof(uint32_t), ring->ib->count - end};
}

/* Calls nest as deep as any guest has use for (the hardware has two levels), and a stream that jumps without end is no stream. */
enum { MAX_LEVEL = 8, MAX_JUMPS = 1 << 20, MAX_WALKED = 1 << 28 };

/* ---- one packet ---- */

static bool run_pm4(struct cp_ring *ring, const struct pm4_packet *packet)
{
    ring->at = packet->offset;
    if (!packet->row) {
        ring->packet_name = "type 0";
        return submit_state_set(&ring->state, packet) || cp_ring_lose(ring, "its registers leave their space");
    }
    ring->packet_name = packet->row->name;
    cp_count_add(&ring->record->packets[packet->id], 1);
    unsigned bit = 1u << (ring->kind == SUBMIT_COMPUTE ? PM4_RING_COMPUTE : PM4_RING_GRAPHICS);
    if (!(packet->row->rings & bit))
        return cp_ring_lose(ring, "no packet for this ring");
    if (packet->predicate && ring->predicate.skips)
        return true;
    cp_handler handler = cp_table_handler((enum pm4_packet_id)packet->id);
    if (handler)
        return handler(ring, packet);
    return (packet->row->flags & PM4_IGNORABLE) || cp_ring_lose(ring, "the packet is not supported");
}

static bool run_sdma(struct cp_ring *ring, const struct pm4_sdma_packet *packet)
{
    ring->at = packet->offset;
    ring->packet_name = packet->row->name;
    cp_count_add(&ring->record->packets[packet->id], 1);
    if (!packet->row->guest)
        return cp_ring_lose(ring, "no packet for a guest");
    cp_sdma_handler handler = cp_table_sdma_handler((enum pm4_sdma_id)packet->id);
    return handler ? handler(ring, packet) : cp_ring_lose(ring, "the packet is not supported");
}

static bool run_packet(struct cp_ring *ring, const struct submit_packet *packet)
{
    ring->faulted = 0;
    ring->ahead = packet->ahead;
    ring->now.packets++;
    return ring->kind == SUBMIT_SDMA ? run_sdma(ring, &packet->sdma) : run_pm4(ring, &packet->pm4);
}

static uint32_t offset_of(const struct cp_ring *ring, const struct submit_packet *packet)
{
    return ring->kind == SUBMIT_SDMA ? packet->sdma.offset : packet->pm4.offset;
}

static uint32_t end_of(const struct cp_ring *ring, const struct submit_packet *packet)
{
    return ring->kind == SUBMIT_SDMA ? packet->sdma.offset + packet->sdma.count : packet->pm4.offset + 1 + packet->pm4.count;
}

/* ---- a stretch ---- */

/* Where a skip leads: the number of the first packet from `skip_to` on; false when that word is inside what was read as a
 * packet (or behind where reading ended): then the stretch has to be read anew from there. */
static bool find_skipped_to(const struct cp_ring *ring, const struct submit_ib *ib, size_t *number)
{
    size_t n = *number;
    while (n < ib->packet_count && offset_of(ring, &ib->packets[n]) < ring->skip_to)
        n++;
    *number = n;
    return end_of(ring, &ib->packets[n - 1]) <= ring->skip_to && (n < ib->packet_count || !ib->bad);
}

/* What follows a skip is read as a stretch of its own: the stream goes on there as after a chain. */
static void chain_to_rest(struct cp_ring *ring, const struct submit_ib *ib)
{
    ring->chain = (struct cp_chain){true, ib->address + ring->skip_to * sizeof(uint32_t), ib->count - ring->skip_to};
    ring->skip_to = 0;
}

static bool run_packets(struct cp_ring *ring, struct submit_ib *ib)
{
    ring->now.packets += ib->pads;
    if (ib->pads)
        cp_count_add(&ring->record->packets[ring->kind == SUBMIT_SDMA ? (unsigned)PM4_SDMA_NOP : (unsigned)PM4_NOP], ib->pads);
    for (size_t n = 0; n < ib->packet_count;) {
        if (atomic_load_explicit(&ring->stop, memory_order_relaxed))
            return cp_ring_lose(ring, "given up");
        if (!run_packet(ring, &ib->packets[n++]))
            return false;
        if (ring->chain.set)
            return true;
        if (ring->skip_to) {
            if (!find_skipped_to(ring, ib, &n)) {
                chain_to_rest(ring, ib);
                return true;
            }
            ring->skip_to = 0;
        }
    }
    ring->packet_name = NULL;
    return !ib->bad || cp_ring_lose(ring, "%s", ib->bad);
}

static struct submit_ib *enter(struct cp_ring *ring, uint64_t address, uint32_t words)
{
    struct base_error error;
    struct submit_ib *ib = submit_work_ib(ring->work, address, words, &error);
    if (!ib)
        cp_ring_lose(ring, "indirect buffer %#llx, %u words: %s", (unsigned long long)address, words, error.text);
    else if (!ib->walked)
        cp_reach_distrust(ring);
    return ib;
}

bool cp_stream_run(struct cp_ring *ring, uint64_t address, uint32_t words)
{
    struct submit_ib *outer = ring->ib;
    struct cp_chain chain = {true, address, words};
    bool good = true;
    while (good && chain.set && chain.words) {
        ring->walked += chain.words;
        if (ring->jumps++ > MAX_JUMPS)
            return cp_ring_lose(ring, "more than %d calls and chains in one submission", MAX_JUMPS);
        if (ring->walked > MAX_WALKED)
            return cp_ring_lose(ring, "more than %d words in one submission: it goes round in circles", MAX_WALKED);
        if (atomic_load_explicit(&ring->stop, memory_order_relaxed))
            return cp_ring_lose(ring, "given up");
        struct submit_ib *ib = enter(ring, chain.address, chain.words);
        if (!ib)
            return false;
        ring->ib = ib;
        ring->chain.set = false;
        ib->users++;
        good = run_packets(ring, ib);
        ib->users--;
        chain = ring->chain;
    }
    ring->chain.set = false;
    ring->ib = outer;
    return good;
}

bool cp_stream_call(struct cp_ring *ring, uint64_t address, uint32_t words)
{
    if (ring->level + 1 == MAX_LEVEL)
        return cp_ring_lose(ring, "calls nest deeper than %d", MAX_LEVEL);
    ring->level++;
    bool done = cp_stream_run(ring, address, words);
    ring->level--;
    return done;
}
