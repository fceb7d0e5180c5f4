// Moves values by every DPP control, with row and bank masks and with and without bound control; the last wave is partly filled.
//! exec -w -g 174 -b 174 in:u32:174 out:u32:2784
#include "wave.h"

kernel void wave_dpp_moves(global const uint *in, global uint *out)
{
    uint i = get_global_id(0), x = in[i], old = ~x;
    global uint *o = out + i * 16;
    o[0] = wave_dpp(old, x, DPP_QUAD(1, 0, 3, 2), 15, 15, false);
    o[1] = wave_dpp(old, x, DPP_QUAD(3, 3, 0, 1), 15, 15, true);
    o[2] = wave_dpp(old, x, DPP_ROW_SHL(1), 15, 15, false);
    o[3] = wave_dpp(old, x, DPP_ROW_SHL(7), 15, 15, true);
    o[4] = wave_dpp(old, x, DPP_ROW_SHR(1), 15, 15, false);
    o[5] = wave_dpp(old, x, DPP_ROW_SHR(15), 15, 15, true);
    o[6] = wave_dpp(old, x, DPP_ROW_ROR(4), 15, 15, false);
    o[7] = wave_dpp(old, x, DPP_ROW_ROR(11), 5, 15, false);
    o[8] = wave_dpp(old, x, DPP_ROW_MIRROR, 15, 10, false);
    o[9] = wave_dpp(old, x, DPP_ROW_HALF_MIRROR, 10, 3, true);
    o[10] = wave_dpp(old, x, DPP_ROW_SHARE(0), 15, 15, false);
    o[11] = wave_dpp(old, x, DPP_ROW_SHARE(13), 15, 15, true);
    o[12] = wave_dpp(old, x, DPP_ROW_XMASK(1), 15, 15, false);
    o[13] = wave_dpp(old, x, DPP_ROW_XMASK(15), 9, 15, true);
    o[14] = x + wave_dpp(0, x, DPP_ROW_SHR(2), 15, 15, true);
    o[15] = wave_dpp(5, x, DPP_ROW_SHR(3), 12, 6, true) * 3;
}
