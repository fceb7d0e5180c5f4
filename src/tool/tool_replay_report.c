/* tool_replay_report: what `tenfold replay` says in the end: a summary for people, JSON for programs. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool/tool_replay.h"

enum { SHOWN = 8 }; /* differences in the summary */

bool tool_replay_agrees(const struct tool_replay *replay, const struct capture_replay_result *result)
{
    return !result->difference_count && !result->hash_misses && !(replay->strict && result->meanwhile_bytes);
}

static void print_difference(const struct capture_difference *difference)
{
    fprintf(stderr, "tenfold: submission %" PRIu32 ": buffer %" PRIu32 " from 0x%" PRIx64 ": %" PRIu32 " bytes differ: expected",
            difference->submission, difference->buffer, difference->offset, difference->bytes);
    uint32_t shown = difference->bytes < CAPTURE_DIFFERENCE_BYTES ? difference->bytes : CAPTURE_DIFFERENCE_BYTES;
    for (uint32_t n = 0; n < shown; n++)
        fprintf(stderr, " %02x", difference->expected[n]);
    fputs(", got", stderr);
    for (uint32_t n = 0; n < shown; n++)
        fprintf(stderr, " %02x", difference->got[n]);
    fputs(difference->bytes > shown ? " ...\n" : "\n", stderr);
}

static void print_summary(const char *summary)
{
    for (size_t length; summary && *summary; summary += length + (summary[length] == '\n')) {
        length = strcspn(summary, "\n");
        fprintf(stderr, "  %.*s\n", (int)length, summary);
    }
}

void tool_replay_print(const struct tool_replay *replay, const struct capture_replay_result *result, double seconds,
                       const char *summary)
{
    if (result->has_failed)
        tool_complain("%s", result->failure.text);
    if (result->is_cut)
        tool_complain("'%s' is cut: it ends before its end; what it has was replayed", replay->capture);
    for (size_t n = 0; n < result->difference_count && n < SHOWN; n++)
        print_difference(&result->differences[n]);
    if (result->difference_count > SHOWN)
        tool_complain("and %zu more ranges", result->difference_count - SHOWN);
    if (result->hash_misses)
        tool_complain("%" PRIu64 " of %" PRIu64 " buffers have another hash at their end", result->hash_misses,
                      result->hash_count);
    if (replay->report)
        return;
    fprintf(stderr, "%s: %" PRIu32 " submissions, %.3f s\n", replay->capture, result->submissions, seconds);
    if (!result->is_checked)
        fprintf(stderr, "  memory: the capture does not say what became of it\n");
    else
        fprintf(stderr, "  memory: %" PRIu64 " bytes differ; %" PRIu64 " bytes taken as the program's while submissions ran\n",
                result->difference_bytes, result->meanwhile_bytes);
    if (result->clock_reads)
        fprintf(stderr, "  clock: %" PRIu64 " values, %" PRIu64 " of them not in the capture\n", result->clock_reads,
                result->clock_extra);
    print_summary(summary);
}

static void put_text(FILE *file, const char *text)
{
    fputc('"', file);
    for (; *text; text++) {
        unsigned char byte = (unsigned char)*text;
        if (byte == '"' || byte == '\\')
            fprintf(file, "\\%c", byte);
        else if (byte < ' ' || byte >= 0x7f)
            fprintf(file, "\\u%04x", byte);
        else
            fputc(byte, file);
    }
    fputc('"', file);
}

static void put_member(FILE *file, const char *name, const char *text)
{
    fprintf(file, "    \"%s\": ", name);
    put_text(file, text);
    fputs(",\n", file);
}

static void put_hex(FILE *file, const char *name, const uint8_t *bytes, uint32_t count)
{
    fprintf(file, "\"%s\": \"", name);
    for (uint32_t n = 0; n < count && n < CAPTURE_DIFFERENCE_BYTES; n++)
        fprintf(file, "%02x", bytes[n]);
    fputc('"', file);
}

static void put_differences(FILE *file, const struct capture_replay_result *result)
{
    fputs("    \"differences\": [", file);
    for (size_t n = 0; n < result->difference_count && n < CAPTURE_DIFFERENCES_KEPT; n++) {
        const struct capture_difference *difference = &result->differences[n];
        fprintf(file,
                "%s\n      {\"submission\": %" PRIu32 ", \"buffer\": %" PRIu32 ", \"offset\": %" PRIu64 ", \"bytes\": %" PRIu32
                ", ",
                n ? "," : "", difference->submission, difference->buffer, difference->offset, difference->bytes);
        put_hex(file, "expected", difference->expected, difference->bytes);
        fputs(", ", file);
        put_hex(file, "got", difference->got, difference->bytes);
        fputc('}', file);
    }
    fputs(result->difference_count ? "\n    ]\n" : "]\n", file);
}

static const char *bool_name(bool value)
{
    return value ? "true" : "false";
}

bool tool_replay_write(const struct tool_replay *replay, const char *format, const struct capture_event_device *device,
                       const struct capture_replay_result *result, double seconds, const char *gpu)
{
    FILE *file = fopen(replay->report, "w");
    if (!file) {
        tool_complain("cannot write '%s': %s", replay->report, strerror(errno));
        return false;
    }
    fputs("{\n  \"replay\": {\n", file);
    put_member(file, "capture", replay->capture);
    put_member(file, "format", format);
    put_member(file, "chip", device->chip);
    put_member(file, "program", device->program);
    put_member(file, "failure", result->has_failed ? result->failure.text : "");
    fprintf(file, "    \"cut\": %s,\n    \"memory_known\": %s,\n    \"agrees\": %s,\n", bool_name(result->is_cut),
            bool_name(result->is_checked), bool_name(tool_replay_agrees(replay, result)));
    fprintf(file, "    \"submissions\": %" PRIu32 ",\n    \"ended\": %" PRIu32 ",\n    \"seconds\": %.6f,\n", result->submissions,
            result->ended, seconds);
    fprintf(file,
            "    \"program_bytes\": %" PRIu64 ",\n    \"meanwhile_bytes\": %" PRIu64 ",\n    \"difference_bytes\": %" PRIu64
            ",\n",
            result->program_bytes, result->meanwhile_bytes, result->difference_bytes);
    fprintf(file,
            "    \"hashes\": %" PRIu64 ",\n    \"hash_misses\": %" PRIu64 ",\n    \"clock_reads\": %" PRIu64
            ",\n    \"clock_extra\": %" PRIu64 ",\n    \"difference_count\": %zu,\n",
            result->hash_count, result->hash_misses, result->clock_reads, result->clock_extra, result->difference_count);
    put_differences(file, result);
    fprintf(file, "  },\n  \"gpu\": %s\n}\n", gpu ? gpu : "null");
    bool is_good = !ferror(file);
    if (fclose(file) || !is_good) {
        tool_complain("cannot write '%s': %s", replay->report, strerror(errno));
        return false;
    }
    return true;
}
