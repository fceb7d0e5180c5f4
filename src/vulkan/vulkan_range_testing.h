/* What the tests of ranges share: programs that load where a table says, and runs of them. */
#ifndef VULKAN_VULKAN_RANGE_TESTING_H
#define VULKAN_VULKAN_RANGE_TESTING_H

#include "vulkan/vulkan_engine.h"
#include "vulkan/vulkan_testing.h"

/* Assembled with llvm-mc for gfx1030, wave32. s[0:1]: data; s[2:3]: a table of offsets, one for each lane; s[4:5]: what the lanes leave; s8 and on:
 * the group. */
static const uint32_t load_by_table[] = {
    0x930b0609,             /* s_mul_i32 s11, s9, s6 */
    0x800b080b,             /* s_add_u32 s11, s11, s8 */
    0x930c070a,             /* s_mul_i32 s12, s10, s7 */
    0x800b0c0b,             /* s_add_u32 s11, s11, s12 */
    0x8f0a850b,             /* s_lshl_b32 s10, s11, 5 */
    0x4a00000a,             /* v_add_nc_u32 v0, s10, v0 */
    0x34020082,             /* v_lshlrev_b32 v1, 2, v0 */
    0xdc308000, 0x02020001, /* global_load_dword v2, v1, s[2:3] */
    0xbf8c3f70,             /* s_waitcnt vmcnt(0) */
    0xdc308000, 0x03000002, /* global_load_dword v3, v2, s[0:1] */
    0xbf8c3f70,             /* s_waitcnt vmcnt(0) */
    0xdc708000, 0x00040301, /* global_store_dword v1, v3, s[4:5] */
    0xbf810000,             /* s_endpgm */
};
enum { SHIFT_AT = 4, SHIFT_6 = 0x8f0a860b };         /* s_lshl_b32 s10, s11, 6 */
enum { STORE_AT = 14, STORE_BY_TABLE = 0x00040302 }; /* global_store_dword v2, v3, s[4:5] */

static const uint32_t load_without_a_base[] = {
    0x8f0a8508,             /* s_lshl_b32 s10, s8, 5 */
    0x4a00000a,             /* v_add_nc_u32 v0, s10, v0 */
    0x34020082,             /* v_lshlrev_b32 v1, 2, v0 */
    0xdc308000, 0x02020001, /* global_load_dword v2, v1, s[2:3] */
    0xbf8c3f70,             /* s_waitcnt vmcnt(0) */
    0xd70f6a03, 0x00020400, /* v_add_co_u32 v3, vcc_lo, s0, v2 */
    0x7e080201,             /* v_mov_b32 v4, s1 */
    0xd5286a04, 0x01a90104, /* v_add_co_ci_u32 v4, vcc_lo, v4, 0, vcc_lo */
    0xdc208000, 0x057d0003, /* global_load_ubyte v5, v[3:4], off */
    0xdc288003, 0x067d0003, /* global_load_ushort v6, v[3:4], off offset:3 */
    0xbf8c3f70,             /* s_waitcnt vmcnt(0) */
    0xd76f0005, 0x04151106, /* v_lshl_or_b32 v5, v6, 8, v5 */
    0xdc708000, 0x00040501, /* global_store_dword v1, v5, s[4:5] */
    0xbf810000,             /* s_endpgm */
};

/* ---- runs ---- */

enum {
    WAVE = 32,
    NEAR = 1 << 16, /* where most lanes load, with room for a margin on each side */
};
static const uint32_t one_group[3] = {1, 1, 1}, one_wave[3] = {WAVE, 1, 1};

static inline struct device_dispatch dispatch_of(const struct testing_regions *s, const uint32_t groups[3],
                                                 const uint32_t threads[3])
{
    enum { USER_SGPRS_8 = 8 << 1, TGID_XYZ = 7 << 7, TIDIG_XYZ = 2 << 11 };
    struct device_dispatch dispatch = testing_dispatch(s->f);
    struct wave_dispatch *d = &dispatch.registers;
    const uint32_t user_data[8] = {(uint32_t)s->data, (uint32_t)(s->data >> 32), (uint32_t)s->table, (uint32_t)(s->table >> 32),
                                   (uint32_t)s->out,  (uint32_t)(s->out >> 32),  groups[0],          groups[0] * groups[1]};
    d->rsrc2 = USER_SGPRS_8 | TGID_XYZ | TIDIG_XYZ;
    memcpy(d->user_data, user_data, sizeof user_data);
    memcpy(d->groups, groups, sizeof d->groups);
    memcpy(d->threads, threads, sizeof d->threads);
    memcpy(d->last_threads, threads, sizeof d->last_threads);
    return dispatch;
}

static inline void run(const struct testing_regions *s, const uint32_t *code, size_t bytes, struct device_dispatch *dispatch)
{
    testing_changed(s->f, DEVICE_EVERYTHING);
    testing_put_code(s->f, code, bytes);
    testing_run_only(s->f, dispatch);
    testing_settle(s->f, DEVICE_EVERYTHING);
}

static inline void run_waves(const struct testing_regions *s, const uint32_t groups[3], uint32_t threads, uint32_t wave_size)
{
    uint32_t code[sizeof load_by_table / sizeof *load_by_table];
    struct device_dispatch dispatch = dispatch_of(s, groups, (const uint32_t[]){threads, 1, 1});
    dispatch.registers.wave_size = wave_size;
    memcpy(code, load_by_table, sizeof code);
    if (threads == 2 * WAVE)
        code[SHIFT_AT] = SHIFT_6;
    run(s, code, sizeof code, &dispatch);
}

static inline void run_table(const struct testing_regions *s, const uint32_t groups[3], uint32_t threads)
{
    run_waves(s, groups, threads, WAVE);
}

static inline uint32_t word_at(const struct testing_regions *s, uint32_t offset)
{
    uint32_t word;
    memcpy(&word, (const uint8_t *)s->data_words + offset, sizeof word);
    return word;
}

static inline uint32_t byte_and_half(const struct testing_regions *s, uint32_t offset)
{
    const uint8_t *bytes = (const uint8_t *)s->data_words + offset;
    return bytes[0] | (uint32_t)bytes[3] << 8 | (uint32_t)bytes[4] << 16;
}

/* All lanes load near each other: the lowest and the highest byte are those of every group. */
static inline void fill_table(const struct testing_regions *s, uint32_t lanes)
{
    for (uint32_t n = 0; n < lanes; n++) {
        s->table_words[n] = NEAR + n % WAVE * 4;
        s->out_words[n] = n;
    }
}
enum { NEAR_END = NEAR + WAVE * 4 };

static inline void assert_loaded(const struct testing_regions *s, uint32_t lanes)
{
    assert_false(s->f->result.failed);
    for (uint32_t n = 0; n < lanes; n++)
        assert_int_equal(s->out_words[n], word_at(s, s->table_words[n]));
}

/* Nothing of it has happened. */
static inline void assert_refused(const struct testing_regions *s, uint32_t lanes)
{
    assert_true(s->f->result.failed);
    if (!strstr(s->f->result.text, "outside what was bound"))
        fail_msg("%s", s->f->result.text);
    for (uint32_t n = 0; n < lanes; n++)
        assert_int_equal(s->out_words[n], n);
}

static inline void assert_bound(const struct testing_regions *s, uint64_t at, uint64_t start, uint64_t end, bool escapes)
{
    const struct vulkan_bound *bound = testing_bound_at(s->f, at);
    assert_int_equal(bound->range.start, start);
    assert_int_equal(bound->range.start + bound->range.size, end);
    assert_true(bound->escapes == escapes);
}

#endif
