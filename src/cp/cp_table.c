/* cp_table: which function carries which packet out. */
#include "cp/cp_internal.h"
#include "cp/cp_sdma.h"

static const cp_handler handlers[PM4_PACKET_COUNT] = {
    /* registers */
    [PM4_SET_CONFIG_REG] = cp_registers_set,
    [PM4_SET_CONTEXT_REG] = cp_registers_set,
    [PM4_SET_CONTEXT_REG_INDEX] = cp_registers_set,
    [PM4_SET_SH_REG] = cp_registers_set,
    [PM4_SET_SH_REG_INDEX] = cp_registers_set,
    [PM4_SET_UCONFIG_REG] = cp_registers_set,
    [PM4_SET_UCONFIG_REG_INDEX] = cp_registers_set,
    [PM4_CONTEXT_REG_RMW] = cp_registers_context_rmw,
    [PM4_REG_RMW] = cp_registers_rmw,
    [PM4_LOAD_UCONFIG_REG] = cp_registers_load,
    [PM4_LOAD_SH_REG] = cp_registers_load,
    [PM4_LOAD_CONFIG_REG] = cp_registers_load,
    [PM4_LOAD_CONTEXT_REG] = cp_registers_load,
    [PM4_LOAD_SH_REG_INDEX] = cp_registers_load_index,
    [PM4_LOAD_CONTEXT_REG_INDEX] = cp_registers_load_index,
    [PM4_CLEAR_STATE] = cp_registers_clear,
    [PM4_CONTEXT_CONTROL] = cp_registers_context_control,

    /* the stream */
    [PM4_INDIRECT_BUFFER] = cp_flow_indirect_buffer,
    [PM4_COND_EXEC] = cp_flow_cond_exec,
    [PM4_PRED_EXEC] = cp_flow_pred_exec,
    [PM4_SET_PREDICATION] = cp_flow_set_predication,
    [PM4_WAIT_REG_MEM] = cp_flow_wait_reg_mem,
    [PM4_WAIT_REG_MEM64] = cp_flow_wait_reg_mem64,
    [PM4_REWIND] = cp_flow_rewind,

    /* memory */
    [PM4_WRITE_DATA] = cp_data_write,
    [PM4_COPY_DATA] = cp_data_copy,
    [PM4_DMA_DATA] = cp_dma_data,
    [PM4_ATOMIC_MEM] = cp_data_atomic,
    [PM4_COND_WRITE] = cp_data_cond_write,
    [PM4_COPY_DW] = cp_data_copy_word,
    [PM4_CP_DMA] = cp_dma_cp_dma,
    [PM4_MEM_SEMAPHORE] = cp_data_semaphore,

    /* events */
    [PM4_EVENT_WRITE] = cp_event_write,
    [PM4_RELEASE_MEM] = cp_event_release_mem,
    [PM4_EVENT_WRITE_EOP] = cp_event_write_eop,
    [PM4_EVENT_WRITE_EOS] = cp_event_write_eos,
    [PM4_ACQUIRE_MEM] = cp_event_acquire_mem,
    [PM4_STRMOUT_BUFFER_UPDATE] = cp_event_strmout_update,

    /* work */
    [PM4_SET_BASE] = cp_dispatch_set_base,
    [PM4_DISPATCH_DIRECT] = cp_dispatch_direct,
    [PM4_DISPATCH_INDIRECT] = cp_dispatch_indirect,
    [PM4_DISPATCH_INDIRECT_MEC] = cp_dispatch_indirect_mec,
    [PM4_INDEX_BUFFER_SIZE] = cp_draw_state,
    [PM4_INDEX_BASE] = cp_draw_state,
    [PM4_INDEX_TYPE] = cp_draw_state,
    [PM4_NUM_INSTANCES] = cp_draw_state,
    [PM4_INDEX_ATTRIBUTES_INDIRECT] = cp_draw_state,
    [PM4_DRAW_PREAMBLE] = cp_draw_state,
    [PM4_DISPATCH_TASK_STATE_INIT] = cp_draw_state,
    [PM4_DISPATCH_TASKMESH_DIRECT_ACE] = cp_draw_refuse,
    [PM4_DISPATCH_TASKMESH_INDIRECT_MULTI_ACE] = cp_draw_refuse,
    [PM4_DRAW_INDEX_2] = cp_draw_refuse,
    [PM4_DRAW_INDEX_AUTO] = cp_draw_refuse,
    [PM4_DRAW_INDEX_OFFSET_2] = cp_draw_refuse,
    [PM4_DRAW_INDEX_MULTI_AUTO] = cp_draw_refuse,
    [PM4_DRAW_INDIRECT] = cp_draw_refuse,
    [PM4_DRAW_INDEX_INDIRECT] = cp_draw_refuse,
    [PM4_DRAW_INDIRECT_MULTI] = cp_draw_refuse,
    [PM4_DRAW_INDEX_INDIRECT_MULTI] = cp_draw_refuse,
    [PM4_DISPATCH_MESH_INDIRECT_MULTI] = cp_draw_refuse,
    [PM4_DISPATCH_TASKMESH_GFX] = cp_draw_refuse,
};

static const cp_sdma_handler sdma_handlers[PM4_SDMA_COUNT] = {
    [PM4_SDMA_NOP] = cp_sdma_ignore,
    [PM4_SDMA_COPY_LINEAR] = cp_sdma_copy_linear,
    [PM4_SDMA_COPY_LINEAR_BROADCAST] = cp_sdma_copy_broadcast,
    [PM4_SDMA_COPY_LINEAR_SUB_WINDOW] = cp_sdma_copy_sub_window,
    [PM4_SDMA_COPY_TILED] = cp_sdma_refuse_tiled,
    [PM4_SDMA_COPY_TILED_BROADCAST] = cp_sdma_refuse_tiled,
    [PM4_SDMA_COPY_TILED_SUB_WINDOW] = cp_sdma_copy_tiled_window,
    [PM4_SDMA_COPY_T2T_SUB_WINDOW] = cp_sdma_copy_images_window,
    [PM4_SDMA_WRITE_LINEAR] = cp_sdma_write_linear,
    [PM4_SDMA_WRITE_TILED] = cp_sdma_refuse_tiled,
    [PM4_SDMA_CONST_FILL] = cp_sdma_const_fill,
    [PM4_SDMA_FENCE] = cp_sdma_fence,
    [PM4_SDMA_TRAP] = cp_sdma_ignore, /* an interrupt: fences need none */
    [PM4_SDMA_POLL_REGMEM] = cp_sdma_poll,
    [PM4_SDMA_COND_EXE] = cp_sdma_cond_exe,
    [PM4_SDMA_PRE_EXE] = cp_sdma_pre_exe,
    [PM4_SDMA_ATOMIC] = cp_sdma_atomic,
    [PM4_SDMA_SEMAPHORE] = cp_sdma_semaphore,
    [PM4_SDMA_TIMESTAMP_SET] = cp_sdma_timestamp_set,
    [PM4_SDMA_DUMMY_TRAP] = cp_sdma_ignore,
    [PM4_SDMA_TIMESTAMP_GET] = cp_sdma_timestamp,
    [PM4_SDMA_TIMESTAMP_GET_GLOBAL] = cp_sdma_timestamp_global,
    [PM4_SDMA_GCR_REQ] = cp_sdma_ignore, /* caches: the host's own */
    [PM4_SDMA_INDIRECT] = cp_sdma_indirect,
};

cp_handler cp_table_handler(enum pm4_packet_id id)
{
    return handlers[id];
}

cp_sdma_handler cp_table_sdma_handler(enum pm4_sdma_id id)
{
    return sdma_handlers[id];
}
