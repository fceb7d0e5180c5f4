/* vulkan_mover: moves bytes between the host and buffers of the device: at once where the device's memory is the host's own, else through
 * staging memory and copy commands.
 *
 * Roles and owners:
 *   vulkan_mover  the moves of one owner; init, finish; not for several threads at once. What was asked for since the last turn may be
 *                 done in any order; all of it is done before what is submitted to the device after vulkan_mover_send.
 *
 * Functions return false where the device is lost or out of memory: outcome then says which, and stays.
 */
#ifndef VULKAN_VULKAN_MOVER_H
#define VULKAN_VULKAN_MOVER_H

#include "vulkan/vulkan_rows.h"

/* The most bytes of one put or get. */
enum { VULKAN_MOVER_MOST = 1 << 20 };

struct vulkan_mover {
    struct vulkan_host *host;
    bool direct; /* buffers have host addresses, and copies are the host's */
    enum vulkan_outcome outcome;
    struct vulkan_buffer memory; /* what passes through */
    uint64_t used;
    bool recording, in_flight; /* commands are there that were not sent; were sent and may still run */
    struct vulkan_rows rows;   /* unless it is direct */
    VkCommandPool pool;
    VkCommandBuffer command;
    VkFence fence;
};

bool vulkan_mover_init(struct vulkan_mover *mover, struct vulkan_host *host, bool direct);
void vulkan_mover_finish(struct vulkan_mover *mover); /* zeros are fine */

/* A buffer whose bytes the mover moves: the device's own memory, unless the mover is direct. */
bool vulkan_mover_buffer(struct vulkan_mover *mover, uint64_t size, struct vulkan_buffer *buffer);

/* The host's memory at `from` goes to the same place of one or two buffers (to[1] may be NULL). Where the host may not read there, zeros
 * go instead. What went, as one moment of it, or NULL: valid until the next call. */
const uint8_t *vulkan_mover_put(struct vulkan_mover *mover, const struct vulkan_buffer *const to[2], uint64_t offset,
                                const void *from, uint64_t size);
/* *at shows the bytes after the next vulkan_mover_wait, until the call after that. Gets of VULKAN_MOVER_ROOM bytes together have room behind a
 * wait. */
enum { VULKAN_MOVER_ROOM = 16 << 20 };
bool vulkan_mover_get(struct vulkan_mover *mover, const struct vulkan_buffer *from, uint64_t offset, uint64_t size,
                      const uint8_t **at);
bool vulkan_mover_copy(struct vulkan_mover *mover, const struct vulkan_buffer *from, uint64_t from_offset,
                       const struct vulkan_buffer *to, uint64_t to_offset, uint64_t size);
/* Offset and size are multiples of 4. */
bool vulkan_mover_fill(struct vulkan_mover *mover, const struct vulkan_buffer *to, uint64_t offset, uint64_t size, uint32_t word);
/* The same with words that a trace tells of. False of the first: they can't be had that way. */
bool vulkan_mover_can_put_words(const struct vulkan_mover *mover, const struct vulkan_buffer *to, uint64_t offset, uint64_t size,
                                const struct trace_words *words);
bool vulkan_mover_put_words(struct vulkan_mover *mover, const struct vulkan_buffer *to, uint64_t offset, uint64_t size,
                            const struct trace_words *words);
/* What is asked for from here on comes after what was. */
void vulkan_mover_turn(struct vulkan_mover *mover);
/* After a lack of memory: what was asked for and not sent is forgotten, and new things may be asked for. */
void vulkan_mover_recover(struct vulkan_mover *mover);
/* What was asked for is on its way; later commands of the device come after it. */
bool vulkan_mover_send(struct vulkan_mover *mover);
/* It is done. */
bool vulkan_mover_wait(struct vulkan_mover *mover);

#endif
