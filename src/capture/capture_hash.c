/* capture_hash: hashes of contents; how the hash stands behind long runs of zeros is kept, since it cannot be computed. */
#include "capture/capture_hash.h"

#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <xxhash.h>

enum { PIECE = 64 << 10 };

static const uint8_t no_bytes[PIECE]; /* zeros */

void capture_hasher_add(struct capture_hasher *hasher, const void *data, size_t bytes)
{
    hasher->is_bad = hasher->is_bad || XXH3_64bits_update(hasher->state, data, bytes) != XXH_OK;
}

void capture_hasher_add_zeros(struct capture_hasher *hasher, uint64_t bytes)
{
    for (uint64_t part; bytes && !hasher->is_bad; bytes -= part) {
        part = bytes < PIECE ? bytes : PIECE;
        capture_hasher_add(hasher, no_bytes, (size_t)part);
    }
}

/* Keeps the state as one more step. */
static bool keep_step(struct capture_hasher *hasher)
{
    if (hasher->step_count == hasher->step_capacity) {
        size_t wanted = hasher->step_capacity ? hasher->step_capacity * 2 : 16;
        struct XXH3_state_s **grown = realloc(hasher->steps, wanted * sizeof(struct XXH3_state_s *));
        if (!grown)
            return false;
        hasher->steps = grown;
        hasher->step_capacity = wanted;
    }
    XXH3_state_t *step = XXH3_createState();
    if (!step)
        return false;
    XXH3_copyState(step, hasher->state);
    hasher->steps[hasher->step_count++] = step;
    return true;
}

void capture_hasher_begin(struct capture_hasher *hasher, uint64_t zeros)
{
    uint64_t steps = zeros / CAPTURE_HASH_STEP, known = steps < hasher->step_count ? steps : hasher->step_count;
    hasher->state = hasher->state ? hasher->state : XXH3_createState();
    hasher->is_bad = !hasher->state || XXH3_64bits_reset(hasher->state) != XXH_OK;
    if (hasher->is_bad)
        return;
    if (known)
        XXH3_copyState(hasher->state, hasher->steps[known - 1]);
    for (; known < steps && !hasher->is_bad; known++) {
        capture_hasher_add_zeros(hasher, CAPTURE_HASH_STEP);
        hasher->is_bad = hasher->is_bad || !keep_step(hasher);
    }
    capture_hasher_add_zeros(hasher, zeros % CAPTURE_HASH_STEP);
}

bool capture_hasher_end(struct capture_hasher *hasher, uint64_t *hash)
{
    *hash = hasher->is_bad ? 0 : XXH3_64bits_digest(hasher->state);
    return !hasher->is_bad;
}

void capture_hasher_finish(struct capture_hasher *hasher)
{
    for (size_t n = 0; n < hasher->step_count; n++)
        XXH3_freeState(hasher->steps[n]);
    free(hasher->steps);
    XXH3_freeState(hasher->state);
    *hasher = (struct capture_hasher){0};
}

uint64_t capture_hash_cost(uint64_t bytes, uint64_t zeros)
{
    return bytes - zeros + zeros % CAPTURE_HASH_STEP;
}

/* Where the next data of a file begins, or its next hole, at most `end`. Asked of the kernel directly: in a process that is shown
 * a render node, lseek may be somebody's who answers for it. */
static uint64_t seek(int descriptor, uint64_t from, uint64_t end, int whence)
{
    int64_t found = syscall(SYS_lseek, descriptor, from, whence);
    return found < 0 || (uint64_t)found > end ? end : (uint64_t)found;
}

uint64_t capture_hash_hole(int descriptor, uint64_t offset, uint64_t bytes)
{
    return seek(descriptor, offset, offset + bytes, SEEK_DATA) - offset;
}

static void add_file(struct capture_hasher *hasher, int descriptor, uint64_t at, uint64_t end)
{
    uint8_t *piece = malloc(PIECE);
    hasher->is_bad = hasher->is_bad || !piece;
    while (at < end && !hasher->is_bad) {
        ssize_t got = pread(descriptor, piece, end - at < PIECE ? (size_t)(end - at) : PIECE, (off_t)at);
        hasher->is_bad = got <= 0;
        if (got > 0) {
            capture_hasher_add(hasher, piece, (size_t)got);
            at += (uint64_t)got;
        }
    }
    free(piece);
}

bool capture_hash_file(struct capture_hasher *hasher, int descriptor, uint64_t offset, uint64_t bytes, uint64_t *hash)
{
    uint64_t at = offset + capture_hash_hole(descriptor, offset, bytes), end = offset + bytes;
    capture_hasher_begin(hasher, at - offset);
    while (at < end && !hasher->is_bad) {
        uint64_t data = seek(descriptor, at, end, SEEK_DATA), hole = seek(descriptor, data, end, SEEK_HOLE);
        hole = hole > data ? hole : end;
        capture_hasher_add_zeros(hasher, data - at);
        add_file(hasher, descriptor, data, hole);
        at = hole;
    }
    return capture_hasher_end(hasher, hash);
}
