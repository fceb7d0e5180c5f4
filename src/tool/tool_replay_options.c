/* tool_replay_options: the command line of `tenfold replay`. */
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool/tool_options.h"
#include "tool/tool_replay.h"

static const char help[] =
    "usage: tenfold replay [OPTION...] CAPTURE\n"
    "\n"
    "Carries everything out that CAPTURE holds (a file of `tenfold run --capture`, or an RDNACAP1 stream), and compares what "
    "becomes of\n"
    "memory with what the capture says.\n"
    "\n"
    "Options:\n"
    "  --out DIR          write each buffer's contents at its end to DIR/buffer-N.bin, and a list of them to DIR/index.txt\n"
    "  --report FILE      write a JSON report to FILE instead of a summary to standard error\n"
    "  --capture FILE     record the replay as a new capture, which says what became of memory\n"
    "  --device DEVICE    the host device: cpu (the default) or vulkan[:N|:NAME]; see tenfold devices\n"
    "  --memory HOW       how a Vulkan device has guest memory: shared (in place, where it can) or mirrored (copies)\n"
    "  --cache FOLDER     what keeps programs compiled for Vulkan; none: nothing does\n"
    "  --chip NAME        another chip than the capture's: gfx1010, gfx1013, gfx1030 or gfx1033\n"
    "  --strict           count memory that changed while submissions were in flight, and not by them, as a difference\n"
    "  --large            read a capture that is out of proportion: unpacked, hashed or touched pages against its size\n"
    "  --trace            print every instruction that waves run, with what it wrote\n"
    "  --break PROGRAM:PC[:GROUP:WAVE]\n"
    "                     print the registers of waves of the program at that guest address, PC bytes into it\n"
    "  --deterministic    one thread, groups in order, as runs are recorded: what a capture that tells of memory gets anyway\n"
    "  --threads N        host threads that run waves, in any order\n"
    "  --tier NAME        avx512, avx2 or baseline\n"
    "  --timeout SECONDS  how long a submission may take (default: 60; 0: no end)\n"
    "  --help             this text\n"
    "\n"
    "The exit status is 1 when the guest's work failed (a fault, a hang, something unsupported), the memory differs from the "
    "capture's, or\n"
    "the capture cannot be read. 2: wrong usage.\n"
    "\n"
    "Examples:\n"
    "  tenfold run --capture run.tfcap -- ./program && tenfold replay run.tfcap\n"
    "  tenfold replay --out buffers --report replay.json run.tfcap\n"
    "  tenfold replay --break 0x7f0000050d00:0x48:3:0 run.tfcap\n";

void tool_replay_help(void)
{
    fputs(help, stdout);
}

static bool take_number(const char *name, const char *text, double most, double *number)
{
    char *end;
    errno = 0;
    *number = strtod(text, &end);
    if (!errno && end != text && !*end && *number >= 0.0 && *number <= most && !isnan(*number))
        return true;
    tool_complain("%s: '%s' is no number from 0 to %g", name, text, most);
    return false;
}

static bool set_chip(void *into, const char *text)
{
    struct tool_replay *replay = into;
    for (size_t n = 0; tf_chip_name(n); n++)
        if (!strcmp(tf_chip_name(n), text))
            replay->chip = tf_chip_name(n);
    if (!replay->chip)
        tool_complain("there is no chip '%s'; there are gfx1010, gfx1013, gfx1030 and gfx1033", text);
    return replay->chip;
}

/* A capture's programs have no names but their addresses. */
static bool set_break(void *into, const char *text)
{
    struct tool_replay *replay = into;
    char *end = NULL;
    if (tool_break_parse(text, &replay->stop)) {
        uint64_t address = strtoull(replay->stop.kernel, &end, 0);
        replay->stop_program = (uint64_t)((int64_t)(address << 16) >> 16); /* 48 bits, sign-extended */
        if (end != replay->stop.kernel && !*end)
            return true;
    }
    tool_complain("--break: '%s' is no ADDRESS:PC[:GROUP:WAVE]; tenfold inspect shows the programs' addresses", text);
    return false;
}

static bool set_device(void *into, const char *text)
{
    struct tool_replay *replay = into;
    struct tf_device_info info;
    replay->device = text;
    return tool_device_find(text, &info);
}

static bool set_memory(void *into, const char *value)
{
    struct tool_replay *replay = into;
    replay->memory = value;
    return tool_memory_find(value);
}

static bool set_threads(void *into, const char *text)
{
    enum { THREADS_MOST = 1024 };
    struct tool_replay *replay = into;
    double number = 0.0;
    if (!take_number("--threads", text, THREADS_MOST, &number))
        return false;
    replay->threads = (unsigned)number;
    if (replay->threads < 1)
        tool_complain("--threads %s: a number of host threads from 1 to %d is due", text, THREADS_MOST);
    return replay->threads >= 1;
}

static bool set_timeout(void *into, const char *text)
{
    struct tool_replay *replay = into;
    double number = 0.0;
    bool is_good = take_number("--timeout", text, 1e9, &number);
    replay->timeout = number > 0.0 ? number : -1.0;
    return is_good;
}

#define PLACE(member) NULL, offsetof(struct tool_replay, member), NULL

static const struct tool_option rows[] = {
    {"--out", NULL, "DIR", PLACE(out)},
    {"--report", NULL, "FILE", PLACE(report)},
    {"--capture", NULL, "FILE", PLACE(record)},
    {"--device", NULL, "DEVICE", set_device, 0, NULL},
    {"--memory", NULL, "HOW", set_memory, 0, NULL},
    {"--cache", NULL, "FOLDER", PLACE(cache)},
    {"--chip", NULL, "NAME", set_chip, 0, NULL},
    {"--strict", NULL, NULL, PLACE(strict)},
    {"--large", NULL, NULL, PLACE(large)},
    {"--trace", NULL, NULL, PLACE(trace)},
    {"--break", NULL, "PROGRAM:PC[:GROUP:WAVE]", set_break, 0, NULL},
    {"--deterministic", NULL, NULL, PLACE(deterministic)},
    {"--threads", NULL, "N", set_threads, 0, NULL},
    {"--tier", NULL, "NAME", PLACE(tier)},
    {"--timeout", NULL, "SECONDS", set_timeout, 0, NULL},
    {"--help", "-h", NULL, PLACE(help)},
};

static const struct tool_options options = TOOL_OPTIONS("replay", rows);

bool tool_replay_parse(int argc, char **argv, struct tool_replay *replay)
{
    *replay = (struct tool_replay){0};
    for (int n = 1; n < argc && !replay->help; n++) {
        if (tool_option_is(argv[n])) {
            if (!tool_option_take(&options, replay, argc, argv, &n))
                return false;
        } else if (replay->capture) {
            tool_complain("one capture at a time: '%s' is a second", argv[n]);
            return false;
        } else {
            replay->capture = argv[n];
        }
    }
    if (!replay->capture && !replay->help)
        tool_complain("which capture? Try tenfold replay --help");
    return replay->help || (replay->capture && tool_device_takes(replay->device, replay->memory, replay->cache));
}

void tool_replay_finish(struct tool_replay *replay)
{
    free(replay->stop.kernel);
}
