/* cp_registers: packets that set, change and load registers. */
#include <string.h>

#include "cp/cp_internal.h"

uint32_t cp_registers_read(struct cp_ring *ring, uint32_t offset)
{
    const uint32_t *at = submit_state_register(&ring->state, offset);
    char name[64];
    if (at)
        return *at;
    cp_ring_refuse(ring, "reads register %s, which a ring does not keep: zero", pm4_register_name(offset, name, sizeof name));
    return 0;
}

void cp_registers_write(struct cp_ring *ring, uint32_t offset, uint32_t value)
{
    uint32_t *at = submit_state_register(&ring->state, offset);
    char name[64];
    if (at)
        *at = value;
    else
        cp_ring_refuse(ring, "writes register %s, which a ring does not keep: dropped",
                       pm4_register_name(offset, name, sizeof name));
}

bool cp_registers_set(struct cp_ring *ring, const struct pm4_packet *packet)
{
    return submit_state_set(&ring->state, packet) || cp_ring_lose(ring, "its registers leave their space");
}

/* count registers of a space from memory; `first` counts from the space's first. */
static bool load(struct cp_ring *ring, enum pm4_space space, uint32_t first, uint32_t count, uint64_t address)
{
    struct pm4_space_place place = pm4_space_place(space);
    if (first > place.count || count > place.count - first)
        return cp_ring_lose(ring, "registers %#x to %#x leave %s", first, first + count, place.name);
    if (count)
        cp_memory_read(ring, address, submit_state_register(&ring->state, place.first + first),
                       (uint64_t)count * sizeof(uint32_t));
    return true;
}

/* Memory holds a copy of the whole space: each pair of the packet says which part of it to take. */
bool cp_registers_load(struct cp_ring *ring, const struct pm4_packet *packet)
{
    enum { PAIRS = 2 }; /* the first word of them */
    static const struct base_field pair_place = {0, 15}, pair_count = {0, 13};
    uint64_t base = pm4_get_quad(packet, PM4_W_LOAD_SH_REG_BASE);
    for (uint32_t n = PAIRS; n + 1 < packet->count; n += 2) {
        uint32_t first = base_field_get(packet->words[n], pair_place), count = base_field_get(packet->words[n + 1], pair_count);
        if (!load(ring, (enum pm4_space)packet->row->space, first, count, base + (uint64_t)first * sizeof(uint32_t)))
            return false;
    }
    return true;
}

/* Pairs of a register's place and its value, in memory. */
static bool load_pairs(struct cp_ring *ring, enum pm4_space space, uint32_t count, uint64_t address)
{
    struct pm4_space_place place = pm4_space_place(space);
    for (uint32_t n = 0; n < count; n++) {
        uint32_t pair[2];
        if (!cp_memory_read(ring, address + n * sizeof pair, pair, sizeof pair))
            return true;
        if (pair[0] >= place.count)
            return cp_ring_lose(ring, "register %#x leaves %s", pair[0], place.name);
        *submit_state_register(&ring->state, place.first + pair[0]) = pair[1];
    }
    return true;
}

/* The _INDEX forms: memory holds the values alone, one range of registers from `address` on. */
bool cp_registers_load_index(struct cp_ring *ring, const struct pm4_packet *packet)
{
    enum pm4_space space = (enum pm4_space)packet->row->space;
    uint64_t address = pm4_get_quad(packet, PM4_W_LOAD_SH_REG_INDEX_BASE);
    uint32_t first = pm4_get(packet, PM4_W_LOAD_SH_REG_INDEX_REG), count = pm4_get(packet, PM4_W_LOAD_SH_REG_INDEX_COUNT);
    if (pm4_get(packet, PM4_W_LOAD_SH_REG_INDEX_INDEX) == PM4_V_LOAD_INDEX_OFFSET)
        address += ring->bases[PM4_V_BASE_INDIRECT_DATA];
    if (pm4_get(packet, PM4_W_LOAD_SH_REG_INDEX_FORMAT) == PM4_V_LOAD_FORMAT_OFFSET_AND_DATA)
        return load_pairs(ring, space, count, address);
    return load(ring, space, first, count, address);
}

bool cp_registers_context_rmw(struct cp_ring *ring, const struct pm4_packet *packet)
{
    uint32_t place = pm4_get(packet, PM4_W_CONTEXT_REG_RMW_REG), mask = pm4_get(packet, PM4_W_CONTEXT_REG_RMW_MASK);
    if (place >= PM4_CONTEXT_COUNT)
        return cp_ring_lose(ring, "register %#x leaves the context space", place);
    uint32_t *at = &ring->state.context[place];
    *at = (*at & ~mask) | (pm4_get(packet, PM4_W_CONTEXT_REG_RMW_DATA) & mask);
    return true;
}

bool cp_registers_rmw(struct cp_ring *ring, const struct pm4_packet *packet)
{
    uint32_t offset = pm4_get(packet, PM4_W_REG_RMW_REG);
    uint32_t and_mask = pm4_get(packet, PM4_W_REG_RMW_AND_MASK), or_mask = pm4_get(packet, PM4_W_REG_RMW_OR_MASK);
    if (pm4_get(packet, PM4_W_REG_RMW_AND_FROM_REGISTER))
        and_mask = cp_registers_read(ring, and_mask);
    if (pm4_get(packet, PM4_W_REG_RMW_OR_FROM_REGISTER))
        or_mask = cp_registers_read(ring, or_mask);
    cp_registers_write(ring, offset, (cp_registers_read(ring, offset) & and_mask) | or_mask);
    return true;
}

bool cp_registers_clear(struct cp_ring *ring, const struct pm4_packet *packet)
{
    (void)packet;
    submit_state_clear(&ring->state);
    return true;
}

/* Loads and shadows of state in memory are the kernel's, which set none up here: the bits that drivers set (UPDATE_*) have
 * nothing to act on. */
bool cp_registers_context_control(struct cp_ring *ring, const struct pm4_packet *packet)
{
    (void)ring;
    (void)packet;
    return true;
}
