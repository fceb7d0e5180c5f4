/* Where one lane's access lies: address of each part by space, descriptor bounds, apertures, then host pointers. */
#include <string.h>

#include "wave/wave_memory.h"

enum spot_kind { NOWHERE, GUEST, LOCAL, GLOBAL_SHARE };

/* Where a byte of an access lies, and how many bytes from there on lie together. */
struct spot {
    enum spot_kind kind;
    uint64_t at; /* guest address, or offset in the share */
    uint32_t room;
};

/* A part of an access that bounds are checked for as one, and a byte in it. */
struct part {
    unsigned element;
    uint32_t start, payload, skip;
};

enum { ANY_ROOM = UINT32_MAX, WORD = 4 };

static uint32_t lane_word(struct wave *w, uint32_t offset, unsigned lane)
{
    return wave_at(w, offset)[lane];
}

static uint64_t lane_pair(struct wave *w, uint32_t offset, unsigned lane)
{
    return lane_word(w, offset, lane) | (uint64_t)lane_word(w, offset + w->stride, lane) << 32;
}

static uint64_t uniform_pair(struct wave *w, uint32_t offset)
{
    const uint32_t *p = wave_at(w, offset);
    return p[0] | (uint64_t)p[1] << 32;
}

static uint32_t element_offset(const struct ir_access *access, unsigned element)
{
    return (uint32_t)(element ? access->offset1 : access->offset);
}

/* Lanes' words lie side by side, one line of them for each word of a lane's scratch. */
static struct spot scratch_spot(struct wave *w, unsigned lane, uint32_t offset)
{
    uint64_t base = wave_flat_scratch(w), lanes = w->halves * 32u;
    uint32_t inside = offset % WORD;
    return (struct spot){GUEST, base + (uint64_t)(offset - inside) * lanes + lane * WORD + inside, WORD - inside};
}

static uint64_t lane_index(struct wave *w, const struct wave_op *o, const struct ir_access *access, unsigned lane)
{
    uint32_t index = lane_word(w, o->a, lane);
    return access->flags & IR_AC_SIGNED_LANE ? (uint64_t)(int64_t)(int32_t)index : index;
}

uint64_t wave_global_address(struct wave *w, const struct wave_op *o, unsigned lane)
{
    const struct ir_access *access = o->aux;
    uint64_t at = (uint64_t)(int64_t)access->offset;
    if (access->flags & IR_AC_ADDTID)
        return at + uniform_pair(w, o->b) + lane * WORD;
    if (access->flags & IR_AC_SADDR)
        return at + uniform_pair(w, o->b) + (lane_index(w, o, access, lane) << access->scale);
    return at + lane_pair(w, o->a, lane);
}

static struct spot global_spot(struct wave *w, const struct wave_op *o, unsigned lane, uint32_t skip)
{
    return (struct spot){GUEST, wave_global_address(w, o, lane) + skip, ANY_ROOM};
}

static struct spot flat_spot(struct wave *w, const struct wave_op *o, unsigned lane, uint32_t skip)
{
    struct spot spot = global_spot(w, o, lane, skip);
    if (spot.at >> 32 == w->s[IR_SHARED_BASE])
        return (struct spot){LOCAL, (uint32_t)spot.at, ANY_ROOM};
    if (spot.at >> 32 == w->s[IR_PRIVATE_BASE])
        return scratch_spot(w, lane, (uint32_t)spot.at);
    return spot;
}

static struct spot buffer_spot(struct wave *w, const struct wave_op *o, const struct ir_access *access, unsigned lane,
                               const struct part *part)
{
    struct image_buffer buffer = image_buffer_decode(wave_at(w, o->a));
    struct image_buffer_access place = {
        .index = (access->flags & IR_AC_IDXEN ? lane_word(w, o->b, lane) : 0) + (buffer.add_tid ? lane : 0),
        .offset = (access->flags & IR_AC_OFFEN ? lane_word(w, o->c, lane) : UINT64_C(0)) + (uint32_t)access->offset + part->start,
        .soffset = *wave_at(w, o->e),
        .payload = part->payload,
    };
    /* Scratch: compilers index it by negative lane offsets, which the instruction's makes up for. */
    if (buffer.add_tid)
        place.offset = (uint32_t)place.offset;
    /* The invalid format marks an unbound buffer, whatever the instruction's own format is. */
    bool unbound = buffer.format == 0 && !(access->flags & IR_AC_TYPED);
    if (unbound || image_buffer_outside(&buffer, &place))
        return (struct spot){.kind = NOWHERE, .room = ANY_ROOM};
    place.offset += part->skip;
    return (struct spot){GUEST, image_buffer_address(&buffer, &place),
                         buffer.swizzle ? (uint32_t)(WORD - place.offset % WORD) : ANY_ROOM};
}

static uint32_t share_offset(struct wave *w, const struct wave_op *o, const struct ir_access *access, unsigned lane,
                             unsigned element)
{
    if (access->flags & IR_AC_ADDTID)
        return (w->s[IR_M0] & 0xffffu) + (uint32_t)access->offset + lane * WORD;
    uint32_t address = lane_word(w, o->a, lane);
    if (!(access->flags & IR_AC_SRC2))
        return address + element_offset(access, element);
    /* With the far bit the address carries the distance of its second word in its upper bits. */
    enum { FAR = 1 << 15, NEAR_BITS = 15, FAR_SHIFT = 17 };
    bool is_far = access->offset & FAR;
    int32_t distance =
        is_far ? (int32_t)address >> FAR_SHIFT : (int32_t)((uint32_t)access->offset << (32 - NEAR_BITS)) >> (32 - NEAR_BITS);
    uint32_t first = is_far ? address & ((1u << FAR_SHIFT) - 1) : address;
    return element ? first + (uint32_t)distance * WORD : first;
}

/* M0: base above, size below, both in bytes. */
static struct spot global_share_spot(struct wave *w, uint32_t offset, uint32_t size)
{
    uint32_t base = w->s[IR_M0] >> 16, limit = w->s[IR_M0] & 0xffffu;
    bool inside = (uint64_t)offset + size <= limit;
    return (struct spot){inside ? GLOBAL_SHARE : NOWHERE, (uint64_t)base + offset, ANY_ROOM};
}

static struct spot spot_of(struct wave *w, const struct wave_op *o, const struct ir_access *access, unsigned lane,
                           const struct part *part)
{
    uint32_t skip = part->start + part->skip;
    switch (access->space) {
    case IR_SPACE_FLAT: return flat_spot(w, o, lane, skip);
    case IR_SPACE_BUFFER: return buffer_spot(w, o, access, lane, part);
    case IR_SPACE_LDS: return (struct spot){LOCAL, (uint64_t)share_offset(w, o, access, lane, part->element) + skip, ANY_ROOM};
    case IR_SPACE_GDS: return global_share_spot(w, share_offset(w, o, access, lane, part->element) + skip, part->payload);
    case IR_SPACE_SCRATCH: {
        /* Either part of the address may be missing; no slot lies at offset 0. */
        uint32_t offset = (o->a ? lane_word(w, o->a, lane) : 0) + (o->b ? *wave_at(w, o->b) : 0);
        return scratch_spot(w, lane, offset + (uint32_t)access->offset + skip);
    }
    default: return global_spot(w, o, lane, skip);
    }
}

static void push(struct wave_pieces *pieces, uint8_t *host, uint32_t size)
{
    pieces->piece[pieces->count++] = (struct wave_piece){host, (uint8_t)size};
}

/* Guest memory: one piece, or a piece a byte where runs meet. */
static bool push_guest(struct wave *w, const struct wave_op *o, unsigned lane, bool write, uint64_t at, uint32_t size,
                       struct wave_pieces *pieces)
{
    uint8_t *host = wave_op_mem(w, o, at, size, write);
    if (host) {
        push(pieces, host, size);
        return true;
    }
    for (uint32_t i = 0; i < size; i++) {
        host = size > 1 && at + i >= at ? wave_mem(w, at + i, 1, write) : NULL;
        if (!host) {
            wave_mem_fault(w, o, (int)lane, at + i, write);
            return false;
        }
        push(pieces, host, 1);
    }
    return true;
}

static void push_local(struct wave *w, const struct wave_op *o, unsigned lane, uint64_t at, uint32_t size,
                       struct wave_pieces *pieces)
{
    bool inside = at + size <= w->lds_bytes;
    if (!inside)
        wave_report_fault(w, o, WAVE_FAULT_LDS_RANGE, (int)lane, at);
    pieces->shared = true;
    push(pieces, inside ? w->lds + at : NULL, size);
}

static bool push_spot(struct wave *w, const struct wave_op *o, unsigned lane, bool write, struct spot spot, uint32_t size,
                      struct wave_pieces *pieces)
{
    const struct wave_dispatch *dispatch = w->worker->shared->dispatch;
    if (!pieces->count)
        pieces->address = spot.at;
    switch (spot.kind) {
    case GUEST: return push_guest(w, o, lane, write, spot.at, size, pieces);
    case LOCAL: push_local(w, o, lane, spot.at, size, pieces); return true;
    case GLOBAL_SHARE:
        if (!dispatch->gds || spot.at + size > dispatch->gds_bytes) {
            wave_mem_fault(w, o, (int)lane, spot.at, write);
            return false;
        }
        push(pieces, dispatch->gds + spot.at, size);
        return true;
    default: push(pieces, NULL, size); return true;
    }
}

/* Bytes of an element: the access's, or its format's. An invalid format reaches for nothing. */
static uint32_t element_bytes(struct wave *w, const struct wave_op *o, const struct ir_access *access)
{
    if (!(access->flags & IR_AC_FORMAT))
        return access->bytes;
    unsigned number = access->flags & IR_AC_TYPED ? access->format : image_buffer_decode(wave_at(w, o->a)).format;
    const struct image_buffer_format *format = image_buffer_format(number);
    return format ? format->bytes : 0;
}

/* Joins pieces that turn out to lie one behind the other, so that wide words move whole. */
static void join(struct wave_pieces *pieces)
{
    unsigned count = 0;
    for (unsigned i = 0; i < pieces->count; i++) {
        struct wave_piece next = pieces->piece[i], *last = count ? &pieces->piece[count - 1] : NULL;
        if (last && last->host && next.host == last->host + last->size)
            last->size = (uint8_t)(last->size + next.size);
        else
            pieces->piece[count++] = next;
    }
    pieces->count = count;
}

bool wave_resolve(struct wave *w, const struct wave_op *o, unsigned lane, bool write, struct wave_pieces *pieces)
{
    const struct ir_access *access = o->aux;
    uint32_t bytes = element_bytes(w, o, access);
    unsigned elements = access->flags & IR_AC_FORMAT ? 1 : access->flags & IR_AC_SRC2 ? 2 : access->elements;
    /* Buffers check each word of a plain access by itself; formats and atomics are in or out as a whole. */
    bool by_word = access->space == IR_SPACE_BUFFER && !(access->flags & IR_AC_FORMAT) && !access->atomic && bytes > WORD;
    pieces->count = 0;
    pieces->shared = false;
    pieces->address = 0;
    struct part part = {.payload = by_word ? WORD : bytes};
    for (part.element = 0; part.element < elements; part.element++) {
        for (part.start = 0; part.start < bytes; part.start += part.payload) {
            uint32_t size;
            for (part.skip = 0; part.skip < part.payload; part.skip += size) {
                struct spot spot = spot_of(w, o, access, lane, &part);
                size = part.payload - part.skip < spot.room ? part.payload - part.skip : spot.room;
                if (!push_spot(w, o, lane, write, spot, size, pieces))
                    return false;
            }
        }
    }
    if (by_word)
        join(pieces);
    return true;
}

/* Aligned words move in one access each, so that another thread never sees a half. */
static BASE_RACY void copy_words(uint8_t *to, const uint8_t *from, uint32_t size, bool from_guest)
{
    uintptr_t guest = (uintptr_t)(from_guest ? from : to);
    uint32_t done = 0;
    while (done < size) {
        uint32_t left = size - done;
        if (left >= 8 && (guest + done) % 8 == 0) {
            uint64_t word;
            memcpy(&word, from + done, 8);
            memcpy(to + done, &word, 8);
            done += 8;
        } else if (left >= 4 && (guest + done) % 4 == 0) {
            uint32_t word;
            memcpy(&word, from + done, 4);
            memcpy(to + done, &word, 4);
            done += 4;
        } else if (left >= 2 && (guest + done) % 2 == 0) {
            uint16_t word;
            memcpy(&word, from + done, 2);
            memcpy(to + done, &word, 2);
            done += 2;
        } else {
            to[done] = from[done];
            done++;
        }
    }
}

void wave_pieces_read(const struct wave_pieces *pieces, uint8_t *data)
{
    for (unsigned i = 0; i < pieces->count; data += pieces->piece[i++].size) {
        if (pieces->piece[i].host)
            copy_words(data, pieces->piece[i].host, pieces->piece[i].size, true);
        else
            memset(data, 0, pieces->piece[i].size);
    }
}

void wave_pieces_write(const struct wave_pieces *pieces, const uint8_t *data)
{
    for (unsigned i = 0; i < pieces->count; data += pieces->piece[i++].size)
        if (pieces->piece[i].host)
            copy_words(pieces->piece[i].host, data, pieces->piece[i].size, false);
}
