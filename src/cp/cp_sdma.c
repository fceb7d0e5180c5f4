/* cp_sdma: the packets of an SDMA ring. */
#include "cp/cp_sdma.h"
#include "cp/cp_internal.h"

/* Values that hold one less than what they mean. */
static uint64_t plus_one(const struct pm4_sdma_packet *packet, struct pm4_field field)
{
    return (uint64_t)pm4_sdma_get(packet, field) + 1;
}

static bool no_swaps(struct cp_ring *ring, unsigned swaps)
{
    return !swaps || cp_ring_lose(ring, "swapped bytes are not supported");
}

bool cp_sdma_ignore(struct cp_ring *ring, const struct pm4_sdma_packet *packet)
{
    (void)ring;
    (void)packet;
    return true;
}

/* ---- copies ---- */

bool cp_sdma_copy_linear(struct cp_ring *ring, const struct pm4_sdma_packet *packet)
{
    if (!no_swaps(ring,
                  pm4_sdma_get(packet, PM4_SDMA_W_COPY_LINEAR_SRC_SWAP) | pm4_sdma_get(packet, PM4_SDMA_W_COPY_LINEAR_DST_SWAP)))
        return false;
    cp_memory_copy(ring, pm4_sdma_get_quad(packet, PM4_SDMA_W_COPY_LINEAR_DST),
                   pm4_sdma_get_quad(packet, PM4_SDMA_W_COPY_LINEAR_SRC), plus_one(packet, PM4_SDMA_W_COPY_LINEAR_COUNT));
    return true;
}

bool cp_sdma_copy_broadcast(struct cp_ring *ring, const struct pm4_sdma_packet *packet)
{
    uint64_t from = pm4_sdma_get_quad(packet, PM4_SDMA_W_COPY_LINEAR_BROADCAST_SRC);
    uint64_t bytes = plus_one(packet, PM4_SDMA_W_COPY_LINEAR_BROADCAST_COUNT);
    if (!no_swaps(ring, pm4_sdma_get(packet, PM4_SDMA_W_COPY_LINEAR_BROADCAST_SRC_SWAP) |
                            pm4_sdma_get(packet, PM4_SDMA_W_COPY_LINEAR_BROADCAST_DST_SWAP) |
                            pm4_sdma_get(packet, PM4_SDMA_W_COPY_LINEAR_BROADCAST_DST2_SWAP)))
        return false;
    cp_memory_copy(ring, pm4_sdma_get_quad(packet, PM4_SDMA_W_COPY_LINEAR_BROADCAST_DST), from, bytes);
    cp_memory_copy(ring, pm4_sdma_get_quad(packet, PM4_SDMA_W_COPY_LINEAR_BROADCAST_DST2), from, bytes);
    return true;
}

/* A window of a linear image: where its first element lies, and how far it is to the next row and slice, in bytes. */
struct window {
    uint64_t first, row, slice;
};

static struct window window_of(uint64_t base, uint64_t x, uint64_t y, uint64_t z, uint64_t pitch, uint64_t slice_pitch,
                               unsigned shift)
{
    return (struct window){base + ((x + y * pitch + z * slice_pitch) << shift), pitch << shift, slice_pitch << shift};
}

/* More than an image of 16384 x 8192 x 16 has, or 16 x 16384 x 16384 bytes: the guest must not keep the ring for hours. */
static const uint64_t max_rows = UINT64_C(1) << 24, max_bytes = UINT64_C(1) << 37;

bool cp_sdma_window_fits(struct cp_ring *ring, uint64_t columns, uint64_t rows, uint64_t slices, unsigned shift)
{
    return (slices * rows <= max_rows && (slices * rows * columns) << shift <= max_bytes) ||
           cp_ring_lose(ring, "a window of %llu x %llu x %llu elements: more than any image has", (unsigned long long)columns,
                        (unsigned long long)rows, (unsigned long long)slices);
}

bool cp_sdma_copy_sub_window(struct cp_ring *ring, const struct pm4_sdma_packet *p)
{
    unsigned shift = pm4_sdma_get(p, PM4_SDMA_W_COPY_LINEAR_SUB_WINDOW_ELEMENT_SIZE);
    struct window from = window_of(
        pm4_sdma_get_quad(p, PM4_SDMA_W_COPY_LINEAR_SUB_WINDOW_SRC), pm4_sdma_get(p, PM4_SDMA_W_COPY_LINEAR_SUB_WINDOW_SRC_X),
        pm4_sdma_get(p, PM4_SDMA_W_COPY_LINEAR_SUB_WINDOW_SRC_Y), pm4_sdma_get(p, PM4_SDMA_W_COPY_LINEAR_SUB_WINDOW_SRC_Z),
        plus_one(p, PM4_SDMA_W_COPY_LINEAR_SUB_WINDOW_SRC_PITCH), plus_one(p, PM4_SDMA_W_COPY_LINEAR_SUB_WINDOW_SRC_SLICE_PITCH),
        shift);
    struct window to = window_of(
        pm4_sdma_get_quad(p, PM4_SDMA_W_COPY_LINEAR_SUB_WINDOW_DST), pm4_sdma_get(p, PM4_SDMA_W_COPY_LINEAR_SUB_WINDOW_DST_X),
        pm4_sdma_get(p, PM4_SDMA_W_COPY_LINEAR_SUB_WINDOW_DST_Y), pm4_sdma_get(p, PM4_SDMA_W_COPY_LINEAR_SUB_WINDOW_DST_Z),
        plus_one(p, PM4_SDMA_W_COPY_LINEAR_SUB_WINDOW_DST_PITCH), plus_one(p, PM4_SDMA_W_COPY_LINEAR_SUB_WINDOW_DST_SLICE_PITCH),
        shift);
    uint64_t columns = plus_one(p, PM4_SDMA_W_COPY_LINEAR_SUB_WINDOW_RECT_X),
             rows = plus_one(p, PM4_SDMA_W_COPY_LINEAR_SUB_WINDOW_RECT_Y);
    uint64_t slices = plus_one(p, PM4_SDMA_W_COPY_LINEAR_SUB_WINDOW_RECT_Z);
    if (!no_swaps(ring, pm4_sdma_get(p, PM4_SDMA_W_COPY_LINEAR_SUB_WINDOW_SRC_SWAP) |
                            pm4_sdma_get(p, PM4_SDMA_W_COPY_LINEAR_SUB_WINDOW_DST_SWAP)))
        return false;
    if (shift > 4)
        return cp_ring_lose(ring, "there are no elements of %u bytes", 1u << shift);
    if (!cp_sdma_window_fits(ring, columns, rows, slices, shift))
        return false;
    for (uint64_t z = 0; z < slices; z++)
        for (uint64_t y = 0; y < rows; y++) {
            if (atomic_load_explicit(&ring->stop, memory_order_relaxed))
                return cp_ring_lose(ring, "given up");
            cp_memory_copy(ring, to.first + z * to.slice + y * to.row, from.first + z * from.slice + y * from.row,
                           columns << shift);
        }
    return true;
}

/* What drivers do not use: they copy windows. */
bool cp_sdma_refuse_tiled(struct cp_ring *ring, const struct pm4_sdma_packet *packet)
{
    (void)packet;
    cp_ring_refuse(ring, "only windows of tiled images are supported");
    return true;
}

/* ---- writes and fills ---- */

bool cp_sdma_write_linear(struct cp_ring *ring, const struct pm4_sdma_packet *packet)
{
    enum { DATA = 4 };
    if (!no_swaps(ring, pm4_sdma_get(packet, PM4_SDMA_W_WRITE_LINEAR_SWAP)))
        return false;
    cp_memory_write(ring, pm4_sdma_get_quad(packet, PM4_SDMA_W_WRITE_LINEAR_DST) & ~UINT64_C(3), packet->words + DATA,
                    (packet->count - DATA) * (uint64_t)sizeof *packet->words);
    return true;
}

bool cp_sdma_const_fill(struct cp_ring *ring, const struct pm4_sdma_packet *packet)
{
    unsigned size = pm4_sdma_get(packet, PM4_SDMA_W_CONST_FILL_SIZE);
    if (!no_swaps(ring, pm4_sdma_get(packet, PM4_SDMA_W_CONST_FILL_SWAP)))
        return false;
    if (size > PM4_V_SDMA_FILL_DWORDS)
        return cp_ring_lose(ring, "there is no fill of size %u", size);
    cp_memory_fill(ring, pm4_sdma_get_quad(packet, PM4_SDMA_W_CONST_FILL_DST), pm4_sdma_get(packet, PM4_SDMA_W_CONST_FILL_DATA),
                   1u << size, plus_one(packet, PM4_SDMA_W_CONST_FILL_COUNT));
    return true;
}

bool cp_sdma_fence(struct cp_ring *ring, const struct pm4_sdma_packet *packet)
{
    uint32_t data = pm4_sdma_get(packet, PM4_SDMA_W_FENCE_DATA);
    cp_memory_write(ring, pm4_sdma_get_quad(packet, PM4_SDMA_W_FENCE_ADDR), &data, sizeof data);
    return true;
}

/* The engine's own counter, which the stream may set, and the GPU's. */
bool cp_sdma_timestamp(struct cp_ring *ring, const struct pm4_sdma_packet *packet)
{
    uint64_t now = cp_gpu_clock(ring->gpu) + ring->stamp_shift;
    cp_memory_write(ring, pm4_sdma_get_quad(packet, PM4_SDMA_W_TIMESTAMP_GET_ADDR), &now, sizeof now);
    return true;
}

bool cp_sdma_timestamp_global(struct cp_ring *ring, const struct pm4_sdma_packet *packet)
{
    uint64_t now = cp_gpu_clock(ring->gpu);
    cp_memory_write(ring, pm4_sdma_get_quad(packet, PM4_SDMA_W_TIMESTAMP_GET_GLOBAL_ADDR), &now, sizeof now);
    return true;
}

bool cp_sdma_timestamp_set(struct cp_ring *ring, const struct pm4_sdma_packet *packet)
{
    ring->stamp_shift = pm4_sdma_get_quad(packet, PM4_SDMA_W_TIMESTAMP_SET_VALUE) - cp_gpu_clock(ring->gpu);
    return true;
}

/* ---- waits, conditions, atomics ---- */

bool cp_sdma_poll(struct cp_ring *ring, const struct pm4_sdma_packet *packet)
{
    struct cp_wait wait = {
        .memory = pm4_sdma_get(packet, PM4_SDMA_W_POLL_REGMEM_MEM_POLL),
        .function = pm4_sdma_get(packet, PM4_SDMA_W_POLL_REGMEM_FUNCTION),
        .address = pm4_sdma_get_quad(packet, PM4_SDMA_W_POLL_REGMEM_ADDR),
        .reference = pm4_sdma_get(packet, PM4_SDMA_W_POLL_REGMEM_REFERENCE),
        .mask = pm4_sdma_get(packet, PM4_SDMA_W_POLL_REGMEM_MASK),
    };
    return wait.memory ? cp_wait_until(ring, &wait)
                       : cp_ring_lose(ring, "waits for a register, which only the kernel has a use for");
}

bool cp_sdma_cond_exe(struct cp_ring *ring, const struct pm4_sdma_packet *packet)
{
    uint32_t value = cp_memory_read_u32(ring, pm4_sdma_get_quad(packet, PM4_SDMA_W_COND_EXE_ADDR));
    return value == pm4_sdma_get(packet, PM4_SDMA_W_COND_EXE_REFERENCE) ||
           cp_stream_skip(ring, packet->offset + packet->count, pm4_sdma_get(packet, PM4_SDMA_W_COND_EXE_COUNT));
}

/* For the first of several linked devices, which this is. */
bool cp_sdma_pre_exe(struct cp_ring *ring, const struct pm4_sdma_packet *packet)
{
    return (pm4_sdma_get(packet, PM4_SDMA_W_PRE_EXE_DEVICE_SELECT) & 1) ||
           cp_stream_skip(ring, packet->offset + packet->count, pm4_sdma_get(packet, PM4_SDMA_W_PRE_EXE_COUNT));
}

bool cp_sdma_atomic(struct cp_ring *ring, const struct pm4_sdma_packet *packet)
{
    struct cp_atomic atomic = {
        .op = pm4_sdma_get(packet, PM4_SDMA_W_ATOMIC_OP),
        .loops = pm4_sdma_get(packet, PM4_SDMA_W_ATOMIC_LOOP),
        .address = pm4_sdma_get_quad(packet, PM4_SDMA_W_ATOMIC_ADDR),
        .source = pm4_sdma_get_quad(packet, PM4_SDMA_W_ATOMIC_SRC),
        .compare = pm4_sdma_get_quad(packet, PM4_SDMA_W_ATOMIC_CMP),
    };
    return cp_atomic_run(ring, &atomic);
}

bool cp_sdma_semaphore(struct cp_ring *ring, const struct pm4_sdma_packet *packet)
{
    uint64_t address = pm4_sdma_get_quad(packet, PM4_SDMA_W_SEMAPHORE_ADDR);
    if (pm4_sdma_get(packet, PM4_SDMA_W_SEMAPHORE_MAILBOX))
        return cp_ring_lose(ring, "a mailbox is not supported");
    if (pm4_sdma_get(packet, PM4_SDMA_W_SEMAPHORE_SIGNAL))
        return cp_atomic_signal(ring, address, pm4_sdma_get(packet, PM4_SDMA_W_SEMAPHORE_WRITE_ONE));
    return cp_atomic_wait(ring, address);
}

bool cp_sdma_indirect(struct cp_ring *ring, const struct pm4_sdma_packet *packet)
{
    return cp_stream_call(ring, submit_address(pm4_sdma_get_quad(packet, PM4_SDMA_W_INDIRECT_BASE)),
                          pm4_sdma_get(packet, PM4_SDMA_W_INDIRECT_SIZE));
}
