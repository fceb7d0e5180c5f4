/* Captures of a driver's compute work, carried out by a device that has a copy of memory of its own: what it settles is what
 * another implementation computed. The same captures run in place as well, for comparison.
 *
 * usage: mirror_test FOLDER */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "capture/capture_reader.h"
#include "capture/capture_state.h"
#include "cp/cp_testing.h"

enum { QUEUES = 8, CAPTURES = 6, RESULT_BYTES = 4096, RESULT_BUFFER_BYTES = 1 << 20, DOMAIN_GTT = 2, NAME = 512 };

static const char *folder;
static const uint64_t window_bytes = UINT64_C(1) << 32;
static const double timeout_s = 20.0;

/* A GPU whose memory is what the capture says. */
struct player {
    struct capture_state state;
    struct mem_space *space;
    struct mem_snapshot *snapshot; /* what instructions are read through: the newest */
    struct wave_memory memory;
    struct wave_cache *cache;
    struct wave_options options;
    struct wave_engine *engine;
    struct device *device;
    struct cp_gpu *cp;
    struct cp_ring *rings[QUEUES];
    uint64_t ticks;
    uint8_t gds[TESTING_GDS];
    unsigned serious, submissions[SUBMIT_SDMA + 1];
};

static enum wave_outcome find_run(void *user, uint64_t address, struct wave_run *run)
{
    const struct player *player = user;
    struct mem_run found;
    if (!mem_snapshot_find(player->snapshot, address, &found))
        return WAVE_UNMAPPED;
    *run = (struct wave_run){found.start, found.size, found.host, found.writable, found.discards};
    return WAVE_DONE;
}

static uint64_t tick(void *user)
{
    struct player *player = user;
    return __atomic_add_fetch(&player->ticks, 1, __ATOMIC_RELAXED);
}

static void count_line(void *user, bool serious, const char *text)
{
    struct player *player = user;
    if (serious)
        print_message("%s\n", text);
    __atomic_add_fetch(&player->serious, serious, __ATOMIC_RELAXED);
}

static void look_again(struct player *player)
{
    mem_snapshot_release(player->snapshot);
    player->snapshot = mem_snapshot_acquire(player->space);
}

static void begin(struct player *player, const char *chip, bool mirrored)
{
    player->space = mem_space_create(window_bytes, NULL);
    assert_non_null(player->space);
    look_again(player);
    player->memory = (struct wave_memory){.user = player, .find = find_run};
    player->cache = wave_cache_create(isa_chip_by_name(chip), &player->memory);
    player->options = (struct wave_options){.threads = 2, .timeout_s = timeout_s};
    player->engine = wave_engine_create(player->cache, &player->options);
    player->device = mirrored ? mirror_create(player->engine, true) : device_cpu_create(player->engine);
    struct cp_options options = {.device = player->device,
                                 .chip = isa_chip_by_name(chip),
                                 .gds = player->gds,
                                 .gds_bytes = sizeof player->gds,
                                 .render_backends = 4,
                                 .timeout_s = timeout_s,
                                 .clock = tick,
                                 .clock_user = player,
                                 .log = count_line,
                                 .log_user = player};
    player->cp = cp_gpu_create(&options);
    assert_non_null(player->cp);
}

static void finish(struct player *player)
{
    for (size_t n = 0; n < QUEUES; n++)
        cp_ring_destroy(player->rings[n], SUBMIT_FOREVER);
    cp_gpu_destroy(player->cp);
    device_destroy(player->device);
    wave_engine_destroy(player->engine);
    wave_cache_destroy(player->cache);
    mem_snapshot_release(player->snapshot);
    mem_space_destroy(player->space);
    capture_state_finish(&player->state);
}

static void show_mapping(struct player *player, const struct capture_event_va *va)
{
    struct base_error error = {""};
    if (va->operation != CAPTURE_VA_MAP)
        assert_int_equal(mem_space_clear(player->space, va->address, va->bytes, &error), MEM_CHANGED);
    if (va->operation == CAPTURE_VA_MAP || va->operation == CAPTURE_VA_REPLACE) {
        assert_true(va->buffer != 0);
        assert_true(mem_space_map(player->space, va->address, player->state.buffers[va->buffer - 1].data + va->offset, va->bytes,
                                  va->flags & CAPTURE_VA_WRITEABLE, &error));
    }
    look_again(player);
}

/* Submits and waits: the captures' device answered at once. */
static void submit(struct player *player, const struct capture_event_submission *event)
{
    struct submit_range *ibs = calloc(event->ib_count + 1, sizeof *ibs);
    struct submit_fence *done = NULL;
    assert_non_null(ibs);
    for (size_t n = 0; n < event->ib_count; n++)
        ibs[n] = (struct submit_range){submit_address(event->ibs[n].address), event->ibs[n].bytes};
    struct submit_request request = {.ibs = ibs, .ib_count = event->ib_count, .snapshot = mem_snapshot_acquire(player->space)};
    assert_int_equal(cp_ring_submit(player->rings[event->queue - 1], &request, &done), CP_SUBMITTED);
    assert_true(submit_fence_wait(&done, 1, true, submit_deadline(UINT64_C(30000000000)), NULL));
    assert_int_equal(submit_fence_look(done), SUBMIT_FENCE_DONE);
    submit_fence_release(done);
    free(ibs);
    player->submissions[player->state.queues[event->queue - 1].kind]++;
}

static void carry_out(struct player *player, const struct capture_event *event)
{
    struct base_error error = {""};
    if (event->kind == CAPTURE_BUFFER_END) /* its mappings go while it is there */
        for (const struct capture_mapping *mapping; (mapping = capture_space_of(&player->state.space, event->end.number));) {
            assert_int_equal(mem_space_clear(player->space, mapping->address, mapping->bytes, &error), MEM_CHANGED);
            assert_true(capture_space_unmap(&player->state.space, mapping->address, event->end.number, &error));
            look_again(player);
        }
    if (!capture_state_apply(&player->state, event, &error))
        fail_msg("%s", error.text);
    if (event->kind == CAPTURE_VA)
        show_mapping(player, &event->va);
    else if (event->kind == CAPTURE_MEMORY)
        cp_gpu_changed(player->cp, 0, UINT64_MAX);
    else if (event->kind == CAPTURE_SUBMISSION)
        submit(player, &event->submission);
    else if (event->kind == CAPTURE_QUEUE) {
        assert_true(event->queue.number <= QUEUES);
        player->rings[event->queue.number - 1] = cp_ring_create(player->cp, (enum submit_ring)event->queue.kind, "test");
    }
}

/* The buffer that the captured program read its result from: a mebibyte in GTT. */
static const uint8_t *result_of(const struct capture_state *state)
{
    for (size_t n = 0; n < state->buffer_count; n++)
        if (state->buffers[n].is_alive && state->buffers[n].buffer.bytes == RESULT_BUFFER_BYTES &&
            state->buffers[n].buffer.domains == DOMAIN_GTT)
            return state->buffers[n].data;
    return NULL;
}

static void check_result(struct player *player)
{
    char path[NAME];
    uint8_t expected[RESULT_BYTES];
    snprintf(path, sizeof path, "%s/expected-compute-lavapipe.bin", folder);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fread(expected, 1, sizeof expected, file), sizeof expected);
    fclose(file);
    const uint8_t *result = result_of(&player->state);
    assert_non_null(result);
    assert_memory_equal(result, expected, sizeof expected);
}

/* Plays a capture to its end. */
static void play(const char *name, bool mirrored, unsigned *submissions)
{
    char path[NAME];
    struct base_error error = {""};
    struct capture_event event;
    struct player *player = calloc(1, sizeof *player);
    assert_non_null(player);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    struct capture_reader *reader = capture_reader_open(path, NULL, &error);
    if (!reader)
        fail_msg("%s", error.text);
    while (capture_reader_next(reader, &event, &error) == CAPTURE_READ_EVENT) {
        if (event.kind == CAPTURE_DEVICE)
            begin(player, event.device.chip, mirrored);
        carry_out(player, &event);
    }
    if (player->device->functions->settle) {
        player->device->functions->settle(player->device, player->snapshot, DEVICE_EVERYTHING);
        assert_true(mirror_prepared(player->device) > 0);
        assert_int_equal(mirror_stale(player->device), 0);
    }
    assert_int_equal(player->serious, 0);
    check_result(player);
    for (unsigned n = SUBMIT_GRAPHICS; n <= SUBMIT_SDMA; n++)
        submissions[n] += player->submissions[n];
    capture_reader_close(reader);
    finish(player);
    free(player);
}

static void play_all(bool mirrored)
{
    unsigned submissions[SUBMIT_SDMA + 1] = {0}, count = 0;
    DIR *entries = opendir(folder);
    assert_non_null(entries);
    for (const struct dirent *entry; (entry = readdir(entries));)
        if (strstr(entry->d_name, "-comp-") && strstr(entry->d_name, ".cap")) {
            play(entry->d_name, mirrored, submissions);
            count++;
        }
    closedir(entries);
    assert_true(count >= CAPTURES);
    assert_true(submissions[SUBMIT_GRAPHICS] > 0); /* both rings were at work */
    assert_true(submissions[SUBMIT_COMPUTE] > 0);
}

static void captures_on_a_device_that_works_in_place_give_the_result(void **state)
{
    (void)state;
    play_all(false);
}

static void captures_on_a_device_that_mirrors_memory_give_the_result(void **state)
{
    (void)state;
    play_all(true);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(captures_on_a_device_that_works_in_place_give_the_result),
        cmocka_unit_test(captures_on_a_device_that_mirrors_memory_give_the_result),
    };
    if (argc != 2)
        return 2;
    folder = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
