/* api_device: the host devices that can carry a GPU's work out. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "api/api_internal.h"

/* The processor's name as the kernel tells it. */
static void read_cpu_model(char *text, size_t size)
{
    static const char key[] = "model name";
    char line[256];
    snprintf(text, size, "unknown processor");
    FILE *file = fopen("/proc/cpuinfo", "r");
    if (!file)
        return;
    while (fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, key, sizeof key - 1) != 0 || !colon)
            continue;
        line[strcspn(line, "\n")] = 0;
        snprintf(text, size, "%s", colon + 1 + strspn(colon + 1, " \t"));
        break;
    }
    fclose(file);
}

/* Every tier, best first. */
static const char *const tiers[] = {"avx512", "avx2", "baseline"};
enum { TIER_COUNT = sizeof tiers / sizeof tiers[0] };

bool api_tier_is_here(const char *name)
{
    bool reached = false;
    for (size_t n = 0; n < TIER_COUNT; n++) {
        reached = reached || !strcmp(tiers[n], wave_best_tier());
        if (reached && !strcmp(tiers[n], name))
            return true;
    }
    return false;
}

static void list_tiers(char *text, size_t size)
{
    size_t used = 0;
    for (size_t n = 0; n < TIER_COUNT && used < size; n++)
        if (api_tier_is_here(tiers[n]))
            used += (size_t)snprintf(text + used, size - used, "%s%s", used ? " " : "", tiers[n]);
}

bool api_device_is_vulkan(const char *text, const char **choice)
{
    static const char name[] = "vulkan";
    const char *rest = text + sizeof name - 1;
    if (strncmp(text, name, sizeof name - 1) != 0 || (*rest && *rest != ':'))
        return false;
    *choice = *rest ? rest + 1 : "";
    return true;
}

/* Names are static: there are only so many. */
static const char *const vulkan_names[] = {"vulkan:0", "vulkan:1", "vulkan:2", "vulkan:3",
                                           "vulkan:4", "vulkan:5", "vulkan:6", "vulkan:7"};
enum { VULKAN_NAMES = sizeof vulkan_names / sizeof vulkan_names[0] };

struct wanted {
    size_t index;
    struct tf_device_info *device;
};

static void take_facts(void *user, unsigned number, const struct vulkan_facts *facts)
{
    const struct wanted *wanted = user;
    struct tf_device_info *device = wanted->device;
    if (number != wanted->index || number >= VULKAN_NAMES)
        return;
    device->name = vulkan_names[number];
    device->memory = facts->works_in_place ? "shared" : "mirrored";
    snprintf(device->description, sizeof device->description, "%.*s", (int)sizeof device->description - 1, facts->name);
    snprintf(device->missing, sizeof device->missing, "%s", facts->lacks);
    snprintf(device->costs, sizeof device->costs, "%s", facts->costs);
}

static void describe_cores(struct tf_device_info *device)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    device->name = "cpu";
    device->memory = "shared";
    device->cores = cores > 0 ? (unsigned)cores : 1;
    read_cpu_model(device->description, sizeof device->description);
    list_tiers(device->tiers, sizeof device->tiers);
}

enum tf_status tf_device_describe(size_t index, struct tf_device_info *info, struct tf_error *error)
{
    struct tf_device_info device = {0};
    if (!index)
        describe_cores(&device);
    else
        vulkan_host_list(NULL, take_facts, &(struct wanted){index - 1, &device});
    if (!device.name)
        return api_fail(error, TF_ERROR_NOT_FOUND, "there is no device %zu", index);
    if (!api_copy_out(info, &device, sizeof device))
        return api_fail(error, TF_ERROR_ARGUMENT, "tf_device_describe: info or its size is missing");
    return TF_OK;
}
