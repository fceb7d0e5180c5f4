/* vulkan_views: what modules are told of images: descriptors decoded into records of plain words (spirv_layout.h).
 *
 *   vulkan_view_memory  where images lie; the caller's.
 *   vulkan_view_source  what a record is made of; the caller's.
 *   vulkan_view_reach   guest memory that an image operation may reach; plain data.
 *   vulkan_views_scene  what a module says of its image operations, and memory to look at; the caller's.
 */
#ifndef VULKAN_VULKAN_VIEWS_H
#define VULKAN_VULKAN_VIEWS_H

#include "image/image_view.h"
#include "isa/isa.h"
#include "memory/memory.h"
#include "spirv/spirv.h"
#include "wave/wave.h"

/* Where guest memory lies for the device: the device address of start when all of it lies together and may be stored to where stores is set;
 * 0: it does not. */
struct vulkan_view_memory {
    void *user;
    uint64_t (*place)(void *user, uint64_t start, uint64_t size, bool stores);
};

struct vulkan_view_source {
    const struct vulkan_view_memory *memory;
    const struct image_config *config;
    const struct spirv_image *image;
    uint32_t descriptor[8], sampler[4];
    uint32_t *forms;        /* what a module needs for it is added: enum spirv_form */
    const uint32_t *border; /* entry of the table of border colours that the sampler names, or NULL */
};

const struct image_config *vulkan_views_config(enum isa_chip_bit chip);
/* Words that a device's views of so many operations take. */
uint32_t vulkan_views_words(uint32_t images);
/* The tables in front of all records. */
void vulkan_views_begin(uint32_t *words);
/* Fills record number `number`. NULL, or a sentence that names what another device must carry out. */
const char *vulkan_views_put(uint32_t *words, uint32_t number, const struct vulkan_view_source *source, struct image_view *view);

/* start == end: nothing. */
struct vulkan_view_reach {
    uint64_t start, end;
    bool reads, writes;
};

enum { VULKAN_VIEW_REACHES = 2 }; /* of an operation: elements, keys */

struct vulkan_covers;
struct vulkan_mirror;
struct vulkan_views_scene {
    const struct spirv_image *images;
    uint32_t image_count;
    const struct spirv_recipe_step *steps;
    uint32_t step_count;
    enum isa_chip_bit chip;
    struct vulkan_view_memory memory;
    struct mem_snapshot *snapshot;
    struct vulkan_mirror *mirror; /* what holds results of the guest's memory; NULL: nothing does */
    struct vulkan_covers
        *covers; /* where the device works in guest memory itself: gets what stores to images with keys ask for; or NULL */
};
/* All records of a module for a dispatch, what each operation reaches, and what forms (enum spirv_form) the module needs for them. NULL, or a
 * sentence that names what another device must carry out. */
const char *vulkan_views_fill(const struct vulkan_views_scene *scene, const struct wave_dispatch *dispatch, uint32_t *words,
                              struct vulkan_view_reach *reaches, uint32_t *forms);

#endif
