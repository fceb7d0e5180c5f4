/* tool: the `tenfold` command.
 *
 * Roles and owners:
 *   tool_command  a subcommand: a row of the table in tool_main.c; static.
 *   tool_exec     one `tenfold exec`: what the command line asked for; owned by tool_exec's stack, its texts by argv.
 *   tool_arg      a kernel argument of it; owned by the tool_exec.
 *   tool_progress how far a run is; owned by whoever runs it.
 */
#ifndef TOOL_TOOL_H
#define TOOL_TOOL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tenfold/tenfold.h>

enum tool_exit { TOOL_DONE = 0, TOOL_FAILED = 1, TOOL_USAGE = 2 };

int tool_run(int argc, char **argv);
int tool_exec(int argc, char **argv);
int tool_replay(int argc, char **argv);
int tool_inspect(int argc, char **argv);
int tool_devices(int argc, char **argv);
int tool_disasm(int argc, char **argv);
int tool_bench(int argc, char **argv);

/* Prints "tenfold: ..." with a newline to standard error. */
__attribute__((format(printf, 1, 2))) void tool_complain(const char *format, ...);
/* Where the work failed and the host's device is still at it: leaves the process with the status, since taking the GPU down would wait for it. */
void tool_leave_stuck(struct tf_gpu *gpu, int status);

/* Puts '?' for control characters, as tool_complain does: names come from files that anybody may have made. */
void tool_make_plain(char *text);

/* The device that --device VALUE means; one that lacks something where no other is meant: the library has the CPU device stand in for it. False
 * after complaining, with a list of those that there are. */
bool tool_device_find(const char *value, struct tf_device_info *info);
bool tool_memory_find(const char *value); /* whether it is one for --memory; false after complaining */
/* Whether --memory and --cache (NULL: not given) go with --device's value (NULL: the CPU device). False after complaining: they are a Vulkan
 * device's, and would do nothing. */
bool tool_device_takes(const char *device, const char *memory, const char *cache);
/* --cache VALUE in the library's terms: NULL and folders stay, "none" is none. */
const char *tool_cache_folder(const char *value);

/* A whole file in memory, freed by the caller. False after complaining. An empty file has data that is not NULL. */
bool tool_file_read(const char *path, uint8_t **data, size_t *size);
/* Whether both names lead to one file that is there. */
bool tool_file_same(const char *path, const char *other);
/* Whether a file can be written there, before there is what to write; it is left as it was. False after complaining. */
bool tool_file_can_write(const char *path);
/* Replaces a file's contents. False after complaining. */
bool tool_file_write(const char *path, const void *data, size_t size);

enum tool_arg_spec {
    TOOL_ARG_NUMBERS, /* u32: i32: u64: i64: f32: f64: one or more values */
    TOOL_ARG_LOCAL,
    TOOL_ARG_BUFFER, /* buf: in: out: inout: */
};

enum { TOOL_MAX_VALUES = 16, TOOL_VALUE_BYTES = 8 };

/* A kernel argument as the command line spells it, and what becomes of it. */
struct tool_arg {
    const char *text; /* the whole of it, for messages */
    enum tool_arg_spec spec;
    /* NUMBERS: values as 64-bit words, narrowed when the kernel is known */
    uint64_t values[TOOL_MAX_VALUES];
    unsigned value_count, value_bytes;
    bool is_float;
    uint64_t bytes;    /* LOCAL, BUFFER; a buffer that is loaded from a file has the file's size */
    char *load, *save; /* BUFFER: files, or NULL; owned */
    uint64_t address;  /* BUFFER: in the guest; 0: none */
    uint8_t packed[TOOL_MAX_VALUES * TOOL_VALUE_BYTES];
    size_t packed_bytes;
};

/* Reads "u32:5" and its kin. False after complaining. */
bool tool_arg_parse(const char *text, struct tool_arg *arg);
void tool_arg_finish(struct tool_arg *arg);
/* Makes the packed bytes of a NUMBERS argument as wide as the kernel wants; info NULL: the kernel does not say. False after
 * complaining. */
bool tool_arg_pack(struct tool_arg *arg, const struct tf_arg_info *info);
/* Gives a BUFFER argument its guest memory, loaded or zeroed. False after complaining. */
bool tool_arg_place(struct tool_arg *arg, struct tf_gpu *gpu);
/* Saves a BUFFER argument where it asks for that. False after complaining. */
bool tool_arg_save(const struct tool_arg *arg, struct tf_gpu *gpu);
/* The argument as the library takes it. */
struct tf_arg tool_arg_value(const struct tool_arg *arg);

/* `--break KERNEL:PC[:GROUP:WAVE]` */
struct tool_break {
    char *kernel; /* NULL: no break; owned */
    uint64_t offset;
    int64_t group, wave; /* -1: any */
};

struct tool_exec {
    const char *object, *kernel, *chip, *report, *tier, *device, *memory, *cache;
    uint32_t grid[3], workgroup[3];
    unsigned threads;
    double timeout; /* as tf_dispatch has it */
    bool trace, deterministic, help;
    struct tool_break stop;
    struct tool_arg *args;
    size_t arg_count;
};

/* Reads the command line of `tenfold exec`. False after complaining; tool_exec_finish is due in both cases. */
bool tool_exec_parse(int argc, char **argv, struct tool_exec *exec);
void tool_exec_finish(struct tool_exec *exec);
/* "X[,Y[,Z]]": one to three numbers over 0; those that are left out stay 0. */
bool tool_sizes_parse(const char *text, uint32_t sizes[3]);
bool tool_break_parse(const char *text, struct tool_break *stop);
void tool_exec_help(void);

/* How far a run is, and what it was asked to print on its way. Begins zeroed. */
struct tool_progress {
    double started, shown; /* shown: when the line was last written; 0: never */
    bool is_shown;
    atomic_ulong breaks; /* how often --break printed */
};

/* Seconds of a clock that only goes forward. */
double tool_now(void);
void tool_progress_begin(struct tool_progress *progress, bool is_shown);
/* True when the line is due: on a terminal, of a run that takes over a second, now and then. *seconds: since it began. */
bool tool_progress_due(struct tool_progress *progress, double *seconds);
void tool_progress_clear(const struct tool_progress *progress);

/* Hooks of a run: a line of --trace; the registers of --break, user being its tool_progress. */
void tool_print_line(void *user, const char *line);
void tool_print_break(void *user, const char *registers);
/* Says so when nothing came to where --break looks. */
void tool_break_conclude(const struct tool_break *stop, const struct tool_progress *progress);

/* Faults, one a line, and (when summary) a few lines on the run, to standard error. */
void tool_report_print(const struct tf_report *report, bool summary);

#endif
