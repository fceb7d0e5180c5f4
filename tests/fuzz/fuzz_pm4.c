/* fuzz_pm4: fuzzes the readers and printers of command streams: packets follow one another inside the stream, registers stay in their
 * space, a refusal says why, and everything prints.
 *
 * The first byte chooses the ring (graphics, compute, SDMA); the rest are words.
 *
 * Built for libFuzzer it searches; otherwise it runs the files, or the folders of files, that it is given. */
#include <stdlib.h>
#include <string.h>

#include "base/base_bytes.h"
#include "fuzz.h"
#include "pm4/pm4.h"

static void require(bool condition)
{
    if (!condition)
        abort();
}

static void check_set(const struct pm4_packet *packet)
{
    struct pm4_set set;
    if (!pm4_packet_sets(packet, &set))
        return;
    struct pm4_space_place place = pm4_space_place(set.space);
    require(set.offset >= place.first && base_range_fits(set.offset - place.first, set.count, place.count));
    require(set.values >= packet->words && set.values + set.count == packet->words + packet->count);
}

static void check_packets(const uint32_t *words, uint32_t count, enum pm4_ring ring)
{
    struct pm4_reader reader = pm4_reader_begin(words, count, ring);
    struct pm4_packet packet;
    struct base_error error = {""};
    enum pm4_result result;
    for (uint32_t at = 0; (result = pm4_reader_next(&reader, &packet, &error)) == PM4_PACKET; at = reader.at) {
        require(packet.offset == at && packet.words == words + at + 1);
        require(reader.at == at + 1 + packet.count && reader.at <= count);
        require(!packet.row || (packet.row->rings & 1u << ring && packet.count >= packet.row->least));
        check_set(&packet);
    }
    require(result == PM4_END ? reader.at == count : error.text[0] != 0);
}

static void check_sdma_packets(const uint32_t *words, uint32_t count)
{
    struct pm4_sdma_reader reader = pm4_sdma_reader_begin(words, count);
    struct pm4_sdma_packet packet;
    struct base_error error = {""};
    enum pm4_result result;
    for (uint32_t at = 0; (result = pm4_sdma_reader_next(&reader, &packet, &error)) == PM4_PACKET; at = reader.at) {
        require(packet.offset == at && packet.words == words + at);
        require(packet.count && reader.at == at + packet.count && reader.at <= count);
    }
    require(result == PM4_END ? reader.at == count : error.text[0] != 0);
}

/* Everything prints, and says that it stopped where it did. */
static void check_text(const uint32_t *words, uint32_t count, unsigned ring, enum pm4_detail detail)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    require(out);
    bool whole = ring < PM4_RING_COUNT ? pm4_stream_print(out, words, count, (enum pm4_ring)ring, 1, detail)
                                       : pm4_sdma_stream_print(out, words, count, 1, detail);
    fclose(out);
    require(strlen(text) == size && whole == !strstr(text, " STOP: "));
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1)
        return 0;
    unsigned ring = data[0] % (PM4_RING_COUNT + 1);
    uint32_t count = (uint32_t)((size - 1) / 4);
    uint32_t *words = malloc(count * sizeof *words + 1); /* exactly as many as there are, so that a sanitizer sees each overrun */
    require(words);
    memcpy(words, data + 1, count * sizeof *words);
    if (ring < PM4_RING_COUNT)
        check_packets(words, count, (enum pm4_ring)ring);
    else
        check_sdma_packets(words, count);
    check_text(words, count, ring, PM4_BRIEF);
    check_text(words, count, ring, PM4_FIELDS);
    free(words);
    return 0;
}

#ifndef TENFOLD_LIBFUZZER
int main(int argc, char **argv)
{
    return fuzz_run_files(argc, argv);
}
#endif
