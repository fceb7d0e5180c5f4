/* Loads and stores of every space, width and tier against plain address arithmetic on the test's own bytes. */
#include "wave/wave_memory_testing.h"

/* A way to reach memory: fills the address operands so that lane's access begins at byte at[lane] (see the model), and says
 * where each of its bytes lies. */
struct model {
    const char *name;
    uint8_t space;
    uint32_t flags;
    int32_t offset;
    bool lds;      /* bytes are in the local share */
    unsigned unit; /* the model's addresses are multiples of it, where it must have aligned ones */
    void (*prepare)(struct bench *b, const struct model *m, const uint32_t *at);
    /* Index of a byte in memory; -1: outside the descriptor. */
    int64_t (*byte)(const struct bench *b, uint32_t at, unsigned lane, unsigned byte, unsigned bytes);
    uint32_t range; /* at + bytes stays below */
    uint8_t scale;  /* of the lane's index */
};

static int64_t plain_byte(const struct bench *b, uint32_t at, unsigned lane, unsigned byte, unsigned bytes)
{
    (void)b, (void)lane, (void)bytes;
    return (int64_t)at + byte;
}

static void set_pair(struct bench *b, unsigned slot, unsigned lane, uint64_t value)
{
    bench_slot(b, slot)[lane] = (uint32_t)value;
    bench_slot(b, slot + 1)[lane] = (uint32_t)(value >> 32);
}

static void prepare_global(struct bench *b, const struct model *m, const uint32_t *at)
{
    for (unsigned lane = 0; lane < bench_lanes(b); lane++)
        set_pair(b, SLOT_ADDRESS, lane, bench_start + at[lane] - (uint64_t)(int64_t)m->offset);
}

static void set_base(struct bench *b, uint64_t value)
{
    b->w->s[S_BASE] = (uint32_t)value;
    b->w->s[S_BASE + 1] = (uint32_t)(value >> 32);
}

static void prepare_saddr(struct bench *b, const struct model *m, const uint32_t *at)
{
    set_base(b, bench_start - 5000 - (uint64_t)(int64_t)m->offset);
    for (unsigned lane = 0; lane < bench_lanes(b); lane++)
        bench_slot(b, SLOT_ADDRESS)[lane] = at[lane] + 5000;
}

/* A base inside the run. */
static void prepare_saddr_inside(struct bench *b, const struct model *m, const uint32_t *at)
{
    set_base(b, bench_start + 64 - (uint64_t)(int64_t)m->offset);
    for (unsigned lane = 0; lane < bench_lanes(b); lane++)
        bench_slot(b, SLOT_ADDRESS)[lane] = at[lane] < 64 ? 0 : at[lane] - 64;
}

static int64_t inside_byte(const struct bench *b, uint32_t at, unsigned lane, unsigned byte, unsigned bytes)
{
    (void)b, (void)lane, (void)bytes;
    return (int64_t)(at < 64 ? 64 : at) + byte;
}

/* Indices of words or larger records from the middle of their range on. */
static void prepare_index(struct bench *b, const struct model *m, const uint32_t *at)
{
    const uint32_t middle = 0x80000000u;
    set_base(b, bench_start - ((uint64_t)middle << m->scale) - (uint64_t)(int64_t)m->offset);
    for (unsigned lane = 0; lane < bench_lanes(b); lane++)
        bench_slot(b, SLOT_ADDRESS)[lane] = middle + (at[lane] >> m->scale);
}

/* Signed ones around zero. */
static void prepare_signed_index(struct bench *b, const struct model *m, const uint32_t *at)
{
    const uint32_t below = 5000 >> m->scale;
    set_base(b, bench_start + ((uint64_t)below << m->scale) - (uint64_t)(int64_t)m->offset);
    for (unsigned lane = 0; lane < bench_lanes(b); lane++)
        bench_slot(b, SLOT_ADDRESS)[lane] = (at[lane] >> m->scale) - below;
}

static void prepare_lds(struct bench *b, const struct model *m, const uint32_t *at)
{
    for (unsigned lane = 0; lane < bench_lanes(b); lane++)
        bench_slot(b, SLOT_ADDRESS)[lane] = at[lane] - (uint32_t)m->offset;
}

/* Scratch: a lane's word n lies in line n, at the lane's place. */
static int64_t scratch_byte(const struct bench *b, uint32_t at, unsigned lane, unsigned byte, unsigned bytes)
{
    (void)bytes;
    uint32_t offset = at + byte;
    return 256 + (int64_t)(offset / 4) * 4 * bench_lanes(b) + lane * 4 + offset % 4;
}

static void prepare_scratch(struct bench *b, const struct model *m, const uint32_t *at)
{
    b->w->s[IR_FLAT_SCR_LO] = (uint32_t)(bench_start + 256);
    b->w->s[IR_FLAT_SCR_HI] = (uint32_t)((bench_start + 256) >> 32) | 0xffff0000u; /* drivers leave something above the 48 bits */
    for (unsigned lane = 0; lane < bench_lanes(b); lane++)
        bench_slot(b, SLOT_ADDRESS)[lane] = at[lane] - (uint32_t)m->offset;
}

static void prepare_private(struct bench *b, const struct model *m, const uint32_t *at)
{
    prepare_scratch(b, m, at);
    b->w->s[IR_PRIVATE_BASE] = 0x10000;
    for (unsigned lane = 0; lane < bench_lanes(b); lane++)
        set_pair(b, SLOT_ADDRESS, lane, (UINT64_C(0x10000) << 32) + at[lane] - (uint64_t)(int64_t)m->offset);
}

static void prepare_shared(struct bench *b, const struct model *m, const uint32_t *at)
{
    b->w->s[IR_SHARED_BASE] = 0x20000;
    for (unsigned lane = 0; lane < bench_lanes(b); lane++)
        set_pair(b, SLOT_ADDRESS, lane, (UINT64_C(0x20000) << 32) + at[lane] - (uint64_t)(int64_t)m->offset);
}

enum { FORMAT_32_FLOAT = 22, SWIZZLE = 1u << 31, ADD_TID = 1 << 23 };

static void set_descriptor(struct bench *b, uint64_t base, uint32_t stride, uint32_t records, uint32_t bounds, uint32_t swizzle,
                           uint32_t rest)
{
    uint32_t *s = &b->w->s[S_BASE];
    s[0] = (uint32_t)base;
    s[1] = (uint32_t)(base >> 32) | stride << 16 | swizzle;
    s[2] = records;
    s[3] = 4u | 5u << 3 | 6u << 6 | 7u << 9 | FORMAT_32_FLOAT << 12 | bounds << 28 | rest;
}

enum { RAW_RECORDS = 3000, RAW_SOFFSET = 40 };

/* Raw: the lane's offset plus the instruction's; each word of an access is in or out by itself. */
static int64_t raw_byte(const struct bench *b, uint32_t at, unsigned lane, unsigned byte, unsigned bytes)
{
    (void)b, (void)lane;
    unsigned payload = bytes < 4 ? bytes : 4, start = byte / payload * payload;
    return at + start + payload <= RAW_RECORDS - RAW_SOFFSET ? 512 + RAW_SOFFSET + (int64_t)at + byte : -1;
}

static void prepare_raw(struct bench *b, const struct model *m, const uint32_t *at)
{
    set_descriptor(b, bench_start + 512, 0, RAW_RECORDS, 3, 0, 0);
    b->w->s[S_OFFSET] = RAW_SOFFSET;
    for (unsigned lane = 0; lane < bench_lanes(b); lane++)
        bench_slot(b, SLOT_ADDRESS)[lane] = at[lane] - (uint32_t)m->offset;
}

enum { STRIDE = 24, RECORDS = 50 };

/* Structured: at is split in record and offset within it. */
static int64_t structured_byte(const struct bench *b, uint32_t at, unsigned lane, unsigned byte, unsigned bytes)
{
    (void)b, (void)lane;
    unsigned payload = bytes < 4 ? bytes : 4, start = byte / payload * payload;
    return at / STRIDE < RECORDS && at % STRIDE + start + payload <= STRIDE ? 1024 + (int64_t)at + byte : -1;
}

static void prepare_structured(struct bench *b, const struct model *m, const uint32_t *at)
{
    set_descriptor(b, bench_start + 1000, STRIDE, RECORDS, 0, 0, 0);
    b->w->s[S_OFFSET] = 24;
    for (unsigned lane = 0; lane < bench_lanes(b); lane++) {
        bench_slot(b, SLOT_INDEX)[lane] = at[lane] / STRIDE;
        bench_slot(b, SLOT_ADDRESS)[lane] = at[lane] % STRIDE - (uint32_t)m->offset;
    }
}

/* Lines of 64 records, of which a wave may use fewer. */
static int64_t buffer_scratch_byte(const struct bench *b, uint32_t at, unsigned lane, unsigned byte, unsigned bytes)
{
    (void)b, (void)bytes;
    uint32_t offset = at + byte;
    return 2048 + (int64_t)(offset / 4) * 4 * 64 + lane * 4 + offset % 4;
}

static void prepare_buffer_scratch(struct bench *b, const struct model *m, const uint32_t *at)
{
    set_descriptor(b, bench_start + 2000, 0, 0xffffffffu, 2, SWIZZLE, 3u << 21 | ADD_TID);
    b->w->s[S_OFFSET] = 48;
    for (unsigned lane = 0; lane < bench_lanes(b); lane++)
        bench_slot(b, SLOT_ADDRESS)[lane] = at[lane] - (uint32_t)m->offset;
}

/* Swizzled records of 16 bytes in lines of 8. */
static int64_t swizzled_byte(const struct bench *b, uint32_t at, unsigned lane, unsigned byte, unsigned bytes)
{
    (void)b, (void)lane, (void)bytes;
    uint32_t record = at / 16, offset = at % 16 + byte;
    if (record >= 100 || (at % 16) + byte / 4 * 4 + (bytes < 4 ? bytes : 4) > 16)
        return -1;
    return (int64_t)((record / 8 * 16 + offset / 4 * 4) * 8 + record % 8 * 4 + offset % 4);
}

static void prepare_swizzled(struct bench *b, const struct model *m, const uint32_t *at)
{
    set_descriptor(b, bench_start, 16, 100, 0, SWIZZLE, 0);
    b->w->s[S_OFFSET] = 0;
    for (unsigned lane = 0; lane < bench_lanes(b); lane++) {
        bench_slot(b, SLOT_INDEX)[lane] = at[lane] / 16;
        bench_slot(b, SLOT_ADDRESS)[lane] = at[lane] % 16 - (uint32_t)m->offset;
    }
}

enum { OFFEN = IR_AC_OFFEN, BOTH = IR_AC_OFFEN | IR_AC_IDXEN };

static const struct model models[] = {
    {"global", IR_SPACE_GLOBAL, 0, -8, false, 1, prepare_global, plain_byte, 60000},
    {"global with base", IR_SPACE_GLOBAL, IR_AC_SADDR, 20, false, 1, prepare_saddr, plain_byte, 60000},
    {"global with base inside", IR_SPACE_GLOBAL, IR_AC_SADDR, 0, false, 1, prepare_saddr_inside, inside_byte, 60000},
    {"word index", IR_SPACE_GLOBAL, IR_AC_SADDR, 12, false, 4, prepare_index, plain_byte, 60000, 2},
    {"record index", IR_SPACE_GLOBAL, IR_AC_SADDR, -16, false, 16, prepare_index, plain_byte, 60000, 4},
    {"signed byte index", IR_SPACE_GLOBAL, IR_AC_SADDR | IR_AC_SIGNED_LANE, 0, false, 1, prepare_signed_index, plain_byte, 10000,
     0},
    {"signed word index", IR_SPACE_GLOBAL, IR_AC_SADDR | IR_AC_SIGNED_LANE, 4, false, 4, prepare_signed_index, plain_byte, 10000,
     2},
    {"signed pair index", IR_SPACE_GLOBAL, IR_AC_SADDR | IR_AC_SIGNED_LANE, 0, false, 8, prepare_signed_index, plain_byte, 10000,
     3},
    {"flat", IR_SPACE_FLAT, 0, 16, false, 1, prepare_global, plain_byte, 60000},
    {"flat shared", IR_SPACE_FLAT, 0, 4, true, 1, prepare_shared, plain_byte, BENCH_LDS},
    {"flat private", IR_SPACE_FLAT, 0, 4, false, 1, prepare_private, scratch_byte, 200},
    {"lds", IR_SPACE_LDS, 0, 100, true, 1, prepare_lds, plain_byte, BENCH_LDS},
    {"scratch", IR_SPACE_SCRATCH, 0, -4, false, 1, prepare_scratch, scratch_byte, 200},
    {"raw buffer", IR_SPACE_BUFFER, OFFEN, 12, false, 1, prepare_raw, raw_byte, 3100},
    {"structured buffer", IR_SPACE_BUFFER, BOTH, 0, false, 1, prepare_structured, structured_byte, STRIDE * 60},
    {"scratch buffer", IR_SPACE_BUFFER, OFFEN, 8, false, 1, prepare_buffer_scratch, buffer_scratch_byte, 200},
    {"swizzled buffer", IR_SPACE_BUFFER, BOTH, 0, false, 1, prepare_swizzled, swizzled_byte, 16 * 110},
};

enum { ROWS = 5, PATTERNS };

/* Where the sum of a buffer's offsets is checked the lane's own cannot be negative to make up for the instruction's. */
static uint32_t reachable(const struct model *m, uint32_t at)
{
    return m->byte == raw_byte && at < (uint32_t)m->offset ? (uint32_t)m->offset : at;
}

/* Lane addresses of one kind: a line, one place, anyhow, backwards, a line of bytes, rows of eight. */
static void fill_addresses(uint32_t *at, unsigned lanes, unsigned pattern, unsigned bytes, const struct model *m, uint64_t *seed)
{
    uint32_t limit = m->range - bytes, start = bench_random(seed) % limit / 4 * 4, line = 64 + lanes * bytes;
    if (pattern == 0 && limit > line) /* whole, so that no two lanes meet */
        start = 64 + start % (limit - line) / 4 * 4;
    for (unsigned lane = 0; lane < lanes; lane++) {
        switch (pattern) {
        case 0: at[lane] = start + lane * bytes; break;
        case 1: at[lane] = start; break;
        case 2: at[lane] = bench_random(seed) / m->unit * m->unit; break;
        case 3: at[lane] = start + (lanes - lane) * 4; break;
        case ROWS: at[lane] = 64 + start % 400 + lane / 8 * 700 + lane % 8 * bytes; break;
        default: at[lane] = start + lane; break;
        }
        at[lane] = at[lane] % limit / m->unit * m->unit;
        at[lane] = reachable(m, at[lane]);
    }
}

static struct wave_op make_op(const struct bench *b, const struct model *m)
{
    unsigned lanes = bench_lanes(b);
    struct wave_op o = {.d = wave_v_offset(SLOT_DATA, lanes), .x = wave_v_offset(SLOT_DATA, lanes)};
    if (m->space == IR_SPACE_BUFFER) {
        o.a = wave_s_offset(S_BASE);
        o.b = wave_v_offset(SLOT_INDEX, lanes);
        o.c = wave_v_offset(SLOT_ADDRESS, lanes);
        o.e = wave_s_offset(S_OFFSET);
    } else {
        o.a = wave_v_offset(SLOT_ADDRESS, lanes);
        o.b = m->flags & IR_AC_SADDR ? wave_s_offset(S_BASE) : 0;
    }
    return o;
}

static struct ir_access make_access(const struct model *m, unsigned bytes, uint32_t flags)
{
    return (struct ir_access){.space = m->space,
                              .bytes = (uint8_t)bytes,
                              .elements = 1,
                              .flags = m->flags | flags,
                              .scale = m->scale,
                              .offset = m->offset};
}

static bool is_active(const struct bench *b, unsigned lane)
{
    return b->w->s[IR_EXEC + lane / 32] >> lane % 32 & 1;
}

static uint8_t byte_of_word(uint32_t word, unsigned byte)
{
    return (uint8_t)(word >> byte % 4 * 8);
}

static void fill_data(struct bench *b, uint64_t *seed)
{
    for (unsigned slot = SLOT_DATA; slot < SLOT_DATA + 4; slot++)
        for (unsigned lane = 0; lane < bench_lanes(b); lane++)
            bench_slot(b, slot)[lane] = bench_random(seed) * 3;
}

static void check_load(struct bench *b, const struct model *m, const struct bench_tier *tier, unsigned bytes, unsigned pattern,
                       uint64_t *seed)
{
    uint32_t at[64], before[4][64];
    unsigned lanes = bench_lanes(b), words = bytes < 4 ? 1 : bytes / 4;
    fill_addresses(at, lanes, pattern, bytes, m, seed);
    m->prepare(b, m, at);
    fill_data(b, seed);
    memcpy(before, bench_slot(b, SLOT_DATA), words * lanes * 4);
    struct ir_access access = make_access(m, bytes, 0);
    if (!bench_run(b, tier->choose, IR_load, &access, make_op(b, m)))
        return;
    const uint8_t *memory = m->lds ? b->lds : b->bytes;
    for (unsigned lane = 0; lane < lanes; lane++) {
        for (unsigned k = 0; k < words; k++) {
            uint32_t expected = 0, got = bench_slot(b, SLOT_DATA + k)[lane];
            for (unsigned byte = k * 4; byte < bytes && byte < k * 4 + 4; byte++) {
                int64_t place = m->byte(b, at[lane], lane, byte, bytes);
                expected |= place < 0 ? 0 : (uint32_t)memory[place] << byte % 4 * 8;
            }
            if (!is_active(b, lane))
                expected = ((uint32_t *)before)[k * lanes + lane];
            if (got != expected)
                fail_msg("%s, %s, %u bytes, pattern %u, lane %u of %u, word %u at %u: %#x, not %#x", m->name, tier->name, bytes,
                         pattern, lane, lanes, k, at[lane], got, expected);
        }
    }
}

static void check_store(struct bench *b, const struct model *m, const struct bench_tier *tier, unsigned bytes, unsigned pattern,
                        uint64_t *seed)
{
    static uint8_t expected[BENCH_BYTES];
    uint32_t at[64];
    unsigned lanes = bench_lanes(b);
    uint8_t *memory = m->lds ? b->lds : b->bytes;
    size_t size = m->lds ? BENCH_LDS : BENCH_BYTES;
    fill_addresses(at, lanes, pattern, bytes, m, seed);
    /* Lanes that meet leave one of their values: keep them apart. */
    bool apart = (pattern == 0 || (pattern == ROWS && m->range > 7000)) && bytes % m->unit == 0;
    for (unsigned lane = 0; lane < lanes && !apart; lane++)
        at[lane] = reachable(m, (64 + bench_random(seed) % 3 + lane * 19) % (m->range - bytes) / m->unit * m->unit);
    m->prepare(b, m, at);
    fill_data(b, seed);
    memcpy(expected, memory, size);
    for (unsigned lane = 0; lane < lanes; lane++)
        for (unsigned byte = 0; is_active(b, lane) && byte < bytes; byte++) {
            int64_t place = m->byte(b, at[lane], lane, byte, bytes);
            if (place >= 0)
                expected[place] = byte_of_word(bench_slot(b, SLOT_DATA + byte / 4)[lane], byte);
        }
    struct ir_access access = make_access(m, bytes, IR_AC_STORE);
    if (!bench_run(b, tier->choose, IR_store, &access, make_op(b, m)))
        return;
    for (size_t i = 0; i < size; i++)
        if (memory[i] != expected[i])
            fail_msg("%s, %s, %u bytes, pattern %u, byte %zu", m->name, tier->name, bytes, pattern, i);
}

static void set_mask(struct bench *b, unsigned round, uint64_t *seed)
{
    for (unsigned h = 0; h < b->w->halves; h++)
        b->w->s[IR_EXEC + h] = round == 0 ? ~0u : round == 1 ? 0xffff0000u : round == 2 ? 0 : bench_random(seed) * 5;
}

static void run_models(void (*check)(struct bench *, const struct model *, const struct bench_tier *, unsigned, unsigned,
                                     uint64_t *))
{
    static const unsigned widths[] = {1, 2, 4, 8, 12, 16};
    struct bench_tier tiers[4];
    unsigned tier_count = bench_tiers(tiers);
    uint64_t seed = 1;
    for (unsigned lanes = 32; lanes <= 64; lanes += 32) {
        for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
            struct bench *b = bench_create(lanes);
            for (unsigned t = 0; t < tier_count; t++)
                for (unsigned width = 0; width < 6; width++)
                    for (unsigned pattern = 0; pattern < PATTERNS; pattern++)
                        for (unsigned round = 0; round < 5; round++) {
                            set_mask(b, round, &seed);
                            check(b, &models[i], &tiers[t], widths[width], pattern, &seed);
                        }
            assert_int_equal(b->faults, 0);
            bench_destroy(b);
        }
    }
}

static void loads_of_every_space_width_and_tier_give_the_bytes_at_their_addresses(void **state)
{
    (void)state;
    run_models(check_load);
}

static void stores_of_every_space_width_and_tier_write_those_bytes_and_no_others(void **state)
{
    (void)state;
    run_models(check_store);
}

static const struct model *global_model = &models[0];

static void the_sum_of_a_buffers_offsets_does_not_wrap(void **state)
{
    (void)state;
    struct bench_tier tiers[4];
    unsigned tier_count = bench_tiers(tiers);
    for (unsigned t = 0; t < tier_count; t++) {
        struct bench *b = bench_create(32);
        const uint32_t at[32] = {0};
        struct model raw = models[13];
        raw.prepare(b, &raw, at); /* each lane's offset is -12, the instruction's 12 */
        fill_data(b, &(uint64_t){3});
        struct ir_access access = make_access(&raw, 4, 0);
        assert_true(bench_run(b, tiers[t].choose, IR_load, &access, make_op(b, &raw)));
        for (unsigned lane = 0; lane < 32; lane++)
            assert_int_equal(bench_slot(b, SLOT_DATA)[lane], 0);
        assert_int_equal(b->faults, 0);
        bench_destroy(b);
    }
}

static void narrow_loads_extend_or_fill_one_half_of_the_register(void **state)
{
    (void)state;
    static const struct {
        unsigned bytes;
        uint32_t flags, memory, expected;
    } cases[] = {
        {1, IR_AC_SIGNED, 0x80, 0xffffff80u},
        {1, 0, 0x80, 0x80},
        {2, IR_AC_SIGNED, 0x8001, 0xffff8001u},
        {2, 0, 0x8001, 0x8001},
        {1, IR_AC_D16, 0x80, 0x11110080},
        {1, IR_AC_D16 | IR_AC_SIGNED, 0x80, 0x1111ff80},
        {1, IR_AC_D16_HI | IR_AC_SIGNED, 0x80, 0xff801111u},
        {2, IR_AC_D16, 0x8001, 0x11118001},
        {2, IR_AC_D16_HI, 0x8001, 0x80011111u},
    };
    struct bench_tier tiers[4];
    unsigned tier_count = bench_tiers(tiers);
    struct bench *b = bench_create(32);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (unsigned t = 0; t < tier_count; t++) {
            uint32_t at[32];
            for (unsigned lane = 0; lane < 32; lane++) {
                at[lane] = 100 + lane * 6;
                memcpy(b->bytes + at[lane], &cases[i].memory, 2);
                bench_slot(b, SLOT_DATA)[lane] = 0x11111111;
            }
            prepare_global(b, global_model, at);
            struct ir_access access = make_access(global_model, cases[i].bytes, cases[i].flags);
            assert_true(bench_run(b, tiers[t].choose, IR_load, &access, make_op(b, global_model)));
            for (unsigned lane = 0; lane < 32; lane++)
                assert_int_equal(bench_slot(b, SLOT_DATA)[lane], cases[i].expected);
        }
    }
    bench_destroy(b);
}

static void a_high_half_store_takes_the_upper_bits(void **state)
{
    (void)state;
    struct bench_tier tiers[4];
    unsigned tier_count = bench_tiers(tiers);
    for (unsigned t = 0; t < tier_count; t++) {
        struct bench *b = bench_create(32);
        uint32_t at[32];
        for (unsigned lane = 0; lane < 32; lane++) {
            at[lane] = 100 + lane * 2;
            bench_slot(b, SLOT_DATA)[lane] = 0xabcd0000u + lane;
        }
        prepare_global(b, global_model, at);
        struct ir_access access = make_access(global_model, 2, IR_AC_D16_HI | IR_AC_STORE);
        assert_true(bench_run(b, tiers[t].choose, IR_store, &access, make_op(b, global_model)));
        for (unsigned byte = 0; byte < 64; byte++)
            assert_int_equal(b->bytes[100 + byte], byte % 2 ? 0xab : 0xcd);
        bench_destroy(b);
    }
}

/* A second run right behind the first, elsewhere in the host. */
static void map_behind(struct bench *b, uint8_t *host, uint64_t size)
{
    b->runs[0].size = 4096;
    b->runs[1] = (struct wave_run){bench_start + 4096, size, host, true};
}

static void an_access_over_the_border_of_two_runs_is_whole(void **state)
{
    (void)state;
    struct bench_tier tiers[4];
    unsigned tier_count = bench_tiers(tiers);
    for (unsigned t = 0; t < tier_count; t++) {
        struct bench *b = bench_create(32);
        uint8_t second[64];
        for (unsigned i = 0; i < 64; i++)
            second[i] = (uint8_t)(200 + i);
        map_behind(b, second, sizeof second);
        uint32_t at[32];
        for (unsigned lane = 0; lane < 32; lane++)
            at[lane] = 4096 - 16 + lane % 16; /* up to 14 bytes over */
        prepare_global(b, global_model, at);
        struct ir_access access = make_access(global_model, 16, 0);
        assert_true(bench_run(b, tiers[t].choose, IR_load, &access, make_op(b, global_model)));
        for (unsigned lane = 0; lane < 32; lane++)
            for (unsigned byte = 0; byte < 16; byte++) {
                unsigned place = at[lane] + byte;
                uint8_t expected = place < 4096 ? b->bytes[place] : second[place - 4096];
                assert_int_equal(byte_of_word(bench_slot(b, SLOT_DATA + byte / 4)[lane], byte), expected);
            }
        assert_int_equal(b->faults, 0);
        bench_destroy(b);
    }
}

static void an_unmapped_lane_reads_zero_and_is_reported_while_the_others_load(void **state)
{
    (void)state;
    struct bench_tier tiers[4];
    unsigned tier_count = bench_tiers(tiers);
    for (unsigned t = 0; t < tier_count; t++) {
        struct bench *b = bench_create(64);
        uint32_t at[64];
        for (unsigned lane = 0; lane < 64; lane++)
            at[lane] = lane * 8;
        prepare_global(b, global_model, at);
        set_pair(b, SLOT_ADDRESS, 33, 0x1000);
        fill_data(b, &(uint64_t){7});
        struct ir_access access = make_access(global_model, 8, 0);
        assert_true(bench_run(b, tiers[t].choose, IR_load, &access, make_op(b, global_model)));
        assert_int_equal(b->faults, 1);
        assert_int_equal(b->kind, WAVE_FAULT_UNMAPPED_READ);
        assert_int_equal(b->lane, 33);
        assert_true(b->address == 0x1000 - 8);
        for (unsigned lane = 0; lane < 64; lane++) {
            uint32_t expected[2] = {0, 0};
            if (lane != 33)
                memcpy(expected, b->bytes + at[lane], 8);
            assert_int_equal(bench_slot(b, SLOT_DATA)[lane], expected[0]);
            assert_int_equal(bench_slot(b, SLOT_DATA + 1)[lane], expected[1]);
        }
        bench_destroy(b);
    }
}

static void a_store_that_is_partly_unmapped_writes_nothing(void **state)
{
    (void)state;
    struct bench *b = bench_create(32);
    b->runs[0].size = 4096;
    uint32_t at[32];
    for (unsigned lane = 0; lane < 32; lane++)
        at[lane] = 4096 - 8;
    prepare_global(b, global_model, at);
    fill_data(b, &(uint64_t){7});
    struct ir_access access = make_access(global_model, 16, IR_AC_STORE);
    assert_true(bench_run(b, wave_memory_handler, IR_store, &access, make_op(b, global_model)));
    assert_int_equal(b->faults, 32);
    assert_int_equal(b->kind, WAVE_FAULT_UNMAPPED_WRITE);
    assert_true(b->address == bench_start + 4096);
    for (uint32_t i = 4000; i < 4200; i++)
        assert_int_equal(b->bytes[i], bench_pattern(i));
    bench_destroy(b);
}

static void an_access_past_the_last_address_is_unmapped(void **state)
{
    (void)state;
    struct bench *b = bench_create(32);
    static uint8_t top[16];
    b->runs[1] = (struct wave_run){UINT64_MAX - 15, 15, top, true};
    b->runs[2] = (struct wave_run){0, 16, top, true};
    b->w->s[IR_EXEC] = 1;
    set_pair(b, SLOT_ADDRESS, 0, UINT64_MAX - 1);
    struct ir_access access = {.space = IR_SPACE_GLOBAL, .bytes = 4, .elements = 1};
    assert_true(bench_run(b, wave_memory_handler, IR_load, &access, make_op(b, global_model)));
    assert_int_equal(b->faults, 1);
    assert_int_equal(b->kind, WAVE_FAULT_UNMAPPED_READ);
    bench_destroy(b);
}

static void read_only_memory_loads_but_refuses_stores(void **state)
{
    (void)state;
    struct bench_tier tiers[4];
    unsigned tier_count = bench_tiers(tiers);
    for (unsigned t = 0; t < tier_count; t++) {
        struct bench *b = bench_create(32);
        b->runs[0].writable = false;
        uint32_t at[32];
        for (unsigned lane = 0; lane < 32; lane++)
            at[lane] = lane * 4;
        prepare_global(b, global_model, at);
        struct ir_access load = make_access(global_model, 4, 0), store = make_access(global_model, 4, IR_AC_STORE);
        assert_true(bench_run(b, tiers[t].choose, IR_load, &load, make_op(b, global_model)));
        assert_int_equal(b->faults, 0);
        fill_data(b, &(uint64_t){3});
        assert_true(bench_run(b, tiers[t].choose, IR_store, &store, make_op(b, global_model)));
        assert_int_equal(b->faults, 32);
        assert_int_equal(b->kind, WAVE_FAULT_READ_ONLY);
        assert_int_equal(b->bytes[0], bench_pattern(0));
        bench_destroy(b);
    }
}

static void a_load_may_overwrite_its_own_address(void **state)
{
    (void)state;
    struct bench_tier tiers[4];
    unsigned tier_count = bench_tiers(tiers);
    for (unsigned t = 0; t < tier_count; t++) {
        struct bench *b = bench_create(64);
        uint32_t at[64];
        for (unsigned lane = 0; lane < 64; lane++)
            at[lane] = (lane * 7919) % 5000 * 4;
        prepare_global(b, global_model, at);
        struct wave_op o = make_op(b, global_model);
        o.d = o.a;
        struct ir_access access = make_access(global_model, 8, 0);
        assert_true(bench_run(b, tiers[t].choose, IR_load, &access, o));
        for (unsigned lane = 0; lane < 64; lane++)
            assert_memory_equal(&bench_slot(b, SLOT_ADDRESS)[lane], b->bytes + at[lane], 4);
        bench_destroy(b);
    }
}

static void lds_out_of_range_reads_zero_and_drops_writes(void **state)
{
    (void)state;
    struct bench_tier tiers[4];
    unsigned tier_count = bench_tiers(tiers);
    const struct model *lds = &models[11];
    for (unsigned t = 0; t < tier_count; t++) {
        struct bench *b = bench_create(32);
        uint32_t at[32];
        for (unsigned lane = 0; lane < 32; lane++)
            at[lane] = BENCH_LDS - 64 + lane * 4; /* the upper half lies outside */
        prepare_lds(b, lds, at);
        fill_data(b, &(uint64_t){3});
        struct ir_access store = make_access(lds, 4, IR_AC_STORE), load = make_access(lds, 4, 0);
        uint32_t kept[32];
        memcpy(kept, bench_slot(b, SLOT_DATA), sizeof kept);
        assert_true(bench_run(b, tiers[t].choose, IR_store, &store, make_op(b, lds)));
        assert_int_equal(b->faults, 16);
        assert_int_equal(b->kind, WAVE_FAULT_LDS_RANGE);
        assert_int_equal(b->lane, 16);
        assert_int_equal(b->lds[BENCH_LDS], 0);
        assert_true(bench_run(b, tiers[t].choose, IR_load, &load, make_op(b, lds)));
        for (unsigned lane = 0; lane < 32; lane++)
            assert_int_equal(bench_slot(b, SLOT_DATA)[lane], lane < 16 ? kept[lane] : 0);
        bench_destroy(b);
    }
}

static void two_elements_of_lds_move_with_their_own_offsets(void **state)
{
    (void)state;
    struct bench_tier tiers[4];
    unsigned tier_count = bench_tiers(tiers);
    const struct model *lds = &models[11];
    for (unsigned t = 0; t < tier_count; t++) {
        for (unsigned bytes = 4; bytes <= 8; bytes += 4) {
            struct bench *b = bench_create(64);
            for (unsigned lane = 0; lane < 64; lane++)
                bench_slot(b, SLOT_ADDRESS)[lane] = lane * bytes;
            struct wave_op o = make_op(b, lds);
            o.imm = wave_v_offset(SLOT_DATA2, 64);
            struct ir_access load = {.space = IR_SPACE_LDS, .bytes = (uint8_t)bytes, .elements = 2, .offset = 8, .offset1 = 2048};
            assert_true(bench_run(b, tiers[t].choose, IR_load, &load, o));
            for (unsigned lane = 0; lane < 64; lane++)
                for (unsigned k = 0; k < bytes / 2; k++) {
                    unsigned element = k / (bytes / 4), word = k % (bytes / 4);
                    assert_memory_equal(&bench_slot(b, SLOT_DATA + k)[lane],
                                        b->lds + lane * bytes + (element ? 2048 : 8) + word * 4, 4);
                }
            for (unsigned slot = 0; slot < 2; slot++)
                for (unsigned lane = 0; lane < 64; lane++) {
                    bench_slot(b, SLOT_DATA + slot)[lane] = 1000 * slot + lane;
                    bench_slot(b, SLOT_DATA2 + slot)[lane] = 5000 + 1000 * slot + lane;
                }
            struct ir_access store = load;
            store.flags = IR_AC_STORE;
            assert_true(bench_run(b, tiers[t].choose, IR_store, &store, o));
            for (unsigned lane = 0; lane < 64; lane++)
                for (unsigned word = 0; word < bytes / 4; word++) {
                    uint32_t first, second;
                    memcpy(&first, b->lds + lane * bytes + 8 + word * 4, 4);
                    memcpy(&second, b->lds + lane * bytes + 2048 + word * 4, 4);
                    assert_int_equal(first, 1000 * word + lane);
                    assert_int_equal(second, 5000 + 1000 * word + lane);
                }
            bench_destroy(b);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_of_every_space_width_and_tier_give_the_bytes_at_their_addresses),
        cmocka_unit_test(stores_of_every_space_width_and_tier_write_those_bytes_and_no_others),
        cmocka_unit_test(the_sum_of_a_buffers_offsets_does_not_wrap),
        cmocka_unit_test(narrow_loads_extend_or_fill_one_half_of_the_register),
        cmocka_unit_test(a_high_half_store_takes_the_upper_bits),
        cmocka_unit_test(an_access_over_the_border_of_two_runs_is_whole),
        cmocka_unit_test(an_unmapped_lane_reads_zero_and_is_reported_while_the_others_load),
        cmocka_unit_test(a_store_that_is_partly_unmapped_writes_nothing),
        cmocka_unit_test(an_access_past_the_last_address_is_unmapped),
        cmocka_unit_test(read_only_memory_loads_but_refuses_stores),
        cmocka_unit_test(a_load_may_overwrite_its_own_address),
        cmocka_unit_test(lds_out_of_range_reads_zero_and_drops_writes),
        cmocka_unit_test(two_elements_of_lds_move_with_their_own_offsets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
