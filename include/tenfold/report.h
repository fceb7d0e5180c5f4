/* tenfold/report.h: what a run did, for programs to read and for people. */
#ifndef TENFOLD_REPORT_H
#define TENFOLD_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tenfold/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A run's report; immutable. */
struct tf_report;

TF_API void tf_report_destroy(struct tf_report *report);

/* True when the guest's work failed: a fault, a hang, a trap, an unknown or unsupported instruction. */
TF_API bool tf_report_failed(const struct tf_report *report);

struct tf_report_info {
    size_t size;               /* sizeof(struct tf_report_info), set by the caller */
    const char *kernel, *chip; /* all text lives as long as the report */
    const char *device, *tier; /* the host device, and the host code that ran the waves */
    unsigned threads;          /* host threads that ran waves */
    unsigned wave_size;
    uint64_t groups, waves;
    uint64_t exact, approximate, unsupported; /* executed instructions of waves, by how faithful they are to the hardware */
    double seconds;                           /* of the run itself */
    uint64_t fault_sites;                     /* places with faults that are kept: see tf_report_fault */
    uint64_t fault_total;                     /* faults in all */
    /* On a Vulkan device, where what was executed is not counted: operations in the translated program; elsewhere 0. */
    uint64_t exact_operations, approximate_operations;
    const char *device_reason; /* why the CPU device ran it where a Vulkan device was asked for; empty: not so */
    const char *sampled;       /* how its global loads were bound from a sample of its groups; empty: they were not */
};

/* Fills in info. Never fails for a valid report and a size that is set. */
TF_API enum tf_status tf_report_describe(const struct tf_report *report, struct tf_report_info *info, struct tf_error *error);

struct tf_fault {
    size_t size;             /* sizeof(struct tf_fault), set by the caller */
    const char *kind;        /* "unmapped read"; lives as long as the report */
    const char *instruction; /* in assembler text; a hang: with the registers that it names */
    uint64_t pc;             /* guest address of the instruction */
    uint64_t offset;         /* pc counted from the kernel's first instruction */
    uint64_t address;        /* the guest address reached for, or the trap's number */
    uint32_t group[3], wave;
    int lane; /* -1: not of one lane */
};

/* The first fault of each site, from index 0. TF_ERROR_NOT_FOUND past the last. */
TF_API enum tf_status tf_report_fault(const struct tf_report *report, size_t index, struct tf_fault *fault,
                                      struct tf_error *error);

/* The whole report as JSON text; lives as long as the report. docs/report.md describes its members. */
TF_API const char *tf_report_json(const struct tf_report *report);

#ifdef __cplusplus
}
#endif

#endif
