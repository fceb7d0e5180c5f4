/* Prototypes of the irregular instructions' functions; included by lower_inst.h. One section a file. */
#ifndef LOWER_LOWER_FNS_H
#define LOWER_LOWER_FNS_H

struct lower;

/* lower_control.c */
enum lower_exec_rule {
    LOWER_EXEC_AND,
    LOWER_EXEC_OR,
    LOWER_EXEC_XOR,
    LOWER_EXEC_NAND,
    LOWER_EXEC_NOR,
    LOWER_EXEC_XNOR,
    LOWER_EXEC_ANDN1,
    LOWER_EXEC_ANDN2,
    LOWER_EXEC_ORN1,
    LOWER_EXEC_ORN2, /* N1: the source inverted, N2: EXEC */
};
void lower_s_branch(struct lower *l);
void lower_s_cbranch(struct lower *l, unsigned what, bool sense); /* what: 0 SCC, 1 VCC, 2 EXEC */
void lower_s_endpgm(struct lower *l);
void lower_s_setkill(struct lower *l);
void lower_s_getpc(struct lower *l);
void lower_s_setpc(struct lower *l);
void lower_s_swappc(struct lower *l);
void lower_s_call(struct lower *l);
void lower_s_subvector_loop(struct lower *l, bool end);
void lower_s_saveexec(struct lower *l, enum lower_exec_rule rule);
void lower_s_wrexec(struct lower *l, enum lower_exec_rule rule);

/* lower_state.c */
void lower_s_getreg(struct lower *l);
void lower_s_setreg(struct lower *l);
void lower_s_mode_field(struct lower *l, unsigned offset);
void lower_s_barrier(struct lower *l);
void lower_s_waitcnt_stores(struct lower *l);
void lower_s_sleep(struct lower *l);
void lower_s_sendmsg(struct lower *l);
void lower_s_trap(struct lower *l);
void lower_s_sethalt(struct lower *l);

/* lower_lane.c */
void lower_v_cndmask(struct lower *l);
void lower_v_mbcnt(struct lower *l, bool high);
void lower_v_permlane16(struct lower *l, bool other_row);
void lower_v_readlane(struct lower *l);
void lower_v_readfirstlane(struct lower *l);
void lower_v_writelane(struct lower *l);
void lower_v_swap(struct lower *l);
void lower_v_movreld(struct lower *l);
void lower_v_movrels(struct lower *l);
void lower_v_movrelsd(struct lower *l);
void lower_v_movrelsd_2(struct lower *l);
void lower_v_swaprel(struct lower *l);
void lower_s_movrels(struct lower *l);
void lower_s_movreld(struct lower *l);
void lower_s_movrelsd_2(struct lower *l);
void lower_ds_swizzle(struct lower *l);
void lower_ds_permute(struct lower *l, enum ir_op op);

/* lower_shared.c */
bool lower_is_shared(const struct lower *l, unsigned reg);
void lower_halves(struct lower *l); /* the row, once or, where it writes shared registers, once for each half */

/* lower_int.c */
void lower_s_pair(struct lower *l, enum ir_op value, enum ir_op scc);       /* both of the two sources */
void lower_s_with_carry(struct lower *l, enum ir_op value, enum ir_op scc); /* both of the two sources and SCC */
void lower_s_lshl_add(struct lower *l, unsigned shift);
void lower_s_mov_b64(struct lower *l);
void lower_v_carry(struct lower *l, enum ir_op op, bool reversed, bool carry_in);
void lower_v_mad_u64_u32(struct lower *l);
void lower_v_mad_i64_i32(struct lower *l);
void lower_v_mqsad_u32_u8(struct lower *l);
/* op(b, ...), or the saturating op when the instruction says clamp. */
#define SAT(op, saturating, ...) (l->inst->clamp ? ir_##saturating(b, __VA_ARGS__) : ir_##op(b, __VA_ARGS__))
/* A dot product of A and B by fields, added to C. */
#define DOT(name, fields, x, y) \
    (l->inst->clamp ? ir_##name##_sat_##fields(b, x, y, C) : ir_add_u32(b, ir_##name##_##fields(b, x, y), C))

/* lower_packed_int.c */
ir_ref lower_packed_src(struct lower *l, unsigned n); /* source n with op_sel and op_sel_hi applied */
#define PA lower_packed_src(l, 0)
#define PB lower_packed_src(l, 1)
#define PC lower_packed_src(l, 2)

/* lower_memory.c: bytes of one element; flags of enum ir_access_flag */
void lower_load(struct lower *l, unsigned bytes, uint32_t flags);
void lower_store(struct lower *l, unsigned bytes);
void lower_load_format(struct lower *l, unsigned components);
void lower_store_format(struct lower *l, unsigned components);
void lower_atomic(struct lower *l, enum ir_atomic what, unsigned bytes);
void lower_s_memtime(struct lower *l, unsigned clock); /* 0 core clock, 1 reference clock */
void lower_s_wave_id(struct lower *l);

/* lower_image.c: flags of enum ir_image_flag */
enum { LOWER_IMAGE_CLAMP = 1 << 16 }; /* behind the coordinates stands the least level, not the level */
void lower_image_load(struct lower *l, enum ir_image_kind kind, uint32_t flags);
void lower_image_store(struct lower *l, enum ir_image_kind kind);
void lower_image_atomic(struct lower *l, enum ir_atomic what);
void lower_image_sample(struct lower *l, enum ir_image_kind kind, uint32_t flags);
void lower_image_size(struct lower *l);
void lower_image_ray(struct lower *l);

/* lower_ds.c */
void lower_ds_read2(struct lower *l, unsigned bytes, bool st64);
void lower_ds_write2(struct lower *l, unsigned bytes, bool st64);
void lower_ds_wrxchg2(struct lower *l, unsigned bytes, bool st64);
void lower_ds_atomic(struct lower *l, enum ir_atomic what, unsigned bytes);
void lower_ds_atomic2(struct lower *l, enum ir_atomic what, unsigned bytes);
void lower_ds_cmpst(struct lower *l, enum ir_atomic what, unsigned bytes);
void lower_ds_src2(struct lower *l, enum ir_atomic what, unsigned bytes);
void lower_ds_append(struct lower *l, bool consume);
void lower_ds_ordered_count(struct lower *l);

/* lower_float.c */
void lower_v_div_scale(struct lower *l, enum ir_op value, enum ir_op flag);
void lower_v_div_fmas(struct lower *l, enum ir_op op);
void lower_v_fma_mix_f32(struct lower *l);
void lower_v_fma_mix_f16(struct lower *l, bool high);
ir_ref lower_every_lane(struct lower *l); /* the mask of the lanes that are there */

/* lower_packed_float.c */
ir_ref lower_packed_float_src(struct lower *l, unsigned n); /* source n with op_sel, op_sel_hi, neg and neg_hi applied */
void lower_packed_float(struct lower *l, ir_ref value);     /* two halves, each clamped if the instruction says so */
#define FA                lower_packed_float_src(l, 0)
#define FB                lower_packed_float_src(l, 1)
#define FC                lower_packed_float_src(l, 2)
#define PACKED_FLOAT(...) lower_packed_float(l, __VA_ARGS__)

#endif
