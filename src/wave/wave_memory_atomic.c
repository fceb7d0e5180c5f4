/* Atomic operations: what each leaves in memory, and their running lane by lane. */
#include <immintrin.h>
#include <string.h>

#include "wave/wave_memory.h"

/* A float's bits by its width. */
struct float_form {
    uint64_t sign, infinity, quiet, mantissa;
};

static const struct float_form form32 = {0x80000000u, 0x7f800000u, 0x400000u, 0x7fffffu};
static const struct float_form form64 = {UINT64_C(1) << 63, UINT64_C(0x7ff) << 52, UINT64_C(1) << 51, (UINT64_C(1) << 52) - 1};

static bool is_nan(const struct float_form *f, uint64_t x)
{
    return (x & ~f->sign) > f->infinity;
}
static bool is_signalling(const struct float_form *f, uint64_t x)
{
    return is_nan(f, x) && !(x & f->quiet);
}

static uint64_t flushed(const struct float_form *f, uint64_t x, bool flush)
{
    return flush && !(x & f->infinity) ? x & f->sign : x;
}

/* Unsigned numbers in the order of the floats; -0 lies below +0. */
static uint64_t order_of(const struct float_form *f, uint64_t x)
{
    return x & f->sign ? ~x & (f->sign | (f->sign - 1)) : x | f->sign;
}

/* The guide's rules for float atomics: a signalling NaN comes out quiet, a quiet one loses against any number, and the result
 * is one of the operands as it was even when denormals compare as zeros. */
static uint64_t float_extreme(const struct float_form *f, uint64_t old, uint64_t data, bool maximum, bool flush)
{
    if (is_signalling(f, old))
        return old | f->quiet;
    if (is_signalling(f, data))
        return data | f->quiet;
    if (is_nan(f, old) || is_nan(f, data))
        return is_nan(f, old) ? data : old;
    uint64_t x = order_of(f, flushed(f, old, flush)), y = order_of(f, flushed(f, data, flush));
    return (maximum ? y > x : y < x) ? data : old;
}

static bool float_equal(const struct float_form *f, uint64_t x, uint64_t y, bool flush)
{
    x = flushed(f, x, flush);
    y = flushed(f, y, flush);
    bool both_zero = !((x | y) & ~f->sign);
    return !is_nan(f, x) && !is_nan(f, y) && (both_zero || x == y);
}

/* To nearest even, whatever MODE says; the first NaN wins. */
static uint32_t float_sum(uint32_t old, uint32_t data, bool flush)
{
    if (is_nan(&form32, old) || is_nan(&form32, data))
        return (is_nan(&form32, old) ? old : data) | (uint32_t)form32.quiet;
    float x, y;
    uint32_t a = (uint32_t)flushed(&form32, old, flush), b = (uint32_t)flushed(&form32, data, flush);
    memcpy(&x, &a, sizeof x);
    memcpy(&y, &b, sizeof y);
    unsigned csr = _mm_getcsr();
    _mm_setcsr(WAVE_DEFAULT_CSR);
    volatile float sum = x + y; /* done before the environment is put back */
    _mm_setcsr(csr);
    uint32_t result;
    x = sum;
    memcpy(&result, &x, sizeof result);
    return is_nan(&form32, result) ? EVAL_NAN32 : (uint32_t)flushed(&form32, result, flush);
}

/* Each half by itself: swapped, with its top bit cleared, when that bit is set in the data. */
static uint64_t conditional_exchange(uint64_t old, uint64_t data)
{
    uint64_t result = 0;
    for (unsigned shift = 0; shift < 64; shift += 32) {
        uint32_t half = (uint32_t)(data >> shift), kept = (uint32_t)(old >> shift);
        result |= (uint64_t)(half >> 31 ? half & 0x7fffffffu : kept) << shift;
    }
    return result;
}

uint64_t wave_atomic_result(enum ir_atomic what, unsigned bytes, uint64_t old, uint64_t data, uint64_t data2, bool flush)
{
    const struct float_form *f = bytes == 8 ? &form64 : &form32;
    const uint64_t ones = bytes == 8 ? ~UINT64_C(0) : UINT32_MAX;
    const unsigned up = 64 - bytes * 8; /* brings the sign to the top */
    const int64_t signed_old = (int64_t)(old << up), signed_data = (int64_t)(data << up);
    switch (what) {
    case IR_A_SWAP: return data;
    case IR_A_CMPSWAP: return old == data2 ? data : old;
    case IR_A_ADD: return (old + data) & ones;
    case IR_A_SUB: return (old - data) & ones;
    case IR_A_RSUB: return (data - old) & ones;
    case IR_A_SMIN: return signed_data < signed_old ? data : old;
    case IR_A_SMAX: return signed_data > signed_old ? data : old;
    case IR_A_UMIN: return data < old ? data : old;
    case IR_A_UMAX: return data > old ? data : old;
    case IR_A_AND: return old & data;
    case IR_A_OR: return old | data;
    case IR_A_XOR: return old ^ data;
    case IR_A_INC: return old >= data ? 0 : old + 1;
    case IR_A_DEC: return old == 0 || old > data ? data : old - 1;
    case IR_A_CSUB: return old >= data ? old - data : 0;
    case IR_A_MSKOR: return (old & ~data) | data2;
    case IR_A_WRAP: return old >= data ? old - data : (old + data2) & ones;
    case IR_A_FMIN: return float_extreme(f, old, data, false, flush);
    case IR_A_FMAX: return float_extreme(f, old, data, true, flush);
    case IR_A_FCMPSWAP: return float_equal(f, old, data2, flush) ? flushed(f, data, flush) : old;
    case IR_A_FADD: return float_sum((uint32_t)old, (uint32_t)data, flush);
    case IR_A_CONDXCHG: return conditional_exchange(old, data);
    default: return old;
    }
}

static uint64_t guest32(enum ir_atomic what, uint32_t *p, uint32_t data, uint32_t data2)
{
    switch (what) {
    case IR_A_SWAP: return __atomic_exchange_n(p, data, __ATOMIC_SEQ_CST);
    case IR_A_ADD: return __atomic_fetch_add(p, data, __ATOMIC_SEQ_CST);
    case IR_A_SUB: return __atomic_fetch_sub(p, data, __ATOMIC_SEQ_CST);
    default: break;
    }
    uint32_t old = __atomic_load_n(p, __ATOMIC_RELAXED), wanted;
    do
        wanted = (uint32_t)wave_atomic_result(what, 4, old, data, data2, false);
    while (!__atomic_compare_exchange_n(p, &old, wanted, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
    return old;
}

static uint64_t guest64(enum ir_atomic what, uint64_t *p, uint64_t data, uint64_t data2)
{
    switch (what) {
    case IR_A_SWAP: return __atomic_exchange_n(p, data, __ATOMIC_SEQ_CST);
    case IR_A_ADD: return __atomic_fetch_add(p, data, __ATOMIC_SEQ_CST);
    case IR_A_SUB: return __atomic_fetch_sub(p, data, __ATOMIC_SEQ_CST);
    default: break;
    }
    uint64_t old = __atomic_load_n(p, __ATOMIC_RELAXED), wanted;
    do
        wanted = wave_atomic_result(what, 8, old, data, data2, false);
    while (!__atomic_compare_exchange_n(p, &old, wanted, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
    return old;
}

/* The caches do not flush denormals: only the local share's floats follow MODE. */
uint64_t wave_atomic_guest(enum ir_atomic what, unsigned bytes, uint8_t *host, uint64_t data, uint64_t data2)
{
    if (bytes == 8)
        return guest64(what, (uint64_t *)(void *)host, data, data2);
    return guest32(what, (uint32_t *)(void *)host, (uint32_t)data, (uint32_t)data2);
}

static uint64_t get_data(struct wave *w, uint32_t offset, unsigned bytes, unsigned lane)
{
    uint64_t low = wave_at(w, offset)[lane];
    return bytes == 8 ? low | (uint64_t)wave_at(w, offset + w->stride)[lane] << 32 : low;
}

static uint64_t read_word(const uint8_t *host, unsigned bytes)
{
    uint64_t value = 0;
    memcpy(&value, host, bytes);
    return value;
}

/* The other lanes of the group run on this thread: nothing comes between. */
static uint64_t on_local(struct wave *w, const struct ir_access *access, uint8_t *host, uint64_t data, uint64_t data2)
{
    uint64_t old = read_word(host, access->bytes);
    bool flush = access->bytes == 8 ? wave_flushes64(w) : wave_flushes32(w);
    uint64_t result = wave_atomic_result((enum ir_atomic)access->atomic, access->bytes, old, data, data2, flush);
    memcpy(host, &result, access->bytes);
    return old;
}

/* Atomics need their natural alignment in every mode. */
static bool is_misaligned(struct wave *w, const struct wave_op *o, const struct ir_access *access, unsigned lane,
                          const struct wave_pieces *pieces)
{
    for (unsigned i = 0; i < pieces->count; i++) {
        const struct wave_piece *piece = &pieces->piece[i];
        if (piece->host && (piece->size != access->bytes || (uintptr_t)piece->host % access->bytes)) {
            wave_report_fault(w, o, pieces->shared ? WAVE_FAULT_LDS_MISALIGNED : WAVE_FAULT_ATOMIC_MISALIGNED, (int)lane,
                              pieces->address);
            return true;
        }
    }
    return false;
}

static void atomic_lane(struct wave *w, const struct wave_op *o, const struct ir_access *access, unsigned lane)
{
    struct wave_pieces pieces;
    unsigned words = access->bytes / 4, elements = access->flags & IR_AC_SRC2 ? 1 : access->elements;
    bool share = access->space == IR_SPACE_LDS || access->space == IR_SPACE_GDS;
    bool usable = wave_resolve(w, o, lane, true, &pieces) && !is_misaligned(w, o, access, lane, &pieces);
    uint64_t old[2] = {0, 0};
    /* The second data operand, whatever it is for, lies apart in the shares' instructions and behind the first elsewhere. */
    uint32_t second = share ? o->imm : o->x + words * w->stride;
    for (unsigned e = 0; usable && e < elements; e++) {
        uint8_t *host = pieces.piece[e].host;
        uint64_t data = o->x ? get_data(w, e ? second : o->x, access->bytes, lane) : 0;
        uint64_t data2 = second && o->x ? get_data(w, second, access->bytes, lane) : 0;
        if (access->flags & IR_AC_SRC2)
            data = pieces.piece[1].host ? read_word(pieces.piece[1].host, access->bytes) : 0;
        if (host)
            old[e] = pieces.shared ? on_local(w, access, host, data, data2)
                                   : wave_atomic_guest((enum ir_atomic)access->atomic, access->bytes, host, data, data2);
    }
    for (unsigned k = 0; access->flags & IR_AC_RETURN && k < words * elements; k++)
        wave_at(w, o->d + k * w->stride)[lane] = (uint32_t)(old[k / words] >> (k % words * 32));
}

const struct wave_op *wave_atomic_lanes(struct wave *w, const struct wave_op *o, uint64_t lanes)
{
    for (lanes &= wave_mask_lanes(w, o); lanes; lanes &= lanes - 1)
        atomic_lane(w, o, o->aux, (unsigned)__builtin_ctzll(lanes));
    return o + 1;
}
