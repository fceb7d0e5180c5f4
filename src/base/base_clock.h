/* base_clock: the host's monotonic clock. */
#ifndef BASE_BASE_CLOCK_H
#define BASE_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Nanoseconds of CLOCK_MONOTONIC: what deadlines are counted in. */
static inline uint64_t base_clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

#endif
