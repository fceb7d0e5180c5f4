// Reads numbers, words and brackets out of text by a state machine, each item from its own place.
//! exec -g 200 -b 64 in:u8:4096:plain out:u32:800
#include "kernel.h"

enum { START, WORD, NUMBER, FRACTION, QUOTED, ESCAPED };

kernel void state_machine(global const uchar *in, global uint *out)
{
    constant uchar *alphabet = (constant uchar *)"ab1.29 (\"\\x)0-";
    uint i = get_global_id(0), state = START, words = 0, numbers = 0, depth = 0, value = 0, errors = 0, sum = 0;
    for (uint k = 0; k < 120; k++) {
        uchar c = alphabet[in[(i * 19 + k) & 4095] % 14];
        bool digit = c >= '0' && c <= '9', letter = c >= 'a' && c <= 'z';
        switch (state) {
        case START:
            if (letter)
                state = WORD;
            else if (digit) {
                state = NUMBER;
                value = c - '0';
            } else if (c == '"')
                state = QUOTED;
            else if (c == '(')
                depth++;
            else if (c == ')') {
                if (depth)
                    depth--;
                else
                    errors++;
            }
            continue;
        case WORD:
            if (letter || digit)
                continue;
            words++;
            break;
        case NUMBER:
            if (digit) {
                value = value * 10 + c - '0';
                continue;
            }
            if (c == '.') {
                state = FRACTION;
                continue;
            }
            numbers++;
            sum += value;
            break;
        case FRACTION:
            if (digit) {
                value += c;
                continue;
            }
            sum ^= value;
            break;
        case QUOTED:
            if (c == '\\') {
                state = ESCAPED;
                continue;
            }
            if (c != '"')
                continue;
            words += 0x10000;
            break;
        case ESCAPED:
            state = QUOTED;
            continue;
        }
        state = START;
    }
    out[i * 4] = words;
    out[i * 4 + 1] = numbers | state << 16;
    out[i * 4 + 2] = sum;
    out[i * 4 + 3] = depth | errors << 16;
}
