/* api_report_json: the run report as JSON; docs/report.md says what each member means. */
#include <inttypes.h>
#include <stdio.h>

#include <cjson/cJSON.h>

#include "api/api_internal.h"

enum { MAX_BLOCKS = 32 }; /* hot blocks listed */

static const char *const fidelity_names[WAVE_FIDELITY_COUNT] = {
    [WAVE_EXACT] = "exact",
    [WAVE_APPROXIMATE] = "approximate",
    [WAVE_UNSUPPORTED] = "unsupported",
};

/* Addresses are text: JSON numbers lose bits over 2^53. */
static void add_address(cJSON *object, const char *name, uint64_t address)
{
    char text[32];
    snprintf(text, sizeof text, "0x%" PRIx64, address);
    cJSON_AddStringToObject(object, name, text);
}

static void add_number(cJSON *object, const char *name, uint64_t number)
{
    cJSON_AddNumberToObject(object, name, (double)number);
}

static void add_triple(cJSON *object, const char *name, const uint32_t values[3])
{
    cJSON *array = cJSON_AddArrayToObject(object, name);
    for (unsigned n = 0; n < 3; n++)
        cJSON_AddItemToArray(array, cJSON_CreateNumber(values[n]));
}

static void add_instructions(cJSON *program, const struct wave_result *result)
{
    cJSON *totals = cJSON_AddObjectToObject(program, "instructions");
    for (unsigned n = 0; n < WAVE_FIDELITY_COUNT; n++)
        add_number(totals, fidelity_names[n], result->instructions[n]);
    cJSON *rows = cJSON_AddArrayToObject(program, "by_instruction");
    for (size_t n = 0; n < result->row_count; n++) {
        cJSON *row = cJSON_CreateObject();
        cJSON_AddItemToArray(rows, row);
        cJSON_AddStringToObject(row, "name", result->rows[n].row->name);
        cJSON_AddStringToObject(row, "fidelity", fidelity_names[result->rows[n].fidelity]);
        add_number(row, "count", result->rows[n].count);
    }
}

/* Of a program that a Vulkan device ran: what is in it, since nobody counts what is executed. */
static void add_operations(cJSON *program, const struct tf_report *report)
{
    cJSON *operations = cJSON_AddObjectToObject(program, "operations");
    add_number(operations, "exact", report->exact);
    add_number(operations, "approximate", report->approximate);
    if (*report->note)
        cJSON_AddStringToObject(program, "sampled", report->note);
}

static void add_blocks(cJSON *program, const struct tf_report *report)
{
    const struct wave_result *result = &report->result;
    cJSON *blocks = cJSON_AddArrayToObject(program, "hot_blocks");
    for (size_t n = 0; n < result->block_count && n < MAX_BLOCKS; n++) {
        cJSON *block = cJSON_CreateObject();
        cJSON_AddItemToArray(blocks, block);
        add_address(block, "offset", result->blocks[n].pc - report->entry);
        add_number(block, "instructions", result->blocks[n].instructions);
        add_number(block, "runs", result->blocks[n].count);
    }
}

static void add_fault(cJSON *faults, const struct tf_report *report, const struct wave_fault *fault)
{
    cJSON *item = cJSON_CreateObject();
    cJSON_AddItemToArray(faults, item);
    cJSON_AddStringToObject(item, "kind", wave_fault_name(fault->kind));
    cJSON_AddStringToObject(item, "kernel", report->kernel);
    cJSON_AddStringToObject(item, "instruction", fault->text);
    add_address(item, "pc", fault->pc);
    add_address(item, "offset", fault->pc - report->entry);
    add_address(item, "address", fault->address);
    add_triple(item, "group", fault->group);
    add_number(item, "wave", fault->wave);
    if (fault->lane >= 0)
        cJSON_AddNumberToObject(item, "lane", fault->lane);
}

static void add_faults(cJSON *program, const struct tf_report *report)
{
    const struct wave_result *result = &report->result;
    cJSON *counts = cJSON_AddObjectToObject(program, "fault_counts");
    for (unsigned kind = 0; kind < WAVE_FAULT_KIND_COUNT; kind++)
        if (result->fault_count[kind])
            add_number(counts, wave_fault_name(kind), result->fault_count[kind]);
    cJSON *faults = cJSON_AddArrayToObject(program, "faults");
    for (size_t n = 0; n < result->faults_kept; n++)
        add_fault(faults, report, &result->faults[n]);
}

static void add_program(cJSON *programs, const struct tf_report *report)
{
    const struct wave_result *result = &report->result;
    cJSON *program = cJSON_CreateObject();
    cJSON_AddItemToArray(programs, program);
    cJSON_AddStringToObject(program, "name", report->kernel);
    cJSON_AddStringToObject(program, "device", report->on_vulkan ? "vulkan" : "cpu");
    if (*report->why_cpu)
        cJSON_AddStringToObject(program, "device_reason", report->why_cpu);
    cJSON_AddStringToObject(program, "tier", result->tier ? result->tier : "");
    add_number(program, "wave_size", report->wave_size);
    /* The CPU device runs each wave whole: its lanes are one host thread's. */
    add_number(program, "lanes_per_invocation", report->on_vulkan ? report->lanes : report->wave_size);
    add_triple(program, "grid", report->grid.threads);
    add_triple(program, "workgroup", report->grid.workgroup);
    add_number(program, "local_memory_bytes", report->lds_bytes);
    add_number(program, "scratch_bytes_per_thread", report->private_bytes);
    add_number(program, "groups", result->groups);
    add_number(program, "waves", result->waves);
    cJSON_AddNumberToObject(program, "seconds", result->seconds);
    cJSON_AddStringToObject(program, "accesses", report->on_copies ? "on copies" : "in place");
    if (report->on_vulkan) {
        add_operations(program, report);
    } else {
        add_instructions(program, result);
        add_blocks(program, report);
    }
    add_faults(program, report);
}

char *api_report_print(const struct tf_report *report)
{
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "tenfold", TENFOLD_VERSION);
    cJSON_AddStringToObject(root, "chip", report->chip);
    cJSON_AddBoolToObject(root, "failed", report->result.failed);
    add_number(root, "threads", report->result.threads);
    add_program(cJSON_AddArrayToObject(root, "programs"), report);
    cJSON *submission = cJSON_CreateObject();
    cJSON_AddItemToArray(cJSON_AddArrayToObject(root, "submissions"), submission);
    add_number(submission, "dispatches", 1);
    cJSON_AddNumberToObject(submission, "seconds", report->result.seconds);
    char *text = cJSON_Print(root);
    cJSON_Delete(root);
    return text;
}
