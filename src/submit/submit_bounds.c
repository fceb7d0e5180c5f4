/* submit_bounds: the guest memory that one packet will write. */
#include "submit/submit_ahead.h"

/* A packet's target; some round their address down to the size of what they write, which is never more than 8. */
static void add(struct submit_writes *writes, uint64_t address, uint64_t bytes)
{
    enum { LONGEST_WORD = 8 };
    if (bytes)
        submit_writes_add(writes, submit_address(address) & ~(uint64_t)(LONGEST_WORD - 1), bytes + LONGEST_WORD - 1);
}

static void write_data(struct submit_writes *writes, const struct pm4_packet *packet)
{
    enum { DATA = 3 };
    unsigned target = pm4_get(packet, PM4_W_WRITE_DATA_DST_SEL);
    if (target != PM4_V_WRITE_DST_REGISTER && target != PM4_V_WRITE_DST_GDS)
        add(writes, pm4_get_quad(packet, PM4_W_WRITE_DATA_DST), (packet->count - DATA) * sizeof(uint32_t));
}

static void copy_data(struct submit_writes *writes, const struct pm4_packet *packet)
{
    unsigned target = pm4_get(packet, PM4_W_COPY_DATA_DST_SEL);
    if (target == PM4_V_COPY_DST_MEM_GRBM || target == PM4_V_COPY_DST_L2 || target == PM4_V_COPY_DST_MEM)
        add(writes, pm4_get_quad(packet, PM4_W_COPY_DATA_DST), sizeof(uint64_t));
}

static void dma_data(struct submit_writes *writes, const struct pm4_packet *packet)
{
    unsigned target = pm4_get(packet, PM4_W_DMA_DATA_DST_SEL);
    if (target == PM4_V_DMA_DST_ADDRESS || target == PM4_V_DMA_DST_ADDRESS_L2)
        add(writes, pm4_get_quad(packet, PM4_W_DMA_DATA_DST), pm4_get(packet, PM4_W_DMA_DATA_BYTE_COUNT));
}

static void release_mem(struct submit_writes *writes, const struct pm4_packet *packet)
{
    uint64_t bytes = sizeof(uint64_t);
    if (pm4_get(packet, PM4_W_RELEASE_MEM_DATA_SEL) == PM4_V_RELEASE_DATA_GDS)
        bytes = pm4_get(packet, PM4_W_RELEASE_MEM_GDS_COUNT) * (uint64_t)sizeof(uint32_t);
    if (pm4_get(packet, PM4_W_RELEASE_MEM_DATA_SEL) != PM4_V_RELEASE_DATA_NOTHING)
        add(writes, pm4_get_quad(packet, PM4_W_RELEASE_MEM_ADDR), bytes);
}

/* The samples that an event leaves: none is longer. */
static void event_write(struct submit_writes *writes, const struct pm4_packet *packet)
{
    enum { LONGEST_SAMPLE = 1024 };
    if (packet->count > 1)
        add(writes, pm4_get_quad(packet, PM4_W_EVENT_WRITE_ADDR), LONGEST_SAMPLE);
}

static void strmout_update(struct submit_writes *writes, const struct pm4_packet *packet)
{
    if (pm4_get(packet, PM4_W_STRMOUT_BUFFER_UPDATE_UPDATE_MEMORY))
        add(writes, pm4_get_quad(packet, PM4_W_STRMOUT_BUFFER_UPDATE_DST), sizeof(uint32_t));
}

static void event_write_eos(struct submit_writes *writes, const struct pm4_packet *packet)
{
    uint64_t words = 1;
    if (pm4_get(packet, PM4_W_EVENT_WRITE_EOS_DATA_SEL) == PM4_V_EOS_DATA_GDS)
        words = pm4_get(packet, PM4_W_EVENT_WRITE_EOS_GDS_COUNT);
    add(writes, pm4_get_quad(packet, PM4_W_EVENT_WRITE_EOS_ADDR), words * sizeof(uint32_t));
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
    case PM4_ATOMIC_MEM: add(writes, pm4_get_quad(packet, PM4_W_ATOMIC_MEM_ADDR), sizeof(uint64_t)); break;
    case PM4_COND_WRITE: add(writes, pm4_get_quad(packet, PM4_W_COND_WRITE_WRITE), sizeof(uint32_t)); break;
    case PM4_COPY_DW:
        if (pm4_get(packet, PM4_W_COPY_DW_DST_IS_MEM))
            add(writes, pm4_get_quad(packet, PM4_W_COPY_DW_DST), sizeof(uint32_t));
        break;
    case PM4_CP_DMA: add(writes, pm4_get_quad(packet, PM4_W_CP_DMA_DST), pm4_get(packet, PM4_W_CP_DMA_BYTE_COUNT)); break;
    case PM4_MEM_SEMAPHORE: add(writes, pm4_get_quad(packet, PM4_W_MEM_SEMAPHORE_ADDR), sizeof(uint64_t)); break;
    case PM4_EVENT_WRITE_EOP: add(writes, pm4_get_quad(packet, PM4_W_EVENT_WRITE_EOP_ADDR), sizeof(uint64_t)); break;
    case PM4_EVENT_WRITE_EOS: event_write_eos(writes, packet); break;
    case PM4_REWIND:
    case PM4_COND_EXEC:
        submit_writes_unbound(writes, SUBMIT_CONDITION);
        break;      /* what follows may be read anew, also from the middle of a packet */
    default: break; /* draws are refused and write nothing; others write registers only */
    }
}

/* From the window's first element to its last; what lies between its rows is not written, but counted in. */
static void sub_window(struct submit_writes *writes, const struct pm4_sdma_packet *p)
{
    unsigned shift = pm4_sdma_get(p, PM4_SDMA_W_COPY_LINEAR_SUB_WINDOW_ELEMENT_SIZE);
    uint64_t pitch = (uint64_t)pm4_sdma_get(p, PM4_SDMA_W_COPY_LINEAR_SUB_WINDOW_DST_PITCH) + 1,
             slice = (uint64_t)pm4_sdma_get(p, PM4_SDMA_W_COPY_LINEAR_SUB_WINDOW_DST_SLICE_PITCH) + 1;
    uint64_t first = pm4_sdma_get(p, PM4_SDMA_W_COPY_LINEAR_SUB_WINDOW_DST_X) +
                     pm4_sdma_get(p, PM4_SDMA_W_COPY_LINEAR_SUB_WINDOW_DST_Y) * pitch +
                     pm4_sdma_get(p, PM4_SDMA_W_COPY_LINEAR_SUB_WINDOW_DST_Z) * slice;
    uint64_t count = pm4_sdma_get(p, PM4_SDMA_W_COPY_LINEAR_SUB_WINDOW_RECT_X) +
                     pm4_sdma_get(p, PM4_SDMA_W_COPY_LINEAR_SUB_WINDOW_RECT_Y) * pitch +
                     pm4_sdma_get(p, PM4_SDMA_W_COPY_LINEAR_SUB_WINDOW_RECT_Z) * slice + 1;
    add(writes, pm4_sdma_get_quad(p, PM4_SDMA_W_COPY_LINEAR_SUB_WINDOW_DST) + (first << shift), count << shift);
}

void submit_bounds_sdma(struct submit_writes *writes, const struct pm4_sdma_packet *packet)
{
    switch (packet->id) {
    case PM4_SDMA_COPY_LINEAR:
        add(writes, pm4_sdma_get_quad(packet, PM4_SDMA_W_COPY_LINEAR_DST),
            (uint64_t)pm4_sdma_get(packet, PM4_SDMA_W_COPY_LINEAR_COUNT) + 1);
        break;
    case PM4_SDMA_COPY_LINEAR_BROADCAST:
        add(writes, pm4_sdma_get_quad(packet, PM4_SDMA_W_COPY_LINEAR_BROADCAST_DST),
            (uint64_t)pm4_sdma_get(packet, PM4_SDMA_W_COPY_LINEAR_BROADCAST_COUNT) + 1);
        add(writes, pm4_sdma_get_quad(packet, PM4_SDMA_W_COPY_LINEAR_BROADCAST_DST2),
            (uint64_t)pm4_sdma_get(packet, PM4_SDMA_W_COPY_LINEAR_BROADCAST_COUNT) + 1);
        break;
    case PM4_SDMA_COPY_LINEAR_SUB_WINDOW: sub_window(writes, packet); break;
    case PM4_SDMA_SEMAPHORE: add(writes, pm4_sdma_get_quad(packet, PM4_SDMA_W_SEMAPHORE_ADDR), sizeof(uint64_t)); break;
    case PM4_SDMA_CONST_FILL:
        add(writes, pm4_sdma_get_quad(packet, PM4_SDMA_W_CONST_FILL_DST),
            (uint64_t)pm4_sdma_get(packet, PM4_SDMA_W_CONST_FILL_COUNT) + 1);
        break;
    case PM4_SDMA_WRITE_LINEAR:
        add(writes, pm4_sdma_get_quad(packet, PM4_SDMA_W_WRITE_LINEAR_DST), packet->count * (uint64_t)sizeof(uint32_t));
        break;
    case PM4_SDMA_FENCE: add(writes, pm4_sdma_get_quad(packet, PM4_SDMA_W_FENCE_ADDR), sizeof(uint32_t)); break;
    case PM4_SDMA_ATOMIC: add(writes, pm4_sdma_get_quad(packet, PM4_SDMA_W_ATOMIC_ADDR), sizeof(uint64_t)); break;
    case PM4_SDMA_TIMESTAMP_GET:
    case PM4_SDMA_TIMESTAMP_GET_GLOBAL:
        add(writes, pm4_sdma_get_quad(packet, PM4_SDMA_W_TIMESTAMP_GET_ADDR), sizeof(uint64_t));
        break;
    case PM4_SDMA_NOP:
    case PM4_SDMA_TRAP:
    case PM4_SDMA_POLL_REGMEM:
    case PM4_SDMA_TIMESTAMP_SET:
    case PM4_SDMA_DUMMY_TRAP:
    case PM4_SDMA_GCR_REQ: break;
    case PM4_SDMA_COND_EXE:
    case PM4_SDMA_PRE_EXE: submit_writes_unbound(writes, SUBMIT_CONDITION); break;
    default: submit_writes_unbound(writes, SUBMIT_UNREAD); break; /* calls; what is refused writes nothing */
    }
}
