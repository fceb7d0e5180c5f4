/* sweep_differences: the listed disagreements that are LLVM's own fault. */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sweep.h"

enum { MAX_DIFFERENCES = 256 };

/* A line is "reject GLOB" (LLVM prints text like that where there is no instruction), "accept GLOB" (isa/ prints such a text,
 * LLVM sees no instruction) or "print GLOB => GLOB" (the first is isa/'s text, which is right, the second LLVM's). */
static struct difference {
    char *ours, *llvm; /* "": no instruction */
    bool is_used;
} differences[MAX_DIFFERENCES];
static size_t difference_count;

static bool add_line(const char *line)
{
    static const char arrow[] = " => ";
    struct difference *difference = &differences[difference_count];
    const char *middle = strstr(line, arrow);
    if (difference_count < MAX_DIFFERENCES && strncmp(line, "reject ", 7) == 0) {
        *difference = (struct difference){strdup(""), strdup(line + 7), false};
    } else if (difference_count < MAX_DIFFERENCES && strncmp(line, "accept ", 7) == 0) {
        *difference = (struct difference){strdup(line + 7), strdup(""), false};
    } else if (difference_count < MAX_DIFFERENCES && strncmp(line, "print ", 6) == 0 && middle) {
        *difference =
            (struct difference){strndup(line + 6, (size_t)(middle - line) - 6), strdup(middle + sizeof arrow - 1), false};
    } else {
        fprintf(stderr, "differences: cannot be taken: %s\n", line);
        return false;
    }
    difference_count++;
    return true;
}

bool sweep_differences_load(const char *path)
{
    char line[512];
    bool good = true;
    FILE *file = fopen(path, "r");
    if (!file) {
        perror(path);
        return false;
    }
    while (good && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        if (line[0] && line[0] != '#')
            good = add_line(line);
    }
    fclose(file);
    return good;
}

static bool matches(const char *glob, const char *text)
{
    return fnmatch(glob, text, FNM_EXTMATCH) == 0;
}

bool sweep_differences_has(const struct sweep_case *one)
{
    for (size_t i = 0; i < difference_count; i++) {
        struct difference *difference = &differences[i];
        if (matches(difference->ours, one->ours) && matches(difference->llvm, one->llvm)) {
            difference->is_used = true;
            return true;
        }
    }
    return false;
}

bool sweep_differences_all_used(void)
{
    bool good = true;
    for (size_t i = 0; i < difference_count; i++) {
        if (!differences[i].is_used)
            fprintf(stderr, "differences: no longer there: %s => %s\n", differences[i].ours, differences[i].llvm);
        good &= differences[i].is_used;
    }
    return good;
}

void sweep_differences_finish(void)
{
    for (size_t i = 0; i < difference_count; i++) {
        free(differences[i].ours);
        free(differences[i].llvm);
    }
    difference_count = 0;
}
