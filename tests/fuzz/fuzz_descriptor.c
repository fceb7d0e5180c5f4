/* fuzz_descriptor: runs short programs of memory and image instructions with arbitrary descriptors, addresses and operands: nothing
 * outside the guest's memory is written, read-only memory stays as it is, every program ends, and all tiers of the host leave the
 * same behind.
 *
 * The input: a byte of choices (wave size, tier, chip), a byte for FLAT_SCRATCH and for each buffer descriptor that says how much
 * of it is bent towards memory that exists, 30 words of scalar registers (s[2:3] FLAT_SCRATCH, s[4:7] to s[28:31] descriptors,
 * s30 M0), 16 words that vector registers are made of, and instructions of 9 bytes: a kind, and two words.
 *
 * Built for libFuzzer it searches; otherwise it runs the files, or the folders of files, that it is given. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/base_bits.h"
#include "fuzz.h"
#include "wave/wave.h"

enum {
    PAGE = 4096,
    LANES = 64,
    POINTERS = 1 + 7, /* FLAT_SCRATCH and the descriptors */
    USER_WORDS = 30,  /* of which the last has no register and is 0 */
    LANE_WORDS = 16,
    INSTRUCTION_BYTES = 9,
    MOST_INSTRUCTIONS = 24,
    CODE_WORDS = 256,
    OUT_LANE = 256, /* bytes that a lane leaves at the end */
    GDS_BYTES = 512,
    LDS_BYTES = 2048,
    CANARY = 0xa5,
};

static const double timeout_s = 2;

static void require(bool condition)
{
    if (!condition)
        abort();
}

/* ---- guest memory: blocks between pages that nobody may touch, at either end of their pages ---- */

enum block { LEFT, RIGHT, READ_ONLY, TOP, MIDDLE, CODE, IN, OUT, BLOCKS };

static const struct place {
    uint64_t start;
    uint32_t size, offset; /* offset within the pages; canaries fill the rest of them */
    bool writable;
} places[BLOCKS] = {
    [LEFT] = {0x10000000, PAGE - 64, 0, true}, /* these two adjoin for the guest, not for the host */
    [RIGHT] = {0x10000000 + PAGE - 64, PAGE - 64, 64, true},
    [READ_ONLY] = {0x20000000, PAGE, 0, false},
    [TOP] = {UINT64_C(0xfffffffffffff000), PAGE, 0, true},            /* the last bytes of the address space */
    [MIDDLE] = {UINT64_C(0xffff800000000000), PAGE - 192, 192, true}, /* as descriptors hold it: 0x0000800000000000 */
    [CODE] = {0x40000000, CODE_WORDS * 4, PAGE - CODE_WORDS * 4, false},
    [IN] = {0x50000000, LANES *LANE_WORDS * 4, 0, false},
    [OUT] = {0x60000000, LANES *OUT_LANE, 0, true},
};
static const uint64_t hole_start = UINT64_C(0x500000000000), hole_size = UINT64_C(1) << 33;

static uint8_t *pages[BLOCKS]; /* mapped once */

static uint32_t mapped_bytes(enum block block)
{
    return (uint32_t)base_align_up(places[block].offset + places[block].size, PAGE);
}
static uint8_t *host_of(enum block block)
{
    return pages[block] + places[block].offset;
}

static void map_blocks(void)
{
    for (unsigned n = 0; n < BLOCKS && !pages[n]; n++) {
        uint32_t bytes = mapped_bytes(n);
        uint8_t *guarded = mmap(NULL, bytes + 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        require(guarded != MAP_FAILED && mprotect(guarded + PAGE, bytes, PROT_READ | PROT_WRITE) == 0);
        pages[n] = guarded + PAGE;
    }
}

static void fill_blocks(void)
{
    for (unsigned n = 0; n < BLOCKS; n++) {
        memset(pages[n], CANARY, mapped_bytes(n));
        for (uint32_t i = 0; i < places[n].size; i++)
            host_of(n)[i] = (uint8_t)(i * 7 + (i >> 8) * 29 + n);
    }
}

static void check_canaries(void)
{
    for (unsigned n = 0; n < BLOCKS; n++)
        for (uint32_t i = 0; i < mapped_bytes(n); i++)
            require(i - places[n].offset < places[n].size || pages[n][i] == CANARY);
}

static enum wave_outcome find_run(void *user, uint64_t address, struct wave_run *run)
{
    static const uint64_t upper = UINT64_C(1) << 47, sign = UINT64_C(0xffff000000000000);
    uint64_t form = address & upper && !(address & sign) ? sign : 0; /* 48 bits without their sign: answered likewise */
    (void)user;
    if (address - hole_start < hole_size) {
        *run = (struct wave_run){hole_start, hole_size, NULL, false, true};
        return WAVE_DONE;
    }
    for (unsigned n = 0; n < BLOCKS; n++) {
        const struct place *p = &places[n];
        if ((address | form) - p->start >= p->size)
            continue;
        *run = (struct wave_run){p->start & ~form, p->size, host_of(n), p->writable, false};
        return WAVE_DONE;
    }
    return WAVE_UNMAPPED;
}

/* ---- inputs ---- */

struct input {
    uint8_t choices, bends[POINTERS];
    uint32_t user[USER_WORDS], lane[LANE_WORDS];
} __attribute__((packed));

/* How a pointer is bent: the block that it leads to (or none), and what of a descriptor is made small. */
enum {
    BEND_BLOCK = 7,
    BEND_HOLE = 6,
    BEND_NOT = 7,
    BEND_RECORDS = 1 << 3,
    BEND_STRIDE = 1 << 4,
    BEND_FORMAT = 1 << 5,
    BEND_INDEX = 1 << 6,
    BEND_IMAGE = 1 << 7 /* it is the first half of an image's descriptor, and the next that of a sampler or the other half */
};

static uint64_t bend(uint64_t address, uint8_t how)
{
    static const enum block targets[] = {LEFT, RIGHT, READ_ONLY, TOP, MIDDLE, OUT};
    unsigned target = how & BEND_BLOCK;
    if (target == BEND_NOT)
        return address;
    uint64_t start = target == BEND_HOLE ? hole_start : places[targets[target]].start;
    return start + address % (2 * PAGE) - PAGE / 2;
}

static void bend_pair(uint32_t words[2], uint8_t how, uint32_t kept)
{
    uint64_t address = bend(words[0] | (uint64_t)words[1] << 32, how);
    words[0] = (uint32_t)address;
    words[1] = (words[1] & kept) | ((uint32_t)(address >> 32) & ~kept);
}

static void bend_descriptor(uint32_t words[4], uint8_t how)
{
    enum { ABOVE_BASE = 0xffff, SMALL_STRIDE = 0xc03f, FORMAT_AT = 12, FORMATS = 128, LOW_FORMATS = 64 };
    bend_pair(words, how, how & BEND_BLOCK ? 0xffff0000u : 0);
    if (how & BEND_STRIDE)
        words[1] &= (uint32_t)SMALL_STRIDE << 16 | ABOVE_BASE;
    if (how & BEND_RECORDS)
        words[2] %= 2 * PAGE;
    if (how & BEND_FORMAT)
        words[3] = (words[3] & ~((FORMATS - 1u) << FORMAT_AT)) | (1 + words[3] % LOW_FORMATS) << FORMAT_AT;
}

static void replace(uint32_t *word, unsigned low, unsigned bits, uint32_t value)
{
    uint32_t mask = (uint32_t)((UINT64_C(1) << bits) - 1);
    *word = (*word & ~(mask << low)) | (value & mask) << low;
}

/* An image's descriptor of 8 words: the base in units of 256 bytes leads to a block, the size is small, the format one of the first, the
 * form one that is carried out. */
static void bend_image(uint32_t words[8], uint8_t how)
{
    enum { BASE_UNIT = 256, FORMATS = 140, FIRST_TYPE = 8, TYPES = 6, LINES = 0 };
    uint64_t address = bend((words[0] | (uint64_t)(words[1] & 255) << 32) * BASE_UNIT, how) / BASE_UNIT;
    words[0] = (uint32_t)address;
    replace(&words[1], 0, 8, (uint32_t)(address >> 32));
    if (how & BEND_FORMAT)
        replace(&words[1], 20, 9, 1 + words[1] % FORMATS);
    if (how & BEND_RECORDS) { /* up to 64 x 32 x 8 */
        replace(&words[2], 4, 10, 0);
        replace(&words[2], 19, 9, 0);
        replace(&words[4], 3, 29, 0);
    }
    if (how & BEND_STRIDE) { /* a type, levels and slices in order, no keys */
        replace(&words[3], 28, 4, FIRST_TYPE + (words[3] >> 28) % TYPES);
        replace(&words[3], 12, 8, (words[3] >> 16 & 3) << 4);
        replace(&words[4], 16, 16, 0);
        words[5] = words[6] = words[7] = 0;
    }
    if (how & BEND_INDEX)
        replace(&words[3], 20, 5, LINES);
}

/* What each lane finds in v[4:19]: v[4:5] and v[6:7] are pointers, v8 to v11 small numbers, the rest as the input says. */
static void fill_lanes(const struct input *input)
{
    uint32_t *to = (uint32_t *)(void *)host_of(IN);
    for (unsigned lane = 0; lane < LANES; lane++, to += LANE_WORDS) {
        for (unsigned n = 0; n < LANE_WORDS; n++)
            to[n] = input->lane[n] + (input->lane[n] >> 24) * lane;
        bend_pair(&to[0], input->bends[0], 0);
        bend_pair(&to[2], input->bends[1], 0);
        for (unsigned n = 4; n < 8; n++)
            to[n] %= 2 * PAGE;
        for (unsigned n = 8; n < 12; n++)
            to[n] %= LANES;
    }
}

/* ---- programs ---- */

struct program {
    uint32_t *words;
    unsigned count;
};

static void emit(struct program *p, uint32_t word)
{
    require(p->count < CODE_WORDS);
    p->words[p->count++] = word;
}

static void emit_all(struct program *p, const uint32_t *words, size_t bytes)
{
    for (size_t n = 0; n < bytes / sizeof *words; n++)
        emit(p, words[n]);
}

/* v1 = the lane's number. v_mbcnt_lo_u32_b32 v1, -1, 0; v_mbcnt_hi_u32_b32 v1, -1, v1 */
static const uint32_t lane_number[] = {0xd7650001, 0x000100c1, 0xd7660001, 0x000202c1};

/* v_lshlrev_b32 v1, 6, v1; global_load_dwordx4 v[4:7], v1, s[0:1], and v[8:19] behind it; s_setreg_b32
 * hwreg(HW_REG_FLAT_SCR_LO), s2; s_setreg_b32 hwreg(HW_REG_FLAT_SCR_HI), s3; s_waitcnt 0; s_mov_b32 m0, s30 */
static const uint32_t load_lanes[] = {0x34020286, 0xdc388000, 0x04000001, 0xdc388010, 0x08000001, 0xdc388020, 0x0c000001,
                                      0xdc388030, 0x10000001, 0xb982f814, 0xb983f815, 0xbf8c0000, 0xbefc031e};

/* Stores v[4:35] and s[32:47], whatever the program has done to EXEC and the registers of the address. */
static void emit_store(struct program *p)
{
    enum { S_FIRST = 32, S_COUNT = 16, V_FIRST = 4, V_COUNT = 32, WIDE = 4 };
    static const uint32_t all_lanes = 0xbefe04c1 /* s_mov_b64 exec, -1 */, shift = 0x34020288 /* v_lshlrev_b32 v1, 8, v1 */;
    const uint32_t base[] = {0xbe8003ff, (uint32_t)places[OUT].start, 0xbe810380}; /* s_mov_b32 s0, OUT; s_mov_b32 s1, 0 */
    emit(p, all_lanes);
    emit_all(p, lane_number, sizeof lane_number);
    emit(p, shift);
    emit_all(p, base, sizeof base);
    for (unsigned n = 0; n < V_COUNT + S_COUNT; n += WIDE) {
        unsigned v = V_FIRST + n % V_COUNT;
        for (unsigned k = 0; n >= V_COUNT && k < WIDE; k++)
            emit(p, 0x7e000200 | (v + k) << 17 | (S_FIRST + n - V_COUNT + k)); /* v_mov_b32 v, s */
        emit(p, 0xdc788000 | n * 4); /* global_store_dwordx4 v1, v[v:v+3], s[0:1] offset:n*4 */
        emit(p, 1 | v << 8);
    }
    emit(p, 0xbf810000); /* s_endpgm */
}

/* A form of instructions: what of the input's two words stays, and what is set instead. */
struct form {
    uint32_t identity[2], known[2]; /* bits of the form itself */
    uint32_t kept[2], set[2];       /* of the input's, and what is added: operands among the prepared registers */
};

enum { ENCODED = 0xfc000000u, SEGMENT = 0xfc00c000u, GLOBAL = 0xdc008000u, SCRATCH = 0xdc004000u, FLAT = 0xdc000000u };

static const struct form forms[] = {
    /* Vector address v[4:19], data v[20:35], descriptor s[4k:4k+3]; the scalar offset as it comes. */
    {{0xe0000000u}, {ENCODED}, {~0u, 0xffc70f0f}, {0, 0x00001404}}, /* MUBUF */
    {{0xe8000000u}, {ENCODED}, {~0u, 0xffe70f0f}, {0, 0x00001404}}, /* MTBUF */
    {{0xf4000000u},
     {ENCODED},
     {0xffffe007u, 0x00001fff},
     {0x00000800, 0xfa000000}},                                      /* SMEM to s[32:47], from the first scalars */
    {{0xf4000000u}, {ENCODED}, {0xffffe03fu, ~0u}, {0x00000800, 0}}, /* SMEM from any scalars, with any offset */
    {{FLAT}, {SEGMENT}, {~0u, 0x0f000f0f}, {0, 0x14001404}},         /* FLAT, without a base */
    {{GLOBAL}, {SEGMENT}, {~0u, 0x0f000f0f}, {0, 0x147d1404}},
    {{GLOBAL}, {SEGMENT}, {~0u, 0x0f1f0f0f}, {0, 0x14001404}}, /* beside a scalar base */
    {{SCRATCH}, {SEGMENT}, {~0u, 0x0f000f0f}, {0, 0x147d1404}},
    {{SCRATCH}, {SEGMENT}, {~0u, 0x0f7f0f0f}, {0, 0x14001404}},
    {{0xd8000000u}, {ENCODED}, {~0u, 0x0f0f0f0f}, {0, 0x14141404}}, /* DS */
    {{0xdc000000u}, {ENCODED}, {~0u, ~0u}, {0, 0}},                 /* FLAT of every segment, with any operands */
    {{0xe0000000u}, {0xf4000000u}, {~0u, ~0u}, {0, 0}},             /* MUBUF and MTBUF with any operands */
    {{0xbefc0300u}, {0xffffff00u}, {0x1f, 0}, {0, 0}},              /* s_mov_b32 m0, s0 to s31 */
    /* Vector address v[4:19], data v[20:35], image s[4k:4k+7], sampler s[4j:4j+3]. */
    {{0xf0000000u}, {ENCODED | 6}, {~0u, 0xc0e70f0f}, {0, 0x00001404}}, /* MIMG with addresses in a row */
    {{0xf0000000u}, {ENCODED}, {~0u, ~0u}, {0, 0}},                     /* MIMG with any operands */
};

static uint32_t shape(const struct form *form, unsigned n, uint32_t word)
{
    return (((word & form->kept[n]) + form->set[n]) & ~form->known[n]) | form->identity[n];
}

/* What shows a clock differs by itself. */
static bool is_comparable(const struct isa_inst *inst)
{
    return inst->row->id != ISA_s_memtime && inst->row->id != ISA_s_memrealtime;
}

static void emit_instruction(struct program *p, enum isa_chip_bit chip, unsigned wave_size, const uint8_t *bytes)
{
    const struct form *form = &forms[bytes[0] % (sizeof forms / sizeof *forms)];
    uint32_t words[2];
    struct isa_inst inst;
    memcpy(words, bytes + 1, sizeof words);
    words[0] = shape(form, 0, words[0]);
    words[1] = shape(form, 1, words[1]);
    if (isa_decode(chip, wave_size, words, 2, &inst) == ISA_OK && is_comparable(&inst))
        emit_all(p, words, inst.size);
}

static void make_program(enum isa_chip_bit chip, unsigned wave_size, const uint8_t *bytes, size_t size)
{
    struct program p = {.words = (uint32_t *)(void *)host_of(CODE)};
    emit_all(&p, lane_number, sizeof lane_number);
    emit_all(&p, load_lanes, sizeof load_lanes);
    for (unsigned n = 0; n < MOST_INSTRUCTIONS && size >= INSTRUCTION_BYTES;
         n++, bytes += INSTRUCTION_BYTES, size -= INSTRUCTION_BYTES)
        emit_instruction(&p, chip, wave_size, bytes);
    emit_store(&p);
}

/* ---- a run ---- */

static struct wave_dispatch describe(const struct input *input, unsigned wave_size, uint8_t *gds)
{
    enum { ALL_VGPRS = 63, DENORMALS = 0xf0, USER_SGPRS = 31 };
    struct wave_dispatch dispatch = {.program = places[CODE].start,
                                     .rsrc1 = ALL_VGPRS | DENORMALS << 12,
                                     .rsrc2 = USER_SGPRS << 1,
                                     .groups = {1, 1, 1},
                                     .threads = {wave_size, 1, 1},
                                     .last_threads = {wave_size, 1, 1},
                                     .wave_size = wave_size,
                                     .lds_bytes = LDS_BYTES,
                                     .apertures = {0x20000, 0x10000},
                                     .gds = gds,
                                     .gds_bytes = GDS_BYTES};
    dispatch.user_data[0] = (uint32_t)places[IN].start;
    memcpy(&dispatch.user_data[2], input->user, sizeof input->user);
    bend_pair(&dispatch.user_data[2], input->bends[0], 0);
    for (unsigned n = 1; n < POINTERS; n++)
        if (input->bends[n] & BEND_IMAGE && n + 1 < POINTERS)
            bend_image(&dispatch.user_data[4 * n], input->bends[n]), n++; /* two of four words */
        else
            bend_descriptor(&dispatch.user_data[4 * n], input->bends[n]);
    return dispatch;
}

static void run_program(const char *tier, enum isa_chip_bit chip, const struct wave_dispatch *dispatch, struct wave_brief *brief)
{
    const struct wave_memory guest = {.find = find_run};
    const struct wave_options options = {.threads = 1, .timeout_s = timeout_s, .deterministic = true, .tier = tier};
    struct wave_cache *cache = wave_cache_create(chip, &guest);
    require(cache);
    struct wave_engine *engine = wave_engine_create(cache, &options);
    require(engine && wave_engine_run(engine, &guest, dispatch, brief));
    wave_engine_destroy(engine);
    wave_cache_destroy(cache);
    require(!brief->failed || (brief->kind != WAVE_FAULT_HANG && brief->kind != WAVE_FAULT_FETCH));
}

/* What a run leaves behind. */
struct result {
    uint8_t blocks[BLOCKS][LANES * OUT_LANE], gds[GDS_BYTES];
    struct wave_brief brief;
};

static void run_tier(const char *tier, const struct input *input, const uint8_t *bytes, size_t size, struct result *result)
{
    enum isa_chip_bit chip = (enum isa_chip_bit)(1u << (input->choices >> 4 & 3));
    unsigned wave_size = input->choices & 1 ? 64 : 32;
    fill_blocks();
    fill_lanes(input);
    make_program(chip, wave_size, bytes, size);
    memset(result, 0, sizeof *result);
    uint8_t *gds = malloc(GDS_BYTES); /* of its own, so that a sanitizer sees what lies beside it */
    require(gds);
    memset(gds, 0, GDS_BYTES);
    for (unsigned n = 0; n < BLOCKS; n++)
        memcpy(result->blocks[n], host_of(n), places[n].size);
    const struct wave_dispatch dispatch = describe(input, wave_size, gds);
    run_program(tier, chip, &dispatch, &result->brief);
    check_canaries();
    for (unsigned n = 0; n < BLOCKS; n++) {
        require(places[n].writable || memcmp(result->blocks[n], host_of(n), places[n].size) == 0);
        memcpy(result->blocks[n], host_of(n), places[n].size);
    }
    memcpy(result->gds, gds, GDS_BYTES);
    free(gds);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct result expected, other;
    static const char *const tiers[] = {NULL, "avx2"};
    struct input input;
    if (size < sizeof input)
        return 0;
    memcpy(&input, data, sizeof input);
    map_blocks();
    run_tier("baseline", &input, data + sizeof input, size - sizeof input, &expected);
    run_tier(tiers[input.choices >> 1 & 1], &input, data + sizeof input, size - sizeof input, &other);
    require(memcmp(expected.blocks, other.blocks, sizeof expected.blocks) == 0 &&
            memcmp(expected.gds, other.gds, GDS_BYTES) == 0);
    require(expected.brief.failed == other.brief.failed && strcmp(expected.brief.text, other.brief.text) == 0);
    return 0;
}

#ifndef TENFOLD_LIBFUZZER
int main(int argc, char **argv)
{
    return fuzz_run_files(argc, argv);
}
#endif
