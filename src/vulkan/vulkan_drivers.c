/* vulkan_drivers: finds the host's Vulkan drivers: the files that describe them, and the libraries that those name.
 *
 * Tenfold opens a driver's library itself. The loader that programs use follows an environment, which under `tenfold run` points at a driver
 * that works on Tenfold. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cjson/cJSON.h>

#include "vulkan/vulkan_internal.h"

enum { PATH_SIZE = 4096, FILE_MOST = 64 << 10 };

static char *read_text(const char *path)
{
    FILE *file = fopen(path, "re");
    char *text = file ? malloc(FILE_MOST + 1) : NULL;
    if (text)
        text[fread(text, 1, FILE_MOST, file)] = 0;
    if (file)
        fclose(file);
    return text;
}

/* A path in the file that has no root is one beside the file; a mere name is looked for as libraries are. */
static bool place_of(const char *file, const char *library, char path[PATH_SIZE])
{
    const char *slash = strrchr(file, '/');
    int folder = slash && strchr(library, '/') && *library != '/' ? (int)(slash - file) + 1 : 0;
    return snprintf(path, PATH_SIZE, "%.*s%s", folder, file, library) < PATH_SIZE;
}

static bool add_library(struct vulkan_drivers *found, const char *library)
{
    for (size_t n = 0; n < found->count; n++)
        if (!strcmp(found->libraries[n], library))
            return true;
    char **grown = realloc(found->libraries, (found->count + 1) * sizeof *grown);
    if (!grown)
        return false;
    found->libraries = grown;
    return (grown[found->count] = strdup(library)) && ++found->count;
}

/* A file that describes no driver is passed over, as the loader does. */
static bool add_file(struct vulkan_drivers *found, const char *file)
{
    char path[PATH_SIZE];
    char *text = read_text(file);
    cJSON *root = text ? cJSON_Parse(text) : NULL;
    const char *library =
        cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(root, "ICD"), "library_path"));
    bool good = !library || !place_of(file, library, path) || add_library(found, path);
    cJSON_Delete(root);
    free(text);
    return good;
}

static int is_description(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    return length > 5 && !strcmp(entry->d_name + length - 5, ".json");
}

static bool add_folder(struct vulkan_drivers *found, const char *folder)
{
    struct dirent **list;
    char path[PATH_SIZE];
    bool good = true;
    int count = scandir(folder, &list, is_description, alphasort);
    for (int n = 0; n < count; n++) {
        if (good && snprintf(path, sizeof path, "%s/%s", folder, list[n]->d_name) < PATH_SIZE)
            good = add_file(found, path);
        free(list[n]);
    }
    if (count >= 0)
        free(list);
    return good;
}

static bool add_path(struct vulkan_drivers *found, const char *path)
{
    struct stat what;
    if (stat(path, &what))
        return true;
    return S_ISDIR(what.st_mode) ? add_folder(found, path) : add_file(found, path);
}

/* Each path of a list that colons separate, with a tail. */
static bool add_list(struct vulkan_drivers *found, const char *list, const char *tail)
{
    bool good = true;
    for (size_t length; good && list && *list; list += length + (list[length] == ':')) {
        char path[PATH_SIZE];
        length = strcspn(list, ":");
        if (length && snprintf(path, sizeof path, "%.*s%s", (int)length, list, tail) < PATH_SIZE)
            good = add_path(found, path);
    }
    return good;
}

static const char *value_of(const char *variable, const char *otherwise)
{
    const char *value = getenv(variable);
    return value && *value ? value : otherwise;
}

/* Where drivers are installed, in the loader's order. */
static bool add_installed(struct vulkan_drivers *found)
{
    static const struct {
        const char *variable, *otherwise, *tail;
    } places[] = {
        {"XDG_CONFIG_HOME", NULL, "/vulkan/icd.d"},   {"XDG_CONFIG_DIRS", "/etc/xdg", "/vulkan/icd.d"},
        {"", "/usr/local/etc:/etc", "/vulkan/icd.d"}, {"XDG_DATA_HOME", NULL, "/vulkan/icd.d"},
        {"HOME", NULL, "/.local/share/vulkan/icd.d"}, {"XDG_DATA_DIRS", "/usr/local/share:/usr/share", "/vulkan/icd.d"},
    };
    bool good = true;
    for (size_t n = 0; good && n < sizeof places / sizeof places[0]; n++)
        good = add_list(found, *places[n].variable ? value_of(places[n].variable, places[n].otherwise) : places[n].otherwise,
                        places[n].tail);
    return good;
}

bool vulkan_drivers_find(const char *drivers, struct vulkan_drivers *found)
{
    const char *list = drivers ? drivers : value_of("VK_DRIVER_FILES", value_of("VK_ICD_FILENAMES", ""));
    *found = (struct vulkan_drivers){0};
    /* Layers are the loader's business: whoever asks for some gets it. */
    if (!drivers && value_of("VK_INSTANCE_LAYERS", NULL))
        return add_library(found, "libvulkan.so.1");
    return *list ? add_list(found, list, "") : add_installed(found);
}

void vulkan_drivers_finish(struct vulkan_drivers *found)
{
    for (size_t n = 0; n < found->count; n++)
        free(found->libraries[n]);
    free(found->libraries);
    *found = (struct vulkan_drivers){0};
}
