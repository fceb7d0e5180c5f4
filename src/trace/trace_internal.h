/* The inside of trace/: how the flow, the host runs and what joins them work together.
 *
 *   trace_table    sites by pc as one of the two ways sees them; owned by whoever inits it.
 *   trace_reader   guest memory during one trace, and which of it was looked at; trace_create's.
 *   trace_subject  what is traced; borrowed by both ways.
 *
 * The flow goes first (trace_flow_run). Of each global or flat access whose range it does not find, waves are run (trace_waves_run);
 * what the flow found stands, and the waves fill in the rest (trace.c). */
#ifndef TRACE_TRACE_INTERNAL_H
#define TRACE_TRACE_INTERNAL_H

#include "base/base_span.h"
#include "trace/trace.h"

struct image_buffer;
struct wave_tracker;

/* 1. Sites. */

struct trace_table {
    struct trace_site *sites; /* by pc, ascending */
    uint32_t count, cap;
    struct trace_image *images; /* in the order in which they were met; none has the pc of another */
    uint32_t image_count, image_cap;
    bool out_of_memory; /* sticky; asked once at the end */
    const char *leaves; /* not NULL: there may be instructions that have no site here, and why (control left what was lowered) */
};

/* The site at pc, added when there is none: then all zero but for pc (TRACE_UNKNOWN, no reason yet). Valid until the next call. NULL: out of memory. */
struct trace_site *trace_table_add(struct trace_table *table, uint64_t pc);
struct trace_site *trace_table_find(const struct trace_table *table, uint64_t pc); /* NULL: none */
/* The same of images; one that was there already is *known. There are no more of them than TRACE_MOST_IMAGES. */
enum { TRACE_MOST_IMAGES = 256 };
struct trace_image *trace_table_add_image(struct trace_table *table, uint64_t pc, bool *known);
void trace_table_finish(struct trace_table *table);
/* Behind the last byte that accesses through a buffer's descriptor may reach, whatever their offsets, with a scalar offset of at most so much; first: they all
 * have the index 0. UINT64_MAX: the descriptor bounds nothing. The end may lie past 2^48, where addresses begin again. */
uint64_t trace_buffer_end(const struct image_buffer *buffer, uint64_t most_soffset, bool first);

/* 2. Memory. */

enum trace_read_kind {
    TRACE_READ_SCALAR, /* by scalar loads: those do not see the dispatch's own stores for certain, but where they are known to lie they may */
    TRACE_READ_VECTOR,
    TRACE_READ_CODE,
    TRACE_READ_KINDS
};

struct trace_reader {
    const struct trace_memory *memory;
    struct base_spans read[TRACE_READ_KINDS]; /* what was found known and used */
    bool rounded;                             /* holds bytes that were not looked at */
    bool out_of_memory;                       /* sticky */
};

/* Copies bytes that are known, and remembers that the trace hangs on them. False: not all of them are known; nothing is remembered. */
bool trace_read(struct trace_reader *reader, enum trace_read_kind kind, uint64_t address, void *bytes, size_t size);
/* Remembers that the trace hangs on [start, end), which is known. */
void trace_note_read(struct trace_reader *reader, enum trace_read_kind kind, uint64_t start, uint64_t end);
/* What lies in [start, end) now, as a number; false: not all of it is known. */
bool trace_hash(const struct trace_memory *memory, uint64_t start, uint64_t end, uint64_t *hash);
void trace_reader_finish(struct trace_reader *reader);

/* 3. The two ways. */

struct trace_subject {
    const struct wave_dispatch *dispatch;
    const struct ir_func *func; /* as lowered, from the dispatch's program on; NULL: it can't be read */
    const struct trace_flow_program
        *flow; /* func's, made once a program (trace_flow.h); NULL: trace_flow_run makes one for itself */
    struct trace_reader *reader;
    struct wave_tracker *tracker;
};

/* trace_flow.c: a site for each memory instruction that may be reached (IR_load, IR_store, IR_atomic of every space; of image
 * operations, those that store have an image), with all that follows for all groups of the dispatch at once. A place found is certain: TRACE_RANGE holds every byte that
 * may be accessed, whatever branches are taken. `sampled` is never set. False: out of memory. */
bool trace_flow_run(const struct trace_subject *subject, struct trace_table *table);

/* trace_waves.c: the same from host runs, of all groups or of a sample. */
struct trace_waves {
    struct trace_table table;
    struct trace_sample sample;
    struct base_spans stored; /* by the waves that ran, as far as they are known or bounded */
    bool stored_anywhere;     /* also where nobody knows */
    bool stopped;             /* before all were run that should be: there was nothing left to find */
    const char *gap;          /* not NULL: a wave ended before its last access where other code may follow; why it did */
};
/* Runs waves when some global or flat access is reached for which flow has no range, or a load whose range is loose and not all mapped (NULL: it
 * has none). Sites are those that trace_slice_reaches says,
 * and what was met on the way to them. False: out of memory; finish is fine in both cases. */
bool trace_waves_run(const struct trace_subject *subject, const struct trace_table *flow, struct trace_waves *waves);
void trace_waves_finish(struct trace_waves *waves);
/* Whether the flow's word on a global or flat access is not enough. */
bool trace_waves_need(const struct trace_memory *memory, const struct trace_site *site);

/* Adds to a set of at most TRACE_MOST_SPANS intervals; with more, it becomes the one interval around them, and *rounded is set. False: out of memory. */
enum { TRACE_MOST_SPANS = 1024 };
bool trace_spans_add(struct base_spans *spans, uint64_t start, uint64_t end, bool *rounded);

/* 4. The sample (trace_sample.c): which groups stand for all. In each dimension the first, the last, where that has fewer threads also the one
 * before it, and more between them as evenly as it goes. */
struct trace_picks {
    uint32_t groups[3], count[3];
    bool partial[3];
};
/* All groups when there are at most `most`; else as many of every dimension as make at most that, and the corners in any case. */
struct trace_picks trace_picks_make(const struct wave_dispatch *dispatch, uint64_t most);
uint32_t trace_picks_at(const struct trace_picks *picks, unsigned dimension, uint32_t n);
uint64_t trace_picks_total(const struct trace_picks *picks);
/* Whether memory is mapped all across it, known or not. */
bool trace_is_mapped(const struct trace_memory *memory, struct trace_range range);
uint64_t trace_groups_of(const struct wave_dispatch *dispatch); /* UINT64_MAX: more than can be counted */

#endif
