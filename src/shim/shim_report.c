/* shim_report: what is told to people: lines on standard error, and the report's file. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shim/shim_device.h"
#include "shim/shim_ioctl.h"
#include "shim/shim_status.h"

enum { LINE_BYTES = 1024, MOST_REFUSALS = 256, REPORT_VERSION = 1, REPORT_PATH = 4096 };

/* A call that was refused, and how often. */
struct shim_refusal {
    char text[160];
    int problem;
    uint64_t count;
};

void shim_report_line(const char *format, ...)
{
    char line[LINE_BYTES] = "tenfold: ";
    size_t start = strlen(line);
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line + start, sizeof line - start - 1, format, arguments);
    va_end(arguments);
    size_t end = length < 0 ? start : start + (size_t)length;
    if (end > sizeof line - 2)
        end = sizeof line - 2;
    line[end++] = '\n';
    /* One write, so that lines of several processes stay whole. */
    ssize_t written = write(STDERR_FILENO, line, end);
    (void)written;
}

void shim_report_refuse(struct shim_device *device, int problem, const char *format, ...)
{
    struct shim_refusal fresh = {.problem = problem, .count = 1};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(fresh.text, sizeof fresh.text, format, arguments);
    va_end(arguments);
    pthread_mutex_lock(&device->refusals_lock);
    size_t n = 0;
    while (n < device->refusal_count && strcmp(device->refusals[n].text, fresh.text))
        n++;
    struct shim_refusal *list = device->refusals;
    if (n < device->refusal_count) {
        list[n].count++;
    } else if (n < MOST_REFUSALS && (list = realloc(list, (n + 1) * sizeof *list))) {
        device->refusals = list;
        list[device->refusal_count++] = fresh;
    }
    pthread_mutex_unlock(&device->refusals_lock);
}

void shim_report_finish(struct shim_device *device)
{
    free(device->refusals);
    device->refusals = NULL;
    device->refusal_count = 0;
}

void shim_report_lost(struct shim_device *device)
{
    atomic_fetch_add(&device->lost_submissions, 1);
    if (device->status)
        atomic_fetch_add(&device->status->lost, 1);
    if (device->status && !atomic_exchange(&device->told_failed, true))
        atomic_fetch_add(&device->status->failed, 1);
}

void shim_report_unwritten(struct shim_device *device, const char *what, const struct base_error *why)
{
    shim_report_line("%s of %s (process %d) could not be written: %s", what, program_invocation_short_name, (int)getpid(),
                     why->text);
    if (device->status)
        atomic_fetch_add(&device->status->unwritten, 1);
}

/* -- the file -- */

static void print_text(FILE *file, const char *text)
{
    fputc('"', file);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            fprintf(file, "\\%c", c);
        else if (c < ' ')
            fprintf(file, "\\u%04x", c);
        else
            fputc(c, file);
    }
    fputc('"', file);
}

static void print_calls(FILE *file, struct shim_device *device)
{
    const char *separator = "";
    fputs("  \"calls\": {", file);
    for (size_t row = 0; row < shim_ioctl_rows(); row++) {
        unsigned long long count = atomic_load(&device->calls[row]);
        if (!count)
            continue;
        fprintf(file, "%s\"%s\": %llu", separator, shim_ioctl_name(row), count);
        separator = ", ";
    }
    fputs("},\n", file);
}

static void print_refusals(FILE *file, struct shim_device *device)
{
    fputs("  \"refused\": [", file);
    pthread_mutex_lock(&device->refusals_lock);
    for (size_t n = 0; n < device->refusal_count; n++) {
        const struct shim_refusal *refusal = &device->refusals[n];
        fputs(n ? ",\n    {\"what\": " : "\n    {\"what\": ", file);
        print_text(file, refusal->text);
        fprintf(file, ", \"errno\": %d, \"count\": %llu}", -refusal->problem, (unsigned long long)refusal->count);
    }
    pthread_mutex_unlock(&device->refusals_lock);
    fputs("],\n", file);
}

static void print_report(FILE *file, struct shim_device *device)
{
    char *gpu = tf_gpu_report(device->gpu);
    fprintf(file, "{\n  \"version\": %d,\n  \"program\": ", REPORT_VERSION);
    print_text(file, program_invocation_name);
    fprintf(file, ",\n  \"pid\": %d,\n  \"chip\": \"%s\",\n  \"driver_name\": \"%s\",\n", (int)getpid(), device->chip->name,
            device->chip->driver);
    fprintf(file, "  \"submissions\": %llu,\n  \"lost_submissions\": %llu,\n  \"failed\": %s,\n",
            (unsigned long long)atomic_load(&device->submissions), (unsigned long long)atomic_load(&device->lost_submissions),
            shim_report_failed(device) ? "true" : "false");
    print_calls(file, device);
    print_refusals(file, device);
    fprintf(file, "  \"gpu\": %s\n}\n", gpu ? gpu : "null");
    free(gpu);
}

bool shim_report_failed(struct shim_device *device)
{
    return atomic_load(&device->lost_submissions) || tf_gpu_failed(device->gpu);
}

/* A file takes the report's name when it is whole; a pipe or a device is written to where it is. */
static bool write_whole(struct shim_device *device, const char *path)
{
    char temporary[REPORT_PATH + 16];
    struct stat found;
    bool in_place = !stat(path, &found) && !S_ISREG(found.st_mode);
    snprintf(temporary, sizeof temporary, "%s%s", path, in_place ? "" : ".part");
    FILE *file = fopen(temporary, "we");
    if (!file)
        return false;
    print_report(file, device);
    bool fine = !ferror(file);
    fine &= !fclose(file);
    if (in_place || (fine && !rename(temporary, path)))
        return fine;
    int problem = errno;
    unlink(temporary);
    errno = problem;
    return false;
}

static void write_file(struct shim_device *device)
{
    struct base_error error;
    char path[REPORT_PATH];
    bool first = !device->status || shim_status_claim(&device->status->report);
    int length = first ? snprintf(path, sizeof path, "%s", device->report)
                       : snprintf(path, sizeof path, "%s.%d", device->report, (int)getpid());
    errno = ENAMETOOLONG;
    if (length < (int)sizeof path && write_whole(device, path))
        return;
    base_error_set(&error, "'%s': %s", path, strerror(errno));
    shim_report_unwritten(device, "the report", &error);
}

static void print_lost(struct shim_device *device)
{
    char text[512];
    pthread_mutex_lock(&device->lock);
    for (struct shim_ring *ring = device->rings; ring; ring = ring->next)
        if (tf_queue_lost(ring->queue, text, sizeof text))
            shim_report_line("  %s", text);
    pthread_mutex_unlock(&device->lock);
}

/* What the queues did, and what went wrong. */
static void print_summary(struct shim_device *device)
{
    char *text = tf_gpu_summary(device->gpu), *place = NULL;
    for (char *line = text ? strtok_r(text, "\n", &place) : NULL; line; line = strtok_r(NULL, "\n", &place))
        shim_report_line("  %s", line);
    free(text);
}

/* The few lines that people get: what happened where there is no report, what failed in any case. */
static void print_lines(struct shim_device *device, bool failed)
{
    bool whole = !device->report && !device->quiet && atomic_load(&device->submissions);
    unsigned long long lost = atomic_load(&device->lost_submissions);
    if (!whole && !failed)
        return;
    if (lost)
        shim_report_line("GPU work of %s (process %d) failed, and %llu submissions were lost", program_invocation_short_name,
                         (int)getpid(), lost);
    else
        shim_report_line("GPU work of %s (process %d)%s", program_invocation_short_name, (int)getpid(), failed ? " failed" : ":");
    if (whole)
        print_summary(device);
    else
        print_lost(device);
}

void shim_report_write(struct shim_device *device)
{
    bool failed = shim_report_failed(device);
    if (device->report)
        write_file(device);
    print_lines(device, failed);
    if (failed && device->status && !atomic_exchange(&device->told_failed, true))
        atomic_fetch_add(&device->status->failed, 1);
}
