/* Buffers that no program of the host reaches: when they count as such, and that what the GPU left in them is there once one does. */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "shim/shim_testing.h"

enum { BYTES = 16 * SHIM_PAGE, MAY_ALL = AMDGPU_VM_PAGE_READABLE | AMDGPU_VM_PAGE_WRITEABLE | AMDGPU_VM_PAGE_EXECUTABLE };

static const struct shim_buffer *find(struct client *client, uint32_t handle)
{
    return shim_buffer_find(client->device, handle);
}

static void show(struct client *client, uint32_t handle, uint32_t operation, uint64_t address)
{
    struct drm_amdgpu_gem_va va = {handle, 0, operation, MAY_ALL, address, 0, BYTES};
    assert_int_equal(client_ioctl(client, DRM_IOCTL_AMDGPU_GEM_VA, &va), 0);
}

/* A buffer that is mapped nowhere but for the GPU. */
static uint32_t unseen(struct client *client, uint64_t *address)
{
    uint32_t handle = client_create(client, BYTES, 0);
    *address = client->next_address;
    client->next_address += BYTES + SHIM_PAGE;
    show(client, handle, AMDGPU_VA_OP_MAP, *address);
    return handle;
}

static uint32_t *map(struct client *client, uint32_t handle)
{
    union drm_amdgpu_gem_mmap call = {.in.handle = handle};
    int error;
    assert_int_equal(client_ioctl(client, DRM_IOCTL_AMDGPU_GEM_MMAP, &call), 0);
    pthread_mutex_lock(&client->device->lock);
    uint32_t *words = shim_view_map(client->device, NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, call.out.addr_ptr, &error);
    pthread_mutex_unlock(&client->device->lock);
    assert_ptr_not_equal(words, MAP_FAILED);
    return words;
}

/* ---- which ones ---- */

static void a_buffer_that_no_cpu_ever_mapped_is_hidden(void **state)
{
    struct client *client = *state;
    uint64_t address;
    uint32_t handle = unseen(client, &address);
    assert_true(find(client, handle)->hidden);
    uint32_t *words = map(client, handle);
    assert_false(find(client, handle)->hidden);
    shim_view_unmapped(client->device, (uintptr_t)words, BYTES);
    munmap(words, BYTES);
    show(client, handle, AMDGPU_VA_OP_REPLACE, address);
    assert_false(find(client, handle)->hidden); /* once is for ever: children may have it still */
}

static void a_buffer_that_is_exported_is_seen(void **state)
{
    struct client *client = *state;
    uint64_t address;
    uint32_t handle = unseen(client, &address);
    struct drm_prime_handle call = {.handle = handle};
    assert_true(find(client, handle)->hidden);
    assert_int_equal(client_ioctl(client, DRM_IOCTL_PRIME_HANDLE_TO_FD, &call), 0);
    assert_false(find(client, handle)->hidden);
    close(call.fd);
}

/* The device takes two places for two memories. */
static void a_buffer_that_is_shown_twice_is_seen(void **state)
{
    struct client *client = *state;
    uint64_t address;
    uint32_t handle = unseen(client, &address);
    show(client, handle, AMDGPU_VA_OP_MAP, client->next_address);
    client->next_address += BYTES + SHIM_PAGE;
    assert_false(find(client, handle)->hidden);
}

static void a_buffer_whose_addresses_show_something_else_is_not_hidden_any_more(void **state)
{
    struct client *client = *state;
    uint64_t address, other_address;
    uint32_t handle = unseen(client, &address), other = unseen(client, &other_address);
    show(client, other, AMDGPU_VA_OP_REPLACE, address);
    assert_false(find(client, handle)->hidden);
    assert_false(find(client, other)->hidden);
    uint32_t gone = unseen(client, &address);
    show(client, gone, AMDGPU_VA_OP_UNMAP, address);
    assert_false(find(client, gone)->hidden);
}

/* ---- what the GPU leaves in them ---- */

/* Assembled with llvm-mc for gfx1030; s[0:1]: an address. Adds one to a word for each thread. */
static const uint32_t add_one[] = {
    0x34040082,             /* v_lshlrev_b32 v2, 2, v0 */
    0xdc308000, 0x03000002, /* global_load_dword v3, v2, s[0:1] */
    0xbf8c3f70,             /* s_waitcnt vmcnt(0) */
    0x4a060681,             /* v_add_nc_u32 v3, 1, v3 */
    0xdc708000, 0x00000302, /* global_store_dword v2, v3, s[0:1] */
    0xbf810000,             /* s_endpgm */
};

enum {
    SET_SH_REG = 0x76,
    DISPATCH_DIRECT = 0x15,
    SH_FIRST = 0x2c00,
    PGM_LO = 0x2e0c,
    PGM_RSRC1 = 0x2e12,
    NUM_THREAD_X = 0x2e07,
    USER_DATA_0 = 0x2e40
};

static uint32_t *packet(uint32_t *at, uint32_t opcode, uint32_t first, uint32_t count, const uint32_t *words)
{
    bool sets = opcode == SET_SH_REG;
    *at++ = UINT32_C(3) << 30 | (count + sets - 1) << 16 | opcode << 8;
    if (sets)
        *at++ = first - SH_FIRST;
    for (uint32_t n = 0; n < count; n++)
        *at++ = words[n];
    return at;
}

static uint32_t put_dispatch(uint32_t *at, uint64_t code, uint64_t address)
{
    const uint32_t *begin = at;
    const uint32_t program[] = {(uint32_t)(code >> 8), (uint32_t)(code >> 40)}, resources[] = {1 | 0xc0u << 12, 2 << 1},
                   threads[] = {64, 1, 1}, data[] = {(uint32_t)address, (uint32_t)(address >> 32)}, grid[] = {1, 1, 1, 5};
    at = packet(at, SET_SH_REG, PGM_LO, 2, program);
    at = packet(at, SET_SH_REG, PGM_RSRC1, 2, resources);
    at = packet(at, SET_SH_REG, NUM_THREAD_X, 3, threads);
    at = packet(at, SET_SH_REG, USER_DATA_0, 2, data);
    at = packet(at, DISPATCH_DIRECT, 0, 4, grid);
    return (uint32_t)(at - begin);
}

static int setup_copies(void **state)
{
    return client_setup_with(
        state, &(struct shim_options){
                   .chip = "NAVI21", .threads = 2, .device = "vulkan", .memory = "mirrored", .cache = "", .deterministic = true});
}

static void what_the_gpu_left_in_an_unseen_buffer_is_there_when_it_is_mapped(void **state)
{
    enum { TIMES = 3 };
    struct client *client = *state;
    uint64_t address;
    struct client_buffer commands = client_buffer(client, SHIM_PAGE), code = client_buffer(client, SHIM_PAGE);
    uint32_t handle = unseen(client, &address);
    memcpy(code.words, add_one, sizeof add_one);
    uint32_t count = put_dispatch(commands.words, code.address, address);
    for (unsigned n = 0; n < TIMES; n++) {
        int64_t sequence = client_submit(client, &commands, count, NULL);
        assert_true(sequence > 0);
        assert_true(client_finish(client, AMDGPU_HW_IP_GFX, 0, (uint64_t)sequence));
    }
    assert_true(find(client, handle)->hidden);
    const uint32_t *words = map(client, handle);
    for (unsigned n = 0; n < 64; n++)
        assert_int_equal(words[n], TIMES);
    int64_t sequence = client_submit(client, &commands, count, NULL);
    assert_true(client_finish(client, AMDGPU_HW_IP_GFX, 0, (uint64_t)sequence));
    assert_int_equal(words[0], TIMES + 1); /* from now on the fence is enough */
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, client_setup, client_teardown)
    const struct CMUnitTest tests[] = {
        T(a_buffer_that_no_cpu_ever_mapped_is_hidden),
        T(a_buffer_that_is_exported_is_seen),
        T(a_buffer_that_is_shown_twice_is_seen),
        T(a_buffer_whose_addresses_show_something_else_is_not_hidden_any_more),
        cmocka_unit_test_setup_teardown(what_the_gpu_left_in_an_unseen_buffer_is_there_when_it_is_mapped, setup_copies,
                                        client_teardown),
    };
#undef T
    return cmocka_run_group_tests(tests, NULL, NULL);
}
