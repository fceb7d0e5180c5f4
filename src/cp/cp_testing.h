/* cp_testing: what the command processor's tests share: a small GPU, streams built by hand, and a device that mirrors memory.
 *
 *   testing_gpu     a space with one block of memory, an engine, a device, a cp_gpu; set up and torn down around each test.
 *   testing_stream  words that are put together in guest memory.
 *   mirror          a device with a copy of memory of its own, whose results reach guest memory only when they are settled.
 */
#ifndef CP_CP_TESTING_H
#define CP_CP_TESTING_H

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cp/cp.h"

enum { TESTING_BYTES = 1 << 20, TESTING_GDS = 64 << 10, TESTING_LOG = 4096 };

/* Where things lie in the block. */
enum { AT_STREAM = 0, AT_OTHER_STREAM = 0x20000, AT_CODE = 0x40000, AT_DATA = 0x60000, AT_WORDS = 0xf0000 };

struct testing_gpu {
    struct mem_space *space;
    uint64_t base; /* of the block */
    uint8_t *host; /* the same, for the host */
    struct wave_memory memory;
    struct wave_cache *cache;
    struct wave_options options;
    struct wave_engine *engine;
    struct device *device;
    bool is_foreign; /* testing_devices made it */
    uint8_t gds[TESTING_GDS];
    uint64_t ticks; /* what the clock shows, and how often it was read */
    struct cp_gpu *cp;
    pthread_mutex_t lock;                      /* guards the log */
    char log[TESTING_LOG], notes[TESTING_LOG]; /* what was serious, and what was not */
    unsigned lines;                            /* of the log */
};

/* Where the same tests are built for another device: what makes it, around the GPU's engine, and unmakes it. */
struct testing_devices {
    struct device *(*create)(struct testing_gpu *gpu);
    void (*destroy)(struct testing_gpu *gpu);
};
extern const struct testing_devices *testing_devices; /* NULL: the CPU device's are used */

/* mirrored: with the mirroring device in place of the CPU. */
struct testing_gpu *testing_gpu_create(bool mirrored, double timeout_s);
void testing_gpu_destroy(struct testing_gpu *gpu);

static inline uint32_t *testing_words(struct testing_gpu *gpu, uint32_t at)
{
    return (uint32_t *)(void *)(gpu->host + at);
}

struct testing_stream {
    struct testing_gpu *gpu;
    uint32_t at; /* in the block */
    uint32_t *words;
    uint32_t count;
};

struct testing_stream testing_stream_begin(struct testing_gpu *gpu, uint32_t at);
void testing_put(struct testing_stream *stream, uint32_t word);
void testing_put_address(struct testing_stream *stream, uint64_t address);
/* A type-3 packet: its opcode, and body words as further arguments, `count` of them. */
void testing_packet(struct testing_stream *stream, enum pm4_packet_id id, unsigned count, ...);
/* Consecutive registers by their offset in the machine's register space; context, SH and user configuration registers. */
void testing_set(struct testing_stream *stream, uint32_t offset, unsigned count, ...);

/* Programs; each takes an address in s[0:1] (user data 0 and 1). */
enum testing_program {
    STORE_IDS, /* word [s3 * s2 + thread] = s3 * s2 + thread + 1; s2: threads of a group, s3: the group's id in x */
    ADD_ONE,   /* the same word is read, and stored plus 1 */
    COUNT,     /* each thread adds 1 to word 0, atomically */
    WAIT_WORD, /* until word 0 is not zero */
    LOOP,      /* for ever */
    SCRATCH,   /* word [s3] = s4: the group's id in x, and its wave's place in the scratch ring */
    SHARE,     /* the lower half's lanes leave their numbers in shared v8; each lane stores what it finds there, + 1 */
    POINT,     /* thread n stores where the pointer in words 2 * n and 2 * n + 1 leads */
    FOLLOW,    /* COUNT where the pointer in words 0 and 1 leads, by scalar registers */
    WILD,      /* stores to an address that is not mapped (s[0:1] says which) */
};
/* Puts a program at AT_CODE + 256 * program, and returns its address. */
uint64_t testing_code(struct testing_gpu *gpu, enum testing_program program);
/* The registers for a program with groups of so many threads in x. */
void testing_use(struct testing_stream *stream, enum testing_program program, uint64_t address, uint32_t threads);
void testing_dispatch(struct testing_stream *stream, uint32_t groups);

/* Queues the stream; the fence is the caller's. */
struct submit_fence *testing_submit(struct cp_ring *ring, const struct testing_stream *stream);
/* Queues it, waits for its end and returns how it ended. */
enum submit_fence_state testing_run(struct cp_ring *ring, const struct testing_stream *stream);

/* One ring on a GPU of its own with the CPU device: what most tests want. */
struct testing_ring {
    struct testing_gpu *gpu;
    struct cp_ring *ring;
    struct testing_stream stream; /* at AT_STREAM */
};
int testing_graphics_ring(void **state);
int testing_compute_ring(void **state);
int testing_sdma_ring(void **state);
int testing_ring_tear_down(void **state);
/* Carries the stream out; everything in it must work. */
void testing_ring_run(struct testing_ring *f);

/* Guest address, and words on the host, of a place behind AT_DATA. */
static inline uint64_t data(const struct testing_ring *f, uint32_t at)
{
    return f->gpu->base + AT_DATA + at;
}

static inline uint32_t *word(const struct testing_ring *f, uint32_t at)
{
    return testing_words(f->gpu, AT_DATA + at);
}

static inline uint32_t low(uint64_t value)
{
    return (uint32_t)value;
}

static inline uint32_t high(uint64_t value)
{
    return (uint32_t)(value >> 32);
}

/* WRITE_DATA of one word to memory. */
void testing_write(struct testing_stream *stream, uint64_t address, uint32_t value);

/* ---- the mirroring device ---- */

/* prepares_ahead: it reads user data 0 and 1's address while it prepares, and checks when it runs that it read what memory held
 * then. */
struct device *mirror_create(struct wave_engine *engine, bool prepares_ahead);
/* While held, runs wait. */
void mirror_hold(struct device *device, bool held);
/* While held, news of changes wait, and so does whoever brings them: each submission, where it begins. */
void mirror_hold_changes(struct device *device, bool held);
/* How often the word that it read ahead was not what memory held when its dispatch ran; how many dispatches were prepared. */
unsigned mirror_stale(const struct device *device);
unsigned mirror_prepared(const struct device *device);

#endif
