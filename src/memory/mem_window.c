/* mem_window: what guest memory asks of the host: a reserved range of addresses, and pages and files in it or elsewhere. */
#include <sys/mman.h>
#include <unistd.h>

#include "base/base_bits.h"
#include "memory/mem_internal.h"

enum { MAP_RESERVED = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE };

/* Places to ask for first, so that guest addresses are the same from run to run. The first is above the 46 bits that JavaScript engines
 * and allocators scatter their memory over, and below programs, libraries and stacks (0170). Where one is taken (sanitizers keep large
 * ranges for themselves) the next is asked for, and at last the kernel chooses. */
static const uint64_t wanted_bases[] = {UINT64_C(0x500000000000), UINT64_C(0x300000000000), UINT64_C(0x100000000000)};
static const uint64_t smallest_window = UINT64_C(1) << 30;
/* Drivers keep some buffers where a fixed upper half of the address does for all: the window begins with such a 4 GiB. */
static const uint64_t base_grain = UINT64_C(1) << 32;

uint64_t mem_page_size(void)
{
    return (uint64_t)sysconf(_SC_PAGESIZE);
}

static void *host_at(uint64_t address)
{
    return (void *)(uintptr_t)address;
}

/* base is a hint, never forced: the kernel (or a sanitizer in front of it) may choose otherwise. */
static bool reserve_at(struct mem_window *window, uint64_t base, uint64_t bytes)
{
    void *place = mmap(host_at(base), bytes, PROT_NONE, MAP_RESERVED, -1, 0);
    if (place == MAP_FAILED)
        return false;
    if ((uintptr_t)place != base) {
        munmap(place, bytes);
        return false;
    }
    *window = (struct mem_window){(uintptr_t)place, bytes};
    return true;
}

/* Where the kernel chooses: more than is needed, and what is over at both ends goes back. */
static bool reserve_anywhere(struct mem_window *window, uint64_t bytes)
{
    void *place = mmap(NULL, bytes + base_grain, PROT_NONE, MAP_RESERVED, -1, 0);
    if (place == MAP_FAILED)
        return false;
    uint64_t start = (uintptr_t)place, base = base_align_up(start, base_grain);
    if (base > start)
        munmap(place, base - start);
    munmap(host_at(base + bytes), start + base_grain - base);
    *window = (struct mem_window){base, bytes};
    return true;
}

bool mem_window_reserve(struct mem_window *window, uint64_t bytes)
{
    if (bytes > UINT64_C(1) << 47)
        bytes = UINT64_C(1) << 47;
    for (bytes = base_align_up(bytes, mem_page_size()); bytes >= smallest_window;
         bytes = base_align_up(bytes / 2, mem_page_size())) {
        for (size_t n = 0; n < sizeof wanted_bases / sizeof wanted_bases[0]; n++)
            if (reserve_at(window, wanted_bases[n], bytes))
                return true;
        if (reserve_anywhere(window, bytes))
            return true;
    }
    return false;
}

void mem_window_release(struct mem_window *window)
{
    if (window->size)
        munmap(host_at(window->base), window->size);
    *window = (struct mem_window){0};
}

bool mem_window_commit(uint64_t address, uint64_t size, bool writable)
{
    int rights = writable ? PROT_READ | PROT_WRITE : PROT_READ;
    if (mmap(host_at(address), size, rights, MAP_RESERVED | MAP_FIXED, -1, 0) == MAP_FAILED)
        return false;
    if (writable && size >= mem_huge_page)
        madvise(host_at(address), size, MADV_HUGEPAGE); /* a wish: a host without huge pages says no, and nothing is lost */
    return true;
}

uint8_t *mem_window_file(uint64_t address, int file, uint64_t offset, uint64_t size, bool may_be_read_only)
{
    int flags = MAP_SHARED | (address ? MAP_FIXED : 0);
    void *place = mmap(host_at(address), size, PROT_READ | PROT_WRITE, flags, file, (off_t)offset);
    if (place == MAP_FAILED && may_be_read_only)
        place = mmap(host_at(address), size, PROT_READ, flags, file, (off_t)offset);
    return place == MAP_FAILED ? NULL : place;
}

uint8_t *mem_window_zeros(uint64_t size)
{
    void *place = mmap(NULL, size, PROT_READ, MAP_RESERVED, -1, 0);
    return place == MAP_FAILED ? NULL : place;
}

bool mem_window_move(uint8_t *from, uint64_t address, uint64_t size)
{
    return mremap(from, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, host_at(address)) != MAP_FAILED;
}

void mem_window_decommit(uint64_t address, uint64_t size)
{
    /* A fresh reservation over it drops the pages and makes them unreachable in one step. */
    mmap(host_at(address), size, PROT_NONE, MAP_RESERVED | MAP_FIXED, -1, 0);
}

void mem_window_unmap(uint8_t *host, uint64_t size)
{
    munmap(host, size);
}

bool mem_window_overlaps(const struct mem_window *window, struct base_span span)
{
    return span.start < window->base + window->size && window->base < span.end;
}

bool mem_window_contains(const struct mem_window *window, struct base_span span)
{
    return span.start >= window->base && span.end <= window->base + window->size;
}
