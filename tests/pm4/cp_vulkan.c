/* The command processor's tests on the host's Vulkan device: their dispatches run there, as the argument of TENFOLD_TEST_MEMORY says (shared,
 * mirrored), and what they expect of memory, counters and the log stays the same. */
#include <stdlib.h>

#include "cp/cp_testing.h"
#include "vulkan/vulkan_device.h"
#include "vulkan/vulkan_engine.h"

/* One GPU's; tests have one or two at a time. */
struct made {
    struct testing_gpu *gpu;
    struct device *cpu;
    struct vulkan_engine *engine;
};
static struct made made[4];

static struct made *find(const struct testing_gpu *gpu)
{
    size_t n = 0;
    while (n < sizeof made / sizeof made[0] && made[n].gpu != gpu)
        n++;
    assert_true(n < sizeof made / sizeof made[0]);
    return &made[n];
}

static void keep_line(void *user, bool serious, const char *text)
{
    (void)user;
    (void)serious;
    print_message("%s\n", text);
}

static struct device *create(struct testing_gpu *gpu)
{
    const char *memory = getenv("TENFOLD_TEST_MEMORY");
    bool mirrored = memory && !strcmp(memory, "mirrored");
    const struct vulkan_engine_options options = {
        .chip = isa_chip_by_name("gfx1030"), .memory = mirrored ? VULKAN_MEMORY_MIRRORED : VULKAN_MEMORY_SHARED, .cache = ""};
    struct vulkan_failure failure;
    struct made *own = find(NULL);
    *own = (struct made){gpu, device_cpu_create(gpu->engine), vulkan_engine_create(&options, &failure)};
    if (!own->engine)
        fail_msg("%s", failure.text);
    return vulkan_device_create(
        &(struct vulkan_device_options){.engine = own->engine, .cpu = own->cpu, .patient = true, .log = keep_line});
}

static void count(void *user, const struct device_program_total *total)
{
    uint64_t *ran = user;
    ran[0] += total->dispatches;
    ran[1] += total->elsewhere;
    if (total->elsewhere)
        print_message("not on the Vulkan device: %s\n", total->reason);
}

static void destroy(struct testing_gpu *gpu)
{
    struct made *own = find(gpu);
    uint64_t ran[2] = {0};
    gpu->device->functions->report(gpu->device, &(struct device_report_sink){.user = ran, .program = count});
    if (ran[0] || ran[1])
        print_message("%u dispatches ran on the Vulkan device, %u elsewhere\n", (unsigned)ran[0], (unsigned)ran[1]);
    device_destroy(gpu->device);
    vulkan_engine_destroy(own->engine);
    device_destroy(own->cpu);
    *own = (struct made){0};
}

__attribute__((constructor)) static void choose(void)
{
    static const struct testing_devices vulkan = {create, destroy};
    testing_devices = &vulkan;
}
