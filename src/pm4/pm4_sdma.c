/* The table of SDMA packets, and walking an SDMA stream. */
#include "pm4/pm4_internal.h"

static const struct base_field header_op = {0, 7};
static const struct base_field header_sub_op = {8, 15};
static const struct base_field header_broadcast = {27, 27};

/* How a row is told from others that share its opcode. */
enum sdma_flag { FLAG_0 = 0, FLAG_ANY_SUB_OP = 1 << 0, FLAG_KERNEL = 1 << 1, FLAG_BROADCAST = 1 << 2 };

#define FIXED                                0, {0, 0}, 0, 0
#define COUNT(word, first, last, add, scale) word, {first, last}, add, scale

static const struct pm4_sdma_row rows[] = {
#define P(name, op, sub_op, words, further, flags) \
    {#name,                                        \
     op,                                           \
     sub_op,                                       \
     words,                                        \
     further,                                      \
     FLAG_##flags == FLAG_ANY_SUB_OP,              \
     FLAG_##flags == FLAG_BROADCAST,               \
     FLAG_##flags != FLAG_KERNEL},
#define F(...)
#define Q(...)
#include "pm4/pm4_sdma.def"
#undef P
#undef F
#undef Q
};

/* The fields of all packets lie one after the other; FIRST is the number of a packet's first one (as in pm4_rows.c). */
enum {
#define P(name, ...)         FIRST_##name, BACK_##name = FIRST_##name - 1,
#define F(packet, name, ...) NUMBER_##packet##_##name,
#define Q(packet, name, ...) NUMBER_##packet##_##name,
#include "pm4/pm4_sdma.def"
#undef P
#undef F
#undef Q
    FIELD_COUNT
};

static const uint16_t first_fields[PM4_SDMA_COUNT + 1] = {
#define P(name, ...) FIRST_##name,
#define F(...)
#define Q(...)
#include "pm4/pm4_sdma.def"
#undef P
#undef F
#undef Q
    FIELD_COUNT,
};

static const struct pm4_field_row fields[] = {
#define P(...)
#define F(packet, name, word, first, last, list) {#name, 0, PM4_KIND_BITS, word, first, last, PM4_L_##list},
#define Q(packet, name, word, first, last)       {#name, 0, PM4_KIND_QUAD, word, first, last, PM4_L_NONE},
#include "pm4/pm4_sdma.def"
#undef P
#undef F
#undef Q
};

const struct pm4_sdma_row *pm4_sdma_row(enum pm4_sdma_id id)
{
    return &rows[id];
}

struct pm4_fields pm4_sdma_fields(enum pm4_sdma_id id)
{
    return (struct pm4_fields){fields + first_fields[id], (size_t)(first_fields[id + 1] - first_fields[id])};
}

/* Few rows and few packets in a stream: a scan. */
static const struct pm4_sdma_row *find(uint32_t header)
{
    unsigned op = base_field_get(header, header_op), sub_op = base_field_get(header, header_sub_op);
    const struct pm4_sdma_row *found = NULL;
    for (unsigned n = 0; n < PM4_SDMA_COUNT; n++) {
        const struct pm4_sdma_row *row = &rows[n];
        if (row->op != op || (!row->any_sub_op && row->sub_op != sub_op))
            continue;
        if (row->broadcast == (bool)base_field_get(header, header_broadcast))
            return row;
        if (!row->broadcast)
            found = row;
    }
    return found;
}

static enum pm4_result bad(const struct pm4_sdma_reader *reader, struct base_error *error, const char *name, const char *reason)
{
    base_error_set(error, "word %u, header 0x%08x: %s %s", reader->at, reader->words[reader->at], name, reason);
    return PM4_BAD;
}

static enum pm4_result too_short(const struct pm4_sdma_reader *reader, struct base_error *error, const char *name, uint64_t words)
{
    char reason[120];
    snprintf(reason, sizeof reason, "has %llu words, and the stream ends after %u", (unsigned long long)words,
             reader->count - reader->at);
    return bad(reader, error, name, reason);
}

enum pm4_result pm4_sdma_reader_next(struct pm4_sdma_reader *reader, struct pm4_sdma_packet *packet, struct base_error *error)
{
    if (reader->at >= reader->count)
        return PM4_END;
    const uint32_t *words = reader->words + reader->at;
    uint32_t left = reader->count - reader->at;
    const struct pm4_sdma_row *row = find(words[0]);
    if (!row)
        return bad(reader, error, "its opcode", "is that of no SDMA packet of this generation");
    if (!row->guest)
        return bad(reader, error, row->name, "is the kernel's own and not legal in an indirect buffer");
    if (row->words > left)
        return too_short(reader, error, row->name, row->words);
    uint64_t further =
        row->count_scale ? (base_field_get(words[row->count_word], row->count) + row->count_add) * row->count_scale : 0;
    if (row->words + further > left)
        return too_short(reader, error, row->name, row->words + further);
    *packet = (struct pm4_sdma_packet){row, words, (uint32_t)(row->words + further), reader->at, (uint16_t)(row - rows)};
    reader->at += packet->count;
    return PM4_PACKET;
}
