#version 460
// What is not exact with floats, one buffer for each rule of comparison.
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { float values[]; };
layout(binding = 1) writeonly buffer Quotients { float quotients[]; };
layout(binding = 2) writeonly buffer Roots { vec2 roots[]; };
layout(binding = 3) writeonly buffer Waves { vec2 waves[]; };
layout(binding = 4) writeonly buffer Powers { vec2 powers[]; };
layout(binding = 5) writeonly buffer Logarithms { vec2 logarithms[]; };
layout(binding = 6) writeonly buffer Angles { vec4 angles[]; };
layout(binding = 7) writeonly buffer Halves { uint halves[]; };

void main()
{
    uint me = gl_GlobalInvocationID.x;
    float a = values[2 * me], b = values[2 * me + 1]; // between 0.1 and 4
    quotients[me] = a / b;
    roots[me] = vec2(sqrt(a), inversesqrt(b));
    waves[me] = vec2(sin(a * 1.5 - 3.0), cos(b * 1.5 - 3.0));
    powers[me] = vec2(exp2(a * 4.0 - 8.0), pow(a, b));
    logarithms[me] = vec2(log2(a), log2(b * 1000.0));
    angles[me] = vec4(atan(a, b), atan(a - 2.0), asin(a * 0.25), tanh(b));
    halves[me] = packHalf2x16(vec2(a, b));
}
