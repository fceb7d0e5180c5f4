/* capture_hash: the hash of a buffer's contents, XXH3 with 64 bits, at little cost for what was never written. */
#ifndef CAPTURE_CAPTURE_HASH_H
#define CAPTURE_CAPTURE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct XXH3_state_s;

enum { CAPTURE_HASH_STEP = 16 << 20 };

/* A hash being made, and what earlier ones found out about zeros: one for many buffers, one at a time. Owned by whoever declared
 * it, zeroed at first; capture_hasher_finish in the end. */
struct capture_hasher {
    struct XXH3_state_s *state;
    struct XXH3_state_s **steps; /* n: behind (n + 1) * CAPTURE_HASH_STEP zeros */
    size_t step_count, step_capacity;
    bool is_bad; /* the host has no memory; stays until the next begin */
};

/* What begins with so many zeros. They cost at most CAPTURE_HASH_STEP, and more only where there never were as many. */
void capture_hasher_begin(struct capture_hasher *hasher, uint64_t zeros);
void capture_hasher_add(struct capture_hasher *hasher, const void *data, size_t bytes);
/* Zeros further on are counted one by one, without a look at memory. */
void capture_hasher_add_zeros(struct capture_hasher *hasher, uint64_t bytes);
/* False when the host had no memory. */
bool capture_hasher_end(struct capture_hasher *hasher, uint64_t *hash);
void capture_hasher_finish(struct capture_hasher *hasher);

/* What a hash of so many bytes costs, counted in bytes, when it begins with so many zeros. */
uint64_t capture_hash_cost(uint64_t bytes, uint64_t zeros);

/* How many bytes at the start of a piece of shared memory are a hole. */
uint64_t capture_hash_hole(int descriptor, uint64_t offset, uint64_t bytes);
/* The hash of that piece, read from its file: a look at a hole through a mapping would fill it. */
bool capture_hash_file(struct capture_hasher *hasher, int descriptor, uint64_t offset, uint64_t bytes, uint64_t *hash);

#endif
