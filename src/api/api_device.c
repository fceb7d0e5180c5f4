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

enum tf_status tf_device_describe(size_t index, struct tf_device_info *info, struct tf_error *error)
{
    struct tf_device_info device = {.name = "cpu"};
    if (index > 0)
        return api_fail(error, TF_ERROR_NOT_FOUND, "there is no device %zu", index);
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    device.cores = cores > 0 ? (unsigned)cores : 1;
    read_cpu_model(device.description, sizeof device.description);
    list_tiers(device.tiers, sizeof device.tiers);
    if (!api_copy_out(info, &device, sizeof device))
        return api_fail(error, TF_ERROR_ARGUMENT, "tf_device_describe: info or its size is missing");
    return TF_OK;
}
