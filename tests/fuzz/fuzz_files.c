/* fuzz_files: runs a fuzz target over its corpus, so that what was once found stays fixed. */
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "fuzz.h"

static bool run_file(const char *path, size_t *runs)
{
    FILE *file = fopen(path, "rb");
    struct stat facts;
    if (!file || fstat(fileno(file), &facts) != 0) {
        perror(path);
        if (file)
            fclose(file);
        return false;
    }
    size_t size = (size_t)facts.st_size;
    uint8_t *data = malloc(size ? size : 1); /* exactly as large as the file, so that a sanitizer sees each overrun */
    bool read = data && fread(data, 1, size, file) == size;
    fclose(file);
    if (read)
        LLVMFuzzerTestOneInput(data, size);
    else
        fprintf(stderr, "%s: cannot be read\n", path);
    free(data);
    *runs += read;
    return read;
}

static bool run_folder(const char *path, size_t *runs)
{
    bool good = true;
    DIR *folder = opendir(path);
    if (!folder) {
        perror(path);
        return false;
    }
    for (const struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        char inner[4096];
        if (entry->d_name[0] == '.')
            continue;
        snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
        good = run_file(inner, runs) && good;
    }
    closedir(folder);
    return good;
}

int fuzz_run_files(int argc, char **argv)
{
    size_t runs = 0;
    bool good = true;
    for (int n = 1; n < argc; n++) {
        struct stat facts;
        bool folder = stat(argv[n], &facts) == 0 && S_ISDIR(facts.st_mode);
        good = (folder ? run_folder(argv[n], &runs) : run_file(argv[n], &runs)) && good;
    }
    printf("%zu inputs\n", runs);
    return good && runs ? 0 : 1;
}
