/* api_report: what a dispatch did, kept for the caller. */
#include <stdlib.h>
#include <string.h>

#include "api/api_internal.h"

struct tf_report *api_report_create(const struct api_launch *launch, struct wave_result *result)
{
    struct tf_report *report = calloc(1, sizeof *report);
    if (!report) {
        wave_result_finish(result);
        return NULL;
    }
    *report = (struct tf_report){
        .kernel = strdup(launch->kernel->inner->name),
        .chip = isa_chip_name(launch->gpu->chip),
        .wave_size = launch->kernel->inner->wave_size,
        .entry = launch->kernel->entry,
        .grid = launch->grid,
        .lds_bytes = launch->lds_bytes,
        .private_bytes = launch->private_bytes,
        .result = *result,
        .on_vulkan = launch->on_vulkan,
        .on_copies = launch->on_copies,
        .lanes = launch->lanes,
        .exact = launch->exact,
        .approximate = launch->approximate,
    };
    memcpy(report->note, launch->note, sizeof report->note);
    memcpy(report->why_cpu, launch->why_cpu, sizeof report->why_cpu);
    if (report->kernel)
        report->json = api_report_print(report);
    if (!report->json) {
        tf_report_destroy(report);
        return NULL;
    }
    return report;
}

void tf_report_destroy(struct tf_report *report)
{
    if (!report)
        return;
    wave_result_finish(&report->result);
    free(report->kernel);
    free(report->json);
    free(report);
}

bool tf_report_failed(const struct tf_report *report)
{
    return report->result.failed;
}

const char *tf_report_json(const struct tf_report *report)
{
    return report->json;
}

enum tf_status tf_report_describe(const struct tf_report *report, struct tf_report_info *info, struct tf_error *error)
{
    const struct wave_result *result = &report->result;
    struct tf_report_info found = {
        .kernel = report->kernel,
        .chip = report->chip,
        .device = report->on_vulkan ? "vulkan" : "cpu",
        .tier = result->tier ? result->tier : "",
        .threads = result->threads,
        .wave_size = report->wave_size,
        .groups = result->groups,
        .waves = result->waves,
        .exact = result->instructions[WAVE_EXACT],
        .approximate = result->instructions[WAVE_APPROXIMATE],
        .unsupported = result->instructions[WAVE_UNSUPPORTED],
        .seconds = result->seconds,
        .fault_sites = result->faults_kept,
        .exact_operations = report->exact,
        .approximate_operations = report->approximate,
        .device_reason = report->why_cpu,
        .sampled = report->note,
    };
    for (unsigned kind = 0; kind < WAVE_FAULT_KIND_COUNT; kind++)
        found.fault_total += result->fault_count[kind];
    if (!api_copy_out(info, &found, sizeof found))
        return api_fail(error, TF_ERROR_ARGUMENT, "tf_report_describe: info or its size is missing");
    return TF_OK;
}

enum tf_status tf_report_fault(const struct tf_report *report, size_t index, struct tf_fault *fault, struct tf_error *error)
{
    if (index >= report->result.faults_kept)
        return api_fail(error, TF_ERROR_NOT_FOUND, "the report has %zu faults", report->result.faults_kept);
    const struct wave_fault *inner = &report->result.faults[index];
    struct tf_fault found = {
        .kind = wave_fault_name(inner->kind),
        .instruction = inner->text,
        .pc = inner->pc,
        .offset = inner->pc - report->entry,
        .address = inner->address,
        .wave = inner->wave,
        .lane = inner->lane,
    };
    memcpy(found.group, inner->group, sizeof found.group);
    if (!api_copy_out(fault, &found, sizeof found))
        return api_fail(error, TF_ERROR_ARGUMENT, "tf_report_fault: fault or its size is missing");
    return TF_OK;
}
