/* cp_atomic: the cache's atomic operations, as ATOMIC_MEM and SDMA's ATOMIC ask for them. */
#include <math.h>
#include <string.h>

#include "cp/cp_internal.h"

/* The low five bits of an operation's number, its width in bit 5, and bit 6: nobody wants what was there before. */
enum {
    OP_FCMPSWAP = 1,
    OP_FMIN = 2,
    OP_FMAX = 3, /* floats */
    OP_SWAP = 7,
    OP_CMPSWAP = 8,
    OP_FCMPSWAP_FLUSH = 9,
    OP_FMIN_FLUSH = 10,
    OP_FMAX_FLUSH = 11, /* floats, denormals as zeros */
    OP_ADD = 15,
    OP_SUB = 16,
    OP_SMIN = 17,
    OP_UMIN = 18,
    OP_SMAX = 19,
    OP_UMAX = 20,
    OP_AND = 21,
    OP_OR = 22,
    OP_XOR = 23,
    OP_INC = 24,
    OP_DEC = 25,
};

static const struct base_field op_operation = {0, 4}, op_is_64 = {5, 5};

/* ---- floats ---- */

/* As a double, which holds every float exactly; flush: denormal numbers are zeros of their sign. */
static double as_float(uint64_t bits, bool is_64, bool flush)
{
    double wide;
    float narrow;
    uint32_t low = (uint32_t)bits;
    if (is_64) {
        memcpy(&wide, &bits, sizeof wide);
        return flush && fpclassify(wide) == FP_SUBNORMAL ? copysign(0.0, wide) : wide;
    }
    memcpy(&narrow, &low, sizeof narrow);
    return flush && fpclassify(narrow) == FP_SUBNORMAL ? copysign(0.0, (double)narrow) : (double)narrow;
}

bool cp_atomic_floats_equal(bool is_64, uint64_t a, uint64_t b)
{
    return as_float(a, is_64, false) == as_float(b, is_64, false);
}

/* The bits of what was flushed. */
static uint64_t flushed(uint64_t bits, bool is_64, bool flush)
{
    uint64_t sign = is_64 ? UINT64_C(1) << 63 : UINT64_C(1) << 31;
    return as_float(bits, is_64, flush) == 0.0 ? bits & sign : bits;
}

/* The old value stays where the comparison does not say otherwise: so it does beside what is no number. */
static uint64_t float_result(unsigned op, bool is_64, uint64_t old, uint64_t source, uint64_t compare)
{
    bool flush = op == OP_FCMPSWAP_FLUSH || op == OP_FMIN_FLUSH || op == OP_FMAX_FLUSH, takes;
    double was = as_float(old, is_64, flush), given = as_float(source, is_64, flush);
    if (op == OP_FMIN || op == OP_FMIN_FLUSH)
        takes = given < was;
    else if (op == OP_FMAX || op == OP_FMAX_FLUSH)
        takes = given > was;
    else
        takes = was == as_float(compare, is_64, flush);
    return flush ? flushed(takes ? source : old, is_64, true) : takes ? source : old;
}

/* ---- the operations ---- */

static int64_t as_signed(uint64_t value, bool is_64)
{
    return is_64 ? (int64_t)value : (int32_t)(uint32_t)value;
}

/* What memory holds afterwards; false for an operation that isn't built in. */
static bool result_of(unsigned op, bool is_64, uint64_t old, uint64_t source, uint64_t compare, uint64_t *result)
{
    switch (op) {
    case OP_FCMPSWAP:
    case OP_FMIN:
    case OP_FMAX:
    case OP_FCMPSWAP_FLUSH:
    case OP_FMIN_FLUSH:
    case OP_FMAX_FLUSH: *result = float_result(op, is_64, old, source, compare); break;
    case OP_SWAP: *result = source; break;
    case OP_CMPSWAP: *result = old == compare ? source : old; break;
    case OP_ADD: *result = old + source; break;
    case OP_SUB: *result = old - source; break;
    case OP_SMIN: *result = as_signed(old, is_64) < as_signed(source, is_64) ? old : source; break;
    case OP_UMIN: *result = old < source ? old : source; break;
    case OP_SMAX: *result = as_signed(old, is_64) > as_signed(source, is_64) ? old : source; break;
    case OP_UMAX: *result = old > source ? old : source; break;
    case OP_AND: *result = old & source; break;
    case OP_OR: *result = old | source; break;
    case OP_XOR: *result = old ^ source; break;
    case OP_INC: *result = old >= source ? 0 : old + 1; break;
    case OP_DEC: *result = old == 0 || old > source ? source : old - 1; break;
    default: return false;
    }
    return true;
}

struct exchange {
    void *at;
    unsigned op;
    bool is_64;
    bool only_if;   /* memory holds what is compared with; nothing is done otherwise */
    bool as_floats; /* what that comparison is of */
    bool satisfied; /* it did */
    uint64_t source, compare, before;
};

/* What memory gets for what it holds; false: nothing is done. */
static bool next_value(struct exchange *e, uint64_t old, uint64_t *next)
{
    e->satisfied = e->as_floats ? cp_atomic_floats_equal(e->is_64, old, e->compare) : old == e->compare;
    return (e->satisfied || !e->only_if) && result_of(e->op, e->is_64, old, e->source, e->compare, next);
}

static void run_32(struct exchange *e)
{
    uint32_t *at = e->at, old = __atomic_load_n(at, __ATOMIC_SEQ_CST);
    uint64_t next = 0;
    while (next_value(e, old, &next) &&
           !__atomic_compare_exchange_n(at, &old, (uint32_t)next, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        ;
    e->before = old;
}

static void run_64(struct exchange *e)
{
    uint64_t *at = e->at, old = __atomic_load_n(at, __ATOMIC_SEQ_CST), next = 0;
    while (next_value(e, old, &next) && !__atomic_compare_exchange_n(at, &old, next, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        ;
    e->before = old;
}

static void run(void *user)
{
    struct exchange *e = user;
    if (e->is_64)
        run_64(e);
    else
        run_32(e);
}

/* One try. False: memory isn't there. */
static bool try(struct cp_ring *ring, struct exchange *e, uint64_t address)
{
    unsigned size = e->is_64 ? 8 : 4;
    e->at = cp_memory_atomic(ring, address, size);
    e->before = 0;
    if (!e->at)
        return false;
    if (!mem_guard_run(run, e)) {
        cp_ring_fault(ring, CP_FAULT_ATOMIC, submit_address(address));
        return false;
    }
    cp_memory_touched(ring, submit_address(address), size);
    return true;
}

bool cp_atomic_run(struct cp_ring *ring, const struct cp_atomic *atomic)
{
    bool is_64 = base_field_get(atomic->op, op_is_64);
    struct exchange e = {
        .op = base_field_get(atomic->op, op_operation),
        .is_64 = is_64,
        .only_if = atomic->loops,
        .source = is_64 ? atomic->source : (uint32_t)atomic->source,
        .compare = is_64 ? atomic->compare : (uint32_t)atomic->compare,
    };
    e.as_floats = e.op == OP_FCMPSWAP || e.op == OP_FCMPSWAP_FLUSH;
    struct cp_wait wait = {.memory = true,
                           .wide = is_64,
                           .float_equal = e.as_floats,
                           .function = PM4_V_COMPARE_EQUAL,
                           .address = atomic->address,
                           .reference = e.compare,
                           .mask = UINT64_MAX};
    uint64_t unused;
    if (!result_of(e.op, is_64, 0, 0, 0, &unused))
        return cp_ring_lose(ring, "there is no atomic operation %#x", atomic->op);
    /* "Loop until the compare is satisfied": the operation is tried until memory held what is compared with. */
    bool again;
    do {
        if (atomic->loops && !cp_wait_until(ring, &wait))
            return false;
        again = try(ring, &e, atomic->address) && atomic->loops && !e.satisfied;
    } while (again);
    ring->atomic_result = e.before;
    return true;
}

/* ---- semaphores ---- */

bool cp_atomic_signal(struct cp_ring *ring, uint64_t address, bool write_one)
{
    struct exchange e = {.op = write_one ? OP_SWAP : OP_ADD, .is_64 = true, .source = 1};
    try(ring, &e, address);
    return true;
}

bool cp_atomic_wait(struct cp_ring *ring, uint64_t address)
{
    struct cp_wait wait = {
        .memory = true, .wide = true, .function = PM4_V_COMPARE_NOT_EQUAL, .address = address, .mask = UINT64_MAX};
    struct exchange e = {.op = OP_SUB, .is_64 = true, .only_if = true, .source = 1};
    do { /* whoever finds what was seen unchanged has it */
        if (!cp_wait_until(ring, &wait))
            return false;
        cp_memory_peek(ring, address, &e.compare, sizeof e.compare);
    } while (!e.compare || (try(ring, &e, address) && !e.satisfied));
    return true;
}
