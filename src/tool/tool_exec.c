/* tool_exec: `tenfold exec`: runs one kernel of a code object through the public API. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool/tool.h"

/* What a run holds on to, so that one place gives it all back. */
struct session {
    struct tf_gpu *gpu;
    struct tf_object *object;
    const struct tf_kernel *kernel;
    struct tf_kernel_info info;
    struct tf_arg *values;
    uint8_t *kernarg;
    uint32_t dynamic_lds;
    struct tf_report *report;
};

static void show_progress(void *user, uint64_t done, uint64_t total)
{
    double seconds;
    if (tool_progress_due(user, &seconds))
        fprintf(stderr, "\r%llu of %llu groups, %.0f s ", (unsigned long long)done, (unsigned long long)total, seconds);
}

/* Of a GPU that is being made. What its dispatch came to is in the summary and in the report. */
static void print_warning(void *user, enum tf_log_level level, const char *text)
{
    const struct session *session = user;
    if (level != TF_LOG_INFO && !session->gpu)
        tool_complain("%s", text);
}

static bool complain(const struct tf_error *error)
{
    tool_complain("%s", error->text);
    return false;
}

/* A GPU of the chip that the object was compiled for, with the object in its memory. */
static bool load_object(const struct tool_exec *exec, struct session *session)
{
    struct tf_error error;
    struct tf_object_info info = {.size = sizeof info};
    uint8_t *bytes;
    size_t size;
    if (!tool_file_read(exec->object, &bytes, &size))
        return false;
    enum tf_status status = tf_object_identify(bytes, size, &info, &error);
    bool other_chip = status == TF_OK && exec->chip && strcmp(exec->chip, info.chip) != 0;
    struct tf_gpu_options options = {.size = sizeof options,
                                     .chip = info.chip,
                                     .threads = exec->threads,
                                     .tier = exec->tier,
                                     .log = print_warning,
                                     .log_user = session,
                                     .device = exec->device,
                                     .memory = exec->memory,
                                     .cache = tool_cache_folder(exec->cache)};
    if (status == TF_OK && !other_chip)
        status = tf_gpu_create(&options, &session->gpu, &error);
    if (status == TF_OK && !other_chip)
        status = tf_object_load(session->gpu, bytes, size, &session->object, &error);
    free(bytes);
    if (other_chip)
        tool_complain("'%s' was compiled for %s; leave --chip out, or compile for %s", exec->object, info.chip, exec->chip);
    else if (status != TF_OK)
        tool_complain("'%s': %s", exec->object, error.text);
    return status == TF_OK && !other_chip;
}

static bool find_kernel(const struct tool_exec *exec, struct session *session)
{
    struct tf_error error;
    session->info.size = sizeof session->info;
    if (exec->kernel || tf_object_kernel_count(session->object) != 1) {
        if (tf_object_find_kernel(session->object, exec->kernel ? exec->kernel : "", &session->kernel, &error) != TF_OK) {
            tool_complain("-k: %s", error.text);
            return false;
        }
    } else {
        session->kernel = tf_object_kernel(session->object, 0);
    }
    if (tf_kernel_describe(session->kernel, &session->info, &error) != TF_OK)
        return complain(&error);
    if (exec->stop.kernel && strcmp(exec->stop.kernel, session->info.name) != 0) {
        tool_complain("--break names the kernel '%s', and '%s' runs", exec->stop.kernel, session->info.name);
        return false;
    }
    return true;
}

/* Makes the kernel's argument bytes. Kinds and counts are checked before any file is read. */
static bool pack_args(struct tool_exec *exec, struct session *session)
{
    struct tf_error error;
    session->values = calloc(exec->arg_count + 1, sizeof *session->values);
    session->kernarg = calloc(1, session->info.kernarg_bytes + (size_t)1);
    if (!session->values || !session->kernarg) {
        tool_complain("out of memory");
        return false;
    }
    for (size_t n = 0; n < exec->arg_count; n++) {
        struct tf_arg_info info = {.size = sizeof info};
        bool known = tf_kernel_arg(session->kernel, n, &info, NULL) == TF_OK;
        if (!tool_arg_pack(&exec->args[n], known ? &info : NULL))
            return false;
        session->values[n] = tool_arg_value(&exec->args[n]);
    }
    return tf_kernel_pack_args(session->kernel, session->values, exec->arg_count, session->kernarg, session->info.kernarg_bytes,
                               &session->dynamic_lds, &error) == TF_OK ||
           complain(&error);
}

/* Gives the buffers their memory and packs again, now that their addresses are known. */
static bool place_buffers(struct tool_exec *exec, struct session *session)
{
    for (size_t n = 0; n < exec->arg_count; n++)
        if (!tool_arg_place(&exec->args[n], session->gpu))
            return false;
    free(session->values);
    free(session->kernarg);
    return pack_args(exec, session);
}

static bool run(const struct tool_exec *exec, struct session *session)
{
    struct tf_error error;
    struct tool_progress progress = {0};
    struct tf_hooks hooks = {
        .size = sizeof hooks,
        .user = &progress,
        .trace = exec->trace ? tool_print_line : NULL,
        .at_break = exec->stop.kernel ? tool_print_break : NULL,
        .break_offset = exec->stop.offset,
        .break_group = exec->stop.group,
        .break_wave = exec->stop.wave,
        .progress = show_progress,
    };
    struct tf_dispatch dispatch = {
        .size = sizeof dispatch,
        .kernel = session->kernel,
        .kernarg = session->kernarg,
        .kernarg_size = session->info.kernarg_bytes,
        .dynamic_lds = session->dynamic_lds,
        .timeout = exec->timeout,
        .deterministic = exec->deterministic,
        .hooks = &hooks,
    };
    memcpy(dispatch.grid, exec->grid, sizeof dispatch.grid);
    memcpy(dispatch.workgroup, exec->workgroup, sizeof dispatch.workgroup);
    tool_progress_begin(&progress, !exec->trace);
    enum tf_status status = tf_dispatch_run(session->gpu, &dispatch, &session->report, &error);
    tool_progress_clear(&progress);
    if (status == TF_OK)
        tool_break_conclude(&exec->stop, &progress);
    return status == TF_OK || complain(&error);
}

/* Saves what the kernel computed, also when it failed half-way: that is where one looks for why. */
static bool save_results(const struct tool_exec *exec, const struct session *session)
{
    bool saved = true;
    fflush(stdout);
    for (size_t n = 0; n < exec->arg_count; n++)
        saved = tool_arg_save(&exec->args[n], session->gpu) && saved;
    const char *json = tf_report_json(session->report);
    if (exec->report)
        saved = tool_file_write(exec->report, json, strlen(json)) && saved;
    tool_report_print(session->report, !exec->report);
    return saved;
}

static void close_session(struct session *session)
{
    tf_report_destroy(session->report);
    free(session->values);
    free(session->kernarg);
    tf_object_unload(session->object);
    tf_gpu_destroy(session->gpu);
}

/* A long run's results must have where to go. */
static bool can_save(const struct tool_exec *exec)
{
    for (size_t n = 0; n < exec->arg_count; n++)
        if (exec->args[n].save && !tool_file_can_write(exec->args[n].save))
            return false;
    return !exec->report || tool_file_can_write(exec->report);
}

static int exec_all(struct tool_exec *exec, struct session *session)
{
    if (!can_save(exec) || !load_object(exec, session) || !find_kernel(exec, session) || !pack_args(exec, session) ||
        !place_buffers(exec, session) || !run(exec, session))
        return TOOL_USAGE;
    bool saved = save_results(exec, session);
    return saved && !tf_report_failed(session->report) ? TOOL_DONE : TOOL_FAILED;
}

int tool_exec(int argc, char **argv)
{
    struct tool_exec exec;
    struct session session = {0};
    int status = TOOL_USAGE;
    if (tool_exec_parse(argc, argv, &exec)) {
        if (exec.help) {
            tool_exec_help();
            status = TOOL_DONE;
        } else {
            status = exec_all(&exec, &session);
        }
    }
    tool_leave_stuck(session.gpu, status);
    close_session(&session);
    tool_exec_finish(&exec);
    return status;
}
