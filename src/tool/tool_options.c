/* tool_options: reads an option and its value, as the table of its command has it. */
#include "tool/tool_options.h"

#include <string.h>

#include "tool/tool.h"

bool tool_option_is(const char *word)
{
    return word[0] == '-' && word[1];
}

static bool is_named(const char *name, const char *word, size_t length)
{
    return name && strlen(name) == length && !strncmp(name, word, length);
}

/* The row of a word, and in *value what stands behind its '='. */
static const struct tool_option *find(const struct tool_options *options, const char *word, const char **value)
{
    size_t length = strcspn(word, "=");
    *value = word[length] ? word + length + 1 : NULL;
    for (size_t n = 0; n < options->count; n++)
        if (is_named(options->rows[n].name, word, length) || is_named(options->rows[n].short_name, word, length))
            return &options->rows[n];
    return NULL;
}

bool tool_option_take(const struct tool_options *options, void *into, int argc, char **argv, int *at)
{
    const char *word = argv[*at], *value;
    const struct tool_option *row = find(options, word, &value);
    if (!row) {
        tool_complain("there is no option '%s'; try tenfold %s --help", word, options->command);
        return false;
    }
    if (row->value && !value && *at + 1 < argc)
        value = argv[++*at];
    if (!row->value == (value != NULL)) {
        if (value)
            tool_complain("%s takes no value", row->name);
        else
            tool_complain("%s needs %s", word, row->value);
        return false;
    }
    if (row->set)
        return row->set(into, value);
    void *place = (char *)into + row->place;
    if (value)
        *(const char **)place = value;
    else
        *(bool *)place = true;
    return true;
}
