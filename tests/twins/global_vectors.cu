// what: threads store vectors of four words; in `bad` they overlap by a pair, in `bad_tail` a scalar store falls into a neighbour's vector
// launch: --grid 2 --block 32
// arg: f32[260]
// expect bad: race
// expect bad_tail: race
// expect good: clean
// expect good_tail: clean

extern "C" __global__ void bad(float *out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float2 v = make_float2(i, i);
    ((float2 *)out)[i] = v;
    ((float2 *)out)[i + 1] = v;
}

extern "C" __global__ void bad_tail(float *out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    ((float4 *)out)[i] = make_float4(i, i, i, i);
    if (i == 63)
        out[4 * i - 1] = 1.0f;
}

extern "C" __global__ void good(float *out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    ((float4 *)out)[i] = make_float4(i, i, i, i);
}

extern "C" __global__ void good_tail(float *out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    ((float4 *)out)[i] = make_float4(i, i, i, i);
    if (i == 63)
        out[4 * i + 4] = 1.0f;
}
