/* tenfold/memory.h: the guest's memory.
 *
 * Guest memory that Tenfold allocates lies at the same address in the guest and in the host process. Between allocations there are
 * always unmapped guards, so an access past an allocation's end (rounded up to 16 bytes) is a reported fault. */
#ifndef TENFOLD_MEMORY_H
#define TENFOLD_MEMORY_H

#include <stdint.h>

#include <tenfold/gpu.h>

#ifdef __cplusplus
extern "C" {
#endif

enum tf_memory_flags {
    TF_MEMORY_READ_ONLY = 1 << 0, /* the guest may not write; the host may */
    TF_MEMORY_REPLACE = 1 << 1,   /* tf_memory_map_file: what is mapped in the range goes in the same step */
};

/* Allocates `bytes` (1 or more) of zeroed guest memory at a multiple of 4096; *address is where. Freed with tf_memory_free, or with
 * the GPU. Fails with TF_ERROR_ARGUMENT, TF_ERROR_MEMORY. */
TF_API enum tf_status tf_memory_alloc(struct tf_gpu *gpu, uint64_t bytes, unsigned flags, uint64_t *address,
                                      struct tf_error *error);
/* Frees what tf_memory_alloc returned. A dispatch that runs meanwhile still sees it. TF_ERROR_NOT_FOUND when nothing is there. */
TF_API enum tf_status tf_memory_free(struct tf_gpu *gpu, uint64_t address, struct tf_error *error);

/* Shows `bytes` of the caller's memory at `host` to the guest at `address`, in the window or anywhere else (tf_memory_pointer says where
 * the host reaches it). The memory stays the caller's and must outlive the mapping and any work that ran with it; when it does not, the
 * guest reads zeros there and its writes are dropped. TF_ERROR_ARGUMENT when the range wraps or is mapped already. */
TF_API enum tf_status tf_memory_map(struct tf_gpu *gpu, uint64_t address, void *host, uint64_t bytes, unsigned flags,
                                    struct tf_error *error);
/* Ends a mapping that tf_memory_map, _map_file or _map_prt made at `address`. */
TF_API enum tf_status tf_memory_unmap(struct tf_gpu *gpu, uint64_t address, struct tf_error *error);

/* The range that tf_memory_alloc allocates from (its lowest quarter first), and tf_memory_map_file maps into: guest addresses in it are
 * host addresses. Its base is a multiple of 4 GiB. */
TF_API void tf_memory_window(const struct tf_gpu *gpu, uint64_t *base, uint64_t *bytes);

/* Shows `bytes` of a file (shared memory, usually) from `offset` to the guest at `address`, in the window, where the host then reaches
 * it at the same address, or anywhere else. All page-aligned. The descriptor is not needed afterwards. Where an older mapping's memory
 * still serves a queued submission, the new one takes its place when that is done; nobody waits here. A file that becomes shorter later
 * reads as zeros from there on. TF_ERROR_ARGUMENT when the range is mapped already (without TF_MEMORY_REPLACE), TF_ERROR_MEMORY when
 * the host refuses. */
TF_API enum tf_status tf_memory_map_file(struct tf_gpu *gpu, uint64_t address, int descriptor, uint64_t offset, uint64_t bytes,
                                         unsigned flags, struct tf_error *error);
/* A range that is resident nowhere: reads are zero, writes vanish, neither is a fault. Page-aligned. What is mapped there goes in the
 * same step. */
TF_API enum tf_status tf_memory_map_prt(struct tf_gpu *gpu, uint64_t address, uint64_t bytes, struct tf_error *error);
/* Takes away whatever is mapped in the range, also parts of mappings; page-aligned; nothing there is fine. Work submitted before still
 * sees it. */
TF_API enum tf_status tf_memory_clear(struct tf_gpu *gpu, uint64_t address, uint64_t bytes, struct tf_error *error);

/* Copies between host and guest memory. All of the guest range must be mapped, or nothing is promised to have been copied and the
 * call fails with TF_ERROR_UNMAPPED. */
TF_API enum tf_status tf_memory_read(struct tf_gpu *gpu, uint64_t address, void *to, uint64_t bytes, struct tf_error *error);
TF_API enum tf_status tf_memory_write(struct tf_gpu *gpu, uint64_t address, const void *from, uint64_t bytes,
                                      struct tf_error *error);

/* Where the host reaches [address, address + bytes), or NULL when that is not inside one allocation or mapping. Valid until it is
 * freed or unmapped. After writing instructions through it, call tf_memory_changed. */
TF_API void *tf_memory_pointer(struct tf_gpu *gpu, uint64_t address, uint64_t bytes);
/* Brings guest memory up to date with what submissions that are done left there; for a GPU whose caller tells of its accesses (memory_told),
 * before it reads or writes through a pointer. TF_ERROR_LOST when a host device took results with it. */
TF_API enum tf_status tf_memory_acquire(struct tf_gpu *gpu, uint64_t address, uint64_t bytes, struct tf_error *error);
/* Says that nobody reads or writes a mapping, all of it, through a pointer (or stops saying so: hidden false): what submissions that are done left
 * there need not be in guest memory then, whoever reaches that memory otherwise. tf_memory_read and its like may still be called. Before the
 * mapping changes, or somebody reaches its memory, it is to be shown again, which brings it up to date. TF_ERROR_LOST as with
 * tf_memory_acquire. */
TF_API enum tf_status tf_memory_hide(struct tf_gpu *gpu, uint64_t address, uint64_t bytes, bool hidden, struct tf_error *error);
/* Says that the host changed guest memory through a pointer, so that translated programs in it, and a device's copies, are looked at again. */
TF_API void tf_memory_changed(struct tf_gpu *gpu, uint64_t address, uint64_t bytes);

#ifdef __cplusplus
}
#endif

#endif
