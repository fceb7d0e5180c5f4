/* Kernels for the tests of `tenfold exec` and of the public API: small, each for one thing. They need no device library. */
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef float float4 __attribute__((ext_vector_type(4)));

#define LOCAL_X __builtin_amdgcn_workitem_id_x()
#define GROUP_X __builtin_amdgcn_workgroup_id_x()
#define GLOBAL_X (GROUP_X * __builtin_amdgcn_workgroup_size_x() + LOCAL_X)

static void barrier_local(void)
{
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

__kernel void saxpy(__global const float *x, __global float *y, float a, uint n)
{
    uint i = GROUP_X * 64 + LOCAL_X;
    if (i < n)
        y[i] = a * x[i] + y[i];
}

/* One word a thread: its place in the grid. */
__kernel void places(__global uint *y, uint width)
{
    uint x = GROUP_X * 16 + LOCAL_X;
    uint row = __builtin_amdgcn_workgroup_id_y() * 4 + __builtin_amdgcn_workitem_id_y();
    y[row * width + x] = row << 16 | x;
}

/* What the compiler reads from the packet and the implicit arguments. */
__kernel void sizes(__global uint *y)
{
    if (GLOBAL_X != 0)
        return;
    y[0] = __builtin_amdgcn_grid_size_x();
    y[1] = __builtin_amdgcn_grid_size_y();
    y[2] = __builtin_amdgcn_grid_size_z();
    y[3] = __builtin_amdgcn_workgroup_size_x();
    y[4] = __builtin_amdgcn_workgroup_size_y();
    y[5] = __builtin_amdgcn_workgroup_size_z();
}

/* Values of every width, back to back. */
__kernel void values(__global uint *y, uchar c, ushort s, uint u, ulong l, double d, float4 v)
{
    y[0] = c;
    y[1] = s;
    y[2] = u;
    y[3] = (uint)l;
    y[4] = (uint)(l >> 32);
    *(__global double *)(y + 6) = d;
    *(__global float4 *)(y + 8) = v;
}

__kernel void reverse(__global uint *y, __local uint *first, __local uint *second)
{
    uint i = LOCAL_X;
    first[i] = i;
    second[i] = 100 + i;
    barrier_local();
    y[GROUP_X * 64 + i] = first[63 - i] + 1000 * second[63 - i];
}

__constant uint primes[4] = {2, 3, 5, 7};
__constant uint squares[4] = {1, 4, 9, 16};
__constant const uint *const tables[2] = {primes, squares};

__kernel void lookup(__global uint *y, uint which)
{
    y[LOCAL_X] = tables[which & 1][LOCAL_X & 3];
}

__attribute__((noinline)) static uint pick(uint *p, uint n)
{
    return p[n & 31] + p[(n + 1) & 31];
}

__kernel void scratch(__global uint *y, uint k)
{
    uint a[32];
    uint i = GROUP_X * 64 + LOCAL_X;
    for (uint n = 0; n < 32; n++)
        a[n] = n * k + i;
    y[i] = pick(a, i);
}

/* A generic pointer that is LDS in some lanes and scratch in others. */
__kernel void flat(__global uint *y)
{
    __local uint shared_words[64];
    uint own[4];
    uint i = LOCAL_X;
    shared_words[i] = 100 + i;
    for (uint n = 0; n < 4; n++)
        own[n] = 200 + i + n;
    barrier_local();
    uint *p = i & 1 ? &own[i & 3] : (uint *)&shared_words[i];
    y[i] = *p;
}

/* Where a wave loads from stands in memory; and rcp and sin leave their last bits open. */
__kernel void gather(__global uint *y, __global const uint *index, __global const uint *words)
{
    uint i = GROUP_X * 256 + LOCAL_X;
    y[i] = words[index[i >> 5] + (i & 15)] + i;
}

__kernel void turn(__global float *y)
{
    y[LOCAL_X] = __builtin_amdgcn_rcpf(y[LOCAL_X]) + __builtin_amdgcn_sinf(y[LOCAL_X]);
}

/* More local memory than many hosts' groups have. */
__kernel void wide_local(__global uint *y)
{
    __local uint words[15000];
    for (uint n = LOCAL_X; n < 15000; n += 256)
        words[n] = n * 3 + GROUP_X;
    barrier_local();
    y[GROUP_X * 256 + LOCAL_X] = words[LOCAL_X * 977 % 15000];
}

/* Each wave takes a number of turns of its own. */
__kernel void fenced_turns(__global uint *y, __global uint *t)
{
    __local uint words[256];
    for (uint n = 0; n < (LOCAL_X >> 5) * 3; n++) {
        t[LOCAL_X] = n;
        __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent");
    }
    words[LOCAL_X] = LOCAL_X * 3;
    barrier_local();
    y[LOCAL_X] = words[LOCAL_X ^ 77];
}

__kernel void long_sum(__global uint *y)
{
    __local ulong sum;
    if (LOCAL_X == 0)
        sum = 0;
    barrier_local();
    __scoped_atomic_fetch_add(&sum, (ulong)LOCAL_X, __ATOMIC_RELAXED, __MEMORY_SCOPE_WRKGRP);
    barrier_local();
    y[LOCAL_X] = (uint)sum;
}

/* The same where words and sum are 32 KiB, which is all that many hosts' groups have. */
__kernel void full_sum(__global uint *y)
{
    __local ulong sum;
    __local uint words[8190];
    if (LOCAL_X == 0)
        sum = 0;
    for (uint n = LOCAL_X; n < 8190; n += 256)
        words[n] = n + GROUP_X;
    barrier_local();
    __scoped_atomic_fetch_add(&sum, (ulong)words[LOCAL_X * 31], __ATOMIC_RELAXED, __MEMORY_SCOPE_WRKGRP);
    barrier_local();
    y[GROUP_X * 256 + LOCAL_X] = (uint)sum;
}

__kernel void store_at(ulong address, uint value)
{
    *(__global uint *)address = value;
}

__kernel void load_at(__global uint *y, ulong address)
{
    y[LOCAL_X] = *(__global uint *)address + 1;
}

__kernel void overrun(__global uint *y, uint n)
{
    y[LOCAL_X + n] = 1;
}

__kernel void spin(__global uint *flag)
{
    while (__atomic_load_n(flag, __ATOMIC_RELAXED) == 0)
        ;
    flag[1] = 1;
}

__kernel void trap(__global uint *y)
{
    y[0] = 1;
    __builtin_trap();
}

__kernel void much_local(__global uint *y, __local uint *l)
{
    __local uint big[15000];
    big[LOCAL_X] = y[LOCAL_X];
    l[LOCAL_X] = 1;
    barrier_local();
    y[LOCAL_X] = big[(LOCAL_X + y[0]) % 15000] + l[LOCAL_X ^ 1];
}

__kernel __attribute__((reqd_work_group_size(8, 4, 1))) void required(__global uint *y)
{
    y[__builtin_amdgcn_workitem_id_y() * 8 + LOCAL_X] = GROUP_X;
}
