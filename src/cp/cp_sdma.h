/* cp_sdma: what an SDMA ring's packets do; each carries one out, false: the ring is lost. */
#ifndef CP_CP_SDMA_H
#define CP_CP_SDMA_H

#include <stdbool.h>
#include <stdint.h>

#include "pm4/pm4.h"

struct cp_ring;

bool cp_sdma_ignore(struct cp_ring *ring, const struct pm4_sdma_packet *packet);
bool cp_sdma_copy_linear(struct cp_ring *ring, const struct pm4_sdma_packet *packet);
bool cp_sdma_copy_broadcast(struct cp_ring *ring, const struct pm4_sdma_packet *packet);
bool cp_sdma_copy_sub_window(struct cp_ring *ring, const struct pm4_sdma_packet *packet);
bool cp_sdma_copy_tiled_window(struct cp_ring *ring, const struct pm4_sdma_packet *packet);
bool cp_sdma_copy_images_window(struct cp_ring *ring, const struct pm4_sdma_packet *packet);
bool cp_sdma_refuse_tiled(struct cp_ring *ring, const struct pm4_sdma_packet *packet);
bool cp_sdma_write_linear(struct cp_ring *ring, const struct pm4_sdma_packet *packet);
bool cp_sdma_const_fill(struct cp_ring *ring, const struct pm4_sdma_packet *packet);
bool cp_sdma_fence(struct cp_ring *ring, const struct pm4_sdma_packet *packet);
bool cp_sdma_timestamp_global(struct cp_ring *ring, const struct pm4_sdma_packet *packet);
bool cp_sdma_timestamp_set(struct cp_ring *ring, const struct pm4_sdma_packet *packet);
bool cp_sdma_semaphore(struct cp_ring *ring, const struct pm4_sdma_packet *packet);
bool cp_sdma_timestamp(struct cp_ring *ring, const struct pm4_sdma_packet *packet);
bool cp_sdma_poll(struct cp_ring *ring, const struct pm4_sdma_packet *packet);
bool cp_sdma_cond_exe(struct cp_ring *ring, const struct pm4_sdma_packet *packet);
bool cp_sdma_pre_exe(struct cp_ring *ring, const struct pm4_sdma_packet *packet);
bool cp_sdma_atomic(struct cp_ring *ring, const struct pm4_sdma_packet *packet);
bool cp_sdma_indirect(struct cp_ring *ring, const struct pm4_sdma_packet *packet);

/* False, and the ring is lost: a window of more elements (of 1 << shift bytes) than any image has. */
bool cp_sdma_window_fits(struct cp_ring *ring, uint64_t columns, uint64_t rows, uint64_t slices, unsigned shift);

#endif
