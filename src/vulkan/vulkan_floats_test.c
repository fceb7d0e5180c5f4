/* What is found out of a host's floats, on lavapipe, whose threads do with denormals what its maker's processor does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <xmmintrin.h>

#include <cmocka.h>

#include "spirv/spirv.h"
#include "vulkan/vulkan_floats.h"

enum { INPUTS_ARE_ZEROS = 1 << 6, RESULTS_ARE_ZEROS = 1 << 15 };

static struct vulkan_floats find(unsigned flags)
{
    struct vulkan_failure failure;
    struct vulkan_floats floats;
    unsigned before = _mm_getcsr();
    _mm_setcsr(before | flags);
    struct vulkan_host *host = vulkan_host_create(NULL, &failure);
    _mm_setcsr(before);
    if (!host)
        fail_msg("%s", failure.text);
    assert_int_equal(vulkan_host_facts(host)->denormals, SPIRV_DENORMALS_KEPT); /* lavapipe, which is not asked */
    assert_true(vulkan_floats_find(host, &floats));
    vulkan_host_destroy(host);
    return floats;
}

static void a_device_that_keeps_denormals_does_not_flush_them(void **state)
{
    (void)state;
    struct vulkan_floats floats = find(0);
    assert_false(floats.flushes || floats.alike);
}

static void a_device_that_flushes_them_does_so_as_an_x86_processor_does(void **state)
{
    (void)state;
    struct vulkan_floats floats = find(INPUTS_ARE_ZEROS | RESULTS_ARE_ZEROS);
    assert_true(floats.flushes && floats.alike);
}

static void a_device_that_flushes_only_results_or_only_operands_does_not_flush(void **state)
{
    (void)state;
    assert_false(find(RESULTS_ARE_ZEROS).flushes);
    assert_false(find(INPUTS_ARE_ZEROS).flushes);
}

static void a_product_and_sum_that_are_rounded_one_after_the_other_are_not_fused(void **state)
{
    (void)state;
    assert_false(find(0).fused);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_device_that_keeps_denormals_does_not_flush_them),
        cmocka_unit_test(a_device_that_flushes_them_does_so_as_an_x86_processor_does),
        cmocka_unit_test(a_device_that_flushes_only_results_or_only_operands_does_not_flush),
        cmocka_unit_test(a_product_and_sum_that_are_rounded_one_after_the_other_are_not_fused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
