/* cp_event: events, the ends of work with what they write, cache flushes, and stream-out's offsets. */
#include <string.h>

#include "cp/cp_internal.h"

/* ---- samples of counters ---- */

/* The counters of SAMPLE_PIPELINESTAT, in memory's order. */
enum { STAT_CS_INVOCATIONS = 10, STAT_COUNT = 11 };

static void sample_pipeline_statistics(struct cp_ring *ring, uint64_t address)
{
    uint64_t counters[STAT_COUNT] = {[STAT_CS_INVOCATIONS] = ring->invocations};
    cp_memory_write(ring, address, counters, sizeof counters);
}

/* Each render backend leaves its count of passed pixels, with the top bit set, 16 bytes apart. None were drawn. */
static void sample_pixels(struct cp_ring *ring, uint64_t address)
{
    enum { STRIDE = 16 };
    const uint64_t count = UINT64_C(1) << 63;
    for (unsigned n = 0; n < ring->gpu->options.render_backends; n++)
        cp_memory_write(ring, address + n * STRIDE, &count, sizeof count);
}

/* Primitives written and primitives that needed room, of one stream. None were drawn. */
static void sample_streamout(struct cp_ring *ring, uint64_t address)
{
    uint64_t counters[2] = {0};
    cp_memory_write(ring, address, counters, sizeof counters);
}

/* Stream-out's offsets are in memory when the flush is done, which drivers wait for in a register. */
static void flush_streamout(struct cp_ring *ring)
{
    uint32_t *control = submit_state_register(&ring->state, PM4_REG_CP_STRMOUT_CNTL);
    *control |= (uint32_t)base_field_make(PM4_F_CP_STRMOUT_CNTL_OFFSET_UPDATE_DONE, 1);
}

/* What an event does for a command processor that works in order. What is not in the table is refused. */
enum event_effect {
    EFFECT_UNKNOWN,
    EFFECT_NONE,
    EFFECT_COUNT,
    EFFECT_DO_NOT_COUNT,
    EFFECT_SAMPLE_STATISTICS,
    EFFECT_SAMPLE_PIXELS,
    EFFECT_SAMPLE_STREAMOUT,
    EFFECT_FLUSH_STREAMOUT,
};

static const uint8_t effects[] = {
    [PM4_V_EVENT_CACHE_FLUSH_TS] = EFFECT_NONE,
    [PM4_V_EVENT_CONTEXT_DONE] = EFFECT_NONE,
    [PM4_V_EVENT_CACHE_FLUSH] = EFFECT_NONE,
    [PM4_V_EVENT_CS_PARTIAL_FLUSH] = EFFECT_NONE,
    [PM4_V_EVENT_VGT_STREAMOUT_SYNC] = EFFECT_NONE,
    [PM4_V_EVENT_VGT_STREAMOUT_RESET] = EFFECT_NONE,
    [PM4_V_EVENT_BREAK_BATCH] = EFFECT_NONE,
    [PM4_V_EVENT_VS_PARTIAL_FLUSH] = EFFECT_NONE,
    [PM4_V_EVENT_PS_PARTIAL_FLUSH] = EFFECT_NONE,
    [PM4_V_EVENT_FLUSH_HS_OUTPUT] = EFFECT_NONE,
    [PM4_V_EVENT_FLUSH_DFSM] = EFFECT_NONE,
    [PM4_V_EVENT_CACHE_FLUSH_AND_INV_TS_EVENT] = EFFECT_NONE,
    [PM4_V_EVENT_CACHE_FLUSH_AND_INV_EVENT] = EFFECT_NONE,
    [PM4_V_EVENT_FLUSH_ES_OUTPUT] = EFFECT_NONE,
    [PM4_V_EVENT_VGT_FLUSH] = EFFECT_NONE,
    [PM4_V_EVENT_BOTTOM_OF_PIPE_TS] = EFFECT_NONE,
    [PM4_V_EVENT_FLUSH_SX_TS] = EFFECT_NONE,
    [PM4_V_EVENT_DB_CACHE_FLUSH_AND_INV] = EFFECT_NONE,
    [PM4_V_EVENT_FLUSH_AND_INV_DB_DATA_TS] = EFFECT_NONE,
    [PM4_V_EVENT_FLUSH_AND_INV_DB_META] = EFFECT_NONE,
    [PM4_V_EVENT_FLUSH_AND_INV_CB_DATA_TS] = EFFECT_NONE,
    [PM4_V_EVENT_FLUSH_AND_INV_CB_META] = EFFECT_NONE,
    [PM4_V_EVENT_CS_DONE] = EFFECT_NONE,
    [PM4_V_EVENT_PS_DONE] = EFFECT_NONE,
    [PM4_V_EVENT_FLUSH_AND_INV_CB_PIXEL_DATA] = EFFECT_NONE,
    [PM4_V_EVENT_THREAD_TRACE_MARKER] = EFFECT_NONE,
    [PM4_V_EVENT_PIXEL_PIPE_STAT_CONTROL] = EFFECT_NONE,
    [PM4_V_EVENT_PIXEL_PIPE_STAT_RESET] = EFFECT_NONE,
    [PM4_V_EVENT_OFFCHIP_HS_DEALLOC] = EFFECT_NONE,
    [PM4_V_EVENT_ENABLE_NGG_PIPELINE] = EFFECT_NONE,
    [PM4_V_EVENT_ENABLE_LEGACY_PIPELINE] = EFFECT_NONE,
    [PM4_V_EVENT_PIPELINESTAT_START] = EFFECT_COUNT,
    [PM4_V_EVENT_PIPELINESTAT_STOP] = EFFECT_DO_NOT_COUNT,
    [PM4_V_EVENT_SAMPLE_PIPELINESTAT] = EFFECT_SAMPLE_STATISTICS,
    [PM4_V_EVENT_ZPASS_DONE] = EFFECT_SAMPLE_PIXELS,
    [PM4_V_EVENT_PIXEL_PIPE_STAT_DUMP] = EFFECT_SAMPLE_PIXELS,
    [PM4_V_EVENT_SAMPLE_STREAMOUTSTATS] = EFFECT_SAMPLE_STREAMOUT,
    [PM4_V_EVENT_SAMPLE_STREAMOUTSTATS1] = EFFECT_SAMPLE_STREAMOUT,
    [PM4_V_EVENT_SAMPLE_STREAMOUTSTATS2] = EFFECT_SAMPLE_STREAMOUT,
    [PM4_V_EVENT_SAMPLE_STREAMOUTSTATS3] = EFFECT_SAMPLE_STREAMOUT,
    [PM4_V_EVENT_SO_VGTSTREAMOUT_FLUSH] = EFFECT_FLUSH_STREAMOUT,
};

bool cp_event_write(struct cp_ring *ring, const struct pm4_packet *packet)
{
    unsigned event = pm4_get(packet, PM4_W_EVENT_WRITE_EVENT_TYPE);
    uint64_t address = pm4_get_quad(packet, PM4_W_EVENT_WRITE_ADDR) & ~UINT64_C(7);
    const char *name;
    switch (event < sizeof effects ? effects[event] : EFFECT_UNKNOWN) {
    case EFFECT_NONE: break;
    case EFFECT_COUNT: ring->counting = true; break;
    case EFFECT_DO_NOT_COUNT: ring->counting = false; break;
    case EFFECT_SAMPLE_STATISTICS: sample_pipeline_statistics(ring, address); break;
    case EFFECT_SAMPLE_PIXELS: sample_pixels(ring, address); break;
    case EFFECT_SAMPLE_STREAMOUT: sample_streamout(ring, address); break;
    case EFFECT_FLUSH_STREAMOUT: flush_streamout(ring); break;
    default:
        name = pm4_value_name(PM4_L_EVENT, event);
        cp_ring_refuse(ring, "event %u (%s) is not supported", event, name ? name : "unknown");
    }
    return true;
}

/* ---- the end of the pipe ---- */

/* GDS words to memory. */
static void write_gds(struct cp_ring *ring, uint64_t address, uint32_t word, uint32_t count)
{
    uint32_t bytes = count * (uint32_t)sizeof(uint32_t);
    const uint8_t *gds = cp_gds(ring, word * (uint32_t)sizeof(uint32_t), bytes);
    if (gds)
        cp_memory_write(ring, address & ~UINT64_C(3), gds, bytes);
}

/* What the data select says, for packets whose data are a value. */
static bool write_value(struct cp_ring *ring, unsigned select, uint64_t address, uint64_t value)
{
    uint32_t low = (uint32_t)value;
    switch (select) {
    case PM4_V_RELEASE_DATA_NOTHING: return true;
    case PM4_V_RELEASE_DATA_VALUE_32: cp_memory_write(ring, address & ~UINT64_C(3), &low, sizeof low); return true;
    case PM4_V_RELEASE_DATA_VALUE_64: break;
    case PM4_V_RELEASE_DATA_TIMESTAMP:
    case PM4_V_RELEASE_DATA_SYSTEM_CLOCK: value = cp_gpu_clock(ring->gpu); break;
    default: return cp_ring_lose(ring, "there is no data %u to write", select);
    }
    cp_memory_write(ring, address & ~UINT64_C(7), &value, sizeof value);
    return true;
}

bool cp_event_release_mem(struct cp_ring *ring, const struct pm4_packet *packet)
{
    uint64_t address = pm4_get_quad(packet, PM4_W_RELEASE_MEM_ADDR);
    unsigned select = pm4_get(packet, PM4_W_RELEASE_MEM_DATA_SEL);
    if (select != PM4_V_RELEASE_DATA_GDS)
        return write_value(ring, select, address, pm4_get_quad(packet, PM4_W_RELEASE_MEM_DATA));
    write_gds(ring, address, pm4_get(packet, PM4_W_RELEASE_MEM_GDS_OFFSET), pm4_get(packet, PM4_W_RELEASE_MEM_GDS_COUNT));
    return true;
}

/* The packets that RELEASE_MEM took the place of. */
bool cp_event_write_eop(struct cp_ring *ring, const struct pm4_packet *packet)
{
    return write_value(ring, pm4_get(packet, PM4_W_EVENT_WRITE_EOP_DATA_SEL), pm4_get_quad(packet, PM4_W_EVENT_WRITE_EOP_ADDR),
                       pm4_get_quad(packet, PM4_W_EVENT_WRITE_EOP_DATA));
}

bool cp_event_write_eos(struct cp_ring *ring, const struct pm4_packet *packet)
{
    uint64_t address = pm4_get_quad(packet, PM4_W_EVENT_WRITE_EOS_ADDR);
    uint32_t data = pm4_get(packet, PM4_W_EVENT_WRITE_EOS_DATA);
    switch (pm4_get(packet, PM4_W_EVENT_WRITE_EOS_DATA_SEL)) {
    case PM4_V_EOS_DATA_VALUE_32: return write_value(ring, PM4_V_RELEASE_DATA_VALUE_32, address, data);
    case PM4_V_EOS_DATA_GDS:
        write_gds(ring, address, pm4_get(packet, PM4_W_EVENT_WRITE_EOS_GDS_OFFSET),
                  pm4_get(packet, PM4_W_EVENT_WRITE_EOS_GDS_COUNT));
        return true;
    default: return cp_ring_lose(ring, "append counts are not supported");
    }
}

/* Caches: the host's own. Only instructions may be stale: what was translated is compared with memory after an invalidation of
 * the instruction cache. */
bool cp_event_acquire_mem(struct cp_ring *ring, const struct pm4_packet *packet)
{
    if (pm4_get(packet, PM4_W_ACQUIRE_MEM_GLI_INV) != PM4_V_GCR_GLI_NOP)
        atomic_fetch_add(&ring->gpu->code_epoch, 1);
    return true;
}

/* ---- stream-out ---- */

bool cp_event_strmout_update(struct cp_ring *ring, const struct pm4_packet *packet)
{
    unsigned buffer = pm4_get(packet, PM4_W_STRMOUT_BUFFER_UPDATE_BUFFER);
    uint64_t source = pm4_get_quad(packet, PM4_W_STRMOUT_BUFFER_UPDATE_SRC);
    uint32_t *offset = &ring->streamout_offset[buffer];
    if (pm4_get(packet, PM4_W_STRMOUT_BUFFER_UPDATE_UPDATE_MEMORY))
        cp_memory_write(ring, pm4_get_quad(packet, PM4_W_STRMOUT_BUFFER_UPDATE_DST), offset, sizeof *offset);
    switch (pm4_get(packet, PM4_W_STRMOUT_BUFFER_UPDATE_SOURCE)) {
    case PM4_V_STRMOUT_SOURCE_PACKET: *offset = (uint32_t)source; break;
    case PM4_V_STRMOUT_SOURCE_MEMORY: *offset = cp_memory_read_u32(ring, source & ~UINT64_C(3)); break;
    default: break; /* what was filled so far stays; none: only memory is told */
    }
    return true;
}
