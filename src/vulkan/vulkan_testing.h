/* vulkan_testing: what the tests of the device share: a GPU's memory with a program, a Vulkan device and the CPU device behind it.
 *
 *   fixture  one of each; made and finished by a test.
 */
#ifndef VULKAN_VULKAN_TESTING_H
#define VULKAN_VULKAN_TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "vulkan/vulkan_device.h"
#include "vulkan/vulkan_internal.h"

enum { MEMORY_BYTES = 1 << 20, AT_CODE = 0x1000, AT_DATA = 0x20000, THREADS = 64, GROUPS = 4, WORDS = THREADS * GROUPS };
enum { PAGE = 4096, MEGABYTE = 1 << 20, PATTERN = 0x77000000 };

/* A test on a fixture of its own. */
#define TEST(name) cmocka_unit_test_setup_teardown(name, testing_set_up, testing_tear_down)

/* How the device has guest memory: taken from the test's argument (shared, mirrored, staged: mirrored as on a device of its own). */
extern enum vulkan_memory testing_memory;
extern bool testing_staged;
void testing_choose(int argc, char **argv);

/* Assembled with llvm-mc for gfx1030. s[0:1]: an address; s2: threads of a group; s3: the group. */
enum { ADD_ONE_WORDS = 12, TESTING_EVEN_WORDS = 11, TESTING_ALL_WORDS = 8 };
extern const uint32_t testing_add_one[ADD_ONE_WORDS];            /* to each word */
extern const uint32_t testing_store_even[TESTING_EVEN_WORDS];    /* 0x100 and a lane's number by each second lane */
extern const uint32_t testing_store_all[TESTING_ALL_WORDS];      /* the same by all */
extern const uint32_t testing_store_one_word[TESTING_ALL_WORDS]; /* 0x5eed by all */

struct fixture {
    struct mem_space *space;
    uint64_t base;
    uint8_t *host;
    struct wave_memory memory;
    struct wave_cache *cache;
    struct wave_options wave_options;
    struct wave_engine *waves;
    struct device *cpu, *device;
    struct vulkan_engine *engine;
    struct vulkan_calls calls; /* the driver's own */
    struct device_result result;
    char log[1024];
};

/* For gfx1030, wave32, in groups of 64 threads, whose number is in s8: words from s[4:5] on to s[0:1] and on, one in each lane. */
enum { TESTING_COPY_WORDS = 9 };
extern const uint32_t testing_copy_all[TESTING_COPY_WORDS];

struct fixture *testing_make(bool patient); /* patient: whether pipelines are waited for */
int testing_set_up(void **state);
int testing_tear_down(void **state);
void testing_put_code(struct fixture *f, const uint32_t *words, size_t bytes);
struct vulkan_calls *testing_driver(struct fixture *f);
/* A dispatch of the code, each with an epoch of its own, on the words at AT_DATA. */
struct device_dispatch testing_dispatch(struct fixture *f);
/* Runs a dispatch, whose snapshot is released, and no more. */
void testing_run_only(struct fixture *f, struct device_dispatch *dispatch);
/* The same of a program, which must not fail. */
void testing_run_code(struct fixture *f, const uint32_t *code, size_t bytes);
/* Four pairs in s[0:7], the group in s8. */
struct device_dispatch testing_dispatch_on(struct fixture *f, const uint64_t pairs[4], uint32_t groups, uint32_t threads);
void testing_run_on(struct fixture *f, const uint64_t pairs[4], uint32_t groups, uint32_t threads);
/* As a submission of its own: memory may have changed before, and is up to date behind. */
void testing_run(struct fixture *f);
void testing_changed(struct fixture *f, struct device_range range);
void testing_settle(struct fixture *f, struct device_range range);
uint32_t *testing_words(const struct fixture *f);
void testing_assert_words(const struct fixture *f, uint32_t expected);
void testing_put_pattern(struct fixture *f); /* over twice as many words as a dispatch of one reaches */
bool testing_stores_even(unsigned n);        /* testing_store_even stores that word */

/* Regions of guest memory with gaps between them: data, a word of which tells its place, a table, and what lanes leave. */
enum { REGION = 8 * MEGABYTE, REGION_WORDS = REGION / 4 };
struct testing_regions {
    struct fixture *f;
    uint64_t data, table, out;
    uint32_t *data_words, *table_words, *out_words;
};
struct testing_regions testing_make_regions(struct fixture *f);

/* The bound of the last dispatch that holds an address: the engine's, until its next. */
const struct vulkan_bound *testing_bound_at(const struct fixture *f, uint64_t address);

struct counts {
    uint64_t here, elsewhere, failed;
    char reason[VULKAN_REASON_SIZE];
};

struct counts testing_counts(const struct fixture *f);
void testing_assert_elsewhere(const struct fixture *f, uint64_t here, uint64_t elsewhere, const char *reason);

#endif
