/* cp_dma: DMA_DATA, and CP_DMA before it: copies and fills between memory, GDS and registers. */
#include <string.h>

#include "cp/cp_internal.h"

/* One end of a transfer. */
struct end {
    enum { END_MEMORY, END_GDS, END_REGISTER, END_DATA, END_NOWHERE } kind;
    uint64_t at;
    bool stays; /* every word at the same place */
};

/* The end's `at` and `stays` are set; is_register: what a plain address is of. */
static bool source_end(struct cp_ring *ring, unsigned select, bool is_register, struct end *end)
{
    switch (select) {
    case PM4_V_DMA_SRC_ADDRESS: end->kind = is_register ? END_REGISTER : END_MEMORY; return true;
    case PM4_V_DMA_SRC_GDS: end->kind = END_GDS; return true;
    case PM4_V_DMA_SRC_DATA: end->kind = END_DATA; return true;
    case PM4_V_DMA_SRC_ADDRESS_L2: end->kind = END_MEMORY; return true;
    default: return cp_ring_lose(ring, "there is no such source");
    }
}

static bool target_end(struct cp_ring *ring, unsigned select, bool is_register, struct end *end)
{
    switch (select) {
    case PM4_V_DMA_DST_ADDRESS: end->kind = is_register ? END_REGISTER : END_MEMORY; return true;
    case PM4_V_DMA_DST_GDS: end->kind = END_GDS; return true;
    case PM4_V_DMA_DST_NOWHERE: end->kind = END_NOWHERE; return true; /* a prefetch, or a wait for earlier transfers */
    case PM4_V_DMA_DST_ADDRESS_L2: end->kind = END_MEMORY; return true;
    default: return cp_ring_lose(ring, "there is no such target");
    }
}

/* Word by word, for the ends that only registers, GDS and unmoving addresses have. */
static uint32_t read_word(struct cp_ring *ring, const struct end *end, uint32_t offset)
{
    uint32_t word = 0, step = end->stays ? 0 : offset;
    const uint8_t *gds;
    switch (end->kind) {
    case END_MEMORY: return cp_memory_read_u32(ring, end->at + step);
    case END_REGISTER: return cp_registers_read(ring, (uint32_t)end->at + step / (uint32_t)sizeof word);
    case END_GDS:
        gds = cp_gds(ring, (uint32_t)end->at + step, sizeof word);
        if (gds)
            memcpy(&word, gds, sizeof word);
        return word;
    case END_DATA: return (uint32_t)end->at;
    case END_NOWHERE: break;
    }
    return 0;
}

static void write_word(struct cp_ring *ring, const struct end *end, uint32_t offset, uint32_t word)
{
    uint32_t step = end->stays ? 0 : offset;
    uint8_t *gds;
    switch (end->kind) {
    case END_MEMORY: cp_memory_write(ring, end->at + step, &word, sizeof word); break;
    case END_REGISTER: cp_registers_write(ring, (uint32_t)end->at + step / (uint32_t)sizeof word, word); break;
    case END_GDS:
        gds = cp_gds(ring, (uint32_t)end->at + step, sizeof word);
        if (gds)
            memcpy(gds, &word, sizeof word);
        break;
    case END_DATA:
    case END_NOWHERE: break;
    }
}

/* Registers and unmoving ends take words; hardware has no use for more of them than a space holds, nor have we. */
static bool word_by_word(struct cp_ring *ring, const struct end *source, const struct end *target, uint32_t bytes)
{
    enum { MOST = 1 << 20 };
    if (bytes % sizeof(uint32_t))
        return cp_ring_lose(ring, "%u bytes between these ends: no multiple of 4", bytes);
    if (bytes > MOST)
        return cp_ring_lose(ring, "%u bytes between these ends: more than %d", bytes, MOST);
    for (uint32_t offset = 0; offset < bytes; offset += (uint32_t)sizeof(uint32_t)) {
        if (atomic_load_explicit(&ring->stop, memory_order_relaxed))
            return cp_ring_lose(ring, "given up");
        write_word(ring, target, offset, read_word(ring, source, offset));
    }
    return true;
}

static bool transfer(struct cp_ring *ring, const struct end *source, const struct end *target, uint32_t bytes)
{
    bool plain = !source->stays && !target->stays;
    uint8_t *gds;
    if (plain && source->kind == END_MEMORY && target->kind == END_MEMORY) {
        cp_memory_copy(ring, target->at, source->at, bytes);
    } else if (source->kind == END_DATA && target->kind == END_MEMORY && !target->stays) {
        cp_memory_fill(ring, target->at, (uint32_t)source->at, sizeof(uint32_t), bytes);
    } else if (plain && source->kind == END_GDS && target->kind == END_MEMORY) {
        gds = cp_gds(ring, (uint32_t)source->at, bytes);
        if (gds)
            cp_memory_write(ring, target->at, gds, bytes);
    } else if (plain && source->kind == END_MEMORY && target->kind == END_GDS) {
        gds = cp_gds(ring, (uint32_t)target->at, bytes);
        if (gds)
            cp_memory_read(ring, source->at, gds, bytes);
    } else {
        return word_by_word(ring, source, target, bytes);
    }
    return true;
}

bool cp_dma_data(struct cp_ring *ring, const struct pm4_packet *packet)
{
    struct end source = {.at = pm4_get_quad(packet, PM4_W_DMA_DATA_SRC), .stays = pm4_get(packet, PM4_W_DMA_DATA_SAIC)},
               target = {.at = pm4_get_quad(packet, PM4_W_DMA_DATA_DST), .stays = pm4_get(packet, PM4_W_DMA_DATA_DAIC)};
    uint32_t bytes = pm4_get(packet, PM4_W_DMA_DATA_BYTE_COUNT);
    if (!source_end(ring, pm4_get(packet, PM4_W_DMA_DATA_SRC_SEL), pm4_get(packet, PM4_W_DMA_DATA_SAS), &source) ||
        !target_end(ring, pm4_get(packet, PM4_W_DMA_DATA_DST_SEL), pm4_get(packet, PM4_W_DMA_DATA_DAS), &target))
        return false;
    return !bytes || target.kind == END_NOWHERE || transfer(ring, &source, &target, bytes);
}

/* Its source's address has 48 bits; data take the low word. */
bool cp_dma_cp_dma(struct cp_ring *ring, const struct pm4_packet *packet)
{
    struct end source = {.at = pm4_get_quad(packet, PM4_W_CP_DMA_SRC), .stays = pm4_get(packet, PM4_W_CP_DMA_SAIC)},
               target = {.at = pm4_get_quad(packet, PM4_W_CP_DMA_DST), .stays = pm4_get(packet, PM4_W_CP_DMA_DAIC)};
    uint32_t bytes = pm4_get(packet, PM4_W_CP_DMA_BYTE_COUNT);
    if (!source_end(ring, pm4_get(packet, PM4_W_CP_DMA_SRC_SEL), pm4_get(packet, PM4_W_CP_DMA_SAS), &source) ||
        !target_end(ring, pm4_get(packet, PM4_W_CP_DMA_DST_SEL), pm4_get(packet, PM4_W_CP_DMA_DAS), &target))
        return false;
    return !bytes || target.kind == END_NOWHERE || transfer(ring, &source, &target, bytes);
}
