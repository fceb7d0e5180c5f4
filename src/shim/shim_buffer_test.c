/* shim_buffer_test: buffers: their memory, their guest addresses, and the program's mappings of them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "shim/shim_copy.h"
#include "shim/shim_testing.h"

static int operate_va(struct client *client, uint32_t operation, uint32_t handle, uint64_t address, uint64_t bytes,
                      uint64_t offset, uint32_t flags)
{
    struct drm_amdgpu_gem_va va = {handle, 0, operation, flags, address, offset, bytes};
    return client_ioctl(client, DRM_IOCTL_AMDGPU_GEM_VA, &va);
}

/* What the guest reads at an address, or a pattern when nothing is mapped there. */
static uint32_t guest_word(struct client *client, uint64_t address)
{
    uint32_t word = 0;
    return tf_memory_read(client->device->gpu, address, &word, sizeof word, NULL) == TF_OK ? word : 0xdeadbeef;
}

enum { RIGHTS = AMDGPU_VM_PAGE_READABLE | AMDGPU_VM_PAGE_WRITEABLE };

static void a_new_buffer_is_zero_even_where_an_old_one_was(void **state)
{
    struct client *client = *state;
    for (unsigned round = 0; round < 3; round++) {
        struct client_buffer buffer = client_buffer(client, 1 << 20);
        for (size_t n = 0; n < buffer.bytes / 4; n++)
            assert_int_equal(buffer.words[n], 0);
        memset(buffer.words, 0xff, buffer.bytes);
        client_close(client, &buffer);
    }
}

static void sizes_domains_and_flags_that_make_no_sense_are_refused(void **state)
{
    struct client *client = *state;
    static const struct drm_amdgpu_gem_create_in wishes[] = {
        {0, 4096, AMDGPU_GEM_DOMAIN_VRAM, 0},
        {UINT64_MAX, 4096, AMDGPU_GEM_DOMAIN_VRAM, 0},
        {UINT64_MAX - 4095, 4096, AMDGPU_GEM_DOMAIN_GTT, 0},
        {UINT64_C(1) << 50, 4096, AMDGPU_GEM_DOMAIN_GTT, 0},
        {4096, 3, AMDGPU_GEM_DOMAIN_VRAM, 0},
        {4096, 4096, 0x40, 0},
        {4096, 4096, AMDGPU_GEM_DOMAIN_GDS | AMDGPU_GEM_DOMAIN_VRAM, 0},
        {4096, 4096, AMDGPU_GEM_DOMAIN_VRAM, UINT64_C(1) << 40},
        {4096, 4096, AMDGPU_GEM_DOMAIN_VRAM, AMDGPU_GEM_CREATE_ENCRYPTED},
    };
    for (size_t n = 0; n < sizeof wishes / sizeof wishes[0]; n++) {
        union drm_amdgpu_gem_create create = {.in = wishes[n]};
        int problem = client_ioctl(client, DRM_IOCTL_AMDGPU_GEM_CREATE, &create);
        assert_true(problem == -EINVAL || problem == -ENOMEM);
    }
}

static void guest_addresses_show_a_buffer_until_they_are_unmapped(void **state)
{
    struct client *client = *state;
    struct client_buffer buffer = client_buffer(client, 4 * 4096);
    uint64_t second = client->device->window_base + (UINT64_C(1) << 32);
    buffer.words[1024] = 42;
    assert_int_equal(guest_word(client, buffer.address + 4096), 42);
    assert_int_equal(operate_va(client, AMDGPU_VA_OP_MAP, buffer.handle, second, 4096, 4096, RIGHTS), 0);
    assert_int_equal(guest_word(client, second), 42);
    /* What is mapped already, or not part of the buffer, is refused. */
    assert_int_equal(operate_va(client, AMDGPU_VA_OP_MAP, buffer.handle, second, 4096, 0, RIGHTS), -EINVAL);
    assert_int_equal(operate_va(client, AMDGPU_VA_OP_MAP, buffer.handle, second + 4096, 4096, 4 * 4096, RIGHTS), -EINVAL);
    assert_int_equal(operate_va(client, AMDGPU_VA_OP_MAP, buffer.handle, second + 4096, 5 * 4096, 0, RIGHTS), -EINVAL);
    assert_int_equal(operate_va(client, AMDGPU_VA_OP_MAP, buffer.handle, second + 4096, UINT64_MAX - 4095, 4096, RIGHTS),
                     -EINVAL);
    assert_int_equal(operate_va(client, AMDGPU_VA_OP_UNMAP, buffer.handle, second + 4096, 4096, 0, 0), -ENOENT);
    assert_int_equal(operate_va(client, AMDGPU_VA_OP_UNMAP, buffer.handle, second, 4096, 0, 0), 0);
    assert_int_equal(guest_word(client, second), 0xdeadbeef);
    client_close(client, &buffer);
    assert_int_equal(guest_word(client, buffer.address), 0xdeadbeef);
}

static void addresses_that_no_driver_has_are_refused(void **state)
{
    struct client *client = *state;
    struct client_buffer buffer = client_buffer(client, 4096);
    static const uint64_t addresses[] = {
        0, 4096, UINT64_C(1) << 47, UINT64_C(0xffff7fffffffe000), (UINT64_C(1) << 47) - 4096 + 1, 123};
    for (size_t n = 0; n < sizeof addresses / sizeof addresses[0]; n++)
        assert_int_equal(operate_va(client, AMDGPU_VA_OP_MAP, buffer.handle, addresses[n], 4096, 0, RIGHTS), -EINVAL);
    assert_int_equal(operate_va(client, 9, buffer.handle, buffer.address + (1 << 20), 4096, 0, RIGHTS), -EINVAL);
    assert_int_equal(operate_va(client, AMDGPU_VA_OP_MAP, buffer.handle, buffer.address + (1 << 20), 4096, 0, 1U << 31), -EINVAL);
    assert_int_equal(operate_va(client, AMDGPU_VA_OP_MAP, 4711, buffer.address + (1 << 20), 4096, 0, RIGHTS), -ENOENT);
}

static void replace_and_clear_cut_what_is_mapped(void **state)
{
    struct client *client = *state;
    struct client_buffer low = client_buffer(client, 4 * 4096), high = client_buffer(client, 4 * 4096);
    uint64_t place = client->device->window_base + (UINT64_C(2) << 32);
    for (uint32_t n = 0; n < 4; n++) {
        low.words[n * 1024] = 10 + n;
        high.words[n * 1024] = 20 + n;
    }
    /* A range that is resident nowhere, and pages put into it, as a driver does with sparse buffers. */
    assert_int_equal(operate_va(client, AMDGPU_VA_OP_MAP, 0, place, 4 * 4096, 0, AMDGPU_VM_PAGE_PRT), 0);
    assert_int_equal(guest_word(client, place + 4096), 0);
    assert_int_equal(operate_va(client, AMDGPU_VA_OP_REPLACE, low.handle, place, 3 * 4096, 4096, RIGHTS), 0);
    assert_int_equal(operate_va(client, AMDGPU_VA_OP_REPLACE, high.handle, place + 4096, 4096, 3 * 4096, RIGHTS), 0);
    assert_int_equal(guest_word(client, place), 11);
    assert_int_equal(guest_word(client, place + 4096), 23);
    assert_int_equal(guest_word(client, place + 2 * 4096), 13);
    assert_int_equal(guest_word(client, place + 3 * 4096), 0);
    assert_int_equal(operate_va(client, AMDGPU_VA_OP_REPLACE, 0, place + 2 * 4096, 4096, 0, AMDGPU_VM_PAGE_PRT), 0);
    assert_int_equal(guest_word(client, place + 2 * 4096), 0);
    assert_int_equal(operate_va(client, AMDGPU_VA_OP_CLEAR, 0, place, 4 * 4096, 0, 0), 0);
    for (unsigned n = 0; n < 4; n++)
        assert_int_equal(guest_word(client, place + n * 4096), 0xdeadbeef);
    assert_int_equal(guest_word(client, low.address), 10);
    client_close(client, &high);
    assert_int_equal(guest_word(client, low.address + 3 * 4096), 13);
}

static void a_mapping_of_the_program_keeps_the_memory_past_the_handle(void **state)
{
    struct client *client = *state;
    struct client_buffer buffer = client_buffer(client, 2 * 4096);
    struct drm_gem_close close = {.handle = buffer.handle};
    buffer.words[1024] = 5;
    assert_int_equal(client_ioctl(client, DRM_IOCTL_GEM_CLOSE, &close), 0);
    for (unsigned n = 0; n < 8; n++) {
        struct client_buffer other = client_buffer(client, 4096);
        other.words[0] = 99;
    }
    assert_int_equal(buffer.words[0], 0);
    assert_int_equal(buffer.words[1024], 5);
    /* Half of the mapping goes; the other half still keeps it. */
    shim_view_unmapped(client->device, (uintptr_t)buffer.words, 4096);
    munmap(buffer.words, 4096);
    (void)client_buffer(client, 4096);
    assert_int_equal(buffer.words[1024], 5);
    assert_non_null(client->device->graveyard);
    shim_view_unmapped(client->device, (uintptr_t)buffer.words + 4096, 4096);
    munmap(buffer.words + 1024, 4096);
    (void)client_buffer(client, 4096);
    assert_null(client->device->graveyard);
}

static void user_memory_is_shown_to_the_guest_and_read_only_memory_stays_so(void **state)
{
    struct client *client = *state;
    struct client_buffer commands = client_buffer(client, 4096);
    uint32_t *memory = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct drm_amdgpu_gem_userptr user = {(uintptr_t)memory, 2 * 4096, AMDGPU_GEM_USERPTR_REGISTER | AMDGPU_GEM_USERPTR_VALIDATE,
                                          0};
    uint64_t place = client->device->window_base + (UINT64_C(3) << 32);
    memory[1024] = 9;
    assert_int_equal(client_ioctl(client, DRM_IOCTL_AMDGPU_GEM_USERPTR, &user), 0);
    assert_int_equal(operate_va(client, AMDGPU_VA_OP_MAP, user.handle, place, 2 * 4096, 0, RIGHTS), 0);
    assert_int_equal(guest_word(client, place + 4096), 9);
    uint32_t words = (uint32_t)(client_write(commands.words, place + 4, 1234) - commands.words);
    int64_t sequence = client_submit(client, &commands, words, NULL);
    assert_true(sequence > 0 && client_finish(client, AMDGPU_HW_IP_GFX, 0, (uint64_t)sequence));
    assert_int_equal(memory[1], 1234);
    union drm_amdgpu_gem_mmap map = {.in.handle = user.handle};
    assert_int_equal(client_ioctl(client, DRM_IOCTL_AMDGPU_GEM_MMAP, &map), -EPERM);
    user = (struct drm_amdgpu_gem_userptr){(uintptr_t)memory + 1, 4096, AMDGPU_GEM_USERPTR_REGISTER, 0};
    assert_int_equal(client_ioctl(client, DRM_IOCTL_AMDGPU_GEM_USERPTR, &user), -EINVAL);
    user = (struct drm_amdgpu_gem_userptr){4096, 4096, AMDGPU_GEM_USERPTR_REGISTER | AMDGPU_GEM_USERPTR_VALIDATE, 0};
    assert_int_equal(client_ioctl(client, DRM_IOCTL_AMDGPU_GEM_USERPTR, &user), -EFAULT);
    user = (struct drm_amdgpu_gem_userptr){UINT64_MAX - 4095, 8192, AMDGPU_GEM_USERPTR_REGISTER, 0};
    assert_int_equal(client_ioctl(client, DRM_IOCTL_AMDGPU_GEM_USERPTR, &user), -EINVAL);
    munmap(memory, 3 * 4096);
}

/* A page where nothing else comes to lie once it is unmapped: the lowest of much room, which is filled from above. */
static uint32_t *lonely_page(void)
{
    enum { ROOM = 256 << 20 };
    void *room = mmap(NULL, ROOM, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert_ptr_not_equal(room, MAP_FAILED);
    munmap(room, ROOM);
    assert_ptr_equal(mmap(room, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0), room);
    return room;
}

/* A submission that lists it is refused; one that does not gets a fault, and nothing comes to lie where the memory was. What the
 * program maps there later is what the guest sees. */
static void user_memory_that_the_program_unmapped_is_a_fault_until_it_is_there_again(void **state)
{
    struct client *client = *state;
    struct client_buffer commands = client_buffer(client, 4096), listing = commands;
    uint32_t *memory = lonely_page();
    struct drm_amdgpu_gem_userptr user = {(uintptr_t)memory, 4096, AMDGPU_GEM_USERPTR_REGISTER | AMDGPU_GEM_USERPTR_VALIDATE, 0};
    uint64_t place = client->device->window_base + (UINT64_C(3) << 32);
    assert_int_equal(client_ioctl(client, DRM_IOCTL_AMDGPU_GEM_USERPTR, &user), 0);
    assert_int_equal(operate_va(client, AMDGPU_VA_OP_MAP, user.handle, place, 4096, 0, RIGHTS), 0);
    listing.handle = user.handle;
    uint32_t words = (uint32_t)(client_write(commands.words, place + 4, 1234) - commands.words);
    munmap(memory, 4096);
    for (unsigned n = 0; n < 3; n++) {
        assert_int_equal(client_submit(client, &listing, words, NULL), -EFAULT);
        int64_t sequence = client_submit(client, &commands, words, NULL);
        assert_true(sequence > 0 && client_finish(client, AMDGPU_HW_IP_GFX, 0, (uint64_t)sequence));
        assert_int_equal(msync(memory, 4096, MS_ASYNC), -1);
    }
    char *summary = tf_gpu_summary(client->device->gpu);
    assert_non_null(strstr(summary, "fault"));
    free(summary);
    assert_ptr_equal(mmap(memory, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0),
                     memory);
    int64_t sequence = client_submit(client, &listing, words, NULL);
    assert_true(sequence > 0 && client_finish(client, AMDGPU_HW_IP_GFX, 0, (uint64_t)sequence));
    assert_int_equal(memory[1], 1234);
    munmap(memory, 4096);
}

static void five_thousand_buffers_need_few_descriptors(void **state)
{
    struct client *client = *state;
    enum { BUFFERS = 5000, DESCRIPTORS = 64 };
    struct rlimit before, few;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    few = before;
    few.rlim_cur = DESCRIPTORS;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    uint32_t first = 0;
    for (unsigned n = 0; n < BUFFERS; n++) {
        struct client_buffer buffer = client_buffer(client, 4096 * (1 + n % 3));
        buffer.words[0] = n;
        assert_int_equal(guest_word(client, buffer.address), n);
        first = first ? first : buffer.handle;
    }
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    for (uint32_t handle = first; handle < first + BUFFERS; handle++)
        assert_int_equal(client_ioctl(client, DRM_IOCTL_GEM_CLOSE, &(struct drm_gem_close){handle, 0}), 0);
    assert_int_equal(client->device->va_count, 0);
}

static void create_info_and_metadata_come_back_as_they_were_given(void **state)
{
    struct client *client = *state;
    union drm_amdgpu_gem_create create = {.in = {5000, 65536, AMDGPU_GEM_DOMAIN_GTT, AMDGPU_GEM_CREATE_CPU_GTT_USWC}};
    assert_int_equal(client_ioctl(client, DRM_IOCTL_AMDGPU_GEM_CREATE, &create), 0);
    uint32_t handle = create.out.handle;
    struct drm_amdgpu_gem_create_in info = {0};
    struct drm_amdgpu_gem_op operation = {handle, AMDGPU_GEM_OP_GET_GEM_CREATE_INFO, (uintptr_t)&info};
    assert_int_equal(client_ioctl(client, DRM_IOCTL_AMDGPU_GEM_OP, &operation), 0);
    assert_int_equal(info.bo_size, 8192);
    assert_int_equal(info.alignment, 65536);
    assert_int_equal(info.domains, AMDGPU_GEM_DOMAIN_GTT);
    assert_int_equal(info.domain_flags, AMDGPU_GEM_CREATE_CPU_GTT_USWC);
    struct drm_amdgpu_gem_metadata set = {
        .handle = handle, .op = AMDGPU_GEM_METADATA_OP_SET_METADATA, .data = {1, 27, 12, {7, 8, 9}}};
    struct drm_amdgpu_gem_metadata get = {.handle = handle, .op = AMDGPU_GEM_METADATA_OP_GET_METADATA};
    assert_int_equal(client_ioctl(client, DRM_IOCTL_AMDGPU_GEM_METADATA, &set), 0);
    assert_int_equal(client_ioctl(client, DRM_IOCTL_AMDGPU_GEM_METADATA, &get), 0);
    assert_memory_equal(&get.data, &set.data, sizeof get.data);
    set.data.data_size_bytes = 257;
    assert_int_equal(client_ioctl(client, DRM_IOCTL_AMDGPU_GEM_METADATA, &set), -EINVAL);
}

static void copies_from_and_to_what_is_not_there_fail_and_change_nothing(void **state)
{
    uint8_t *pages = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), copy[64];
    (void)state;
    mprotect(pages + 4096, 4096, PROT_NONE);
    mprotect(pages + 2 * 4096, 4096, PROT_READ);
    memset(pages, 0x55, 4096);
    assert_int_equal(shim_copy_in(copy, (uintptr_t)pages + 4096 - 64, 64), 0);
    assert_int_equal(copy[63], 0x55);
    assert_int_equal(shim_copy_in(copy, (uintptr_t)pages + 4096 - 63, 64), -EFAULT);
    assert_int_equal(shim_copy_in(copy, (uintptr_t)pages + 4096, 1), -EFAULT);
    assert_int_equal(shim_copy_in(copy, (uintptr_t)pages + 2 * 4096, 3), 0);
    assert_int_equal(shim_copy_in(copy, UINT64_MAX - 3, 8), -EFAULT);
    assert_int_equal(shim_copy_in(copy, UINT64_C(1) << 60, 8), -EFAULT);
    assert_int_equal(shim_copy_in(copy, 0, 0), 0);
    memset(copy, 0x66, sizeof copy);
    for (size_t bytes = 1; bytes < 20; bytes++) {
        assert_int_equal(shim_copy_out((uintptr_t)pages + 4096 - bytes, copy, bytes), 0);
        assert_int_equal(pages[4095], 0x66);
        assert_int_equal(shim_copy_out((uintptr_t)pages + 4096 - bytes + 1, copy, bytes), -EFAULT);
        assert_int_equal(shim_copy_out((uintptr_t)pages + 2 * 4096, copy, bytes), -EFAULT);
    }
    assert_int_equal(pages[2 * 4096], 0);
    munmap(pages, 3 * 4096);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, client_setup, client_teardown)
    const struct CMUnitTest tests[] = {
        TEST(a_new_buffer_is_zero_even_where_an_old_one_was),
        TEST(sizes_domains_and_flags_that_make_no_sense_are_refused),
        TEST(guest_addresses_show_a_buffer_until_they_are_unmapped),
        TEST(addresses_that_no_driver_has_are_refused),
        TEST(replace_and_clear_cut_what_is_mapped),
        TEST(a_mapping_of_the_program_keeps_the_memory_past_the_handle),
        TEST(user_memory_is_shown_to_the_guest_and_read_only_memory_stays_so),
        TEST(user_memory_that_the_program_unmapped_is_a_fault_until_it_is_there_again),
        TEST(five_thousand_buffers_need_few_descriptors),
        TEST(create_info_and_metadata_come_back_as_they_were_given),
        cmocka_unit_test(copies_from_and_to_what_is_not_there_fail_and_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
