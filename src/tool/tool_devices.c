/* tool_devices: `tenfold devices`, and what --device means: the host devices that can carry a GPU's work out. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool/tool.h"

static const char help[] =
    "usage: tenfold devices\n"
    "\n"
    "Lists the host devices that --device takes: name, what the host calls it; of the CPU device its cores and\n"
    "the tiers of host code that it can run waves with, best first; of a Vulkan device whether it works in\n"
    "guest memory itself (shared) or on copies (mirrored), what it lacks, and what that costs. Vulkan drivers are\n"
    "looked for where they are installed, or where VK_DRIVER_FILES or VK_ICD_FILENAMES say.\n"
    "\n"
    "Example:\n"
    "  tenfold devices\n";

static void print_device(const struct tf_device_info *info)
{
    printf("%s  %s", info->name, info->description);
    if (info->cores)
        printf(", %u cores, tiers: %s", info->cores, info->tiers);
    else
        printf(", %s memory", info->memory);
    printf("\n");
    if (*info->missing)
        printf("  cannot be used: it lacks %s\n", info->missing);
    for (const char *line = info->costs; *line; line += strcspn(line, "\n") + (line[strcspn(line, "\n")] == '\n'))
        printf("  lacks %.*s\n", (int)strcspn(line, "\n"), line);
}

int tool_devices(int argc, char **argv)
{
    bool wants_help = argc == 2 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"));
    if (wants_help) {
        fputs(help, stdout);
        return TOOL_DONE;
    }
    if (argc > 1) {
        tool_complain("devices takes no arguments, and '%s' is one", argv[1]);
        return TOOL_USAGE;
    }
    struct tf_device_info info = {.size = sizeof info};
    for (size_t n = 0; tf_device_describe(n, &info, NULL) == TF_OK; n++)
        print_device(&info);
    return TOOL_DONE;
}

/* Whether --device VALUE means the device: its name, "vulkan" for any, or "vulkan:" and a part of what the host calls it. */
static bool is_meant(const char *value, const struct tf_device_info *info)
{
    static const char any[] = "vulkan";
    size_t length = sizeof any - 1;
    if (!strcmp(value, info->name))
        return true;
    if (info->cores || strncmp(value, any, length) != 0)
        return false;
    if (!value[length] || !strcmp(value + length, ":"))
        return true;
    return value[length] == ':' && strspn(value + length + 1, "0123456789") < strlen(value + length + 1) &&
           strcasestr(info->description, value + length + 1);
}

bool tool_memory_find(const char *value)
{
    if (!strcmp(value, "shared") || !strcmp(value, "mirrored"))
        return true;
    tool_complain("--memory '%s': shared or mirrored is due", value);
    return false;
}

static void list_devices(const char *value)
{
    struct tf_device_info info = {.size = sizeof info};
    size_t count = 0;
    tool_complain("--device %s: there is no such device; there are:", value);
    for (; tf_device_describe(count, &info, NULL) == TF_OK; count++)
        fprintf(stderr, "  %s (%s)%s\n", info.name, info.description, *info.missing ? ", which cannot be used" : "");
    if (count == 1)
        fprintf(stderr, "  and no Vulkan device (Debian: mesa-vulkan-drivers has one)\n");
}

bool tool_device_find(const char *value, struct tf_device_info *info)
{
    struct tf_device_info unusable = {0};
    info->size = sizeof *info;
    for (size_t n = 0; tf_device_describe(n, info, NULL) == TF_OK; n++) {
        if (is_meant(value, info) && !*info->missing)
            return true;
        if (is_meant(value, info))
            unusable = *info;
    }
    if (*unusable.missing) /* the library has the CPU device stand in, and says so */
        *info = unusable;
    else
        list_devices(value);
    return *unusable.missing;
}

bool tool_device_takes(const char *device, const char *memory, const char *cache)
{
    if ((!memory && !cache) || (device && strcmp(device, "cpu") != 0))
        return true;
    tool_complain("%s '%s' is for a Vulkan device, and the CPU device runs this: --device vulkan asks for one",
                  memory ? "--memory" : "--cache", memory ? memory : cache);
    return false;
}

const char *tool_cache_folder(const char *value)
{
    return value && !strcmp(value, "none") ? "" : value;
}
