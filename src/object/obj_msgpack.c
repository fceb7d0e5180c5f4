/* obj_msgpack: drives libmpack's tokenizer over a whole document in memory, and checks every length itself. */
#include "object/obj_msgpack.h"

#include <mpack.h>

enum { MAX_DEPTH = 16 };

static uint64_t token_number(const mpack_token_t *token)
{
    return (uint64_t)token->data.value.hi << 32 | token->data.value.lo;
}

/* libmpack keeps a negative number's bits at the width that it was written in. */
static uint64_t token_negative(const mpack_token_t *token)
{
    switch (token->length) {
    case 1: return (uint64_t)(int8_t)token->data.value.lo;
    case 2: return (uint64_t)(int16_t)token->data.value.lo;
    case 4: return (uint64_t)(int32_t)token->data.value.lo;
    default: return token_number(token);
    }
}

/* The bytes of a string, binary or extension follow its head. */
static bool take_payload(struct obj_msgpack *reader, size_t size, struct obj_msgpack_item *item)
{
    struct base_bytes payload;
    if (!base_bytes_slice(reader->document, reader->at, size, &payload))
        return false;
    item->text = (const char *)payload.data;
    item->size = size;
    reader->at += size;
    return true;
}

bool obj_msgpack_next(struct obj_msgpack *reader, struct obj_msgpack_item *item)
{
    *item = (struct obj_msgpack_item){.kind = OBJ_MSGPACK_OTHER};
    mpack_tokbuf_t tokens;
    mpack_tokbuf_init(&tokens);
    const char *next = (const char *)reader->document.data + reader->at;
    size_t left = reader->document.size - reader->at;
    mpack_token_t token = {0};
    if (!left || mpack_read(&tokens, &next, &left, &token) != MPACK_OK)
        return false;
    reader->at = reader->document.size - left;
    switch (token.type) {
    case MPACK_TOKEN_BOOLEAN:
        item->kind = OBJ_MSGPACK_BOOL;
        item->number = token.data.value.lo != 0;
        return true;
    case MPACK_TOKEN_UINT:
        item->kind = OBJ_MSGPACK_UINT;
        item->number = token_number(&token);
        return true;
    case MPACK_TOKEN_SINT:
        item->kind = OBJ_MSGPACK_SINT;
        item->number = token_negative(&token);
        return true;
    case MPACK_TOKEN_ARRAY:
    case MPACK_TOKEN_MAP:
        item->kind = token.type == MPACK_TOKEN_ARRAY ? OBJ_MSGPACK_ARRAY : OBJ_MSGPACK_MAP;
        item->count = token.length;
        return true;
    case MPACK_TOKEN_STR: item->kind = OBJ_MSGPACK_TEXT; return take_payload(reader, token.length, item);
    case MPACK_TOKEN_BIN:
    case MPACK_TOKEN_EXT: return take_payload(reader, token.length, item);
    case MPACK_TOKEN_NIL:
    case MPACK_TOKEN_FLOAT: return true;
    default: return false;
    }
}

static bool skip_nested(struct obj_msgpack *reader, const struct obj_msgpack_item *item, unsigned depth)
{
    uint64_t left = item->kind == OBJ_MSGPACK_MAP ? 2 * (uint64_t)item->count : item->count;
    if (left && depth == MAX_DEPTH)
        return false;
    while (left-- > 0) {
        struct obj_msgpack_item inner;
        if (!obj_msgpack_next(reader, &inner) || !skip_nested(reader, &inner, depth + 1))
            return false;
    }
    return true;
}

bool obj_msgpack_skip(struct obj_msgpack *reader, const struct obj_msgpack_item *item)
{
    return skip_nested(reader, item, 0);
}
