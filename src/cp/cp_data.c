/* cp_data: packets that move words: WRITE_DATA, COPY_DATA, COPY_DW, ATOMIC_MEM, COND_WRITE, MEM_SEMAPHORE. */
#include <string.h>

#include "cp/cp_internal.h"

uint8_t *cp_gds(struct cp_ring *ring, uint32_t offset, uint64_t size)
{
    if (offset <= ring->gpu->options.gds_bytes && size <= ring->gpu->options.gds_bytes - offset)
        return ring->gpu->options.gds + offset;
    cp_ring_fault(ring, CP_FAULT_GDS, offset);
    return NULL;
}

/* ---- WRITE_DATA ---- */

static void write_registers(struct cp_ring *ring, uint32_t offset, const uint32_t *data, uint32_t count, bool one_address)
{
    for (uint32_t n = 0; n < count; n++)
        cp_registers_write(ring, one_address ? offset : offset + n, data[n]);
}

static void write_gds(struct cp_ring *ring, uint32_t offset, const uint32_t *data, uint32_t count, bool one_address)
{
    uint64_t size = (one_address ? 1 : (uint64_t)count) * sizeof *data;
    uint8_t *at = cp_gds(ring, offset, size);
    if (at)
        memcpy(at, one_address ? data + count - 1 : data, size);
}

static void write_memory(struct cp_ring *ring, uint64_t address, const uint32_t *data, uint32_t count, bool one_address)
{
    if (!one_address)
        cp_memory_write(ring, address, data, (uint64_t)count * sizeof *data);
    else
        for (uint32_t n = 0; n < count; n++)
            cp_memory_write(ring, address, &data[n], sizeof *data);
}

bool cp_data_write(struct cp_ring *ring, const struct pm4_packet *packet)
{
    enum { DATA = 3 }; /* the first word of it */
    const uint32_t *data = packet->words + DATA;
    uint32_t count = packet->count - DATA;
    uint64_t where = pm4_get_quad(packet, PM4_W_WRITE_DATA_DST);
    bool one_address = pm4_get(packet, PM4_W_WRITE_DATA_ONE_ADDR);
    unsigned target = pm4_get(packet, PM4_W_WRITE_DATA_DST_SEL);
    switch (target) {
    case PM4_V_WRITE_DST_REGISTER: write_registers(ring, (uint32_t)where, data, count, one_address); break;
    case PM4_V_WRITE_DST_GDS: write_gds(ring, (uint32_t)where, data, count, one_address); break;
    case PM4_V_WRITE_DST_MEM_GRBM:
    case PM4_V_WRITE_DST_L2:
    case PM4_V_WRITE_DST_MEM: write_memory(ring, where & ~UINT64_C(3), data, count, one_address); break;
    default: return cp_ring_lose(ring, "there is no target %u", target);
    }
    return true;
}

/* ---- COPY_DATA ---- */

static bool copy_source(struct cp_ring *ring, const struct pm4_packet *packet, unsigned size, uint64_t *value)
{
    uint64_t from = pm4_get_quad(packet, PM4_W_COPY_DATA_SRC);
    unsigned source = pm4_get(packet, PM4_W_COPY_DATA_SRC_SEL);
    const uint8_t *gds;
    *value = 0;
    switch (source) {
    case PM4_V_COPY_SRC_REGISTER:
        *value = cp_registers_read(ring, (uint32_t)from);
        if (size == 8)
            *value |= (uint64_t)cp_registers_read(ring, (uint32_t)from + 1) << 32;
        return true;
    case PM4_V_COPY_SRC_MEM:
    case PM4_V_COPY_SRC_L2: cp_memory_read(ring, from & ~(uint64_t)(size - 1), value, size); return true;
    case PM4_V_COPY_SRC_GDS:
        gds = cp_gds(ring, (uint32_t)from, size);
        if (gds)
            memcpy(value, gds, size);
        return true;
    case PM4_V_COPY_SRC_PERF: return true; /* counters of performance that nothing counts */
    case PM4_V_COPY_SRC_IMMEDIATE: *value = from; return true;
    case PM4_V_COPY_SRC_ATOMIC_RETURN: *value = ring->atomic_result; return true;
    case PM4_V_COPY_SRC_TIMESTAMP: *value = cp_gpu_clock(ring->gpu); return true;
    default: return cp_ring_lose(ring, "there is no source %u", source);
    }
}

bool cp_data_copy(struct cp_ring *ring, const struct pm4_packet *packet)
{
    unsigned size = pm4_get(packet, PM4_W_COPY_DATA_COUNT_64) ? 8 : 4, target = pm4_get(packet, PM4_W_COPY_DATA_DST_SEL);
    uint64_t to = pm4_get_quad(packet, PM4_W_COPY_DATA_DST), value;
    uint8_t *gds;
    if (!copy_source(ring, packet, size, &value))
        return false;
    switch (target) {
    case PM4_V_COPY_DST_REGISTER:
        cp_registers_write(ring, (uint32_t)to, (uint32_t)value);
        if (size == 8)
            cp_registers_write(ring, (uint32_t)to + 1, (uint32_t)(value >> 32));
        return true;
    case PM4_V_COPY_DST_MEM_GRBM:
    case PM4_V_COPY_DST_L2:
    case PM4_V_COPY_DST_MEM: cp_memory_write(ring, to & ~(uint64_t)(size - 1), &value, size); return true;
    case PM4_V_COPY_DST_GDS:
        gds = cp_gds(ring, (uint32_t)to, size);
        if (gds)
            memcpy(gds, &value, size);
        return true;
    case PM4_V_COPY_DST_PERF: return true;
    default: return cp_ring_lose(ring, "there is no target %u", target);
    }
}

/* ---- COPY_DW ---- */

bool cp_data_copy_word(struct cp_ring *ring, const struct pm4_packet *packet)
{
    enum { SRC = 1, DST = 3 }; /* registers: the whole word is the offset */
    uint32_t value = pm4_get(packet, PM4_W_COPY_DW_SRC_IS_MEM) ? cp_memory_read_u32(ring, pm4_get_quad(packet, PM4_W_COPY_DW_SRC))
                                                               : cp_registers_read(ring, packet->words[SRC]);
    if (pm4_get(packet, PM4_W_COPY_DW_DST_IS_MEM))
        cp_memory_write(ring, pm4_get_quad(packet, PM4_W_COPY_DW_DST), &value, sizeof value);
    else
        cp_registers_write(ring, packet->words[DST], value);
    return true;
}

/* ---- ATOMIC_MEM ---- */

bool cp_data_atomic(struct cp_ring *ring, const struct pm4_packet *packet)
{
    struct cp_atomic atomic = {
        .op = pm4_get(packet, PM4_W_ATOMIC_MEM_OP),
        .loops = pm4_get(packet, PM4_W_ATOMIC_MEM_COMMAND) == PM4_V_ATOMIC_COMMAND_LOOP_UNTIL_COMPARE,
        .address = pm4_get_quad(packet, PM4_W_ATOMIC_MEM_ADDR),
        .source = pm4_get_quad(packet, PM4_W_ATOMIC_MEM_SRC),
        .compare = pm4_get_quad(packet, PM4_W_ATOMIC_MEM_CMP),
    };
    return cp_atomic_run(ring, &atomic);
}

/* ---- COND_WRITE ---- */

bool cp_data_cond_write(struct cp_ring *ring, const struct pm4_packet *packet)
{
    uint64_t poll = pm4_get_quad(packet, PM4_W_COND_WRITE_POLL), to = pm4_get_quad(packet, PM4_W_COND_WRITE_WRITE);
    bool memory = pm4_get(packet, PM4_W_COND_WRITE_POLL_SPACE) == PM4_V_WAIT_SPACE_MEMORY;
    uint32_t value = memory ? cp_memory_read_u32(ring, poll & ~UINT64_C(3)) : cp_registers_read(ring, (uint32_t)poll);
    uint32_t data = pm4_get(packet, PM4_W_COND_WRITE_DATA);
    if (!cp_wait_compare(pm4_get(packet, PM4_W_COND_WRITE_FUNCTION), value & pm4_get(packet, PM4_W_COND_WRITE_MASK),
                         pm4_get(packet, PM4_W_COND_WRITE_REFERENCE)))
        return true;
    switch (pm4_get(packet, PM4_W_COND_WRITE_WRITE_SPACE)) {
    case PM4_V_WRITE_SPACE_REGISTER: cp_registers_write(ring, (uint32_t)to, data); return true;
    case PM4_V_WRITE_SPACE_MEMORY: cp_memory_write(ring, to & ~UINT64_C(3), &data, sizeof data); return true;
    default: return cp_ring_lose(ring, "writes to the command processor's own scratch memory, which is not built in");
    }
}

/* ---- MEM_SEMAPHORE ---- */

bool cp_data_semaphore(struct cp_ring *ring, const struct pm4_packet *packet)
{
    uint64_t address = pm4_get_quad(packet, PM4_W_MEM_SEMAPHORE_ADDR);
    unsigned select = pm4_get(packet, PM4_W_MEM_SEMAPHORE_SEM_SEL);
    if (pm4_get(packet, PM4_W_MEM_SEMAPHORE_USE_MAILBOX))
        return cp_ring_lose(ring, "a mailbox is not supported");
    switch (select) {
    case PM4_V_SEMAPHORE_SIGNAL: return cp_atomic_signal(ring, address, pm4_get(packet, PM4_W_MEM_SEMAPHORE_SIGNAL_TYPE));
    case PM4_V_SEMAPHORE_WAIT: return cp_atomic_wait(ring, address);
    default: return cp_ring_lose(ring, "there is no semaphore operation %u", select);
    }
}
