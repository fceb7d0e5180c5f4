/* The cache on disk: what is kept, what is not seen, and several processes at once. */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "vulkan/vulkan_cache.h"

static char folder[] = "/tmp/tenfold-cache-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder + strlen(folder) - 6, "XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    char command[PATH_MAX + 16];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

static struct vulkan_bytes bytes_of(const char *text)
{
    struct vulkan_bytes bytes = {0};
    vulkan_bytes_put(&bytes, text, strlen(text));
    return bytes;
}

static void save(const char *version, const char *key, const char *data)
{
    struct vulkan_cache *cache = vulkan_cache_create(folder, version);
    struct vulkan_bytes k = bytes_of(key), d = bytes_of(data);
    assert_non_null(cache);
    vulkan_cache_save(cache, &k, &d);
    vulkan_bytes_finish(&k);
    vulkan_bytes_finish(&d);
    vulkan_cache_destroy(cache);
}

/* The text under a key, the caller's to free, or NULL. */
static char *load(const char *version, const char *key)
{
    struct vulkan_cache *cache = vulkan_cache_create(folder, version);
    struct vulkan_bytes k = bytes_of(key);
    size_t size;
    uint8_t *data = vulkan_cache_load(cache, &k, &size);
    char *text = data ? strndup((char *)data, size) : NULL;
    free(data);
    vulkan_bytes_finish(&k);
    vulkan_cache_destroy(cache);
    return text;
}

static void assert_load(const char *version, const char *key, const char *expected)
{
    char *text = load(version, key);
    if (expected) {
        assert_non_null(text);
        assert_string_equal(text, expected);
    } else {
        assert_null(text);
    }
    free(text);
}

/* The folder's only file. */
static void only_file(char path[PATH_MAX])
{
    DIR *stream = opendir(folder);
    unsigned count = 0;
    assert_non_null(stream);
    for (struct dirent *entry; (entry = readdir(stream));)
        if (entry->d_name[0] != '.') {
            assert_true(snprintf(path, PATH_MAX, "%s/%s", folder, entry->d_name) < PATH_MAX);
            count++;
        }
    closedir(stream);
    assert_int_equal(count, 1);
}

static void what_is_saved_is_there_for_the_next_one(void **state)
{
    (void)state;
    assert_load("v1", "key", NULL);
    save("v1", "key", "some data");
    assert_load("v1", "key", "some data");
    save("v1", "key", "other data");
    assert_load("v1", "key", "other data");
    assert_load("v1", "another key", NULL);
}

static void what_another_version_saved_is_not_seen(void **state)
{
    (void)state;
    save("v1", "key", "old");
    assert_load("v2", "key", NULL);
    save("v2", "key", "new");
    assert_load("v1", "key", "old");
    assert_load("v2", "key", "new");
    /* Nor where the two run together: "v1" and "1key" are not "v11" and "key". */
    assert_load("v", "1key", NULL);
}

static void a_file_with_any_byte_damaged_is_as_good_as_not_there(void **state)
{
    char path[PATH_MAX];
    struct stat what;
    (void)state;
    save("v1", "key", "some data");
    only_file(path);
    assert_int_equal(stat(path, &what), 0);
    for (off_t at = 0; at < what.st_size; at++) {
        uint8_t byte, other;
        int file = open(path, O_RDWR);
        assert_int_equal(pread(file, &byte, 1, at), 1);
        other = byte ^ 0x10;
        assert_int_equal(pwrite(file, &other, 1, at), 1);
        assert_load("v1", "key", NULL);
        assert_int_equal(pwrite(file, &byte, 1, at), 1);
        close(file);
    }
    assert_load("v1", "key", "some data");
}

static void a_file_that_is_cut_anywhere_is_as_good_as_not_there(void **state)
{
    char path[PATH_MAX];
    struct stat what;
    (void)state;
    save("v1", "key", "some data");
    only_file(path);
    assert_int_equal(stat(path, &what), 0);
    for (off_t size = what.st_size - 1; size >= 0; size--) {
        assert_int_equal(truncate(path, size), 0);
        assert_load("v1", "key", NULL);
    }
    save("v1", "key", "some data");
    assert_load("v1", "key", "some data");
}

static void a_file_of_another_key_in_its_place_is_not_taken(void **state)
{
    char one[PATH_MAX], other[PATH_MAX];
    (void)state;
    save("v1", "key", "of key");
    only_file(one);
    assert_int_equal(unlink(one), 0);
    save("v1", "other", "of other");
    only_file(other);
    assert_int_equal(rename(other, one), 0);
    assert_load("v1", "key", NULL);
}

static void a_file_that_somebody_else_may_have_written_is_not_taken(void **state)
{
    char path[PATH_MAX];
    (void)state;
    save("1", "key", "data");
    only_file(path);
    assert_load("1", "key", "data");
    assert_int_equal(chmod(path, 0666), 0);
    assert_load("1", "key", NULL);
    assert_int_equal(chmod(path, 0620), 0);
    assert_load("1", "key", NULL);
    save("1", "key", "data"); /* in its place, with our own rights */
    assert_load("1", "key", "data");
    if (!geteuid()) { /* only root can give a file away */
        assert_int_equal(chown(path, 1, (gid_t)-1), 0);
        assert_load("1", "key", NULL);
    }
}

static void numbers_are_put_low_byte_first_and_without_padding(void **state)
{
    static const uint8_t expected[] = {0x04, 0x03, 0x02, 0x01, 0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, 'x'};
    struct vulkan_bytes bytes = {0};
    (void)state;
    vulkan_bytes_put_u32(&bytes, 0x01020304);
    vulkan_bytes_put_u64(&bytes, UINT64_C(0x1122334455667788));
    vulkan_bytes_put(&bytes, "x", 1);
    assert_int_equal(bytes.size, sizeof expected);
    assert_memory_equal(bytes.data, expected, sizeof expected);
    vulkan_bytes_finish(&bytes);
}

/* ---- several processes ---- */

enum { WRITERS = 3, ROUNDS = 200, LONG_DATA = 40000 };

/* Each writer has a letter, and data of another length. */
static void write_often(unsigned writer)
{
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct vulkan_bytes data = {0}, key = bytes_of("key");
        struct vulkan_cache *cache = vulkan_cache_create(folder, "v1");
        char letter = (char)('a' + writer);
        for (unsigned n = 0; n < LONG_DATA + writer * 1000; n++)
            vulkan_bytes_put(&data, &letter, 1);
        vulkan_cache_save(cache, &key, &data);
        vulkan_cache_destroy(cache);
        vulkan_bytes_finish(&data);
        vulkan_bytes_finish(&key);
    }
}

static void check_whole(const char *text)
{
    unsigned writer = (unsigned)(text[0] - 'a');
    assert_true(writer < WRITERS);
    assert_int_equal(strspn(text, (char[]){text[0], 0}), LONG_DATA + writer * 1000);
    assert_int_equal(strlen(text), LONG_DATA + writer * 1000);
}

static void processes_that_write_at_the_same_time_never_show_each_other_halves(void **state)
{
    char path[PATH_MAX];
    pid_t writers[WRITERS];
    unsigned seen = 0;
    (void)state;
    for (unsigned n = 0; n < WRITERS; n++) {
        writers[n] = fork();
        if (!writers[n]) {
            write_often(n);
            _exit(0);
        }
    }
    for (unsigned left = WRITERS; left;) {
        int status;
        char *text = load("v1", "key");
        if (text)
            check_whole(text);
        seen += text != NULL;
        free(text);
        if (waitpid(-1, &status, WNOHANG) > 0) {
            assert_int_equal(status, 0);
            left--;
        }
    }
    assert_true(seen > 0);
    only_file(path); /* nothing that was being written is left */
}

/* ---- the folder ---- */

static void a_folder_that_cannot_be_is_no_cache(void **state)
{
    char path[PATH_MAX];
    struct vulkan_bytes key = bytes_of("key");
    size_t size;
    (void)state;
    save("v1", "key", "data");
    only_file(path);
    assert_null(vulkan_cache_create(path, "v1"));
    assert_null(vulkan_cache_load(NULL, &key, &size));
    vulkan_cache_save(NULL, &key, &key);
    vulkan_bytes_finish(&key);
}

static void make_file(const char *name, off_t size, time_t used)
{
    char path[PATH_MAX];
    const struct timespec times[] = {{.tv_sec = used}, {.tv_sec = used}};
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int file = open(path, O_CREAT | O_WRONLY, 0600);
    assert_true(file >= 0);
    assert_int_equal(ftruncate(file, size), 0);
    assert_int_equal(futimens(file, times), 0);
    close(file);
}

static bool is_there(const char *name)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return !access(path, F_OK);
}

static void a_folder_that_has_grown_large_loses_what_was_used_longest_ago(void **state)
{
    time_t now = time(NULL);
    (void)state;
    make_file("a", 100 << 20, now - 30);
    make_file("b", 100 << 20, now - 10);
    make_file("c", 100 << 20, now - 20);
    make_file(".new-lost", 10, now - 7200);
    make_file(".new-at-work", 10, now);
    vulkan_cache_destroy(vulkan_cache_create(folder, "v1"));
    assert_false(is_there("a"));
    assert_true(is_there("b"));
    assert_false(is_there("c"));
    assert_false(is_there(".new-lost"));
    assert_true(is_there(".new-at-work"));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)
    const struct CMUnitTest tests[] = {
        TEST(what_is_saved_is_there_for_the_next_one),
        TEST(what_another_version_saved_is_not_seen),
        TEST(a_file_with_any_byte_damaged_is_as_good_as_not_there),
        TEST(a_file_that_is_cut_anywhere_is_as_good_as_not_there),
        TEST(a_file_of_another_key_in_its_place_is_not_taken),
        TEST(a_file_that_somebody_else_may_have_written_is_not_taken),
        TEST(numbers_are_put_low_byte_first_and_without_padding),
        TEST(processes_that_write_at_the_same_time_never_show_each_other_halves),
        TEST(a_folder_that_cannot_be_is_no_cache),
        TEST(a_folder_that_has_grown_large_loses_what_was_used_longest_ago),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
