/* shim_testing: a client for tests: it drives a device's ioctls as a driver does, without a preloaded library. */
#include <stdlib.h>
#include <sys/mman.h>

#include "shim/shim_ioctl.h"
#include "shim/shim_testing.h"

enum { ENOUGH_MS = 20000 };

int client_setup(void **state)
{
    return client_setup_with(state, &(struct shim_options){.chip = "NAVI21", .threads = 2});
}

int client_setup_with(void **state, const struct shim_options *options)
{
    struct client *client = calloc(1, sizeof *client);
    union drm_amdgpu_ctx context = {.in.op = AMDGPU_CTX_OP_ALLOC_CTX};
    int problem;
    client->device = shim_device_create(options, &problem);
    assert_non_null(client->device);
    assert_int_equal(client_ioctl(client, DRM_IOCTL_AMDGPU_CTX, &context), 0);
    client->context = context.out.alloc.ctx_id;
    client->next_address = client->device->window_base;
    *state = client;
    return 0;
}

int client_teardown(void **state)
{
    struct client *client = *state;
    shim_device_destroy(client->device, 1000);
    free(client);
    return 0;
}

int client_ioctl(struct client *client, unsigned long request, void *argument)
{
    return shim_ioctl_run(client->device, request, argument);
}

uint32_t client_create(struct client *client, uint64_t bytes, uint64_t flags)
{
    union drm_amdgpu_gem_create create = {.in = {bytes, SHIM_PAGE, AMDGPU_GEM_DOMAIN_VRAM, flags}};
    return client_ioctl(client, DRM_IOCTL_AMDGPU_GEM_CREATE, &create) ? 0 : create.out.handle;
}

struct client_buffer client_buffer(struct client *client, uint64_t bytes)
{
    struct client_buffer buffer = {.handle = client_create(client, bytes, 0), .bytes = bytes, .address = client->next_address};
    union drm_amdgpu_gem_mmap map = {.in.handle = buffer.handle};
    struct drm_amdgpu_gem_va va = {buffer.handle,
                                   0,
                                   AMDGPU_VA_OP_MAP,
                                   AMDGPU_VM_PAGE_READABLE | AMDGPU_VM_PAGE_WRITEABLE | AMDGPU_VM_PAGE_EXECUTABLE,
                                   buffer.address,
                                   0,
                                   bytes};
    int error;
    assert_int_not_equal(buffer.handle, 0);
    assert_int_equal(client_ioctl(client, DRM_IOCTL_AMDGPU_GEM_MMAP, &map), 0);
    assert_int_equal(client_ioctl(client, DRM_IOCTL_AMDGPU_GEM_VA, &va), 0);
    pthread_mutex_lock(&client->device->lock);
    buffer.words = shim_view_map(client->device, NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, map.out.addr_ptr, &error);
    pthread_mutex_unlock(&client->device->lock);
    assert_ptr_not_equal(buffer.words, MAP_FAILED);
    client->next_address += bytes + SHIM_PAGE;
    return buffer;
}

void client_close(struct client *client, struct client_buffer *buffer)
{
    struct drm_gem_close close = {.handle = buffer->handle};
    shim_view_unmapped(client->device, (uintptr_t)buffer->words, buffer->bytes);
    munmap(buffer->words, buffer->bytes);
    assert_int_equal(client_ioctl(client, DRM_IOCTL_GEM_CLOSE, &close), 0);
}

/* -- packets: the PM4 encodings of AMD's guides -- */

enum {
    PACKET_WRITE_DATA = 0x37,
    PACKET_WAIT_REG_MEM = 0x3c,
    DESTINATION_MEMORY = 5 << 8,
    CONFIRM = 1 << 20,
    EQUAL = 3,
    IN_MEMORY = 1 << 4,
    POLL_INTERVAL = 10
};

static uint32_t *packet(uint32_t *at, uint32_t opcode, uint32_t words)
{
    *at = UINT32_C(3) << 30 | (words - 1) << 16 | opcode << 8;
    return at + 1;
}

static uint32_t *put(uint32_t *at, uint32_t word)
{
    *at = word;
    return at + 1;
}

uint32_t *client_write(uint32_t *at, uint64_t address, uint32_t value)
{
    at = packet(at, PACKET_WRITE_DATA, 4);
    at = put(at, DESTINATION_MEMORY | CONFIRM);
    at = put(put(at, (uint32_t)address), (uint32_t)(address >> 32));
    return put(at, value);
}

uint32_t *client_wait(uint32_t *at, uint64_t address, uint32_t value)
{
    at = packet(at, PACKET_WAIT_REG_MEM, 6);
    at = put(at, EQUAL | IN_MEMORY);
    at = put(put(at, (uint32_t)address), (uint32_t)(address >> 32));
    return put(put(put(at, value), UINT32_MAX), POLL_INTERVAL);
}

/* -- submissions -- */

int64_t client_submit(struct client *client, const struct client_buffer *commands, uint32_t words,
                      const struct client_submit *more)
{
    struct client_submit none = {.kind = AMDGPU_HW_IP_GFX};
    enum { MOST = 16 };
    if (!more)
        more = &none;
    struct drm_amdgpu_cs_chunk_ib ib = {
        .va_start = commands->address, .ib_bytes = words * 4, .ip_type = more->kind, .ring = more->ring};
    struct drm_amdgpu_bo_list_entry entry = {commands->handle, 0};
    struct drm_amdgpu_bo_list_in list = {.operation = UINT32_MAX,
                                         .list_handle = UINT32_MAX,
                                         .bo_number = 1,
                                         .bo_info_size = sizeof entry,
                                         .bo_info_ptr = (uintptr_t)&entry};
    struct drm_amdgpu_cs_chunk chunks[MOST] = {{AMDGPU_CHUNK_ID_IB, sizeof ib / 4, (uintptr_t)&ib},
                                               {AMDGPU_CHUNK_ID_BO_HANDLES, sizeof list / 4, (uintptr_t)&list}};
    uint64_t places[MOST];
    assert_true(more->chunk_count <= MOST - 2);
    for (uint32_t n = 0; n < more->chunk_count; n++)
        chunks[n + 2] = more->chunks[n];
    for (uint32_t n = 0; n < more->chunk_count + 2; n++)
        places[n] = (uintptr_t)&chunks[n];
    union drm_amdgpu_cs call = {
        .in = {.ctx_id = client->context, .num_chunks = more->chunk_count + 2, .chunks = (uintptr_t)places}};
    int problem = client_ioctl(client, DRM_IOCTL_AMDGPU_CS, &call);
    return problem ? problem : (int64_t)call.out.handle;
}

bool client_finish(struct client *client, uint32_t kind, uint32_t ring, uint64_t sequence)
{
    union drm_amdgpu_wait_cs call = {.in = {.handle = sequence,
                                            .timeout = shim_deadline_after(ENOUGH_MS),
                                            .ip_type = kind,
                                            .ring = ring,
                                            .ctx_id = client->context}};
    return !client_ioctl(client, DRM_IOCTL_AMDGPU_WAIT_CS, &call) && !call.out.status;
}

uint32_t client_syncobj(struct client *client, uint32_t flags)
{
    struct drm_syncobj_create call = {.flags = flags};
    assert_int_equal(client_ioctl(client, DRM_IOCTL_SYNCOBJ_CREATE, &call), 0);
    return call.handle;
}

int client_wait_syncobj(struct client *client, uint32_t handle, uint64_t point, uint32_t flags, uint64_t milliseconds)
{
    struct drm_syncobj_timeline_wait call = {.handles = (uintptr_t)&handle,
                                             .points = (uintptr_t)&point,
                                             .count_handles = 1,
                                             .flags = flags,
                                             .timeout_nsec = (int64_t)shim_deadline_after(milliseconds)};
    return client_ioctl(client, DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, &call);
}
