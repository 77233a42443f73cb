// what: warp 0 fills the first part of an array with vectors and warp 1 the rest with words: in `bad` warp 1 begins one word too early
// launch: --block 64
// arg: f32[64]=iota
// arg: f32[96]
// expect bad: race
// expect bad_pair: race
// expect good: clean
// expect good_pair: clean

extern "C" __global__ void bad(const float *in, float *out)
{
    __shared__ __align__(16) float cells[96];
    int t = threadIdx.x;
    if (t < 16)
        ((float4 *)cells)[t] = make_float4(in[t], 1, 2, 3);
    else if (t >= 32)
        cells[63 + t - 32] = in[t];
    __syncthreads();
    out[t] = cells[t];
}

extern "C" __global__ void good(const float *in, float *out)
{
    __shared__ __align__(16) float cells[96];
    int t = threadIdx.x;
    if (t < 16)
        ((float4 *)cells)[t] = make_float4(in[t], 1, 2, 3);
    else if (t >= 32)
        cells[64 + t - 32] = in[t];
    __syncthreads();
    out[t] = cells[t];
}

// Complex numbers as pairs; in `bad_pair` a thread updates the imaginary part of its neighbour.
extern "C" __global__ void bad_pair(const float *in, float *out)
{
    __shared__ float2 numbers[65];
    int t = threadIdx.x;
    numbers[t] = make_float2(in[t], 0);
    numbers[t + 1].y = in[t];
    __syncthreads();
    out[t] = numbers[t].x;
}

extern "C" __global__ void good_pair(const float *in, float *out)
{
    __shared__ float2 numbers[65];
    int t = threadIdx.x;
    numbers[t] = make_float2(in[t], 0);
    numbers[t].y = in[t];
    __syncthreads();
    out[t] = numbers[t].x + numbers[t].y;
}
