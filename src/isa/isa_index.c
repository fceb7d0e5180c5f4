/* From an opcode to its row: an index for each chip, built once from the table. */
#include "isa/isa_layout.h"

#include <pthread.h>

enum { CHIP_COUNT = 4, SLOT_COUNT = 4096 };

/* Where each encoding's opcodes begin in an index; the widths are the opcode fields'. */
static const struct {
    uint16_t first, count;
} ranges[ISA_ENCODING_COUNT] = {
    [ISA_VOP3] = {0, 1024},    [ISA_SOP1] = {1024, 256}, [ISA_SOP2] = {1280, 128},   [ISA_SOPC] = {1408, 128},
    [ISA_SOPK] = {1536, 32},   [ISA_SOPP] = {1568, 128}, [ISA_SMEM] = {1696, 256},   [ISA_VOP1] = {1952, 256},
    [ISA_VOP2] = {2208, 64},   [ISA_VOPC] = {2272, 256}, [ISA_VOP3P] = {2528, 128},  [ISA_VINTRP] = {2656, 4},
    [ISA_DS] = {2660, 256},    [ISA_FLAT] = {2916, 128}, [ISA_GLOBAL] = {3044, 128}, [ISA_SCRATCH] = {3172, 128},
    [ISA_MUBUF] = {3300, 256}, [ISA_MTBUF] = {3556, 16}, [ISA_MIMG] = {3572, 256},   [ISA_EXP] = {3828, 1},
};

/* Where the VOP3 opcodes of the shorter encodings' rows begin. */
static const struct {
    bool has;
    uint16_t first;
} vop3_of[ISA_ENCODING_COUNT] = {
    [ISA_VOPC] = {true, 0x000},   [ISA_VOP2] = {true, 0x100}, [ISA_VOP1] = {true, 0x180},
    [ISA_VINTRP] = {true, 0x200}, [ISA_VOP3] = {true, 0x000}, [ISA_VOP3B] = {true, 0x000},
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const struct isa_row *row_of[CHIP_COUNT][SLOT_COUNT];

static void enter(const struct isa_row *row, enum isa_encoding encoding, unsigned opcode)
{
    for (unsigned chip = 0; chip < CHIP_COUNT; chip++) {
        if (row->chips & 1u << chip)
            row_of[chip][ranges[encoding].first + opcode] = row;
    }
}

static void build(void)
{
    for (unsigned i = 0; i < isa_row_count; i++) {
        const struct isa_row *row = &isa_rows[i];
        enum isa_encoding encoding = (enum isa_encoding)row->encoding;
        if (ranges[encoding].count)
            enter(row, encoding, row->opcode);
        if (vop3_of[encoding].has && !(row->flags & ISA_F(NO_E64)))
            enter(row, ISA_VOP3, vop3_of[encoding].first + row->opcode);
    }
}

const struct isa_row *isa_row_find(enum isa_chip_bit chip, enum isa_encoding encoding, unsigned opcode)
{
    pthread_once(&once, build);
    if (opcode >= ranges[encoding].count)
        return NULL;
    return row_of[__builtin_ctz(chip)][ranges[encoding].first + opcode];
}
