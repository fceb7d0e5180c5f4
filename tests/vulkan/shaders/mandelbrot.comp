#version 460
// How often a point of the plane is squared before it leaves; every operation is rounded on its own.
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) writeonly buffer Out { uint counts[]; };

void main()
{
    uvec2 at = gl_GlobalInvocationID.xy;
    precise float cx = float(at.x) * 0.03125 - 2.25, cy = float(at.y) * 0.03125 - 1.5;
    precise float x = 0, y = 0;
    uint count = 0;
    for (; count < 200; count++) {
        precise float xx = x * x, yy = y * y, xy = x * y;
        precise float norm = xx + yy, across = xx - yy;
        if (norm > 4)
            break;
        x = across + cx;
        y = xy + xy + cy;
    }
    counts[at.y * 96 + at.x] = count;
}
