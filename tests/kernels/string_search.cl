// Finds a pattern in text by Knuth, Morris and Pratt, and counts matches with one letter wrong.
//! exec -g 128 -b 64 in:u8:8192:text out:u32:384
#include "kernel.h"

constant uchar patterns[4][8] = {"the ", "wave", "lanes", "o"};
constant uchar lengths[4] = {4, 4, 5, 1};

kernel void string_search(global const uchar *in, global uint *out)
{
    uint i = get_global_id(0), which = i & 3, length = lengths[which];
    constant uchar *pattern = patterns[which];
    uchar failure[8];
    failure[0] = 0;
    for (uint k = 1, m = 0; k < length; k++) {
        while (m && pattern[k] != pattern[m])
            m = failure[m - 1];
        if (pattern[k] == pattern[m])
            m++;
        failure[k] = (uchar)m;
    }
    uint found = 0, last = 0, near = 0;
    global const uchar *text = in + i * 61;
    for (uint k = 0, m = 0; k < 300; k++) {
        while (m && text[k] != pattern[m])
            m = failure[m - 1];
        if (text[k] == pattern[m])
            m++;
        if (m == length) {
            found++;
            last = k;
            m = failure[m - 1];
        }
    }
    for (uint k = 0; k + length <= 300; k++) {
        uint wrong = 0;
        for (uint m = 0; m < length && wrong < 2; m++)
            wrong += text[k + m] != pattern[m];
        near += wrong == 1;
    }
    out[i * 3] = found;
    out[i * 3 + 1] = last;
    out[i * 3 + 2] = near;
}
