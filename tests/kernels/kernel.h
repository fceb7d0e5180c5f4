/* The language the kernels are written in: OpenCL C names, for the guest and for the host from one source.
 *
 * The guest side is built on the compiler's own AMDGPU builtins, since no OpenCL library exists there. The host side
 * calls the runner (tests/diff/host_run.c), which runs each work item as a coroutine. Everything here gives the same
 * bits on both sides; what a machine may choose (NaN signs and payloads) goes through canonical() before it is stored.
 */
#ifndef TENFOLD_TESTS_KERNEL_H
#define TENFOLD_TESTS_KERNEL_H

#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION __cl_clang_function_pointers : enable

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef __SIZE_TYPE__ size_t;

/* For access at any byte, or at any word of half or of all their size. */
typedef ushort ushort_at_1 __attribute__((aligned(1)));
typedef uint uint_at_1 __attribute__((aligned(1)));
typedef uint uint_at_2 __attribute__((aligned(2)));
typedef ulong ulong_at_1 __attribute__((aligned(1)));
typedef ulong ulong_at_4 __attribute__((aligned(4)));

#define VECTORS(type) \
    typedef type type##2 __attribute__((ext_vector_type(2))); \
    typedef type type##3 __attribute__((ext_vector_type(3))); \
    typedef type type##4 __attribute__((ext_vector_type(4))); \
    typedef type type##8 __attribute__((ext_vector_type(8))); \
    typedef type type##16 __attribute__((ext_vector_type(16)))
VECTORS(char);
VECTORS(uchar);
VECTORS(short);
VECTORS(ushort);
VECTORS(int);
VECTORS(uint);
VECTORS(long);
VECTORS(ulong);
VECTORS(half);
VECTORS(float);
VECTORS(double);
typedef uint4 uint4_at_4 __attribute__((aligned(4)));

#define INLINE static inline __attribute__((always_inline))
#define NOINLINE __attribute__((noinline))
#define OVERLOAD __attribute__((overloadable))

#define as_int(x) __builtin_astype(x, int)
#define as_uint(x) __builtin_astype(x, uint)
#define as_float(x) __builtin_astype(x, float)
#define as_long(x) __builtin_astype(x, long)
#define as_ulong(x) __builtin_astype(x, ulong)
#define as_double(x) __builtin_astype(x, double)
#define as_short(x) __builtin_astype(x, short)
#define as_ushort(x) __builtin_astype(x, ushort)
#define as_half(x) __builtin_astype(x, half)
#define as_uchar4(x) __builtin_astype(x, uchar4)
#define as_ushort2(x) __builtin_astype(x, ushort2)
#define as_uint2(x) __builtin_astype(x, uint2)
#define as_uint4(x) __builtin_astype(x, uint4)
#define as_float4(x) __builtin_astype(x, float4)
#define convert(x, type) __builtin_convertvector(x, type)

/* On the host the `local` variables of a kernel are what lies in the zero-initialised storage of its object, so that
 * the runner can give every group its own: no kernel has other zero-initialised globals. The runner fills it with
 * rubbish first, as a GPU may, so that reading what nobody wrote shows. */

#ifdef __AMDGCN__

#define DISPATCH(type, offset) (*(const constant type *)((const constant uchar *)__builtin_amdgcn_dispatch_ptr() + (offset)))
#define IMPLICIT(type, offset) (*(const constant type *)((const constant uchar *)__builtin_amdgcn_implicitarg_ptr() + (offset)))

INLINE uint get_local_id(uint d)
{
    return d == 0 ? __builtin_amdgcn_workitem_id_x() : d == 1 ? __builtin_amdgcn_workitem_id_y() : __builtin_amdgcn_workitem_id_z();
}

INLINE uint get_group_id(uint d)
{
    return d == 0 ? __builtin_amdgcn_workgroup_id_x() : d == 1 ? __builtin_amdgcn_workgroup_id_y() : __builtin_amdgcn_workgroup_id_z();
}

/* The dispatch packet: workgroup sizes at 4, 6, 8; grid sizes at 12, 16, 20. */
INLINE uint get_enqueued_local_size(uint d)
{
    return d == 0 ? DISPATCH(ushort, 4) : d == 1 ? DISPATCH(ushort, 6) : DISPATCH(ushort, 8);
}

INLINE uint get_global_size(uint d)
{
    return d == 0 ? DISPATCH(uint, 12) : d == 1 ? DISPATCH(uint, 16) : DISPATCH(uint, 20);
}

#if CODE_OBJECT_VERSION == 4
INLINE ulong get_global_offset(uint d) { return d == 0 ? IMPLICIT(ulong, 0) : d == 1 ? IMPLICIT(ulong, 8) : IMPLICIT(ulong, 16); }

INLINE uint get_local_size(uint d)
{
    uint full = get_enqueued_local_size(d), left = get_global_size(d) - get_group_id(d) * full;
    return left < full ? left : full;
}

INLINE uint get_num_groups(uint d) { return (get_global_size(d) + get_enqueued_local_size(d) - 1) / get_enqueued_local_size(d); }
#else
INLINE ulong get_global_offset(uint d) { return d == 0 ? IMPLICIT(ulong, 40) : d == 1 ? IMPLICIT(ulong, 48) : IMPLICIT(ulong, 56); }

/* Version 5 hands over the number of whole groups, the group size and what is left for the last one. */
INLINE uint get_local_size(uint d)
{
    uint whole = d == 0 ? IMPLICIT(uint, 0) : d == 1 ? IMPLICIT(uint, 4) : IMPLICIT(uint, 8);
    uint size = d == 0 ? IMPLICIT(ushort, 12) : d == 1 ? IMPLICIT(ushort, 14) : IMPLICIT(ushort, 16);
    uint rest = d == 0 ? IMPLICIT(ushort, 18) : d == 1 ? IMPLICIT(ushort, 20) : IMPLICIT(ushort, 22);
    return get_group_id(d) < whole ? size : rest;
}

INLINE uint get_num_groups(uint d)
{
    uint whole = d == 0 ? IMPLICIT(uint, 0) : d == 1 ? IMPLICIT(uint, 4) : IMPLICIT(uint, 8);
    uint rest = d == 0 ? IMPLICIT(ushort, 18) : d == 1 ? IMPLICIT(ushort, 20) : IMPLICIT(ushort, 22);
    return whole + (rest != 0);
}
#endif

INLINE uint get_global_id(uint d) { return (uint)get_global_offset(d) + get_group_id(d) * get_enqueued_local_size(d) + get_local_id(d); }

INLINE void barrier(void)
{
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

INLINE void fence_device(void) { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent"); }
/* Called in every turn of a loop that waits for another work item: the host runner lets the others run. */
INLINE void give_way(void) { __builtin_amdgcn_s_sleep(1); }

#else

uint get_local_id(uint d);
uint get_group_id(uint d);
uint get_local_size(uint d);
uint get_enqueued_local_size(uint d);
uint get_global_size(uint d);
uint get_num_groups(uint d);
uint get_global_id(uint d);
ulong get_global_offset(uint d);
void barrier(void);
void give_way(void);
INLINE void fence_device(void) { }

#endif

#define DEVICE __MEMORY_SCOPE_DEVICE
#define GROUP __MEMORY_SCOPE_WRKGRP
#define atomic_add(p, v) __scoped_atomic_fetch_add(p, v, __ATOMIC_RELAXED, DEVICE)
#define atomic_sub(p, v) __scoped_atomic_fetch_sub(p, v, __ATOMIC_RELAXED, DEVICE)
#define atomic_and(p, v) __scoped_atomic_fetch_and(p, v, __ATOMIC_RELAXED, DEVICE)
#define atomic_or(p, v) __scoped_atomic_fetch_or(p, v, __ATOMIC_RELAXED, DEVICE)
#define atomic_xor(p, v) __scoped_atomic_fetch_xor(p, v, __ATOMIC_RELAXED, DEVICE)
#define atomic_min(p, v) __scoped_atomic_fetch_min(p, v, __ATOMIC_RELAXED, DEVICE)
#define atomic_max(p, v) __scoped_atomic_fetch_max(p, v, __ATOMIC_RELAXED, DEVICE)
#define atomic_xchg(p, v) __scoped_atomic_exchange_n(p, v, __ATOMIC_RELAXED, DEVICE)
#define atomic_cas(p, expected, v) __scoped_atomic_compare_exchange_n(p, expected, v, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED, DEVICE)
#define load_acquire(p) __scoped_atomic_load_n(p, __ATOMIC_ACQUIRE, DEVICE)
#define store_release(p, v) __scoped_atomic_store_n(p, v, __ATOMIC_RELEASE, DEVICE)
#define load_relaxed(p) __scoped_atomic_load_n(p, __ATOMIC_RELAXED, DEVICE)
#define store_relaxed(p, v) __scoped_atomic_store_n(p, v, __ATOMIC_RELAXED, DEVICE)

INLINE OVERLOAD float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
INLINE OVERLOAD double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
INLINE OVERLOAD float sqrt(float x) { return __builtin_sqrtf(x); }
INLINE OVERLOAD double sqrt(double x) { return __builtin_sqrt(x); }
INLINE OVERLOAD float fabs(float x) { return __builtin_fabsf(x); }
INLINE OVERLOAD double fabs(double x) { return __builtin_fabs(x); }
INLINE OVERLOAD float floor(float x) { return __builtin_floorf(x); }
INLINE OVERLOAD double floor(double x) { return __builtin_floor(x); }
INLINE OVERLOAD float ceil(float x) { return __builtin_ceilf(x); }
INLINE OVERLOAD double ceil(double x) { return __builtin_ceil(x); }
INLINE OVERLOAD float trunc(float x) { return __builtin_truncf(x); }
INLINE OVERLOAD double trunc(double x) { return __builtin_trunc(x); }
INLINE OVERLOAD float rint(float x) { return __builtin_rintf(x); }
INLINE OVERLOAD double rint(double x) { return __builtin_rint(x); }
INLINE OVERLOAD float copysign(float x, float s) { return __builtin_copysignf(x, s); }
INLINE OVERLOAD double copysign(double x, double s) { return __builtin_copysign(x, s); }
INLINE OVERLOAD float ldexp(float x, int e) { return __builtin_ldexpf(x, e); }
INLINE OVERLOAD double ldexp(double x, int e) { return __builtin_ldexp(x, e); }

/* The smaller and the larger one by comparison: defined for every pair, NaN included. The
 * arguments may be evaluated twice. */
#define lesser(a, b) ((a) < (b) ? (a) : (b))
#define greater(a, b) ((a) > (b) ? (a) : (b))
#define between(x, low, high) lesser(greater(x, low), high)

/* The bits of a float with every NaN made one. */
INLINE OVERLOAD uint canonical(float x) { return x != x ? 0x7fc00000u : as_uint(x); }
INLINE OVERLOAD ulong canonical(double x) { return x != x ? 0x7ff8000000000000ul : as_ulong(x); }
INLINE OVERLOAD ushort canonical(half x) { return x != x ? (ushort)0x7e00 : as_ushort(x); }

INLINE OVERLOAD uint rotate(uint x, uint n) { return __builtin_rotateleft32(x, n); }
INLINE OVERLOAD ulong rotate(ulong x, ulong n) { return __builtin_rotateleft64(x, n); }
INLINE OVERLOAD uint popcount(uint x) { return (uint)__builtin_popcount(x); }
INLINE OVERLOAD uint popcount(ulong x) { return (uint)__builtin_popcountl(x); }
INLINE OVERLOAD uint clz(uint x) { return x ? (uint)__builtin_clz(x) : 32; }
INLINE OVERLOAD uint clz(ulong x) { return x ? (uint)__builtin_clzl(x) : 64; }
INLINE OVERLOAD uint ctz(uint x) { return x ? (uint)__builtin_ctz(x) : 32; }
INLINE OVERLOAD uint ctz(ulong x) { return x ? (uint)__builtin_ctzl(x) : 64; }
INLINE OVERLOAD uint bit_reverse(uint x) { return __builtin_bitreverse32(x); }
INLINE OVERLOAD ulong bit_reverse(ulong x) { return __builtin_bitreverse64(x); }
INLINE OVERLOAD uint mul_hi(uint a, uint b) { return (uint)(((ulong)a * b) >> 32); }
INLINE OVERLOAD int mul_hi(int a, int b) { return (int)(((long)a * b) >> 32); }
INLINE OVERLOAD ulong mul_hi(ulong a, ulong b)
{
    ulong al = (uint)a, ah = a >> 32, bl = (uint)b, bh = b >> 32;
    ulong mid = ah * bl + ((al * bl) >> 32), mid2 = al * bh + (uint)mid;
    return ah * bh + (mid >> 32) + (mid2 >> 32);
}
INLINE uint mul24(uint a, uint b) { return (a & 0xffffff) * (b & 0xffffff); }
INLINE int mul24_signed(int a, int b) { return (int)((uint)((int)((uint)a << 8) >> 8) * (uint)((int)((uint)b << 8) >> 8)); }

/* A cheap scrambler for seeds and positions. */
INLINE uint mix(uint x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ (x >> 16);
}

#endif
