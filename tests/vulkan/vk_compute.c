/* vk_compute: runs one of the Vulkan compute programs and writes its results.
 * usage: vk_compute NAME [--out FILE] [--queue compute|graphics] [--driver NAME] [--subgroup SIZE]  |  vk_compute --list */
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "vk_image.h"

static const struct vk_program *const tables[] = {vk_programs_dispatch,    vk_programs_memory,       vk_programs_subgroup,
                                                  vk_programs_sync,        vk_programs_transfer,     vk_programs_image_format,
                                                  vk_programs_image_store, vk_programs_image_sample, vk_programs_image_gather,
                                                  vk_programs_image_view,  vk_programs_image_copy,   vk_programs_image_picture,
                                                  vk_programs_image_rays,  vk_programs_image_corner};

static const struct vk_program *find_program(const char *name)
{
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        for (const struct vk_program *program = tables[i]; program->name; program++)
            if (strcmp(program->name, name) == 0)
                return program;
    return NULL;
}

static void print_name(const char *name)
{
    puts(name);
}

static int list(void)
{
    vk_simple_list(print_name);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        for (const struct vk_program *program = tables[i]; program->name; program++)
            print_name(program->name);
    return 0;
}

static int usage(void)
{
    fprintf(stderr, "usage: vk_compute NAME [--out FILE] [--queue compute|graphics] [--driver NAME] [--subgroup SIZE]\n"
                    "       vk_compute --list\n");
    return 2;
}

/* Compiled shaders lie beside the program. */
static const char *shader_folder(void)
{
    static char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    vk_need(length > 0, "/proc/self/exe");
    path[length] = 0;
    return dirname(path);
}

static int run(const char *name, const char *out, struct vk_options options)
{
    const struct vk_program *program = find_program(name);
    options.robust = program && program->robust;
    options.rays = program && program->rays;
    options.shaders = shader_folder();
    static struct vk_context vk;
    vk.out = out ? fopen(out, "wb") : NULL;
    if (out && !vk.out) {
        perror(out);
        return 1;
    }
    vk_context_init(&vk, &options);
    if (program)
        program->run(&vk);
    else if (!vk_simple_run(&vk, name)) {
        fprintf(stderr, "no program %s\n", name);
        return 2;
    }
    vk_context_finish(&vk);
    if (vk.out && fclose(vk.out) != 0) {
        perror(out);
        return 1;
    }
    return vk.failures ? 1 : 0;
}

int main(int argc, char **argv)
{
    struct vk_options options = {0};
    const char *out = NULL;
    if (argc == 2 && strcmp(argv[1], "--list") == 0)
        return list();
    if (argc < 2 || argv[1][0] == '-' || argc % 2 != 0)
        return usage();
    for (int i = 2; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--out") == 0)
            out = argv[i + 1];
        else if (strcmp(argv[i], "--driver") == 0)
            options.driver = argv[i + 1];
        else if (strcmp(argv[i], "--subgroup") == 0)
            options.subgroup_size = (uint32_t)strtoul(argv[i + 1], NULL, 10);
        else if (strcmp(argv[i], "--queue") == 0)
            options.compute_queue = strcmp(argv[i + 1], "compute") == 0;
        else
            return usage();
    }
    return run(argv[1], out, options);
}
