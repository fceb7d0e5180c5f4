/* tool_progress: what a run shows while it goes on: how far it is, on a terminal, and what --trace and --break print. */
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "tool/tool.h"

static const double progress_after = 1.0, progress_every = 0.2;

double tool_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

void tool_progress_begin(struct tool_progress *progress, bool is_shown)
{
    progress->started = tool_now();
    progress->is_shown = is_shown && isatty(STDERR_FILENO);
}

bool tool_progress_due(struct tool_progress *progress, double *seconds)
{
    double at = tool_now();
    *seconds = at - progress->started;
    if (!progress->is_shown || *seconds < progress_after || at - progress->shown < progress_every)
        return false;
    progress->shown = at;
    return true;
}

void tool_progress_clear(const struct tool_progress *progress)
{
    if (progress->shown > 0.0)
        fprintf(stderr, "\r%70s\r", "");
}

/* Several threads may call at once: puts is one line at a time. */
void tool_print_line(void *user, const char *line)
{
    (void)user;
    puts(line);
}

void tool_print_break(void *user, const char *registers)
{
    struct tool_progress *progress = user;
    atomic_fetch_add_explicit(&progress->breaks, 1, memory_order_relaxed);
    puts(registers);
}

void tool_break_conclude(const struct tool_break *stop, const struct tool_progress *progress)
{
    if (stop->kernel && !atomic_load(&progress->breaks))
        tool_complain("--break: no such wave came to an instruction 0x%llx bytes into %s; tenfold %s shows where they begin",
                      (unsigned long long)stop->offset, stop->kernel, stop->kernel[0] == '0' ? "inspect" : "disasm");
}
