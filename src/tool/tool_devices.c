/* tool_devices: `tenfold devices`: the host devices that can carry a GPU's work out. */
#include <stdio.h>
#include <string.h>

#include "tool/tool.h"

static const char help[] =
    "usage: tenfold devices\n"
    "\n"
    "Lists the host devices that --device takes: name, what the host calls it, cores, and the tiers of host\n"
    "code that it can run waves with, best first.\n"
    "\n"
    "Example:\n"
    "  tenfold devices\n";

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
        printf("%s  %s, %u cores, tiers: %s\n", info.name, info.description, info.cores, info.tiers);
    return TOOL_DONE;
}
