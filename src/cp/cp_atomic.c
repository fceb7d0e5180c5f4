/* cp_atomic: the cache's atomic operations, as ATOMIC_MEM and SDMA's ATOMIC ask for them. */
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

static int64_t as_signed(uint64_t value, bool is_64)
{
    return is_64 ? (int64_t)value : (int32_t)(uint32_t)value;
}

/* What memory holds afterwards; false for an operation that isn't built in. */
static bool result_of(unsigned op, bool is_64, uint64_t old, uint64_t source, uint64_t compare, uint64_t *result)
{
    switch (op) {
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
    default: return false; /* floats among them: no driver's command stream has them */
    }
    return true;
}

struct exchange {
    void *at;
    unsigned op;
    bool is_64, known;
    uint64_t source, compare, before;
};

static void run_32(struct exchange *e)
{
    uint32_t *at = e->at, old = __atomic_load_n(at, __ATOMIC_SEQ_CST), next;
    do {
        uint64_t result = 0;
        e->known = result_of(e->op, false, old, (uint32_t)e->source, (uint32_t)e->compare, &result);
        next = (uint32_t)result;
    } while (e->known && !__atomic_compare_exchange_n(at, &old, next, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
    e->before = old;
}

static void run_64(struct exchange *e)
{
    uint64_t *at = e->at, old = __atomic_load_n(at, __ATOMIC_SEQ_CST), next = 0;
    do {
        e->known = result_of(e->op, true, old, e->source, e->compare, &next);
    } while (e->known && !__atomic_compare_exchange_n(at, &old, next, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
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
        cp_ring_fault(ring, "atomic", submit_address(address));
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
        .source = atomic->source,
        .compare = is_64 ? atomic->compare : (uint32_t)atomic->compare,
    };
    struct cp_wait wait = {true, is_64, PM4_V_COMPARE_EQUAL, atomic->address, e.compare, UINT64_MAX};
    uint64_t unused;
    if (!result_of(e.op, is_64, 0, 0, 0, &unused))
        return cp_ring_lose(ring, "there is no atomic operation %#x", atomic->op);
    /* "Loop until the compare is satisfied": the exchange is tried until memory held what is compared with. */
    bool again;
    do {
        if (atomic->loops && !cp_wait_until(ring, &wait))
            return false;
        again = try(ring, &e, atomic->address) && atomic->loops && e.before != e.compare;
    } while (again);
    ring->atomic_result = e.before;
    return true;
}
