/* Global loads and stores of less than a word (D878), at any byte, in place and on copies: what they leave of registers and of memory; with the
 * argument `staged`, moved as on a device with memory of its own. */
#include "vulkan/vulkan_testing.h"

/* Assembled with llvm-mc for gfx1030, wave32. s[0:1]: data; s[2:3]: a table of offsets; s[4:5]: where v3 goes; s8: the group. */
enum { ACCESS_AT = 9, CODE_WORDS = 15, FACTOR = 0x1e3779b1 };
static const uint32_t access_by_table[CODE_WORDS] = {
    0x8f0a8508,                     /* s_lshl_b32 s10, s8, 5 */
    0x4a00000a,                     /* v_add_nc_u32 v0, s10, v0 */
    0x34020082,                     /* v_lshlrev_b32 v1, 2, v0 */
    0xdc308000, 0x02020001,         /* global_load_dword v2, v1, s[2:3] */
    0xd5690003, 0x000200ff, FACTOR, /* v_mul_lo_u32 v3, FACTOR, v0 */
    0xbf8c3f70,                     /* s_waitcnt vmcnt(0) */
    0,          0,                  /* a load of v3, or a store of it, at v2 and s[0:1] */
    0xbf8c3f70,                     /* s_waitcnt vmcnt(0) */
    0xdc708000, 0x00040301,         /* global_store_dword v1, v3, s[4:5] */
    0xbf810000,                     /* s_endpgm */
};
enum { LOADS = 0x03000002, STORES = 0x00000302 };

/* Which bytes of memory, sign-extended to which half of the register (or to all of it). */
static const struct {
    const char *name;
    uint32_t word;
    unsigned bytes;
    bool is_signed, half, high;
} loads[] = {
    {"global_load_ubyte", 0xdc208000, 1, false, false, false},    {"global_load_sbyte", 0xdc248000, 1, true, false, false},
    {"global_load_ushort", 0xdc288000, 2, false, false, false},   {"global_load_sshort", 0xdc2c8000, 2, true, false, false},
    {"global_load_ubyte_d16", 0xdc808000, 1, false, true, false}, {"global_load_ubyte_d16_hi", 0xdc848000, 1, false, true, true},
    {"global_load_sbyte_d16", 0xdc888000, 1, true, true, false},  {"global_load_sbyte_d16_hi", 0xdc8c8000, 1, true, true, true},
    {"global_load_short_d16", 0xdc908000, 2, false, true, false}, {"global_load_short_d16_hi", 0xdc948000, 2, false, true, true},
};

static const struct {
    const char *name;
    uint32_t word;
    unsigned bytes, shift;
} stores[] = {
    {"global_store_byte", 0xdc608000, 1, 0},
    {"global_store_byte_d16_hi", 0xdc648000, 1, 16},
    {"global_store_short", 0xdc688000, 2, 0},
    {"global_store_short_d16_hi", 0xdc6c8000, 2, 16},
};

enum { LANES = 8 * 32, AT_TABLE = AT_DATA + 0x10000, AT_OUT = AT_DATA + 0x20000, LANE_BYTES = 8, BYTES = LANES * LANE_BYTES };

static void run_access(struct fixture *f, uint32_t first, uint32_t second)
{
    uint32_t code[CODE_WORDS];
    const uint64_t pairs[4] = {f->base + AT_DATA, f->base + AT_TABLE, f->base + AT_OUT};
    memcpy(code, access_by_table, sizeof code);
    code[ACCESS_AT] = first;
    code[ACCESS_AT + 1] = second;
    testing_put_code(f, code, sizeof code);
    testing_changed(f, DEVICE_EVERYTHING);
    testing_run_on(f, pairs, LANES / 32, 32);
    assert_false(f->result.failed);
}

static uint8_t pattern(uint32_t byte)
{
    return (uint8_t)(byte * 151 + byte / 256 * 7 + 3);
}

static uint32_t little(const uint8_t *at, unsigned bytes)
{
    return bytes == 1 ? at[0] : at[0] | (uint32_t)at[1] << 8;
}

static void a_load_of_less_than_a_word_leaves_the_other_half_of_its_register(void **state)
{
    enum { PLACES = 1021 };
    struct fixture *f = *state;
    uint8_t *data = f->host + AT_DATA;
    uint32_t *table = (uint32_t *)(void *)(f->host + AT_TABLE), *out = (uint32_t *)(void *)(f->host + AT_OUT);
    for (uint32_t n = 0; n < BYTES; n++)
        data[n] = pattern(n);
    for (uint32_t n = 0; n < LANES; n++)
        table[n] = n * 37 % PLACES;
    for (unsigned n = 0; n < sizeof loads / sizeof *loads; n++) {
        run_access(f, loads[n].word, LOADS);
        testing_settle(f, DEVICE_EVERYTHING);
        for (uint32_t lane = 0; lane < LANES; lane++) {
            uint32_t value = little(data + table[lane], loads[n].bytes), before = lane * FACTOR;
            if (loads[n].is_signed)
                value = loads[n].bytes == 1 ? (uint32_t)(int8_t)value : (uint32_t)(int16_t)value;
            if (loads[n].half)
                value = loads[n].high ? (before & 0xffff) | value << 16 : (before & 0xffff0000) | (value & 0xffff);
            if (out[lane] != value)
                fail_msg("%s, lane %u: 0x%08x, not 0x%08x", loads[n].name, lane, out[lane], value);
        }
    }
}

/* The guest goes on with the bytes beside, before what was stored comes back. */
static void a_store_of_less_than_a_word_leaves_the_other_bytes_of_its_word(void **state)
{
    struct fixture *f = *state;
    uint8_t *data = f->host + AT_DATA, expected[BYTES];
    uint32_t *table = (uint32_t *)(void *)(f->host + AT_TABLE);
    const bool on_copies = testing_memory == VULKAN_MEMORY_MIRRORED;
    for (uint32_t n = 0; n < LANES; n++)
        table[n] = n * LANE_BYTES + n % (LANE_BYTES - 1);
    for (unsigned n = 0; n < sizeof stores / sizeof *stores; n++) {
        for (uint32_t at = 0; at < BYTES; at++)
            data[at] = pattern(at);
        run_access(f, stores[n].word, STORES);
        for (uint32_t at = 0; at < BYTES; at++)
            expected[at] = pattern(at) ^ (on_copies ? 0x5a : 0);
        for (uint32_t lane = 0; lane < LANES; lane++)
            for (unsigned byte = 0; byte < stores[n].bytes; byte++)
                expected[table[lane] + byte] = (uint8_t)((lane * FACTOR) >> (stores[n].shift + 8 * byte));
        for (uint32_t lane = 0; lane < LANES && on_copies; lane++)
            for (uint32_t at = lane * LANE_BYTES; at < (lane + 1) * LANE_BYTES; at++)
                if (at - table[lane] >= stores[n].bytes)
                    data[at] ^= 0x5a;
        testing_settle(f, DEVICE_EVERYTHING);
        for (uint32_t at = 0; at < BYTES; at++)
            if (data[at] != expected[at])
                fail_msg("%s, byte %u: 0x%02x, not 0x%02x", stores[n].name, at, data[at], expected[at]);
    }
}

int main(int argc, char **argv)
{
    testing_choose(argc, argv);
    const struct CMUnitTest tests[] = {
        TEST(a_load_of_less_than_a_word_leaves_the_other_half_of_its_register),
        TEST(a_store_of_less_than_a_word_leaves_the_other_bytes_of_its_word),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
