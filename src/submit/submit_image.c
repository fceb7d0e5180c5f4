/* submit_image: where the stores to an image may lie, from its descriptor. */
#include "image/image_meta.h"
#include "submit/submit.h"
#include "submit/submit_reach.h"
#include "trace/trace.h"

enum { MOST_SLICES = 64 }; /* that are told apart; more are one range, with what lies between them */

static void add(struct submit_writes *writes, uint64_t start, uint64_t size)
{
    submit_writes_add(writes, submit_address(start), size);
}

/* Bytes of a level in one slice, or group of slices that share blocks. */
static uint64_t level_bytes(const struct image_view *view, unsigned mip)
{
    const struct image_mip *level = &view->mips[mip];
    uint64_t row = (uint64_t)level->columns * view->element_bytes;
    if (!view->block_bytes)
        return (uint64_t)level->rows * (row > level->row ? row : level->row);
    if (mip >= view->tail_mip)
        return UINT64_C(1) << view->block_bytes;
    uint64_t last = ((uint64_t)level->rows + level->tail_y - 1) >> view->block_y;
    return (last + 1) * level->row << view->block_bytes;
}

static void add_level(struct submit_writes *writes, const struct image_view *view, unsigned mip)
{
    bool depth = view->volume && !view->sliced;
    uint64_t first = (depth ? 0u : view->first_slice) >> view->block_z,
             last = (depth ? view->mips[mip].depth - 1u : view->last_slice) >> view->block_z;
    uint64_t start = view->base + view->mips[mip].offset, bytes = level_bytes(view, mip);
    if (last - first >= MOST_SLICES) {
        add(writes, start + first * view->slice_bytes, (last - first) * view->slice_bytes + bytes);
        return;
    }
    for (uint64_t slice = first; slice <= last; slice++)
        add(writes, start + slice * view->slice_bytes, bytes);
}

/* A store below keys makes them say that memory counts; where they said something else, all that they cover is written. */
static bool add_keys(struct submit_writes *writes, const struct image_view *view)
{
    struct image_keys keys;
    if (image_keys_make(view, &keys))
        return false;
    for (unsigned mip = 0; mip <= view->max_mip; mip++)
        add_level(writes, view, mip);
    add(writes, keys.base, keys.layout.bytes + (UINT64_C(1) << keys.layout.block_bytes));
    return true;
}

/* Terms that reach out of a block: no layout of a driver's has them. */
static bool is_strange(const struct image_view *view)
{
    return view->block_bytes && view->swizzle_xor >> view->block_bytes;
}

bool submit_image_level(struct submit_writes *writes, const struct image_view *view, unsigned level)
{
    if (is_strange(view))
        return false;
    add_level(writes, view, level);
    return true;
}

bool submit_image_writes(struct submit_writes *writes, const struct image_config *config, const struct trace_image *image)
{
    struct image_view view;
    if (!config || image_view_decode(config, image->descriptor, image->r128, &view))
        return false;
    if (!view.format) /* unbound: stores do nothing */
        return true;
    if (is_strange(&view))
        return false;
    if (view.compressed)
        return add_keys(writes, &view);
    for (unsigned mip = view.base_level; mip <= (image->any_level ? view.last_level : view.base_level); mip++)
        add_level(writes, &view, mip);
    return true;
}
