/* tool_main: the `tenfold` command: finds the subcommand and runs it. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tool/tool.h"

/* Every subcommand that this version has. */
static const struct tool_command {
    const char *name, *summary;
    int (*run)(int argc, char **argv);
} commands[] = {
    {"run", "run a program on a virtual GPU", tool_run},
    {"exec", "run a kernel of a code object", tool_exec},
    {"replay", "carry a captured run out again", tool_replay},
    {"inspect", "show what a captured run gave to the GPU", tool_inspect},
    {"disasm", "print a code object's or raw words' instructions", tool_disasm},
    {"devices", "list the host devices that can carry the work out", tool_devices},
#ifdef TENFOLD_BENCH
    {"bench", "measure this host", tool_bench},
#endif
};

static void print_help(void)
{
    fputs("usage: tenfold COMMAND [ARGUMENT...]\n"
          "\n"
          "A virtual AMD GPU of the gfx10 generation.\n"
          "\n"
          "Commands:\n",
          stdout);
    for (size_t n = 0; n < sizeof commands / sizeof commands[0]; n++)
        printf("  %-10s %s\n", commands[n].name, commands[n].summary);
    fputs("\n"
          "tenfold COMMAND --help tells more of each.\n"
          "\n"
          "Options:\n"
          "  --help     this text\n"
          "  --version  the version\n"
          "\n"
          "Examples:\n"
          "  tenfold run -- vulkaninfo --summary\n"
          "  tenfold exec saxpy.co -k saxpy -g 1000 in:x.bin inout:y.bin:y2.bin f32:2.5 u32:1000\n"
          "  tenfold inspect --html run.html run.tfcap\n"
          "  tenfold replay run.tfcap\n"
          "  tenfold disasm saxpy.co\n"
          "  tenfold devices\n",
          stdout);
}

/* What was printed must have got somewhere: a full disk is a failure like any other. */
static int conclude(int status)
{
    bool is_written = !ferror(stdout) && !fflush(stdout);
    if (is_written || status != TOOL_DONE)
        return status;
    tool_complain("cannot write standard output: %s", strerror(errno));
    return TOOL_FAILED;
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    if (!strcmp(name, "--help") || !strcmp(name, "-h") || !strcmp(name, "help")) {
        print_help();
        return conclude(TOOL_DONE);
    }
    if (!strcmp(name, "--version")) {
        printf("tenfold %s\n", tf_version());
        return conclude(TOOL_DONE);
    }
    for (size_t n = 0; n < sizeof commands / sizeof commands[0]; n++)
        if (!strcmp(name, commands[n].name))
            return conclude(commands[n].run(argc - 1, argv + 1));
    if (argc > 1)
        tool_complain("there is no command '%s'; try tenfold --help", name);
    else
        tool_complain("no command is given; try tenfold --help");
    return TOOL_USAGE;
}
