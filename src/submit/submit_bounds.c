/* submit_bounds: the guest memory that one packet will write. */
#include "submit/submit_ahead.h"

static void dispatch(struct submit_writes *writes)
{
    submit_writes_unbound(writes, "dispatch not traced");
}

static void write_data(struct submit_writes *writes, const struct pm4_packet *packet)
{
    enum { DATA = 3 };
    unsigned target = pm4_get(packet, PM4_W_WRITE_DATA_DST_SEL);
    if (target != PM4_V_WRITE_DST_REGISTER && target != PM4_V_WRITE_DST_GDS)
        submit_writes_add(writes, submit_address(pm4_get_quad(packet, PM4_W_WRITE_DATA_DST)),
                          (packet->count - DATA) * sizeof(uint32_t));
}

static void copy_data(struct submit_writes *writes, const struct pm4_packet *packet)
{
    unsigned target = pm4_get(packet, PM4_W_COPY_DATA_DST_SEL);
    if (target == PM4_V_COPY_DST_MEM_GRBM || target == PM4_V_COPY_DST_L2 || target == PM4_V_COPY_DST_MEM)
        submit_writes_add(writes, submit_address(pm4_get_quad(packet, PM4_W_COPY_DATA_DST)), sizeof(uint64_t));
}

static void dma_data(struct submit_writes *writes, const struct pm4_packet *packet)
{
    unsigned target = pm4_get(packet, PM4_W_DMA_DATA_DST_SEL);
    if (target == PM4_V_DMA_DST_ADDRESS || target == PM4_V_DMA_DST_ADDRESS_L2)
        submit_writes_add(writes, submit_address(pm4_get_quad(packet, PM4_W_DMA_DATA_DST)),
                          pm4_get(packet, PM4_W_DMA_DATA_BYTE_COUNT));
}

static void release_mem(struct submit_writes *writes, const struct pm4_packet *packet)
{
    uint64_t bytes = sizeof(uint64_t);
    if (pm4_get(packet, PM4_W_RELEASE_MEM_DATA_SEL) == PM4_V_RELEASE_DATA_GDS)
        bytes = pm4_get(packet, PM4_W_RELEASE_MEM_GDS_COUNT) * (uint64_t)sizeof(uint32_t);
    if (pm4_get(packet, PM4_W_RELEASE_MEM_DATA_SEL) != PM4_V_RELEASE_DATA_NOTHING)
        submit_writes_add(writes, submit_address(pm4_get_quad(packet, PM4_W_RELEASE_MEM_ADDR)), bytes);
}

/* The samples that an event leaves: none is longer. */
static void event_write(struct submit_writes *writes, const struct pm4_packet *packet)
{
    enum { LONGEST_SAMPLE = 1024 };
    if (packet->count > 1)
        submit_writes_add(writes, submit_address(pm4_get_quad(packet, PM4_W_EVENT_WRITE_ADDR)), LONGEST_SAMPLE);
}

static void strmout_update(struct submit_writes *writes, const struct pm4_packet *packet)
{
    if (pm4_get(packet, PM4_W_STRMOUT_BUFFER_UPDATE_UPDATE_MEMORY))
        submit_writes_add(writes, submit_address(pm4_get_quad(packet, PM4_W_STRMOUT_BUFFER_UPDATE_DST)), sizeof(uint32_t));
}

void submit_bounds_pm4(struct submit_writes *writes, const struct pm4_packet *packet)
{
    switch (packet->id) {
    case PM4_WRITE_DATA: write_data(writes, packet); break;
    case PM4_COPY_DATA: copy_data(writes, packet); break;
    case PM4_DMA_DATA: dma_data(writes, packet); break;
    case PM4_RELEASE_MEM: release_mem(writes, packet); break;
    case PM4_EVENT_WRITE: event_write(writes, packet); break;
    case PM4_STRMOUT_BUFFER_UPDATE: strmout_update(writes, packet); break;
    case PM4_ATOMIC_MEM:
        submit_writes_add(writes, submit_address(pm4_get_quad(packet, PM4_W_ATOMIC_MEM_ADDR)), sizeof(uint64_t));
        break;
    case PM4_COND_WRITE:
        submit_writes_add(writes, submit_address(pm4_get_quad(packet, PM4_W_COND_WRITE_WRITE)), sizeof(uint32_t));
        break;
    case PM4_DISPATCH_DIRECT: dispatch(writes); break;
    case PM4_DISPATCH_INDIRECT:
    case PM4_DISPATCH_INDIRECT_MEC: submit_writes_unbound(writes, "indirect grid"); break;
    case PM4_COND_EXEC:
        submit_writes_unbound(writes, "COND_EXEC");
        break;      /* what follows may be read anew from the middle of a packet */
    default: break; /* draws are refused and write nothing; others write registers only */
    }
}

void submit_bounds_sdma(struct submit_writes *writes, const struct pm4_sdma_packet *packet)
{
    switch (packet->id) {
    case PM4_SDMA_COPY_LINEAR:
        submit_writes_add(writes, submit_address(pm4_sdma_get_quad(packet, PM4_SDMA_W_COPY_LINEAR_DST)),
                          (uint64_t)pm4_sdma_get(packet, PM4_SDMA_W_COPY_LINEAR_COUNT) + 1);
        break;
    case PM4_SDMA_CONST_FILL:
        submit_writes_add(writes, submit_address(pm4_sdma_get_quad(packet, PM4_SDMA_W_CONST_FILL_DST)),
                          (uint64_t)pm4_sdma_get(packet, PM4_SDMA_W_CONST_FILL_COUNT) + 1);
        break;
    case PM4_SDMA_WRITE_LINEAR:
        submit_writes_add(writes, submit_address(pm4_sdma_get_quad(packet, PM4_SDMA_W_WRITE_LINEAR_DST)),
                          packet->count * (uint64_t)sizeof(uint32_t));
        break;
    case PM4_SDMA_FENCE:
        submit_writes_add(writes, submit_address(pm4_sdma_get_quad(packet, PM4_SDMA_W_FENCE_ADDR)), sizeof(uint32_t));
        break;
    case PM4_SDMA_ATOMIC:
        submit_writes_add(writes, submit_address(pm4_sdma_get_quad(packet, PM4_SDMA_W_ATOMIC_ADDR)), sizeof(uint64_t));
        break;
    case PM4_SDMA_TIMESTAMP_GET:
    case PM4_SDMA_TIMESTAMP_GET_GLOBAL:
        submit_writes_add(writes, submit_address(pm4_sdma_get_quad(packet, PM4_SDMA_W_TIMESTAMP_GET_ADDR)), sizeof(uint64_t));
        break;
    case PM4_SDMA_NOP:
    case PM4_SDMA_TRAP:
    case PM4_SDMA_POLL_REGMEM:
    case PM4_SDMA_GCR_REQ: break;
    default: submit_writes_unbound(writes, packet->row->name); break; /* windows, conditions, calls */
    }
}
