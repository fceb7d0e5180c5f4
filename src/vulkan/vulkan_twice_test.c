/* Memory that is mapped at two guest addresses, on copies: each address shows what was stored through the other; with the argument `staged`, moved
 * as on a device with memory of its own. */
#include "vulkan/vulkan_testing.h"

#include <sys/mman.h>
#include <unistd.h>

/* Assembled with llvm-mc for gfx1030, wave32: 9 to where each lane's word of 64 bits at s[4:5] says. */
static const uint32_t store_by_table[] = {
    0x34020083,             /* v_lshlrev_b32 v1, 3, v0 */
    0xdc348000, 0x02040001, /* global_load_dwordx2 v[2:3], v1, s[4:5] */
    0x7e080289,             /* v_mov_b32 v4, 9 */
    0xbf8c3f70,             /* s_waitcnt vmcnt(0) */
    0xdc708000, 0x007d0402, /* global_store_dword v[2:3], v4, off */
    0xbf810000,             /* s_endpgm */
};

static const char why[] = "stores to memory that is mapped at two addresses";
enum { BYTES = 4 * 4096 };

/* The file at two addresses, in the window. */
struct twice {
    struct fixture *f;
    int file;
    uint64_t one, other;
};

static void map_at(struct fixture *f, uint64_t address, int file, uint64_t offset)
{
    struct base_error error;
    assert_int_equal(mem_space_map_file(f->space, address, file, offset, BYTES, MEM_MAP_WRITABLE, &error), MEM_CHANGED);
}

static int make_file(void)
{
    int file = memfd_create("twice", 0);
    assert_true(file >= 0);
    assert_int_equal(ftruncate(file, 2 * BYTES), 0);
    return file;
}

static struct twice map_one(struct fixture *f)
{
    uint64_t base, size;
    mem_space_window(f->space, &base, &size);
    struct twice t = {f, make_file(), base + size / 2, base + size / 2 + (1 << 20)};
    map_at(f, t.one, t.file, 0);
    return t;
}

static struct twice map_both(struct fixture *f)
{
    struct twice t = map_one(f);
    map_at(f, t.other, t.file, 0);
    return t;
}

static void add_one_at(struct fixture *f, uint64_t address)
{
    struct device_dispatch dispatch = testing_dispatch(f);
    testing_put_code(f, testing_add_one, ADD_ONE_WORDS * sizeof(uint32_t));
    memcpy(dispatch.registers.user_data, &address, sizeof address);
    testing_run_only(f, &dispatch);
    assert_false(f->result.failed);
}

static void run_between(struct fixture *f, const uint32_t *code, size_t bytes, uint64_t to, uint64_t from)
{
    testing_put_code(f, code, bytes);
    testing_run_on(f, (uint64_t[]){to, 0, from, 0}, GROUPS, THREADS);
    assert_false(f->result.failed);
}

/* What a dispatch reads there is at AT_DATA then. */
static void assert_reads(struct fixture *f, uint64_t address, uint32_t expected)
{
    const uint64_t to = f->base + AT_DATA;
    run_between(f, testing_copy_all, sizeof testing_copy_all, to, address);
    testing_settle(f, (struct device_range){to, WORDS * sizeof(uint32_t)});
    testing_assert_words(f, expected);
}

static void put_words(const struct twice *t, uint64_t address, uint32_t word)
{
    uint32_t *words = mem_space_pointer(t->f->space, address, BYTES);
    for (unsigned n = 0; n < WORDS; n++)
        words[n] = word;
}

static uint32_t word_at(const struct twice *t, uint64_t address)
{
    return *(const uint32_t *)mem_space_pointer(t->f->space, address, sizeof(uint32_t));
}

/* ---- files ---- */

static void what_is_stored_through_one_address_is_read_through_the_other(void **state)
{
    struct twice t = map_both(*state);
    assert_reads(t.f, t.one, 0);
    assert_reads(t.f, t.other, 0); /* the device holds both */
    add_one_at(t.f, t.one);
    testing_assert_elsewhere(t.f, 2, 1, why);
    assert_reads(t.f, t.other, 1);
    add_one_at(t.f, t.other);
    assert_reads(t.f, t.one, 2);
    assert_reads(t.f, t.other, 2);
    testing_settle(t.f, (struct device_range){t.other, BYTES});
    assert_int_equal(word_at(&t, t.other), 2);
    close(t.file);
}

static void what_the_host_changed_at_one_address_is_read_at_the_other(void **state)
{
    struct twice t = map_both(*state);
    assert_reads(t.f, t.one, 0);
    assert_reads(t.f, t.other, 0);
    put_words(&t, t.one, 7);
    testing_changed(t.f, (struct device_range){t.one, BYTES});
    assert_reads(t.f, t.other, 7);
    testing_assert_elsewhere(t.f, 3, 0, "");
    close(t.file);
}

static void results_are_there_when_their_memory_is_mapped_a_second_time(void **state)
{
    struct twice t = map_one(*state);
    add_one_at(t.f, t.one);
    assert_int_equal(word_at(&t, t.one), 0); /* the device has them */
    map_at(t.f, t.other, t.file, 0);
    assert_reads(t.f, t.other, 1);
    assert_int_equal(word_at(&t, t.one), 1);
    testing_assert_elsewhere(t.f, 2, 0, "");
    close(t.file);
}

static void who_asks_for_the_second_address_gets_what_was_stored_through_the_first(void **state)
{
    struct twice t = map_one(*state);
    add_one_at(t.f, t.one);
    map_at(t.f, t.other, t.file, 0);
    testing_settle(t.f, (struct device_range){t.other + 8, 4});
    assert_int_equal(word_at(&t, t.other), 1);
    close(t.file);
}

static void hidden_memory_that_is_mapped_twice_is_passed_over_no_more(void **state)
{
    struct twice t = map_one(*state);
    struct mem_snapshot *snapshot = mem_snapshot_acquire(t.f->space);
    t.f->device->functions->hide(t.f->device, snapshot, (struct device_range){t.one, BYTES}, true);
    mem_snapshot_release(snapshot);
    map_at(t.f, t.other, t.file, 0);
    assert_reads(t.f, t.one, 0);
    put_words(&t, t.other, 7);
    t.f->device->functions->doubt(t.f->device);
    assert_reads(t.f, t.one, 7);
    close(t.file);
}

static void other_parts_of_a_file_and_other_files_are_other_memory(void **state)
{
    struct twice t = map_one(*state);
    int apart = make_file();
    map_at(t.f, t.other, t.file, BYTES);
    map_at(t.f, t.other + 2 * BYTES, apart, 0);
    add_one_at(t.f, t.one);
    add_one_at(t.f, t.other);
    add_one_at(t.f, t.other + 2 * BYTES);
    testing_assert_elsewhere(t.f, 3, 0, "");
    close(apart);
    close(t.file);
}

static void memory_that_is_mapped_once_again_is_stored_to_on_the_device_again(void **state)
{
    struct base_error error;
    struct twice t = map_both(*state);
    add_one_at(t.f, t.one);
    testing_assert_elsewhere(t.f, 0, 1, why);
    assert_true(mem_space_unmap(t.f->space, t.other, NULL, &error));
    add_one_at(t.f, t.one);
    testing_assert_elsewhere(t.f, 1, 1, "");
    testing_settle(t.f, DEVICE_EVERYTHING);
    assert_int_equal(word_at(&t, t.one), 2);
    close(t.file);
}

static void what_is_stored_to_addresses_that_memory_holds_is_read_through_the_other(void **state)
{
    struct twice t = map_both(*state);
    uint64_t table = t.f->base + AT_DATA + BYTES;
    uint64_t *places = mem_space_pointer(t.f->space, table, THREADS * sizeof *places);
    assert_reads(t.f, t.other, 0);
    for (unsigned n = 0; n < THREADS; n++)
        places[n] = t.one + (THREADS - 1 - n) * sizeof(uint32_t);
    testing_changed(t.f, DEVICE_EVERYTHING);
    run_between(t.f, store_by_table, sizeof store_by_table, 0, table);
    testing_assert_elsewhere(t.f, 1, 1, why);
    run_between(t.f, testing_copy_all, sizeof testing_copy_all, t.f->base + AT_DATA, t.other);
    testing_settle(t.f, DEVICE_EVERYTHING);
    for (unsigned n = 0; n < WORDS; n++)
        assert_int_equal(testing_words(t.f)[n], n < THREADS ? 9 : 0);
    close(t.file);
}

/* ---- the caller's memory ---- */

static void the_callers_memory_at_two_addresses_is_one_too(void **state)
{
    struct fixture *f = *state;
    struct base_error error;
    const uint64_t one = UINT64_C(0x123400000000), other = one + (1 << 20);
    uint8_t *own = aligned_alloc(4096, 2 * BYTES);
    assert_non_null(own);
    memset(own, 0, 2 * BYTES);
    assert_true(mem_space_map(f->space, one, own, BYTES, true, &error));
    assert_true(mem_space_map(f->space, other, own + BYTES / 2, BYTES, true, &error)); /* a half of it */
    assert_reads(f, other, 0);
    add_one_at(f, one + BYTES / 2);
    testing_assert_elsewhere(f, 1, 1, why);
    assert_reads(f, other, 1);
    assert_true(mem_space_unmap(f->space, one, NULL, &error));
    assert_true(mem_space_unmap(f->space, other, NULL, &error));
    assert_reads(f, f->base + AT_DATA + BYTES, 0);
    free(own);
}

static void a_file_and_the_callers_mapping_of_it_are_one(void **state)
{
    struct base_error error;
    struct twice t = map_one(*state);
    const uint64_t user = UINT64_C(0x123400000000);
    void *shown = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, t.file, 0);
    assert_true(shown != MAP_FAILED);
    assert_true(mem_space_map(t.f->space, user, shown, BYTES, true, &error));
    assert_reads(t.f, t.one, 0);
    add_one_at(t.f, user);
    testing_assert_elsewhere(t.f, 1, 1, why);
    assert_reads(t.f, t.one, 1);
    assert_true(mem_space_unmap(t.f->space, user, NULL, &error));
    assert_reads(t.f, t.one, 1);
    munmap(shown, BYTES);
    close(t.file);
}

static void allocated_memory_that_the_caller_maps_again_is_one(void **state)
{
    struct fixture *f = *state;
    struct base_error error;
    const uint64_t again = UINT64_C(0x123400000000);
    uint64_t more;
    assert_true(mem_space_alloc(f->space, BYTES, 4096, NULL, 0, &more, &error));
    add_one_at(f, more);
    testing_assert_elsewhere(f, 1, 0, "");
    assert_true(mem_space_map(f->space, again, mem_space_pointer(f->space, more, BYTES), BYTES, true, &error));
    assert_reads(f, again, 1);
    add_one_at(f, again);
    testing_assert_elsewhere(f, 2, 1, why);
    assert_reads(f, more, 2);
    assert_true(mem_space_unmap(f->space, again, NULL, &error));
}

int main(int argc, char **argv)
{
    testing_choose(argc, argv);
    const struct CMUnitTest tests[] = {
        TEST(what_is_stored_through_one_address_is_read_through_the_other),
        TEST(what_the_host_changed_at_one_address_is_read_at_the_other),
        TEST(results_are_there_when_their_memory_is_mapped_a_second_time),
        TEST(who_asks_for_the_second_address_gets_what_was_stored_through_the_first),
        TEST(hidden_memory_that_is_mapped_twice_is_passed_over_no_more),
        TEST(other_parts_of_a_file_and_other_files_are_other_memory),
        TEST(memory_that_is_mapped_once_again_is_stored_to_on_the_device_again),
        TEST(what_is_stored_to_addresses_that_memory_holds_is_read_through_the_other),
        TEST(the_callers_memory_at_two_addresses_is_one_too),
        TEST(a_file_and_the_callers_mapping_of_it_are_one),
        TEST(allocated_memory_that_the_caller_maps_again_is_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
