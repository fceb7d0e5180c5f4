/* cp_internal: what the files of cp/ share: the insides of a GPU and a ring, and what packets do to them.
 *
 * Roles and owners:
 *   cp_gpu    owns the refusals and the records of its rings.
 *   cp_record what is counted of a ring; the GPU's, so that it outlives the ring.
 *   cp_ring   owns its queue, its thread and its registers; only the thread touches what stands below `state`.
 *   cp_handler carries one packet out; false: the ring is lost (cp_ring_lose said why).
 */
#ifndef CP_CP_INTERNAL_H
#define CP_CP_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "cp/cp.h"
#include "submit/submit_ahead.h"
#include "submit/submit_state.h"

enum { CP_LOST_TEXT = 1024, CP_WAIT_SITES = 64, CP_REFUSALS = 256, CP_UNBOUNDED_SEEN = 256, CP_UNBOUNDED_MOST = 1024 };

/* Written by one thread, read by any. */
typedef _Atomic uint64_t cp_count;

static inline void cp_count_add(cp_count *count, uint64_t more)
{
    atomic_store_explicit(count, atomic_load_explicit(count, memory_order_relaxed) + more, memory_order_relaxed);
}

struct cp_record {
    char *name;
    enum submit_ring kind;
    cp_count ended, lost, dispatches, groups, waves, failed_dispatches, prepared_ahead, prepared_again, busy_ns;
    _Atomic uint64_t submissions; /* by all threads that submit */
    cp_count packets[CP_PACKETS];
    cp_count unbounded[SUBMIT_UNBOUNDED_COUNT]; /* dispatches and draws by reason */
    pthread_mutex_t lock;                       /* guards what follows */
    char lost_text[CP_LOST_TEXT];
    struct cp_wait_total waits[CP_WAIT_SITES];
    size_t wait_count;
    struct cp_unbounded *unbounded_programs;
    size_t unbounded_count;
    struct cp_submission *kept; /* CP_SUBMISSIONS_KEPT places, used in turn */
    uint64_t kept_count;        /* that ever were kept */
    struct cp_record *next;
};

/* A program's dispatches that are not bounded for one reason; the record's. */
struct cp_unbounded {
    uint64_t program;
    enum submit_unbounded reason;
    cp_count times;
    struct cp_unbounded *next;
};

struct cp_site {
    char *text, *key; /* what is said of the first, and what makes others the same */
    const char *kind;
    uint64_t times;
};

/* What was noted so far, once for each kind and key. */
struct cp_sites {
    struct cp_site sites[CP_REFUSALS];
    size_t count;
    uint64_t left_out; /* events of sites that found no room */
};

struct cp_gpu {
    struct cp_options options;
    struct device *device;
    _Atomic uint64_t code_epoch;
    _Atomic bool failed;
    struct submit_bell written; /* rung when a ring or the host wrote memory and somebody waits for a word of it */
    _Atomic uint32_t watchers;  /* how many do */
    _Atomic uint64_t progress;  /* counts packets' waits ended, dispatches and submissions: somebody gets on */
    _Atomic uint32_t running;   /* dispatches that run just now: each has a watchdog of its own */
    struct submit_ledger ledger;
    struct submit_tracer *tracer; /* NULL: nothing is prepared ahead, and nothing bounded */
    pthread_mutex_t lock;         /* guards what follows */
    struct cp_sites problems;
    struct cp_record *records, **last_record;
};

enum { CP_STREAMOUT_BUFFERS = 4 };

/* The predicate of SET_PREDICATION. */
struct cp_predicate {
    bool visible; /* what was asked is so */
    bool skips;   /* packets with the predicate bit are skipped */
};

/* What a packet may meet where nothing is mapped. */
enum cp_fault { CP_FAULT_READ, CP_FAULT_WRITE, CP_FAULT_ATOMIC, CP_FAULT_GDS };

/* Where a stream goes on after its stretch. */
struct cp_chain {
    bool set;
    uint64_t address;
    uint32_t words;
};

struct cp_ring {
    struct cp_gpu *gpu;
    enum submit_ring kind;
    struct cp_record *record;
    struct submit_queue queue;
    pthread_mutex_t start_lock; /* guards the thread's start, and the shadow with what is prepared ahead */
    pthread_t thread;
    bool started;
    struct submit_surroundings around; /* of its dispatches */
    struct submit_state *shadow; /* registers as the caller's thread thinks that they will be; NULL: nothing is prepared ahead */
    _Atomic bool lost;
    _Atomic bool stop; /* destroyed: waits and dispatches end */

    /* the thread's */
    struct submit_state state;
    struct submit_work *work;
    struct submit_ib *ib;       /* where it is; NULL: in no stretch */
    uint32_t at;                /* the word in it */
    const char *packet_name;    /* NULL: at no packet */
    struct submit_ahead *ahead; /* the packet as it was met ahead; or NULL */
    bool distrusted;            /* the submission writes other memory than was said, and that is known */
    unsigned level;             /* calls deep */
    uint32_t jumps;             /* calls and chains in this submission */
    unsigned faulted;           /* bits by cp_fault: which ones its packet has met; each is counted once */
    uint64_t walked;            /* words of the stretches entered in this submission */
    uint32_t skip_to;           /* packets before this word of the stretch are not carried out; 0: all are */
    struct cp_chain chain;
    struct cp_predicate predicate;
    uint64_t bases[4];    /* SET_BASE */
    uint64_t stamp_shift; /* of an SDMA ring's own timestamps: TIMESTAMP_SET */
    bool counting;        /* PIPELINESTAT_START */
    uint64_t invocations; /* CS_INVOCATIONS */
    uint32_t streamout_offset[CP_STREAMOUT_BUFFERS];
    uint64_t atomic_result;                                 /* of the last ATOMIC_MEM that returns */
    struct cp_unbounded *unbounded_seen[CP_UNBOUNDED_SEEN]; /* what was counted lately */
    struct cp_submission now;                               /* what is counted of the submission at work */
};

typedef bool (*cp_handler)(struct cp_ring *ring, const struct pm4_packet *packet);
typedef bool (*cp_sdma_handler)(struct cp_ring *ring, const struct pm4_sdma_packet *packet);

/* cp_table: what to do for a packet: NULL: nothing is built in for it. */
cp_handler cp_table_handler(enum pm4_packet_id id);
cp_sdma_handler cp_table_sdma_handler(enum pm4_sdma_id id);

/* cp_report: what went wrong, once for each place. All take printf's arguments and count as failed work. */
/* The ring ends here; returns false. */
__attribute__((format(printf, 2, 3))) bool cp_ring_lose(struct cp_ring *ring, const char *format, ...);
/* Something that is not built in; the ring goes on. `what` and its packet are the place. */
__attribute__((format(printf, 2, 3))) void cp_ring_refuse(struct cp_ring *ring, const char *format, ...);
/* An access to memory that isn't there; counted once for each packet. */
void cp_ring_fault(struct cp_ring *ring, enum cp_fault fault, uint64_t address);
/* A dispatch that failed. */
void cp_ring_failed_dispatch(struct cp_ring *ring, uint64_t program, const char *text);
/* "queue 'x', submission 3, buffer 0x1000 word 8, DISPATCH_DIRECT" */
enum { CP_PLACE_TEXT = 256 };
void cp_ring_place(const struct cp_ring *ring, char *text, size_t size);
void cp_gpu_log(const struct cp_gpu *gpu, bool serious, const char *text);

/* cp_record: what is counted of a ring. */
struct cp_record *cp_record_create(struct cp_gpu *gpu, enum submit_ring kind, const char *name);
void cp_record_destroy(struct cp_record *record);
void cp_record_report(struct cp_record *record, const struct cp_report_sink *sink);
/* A dispatch whose writes nobody can bound: counted, and named in the log when program and reason are new; pc 0: no instruction in particular. */
void cp_ring_note_unbounded(struct cp_ring *ring, enum submit_unbounded reason, uint64_t program, uint64_t pc);
void cp_ring_count_wait(struct cp_ring *ring, const char *kind, uint64_t address, uint64_t nanoseconds);
/* The submission at work is over. */
void cp_ring_keep_submission(struct cp_ring *ring, uint64_t number, uint64_t nanoseconds, bool done);

/* cp_memory: guest memory as a ring sees it. The device's results are settled before a read, its copies marked out of date
 * after a write; those that wait for a word are woken. What is not mapped is a fault: zeros are read, writes are dropped, and
 * false comes back. */
bool cp_memory_read(struct cp_ring *ring, uint64_t address, void *to, uint64_t size);
bool cp_memory_write(struct cp_ring *ring, uint64_t address, const void *from, uint64_t size);
bool cp_memory_copy(struct cp_ring *ring, uint64_t to, uint64_t from, uint64_t size);
/* A word over and over; the first byte of it goes to `address`. size is a multiple of unit (1, 2, 4). */
bool cp_memory_fill(struct cp_ring *ring, uint64_t address, uint32_t word, unsigned unit, uint64_t size);
uint32_t cp_memory_read_u32(struct cp_ring *ring, uint64_t address);
uint64_t cp_memory_read_u64(struct cp_ring *ring, uint64_t address);
/* Where the host does an atomic on size bytes, naturally aligned; NULL and a fault when it can't. Call cp_memory_touched after
 * a write. */
void *cp_memory_atomic(struct cp_ring *ring, uint64_t address, unsigned size);
void cp_memory_touched(struct cp_ring *ring, uint64_t address, uint64_t size);
/* For waits: no fault is counted. */
bool cp_memory_peek(struct cp_ring *ring, uint64_t address, void *to, uint64_t size);
void cp_memory_settle(struct cp_ring *ring, uint64_t address, uint64_t size);
void cp_memory_wake(struct cp_gpu *gpu);
/* cp_atomic: carries one of the cache's atomic operations out. False: the ring was lost (no such operation, or a loop in
 * vain). */
struct cp_atomic {
    unsigned op; /* TC_OP */
    bool loops;  /* until memory held what is compared with */
    uint64_t address, source, compare;
};
bool cp_atomic_run(struct cp_ring *ring, const struct cp_atomic *atomic);
/* As floats of 32 or 64 bits: zeros of both signs are equal, what is no number equals nothing. */
bool cp_atomic_floats_equal(bool is_64, uint64_t a, uint64_t b);
/* A semaphore of 64 bits in memory: a signal adds 1 (or writes 1), a wait waits until it is not zero and takes 1 away. */
bool cp_atomic_signal(struct cp_ring *ring, uint64_t address, bool write_one);
bool cp_atomic_wait(struct cp_ring *ring, uint64_t address);

/* cp_wait: the comparisons of WAIT_REG_MEM, POLL_REGMEM and COND_WRITE, and the wait itself. */
bool cp_wait_compare(unsigned function, uint64_t value, uint64_t reference);
struct cp_wait {
    bool memory;
    bool wide;        /* 64 bits */
    bool float_equal; /* until memory equals the reference as a float; the function does not count */
    unsigned function;
    uint64_t address; /* or the register's offset */
    uint64_t reference, mask;
};
/* Until it holds. False: the ring was lost meanwhile (stopped, or in vain). */
bool cp_wait_until(struct cp_ring *ring, const struct cp_wait *wait);
/* Until a fence has ended. */
bool cp_wait_fence(struct cp_ring *ring, struct submit_fence *fence);

/* cp_stream: carries the packets of a stretch out, and those that it chains to. */
bool cp_stream_run(struct cp_ring *ring, uint64_t address, uint32_t words);
/* The same one level deeper. */
bool cp_stream_call(struct cp_ring *ring, uint64_t address, uint32_t words);
/* The count words of the stretch from `end` on, where the packet ends, are not carried out. */
bool cp_stream_skip(struct cp_ring *ring, uint32_t end, uint32_t count);
/* What stands from `end` on is read anew before it is carried out. */
void cp_stream_read_on(struct cp_ring *ring, uint32_t end);

/* cp_reach: what was said of a submission's writes, compared with what its turn shows. */
/* A dispatch that is about to run. */
void cp_reach_check(struct cp_ring *ring, const struct wave_dispatch *registers, bool indirect);
/* The submission writes what nobody has said. */
void cp_reach_distrust(struct cp_ring *ring);

/* Handlers, by file. */
bool cp_registers_set(struct cp_ring *ring, const struct pm4_packet *packet);
bool cp_registers_load(struct cp_ring *ring, const struct pm4_packet *packet);
bool cp_registers_load_index(struct cp_ring *ring, const struct pm4_packet *packet);
bool cp_registers_context_rmw(struct cp_ring *ring, const struct pm4_packet *packet);
bool cp_registers_rmw(struct cp_ring *ring, const struct pm4_packet *packet);
bool cp_registers_clear(struct cp_ring *ring, const struct pm4_packet *packet);
bool cp_registers_context_control(struct cp_ring *ring, const struct pm4_packet *packet);
bool cp_data_write(struct cp_ring *ring, const struct pm4_packet *packet);
bool cp_data_copy(struct cp_ring *ring, const struct pm4_packet *packet);
bool cp_data_atomic(struct cp_ring *ring, const struct pm4_packet *packet);
bool cp_data_cond_write(struct cp_ring *ring, const struct pm4_packet *packet);
bool cp_data_copy_word(struct cp_ring *ring, const struct pm4_packet *packet);
bool cp_data_semaphore(struct cp_ring *ring, const struct pm4_packet *packet);
bool cp_dma_data(struct cp_ring *ring, const struct pm4_packet *packet);
bool cp_dma_cp_dma(struct cp_ring *ring, const struct pm4_packet *packet);
bool cp_flow_indirect_buffer(struct cp_ring *ring, const struct pm4_packet *packet);
bool cp_flow_cond_exec(struct cp_ring *ring, const struct pm4_packet *packet);
bool cp_flow_pred_exec(struct cp_ring *ring, const struct pm4_packet *packet);
bool cp_flow_set_predication(struct cp_ring *ring, const struct pm4_packet *packet);
bool cp_flow_wait_reg_mem(struct cp_ring *ring, const struct pm4_packet *packet);
bool cp_flow_wait_reg_mem64(struct cp_ring *ring, const struct pm4_packet *packet);
bool cp_flow_rewind(struct cp_ring *ring, const struct pm4_packet *packet);
bool cp_event_write(struct cp_ring *ring, const struct pm4_packet *packet);
bool cp_event_release_mem(struct cp_ring *ring, const struct pm4_packet *packet);
bool cp_event_write_eop(struct cp_ring *ring, const struct pm4_packet *packet);
bool cp_event_write_eos(struct cp_ring *ring, const struct pm4_packet *packet);
bool cp_event_acquire_mem(struct cp_ring *ring, const struct pm4_packet *packet);
bool cp_event_strmout_update(struct cp_ring *ring, const struct pm4_packet *packet);
bool cp_dispatch_direct(struct cp_ring *ring, const struct pm4_packet *packet);
bool cp_dispatch_indirect(struct cp_ring *ring, const struct pm4_packet *packet);
bool cp_dispatch_indirect_mec(struct cp_ring *ring, const struct pm4_packet *packet);
bool cp_dispatch_set_base(struct cp_ring *ring, const struct pm4_packet *packet);
bool cp_draw_state(struct cp_ring *ring, const struct pm4_packet *packet);
bool cp_draw_refuse(struct cp_ring *ring, const struct pm4_packet *packet);

/* The register at an offset: what a packet may read and write; refused by name elsewhere (zeros, dropped). */
uint32_t cp_registers_read(struct cp_ring *ring, uint32_t offset);
void cp_registers_write(struct cp_ring *ring, uint32_t offset, uint32_t value);

/* A range of GDS that a packet names, checked; NULL and a fault outside it. */
uint8_t *cp_gds(struct cp_ring *ring, uint32_t offset, uint64_t size);

#endif
