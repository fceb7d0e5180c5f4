/* capture_source: bytes of a file or of memory at an offset. */
#ifndef CAPTURE_CAPTURE_SOURCE_H
#define CAPTURE_CAPTURE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/base_error.h"

/* Owned by the reader. */
struct capture_source {
    int descriptor;      /* -1: data */
    const uint8_t *data; /* borrowed */
    uint64_t size;
};

bool capture_source_open(struct capture_source *source, const char *path, struct base_error *error);
/* Reads up to size bytes; returns how many there are. */
size_t capture_source_read(const struct capture_source *source, uint64_t offset, void *to, size_t size);
void capture_source_close(struct capture_source *source);

#endif
