/* Operations across lanes, on every tier of this host, against the guide's rules written out lane by lane. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ir/ir_lanes.h"
#include "wave/wave_internal.h"

enum { DST = 10, SRC = 11, SRC2 = 12, MASK = IR_S_TEMP, SCALAR = 4, SLOTS = 32 };

typedef wave_fn (*lane_handler)(const struct ir_inst *inst, unsigned kinds);

static const struct {
    const char *name;
    lane_handler handler;
} tiers[] = {
    {"baseline", wave_lane_handler_baseline},
    {"avx2", wave_lane_handler_avx2},
    {"avx512", wave_lane_handler_avx512},
};

static bool present(unsigned tier)
{
    if (tier == 0)
        return true;
    if (tier == 1)
        return __builtin_cpu_supports("avx2");
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
}

static struct wave *make_wave(unsigned lanes)
{
    struct wave *w = aligned_alloc(64, (sizeof *w + SLOTS * 64 * 4 + 63) / 64 * 64);
    assert_non_null(w);
    memset(w, 0, sizeof *w + SLOTS * 64 * 4);
    w->halves = lanes / 32;
    w->stride = lanes * 4;
    w->vgprs = 24;
    w->s[IR_ALL_LO] = w->s[IR_ALL_HI] = ~0u;
    w->s[IR_EXEC] = w->s[IR_EXEC + 1] = ~0u;
    return w;
}

static uint32_t *v(struct wave *w, unsigned slot) { return w->v + slot * w->stride / 4; }

static void fill(struct wave *w)
{
    for (unsigned slot = 0; slot < SLOTS; slot++)
        for (unsigned i = 0; i < w->stride / 4; i++)
            v(w, slot)[i] = slot << 16 | 0x8000 | i;
}

static const struct wave_op *halt(struct wave *w, const struct wave_op *o)
{
    (void)w, (void)o;
    return NULL;
}

/* Runs inst on one tier. */
static void run(struct wave *w, unsigned tier, const struct ir_inst *inst)
{
    struct wave_op ops[2] = {{0}, {.fn = halt}};
    const ir_ref refs[] = {inst->dst[0], inst->src[0], inst->src[1], inst->src[2], inst->mask, inst->dst[1]};
    uint32_t *offsets[] = {&ops[0].d, &ops[0].a, &ops[0].b, &ops[0].c, &ops[0].m, &ops[0].e};
    for (unsigned n = 0; n < 6; n++)
        *offsets[n] = refs[n].kind == IR_V ? wave_v_offset(refs[n].index, w->stride / 4) : wave_s_offset(refs[n].index);
    for (unsigned n = 0; n < 3; n++)
        ops[0].x |= (uint32_t)ir_is_lane(inst->src[n]) << n;
    ops[0].imm = inst->imm;
    ops[0].fn = tiers[tier].handler(inst, ops[0].x);
    assert_non_null(ops[0].fn);
    for (const struct wave_op *o = ops; o;)
        o = o->fn(w, o);
}

#define EACH_TIER for (unsigned tier = 0; tier < 3; tier++) if (present(tier))
#define EACH_SIZE for (unsigned lanes = 32; lanes <= 64; lanes += 32)

static const uint64_t execs[] = {~(uint64_t)0, 0, 0x5555555555555555u, 0x00ff00ff0000fffeu, 0x8000000180000001u, 0x123456789abcdef0u};
enum { EXECS = sizeof execs / sizeof *execs };

static void set_exec(struct wave *w, uint64_t exec)
{
    w->s[IR_EXEC] = (uint32_t)exec;
    w->s[IR_EXEC + 1] = (uint32_t)(exec >> 32);
}

/* The lane that lane i of a row reads, -1 when there is none: the guide's table of DPP controls. */
static int dpp_lane(unsigned ctrl, int i)
{
    int n = (int)(ctrl & 15);
    if (ctrl <= 0xff)
        return (i / 4) * 4 + (int)(ctrl >> (i % 4 * 2) & 3);
    if (ctrl <= 0x10f)
        return i + n < 16 ? i + n : -1;
    if (ctrl <= 0x11f)
        return i - n >= 0 ? i - n : -1;
    if (ctrl <= 0x12f)
        return (i - n + 16) % 16;
    if (ctrl == 0x140)
        return 15 - i;
    if (ctrl == 0x141)
        return i < 8 ? 7 - i : 8 + 15 - i;
    return ctrl <= 0x15f ? n : i ^ n;
}

static const uint16_t controls[] = {
    0x00, 0x1b, 0xe4, 0x4e, 0xb1, 0xff, 0x93, 0x101, 0x102, 0x107, 0x10f, 0x111, 0x112, 0x114, 0x118, 0x11f, 0x121, 0x128, 0x12f, 0x140, 0x141,
    0x150, 0x155, 0x15f, 0x160, 0x161, 0x168, 0x16f,
};

static void check_dpp(struct wave *w, unsigned tier, uint64_t exec, unsigned ctrl, unsigned rows, unsigned banks, bool bound, bool fi)
{
    struct ir_inst inst = {.op = IR_dpp, .lane = 1, .src_count = 1, .dst = {ir_v(DST), ir_s(MASK)}, .src = {ir_v(SRC)}, .mask = ir_s(IR_ALL_LO)};
    inst.imm = ctrl | rows << IR_DPP_ROW_MASK_SHIFT | banks << IR_DPP_BANK_MASK_SHIFT | (bound ? IR_DPP_BOUND_CTRL : 0) |
        (fi ? IR_DPP_FETCH_INACTIVE : 0);
    fill(w);
    set_exec(w, exec);
    run(w, tier, &inst);
    uint64_t written = w->s[MASK] | (uint64_t)(w->halves == 2 ? w->s[MASK + 1] : 0) << 32;
    for (int lane = 0; lane < (int)(w->stride / 4); lane++) {
        int row = lane / 16, from = dpp_lane(ctrl, lane % 16);
        bool valid = from >= 0 && (fi || exec >> (row * 16 + from) & 1);
        bool writes = (exec >> lane & 1) && (rows >> row & 1) && (banks >> (lane % 16 / 4) & 1) && (valid || bound);
        assert_int_equal(written >> lane & 1, writes);
        if (writes)
            assert_int_equal(v(w, DST)[lane], valid ? v(w, SRC)[row * 16 + from] : 0);
    }
}

static void dpp_reads_and_writes_the_lanes_that_its_fields_say(void **state)
{
    (void)state;
    EACH_SIZE {
        struct wave *w = make_wave(lanes);
        EACH_TIER
            for (unsigned c = 0; c < sizeof controls / sizeof *controls; c++)
                for (unsigned e = 0; e < EXECS; e++)
                    for (unsigned flags = 0; flags < 16; flags++)
                        check_dpp(w, tier, execs[e], controls[c], flags & 1 ? 0xf : 0x6, flags & 2 ? 0xf : 0x9, flags & 4, flags & 8);
        free(w);
    }
}

static void dpp_with_everything_written_needs_no_mask(void **state)
{
    (void)state;
    EACH_SIZE {
        struct wave *w = make_wave(lanes);
        EACH_TIER {
            struct ir_inst inst = {.op = IR_dpp, .lane = 1, .src_count = 1, .dst = {ir_v(DST)}, .src = {ir_v(SRC)}, .mask = ir_s(IR_ALL_LO),
                                   .imm = 0x111 | 0xfu << IR_DPP_ROW_MASK_SHIFT | 0xfu << IR_DPP_BANK_MASK_SHIFT | IR_DPP_BOUND_CTRL};
            assert_true(ir_dpp_writes_all(inst.imm));
            fill(w);
            set_exec(w, 0xfffffffffffffff7u); /* lane 3 is inactive: lane 4 reads 0 */
            run(w, tier, &inst);
            for (unsigned i = 0; i < lanes; i++)
                assert_int_equal(v(w, DST)[i], i % 16 == 0 || i == 4 ? 0 : v(w, SRC)[i - 1]);
        }
        free(w);
    }
}

static void controls_of_older_chips_are_none(void **state)
{
    (void)state;
    static const uint16_t gone[] = {0x100, 0x110, 0x120, 0x130, 0x134, 0x138, 0x13c, 0x142, 0x143, 0x170, 0x1ff};
    for (unsigned n = 0; n < sizeof gone / sizeof *gone; n++)
        assert_false(ir_dpp_exists(gone[n]));
    for (unsigned n = 0; n < sizeof controls / sizeof *controls; n++)
        assert_true(ir_dpp_exists(controls[n]));
}

static void dpp8_reads_within_eight_lanes_and_zero_from_inactive_ones(void **state)
{
    (void)state;
    static const uint8_t selectors[8] = {7, 0, 5, 5, 3, 1, 2, 6};
    uint32_t packed = 0;
    for (unsigned i = 0; i < 8; i++)
        packed |= (uint32_t)selectors[i] << (3 * i);
    EACH_SIZE {
        struct wave *w = make_wave(lanes);
        EACH_TIER
            for (unsigned e = 0; e < EXECS; e++)
                for (unsigned fi = 0; fi < 2; fi++) {
                    struct ir_inst inst = {.op = IR_dpp8, .lane = 1, .src_count = 1, .dst = {ir_v(DST)}, .src = {ir_v(SRC)},
                                           .mask = ir_s(IR_EXEC), .imm = packed | (fi ? IR_DPP8_FETCH_INACTIVE : 0)};
                    fill(w);
                    set_exec(w, execs[e]);
                    run(w, tier, &inst);
                    for (unsigned i = 0; i < lanes; i++) {
                        unsigned from = i / 8 * 8 + selectors[i % 8];
                        uint32_t old = DST << 16 | 0x8000 | i, value = fi || execs[e] >> from & 1 ? v(w, SRC)[from] : 0;
                        assert_int_equal(v(w, DST)[i], execs[e] >> i & 1 ? value : old);
                    }
                }
        free(w);
    }
}

static void permlane16_selects_in_its_row_and_permlanex16_in_the_other(void **state)
{
    (void)state;
    const uint64_t select = 0xfedc012389ab4567u ^ 0x3;
    EACH_SIZE {
        struct wave *w = make_wave(lanes);
        w->s[SCALAR] = (uint32_t)select;
        w->s[SCALAR + 1] = (uint32_t)(select >> 32);
        EACH_TIER
            for (unsigned e = 0; e < EXECS; e++)
                for (unsigned imm = 0; imm < 8; imm++) {
                    struct ir_inst inst = {.op = IR_permlane16, .lane = 1, .src_count = 3, .dst = {ir_v(DST), ir_s(MASK)},
                                           .src = {ir_v(SRC), ir_s(SCALAR), ir_s(SCALAR + 1)}, .mask = ir_s(IR_ALL_LO), .imm = imm};
                    bool fi = imm & IR_PERMLANE_FETCH_INACTIVE, bound = imm & IR_PERMLANE_BOUND_CTRL;
                    fill(w);
                    set_exec(w, execs[e]);
                    run(w, tier, &inst);
                    for (unsigned i = 0; i < lanes; i++) {
                        unsigned row = i / 16 ^ (imm & IR_PERMLANE_OTHER_ROW ? 1 : 0);
                        unsigned from = row * 16 + (select >> (i % 16 * 4) & 15);
                        bool valid = fi || execs[e] >> from & 1, writes = (execs[e] >> i & 1) && (valid || bound);
                        assert_int_equal(w->s[MASK + i / 32] >> i % 32 & 1, writes);
                        if (writes)
                            assert_int_equal(v(w, DST)[i], valid ? v(w, SRC)[from] : 0);
                    }
                }
        free(w);
    }
}

/* The guide's words on ds_swizzle. */
static unsigned swizzle_lane(unsigned offset, unsigned i)
{
    unsigned half = i & 32, lane = i & 31, j;
    if (offset >= 0xe000) { /* FFT */
        unsigned reversed = 0;
        for (unsigned bit = 0; bit < 5; bit++)
            reversed |= (lane >> bit & 1) << (4 - bit);
        j = reversed;
        for (unsigned mask = offset & 31; mask; mask >>= 1)
            j >>= mask & 1;
        j |= lane & offset & 31;
    } else if (offset >= 0xc000) { /* rotate */
        int by = (int)(offset >> 5 & 31), mask = (int)(offset & 31);
        if (offset & 0x400)
            by = -by;
        j = (unsigned)(((int)lane & mask) | (((int)lane + by) & ~mask)) & 31;
    } else if (offset & 0x8000) { /* quad */
        j = lane / 4 * 4 + (offset >> lane % 4 * 2 & 3);
    } else { /* and, or, xor */
        j = ((lane & (offset & 31)) | (offset >> 5 & 31)) ^ (offset >> 10 & 31);
    }
    return half | j;
}

static void ds_swizzle_follows_its_offset_and_reads_zero_from_inactive_lanes(void **state)
{
    (void)state;
    static const uint16_t offsets[] = {0x001f, 0x041f, 0x401f, 0x7c1f, 0x0010, 0x03e0, 0x5555, 0x8000, 0x801b, 0x80e4, 0x80b1, 0xc020, 0xc4a3,
                                       0xc3e0, 0xe000, 0xe001, 0xe010, 0xe01f};
    EACH_SIZE {
        struct wave *w = make_wave(lanes);
        EACH_TIER
            for (unsigned n = 0; n < sizeof offsets / sizeof *offsets; n++)
                for (unsigned e = 0; e < EXECS; e++) {
                    struct ir_inst inst = {.op = IR_ds_swizzle, .lane = 1, .src_count = 1, .dst = {ir_v(DST)}, .src = {ir_v(SRC)},
                                           .mask = ir_s(IR_EXEC), .imm = offsets[n]};
                    fill(w);
                    set_exec(w, execs[e]);
                    run(w, tier, &inst);
                    for (unsigned i = 0; i < lanes; i++) {
                        unsigned from = swizzle_lane(offsets[n], i);
                        uint32_t old = DST << 16 | 0x8000 | i, value = execs[e] >> from & 1 ? v(w, SRC)[from] : 0;
                        assert_int_equal(v(w, DST)[i], execs[e] >> i & 1 ? value : old);
                    }
                }
        free(w);
    }
}

/* Addresses: bytes, of any size, several lanes to one. */
static void fill_addresses(struct wave *w)
{
    for (unsigned i = 0; i < w->stride / 4; i++)
        v(w, SRC)[i] = i * 28 + (i & 3) + (i % 5 == 0 ? 0xfffff000u : 0);
}

static void bpermute_pulls_and_permute_pushes_within_the_half(void **state)
{
    (void)state;
    enum { OFFSET = 12 };
    EACH_SIZE {
        struct wave *w = make_wave(lanes);
        EACH_TIER
            for (unsigned e = 0; e < EXECS; e++) {
                struct ir_inst inst = {.op = IR_ds_bpermute, .lane = 1, .src_count = 2, .dst = {ir_v(DST)}, .src = {ir_v(SRC), ir_v(SRC2)},
                                       .mask = ir_s(IR_EXEC), .imm = OFFSET};
                fill(w);
                fill_addresses(w);
                set_exec(w, execs[e]);
                run(w, tier, &inst);
                for (unsigned i = 0; i < lanes; i++) {
                    unsigned from = (i & 32) | ((v(w, SRC)[i] + OFFSET) / 4 % 32);
                    uint32_t old = DST << 16 | 0x8000 | i, value = execs[e] >> from & 1 ? v(w, SRC2)[from] : 0;
                    assert_int_equal(v(w, DST)[i], execs[e] >> i & 1 ? value : old);
                }
                inst.op = IR_ds_permute;
                fill(w);
                fill_addresses(w);
                uint32_t expected[64] = {0};
                for (unsigned i = 0; i < lanes; i++)
                    if (execs[e] >> i & 1)
                        expected[(i & 32) | ((v(w, SRC)[i] + OFFSET) / 4 % 32)] = v(w, SRC2)[i];
                run(w, tier, &inst);
                for (unsigned i = 0; i < lanes; i++)
                    assert_int_equal(v(w, DST)[i], execs[e] >> i & 1 ? expected[i] : DST << 16 | 0x8000 | i);
            }
        free(w);
    }
}

static void of_two_lanes_that_push_to_one_the_higher_wins(void **state)
{
    (void)state;
    struct wave *w = make_wave(32);
    EACH_TIER {
        struct ir_inst inst = {.op = IR_ds_permute, .lane = 1, .src_count = 2, .dst = {ir_v(DST)}, .src = {ir_v(SRC), ir_v(SRC2)},
                               .mask = ir_s(IR_EXEC)};
        fill(w);
        for (unsigned i = 0; i < 32; i++)
            v(w, SRC)[i] = 20;
        set_exec(w, 0x7fffffff);
        run(w, tier, &inst);
        assert_int_equal(v(w, DST)[5], v(w, SRC2)[30]);
        assert_int_equal(v(w, DST)[6], 0);
    }
    free(w);
}

static void mbcnt_counts_the_lanes_before(void **state)
{
    (void)state;
    EACH_SIZE {
        struct wave *w = make_wave(lanes);
        w->s[SCALAR] = 0xf0f01235;
        EACH_TIER
            for (unsigned high = 0; high < 2; high++) {
                struct ir_inst inst = {.op = IR_mbcnt, .lane = 1, .src_count = 2, .dst = {ir_v(DST)}, .src = {ir_s(SCALAR), ir_v(SRC2)},
                                       .mask = ir_s(IR_EXEC), .imm = high};
                fill(w);
                run(w, tier, &inst);
                for (unsigned i = 0; i < lanes; i++) {
                    uint64_t before = ((uint64_t)1 << i) - 1;
                    uint32_t part = (uint32_t)(high ? before >> 32 : before);
                    assert_int_equal(v(w, DST)[i], v(w, SRC2)[i] + (unsigned)__builtin_popcount(w->s[SCALAR] & part));
                }
            }
        free(w);
    }
}

static void readlane_and_writelane_ignore_exec_and_wrap(void **state)
{
    (void)state;
    EACH_SIZE {
        struct wave *w = make_wave(lanes);
        EACH_TIER {
            struct ir_inst read = {.op = IR_readlane, .lane = 1, .src_count = 2, .dst = {ir_s(SCALAR)}, .src = {ir_v(SRC), ir_s(5)}};
            struct ir_inst write = {.op = IR_writelane, .lane = 1, .src_count = 2, .dst = {ir_v(DST)}, .src = {ir_s(6), ir_s(5)}};
            fill(w);
            set_exec(w, 0);
            w->s[5] = 0x80000000u + lanes + 19;
            w->s[6] = 0xabcd;
            run(w, tier, &read);
            assert_int_equal(w->s[SCALAR], v(w, SRC)[19]);
            run(w, tier, &write);
            for (unsigned i = 0; i < lanes; i++)
                assert_int_equal(v(w, DST)[i], i == 19 ? 0xabcd : DST << 16 | 0x8000 | i);
        }
        free(w);
    }
}

static void readfirstlane_takes_the_first_active_lane_or_lane_0(void **state)
{
    (void)state;
    static const struct { uint64_t exec; unsigned lane32, lane64; } cases[] = {
        {~(uint64_t)0, 0, 0}, {0, 0, 0}, {0xff00, 8, 8}, {0x8000000000000000u, 0, 63}, {0x100000000u, 0, 32}, {0xffffffff80000000u, 31, 31},
    };
    EACH_SIZE {
        struct wave *w = make_wave(lanes);
        EACH_TIER
            for (unsigned n = 0; n < sizeof cases / sizeof *cases; n++) {
                struct ir_inst inst = {.op = IR_readfirstlane, .lane = 1, .src_count = 1, .dst = {ir_s(SCALAR)}, .src = {ir_v(SRC)}};
                fill(w);
                set_exec(w, cases[n].exec);
                run(w, tier, &inst);
                assert_int_equal(w->s[SCALAR], v(w, SRC)[lanes == 32 ? cases[n].lane32 : cases[n].lane64]);
            }
        free(w);
    }
}

static void relative_registers_past_the_waves_read_v0_and_write_nothing(void **state)
{
    (void)state;
    static const struct { uint32_t base, index; unsigned reg; bool there; } cases[] = {
        {2, 5, 7, true}, {20, 3, 23, true}, {20, 4, 0, false}, {255, 0, 0, false}, {1, 0xffffffff, 0, false}, {0, 0x80000000u, 0, false},
    };
    EACH_SIZE {
        struct wave *w = make_wave(lanes);
        EACH_TIER
            for (unsigned n = 0; n < sizeof cases / sizeof *cases; n++) {
                struct ir_inst read = {.op = IR_movrels, .lane = 1, .src_count = 1, .dst = {ir_v(30)}, .src = {ir_s(5)}, .mask = ir_s(IR_EXEC),
                                       .imm = cases[n].base};
                struct ir_inst write = {.op = IR_movreld, .lane = 1, .src_count = 2, .src = {ir_v(31), ir_s(5)}, .mask = ir_s(IR_EXEC),
                                        .imm = cases[n].base};
                fill(w);
                set_exec(w, 0x5555555555555555u);
                w->s[5] = cases[n].index;
                run(w, tier, &read);
                for (unsigned i = 0; i < lanes; i++)
                    assert_int_equal(v(w, 30)[i], (i & 1 ? 30u : cases[n].reg) << 16 | 0x8000 | i);
                run(w, tier, &write);
                for (unsigned slot = 0; slot < 30; slot++)
                    for (unsigned i = 0; i < lanes; i++)
                        assert_int_equal(v(w, slot)[i], (cases[n].there && slot == cases[n].reg && !(i & 1) ? 31 : slot) << 16 | 0x8000 | i);
            }
        free(w);
    }
}

static void a_uniform_source_is_the_same_in_every_lane(void **state)
{
    (void)state;
    struct wave *w = make_wave(64);
    EACH_TIER {
        struct ir_inst inst = {.op = IR_ds_bpermute, .lane = 1, .src_count = 2, .dst = {ir_v(DST)}, .src = {ir_s(4), ir_s(5)}, .mask = ir_s(IR_ALL_LO)};
        fill(w);
        w->s[4] = 12;
        w->s[5] = 77;
        set_exec(w, 0x00000008fffffff7u); /* lane 3 of the low half is inactive, that of the high half alone is active */
        run(w, tier, &inst);
        assert_int_equal(v(w, DST)[0], 0);
        assert_int_equal(v(w, DST)[40], 77);
    }
    free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dpp_reads_and_writes_the_lanes_that_its_fields_say),
        cmocka_unit_test(dpp_with_everything_written_needs_no_mask),
        cmocka_unit_test(controls_of_older_chips_are_none),
        cmocka_unit_test(dpp8_reads_within_eight_lanes_and_zero_from_inactive_ones),
        cmocka_unit_test(permlane16_selects_in_its_row_and_permlanex16_in_the_other),
        cmocka_unit_test(ds_swizzle_follows_its_offset_and_reads_zero_from_inactive_lanes),
        cmocka_unit_test(bpermute_pulls_and_permute_pushes_within_the_half),
        cmocka_unit_test(of_two_lanes_that_push_to_one_the_higher_wins),
        cmocka_unit_test(mbcnt_counts_the_lanes_before),
        cmocka_unit_test(readlane_and_writelane_ignore_exec_and_wrap),
        cmocka_unit_test(readfirstlane_takes_the_first_active_lane_or_lane_0),
        cmocka_unit_test(relative_registers_past_the_waves_read_v0_and_write_nothing),
        cmocka_unit_test(a_uniform_source_is_the_same_in_every_lane),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
