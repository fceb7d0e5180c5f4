/* Programs that no host's compiler comes to an end of, as it puts each function in the place of its calls. */
#include <stdio.h>
#include <stdlib.h>

#include "spirv/spirv_testing.h"

/* Why a program of so many stores, each to a place of its own, is left to another device; empty: it is not. */
static void make(unsigned stores, char reason[SPIRV_REASON_SIZE])
{
    static const char head[] = "func wave32 entry=0x0\nblock b0 pc=0x0 end=0x10 guest=1\n", end[] = "end\n",
                      store[] = "store global bytes=4 store, addr v0:v1, data v2 if exec\n";
    const struct spirv_options options = {.subgroup = 8, .waves = 1, .rsrc2 = 2 << 1, .alone = 1024, .line = true};
    char *text = malloc(sizeof head + sizeof end + stores * sizeof store);
    assert_non_null(text);
    size_t size = (size_t)sprintf(text, "%s", head);
    for (unsigned n = 0; n < stores; n++)
        size += (size_t)sprintf(text + size, "%s", store);
    sprintf(text + size, "%s", end);
    struct spirv_module *m = testing_try(text, &options, reason);
    assert_true(m ? !*reason : *reason);
    spirv_module_destroy(m);
    free(text);
}

static void a_program_of_a_hundred_stores_is_made(void **state)
{
    enum { STORES = 100 };
    char reason[SPIRV_REASON_SIZE];
    (void)state;
    make(STORES, reason);
    assert_string_equal(reason, "");
}

static void a_program_that_grows_too_large_in_the_hosts_compiler_is_left_to_the_cpu_device(void **state)
{
    enum { STORES = 10000 };
    char reason[SPIRV_REASON_SIZE];
    (void)state;
    make(STORES, reason);
    assert_string_equal(reason, "the program is too large for a host's compiler");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_of_a_hundred_stores_is_made),
        cmocka_unit_test(a_program_that_grows_too_large_in_the_hosts_compiler_is_left_to_the_cpu_device),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
