/* What went wrong in a dispatch: faults by site, with the instruction in text. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wave/wave_internal.h"

struct wave_report {
    pthread_mutex_t lock;
    uint64_t count[WAVE_FAULT_KIND_COUNT];
    struct wave_fault faults[WAVE_MAX_FAULTS];
    uint64_t times[WAVE_MAX_FAULTS]; /* of each that is kept */
    size_t kept;
    bool any;
};

static const char *const fault_names[WAVE_FAULT_KIND_COUNT] = {
    [WAVE_FAULT_UNMAPPED_READ] = "read of unmapped memory",
    [WAVE_FAULT_UNMAPPED_WRITE] = "write to unmapped memory",
    [WAVE_FAULT_READ_ONLY] = "write to read-only memory",
    [WAVE_FAULT_LDS_MISALIGNED] = "misaligned LDS access",
    [WAVE_FAULT_ATOMIC_MISALIGNED] = "misaligned atomic",
    [WAVE_FAULT_LDS_RANGE] = "LDS access past the allocation",
    [WAVE_FAULT_UNKNOWN_INSTRUCTION] = "unknown instruction",
    [WAVE_FAULT_UNSUPPORTED_INSTRUCTION] = "unsupported instruction",
    [WAVE_FAULT_IMAGE] = "image that cannot be used",
    [WAVE_FAULT_FETCH] = "instruction fetch from unmapped memory",
    [WAVE_FAULT_FETCH_MISALIGNED] = "instruction fetch from a misaligned address",
    [WAVE_FAULT_TRAP] = "trap",
    [WAVE_FAULT_HANG] = "no progress",
    [WAVE_FAULT_CANCELLED] = "cancelled",
    [WAVE_FAULT_UNBOUND_READ] = "read outside what was bound",
    [WAVE_FAULT_UNBOUND_WRITE] = "write outside what was bound",
};

const char *wave_fault_name(enum wave_fault_kind kind)
{
    return (unsigned)kind < WAVE_FAULT_KIND_COUNT ? fault_names[kind] : "unknown fault";
}

struct wave_report *wave_report_create(void)
{
    struct wave_report *report = calloc(1, sizeof *report);
    if (report && pthread_mutex_init(&report->lock, NULL)) {
        free(report);
        return NULL;
    }
    return report;
}

void wave_report_destroy(struct wave_report *report)
{
    if (!report)
        return;
    pthread_mutex_destroy(&report->lock);
    free(report);
}

/* The site among those kept; kept: not there. */
static size_t site_of(const struct wave_report *report, enum wave_fault_kind kind, uint64_t pc)
{
    size_t i = 0;
    while (i < report->kept && (report->faults[i].kind != kind || report->faults[i].pc != pc))
        i++;
    return i;
}

bool wave_report_add(struct wave_report *report, const struct wave_fault *fault)
{
    pthread_mutex_lock(&report->lock);
    report->count[fault->kind]++;
    report->any = true;
    size_t site = site_of(report, fault->kind, fault->pc);
    bool first = site == report->kept;
    if (first && report->kept < WAVE_MAX_FAULTS)
        report->faults[report->kept++] = *fault;
    if (site < WAVE_MAX_FAULTS)
        report->times[site]++;
    pthread_mutex_unlock(&report->lock);
    return first;
}

/* Decodes the instruction at pc; false when there is none. */
static bool decode_at(const struct wave_shared *shared, uint64_t pc, struct isa_inst *inst)
{
    enum { LONGEST = 6 };
    const struct wave_memory *memory = shared->memory;
    uint32_t words[LONGEST];
    size_t have = 0;
    struct wave_run run;
    while (have < LONGEST && memory->find(memory->user, pc + have * 4, &run) == WAVE_DONE && run.host &&
           run.size - (pc + have * 4 - run.start) >= 4) {
        memcpy(&words[have], run.host + (pc + have * 4 - run.start), 4);
        have++;
    }
    return have && isa_decode(shared->variant.lower.chip, shared->variant.lower.wave_size, words, have, inst) == ISA_OK;
}

bool wave_inst_text(const struct wave_shared *shared, uint64_t pc, char *text, size_t size)
{
    struct isa_inst inst;
    if (!decode_at(shared, pc, &inst))
        return false;
    isa_print(&inst, shared->variant.lower.chip, shared->variant.lower.wave_size, pc, text, size);
    return true;
}

static void describe(const struct wave_shared *shared, struct wave *w, struct wave_fault *fault, const char *reason)
{
    wave_inst_text(shared, fault->pc, fault->text, sizeof fault->text);
    size_t length = strlen(fault->text);
    if (reason)
        snprintf(fault->text + length, sizeof fault->text - length, "%s%s", length ? "; " : "", reason);
    struct isa_inst inst;
    if (fault->kind == WAVE_FAULT_HANG && length + 2 < sizeof fault->text && decode_at(shared, fault->pc, &inst)) {
        memcpy(fault->text + length, "; ", 3);
        wave_operands_text(w, &inst, fault->text + length + 2, sizeof fault->text - length - 2);
    }
}

enum wave_fault_kind wave_fetch_fault(uint64_t pc)
{
    return pc % sizeof(uint32_t) ? WAVE_FAULT_FETCH_MISALIGNED : WAVE_FAULT_FETCH;
}

uint64_t wave_pc_of(const struct wave *w, const struct wave_op *o)
{
    const struct wave_unit *unit = w->unit;
    return o >= unit->ops && o < unit->ops + unit->op_count ? unit->pc_of[o - unit->ops] : 0;
}

bool wave_report_fault(struct wave *w, const struct wave_op *o, enum wave_fault_kind kind, int lane, uint64_t address)
{
    return wave_report_reason(w, o, kind, lane, address, NULL);
}

bool wave_report_reason(struct wave *w, const struct wave_op *o, enum wave_fault_kind kind, int lane, uint64_t address,
                        const char *reason)
{
    if (w->track) /* a host run with partial knowledge: what it meets need not be so, and its memory need not be there */
        return false;
    struct wave_report *report = w->worker->shared->report;
    struct wave_fault fault = {.kind = kind, .pc = wave_pc_of(w, o), .address = address, .wave = w->index, .lane = lane};
    if (w->group)
        memcpy(fault.group, w->group->id, sizeof fault.group);
    /* Only the first of a site is worth its text; the others are counted. */
    pthread_mutex_lock(&report->lock);
    size_t site = site_of(report, kind, fault.pc);
    bool first = site == report->kept && report->kept < WAVE_MAX_FAULTS;
    if (!first) {
        report->count[kind]++;
        report->any = true;
        if (site < report->kept)
            report->times[site]++;
    }
    pthread_mutex_unlock(&report->lock);
    if (!first)
        return false;
    describe(w->worker->shared, w, &fault, reason);
    return wave_report_add(report, &fault);
}

/* Out-of-range accesses to the local share are defined; everything else is a failure. */
static bool fails(unsigned kind)
{
    return kind != WAVE_FAULT_LDS_RANGE;
}

void wave_report_take(struct wave_report *report, struct wave_result *result)
{
    memcpy(result->fault_count, report->count, sizeof result->fault_count);
    for (unsigned kind = 0; kind < WAVE_FAULT_KIND_COUNT; kind++)
        result->failed |= fails(kind) && report->count[kind];
    result->faults = report->kept ? malloc(report->kept * sizeof *result->faults) : NULL;
    if (result->faults) {
        memcpy(result->faults, report->faults, report->kept * sizeof *result->faults);
        result->faults_kept = report->kept;
    }
    wave_report_destroy(report);
}

bool wave_report_any(const struct wave_report *report)
{
    return report->any;
}

void wave_report_clear(struct wave_report *report)
{
    if (!report->any)
        return;
    memset(report->count, 0, sizeof report->count);
    memset(report->times, 0, sizeof report->times);
    report->kept = 0;
    report->any = false;
}

void wave_report_brief(const struct wave_report *report, uint64_t program, struct wave_brief *brief)
{
    for (unsigned kind = 0; kind < WAVE_FAULT_KIND_COUNT; kind++)
        brief->failed |= fails(kind) && report->count[kind];
    const struct wave_fault *fault = report->faults;
    while (fault < report->faults + report->kept && !fails(fault->kind))
        fault++;
    if (!brief->failed || fault == report->faults + report->kept)
        return;
    brief->kind = fault->kind;
    char place[96] = "";
    if (fault->lane >= 0)
        snprintf(place, sizeof place, ", lane %d", fault->lane);
    snprintf(brief->text, sizeof brief->text, "program 0x%llx, pc 0x%llx: %s (0x%llx) in group %u,%u,%u, wave %u%s: %s",
             (unsigned long long)program, (unsigned long long)fault->pc, wave_fault_name(fault->kind),
             (unsigned long long)fault->address, fault->group[0], fault->group[1], fault->group[2], fault->wave, place,
             *fault->text ? fault->text : "no instruction");
}

void wave_report_each(const struct wave_report *report, void *user,
                      void (*visit)(void *user, const struct wave_fault *fault, uint64_t times))
{
    for (size_t i = 0; i < report->kept; i++)
        visit(user, &report->faults[i], report->times[i]);
}

void wave_result_finish(struct wave_result *result)
{
    free(result->faults);
    free(result->rows);
    free(result->blocks);
    memset(result, 0, sizeof *result);
}
