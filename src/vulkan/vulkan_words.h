/* vulkan_words: puts the words that a trace tells of into memory, as fast as the host stores. */
#ifndef VULKAN_VULKAN_WORDS_H
#define VULKAN_VULKAN_WORDS_H

#include "trace/trace.h"

/* size: a multiple of four. */
void vulkan_words_put(uint8_t *to, uint64_t size, const struct trace_words *words);
/* The same in guest memory as the host has it, which may have gone away. */
void vulkan_words_put_guarded(uint8_t *to, uint64_t size, const struct trace_words *words);

#endif
