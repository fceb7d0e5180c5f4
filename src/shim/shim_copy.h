/* shim_copy: copies from and to addresses that a program gave, which may be wrong. */
#ifndef SHIM_SHIM_COPY_H
#define SHIM_SHIM_COPY_H

#include <stddef.h>
#include <stdint.h>

/* 0, or -EFAULT when not all of the range is there. A program that unmaps the range meanwhile harms only itself. */
int shim_copy_in(void *to, uint64_t from, size_t bytes);
/* 0, or -EFAULT; part of it may have been written then. */
int shim_copy_out(uint64_t to, const void *from, size_t bytes);

#endif
