/* ir: the wave-level intermediate form between lower/ (which says what an instruction does) and its users.
 *
 * A value is uniform (one for the wave, an S slot or a constant) or per lane (a V slot). The guest's registers are
 * variables: S slots 0-127 are the scalar registers by their hardware codes, V slots 0-255 the vector registers. Slots past
 * those are the wave's state (enum ir_state) and temporaries, which live within one guest instruction.
 * A 64-bit value is two consecutive slots, low word first. A lane mask is one slot in wave32 and two in wave64.
 *
 * Roles and owners:
 *   ir_func     a program (or a part of one, reached from one entry); owns its arrays; create with ir_func_create.
 *   ir_builder  appends to one function; plain data, the caller's.
 *   ir_ref      names a slot or a constant; plain value.
 *   ir_inst, ir_block, ir_access, ir_image   elements of a function's arrays.
 */
#ifndef IR_IR_H
#define IR_IR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum ir_kind { IR_NONE, IR_S, IR_V, IR_K };

/* kind IR_S, IR_V: index is the slot. IR_K: index into the function's constants (64 bits each). */
typedef struct ir_ref {
    uint16_t kind, index;
} ir_ref;

/* The wave's state past the scalar registers, as S slots. */
enum ir_state {
    IR_VCC = 106, IR_M0 = 124, IR_EXEC = 126,
    IR_SCC = 128,        /* 0 or 1 */
    IR_MODE,             /* as hwreg MODE */
    IR_FLAT_SCR_LO, IR_FLAT_SCR_HI,
    IR_ALL_LO, IR_ALL_HI,    /* a mask of every lane of the wave (ones) */
    IR_SHARED_BASE, IR_PRIVATE_BASE, /* high words of the apertures */
    IR_SUBVECTOR,        /* s_subvector_loop: which half runs: saved EXEC half lives in the instruction's own SGPR */
    IR_STATUS, IR_TRAPSTS, IR_HW_ID1, IR_HW_ID2, IR_GPR_ALLOC, IR_LDS_ALLOC, IR_IB_STS, IR_SH_MEM_BASES, IR_XNACK_MASK,
    IR_S_TEMP = 160,     /* temporaries from here ... */
    IR_S_COUNT = 256,    /* ... to here */
    IR_V_TEMP = 256, IR_V_COUNT = 256 + 128,
    IR_V_COPY = IR_V_COUNT - 32, /* the last ones are ir_form_addresses' and live within a block */
};

/* Value types. Types of 16 bits live in the low half of a slot, the high half of such a temporary is zero. */
enum ir_type { IR_T_NONE, IR_T_u16, IR_T_i16, IR_T_f16, IR_T_u32, IR_T_i32, IR_T_f32, IR_T_u64, IR_T_i64, IR_T_f64, IR_T_mask };

enum ir_class {
    IR_C_VALUE,   /* pure: one value from values; uniform when all sources are */
    IR_C_COMPARE, /* pure: per lane it gives a mask (0 in inactive lanes), uniform it gives 0 or 1 */
    IR_C_IRREGULAR,
    IR_C_MEMORY,
    IR_C_CONTROL, /* ends a block */
};

enum ir_op_flag {
    IR_F_FLOAT32 = 1 << 0, /* depends on MODE's f32 rounding and denormals */
    IR_F_FLOAT64 = 1 << 1, /* depends on MODE's f64/f16 rounding and denormals */
    IR_F_APPROX = 1 << 2,  /* the guide does not define the result to the bit */
    IR_F_EFFECT = 1 << 3,  /* must not be dropped or moved */
    IR_F_VECTOR = 1 << 4,  /* the expression works on host vectors as it stands */
    IR_F_LANE = 1 << 5,    /* always per lane, also when all sources are uniform */
    IR_F_UNIFORM = 1 << 6, /* result is uniform whatever the sources are */
};

struct ir_op_info {
    const char *name;
    uint8_t class, flags, dst_count, src_count;
    uint8_t dst_type[2], src_type[6];
};

enum ir_op {
#define IR_OP(name, ...) IR_##name,
#include "ir_ops_list.h"
#undef IR_OP
    IR_OP_COUNT
};

extern const struct ir_op_info ir_ops[IR_OP_COUNT];

struct ir_inst {
    uint16_t op;
    uint8_t lane;     /* executed per lane */
    uint8_t src_count;
    ir_ref dst[2];
    ir_ref src[6];
    /* Per lane with a V destination: the mask of lanes written (IR_EXEC, IR_ALL_LO or a temporary). */
    ir_ref mask;
    uint32_t imm;     /* op-specific: DPP controls, index of the ir_access, ... */
    uint64_t pc;      /* the guest instruction it belongs to */
};

enum { IR_UNKNOWN_NO_CODE = 1 }; /* imm of IR_unknown: there is no memory at pc, or not for the whole instruction */

/* What a memory instruction reaches for; inst.imm is its index in the function. */
enum ir_space {
    IR_SPACE_SCALAR,  /* s_load: address uniform, src[0] base (64), src[1] byte offset */
    IR_SPACE_SBUFFER, /* s_buffer_load: src[0] first of 4 S slots (V#), src[1] byte offset */
    IR_SPACE_GLOBAL,  /* src[0] address (64, per lane), or src[0] 32-bit lane offset and src[1] uniform base (64) */
    IR_SPACE_FLAT,    /* like global, with apertures */
    IR_SPACE_SCRATCH, /* src[0] lane offset (32) or none, src[1] uniform offset (32) or none */
    IR_SPACE_BUFFER,  /* src[0] first of 4 S slots (V#), src[1] index, src[2] lane offset, src[3] uniform offset (soffset) */
    IR_SPACE_LDS,     /* src[0] lane byte address; M0 unused */
    IR_SPACE_GDS,     /* src[0] lane byte address, M0 base and size */
};

enum ir_atomic {
    IR_A_NONE, IR_A_SWAP, IR_A_CMPSWAP, IR_A_ADD, IR_A_SUB, IR_A_RSUB, IR_A_SMIN, IR_A_UMIN, IR_A_SMAX, IR_A_UMAX, IR_A_AND, IR_A_OR,
    IR_A_XOR, IR_A_INC, IR_A_DEC, IR_A_CSUB, IR_A_FCMPSWAP, IR_A_FMIN, IR_A_FMAX, IR_A_FADD, IR_A_MSKOR, IR_A_WRAP, IR_A_CONDXCHG,
};

enum ir_access_flag {
    IR_AC_SIGNED = 1 << 0,  /* sub-word loads sign-extend */
    IR_AC_D16 = 1 << 1,     /* 16-bit data: loads merge into the low half of the destination */
    IR_AC_D16_HI = 1 << 2,  /* ... into (or, stores, from) the high half */
    IR_AC_RETURN = 1 << 3,  /* atomics: the value before goes to dst[0] */
    IR_AC_OFFEN = 1 << 4, IR_AC_IDXEN = 1 << 5, /* buffer */
    IR_AC_FORMAT = 1 << 6,  /* buffer_load/store_format: converts by the descriptor's or the instruction's format */
    IR_AC_TYPED = 1 << 7,   /* MTBUF: `format` is the instruction's */
    IR_AC_LDS_DMA = 1 << 8, /* buffer_load ... lds */
    IR_AC_GLC = 1 << 9, IR_AC_SLC = 1 << 10, IR_AC_DLC = 1 << 11,
    IR_AC_TFE = 1 << 12,
    IR_AC_STORE = 1 << 13,
    IR_AC_SADDR = 1 << 14,  /* src[1] holds the uniform base */
    IR_AC_ADDTID = 1 << 15, /* LDS: address is M0 + offset + 4 * lane; global: base + offset + 4 * lane */
    IR_AC_SRC2 = 1 << 16,   /* LDS atomics: the operand is a second LDS word; offset holds the instruction's 16 offset bits */
    IR_AC_SIGNED_LANE = 1 << 17, /* with IR_AC_SADDR: the lane's src[0] is signed */
};

struct ir_access {
    uint8_t space;    /* enum ir_space */
    uint8_t atomic;   /* enum ir_atomic */
    uint8_t bytes;    /* of memory in a lane (or in all, scalar): 1, 2, 4, 8, 12, 16, 32, 64; per element when elements > 1 */
    uint8_t elements; /* 1, or 2 for ds_read2/write2; formats: components */
    uint8_t format;   /* IR_AC_TYPED */
    uint8_t scale;    /* IR_AC_SADDR, made by ir_form_addresses: the lane's src[0] is shifted left by this, in 64 bits */
    uint32_t flags;   /* enum ir_access_flag */
    int32_t offset, offset1; /* the instruction's, in bytes, scaled */
    /* Data: loads and atomics return into dst[0] and the slots after it; stores and atomics take it from src[4] (and src[5],
     * the second element of ds_write2 and the comparand of ds_cmpst; the comparand of other cmpswaps follows the data). */
};

/* What an `image` does; inst.imm is its index in the function. Its sources: src[0] first of the descriptor's S slots (T#: 8, or 4 of an image
 * with IR_IM_R128 and of a ray test), src[1] first of 4 S slots (S#) or none, src[2] first of the data's slots (stores, atomics) or none,
 * src[3] first of the address's consecutive V slots. Addresses are read in all lanes where the level of detail comes from the neighbours
 * in the quad; everything else happens in the lanes of the mask. */
enum ir_image_kind {
    IR_IMAGE_LOAD,     /* by integer coordinates */
    IR_IMAGE_LOAD_RAW, /* the same, of the element's own words, unconverted; IR_IM_SIGNED extends their sign */
    IR_IMAGE_STORE, IR_IMAGE_STORE_RAW,
    IR_IMAGE_ATOMIC,   /* atomic: enum ir_atomic; of 32 bits, with IR_IM_WIDE of 64 */
    IR_IMAGE_SAMPLES,  /* one component of four fragments, from the coordinates' on */
    IR_IMAGE_SAMPLE, IR_IMAGE_GATHER,
    IR_IMAGE_LOD,      /* the level that a sample would take: clamped, and as computed */
    IR_IMAGE_SIZE,     /* width, height, depth or slices, levels */
    IR_IMAGE_RAY,      /* tests a ray against a node of the descriptor's tree */
    IR_IMAGE_KIND_COUNT
};

/* How many coordinates there are, and what the ones behind x are. Numbers are the instruction's DIM. */
enum ir_image_dim {
    IR_DIM_1D, IR_DIM_2D, IR_DIM_3D, IR_DIM_CUBE, IR_DIM_1D_ARRAY, IR_DIM_2D_ARRAY, IR_DIM_2D_MSAA, IR_DIM_2D_MSAA_ARRAY, IR_DIM_COUNT
};

enum ir_image_flag {
    IR_IM_D16 = 1 << 0,    /* data of 16 bits, two to a register */
    IR_IM_TFE = 1 << 1,    /* a status word behind the data */
    IR_IM_LWE = 1 << 2,    /* asks for warnings about levels: the guide gives them no bit, and there are none */
    IR_IM_UNORM = 1 << 3,  /* coordinates count texels */
    IR_IM_R128 = 1 << 4,
    IR_IM_GLC = 1 << 5, IR_IM_SLC = 1 << 6, IR_IM_DLC = 1 << 7,
    IR_IM_RETURN = 1 << 8, /* atomics: the value before goes to dst[0] */
    IR_IM_WIDE = 1 << 9,
    IR_IM_SIGNED = 1 << 10,
    IR_IM_ZERO = 1 << 11,   /* samples level 0 */
    IR_IM_COARSE = 1 << 12, /* gradients serve the whole quad */
    IR_IMAGE_FLAG_BITS = 13
};

/* The parts of an address. Offsets are six signed bits in each of the low three bytes. */
enum ir_image_part {
    IR_PART_OFFSET, IR_PART_BIAS, IR_PART_COMPARE,
    IR_PART_DX, IR_PART_DY = IR_PART_DX + 3, /* gradients along the screen's x and y, each for up to three coordinates */
    IR_PART_X = IR_PART_DY + 3, IR_PART_Y, IR_PART_Z, /* coordinates in the order of the dimension: slice or face behind the others */
    IR_PART_FRAGMENT,
    IR_PART_LOD,   /* level of detail, or mip level of loads and stores */
    IR_PART_CLAMP, /* the least level of detail */
    IR_PART_NODE, IR_PART_NODE_HI, IR_PART_EXTENT, IR_PART_ORIGIN, IR_PART_DIRECTION = IR_PART_ORIGIN + 3,
    IR_PART_INVERSE = IR_PART_DIRECTION + 3, IR_PART_COUNT = IR_PART_INVERSE + 3
};

/* Where a part lies: word of the address times IR_AT_WORD, and which half of it (a number of 16 bits: f16 where the whole would be
 * f32, else unsigned). */
enum { IR_AT_WHOLE, IR_AT_LOW, IR_AT_HIGH, IR_AT_WORD = 4, IR_AT_NOWHERE = 0xff };

struct ir_image {
    uint8_t kind;   /* enum ir_image_kind */
    uint8_t dim;    /* enum ir_image_dim */
    uint8_t atomic; /* enum ir_atomic */
    uint8_t dmask;  /* components of the texel; a bit each */
    uint8_t data_words;    /* registers of the data that is stored */
    uint8_t result_words;  /* registers of the result, without the status word */
    uint8_t address_words;
    uint16_t flags; /* enum ir_image_flag */
    uint8_t at[IR_PART_COUNT];
};

enum ir_terminator {
    IR_TERM_NONE,
    IR_TERM_JUMP,    /* to succ[0] */
    IR_TERM_BRANCH,  /* to succ[0] when cond (an S slot or constant, 32 bits) is not zero, else to succ[1] */
    IR_TERM_END,     /* s_endpgm */
    IR_TERM_SETPC,   /* to the address in cond (64 bits) */
    IR_TERM_STOP,    /* the wave cannot go on: imm of the last instruction says why (unknown or unsupported instruction) */
};

struct ir_block {
    uint32_t first, count; /* instructions */
    uint8_t term;
    bool back[2];          /* succ[n] lies at or before this block's own pc: a back edge */
    ir_ref cond;
    uint32_t succ[2];      /* block numbers; IR_NO_BLOCK when outside this function: then target[n] is the address */
    uint64_t target[2];
    uint64_t pc, end_pc;   /* guest addresses */
    uint32_t guest_count;  /* guest instructions */
};

enum { IR_NO_BLOCK = 0xffffffffu };

struct ir_func {
    unsigned wave_size;
    uint64_t entry;
    struct ir_inst *insts;
    uint32_t inst_count, inst_cap;
    struct ir_block *blocks;
    uint32_t block_count, block_cap;
    struct ir_access *accesses;
    uint32_t access_count, access_cap;
    struct ir_image *images;
    uint32_t image_count, image_cap;
    uint64_t *consts;
    uint32_t const_count, const_cap;
    bool whole;         /* has all the code that its jumps to computed addresses are known to lead to (lower_whole) */
    bool out_of_memory; /* sticky: checked once at the end of building */
};

struct ir_func *ir_func_create(unsigned wave_size, uint64_t entry); /* NULL: out of memory */
struct ir_func *ir_func_copy(const struct ir_func *func);          /* NULL: out of memory */
void ir_func_destroy(struct ir_func *func);                        /* NULL is fine */

struct ir_builder {
    struct ir_func *func;
    uint64_t pc;            /* stamped on instructions */
    uint32_t s_temp, v_temp; /* next free temporaries; reset by ir_begin_inst */
    uint32_t inst_start;    /* first IR instruction of the current guest instruction */
    const char *error;      /* ran out of temporaries and the like: our bug, or a hostile program's; NULL otherwise */
};

/* Starts a guest instruction: temporaries of the one before are dead. */
void ir_begin_inst(struct ir_builder *b, uint64_t pc);

static inline ir_ref ir_s(unsigned slot) { return (ir_ref){IR_S, (uint16_t)slot}; }
static inline ir_ref ir_v(unsigned slot) { return (ir_ref){IR_V, (uint16_t)slot}; }
static inline bool ir_is_lane(ir_ref r) { return r.kind == IR_V; }
static inline bool ir_is_none(ir_ref r) { return r.kind == IR_NONE; }
static inline bool ir_same(ir_ref x, ir_ref y) { return x.kind == y.kind && x.index == y.index; }
/* The slot after r: the high word of a 64-bit value (of a constant too). */
ir_ref ir_hi(struct ir_builder *b, ir_ref r);
ir_ref ir_const(struct ir_builder *b, uint64_t value);
/* True, with the value, when r is a constant. */
bool ir_const_value(const struct ir_func *func, ir_ref r, uint64_t *value);

/* count consecutive fresh temporaries. */
ir_ref ir_s_temp(struct ir_builder *b, unsigned count);
ir_ref ir_v_temp(struct ir_builder *b, unsigned count);

/* Appends op with a fresh destination of its type and returns that; per lane when a source is. Constants fold. */
ir_ref ir_emit(struct ir_builder *b, enum ir_op op, unsigned src_count, const ir_ref *src);
/* The same, always per lane (compares then give a mask also of uniform operands). */
ir_ref ir_emit_lane(struct ir_builder *b, enum ir_op op, unsigned src_count, const ir_ref *src);
/* The same for ops with two destinations: *second gets the second one. */
ir_ref ir_emit2(struct ir_builder *b, enum ir_op op, bool lane, unsigned src_count, const ir_ref *src, ir_ref *second);
/* Appends an instruction as given (irregular ops, memory); returns it for the caller to finish, valid until the next append.
 * On lack of memory it returns a scratch instruction. */
struct ir_inst *ir_append(struct ir_builder *b, enum ir_op op);
struct ir_access *ir_append_access(struct ir_builder *b, struct ir_inst **inst, enum ir_op op, enum ir_space space);
struct ir_image *ir_append_image(struct ir_builder *b, struct ir_inst **inst, enum ir_image_kind kind);

/* dst = value, for one 32-bit slot. A V destination is written in the lanes of mask (IR_EXEC as a rule). When value is a
 * temporary that the last instruction made, that instruction's destination is changed instead of adding a move. */
void ir_assign(struct ir_builder *b, ir_ref dst, ir_ref value, ir_ref mask);
void ir_assign64(struct ir_builder *b, ir_ref dst, ir_ref value, ir_ref mask);

/* ir_add_u32(b, x, y) and so on, one for each regular op with one destination. */
#define IR_BUILD1(name) static inline ir_ref ir_##name(struct ir_builder *b, ir_ref x) { return ir_emit(b, IR_##name, 1, (ir_ref[]){x}); }
#define IR_BUILD2(name) static inline ir_ref ir_##name(struct ir_builder *b, ir_ref x, ir_ref y) { return ir_emit(b, IR_##name, 2, (ir_ref[]){x, y}); }
#define IR_BUILD3(name) static inline ir_ref ir_##name(struct ir_builder *b, ir_ref x, ir_ref y, ir_ref z) { return ir_emit(b, IR_##name, 3, (ir_ref[]){x, y, z}); }
#define IR_BUILD4(name) static inline ir_ref ir_##name(struct ir_builder *b, ir_ref x, ir_ref y, ir_ref z, ir_ref w) { return ir_emit(b, IR_##name, 4, (ir_ref[]){x, y, z, w}); }
#define V1(name, ...) IR_BUILD1(name)
#define V2(name, ...) IR_BUILD2(name)
#define V3(name, ...) IR_BUILD3(name)
#define S1(name, ...) IR_BUILD1(name)
#define S2(name, ...) IR_BUILD2(name)
#define S3(name, ...) IR_BUILD3(name)
#define S4(name, ...) IR_BUILD4(name)
#define FV1(name, ...) IR_BUILD1(name)
#define FV2(name, ...) IR_BUILD2(name)
#define FV3(name, ...) IR_BUILD3(name)
#define C1(name, ...) IR_BUILD1(name)
#define C2(name, ...) IR_BUILD2(name)
#define CS2(name, ...) IR_BUILD2(name)
#define X(name, ...)
#include "ir_ops.def"
#include "ir_ops_undef.h"

/* Blocks: the builder of control flow (lower/) fills them; see ir_block. Returns the block's number. */
uint32_t ir_block_begin(struct ir_func *func, uint64_t pc);

/* Text form: ir_print writes what ir_parse reads. */
void ir_print(FILE *out, const struct ir_func *func);
void ir_print_inst(FILE *out, const struct ir_func *func, const struct ir_inst *inst);
/* NULL on a syntax error (message in error, with line) or lack of memory. */
struct ir_func *ir_parse(const char *text, size_t size, char *error, size_t error_size);

/* Checks what must hold; NULL when all does, else a static sentence, with the number of the instruction at fault. */
const char *ir_validate(const struct ir_func *func, uint32_t *inst);

/* Passes; each keeps the function valid. */
void ir_drop_dead_scc(struct ir_func *func); /* drops writes of SCC that no path reads; before ir_drop_dead */
void ir_drop_dead(struct ir_func *func);    /* drops pure instructions whose temporaries nobody reads */
/* For who runs a function and shows nobody its registers half-way; after ir_drop_dead: temporaries outlive their guest instruction
 * from here on. kept: registers are looked at after s_endpgm. */
void ir_form_addresses(struct ir_func *func);                  /* global accesses by a scalar base and a scaled lane index */
void ir_forward_copies(struct ir_func *func);                  /* reads what was copied instead of the copy */
void ir_drop_dead_registers(struct ir_func *func, bool kept);  /* drops and narrows what no path reads */
void ir_join_words(struct ir_func *func, bool kept);           /* one operation where two or three merge uniform words */

#endif
