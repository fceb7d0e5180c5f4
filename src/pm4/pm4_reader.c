/* Walks the words of an indirect buffer, packet by packet, and checks each before anyone looks at it. */
#include "base/base_bytes.h"
#include "pm4/pm4_internal.h"

static const struct base_field header_type = {30, 31};
static const struct base_field header_count = {16, 29}; /* body words less one */
static const struct base_field header_opcode = {8, 15};
static const struct base_field header_predicate = {0, 0};
static const struct base_field header_compute = {1, 1};
static const struct base_field header_register = {0, 15}; /* type 0 */

enum { TYPE_REGISTERS = 0, TYPE_RESERVED = 1, TYPE_FILLER = 2, TYPE_PACKET = 3 };

/* A NOP with this count is one word alone: what pads a stream. */
enum { COUNT_OF_PAD = 0x3fff };

static const struct base_field set_register = {0, 15};
static const struct base_field set_index = {28, 31};

static const struct pm4_space_place places[PM4_SPACE_COUNT] = {
    [PM4_SPACE_NONE] = {0, 0, "a register space"},
    [PM4_SPACE_CONTEXT] = {PM4_CONTEXT_FIRST, PM4_CONTEXT_COUNT, "the context space"},
    [PM4_SPACE_SH] = {PM4_SH_FIRST, PM4_SH_COUNT, "the SH space"},
    [PM4_SPACE_UCONFIG] = {PM4_UCONFIG_FIRST, PM4_UCONFIG_COUNT, "the uconfig space"},
    [PM4_SPACE_CONFIG] = {PM4_CONFIG_FIRST, PM4_CONFIG_COUNT, "the config space"},
};

struct pm4_space_place pm4_space_place(enum pm4_space space)
{
    return places[space];
}

static enum pm4_space space_of(uint32_t offset)
{
    for (unsigned space = PM4_SPACE_NONE + 1; space < PM4_SPACE_COUNT; space++) {
        if (offset >= places[space].first && offset - places[space].first < places[space].count)
            return (enum pm4_space)space;
    }
    return PM4_SPACE_NONE;
}

static bool set_fits(struct pm4_set *set, enum pm4_space space, uint32_t place)
{
    set->space = space;
    set->offset = places[space].first + place;
    return base_range_fits(place, set->count, places[space].count);
}

bool pm4_packet_sets(const struct pm4_packet *packet, struct pm4_set *set)
{
    if (packet->type == TYPE_REGISTERS) {
        uint32_t offset = base_field_get(packet->header, header_register);
        enum pm4_space space = space_of(offset);
        *set = (struct pm4_set){.offset = offset, .count = packet->count, .values = packet->words};
        return space != PM4_SPACE_NONE && set_fits(set, space, offset - places[space].first);
    }
    if (!packet->row || !(packet->row->flags & PM4_SETS))
        return false;
    uint32_t place = packet->words[0];
    *set = (struct pm4_set){.count = packet->count - 1, .index = base_field_get(place, set_index), .values = packet->words + 1};
    return set_fits(set, (enum pm4_space)packet->row->space, base_field_get(place, set_register));
}

static enum pm4_result bad(const struct pm4_reader *reader, struct base_error *error, const char *name, const char *reason)
{
    base_error_set(error, "word %u, header 0x%08x: %s %s", reader->at, reader->words[reader->at], name, reason);
    return PM4_BAD;
}

/* What a header alone says: type, row, length. */
static enum pm4_result read_header(const struct pm4_reader *reader, struct pm4_packet *packet, struct base_error *error)
{
    uint32_t header = reader->words[reader->at];
    *packet = (struct pm4_packet){.words = reader->words + reader->at + 1,
                                  .count = base_field_get(header, header_count) + 1,
                                  .offset = reader->at,
                                  .header = header,
                                  .id = PM4_PACKET_COUNT,
                                  .type = (uint8_t)base_field_get(header, header_type)};
    switch (packet->type) {
    case TYPE_REGISTERS: return PM4_PACKET;
    case TYPE_RESERVED: return bad(reader, error, "type 1", "does not exist on this generation");
    case TYPE_FILLER:
        packet->count = 0;
        packet->id = PM4_NOP;
        packet->row = pm4_row(PM4_NOP);
        return PM4_PACKET;
    default: break;
    }
    packet->opcode = (uint8_t)base_field_get(header, header_opcode);
    packet->predicate = base_field_get(header, header_predicate);
    packet->compute = base_field_get(header, header_compute);
    packet->row = pm4_row_find(packet->opcode, reader->ring);
    if (!packet->row)
        return bad(reader, error, "its opcode", "is that of no packet of this generation");
    packet->id = (uint16_t)pm4_row_id(packet->row);
    if (packet->id == PM4_NOP && packet->count == COUNT_OF_PAD + 1)
        packet->count = 0;
    return PM4_PACKET;
}

static enum pm4_result check(const struct pm4_reader *reader, const struct pm4_packet *packet, struct base_error *error)
{
    const struct pm4_row *row = packet->row;
    const char *name = row ? row->name : "type 0";
    char reason[160];
    struct pm4_set set;
    if (row && !row->rings)
        return bad(reader, error, name, "is the kernel's own and not legal in an indirect buffer");
    if (row && !(row->rings & 1u << reader->ring)) {
        snprintf(reason, sizeof reason, "is not legal on the %s ring", pm4_ring_name(reader->ring));
        return bad(reader, error, name, reason);
    }
    if (row && (packet->count < row->least || packet->count > row->most)) {
        snprintf(reason, sizeof reason, "has %u words after its header; %u to %u are legal", packet->count, row->least,
                 row->most);
        return bad(reader, error, name, reason);
    }
    if (packet->count > reader->count - reader->at - 1) {
        snprintf(reason, sizeof reason, "has %u words after its header, and the stream ends after %u", packet->count,
                 reader->count - reader->at - 1);
        return bad(reader, error, name, reason);
    }
    if ((!row || row->flags & PM4_SETS) && !pm4_packet_sets(packet, &set)) {
        snprintf(reason, sizeof reason, "sets %u registers from 0x%x, which are not all in %s", set.count, set.offset,
                 places[set.space].name);
        return bad(reader, error, name, reason);
    }
    return PM4_PACKET;
}

enum pm4_result pm4_reader_next(struct pm4_reader *reader, struct pm4_packet *packet, struct base_error *error)
{
    if (reader->at >= reader->count)
        return PM4_END;
    enum pm4_result result = read_header(reader, packet, error);
    if (result == PM4_PACKET)
        result = check(reader, packet, error);
    if (result == PM4_PACKET)
        reader->at += 1 + packet->count;
    return result;
}
