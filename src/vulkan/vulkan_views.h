/* vulkan_views: what modules are told of images: descriptors decoded into records of plain words (spirv_layout.h).
 *
 *   vulkan_view_source  what a record is made of; the caller's.
 */
#ifndef VULKAN_VULKAN_VIEWS_H
#define VULKAN_VULKAN_VIEWS_H

#include "image/image_view.h"
#include "spirv/spirv.h"

struct vulkan_view_source {
    const struct image_config *config;
    const struct spirv_image *image;
    uint32_t descriptor[8], sampler[4];
    const uint32_t *border; /* entry of the table of border colours that the sampler names, or NULL */
};

/* Words that a device's views of so many operations take. */
uint32_t vulkan_views_words(uint32_t images);
/* The tables in front of all records. */
void vulkan_views_begin(uint32_t *words);
/* Fills record number `number`. NULL, or a sentence that names what another device must carry out. */
const char *vulkan_views_put(uint32_t *words, uint32_t number, const struct vulkan_view_source *source, struct image_view *view);

#endif
