/* Rows of words, each word a step on from the one before it: a group goes along a row, four words to a thread. */
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require

const uint DIGITS = 7, VECTOR = 4;
layout(local_size_x = 256) in;

layout(buffer_reference, std430, buffer_reference_align = 16) writeonly buffer Words
{
    uvec4 at[];
};
layout(push_constant) uniform Push
{
    uvec2 to;
    uint vectors, row_vectors, first, digits; /* how many there are, and in a row; the first word */
    uint step[DIGITS], count[DIGITS];         /* of each digit of a word's number; that in the row is the first one */
};

uint first_of_row(uint row)
{
    uint word = first;
    for (uint k = 1; k < digits; k++) {
        word += row % count[k] * step[k];
        row /= count[k];
    }
    return word;
}

void main()
{
    uvec4 along = uvec4(0, 1, 2, 3) * step[0];
    uint rows = (vectors - 1) / row_vectors + 1, stride = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
    for (uint row = gl_WorkGroupID.y; row < rows; row += gl_NumWorkGroups.y) {
        uint word = first_of_row(row), place = row * row_vectors;
        for (uint n = gl_GlobalInvocationID.x; n < row_vectors && n < vectors - place; n += stride)
            Words(to).at[place + n] = along + word + VECTOR * n * step[0];
    }
}
