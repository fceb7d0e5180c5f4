/* api_launch: sets a dispatch up from its kernel descriptor: packet, queue, arguments, scratch, and the user registers. */
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "api/api_internal.h"
#include "base/base_bytes.h"

/* The dispatch packet (hsa_kernel_dispatch_packet_t): 64 bytes, and where its fields stand. */
enum {
    PACKET_BYTES = 64,
    PACKET_HEADER = 0,
    PACKET_SETUP = 2,
    PACKET_WORKGROUP = 4, /* three u16 */
    PACKET_GRID = 12,     /* three u32 */
    PACKET_PRIVATE_BYTES = 24,
    PACKET_GROUP_BYTES = 28,
    PACKET_KERNEL_OBJECT = 32,
    PACKET_KERNARG = 40,
    PACKET_TYPE_KERNEL_DISPATCH = 2,
};

/* The queue (amd_queue_t), as far as code generated for a kernel reads it. */
enum {
    QUEUE_BYTES = 256,
    QUEUE_BASE_ADDRESS = 8,
    QUEUE_SIZE = 24,
    QUEUE_WRITE_DISPATCH_ID = 56,
    QUEUE_SHARED_BASE_HI = 64,
    QUEUE_PRIVATE_BASE_HI = 68,
    QUEUE_SCRATCH_DESCRIPTOR = 144,
    QUEUE_SCRATCH_ADDRESS = 160,
    QUEUE_SCRATCH_BYTES = 168,
};

/* Where they stand in the block of guest memory that each dispatch gets; the arguments follow. */
enum { BLOCK_PACKET = 0, BLOCK_QUEUE = BLOCK_PACKET + PACKET_BYTES, BLOCK_KERNARG = 512 };
_Static_assert((int)BLOCK_QUEUE + (int)QUEUE_BYTES <= (int)BLOCK_KERNARG, "the queue ends before the arguments");

enum {
    WAVE_SCRATCH_GRAIN = 1024,      /* the hardware allocates scratch by the kilobyte */
    DYNAMIC_STACK_BYTES = 16 << 10, /* a work-item's stack where the compiler cannot say how much it needs */
    PRIVATE_ALIGN = 16,             /* of the dynamic stack */
    GROUPS_IN_FLIGHT = 16,          /* groups a host thread may hold resident: more lets more of them wait for each other */
};

static const uint64_t max_wave_scratch = UINT64_C(0x1fff) * WAVE_SCRATCH_GRAIN; /* COMPUTE_TMPRING_SIZE.WAVESIZE is 13 bits */
static const uint64_t max_ring = UINT64_C(4) << 30;

/* Fields of a buffer descriptor (V#) that the scratch descriptor uses; each in its own word. */
static const struct base_field V1_BASE_HI = {0, 15}, V1_SWIZZLE = {31, 31};
static const struct base_field V3_SEL_X = {0, 2}, V3_SEL_Y = {3, 5}, V3_SEL_Z = {6, 8}, V3_SEL_W = {9, 11};
static const struct base_field V3_FORMAT = {12, 18}, V3_INDEX_STRIDE = {21, 22}, V3_ADD_TID = {23, 23};
static const struct base_field V3_RESOURCE_LEVEL = {24, 24}, V3_OOB_SELECT = {28, 29};
enum {
    SEL_X = 4,
    SEL_Y,
    SEL_Z,
    SEL_W,
    FORMAT_32_UINT = 20,
    INDEX_STRIDE_32 = 2,
    INDEX_STRIDE_64 = 3,
    OOB_ONLY_EMPTY = 2, /* out of bounds only where there are no records at all */
};

/* The private segment as a buffer: dwords of a wave's lanes side by side, the lane's number added by the hardware. */
static void scratch_descriptor(const struct api_launch *launch, uint32_t words[4])
{
    uint64_t bytes = (uint64_t)launch->scratch_wave_bytes * launch->scratch_waves;
    unsigned stride = launch->kernel->inner->wave_size == 32 ? INDEX_STRIDE_32 : INDEX_STRIDE_64;
    words[0] = (uint32_t)launch->scratch;
    words[1] = (uint32_t)(base_field_make(V1_BASE_HI, launch->scratch >> 32) | base_field_make(V1_SWIZZLE, 1));
    words[2] = bytes < UINT32_MAX ? (uint32_t)bytes : UINT32_MAX;
    words[3] = (uint32_t)(base_field_make(V3_SEL_X, SEL_X) | base_field_make(V3_SEL_Y, SEL_Y) | base_field_make(V3_SEL_Z, SEL_Z) |
                          base_field_make(V3_SEL_W, SEL_W) | base_field_make(V3_FORMAT, FORMAT_32_UINT) |
                          base_field_make(V3_INDEX_STRIDE, stride) | base_field_make(V3_ADD_TID, 1) |
                          base_field_make(V3_RESOURCE_LEVEL, 1) | base_field_make(V3_OOB_SELECT, OOB_ONLY_EMPTY));
}

static void put_pair(uint32_t *words, uint64_t value)
{
    words[0] = (uint32_t)value;
    words[1] = (uint32_t)(value >> 32);
}

static void fill_private_buffer(const struct api_launch *launch, uint32_t *words)
{
    scratch_descriptor(launch, words);
}

static void fill_dispatch_ptr(const struct api_launch *launch, uint32_t *words)
{
    put_pair(words, launch->packet);
}

static void fill_queue_ptr(const struct api_launch *launch, uint32_t *words)
{
    put_pair(words, launch->queue);
}

static void fill_kernarg_ptr(const struct api_launch *launch, uint32_t *words)
{
    put_pair(words, launch->kernarg);
}

static void fill_dispatch_id(const struct api_launch *launch, uint32_t *words)
{
    put_pair(words, launch->dispatch_id);
}

static void fill_flat_scratch(const struct api_launch *launch, uint32_t *words)
{
    put_pair(words, launch->scratch);
}

static void fill_private_size(const struct api_launch *launch, uint32_t *words)
{
    words[0] = launch->private_bytes;
}

/* The user registers, in the order in which the hardware loads those that the descriptor's bits ask for. */
static const struct user_register {
    enum obj_property property;
    unsigned words;
    void (*fill)(const struct api_launch *launch, uint32_t *words);
} user_registers[] = {
    {OBJ_USER_PRIVATE_SEGMENT_BUFFER, 4, fill_private_buffer},
    {OBJ_USER_DISPATCH_PTR, 2, fill_dispatch_ptr},
    {OBJ_USER_QUEUE_PTR, 2, fill_queue_ptr},
    {OBJ_USER_KERNARG_PTR, 2, fill_kernarg_ptr},
    {OBJ_USER_DISPATCH_ID, 2, fill_dispatch_id},
    {OBJ_USER_FLAT_SCRATCH_INIT, 2, fill_flat_scratch},
    {OBJ_USER_PRIVATE_SEGMENT_SIZE, 1, fill_private_size},
};

/* How much scratch the dispatch needs: a ring of one piece a wave, for as many waves as may be resident at once. */
static enum tf_status size_scratch(struct api_launch *launch, struct tf_error *error)
{
    const struct obj_kernel *kernel = launch->kernel->inner;
    bool enabled = base_field_get(kernel->descriptor.rsrc2, OBJ_RSRC2_SCRATCH_EN);
    uint64_t bytes = kernel->private_segment_bytes;
    if (kernel->dynamic_stack)
        bytes = base_align_up(bytes, PRIVATE_ALIGN) + DYNAMIC_STACK_BYTES;
    if (!bytes || (!enabled && !kernel->dynamic_stack))
        return TF_OK;
    uint64_t wave_bytes = base_align_up(bytes * kernel->wave_size, WAVE_SCRATCH_GRAIN);
    uint64_t group_waves = (launch->grid.group_threads + kernel->wave_size - 1) / kernel->wave_size;
    if (wave_bytes > max_wave_scratch)
        return api_fail(error, TF_ERROR_LIMIT, "kernel '%s' needs %" PRIu64 " bytes of scratch a work-item; a wave has %" PRIu64,
                        kernel->name, bytes, max_wave_scratch);
    long cores = launch->gpu->threads ? (long)launch->gpu->threads : sysconf(_SC_NPROCESSORS_ONLN);
    uint64_t groups = (uint64_t)(cores > 0 ? cores : 1) * GROUPS_IN_FLIGHT;
    uint64_t most = max_ring / (wave_bytes * group_waves);
    groups = groups < most ? groups : most ? most : 1;
    launch->private_bytes = (uint32_t)bytes;
    launch->scratch_wave_bytes = (uint32_t)wave_bytes;
    launch->scratch_waves = (uint32_t)(groups * group_waves);
    return TF_OK;
}

static void write_packet(const struct api_launch *launch, uint8_t *packet)
{
    base_put_u16(packet + PACKET_HEADER, PACKET_TYPE_KERNEL_DISPATCH);
    base_put_u16(packet + PACKET_SETUP, (uint16_t)launch->grid.dimensions);
    for (unsigned n = 0; n < 3; n++) {
        base_put_u16(packet + PACKET_WORKGROUP + n * sizeof(uint16_t), (uint16_t)launch->grid.workgroup[n]);
        base_put_u32(packet + PACKET_GRID + n * sizeof(uint32_t), launch->grid.threads[n]);
    }
    base_put_u32(packet + PACKET_PRIVATE_BYTES, launch->private_bytes);
    base_put_u32(packet + PACKET_GROUP_BYTES, launch->lds_bytes);
    base_put_u64(packet + PACKET_KERNEL_OBJECT, launch->kernel->descriptor);
    base_put_u64(packet + PACKET_KERNARG, launch->kernarg);
}

/* A queue of one packet, this dispatch's. */
static void write_queue(const struct api_launch *launch, uint8_t *queue)
{
    uint32_t descriptor[4];
    scratch_descriptor(launch, descriptor);
    base_put_u64(queue + QUEUE_BASE_ADDRESS, launch->packet);
    base_put_u32(queue + QUEUE_SIZE, 1);
    base_put_u64(queue + QUEUE_WRITE_DISPATCH_ID, launch->dispatch_id + 1);
    base_put_u32(queue + QUEUE_SHARED_BASE_HI, api_apertures.shared_base_hi);
    base_put_u32(queue + QUEUE_PRIVATE_BASE_HI, api_apertures.private_base_hi);
    for (unsigned n = 0; n < 4; n++)
        base_put_u32(queue + QUEUE_SCRATCH_DESCRIPTOR + n * sizeof descriptor[0], descriptor[n]);
    base_put_u64(queue + QUEUE_SCRATCH_ADDRESS, launch->scratch);
    base_put_u64(queue + QUEUE_SCRATCH_BYTES, (uint64_t)launch->scratch_wave_bytes * launch->scratch_waves);
}

static enum tf_status place(struct api_launch *launch, struct tf_error *error)
{
    uint64_t ring = (uint64_t)launch->scratch_wave_bytes * launch->scratch_waves;
    enum tf_status status =
        tf_memory_alloc(launch->gpu, BLOCK_KERNARG + (uint64_t)launch->kernel->inner->kernarg_bytes, 0, &launch->block, error);
    if (status == TF_OK && ring)
        status = tf_memory_alloc(launch->gpu, ring, 0, &launch->scratch, error);
    launch->packet = launch->block + BLOCK_PACKET;
    launch->queue = launch->block + BLOCK_QUEUE;
    launch->kernarg = launch->block + BLOCK_KERNARG;
    return status;
}

static void fill_block(struct api_launch *launch, const struct tf_dispatch *dispatch)
{
    size_t room = launch->kernel->inner->kernarg_bytes;
    size_t given = dispatch->kernarg_size < room ? dispatch->kernarg_size : room;
    uint8_t *block = tf_memory_pointer(launch->gpu, launch->block, BLOCK_KERNARG + room);
    if (given)
        memcpy(block + BLOCK_KERNARG, dispatch->kernarg, given);
    api_kernarg_hide(launch, dispatch, block + BLOCK_KERNARG);
    write_packet(launch, block + BLOCK_PACKET);
    write_queue(launch, block + BLOCK_QUEUE);
}

enum tf_status api_launch_begin(struct api_launch *launch, const struct tf_dispatch *dispatch, struct tf_error *error)
{
    const struct obj_kernel *kernel = launch->kernel->inner;
    uint64_t lds = (uint64_t)kernel->group_segment_bytes + dispatch->dynamic_lds;
    enum tf_status status = api_grid_make(dispatch, &launch->grid, error);
    if (status != TF_OK)
        return status;
    if (lds > API_LDS_BYTES)
        return api_fail(error, TF_ERROR_LIMIT, "kernel '%s' wants %" PRIu64 " bytes of local memory; a workgroup has %d",
                        kernel->name, lds, API_LDS_BYTES);
    launch->lds_bytes = (uint32_t)lds;
    status = size_scratch(launch, error);
    if (status == TF_OK)
        status = place(launch, error);
    if (status == TF_OK)
        fill_block(launch, dispatch);
    return status;
}

static enum tf_status fill_user_data(const struct api_launch *launch, struct wave_dispatch *wave, struct tf_error *error)
{
    const struct obj_descriptor *descriptor = &launch->kernel->inner->descriptor;
    unsigned used = 0, loaded = base_field_get(descriptor->rsrc2, OBJ_RSRC2_USER_SGPR);
    for (size_t n = 0; n < sizeof user_registers / sizeof user_registers[0]; n++) {
        if (!(descriptor->properties & user_registers[n].property))
            continue;
        user_registers[n].fill(launch, wave->user_data + used);
        used += user_registers[n].words;
    }
    if (used > loaded)
        return api_fail(error, TF_ERROR_OBJECT, "kernel '%s': its descriptor asks for %u user registers and loads %u",
                        launch->kernel->inner->name, used, loaded);
    return TF_OK;
}

enum tf_status api_launch_registers(const struct api_launch *launch, struct wave_dispatch *wave, struct tf_error *error)
{
    const struct obj_kernel *kernel = launch->kernel->inner;
    *wave = (struct wave_dispatch){
        .program = launch->kernel->entry,
        .rsrc1 = kernel->descriptor.rsrc1,
        .rsrc2 = kernel->descriptor.rsrc2,
        .rsrc3 = kernel->descriptor.rsrc3,
        .wave_size = kernel->wave_size,
        .lds_bytes = launch->lds_bytes,
        .scratch_base = launch->scratch,
        .scratch_wave_bytes = launch->scratch_wave_bytes,
        .scratch_waves = launch->scratch_waves,
        .apertures = api_apertures,
        .gds = launch->gpu->gds,
        .gds_bytes = API_GDS_BYTES,
        .name = kernel->name,
    };
    if (base_field_get(wave->rsrc1, OBJ_RSRC1_FP16_OVFL))
        return api_fail(error, TF_ERROR_UNSUPPORTED,
                        "kernel '%s' asks for FP16_OVFL (f16 results stay finite), which is not supported", kernel->name);
    memcpy(wave->groups, launch->grid.groups, sizeof wave->groups);
    memcpy(wave->threads, launch->grid.workgroup, sizeof wave->threads);
    memcpy(wave->last_threads, launch->grid.last, sizeof wave->last_threads);
    return fill_user_data(launch, wave, error);
}

void api_launch_end(struct api_launch *launch)
{
    if (launch->scratch)
        tf_memory_free(launch->gpu, launch->scratch, NULL);
    if (launch->block)
        tf_memory_free(launch->gpu, launch->block, NULL);
}
