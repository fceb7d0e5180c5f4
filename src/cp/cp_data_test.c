/* Packets that move data: what they leave in memory, registers and GDS. Expected values follow from the packets' definitions. */
#include "cp/cp_testing.h"

static uint32_t write_control(unsigned target, unsigned one_address)
{
    return target << 8 | one_address << 16 | 1u << 20;
}

static void write_data_puts_words_one_after_the_other(void **state)
{
    struct testing_ring *f = *state;
    testing_packet(&f->stream, PM4_WRITE_DATA, 6, write_control(PM4_V_WRITE_DST_MEM, 0), low(data(f, 0)), high(data(f, 0)), 1u,
                   2u, 3u);
    testing_ring_run(f);
    assert_int_equal(word(f, 0)[0], 1);
    assert_int_equal(word(f, 0)[1], 2);
    assert_int_equal(word(f, 0)[2], 3);
    assert_int_equal(word(f, 0)[3], 0);
}

static void write_data_to_one_address_leaves_the_last_word(void **state)
{
    struct testing_ring *f = *state;
    testing_packet(&f->stream, PM4_WRITE_DATA, 6, write_control(PM4_V_WRITE_DST_L2, 1), low(data(f, 0)), high(data(f, 0)), 1u, 2u,
                   3u);
    testing_ring_run(f);
    assert_int_equal(word(f, 0)[0], 3);
    assert_int_equal(word(f, 0)[1], 0);
}

static void write_data_and_copy_data_reach_registers_and_gds(void **state)
{
    struct testing_ring *f = *state;
    testing_packet(&f->stream, PM4_WRITE_DATA, 5, write_control(PM4_V_WRITE_DST_REGISTER, 0),
                   (uint32_t)PM4_REG_COMPUTE_USER_DATA_0, 0u, 7u, 8u);
    testing_packet(&f->stream, PM4_COPY_DATA, 5, (uint32_t)(PM4_V_COPY_SRC_REGISTER | PM4_V_COPY_DST_GDS << 8 | 1 << 16),
                   (uint32_t)PM4_REG_COMPUTE_USER_DATA_0, 0u, 16u, 0u);
    testing_packet(&f->stream, PM4_COPY_DATA, 5, (uint32_t)(PM4_V_COPY_SRC_GDS | PM4_V_COPY_DST_MEM << 8 | 1 << 16), 16u, 0u,
                   low(data(f, 8)), high(data(f, 8)));
    testing_ring_run(f);
    assert_int_equal(word(f, 8)[0], 7);
    assert_int_equal(word(f, 8)[1], 8);
}

static void copy_data_takes_one_word_or_two(void **state)
{
    struct testing_ring *f = *state;
    word(f, 0)[0] = 0x11111111;
    word(f, 0)[1] = 0x22222222;
    testing_packet(&f->stream, PM4_COPY_DATA, 5, (uint32_t)(PM4_V_COPY_SRC_MEM | PM4_V_COPY_DST_MEM << 8), low(data(f, 0)),
                   high(data(f, 0)), low(data(f, 64)), high(data(f, 64)));
    testing_packet(&f->stream, PM4_COPY_DATA, 5, (uint32_t)(PM4_V_COPY_SRC_L2 | PM4_V_COPY_DST_L2 << 8 | 1 << 16),
                   low(data(f, 0)), high(data(f, 0)), low(data(f, 128)), high(data(f, 128)));
    testing_packet(&f->stream, PM4_COPY_DATA, 5, (uint32_t)(PM4_V_COPY_SRC_IMMEDIATE | PM4_V_COPY_DST_MEM << 8 | 1 << 16), 5u, 6u,
                   low(data(f, 192)), high(data(f, 192)));
    testing_ring_run(f);
    assert_int_equal(word(f, 64)[0], 0x11111111);
    assert_int_equal(word(f, 64)[1], 0);
    assert_int_equal(word(f, 128)[1], 0x22222222);
    assert_int_equal(word(f, 192)[0], 5);
    assert_int_equal(word(f, 192)[1], 6);
}

static void timestamps_come_from_the_clock_that_was_given(void **state)
{
    struct testing_ring *f = *state;
    f->gpu->ticks = UINT64_C(0x500000000);
    testing_packet(&f->stream, PM4_COPY_DATA, 5, (uint32_t)(PM4_V_COPY_SRC_TIMESTAMP | PM4_V_COPY_DST_MEM << 8 | 1 << 16), 0u, 0u,
                   low(data(f, 0)), high(data(f, 0)));
    testing_packet(&f->stream, PM4_RELEASE_MEM, 7, (uint32_t)PM4_V_EVENT_BOTTOM_OF_PIPE_TS,
                   (uint32_t)PM4_V_RELEASE_DATA_TIMESTAMP << 29, low(data(f, 8)), high(data(f, 8)), 0u, 0u, 0u);
    testing_ring_run(f);
    assert_int_equal(word(f, 0)[0], 1);
    assert_int_equal(word(f, 0)[1], 5);
    assert_int_equal(word(f, 8)[0], 2);
    assert_int_equal(word(f, 8)[1], 5);
}

static void release_mem_writes_as_much_as_it_says(void **state)
{
    struct testing_ring *f = *state;
    memcpy(f->gpu->gds + 8, "abcdefgh", 8);
    word(f, 8)[1] = word(f, 0)[1] = word(f, 0)[0] = 99;
    static const uint32_t select[] = {PM4_V_RELEASE_DATA_NOTHING, PM4_V_RELEASE_DATA_VALUE_32, PM4_V_RELEASE_DATA_VALUE_64};
    for (uint32_t n = 0; n < 3; n++)
        testing_packet(&f->stream, PM4_RELEASE_MEM, 7, (uint32_t)PM4_V_EVENT_CACHE_FLUSH_AND_INV_TS_EVENT, select[n] << 29,
                       low(data(f, 8 * n)), high(data(f, 8 * n)), 1u, 2u, 0u);
    testing_packet(&f->stream, PM4_RELEASE_MEM, 7, (uint32_t)PM4_V_EVENT_CS_DONE, (uint32_t)PM4_V_RELEASE_DATA_GDS << 29,
                   low(data(f, 64)), high(data(f, 64)), 2u | 2u << 16, 0u, 0u);
    testing_ring_run(f);
    assert_int_equal(word(f, 0)[0], 99);
    assert_int_equal(word(f, 0)[1], 99);
    assert_int_equal(word(f, 8)[0], 1);
    assert_int_equal(word(f, 8)[1], 99);
    assert_int_equal(word(f, 16)[0], 1);
    assert_int_equal(word(f, 16)[1], 2);
    assert_memory_equal(word(f, 64), "abcdefgh", 8);
}

static void dma(struct testing_ring *f, unsigned source, uint64_t from, unsigned target, uint64_t to, uint32_t command)
{
    testing_packet(&f->stream, PM4_DMA_DATA, 6, source << 29 | target << 20, low(from), high(from), low(to), high(to), command);
}

static void dma_data_copies_bytes_and_fills_words(void **state)
{
    struct testing_ring *f = *state;
    memcpy(word(f, 0), "hello, stream", 14);
    dma(f, PM4_V_DMA_SRC_ADDRESS_L2, data(f, 1), PM4_V_DMA_DST_ADDRESS_L2, data(f, 101), 12);
    dma(f, PM4_V_DMA_SRC_DATA, 0x01020304, PM4_V_DMA_DST_ADDRESS, data(f, 0x200), 16);
    testing_ring_run(f);
    assert_memory_equal((char *)word(f, 100) + 1, "ello, stream", 12);
    assert_int_equal(((char *)word(f, 100))[0], 0);
    for (unsigned n = 0; n < 4; n++)
        assert_int_equal(word(f, 0x200)[n], 0x01020304);
    assert_int_equal(word(f, 0x200)[4], 0);
}

static void dma_data_reaches_gds_and_leaves_prefetches_alone(void **state)
{
    struct testing_ring *f = *state;
    word(f, 0)[0] = 0xabcd;
    word(f, 0)[1] = 0xef01;
    dma(f, PM4_V_DMA_SRC_ADDRESS, data(f, 0), PM4_V_DMA_DST_GDS, 32, 8);
    dma(f, PM4_V_DMA_SRC_GDS, 36, PM4_V_DMA_DST_ADDRESS, data(f, 64), 4);
    dma(f, PM4_V_DMA_SRC_ADDRESS_L2, data(f, 0), PM4_V_DMA_DST_NOWHERE, data(f, 128), 8);
    dma(f, PM4_V_DMA_SRC_ADDRESS_L2, UINT64_C(0x7fff0000), PM4_V_DMA_DST_NOWHERE, UINT64_C(0x7fff0000), 64);
    testing_ring_run(f);
    assert_int_equal(word(f, 64)[0], 0xef01);
    assert_int_equal(word(f, 128)[0], 0);
}

static void dma_data_keeps_an_end_where_it_is_when_told(void **state)
{
    struct testing_ring *f = *state;
    enum { SAIC = 1 << 28, DAIC = 1 << 29 };
    word(f, 0)[0] = 1;
    word(f, 0)[1] = 2;
    word(f, 0)[2] = 3;
    dma(f, PM4_V_DMA_SRC_ADDRESS, data(f, 0), PM4_V_DMA_DST_ADDRESS, data(f, 64), SAIC | 12);
    dma(f, PM4_V_DMA_SRC_ADDRESS, data(f, 0), PM4_V_DMA_DST_ADDRESS, data(f, 128), DAIC | 12);
    testing_ring_run(f);
    for (unsigned n = 0; n < 3; n++)
        assert_int_equal(word(f, 64)[n], 1);
    assert_int_equal(word(f, 128)[0], 3);
    assert_int_equal(word(f, 128)[1], 0);
}

static void dma_data_goes_between_registers_and_memory(void **state)
{
    struct testing_ring *f = *state;
    enum { SAS = 1 << 26, DAS = 1 << 27 };
    word(f, 0)[0] = 4;
    word(f, 0)[1] = 5;
    dma(f, PM4_V_DMA_SRC_ADDRESS, data(f, 0), PM4_V_DMA_DST_ADDRESS, PM4_REG_COMPUTE_USER_DATA_0, DAS | 8);
    dma(f, PM4_V_DMA_SRC_ADDRESS, PM4_REG_COMPUTE_USER_DATA_0, PM4_V_DMA_DST_ADDRESS, data(f, 64), SAS | 8);
    testing_ring_run(f);
    assert_int_equal(word(f, 64)[0], 4);
    assert_int_equal(word(f, 64)[1], 5);
}

/* Each operation on 32 and 64 bits: memory before, source, compare, memory after. */
static void atomics_do_what_their_names_say(void **state)
{
    static const struct {
        uint32_t op;
        uint64_t before, source, compare, after;
    } rows[] = {
        {PM4_V_ATOMIC_SWAP_RTN_32, 5, 9, 0, 9},
        {PM4_V_ATOMIC_CMPSWAP_RTN_32, 5, 9, 5, 9},
        {PM4_V_ATOMIC_CMPSWAP_32, 5, 9, 6, 5},
        {PM4_V_ATOMIC_ADD_32, 0xffffffff, 2, 0, 1},
        {PM4_V_ATOMIC_SUB_RTN_32, 1, 2, 0, 0xffffffff},
        {PM4_V_ATOMIC_SMIN_32, 0xffffffff, 1, 0, 0xffffffff},
        {PM4_V_ATOMIC_UMIN_32, 0xffffffff, 1, 0, 1},
        {PM4_V_ATOMIC_SMAX_32, 0xffffffff, 1, 0, 1},
        {PM4_V_ATOMIC_UMAX_RTN_32, 0xffffffff, 1, 0, 0xffffffff},
        {PM4_V_ATOMIC_AND_32, 12, 10, 0, 8},
        {PM4_V_ATOMIC_OR_32, 12, 10, 0, 14},
        {PM4_V_ATOMIC_XOR_32, 12, 10, 0, 6},
        {PM4_V_ATOMIC_INC_32, 7, 7, 0, 0},
        {PM4_V_ATOMIC_INC_32, 6, 7, 0, 7},
        {PM4_V_ATOMIC_DEC_32, 0, 7, 0, 7},
        {PM4_V_ATOMIC_DEC_32, 3, 7, 0, 2},
        {PM4_V_ATOMIC_DEC_32, 9, 7, 0, 7},
        {PM4_V_ATOMIC_ADD_64, UINT64_C(0xffffffff), 1, 0, UINT64_C(0x100000000)},
        {PM4_V_ATOMIC_SMIN_64, UINT64_MAX, 1, 0, UINT64_MAX},
        {PM4_V_ATOMIC_UMAX_64, UINT64_C(1) << 40, 1, 0, UINT64_C(1) << 40},
        {PM4_V_ATOMIC_CMPSWAP_RTN_64, UINT64_C(5) << 32, 9, UINT64_C(5) << 32, 9},
        {PM4_V_ATOMIC_SWAP_64, 1, UINT64_C(3) << 33, 0, UINT64_C(3) << 33},
    };
    struct testing_ring *f = *state;
    for (uint32_t n = 0; n < sizeof rows / sizeof rows[0]; n++) {
        memcpy(word(f, 8 * n), &rows[n].before, 8);
        testing_packet(&f->stream, PM4_ATOMIC_MEM, 8, rows[n].op, low(data(f, 8 * n)), high(data(f, 8 * n)), low(rows[n].source),
                       high(rows[n].source), low(rows[n].compare), high(rows[n].compare), 0u);
    }
    testing_ring_run(f);
    for (uint32_t n = 0; n < sizeof rows / sizeof rows[0]; n++) {
        uint64_t after;
        memcpy(&after, word(f, 8 * n), 8);
        assert_int_equal(after, rows[n].after);
    }
}

static void what_an_atomic_returned_can_be_copied(void **state)
{
    struct testing_ring *f = *state;
    word(f, 0)[0] = 41;
    testing_packet(&f->stream, PM4_ATOMIC_MEM, 8, (uint32_t)PM4_V_ATOMIC_ADD_RTN_32, low(data(f, 0)), high(data(f, 0)), 1u, 0u,
                   0u, 0u, 0u);
    testing_packet(&f->stream, PM4_COPY_DATA, 5, (uint32_t)(PM4_V_COPY_SRC_ATOMIC_RETURN | PM4_V_COPY_DST_MEM << 8), 0u, 0u,
                   low(data(f, 64)), high(data(f, 64)));
    testing_ring_run(f);
    assert_int_equal(word(f, 0)[0], 42);
    assert_int_equal(word(f, 64)[0], 41);
}

static void registers_are_set_loaded_and_changed(void **state)
{
    struct testing_ring *f = *state;
    word(f, 0)[0] = 0x1000;
    word(f, 0)[1] = 0x2000;
    uint32_t first = PM4_REG_COMPUTE_USER_DATA_0 - PM4_SH_FIRST;
    testing_set(&f->stream, PM4_REG_COMPUTE_USER_DATA_0, 4, 1u, 2u, 3u, 0xf0u);
    testing_packet(&f->stream, PM4_LOAD_SH_REG_INDEX, 4, low(data(f, 0)), high(data(f, 0)), first + 1, 2u);
    testing_packet(&f->stream, PM4_REG_RMW, 3, (uint32_t)PM4_REG_COMPUTE_USER_DATA_0 + 3, 0x30u, 0x3u);
    for (uint32_t n = 0; n < 4; n++)
        testing_packet(&f->stream, PM4_COPY_DATA, 5, (uint32_t)(PM4_V_COPY_SRC_REGISTER | PM4_V_COPY_DST_MEM << 8),
                       (uint32_t)PM4_REG_COMPUTE_USER_DATA_0 + n, 0u, low(data(f, 64 + 4 * n)), high(data(f, 64 + 4 * n)));
    testing_ring_run(f);
    assert_int_equal(word(f, 64)[0], 1);
    assert_int_equal(word(f, 64)[1], 0x1000);
    assert_int_equal(word(f, 64)[2], 0x2000);
    assert_int_equal(word(f, 64)[3], 0x33);
}

/* LOAD_SH_REG's memory is a copy of the whole space: a register's value lies at its own place in it. */
static void load_sh_reg_takes_each_register_from_its_place_in_memory(void **state)
{
    struct testing_ring *f = *state;
    uint32_t first = PM4_REG_COMPUTE_USER_DATA_0 - PM4_SH_FIRST;
    word(f, 0)[first] = 77;
    word(f, 0)[first + 2] = 78;
    testing_packet(&f->stream, PM4_LOAD_SH_REG, 6, low(data(f, 0)), high(data(f, 0)), first, 1u, first + 2, 1u);
    for (uint32_t n = 0; n < 3; n++)
        testing_packet(&f->stream, PM4_COPY_DATA, 5, (uint32_t)(PM4_V_COPY_SRC_REGISTER | PM4_V_COPY_DST_MEM << 8),
                       (uint32_t)PM4_REG_COMPUTE_USER_DATA_0 + n, 0u, low(data(f, 0x2000 + 4 * n)),
                       high(data(f, 0x2000 + 4 * n)));
    testing_ring_run(f);
    assert_int_equal(word(f, 0x2000)[0], 77);
    assert_int_equal(word(f, 0x2000)[1], 0);
    assert_int_equal(word(f, 0x2000)[2], 78);
}

/* A fence that is a lone flag: Mesa's query of streams waits for this bit. */
static void the_flush_of_streamout_sets_the_bit_that_drivers_wait_for(void **state)
{
    struct testing_ring *f = *state;
    testing_packet(&f->stream, PM4_WRITE_DATA, 4, write_control(PM4_V_WRITE_DST_REGISTER, 0), (uint32_t)PM4_REG_CP_STRMOUT_CNTL,
                   0u, 0u);
    testing_packet(&f->stream, PM4_EVENT_WRITE, 1, (uint32_t)PM4_V_EVENT_SO_VGTSTREAMOUT_FLUSH);
    testing_packet(&f->stream, PM4_WAIT_REG_MEM, 6, (uint32_t)PM4_V_COMPARE_EQUAL, (uint32_t)PM4_REG_CP_STRMOUT_CNTL, 0u, 1u, 1u,
                   4u);
    testing_ring_run(f);
}

static void streamout_offsets_are_kept_and_stored(void **state)
{
    struct testing_ring *f = *state;
    enum {
        UPDATE_MEMORY = 1,
        SOURCE_PACKET = PM4_V_STRMOUT_SOURCE_PACKET << 1,
        SOURCE_NONE = PM4_V_STRMOUT_SOURCE_NONE << 1,
        BUFFER_2 = 2 << 8
    };
    testing_packet(&f->stream, PM4_STRMOUT_BUFFER_UPDATE, 5, (uint32_t)(SOURCE_PACKET | BUFFER_2), 0u, 0u, 40u, 0u);
    testing_packet(&f->stream, PM4_STRMOUT_BUFFER_UPDATE, 5, (uint32_t)(UPDATE_MEMORY | SOURCE_NONE | BUFFER_2), low(data(f, 0)),
                   high(data(f, 0)), 0u, 0u);
    testing_ring_run(f);
    assert_int_equal(word(f, 0)[0], 40);
}

/* One count a render backend, each 16 bytes from the next, with the top bit that says it is there. */
static void a_pixel_query_finds_its_counts_present(void **state)
{
    struct testing_ring *f = *state;
    testing_packet(&f->stream, PM4_EVENT_WRITE, 3,
                   (uint32_t)(PM4_V_EVENT_ZPASS_DONE | PM4_V_EVENT_INDEX_ZPASS_OR_PIXEL_PIPE_STAT << 8), low(data(f, 0)),
                   high(data(f, 0)));
    testing_ring_run(f);
    for (unsigned n = 0; n < 4; n++) {
        assert_int_equal(word(f, 16 * n)[1], 0x80000000);
        assert_int_equal(word(f, 16 * n)[0], 0);
        assert_int_equal(word(f, 16 * n)[2], 0);
    }
}

static void access_to_what_is_not_mapped_is_counted_and_the_ring_goes_on(void **state)
{
    struct testing_ring *f = *state;
    uint64_t nowhere = UINT64_C(0x123400001000);
    testing_packet(&f->stream, PM4_WRITE_DATA, 4, write_control(PM4_V_WRITE_DST_MEM, 0), low(nowhere), high(nowhere), 1u);
    dma(f, PM4_V_DMA_SRC_ADDRESS, nowhere, PM4_V_DMA_DST_ADDRESS, data(f, 0), 8);
    word(f, 0)[0] = word(f, 0)[1] = 5;
    testing_packet(&f->stream, PM4_WRITE_DATA, 4, write_control(PM4_V_WRITE_DST_MEM, 0), low(data(f, 4)), high(data(f, 4)), 2u);
    assert_int_equal(testing_run(f->ring, &f->stream), SUBMIT_FENCE_DONE);
    assert_true(cp_gpu_failed(f->gpu->cp));
    assert_int_equal(word(f, 0)[0], 0); /* what can't be read is zero */
    assert_int_equal(word(f, 0)[1], 2);
    assert_non_null(strstr(f->gpu->log, "WRITE_DATA: write at 0x123400001000"));
    assert_int_equal(f->gpu->lines, 2);
}

/* ---- packets that later ones took the place of ---- */

static void copy_dw_moves_a_word_between_memory_and_registers(void **state)
{
    struct testing_ring *f = *state;
    enum { SRC_IS_MEM = 1, DST_IS_MEM = 2 };
    word(f, 0)[0] = 0x12345678;
    testing_packet(&f->stream, PM4_COPY_DW, 5, (uint32_t)SRC_IS_MEM, low(data(f, 0)), high(data(f, 0)),
                   (uint32_t)PM4_REG_COMPUTE_USER_DATA_0, 0u);
    testing_packet(&f->stream, PM4_COPY_DW, 5, (uint32_t)DST_IS_MEM, (uint32_t)PM4_REG_COMPUTE_USER_DATA_0, 0u, low(data(f, 8)),
                   high(data(f, 8)));
    testing_packet(&f->stream, PM4_COPY_DW, 5, (uint32_t)(SRC_IS_MEM | DST_IS_MEM), low(data(f, 8)), high(data(f, 8)),
                   low(data(f, 16)), high(data(f, 16)));
    testing_ring_run(f);
    assert_int_equal(word(f, 8)[0], 0x12345678);
    assert_int_equal(word(f, 8)[1], 0);
    assert_int_equal(word(f, 16)[0], 0x12345678);
}

static void cp_dma_copies_bytes_and_fills_words(void **state)
{
    struct testing_ring *f = *state;
    memcpy(word(f, 0), "older stream", 12);
    testing_packet(&f->stream, PM4_CP_DMA, 5, low(data(f, 0)), high(data(f, 0)), low(data(f, 64)), high(data(f, 64)), 12u);
    testing_packet(&f->stream, PM4_CP_DMA, 5, 0x01020304u, (uint32_t)PM4_V_DMA_SRC_DATA << 29, low(data(f, 128)),
                   high(data(f, 128)), 8u);
    testing_ring_run(f);
    assert_memory_equal(word(f, 64), "older stream", 12);
    assert_int_equal(word(f, 128)[0], 0x01020304);
    assert_int_equal(word(f, 128)[1], 0x01020304);
    assert_int_equal(word(f, 128)[2], 0);
}

static void end_of_pipe_and_end_of_shader_events_write_what_they_say(void **state)
{
    struct testing_ring *f = *state;
    memcpy(f->gpu->gds + 8, "abcdefgh", 8);
    word(f, 0)[1] = 99;
    testing_packet(&f->stream, PM4_EVENT_WRITE_EOP, 5, (uint32_t)PM4_V_EVENT_BOTTOM_OF_PIPE_TS, low(data(f, 0)),
                   high(data(f, 0)) | (uint32_t)PM4_V_RELEASE_DATA_VALUE_32 << 29, 5u, 6u);
    testing_packet(&f->stream, PM4_EVENT_WRITE_EOP, 5, (uint32_t)PM4_V_EVENT_BOTTOM_OF_PIPE_TS, low(data(f, 8)),
                   high(data(f, 8)) | (uint32_t)PM4_V_RELEASE_DATA_VALUE_64 << 29, 5u, 6u);
    testing_packet(&f->stream, PM4_EVENT_WRITE_EOS, 4, (uint32_t)PM4_V_EVENT_CS_DONE, low(data(f, 16)),
                   high(data(f, 16)) | (uint32_t)PM4_V_EOS_DATA_VALUE_32 << 29, 7u);
    testing_packet(&f->stream, PM4_EVENT_WRITE_EOS, 4, (uint32_t)PM4_V_EVENT_CS_DONE, low(data(f, 32)),
                   high(data(f, 32)) | (uint32_t)PM4_V_EOS_DATA_GDS << 29, 2u | 2u << 16);
    testing_ring_run(f);
    const uint32_t expected[6] = {5, 99, 5, 6, 7, 0};
    assert_memory_equal(word(f, 0), expected, sizeof expected);
    assert_memory_equal(word(f, 32), "abcdefgh", 8);
}

/* ---- faults ---- */

/* A fault is counted once for each packet, however many words it is of. */
static void a_packet_that_misses_everywhere_is_one_fault(void **state)
{
    struct testing_ring *f = *state;
    enum { NOWHERE_HIGH = 0x1234 };
    f->gpu->lines = 0;
    for (unsigned n = 0; n < 3; n++) /* to one place, word by word */
        testing_packet(&f->stream, PM4_DMA_DATA, 6, (uint32_t)(PM4_V_DMA_SRC_DATA << 29 | PM4_V_DMA_DST_ADDRESS << 20), 7u, 0u,
                       0u, (uint32_t)NOWHERE_HIGH, 0x10000u | 1u << 29);
    assert_int_equal(testing_run(f->ring, &f->stream), SUBMIT_FENCE_DONE);
    assert_int_equal(f->gpu->lines, 1);
    assert_non_null(strstr(f->gpu->log, "word 0, DMA_DATA: write at 0x123400000000"));
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, testing_graphics_ring, testing_ring_tear_down)
    const struct CMUnitTest tests[] = {
        T(write_data_puts_words_one_after_the_other),
        T(write_data_to_one_address_leaves_the_last_word),
        T(write_data_and_copy_data_reach_registers_and_gds),
        T(copy_data_takes_one_word_or_two),
        T(timestamps_come_from_the_clock_that_was_given),
        T(release_mem_writes_as_much_as_it_says),
        T(dma_data_copies_bytes_and_fills_words),
        T(dma_data_reaches_gds_and_leaves_prefetches_alone),
        T(dma_data_keeps_an_end_where_it_is_when_told),
        T(dma_data_goes_between_registers_and_memory),
        T(atomics_do_what_their_names_say),
        T(what_an_atomic_returned_can_be_copied),
        T(registers_are_set_loaded_and_changed),
        T(load_sh_reg_takes_each_register_from_its_place_in_memory),
        T(the_flush_of_streamout_sets_the_bit_that_drivers_wait_for),
        T(streamout_offsets_are_kept_and_stored),
        T(a_pixel_query_finds_its_counts_present),
        T(access_to_what_is_not_mapped_is_counted_and_the_ring_goes_on),
        T(copy_dw_moves_a_word_between_memory_and_registers),
        T(cp_dma_copies_bytes_and_fills_words),
        T(end_of_pipe_and_end_of_shader_events_write_what_they_say),
        T(a_packet_that_misses_everywhere_is_one_fault),
    };
#undef T
    return cmocka_run_group_tests(tests, NULL, NULL);
}
