/* shim_device: the device of this process: made, found again, given up after a fork. */
#ifndef SHIM_SHIM_DEVICE_H
#define SHIM_SHIM_DEVICE_H

#include "shim/shim_internal.h"

/* What the environment asks for. Text is the environment's; NULL: not given. */
struct shim_options {
    const char *run, *chip, *report, *capture;
    const char *device, *memory, *drivers, *cache; /* the host device: as tf_gpu_options has them */
    unsigned threads;
    bool deterministic;  /* as tf_gpu_options.queue_deterministic */
    bool quiet;          /* no lines about work that did not fail */
    bool silent;         /* nothing to standard error while it works */
    double hang_seconds; /* as tf_gpu_options.queue_timeout */
};

struct shim_options shim_options_read(void);

/* Waits a while for what was submitted, and tells what became of it: the process is about to end. */
void shim_device_leave(void);

/* Whether this thread is at work for the host's own device: what it opens is the host's, not the node. */
bool shim_device_is_aside(void);
void shim_device_before_others(void); /* see struct shim_entry */

/* A device by itself, as tests use it. NULL with *problem set. */
struct shim_device *shim_device_create(const struct shim_options *options, int *problem);
/* Gives everything up. Waits for submissions no longer than so many milliseconds. */
void shim_device_destroy(struct shim_device *device, uint64_t wait_ms);
/* Waits until everything submitted has ended, no longer than so many milliseconds. */
bool shim_device_drain(struct shim_device *device, uint64_t wait_ms);
/* The clock that a recorded GPU shows, counts of 100 MHz. */
uint64_t shim_device_clock(void);
/* Makes `device` the one of this process; for tests. */
void shim_device_set(struct shim_device *device);

#endif
