/* cp_memory: guest memory as a ring's packets read and write it: run by run, faults counted, devices and waiters told. */
#include <string.h>

#include "base/base_racy.h"
#include "cp/cp_internal.h"

enum { PAGE = 4096 };

void cp_memory_settle(struct cp_ring *ring, uint64_t address, uint64_t size)
{
    struct device *device = ring->gpu->device;
    if (device->functions->settle)
        device->functions->settle(device, ring->work->snapshot, (struct device_range){address, size});
}

void cp_memory_wake(struct cp_gpu *gpu)
{
    atomic_fetch_add_explicit(&gpu->progress, 1, memory_order_relaxed);
    if (atomic_load(&gpu->watchers))
        submit_bell_ring(&gpu->written);
}

void cp_memory_touched(struct cp_ring *ring, uint64_t address, uint64_t size)
{
    struct device *device = ring->gpu->device;
    if (device->functions->changed)
        device->functions->changed(device, (struct device_range){address, size});
    cp_memory_wake(ring->gpu);
}

/* ---- one piece inside a run, with host faults recovered ---- */

enum piece_kind {
    PIECE_COPY,
    PIECE_FILL_1,
    PIECE_FILL_2,
    PIECE_FILL_4,
    PIECE_STORE_4,
    PIECE_STORE_8,
    PIECE_LOAD_4,
    PIECE_LOAD_8
};

struct piece {
    enum piece_kind kind;
    uint8_t *to;
    const uint8_t *from;
    uint64_t size, word;
};

/* Words that other threads may look at while we write them are stored whole. */
static BASE_RACY void do_word(struct piece *p)
{
    switch (p->kind) {
    case PIECE_STORE_4: __atomic_store_n((uint32_t *)(void *)p->to, (uint32_t)p->word, __ATOMIC_SEQ_CST); break;
    case PIECE_STORE_8: __atomic_store_n((uint64_t *)(void *)p->to, p->word, __ATOMIC_SEQ_CST); break;
    case PIECE_LOAD_4: p->word = __atomic_load_n((const uint32_t *)(const void *)p->from, __ATOMIC_SEQ_CST); break;
    default: p->word = __atomic_load_n((const uint64_t *)(const void *)p->from, __ATOMIC_SEQ_CST); break;
    }
}

static void do_piece(void *user)
{
    struct piece *p = user;
    uint32_t word = (uint32_t)p->word;
    switch (p->kind) {
    case PIECE_COPY: memmove(p->to, p->from, p->size); break;
    case PIECE_FILL_1: memset(p->to, (int)(word & 0xff), p->size); break;
    case PIECE_FILL_2:
        for (uint64_t n = 0; n + 2 <= p->size; n += 2)
            memcpy(p->to + n, &word, 2);
        break;
    case PIECE_FILL_4:
        for (uint64_t n = 0; n + 4 <= p->size; n += 4)
            memcpy(p->to + n, &word, 4);
        break;
    case PIECE_STORE_4:
    case PIECE_STORE_8:
        base_racy_release(p->to);
        do_word(p);
        break;
    case PIECE_LOAD_4:
    case PIECE_LOAD_8:
        do_word(p);
        base_racy_acquire((void *)(uintptr_t)p->from);
        break;
    }
}

static bool aligned(const void *host, uint64_t size)
{
    return (uintptr_t)host % size == 0;
}

/* ---- walking a range ---- */

/* The part of [address, address + size) up to where the run ends, or what is not mapped up to where something is. */
struct part {
    bool mapped;
    struct mem_run run;
    uint8_t *host; /* where address lies */
    uint64_t size;
};

static struct part part_at(const struct cp_ring *ring, uint64_t address, uint64_t size)
{
    struct part part = {0};
    part.mapped = mem_snapshot_find(ring->work->snapshot, address, &part.run);
    uint64_t rest = part.mapped ? part.run.size - (address - part.run.start) : mem_snapshot_hole(ring->work->snapshot, address);
    part.size = rest < size ? rest : size;
    if (part.mapped)
        part.host = part.run.host + (address - part.run.start);
    return part;
}

/* Ranges may be large, and come apart into many parts: who gives a ring up does not wait for their end. */
static bool given_up(const struct cp_ring *ring)
{
    return atomic_load_explicit(&ring->stop, memory_order_relaxed);
}

/* The first address of a range that was in the way. */
struct trouble {
    bool met;
    uint64_t address;
};

static void meet(struct trouble *trouble, uint64_t address)
{
    if (!trouble->met)
        *trouble = (struct trouble){true, address};
}

/* Writes from host memory, or one word over and over (from is NULL). */
static void write_part(struct piece piece, const struct part *part, uint64_t address, struct trouble *trouble)
{
    if (part->mapped && part->run.discards)
        return;
    piece.to = part->host;
    if (!part->mapped || !part->run.writable || !mem_guard_run(do_piece, &piece))
        meet(trouble, address);
}

static bool finish_write(struct cp_ring *ring, uint64_t address, uint64_t size, const struct trouble *trouble)
{
    cp_memory_touched(ring, address, size);
    if (trouble->met)
        cp_ring_fault(ring, CP_FAULT_WRITE, trouble->address);
    return !trouble->met;
}

bool cp_memory_peek(struct cp_ring *ring, uint64_t address, void *to, uint64_t size)
{
    address = submit_address(address);
    cp_memory_settle(ring, address, size);
    if (size == 4 || size == 8) {
        struct part part = part_at(ring, address, size);
        if (part.mapped && part.size == size && aligned(part.host, size)) {
            struct piece piece = {.kind = size == 4 ? PIECE_LOAD_4 : PIECE_LOAD_8, .from = part.host};
            bool read = mem_guard_run(do_piece, &piece);
            memcpy(to, &piece.word, size);
            return read;
        }
    }
    uint8_t *out = to;
    bool all = true;
    while (size) {
        struct part part = part_at(ring, address, size);
        if (given_up(ring)) {
            memset(out, 0, size);
            return false;
        }
        struct piece piece = {.kind = PIECE_COPY, .to = out, .from = part.host, .size = part.size};
        if (!part.mapped || !mem_guard_run(do_piece, &piece)) {
            memset(out, 0, part.size);
            all = false;
        }
        out += part.size;
        address += part.size;
        size -= part.size;
    }
    return all;
}

bool cp_memory_read(struct cp_ring *ring, uint64_t address, void *to, uint64_t size)
{
    bool all = cp_memory_peek(ring, address, to, size);
    if (!all)
        cp_ring_fault(ring, CP_FAULT_READ, submit_address(address));
    return all;
}

bool cp_memory_write(struct cp_ring *ring, uint64_t address, const void *from, uint64_t size)
{
    struct trouble trouble = {0};
    const uint8_t *in = from;
    address = submit_address(address);
    cp_memory_settle(ring, address, size);
    for (uint64_t done = 0; done < size && !given_up(ring);) {
        struct part part = part_at(ring, address + done, size - done);
        struct piece piece = {.kind = PIECE_COPY, .from = in + done, .size = part.size};
        bool whole = part.size == size && (size == 4 || size == 8) && aligned(part.host, size);
        if (whole) {
            piece.kind = size == 4 ? PIECE_STORE_4 : PIECE_STORE_8;
            memcpy(&piece.word, from, size);
        }
        write_part(piece, &part, address + done, &trouble);
        done += part.size;
    }
    return finish_write(ring, address, size, &trouble);
}

bool cp_memory_fill(struct cp_ring *ring, uint64_t address, uint32_t word, unsigned unit, uint64_t size)
{
    static const enum piece_kind kinds[] = {[1] = PIECE_FILL_1, [2] = PIECE_FILL_2, [4] = PIECE_FILL_4};
    struct trouble trouble = {0};
    address = submit_address(address);
    cp_memory_settle(ring, address, size);
    for (uint64_t done = 0; done < size && !given_up(ring);) {
        struct part part = part_at(ring, address + done, size - done);
        /* A run may end inside a unit: that one is written byte by byte, all others whole. */
        unsigned phase = (unsigned)(done % unit);
        if (phase || part.size < unit) {
            uint8_t byte = (uint8_t)(word >> 8 * phase);
            part.size = 1;
            write_part((struct piece){.kind = PIECE_COPY, .from = &byte, .size = 1}, &part, address + done, &trouble);
        } else {
            part.size -= part.size % unit;
            write_part((struct piece){.kind = kinds[unit], .word = word, .size = part.size}, &part, address + done, &trouble);
        }
        done += part.size;
    }
    return finish_write(ring, address, size, &trouble);
}

/* What a copy met on both of its sides. */
struct copy_troubles {
    struct trouble read, write;
};

static void copy_upwards(struct cp_ring *ring, uint64_t to, uint64_t from, uint64_t size, struct copy_troubles *troubles)
{
    static const uint8_t zeros[PAGE];
    for (uint64_t done = 0; done < size && !given_up(ring);) {
        struct part source = part_at(ring, from + done, size - done);
        struct part target = part_at(ring, to + done, source.size);
        struct piece piece = {.kind = PIECE_COPY, .from = source.host};
        if (!source.mapped) {
            meet(&troubles->read, from + done);
            piece.from = zeros;
            if (target.mapped && target.size > sizeof zeros)
                target.size = sizeof zeros;
        }
        piece.size = target.size;
        write_part(piece, &target, to + done, &troubles->write);
        done += target.size;
    }
}

/* How far the range goes before nothing in it is mapped any more. */
static uint64_t mapped_end(const struct cp_ring *ring, uint64_t address, uint64_t size)
{
    uint64_t end = 0;
    for (uint64_t done = 0; done < size && !given_up(ring);) {
        struct part part = part_at(ring, address + done, size - done);
        done += part.size;
        end = part.mapped ? done : end;
    }
    return end;
}

/* From the last page to the first, each read as a whole before it is written: the target lies over what is still to be read. */
static void copy_downwards(struct cp_ring *ring, uint64_t to, uint64_t from, uint64_t size, struct copy_troubles *troubles)
{
    uint8_t bounce[PAGE];
    uint64_t end = mapped_end(ring, from, size + (to - from)); /* the longest copies may lie where nothing is, on both sides */
    if (end < size) {
        meet(&troubles->read, from + end);
        meet(&troubles->write, to + end);
    }
    for (uint64_t left = end < size ? end : size; left && !given_up(ring);) {
        uint64_t piece = left < PAGE ? left : PAGE;
        left -= piece;
        for (uint64_t done = 0; done < piece;) {
            struct part part = part_at(ring, from + left + done, piece - done);
            struct piece load = {.kind = PIECE_COPY, .to = bounce + done, .from = part.host, .size = part.size};
            if (!part.mapped || !mem_guard_run(do_piece, &load)) {
                memset(bounce + done, 0, part.size);
                meet(&troubles->read, from + left + done);
            }
            done += part.size;
        }
        for (uint64_t done = 0; done < piece;) {
            struct part part = part_at(ring, to + left + done, piece - done);
            write_part((struct piece){.kind = PIECE_COPY, .from = bounce + done, .size = part.size}, &part, to + left + done,
                       &troubles->write);
            done += part.size;
        }
    }
}

bool cp_memory_copy(struct cp_ring *ring, uint64_t to, uint64_t from, uint64_t size)
{
    struct copy_troubles troubles = {0};
    to = submit_address(to);
    from = submit_address(from);
    cp_memory_settle(ring, from, size);
    cp_memory_settle(ring, to, size);
    if (to > from && to - from < size)
        copy_downwards(ring, to, from, size, &troubles);
    else
        copy_upwards(ring, to, from, size, &troubles);
    if (troubles.read.met)
        cp_ring_fault(ring, CP_FAULT_READ, troubles.read.address);
    return finish_write(ring, to, size, &troubles.write) && !troubles.read.met;
}

uint32_t cp_memory_read_u32(struct cp_ring *ring, uint64_t address)
{
    uint32_t word;
    cp_memory_read(ring, address, &word, sizeof word);
    return word;
}

uint64_t cp_memory_read_u64(struct cp_ring *ring, uint64_t address)
{
    uint64_t word;
    cp_memory_read(ring, address, &word, sizeof word);
    return word;
}

void *cp_memory_atomic(struct cp_ring *ring, uint64_t address, unsigned size)
{
    address = submit_address(address);
    cp_memory_settle(ring, address, size);
    struct part part = part_at(ring, address, size);
    if (!part.mapped || part.size < size || !part.run.writable || !aligned(part.host, size)) {
        if (!part.mapped || !part.run.discards)
            cp_ring_fault(ring, CP_FAULT_ATOMIC, address);
        return NULL;
    }
    return part.host;
}
