/* tool_inspect_stream: the packets of indirect buffers, with what they call. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tool/tool_inspect.h"

/* A stretch of command memory, and how the stream comes there. */
struct stretch {
    uint64_t address;
    uint32_t words;
    bool is_chained; /* the stream goes on there, and does not come back */
};

static void walk(struct inspect *inspect, struct inspect_ring *ring, struct stretch stretch, unsigned level);

/* A packet's text of one detail, freed by the caller; NULL when the host has no memory. */
static char *packet_text(const struct pm4_packet *pm4, const struct pm4_sdma_packet *sdma, enum pm4_detail detail)
{
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    if (!file)
        return NULL;
    if (pm4)
        pm4_packet_print(file, pm4, 0, detail);
    else
        pm4_sdma_packet_print(file, sdma, 0, detail);
    fclose(file);
    return text;
}

/* The first line heads a node, the rest is inside. Where that can be folded away, the head is the packet in brief. */
static void show_packet(struct inspect *inspect, const struct pm4_packet *pm4, const struct pm4_sdma_packet *sdma)
{
    bool needs_brief = inspect->detail != PM4_BRIEF && tool_document_folds(inspect->document);
    char *text = packet_text(pm4, sdma, inspect->detail);
    char *brief = needs_brief ? packet_text(pm4, sdma, PM4_BRIEF) : NULL;
    char *head = brief ? brief : text, *rest = text ? strchr(text, '\n') : NULL;
    if (head) {
        tool_document_open(inspect->document, TOOL_NODE_PACKET, "", "%.*s", (int)strcspn(head, "\n"), head);
        tool_document_block(inspect->document, rest ? rest + 1 : "");
        tool_document_close(inspect->document);
    }
    free(brief);
    free(text);
}

static void show_pads(struct inspect *inspect, uint32_t *pads)
{
    if (*pads) {
        tool_document_open(inspect->document, TOOL_NODE_PACKET, "", "NOP, %" PRIu32 " times", *pads);
        tool_document_close(inspect->document);
    }
    *pads = 0;
}

static void take_registers(struct inspect_ring *ring, const struct pm4_packet *packet)
{
    struct pm4_set set;
    if (!pm4_packet_sets(packet, &set))
        return;
    for (uint32_t n = 0; n < set.count && set.offset + n < INSPECT_REGISTERS; n++) {
        ring->values[set.offset + n] = set.values[n];
        ring->known[set.offset + n] = true;
    }
}

/* What a packet means for those behind it. Returns true when the stream goes on elsewhere, in *next. */
static bool follow(struct inspect *inspect, struct inspect_ring *ring, const struct pm4_packet *packet, unsigned level,
                   struct stretch *next)
{
    take_registers(ring, packet);
    if (inspect_is_work(packet))
        inspect_work(inspect, ring, packet);
    if (packet->id == PM4_SET_BASE && pm4_get(packet, PM4_W_SET_BASE_INDEX) == PM4_V_BASE_INDIRECT_DATA)
        ring->indirect_base = pm4_get_quad(packet, PM4_W_SET_BASE_ADDR);
    if (packet->id != PM4_INDIRECT_BUFFER)
        return false;
    struct stretch named = {.address = pm4_get_quad(packet, PM4_W_INDIRECT_BUFFER_BASE),
                            .words = pm4_get(packet, PM4_W_INDIRECT_BUFFER_SIZE),
                            .is_chained = pm4_get(packet, PM4_W_INDIRECT_BUFFER_CHAIN)};
    if (named.is_chained)
        *next = named;
    else
        walk(inspect, ring, named, level + 1);
    return named.is_chained;
}

/* Returns true when the stream goes on elsewhere, in *next. */
static bool walk_pm4(struct inspect *inspect, struct inspect_ring *ring, const uint32_t *words, uint32_t count, unsigned level,
                     struct stretch *next)
{
    enum pm4_ring kind = ring->kind == TF_QUEUE_COMPUTE ? PM4_RING_COMPUTE : PM4_RING_GRAPHICS;
    struct pm4_reader reader = pm4_reader_begin(words, count, kind);
    struct pm4_packet packet;
    struct base_error error;
    enum pm4_result result;
    uint32_t pads = 0;
    while ((result = pm4_reader_next(&reader, &packet, &error)) == PM4_PACKET) {
        if (packet.id == PM4_NOP && !packet.count) {
            pads++;
            continue;
        }
        show_pads(inspect, &pads);
        show_packet(inspect, &packet, NULL);
        if (follow(inspect, ring, &packet, level, next))
            return true;
    }
    show_pads(inspect, &pads);
    if (result == PM4_BAD)
        inspect_problem(inspect, "%s", error.text);
    return false;
}

static void walk_sdma(struct inspect *inspect, struct inspect_ring *ring, const uint32_t *words, uint32_t count, unsigned level)
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
        show_pads(inspect, &pads);
        show_packet(inspect, NULL, &packet);
        if (packet.id == PM4_SDMA_INDIRECT)
            walk(inspect, ring,
                 (struct stretch){.address = pm4_sdma_get_quad(&packet, PM4_SDMA_W_INDIRECT_BASE),
                                  .words = pm4_sdma_get(&packet, PM4_SDMA_W_INDIRECT_SIZE)},
                 level + 1);
    }
    show_pads(inspect, &pads);
    if (result == PM4_BAD)
        inspect_problem(inspect, "%s", error.text);
}

static const char *too_much(const struct inspect *inspect, const struct stretch *stretch, unsigned level)
{
    if (level > INSPECT_LEVELS)
        return "IBs that call each other too deep";
    if (!inspect->ibs_left)
        return "more IBs than a submission may have";
    bool fits = stretch->words <= INSPECT_IB_WORDS && stretch->words <= inspect->words_left;
    return fits ? NULL : "more command words than a submission may have";
}

/* One stretch of command memory, as it is at the submission. Returns true when the stream goes on elsewhere, in *next. */
static bool walk_stretch(struct inspect *inspect, struct inspect_ring *ring, const struct stretch *stretch, unsigned level,
                         struct stretch *next)
{
    uint64_t address = capture_address_canonical(stretch->address);
    const char *trouble = too_much(inspect, stretch, level);
    uint64_t caller = inspect->ib;
    bool goes_on = false;
    inspect->ib = address;
    if (trouble) {
        inspect_problem(inspect, "%s", trouble);
        inspect->ib = caller;
        return false;
    }
    inspect->words_left -= stretch->words;
    inspect->ibs_left--;
    size_t size = (size_t)stretch->words * sizeof(uint32_t);
    uint32_t *data = malloc(size + 1);
    size_t got = data ? capture_state_read(&inspect->state, address, data, size) : 0;
    tool_document_open(inspect->document, TOOL_NODE_IB, "", "IB at 0x%" PRIx64 ", %" PRIu32 " words%s", address, stretch->words,
                       stretch->is_chained ? ", chained"
                       : level             ? ", called"
                                           : "");
    if (ring->kind == TF_QUEUE_SDMA)
        walk_sdma(inspect, ring, data, (uint32_t)(got / sizeof *data), level);
    else
        goes_on = walk_pm4(inspect, ring, data, (uint32_t)(got / sizeof *data), level, next);
    if (got < size && !goes_on)
        inspect_problem(inspect, "what follows in the IB is not mapped");
    tool_document_close(inspect->document);
    free(data);
    inspect->ib = caller;
    return goes_on;
}

/* A stretch, and those that it is chained to. */
static void walk(struct inspect *inspect, struct inspect_ring *ring, struct stretch stretch, unsigned level)
{
    struct stretch next;
    while (walk_stretch(inspect, ring, &stretch, level, &next))
        stretch = next;
}

void inspect_stream(struct inspect *inspect, struct inspect_ring *ring, const struct tf_ib *ib)
{
    if (!ring->values) {
        ring->values = calloc(INSPECT_REGISTERS, sizeof *ring->values);
        ring->known = calloc(INSPECT_REGISTERS, 1);
    }
    if (ring->values && ring->known)
        walk(inspect, ring, (struct stretch){.address = ib->address, .words = ib->bytes / (uint32_t)sizeof(uint32_t)}, 0);
    else
        inspect_problem(inspect, "out of memory");
}
