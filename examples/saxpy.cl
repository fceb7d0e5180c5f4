/* y = a * x + y, for the commands of the README. Nothing is linked to it, so it asks the compiler itself which element is its own. */
kernel void saxpy(global const float *x, global float *y, float a, uint n)
{
    uint i = __builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() + __builtin_amdgcn_workitem_id_x();
    if (i < n)
        y[i] = a * x[i] + y[i];
}
