/* tool_replay_options: the command line of `tenfold replay`. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    "  --cache FOLDER     what keeps programs compiled for Vulkan; none: nothing does\n"
    "  --chip NAME        another chip than the capture's: gfx1010, gfx1013, gfx1030 or gfx1033\n"
    "  --strict           count memory that changed while submissions were in flight, and not by them, as a difference\n"
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

static bool take_chip(struct tool_replay *replay, const char *text)
{
    for (size_t n = 0; tf_chip_name(n); n++)
        if (!strcmp(tf_chip_name(n), text))
            replay->chip = tf_chip_name(n);
    if (!replay->chip)
        tool_complain("there is no chip '%s'; there are gfx1010, gfx1013, gfx1030 and gfx1033", text);
    return replay->chip;
}

/* A capture's programs have no names but their addresses. */
static bool take_break(struct tool_replay *replay, const char *text)
{
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

static bool take_device(struct tool_replay *replay, const char *text)
{
    struct tf_device_info info;
    replay->device = text;
    return tool_device_find(text, &info);
}

/* Takes an option that has a value. False after complaining. */
static bool take_value(struct tool_replay *replay, const char *name, const char *value)
{
    enum { THREADS_MOST = 1024 };
    double number = 0.0;
    if (!strcmp(name, "--out"))
        replay->out = value;
    else if (!strcmp(name, "--report"))
        replay->report = value;
    else if (!strcmp(name, "--capture"))
        replay->record = value;
    else if (!strcmp(name, "--tier"))
        replay->tier = value;
    else if (!strcmp(name, "--cache"))
        replay->cache = value;
    else if (!strcmp(name, "--chip"))
        return take_chip(replay, value);
    else if (!strcmp(name, "--device"))
        return take_device(replay, value);
    else if (!strcmp(name, "--break"))
        return take_break(replay, value);
    else if (!strcmp(name, "--threads")) {
        if (!take_number(name, value, THREADS_MOST, &number))
            return false;
        replay->threads = (unsigned)number;
    } else {
        if (!take_number(name, value, 1e9, &number))
            return false;
        replay->timeout = number > 0.0 ? number : -1.0;
    }
    return true;
}

static bool *find_switch(struct tool_replay *replay, const char *word)
{
    if (!strcmp(word, "--help") || !strcmp(word, "-h"))
        return &replay->help;
    if (!strcmp(word, "--strict"))
        return &replay->strict;
    if (!strcmp(word, "--trace"))
        return &replay->trace;
    return strcmp(word, "--deterministic") ? NULL : &replay->deterministic;
}

static bool has_value(const char *word)
{
    static const char *const names[] = {"--out",   "--report", "--device",  "--chip", "--capture",
                                        "--cache", "--break",  "--threads", "--tier", "--timeout"};
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++)
        if (!strcmp(word, names[n]))
            return true;
    return false;
}

bool tool_replay_parse(int argc, char **argv, struct tool_replay *replay)
{
    *replay = (struct tool_replay){0};
    for (int n = 1; n < argc; n++) {
        bool *found = find_switch(replay, argv[n]);
        if (found) {
            *found = true;
            if (replay->help)
                return true;
        } else if (has_value(argv[n])) {
            const char *name = argv[n], *value = argv[++n];
            if (!value) {
                tool_complain("%s needs a value", name);
                return false;
            }
            if (!take_value(replay, name, value))
                return false;
        } else if (argv[n][0] == '-') {
            tool_complain("there is no option '%s'; try tenfold replay --help", argv[n]);
            return false;
        } else if (replay->capture) {
            tool_complain("one capture at a time: '%s' is a second", argv[n]);
            return false;
        } else {
            replay->capture = argv[n];
        }
    }
    if (!replay->capture)
        tool_complain("which capture? Try tenfold replay --help");
    return replay->capture;
}

void tool_replay_finish(struct tool_replay *replay)
{
    free(replay->stop.kernel);
}
