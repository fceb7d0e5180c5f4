/* tool_inspect: the insides of `tenfold inspect`: one walk through a capture, written into a document as it goes. */
#ifndef TOOL_TOOL_INSPECT_H
#define TOOL_TOOL_INSPECT_H

#include "capture/capture_reader.h"
#include "capture/capture_state.h"
#include "isa/isa.h"
#include "pm4/pm4.h"
#include "tool/tool_document.h"

enum {
    INSPECT_REGISTERS = 0x10000, /* dwords of the machine's register space that packets can reach */
    INSPECT_IB_WORDS = 1 << 20,
    INSPECT_SUBMISSION_WORDS = 1 << 23, /* of all IBs of a submission, at most */
    INSPECT_SUBMISSION_IBS = 1 << 14,   /* called and chained, at most */
    INSPECT_LEVELS = 4,                 /* IBs that call IBs */
};

/* What a ring's packets have set so far. */
struct inspect_ring {
    enum tf_queue_kind kind;
    uint32_t *values;       /* INSPECT_REGISTERS of them; NULL until the first submission */
    uint8_t *known;         /* a byte for each */
    uint64_t indirect_base; /* of SET_BASE, for indirect dispatches */
};

/* A program that work used. */
struct inspect_program {
    uint64_t address;
    const char *stage;
    unsigned wave_size;
    uint32_t *words; /* as memory held them when it was first used */
    size_t count;
    uint32_t uses, submission; /* how often, and the first that did */
};

/* What became of a buffer. */
struct inspect_buffer {
    uint64_t written;    /* bytes that the capture has for it */
    uint32_t born, gone; /* submissions that came before its creation and its end */
    bool is_gone;
    uint64_t address; /* its first mapping */
    bool is_mapped;
};

/* A range of memory that the capture has anew. */
struct inspect_change {
    uint32_t buffer, bytes;
    uint64_t offset;
    bool is_program;
};

struct inspect {
    struct tool_document *document;
    struct capture_state state;
    enum isa_chip_bit chip;
    enum pm4_detail detail;
    struct inspect_ring *rings; /* queue n + 1 */
    size_t ring_count, ring_capacity;
    struct inspect_program *programs;
    size_t program_count, program_capacity;
    struct inspect_buffer *buffers; /* buffer n + 1 */
    size_t buffer_count, buffer_capacity;
    struct inspect_change *changes; /* of memory, not shown yet */
    size_t change_count, change_capacity;
    uint32_t submission;           /* the last one */
    uint32_t work_count;           /* dispatches and draws of the submission */
    uint32_t words_left, ibs_left; /* of the submission, before it counts as endless */
    uint64_t ib;                   /* address of the stretch of command memory that is being shown; 0: none */
    uint32_t problems;             /* things that are no packets, no programs, not mapped */
    struct base_error first;       /* of them, with its place */
};

/* An array with room for one more item, zeroed, behind `count`; the old one stays and NULL comes back when the host has no
 * memory. */
void *inspect_grow(void *items, size_t item_size, size_t count, size_t *capacity);

/* Shows what is no packet, no program or not mapped, where it is met, and counts it. */
__attribute__((format(printf, 2, 3))) void inspect_problem(struct inspect *inspect, const char *format, ...);

/* The packets of a submission's IBs. */
void inspect_stream(struct inspect *inspect, struct inspect_ring *ring, const struct tf_ib *ib);

/* What a dispatch or a draw finds set; called behind its packet, and does nothing for others. */
void inspect_work(struct inspect *inspect, struct inspect_ring *ring, const struct pm4_packet *packet);
bool inspect_is_work(const struct pm4_packet *packet);

/* Notes that work uses the program at address, and names it in the document. */
void inspect_use_program(struct inspect *inspect, uint64_t address, const char *stage, unsigned wave_size);
/* All programs that were used, in assembler text. */
void inspect_programs(struct inspect *inspect);

/* Tables of all buffers, and of what is mapped at the end. */
void inspect_buffers(struct inspect *inspect);
void inspect_space(struct inspect *inspect);

#endif
