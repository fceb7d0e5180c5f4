/* ends_client: a program that asks late to be called at its end, to be run by `tenfold run` with a Vulkan device. Its status says whether what
 * compiles for the device had ended by then: 0 yes, 1 no, 2 there is none. */
#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include <amdgpu_drm.h>
#include <drm.h>

static const char compiler[] = "tenfold-spirv\n";

static bool compiles(void)
{
    bool found = false;
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *task; tasks && (task = readdir(tasks));) {
        char path[300], name[64] = "";
        snprintf(path, sizeof path, "/proc/self/task/%s/comm", task->d_name);
        FILE *file = fopen(path, "r");
        if (file && fgets(name, sizeof name, file))
            found |= !strcmp(name, compiler);
        if (file)
            fclose(file);
    }
    if (tasks)
        closedir(tasks);
    return found;
}

/* A thread that was told to end takes a moment. */
static void look(void)
{
    enum { TIMES = 200 };
    const struct timespec pause = {.tv_nsec = 10000000};
    for (unsigned n = 0; n < TIMES && compiles(); n++)
        nanosleep(&pause, NULL);
    _exit(compiles());
}

int main(void)
{
    struct drm_amdgpu_info_device facts = {0};
    struct drm_amdgpu_info info = {
        .return_pointer = (uintptr_t)&facts, .return_size = sizeof facts, .query = AMDGPU_INFO_DEV_INFO};
    int node = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
    if (node < 0 || ioctl(node, DRM_IOCTL_AMDGPU_INFO, &info) || !compiles() || atexit(look))
        return 2;
    return 0;
}
