/* mem_testing: what the tests of memory/ share: files with known bytes, and the host's own word on what it has mapped. */
#ifndef MEMORY_MEM_TESTING_H
#define MEMORY_MEM_TESTING_H

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "memory/memory.h"

#define PAGE            UINT64_C(4096)
#define MAKE_TEST(name) cmocka_unit_test_setup_teardown(name, testing_make_space, testing_end_space)

static const uint64_t testing_window_bytes = UINT64_C(1) << 36;
static const uint64_t testing_high = UINT64_C(0xffff800000000000); /* where the upper half begins */

static inline int testing_make_space(void **state)
{
    *state = mem_space_create(testing_window_bytes, NULL);
    return *state ? 0 : -1;
}

static inline int testing_end_space(void **state)
{
    mem_space_destroy(*state);
    return 0;
}

/* A file of some pages, each full of its own number plus `first`. */
static inline int testing_file(unsigned pages, unsigned first)
{
    int file = memfd_create("guest", MFD_CLOEXEC);
    uint8_t bytes[PAGE];
    assert_true(file >= 0);
    for (unsigned n = 0; n < pages; n++) {
        memset(bytes, (int)(first + n), sizeof bytes);
        assert_int_equal(pwrite(file, bytes, sizeof bytes, (off_t)(n * PAGE)), PAGE);
    }
    return file;
}

/* An address in the window, far from where allocations are. */
static inline uint64_t testing_place(struct mem_space *space)
{
    uint64_t base, size;
    mem_space_window(space, &base, &size);
    return base + size / 2;
}

static inline void testing_map(struct mem_space *space, uint64_t address, int file, uint64_t pages, unsigned flags)
{
    struct base_error error = {0};
    if (mem_space_map_file(space, address, file, 0, pages * PAGE, MEM_MAP_WRITABLE | flags, &error) != MEM_CHANGED)
        fail_msg("%s", error.text);
}

/* What the space shows now at an address: a byte, or -1. */
static inline int testing_byte(struct mem_space *space, uint64_t address)
{
    uint8_t byte = 0;
    return mem_space_read(space, address, &byte, 1, NULL) ? byte : -1;
}

/* How many mappings the process has that overlap [start, start + size), as the kernel says; *accessible counts the bytes with rights. */
static inline unsigned testing_host_mappings(uint64_t start, uint64_t size, uint64_t *accessible)
{
    char line[512], rights[8];
    unsigned count = 0;
    uint64_t from, to;
    FILE *maps = fopen("/proc/self/maps", "r");
    assert_non_null(maps);
    *accessible = 0;
    while (fgets(line, sizeof line, maps)) {
        if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s", &from, &to, rights) != 3 || to <= start || from >= start + size)
            continue;
        count++;
        if (rights[0] == 'r')
            *accessible += to - from;
    }
    fclose(maps);
    return count;
}

/* How many mappings of memory files the process has. */
static inline unsigned testing_file_mappings(void)
{
    char line[512];
    unsigned count = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    assert_non_null(maps);
    while (fgets(line, sizeof line, maps))
        count += strstr(line, "/memfd:") != NULL;
    fclose(maps);
    return count;
}

#endif
