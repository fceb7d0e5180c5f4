/* submit_bell: a counter that threads wait on: a look, a short spin, then sleep. */
#ifndef SUBMIT_SUBMIT_BELL_H
#define SUBMIT_SUBMIT_BELL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Zero-initialised is ready. Whoever changes what others wait for does so first and rings then; whoever waits looks at the bell
 * first, then at what it waits for, then waits with what it saw: so no change is missed. */
struct submit_bell {
    _Atomic uint32_t count;
    _Atomic uint32_t sleepers;
};

#define SUBMIT_FOREVER UINT64_MAX

/* Nanoseconds of CLOCK_MONOTONIC. */
uint64_t submit_now(void);
/* now + nanoseconds; too much is for ever. */
uint64_t submit_deadline(uint64_t nanoseconds);

static inline uint32_t submit_bell_look(const struct submit_bell *bell)
{
    return atomic_load(&bell->count);
}

void submit_bell_ring(struct submit_bell *bell);
/* True when the bell was rung since `seen`; tries for at most so many nanoseconds, on the processor. Hosts with one core don't
 * spin. */
bool submit_bell_spin(const struct submit_bell *bell, uint32_t seen, uint64_t nanoseconds);
/* Sleeps until the bell was rung since `seen` (true), or the deadline passed (false). May wake early with true. */
bool submit_bell_sleep(struct submit_bell *bell, uint32_t seen, uint64_t deadline);

#endif
