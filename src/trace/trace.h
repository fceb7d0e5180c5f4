/* trace: what each memory instruction of a dispatch reaches, worked out on the host before the dispatch runs.
 *
 * Two ways lead there. The flow (trace_flow.c) goes over the program's values once for all waves: descriptors, bases and addresses that
 * follow from user data, known memory and, linearly, from the ids of groups and threads; both sides of a branch that it cannot decide
 * are taken. Where it does not see the range of a global access, waves are run on the host with partial knowledge (trace_waves.c): all of
 * them, or of a large grid those of a sample of its groups. What neither knows is unknown, with a reason; nothing is invented.
 *
 * Roles and owners:
 *   trace          what a dispatch reaches; immutable; destroyed by whoever made it.
 *   trace_site     one memory instruction; the trace's.
 *   trace_words    what words a store leaves; plain data, in the site.
 *   trace_image    one instruction that stores to an image; the trace's.
 *   trace_memory   guest memory as preparation sees it; the caller's, only during trace_create and trace_holds.
 *   trace_sample   which groups stood for the others; plain data, in the trace.
 */
#ifndef TRACE_TRACE_H
#define TRACE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ir/ir.h"
#include "wave/wave.h"

struct trace;

enum trace_place {
    TRACE_UNKNOWN, /* `why` says what is not known */
    TRACE_APART,   /* reaches no guest memory: the local share, the wave's scratch, an aperture of theirs, or nothing at all */
    TRACE_BASED,   /* every access goes by the one base or descriptor that is given; which bytes is not known */
    TRACE_RANGE,   /* [start, end) holds every byte that may be accessed; of a sampled trace: that the sampled waves access */
};

/* The words of a range, from its start on: word n is `first`, and each digit of n times its step, modulo 2^32. The first digit counts from 0 to
 * count[0] - 1, then the second goes on by one, and so forth. No digits: all of them are `first`. */
enum { TRACE_DIGITS = 7 };
struct trace_words {
    uint32_t first;
    uint32_t digits;
    uint32_t step[TRACE_DIGITS];
    uint64_t count[TRACE_DIGITS];
};

struct trace_site {
    uint64_t pc;
    enum trace_place place;
    enum ir_space space;
    bool load, store, atomic; /* an atomic is none of the other two */
    bool narrow;              /* a store of less than a word, or not known to be aligned to words */
    bool based;               /* base is known */
    bool described;           /* descriptor is known: bounds and base of a buffer */
    uint64_t base;            /* what the lanes' offsets are added to, as a guest address */
    uint32_t descriptor[4];
    uint64_t start, end; /* TRACE_RANGE; start == end: nothing is accessed */
    bool windowed;       /* TRACE_BASED, TRACE_UNKNOWN: every byte lies in [start, end) all the same, which may be very wide */
    bool loose;    /* the range holds more than may be accessed: it is that of lanes and branches that nobody knows to run */
    bool sampled;  /* the range is that of sampled waves: others may leave it */
    bool covers;   /* a store: every byte of the range is certainly stored by the dispatch */
    bool one_word; /* a store: all words that are stored are `word` */
    uint32_t word;
    bool told; /* a store that covers: which words, each stored by one lane, the range is left with */
    struct trace_words words;
    const char *why; /* static */
};

/* An image operation that stores: which image, as far as the flow knows; no waves are run for it. */
struct trace_image {
    uint64_t pc;
    bool known;     /* descriptor is; else `why` says what is not */
    bool r128;      /* its short form: four words */
    bool any_level; /* the operation names the level; else it is the view's first */
    uint32_t descriptor[8];
    const char *why; /* static */
};

struct trace_memory {
    void *user;
    /* As struct wave_memory's: memory that nobody can know yet is WAVE_NOT_READY. */
    enum wave_outcome (*find)(void *user, uint64_t address, struct wave_run *run);
};

struct trace_sample {
    uint64_t groups, of; /* how many ran, of how many; 0: no wave was run */
    uint64_t waves;
    uint64_t start, end; /* what the sampled waves read by global loads */
};

enum { TRACE_MOST_WAVES = 4096 }; /* that one trace runs on the host */

/* NULL: out of memory. A trace may know nothing. */
struct trace *trace_create(struct wave_cache *cache, const struct wave_dispatch *dispatch, const struct trace_memory *memory);
/* By the flow alone, in tens of microseconds: for who would rather not run waves again and again, because the memory that they read for addresses
 * changes each time (a few milliseconds for a thousand waves, tenths of a second at worst). */
struct trace *trace_create_flow(struct wave_cache *cache, const struct wave_dispatch *dispatch,
                                const struct trace_memory *memory);
void trace_destroy(struct trace *trace); /* NULL is fine */

/* Whether a trace still says what the dispatch reaches: the same program and registers, and memory that it looked at holds the same. */
bool trace_holds(const struct trace *trace, const struct wave_dispatch *dispatch, const struct trace_memory *memory);

const struct trace_site *trace_find(const struct trace *trace, uint64_t pc); /* NULL: no such instruction was met */
const struct trace_site *trace_sites(const struct trace *trace, uint32_t *count);
const struct trace_image *trace_images(const struct trace *trace, uint32_t *count);
const struct trace_sample *trace_sample_of(const struct trace *trace);
/* NULL: trace_sites names every instruction that may reach memory (image operations apart), and trace_images all that store to images. Else code that it does not name may run, and why. */
const char *trace_gap(const struct trace *trace);

/* Where global loads are bound: [*start, *end) widened by a margin on each side of an eighth of its bytes, at most a megabyte, in whole
 * pages; kept only where memory is mapped across it, and given up where it would overlap one of the other ranges that [*start, *end)
 * itself does not (D950). */
struct trace_range {
    uint64_t start, end;
};
struct trace_range trace_widen(struct trace_range range, const struct trace_memory *memory, const struct trace_range *others,
                               size_t other_count);

#endif
