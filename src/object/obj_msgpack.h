/* obj_msgpack: a checked reader of msgpack documents, one item at a time. */
#ifndef OBJECT_OBJ_MSGPACK_H
#define OBJECT_OBJ_MSGPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/base_bytes.h"

enum obj_msgpack_kind {
    OBJ_MSGPACK_OTHER, /* nil, float, binary, extension: nothing that code-object metadata uses */
    OBJ_MSGPACK_BOOL,
    OBJ_MSGPACK_UINT,
    OBJ_MSGPACK_SINT, /* a negative number */
    OBJ_MSGPACK_TEXT,
    OBJ_MSGPACK_ARRAY,
    OBJ_MSGPACK_MAP,
};

struct obj_msgpack_item {
    enum obj_msgpack_kind kind;
    uint64_t number;  /* BOOL, UINT; SINT as two's complement */
    const char *text; /* TEXT: size bytes inside the document, not terminated */
    size_t size;
    uint32_t count; /* ARRAY: items that follow; MAP: pairs that follow */
};

/* Reads forward over a document that the caller owns. `at` is where the next item starts. */
struct obj_msgpack {
    struct base_bytes document;
    size_t at;
};

/* Reads the next item (of an array or map only its head). False when the document ends inside it or it is no msgpack. */
bool obj_msgpack_next(struct obj_msgpack *reader, struct obj_msgpack_item *item);
/* Reads past what an item that obj_msgpack_next returned holds. False as above, or when it nests too deep. */
bool obj_msgpack_skip(struct obj_msgpack *reader, const struct obj_msgpack_item *item);

#endif
