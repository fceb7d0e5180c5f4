/* Packets as text: their names, their fields and the registers that they set. */
#include "pm4/pm4_internal.h"

enum { INDENT_STEP = 2, SHOWN_WORDS = 32, NAME_SIZE = 80 };

/* A packet of either kind, as far as its fields are concerned. */
struct body {
    const uint32_t *words;
    uint32_t count;
    struct pm4_fields fields;
    uint32_t named; /* words from here on have no field */
};

static void print_indent(FILE *out, unsigned indent)
{
    fprintf(out, "%*s", (int)indent, "");
}

static void print_value(FILE *out, const char *name, uint32_t value, enum pm4_list list, unsigned indent)
{
    const char *value_name = pm4_value_name(list, value);
    if (!value && !value_name)
        return;
    print_indent(out, indent);
    if (value_name)
        fprintf(out, "%s = %s\n", name, value_name);
    else
        fprintf(out, value < 10 ? "%s = %u\n" : "%s = 0x%x\n", name, value);
}

/* The space that a field's number is an offset into. */
static uint32_t base_of(enum pm4_list list)
{
    switch (list) {
    case PM4_L_CONTEXT_REGISTER: return PM4_CONTEXT_FIRST;
    case PM4_L_SH_REGISTER: return PM4_SH_FIRST;
    case PM4_L_UCONFIG_REGISTER: return PM4_UCONFIG_FIRST;
    default: return 0;
    }
}

static bool is_register(enum pm4_list list)
{
    return list == PM4_L_REGISTER || list == PM4_L_CONTEXT_REGISTER || list == PM4_L_SH_REGISTER ||
           list == PM4_L_UCONFIG_REGISTER;
}

static void print_register_fields(FILE *out, uint32_t offset, uint32_t value, unsigned indent)
{
    struct pm4_place place = pm4_register_find(offset);
    size_t count = 0;
    const struct pm4_register_field *fields = place.row ? pm4_register_fields(place.row, &count) : NULL;
    for (size_t n = 0; n < count; n++)
        print_value(out, fields[n].name, base_field_get(value, fields[n].bits), (enum pm4_list)fields[n].list, indent);
}

void pm4_register_print(FILE *out, uint32_t offset, uint32_t value, unsigned indent, enum pm4_detail detail)
{
    char name[NAME_SIZE];
    print_indent(out, indent);
    fprintf(out, "%s=0x%x\n", pm4_register_name(offset, name, sizeof name), value);
    if (detail == PM4_FIELDS)
        print_register_fields(out, offset, value, indent + INDENT_STEP);
}

static uint64_t quad_of(const struct body *body, const struct pm4_field_row *row)
{
    uint32_t low = body->words[row->word] >> row->first << row->first;
    uint64_t high = body->words[row->word + 1] & base_field_mask((struct base_field){0, row->last});
    return high << 32 | low;
}

static void print_bits(FILE *out, const struct pm4_field_row *row, uint32_t word, unsigned indent)
{
    char name[NAME_SIZE];
    enum pm4_list list = (enum pm4_list)row->list;
    uint32_t value = base_field_get(word, (struct base_field){row->first, row->last});
    if (!is_register(list)) {
        print_value(out, row->name, value, list, indent);
        return;
    }
    print_indent(out, indent);
    fprintf(out, "%s = %s\n", row->name, pm4_register_name(base_of(list) + value, name, sizeof name));
}

static void print_field(FILE *out, const struct body *body, const struct pm4_field_row *row, unsigned indent)
{
    bool quad = row->kind == PM4_KIND_QUAD;
    if (row->word + (quad ? 1u : 0u) >= body->count || row->list == PM4_L_ALSO)
        return;
    if (row->kind == PM4_KIND_BITS) {
        print_bits(out, row, body->words[row->word], indent);
        return;
    }
    print_indent(out, indent);
    if (quad) {
        fprintf(out, "%s = 0x%llx\n", row->name, (unsigned long long)quad_of(body, row));
        return;
    }
    fprintf(out, "%s = 0x%x\n", row->name, body->words[row->word]);
    print_register_fields(out, row->reg, body->words[row->word], indent + INDENT_STEP);
}

static void print_words(FILE *out, const uint32_t *words, uint32_t count)
{
    for (uint32_t n = 0; n < count && n < SHOWN_WORDS; n++)
        fprintf(out, " %08x", words[n]);
    if (count > SHOWN_WORDS)
        fprintf(out, " ... %u more", count - SHOWN_WORDS);
}

/* The first word after those that a field names. */
static uint32_t named_words(struct pm4_fields fields, uint32_t least)
{
    uint32_t named = least;
    for (size_t n = 0; n < fields.count; n++) {
        uint32_t end = fields.rows[n].word + (fields.rows[n].kind == PM4_KIND_QUAD ? 2u : 1u);
        named = end > named ? end : named;
    }
    return named;
}

static void print_fields(FILE *out, const struct body *body, unsigned indent)
{
    for (size_t n = 0; n < body->fields.count; n++)
        print_field(out, body, &body->fields.rows[n], indent);
    if (body->count > body->named) {
        print_indent(out, indent);
        fputs("data", out);
        print_words(out, body->words + body->named, body->count - body->named);
        fputc('\n', out);
    }
}

static void print_set_line(FILE *out, const struct pm4_set *set)
{
    char name[NAME_SIZE];
    for (uint32_t n = 0; n < set->count; n++)
        fprintf(out, "%s %s=0x%x", n ? "," : "", pm4_register_name(set->offset + n, name, sizeof name), set->values[n]);
}

static void print_head(FILE *out, const struct pm4_packet *packet, unsigned indent)
{
    print_indent(out, indent);
    fputs(packet->row ? packet->row->name : "TYPE_0", out);
    if (packet->compute)
        fputs(" [CS]", out);
    if (packet->predicate)
        fputs(" [PREDICATED]", out);
}

static void print_set(FILE *out, const struct pm4_packet *packet, const struct pm4_set *set, unsigned indent,
                      enum pm4_detail detail)
{
    print_head(out, packet, indent);
    if (set->index)
        fprintf(out, " [INDEX %u]", set->index);
    if (detail == PM4_BRIEF) {
        print_set_line(out, set);
        fputc('\n', out);
        return;
    }
    fputc('\n', out);
    for (uint32_t n = 0; n < set->count; n++)
        pm4_register_print(out, set->offset + n, set->values[n], indent + INDENT_STEP, detail);
}

void pm4_packet_print(FILE *out, const struct pm4_packet *packet, unsigned indent, enum pm4_detail detail)
{
    struct pm4_set set;
    if (pm4_packet_sets(packet, &set)) {
        print_set(out, packet, &set, indent, detail);
        return;
    }
    print_head(out, packet, indent);
    uint32_t from = 0;
    if (packet->id == PM4_EVENT_WRITE) {
        const char *event = pm4_value_name(PM4_L_EVENT, pm4_get(packet, PM4_W_EVENT_WRITE_EVENT_TYPE));
        from = event ? 1 : 0;
        fprintf(out, "%s%s", event ? " " : "", event ? event : "");
    }
    if (detail == PM4_BRIEF)
        print_words(out, packet->words + from, packet->count - from);
    fputc('\n', out);
    if (detail == PM4_BRIEF || !packet->row)
        return;
    struct pm4_fields fields = pm4_packet_fields((enum pm4_packet_id)packet->id);
    struct body body = {packet->words, packet->count, fields, named_words(fields, 0)};
    print_fields(out, &body, indent + INDENT_STEP);
}

void pm4_sdma_packet_print(FILE *out, const struct pm4_sdma_packet *packet, unsigned indent, enum pm4_detail detail)
{
    print_indent(out, indent);
    fputs(packet->row->name, out);
    if (detail == PM4_BRIEF)
        print_words(out, packet->words, packet->count);
    fputc('\n', out);
    if (detail == PM4_BRIEF)
        return;
    struct pm4_fields fields = pm4_sdma_fields((enum pm4_sdma_id)packet->id);
    struct body body = {packet->words, packet->count, fields, named_words(fields, packet->row->words)};
    print_fields(out, &body, indent + INDENT_STEP);
}

static void print_stop(FILE *out, const struct base_error *error, unsigned indent)
{
    print_indent(out, indent);
    fprintf(out, "STOP: %s\n", error->text);
}

/* Pads are counted while they come and printed when they end. */
static void flush_pads(FILE *out, uint32_t *pads, unsigned indent)
{
    if (*pads) {
        print_indent(out, indent);
        fprintf(out, *pads == 1 ? "NOP\n" : "NOP x %u\n", *pads);
    }
    *pads = 0;
}

bool pm4_stream_print(FILE *out, const uint32_t *words, uint32_t count, enum pm4_ring ring, unsigned indent,
                      enum pm4_detail detail)
{
    struct pm4_reader reader = pm4_reader_begin(words, count, ring);
    struct pm4_packet packet;
    struct base_error error;
    enum pm4_result result;
    uint32_t pads = 0;
    while ((result = pm4_reader_next(&reader, &packet, &error)) == PM4_PACKET) {
        if (packet.id == PM4_NOP && !packet.count) {
            pads++;
            continue;
        }
        flush_pads(out, &pads, indent);
        pm4_packet_print(out, &packet, indent, detail);
    }
    flush_pads(out, &pads, indent);
    if (result == PM4_BAD)
        print_stop(out, &error, indent);
    return result == PM4_END;
}

bool pm4_sdma_stream_print(FILE *out, const uint32_t *words, uint32_t count, unsigned indent, enum pm4_detail detail)
{
    struct pm4_sdma_reader reader = pm4_sdma_reader_begin(words, count);
    struct pm4_sdma_packet packet;
    struct base_error error;
    enum pm4_result result;
    uint32_t pads = 0;
    while ((result = pm4_sdma_reader_next(&reader, &packet, &error)) == PM4_PACKET) {
        if (packet.id == PM4_SDMA_NOP && packet.count == 1) {
            pads++;
            continue;
        }
        flush_pads(out, &pads, indent);
        pm4_sdma_packet_print(out, &packet, indent, detail);
    }
    flush_pads(out, &pads, indent);
    if (result == PM4_BAD)
        print_stop(out, &error, indent);
    return result == PM4_END;
}
