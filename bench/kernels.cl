/* The benchmark's kernels for the guest: the same work, groups and order of operations as the GLSL beside this file. Compiled
 * freestanding, without contraction. */
#ifndef WAVE
#define WAVE 32
#endif
typedef uint uint4v __attribute__((ext_vector_type(4)));

#define LOCAL_ID(d) ((d) == 0 ? __builtin_amdgcn_workitem_id_x() : __builtin_amdgcn_workitem_id_y())
#define GROUP_ID(d) ((d) == 0 ? __builtin_amdgcn_workgroup_id_x() : __builtin_amdgcn_workgroup_id_y())

static inline void group_barrier(void)
{
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

#define KERNEL(x, y) __kernel __attribute__((reqd_work_group_size(x, y, 1)))

KERNEL(64, 1) void saxpy(__global const float *restrict x, __global float *restrict y, float a, uint n)
{
    uint i = GROUP_ID(0) * 64 + LOCAL_ID(0);
    if (i < n)
        y[i] = a * x[i] + y[i];
}

KERNEL(64, 1) void copy1(__global const uint *restrict x, __global uint *restrict y, float a, uint n)
{
    uint i = GROUP_ID(0) * 64 + LOCAL_ID(0);
    if (i < n)
        y[i] = x[i];
}

KERNEL(64, 1) void copy4(__global const uint4v *restrict x, __global uint4v *restrict y, float a, uint n)
{
    uint i = GROUP_ID(0) * 64 + LOCAL_ID(0);
    if (i < n)
        y[i] = x[i];
}

KERNEL(8, 8) void clear1(__global const uint *restrict x, __global uint *restrict y, float a, uint n)
{
    uint px = GROUP_ID(0) * 8 + LOCAL_ID(0), py = GROUP_ID(1) * 8 + LOCAL_ID(1);
    if (px < 3840 && py < 2160)
        y[py * 3840 + px] = n;
}

KERNEL(64, 1) void clear4(__global const uint *restrict x, __global uint4v *restrict y, float a, uint n)
{
    uint i = GROUP_ID(0) * 64 + LOCAL_ID(0);
    if (i < 2073600)
        y[i] = (uint4v)(n, n, n, n);
}

KERNEL(16, 16) void matmul(__global const float *restrict x, __global float *restrict y, float a, uint n)
{
    __local float left[16][16], right[16][16];
    uint tx = LOCAL_ID(0), ty = LOCAL_ID(1), column = GROUP_ID(0) * 16 + tx, row = GROUP_ID(1) * 16 + ty;
    float sum = 0;
    for (uint t = 0; t < n; t += 16) {
        left[ty][tx] = x[row * n + t + tx];
        right[ty][tx] = x[n * n + (t + ty) * n + column];
        group_barrier();
        for (uint k = 0; k < 16; k++)
            sum = __builtin_fmaf(left[ty][k], right[k][tx], sum);
        group_barrier();
    }
    y[row * n + column] = sum;
}

static inline uint mandelbrot_at(uint px, uint py, uint n)
{
    float cx = (float)px * (3.0f / 1024.0f) - 2.0f, cy = (float)py * (2.0f / 1024.0f) - 1.0f, zx = 0, zy = 0;
    uint i = 0;
    for (; i < n; i++) {
        float x2 = zx * zx, y2 = zy * zy;
        if (x2 + y2 > 4.0f)
            break;
        zy = 2.0f * zx * zy + cy;
        zx = x2 - y2 + cx;
    }
    return i;
}

KERNEL(8, 8) void mandelbrot(__global const uint *restrict x, __global uint *restrict y, float a, uint n)
{
    uint px = GROUP_ID(0) * 8 + LOCAL_ID(0), py = GROUP_ID(1) * 8 + LOCAL_ID(1);
    y[py * 1024 + px] = mandelbrot_at(px, py, n);
}

/* The same, but for a move across lanes that leaves all where they are: a program that needs its waves. */
KERNEL(8, 8) void mandelbrot_waves(__global const uint *restrict x, __global uint *restrict y, float a, uint n)
{
    uint px = GROUP_ID(0) * 8 + LOCAL_ID(0), py = GROUP_ID(1) * 8 + LOCAL_ID(1);
    y[py * 1024 + px] = __builtin_amdgcn_mov_dpp8(mandelbrot_at(px, py, n), 0xfac688);
}

KERNEL(256, 1) void reduce(__global const uint *restrict x, __global uint *restrict y, float a, uint n)
{
    __local uint part[8];
    uint l = LOCAL_ID(0), base = GROUP_ID(0) * 4096 + l, sum = 0;
    for (uint k = 0; k < 16; k++)
        sum += x[base + k * 256];
    sum += __builtin_amdgcn_update_dpp(0, sum, 0x111, 0xf, 0xf, 1);
    sum += __builtin_amdgcn_update_dpp(0, sum, 0x112, 0xf, 0xf, 1);
    sum += __builtin_amdgcn_update_dpp(0, sum, 0x114, 0xf, 0xf, 1);
    sum += __builtin_amdgcn_update_dpp(0, sum, 0x118, 0xf, 0xf, 1);
    uint wave = __builtin_amdgcn_readlane(sum, 15) + __builtin_amdgcn_readlane(sum, 31);
    if (WAVE == 64)
        wave += __builtin_amdgcn_readlane(sum, 47) + __builtin_amdgcn_readlane(sum, 63);
    if (l % WAVE == 0)
        part[l / WAVE] = wave;
    group_barrier();
    if (l == 0) {
        uint total = 0;
        for (uint k = 0; k < 256 / WAVE; k++)
            total += part[k];
        __atomic_fetch_add(y, total, __ATOMIC_RELAXED);
    }
}

KERNEL(64, 1) void histogram(__global const uint *restrict x, __global uint *restrict y, float a, uint n)
{
    uint i = GROUP_ID(0) * 64 + LOCAL_ID(0);
    if (i < n)
        __atomic_fetch_add(y + (x[i] & 255), 1u, __ATOMIC_RELAXED);
}
