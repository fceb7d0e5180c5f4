/* Arithmetic with a result for every operand: what the random programs (tests/diff/gen_program.py) are built of. */
#ifndef TENFOLD_TESTS_SAFE_H
#define TENFOLD_TESTS_SAFE_H

#include "kernel.h"

/* A dividend that the GPU's compiler knows nothing about. It takes an unsigned division of sign-extended operands for a
 * narrow one, and gives a wrong remainder where the sign was set (LLVM 19; llvm-project's pull request 119325 mends it). */
#ifdef __AMDGCN__
INLINE OVERLOAD uint unknown(uint x) { __asm__("" : "+v"(x)); return x; }
INLINE OVERLOAD ulong unknown(ulong x) { __asm__("" : "+v"(x)); return x; }
#else
#define unknown(x) (x)
#endif
#define known(x) (x)

/* Integers wrap, shifts take their count modulo the width, division by zero and of the lowest by -1 gives the dividend. */
#define SAFE_INTEGER(type, wide, bits, dividend) \
    INLINE type add_##type(type a, type b) { return (type)((wide)a + (wide)b); } \
    INLINE type sub_##type(type a, type b) { return (type)((wide)a - (wide)b); } \
    INLINE type mul_##type(type a, type b) { return (type)((wide)a * (wide)b); } \
    INLINE type neg_##type(type a) { return (type)(0 - (wide)a); } \
    INLINE type shl_##type(type a, type b) { return (type)((wide)a << ((wide)b & (bits - 1))); } \
    INLINE type shr_##type(type a, type b) { return (type)(a >> ((wide)b & (bits - 1))); } \
    INLINE type div_##type(type a, type b) { return b == 0 || b == (type)-1 ? a : (type)(dividend(a) / b); } \
    INLINE type mod_##type(type a, type b) { return b == 0 || b == (type)-1 ? a : (type)(dividend(a) % b); }

SAFE_INTEGER(char, uint, 8, known)
SAFE_INTEGER(uchar, uint, 8, known)
SAFE_INTEGER(short, uint, 16, known)
SAFE_INTEGER(ushort, uint, 16, known)
SAFE_INTEGER(int, uint, 32, known)
SAFE_INTEGER(uint, uint, 32, unknown)
SAFE_INTEGER(long, ulong, 64, known)
SAFE_INTEGER(ulong, ulong, 64, unknown)

/* Floats to integers: NaN gives zero, what lies outside the range its nearest end. */
INLINE long to_long(double x) { return x != x ? 0 : x >= 0x1p63 ? 0x7fffffffffffffffl : x <= -0x1p63 ? (long)0x8000000000000000ul : (long)x; }
INLINE ulong to_ulong(double x) { return x != x ? 0 : x >= 0x1p64 ? 0xfffffffffffffffful : x <= 0.0 ? 0 : (ulong)x; }
INLINE int to_int(float x) { return x != x ? 0 : x >= 0x1p31f ? 0x7fffffff : x <= -0x1p31f ? (int)0x80000000 : (int)x; }
INLINE uint to_uint(float x) { return x != x ? 0 : x >= 0x1p32f ? 0xffffffffu : x <= 0.0f ? 0 : (uint)x; }

/* Integers to halves through a float, whose rounding comes first on every machine. */
INLINE half to_half(int x) { return (half)(float)x; }

INLINE OVERLOAD half root(half x) { return (half)sqrt((float)x); }
INLINE OVERLOAD float root(float x) { return sqrt(x); }
INLINE OVERLOAD double root(double x) { return sqrt(x); }
INLINE OVERLOAD half magnitude(half x) { return as_half((ushort)(as_ushort(x) & 0x7fff)); }
INLINE OVERLOAD float magnitude(float x) { return fabs(x); }
INLINE OVERLOAD double magnitude(double x) { return fabs(x); }

#endif
