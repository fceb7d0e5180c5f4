/* The native side of the benchmark: the GLSL kernels on the host's Vulkan device. */
#ifndef BENCH_NATIVE_H
#define BENCH_NATIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A Vulkan device with the benchmark's two buffers; ends the program with a message when Vulkan fails. */
struct native;
/* A kernel ready to be submitted. */
struct native_kernel;

struct native *native_create(size_t buffer_bytes);
/* The same in two steps, on the device of that number, or with that part of its name; NULL: the first. */
struct native *native_open(const char *device);
void native_allocate(struct native *native, size_t buffer_bytes);
bool native_is_host(const struct native *native); /* the device is the host's own cores */
void native_destroy(struct native *native);
const char *native_device(const struct native *native);
/* Buffers x and y, mapped. */
void *native_x(struct native *native);
void *native_y(struct native *native);
/* The first bytes of y in memory that is read fast, which mapped memory of a device need not be; until the next call. */
const void *native_result(struct native *native, size_t bytes);

/* The SPIR-V file's kernel over groups[0] x groups[1] groups with push constants a and n, `dispatches` times in one command buffer. */
struct native_kernel *native_kernel_create(struct native *native, const char *spirv_path, float a, uint32_t n,
                                           const uint32_t groups[2], unsigned dispatches);
/* The device's own fill: n into the first `bytes` of y. */
struct native_kernel *native_fill_create(struct native *native, uint32_t n, size_t bytes);
/* The device's own copy of the first `bytes` of x to y. */
struct native_kernel *native_copy_create(struct native *native, size_t bytes);
void native_kernel_destroy(struct native *native, struct native_kernel *kernel);
/* Submits and waits; returns seconds. */
double native_run(struct native *native, const struct native_kernel *kernel);

#endif
