/* capture_release: what the program wrote while a submission waited for it, found among that submission's own waits.
 *
 * The program let it go on by writing to memory, at a time that the capture does not have: it only shows memory afterwards.
 * So the replay looks through the submission's packets for the first wait that does not hold and that nothing before it
 * makes hold, and gives the word the value that the capture shows, or where that was changed again meanwhile, one that the
 * wait accepts. */
#include <stdlib.h>
#include <string.h>

#include <tenfold/memory.h>

#include "capture/capture_replaying.h"
#include "pm4/pm4.h"

enum { MOST_WORDS = 1 << 22, MOST_LEVELS = 4, IB_WORDS = 1 << 20, MOST_WRITES = 256 };

/* A wait for a word of memory, of 4 or 8 bytes. */
struct word_wait {
    uint64_t address;
    unsigned function, bytes;
    uint64_t reference, mask;
};

struct search {
    struct capture_replay *replay;
    enum tf_queue_kind kind;
    uint32_t words_left;
    uint32_t waits; /* met so far; those that were made to hold before are passed */
    uint32_t passed;
    uint64_t writes[MOST_WRITES]; /* addresses that the submission's own packets write, so far */
    size_t write_count;
    struct word_wait found;
};

static bool search_ib(struct search *search, uint64_t address, uint32_t count, unsigned level);

static bool accepts(const struct word_wait *wait, uint64_t word)
{
    uint64_t value = word & wait->mask;
    switch (wait->function) {
    case PM4_V_COMPARE_LESS: return value < wait->reference;
    case PM4_V_COMPARE_LESS_EQUAL: return value <= wait->reference;
    case PM4_V_COMPARE_EQUAL: return value == wait->reference;
    case PM4_V_COMPARE_NOT_EQUAL: return value != wait->reference;
    case PM4_V_COMPARE_GREATER_EQUAL: return value >= wait->reference;
    case PM4_V_COMPARE_GREATER: return value > wait->reference;
    default: return true;
    }
}

/* The byte of a buffer that an address shows, and how many follow it; NULL where nothing does. */
static struct capture_placed *find_place(struct capture_replay *replay, uint64_t address, uint64_t *offset, uint64_t *left)
{
    const struct capture_mapping *mapping = capture_space_find(&replay->space, address);
    if (!mapping || !mapping->buffer)
        return NULL;
    struct capture_placed *placed = &replay->place.buffers[mapping->buffer - 1];
    uint64_t inside = capture_address_canonical(address) - mapping->address;
    *offset = mapping->offset + inside;
    *left = mapping->bytes - inside;
    if (*offset >= placed->buffer.bytes)
        return NULL;
    *left = *left < placed->buffer.bytes - *offset ? *left : placed->buffer.bytes - *offset;
    return placed;
}

/* The word that a wait looks at as memory is now, or as the deferred look has it (is_recorded). False where nothing is mapped. */
static bool read_word(struct capture_replay *replay, const struct word_wait *wait, bool is_recorded, uint64_t *word)
{
    uint64_t offset, left;
    const struct capture_placed *placed = find_place(replay, wait->address, &offset, &left);
    if (!placed || left < wait->bytes)
        return false;
    *word = 0;
    memcpy(word, placed->live + offset, wait->bytes);
    size_t count;
    const struct capture_deferred *items = capture_deferred_items(replay, &count);
    for (size_t n = 0; is_recorded && n < count; n++)
        if (items[n].buffer == placed->buffer.number && items[n].offset <= offset &&
            offset + wait->bytes <= items[n].offset + items[n].bytes)
            memcpy(word, replay->deferred_data.data + items[n].at + (offset - items[n].offset), wait->bytes);
    return true;
}

static void take_write(struct search *search, uint64_t address)
{
    search->writes[search->write_count++ % MOST_WRITES] = capture_address_canonical(address);
}

static bool is_own_write(const struct search *search, uint64_t address)
{
    for (size_t n = 0; n < search->write_count && n < MOST_WRITES; n++)
        if (search->writes[n] == capture_address_canonical(address))
            return true;
    return false;
}

/* True when the wait does not hold, and nothing in the submission before it makes it hold: the search is over. */
static bool take_wait(struct search *search, struct word_wait wait)
{
    uint64_t word;
    if (is_own_write(search, wait.address))
        return false;
    if (search->waits++ < search->passed)
        return false;
    if (!read_word(search->replay, &wait, false, &word) || accepts(&wait, word))
        return false;
    search->found = wait;
    return true;
}

static bool take_packet(struct search *search, const struct pm4_packet *packet, unsigned level)
{
    if (packet->id == PM4_WAIT_REG_MEM && pm4_get(packet, PM4_W_WAIT_REG_MEM_MEM_SPACE) == PM4_V_WAIT_SPACE_MEMORY)
        return take_wait(search, (struct word_wait){.address = pm4_get_quad(packet, PM4_W_WAIT_REG_MEM_ADDR),
                                                    .function = pm4_get(packet, PM4_W_WAIT_REG_MEM_FUNCTION),
                                                    .bytes = sizeof(uint32_t),
                                                    .reference = pm4_get(packet, PM4_W_WAIT_REG_MEM_REFERENCE),
                                                    .mask = pm4_get(packet, PM4_W_WAIT_REG_MEM_MASK)});
    if (packet->id == PM4_WAIT_REG_MEM64 && pm4_get(packet, PM4_W_WAIT_REG_MEM64_MEM_SPACE) == PM4_V_WAIT_SPACE_MEMORY)
        return take_wait(search, (struct word_wait){.address = pm4_get_quad(packet, PM4_W_WAIT_REG_MEM64_ADDR),
                                                    .function = pm4_get(packet, PM4_W_WAIT_REG_MEM64_FUNCTION),
                                                    .bytes = sizeof(uint64_t),
                                                    .reference = pm4_get_quad(packet, PM4_W_WAIT_REG_MEM64_REFERENCE),
                                                    .mask = pm4_get_quad(packet, PM4_W_WAIT_REG_MEM64_MASK)});
    if (packet->id == PM4_WRITE_DATA)
        take_write(search, pm4_get_quad(packet, PM4_W_WRITE_DATA_DST));
    if (packet->id == PM4_RELEASE_MEM)
        take_write(search, pm4_get_quad(packet, PM4_W_RELEASE_MEM_ADDR));
    if (packet->id == PM4_INDIRECT_BUFFER)
        return search_ib(search, pm4_get_quad(packet, PM4_W_INDIRECT_BUFFER_BASE), pm4_get(packet, PM4_W_INDIRECT_BUFFER_SIZE),
                         level + 1);
    return false;
}

static bool take_sdma_packet(struct search *search, const struct pm4_sdma_packet *packet, unsigned level)
{
    if (packet->id == PM4_SDMA_POLL_REGMEM && pm4_sdma_get(packet, PM4_SDMA_W_POLL_REGMEM_MEM_POLL) == PM4_V_WAIT_SPACE_MEMORY)
        return take_wait(search, (struct word_wait){.address = pm4_sdma_get_quad(packet, PM4_SDMA_W_POLL_REGMEM_ADDR),
                                                    .function = pm4_sdma_get(packet, PM4_SDMA_W_POLL_REGMEM_FUNCTION),
                                                    .bytes = sizeof(uint32_t),
                                                    .reference = pm4_sdma_get(packet, PM4_SDMA_W_POLL_REGMEM_REFERENCE),
                                                    .mask = pm4_sdma_get(packet, PM4_SDMA_W_POLL_REGMEM_MASK)});
    if (packet->id == PM4_SDMA_FENCE)
        take_write(search, pm4_sdma_get_quad(packet, PM4_SDMA_W_FENCE_ADDR));
    if (packet->id == PM4_SDMA_INDIRECT)
        return search_ib(search, pm4_sdma_get_quad(packet, PM4_SDMA_W_INDIRECT_BASE),
                         pm4_sdma_get(packet, PM4_SDMA_W_INDIRECT_SIZE), level + 1);
    return false;
}

static bool search_words(struct search *search, const uint32_t *words, uint32_t count, unsigned level)
{
    bool is_found = false;
    if (search->kind == TF_QUEUE_SDMA) {
        struct pm4_sdma_reader reader = pm4_sdma_reader_begin(words, count);
        struct pm4_sdma_packet packet;
        while (!is_found && pm4_sdma_reader_next(&reader, &packet, NULL) == PM4_PACKET)
            is_found = take_sdma_packet(search, &packet, level);
        return is_found;
    }
    enum pm4_ring ring = search->kind == TF_QUEUE_COMPUTE ? PM4_RING_COMPUTE : PM4_RING_GRAPHICS;
    struct pm4_reader reader = pm4_reader_begin(words, count, ring);
    struct pm4_packet packet;
    while (!is_found && pm4_reader_next(&reader, &packet, NULL) == PM4_PACKET)
        is_found = take_packet(search, &packet, level);
    return is_found;
}

static bool search_ib(struct search *search, uint64_t address, uint32_t count, unsigned level)
{
    uint64_t offset, left;
    const struct capture_placed *placed = find_place(search->replay, address, &offset, &left);
    if (!placed || level > MOST_LEVELS || count > IB_WORDS || count > search->words_left || left / sizeof(uint32_t) < count)
        return false;
    search->words_left -= count;
    uint32_t *words = malloc((size_t)count * sizeof *words + 1);
    if (!words)
        return false;
    memcpy(words, placed->live + offset, (size_t)count * sizeof *words);
    bool is_found = search_words(search, words, count, level);
    free(words);
    return is_found;
}

/* A queue reads the word meanwhile. */
static void store_word(uint8_t *at, uint64_t word, unsigned bytes)
{
    if ((uintptr_t)at % bytes)
        memcpy(at, &word, bytes);
    else if (bytes == sizeof word)
        __atomic_store_n((uint64_t *)(void *)at, word, __ATOMIC_RELEASE);
    else
        __atomic_store_n((uint32_t *)(void *)at, (uint32_t)word, __ATOMIC_RELEASE);
}

/* What the word becomes: as recorded where the wait accepts that, or the first value near its reference that it accepts. */
static uint64_t choose_word(struct capture_replay *replay, const struct word_wait *wait)
{
    uint64_t recorded = 0, all = UINT64_MAX >> (64 - 8 * wait->bytes);
    read_word(replay, wait, true, &recorded);
    const uint64_t choices[] = {recorded, (recorded & ~wait->mask) | (wait->reference & wait->mask), (wait->reference + 1) & all,
                                (wait->reference - 1) & all};
    for (size_t n = 0; n < sizeof choices / sizeof choices[0]; n++)
        if (accepts(wait, choices[n]))
            return choices[n];
    return recorded;
}

static bool find_wait(struct search *search, const struct capture_pending *pending)
{
    bool is_found = false;
    for (size_t n = 0; !is_found && n < pending->ib_count; n++)
        is_found = search_ib(search, pending->ibs[n].address, pending->ibs[n].bytes / (uint32_t)sizeof(uint32_t), 0);
    return is_found;
}

bool capture_release_waits(struct capture_replay *replay, const struct capture_pending *pending)
{
    struct search search = {.replay = replay, .kind = pending->kind, .words_left = MOST_WORDS, .passed = pending->released};
    return find_wait(&search, pending);
}

bool capture_release_step(struct capture_replay *replay, struct capture_pending *pending)
{
    struct search search = {.replay = replay, .kind = pending->kind, .words_left = MOST_WORDS, .passed = pending->released};
    uint64_t offset, left;
    if (find_wait(&search, pending)) {
        struct capture_placed *placed = find_place(replay, search.found.address, &offset, &left);
        if (!placed || left < search.found.bytes)
            return false;
        store_word(placed->live + offset, choose_word(replay, &search.found), search.found.bytes);
        pending->released = search.waits;
        tf_memory_changed(replay->gpu, search.found.address, search.found.bytes);
        return true;
    }
    return false;
}
