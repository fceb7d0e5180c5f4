/* vk_process: programs that fork, leave in the middle of their work, or share memory with another process.
 * usage: vk_process MODE [ARGUMENT...]; run_processes says what is expected of each mode. */
#include <errno.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "vk_harness.h"

enum { WORDS = 4096, LONG_ROUNDS = 400000000, SHORT_ROUNDS = 1000 };

static const char *program_folder(void)
{
    static char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    vk_need(length > 0, "/proc/self/exe");
    path[length] = 0;
    return dirname(path);
}

static void start(struct vk_context *vk)
{
    *vk = (struct vk_context){0};
    vk_context_init(vk, &(struct vk_options){.shaders = program_folder()});
}

static void sleep_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
}

/* Submits so many rounds on fresh words and does not wait. */
static struct vk_buffer *submit_spin(struct vk_context *vk, uint32_t rounds)
{
    static uint32_t words[WORDS];
    vk_random_words(words, WORDS, 600);
    struct vk_buffer *buffer = vk_buffer_make(vk, sizeof words, words, VK_PLACE_HOST);
    struct vk_kernel *kernel = vk_kernel_make(vk, &(struct vk_kernel_info){.shader = "spin", .bindings = "s"});
    VkCommandBuffer commands = vk_commands_begin(vk);
    vk_commands_bind(vk, commands, kernel, &buffer);
    vk_commands_push(commands, kernel, &rounds, 4);
    vkCmdDispatch(commands, WORDS / 64, 1, 1);
    vk_commands_barrier(commands);
    VK_CALL(vkEndCommandBuffer(commands));
    VK_CALL(vkQueueSubmit(
        vk->queue, 1,
        &(VkSubmitInfo){.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands},
        VK_NULL_HANDLE));
    return buffer;
}

static void spin_on_host(uint32_t *words, uint32_t rounds)
{
    for (uint32_t i = 0; i < WORDS; i++)
        for (uint32_t j = 0; j < rounds; j++)
            words[i] = (words[i] ^ words[i] >> 15) * 0x2c1b3c6du + j;
}

/* A short piece of work with its result checked; true when it is right. */
static bool work(struct vk_context *vk)
{
    static uint32_t want[WORDS];
    struct vk_buffer *buffer = submit_spin(vk, SHORT_ROUNDS);
    VK_CALL(vkDeviceWaitIdle(vk->device));
    vk_random_words(want, WORDS, 600);
    spin_on_host(want, SHORT_ROUNDS);
    return memcmp(buffer->map, want, sizeof want) == 0;
}

static int work_alone(void)
{
    static struct vk_context vk;
    start(&vk);
    bool right = work(&vk);
    vk_context_finish(&vk);
    return right ? 0 : 3;
}

/* The status of a child as a shell would give it. */
static int wait_child(pid_t child)
{
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return 126;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* A list that begins where nothing is mapped. */
static int mode_fault(char **arguments)
{
    static struct vk_context vk;
    struct {
        VkDeviceAddress heads, results;
        uint32_t count;
    } push = {.heads = 0x4000, .results = 0x4000, .count = 1};
    (void)arguments;
    start(&vk);
    struct vk_kernel *kernel = vk_kernel_make(&vk, &(struct vk_kernel_info){.shader = "lists", .bindings = ""});
    VkCommandBuffer commands = vk_commands_begin(&vk);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel->pipeline);
    vk_commands_push(commands, kernel, &push, sizeof push);
    vkCmdDispatch(commands, 1, 1, 1);
    vk_commands_run(&vk, commands);
    vk_context_finish(&vk);
    return 0;
}

static int mode_work(char **arguments)
{
    (void)arguments;
    return work_alone();
}

/* Work that takes far longer than anyone waits; a line tells that it has begun. */
static int mode_long(char **arguments)
{
    static struct vk_context vk;
    (void)arguments;
    start(&vk);
    submit_spin(&vk, LONG_ROUNDS);
    puts("begun");
    fflush(stdout);
    VK_CALL(vkDeviceWaitIdle(vk.device));
    return 0;
}

static int mode_exit_at_once(char **arguments)
{
    static struct vk_context vk;
    (void)arguments;
    start(&vk);
    submit_spin(&vk, LONG_ROUNDS);
    _exit(7);
}

static int mode_exit_later(char **arguments)
{
    static struct vk_context vk;
    (void)arguments;
    start(&vk);
    submit_spin(&vk, LONG_ROUNDS);
    sleep_ms(50);
    exit(9);
}

static int mode_abort(char **arguments)
{
    static struct vk_context vk;
    (void)arguments;
    start(&vk);
    submit_spin(&vk, LONG_ROUNDS);
    sleep_ms(20);
    abort();
}

/* Forks with the device open and work on its way; the child becomes another program. */
static int mode_fork_exec(char **arguments)
{
    static struct vk_context vk;
    start(&vk);
    struct vk_buffer *buffer = submit_spin(&vk, 30000);
    pid_t child = fork();
    if (child == 0) {
        execv(arguments[0], arguments);
        _exit(127);
    }
    vk_need(child > 0, "a child");
    static uint32_t want[WORDS];
    vk_random_words(want, WORDS, 600);
    spin_on_host(want, 30000);
    VK_CALL(vkDeviceWaitIdle(vk.device));
    bool right = memcmp(buffer->map, want, sizeof want) == 0 && work(&vk);
    int status = wait_child(child);
    right = work(&vk) && right;
    vk_context_finish(&vk);
    return right ? status : 3;
}

/* Forks before there is a device: both make one. */
static int mode_fork_first(char **arguments)
{
    (void)arguments;
    pid_t child = fork();
    int own = work_alone();
    if (child == 0)
        _exit(own);
    int status = wait_child(child);
    return own ? own : status;
}

/* Forks with the device open and work on its way; the child makes a device of its own. It may be refused with an error, but
 * neither hang nor harm its parent. */
static int mode_fork_again(char **arguments)
{
    static struct vk_context vk;
    (void)arguments;
    start(&vk);
    submit_spin(&vk, 30000);
    pid_t child = fork();
    if (child == 0)
        _exit(work_alone());
    bool right = work(&vk);
    int status = wait_child(child);
    right = work(&vk) && right;
    vk_context_finish(&vk);
    printf("the child's own device: %s\n", status == 0 ? "works" : "refused");
    return !right ? 3 : status > 1 ? status : 0; /* 1: a call gave an error */
}

/* Forks with the device open; the child does nothing with it and leaves through exit. */
static int mode_fork_idle(char **arguments)
{
    static struct vk_context vk;
    (void)arguments;
    start(&vk);
    submit_spin(&vk, 30000);
    pid_t child = fork();
    if (child == 0)
        exit(5);
    int status = wait_child(child);
    bool right = work(&vk);
    vk_context_finish(&vk);
    return right && status == 5 ? 0 : 3;
}

/* --- memory shared between processes --- */

static void send_descriptor(int socket, int descriptor)
{
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control = {.header = {.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof(int))}};
    char byte = 1;
    struct iovec part = {&byte, 1};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    memcpy(CMSG_DATA(&control.header), &descriptor, sizeof descriptor);
    vk_need(sendmsg(socket, &message, 0) == 1, "a socket that takes a descriptor");
}

static int receive_descriptor(int socket)
{
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control = {0};
    char byte;
    struct iovec part = {&byte, 1};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    vk_need(recvmsg(socket, &message, 0) == 1 && control.header.cmsg_type == SCM_RIGHTS, "a socket that gives a descriptor");
    int descriptor;
    memcpy(&descriptor, CMSG_DATA(&control.header), sizeof descriptor);
    return descriptor;
}

/* A buffer on memory that is exported (descriptor NULL becomes one), or imported from a descriptor. */
static struct vk_buffer *shared_buffer(struct vk_context *vk, int *descriptor, bool import)
{
    const VkExternalMemoryHandleTypeFlagBits type = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
    PFN_vkGetMemoryFdKHR get = (PFN_vkGetMemoryFdKHR)vkGetDeviceProcAddr(vk->device, "vkGetMemoryFdKHR");
    VkExternalMemoryBufferCreateInfo external = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
                                                 .handleTypes = type};
    VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                               .pNext = &external,
                               .size = WORDS * 4,
                               .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                                        VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    VkBuffer handle;
    VK_CALL(vkCreateBuffer(vk->device, &info, NULL, &handle));
    VkMemoryRequirements requirements;
    vkGetBufferMemoryRequirements(vk->device, handle, &requirements);
    VkExportMemoryAllocateInfo export_info = {.sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO, .handleTypes = type};
    VkImportMemoryFdInfoKHR import_info = {
        .sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR, .handleType = type, .fd = *descriptor};
    VkMemoryAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                     .pNext = import ? (const void *)&import_info : &export_info,
                                     .allocationSize = requirements.size,
                                     .memoryTypeIndex =
                                         vk_memory_find(vk, requirements.memoryTypeBits, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT, 0)};
    VkDeviceMemory memory;
    void *map;
    VK_CALL(vkAllocateMemory(vk->device, &allocate, NULL, &memory));
    VK_CALL(vkBindBufferMemory(vk->device, handle, memory, 0));
    VK_CALL(vkMapMemory(vk->device, memory, 0, VK_WHOLE_SIZE, 0, &map));
    if (!import && get)
        VK_CALL(
            get(vk->device,
                &(VkMemoryGetFdInfoKHR){.sType = VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR, .memory = memory, .handleType = type},
                descriptor));
    return vk_buffer_adopt(vk, handle, memory, WORDS * 4, map);
}

static void add_to(struct vk_context *vk, struct vk_buffer *buffer, uint32_t add, uint32_t times)
{
    struct vk_kernel *kernel = vk_kernel_make(vk, &(struct vk_kernel_info){.shader = "add_words", .bindings = "s"});
    VkCommandBuffer commands = vk_commands_begin(vk);
    vk_commands_bind(vk, commands, kernel, &buffer);
    vk_commands_push(commands, kernel, (const uint32_t[]){add, times, WORDS}, 12);
    vkCmdDispatch(commands, WORDS / 64, 1, 1);
    vk_commands_run(vk, commands);
}

static void share_child(int socket)
{
    static struct vk_context vk;
    start(&vk);
    int descriptor = receive_descriptor(socket);
    struct vk_buffer *buffer = shared_buffer(&vk, &descriptor, true);
    add_to(&vk, buffer, 5, 7);
    vk_need(write(socket, "x", 1) == 1, "the parent");
    vk_context_finish(&vk);
    _exit(0);
}

/* The parent's device works on a buffer, then the child's, then the parent's again. */
static int mode_share(char **arguments)
{
    static struct vk_context vk;
    static uint32_t want[WORDS];
    (void)arguments;
    int sockets[2], descriptor = -1;
    char byte;
    vk_need(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0, "a pair of sockets");
    pid_t child = fork();
    if (child == 0)
        share_child(sockets[1]);
    start(&vk);
    struct vk_buffer *buffer = shared_buffer(&vk, &descriptor, false);
    vk_random_words(want, WORDS, 601);
    memcpy(buffer->map, want, sizeof want);
    add_to(&vk, buffer, 3, 9);
    send_descriptor(sockets[0], descriptor);
    close(sockets[1]);
    vk_need(read(sockets[0], &byte, 1) == 1, "the child");
    add_to(&vk, buffer, 11, 13);
    for (uint32_t i = 0; i < WORDS; i++)
        want[i] = ((want[i] * 9 + 3 + i) * 7 + 5 + i) * 13 + 11 + i;
    vk_check(&vk, memcmp(buffer->map, want, sizeof want) == 0, "the shared words are others");
    int status = wait_child(child);
    uint32_t failures = vk.failures;
    vk_context_finish(&vk);
    return failures ? 3 : status;
}

static const struct {
    const char *name;
    int (*run)(char **arguments);
} modes[] = {
    {"work", mode_work},
    {"fault", mode_fault},
    {"long", mode_long},
    {"exit-at-once", mode_exit_at_once},
    {"exit-later", mode_exit_later},
    {"abort", mode_abort},
    {"fork-exec", mode_fork_exec},
    {"fork-first", mode_fork_first},
    {"fork-again", mode_fork_again},
    {"fork-idle", mode_fork_idle},
    {"share", mode_share},
};

int main(int argc, char **argv)
{
    for (size_t i = 0; argc > 1 && i < sizeof modes / sizeof *modes; i++)
        if (strcmp(modes[i].name, argv[1]) == 0)
            return modes[i].run(argv + 2);
    fprintf(stderr, "usage: vk_process MODE [ARGUMENT...]\n");
    return 2;
}
