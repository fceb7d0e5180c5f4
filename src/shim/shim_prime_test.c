/* shim_prime_test: buffers and sync objects between two processes. The peer is forked before either has a device, and does what
 * the test's side asks it to. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shim/shim_shared.h"
#include "shim/shim_testing.h"

/* -- the peer -- */

enum ask { ASK_BUFFER, ASK_WAIT_POINT, ASK_SIGNAL_POINT, ASK_MAKE_BUFFER, ASK_BLOCKED_FILE, ASK_BLOCKED_BUFFER };

struct question {
    enum ask ask;
    uint64_t value;
};

struct answer {
    int result;
    uint64_t bytes, alignment, tiling;
    uint32_t domains, word, metadata_bytes;
    int has_descriptor;
};

static int peer_socket = -1;
static pid_t peer;

/* One message with perhaps a descriptor. */
static void send_message(int to, const void *bytes, size_t size, int descriptor)
{
    union {
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr align;
    } control = {{0}};
    struct iovec part = {(void *)(uintptr_t)bytes, size};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (descriptor >= 0) {
        message.msg_control = control.bytes;
        message.msg_controllen = sizeof control.bytes;
        struct cmsghdr *head = CMSG_FIRSTHDR(&message);
        *head = (struct cmsghdr){.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof(int))};
        memcpy(CMSG_DATA(head), &descriptor, sizeof descriptor);
    }
    ssize_t sent = sendmsg(to, &message, MSG_NOSIGNAL);
    (void)sent;
}

static bool receive_message(int from, void *bytes, size_t size, int *descriptor)
{
    union {
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr align;
    } control;
    struct iovec part = {bytes, size};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
    *descriptor = -1;
    if (recvmsg(from, &message, 0) != (ssize_t)size)
        return false;
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    if (head)
        memcpy(descriptor, CMSG_DATA(head), sizeof *descriptor);
    return true;
}

static void look_at_buffer(struct client *client, int descriptor, uint64_t value, struct answer *answer)
{
    struct drm_prime_handle import = {.fd = descriptor};
    struct drm_amdgpu_gem_create_in info = {0};
    int error;
    answer->result = client_ioctl(client, DRM_IOCTL_PRIME_FD_TO_HANDLE, &import);
    if (answer->result)
        return;
    struct drm_amdgpu_gem_op operation = {import.handle, AMDGPU_GEM_OP_GET_GEM_CREATE_INFO, (uintptr_t)&info};
    struct drm_amdgpu_gem_metadata metadata = {.handle = import.handle, .op = AMDGPU_GEM_METADATA_OP_GET_METADATA};
    client_ioctl(client, DRM_IOCTL_AMDGPU_GEM_OP, &operation);
    client_ioctl(client, DRM_IOCTL_AMDGPU_GEM_METADATA, &metadata);
    *answer = (struct answer){
        0, info.bo_size, info.alignment, metadata.data.tiling_info, (uint32_t)info.domains, 0, metadata.data.data_size_bytes, 0};
    uint32_t *view = shim_view_map(client->device, NULL, info.bo_size, PROT_READ | PROT_WRITE, MAP_SHARED,
                                   (uint64_t)import.handle << SHIM_MAP_SHIFT, &error);
    answer->word = view[1];
    view[2] = (uint32_t)value;
}

static struct drm_syncobj_handle import_object(struct client *client, int descriptor)
{
    struct drm_syncobj_handle import = {.fd = descriptor};
    if (client_ioctl(client, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &import))
        import.handle = 0;
    return import;
}

/* A submission that never ends by itself, and something that stands for its end. */
static int make_blocked(struct client *client, bool is_file)
{
    struct client_buffer commands = client_buffer(client, 4096), data = client_buffer(client, 4096);
    uint32_t object = client_syncobj(client, 0),
             words = (uint32_t)(client_wait(commands.words, data.address, 1) - commands.words);
    struct drm_amdgpu_cs_chunk_sem signal = {object};
    struct drm_amdgpu_cs_chunk chunk = {AMDGPU_CHUNK_ID_SYNCOBJ_OUT, 1, (uintptr_t)&signal};
    struct drm_prime_handle prime = {commands.handle, DRM_CLOEXEC | DRM_RDWR, -1};
    if (!is_file)
        client_ioctl(client, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime);
    client_submit(client, &commands, words, &(struct client_submit){AMDGPU_HW_IP_COMPUTE, 0, &chunk, 1});
    struct drm_syncobj_handle export = {object, DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE, -1, 0};
    if (is_file)
        client_ioctl(client, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &export);
    return is_file ? export.fd : prime.fd;
}

__attribute__((noreturn)) static void be_peer(int from)
{
    struct client *client;
    struct question question;
    int descriptor, result;
    client_setup((void **)&client);
    while (receive_message(from, &question, sizeof question, &descriptor)) {
        struct answer answer = {0};
        uint64_t point = question.value;
        struct drm_syncobj_handle object;
        result = -1;
        switch (question.ask) {
        case ASK_BUFFER: look_at_buffer(client, descriptor, question.value, &answer); break;
        case ASK_WAIT_POINT:
            object = import_object(client, descriptor);
            answer.result = client_wait_syncobj(client, object.handle, point, DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT, 20000);
            break;
        case ASK_SIGNAL_POINT: {
            object = import_object(client, descriptor);
            struct drm_syncobj_timeline_array call = {
                .handles = (uintptr_t)&object.handle, .points = (uintptr_t)&point, .count_handles = 1};
            answer.result = client_ioctl(client, DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL, &call);
            break;
        }
        case ASK_MAKE_BUFFER: {
            struct client_buffer buffer = client_buffer(client, question.value);
            struct drm_prime_handle export = {buffer.handle, DRM_CLOEXEC | DRM_RDWR, -1};
            buffer.words[1] = 4321;
            answer.result = client_ioctl(client, DRM_IOCTL_PRIME_HANDLE_TO_FD, &export);
            result = export.fd;
            break;
        }
        case ASK_BLOCKED_FILE: result = make_blocked(client, true); break;
        case ASK_BLOCKED_BUFFER: result = make_blocked(client, false); break;
        }
        answer.has_descriptor = result >= 0;
        send_message(from, &answer, sizeof answer, result);
        if (result >= 0)
            close(result);
        if (descriptor >= 0)
            close(descriptor);
    }
    _exit(0);
}

static struct answer ask(enum ask what, uint64_t value, int descriptor, int *got)
{
    struct question question = {what, value};
    struct answer answer = {.result = -EPIPE};
    int none;
    send_message(peer_socket, &question, sizeof question, descriptor);
    assert_true(receive_message(peer_socket, &answer, sizeof answer, got ? got : &none));
    return answer;
}

/* A peer for each test, from a process that has no device yet. */
static int spawner = -1;

static pid_t start_peer(void)
{
    pid_t pid = 0;
    int ends[2];
    char go = 0;
    socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends);
    send_message(spawner, &go, 1, ends[1]);
    close(ends[1]);
    peer_socket = ends[0];
    assert_int_equal(read(spawner, &pid, sizeof pid), sizeof pid);
    return pid;
}

__attribute__((noreturn)) static void be_spawner(int from)
{
    char go;
    int end;
    signal(SIGCHLD, SIG_IGN);
    while (receive_message(from, &go, 1, &end)) {
        pid_t pid = fork();
        if (!pid) {
            close(from);
            be_peer(end);
        }
        close(end);
        if (write(from, &pid, sizeof pid) != sizeof pid)
            break;
    }
    _exit(0);
}

static int setup(void **state)
{
    peer = start_peer();
    return client_setup(state);
}

static int teardown(void **state)
{
    close(peer_socket);
    return client_teardown(state);
}

/* -- tests -- */

static int export_buffer(struct client *client, uint32_t handle)
{
    struct drm_prime_handle export = {handle, DRM_CLOEXEC | DRM_RDWR, -1};
    int problem = client_ioctl(client, DRM_IOCTL_PRIME_HANDLE_TO_FD, &export);
    return problem ? problem : export.fd;
}

static void another_process_gets_the_whole_buffer(void **state)
{
    struct client *client = *state;
    union drm_amdgpu_gem_create create = {.in = {3 * 4096, 65536, AMDGPU_GEM_DOMAIN_GTT, 0}};
    assert_int_equal(client_ioctl(client, DRM_IOCTL_AMDGPU_GEM_CREATE, &create), 0);
    uint32_t handle = create.out.handle;
    struct drm_amdgpu_gem_va va = {handle,
                                   0,
                                   AMDGPU_VA_OP_MAP,
                                   AMDGPU_VM_PAGE_READABLE | AMDGPU_VM_PAGE_WRITEABLE,
                                   client->device->window_base + (1 << 30),
                                   0,
                                   3 * 4096};
    struct drm_amdgpu_gem_metadata metadata = {
        .handle = handle, .op = AMDGPU_GEM_METADATA_OP_SET_METADATA, .data = {0, 0x1234567890, 8, {1, 2}}};
    int error;
    assert_int_equal(client_ioctl(client, DRM_IOCTL_AMDGPU_GEM_VA, &va), 0);
    assert_int_equal(client_ioctl(client, DRM_IOCTL_AMDGPU_GEM_METADATA, &metadata), 0);
    /* Mapped and written before it is exported: its memory moves, and everything follows. */
    uint32_t *view = shim_view_map(client->device, NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_SHARED,
                                   (uint64_t)handle << SHIM_MAP_SHIFT, &error);
    view[1] = 111;
    view[2048] = 7;
    int descriptor = export_buffer(client, handle);
    assert_true(descriptor >= 0);
    struct answer answer = ask(ASK_BUFFER, 222, descriptor, NULL);
    assert_int_equal(answer.result, 0);
    assert_int_equal(answer.bytes, 3 * 4096);
    assert_int_equal(answer.alignment, 65536);
    assert_int_equal(answer.domains, AMDGPU_GEM_DOMAIN_GTT);
    assert_int_equal(answer.tiling, 0x1234567890);
    assert_int_equal(answer.metadata_bytes, 8);
    assert_int_equal(answer.word, 111);
    assert_int_equal(view[2], 222);
    assert_int_equal(view[2048], 7);
    uint32_t word = 0;
    assert_int_equal(tf_memory_read(client->device->gpu, va.va_address + 8, &word, 4, NULL), TF_OK);
    assert_int_equal(word, 222);
    word = 333;
    assert_int_equal(tf_memory_write(client->device->gpu, va.va_address + 4, &word, 4, NULL), TF_OK);
    assert_int_equal(ask(ASK_BUFFER, 0, descriptor, NULL).word, 333);
    /* Metadata that change later are seen as well. */
    metadata.data.tiling_info = 99;
    assert_int_equal(client_ioctl(client, DRM_IOCTL_AMDGPU_GEM_METADATA, &metadata), 0);
    assert_int_equal(ask(ASK_BUFFER, 0, descriptor, NULL).tiling, 99);
    /* Coming back, it is the buffer that it was. */
    struct drm_prime_handle import = {.fd = descriptor};
    assert_int_equal(client_ioctl(client, DRM_IOCTL_PRIME_FD_TO_HANDLE, &import), 0);
    assert_int_equal(import.handle, handle);
    close(descriptor);
}

static void a_buffer_lives_when_the_process_that_made_it_is_killed(void **state)
{
    struct client *client = *state;
    int descriptor;
    assert_int_equal(ask(ASK_MAKE_BUFFER, 8192, -1, &descriptor).result, 0);
    kill(peer, SIGKILL);
    struct drm_prime_handle import = {.fd = descriptor};
    assert_int_equal(client_ioctl(client, DRM_IOCTL_PRIME_FD_TO_HANDLE, &import), 0);
    int error;
    uint32_t *view =
        shim_view_map(client->device, NULL, 8192, PROT_READ, MAP_SHARED, (uint64_t)import.handle << SHIM_MAP_SHIFT, &error);
    assert_int_equal(view[1], 4321);
}

static void what_may_not_be_shared_is_refused(void **state)
{
    struct client *client = *state;
    struct drm_prime_handle import = {.fd = -1};
    uint32_t local = client_create(client, 4096, AMDGPU_GEM_CREATE_VM_ALWAYS_VALID);
    assert_int_equal(export_buffer(client, local), -EPERM);
    assert_int_equal(export_buffer(client, 4711), -ENOENT);
    assert_int_equal(client_ioctl(client, DRM_IOCTL_PRIME_FD_TO_HANDLE, &import), -EBADF);
    import.fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    assert_int_equal(client_ioctl(client, DRM_IOCTL_PRIME_FD_TO_HANDLE, &import), -EINVAL);
    close(import.fd);
    /* Memory that can shrink under us is no buffer, whatever its last page says. */
    import.fd = memfd_create("buffer", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    struct shim_page page = {.magic = SHIM_PAGE_MAGIC, .version = SHIM_PAGE_VERSION, .kind = SHIM_PAGE_BUFFER, .bytes = 4096};
    assert_int_equal(ftruncate(import.fd, 8192), 0);
    assert_int_equal(pwrite(import.fd, &page, sizeof page, 4096), sizeof page);
    assert_int_equal(client_ioctl(client, DRM_IOCTL_PRIME_FD_TO_HANDLE, &import), -EINVAL);
    assert_int_equal(fcntl(import.fd, F_ADD_SEALS, F_SEAL_SHRINK), 0);
    assert_int_equal(client_ioctl(client, DRM_IOCTL_PRIME_FD_TO_HANDLE, &import), 0);
    /* Random facts on the page do no harm. */
    for (unsigned n = 0; n < 200; n++) {
        uint8_t noise[sizeof page - offsetof(struct shim_page, changes)];
        for (size_t b = 0; b < sizeof noise; b++)
            noise[b] = (uint8_t)rand();
        struct drm_prime_handle again = {.fd = memfd_create("buffer", MFD_CLOEXEC | MFD_ALLOW_SEALING)};
        assert_int_equal(ftruncate(again.fd, 8192), 0);
        pwrite(again.fd, &page, sizeof page, 4096);
        assert_true(pwrite(again.fd, noise, sizeof noise, 4096 + (off_t)offsetof(struct shim_page, changes)) > 0);
        assert_int_equal(fcntl(again.fd, F_ADD_SEALS, F_SEAL_SHRINK), 0);
        assert_int_equal(client_ioctl(client, DRM_IOCTL_PRIME_FD_TO_HANDLE, &again), 0);
        struct drm_amdgpu_gem_metadata metadata = {.handle = again.handle, .op = AMDGPU_GEM_METADATA_OP_GET_METADATA};
        assert_int_equal(client_ioctl(client, DRM_IOCTL_AMDGPU_GEM_METADATA, &metadata), 0);
        assert_true(metadata.data.data_size_bytes <= sizeof metadata.data.data);
        assert_int_equal(client_ioctl(client, DRM_IOCTL_GEM_CLOSE, &(struct drm_gem_close){again.handle, 0}), 0);
        close(again.fd);
    }
    close(import.fd);
}

static void a_timeline_goes_on_from_either_process(void **state)
{
    struct client *client = *state;
    uint32_t object = client_syncobj(client, 0);
    struct drm_syncobj_handle export = {object, 0, -1, 0};
    assert_int_equal(client_ioctl(client, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &export), 0);
    assert_int_equal(ask(ASK_SIGNAL_POINT, 5, export.fd, NULL).result, 0);
    assert_int_equal(client_wait_syncobj(client, object, 5, DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT, 20000), 0);
    /* The other way round: the peer waits for a submission of ours. */
    struct client_buffer commands = client_buffer(client, 4096), data = client_buffer(client, 4096);
    uint32_t words = (uint32_t)(client_write(commands.words, data.address, 1) - commands.words);
    struct drm_amdgpu_cs_chunk_syncobj signal = {object, 0, 8};
    struct drm_amdgpu_cs_chunk chunk = {AMDGPU_CHUNK_ID_SYNCOBJ_TIMELINE_SIGNAL, sizeof signal / 4, (uintptr_t)&signal};
    assert_true(client_submit(client, &commands, words, &(struct client_submit){AMDGPU_HW_IP_GFX, 0, &chunk, 1}) > 0);
    assert_int_equal(ask(ASK_WAIT_POINT, 8, export.fd, NULL).result, 0);
    close(export.fd);
}

static void a_sync_file_ends_when_the_process_that_made_it_dies(void **state)
{
    struct client *client = *state;
    uint32_t object = client_syncobj(client, 0);
    int descriptor;
    ask(ASK_BLOCKED_FILE, 0, -1, &descriptor);
    struct drm_syncobj_handle import = {object, DRM_SYNCOBJ_FD_TO_HANDLE_FLAGS_IMPORT_SYNC_FILE, descriptor, 0};
    assert_int_equal(client_ioctl(client, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &import), 0);
    assert_int_equal(client_wait_syncobj(client, object, 0, 0, 20), -ETIME);
    kill(peer, SIGKILL);
    assert_int_equal(client_wait_syncobj(client, object, 0, 0, 20000), 0);
    close(descriptor);
}

static void a_submission_waits_for_work_of_others_on_a_shared_buffer_and_not_for_the_dead(void **state)
{
    struct client *client = *state;
    struct client_buffer commands = client_buffer(client, 4096), data = client_buffer(client, 4096);
    int descriptor;
    ask(ASK_BLOCKED_BUFFER, 0, -1, &descriptor);
    struct drm_prime_handle import = {.fd = descriptor};
    assert_int_equal(client_ioctl(client, DRM_IOCTL_PRIME_FD_TO_HANDLE, &import), 0);
    uint32_t words = (uint32_t)(client_write(commands.words, data.address, 6) - commands.words);
    struct drm_amdgpu_bo_list_entry entries[2] = {{commands.handle, 0}, {import.handle, 0}};
    union drm_amdgpu_bo_list list = {.in = {.operation = AMDGPU_BO_LIST_OP_CREATE,
                                            .bo_number = 2,
                                            .bo_info_size = sizeof entries[0],
                                            .bo_info_ptr = (uintptr_t)entries}};
    assert_int_equal(client_ioctl(client, DRM_IOCTL_AMDGPU_BO_LIST, &list), 0);
    struct drm_amdgpu_cs_chunk_ib ib = {.va_start = commands.address, .ib_bytes = words * 4};
    struct drm_amdgpu_cs_chunk chunk = {AMDGPU_CHUNK_ID_IB, sizeof ib / 4, (uintptr_t)&ib};
    uint64_t place = (uintptr_t)&chunk;
    union drm_amdgpu_cs call = {
        .in = {.ctx_id = client->context, .bo_list_handle = list.out.list_handle, .num_chunks = 1, .chunks = (uintptr_t)&place}};
    assert_int_equal(client_ioctl(client, DRM_IOCTL_AMDGPU_CS, &call), 0);
    union drm_amdgpu_wait_cs wait = {.in = {.handle = 1, .timeout = shim_deadline_after(50), .ctx_id = client->context}};
    assert_int_equal(client_ioctl(client, DRM_IOCTL_AMDGPU_WAIT_CS, &wait), 0);
    assert_int_equal(wait.out.status, 1);
    kill(peer, SIGKILL);
    assert_true(client_finish(client, AMDGPU_HW_IP_GFX, 0, 1));
    assert_int_equal(data.words[0], 6);
    close(descriptor);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(another_process_gets_the_whole_buffer),
        TEST(a_buffer_lives_when_the_process_that_made_it_is_killed),
        TEST(what_may_not_be_shared_is_refused),
        TEST(a_timeline_goes_on_from_either_process),
        TEST(a_sync_file_ends_when_the_process_that_made_it_dies),
        TEST(a_submission_waits_for_work_of_others_on_a_shared_buffer_and_not_for_the_dead),
    };
    int ends[2];
    socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends);
    pid_t pid = fork();
    if (!pid) {
        close(ends[0]);
        be_spawner(ends[1]);
    }
    close(ends[1]);
    spawner = ends[0];
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    close(spawner);
    waitpid(pid, NULL, 0);
    return failed;
}
