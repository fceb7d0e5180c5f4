/* What becomes of modules in a build that validates them: this test's shelf does so in every build. */
#include "vulkan/vulkan_shelf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "vulkan/vulkan_compare_words.h"
#include "vulkan/vulkan_internal.h"

enum { WORDS = sizeof vulkan_compare_words / sizeof vulkan_compare_words[0], BOUND_AT = 3 };

static struct vulkan_host *host;
static struct vulkan_shelf shelf;
static PFN_vkCreateShaderModule create_module;
static unsigned handed; /* modules that the driver got */

static VkResult count_module(VkDevice device, const VkShaderModuleCreateInfo *info, const VkAllocationCallbacks *callbacks,
                             VkShaderModule *module)
{
    handed++;
    return create_module(device, info, callbacks, module);
}

static int set_up(void **state)
{
    struct vulkan_failure failure;
    (void)state;
    host = vulkan_host_create(NULL, &failure);
    if (!host)
        fail_msg("%s", failure.text);
    create_module = host->vk.vkCreateShaderModule;
    host->vk.vkCreateShaderModule = count_module;
    handed = 0;
    vulkan_shelf_init(&shelf);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    vulkan_shelf_finish(&shelf);
    vulkan_host_destroy(host);
    return 0;
}

/* Text that goes to standard error while the shelf takes a module. */
static struct vulkan_compiled *take(uint32_t *words, char *reason, size_t reason_size, char *said, size_t said_size)
{
    const struct spirv_module module = {.words = words, .word_count = WORDS};
    FILE *file = tmpfile();
    int before = dup(STDERR_FILENO);
    assert_non_null(file);
    assert_true(before >= 0 && dup2(fileno(file), STDERR_FILENO) >= 0);
    struct vulkan_compiled *compiled = vulkan_shelf_take(&shelf, host, &module, 1, reason, reason_size);
    fflush(stderr);
    assert_true(dup2(before, STDERR_FILENO) >= 0);
    close(before);
    rewind(file);
    said[fread(said, 1, said_size - 1, file)] = 0;
    fclose(file);
    return compiled;
}

static void an_invalid_module_is_named_and_no_driver_gets_it(void **state)
{
    uint32_t words[WORDS];
    char reason[256] = "", said[1024];
    (void)state;
    memcpy(words, vulkan_compare_words, sizeof words);
    words[BOUND_AT] = 1; /* all ids are out of it */
    assert_null(take(words, reason, sizeof reason, said, sizeof said));
    assert_int_equal(handed, 0);
    assert_ptr_equal(strstr(reason, "the module is invalid: "), reason);
    assert_true(strlen(reason) > strlen("the module is invalid: "));
    assert_null(strchr(reason, '\n'));
    assert_non_null(strstr(said, "tenfold: an invalid module, which no driver gets: "));
}

static void a_valid_module_goes_to_the_driver_without_a_word(void **state)
{
    uint32_t words[WORDS];
    char reason[256] = "", said[1024];
    (void)state;
    memcpy(words, vulkan_compare_words, sizeof words);
    struct vulkan_compiled *compiled = take(words, reason, sizeof reason, said, sizeof said);
    assert_non_null(compiled);
    assert_int_equal(handed, 1);
    assert_string_equal(reason, "");
    assert_null(strstr(said, "tenfold"));
    vulkan_shelf_give(&shelf, host, compiled);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_invalid_module_is_named_and_no_driver_gets_it, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_valid_module_goes_to_the_driver_without_a_word, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
