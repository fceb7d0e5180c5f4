/* api_grid: checks the sizes of a dispatch against its kernel, and divides the grid into groups. */
#include <inttypes.h>
#include <string.h>

#include "api/api_internal.h"

enum { MAX_GROUP_THREADS = 1024, DEFAULT_GROUP_THREADS = 64 };

static const char axis_names[] = "xyz";

static bool all_zero(const uint32_t values[3])
{
    return !values[0] && !values[1] && !values[2];
}

/* The group's size: what the caller says, else what the kernel requires, else a row of 64. */
static void choose_workgroup(const struct tf_dispatch *dispatch, const struct obj_kernel *kernel, struct api_grid *grid)
{
    static const uint32_t row[3] = {DEFAULT_GROUP_THREADS, 1, 1};
    const uint32_t *chosen = dispatch->workgroup;
    if (all_zero(chosen))
        chosen = all_zero(kernel->required_workgroup) ? row : kernel->required_workgroup;
    for (unsigned n = 0; n < 3; n++)
        grid->workgroup[n] = chosen[n] ? chosen[n] : 1;
    if (chosen == row && kernel->max_workgroup < DEFAULT_GROUP_THREADS)
        grid->workgroup[0] = kernel->max_workgroup;
}

static enum tf_status check_workgroup(const struct obj_kernel *kernel, const struct api_grid *grid, uint64_t threads,
                                      struct tf_error *error)
{
    const uint32_t *wanted = kernel->required_workgroup, *have = grid->workgroup;
    if (!all_zero(wanted) && memcmp(wanted, have, sizeof grid->workgroup) != 0)
        return api_fail(error, TF_ERROR_ARGUMENT,
                        "kernel '%s' requires a workgroup of %" PRIu32 "x%" PRIu32 "x%" PRIu32 ", not %" PRIu32 "x%" PRIu32
                        "x%" PRIu32,
                        kernel->name, wanted[0], wanted[1], wanted[2], have[0], have[1], have[2]);
    uint32_t most = kernel->max_workgroup < MAX_GROUP_THREADS ? kernel->max_workgroup : MAX_GROUP_THREADS;
    if (threads > most)
        return api_fail(error, TF_ERROR_LIMIT, "kernel '%s': a workgroup of %" PRIu64 " threads is over its limit of %" PRIu32,
                        kernel->name, threads, most);
    return TF_OK;
}

enum tf_status api_grid_make(const struct tf_dispatch *dispatch, struct api_grid *grid, struct tf_error *error)
{
    const struct obj_kernel *kernel = dispatch->kernel->inner;
    uint64_t threads = 1, groups = 1;
    choose_workgroup(dispatch, kernel, grid);
    grid->dimensions = dispatch->grid[2] ? 3 : dispatch->grid[1] ? 2 : 1;
    if (!dispatch->grid[0])
        return api_fail(error, TF_ERROR_ARGUMENT, "the grid has no threads in x");
    for (unsigned n = 0; n < 3; n++) {
        grid->threads[n] = dispatch->grid[n] ? dispatch->grid[n] : 1;
        if (grid->workgroup[n] > MAX_GROUP_THREADS)
            return api_fail(error, TF_ERROR_LIMIT, "a workgroup of %" PRIu32 " threads in %c is over the limit of %d",
                            grid->workgroup[n], axis_names[n], MAX_GROUP_THREADS);
        grid->groups[n] = (grid->threads[n] - 1) / grid->workgroup[n] + 1;
        grid->last[n] = grid->threads[n] - (grid->groups[n] - 1) * grid->workgroup[n];
        threads *= grid->workgroup[n];
        if (groups > UINT64_MAX / grid->groups[n])
            return api_fail(error, TF_ERROR_LIMIT, "the grid has too many groups to count");
        groups *= grid->groups[n];
    }
    grid->group_threads = (uint32_t)threads;
    return check_workgroup(kernel, grid, threads, error);
}
