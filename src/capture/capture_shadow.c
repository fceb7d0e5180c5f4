/* capture_shadow: a copy of one buffer as it was last written down, and what differs from it now. */
#include "capture/capture_shadow.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "capture/capture_format.h"

enum {
    GRAIN = 16,    /* bytes that are compared at a time inside a page; a range's head in the file takes as many */
    SMALL_GAP = 3, /* equal grains between differing ones that are cheaper to keep than another range */
    USER_PIECE = 64 << 10,
};

bool capture_shadow_init(struct capture_shadow *shadow, const void *live, uint64_t bytes)
{
    uint64_t pages = (bytes + CAPTURE_PAGE - 1) / CAPTURE_PAGE;
    *shadow = (struct capture_shadow){.live = live, .bytes = bytes, .descriptor = -1};
    void *copy = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    shadow->copy = copy == MAP_FAILED ? NULL : copy;
    shadow->seen = calloc(pages / 8 + 1, 1);
    if (shadow->copy && shadow->seen)
        return true;
    capture_shadow_finish(shadow);
    return false;
}

void capture_shadow_finish(struct capture_shadow *shadow)
{
    if (shadow->copy)
        munmap(shadow->copy, shadow->bytes);
    free(shadow->seen);
    shadow->copy = NULL;
    shadow->seen = NULL;
}

static bool was_seen(const struct capture_shadow *shadow, uint64_t page)
{
    return shadow->seen[page / 8] >> page % 8 & 1;
}

/* Guest memory is raced for by its nature; what is seen here decides only which race was recorded. */
__attribute__((no_sanitize("thread"), noinline)) static void copy_racing(uint8_t *to, const uint8_t *from, size_t bytes)
{
    for (size_t n = 0; n < bytes; n++)
        to[n] = ((const volatile uint8_t *)from)[n];
}

__attribute__((no_sanitize("thread"), noinline)) static bool page_differs(const uint8_t *live, const uint8_t *copy, size_t bytes)
{
    uint64_t different = 0;
    size_t n = 0;
    for (; n + sizeof(uint64_t) <= bytes; n += sizeof(uint64_t))
        different |= *(const volatile uint64_t *)(const void *)(live + n) ^ *(const uint64_t *)(const void *)(copy + n);
    for (; n < bytes; n++)
        different |= ((const volatile uint8_t *)live)[n] ^ copy[n];
    return different;
}

/* Reports the differing pieces of one page whose contents now are `page`. */
static bool report_page(struct capture_shadow *shadow, uint64_t offset, const uint8_t *page, size_t bytes,
                        capture_shadow_found *found, void *user)
{
    uint8_t *copy = shadow->copy + offset, was[CAPTURE_PAGE];
    size_t start = bytes, end = 0, gap = 0;
    memcpy(was, copy, bytes);
    for (size_t at = 0; at < bytes; at += GRAIN) {
        size_t size = bytes - at < GRAIN ? bytes - at : GRAIN;
        if (memcmp(page + at, copy + at, size)) {
            memcpy(copy + at, page + at, size);
            start = start == bytes ? at : start;
            end = at + size;
            gap = 0;
        } else if (start != bytes && ++gap > SMALL_GAP) {
            if (!found(user, offset + start, copy + start, was + start, (uint32_t)(end - start)))
                return false;
            start = bytes;
        }
    }
    shadow->seen[offset / CAPTURE_PAGE / 8] |= (uint8_t)(1 << offset / CAPTURE_PAGE % 8);
    return start == bytes || found(user, offset + start, copy + start, was + start, (uint32_t)(end - start));
}

static bool collect_pages(struct capture_shadow *shadow, uint64_t start, uint64_t end, capture_shadow_found *found, void *user)
{
    uint8_t page[CAPTURE_PAGE];
    for (uint64_t at = start; at < end; at += CAPTURE_PAGE) {
        size_t bytes = end - at < CAPTURE_PAGE ? (size_t)(end - at) : CAPTURE_PAGE;
        if (!page_differs(shadow->live + at, shadow->copy + at, bytes))
            continue;
        copy_racing(page, shadow->live + at, bytes);
        if (!report_page(shadow, at, page, bytes, found, user))
            return false;
    }
    return true;
}

/* The program's own pages: what cannot be read is as it was. */
static bool collect_user(struct capture_shadow *shadow, capture_shadow_found *found, void *user)
{
    uint8_t *piece = malloc(USER_PIECE);
    bool goes_on = piece;
    for (uint64_t at = 0; goes_on && at < shadow->bytes; at += USER_PIECE) {
        size_t bytes = shadow->bytes - at < USER_PIECE ? (size_t)(shadow->bytes - at) : USER_PIECE;
        struct iovec to = {piece, bytes}, from = {shadow->copy, bytes};
        memcpy(&from.iov_base, &(const uint8_t *){shadow->live + at}, sizeof from.iov_base);
        ssize_t got = process_vm_readv(getpid(), &to, 1, &from, 1, 0);
        for (size_t n = 0; goes_on && got > 0 && n < (size_t)got; n += CAPTURE_PAGE) {
            size_t part = (size_t)got - n < CAPTURE_PAGE ? (size_t)got - n : CAPTURE_PAGE;
            if (memcmp(piece + n, shadow->copy + at + n, part))
                goes_on = report_page(shadow, at + n, piece + n, part, found, user);
        }
    }
    free(piece);
    return goes_on;
}

/* A hole is zero: only pages that were not zero once can differ. */
static bool collect_hole(struct capture_shadow *shadow, uint64_t start, uint64_t end, capture_shadow_found *found, void *user)
{
    for (uint64_t at = start; at < end; at += CAPTURE_PAGE)
        if (was_seen(shadow, at / CAPTURE_PAGE) &&
            !collect_pages(shadow, at, end - at < CAPTURE_PAGE ? end : at + CAPTURE_PAGE, found, user))
            return false;
    return true;
}

/* Asked of the kernel directly: in a process that is shown a render node, lseek may be somebody's who answers for it. */
static int64_t seek(const struct capture_shadow *shadow, uint64_t offset, int whence)
{
    return syscall(SYS_lseek, shadow->descriptor, offset, whence);
}

/* Where the next data of the shared memory begins and ends, from `at`, both in the buffer and on page borders. */
static void next_data(const struct capture_shadow *shadow, uint64_t at, uint64_t *start, uint64_t *end)
{
    int64_t data = seek(shadow, shadow->file_offset + at, SEEK_DATA);
    int64_t hole = data < 0 ? -1 : seek(shadow, (uint64_t)data, SEEK_HOLE);
    uint64_t last = shadow->file_offset + shadow->bytes;
    *start = data < 0 || (uint64_t)data > last ? shadow->bytes : (uint64_t)data - shadow->file_offset;
    *start -= *start == shadow->bytes ? 0 : *start % CAPTURE_PAGE;
    *end = hole < 0 || (uint64_t)hole > last ? shadow->bytes : (uint64_t)hole - shadow->file_offset;
}

bool capture_shadow_collect(struct capture_shadow *shadow, capture_shadow_found *found, void *user)
{
    if (shadow->is_user)
        return collect_user(shadow, found, user);
    if (shadow->descriptor < 0)
        return collect_pages(shadow, 0, shadow->bytes, found, user);
    for (uint64_t at = 0; at < shadow->bytes;) {
        uint64_t start, end;
        next_data(shadow, at, &start, &end);
        if (start == shadow->bytes) /* nothing but a hole is left */
            end = start;
        else if (start < at || end <= start) /* somebody cut holes meanwhile */
            start = at, end = shadow->bytes;
        if (!collect_hole(shadow, at, start, found, user) || !collect_pages(shadow, start, end, found, user))
            return false;
        at = (end + CAPTURE_PAGE - 1) / CAPTURE_PAGE * CAPTURE_PAGE;
    }
    return true;
}

void capture_shadow_set(struct capture_shadow *shadow, uint64_t offset, const void *data, uint64_t bytes)
{
    memcpy(shadow->copy + offset, data, bytes);
    for (uint64_t page = offset / CAPTURE_PAGE; bytes && page <= (offset + bytes - 1) / CAPTURE_PAGE; page++)
        shadow->seen[page / 8] |= (uint8_t)(1 << page % 8);
}

uint64_t capture_shadow_hash(const struct capture_shadow *shadow, struct capture_hasher *hasher)
{
    uint64_t at = 0, hash;
    for (bool is_first = true; is_first || at < shadow->bytes; is_first = false) {
        uint64_t start = at;
        while (at < shadow->bytes && !was_seen(shadow, at / CAPTURE_PAGE))
            at += CAPTURE_PAGE;
        at = at < shadow->bytes ? at : shadow->bytes;
        if (is_first)
            capture_hasher_begin(hasher, at);
        else
            capture_hasher_add_zeros(hasher, at - start);
        for (start = at; at < shadow->bytes && was_seen(shadow, at / CAPTURE_PAGE);)
            at += CAPTURE_PAGE;
        at = at < shadow->bytes ? at : shadow->bytes;
        capture_hasher_add(hasher, shadow->copy + start, at - start);
    }
    capture_hasher_end(hasher, &hash);
    return hash;
}
