/* shim_info: the INFO ioctl: what the device says of itself. */
#include <errno.h>

#include "shim/shim_copy.h"
#include "shim/shim_device.h"
#include "shim/shim_ioctl.h"

/* Firmware versions that drivers look at before they use a feature: any that has it. */
static const struct firmware {
    uint32_t type, version, feature;
} firmwares[] = {
    {AMDGPU_INFO_FW_GFX_ME, 64, 41},
    {AMDGPU_INFO_FW_GFX_PFP, 95, 41},
    {AMDGPU_INFO_FW_GFX_CE, 37, 41},
    {AMDGPU_INFO_FW_GFX_MEC, 98, 41},
    {AMDGPU_INFO_FW_GFX_RLC, 110, 1},
    {AMDGPU_INFO_FW_SDMA, 78, 52},
    {AMDGPU_INFO_FW_SMC, 0, 0},
    {AMDGPU_INFO_FW_VCE, 0, 0},
    {AMDGPU_INFO_FW_UVD, 0, 0},
    {AMDGPU_INFO_FW_GMC, 0, 0},
    {AMDGPU_INFO_FW_SOS, 0, 0},
    {AMDGPU_INFO_FW_ASD, 0, 0},
    {AMDGPU_INFO_FW_VCN, 0, 0},
    {AMDGPU_INFO_FW_DMCU, 0, 0},
    {AMDGPU_INFO_FW_TA, 0, 0},
    {AMDGPU_INFO_FW_DMCUB, 0, 0},
    {AMDGPU_INFO_FW_TOC, 0, 0},
    {AMDGPU_INFO_FW_GFX_RLC_RESTORE_LIST_CNTL, 0, 0},
    {AMDGPU_INFO_FW_GFX_RLC_RESTORE_LIST_GPM_MEM, 0, 0},
    {AMDGPU_INFO_FW_GFX_RLC_RESTORE_LIST_SRM_MEM, 0, 0},
};

enum {
    CLOCK_KHZ = 100000, /* of timestamps: tf_gpu_clock counts it */
    ENGINE_KHZ = 2000000,
    MEMORY_KHZ = 1000000,
    MEMORY_PARTS_KHZ = 1000,
    MMR_GB_ADDR_CONFIG = 0x263e,
    FRAGMENT_BYTES = 2 << 20,
    WAVE_VGPRS = 1024,
    GS_TABLE_DEPTH = 32,
    GS_BUFFER_DEPTH = 1792,
    GS_WAVES = 32,
    HARDWARE_CONTEXTS = 8,
    BITMAP_SIDE = 4, /* of cu_bitmap: engines (and, past the fourth, more arrays), arrays */
    ALIGN_GRAPHICS = 32,
    ALIGN_SDMA_START = 256,
    ALIGN_SDMA_SIZE = 4,
};

void shim_info_device(const struct shim_device *device, struct drm_amdgpu_info_device *info)
{
    const struct shim_chip *chip = device->chip;
    *info = (struct drm_amdgpu_info_device){
        .device_id = device->device_id,
        .external_rev = chip->external_revision,
        .pci_rev = chip->pci_revision,
        .family = chip->family,
        .num_shader_engines = chip->engines,
        .num_shader_arrays_per_engine = chip->arrays,
        .gpu_counter_freq = CLOCK_KHZ,
        .max_engine_clock = ENGINE_KHZ,
        .max_memory_clock = MEMORY_KHZ,
        .cu_active_number = chip->engines * chip->arrays * chip->units,
        .enabled_rb_pipes_mask = (UINT32_C(1) << chip->backends) - 1,
        .num_rb_pipes = chip->backends,
        .num_hw_gfx_contexts = HARDWARE_CONTEXTS,
        .ids_flags = chip->is_apu ? AMDGPU_IDS_FLAGS_FUSION : 0,
        .virtual_address_offset = SHIM_VA_LOWEST,
        .virtual_address_max = device->low_end,
        .virtual_address_alignment = SHIM_PAGE,
        .pte_fragment_size = FRAGMENT_BYTES,
        .gart_page_size = SHIM_PAGE,
        .vram_type = chip->memory_type,
        .vram_bit_width = chip->memory_bits,
        .gc_double_offchip_lds_buf = 1,
        .wave_front_size = 32,
        .num_shader_visible_vgprs = WAVE_VGPRS,
        .num_cu_per_sh = chip->units,
        .num_tcc_blocks = chip->slices,
        .gs_vgt_table_depth = GS_TABLE_DEPTH,
        .gs_prim_buffer_depth = GS_BUFFER_DEPTH,
        .max_gs_waves_per_vgt = GS_WAVES,
        .high_va_offset = device->window_base,
        .high_va_max = device->window_base + device->window_bytes,
    };
    for (uint32_t engine = 0; engine < chip->engines && engine < BITMAP_SIDE; engine++)
        for (uint32_t array = 0; array < chip->arrays; array++)
            info->cu_bitmap[engine][array] = info->cu_ao_bitmap[engine][array] = (UINT32_C(1) << chip->units) - 1;
}

/* Answers are cut to what the caller has room for. */
static int answer(const struct drm_amdgpu_info *call, const void *value, size_t bytes)
{
    return shim_copy_out(call->return_pointer, value, bytes < call->return_size ? bytes : call->return_size);
}

static int answer_u32(const struct drm_amdgpu_info *call, uint32_t value)
{
    return answer(call, &value, sizeof value);
}

static int answer_u64(const struct drm_amdgpu_info *call, uint64_t value)
{
    return answer(call, &value, sizeof value);
}

static int tell_engine(const struct shim_device *device, const struct drm_amdgpu_info *call)
{
    const struct shim_chip *chip = device->chip;
    uint32_t kind = call->query_hw_ip.type;
    struct drm_amdgpu_info_hw_ip info = {.available_rings = (UINT32_C(1) << shim_ring_count(kind)) - 1};
    if (kind >= AMDGPU_HW_IP_NUM || call->query_hw_ip.ip_instance)
        return -EINVAL;
    if (kind == AMDGPU_HW_IP_GFX || kind == AMDGPU_HW_IP_COMPUTE) {
        info.hw_ip_version_major = chip->gfx_major;
        info.hw_ip_version_minor = chip->gfx_minor;
        info.ib_start_alignment = info.ib_size_alignment = ALIGN_GRAPHICS;
    } else if (kind == AMDGPU_HW_IP_DMA) {
        info.hw_ip_version_major = chip->sdma_major;
        info.hw_ip_version_minor = chip->sdma_minor;
        info.ib_start_alignment = ALIGN_SDMA_START;
        info.ib_size_alignment = ALIGN_SDMA_SIZE;
    }
    return answer(call, &info, sizeof info);
}

static int tell_firmware(const struct drm_amdgpu_info *call)
{
    for (size_t n = 0; n < sizeof firmwares / sizeof firmwares[0]; n++)
        if (firmwares[n].type == call->query_fw.fw_type) {
            struct drm_amdgpu_info_firmware info = {firmwares[n].version, firmwares[n].feature};
            return answer(call, &info, sizeof info);
        }
    return -EINVAL;
}

static int tell_registers(struct shim_device *device, const struct drm_amdgpu_info *call)
{
    if (call->read_mmr_reg.count == 1 && call->read_mmr_reg.dword_offset == MMR_GB_ADDR_CONFIG)
        return answer_u32(call, device->chip->gb_addr_config);
    shim_report_refuse(device, -EINVAL, "INFO: READ_MMR_REG of register 0x%x", call->read_mmr_reg.dword_offset);
    return -EINVAL;
}

static struct drm_amdgpu_heap_info heap(uint64_t total, uint64_t used)
{
    return (struct drm_amdgpu_heap_info){
        .total_heap_size = total, .usable_heap_size = total, .heap_usage = used, .max_allocation = total / 4 * 3};
}

static int tell_memory(const struct shim_device *device, const struct drm_amdgpu_info *call)
{
    struct drm_amdgpu_memory_info info = {
        .vram = heap(device->local_bytes, device->local_used),
        .cpu_accessible_vram =
            heap(device->visible_bytes, device->local_used < device->visible_bytes ? device->local_used : device->visible_bytes),
        .gtt = heap(device->host_bytes, device->host_used),
    };
    return answer(call, &info, sizeof info);
}

static int tell_sensor(struct shim_device *device, const struct drm_amdgpu_info *call)
{
    switch (call->sensor_info.type) {
    case AMDGPU_INFO_SENSOR_GFX_SCLK:
    case AMDGPU_INFO_SENSOR_STABLE_PSTATE_GFX_SCLK: return answer_u32(call, ENGINE_KHZ / MEMORY_PARTS_KHZ);
    case AMDGPU_INFO_SENSOR_GFX_MCLK:
    case AMDGPU_INFO_SENSOR_STABLE_PSTATE_GFX_MCLK: return answer_u32(call, MEMORY_KHZ / MEMORY_PARTS_KHZ);
    }
    shim_report_refuse(device, -EOPNOTSUPP, "INFO: SENSOR %u: a virtual GPU has none", call->sensor_info.type);
    return -EOPNOTSUPP;
}

/* A clock that the program reads. It is no value that the GPU shows, so a recorder must not take it for one. */
static uint64_t read_clock(struct shim_device *device)
{
    return device->recorder ? shim_device_clock() : tf_gpu_clock(device->gpu);
}

int shim_info_ioctl(struct shim_device *device, void *argument)
{
    const struct drm_amdgpu_info *call = argument;
    if (!call->return_size || !call->return_pointer)
        return -EINVAL;
    switch (call->query) {
    case AMDGPU_INFO_ACCEL_WORKING: return answer_u32(call, 1);
    case AMDGPU_INFO_HW_IP_INFO: return tell_engine(device, call);
    case AMDGPU_INFO_HW_IP_COUNT:
        return call->query_hw_ip.type < AMDGPU_HW_IP_NUM ? answer_u32(call, shim_ring_count(call->query_hw_ip.type) != 0)
                                                         : -EINVAL;
    case AMDGPU_INFO_TIMESTAMP: return answer_u64(call, read_clock(device));
    case AMDGPU_INFO_FW_VERSION: return tell_firmware(call);
    case AMDGPU_INFO_VRAM_USAGE: return answer_u64(call, device->local_used);
    case AMDGPU_INFO_VIS_VRAM_USAGE:
        return answer_u64(call, device->local_used < device->visible_bytes ? device->local_used : device->visible_bytes);
    case AMDGPU_INFO_GTT_USAGE: return answer_u64(call, device->host_used);
    case AMDGPU_INFO_READ_MMR_REG: return tell_registers(device, call);
    case AMDGPU_INFO_MEMORY: return tell_memory(device, call);
    case AMDGPU_INFO_SENSOR: return tell_sensor(device, call);
    case AMDGPU_INFO_NUM_BYTES_MOVED:
    case AMDGPU_INFO_NUM_EVICTIONS:
    case AMDGPU_INFO_NUM_VRAM_CPU_PAGE_FAULTS: return answer_u64(call, 0); /* nothing ever moves */
    case AMDGPU_INFO_VRAM_LOST_COUNTER: return answer_u32(call, 0);
    case AMDGPU_INFO_RAS_ENABLED_FEATURES: return answer_u64(call, 0);
    case AMDGPU_INFO_DEV_INFO: {
        struct drm_amdgpu_info_device info;
        shim_info_device(device, &info);
        return answer(call, &info, sizeof info);
    }
    case AMDGPU_INFO_VRAM_GTT: {
        struct drm_amdgpu_info_vram_gtt info = {device->local_bytes, device->visible_bytes, device->host_bytes};
        return answer(call, &info, sizeof info);
    }
    case AMDGPU_INFO_GDS_CONFIG: {
        struct drm_amdgpu_info_gds info = {.gds_total_size = 64 << 10, .gds_gfx_partition_size = 64 << 10};
        return answer(call, &info, sizeof info);
    }
    case AMDGPU_INFO_VIDEO_CAPS: {
        struct drm_amdgpu_info_video_caps info = {0}; /* no codecs */
        return answer(call, &info, sizeof info);
    }
    }
    shim_report_refuse(device, -EINVAL, "INFO: query 0x%x", call->query);
    return -EINVAL;
}
