/* cp_flow: packets that steer the stream: calls and chains, conditions, predicates, waits. */
#include "cp/cp_internal.h"

bool cp_flow_indirect_buffer(struct cp_ring *ring, const struct pm4_packet *packet)
{
    uint64_t address = submit_address(pm4_get_quad(packet, PM4_W_INDIRECT_BUFFER_BASE));
    uint32_t words = pm4_get(packet, PM4_W_INDIRECT_BUFFER_SIZE);
    if (!pm4_get(packet, PM4_W_INDIRECT_BUFFER_CHAIN))
        return cp_stream_call(ring, address, words);
    ring->chain = (struct cp_chain){true, address, words};
    return true;
}

/* For the first of several linked devices, which this is. */
bool cp_flow_pred_exec(struct cp_ring *ring, const struct pm4_packet *packet)
{
    return (pm4_get(packet, PM4_W_PRED_EXEC_DEVICE_SELECT) & 1) ||
           cp_stream_skip(ring, packet->offset + 1 + packet->count, pm4_get(packet, PM4_W_PRED_EXEC_COUNT));
}

bool cp_flow_cond_exec(struct cp_ring *ring, const struct pm4_packet *packet)
{
    uint32_t count = pm4_get(packet, PM4_W_COND_EXEC_COUNT);
    if (cp_memory_read_u32(ring, pm4_get_quad(packet, PM4_W_COND_EXEC_ADDR)) == 0)
        return cp_stream_skip(ring, packet->offset + 1 + packet->count, count);
    return true;
}

/* ---- SET_PREDICATION ---- */

/* Whether a pixel passed between the two counts that each render backend left. */
static bool pixels_passed(struct cp_ring *ring, uint64_t address)
{
    bool passed = false;
    for (unsigned n = 0; n < ring->gpu->options.render_backends; n++) {
        uint64_t pair[2];
        if (!cp_memory_read(ring, address + n * sizeof pair, pair, sizeof pair))
            return passed;
        passed |= pair[0] << 1 != pair[1] << 1; /* the top bit says that the count is there */
    }
    return passed;
}

/* Whether all primitives that needed room in a stream-out buffer were written: from two samples of (written, needed). */
static bool primitives_fit(struct cp_ring *ring, uint64_t address)
{
    uint64_t samples[2][2];
    cp_memory_read(ring, address, samples, sizeof samples);
    return samples[1][0] - samples[0][0] == samples[1][1] - samples[0][1];
}

bool cp_flow_set_predication(struct cp_ring *ring, const struct pm4_packet *packet)
{
    unsigned op = pm4_get(packet, PM4_W_SET_PREDICATION_OP);
    uint64_t address = (uint64_t)packet->words[2] << 32 | packet->words[1];
    bool visible;
    switch (op) {
    case PM4_V_PREDICATION_CLEAR: ring->predicate = (struct cp_predicate){0}; return true;
    case PM4_V_PREDICATION_ZPASS: visible = pixels_passed(ring, address & ~UINT64_C(15)); break;
    case PM4_V_PREDICATION_PRIMCOUNT: visible = primitives_fit(ring, address & ~UINT64_C(15)); break;
    case PM4_V_PREDICATION_BOOL64: visible = cp_memory_read_u64(ring, address & ~UINT64_C(7)) != 0; break;
    case PM4_V_PREDICATION_BOOL32: visible = cp_memory_read_u32(ring, address & ~UINT64_C(3)) != 0; break;
    default: return cp_ring_lose(ring, "there is no predicate %u", op);
    }
    /* A predicate may be set piece by piece: visible when any piece is. */
    if (pm4_get(packet, PM4_W_SET_PREDICATION_CONTINUE))
        visible |= ring->predicate.visible;
    ring->predicate.visible = visible;
    ring->predicate.skips = visible != (bool)pm4_get(packet, PM4_W_SET_PREDICATION_DRAW_VISIBLE);
    return true;
}

/* ---- waits ---- */

/* Nobody but this stream writes its registers: what does not hold now never will. */
static bool wait_register(struct cp_ring *ring, const struct cp_wait *wait)
{
    char name[64];
    uint64_t value = cp_registers_read(ring, (uint32_t)wait->address);
    if (wait->wide)
        value |= (uint64_t)cp_registers_read(ring, (uint32_t)wait->address + 1) << 32;
    cp_ring_count_wait(ring, "register", wait->address, 0);
    if (cp_wait_compare(wait->function, value & wait->mask, wait->reference))
        return true;
    return cp_ring_lose(ring, "waits for register %s, which nobody will change",
                        pm4_register_name((uint32_t)wait->address, name, sizeof name));
}

/* The stream stops until the packet's own word in memory is valid; what follows may have been written meanwhile. */
bool cp_flow_rewind(struct cp_ring *ring, const struct pm4_packet *packet)
{
    const uint32_t valid = UINT32_C(1) << 31;
    uint32_t body = packet->offset + 1;
    struct cp_wait wait = {.memory = true,
                           .function = PM4_V_COMPARE_EQUAL,
                           .address = ring->ib->address + body * sizeof(uint32_t),
                           .reference = valid,
                           .mask = valid};
    if (!cp_wait_until(ring, &wait))
        return false;
    cp_stream_read_on(ring, body + packet->count);
    return true;
}

static bool wait_for(struct cp_ring *ring, const struct cp_wait *wait, unsigned operation)
{
    if (operation == PM4_V_WAIT_OPERATION_WRITE_WAIT_WRITE)
        return cp_ring_lose(ring, "writes a register and waits for another, which only the kernel has a use for");
    return wait->memory ? cp_wait_until(ring, wait) : wait_register(ring, wait);
}

bool cp_flow_wait_reg_mem(struct cp_ring *ring, const struct pm4_packet *packet)
{
    struct cp_wait wait = {
        .memory = pm4_get(packet, PM4_W_WAIT_REG_MEM_MEM_SPACE) == PM4_V_WAIT_SPACE_MEMORY,
        .function = pm4_get(packet, PM4_W_WAIT_REG_MEM_FUNCTION),
        .address = pm4_get_quad(packet, PM4_W_WAIT_REG_MEM_ADDR),
        .reference = pm4_get(packet, PM4_W_WAIT_REG_MEM_REFERENCE),
        .mask = pm4_get(packet, PM4_W_WAIT_REG_MEM_MASK),
    };
    if (wait.memory)
        wait.address &= ~UINT64_C(3);
    return wait_for(ring, &wait, pm4_get(packet, PM4_W_WAIT_REG_MEM_OPERATION));
}

bool cp_flow_wait_reg_mem64(struct cp_ring *ring, const struct pm4_packet *packet)
{
    struct cp_wait wait = {
        .memory = pm4_get(packet, PM4_W_WAIT_REG_MEM64_MEM_SPACE) == PM4_V_WAIT_SPACE_MEMORY,
        .wide = true,
        .function = pm4_get(packet, PM4_W_WAIT_REG_MEM64_FUNCTION),
        .address = pm4_get_quad(packet, PM4_W_WAIT_REG_MEM64_ADDR),
        .reference = pm4_get_quad(packet, PM4_W_WAIT_REG_MEM64_REFERENCE),
        .mask = pm4_get_quad(packet, PM4_W_WAIT_REG_MEM64_MASK),
    };
    if (wait.memory)
        wait.address &= ~UINT64_C(7);
    return wait_for(ring, &wait, pm4_get(packet, PM4_W_WAIT_REG_MEM64_OPERATION));
}
