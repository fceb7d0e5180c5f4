/* Which host device is meant, and what it lacks; drivers made for this test (their libraries are the arguments) stand beside lavapipe. */
#include "vulkan/vulkan_host.h"

#include <glob.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/tenfold-drivers-XXXXXX", fake[PATH_MAX], shut[PATH_MAX], lavapipe[PATH_MAX], both[2 * PATH_MAX];
static struct vulkan_failure failure;
static const char *fake_library, *shut_library;

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void describe_driver(char path[PATH_MAX], const char *name, const char *library)
{
    char text[PATH_MAX + 64];
    snprintf(path, PATH_MAX, "%s/%s.json", folder, name);
    snprintf(text, sizeof text, "{\"ICD\": {\"library_path\": \"%s\"}}", library);
    write_file(path, text);
}

static int set_up(void **state)
{
    glob_t found;
    (void)state;
    assert_non_null(mkdtemp(folder));
    describe_driver(fake, "fake", fake_library);
    describe_driver(shut, "shut", shut_library);
    assert_int_equal(glob("/usr/share/vulkan/icd.d/lvp_icd*.json", 0, NULL, &found), 0);
    snprintf(lavapipe, sizeof lavapipe, "%s", found.gl_pathv[0]);
    globfree(&found);
    snprintf(both, sizeof both, "%s:%s", fake, lavapipe);
    return 0;
}

static int tear_down(void **state)
{
    char command[64];
    (void)state;
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

static struct vulkan_host *open_host(const char *drivers, const char *device)
{
    failure = (struct vulkan_failure){0};
    return vulkan_host_open(&(struct vulkan_choice){drivers, device}, &failure);
}

static void assert_opens(const char *drivers, const char *device, const char *name)
{
    struct vulkan_host *host = open_host(drivers, device);
    if (!host)
        fail_msg("%s", failure.text);
    assert_non_null(strstr(vulkan_host_facts(host)->name, name));
    vulkan_host_destroy(host);
}

static void assert_refused(const char *drivers, const char *device, const char *why)
{
    assert_null(open_host(drivers, device));
    if (!strstr(failure.text, why))
        fail_msg("%s", failure.text);
}

struct seen {
    unsigned count;
    struct vulkan_facts facts[8];
};

static void see(void *user, unsigned number, const struct vulkan_facts *facts)
{
    struct seen *seen = user;
    assert_int_equal(number, seen->count);
    assert_true(number < 8);
    seen->facts[seen->count++] = *facts;
}

static void devices_are_numbered_across_drivers_in_their_order(void **state)
{
    struct seen seen = {0};
    (void)state;
    vulkan_host_list(both, see, &seen);
    assert_int_equal(seen.count, 3);
    assert_string_equal(seen.facts[0].name, "Fake Old");
    assert_string_equal(seen.facts[1].name, "Fake Plain");
    assert_non_null(strstr(seen.facts[2].name, "llvmpipe"));
}

static void what_a_device_lacks_has_names(void **state)
{
    struct seen seen = {0};
    (void)state;
    vulkan_host_list(both, see, &seen);
    assert_string_equal(seen.facts[0].lacks, "Vulkan 1.3");
    assert_non_null(strstr(seen.facts[1].lacks, "buffer device addresses"));
    assert_non_null(
        strstr(seen.facts[1].costs, "64-bit integers: pairs of words stand for them; large programs run on the CPU device\n"));
    assert_non_null(strstr(seen.facts[1].lacks, "full subgroups"));
    assert_non_null(strstr(seen.facts[1].costs, "memory shared with the host: what work reads is copied there"));
    /* It lacks all that can be done without, but for what lavapipe alone does; larger numbers find room as well. */
    const char *costs = seen.facts[1].costs, *last = strrchr(costs, '\n');
    assert_string_equal(last, "\ngroups over 0 threads: larger ones run on the CPU device");
    assert_true(strlen(costs) + strlen("65535") + strlen("1023") < VULKAN_COSTS_SIZE);
    assert_string_equal(seen.facts[2].lacks, "");
    /* lavapipe has 32 KiB of local memory */
    assert_non_null(
        strstr(seen.facts[2].costs, "local memory over 32768 bytes: groups with more have it in a buffer, which is slower"));
}

static void without_a_wish_the_first_device_that_will_do_is_taken(void **state)
{
    (void)state;
    assert_opens(both, NULL, "llvmpipe");
    assert_opens(both, "", "llvmpipe");
}

static void a_device_is_meant_by_number_or_by_a_part_of_its_name(void **state)
{
    (void)state;
    assert_opens(both, "2", "llvmpipe");
    assert_opens(both, "LLVM", "llvmpipe");
    assert_opens(lavapipe, "0", "llvmpipe");
}

static void a_device_that_lacks_something_is_refused_by_what_it_lacks(void **state)
{
    (void)state;
    assert_refused(both, "0", "Fake Old lacks Vulkan 1.3");
    assert_refused(both, "plain", "Fake Plain lacks buffer device addresses");
    assert_refused(fake, NULL, "lacks");
}

static void a_device_that_cannot_be_used_is_told_from_one_that_there_is_not(void **state)
{
    (void)state;
    assert_refused(both, "0", "lacks");
    assert_false(failure.mistaken);
    assert_refused(fake, NULL, "lacks");
    assert_false(failure.mistaken);
    assert_refused(shut, NULL, "Fake Shut is out of memory");
    assert_false(failure.mistaken);
    assert_refused(both, "toaster", "toaster");
    assert_true(failure.mistaken);
    assert_refused("/no/such/file.json", NULL, "the host has no Vulkan device (Debian: mesa-vulkan-drivers has one)");
    assert_true(failure.mistaken);
}

static void a_wrong_name_lists_those_that_there_are(void **state)
{
    (void)state;
    assert_refused(both, "toaster", "no Vulkan device 'toaster'; it has 0 (Fake Old), 1 (Fake Plain), 2 (llvmpipe");
    assert_refused(both, "3", "no Vulkan device '3'; it has 0 (Fake Old)");
}

static void what_describes_no_driver_is_passed_over(void **state)
{
    char drivers[4 * PATH_MAX], nothing[PATH_MAX], missing[PATH_MAX];
    (void)state;
    snprintf(nothing, sizeof nothing, "%s/nothing.json", folder);
    snprintf(missing, sizeof missing, "%s/missing.json", folder);
    write_file(nothing, "{\"ICD\": [");
    write_file(missing, "{\"ICD\": {\"library_path\": \"./no-such-library.so\"}}");
    snprintf(drivers, sizeof drivers, "%s:%s:/no/such/file.json::%s", nothing, missing, lavapipe);
    assert_opens(drivers, "0", "llvmpipe");
    assert_int_equal(unlink(nothing), 0);
    assert_int_equal(unlink(missing), 0);
    assert_refused("/no/such/file.json", NULL, "the host has no Vulkan device");
}

static void drivers_are_those_of_the_environment_or_those_that_are_installed(void **state)
{
    (void)state;
    setenv("VK_ICD_FILENAMES", fake, 1);
    assert_refused(NULL, "llvmpipe", "Fake Old");
    assert_opens("", "llvmpipe", "llvmpipe"); /* whatever the environment says */
    setenv("VK_DRIVER_FILES", lavapipe, 1);   /* the newer name goes first */
    assert_opens(NULL, "0", "llvmpipe");
    setenv("VK_DRIVER_FILES", folder, 1); /* a folder of files */
    assert_refused(NULL, "0", "Fake Old");
    unsetenv("VK_ICD_FILENAMES");
    unsetenv("VK_DRIVER_FILES");
    assert_opens(NULL, "llvmpipe", "llvmpipe");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(devices_are_numbered_across_drivers_in_their_order),
        cmocka_unit_test(what_a_device_lacks_has_names),
        cmocka_unit_test(without_a_wish_the_first_device_that_will_do_is_taken),
        cmocka_unit_test(a_device_is_meant_by_number_or_by_a_part_of_its_name),
        cmocka_unit_test(a_device_that_lacks_something_is_refused_by_what_it_lacks),
        cmocka_unit_test(a_device_that_cannot_be_used_is_told_from_one_that_there_is_not),
        cmocka_unit_test(a_wrong_name_lists_those_that_there_are),
        cmocka_unit_test(what_describes_no_driver_is_passed_over),
        cmocka_unit_test(drivers_are_those_of_the_environment_or_those_that_are_installed),
    };
    fake_library = realpath(argc > 1 ? argv[1] : "", NULL);
    shut_library = realpath(argc > 2 ? argv[2] : "", NULL);
    return fake_library && shut_library ? cmocka_run_group_tests(tests, set_up, tear_down) : 1;
}
