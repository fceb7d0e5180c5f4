/* tool_replay: the insides of `tenfold replay`: its command line, and what it says in the end. */
#ifndef TOOL_TOOL_REPLAY_H
#define TOOL_TOOL_REPLAY_H

#include "capture/capture_replay.h"
#include "tool/tool.h"

/* What the command line asks for; texts are argv's. */
struct tool_replay {
    const char *capture, *chip, *tier, *device, *memory, *cache, *out, *report, *record;
    unsigned threads;
    double timeout;
    bool trace, deterministic, strict, large, help;
    struct tool_break stop;
    uint64_t stop_program; /* the address that stop names */
};

/* Reads the command line. False after complaining; tool_replay_finish is due in both cases. */
bool tool_replay_parse(int argc, char **argv, struct tool_replay *replay);
void tool_replay_finish(struct tool_replay *replay);
void tool_replay_help(void);

/* True when the replay's own memory is what the capture says. */
bool tool_replay_agrees(const struct tool_replay *replay, const struct capture_replay_result *result);
/* A few lines to standard error: what was replayed, what differed, and the GPU's own summary (may be NULL). */
void tool_replay_print(const struct tool_replay *replay, const struct capture_replay_result *result, double seconds,
                       const char *summary);
/* Writes the JSON report; gpu is tf_gpu_report's text, or NULL. False after complaining. */
bool tool_replay_write(const struct tool_replay *replay, const char *format, const struct capture_event_device *device,
                       const struct capture_replay_result *result, double seconds, const char *gpu);

/* Writes a buffer's contents into the folder --out, zero pages as holes, and a row of its index. False after complaining. */
bool tool_replay_save(const char *folder, const struct capture_replay_buffer *buffer);
/* Makes the folder and begins its index. False after complaining. */
bool tool_replay_begin_folder(const char *folder);

#endif
