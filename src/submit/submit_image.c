/* submit_image: where the stores to an image may lie, from its descriptor. */
#include "image/image_meta.h"
#include "image/image_view.h"
#include "submit/submit.h"
#include "submit/submit_reach.h"
#include "trace/trace.h"

enum { MOST_SLICES = 64 }; /* that are told apart; more are one range, with what lies between them */

static void add(struct submit_writes *writes, uint64_t start, uint64_t size)
{
    submit_writes_add(writes, submit_address(start), size);
}

static void add_level(struct submit_writes *writes, const struct image_view *view, unsigned mip)
{
    bool depth = view->volume && !view->sliced;
    uint64_t first = (depth ? 0u : view->first_slice) >> view->block_z,
             last = (depth ? view->mips[mip].depth - 1u : view->last_slice) >> view->block_z;
    const struct image_range level = image_view_level_range(view, mip);
    uint64_t start = view->base + level.start, bytes = level.end - level.start;
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
