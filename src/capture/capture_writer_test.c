/* The writer of captures lives in the process of a program that does with descriptors as it likes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/capture_writer.h"

struct place {
    char folder[64], path[128], other[128];
};

static int set_up(void **state)
{
    struct place *place = calloc(1, sizeof *place);
    assert_non_null(place);
    snprintf(place->folder, sizeof place->folder, "/tmp/capture-writer-XXXXXX");
    assert_non_null(mkdtemp(place->folder));
    snprintf(place->path, sizeof place->path, "%s/c.tfcap", place->folder);
    snprintf(place->other, sizeof place->other, "%s/own.txt", place->folder);
    *state = place;
    return 0;
}

static int tear_down(void **state)
{
    struct place *place = *state;
    unlink(place->path);
    unlink(place->other);
    rmdir(place->folder);
    free(place);
    return 0;
}

/* The number of the open descriptor that names the file; -1: none. */
static int find_descriptor(const char *path)
{
    struct stat wanted, found;
    assert_int_equal(stat(path, &wanted), 0);
    for (int descriptor = 0; descriptor < 4096; descriptor++)
        if (!fstat(descriptor, &found) && found.st_ino == wanted.st_ino && found.st_dev == wanted.st_dev)
            return descriptor;
    return -1;
}

static void a_capture_is_not_written_where_a_program_counts_its_descriptors(void **state)
{
    struct place *place = *state;
    struct base_error error;
    struct capture_writer *writer = capture_writer_create(place->path, 1, &error);
    assert_non_null(writer);
    assert_in_range(find_descriptor(place->path), 100, 4095);
    capture_writer_destroy(writer);
}

static void what_took_the_captures_number_is_neither_written_nor_closed(void **state)
{
    struct place *place = *state;
    struct base_error error;
    struct capture_writer *writer = capture_writer_create(place->path, 1, &error);
    assert_non_null(writer);
    int number = find_descriptor(place->path);
    int own = open(place->other, O_RDWR | O_CREAT, 0600);
    assert_true(own >= 0);
    assert_int_equal(dup2(own, number), number);
    struct capture_pack payload = {0};
    capture_pack_bytes(&payload, "words", 5);
    assert_false(capture_writer_put(writer, CAPTURE_CHUNK_NOTE, &payload));
    assert_false(capture_writer_ok(writer, &error));
    assert_non_null(strstr(error.text, "closed its descriptor"));
    capture_writer_destroy(writer);
    struct stat found;
    assert_int_equal(fstat(number, &found), 0);
    assert_int_equal(found.st_size, 0);
    capture_pack_finish(&payload);
    close(number);
    close(own);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_capture_is_not_written_where_a_program_counts_its_descriptors, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_took_the_captures_number_is_neither_written_nor_closed, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
