/* shim_hostile_test: calls that make no sense, by every number, with every kind of bad pointer and from several threads: each
 * is refused, and the device goes on. */
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

#include "shim/shim_copy.h"
#include "shim/shim_ioctl.h"
#include "shim/shim_testing.h"

/* The device still carries out what makes sense. */
static void check_alive(struct client *client)
{
    struct client_buffer commands = client_buffer(client, 4096), data = client_buffer(client, 4096);
    uint32_t words = (uint32_t)(client_write(commands.words, data.address, 0xabcd) - commands.words);
    int64_t sequence = client_submit(client, &commands, words, NULL);
    assert_true(sequence > 0);
    assert_true(client_finish(client, AMDGPU_HW_IP_GFX, 0, (uint64_t)sequence));
    assert_int_equal(data.words[0], 0xabcd);
    client_close(client, &commands);
    client_close(client, &data);
}

static void bad_pointers_to_any_call_fault(void **state)
{
    struct client *client = *state;
    uint8_t *pages = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(pages + 4096, 4096, PROT_NONE);
    mprotect(pages + 2 * 4096, 4096, PROT_READ);
    /* Nothing there, half there, of no address space. */
    const uint64_t places[] = {0, 8, (uintptr_t)pages + 4096, (uintptr_t)pages + 4096 - 4, UINT64_C(1) << 62, UINT64_MAX - 15};
#define IOCTL(number, name, type, function, lock)                                                                 \
    for (size_t n = 0; n < sizeof places / sizeof places[0]; n++)                                                 \
        assert_int_equal(client_ioctl(client, _IOC(_IOC_READ | _IOC_WRITE, DRM_IOCTL_BASE, number, sizeof(type)), \
                                      (void *)(uintptr_t)places[n]),                                              \
                         -EFAULT);
#include "shim/shim_ioctls.def"
#undef IOCTL
    munmap(pages, 3 * 4096);
    check_alive(client);
}

static void bad_pointers_inside_calls_fault(void **state)
{
    struct client *client = *state;
    uint8_t *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint64_t bad = 64, chunks[1] = {64};
    uint32_t object = client_syncobj(client, 0);
    struct drm_amdgpu_info info = {.return_pointer = (uintptr_t)page, .return_size = 368, .query = AMDGPU_INFO_DEV_INFO};
    assert_int_equal(client_ioctl(client, DRM_IOCTL_AMDGPU_INFO, &info), -EFAULT);
    info.return_pointer = bad;
    info.return_size = 4;
    assert_int_equal(client_ioctl(client, DRM_IOCTL_AMDGPU_INFO, &info), -EFAULT);
    struct drm_version version = {.name = (char *)(uintptr_t)bad, .name_len = 10};
    assert_int_equal(client_ioctl(client, DRM_IOCTL_VERSION, &version), -EFAULT);
    union drm_amdgpu_cs cs = {.in = {.ctx_id = client->context, .num_chunks = 1, .chunks = bad}};
    assert_int_equal(client_ioctl(client, DRM_IOCTL_AMDGPU_CS, &cs), -EFAULT);
    cs.in = (struct drm_amdgpu_cs_in){.ctx_id = client->context, .num_chunks = 1, .chunks = (uintptr_t)chunks};
    assert_int_equal(client_ioctl(client, DRM_IOCTL_AMDGPU_CS, &cs), -EFAULT);
    struct drm_amdgpu_cs_chunk chunk = {AMDGPU_CHUNK_ID_IB, 8, bad};
    chunks[0] = (uintptr_t)&chunk;
    assert_int_equal(client_ioctl(client, DRM_IOCTL_AMDGPU_CS, &cs), -EFAULT);
    chunk.length_dw = UINT32_MAX;
    assert_int_equal(client_ioctl(client, DRM_IOCTL_AMDGPU_CS, &cs), -EINVAL);
    struct drm_syncobj_wait wait = {.handles = bad, .count_handles = 1};
    assert_int_equal(client_ioctl(client, DRM_IOCTL_SYNCOBJ_WAIT, &wait), -EFAULT);
    struct drm_syncobj_timeline_array query = {.handles = (uintptr_t)&object, .points = (uintptr_t)page, .count_handles = 1};
    assert_int_equal(client_ioctl(client, DRM_IOCTL_SYNCOBJ_QUERY, &query), -EFAULT);
    query.count_handles = UINT32_MAX;
    assert_int_equal(client_ioctl(client, DRM_IOCTL_SYNCOBJ_QUERY, &query), -EINVAL);
    union drm_amdgpu_bo_list list = {
        .in = {.operation = AMDGPU_BO_LIST_OP_CREATE, .bo_number = 1, .bo_info_size = 8, .bo_info_ptr = bad}};
    assert_int_equal(client_ioctl(client, DRM_IOCTL_AMDGPU_BO_LIST, &list), -EFAULT);
    list.in = (struct drm_amdgpu_bo_list_in){
        .operation = AMDGPU_BO_LIST_OP_CREATE, .bo_number = UINT32_MAX, .bo_info_size = UINT32_MAX, .bo_info_ptr = bad};
    assert_int_equal(client_ioctl(client, DRM_IOCTL_AMDGPU_BO_LIST, &list), -EINVAL);
    union drm_amdgpu_wait_fences fences = {.in = {bad, 1, 0, 0}};
    assert_int_equal(client_ioctl(client, DRM_IOCTL_AMDGPU_WAIT_FENCES, &fences), -EFAULT);
    munmap(page, 4096);
    check_alive(client);
}

static void unknown_numbers_are_refused_by_name(void **state)
{
    struct client *client = *state;
    uint64_t zeros[64] = {0};
    for (unsigned number = 0; number < 256; number++) {
        bool known = false;
        for (size_t row = 0; shim_ioctl_name(row); row++)
            known |= shim_ioctl_number(row) == number;
        int problem = known ? -EINVAL : client_ioctl(client, _IOC(_IOC_READ | _IOC_WRITE, DRM_IOCTL_BASE, number, 64), zeros);
        assert_true(problem == -EINVAL || problem == -EACCES);
    }
    assert_int_equal(client_ioctl(client, _IOC(_IOC_READ, 'x', 4, 64), zeros), -ENOTTY);
    assert_true(client->device->refusal_count > 100);
}

static void shorter_and_longer_structures_are_taken(void **state)
{
    struct client *client = *state;
    struct {
        struct drm_get_cap call;
        uint64_t more;
    } longer = {{DRM_CAP_SYNCOBJ, 0}, 0x5555};
    assert_int_equal(client_ioctl(client, _IOC(_IOC_READ | _IOC_WRITE, DRM_IOCTL_BASE, 0x0c, sizeof longer), &longer), 0);
    assert_int_equal(longer.call.value, 1);
    assert_int_equal(longer.more, 0x5555);
    struct drm_get_cap shorter = {DRM_CAP_SYNCOBJ, 77};
    assert_int_equal(client_ioctl(client, _IOC(_IOC_READ | _IOC_WRITE, DRM_IOCTL_BASE, 0x0c, 8), &shorter), 0);
    assert_int_equal(shorter.value, 77);
}

/* -- noise -- */

static uint64_t noise(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

/* A word as callers mistake them: small, large, a pointer that is none. */
static uint64_t odd_word(uint64_t *seed, const void *page)
{
    static const uint64_t words[] = {0, 1, 2, 3, 4096, UINT32_MAX, UINT64_MAX, INT64_MAX, UINT64_C(1) << 32, UINT64_C(1) << 47};
    uint64_t choice = noise(seed);
    switch (choice % 4) {
    case 0: return words[(choice >> 8) % (sizeof words / sizeof words[0])];
    case 1: return (choice >> 8) % 16;
    case 2: return (uintptr_t)page + (choice >> 8) % 512;
    default: return (choice >> 8) % 8 | ((choice >> 40) % 8) << 32;
    }
}

/* Calls that could wait for ever, name the process's own memory as the GPU's, or take over its descriptors, stay out of it. */
static bool is_left_out(unsigned number)
{
    static const unsigned left_out[] = {0xc3,
                                        0xca,
                                        0xcc,
                                        0x2d,
                                        0x2e,
                                        0xc1,
                                        0xc2,
                                        0x40 + DRM_AMDGPU_WAIT_CS,
                                        0x40 + DRM_AMDGPU_WAIT_FENCES,
                                        0x40 + DRM_AMDGPU_GEM_WAIT_IDLE,
                                        0x40 + DRM_AMDGPU_GEM_USERPTR,
                                        0x40 + DRM_AMDGPU_FENCE_TO_HANDLE,
                                        0x40 + DRM_AMDGPU_CS};
    for (size_t n = 0; n < sizeof left_out / sizeof left_out[0]; n++)
        if (left_out[n] == number)
            return true;
    return false;
}

struct noisy {
    struct client *client;
    uint64_t seed;
    uint8_t *page;
};

static void *make_noise(void *of)
{
    struct noisy *noisy = of;
    enum { CALLS = 3000 };
    for (unsigned n = 0; n < CALLS; n++) {
        uint64_t words[64];
        unsigned number = (unsigned)noise(&noisy->seed) & 0xff;
        if (noise(&noisy->seed) % 2)
            number = 0x40 + number % 0x16;
        if (is_left_out(number))
            continue;
        for (size_t w = 0; w < 64; w++)
            words[w] = odd_word(&noisy->seed, noisy->page);
        shim_ioctl_run(noisy->client->device, _IOC(_IOC_READ | _IOC_WRITE, DRM_IOCTL_BASE, number, noise(&noisy->seed) % 512),
                       words);
    }
    return NULL;
}

static void noise_from_several_threads_does_no_harm(void **state)
{
    struct client *client = *state;
    enum { THREADS = 4 };
    struct noisy noisy[THREADS];
    pthread_t threads[THREADS];
    for (unsigned n = 0; n < THREADS; n++) {
        noisy[n] = (struct noisy){client, 88172645463325252ULL + n,
                                  mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)};
        pthread_create(&threads[n], NULL, make_noise, &noisy[n]);
    }
    for (unsigned n = 0; n < THREADS; n++) {
        pthread_join(threads[n], NULL);
        munmap(noisy[n].page, 8192);
    }
    /* The noise may have closed the context. */
    union drm_amdgpu_ctx context = {.in.op = AMDGPU_CTX_OP_ALLOC_CTX};
    assert_int_equal(client_ioctl(client, DRM_IOCTL_AMDGPU_CTX, &context), 0);
    client->context = context.out.alloc.ctx_id;
    client->next_address = client->device->window_base + (UINT64_C(5) << 32);
    check_alive(client);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, client_setup, client_teardown)
    const struct CMUnitTest tests[] = {
        TEST(bad_pointers_to_any_call_fault),          TEST(bad_pointers_inside_calls_fault),
        TEST(unknown_numbers_are_refused_by_name),     TEST(shorter_and_longer_structures_are_taken),
        TEST(noise_from_several_threads_does_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
