/* api_queue_report: what a GPU's queues did, as JSON; docs/report.md says what each member means. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "api/api_internal.h"

struct writer {
    const struct tf_gpu *gpu;
    cJSON *root, *queues, *problems, *programs, *rows, *faults;
    cJSON *submissions; /* of the queue that was told last */
    cJSON *elsewhere;   /* why dispatches ran on the CPU device */
    uint64_t on_cores;  /* dispatches that did */
};

static void add_address(cJSON *object, const char *name, uint64_t address)
{
    char text[32];
    snprintf(text, sizeof text, "0x%" PRIx64, address);
    cJSON_AddStringToObject(object, name, text);
}

/* All 16 digits: hashes are compared as text. */
static void add_hash(cJSON *object, uint64_t hash)
{
    char text[32];
    snprintf(text, sizeof text, "%016" PRIx64, hash);
    cJSON_AddStringToObject(object, "hash", text);
}

static void add_number(cJSON *object, const char *name, uint64_t number)
{
    cJSON_AddNumberToObject(object, name, (double)number);
}

/* More of what may be there already. */
static void add_to(cJSON *object, const char *name, uint64_t more)
{
    cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    if (item)
        cJSON_SetNumberValue(item, cJSON_GetNumberValue(item) + (double)more);
    else
        add_number(object, name, more);
}

static cJSON *add_object(cJSON *array)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddItemToArray(array, object);
    return object;
}

/* ---- queues ---- */

static void add_packets(cJSON *queue, const struct cp_ring_totals *totals)
{
    cJSON *packets = cJSON_AddObjectToObject(queue, "packets");
    bool sdma = totals->kind == SUBMIT_SDMA;
    unsigned count = sdma ? (unsigned)PM4_SDMA_COUNT : (unsigned)PM4_PACKET_COUNT;
    for (unsigned n = 0; n < count; n++)
        if (totals->packets[n])
            add_number(packets, sdma ? pm4_sdma_row((enum pm4_sdma_id)n)->name : pm4_row((enum pm4_packet_id)n)->name,
                       totals->packets[n]);
}

static void add_unbounded(cJSON *queue, const struct cp_ring_totals *totals)
{
    cJSON *reasons = cJSON_AddObjectToObject(queue, "unbounded");
    for (unsigned n = 0; n < SUBMIT_UNBOUNDED_COUNT; n++)
        if (totals->unbounded[n])
            add_number(reasons, submit_unbounded_name((enum submit_unbounded)n), totals->unbounded[n]);
}

static void add_wait(cJSON *wait, const struct cp_wait_total *total)
{
    cJSON_AddStringToObject(wait, "for", total->kind);
    if (total->address)
        add_address(wait, "address", total->address);
}

static void add_waits(cJSON *queue, const struct cp_wait_total *waits, size_t count)
{
    cJSON *array = cJSON_AddArrayToObject(queue, "waits");
    for (size_t n = 0; n < count; n++) {
        cJSON *wait = add_object(array);
        add_wait(wait, &waits[n]);
        add_number(wait, "times", waits[n].times);
        cJSON_AddNumberToObject(wait, "seconds", waits[n].seconds);
        cJSON_AddNumberToObject(wait, "longest_seconds", waits[n].longest_s);
    }
}

static void add_queue(void *user, const struct cp_ring_totals *totals, const struct cp_wait_total *waits, size_t wait_count)
{
    static const char *const kinds[] = {[SUBMIT_GRAPHICS] = "graphics", [SUBMIT_COMPUTE] = "compute", [SUBMIT_SDMA] = "sdma"};
    struct writer *writer = user;
    cJSON *queue = add_object(writer->queues);
    cJSON_AddStringToObject(queue, "name", totals->name);
    cJSON_AddStringToObject(queue, "kind", kinds[totals->kind]);
    add_number(queue, "submissions", totals->submissions);
    add_number(queue, "ended", totals->ended);
    add_number(queue, "lost", totals->lost);
    if (totals->lost_text)
        cJSON_AddStringToObject(queue, "lost_because", totals->lost_text);
    cJSON_AddNumberToObject(queue, "busy_seconds", totals->busy_s);
    add_number(queue, "dispatches", totals->dispatches);
    add_number(queue, "failed_dispatches", totals->failed_dispatches);
    add_number(queue, "groups", totals->groups);
    add_number(queue, "waves", totals->waves);
    add_unbounded(queue, totals);
    add_packets(queue, totals);
    add_waits(queue, waits, wait_count);
    writer->submissions = cJSON_AddArrayToObject(queue, "last_submissions");
}

static void add_submission(void *user, const struct cp_submission *submission)
{
    struct writer *writer = user;
    cJSON *item = add_object(writer->submissions);
    add_number(item, "number", submission->number);
    add_number(item, "packets", submission->packets);
    add_number(item, "dispatches", submission->dispatches);
    add_number(item, "draws", submission->draws);
    cJSON_AddNumberToObject(item, "seconds", submission->seconds);
    cJSON_AddNumberToObject(item, "waited_seconds", submission->waited_s);
    if (submission->longest.kind) {
        cJSON *wait = cJSON_AddObjectToObject(item, "longest_wait");
        add_wait(wait, &submission->longest);
        cJSON_AddNumberToObject(wait, "seconds", submission->longest.seconds);
    }
    if (submission->lost)
        cJSON_AddTrueToObject(item, "lost");
}

static void add_problem(void *user, const struct cp_refusal *refusal)
{
    struct writer *writer = user;
    cJSON *problem = add_object(writer->problems);
    cJSON_AddStringToObject(problem, "kind", refusal->kind);
    cJSON_AddStringToObject(problem, "text", refusal->text);
    add_number(problem, "times", refusal->times);
}

/* ---- programs ---- */

static const char *tier_of(const struct tf_gpu *gpu)
{
    return gpu->tier ? gpu->tier : wave_best_tier();
}

static void add_fidelity(cJSON *program, const uint64_t instructions[WAVE_FIDELITY_COUNT])
{
    cJSON *totals = cJSON_AddObjectToObject(program, "instructions");
    add_number(totals, "exact", instructions[WAVE_EXACT]);
    add_number(totals, "approximate", instructions[WAVE_APPROXIMATE]);
    add_number(totals, "unsupported", instructions[WAVE_UNSUPPORTED]);
}

/* What of a program's stores a trace would have to bound, by the instructions that it has run. */
static void add_stores(cJSON *program, const struct wave_program_total *total)
{
    static const struct {
        const char *prefix, *name;
    } kinds[] = {{"image_", "image store"},   {"flat_", "flat store"},      {"global_", "global store"},
                 {"buffer_", "buffer store"}, {"tbuffer_", "buffer store"}, {"scratch_", "scratch store"}};
    enum { KINDS = sizeof kinds / sizeof kinds[0] };
    cJSON *stores = cJSON_AddObjectToObject(program, "stores");
    for (size_t row = 0; row < total->row_count; row++) {
        const char *name = total->rows[row].row->name;
        if (!strstr(name, "_store") && !strstr(name, "_atomic"))
            continue;
        for (unsigned kind = 0; kind < KINDS; kind++)
            if (strncmp(name, kinds[kind].prefix, strlen(kinds[kind].prefix)) == 0)
                add_to(stores, kinds[kind].name, total->rows[row].count);
    }
}

static void add_program(void *user, const struct wave_program_total *total)
{
    struct writer *writer = user;
    cJSON *program = add_object(writer->programs);
    add_address(program, "address", total->program);
    cJSON_AddStringToObject(program, "device", writer->gpu->cores->functions->name);
    cJSON_AddStringToObject(program, "tier", tier_of(writer->gpu));
    cJSON_AddStringToObject(program, "accesses", "in place");
    add_number(program, "lanes_per_invocation", total->wave_size);
    if (total->hash)
        add_hash(program, total->hash);
    add_number(program, "wave_size", total->wave_size);
    cJSON_AddBoolToObject(program, "current", total->current);
    if (*writer->gpu->why_cpu)
        cJSON_AddStringToObject(program, "device_reason", writer->gpu->why_cpu);
    writer->on_cores += total->dispatches;
    add_number(program, "dispatches", total->dispatches);
    add_number(program, "failed", total->failed);
    add_number(program, "groups", total->groups);
    add_number(program, "waves", total->waves);
    add_fidelity(program, total->instructions);
    add_stores(program, total);
    add_number(program, "faults", 0);
    cJSON_AddObjectToObject(program, "unbounded");
}

/* The object of a program: where its code changed in between there are several of that address, and the last one is meant. */
static cJSON *find_program(const struct writer *writer, uint64_t address)
{
    char text[32];
    cJSON *found = NULL, *program;
    snprintf(text, sizeof text, "0x%" PRIx64, address);
    cJSON_ArrayForEach(program,
                       writer->programs) if (strcmp(cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(program, "address")),
                                                    text) == 0) found = program;
    return found;
}

/* What ran on another device than the cores; where the cores ran the program as well, that has an object of its own. */
static void add_device_program(void *user, const struct device_program_total *total)
{
    struct writer *writer = user;
    cJSON *cores = total->elsewhere ? find_program(writer, total->program) : NULL;
    if (cores && !cJSON_GetObjectItemCaseSensitive(cores, "device_reason"))
        cJSON_AddStringToObject(cores, "device_reason", total->reason);
    if (!total->dispatches)
        return;
    cJSON *program = add_object(writer->programs), *operations;
    add_address(program, "address", total->program);
    cJSON_AddStringToObject(program, "device", writer->gpu->device->functions->name);
    cJSON_AddStringToObject(program, "tier", "spirv");
    cJSON_AddStringToObject(program, "accesses", vulkan_engine_mirrors(writer->gpu->vulkan) ? "on copies" : "in place");
    if (*total->note)
        cJSON_AddStringToObject(program, "sampled", total->note);
    add_number(program, "lanes_per_invocation", total->lanes);
    add_number(program, "wave_size", total->wave_size);
    cJSON_AddBoolToObject(program, "current", total->program != 0);
    add_number(program, "dispatches", total->dispatches);
    add_number(program, "failed", total->failed);
    add_number(program, "groups", total->groups);
    add_number(program, "waves", total->waves);
    operations = cJSON_AddObjectToObject(program, "operations");
    add_number(operations, "exact", total->exact);
    add_number(operations, "approximate", total->approximate);
    add_number(program, "faults", 0);
    cJSON_AddObjectToObject(program, "unbounded");
}

static void add_elsewhere(void *user, const char *reason, uint64_t times)
{
    struct writer *writer = user;
    cJSON *item = add_object(writer->elsewhere);
    cJSON_AddStringToObject(item, "reason", reason);
    add_number(item, "times", times);
}

static void add_program_unbounded(void *user, const struct cp_unbounded_total *total)
{
    cJSON *program = find_program(user, total->program);
    if (program)
        add_to(cJSON_GetObjectItemCaseSensitive(program, "unbounded"), submit_unbounded_name(total->reason), total->times);
}

static void add_row(void *user, const struct wave_row_count *row)
{
    static const char *const names[] = {
        [WAVE_EXACT] = "exact", [WAVE_APPROXIMATE] = "approximate", [WAVE_UNSUPPORTED] = "unsupported"};
    struct writer *writer = user;
    cJSON *item = add_object(writer->rows);
    cJSON_AddStringToObject(item, "name", row->row->name);
    cJSON_AddStringToObject(item, "fidelity", names[row->fidelity]);
    add_number(item, "count", row->count);
}

static void add_fault(void *user, const struct wave_fault_total *total)
{
    struct writer *writer = user;
    const struct wave_fault *first = &total->first;
    cJSON *program = find_program(writer, total->program);
    if (program)
        add_to(program, "faults", total->times);
    cJSON *fault = add_object(writer->faults);
    cJSON_AddStringToObject(fault, "kind", wave_fault_name(first->kind));
    add_address(fault, "program", total->program);
    add_address(fault, "pc", first->pc);
    cJSON_AddStringToObject(fault, "instruction", first->text);
    add_address(fault, "address", first->address);
    cJSON *group = cJSON_AddArrayToObject(fault, "group");
    for (unsigned n = 0; n < 3; n++)
        cJSON_AddItemToArray(group, cJSON_CreateNumber(first->group[n]));
    add_number(fault, "wave", first->wave);
    if (first->lane >= 0)
        cJSON_AddNumberToObject(fault, "lane", first->lane);
    add_number(fault, "times", total->times);
}

/* What moved between guest memory and copies of it. */
static void add_copies(struct writer *writer)
{
    const struct vulkan_mirror_counts counts = vulkan_engine_moved(writer->gpu->vulkan);
    cJSON *copies = cJSON_AddObjectToObject(writer->root, "copies");
    add_number(copies, "uploaded", counts.uploaded);
    add_number(copies, "checked", counts.checked);
    add_number(copies, "written_back", counts.written_back);
    add_number(copies, "masked", counts.masked);
    add_number(copies, "filled", counts.filled);
    add_number(copies, "resident", counts.resident);
}

static void add_device(struct writer *writer)
{
    const struct device_functions *device = writer->gpu->device->functions;
    const struct device_report_sink sink = {
        .user = writer, .program = add_device_program, .elsewhere = add_elsewhere, .fault = add_fault};
    if (device->host)
        cJSON_AddStringToObject(writer->root, "host_device", device->host(writer->gpu->device));
    if (writer->gpu->vulkan && vulkan_engine_mirrors(writer->gpu->vulkan))
        add_copies(writer);
    if (!device->report && !*writer->gpu->why_cpu)
        return;
    writer->elsewhere = cJSON_AddArrayToObject(writer->root, "on_cpu");
    if (device->report)
        device->report(writer->gpu->device, &sink);
    else
        add_elsewhere(writer, writer->gpu->why_cpu, writer->on_cores);
}

/* Accesses to mapped memory that the host's own refused: mended, but what the guest saw is not what was there. */
static void add_host_faults(cJSON *root, const struct mem_space *space)
{
    struct mem_faults faults;
    mem_space_faults(space, &faults);
    cJSON *object = cJSON_AddObjectToObject(root, "host_faults");
    add_number(object, "count", faults.count);
    cJSON *first = cJSON_AddArrayToObject(object, "first");
    for (uint64_t n = 0; n < faults.count && n < MEM_FAULTS_KEPT; n++) {
        char text[32];
        snprintf(text, sizeof text, "0x%" PRIx64, faults.addresses[n]);
        cJSON_AddItemToArray(first, cJSON_CreateString(text));
    }
}

char *tf_gpu_report(struct tf_gpu *gpu)
{
    struct writer writer = {.gpu = gpu, .root = cJSON_CreateObject()};
    const struct cp_report_sink queues = {&writer, add_queue, add_problem, add_submission, NULL};
    const struct cp_report_sink unbounded = {.user = &writer, .unbounded = add_program_unbounded};
    const struct wave_report_sink waves = {.user = &writer, .program = add_program, .row = add_row, .fault = add_fault};
    cJSON_AddStringToObject(writer.root, "tenfold", TENFOLD_VERSION);
    cJSON_AddStringToObject(writer.root, "chip", isa_chip_name(gpu->chip));
    cJSON_AddStringToObject(writer.root, "device", gpu->device->functions->name);
    cJSON_AddStringToObject(writer.root, "tier", tier_of(gpu));
    cJSON_AddBoolToObject(writer.root, "failed", tf_gpu_failed(gpu));
    writer.queues = cJSON_AddArrayToObject(writer.root, "queues");
    writer.problems = cJSON_AddArrayToObject(writer.root, "problems");
    writer.programs = cJSON_AddArrayToObject(writer.root, "programs");
    writer.rows = cJSON_AddArrayToObject(writer.root, "by_instruction");
    writer.faults = cJSON_AddArrayToObject(writer.root, "faults");
    cp_gpu_report(gpu->cp, &queues);
    add_host_faults(writer.root, gpu->space);
    bool whole = wave_engine_report(gpu->engine, &waves);
    add_device(&writer);
    cp_gpu_report(gpu->cp, &unbounded);
    char *text = whole ? cJSON_Print(writer.root) : NULL;
    cJSON_Delete(writer.root);
    return text;
}
