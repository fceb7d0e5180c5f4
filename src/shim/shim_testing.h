/* shim_testing: a client for tests: it drives a device's ioctls as a driver does, without a preloaded library. */
#ifndef SHIM_SHIM_TESTING_H
#define SHIM_SHIM_TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <drm.h>

#include "shim/shim_device.h"
#include "shim/shim_internal.h"

/* A device, a context, and memory for command buffers. */
struct client {
    struct shim_device *device;
    uint32_t context;
    uint64_t next_address; /* of what client_buffer shows */
};

/* A buffer that both sides see. */
struct client_buffer {
    uint32_t handle;
    uint64_t bytes, address; /* in the guest */
    uint32_t *words;         /* in the host */
};

int client_setup(void **state);
int client_setup_with(void **state, const struct shim_options *options); /* *state is a struct client */
int client_teardown(void **state);

/* The ioctl of that request: 0 or more, or -errno. */
int client_ioctl(struct client *client, unsigned long request, void *argument);
uint32_t client_create(struct client *client, uint64_t bytes, uint64_t flags);
struct client_buffer client_buffer(struct client *client, uint64_t bytes);
void client_close(struct client *client, struct client_buffer *buffer);

/* Packets; each returns the place behind it. */
uint32_t *client_write(uint32_t *at, uint64_t address, uint32_t value);
uint32_t *client_wait(uint32_t *at, uint64_t address, uint32_t value); /* until memory has the value */

/* What a submission of one IB has besides. */
struct client_submit {
    uint32_t kind, ring;
    const struct drm_amdgpu_cs_chunk *chunks; /* more of them; chunk_data points to host memory */
    uint32_t chunk_count;
};

/* Submits words of a buffer; the sequence number, or -errno. */
int64_t client_submit(struct client *client, const struct client_buffer *commands, uint32_t words,
                      const struct client_submit *more);
/* Waits for it, no longer than some seconds; whether it has ended. */
bool client_finish(struct client *client, uint32_t kind, uint32_t ring, uint64_t sequence);
uint32_t client_syncobj(struct client *client, uint32_t flags);
/* Waits for one object's point, no longer than so many milliseconds: 0 or -errno. */
int client_wait_syncobj(struct client *client, uint32_t handle, uint64_t point, uint32_t flags, uint64_t milliseconds);

#endif
