#version 460
// Radix sort, last step: moves each key with its value to its place, keeping the order of equal digits.
layout(local_size_x = 256) in;
layout(binding = 0) readonly buffer Keys { uint keys[]; };
layout(binding = 1) readonly buffer Values { uint values[]; };
layout(binding = 2) readonly buffer Counts { uint counts[]; };
layout(binding = 3) writeonly buffer ToKeys { uint to_keys[]; };
layout(binding = 4) writeonly buffer ToValues { uint to_values[]; };
layout(push_constant) uniform Push { uint shift, groups; } push;
shared uint digits[256];

void main()
{
    uint me = gl_GlobalInvocationID.x, lane = gl_LocalInvocationID.x, key = keys[me], digit = key >> push.shift & 15;
    digits[lane] = digit;
    barrier();
    uint place = counts[digit * push.groups + gl_WorkGroupID.x];
    for (uint i = 0; i < lane; i++)
        place += digits[i] == digit ? 1 : 0;
    to_keys[place] = key;
    to_values[place] = values[me];
}
