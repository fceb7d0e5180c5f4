#version 460
// A matrix of 128 rows by 96 columns, turned by tiles in shared memory.
layout(local_size_x = 16, local_size_y = 16) in;
layout(binding = 0) readonly buffer In { uint from[]; };
layout(binding = 1) writeonly buffer Out { uint to[]; };
shared uint tile[16][17];

void main()
{
    uvec2 me = gl_LocalInvocationID.xy, corner = gl_WorkGroupID.xy * 16;
    tile[me.y][me.x] = from[(corner.y + me.y) * 96 + corner.x + me.x];
    barrier();
    to[(corner.x + me.y) * 128 + corner.y + me.x] = tile[me.x][me.y];
}
