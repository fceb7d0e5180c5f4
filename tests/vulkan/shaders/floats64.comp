#version 460
// Doubles: what is rounded once exactly, quotients and roots nearly.
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { double values[]; };
layout(binding = 1) writeonly buffer Exact { double exact[]; };
layout(binding = 2) writeonly buffer Near { double near[]; };

void main()
{
    uint me = gl_GlobalInvocationID.x;
    double a = values[2 * me], b = values[2 * me + 1];
    precise double sum = a + b, difference = a - b, product = a * b, square = b * b, polynomial = square + product;
    uint base = me * 12;
    exact[base] = sum;
    exact[base + 1] = difference;
    exact[base + 2] = product;
    exact[base + 3] = polynomial;
    exact[base + 4] = floor(a);
    exact[base + 5] = ceil(b);
    exact[base + 6] = trunc(a * 16.0);
    exact[base + 7] = min(a, b);
    exact[base + 8] = abs(b) + sign(a);
    exact[base + 9] = double(int(a * 1000.0)) + double(float(b));
    exact[base + 10] = a < b ? 2.5 : double(uint(abs(b) * 65536.0));
    exact[base + 11] = roundEven(a * 8.0);
    near[me * 3] = a / b;
    near[me * 3 + 1] = sqrt(abs(a));
    near[me * 3 + 2] = inversesqrt(abs(b));
}
