/* Which registers somebody may still read: for the passes that drop writes or make them narrower.
 *
 * A vector register is followed in two parts, its lanes inside EXEC and those outside: a masked write ends the life of what it
 * overwrites inside, whatever was there outside lives on. Where EXEC changes, what lived on either side did so on both before. */
#ifndef IR_IR_LIVE_H
#define IR_IR_LIVE_H

#include "ir/ir_ssa_shape.h"

struct ir_live {
    uint64_t s[IR_S_COUNT / 64], inside[IR_V_COUNT / 64], outside[IR_V_COUNT / 64];
};

struct ir_live_blocks {
    struct ir_live *in;        /* at each block's start */
    bool kept;                 /* registers are looked at after s_endpgm */
    struct ir_ssa_shape shape; /* of the instruction at hand */
};

/* Finds what lives at the start of every block; false when memory is out (finish is still fine). */
bool ir_live_init(struct ir_live_blocks *blocks, const struct ir_func *func, bool kept);
void ir_live_finish(struct ir_live_blocks *blocks);
/* What lives at a block's end, before its terminator. */
struct ir_live ir_live_end(const struct ir_live_blocks *blocks, const struct ir_func *func, const struct ir_block *block);
/* From behind an instruction to before it. */
void ir_live_step(struct ir_live_blocks *blocks, const struct ir_func *func, const struct ir_inst *inst, struct ir_live *live);
/* Whether each lane of an operation's result comes from the same lane of its sources. */
bool ir_is_lane_by_lane(unsigned op);
/* Whether anything reads the `word`th slot of destination n, of the lanes that inst writes. */
bool ir_live_wants(const struct ir_live *live, const struct ir_inst *inst, unsigned n, unsigned word);
/* Whether anything reads what inst writes. */
bool ir_live_wants_any(const struct ir_live *live, const struct ir_func *func, const struct ir_inst *inst);

#endif
