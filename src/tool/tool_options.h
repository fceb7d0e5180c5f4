/* tool_options: the options of a subcommand: a table of rows, and who reads the command line by it. */
#ifndef TOOL_TOOL_OPTIONS_H
#define TOOL_TOOL_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

struct tool_option {
    const char *name, *short_name;              /* short_name: or NULL */
    const char *value;                          /* what the help calls it; NULL: a switch */
    bool (*set)(void *into, const char *value); /* false after complaining; NULL: the text (or true) goes to `place` of into */
    size_t place;
    const char *help; /* for the command's own text; or NULL */
};

struct tool_options {
    const char *command; /* "replay", for complaints */
    const struct tool_option *rows;
    size_t count;
};

#define TOOL_OPTIONS(command, rows)                     \
    {                                                   \
        command, rows, sizeof(rows) / sizeof((rows)[0]) \
    }

/* A word that begins with '-'; '-' alone is none, and stands for standard input. */
bool tool_option_is(const char *word);
/* Takes the option at argv[*at], its value behind '=' or in the next word; *at is left at its last word. False after complaining. */
bool tool_option_take(const struct tool_options *options, void *into, int argc, char **argv, int *at);

#endif
