/* The public queues: a submission's fences and memory, the clock, the report, and a lost queue. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include <cjson/cJSON.h>
#include <tenfold/tenfold.h>

enum { BYTES = 65536, AT_CODE = 0x1000, AT_DATA = 0x2000, S_ENDPGM = 0xbf810000 };

struct fixture {
    struct tf_gpu *gpu;
    struct tf_queue *queue;
    uint64_t memory;
    uint32_t *words;
    uint32_t count;
};

static uint64_t fixed_clock(void *user)
{
    return ++*(uint64_t *)user;
}

static uint64_t ticks;

static int make(void **state, const struct tf_gpu_options *options)
{
    struct fixture *f = test_calloc(1, sizeof *f);
    ticks = 41;
    assert_int_equal(tf_gpu_create(options, &f->gpu, NULL), TF_OK);
    assert_int_equal(tf_memory_alloc(f->gpu, BYTES, 0, &f->memory, NULL), TF_OK);
    assert_int_equal(tf_queue_create(f->gpu, TF_QUEUE_COMPUTE, "compute 0", &f->queue, NULL), TF_OK);
    f->words = tf_memory_pointer(f->gpu, f->memory, BYTES);
    *state = f;
    return 0;
}

static int set_up(void **state)
{
    const struct tf_gpu_options options = {
        .size = sizeof options, .chip = "gfx1030", .clock = fixed_clock, .clock_user = &ticks, .window_bytes = UINT64_C(1) << 32};
    return make(state, &options);
}

static int set_up_told(void **state)
{
    const struct tf_gpu_options options = {.size = sizeof options,
                                           .chip = "gfx1030",
                                           .window_bytes = UINT64_C(1) << 32,
                                           .device = "vulkan:llvmpipe",
                                           .memory = "mirrored",
                                           .memory_told = true,
                                           .queue_deterministic = true,
                                           .cache = ""};
    return make(state, &options);
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    tf_queue_destroy(f->queue, -1);
    tf_gpu_destroy(f->gpu);
    test_free(f);
    return 0;
}

static void put(struct fixture *f, unsigned opcode, unsigned count, ...)
{
    va_list args;
    f->words[f->count++] = 3u << 30 | (count - 1) << 16 | opcode << 8;
    va_start(args, count);
    while (count--)
        f->words[f->count++] = va_arg(args, uint32_t);
    va_end(args);
}

static enum tf_status submit(struct fixture *f, struct tf_fence **done)
{
    const struct tf_ib ib = {.address = f->memory, .bytes = f->count * 4};
    const struct tf_submission submission = {
        .size = sizeof submission, .ibs = &ib, .ib_count = 1, .fence_address = f->memory + AT_DATA, .fence_value = 77};
    return tf_queue_submit(f->queue, &submission, done, NULL);
}

static void put_dispatch(struct fixture *f)
{
    uint64_t code = f->memory + AT_CODE;
    f->words[AT_CODE / 4] = S_ENDPGM;
    put(f, 0x76, 3, 0x20cu, (uint32_t)(code >> 8), (uint32_t)(code >> 40));
    put(f, 0x76, 4, 0x207u, 64u, 1u, 1u);
    put(f, 0x15, 4, 3u, 1u, 1u, 0x45u);
}

static const cJSON *find(const cJSON *object, const char *first, const char *second)
{
    const cJSON *found = cJSON_GetObjectItem(object, first);
    return second ? cJSON_GetObjectItem(found, second) : found;
}

static void a_submission_ends_with_its_fence_in_memory_and_in_the_report(void **state)
{
    struct fixture *f = *state;
    struct tf_fence *done;
    uint64_t data = f->memory + AT_DATA + 8;
    put_dispatch(f);
    put(f, 0x40, 5, 9u | 5u << 8 | 1u << 16, 0u, 0u, (uint32_t)data, (uint32_t)(data >> 32)); /* COPY_DATA of the clock */
    assert_int_equal(submit(f, &done), TF_OK);
    assert_true(tf_fence_wait(&done, 1, true, UINT64_MAX, NULL));
    assert_int_equal(tf_fence_state(done), TF_FENCE_DONE);
    tf_fence_release(done);
    assert_int_equal(f->words[AT_DATA / 4], 77);
    assert_int_equal(f->words[AT_DATA / 4 + 2], 42);
    assert_int_equal(tf_gpu_clock(f->gpu), 43);
    assert_false(tf_gpu_failed(f->gpu));

    char *text = tf_gpu_report(f->gpu);
    cJSON *report = cJSON_Parse(text);
    const cJSON *queue = cJSON_GetArrayItem(find(report, "queues", NULL), 0),
                *program = cJSON_GetArrayItem(find(report, "programs", NULL), 0);
    assert_string_equal(find(queue, "name", NULL)->valuestring, "compute 0");
    assert_int_equal(find(queue, "ended", NULL)->valueint, 1);
    assert_int_equal(find(queue, "packets", "DISPATCH_DIRECT")->valueint, 1);
    assert_int_equal(find(queue, "packets", "SET_SH_REG")->valueint, 2);
    assert_int_equal(find(program, "groups", NULL)->valueint, 3);
    assert_int_equal(find(program, "instructions", "exact")->valueint, 3);
    /* FNV-1a, 64 bits, of the bytes 00 00 81 bf, worked out apart */
    assert_string_equal(find(program, "hash", NULL)->valuestring, "4b6ec77f9c592041");
    /* The CPU device prepares nothing ahead: nobody bounds what is queued for it. */
    assert_int_equal(cJSON_GetArraySize(find(queue, "unbounded", NULL)), 0);
    assert_int_equal(cJSON_GetArraySize(find(program, "unbounded", NULL)), 0);
    const cJSON *submission = cJSON_GetArrayItem(find(queue, "last_submissions", NULL), 0);
    assert_int_equal(find(submission, "number", NULL)->valueint, 1);
    assert_int_equal(find(submission, "dispatches", NULL)->valueint, 1);
    int packets = 0;
    const cJSON *item;
    cJSON_ArrayForEach(item, find(queue, "packets", NULL)) packets += item->valueint;
    assert_int_equal(find(submission, "packets", NULL)->valueint, packets);
    assert_int_equal(find(report, "host_faults", "count")->valueint, 0);
    cJSON_Delete(report);
    free(text);
}

static void a_lost_queue_says_where_and_takes_no_more(void **state)
{
    struct fixture *f = *state;
    struct tf_fence *done;
    char text[1024];
    put(f, 0xfe, 1, 0u);
    assert_int_equal(submit(f, &done), TF_OK);
    assert_true(tf_fence_wait(&done, 1, true, UINT64_MAX, NULL));
    assert_int_equal(tf_fence_state(done), TF_FENCE_LOST);
    tf_fence_release(done);
    assert_true(tf_queue_lost(f->queue, text, sizeof text));
    assert_non_null(strstr(text, "compute 0"));
    assert_int_equal(submit(f, &done), TF_ERROR_LOST);
    assert_int_equal(f->words[AT_DATA / 4], 0);
    assert_true(tf_gpu_failed(f->gpu));
    char *report = tf_gpu_report(f->gpu);
    assert_non_null(strstr(report, "lost_because"));
    free(report);
}

static void a_summary_says_in_a_line_each_what_queues_did_and_what_went_wrong(void **state)
{
    struct fixture *f = *state;
    struct tf_fence *done;
    put_dispatch(f);
    put(f, 0xfe, 1, 0u);
    assert_int_equal(submit(f, &done), TF_OK);
    assert_true(tf_fence_wait(&done, 1, true, UINT64_MAX, NULL));
    tf_fence_release(done);
    char *text = tf_gpu_summary(f->gpu);
    const char *queue = "queue 'compute 0': 1 submission (1 lost), 1 dispatch, 3 waves, ",
               *programs = "1 program: 3 instructions exact, ";
    assert_int_equal(strncmp(text, queue, strlen(queue)), 0);
    const char *second = strchr(text, '\n') + 1, *third = strchr(second, '\n') + 1;
    assert_int_equal(strncmp(second, programs, strlen(programs)), 0);
    assert_int_equal(strncmp(third, "lost: queue 'compute 0'", strlen("lost: queue 'compute 0'")), 0);
    assert_true(text[strlen(text) - 1] == '\n' && strchr(third, '\n')[1] == 0);
    free(text);
}

/* Adds 42 to the word at an address. */
static void put_adding_dispatch(struct fixture *f, uint64_t data)
{
    enum { USER_SGPRS_2 = 2 << 1 };
    static const uint32_t code[] = {
        0x7e000280,             /* v_mov_b32 v0, 0 */
        0xdc308000, 0x01000000, /* global_load_dword v1, v0, s[0:1] */
        0xbf8c3f70,             /* s_waitcnt vmcnt(0) */
        0x4a0202aa,             /* v_add_nc_u32 v1, 42, v1 */
        0xdc708000, 0x00000100, /* global_store_dword v0, v1, s[0:1] */
        S_ENDPGM,
    };
    memcpy(f->words + AT_CODE / 4, code, sizeof code);
    put(f, 0x76, 3, 0x20cu, (uint32_t)((f->memory + AT_CODE) >> 8), (uint32_t)((f->memory + AT_CODE) >> 40));
    put(f, 0x76, 3, 0x212u, 0u, (uint32_t)USER_SGPRS_2);
    put(f, 0x76, 3, 0x240u, (uint32_t)data, (uint32_t)(data >> 32));
    put(f, 0x76, 4, 0x207u, 1u, 1u, 1u);
    put(f, 0x15, 4, 1u, 1u, 1u, 0x45u);
}

static void run_told(struct fixture *f)
{
    struct tf_fence *done;
    assert_int_equal(submit(f, &done), TF_OK);
    assert_true(tf_fence_wait(&done, 1, true, UINT64_MAX, NULL));
    tf_fence_release(done);
}

static void where_the_host_tells_of_its_accesses_results_stay_until_it_asks(void **state)
{
    struct fixture *f = *state;
    uint64_t data;
    assert_int_equal(tf_memory_alloc(f->gpu, BYTES, 0, &data, NULL), TF_OK);
    uint32_t *word = tf_memory_pointer(f->gpu, data, BYTES);
    put_adding_dispatch(f, data);
    run_told(f);
    run_told(f);
    assert_int_equal(*word, 0);
    assert_int_equal(tf_memory_acquire(f->gpu, data, BYTES, NULL), TF_OK);
    assert_int_equal(*word, 84);
    *word = 1;
    tf_memory_changed(f->gpu, data, sizeof *word);
    run_told(f);
    uint32_t read = 0;
    assert_int_equal(tf_memory_read(f->gpu, data, &read, sizeof read, NULL), TF_OK);
    assert_int_equal(read, 43);
    assert_false(tf_gpu_failed(f->gpu));
}

/* A file that is no longer mapped has what was stored in it, also by work that was queued before. */
static void what_is_unmapped_gets_its_results_where_the_host_tells_of_its_accesses(void **state)
{
    struct fixture *f = *state;
    struct tf_fence *gate, *done;
    uint64_t base, size;
    uint32_t word = 1;
    int file = memfd_create("results", 0);
    assert_int_equal(ftruncate(file, BYTES), 0);
    tf_memory_window(f->gpu, &base, &size);
    const uint64_t data = base + size / 2;
    put_adding_dispatch(f, data);
    assert_int_equal(tf_memory_map_file(f->gpu, data, file, 0, BYTES, 0, NULL), TF_OK);
    run_told(f);
    assert_int_equal(pread(file, &word, sizeof word, 0), sizeof word);
    assert_int_equal(word, 0);
    assert_int_equal(tf_memory_unmap(f->gpu, data, NULL), TF_OK);
    assert_int_equal(pread(file, &word, sizeof word, 0), sizeof word);
    assert_int_equal(word, 42);
    assert_int_equal(tf_memory_map_file(f->gpu, data, file, 0, BYTES, 0, NULL), TF_OK);
    run_told(f);
    assert_int_equal(tf_memory_map_file(f->gpu, data, file, 0, BYTES, TF_MEMORY_REPLACE, NULL), TF_OK);
    assert_int_equal(pread(file, &word, sizeof word, 0), sizeof word);
    assert_int_equal(word, 84);
    assert_int_equal(tf_fence_create(&gate, NULL), TF_OK);
    const struct tf_ib ib = {.address = f->memory, .bytes = f->count * 4};
    const struct tf_submission gated = {.size = sizeof gated, .ibs = &ib, .ib_count = 1, .waits = &gate, .wait_count = 1};
    assert_int_equal(tf_queue_submit(f->queue, &gated, &done, NULL), TF_OK);
    assert_int_equal(tf_memory_unmap(f->gpu, data, NULL), TF_OK);
    tf_fence_signal(gate, TF_FENCE_DONE);
    assert_true(tf_fence_wait(&done, 1, true, UINT64_MAX, NULL));
    assert_int_equal(pread(file, &word, sizeof word, 0), sizeof word);
    assert_int_equal(word, 126);
    tf_fence_release(gate);
    tf_fence_release(done);
    close(file);
}

static void fences_of_the_hosts_own_gate_a_submission(void **state)
{
    struct fixture *f = *state;
    struct tf_fence *gate, *done;
    assert_int_equal(tf_fence_create(&gate, NULL), TF_OK);
    const struct tf_submission submission = {.size = sizeof submission, .waits = &gate, .wait_count = 1};
    assert_int_equal(tf_queue_submit(f->queue, &submission, &done, NULL), TF_OK);
    assert_false(tf_fence_wait(&done, 1, true, 0, NULL));
    tf_fence_signal(gate, TF_FENCE_DONE);
    assert_true(tf_fence_wait(&done, 1, true, UINT64_MAX, NULL));
    tf_fence_release(gate);
    tf_fence_release(done);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_submission_ends_with_its_fence_in_memory_and_in_the_report, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_lost_queue_says_where_and_takes_no_more, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_summary_says_in_a_line_each_what_queues_did_and_what_went_wrong, set_up, tear_down),
        cmocka_unit_test_setup_teardown(where_the_host_tells_of_its_accesses_results_stay_until_it_asks, set_up_told, tear_down),
        cmocka_unit_test_setup_teardown(what_is_unmapped_gets_its_results_where_the_host_tells_of_its_accesses, set_up_told,
                                        tear_down),
        cmocka_unit_test_setup_teardown(fences_of_the_hosts_own_gate_a_submission, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
