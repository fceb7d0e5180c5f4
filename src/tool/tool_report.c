/* tool_report: a run's faults and a short summary, for people. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tool/tool.h"

/* Code this far from the kernel's start is not the kernel's: its plain address says more. */
static const uint64_t far_away = UINT64_C(1) << 30;

static void print_fault(const struct tf_report_info *info, const struct tf_fault *fault)
{
    char lane[32] = "", place[48], address[40] = "";
    if (fault->lane >= 0)
        snprintf(lane, sizeof lane, " lane %d", fault->lane);
    if (fault->address)
        snprintf(address, sizeof address, ", address 0x%" PRIx64, fault->address);
    bool far = fault->offset >= far_away;
    snprintf(place, sizeof place, far ? "0x%" PRIx64 : "+0x%" PRIx64, far ? fault->pc : fault->offset);
    tool_complain("%s in %s at %s, group %" PRIu32 ",%" PRIu32 ",%" PRIu32 " wave %" PRIu32 "%s%s: %s", fault->kind, info->kernel,
                  place, fault->group[0], fault->group[1], fault->group[2], fault->wave, lane, address, fault->instruction);
}

static void print_faults(const struct tf_report *report, const struct tf_report_info *info)
{
    struct tf_fault fault = {.size = sizeof fault};
    for (size_t n = 0; tf_report_fault(report, n, &fault, NULL) == TF_OK; n++)
        print_fault(info, &fault);
    if (info->fault_total > info->fault_sites && strcmp(info->device, "cpu") != 0)
        tool_complain("%" PRIu64 " faults; of those that a lane met, the place of the first is known", info->fault_total);
    else if (info->fault_total > info->fault_sites)
        tool_complain("%" PRIu64 " faults at %" PRIu64 " place%s; the first of each is shown", info->fault_total,
                      info->fault_sites, info->fault_sites == 1 ? "" : "s");
}

/* A Vulkan device's host threads are its driver's own, and not counted. */
static void print_run(const char *kernel, const struct tf_report_info *info)
{
    fprintf(stderr, "%s on %s: device %s, tier %s, ", kernel, info->chip, info->device, info->tier);
    if (info->threads)
        fprintf(stderr, "%u threads, ", info->threads);
    fprintf(stderr, "wave%u\n", info->wave_size);
    if (*info->device_reason)
        fprintf(stderr, "  not on the Vulkan device: %s\n", info->device_reason);
    fprintf(stderr, "  %" PRIu64 " groups, %" PRIu64 " waves, %.6f s\n", info->groups, info->waves, info->seconds);
}

/* What was executed, or, where nobody counts that, what is in the program. */
static void print_fidelity(const struct tf_report_info *info)
{
    if (strcmp(info->device, "cpu") != 0)
        fprintf(stderr, "  operations in the program: %" PRIu64 " exact, %" PRIu64 " approximate\n", info->exact_operations,
                info->approximate_operations);
    else
        fprintf(stderr, "  instructions: %" PRIu64 " exact, %" PRIu64 " approximate, %" PRIu64 " unsupported\n", info->exact,
                info->approximate, info->unsupported);
    if (*info->sampled)
        fprintf(stderr, "  sampled: %s\n", info->sampled);
}

void tool_report_print(const struct tf_report *report, bool summary)
{
    struct tf_report_info info = {.size = sizeof info};
    if (tf_report_describe(report, &info, NULL) != TF_OK)
        return;
    print_faults(report, &info);
    if (!summary)
        return;
    char kernel[256];
    snprintf(kernel, sizeof kernel, "%s", info.kernel);
    tool_make_plain(kernel);
    print_run(kernel, &info);
    print_fidelity(&info);
    fprintf(stderr, "  faults: %" PRIu64 "\n", info.fault_total);
}
