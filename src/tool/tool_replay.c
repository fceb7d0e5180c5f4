/* tool_replay: `tenfold replay`: carries a capture out again through the public API. */
#include "tool/tool_replay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What a replay holds on to. */
struct session {
    const struct tool_replay *options;
    struct capture_replay *replay;
    struct tf_gpu *gpu;
    struct capture_recorder *recorder; /* NULL: the replay is not recorded */
    struct capture_replay_result *result;
    struct tool_progress progress;
};

static void show_progress(void *user, double done, uint32_t submissions)
{
    struct session *session = user;
    double seconds;
    if (tool_progress_due(&session->progress, &seconds))
        fprintf(stderr, "\r%.0f%% of the capture, %lu submissions, %.0f s ", done * 100.0, (unsigned long)submissions, seconds);
}

static bool save_buffer(void *user, const struct capture_replay_buffer *buffer)
{
    struct session *session = user;
    return tool_replay_save(session->options->out, buffer);
}

static void print_log(void *user, enum tf_log_level level, const char *text)
{
    (void)user;
    if (level != TF_LOG_INFO)
        tool_complain("%s", text);
}

static uint64_t read_clock(void *user)
{
    struct session *session = user;
    return capture_replay_clock(session->replay);
}

static bool create_gpu(struct session *session)
{
    const struct tool_replay *options = session->options;
    struct tf_error error;
    bool is_recorded =
        !options->threads && capture_replay_has_results(session->replay); /* in the same order as when it was recorded */
    struct tf_hooks hooks = {.size = sizeof hooks,
                             .user = &session->progress,
                             .trace = options->trace ? tool_print_line : NULL,
                             .at_break = options->stop.kernel ? tool_print_break : NULL,
                             .break_offset = options->stop.offset,
                             .break_group = options->stop.group,
                             .break_wave = options->stop.wave};
    struct tf_gpu_options gpu = {.size = sizeof gpu,
                                 .chip = options->chip ? options->chip : capture_replay_device(session->replay)->chip,
                                 .threads = options->threads,
                                 .tier = options->tier,
                                 .log = print_log,
                                 .clock = read_clock,
                                 .clock_user = session,
                                 .queue_timeout = options->timeout,
                                 .queue_deterministic = options->deterministic || is_recorded,
                                 .queue_hooks = options->trace || options->stop.kernel ? &hooks : NULL,
                                 .queue_break_program = options->stop_program,
                                 .device = options->device,
                                 .memory = options->memory,
                                 .cache = tool_cache_folder(options->cache)};
    if (tf_gpu_create(&gpu, &session->gpu, &error) == TF_OK)
        return true;
    tool_complain("'%s': %s", options->capture, error.text);
    return false;
}

/* Replaces what is there: the recorder itself only makes new files. */
static bool create_recorder(struct session *session)
{
    const struct tool_replay *options = session->options;
    const struct capture_event_device *from = capture_replay_device(session->replay);
    struct capture_device device = {.chip = tf_gpu_chip(session->gpu), .program = from->program};
    struct base_error error;
    if (!options->record)
        return true;
    unlink(options->record);
    session->recorder = capture_recorder_create(options->record, &device, NULL, &error);
    if (!session->recorder)
        tool_complain("%s", error.text);
    return session->recorder;
}

/* Before the buffers' memory goes away. */
static bool end_recorder(struct session *session)
{
    struct base_error error;
    bool is_whole = capture_recorder_destroy(session->recorder, &error);
    if (!is_whole)
        tool_complain("'%s': %s", session->options->record, error.text);
    session->recorder = NULL;
    return is_whole;
}

static bool report(struct session *session, double seconds)
{
    bool is_good = true;
    char *summary = tf_gpu_summary(session->gpu);
    tool_replay_print(session->options, session->result, seconds, summary);
    free(summary);
    if (session->options->report) {
        char *gpu = tf_gpu_report(session->gpu);
        is_good = tool_replay_write(session->options, capture_replay_format(session->replay),
                                    capture_replay_device(session->replay), session->result, seconds, gpu);
        free(gpu);
    }
    return is_good;
}

static int run(struct session *session)
{
    const struct tool_replay *options = session->options;
    struct base_error error;
    struct capture_limits limits = options->large ? capture_limits_large() : capture_limits_usual();
    session->replay = capture_replay_create(options->capture, &limits, &error);
    if (!session->replay) {
        tool_complain("%s", error.text);
        return TOOL_FAILED;
    }
    if ((options->out && !tool_replay_begin_folder(options->out)) || !create_gpu(session) || !create_recorder(session))
        return TOOL_FAILED;
    struct capture_replay_options how = {.timeout = options->timeout,
                                         .on_buffer = options->out ? save_buffer : NULL,
                                         .on_progress = show_progress,
                                         .user = session,
                                         .recorder = session->recorder};
    tool_progress_begin(&session->progress, !options->trace);
    bool is_good = capture_replay_run(session->replay, session->gpu, &how, session->result, &error);
    double seconds = tool_now() - session->progress.started;
    tool_progress_clear(&session->progress);
    tool_break_conclude(&options->stop, &session->progress);
    if (!is_good)
        tool_complain("'%s': %s", options->capture, error.text);
    is_good = end_recorder(session) && is_good;
    is_good = report(session, seconds) && is_good;
    is_good = is_good && !session->result->has_failed && !tf_gpu_failed(session->gpu);
    return is_good && tool_replay_agrees(options, session->result) ? TOOL_DONE : TOOL_FAILED;
}

int tool_replay(int argc, char **argv)
{
    struct tool_replay options = {0};
    struct session session = {.options = &options};
    int status = TOOL_USAGE;
    session.result = calloc(1, sizeof *session.result);
    if (session.result && tool_replay_parse(argc, argv, &options)) {
        status = TOOL_DONE;
        if (options.help)
            tool_replay_help();
        else
            status = run(&session);
    }
    tool_leave_stuck(session.gpu, status);
    tf_gpu_destroy(session.gpu);
    capture_replay_destroy(session.replay);
    tool_replay_finish(&options);
    free(session.result);
    return status;
}
