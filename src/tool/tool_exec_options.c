/* tool_exec_options: the command line and the help of `tenfold exec`. */
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool/tool.h"
#include "tool/tool_options.h"

static bool set_grid(void *into, const char *value)
{
    struct tool_exec *exec = into;
    if (tool_sizes_parse(value, exec->grid))
        return true;
    tool_complain("-g '%s': one to three numbers of threads over 0 are due, as in -g 1024 or -g 640,480", value);
    return false;
}

static bool set_workgroup(void *into, const char *value)
{
    struct tool_exec *exec = into;
    if (tool_sizes_parse(value, exec->workgroup))
        return true;
    tool_complain("-b '%s': one to three numbers of threads over 0 are due, as in -b 256 or -b 16,16", value);
    return false;
}

static bool set_device(void *into, const char *value)
{
    struct tool_exec *exec = into;
    struct tf_device_info info;
    exec->device = value;
    return tool_device_find(value, &info);
}

static bool set_memory(void *into, const char *value)
{
    struct tool_exec *exec = into;
    exec->memory = value;
    return tool_memory_find(value);
}

static bool set_threads(void *into, const char *value)
{
    struct tool_exec *exec = into;
    char *end;
    errno = 0;
    unsigned long threads = strtoul(value, &end, 10);
    exec->threads = (unsigned)threads;
    if (*value && *value != '-' && !*end && !errno && threads >= 1 && threads <= 1024)
        return true;
    tool_complain("--threads '%s': a number from 1 to 1024 is due", value);
    return false;
}

static bool set_timeout(void *into, const char *value)
{
    struct tool_exec *exec = into;
    char *end;
    double seconds = strtod(value, &end);
    exec->timeout = seconds > 0 ? seconds : -1;
    if (end != value && !*end && seconds >= 0)
        return true;
    tool_complain("--timeout '%s': a number of seconds is due, or 0 for no limit", value);
    return false;
}

static bool set_break(void *into, const char *value)
{
    struct tool_exec *exec = into;
    free(exec->stop.kernel);
    exec->stop.kernel = NULL;
    if (tool_break_parse(value, &exec->stop))
        return true;
    tool_complain("--break '%s': KERNEL:PC or KERNEL:PC:GROUP:WAVE is due, as in --break saxpy:0x1c", value);
    return false;
}

#define PLACE(member) NULL, offsetof(struct tool_exec, member)

static const struct tool_option rows[] = {
    {"--kernel", "-k", "KERNEL", PLACE(kernel), "the kernel to run; may be left out where the object has one"},
    {"--grid", "-g", "X[,Y[,Z]]", set_grid, 0, "threads in each dimension; the last group may be partial"},
    {"--workgroup", "-b", "X[,Y[,Z]]", set_workgroup, 0, "threads in a group: what the kernel requires, or 64"},
    {"--device", NULL, "DEVICE", set_device, 0, "what carries the work out: cpu, vulkan[:N|:NAME]"},
    {"--memory", NULL, "HOW", set_memory, 0, "how a Vulkan device has guest memory: shared, mirrored"},
    {"--cache", NULL, "FOLDER", PLACE(cache), "what keeps programs compiled for Vulkan; none: nothing does"},
    {"--chip", NULL, "NAME", PLACE(chip), "refuse an object that was compiled for another chip"},
    {"--threads", NULL, "N", set_threads, 0, "host threads: as many as the host has cores"},
    {"--tier", NULL, "TIER", PLACE(tier), "host code: avx512, avx2 or baseline; the best there is"},
    {"--timeout", NULL, "SECONDS", set_timeout, 0, "without progress in any wave: a hang (60; 0: never)"},
    {"--deterministic", NULL, NULL, PLACE(deterministic), "one thread, groups in order, the same each time"},
    {"--trace", NULL, NULL, PLACE(trace), "print each instruction and the registers that it wrote"},
    {"--break", NULL, "KERNEL:PC[:GROUP:WAVE]", set_break, 0, "print a wave's registers before the instruction PC bytes in"},
    {"--report", NULL, "FILE", PLACE(report), "write the whole report as JSON"},
    {"--help", "-h", NULL, PLACE(help), "this text"},
};

static const struct tool_options options = TOOL_OPTIONS("exec", rows);

static const char help_head[] =
    "usage: tenfold exec OBJECT [-k KERNEL] -g X[,Y[,Z]] [-b X[,Y[,Z]]] [OPTION...] ARG...\n"
    "\n"
    "Runs a kernel of a code object (an ELF file compiled for gfx1010, gfx1013, gfx1030 or gfx1033) on the\n"
    "host's cores, or on its Vulkan device.\n"
    "\n"
    "Options:\n";

static const char help_tail[] =
    "\n"
    "Kernel arguments, in order:\n"
    "  u32:V i32:V u64:V i64:V f32:V f64:V   a value as C writes it; V,V,... for a vector\n"
    "  local:BYTES                           local memory\n"
    "  buf:BYTES                             a zeroed buffer\n"
    "  in:FILE                               a buffer loaded from FILE\n"
    "  out:BYTES:FILE                        a zeroed buffer, saved to FILE after the run\n"
    "  inout:FILE:FILE2                      loaded from FILE, saved to FILE2\n"
    "\n"
    "Exit status: 0 done; 1 the kernel failed (a fault, a hang, an instruction that is not supported); 2 the\n"
    "command line, a file or the object is wrong.\n"
    "\n"
    "Examples:\n"
    "  clang -x cl -target amdgcn-amd-amdhsa -mcpu=gfx1030 -nogpulib -O3 saxpy.cl -o saxpy.co\n"
    "  tenfold exec saxpy.co -k saxpy -g 1000 -b 256 in:x.bin inout:y.bin:y2.bin f32:2.5 u32:1000\n"
    "  tenfold exec saxpy.co -k saxpy -g 64 --break saxpy:0x1c:0:0 buf:256 buf:256 f32:1 u32:64\n"
    "  tenfold exec image.co -k blur -g 640,480 -b 16,16 --report run.json in:in.raw out:1228800:out.raw\n";

void tool_exec_help(void)
{
    fputs(help_head, stdout);
    for (size_t n = 0; n < options.count; n++) {
        const struct tool_option *row = &rows[n];
        char spelled[64];
        snprintf(spelled, sizeof spelled, "%s%s%s%s%s", row->short_name ? row->short_name : "", row->short_name ? ", " : "",
                 row->name, row->value ? " " : "", row->value ? row->value : "");
        printf("  %-30s  %s\n", spelled, row->help);
    }
    fputs(help_tail, stdout);
}

bool tool_sizes_parse(const char *text, uint32_t sizes[3])
{
    memset(sizes, 0, 3 * sizeof sizes[0]);
    for (unsigned n = 0; n < 3; n++) {
        char *end;
        errno = 0;
        unsigned long long size = strtoull(text, &end, 0);
        if (end == text || *text == '-' || errno || !size || size > UINT32_MAX || (*end && *end != ','))
            return false;
        sizes[n] = (uint32_t)size;
        if (!*end)
            return true;
        text = end + 1;
    }
    return false;
}

/* A number up to a colon or the end; *text moves past both. */
static bool parse_part(const char **text, uint64_t *value)
{
    char *end;
    errno = 0;
    *value = strtoull(*text, &end, 0);
    bool good = end != *text && **text != '-' && !errno && (!*end || *end == ':');
    *text = *end ? end + 1 : end;
    return good;
}

bool tool_break_parse(const char *text, struct tool_break *stop)
{
    uint64_t group, wave;
    const char *colon = strchr(text, ':');
    *stop = (struct tool_break){.group = -1, .wave = -1};
    if (!colon || colon == text)
        return false;
    const char *rest = colon + 1;
    if (!parse_part(&rest, &stop->offset))
        return false;
    if (*rest) {
        if (!parse_part(&rest, &group) || !*rest || !parse_part(&rest, &wave) || *rest || group > INT64_MAX || wave > INT64_MAX)
            return false;
        stop->group = (int64_t)group;
        stop->wave = (int64_t)wave;
    }
    stop->kernel = strndup(text, (size_t)(colon - text));
    return stop->kernel != NULL;
}

static bool take_positional(const char *text, struct tool_exec *exec)
{
    if (!exec->object) {
        exec->object = text;
        return true;
    }
    return tool_arg_parse(text, &exec->args[exec->arg_count++]);
}

bool tool_exec_parse(int argc, char **argv, struct tool_exec *exec)
{
    *exec = (struct tool_exec){.args = calloc((size_t)argc + 1, sizeof *exec->args)};
    if (!exec->args) {
        tool_complain("out of memory");
        return false;
    }
    for (int n = 1; n < argc; n++) {
        bool is_good =
            tool_option_is(argv[n]) ? tool_option_take(&options, exec, argc, argv, &n) : take_positional(argv[n], exec);
        if (!is_good)
            return false;
    }
    if (exec->help)
        return true;
    if (!exec->object)
        tool_complain("no code object is given; try tenfold exec --help");
    else if (!exec->grid[0])
        tool_complain("no grid is given: say how many threads, as in -g 1024");
    return exec->object && exec->grid[0] && tool_device_takes(exec->device, exec->memory, exec->cache);
}

void tool_exec_finish(struct tool_exec *exec)
{
    for (size_t n = 0; n < exec->arg_count; n++)
        tool_arg_finish(&exec->args[n]);
    free(exec->args);
    free(exec->stop.kernel);
}
