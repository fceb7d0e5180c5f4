/* mem_window: reserves the range of the process's addresses that guest memory is handed out from. */
#include <sys/mman.h>
#include <unistd.h>

#include "memory/mem_internal.h"

enum { MAP_RESERVED = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE };

/* Places to ask for first, so that guest addresses are the same from run to run. Where one is taken (sanitizers keep large ranges
 * for themselves) the next is asked for, and at last the kernel chooses. */
static const uint64_t wanted_bases[] = {UINT64_C(0x100000000000), UINT64_C(0x300000000000), UINT64_C(0x500000000000)};
static const uint64_t smallest_window = UINT64_C(1) << 30;

uint64_t mem_page_size(void)
{
    return (uint64_t)sysconf(_SC_PAGESIZE);
}

/* base is a hint, never forced: the kernel (or a sanitizer in front of it) may choose otherwise. base 0 takes what it chooses. */
static bool reserve_at(struct mem_window *window, uint64_t base, uint64_t bytes)
{
    void *place = mmap((void *)(uintptr_t)base, bytes, PROT_NONE, MAP_RESERVED, -1, 0);
    if (place == MAP_FAILED)
        return false;
    if (base && (uintptr_t)place != base) {
        munmap(place, bytes);
        return false;
    }
    *window = (struct mem_window){(uintptr_t)place, bytes};
    return true;
}

bool mem_window_reserve(struct mem_window *window, uint64_t bytes)
{
    for (; bytes >= smallest_window; bytes /= 2) {
        for (size_t n = 0; n < sizeof wanted_bases / sizeof wanted_bases[0]; n++)
            if (reserve_at(window, wanted_bases[n], bytes))
                return true;
        if (reserve_at(window, 0, bytes))
            return true;
    }
    return false;
}

void mem_window_release(struct mem_window *window)
{
    if (window->size)
        munmap((void *)(uintptr_t)window->base, window->size);
    *window = (struct mem_window){0};
}

bool mem_window_commit(uint64_t address, uint64_t size)
{
    void *place = (void *)(uintptr_t)address;
    if (mprotect(place, size, PROT_READ | PROT_WRITE) != 0)
        return false;
    if (size >= mem_huge_page)
        madvise(place, size, MADV_HUGEPAGE); /* a wish: a host without huge pages says no, and nothing is lost */
    return true;
}

void mem_window_decommit(uint64_t address, uint64_t size)
{
    /* A fresh reservation over it drops the pages and makes them unreachable in one step. */
    mmap((void *)(uintptr_t)address, size, PROT_NONE, MAP_RESERVED | MAP_FIXED, -1, 0);
}

bool mem_window_overlaps(const struct mem_window *window, uint64_t address, uint64_t size)
{
    return address < window->base + window->size && window->base < address + size;
}
