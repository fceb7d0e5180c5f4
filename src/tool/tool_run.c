/* tool_run: `tenfold run`: runs a program that finds a virtual GPU where it looks for a render node. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "shim/shim.h"
#include "shim/shim_tree.h"
#include "tool/tool.h"
#include "tool/tool_options.h"

#define SHIM_NAME "libtenfold-shim.so"

enum { READER_STEPS = 300 /* of 10 ms, until a pipe counts as one that nobody reads */ };
enum { STATUS_SIGNAL = 128, STATUS_CANNOT_RUN = 126, STATUS_NOT_FOUND = 127, DEFAULT_CHIP = 1 /* the table's row: gfx1030 */ };

/* One `tenfold run`: what the command line asked for; texts are argv's. */
struct run {
    const struct shim_chip *chip;
    const char *report, *capture, *threads, *timeout, *device, *memory, *cache;
    struct tf_device_info host; /* what device means */
    bool quiet, deterministic, help;
    char **program;
    char folder[PATH_MAX];
    char report_path[PATH_MAX], capture_path[PATH_MAX], cache_path[PATH_MAX];
};

/* -- the command line -- */

static void print_chips(void)
{
    const struct shim_chip *chip;
    for (size_t n = 0; (chip = shim_chip_at(n)); n++)
        fprintf(stderr, "  %s (%s)\n", chip->name, chip->driver);
}

static bool set_chip(void *into, const char *value)
{
    struct run *run = into;
    if ((run->chip = shim_chip_find(value)))
        return true;
    tool_complain("--chip %s: there is no such render node; there are:", value);
    print_chips();
    return false;
}

static bool is_name(const char *option, const char *value)
{
    if (!*value)
        tool_complain("%s: a file's name is due", option);
    return *value;
}

static bool set_report(void *into, const char *value)
{
    struct run *run = into;
    run->report = value;
    return is_name("--report", value);
}

static bool set_capture(void *into, const char *value)
{
    struct run *run = into;
    run->capture = value;
    return is_name("--capture", value);
}

static bool set_threads(void *into, const char *value)
{
    struct run *run = into;
    char *end;
    unsigned long count = strtoul(value, &end, 10);
    run->threads = value;
    if (count && count <= 1024 && !*end && value[0] != '-')
        return true;
    tool_complain("--threads '%s': a number of host threads from 1 to 1024 is due", value);
    return false;
}

static bool set_timeout(void *into, const char *value)
{
    struct run *run = into;
    char *end;
    double seconds = strtod(value, &end);
    run->timeout = value;
    if (*value && !*end && isfinite(seconds))
        return true;
    tool_complain("--timeout '%s': a number of seconds is due (0: for ever)", value);
    return false;
}

static bool set_memory(void *into, const char *value)
{
    struct run *run = into;
    run->memory = value;
    return tool_memory_find(value);
}

#define PLACE(member) NULL, offsetof(struct run, member)

static const struct tool_option rows[] = {
    {"--device", NULL, "DEVICE", PLACE(device), /* looked for once it is clear which drivers are the host's */
     "what carries the GPU's work out: cpu or vulkan[:N|:NAME] (tenfold devices); without it what TENFOLD_DEVICE says, or cpu"},
    {"--memory", NULL, "HOW", set_memory, 0, "how a Vulkan device has guest memory: shared (where it can) or mirrored"},
    {"--cache", NULL, "FOLDER", PLACE(cache), "what keeps programs compiled for Vulkan; none: nothing does"},
    {"--chip", NULL, "NAME", set_chip, 0, "gfx1010 (NAVI10), gfx1030 (NAVI21, the default) or gfx1033 (VANGOGH)"},
    {"--threads", NULL, "N", set_threads, 0, "host threads that run waves; without it as many as there are cores"},
    {"--timeout", NULL, "SECONDS", set_timeout, 0, "how long GPU work may make no progress; 60 without it, 0: for ever"},
    {"--report", NULL, "FILE", set_report, 0,
     "write what the GPU did as JSON, not in a few lines; further processes write FILE.PID"},
    {"--capture", NULL, "FILE", set_capture, 0, "record everything that is submitted, for tenfold replay and inspect"},
    {"--deterministic", NULL, NULL, PLACE(deterministic),
     "one thread, groups in order, the same each time; pipelines of a Vulkan device are waited for"},
    {"--quiet", NULL, NULL, PLACE(quiet), "say nothing of what the program runs on and what the GPU did, where nothing failed"},
    {"--help", "-h", NULL, PLACE(help), "this text"},
};

static const struct tool_options options = TOOL_OPTIONS("run", rows);

static void print_help(void)
{
    fputs("usage: tenfold run [OPTION...] [--] PROGRAM [ARGUMENT...]\n"
          "\n"
          "Runs a program, and the programs that it starts, with a virtual AMD GPU: where they look for a\n"
          "render node they find /dev/dri/renderD128, and Mesa's own drivers work on it, unmodified.\n"
          "\n"
          "Options:\n",
          stdout);
    for (size_t n = 0; n < options.count; n++)
        printf("  %-10s %-8s %s\n", rows[n].name, rows[n].value ? rows[n].value : "", rows[n].help);
    fputs("\n"
          "The exit status is the program's own (128 + n when signal n ended it), or 1 where that is 0 and\n"
          "GPU work failed: a fault, a hang, something that is not supported; or where the report or the\n"
          "capture could not be written. 127: there is no such program.\n"
          "\n"
          "With --device vulkan the host's own Vulkan drivers are those that are installed, or those that VK_DRIVER_FILES\n"
          "or VK_ICD_FILENAMES name where that is not Mesa's driver for AMD.\n"
          "\n"
          "For the program are set: LD_PRELOAD, VK_DRIVER_FILES and VK_ICD_FILENAMES (Mesa's Vulkan driver\n"
          "for AMD; kept when they name one), MESA_SHADER_CACHE_DIR (a folder 'tenfold' where Mesa's cache\n"
          "would be), and under X11 MESA_VK_WSI_DEBUG=sw and MESA_LOADER_DRIVER_OVERRIDE=zink where they\n"
          "are not set.\n"
          "\n"
          "Examples:\n"
          "  tenfold run -- vulkaninfo --summary\n"
          "  tenfold run --chip gfx1010 --report run.json -- ./my-vulkan-test --verbose\n"
          "  tenfold run --capture run.tfcap -- ./my-vulkan-test && tenfold inspect run.tfcap\n"
          "  RADV_DEBUG=shaders tenfold run -- ./my-vulkan-test\n",
          stdout);
}

static bool parse(int argc, char **argv, struct run *run)
{
    int n = 1;
    for (; n < argc && argv[n][0] == '-' && strcmp(argv[n], "--") && !run->help; n++)
        if (!tool_option_take(&options, run, argc, argv, &n))
            return false;
    if (n < argc && !strcmp(argv[n], "--"))
        n++;
    run->program = argv + n;
    if (n >= argc && !run->help)
        tool_complain("no program is given; try tenfold run --help");
    return n < argc || run->help;
}

/* -- the program's environment -- */

static bool is_file(const char *path)
{
    struct stat found;
    return !stat(path, &found) && S_ISREG(found.st_mode);
}

static bool is_pipe(const char *path)
{
    struct stat found;
    return !stat(path, &found) && S_ISFIFO(found.st_mode);
}

/* The library to preload: beside this program's folder when it was not installed, else where it was installed to. */
static bool find_shim(char path[PATH_MAX])
{
    static const char *const places[] = {"/../shim/", "/../" TENFOLD_LIBDIR "/tenfold/", "/../lib/tenfold/"};
    char own[PATH_MAX], wanted[PATH_MAX + 64];
    ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    if (length > 0) {
        own[length] = 0;
        *strrchr(own, '/') = 0;
        for (size_t n = 0; n < sizeof places / sizeof places[0]; n++) {
            snprintf(wanted, sizeof wanted, "%s%s%s", own, places[n], SHIM_NAME);
            if (realpath(wanted, path))
                return true;
        }
    }
    snprintf(wanted, sizeof wanted, "%s/tenfold/%s", TENFOLD_PREFIX_LIBDIR, SHIM_NAME);
    if (realpath(wanted, path))
        return true;
    tool_complain("%s is neither beside this program nor in %s/tenfold", SHIM_NAME, TENFOLD_PREFIX_LIBDIR);
    return false;
}

static bool add_preload(void)
{
    char shim[PATH_MAX];
    const char *before = getenv("LD_PRELOAD");
    if (!find_shim(shim))
        return false;
    if (strpbrk(shim, ": ")) {
        tool_complain("LD_PRELOAD cannot name %s: there is a space or a colon in it", shim);
        return false;
    }
    char *all = malloc(strlen(shim) + (before ? strlen(before) : 0) + 2);
    if (!all)
        return false;
    strcpy(all, shim);
    if (before && before[0])
        strcat(strcat(all, ":"), before);
    bool fine = !setenv("LD_PRELOAD", all, 1);
    free(all);
    return fine;
}

static const char *const driver_variables[] = {"VK_DRIVER_FILES", "VK_ICD_FILENAMES"};
enum { DRIVER_VARIABLES = sizeof driver_variables / sizeof driver_variables[0] };

/* What the user says about drivers; the program's where that is Mesa's for AMD, otherwise the host's. */
static const char *drivers_given(bool for_program)
{
    for (size_t n = 0; n < DRIVER_VARIABLES; n++) {
        const char *given = getenv(driver_variables[n]);
        if (given && *given && (strstr(given, "radeon") != NULL) == for_program)
            return given;
    }
    return NULL;
}

/* The host device that carries the work out, among the host's own drivers: those that the program gets would lead back here. */
static bool find_device(struct run *run)
{
    const char *program = drivers_given(true), *host = drivers_given(false), *before = getenv(SHIM_ENV_DEVICE);
    if (!run->device)
        run->device = before && *before ? before : "cpu";
    setenv(SHIM_ENV_DRIVERS, host ? host : "", 1);
    setenv(SHIM_ENV_DEVICE, run->device, 1);
    char *kept = program ? strdup(program) : NULL;
    for (size_t n = 0; n < DRIVER_VARIABLES && !host; n++)
        unsetenv(driver_variables[n]);
    run->host.size = sizeof run->host;
    bool found = tool_device_find(run->device, &run->host);
    if (found && *run->host.missing) /* the cores stand in; the first process that uses the node says why */
        tf_device_describe(0, &run->host, NULL);
    if (kept)
        setenv(driver_variables[0], kept, 1);
    free(kept);
    return found;
}

/* Mesa's Vulkan driver for AMD among those that are installed; what the user named stays when it is one. */
static void choose_vulkan_driver(void)
{
    static const char *const files[] = {
        "/usr/share/vulkan/icd.d/radeon_icd.x86_64.json",
        "/usr/share/vulkan/icd.d/radeon_icd.json",
        "/usr/local/share/vulkan/icd.d/radeon_icd.x86_64.json",
        "/usr/local/share/vulkan/icd.d/radeon_icd.json",
        "/etc/vulkan/icd.d/radeon_icd.x86_64.json",
    };
    const char *found = drivers_given(true);
    for (size_t n = 0; !found && n < sizeof files / sizeof files[0]; n++)
        if (is_file(files[n]))
            found = files[n];
    if (!found)
        tool_complain(
            "Mesa's Vulkan driver for AMD is not installed (Debian: mesa-vulkan-drivers); Vulkan programs will not find the GPU");
    for (size_t n = 0; found && n < DRIVER_VARIABLES; n++)
        setenv(driver_variables[n], found, 1);
}

/* Under X11 without DRI3 pictures travel through the server's shared memory, and OpenGL through Vulkan. Neither variable
 * matters to a program that opens no window. */
static void choose_window_system(void)
{
    unsetenv("LIBGL_ALWAYS_SOFTWARE");
    if (!getenv("DISPLAY") || getenv("WAYLAND_DISPLAY"))
        return;
    setenv("MESA_VK_WSI_DEBUG", "sw", 0);
    setenv("MESA_LOADER_DRIVER_OVERRIDE", "zink", 0);
}

/* A folder and those above it, where they are missing. */
static bool make_folders(char *path)
{
    struct stat found;
    for (char *end = strchr(path + 1, '/'); end; end = strchr(end + 1, '/')) {
        *end = 0;
        mkdir(path, 0700);
        *end = '/';
    }
    mkdir(path, 0700);
    return !stat(path, &found) && S_ISDIR(found.st_mode) && !access(path, W_OK | X_OK);
}

/* Compiled shaders hold the high half of their descriptors' addresses, which is another one than a card's, and Mesa's cache on disk does
 * not know that: the run has a cache of its own, inside the one that there would be. Where there can be none, it is off. */
static void choose_shader_cache(void)
{
    static const struct {
        const char *variable, *folder;
    } places[] = {{"MESA_SHADER_CACHE_DIR", "/"}, {"XDG_CACHE_HOME", "/"}, {"HOME", "/.cache/"}};
    char path[PATH_MAX];
    const char *base = NULL;
    size_t n = 0;
    while (n < sizeof places / sizeof places[0] && !((base = getenv(places[n].variable)) && base[0] == '/'))
        n++;
    bool there = n < sizeof places / sizeof places[0] &&
                 snprintf(path, sizeof path, "%s%stenfold/%x", base, places[n].folder, SHIM_USUAL_HIGH) < (int)sizeof path &&
                 make_folders(path);
    if (there)
        setenv("MESA_SHADER_CACHE_DIR", path, 1);
    setenv(SHIM_ENV_NO_CACHE, there ? "false" : "true", !there);
}

/* The program may change its folder: names must not depend on it. */
static bool make_absolute(const char *name, char path[PATH_MAX])
{
    char folder[PATH_MAX];
    int length = name[0] == '/' ? snprintf(path, PATH_MAX, "%s", name)
                                : snprintf(path, PATH_MAX, "%s/%s", getcwd(folder, sizeof folder) ? folder : "", name);
    if (length > 0 && length < PATH_MAX)
        return true;
    tool_complain("%s: the name is too long", name);
    return false;
}

/* A pipe's reader may only just be starting, as in `cat pipe & tenfold run --capture pipe`: it gets some seconds. A pipe that nobody
 * reads is an error here, not a wait for ever. */
static int open_to_write(const char *path)
{
    static const struct timespec step = {.tv_nsec = 10000000};
    int descriptor = -1;
    for (int tries = 0; tries < READER_STEPS; tries++) {
        descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
        if (descriptor >= 0 || errno != ENXIO || !is_pipe(path))
            return descriptor;
        nanosleep(&step, NULL);
    }
    errno = ENXIO;
    return descriptor;
}

/* A file of an earlier run with that name goes, so that what lies there afterwards is of this one. False where nothing can be
 * written. */
static bool prepare_file(const char *name, char path[PATH_MAX], const char *variable)
{
    if (!name)
        return !unsetenv(variable);
    if (!make_absolute(name, path))
        return false;
    int descriptor = open_to_write(path);
    /* A pipe's reader takes the last closing for the end: this end of it stays open as long as the run. */
    if (descriptor < 0 || (!is_pipe(path) && close(descriptor)) || (is_file(path) && unlink(path))) {
        tool_complain("cannot write %s: %s", name, strerror(errno));
        return false;
    }
    return !setenv(variable, path, 1);
}

static bool prepare_files(struct run *run)
{
    return prepare_file(run->report, run->report_path, SHIM_ENV_REPORT) &&
           prepare_file(run->capture, run->capture_path, SHIM_ENV_CAPTURE);
}

static bool prepare_cache(struct run *run)
{
    bool folder = run->cache && *tool_cache_folder(run->cache);
    if (!run->cache)
        return !unsetenv(SHIM_ENV_CACHE);
    return (!folder || make_absolute(run->cache, run->cache_path)) &&
           !setenv(SHIM_ENV_CACHE, folder ? run->cache_path : run->cache, 1);
}

static bool prepare(struct run *run)
{
    if (!add_preload())
        return false;
    shim_tree_clean();
    if (!shim_tree_create(run->chip, run->folder, sizeof run->folder)) {
        run->folder[0] = 0;
        tool_complain("cannot make a folder for the run: %s", strerror(errno));
        return false;
    }
    choose_vulkan_driver();
    choose_window_system();
    choose_shader_cache();
    setenv(SHIM_ENV_RUN, run->folder, 1);
    setenv(SHIM_ENV_CHIP, run->chip->name, 1);
    if (run->memory)
        setenv(SHIM_ENV_MEMORY, run->memory, 1);
    if (run->threads)
        setenv(SHIM_ENV_THREADS, run->threads, 1);
    if (run->quiet)
        setenv(SHIM_ENV_QUIET, "1", 1);
    if (run->deterministic)
        setenv(SHIM_ENV_DETERMINISTIC, "1", 1);
    if (run->timeout)
        setenv(SHIM_ENV_TIMEOUT, run->timeout, 1);
    return true;
}

/* -- running -- */

static volatile sig_atomic_t child; /* for the handler */

/* The terminal sends its signals to the program as well; others are handed on. */
static void hand_on(int number, siginfo_t *info, void *context)
{
    int saved = errno;
    (void)context;
    if (child > 0 && (info->si_code == SI_USER || info->si_code == SI_QUEUE))
        kill((pid_t)child, number);
    errno = saved;
}

static const int handed_on[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
enum { HANDED_ON = sizeof handed_on / sizeof handed_on[0] };

/* In the child: becomes the program, which does not outlive the run, or tells the parent why not. */
__attribute__((noreturn)) static void become(char **program, int problem_pipe, const struct sigaction before[HANDED_ON],
                                             const sigset_t *mask, pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(STATUS_CANNOT_RUN);
    for (size_t n = 0; n < HANDED_ON; n++)
        sigaction(handed_on[n], &before[n], NULL);
    sigprocmask(SIG_SETMASK, mask, NULL);
    execvp(program[0], program);
    int problem = errno;
    ssize_t written = write(problem_pipe, &problem, sizeof problem);
    _exit(written > 0 ? STATUS_NOT_FOUND : STATUS_CANNOT_RUN);
}

static int wait_for(pid_t pid)
{
    int status;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return TOOL_FAILED;
    return WIFSIGNALED(status) ? STATUS_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
}

static int run_program(struct run *run)
{
    struct sigaction action = {.sa_sigaction = hand_on, .sa_flags = SA_SIGINFO | SA_RESTART}, before[HANDED_ON];
    sigset_t all, mask;
    int ends[2], problem = 0;
    if (pipe2(ends, O_CLOEXEC)) {
        tool_complain("%s", strerror(errno));
        return TOOL_FAILED;
    }
    /* No signal may come between the fork and the note of the child's number. */
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &mask);
    for (size_t n = 0; n < HANDED_ON; n++) {
        sigaction(handed_on[n], NULL, &before[n]);
        if (before[n].sa_handler != SIG_IGN) /* nohup's wish stays */
            sigaction(handed_on[n], &action, NULL);
    }
    pid_t own = getpid(), pid = fork();
    if (!pid)
        become(run->program, ends[1], before, &mask, own);
    child = pid;
    close(ends[1]);
    sigprocmask(SIG_SETMASK, &mask, NULL);
    int status = pid < 0 ? TOOL_FAILED : wait_for(pid);
    if (pid < 0)
        tool_complain("%s", strerror(errno));
    if (read(ends[0], &problem, sizeof problem) == sizeof problem) {
        tool_complain("%s: %s", run->program[0], strerror(problem));
        status = problem == ENOENT ? STATUS_NOT_FOUND : STATUS_CANNOT_RUN;
    }
    close(ends[0]);
    return status;
}

/* What the GPU work of the run came to, where that is worth a line, and the exit status. */
static int conclude(const struct run *run, const struct shim_status *status, int program)
{
    if (!status)
        return program;
    if (!atomic_load(&status->used) && (run->report || run->capture))
        tool_complain("the program did not use the GPU: there is nothing to report");
    return !program && (atomic_load(&status->failed) || atomic_load(&status->unwritten)) ? TOOL_FAILED : program;
}

static void announce(const struct run *run)
{
    const struct tf_device_info *host = &run->host;
    char tier[sizeof host->tiers];
    if (run->quiet)
        return;
    if (!host->cores) {
        tool_complain("%s (%s) on %s", run->chip->name, run->chip->driver, host->description);
        return;
    }
    snprintf(tier, sizeof tier, "%.*s", (int)strcspn(host->tiers, " "), host->tiers);
    unsigned cores = run->threads ? (unsigned)strtoul(run->threads, NULL, 10) : host->cores;
    tool_complain("%s (%s) on %u %s, %s", run->chip->name, run->chip->driver, cores, cores == 1 ? "core" : "cores", tier);
}

int tool_run(int argc, char **argv)
{
    struct run run = {.chip = shim_chip_at(DEFAULT_CHIP)};
    int status = TOOL_FAILED;
    if (!parse(argc, argv, &run))
        return TOOL_USAGE;
    if (run.help) {
        print_help();
        return TOOL_DONE;
    }
    if (!find_device(&run) || !tool_device_takes(run.device, run.memory, run.cache) || !prepare_files(&run) ||
        !prepare_cache(&run))
        return TOOL_USAGE;
    if (prepare(&run)) {
        struct shim_status *shared = shim_tree_status(run.folder);
        announce(&run);
        status = conclude(&run, shared, run_program(&run));
        if (shared)
            munmap(shared, sizeof *shared);
    }
    if (run.folder[0])
        shim_tree_remove(run.folder);
    return status;
}
