/* submit_work: a submission's command memory: read, walked, parsed; looked at again when its turn comes. */
#include <stdlib.h>
#include <string.h>

#include "submit/submit.h"

bool submit_memory_read(const struct mem_snapshot *snapshot, uint64_t address, void *to, uint64_t size)
{
    return mem_snapshot_read(snapshot, address, to, size, NULL) == MEM_DONE;
}

/* Whether memory still holds these words. */
static bool memory_holds(const struct mem_snapshot *snapshot, uint64_t address, const uint32_t *words, uint64_t size)
{
    uint32_t now[1024];
    while (size) {
        uint64_t piece = size < sizeof now ? size : sizeof now;
        if (!submit_memory_read(snapshot, address, now, piece) || memcmp(now, words, piece) != 0)
            return false;
        words += piece / sizeof *words;
        address += piece;
        size -= piece;
    }
    return true;
}

static bool copy_request(struct submit_work *work, const struct submit_request *request)
{
    work->ibs = base_arena_alloc(&work->arena, request->ib_count * sizeof *work->ibs);
    work->waits = base_arena_alloc(&work->arena, request->wait_count * sizeof(struct submit_fence *));
    work->done = submit_fence_create();
    if ((!work->ibs && request->ib_count) || (!work->waits && request->wait_count) || !work->done)
        return false;
    if (request->ib_count)
        memcpy(work->ibs, request->ibs, request->ib_count * sizeof *work->ibs);
    work->ib_count = request->ib_count;
    while (work->wait_count < request->wait_count) {
        work->waits[work->wait_count] = submit_fence_retain(request->waits[work->wait_count]);
        work->wait_count++;
    }
    return true;
}

struct submit_work *submit_work_create(const struct submit_request *request)
{
    struct submit_work *work = calloc(1, sizeof *work);
    if (!work) {
        mem_snapshot_release(request->snapshot);
        return NULL;
    }
    work->ring = request->ring;
    work->snapshot = request->snapshot;
    work->fence_address = request->fence_address;
    work->fence_value = request->fence_value;
    if (!copy_request(work, request)) {
        submit_work_destroy(work);
        return NULL;
    }
    return work;
}

void submit_work_destroy(struct submit_work *work)
{
    if (!work)
        return;
    for (size_t n = 0; n < work->wait_count; n++)
        submit_fence_release(work->waits[n]);
    submit_fence_release(work->done);
    mem_snapshot_release(work->snapshot);
    submit_writes_finish(&work->writes);
    base_arena_finish(&work->arena);
    free(work);
}

static struct submit_packet *add_packet(struct submit_work *work, struct submit_ib *ib, struct base_error *error)
{
    if (ib->packet_count == ib->packet_capacity) {
        struct submit_packet *larger =
            base_arena_grow(&work->arena, ib->packets, sizeof *larger, ib->packet_count + 1, &ib->packet_capacity);
        if (!larger) {
            base_error_set(error, "out of memory");
            return NULL;
        }
        ib->packets = larger;
    }
    struct submit_packet *packet = &ib->packets[ib->packet_count++];
    packet->ahead = NULL;
    return packet;
}

static enum pm4_result next_pm4(struct submit_work *work, struct submit_ib *ib, struct pm4_reader *reader,
                                struct base_error *error)
{
    struct pm4_packet packet;
    enum pm4_result result = pm4_reader_next(reader, &packet, error);
    if (result != PM4_PACKET)
        return result;
    if (packet.id == PM4_NOP && reader->at == packet.offset + 1) {
        ib->pads++;
        return result;
    }
    struct submit_packet *kept = add_packet(work, ib, error);
    if (!kept)
        return PM4_BAD;
    kept->pm4 = packet;
    return result;
}

static enum pm4_result next_sdma(struct submit_work *work, struct submit_ib *ib, struct pm4_sdma_reader *reader,
                                 struct base_error *error)
{
    struct pm4_sdma_packet packet;
    enum pm4_result result = pm4_sdma_reader_next(reader, &packet, error);
    if (result != PM4_PACKET)
        return result;
    if (packet.id == PM4_SDMA_NOP && reader->at == packet.offset + 1) {
        ib->pads++;
        return result;
    }
    struct submit_packet *kept = add_packet(work, ib, error);
    if (!kept)
        return PM4_BAD;
    kept->sdma = packet;
    return result;
}

/* The packets of the words that the stretch holds. */
static void parse(struct submit_work *work, struct submit_ib *ib)
{
    struct pm4_reader reader =
        pm4_reader_begin(ib->words, ib->count, work->ring == SUBMIT_COMPUTE ? PM4_RING_COMPUTE : PM4_RING_GRAPHICS);
    struct pm4_sdma_reader sdma = pm4_sdma_reader_begin(ib->words, ib->count);
    struct base_error error;
    enum pm4_result result;
    ib->walked = false;
    ib->packet_count = 0;
    ib->pads = 0;
    ib->bad = NULL;
    do {
        result = work->ring == SUBMIT_SDMA ? next_sdma(work, ib, &sdma, &error) : next_pm4(work, ib, &reader, &error);
    } while (result == PM4_PACKET);
    if (result == PM4_BAD) {
        ib->bad = base_arena_text(&work->arena, error.text, strlen(error.text));
        if (!ib->bad)
            ib->bad = "out of memory";
    }
}

static void read_and_parse(struct submit_work *work, struct submit_ib *ib)
{
    ib->mapped = submit_memory_read(work->snapshot, ib->address, ib->words, (uint64_t)ib->count * sizeof *ib->words);
    if (ib->mapped)
        parse(work, ib);
}

static size_t bucket_of(uint64_t address)
{
    const uint64_t spread = UINT64_C(0x9e3779b97f4a7c15); /* 2^64 by the golden ratio */
    return (size_t)((address * spread >> 32) % SUBMIT_BUCKETS);
}

static struct submit_ib *find(const struct submit_work *work, uint64_t address, uint32_t count)
{
    for (struct submit_ib *ib = work->buckets[bucket_of(address)]; ib; ib = ib->chain)
        if (ib->address == address && ib->count == count)
            return ib;
    return NULL;
}

static struct submit_ib *add(struct submit_work *work, uint64_t address, uint32_t count, struct base_error *error)
{
    if (address % sizeof(uint32_t)) {
        base_error_set(error, "its address is no multiple of 4");
        return NULL;
    }
    if (count > SUBMIT_IB_WORDS || count > SUBMIT_WORK_WORDS - work->words) {
        base_error_set(error, "%u words: more than %d in an indirect buffer, or %d in a submission", count, SUBMIT_IB_WORDS,
                       SUBMIT_WORK_WORDS);
        return NULL;
    }
    if (work->stretches == SUBMIT_WORK_IBS) {
        base_error_set(error, "more than %d stretches of command memory in a submission", SUBMIT_WORK_IBS);
        return NULL;
    }
    struct submit_ib *ib = base_arena_alloc(&work->arena, sizeof *ib);
    uint32_t *words = base_arena_alloc(&work->arena, (count ? count : 1) * sizeof *words);
    if (!ib || !words) {
        base_error_set(error, "out of memory");
        return NULL;
    }
    struct submit_ib **bucket = &work->buckets[bucket_of(address)];
    *ib = (struct submit_ib){.address = address, .count = count, .words = words, .chain = *bucket};
    *bucket = ib;
    work->stretches++;
    if (work->last)
        work->last->next = ib;
    else
        work->first = ib;
    work->last = ib;
    work->words += count;
    read_and_parse(work, ib);
    return ib;
}

/* Known and as memory has it, or known and free to be read anew. */
static struct submit_ib *find_current(struct submit_work *work, uint64_t address, uint32_t count)
{
    uint64_t size = (uint64_t)count * sizeof(uint32_t);
    for (struct submit_ib *ib = find(work, address, count); ib; ib = ib->chain) {
        if (ib->address != address || ib->count != count)
            continue;
        if (ib->mapped && memory_holds(work->snapshot, address, ib->words, size))
            return ib;
        if (!ib->users) {
            read_and_parse(work, ib);
            return ib;
        }
    }
    return NULL;
}

struct submit_ib *submit_work_ib(struct submit_work *work, uint64_t address, uint32_t count, struct base_error *error)
{
    struct submit_ib *ib = find_current(work, address, count);
    if (!ib)
        ib = add(work, address, count, error);
    if (ib && !ib->mapped) {
        base_error_set(error, "it is not mapped");
        return NULL;
    }
    return ib;
}

/* Stretches that are looked for ahead, and words in all of them, more than drivers make: the others are read in their turn, when
 * whoever gives the ring up can stop it. The caller's thread cannot be stopped. */
enum { AHEAD = 1024, AHEAD_WORDS = 1 << 19 };

/* The stretches that a parsed one calls or goes on in. */
static void follow(struct submit_work *work, const struct submit_ib *ib)
{
    for (size_t n = 0; n < ib->packet_count; n++) {
        const struct pm4_packet *packet = &ib->packets[n].pm4;
        if (packet->id != PM4_INDIRECT_BUFFER)
            continue;
        uint64_t address = submit_address(pm4_get_quad(packet, PM4_W_INDIRECT_BUFFER_BASE));
        uint32_t count = pm4_get(packet, PM4_W_INDIRECT_BUFFER_SIZE);
        if (count && work->stretches < AHEAD && count <= AHEAD_WORDS && work->words <= AHEAD_WORDS - count &&
            !find(work, address, count))
            add(work, address, count, NULL);
    }
}

void submit_work_parse(struct submit_work *work)
{
    for (size_t n = 0; n < work->ib_count; n++) {
        uint32_t count = work->ibs[n].bytes / (uint32_t)sizeof(uint32_t);
        if (count && !find(work, work->ibs[n].address, count))
            add(work, work->ibs[n].address, count, NULL);
    }
    if (work->ring == SUBMIT_SDMA)
        return;
    for (struct submit_ib *ib = work->first; ib; ib = ib->next)
        if (ib->mapped)
            follow(work, ib);
}
