/* Kernels whose code object has every part that the reader looks at: arguments of each kind, scratch, LDS, a table of pointers. */
typedef unsigned int uint;
typedef float float4 __attribute__((ext_vector_type(4)));
__constant uint first[4] = {1, 2, 3, 4};
__constant uint second[4] = {5, 6, 7, 8};
__constant const uint *const tables[2] = {first, second};
__kernel void lookup(__global uint *y, uint which, char c, float4 v, __local uint *l)
{
    uint i = __builtin_amdgcn_workitem_id_x();
    l[i] = which;
    __builtin_amdgcn_s_barrier();
    y[i] = tables[l[i ^ 1] & 1][i & 3] + (uint)c + (uint)v.y;
}
__attribute__((noinline)) static uint deep(uint *p, uint n)
{
    return p[n & 31] + n;
}
__kernel __attribute__((reqd_work_group_size(16, 4, 1))) void spill(__global uint *y, uint k)
{
    uint a[32];
    __local uint shared_word;
    shared_word = k;
    for (uint i = 0; i < 32; i++)
        a[i] = i * k;
    y[__builtin_amdgcn_workitem_id_x()] = deep(a, k) + shared_word + __builtin_amdgcn_grid_size_x();
}
