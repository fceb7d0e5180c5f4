/* What a submission costs a Vulkan program: an empty dispatch until its fence, and many of them in one command buffer. Run natively and under
 * `tenfold run`, the same program says both sides.
 * usage: tenfold-bench-submit DIRECTORY (with empty.spv) */
#include <stdio.h>
#include <stdlib.h>

#include "native.h"

enum { WARM = 200, ROUNDS = 2000, DISPATCHES = 10000, MANY_ROUNDS = 9, BUFFER_BYTES = 4096 };

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_run(struct native *native, const struct native_kernel *kernel, unsigned warm, unsigned rounds)
{
    static double seconds[ROUNDS];
    for (unsigned i = 0; i < warm; i++)
        native_run(native, kernel);
    for (unsigned i = 0; i < rounds; i++)
        seconds[i] = native_run(native, kernel);
    qsort(seconds, rounds, sizeof *seconds, by_value);
    return seconds[rounds / 2];
}

int main(int argc, char **argv)
{
    char path[4096];
    const uint32_t one[2] = {1, 1};
    if (argc != 2 || (size_t)snprintf(path, sizeof path, "%s/empty.spv", argv[1]) >= sizeof path) {
        fprintf(stderr, "usage: tenfold-bench-submit DIRECTORY\n");
        return 2;
    }
    struct native *native = native_create(BUFFER_BYTES);
    struct native_kernel *single = native_kernel_create(native, path, 0, 0, one, 1);
    struct native_kernel *many = native_kernel_create(native, path, 0, 0, one, DISPATCHES);
    double latency = median_run(native, single, WARM, ROUNDS), all = median_run(native, many, 1, MANY_ROUNDS);
    printf("%-40s empty dispatch, vkQueueSubmit to its fence %6.1f us   %d dispatches in one submission %9.0f /s\n",
           native_device(native), latency * 1e6, DISPATCHES, DISPATCHES / all);
    native_kernel_destroy(native, single);
    native_kernel_destroy(native, many);
    native_destroy(native);
    return 0;
}
