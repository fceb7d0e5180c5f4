/* capture_writer: puts chunks of our own format into a file, compressed and hashed. */
#ifndef CAPTURE_CAPTURE_WRITER_H
#define CAPTURE_CAPTURE_WRITER_H

#include <stdint.h>

#include "base/base_error.h"
#include "capture/capture_format.h"
#include "capture/capture_pack.h"

/* One file being written; not thread-safe. After a failure everything further fails with the first failure's reason. */
struct capture_writer;

/* Begins the file `path`, which must not exist. NULL after an error. */
struct capture_writer *capture_writer_create(const char *path, int level, struct base_error *error);
/* Writes one chunk with one write, so that a process that is killed leaves whole chunks and at most one part. False when it
 * failed, now or earlier. */
bool capture_writer_put(struct capture_writer *writer, enum capture_chunk_type type, const struct capture_pack *payload);
/* True, or false and why, when something failed so far. */
bool capture_writer_ok(const struct capture_writer *writer, struct base_error *error);
/* Closes the file; further puts do nothing. */
void capture_writer_close(struct capture_writer *writer);
void capture_writer_destroy(struct capture_writer *writer);

#endif
