/* node_client: a program that knows nothing of Tenfold, to be run by `tenfold run`: what it sees of the node through libc, and
 * that all else is as it was. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include <amdgpu_drm.h>
#include <drm.h>

#define NODE  "/dev/dri/renderD128"
#define SYSFS "/sys/dev/char/226:128"

enum { VANGOGH = 0x163e };

static int open_node(void)
{
    int node = open(NODE, O_RDWR | O_CLOEXEC);
    assert_true(node >= 0);
    return node;
}

/* The device's number, by INFO. 0: that failed. */
static uint32_t device_of(int node)
{
    struct drm_amdgpu_info_device facts = {0};
    struct drm_amdgpu_info info = {
        .return_pointer = (uintptr_t)&facts, .return_size = sizeof facts, .query = AMDGPU_INFO_DEV_INFO};
    return ioctl(node, DRM_IOCTL_AMDGPU_INFO, &info) ? 0 : facts.device_id;
}

static void check_is_node(mode_t mode, dev_t number)
{
    assert_true(S_ISCHR(mode));
    assert_int_equal(major(number), 226);
    assert_int_equal(minor(number), 128);
}

static void the_node_is_a_character_device_whoever_asks(void **state)
{
    struct stat found;
    struct stat64 found64;
    struct statx foundx;
    int node = open_node(), folder = open("/dev/dri", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    (void)state;
    assert_int_equal(stat(NODE, &found), 0);
    check_is_node(found.st_mode, found.st_rdev);
    assert_int_equal(lstat(NODE, &found), 0);
    check_is_node(found.st_mode, found.st_rdev);
    assert_int_equal(fstat(node, &found), 0);
    check_is_node(found.st_mode, found.st_rdev);
    assert_int_equal(fstatat(folder, "renderD128", &found, 0), 0);
    check_is_node(found.st_mode, found.st_rdev);
    assert_int_equal(fstatat(AT_FDCWD, NODE, &found, AT_SYMLINK_NOFOLLOW), 0);
    check_is_node(found.st_mode, found.st_rdev);
    assert_int_equal(stat64(NODE, &found64), 0);
    check_is_node(found64.st_mode, found64.st_rdev);
    assert_int_equal(fstat64(node, &found64), 0);
    check_is_node(found64.st_mode, found64.st_rdev);
    assert_int_equal(statx(AT_FDCWD, NODE, 0, STATX_BASIC_STATS, &foundx), 0);
    check_is_node(foundx.stx_mode, makedev(foundx.stx_rdev_major, foundx.stx_rdev_minor));
    assert_int_equal(access(NODE, R_OK | W_OK), 0);
    close(node);
    close(folder);
}

static void the_folder_lists_the_node_and_nothing_else(void **state)
{
    struct dirent **list = NULL, *entry;
    unsigned nodes = 0;
    DIR *folder = opendir("/dev/dri");
    (void)state;
    assert_non_null(folder);
    while ((entry = readdir(folder)))
        nodes += entry->d_name[0] != '.';
    closedir(folder);
    assert_int_equal(nodes, 1);
    int count = scandir("/dev/dri", &list, NULL, alphasort);
    assert_int_equal(count, 3);
    assert_string_equal(list[2]->d_name, "renderD128");
    while (count)
        free(list[--count]);
    free(list);
}

static void sysfs_tells_of_a_pci_device(void **state)
{
    char text[4096] = "", *real = realpath(SYSFS "/device", NULL);
    (void)state;
    assert_string_equal(real, SYSFS "/device");
    free(real);
    ssize_t length = readlink(SYSFS "/device/subsystem", text, sizeof text - 1);
    assert_true(length > 4);
    assert_string_equal(text + length - 4, "/pci");
    FILE *file = fopen(SYSFS "/device/device", "r");
    assert_non_null(file);
    assert_non_null(fgets(text, sizeof text, file));
    fclose(file);
    assert_string_equal(text, "0x163e\n");
    int folder = open(SYSFS "/device", O_RDONLY | O_DIRECTORY | O_CLOEXEC),
        uevent = openat(folder, "uevent", O_RDONLY | O_CLOEXEC);
    length = read(uevent, text, sizeof text - 1);
    assert_true(length > 0);
    text[length] = 0;
    assert_non_null(strstr(text, "PCI_SLOT_NAME="));
    close(folder);
    close(uevent);
}

static void other_files_and_calls_are_as_they_were(void **state)
{
    struct stat found;
    int ends[2], waiting = 0;
    (void)state;
    assert_int_equal(stat("/dev/null", &found), 0);
    assert_int_equal(major(found.st_rdev), 1);
    errno = 0;
    assert_int_equal(open("/dev/dri2/card0", O_RDONLY | O_CLOEXEC), -1);
    assert_int_equal(errno, ENOENT);
    assert_int_equal(open("/dev/dri/card0", O_RDONLY | O_CLOEXEC), -1);
    assert_int_equal(errno, ENOENT);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "abc", 3), 3);
    assert_int_equal(ioctl(ends[0], FIONREAD, &waiting), 0);
    assert_int_equal(waiting, 3);
    errno = 0;
    assert_int_equal(ioctl(ends[0], DRM_IOCTL_AMDGPU_INFO, NULL), -1);
    assert_int_equal(errno, ENOTTY);
    assert_int_equal(lseek(ends[0], 0, SEEK_END), -1);
    assert_int_equal(errno, ESPIPE);
    int file = memfd_create("mine", MFD_CLOEXEC);
    assert_int_equal(ftruncate(file, 12288), 0);
    assert_int_equal(lseek(file, 0, SEEK_END), 12288);
    assert_int_equal(fstat(file, &found), 0);
    assert_int_equal(found.st_size, 12288);
    close(file);
    close(ends[0]);
    close(ends[1]);
}

static void errno_is_left_alone_by_what_succeeds(void **state)
{
    struct stat found;
    int node = open_node();
    (void)state;
    errno = 4711;
    assert_int_equal(device_of(node), VANGOGH);
    assert_int_equal(stat(NODE, &found), 0);
    assert_int_equal(errno, 4711);
    close(node);
}

/* -- descriptors that travel -- */

static int through_a_socket(int descriptor)
{
    union {
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr align;
    } control = {{0}};
    char byte = 0;
    int ends[2], got;
    struct iovec part = {&byte, 1};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
    struct cmsghdr *head = &control.align;
    *head = (struct cmsghdr){.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof(int))};
    memcpy(CMSG_DATA(&control.align), &descriptor, sizeof descriptor);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    assert_int_equal(sendmsg(ends[0], &message, 0), 1);
    assert_int_equal(recvmsg(ends[1], &message, 0), 1);
    memcpy(&got, CMSG_DATA(&control.align), sizeof got);
    close(ends[0]);
    close(ends[1]);
    return got;
}

static void a_descriptor_of_the_node_survives_dup_a_socket_and_exec(void **state)
{
    int node = open_node(), copy = dup(node), sent = through_a_socket(node), status;
    char number[16];
    (void)state;
    assert_int_equal(device_of(copy), VANGOGH);
    assert_int_equal(device_of(sent), VANGOGH);
    int inherited = fcntl(node, F_DUPFD, 50);
    snprintf(number, sizeof number, "%d", inherited);
    pid_t pid = fork();
    if (!pid) {
        execl("/proc/self/exe", "node_client", "--inherited", number, (char *)NULL);
        _exit(99);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    pid = fork();
    if (!pid)
        _exit(device_of(inherited) == VANGOGH ? 0 : 1);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    close(node);
    close(copy);
    close(sent);
    close(inherited);
}

/* -- memory -- */

static uint32_t create(int node, uint64_t bytes)
{
    union drm_amdgpu_gem_create call = {.in = {bytes, 4096, AMDGPU_GEM_DOMAIN_GTT, 0}};
    return ioctl(node, DRM_IOCTL_AMDGPU_GEM_CREATE, &call) ? 0 : call.out.handle;
}

static uint32_t *map(int node, uint32_t handle, size_t bytes)
{
    union drm_amdgpu_gem_mmap call = {.in.handle = handle};
    assert_int_equal(ioctl(node, DRM_IOCTL_AMDGPU_GEM_MMAP, &call), 0);
    void *place = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, node, (off_t)call.out.addr_ptr);
    assert_ptr_not_equal(place, MAP_FAILED);
    return place;
}

static void an_exported_buffer_has_its_own_size_and_contents(void **state)
{
    int node = open_node();
    uint32_t handle = create(node, 3 * 4096), *words = map(node, handle, 3 * 4096);
    struct drm_prime_handle export = {handle, DRM_CLOEXEC | DRM_RDWR, -1};
    struct stat found;
    (void)state;
    words[5] = 77;
    assert_int_equal(ioctl(node, DRM_IOCTL_PRIME_HANDLE_TO_FD, &export), 0);
    assert_int_equal(lseek(export.fd, 0, SEEK_END), 3 * 4096);
    assert_int_equal(fstat(export.fd, &found), 0);
    assert_int_equal(found.st_size, 3 * 4096);
    uint32_t *shared = mmap(NULL, 4096, PROT_READ, MAP_SHARED, export.fd, 0);
    assert_int_equal(shared[5], 77);
    words[6] = 78;
    assert_int_equal(shared[6], 78);
    munmap(shared, 4096);
    munmap(words, 3 * 4096);
    close(export.fd);
    assert_int_equal(ioctl(node, DRM_IOCTL_GEM_CLOSE, &(struct drm_gem_close){handle, 0}), 0);
    close(node);
}

static void mapping_what_is_no_buffer_fails(void **state)
{
    int node = open_node();
    (void)state;
    errno = 0;
    assert_ptr_equal(mmap(NULL, 4096, PROT_READ, MAP_SHARED, node, (off_t)4711 << 36), MAP_FAILED);
    assert_int_equal(errno, EINVAL);
    close(node);
}

static void many_buffers_need_few_descriptors(void **state)
{
    struct rlimit before, few;
    enum { BUFFERS = 2000, DESCRIPTORS = 40 };
    static uint32_t handles[BUFFERS];
    int node = open_node();
    (void)state;
    getrlimit(RLIMIT_NOFILE, &before);
    few = before;
    few.rlim_cur = DESCRIPTORS;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    for (unsigned n = 0; n < BUFFERS; n++) {
        handles[n] = create(node, 4096);
        assert_int_not_equal(handles[n], 0);
    }
    setrlimit(RLIMIT_NOFILE, &before);
    for (unsigned n = 0; n < BUFFERS; n++)
        assert_int_equal(ioctl(node, DRM_IOCTL_GEM_CLOSE, &(struct drm_gem_close){handles[n], 0}), 0);
    close(node);
}

/* -- signals -- */

static sigjmp_buf back;

static void jump_back(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)info;
    (void)context;
    siglongjmp(back, 1);
}

static void a_program_handles_its_own_faults(void **state)
{
    struct sigaction action = {.sa_sigaction = jump_back, .sa_flags = SA_SIGINFO}, before, now;
    volatile uint32_t *nothing = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int node = open_node();
    (void)state;
    assert_int_equal(device_of(node), VANGOGH); /* the device is there, with its own handlers */
    assert_int_equal(sigaction(SIGSEGV, &action, &before), 0);
    assert_int_equal(sigaction(SIGSEGV, NULL, &now), 0);
    assert_ptr_equal(now.sa_sigaction, jump_back);
    if (!sigsetjmp(back, 1)) {
        *nothing = 1;
        fail_msg("there was no fault");
    }
    assert_int_equal(sigaction(SIGSEGV, &before, NULL), 0);
    munmap((void *)(uintptr_t)nothing, 4096);
    close(node);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_node_is_a_character_device_whoever_asks),
        cmocka_unit_test(the_folder_lists_the_node_and_nothing_else),
        cmocka_unit_test(sysfs_tells_of_a_pci_device),
        cmocka_unit_test(other_files_and_calls_are_as_they_were),
        cmocka_unit_test(errno_is_left_alone_by_what_succeeds),
        cmocka_unit_test(a_descriptor_of_the_node_survives_dup_a_socket_and_exec),
        cmocka_unit_test(an_exported_buffer_has_its_own_size_and_contents),
        cmocka_unit_test(mapping_what_is_no_buffer_fails),
        cmocka_unit_test(many_buffers_need_few_descriptors),
        cmocka_unit_test(a_program_handles_its_own_faults),
    };
    if (argc == 3 && !strcmp(argv[1], "--inherited"))
        return device_of(atoi(argv[2])) == VANGOGH ? 0 : 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
