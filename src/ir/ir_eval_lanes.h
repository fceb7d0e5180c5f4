/* Functions of ir_ops.def's rows on lane masks. Included by ir_eval.h alone. */
#ifndef IR_IR_EVAL_LANES_H
#define IR_IR_EVAL_LANES_H

/* The lowest bit of each quad of lanes of which one is set. */
static inline u64 eval_quads(u64 a)
{
    a |= a >> 1;
    a |= a >> 2;
    return a & 0x1111111111111111u;
}

/* Whole quads: every lane of a quad of which one is set. */
static inline u64 eval_wqm(u64 a) { return eval_quads(a) * 15; }

/* One bit for each quad. */
static inline u64 eval_quadmask(u64 a)
{
    a = eval_quads(a);
    a = (a | a >> 3) & 0x0303030303030303u;
    a = (a | a >> 6) & 0x000f000f000f000fu;
    a = (a | a >> 12) & 0x000000ff000000ffu;
    return (a | a >> 24) & 0xffff;
}

#endif
