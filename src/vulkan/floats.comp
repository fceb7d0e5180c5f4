// What the device makes of f32 operands, a lane each: their sum, product, and fused product and sum, and how they compare.
#version 460
#extension GL_EXT_spirv_intrinsics : require
// As modules of programs have it.
spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], capabilities = [4466], 4461, 32);
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer Operands
{
    uvec4 operands[];
};
layout(std430, binding = 1) writeonly buffer Results
{
    uvec4 results[];
};
layout(push_constant) uniform Push
{
    uint first;
};

void main()
{
    uint n = first + gl_LocalInvocationIndex;
    float a = uintBitsToFloat(operands[n].x), b = uintBitsToFloat(operands[n].y), c = uintBitsToFloat(operands[n].z);
    precise float sum = a + b, product = a * b, fused = fma(a, b, c);
    results[n] = uvec4(floatBitsToUint(sum), floatBitsToUint(product), floatBitsToUint(fused), a < b ? 1u : a == b ? 2u : 0u);
}
